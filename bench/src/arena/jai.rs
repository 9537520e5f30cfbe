//! `nguky match --jai`: JAI, the protocol by which the JieqiBox interface has matches of cờ úp run and watches them.
//!
//! | command | what it does |
//! |---|---|
//! | `jai` | name, options, `jaiok` |
//! | `isready` | `readyok` |
//! | `setoption name N value V` | sets an option for the next match |
//! | `startmatch` | plays; moves, results and the engines' `info depth` lines are sent as they come |
//! | `stop` | gives the match up |
//! | `quit` | the end |

use super::coup::{self, Dealt};
use super::game::{self, Course, MatchRules, Played};
use super::player::{INTERRUPTED, Pace, Player, Spec};
use super::record::RecordHead;
use super::{built_in, today};
use anyhow::{Context, Result, bail};
use nguky::control::{Options, Value};
use nguky::game::{Ending, Position, Rules, Side};
use nguky::games::coup::{Coup, CoupRules, Form};
use nguky::protocol::options::{declare, name_and_value};
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The options, under the names that the first runner of this protocol gave them; then the game's rules.
fn declared() -> Options {
    let mut o = Options::default();
    let spin = |now, min, max| Value::Spin { now, min, max };
    for (name, help) in [
        ("Engine1Path", "the first engine; the engine of the house without one"),
        (
            "Engine1Options",
            "its options: name Threads value 4 name Hash value 256",
        ),
        ("Engine2Path", "the second engine"),
        ("Engine2Options", "its options"),
        ("RecordFile", "games are added to the end of this file"),
    ] {
        o.declare(name, Value::Text(String::new()), help);
    }
    o.declare("TotalRounds", spin(10, 1, 1000), "deals, each played with both colours");
    o.declare("MainTimeMs", spin(1000, 0, 3_600_000), "the clock at the start");
    o.declare("IncTimeMs", spin(10, 0, 60_000), "what each move adds");
    o.declare("TimeoutBufferMs", spin(50, 0, 60_000), "how far a clock may be passed");
    o.declare("Seed", spin(1, 0, i64::from(i32::MAX)), "what the deals are drawn from");
    o.declare_all(CoupRules::options());
    o
}

fn say(line: &str) {
    // A closed output shows as the end of the input.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Whether a match is played; its end is known before it is reported.
static UNDER_WAY: AtomicBool = AtomicBool::new(false);

/// Speaks the protocol until the end of the input.
pub fn run() -> Result<()> {
    let mut options = declared();
    let mut running: Option<JoinHandle<()>> = None;
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let words: Vec<&str> = line.split_whitespace().collect();
        let busy = UNDER_WAY.load(Ordering::Relaxed);
        match words.as_slice() {
            [] => {}
            ["jai"] => {
                say(concat!("id name nguky ", env!("CARGO_PKG_VERSION")));
                say("id author the Nguky developers");
                options.iter().for_each(|o| say(&declare(o)));
                say("jaiok");
            }
            ["isready"] => say("readyok"),
            ["setoption", rest @ ..] => match name_and_value(rest) {
                None => say("info string setoption: expected name NAME value VALUE"),
                Some((name, value)) => {
                    if let Err(why) = options.set(&name, value.as_deref()) {
                        say(&format!("info string {why}"));
                    }
                }
            },
            ["startmatch"] if busy => say("info string a match is under way; stop it first"),
            ["startmatch"] => {
                // The engines of the match before may still be leaving.
                if let Some(former) = running.take() {
                    let _ = former.join();
                }
                let options = options.clone();
                UNDER_WAY.store(true, Ordering::Relaxed);
                running = Some(std::thread::spawn(move || {
                    let last = play(&options).unwrap_or_else(|why| format!("{why:#}"));
                    UNDER_WAY.store(false, Ordering::Relaxed);
                    say(&format!("info string {last}"));
                }));
            }
            ["stop"] => halt(running.take()),
            ["quit"] => break,
            _ => say(&format!(
                "info string unknown command {line:?}; expected jai, isready, setoption, startmatch, stop or quit"
            )),
        }
    }
    halt(running);
    Ok(())
}

/// Ends a match under way.
fn halt(running: Option<JoinHandle<()>>) {
    if let Some(running) = running {
        INTERRUPTED.store(true, Ordering::Relaxed);
        let _ = running.join();
        INTERRUPTED.store(false, Ordering::Relaxed);
    }
}

/// The engine of a number.
fn spec(options: &Options, which: usize) -> Result<Spec> {
    let path = options.text(["Engine1Path", "Engine2Path"][which]).trim();
    let mut spec = match path {
        "" => built_in(Coup::ABOUT, ["Nguky-1", "Nguky-2"][which])?,
        path => Spec {
            command: vec![path.into()],
            // Names are separated by blanks.
            name: Path::new(path)
                .file_name()
                .map_or_else(|| path.into(), |n| n.to_string_lossy().replace(' ', "_")),
            ..Spec::default()
        },
    };
    let text = options.text(["Engine1Options", "Engine2Options"][which]);
    for part in format!(" {text}").split(" name ").skip(1) {
        let (name, value) = part.split_once(" value ").unwrap_or((part, ""));
        spec.options.push((name.trim().into(), value.trim().into()));
    }
    if !text.trim().is_empty() && spec.options.is_empty() {
        bail!(
            "options of engine {}: expected name NAME value VALUE, not {text:?}",
            which + 1
        );
    }
    Ok(spec)
}

