//! Go's board and game: the fast board equals a plain one, moves are taken back whole, and superko is what it says.

use nguky::game::Side;
use nguky::games::go::rules::Ko;
use nguky::games::go::types::{BLACK, EDGE, EMPTY, NONE, WHITE, colour, other};
use nguky::games::go::{Board, Game, PASS, Point, Rules};
use nguky::util::rng::SplitMix;

/// A board without cleverness: colours, and flood fills for everything else.
#[derive(Clone)]
struct Plain {
    size: i32,
    cells: Vec<u8>,
}

impl Plain {
    fn new(size: usize) -> Self {
        Self {
            size: size as i32,
            cells: vec![EMPTY; size * size],
        }
    }

    fn near(&self, i: usize) -> Vec<usize> {
        let (x, y) = (i as i32 % self.size, i as i32 / self.size);
        let inside = |&(x, y): &(i32, i32)| x >= 0 && y >= 0 && x < self.size && y < self.size;
        let all = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)];
        all.iter()
            .filter(|p| inside(p))
            .map(|&(x, y)| (y * self.size + x) as usize)
            .collect()
    }

    fn chain(&self, i: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut stones, mut liberties, mut next) = (vec![i], Vec::new(), 0);
        while next < stones.len() {
            for q in self.near(stones[next]) {
                if self.cells[q] == self.cells[i] && !stones.contains(&q) {
                    stones.push(q);
                } else if self.cells[q] == EMPTY && !liberties.contains(&q) {
                    liberties.push(q);
                }
            }
            next += 1;
        }
        stones.sort_unstable();
        liberties.sort_unstable();
        (stones, liberties)
    }

    /// Plays and returns the stones taken from the other and from the own side.
    fn play(&mut self, i: usize, c: u8) -> (usize, usize) {
        self.cells[i] = c;
        let (mut taken, mut given) = (0, 0);
        for q in self.near(i) {
            if self.cells[q] == other(c) {
                let (stones, liberties) = self.chain(q);
                if liberties.is_empty() {
                    taken += stones.len();
                    stones.iter().for_each(|&s| self.cells[s] = EMPTY);
                }
            }
        }
        let (stones, liberties) = self.chain(i);
        if liberties.is_empty() {
            given = stones.len();
            stones.iter().for_each(|&s| self.cells[s] = EMPTY);
        }
        (taken, given)
    }
}

fn assert_equal(fast: &Board, plain: &Plain) {
    let mut empty = 0;
    for p in fast.points() {
        let i = fast.index(p);
        assert_eq!(fast.colour(p), plain.cells[i]);
        for (k, (dx, dy)) in [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]
            .into_iter()
            .enumerate()
        {
            let (x, y) = (i as i32 % plain.size + dx, i as i32 / plain.size + dy);
            let inside = x >= 0 && y >= 0 && x < plain.size && y < plain.size;
            let there = if inside {
                plain.cells[(y * plain.size + x) as usize]
            } else {
                EDGE
            };
            assert_eq!((fast.code(p) >> (2 * k)) as u8 & 3, there);
        }
        if fast.colour(p) == EMPTY {
            empty += 1;
            assert_eq!(fast.head(p), NONE);
            continue;
        }
        // One look at each chain is enough: its stones all lead to the same head.
        if fast.head(p) != p {
            assert_eq!(fast.head(fast.head(p)), fast.head(p));
            continue;
        }
        let (stones, liberties) = plain.chain(i);
        assert!(fast.chain(p).all(|s| fast.head(s) == p));
        assert_eq!(fast.liberties(p), liberties.len());
        assert_eq!(fast.stones(p), stones.len());
        let mut chain: Vec<usize> = fast.chain(p).map(|s| fast.index(s)).collect();
        chain.sort_unstable();
        assert_eq!(chain, stones);
        if let [only] = liberties[..] {
            assert_eq!(fast.index(fast.last_liberty(p)), only);
        }
        if let [one, two] = liberties[..] {
            assert_eq!(fast.two_liberties(p).map(|e| fast.index(e)), [one, two]);
        }
    }
    assert_eq!(fast.empties().len(), empty);
    assert!(fast.empties().iter().all(|&p| fast.colour(p) == EMPTY));
}

/// Plays random games until `moves` moves have been compared.
fn law(size: usize, moves: usize, seed: u64) {
    let mut rng = SplitMix::new(seed);
    let mut done = 0;
    while done < moves {
        let suicide = rng.below(2) == 0;
        let mut fast = Board::new(size).expect("a size in range");
        let mut plain = Plain::new(size);
        let (mut turn, mut before, mut lost) = (BLACK, None, [0; 3]);
        for _ in 0..size * size * 3 {
            if rng.below(50) == 0 {
                fast.pass();
                before = None;
                turn = other(turn);
                continue;
            }
            let pick = rng.below(fast.empties().len() as u64) as usize;
            let p = fast.empties()[pick];
            let i = fast.index(p);
            let mut next = plain.clone();
            let (taken, given) = next.play(i, turn);
            let repeats = before.as_ref().is_some_and(|b: &Plain| b.cells == next.cells);
            let fine = (given == 0 || (suicide && given > 1)) && !repeats;
            assert_eq!(fast.is_legal(p, turn, suicide), fine, "{:?} {i}", fast.rows());
            if !fine {
                continue;
            }
            let key = fast.key_after(p, turn);
            assert_eq!(fast.play(p, turn), taken);
            assert_eq!(fast.key(), key);
            lost[other(turn) as usize] += taken;
            lost[turn as usize] += given;
            assert_eq!((fast.lost(BLACK), fast.lost(WHITE)), (lost[1], lost[2]));
            before = Some(std::mem::replace(&mut plain, next));
            assert_equal(&fast, &plain);
            turn = other(turn);
            done += 1;
            if fast.empties().is_empty() {
                break;
            }
        }
        assert_eq!(redrawn(&fast).key(), fast.key());
    }
}

