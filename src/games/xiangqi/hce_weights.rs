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
        (0, 0), (190, 200), (200, 215), (420, 440), (940, 960), (460, 420), (84, 96),
    ];
    /// A general on a point of the left half, mirrored for the right: rank by rank from its own edge.
    GeneralAt: [
        (0, 0), (0, 0), (0, 0), (5, 0), (9, 8),
        (0, 0), (0, 0), (0, 0), (-18, -4), (-14, 4),
        (0, 0), (0, 0), (0, 0), (-30, -6), (-26, 2),
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
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (8, 6),
        (0, 0), (0, 0), (0, 0), (-6, -2), (0, 0),
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
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (-12, -8), (0, 0), (0, 0), (0, 0), (12, 8),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (-4, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
    ];
    /// A horse on a point of the left half, mirrored for the right: rank by rank from its own edge.
    HorseAt: [
        (-38, -32), (-29, -24), (-20, -17), (-19, -15), (-22, -15),
        (-28, -22), (-19, -14), (-10, -7), (-9, -5), (-26, -5),
        (-12, -12), (-3, -4), (6, 3), (7, 5), (4, 5),
        (-6, -8), (3, 0), (12, 7), (13, 9), (10, 9),
        (0, -2), (9, 6), (18, 13), (19, 15), (16, 15),
        (6, 4), (15, 12), (24, 19), (25, 21), (22, 21),
        (12, 8), (21, 16), (30, 23), (31, 25), (28, 25),
        (14, 8), (23, 16), (32, 23), (41, 25), (30, 25),
        (-2, -2), (7, 6), (32, 21), (17, 15), (14, 15),
        (-24, -20), (-15, -12), (-6, -5), (-5, -3), (-8, -3),
    ];
    /// A chariot on a point of the left half, mirrored for the right: rank by rank from its own edge.
    ChariotAt: [
        (-28, -10), (-10, -6), (-11, -5), (-5, -2), (-10, -3),
        (-8, -8), (0, -4), (-1, -3), (5, 0), (0, -1),
        (-6, -6), (2, -2), (1, -1), (7, 2), (2, 1),
        (-4, -4), (4, 0), (3, 1), (9, 4), (4, 3),
        (2, 0), (10, 4), (9, 5), (15, 8), (10, 7),
        (6, 4), (14, 8), (13, 9), (19, 12), (14, 11),
        (8, 6), (16, 10), (15, 11), (21, 14), (16, 13),
        (8, 6), (16, 10), (15, 11), (21, 14), (16, 13),
        (6, 4), (14, 8), (13, 9), (19, 12), (14, 11),
        (0, 0), (8, 4), (7, 5), (13, 8), (8, 7),
    ];
    /// A cannon on a point of the left half, mirrored for the right: rank by rank from its own edge.
    CannonAt: [
        (-2, 6), (0, 6), (-3, 6), (-2, 8), (4, 10),
        (0, 6), (2, 6), (-1, 6), (0, 8), (6, 10),
        (4, 6), (6, 6), (3, 6), (4, 8), (16, 10),
        (-2, 2), (0, 2), (-3, 2), (-2, 4), (10, 6),
        (0, 0), (2, 0), (-1, 0), (0, 2), (12, 4),
        (2, 0), (4, 0), (1, 0), (2, 2), (14, 4),
        (-2, -2), (0, -2), (-3, -2), (-2, 0), (10, 2),
        (0, -4), (2, -4), (-1, -4), (0, -2), (6, 0),
        (4, -2), (6, -2), (3, -2), (4, 0), (10, 2),
        (16, 0), (18, 0), (9, 0), (10, 2), (16, 4),
    ];
    /// A soldier on a point of the left half, mirrored for the right: rank by rank from its own edge.
    SoldierAt: [
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (0, 0), (0, 0), (0, 0), (0, 0), (0, 0),
        (-2, 0), (0, 0), (4, 0), (0, 0), (12, 0),
        (6, 12), (8, 12), (12, 12), (8, 12), (20, 12),
        (14, 44), (30, 56), (38, 64), (50, 76), (52, 78),
        (36, 66), (52, 78), (60, 86), (72, 98), (74, 100),
        (52, 78), (68, 90), (76, 98), (110, 128), (112, 130),
        (44, 60), (60, 72), (68, 80), (102, 110), (104, 112),
        (-28, -48), (-12, -36), (-4, -28), (8, -16), (10, -14),
    ];
    /// A horse by the number of points it reaches.
    HorseMobility: [
        (-26, -24), (-16, -14), (-7, -6), (0, 0), (4, 5), (8, 9), (11, 12), (13, 14), (15, 16),
    ];
    /// Each blocked leg of a horse.
    HorseLeg: [
        (-3, -2),
    ];
    /// A chariot by the number of points it reaches.
    ChariotMobility: [
        (-26, -24), (-23, -21), (-20, -19), (-18, -16), (-15, -14), (-13, -12), (-10, -9), (-7, -7), (-5, -4), (-2, -2), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (8, 7), (9, 8), (10, 9),
    ];
    /// A cannon by the number of points it slides to.
    CannonMobility: [
        (-8, -8), (-6, -6), (-5, -5), (-4, -4), (-2, -3), (-1, -2), (0, 0), (1, 0), (2, 1), (4, 3), (4, 3), (4, 3), (5, 4), (5, 4), (6, 5), (6, 5), (6, 5), (7, 6),
    ];
    /// A chariot on a file without own soldiers.
    ChariotOpen: [
        (8, 4),
    ];
    /// A chariot across the river on a file beside the middle one.
    ChariotRib: [
        (8, 4),
    ];
    /// A chariot that sees the enemy general through one piece.
    ChariotPin: [
        (16, 10),
    ];
    /// A cannon facing the enemy general along a bare file.
    EmptyCannon: [
        (90, 50),
    ];
    /// A cannon on the enemy general's file behind two pieces.
    CannonFile: [
        (18, 6),
    ];
    /// A cannon on the enemy's edge, its general on it too.
    BottomCannon: [
        (16, 4),
    ];
    /// A bottom cannon that would check but for one piece too many.
    BottomCannonTwo: [
        (18, 6),
    ];
    /// Soldiers across the river, by number.
    Crossed: [
        (0, 0), (4, 10), (16, 26), (30, 40), (40, 50), (45, 55), (45, 55),
    ];
    /// Two soldiers across the river side by side.
    SoldierPair: [
        (12, 16),
    ];
    /// Guards left: advisors times three and elephants.
    Guards: [
        (-60, -40), (-40, -28), (-26, -18), (-34, -20), (-16, -8), (-8, -4), (-20, -10), (-4, -2), (0, 0),
    ];
    /// Missing advisors times enemy chariots.
    AdvisorGap: [
        (-16, -8),
    ];
    /// Missing elephants times enemy cannons.
    ElephantGap: [
        (-8, -6),
    ];
    /// Points from which the general is seen along open lines, while the enemy has a chariot.
    OpenGeneral: [
        (-3, -1),
    ];
    /// Points of the enemy palace attacked, each by each piece.
    Siege: [
        (0, 0), (2, 1), (6, 4), (10, 6), (16, 10), (23, 13), (31, 18), (40, 22), (51, 28), (62, 33), (75, 40), (88, 46), (103, 54), (118, 61), (135, 70), (153, 78),
    ];
    /// An enemy piece attacked and not protected, by its kind.
    Hanging: [
        (0, 0), (14, 10), (14, 12), (26, 22), (34, 30), (26, 22), (10, 12),
    ];
    /// The enemy's chariot attacked by less.
    ChariotThreat: [
        (34, 26),
    ];
    /// An enemy's horse or cannon attacked by a soldier or guard.
    OfficerThreat: [
        (22, 18),
    ];
    /// A chariot while the enemy has none.
    OnlyChariot: [
        (20, 30),
    ];
    /// Horse and cannon together.
    HorseAndCannon: [
        (8, 10),
    ];
}
}

pub use table::{GROUPS, Group};
