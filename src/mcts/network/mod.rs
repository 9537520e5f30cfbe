//! The leaf evaluator with a network: [`Network`] and its cache are shared by all threads, a [`NetEvaluator`] belongs to
//! one of them.

pub mod planes;
mod raw;
mod runner;

pub use raw::RawOutput;

use super::evaluator::{Evaluation, EvaluatorFactory, LeafEvaluator};
use super::state::SearchState;
use crate::eval::conv::{Method, Model, Net, Simd, is_quantizing_fast};
use crate::eval::nets;
use crate::games::go::types::{PASS, Point};
use crate::util::rng::SplitMix;
use planes::{GLOBALS, SPATIAL};
use runner::{NetRunner, normalize};
use std::sync::{Arc, Mutex, OnceLock};

/// An evaluation in the cache.
struct Entry {
    key: u64,
    policy: Box<[(Point, f32)]>,
    win: f32,
    lead: f32,
    stdev: f32,
    ownership: Box<[i16]>,
}

/// Bytes of an entry for a board of 19.
const ENTRY: usize = 362 * 8 + 361 * 2 + 120;

/// In what numbers the filters of a network are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// The network that is built in, which was measured so, in 8-bit integers where this processor is faster with them; those
    /// of files in floats.
    Auto,
    /// In floats.
    Float,
    /// In 8-bit integers.
    Int8,
}

impl Precision {
    /// As the option has them.
    pub const NAMES: [&str; 3] = ["auto", "float", "int8"];

    /// By one of the names.
    pub fn named(name: &str) -> Self {
        match name {
            "float" => Self::Float,
            "int8" => Self::Int8,
            _ => Self::Auto,
        }
    }

    fn method(self, built_in: bool) -> Method {
        match self {
            Self::Auto if built_in && is_quantizing_fast() => Method::Quantized,
            Self::Auto | Self::Float => Method::Winograd,
            Self::Int8 => Method::Quantized,
        }
    }
}

/// A network with its cache of evaluations.
pub struct Network {
    net: Arc<Net>,
    slots: Vec<Mutex<Option<Box<Entry>>>>,
    /// Runners of evaluators that are gone, for the next ones.
    idle: Mutex<Vec<NetRunner>>,
    kernel: Simd,
}

impl Network {
    /// Prepares a model in floats, with a cache of about so many bytes.
    pub fn new(model: &Model, bytes: usize) -> Result<Self, String> {
        Ok(Self::over(prepare(model, Method::Winograd)?, bytes))
    }

    fn over(net: Arc<Net>, bytes: usize) -> Self {
        Self {
            net,
            slots: (0..bytes / ENTRY).map(|_| Mutex::default()).collect(),
            idle: Mutex::default(),
            kernel: Simd::best(),
        }
    }

    /// The same network with another kernel than the fastest of this processor.
    pub fn by(mut self, kernel: Simd) -> Self {
        self.idle = Mutex::default();
        self.kernel = kernel;
        self
    }

    /// The network that is built in, if there is one.
    ///
    /// # Errors
    /// One line where there is one that cannot be used.
    pub fn built_in(precision: Precision, bytes: usize) -> Result<Option<Self>, String> {
        // Unpacked once in a process for each: every engine of it shares the weights.
        static FLOATS: OnceLock<Result<Arc<Net>, String>> = OnceLock::new();
        static BYTES: OnceLock<Result<Arc<Net>, String>> = OnceLock::new();
        let Some(file) = (const { nets::built_in("go") }) else {
            return Ok(None);
        };
        let method = precision.method(true);
        let net = if method == Method::Quantized { &BYTES } else { &FLOATS };
        match net.get_or_init(|| prepare(&Model::read(file)?, method)) {
            Ok(net) => Ok(Some(Self::over(net.clone(), bytes))),
            Err(why) => Err(format!("the built-in network of go: {why}")),
        }
    }

