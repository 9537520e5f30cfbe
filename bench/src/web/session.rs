//! One connection: reads messages of the page, checks them, and passes them on. It holds no socket, so that tests drive it
//! directly.

use super::board::{GameSpec, stone_sizes};
use super::hub::{HubShared, NewGame, entered, is_level};
use super::levels;
use super::load::{LARGEST_RECORD, Loader};
use super::outbox::{Outbox, POLICY};
use super::room::{EFFORTS, RoomRequest, Viewer};
use super::seal;
use super::words::Lang;
use nguky::alphabeta_games;
use nguky::game::{About, BoardFamily, GameOption, Handicap, OptionKind, Position, Rules};
use nguky::games::go;
use nguky::register::{self, GO};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The version of the protocol.
const VERSION: u64 = 1;
/// Closed for another version: the page reloads.
const OTHER_VERSION: u16 = 4001;
/// Longest message that is read, in bytes.
pub const LONGEST: usize = 16 << 10;
/// Messages a second that may come, and how many at once.
const RATE: f64 = 50.0;
const BURST: f64 = 100.0;
/// Settings among those of the rules that change what is searched, not what may be played.
const OF_SEARCH: [&str; 1] = ["GenerateAllLegalMoves"];
/// Settings of rules in one message, and bytes of each name and value.
const MOST_RULES: usize = 16;
const LONGEST_RULE: usize = 64;

/// A message of the page, beside its number.
#[derive(Debug, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
enum PageMessage {
    Hello {
        v: u64,
        #[serde(default)]
        token: String,
        #[serde(default)]
        lang: String,
    },
    List {},
    New(NewMessage),
    Open {
        id: String,
    },
    Bye {
        id: String,
    },
    Delete {
        id: String,
    },
    Move {
        id: String,
        rev: u64,
        m: String,
    },
    Type {
        id: String,
        rev: u64,
        text: String,
    },
    Press {
        id: String,
        rev: u64,
        key: String,
    },
    At {
        id: String,
        ply: usize,
        /// The board of a match; none in a game of this server.
        #[serde(default)]
        board: Option<usize>,
    },
    Think {
        id: String,
        ply: usize,
        on: bool,
        #[serde(default = "one")]
        lines: usize,
    },
    Peek {
        id: String,
        ply: usize,
        line: usize,
        upto: usize,
    },
    Save {
        id: String,
        format: String,
        #[serde(default)]
        review: bool,
    },
    Load {
        text: String,
        #[serde(default)]
        name: String,
        #[serde(default)]
        game: Option<String>,
    },
    Pick {
        number: usize,
    },
    Review {
        id: String,
        effort: String,
    },
    Halt {
        id: String,
    },
    Try {
        id: String,
        ply: usize,
        m: String,
    },
    Matches {},
    Watch {
        #[serde(rename = "match")]
        id: String,
        /// The board that is followed.
        #[serde(default)]
        game: Option<usize>,
    },
}

impl PageMessage {
    /// Whether it changes nothing and starts no search.
    const fn only_watches(&self) -> bool {
        match self {
            Self::Hello { .. }
            | Self::List {}
            | Self::Open { .. }
            | Self::Bye { .. }
            | Self::At { .. }
            | Self::Matches {}
            | Self::Watch { .. } => true,
            Self::New(_)
            | Self::Delete { .. }
            | Self::Move { .. }
            | Self::Type { .. }
            | Self::Press { .. }
            | Self::Think { .. }
            | Self::Peek { .. }
            | Self::Save { .. }
            | Self::Load { .. }
            | Self::Pick { .. }
            | Self::Review { .. }
            | Self::Halt { .. }
            | Self::Try { .. } => false,
        }
    }
}

fn one() -> usize {
    1
}

#[derive(Debug, Deserialize)]
struct NewMessage {
    game: String,
    #[serde(default)]
    rules: BTreeMap<String, Value>,
    size: Option<usize>,
    komi: Option<f32>,
    handicap: Option<usize>,
    setup: Option<String>,
    seat: Option<usize>,
    level: Option<u8>,
    sealed: Option<bool>,
}

/// What a page has to know to be let in.
#[derive(Clone, Debug)]
pub struct WebTokens {
    /// Of who plays.
    pub own: Arc<str>,
    /// Of those who only watch, where they may.
    pub share: Option<Arc<str>>,
}

/// A connection's state.
pub struct WebSession {
    hub: Arc<HubShared>,
    tokens: WebTokens,
    number: u64,
    /// What is to be sent.
    pub out: Outbox,
    /// The language, once the page said hello.
    lang: Option<Lang>,
    /// Whether it may only watch.
    guest: bool,
    /// The records that it has sent.
    loader: Loader,
    /// Messages that may come now.
    credit: f64,
    seen: Instant,
}

