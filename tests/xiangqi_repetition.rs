//! Xiangqi: repetition codes on drawn positions, and the natural limit.

use nguky::game::{Position, Rules, Side, Verdict};
use nguky::games::xiangqi::{Xiangqi, XiangqiRules};
use serde_json::Value;

fn rules(code: &str) -> XiangqiRules {
    let mut rules = XiangqiRules::default();
    rules.set("RepetitionRule", code).unwrap();
    rules
}

fn play(p: &mut Xiangqi, moves: &str) {
    for word in moves.split_whitespace() {
        let m = p.parse_move(word).unwrap_or_else(|e| panic!("{e} in {}", p.setup()));
        p.play(m);
    }
}

fn words(side: Side, verdict: Verdict) -> &'static str {
    match (verdict, side) {
        (Verdict::Win, Side::Second) | (Verdict::Loss, Side::First) => "red loses",
        (Verdict::Loss, Side::Second) | (Verdict::Win, Side::First) => "black loses",
        (Verdict::Draw, _) => "draw",
        _ => "open",
    }
}

/// What the code says of the cycle at its third time, at each half-move of the cycle that it may end on.
fn check_case(name: &str, fen: &str, moves: &str, code: &str, expected: &str) {
    let mut p = Xiangqi::parse(fen, &rules(code)).unwrap();
    let cycle: Vec<&str> = moves.split_whitespace().collect();
    for (i, word) in cycle.iter().cycle().take(3 * cycle.len() - 1).enumerate() {
        // Twice is enough inside a search tree, three times for a referee.
        if i >= cycle.len() {
            assert_eq!(
                words(p.side(), p.verdict(99)),
                expected,
                "{name}, {code}, half-move {i}"
            );
        }
        if i < 2 * cycle.len() {
            assert_eq!(p.verdict(cycle.len()), Verdict::Open, "{name}, {code}: at the root");
        }
        let end = p.ended().map(|e| words(p.side(), e.verdict));
        assert_eq!(
            end,
            (i >= 2 * cycle.len()).then_some(expected),
            "{name}, {code}, half-move {i}"
        );
        play(&mut p, word);
    }
}

#[test]
fn every_clause_of_every_code() {
    let (mut name, mut fen, mut moves, mut checked) = ("", "", "", 0);
    for line in include_str!("data/xiangqi_repetition.case").lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some((outcome, codes)) = line.split_once(": ") {
            for code in codes.split(' ') {
                check_case(name, fen, moves, code, outcome);
                checked += 1;
            }
            continue;
        }
        match line.split_once(' ') {
            Some(("case", rest)) => name = rest,
            Some(("fen", rest)) => fen = rest,
            Some(("moves", rest)) => moves = rest,
            _ => panic!("{line}"),
        }
    }
    assert!(checked >= 100);
}

/// Cycles in which a chariot or cannon slides along the line on which it attacks, with a verdict that calls it a chase.
#[test]
fn the_piece_that_moved_chases_also_what_it_attacked_before() {
    let cases: Value = serde_json::from_str(include_str!("data/xiangqi_chase_verdicts.json")).unwrap();
    let mut other = Vec::new();
    for (i, case) in cases.as_array().unwrap().iter().enumerate() {
        let text = |key: &str| case[key].as_str().unwrap();
        let cycle = case["cycle"].as_array().unwrap().iter();
        let cycle = cycle.filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
        let mut p = Xiangqi::parse(text("fen"), &rules("vipgame")).unwrap();
        play(&mut p, &cycle);
        play(&mut p, &cycle);
        let last_mover = match p.ended().unwrap().verdict {
            Verdict::Win => "loss",
            Verdict::Loss => "win",
            _ => "draw",
        };
        if last_mover != text("last_mover_by_fairy_stockfish") {
            other.push((i, last_mover));
        }
    }
    // Four stay draws: an offer to be taken is no chase, nor is an illegal capture or one of a protected piece.
    assert_eq!(other, [(1, "draw"), (3, "draw"), (20, "draw"), (24, "draw")]);
}

#[test]
fn natural_limit() {
    let mut rules = rules("asian");
    let fen = "3k5/9/9/9/r8/9/9/9/9/R3K4 w - - 118 80";
    let mut p = Xiangqi::parse(fen, &rules).unwrap();
    assert_eq!(p.ended(), None);
    play(&mut p, "e0e1 a5b5");
    assert_eq!(
        p.ended().map(|e| (e.verdict, e.reason)),
        Some((Verdict::Draw, "natural limit"))
    );
    assert_eq!(p.verdict(1), Verdict::Draw);
    p.undo();
    p.undo();
    play(&mut p, "a0a1");
    assert_eq!(p.ended(), None);
    rules.set("NaturalLimit", "0").unwrap();
    let mut p = Xiangqi::parse(fen, &rules).unwrap();
    play(&mut p, "e0e1 a5b5");
    assert_eq!(p.ended(), None);
    // Mate on the last half-move comes first.
    rules.set("NaturalLimit", "60").unwrap();
    let mut p = Xiangqi::parse("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 119 80", &rules).unwrap();
    play(&mut p, "a0d0");
    assert_eq!(p.ended().map(|e| e.reason), Some("checkmate"));
    assert_eq!(p.verdict(1), Verdict::Open);
}

#[test]
fn checks_beyond_the_tenth_do_not_count_for_the_limit() {
    let mut p = Xiangqi::parse("3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1", &rules("none")).unwrap();
    for round in 1..=10 {
        play(&mut p, "a8a9 d9d8 a9a8 d8d9");
        let counted = (4 * round).min(20);
        assert!(p.setup().contains(&format!(" - - {counted} ")), "{}", p.setup());
    }
    play(&mut p, "e0e1");
    assert!(p.setup().contains(" - - 21 "), "{}", p.setup());
}
