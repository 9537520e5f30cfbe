//! Matches of cờ úp: the dealer keeps its secret, referees every ending and writes records that replay.
//!
//! As in `matches.rs` the scripted engine is this very test program: the ignored test `scripted_engine` speaks UCI when
//! the variable `FAKE` names a manner, and writes every line that it was sent into the file that `HEARD` names.
#![cfg(unix)]

use nguky::game::{Kind, Moves, Position, Rules, Side, Verdict};
use nguky::games::coup::{Coup, CoupRules};
use nguky::util::rng::SplitMix;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Plays a random legal move; a manner shows at the third move.
#[test]
#[ignore = "an engine for the other tests"]
fn scripted_engine() {
    let Ok(manner) = std::env::var("FAKE") else { return };
    let mut heard = std::env::var("HEARD").ok().map(|path| {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.expect("a file to write what was heard")
    });
    let mut out = std::io::stdout().lock();
    let mut pos = Coup::parse(Coup::START, &CoupRules::default()).expect("the start");
    let (mut rng, mut asked) = (SplitMix::new(7), 0);
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        if let Some(file) = &mut heard {
            writeln!(file, "{line}").expect("written");
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["uci"] => {
                writeln!(
                    out,
                    "\nid name fake\noption name UCI_Variant type combo default xiangqi var jieqi\nuciok"
                )
            }
            ["isready"] => writeln!(out, "readyok"),
            ["ucinewgame"] => {
                asked = 0;
                Ok(())
            }
            ["position", "fen", rest @ ..] => {
                pos = follow(rest);
                Ok(())
            }
            ["go", ..] => {
                asked += 1;
                let mut moves = Moves::new();
                pos.generate(Kind::All, &mut moves);
                let m = moves.at(rng.below(moves.len() as u64) as usize).mv;
                match (manner.as_str(), asked) {
                    ("illegal", 3) => writeln!(out, "bestmove e0e9"),
                    ("crash", 3) => std::process::exit(3),
                    // A letter of its own would be a claim to know what lies there.
                    ("boasts", _) => writeln!(out, "bestmove {}P", pos.move_text(m)),
                    _ => writeln!(out, "info depth 1 score cp 5 pv {0}\nbestmove {0}", pos.move_text(m)),
                }
            }
            ["quit"] => std::process::exit(0),
            _ => Ok(()),
        }
        .and_then(|()| out.flush())
        .expect("written");
    }
}

/// The position after `SETUP moves M...`, every move of which has to be told as the rules of telling say.
fn follow(words: &[&str]) -> Coup {
    let at = words.iter().position(|&w| w == "moves").unwrap_or(words.len());
    let mut pos = Coup::parse(&words[..at].join(" "), &CoupRules::default()).expect("a setup");
    for text in words.iter().skip(at + 1) {
        pos.play_text(text).expect("a legal move, told in full");
    }
    pos
}

/// A folder of its own, removed when the test ends.
struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Self {
        let folder = TempDir::with_prefix(format!("nguky-coup-{name}-")).expect("a folder");
        Self(folder)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap_or_default()
    }
}

fn engine(name: &str, manner: &str) -> String {
    let command = crate::scripted_engine("coup", &format!("FAKE={manner} HEARD={name}.heard"));
    format!("cmd={command} name={name}")
}

/// Plays a match in a folder; what it printed.
fn play(place: &Path, manners: [&str; 2], more: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_nguky"))
        .current_dir(place)
        .args(["match", "--game", "coup", "--depth", "1", "--record", "games.pgn"])
        .args([
            "--engine",
            &engine("Ann", manners[0]),
            "--engine",
            &engine("Bob", manners[1]),
        ])
        .args(more)
        .stdin(Stdio::null())
        .output()
        .expect("nguky runs");
    let text = String::from_utf8_lossy(&out.stdout).to_string();
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    text
}

/// A recorded game.
struct Game {
    tags: Vec<(String, String)>,
    moves: Vec<String>,
    reason: String,
}

impl Game {
    fn tag(&self, name: &str) -> &str {
        let found = self.tags.iter().find(|(n, _)| n == name);
        found.map_or("", |(_, value)| value)
    }

