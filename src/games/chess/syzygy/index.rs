//! How Syzygy tables number positions: the squares of all pieces, the board's symmetries folded away, into one number.
//!
//! The leading pieces (both kings, or three single pieces, or the pawns of the side with fewer) are numbered by the
//! maps below, every further group of like pieces by the combinatorial number system.

use crate::bits::bb64;
use once_cell::sync::Lazy;

/// Most pieces of any table.
pub(super) const MOST: usize = 7;
/// Placements of three different pieces, symmetries folded.
pub(super) const TRIPLES: u64 = 31_332;
/// Placements of the two kings, symmetries folded.
pub(super) const PAIRS: u64 = 462;

/// The fixed maps.
pub(super) struct Maps {
    /// `choose[k][n]`: ways to take k of n.
    pub choose: [[u64; 64]; 7],
    /// Squares below the long diagonal.
    below: [u64; 64],
    /// The ten squares of the triangle a1-d1-d4, those on the diagonal last.
    triangle: [u64; 64],
    /// The second king's number by the first one's place in the triangle.
    kings: [[u64; 64]; 10],
    /// The order of pawns' squares: the greatest leads.
    pub pawn: [u64; 64],
    /// The number of a leading pawn's square, by the number of leading pawns.
    lead: [[u64; 64]; 6],
    /// Placements of the leading pawns, by their number and the leader's file.
    pub leads: [[u64; 4]; 6],
}

pub(super) static MAPS: Lazy<Maps> = Lazy::new(Maps::new);

/// Above (positive), on or below (negative) the long diagonal a1-h8.
fn off_diagonal(s: usize) -> i32 {
    (s / 8) as i32 - (s % 8) as i32
}

impl Maps {
    fn new() -> Self {
        let mut m = Self {
            choose: [[0; 64]; 7],
            below: [0; 64],
            triangle: [0; 64],
            kings: [[0; 64]; 10],
            pawn: [0; 64],
            lead: [[0; 64]; 6],
            leads: [[0; 4]; 6],
        };
        for n in 0..64 {
            m.choose[0][n] = 1;
            for k in 1..7.min(n + 1) {
                m.choose[k][n] = m.choose[k - 1][n - 1] + if k < n { m.choose[k][n - 1] } else { 0 };
            }
        }
        for (code, s) in (0..64).filter(|&s| off_diagonal(s) < 0).enumerate() {
            m.below[s] = code as u64;
        }
        let corner = || (0..28).filter(|s| s % 8 < 4);
        let inside = corner().filter(|&s| off_diagonal(s) < 0);
        let diagonal = corner().filter(|&s| off_diagonal(s) == 0);
        let triangle: Vec<usize> = inside.chain(diagonal).collect();
        for (code, &s) in triangle.iter().enumerate() {
            m.triangle[s] = code as u64;
        }
        m.number_kings(&triangle);
        m.number_pawns();
        m
    }

    fn number_kings(&mut self, triangle: &[usize]) {
        let mut both = Vec::new();
        let mut code = 0;
        for (i, &first) in triangle.iter().enumerate() {
            for second in 0..64 {
                let near = first == second || bb64::KING[first] >> second & 1 != 0;
                match (off_diagonal(first), off_diagonal(second)) {
                    _ if near => {}
                    // Folded away by the diagonal.
                    (0, 1..) => {}
                    (0, 0) => both.push((i, second)),
                    _ => {
                        self.kings[i][second] = code;
                        code += 1;
                    }
                }
            }
        }
        for (i, second) in both {
            self.kings[i][second] = code;
            code += 1;
        }
    }

    fn number_pawns(&mut self) {
        let mut left = 48;
        for count in 1..6 {
            for file in 0..4 {
                let mut at = 0;
                for rank in 1..7 {
                    let s = rank * 8 + file;
                    if count == 1 {
                        self.pawn[s] = left - 1;
                        self.pawn[s ^ 7] = left - 2;
                        left -= 2;
                    }
                    self.lead[count][s] = at;
                    at += self.choose[count - 1][self.pawn[s] as usize];
                }
                self.leads[count][file] = at;
            }
        }
    }

