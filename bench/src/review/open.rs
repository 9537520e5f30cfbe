//! The games of a text whose format and game are not known before.

use super::game;
use crate::games::of_game;
use crate::records::{Damage, Each, FileFormat, RecordedGame, sgf};
use anyhow::{Result, bail};
use encoding_rs::Encoding;
use nguky::game::About;
use nguky::register::{self, GO};
use std::path::Path;

/// The games that a record without a word of its game may be of, tried in this order.
const GUESSES: [&str; 4] = ["chess", "xiangqi", "coup", "shogi"];

/// The games of a text.
#[derive(Debug)]
pub struct OpenedRecords {
    /// Which game they are of.
    pub about: &'static About,
    /// The sound ones, in order.
    pub games: Vec<RecordedGame>,
    /// What is wrong with the others.
    pub damaged: Vec<Damage>,
}

/// Reads the games of a text as those of a game.
fn read_as(name: &str, form: FileFormat, text: &str, each: Each) -> Result<()> {
    if register::find(name)?.name == GO.name {
        if form != FileFormat::Sgf {
            bail!("{} is not a format of go; expected SGF", form.name());
        }
        sgf::read(text, each);
        return Ok(());
    }
    read_of(name, form, text, each)
}

fn read_of(name: &str, form: FileFormat, text: &str, each: Each) -> Result<()> {
    of_game!(name, read(form, text, each))
}

use game::read;

/// The game that a PGN says it is of: by the tags Variant and Game.
fn tagged(text: &str) -> Option<&'static About> {
    text.lines().take(200).find_map(|line| {
        let line = line.trim();
        let value = ["[Variant \"", "[Game \""]
            .iter()
            .find_map(|tag| line.strip_prefix(tag))?;
        let value = value.strip_suffix("\"]")?.to_ascii_lowercase();
        match value.as_str() {
            "chinese chess" => register::find("xiangqi").ok(),
            "jieqi" | "hidden chess" => register::find("coup").ok(),
            "standard" => register::find("chess").ok(),
            other => register::find(other).ok(),
        }
    })
}

/// The encoding of records that are not UTF-8.
pub fn encoding(form: FileFormat, game: Option<&str>, bytes: &[u8]) -> &'static Encoding {
    let tags = String::from_utf8_lossy(bytes);
    let game = game.or_else(|| tagged(&tags).map(|a| a.name));
    match (form, game) {
        (FileFormat::Kif | FileFormat::Csa, _) | (_, Some("shogi")) => encoding_rs::SHIFT_JIS,
        (_, Some("xiangqi" | "coup")) | (FileFormat::Sgf, _) => encoding_rs::GB18030,
        _ => encoding_rs::WINDOWS_1252,
    }
}

/// Reads the first `most` games of a text. Where no game is named, it is that of the format, of the tags Variant or Game, or
/// the first in which the first game can be played.
///
/// # Errors
/// Where the text is no record, or not one of the named game.
pub fn open(path: &Path, text: &str, game: Option<&str>, most: usize) -> Result<OpenedRecords> {
    let form = FileFormat::of(path, text);
    let named = game.map(register::find).transpose()?;
    // A text of moves alone is PGN without tags.
    let form = if form == FileFormat::Lines {
        FileFormat::Pgn
    } else {
        form
    };
    let about = match (form, named) {
        (FileFormat::Polyglot, _) => bail!("a book, not a record of a game"),
        (_, Some(about)) => about,
        (FileFormat::Kif | FileFormat::Csa, None) => register::find("shogi")?,
        (FileFormat::Sgf, None) => GO,
        (FileFormat::JieqiBox, None) => register::find("coup")?,
        _ => match tagged(text) {
            Some(about) => about,
            None => guessed(form, text)?,
        },
    };
    let (mut games, mut damaged) = (Vec::new(), Vec::new());
    read_as(about.name, form, text, &mut |game| {
        match game {
            Ok(game) => games.push(game),
            Err(damage) => damaged.push(damage),
        }
        games.len() + damaged.len() < most
    })?;
    if games.is_empty() && damaged.is_empty() {
        bail!("no record of a game; expected PGN, KIF, CSA, SGF or JieqiBox's JSON");
    }
    Ok(OpenedRecords { about, games, damaged })
}

/// The game in which the first record of a text can be played furthest.
fn guessed(form: FileFormat, text: &str) -> Result<&'static About> {
    let mut best: Option<((usize, usize), &'static str)> = None;
    for name in GUESSES {
        let mut reached = (0, 0);
        read_as(name, form, text, &mut |game| {
            reached = match game {
                Ok(game) if !game.moves.is_empty() => (usize::MAX, 0),
                Ok(_) => (0, 0),
                Err(damage) => (damage.line, damage.column),
            };
            false
        })?;
        if best.is_none_or(|(most, _)| reached > most) {
            best = Some((reached, name));
        }
    }
    Ok(register::find(best.map_or("chess", |b| b.1))?)
}
