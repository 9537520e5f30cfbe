//! Shogi: counts of the move tree, legality, repetition, declarations, mates in one, exchanges, refused setups.

use nguky::game::perft::Perft;
use nguky::game::{Kind, Move, Moves, Position, Rules, Side, Verdict};
use nguky::games::shogi::dfpn::{DfpnResult, MateSolver};
use nguky::games::shogi::{SMove, Shogi, ShogiRules};
use nguky::util::rng::SplitMix;

fn parse(setup: &str) -> Shogi {
    Shogi::parse(setup, &ShogiRules::default()).unwrap_or_else(|e| panic!("{e}: {setup}"))
}

fn rules(name: &str, value: &str) -> ShogiRules {
    let mut rules = ShogiRules::default();
    rules.set(name, value).unwrap();
    rules
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .map(|l| l.split('\t').collect())
}

fn every(p: &Shogi) -> Vec<SMove> {
    let mut moves = Moves::new();
    p.generate_all_legal(&mut moves);
    moves.iter().collect()
}

/// Runs the rows of the data file whose counts lie between the bounds.
fn perft_rows(least: u64, most: u64) {
    let mut tried = 0;
    for row in rows(include_str!("data/shogi_perft.tsv")) {
        let (depth, count): (u32, u64) = (row[2].parse().unwrap(), row[3].parse().unwrap());
        if (least..most).contains(&count) {
            tried += 1;
            let p = parse(row[1]);
            assert_eq!(Perft::default().count(&p, depth), count, "{} depth {depth}", row[0]);
            if count < 100_000 {
                let slow = Perft {
                    bulk: false,
                    ..Perft::default()
                };
                assert_eq!(slow.count(&p, depth), count, "{} depth {depth}", row[0]);
            }
        }
    }
    assert!(tried > 0);
}

#[test]
fn perft() {
    perft_rows(0, 6_000_000);
}

#[test]
#[ignore = "a minute in a debug build"]
fn perft_deep() {
    perft_rows(6_000_000, u64::MAX);
}

#[test]
fn legality() {
    for row in rows(include_str!("data/shogi_rules_legality.tsv")) {
        let p = parse(row[1]);
        let legal = p.parse_move(row[2]).is_ok();
        assert_eq!(legal, row[3] == "1", "{}: {}", row[0], row[2]);
        assert_eq!(p.count_legal().to_string(), row[4], "{}", row[0]);
        assert_eq!(every(&p).iter().any(|&m| p.move_text(m) == row[2]), legal, "{}", row[0]);
    }
}

fn play_all(p: &mut Shogi, moves: &str) {
    for text in moves.split_whitespace() {
        let m = p.parse_move(text).unwrap();
        p.play(m);
    }
}

#[test]
fn repetition() {
    for row in rows(include_str!("data/shogi_repetition.tsv")) {
        let mut p = parse(if row[1] == "startpos" { Shogi::START } else { row[1] });
        play_all(&mut p, row[2]);
        assert_eq!(p.occurrences().0.to_string(), row[3], "{}", row[0]);
        let loser = |side| {
            if p.side() == side { Verdict::Loss } else { Verdict::Win }
        };
        let expected = match row[4] {
            "none" => None,
            "draw" => Some(Verdict::Draw),
            "black loses" => Some(loser(Side::First)),
            "white loses" => Some(loser(Side::Second)),
            other => panic!("{other}"),
        };
        assert_eq!(p.ended().map(|e| e.verdict), expected, "{}", row[0]);
        assert_eq!(p.verdict(0), expected.unwrap_or(Verdict::Open), "{}", row[0]);
        // In the tree one repetition is enough.
        if expected.is_none() {
            assert_eq!(p.verdict(100), Verdict::Draw, "{}", row[0]);
        }
    }
}

