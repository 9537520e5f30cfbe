//! The commands that answer at once, by name.

use super::clock::{System, count, seconds};
use super::{Answer, Args, Gtp, analyze, bad, gogui, params, position, rules};
use crate::control::Engine;
use crate::game::{BadInput, Side};
use crate::games::go::score::{self, Status};
use crate::games::go::types::{EMPTY, PASS, Point, colour};
use crate::games::go::{Rules, coords};
use crate::protocol::options;
use serde_json::{Value, json};
use std::time::Duration;

/// What answers a command.
pub type Command = fn(&mut Gtp, &Args) -> Answer;

/// Commands with a plain answer that leave the position as it is, but for those that play.
const COMMANDS: &[(&str, Command)] = &[
    ("protocol_version", |_, _| Ok("2".into())),
    ("name", |_, _| Ok("nguky-gtp".into())),
    ("version", |_, _| Ok(env!("CARGO_PKG_VERSION").into())),
    ("list_commands", |_, _| Ok(names().join("\n"))),
    ("known_command", |_, args| {
        Ok(args.first().is_some_and(|name| names().contains(name)).to_string())
    }),
    ("quit", |gtp, _| {
        gtp.quit = true;
        Ok(String::new())
    }),
    ("komi", komi),
    ("get_komi", |gtp, _| Ok(gtp.game().komi().to_string())),
    ("genmove", |gtp, args| {
        let side = side(args)?;
        let answer = gtp.genmove(side, Duration::from_secs(3600), &mut |_| {})?;
        gtp.ponder();
        Ok(answer)
    }),
    ("reg_genmove", |gtp, args| {
        let side = side(args)?;
        gtp.is_known()?;
        let limits = gtp.clock.limits(side);
        gtp.think(side, limits, Duration::from_secs(3600), &mut |_| {})
    }),
    ("kgs-genmove_cleanup", |gtp, args| {
        let side = side(args)?;
        gtp.engine.set_cleanup(true);
        let answer = gtp.genmove(side, Duration::from_secs(3600), &mut |_| {});
        gtp.engine.set_cleanup(false);
        answer
    }),
    ("time_settings", |gtp, args| {
        let [main, period, stones] = *args else {
            return bad("syntax error");
        };
        let (main, period, stones) = (seconds(main)?, seconds(period)?, count(stones)?);
        gtp.clock.set_canadian(main, period, stones);
        Ok(String::new())
    }),
    ("kgs-time_settings", server_time),
    ("kata-time_settings", server_time),
    ("kata-list_time_settings", |_, _| {
        Ok("none absolute byoyomi canadian fischer fischer-capped".into())
    }),
    ("time_left", |gtp, args| {
        let [who, time, stones] = *args else {
            return bad("syntax error");
        };
        let (who, time, stones) = (coords::parse_side(who)?, seconds(time)?, count(stones)?);
        gtp.clock.tell(who, time, stones);
        Ok(String::new())
    }),
    ("final_score", |gtp, _| Ok(score::text(gtp.engine.final_score()))),
    ("estimate_score", |gtp, _| Ok(score::text(gtp.engine.final_score()))),
    ("final_status_list", final_status_list),
    ("showboard", |gtp, _| Ok(format!("\n{}", gtp.game().picture()))),
    ("is_legal", |gtp, args| {
        let (side, p) = side_and_point(gtp, args)?;
        Ok(u8::from(gtp.game().is_legal(p, side)).to_string())
    }),
    ("all_legal", |gtp, args| {
        let side = side(args)?;
        let board = gtp.game().board();
        let legal = board.points().filter(|&p| gtp.game().is_legal(p, side));
        Ok(legal.map(|p| coords::text(board, p)).collect::<Vec<_>>().join(" "))
    }),
    ("list_stones", |gtp, args| {
        let c = colour(side(args)?);
        let board = gtp.game().board();
        let stones = board.points().filter(|&p| board.colour(p) == c);
        Ok(stones.map(|p| coords::text(board, p)).collect::<Vec<_>>().join(" "))
    }),
    ("captures", |gtp, args| {
        let side = side(args)?;
        Ok(gtp.game().board().lost(colour(side.other())).to_string())
    }),
    ("countlib", |gtp, args| {
        let p = args.first().map_or_else(|| bad("syntax error"), |v| gtp.point(v))?;
        if gtp.game().board().colour(p) == EMPTY || p == PASS {
            return bad("vertex must not be empty");
        }
        Ok(gtp.game().board().liberties(p).to_string())
    }),
    ("kgs-rules", |gtp, args| {
        set_rules(gtp, args.first().copied().unwrap_or(""))
    }),
    ("kata-set-rules", |gtp, args| {
        let rules = rules::read(gtp.game().rules(), &args.join(" "))?;
        change_rules(gtp, rules)
    }),
    ("kata-set-rule", |gtp, args| {
        let [key, value] = *args else {
            return bad("syntax error");
        };
        let mut rules = *gtp.game().rules();
        rules::choose(&mut rules, key, value)?;
        change_rules(gtp, rules)
    }),
    ("kata-get-rules", |gtp, _| Ok(rules::text(gtp.game().rules()))),
    ("kata-list-params", params::list),
    ("kata-get-param", params::get),
    ("kata-get-params", params::get_all),
    ("kata-set-param", params::set_one),
    ("kata-set-params", params::set_all),
    ("level", params::level),
    ("lz-setoption", |gtp, args| set_option(gtp, args)),
    ("setoption", |gtp, args| set_option(gtp, args)),
    ("list_options", |gtp, _| Ok(listed(gtp))),
    ("kata-get-models", |gtp, _| Ok(models(gtp))),
    ("clear_cache", |gtp, _| {
        gtp.engine.new_game();
        Ok(String::new())
    }),
    ("stop", |gtp, _| {
        // Ends pondering; searches that are waited for have ended.
        gtp.engine.stop();
        Ok(String::new())
    }),
    ("kata-raw-nn", raw_nn),
    ("perft", |gtp, args| {
        let depth = args.first().map_or(Ok(1), |n| count(n))?;
        if depth > 5 {
            return bad("depth above 5");
        }
        Ok(gtp.game().perft(depth).to_string())
    }),
    ("cputime", |_, _| {
        match std::fs::read_to_string("/proc/self/schedstat") {
            Ok(text) => {
                let nanos: f64 = text
                    .split_whitespace()
                    .next()
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(0.0);
                Ok(format!("{:.3}", nanos / 1e9))
            }
            Err(_) => bad("not known on this system"),
        }
    }),
    ("kgs-game_over", |_, _| Ok(String::new())),
    ("cgos-gameover", |_, _| Ok(String::new())),
    ("cgos-opponent_name", |_, _| Ok(String::new())),
    ("cgos-opponent_rating", |_, _| Ok(String::new())),
];

