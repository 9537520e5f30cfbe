//! An engine as a child process, spoken to over pipes.

pub use super::heard::{EngineDecision, Failure, Thought};
use super::heard::{Introduction, NO_NETWORK, last_words, message, network, of_the_house, refusal};
use super::pipe::Pipe;
use super::protocol::{EngineLine, Orders, Protocol, named};
use anyhow::{Context, Result, anyhow, bail};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Set by Ctrl-C: games under way are given up, none is begun.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How an engine is started and what it plays with: `cmd=PATH name=N tc=2+0.02 nodes=K option.Hash=16`.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Name in results and records.
    pub name: String,
    /// Options set after the greeting.
    pub options: Vec<(String, String)>,
    /// Its own pace, where it differs from the match's.
    pub pace: Option<Pace>,
    /// The protocol's name; empty for the first one.
    pub protocol: String,
    /// How long its greeting may take, where it differs from the usual.
    pub start: Option<Duration>,
}

/// How long a move may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// A clock.
    Clock {
        /// Moves per time control; the whole game without.
        moves: Option<u32>,
        /// Time per time control.
        main: Duration,
        /// What each move adds.
        increment: Duration,
        /// What each move may take when the clock is at zero; unused, it is lost.
        byoyomi: Duration,
    },
    /// The same time for each move.
    MoveTime(Duration),
    /// Nodes a move.
    Nodes(u64),
    /// Depth of each search.
    Depth(u32),
    /// The limit of the engine's own command line or options; none is sent.
    Own,
}

impl std::fmt::Display for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Clock {
                moves,
                main,
                increment,
                byoyomi,
            } => {
                if let Some(n) = moves {
                    write!(f, "{n}/")?;
                }
                write!(f, "{}", main.as_secs_f64())?;
                match byoyomi.is_zero() {
                    true => write!(f, "+{}", increment.as_secs_f64()),
                    false => write!(f, "b{}", byoyomi.as_secs_f64()),
                }
            }
            Self::MoveTime(t) => write!(f, "{}/move", t.as_secs_f64()),
            Self::Nodes(n) => write!(f, "{n} nodes"),
            Self::Depth(d) => write!(f, "depth {d}"),
            Self::Own => write!(f, "own limit"),
        }
    }
}

impl Pace {
    /// Reads `[MOVES/]SECONDS[+INCREMENT]` or `[SECONDS]bBYOYOMI`.
    pub fn clock(text: &str) -> Result<Self> {
        let (moves, rest) = match text.split_once('/') {
            Some((n, rest)) => match n.trim().parse() {
                Ok(n) if n > 0 => (Some(n), rest),
                _ => bail!("time control {text:?}: expected a number of moves before the slash"),
            },
            None => (None, text),
        };
        let (main, inc, byoyomi) = match (rest.split_once('+'), rest.split_once('b')) {
            (Some((main, inc)), _) => (main, inc, "0"),
            (None, Some(("", byoyomi))) => ("0", "0", byoyomi),
            (None, Some((main, byoyomi))) => (main, "0", byoyomi),
            (None, None) => (rest, "0", "0"),
        };
        let seconds = |t: &str| -> Result<Duration> {
            let x: f64 = t.trim().parse().with_context(|| {
                format!("time control {text:?}: expected [MOVES/]SECONDS[+INCREMENT] or [SECONDS]bBYOYOMI")
            })?;
            Duration::try_from_secs_f64(x).map_err(|e| anyhow!("time control {text:?}: {e}"))
        };
        Ok(Self::Clock {
            moves,
            main: seconds(main)?,
            increment: seconds(inc)?,
            byoyomi: seconds(byoyomi)?,
        })
    }
}

/// Keys of an engine's description beside `option.NAME`.
const KEYS: [&str; 9] = [
    "cmd", "name", "tc", "nodes", "depth", "movetime", "limit", "proto", "start",
];

