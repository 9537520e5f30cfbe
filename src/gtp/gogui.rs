//! Analysis commands in the forms of GoGui (its manual's chapter "Analyze Commands"): text, pictures and parameters.

use super::commands::{ChangeFn, QueryFn, SearchFn};
use super::search::{Purpose, SearchJob};
use super::{CommandResult, GtpDialect, bad, params};
use crate::control::Limits;
use crate::game::{BadInput, Side};
use crate::games::go::types::{PASS, Point};
use crate::games::go::{Board, Game, Rules, coords};
use crate::mcts::{Analysis, Candidate, Mcts};
use crate::protocol::Session;
use std::fmt::Write;

/// Commands that leave the engine as it is.
pub const QUERIES: &[(&str, QueryFn)] = &[
    ("gogui-interrupt", |_, _, _| Ok(String::new())),
    ("gogui-analyze_commands", |_, _, _| Ok(MENU.join("\n"))),
    ("nguky-ownership", |_, engine, _| Ok(ownership(engine))),
];

/// Commands that change the engine.
pub const CHANGES: &[(&str, ChangeFn)] = &[("nguky-param", param)];

/// Commands that search first.
pub const SEARCHES: &[(&str, SearchFn)] = &[
    ("nguky-gfx", gfx),
    ("nguky-line", |gtp, s, args| {
        let (side, _) = colour_and_words(s.engine.game(), args)?;
        analyse(gtp, s, side, Box::new(|board, _, found| Ok(best_line(board, found))))
    }),
    ("nguky-winrate", |gtp, s, args| {
        let (side, _) = colour_and_words(s.engine.game(), args)?;
        analyse(
            gtp,
            s,
            side,
            Box::new(|board, side, found| Ok(summary(board, side, found))),
        )
    }),
    ("nguky-policy", |gtp, s, _| {
        if !s.engine.has_network() {
            return bad("no network is loaded");
        }
        let side = s.engine.game().side();
        analyse(gtp, s, side, Box::new(policy))
    }),
];

/// What a command shows of the analysis for a side.
pub type Display = Box<dyn Fn(&Board, Side, &Analysis) -> CommandResult>;

/// The menu: type, label and command.
const MENU: [&str; 16] = [
    "string/Win rate/nguky-winrate %m",
    "gfx/Best moves: win rates/nguky-gfx winrate %m",
    "gfx/Best moves: leads/nguky-gfx lead %m",
    "gfx/Best moves: visits/nguky-gfx visits %m",
    "varc/Best line/nguky-line %c",
    "dboard/Ownership/nguky-ownership",
    "cboard/Policy of the network/nguky-policy",
    "string/Final score/final_score",
    "plist/Dead stones/final_status_list dead",
    "plist/Legal points/all_legal %c",
    "string/Board/showboard",
    "string/Options/list_options",
    "param/SearchFn parameters/nguky-param",
    "none/Level of strength/level %s",
    "none/Rank of strength/nguky-rank %s",
    "none/Rules/kgs-rules %s",
];

/// Moves that are shown at most.
const SHOWN: usize = 10;

/// The position that a search was for.
#[derive(PartialEq)]
pub struct SearchedPosition {
    key: u64,
    moves: usize,
    side: Side,
    komi: f32,
    rules: Rules,
}

impl SearchedPosition {
    fn of(game: &Game, side: Side) -> Self {
        Self {
            key: game.board().key(),
            moves: game.moves().len(),
            side,
            komi: game.komi(),
            rules: *game.rules(),
        }
    }
}

/// An optional colour at the end, and the words before it.
fn colour_and_words<'a, 'b>(game: &Game, args: &'a [&'b str]) -> Result<(Side, &'a [&'b str]), BadInput> {
    match args.split_last() {
        Some((last, rest)) if coords::parse_side(last).is_ok() => Ok((coords::parse_side(last)?, rest)),
        _ => Ok((game.side(), args)),
    }
}

/// Searches the position as for a move without a clock, unless that has just been done, and shows what was found.
fn analyse(
    gtp: &mut GtpDialect,
    s: &mut Session<Mcts>,
    side: Side,
    display: Display,
) -> Result<Option<String>, BadInput> {
    gtp.need_position()?;
    let game = s.engine.game();
    if gtp.searched == Some(SearchedPosition::of(game, side)) {
        let found = s.engine.analysis();
        if found.visits > 0 {
            return display(game.board(), side, &found).map(Some);
        }
    }
    gtp.begin(SearchJob::new(side, Purpose::Display(display)), Limits::default(), s)
}

impl GtpDialect {
    /// The answer of a command that shows an analysis, when its search has ended.
    pub(super) fn display(&mut self, display: &Display, side: Side, engine: &Mcts) -> CommandResult {
        self.searched = Some(SearchedPosition::of(engine.game(), side));
        display(engine.game().board(), side, &engine.analysis())
    }
}

