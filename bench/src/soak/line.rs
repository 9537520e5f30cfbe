//! The lines to and from an engine: sent whole or in pieces, waited for with a limit.

use super::{Fault, SoakTally, WrongAnswer};
use crate::arena::built_in;
use crate::arena::pipe::Pipe;
use crate::arena::player::Failure;
use anyhow::Result;
use nguky::register;
use nguky::util::rng::SplitMix;
use std::time::{Duration, Instant};

/// How long an answer may take that no clock limits.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The pipes of one engine.
pub struct EngineLines {
    pipe: Pipe,
    /// USI rather than UCI.
    pub usi: bool,
    /// The last line of the output.
    pub last: String,
}

impl EngineLines {
    /// Starts the built-in engine of a game, which lies beside this program, and greets it.
    pub fn start(game: &str) -> Result<Self> {
        let about = register::find(game)?;
        let mut lines = Self {
            pipe: Pipe::start(&built_in(about, "nguky")?.command, "quit")?,
            usi: about.protocol == "usi",
            last: String::new(),
        };
        if about.protocol != "gtp" {
            let greeted = lines.greet(game);
            greeted.map_err(|f| anyhow::anyhow!("the engine of {game} does not start: {}", f.told))?;
        }
        Ok(lines)
    }

    /// The handshake, and the game of a program that plays several.
    fn greet(&mut self, game: &str) -> Result<(), Fault> {
        let (hello, done) = if self.usi { ("usi", "usiok") } else { ("uci", "uciok") };
        self.pipe.say(hello);
        let mut several = false;
        while self.last != done {
            several |= self.next(PATIENCE)?.1.starts_with("option name UCI_Variant ");
        }
        if several {
            self.pipe.say(&format!("setoption name UCI_Variant value {game}"));
        }
        self.ping()
    }

    /// Sends a line whole.
    pub fn say(&mut self, line: &str) {
        self.pipe.say(line);
    }

    /// Sends a line, sometimes in pieces.
    pub fn send(&mut self, line: &str, rng: &mut SplitMix, tally: &mut SoakTally) {
        if rng.below(4) > 0 {
            return self.pipe.say(line);
        }
        tally.disturbed("line in pieces");
        let text = format!("{line}{}", if rng.below(2) == 0 { "\n" } else { "\r\n" });
        let mut bytes = text.as_bytes();
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(1 + rng.below(bytes.len() as u64) as usize);
            self.pipe.write(piece);
            std::thread::sleep(Duration::from_millis(rng.below(4)));
            bytes = rest;
        }
    }

    /// Sends a line of random bytes, which is no command.
    pub fn noise(&mut self, rng: &mut SplitMix) {
        let mut bytes: Vec<u8> = (0..rng.below(80))
            .map(|_| rng.next() as u8)
            .filter(|b| *b != b'\n')
            .collect();
        bytes.insert(0, b'~');
        bytes.push(b'\n');
        self.pipe.write(&bytes);
    }

    /// The next line.
    pub fn next(&mut self, limit: Duration) -> Result<(Instant, String), Fault> {
        let (at, line) = self
            .pipe
            .next(Instant::now() + limit)
            .map_err(|failure| match failure {
                Failure::Disconnect => {
                    let why = self.pipe.complaint();
                    Fault::new(WrongAnswer::Disconnect, format!("after {:?}: {why}", self.last))
                }
                _ => Fault::new(WrongAnswer::Stall, format!("after {:?}", self.last)),
            })?;
        if line.contains("internal fault") || line.contains("panic") {
            return Err(Fault::new(WrongAnswer::StrangeLine, line));
        }
        self.last.clone_from(&line);
        Ok((at, line))
    }

    /// Waits until everything sent is done. An answer of a search that comes meanwhile is one too many.
    pub fn ping(&mut self) -> Result<(), Fault> {
        self.pipe.say("isready");
        loop {
            let (_, line) = self.next(PATIENCE)?;
            if line == "readyok" {
                return Ok(());
            }
            if line.starts_with("bestmove") {
                return Err(Fault::new(WrongAnswer::ExtraAnswer, line));
            }
        }
    }

    /// Stops the process for a while, as a machine does that sleeps. False where that cannot be done.
    pub fn suspend(&self, time: Duration) -> bool {
        let signal = |name: &str| {
            let kill = std::process::Command::new("kill")
                .args([name, &self.pipe.id().to_string()])
                .status();
            kill.is_ok_and(|status| status.success())
        };
        let stopped = cfg!(unix) && signal("-STOP");
        if stopped {
            std::thread::sleep(time);
            signal("-CONT");
        }
        stopped
    }

    /// The process's resident memory in KiB, where the system tells it.
    pub fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pipe.id())).ok()?;
        let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}