#[test]
fn hands_that_grow_are_better() {
    // Black's rook takes a pawn and comes back; white's king only steps aside and back: the board repeats for white
    // with one pawn less on it, so a true case needs a pawn given back by a drop that is taken.
    let mut p = parse("4k4/9/9/9/9/9/9/9/R3K4 b p 1");
    play_all(&mut p, "9i9h P*9g 9h9g 5a4a 9g9i 4a5a");
    assert_eq!(p.verdict(0), Verdict::Open);
    assert_eq!(p.verdict(10), Verdict::Better);
    play_all(&mut p, "9i9h");
    assert_eq!(p.verdict(10), Verdict::Worse);
    assert_eq!(p.ended(), None);
}

#[test]
fn declaration() {
    for row in rows(include_str!("data/shogi_declaration.tsv")) {
        for (rule, expected) in [("CSARule27", row[2]), ("CSARule24", row[3]), ("NoEnteringKing", "0")] {
            let p = Shogi::parse(row[1], &rules("EnteringKingRule", rule)).unwrap_or_else(|e| panic!("{e}: {row:?}"));
            assert_eq!(p.may_claim(), expected == "1", "{} by {rule}", row[0]);
            let ended = p.ended().is_some_and(|e| e.verdict == Verdict::Win);
            assert_eq!(ended, expected == "1", "{} by {rule}", row[0]);
        }
    }
    let mut p = Shogi::parse("9/4K4/9/9/9/9/9/k8/9 b - 1", &rules("EnteringKingRule", "TryRule")).unwrap();
    assert_eq!(p.ended(), None);
    play_all(&mut p, "5b5a");
    assert_eq!(p.verdict(1), Verdict::Loss);
    assert_eq!(p.ended().unwrap().reason, "try");
}

#[test]
fn longest_game() {
    let rules = rules("MaxMovesToDraw", "10");
    let mut p = Shogi::parse("4k4/9/9/9/9/9/9/9/4K4 b - 10", &rules).unwrap();
    assert_eq!(p.ended(), None);
    play_all(&mut p, "5i5h");
    assert_eq!(p.verdict(1), Verdict::Draw);
    assert_eq!(p.ended().unwrap().reason, "move limit");
}

#[test]
fn mates_in_one() {
    let mut room = Moves::new();
    for row in rows(include_str!("data/shogi_mate_in_n.tsv")) {
        let p = parse(row[1]);
        let found = p.win_in_one(&mut room).map(|m| p.move_text(m));
        assert!(room.is_empty());
        if row[0] == "1" {
            let found = found.unwrap_or_else(|| panic!("no mate in {}", row[1]));
            assert!(row[2].split(' ').any(|m| m == found), "{found} in {}", row[1]);
        } else {
            assert_eq!(found, None, "{}", row[1]);
        }
    }
}

/// Random games against slow oracles: checks, mates, keys, the lean list of moves.
#[test]
fn random_games_agree_with_slow_oracles() {
    let mut random = SplitMix::new(4);
    for _ in 0..40 {
        let mut p = parse(Shogi::START);
        for _ in 0..200 {
            let moves = every(&p);
            if moves.is_empty() {
                assert_eq!(p.ended().unwrap().verdict, Verdict::Loss);
                break;
            }
            assert_eq!(moves.len() as u64, p.count_legal());
            let mut checks = Moves::new();
            p.generate_checks(&mut checks);
            let checks: Vec<SMove> = checks.iter().collect();
            for &m in &moves {
                let mut after = p.clone();
                after.play(m);
                assert!(after.keys_agree(), "{m:?} in {}", p.setup());
                assert_eq!(after.in_check(), p.gives_check(m), "{m:?} in {}", p.setup());
                assert_eq!(after.in_check(), checks.contains(&m), "{m:?} in {}", p.setup());
                if after.in_check() {
                    assert_eq!(after.count_legal() == 0, p.mates(m), "{m:?} in {}", p.setup());
                }
            }
            for kind in [Kind::All, Kind::Tactical, Kind::Quiet] {
                let mut lean = Moves::new();
                p.generate(kind, &mut lean);
                assert!(lean.iter().all(|m| moves.contains(&m)));
                assert!(
                    lean.iter()
                        .all(|m| kind == Kind::All || p.is_tactical(m) == (kind == Kind::Tactical))
                );
            }
            p.play(moves[random.below(moves.len() as u64) as usize]);
        }
    }
}

