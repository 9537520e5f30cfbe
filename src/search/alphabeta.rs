//! One node of the search: principal variation search in numbered steps.
//!
//! The ideas are common property of the field; the chess programming wiki and Stockfish's and Ethereal's sources are
//! where most of them are best explained. The numbers come from [`crate::game::tunables`].
//!
//! In brackets stand an idea's source and what chess loses without it: 400 games or more at 20,000 nodes a move, errors of 6
//! to 24 Elo. `docs/tuning.md` tells how.

use super::history::PieceTo;
use super::picker::{MoveFilter, Picker, Quiets};
use super::score::{INFINITE, MATE, MAX_PLY, RULE_FLOOR, RULE_WIN, Score, TABLE_WIN, decisive, mated_in};
use super::table::{NO_EVAL, TableBound, TtEntry};
use super::worker::Worker;
use crate::game::{Evaluator, Move, Position, Tags, Tunables, Verdict, Wdl};

/// Kinds of nodes, as types, so that each is compiled for itself.
pub(super) trait Node {
    /// On the principal variation: searched with an open window.
    const PV: bool;
    /// The root.
    const ROOT: bool;
}
pub(super) struct RootNode;
pub(super) struct PvNode;
pub(super) struct NonPvNode;
impl Node for RootNode {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for PvNode {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for NonPvNode {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// How many tried moves a node remembers for its histories.
const TRIED: usize = 48;

/// Moves tried without success.
struct Tried {
    tags: [Tags; TRIED],
    len: usize,
}

impl Tried {
    const fn new() -> Self {
        Self {
            tags: [Tags {
                piece: 0,
                from: 0,
                to: 0,
                taken: 0,
                attacked: 0,
            }; TRIED],
            len: 0,
        }
    }

