//! The go engine behind the facade: the search with its threads, clock and decisions.

#[cfg(test)]
mod net_tests;
mod options;
mod pace;
mod setup;
mod strength;
mod task;
#[cfg(test)]
mod tests;

pub use strength::PLAYOUTS_A_NET_VISIT;
pub use task::{Ban, Decision};

use crate::control::{
    Engine, HUMAN_PACE, Limits, Options, Pool, Report, Signal, Sink, TimeControl, Value, clock, human_pace,
};
use crate::game::{BadInput, Rules as _, Side};
use crate::games::go::rules::{DeadStones, Rules};
use crate::games::go::score::{self, Status};
use crate::games::go::types::{PASS, Point};
use crate::games::go::{Board, Game, coords};
use crate::mcts::evaluator::{Evaluation, EvaluatorFactory};
use crate::mcts::network::{NetEvaluator, Network, Optimism, Precision, RawOutput, Symmetry};
use crate::mcts::playouts::PlayoutEvaluator;
use crate::mcts::state::SearchState;
use crate::mcts::{Analysis, Search, SearchParams};
use crate::util::rng::SplitMix;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use strength::RankedPlay;
use task::Task;

/// Visits of the search that decides which stones are dead.
const STATUS_VISITS: u64 = 24;
/// Visits of a board of the bench at depth 1.
const BENCH_VISITS: u64 = 20;

/// The go engine.
pub struct Mcts {
    options: Options,
    game: Game,
    size: usize,
    signal: Arc<Signal>,
    search: Arc<Search>,
    params: SearchParams,
    /// Makes the evaluators of the network.
    net_factory: Option<EvaluatorFactory>,
    network: Option<Arc<Network>>,
    pool: Pool,
    searching: bool,
    /// Whether the last search was at a rank.
    ranked: bool,
    cleanup: bool,
    bans: Vec<Ban>,
    decision: Arc<OnceLock<Decision>>,
    seed: u64,
}

impl Mcts {
    /// An engine on an empty 19 x 19 board.
    pub fn new() -> Result<Self, String> {
        let game = Game::new(19, Rules::default()).map_err(|e| e.to_string())?;
        let mut engine = Self {
            search: Arc::new(Search::new(&game, 0, SearchParams::default())),
            params: SearchParams::default(),
            net_factory: None,
            network: None,
            options: options::declared(),
            size: 19,
            game,
            signal: Arc::new(Signal::default()),
            pool: Pool::new(1).map_err(|e| e.to_string())?,
            searching: false,
            ranked: false,
            cleanup: false,
            bans: Vec::new(),
            decision: Arc::default(),
            seed: 1,
        };
        engine.load()?;
        Ok(engine)
    }

    /// The game on the board.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Puts another game on the board; a running search ends first.
    pub fn set_game(&mut self, game: Game) {
        self.halt();
        let former = std::mem::replace(&mut self.size, game.board().size());
        self.game = game;
        if self.size != former {
            self.prepare();
        }
    }

    /// Makes the network ready for the size of the board, which takes a large one a while, before a clock runs.
    fn prepare(&self) {
        if let Some(network) = &self.network {
            let mut evaluator = NetEvaluator::new(network.clone(), Symmetry::Fixed(0), 0);
            evaluator.raw(&SearchState::of(&self.game), 0, Optimism::NONE.root);
        }
    }

    /// Plays a move for a side.
    pub fn play(&mut self, p: Point, side: Side) -> Result<(), BadInput> {
        self.halt();
        self.game.play(p, side)
    }

    /// Whether the next searches must capture all that is dead before they pass.
    pub fn set_cleanup(&mut self, on: bool) {
        self.cleanup = on;
    }

    /// Moves that the next searches leave out.
    pub fn set_bans(&mut self, bans: Vec<Ban>) {
        // What was found under other bans would be misread.
        if !bans.is_empty() || !self.bans.is_empty() {
            self.new_game();
        }
        self.bans = bans;
    }

