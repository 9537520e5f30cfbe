//! Matches that run elsewhere, on the page: their live files (see [`crate::arena::live`]) are looked at, their moves are
//! played over, and whoever watches gets boards and figures.
//!
//! One thread does all of it, and only while somebody watches. A match is known by a number that its path gives: the page
//! names no files.

mod boards;

use super::outbox::Outbox;
use super::room::Viewer;
use super::seal;
use super::words::Lang;
use crate::arena::live::{ENDING, LiveEnd, LiveMatch, VERSION, now};
use anyhow::{Context, Result, bail};
use boards::MatchBoards;
use nguky::register;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How often a watched match is looked at, and the folders for the list.
const TICK: Duration = Duration::from_millis(100);
const SCAN: Duration = Duration::from_secs(1);
/// A file that was not written for so long is of a match that was killed, in milliseconds.
const STALE: u64 = 15_000;
/// A larger file is not read.
const LARGEST: u64 = 4 << 20;
/// Matches of a folder that are listed.
const MOST_MATCHES: usize = 200;
/// What the list goes by where messages name a match.
pub const LIST: &str = "matches";

/// A request to the thread.
enum WatchMessage {
    /// The viewer gets the list, now and when it changes.
    List(Viewer),
    /// The viewer gets a match, and one of its boards large.
    Watch(Viewer, u64, String, Option<usize>),
    /// The viewer gets a former position of a board: match, board, half-moves played.
    At(Viewer, u64, String, usize, usize),
    /// The viewer watches no more: a match, the list, or everything.
    Leave(Option<String>, u64),
}

/// The handle that connections share.
pub struct MatchWatch {
    paths: Vec<PathBuf>,
    inbox: Mutex<Option<Sender<WatchMessage>>>,
}

impl MatchWatch {
    /// Matches in these folders, and these files.
    pub const fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            inbox: Mutex::new(None),
        }
    }

    /// The thread begins with the first who asks.
    fn send(&self, message: WatchMessage) -> std::io::Result<()> {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let message = match &*inbox {
            Some(inbox) => match inbox.send(message) {
                Ok(()) => return Ok(()),
                // It ended by an error of the program: another one takes its place.
                Err(back) => back.0,
            },
            None => message,
        };
        let (sender, messages) = channel();
        let watcher = MatchWatcher::new(self.paths.clone());
        std::thread::Builder::new()
            .name("watch".into())
            .spawn(move || watcher.work(&messages))?;
        let _ = sender.send(message);
        *inbox = Some(sender);
        Ok(())
    }

    /// The viewer gets the list of matches, now and when it changes.
    pub fn list(&self, viewer: Viewer, n: u64) {
        self.ask(n, viewer.out.clone(), WatchMessage::List(viewer));
    }

    /// The viewer gets a match, and one of its boards large.
    pub fn watch(&self, viewer: Viewer, n: u64, id: String, place: Option<usize>) {
        self.ask(n, viewer.out.clone(), WatchMessage::Watch(viewer, n, id, place));
    }

    /// The viewer, who watches the match, gets a former position of one of its boards.
    pub fn at(&self, viewer: Viewer, n: u64, id: String, place: usize, ply: usize) {
        self.ask(n, viewer.out.clone(), WatchMessage::At(viewer, n, id, place, ply));
    }

    fn ask(&self, n: u64, out: Outbox, message: WatchMessage) {
        if let Err(why) = self.send(message) {
            out.refuse(n, "busy", json!(["no_busy", why.to_string()]));
        }
    }

    /// A connection watches no more: a match, the list, or everything.
    pub fn leave(&self, id: Option<&str>, session: u64) {
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inbox) = &*inbox {
            let _ = inbox.send(WatchMessage::Leave(id.map(String::from), session));
        }
    }
}

/// By what a file's change is seen.
type Stamp = (SystemTime, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((about.modified().ok()?, about.len()))
}

/// A match that is listed.
struct ListedMatch {
    path: PathBuf,
    stamp: Stamp,
    shown: LiveMatch,
}

/// A match that is watched.
struct WatchedMatch {
    path: PathBuf,
    viewers: Vec<(Viewer, Option<usize>)>,
    stamp: Option<Stamp>,
    shown: LiveMatch,
    boards: MatchBoards,
    /// The state that was sent last.
    state: &'static str,
}

/// The thread's own.
struct MatchWatcher {
    paths: Vec<PathBuf>,
    listeners: Vec<Viewer>,
    found: BTreeMap<String, ListedMatch>,
    watched: BTreeMap<String, WatchedMatch>,
    /// The list that was sent last.
    sent: String,
    scanned: Option<Instant>,
}

/// The number of a match.
fn number(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    seal::hex(&Sha256::digest(whole.as_os_str().as_encoded_bytes())[..8])
}

