//! The event loop: one thread that owns the engine and does all the printing, fed by a thread that reads lines and by the
//! reports of the search.
//!
//! A search never blocks it. A line that comes while a search runs acts by its [`Urgency`]:
//!
//! | urgency | during a finite search | during an endless one (infinite, ponder) |
//! |---|---|---|
//! | `Now` | at once | at once |
//! | `InTurn` | at once, unless lines before it wait | the same |
//! | `Search` | at once, and in its turn on the searches that wait | the same |
//! | `Idle` | after the search's answer | stops it, then after its answer |
//!
//! A line of the command line waits for a finite search before it, whatever its urgency.
//!
//! At the input's end a finite search is finished and answered, an endless one stopped and answered. A panic in the
//! handling of a line, a report or a timer costs that one and is reported by [`Dialect::fault`].

mod output;

use super::cli::Console;
use super::lines::next_line;
use crate::control::{Engine, Limits, Opt, Options, Report, Sink};
use crate::game::BadInput;
use crate::util::files;
use crate::util::sync::{Receiver, RecvTimeoutError, Sender, channel, scope, spawn};
use output::ClientOutput;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A line of the client, split into words once.
#[derive(Clone, Debug)]
pub struct InputLine<'a> {
    /// The line as it came, without its end.
    pub text: &'a str,
    /// Its words.
    pub words: Vec<&'a str>,
}

impl<'a> InputLine<'a> {
    /// Splits a line at its blanks.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            words: text.split_whitespace().collect(),
        }
    }
}

/// When a line acts while a search runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Urgency {
    /// At once.
    Now,
    /// At once, unless lines before it wait: its answer must not come before theirs.
    InTurn,
    /// At once on the running search, and on every search asked for before it that still waits.
    Search,
    /// When the search has ended.
    Idle,
}

/// What a line does while a job has the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DuringJob {
    /// It waits for the job's end.
    Waits,
    /// It waits, and ends the job.
    Ends,
    /// It is answered at once.
    Answered(&'static str),
}

/// Whether the session goes on after a line: `Break` is its end.
pub type Flow = ControlFlow<()>;

/// A protocol: lines into engine calls, reports into lines. Protocols of every game drive the trait object, those of one
/// game that game's engine.
pub trait Dialect<E: Engine + ?Sized = dyn Engine> {
    /// When a line acts while a search runs.
    fn urgency(&self, line: &InputLine) -> Urgency;
    /// Acts on a line.
    fn act(&mut self, line: &InputLine, session: &mut Session<E>) -> Flow;
    /// Writes a report.
    fn show(&mut self, report: &Report, session: &mut Session<E>);
    /// When [`Dialect::tick`] is due; `None` for never.
    fn deadline(&self) -> Option<Instant> {
        None
    }
    /// The deadline has passed. It must set a later one, or none.
    fn tick(&mut self, session: &mut Session<E>) {
        let _ = session;
    }
    /// Reports a panic in the handling of a line, a report or a timer.
    fn fault(&mut self, session: &mut Session<E>) {
        let _ = session;
    }
    /// The input has ended; what waits is still done.
    fn input_ended(&mut self, session: &mut Session<E>) {
        let _ = session;
    }
    /// The last lines after a quit, behind the answer of a search that it cut off.
    fn farewell(&mut self, session: &mut Session<E>) {
        let _ = session;
    }
}

/// A line that waits for its turn.
struct Pending {
    text: String,
    /// Whether it comes from the command line: such a line waits for a finite search before it.
    argument: bool,
    /// When it acts, once it had to wait: `None` for a line that came while a job had the engine.
    urgency: Option<Urgency>,
}

impl Pending {
    fn new(text: String, argument: bool) -> Self {
        Self {
            text,
            argument,
            urgency: None,
        }
    }
}

enum Event {
    Line(Pending),
    End,
    Report(Report),
    /// The answer of a search that was declined.
    Declined(String),
    /// A line of output from a job that has the engine.
    Output(String),
    /// The job that had the engine is done.
    JobDone,
}

/// The running search, as far as the loop needs to know.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Running {
    search: bool,
    infinite: bool,
    ponder: bool,
    /// It was told to stop, and its answer is on its way.
    stopped: bool,
}

impl Running {
    fn endless(self) -> bool {
        self.search && (self.infinite || self.ponder)
    }
}

