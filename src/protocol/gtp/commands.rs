//! The commands that answer at once, by name.

use super::clock::{System, count, seconds};
use super::{Answer, Args, Gtp, analyze, bad, rules, sgf};
use crate::engine::Engine;
use crate::game::{BadInput, Side};
use crate::games::go::score::{self, Status};
use crate::games::go::types::{EMPTY, PASS, Point, colour};
use crate::games::go::{Game, Rules, coords};
use std::time::Duration;

type Command = fn(&mut Gtp, &Args) -> Answer;

/// Largest SGF file read.
const LONGEST_FILE: u64 = 16 << 20;

/// All commands with a plain answer.
const COMMANDS: &[(&str, Command)] = &[
    ("protocol_version", |_, _| Ok("2".into())),
    ("name", |_, _| Ok("Ngu Ky go".into())),
    ("version", |_, _| Ok(env!("CARGO_PKG_VERSION").into())),
    ("list_commands", |_, _| Ok(names().join("\n"))),
    ("known_command", |_, args| {
        Ok(args.first().is_some_and(|name| names().contains(name)).to_string())
    }),
    ("quit", |gtp, _| {
        gtp.quit = true;
        Ok(String::new())
    }),
    ("boardsize", boardsize),
    ("rectangular_boardsize", boardsize),
    ("clear_board", clear_board),
    ("komi", komi),
    ("get_komi", |gtp, _| Ok(gtp.game().komi().to_string())),
    ("play", play),
    ("gogui-play_sequence", play_sequence),
    ("genmove", |gtp, args| {
        let side = side(args)?;
        gtp.genmove(side, Duration::from_secs(3600), &mut |_| {})
    }),
    ("reg_genmove", |gtp, args| {
        let side = side(args)?;
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
    ("undo", |gtp, _| undo(gtp, 1)),
    ("gg-undo", |gtp, args| {
        undo(gtp, args.first().map_or(Ok(1), |n| count(n))?)
    }),
    ("fixed_handicap", |gtp, args| {
        let n = stones(args)?;
        let Some(points) = coords::fixed_handicap(gtp.game().board(), n) else {
            return bad("invalid number of stones");
        };
        handicap(gtp, &points)
    }),
    ("place_free_handicap", place_free_handicap),
    ("set_free_handicap", |gtp, args| {
        let points = args.iter().map(|v| gtp.point(v)).collect::<Result<Vec<_>, _>>()?;
        if points.len() < 2 || points.contains(&PASS) {
            return bad("bad vertex list");
        }
        handicap(gtp, &points).map(|_| String::new())
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
    ("loadsgf", loadsgf),
    ("printsgf", |gtp, args| {
        let text = sgf::save(gtp.game());
        match args.first() {
            Some(path) if *path != "-" => match std::fs::write(path, text + "\n") {
                Ok(()) => Ok(String::new()),
                Err(e) => bad(format!("cannot write file: {e}")),
            },
            _ => Ok(text),
        }
    }),
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
    ("lz-setoption", |gtp, args| set_option(gtp, args)),
    ("setoption", |gtp, args| set_option(gtp, args)),
    ("clear_cache", |gtp, _| {
        gtp.engine.new_game();
        Ok(String::new())
    }),
    ("stop", |_, _| Ok(String::new())),
    ("gogui-interrupt", |_, _| Ok(String::new())),
    ("gogui-analyze_commands", |_, _| {
        Ok("dboard/Ownership/nguky-ownership\nstring/Final score/final_score\nplist/Dead stones/final_status_list dead\n\
            string/Board/showboard\nplist/Legal points/all_legal %c\nnone/Rules/kgs-rules %s"
            .into())
    }),
    ("nguky-ownership", ownership),
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
    COMMANDS.iter().find(|(n, _)| *n == name).map(|&(_, command)| command)
}

fn names() -> Vec<&'static str> {
    COMMANDS.iter().map(|&(name, _)| name).chain(analyze::NAMES).collect()
}

fn side(args: &Args) -> Result<Side, BadInput> {
    args.first()
        .map_or_else(|| bad("invalid color"), |c| coords::parse_side(c))
}

fn stones(args: &Args) -> Result<usize, BadInput> {
    match args {
        [n] => Ok(count(n)? as usize),
        _ => bad("invalid number of stones"),
    }
}

fn side_and_point(gtp: &Gtp, args: &Args) -> Result<(Side, Point), BadInput> {
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

fn fresh(gtp: &Gtp, size: usize) -> Result<Game, BadInput> {
    let mut game = Game::new(size, *gtp.game().rules())?;
    game.set_komi(gtp.game().komi());
    Ok(game)
}

fn boardsize(gtp: &mut Gtp, args: &Args) -> Answer {
    let size = match args {
        [n] => n.parse::<usize>(),
        [x, y] if x == y => x.parse::<usize>(),
        [_, _] => return bad("unacceptable size"),
        _ => return bad("syntax error"),
    };
    let Ok(size) = size else {
        return bad("unacceptable size");
    };
    let game = fresh(gtp, size)?;
    gtp.engine.set_game(game);
    gtp.engine.new_game();
    Ok(String::new())
}

fn clear_board(gtp: &mut Gtp, _: &Args) -> Answer {
    let game = fresh(gtp, gtp.game().board().size())?;
    gtp.engine.set_game(game);
    gtp.engine.new_game();
    Ok(String::new())
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

fn play(gtp: &mut Gtp, args: &Args) -> Answer {
    let (side, p) = side_and_point(gtp, args)?;
    gtp.engine.play(p, side)?;
    Ok(String::new())
}

/// All of the moves or, on an error, none.
fn play_sequence(gtp: &mut Gtp, args: &Args) -> Answer {
    let mut game = gtp.game().clone();
    for pair in args.chunks(2) {
        let (side, p) = side_and_point(gtp, pair)?;
        game.play(p, side)?;
    }
    gtp.engine.set_game(game);
    Ok(String::new())
}

fn undo(gtp: &mut Gtp, n: u32) -> Answer {
    if (gtp.game().moves().len() as u64) < u64::from(n) {
        return bad("cannot undo");
    }
    let mut game = gtp.game().clone();
    for _ in 0..n {
        game.undo();
    }
    gtp.engine.set_game(game);
    Ok(String::new())
}

fn handicap(gtp: &mut Gtp, points: &[Point]) -> Answer {
    let mut game = gtp.game().clone();
    game.place_handicap(points)?;
    gtp.engine.set_game(game);
    let board = gtp.game().board();
    Ok(points
        .iter()
        .map(|&p| coords::text(board, p))
        .collect::<Vec<_>>()
        .join(" "))
}

/// The fixed points as far as they go: fewer stones than asked for are allowed by the protocol.
fn place_free_handicap(gtp: &mut Gtp, args: &Args) -> Answer {
    let n = stones(args)?;
    let board = gtp.game().board();
    if n < 2 || n >= board.area() {
        return bad("invalid number of stones");
    }
    let found = (2..=n.min(9)).rev().find_map(|n| coords::fixed_handicap(board, n));
    let points = found.unwrap_or_else(|| {
        let far = board.size() - 1;
        vec![board.at(0, 0), board.at(far, far)]
    });
    handicap(gtp, &points)
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

fn loadsgf(gtp: &mut Gtp, args: &Args) -> Answer {
    let (path, before) = match args {
        [path] => (path, None),
        [path, n] => (path, Some(count(n)? as usize)),
        _ => return bad("syntax error"),
    };
    let size = std::fs::metadata(path).map(|m| if m.is_file() { m.len() } else { u64::MAX });
    if !size.is_ok_and(|n| n <= LONGEST_FILE) {
        return bad("cannot load file");
    }
    let Ok(bytes) = std::fs::read(path) else {
        return bad("cannot load file");
    };
    let game = sgf::load(
        &String::from_utf8_lossy(&bytes),
        *gtp.game().rules(),
        before.filter(|&n| n > 0),
    )?;
    let next = if game.side() == Side::First { "black" } else { "white" };
    gtp.engine.set_game(game);
    Ok(next.into())
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

/// `name Move Time value 500`, as Leela Zero and UCI have it.
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

fn set_option(gtp: &mut Gtp, args: &Args) -> Answer {
    let text = args.join(" ");
    let Some(rest) = text.strip_prefix("name ") else {
        return bad("syntax error");
    };
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

fn ownership(gtp: &mut Gtp, _: &Args) -> Answer {
    let owner = gtp.engine.ownership();
    let board = gtp.game().board();
    let row = |y: usize| {
        let cell = |x: usize| format!("{:.2}", owner.get(board.index(board.at(x, y))).copied().unwrap_or(0.0));
        (0..board.size()).map(cell).collect::<Vec<_>>().join(" ")
    };
    Ok((0..board.size()).rev().map(row).collect::<Vec<_>>().join("\n"))
}
