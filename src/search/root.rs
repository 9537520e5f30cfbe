//! The root: iterative deepening, aspiration windows, several best lines, and the decision when to stop.

use super::alphabeta::RootNode;
use super::score::{INFINITE, MATE, MATE_FLOOR, MAX_PLY, Score, TABLE_WIN, decisive, outlook};
use super::table::TableBound;
use super::wdl::wdl;
use super::worker::{StopConditions, Worker};
use crate::control::clock::Budget;
use crate::control::{Bound, Info, Limits, Report, Sink};
use crate::game::{Evaluator, Kind, Move, Moves, Position, RootTable, Tunables, Wdl};
use std::time::Duration;

/// One search, as every worker gets it.
#[derive(Clone)]
pub struct Task<M> {
    /// The limits that the user set.
    pub limits: Limits,
    /// The time for this move, when there is a clock.
    pub budget: Option<Budget>,
    /// The root moves to choose from; never empty.
    pub moves: Vec<M>,
    /// How many best lines are searched.
    pub lines: usize,
    /// How many of them are reported.
    pub shown: usize,
    /// Nodes never exceeded, on the opponent's time neither.
    pub cap: Option<u64>,
    /// Nodes after which no further iteration begins.
    pub soft: Option<u64>,
    /// The endgame tables' results of the root moves.
    pub table: Option<RootTable<M>>,
    /// Where reports go.
    pub sink: Sink,
}

impl<M> Task<M> {
    /// A search for one best line.
    pub fn new(limits: Limits, moves: Vec<M>, sink: Sink) -> Self {
        Self {
            limits,
            budget: None,
            moves,
            lines: 1,
            shown: 1,
            cap: None,
            soft: None,
            table: None,
            sink,
        }
    }
}

/// A root move with its search results.
#[derive(Clone, Debug)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// Its score in this iteration; `-INFINITE` when only known to be worse than the best.
    pub score: Score,
    /// Its score in the iteration before.
    previous: Score,
    /// Whether the score is exact or a bound.
    bound: Bound,
    /// The line, starting with the move.
    pub pv: Vec<M>,
    effort: u64,
    seldepth: usize,
    /// Moves of a higher rank are searched first and shown first, whatever their scores.
    rank: i32,
    /// The endgame tables' result of it.
    verdict: Option<Wdl>,
}

impl<M> RootMove<M> {
    /// The score of this iteration, or of the last one that has one.
    fn known(&self) -> Score {
        if self.score > -INFINITE {
            self.score
        } else {
            self.previous
        }
    }

    /// The score to report: the endgame tables' unless the search sees mate.
    fn shown_score(&self, score: Score) -> Score {
        match self.verdict {
            Some(wdl) if score.abs() < MATE_FLOOR => match wdl {
                Wdl::Win => TABLE_WIN,
                Wdl::Draw => 0,
                Wdl::Loss => -TABLE_WIN,
            },
            _ => score,
        }
    }
}

/// The root's moves, best first from `index` on.
#[derive(Debug)]
pub struct RootMoves<M> {
    moves: Vec<RootMove<M>>,
    /// Root moves that the game's generator omits, being never better than another.
    omitted: Vec<M>,
    /// Lines before this one are settled in this iteration.
    index: usize,
    /// The depth of this iteration.
    pub(super) depth: u32,
    /// The last finished iteration.
    pub(super) finished: u32,
    /// The iteration in which the best move became the best, for the last time.
    settled: u32,
}

impl<M> Default for RootMoves<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            omitted: Vec::new(),
            index: 0,
            depth: 0,
            finished: 0,
            settled: 0,
        }
    }
}

impl<M: Move> RootMoves<M> {
    fn new(task: &Task<M>, usual: &Moves<M>) -> Self {
        let blank = |&mv: &M| {
            let known = task.table.as_ref().and_then(|t| t.moves.iter().find(|r| r.mv == mv));
            RootMove {
                mv,
                score: -INFINITE,
                previous: -INFINITE,
                bound: Bound::Exact,
                pv: vec![mv],
                effort: 0,
                seldepth: 0,
                rank: known.map_or(0, |r| r.rank),
                verdict: known.map(|r| r.wdl),
            }
        };
        let mut root = Self {
            moves: task.moves.iter().map(blank).collect(),
            omitted: task
                .moves
                .iter()
                .copied()
                .filter(|&m| usual.iter().all(|u| u != m))
                .collect(),
            index: 0,
            depth: 0,
            finished: 0,
            settled: 0,
        };
        root.sort_from(0);
        root
    }

