//! The engine's thought is repeatable: after `ucinewgame` the same game costs the same nodes.

use crate::common::{Client, best, last_info, number};

const GAME: [&str; 2] = [
    "startpos moves e2e4 c7c5 g1f3",
    "startpos moves e2e4 c7c5 g1f3 d7d6 d2d4",
];

fn game(client: &mut Client, nodes: u64) -> Vec<(i64, String)> {
    client.send("ucinewgame");
    let mut told = Vec::new();
    for position in GAME {
        client.send(&format!("position {position}"));
        let lines = client.go(&format!("go nodes {nodes}"));
        told.push((number(last_info(&lines), "nodes").expect("a count"), best(&lines)));
    }
    told
}

#[test]
fn two_games_cost_the_same_nodes() {
    let mut client = Client::ready(&["Hash=4"]);
    for i in 0..20 {
        let nodes = (100.0 * 1.4f64.powi(i)) as u64;
        let first = game(&mut client, nodes);
        assert_eq!(first, game(&mut client, nodes), "{nodes} nodes");
    }
}

#[test]
fn two_processes_cost_the_same_nodes() {
    let run = || game(&mut Client::ready(&["Hash=4"]), 20_000);
    assert_eq!(run(), run());
}

#[test]
fn a_node_limit_is_kept() {
    let mut client = Client::ready(&[]);
    for nodes in [1, 50, 1000, 30_000] {
        let lines = client.go(&format!("go nodes {nodes}"));
        let told = number(last_info(&lines), "nodes").expect("a count");
        assert!(told <= nodes + 2048, "{told} of {nodes}");
    }
}

#[test]
fn the_bench_repeats_its_count() {
    let count = || {
        let mut client = Client::with(&["bench", "--depth", "5"]);
        let (_, lines) = client.until_end();
        let last = lines.last().expect("a last line").clone();
        let words: Vec<&str> = last.split_whitespace().collect();
        assert_eq!((words.len(), words[1], words[3]), (4, "nodes", "nps"), "{last}");
        words[0].parse::<u64>().expect("a count")
    };
    let first = count();
    assert_eq!(first, count());
}

#[test]
fn a_bench_leaves_the_game_as_it_was() {
    // The last move makes the position of the start for the third time: a draw only to those who remember the game.
    let mut client = Client::ready(&[]);
    client.send("position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
    client.send("bench 1");
    let lines = client.go("go depth 1 searchmoves f6g8");
    let known = last_info(&lines);
    // Drawn positions are told a shade off zero.
    assert!(number(known, "cp").is_some_and(|cp| cp.abs() <= 1), "{known}");
}