impl Spec {
    /// Reads `key=value` words; a value ends where the next ` key=` starts, so commands may have arguments.
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields: Vec<(String, String)> = Vec::new();
        // The beginning of an option's name that has spaces: its `=` is yet to come.
        let mut open: Option<String> = None;
        for word in text.split_whitespace() {
            if let Some(name) = &mut open {
                match word.split_once('=') {
                    Some((end, value)) => fields.push((format!("{name} {end}"), value.into())),
                    None => {
                        *name = format!("{name} {word}");
                        continue;
                    }
                }
                open = None;
                continue;
            }
            match word.split_once('=') {
                Some((key, value)) if KEYS.contains(&key) || key.starts_with("option.") => {
                    fields.push((key.into(), value.into()));
                }
                None if word.starts_with("option.") => open = Some(word.into()),
                _ => match fields.last_mut() {
                    Some((_, value)) => *value = format!("{value} {word}"),
                    None => bail!("engine {text:?}: expected cmd=PATH [name=N] [tc=2+0.02] [option.X=Y], not {word:?}"),
                },
            }
        }
        if let Some(name) = open {
            bail!("engine {text:?}: {name} lacks its =VALUE");
        }
        let mut spec = Self::default();
        for (key, value) in fields {
            let number = || -> Result<u64> {
                let n = value.parse().ok().filter(|&n| n > 0);
                n.with_context(|| format!("engine {text:?}: {key}= expects a whole number above 0, not {value:?}"))
            };
            match key.as_str() {
                "cmd" => spec.command = value.split(' ').map(str::to_string).collect(),
                "name" => spec.name = value,
                "tc" => spec.pace = Some(Pace::clock(&value)?),
                "nodes" => spec.pace = Some(Pace::Nodes(number()?)),
                "depth" => spec.pace = Some(Pace::Depth(u32::try_from(number()?)?)),
                "movetime" => spec.pace = Some(Pace::MoveTime(Duration::from_millis(number()?))),
                "limit" if value == "own" => spec.pace = Some(Pace::Own),
                "limit" => bail!("engine {text:?}: limit= expects own, not {value:?}"),
                "proto" => spec.protocol = value,
                "start" => spec.start = Some(Duration::from_secs(number()?)),
                _ => spec.options.push((key["option.".len()..].to_string(), value)),
            }
        }
        if spec.command.iter().all(|w| w.is_empty()) {
            bail!("engine {text:?}: no cmd=PATH");
        }
        if spec.protocol != "gtp" {
            spec.words()?;
        }
        if spec.name.is_empty() {
            spec.name = spec.command[0].rsplit('/').next().unwrap_or("engine").to_string();
        }
        Ok(spec)
    }

    /// The name of its protocol.
    pub fn protocol(&self) -> &str {
        if self.protocol.is_empty() {
            "uci"
        } else {
            &self.protocol
        }
    }

    /// Its protocol.
    fn words(&self) -> Result<&'static dyn Protocol> {
        named(self.protocol())
    }
}

/// A running engine.
pub struct Player {
    pipe: Pipe,
    words: &'static dyn Protocol,
    name: String,
    /// The options that it declared.
    known: Vec<String>,
    /// Its name, version and network.
    said: Introduction,
    /// Receives the lines of its searches.
    echo: Option<fn(&str)>,
}

/// How long the greeting may take.
pub const START: Duration = Duration::from_secs(35);
/// How long any "are you there?" may take.
const PING: Duration = Duration::from_secs(15);
/// How long the answer to another protocol's greeting is waited for.
const HINT: Duration = Duration::from_secs(1);
/// Lines of one answer that are kept.
const MOST_LINES: usize = 10_000;
/// How long the search may take that shows which network evaluates.
const FIRST_SEARCH: Duration = Duration::from_secs(30);

