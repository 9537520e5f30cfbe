//! The board at speed: chains with exact liberties, keys and neighbour codes kept up to date move by move.
//!
//! A chain knows the number of its liberties, the sum of their cells and the sum of the squares, so that its only
//! liberty, or both of its two, follow without a search of the board.

use super::patterns::{self, PatternTable};
use super::types::{BLACK, CELLS, Colour, EDGE, EMPTY, MAX_SIZE, MIN_SIZE, NONE, PASS, POINTS, Point, WHITE, other};
use crate::game::BadInput;
use crate::util::rng::SplitMix;

/// What a chain's first stone holds for it.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
struct Chain {
    liberties: u16,
    stones: u16,
    sum: u32,
    squares: u32,
}

impl Chain {
    #[inline]
    fn add(&mut self, p: Point) {
        self.liberties += 1;
        self.sum += u32::from(p);
        self.squares += u32::from(p) * u32::from(p);
    }

    #[inline]
    fn remove(&mut self, p: Point) {
        self.liberties -= 1;
        self.sum -= u32::from(p);
        self.squares -= u32::from(p) * u32::from(p);
    }
}

const KEYS: [[u64; CELLS]; 2] = {
    let mut rng = SplitMix::new(0x6e67_756b_7920_676f);
    let mut keys = [[0; CELLS]; 2];
    let mut i = 0;
    while i < 2 * CELLS {
        keys[i / CELLS][i % CELLS] = rng.next();
        i += 1;
    }
    keys
};
static ZOBRIST: [[u64; CELLS]; 2] = KEYS;

/// Stones, chains, ko and prisoners. Turn and superko are those of [`super::Game`].
#[derive(Clone)]
pub struct Board {
    size: u16,
    width: u16,
    len: u16,
    empty: u16,
    whites: u16,
    ko: Point,
    ko_victim: Colour,
    last: [Point; 2],
    lost: [u16; 3],
    key: u64,
    dirs: [u16; 8],
    table: &'static PatternTable,
    colours: [Colour; CELLS],
    heads: [Point; CELLS],
    nexts: [Point; CELLS],
    chains: [Chain; CELLS],
    codes: [u16; CELLS],
    places: [u16; CELLS],
    empties: [Point; POINTS],
}

