//! The staged move picker: moves in the order in which they are likely to refute, generated only as far as needed.

use super::worker::Worker;
use crate::game::{Evaluator, Kind, Move, Position, Score, Tunables};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Stage {
    TableMove,
    MakeTactical,
    GoodTactical,
    MakeQuiet,
    Quiet,
    BadTactical,
    End,
}

/// The moves that a node searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveFilter {
    /// All of them.
    All,
    /// Captures and promotions that win at least this much by exchanges.
    Tactical(i32),
}

/// Which quiet moves are still worth a look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quiets {
    /// All of them.
    All,
    /// Those that give check.
    Checks,
    /// None.
    None,
}

/// Bits of a move's place in [`rank`], and how many places they tell apart: more than the 593 moves that a position of
/// any game has at most.
const PLACE_BITS: u32 = 10;
const PLACES: i32 = 1 << PLACE_BITS;

/// Score and place of a move in one number, so that the search for the best has no branch that depends on the scores; of
/// equal scores the first is the best. There is room for scores up to two million.
#[inline]
pub(super) fn rank(score: Score, place: usize) -> i32 {
    debug_assert!(
        score << PLACE_BITS >> PLACE_BITS == score && place < PLACES as usize,
        "score {score}, place {place}"
    );
    score << PLACE_BITS | (PLACES - 1 - place as i32)
}

/// The place in a [`rank`].
#[inline]
pub(super) fn place(rank: i32) -> usize {
    (PLACES - 1 - (rank & (PLACES - 1))) as usize
}

/// Hands out the moves of one node. They live in the worker's arena from the picker's start mark on.
pub struct Picker<P: Position> {
    stage: Stage,
    filter: MoveFilter,
    table_move: P::Move,
    /// Made with the quiet moves, which are many.
    check_map: Option<P::CheckMap>,
    ply: usize,
    start: usize,
    next: usize,
    end: usize,
    /// Losing captures are moved to the front, `start..bad`, for the last stage.
    bad: usize,
    /// Lowered by the search when the remaining quiet moves are no longer worth a look.
    pub quiets: Quiets,
}

impl<P: Position> Picker<P> {
    /// A picker for the position of `w`; `table_move` is a legal move or `NONE`.
    pub fn new<E: Evaluator<P>>(w: &Worker<P, E>, ply: usize, table_move: P::Move, filter: MoveFilter) -> Self {
        let start = w.moves.len();
        let stage = if table_move == P::Move::NONE {
            Stage::MakeTactical
        } else {
            Stage::TableMove
        };
        Self {
            stage,
            filter,
            table_move,
            check_map: None,
            ply,
            start,
            next: start,
            end: start,
            bad: start,
            quiets: Quiets::All,
        }
    }

    /// Releases the arena's part. Call when the node is done.
    pub fn finish<E: Evaluator<P>>(self, w: &mut Worker<P, E>) {
        w.moves.truncate(self.start);
    }

    /// Whether the move just handed out comes from the quiet stage or later.
    pub fn past_good_captures(&self) -> bool {
        self.stage >= Stage::MakeQuiet
    }

    /// Whether a legal move checks.
    #[inline]
    pub fn gives_check(&self, pos: &P, mv: P::Move) -> bool {
        match &self.check_map {
            Some(map) => pos.checks(map, mv),
            None => pos.gives_check(mv),
        }
    }

