//! Drops: where each kind may go, and the pawn drop that mates.

use super::attacks::{king, pawn};
use super::position::ShogiBoard;
use super::types::{BOARD, Kind, NO_KING, TOP, dead_end, far};
use crate::bits::Bb128;
use crate::game::Side;

/// The points of rank i.
const BOTTOM: u128 = far(Side::Second, 1).0;

impl ShogiBoard {
    /// The files that hold no unpromoted pawn of the side. One subtraction does all files: in each, the bit of the last
    /// rank survives unless a pawn is taken from it, and no borrow leaves a file.
    #[inline]
    pub fn open_files(&self, side: Side) -> Bb128 {
        let left = BOTTOM - self.pieces(side, Kind::Pawn).0;
        let top = left & BOTTOM;
        Bb128(top | (top - (top >> 8)))
    }

    /// Where among the empty points `free` a side may drop a kind; the pawn drop that mates is not left out.
    #[inline]
    pub fn drop_points(&self, side: Side, kind: Kind, free: Bb128) -> Bb128 {
        match kind {
            Kind::Pawn => free.without(dead_end(side, kind)) & self.open_files(side),
            _ => free.without(dead_end(side, kind)),
        }
    }

    /// The same without the pawn drop that mates. The side to move must be the dropping one.
    #[inline]
    pub(super) fn pawn_drops(&self, side: Side, free: Bb128) -> Bb128 {
        let points = self.drop_points(side, Kind::Pawn, free);
        let target = self.king(side.other());
        if target == NO_KING {
            return points;
        }
        let head = pawn(side.other(), target) & points;
        if head.any() && self.pawn_drop_mates(side, head.first(), target) {
            points.without(head)
        } else {
            points
        }
    }

    /// Whether a pawn dropped on `to`, before the king on `target`, mates.
    fn pawn_drop_mates(&self, side: Side, to: u8, target: u8) -> bool {
        let them = side.other();
        let end = Bb128::of(to);
        let occupied = self.occupied() | end;
        // The king takes the pawn.
        if !self.attacked(to, occupied, side) {
            return false;
        }
        // Another piece takes it, if it may leave its place.
        let takers = self.attackers(to, occupied, them).without(Bb128::of(target));
        for from in takers {
            if self
                .sliders_to(target, occupied.without(Bb128::of(from)), side)
                .is_empty()
            {
                return false;
            }
        }
        // The king steps aside; it no longer shelters the points behind it.
        let without_king = occupied.without(Bb128::of(target));
        let steps = king(target).without(self.of(them)).without(end);
        for step in steps {
            if !self.attacked(step, without_king, side) {
                return false;
            }
        }
        true
    }
}

/// Nine files of nine points.
const _: () = assert!(TOP.0 * 0x1ff == BOARD.0);
