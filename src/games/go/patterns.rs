//! The eight neighbours of a point as a 16-bit code, and a table of what such a code means.
//!
//! Directions in the code: 0 up, 1 right, 2 down, 3 left, then 4 up-right, 5 down-right, 6 down-left, 7 up-left, two
//! bits each. `k ^ 2` is the opposite of `k`.

use super::types::{BLACK, Colour, EDGE, EMPTY, WHITE, other};
use once_cell::sync::Lazy;

/// Bit of [`PatternTable`]: a shape worth an answer for black; shifted by one for white.
const SHAPE: u8 = 1;
/// Bit of [`PatternTable`]: a point that black must not fill; shifted by one for white.
const EYE: u8 = 4;
/// Bit of [`PatternTable`]: all four sides are black stones or edge; shifted by one for white.
const WALLED: u8 = 16;

/// What each code of neighbours means.
pub struct PatternTable([u8; 1 << 16]);

static TABLE: Lazy<Box<PatternTable>> = Lazy::new(build);

/// The table, built once at first use.
pub fn table() -> &'static PatternTable {
    &TABLE
}

impl PatternTable {
    /// Whether the shape is one of the answers to a contact play.
    #[inline]
    pub fn shape(&self, code: u16, c: Colour) -> bool {
        self.0[code as usize] & (SHAPE << (c - 1)) != 0
    }

    /// Whether the empty point is a real eye of `c` by its eight neighbours.
    #[inline]
    pub fn eye(&self, code: u16, c: Colour) -> bool {
        self.0[code as usize] & (EYE << (c - 1)) != 0
    }

    /// Whether the empty point has only stones of `c` and edge on its four sides.
    #[inline]
    pub fn walled(&self, code: u16, c: Colour) -> bool {
        self.0[code as usize] & (WALLED << (c - 1)) != 0
    }
}

/// What stands in direction `k` of a code.
#[inline]
pub fn cell(code: u16, k: usize) -> Colour {
    (code >> (2 * k)) as u8 & 3
}

/// How many of the four sides are of colour `c`.
#[inline]
pub fn sides(code: u16, c: Colour) -> u32 {
    // Fields that equal `c` become 3; of these only the low bit is counted.
    let same = !(code ^ (c as u16 * 0x5555));
    (same & (same >> 1) & 0x0055).count_ones()
}

/// Shapes of the MoGo playouts (Gelly, Wang, Munos and Teytaud, "Modification of UCT with patterns in Monte-Carlo Go",
/// 2006), rows from the top with the move in the middle. X and O are stones of different colours in either order, x
/// and o anything but that colour, `?` anything, `#` edge, `B` a rule only for the player X, `W` only for O.
const SHAPES: &[(&str, char)] = &[
    ("XOX|...|???", '*'),
    ("XO.|...|?.?", '*'),
    ("XO?|X..|x.?", '*'),
    ("XOO|...|?.?", 'X'),
    (".O.|X..|...", '*'),
    ("XO?|O.o|?o?", '*'),
    ("XO?|O.X|???", '*'),
    ("?X?|O.O|ooo", '*'),
    ("OX?|o.O|???", '*'),
    ("X.?|O.?|###", '*'),
    ("OX?|X.O|###", '*'),
    ("?X?|x.O|###", '*'),
    ("?XO|x.x|###", 'X'),
    ("?OX|X.O|###", '*'),
];

/// Row and column of each direction in the drawings above.
const DRAWN: [(usize, usize); 8] = [(0, 1), (1, 2), (2, 1), (1, 0), (0, 2), (2, 2), (2, 0), (0, 0)];

fn build() -> Box<PatternTable> {
    let mut bits = vec![0u8; 1 << 16];
    for code in 0..=u16::MAX {
        for c in [BLACK, WHITE] {
            if walled(code, c) {
                bits[code as usize] |= WALLED << (c - 1);
                if solid(code, c) {
                    bits[code as usize] |= EYE << (c - 1);
                }
            }
        }
    }
    for &(drawing, who) in SHAPES {
        let rows: Vec<&[u8]> = drawing.split('|').map(str::as_bytes).collect();
        for symmetry in 0..8 {
            let mut want = [b'?'; 8];
            for (k, &(mut r, mut f)) in DRAWN.iter().enumerate() {
                if symmetry & 1 != 0 {
                    r = 2 - r;
                }
                if symmetry & 2 != 0 {
                    f = 2 - f;
                }
                if symmetry & 4 != 0 {
                    (r, f) = (f, r);
                }
                want[k] = rows[r][f];
            }
            for x in [BLACK, WHITE] {
                mark(&mut bits, &want, x, who);
            }
        }
    }
    let mut table = Box::new(PatternTable([0; 1 << 16]));
    table.0.copy_from_slice(&bits);
    table
}

