//! An engine as a child process, spoken to over pipes.

pub use super::heard::{EngineDecision, Failure, Thought};
use super::heard::{Introduction, NO_NETWORK, last_words, message, network, of_the_house, refusal};
use super::pipe::Pipe;
use super::protocol::{EngineLine, Orders, Protocol, named};
pub use super::spec::{Pace, Spec};
use super::spec::{Ways, ranks_moved};
use anyhow::{Result, anyhow, bail};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Set by Ctrl-C: games under way are given up, none is begun.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A running engine.
pub struct Player {
    pipe: Pipe,
    words: &'static dyn Protocol,
    ways: Ways,
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
            ways: spec.ways,
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
        let position = match self.ways.ranks_from_one {
            true => {
                let told: Vec<String> = moves.iter().map(|m| ranks_moved(m, 1)).collect();
                self.words.position(setup, &told)
            }
            false => self.words.position(setup, moves),
        };
        self.pipe.say(&position);
        // Setting up is not thinking: the clock starts once the engine is ready.
        if self.words.pings_often() {
            self.ping(&mut Vec::new())?;
        }
        let go = self.words.go(&self.ways.orders(orders));
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
                        thought.mv = match self.ways.ranks_from_one {
                            true => ranks_moved(&mv, -1),
                            false => mv,
                        };
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
