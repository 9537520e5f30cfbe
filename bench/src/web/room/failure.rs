//! What becomes of a game whose engine fails: a search that ends without an answer.

use super::{Purpose, Room};
use serde_json::{Value, json};

/// An engine that fails is replaced so many times before the game waits for the person.
const RETRIES: usize = 1;

/// The message about a game that this program cannot go on with.
pub fn given_up(id: &str) -> Value {
    json!({ "t": "broken", "id": id, "say": ["game_broken"] })
}

impl Room {
    /// A search is over without an answer: its engine is not used again. A fresh one tries once; then the page says so, and
    /// offers to try again.
    pub(super) fn lose_engine(&mut self, number: u64) {
        let Some(running) = self.running.take_if(|r| r.number == number) else {
            return;
        };
        self.engine = None;
        self.engine_failures += 1;
        eprintln!("nguky web: game {}: the engine failed", self.head.id);
        if self.engine_failures <= RETRIES {
            // The slot goes back first: the next search takes it again.
            drop(running);
            return self.advance();
        }
        self.engine_failures = 0;
        self.trouble = Some(json!(["engine_failed"]));
        self.hint_asked = false;
        match running.purpose {
            Purpose::Play | Purpose::Hint => {}
            Purpose::Analysis => self.analysis = None,
            Purpose::Review => {
                if let Err(why) = self.halt_review() {
                    eprintln!("nguky web: game {}: {why:#}", self.head.id);
                }
            }
            Purpose::Try => {
                if let Some(tried) = self.tried.take() {
                    tried.viewer.out.refuse(tried.n, "busy", json!(["engine_failed"]));
                }
            }
        }
        drop(running);
        self.publish();
    }
}
