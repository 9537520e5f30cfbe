//! The commands by name.

use super::clock::{TimeSystem, cap, count, seconds};
use super::{CommandResult, GtpDialect, bad, gogui, params, position, rules, search};
use crate::control::Engine;
use crate::game::{BadInput, Side};
use crate::games::go::score::{self, Status};
use crate::games::go::types::{EMPTY, PASS, Point, colour};
use crate::games::go::{Game, Rules, coords};
use crate::mcts::Mcts;
use crate::protocol::{Session, options};
use serde_json::{Value, json};

/// A command that leaves the engine as it is, so that pondering goes on.
pub type QueryFn = fn(&mut GtpDialect, &Mcts, &[&str]) -> CommandResult;
/// A command that changes the engine: the position, the rules, an option.
pub type ChangeFn = fn(&mut GtpDialect, &mut Mcts, &[&str]) -> CommandResult;
/// A command that searches: `None` where the answer comes with the search's end.
pub type SearchFn = fn(&mut GtpDialect, &mut Session<Mcts>, &[&str]) -> Result<Option<String>, BadInput>;

/// What acts on a command.
#[derive(Clone, Copy)]
pub enum Handler {
    Query(QueryFn),
    Change(ChangeFn),
    Search(SearchFn),
}

/// Nodes of a perft that may be visited: nothing can stop it.
const MOST_PERFT_NODES: u64 = 5_000_000;

/// Commands that leave the engine as it is.
const QUERIES: &[(&str, QueryFn)] = &[
    ("protocol_version", |_, _, _| Ok("2".into())),
    ("name", |_, _, _| Ok("nguky-gtp".into())),
    ("version", |_, _, _| Ok(env!("CARGO_PKG_VERSION").into())),
    ("nguky-kernels", |_, _, _| Ok(crate::protocol::kernels())),
    ("list_commands", |_, _, _| Ok(names().collect::<Vec<_>>().join("\n"))),
    ("known_command", |_, _, args| {
        Ok(args
            .first()
            .is_some_and(|word| names().any(|name| name == *word))
            .to_string())
    }),
    ("quit", |_, _, _| Ok(String::new())),
    ("get_komi", |_, engine, _| Ok(engine.game().komi().to_string())),
    ("time_settings", |gtp, _, args| {
        let [main, period, stones] = *args else {
            return bad("syntax error");
        };
        let (main, period, stones) = (seconds(main)?, seconds(period)?, count(stones)?);
        gtp.clock.set_canadian(main, period, stones);
        Ok(String::new())
    }),
    ("kgs-time_settings", server_time),
    ("kata-time_settings", server_time),
    ("kata-list_time_settings", |_, _, _| {
        Ok("none absolute byoyomi canadian fischer fischer-capped".into())
    }),
    ("time_left", |gtp, _, args| {
        let [who, time, stones] = *args else {
            return bad("syntax error");
        };
        let (who, time, stones) = (coords::parse_side(who)?, seconds(time)?, count(stones)?);
        gtp.clock.set_left(who, time, stones);
        Ok(String::new())
    }),
    ("final_score", |_, engine, _| Ok(score::text(engine.final_score()))),
    ("estimate_score", |_, engine, _| Ok(score::text(engine.final_score()))),
    ("final_status_list", final_status_list),
    ("showboard", |_, engine, _| Ok(format!("\n{}", engine.game().picture()))),
    ("is_legal", |_, engine, args| {
        let (side, p) = side_and_point(engine.game(), args)?;
        Ok(u8::from(engine.game().is_legal(p, side)).to_string())
    }),
    ("all_legal", |_, engine, args| {
        let side = side(args)?;
        let board = engine.game().board();
        let legal = board.points().filter(|&p| engine.game().is_legal(p, side));
        Ok(legal.map(|p| coords::text(board, p)).collect::<Vec<_>>().join(" "))
    }),
    ("list_stones", |_, engine, args| {
        let c = colour(side(args)?);
        let board = engine.game().board();
        let stones = board.points().filter(|&p| board.colour(p) == c);
        Ok(stones.map(|p| coords::text(board, p)).collect::<Vec<_>>().join(" "))
    }),
    ("captures", |_, engine, args| {
        let side = side(args)?;
        Ok(engine.game().board().lost(colour(side.other())).to_string())
    }),
    ("countlib", |_, engine, args| {
        let board = engine.game().board();
        let p = args
            .first()
            .map_or_else(|| bad("syntax error"), |v| coords::parse(board, v))?;
        if board.colour(p) == EMPTY || p == PASS {
            return bad("vertex must not be empty");
        }
        Ok(board.liberties(p).to_string())
    }),
    ("kata-get-rules", |_, engine, _| Ok(rules::text(engine.game().rules()))),
    ("kata-list-params", params::list),
    ("kata-get-param", params::get),
    ("kata-get-params", params::get_all),
    ("list_options", |_, engine, _| Ok(list_options(engine))),
    ("kata-get-models", |_, engine, _| Ok(models(engine))),
    ("kata-raw-nn", raw_nn),
    ("perft", |_, engine, args| {
        let depth = args.first().map_or(Ok(1), |n| count(n))?;
        let first = engine.game().legal_points().len() as u64 + 1;
        if depth > 1 && first.saturating_pow(depth - 1) > MOST_PERFT_NODES {
            return bad("too deep: too many sequences to be counted");
        }
        Ok(engine.game().perft(depth).to_string())
    }),
    ("cputime", |_, _, _| match cpu_seconds() {
        Some(seconds) => Ok(format!("{seconds:.2}")),
        None => bad("not known on this system"),
    }),
    ("kgs-game_over", |_, _, _| Ok(String::new())),
    ("cgos-gameover", |_, _, _| Ok(String::new())),
    ("cgos-opponent_name", |_, _, _| Ok(String::new())),
    ("cgos-opponent_rating", |_, _, _| Ok(String::new())),
];

