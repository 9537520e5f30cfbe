//! The review of a game: which searches it takes, and what follows from their results. No search runs here, so that
//! the command line and the page drive the same review.
//!
//! Scores are expected scores, 0 to 1: the chance of a win and half of that of a draw. Positions are searched from the last
//! to the first, with one hash table, so that a mate which the game led to is known when the moves before it are reviewed.
//! A move costs what the best move's score is above its own. Where that is a mark, both are searched again, each for four
//! times as long, and the second result counts: a short search marks good moves of a strong player too.

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
/// How much longer than usual each of the two searches takes that confirm a mark.
const AGAIN: u32 = 4;
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

    /// The end of a game by its rules, for the side to move: 1 for a win, 0.5 for a draw, 0 for a loss.
    pub fn ended(score: f64) -> Self {
        Self {
            score,
            mate: (score == 0.0).then_some(0),
            ..Self::default()
        }
    }
}

/// A search that a review needs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewQuery {
    /// The position: half-moves played.
    pub ply: usize,
    /// Search this move alone.
    pub only: Option<String>,
    /// How many times as long as usual.
    pub times: u32,
}

/// The evaluations of a position.
#[derive(Clone, Debug, Default)]
struct Found {
    /// Of the position, and of the played move alone.
    first: [Option<Evaluation>; 2],
    /// The same, searched again.
    again: [Option<Evaluation>; 2],
}

impl Found {
    /// The latest evaluation of the position.
    fn whole(&self) -> Option<&Evaluation> {
        self.again[0].as_ref().or(self.first[0].as_ref())
    }

    /// The latest evaluation of the played move alone.
    fn alone(&self) -> Option<&Evaluation> {
        self.again[1].as_ref().or(self.first[1].as_ref())
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
            last.first[0] = Some(Evaluation::ended(score));
        }
        Self {
            moves,
            found,
            last_side,
        }
    }

    /// Positions that are reviewed, and all.
    pub fn progress(&self) -> (usize, usize) {
        let open = self.next().map_or(0, |q| q.ply + 1);
        (self.found.len() - open, self.found.len())
    }

    /// The search that is needed next; none when the review is complete.
    pub fn next(&self) -> Option<ReviewQuery> {
        (0..self.found.len()).rev().find_map(|ply| self.needed(ply))
    }

    fn needed(&self, ply: usize) -> Option<ReviewQuery> {
        let query = |alone: bool, times| {
            let only = alone.then(|| self.moves[ply].text.clone());
            Some(ReviewQuery { ply, only, times })
        };
        let found = &self.found[ply];
        if found.first[0].is_none() {
            return query(false, 1);
        }
        let played = self.moves.get(ply)?;
        if self.is_best(ply) {
            return None;
        }
        if played.hidden && found.first[1].is_none() {
            return query(true, 1);
        }
        if found.again[0].is_some() {
            return if found.again[1].is_none() {
                query(true, AGAIN)
            } else {
                None
            };
        }
        self.mark(ply).and_then(|_| query(false, AGAIN))
    }

    /// Takes the result of the search that [`Review::next`] asked for. What the review does not need is not looked at.
    pub fn take(&mut self, query: &ReviewQuery, evaluation: Evaluation) {
        if self.next().as_ref() != Some(query) {
            return;
        }
        let alone = usize::from(query.only.is_some());
        let found = &mut self.found[query.ply];
        let slots = if query.times > 1 {
            &mut found.again
        } else {
            &mut found.first
        };
        slots[alone] = Some(evaluation);
    }

    /// Whether the move played at a ply is the one that the search chose.
    fn is_best(&self, ply: usize) -> bool {
        let best = self.found[ply].whole().and_then(|e| e.best.as_deref());
        best == Some(self.moves[ply].text.as_str())
    }

    /// Score, mate and lead of the move played at a ply, for its mover.
    fn played(&self, ply: usize) -> Option<(f64, Option<i32>, Option<f64>)> {
        let found = &self.found[ply];
        if self.is_best(ply) {
            return found.whole().map(|e| (e.score, e.mate, e.lead));
        }
        if let Some(e) = found.alone() {
            return Some((e.score, e.mate, e.lead));
        }
        let next = self.behind(ply)?;
        Some((next.0, next.1, next.2))
    }

    /// The position behind the move at a ply, seen from its mover.
    fn behind(&self, ply: usize) -> Option<(f64, Option<i32>, Option<f64>)> {
        let next = self.found[ply + 1].whole()?;
        if self.side(ply + 1) == self.moves[ply].side {
            return Some((next.score, next.mate, next.lead));
        }
        // Mated on the spot is a mate by the move before.
        let mate = next.mate.map(|m| if m == 0 { 1 } else { -m });
        Some((1.0 - next.score, mate, next.lead.map(|l| -l)))
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
        let best = self.found[ply].whole()?;
        let (score, _, lead) = self.played(ply)?;
        let points = best.lead.zip(lead).map(|(best, played)| (best - played).max(0.0));
        Some(((best.score - score).max(0.0), points))
    }

    /// The mark of the move at a ply: none for the best move, nor where a mate stays a mate.
    fn mark(&self, ply: usize) -> Option<Mark> {
        if self.is_best(ply) {
            return None;
        }
        let wins = |mate: Option<i32>| mate.is_some_and(|m| m > 0);
        let (_, mate, _) = self.played(ply)?;
        if wins(mate) && wins(self.found[ply].whole()?.mate) {
            return None;
        }
        let (loss, points) = self.loss(ply)?;
        Mark::of_loss(loss, points)
    }

    /// The review of the move at a ply; none where there is no such move, or it is not reviewed yet.
    pub fn row(&self, ply: usize) -> Option<ReviewRow> {
        let open = self.next().map_or(0, |q| q.ply + 1);
        if ply < open { None } else { self.reviewed(ply) }
    }

    fn reviewed(&self, ply: usize) -> Option<ReviewRow> {
        let mover = self.moves.get(ply)?;
        let best = self.found[ply].whole()?;
        let (score, ..) = self.played(ply)?;
        let (loss, points) = self.loss(ply)?;
        let luck = self.behind(ply).filter(|_| mover.hidden).map(|b| b.0 - score);
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
        let open = self.next().map_or(0, |q| q.ply + 1);
        (open..self.moves.len()).filter_map(|ply| self.reviewed(ply)).collect()
    }

    /// Expected score of the side that moves first in the game, and in go its lead, at each reviewed position.
    pub fn curve(&self) -> Vec<(usize, f64, Option<f64>)> {
        let open = self.next().map_or(0, |q| q.ply + 1);
        let point = |ply: usize| {
            let e = self.found[ply].whole()?;
            Some(match self.side(ply) {
                0 => (ply, e.score, e.lead),
                _ => (ply, 1.0 - e.score, e.lead.map(|l| -l)),
            })
        };
        (open..self.found.len()).filter_map(point).collect()
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
