//! Episodes of the games of the alpha-beta search, over UCI and USI.

use super::line::{EngineLines, PATIENCE};
use super::{Fault, SoakTally, WrongAnswer};
use nguky::game::{Position, Side, random};
use nguky::util::rng::SplitMix;
use std::time::{Duration, Instant};

/// Plies of a game.
const LONGEST: usize = 160;
/// A clock at the start of a game, and what each move adds.
const CLOCK: Duration = Duration::from_millis(1_500);
const INCREMENT: Duration = Duration::from_millis(10);

/// How a search is asked for, and how it ends.
struct Query {
    /// The line that begins it.
    go: String,
    /// What ends it, and after how long: `stop` or `ponderhit`.
    end: Option<(&'static str, Duration)>,
    /// The time that the mover has, where the clock limits the search.
    time: Option<Duration>,
}

/// The game as the engine was told of it.
struct Line<P> {
    position: P,
    setup: String,
    moves: Vec<String>,
}

impl<P: Position> Line<P> {
    fn new() -> Self {
        Self {
            position: P::parse(P::START, &P::Rules::default()).expect("the game's start"),
            setup: P::START.to_string(),
            moves: Vec::new(),
        }
    }

    fn told(&self, usi: bool) -> String {
        let form = if usi { "sfen" } else { "fen" };
        let moves = if self.moves.is_empty() { "" } else { " moves " };
        format!("position {form} {}{moves}{}", self.setup, self.moves.join(" "))
    }

