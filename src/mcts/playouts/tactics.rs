//! Local reading: liberties after a move, self-atari, captures around a chain, eye spaces.

use crate::games::go::Board;
use crate::games::go::types::{CELLS, Colour, EDGE, EMPTY, NONE, Point, other};

/// How many liberties a legal stone's chain would have, counted up to three.
pub fn liberties_after(board: &Board, p: Point, c: Colour) -> usize {
    let mut found = [NONE; 3];
    let mut n = 0;
    let mut add = |e: Point| {
        if e != p && n < 3 && !found[..n].contains(&e) {
            found[n] = e;
            n += 1;
        }
        n >= 3
    };
    for q in board.around(p) {
        let there = board.colour(q);
        if there == EDGE {
            continue;
        }
        if there == EMPTY {
            if add(q) {
                return 3;
            }
        } else if there == c {
            match board.liberties(q) {
                1 => {}
                2 => {
                    let [a, b] = board.two_liberties(q);
                    if add(a) | add(b) {
                        return 3;
                    }
                }
                n if n > 3 => return 3,
                _ => {
                    for s in board.chain(q) {
                        for e in board.around(s) {
                            if board.colour(e) == EMPTY && add(e) {
                                return 3;
                            }
                        }
                    }
                }
            }
        } else if board.liberties(q) == 1 {
            // The captured stones next to the own chain become liberties; those next to `p` are enough to tell.
            if add(q) {
                return 3;
            }
            for s in board.chain(q) {
                let friend = |f: Point| {
                    board.colour(f) == c
                        && board
                            .around(p)
                            .iter()
                            .any(|&a| board.head(a) == board.head(f) && board.colour(a) == c)
                };
                if board.around(s).into_iter().any(friend) && add(s) {
                    return 3;
                }
            }
        }
    }
    n
}

/// Whether a stone would leave its chain with one liberty at most.
#[inline]
pub fn is_self_atari(board: &Board, p: Point, c: Colour) -> bool {
    // Most moves have two empty sides or a strong neighbour.
    let mut empty = 0;
    for q in board.around(p) {
        match board.colour(q) {
            EMPTY => empty += 1,
            there if there == c && board.liberties(q) > 2 => return false,
            _ => {}
        }
    }
    empty < 2 && liberties_after(board, p, c) < 2
}

/// Whether a self-atari gives up more than a throw-in or a nakade is worth.
pub fn gives_up_many(board: &Board, p: Point, c: Colour) -> bool {
    let mut met = [NONE; 4];
    let mut stones = 1;
    for (i, q) in board.around(p).into_iter().enumerate() {
        let h = board.head(q);
        if board.colour(q) == c && !met.contains(&h) {
            met[i] = h;
            stones += board.stones(q);
        }
    }
    stones > 5
}

/// Calls `found` with the points where chains in atari around the chain at `p` can be captured.
pub fn captures_around(board: &Board, p: Point, mut found: impl FnMut(Point)) {
    let foe = other(board.colour(p));
    let mut last = NONE;
    for s in board.chain(p) {
        for q in board.around(s) {
            if board.colour(q) == foe && board.liberties(q) == 1 {
                let way = board.last_liberty(q);
                if way != last {
                    last = way;
                    found(way);
                }
            }
        }
    }
}

/// The point that decides whether an empty region of three to six points becomes one eye or two, if there is one. The
/// region must be walled by one colour.
pub fn vital_point(board: &Board, start: Point) -> Option<Point> {
    let mut region = [NONE; 7];
    region[0] = start;
    let (mut len, mut next, mut wall) = (1, 0, EMPTY);
    while next < len {
        for q in board.around(region[next]) {
            match board.colour(q) {
                EDGE => {}
                EMPTY if region[..len].contains(&q) => {}
                EMPTY if len == 6 => return None,
                EMPTY => {
                    region[len] = q;
                    len += 1;
                }
                c if wall == EMPTY => wall = c,
                c if wall != c => return None,
                _ => {}
            }
        }
        next += 1;
    }
    let degree = |p: Point| {
        board
            .around(p)
            .into_iter()
            .filter(|q| region[..len].contains(q))
            .count()
    };
    let (mut best, mut most, mut ties) = (NONE, 0, 0);
    for &p in &region[..len] {
        let d = degree(p);
        if d > most {
            (best, most, ties) = (p, d, 1);
        } else if d == most {
            ties += 1;
        }
    }
    let needed = match len {
        3 => 2,
        4 | 5 => 3,
        6 => 4,
        _ => return None,
    };
    (most >= needed && ties == 1).then_some(best)
}

/// Steps from a point over the board, where stones of one chain are one step apart (the common fate graph), up to
/// `most`; larger values mean farther. By point.
pub fn distances(board: &Board, from: Point, most: u8, out: &mut [u8; CELLS]) {
    out[..board.cells()].fill(u8::MAX);
    if from == NONE {
        return;
    }
    let mut queue = vec![from];
    out[from as usize] = 0;
    let mut next = 0;
    while next < queue.len() {
        let p = queue[next];
        next += 1;
        let d = out[p as usize];
        for q in board.around(p) {
            let there = board.colour(q);
            if there == EDGE {
                continue;
            }
            let same = there != EMPTY && there == board.colour(p);
            let step = if same { d } else { d + 1 };
            if step <= most && step < out[q as usize] {
                out[q as usize] = step;
                // Zero steps go to the front in a strict search; going over a chain at once comes to the same.
                if same { queue.insert(next, q) } else { queue.push(q) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::coords;
    use crate::games::go::types::{BLACK, WHITE};

    fn board(rows: &[&str]) -> Board {
        Board::drawn(rows).expect("a square drawing")
    }

    fn at(board: &Board, text: &str) -> Point {
        coords::parse(board, text).expect("a vertex")
    }

    #[test]
    fn self_atari_and_liberties() {
        let b = board(&[".OX..", "O....", ".....", ".....", "....."]);
        assert!(is_self_atari(&b, at(&b, "A5"), BLACK));
        assert_eq!(liberties_after(&b, at(&b, "C3"), BLACK), 3);
        assert_eq!(liberties_after(&b, at(&b, "A1"), WHITE), 2);
    }

    #[test]
    fn vital_points() {
        let b = board(&["...X.", "XXXX.", ".....", ".....", "....."]);
        assert_eq!(vital_point(&b, at(&b, "A5")), Some(at(&b, "B5")));
        let line = board(&["....X", "XXXXX", ".....", ".....", "....."]);
        assert_eq!(vital_point(&line, at(&line, "A5")), None);
    }
}
