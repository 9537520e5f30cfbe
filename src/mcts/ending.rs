//! The end of the game: the value of ended games, and a penalty for moves that only put the end off.

use super::SearchParams;
use super::evaluator::{Evaluation, LeafEvaluator};
use super::node::Value;
use super::state::SearchState;
use super::utility::ScoreScale;
use crate::games::go::rules::{DeadStones, Scoring};
use crate::games::go::types::{BLACK, CELLS, Colour, EMPTY, NONE, PASS, Point, other};
use crate::games::go::{Board, life, score};

/// KataGo's root ending bonus in points, by point: negative for moves into territory that surely is the opponent's and,
/// unless they connect or touch the opponent, that surely is one's own, so that games end. Under territory scoring the pass
/// itself is a little worse, so that neutral points are filled.
pub fn bonus(state: &SearchState, evaluation: &Evaluation, points: f32) -> Box<[f32]> {
    const SURE: f32 = 0.95;
    let board = &state.board;
    let mut bonus = vec![0.0; CELLS].into_boxed_slice();
    let territory = state.rules.scoring == Scoring::Territory;
    if territory {
        bonus[PASS as usize] = -points * 2.0 / 3.0;
    }
    if board.ko() != NONE {
        return bonus;
    }
    let settled = life::settled(board);
    for &p in board.empties() {
        let owner = evaluation.ownership[board.index(p)];
        let mine = if state.turn == BLACK { owner } else { -owner };
        let certainty = (mine.abs() - SURE) / (1.0 - SURE);
        if certainty <= 0.0 {
            continue;
        }
        let useless = if mine < 0.0 {
            territory || !captures(board, p, state.turn)
        } else {
            !touches(board, p, other(state.turn)) && !connects(board, p, state.turn, &settled)
        };
        if useless {
            bonus[p as usize] = -points * certainty;
        }
    }
    bonus
}

fn touches(board: &Board, p: Point, c: Colour) -> bool {
    board.around(p).into_iter().any(|q| board.colour(q) == c)
}

fn captures(board: &Board, p: Point, c: Colour) -> bool {
    let taken = |q: Point| board.colour(q) == other(c) && board.liberties(q) == 1;
    board.around(p).into_iter().any(taken)
}

/// Whether a move joins chains of which one does not live by itself.
fn connects(board: &Board, p: Point, c: Colour, settled: &[Colour]) -> bool {
    let mut heads: Vec<Point> = board
        .around(p)
        .into_iter()
        .filter(|&q| board.colour(q) == c)
        .map(|q| board.head(q))
        .collect();
    heads.sort_unstable();
    heads.dedup();
    heads.len() > 1 && heads.iter().any(|&h| settled[h as usize] == EMPTY)
}

/// The value of an ended game: its count, without dead stones where the rules remove them.
pub fn value(
    state: &mut SearchState,
    evaluator: &mut dyn LeafEvaluator,
    evaluation: &mut Evaluation,
    view: Colour,
    scale: &ScoreScale,
    params: &SearchParams,
) -> Value {
    if state.rules.dead == DeadStones::Agreed {
        // Networks have never seen positions after the end.
        let passes = std::mem::take(&mut state.passes);
        evaluator.evaluate_end(state, evaluation);
        state.passes = passes;
        let ownership = &evaluation.ownership[..state.board.area()];
        state.dead = score::to_remove(&state.board, &state.rules, ownership);
        state.dead_on = state.board.key();
    }
    let black = state.final_lead();
    let lead = if view == BLACK { black } else { -black };
    let win = if lead > 0.0 {
        1.0
    } else if lead < 0.0 {
        0.0
    } else {
        0.5
    };
    let mut value = Value {
        win,
        lead,
        square: lead * lead,
        utility: 0.0,
    };
    value.utility = scale.utility(&value, view, params);
    value
}