    pub(super) fn first(&self) -> M {
        self.moves.get(self.index).map_or(M::NONE, |r| r.mv)
    }

    /// The `n`-th root move that the generator omits, or `NONE`. The first root move is not among them: it is
    /// searched before the others anyway.
    pub(super) fn omitted(&self, n: usize) -> M {
        let first = self.first();
        let mut rest = self.omitted.iter().copied().filter(|&m| m != first);
        rest.nth(n).unwrap_or(M::NONE)
    }

    pub(super) fn index(&self) -> usize {
        self.index
    }

    pub(super) fn wants(&self, mv: M) -> bool {
        let rank = self.moves.get(self.index).map_or(0, |r| r.rank);
        self.moves[self.index..].iter().any(|r| r.mv == mv && r.rank == rank)
    }

    /// A root move was searched. `line` is its continuation when it is the first or beat alpha.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn record(
        &mut self,
        mv: M,
        score: Score,
        line: Option<&[M]>,
        effort: u64,
        seldepth: usize,
        alpha: Score,
        beta: Score,
    ) {
        let Some(r) = self.moves.iter_mut().find(|r| r.mv == mv) else {
            return;
        };
        r.effort += effort;
        match line {
            Some(line) => {
                r.score = score;
                r.seldepth = seldepth;
                r.bound = if score >= beta {
                    Bound::Lower
                } else if score <= alpha {
                    Bound::Upper
                } else {
                    Bound::Exact
                };
                r.pv.clear();
                r.pv.push(mv);
                r.pv.extend_from_slice(line);
            }
            None => r.score = -INFINITE,
        }
    }

    fn sort_from(&mut self, index: usize) {
        self.moves[index..].sort_by_key(|r| std::cmp::Reverse((r.rank, r.score, r.previous)));
    }
}

/// The result of one worker's search.
#[derive(Clone, Debug)]
pub struct SearchResult<M> {
    /// The best line, starting with the move to play.
    pub pv: Vec<M>,
    /// Its score.
    pub score: Score,
    /// The last finished depth.
    pub depth: u32,
}

