//! Cờ úp: rules, endings, setups and moves as texts, deals, chance nodes.

use nguky::game::perft::Perft;
use nguky::game::{Kind, Moves, Position, Rules, Side, Verdict};
use nguky::games::coup::{Coup, CoupRules, Form};
use nguky::games::xiangqi::types::Kind as Piece;
use nguky::util::rng::SplitMix;
use serde_json::Value;

fn facts(name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("NGUKY_FACTS") else {
        eprintln!("skipped: NGUKY_FACTS is not set");
        return None;
    };
    let path = std::path::Path::new(&folder).join("xiangqi").join(name);
    Some(std::fs::read_to_string(path).unwrap())
}

fn parse(setup: &str) -> Coup {
    Coup::parse(setup, &CoupRules::default()).unwrap_or_else(|e| panic!("{e}: {setup}"))
}

fn legal(p: &Coup) -> Vec<String> {
    let mut moves = Moves::new();
    p.generate(Kind::All, &mut moves);
    let mut list: Vec<String> = moves.iter().map(|m| p.move_text(m)).collect();
    list.sort();
    list
}

#[test]
fn reference_lists_of_legal_moves() {
    let Some(text) = facts("jieqi_legal_moves.json") else {
        return;
    };
    let file: Value = serde_json::from_str(&text).unwrap();
    let positions = file["positions"].as_array().unwrap();
    for case in positions {
        let fen = case["fen"].as_str().unwrap();
        let p = parse(fen);
        let mut expected: Vec<&str> = case["legal"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        expected.sort_unstable();
        assert_eq!(legal(&p), expected, "{fen}");
        assert_eq!(parse(&p.setup()).setup(), p.setup());
    }
    assert_eq!(positions.len(), 217);
}

#[test]
fn recorded_game_replays() {
    let Some(text) = facts("jieqi_transcript_pikajieqi.txt") else {
        return;
    };
    let mut games = 0;
    for line in text.lines().filter_map(|l| l.strip_prefix("> position fen ")) {
        let (setup, moves) = line.split_once(" moves ").unwrap_or((line, ""));
        let mut p = parse(setup);
        for m in moves.split_whitespace() {
            p.play_text(m).unwrap_or_else(|e| panic!("{e}: {line}"));
        }
        games += 1;
    }
    assert!(games > 5);
}

/// "a b (c d)*2" as a b c d c d.
fn unroll(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (words, times, next) = match rest.strip_prefix('(') {
            Some(inner) => {
                let (body, tail) = inner.split_once(")*").expect("a repeat");
                let (n, tail) = tail.split_once(' ').unwrap_or((tail, ""));
                (body, n.parse().expect("a count"), tail)
            }
            None => {
                let end = rest.find('(').unwrap_or(rest.len());
                (&rest[..end], 1, &rest[end..])
            }
        };
        for _ in 0..times {
            out.extend(words.split_whitespace().map(String::from));
        }
        rest = next.trim();
    }
    out
}

#[test]
fn endings() {
    for line in include_str!("data/coup_endings.case")
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let part: Vec<&str> = line.split(" ; ").map(str::trim).collect();
        let [name, ruleset, setup, moves, verdict, reason] = part[..] else {
            panic!("six parts: {line}");
        };
        let mut rules = CoupRules::default();
        rules.set("Ruleset", ruleset).unwrap();
        let mut p = Coup::parse(setup, &rules).unwrap_or_else(|e| panic!("{e}: {name}"));
        for m in unroll(moves) {
            assert_eq!(p.ended(), None, "{name}: before {m}");
            p.play_text(&m).unwrap_or_else(|e| panic!("{e}: {name}"));
        }
        let got = p.ended();
        let expected = match verdict {
            "win" => Some(Verdict::Win),
            "loss" => Some(Verdict::Loss),
            "draw" => Some(Verdict::Draw),
            _ => None,
        };
        assert_eq!(got.map(|e| e.verdict), expected, "{name}: {got:?}");
        if let Some(e) = got {
            assert_eq!(e.reason, reason, "{name}");
        }
    }
}

#[test]
fn advisors_and_elephants_leave_home() {
    let p = parse("3k5/9/9/9/4A4/2B6/9/9/9/4K4 w - 0 1");
    let list = legal(&p);
    for m in ["e5d4", "e5f4", "e5d6", "e5f6", "c4a6", "c4e6", "c4a2", "c4e2"] {
        assert!(list.contains(&m.to_string()), "{m} in {list:?}");
    }
    // Face down they keep to what sets out there.
    let p = parse("3k5/9/9/9/9/9/9/9/9/3XK4 w A1 0 1");
    assert!(legal(&p).contains(&"d0e1".to_string()) && !legal(&p).contains(&"d0c1".to_string()));
    // They check abroad, too, and an eye shields.
    assert!(parse("3k5/4A4/9/9/9/9/9/9/9/4K4 b - 0 1").in_check());
    assert!(parse("3k5/9/1B7/9/9/9/9/9/9/4K4 b - 0 1").in_check());
    assert!(!parse("3k5/2p6/1B7/9/9/9/9/9/9/4K4 b - 0 1").in_check());
}

#[test]
fn generals_may_not_face() {
    let p = parse("4k4/9/9/9/9/4P4/9/9/9/4K4 w - 0 1");
    assert!(legal(&p).contains(&"e4e5".to_string()));
    let p = parse("4k4/9/9/9/9/4N4/9/9/9/4K4 w - 0 1");
    assert!(legal(&p).iter().all(|m| !m.starts_with("e4")));
    let e = Coup::parse("4k4/9/9/9/9/9/9/9/9/4K4 w - 0 1", &CoupRules::default()).unwrap_err();
    assert!(e.to_string().contains("face each other"), "{e}");
}