    /// The letter under each point at the start.
    fn deal(&self) -> [char; 90] {
        let mut all = ['.'; 90];
        for (row, text) in self.tag("Deal").split('/').enumerate() {
            let mut point = (9 - row) * 9;
            for c in text.chars() {
                match c.to_digit(10) {
                    Some(gap) => point += gap as usize,
                    None => {
                        all[point] = c;
                        point += 1;
                    }
                }
            }
        }
        all
    }
}

fn games(record: &str) -> Vec<Game> {
    let mut all: Vec<Game> = Vec::new();
    for part in record.split("[Event ").skip(1) {
        let mut game = Game {
            tags: Vec::new(),
            moves: Vec::new(),
            reason: String::new(),
        };
        let (head, body) = part.split_once("\n\n").expect("tags and moves");
        for line in head.lines().filter_map(|l| l.strip_prefix('[')) {
            let (name, value) = line.split_once(' ').expect("a tag");
            game.tags
                .push((name.into(), value.trim_end_matches(']').trim_matches('"').into()));
        }
        let mut rest = body.replace('\n', " ");
        while let (Some(a), Some(b)) = (rest.find('{'), rest.find('}')) {
            game.reason = rest[a + 1..b].to_string();
            rest.replace_range(a..=b, " ");
        }
        let is_move = |w: &&str| w.starts_with(|c: char| ('a'..='i').contains(&c));
        game.moves = rest.split_whitespace().filter(is_move).map(String::from).collect();
        all.push(game);
    }
    all
}

/// The moves as a side may know them, worked out from the record alone: whoever takes a face-down piece learns what it
/// was (`capturer`), both do, or none.
fn views(game: &Game, captured: &str) -> [Vec<String>; 2] {
    let (deal, mut covered) = (game.deal(), [false; 90]);
    let start = game.tag("FEN").split(' ').next().filter(|s| !s.is_empty());
    let board = start.unwrap_or_else(|| Coup::START.split(' ').next().expect("a board"));
    for (row, text) in board.split('/').enumerate() {
        let mut point = (9 - row) * 9;
        for c in text.chars() {
            match c.to_digit(10) {
                Some(gap) => point += gap as usize,
                None => {
                    covered[point] = c == 'x' || c == 'X';
                    point += 1;
                }
            }
        }
    }
    let mut views = [Vec::new(), Vec::new()];
    for (ply, text) in game.moves.iter().enumerate() {
        let b = text.as_bytes();
        let point = |f: u8, r: u8| usize::from(r - b'0') * 9 + usize::from(f - b'a');
        let (from, to) = (point(b[0], b[1]), point(b[2], b[3]));
        let (mut public, mut secret) = (text[..4].to_string(), String::new());
        if covered[from] {
            public.push(deal[from]);
        }
        if covered[to] {
            secret.push(deal[to]);
        }
        assert_eq!(*text, format!("{public}{secret}"), "move {ply} is not of the deal");
        (covered[from], covered[to]) = (false, false);
        for (side, view) in views.iter_mut().enumerate() {
            let sees = captured == "both" || captured == "capturer" && side == ply % 2;
            view.push(if sees { text.clone() } else { public.clone() });
        }
    }
    views
}

