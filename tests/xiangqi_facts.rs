//! Xiangqi against reference data that lies outside the project: set `NGUKY_FACTS` to its folder to run these.

use nguky::game::{Kind, Moves, Position, Side, Verdict};
use nguky::games::xiangqi::{Xiangqi, XiangqiRules};
use serde_json::Value;

fn facts(name: &str) -> Option<Value> {
    let Some(folder) = std::env::var_os("NGUKY_FACTS") else {
        eprintln!("skipped: NGUKY_FACTS is not set");
        return None;
    };
    let path = std::path::Path::new(&folder).join("xiangqi").join(name);
    Some(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
}

fn after(setup: &str, moves: &Value) -> Xiangqi {
    let mut p = Xiangqi::parse(setup, &XiangqiRules::default()).unwrap();
    for m in moves.as_array().unwrap() {
        let m = p.parse_move(m.as_str().unwrap()).unwrap();
        p.play(m);
    }
    p
}

fn words(p: &Xiangqi, verdict: Verdict) -> &'static str {
    match (verdict, p.side()) {
        (Verdict::Open, _) => "undecided",
        (Verdict::Win, Side::First) | (Verdict::Loss, Side::Second) => "red wins",
        (Verdict::Loss, Side::First) | (Verdict::Win, Side::Second) => "black wins",
        _ => "draw",
    }
}

#[test]
fn chases_with_a_stated_verdict() {
    let Some(file) = facts("chase_cases_fairy.json") else {
        return;
    };
    let (mut passed, mut failed) = (0, Vec::new());
    for case in file["cases"].as_array().unwrap() {
        let Some(expected) = case["expected"].as_str() else {
            continue;
        };
        let p = after(case["fen"].as_str().unwrap(), &case["moves_ucci"]);
        let got = words(&p, p.ended().map_or(Verdict::Open, |e| e.verdict));
        if got == expected {
            passed += 1;
        } else {
            failed.push(format!(
                "{} {}: {got}, not {expected} {}",
                case["comment"], case["fen"], case["moves_ucci"]
            ));
        }
    }
    println!("{passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn rulebook_sequences() {
    let Some(file) = facts("axf_repetition_cases_orange.json") else {
        return;
    };
    let (mut passed, mut failed, mut unreachable) = (0, Vec::new(), Vec::new());
    for case in file["cases"].as_array().unwrap() {
        // A soldier behind its own first line cannot come about and is refused in a setup.
        if let Err(e) = Xiangqi::parse(case["fen"].as_str().unwrap(), &XiangqiRules::default()) {
            unreachable.push((case["line"].as_u64(), e.to_string()));
            continue;
        }
        let expected = case["verdict"].as_str().or(case["verdict_stm"].as_str()).unwrap();
        let p = after(case["fen"].as_str().unwrap(), &case["moves"]);
        let got = words(&p, p.ended().map_or_else(|| p.verdict(usize::MAX), |e| e.verdict));
        if got == expected {
            passed += 1;
        } else {
            let moves: Vec<&str> = case["moves"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            failed.push(format!(
                "{} {} {} {}: {got}, not {expected}",
                case["line"],
                case["comment"],
                case["fen"],
                moves.join(" ")
            ));
        }
    }
    println!("{passed} passed, {} failed:\n{}", failed.len(), failed.join("\n"));
    let refused = "bad setup: black soldier on i7 is behind its own line";
    assert_eq!(unreachable, [(Some(545), refused.to_string())]);
    assert!(passed >= 168);
}

#[test]
fn exchanges_and_protection() {
    let Some(file) = facts("see_protection_orange.json") else {
        return;
    };
    let position = |case: &Value| {
        let p = Xiangqi::parse(case["fen"].as_str().unwrap(), &XiangqiRules::default()).unwrap();
        let m = p.parse_move(case["move"].as_str().unwrap()).ok()?;
        Some((p, m))
    };
    let mut failed = Vec::new();
    for case in file["see"].as_array().unwrap() {
        // A few moves of the file are illegal; it gives them a value of their own.
        let Some((p, m)) = position(case) else { continue };
        let value = (-2000..2000).rev().find(|&v| p.see_ge(m, v)).unwrap();
        // The file counts a soldier that captured as two of ours, so that its zeros may be our soldier's worth.
        let stated = case["value"].as_i64().unwrap();
        // Its exchanges are blind to pins, its protections are not.
        let safe = |c: &Value| c["fen"] == case["fen"] && c["move"] == case["move"] && c["value"] == false;
        let agrees = if file["protection"].as_array().unwrap().iter().any(safe) {
            value >= 0 || i64::from(value.signum()) == stated.signum()
        } else if stated == 0 {
            value.abs() <= 200
        } else {
            i64::from(value.signum()) == stated.signum()
        };
        if !agrees {
            failed.push(format!("{case}: {value}"));
        }
    }
    for case in file["protection"].as_array().unwrap() {
        let Some((mut p, m)) = position(case) else { continue };
        p.play(m);
        let mut replies = Moves::new();
        p.generate(Kind::Tactical, &mut replies);
        let protected = replies.iter().any(|r| r.to() == m.to());
        if Some(protected) != case["value"].as_bool() {
            failed.push(format!("{case}: {protected}"));
        }
    }
    // Two protections of the file overlook a cannon behind its elephant and an advisor beside its general, and one of
    // its exchanges a pinned advisor.
    assert!(failed.len() <= 3, "{}", failed.join("\n"));
}
