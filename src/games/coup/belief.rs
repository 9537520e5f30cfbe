//! What may lie face down, and deals drawn from it.

use super::position::Coup;
use super::types::{COVERED, side_of};
use crate::game::Side;
use crate::games::xiangqi_board::types::{KINDS, Kind};

/// What lies under each face-down piece, by point; `None` where nothing does.
pub type Deal = [Option<Kind>; 90];

impl Coup {
    /// A deal that fits what this position's owner knows, each such deal as likely as any other: pieces that the
    /// opponent took unseen stay out. `below` draws a number below its argument, each as likely as any other.
    pub fn deal(&self, mut below: impl FnMut(usize) -> usize) -> Deal {
        let mut deal = [None; 90];
        for side in [Side::First, Side::Second] {
            let mut pool: Vec<Kind> = Vec::new();
            for (kind, &n) in KINDS.iter().zip(self.pool(side)) {
                pool.extend(std::iter::repeat_n(*kind, usize::from(n)));
            }
            (self.board.covered() & self.board.of(side)).for_each(|point| {
                if !pool.is_empty() {
                    let i = below(pool.len()).min(pool.len() - 1);
                    deal[usize::from(point)] = Some(pool.swap_remove(i));
                }
            });
        }
        deal
    }

    /// The chance, in parts of one, that a side's face-down piece is of a kind, as far as this position's owner knows.
    pub fn chance(&self, side: Side, kind: Kind) -> f64 {
        let pool = self.pool(side);
        let all: u32 = pool.iter().map(|&n| u32::from(n)).sum();
        if all == 0 {
            return 0.0;
        }
        f64::from(pool[kind as usize]) / f64::from(all)
    }

    /// Whether a point holds a face-down piece, and whose.
    pub fn face_down(&self, point: u8) -> Option<Side> {
        (usize::from(point) < 90 && self.board.at(point) >= COVERED && self.board.covered().has(point))
            .then(|| side_of(self.board.at(point)))
    }
}