/// Reads a live file.
///
/// # Errors
/// Where it is missing, too large or none of this version.
fn read(path: &Path) -> Result<LiveMatch> {
    let length = path.metadata()?.len();
    if length > LARGEST {
        bail!("{length} bytes; expected at most {LARGEST}");
    }
    let shown: LiveMatch = serde_json::from_slice(&std::fs::read(path)?).context("no live file")?;
    if shown.v != VERSION {
        bail!("version {}; expected {VERSION}", shown.v);
    }
    register::find(&shown.spec.game)?;
    Ok(shown)
}

/// How a match goes: as it said itself, or stopped where it says nothing any more.
fn state(shown: &LiveMatch) -> &'static str {
    match shown.end {
        Some(LiveEnd::Played) => "played",
        Some(LiveEnd::Decided) => "decided",
        Some(LiveEnd::Stopped) => "stopped",
        Some(LiveEnd::Failed) => "failed",
        None if now().saturating_sub(shown.written) > STALE => "stopped",
        None => "running",
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(ENDING).unwrap_or(&name).to_string()
}

impl MatchWatcher {
    fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            listeners: Vec::new(),
            found: BTreeMap::new(),
            watched: BTreeMap::new(),
            sent: String::new(),
            scanned: None,
        }
    }

    /// Works until nobody can ask any more.
    fn work(mut self, messages: &Receiver<WatchMessage>) {
        loop {
            let wait = match (self.watched.is_empty(), self.listeners.is_empty()) {
                (false, _) => Some(TICK),
                (true, false) => Some(SCAN),
                (true, true) => None,
            };
            let message = match wait {
                Some(wait) => messages.recv_timeout(wait),
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match message {
                Ok(WatchMessage::List(viewer)) => self.enter_list(viewer),
                Ok(WatchMessage::Watch(viewer, n, id, place)) => self.enter(viewer, n, &id, place),
                Ok(WatchMessage::At(viewer, n, id, place, ply)) => self.look_back(&viewer, n, &id, place, ply),
                Ok(WatchMessage::Leave(id, session)) => self.leave(id.as_deref(), session),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.look();
        }
    }

    fn enter_list(&mut self, viewer: Viewer) {
        self.scan();
        self.sent = self.list();
        viewer.out.latest(LIST, "matches", self.sent.clone());
        self.listeners.retain(|v| v.session != viewer.session);
        self.listeners.push(viewer);
    }

    fn enter(&mut self, viewer: Viewer, n: u64, id: &str, place: Option<usize>) {
        if !self.found.contains_key(id) {
            self.scan();
        }
        let unknown = |why: &str| viewer.out.refuse(n, "unknown", json!([why, id]));
        let watched = match (self.watched.get_mut(id), self.found.get(id)) {
            (Some(watched), _) => watched,
            (None, Some(found)) => {
                let Ok(boards) = MatchBoards::new(&found.shown.spec) else {
                    return unknown("no_match");
                };
                let watched = WatchedMatch {
                    path: found.path.clone(),
                    viewers: Vec::new(),
                    stamp: None,
                    shown: found.shown.clone(),
                    boards,
                    state: "",
                };
                self.watched.entry(id.into()).or_insert(watched)
            }
            (None, None) => return unknown("no_match"),
        };
        watched.viewers.retain(|v| v.0.session != viewer.session);
        watched.viewers.push((viewer, place));
        watched.stamp = None;
        let [.., new] = watched.viewers.as_slice() else { return };
        new.0.out.answer(&watched.head(id));
    }

    fn look_back(&self, viewer: &Viewer, n: u64, id: &str, place: usize, ply: usize) {
        let Some(watched) = self.watched.get(id) else {
            return viewer.out.refuse(n, "unknown", json!(["no_match", id]));
        };
        let Some(scene) = watched.boards.at(&watched.shown, place, ply, viewer.lang) else {
            return viewer.out.refuse(n, "unknown", json!(["no_ply", ply]));
        };
        let shot = json!({ "t": "shot", "n": n, "id": id, "board": place, "ply": ply, "scene": scene });
        viewer.out.answer(&shot);
    }

    fn leave(&mut self, id: Option<&str>, session: u64) {
        if id.is_none_or(|id| id == LIST) {
            self.listeners.retain(|v| v.session != session);
        }
        for (name, watched) in &mut self.watched {
            if id.is_none_or(|id| id == name) {
                for (viewer, _) in watched.viewers.iter().filter(|v| v.0.session == session) {
                    viewer.out.forget(name);
                }
                watched.viewers.retain(|v| v.0.session != session);
            }
        }
        self.watched.retain(|_, w| !w.viewers.is_empty());
        if self.watched.is_empty() && self.listeners.is_empty() {
            self.found.clear();
        }
    }

    /// Looks for what changed, and sends it.
    fn look(&mut self) {
        for (id, watched) in &mut self.watched {
            watched.look(id);
        }
        let due = self.scanned.is_none_or(|at| at.elapsed() >= SCAN);
        if !self.listeners.is_empty() && due {
            self.scan();
            let list = self.list();
            if list != self.sent {
                self.sent = list;
                for viewer in &self.listeners {
                    viewer.out.latest(LIST, "matches", self.sent.clone());
                }
            }
        }
    }

    /// Looks for live files, and reads those that changed.
    fn scan(&mut self) {
        self.scanned = Some(Instant::now());
        let mut files = BTreeSet::new();
        for path in &self.paths {
            if path.is_dir() {
                let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
                let all = entries.map(|e| e.path());
                files.extend(all.filter(|p| p.to_string_lossy().ends_with(ENDING)).take(MOST_MATCHES));
            } else {
                files.insert(path.clone());
            }
        }
        let mut found = BTreeMap::new();
        for path in files {
            let (id, Some(stamp)) = (number(&path), stamp(&path)) else {
                continue;
            };
            let known = self.found.remove(&id).filter(|old| old.stamp == stamp);
            // What is no live file, or is just being swapped, is not listed.
            let listed = known.or_else(|| {
                let shown = read(&path).ok()?;
                Some(ListedMatch { path, stamp, shown })
            });
            found.extend(listed.map(|listed| (id, listed)));
        }
        self.found = found;
    }

    /// The message that lists the matches, those that run first, then the latest.
    fn list(&self) -> String {
        let mut all: Vec<_> = self.found.iter().collect();
        all.sort_by_key(|(_, m)| (state(&m.shown) != "running", std::cmp::Reverse(m.shown.spec.begun)));
        let one = |(id, m): (&String, &ListedMatch)| {
            let LiveMatch { spec, standing, .. } = &m.shown;
            let names: Vec<&str> = spec.engines.iter().map(|e| e.name.as_str()).collect();
            json!({
                "id": id, "file": file_name(&m.path), "game": spec.game, "event": spec.event, "names": names,
                "tournament": spec.tournament, "games": standing.games, "total": spec.total, "begun": spec.begun,
                "state": state(&m.shown), "wdl": standing.tally.as_ref().map(|t| t.wdl),
            })
        };
        let matches: Vec<Value> = all.into_iter().map(one).collect();
        json!({ "t": "matches", "matches": matches }).to_string()
    }
}

impl WatchedMatch {
    /// What does not change.
    fn head(&self, id: &str) -> Value {
        json!({
            "t": "match", "id": id, "file": file_name(&self.path), "spec": self.shown.spec, "board": self.boards.facts(),
        })
    }

    /// Looks for what changed, and sends it.
    fn look(&mut self, id: &str) {
        let stamp = stamp(&self.path);
        let state_now = state(&self.shown);
        if stamp == self.stamp && state_now == self.state {
            return;
        }
        if stamp != self.stamp {
            self.stamp = stamp;
            if let Ok(shown) = read(&self.path) {
                let other = shown.spec != self.shown.spec;
                self.shown = shown;
                if other && let Ok(boards) = MatchBoards::new(&self.shown.spec) {
                    // Another match, or another run of this one, in the same file.
                    self.boards = boards;
                    let head = self.head(id);
                    self.viewers.iter().for_each(|(v, _)| v.out.answer(&head));
                }
            }
            self.boards.follow(&self.shown);
        }
        self.state = state(&self.shown);
        for lang in Lang::ALL {
            let speak = || self.viewers.iter().filter(move |(v, _)| v.lang == lang);
            if speak().next().is_none() {
                continue;
            }
            let live = self.live(id, lang);
            let mut large: BTreeMap<usize, String> = BTreeMap::new();
            for (viewer, place) in speak() {
                // The board first: who has been told that a match is over has been sent its last move.
                if let Some(place) = *place {
                    let text = large.entry(place).or_insert_with(|| self.large(id, place, lang));
                    viewer.out.latest(id, "large", text.clone());
                }
                viewer.out.latest(id, "live", live.clone());
            }
        }
    }

    /// How it stands, and all boards small.
    fn live(&self, id: &str, lang: Lang) -> String {
        let LiveMatch {
            standing,
            path,
            last,
            more,
            written,
            ..
        } = &self.shown;
        json!({
            "t": "live", "id": id, "now": now(), "written": written, "state": self.state, "standing": standing,
            "path": path, "last": last.iter().map(boards::result).collect::<Vec<_>>(), "more": more,
            "boards": self.boards.small(&self.shown, lang),
        })
        .to_string()
    }

    /// One board with all its moves; without a scene where there is none.
    fn large(&self, id: &str, place: usize, lang: Lang) -> String {
        let scene = self.boards.scene(&self.shown, place, lang);
        json!({ "t": "large", "id": id, "place": place, "scene": scene }).to_string()
    }
}
