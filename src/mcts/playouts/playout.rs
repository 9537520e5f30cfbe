//! A playout: a game played to its end by a fast move policy, for the value of a leaf without a network.
//!
//! The order of its heuristics follows MoGo, Pachi and michi: answer captures and ataris next to the last moves, then shapes,
//! then anything that is neither an own eye nor a plain self-atari.

use super::tactics;
use crate::games::go::Board;
use crate::games::go::types::{BLACK, CELLS, Colour, EMPTY, NONE, PASS, Point, WHITE, other};
use crate::util::rng::SplitMix;

/// How often each heuristic is tried, in 256ths.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Capture next to the last moves, and escape from capture.
    pub capture: u64,
    /// Attack and defend chains of two liberties.
    pub two: u64,
    /// The vital point of a small eye space.
    pub nakade: u64,
    /// Shapes of nine points.
    pub shape: u64,
    /// Refuse a suggested self-atari.
    pub self_atari: u64,
    /// Refuse a random self-atari.
    pub random_self_atari: u64,
}

impl Rates {
    /// The policy used in play.
    pub const HEAVY: Self = Self {
        capture: 230,
        two: 205,
        nakade: 205,
        shape: 243,
        self_atari: 240,
        random_self_atari: 200,
    };
    /// Uniformly random moves that fill no eyes.
    pub const LIGHT: Self = Self {
        capture: 0,
        two: 0,
        nakade: 0,
        shape: 0,
        self_atari: 0,
        random_self_atari: 0,
    };
}

/// A few candidate points, taken from at random.
struct Few {
    points: [Point; 40],
    len: usize,
}

impl Few {
    fn new() -> Self {
        Self {
            points: [NONE; 40],
            len: 0,
        }
    }

    #[inline]
    fn push(&mut self, p: Point) {
        if self.len < self.points.len() {
            self.points[self.len] = p;
            self.len += 1;
        }
    }

    #[inline]
    fn take(&mut self, rng: &mut SplitMix) -> Option<Point> {
        if self.len == 0 {
            return None;
        }
        let i = rng.below(self.len as u64) as usize;
        let p = self.points[i];
        self.len -= 1;
        self.points[i] = self.points[self.len];
        Some(p)
    }
}

/// Plays games out, with its own random numbers.
pub struct Playout {
    /// Which heuristics it uses.
    pub rates: Rates,
    /// The board it plays on.
    pub board: Board,
    /// The colour that played first on each point; [`EMPTY`] where none did.
    pub first: [Colour; CELLS],
    /// Its random numbers.
    pub rng: SplitMix,
    suicide: bool,
    moves: usize,
}

impl Playout {
    /// A player with these rates.
    pub fn new(board: Board, rates: Rates, seed: u64) -> Self {
        Self {
            rates,
            board,
            first: [EMPTY; CELLS],
            rng: SplitMix::new(seed),
            suicide: false,
            moves: 0,
        }
    }

    /// Plays from a position to the end; the board is left as it ended.
    pub fn run(&mut self, from: &Board, turn: Colour) {
        self.board.copy_from(from);
        self.first[..from.cells()].fill(EMPTY);
        self.moves = 0;
        let most = self.board.area() * 3;
        let (mut turn, mut passes) = (turn, 0);
        while passes < 2 && self.moves < most {
            let p = self.choose(turn);
            if p == PASS {
                self.board.pass();
                passes += 1;
            } else {
                self.board.play(p, turn);
                if self.first[p as usize] == EMPTY {
                    self.first[p as usize] = turn;
                }
                passes = 0;
            }
            self.moves += 1;
            turn = other(turn);
        }
    }

    /// Moves of the last game.
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// Whose a point is at the end: its stone's, or the one colour's around it.
    #[inline]
    pub fn owner(&self, p: Point) -> Colour {
        match self.board.colour(p) {
            EMPTY if self.board.is_walled(p, BLACK) => BLACK,
            EMPTY if self.board.is_walled(p, WHITE) => WHITE,
            c => c,
        }
    }

    /// Black's lead by area.
    pub fn lead(&self) -> i32 {
        let mut black = 0;
        let mut white = 0;
        for &e in self.board.empties() {
            match self.owner(e) {
                BLACK => black += 1,
                WHITE => white += 1,
                _ => {}
            }
        }
        black - white + self.board.stone_balance()
    }

    #[inline]
    fn chance(&mut self, rate: u64) -> bool {
        rate > 0 && (self.rng.next() & 255) < rate
    }

