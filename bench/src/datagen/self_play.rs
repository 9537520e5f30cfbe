//! The games of `nguky datagen`: openings, moves, random moves, positions from inside the search tree, and when a game
//! ends.

use super::{DatagenArgs, starts};
use crate::games::{GameRecord, ScoredMove};
use anyhow::Result;
use nguky::control::{Limits, Signal};
use nguky::eval::{Eval, EvalSource};
use nguky::game::random::{random_move, step, walk};
use nguky::game::{Evaluator as _, Kind, Move, Moves, PieceValues, Side, Verdict};
use nguky::search::score::decisive;
use nguky::search::{ContinuationHistories, Shared, Table, Task, Worker};
use nguky::util::rng::SplitMix;
use std::sync::Arc;
use std::time::Instant;

/// How long a score has to stand beyond `--give-up`.
const GIVE_UP_PLIES: u32 = 4;
/// A game that was level for so many plies, beyond so many plies, is called drawn.
const LEVEL: i32 = 5;
const LEVEL_PLIES: u32 = 12;
const LEVEL_FROM: usize = 80;
/// Longer games are called drawn.
const LONGEST: usize = 400;
/// Tries for a fair opening.
const TRIES: usize = 200;
/// The first and the last ply at which a random move is played.
const RANDOM_PLIES: (u64, u64) = (20, 80);
/// The rest of a game of chance is played several times from one of so many plies after the opening.
const FORK_WITHIN: u64 = 50;
/// Plies from the root to a position inside the tree at most, and random moves tried for each.
const DEEPEST: usize = 12;
const PICKS: usize = 12;

/// One searcher, used for game after game.
pub struct SelfPlayer<P: PieceValues> {
    worker: Worker<P, Eval<P>>,
    shared: Arc<Shared<P>>,
}

impl<P: PieceValues> SelfPlayer<P> {
    /// A searcher with this evaluator.
    pub fn new(source: &EvalSource) -> Result<Self> {
        let start = P::parse(P::START, &P::Rules::default())?;
        let shared = Arc::new(Shared {
            table: Arc::new(Table::new(2).map_err(anyhow::Error::msg)?),
            continuation: Arc::new(ContinuationHistories::new()?),
            signal: Arc::new(Signal::default()),
            tablebase: None,
            counters: vec![Default::default()],
        });
        let worker = Worker::new(0, start, Eval::new(source), shared.clone())?;
        Ok(Self { worker, shared })
    }

    /// Forgets all it has seen.
    pub fn clear(&mut self) {
        self.shared.table.clear();
        self.shared.continuation.clear();
        self.worker.clear();
    }

    /// The best move and its score for the side to move.
    pub fn think(&mut self, pos: &P, nodes: u64) -> (P::Move, i32) {
        let mut moves = Moves::new();
        pos.generate(Kind::All, &mut moves);
        self.shared.signal.begin(Instant::now(), false);
        self.shared.table.grow_older();
        self.worker.set_position(pos);
        let mut task = Task::new(Limits::nodes(8 * nodes), moves.iter().collect(), Arc::new(|_| {}));
        (task.soft, task.shown) = (Some(nodes), 0);
        self.worker.think(&task, true);
        let found = self.worker.finish();
        (found.pv.first().copied().unwrap_or(task.moves[0]), found.score)
    }

    /// The position after the captures that quiescence expects, drawing what they turn up, and its static score for the
    /// side to move.
    pub fn settle(&mut self, mut pos: P, rng: &mut SplitMix) -> (P, i32) {
        for mv in self.worker.settle(&pos) {
            step(&mut pos, mv, rng);
        }
        self.worker.set_position(&pos);
        let score = self.worker.evaluator().score(&pos);
        (pos, score)
    }

    /// Plays one game, as the records that it is kept in; without moves when no fair opening was found.
    pub fn game(&mut self, args: &DatagenArgs, blank: GameRecord) -> Vec<GameRecord> {
        let mut rng = SplitMix::new(SplitMix::new(args.seed).next() ^ blank.number);
        self.clear();
        let Some((setup, pos, plies)) = self.opening(args, &mut rng) else {
            return vec![blank];
        };
        let ply = plies.len();
        let random_at = RANDOM_PLIES.0 + rng.below(RANDOM_PLIES.1 - RANDOM_PLIES.0 + 1);
        let run = Run {
            pos,
            ply,
            random_at: percent(args.random_moves, &mut rng).then_some(random_at as usize),
            fork_at: (P::CHANCE && args.deals > 1).then(|| ply + rng.below(FORK_WITHIN) as usize),
            record: GameRecord {
                setup,
                plies,
                ..blank.clone()
            },
            decided: 0,
            level: 0,
        };
        let mut records = Vec::new();
        self.play_out(args, run, &mut rng, &mut records);
        for record in records.iter_mut().rev().skip(1) {
            record.more = true;
        }
        records
    }

