//! The commands that change the position, and what happens after a whole position was refused.

use super::clock::count;
use super::commands::{ChangeFn, side_and_point};
use super::{CommandResult, GtpDialect, bad, sgf};
use crate::control::Engine;
use crate::game::{BadInput, Side};
use crate::games::go::types::{EMPTY, PASS, Point, colour};
use crate::games::go::{Board, Game, coords};
use crate::mcts::Mcts;
use crate::util::files;

/// Largest SGF file read.
const LONGEST_FILE: u64 = 16 << 20;

/// The commands by name.
pub const COMMANDS: &[(&str, ChangeFn)] = &[
    ("boardsize", boardsize),
    ("rectangular_boardsize", boardsize),
    ("clear_board", clear_board),
    ("set_position", set_position),
    ("loadsgf", loadsgf),
    ("printsgf", printsgf),
    ("play", play),
    ("gogui-play_sequence", play_sequence),
    ("undo", |_, engine, _| undo(engine, 1)),
    ("gg-undo", |_, engine, args| {
        undo(engine, args.first().map_or(Ok(1), |n| count(n))?)
    }),
    ("fixed_handicap", fixed_handicap),
    ("place_free_handicap", place_free_handicap),
    ("set_free_handicap", set_free_handicap),
];

/// Commands that put another position in the place of the one on the board.
const WHOLE: [&str; 5] = [
    "boardsize",
    "rectangular_boardsize",
    "clear_board",
    "loadsgf",
    "set_position",
];

/// A command for a whole position that was refused: the one on the board is not the one that the client means.
#[derive(Clone, Copy)]
pub struct RefusedPosition {
    command: &'static str,
}

impl GtpDialect {
    /// Records whether a command for a whole position was refused, or set one after a refused one.
    pub(super) fn record_position(&mut self, name: &str, accepted: bool) {
        let Some(&command) = WHOLE.iter().find(|w| **w == name) else {
            return;
        };
        if !accepted {
            self.refused = Some(RefusedPosition { command });
            return;
        }
        // Neither command sets the size.
        let keeps_size = matches!(command, "clear_board" | "set_position");
        if !(keeps_size && self.refused.is_some_and(|r| r.command.ends_with("boardsize"))) {
            self.refused = None;
        }
    }

    /// An error while the board is not the one that the client means: no move is better than one for another board.
    pub(super) fn need_position(&self) -> Result<(), BadInput> {
        match self.refused {
            None => Ok(()),
            Some(RefusedPosition { command }) if command.ends_with("boardsize") => bad(format!(
                "{command} was refused, so the board is not the one that was asked for; expected boardsize or loadsgf first"
            )),
            Some(RefusedPosition { command }) => bad(format!(
                "{command} was refused, so the position is not the one that was asked for; expected clear_board, \
                 set_position, boardsize or loadsgf first"
            )),
        }
    }
}

fn stones(args: &[&str]) -> Result<usize, BadInput> {
    match args {
        [n] => Ok(count(n)? as usize),
        _ => bad("invalid number of stones"),
    }
}

fn empty_game(engine: &Mcts, size: usize) -> Result<Game, BadInput> {
    let mut game = Game::new(size, *engine.game().rules())?;
    game.set_komi(engine.game().komi());
    Ok(game)
}

fn boardsize(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let size = match args {
        [n] => n.parse::<usize>(),
        [x, y] if x == y => x.parse::<usize>(),
        [_, _] => return bad("unacceptable size"),
        _ => return bad("syntax error"),
    };
    let Ok(size) = size else {
        return bad("unacceptable size");
    };
    let game = empty_game(engine, size)?;
    engine.set_game(game);
    engine.new_game();
    Ok(String::new())
}

fn clear_board(_: &mut GtpDialect, engine: &mut Mcts, _: &[&str]) -> CommandResult {
    let game = empty_game(engine, engine.game().board().size())?;
    engine.set_game(game);
    engine.new_game();
    Ok(String::new())
}