/// Checks that an engine heard its side's view of its games and nothing else.
fn heard_its_view_only(heard: &str, name: &str, all: &[Game], captured: &str) -> usize {
    let dull = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["uci" | "isready" | "ucinewgame" | "quit" | "stop" | "eval"] => true,
            ["setoption", "name", rest @ ..] => ["UCI_Variant", "CapturedDark", "Ruleset", "NoCaptureLimit", "Debug"]
                .contains(rest.first().unwrap_or(&"")),
            ["go", rest @ ..] => rest.iter().all(|w| {
                w.parse::<u64>().is_ok() || ["depth", "wtime", "btime", "winc", "binc", "nodes", "movetime"].contains(w)
            }),
            _ => false,
        }
    };
    // The games in the order in which this engine played them are those of the record: one thread played them.
    let mut at = 0;
    let mut seen = 0;
    let mut longest: Vec<&str> = Vec::new();
    let mut began = false;
    let check = |longest: &[&str], at: usize| {
        let Some(game) = all.get(at) else { return };
        let side = usize::from(game.tag("Black") == name);
        let view = &views(game, captured)[side];
        assert!(longest.len() <= view.len());
        for (told, may) in longest.iter().zip(view) {
            assert_eq!(told, may, "{name} in game {at}");
        }
    };
    for line in heard.lines() {
        if line == "ucinewgame" {
            if began {
                check(&longest, at);
                at += 1;
            }
            (began, longest) = (true, Vec::new());
        } else if let Some(rest) = line.strip_prefix("position fen ") {
            let (setup, moves) = rest.split_once(" moves ").unwrap_or((rest, ""));
            let setup = setup.trim_end_matches(" moves");
            let expected = Some(all[at].tag("FEN"))
                .filter(|s| !s.is_empty())
                .unwrap_or(Coup::START);
            assert_eq!(setup, expected);
            // Each list goes on from the one before.
            let moves: Vec<&str> = moves.split_whitespace().collect();
            assert!(moves.starts_with(&longest), "{name} in game {at}: {line}");
            longest = moves;
            seen += 1;
        } else {
            assert!(dull(line), "{name} heard {line:?}");
        }
    }
    check(&longest, at);
    assert_eq!(at + 1, all.len());
    seen
}

fn rules(settings: &[(&str, &str)]) -> CoupRules {
    let mut rules = CoupRules::default();
    for (name, value) in settings {
        rules.set(name, value).expect("a rule");
    }
    rules
}

/// Plays the record through: it ends where the rules end it, with the result that it claims.
fn replays(game: &Game, rules: &CoupRules) {
    let setup = Some(game.tag("FEN")).filter(|s| !s.is_empty()).unwrap_or(Coup::START);
    let mut pos = Coup::parse(setup, rules).expect("a setup");
    for m in &game.moves {
        assert_eq!(pos.ended(), None, "{m} after the end");
        pos.play_text(m).expect("a legal move");
    }
    let Some(end) = pos.ended() else {
        assert!(game.reason.contains("too long"), "{}", game.reason);
        return;
    };
    assert_eq!(end.reason, game.reason);
    let result = match (end.verdict, pos.side()) {
        (Verdict::Draw, _) => "1/2-1/2",
        (Verdict::Win, Side::First) | (Verdict::Loss, Side::Second) => "1-0",
        _ => "0-1",
    };
    assert_eq!(game.tag("Result"), result);
}

#[test]
fn each_side_hears_what_it_may_know() {
    for captured in ["capturer", "both", "none"] {
        let place = Place::new(captured);
        let rule = format!("CapturedDark={captured}");
        let text = play(place.0.path(), ["good", "good"], &["--games", "20", "--rule", &rule]);
        assert!(text.contains("0 time losses, 0 illegal moves"), "{text}");
        let all = games(&place.read("games.pgn"));
        assert_eq!(all.len(), 20);
        let mut letters = 0;
        for (i, game) in all.iter().enumerate() {
            replays(game, &CoupRules::default());
            letters += game.moves.iter().filter(|m| m.len() > 4).count();
            // Both games of a pair have one deal, and no two pairs.
            assert_eq!(game.tag("Deal"), all[i ^ 1].tag("Deal"));
            assert!(i < 2 || game.tag("Deal") != all[i - 2].tag("Deal"));
            assert_eq!(game.tag("White"), ["Ann", "Bob"][i % 2]);
        }
        assert!(letters > 100);
        for name in ["Ann", "Bob"] {
            let seen = heard_its_view_only(&place.read(&format!("{name}.heard")), name, &all, captured);
            assert!(seen > 200);
        }
    }
}

#[test]
fn a_leak_would_be_noticed() {
    let place = Place::new("leak");
    play(place.0.path(), ["good", "good"], &["--games", "4"]);
    let all = games(&place.read("games.pgn"));
    let heard = place.read("Ann.heard");
    let told_more = std::panic::catch_unwind(|| heard_its_view_only(&heard, "Ann", &all, "none"));
    let told_less = std::panic::catch_unwind(|| heard_its_view_only(&heard, "Ann", &all, "both"));
    assert!(told_more.is_err() && told_less.is_err());
}

