//! Games of which both sides see everything.

use super::{
    AnnotatedHead, BoardFacts, GameSpec, PlacedMove, RoomEngine, SeenBoard, Unread, WatchedGame, WebGame, counted,
    facts, hand_kinds, hidden, kings, phrases, pieces, places, recorded,
};
use crate::arena::record::{self, RecordHead};
use crate::arena::rules;
use crate::notation::Notation;
use crate::play::draw::{self, Grid};
use crate::play::table::{GameEnd, end, failed, hands, legal, played, taken};
use crate::review::game;
use crate::review::marks::{Review, ReviewedMove};
use crate::web::words::Lang;
use anyhow::Result;
use nguky::control::Engine;
use nguky::engine::AlphaBeta;
use nguky::game::{BoardFamily, PieceValues, Side, Verdict};
use nguky::games::coup::Coup;

/// A game of the alpha-beta search on the page.
pub trait Paged: PieceValues {
    /// The game of a description.
    fn paged(spec: &GameSpec) -> Result<Box<dyn WebGame>>;
    /// The same, to be watched.
    fn watched(spec: &GameSpec) -> Result<Box<dyn WatchedGame>> {
        Ok(Box::new(Self::paged(spec)?))
    }
}

impl<P: Notation + PieceValues> Paged for P {
    fn paged(spec: &GameSpec) -> Result<Box<dyn WebGame>> {
        let pos = P::parse(
            spec.setup.as_deref().unwrap_or(P::START),
            &rules::<P::Rules>(&spec.settings())?,
        )?;
        Ok(Box::new(OpenBoardGame {
            spec: spec.clone(),
            setup: pos.setup(),
            pos,
            moves: Vec::new(),
            texts: Vec::new(),
            labels: Vec::new(),
            taken: Vec::new(),
        }))
    }
}

impl Paged for Coup {
    fn paged(spec: &GameSpec) -> Result<Box<dyn WebGame>> {
        hidden::make(spec)
    }

    fn watched(spec: &GameSpec) -> Result<Box<dyn WatchedGame>> {
        hidden::watched(spec)
    }
}

/// The game of a description, to be watched.
pub fn watched<P: Paged>(spec: &GameSpec) -> Result<Box<dyn WatchedGame>> {
    P::watched(spec)
}

/// The game of a description.
pub fn make<P: Paged>(spec: &GameSpec) -> Result<Box<dyn WebGame>> {
    P::paged(spec)
}

/// An engine with the settings of the rules.
pub fn engine<P: PieceValues>(spec: &GameSpec) -> Result<RoomEngine> {
    let mut engine: Box<dyn Engine> = Box::new(AlphaBeta::<P>::new().map_err(failed)?);
    for (name, value) in &spec.rules {
        engine.set_option(name, Some(value))?;
    }
    Ok(RoomEngine::Search(engine))
}

/// A game under way.
#[derive(Clone)]
struct OpenBoardGame<P: Notation + PieceValues> {
    spec: GameSpec,
    pos: P,
    setup: String,
    moves: Vec<P::Move>,
    texts: Vec<String>,
    /// The moves as people write them, by language.
    labels: Vec<[String; Lang::ALL.len()]>,
    /// The letter that each move took.
    taken: Vec<Option<char>>,
}

impl<P: Notation + PieceValues> OpenBoardGame<P> {
    fn grid(&self) -> Grid {
        draw::grid(P::ABOUT, &self.pos.setup())
    }

    fn label(&self, m: P::Move, lang: Lang) -> String {
        self.pos.written(m, lang.style(), self.moves.last().copied())
    }

    fn placed(&self, grid: &Grid, m: P::Move, lang: Lang) -> PlacedMove {
        let text = self.pos.move_text(m);
        let (from, to) = places(P::ABOUT, grid, self.pos.side().index(), &text);
        (from, to, text, self.label(m, lang))
    }

    fn push(&mut self, m: P::Move) {
        let (before, us) = (self.pos.setup(), self.pos.side().index());
        self.texts.push(self.pos.move_text(m));
        self.labels.push(Lang::ALL.map(|lang| self.label(m, lang)));
        self.pos.play(m);
        self.taken.push(taken(&before, &self.pos.setup(), 1 - us));
        self.moves.push(m);
    }

    fn hands(&self) -> [Vec<super::KindCount>; 2] {
        if P::ABOUT.board != BoardFamily::Shogi {
            return [Vec::new(), Vec::new()];
        }
        let order = hand_kinds(P::ABOUT);
        hands(&self.pos.setup()).map(|hand| {
            let count = |kind: &String| {
                let held = hand
                    .iter()
                    .filter(|(c, _)| kind.chars().all(|k| k.eq_ignore_ascii_case(c)));
                (kind.clone(), held.map(|(_, n)| n).sum())
            };
            order.iter().map(count).filter(|(_, n)| *n > 0).collect()
        })
    }
}

impl<P: Notation + PieceValues> OpenBoardGame<P> {
    /// The moves with who played them.
    fn moves_by_side(&self) -> impl Iterator<Item = (Side, String)> {
        let now = self.side() + self.texts.len();
        let side = move |i: usize| {
            if (now + i).is_multiple_of(2) {
                Side::First
            } else {
                Side::Second
            }
        };
        self.texts
            .iter()
            .enumerate()
            .map(move |(i, text)| (side(i), text.clone()))
    }
}

