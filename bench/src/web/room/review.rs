//! The review of a game that is over, or was loaded: searched position by position where nothing else needs the engine,
//! and kept beside the game, so that it goes on after a restart.

use super::{PACE, Purpose, Room, Viewer};
use crate::review::game::{hear, limits};
use crate::review::marks::{Evaluation, Mark, Review, ReviewQuery};
use crate::web::board::{AnnotatedHead, PlacedMove, RoomEngine};
use crate::web::disk::{GameFile, ReviewEvent};
use crate::web::levels;
use crate::web::slots::Rank;
use crate::web::words::Lang;
use anyhow::{Context, Result};
use nguky::control::{Choice, Info, Limits, TimeControl};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a position is searched, by the name of the effort.
pub const EFFORTS: [(&str, Duration); 3] = [
    ("fast", Duration::from_millis(100)),
    ("normal", Duration::from_millis(500)),
    ("deep", Duration::from_secs(2)),
];
/// Halves of the effort for a move that a viewer tries.
const TRIED: u32 = 4;

/// The limits of an effort; none where there is no such effort.
pub fn effort(name: &str) -> Option<Limits> {
    let (_, time) = EFFORTS.iter().find(|e| e.0 == name)?;
    Some(Limits {
        time: TimeControl::MoveTime(*time),
        ..Limits::default()
    })
}

/// A review and what is under way for it.
pub struct RoomReview {
    review: Review,
    effort: String,
    /// The plies of the game that it is of.
    plies: usize,
    file: GameFile,
    /// Whether somebody stopped it.
    halted: bool,
    /// The search that runs, and its last line.
    query: Option<ReviewQuery>,
    last: Option<Info>,
    /// The better lines of marked moves as people write them, by ply and language.
    lines: BTreeMap<(usize, usize), Vec<PlacedMove>>,
    sent: Option<Instant>,
    fresh: bool,
}

/// A move that a viewer tries instead of the played one.
pub struct TriedMove {
    /// Who asked, and the number of the request.
    pub viewer: Viewer,
    /// The number of the request.
    pub n: u64,
    /// The position.
    pub ply: usize,
    /// The move.
    pub m: String,
}

impl RoomReview {
    /// How long until the next message is due.
    pub fn due(&self) -> Option<Duration> {
        let pace = 2 * PACE;
        self.fresh
            .then(|| self.sent.map_or(Duration::ZERO, |at| pace.saturating_sub(at.elapsed())))
    }

    fn is_done(&self) -> bool {
        self.review.next().is_none()
    }
}

/// A figure with three digits behind the point.
fn round(x: f64) -> f64 {
    (1000.0 * x).round() / 1000.0
}

impl Room {
    /// Whether the game may be reviewed: nothing of it is secret any more, and it has moves.
    pub(super) fn may_review(&self) -> bool {
        (self.over.is_some() || self.head.loaded.is_some()) && self.game.plies() > 0
    }

    /// Takes up the review that is kept, if it is one of the game as it stands.
    pub(super) fn resume_review(&mut self) -> Result<()> {
        let Some((events, file)) = self.hub.store.load_review(&self.head.id)? else {
            return Ok(());
        };
        let mut events = events.into_iter();
        let Some(ReviewEvent::Begin { effort: name, plies }) = events.next() else {
            return Ok(());
        };
        if plies != self.game.plies() || effort(&name).is_none() || !self.may_review() {
            self.hub.store.forget_review(&self.head.id);
            return Ok(());
        }
        let (mut review, mut halted) = (self.game.review(), false);
        for event in events {
            match (event, review.next()) {
                (ReviewEvent::Found { evaluation }, Some(query)) => review.take(&query, evaluation),
                (ReviewEvent::Halt, _) => halted = true,
                (ReviewEvent::Resume, _) => halted = false,
                _ => {}
            }
        }
        self.review = Some(self.new_review(review, name, file, halted));
        Ok(())
    }

    fn new_review(&self, review: Review, effort: String, file: GameFile, halted: bool) -> RoomReview {
        RoomReview {
            review,
            effort,
            plies: self.game.plies(),
            file,
            halted,
            query: None,
            last: None,
            lines: BTreeMap::new(),
            sent: None,
            fresh: true,
        }
    }

    /// Whether the move played at a ply is reviewed.
    pub(super) fn is_judged(&self, ply: usize) -> bool {
        self.review.as_ref().is_some_and(|r| r.review.row(ply).is_some())
    }

