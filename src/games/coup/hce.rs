//! The hand-written evaluation: material and points of what is face up, kept up to date with the moves; the other terms
//! counted anew; all of them blended by how much still lies face down.

use super::hce_terms::count_terms;
use super::hce_weights::{COUNT, Group, TEMPO, WEIGHTS};
use super::position::{Board, Coup};
use super::types::{COVERED, side_of};
use crate::game::weights::{Pair, Tally, Trace, blend, pairs};
use crate::game::{Dirty, Evaluator, Handmade, Position, Score, Side};
use crate::games::xiangqi::types::{POINTS, kind_of, side_name};

/// What [`phase`] gives with all pieces but the generals face down.
pub const FULL_PHASE: i32 = 30;

static PAIRS: [Pair; COUNT] = pairs(&WEIGHTS);

/// The weight of a piece's kind on its point.
const fn place(piece: u8, point: u8) -> usize {
    let (mut f, mut r) = (point % 9, point / 9);
    if f > 4 {
        f = 8 - f;
    }
    if piece >= 7 {
        r = 9 - r;
    }
    Group::At.start() + kind_of(piece) as usize * 50 + r as usize * 5 + f as usize
}

/// Material and point of each piece face up, from red's view; none for those face down.
static PLACES: [[Pair; POINTS]; 16] = {
    let mut all = [[0; POINTS]; 16];
    let mut piece = 0;
    while piece < COVERED {
        let mut point = 0;
        while point < POINTS as u8 {
            let material = PAIRS[Group::Material.start() + kind_of(piece) as usize];
            let sum = material + PAIRS[place(piece, point)];
            all[piece as usize][point as usize] = if piece < 7 { sum } else { -sum };
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

/// The trace of a position, material and points included.
pub fn trace(p: &Coup) -> Trace {
    let b = p.board();
    let mut t = Trace::new(COUNT, phase(b));
    for point in b.occupied() {
        let piece = b.at(point);
        if piece < COVERED {
            let sign = if side_of(piece) == Side::First { 1 } else { -1 };
            t.add(Group::Material.start() + kind_of(piece) as usize, sign);
            t.add(place(piece, point), sign);
        }
    }
    count_terms(p, &mut t);
    t
}

/// How much of the opening is left: how many pieces lie face down.
#[inline]
pub fn phase(b: &Board) -> i32 {
    (b.covered().len() as i32).min(FULL_PHASE)
}

/// The hand-written evaluator.
#[derive(Clone, Debug)]
pub struct Hand {
    /// Face-up pieces and their points after each change, the last one now.
    sums: Vec<Pair>,
}

impl Default for Hand {
    fn default() -> Self {
        Self { sums: vec![0] }
    }
}

impl Hand {
    #[inline]
    fn now(&self) -> Pair {
        self.sums.last().copied().unwrap_or(0)
    }
}

fn places(b: &Board) -> Pair {
    b.occupied()
        .map(|point| PLACES[b.at(point) as usize][point as usize])
        .sum()
}

impl Evaluator<Coup> for Hand {
    fn reset(&mut self, p: &Coup) {
        self.sums.clear();
        self.sums.push(places(p.board()));
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        let mut sum = self.now();
        for (piece, from, to) in d.iter() {
            // Places off the board count nothing.
            let worth = |place: u8| PLACES[piece as usize].get(place as usize).copied().unwrap_or(0);
            sum += worth(to) - worth(from);
        }
        self.sums.push(sum);
    }

    #[inline]
    fn pop(&mut self) {
        self.sums.pop();
    }

    fn score(&mut self, p: &Coup) -> Score {
        debug_assert_eq!(self.now(), places(p.board()), "{}", p.setup());
        let mut sum = Sum(self.now());
        count_terms(p, &mut sum);
        let score = blend(sum.0, phase(p.board()), FULL_PHASE);
        TEMPO + if p.side() == Side::First { score } else { -score }
    }

    fn explain(&mut self, p: &Coup) -> String {
        self.reset(p);
        let phase = phase(p.board());
        let mut out = format!(
            "pieces face up     {:>7} (red's view)\n",
            blend(self.now(), phase, FULL_PHASE)
        );
        for side in [Side::First, Side::Second] {
            let lie = (p.board().covered() & p.board().of(side)).len();
            out += &format!("{:<6} face down   {lie:>7}\n", side_name(side));
        }
        let mut rest = Sum(0);
        count_terms(p, &mut rest);
        out += &format!("all other terms    {:>7}\n", blend(rest.0, phase, FULL_PHASE));
        out + &format!("tempo {TEMPO}\nscore {} for the side to move\n", self.score(p))
    }
}

impl Handmade for Coup {
    type Hand = Hand;
}