impl Player {
    /// Starts an engine and waits until it is ready. The options of `first` are set where it has them, before its own: which
    /// game is played decides what those may be. An option that it lacks or refuses is an error.
    pub fn start(spec: &Spec, first: &[(&str, &str)]) -> Result<Self> {
        let words = spec.words()?;
        let mut player = Self {
            pipe: Pipe::start(&spec.command, words.quit())?,
            words,
            name: spec.name.clone(),
            known: Vec::new(),
            said: Introduction::default(),
            echo: None,
        };
        let limit = spec.start.unwrap_or(START);
        let mut lines = Vec::new();
        if let Err(failure) = player.greet(limit, &mut lines) {
            return Err(player.strange(spec, failure, limit, &lines));
        }
        for (name, value) in first {
            player.set_if_known(name, value);
        }
        for (name, value) in &spec.options {
            // An engine passes over an option that it lacks, and the match would measure something else.
            if !words.undeclared(name) && !player.known.iter().any(|k| k.eq_ignore_ascii_case(name)) {
                bail!(
                    "{} has no option {name:?}; it has: {}",
                    spec.name,
                    player.known.join(", ")
                );
            }
            player.pipe.say(&words.option(name, value));
        }
        lines.clear();
        let ready = player.ping(&mut lines);
        player.heed(&lines);
        if let Some(line) = refusal(&lines, &spec.options, !words.pings_often()) {
            bail!("{} refuses an option: {}", spec.name, message(line));
        }
        if let Err(failure) = ready {
            return Err(player.gone(failure, words.ping().1, &lines));
        }
        Ok(player)
    }

    /// The error of an engine that did not greet: what was tried, and what to try.
    fn strange(&mut self, spec: &Spec, failure: Failure, limit: Duration, lines: &[String]) -> anyhow::Error {
        let (hello, answer) = self.words.hello();
        let (name, protocol) = (&spec.name, spec.protocol().to_uppercase());
        match failure {
            Failure::Stall => {}
            _ => {
                return self
                    .gone(failure, answer, lines)
                    .context(format!("spoken to in {protocol}"));
            }
        }
        let other = ["uci", "ucci", "usi", "gtp"]
            .into_iter()
            .filter(|p| *p != spec.protocol());
        let understood = other.clone().find(|p| {
            let (ask, done) = named(p).map_or(("name", "="), |words| words.hello());
            self.pipe.say(ask);
            self.wait_for(done, HINT, &mut Vec::new()).is_ok()
        });
        let advice = match understood {
            Some(p) => format!("it answers in {}: give it proto={p}", p.to_uppercase()),
            None => format!(
                "if it speaks another protocol, name it by proto={}; if it is slow to start, give it start=SECONDS",
                other.collect::<Vec<_>>().join(", proto=")
            ),
        };
        anyhow!(
            "{name} did not answer {hello:?} with {answer:?} within {} s, spoken to in {protocol}; {advice}",
            limit.as_secs()
        )
    }

    /// The error of an engine that did not answer.
    fn gone(&mut self, failure: Failure, awaited: &str, lines: &[String]) -> anyhow::Error {
        let name = &self.name;
        match failure {
            Failure::Interrupted => anyhow!("stopped while {name} was starting"),
            Failure::Stall => anyhow!("{name} did not say {awaited:?} in time"),
            Failure::Disconnect => {
                let why = last_words(lines).unwrap_or_else(|| message(&self.pipe.complaint()));
                let why = if why.is_empty() {
                    "without a word".into()
                } else {
                    format!("saying: {why}")
                };
                anyhow!("{name} ended before it said {awaited:?}, {why}")
            }
        }
    }

    /// The engine's name, version and network. Our own engines are asked for the network by `eval`; others of a protocol where
    /// that is harmless tell it when they begin to search, so that they search `setup` to the first depth.
    pub fn introduce(&mut self, setup: Option<&str>) -> Result<Introduction> {
        let mut lines = Vec::new();
        if of_the_house(&self.said.program) {
            self.pipe.say("eval");
            self.said.network = None;
            let done = self.ping(&mut lines);
            self.heed(&lines);
            if let Err(failure) = done {
                return Err(self.gone(failure, self.words.ping().1, &lines));
            }
            if !lines.is_empty() {
                self.said.network.get_or_insert_with(|| NO_NETWORK.into());
            }
        } else if let Some(setup) = setup.filter(|_| self.words.pings_often()) {
            self.new_game()
                .map_err(|failure| self.gone(failure, self.words.ping().1, &[]))?;
            self.pipe.say(&self.words.position(setup, &[]));
            self.pipe.say("go depth 1");
            let end = Instant::now() + FIRST_SEARCH;
            loop {
                match self.pipe.next(end) {
                    Ok((_, line)) if matches!(self.words.read(&line), EngineLine::Best(_) | EngineLine::Resign) => {
                        break;
                    }
                    Ok((_, line)) if lines.len() < MOST_LINES => lines.push(line),
                    Ok(_) => {}
                    // Some search on; that is for the games to show.
                    Err(Failure::Stall) => {
                        self.pipe.say("stop");
                        break;
                    }
                    Err(failure) => return Err(self.gone(failure, "bestmove", &lines)),
                }
            }
            self.heed(&lines);
        }
        Ok(self.said.clone())
    }

