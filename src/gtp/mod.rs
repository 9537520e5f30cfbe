//! GTP version 2 with the extensions that go programs use: one thread reads lines, one owns the engine and answers.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod analysis;
mod analyze;
pub mod cli;
mod clock;
mod commands;
mod gogui;
mod params;
mod position;
mod rules;
mod sgf;

use crate::control::{Choice, Engine, Limits, Report, Sink};
use crate::game::{BadInput, Side};
use crate::games::go::{Game, Point, coords};
use crate::mcts::Mcts;
use crate::protocol::lines::next_line;
use clock::Clock;
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

/// What a command answers: text after `=`, or an error after `?`.
type Answer = Result<String, BadInput>;

/// The words after a command's name.
type Args<'a> = [&'a str];

fn bad<T>(text: impl Into<String>) -> Result<T, BadInput> {
    Err(BadInput::new(text))
}

/// A comment by which GoGui ends a search.
const INTERRUPT: &str = "# interrupt";
/// Time between two looks for it.
const GLANCE: Duration = Duration::from_millis(50);

/// One GTP conversation.
pub struct Gtp {
    engine: Mcts,
    clock: Clock,
    out: Box<dyn Write>,
    lines: Receiver<String>,
    waiting: VecDeque<String>,
    quit: bool,
    verbose: bool,
    /// Noise at the root while moves are only shown.
    analysis_noise: f32,
    /// A position that the client meant and that was refused.
    refused: Option<position::Refused>,
    /// What the last search of an analysis command of GoGui looked at.
    looked: Option<gogui::Looked>,
}

/// A command after its line was cleaned.
struct Request<'a> {
    id: &'a str,
    name: &'a str,
    args: Vec<&'a str>,
}

/// Drops control characters and comments, as the protocol asks; a blank line is nothing.
fn clean(line: &str) -> String {
    let line = line.split('#').next().unwrap_or("");
    line.chars()
        .filter_map(|c| match c {
            '\t' => Some(' '),
            c if c.is_control() => None,
            c => Some(c),
        })
        .collect()
}

fn parse(line: &str) -> Option<Request<'_>> {
    let mut words = line.split_whitespace().peekable();
    let number = |w: &&str| w.bytes().all(|b| b.is_ascii_digit());
    let id = words.next_if(number).unwrap_or("");
    let name = words.next().unwrap_or("");
    if id.is_empty() && name.is_empty() {
        return None;
    }
    Some(Request {
        id,
        name,
        args: words.collect(),
    })
}