    /// Plays a legal move; what it turns up is drawn.
    fn play(&mut self, m: P::Move, rng: &mut SplitMix) {
        self.moves.push(self.position.move_text(m));
        random::step(&mut self.position, m, rng);
        // What was turned up is not in a move's text: the setup has it.
        if P::CHANCE {
            self.setup = self.position.setup();
            self.moves.clear();
        }
    }
}

/// Plays a game, of the engine against itself.
pub fn episode<P: Position>(
    lines: &mut EngineLines,
    rng: &mut SplitMix,
    margin: Duration,
    tally: &mut SoakTally,
) -> Result<(), Fault> {
    let mut line = Line::<P>::new();
    let mut clocks = [CLOCK; 2];
    lines.say(if lines.usi { "usinewgame" } else { "ucinewgame" });
    lines.ping()?;
    for _ in 0..LONGEST {
        if line.position.ended().is_some() {
            break;
        }
        disturb(lines, rng, tally)?;
        let told = line.told(lines.usi);
        lines.send(&told, rng, tally);
        let side = line.position.side();
        let query = query(lines.usi, side, &mut clocks, rng);
        let (answer, used) = search(lines, &query, rng, tally)?;
        tally.searches += 1;
        // A search that was pondering, or suspended, has no clock of its own.
        if let (Some(time), Some(used)) = (query.time, used) {
            if used > time + margin {
                let told = format!(
                    "{} ms used of {} after {}",
                    used.as_millis(),
                    time.as_millis(),
                    query.go
                );
                return Err(Fault::new(WrongAnswer::TimeLoss, told));
            }
            clocks[side.index()] = (time + INCREMENT).saturating_sub(used);
        }
        if answer == "resign" || answer == "win" && line.position.may_claim() {
            break;
        }
        let m = line.position.parse_move(&answer).map_err(|why| {
            let told = format!("{answer:?} after {:?}, {}: {why}", query.go, line.told(lines.usi));
            Fault::new(WrongAnswer::IllegalMove, told)
        })?;
        line.play(m, rng);
        if rng.below(8) == 0 {
            lines.ping()?;
        }
    }
    lines.ping()
}

/// What comes between two searches.
fn disturb(lines: &mut EngineLines, rng: &mut SplitMix, tally: &mut SoakTally) -> Result<(), Fault> {
    let name = match rng.below(40) {
        0..3 => {
            let hash = if lines.usi { "USI_Hash" } else { "Hash" };
            lines.say(&format!("setoption name {hash} value {}", 1 + rng.below(32)));
            "table resized"
        }
        3..5 => {
            lines.say(&format!("setoption name Threads value {}", 1 + rng.below(3)));
            "threads"
        }
        5..7 => {
            lines.say(&format!("setoption name MultiPV value {}", 1 + rng.below(4)));
            "lines of analysis"
        }
        7..10 => {
            lines.noise(rng);
            "noise"
        }
        10 => {
            lines.say(if lines.usi { "usinewgame" } else { "ucinewgame" });
            "new game"
        }
        11 => {
            lines.say("stop");
            lines.say("ponderhit");
            "stop without a search"
        }
        12 => {
            lines.say("position startpos moves a1a1");
            "bad position"
        }
        13 => {
            lines.say("setoption name Hash value x");
            "bad option"
        }
        14..16 => {
            std::thread::sleep(Duration::from_millis(rng.below(30)));
            "delay"
        }
        _ => return Ok(()),
    };
    tally.disturbed(name);
    if rng.below(2) == 0 { lines.ping() } else { Ok(()) }
}

/// One of the ways to ask for a move.
fn query(usi: bool, side: Side, clocks: &mut [Duration; 2], rng: &mut SplitMix) -> Query {
    let names = if usi {
        ["btime", "wtime", "binc", "winc"]
    } else {
        ["wtime", "btime", "winc", "binc"]
    };
    let clock = |clocks: &[Duration; 2]| {
        let [first, second, own, other] = names;
        let ms = clocks.map(|c| c.as_millis());
        let add = INCREMENT.as_millis();
        format!("{first} {} {second} {} {own} {add} {other} {add}", ms[0], ms[1])
    };
    let soon = Duration::from_millis(rng.below(30));
    let mut query = Query {
        go: String::new(),
        end: None,
        time: None,
    };
    match rng.below(8) {
        0 => query.go = format!("go nodes {}", 1 + rng.below(3_000)),
        1 => {
            let ms = 1 + rng.below(30);
            query.go = format!("go movetime {ms}");
            query.time = Some(Duration::from_millis(ms));
        }
        2 => query.go = format!("go depth {}", 1 + rng.below(6)),
        3 => {
            query.go = "go infinite".into();
            query.end = Some(("stop", soon));
        }
        4 => {
            query.go = format!("go ponder {}", clock(clocks));
            query.end = Some(("stop", soon));
        }
        5 => {
            query.go = format!("go ponder {}", clock(clocks));
            query.end = Some(("ponderhit", soon));
        }
        _ => {
            if clocks[side.index()] < Duration::from_millis(60) {
                *clocks = [CLOCK; 2];
            }
            query.go = format!("go {}", clock(clocks));
            query.time = Some(clocks[side.index()]);
        }
    }
    query
}

/// Asks for a move, disturbs the search, and waits for its one answer; with it the time that it took, unless the disturbance
/// took some.
fn search(
    lines: &mut EngineLines,
    query: &Query,
    rng: &mut SplitMix,
    tally: &mut SoakTally,
) -> Result<(String, Option<Duration>), Fault> {
    lines.say(&query.go);
    let start = Instant::now();
    let (mut pings, mut suspended) = (0, false);
    match rng.below(24) {
        0..4 if !lines.usi => {
            tally.disturbed("ping in a search");
            lines.say("isready");
            pings = 1;
        }
        4 => {
            let time = Duration::from_millis(20 + rng.below(100));
            suspended = lines.suspend(time);
            tally.disturbed("suspension");
        }
        5 => {
            lines.noise(rng);
            tally.disturbed("noise in a search");
        }
        _ => {}
    }
    if let Some((end, after)) = query.end {
        std::thread::sleep(after);
        lines.send(end, rng, tally);
    } else if rng.below(12) == 0 {
        tally.disturbed("stop of a finite search");
        std::thread::sleep(Duration::from_millis(rng.below(10)));
        lines.say("stop");
    }
    let mut best = None;
    while best.is_none() || pings > 0 {
        let (at, line) = lines.next(PATIENCE)?;
        let mut words = line.split_whitespace();
        match words.next() {
            Some("bestmove") if best.is_some() => return Err(Fault::new(WrongAnswer::ExtraAnswer, line)),
            Some("bestmove") => best = Some((words.next().unwrap_or_default().to_string(), at)),
            Some("readyok") if pings > 0 => pings -= 1,
            Some("readyok") => return Err(Fault::new(WrongAnswer::ExtraAnswer, line)),
            _ => {}
        }
    }
    let (answer, at) = best.unwrap_or_else(|| (String::new(), start));
    let used = at.saturating_duration_since(start);
    Ok((answer, (!suspended).then_some(used)))
}
