//! The end of the game: what a game that is over is worth, and moves that only put it off.

use super::Params;
use super::branch::Worth;
use super::utility::Scale;
use crate::games::go::rules::{DeadStones, Scoring};
use crate::games::go::types::{BLACK, CELLS, Colour, EMPTY, NONE, PASS, Point, other};
use crate::games::go::{Board, life, score};
use crate::mcts::leaf::{Judge, Opinion, State};

/// Points that speak against useless moves at the root, by point, so that games end: moves into what the opponent surely
/// owns and, unless they connect or touch the opponent, into what is surely one's own. Where territory counts, the pass
/// itself is a little worse, so that the last neutral points are filled (the idea and its numbers are KataGo's).
pub fn bonus(state: &State, opinion: &Opinion, points: f32) -> Box<[f32]> {
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
        let owner = opinion.ownership[board.index(p)];
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

/// The worth of a game that is over: its count, without the stones that both sides will agree are dead.
pub fn worth(
    state: &mut State,
    judge: &mut dyn Judge,
    opinion: &mut Opinion,
    view: Colour,
    scale: &Scale,
    params: &Params,
) -> Worth {
    if state.rules.dead == DeadStones::Agreed {
        // The judge need not know that nothing follows.
        let passes = std::mem::take(&mut state.passes);
        judge.consider(state, opinion);
        state.passes = passes;
        let ownership = &opinion.ownership[..state.board.area()];
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
    let mut worth = Worth {
        win,
        lead,
        square: lead * lead,
        utility: 0.0,
    };
    worth.utility = scale.utility(&worth, view, params);
    worth
}