#[test]
fn exchanges() {
    // A pawn takes a pawn: a piece's capture counts for both sides.
    let p = parse("4k4/9/9/9/4p4/4P4/9/9/4K4 b - 1");
    let m = p.parse_move("5f5e").unwrap();
    assert_eq!(p.gain(m), 200);
    assert!(p.see_ge(m, 200) && !p.see_ge(m, 201));
    // Defended by a lance behind the front: the pawn is lost again.
    let p = parse("4k4/4l4/9/9/4p4/4P4/9/9/4K4 b - 1");
    let m = p.parse_move("5f5e").unwrap();
    assert!(p.see_ge(m, 0) && !p.see_ge(m, 1));
    // A rook behind the pawn takes back the lance.
    let p = parse("4k4/4l4/9/9/4p4/4P4/4R4/9/4K4 b - 1");
    let m = p.parse_move("5f5e").unwrap();
    assert!(p.see_ge(m, 200) && !p.see_ge(m, 201));
    // A rook dropped where a pawn takes it.
    let p = parse("4k4/9/9/4p4/9/9/9/9/4K4 b R 1");
    let m = p.parse_move("R*5e").unwrap();
    assert!(!p.see_ge(m, 0) && p.see_ge(m, -1480));
    // Promotion pays by itself.
    let p = parse("4k4/9/9/1P7/9/9/9/9/4K4 b - 1");
    assert_eq!(p.gain(p.parse_move("8d8c+").unwrap()), 460);
}

