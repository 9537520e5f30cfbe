//! The weights of the hand-written evaluation: one flat table of (opening, ending) pairs in groups, as a tuner reads and
//! writes it.

use crate::game::weights::weight_groups;

weight_groups! {
    /// A piece face up, by kind.
    Material: 7;
    /// A piece face up on a point of the left half, mirrored for the right: kind after kind, rank by rank from its own
    /// edge.
    At: 7 * 50;
    /// A piece face down, by what it moves as.
    CoveredAs: 7;
    /// A piece face down, in eighths, by the share of each kind in what may lie there.
    CoveredPool: 7;
    /// Points that a chariot face up may go to.
    ChariotMoves: 18;
    /// Free points that a cannon may go to, face up or down.
    CannonMoves: 18;
    /// Points that a horse face up may go to.
    HorseMoves: 9;
    /// Points that an advisor face up may go to.
    AdvisorMoves: 5;
    /// Points that an elephant may go to, face up or down.
    ElephantMoves: 5;
    /// Each point that a horse, a chariot face down may go to.
    CoveredMoves: 2;
    /// Attacks on points of the enemy's palace, up to 15.
    Siege: 16;
    /// A cannon on the enemy general's file with none, one, two pieces between.
    CannonLine: 3;
    /// A piece attacked and not protected, by kind, then one face down: of the side to move, of the other.
    Loose: 2 * 8;
    /// A piece attacked and protected, likewise.
    Held: 2 * 8;
}

/// The bonus of being to move.
pub const TEMPO: i32 = 14;

pub use super::hce_table::WEIGHTS;
