//! The review of a game: which searches it takes, and what follows from their results. No search runs here, so that
//! the command line and the page drive the same review.
//!
//! Scores are expected scores, 0 to 1: the chance of a win and half of that of a draw. Positions are searched from the last
//! to the first, with one hash table, so that a mate which the game led to is known when the moves before it are reviewed.
//! A move costs what the best move's score is above its own. The best of many short searches is often one that errs
//! upwards (the winner's curse), so that a short search marks good moves of a strong player too. So half of the effort
//! goes to a first search of every position, and the other half to the doubtful ones: where a move would be marked, its
//! position and the move alone are searched again, twice as long as at first, and then, while the effort lasts, twice as
//! long from one time to the next. The last result counts.

use nguky::control::{Choice, Info, Outlook};
use serde::{Deserialize, Serialize};

/// Losses of expected score from which a move is an inaccuracy, a mistake, a blunder: those of lichess.org, which has
/// 0.1, 0.2 and 0.3 on a scale from -1 to 1.
const LOSSES: [f64; 3] = [0.05, 0.10, 0.15];
/// The same in points of go, whose engine tells its lead.
const POINTS: [f64; 3] = [1.5, 3.0, 6.0];
/// Points count where they cost at least this much of the expected score: in a game that is decided the engine does not
/// play for points, and its lead wavers by many.
const LEAST: f64 = 0.02;
/// How much longer than the first search each of the two takes that confirm a mark. Most doubts end there: longer ones would
/// leave less for those that stay.
const AGAIN: u32 = 2;
/// The same at most, where effort is left.
const LONGEST: u32 = 64;
/// Marks are confirmed further where all that is searched again then takes at most so many times the first searches of all
/// positions: in a short game more, for there as few marks in doubt have fewer positions to share the effort with. With half of
/// the effort for each first search, a game with few marks takes at most 1.75 times the effort a position, a short one 2.5 times.
const SHARE: f64 = 2.5;
const SHORT_SHARE: f64 = 4.0;
/// What a short game may take so, in halves of the effort: a review of 80 moves by both sides takes 280 times the effort.
const SHORT: f64 = 400.0;
/// Moves of a line that are kept.
const LINE: usize = 12;

/// What a move is marked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Mark {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The mark of a loss by its thresholds.
    fn of(loss: f64, thresholds: [f64; 3]) -> Option<Self> {
        let reached = thresholds.iter().filter(|t| loss >= **t).count();
        Some(Self::ALL[reached.checked_sub(1)?])
    }

    /// The mark of a move by its loss of expected score and, in go, of points.
    pub fn of_loss(loss: f64, points: Option<f64>) -> Option<Self> {
        match points {
            Some(_) if loss < LEAST => None,
            Some(points) => Self::of(points, POINTS),
            None => Self::of(loss, LOSSES),
        }
    }

    /// Its numeric annotation glyph in PGN.
    pub const fn nag(self) -> u8 {
        match self {
            Self::Inaccuracy => 6,
            Self::Mistake => 2,
            Self::Blunder => 4,
        }
    }

    /// Its sign.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

/// A move of the game that is reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewedMove {
    /// Who played it: 0 for the side that moves first in the game.
    pub side: usize,
    /// The move in the engine's coordinates, without what it turned up.
    pub text: String,
    /// Whether it turned up or took a piece that lies face down: its own score is then a mean over what that could have
    /// been, and is not that of the position behind it.
    pub hidden: bool,
}

/// What a search said of a position, seen from the side to move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Expected score, 0 to 1.
    pub score: f64,
    /// Mate in plies: positive where the side to move mates, else not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// Hundredths of a pawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Go: lead in points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<f64>,
    /// The move that it chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// The line that it expects, its move first.
    #[serde(default)]
    pub line: Vec<String>,
}

impl Evaluation {
    /// What a finished search told: its last exact line and its choice. `lead` says that the outlook is a lead of go.
    pub fn new(info: Option<&Info>, choice: &Choice, lead: bool) -> Self {
        let best = match choice {
            Choice::Move(m) => Some(m.clone()),
            _ => None,
        };
        let Some(info) = info else {
            return Self {
                score: 0.5,
                best,
                ..Self::default()
            };
        };
        let [win, draw, loss] = info.wdl.map(f64::from);
        let all = (win + draw + loss).max(1.0);
        let (mate, value) = match info.outlook {
            Outlook::Mate(plies) => (Some(plies), None),
            Outlook::Centipawns(cp) => (None, Some(cp)),
        };
        let follows = info.pv.first() == best.as_ref();
        let line = if follows {
            info.pv.iter().take(LINE).cloned().collect()
        } else {
            best.iter().cloned().collect()
        };
        Self {
            score: (win + draw / 2.0) / all,
            mate,
            cp: value.filter(|_| !lead),
            lead: value.filter(|_| lead).map(|v| f64::from(v) / 100.0),
            best,
            line,
        }
    }