/// A game that is reported move by move.
struct Watched(Dealt);

impl Course for Watched {
    fn side(&self) -> Side {
        self.0.side()
    }

    fn ended(&self) -> Option<Ending> {
        self.0.ended()
    }

    fn number(&self) -> usize {
        self.0.number()
    }

    fn cap(&self) -> Option<Duration> {
        self.0.cap()
    }

    fn told(&self, side: usize) -> (&str, &[String]) {
        self.0.told(side)
    }

    fn play(&mut self, text: &str) -> Option<String> {
        self.0.play(text)
    }

    fn took(&mut self, text: &str, time: Duration) {
        say(&format!("info move {text} time {}", time.as_millis()));
    }
}

/// Plays a match; how it ended.
fn play(options: &Options) -> Result<String> {
    let specs = [spec(options, 0)?, spec(options, 1)?];
    let mut rules = CoupRules::default();
    let settings: Vec<(String, String)> = CoupRules::options()
        .iter()
        .filter_map(|r| options.get(r.name))
        .filter(|o| o.value != o.default)
        .map(|o| (o.name.to_string(), o.value.text()))
        .collect();
    for (name, value) in &settings {
        rules.set(name, value)?;
    }
    let ms = |name: &str| Duration::from_millis(options.spin(name).unsigned_abs());
    let pace = Pace::Clock {
        moves: None,
        main: ms("MainTimeMs"),
        increment: ms("IncTimeMs"),
        byoyomi: Duration::ZERO,
    };
    let terms = MatchRules {
        paces: [pace; 2],
        margin: ms("TimeoutBufferMs"),
        patience: Duration::from_secs(10),
        longest: 600,
        resign: None,
        draw: None,
    };
    let start = Coup::parse(Coup::START, &rules)?;
    let games = 2 * options.spin("TotalRounds").unsigned_abs();
    let mut wld = [0u32; 3];
    let mut seats: [Option<Player>; 2] = [None, None];
    say("info string match started");
    for number in 0..games {
        for (seat, spec) in seats.iter_mut().zip(&specs) {
            if seat.is_none() {
                let mut player = coup::start(spec, &settings)?;
                player.echo(say);
                *seat = Some(player);
            }
        }
        let order = if number % 2 == 1 { [1, 0] } else { [0, 1] };
        let deal = Dealt::new(&start, options.spin("Seed").unsigned_abs(), number / 2);
        say(&format!("info game {}/{games}", number + 1));
        say(&format!(
            "info engine {} {}",
            specs[order[0]].name, specs[order[1]].name
        ));
        say(&format!("info fen {}", deal.position().setup_as(Form::Captured)));
        let [Some(a), Some(b)] = &mut seats else {
            bail!("an engine is missing")
        };
        let mut watched = Watched(deal);
        let players = if order == [0, 1] { [a, b] } else { [b, a] };
        let played = game::play(&mut watched, players, &terms, &());
        if !played.unfinished {
            tell(&played, order, &mut wld);
        }
        let file = options.text("RecordFile");
        if !file.is_empty() {
            keep(
                file,
                &watched.0,
                &played,
                number,
                order.map(|i| specs[i].name.as_str()),
                pace,
            )?;
        }
        if played.unfinished {
            return Ok("match stopped".into());
        }
        if played.fault.is_some() {
            seats = [None, None];
        }
    }
    Ok("match over".into())
}

/// Tells a result and the score of the first engine.
fn tell(played: &Played, order: [usize; 2], wld: &mut [u32; 3]) {
    let points = played.points.min(2);
    say(&format!("info string {}", played.reason));
    say(&format!(
        "info result {}",
        ["0-1", "1/2-1/2", "1-0"][usize::from(points)]
    ));
    let own = if order[0] == 0 { points } else { 2 - points };
    wld[match own {
        2 => 0,
        0 => 1,
        _ => 2,
    }] += 1;
    say(&format!("info wld {}-{}-{}", wld[0], wld[1], wld[2]));
}

fn keep(file: &str, deal: &Dealt, played: &Played, number: u64, names: [&str; 2], pace: Pace) -> Result<()> {
    let head = RecordHead {
        event: "nguky match",
        names,
        round: format!("{}.{}", number / 2 + 1, number % 2 + 1),
        time_control: pace.to_string(),
        date: today(),
    };
    let text = coup::record(&head, deal, played);
    let mut to = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .with_context(|| format!("cannot write {file}"))?;
    Ok(to.write_all(text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let mut o = declared();
        o.set("Engine1Path", Some("/x/my engine")).expect("a path");
        o.set(
            "Engine1Options",
            Some("name Threads value 4 name Clear Hash name Hash value 256"),
        )
        .expect("options");
        let s = spec(&o, 0).expect("an engine");
        assert_eq!(
            (s.command, s.name.as_str()),
            (vec!["/x/my engine".to_string()], "my_engine")
        );
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(
            s.options,
            [pair("Threads", "4"), pair("Clear Hash", ""), pair("Hash", "256")]
        );
        o.set("Engine1Options", Some("Threads=4")).expect("a text");
        assert!(spec(&o, 0).is_err());
        assert_eq!(
            declare(o.get("CapturedDark").expect("a rule")),
            "option name CapturedDark type combo default capturer var capturer var both var none"
        );
    }
}