#[test]
fn bad_setups_are_refused() {
    let refused = |setup: &str, part: &str| {
        let text = match Shogi::parse(setup, &ShogiRules::default()) {
            Ok(_) => panic!("accepted: {setup}"),
            Err(e) => e.to_string(),
        };
        assert!(text.contains(part), "{text}: {setup}");
    };
    refused("", "empty");
    refused("4k4/9/9/9/9/9/9/9 b - 1", "8 ranks");
    refused("4k4/9/9/9/9/9/9/9/4K5 b - 1", "rank i has not 9 points");
    refused("4k4/9/9/9/9/9/9/9/4K3 b - 1", "rank i has not 9 points");
    refused("4k4/9/9/9/9/9/9/9/4K3+ b - 1", "rank i has not 9 points");
    refused("4k4/9/9/9/9/9/9/9/4X4 b - 1", "no piece is called X");
    refused("4k4/9/9/9/9/9/9/9/4+K4 b - 1", "king does not promote");
    refused("4k4/9/9/9/9/9/9/9/4+G4 b - 1", "gold does not promote");
    refused("4k4/9/9/9/9/9/9/9/3+14K b - 1", "no piece is called +1");
    refused("4k4/9/9/9/9/9/9/9/3KK4 b - 1", "a second black king on 5i");
    refused("9/9/9/9/9/9/9/9/9 b - 1", "kings are missing");
    refused("P3k4/9/9/9/9/9/9/9/4K4 b - 1", "black pawn on 9a could never move");
    refused("4k4/9/9/9/9/9/9/9/l3K4 b - 1", "white lance on 9i could never move");
    refused("4k4/N8/9/9/9/9/9/9/4K4 b - 1", "black knight on 9b could never move");
    refused("4k4/9/P8/P8/9/9/9/9/4K4 b - 1", "a second black pawn on file 9");
    refused("4k4/9/9/rrr6/9/9/9/9/4K4 b - 1", "more than 2 rooks");
    refused("4k4/9/9/rr7/9/9/9/9/4K4 b R 1", "more than 2 rooks");
    refused("4k4/9/9/r+r7/9/9/9/9/4K4 b 2R 1", "more than 2 rooks");
    refused("4k4/9/9/9/9/9/9/9/4K4 b 18P 1 more", "more");
    refused("4k4/9/9/9/9/9/9/9/4K4 b 18Pp 1", "more than 18 pawns");
    refused("4k4/9/9/9/9/9/9/9/4K4 b 19P 1", "no hand holds 19");
    refused("4k4/9/9/9/9/9/9/9/4K4 b 0P 1", "no hand holds 0");
    refused("4k4/9/9/9/9/9/9/9/4K4 b K 1", "a hand holds no K");
    refused("4k4/9/9/9/9/9/9/9/4K4 b +P 1", "a hand holds no +");
    refused("4k4/9/9/9/9/9/9/9/4K4 b P2 1", "no piece after the number 2");
    refused("4k4/9/9/9/9/9/9/9/4K4 b PP 1", "stands twice");
    refused("4k4/9/9/9/9/9/9/9/4K4 x - 1", "b or w, not x");
    refused("4k4/9/9/9/9/9/9/9/4K4 b - x", "not x");
    refused("4k4/9/9/9/9/9/9/9/4K4 b - 999999999999999999999", "up to 100000");
    refused(
        "4k4/9/9/9/9/4R4/9/9/4K4 b - 1",
        "black rook on 5f can take the white king on 5a",
    );
    // A problem may leave out the attacker's king.
    assert_eq!(parse("7nk/9/7S1/9/9/9/9/9/9 b G 1").count_legal(), 88);
    // Other texts of the same setup.
    assert_eq!(
        parse("4k4/9/9/9/9/9/9/9/4K4 w PR2g").setup(),
        "4k4/9/9/9/9/9/9/9/4K4 w RP2g 1"
    );
    let p = parse(Shogi::START);
    for text in [
        "", "7g", "7g7f7", "0g7f", "P*5e", "K*5e", "7g7f+", "7gé", "resign", "7g7e", "+P*5e",
    ] {
        assert!(p.parse_move(text).is_err(), "{text}");
    }
    assert!(
        p.parse_move("P*5e")
            .unwrap_err()
            .to_string()
            .contains("no pawn in hand")
    );
    assert!(!p.is_legal(SMove::NONE));
}

/// Whether the solver's first move wins against every reply, each proved anew, `depth` moves deep.
fn holds(solver: &mut MateSolver, p: &mut Shogi, depth: u32) -> bool {
    let DfpnResult::Mate(line) = solver.solve(p, 2_000_000, &|| false) else {
        return false;
    };
    p.play(line[0]);
    let replies = every(p);
    let good = p.in_check()
        && (depth == 0
            || replies.into_iter().all(|reply| {
                p.play(reply);
                let good = holds(solver, p, depth - 1);
                p.undo();
                good
            }));
    p.undo();
    good
}

#[test]
fn forced_mates_are_found() {
    let mut solver = MateSolver::new(16);
    let own = rows(include_str!("data/shogi_mate_in_n.tsv"));
    let public = rows(include_str!("data/shogi_mate_public.tsv"));
    for row in own.chain(public) {
        let plies: usize = row[0].parse().unwrap();
        let mut p = parse(row[1]);
        let DfpnResult::Mate(line) = solver.solve(&p, 2_000_000, &|| false) else {
            panic!("no mate in {}", row[1]);
        };
        assert!(line.len() >= plies && line.len() % 2 == 1, "{line:?} in {}", row[1]);
        let mut end = p.clone();
        for &m in &line {
            assert!(end.is_legal(m), "{line:?} in {}", row[1]);
            end.play(m);
        }
        assert!(end.in_check() && end.count_legal() == 0, "{line:?} in {}", row[1]);
        assert!(holds(&mut solver, &mut p, 2), "{line:?} in {}", row[1]);
    }
}