/// Whether a sign of a drawing, as the player `x` sees it, stands for what is in a cell.
fn stands_for(sign: u8, there: Colour, x: Colour) -> bool {
    let o = other(x);
    match sign {
        b'X' => there == x,
        b'O' => there == o,
        b'x' => there != x && there != EDGE,
        b'o' => there != o && there != EDGE,
        b'.' => there == EMPTY,
        b'#' => there == EDGE,
        _ => true,
    }
}

fn mark(bits: &mut [u8], want: &[u8; 8], x: Colour, who: char) {
    // The codes that fit, one direction after the other: a few hundred of the 65536.
    let mut codes = vec![0u16];
    for (k, &sign) in want.iter().enumerate() {
        let cells = (0..4).filter(|&there| stands_for(sign, there, x));
        let cells: Vec<u16> = cells.map(|there| u16::from(there) << (2 * k)).collect();
        codes = codes
            .iter()
            .flat_map(|code| cells.iter().map(move |cell| code | cell))
            .collect();
    }
    for code in codes {
        bits[code as usize] |= if who == '*' {
            SHAPE | SHAPE << 1
        } else {
            SHAPE << (x - 1)
        };
    }
}

fn walled(code: u16, c: Colour) -> bool {
    (0..4).all(|k| matches!(cell(code, k), s if s == c || s == EDGE))
}

/// Whether the corners leave the opponent no way to make the eye false: none of them at the edge, one in the middle.
fn solid(code: u16, c: Colour) -> bool {
    let edge = (4..8).any(|k| cell(code, k) == EDGE);
    let foes = (4..8).filter(|&k| cell(code, k) == other(c)).count();
    foes + usize::from(edge) < 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(cells: [Colour; 8]) -> u16 {
        cells
            .iter()
            .enumerate()
            .fold(0, |code, (k, &c)| code | u16::from(c) << (2 * k))
    }

    #[test]
    fn eyes_and_sides() {
        let (e, b, w, o) = (EMPTY, BLACK, WHITE, EDGE);
        let middle = code([b, b, b, b, w, e, e, e]);
        assert!(table().eye(middle, BLACK) && !table().eye(middle, WHITE));
        assert!(!table().eye(code([b, b, b, b, w, w, e, e]), BLACK));
        assert!(table().eye(code([b, b, o, o, b, o, o, o]), BLACK));
        assert!(!table().eye(code([b, b, o, o, w, o, o, o]), BLACK));
        assert!(!table().eye(code([b, e, b, b, e, e, e, e]), BLACK));
        assert_eq!(sides(code([b, w, b, e, b, b, b, b]), BLACK), 2);
        assert_eq!(sides(code([b, w, b, e, b, b, b, b]), EMPTY), 1);
        assert_eq!(sides(code([b, w, o, o, b, b, b, b]), EDGE), 2);
    }

    #[test]
    fn a_hane_is_a_shape_and_the_empty_board_is_none() {
        let (e, b, w) = (EMPTY, BLACK, WHITE);
        // White between two black stones above: the enclosing hane.
        let hane = code([w, e, e, e, b, e, e, b]);
        assert!(table().shape(hane, BLACK) && table().shape(hane, WHITE));
        assert!(!table().shape(0, BLACK));
    }
    /// The table marks what the drawings say: every code against every drawing, mirrored and transposed.
    #[test]
    fn shapes_are_what_the_drawings_say() {
        let mut want = vec![0u8; 1 << 16];
        for &(drawing, who) in SHAPES {
            let rows: Vec<&[u8]> = drawing.split('|').map(str::as_bytes).collect();
            for symmetry in 0..8 {
                let signs = DRAWN.map(|(r, f)| {
                    let (r, f) = if symmetry & 1 != 0 { (2 - r, f) } else { (r, f) };
                    let (r, f) = if symmetry & 2 != 0 { (r, 2 - f) } else { (r, f) };
                    if symmetry & 4 != 0 { rows[f][r] } else { rows[r][f] }
                });
                for (x, bit) in [(BLACK, SHAPE), (WHITE, SHAPE << 1)] {
                    let marks = if who == '*' { SHAPE | SHAPE << 1 } else { bit };
                    for code in 0..=u16::MAX {
                        if (0..8).all(|k| stands_for(signs[k], cell(code, k), x)) {
                            want[code as usize] |= marks;
                        }
                    }
                }
            }
        }
        let marked: Vec<u8> = table().0.iter().map(|bits| bits & (SHAPE | SHAPE << 1)).collect();
        assert!(marked == want);
        assert!(marked.contains(&SHAPE) && marked.contains(&(SHAPE << 1)));
    }
}