/// What a dialect works with: the engine, the output, the state of the search.
pub struct Session<E: Engine + ?Sized = dyn Engine> {
    /// The engine.
    pub engine: Box<E>,
    output: ClientOutput,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    running: Running,
    pending: VecDeque<Pending>,
    ended: bool,
    /// Whether the last position was refused.
    refused: bool,
    /// The answer of a declined search that waits for its stop or ponder hit.
    declined: Option<String>,
}

/// Speaks a protocol until its quit: on the commands of the command line if there are any, else on the standard input.
pub fn serve(engine: Box<dyn Engine>, dialect: &mut dyn Dialect, commands: Vec<String>) {
    let mut session = Session::new(engine, Box::new(Console));
    if commands.is_empty() {
        session.run(dialect, commands, BufReader::new(std::io::stdin()));
    } else {
        session.run(dialect, commands, std::io::empty());
    }
}

impl<E: Engine + ?Sized> Session<E> {
    /// A session of an engine that writes to `out`.
    pub fn new(engine: Box<E>, out: Box<dyn Write>) -> Self {
        let (events, inbox) = channel();
        Self {
            engine,
            output: ClientOutput {
                out,
                closed: false,
                log: None,
            },
            events,
            inbox,
            running: Running::default(),
            pending: VecDeque::new(),
            ended: false,
            refused: false,
            declined: None,
        }
    }

    /// Writes a line and flushes it. A closed output ends the session quietly.
    pub fn send(&mut self, line: &str) {
        self.output.send(line);
    }

    /// Writes all lines to a regular file from now on, or (empty path) no longer. On an error the former file stays.
    fn log_to(&mut self, path: &str) -> Result<(), String> {
        self.output.log = if path.is_empty() {
            None
        } else {
            Some(files::append(path)?)
        };
        Ok(())
    }

    /// Sets an option of the dialect's own; the one of the name `log` is the path of the log. On an error it keeps its value.
    pub fn set_own_option(
        &mut self,
        own: &mut Options,
        name: &str,
        value: Option<&str>,
        log: &str,
    ) -> Result<Opt, BadInput> {
        let former = own.get(name).cloned();
        let new = own.set(name, value)?;
        if new.name == log
            && let Err(why) = self.log_to(&new.value.text())
        {
            former.into_iter().for_each(|former| own.restore(former));
            return Err(BadInput::new(format!("option {log}: {why}")));
        }
        Ok(new)
    }

    /// Where a search reports to.
    fn sink(&self) -> Sink {
        let events = self.events.clone();
        // A closed channel means that the session is over.
        Arc::new(move |report| drop(events.send(Event::Report(report))))
    }

    /// Starts a search; its reports come to [`Dialect::show`], the last of them is [`Report::Best`].
    pub fn search(&mut self, limits: Limits) -> Result<(), BadInput> {
        let running = Running {
            search: true,
            infinite: limits.infinite || limits.prove == Some(Duration::MAX),
            ponder: limits.ponder,
            stopped: false,
        };
        let sink = self.sink();
        self.engine.go(limits, sink)?;
        self.running = running;
        Ok(())
    }

    /// Whether a search runs.
    pub fn searching(&self) -> bool {
        self.running.search
    }