    /// The network to which the ranks are fitted, without a cache; none where it is the one that is built in.
    pub fn of_ranks() -> Option<Self> {
        static NET: OnceLock<Option<Arc<Net>>> = OnceLock::new();
        let file = (const { nets::built_in("go-ranks") })?;
        let net = NET.get_or_init(|| prepare(&Model::read(file).ok()?, Method::Winograd).ok());
        net.clone().map(|net| Self::over(net, 0))
    }

    /// The same network with another cache.
    pub fn resized(&self, bytes: usize) -> Self {
        Self::over(self.net.clone(), bytes).by(self.kernel)
    }

    /// Loads a file.
    pub fn open(path: &str, precision: Precision, bytes: usize) -> Result<Self, String> {
        let net = prepare(&Model::open(path)?, precision.method(false));
        let net = net.map_err(|why| format!("{path:?}: {why}"))?;
        Ok(Self::over(net, bytes))
    }

    /// The net.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// Clears the cache.
    pub fn clear(&self) {
        for slot in &self.slots {
            if let Ok(mut slot) = slot.lock() {
                *slot = None;
            }
        }
    }
}

/// The net of a model that takes go's inputs.
fn prepare(model: &Model, method: Method) -> Result<Arc<Net>, String> {
    if (model.spatial, model.globals) != (SPATIAL, GLOBALS) {
        let (planes, numbers) = (model.spatial, model.globals);
        return Err(format!(
            "{planes} input planes and {numbers} numbers, expected {SPATIAL} and {GLOBALS}"
        ));
    }
    Ok(Arc::new(Net::by(model, method)?))
}

/// The symmetry of the square under which the network sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// One of 0 to 7: bit 0 mirrors top to bottom, bit 1 left to right, bit 2 then swaps rows and columns.
    Fixed(u8),
    /// A random one for each position.
    Random,
}

/// The policy of networks that have two heads for it: 0 is the plain one, 1 the optimistic one, of moves that would turn out
/// better than expected; between them logits are interpolated. After KataGo's `policyOptimism` and `rootPolicyOptimism`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimism {
    /// Below the root.
    pub tree: f32,
    /// At the root.
    pub root: f32,
}

impl Optimism {
    /// For strong play.
    pub const PLAY: Self = Self { tree: 1.0, root: 0.2 };
    /// For training targets.
    pub const NONE: Self = Self { tree: 0.0, root: 0.0 };
}

/// Evaluates positions by a network, for one thread.
pub struct NetEvaluator {
    network: Arc<Network>,
    runner: Option<NetRunner>,
    symmetry: Symmetry,
    optimism: Optimism,
    rng: SplitMix,
}

impl NetEvaluator {
    /// For one thread.
    pub fn new(network: Arc<Network>, symmetry: Symmetry, seed: u64) -> Self {
        let idle = network.idle.lock().ok().and_then(|mut idle| idle.pop());
        Self {
            network,
            runner: idle,
            symmetry,
            optimism: Optimism::PLAY,
            rng: SplitMix::new(seed),
        }
    }

    /// Makes evaluators with random symmetries.
    pub fn factory(network: Arc<Network>) -> EvaluatorFactory {
        let cache = network.clone();
        EvaluatorFactory {
            name: network.net().name.clone(),
            make: Arc::new(move |seed| Box::new(Self::new(network.clone(), Symmetry::Random, seed))),
            clear_cache: Arc::new(move || cache.clear()),
        }
    }

    /// Changes the symmetry.
    pub fn set_symmetry(&mut self, symmetry: Symmetry) {
        self.symmetry = symmetry;
    }

    /// Changes the policy.
    pub fn set_optimism(&mut self, optimism: Optimism) {
        self.optimism = optimism;
    }

    fn runner(&mut self) -> &mut NetRunner {
        let network = &self.network;
        self.runner
            .get_or_insert_with(|| NetRunner::new(network.net.clone(), network.kernel))
    }

