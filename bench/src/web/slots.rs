//! How many searches run at once. A move to be played goes before analysis, which gives its slot up.

use super::room::RoomMessage;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct SlotState {
    free: usize,
    /// Rooms that wait, and whether for analysis.
    waiting: Vec<(bool, Sender<RoomMessage>)>,
    /// Rooms whose slot may be taken from them.
    analysing: Vec<(u64, Sender<RoomMessage>)>,
    count: u64,
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
    pub fn take(&self, room: &Sender<RoomMessage>, analysis: bool) -> Option<Slot> {
        let mut state = self.lock();
        if state.free == 0 {
            state.waiting.push((analysis, room.clone()));
            if !analysis && let Some((_, other)) = state.analysing.first() {
                let _ = other.send(RoomMessage::Yield);
            }
            return None;
        }
        state.free -= 1;
        state.count += 1;
        let number = state.count;
        if analysis {
            state.analysing.push((number, room.clone()));
        }
        drop(state);
        Some(Slot {
            slots: self.clone(),
            number,
        })
    }

    /// Puts a room on the list of those that get [`RoomMessage::Retry`] when analysis may have a slot.
    pub fn wait(&self, room: &Sender<RoomMessage>) {
        self.lock().waiting.push((true, room.clone()));
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.slots.lock();
        state.free += 1;
        state.analysing.retain(|(number, _)| *number != self.number);
        let plays = state.waiting.iter().any(|(analysis, _)| !analysis);
        let waiting = std::mem::take(&mut state.waiting);
        let (now, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(analysis, _)| !(plays && *analysis));
        state.waiting = later;
        drop(state);
        for (_, room) in now {
            let _ = room.send(RoomMessage::Retry);
        }
    }
}