    /// The number of the leading pieces of a table without pawns; `squares` is folded on the way.
    pub fn pieces(&self, squares: &mut [usize], leading: usize, unique: bool) -> u64 {
        if squares[0] % 8 > 3 {
            squares.iter_mut().for_each(|s| *s ^= 7);
        }
        if squares[0] / 8 > 3 {
            squares.iter_mut().for_each(|s| *s ^= 56);
        }
        // The first piece off the diagonal is to be below it.
        let off = squares[..leading].iter().map(|&s| off_diagonal(s)).find(|&o| o != 0);
        if off.is_some_and(|o| o > 0) {
            squares.iter_mut().for_each(|s| *s = (*s >> 3 | *s << 3) & 63);
        }
        let (a, b) = (squares[0], squares[1]);
        if !unique {
            return self.kings[self.triangle[a] as usize][b];
        }
        let c = squares[2];
        let rank = |s: usize| (s / 8) as u64;
        let before_b = u64::from(b > a);
        let before_c = u64::from(c > a) + u64::from(c > b);
        if off_diagonal(a) != 0 {
            (self.triangle[a] * 63 + b as u64 - before_b) * 62 + c as u64 - before_c
        } else if off_diagonal(b) != 0 {
            (6 * 63 + rank(a) * 28 + self.below[b]) * 62 + c as u64 - before_c
        } else if off_diagonal(c) != 0 {
            6 * 63 * 62 + 4 * 28 * 62 + rank(a) * 7 * 28 + (rank(b) - before_b) * 28 + self.below[c]
        } else {
            let rest = rank(a) * 7 * 6 + (rank(b) - before_b) * 6 + rank(c) - before_c;
            6 * 63 * 62 + 4 * 28 * 62 + 4 * 7 * 28 + rest
        }
    }

    /// The number of the leading pawns, the leader first; `squares` is folded on the way, the pawns behind the leader
    /// are sorted.
    pub fn pawns(&self, squares: &mut [usize], leading: usize) -> u64 {
        if squares[0] % 8 > 3 {
            squares.iter_mut().for_each(|s| *s ^= 7);
        }
        squares[1..leading].sort_by_key(|&s| self.pawn[s]);
        let behind = squares[1..leading].iter().zip(1..);
        let rest: u64 = behind.map(|(&s, i)| self.choose[i][self.pawn[s] as usize]).sum();
        self.lead[leading.min(5)][squares[0]] + rest
    }

    /// The number of a group of like pieces among the squares that those `before` leave free.
    pub fn group(&self, before: &[usize], group: &mut [usize], pawns: bool) -> u64 {
        group.sort_unstable();
        let mut n = 0;
        for (&s, i) in group.iter().zip(1..) {
            let taken = before.iter().filter(|&&b| b < s).count() + if pawns { 8 } else { 0 };
            n += self.choose[i][s.saturating_sub(taken)];
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placement_of_kings_has_its_number() {
        let mut seen = std::collections::BTreeSet::new();
        for a in 0..64 {
            for b in 0..64 {
                if a != b && bb64::KING[a] >> b & 1 == 0 {
                    seen.insert(MAPS.pieces(&mut [a, b], 2, false));
                }
            }
        }
        assert_eq!(seen.len() as u64, PAIRS);
        assert_eq!(seen.last().copied(), Some(PAIRS - 1));
    }

    #[test]
    fn every_triple_has_its_number() {
        let mut seen = std::collections::BTreeSet::new();
        for a in 0..64 {
            for b in 0..64 {
                for c in 0..64 {
                    if a != b && b != c && a != c {
                        seen.insert(MAPS.pieces(&mut [a, b, c], 3, true));
                    }
                }
            }
        }
        assert_eq!(seen.len() as u64, TRIPLES);
        assert_eq!(seen.last().copied(), Some(TRIPLES - 1));
    }

    #[test]
    fn binomials_and_leading_pawns() {
        assert_eq!((MAPS.choose[2][48], MAPS.choose[6][63]), (1128, 67_945_521));
        assert_eq!(MAPS.leads[1], [6; 4]);
        // Half of the 48 * 47 / 2 pairs, and of the 24 that mirror themselves the other half too.
        assert_eq!(MAPS.leads[2].iter().sum::<u64>(), 576);
    }
}
