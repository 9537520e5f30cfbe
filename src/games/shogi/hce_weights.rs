//! The weights of the hand-written evaluation: one flat table of (opening, ending) pairs in groups, as a tuner reads and
//! writes it.

use crate::game::weights::weight_groups;

/// Rings round a king: 1, 2, 3 and 4 to 5 points away.
pub const RINGS: usize = 4;
/// How many attackers of a point are told apart: one, two, three and more.
pub const LEVELS: usize = 3;
/// Places relative to a king: four files to either side, mirrored, and four ranks ahead and behind.
pub const AROUND: usize = 45;

weight_groups! {
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

/// The bonus of being to move.
pub const TEMPO: i32 = 25;

pub use super::hce_table::WEIGHTS;
