//! The event loop: one thread that owns the engine and does all the printing, fed by a thread that reads lines.
//!
//! A search never blocks it. A line that comes while a search runs acts by its [`Urgency`]:
//!
//! | urgency | during a finite search | during an endless one (infinite, ponder) |
//! |---|---|---|
//! | `Now` | at once | at once |
//! | `Search` | at once, and in its turn on the searches that wait | the same |
//! | `Idle` | after the search's answer | stops it, then after its answer |
//!
//! A line of the command line waits for a finite search before it, whatever its urgency.
//!
//! At the input's end a finite search is finished and answered, an endless one stopped and answered.

use super::lines::next_line;
use crate::control::{Engine, Limits, Report, Sink};
use crate::game::BadInput;
use crate::util::files;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// When a line acts while a search runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Urgency {
    /// At once.
    Now,
    /// At once on the running search, and on every search asked for before it that still waits.
    Search,
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
    /// When a line acts while a search runs.
    fn urgency(&self, line: &str) -> Urgency;
    /// Acts on a line.
    fn act(&mut self, line: &str, session: &mut Session) -> Flow;
    /// Writes a report.
    fn show(&mut self, report: &Report, session: &mut Session);
    /// Tells the user of a fault inside the engine.
    fn fault(&mut self, session: &mut Session) {
        let _ = session;
    }
    /// The last word after a quit, behind the answer of a search that it cut off.
    fn farewell(&mut self, session: &mut Session) {
        let _ = session;
    }
}

enum Event {
    Line(String),
    End,
    Report(Report),
    /// The answer of a search that was declined.
    Declined(String),
    /// A line of a lent engine's work.
    Say(String),
    /// The engine that was lent is back.
    Back,
}

/// Where lines go: the output and, if wanted, a log.
struct Output {
    out: Box<dyn Write>,
    closed: bool,
    log: Option<File>,
}

impl Output {
    fn say(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "<< {line}");
        }
        // One write for the line and its end: a client never sees half a line.
        let text = format!("{line}\n");
        if self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush())
            .is_err()
        {
            self.closed = true;
        }
    }

    fn heard(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, ">> {line}");
        }
    }
}

/// The running search, as far as the loop needs to know.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Running {
    search: bool,
    infinite: bool,
    ponder: bool,
}

impl Running {
    fn endless(self) -> bool {
        self.search && (self.infinite || self.ponder)
    }
}

/// What a dialect works with: the engine, the output, the state of the search.
pub struct Session {
    /// The engine.
    pub engine: Box<dyn Engine>,
    output: Output,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    running: Running,
    pending: VecDeque<String>,
    ended: bool,
    /// Whether the lines come from the command line: each waits for a finite search before it.
    script: bool,
    /// Whether the last position was refused.
    refused: bool,
    /// The answer of a declined search that waits for its stop or ponder hit.
    held: Option<String>,
}

impl Session {
    /// A session of an engine that writes to `out`.
    pub fn new(engine: Box<dyn Engine>, out: Box<dyn Write>) -> Self {
        let (events, inbox) = channel();
        Self {
            engine,
            output: Output {
                out,
                closed: false,
                log: None,
            },
            events,
            inbox,
            running: Running::default(),
            pending: VecDeque::new(),
            ended: false,
            script: false,
            refused: false,
            held: None,
        }
    }

    /// Writes a line and flushes it. A closed output ends the session quietly.
    pub fn say(&mut self, line: &str) {
        self.output.say(line);
    }

    /// Writes all lines to a regular file from now on, or (empty path) no longer. On an error the former file stays.
    pub fn log_to(&mut self, path: &str) -> Result<(), String> {
        self.output.log = if path.is_empty() {
            None
        } else {
            Some(files::append(path)?)
        };
        Ok(())
    }

    /// Where a search reports to.
    pub fn sink(&self) -> Sink {
        let events = self.events.clone();
        // A closed channel means that the session is over and nobody listens.
        Arc::new(move |report| drop(events.send(Event::Report(report))))
    }

