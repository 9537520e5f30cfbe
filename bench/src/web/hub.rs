//! All games: which are awake in rooms, and what is known of the others.

use super::board::{self, GameSpec, RoomEngine, WebGame};
use super::disk::{GameEvent, GameHead, GameStore, LoadedGame, MOST_GAMES};
use super::outbox::Outbox;
use super::room::{self, RoomMessage, RoomRequest, Viewer};
use super::slots::Slots;
use super::watch::MatchWatch;
use super::{levels, seal};
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

/// More rooms do not stay awake without viewers.
const MOST_AWAKE: usize = 32;
/// More engines do not stay in memory.
const MOST_ENGINES: usize = 4;

/// What the list of games shows of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameSummary {
    id: String,
    game: String,
    ply: usize,
    turn: usize,
    seat: usize,
    level: u8,
    sealed: bool,
    over: Option<[f32; 2]>,
    at: u64,
    /// Who played, where the game was loaded from a record.
    names: Option<[String; 2]>,
}

impl GameSummary {
    fn new(head: &GameHead, ply: usize, turn: usize, over: Option<[f32; 2]>, at: u64) -> Self {
        Self {
            id: head.id.clone(),
            game: head.spec.game.clone(),
            ply,
            turn,
            seat: head.seat,
            level: head.level,
            sealed: head.sealed,
            over,
            at,
            names: head.loaded.as_ref().map(|l| l.names.clone()),
        }
    }

    /// What a file tells without being played over.
    fn of(head: &GameHead, events: &[GameEvent]) -> Self {
        let (mut ply, mut over) = (0, None);
        for event in events {
            match event {
                GameEvent::Move { .. } => ply += 1,
                GameEvent::Undo { n } => (ply, over) = (usize::saturating_sub(ply, *n), None),
                GameEvent::End { points, .. } => {
                    over = Some([f32::from(*points) / 2.0, 1.0 - f32::from(*points) / 2.0]);
                }
                GameEvent::Hint => {}
            }
        }
        Self::new(head, ply, (head.first + ply) % 2, over, head.at)
    }
}

struct Awake {
    inbox: Sender<RoomMessage>,
    /// When it was last asked for, as a count.
    used: u64,
    /// The connections that look on.
    viewers: Vec<u64>,
}

#[derive(Default)]
struct HubState {
    games: BTreeMap<String, GameSummary>,
    rooms: BTreeMap<String, Awake>,
    /// The games whose engine was used last, the latest at the end.
    engines: VecDeque<String>,
    count: u64,
}

/// Makes an engine by the rules of a game.
pub type EngineMaker = fn(&dyn WebGame) -> Result<RoomEngine>;

/// What rooms share.
pub struct HubShared {
    /// The files.
    pub store: GameStore,
    /// The searches that may run.
    pub slots: Slots,
    /// MiB of an engine's hash table.
    pub hash: u64,
    /// The matches that may be watched.
    pub watch: MatchWatch,
    /// What makes the engine of a game.
    pub engines: EngineMaker,
    state: Mutex<HubState>,
    me: Weak<HubShared>,
}

/// What a new game is asked to be.
#[derive(Clone, Debug, Default)]
pub struct NewGame {
    /// What it is started from.
    pub spec: GameSpec,
    /// The person's side; 2 for both.
    pub seat: usize,
    /// The engine's level.
    pub level: u8,
    /// Whether take-backs and analysis are off.
    pub sealed: bool,
}

/// A game of a record.
#[derive(Clone, Debug)]
pub struct LoadedSpec {
    /// What it is started from.
    pub spec: GameSpec,
    /// The side to move at the start.
    pub first: usize,
    /// Its moves, and its end where the record tells it.
    pub events: Vec<GameEvent>,
    /// The engine's level.
    pub level: u8,
    /// What the record said beside.
    pub loaded: LoadedGame,
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

impl HubShared {
    /// Opens the games of a folder.
    ///
    /// # Errors
    /// Where it cannot be used.
    pub fn open(folder: &Path, threads: usize, hash: u64, watch: MatchWatch) -> Result<Arc<Self>> {
        Self::open_with(folder, threads, hash, watch, |game| game.engine())
    }

