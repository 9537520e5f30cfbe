//! One search thread: its position, evaluator, histories and search stack.

use super::history::{ContinuationHistories, Histories, PieceTo};
use super::picker::{place, rank};
use super::score::{EVAL_LIMIT, MAX_PLY, Score};
use super::table::{NO_EVAL, Table};

use crate::control::clock::Budget;
use crate::control::{Signal, Sink};
use crate::game::{Evaluator, Move, Moves, Position, Tablebase, Tags, Threats, Tunables};
use crate::util::pages::room_for;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What all workers of an engine share.
pub struct Shared<P: Position> {
    /// The transposition table.
    pub table: Arc<Table>,
    /// Continuation histories, too large for one copy a thread.
    pub continuation: Arc<ContinuationHistories<P>>,
    /// Stop, ponder, clock.
    pub signal: Arc<Signal>,
    /// Endgame tables, if any.
    pub tablebase: Option<Arc<dyn Tablebase<P>>>,
    /// One counter of nodes and one of table hits per worker.
    pub counters: Vec<NodeCounter>,
}

/// Counters that one worker writes and others read; a cache line of their own.
#[derive(Default)]
#[repr(align(128))]
pub struct NodeCounter {
    /// Nodes searched.
    pub nodes: AtomicU64,
    /// Endgame-table hits.
    pub tbhits: AtomicU64,
}

impl<P: Position> Shared<P> {
    /// Nodes of all workers.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Relaxed)).sum()
    }

    /// Endgame-table hits of all workers.
    pub fn tbhits(&self) -> u64 {
        self.counters.iter().map(|c| c.tbhits.load(Relaxed)).sum()
    }
}

/// An entry of the search stack: what a node keeps for its children and for itself.
#[derive(Clone, Copy)]
pub(super) struct StackEntry<M> {
    /// The move played from this node.
    pub mv: M,
    /// Its piece and destination, for continuation histories.
    pub piece_to: PieceTo,
    /// Its tags.
    pub tags: Tags,
    /// The excluded move of a singular-extension search.
    pub excluded: M,
    /// Corrected static evaluation, or [`NO_EVAL`] in check.
    pub eval: Score,
    /// How often children of this node failed high.
    pub cutoffs: u32,
    /// The quiet move that last refuted here.
    pub killer: M,
    /// Plies by which the line down to here was extended twice over.
    pub doubles: i32,
    /// Whether the move played from here was a quiet one.
    pub quiet: bool,
    /// Its place among the moves tried here, from 1 on.
    pub number: usize,
    /// [`Position::threats`] here, once asked for.
    pub threats: Option<Threats>,
}

/// Entries before the root, so that looking back needs no test.
pub(super) const BEFORE: usize = 8;

/// The conditions under which a worker ends its search.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopConditions {
    /// Whether this worker checks the limits; the others end when it signals a stop.
    pub watch: bool,
    pub nodes: u64,
    /// Nodes that count on the opponent's time too.
    pub cap: u64,
    pub budget: Option<Budget>,
    /// Pondering: the clock starts with the ponder hit.
    pub awaits: bool,
    /// The clock at the last check.
    pub seen: Duration,
}