    /// Begins a review, or goes on with a stopped one of the same effort.
    pub(super) fn start_review(&mut self, name: &str) -> Result<()> {
        if let Some(old) = self.review.as_mut().filter(|r| r.effort == name && !r.is_done()) {
            if old.halted {
                old.file.line(&ReviewEvent::Resume)?;
            }
            old.halted = false;
        } else {
            self.end_review_search();
            let mut file = self.hub.store.begin_review(&self.head.id)?;
            let plies = self.game.plies();
            file.line(&ReviewEvent::Begin {
                effort: name.into(),
                plies,
            })?;
            self.review = Some(self.new_review(self.game.review(), name.into(), file, false));
        }
        self.advance();
        self.show_review();
        Ok(())
    }

    /// Stops the review; what is reviewed stays.
    pub(super) fn halt_review(&mut self) -> Result<()> {
        self.end_review_search();
        if let Some(review) = self.review.as_mut().filter(|r| !r.halted && !r.is_done()) {
            review.halted = true;
            review.file.line(&ReviewEvent::Halt)?;
        }
        self.show_review();
        self.advance();
        Ok(())
    }

    /// The game went on: its review is of another one.
    pub(super) fn drop_review(&mut self) {
        if self.review.as_ref().is_some_and(|r| r.plies != self.game.plies()) {
            self.end_review_search();
            self.review = None;
            self.hub.store.forget_review(&self.head.id);
            self.show_review();
        }
    }

    fn end_review_search(&mut self) {
        if self.is_running(Purpose::Review) {
            self.halt();
        }
    }

    /// Starts the next search of the review, if there is one to do.
    pub(super) fn go_on_reviewing(&mut self) {
        let wanted = self.review.as_ref().filter(|r| !r.halted);
        let Some(query) = wanted.and_then(|r| r.review.next()) else {
            return;
        };
        if let Err(why) = self.begin_review_search(query) {
            eprintln!("nguky web: game {}: review: {why:#}", self.head.id);
            if let Some(review) = &mut self.review {
                review.halted = true;
            }
        }
    }

    fn begin_review_search(&mut self, query: ReviewQuery) -> Result<()> {
        let Some(slot) = self.hub.slots.take(&self.own, Rank::Review) else {
            return Ok(());
        };
        let review = self.review.as_ref().context("no review")?;
        let usual = effort(&review.effort).context("no such effort")?;
        self.prepare_for(query.ply)?;
        self.go(Purpose::Review, slot, limits(&query, &usual))?;
        if let Some(review) = &mut self.review {
            (review.query, review.last) = (Some(query), None);
        }
        Ok(())
    }

    /// Brings the engine to a position, at full strength, with what the side to move there knows.
    fn prepare_for(&mut self, ply: usize) -> Result<()> {
        self.ready()?;
        let game = self.game.at(ply);
        let engine = self.engine.as_mut().context("no engine")?;
        levels::set_full(engine, 1);
        game.prepare(engine, game.side())
    }

    /// Takes in a line of the running search.
    pub(super) fn hear_review(&mut self, info: Info) {
        if let Some(review) = &mut self.review {
            hear(&mut review.last, info);
        }
    }

    /// The end of a search of the review.
    pub(super) fn take_review(&mut self, choice: &Choice) {
        let lead = matches!(self.engine, Some(RoomEngine::Tree(_)));
        let Some(review) = &mut self.review else { return };
        let Some(query) = review.query.take() else { return };
        let evaluation = Evaluation::new(review.last.take().as_ref(), choice, lead);
        // What cannot be kept is done again after a restart.
        let _ = review.file.line(&ReviewEvent::Found {
            evaluation: evaluation.clone(),
        });
        review.lines.retain(|(ply, _), _| *ply != query.ply);
        review.review.take(&query, evaluation);
        review.fresh = true;
        if review.is_done() || review.due() == Some(Duration::ZERO) {
            self.show_review();
        }
    }

    /// Sends the review to all viewers.
    pub(super) fn show_review(&mut self) {
        let viewers = self.viewers.clone();
        self.show_review_to(&viewers);
        if let Some(review) = &mut self.review {
            (review.sent, review.fresh) = (Some(Instant::now()), false);
        }
    }

    /// Sends the review to some of the viewers.
    pub(super) fn show_review_to(&mut self, viewers: &[Viewer]) {
        for lang in Lang::ALL {
            let mut speak = viewers.iter().filter(|v| v.lang == lang).peekable();
            if speak.peek().is_some() {
                let text = self.reviewed(lang).to_string();
                speak.for_each(|v| v.out.latest(&self.head.id, "review", text.clone()));
            }
        }
    }

