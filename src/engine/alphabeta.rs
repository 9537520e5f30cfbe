//! The alpha-beta engine of any board game behind the facade: options, position, search threads.

mod answer;
mod openings;

use super::prove::{Look, Solver, shares};
use super::settings::{self, EVAL_DIR};
use crate::control::{
    Bound, Choice, Engine, HUMAN_PACE, Known, Lag, LimitedStrength, Limits, Options, Pool, Report, Signal, Sink,
    TimeControl, Value, clock, human_pace,
};
use crate::eval::nnue::HalfKp;
use crate::eval::{Eval, EvalSource, nets};
use crate::game::{BadInput, Evaluator, Extras, Kind, Moves, OptionKind, PieceValues, Rules, Side, Tunables, Verdict};
use crate::search::table::TableBound;
use crate::search::{ContinuationHistories, Shared, Table, Task, Worker};
use crate::util::pages::room_for;
use crate::util::rng::SplitMix;
use answer::{conclude, concluded_by, gather};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

type Seat<P> = Arc<Mutex<Worker<P, Eval<P>>>>;

/// An engine for the game `P`.
pub struct AlphaBeta<P: PieceValues> {
    pub(super) options: Options,
    extras: Box<dyn Extras<P>>,
    /// Where the evaluation comes from.
    source: EvalSource,
    /// What is yet to be said of the evaluation: that no network is built in.
    note: Option<String>,
    /// Draws book moves and the errors of a weakened engine.
    dice: Arc<Mutex<SplitMix>>,
    rules: P::Rules,
    pub(super) pos: P,
    pub(super) signal: Arc<Signal>,
    /// What moves cost beside their search.
    lag: Lag,
    shared: Arc<Shared<P>>,
    workers: Vec<Seat<P>>,
    pub(super) pool: Pool,
    pub(super) searching: bool,
    /// Whether nothing was searched since the last [`Engine::new_game`].
    pub(super) clean: bool,
    /// Whether the table holds nothing yet: it came from the system as zeros.
    pub(super) blank: bool,
    /// The solver of mates, once it was needed.
    pub(super) solver: Option<Solver<P>>,
}

