//! GTP version 2 with the extensions that go programs use, and KataGo's analysis protocol: dialects of the session
//! that drive go's engine.
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
mod search;
mod sgf;

use crate::control::Report;
use crate::game::BadInput;
use crate::mcts::Mcts;
use crate::protocol::session::{Dialect, Flow, InputLine, Session, Urgency};
use clock::Clock;
use commands::Handler;
use search::SearchJob;
use std::time::Instant;

/// What a command answers: text after `=`, or an error after `?`.
type CommandResult = Result<String, BadInput>;

fn bad<T>(text: impl Into<String>) -> Result<T, BadInput> {
    Err(BadInput::new(text))
}

/// A comment by which GoGui ends a search.
const INTERRUPT: [&str; 2] = ["#", "interrupt"];

/// The dialect's state.
pub struct GtpDialect {
    clock: Clock,
    /// Whether the playouts of each move go to the standard error.
    verbose: bool,
    /// Noise at the root while moves are only shown.
    analysis_noise: f32,
    /// The refused position, while the board is not the client's.
    refused: Option<position::RefusedPosition>,
    /// The position of the last search, where that was for a command of GoGui.
    searched: Option<gogui::SearchedPosition>,
    /// The id of the command that is answered.
    id: String,
    /// The running search.
    job: Option<SearchJob>,
    /// What a fault sends in place of the answer that is due.
    on_fault: Option<String>,
}

/// A command after its line was cleaned.
struct Request<'a> {
    id: &'a str,
    name: &'a str,
    args: Vec<&'a str>,
}

/// Drops control characters and comments, as the protocol asks.
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

/// The command of a cleaned line; `None` for a blank one.
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

/// What a fault answers to the command of an id.
fn fault_answer(id: &str) -> String {
    format!("?{id} internal fault: the command was dropped\n")
}

impl GtpDialect {
    /// A dialect without a clock.
    pub fn new(verbose: bool) -> Self {
        Self {
            clock: Clock::default(),
            verbose,
            analysis_noise: params::DEFAULT_ANALYSIS_NOISE,
            refused: None,
            searched: None,
            id: String::new(),
            job: None,
            on_fault: None,
        }
    }

    /// Sends the answer of a command.
    fn answer(&self, answer: CommandResult, s: &mut Session<Mcts>) {
        s.send(&match answer {
            Ok(text) => format!("={} {}\n", self.id, text.trim_end()),
            Err(why) => format!("?{} {}\n", self.id, why.text()),
        });
    }

    fn pondering(&self) -> bool {
        self.job.as_ref().is_some_and(SearchJob::ponders)
    }
}

impl Dialect<Mcts> for GtpDialect {
    fn urgency(&self, line: &InputLine) -> Urgency {
        if line.words == INTERRUPT {
            return Urgency::Search;
        }
        let changes = parse(&clean(line.text))
            .and_then(|request| commands::find(request.name))
            .is_some_and(|command| !matches!(command, Handler::Query(_)));
        // Answers come in the order of the commands.
        if self.pondering() && !changes {
            Urgency::InTurn
        } else {
            Urgency::Idle
        }
    }

    fn act(&mut self, line: &InputLine, s: &mut Session<Mcts>) -> Flow {
        if line.words == INTERRUPT && !self.pondering() {
            s.stop();
        }
        let line = clean(line.text);
        let Some(request) = parse(&line) else {
            return Flow::Continue(());
        };
        self.id = request.id.to_string();
        self.on_fault = Some(fault_answer(request.id));
        let answer = match commands::find(request.name) {
            Some(Handler::Query(query)) => query(self, &s.engine, &request.args).map(Some),
            Some(Handler::Change(change)) => change(self, &mut s.engine, &request.args).map(Some),
            Some(Handler::Search(search)) => search(self, s, &request.args),
            None => bad("unknown command"),
        };
        self.record_position(request.name, answer.is_ok());
        // Where there is none, it comes with the search's end.
        if let Some(answer) = answer.transpose() {
            self.answer(answer, s);
        }
        self.on_fault = None;
        match request.name {
            "quit" => Flow::Break(()),
            _ => Flow::Continue(()),
        }
    }

    fn show(&mut self, report: &Report, s: &mut Session<Mcts>) {
        match report {
            Report::Best { .. } => self.finish(s),
            // GTP has no form for messages.
            Report::Message(text) => crate::protocol::cli::print_error(text),
            Report::Info(_) | Report::Current { .. } => {}
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.job.as_ref().and_then(SearchJob::due)
    }

    fn tick(&mut self, s: &mut Session<Mcts>) {
        if let Some(job) = &mut self.job {
            job.send_line(s);
        }
    }

    fn fault(&mut self, s: &mut Session<Mcts>) {
        if let Some(answer) = self.on_fault.take() {
            s.send(&answer);
        }
    }
}

#[cfg(test)]
mod tests;