impl WebSession {
    /// A connection of this number.
    pub fn new(hub: Arc<HubShared>, tokens: WebTokens, number: u64) -> Self {
        Self {
            hub,
            tokens,
            number,
            out: Outbox::default(),
            lang: None,
            guest: false,
            loader: Loader::default(),
            credit: BURST,
            seen: Instant::now(),
        }
    }

    /// Whether the page said hello.
    pub fn is_known(&self) -> bool {
        self.lang.is_some()
    }

    /// Whether one more message is within the rate.
    fn affords(&mut self) -> bool {
        let now = Instant::now();
        self.credit = (self.credit + RATE * (now - self.seen).as_secs_f64()).min(BURST);
        self.seen = now;
        self.credit -= 1.0;
        self.credit >= 0.0
    }

    /// Lets tests send faster than a page may.
    #[cfg(test)]
    pub fn refill(&mut self) {
        self.credit = BURST;
    }

    /// Acts on a message of the page.
    pub fn hear(&mut self, text: &str) {
        if self.out.is_closed() {
            return;
        }
        if !self.affords() {
            return self.out.close(POLICY);
        }
        let too_big = |n| self.out.refuse(n, "too_big", json!(["no_too_big", LONGEST]));
        if text.len() > LARGEST_RECORD {
            return too_big(0);
        }
        let parsed: Result<Value, _> = serde_json::from_str(text);
        if text.len() > LONGEST && parsed.as_ref().map_or(true, |v| v["t"] != "load") {
            return too_big(0);
        }
        let n = parsed.as_ref().ok().and_then(|v| v["n"].as_u64()).unwrap_or(0);
        let message = parsed.and_then(serde_json::from_value::<PageMessage>);
        match (message, self.lang) {
            (Ok(PageMessage::Hello { v, token, lang }), _) => self.hello(n, v, &token, &lang),
            (_, None) => {
                self.out.refuse(n, "token", json!(["no_token"]));
                self.out.close(POLICY);
            }
            (Ok(message), Some(lang)) => {
                let viewer = Viewer {
                    session: self.number,
                    out: self.out.clone(),
                    lang,
                    guest: self.guest,
                };
                self.pass_on(n, viewer, message);
            }
            (Err(why), _) => self
                .out
                .refuse(n, "bad_message", json!(["no_message", why.to_string()])),
        }
    }

    fn hello(&mut self, n: u64, v: u64, token: &str, lang: &str) {
        if v != VERSION {
            return self.out.close(OTHER_VERSION);
        }
        let own = seal::same(token, &self.tokens.own);
        let shared = self.tokens.share.as_ref().is_some_and(|t| seal::same(token, t));
        if !own && !shared {
            self.out.refuse(n, "token", json!(["no_token"]));
            return self.out.close(POLICY);
        }
        self.lang = Some(Lang::of(lang));
        self.guest = !own;
        self.out.answer(&welcome(self.guest));
    }

    fn pass_on(&self, n: u64, viewer: Viewer, message: PageMessage) {
        if self.guest && !message.only_watches() {
            return self.out.refuse(n, "watch_only", json!(["no_watch_only"]));
        }
        let (id, request) = match message {
            PageMessage::Hello { .. } => return,
            PageMessage::List {} => return self.out.answer(&self.hub.list()),
            PageMessage::New(new) => {
                match new.read() {
                    Ok(new) => self.hub.begin(new, &viewer, n),
                    Err(say) => self.out.refuse(n, "bad_setup", say),
                }
                return;
            }
            PageMessage::Open { id } => return entered(self.hub.enter(&id, viewer), &self.out, n, &id),
            PageMessage::Bye { id } => {
                self.hub.watch.leave(Some(&id), self.number);
                return self.hub.leave(Some(&id), self.number);
            }
            PageMessage::Matches {} => return self.hub.watch.list(viewer, n),
            PageMessage::Watch { id, game } => return self.hub.watch.watch(viewer, n, id, game),
            PageMessage::Delete { id } => {
                if !self.hub.delete(&id) {
                    return self.out.refuse(n, "unknown", json!(["no_game", id]));
                }
                return self.out.answer(&self.hub.list());
            }
            PageMessage::Move { id, rev, m } => (id, RoomRequest::Move { rev, m }),
            PageMessage::Type { id, rev, text } => (id, RoomRequest::Type { rev, text }),
            PageMessage::Press { id, rev, key } => (id, RoomRequest::Press { rev, key }),
            PageMessage::At {
                id,
                ply,
                board: Some(board),
            } => return self.hub.watch.at(viewer, n, id, board, ply),
            PageMessage::At { id, ply, board: None } => (id, RoomRequest::At { ply }),
            PageMessage::Think { id, ply, on, lines } => (id, RoomRequest::Think { ply, on, lines }),
            PageMessage::Peek { id, ply, line, upto } => (id, RoomRequest::Peek { ply, line, upto }),
            PageMessage::Save { id, format, review } => (id, RoomRequest::Save { format, review }),
            PageMessage::Load { text, name, game } => {
                return self.loader.load(&self.hub, viewer, n, text, name, game);
            }
            PageMessage::Pick { number } => return self.loader.pick(&self.hub, viewer, n, number),
            PageMessage::Review { id, effort } => (id, RoomRequest::Review { effort }),
            PageMessage::Halt { id } => (id, RoomRequest::Halt),
            PageMessage::Try { id, ply, m } => (id, RoomRequest::Try { ply, m }),
        };
        entered(self.hub.ask(&id, viewer, n, request), &self.out, n, &id);
    }