/// A seed of this moment.
fn seed() -> u64 {
    std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A worker that panicked is set up anew before each search, so its poison means nothing.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: PieceValues> AlphaBeta<P> {
    /// An engine at the game's start with one thread and a small table, and with the game's extras.
    pub fn new() -> Result<Self, String> {
        Self::with(P::extras())
    }

    /// The same with other extras.
    pub fn with(extras: Box<dyn Extras<P>>) -> Result<Self, String> {
        let options = settings::declared(extras.as_ref());
        let rules = P::Rules::default();
        let pos = P::parse(P::START, &rules).map_err(|e| e.to_string())?;
        let signal = Arc::new(Signal::default());
        let table = Arc::new(Table::new(16)?);
        let shared = Arc::new(Shared {
            table,
            continuation: Arc::new(ContinuationHistories::new().map_err(|e| e.to_string())?),
            signal: signal.clone(),
            tablebase: None,
            counters: Vec::new(),
        });
        let pool = Pool::new(0).map_err(|e| e.to_string())?;
        let mut engine = Self {
            options,
            extras,
            source: EvalSource::built_in::<P>()?,
            note: nets::missing(P::NAME),
            dice: Arc::new(Mutex::new(SplitMix::new(seed()))),
            rules,
            pos,
            signal,
            lag: Lag::default(),
            shared,
            workers: Vec::new(),
            pool,
            searching: false,
            clean: false,
            blank: true,
            solver: None,
        };
        engine.set_threads(1)?;
        Ok(engine)
    }

    fn set_threads(&mut self, n: usize) -> Result<(), String> {
        // The old threads are only given up once the new ones exist; a failure keeps them.
        let pool = Pool::new(n).map_err(|e| format!("no {n} threads to be had: {e}"))?;
        let no_memory = |e| format!("no memory for {n} threads: {e}");
        let continuation = Arc::new(ContinuationHistories::new().map_err(no_memory)?);
        let shared = self.new_shared(n, self.shared.table.clone(), continuation);
        let seat = |id| -> std::io::Result<Seat<P>> {
            // An evaluator's tables are ordinary vectors.
            room_for(0)?;
            let worker = Worker::new(id, self.pos.clone(), Eval::new(&self.source), shared.clone())?;
            Ok(Arc::new(Mutex::new(worker)))
        };
        let workers = (0..n).map(seat).collect::<Result<_, _>>().map_err(no_memory)?;
        (self.workers, self.shared, self.pool) = (workers, shared, pool);
        self.clean = false;
        Ok(())
    }

    fn new_shared(
        &self,
        threads: usize,
        table: Arc<Table>,
        continuation: Arc<ContinuationHistories<P>>,
    ) -> Arc<Shared<P>> {
        Arc::new(Shared {
            table,
            continuation,
            signal: self.signal.clone(),
            tablebase: self.extras.tables(),
            counters: (0..threads).map(|_| Default::default()).collect(),
        })
    }

    fn replace_shared(&mut self, table: Arc<Table>) {
        self.shared = self.new_shared(self.pool.len(), table, self.shared.continuation.clone());
        for worker in &self.workers {
            lock(worker).set_shared(self.shared.clone());
        }
    }

    fn set_hash(&mut self, megabytes: usize) -> Result<(), String> {
        // The old table is only given up once the new one exists; a failure keeps it.
        let table = Arc::new(Table::new(shares::<P>(megabytes as i64)[0])?);
        self.replace_shared(table);
        self.blank = true;
        self.solver = None;
        self.clean = false;
        Ok(())
    }

    /// Loads the network of a file. On an error the former one stays.
    fn set_net(&mut self, path: &str) -> Result<(), String> {
        self.set_source(EvalSource::of_file::<P>(path)?)?;
        self.note = if path.is_empty() { nets::missing(P::NAME) } else { None };
        Ok(())
    }

    /// Loads `nn.bin` of a folder. The usual folder need not have one, any other must.
    fn set_half_kp(&mut self, folder: &str) -> Result<(), String> {
        let path = std::path::Path::new(folder).join("nn.bin");
        if (folder == EVAL_DIR || folder.is_empty()) && !path.exists() {
            let file = self.options.text("EvalFile").to_string();
            return self.set_net(&file);
        }
        let file = Arc::new(HalfKp::open(path)?);
        self.set_source(EvalSource::HalfKp(file, self.options.spin("FV_SCALE") as i32))
    }

    /// Forgets what the table holds. A table that holds nothing gets its memory in the background: a large one would keep
    /// the client waiting for the answer.
    fn clear_table(&mut self) {
        if !self.blank {
            self.shared.table.clear();
            self.blank = true;
            return;
        }
        let table = Arc::downgrade(&self.shared.table);
        std::thread::spawn(move || {
            // A table that was given up meanwhile goes at once.
            let mut part = 0;
            while table.upgrade().is_some_and(|t| t.populate(part)) {
                part += 1;
            }
        });
    }

    fn set_source(&mut self, source: EvalSource) -> Result<(), String> {
        self.source = source;
        self.set_threads(self.pool.len())?;
        // Scores of the other evaluation are worth nothing now.
        self.clear_table();
        Ok(())
    }

    /// Acts on an option that has just been set.
    fn apply(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match (name, value) {
            ("Hash", &Value::Spin { now, .. }) => return self.set_hash(now as usize),
            ("Threads", &Value::Spin { now, .. }) => return self.set_threads(now as usize),
            ("EvalFile", Value::File(path)) => return self.set_net(path),
            ("EvalDir", Value::Text(folder)) => return self.set_half_kp(folder),
            ("FV_SCALE", &Value::Spin { now, .. }) => {
                if let EvalSource::HalfKp(file, _) = &self.source {
                    return self.set_source(EvalSource::HalfKp(file.clone(), now as i32));
                }
            }
            ("Clear Hash", _) => self.new_game(),
            _ => {}
        }
        if let Some(rule) = P::Rules::options().iter().find(|r| r.name == name) {
            debug_assert!(!matches!(rule.kind, OptionKind::Check { .. }) || matches!(value, Value::Check(_)));
            self.rules.set(name, &value.text()).map_err(|e| e.to_string())?;
            // The position on the board is read anew under the new rules where they allow it.
            if let Ok(pos) = P::parse(&self.pos.setup(), &self.rules) {
                self.pos = pos;
            }
        }
        if self.extras.options().iter().any(|o| o.name == name) {
            self.extras.set(name, &value.text()).map_err(|e| e.to_string())?;
            self.replace_shared(self.shared.table.clone());
        }
        if let Some(t) = P::Tune::all().iter().find(|t| t.name == name) {
            (t.set)(self.options.spin(name) as i32);
        }
        Ok(())
    }

    /// The root moves that the limits leave; those that the game spares the search only where they are asked for.
    fn root_moves(&self, limits: &Limits) -> Vec<P::Move> {
        let mut moves = Moves::new();
        if limits.searchmoves.is_empty() {
            self.pos.generate(Kind::All, &mut moves);
        } else {
            self.pos.generate_all_legal(&mut moves);
        }
        let named = |list: &[String]| -> Vec<P::Move> {
            list.iter().filter_map(|text| self.pos.parse_move(text).ok()).collect()
        };
        let (only, never) = (named(&limits.searchmoves), named(&limits.banmoves));
        let wanted = |m: &P::Move| (limits.searchmoves.is_empty() || only.contains(m)) && !never.contains(m);
        moves.iter().filter(wanted).collect()
    }

    pub(super) fn budget(&self, limits: &Limits) -> Option<clock::Budget> {
        let overhead = Duration::from_millis(self.options.spin("Move Overhead") as u64) + self.signal.lateness();
        let cap = Some(self.options.spin("MoveTimeCap") as u64).filter(|&ms| ms > 0);
        let capped = Limits {
            move_cap: cap.map(Duration::from_millis).into_iter().chain(limits.move_cap).min(),
            ..limits.clone()
        };
        // A cap alone is no reason to move: an endless search stays one.
        let limits = if limits.time == TimeControl::None {
            limits
        } else {
            &capped
        };
        let manage = clock::TimeManagement {
            horizon: P::Tune::horizon() as u32,
            horizon_late: P::Tune::horizon_late() as u32,
            increments: P::Tune::time_increments() as u32,
            hard: P::Tune::time_hard() as u32,
            limit: P::Tune::time_limit() as u32,
            progress: clock::Progress {
                moves: self.pos.game_ply() / 2,
                lag: self.lag.known(),
            },
        };
        clock::plan(limits, overhead, manage)
    }

    fn answer(&self, sink: &Sink, infinite: bool, choice: Choice) {
        let (signal, sink) = (self.signal.clone(), sink.clone());
        if infinite || signal.pondering() {
            // Even an answer that needs no thought waits for its word; a thread of its own does the waiting.
            std::thread::spawn(move || {
                signal.await_release(infinite);
                sink(Report::Best {
                    choice,
                    ponder: None,
                    draw: false,
                });
            });
        } else {
            sink(Report::Best {
                choice,
                ponder: None,
                draw: false,
            });
        }
    }

    /// How weakly to play, when that is asked for; an analysis is always at full strength.
    fn limited_strength(&self, limits: &Limits) -> Option<LimitedStrength> {
        let elo = self.options.spin("UCI_Elo") as i32;
        let asked = self.options.check("UCI_LimitStrength");
        LimitedStrength::at(P::ABOUT.levels, elo).filter(|_| asked && !limits.infinite)
    }

    /// How long a level waits with its move.
    fn pace(&self, limits: &Limits, budget: Option<clock::Budget>, moves: usize) -> Duration {
        if self.options.check(HUMAN_PACE.0) {
            human_pace(limits, budget, moves, &mut lock(&self.dice))
        } else {
            Duration::ZERO
        }
    }

    /// A move out of the book, where one may be played without thought.
    fn book_move(&self, limits: &Limits) -> Option<P::Move> {
        let free = limits.searchmoves.is_empty() && limits.banmoves.is_empty() && limits.mate.is_none();
        if limits.infinite || limits.ponder || !free || self.options.check("UCI_AnalyseMode") {
            return None;
        }
        let dice = lock(&self.dice).next();
        self.extras.book_move(&self.pos, dice).filter(|&m| self.pos.is_legal(m))
    }

    /// Starts the helpers, then the first worker, whose job also gathers the others' findings and answers. At a
    /// limited strength, which may wait with its move, the first worker is alone.
    fn start(&mut self, task: Task<P::Move>, strength: Option<(LimitedStrength, Duration)>, look: Option<Look<P>>) {
        self.blank = false;
        self.shared.table.grow_older();
        let (tell, findings) = channel();
        let helpers = if strength.is_none() { self.workers.len() } else { 1 };
        for id in (1..helpers).rev() {
            let (worker, task, pos, tell) = (self.workers[id].clone(), task.clone(), self.pos.clone(), tell.clone());
            self.pool.run(id, move || {
                let mut worker = lock(&worker);
                worker.set_position(&pos);
                worker.think(&task, false);
                let _ = tell.send((worker.finish(), worker.last_lines(&task)));
            });
        }
        drop(tell);
        let (worker, pos, signal) = (self.workers[0].clone(), self.pos.clone(), self.signal.clone());
        let dice = self.dice.clone();
        self.pool.run(0, move || {
            let look = || look.and_then(|l| l.take(&pos, task.limits.start, &signal));
            if let Ok(Some(mate)) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(look)) {
                signal.await_release(false);
                signal.stop();
                (task.sink)(concluded_by(mate, &task.sink));
                return;
            }
            let run = || {
                let mut worker = lock(&worker);
                worker.set_position(&pos);
                worker.think(&task, true);
            };
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
                (task.sink)(Report::Message(
                    "the search failed; answering with what it had found".into(),
                ));
            }
            signal.await_release(task.limits.infinite);
            if let Some((_, pace)) = strength {
                signal.await_elapsed(pace);
            }
            signal.stop();
            let mut worker = lock(&worker);
            if let Some((strength, _)) = strength {
                let (scores, difficulty) = (worker.scores(strength.lines), worker.difficulty());
                let choice = strength.choose(&scores, difficulty, &mut lock(&dice));
                worker.prefer(choice, &task);
            }
            let (best, lines) = gather(worker.finish(), &findings);
            for line in lines {
                (task.sink)(Report::Info(line));
            }
            if let Some(budget) = task.budget.filter(|_| !task.limits.infinite && !task.limits.ponder) {
                signal.note_answer(budget.hard);
            }
            (task.sink)(conclude(&pos, &task, &best));
        });
    }
}