    /// The next move, or `NONE` when there are no more. The table's entry of the position after it is fetched at once, of quiet
    /// moves while the one before is searched, so that it is there when that node asks for it.
    pub fn next<E: Evaluator<P>>(&mut self, w: &mut Worker<P, E>) -> P::Move {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::MakeTactical;
                    w.prefetch(self.table_move);
                    return self.table_move;
                }
                Stage::MakeTactical => {
                    w.pos.generate(Kind::Tactical, &mut w.moves);
                    self.end = w.moves.len();
                    w.score_tactical(self.start);
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => {
                    if self.next == self.end {
                        self.stage = if self.filter == MoveFilter::All {
                            Stage::MakeQuiet
                        } else {
                            Stage::End
                        };
                        continue;
                    }
                    let i = self.select(w);
                    let mv = w.moves.at(i).mv;
                    if mv == self.table_move {
                        continue;
                    }
                    w.prefetch(mv);
                    let floor = match self.filter {
                        MoveFilter::All => -w.moves.at(i).score / P::Tune::order_good_capture(),
                        MoveFilter::Tactical(floor) => floor,
                    };
                    if w.pos.see_ge(mv, floor) {
                        return mv;
                    }
                    w.moves.swap(self.bad, i);
                    self.bad += 1;
                }
                Stage::MakeQuiet => {
                    self.stage = Stage::Quiet;
                    self.next = w.moves.len();
                    if self.quiets != Quiets::None {
                        w.pos.generate(Kind::Quiet, &mut w.moves);
                        let map = self.check_map.insert(w.pos.check_map());
                        w.score_quiet(self.next, self.ply, map);
                    }
                    self.end = w.moves.len();
                    // Scoring has brought the best of them to the front.
                    if self.next < self.end {
                        w.prefetch(w.moves.at(self.next).mv);
                    }
                }
                Stage::Quiet => {
                    if self.next == self.end || self.quiets == Quiets::None {
                        (self.stage, self.next, self.end) = (Stage::BadTactical, self.start, self.bad);
                        continue;
                    }
                    if self.quiets == Quiets::All {
                        let mv = self.next_quiet(w);
                        if mv != self.table_move {
                            return mv;
                        }
                        continue;
                    }
                    // The few checks among late moves need no order.
                    let mv = w.moves.at(self.next).mv;
                    self.next += 1;
                    if mv != self.table_move && self.gives_check(&w.pos, mv) {
                        w.prefetch(mv);
                        return mv;
                    }
                }
                Stage::BadTactical => {
                    if self.next == self.end {
                        self.stage = Stage::End;
                        continue;
                    }
                    self.next += 1;
                    let mv = w.moves.at(self.next - 1).mv;
                    w.prefetch(mv);
                    return mv;
                }
                Stage::End => return P::Move::NONE,
            }
        }
    }

    /// The best of the remaining quiet moves, which is at `next`. The one after it is brought there and its entry fetched: most
    /// nodes that come to quiet moves try several, and what the first takes covers the wait for the second.
    fn next_quiet<E: Evaluator<P>>(&mut self, w: &mut Worker<P, E>) -> P::Move {
        let mv = w.moves.at(self.next).mv;
        self.next += 1;
        if self.next < self.end {
            let second = self.select(w);
            w.prefetch(w.moves.at(second).mv);
            self.next = second;
        }
        mv
    }

    /// Brings the best of the remaining moves forward and steps past it.
    fn select<E: Evaluator<P>>(&mut self, w: &mut Worker<P, E>) -> usize {
        let rest = &mut w.moves.since(self.next)[..self.end - self.next];
        let best = rest
            .iter()
            .enumerate()
            .map(|(i, s)| rank(s.score, i))
            .fold(i32::MIN, i32::max);
        rest.swap(0, place(best));
        self.next += 1;
        self.next - 1
    }
}

#[cfg(test)]
mod tests {
    use super::{PLACES, place, rank};

    #[test]
    fn the_best_score_wins_and_of_equal_ones_the_first() {
        let best = |scores: &[i32]| {
            place(
                scores
                    .iter()
                    .enumerate()
                    .map(|(i, &s)| rank(s, i))
                    .fold(i32::MIN, i32::max),
            )
        };
        assert_eq!(best(&[3, 7, 7, -1]), 1);
        assert_eq!(best(&[-200_000, -3, -3]), 1);
        assert_eq!(best(&[-1, 0, -1]), 1);
        let mut many = vec![-2_000_000; PLACES as usize];
        assert_eq!(best(&many), 0);
        many[PLACES as usize - 1] = 2_000_000;
        assert_eq!(best(&many), PLACES as usize - 1);
    }
}
