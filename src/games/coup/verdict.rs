//! The verdict by the rules: mate, the limit of moves without a capture, repetition, perpetual check and perpetual chase.

use super::position::{Coup, Turn};
use super::types::{EMPTY, Ruleset};
use crate::game::{Ending, Verdict};

/// Checks or chases in a row that are allowed to one piece; to two pieces twice as many, to three or more three times.
const RUN_LIMIT: usize = 6;
/// Occurrences of a position that end the game.
const SIXFOLD: usize = 6;
/// Occurrences that draw under `tiantian`, where nobody checks perpetually.
const THREEFOLD: usize = 3;

impl Coup {
    /// The verdict in the tree, where one repetition is enough.
    #[inline]
    pub(super) fn verdict(&self, ply: usize) -> Verdict {
        let limit = self.rules.no_capture_limit;
        if limit != 0 && self.now.quiet >= limit {
            return if self.can_move() { Verdict::Draw } else { Verdict::Open };
        }
        let them = self.board.side.other();
        if self.rules.ruleset == Ruleset::Kyvuong
            && usize::from(self.now.checks[them.index()]) > RUN_LIMIT
            && self.over_checked()
        {
            return if self.can_move() { Verdict::Win } else { Verdict::Open };
        }
        match self.repeated(ply) {
            0 => Verdict::Open,
            back => self.cycle_verdict(back),
        }
    }

    /// The verdict on a cycle in the tree, as if it were repeated without end.
    #[cold]
    fn cycle_verdict(&self, back: usize) -> Verdict {
        let turns = back / 2;
        let run = |side: usize| usize::from(self.now.checks[side]) >= turns;
        let (us, them) = (self.board.side.index(), self.board.side.other().index());
        match (run(us), run(them)) {
            (true, false) => return Verdict::Loss,
            (false, true) => return Verdict::Win,
            (true, true) => return Verdict::Draw,
            _ => (),
        }
        if self.rules.ruleset == Ruleset::Tiantian {
            return Verdict::Draw;
        }
        // The opponent has just moved; our own last move is one half-move back.
        let theirs = self.chase_run(0, turns).0 >= turns;
        let ours = self.chase_run(1, turns).0 >= turns;
        match (ours, theirs) {
            (true, false) => Verdict::Loss,
            (false, true) => Verdict::Win,
            _ => Verdict::Draw,
        }
    }

    /// Whether the side that has just moved has checked more often in a row than its checking pieces may, the other
    /// side not checking in turn.
    #[cold]
    fn over_checked(&self) -> bool {
        let (us, them) = (self.board.side.index(), self.board.side.other().index());
        let run = usize::from(self.now.checks[them]);
        if usize::from(self.now.checks[us]) + 1 >= run {
            return false;
        }
        run > RUN_LIMIT * self.checking_pieces(run).clamp(1, 3)
    }

    /// The distinct pieces that gave the last `run` checks of the side that has just moved.
    fn checking_pieces(&self, run: usize) -> usize {
        // Each piece is known by where it stands now.
        let mut stands: [u8; 90] = std::array::from_fn(|p| p as u8);
        let mut pieces = 0u128;
        for i in 0..run {
            let t = 2 * i;
            if t > self.past.len() {
                break;
            }
            self.ago(t).checkers.for_each(|p| {
                if let Some(&now) = stands.get(usize::from(p))
                    && now != u8::MAX
                {
                    pieces |= 1 << now;
                }
            });
            // Back over the side's own move and the answer before it, which may have taken the last place of nothing.
            for t in [t, t + 1].into_iter().filter(|&t| t < self.past.len()) {
                let m = self.ago(t).last;
                if m.from() != m.to() {
                    stands[usize::from(m.from())] = stands[usize::from(m.to())];
                    // A piece taken there is gone now; it counts by itself, beyond the board.
                    stands[usize::from(m.to())] = if self.ago(t).taken == EMPTY {
                        u8::MAX
                    } else {
                        (90 + t % 38) as u8
                    };
                }
            }
        }
        pieces.count_ones() as usize
    }

    /// The end of the game by its full rules.
    pub(super) fn ended(&self) -> Option<Ending> {
        if self.now.more.turn == Turn::Pending {
            return None;
        }
        let end = |verdict, reason| Some(Ending { verdict, reason });
        if !self.can_move() {
            return end(
                Verdict::Loss,
                if self.now.checkers.any() {
                    "checkmate"
                } else {
                    "no legal move"
                },
            );
        }
        let limit = self.rules.no_capture_limit;
        let spent = limit != 0 && self.now.quiet >= limit;
        let times = 1 + self.occurrences();
        match self.rules.ruleset {
            Ruleset::Kyvuong => {
                if self.over_checked() {
                    return end(Verdict::Win, "perpetual check");
                }
                if self.over_chased() {
                    return end(Verdict::Win, "perpetual chase");
                }
                if times >= SIXFOLD {
                    return end(Verdict::Draw, "sixfold repetition");
                }
            }
            Ruleset::Tiantian if times >= THREEFOLD => {
                let turns = self.cycle() / 2;
                let checks = self.now.checks.map(|run| usize::from(run) >= turns);
                let (us, them) = (self.board.side.index(), self.board.side.other().index());
                match (checks[us], checks[them]) {
                    (true, false) if times >= SIXFOLD => return end(Verdict::Loss, "perpetual check"),
                    (false, true) if times >= SIXFOLD => return end(Verdict::Win, "perpetual check"),
                    (true, false) | (false, true) => (),
                    _ => return end(Verdict::Draw, "threefold repetition"),
                }
            }
            Ruleset::Tiantian => (),
        }
        if spent {
            return end(Verdict::Draw, "no capture for too long");
        }
        None
    }

    /// How often the position stood before.
    fn occurrences(&self) -> usize {
        let n = self.keys.len();
        (4..=usize::from(self.now.free).min(n))
            .step_by(2)
            .filter(|back| self.keys[n - back] == self.now.key)
            .count()
    }

    /// Half-moves since the position stood last.
    fn cycle(&self) -> usize {
        let n = self.keys.len();
        (4..=usize::from(self.now.free).min(n))
            .step_by(2)
            .find(|back| self.keys[n - back] == self.now.key)
            .unwrap_or(0)
    }

    /// Whether the side that has just moved has chased a piece more often in a row than its chasing pieces may.
    fn over_chased(&self) -> bool {
        let (run, hunters) = self.chase_run(0, 3 * RUN_LIMIT + 1);
        run > RUN_LIMIT * hunters.clamp(1, 3)
    }
}
