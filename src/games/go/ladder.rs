//! Ladders read to the end, by the rules that the networks were trained with: all kos work for the side that runs, and
//! whatever leaves one is no ladder.

use super::board::Board;
use super::types::{CELLS, NONE, POINTS, Point, other};

/// Positions that one chain may take to read, as KataGo has it; what takes more is no ladder.
const NODES: u32 = 12_500;
/// A chain in atari cannot touch more chains that matter; those beyond are not looked at.
const MOST_CAPTURES: usize = 30;

/// Reads ladders; the boards it plays on are kept for the next.
pub struct LadderReader {
    boards: Vec<Board>,
    most: u32,
    nodes: u32,
}

impl Default for LadderReader {
    fn default() -> Self {
        Self::new(NODES)
    }
}

/// A set of points, by [`Board::index`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Points([u64; POINTS.div_ceil(64)]);

impl Points {
    /// Adds a point.
    pub fn add(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// The points.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len()).flat_map(|i| {
            let mut word = self.0[i];
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(i * 64 + bit)
            })
        })
    }
}

/// What is caught in ladders on a board.
#[derive(Clone, Default)]
pub struct Ladders {
    /// Stones of chains that cannot run; of two liberties, if the opponent starts.
    pub caught: Points,
    /// The first moves that catch a chain of two liberties, by the chain's colour.
    pub catches: [Points; 3],
}

impl LadderReader {
    /// A reader that spends at most so many positions on a chain.
    pub fn new(most: u32) -> Self {
        Self {
            boards: Vec::new(),
            most,
            nodes: 0,
        }
    }

    /// All ladders of a board.
    pub fn all(&mut self, board: &Board) -> Ladders {
        let mut found = Ladders::default();
        let mut seen = [false; CELLS];
        for p in board.points() {
            let head = board.head(p);
            if head == NONE || seen[head as usize] || board.liberties(p) > 2 {
                continue;
            }
            seen[head as usize] = true;
            let mut caught = false;
            if board.liberties(p) == 1 {
                caught = self.is_caught(board, p);
            } else {
                let catches = self.catches(board, p);
                for (way, _) in board.two_liberties(p).into_iter().zip(catches).filter(|(_, c)| *c) {
                    caught = true;
                    found.catches[board.colour(p) as usize].add(board.index(way));
                }
            }
            if caught {
                board.chain(p).for_each(|s| found.caught.add(board.index(s)));
            }
        }
        found
    }

    /// Whether a chain in atari is captured in a ladder, its owner to move.
    pub fn is_caught(&mut self, board: &Board, p: Point) -> bool {
        self.cannot_run(board, p, NONE)
    }

    /// Which of the [two liberties](Board::two_liberties) of a chain start a ladder that works, its opponent to move.
    pub fn catches(&mut self, board: &Board, p: Point) -> [bool; 2] {
        let [a, b] = board.two_liberties(p);
        [self.starts(board, p, a, b), self.starts(board, p, b, a)]
    }

    /// Whether the opponent's stone on `way` catches the chain, whose other liberty is `left`.
    fn starts(&mut self, board: &Board, p: Point, way: Point, left: Point) -> bool {
        // Three free points beside the last liberty are enough to run.
        let open = !beside(board, way, left) && free(board, left) >= 3;
        !open && board.is_legal(way, other(board.colour(p)), false) && self.cannot_run(board, p, way)
    }

    /// Whether the chain is caught when its owner moves, after the opponent's stone on `first`, if any.
    fn cannot_run(&mut self, board: &Board, p: Point, first: Point) -> bool {
        self.nodes = self.most;
        if self.boards.is_empty() {
            self.boards.push(board.clone());
        }
        let root = &mut self.boards[0];
        root.copy_from(board);
        if first != NONE {
            root.play(first, other(root.colour(p)));
        }
        root.pass(); // the ko is over
        self.runs_in_vain(0, p) == Some(true)
    }

    /// Plays on the board of `depth`, giving that of the next; false where the move is illegal.
    fn step(&mut self, depth: usize, way: Point, c: u8) -> bool {
        if !self.boards[depth].is_legal(way, c, false) {
            return false;
        }
        if self.boards.len() == depth + 1 {
            self.boards.push(self.boards[depth].clone());
        }
        let (before, after) = self.boards.split_at_mut(depth + 1);
        after[0].copy_from(&before[depth]);
        after[0].play(way, c);
        true
    }

