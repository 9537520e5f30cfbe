//! The weights of the hand-written evaluation: one flat table of (middle game, endgame) pairs in groups, as a tuner
//! reads and writes it.

macro_rules! groups {
    ($($(#[doc = $doc:literal])+ $name:ident : [$($value:expr),+ $(,)?];)+) => {
        /// Groups of weights.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Group { $($(#[doc = $doc])+ $name,)+ }

        /// Names and values of the groups, in the order of [`Group`].
        pub const GROUPS: &[(&str, &[(i16, i16)])] = &[$((stringify!($name), &[$($value),+]),)+];
    };
}

impl Group {
    /// Where the group starts in [`WEIGHTS`].
    pub const fn start(self) -> usize {
        let (mut i, mut sum) = (0, 0);
        while i < self as usize {
            sum += GROUPS[i].1.len();
            i += 1;
        }
        sum
    }
}

/// Weights of all groups.
pub const COUNT: usize = {
    let (mut i, mut sum) = (0, 0);
    while i < GROUPS.len() {
        sum += GROUPS[i].1.len();
        i += 1;
    }
    sum
};

/// All weights, group after group: (middle game, endgame).
pub static WEIGHTS: [(i16, i16); COUNT] = {
    let mut flat = [(0, 0); COUNT];
    let (mut group, mut n) = (0, 0);
    while group < GROUPS.len() {
        let mut i = 0;
        while i < GROUPS[group].1.len() {
            flat[n] = GROUPS[group].1[i];
            n += 1;
            i += 1;
        }
        group += 1;
    }
    flat
};

/// The bonus of being to move.
pub const TEMPO: i32 = 12;

#[rustfmt::skip]
mod table {
groups! {
    /// Each piece of a kind, general first.
    Material: [
        (0, 0), (169, 132), (188, 165), (397, 385), (924, 940), (444, 375), (79, 75),
    ];
    /// A general on a point of the left half, mirrored for the right: rank by rank from its own edge.
    GeneralAt: [
        (0, 0), (0, 0), (0, 0), (8, 6), (23, 2),
        (0, 0), (0, 0), (0, 0), (-38, 4), (-5, 0),
        (0, 0), (0, 0), (0, 0), (-31, -4), (-31, -4),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// An advisor on a point, as the general.
    AdvisorAt: [
        (0, 0), (0, 0), (0, 0), (-6, -22), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (22, -14),
        (0, 0), (0, 0), (0, 0), (-35, -33), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// An elephant on a point, as the general.
    ElephantAt: [
        (0, 0), (0, 0), (0, -18), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (-20, 4), (0, 0), (0, 0), (0, 0), (42, -24),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (-37, -13), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// A horse on a point of the left half, mirrored for the right: rank by rank from its own edge.
    HorseAt: [
        (-40, -34), (-50, -39), (-10, -14), (-23, -24), (-22, -15),
        (-46, -27), (-12, -7), (-33, -22), (-23, -14), (-22, 1),
        (-18, -21), (-11, -2), (-8, -5), (30, 19), (2, -7),
        (-13, -12), (-4, 3), (2, 8), (6, 7), (18, 12),
        (0, -1), (1, 10), (33, 16), (31, 11), (17, 22),
        (4, 3), (27, 14), (22, 13), (29, 20), (14, 20),
        (4, 3), (36, 33), (37, 19), (46, 28), (17, 17),
        (19, 17), (19, 10), (34, 18), (50, 19), (32, 26),
        (0, -4), (11, 11), (40, 19), (20, 19), (13, 10),
        (-24, -21), (-19, -13), (-7, -9), (-4, -3), (-8, -3),
    ];
    /// A chariot on a point of the left half, mirrored for the right: rank by rank from its own edge.
    ChariotAt: [
        (-29, -8), (-16, -7), (16, -3), (4, 1), (-10, -3),
        (-9, -15), (-22, -7), (-3, -10), (1, 6), (-8, -2),
        (-18, -2), (-2, -4), (3, 4), (23, 13), (1, 11),
        (5, 1), (-3, 0), (9, 5), (14, 5), (4, -2),
        (4, -4), (6, -2), (1, 0), (5, 7), (9, 4),
        (0, -1), (9, -6), (21, 13), (22, 9), (23, 24),
        (-2, 12), (11, 4), (32, 13), (13, 14), (9, 15),
        (9, 7), (14, -1), (12, 7), (24, 20), (12, 5),
        (6, 6), (21, 5), (8, 1), (25, 16), (15, 13),
        (5, 7), (5, -2), (5, -2), (10, 3), (9, 7),
    ];
    /// A cannon on a point of the left half, mirrored for the right: rank by rank from its own edge.
    CannonAt: [
        (-9, 1), (-12, -4), (-13, -3), (-18, -7), (4, 14),
        (18, 4), (-6, 6), (-6, 3), (-8, -2), (-3, 10),
        (8, 8), (-12, 6), (8, 5), (16, 26), (37, 15),
        (-5, 0), (-8, 1), (-1, 2), (-1, -3), (18, 10),
        (13, 3), (4, 5), (6, -3), (9, -3), (19, -3),
        (3, 2), (-12, -1), (-5, -2), (7, -3), (37, 17),
        (22, 15), (1, 1), (4, -7), (-2, -13), (-3, 3),
        (0, 1), (4, -7), (-12, -5), (1, -4), (-1, -5),
        (9, -3), (-4, -2), (-1, 2), (0, 3), (8, -1),
        (19, 16), (0, -20), (10, -3), (6, -6), (18, 6),
    ];
    /// A soldier on a point of the left half, mirrored for the right: rank by rank from its own edge.
    SoldierAt: [
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (-3, -14), (0, 0), (-26, 4), (0, 0), (29, -1),
        (-3, 12), (8, 12), (7, 19), (8, 12), (36, 34),
        (6, 49), (31, 57), (30, 57), (51, 72), (46, 64),
        (22, 67), (57, 85), (68, 87), (68, 81), (94, 108),
        (43, 72), (69, 91), (85, 98), (117, 136), (110, 118),
        (42, 53), (57, 64), (69, 77), (106, 97), (105, 115),
        (-28, -47), (-10, -30), (0, -17), (8, -19), (12, -10),
    ];
    /// A horse by the number of points it reaches.
    HorseMobility: [
        (-46, -33), (-10, -19), (-15, -11), (-6, 4), (-2, 10), (-1, 7), (20, -8), (15, 2), (24, 8),
    ];
    /// Each blocked leg of a horse.
    HorseLeg: [
        (-3, -5),
    ];
    /// A chariot by the number of points it reaches.
    ChariotMobility: [
        (-18, -24), (-25, -21), (-22, -25), (-27, -18), (-21, -18), (-5, -10), (-10, -11), (11, -8), (-9, -11), (2, 6), (2, 0), (-4, 4), (-10, 1), (-7, 1), (9, 12), (16, 11), (1, -1), (7, 4),
    ];
    /// A cannon by the number of points it slides to.
    CannonMobility: [
        (-13, -14), (-1, -4), (-12, -3), (-5, -9), (2, 3), (-5, -2), (-4, -5), (-2, -2), (8, -4), (-2, 3), (0, -4), (3, 1), (13, -1), (-1, -2), (10, -3), (11, 5), (3, 5), (2, 0),
    ];
    /// A chariot on a file without own soldiers.
    ChariotOpen: [
        (25, 7),
    ];
    /// A chariot across the river on a file beside the middle one.
    ChariotRib: [
        (9, 6),
    ];
    /// A chariot that sees the enemy general through one piece.
    ChariotPin: [
        (27, 8),
    ];
    /// A cannon facing the enemy general along a bare file.
    EmptyCannon: [
        (101, 25),
    ];
    /// A cannon on the enemy general's file behind two pieces.
    CannonFile: [
        (18, 26),
    ];
    /// A cannon on the enemy's edge, its general on it too.
    BottomCannon: [
        (1, 4),
    ];
    /// A bottom cannon that would check but for one piece too many.
    BottomCannonTwo: [
        (5, -7),
    ];
    /// Soldiers across the river, by number.
    Crossed: [
        (-9, 28), (15, 1), (14, 0), (30, 46), (40, 51), (45, 55), (45, 55),
    ];
    /// Two soldiers across the river side by side.
    SoldierPair: [
        (10, -2),
    ];
    /// Guards left: advisors times three and elephants.
    Guards: [
        (-49, -10), (-28, -22), (-25, -5), (-32, -5), (-31, -33), (-23, -19), (-23, -14), (-11, -14), (13, -8),
    ];
    /// Missing advisors times enemy chariots.
    AdvisorGap: [
        (-5, -32),
    ];
    /// Missing elephants times enemy cannons.
    ElephantGap: [
        (2, 12),
    ];
    /// Points from which the general is seen along open lines, while the enemy has a chariot.
    OpenGeneral: [
        (-11, 5),
    ];
    /// Points of the enemy palace attacked, each by each piece.
    Siege: [
        (10, 13), (0, 9), (3, 4), (16, 1), (21, -7), (21, 11), (26, 19), (33, 23), (50, 28), (62, 33), (76, 40), (88, 46), (103, 54), (118, 61), (135, 70), (153, 78),
    ];
    /// An enemy piece attacked and not protected, by its kind.
    Hanging: [
        (0, 0), (25, 22), (34, 20), (19, 36), (23, 22), (30, 20), (22, 16),
    ];
    /// The enemy's chariot attacked by less.
    ChariotThreat: [
        (32, 26),
    ];
    /// An enemy's horse or cannon attacked by a soldier or guard.
    OfficerThreat: [
        (33, 23),
    ];
    /// A chariot while the enemy has none.
    OnlyChariot: [
        (14, 18),
    ];
    /// Horse and cannon together.
    HorseAndCannon: [
        (23, 14),
    ];
}
}

pub use table::{GROUPS, Group};