    /// Records whether the last position was accepted. After a refused one there is none: a move on another board than the
    /// client's would be worse than no move.
    pub fn set_position_accepted(&mut self, accepted: bool) {
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
            self.running = Running {
                search: true,
                infinite,
                ponder,
                stopped: false,
            };
            self.declined = Some(answer.into());
        } else {
            self.send(answer);
        }
    }

    fn release_declined(&mut self) {
        if let Some(answer) = self.declined.take() {
            // The session itself holds the other end.
            let _ = self.events.send(Event::Declined(answer));
        }
    }

    /// Ends the running search; nothing when none runs, so that no stop can reach a later one.
    pub fn stop(&mut self) {
        if !self.running.search {
            return;
        }
        self.running.stopped = true;
        match self.declined {
            Some(_) => self.release_declined(),
            None => self.engine.stop(),
        }
    }

    /// The opponent played the move pondered on; `time` is set where the hit brings the time for the move. Nothing when no
    /// search ponders.
    pub fn ponderhit(&mut self, time: Option<&Limits>) {
        if !self.running.search || !self.running.ponder {
            return;
        }
        self.running.ponder = false;
        match (&self.declined, time) {
            (None, None) => self.engine.ponderhit(),
            (None, Some(limits)) => self.engine.ponderhit_with(limits),
            (Some(_), None) if self.running.infinite => {}
            (Some(_), _) => self.release_declined(),
        }
    }

    /// Runs until a quit, the input's end or a closed output. `arguments` are lines from the command line, which come before
    /// the input's: each of them, `quit` too, waits for a finite search before it.
    pub fn run(&mut self, dialect: &mut dyn Dialect<E>, arguments: Vec<String>, input: impl BufRead + Send + 'static) {
        let events = self.events.clone();
        spawn(move || read_lines(&events, arguments, input));
        let mut quit = false;
        while !quit && !self.output.closed && !self.is_done(dialect) {
            // Nobody is left to stop it.
            if self.ended && self.running.endless() {
                self.stop();
            }
            quit = self.step(dialect).is_break();
        }
        self.engine.stop();
        self.engine.wait();
        self.release_declined();
        // A search cut off by the end still gives its answer.
        while self.running.search && !self.output.closed {
            match self.inbox.try_recv() {
                Ok(Event::Report(report)) => self.show(dialect, &report),
                Ok(Event::Declined(answer)) => self.send_declined(&answer),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if quit {
            dialect.farewell(self);
        }
    }

    /// Whether the input has ended and nothing is left to do.
    fn is_done(&self, dialect: &dyn Dialect<E>) -> bool {
        self.ended && !self.running.search && self.pending.is_empty() && dialect.deadline().is_none()
    }

    /// Waits for one event and acts on it.
    pub(crate) fn step(&mut self, dialect: &mut dyn Dialect<E>) -> Flow {
        let event = match dialect.deadline() {
            None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => self.inbox.recv_timeout(at.saturating_duration_since(Instant::now())),
        };
        match event {
            Ok(event) => self.handle(dialect, event),
            Err(RecvTimeoutError::Timeout) => {
                self.guard(dialect, |dialect, session| dialect.tick(session));
                Flow::Continue(())
            }
            // The session itself holds a sender.
            Err(RecvTimeoutError::Disconnected) => Flow::Break(()),
        }
    }

    fn handle(&mut self, dialect: &mut dyn Dialect<E>, event: Event) -> Flow {
        match event {
            Event::Line(line) => return self.take(dialect, line),
            Event::End => {
                self.ended = true;
                dialect.input_ended(self);
            }
            Event::Report(report) => {
                self.show(dialect, &report);
                if matches!(report, Report::Best { .. }) {
                    return self.drain(dialect);
                }
            }
            Event::Declined(answer) => {
                self.send_declined(&answer);
                return self.drain(dialect);
            }
            Event::Output(line) => self.send(&line),
            Event::JobDone => {}
        }
        Flow::Continue(())
    }

    fn send_declined(&mut self, answer: &str) {
        self.running = Running::default();
        self.send(answer);
    }

    fn show(&mut self, dialect: &mut dyn Dialect<E>, report: &Report) {
        if matches!(report, Report::Best { .. }) {
            self.running = Running::default();
        }
        self.guard(dialect, |dialect, session| dialect.show(report, session));
    }

    /// A line arrives: act on it, or keep it until the search has ended.
    fn take(&mut self, dialect: &mut dyn Dialect<E>, pending: Pending) -> Flow {
        self.output.log_input(&pending.text);
        // Lines wait for a search, or were kept while a job had the engine.
        let waiting = if self.running.search { self.pending.len() } else { 0 };
        self.pending.push_back(pending);
        self.advance(dialect, waiting)
    }

    /// The search has ended: the lines that waited act, each as if it came now.
    fn drain(&mut self, dialect: &mut dyn Dialect<E>) -> Flow {
        self.advance(dialect, 0)
    }

    /// Acts on the pending lines as far as they need not wait for the running search; the first `waiting` ones have to.
    fn advance(&mut self, dialect: &mut dyn Dialect<E>, mut waiting: usize) -> Flow {
        loop {
            if waiting > 0 {
                // Behind a line that waits, only new ones may act, and those that end the search.
                let stopped = self.running.stopped;
                let may_act = |p: &Pending| p.urgency.is_none_or(|u| u == Urgency::Search && !stopped);
                let Some(skipped) = self.pending.range(waiting..).position(may_act) else {
                    break;
                };
                waiting += skipped;
            }
            let Some(mut pending) = self.pending.remove(waiting) else {
                break;
            };
            let line = InputLine::new(&pending.text);
            let urgency = match self.running {
                Running { search: false, .. } => Urgency::Now,
                // Those of the command line wait for a finite search and for the lines before them.
                running if pending.argument && !(running.endless() && waiting == 0) => Urgency::Idle,
                _ => dialect.urgency(&line),
            };
            let (acts, waits) = match urgency {
                Urgency::Now => (true, false),
                Urgency::InTurn => (waiting == 0, waiting > 0),
                Urgency::Search => (true, waiting > 0),
                Urgency::Idle => (false, true),
            };
            let done = if acts {
                self.act(dialect, &line)
            } else {
                Flow::Continue(())
            };
            if waits {
                pending.urgency = Some(urgency);
                self.pending.insert(waiting, pending);
                waiting += 1;
            }
            done?;
        }
        if self.running.endless() && waiting > 0 {
            self.stop();
        }
        Flow::Continue(())
    }

    fn act(&mut self, dialect: &mut dyn Dialect<E>, line: &InputLine) -> Flow {
        let flow = self.guard(dialect, |dialect, session| dialect.act(line, session));
        flow.unwrap_or(Flow::Continue(()))
    }

    /// Has the dialect do something. A panic costs that, not the session.
    fn guard<T>(
        &mut self,
        dialect: &mut dyn Dialect<E>,
        work: impl FnOnce(&mut dyn Dialect<E>, &mut Self) -> T,
    ) -> Option<T> {
        let before = self.running;
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut *dialect, self))).ok();
        if done.is_none() {
            self.running = before;
            dialect.fault(self);
        }
        done
    }

    /// Lends the engine to a long job on another thread. Meanwhile lines do what `during` says of them; those of the command
    /// line wait, always. The job's second argument writes a line, its third is set once a line came that ends it.
    pub fn lend(
        &mut self,
        during: impl Fn(&InputLine) -> DuringJob,
        job: impl FnOnce(&mut E, &dyn Fn(String), &AtomicBool) + Send,
    ) {
        let during = |line: &Pending| match line.argument {
            true => DuringJob::Waits,
            false => during(&InputLine::new(&line.text)),
        };
        let (engine, events) = (&mut self.engine, self.events.clone());
        let (inbox, output) = (&self.inbox, &mut self.output);
        let (pending, ended) = (&mut self.pending, &mut self.ended);
        // One that came while an earlier job ran ends this one, too.
        let halted = pending.iter().any(|line| during(line) == DuringJob::Ends);
        let halt = &AtomicBool::new(halted);
        scope(|scope| {
            scope.spawn(move || {
                let send = |line| drop(events.send(Event::Output(line)));
                let _ = catch_unwind(AssertUnwindSafe(|| job(engine.as_mut(), &send, halt)));
                let _ = events.send(Event::JobDone);
            });
            while let Ok(event) = inbox.recv() {
                match event {
                    Event::JobDone => break,
                    Event::Output(line) => output.send(&line),
                    Event::End => *ended = true,
                    // No search of ours runs.
                    Event::Report(_) | Event::Declined(_) => {}
                    Event::Line(line) => {
                        output.log_input(&line.text);
                        match during(&line) {
                            DuringJob::Answered(answer) => {
                                output.send(answer);
                                continue;
                            }
                            DuringJob::Ends => halt.store(true, Relaxed),
                            DuringJob::Waits => {}
                        }
                        pending.push_back(line);
                    }
                }
            }
        });
    }
}

#[cfg(test)]
impl<E: Engine + ?Sized> Session<E> {
    /// Takes a line as if it had been read.
    pub(crate) fn line(&mut self, dialect: &mut dyn Dialect<E>, text: &str) -> Flow {
        let text = text.to_string();
        self.take(dialect, Pending::new(text, false))
    }
}

/// The thread that reads: the lines of the command line, then those of the input.
fn read_lines(events: &Sender<Event>, arguments: Vec<String>, mut input: impl BufRead) {
    for text in arguments {
        let _ = events.send(Event::Line(Pending::new(text, true)));
    }
    while let Some(text) = next_line(&mut input) {
        let line = Pending::new(text, false);
        if events.send(Event::Line(line)).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}

#[cfg(test)]
pub(crate) mod tests;