#[test]
fn a_deal_is_fixed_by_its_seed() {
    let deals = |name: &str, seed: &str| -> Vec<String> {
        let place = Place::new(name);
        play(place.0.path(), ["good", "good"], &["--games", "6", "--seed", seed]);
        games(&place.read("games.pgn"))
            .iter()
            .map(|g| g.tag("Deal").to_string())
            .collect()
    };
    let (a, b, c) = (deals("seed-a", "5"), deals("seed-b", "5"), deals("seed-c", "6"));
    assert_eq!(a, b);
    assert_ne!(a, c);
}

#[test]
fn setups_of_a_file_and_random_openings() {
    let place = Place::new("file");
    let setup = "xxxxkxxPx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X7/9/XXXXKXXXX b R2A2C2P4N2B2r2a2c2p5n2b2 0 1";
    std::fs::write(place.0.path().join("starts.fen"), format!("{setup}\n")).expect("written");
    play(
        place.0.path(),
        ["good", "good"],
        &["--games", "2", "--openings", "starts.fen", "--plies", "6"],
    );
    let all = games(&place.read("games.pgn"));
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].moves[..6], all[1].moves[..6]);
    for game in &all {
        assert_eq!(game.tag("FEN"), setup);
        replays(game, &CoupRules::default());
    }
}

#[test]
fn rules_are_the_referees() {
    let place = Place::new("limit");
    let more = [
        "--games",
        "6",
        "--rule",
        "NoCaptureLimit=12",
        "--rule",
        "Ruleset=tiantian",
    ];
    play(place.0.path(), ["good", "good"], &more);
    // The later of the two sets the limit, too.
    let all = games(&place.read("games.pgn"));
    all.iter().for_each(|g| replays(g, &rules(&[("Ruleset", "tiantian")])));
    let place = Place::new("limit-2");
    let more = [
        "--games",
        "6",
        "--rule",
        "Ruleset=tiantian",
        "--rule",
        "NoCaptureLimit=12",
    ];
    play(place.0.path(), ["good", "good"], &more);
    let all = games(&place.read("games.pgn"));
    all.iter()
        .for_each(|g| replays(g, &rules(&[("Ruleset", "tiantian"), ("NoCaptureLimit", "12")])));
    assert!(all.iter().any(|g| g.reason == "no capture for too long"));
}

#[test]
fn faults_lose() {
    for (manner, words) in [("illegal", "2 illegal moves"), ("crash", "2 disconnects")] {
        let place = Place::new(manner);
        let text = play(place.0.path(), ["good", manner], &["--games", "2"]);
        assert!(text.contains("+2 =0 -0"), "{text}");
        let line = text.lines().rfind(|l| l.starts_with("Bob")).unwrap_or_default();
        assert!(line.contains(words), "{text}");
    }
    // What an engine says of the piece is not heard.
    let place = Place::new("boasts");
    let text = play(place.0.path(), ["good", "boasts"], &["--games", "2"]);
    assert!(text.contains("0 illegal moves"), "{text}");
    let all = games(&place.read("games.pgn"));
    all.iter().for_each(|g| replays(g, &CoupRules::default()));
}

/// A talk in JAI, the protocol of the JieqiBox interface.
struct Runner {
    child: std::process::Child,
    lines: std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
}

