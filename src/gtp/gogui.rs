//! Analysis commands in the forms of GoGui (its manual's chapter "Analyze Commands"): text, pictures and parameters.

use super::commands::Command;
use super::{Answer, Args, Gtp, bad, params};
use crate::control::Engine;
use crate::control::Limits;
use crate::game::{BadInput, Side};
use crate::games::go::types::{PASS, Point};
use crate::games::go::{Rules, coords};
use crate::mcts::{Analysis, Candidate};
use std::fmt::Write;
use std::time::Duration;

/// The commands by name.
pub const COMMANDS: &[(&str, Command)] = &[
    ("gogui-interrupt", |_, _| Ok(String::new())),
    ("gogui-analyze_commands", |_, _| Ok(MENU.join("\n"))),
    ("nguky-gfx", gfx),
    ("nguky-line", line),
    ("nguky-winrate", |gtp, args| {
        let (side, _) = words(gtp, args)?;
        let found = look(gtp, side)?;
        Ok(summary(gtp, side, &found))
    }),
    ("nguky-ownership", ownership),
    ("nguky-policy", policy),
    ("nguky-param", param),
];

/// The menu: type, label and command.
const MENU: [&str; 15] = [
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
    "param/Search parameters/nguky-param",
    "none/Level of strength/level %s",
    "none/Rules/kgs-rules %s",
];

/// Moves that are shown at most.
const SHOWN: usize = 10;

/// The position that a search was for.
#[derive(PartialEq)]
pub struct Looked {
    key: u64,
    moves: usize,
    side: Side,
    komi: f32,
    rules: Rules,
}

/// An optional colour, and the words that are left.
fn words<'a, 'b>(gtp: &Gtp, args: &'a Args<'b>) -> Result<(Side, &'a Args<'b>), BadInput> {
    match args.split_last() {
        Some((last, rest)) if coords::parse_side(last).is_ok() => Ok((coords::parse_side(last)?, rest)),
        _ => Ok((gtp.game().side(), args)),
    }
}

/// Searches the position as for a move without a clock, unless that has just been done.
fn look(gtp: &mut Gtp, side: Side) -> Result<Analysis, BadInput> {
    gtp.is_known()?;
    let game = gtp.game();
    let wanted = Looked {
        key: game.board().key(),
        moves: game.moves().len(),
        side,
        komi: game.komi(),
        rules: *game.rules(),
    };
    let turn = game.side();
    let found = gtp.engine.analysis();
    if gtp.looked.as_ref() == Some(&wanted) && found.visits > 0 {
        return Ok(found);
    }
    let answer = gtp.start(side, Limits::default())?;
    let _ = gtp.found(&answer, Duration::from_secs(3600), &mut |_| {});
    gtp.engine.wait();
    let found = gtp.engine.analysis();
    if turn != gtp.game().side() {
        let mut game = gtp.game().clone();
        game.set_side(turn);
        gtp.engine.set_game(game);
    }
    gtp.looked = Some(wanted);
    Ok(found)
}

fn best(found: &Analysis) -> impl Iterator<Item = &Candidate> {
    found.moves.iter().filter(|m| m.visits > 0).take(SHOWN)
}

/// One line on the position: who wins, by how much, and how.
fn summary(gtp: &Gtp, side: Side, found: &Analysis) -> String {
    let black = if side == Side::First { 1.0 } else { -1.0 };
    let chance = if side == Side::First {
        found.value
    } else {
        1.0 - found.value
    };
    let lead = found.score * black;
    let leader = if lead < 0.0 { 'W' } else { 'B' };
    let board = gtp.game().board();
    let pv = best(found).next().map_or(&[][..], |m| &m.pv);
    let pv: Vec<String> = pv.iter().map(|&p| coords::text(board, p)).collect();
    format!(
        "Black wins {:.1}%, lead {leader}+{:.1}, {} visits: {}",
        chance * 100.0,
        lead.abs(),
        found.visits,
        pv.join(" ")
    )
}

/// `winrate|lead|visits [COLOUR]`: the best moves labelled, the one that would be played marked.
fn gfx(gtp: &mut Gtp, args: &Args) -> Answer {
    let (side, rest) = words(gtp, args)?;
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
    let found = look(gtp, side)?;
    let board = gtp.game().board();
    let mut text = String::new();
    let points: Vec<&Candidate> = best(&found).filter(|m| m.mv != PASS).collect();
    if let Some(first) = best(&found).next().filter(|m| m.mv != PASS) {
        let _ = writeln!(text, "COLOR #80c0ff {}", coords::text(board, first.mv));
    }
    if !points.is_empty() {
        text += "LABEL";
        for m in points {
            let _ = write!(text, " {} {}", coords::text(board, m.mv), label(m));
        }
        text += "\n";
    }
    let _ = write!(text, "TEXT {}", summary(gtp, side, &found));
    Ok(text)
}

/// `[COLOUR]`: the moves of the expected line, of both sides in turn.
fn line(gtp: &mut Gtp, args: &Args) -> Answer {
    let (side, _) = words(gtp, args)?;
    let found = look(gtp, side)?;
    let board = gtp.game().board();
    let pv = best(&found).next().map_or(&[][..], |m| &m.pv);
    Ok(pv.iter().map(|&p| coords::text(board, p)).collect::<Vec<_>>().join(" "))
}

/// A word for each point, the top row first.
fn rows(gtp: &Gtp, cell: impl Fn(Point) -> String) -> String {
    let board = gtp.game().board();
    let row = |y: usize| {
        (0..board.size())
            .map(|x| cell(board.at(x, y)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    (0..board.size()).rev().map(row).collect::<Vec<_>>().join("\n")
}

fn ownership(gtp: &mut Gtp, _: &Args) -> Answer {
    let owner = gtp.engine.ownership();
    let of = |p: Point| owner.get(gtp.game().board().index(p)).copied().unwrap_or(0.0);
    Ok(rows(gtp, |p| format!("{:.2}", of(p))))
}

/// The network's policy as shades from white to green.
fn policy(gtp: &mut Gtp, _: &Args) -> Answer {
    if !gtp.engine.has_network() {
        return bad("no network is loaded");
    }
    let found = look(gtp, gtp.game().side())?;
    let Some(raw) = found.raw else {
        return bad("no network is loaded");
    };
    let most = raw
        .policy
        .iter()
        .map(|(_, share)| *share)
        .fold(f32::MIN_POSITIVE, f32::max);
    Ok(rows(gtp, |p| {
        let share = raw
            .policy
            .iter()
            .find(|(q, _)| *q == p)
            .map_or(0.0, |(_, share)| *share);
        let shade = 255 - (share / most * 255.0) as u8;
        // What is next to nothing keeps the colour of the board.
        if share < 0.005 {
            "\"\"".into()
        } else {
            format!("#{shade:02x}ff{shade:02x}")
        }
    }))
}

/// `[NAME VALUE]`: all parameters of KataGo's names with their types, or one of them set.
fn param(gtp: &mut Gtp, args: &Args) -> Answer {
    match *args {
        [] => Ok(params::typed(gtp)),
        [name, "0" | "1"] if params::is_switch(name) => {
            let on = args.get(1) == Some(&"1");
            params::set_one(gtp, &[name, if on { "true" } else { "false" }])
        }
        _ => params::set_one(gtp, args),
    }
}
