//! An engine as a child process, spoken to over pipes in UCI.

use anyhow::{Context, Result, anyhow, bail};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How an engine is started and what it plays with: `cmd=PATH name=N tc=2+0.02 nodes=K option.Hash=16`.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    pub command: Vec<String>,
    pub name: String,
    pub options: Vec<(String, String)>,
    pub pace: Option<Pace>,
}

/// How long a move may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Main time and increment.
    Clock(Duration, Duration),
    MoveTime(Duration),
    Nodes(u64),
    Depth(u32),
}

impl std::fmt::Display for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Clock(main, inc) => write!(f, "{}+{}", main.as_secs_f64(), inc.as_secs_f64()),
            Self::MoveTime(t) => write!(f, "{}/move", t.as_secs_f64()),
            Self::Nodes(n) => write!(f, "{n} nodes"),
            Self::Depth(d) => write!(f, "depth {d}"),
        }
    }
}

impl Pace {
    /// Reads `SECONDS+INCREMENT`.
    pub fn clock(text: &str) -> Result<Self> {
        let (main, inc) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |t: &str| -> Result<Duration> {
            let x: f64 = t
                .parse()
                .with_context(|| format!("time control {text:?}: expected SECONDS+INCREMENT"))?;
            Duration::try_from_secs_f64(x).map_err(|e| anyhow!("time control {text:?}: {e}"))
        };
        Ok(Self::Clock(seconds(main)?, seconds(inc)?))
    }
}

impl Spec {
    /// Reads `key=value` words; a value ends where the next ` key=` starts, so commands may have arguments.
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields: Vec<(String, String)> = Vec::new();
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some((key, value))
                    if ["cmd", "name", "tc", "nodes", "depth", "movetime"].contains(&key)
                        || key.starts_with("option.") =>
                {
                    fields.push((key.into(), value.into()));
                }
                _ => match fields.last_mut() {
                    Some((_, value)) => *value = format!("{value} {word}"),
                    None => bail!("engine {text:?}: expected cmd=PATH [name=N] [tc=2+0.02] [option.X=Y], not {word:?}"),
                },
            }
        }
        let mut spec = Self::default();
        for (key, value) in fields {
            match key.as_str() {
                "cmd" => spec.command = value.split(' ').map(str::to_string).collect(),
                "name" => spec.name = value,
                "tc" => spec.pace = Some(Pace::clock(&value)?),
                "nodes" => spec.pace = Some(Pace::Nodes(value.parse()?)),
                "depth" => spec.pace = Some(Pace::Depth(value.parse()?)),
                "movetime" => spec.pace = Some(Pace::MoveTime(Duration::from_millis(value.parse()?))),
                _ => spec.options.push((key["option.".len()..].into(), value)),
            }
        }
        if spec.command.is_empty() {
            bail!("engine {text:?}: no cmd=PATH");
        }
        if spec.name.is_empty() {
            spec.name = spec.command[0].rsplit('/').next().unwrap_or("engine").to_string();
        }
        Ok(spec)
    }
}

/// What an engine said of its move.
#[derive(Clone, Debug, Default)]
pub struct Thought {
    pub mv: String,
    pub depth: u32,
    pub nodes: u64,
    /// As in `cp 31` or `mate -2`.
    pub score: String,
    pub time: Duration,
}

/// Why an engine did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The process ended.
    Disconnect,
    /// No answer long after its time was over.
    Stall,
}

