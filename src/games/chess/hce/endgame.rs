//! From the two sums to one score: tapering, drawish endgames, driving a bare king to the edge.

use super::{FULL_PHASE, phase};
use crate::bits::bb64::{Bb, several};
use crate::game::{Score, Side};
use crate::games::chess::Chess;
use crate::games::chess::EXCHANGE;
use crate::games::chess::types::{BISHOP, KNIGHT, PAWN, QUEEN, ROOK};

/// Endgame parts count whole.
const WHOLE: i32 = 64;

fn piece_value(p: &Chess, side: Side) -> Score {
    (KNIGHT..=QUEEN)
        .map(|k| EXCHANGE[k as usize] * p.pieces(side, k).count_ones() as i32)
        .sum()
}

/// White's score from the two sums.
pub(super) fn taper(p: &Chess, mg: i32, eg: i32) -> Score {
    let phase = phase(p);
    let eg_scaled = eg * scale(p, eg) / WHOLE;
    let score = (mg * phase + eg_scaled * (FULL_PHASE - phase)) / FULL_PHASE;
    // Shuffling wins nothing: the nearer the fifty-move draw, the less the score says.
    (score + bare_king(p)) * (220 - p.clock().min(100) as i32) / 220
}

/// 64ths of the endgame sum that count, by whether the better side can win at all.
pub(super) fn scale(p: &Chess, eg: i32) -> i32 {
    let strong = if eg >= 0 { Side::First } else { Side::Second };
    let (own, their) = (piece_value(p, strong), piece_value(p, strong.other()));
    let pawns = p.pieces(strong, PAWN).count_ones() as i32;
    if pawns == 0 {
        if own - their <= EXCHANGE[BISHOP as usize] {
            return if own < EXCHANGE[ROOK as usize] { 0 } else { 10 };
        }
        // Two knights cannot force mate.
        if own == 2 * EXCHANGE[KNIGHT as usize] && p.pieces(strong, BISHOP) == 0 && p.pieces(strong.other(), PAWN) == 0
        {
            return 0;
        }
    }
    if opposite_bishops(p) {
        let bare = own == EXCHANGE[BISHOP as usize] && their == own;
        return if bare {
            20 + 4 * pawns.min(6)
        } else {
            46 + 2 * pawns.min(6)
        };
    }
    (44 + 5 * pawns).min(WHOLE)
}

fn opposite_bishops(p: &Chess) -> bool {
    const DARK: Bb = 0xaa55_aa55_aa55_aa55;
    let (white, black) = (p.pieces(Side::First, BISHOP), p.pieces(Side::Second, BISHOP));
    let single = |set: Bb| set != 0 && !several(set);
    single(white) && single(black) && (white & DARK != 0) != (black & DARK != 0)
}

/// Against a bare king the way to mate matters, not the squares: drive it to the edge (with bishop and knight to a
/// corner of the bishop's colour) and come near.
fn bare_king(p: &Chess) -> Score {
    let lone = |side: Side| !several(p.of(side));
    let (strong, sign) = match (lone(Side::First), lone(Side::Second)) {
        (false, true) => (Side::First, 1),
        (true, false) => (Side::Second, -1),
        _ => return 0,
    };
    if piece_value(p, strong) < EXCHANGE[ROOK as usize] {
        return 0;
    }
    let (own, their) = (p.king(strong), p.king(strong.other()));
    let near = 7 - (own % 8).abs_diff(their % 8).max((own / 8).abs_diff(their / 8)) as i32;
    let edge = |x: u8| i32::from(if x < 4 { 3 - x } else { x - 4 });
    let centre = edge(their % 8) + edge(their / 8);
    let bishop = p.pieces(strong, BISHOP);
    let only_minors = p.pieces(strong, QUEEN) | p.pieces(strong, ROOK) | p.pieces(strong, PAWN) == 0;
    let corner = if only_minors && bishop != 0 && p.pieces(strong, KNIGHT) != 0 {
        let dark = bishop & 0xaa55_aa55_aa55_aa55 != 0;
        let (f, r) = (i32::from(their % 8), i32::from(their / 8));
        // How far from the long diagonal of the wrong corners: a1 and h8 are dark.
        20 * if dark { (7 - f - r).abs() } else { (f - r).abs() }
    } else {
        0
    };
    sign * (200 + 12 * near + 18 * centre + corner)
}
