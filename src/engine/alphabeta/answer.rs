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
