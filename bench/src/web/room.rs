//! A room: one open game with its engine, owned by a thread of its own. Commands of viewers and reports of the engine come
//! through one inbox, and after each change every viewer gets the whole scene.

mod analysis;
mod failure;
mod requests;
mod review;
mod shown;

use super::board::{self, RoomEngine, WebGame};
use super::disk::{GameEvent, GameFile, GameHead};
use super::hub::HubShared;
use super::outbox::Outbox;
use super::slots::{Rank, Slot};
use super::words::Lang;
use super::{levels, seal};
use crate::play::table::GameEnd;
use analysis::Analysis;
use anyhow::{Context, Result};
use nguky::control::{Choice, Info, Report};
pub use requests::RoomRequest;
pub use review::{EFFORTS, effort};
use review::{RoomReview, TriedMove};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// A game that went wrong more often than this is given up until the next start.
const MOST_PANICS: usize = 3;
/// Longest game, in half-moves.
const MOST_PLIES: usize = 2_000;

/// Somebody who looks at a game.
#[derive(Clone)]
pub struct Viewer {
    /// The number of the connection.
    pub session: u64,
    /// Where messages go.
    pub out: Outbox,
    /// The language of moves.
    pub lang: Lang,
    /// Whether he only watches: he sees what both sides know, and asks for nothing.
    pub guest: bool,
}

/// A message to a room.
pub enum RoomMessage {
    /// Somebody looks on from now.
    Open(Viewer),
    /// Somebody looks on no more.
    Bye(u64),
    /// A request with its number.
    Ask(Viewer, u64, RoomRequest),
    /// The engine says something in the search of this number.
    Report(u64, Report),
    /// The engine says no more in the search of this number.
    Silent(u64),
    /// A slot may be free.
    Retry,
    /// Another room has to play: analysis gives its slot up.
    Yield,
    /// The engine's memory is needed elsewhere.
    Rest,
    /// The end of the room.
    Quit,
}

/// What a search is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Play,
    Hint,
    /// A move that a viewer tries instead of one that a review marked.
    Try,
    Analysis,
    Review,
}

impl Purpose {
    /// What its slot goes by.
    const fn rank(self) -> Rank {
        match self {
            Self::Play | Self::Hint | Self::Try => Rank::Play,
            Self::Analysis => Rank::Analysis,
            Self::Review => Rank::Review,
        }
    }
}

struct Running {
    number: u64,
    purpose: Purpose,
    _slot: Slot,
}

/// A game that is open.
pub struct Room {
    hub: Arc<HubShared>,
    head: GameHead,
    game: Box<dyn WebGame>,
    file: GameFile,
    over: Option<GameEnd>,
    hints: usize,
    rev: u64,
    viewers: Vec<Viewer>,
    engine: Option<RoomEngine>,
    running: Option<Running>,
    searches: u64,
    /// Somebody asked for a hint that has not begun.
    hint_asked: bool,
    hint: Option<Choice>,
    analysis: Option<Analysis>,
    review: Option<RoomReview>,
    /// The move that a viewer tries, and the last line of its search.
    tried: Option<TriedMove>,
    tried_info: Option<Info>,
    /// What went wrong with the engine, for the page.
    trouble: Option<Value>,
    /// Engines that failed since the last one answered.
    engine_failures: usize,
    own: Sender<RoomMessage>,
}

/// Runs a game's room until [`RoomMessage::Quit`].
pub fn run(hub: &Arc<HubShared>, id: &str, own: &Sender<RoomMessage>, inbox: &Receiver<RoomMessage>) {
    let mut viewers = Vec::new();
    let mut engine_failures = 0;
    for _ in 0..MOST_PANICS {
        let mut room = match Room::load(hub, id, own.clone()) {
            Ok(room) => room,
            Err(why) => {
                eprintln!("nguky web: game {id}: {why:#}");
                break;
            }
        };
        room.viewers = std::mem::take(&mut viewers);
        room.engine_failures = engine_failures;
        let end = catch_unwind(AssertUnwindSafe(|| room.work(inbox)));
        room.halt();
        if end.is_ok() {
            return;
        }
        eprintln!("nguky web: game {id} is read again after an error of the program");
        viewers = std::mem::take(&mut room.viewers);
        engine_failures = room.engine_failures;
    }
    // Viewers hear it now, and requests from now on are refused.
    for viewer in &viewers {
        viewer.out.answer(&failure::given_up(id));
    }
    for message in inbox {
        match message {
            RoomMessage::Open(viewer) => viewer.out.answer(&failure::given_up(id)),
            RoomMessage::Ask(viewer, n, _) => viewer.out.refuse(n, "broken", json!(["game_broken"])),
            RoomMessage::Quit => return,
            _ => {}
        }
    }
}