/// A running engine.
pub struct Player {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

const START: Duration = Duration::from_secs(35);
const PING: Duration = Duration::from_secs(15);

impl Player {
    /// Starts an engine and brings it to `readyok`.
    pub fn start(spec: &Spec) -> Result<Self> {
        let mut child = Command::new(&spec.command[0])
            .args(&spec.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", spec.command.join(" ")))?;
        let (input, output) = (
            child.stdin.take().context("no pipe")?,
            child.stdout.take().context("no pipe")?,
        );
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut bytes = Vec::new();
            while matches!(output.read_until(b'\n', &mut bytes), Ok(n) if n > 0) {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_string();
                bytes.clear();
                if tell.send(line).is_err() {
                    break;
                }
            }
        });
        let mut player = Self { child, input, lines };
        player.say("uci");
        player
            .wait_for("uciok", START)
            .map_err(|f| anyhow!("{}: no uciok ({f:?})", spec.name))?;
        for (name, value) in &spec.options {
            player.say(&format!("setoption name {name} value {value}"));
        }
        player
            .ping()
            .map_err(|f| anyhow!("{}: no readyok ({f:?})", spec.name))?;
        Ok(player)
    }

    /// Sends a line. A closed pipe shows when the answer is missing.
    fn say(&mut self, line: &str) {
        let _ = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
    }

    fn wait_for(&mut self, word: &str, limit: Duration) -> Result<(), Failure> {
        let end = Instant::now() + limit;
        loop {
            if self.next(end)?.split_whitespace().next() == Some(word) {
                return Ok(());
            }
        }
    }

    fn next(&mut self, end: Instant) -> Result<String, Failure> {
        self.lines
            .recv_timeout(end.saturating_duration_since(Instant::now()))
            .map_err(|e| match e {
                RecvTimeoutError::Timeout => Failure::Stall,
                RecvTimeoutError::Disconnected => Failure::Disconnect,
            })
    }

    fn ping(&mut self) -> Result<(), Failure> {
        self.say("isready");
        self.wait_for("readyok", PING)
    }

    /// A new game begins.
    pub fn new_game(&mut self) -> Result<(), Failure> {
        self.say("ucinewgame");
        self.ping()
    }

    /// Asks for a move. `limit` is when an answer is no longer waited for.
    pub fn think(&mut self, position: &str, go: &str, limit: Duration) -> Result<Thought, Failure> {
        self.say(position);
        self.ping()?;
        let start = Instant::now();
        self.say(go);
        let end = start + limit;
        let mut thought = Thought::default();
        loop {
            let line = self.next(end)?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["bestmove", mv, ..] => {
                    thought.time = start.elapsed();
                    thought.mv = (*mv).to_string();
                    return Ok(thought);
                }
                ["bestmove"] => {
                    return Ok(Thought {
                        time: start.elapsed(),
                        ..thought
                    });
                }
                ["info", "string", ..] => {}
                ["info", rest @ ..] => read_info(rest, &mut thought),
                _ => {}
            }
        }
    }
}

fn read_info(words: &[&str], t: &mut Thought) {
    let fields: HashMap<&str, &str> = words.windows(2).map(|w| (w[0], w[1])).collect();
    let Some(at) = words.iter().position(|&w| w == "score") else {
        return;
    };
    if fields.get("multipv").is_some_and(|&n| n != "1") {
        return;
    }
    if let [kind, value, ..] = words[at + 1..] {
        t.score = format!("{kind} {value}");
    }
    let number = |key: &str| fields.get(key).and_then(|v| v.parse().ok()).unwrap_or(0);
    t.depth = number("depth") as u32;
    t.nodes = number("nodes");
}

impl Drop for Player {
    fn drop(&mut self) {
        self.say("quit");
        let end = Instant::now() + Duration::from_millis(500);
        while Instant::now() < end {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read() {
        let s = Spec::parse("cmd=./a --x 1 name=A b tc=2+0.02 option.Hash=16 option.Clear Hash=").expect("a spec");
        assert_eq!(s.command, ["./a", "--x", "1"]);
        assert_eq!(s.name, "A b");
        assert_eq!(
            s.pace,
            Some(Pace::Clock(Duration::from_secs(2), Duration::from_millis(20)))
        );
        assert_eq!(s.options[0], ("Hash".into(), "16".into()));
        for bad in ["", "name=x", "stockfish", "cmd=a tc=x", "cmd=a tc=-1"] {
            assert!(Spec::parse(bad).is_err(), "{bad:?}");
        }
    }
}
