use super::*;
use crate::games::chess::Chess;

/// How hard the best move was to find in a search of so many plies.
fn difficulty(setup: &str, depth: u32) -> f64 {
    let mut engine = AlphaBeta::<Chess>::new().expect("an engine");
    engine.position(Some(setup), &[]).expect("a setup");
    engine.go(Limits::depth(depth), Arc::new(|_| {})).expect("a search");
    engine.wait();
    lock(&engine.workers[0]).difficulty()
}

#[test]
fn a_move_that_later_iterations_find_is_difficult() {
    // The queen stands to be taken.
    assert!(difficulty("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", 6) < 0.01);
    // The bishop does as well, but the rook guards the first rank: after its capture Rd1 mates.
    let poisoned = difficulty("3r2k1/5ppp/8/8/4b3/8/5PPP/4R1K1 w - - 0 1", 6);
    assert!(poisoned > 0.1, "{poisoned}");
}