    /// Looks for the engine's name and network in its output.
    fn heed(&mut self, lines: &[String]) {
        for line in lines {
            if let Some(program) = line.strip_prefix("id name ") {
                self.said.program = message(program);
            }
            if self.said.network.is_none() {
                self.said.network = network(line);
            }
        }
    }

    /// Sets an option that the engine has.
    pub fn set(&mut self, name: &str, value: &str) {
        self.pipe.say(&self.words.option(name, value));
    }

    /// Sets an option where the engine has it.
    pub fn set_if_known(&mut self, name: &str, value: &str) {
        if self.known.iter().any(|k| k.eq_ignore_ascii_case(name)) {
            self.set(name, value);
        }
    }

    /// Has every line on how a search stands told on.
    pub fn echo(&mut self, to: fn(&str)) {
        self.echo = Some(to);
    }

    /// Waits for a line that begins with a word; those before it are kept.
    fn wait_for(&mut self, word: &str, limit: Duration, lines: &mut Vec<String>) -> Result<(), Failure> {
        let end = Instant::now() + limit;
        loop {
            let line = self.pipe.next(end)?.1;
            if line.split_whitespace().next() == Some(word) {
                return Ok(());
            }
            if lines.len() < MOST_LINES {
                lines.push(line);
            }
        }
    }

    /// The handshake, which lists the names of the options that the engine declares.
    fn greet(&mut self, limit: Duration, lines: &mut Vec<String>) -> Result<(), Failure> {
        let (hello, answer) = self.words.hello();
        self.pipe.say(hello);
        self.wait_for(answer, limit, lines)?;
        self.known = lines.iter().filter_map(|line| self.words.declared(line)).collect();
        self.heed(lines);
        Ok(())
    }

    /// Waits until the engine is ready; its lines before are kept.
    fn ping(&mut self, lines: &mut Vec<String>) -> Result<(), Failure> {
        let (ask, answer) = self.words.ping();
        self.pipe.say(ask);
        self.wait_for(answer, PING, lines)
    }

    /// A new game begins.
    pub fn new_game(&mut self) -> Result<(), Failure> {
        if self.words.pings_often() {
            self.pipe.say(self.words.new_game());
            return self.ping(&mut Vec::new());
        }
        self.ping(&mut Vec::new())?;
        self.pipe.say(self.words.new_game());
        Ok(())
    }

    /// The game is over; `points` are the engine's, doubled.
    pub fn game_over(&mut self, points: u8) {
        if let Some(line) = self.words.game_over(points) {
            self.pipe.say(line);
        }
    }

    /// Whether the engine can claim a win.
    pub fn claims(&self) -> bool {
        self.words.claims()
    }