/// The current move is reported only after this long.
const QUIET_START: Duration = Duration::from_secs(3);

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    /// Searches deeper and deeper until a limit is reached or a stop comes. The position must have been set.
    pub fn think(&mut self, task: &Task<P::Move>, watch: bool) {
        self.reset_line();
        let mut usual = Moves::new();
        self.pos.generate(Kind::All, &mut usual);
        self.root = RootMoves::new(task, &usual);
        // Where the tables rank the root moves by distance to mate, the search below needs no probing.
        self.probing = !task.table.as_ref().is_some_and(|t| t.by_distance);
        if watch {
            self.tbhits = task.table.as_ref().map_or(0, |t| t.moves.len() as u64);
        }
        let only = |limit: Option<u64>| limit.filter(|_| watch).unwrap_or(u64::MAX);
        self.stops = StopConditions {
            watch,
            nodes: only(task.limits.nodes),
            cap: only(task.cap),
            budget: task.budget,
            awaits: task.limits.ponder,
            seen: self.shared.signal.elapsed(),
        };
        let (us, draw) = (self.pos.side(), task.limits.draw);
        self.draws[us.index()] = draw;
        self.draws[us.other().index()] = -draw;
        self.sink = watch.then(|| task.sink.clone());
        let deepest = task.limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32 - 4);
        let mut scaling = TimeScaling::default();
        for depth in 1..=deepest {
            self.root.depth = depth;
            for r in &mut self.root.moves {
                r.previous = r.score;
            }
            let former = self.root.moves[0].mv;
            self.seldepth = 0;
            for index in 0..task.lines.min(task.moves.len()) {
                self.root.index = index;
                self.aspire(depth as i32, task, watch);
                self.root.sort_from(index);
                self.root.moves[..=index].sort_by_key(|r| std::cmp::Reverse((r.rank, r.score)));
                if self.aborted {
                    break;
                }
            }
            if !self.aborted {
                self.root.finished = depth;
            }
            if depth == 1 || self.root.moves[0].mv != former {
                self.root.settled = depth;
            }
            self.root.index = 0;
            self.publish();
            if watch && (!self.aborted || self.root.moves[0].score > -INFINITE) {
                self.report_lines(task, depth, task.shown);
            }
            if self.aborted || self.shared.signal.stopped() || (watch && self.enough(task, depth, &mut scaling)) {
                break;
            }
        }
        self.publish();
    }

    /// The result; the position must still be the root's.
    pub fn finish(&self) -> SearchResult<P::Move> {
        match self.root.moves.first() {
            Some(r) => SearchResult {
                pv: r.pv.clone(),
                score: r.known(),
                depth: self.root.finished,
            },
            None => SearchResult {
                pv: Vec::new(),
                score: 0,
                depth: 0,
            },
        }
    }

    /// The scores of the best lines, as far as they are known: the first is never missing.
    pub fn scores(&self, lines: usize) -> Vec<Score> {
        let best = self.root.moves.iter().take(lines).map(RootMove::known);
        best.take_while(|&s| s > -INFINITE).collect()
    }

    /// How hard the best move was to find: 0 where the first iteration had it, 1 where only the last one found it.
    pub fn difficulty(&self) -> f64 {
        let later = |depth: u32| f64::from(depth.saturating_sub(1));
        (later(self.root.settled) / later(self.root.depth).max(1.0)).min(1.0)
    }

    /// Makes one of the best lines the first, and reports it.
    pub fn prefer(&mut self, index: usize, task: &Task<P::Move>) {
        if index > 0 && index < self.root.moves.len() {
            self.root.moves.swap(0, index);
            self.report_lines(task, self.root.finished.max(1), 1);
        }
    }

    /// One line of one iteration by aspiration windows: around the last score, widened on a fail low or fail high.
    fn aspire(&mut self, depth: i32, task: &Task<P::Move>, watch: bool) {
        let guess = self.root.moves[self.root.index].previous;
        let far = guess.abs().min(P::Tune::aspiration_score_limit());
        let mut delta = P::Tune::aspiration_delta() + far / P::Tune::aspiration_divisor();
        let (mut alpha, mut beta) = if depth >= 4 && !decisive(guess) && guess > -INFINITE {
            ((guess - delta).max(-INFINITE), (guess + delta).min(INFINITE))
        } else {
            (-INFINITE, INFINITE)
        };
        let mut reduced = 0;
        loop {
            let score = self.search::<RootNode>(alpha, beta, (depth - reduced).max(1), 0, false);
            self.root.sort_from(self.root.index);
            if self.aborted
                || (alpha < score && score < beta)
                || (score <= alpha && alpha == -INFINITE)
                || (score >= beta && beta == INFINITE)
            {
                return;
            }
            if watch && task.lines == 1 && self.shared.signal.elapsed() > QUIET_START {
                self.report_lines(task, depth as u32, 1);
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                reduced = 0;
            } else {
                beta = (score + delta).min(INFINITE);
                reduced = (reduced + 1).min(3);
            }
            delta += delta * P::Tune::aspiration_growth() / 1024;
            if decisive(score) || delta > P::Tune::aspiration_limit() {
                (alpha, beta) = (-INFINITE, INFINITE);
                reduced = 0;
            }
        }
    }

    /// Whether a finished iteration is the last.
    fn enough(&mut self, task: &Task<P::Move>, depth: u32, scaling: &mut TimeScaling<P::Move>) -> bool {
        self.check_ponderhit();
        if task.soft.is_some_and(|most| self.nodes >= most) {
            return true;
        }
        let best = &self.root.moves[0];
        if let Some(mate) = task.limits.mate
            && best.score >= MATE_FLOOR
            && MATE - best.score < 2 * mate as Score
        {
            return true;
        }
        let scale = scaling.scale::<P::Tune>(
            best.mv,
            best.score,
            best.effort as f64 / self.nodes.max(1) as f64,
            depth,
        );
        let Some(budget) = self.stops.budget else { return false };
        if self.shared.signal.pondering() || task.limits.infinite {
            return false;
        }
        if task.moves.len() == 1 && depth >= 4 {
            return true;
        }
        // A mate that a much deeper search confirms is not searched further.
        if best.score.abs() >= MATE_FLOOR && depth as Score > 2 * (MATE - best.score.abs()) + 8 {
            return true;
        }
        let soft = if budget.soft == budget.hard {
            budget.soft
        } else {
            budget.soft.mul_f64(scale).max(budget.floor).min(budget.hard)
        };
        self.shared.signal.elapsed() >= soft
    }

    pub(super) fn report_current(&self, mv: P::Move, number: usize, depth: i32) {
        if self.stops.watch
            && let Some(sink) = &self.sink
            && self.shared.signal.elapsed() > QUIET_START
        {
            let (depth, number) = (depth.max(1) as u32, number + self.root.index);
            sink(Report::Current {
                depth,
                mv: self.pos.move_text(mv),
                number: number as u32,
            });
        }
    }

    /// Reports the best lines.
    fn report_lines(&self, task: &Task<P::Move>, depth: u32, lines: usize) {
        for info in self.lines(task, depth, lines) {
            (task.sink)(Report::Info(info));
        }
    }

    /// The best lines at the end of the search, for a report.
    pub fn last_lines(&self, task: &Task<P::Move>) -> Vec<Info> {
        self.lines(task, self.root.depth, task.shown)
    }

    fn lines(&self, task: &Task<P::Move>, depth: u32, lines: usize) -> Vec<Info> {
        let nodes = self.shared.nodes();
        let mut infos = Vec::new();
        for (i, r) in self.root.moves.iter().take(lines).enumerate() {
            let fresh = r.score > -INFINITE;
            if !fresh && (depth == 1 || r.previous == -INFINITE) {
                continue;
            }
            let score = r.shown_score(r.known());
            infos.push(Info {
                depth: if fresh { depth } else { depth - 1 },
                seldepth: r.seldepth.max(1) as u32,
                multipv: i as u32 + 1,
                outlook: outlook(score),
                bound: if fresh && r.verdict.is_none() {
                    r.bound
                } else {
                    Bound::Exact
                },
                wdl: wdl::<P::Tune>(score, self.pos.game_ply()),
                nodes,
                hashfull: self.shared.table.hashfull(),
                tbhits: self.shared.tbhits(),
                time: task.limits.start.elapsed(),
                pv: self.line_text(&r.pv, score),
            });
        }
        infos
    }

    /// A line in the protocol's coordinates, cut where the game ends; a mating line that the tree cut short is
    /// completed from the table as far as it goes.
    fn line_text(&self, line: &[P::Move], score: Score) -> Vec<String> {
        let mut p = self.pos.clone();
        let mut text = Vec::with_capacity(line.len());
        let wanted = if score.abs() >= MATE_FLOOR {
            (MATE - score.abs()) as usize
        } else {
            0
        };
        let mut next = line.iter().copied();
        loop {
            let mv = match next.next() {
                Some(mv) => mv,
                None if text.len() < wanted => match self.shared.table.probe::<P::Move>(p.key(), text.len()) {
                    Some(e) if e.bound == TableBound::Exact || e.score.abs() >= MATE_FLOOR => e.mv,
                    _ => break,
                },
                None => break,
            };
            if !p.is_legal(mv) {
                break;
            }
            text.push(p.move_text(mv));
            p.play(mv);
            if p.ended().is_some() || text.len() > MAX_PLY {
                break;
            }
        }
        text
    }
}