/// One searching thread.
pub struct Worker<P: Position, E: Evaluator<P>> {
    pub(super) pos: P,
    pub(super) eval: E,
    pub(super) moves: Moves<P::Move>,
    pub(super) histories: Histories<P>,
    pub(super) shared: Arc<Shared<P>>,
    pub(super) id: usize,
    pub(super) stack: Vec<StackEntry<P::Move>>,
    pub(super) pv: Vec<Vec<P::Move>>,
    pub(super) root: super::root::RootMoves<P::Move>,
    pub(super) nodes: u64,
    pub(super) tbhits: u64,
    pub(super) seldepth: usize,
    pub(super) stops: StopConditions,
    pub(super) sink: Option<Sink>,
    pub(super) aborted: bool,
    /// Whether the search probes endgame tables.
    pub(super) probing: bool,
    /// What a draw is worth to each side.
    pub(super) draws: [Score; 2],
    /// Null moves are refused above this ply while a null-move cutoff is being verified.
    pub(super) null_from: usize,
    /// Late move reductions by depth and move number, in 1024ths of a ply.
    reductions: Box<[i32; 256]>,
}

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    /// A worker at a position.
    ///
    /// # Errors
    /// When the system has no memory for it.
    pub fn new(id: usize, pos: P, eval: E, shared: Arc<Shared<P>>) -> io::Result<Self> {
        let histories = Histories::new(shared.continuation.clone())?;
        // The search stack and the lines are ordinary vectors.
        room_for(0)?;
        let mut reductions = Box::new([0; 256]);
        for (i, r) in reductions.iter_mut().enumerate().skip(1) {
            *r = ((i as f64).ln() * 1024.0) as i32;
        }
        let mut worker = Self {
            pos,
            eval,
            moves: Moves::with_capacity(P::MAX_MOVES * 8),
            histories,
            shared,
            id,
            stack: Vec::new(),
            pv: (0..MAX_PLY + 2).map(|_| Vec::with_capacity(MAX_PLY + 2)).collect(),
            root: super::root::RootMoves::default(),
            nodes: 0,
            tbhits: 0,
            seldepth: 0,
            stops: StopConditions {
                watch: false,
                nodes: u64::MAX,
                cap: u64::MAX,
                budget: None,
                awaits: false,
                seen: Duration::ZERO,
            },
            sink: None,
            aborted: false,
            probing: true,
            draws: [0; 2],
            null_from: 0,
            reductions,
        };
        worker.reset_line();
        Ok(worker)
    }

    /// Clears the worker's own histories.
    pub fn clear(&self) {
        self.histories.clear();
    }

    /// Takes on a new position, evaluator state included.
    pub fn set_position(&mut self, pos: &P) {
        self.pos = pos.clone();
        self.eval.reset(&self.pos);
    }

    /// Replaces what all workers share, but for the histories.
    pub fn set_shared(&mut self, shared: Arc<Shared<P>>) {
        self.shared = shared;
    }

    /// The evaluator.
    pub fn evaluator(&mut self) -> &mut E {
        &mut self.eval
    }

    pub(super) fn reset_line(&mut self) {
        let blank = StackEntry {
            mv: P::Move::NONE,
            piece_to: Histories::<P>::no_piece_to(),
            tags: Tags::default(),
            excluded: P::Move::NONE,
            eval: NO_EVAL,
            cutoffs: 0,
            killer: P::Move::NONE,
            doubles: 0,
            quiet: false,
            number: 0,
            threats: None,
        };
        self.stack.clear();
        self.stack.resize(MAX_PLY + BEFORE + 4, blank);
        self.moves.truncate(0);
        self.null_from = 0;
        self.aborted = false;
        self.nodes = 0;
        self.tbhits = 0;
    }

    #[inline]
    pub(super) fn frame(&mut self, ply: usize) -> &mut StackEntry<P::Move> {
        &mut self.stack[ply + BEFORE]
    }

    /// The frame `back` plies before `ply`.
    #[inline]
    pub(super) fn back(&self, ply: usize, back: usize) -> &StackEntry<P::Move> {
        &self.stack[ply + BEFORE - back]
    }

    /// Counts a node; true when the search has to end.
    #[inline]
    pub(super) fn count_node(&mut self) -> bool {
        // Nodes visited on the way out are not searched: a limit of nodes is never passed.
        self.nodes += u64::from(!self.aborted);
        if self.nodes & 511 == 0 || self.nodes >= self.stops.nodes.min(self.stops.cap) {
            self.poll();
        }
        self.aborted
    }

    #[cold]
    fn poll(&mut self) {
        self.publish();
        self.check_ponderhit();
        let signal = &self.shared.signal;
        if self.stops.watch && !signal.pondering() {
            let now = signal.elapsed();
            if self.stops.budget.is_some() {
                // Between two checks of the clock the thread may be descheduled for longer than its work takes.
                signal.note_lateness(now.saturating_sub(self.stops.seen));
                self.stops.seen = now;
            }
            let late = self.stops.budget.is_some_and(|b| now >= b.hard);
            // The first iteration is finished in any case: there must be a move.
            if self.root.finished > 0 && (late || self.shared.nodes() >= self.stops.nodes) {
                self.aborted = true;
            }
        }
        self.aborted |= (signal.stopped() || self.shared.nodes() >= self.stops.cap) && self.root.finished > 0;
    }

    /// Starts the clock after a ponder hit.
    pub(super) fn check_ponderhit(&mut self) {
        if self.stops.awaits && !self.shared.signal.pondering() {
            self.stops.awaits = false;
            self.stops.budget = self.shared.signal.late_budget().or(self.stops.budget);
        }
    }

    /// Makes the counters visible to other threads.
    pub(super) fn publish(&self) {
        if let Some(counter) = self.shared.counters.get(self.id) {
            counter.nodes.store(self.nodes, Relaxed);
            counter.tbhits.store(self.tbhits, Relaxed);
        }
    }

    /// Plays a move and steps the evaluator and the line forward.
    #[inline]
    pub(super) fn play(&mut self, ply: usize, m: P::Move, tags: Tags) {
        let dirty = self.pos.play(m);
        self.eval.push(&dirty);
        let frame = self.frame(ply);
        frame.mv = m;
        frame.piece_to = Histories::<P>::piece_to(tags);
        frame.tags = tags;
    }

    /// Fetches the table's entry of the position after a legal move.
    #[inline]
    pub(super) fn prefetch(&self, m: P::Move) {
        self.shared.table.prefetch(self.pos.key_after(m));
    }

    #[inline]
    pub(super) fn undo(&mut self) {
        self.eval.pop();
        self.pos.undo();
    }

    #[inline]
    pub(super) fn play_pass(&mut self, ply: usize) {
        self.pos.pass();
        self.shared.table.prefetch(self.pos.key());
        self.eval.push(&crate::game::Dirty::default());
        let frame = self.frame(ply);
        frame.mv = P::Move::NONE;
        frame.piece_to = Histories::<P>::no_piece_to();
        frame.quiet = false;
    }

    /// The evaluator's score, clamped below the decisive ranges.
    #[inline]
    pub(super) fn static_eval(&mut self) -> Score {
        self.eval.score(&self.pos).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// The slots of the last two moves before `ply`.
    #[inline]
    pub(super) fn last_two(&self, ply: usize) -> [PieceTo; 2] {
        [self.back(ply, 1).piece_to, self.back(ply, 2).piece_to]
    }

    /// A static evaluation with the histories' correction.
    #[inline]
    pub(super) fn corrected(&self, raw: Score, ply: usize) -> Score {
        (raw + self.histories.correction(&self.pos, self.last_two(ply))).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// Piece and destination of the moves 1, 2, 4 and 6 plies back, as many as the game's continuation histories use.
    #[inline]
    pub(super) fn line(&self, ply: usize) -> ([PieceTo; 4], usize) {
        let slots = [
            self.back(ply, 1).piece_to,
            self.back(ply, 2).piece_to,
            self.back(ply, 4).piece_to,
            self.back(ply, 6).piece_to,
        ];
        (slots, P::Tune::lookbacks() as usize)
    }

    /// Late move reduction before adjustments, in 1024ths of a ply.
    #[inline]
    pub(super) fn reduction(&self, depth: i32, number: usize) -> i32 {
        let (d, n) = (
            self.reductions[(depth as usize).min(255)],
            self.reductions[number.min(255)],
        );
        P::Tune::lmr_base() + ((d * n) >> 10) * P::Tune::lmr_slope() / 1024
    }

    /// A drawn score, a shade off by turns, so that the search does not sink into one repetition among many.
    #[inline]
    pub(super) fn draw(&self) -> Score {
        self.draws[self.pos.side().index()] + (self.nodes & 2) as Score - 1
    }

    /// The tags of a quiet move, by which its histories are found.
    #[inline]
    pub(super) fn quiet_tags(&mut self, ply: usize, m: P::Move) -> Tags {
        let threats = self.threats(ply);
        self.pos.tags(m).under(&threats)
    }

    /// The squares that the other side attacks, found once a node.
    #[inline]
    fn threats(&mut self, ply: usize) -> Threats {
        if let Some(known) = self.frame(ply).threats {
            return known;
        }
        let threats = self.pos.threats();
        self.frame(ply).threats = Some(threats);
        threats
    }

    pub(super) fn score_tactical(&mut self, from: usize) {
        for s in self.moves.since(from) {
            let tags = self.pos.tags(s.mv);
            s.score = P::Tune::order_gain() * self.pos.gain(s.mv) + self.histories.capture(tags);
        }
    }

    /// Scores the quiet moves from `from` on and brings the best to their front.
    pub(super) fn score_quiet(&mut self, from: usize, ply: usize, map: &P::CheckMap) {
        let side = self.pos.side().index();
        let pawns = self.pos.correction_keys()[0];
        let (line, _) = self.line(ply);
        let killer = self.back(ply, 0).killer;
        let threats = self.threats(ply);
        let lesser = [
            P::Tune::order_lesser_minor(),
            P::Tune::order_lesser_rook(),
            P::Tune::order_lesser_queen(),
        ];
        let rows = self.histories.rows(side, pawns, line);
        let moves = self.moves.since(from);
        let mut best = i32::MIN;
        for (i, s) in moves.iter_mut().enumerate() {
            let tags = self.pos.tags(s.mv).under(&threats);
            let mut score = rows.sum(tags);
            score += match tags.attacked {
                1 => -P::Tune::order_escape(),
                2 => P::Tune::order_escape(),
                _ => 0,
            };
            // The more so before lesser pieces, which win by the exchange (Stockfish; +8 Elo).
            if let Some(class) = P::threat_class(tags.piece) {
                score += threats.escape(class, tags) * lesser[class];
            }
            if s.mv == killer {
                score += P::Tune::order_killer();
            }
            // Checks first (Stockfish; in chess -3 Elo and 2 % of the nodes a second, so not there).
            if P::Tune::order_check() > 0 && self.pos.checks(map, s.mv) {
                score += P::Tune::order_check();
            }
            s.score = score;
            best = best.max(rank(score, i));
        }
        if !moves.is_empty() {
            moves.swap(0, place(best));
        }
    }
}

impl<P: Position, E: Evaluator<P>> Worker<P, E> {
    /// The best line found below `ply` becomes `m` and what was found one ply deeper.
    pub(super) fn update_pv(&mut self, ply: usize, m: P::Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(m);
        line.extend_from_slice(&tail[0]);
    }
}