/// Long mates of own games, each proved again behind every defence down to `depth` moves.
fn own_mates_hold(depth: u32) {
    let mut solver = MateSolver::new(16);
    for row in rows(include_str!("data/shogi_mate_own.tsv")) {
        let mut p = parse(row[1]);
        let DfpnResult::Mate(line) = solver.solve(&p, 2_000_000, &|| false) else {
            panic!("no mate in {}", row[1]);
        };
        assert!(line.len() >= 7 && line.len() % 2 == 1, "{line:?} in {}", row[1]);
        assert!(holds(&mut solver, &mut p, depth), "{line:?} in {}", row[1]);
    }
}

#[test]
fn own_mates_are_found() {
    own_mates_hold(1);
}

#[test]
#[ignore = "every defence to the end: five seconds in a release build"]
fn own_mates_hold_to_the_end() {
    own_mates_hold(12);
}

#[test]
fn no_mate_is_seen_where_there_is_none() {
    let mut solver = MateSolver::new(4);
    let (mut all, mut settled) = (0, 0);
    for row in rows(include_str!("data/shogi_no_mate.tsv")) {
        let answer = solver.solve(&parse(row[0]), 500_000, &|| false);
        assert!(!matches!(answer, DfpnResult::Mate(_)), "{answer:?} in {}", row[0]);
        all += 1;
        settled += u32::from(answer == DfpnResult::NoMate);
    }
    assert!(all >= 200 && settled * 50 >= all * 49, "{settled} of {all} settled");
}

/// A line that the small table cannot keep is found again or not told at all.
#[test]
fn lines_of_a_small_table_are_whole() {
    let mut solver = MateSolver::new(1);
    for row in rows(include_str!("data/shogi_mate_own.tsv")) {
        if let DfpnResult::Mate(line) = solver.solve(&parse(row[1]), 300_000, &|| false) {
            let mut end = parse(row[1]);
            for m in line {
                end.play(m);
            }
            assert!(end.in_check() && end.count_legal() == 0, "{}", row[1]);
        }
    }
}

#[test]
fn no_mate_where_there_is_none() {
    let mut solver = MateSolver::new(4);
    assert_eq!(
        solver.solve(&parse(Shogi::START), 1_000_000, &|| false),
        DfpnResult::NoMate
    );
    // One ply of a mate is not enough where the pawn drop that would mate is forbidden.
    let p = parse("7nk/9/7S1/9/9/9/9/9/4K4 b P 1");
    assert_eq!(solver.solve(&p, 1_000_000, &|| false), DfpnResult::NoMate);
    // Perpetual checks never mate.
    let p = parse("lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1");
    assert!(!matches!(solver.solve(&p, 20_000, &|| false), DfpnResult::Mate(_)));
    assert_eq!(solver.solve(&parse(Shogi::BENCH[4]), 1, &|| false), DfpnResult::Unknown);
}

/// Positions of random games: whatever the solver claims holds.
#[test]
fn claims_of_the_solver_hold() {
    let mut solver = MateSolver::new(1);
    let mut random = SplitMix::new(11);
    let (mut mates, mut none) = (0, 0);
    for _ in 0..12 {
        let mut p = parse(Shogi::START);
        for ply in 0..220 {
            let moves = every(&p);
            if moves.is_empty() {
                break;
            }
            if ply > 60 {
                match solver.solve(&p, 3000, &|| false) {
                    DfpnResult::Mate(_) => {
                        assert!(holds(&mut solver, &mut p, 1), "{}", p.setup());
                        mates += 1;
                    }
                    DfpnResult::NoMate => {
                        assert_eq!(p.win_in_one(&mut Moves::new()), None, "{}", p.setup());
                        none += 1;
                    }
                    DfpnResult::Unknown => (),
                }
            }
            p.play(moves[random.below(moves.len() as u64) as usize]);
        }
    }
    assert!(mates > 20 && none > 200, "{mates} mates, {none} without");
}