/// Commands that change the engine; those for the position are in [`position`].
const CHANGES: &[(&str, ChangeFn)] = &[
    ("komi", komi),
    ("kgs-rules", |_, engine, args| {
        let rules = rules::named(args.first().copied().unwrap_or(""))?;
        set_rules(engine, rules)
    }),
    ("kata-set-rules", |_, engine, args| {
        let rules = rules::read(engine.game().rules(), &args.join(" "))?;
        set_rules(engine, rules)
    }),
    ("kata-set-rule", |_, engine, args| {
        let [key, value] = *args else {
            return bad("syntax error");
        };
        let mut rules = *engine.game().rules();
        rules::set_rule(&mut rules, key, value)?;
        set_rules(engine, rules)
    }),
    ("kata-set-param", params::set_one),
    ("kata-set-params", params::set_all),
    ("level", params::level),
    ("nguky-rank", params::rank),
    ("lz-setoption", set_option),
    ("setoption", set_option),
    ("clear_cache", |_, engine, _| {
        engine.new_game();
        Ok(String::new())
    }),
    // Pondering has ended when a change is acted on; other searches have been answered.
    ("stop", |_, _, _| Ok(String::new())),
];

/// The command of a name.
pub fn find(name: &str) -> Option<Handler> {
    all().find(|(n, _)| *n == name).map(|(_, command)| command)
}

fn all() -> impl Iterator<Item = (&'static str, Handler)> {
    let queries = QUERIES.iter().chain(gogui::QUERIES);
    let changes = CHANGES.iter().chain(position::COMMANDS).chain(gogui::CHANGES);
    let searches = search::COMMANDS.iter().chain(gogui::SEARCHES);
    queries
        .map(|&(name, run)| (name, Handler::Query(run)))
        .chain(changes.map(|&(name, run)| (name, Handler::Change(run))))
        .chain(searches.map(|&(name, run)| (name, Handler::Search(run))))
}

fn names() -> impl Iterator<Item = &'static str> {
    all().map(|(name, _)| name)
}

pub fn side(args: &[&str]) -> Result<Side, BadInput> {
    args.first()
        .map_or_else(|| bad("invalid color"), |c| coords::parse_side(c))
}

pub fn side_and_point(game: &Game, args: &[&str]) -> Result<(Side, Point), BadInput> {
    let [who, vertex] = *args else {
        return bad("invalid color or coordinate");
    };
    let Ok(side) = coords::parse_side(who) else {
        return bad("invalid color or coordinate");
    };
    match coords::parse(game.board(), vertex) {
        Ok(p) => Ok((side, p)),
        Err(_) => bad("invalid color or coordinate"),
    }
}

fn komi(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let value = match args {
        [text] => text.parse::<f32>().ok().filter(|k| k.is_finite() && k.abs() <= 1000.0),
        _ => None,
    };
    let Some(value) = value else {
        return bad("syntax error: komi not a float");
    };
    let mut game = engine.game().clone();
    game.set_komi(value);
    engine.set_game(game);
    Ok(String::new())
}

