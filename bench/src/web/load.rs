//! Records that a page sends: read on a thread of their own, listed, and one made a game.

use super::board::GameSpec;
use super::damage::sentence;
use super::disk::{GameEvent, LoadedGame};
use super::hub::{HubShared, LoadedSpec};
use super::levels;
use super::notes::Notes;
use super::room::Viewer;
use crate::arena::coup::Dealt;
use crate::records::{Damage, RecordedGame, RecordedResult, quoted, sgf};
use crate::review::game::deal_of;
use crate::review::open::open;
use anyhow::{Context, Result, bail};
use nguky::game::{Position, Side};
use nguky::games::coup::Coup;
use nguky::register::GO;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a message that brings a record.
pub const LARGEST_RECORD: usize = 1 << 20;
/// Games of a text that are listed.
const MOST_GAMES: usize = 200;
/// Damaged games that the page gets a line about.
const MOST_DAMAGED: usize = 5;
/// Longest game, in half-moves.
const MOST_PLIES: usize = 2_000;
/// Characters of a name, and of a tag's value; tags that are kept.
const LONGEST_NAME: usize = 60;
const MOST_TAGS: usize = 40;

/// The records that a connection has sent last.
#[derive(Clone, Default)]
pub struct Loader(Arc<Mutex<LoaderState>>);

#[derive(Default)]
struct LoaderState {
    busy: bool,
    game: &'static str,
    games: Vec<RecordedGame>,
}