#[test]
fn fast_board_equals_plain_board() {
    law(9, 15_000, 1);
    law(13, 6_000, 2);
    law(19, 4_000, 3);
    for size in [2, 3, 4, 5, 25] {
        law(size, 1_000, size as u64);
    }
}

#[test]
#[ignore = "a million moves of each size take minutes"]
fn fast_board_equals_plain_board_over_a_million_moves() {
    for size in [9, 13, 19] {
        law(size, 1_000_000, 4);
    }
}

/// A board made afresh of another's stones.
fn redrawn(board: &Board) -> Board {
    let rows = board.rows();
    Board::drawn(&rows.iter().map(String::as_str).collect::<Vec<_>>()).expect("its own drawing")
}

/// The legal points by the rules' words: the plain board after the move, against all boards of the game so far.
fn legal_by_the_book(game: &Game, past: &[(Plain, u8)]) -> Vec<Point> {
    let (now, turn) = past.last().expect("a position");
    let legal = |&p: &Point| {
        if game.supply(game.side()) == 0 {
            return false;
        }
        let mut next = now.clone();
        let (_, given) = next.play(game.board().index(p), *turn);
        // A single stone that is taken off at once leaves the board as it was: the superko judges it by the turn alone.
        let by_turn = game.rules().ko == Ko::Situational;
        let suicide = given == 0 || (game.rules().suicide && (given > 1 || by_turn));
        let repeats = match game.rules().ko {
            Ko::Simple => {
                let before = past.len().checked_sub(2).map(|i| &past[i]);
                before.is_some_and(|b| b.0.cells == next.cells)
            }
            Ko::Positional => past.iter().any(|b| b.0.cells == next.cells),
            Ko::Situational => past.iter().any(|b| b.0.cells == next.cells && b.1 == other(*turn)),
        };
        suicide && !repeats
    };
    let mut list: Vec<Point> = game
        .board()
        .points()
        .filter(|&p| game.board().colour(p) == EMPTY)
        .collect();
    list.retain(legal);
    list
}

/// Random games on small boards, where every ko and many longer cycles come up.
#[test]
fn games_keep_superko_and_are_taken_back_whole() {
    let mut rng = SplitMix::new(9);
    let mut barred = 0;
    let simple = Rules {
        ko: Ko::Simple,
        ..Rules::CHINESE
    };
    let situational = Rules {
        ko: Ko::Situational,
        ..Rules::CHINESE
    };
    for rules in Rules::ALL.into_iter().chain([simple, situational]) {
        for size in [2, 3, 4, 5, 7] {
            let mut game = Game::new(size, rules).expect("a size in range");
            let mut plain = Plain::new(size);
            let mut past = vec![(plain.clone(), BLACK)];
            let state = |game: &Game| {
                let board = game.board();
                let lost = [board.lost(BLACK), board.lost(WHITE)];
                let supplies = [game.supply(Side::First), game.supply(Side::Second)];
                (
                    board.key(),
                    board.rows(),
                    board.ko(),
                    game.side(),
                    lost,
                    supplies,
                    game.passes(),
                )
            };
            let mut states = Vec::new();
            for _ in 0..120 {
                let mut points = game.legal_points();
                points.sort_unstable();
                let mut expected = legal_by_the_book(&game, &past);
                expected.sort_unstable();
                assert_eq!(points, expected, "{:?} {:?}", game.board().rows(), rules);
                let free = game.board().empties().iter().filter(|&&p| {
                    let turn = colour(game.side());
                    let lone = rules.suicide && game.board().is_lone_suicide(p, turn);
                    game.supply(game.side()) > 0 && (lone || game.board().is_legal(p, turn, rules.suicide))
                });
                barred += free.count() - points.len();
                states.push(state(&game));
                let p = match points.len() {
                    0 => PASS,
                    _ if rng.below(30) == 0 => PASS,
                    n => points[rng.below(n as u64) as usize],
                };
                if p != PASS {
                    plain.play(game.board().index(p), colour(game.side()));
                }
                game.play(p, game.side()).expect("a legal move");
                past.push((plain.clone(), colour(game.side())));
                assert_equal(game.board(), &plain);
                assert_eq!(redrawn(game.board()).key(), game.board().key());
            }
            while let Some(was) = states.pop() {
                assert!(game.undo());
                assert_eq!(was, state(&game));
            }
            assert!(!game.undo());
        }
    }
    assert!(barred > 100, "{barred} points were barred by superko");
}
