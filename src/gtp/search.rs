//! Commands that search: how their search begins, what they send while it runs, and what its end answers.

use super::analyze::{Stream, StreamStyle};
use super::commands::{SearchFn, side};
use super::gogui::Display;
use super::{CommandResult, GtpDialect};
use crate::control::{Engine, Limits};
use crate::game::{BadInput, Side};
use crate::games::go::coords;
use crate::mcts::{Decision, Mcts, SearchParams};
use crate::protocol::Session;
use crate::protocol::cli::print_error;
use std::time::Instant;

/// Commands that search.
pub const COMMANDS: &[(&str, SearchFn)] = &[
    ("genmove", |gtp, s, args| {
        let job = SearchJob::new(side(args)?, Purpose::Play { cleanup: false });
        gtp.generate(job, s)
    }),
    ("reg_genmove", |gtp, s, args| {
        let job = SearchJob::new(side(args)?, Purpose::Propose);
        gtp.generate(job, s)
    }),
    ("kgs-genmove_cleanup", |gtp, s, args| {
        let job = SearchJob::new(side(args)?, Purpose::Play { cleanup: true });
        gtp.generate(job, s)
    }),
    ("analyze", |gtp, s, args| gtp.analyze(StreamStyle::Leela, args, s)),
    ("lz-analyze", |gtp, s, args| gtp.analyze(StreamStyle::Leela, args, s)),
    ("kata-analyze", |gtp, s, args| gtp.analyze(StreamStyle::Kata, args, s)),
    ("genmove_analyze", |gtp, s, args| {
        gtp.generate_and_analyze(StreamStyle::Leela, args, s)
    }),
    ("lz-genmove_analyze", |gtp, s, args| {
        gtp.generate_and_analyze(StreamStyle::Leela, args, s)
    }),
    ("kata-genmove_analyze", |gtp, s, args| {
        gtp.generate_and_analyze(StreamStyle::Kata, args, s)
    }),
    ("cgos-genmove_analyze", |gtp, s, args| {
        gtp.generate_and_analyze(StreamStyle::Kata, args, s)
    }),
];

/// What a search is for.
pub enum Purpose {
    /// To play the move that is found; with `cleanup`, dead stones are captured before a pass.
    Play { cleanup: bool },
    /// To answer with the move that is found, without playing it.
    Propose,
    /// To show the analysis when it ends.
    Display(Display),
    /// To show the analysis while it runs, until any input comes.
    Stream,
    /// To ponder, until the next command that changes the engine.
    Ponder,
}

/// The running search, and the command that it is for.
pub struct SearchJob {
    /// The command's id.
    id: String,
    /// The side to move.
    side: Side,
    purpose: Purpose,
    stream: Option<Stream>,
    start: Instant,
    /// The side to move of the board, which the search may have changed.
    turn: Side,
    /// The parameters, where the search has changed them.
    params: Option<SearchParams>,
}

impl SearchJob {
    /// A search for a side.
    pub fn new(side: Side, purpose: Purpose) -> Self {
        Self {
            id: String::new(),
            side,
            purpose,
            stream: None,
            start: Instant::now(),
            turn: side,
            params: None,
        }
    }

    /// The same with lines of analysis while it runs.
    pub fn with(mut self, stream: Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Whether it is for pondering.
    pub fn ponders(&self) -> bool {
        matches!(self.purpose, Purpose::Ponder)
    }

    /// When the next line of the stream is due.
    pub fn due(&self) -> Option<Instant> {
        self.stream.as_ref().and_then(|stream| stream.due)
    }

    /// Sends the next line of the stream.
    pub fn send_line(&mut self, s: &mut Session<Mcts>) {
        let Some(stream) = &mut self.stream else { return };
        stream.wait();
        if let Some(line) = stream.line(s.engine.game().board(), &s.engine.analysis()) {
            s.send(&line);
        }
    }

    /// Takes back what was set for this search.
    fn restore(&self, engine: &mut Mcts) {
        engine.set_cleanup(false);
        engine.set_bans(Vec::new());
        if let Some(params) = self.params {
            engine.set_params(params);
        }
        set_turn(engine, self.turn);
    }
}

fn set_turn(engine: &mut Mcts, side: Side) {
    if side != engine.game().side() {
        let mut game = engine.game().clone();
        game.set_side(side);
        engine.set_game(game);
    }
}

fn endless() -> Limits {
    Limits {
        infinite: true,
        ..Limits::default()
    }
}

impl GtpDialect {
    /// Begins a search; its end answers the command.
    pub(super) fn begin(
        &mut self,
        mut job: SearchJob,
        mut limits: Limits,
        s: &mut Session<Mcts>,
    ) -> Result<Option<String>, BadInput> {
        self.searched = None;
        let engine = &mut s.engine;
        job.turn = engine.game().side();
        set_turn(engine, job.side);
        engine.set_cleanup(matches!(job.purpose, Purpose::Play { cleanup: true }));
        if let Some(stream) = &job.stream {
            engine.set_bans(stream.bans.clone());
        }
        if matches!(job.purpose, Purpose::Stream) {
            let params = *engine.params();
            engine.set_params(SearchParams {
                wide_root: self.analysis_noise,
                ..params
            });
            job.params = Some(params);
        }
        job.start = Instant::now();
        limits.start = job.start;
        if let Err(why) = s.search(limits) {
            job.restore(&mut s.engine);
            return Err(why);
        }
        job.id.clone_from(&self.id);
        if let Some(stream) = &mut job.stream {
            s.send(&format!("={}", self.id));
            stream.wait();
        }
        self.job = Some(job);
        Ok(None)
    }

