//! Counting: area, territory with prisoners, and what is dead or in seki at the end.

use super::board::Board;
use super::life;
use super::rules::{DeadStones, Rules, Scoring, Tax};
use super::types::{BLACK, Colour, EDGE, EMPTY, NONE, Point, WHITE, other};

/// The state of a stone at the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It stays.
    Alive,
    /// It is captured without another move.
    Dead,
    /// It stays, and so do its neighbours of the other colour, as neither can attack.
    Seki,
}

/// What each side has, by colour; komi is not in it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Count {
    /// Points enclosed.
    pub territory: [f32; 3],
    /// Stones on the board that live.
    pub stones: [f32; 3],
    /// Stones of this colour that were captured, the dead at the end with them.
    pub lost: [f32; 3],
    /// Whether stones count (area) or prisoners do (territory).
    pub area: bool,
}

impl Count {
    /// Black's lead before komi.
    pub fn lead(&self) -> f32 {
        let [_, b, w] = self.territory;
        let (black, white) = if self.area {
            (b + self.stones[1], w + self.stones[2])
        } else {
            (b + self.lost[2], w + self.lost[1])
        };
        black - white
    }
}

/// Connected points that hold no stone, and the colours around them.
struct Area {
    points: Vec<Point>,
    touches: [bool; 3],
}

/// Counts a board from which the chains at `dead` are taken.
pub fn count(board: &Board, rules: &Rules, dead: &[Point]) -> Count {
    let clean = board.without(dead);
    let mut count = Count {
        area: rules.scoring == Scoring::Area,
        ..Count::default()
    };
    for p in board.points() {
        count.stones[clean.colour(p) as usize] += 1.0;
        if board.colour(p) != EMPTY && clean.colour(p) == EMPTY {
            count.lost[board.colour(p) as usize] += 1.0;
        }
    }
    count.lost[BLACK as usize] += board.lost(BLACK) as f32;
    count.lost[WHITE as usize] += board.lost(WHITE) as f32;
    let owner = territory(&clean);
    for p in clean.points() {
        count.territory[owner[p as usize] as usize] += 1.0;
    }
    if rules.tax != Tax::None {
        let groups = Groups::of(&clean);
        for c in [BLACK, WHITE] {
            count.territory[c as usize] -= groups.tax(&clean, c, rules.tax);
        }
    }
    count
}

/// Whose empty points are: by point, [`EMPTY`] for stones and for points that touch both colours or none.
pub fn territory(board: &Board) -> Vec<Colour> {
    let mut owner = vec![EMPTY; board.cells()];
    for area in areas(board) {
        let c = match area.touches {
            [_, true, false] => BLACK,
            [_, false, true] => WHITE,
            _ => continue,
        };
        for p in area.points {
            owner[p as usize] = c;
        }
    }
    owner
}

fn areas(board: &Board) -> Vec<Area> {
    let mut seen = vec![false; board.cells()];
    let mut all = Vec::new();
    for start in board.points() {
        if board.colour(start) != EMPTY || seen[start as usize] {
            continue;
        }
        let mut area = Area {
            points: vec![start],
            touches: [false; 3],
        };
        seen[start as usize] = true;
        let mut next = 0;
        while next < area.points.len() {
            let p = area.points[next];
            next += 1;
            for q in board.around(p) {
                match board.colour(q) {
                    EDGE => {}
                    EMPTY if seen[q as usize] => {}
                    EMPTY => {
                        seen[q as usize] = true;
                        area.points.push(q);
                    }
                    c => area.touches[c as usize] = true,
                }
            }
        }
        all.push(area);
    }
    all
}

/// Chains of a colour that share territory belong together; a group with dame and without two eyes is in seki.
struct Groups {
    /// By chain head, the group's root; [`NONE`] elsewhere.
    root: Vec<Point>,
    /// By root: points enclosed, eyes, and whether it borders dame.
    points: Vec<f32>,
    eyes: Vec<u32>,
    dame: Vec<bool>,
}

impl Groups {
    fn of(board: &Board) -> Self {
        let n = board.cells();
        let mut groups = Self {
            root: vec![NONE; n],
            points: vec![0.0; n],
            eyes: vec![0; n],
            dame: vec![false; n],
        };
        for p in board.points() {
            if board.head(p) == p {
                groups.root[p as usize] = p;
            }
        }
        let areas = areas(board);
        for area in areas.iter().filter(|a| a.touches != [false, true, true]) {
            let heads = heads_around(board, &area.points);
            for pair in heads.windows(2) {
                groups.join(pair[0], pair[1]);
            }
        }
        for area in &areas {
            let mut roots: Vec<Point> = heads_around(board, &area.points)
                .into_iter()
                .map(|h| groups.find(h))
                .collect();
            roots.sort_unstable();
            roots.dedup();
            if area.touches == [false, true, true] {
                for r in roots {
                    groups.dame[r as usize] = true;
                }
            } else if let Some(&r) = roots.first() {
                groups.points[r as usize] += area.points.len() as f32;
                // A large space can be divided into two eyes.
                groups.eyes[r as usize] += if area.points.len() >= 7 { 2 } else { 1 };
            }
        }
        groups
    }

