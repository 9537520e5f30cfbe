//! Entering kings: the declaration of a win by points, and the try.

use super::position::{Shogi, ShogiBoard};
use super::types::{DROPS, EnteringKing, Kind, NO_KING, zone};
use crate::game::Side;

/// The points that a declaration by 24 points needs to win; from [`DRAWN_POINTS`] on it draws.
const SURE_POINTS: u32 = 31;
const DRAWN_POINTS: u32 = 24;

impl ShogiBoard {
    /// Pieces of a side in its far three ranks without the king, and its points there and in hand: bishops and rooks
    /// count five, all others one.
    pub fn impasse_count(&self, side: Side) -> (u32, u32) {
        let big = |kind| matches!(kind, Kind::Bishop | Kind::Rook);
        let inside = (self.of(side) & zone(side)).without(self.kind(Kind::King));
        let majors = self.kind(Kind::Bishop) | self.kind(Kind::Rook) | self.kind(Kind::Horse) | self.kind(Kind::Dragon);
        let hand = self.hand(side);
        let held: u32 = DROPS.iter().map(|&k| hand.count(k) * if big(k) { 5 } else { 1 }).sum();
        (inside.len(), inside.len() + 4 * (inside & majors).len() + held)
    }

    /// The start point of the other side's king, which a try must reach.
    #[inline]
    pub const fn try_point(side: Side) -> u8 {
        match side {
            Side::First => 36,
            Side::Second => 44,
        }
    }
}

impl Shogi {
    /// Whether the side to move may declare to have won.
    pub(super) fn may_claim(&self) -> bool {
        let side = self.board.side;
        let floor = match (self.rules.entering_king, side) {
            (EnteringKing::Csa27, Side::First) => 28,
            (EnteringKing::Csa27, Side::Second) => 27,
            (EnteringKing::Csa24, _) => SURE_POINTS,
            _ => return false,
        };
        self.points_reach(floor)
    }

    /// Whether the side to move may declare a draw, which only the rule of 24 points has.
    pub fn may_declare_draw(&self) -> bool {
        self.rules.entering_king == EnteringKing::Csa24 && self.points_reach(DRAWN_POINTS)
    }

    #[inline]
    fn points_reach(&self, floor: u32) -> bool {
        let b = &self.board;
        let home = b.king(b.side);
        if home == NO_KING || !zone(b.side).has(home) || self.now.checkers.any() {
            return false;
        }
        let (pieces, points) = b.impasse_count(b.side);
        pieces >= 10 && points >= floor
    }

    /// Whether the side that has just moved stands on the point of its try, safely because its move was legal.
    #[inline]
    pub(super) fn tried(&self) -> bool {
        let them = self.board.side.other();
        self.rules.entering_king == EnteringKing::Try && self.board.king(them) == ShogiBoard::try_point(them)
    }
}