/// The command of a name.
pub fn find(name: &str) -> Option<Command> {
    all().find(|(n, _)| *n == name).map(|&(_, command)| command)
}

fn all() -> impl Iterator<Item = &'static (&'static str, Command)> {
    COMMANDS.iter().chain(position::COMMANDS).chain(gogui::COMMANDS)
}

fn names() -> Vec<&'static str> {
    all().map(|&(name, _)| name).chain(analyze::NAMES).collect()
}

fn side(args: &Args) -> Result<Side, BadInput> {
    args.first()
        .map_or_else(|| bad("invalid color"), |c| coords::parse_side(c))
}

pub fn side_and_point(gtp: &Gtp, args: &Args) -> Result<(Side, Point), BadInput> {
    let [who, vertex] = *args else {
        return bad("invalid color or coordinate");
    };
    let Ok(side) = coords::parse_side(who) else {
        return bad("invalid color or coordinate");
    };
    match gtp.point(vertex) {
        Ok(p) => Ok((side, p)),
        Err(_) => bad("invalid color or coordinate"),
    }
}

fn komi(gtp: &mut Gtp, args: &Args) -> Answer {
    let value = match args {
        [text] => text.parse::<f32>().ok().filter(|k| k.is_finite() && k.abs() <= 1000.0),
        _ => None,
    };
    let Some(value) = value else {
        return bad("syntax error: komi not a float");
    };
    let mut game = gtp.game().clone();
    game.set_komi(value);
    gtp.engine.set_game(game);
    Ok(String::new())
}