    /// All outputs for a position under a symmetry, with this optimism of the policy.
    pub fn raw(&mut self, state: &SearchState, symmetry: u8, optimism: f32) -> RawOutput {
        self.runner().raw(state, symmetry % 8, optimism)
    }

    /// The key of a position in the cache.
    fn key(&self, state: &SearchState, optimism: f32) -> u64 {
        let r = &state.rules;
        let rules = [
            state.turn as u64,
            state.passes as u64,
            r.ko as u64,
            r.scoring as u64,
            u64::from(r.suicide),
            r.tax as u64,
            r.dead as u64,
            u64::from(state.compensation.to_bits()),
            state.board.lost(1) as u64 + 1000 * state.board.lost(2) as u64,
            u64::from(state.board.ko()),
            state.board.size() as u64,
            u64::from(optimism.to_bits()),
        ];
        let mut key = state.board.key() ^ state.recent.key(state.turn).rotate_left(32);
        for part in rules {
            key = (key ^ part).wrapping_mul(0xd6e8_feb8_6659_fd93);
            key ^= key >> 32;
        }
        key
    }

    fn probe(&self, key: u64, state: &SearchState, out: &mut Evaluation) -> bool {
        let Some(slot) = self.slot(key) else { return false };
        let Ok(slot) = slot.lock() else { return false };
        let Some(entry) = slot.as_ref().filter(|e| e.key == key) else {
            return false;
        };
        out.policy.clear();
        out.policy.extend_from_slice(&entry.policy);
        (out.win, out.lead, out.stdev) = (entry.win, entry.lead, entry.stdev);
        for (to, &from) in out.ownership.iter_mut().zip(&entry.ownership) {
            *to = f32::from(from) / 32767.0;
        }
        drop(slot);
        // The same board reached by other moves may forbid others by superko.
        let all = out.policy.len();
        out.policy.retain(|&(p, _)| p == PASS || state.is_legal(p));
        if out.policy.len() < all {
            normalize(&mut out.policy);
        }
        true
    }

    fn slot(&self, key: u64) -> Option<&Mutex<Option<Box<Entry>>>> {
        let slots = &self.network.slots;
        slots.get(((u128::from(key) * slots.len() as u128) >> 64) as usize)
    }

    fn store(&self, key: u64, area: usize, evaluation: &Evaluation) {
        let Some(slot) = self.slot(key) else { return };
        let entry = Entry {
            key,
            policy: evaluation.policy.as_slice().into(),
            win: evaluation.win,
            lead: evaluation.lead,
            stdev: evaluation.stdev,
            ownership: evaluation.ownership[..area]
                .iter()
                .map(|x| (x * 32767.0) as i16)
                .collect(),
        };
        if let Ok(mut slot) = slot.lock() {
            *slot = Some(Box::new(entry));
        }
    }

    fn cached(&mut self, state: &SearchState, optimism: f32, out: &mut Evaluation) {
        // With one policy head, root and tree share cache entries.
        let optimism = if self.network.net.is_optimistic() {
            optimism
        } else {
            0.0
        };
        let key = self.key(state, optimism);
        if self.probe(key, state, out) {
            return;
        }
        let symmetry = match self.symmetry {
            Symmetry::Fixed(symmetry) => symmetry % 8,
            Symmetry::Random => self.rng.below(8) as u8,
        };
        self.runner().evaluate(state, symmetry, optimism, out);
        self.store(key, state.board.area(), out);
    }
}

impl LeafEvaluator for NetEvaluator {
    fn evaluate(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.cached(state, self.optimism.tree, out);
    }

    fn evaluate_root(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.cached(state, self.optimism.root, out);
    }
}

impl Drop for NetEvaluator {
    fn drop(&mut self) {
        if let (Some(runner), Ok(mut idle)) = (self.runner.take(), self.network.idle.lock()) {
            idle.push(runner);
        }
    }
}