impl<P: PieceValues> Engine for AlphaBeta<P> {
    fn options(&self) -> &Options {
        &self.options
    }

    fn set_option(&mut self, name: &str, text: Option<&str>) -> Result<(), BadInput> {
        self.wait();
        let former = self.options.get(name).cloned();
        let new = self.options.set(name, text)?;
        if let Err(why) = self.apply(new.name, &new.value) {
            if let Some(former) = former {
                self.options.restore(former);
            }
            return Err(BadInput::new(format!("option {}: {why}", new.name)));
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.wait();
        // A second word of the same game costs nothing: clocks may be running by then.
        if std::mem::replace(&mut self.clean, true) {
            return;
        }
        self.clear_table();
        self.shared.continuation.clear();
        for worker in &self.workers {
            lock(worker).clear();
        }
        if let Some(solver) = self.solver() {
            lock(&solver).clear();
        }
    }

    fn position(&mut self, setup: Option<&str>, moves: &[&str]) -> Result<(), BadInput> {
        self.wait();
        let mut pos = P::parse(setup.unwrap_or(P::START), &self.rules)?;
        for text in moves {
            pos.play_text(text)?;
        }
        self.pos = pos;
        Ok(())
    }

    fn go(&mut self, limits: Limits, sink: Sink) -> Result<(), BadInput> {
        self.wait();
        self.lag.read(self.pos.game_ply(), limits.time, self.signal.spent());
        self.signal.begin(limits.start, limits.ponder);
        if let Some(note) = self.note.take() {
            sink(Report::Message(note));
        }
        if let Some(most) = limits.prove {
            self.prove(most, limits, sink);
            return Ok(());
        }
        if limits.claims && self.pos.may_claim() {
            let won = crate::search::score::outlook(crate::search::score::RULE_WIN);
            sink(Report::Info(super::empty_info(won)));
            self.answer(&sink, false, Choice::ClaimWin);
            return Ok(());
        }
        let moves = self.root_moves(&limits);
        if moves.is_empty() {
            // Where the client's own choice leaves no move, the game may go on.
            let lost = self.pos.count_legal() == 0 && self.pos.no_moves() == Verdict::Loss;
            let score = if lost { crate::search::score::mated_in(0) } else { 0 };
            sink(Report::Info(super::empty_info(crate::search::score::outlook(score))));
            self.answer(&sink, limits.infinite, Choice::Nothing);
            return Ok(());
        }
        if let Some(mv) = self.book_move(&limits) {
            sink(Report::Message(format!("book move {}", self.pos.move_text(mv))));
            self.answer(&sink, false, Choice::Move(self.pos.move_text(mv)));
            return Ok(());
        }
        let strength = self.limited_strength(&limits);
        let shown = self.options.spin("MultiPV") as usize;
        let task = Task {
            budget: self.budget(&limits),
            lines: strength.map_or(shown, |h| shown.max(h.lines)),
            shown,
            cap: strength.map(|h| h.nodes),
            table: self.extras.tables().and_then(|t| t.root_moves(&self.pos)),
            ..Task::new(limits, moves, sink)
        };
        let look = match strength {
            None => self.look(&task.limits, task.budget.map(|b| b.soft)),
            Some(_) => None,
        };
        let strength = strength.map(|s| (s, self.pace(&task.limits, task.budget, task.moves.len())));
        (self.searching, self.clean) = (true, false);
        self.start(task, strength, look);
        Ok(())
    }

    fn stop(&self) {
        self.signal.stop();
    }

    fn ponderhit(&self) {
        self.signal.ponderhit();
    }

    fn ponderhit_with(&self, limits: &Limits) {
        self.signal.ponderhit_with(self.budget(limits));
    }

    fn wait(&mut self) {
        if self.searching {
            self.pool.wait();
            self.searching = false;
        }
    }

    fn side(&self) -> Side {
        self.pos.side()
    }

    fn picture(&self) -> String {
        self.pos.picture()
    }

    fn setup(&self) -> String {
        self.pos.setup()
    }

    fn explain(&mut self) -> String {
        self.wait();
        let mut eval = Eval::<P>::new(&self.source);
        eval.reset(&self.pos);
        eval.explain(&self.pos)
    }

    fn probe(&self, setup: Option<&str>, moves: &[&str]) -> Option<Known> {
        let mut pos = P::parse(setup.unwrap_or(P::START), &self.rules).ok()?;
        for text in moves {
            pos.play_text(text).ok()?;
        }
        let e = self.shared.table.probe::<P::Move>(pos.key(), 0)?;
        let bound = match e.bound {
            TableBound::None => return None,
            TableBound::Exact => Bound::Exact,
            TableBound::Lower => Bound::Lower,
            TableBound::Upper => Bound::Upper,
        };
        Some(Known {
            mv: pos.is_legal(e.mv).then(|| pos.move_text(e.mv)),
            outlook: crate::search::score::outlook(e.score),
            bound,
            depth: e.depth.max(0) as u32,
        })
    }

    fn perft_counts(&self) -> Option<&'static str> {
        P::CHANCE.then_some("perft counts each kind that a move can turn up as a leaf of its own")
    }