impl<P: Notation + PieceValues> WebGame for OpenBoardGame<P> {
    fn side(&self) -> usize {
        self.pos.side().index()
    }

    fn plies(&self) -> usize {
        self.texts.len()
    }

    fn ended(&self) -> Option<GameEnd> {
        let over = self.pos.ended()?;
        let claimed = over.verdict == Verdict::Win && self.pos.may_claim();
        (!claimed).then(|| end(over.verdict, self.pos.side(), over.reason))
    }

    fn may_claim(&self) -> bool {
        self.pos.may_claim()
    }

    fn play(&mut self, m: &str) -> Result<()> {
        let m = self.pos.parse_move(m)?;
        self.push(m);
        Ok(())
    }

    fn read(&self, text: &str, lang: Lang) -> Result<String, Unread> {
        if let Ok(m) = self.pos.parse_move(text) {
            return Ok(self.pos.move_text(m));
        }
        let last = self.moves.last().copied();
        match self.pos.readings(text, Some(lang.style()), last).as_slice() {
            [] => Err(Unread::Unknown),
            [one] => Ok(self.pos.move_text(*one)),
            several => Err(Unread::Several(several.iter().map(|m| self.label(*m, lang)).collect())),
        }
    }

    fn undo(&mut self) {
        if self.texts.pop().is_some() {
            self.taken.pop();
            self.labels.pop();
            self.moves.pop();
            self.pos.undo();
        }
    }

    fn at(&self, ply: usize) -> Box<dyn WebGame> {
        let mut game = self.clone();
        while game.plies() > ply {
            game.undo();
        }
        Box::new(game)
    }

    fn engine(&self) -> Result<RoomEngine> {
        engine::<P>(&self.spec)
    }

    fn prepare(&self, engine: &mut RoomEngine, _side: usize) -> Result<()> {
        let moves: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        Ok(engine.engine().position(Some(&self.setup), &moves)?)
    }

    fn seen(&self, _side: usize, lang: Lang) -> SeenBoard {
        let grid = self.grid();
        let held = P::ABOUT.board == BoardFamily::Shogi;
        let took = |side: usize| {
            let theirs = |c: &char| !held && c.is_ascii_lowercase() == (side == 0);
            let letters: Vec<char> = self.taken.iter().flatten().copied().filter(theirs).collect();
            counted(P::ABOUT, &letters)
        };
        // A drop comes from the hand of the side that made it.
        let mover = 1 - self.side();
        SeenBoard {
            pieces: pieces(&grid),
            hands: self.hands(),
            taken: [took(0), took(1)],
            last: self.texts.last().map(|text| places(P::ABOUT, &grid, mover, text)),
            check: if self.pos.in_check() {
                kings(&grid, self.side())
            } else {
                Vec::new()
            },
            played: self.labels.iter().map(|l| l[lang as usize].clone()).collect(),
            ..SeenBoard::default()
        }
    }

    fn moves(&self, lang: Lang) -> Vec<PlacedMove> {
        let grid = self.grid();
        legal(&self.pos)
            .into_iter()
            .map(|m| self.placed(&grid, m, lang))
            .collect()
    }

    fn facts(&self) -> BoardFacts {
        let mut formats: Vec<&str> = P::FORMATS.iter().map(|f| f.ending).collect();
        let pgn = record::pgn_of::<P>().ending;
        if !formats.contains(&pgn) {
            formats.push(pgn);
        }
        facts(P::ABOUT, &self.setup, formats, &self.setup)
    }

    fn line(&self, side: usize, pv: &[String], upto: usize, lang: Lang) -> (Vec<PlacedMove>, SeenBoard) {
        let (mut game, mut line) = (self.clone(), Vec::new());
        let mut board = None;
        for text in pv {
            let Ok(m) = game.pos.parse_move(text) else { break };
            if line.len() == upto {
                board = Some(game.seen(side, lang));
            }
            line.push(game.placed(&game.grid(), m, lang));
            game.push(m);
        }
        (line, board.unwrap_or_else(|| game.seen(side, lang)))
    }

    fn review(&self) -> Review {
        let moves = self.moves_by_side().map(|(side, text)| ReviewedMove {
            side: side.index(),
            text,
            hidden: false,
        });
        Review::new(moves.collect(), self.side(), game::ended(&self.pos))
    }

    fn annotated(&self, format: &str, review: &Review, head: AnnotatedHead) -> Option<String> {
        let rules = rules::<P::Rules>(&self.spec.settings()).ok()?;
        let start = P::parse(&self.setup, &rules).ok()?;
        let phrases = phrases(head.lang);
        let record = recorded(head, Some(self.setup.clone()), self.moves_by_side());
        game::annotated(&record, &start, format, review, phrases)
    }

    fn record(&self, format: &str, head: &RecordHead, end: Option<&GameEnd>, _side: usize) -> Option<String> {
        let pgn = record::pgn_of::<P>();
        let format = P::FORMATS.iter().chain([&pgn]).find(|f| f.ending == format)?;
        let played = played(self.setup.clone(), &self.texts, end);
        Some((format.write)(head, &played))
    }
}