fn server_time(gtp: &mut Gtp, args: &Args) -> Answer {
    let (kind, rest) = args.split_first().ok_or_else(|| BadInput::new("syntax error"))?;
    let system = match (*kind, rest) {
        ("none", _) => System::Unlimited,
        ("absolute", [main]) => System::Absolute(seconds(main)?),
        ("canadian", [main, period, stones]) => {
            gtp.clock.set_canadian(seconds(main)?, seconds(period)?, count(stones)?);
            return Ok(String::new());
        }
        ("byoyomi", [main, period, periods]) => {
            System::Byoyomi(seconds(main)?, seconds(period)?, count(periods)?.max(1))
        }
        ("fischer", [main, increment]) => System::Fischer(seconds(main)?, seconds(increment)?),
        // Caps on the clock change nothing for a player who spends what he gets.
        ("fischer-capped", [main, increment, ..]) => System::Fischer(seconds(main)?, seconds(increment)?),
        _ => return bad("unknown time settings"),
    };
    gtp.clock.set(system);
    Ok(String::new())
}

fn final_status_list(gtp: &mut Gtp, args: &Args) -> Answer {
    let wanted = match args {
        ["alive"] => Status::Alive,
        ["dead"] => Status::Dead,
        ["seki"] => Status::Seki,
        _ => return bad("invalid status"),
    };
    let status = gtp.engine.status();
    let board = gtp.game().board();
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

fn change_rules(gtp: &mut Gtp, rules: Rules) -> Answer {
    let mut game = gtp.game().clone();
    game.set_rules(rules);
    gtp.engine.set_game(game);
    Ok(String::new())
}

fn set_rules(gtp: &mut Gtp, name: &str) -> Answer {
    let rules = rules::named(name)?;
    change_rules(gtp, rules)
}

/// `[COLOUR] SYMMETRY`: what the network says, with the board turned as 0 to 7 tell, or all eight ways.
fn raw_nn(gtp: &mut Gtp, args: &Args) -> Answer {
    let named = args
        .split_first()
        .and_then(|(word, rest)| Some((coords::parse_side(word).ok()?, rest)));
    let (side, rest) = named.unwrap_or((gtp.game().side(), args));
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
        .map(|n| gtp.engine.raw_network(side, n, optimism).map(|raw| raw.to_string()))
        .collect();
    all.map_or_else(|| bad("no network is loaded"), |all| Ok(all.join("\n\n")))
}

/// The options, one a line, as UCI declares them and as Leela Zero lists its own.
fn listed(gtp: &Gtp) -> String {
    let lines: Vec<String> = gtp.engine.options().iter().map(options::declare).collect();
    lines.join("\n")
}

/// The network that judges, as a JSON array of one or none.
fn models(gtp: &Gtp) -> String {
    let model = |name| json!({"name": name, "internalName": name, "maxBatchSize": 1, "usesHumanSLProfile": false, "usingFP16": "false"});
    Value::Array(gtp.engine.network_name().map(model).into_iter().collect()).to_string()
}

/// `name Move Time value 500`, as Leela Zero and UCI have it; without words, all options are listed.
fn set_option(gtp: &mut Gtp, args: &Args) -> Answer {
    if args.is_empty() {
        return Ok(listed(gtp));
    }
    let text = args.join(" ");
    let Some(rest) = text.strip_prefix("name ") else {
        return bad("expected name NAME value VALUE; list_options names them all");
    };
    let rest = rest.strip_suffix(" value").unwrap_or(rest);
    let (name, value) = rest.split_once(" value ").unwrap_or((rest, ""));
    match name.to_ascii_lowercase().as_str() {
        "visits" => gtp.engine.set_option("Visits", Some(value))?,
        "playouts" => gtp.engine.set_option("Playouts", Some(value))?,
        "lagbuffer" => {
            let lag = seconds(value)?.as_millis() / 100;
            gtp.engine.set_option("Move Overhead", Some(&lag.to_string()))?;
        }
        _ => gtp.engine.set_option(name, Some(value))?,
    }
    Ok(String::new())
}
