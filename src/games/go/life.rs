//! Chains that no sequence of the opponent's moves can capture even if their owner always passes.
//! After Benson, "Life in the game of Go" (Information Sciences 10, 1976).

use super::board::Board;
use super::types::{BLACK, CELLS, Colour, EDGE, EMPTY, Point, WHITE};

/// A region of points that are not of one colour, bounded by that colour.
struct Region {
    points: Vec<Point>,
    /// Chains that have every empty point of the region as a liberty.
    vital: Vec<Point>,
    /// All chains of the colour around it.
    walls: Vec<Point>,
}

/// Which points are settled: [`BLACK`] or [`WHITE`] where that colour's unconditionally living chains stand and where
/// they enclose regions in which the opponent cannot live, [`EMPTY`] elsewhere. Indexed by point.
pub fn settled(board: &Board) -> Vec<Colour> {
    let mut owner = vec![EMPTY; board.cells()];
    for c in [BLACK, WHITE] {
        let (alive, regions) = benson(board, c);
        for &h in &alive {
            for s in board.chain(h) {
                owner[s as usize] = c;
            }
        }
        for region in regions {
            // Where all walls live and at most one point cannot be an eye's inside, the opponent makes no two eyes.
            let inside = region.points.iter().filter(|&&p| !touches(board, p, &alive)).count();
            if region.walls.iter().all(|h| alive.contains(h)) && !region.walls.is_empty() && inside <= 1 {
                for p in region.points {
                    owner[p as usize] = c;
                }
            }
        }
    }
    owner
}

/// The heads of the chains of `c` that live unconditionally.
pub fn living(board: &Board, c: Colour) -> Vec<Point> {
    benson(board, c).0
}

fn touches(board: &Board, p: Point, alive: &[Point]) -> bool {
    board.around(p).into_iter().any(|q| alive.contains(&board.head(q)))
}

fn benson(board: &Board, c: Colour) -> (Vec<Point>, Vec<Region>) {
    let mut alive: Vec<Point> = Vec::new();
    for p in board.points() {
        if board.colour(p) == c && board.head(p) == p {
            alive.push(p);
        }
    }
    let regions = regions(board, c);
    loop {
        // A chain lives on two regions that are vital to it and walled by candidates only.
        let eyes = |h: Point| {
            let safe = |r: &&Region| r.vital.contains(&h) && r.walls.iter().all(|w| alive.contains(w));
            regions.iter().filter(safe).count()
        };
        let next: Vec<Point> = alive.iter().copied().filter(|&h| eyes(h) >= 2).collect();
        if next.len() == alive.len() {
            return (alive, regions);
        }
        alive = next;
    }
}

fn regions(board: &Board, c: Colour) -> Vec<Region> {
    let mut seen = [false; CELLS];
    let mut all = Vec::new();
    for start in board.points() {
        if board.colour(start) == c || seen[start as usize] {
            continue;
        }
        let mut region = Region {
            points: vec![start],
            vital: Vec::new(),
            walls: Vec::new(),
        };
        seen[start as usize] = true;
        let mut next = 0;
        while next < region.points.len() {
            let p = region.points[next];
            next += 1;
            for q in board.around(p) {
                let there = board.colour(q);
                if there == c {
                    let h = board.head(q);
                    if !region.walls.contains(&h) {
                        region.walls.push(h);
                    }
                } else if there != EDGE && !seen[q as usize] {
                    seen[q as usize] = true;
                    region.points.push(q);
                }
            }
        }
        let own = |p: Point, h: Point| board.around(p).into_iter().any(|q| board.head(q) == h);
        region.vital = region.walls.clone();
        for &p in region.points.iter().filter(|&&p| board.colour(p) == EMPTY) {
            region.vital.retain(|&h| own(p, h));
        }
        all.push(region);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners(rows: &[&str]) -> String {
        let board = Board::drawn(rows).expect("a square drawing");
        let owner = settled(&board);
        let rows: Vec<String> = (0..board.size())
            .rev()
            .map(|y| {
                (0..board.size())
                    .map(|x| ['.', 'X', 'O'][owner[board.at(x, y) as usize] as usize])
                    .collect()
            })
            .collect();
        rows.join("|")
    }

    #[test]
    fn two_eyes_live_and_one_does_not() {
        assert_eq!(
            owners(&[".X.X.", "XXXXX", ".....", ".....", "....."]),
            "XXXXX|XXXXX|.....|.....|....."
        );
        assert_eq!(
            owners(&["..X..", "XXX..", ".....", ".....", "....."]),
            ".....|.....|.....|.....|....."
        );
    }

    #[test]
    fn a_stone_in_a_small_eye_is_dead() {
        assert_eq!(
            owners(&[".XO.X", "XXXXX", ".....", ".....", "....."]),
            "XXXXX|XXXXX|.....|.....|....."
        );
    }

    #[test]
    fn chains_may_share_eyes() {
        // Two chains that touch at corners only, with both eyes between them.
        assert_eq!(
            owners(&[".XX.X", "X.XXX", "XX...", ".X...", "X...."]).split('|').next(),
            Some("XXXXX")
        );
    }
}