    fn is_legal(&self, mv: &str) -> bool {
        self.pos.parse_move(mv).is_ok_and(|m| self.pos.move_text(m) == mv)
    }

    fn perft(&self, depth: u32, threads: usize, halt: &AtomicBool) -> Vec<(String, u64)> {
        let perft = crate::game::perft::Perft { bulk: true, threads };
        perft
            .divide_until(&self.pos, depth, halt)
            .into_iter()
            .map(|(m, n)| (self.pos.move_text(m), n))
            .collect()
    }

    fn bench(&mut self, depth: u32, each: &mut dyn FnMut(usize, u64)) -> (u64, f64) {
        let (mut total, mut seconds) = (0, 0.0);
        let board = self.pos.clone();
        for (i, setup) in P::BENCH.iter().enumerate() {
            self.new_game();
            if self.position(Some(setup), &[]).is_err() {
                continue;
            }
            let start = Instant::now();
            self.signal.begin(start, false);
            // Not by `go`: no book and no limited strength.
            let moves = self.root_moves(&Limits::default());
            if !moves.is_empty() {
                (self.searching, self.clean) = (true, false);
                self.start(Task::new(Limits::depth(depth), moves, Arc::new(|_| {})), None, None);
                self.wait();
            }
            seconds += start.elapsed().as_secs_f64();
            let nodes = self.shared.nodes();
            total += nodes;
            each(i, nodes);
        }
        self.pos = board;
        (total, seconds)
    }

    fn openings(&mut self, n: usize, seed: u64) -> Vec<String> {
        self.fair_openings(n, seed)
    }
}

impl<P: PieceValues> Drop for AlphaBeta<P> {
    fn drop(&mut self) {
        self.signal.stop();
        self.wait();
    }
}