    /// The parameters of the search.
    pub fn params(&self) -> &SearchParams {
        &self.params
    }

    /// Sets the parameters of the search; those that depend on the evaluator are replaced where playouts evaluate.
    pub fn set_params(&mut self, params: SearchParams) {
        self.halt();
        self.params = params;
        let params = self.params_in_use();
        match Arc::get_mut(&mut self.search) {
            Some(search) => search.params = params,
            None => self.renew(),
        }
    }

    fn params_in_use(&self) -> SearchParams {
        if self.has_network() {
            self.params
        } else {
            self.params.for_playouts()
        }
    }

    /// Sets what makes the evaluators of a network; without one playouts evaluate.
    pub fn set_net_factory(&mut self, factory: Option<EvaluatorFactory>) {
        self.halt();
        self.net_factory = factory;
        self.renew();
    }

    /// Loads the network that the options name: a file's, or the one that is built in, if any. On an error the former stays.
    fn load(&mut self) -> Result<(), String> {
        let bytes = (self.options.spin("Net Cache") as usize) << 20;
        let precision = Precision::named(self.options.text("Precision"));
        let network = match self.options.text("Model") {
            "" => Network::built_in(precision, bytes)?,
            path => Some(Network::open(path, precision, bytes)?),
        };
        self.set_network(network);
        Ok(())
    }

    fn set_network(&mut self, network: Option<Network>) {
        self.network = network.map(Arc::new);
        self.prepare();
        self.set_net_factory(self.network.clone().map(NetEvaluator::factory));
    }

    /// All outputs of the network with `side` to move under one of the eight symmetries; the optimism of its policy is
    /// that of the root unless given, from 0 to 1.
    pub fn raw_network(&self, side: Side, symmetry: u8, optimism: Option<f32>) -> Option<RawOutput> {
        let network = self.network.clone()?;
        let mut state = SearchState::of(&self.game);
        if side != self.game.side() {
            // The last moves do not fit the other side.
            state.board.pass();
            state.turn = crate::games::go::types::colour(side);
            state.passes = 0;
        }
        let optimism = optimism.unwrap_or(Optimism::PLAY.root);
        Some(NetEvaluator::new(network, Symmetry::Fixed(0), 0).raw(&state, symmetry, optimism))
    }

    /// What makes the network's evaluators, where it is in use.
    fn net_in_use(&self) -> Option<&EvaluatorFactory> {
        let network = matches!(
            self.options.get("Evaluator").map(|o| &o.value),
            Some(Value::Combo { now: 0, .. })
        );
        self.net_factory.as_ref().filter(|_| network)
    }

    /// Whether a network evaluates.
    pub fn has_network(&self) -> bool {
        self.net_in_use().is_some()
    }

    /// The name of the network that evaluates.
    pub fn network_name(&self) -> Option<&str> {
        self.net_in_use().map(|factory| factory.name.as_str())
    }

    /// Clears the network's cache of evaluations; also while a search runs.
    pub fn clear_cache(&self) {
        if let Some(factory) = self.net_in_use() {
            (factory.clear_cache)();
        }
    }

    fn evaluators(&self) -> EvaluatorFactory {
        let playouts = || PlayoutEvaluator::factory(self.game.board());
        self.net_in_use().cloned().unwrap_or_else(playouts)
    }

    /// Starts with an empty tree of the size that the option has.
    fn renew(&mut self) {
        let bytes = (self.options.spin("Tree Memory") as usize) << 20;
        self.search = Arc::new(Search::new(&self.game, bytes, self.params_in_use()));
    }

    /// What the running or the last search found; its ownership is empty before the first visit.
    pub fn analysis(&self) -> Analysis {
        self.search.analysis()
    }

    /// What the last search decided on; `None` while it runs.
    pub fn decision(&self) -> Option<Decision> {
        self.decision.get().copied()
    }

    /// Visits made by the running or the last search.
    pub fn playouts(&self) -> u64 {
        self.search.playouts()
    }