    /// Plays to the end, puts the records into `records` and returns the result for the first side, or the mean of
    /// several.
    fn play_out(
        &mut self,
        args: &DatagenArgs,
        mut run: Run<P>,
        rng: &mut SplitMix,
        records: &mut Vec<GameRecord>,
    ) -> f32 {
        let result = loop {
            if let Some(result) = run.ended() {
                break result;
            }
            if run.fork_at == Some(run.ply) {
                run.fork_at = None;
                let mut one = |_| self.play_out(args, run.fresh(), rng, records);
                break (0..args.deals).map(&mut one).sum::<f32>() / f32::from(args.deals);
            }
            let first = run.pos.side() == Side::First;
            let (full, nodes) = args.draw_ply(rng);
            let (mv, score) = self.think(&run.pos, nodes);
            let score = if first { score } else { -score };
            run.record.plies.push(ScoredMove {
                mv: mv.raw(),
                outcome: None,
                score: full.then_some(score),
            });
            if full && percent(args.inside, rng) {
                records.extend(self.inside(&run, args.nodes, rng));
            }
            if run.random_at == Some(run.ply)
                && let Some(mv) = random_move(&run.pos, rng)
            {
                // What came before has its scores, but not the result of a game that this move turned.
                run.play(mv, rng);
                let fresh = run.fresh();
                let played = std::mem::replace(&mut run, fresh);
                records.push(GameRecord {
                    result: None,
                    ..played.record
                });
                continue;
            }
            run.decided = if score.abs() > args.give_up { run.decided + 1 } else { 0 };
            run.level = if score.abs() <= LEVEL { run.level + 1 } else { 0 };
            if run.decided >= GIVE_UP_PLIES {
                break if score > 0 { 1.0 } else { 0.0 };
            }
            if run.level >= LEVEL_PLIES && run.ply >= LEVEL_FROM {
                break 0.5;
            }
            let outcome = run.play(mv, rng);
            if let Some(last) = run.record.plies.last_mut() {
                last.outcome = outcome;
            }
        };
        records.push(GameRecord {
            result: Some(result),
            ..run.record
        });
        result
    }

    /// A quiet position from inside the tree that the last search left in the table, as a record of one ply: down from the
    /// root by random moves that the search has looked at, then through the captures that quiescence expects.
    fn inside(&mut self, run: &Run<P>, nodes: u64, rng: &mut SplitMix) -> Option<GameRecord> {
        let mut pos = run.pos.clone();
        for depth in 0..DEEPEST {
            let child = (0..PICKS).find_map(|_| {
                let mut child = pos.clone();
                step(&mut child, random_move(&pos, rng)?, rng);
                let known = self.shared.table.probe::<P::Move>(child.key(), 0).is_some();
                (known && child.ended().is_none()).then_some(child)
            });
            match child {
                Some(child) => pos = child,
                None if depth == 0 => return None,
                None => break,
            }
            if rng.below(3) == 0 {
                break;
            }
        }
        let (pos, _) = self.settle(pos, rng);
        if pos.ended().is_some() || pos.in_check() {
            return None;
        }
        let (mv, score) = self.think(&pos, nodes);
        if pos.is_tactical(mv) || decisive(score) {
            return None;
        }
        let score = Some(if pos.side() == Side::First { score } else { -score });
        Some(GameRecord {
            setup: pos.setup(),
            result: None,
            plies: vec![ScoredMove {
                mv: mv.raw(),
                outcome: None,
                score,
            }],
            ..run.record
        })
    }

    /// A random opening that the engine finds fair: its setup (empty for the game's start), the position and its plies.
    fn opening(&mut self, args: &DatagenArgs, rng: &mut SplitMix) -> Option<(String, P, Vec<ScoredMove>)> {
        let kind = rng.below(100);
        let (dfrc, long) = (u64::from(args.dfrc), u64::from(args.long_openings));
        let setup = (kind < dfrc).then(|| starts::dfrc::<P>(rng)).flatten();
        let longer = if (dfrc..dfrc + long).contains(&kind) {
            2 + rng.below(2)
        } else {
            0
        };
        let start = P::parse(setup.as_deref().unwrap_or(P::START), &P::Rules::default()).ok()?;
        for _ in 0..TRIES {
            let mut plies = Vec::new();
            let length = args.plies + longer + rng.below(2);
            let end = walk(&start, length, rng, |pos, mv, rng| {
                let outcome = step(pos, mv, rng);
                plies.push(ScoredMove {
                    mv: mv.raw(),
                    outcome,
                    score: None,
                });
            });
            if let Some(pos) = end
                && self.think(&pos, args.nodes).1.abs() <= args.fair
            {
                return Some((setup.unwrap_or_default(), pos, plies));
            }
        }
        None
    }
}

/// A game that is being played.
struct Run<P> {
    pos: P,
    /// Plies since the game's start.
    ply: usize,
    /// The ply of the random move.
    random_at: Option<usize>,
    /// The ply from which the rest is played several times.
    fork_at: Option<usize>,
    /// What has been played and not been kept yet.
    record: GameRecord,
    /// For how many plies the score has been beyond `--give-up`.
    decided: u32,
    /// For how many plies the game has been level.
    level: u32,
}

impl<P: PieceValues> Run<P> {
    /// The same position as the beginning of another record.
    fn fresh(&self) -> Self {
        Self {
            pos: self.pos.clone(),
            record: GameRecord {
                setup: self.pos.setup(),
                plies: Vec::new(),
                ..self.record
            },
            decided: 0,
            level: 0,
            ..*self
        }
    }

    /// The result for the first side, if the game has ended by its rules or by its length.
    fn ended(&self) -> Option<f32> {
        if self.ply >= LONGEST {
            return Some(0.5);
        }
        let first = self.pos.side() == Side::First;
        self.pos.ended().map(|end| match (end.verdict, first) {
            (Verdict::Win, true) | (Verdict::Loss, false) => 1.0,
            (Verdict::Win, false) | (Verdict::Loss, true) => 0.0,
            _ => 0.5,
        })
    }

    fn play(&mut self, mv: P::Move, rng: &mut SplitMix) -> Option<u8> {
        self.ply += 1;
        step(&mut self.pos, mv, rng)
    }
}

/// True so many times in a hundred.
pub(super) fn percent(times: u8, rng: &mut SplitMix) -> bool {
    rng.below(100) < times.into()
}
