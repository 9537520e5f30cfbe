//! Quiescence: captures and promotions only, until the position is quiet enough to trust the evaluation.

use super::alphabeta::{Node, PvNode, verdict_no_moves, verdict_score};
use super::picker::{MoveFilter, Picker, Quiets};
use super::score::{INFINITE, MAX_PLY, RULE_FLOOR, Score, decisive};
use super::table::{NO_EVAL, TableBound, TtEntry};
use super::worker::Worker;
use crate::game::{Evaluator, Move, Position, Tunables};

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    /// The captures that quiescence expects in a position, up to where it trusts the evaluation.
    pub fn settle(&mut self, pos: &P) -> Vec<P::Move> {
        self.reset_line();
        self.set_position(pos);
        self.quiesce::<PvNode>(-INFINITE, INFINITE, 0);
        self.pv[0].clone()
    }

    /// The score after all worthwhile captures; in check, after all evasions.
    pub(super) fn quiesce<N: Node>(&mut self, mut alpha: Score, beta: Score, ply: usize) -> Score {
        // Step 1. Enter the node.
        if P::CHANCE && self.pos.covered() {
            return self.expect::<N>(alpha, beta, 0, ply, false);
        }
        if let Some(score) = self.enter_quiescence::<N>(&mut alpha, beta, ply) {
            return score;
        }
        let in_check = self.pos.in_check();
        self.frame(ply).threats = None;

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
        let (mut best, mut raw, mut futility) = (-INFINITE, NO_EVAL, -INFINITE);
        if !in_check {
            let fixed;
            (raw, fixed, best) = self.evaluate(hit, ply);
            if best >= beta {
                if hit.is_none() {
                    let entry = quiet_entry(P::Move::NONE, best, raw, -1, TableBound::Lower, on_pv);
                    self.shared.table.store(key, ply, entry);
                }
                return stand_pat::<P::Tune>(best, beta);
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
        let filter = if in_check {
            MoveFilter::All
        } else {
            MoveFilter::Tactical(P::Tune::quiescence_see())
        };
        let mut picker = Picker::new(self, ply, table_move, filter);
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
                    if let Some(reach) = self.falls_short(mv, futility, alpha) {
                        best = best.max(reach);
                        continue;
                    }
                }
            }
            self.play(ply, mv, self.pos.tags(mv));
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
        let bound = TableBound::after(best >= beta);
        let entry = quiet_entry(best_move, best, raw, 0, bound, on_pv);
        self.shared.table.store(key, ply, entry);
        best
    }

    /// Step 1: counts the node; the score where it ends here, by the rules or by the search's bounds.
    #[inline(always)]
    fn enter_quiescence<N: Node>(&mut self, alpha: &mut Score, beta: Score, ply: usize) -> Option<Score> {
        if N::PV {
            self.pv[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        if self.count_node() {
            return Some(0);
        }
        if let Some(score) = verdict_score(self.pos.verdict(ply), ply, self.draw()) {
            return Some(score);
        }
        if ply >= MAX_PLY {
            return Some(if self.pos.in_check() { 0 } else { self.static_eval() });
        }
        if *alpha < self.draws[self.pos.side().index()] && self.pos.may_repeat(ply) {
            *alpha = self.draw();
            if *alpha >= beta {
                return Some(*alpha);
            }
        }
        None
    }

    /// Step 3: the static evaluation, the same corrected by histories, and that refined by the table's score.
    #[inline(always)]
    fn evaluate(&mut self, hit: Option<TtEntry<P::Move>>, ply: usize) -> (Score, Score, Score) {
        let raw = match hit {
            Some(e) if e.eval != NO_EVAL => e.eval,
            _ => self.static_eval(),
        };
        let fixed = self.corrected(raw, ply);
        let refined = match hit {
            Some(e) if !decisive(e.score) && e.bound.settles(e.score, fixed + i32::from(e.score > fixed)) => e.score,
            _ => fixed,
        };
        (raw, fixed, refined)
    }

    /// Step 6: what a capture can reach at best, where that does not lift the score above alpha.
    #[inline(always)]
    fn falls_short(&self, mv: P::Move, futility: Score, alpha: Score) -> Option<Score> {
        let reach = futility + self.pos.gain(mv);
        if reach <= alpha {
            Some(reach)
        } else if futility <= alpha && !self.pos.see_ge(mv, 1) {
            Some(futility)
        } else {
            None
        }
    }
}

/// The score of a stand-pat cutoff: between the evaluation and beta, but for proven scores.
#[inline(always)]
fn stand_pat<T: Tunables>(best: Score, beta: Score) -> Score {
    let weight = T::stand_pat_weight();
    if decisive(best) {
        best
    } else {
        (weight * best + (1024 - weight) * beta) / 1024
    }
}

#[inline(always)]
fn quiet_entry<M>(mv: M, score: Score, eval: Score, depth: i32, bound: TableBound, pv: bool) -> TtEntry<M> {
    TtEntry {
        mv,
        score,
        eval,
        depth,
        bound,
        pv,
    }
}