/// Serves lines of `input` until it ends or says quit. `commands` are answered first.
pub fn serve(
    engine: Mcts,
    input: impl BufRead + Send + 'static,
    out: Box<dyn Write>,
    commands: Vec<String>,
    verbose: bool,
) {
    let (send, lines): (Sender<String>, _) = channel();
    std::thread::spawn(move || {
        let mut input = input;
        while let Some(line) = next_line(&mut input) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let mut gtp = Gtp {
        engine,
        clock: Clock::default(),
        out,
        lines,
        waiting: commands.into(),
        quit: false,
        verbose,
        analysis_noise: params::DEFAULT_ANALYSIS_NOISE,
        refused: None,
        looked: None,
    };
    gtp.run();
}

impl Gtp {
    fn run(&mut self) {
        while !self.quit {
            let line = match self.waiting.pop_front() {
                Some(line) => line,
                None => match self.lines.recv() {
                    Ok(line) => line,
                    Err(_) => break,
                },
            };
            self.line(&line);
        }
        self.engine.stop();
        self.engine.wait();
    }

    fn line(&mut self, line: &str) {
        let line = clean(line);
        let Some(request) = parse(&line) else { return };
        if analyze::is_stream(request.name) {
            self.stream(&request);
            return;
        }
        let answer = match commands::find(request.name) {
            Some(command) => command(self, &request.args),
            None => bad("unknown command"),
        };
        self.note(request.name, answer.is_ok());
        match answer {
            Ok(text) => self.say(&format!("={} {}\n\n", request.id, text.trim_end())),
            Err(why) => self.say(&format!("?{} {}\n\n", request.id, why.text())),
        }
    }

    fn say(&mut self, text: &str) {
        // A reader that went away is no reason to fail; the input ends soon as well.
        if self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush())
            .is_err()
        {
            self.quit = true;
        }
    }

    fn game(&self) -> &Game {
        self.engine.game()
    }

    /// Starts a search for a side; its end comes through the channel.
    fn start(&mut self, side: Side, mut limits: Limits) -> Result<Receiver<Choice>, BadInput> {
        self.looked = None;
        if self.game().side() != side {
            let mut game = self.game().clone();
            game.set_side(side);
            self.engine.set_game(game);
        }
        limits.start = Instant::now();
        let (tell, answer) = channel();
        let tell = std::sync::Mutex::new(tell);
        let sink: Sink = Arc::new(move |report| {
            if let Report::Best { choice, .. } = report
                && let Ok(tell) = tell.lock()
            {
                let _ = tell.send(choice);
            }
        });
        self.engine.go(limits, sink)?;
        Ok(answer)
    }

    /// The end of a search, and `each` now and then before it; GoGui's interrupt brings it at once.
    fn found(
        &mut self,
        answer: &Receiver<Choice>,
        interval: Duration,
        each: &mut dyn FnMut(&mut Self),
    ) -> Option<Choice> {
        let mut told = Instant::now();
        loop {
            match answer.recv_timeout(interval.min(GLANCE)) {
                Ok(choice) => return Some(choice),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.gather();
            if let Some(at) = self.waiting.iter().position(|line| line.trim() == INTERRUPT) {
                self.waiting.remove(at);
                self.engine.stop();
            }
            if told.elapsed() >= interval {
                told = Instant::now();
                each(self);
            }
        }
    }

    /// Searches by the clock and answers, telling `each` now and then while it thinks.
    fn think(&mut self, side: Side, limits: Limits, interval: Duration, each: &mut dyn FnMut(&mut Self)) -> Answer {
        let start = Instant::now();
        let answer = self.start(side, limits)?;
        let Some(choice) = self.found(&answer, interval, each) else {
            return bad("the search failed");
        };
        self.engine.wait();
        self.clock.spend(side, start.elapsed());
        if self.verbose {
            // Nobody may be listening.
            let _ = writeln!(std::io::stderr(), "playouts {}", self.engine.playouts());
        }
        Ok(match choice {
            Choice::Move(text) => text,
            Choice::Resign => "resign".into(),
            _ => "pass".into(),
        })
    }

    /// Searches, plays what was found and answers with it.
    fn genmove(&mut self, side: Side, interval: Duration, each: &mut dyn FnMut(&mut Self)) -> Answer {
        self.is_known()?;
        let limits = self.clock.limits(side);
        let text = self.think(side, limits, interval, each)?;
        if text != "resign" {
            let p = coords::parse(self.game().board(), &text)?;
            self.engine.play(p, side)?;
        }
        Ok(text)
    }

    /// Thinks on the opponent's time until the next command that needs the engine, where the option has it so.
    fn ponder(&mut self) {
        if self.engine.options().check("Ponder") && self.game().ended().is_none() {
            let limits = Limits {
                infinite: true,
                ..Limits::default()
            };
            // Nobody waits for the answer, and a search that cannot start is none the next move needs.
            let _ = self.start(self.game().side(), limits);
        }
    }

    fn point(&self, text: &str) -> Result<Point, BadInput> {
        coords::parse(self.game().board(), text)
    }

    /// Whether a line came in; it is kept for later.
    fn interrupted(&mut self, wait: Duration) -> bool {
        if !self.waiting.is_empty() {
            return true;
        }
        match self.lines.recv_timeout(wait) {
            Ok(line) => {
                self.waiting.push_back(line);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                self.quit = true;
                true
            }
        }
    }

    /// Takes lines that came in meanwhile without waiting.
    fn gather(&mut self) {
        loop {
            match self.lines.try_recv() {
                Ok(line) => self.waiting.push_back(line),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests;