fn best(found: &Analysis) -> impl Iterator<Item = &Candidate> {
    found.moves.iter().filter(|m| m.visits > 0).take(SHOWN)
}

/// One line on the position: win rate, lead and best line.
fn summary(board: &Board, side: Side, found: &Analysis) -> String {
    let black = if side == Side::First { 1.0 } else { -1.0 };
    let chance = if side == Side::First {
        found.value
    } else {
        1.0 - found.value
    };
    let lead = found.score * black;
    let leader = if lead < 0.0 { 'W' } else { 'B' };
    let pv = best_line(board, found);
    format!(
        "Black wins {:.1}%, lead {leader}+{:.1}, {} visits: {}",
        chance * 100.0,
        lead.abs(),
        found.visits,
        pv
    )
}

/// `winrate|lead|visits [COLOUR]`: the best moves labelled, the one that would be played marked.
fn gfx(gtp: &mut GtpDialect, s: &mut Session<Mcts>, args: &[&str]) -> Result<Option<String>, BadInput> {
    let (side, rest) = colour_and_words(s.engine.game(), args)?;
    let label: fn(&Candidate) -> String = match *rest {
        ["winrate"] | [] => |m| format!("{:.0}", m.value * 100.0),
        ["lead"] => |m| format!("{:+.0}", m.score),
        ["visits"] => |m| match m.visits {
            n @ 0..1_000 => n.to_string(),
            n @ 1_000..1_000_000 => format!("{}k", n / 1_000),
            n => format!("{}M", n / 1_000_000),
        },
        _ => return bad("expected winrate, lead or visits"),
    };
    analyse(
        gtp,
        s,
        side,
        Box::new(move |board, side, found| Ok(picture(board, side, found, label))),
    )
}

fn picture(board: &Board, side: Side, found: &Analysis, label: fn(&Candidate) -> String) -> String {
    let mut text = String::new();
    let points: Vec<&Candidate> = best(found).filter(|m| m.mv != PASS).collect();
    if let Some(first) = best(found).next().filter(|m| m.mv != PASS) {
        let _ = writeln!(text, "COLOR #80c0ff {}", coords::text(board, first.mv));
    }
    if !points.is_empty() {
        text += "LABEL";
        for m in points {
            let _ = write!(text, " {} {}", coords::text(board, m.mv), label(m));
        }
        text += "\n";
    }
    let _ = write!(text, "TEXT {}", summary(board, side, found));
    text
}

/// The moves of the expected line, of both sides in turn.
fn best_line(board: &Board, found: &Analysis) -> String {
    let pv = best(found).next().map_or(&[][..], |m| &m.pv);
    pv.iter().map(|&p| coords::text(board, p)).collect::<Vec<_>>().join(" ")
}

/// A word for each point, the top row first.
fn rows(board: &Board, cell: impl Fn(Point) -> String) -> String {
    let row = |y: usize| {
        (0..board.size())
            .map(|x| cell(board.at(x, y)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    (0..board.size()).rev().map(row).collect::<Vec<_>>().join("\n")
}

fn ownership(engine: &Mcts) -> String {
    let board = engine.game().board();
    let owner = engine.ownership();
    let of = |p: Point| owner.get(board.index(p)).copied().unwrap_or(0.0);
    rows(board, |p| format!("{:.2}", of(p)))
}

/// The network's policy as shades from white to green.
fn policy(board: &Board, _: Side, found: &Analysis) -> CommandResult {
    let Some(raw) = &found.raw else {
        return bad("no network is loaded");
    };
    let most = raw
        .policy
        .iter()
        .map(|(_, share)| *share)
        .fold(f32::MIN_POSITIVE, f32::max);
    Ok(rows(board, |p| {
        let share = raw
            .policy
            .iter()
            .find(|(q, _)| *q == p)
            .map_or(0.0, |(_, share)| *share);
        let shade = 255 - (share / most * 255.0) as u8;
        // Points with almost no share keep the colour of the board.
        if share < 0.005 {
            "\"\"".into()
        } else {
            format!("#{shade:02x}ff{shade:02x}")
        }
    }))
}

/// `[NAME VALUE]`: all parameters of KataGo's names with their types, or one of them set.
fn param(gtp: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    match *args {
        [] => Ok(params::typed(gtp, engine)),
        [name, "0" | "1"] if params::is_switch(name) => {
            let on = args.get(1) == Some(&"1");
            params::set_one(gtp, engine, &[name, if on { "true" } else { "false" }])
        }
        _ => params::set_one(gtp, engine, args),
    }
}
