//! Recorded games of all kinds with their engines, as a review sees them.

use super::annotate::{self, PgnMoves, Phrases};
use super::marks::{Evaluation, Review, ReviewQuery, ReviewedMove};
use crate::arena::coup::Dealt;
use crate::arena::game::Course;
use crate::arena::rules;
use crate::games::of_game;
use crate::notation::letters::NotationBoard;
use crate::notation::{MoveStyle, Notation};
use crate::play::table::failed;
use crate::records::{Damage, Each, FileFormat, RecordedGame, jieqibox, pgn, sgf};
use anyhow::{Context, Result, bail};
use nguky::control::{Bound, Engine, Info, Limits, Report, TimeControl};
use nguky::engine::AlphaBeta;
use nguky::game::{About, PieceValues, Position, Verdict};
use nguky::games::coup::{Coup, CoupRules};
use nguky::games::go::{Game, Rules, coords};
use nguky::games::xiangqi::types::KINDS;
use nguky::mcts::Mcts;
use nguky::register::{self, GO};
use std::sync::Arc;
use std::sync::mpsc::channel;

/// A recorded game that an engine can be asked about.
pub trait ReviewGame {
    /// The game.
    fn about(&self) -> &'static About;
    /// A review of it that has not begun.
    fn review(&self) -> Review;
    /// The engine.
    fn engine(&mut self) -> &mut dyn Engine;
    /// Brings the engine to a position, with what the side to move there knows.
    fn prepare(&mut self, ply: usize) -> Result<()>;
    /// Moves from a position on, as people write them in English; as far as they can be followed.
    fn written(&self, ply: usize, line: &[String]) -> Vec<String>;
    /// The record with the review's marks, in a format named by its ending; none where the game has no such format.
    fn annotated(&self, ending: &str, review: &Review, words: &Phrases) -> Option<String>;
}

/// Searches what a review asks for.
pub fn search(game: &mut dyn ReviewGame, query: &ReviewQuery, usual: &Limits) -> Result<Evaluation> {
    game.prepare(query.ply)?;
    let lead = game.about().name == GO.name;
    ask(game.engine(), limits(query, usual), lead)
}

/// Searches the position that an engine has; `lead` says that its scores are leads of go.
pub fn ask(engine: &mut dyn Engine, limits: Limits, lead: bool) -> Result<Evaluation> {
    let (tell, told) = channel();
    let sink = Arc::new(move |report| {
        let _ = tell.send(report);
    });
    engine.go(limits, sink)?;
    let mut last = None;
    for report in told {
        match report {
            Report::Info(info) => hear(&mut last, info),
            Report::Best { choice, .. } => {
                engine.wait();
                return Ok(Evaluation::new(last.as_ref(), &choice, lead));
            }
            _ => {}
        }
    }
    bail!("the engine did not answer")
}

/// Keeps the last line of a search: an exact one, if there was any.
pub fn hear(last: &mut Option<Info>, info: Info) {
    let exact = |i: &Info| i.bound == Bound::Exact;
    if info.multipv <= 1 && (exact(&info) || !last.as_ref().is_some_and(exact)) {
        *last = Some(info);
    }
}

/// The limits of a search.
pub fn limits(query: &ReviewQuery, usual: &Limits) -> Limits {
    let time = match usual.time {
        TimeControl::MoveTime(time) => TimeControl::MoveTime(time * query.halves / 2),
        other => other,
    };
    Limits {
        time,
        nodes: usual
            .nodes
            .map(|n| (n.saturating_mul(u64::from(query.halves)) / 2).max(1)),
        searchmoves: query.only.iter().cloned().collect(),
        ..Limits::default()
    }
}

/// The score of the side to move where the rules ended the game.
pub fn ended<P: Position>(pos: &P) -> Option<f64> {
    let over = pos.ended().filter(|e| e.verdict != Verdict::Win || !pos.may_claim())?;
    match over.verdict {
        Verdict::Win => Some(1.0),
        Verdict::Draw => Some(0.5),
        Verdict::Loss => Some(0.0),
        Verdict::Open | Verdict::Better | Verdict::Worse => None,
    }
}

/// A game of the alpha-beta search whose records can be reviewed.
pub trait Reviewed: PieceValues {
    /// Reads the games of a text.
    fn read(form: FileFormat, text: &str, each: Each) -> Result<()>;
    /// A recorded game with an engine; `settings` are those of the rules.
    fn reviewed(record: RecordedGame, settings: &[String]) -> Result<Box<dyn ReviewGame>>;
}