    fn choose(&mut self, c: Colour) -> Point {
        let last = self.board.last();
        if last[0] != PASS {
            if self.chance(self.rates.capture)
                && let Some(p) = self.rescue(last[0], c)
            {
                return p;
            }
            if self.chance(self.rates.nakade)
                && let Some(p) = self.nakade(last[0], c)
            {
                return p;
            }
            if self.chance(self.rates.two)
                && let Some(p) = self.two(last[0], c)
            {
                return p;
            }
        }
        if self.chance(self.rates.shape) {
            for near in last {
                if near != PASS
                    && let Some(p) = self.shape(near, c)
                {
                    return p;
                }
            }
        }
        self.random(c)
    }

    /// Whether a suggested move may be played.
    #[inline]
    fn sound(&mut self, p: Point, c: Colour) -> bool {
        self.board.is_legal(p, c, false)
            && !(self.chance(self.rates.self_atari) && tactics::is_self_atari(&self.board, p, c))
    }

    /// Captures the chain in atari that the last move made or left, or saves the own one it threatens.
    fn rescue(&mut self, near: Point, c: Colour) -> Option<Point> {
        let mut few = Few::new();
        let board = &self.board;
        let foe = other(c);
        if board.colour(near) == foe && board.liberties(near) == 1 {
            few.push(board.last_liberty(near));
        }
        let mut met = [NONE; 4];
        for (i, q) in board.around(near).into_iter().enumerate() {
            let h = board.head(q);
            if h == NONE || met.contains(&h) || board.liberties(q) != 1 {
                continue;
            }
            met[i] = h;
            let way = board.last_liberty(q);
            if board.colour(q) == foe {
                few.push(way);
                continue;
            }
            tactics::captures_around(board, q, |p| few.push(p));
            if !tactics::is_self_atari(board, way, c) {
                few.push(way);
            }
        }
        while let Some(p) = few.take(&mut self.rng) {
            if self.board.is_legal(p, c, self.suicide) {
                return Some(p);
            }
        }
        None
    }

    /// Puts a neighbour of the last move in atari, or gives an own chain of two liberties a third.
    fn two(&mut self, near: Point, c: Colour) -> Option<Point> {
        let mut few = Few::new();
        let board = &self.board;
        let foe = other(c);
        if board.colour(near) == foe && board.liberties(near) == 2 {
            for p in board.two_liberties(near) {
                few.push(p);
            }
        }
        let mut met = [NONE; 4];
        for (i, q) in board.around(near).into_iter().enumerate() {
            let h = board.head(q);
            if board.colour(q) != c || met.contains(&h) || board.liberties(q) != 2 {
                continue;
            }
            met[i] = h;
            for p in board.two_liberties(q) {
                if tactics::liberties_after(board, p, c) > 2 {
                    few.push(p);
                }
            }
        }
        while let Some(p) = few.take(&mut self.rng) {
            if !self.board.is_walled(p, c)
                && self.board.is_legal(p, c, false)
                && !tactics::is_self_atari(&self.board, p, c)
            {
                return Some(p);
            }
        }
        None
    }

    /// The vital point of an eye space of three to six points that the last move touched.
    fn nakade(&mut self, near: Point, c: Colour) -> Option<Point> {
        for q in self.board.around(near) {
            if self.board.colour(q) == EMPTY
                && let Some(p) = tactics::vital_point(&self.board, q)
                && self.board.is_legal(p, c, false)
            {
                return Some(p);
            }
        }
        None
    }

    fn shape(&mut self, near: Point, c: Colour) -> Option<Point> {
        let start = self.rng.next() as usize;
        for i in 0..8 {
            let p = self.board.step(near, (start + i) & 7);
            if self.board.colour(p) == EMPTY && self.board.is_shape(p, c) && self.sound(p, c) {
                return Some(p);
            }
        }
        None
    }

    fn random(&mut self, c: Colour) -> Point {
        let n = self.board.empties().len();
        if n == 0 {
            return PASS;
        }
        let start = self.rng.below(n as u64) as usize;
        let careful = self.rates.random_self_atari > 0;
        let mut refused = PASS;
        for i in 0..n {
            let at = if start + i < n { start + i } else { start + i - n };
            let p = self.board.empties()[at];
            if self.board.is_eye(p, c) || !self.board.is_legal(p, c, false) {
                continue;
            }
            if careful && tactics::is_self_atari(&self.board, p, c) {
                // A big self-atari is never good, a small one may be a throw-in: kept for when nothing else is left.
                if self.chance(self.rates.random_self_atari) {
                    if refused == PASS && !tactics::gives_up_many(&self.board, p, c) {
                        refused = p;
                    }
                    continue;
                }
            }
            return p;
        }
        refused
    }
}
