//! The event loop: one thread that owns the engine and does all the printing, fed by a thread that reads lines.
//!
//! A search never blocks it. Words that must act at once ([`Urgency::Now`]) do; the others wait for a finite search to
//! end and stop an endless one.

use super::lines::next_line;
use crate::control::{Report, Sink};
use crate::engine::Engine;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Whether a line may act while a search runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Urgency {
    /// At once.
    Now,
    /// When the search has ended.
    Idle,
}

/// What a line leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The next line.
    Next,
    /// The end.
    Quit,
}

/// A protocol: lines into engine calls, reports into lines.
pub trait Dialect {
    /// Whether a line may act while a search runs.
    fn urgency(&self, line: &str) -> Urgency;
    /// Acts on a line.
    fn act(&mut self, line: &str, session: &mut Session) -> Flow;
    /// Writes a report.
    fn show(&mut self, report: &Report, session: &mut Session);
}

enum Event {
    Line(String),
    End,
    Report(Report),
}

/// What a dialect works with: the engine, the output, the state of the search.
pub struct Session {
    /// The engine.
    pub engine: Box<dyn Engine>,
    out: Box<dyn Write>,
    closed: bool,
    log: Option<File>,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    searching: bool,
    endless: bool,
    pending: VecDeque<String>,
}

impl Session {
    /// A session of an engine that writes to `out`.
    pub fn new(engine: Box<dyn Engine>, out: Box<dyn Write>) -> Self {
        let (events, inbox) = channel();
        Self {
            engine,
            out,
            closed: false,
            log: None,
            events,
            inbox,
            searching: false,
            endless: false,
            pending: VecDeque::new(),
        }
    }

    /// Writes a line and flushes it. A closed output ends the session quietly.
    pub fn say(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "<< {line}");
        }
        if writeln!(self.out, "{line}").and_then(|()| self.out.flush()).is_err() {
            self.closed = true;
        }
    }

    /// Writes all lines to a file from now on, or no longer. The error names the file.
    pub fn log_to(&mut self, path: &str) -> Result<(), String> {
        self.log = if path.is_empty() {
            None
        } else {
            let file = File::options().create(true).append(true).open(path);
            Some(file.map_err(|e| format!("cannot write {path:?}: {e}"))?)
        };
        Ok(())
    }

    /// Where a search reports to.
    pub fn sink(&self) -> Sink {
        let events = self.events.clone();
        // A closed channel means that the session is over and nobody listens.
        Arc::new(move |report| drop(events.send(Event::Report(report))))
    }

    /// A search was started; `endless` when it waits for a stop.
    pub fn started(&mut self, endless: bool) {
        (self.searching, self.endless) = (true, endless);
    }

    /// Whether a search runs.
    pub fn searching(&self) -> bool {
        self.searching
    }

    /// The running search ends by itself from now on (a ponder hit).
    pub fn set_endless(&mut self, endless: bool) {
        self.endless = endless;
    }

    /// Runs until told to quit, the input's end or a closed output.
    pub fn run(&mut self, dialect: &mut dyn Dialect, first: Vec<String>, input: impl BufRead + Send + 'static) {
        let events = self.events.clone();
        std::thread::spawn(move || {
            let mut input = input;
            for line in first {
                let _ = events.send(Event::Line(line));
            }
            while let Some(line) = next_line(&mut input) {
                if events.send(Event::Line(line)).is_err() {
                    return;
                }
            }
            let _ = events.send(Event::End);
        });
        let mut ended = false;
        while !self.closed && (!ended || self.searching || !self.pending.is_empty()) {
            let Ok(event) = self.inbox.recv() else { break };
            match event {
                Event::Line(line) => {
                    if self.take(dialect, line) == Flow::Quit {
                        break;
                    }
                }
                Event::End => ended = true,
                Event::Report(report) => {
                    let last = matches!(report, Report::Best { .. });
                    dialect.show(&report, self);
                    if last {
                        self.searching = false;
                        if self.drain(dialect) == Flow::Quit {
                            break;
                        }
                    }
                }
            }
            // Nobody is left to stop it.
            if ended && self.searching && self.endless {
                self.engine.stop();
            }
        }
        self.engine.stop();
        self.engine.wait();
    }

    /// A line arrives: act on it, or keep it until the search has ended.
    fn take(&mut self, dialect: &mut dyn Dialect, line: String) -> Flow {
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, ">> {line}");
        }
        if !self.searching || dialect.urgency(&line) == Urgency::Now {
            return dialect.act(&line, self);
        }
        if self.endless {
            self.engine.stop();
        }
        self.pending.push_back(line);
        Flow::Next
    }

    /// The search has ended: the lines that waited.
    fn drain(&mut self, dialect: &mut dyn Dialect) -> Flow {
        while !self.searching {
            let Some(line) = self.pending.pop_front() else { break };
            if dialect.act(&line, self) == Flow::Quit {
                return Flow::Quit;
            }
        }
        if self.searching && self.endless && !self.pending.is_empty() {
            self.engine.stop();
        }
        Flow::Next
    }
}
