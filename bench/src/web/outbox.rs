//! What waits to be sent to one connection: answers in order, and of every game only its latest scene and analysis, so that
//! a slow viewer never lags and never takes memory.

use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// More answers than these do not wait: who does not read them is cut off.
const MOST: usize = 256;
/// Closed for breaking the protocol.
pub const POLICY: u16 = 1008;

#[derive(Default)]
struct Waiting {
    answers: VecDeque<String>,
    /// By game and kind of message.
    latest: BTreeMap<(String, &'static str), String>,
    closed: Option<u16>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    wake: Notify,
}

/// The handle that rooms and the connection share.
#[derive(Clone, Default)]
pub struct Outbox(Arc<Shared>);

/// What is sent next.
#[derive(Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// A message.
    Text(String),
    /// The end, with its code.
    Close(u16),
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an answer, behind those that wait.
    pub fn answer(&self, message: &Value) {
        let mut waiting = self.lock();
        if waiting.answers.len() >= MOST {
            waiting.closed.get_or_insert(POLICY);
        } else if waiting.closed.is_none() {
            waiting.answers.push_back(message.to_string());
        }
        drop(waiting);
        self.0.wake.notify_one();
    }

    /// Sends a message of a game in the place of an older one of its kind.
    pub fn latest(&self, id: &str, kind: &'static str, message: String) {
        self.lock().latest.insert((id.into(), kind), message);
        self.0.wake.notify_one();
    }

    /// Refuses a request.
    pub fn refuse(&self, n: u64, code: &str, say: Value) {
        self.answer(&serde_json::json!({ "t": "no", "n": n, "code": code, "say": say }));
    }

    /// Forgets what waits of a game.
    pub fn forget(&self, id: &str) {
        self.lock().latest.retain(|(game, _), _| game != id);
    }

    /// Ends the connection once the answers are sent.
    pub fn close(&self, code: u16) {
        self.lock().closed.get_or_insert(code);
        self.0.wake.notify_one();
    }

    /// Whether the connection is to end.
    pub fn is_closed(&self) -> bool {
        self.lock().closed.is_some()
    }

    /// What is to be sent next, if anything is.
    pub fn take(&self) -> Option<Outgoing> {
        let mut waiting = self.lock();
        if let Some(text) = waiting.answers.pop_front() {
            return Some(Outgoing::Text(text));
        }
        if let Some(code) = waiting.closed {
            return Some(Outgoing::Close(code));
        }
        waiting.latest.pop_first().map(|(_, text)| Outgoing::Text(text))
    }

    /// Waits for what is to be sent next.
    pub async fn next(&self) -> Outgoing {
        loop {
            if let Some(out) = self.take() {
                return out;
            }
            self.0.wake.notified().await;
        }
    }
}