/// Reads the games of a text as those of a game.
pub fn read<P: Reviewed>(form: FileFormat, text: &str, each: Each) -> Result<()> {
    P::read(form, text, each)
}

/// A recorded game of the game with this name, with an engine; `settings` are those of the rules.
///
/// # Errors
/// Where there is no such game, or the record is not one of it.
pub fn with_engine(name: &str, record: RecordedGame, settings: &[String]) -> Result<Box<dyn ReviewGame>> {
    if register::find(name)?.name == GO.name {
        return reviewed_stones(record, settings);
    }
    of_game!(name, reviewed(record, settings))
}

/// A recorded game with an engine.
pub fn reviewed<P: Reviewed>(record: RecordedGame, settings: &[String]) -> Result<Box<dyn ReviewGame>> {
    P::reviewed(record, settings)
}

/// An engine by the rules of a command line.
fn engine<P: PieceValues>(settings: &[String]) -> Result<Box<dyn Engine>> {
    let mut engine: Box<dyn Engine> = Box::new(AlphaBeta::<P>::new().map_err(failed)?);
    for (name, value) in settings.iter().filter_map(|s| s.split_once('=')) {
        engine.set_option(name, Some(value))?;
    }
    Ok(engine)
}

/// How a game with a notation writes and plays the moves of its records.
pub fn notated<P: Notation>() -> PgnMoves<P> {
    PgnMoves {
        say: |pos, text| Some(pos.notation(pos.parse_move(text).ok()?)),
        play: |pos, text| pos.play_text(text).is_ok(),
        evals: P::NAME == "chess",
    }
}

/// The same of cờ úp, whose records have coordinates with what was turned up and taken.
pub fn hidden_moves() -> PgnMoves<Coup> {
    PgnMoves {
        say: |pos, text| pos.parse_move(text).is_ok().then(|| text.to_string()),
        play: |pos, text| pos.play_text(text).is_ok(),
        evals: false,
    }
}

/// A record with a review's marks, in one of the game's formats.
pub fn annotated<P: Notation>(
    record: &RecordedGame,
    start: &P,
    ending: &str,
    review: &Review,
    words: &Phrases,
) -> Option<String> {
    match ending {
        "pgn" => Some(annotate::pgn(record, review, start, &notated(), words)),
        _ if P::FORMATS.iter().any(|f| f.ending == ending) => {
            annotate::kifu(record, review, &start.setup(), ending, words)
        }
        _ => None,
    }
}

/// A game of which both sides see everything.
struct OpenReview<P: Notation> {
    record: RecordedGame,
    start: P,
    texts: Vec<String>,
    engine: Box<dyn Engine>,
}

impl<P: Notation + PieceValues> Reviewed for P {
    fn read(form: FileFormat, text: &str, each: Each) -> Result<()> {
        P::read_records(form, text, each)
    }

    fn reviewed(record: RecordedGame, settings: &[String]) -> Result<Box<dyn ReviewGame>> {
        let setup = record.setup.as_deref().unwrap_or(P::START);
        Ok(Box::new(OpenReview {
            start: P::parse(setup, &rules::<P::Rules>(settings)?)?,
            texts: record.moves.iter().map(|m| m.text.clone()).collect(),
            engine: engine::<P>(settings)?,
            record,
        }))
    }
}

impl<P: Notation> OpenReview<P> {
    fn at(&self, ply: usize) -> P {
        let mut pos = self.start.clone();
        for text in &self.texts[..ply] {
            if pos.play_text(text).is_err() {
                break;
            }
        }
        pos
    }
}

impl<P: Notation + PieceValues> ReviewGame for OpenReview<P> {
    fn about(&self) -> &'static About {
        P::ABOUT
    }

    fn review(&self) -> Review {
        let moves = self.record.moves.iter().map(|m| ReviewedMove {
            side: m.side.index(),
            text: m.text.clone(),
            hidden: false,
        });
        let last = self.at(self.texts.len());
        Review::new(moves.collect(), last.side().index(), ended(&last))
    }

    fn engine(&mut self) -> &mut dyn Engine {
        self.engine.as_mut()
    }

    fn prepare(&mut self, ply: usize) -> Result<()> {
        let moves: Vec<&str> = self.texts[..ply].iter().map(String::as_str).collect();
        Ok(self.engine.position(Some(&self.start.setup()), &moves)?)
    }

    fn written(&self, ply: usize, line: &[String]) -> Vec<String> {
        let mut pos = self.at(ply);
        let mut last = ply
            .checked_sub(1)
            .and_then(|i| self.at(i).parse_move(&self.texts[i]).ok());
        let mut all = Vec::new();
        for text in line {
            let Ok(m) = pos.parse_move(text) else { break };
            all.push(pos.written(m, MoveStyle::English, last));
            pos.play(m);
            last = Some(m);
        }
        all
    }

    fn annotated(&self, ending: &str, review: &Review, words: &Phrases) -> Option<String> {
        annotated(&self.record, &self.start, ending, review, words)
    }
}