    fn value(&self) -> MoveValue {
        MoveValue {
            score: self.score,
            mate: self.mate,
            lead: self.lead,
        }
    }

    /// The end of a game by its rules, for the side to move: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub fn ended(score: f64) -> Self {
        Self {
            score,
            mate: (score == 0.0).then_some(0),
            ..Self::default()
        }
    }
}

/// What a move is worth to its mover.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MoveValue {
    score: f64,
    mate: Option<i32>,
    lead: Option<f64>,
}

impl MoveValue {
    /// Expected score, and points of go, that a move costs which is worth `played` where this one could be had.
    fn cost(&self, played: &Self) -> (f64, Option<f64>) {
        let points = self
            .lead
            .zip(played.lead)
            .map(|(best, played)| (best - played).max(0.0));
        ((self.score - played.score).max(0.0), points)
    }

    /// The mark of a move that is worth `played`: none where a mate stays a mate.
    fn mark(&self, played: &Self) -> Option<Mark> {
        let wins = |value: &Self| value.mate.is_some_and(|m| m > 0);
        if wins(self) && wins(played) {
            return None;
        }
        let (loss, points) = self.cost(played);
        Mark::of_loss(loss, points)
    }
}

/// A search that a review needs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewQuery {
    /// The position: half-moves played.
    pub ply: usize,
    /// Search this move alone.
    pub only: Option<String>,
    /// How long: in halves of the effort a position.
    pub halves: u32,
}

/// The evaluations of a position.
#[derive(Clone, Debug, Default)]
struct Found {
    /// The latest of the position, and how long it was searched, in halves of the effort.
    whole: Option<(Evaluation, u32)>,
    /// The same of the played move alone.
    alone: Option<(Evaluation, u32)>,
}

impl Found {
    fn whole(&self) -> Option<&Evaluation> {
        Some(&self.whole.as_ref()?.0)
    }

    fn alone(&self) -> Option<&Evaluation> {
        Some(&self.alone.as_ref()?.0)
    }
}

/// A review under way.
#[derive(Clone, Debug)]
pub struct Review {
    moves: Vec<ReviewedMove>,
    /// The evaluations of each position, the setup first.
    found: Vec<Found>,
    /// The side to move behind the last move.
    last_side: usize,
    /// Positions, from the last on, that were reviewed once.
    reached: usize,
    /// Halves of the effort that went to what was searched again.
    again: u32,
}

/// The review of one move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewRow {
    /// Half-moves played before it.
    pub ply: usize,
    /// Who played it.
    pub side: usize,
    /// The move.
    #[serde(skip)]
    pub played: String,
    /// Expected score of the mover with the best move.
    pub before: f64,
    /// His expected score with the move that he played.
    pub after: f64,
    /// What it cost, 0 to 1.
    pub loss: f64,
    /// Go: what it cost in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// Cờ úp: what luck changed in his expected score, where the move turned up or took a hidden piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<f64>,
    /// What it is marked as.
    pub mark: Option<Mark>,
    /// The evaluation of the position before it.
    #[serde(skip)]
    pub best: Evaluation,
}

/// What the moves of a side come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReviewTotals {
    /// Reviewed moves.
    pub moves: usize,
    /// Inaccuracies, mistakes, blunders.
    pub marks: [usize; 3],
    /// Mean loss of expected score.
    pub loss: f64,
    /// 0 to 100: the mean of [`accuracy`] over the moves.
    pub accuracy: f64,
    /// Go: points lost by the marked moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// Cờ úp: the sum of luck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<f64>,
}

/// The accuracy of a move, 0 to 100, by its loss: the curve that lichess.org publishes at lichess.org/page/accuracy, with
/// the engine's expected score in the place of its estimate from centipawns.
pub fn accuracy(loss: f64) -> f64 {
    (103.1668 * (-4.354 * loss).exp() - 3.1669).clamp(0.0, 100.0)
}