    fn push(&mut self, t: Tags) {
        if self.len < TRIED {
            self.tags[self.len] = t;
            self.len += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = Tags> + '_ {
        self.tags[..self.len].iter().copied()
    }
}

/// The score of a verdict `ply` plies below the root; `None` while the game goes on.
#[inline]
pub(super) fn verdict_score(v: Verdict, ply: usize, draw: Score) -> Option<Score> {
    match v {
        Verdict::Open => None,
        Verdict::Draw => Some(draw),
        Verdict::Win | Verdict::Better => Some(RULE_WIN - ply as Score),
        Verdict::Loss | Verdict::Worse => Some(ply as Score - RULE_WIN),
    }
}

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    /// The score of the position for the side to move, within or beyond the window, searched to `depth`.
    /// `cut` says that the node is expected to fail high.
    #[expect(
        clippy::too_many_lines,
        reason = "the steps share their state and are numbered as a map of the search"
    )]
    pub(super) fn search<N: Node>(
        &mut self,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        ply: usize,
        cut: bool,
    ) -> Score {
        debug_assert!(alpha < beta && (N::PV || alpha == beta - 1));
        if P::CHANCE && self.pos.covered() {
            return self.expect::<N>(alpha, beta, depth, ply, cut);
        }

        // Step 1. The horizon.
        if depth <= 0 {
            return self.quiesce::<N>(alpha, beta, ply);
        }
        depth = depth.min(MAX_PLY as i32 - 1);

        // Step 2. Enter the node; leave at once if the search has to end.
        let in_check = self.pos.in_check();
        let key = self.pos.key();
        let side = self.pos.side().index();
        let excluded = self.frame(ply).excluded;
        if N::PV {
            self.pv[ply].clear();
            self.seldepth = self.seldepth.max(ply);
        }
        if self.count_node() {
            return 0;
        }

        if !N::ROOT {
            // Step 3. The rules: repetition, move counts, material too thin.
            if let Some(score) = verdict_score(self.pos.verdict(ply), ply, self.draw()) {
                return score;
            }
            if ply >= MAX_PLY {
                return if in_check { 0 } else { self.static_eval() };
            }

            // Step 4. Mate-distance pruning: a mate already found nearer the root cannot be bettered here (CPW; +14 Elo).
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(MATE - ply as Score - 1);
            if alpha >= beta {
                return alpha;
            }

            // Step 5. Upcoming repetition: a move back to an earlier position holds the draw (van Kervinck; +6 Elo).
            if alpha < self.draws[side] && self.pos.may_repeat(ply) {
                alpha = self.draw();
                if alpha >= beta {
                    return alpha;
                }
            }
        }
        self.frame(ply).threats = None;
        self.frame(ply + 1).excluded = P::Move::NONE;
        self.frame(ply + 2).killer = P::Move::NONE;
        self.frame(ply + 2).cutoffs = 0;

        // Step 6. Transposition table lookup and cutoff (Greenblatt 1967; +56 Elo); a ply more is asked of a score above beta where
        // no cut node is expected (Stockfish; +7 Elo).
        let hit = self.shared.table.probe::<P::Move>(key, ply);
        let mut table_move = P::Move::NONE;
        if N::ROOT {
            table_move = self.root.first();
        } else if let Some(e) = hit
            && self.pos.is_legal(e.mv)
        {
            table_move = e.mv;
        }
        let on_pv = N::PV || hit.is_some_and(|e| e.pv);
        let table_tactical = table_move != P::Move::NONE && self.pos.is_tactical(table_move);
        if let Some(e) = hit
            && !N::PV
            && excluded == P::Move::NONE
            && e.depth >= depth + i32::from(e.score >= beta && !cut)
            && e.bound.settles(e.score, beta)
        {
            if e.score >= beta {
                // The move that cuts off is a good one (Stockfish; +10 Elo).
                if table_move != P::Move::NONE && !table_tactical {
                    let (line, n) = self.line(ply);
                    let pawns = self.pos.correction_keys()[0];
                    let tags = self.quiet_tags(ply, table_move);
                    self.histories
                        .update_quiet(side, pawns, tags, &line[..n], self.bonus(depth));
                }
                self.penalize_previous(ply, depth);
            }
            return e.score;
        }

        // Step 7. Endgame tables.
        let mut best = -INFINITE;
        let mut ceiling = INFINITE;
        if !N::ROOT
            && excluded == P::Move::NONE
            && let Some(wdl) = self.probe_tablebase(depth)
        {
            let (score, bound) = match wdl {
                Wdl::Win => (TABLE_WIN - ply as Score, TableBound::Lower),
                Wdl::Loss => (ply as Score - TABLE_WIN, TableBound::Upper),
                Wdl::Draw => (self.draw(), TableBound::Exact),
            };
            if bound == TableBound::Exact
                || (if bound == TableBound::Lower {
                    score >= beta
                } else {
                    score <= alpha
                })
            {
                let entry = TtEntry {
                    mv: P::Move::NONE,
                    score,
                    eval: NO_EVAL,
                    depth: depth + 6,
                    bound,
                    pv: on_pv,
                };
                self.shared.table.store(key, ply, entry);
                return score;
            }
            if N::PV {
                if bound == TableBound::Lower {
                    best = score;
                    alpha = alpha.max(score);
                } else {
                    ceiling = score;
                }
            }
        }

        // Step 8. Static evaluation, corrected by histories (Caissa; +26 Elo) and refined by the table's score (Stockfish;
        // +1 Elo); whether it is above that of two plies before ("improving", Stockfish; +22 Elo), in singular-extension
        // searches too (Stockfish; +5 Elo).
        let raw;
        let eval;
        if in_check {
            raw = NO_EVAL;
            eval = NO_EVAL;
            self.frame(ply).eval = NO_EVAL;
        } else if excluded != P::Move::NONE {
            // The same position was evaluated a moment ago.
            raw = hit.map_or(NO_EVAL, |e| e.eval);
            eval = self.back(ply, 0).eval;
        } else {
            raw = match hit {
                Some(e) if e.eval != NO_EVAL => e.eval,
                _ => self.static_eval(),
            };
            let fixed = self.corrected(raw, ply);
            self.frame(ply).eval = fixed;
            eval = match hit {
                Some(e) if !decisive(e.score) && e.bound.settles(e.score, fixed + i32::from(e.score > fixed)) => {
                    e.score
                }
                _ => fixed,
            };
            if hit.is_none() {
                let e = TtEntry {
                    mv: P::Move::NONE,
                    score: 0,
                    eval: raw,
                    depth: -6,
                    bound: TableBound::None,
                    pv: on_pv,
                };
                self.shared.table.store(key, ply, e);
            }
        }
        let static_eval = self.back(ply, 0).eval;
        let before = match self.back(ply, 2).eval {
            NO_EVAL => self.back(ply, 4).eval,
            e => e,
        };
        let improving = !in_check
            && before != NO_EVAL
            && static_eval > before
            && (excluded == P::Move::NONE || P::Tune::singular_improving() > 0);

        // Whole-node pruning: only off the principal variation, out of check, and not in a singular-extension search.
        if !N::PV && !in_check && excluded == P::Move::NONE {
            // Step 9. Reverse futility: so far above beta that a shallow search would not sink it (CPW; +31 Elo).
            let margin =
                P::Tune::reverse_futility() * depth - P::Tune::reverse_futility_improving() * i32::from(improving);
            if depth <= 9
                && !on_pv
                && eval - margin >= beta
                && !decisive(eval)
                && beta > -RULE_FLOOR
                && (table_move == P::Move::NONE || table_tactical)
            {
                return beta + (eval - beta) / P::Tune::reverse_futility_divisor();
            }
        }

        // Step 10. A win at once, looked for only where the evaluation does not settle it (for games where one can be found
        // without a search; chess has none).
        if !N::ROOT
            && !in_check
            && hit.is_none()
            && excluded == P::Move::NONE
            && let Some(mv) = self.pos.win_in_one(&mut self.moves)
        {
            return self.win_at_once::<N>(mv, depth, ply, on_pv);
        }

        if !N::PV && !in_check && excluded == P::Move::NONE {
            // Step 11. Razoring: far below alpha, only captures can help (Birmingham and Kent 1977; +15 Elo).
            if depth <= 6 && eval + P::Tune::razor_base() + P::Tune::razor_slope() * depth * depth < alpha {
                let score = self.quiesce::<NonPvNode>(alpha, alpha + 1, ply);
                if score <= alpha {
                    return score;
                }
            }

            // Step 12. Null move: if passing still fails high, a move will too (Donninger 1993; +21 Elo).
            if cut
                && depth >= 2
                && eval >= beta
                && static_eval + P::Tune::null_margin_slope() * depth >= beta + P::Tune::null_margin()
                && ply >= self.null_from
                && beta > -RULE_FLOOR
                && self.back(ply, 1).mv != P::Move::NONE
                && self.pos.may_pass()
                && let Some(score) = self.null_move(eval, beta, depth, ply)
            {
                return score;
            }
        }

        // Step 13. ProbCut: a good capture that beats beta by a margin at reduced depth will beat it at full depth (Buro 1995;
        // 0 Elo).
        let probcut = beta + P::Tune::probcut() - P::Tune::probcut_improving() * i32::from(improving);
        if !N::PV
            && !in_check
            && excluded == P::Move::NONE
            && depth >= 5
            && !decisive(beta)
            && !hit.is_some_and(|e| e.depth >= depth - 3 && e.score < probcut)
            && let Some(score) = self.probcut(probcut, depth, ply, table_move, static_eval, on_pv, raw)
        {
            return score;
        }

        // Step 14. Internal iterative reduction: without a table move (Schröder; +16 Elo), or with one of a search much
        // shallower (Obsidian; +2 Elo), the node is searched again soon, if it matters.
        let stale = table_move == P::Move::NONE || hit.is_some_and(|e| e.depth + 5 <= depth);
        if stale && depth >= 4 && (N::PV || cut) {
            depth -= 1;
        }

        // Step 15. The moves.
        let mut picker = Picker::new(self, ply, table_move, MoveFilter::All);
        let (line, lookbacks) = self.line(ply);
        let line = &line[..lookbacks];
        let pawns = self.pos.correction_keys()[0];
        let (mut quiets, mut captures) = (Tried::new(), Tried::new());
        let mut best_move = P::Move::NONE;
        let mut bound = TableBound::Upper;
        let (mut number, mut omitted, mut raises) = (0, 0, 0);
        let floor_alpha = alpha;
        loop {
            let mut mv = picker.next(self);
            if N::ROOT && mv == P::Move::NONE {
                mv = self.root.omitted(omitted);
                omitted += 1;
            }
            if mv == P::Move::NONE {
                break;
            }
            if mv == excluded || (N::ROOT && !self.root.wants(mv)) {
                continue;
            }
            number += 1;
            if N::ROOT {
                self.report_current(mv, number, depth);
            }
            let quiet = !self.pos.is_tactical(mv);
            let tags = if quiet {
                self.quiet_tags(ply, mv)
            } else {
                self.pos.tags(mv)
            };
            let gives_check = picker.gives_check(&self.pos, mv);
            let history = if quiet {
                line.iter()
                    .take(2)
                    .map(|&s| self.histories.continuation(s, tags))
                    .sum::<i32>()
                    + self.histories.quiet(side, pawns, tags)
            } else {
                self.histories.capture(tags)
            };
            let mut reduction = self.reduction(depth, number);

            // Step 16. Shallow pruning: moves that are not worth a search.
            if !N::ROOT && best > -RULE_FLOOR && self.pos.may_pass() {
                let lmr_depth = (depth - reduction / 1024 + i32::from(improving)).max(0);
                if quiet {
                    // Late checks may be sacrifices: they are still tried where that pays.
                    let late = if P::Tune::late_checks() > 0 {
                        Quiets::Checks
                    } else {
                        Quiets::None
                    };
                    let mut enough = P::Tune::late_moves_base() + depth * depth;
                    if !improving {
                        enough /= P::Tune::late_moves_divisor();
                    }
                    // Late move pruning (Stockfish; +85 Elo).
                    if number as i32 > enough {
                        picker.quiets = late;
                        if !gives_check {
                            continue;
                        }
                    }
                    // By history (Stockfish; +4 Elo, in cờ úp -24, so hardly there).
                    if history < -P::Tune::history_prune() * depth && depth <= 6 {
                        continue;
                    }
                    // Futility (Heinz 1998; +8 Elo).
                    let futility = static_eval
                        + P::Tune::futility_base()
                        + P::Tune::futility_slope() * lmr_depth
                        + history / P::Tune::futility_history();
                    if !in_check && !gives_check && lmr_depth <= 10 && futility <= alpha {
                        best = best.max(futility.min(alpha));
                        picker.quiets = late;
                        continue;
                    }
                    // By exchanges (Stockfish; +44 Elo).
                    if lmr_depth <= 10 && !self.pos.see_ge(mv, -P::Tune::see_quiet() * lmr_depth * lmr_depth) {
                        continue;
                    }
                } else {
                    // Futility of captures (Stockfish; +21 Elo).
                    let futility = static_eval
                        + P::Tune::capture_futility_base()
                        + P::Tune::capture_futility_slope() * lmr_depth
                        + self.pos.gain(mv)
                        + history / P::Tune::capture_futility_history();
                    if !in_check && !gives_check && lmr_depth <= 6 && futility <= alpha {
                        continue;
                    }
                    // Captures by exchanges (Stockfish; +22 Elo).
                    if depth <= 10
                        && picker.past_good_captures()
                        && !self.pos.see_ge(
                            mv,
                            -P::Tune::see_capture() * depth - history / P::Tune::see_capture_history(),
                        )
                    {
                        continue;
                    }
                }
            }

            // Step 17. Extensions: a singular table move (Anantharaman, Campbell and Hsu 1988, by an excluded move as in Stockfish;
            // +24 Elo), or a check deep on the principal variation (Stockfish; 0 Elo).
            let mut extension = 0;
            if !N::ROOT
                && mv == table_move
                && excluded == P::Move::NONE
                && depth >= 6
                && ply < 2 * self.root.depth as usize
                && let Some(e) = hit
                && e.depth >= depth - 3
                && matches!(e.bound, TableBound::Lower | TableBound::Exact)
                && !decisive(e.score)
            {
                let single_beta = e.score - P::Tune::singular_margin() * depth / 64;
                self.frame(ply).excluded = mv;
                let score = self.search::<NonPvNode>(single_beta - 1, single_beta, (depth - 1) / 2, ply, cut);
                self.frame(ply).excluded = P::Move::NONE;
                if self.aborted {
                    picker.finish(self);
                    return 0;
                }
                if score < single_beta {
                    extension = 1;
                    // Two plies where no other move is near (Stockfish; +2 Elo).
                    if !N::PV && score < single_beta - P::Tune::double_margin() && self.back(ply, 0).doubles <= 8 {
                        extension = 2;
                    }
                } else if P::Tune::multicut() > 0 && score >= beta && !decisive(score) {
                    // Multicut: several moves fail high (Björnsson and Marsland 2001; in chess -21 Elo, in cờ úp -12, so not there).
                    picker.finish(self);
                    return score;
                } else if e.score >= beta {
                    // Not singular, so less of it (Stockfish; +6 Elo).
                    extension = -2 - i32::from(!N::PV);
                } else if cut {
                    extension = -2;
                }
            } else if gives_check && depth >= 8 && N::PV && self.pos.see_ge(mv, 0) {
                extension = 1;
            }

            // Step 18. Play the move.
            let nodes_before = self.nodes;
            let doubles = self.back(ply, 0).doubles + i32::from(extension >= 2);
            self.frame(ply + 1).doubles = doubles;
            self.frame(ply).quiet = quiet;
            self.frame(ply).number = number;
            let recapture =
                !quiet && ply > 0 && tags.to == self.back(ply, 1).tags.to && self.back(ply, 1).mv != P::Move::NONE;
            self.play(ply, mv, tags);
            let next = depth - 1 + extension;

            // Step 19. Late move reductions (Fruit; +60 Elo), less or more by what follows (Stockfish).
            let mut score = -INFINITE;
            if depth >= 2 && number > 1 + usize::from(N::ROOT) {
                if quiet {
                    reduction -= history * 1024 / P::Tune::lmr_history(); // +7 Elo
                } else {
                    // Captures less, by their own history: +2 Elo.
                    reduction -= P::Tune::lmr_capture() + history * 1024 / P::Tune::lmr_capture_history();
                }
                reduction -= P::Tune::lmr_pv() * i32::from(N::PV); // +1 Elo
                reduction -= P::Tune::lmr_former_pv() * i32::from(on_pv); // +5 Elo
                reduction += P::Tune::lmr_cut_node() * i32::from(cut); // +1 Elo
                reduction += P::Tune::lmr_not_improving() * i32::from(!improving); // +34 Elo
                reduction += P::Tune::lmr_table_capture() * i32::from(table_tactical && quiet); // +6 Elo
                reduction -= P::Tune::lmr_check() * i32::from(gives_check); // +5 Elo
                reduction -= P::Tune::lmr_in_check() * i32::from(in_check); // +4 Elo
                reduction += P::Tune::lmr_raises() * raises; // +9 Elo
                reduction -= P::Tune::lmr_recapture() * i32::from(recapture); // +5 Elo
                reduction -= P::Tune::lmr_killer() * i32::from(mv == self.back(ply, 0).killer); // +5 Elo
                reduction -= P::Tune::lmr_root() * i32::from(N::ROOT); // +7 Elo
                if !in_check {
                    // The farther the static evaluation is below alpha, the less is to be hoped for: +14 Elo.
                    reduction += (alpha - static_eval).clamp(-300, 300) * P::Tune::lmr_distance() / 256;
                }
                let cutoffs = self.back(ply + 1, 0).cutoffs as i32;
                reduction += P::Tune::lmr_cutoffs() * i32::from(cutoffs > P::Tune::lmr_cutoff_count()); // +9 Elo
                let reduced = (next - reduction / 1024).clamp(1, next.max(1) + i32::from(N::PV));
                score = -self.search::<NonPvNode>(-alpha - 1, -alpha, reduced, ply + 1, true);
                if score > alpha && reduced < next {
                    // A surprise: search it deeper still, or a little less if it was a small one (Stockfish; +5 Elo).
                    let deeper = i32::from(score > best + P::Tune::lmr_deeper())
                        - i32::from(score < best + P::Tune::lmr_shallower());
                    if next + deeper > reduced {
                        score = -self.search::<NonPvNode>(-alpha - 1, -alpha, next + deeper, ply + 1, !cut);
                    }
                    // The move is better than its history said (Stockfish; +5 Elo).
                    if quiet && score > alpha {
                        let bonus = self.bonus(depth);
                        self.histories.update_continuation(tags, line, bonus);
                    }
                }
            } else if !N::PV || number > 1 {
                // Step 20. Null window: show that it is no better.
                score = -self.search::<NonPvNode>(-alpha - 1, -alpha, next, ply + 1, !cut);
            }
            if N::PV && (number == 1 || score > alpha) {
                score = -self.search::<PvNode>(-beta, -alpha, next, ply + 1, false);
            }

            // Step 21. Take it back.
            self.undo();
            if self.aborted {
                picker.finish(self);
                return 0;
            }
            if N::ROOT {
                let effort = self.nodes - nodes_before;
                let line = if number == 1 || score > alpha {
                    Some(self.pv[ply + 1].as_slice())
                } else {
                    None
                };
                self.root.record(mv, score, line, effort, self.seldepth, alpha, beta);
            }

            // Step 22. Better than what we had?
            if score > best {
                best = score;
                if score > alpha {
                    best_move = mv;
                    if N::PV {
                        self.update_pv(ply, mv);
                    }
                    if score >= beta {
                        bound = TableBound::Lower;
                        self.frame(ply).cutoffs += 1 + u32::from(table_move == P::Move::NONE);
                        break;
                    }
                    bound = TableBound::Exact;
                    alpha = score;
                    raises += 1;
                    // A new best move late at good depth: the rest can be shorter (Stockfish; +2 Elo, in cờ úp -16, so
                    // not there).
                    if P::Tune::raised_alpha() > 0 && depth > 2 && depth < 12 && !decisive(score) {
                        depth -= 1;
                    }
                }
            }
            if mv != best_move {
                if quiet { &mut quiets } else { &mut captures }.push(tags);
            }
        }
        picker.finish(self);

        // Step 23. No legal move: mated, stalemated or, without the excluded move, simply singular.
        if number == 0 {
            if excluded != P::Move::NONE {
                return floor_alpha;
            }
            if N::ROOT {
                return 0;
            }
            return verdict_no_moves(self.pos.no_moves(), ply);
        }
        best = best.min(ceiling);

        // Step 24. Update the histories, as if a ply deeper for a score far above beta (Stockfish; +6 Elo).
        if bound == TableBound::Lower {
            self.learn(
                best_move,
                depth + i32::from(best > beta + P::Tune::history_bonus_margin()),
                ply,
                line,
                &quiets,
                &captures,
                pawns,
            );
        } else if bound == TableBound::Upper && !N::ROOT {
            // All moves failed: the opponent's last move was good.
            self.reward_previous(ply, depth);
        }

        // Step 25. Store the result, and update the correction history with the error of the static evaluation.
        if excluded == P::Move::NONE && !(N::ROOT && self.root.index() > 0) {
            let entry = TtEntry {
                mv: best_move,
                score: best,
                eval: raw,
                depth,
                bound,
                pv: on_pv,
            };
            self.shared.table.store(key, ply, entry);
        }
        #[allow(clippy::nonminimal_bool)] // one condition a line reads best
        if !in_check
            && excluded == P::Move::NONE
            && !decisive(best)
            && (best_move == P::Move::NONE || !self.pos.is_tactical(best_move))
            && !(bound == TableBound::Lower && best <= static_eval)
            && !(bound == TableBound::Upper && best >= static_eval)
        {
            let line = self.last_two(ply);
            self.histories
                .update_correction(&self.pos, line, best - static_eval, depth);
        }
        best
    }