fn server_time(gtp: &mut GtpDialect, _: &Mcts, args: &[&str]) -> CommandResult {
    let (kind, rest) = args.split_first().ok_or_else(|| BadInput::new("syntax error"))?;
    let system = match (*kind, rest) {
        ("none", _) => TimeSystem::Unlimited,
        ("absolute", [main]) => TimeSystem::Absolute(seconds(main)?),
        ("canadian", [main, period, stones]) => {
            gtp.clock.set_canadian(seconds(main)?, seconds(period)?, count(stones)?);
            return Ok(String::new());
        }
        ("byoyomi", [main, period, periods]) => {
            TimeSystem::Byoyomi(seconds(main)?, seconds(period)?, count(periods)?.max(1))
        }
        ("fischer", [main, increment]) => TimeSystem::Fischer(seconds(main)?, seconds(increment)?),
        ("fischer-capped", [main, increment, most, each]) => {
            TimeSystem::FischerCapped(seconds(main)?, seconds(increment)?, cap(most)?, cap(each)?)
        }
        _ => return bad("unknown time settings"),
    };
    gtp.clock.set(system);
    Ok(String::new())
}

/// CPU time of all threads of the process so far, in seconds; Linux counts it in hundredths for programs.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name, in brackets, may hold blanks; user and system time are fields 14 and 15 of the line.
    let (_, fields) = text.rsplit_once(')')?;
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|n| n.parse::<u64>().ok());
    Some(ticks.sum::<Option<u64>>()? as f64 / 100.0)
}

fn final_status_list(_: &mut GtpDialect, engine: &Mcts, args: &[&str]) -> CommandResult {
    let wanted = match args {
        ["alive"] => Status::Alive,
        ["dead"] => Status::Dead,
        ["seki"] => Status::Seki,
        _ => return bad("invalid status"),
    };
    let status = engine.status();
    let board = engine.game().board();
    let heads = board
        .points()
        .filter(|&p| board.head(p) == p && status.get(p as usize) == Some(&wanted));
    let chain = |h: Point| {
        board
            .chain(h)
            .map(|s| coords::text(board, s))
            .collect::<Vec<_>>()
            .join(" ")
    };
    Ok(heads.map(chain).collect::<Vec<_>>().join("\n"))
}

fn set_rules(engine: &mut Mcts, rules: Rules) -> CommandResult {
    let mut game = engine.game().clone();
    game.set_rules(rules);
    engine.set_game(game);
    Ok(String::new())
}

/// `[COLOUR] SYMMETRY`: the output of the network for one of the eight symmetries, 0 to 7, or for all.
fn raw_nn(_: &mut GtpDialect, engine: &Mcts, args: &[&str]) -> CommandResult {
    let named = args
        .split_first()
        .and_then(|(word, rest)| Some((coords::parse_side(word).ok()?, rest)));
    let (side, rest) = named.unwrap_or((engine.game().side(), args));
    let (turning, optimism) = match *rest {
        [] => ("all", None),
        [turning] => (turning, None),
        [turning, x] => match x.parse::<f32>() {
            Ok(x) if (0.0..=1.0).contains(&x) => (turning, Some(x)),
            _ => return bad("expected an optimism from 0 to 1"),
        },
        _ => return bad("expected a colour, a symmetry and an optimism at most"),
    };
    let turnings = match (turning, turning.parse::<u8>()) {
        ("all", _) => 0..8,
        (_, Ok(n)) if n < 8 => n..n + 1,
        _ => return bad("expected a symmetry, all or 0 to 7"),
    };
    let all: Option<Vec<String>> = turnings
        .map(|n| engine.raw_network(side, n, optimism).map(|raw| raw.to_string()))
        .collect();
    all.map_or_else(|| bad("no network is loaded"), |all| Ok(all.join("\n\n")))
}

/// The options, one per line, as UCI declares them.
fn list_options(engine: &Mcts) -> String {
    let lines: Vec<String> = engine.options().iter().map(options::declare).collect();
    lines.join("\n")
}

/// The network in use as a JSON array; empty without one.
fn models(engine: &Mcts) -> String {
    let model = |name| json!({"name": name, "internalName": name, "maxBatchSize": 1, "usesHumanSLProfile": false, "usingFP16": "false"});
    Value::Array(engine.network_name().map(model).into_iter().collect()).to_string()
}

/// `name Move Time value 500`, as Leela Zero and UCI have it; without words, all options are listed.
fn set_option(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let (name, value) = match args {
        [] => return Ok(list_options(engine)),
        ["name", ..] => options::name_and_value(args),
        _ => None,
    }
    .ok_or_else(|| BadInput::new("expected name NAME value VALUE; list_options names them all"))?;
    let value = value.unwrap_or_default();
    if name.eq_ignore_ascii_case("lagbuffer") {
        // Leela Zero's name and unit.
        let lag = seconds(&value)?.as_millis() / 100;
        engine.set_option("Move Overhead", Some(&lag.to_string()))?;
    } else {
        engine.set_option(&name, Some(&value))?;
    }
    Ok(String::new())
}