impl Review {
    /// A review of these moves; `end` is the score of the side to move behind the last, where the rules ended the game
    /// there, and `last_side` that side.
    pub fn new(moves: Vec<ReviewedMove>, last_side: usize, end: Option<f64>) -> Self {
        let mut found = vec![Found::default(); moves.len() + 1];
        if let (Some(last), Some(score)) = (found.last_mut(), end) {
            last.whole = Some((Evaluation::ended(score), 1));
        }
        let mut review = Self {
            moves,
            found,
            last_side,
            reached: 0,
            again: 0,
        };
        review.count();
        review
    }

    /// What is done of the review, and all that it may take, in halves of the effort a position. What is left at the end
    /// because no more marks are in doubt counts as done then.
    pub fn progress(&self) -> (usize, usize) {
        let (first, again) = (self.found.len(), self.spare() as usize);
        let all = first + again;
        match self.next() {
            Some(_) => ((self.reached + again.min(self.again as usize)).min(all - 1), all),
            None => (all, all),
        }
    }

    /// Halves of the effort that may go to searching again.
    fn spare(&self) -> u32 {
        let positions = self.found.len() as f64;
        (SHORT_SHARE * positions).min(SHORT).max(SHARE * positions) as u32
    }

    /// The search that is needed next; none when the review is complete.
    pub fn next(&self) -> Option<ReviewQuery> {
        let first = (0..self.found.len()).rev().find_map(|ply| self.needed(ply));
        first.or_else(|| self.doubtful())
    }

    /// What the review needs of a position in any case.
    fn needed(&self, ply: usize) -> Option<ReviewQuery> {
        let found = &self.found[ply];
        let Some((_, searched)) = found.whole else {
            return Some(self.query(ply, false, 1));
        };
        let played = self.moves.get(ply)?;
        if self.is_best(ply) {
            return None;
        }
        let alone = found.alone.as_ref().map_or(0, |a| a.1);
        if played.hidden && alone == 0 {
            return Some(self.query(ply, true, 1));
        }
        self.mark(ply)?;
        if searched == 1 {
            return Some(self.query(ply, false, AGAIN));
        }
        (alone < searched).then(|| self.query(ply, true, searched))
    }