/// Time scaling by the stability of the best move over the iterations.
struct TimeScaling<M> {
    last: Option<M>,
    steady: u32,
    score: f64,
}

impl<M> Default for TimeScaling<M> {
    fn default() -> Self {
        Self {
            last: None,
            steady: 0,
            score: 0.0,
        }
    }
}

impl<M: Move> TimeScaling<M> {
    /// The factor on the soft budget: less for a move that stays best and takes most of the nodes, more when the score
    /// falls (the three factors are Ethereal's).
    fn scale<T: Tunables>(&mut self, best: M, score: Score, share: f64, depth: u32) -> f64 {
        let percent = |n: i32| f64::from(n) / 100.0;
        self.steady = if self.last == Some(best) { self.steady + 1 } else { 0 };
        self.last = Some(best);
        let score = f64::from(score.clamp(-3000, 3000));
        let drop = if depth > 4 { self.score - score } else { 0.0 };
        let weight = percent(T::time_trend_weight());
        self.score = if depth > 4 {
            (1.0 - weight) * self.score + weight * score
        } else {
            score
        };
        if depth < 6 {
            return 1.0;
        }
        let steady = self.steady.min(T::time_stability_limit() as u32);
        let stability = percent(T::time_stability_base()) - percent(T::time_stability_slope()) * f64::from(steady);
        let trend = percent(T::time_trend_base()) + f64::from(T::time_trend_slope()) / 1000.0 * drop;
        let trend = trend.clamp(percent(T::time_trend_floor()), percent(T::time_trend_limit()));
        let effort = percent(T::time_effort_base()) - percent(T::time_effort_slope()) * share;
        stability.max(0.0) * trend * effort.max(percent(T::time_effort_floor()))
    }
}