impl Board {
    /// An empty board.
    pub fn new(size: usize) -> Result<Self, BadInput> {
        if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
            return Err(BadInput::new("unacceptable size"));
        }
        let width = size as u16 + 1;
        let back = |d: u16| 0u16.wrapping_sub(d);
        let mut board = Self {
            size: size as u16,
            width,
            len: (size as u16 + 2) * width + 1,
            empty: 0,
            whites: 0,
            ko: NONE,
            ko_victim: EMPTY,
            last: [NONE; 2],
            lost: [0; 3],
            key: 0,
            dirs: [
                width,
                1,
                back(width),
                back(1),
                width + 1,
                back(width - 1),
                back(width + 1),
                width - 1,
            ],
            table: patterns::table(),
            colours: [EDGE; CELLS],
            heads: [NONE; CELLS],
            nexts: [NONE; CELLS],
            chains: [Chain::default(); CELLS],
            codes: [0; CELLS],
            places: [0; CELLS],
            empties: [NONE; POINTS],
        };
        for y in 0..size {
            for x in 0..size {
                let p = board.at(x, y);
                board.colours[p as usize] = EMPTY;
                board.places[p as usize] = board.empty;
                board.empties[board.empty as usize] = p;
                board.empty += 1;
            }
        }
        for i in 0..size * size {
            let p = board.empties[i];
            for k in 0..8 {
                let q = p.wrapping_add(board.dirs[k]);
                board.codes[p as usize] |= u16::from(board.colours[q as usize]) << (2 * k);
            }
        }
        Ok(board)
    }

    /// Becomes a copy of a board, touching only the cells that the size uses.
    pub fn copy_from(&mut self, from: &Self) {
        if self.size != from.size {
            self.clone_from(from);
            return;
        }
        let n = from.len as usize;
        self.empty = from.empty;
        self.whites = from.whites;
        self.ko = from.ko;
        self.ko_victim = from.ko_victim;
        self.last = from.last;
        self.lost = from.lost;
        self.key = from.key;
        self.colours[..n].copy_from_slice(&from.colours[..n]);
        self.heads[..n].copy_from_slice(&from.heads[..n]);
        self.nexts[..n].copy_from_slice(&from.nexts[..n]);
        self.chains[..n].copy_from_slice(&from.chains[..n]);
        self.codes[..n].copy_from_slice(&from.codes[..n]);
        self.places[..n].copy_from_slice(&from.places[..n]);
        let empty = from.empty as usize;
        self.empties[..empty].copy_from_slice(&from.empties[..empty]);
    }

    /// Points of a side.
    #[inline]
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// Points of the board.
    #[inline]
    pub fn area(&self) -> usize {
        self.size() * self.size()
    }

    /// Cells in use, frame included: the bound of all points.
    #[inline]
    pub fn cells(&self) -> usize {
        self.len as usize
    }

    /// The point of a column and a row, both from 0 and from the bottom left.
    #[inline]
    pub fn at(&self, x: usize, y: usize) -> Point {
        (y as u16 + 1) * self.width + x as u16 + 1
    }

    /// Column and row of a point.
    #[inline]
    pub fn xy(&self, p: Point) -> (usize, usize) {
        ((p % self.width) as usize - 1, (p / self.width) as usize - 1)
    }

    /// Number of a point in reading order from the bottom left, below [`Board::area`].
    #[inline]
    pub fn index(&self, p: Point) -> usize {
        let (x, y) = self.xy(p);
        y * self.size() + x
    }

    /// All points, bottom row first.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        (0..self.size()).flat_map(move |y| (0..self.size()).map(move |x| self.at(x, y)))
    }

    /// What stands there.
    #[inline]
    pub fn colour(&self, p: Point) -> Colour {
        self.colours[p as usize]
    }

    /// The point itself moved in direction `k` of the neighbour codes.
    #[inline]
    pub fn step(&self, p: Point, k: usize) -> Point {
        p.wrapping_add(self.dirs[k])
    }

    /// The four points (or edge cells) on the sides of a point.
    #[inline]
    pub fn around(&self, p: Point) -> [Point; 4] {
        let w = self.width;
        [
            p.wrapping_add(w),
            p.wrapping_add(1),
            p.wrapping_sub(w),
            p.wrapping_sub(1),
        ]
    }

    /// The code of the eight neighbours.
    #[inline]
    pub fn code(&self, p: Point) -> u16 {
        self.codes[p as usize]
    }

    /// The first stone of the chain at `p`, by which the chain is known; [`NONE`] where no stone stands.
    #[inline]
    pub fn head(&self, p: Point) -> Point {
        self.heads[p as usize]
    }

    /// How many liberties the chain at `p` has.
    #[inline]
    pub fn liberties(&self, p: Point) -> usize {
        self.chains[self.heads[p as usize] as usize].liberties as usize
    }

    /// How many stones the chain at `p` has.
    #[inline]
    pub fn stones(&self, p: Point) -> usize {
        self.chains[self.heads[p as usize] as usize].stones as usize
    }

    /// The liberty of a chain that has just one.
    #[inline]
    pub fn last_liberty(&self, p: Point) -> Point {
        self.chains[self.heads[p as usize] as usize].sum as Point
    }

    /// Both liberties of a chain that has just two.
    #[inline]
    pub fn two_liberties(&self, p: Point) -> [Point; 2] {
        let chain = &self.chains[self.heads[p as usize] as usize];
        // (a - b)^2 = 2 (a^2 + b^2) - (a + b)^2, below 2^24 and so exact in a float.
        let square = 2 * chain.squares - chain.sum * chain.sum;
        let apart = (square as f32).sqrt() as u32;
        [((chain.sum - apart) / 2) as Point, ((chain.sum + apart) / 2) as Point]
    }

    /// The stones of the chain at `p`.
    pub fn chain(&self, p: Point) -> impl Iterator<Item = Point> + '_ {
        let mut at = p;
        let mut left = if self.head(p) == NONE { 0 } else { self.stones(p) };
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let stone = at;
            at = self.nexts[at as usize];
            Some(stone)
        })
    }

    /// The empty points, in no order.
    #[inline]
    pub fn empties(&self) -> &[Point] {
        &self.empties[..self.empty as usize]
    }

    /// The key of the stones on the board.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The point that simple ko bars to the side that lost a stone there, or [`NONE`].
    #[inline]
    pub fn ko(&self) -> Point {
        self.ko
    }

    /// The last move and the one before it; [`PASS`] for a pass or none.
    #[inline]
    pub fn last(&self) -> [Point; 2] {
        self.last
    }

    /// Stones of a colour that were captured so far.
    #[inline]
    pub fn lost(&self, c: Colour) -> usize {
        self.lost[c as usize] as usize
    }

    /// Black's stones on the board less white's.
    pub fn stone_balance(&self) -> i32 {
        let stones = (self.area() - self.empty as usize) as i32;
        stones - 2 * self.whites as i32
    }

    /// Whether `p` is an eye of `c` by its eight neighbours.
    #[inline]
    pub fn is_eye(&self, p: Point, c: Colour) -> bool {
        self.table.eye(self.code(p), c)
    }

    /// Whether only stones of `c` and edge stand on the four sides of `p`.
    #[inline]
    pub fn is_walled(&self, p: Point, c: Colour) -> bool {
        self.table.walled(self.code(p), c)
    }

    /// Whether `p` has one of the shapes worth a local answer.
    #[inline]
    pub fn is_shape(&self, p: Point, c: Colour) -> bool {
        self.table.shape(self.code(p), c)
    }

    /// Whether a stone on the empty point would leave its chain without a liberty and capture nothing.
    #[inline]
    pub fn is_suicide(&self, p: Point, c: Colour) -> bool {
        if patterns::sides(self.code(p), EMPTY) > 0 {
            return false;
        }
        self.around(p).into_iter().all(|q| match self.colour(q) {
            EDGE => true,
            s if s == c => self.liberties(q) == 1,
            _ => self.liberties(q) > 1,
        })
    }

    /// Whether a stone on the empty point would be taken off at once, and nothing with it.
    #[inline]
    pub fn is_lone_suicide(&self, p: Point, c: Colour) -> bool {
        self.is_suicide(p, c) && patterns::sides(self.code(p), c) == 0
    }

    /// Whether `c` may play on `p` under simple ko. Suicide, where allowed, takes more than one stone: that of one
    /// stone changes nothing on the board, so that a positional superko bars it, and a pass does for the search what it
    /// would do. [`super::Game`] has it where the superko is situational.
    #[inline]
    pub fn is_legal(&self, p: Point, c: Colour, suicide: bool) -> bool {
        if self.colour(p) != EMPTY || (p == self.ko && c == self.ko_victim) {
            return false;
        }
        !self.is_suicide(p, c) || (suicide && patterns::sides(self.code(p), c) > 0)
    }

    /// Passes: the ko is over.
    #[inline]
    pub fn pass(&mut self) {
        self.ko = NONE;
        self.last = [PASS, self.last[0]];
    }

    /// Plays a legal stone and returns how many stones were captured.
    pub fn play(&mut self, p: Point, c: Colour) -> usize {
        debug_assert!(self.colour(p) == EMPTY);
        self.ko = NONE;
        self.last = [p, self.last[0]];
        self.put(p, c);
        let foe = other(c);
        let around = self.around(p);
        let mut single = Chain {
            stones: 1,
            ..Chain::default()
        };
        for q in around {
            if self.colour(q) == EMPTY {
                single.add(q);
            }
        }
        self.heads[p as usize] = p;
        self.nexts[p as usize] = p;
        self.chains[p as usize] = single;
        let mut here = p;
        let mut met = [NONE; 4];
        for (i, q) in around.into_iter().enumerate() {
            let there = self.colour(q);
            let h = self.head(q);
            if there == c {
                if h != here {
                    self.chains[h as usize].remove(p);
                    here = self.merge(here, h);
                }
            } else if there == foe && !met.contains(&h) {
                met[i] = h;
                self.chains[h as usize].remove(p);
            }
        }
        let mut taken = 0;
        let mut hole = NONE;
        for h in met {
            if h != NONE && self.chains[h as usize].liberties == 0 {
                hole = h;
                taken += self.capture(h);
            }
        }
        let chain = self.chains[here as usize];
        if chain.liberties == 0 {
            self.capture(here);
        } else if taken == 1 && chain.stones == 1 && chain.liberties == 1 {
            self.ko = hole;
            self.ko_victim = foe;
        }
        taken
    }

    /// The key after a legal stone, without playing it.
    pub fn key_after(&self, p: Point, c: Colour) -> u64 {
        let foe = other(c);
        let mut key = self.key ^ ZOBRIST[c as usize - 1][p as usize];
        let mut met = [NONE; 4];
        let mut taken = false;
        for (i, q) in self.around(p).into_iter().enumerate() {
            let h = self.head(q);
            if self.colour(q) == foe && self.liberties(q) == 1 && !met.contains(&h) {
                met[i] = h;
                taken = true;
                for s in self.chain(h) {
                    key ^= ZOBRIST[foe as usize - 1][s as usize];
                }
            }
        }
        if !taken && self.is_suicide(p, c) {
            key ^= ZOBRIST[c as usize - 1][p as usize];
            for (i, q) in self.around(p).into_iter().enumerate() {
                let h = self.head(q);
                if self.colour(q) == c && !met.contains(&h) {
                    met[i] = h;
                    for s in self.chain(h) {
                        key ^= ZOBRIST[c as usize - 1][s as usize];
                    }
                }
            }
        }
        key
    }

    /// A copy without the stones of these chains, for scoring; the stones are no prisoners yet.
    pub fn without(&self, dead: &[Point]) -> Self {
        let mut board = self.clone();
        for &p in dead {
            let h = board.head(p);
            if h != NONE {
                board.capture(h);
            }
        }
        board.lost = self.lost;
        board
    }

    /// Puts a stone on the board for a setup, as a move of either colour with no memory of it.
    pub fn set_up(&mut self, p: Point, c: Colour) {
        self.play(p, c);
        self.ko = NONE;
        self.last = [NONE; 2];
        self.lost = [0; 3];
    }

    #[inline]
    fn put(&mut self, p: Point, c: Colour) {
        self.colours[p as usize] = c;
        self.toggle(p, c);
        self.whites += u16::from(c == WHITE);
        self.empty -= 1;
        let (place, last) = (self.places[p as usize], self.empties[self.empty as usize]);
        self.empties[place as usize] = last;
        self.places[last as usize] = place;
    }

    #[inline]
    fn lift(&mut self, p: Point, c: Colour) {
        self.colours[p as usize] = EMPTY;
        self.toggle(p, c);
        self.whites -= u16::from(c == WHITE);
        self.heads[p as usize] = NONE;
        self.places[p as usize] = self.empty;
        self.empties[self.empty as usize] = p;
        self.empty += 1;
    }

    /// Key and neighbour codes change alike when a stone comes and when it goes.
    #[inline]
    fn toggle(&mut self, p: Point, c: Colour) {
        self.key ^= ZOBRIST[c as usize - 1][p as usize];
        for k in 0..8 {
            let q = p.wrapping_add(self.dirs[k]);
            self.codes[q as usize] ^= u16::from(c) << (2 * (k ^ 2));
        }
    }

    /// Joins two chains of a colour, the shorter to the longer, and returns the head.
    #[inline]
    fn merge(&mut self, a: Point, b: Point) -> Point {
        let (long, short) = if self.chains[a as usize].stones > self.chains[b as usize].stones {
            (a, b)
        } else {
            (b, a)
        };
        let mut s = short;
        loop {
            for e in self.around(s) {
                // A liberty is new when no stone of the long chain, as far as it has grown, touches it.
                if self.colour(e) == EMPTY && self.around(e).into_iter().all(|q| self.head(q) != long) {
                    self.chains[long as usize].add(e);
                }
            }
            self.heads[s as usize] = long;
            s = self.nexts[s as usize];
            if s == short {
                break;
            }
        }
        self.chains[long as usize].stones += self.chains[short as usize].stones;
        self.nexts.swap(long as usize, short as usize);
        long
    }

    fn capture(&mut self, h: Point) -> usize {
        let c = self.colour(h);
        let foe = other(c);
        let n = self.chains[h as usize].stones;
        let mut s = h;
        for _ in 0..n {
            let next = self.nexts[s as usize];
            self.lift(s, c);
            let mut met = [NONE; 4];
            for (i, q) in self.around(s).into_iter().enumerate() {
                let f = self.head(q);
                if self.colour(q) == foe && !met.contains(&f) {
                    met[i] = f;
                    self.chains[f as usize].add(s);
                }
            }
            s = next;
        }
        self.lost[c as usize] += n;
        n as usize
    }

    /// The board as rows of `X`, `O` and `.`, top row first.
    pub fn rows(&self) -> Vec<String> {
        (0..self.size())
            .rev()
            .map(|y| {
                (0..self.size())
                    .map(|x| [".", "X", "O"][self.colour(self.at(x, y)) as usize])
                    .collect()
            })
            .collect()
    }

    /// Reads a drawing of such rows.
    pub fn drawn(rows: &[&str]) -> Result<Self, BadInput> {
        let mut board = Self::new(rows.len())?;
        for (i, row) in rows.iter().enumerate() {
            let cells: Vec<char> = row.chars().filter(|c| !c.is_whitespace()).collect();
            if cells.len() != rows.len() {
                return Err(BadInput::new(format!("row {row:?} is not {} points wide", rows.len())));
            }
            for (x, c) in cells.into_iter().enumerate() {
                let p = board.at(x, rows.len() - 1 - i);
                match c {
                    'X' => board.set_up(p, BLACK),
                    'O' => board.set_up(p, WHITE),
                    _ => {}
                }
            }
        }
        Ok(board)
    }
}