    /// Step 12's search: the score if passing fails high.
    fn null_move(&mut self, eval: Score, beta: Score, depth: i32, ply: usize) -> Option<Score> {
        let reduction = P::Tune::null_base()
            + depth / P::Tune::null_divisor()
            + ((eval - beta) / P::Tune::null_eval()).min(P::Tune::null_eval_limit());
        self.play_pass(ply);
        let score = -self.search::<NonPvNode>(-beta, -beta + 1, depth - reduction, ply + 1, false);
        self.undo();
        if self.aborted || score < beta {
            return None;
        }
        let score = if decisive(score) { beta } else { score };
        if self.null_from > 0 || depth < 14 {
            return Some(score);
        }
        // Deep cutoffs are verified without null moves nearby: zugzwang (Stockfish; +4 Elo).
        self.null_from = ply + 3 * (depth - reduction).max(0) as usize / 4;
        let verified = self.search::<NonPvNode>(beta - 1, beta, depth - reduction, ply, false);
        self.null_from = 0;
        (!self.aborted && verified >= beta).then_some(score)
    }

    /// Step 13's search: the score if a capture beats `target` at reduced depth.
    #[allow(clippy::too_many_arguments)]
    fn probcut(
        &mut self,
        target: Score,
        depth: i32,
        ply: usize,
        table_move: P::Move,
        static_eval: Score,
        on_pv: bool,
        raw: Score,
    ) -> Option<Score> {
        let key = self.pos.key();
        let floor = target - static_eval;
        let first =
            if table_move != P::Move::NONE && self.pos.is_tactical(table_move) && self.pos.see_ge(table_move, floor) {
                table_move
            } else {
                P::Move::NONE
            };
        let mut picker = Picker::new(self, ply, first, MoveFilter::Tactical(floor));
        let mut found = None;
        loop {
            let mv = picker.next(self);
            if mv == P::Move::NONE {
                break;
            }
            self.frame(ply).quiet = false;
            self.frame(ply).number = 1;
            self.play(ply, mv, self.pos.tags(mv));
            let mut score = -self.quiesce::<NonPvNode>(-target, -target + 1, ply + 1);
            if score >= target {
                score =
                    -self.search::<NonPvNode>(-target, -target + 1, depth - P::Tune::probcut_depth(), ply + 1, true);
            }
            self.undo();
            if self.aborted {
                break;
            }
            if score >= target {
                let entry = TtEntry {
                    mv,
                    score,
                    eval: raw,
                    depth: depth - P::Tune::probcut_depth() + 1,
                    bound: TableBound::Lower,
                    pv: on_pv,
                };
                self.shared.table.store(key, ply, entry);
                found = Some(score);
                break;
            }
        }
        picker.finish(self);
        found
    }