    fn find(&self, h: Point) -> Point {
        let mut at = h;
        while self.root[at as usize] != at {
            at = self.root[at as usize];
        }
        at
    }

    fn join(&mut self, a: Point, b: Point) {
        let (a, b) = (self.find(a), self.find(b));
        self.root[a as usize] = b;
    }

    fn in_seki(&self, root: Point) -> bool {
        self.dame[root as usize] && self.eyes[root as usize] < 2
    }

    fn tax(&self, board: &Board, c: Colour, tax: Tax) -> f32 {
        let mut lost = 0.0;
        for p in board.points() {
            if board.colour(p) == c && self.root[p as usize] == p {
                let points = self.points[p as usize];
                lost += match tax {
                    _ if self.in_seki(p) => points,
                    Tax::All => points.min(2.0),
                    _ => 0.0,
                };
            }
        }
        lost
    }
}

fn heads_around(board: &Board, points: &[Point]) -> Vec<Point> {
    let mut heads = Vec::new();
    for &p in points {
        for q in board.around(p) {
            let h = board.head(q);
            if h != NONE && !heads.contains(&h) {
                heads.push(h);
            }
        }
    }
    heads
}

/// How surely a chain must belong to the opponent to be called dead.
const DEAD: f32 = 0.4;

/// The status of every stone by who owns the points in the end: `ownership` goes by [`Board::index`] from -1 (white)
/// to 1 (black), estimated by playouts or a network. What lives or dies by static rules overrules it. By point;
/// [`Status::Alive`] where no stone stands.
pub fn status(board: &Board, ownership: &[f32]) -> Vec<Status> {
    let mut status = vec![Status::Alive; board.cells()];
    let settled = life::settled(board);
    for h in board.points().filter(|&p| board.head(p) == p) {
        let c = board.colour(h);
        let fixed = settled[h as usize];
        let dead = if fixed == EMPTY {
            let sum: f32 = board
                .chain(h)
                .map(|s| ownership.get(board.index(s)).copied().unwrap_or(0.0))
                .sum();
            let mean = sum / board.stones(h) as f32;
            (if c == BLACK { -mean } else { mean }) > DEAD
        } else {
            fixed == other(c)
        };
        if dead {
            for s in board.chain(h) {
                status[s as usize] = Status::Dead;
            }
        }
    }
    let dead: Vec<Point> = dead_stones(board, &status);
    let clean = board.without(&dead);
    let groups = Groups::of(&clean);
    for p in board.points() {
        let h = clean.head(p);
        let alive = h != NONE && status[p as usize] == Status::Alive && settled[p as usize] == EMPTY;
        if alive && groups.in_seki(groups.find(h)) && tight(&clean, h) {
            status[p as usize] = Status::Seki;
        }
    }
    status
}

/// Whether a chain shares its outer liberties with an opponent who is as short of them, as in a seki; a living group
/// that merely borders dame has a way out or eyes to come.
fn tight(board: &Board, h: Point) -> bool {
    let c = board.colour(h);
    board.liberties(h) <= 4
        && board.chain(h).flat_map(|s| board.around(s)).any(|e| {
            board.colour(e) == EMPTY
                && board
                    .around(e)
                    .into_iter()
                    .any(|q| board.colour(q) == other(c) && board.liberties(q) <= 4)
        })
}

/// The stones that a status calls dead.
pub fn dead_stones(board: &Board, status: &[Status]) -> Vec<Point> {
    board
        .points()
        .filter(|&p| board.head(p) != NONE && status[p as usize] == Status::Dead)
        .collect()
}

/// The stones to take off before counting: none where the rules leave all on the board.
pub fn to_remove(board: &Board, rules: &Rules, ownership: &[f32]) -> Vec<Point> {
    match rules.dead {
        DeadStones::Stay => Vec::new(),
        DeadStones::Agreed => dead_stones(board, &status(board, ownership)),
    }
}

/// A result as GTP writes it: `B+3.5`, `W+0.5`, `0`.
pub fn text(lead: f32) -> String {
    if lead > 0.0 {
        format!("B+{lead:.1}")
    } else if lead < 0.0 {
        format!("W+{:.1}", -lead)
    } else {
        "0".into()
    }
}