impl Room {
    fn load(hub: &Arc<HubShared>, id: &str, own: Sender<RoomMessage>) -> Result<Self> {
        let (head, events, file) = hub.store.load(id)?;
        let mut room = Self {
            game: board::make(&head.spec)?,
            hub: hub.clone(),
            head,
            file,
            over: None,
            hints: 0,
            rev: 0,
            viewers: Vec::new(),
            engine: None,
            running: None,
            searches: 0,
            hint_asked: false,
            hint: None,
            analysis: None,
            review: None,
            tried: None,
            tried_info: None,
            trouble: None,
            engine_failures: 0,
            own,
        };
        for event in &events {
            room.apply(event).with_context(|| format!("{event:?}"))?;
        }
        room.resume_review()?;
        Ok(room)
    }

    /// Brings the game up to date with an event of its file.
    fn apply(&mut self, event: &GameEvent) -> Result<()> {
        match event {
            GameEvent::Move { m } => self.game.play(m)?,
            GameEvent::Undo { n } => {
                (0..*n).for_each(|_| self.game.undo());
                self.over = None;
                if let Some(loaded) = &mut self.head.loaded {
                    loaded.notes.cut(self.game.plies());
                }
            }
            GameEvent::Hint => self.hints += 1,
            GameEvent::End { points, reason, dead } => {
                self.game.settle(dead);
                self.over = Some((*points, reason.clone()));
            }
        }
        self.rev += 1;
        Ok(())
    }

    /// Keeps an event and acts on it. What cannot be kept does not happen.
    fn commit(&mut self, event: &GameEvent) -> Result<()> {
        self.file.line(event)?;
        self.apply(event)?;
        self.hint = None;
        Ok(())
    }

