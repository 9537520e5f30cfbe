//! The weights of the hand-written evaluation: one flat table of (middle game, endgame) pairs in groups, as a tuner
//! reads and writes it.

use crate::game::weights::weight_groups;

weight_groups! {
    /// Each piece of a kind, general first.
    Material: 7;
    /// A general on a point of the left half, mirrored for the right: rank by rank from its own edge.
    GeneralAt: 50;
    /// An advisor on a point, as the general.
    AdvisorAt: 50;
    /// An elephant on a point, as the general.
    ElephantAt: 50;
    /// A horse on a point of the left half, mirrored for the right: rank by rank from its own edge.
    HorseAt: 50;
    /// A chariot on a point of the left half, mirrored for the right: rank by rank from its own edge.
    ChariotAt: 50;
    /// A cannon on a point of the left half, mirrored for the right: rank by rank from its own edge.
    CannonAt: 50;
    /// A soldier on a point of the left half, mirrored for the right: rank by rank from its own edge.
    SoldierAt: 50;
    /// A horse by the number of points it reaches.
    HorseMobility: 9;
    /// Each blocked leg of a horse.
    HorseLeg: 1;
    /// A chariot by the number of points it reaches.
    ChariotMobility: 18;
    /// A cannon by the number of points it slides to.
    CannonMobility: 18;
    /// A chariot on a file without own soldiers.
    ChariotOpen: 1;
    /// A chariot across the river on a file beside the middle one.
    ChariotRib: 1;
    /// A chariot that sees the enemy general through one piece.
    ChariotPin: 1;
    /// A cannon facing the enemy general along a bare file.
    EmptyCannon: 1;
    /// A cannon on the enemy general's file behind two pieces.
    CannonFile: 1;
    /// A cannon on the enemy's edge, its general on it too.
    BottomCannon: 1;
    /// A bottom cannon that would check but for one piece too many.
    BottomCannonTwo: 1;
    /// Soldiers across the river, by number.
    Crossed: 7;
    /// Two soldiers across the river side by side.
    SoldierPair: 1;
    /// Guards left: advisors times three and elephants.
    Guards: 9;
    /// Missing advisors times enemy chariots.
    AdvisorGap: 1;
    /// Missing elephants times enemy cannons.
    ElephantGap: 1;
    /// Points from which the general is seen along open lines, while the enemy has a chariot.
    OpenGeneral: 1;
    /// Points of the enemy palace attacked, each by each piece.
    Siege: 16;
    /// An enemy piece attacked and not protected, by its kind.
    Hanging: 7;
    /// The enemy's chariot attacked by less.
    ChariotThreat: 1;
    /// An enemy's horse or cannon attacked by a soldier or guard.
    OfficerThreat: 1;
    /// A chariot while the enemy has none.
    OnlyChariot: 1;
    /// Horse and cannon together.
    HorseAndCannon: 1;
}

/// The bonus of being to move.
pub const TEMPO: i32 = 12;

pub use super::hce_table::WEIGHTS;