    /// Searches for a move by the clock.
    fn generate(&mut self, job: SearchJob, s: &mut Session<Mcts>) -> Result<Option<String>, BadInput> {
        self.need_position()?;
        let limits = self.clock.limits(job.side);
        self.begin(job, limits, s)
    }

    fn generate_and_analyze(
        &mut self,
        style: StreamStyle,
        args: &[&str],
        s: &mut Session<Mcts>,
    ) -> Result<Option<String>, BadInput> {
        self.need_position()?;
        let stream = Stream::parse(s.engine.game(), style, args)?;
        let job = SearchJob::new(stream.side, Purpose::Play { cleanup: false });
        self.generate(job.with(stream), s)
    }

    fn analyze(
        &mut self,
        style: StreamStyle,
        args: &[&str],
        s: &mut Session<Mcts>,
    ) -> Result<Option<String>, BadInput> {
        self.need_position()?;
        let stream = Stream::parse(s.engine.game(), style, args)?;
        let job = SearchJob::new(stream.side, Purpose::Stream);
        self.begin(job.with(stream), endless(), s)
    }

    /// Ponders, where the option is set.
    fn ponder(&mut self, s: &mut Session<Mcts>) {
        if s.engine.options().check("Ponder") && s.engine.game().ended().is_none() {
            let job = SearchJob::new(s.engine.game().side(), Purpose::Ponder);
            // No command waits for its answer or its error.
            let _ = self.begin(job, endless(), s);
        }
    }

    /// The search has ended: answers its command.
    pub(super) fn finish(&mut self, s: &mut Session<Mcts>) {
        let Some(mut job) = self.job.take() else { return };
        s.engine.wait();
        self.id.clone_from(&job.id);
        self.on_fault = match (&job.purpose, &job.stream) {
            (Purpose::Ponder, _) => None,
            (_, Some(_)) => Some(String::new()),
            (_, None) => Some(super::fault_answer(&job.id)),
        };
        if matches!(job.purpose, Purpose::Play { .. } | Purpose::Propose) {
            self.clock.spend(job.side, job.start.elapsed());
            job.send_line(s);
            if self.verbose {
                print_error(&format!("playouts {}", s.engine.playouts()));
            }
        }
        job.restore(&mut s.engine);
        match &job.purpose {
            Purpose::Play { cleanup } => {
                match (play(job.side, s), &job.stream) {
                    (Ok(mv), Some(_)) => s.send(&format!("play {mv}\n")),
                    // The stream has no form for an error.
                    (Err(_), Some(_)) => s.send(""),
                    (answer, None) => self.answer(answer, s),
                }
                self.on_fault = None;
                if !cleanup {
                    self.ponder(s);
                }
            }
            Purpose::Propose => {
                let answer = decision(&s.engine).map(|decision| decision_text(&s.engine, decision));
                self.answer(answer, s);
            }
            Purpose::Display(display) => {
                let answer = self.display(display, job.side, &s.engine);
                self.answer(answer, s);
            }
            Purpose::Stream => s.send(""),
            Purpose::Ponder => {}
        }
        self.on_fault = None;
    }
}

fn decision(engine: &Mcts) -> Result<Decision, BadInput> {
    let decision = engine.decision();
    decision.ok_or_else(|| BadInput::new("the search failed"))
}

fn decision_text(engine: &Mcts, decision: Decision) -> String {
    match decision {
        Decision::Play(p) => coords::text(engine.game().board(), p),
        Decision::Resign => "resign".into(),
    }
}

/// Plays what the search has decided on; the answer is the move.
fn play(side: Side, s: &mut Session<Mcts>) -> CommandResult {
    let decision = decision(&s.engine)?;
    if let Decision::Play(p) = decision {
        s.engine.play(p, side)?;
    }
    Ok(decision_text(&s.engine, decision))
}