/// `COLOUR VERTEX ..`: these stones alone, without a history; black moves next.
fn set_position(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let mut board = Board::new(engine.game().board().size())?;
    for pair in args.chunks(2) {
        let [who, vertex] = *pair else {
            return bad("expected pairs of a colour and a vertex");
        };
        let (side, p) = (coords::parse_side(who)?, coords::parse(&board, vertex)?);
        if p == PASS || board.colour(p) != EMPTY {
            return bad(format!("no stone can be placed at {vertex}"));
        }
        let before = board.empties().len();
        board.set_up(p, colour(side));
        if board.empties().len() + 1 != before {
            return bad(format!("the stone at {vertex} leaves stones without liberties"));
        }
    }
    let mut game = Game::from_board(board, *engine.game().rules(), Side::First);
    game.set_komi(engine.game().komi());
    engine.set_game(game);
    engine.new_game();
    Ok(String::new())
}

fn play(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let (side, p) = side_and_point(engine.game(), args)?;
    engine.play(p, side)?;
    Ok(String::new())
}

/// All of the moves or, on an error, none.
fn play_sequence(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let mut game = engine.game().clone();
    for pair in args.chunks(2) {
        let (side, p) = side_and_point(engine.game(), pair)?;
        game.play(p, side)?;
    }
    engine.set_game(game);
    Ok(String::new())
}

fn undo(engine: &mut Mcts, n: u32) -> CommandResult {
    if (engine.game().moves().len() as u64) < u64::from(n) {
        return bad("cannot undo");
    }
    let mut game = engine.game().clone();
    for _ in 0..n {
        game.undo();
    }
    engine.set_game(game);
    Ok(String::new())
}

fn handicap(engine: &mut Mcts, points: &[Point]) -> CommandResult {
    let mut game = engine.game().clone();
    game.place_handicap(points)?;
    engine.set_game(game);
    let board = engine.game().board();
    Ok(points
        .iter()
        .map(|&p| coords::text(board, p))
        .collect::<Vec<_>>()
        .join(" "))
}

/// The fixed points as far as they go: fewer stones than asked for are allowed by the protocol.
fn place_free_handicap(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let n = stones(args)?;
    let board = engine.game().board();
    if n < 2 || n >= board.area() {
        return bad("invalid number of stones");
    }
    let found = (2..=n.min(9)).rev().find_map(|n| coords::fixed_handicap(board, n));
    let points = found.unwrap_or_else(|| {
        let far = board.size() - 1;
        vec![board.at(0, 0), board.at(far, far)]
    });
    handicap(engine, &points)
}

fn fixed_handicap(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let n = stones(args)?;
    let Some(points) = coords::fixed_handicap(engine.game().board(), n) else {
        return bad("invalid number of stones");
    };
    handicap(engine, &points)
}

fn set_free_handicap(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let points = args
        .iter()
        .map(|v| coords::parse(engine.game().board(), v))
        .collect::<Result<Vec<_>, _>>()?;
    if points.len() < 2 || points.contains(&PASS) {
        return bad("bad vertex list");
    }
    handicap(engine, &points).map(|_| String::new())
}

fn loadsgf(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let (path, before) = match args {
        [path] => (path, None),
        [path, n] => (path, Some(count(n)? as usize)),
        _ => return bad("syntax error"),
    };
    let Ok(bytes) = files::read(path, LONGEST_FILE, 0, |_, _| Ok(())) else {
        return bad("cannot load file");
    };
    let game = sgf::load(
        &String::from_utf8_lossy(&bytes),
        *engine.game().rules(),
        before.filter(|&n| n > 0),
    )?;
    let next = if game.side() == Side::First { "black" } else { "white" };
    engine.set_game(game);
    Ok(next.into())
}

fn printsgf(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let text = sgf::save(engine.game());
    match args.first() {
        Some(path) if *path != "-" => match std::fs::write(path, text + "\n") {
            Ok(()) => Ok(String::new()),
            Err(e) => bad(format!("cannot write file: {e}")),
        },
        _ => Ok(text),
    }
}
