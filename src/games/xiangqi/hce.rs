//! The hand-written evaluation: material and points kept up to date with the moves, the other terms counted anew, and
//! all of them blended between middle game and endgame.

use super::hce_terms::count_terms;
use super::hce_weights::{COUNT, GROUPS, Group, TEMPO, WEIGHTS};
use super::position::{Board, Xiangqi};
use super::types::{Kind, POINTS, kind_of, piece, side_of};
use crate::game::weights::{Pair, Tally, Trace, blend, ending, opening, pair, pairs};
use crate::game::{Dirty, Evaluator, Handmade, OFF, Position, Score, Side};

/// What [`phase`] gives with all pieces on the board.
pub const FULL_PHASE: i32 = 32;
/// What [`scale`] gives where nothing is scaled down.
pub const FULL_SCALE: i32 = 64;

static PAIRS: [Pair; COUNT] = pairs(&WEIGHTS);

/// The weight of a piece's kind on its point.
const fn place(piece: u8, point: u8) -> usize {
    let kind = kind_of(piece) as usize;
    let (mut f, mut r) = (point % 9, point / 9);
    if f > 4 {
        f = 8 - f;
    }
    if piece >= 7 {
        r = 9 - r;
    }
    Group::GeneralAt.start() + kind * 50 + r as usize * 5 + f as usize
}

/// Material and place of each piece on each point, from red's view.
static PLACES: [[Pair; POINTS]; 14] = {
    let mut all = [[0; POINTS]; 14];
    let mut piece = 0;
    while piece < 14 {
        let mut point = 0;
        while point < POINTS {
            let kind = kind_of(piece as u8) as usize;
            let sum = pair(WEIGHTS[Group::Material.start() + kind]) + pair(WEIGHTS[place(piece as u8, point as u8)]);
            all[piece][point] = if piece < 7 { sum } else { -sum };
            point += 1;
        }
        piece += 1;
    }
    all
};

struct Sum(Pair);

impl Tally for Sum {
    #[inline(always)]
    fn add(&mut self, weight: usize, times: i32) {
        self.0 += PAIRS[weight] * times;
    }
}

/// The trace of a position, material and places included.
pub fn trace(p: &Xiangqi) -> Trace {
    let b = p.board();
    let mut t = Trace::new(COUNT, phase(b));
    b.occupied().for_each(|point| {
        let piece = b.at(point);
        let sign = if side_of(piece) == Side::First { 1 } else { -1 };
        t.add(Group::Material.start() + kind_of(piece) as usize, sign);
        t.add(place(piece, point), sign);
    });
    count_terms(b, &mut t);
    let total = (0..COUNT).map(|i| i32::from(t.times[i]) * PAIRS[i]).sum();
    t.scale = scale(b, blend(total, t.phase, FULL_PHASE));
    t
}

/// How much of the middle game is left: [`FULL_PHASE`] at the start, 0 with soldiers only.
#[inline]
pub fn phase(b: &Board) -> i32 {
    let n = 4 * b.kind(Kind::Chariot).len() + 2 * (b.kind(Kind::Horse) | b.kind(Kind::Cannon)).len();
    (n as i32).min(FULL_PHASE)
}

