//! The judge that asks a network: [`Network`] is what all threads share, [`Asker`] belongs to one of them.

mod raw;
mod room;

pub use raw::Raw;

use super::leaf::{Judge, Opinion, State};
use crate::eval::conv::{Model, Net};
use crate::eval::nets;
use crate::games::go::planes::{GLOBALS, SPATIAL};
use crate::games::go::types::{PASS, Point};
use crate::util::rng::SplitMix;
use room::{Room, share_out};
use std::sync::{Arc, Mutex};

/// What a thread remembers of an evaluation.
struct Entry {
    key: u64,
    priors: Box<[(Point, f32)]>,
    win: f32,
    lead: f32,
    stdev: f32,
    ownership: Box<[i16]>,
}

/// Bytes of an entry for a board of 19.
const ENTRY: usize = 362 * 8 + 361 * 2 + 120;

/// A network with the evaluations that were made of it.
pub struct Network {
    net: Arc<Net>,
    slots: Vec<Mutex<Option<Box<Entry>>>>,
    /// Rooms that no thread works in just now.
    idle: Mutex<Vec<Room>>,
}

impl Network {
    /// Makes a model ready; its evaluations are remembered in about so many bytes.
    pub fn new(model: &Model, bytes: usize) -> Result<Self, String> {
        if (model.spatial, model.globals) != (SPATIAL, GLOBALS) {
            let (planes, numbers) = (model.spatial, model.globals);
            return Err(format!(
                "{planes} input planes and {numbers} numbers, expected {SPATIAL} and {GLOBALS}"
            ));
        }
        Ok(Self::over(Arc::new(Net::new(model)?), bytes))
    }

    fn over(net: Arc<Net>, bytes: usize) -> Self {
        Self {
            net,
            slots: (0..bytes / ENTRY).map(|_| Mutex::default()).collect(),
            idle: Mutex::default(),
        }
    }

    /// The network that is built in, if there is one.
    ///
    /// # Errors
    /// One line where there is one that cannot be used.
    pub fn built_in(bytes: usize) -> Result<Option<Self>, String> {
        let load = |file| Self::new(&Model::read(file)?, bytes);
        let net = nets::built_in("go").map(load).transpose();
        net.map_err(|e| format!("the built-in network of go: {e}"))
    }

    /// The same network with another memory.
    pub fn resized(&self, bytes: usize) -> Self {
        Self::over(self.net.clone(), bytes)
    }

    /// Loads a file.
    pub fn open(path: &str, bytes: usize) -> Result<Self, String> {
        let net = Self::new(&Model::open(path)?, bytes);
        net.map_err(|why| format!("{path:?}: {why}"))
    }

    /// The net.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// Forgets all evaluations.
    pub fn clear(&self) {
        for slot in &self.slots {
            if let Ok(mut slot) = slot.lock() {
                *slot = None;
            }
        }
    }
}

/// How the board is turned before the network sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turning {
    /// As the numbers 0 to 7 say: 1 turns it upside down, 2 left to right, 4 then swaps rows and columns.
    Fixed(u8),
    /// Anew for each position.
    Random,
}

/// Which policy is taken where a network has two: 0 is the plain one, 1 that of moves which would turn out better than
/// expected; between them logits are mixed. KataGo's way and numbers.
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
    /// For what a network is to learn from.
    pub const NONE: Self = Self { tree: 0.0, root: 0.0 };
}

/// Asks the network, for one thread.
pub struct Asker {
    network: Arc<Network>,
    room: Option<Room>,
    turning: Turning,
    optimism: Optimism,
    rng: SplitMix,
}

impl Asker {
    /// For one thread.
    pub fn new(network: Arc<Network>, turning: Turning, seed: u64) -> Self {
        let idle = network.idle.lock().ok().and_then(|mut idle| idle.pop());
        Self {
            network,
            room: idle,
            turning,
            optimism: Optimism::PLAY,
            rng: SplitMix::new(seed),
        }
    }

    /// How the board is turned from now on.
    pub fn set_turning(&mut self, turning: Turning) {
        self.turning = turning;
    }

    /// Which policy is taken from now on.
    pub fn set_optimism(&mut self, optimism: Optimism) {
        self.optimism = optimism;
    }

    fn room(&mut self) -> &mut Room {
        let net = &self.network.net;
        self.room.get_or_insert_with(|| Room::new(net.clone()))
    }

    /// Everything that the network says of a position, with the board turned, and the policy so optimistic.
    pub fn raw(&mut self, state: &State, turning: u8, optimism: f32) -> Raw {
        self.room().raw(state, turning % 8, optimism)
    }

    /// What tells a position and its past from others, for the memory.
    fn key(&self, state: &State, optimism: f32) -> u64 {
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
        let mut key = state.board.key() ^ state.past.key(state.turn).rotate_left(32);
        for part in rules {
            key = (key ^ part).wrapping_mul(0xd6e8_feb8_6659_fd93);
            key ^= key >> 32;
        }
        key
    }

    fn recall(&self, key: u64, state: &State, out: &mut Opinion) -> bool {
        let Some(slot) = self.slot(key) else { return false };
        let Ok(slot) = slot.lock() else { return false };
        let Some(entry) = slot.as_ref().filter(|e| e.key == key) else {
            return false;
        };
        out.priors.clear();
        out.priors.extend_from_slice(&entry.priors);
        (out.win, out.lead, out.stdev) = (entry.win, entry.lead, entry.stdev);
        for (to, &from) in out.ownership.iter_mut().zip(&entry.ownership) {
            *to = f32::from(from) / 32767.0;
        }
        drop(slot);
        // The same board by another way may bar other moves.
        let all = out.priors.len();
        out.priors.retain(|&(p, _)| p == PASS || state.is_legal(p));
        if out.priors.len() < all {
            share_out(&mut out.priors);
        }
        true
    }

    fn slot(&self, key: u64) -> Option<&Mutex<Option<Box<Entry>>>> {
        let slots = &self.network.slots;
        slots.get(((u128::from(key) * slots.len() as u128) >> 64) as usize)
    }

    fn remember(&self, key: u64, area: usize, opinion: &Opinion) {
        let Some(slot) = self.slot(key) else { return };
        let entry = Entry {
            key,
            priors: opinion.priors.as_slice().into(),
            win: opinion.win,
            lead: opinion.lead,
            stdev: opinion.stdev,
            ownership: opinion.ownership[..area].iter().map(|x| (x * 32767.0) as i16).collect(),
        };
        if let Ok(mut slot) = slot.lock() {
            *slot = Some(Box::new(entry));
        }
    }

    fn ask(&mut self, state: &State, optimism: f32, out: &mut Opinion) {
        // Where there is one policy only, root and tree share what is remembered.
        let optimism = if self.network.net.is_optimistic() {
            optimism
        } else {
            0.0
        };
        let key = self.key(state, optimism);
        if self.recall(key, state, out) {
            return;
        }
        let turning = match self.turning {
            Turning::Fixed(turning) => turning % 8,
            Turning::Random => self.rng.below(8) as u8,
        };
        self.room().consider(state, turning, optimism, out);
        self.remember(key, state.board.area(), out);
    }
}

impl Judge for Asker {
    fn consider(&mut self, state: &State, out: &mut Opinion) {
        self.ask(state, self.optimism.tree, out);
    }

    fn consider_root(&mut self, state: &State, out: &mut Opinion) {
        self.ask(state, self.optimism.root, out);
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        if let (Some(room), Ok(mut idle)) = (self.room.take(), self.network.idle.lock()) {
            idle.push(room);
        }
    }
}