fn short(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

impl Loader {
    fn lock(&self) -> MutexGuard<'_, LoaderState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a text and lists its games; a single one is opened at once.
    pub fn load(&self, hub: &Arc<HubShared>, viewer: Viewer, n: u64, text: String, name: String, game: Option<String>) {
        let busy = std::mem::replace(&mut self.lock().busy, true);
        if busy {
            return viewer.out.refuse(n, "busy", json!(["no_busy"]));
        }
        let (own, hub, out) = (self.clone(), hub.clone(), viewer.out.clone());
        let work = move || {
            let found = own.read(&text, &name, game.as_deref());
            // Before the answer: who has it may send the next record.
            own.lock().busy = false;
            match found {
                Ok(None) => own.pick(&hub, viewer, n, 0),
                Ok(Some(mut list)) => {
                    list["n"] = n.into();
                    viewer.out.answer(&list);
                }
                Err(damage) => viewer.out.refuse(n, "bad_record", no_record(&damage)),
            }
        };
        if let Err(why) = std::thread::Builder::new().name("record".into()).spawn(work) {
            self.lock().busy = false;
            out.refuse(n, "busy", json!(["no_busy", why.to_string()]));
        }
    }

    /// Reads a text: the message that lists its games, none where it has one alone.
    fn read(&self, text: &str, name: &str, game: Option<&str>) -> Result<Option<Value>, Damage> {
        let opened = open(Path::new(name), text, game, MOST_GAMES);
        let opened = opened.map_err(|why| Damage::new(1, 1, format!("{why:#}")))?;
        if let (true, Some(damage)) = (opened.games.is_empty(), opened.damaged.first()) {
            return Err(damage.clone());
        }
        let damaged: Vec<Value> = opened.damaged.iter().take(MOST_DAMAGED).map(no_record).collect();
        let list: Vec<Value> = opened.games.iter().enumerate().map(|(i, g)| listed(i, g)).collect();
        let mut state = self.lock();
        (state.game, state.games) = (opened.about.name, opened.games);
        let several = list.len() > 1;
        Ok(several.then(|| json!({ "t": "records", "game": opened.about.name, "games": list, "damaged": damaged })))
    }

    /// Makes a game of a listed record.
    pub fn pick(&self, hub: &HubShared, viewer: Viewer, n: u64, number: usize) {
        let (game, record) = {
            let state = self.lock();
            (state.game, state.games.get(number).cloned())
        };
        let Some(record) = record else {
            return viewer.out.refuse(n, "unknown", json!(["no_unknown", number]));
        };
        match made(game, &record) {
            Ok(loaded) => hub.begin_loaded(loaded, &viewer, n),
            Err(why) => {
                let damage = Damage::new(record.line, 1, format!("{why:#}"));
                viewer.out.refuse(n, "bad_record", no_record(&damage));
            }
        }
    }
}

/// The sentence about a record that cannot be read.
fn no_record(damage: &Damage) -> Value {
    json!(["no_record", damage.line, damage.column, sentence(&damage.what)])
}

/// A record in the list.
fn listed(number: usize, record: &RecordedGame) -> Value {
    let result = match record.outcome {
        RecordedResult::Won(Side::First) => "1-0",
        RecordedResult::Won(Side::Second) => "0-1",
        RecordedResult::Drawn => "½-½",
        RecordedResult::Unknown => "",
    };
    let tag = |names: &[&str]| names.iter().find_map(|t| record.tag(t)).unwrap_or("");
    json!({
        "number": number, "plies": record.moves.len(), "result": result,
        "names": record.names.each_ref().map(|name| short(name, LONGEST_NAME)),
        "event": short(tag(&["Event", "EV", "棋戦", "$EVENT"]), LONGEST_NAME),
        "date": short(tag(&["Date", "DT", "開始日時", "$START_TIME"]), LONGEST_NAME),
    })
}

/// The game of a record.
fn made(game: &str, record: &RecordedGame) -> Result<LoadedSpec> {
    if record.moves.len() > MOST_PLIES {
        bail!("{} half-moves; expected at most {MOST_PLIES}", record.moves.len());
    }
    let mut spec = GameSpec {
        game: game.into(),
        setup: record.setup.clone(),
        ..GameSpec::default()
    };
    let mut texts: Vec<String> = record.moves.iter().map(|m| m.text.clone()).collect();
    if game == GO.name {
        let root = sgf::root(record);
        let (_, start) = sgf::first(&root).map_err(|d| anyhow::anyhow!("{}", d.what))?;
        let mut next = start.side();
        spec.size = start.board().size();
        spec.setup = Some(root);
        for (text, ply) in texts.iter_mut().zip(&record.moves) {
            if ply.side != next {
                *text = format!("{} {text}", if ply.side == Side::First { 'B' } else { 'W' });
            }
            next = ply.side.other();
        }
    }
    if game == Coup::NAME {
        let setup = record.setup.as_deref().unwrap_or(Coup::START);
        let start = Coup::parse(setup, &Default::default())?;
        spec.faces = Some(match record.tag("Deal") {
            Some(faces) => Dealt::with_faces(&start, faces).context("the tag Deal")?.faces(),
            None => deal_of(&start, &texts)?,
        });
    }
    let mut events: Vec<GameEvent> = texts.into_iter().map(|m| GameEvent::Move { m }).collect();
    let points = match record.outcome {
        RecordedResult::Won(Side::First) => Some(2),
        RecordedResult::Won(Side::Second) => Some(0),
        RecordedResult::Drawn => Some(1),
        RecordedResult::Unknown => None,
    };
    let mut made = super::board::make(&spec)?;
    let first = made.side();
    for event in &events {
        if let GameEvent::Move { m } = event {
            made.play(m)?;
        }
    }
    // Where the rules end the game, they say why; a count of go is the record's.
    if made.ended().is_none() || made.is_counted() {
        events.extend(points.map(|points| GameEvent::End {
            points,
            reason: reason(&record.ending),
            dead: Vec::new(),
        }));
    }
    let mut tags: Vec<(String, String)> = record.tags.iter().take(MOST_TAGS).cloned().collect();
    tags.iter_mut()
        .for_each(|(name, value)| (*name, *value) = (short(name, 40), short(value, 200)));
    Ok(LoadedSpec {
        first,
        spec,
        events,
        level: levels::USUAL,
        loaded: LoadedGame {
            names: record.names.each_ref().map(|name| short(name, LONGEST_NAME)),
            tags,
            notes: Notes::of(record),
        },
    })
}

/// The end of a record in the words of the rules.
fn reason(ending: &str) -> String {
    let has = |words: &[&str]| words.iter().any(|w| ending.contains(w));
    if has(&["TORYO", "投了", "+R", "esign"]) {
        "resignation".into()
    } else if has(&["SENNICHITE", "千日手", "repetition"]) {
        "repetition".into()
    } else if has(&["TSUMI", "詰み", "checkmate"]) {
        "checkmate".into()
    } else if has(&["KACHI", "入玉", "宣言"]) {
        "declaration".into()
    } else if ending.starts_with("B+") || ending.starts_with("W+") {
        short(ending, LONGEST_NAME)
    } else {
        let said = short(ending, LONGEST_NAME);
        if said.is_empty() || said == "normal" {
            "record".into()
        } else {
            quoted(&said).replace('"', "")
        }
    }
}