/// Cờ úp: each position is searched with what its side to move knows.
struct HiddenReview {
    record: RecordedGame,
    start: Coup,
    dealt: Dealt,
    engine: Box<dyn Engine>,
}

/// A deal in which the moves of a record turn up and take what it says. What it does not tell is any that is left.
///
/// # Errors
/// Where the moves cannot be played.
pub fn deal_of(start: &Coup, moves: &[String]) -> Result<String> {
    let mut pos = start.clone();
    // Where each point's piece lay at the start, while it lies face down: it has not moved.
    let mut known: Vec<(u8, nguky::game::Side, char)> = Vec::new();
    for text in moves {
        let m = pos.parse_move(text)?;
        let us = pos.side();
        let letters = text.chars().skip(4);
        let (own, taken): (Vec<char>, Vec<char>) = letters.partition(|c| c.is_ascii_uppercase() == (us.index() == 0));
        if let Some(c) = own.first().filter(|_| pos.turns_up(m)) {
            known.push((m.from(), us, *c));
        }
        if let Some(c) = taken.first().filter(|_| pos.face_down(m.to()).is_some()) {
            known.push((m.to(), us.other(), *c));
        }
        pos.play_text(text)?;
    }
    let mut left = [nguky::game::Side::First, nguky::game::Side::Second].map(|side| *start.pool(side));
    for (_, side, letter) in &known {
        let kind = KINDS.iter().position(|&k| Coup::letter(*side, k) == *letter);
        let n = kind.and_then(|k| left[side.index()].get_mut(k));
        let n = n
            .filter(|n| **n > 0)
            .context("the record turns up more pieces of a kind than there are")?;
        *n -= 1;
    }
    // The board's letters, row by row from the top, with each `x` replaced.
    let board = start.setup();
    let board = board.split(' ').next().unwrap_or_default();
    let (mut point, mut text) = (81u8, String::new());
    for c in board.chars() {
        match c {
            '/' => point = point.saturating_sub(18),
            '1'..='9' => point += c as u8 - b'0',
            'x' | 'X' => {
                let side = usize::from(c == 'x');
                let told = known.iter().find(|(p, ..)| *p == point).map(|k| k.2);
                let kind = || left[side].iter().position(|n| *n > 0);
                let face = match told {
                    Some(letter) => letter,
                    None => {
                        let kind = kind().context("more pieces lie face down than there are")?;
                        left[side][kind] -= 1;
                        let who = [nguky::game::Side::First, nguky::game::Side::Second][side];
                        Coup::letter(who, KINDS[kind])
                    }
                };
                text.push(face);
                point += 1;
                continue;
            }
            _ => point += 1,
        }
        text.push(c);
    }
    Ok(text)
}

impl Reviewed for Coup {
    fn read(form: FileFormat, text: &str, each: Each) -> Result<()> {
        match form {
            FileFormat::Pgn => pgn::read_coordinates::<Self>(text, each),
            FileFormat::JieqiBox => jieqibox::read(text, each),
            other => bail!("{} is not a format of {}", other.name(), Self::NAME),
        }
        Ok(())
    }

    fn reviewed(record: RecordedGame, settings: &[String]) -> Result<Box<dyn ReviewGame>> {
        let setup = record.setup.as_deref().unwrap_or(Self::START);
        let start = Self::parse(setup, &rules::<CoupRules>(settings)?)?;
        let moves: Vec<String> = record.moves.iter().map(|m| m.text.clone()).collect();
        let faces = match record.tag("Deal") {
            Some(faces) => faces.to_string(),
            None => deal_of(&start, &moves)?,
        };
        let mut dealt = Dealt::with_faces(&start, &faces).context("the tag Deal")?;
        for (i, m) in moves.iter().enumerate() {
            dealt.play(m).with_context(|| format!("move {}: {m}", i + 1))?;
        }
        Ok(Box::new(HiddenReview {
            engine: engine::<Self>(settings)?,
            record,
            start,
            dealt,
        }))
    }
}

