//! What is left of a score near the fifty-move draw and in endgames: no way to win, or a bare king to be mated.

use super::Chess;
use super::material::VALUE;
use super::types::{BISHOP, KNIGHT, PAWN, QUEEN, ROOK};
use crate::bits::bb64::{DARK, FILE_A, FILE_H, several};
use crate::game::{Score, Side};

/// Scores count whole.
const WHOLE: i32 = 64;

fn piece_value(p: &Chess, side: Side) -> Score {
    (KNIGHT..=QUEEN)
        .map(|k| VALUE[k as usize] * p.pieces(side, k).count_ones() as i32)
        .sum()
}

/// Shuffling wins nothing: the nearer the fifty-move draw, the less the score says.
fn faded(p: &Chess, score: Score) -> Score {
    score * (220 - p.clock().min(100) as i32) / 220
}

/// What is left of a score for the side to move: less near the fifty-move draw and where the better side has few pawns
/// or none and little more than the other. Against a bare king only the way to mate counts: evaluations see little of it.
pub(super) fn adjust(p: &Chess, score: Score) -> Score {
    let bare = bare_king(p);
    if bare != 0 {
        let lead = |side: Side| piece_value(p, side) + VALUE[PAWN as usize] * p.pieces(side, PAWN).count_ones() as i32;
        let white = bare + lead(Side::First) - lead(Side::Second);
        return faded(p, if p.side == Side::First { white } else { -white });
    }
    let strong = if score >= 0 { p.side } else { p.side.other() };
    if wrong_bishop(p, strong) {
        return 0;
    }
    let part = pawnless(p, strong).unwrap_or_else(|| few_pawns(p, strong));
    faded(p, score * part / WHOLE)
}

/// Whether a side has nothing but pawns of one rook's file, with or without bishops that cannot guard their promotion square, while
/// the other king holds that corner: nobody drives it out (Stockfish's KPsK and KBPsK).
fn wrong_bishop(p: &Chess, strong: Side) -> bool {
    let (pawns, bishops) = (p.pieces(strong, PAWN), p.pieces(strong, BISHOP));
    if pawns == 0 || p.of(strong) & !(pawns | bishops | 1 << p.king(strong)) != 0 {
        return false;
    }
    let file = if pawns & !FILE_A == 0 {
        0
    } else if pawns & !FILE_H == 0 {
        7
    } else {
        return false;
    };
    let corner: u8 = if strong == Side::First { 56 + file } else { file };
    let colour = if DARK >> corner & 1 != 0 { DARK } else { !DARK };
    bishops & colour == 0 && distance(p.king(strong.other()), corner) <= 1
}

/// Moves of a king from a square to another on an empty board.
fn distance(a: u8, b: u8) -> u8 {
    (a % 8).abs_diff(b % 8).max((a / 8).abs_diff(b / 8))
}

/// 64ths that count of a lead without pawns that is too small to mate with.
fn pawnless(p: &Chess, strong: Side) -> Option<i32> {
    if p.pieces(strong, PAWN) != 0 {
        return None;
    }
    let (own, their) = (piece_value(p, strong), piece_value(p, strong.other()));
    if own - their <= VALUE[BISHOP as usize] {
        return Some(if own < VALUE[ROOK as usize] { 0 } else { 10 });
    }
    // Two knights cannot force mate.
    let knights = own == 2 * VALUE[KNIGHT as usize] && p.pieces(strong, BISHOP) == 0;
    (knights && p.pieces(strong.other(), PAWN) == 0).then_some(0)
}

/// The most pieces, kings and pawns among them, with which few pawns make a lead count less: with up to twenty it was no
/// better (-11 ± 24 Elo).
const ENDGAME: u32 = 12;