    /// The history bonus of a cutoff at `depth`.
    #[inline]
    pub(super) fn bonus(&self, depth: i32) -> i32 {
        (P::Tune::history_bonus() * depth - P::Tune::history_bonus_offset())
            .clamp(P::Tune::history_bonus_floor(), P::Tune::history_bonus_limit())
    }

    /// Step 24: a bonus for the cutoff move, a malus for those tried before it; that it is larger is worth +7 Elo.
    #[allow(clippy::too_many_arguments)]
    fn learn(
        &mut self,
        best: P::Move,
        depth: i32,
        ply: usize,
        line: &[PieceTo],
        quiets: &Tried,
        captures: &Tried,
        pawns: u64,
    ) {
        let side = self.pos.side().index();
        let bonus = self.bonus(depth);
        if self.pos.is_tactical(best) {
            self.histories.update_capture(self.pos.tags(best), bonus);
        } else {
            self.frame(ply).killer = best;
            let tags = self.quiet_tags(ply, best);
            self.histories.update_quiet(side, pawns, tags, line, bonus);
            let malus = bonus * P::Tune::history_malus() / 1024;
            for t in quiets.iter() {
                self.histories.update_quiet(side, pawns, t, line, -malus);
            }
        }
        for t in captures.iter() {
            // Larger than the bonus: +9 Elo.
            self.histories
                .update_capture(t, -(bonus * P::Tune::capture_malus() / 1024));
        }
    }