    /// Asks for a move. `limit` is when an answer is no longer waited for.
    pub fn think(
        &mut self,
        setup: &str,
        moves: &[String],
        orders: &Orders,
        limit: Duration,
    ) -> Result<Thought, Failure> {
        self.pipe.say(&self.words.position(setup, moves));
        // Setting up is not thinking: the clock starts once the engine is ready.
        if self.words.pings_often() {
            self.ping(&mut Vec::new())?;
        }
        let go = self.words.go(orders);
        let start = Instant::now();
        self.pipe.say(&go);
        let mut thought = Thought::default();
        loop {
            let (at, line) = self.pipe.next(start + limit)?;
            if let Some(echo) = self.echo.filter(|_| line.starts_with("info depth ")) {
                echo(&line);
            }
            let said = self.words.read(&line);
            thought.decision = match said {
                EngineLine::Resign => EngineDecision::Resign,
                EngineLine::Claim => EngineDecision::Claim,
                _ => EngineDecision::Move,
            };
            match said {
                EngineLine::Best(_) | EngineLine::Resign | EngineLine::Claim => {
                    thought.time = at.saturating_duration_since(start);
                    if let EngineLine::Best(mv) = said {
                        thought.mv = mv;
                    }
                    return Ok(thought);
                }
                EngineLine::Info { depth, nodes, score } => {
                    thought.nodes = nodes.unwrap_or(thought.nodes);
                    if score.is_some() {
                        thought.score = score;
                        thought.depth = depth.unwrap_or(thought.depth);
                    }
                }
                EngineLine::Other => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read() {
        let s = Spec::parse("cmd=./a --x 1 name=A b tc=2+0.02 option.UCI_Elo=1500 option.Clear Hash= proto=uci")
            .expect("a spec");
        assert_eq!(s.command, ["./a", "--x", "1"]);
        assert_eq!(s.name, "A b");
        let clock = |moves, main, inc| Pace::Clock {
            moves,
            main: Duration::from_millis(main),
            increment: Duration::from_millis(inc),
            byoyomi: Duration::ZERO,
        };
        assert_eq!(s.pace, Some(clock(None, 2000, 20)));
        assert_eq!(
            s.options,
            [("UCI_Elo".into(), "1500".into()), ("Clear Hash".into(), String::new())]
        );
        assert_eq!(Pace::clock("40/60+0.5").expect("a clock"), clock(Some(40), 60_000, 500));
        assert_eq!(Pace::clock("5").expect("a clock").to_string(), "5+0");
        for (text, main, byoyomi) in [("10b1", 10_000, 1000), ("b0.1", 0, 100), ("0b0.5", 0, 500)] {
            let Pace::Clock {
                main: m, byoyomi: b, ..
            } = Pace::clock(text).expect("a clock")
            else {
                panic!("{text}")
            };
            assert_eq!((m.as_millis(), b.as_millis()), (main, byoyomi), "{text}");
        }
        assert_eq!(Pace::clock("10b1").expect("a clock").to_string(), "10b1");
        let bad = [
            "",
            "name=x",
            "stockfish",
            "cmd=a tc=x",
            "cmd=a tc=-1",
            "cmd=a nodes=0",
            "cmd=a proto=x",
            "cmd=a tc=0/1",
            "cmd=a option.Hash",
            "cmd=a limit=5",
            "cmd=a start=0",
        ];
        for text in bad {
            assert!(Spec::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let spec = Spec::parse("cmd=/nonexistent/engine").expect("a spec");
        assert!(Player::start(&spec, &[]).is_err());
    }

    /// Which game is played is said before what is an option of that game, such as its network.
    #[test]
    #[cfg(unix)]
    fn the_game_is_chosen_before_its_options() {
        let dir = std::env::temp_dir().join(format!("nguky-player-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let script = r#"while read -r line; do
            echo "$line" >> "$0.heard"
            case "$line" in
                ucci) echo "option variant type combo var xiangqi var jieqi"; echo "option evalfile type string"; echo ucciok;;
                isready) echo readyok;;
                quit) echo bye; exit;;
            esac
        done"#;
        let path = dir.join("engine.sh");
        std::fs::write(&path, script).expect("written");
        let text = format!("cmd=/bin/sh {} proto=ucci option.evalfile=a.nnue", path.display());
        let spec = Spec::parse(&text).expect("a spec");
        let player = Player::start(&spec, &[("variant", "jieqi"), ("UCI_Variant", "jieqi")]).expect("started");
        drop(player);
        let heard = std::fs::read_to_string(dir.join("engine.sh.heard")).expect("heard");
        let settings: Vec<&str> = heard.lines().filter(|l| l.starts_with("setoption")).collect();
        assert_eq!(settings, ["setoption variant jieqi", "setoption evalfile a.nnue"]);
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