    /// The connection ends.
    pub fn end(&self) {
        self.hub.leave(None, self.number);
        self.hub.watch.leave(None, self.number);
    }
}

impl NewMessage {
    fn read(self) -> Result<NewGame, Value> {
        let about = register::find(&self.game).map_err(|why| json!(["no_setup", why.text()]))?;
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let rules: Vec<(String, String)> = self.rules.into_iter().map(|(k, v)| (k, text(v))).collect();
        let long = |(name, value): &(String, String)| name.len() > LONGEST_RULE || value.len() > LONGEST_RULE;
        if rules.len() > MOST_RULES || rules.iter().any(long) {
            return Err(json!(["no_setup", "rules: too many or too long"]));
        }
        let (seat, level) = (self.seat.unwrap_or(0), self.level.unwrap_or(levels::USUAL));
        if seat > 2 {
            return Err(json!(["no_setup", "seat: expected 0, 1 or 2"]));
        }
        if !is_level(level) {
            return Err(json!(["no_setup", "level: expected 1 to 8"]));
        }
        Ok(NewGame {
            spec: GameSpec {
                game: about.name.into(),
                rules,
                size: self.size.unwrap_or(stone_sizes()[0]),
                komi: self.komi,
                handicap: self.handicap.unwrap_or(0),
                setup: self.setup.filter(|s| !s.trim().is_empty()),
                faces: None,
            },
            seat,
            level,
            sealed: self.sealed.unwrap_or(false),
        })
    }
}

macro_rules! settings {
    ([$name:expr] $(#[$on:meta] $game:ty),*) => {
        match $name {
            $(#[$on] <$game as Position>::NAME => <<$game as Position>::Rules as Rules>::options(),)*
            _ => <go::Rules as Rules>::options(),
        }
    };
}

/// The settings of a game's rules.
fn settings(about: &About) -> Vec<Value> {
    let options: &[GameOption] = alphabeta_games!(settings about.name);
    let one = |o: &GameOption| match o.kind {
        OptionKind::Check { default } => {
            Some(json!({ "name": o.name, "help": o.help, "values": ["false", "true"], "value": default.to_string() }))
        }
        OptionKind::Combo { all } => {
            Some(json!({ "name": o.name, "help": o.help, "values": all, "value": all.first() }))
        }
        OptionKind::Spin { default, min, max } => Some(json!({
            "name": o.name, "help": o.help, "values": [], "value": default.to_string(), "min": min, "max": max,
        })),
        OptionKind::File => None,
    };
    let rules = options.iter().filter(|o| !OF_SEARCH.contains(&o.name));
    rules.filter_map(one).collect()
}

/// The message `welcome`; `guest` says that the page may only watch.
fn welcome(guest: bool) -> Value {
    let game = |about: &About| {
        let family = match about.board {
            BoardFamily::Chess => "chess",
            BoardFamily::Xiangqi => "xiangqi",
            BoardFamily::Shogi => "shogi",
            BoardFamily::Go => "go",
        };
        let sizes: &[usize] = if about.name == GO.name { stone_sizes() } else { &[] };
        let handicap = |h: &Handicap| json!({ "name": h.name, "side": h.side as usize, "setup": h.setup });
        let handicaps: Vec<Value> = about.handicaps.iter().map(handicap).collect();
        json!({
            "game": about.name, "title": about.title, "sides": about.sides, "board": family, "sizes": sizes,
            "rules": settings(about), "levels": levels::levels(about.name),
            "seals": super::board::is_hidden(about), "handicaps": handicaps,
        })
    };
    let games: Vec<Value> = register::games().map(game).collect();
    json!({
        "t": "welcome", "v": VERSION, "guest": guest, "build": env!("CARGO_PKG_VERSION"),
        "caps": { "review": true, "watch": true, "analysis": true }, "games": games,
        "efforts": EFFORTS.map(|e| e.0),
    })
}