/// 64ths that count of a lead in an endgame where the better side has few pawns, but pieces are level or an exchange
/// apart: the fewer pawns, the more often the last of them are exchanged off or held (Stockfish 11's scale factor; here
/// up to twelve pieces).
fn few_pawns(p: &Chess, strong: Side) -> i32 {
    let pawns = p.pieces(strong, PAWN).count_ones() as i32;
    if !(1..=3).contains(&pawns) || p.occupied().count_ones() > ENDGAME {
        return WHOLE;
    }
    let (own, their) = (piece_value(p, strong), piece_value(p, strong.other()));
    if their == 0 || own - their >= VALUE[KNIGHT as usize] {
        WHOLE
    } else {
        36 + 7 * pawns
    }
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
    if piece_value(p, strong) < VALUE[ROOK as usize] || pawnless(p, strong) == Some(0) {
        return 0;
    }
    let (own, their) = (p.king(strong), p.king(strong.other()));
    let near = 7 - i32::from(distance(own, their));
    let edge = |x: u8| i32::from(if x < 4 { 3 - x } else { x - 4 });
    let centre = edge(their % 8) + edge(their / 8);
    let bishop = p.pieces(strong, BISHOP);
    let only_minors = p.pieces(strong, QUEEN) | p.pieces(strong, ROOK) | p.pieces(strong, PAWN) == 0;
    let corner = if only_minors && bishop != 0 && p.pieces(strong, KNIGHT) != 0 {
        let dark = bishop & DARK != 0;
        let (f, r) = (i32::from(their % 8), i32::from(their / 8));
        // How far from the long diagonal of the wrong corners: a1 and h8 are dark.
        20 * if dark { (7 - f - r).abs() } else { (f - r).abs() }
    } else {
        0
    };
    sign * (200 + 12 * near + 18 * centre + corner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a score of four pawns in a position.
    fn left(setup: &str) -> Score {
        adjust(&Chess::parse(setup, &Default::default()).expect(setup), 400)
    }

    #[test]
    fn the_fifty_move_rule_and_bare_endings_change_the_score() {
        // Nothing to say in a middle game, less and less where nobody moves a pawn.
        assert_eq!(left("4k3/pppp4/8/8/8/8/PPPP4/R3K3 w - - 0 40"), 400);
        assert_eq!(left("4k3/pppp4/8/8/8/8/PPPP4/R3K3 w - - 55 90"), 300);
        // A bishop or two knights do not mate, rook and bishop against rook seldom; with a pawn all may be won.
        assert_eq!(left("4k3/8/8/8/8/8/8/2B1K3 w - - 0 40"), 0);
        assert_eq!(left("4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 40"), 0);
        assert_eq!(left("4k2r/8/8/8/8/8/8/2B1K2R w - - 0 40"), 62);
        assert_eq!(left("4k3/8/8/8/8/P7/8/2B1K3 w - - 0 40"), 400);
        // One pawn more with rooks wins less often than four against three; a piece more, or no piece to hold it, wins.
        assert_eq!(left("4k2r/8/8/8/8/8/P7/4K2R w - - 0 40"), 268);
        assert_eq!(left("4k2r/pp6/8/8/8/8/PPP5/4K2R w - - 0 40"), 356);
        assert_eq!(left("4k2r/ppp5/8/8/8/8/PPPP4/4K2R w - - 0 40"), 400);
        assert_eq!(left("4k1nr/8/8/8/8/8/P7/4K1NR w - - 0 40"), 268);
        assert_eq!(left("4k2r/p7/8/8/8/8/P7/4K1NR w - - 0 40"), 400);
        assert_eq!(left("4k3/p7/8/8/8/8/P7/4K2R w - - 0 40"), 400);
        assert_eq!(left("4k3/p7/8/8/8/8/PP6/4K3 w - - 0 40"), 400);
        assert_eq!(left("r1b1kb1r/pp6/8/8/8/8/PPP5/R1B1KB1R w - - 0 40"), 400);
        // A rook's pawn with the bishop of the other corner wins only while the king is not there.
        for (setup, score) in [
            ("k7/8/1K6/P7/P7/8/5B2/8 w - - 0 40", 0),
            ("k7/8/1K6/P7/P7/8/4B3/8 w - - 0 40", 400),
            ("8/2k5/8/P7/2K5/8/5B2/8 w - - 0 40", 400),
            ("k7/8/1K6/PP6/8/8/5B2/8 w - - 0 40", 400),
            ("6k1/8/6K1/7P/8/8/8/8 w - - 0 40", 0),
            ("8/8/8/8/p7/1k6/3b4/1K6 b - - 0 40", 400),
            ("8/8/8/8/p7/1k6/4b3/1K6 b - - 0 40", 0),
        ] {
            assert_eq!(left(setup), score, "{setup}");
        }
        // With bishop and knight the corner of the bishop's colour is the right one, for either side.
        let right = left("8/8/8/8/8/3K4/8/1kN2B2 w - - 0 40");
        let wrong = left("8/8/8/8/8/4K3/8/2B2N1k w - - 0 40");
        assert!(right > 640 && wrong > 640, "{right} {wrong}");
        let corner = |king: &str| left(&format!("{king}/8/2K5/8/8/8/8/2B2N2 w - - 0 40"));
        assert!(corner("7k") > corner("k7"), "a dark bishop mates on h8");
        assert_eq!(
            left("7K/8/8/8/8/2k5/8/2b2n2 b - - 0 40"),
            left("2B2N2/8/2K5/8/8/8/8/7k w - - 0 40")
        );
    }
}