impl Runner {
    fn new(place: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nguky"))
            .current_dir(place)
            .args(["match", "--jai"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("nguky runs");
        let out = child.stdout.take().expect("a pipe");
        Self {
            child,
            lines: std::io::BufReader::new(out).lines(),
        }
    }

    fn say(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().expect("a pipe");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("said");
    }

    /// All lines up to one that begins so, and that one.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut all = Vec::new();
        for line in self.lines.by_ref() {
            all.push(line.expect("UTF-8"));
            if all.last().is_some_and(|l| l.starts_with(start)) {
                return all;
            }
        }
        panic!("{start:?} never came: {all:#?}");
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_interface_runs_and_watches_a_match() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new("jai");
    let path = place.0.path().join("an engine");
    let command = crate::scripted_engine("coup", "FAKE=good");
    std::fs::write(&path, format!("#!/bin/sh\nexec {command}\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");

    let mut jai = Runner::new(place.0.path());
    jai.say("jai");
    let hello = jai.until("jaiok");
    assert!(
        hello[0].starts_with("id name ")
            && hello
                .iter()
                .any(|l| l.starts_with("option name Engine2Path type string"))
    );
    jai.say("isready");
    jai.until("readyok");
    jai.say("setoption name TotalRounds value none");
    jai.until("info string option TotalRounds: a whole number from 1 to 1000 expected, not \"none\"");
    jai.say("launch");
    jai.until("info string unknown command \"launch\"");
    for name in ["Engine1Path", "Engine2Path"] {
        jai.say(&format!("setoption name {name} value {}", path.display()));
    }
    for option in [
        "TotalRounds value 2",
        "RecordFile value kept.pgn",
        "NoCaptureLimit value 30",
    ] {
        jai.say(&format!("setoption name {option}"));
    }
    jai.say("startmatch");
    let talk = jai.until("info string match over");
    let rules = rules(&[("NoCaptureLimit", "30")]);
    let (mut games, mut pos) = (0, None);
    for line in &talk {
        if let Some(setup) = line.strip_prefix("info fen ") {
            assert!(setup.contains(" - 0 1"), "the form of the interface: {setup}");
            pos = Some(Coup::parse(setup, &rules).expect("a setup"));
        } else if let Some((m, ms)) = line.strip_prefix("info move ").and_then(|l| l.split_once(" time ")) {
            assert!(ms.parse::<u64>().is_ok());
            pos.as_mut()
                .expect("a game")
                .play_text(m)
                .expect("a legal move, told in full");
        } else if line.starts_with("info result ") {
            assert!(pos.as_ref().is_some_and(|p| p.ended().is_some()));
            games += 1;
        }
    }
    assert_eq!(games, 4);
    for line in ["info game 4/4", "info engine an_engine an_engine"] {
        assert!(talk.iter().any(|l| l == line), "{line}");
    }
    assert!(talk.iter().any(|l| l.starts_with("info depth 1 score cp 5")));
    let wld: Vec<u32> = talk
        .iter()
        .filter_map(|l| l.strip_prefix("info wld "))
        .next_back()
        .expect("a score")
        .split('-')
        .filter_map(|n| n.parse().ok())
        .collect();
    assert_eq!(wld.iter().sum::<u32>(), 4);
    self::games(&place.read("kept.pgn"))
        .iter()
        .for_each(|g| replays(g, &rules));
    // A match that is stopped ends at once, and another may begin.
    jai.say("setoption name TotalRounds value 1000");
    jai.say("startmatch");
    jai.until("info move ");
    jai.say("startmatch");
    jai.until("info string a match is under way");
    jai.say("stop");
    jai.until("info string match stopped");
    jai.say("setoption name Engine1Path value /nonexistent/engine");
    jai.say("startmatch");
    jai.until("info string cannot start /nonexistent/engine");
    jai.say("quit");
    assert!(jai.child.wait().expect("an end").success());
}

/// The engine of the house, its own log as witness.
#[test]
#[ignore = "500 games take half an hour"]
fn five_hundred_games_of_the_house() {
    let program = Path::new(env!("CARGO_BIN_EXE_nguky-ucci"));
    let number = std::env::var("NGUKY_GAMES").unwrap_or_else(|_| "500".into());
    let place = Place::new("house");
    let spec = |name: &str| format!("cmd={} name={name} option.Debug Log File={name}.log", program.display());
    let out = Command::new(env!("CARGO_BIN_EXE_nguky"))
        .current_dir(place.0.path())
        .args(["match", "--game", "coup", "--tc", "1+0.01", "--games", &number])
        .args(["--record", "games.pgn"])
        .args(["--engine", &spec("Ann"), "--engine", &spec("Bob")])
        .stdin(Stdio::null())
        .output()
        .expect("nguky runs");
    let text = String::from_utf8_lossy(&out.stdout).to_string();
    println!("{text}");
    assert!(
        out.status.success() && text.matches("0 time losses, 0 illegal moves").count() == 2,
        "{text}"
    );
    let all = games(&place.read("games.pgn"));
    all.iter().for_each(|g| replays(g, &CoupRules::default()));
    for name in ["Ann", "Bob"] {
        let log = place.read(&format!("{name}.log"));
        let heard: Vec<&str> = log.lines().filter_map(|l| l.strip_prefix(">> ")).collect();
        heard_its_view_only(&heard.join("\n"), name, &all, "capturer");
    }
}