    /// Step 24: a node that failed low gives a bonus to the quiet move that led to it (Stockfish; +14 Elo), in butterfly history
    /// too (+11 Elo).
    fn reward_previous(&mut self, ply: usize, depth: i32) {
        let before = *self.back(ply, 1);
        if before.quiet {
            let bonus = self.bonus(depth) * P::Tune::history_bonus_prior() / 1024;
            self.histories
                .update_continuation(before.tags, &self.last_two(ply - 1), bonus);
            let (other, pawns) = (self.pos.side().other().index(), self.pos.correction_keys()[0]);
            let bonus = bonus * P::Tune::history_prior_butterfly() / 1024;
            self.histories.update_butterfly(other, pawns, before.tags, bonus);
        }
    }

    /// Step 6: a malus for an early quiet move that the table refutes at once (Stockfish; +18 Elo).
    fn penalize_previous(&mut self, ply: usize, depth: i32) {
        let before = *self.back(ply, 1);
        if before.quiet && before.number <= 3 {
            let line = self.last_two(ply - 1);
            self.histories
                .update_continuation(before.tags, &line, -self.bonus(depth + 1));
        }
    }

    /// The score of a move that wins at once, which is stored in the table.
    pub(super) fn win_at_once<N: Node>(&mut self, mv: P::Move, depth: i32, ply: usize, on_pv: bool) -> Score {
        let score = MATE - ply as Score - 1;
        let entry = TtEntry {
            mv,
            score,
            eval: NO_EVAL,
            depth: depth + 6,
            bound: TableBound::Exact,
            pv: on_pv,
        };
        self.shared.table.store(self.pos.key(), ply, entry);
        if N::PV {
            self.pv[ply + 1].clear();
            self.update_pv(ply, mv);
        }
        score
    }

    fn probe_tablebase(&mut self, depth: i32) -> Option<Wdl> {
        let wdl = self
            .shared
            .tablebase
            .as_ref()
            .filter(|_| self.probing)?
            .probe(&self.pos, depth)?;
        self.tbhits += 1;
        Some(wdl)
    }
}

/// The score of having no legal move.
#[inline]
pub(super) fn verdict_no_moves(v: Verdict, ply: usize) -> Score {
    match v {
        Verdict::Win => MATE - ply as Score,
        Verdict::Loss => mated_in(ply),
        _ => 0,
    }
}