    /// Expected owner of each point, by a short search.
    pub fn ownership(&self) -> Vec<f32> {
        let params = if self.has_network() {
            SearchParams::default()
        } else {
            SearchParams::default().for_playouts()
        };
        let search = Search::new(&self.game, 16 << 20, params);
        let mut evaluator = (self.evaluators().make)(0);
        search.run(&mut *evaluator, &|_, _, _| true, &|| search.playouts() >= STATUS_VISITS);
        search.analysis().ownership
    }

    /// The status of every stone in the end, by point.
    pub fn status(&self) -> Vec<Status> {
        if self.game.rules().dead == DeadStones::Stay {
            return vec![Status::Alive; self.game.board().cells()];
        }
        score::status(self.game.board(), &self.ownership())
    }

    /// Black's lead if the game ended now, with what is dead taken off where the rules have it so.
    pub fn final_score(&self) -> f32 {
        let dead = score::dead_stones(self.game.board(), &self.status());
        self.game.score(&dead)
    }

    fn halt(&mut self) {
        self.signal.stop();
        self.wait();
    }

    fn apply(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match (name, value) {
            ("Threads", &Value::Spin { now, .. }) => {
                self.pool = Pool::new(now as usize).map_err(|e| format!("no {now} threads to be had: {e}"))?;
            }
            ("Tree Memory" | "Evaluator", _) => self.renew(),
            ("Model" | "Precision", _) => return self.load(),
            ("Net Cache", &Value::Spin { now, .. }) => {
                let network = self.network.as_ref().map(|n| n.resized((now as usize) << 20));
                self.set_network(network);
            }
            ("Board Size", &Value::Spin { now, .. }) => {
                let mut game = Game::new(now as usize, *self.game.rules()).map_err(|e| e.to_string())?;
                game.set_komi(self.game.komi());
                self.set_game(game);
            }
            ("Rules", value) => {
                let mut rules = *self.game.rules();
                rules.set("Rules", &value.text()).map_err(|e| e.to_string())?;
                let default = self.game.komi() == self.game.rules().komi;
                self.game.set_rules(rules);
                if default {
                    self.game.set_komi(rules.komi);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn budget(&self, limits: &Limits) -> Option<clock::Budget> {
        let overhead = Duration::from_millis(self.options.spin("Move Overhead") as u64) + self.signal.lateness();
        let free = self.game.board().empties().len() as u32;
        // Some two thirds of the free points are still played on, by two players.
        let horizon = (free * 3 / 10).clamp(12, 100);
        let mut budget = clock::plan(limits, overhead, clock::TimeManagement::over(horizon))?;
        if matches!(limits.time, TimeControl::Byoyomi { main, .. } if main > budget.hard) {
            // The main time comes first, and what is left of it is not lost.
            budget.floor = limits.time_options.least.min(budget.hard);
        }
        Some(budget)
    }

    /// Adds what bounds a search that the caller did not bound.
    fn bounded(&self, mut limits: Limits) -> Limits {
        let playouts = self.options.spin("Playouts") as u64;
        if playouts > 0 {
            limits.nodes = Some(limits.nodes.map_or(playouts, |n| n.min(playouts)));
        }
        let cap = self.options.spin("Move Time Cap") as u64;
        if cap > 0 && !limits.infinite {
            let cap = Duration::from_millis(cap);
            limits.move_cap = Some(limits.move_cap.map_or(cap, |c| c.min(cap)));
        }
        let bounded = limits.move_cap.is_some() || limits.nodes.is_some() || self.options.spin("Visits") > 0;
        if !limits.infinite && !bounded && limits.time == TimeControl::None {
            limits.time = TimeControl::MoveTime(Duration::from_millis(self.options.spin("Move Time") as u64));
        }
        limits
    }

    fn points(&self, list: &[String]) -> Vec<Point> {
        list.iter()
            .filter_map(|text| coords::parse(self.game.board(), text).ok())
            .collect()
    }

    fn start(&mut self, task: Task) {
        let task = Arc::new(task);
        let ranked = task.rank.as_ref().and_then(|_| self.rank_evaluators());
        let evaluators = ranked.unwrap_or_else(|| self.evaluators());
        let threads = if task.rank.is_none() { self.pool.len() } else { 1 };
        for id in 0..threads {
            let (search, signal, task) = (self.search.clone(), self.signal.clone(), task.clone());
            let evaluators = evaluators.clone();
            self.seed = self.seed.wrapping_add(1);
            let seed = self.seed;
            self.pool.run(id, move || {
                let run = || task.run(id == 0, &mut *(evaluators.make)(seed), &search, &signal);
                let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
                if id > 0 {
                    return;
                }
                if failed {
                    (task.sink)(Report::Message(
                        "the search failed; answering with what it had found".into(),
                    ));
                }
                signal.await_release(task.limits.infinite);
                signal.await_elapsed(task.pace);
                signal.stop();
                task.answer(&search, &signal);
                task.note_lateness(&signal);
            });
        }
    }
}

impl Engine for Mcts {
    fn options(&self) -> &Options {
        &self.options
    }

    fn set_option(&mut self, name: &str, text: Option<&str>) -> Result<(), BadInput> {
        self.halt();
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
        self.halt();
        match Arc::get_mut(&mut self.search) {
            Some(search) => search.clear(),
            None => self.renew(),
        }
    }

    fn position(&mut self, setup: Option<&str>, moves: &[&str]) -> Result<(), BadInput> {
        self.wait();
        let rules = *self.game.rules();
        let mut game = match setup {
            Some(text) => setup::parse(text, rules)?,
            None => Game::new(self.size, rules)?,
        };
        if setup.is_none() {
            game.set_komi(self.game.komi());
        }
        for text in moves {
            let p = coords::parse(game.board(), text)?;
            game.play(p, game.side())?;
        }
        self.set_game(game);
        Ok(())
    }

    fn go(&mut self, limits: Limits, sink: Sink) -> Result<(), BadInput> {
        self.halt();
        let mut limits = self.bounded(limits);
        let strength = self.limited_strength(&limits);
        if let Some(strength) = strength {
            limits.nodes = Some(limits.nodes.map_or(strength.nodes, |n| n.min(strength.nodes)));
        }
        self.signal.begin(limits.start, limits.ponder);
        let budget = self.budget(&limits);
        let visits = self.options.spin("Visits") as u64;
        let pace = if strength.is_some() && self.options.check(HUMAN_PACE.0) {
            let moves = self.game.legal_points().len();
            human_pace(&limits, budget, moves, &mut SplitMix::new(self.seed))
        } else {
            Duration::ZERO
        };
        let task = Task {
            pace,
            game: self.game.clone(),
            only: self.points(&limits.searchmoves),
            never: self.points(&limits.banmoves),
            bans: self.bans.clone(),
            visits: Some(visits).filter(|&v| v > 0 && !limits.infinite),
            in_flight: AtomicU64::new(0),
            budget,
            limits,
            cleanup: self.cleanup,
            rank: strength.map(|strength| {
                self.seed = self.seed.wrapping_add(1);
                RankedPlay::new(strength, self.seed)
            }),
            resign: self.options.spin("Resign") as f32 / 100.0,
            sink,
            decision: Arc::default(),
        };
        self.decision = task.decision.clone();
        if Arc::get_mut(&mut self.search).is_none() {
            self.renew();
        }
        if let Some(search) = Arc::get_mut(&mut self.search) {
            // What earlier searches found would add to the rank's visits; and another network may evaluate.
            if strength.is_some() || self.ranked {
                search.clear();
            }
            search.set_root(&self.game);
            if self.cleanup {
                search.clean_up();
            }
        }
        self.searching = true;
        self.ranked = strength.is_some();
        self.start(task);
        Ok(())
    }

    fn stop(&self) {
        self.signal.stop();
    }

    fn ponderhit(&self) {
        self.signal.ponderhit();
    }

    fn wait(&mut self) {
        if self.searching {
            self.pool.wait();
            self.searching = false;
        }
    }

    fn side(&self) -> Side {
        self.game.side()
    }

    fn picture(&self) -> String {
        self.game.picture()
    }

    fn setup(&self) -> String {
        let side = if self.game.side() == Side::First { 'b' } else { 'w' };
        format!("{} {side} {}", self.game.board().rows().join("/"), self.game.komi())
    }

    fn explain(&mut self) -> String {
        self.wait();
        let lead = format!("estimated lead of black: {:.1}", self.final_score());
        match self.net_in_use().map(|factory| (factory.make)(0)) {
            None => lead,
            Some(mut evaluator) => {
                let mut evaluation = Evaluation::default();
                evaluator.evaluate(&SearchState::of(&self.game), &mut evaluation);
                format!(
                    "{lead}\nnetwork: black wins {:.1}%, leads by {:.1}",
                    evaluation.win * 100.0,
                    evaluation.lead
                )
            }
        }
    }

    fn is_legal(&self, mv: &str) -> bool {
        coords::parse(self.game.board(), mv).is_ok_and(|p| self.game.is_legal(p, self.game.side()))
    }

    fn perft(&self, depth: u32, _threads: usize, halt: &AtomicBool) -> Vec<(String, u64)> {
        let mut all = Vec::new();
        for p in self.game.legal_points().into_iter().chain([PASS]) {
            if halt.load(Relaxed) {
                break;
            }
            let mut next = self.game.clone();
            if next.play(p, next.side()).is_ok() {
                all.push((coords::text(self.game.board(), p), next.perft(depth.saturating_sub(1))));
            }
        }
        all
    }

    fn bench(&mut self, depth: u32, each: &mut dyn FnMut(usize, u64)) -> (u64, f64) {
        let (mut total, mut seconds) = (0, 0.0);
        let board = self.game.clone();
        for (i, size) in [9, 13, 19].into_iter().enumerate() {
            let Ok(game) = Game::new(size, *self.game.rules()) else {
                continue;
            };
            self.set_game(game);
            self.new_game();
            let start = Instant::now();
            let visits = (u64::from(depth) * BENCH_VISITS).max(1);
            if self.go(Limits::nodes(visits), Arc::new(|_| {})).is_ok() {
                self.wait();
            }
            seconds += start.elapsed().as_secs_f64();
            total += self.playouts();
            each(i, self.playouts());
        }
        self.set_game(board);
        (total, seconds)
    }

    fn openings(&mut self, n: usize, seed: u64) -> Vec<String> {
        let mut rng = SplitMix::new(seed);
        let mut found = Vec::with_capacity(n);
        for _ in 0..n {
            let Ok(mut game) = Game::new(self.size, *self.game.rules()) else {
                break;
            };
            game.set_komi(self.game.komi());
            for _ in 0..2 + 2 * rng.below(2) {
                // Any point off the first two lines is a fair beginning.
                let points: Vec<Point> = game
                    .legal_points()
                    .into_iter()
                    .filter(|&p| inner(game.board(), p))
                    .collect();
                if points.is_empty() {
                    break;
                }
                let p = points[rng.below(points.len() as u64) as usize];
                if game.play(p, game.side()).is_err() {
                    break;
                }
            }
            let side = if game.side() == Side::First { 'b' } else { 'w' };
            found.push(format!("{} {side} {}", game.board().rows().join("/"), game.komi()));
        }
        found
    }
}

fn inner(board: &Board, p: Point) -> bool {
    let (x, y) = board.xy(p);
    let far = board.size() - 1;
    x.min(y).min(far - x).min(far - y) >= 2 || board.size() < 7
}

impl Drop for Mcts {
    fn drop(&mut self) {
        self.halt();
    }
}
