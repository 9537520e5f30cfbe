//! Hash keys, and the table of reversible moves by their keys.
//!
//! The latter is Marcel van Kervinck's idea (2017): the difference of two positions' keys, looked up in a cuckoo hash of
//! all single-piece moves, finds whether one move leads from one to the other.

use super::types::{PAWN, QUEEN, ROOK};
use crate::bits::bb64::{self, Bb};
use crate::bits::sliders::{BISHOP_RAYS, ROOK_RAYS};
use crate::util::rng::SplitMix;

pub(super) struct Keys {
    pub piece: [[u64; 64]; 12],
    pub castling: [u64; 16],
    pub en_passant: [u64; 8],
    pub side: u64,
    /// By the halfmove clock in steps of eight: a position near the fifty-move draw is another position.
    pub clock: [u64; 16],
}

const fn keys() -> Keys {
    let mut random = SplitMix::new(0x6e67_756b_795f_6368);
    let mut k = Keys {
        piece: [[0; 64]; 12],
        castling: [0; 16],
        en_passant: [0; 8],
        side: 0,
        clock: [0; 16],
    };
    let mut p = 0;
    while p < 12 {
        let mut s = 0;
        while s < 64 {
            k.piece[p][s] = random.next();
            s += 1;
        }
        p += 1;
    }
    let mut i = 1;
    while i < 16 {
        k.castling[i] = random.next();
        k.clock[i] = random.next();
        i += 1;
    }
    i = 0;
    while i < 8 {
        k.en_passant[i] = random.next();
        i += 1;
    }
    k.side = random.next();
    k
}

pub(super) static KEYS: Keys = keys();

/// Which of the four correction keys a piece belongs to (pawns; minor pieces and kings; white's and black's pieces), as
/// masks, so that an update has no branch.
pub(super) static PARTS: [[u64; 4]; 12] = {
    let mut out = [[0; 4]; 12];
    let mut p = 0;
    while p < 12 {
        let kind = p % 6;
        if kind == PAWN as usize {
            out[p][0] = !0;
        } else {
            out[p][2 + p / 6] = !0;
            if kind != ROOK as usize && kind != QUEEN as usize {
                out[p][1] = !0;
            }
        }
        p += 1;
    }
    out
};

const CUCKOO: usize = 8192;

pub(super) struct Cuckoo {
    key: [u64; CUCKOO],
    squares: [(u8, u8); CUCKOO],
}

const fn slot(key: u64, second: bool) -> usize {
    (if second { key >> 16 } else { key }) as usize & (CUCKOO - 1)
}

const fn reach(kind: usize, s: usize) -> Bb {
    match kind {
        1 => bb64::KNIGHT[s],
        2 => BISHOP_RAYS[s],
        3 => ROOK_RAYS[s],
        4 => BISHOP_RAYS[s] | ROOK_RAYS[s],
        _ => bb64::KING[s],
    }
}

const fn cuckoo() -> Cuckoo {
    let mut table = Cuckoo {
        key: [0; CUCKOO],
        squares: [(0, 0); CUCKOO],
    };
    let mut p = 0;
    while p < 12 {
        let mut a = 0;
        while p % 6 != PAWN as usize && a < 64 {
            let mut b = a + 1;
            while b < 64 {
                if reach(p % 6, a) >> b & 1 != 0 {
                    let mut key = KEYS.piece[p][a] ^ KEYS.piece[p][b] ^ KEYS.side;
                    let mut squares = (a as u8, b as u8);
                    let mut i = slot(key, false);
                    // Put it there and find the evicted entry its other place, until an empty one is met.
                    loop {
                        let old = (table.key[i], table.squares[i]);
                        table.key[i] = key;
                        table.squares[i] = squares;
                        if old.0 == 0 {
                            break;
                        }
                        (key, squares) = old;
                        i = if i == slot(key, false) {
                            slot(key, true)
                        } else {
                            slot(key, false)
                        };
                    }
                }
                b += 1;
            }
            a += 1;
        }
        p += 1;
    }
    table
}

#[allow(long_running_const_eval)]
static MOVES: Cuckoo = cuckoo();

/// The two squares of the piece move whose keys differ by this, if there is one.
#[inline]
pub(super) fn move_of(difference: u64) -> Option<(u8, u8)> {
    let mut i = slot(difference, false);
    if MOVES.key[i] != difference {
        i = slot(difference, true);
        if MOVES.key[i] != difference {
            return None;
        }
    }
    Some(MOVES.squares[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_piece_moves_are_found() {
        assert_eq!(MOVES.key.iter().filter(|&&k| k != 0).count(), 3668);
        assert_eq!(move_of(KEYS.piece[1][1] ^ KEYS.piece[1][18] ^ KEYS.side), Some((1, 18)));
        assert_eq!(move_of(KEYS.piece[0][8] ^ KEYS.piece[0][16] ^ KEYS.side), None);
    }
}
