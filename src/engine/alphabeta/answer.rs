//! From the findings of the search threads to the answer.

use crate::control::{Choice, Info, Report, Sink};
use crate::game::Position;
use crate::search::{SearchResult, Task};
use std::sync::mpsc::Receiver;

/// What the first worker found or, where another one searched deeper and thinks no less of its move, that; then also that
/// worker's lines, which were not sent: the answer has to be the move of the last line.
pub(super) fn gather<M: Copy>(
    mut best: SearchResult<M>,
    findings: &Receiver<(SearchResult<M>, Vec<Info>)>,
) -> (SearchResult<M>, Vec<Info>) {
    let mut unsent = Vec::new();
    for (other, lines) in findings {
        if !other.pv.is_empty() && other.depth > best.depth && other.score >= best.score {
            (best, unsent) = (other, lines);
        }
    }
    (best, unsent)
}

/// The answer for the user. The ponder move is named only if it is legal and the game goes on.
pub(super) fn conclude<P: Position>(pos: &P, task: &Task<P::Move>, best: &SearchResult<P::Move>) -> Report {
    let mv = best
        .pv
        .first()
        .copied()
        .filter(|&m| pos.is_legal(m))
        .unwrap_or(task.moves[0]);
    let mut next = pos.clone();
    next.play(mv);
    let reply = best
        .pv
        .get(1)
        .copied()
        .filter(|&r| best.pv.first() == Some(&mv) && next.is_legal(r));
    let ponder = reply.filter(|_| next.ended().is_none()).map(|r| next.move_text(r));
    Report::Best {
        choice: Choice::Move(pos.move_text(mv)),
        ponder,
        draw: false,
    }
}

/// The answer after a proven mate, which is sent first.
pub(super) fn concluded_by(mate: Info, sink: &Sink) -> Report {
    let mut line = mate.pv.iter().cloned();
    let choice = line.next().map_or(Choice::Nothing, Choice::Move);
    let ponder = line.next();
    sink(Report::Info(mate));
    Report::Best {
        choice,
        ponder,
        draw: false,
    }
}

#[cfg(all(test, feature = "chess"))]
mod tests {
    use crate::control::{Engine, Limits};
    use crate::engine::AlphaBeta;
    use crate::games::chess::Chess;
    use std::sync::Arc;

    /// How hard the best move was to find in a search of so many plies.
    fn difficulty(setup: &str, depth: u32) -> f64 {
        let mut engine = AlphaBeta::<Chess>::new().expect("an engine");
        engine.position(Some(setup), &[]).expect("a setup");
        engine.go(Limits::depth(depth), Arc::new(|_| {})).expect("a search");
        engine.wait();
        super::super::lock(&engine.workers[0]).difficulty()
    }

    /// Levels of strength err more there.
    #[test]
    fn a_move_that_later_iterations_find_is_difficult() {
        // The queen stands to be taken.
        assert!(difficulty("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", 6) < 0.01);
        // The bishop does as well, but the rook guards the first rank: after its capture Rd1 mates.
        let poisoned = difficulty("3r2k1/5ppp/8/8/4b3/8/5PPP/4R1K1 w - - 0 1", 6);
        assert!(poisoned > 0.1, "{poisoned}");
    }
}