    /// Whether the chain is caught with its owner to move; nothing when that takes too long to read.
    fn runs_in_vain(&mut self, depth: usize, p: Point) -> Option<bool> {
        let board = &self.boards[depth];
        if board.liberties(p) >= 2 || (depth > 0 && board.ko() != NONE) {
            return Some(false);
        }
        if depth >= board.area() * 3 / 2 {
            return Some(true);
        }
        let c = board.colour(p);
        let mut ways = [NONE; MOST_CAPTURES + 1];
        let mut n = captures(board, p, &mut ways[..MOST_CAPTURES]);
        ways[n] = board.last_liberty(p);
        let (least, most) = liberties_after(board, ways[n], c);
        n += 1;
        if least >= 3 {
            return Some(false);
        }
        if n == 1 && most <= 1 {
            return Some(true);
        }
        for &way in &ways[..n] {
            if self.step(depth, way, c) && !self.is_chased(depth + 1, p)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether the chain is caught with the opponent to move.
    fn is_chased(&mut self, depth: usize, p: Point) -> Option<bool> {
        self.nodes = self.nodes.checked_sub(1)?;
        let board = &self.boards[depth];
        match board.liberties(p) {
            0 | 1 => return Some(true),
            2 => {}
            _ => return Some(false),
        }
        let c = board.colour(p);
        let foe = other(c);
        let [a, b] = board.two_liberties(p);
        let open = [free(board, a), free(board, b)];
        let apart = !beside(board, a, b);
        if open == [0, 0]
            && is_ko(board, a, foe)
            && is_ko(board, b, foe)
            && captures(board, p, &mut [NONE; 1]) == 0
            && [a, b]
                .into_iter()
                .all(|way| !self.step(depth, way, c) || self.boards[depth + 1].liberties(way) <= 2)
        {
            // Two kos, and taking part in either gains nothing.
            return Some(true);
        }
        // The liberty with more free points beside it comes first.
        let ways = if open[1] > open[0] {
            [(b, 0), (a, 1)]
        } else {
            [(a, 1), (b, 0)]
        };
        for (way, left) in ways {
            // What leaves three free points beside the last liberty cannot catch.
            let hopeless = apart && open[left] >= 3;
            if !hopeless && self.step(depth, way, foe) && self.runs_in_vain(depth + 1, p)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

fn beside(board: &Board, a: Point, b: Point) -> bool {
    board.around(a).contains(&b)
}

/// Empty points beside a point.
fn free(board: &Board, p: Point) -> usize {
    board.around(p).into_iter().filter(|&q| board.colour(q) == 0).count()
}

/// Collects where the chain can capture a neighbour in atari.
fn captures(board: &Board, p: Point, ways: &mut [Point]) -> usize {
    let foe = other(board.colour(p));
    let mut n = 0;
    for s in board.chain(p) {
        for q in board.around(s) {
            if board.colour(q) == foe && board.liberties(q) == 1 {
                let way = board.last_liberty(q);
                if n < ways.len() && !ways[..n].contains(&way) {
                    ways[n] = way;
                    n += 1;
                }
            }
        }
    }
    n
}

/// The least and the most liberties that a stone's chain can have.
fn liberties_after(board: &Board, p: Point, c: u8) -> (usize, usize) {
    let (mut free, mut taken, mut gained, mut joined, mut longest) = (0, 0, 0, 0, 0);
    for q in board.around(p) {
        let there = board.colour(q);
        if there == 0 {
            free += 1;
        } else if there == c {
            joined += board.liberties(q) - 1;
            longest = longest.max(board.liberties(q) - 1);
        } else if there == other(c) && board.liberties(q) == 1 {
            taken += 1;
            gained += board.stones(q);
        }
    }
    (taken + free.max(longest), free + gained + joined)
}

/// Whether a stone there would take one stone in a ko.
fn is_ko(board: &Board, p: Point, c: u8) -> bool {
    let mut taken = 0;
    for q in board.around(p) {
        let there = board.colour(q);
        if there == 0 || there == c {
            return false;
        }
        if there == other(c) && board.liberties(q) == 1 {
            taken += board.stones(q);
        }
    }
    taken == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stones that are caught, as `#`, and the moves that catch black and white, as `b` and `w`.
    fn caught(rows: &[&str]) -> String {
        let board = Board::drawn(rows).expect("a square drawing");
        let ladders = LadderReader::default().all(&board);
        let mut cells = vec!['.'; board.area()];
        ladders.catches[1].iter().for_each(|i| cells[i] = 'b');
        ladders.catches[2].iter().for_each(|i| cells[i] = 'w');
        ladders.caught.iter().for_each(|i| cells[i] = '#');
        let rows: Vec<String> = cells.chunks(board.size()).rev().map(|r| r.iter().collect()).collect();
        rows.join("|")
    }

    #[test]
    fn a_ladder_runs_into_the_edge() {
        let ladder = ["......", "......", "..XX..", ".XO...", "..X...", "......"];
        assert_eq!(caught(&ladder), "......|......|......|..#...|......|......");
    }

    #[test]
    fn a_stone_on_the_edge_is_caught_from_the_open_side() {
        let rows = [".....", ".....", ".....", ".X...", ".O..."];
        assert_eq!(caught(&rows), ".....|.....|.....|.....|.#w..");
    }

    #[test]
    fn a_stone_in_the_way_breaks_it() {
        let ladder = ["..X...", "......", "..XX..", ".XO...", "..X.O.", "......"];
        assert!(!caught(&ladder).contains('#'), "{}", caught(&ladder));
    }

    #[test]
    fn a_chain_that_can_capture_is_not_caught() {
        let rows = [".....", ".OX..", "OXO..", ".OX..", "....."];
        assert!(!caught(&rows).contains('w'), "{}", caught(&rows));
    }
}