/// How much of its advantage the side ahead can hope to bring home, in parts of [`FULL_SCALE`]: little where books call
/// the ending drawn.
#[inline]
pub fn scale(b: &Board, score: Score) -> i32 {
    let ahead = if score > 0 { Side::First } else { Side::Second };
    let of = |side: Side, kind: Kind| b.pieces(side, kind).len();
    let soldiers = of(ahead, Kind::Soldier);
    let (chariots, horses, cannons) = (
        of(ahead, Kind::Chariot),
        of(ahead, Kind::Horse),
        of(ahead, Kind::Cannon),
    );
    let officers = chariots + horses + cannons;
    if officers > 2 || officers > 0 && soldiers > 1 {
        return FULL_SCALE;
    }
    let behind = ahead.other();
    let guards = of(behind, Kind::Advisor) + of(behind, Kind::Elephant);
    let defenders = of(behind, Kind::Chariot) + of(behind, Kind::Horse) + of(behind, Kind::Cannon);
    match (officers, soldiers) {
        (0, 0) => 0,
        // A soldier alone holds a bare general at most; two do not break full guards.
        (0, 1) => {
            if guards + defenders > 0 {
                8
            } else {
                40
            }
        }
        (0, 2) => {
            if guards >= 3 || defenders > 0 {
                16
            } else {
                48
            }
        }
        (0, _) => FULL_SCALE,
        // A cannon needs a screen of its own.
        (1, 0) if cannons == 1 => {
            if of(ahead, Kind::Advisor) == 0 || guards > 2 || defenders > 0 {
                4
            } else {
                24
            }
        }
        (1, 0) if horses == 1 => {
            if guards >= 2 || defenders > 0 {
                8
            } else {
                48
            }
        }
        (1, 0) => {
            if guards == 4 || defenders > 0 {
                10
            } else {
                56
            }
        }
        (1, 1) if chariots == 0 => {
            if guards == 4 || defenders > 0 {
                20
            } else {
                56
            }
        }
        (2, 0) if chariots == 0 && (guards == 4 && defenders > 0 || cannons == 2 && guards >= 3) => 24,
        (2, 0) if chariots > 0 && of(behind, Kind::Chariot) > 0 && guards >= 3 => 32,
        _ => FULL_SCALE,
    }
}

/// The hand-written evaluator.
#[derive(Clone, Debug)]
pub struct Hand {
    /// Material and places after each move, the last one now.
    sums: Vec<Pair>,
}

impl Default for Hand {
    fn default() -> Self {
        Self { sums: vec![0] }
    }
}

fn places(b: &Board) -> Pair {
    b.occupied()
        .map(|point| PLACES[b.at(point) as usize][point as usize])
        .sum()
}

impl Hand {
    #[inline]
    fn now(&self) -> Pair {
        self.sums.last().copied().unwrap_or(0)
    }
}

impl Evaluator<Xiangqi> for Hand {
    fn reset(&mut self, p: &Xiangqi) {
        self.sums.clear();
        self.sums.push(places(p.board()));
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        let mut sum = self.now();
        for (piece, from, to) in d.iter() {
            let row = &PLACES[piece as usize];
            if from != OFF {
                sum -= row[from as usize];
            }
            if to != OFF {
                sum += row[to as usize];
            }
        }
        self.sums.push(sum);
    }

    #[inline]
    fn pop(&mut self) {
        self.sums.pop();
    }

    #[inline]
    fn score(&mut self, p: &Xiangqi) -> Score {
        let b = p.board();
        debug_assert_eq!(self.now(), places(b), "{}", p.setup());
        let mut sum = Sum(self.now());
        count_terms(b, &mut sum);
        let red = blend(sum.0, phase(b), FULL_PHASE);
        let red = red * scale(b, red) / FULL_SCALE;
        TEMPO + if p.side() == Side::First { red } else { -red }
    }

    fn explain(&mut self, p: &Xiangqi) -> String {
        let t = trace(p);
        let mut out = format!("{:<18}{:>8}{:>8}{:>8}\n", "term (red's view)", "middle", "end", "now");
        let mut start = 0;
        for &(name, size) in GROUPS {
            let part: Pair = (start..start + size).map(|i| i32::from(t.times[i]) * PAIRS[i]).sum();
            start += size;
            out += &format!(
                "{name:<18}{:>8}{:>8}{:>8}\n",
                opening(part),
                ending(part),
                blend(part, t.phase, FULL_PHASE)
            );
        }
        self.reset(p);
        out + &format!(
            "phase {} of {FULL_PHASE}, scale {} of {FULL_SCALE}, tempo {TEMPO}\nscore {} for the side to move\n",
            t.phase,
            t.scale,
            self.score(p)
        )
    }
}

impl Handmade for Xiangqi {
    type Hand = Hand;
}

/// The pieces' numbers are those the tables were built for.
const _: () = assert!(piece(Side::Second, Kind::Soldier) == 13);