    /// A search was started: one that waits for a stop (`infinite`), or for a ponder hit or a stop (`ponder`).
    pub fn started(&mut self, infinite: bool, ponder: bool) {
        self.running = Running {
            search: true,
            infinite,
            ponder,
        };
    }

    /// Whether a search runs.
    pub fn searching(&self) -> bool {
        self.running.search
    }

    /// Notes whether the last position was accepted. After a refused one there is none: a move on another board than the
    /// client's would be worse than no move.
    pub fn note_position(&mut self, accepted: bool) {
        self.refused = !accepted;
    }

    /// An error where the last position was refused.
    pub fn need_position(&self) -> Result<(), BadInput> {
        match self.refused {
            true => Err(BadInput::new("no position: the last one was refused")),
            false => Ok(()),
        }
    }

    /// A new game begins. After a refused position it has the game's start.
    pub fn new_game(&mut self) {
        self.engine.new_game();
        if self.refused {
            self.refused = self.engine.position(None, &[]).is_err();
        }
    }

    /// Answers a search that cannot be begun: at once or, where the client gives the word for the answer (infinite, ponder),
    /// after that word.
    pub fn decline(&mut self, answer: &str, infinite: bool, ponder: bool) {
        if infinite || ponder {
            self.started(infinite, ponder);
            self.held = Some(answer.into());
        } else {
            self.say(answer);
        }
    }

    fn release(&mut self) {
        if let Some(answer) = self.held.take() {
            // The session itself holds the other end.
            let _ = self.events.send(Event::Declined(answer));
        }
    }

    /// Ends the running search; nothing when none runs, so that no stop can reach a later one.
    pub fn stop(&mut self) {
        if !self.running.search {
            return;
        }
        match self.held {
            Some(_) => self.release(),
            None => self.engine.stop(),
        }
    }

    /// The opponent played the move pondered on; nothing when no search ponders.
    pub fn ponderhit(&mut self) {
        if self.running.search && self.running.ponder {
            self.running.ponder = false;
            match self.held {
                None => self.engine.ponderhit(),
                Some(_) if self.running.infinite => {}
                Some(_) => self.release(),
            }
        }
    }

    /// A ponder hit that brings the time for the move.
    pub fn ponderhit_with(&mut self, limits: &Limits) {
        if self.running.search && self.running.ponder {
            self.running.ponder = false;
            match self.held {
                None => self.engine.ponderhit_with(limits),
                Some(_) => self.release(),
            }
        }
    }