    /// The mark that is confirmed next where effort is left: of those that were searched the shortest the least.
    fn doubtful(&self) -> Option<ReviewQuery> {
        let marked = (0..self.moves.len()).filter(|ply| self.mark(*ply).is_some());
        let doubts = marked.filter_map(|ply| {
            let searched = self.found[ply].whole.as_ref()?.1;
            let next = 2 * searched;
            let fits = next <= LONGEST && self.again + 2 * next <= self.spare();
            fits.then_some((searched, self.loss(ply)?.0, ply))
        });
        let (searched, _, ply) = doubts.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))?;
        Some(self.query(ply, false, 2 * searched))
    }

    /// A search of a position, or of the played move alone.
    fn query(&self, ply: usize, alone: bool, halves: u32) -> ReviewQuery {
        let only = alone.then(|| self.moves[ply].text.clone());
        ReviewQuery { ply, only, halves }
    }

    /// Takes the result of the search that [`Review::next`] asked for. What the review does not need is not looked at.
    pub fn take(&mut self, query: &ReviewQuery, evaluation: Evaluation) {
        if self.next().as_ref() != Some(query) {
            return;
        }
        if query.halves > 1 {
            self.again += query.halves;
        }
        let found = &mut self.found[query.ply];
        let place = match query.only {
            Some(_) => &mut found.alone,
            None => &mut found.whole,
        };
        *place = Some((evaluation, query.halves));
        self.count();
    }

    /// Counts the positions, from the last on, that were reviewed once.
    fn count(&mut self) {
        let all = self.found.len();
        let open = (0..all).rev().find(|ply| self.needed(*ply).is_some());
        self.reached = self.reached.max(all - open.map_or(0, |ply| ply + 1));
    }

    /// Whether the move played at a ply is the one that the search chose.
    fn is_best(&self, ply: usize) -> bool {
        let best = self.found[ply].whole().and_then(|e| e.best.as_deref());
        best == Some(self.moves[ply].text.as_str())
    }

    /// What the move played at a ply is worth to its mover.
    fn played(&self, ply: usize) -> Option<MoveValue> {
        let found = &self.found[ply];
        let own = if self.is_best(ply) {
            found.whole()
        } else {
            found.alone()
        };
        own.map(Evaluation::value).or_else(|| self.behind(ply))
    }

    /// The position behind the move at a ply, seen from its mover.
    fn behind(&self, ply: usize) -> Option<MoveValue> {
        let next = self.found[ply + 1].whole()?.value();
        if self.side(ply + 1) == self.moves[ply].side {
            return Some(next);
        }
        Some(MoveValue {
            score: 1.0 - next.score,
            // Mated on the spot is a mate by the move before.
            mate: next.mate.map(|m| if m == 0 { 1 } else { -m }),
            lead: next.lead.map(|l| -l),
        })
    }

    /// The latest evaluation of a position, for its side to move.
    pub fn evaluation(&self, ply: usize) -> Option<&Evaluation> {
        self.found.get(ply)?.whole()
    }

    /// Who is to move at a ply.
    fn side(&self, ply: usize) -> usize {
        self.moves.get(ply).map_or(self.last_side, |m| m.side)
    }

    /// What the move at a ply cost: expected score, and points of go.
    fn loss(&self, ply: usize) -> Option<(f64, Option<f64>)> {
        if self.is_best(ply) {
            return Some((0.0, self.found[ply].whole()?.lead.map(|_| 0.0)));
        }
        Some(self.found[ply].whole()?.value().cost(&self.played(ply)?))
    }

    /// The mark of the move at a ply: none for the best move, nor where a mate stays a mate.
    fn mark(&self, ply: usize) -> Option<Mark> {
        if self.is_best(ply) {
            return None;
        }
        self.found[ply].whole()?.value().mark(&self.played(ply)?)
    }

    /// The first position that is reviewed.
    fn open(&self) -> usize {
        self.found.len() - self.reached
    }

    /// The review of the move at a ply; none where there is no such move, or it is not reviewed yet.
    pub fn row(&self, ply: usize) -> Option<ReviewRow> {
        if ply < self.open() { None } else { self.reviewed(ply) }
    }

    fn reviewed(&self, ply: usize) -> Option<ReviewRow> {
        let mover = self.moves.get(ply)?;
        let best = self.found[ply].whole()?;
        let score = self.played(ply)?.score;
        let (loss, points) = self.loss(ply)?;
        let luck = self.behind(ply).filter(|_| mover.hidden).map(|b| b.score - score);
        Some(ReviewRow {
            ply,
            side: mover.side,
            played: mover.text.clone(),
            before: best.score.max(score),
            after: score,
            loss,
            points,
            luck,
            mark: self.mark(ply),
            best: best.clone(),
        })
    }

    /// The review of the moves so far, in order.
    pub fn rows(&self) -> Vec<ReviewRow> {
        (self.open()..self.moves.len())
            .filter_map(|ply| self.reviewed(ply))
            .collect()
    }

    /// Expected score of the side that moves first in the game, and in go its lead, at each reviewed position.
    pub fn curve(&self) -> Vec<(usize, f64, Option<f64>)> {
        let point = |ply: usize| {
            let e = self.found[ply].whole()?;
            Some(match self.side(ply) {
                0 => (ply, e.score, e.lead),
                _ => (ply, 1.0 - e.score, e.lead.map(|l| -l)),
            })
        };
        (self.open()..self.found.len()).filter_map(point).collect()
    }

    /// The totals of both sides.
    pub fn totals(&self) -> [ReviewTotals; 2] {
        let rows = self.rows();
        [0, 1].map(|side| {
            let own: Vec<&ReviewRow> = rows.iter().filter(|r| r.side == side).collect();
            let count = own.len().max(1) as f64;
            let sum = |of: &dyn Fn(&ReviewRow) -> Option<f64>| {
                let some: Vec<f64> = own.iter().filter_map(|r| of(r)).collect();
                (!some.is_empty()).then(|| some.iter().sum::<f64>())
            };
            ReviewTotals {
                moves: own.len(),
                marks: Mark::ALL.map(|mark| own.iter().filter(|r| r.mark == Some(mark)).count()),
                loss: own.iter().map(|r| r.loss).sum::<f64>() / count,
                accuracy: own.iter().map(|r| accuracy(r.loss)).sum::<f64>() / count,
                points: sum(&|r| r.points.map(|p| if r.mark.is_some() { p } else { 0.0 })),
                luck: sum(&|r| r.luck),
            }
        })
    }
}
