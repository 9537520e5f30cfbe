//! What the chess engine has beside rules and evaluation: endgame tables and an opening book.

use super::book::PolyglotBook;
use super::syzygy::{Syzygy, Tables};
use super::{Chess, ChessMove};
use crate::game::{BadInput, Extras, GameOption, OptionKind, Tablebase};
use std::sync::Arc;

const OPTIONS: &[GameOption] = &[
    GameOption {
        name: "SyzygyPath",
        kind: OptionKind::File,
        help: "folders of endgame tables, separated as the system separates paths",
    },
    GameOption {
        name: "SyzygyProbeDepth",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: 100,
        },
        help: "least depth at which the largest tables are probed in the tree",
    },
    GameOption {
        name: "Syzygy50MoveRule",
        kind: OptionKind::Check { default: true },
        help: "wins that the fifty-move rule spoils are draws",
    },
    GameOption {
        name: "SyzygyProbeLimit",
        kind: OptionKind::Spin {
            default: 7,
            min: 0,
            max: 7,
        },
        help: "most pieces of positions looked up",
    },
    GameOption {
        name: "OwnBook",
        kind: OptionKind::Check { default: false },
        help: "play moves out of the book",
    },
    GameOption {
        name: "BookFile",
        kind: OptionKind::File,
        help: "the book, in Polyglot's format",
    },
];

/// The extras of chess.
pub struct ChessExtras {
    tables: Option<Arc<Tables>>,
    depth: i32,
    fifty: bool,
    limit: u32,
    own_book: bool,
    book: Option<PolyglotBook>,
}

impl Default for ChessExtras {
    fn default() -> Self {
        Self {
            tables: None,
            depth: 1,
            fifty: true,
            limit: 7,
            own_book: false,
            book: None,
        }
    }
}

/// Opens what a path names, nothing for an empty one.
fn opened<T>(path: &str, open: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, BadInput> {
    match path {
        "" => Ok(None),
        path => open(path).map(Some).map_err(BadInput::new),
    }
}

impl Extras<Chess> for ChessExtras {
    fn options(&self) -> &'static [GameOption] {
        OPTIONS
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), BadInput> {
        let number = || value.parse::<u8>().map_err(|e| BadInput::new(e.to_string()));
        match name {
            "SyzygyPath" => self.tables = opened(value, Tables::open)?.map(Arc::new),
            "SyzygyProbeDepth" => self.depth = number()?.into(),
            "Syzygy50MoveRule" => self.fifty = value == "true",
            "SyzygyProbeLimit" => self.limit = number()?.into(),
            "OwnBook" => self.own_book = value == "true",
            "BookFile" => self.book = opened(value, PolyglotBook::open)?,
            _ => return Err(BadInput::new(format!("no such option: {name:?}"))),
        }
        Ok(())
    }

    fn tables(&self) -> Option<Arc<dyn Tablebase<Chess>>> {
        Some(Arc::new(Syzygy {
            tables: self.tables.clone()?,
            depth: self.depth,
            fifty: self.fifty,
            limit: self.limit,
        }))
    }

    fn book_move(&self, p: &Chess, dice: u64) -> Option<ChessMove> {
        self.book.as_ref().filter(|_| self.own_book)?.pick(p, dice)
    }
}