    /// Runs until told to quit, the input's end or a closed output. `first` are lines from the command line, which come
    /// before the input's: each of them, `quit` too, waits for a finite search before it.
    pub fn run(&mut self, dialect: &mut dyn Dialect, first: Vec<String>, input: impl BufRead + Send + 'static) {
        self.script = !first.is_empty();
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
        let mut quit = false;
        while !self.output.closed && (!self.ended || self.running.search || !self.pending.is_empty()) {
            // Nobody is left to stop it.
            if self.ended && self.running.endless() {
                self.stop();
            }
            let Ok(event) = self.inbox.recv() else { break };
            quit = self.handle(dialect, event) == Flow::Quit;
            if quit {
                break;
            }
        }
        self.engine.stop();
        self.engine.wait();
        self.release();
        // A search cut off by the end still gives its answer.
        while self.running.search && !self.output.closed {
            match self.inbox.try_recv() {
                Ok(Event::Report(report)) => self.show(dialect, &report),
                Ok(Event::Declined(answer)) => self.declined(&answer),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if quit {
            dialect.farewell(self);
        }
    }

    fn handle(&mut self, dialect: &mut dyn Dialect, event: Event) -> Flow {
        match event {
            Event::Line(line) => return self.take(dialect, line),
            Event::End => self.ended = true,
            Event::Report(report) => {
                self.show(dialect, &report);
                if !self.running.search {
                    return self.drain(dialect);
                }
            }
            Event::Declined(answer) => {
                self.declined(&answer);
                return self.drain(dialect);
            }
            Event::Say(line) => self.say(&line),
            Event::Back => {}
        }
        Flow::Next
    }

    fn declined(&mut self, answer: &str) {
        self.running = Running::default();
        self.say(answer);
    }

    /// When a line acts. Those of the command line wait for a finite search and for the lines before them.
    fn urgency(&self, dialect: &dyn Dialect, line: &str) -> Urgency {
        if self.script && self.running.search && !(self.running.endless() && self.pending.is_empty()) {
            return Urgency::Idle;
        }
        dialect.urgency(line)
    }

    fn show(&mut self, dialect: &mut dyn Dialect, report: &Report) {
        if matches!(report, Report::Best { .. }) {
            self.running = Running::default();
        }
        dialect.show(report, self);
    }

    /// A line arrives: act on it, or keep it until the search has ended.
    fn take(&mut self, dialect: &mut dyn Dialect, line: String) -> Flow {
        self.output.heard(&line);
        if !self.running.search {
            return match self.act(dialect, &line) {
                Flow::Quit => Flow::Quit,
                // Lines that came while the engine was lent.
                Flow::Next => self.drain(dialect),
            };
        }
        match self.urgency(dialect, &line) {
            Urgency::Now => self.act(dialect, &line),
            Urgency::Search => {
                let flow = self.act(dialect, &line);
                if !self.pending.is_empty() {
                    self.pending.push_back(line);
                }
                flow
            }
            Urgency::Idle => {
                if self.running.endless() {
                    self.stop();
                }
                self.pending.push_back(line);
                Flow::Next
            }
        }
    }

    /// The search has ended: the lines that waited, up to the next search.
    fn drain(&mut self, dialect: &mut dyn Dialect) -> Flow {
        while let Some(line) = self.pending.pop_front() {
            if self.running.search && self.urgency(dialect, &line) == Urgency::Idle {
                self.pending.push_front(line);
                break;
            }
            if self.act(dialect, &line) == Flow::Quit {
                return Flow::Quit;
            }
        }
        if self.running.endless() && !self.pending.is_empty() {
            self.stop();
        }
        Flow::Next
    }

    /// Acts on a line. A fault inside the engine costs that line, not the session.
    fn act(&mut self, dialect: &mut dyn Dialect, line: &str) -> Flow {
        let before = self.running;
        catch_unwind(AssertUnwindSafe(|| dialect.act(line, self))).unwrap_or_else(|_| {
            self.running = before;
            dialect.fault(self);
            Flow::Next
        })
    }

    /// Lends the engine to a long job on another thread. Meanwhile `reply` answers what it can (pings); all other
    /// lines wait, those of the command line always. The job's second argument writes a line.
    pub fn lend(
        &mut self,
        reply: impl Fn(&str) -> Option<&'static str>,
        job: impl FnOnce(&mut dyn Engine, &dyn Fn(String)) + Send,
    ) {
        let (engine, events) = (&mut self.engine, self.events.clone());
        let (inbox, output, script) = (&self.inbox, &mut self.output, self.script);
        let (pending, ended) = (&mut self.pending, &mut self.ended);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let say = |line| drop(events.send(Event::Say(line)));
                let _ = catch_unwind(AssertUnwindSafe(|| job(engine.as_mut(), &say)));
                let _ = events.send(Event::Back);
            });
            while let Ok(event) = inbox.recv() {
                match event {
                    Event::Back => break,
                    Event::Say(line) => output.say(&line),
                    Event::End => *ended = true,
                    // No search of ours runs.
                    Event::Report(_) | Event::Declined(_) => {}
                    Event::Line(line) => {
                        output.heard(&line);
                        match reply(&line).filter(|_| !script) {
                            Some(answer) => output.say(answer),
                            None => pending.push_back(line),
                        }
                    }
                }
            }
        });
    }
}
