//! Levels of strength in the engines beside chess (`tests/extras.rs` has chess): each protocol's option names, their
//! ranges, and what a weak engine looks at.

use crate::common::{Client, best, last_info, number};

/// A program, what begins its protocol, how an option is set, and the names of the two options there.
struct Dialect {
    program: &'static str,
    hello: [&'static str; 2],
    set: fn(&str, &str) -> String,
    names: [&'static str; 2],
    start: &'static str,
}

const DIALECTS: [Dialect; 3] = [
    Dialect {
        program: env!("CARGO_BIN_EXE_nguky-ucci"),
        hello: ["uci", "uciok"],
        set: |name, value| format!("setoption name {name} value {value}"),
        names: ["UCI_LimitStrength", "UCI_Elo"],
        start: "position startpos",
    },
    Dialect {
        program: env!("CARGO_BIN_EXE_nguky-ucci"),
        hello: ["ucci", "ucciok"],
        set: |name, value| format!("setoption {name} {value}"),
        names: ["limitstrength", "elo"],
        start: "position startpos",
    },
    Dialect {
        program: env!("CARGO_BIN_EXE_nguky-usi"),
        hello: ["usi", "usiok"],
        set: |name, value| format!("setoption name {name} value {value}"),
        names: ["LimitStrength", "Elo"],
        start: "position startpos",
    },
];

#[test]
fn a_level_limits_the_nodes_in_every_dialect() {
    for d in &DIALECTS {
        let mut c = Client::of(d.program, &[]);
        c.send(d.hello[0]);
        let (_, greeting) = c.until(d.hello[1]);
        let declared = |name: &str| greeting.iter().find(|l| l.split(' ').any(|word| word == name));
        let elo = declared(d.names[1]).unwrap_or_else(|| panic!("{}: no {}", d.hello[0], d.names[1]));
        assert!(declared(d.names[0]).is_some(), "{greeting:?}");
        let [low, high] = ["min", "max"].map(|key| number(elo, key).expect("a range"));
        assert!(low == 1000 && high >= 2000, "{elo}");
        c.send(&(d.set)(d.names[0], "true"));
        let mut spent = Vec::new();
        for elo in [low, (low + high) / 2, high - 400] {
            c.send(&(d.set)(d.names[1], &elo.to_string()));
            c.send(d.start);
            let lines = c.go("go depth 60");
            let shown = last_info(&lines);
            assert!(shown.contains(&format!(" pv {}", best(&lines))), "{lines:?}");
            spent.push(lines.iter().rev().find_map(|l| number(l, "nodes")).expect("a count"));
        }
        // The first iteration is finished whatever a level's nodes, by some hundred of them in twelve lines.
        assert!(spent.is_sorted() && spent[0] < 1_000 && spent[2] < 200_000, "{spent:?}");
        // Out of range: one line, and the former level stays.
        for wrong in [low - 1, high + 1] {
            c.send(&(d.set)(d.names[1], &wrong.to_string()));
            let told = c.sync();
            let said: Vec<&String> = told.iter().filter(|l| l.contains(&high.to_string())).collect();
            assert!(said.len() == 1 && said[0].contains(&low.to_string()), "{told:?}");
        }
    }
}

/// Cờ úp shares the program with xiangqi and has a table of its own.
#[test]
fn the_hidden_game_has_levels_too() {
    let mut c = Client::of(env!("CARGO_BIN_EXE_nguky-ucci"), &[]);
    c.ask("uci");
    for line in [
        "setoption name UCI_Variant value coup",
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 1000",
        "position startpos",
    ] {
        c.send(line);
    }
    let lines = c.go("go depth 60");
    assert!(
        number(last_info(&lines), "nodes").is_some_and(|n| n < 2_000),
        "{lines:?}"
    );
}

/// At the human pace a level waits with its move, on this clock for some seconds or more; without a clock it does not, and
/// `stop` ends the wait.
#[test]
fn a_level_at_the_human_pace_waits_for_its_time_or_for_stop() {
    let clocks = [
        "go wtime 7200000 btime 7200000",
        "go time 7200000 increment 0 opptime 7200000 oppincrement 0",
        "go btime 7200000 wtime 7200000",
    ];
    for (d, clock) in DIALECTS.iter().zip(clocks) {
        let mut c = Client::of(d.program, &[]);
        c.send(d.hello[0]);
        let (_, greeting) = c.until(d.hello[1]);
        let words = greeting.iter().flat_map(|l| l.split(' '));
        let pace = words
            .into_iter()
            .find(|word| word.eq_ignore_ascii_case("HumanPace"))
            .unwrap_or_else(|| panic!("{}: no HumanPace: {greeting:?}", d.hello[0]))
            .to_string();
        for (name, value) in [(d.names[0], "true"), (d.names[1], "1000"), (&pace, "true")] {
            c.send(&(d.set)(name, value));
        }
        c.send(d.start);
        c.go("go nodes 50");
        c.send(d.start);
        c.send(clock);
        let told = c.sync();
        assert!(told.iter().all(|l| !l.starts_with("bestmove")), "{told:?}");
        c.send("stop");
        c.until("bestmove");
    }
}