/// The moves of a game of cờ úp for a review, as both sides were told of them.
pub fn hidden_line(start: &Coup, moves: &[String]) -> Vec<ReviewedMove> {
    let mut pos = start.clone();
    let mut line = Vec::new();
    for text in moves {
        let Ok(m) = pos.parse_move(text) else { break };
        line.push(ReviewedMove {
            side: pos.side().index(),
            text: pos.move_text(m),
            hidden: pos.turns_up(m) || pos.face_down(m.to()).is_some(),
        });
        if pos.play_text(text).is_err() {
            break;
        }
    }
    line
}

impl ReviewGame for HiddenReview {
    fn about(&self) -> &'static About {
        Coup::ABOUT
    }

    fn review(&self) -> Review {
        let moves: Vec<String> = self.record.moves.iter().map(|m| m.text.clone()).collect();
        let line = hidden_line(&self.start, &moves);
        let last = self.dealt.position();
        Review::new(line, last.side().index(), ended(last))
    }

    fn engine(&mut self) -> &mut dyn Engine {
        self.engine.as_mut()
    }

    fn prepare(&mut self, ply: usize) -> Result<()> {
        let side = (self.start.side().index() + ply) % 2;
        let (setup, moves) = self.dealt.told(side);
        let moves: Vec<&str> = moves[..ply].iter().map(String::as_str).collect();
        Ok(self.engine.position(Some(setup), &moves)?)
    }

    fn written(&self, ply: usize, line: &[String]) -> Vec<String> {
        let mut pos = self.start.clone();
        let (_, told) = self.dealt.told((self.start.side().index() + ply) % 2);
        for text in &told[..ply] {
            if pos.play_text(text).is_err() {
                return Vec::new();
            }
        }
        let mut all = Vec::new();
        for text in line {
            let Ok(m) = pos.parse_move(text) else { break };
            all.push(NotationBoard::coup(&pos).written(m, MoveStyle::English));
            // What follows depends on the piece that is turned up.
            if pos.turns_up(m) || pos.play_text(text).is_err() {
                break;
            }
        }
        all
    }

    fn annotated(&self, ending: &str, review: &Review, words: &Phrases) -> Option<String> {
        let record = || annotate::pgn(&self.record, review, &self.start, &hidden_moves(), words);
        (ending == "pgn").then(record)
    }
}

/// Go.
struct StoneReview {
    record: RecordedGame,
    start: Game,
    engine: Mcts,
}

/// A recorded game of go before its first move.
///
/// # Errors
/// Where its size or setup is damaged.
pub fn stones(record: &RecordedGame, settings: &[String]) -> Result<Game> {
    let (_, mut game) = sgf::first(&sgf::root(record)).map_err(|d: Damage| anyhow::anyhow!("{}", d.what))?;
    if !settings.is_empty() {
        let komi = game.komi();
        game.set_rules(rules::<Rules>(settings)?);
        game.set_komi(komi);
    }
    Ok(game)
}

/// A recorded game of go with an engine.
pub fn reviewed_stones(record: RecordedGame, settings: &[String]) -> Result<Box<dyn ReviewGame>> {
    Ok(Box::new(StoneReview {
        start: stones(&record, settings)?,
        engine: Mcts::new().map_err(failed)?,
        record,
    }))
}

impl StoneReview {
    fn at(&self, ply: usize) -> Game {
        let mut game = self.start.clone();
        for ply in &self.record.moves[..ply] {
            let played = coords::parse(game.board(), &ply.text).and_then(|p| game.play(p, ply.side));
            if played.is_err() {
                break;
            }
        }
        if let Some(next) = self.record.moves.get(ply) {
            game.set_side(next.side);
        }
        game
    }
}

impl ReviewGame for StoneReview {
    fn about(&self) -> &'static About {
        GO
    }

    fn review(&self) -> Review {
        let moves = self.record.moves.iter().map(|m| ReviewedMove {
            side: m.side.index(),
            text: m.text.clone(),
            hidden: false,
        });
        let last = self.at(self.record.moves.len());
        Review::new(moves.collect(), last.side().index(), None)
    }

    fn engine(&mut self) -> &mut dyn Engine {
        &mut self.engine
    }

    fn prepare(&mut self, ply: usize) -> Result<()> {
        self.engine.set_game(self.at(ply));
        Ok(())
    }

    fn written(&self, _ply: usize, line: &[String]) -> Vec<String> {
        line.to_vec()
    }

    fn annotated(&self, ending: &str, review: &Review, words: &Phrases) -> Option<String> {
        (ending == "sgf").then(|| annotate::sgf(&self.record, review, self.start.board(), words))
    }
}