    fn work(&mut self, inbox: &Receiver<RoomMessage>) {
        self.advance();
        loop {
            let analysis = self.analysis.as_ref().and_then(Analysis::due);
            let review = self.review.as_ref().and_then(RoomReview::due);
            let message = match analysis.into_iter().chain(review).min() {
                Some(wait) => inbox.recv_timeout(wait),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match message {
                Ok(RoomMessage::Quit) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(RoomMessage::Open(viewer)) => self.enter(viewer),
                Ok(RoomMessage::Bye(session)) => self.leave(session),
                Ok(RoomMessage::Ask(viewer, n, request)) => self.ask(&viewer, n, request),
                Ok(RoomMessage::Report(number, report)) => self.report(number, report),
                Ok(RoomMessage::Silent(number)) => self.lose_engine(number),
                Ok(RoomMessage::Retry) => {
                    self.advance();
                    if self.running.is_none() {
                        self.hub.slots.pass_on();
                    }
                }
                Ok(RoomMessage::Yield) => self.give_way(),
                Ok(RoomMessage::Rest) => {
                    if self.running.is_none() {
                        self.engine = None;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.analysis.as_ref().and_then(Analysis::due) == Some(Duration::ZERO) {
                        self.show_analysis();
                    }
                    if self.review.as_ref().and_then(RoomReview::due) == Some(Duration::ZERO) {
                        self.show_review();
                    }
                }
            }
        }
    }

    /// Whose knowledge the viewers have.
    fn viewpoint(&self) -> usize {
        if self.head.seat < 2 {
            self.head.seat
        } else {
            self.game.side()
        }
    }

    /// Whether the person is to move.
    fn is_theirs(&self) -> bool {
        self.over.is_none() && (self.head.seat == 2 || self.game.side() == self.head.seat)
    }

    fn enter(&mut self, viewer: Viewer) {
        viewer.out.answer(&self.board(viewer.guest));
        let faces = self.head.spec.faces.as_ref().filter(|_| self.head.loaded.is_none());
        if let Some(faces) = faces {
            let digest = seal::digest(&self.head.salt, &self.head.id, faces);
            viewer
                .out
                .answer(&json!({ "t": "seal", "id": self.head.id, "digest": digest }));
        }
        if let Some(open) = self.opened() {
            viewer.out.answer(&open);
        }
        self.viewers.retain(|v| v.session != viewer.session);
        self.viewers.push(viewer.clone());
        self.show_notes(std::slice::from_ref(&viewer));
        self.show(std::slice::from_ref(&viewer));
        if self.may_review() {
            self.show_review_to(&[viewer]);
        }
    }

    fn leave(&mut self, session: u64) {
        for viewer in self.viewers.iter().filter(|v| v.session == session) {
            viewer.out.forget(&self.head.id);
        }
        self.viewers.retain(|v| v.session != session);
        if self.viewers.iter().all(|v| v.guest) {
            self.stop_analysis();
        }
    }

    fn is_running(&self, purpose: Purpose) -> bool {
        self.running.as_ref().is_some_and(|r| r.purpose == purpose)
    }

    /// Something changed: all viewers see it.
    fn publish(&mut self) {
        self.rev += 1;
        let over = self.over.as_ref().map(|(points, _)| shares(*points));
        self.hub.note(&self.head, self.game.plies(), self.game.side(), over);
        self.show(&self.viewers);
        self.drop_review();
        if self.review.is_none() && self.may_review() {
            self.show_review();
        }
    }

    /// The game goes on: its end is noted, or the engine thinks where there is something to think about.
    fn advance(&mut self) {
        if self.over.is_none() {
            self.conclude();
        }
        if self.running.as_ref().is_some_and(|r| r.purpose.rank() == Rank::Play) {
            return;
        }
        let wanted = if self.trouble.is_some() {
            // Until somebody does something about it.
            return;
        } else if self.over.is_none() && !self.is_theirs() {
            Purpose::Play
        } else if self.hint_asked {
            Purpose::Hint
        } else if self.tried.is_some() {
            Purpose::Try
        } else {
            return self.advance_idle();
        };
        self.halt();
        if wanted == Purpose::Try {
            if let Err(why) = self.begin_try() {
                eprintln!("nguky web: game {}: {why:#}", self.head.id);
                self.tried = None;
            }
            return;
        }
        let Some(slot) = self.hub.slots.take(&self.own, Rank::Play) else {
            return;
        };
        if let Err(why) = self.search(wanted, slot) {
            eprintln!("nguky web: game {}: {why:#}", self.head.id);
            self.hint_asked = false;
            self.trouble = Some(json!(["engine_refused", format!("{why:#}")]));
            self.publish();
        }
    }

    /// Analysis and review, where there is nothing to answer; analysis goes first.
    fn advance_idle(&mut self) {
        let analyses = self.analysis.as_ref().is_some_and(|a| !a.is_done());
        if analyses && self.is_running(Purpose::Review) {
            self.halt();
        }
        if self.running.is_none() && analyses {
            self.analyse();
        }
        if self.running.is_none() && !analyses {
            self.go_on_reviewing();
        }
    }

    /// Ends the game where the rules do.
    fn conclude(&mut self) {
        let Some(end) = self.game.ended() else {
            if self.game.plies() >= MOST_PLIES {
                self.finish((1, "move limit".into()), Vec::new());
            }
            return;
        };
        if !self.game.is_counted() {
            return self.finish(end, Vec::new());
        }
        self.halt();
        let dead = match self.ready() {
            Ok(()) => self.engine.as_mut().map(|e| self.game.dead(e)).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        self.game.settle(&dead);
        let end = self.game.ended().unwrap_or(end);
        self.finish(end, dead);
    }

    fn finish(&mut self, (points, reason): GameEnd, dead: Vec<String>) {
        self.halt();
        self.hint_asked = false;
        if let Err(why) = self.commit(&GameEvent::End { points, reason, dead }) {
            self.trouble = Some(json!(["no_disk", format!("{why:#}")]));
        }
        if let Some(open) = self.opened() {
            self.viewers.iter().for_each(|v| v.out.answer(&open));
        }
        self.publish();
    }

    /// Has an engine.
    fn ready(&mut self) -> Result<()> {
        if self.engine.is_none() {
            let mut engine = (self.hub.engines)(self.game.as_ref())?;
            levels::option(&mut engine, "Hash", &self.hub.hash.to_string());
            self.engine = Some(engine);
        }
        self.hub.uses_engine(&self.head.id);
        Ok(())
    }

    fn search(&mut self, purpose: Purpose, slot: Slot) -> Result<()> {
        self.ready()?;
        let engine = self.engine.as_mut().context("no engine")?;
        let limits = match purpose {
            Purpose::Play => levels::set(engine, &self.head.spec.game, self.head.level),
            _ => levels::set_full(engine, 1),
        };
        // An engine plays with its own side's knowledge, a hint is given with the viewer's: both are to move.
        self.game.prepare(engine, self.game.side())?;
        let limits = nguky::control::Limits { claims: true, ..limits };
        self.go(purpose, slot, limits)
    }

    fn go(&mut self, purpose: Purpose, slot: Slot, limits: nguky::control::Limits) -> Result<()> {
        self.searches += 1;
        let number = self.searches;
        let ear = SearchEar {
            number,
            inbox: self.own.clone(),
        };
        let sink = Arc::new(move |report| ear.hear(report));
        self.engine.as_mut().context("no engine")?.engine().go(limits, sink)?;
        self.running = Some(Running {
            number,
            purpose,
            _slot: slot,
        });
        Ok(())
    }

    /// Ends the running search; what it still says is not heard.
    fn halt(&mut self) {
        if self.running.take().is_some()
            && let Some(engine) = &mut self.engine
        {
            engine.stop();
            engine.engine().wait();
        }
    }

    fn give_way(&mut self) {
        let rank = self.running.as_ref().map(|r| r.purpose.rank());
        if let Some(rank) = rank.filter(|r| *r != Rank::Play) {
            self.halt();
            self.hub.slots.wait(&self.own, rank);
        }
    }

    fn report(&mut self, number: u64, report: Report) {
        let Some(running) = self.running.as_ref().filter(|r| r.number == number) else {
            return;
        };
        let purpose = running.purpose;
        let choice = match report {
            Report::Best { choice, .. } => choice,
            Report::Info(info) => {
                return match purpose {
                    Purpose::Analysis => self.hear(info),
                    Purpose::Review => self.hear_review(info),
                    Purpose::Try => crate::review::game::hear(&mut self.tried_info, info),
                    Purpose::Play | Purpose::Hint => {}
                };
            }
            _ => return,
        };
        if let Some(engine) = &mut self.engine {
            engine.engine().wait();
        }
        self.running = None;
        self.engine_failures = 0;
        match purpose {
            Purpose::Play => self.answer(choice),
            Purpose::Hint => {
                self.hint_asked = false;
                if self.file.line(&GameEvent::Hint).is_ok() {
                    self.hints += 1;
                }
                self.hint = Some(choice);
                self.publish();
            }
            Purpose::Try => self.answer_try(&choice),
            Purpose::Review => self.take_review(&choice),
            Purpose::Analysis => self.show_analysis(),
        }
        self.advance();
    }

    /// The engine's move.
    fn answer(&mut self, choice: Choice) {
        let side = self.game.side();
        let done = match choice {
            Choice::Move(m) => self.commit(&GameEvent::Move { m }),
            Choice::ClaimWin => {
                self.finish(wins(side, "declaration"), Vec::new());
                return;
            }
            _ => {
                self.finish(wins(1 - side, "resignation"), Vec::new());
                return;
            }
        };
        if let Err(why) = done {
            eprintln!("nguky web: game {}: the engine's move: {why:#}", self.head.id);
            self.trouble = Some(json!(["engine_refused", format!("{why:#}")]));
        }
        if self.game.ended().is_none() {
            self.publish();
        }
    }
}

/// What hears a search. The engine lets go of it when the search is over, however that came about.
struct SearchEar {
    number: u64,
    inbox: Sender<RoomMessage>,
}

impl SearchEar {
    fn hear(&self, report: Report) {
        let _ = self.inbox.send(RoomMessage::Report(self.number, report));
    }
}

impl Drop for SearchEar {
    /// After an answer this says nothing new; without one the engine's thread has failed.
    fn drop(&mut self) {
        let _ = self.inbox.send(RoomMessage::Silent(self.number));
    }
}

/// Ends that take no move.
const GIVEN_UP: [&str; 2] = ["resignation", "declaration"];

/// A side's win.
fn wins(side: usize, reason: &str) -> GameEnd {
    (if side == 0 { 2 } else { 0 }, reason.into())
}

/// The points of both sides.
fn shares(points: u8) -> [f32; 2] {
    let first = f32::from(points) / 2.0;
    [first, 1.0 - first]
}

/// Adds the fields of an object to another.
pub fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

/// How long a room waits at most between two messages of its analysis.
const PACE: Duration = Duration::from_millis(200);
