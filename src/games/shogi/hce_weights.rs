//! The weights of the hand-written evaluation: one flat table of (opening, ending) pairs in groups, as a tuner reads and
//! writes it. Not yet fitted: most groups are guessed by simple formulas of distance.

use super::types::{Kind, VALUE};

/// Rings round a king: 1, 2, 3 and 4 to 5 points away.
pub const RINGS: usize = 4;
/// How many attackers of a point are told apart: one, two, three and more.
pub const LEVELS: usize = 3;
/// Places relative to a king: four files to either side, mirrored, and four ranks ahead and behind.
pub const AROUND: usize = 45;

macro_rules! groups {
    ($($(#[doc = $doc:literal])+ $name:ident : $len:expr;)+) => {
        /// Groups of weights.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Group { $($(#[doc = $doc])+ $name,)+ }

        /// Names and sizes of the groups, in the order of [`Group`].
        pub const GROUPS: &[(&str, usize)] = &[$((stringify!($name), $len),)+];
    };
}

groups! {
    /// A piece on the board, by kind.
    Board: 14;
    /// A piece in hand, by kind: the first of its kind, the others.
    Held: 14;
    /// The king's point, by rank from the far edge and file, mirrored.
    KingAt: 45;
    /// A piece by kind and place relative to its own king.
    NearOwn: 14 * AROUND;
    /// A piece by kind and place relative to the enemy king.
    NearFoe: 14 * AROUND;
    /// Points attacked round the enemy king, by ring and level.
    Attack: RINGS * LEVELS;
    /// Points attacked round the own king, by ring and level.
    Guard: RINGS * LEVELS;
    /// Points beside the king that it may step to, 0 to 8.
    Escapes: 9;
    /// Kinds in the enemy's hand that may check by a safe drop, for the checked side.
    DropCheck: 7;
    /// Danger to the king, by units.
    Danger: 32;
    /// Points that a lance attacks.
    LanceMoves: 9;
    /// Points that a bishop attacks.
    BishopMoves: 17;
    /// Points that a rook attacks.
    RookMoves: 17;
    /// Points that a promoted bishop attacks.
    HorseMoves: 21;
    /// Points that a promoted rook attacks.
    DragonMoves: 21;
    /// A piece attacked and not defended, by kind.
    Hanging: 14;
    /// Castles: mino, yagura, anaguma.
    Castle: 3;
    /// The king in the far three ranks; each piece with it there; each point of a declaration; the king on its way, on
    /// the two ranks before.
    Entering: 4;
}

impl Group {
    /// Where the group starts in [`WEIGHTS`].
    pub const fn start(self) -> usize {
        let (mut i, mut sum) = (0, 0);
        while i < self as usize {
            sum += GROUPS[i].1;
            i += 1;
        }
        sum
    }
}

/// Weights of all groups.
pub const COUNT: usize = {
    let (mut i, mut sum) = (0, 0);
    while i < GROUPS.len() {
        sum += GROUPS[i].1;
        i += 1;
    }
    sum
};

/// The bonus of being to move.
pub const TEMPO: i32 = 25;

type Weights = [(i16, i16); COUNT];

/// All weights, group after group: (opening, ending).
pub static WEIGHTS: Weights = castles(activity(kings(places(material([(0, 0); COUNT])))));

const fn both(v: i32) -> (i16, i16) {
    (v as i16, v as i16)
}

const fn material(mut w: Weights) -> Weights {
    // A piece in hand may go anywhere; further pawns are of little use.
    const HELD: [[i32; 2]; 7] = [
        [115, 95],
        [285, 270],
        [300, 285],
        [445, 430],
        [690, 690],
        [790, 790],
        [525, 515],
    ];
    let mut k = 0;
    while k < 14 {
        w[Group::Board.start() + k] = if k == Kind::King as usize {
            (0, 0)
        } else {
            both(VALUE[k])
        };
        if k < 7 {
            w[Group::Held.start() + 2 * k] = both(HELD[k][0]);
            w[Group::Held.start() + 2 * k + 1] = both(HELD[k][1]);
        }
        k += 1;
    }
    w
}

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

const fn places(mut w: Weights) -> Weights {
    // By steps from the king: 0 (never), 1, 2, 3, 4 and more.
    const GUARD: [i32; 5] = [0, 16, 10, 2, -8];
    const MAJOR: [i32; 5] = [0, -24, -14, -4, 0];
    const STRIKE: [i32; 5] = [0, 16, 16, 9, 0];
    let mut k = 0;
    while k < 14 {
        let kind = super::types::KINDS[k];
        let mut i = 0;
        while i < AROUND {
            let (df, dr) = (i / 9, i % 9);
            let steps = max(df, dr.abs_diff(4));
            let (own, foe) = (
                Group::NearOwn.start() + k * AROUND + i,
                Group::NearFoe.start() + k * AROUND + i,
            );
            match kind {
                Kind::Gold | Kind::Silver => {
                    w[own] = (GUARD[steps] as i16, GUARD[steps] as i16);
                    w[foe] = both(STRIKE[steps]);
                }
                Kind::Tokin | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => {
                    w[own] = both(GUARD[steps] / 2);
                    w[foe] = both(STRIKE[steps]);
                }
                Kind::Rook => w[own] = (MAJOR[steps] as i16, MAJOR[steps] as i16 / 2),
                Kind::Horse => {
                    w[own] = both(GUARD[steps]);
                    w[foe] = both(STRIKE[steps]);
                }
                Kind::Dragon => w[foe] = both(STRIKE[steps]),
                // Pawns before the king shelter it.
                Kind::Pawn if df <= 1 && (dr == 2 || dr == 3) => w[own] = (10, 10),
                _ => (),
            }
            i += 1;
        }
        k += 1;
    }
    w
}

const fn kings(mut w: Weights) -> Weights {
    const FILES: [i32; 5] = [8, 26, 18, 0, -14];
    const RANKS: [i32; 9] = [-20, -40, -70, -110, -130, -110, -50, 0, 6];
    let mut i = 0;
    while i < 45 {
        let (r, f) = (i / 5, i % 5);
        let home = if r >= 7 { FILES[f] } else { 0 };
        w[Group::KingAt.start() + i] = ((RANKS[r] + home) as i16, (RANKS[r] / 2 + home / 2) as i16);
        i += 1;
    }
    const ATTACK: [i32; RINGS] = [44, 30, 22, 14];
    const GUARD: [i32; RINGS] = [32, 20, 15, 10];
    const LEVEL: [i32; LEVELS] = [16, 12, 10];
    let mut i = 0;
    while i < RINGS * LEVELS {
        let (ring, level) = (i / LEVELS, i % LEVELS);
        w[Group::Attack.start() + i] = both(ATTACK[ring] * LEVEL[level] / 16);
        w[Group::Guard.start() + i] = both(GUARD[ring] * LEVEL[level] / 16);
        i += 1;
    }
    const ESCAPES: [i32; 9] = [-60, -30, -12, 0, 4, 8, 8, 8, 8];
    let mut i = 0;
    while i < 9 {
        w[Group::Escapes.start() + i] = both(ESCAPES[i]);
        i += 1;
    }
    const DROPS: [i32; 7] = [-4, -14, -16, -22, -26, -40, -36];
    let mut i = 0;
    while i < 7 {
        w[Group::DropCheck.start() + i] = both(DROPS[i]);
        i += 1;
    }
    let mut i = 0;
    while i < 32 {
        let u = i as i32;
        w[Group::Danger.start() + i] = ((-u * u * 2 / 5) as i16, (-u * u / 2) as i16);
        i += 1;
    }
    w
}

/// A curve of moves: every further one is worth less.
const fn mobility(mut w: Weights, group: Group, length: usize, usual: i32, slope: i32) -> Weights {
    let mut i = 0;
    while i < length {
        let n = i as i32 - usual;
        w[group.start() + i] = both(if n > 0 { n * slope * 2 / 3 } else { n * slope });
        i += 1;
    }
    w
}

const fn activity(w: Weights) -> Weights {
    let w = mobility(w, Group::LanceMoves, 9, 2, 3);
    let w = mobility(w, Group::BishopMoves, 17, 4, 7);
    let w = mobility(w, Group::RookMoves, 17, 5, 6);
    let w = mobility(w, Group::HorseMoves, 21, 8, 5);
    let mut w = mobility(w, Group::DragonMoves, 21, 9, 5);
    let mut k = 0;
    while k < 14 {
        if k != Kind::King as usize {
            w[Group::Hanging.start() + k] = both(-VALUE[k] / 8 - 4);
        }
        k += 1;
    }
    w
}

const fn castles(mut w: Weights) -> Weights {
    w[Group::Castle.start()] = (24, 0);
    w[Group::Castle.start() + 1] = (22, 0);
    w[Group::Castle.start() + 2] = (34, 10);
    w[Group::Entering.start()] = (40, 110);
    w[Group::Entering.start() + 1] = (6, 14);
    w[Group::Entering.start() + 2] = (3, 8);
    w[Group::Entering.start() + 3] = (0, 20);
    w
}
