//! The policy of the playout evaluator: the softmax of scores for captures, ladders, shapes, distance to the last move and
//! lines of the board. The features and their weights follow michi and Pachi.

use super::tactics;
use crate::games::go::ladder::LadderReader;
use crate::games::go::patterns::sides;
use crate::games::go::types::{CELLS, EDGE, EMPTY, NONE, PASS, Point};
use crate::mcts::state::SearchState;
use crate::util::rng::SplitMix;

/// Buffers kept between calls.
pub struct Scratch {
    near: [u8; CELLS],
    score: [f32; CELLS],
    ladders: LadderReader,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            near: [u8::MAX; CELLS],
            score: [0.0; CELLS],
            ladders: LadderReader::new(LADDER_NODES),
        }
    }
}

/// Positions that a ladder may take to read.
const LADDER_NODES: u32 = 150;
/// Temperature of the softmax.
const TEMPERATURE: f32 = 12.0;
/// A move this near to the last one.
const NEAR: [f32; 4] = [0.0, 24.0, 22.0, 8.0];
/// The capture of one stone, and of more, or their escape.
const CAPTURE: [f32; 2] = [15.0, 30.0];
/// A 3x3 shape.
const SHAPE: f32 = 10.0;
/// Subtracted for a self-atari.
const SELF_ATARI: f32 = 10.0;
/// Added on the third and fourth line where nothing is near, and subtracted on the first two.
const OPEN: f32 = 10.0;
/// Subtracted for running out of a ladder that works; added for starting one.
const LADDER: f32 = 20.0;
/// A pass that answers a pass, and any other pass.
const PASSES: [f32; 2] = [10.0, -30.0];

/// Fills in the legal moves that do not fill an own eye, and the pass, with their probabilities.
pub fn policy(state: &SearchState, scratch: &mut Scratch, rng: &mut SplitMix, out: &mut Vec<(Point, f32)>) {
    scores(state, scratch, rng, out);
    let most = out.iter().fold(f32::MIN, |a, b| a.max(b.1));
    out.iter_mut().for_each(|(_, x)| *x = ((*x - most) / TEMPERATURE).exp());
    let sum: f32 = out.iter().map(|(_, x)| x).sum();
    out.iter_mut().for_each(|(_, x)| *x /= sum);
}

fn scores(state: &SearchState, scratch: &mut Scratch, rng: &mut SplitMix, out: &mut Vec<(Point, f32)>) {
    let board = &state.board;
    let c = state.turn;
    let [last, _] = board.last();
    tactics::distances(board, last, 3, &mut scratch.near);
    scratch.score[..board.cells()].fill(0.0);
    chains(state, scratch);
    out.clear();
    for &p in board.empties() {
        if board.is_eye(p, c) || !state.is_legal(p) {
            continue;
        }
        let near = scratch.near[p as usize] as usize;
        let mut score = scratch.score[p as usize] + NEAR.get(near).copied().unwrap_or(0.0);
        if board.is_shape(p, c) && (board.size() <= 9 || near <= 3) {
            score += SHAPE;
        }
        if tactics::is_self_atari(board, p, c) {
            score -= SELF_ATARI;
            if tactics::gives_up_many(board, p, c) {
                score -= 2.0 * SELF_ATARI;
            }
        }
        match line(state, p) {
            _ if !lonely(state, p) => {}
            0 | 1 => score -= OPEN,
            2 | 3 => score += OPEN,
            _ => {}
        }
        // Noise breaks ties.
        out.push((p, score + (rng.next() & 1023) as f32 / 1024.0));
    }
    out.push((PASS, PASSES[usize::from(state.passes == 0)]));
}

/// Captures, escapes and ladders of all chains with one or two liberties.
fn chains(state: &SearchState, scratch: &mut Scratch) {
    let board = &state.board;
    let c = state.turn;
    let Scratch { score, ladders, .. } = scratch;
    for p in board.points().filter(|&p| board.head(p) == p && p != NONE) {
        let stones = board.stones(p);
        let weight = CAPTURE[usize::from(stones > 1)];
        let own = board.colour(p) == c;
        match board.liberties(p) {
            1 if !own => score[board.last_liberty(p) as usize] += weight,
            1 => {
                let way = board.last_liberty(p);
                if (stones > 1 || board.size() > 9) && ladders.is_caught(board, p) {
                    score[way as usize] -= LADDER;
                } else if tactics::liberties_after(board, way, c) > 1 {
                    score[way as usize] += weight;
                }
                tactics::captures_around(board, p, |e| score[e as usize] += weight);
            }
            2 if !own || stones > 1 => {
                let weight = if own || stones == 1 { LADDER / 2.0 } else { LADDER };
                let catches = ladders.catches(board, p);
                for (way, _) in board.two_liberties(p).into_iter().zip(catches).filter(|(_, c)| *c) {
                    score[way as usize] += weight;
                }
            }
            _ => {}
        }
    }
}

/// How far a point is from the edge, 0 on the first line.
fn line(state: &SearchState, p: Point) -> usize {
    let (x, y) = state.board.xy(p);
    let far = state.board.size() - 1;
    x.min(y).min(far - x).min(far - y)
}

/// Whether no stone stands within three steps.
fn lonely(state: &SearchState, p: Point) -> bool {
    let board = &state.board;
    if sides(board.code(p), EMPTY) + sides(board.code(p), EDGE) < 4 {
        return false;
    }
    let (x, y) = board.xy(p);
    let far = board.size() as i32 - 1;
    for dy in -3i32..=3 {
        let reach = 3 - dy.abs();
        for dx in -reach..=reach {
            let (u, v) = (x as i32 + dx, y as i32 + dy);
            if (0..=far).contains(&u)
                && (0..=far).contains(&v)
                && board.colour(board.at(u as usize, v as usize)) != EMPTY
            {
                return false;
            }
        }
    }
    true
}
