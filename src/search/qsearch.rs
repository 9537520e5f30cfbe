//! Quiescence: captures and promotions only, until the position is quiet enough to trust the evaluation.

use super::alphabeta::{Node, Pv, verdict_no_moves, verdict_score};
use super::history::Histories;
use super::picker::{Picker, Quiets, Want};
use super::score::{INFINITE, MAX_PLY, RULE_FLOOR, Score, decisive};
use super::table::{Bound, Entry, NO_EVAL};
use super::worker::Worker;
use crate::game::{Evaluator, Move, Position, Tunables};

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    /// The captures that quiescence expects in a position, up to where it trusts the evaluation.
    pub fn settle(&mut self, pos: &P) -> Vec<P::Move> {
        self.reset_line();
        self.set_position(pos);
        self.quiesce::<Pv>(-INFINITE, INFINITE, 0);
        self.pv[0].clone()
    }

    /// The score after all worthwhile captures; in check, after all evasions.
    pub(super) fn quiesce<N: Node>(&mut self, mut alpha: Score, beta: Score, ply: usize) -> Score {
        // Step 1. Enter the node.
        if P::CHANCE && self.pos.covered() {
            return self.expect::<N>(alpha, beta, 0, ply, false);
        }
        if N::PV {
            self.pv[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        if self.count_node() {
            return 0;
        }
        if let Some(score) = verdict_score(self.pos.verdict(ply), ply, self.draw()) {
            return score;
        }
        let in_check = self.pos.in_check();
        if ply >= MAX_PLY {
            return if in_check { 0 } else { self.static_eval() };
        }
        if alpha < self.draws[self.pos.side().index()] && self.pos.may_repeat(ply) {
            alpha = self.draw();
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 2. The transposition table.
        let key = self.pos.key();
        let hit = self.shared.table.probe::<P::Move>(key, ply);
        if let Some(e) = hit
            && !N::PV
            && e.bound.settles(e.score, beta)
        {
            return e.score;
        }
        let on_pv = N::PV || hit.is_some_and(|e| e.pv);

        // Step 3. Stand pat: the side to move need not capture.
        let mut best = -INFINITE;
        let mut raw = NO_EVAL;
        let mut futility = -INFINITE;
        if !in_check {
            raw = match hit {
                Some(e) if e.eval != NO_EVAL => e.eval,
                _ => self.static_eval(),
            };
            let fixed = self.corrected(raw, ply);
            best = match hit {
                Some(e) if !decisive(e.score) && e.bound.settles(e.score, fixed + i32::from(e.score > fixed)) => {
                    e.score
                }
                _ => fixed,
            };
            if best >= beta {
                if hit.is_none() {
                    let e = Entry {
                        mv: P::Move::NONE,
                        score: best,
                        eval: raw,
                        depth: -1,
                        bound: Bound::Lower,
                        pv: on_pv,
                    };
                    self.shared.table.store(key, ply, e);
                }
                let weight = P::Tune::stand_pat_weight();
                return if decisive(best) {
                    best
                } else {
                    (weight * best + (1024 - weight) * beta) / 1024
                };
            }
            alpha = alpha.max(best);
            futility = fixed + P::Tune::quiescence_futility();
        }

        // Step 4. A win at once, looked for only where standing pat does not settle it.
        if !in_check
            && hit.is_none()
            && let Some(mv) = self.pos.win_in_one(&mut self.moves)
        {
            return self.win_at_once::<N>(mv, 0, ply, on_pv);
        }

        // Step 5. The moves: all of them in check, else captures that do not lose material.
        let table_move = match hit {
            Some(e) if self.pos.is_legal(e.mv) && (in_check || self.pos.is_tactical(e.mv)) => e.mv,
            _ => P::Move::NONE,
        };
        let want = if in_check {
            Want::All
        } else {
            Want::Tactical(P::Tune::quiescence_see())
        };
        let mut picker = Picker::new(self, ply, table_move, want);
        let mut best_move = P::Move::NONE;
        let mut number = 0;
        loop {
            let mv = picker.next(self);
            if mv == P::Move::NONE {
                break;
            }
            number += 1;
            // Step 6. Leave out what cannot lift the score to alpha.
            if best > -RULE_FLOOR {
                if in_check {
                    if !self.pos.is_tactical(mv) {
                        picker.quiets = Quiets::None;
                        continue;
                    }
                } else if !self.pos.gives_check(mv) {
                    if number > P::Tune::quiescence_moves() {
                        continue;
                    }
                    let reach = futility + self.pos.gain(mv);
                    if reach <= alpha {
                        best = best.max(reach);
                        continue;
                    }
                    if futility <= alpha && !self.pos.see_ge(mv, 1) {
                        best = best.max(futility);
                        continue;
                    }
                }
            }
            let slot = Histories::<P>::slot(self.pos.tags(mv));
            self.play(ply, mv, slot);
            let score = -self.quiesce::<N>(-beta, -alpha, ply + 1);
            self.undo();
            if self.aborted {
                picker.finish(self);
                return 0;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = mv;
                    if N::PV {
                        self.update_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        picker.finish(self);

        // Step 7. Mated?
        if in_check && number == 0 {
            return verdict_no_moves(self.pos.no_moves(), ply);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        let entry = Entry {
            mv: best_move,
            score: best,
            eval: raw,
            depth: 0,
            bound,
            pv: on_pv,
        };
        self.shared.table.store(key, ply, entry);
        best
    }
}