    fn reviewed(&mut self, lang: Lang) -> Value {
        let may = self.may_review();
        let running = self.is_running(Purpose::Review);
        let Some(found) = &mut self.review else {
            return json!({ "t": "review", "id": self.head.id, "state": "none", "may": may });
        };
        let rows = found.review.rows();
        for row in rows.iter().filter(|r| r.mark.is_some()) {
            let line = found.lines.entry((row.ply, lang as usize));
            line.or_insert_with(|| {
                let game = self.game.at(row.ply);
                game.line(game.side(), &row.best.line, 0, lang).0
            });
        }
        let shown = rows.iter().map(|row| {
            let mut shown = json!({
                "ply": row.ply, "side": row.side, "before": round(row.before), "after": round(row.after),
                "loss": round(row.loss), "mark": row.mark,
            });
            for (name, value) in [("points", row.points), ("luck", row.luck)] {
                if let Some(value) = value {
                    shown[name] = json!(round(value));
                }
            }
            if let Some(line) = found
                .lines
                .get(&(row.ply, lang as usize))
                .filter(|_| row.mark.is_some())
            {
                let labels: Vec<&String> = line.iter().map(|m| &m.3).collect();
                shown["best"] = json!(line.first().map(|m| json!([m.0, m.1])));
                shown["line"] = json!(labels);
            }
            shown
        });
        let shown: Vec<Value> = shown.collect();
        let curve = found.review.curve().into_iter();
        let curve: Vec<Value> = curve
            .map(|(ply, score, lead)| json!([ply, round(score), lead.map(round)]))
            .collect();
        let (done, of) = found.review.progress();
        let state = match (found.is_done(), found.halted, running) {
            (true, ..) => "done",
            (_, true, _) => "halted",
            (.., true) => "running",
            _ => "waiting",
        };
        // Figures of a part of the game would be read as those of the whole.
        let totals = found.is_done().then(|| found.review.totals());
        json!({
            "t": "review", "id": self.head.id, "state": state, "may": may, "effort": found.effort, "plies": found.plies,
            "done": done, "of": of, "rows": shown, "curve": curve, "totals": totals,
        })
    }

    fn annotated_by(&self, review: &Review, format: &str, lang: Lang, names: [&str; 2]) -> Option<String> {
        let head = AnnotatedHead {
            tags: self
                .head
                .loaded
                .as_ref()
                .map_or_else(Vec::new, |loaded| loaded.tags.clone()),
            names,
            end: self.over.as_ref(),
            lang,
            notes: self.head.loaded.as_ref().map(|loaded| &loaded.notes),
        };
        self.game.annotated(format, review, head)
    }

    /// The record with a review's marks, comments and better lines; none where there is no such format or no review.
    pub(super) fn annotated(&self, format: &str, lang: Lang, names: [&str; 2]) -> Option<String> {
        self.annotated_by(&self.review.as_ref()?.review, format, lang, names)
    }

    /// The record with what was said in the one that it was loaded from.
    pub(super) fn noted(&self, format: &str, lang: Lang, names: [&str; 2]) -> Option<String> {
        self.annotated_by(&self.game.review(), format, lang, names)
    }

    /// Searches the move that a viewer tries.
    pub(super) fn begin_try(&mut self) -> Result<()> {
        let Some(slot) = self.hub.slots.take(&self.own, Rank::Play) else {
            return Ok(());
        };
        let (ply, m) = self.tried.as_ref().map(|t| (t.ply, t.m.clone())).context("no move")?;
        let review = self.review.as_ref().context("no review")?;
        let usual = effort(&review.effort).context("no such effort")?;
        let query = ReviewQuery {
            ply,
            only: Some(m),
            halves: TRIED,
        };
        self.prepare_for(ply)?;
        self.go(Purpose::Try, slot, limits(&query, &usual))?;
        self.tried_info = None;
        Ok(())
    }

    /// Tells a viewer what the move that he tried is worth.
    pub(super) fn answer_try(&mut self, choice: &Choice) {
        let lead = matches!(self.engine, Some(RoomEngine::Tree(_)));
        let (Some(tried), info) = (self.tried.take(), self.tried_info.take()) else {
            return;
        };
        let found = Evaluation::new(info.as_ref(), choice, lead);
        let row = self.review.as_ref().and_then(|r| r.review.row(tried.ply));
        let Some(row) = row else { return };
        let best = row.best.best.as_deref() == Some(tried.m.as_str());
        let points = row.best.lead.zip(found.lead).map(|(best, own)| (best - own).max(0.0));
        let loss = if best { 0.0 } else { (row.before - found.score).max(0.0) };
        let game = self.game.at(tried.ply);
        let label = game
            .line(game.side(), std::slice::from_ref(&tried.m), 0, tried.viewer.lang)
            .0;
        let mark = Mark::of_loss(loss, points).filter(|_| !best);
        tried.viewer.out.answer(&json!({
            "t": "tried", "n": tried.n, "id": self.head.id, "ply": tried.ply, "label": label.first().map(|m| &m.3),
            "loss": round(loss), "played": round(row.loss), "mark": mark, "best": best,
            "better": best || loss + 0.005 < row.loss,
        }));
    }
}
