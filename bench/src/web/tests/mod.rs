//! Tests of the server without sockets: connections are driven directly.

mod engine;
mod failure;
mod frames;
mod games;
mod guard;
mod guests;
mod limits;
mod review;
mod secrets;
mod watch;

use super::hub::HubShared;
use super::outbox::Outgoing;
use super::session::{WebSession, WebTokens};
use super::watch::MatchWatch;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A folder of a test, deleted at its end.
pub struct TestFolder(pub PathBuf);

impl TestFolder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nguky-web-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    pub fn hub(&self) -> Arc<HubShared> {
        // A former one of this test may still be ending.
        let begun = Instant::now();
        loop {
            match HubShared::open(&self.0, 1, 1, MatchWatch::new(vec![self.0.clone()])) {
                Ok(hub) => return hub,
                Err(why) => assert!(begun.elapsed() < Duration::from_secs(60), "{why:#}"),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The text of the only game's file.
    pub fn game_file(&self) -> PathBuf {
        let mut files = std::fs::read_dir(self.0.join("games")).expect("games");
        files.next().expect("a game").expect("a file").path()
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A page of a test.
pub struct TestPage {
    pub session: WebSession,
    pub said: Vec<String>,
    n: u64,
}

const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// The token of those who only watch.
const SHARE: &str = "ffeeddccbbaa99887766554433221100";

/// Those of a server.
pub fn tokens(own: &str) -> WebTokens {
    WebTokens {
        own: own.into(),
        share: Some(SHARE.into()),
    }
}

impl TestPage {
    /// A page that said hello.
    pub fn new(hub: &Arc<HubShared>, number: u64) -> Self {
        Self::with_token(hub, number, TOKEN)
    }

    /// One that may only watch.
    pub fn guest(hub: &Arc<HubShared>, number: u64) -> Self {
        Self::with_token(hub, number, SHARE)
    }

    fn with_token(hub: &Arc<HubShared>, number: u64, token: &str) -> Self {
        let mut page = Self {
            session: WebSession::new(hub.clone(), tokens(TOKEN), number),
            said: Vec::new(),
            n: 0,
        };
        page.send(json!({ "t": "hello", "v": 1, "token": token, "lang": "en" }));
        let welcome = page.next();
        assert_eq!(
            (&welcome["t"], &welcome["guest"]),
            (&json!("welcome"), &json!(token == SHARE))
        );
        page
    }

    /// Sends a message with the next number.
    pub fn send(&mut self, mut message: Value) {
        self.n += 1;
        message["n"] = self.n.into();
        self.session.refill();
        self.session.hear(&message.to_string());
    }

    /// The next message, looked for again after each pause.
    fn take(&mut self, pause: Duration) -> Value {
        let begun = Instant::now();
        loop {
            match self.session.out.take() {
                Some(Outgoing::Text(text)) => {
                    self.said.push(text.clone());
                    return serde_json::from_str(&text).expect("JSON");
                }
                Some(Outgoing::Close(code)) => panic!("closed with {code}"),
                None => std::thread::sleep(pause),
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "no message");
        }
    }

    /// The next message, waited for.
    pub fn next(&mut self) -> Value {
        self.take(Duration::from_millis(1))
    }

    /// The next message that a condition holds for, looked for without a pause, so that a message put right behind it
    /// cannot be taken first.
    pub fn next_at_once(&mut self, condition: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.take(Duration::ZERO);
            if condition(&message) {
                return message;
            }
        }
    }

    /// The next message of a type that a condition holds for.
    pub fn wait(&mut self, t: &str, condition: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if message["t"] == t && condition(&message) {
                return message;
            }
        }
    }

    /// Makes a game: its number and its board.
    pub fn begin(&mut self, what: Value) -> (String, Value) {
        let mut message = what;
        message["t"] = "new".into();
        self.send(message);
        let opened = self.next();
        assert_eq!(opened["t"], "opened", "{opened}");
        let board = self.wait("board", |_| true);
        (opened["id"].as_str().expect("an id").into(), board)
    }
}

/// Sends a request about a scene.
pub fn about(scene: &Value, t: &str, more: Value) -> Value {
    let mut message = json!({ "t": t, "id": scene["id"], "rev": scene["rev"] });
    super::room::merge(&mut message, more);
    message
}

/// The lines of a file.
pub fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a file");
    text.lines().map(String::from).collect()
}
