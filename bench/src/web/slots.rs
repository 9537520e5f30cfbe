//! How many searches run at once. A move to be played goes before analysis, and analysis before a review: what comes later
//! gives its slot up.

use super::room::RoomMessage;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a search is worth: the first goes before the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// A move to be played, or an answer that somebody waits for.
    Play,
    /// Analysis of a position.
    Analysis,
    /// Review of a game.
    Review,
}

#[derive(Default)]
struct SlotState {
    free: usize,
    /// Rooms that wait, and for what.
    waiting: Vec<(Rank, Sender<RoomMessage>)>,
    /// Rooms whose slot may be taken from them.
    yielding: Vec<(u64, Rank, Sender<RoomMessage>)>,
    count: u64,
}

impl SlotState {
    /// Takes the rooms out that wait for what goes before all else that is waited for.
    fn foremost(&mut self) -> Vec<Sender<RoomMessage>> {
        let Some(first) = self.waiting.iter().map(|w| w.0).min() else {
            return Vec::new();
        };
        let waiting = std::mem::take(&mut self.waiting);
        let (now, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|w| w.0 == first);
        self.waiting = later;
        now.into_iter().map(|w| w.1).collect()
    }
}

/// All slots.
#[derive(Clone)]
pub struct Slots(Arc<Mutex<SlotState>>);

/// One slot; it is given back when this is dropped.
pub struct Slot {
    slots: Slots,
    number: u64,
}

impl Slots {
    /// So many slots.
    pub fn new(free: usize) -> Self {
        Self(Arc::new(Mutex::new(SlotState {
            free: free.max(1),
            ..SlotState::default()
        })))
    }

    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot, if one is free; a room that gets none gets [`RoomMessage::Retry`] when one may be.
    pub fn take(&self, room: &Sender<RoomMessage>, rank: Rank) -> Option<Slot> {
        let mut state = self.lock();
        if state.free == 0 {
            state.waiting.push((rank, room.clone()));
            let later = state.yielding.iter().filter(|y| y.1 > rank);
            if let Some((_, _, other)) = later.max_by_key(|y| y.1) {
                let _ = other.send(RoomMessage::Yield);
            }
            return None;
        }
        state.free -= 1;
        state.count += 1;
        let number = state.count;
        if rank != Rank::Play {
            state.yielding.push((number, rank, room.clone()));
        }
        drop(state);
        Some(Slot {
            slots: self.clone(),
            number,
        })
    }

    /// Puts a room on the list of those that get [`RoomMessage::Retry`] when a search of this rank may have a slot.
    pub fn wait(&self, room: &Sender<RoomMessage>, rank: Rank) {
        self.lock().waiting.push((rank, room.clone()));
        // The slot may be free again already: then nobody else would say so.
        self.pass_on();
    }

    /// A room that got [`RoomMessage::Retry`] has no use for the slot: the next ones get it.
    pub fn pass_on(&self) {
        let mut state = self.lock();
        if state.free == 0 {
            return;
        }
        let now = state.foremost();
        drop(state);
        for room in now {
            let _ = room.send(RoomMessage::Retry);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.slots.lock();
        state.free += 1;
        state.yielding.retain(|y| y.0 != self.number);
        drop(state);
        self.slots.pass_on();
    }
}
