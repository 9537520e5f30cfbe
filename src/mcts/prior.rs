//! What speaks for a move before any search, as imagined visits and their success. The kinds and weights of reasons
//! follow michi and Pachi.

use super::leaf::{Prior, State};
use super::tactics;
use crate::games::go::patterns::sides;
use crate::games::go::types::{CELLS, EMPTY, NONE, PASS, Point, other};
use crate::util::rng::SplitMix;

/// Room to work in, kept between calls.
pub struct Scratch {
    near: [u8; CELLS],
    bonus: [(f32, f32); CELLS],
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            near: [u8::MAX; CELLS],
            bonus: [(0.0, 0.0); CELLS],
        }
    }
}

/// Every move starts with this many visits of even success.
const EVEN: f32 = 10.0;
/// Visits won for a move this near to the last one.
const NEAR: [f32; 4] = [0.0, 24.0, 22.0, 8.0];
/// Visits won for the capture of one stone, and of more.
const CAPTURE: [f32; 2] = [15.0, 30.0];
/// Visits won for a shape.
const SHAPE: f32 = 10.0;
/// Visits lost for a self-atari.
const SELF_ATARI: f32 = 10.0;
/// Visits won on the third and fourth line where nothing is near, and lost on the first two.
const OPEN: f32 = 10.0;
/// Visits lost for pulling out of a ladder that works; won for starting one, or for leaving one that does not.
const LADDER: f32 = 20.0;

/// Appends all moves worth a try, with their priors.
pub fn moves(state: &State, scratch: &mut Scratch, rng: &mut SplitMix, out: &mut Vec<Prior>) {
    let board = &state.board;
    let c = state.turn;
    let [last, _] = board.last();
    tactics::distances(board, last, 3, &mut scratch.near);
    scratch.bonus[..board.cells()].fill((0.0, 0.0));
    chains(state, &mut scratch.bonus);
    for &p in board.empties() {
        if board.is_eye(p, c) || !state.is_legal(p) {
            continue;
        }
        let (mut good, mut bad) = scratch.bonus[p as usize];
        if let Some(&won) = NEAR.get(scratch.near[p as usize] as usize) {
            good += won;
        }
        if board.is_shape(p, c) && (board.size() <= 9 || scratch.near[p as usize] <= 3) {
            good += SHAPE;
        }
        if tactics::is_self_atari(board, p, c) {
            bad += SELF_ATARI;
            if tactics::gives_up_many(board, p, c) {
                bad += 2.0 * SELF_ATARI;
            }
        }
        match line(state, p) {
            _ if !lonely(state, p) => {}
            0 | 1 => bad += OPEN,
            2 | 3 => good += OPEN,
            _ => {}
        }
        let visits = EVEN + good + bad;
        // A grain of noise breaks the ties.
        let noise = (rng.next() & 1023) as f32 / 1024.0 * 0.02;
        out.push(Prior {
            mv: p,
            visits,
            value: (EVEN * 0.5 + good) / visits + noise,
        });
    }
    out.push(pass(state, out.is_empty()));
}

/// A pass is judged by what the count says where it ends the game, and is a last resort elsewhere.
fn pass(state: &State, alone: bool) -> Prior {
    let value = if state.passes > 0 {
        let lead = state.final_lead();
        let own = if state.turn == crate::games::go::types::BLACK {
            lead
        } else {
            -lead
        };
        if own > 0.0 { 0.9 } else { 0.02 }
    } else if alone {
        0.5
    } else {
        0.1
    };
    Prior {
        mv: PASS,
        visits: EVEN,
        value,
    }
}

/// Captures, escapes and ladders of all chains with one or two liberties.
fn chains(state: &State, bonus: &mut [(f32, f32); CELLS]) {
    let board = &state.board;
    let c = state.turn;
    for p in board.points().filter(|&p| board.head(p) == p && p != NONE) {
        let stones = board.stones(p);
        let weight = CAPTURE[usize::from(stones > 1)];
        match board.liberties(p) {
            1 if board.colour(p) == other(c) => bonus[board.last_liberty(p) as usize].0 += weight,
            1 => {
                let works = stones > 1 || board.size() > 9;
                let way = board.last_liberty(p);
                if works && tactics::ladder_works(board, p) {
                    bonus[way as usize].1 += LADDER;
                } else if tactics::liberties_after(board, way, c) > 1 {
                    bonus[way as usize].0 += weight;
                }
                tactics::captures_around(board, p, |e| bonus[e as usize].0 += weight);
            }
            2 if board.colour(p) == other(c) => {
                if let Some(way) = tactics::ladder_attack(board, p) {
                    bonus[way as usize].0 += if stones > 1 { LADDER } else { LADDER / 2.0 };
                }
            }
            2 if stones > 1 => {
                if let Some(way) = tactics::ladder_attack(board, p) {
                    bonus[way as usize].0 += LADDER / 2.0;
                }
            }
            _ => {}
        }
    }
}

/// How far a point is from the edge, 0 on the first line.
fn line(state: &State, p: Point) -> usize {
    let (x, y) = state.board.xy(p);
    let far = state.board.size() - 1;
    x.min(y).min(far - x).min(far - y)
}

/// Whether no stone stands within three steps.
fn lonely(state: &State, p: Point) -> bool {
    let board = &state.board;
    if sides(board.code(p), EMPTY) + sides(board.code(p), crate::games::go::types::EDGE) < 4 {
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