    /// The same with engines of another make.
    ///
    /// # Errors
    /// Where the folder cannot be used.
    pub fn open_with(
        folder: &Path,
        threads: usize,
        hash: u64,
        watch: MatchWatch,
        engines: EngineMaker,
    ) -> Result<Arc<Self>> {
        let store = GameStore::open(folder)?;
        let mut state = HubState::default();
        for id in store.ids() {
            match store.load(&id) {
                Ok((head, events, _)) => {
                    state.games.insert(id, GameSummary::of(&head, &events));
                }
                Err(why) => eprintln!("nguky web: game {id} is left out: {why:#}"),
            }
        }
        Ok(Arc::new_cyclic(|me| Self {
            store,
            slots: Slots::new(threads),
            hash,
            watch,
            engines,
            state: Mutex::new(state),
            me: me.clone(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The message that lists all games, the newest first.
    pub fn list(&self) -> Value {
        let mut games: Vec<GameSummary> = self.lock().games.values().cloned().collect();
        games.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
        json!({ "t": "games", "games": games })
    }

    /// Notes how a game stands.
    pub fn note(&self, head: &GameHead, ply: usize, turn: usize, over: Option<[f32; 2]>) {
        let mut state = self.lock();
        if state.games.contains_key(&head.id) {
            let summary = GameSummary::new(head, ply, turn, over, now());
            state.games.insert(head.id.clone(), summary);
        }
    }

    /// A game uses its engine; the one unused for longest gives its memory back.
    pub fn uses_engine(&self, id: &str) {
        let mut state = self.lock();
        state.engines.retain(|other| other != id);
        state.engines.push_back(id.into());
        while state.engines.len() > MOST_ENGINES {
            if let Some(oldest) = state.engines.pop_front()
                && let Some(room) = state.rooms.get(&oldest)
            {
                let _ = room.inbox.send(RoomMessage::Rest);
            }
        }
    }

    /// Makes a game and keeps it: its number, or code and sentence of the refusal.
    ///
    /// # Errors
    /// Where the description is bad, too many games are going on or the disk refuses.
    pub fn create(&self, mut new: NewGame) -> Result<String, (&'static str, Value)> {
        let bad = |why: anyhow::Error| ("bad_setup", json!(["no_setup", format!("{why:#}")]));
        let disk = |why: anyhow::Error| ("disk", json!(["no_disk", format!("{why:#}")]));
        board::deal(&mut new.spec).map_err(bad)?;
        let game = board::make(&new.spec).map_err(bad)?;
        if let Some(end) = game.ended() {
            return Err(("bad_setup", json!(["no_setup", end.1])));
        }
        self.make_room()?;
        let head = GameHead {
            v: 1,
            id: seal::random::<8>().map_err(disk)?,
            at: now(),
            first: game.side(),
            spec: new.spec,
            seat: new.seat,
            level: new.level,
            sealed: new.sealed,
            salt: seal::random::<16>().map_err(disk)?,
            loaded: None,
        };
        self.keep(head, &[]).map_err(disk)
    }

    /// Keeps a new game: its number.
    fn keep(&self, head: GameHead, events: &[GameEvent]) -> Result<String> {
        self.store.create(&head, events)?;
        let summary = GameSummary::of(&head, events);
        self.lock().games.insert(head.id.clone(), summary);
        Ok(head.id)
    }

    fn create_loaded(&self, new: LoadedSpec) -> Result<String, (&'static str, Value)> {
        let disk = |why: anyhow::Error| ("disk", json!(["no_disk", format!("{why:#}")]));
        self.make_room()?;
        let head = GameHead {
            v: 1,
            id: seal::random::<8>().map_err(disk)?,
            at: now(),
            first: new.first,
            spec: new.spec,
            seat: 2,
            level: new.level,
            sealed: false,
            salt: seal::random::<16>().map_err(disk)?,
            loaded: Some(new.loaded),
        };
        self.keep(head, &new.events).map_err(disk)
    }

    /// Makes a game of a record and lets the viewer look on, or tells why not.
    pub fn begin_loaded(&self, new: LoadedSpec, viewer: &Viewer, n: u64) {
        let made = self.create_loaded(new);
        self.enter_made(made, viewer, n);
    }

    /// Room for one more game on disk: the oldest finished one goes.
    fn make_room(&self) -> Result<(), (&'static str, Value)> {
        let oldest = {
            let state = self.lock();
            if state.games.len() < MOST_GAMES {
                return Ok(());
            }
            let over = state.games.values().filter(|g| g.over.is_some());
            over.min_by_key(|g| g.at).map(|g| g.id.clone())
        };
        match oldest {
            Some(id) => {
                self.delete(&id);
                Ok(())
            }
            None => Err(("too_big", json!(["no_more_games", MOST_GAMES]))),
        }
    }

    /// Deletes a game; false where there is none.
    pub fn delete(&self, id: &str) -> bool {
        let mut state = self.lock();
        if state.games.remove(id).is_none() {
            return false;
        }
        if let Some(room) = state.rooms.remove(id) {
            let _ = room.inbox.send(RoomMessage::Quit);
        }
        drop(state);
        if let Err(why) = self.store.delete(id) {
            eprintln!("nguky web: game {id}: {why:#}");
        }
        true
    }

    /// The inbox of a game's room, which wakes up for it; none where there is no such game.
    fn inbox(&self, id: &str) -> Result<Option<Sender<RoomMessage>>> {
        let mut state = self.lock();
        if !state.games.contains_key(id) {
            return Ok(None);
        }
        state.count += 1;
        let used = state.count;
        if let Some(room) = state.rooms.get_mut(id) {
            room.used = used;
            return Ok(Some(room.inbox.clone()));
        }
        let (inbox, messages) = channel();
        let (hub, own, name) = (
            self.me.upgrade().context("the server ends")?,
            inbox.clone(),
            id.to_string(),
        );
        std::thread::Builder::new()
            .name(format!("game {id}"))
            .spawn(move || room::run(&hub, &name, &own, &messages))?;
        let awake = Awake {
            inbox: inbox.clone(),
            used,
            viewers: Vec::new(),
        };
        state.rooms.insert(id.into(), awake);
        if state.rooms.len() > MOST_AWAKE {
            let idle = state
                .rooms
                .iter()
                .filter(|(other, r)| r.viewers.is_empty() && *other != id);
            let oldest = idle.min_by_key(|(_, r)| r.used).map(|(id, _)| id.clone());
            if let Some(room) = oldest.and_then(|id| state.rooms.remove(&id)) {
                let _ = room.inbox.send(RoomMessage::Quit);
            }
        }
        Ok(Some(inbox))
    }

    /// Lets a viewer look on; false where there is no such game.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn enter(&self, id: &str, viewer: Viewer) -> Result<bool> {
        let Some(inbox) = self.inbox(id)? else { return Ok(false) };
        if let Some(room) = self.lock().rooms.get_mut(id) {
            room.viewers.retain(|v| *v != viewer.session);
            room.viewers.push(viewer.session);
        }
        Ok(inbox.send(RoomMessage::Open(viewer)).is_ok())
    }

    /// A viewer looks on no more, in one game or in all.
    pub fn leave(&self, id: Option<&str>, session: u64) {
        let mut state = self.lock();
        for (name, room) in &mut state.rooms {
            if id.is_none_or(|id| id == name) && room.viewers.contains(&session) {
                room.viewers.retain(|v| *v != session);
                let _ = room.inbox.send(RoomMessage::Bye(session));
            }
        }
    }

    /// Asks a room for something; false where there is no such game.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn ask(&self, id: &str, viewer: Viewer, n: u64, request: RoomRequest) -> Result<bool> {
        let Some(inbox) = self.inbox(id)? else { return Ok(false) };
        Ok(inbox.send(RoomMessage::Ask(viewer, n, request)).is_ok())
    }

    /// A new game like another, with sides exchanged.
    pub fn again(&self, head: &GameHead, viewer: &Viewer, n: u64) {
        let new = NewGame {
            spec: GameSpec {
                faces: None,
                ..head.spec.clone()
            },
            seat: if head.seat < 2 { 1 - head.seat } else { 2 },
            level: head.level,
            sealed: head.sealed,
        };
        self.begin(new, viewer, n);
    }

    /// Makes a game and lets the viewer look on, or tells why not.
    pub fn begin(&self, new: NewGame, viewer: &Viewer, n: u64) {
        let made = self.create(new);
        self.enter_made(made, viewer, n);
    }

    fn enter_made(&self, made: Result<String, (&'static str, Value)>, viewer: &Viewer, n: u64) {
        let Viewer { out, .. } = viewer;
        match made {
            Ok(id) => {
                out.answer(&json!({ "t": "opened", "n": n, "id": id }));
                entered(self.enter(&id, viewer.clone()), out, n, &id);
            }
            Err((code, say)) => out.refuse(n, code, say),
        }
    }

    /// Ends all rooms, as the end of the process does.
    #[cfg(test)]
    pub fn close(&self) {
        for room in self.lock().rooms.values() {
            let _ = room.inbox.send(RoomMessage::Quit);
        }
    }
}

/// Tells a viewer where a game is missing or cannot be opened.
pub fn entered(done: Result<bool>, out: &Outbox, n: u64, id: &str) {
    match done {
        Ok(true) => {}
        Ok(false) => out.refuse(n, "unknown", json!(["no_game", id])),
        Err(why) => out.refuse(n, "busy", json!(["no_busy", format!("{why:#}")])),
    }
}

/// Whether a level is one of those there are.
pub fn is_level(level: u8) -> bool {
    (1..=levels::FULL).contains(&level)
}