#[test]
fn setups_in_every_form() {
    let board = "xxxxkxxPx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X7/9/XXXXKXXXX";
    let new = format!("{board} b R2A2C2P4N2B2r2a2c2p4n2b2 p1 0 1");
    let p = parse(&new);
    assert_eq!(p.setup_as(Form::Captured), new);
    let old = format!("{board} A2B2N2R2C2P4a2b2n2r2c2p4 b - - 0 1");
    let q = parse(&old);
    assert_eq!(
        q.setup_as(Form::PoolFirst),
        format!("{board} R2A2C2P4N2B2r2a2c2p4n2b2 b - - 0 1")
    );
    assert_eq!(p.key(), q.key());
    assert_eq!(
        parse("xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX").setup(),
        Coup::START
    );
}

#[test]
fn bad_setups_and_moves_are_named() {
    for (setup, why) in [
        ("xxxxkxxxx/9/1x5x1/x1x1x1x1x/4X4/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w", "e5"),
        ("3k5/9/9/9/9/9/X8/9/9/4K4 w R3 0 1", "a set has 2"),
        ("3k5/9/9/9/9/9/X1X6/9/9/4K4 w R1 0 1", "the pool has 1"),
        ("3k5/9/9/9/9/9/X1X6/9/9/4K4 w - 0 1", "no pool"),
        ("3k5/9/9/9/9/9/X8/9/9/4K4 w K1 0 1", "called K"),
        ("3k5/9/9/9/9/9/X8/9/9/9 w P1", "general is missing"),
        ("", "empty"),
    ] {
        let e = Coup::parse(setup, &CoupRules::default()).unwrap_err();
        assert!(e.to_string().contains(why), "{e}: {setup}");
    }
    let mut p = parse(Coup::START);
    for (m, why) in [
        ("e3e4", "fifth letter"),
        ("e3e4K", "none is left"),
        ("e3e5C", "illegal"),
        ("b2b9c", "fifth letter"),
        ("e3e4Cp", "none lies face down"),
        ("e3e4Cpp", "not a move"),
        ("e3", "not a move"),
        ("é3e4", "not a move"),
        ("e3e4X", "not a move"),
    ] {
        let e = p.play_text(m).unwrap_err();
        assert!(e.to_string().contains(why), "{e}: {m}");
        assert_eq!(p.setup(), Coup::START);
    }
    p.play_text("b2b9Cn").unwrap();
    assert_eq!(p.pool(Side::First)[Piece::Cannon as usize], 1);
    assert_eq!(p.pool(Side::Second)[Piece::Horse as usize], 1);
    p.play_text("a9b9rC").unwrap_err();
    p.play_text("a9b9r").unwrap();
    p.undo();
    p.undo();
    assert_eq!(p.setup(), Coup::START);
}

#[test]
fn perft_sums_over_reveals() {
    let p = parse(Coup::START);
    // The general is the one piece that turns nothing up.
    assert_eq!(Perft::default().count(&p, 1), (legal(&p).len() as u64 - 1) * 6 + 1);
    let (a, b) = (
        Perft::default(),
        Perft {
            bulk: false,
            threads: 1,
        },
    );
    assert_eq!(a.count(&p, 2), b.count(&p, 2));
    // All face up: elephants and advisors roam, the rest is xiangqi's.
    let open = parse("3k5/9/9/9/9/9/P8/9/9/4K4 w - 0 1");
    assert_eq!(Perft::default().count(&open, 1), 3);
}

/// Chi-square of the kinds under one point over many deals, with 5 degrees of freedom.
fn chi_square(deals: u64) -> f64 {
    let p = parse(Coup::START);
    let mut rng = SplitMix::new(7);
    let mut worst: f64 = 0.0;
    let mut seen = vec![[0u64; 7]; 90];
    for _ in 0..deals {
        for (point, kind) in p.deal(|n| rng.below(n as u64) as usize).iter().enumerate() {
            if let Some(kind) = kind {
                seen[point][*kind as usize] += 1;
            }
        }
    }
    for counts in seen.iter().filter(|c| c.iter().sum::<u64>() > 0) {
        assert_eq!(counts.iter().sum::<u64>(), deals);
        let chi = [
            Piece::Advisor,
            Piece::Elephant,
            Piece::Horse,
            Piece::Chariot,
            Piece::Cannon,
            Piece::Soldier,
        ]
        .into_iter()
        .map(|k| {
            let expected = p.chance(Side::First, k) * deals as f64;
            (counts[k as usize] as f64 - expected).powi(2) / expected
        })
        .sum();
        worst = worst.max(chi);
    }
    worst
}

/// 30 points: the 99.9 % quantile of the worst of 30 is about 26.
#[test]
fn deals_are_uniform() {
    let chi = chi_square(20_000);
    assert!(chi < 27.0, "{chi}");
}

#[test]
#[ignore = "100,000 deals"]
fn many_deals_are_uniform() {
    let chi = chi_square(100_000);
    println!("worst chi-square of 30 points {chi:.2}");
    assert!(chi < 27.0, "{chi}");
}

#[test]
fn a_deal_fits_the_pool() {
    let p = parse("3k5/9/9/9/9/9/X1X6/9/9/4K4 w R1P2A1 0 1");
    let mut rng = SplitMix::new(3);
    let mut chariots = 0;
    for _ in 0..4000 {
        let deal = p.deal(|n| rng.below(n as u64) as usize);
        assert_eq!(deal.iter().flatten().count(), 2);
        chariots += deal.iter().flatten().filter(|&&k| k == Piece::Chariot).count();
    }
    // Two of the four are drawn: the chariot in every second deal.
    assert!((1850..2150).contains(&chariots), "{chariots}");
}
