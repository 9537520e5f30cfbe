//! The hand-written evaluation: xiangqi's material and places, free advisors and elephants, and face-down pieces at the
//! average of what may be under them.

use super::position::{Board, Coup};
use super::types::{COVERED, Counts, side_of};
use crate::bits::Bb128;
use crate::game::{Dirty, Evaluator, Handmade, Position, Score, Side};
use crate::games::xiangqi::attacks::{
    PALACE, between, free_advisor, free_elephant, horse, slide, slide_and_hop, soldier,
};
use crate::games::xiangqi::hce_weights as xiangqi;
use crate::games::xiangqi::types::{KINDS, Kind, POINTS, file, home, kind_of};

/// Values by kind. Advisors and elephants leave home here and attack.
const VALUE: [Score; 7] = [0, 210, 240, 420, 930, 440, 120];
/// What a face-down piece keeps of the average of its pool, in parts of 64: it moves once as another.
const COVERED_KEEPS: Score = 52;
/// What a face-down piece gains by what it moves as, by kind: it strikes from where it lies.
const COVERED_AS: [Score; 7] = [0, -10, -6, 12, 10, 24, 4];
/// The bonus of being to move.
const TEMPO: Score = 14;
/// Each point of the enemy's palace attacked, by the number of such attacks up to 15.
const SIEGE: [Score; 16] = [0, 4, 10, 18, 26, 34, 44, 54, 64, 76, 88, 100, 112, 124, 136, 148];
/// A cannon that sees the general along an open line, behind nothing and behind two pieces.
const CANNON_LINE: [Score; 2] = [90, 20];
/// An enemy piece attacked and not protected: parts of its value, in 64ths.
const HANGING: Score = 5;

/// The worth of a face-up piece on a point, from red's view. The places are xiangqi's middle-game ones, which know
/// nothing of advisors and elephants abroad.
static PLACES: [[i16; POINTS]; 16] = {
    let mut all = [[0; POINTS]; 16];
    let mut piece = 0;
    while piece < 14 {
        let kind = kind_of(piece as u8);
        let mut point = 0;
        while point < POINTS {
            let (mut f, mut r) = (point % 9, point / 9);
            if f > 4 {
                f = 8 - f;
            }
            if piece >= 7 {
                r = 9 - r;
            }
            let at = match kind {
                Kind::Advisor | Kind::Elephant => (r as i16 - 2) * 4,
                _ => xiangqi::WEIGHTS[xiangqi::Group::GeneralAt.start() + kind as usize * 50 + r * 5 + f].0,
            };
            let sum = VALUE[kind as usize] as i16 + at;
            all[piece][point] = if piece < 7 { sum } else { -sum };
            point += 1;
        }
        piece += 1;
    }
    all
};

/// The hand-written evaluator.
#[derive(Clone, Debug)]
pub struct Hand {
    /// Face-up pieces and their places after each change, the last one now.
    sums: Vec<Score>,
}

impl Default for Hand {
    fn default() -> Self {
        Self { sums: vec![0] }
    }
}

impl Hand {
    #[inline]
    fn now(&self) -> Score {
        self.sums.last().copied().unwrap_or(0)
    }
}

fn places(b: &Board) -> Score {
    b.occupied()
        .map(|point| Score::from(PLACES[b.at(point) as usize][point as usize]))
        .sum()
}

/// The average worth of what is in a pool.
#[inline]
pub fn average(pool: &Counts) -> Score {
    let (mut sum, mut n) = (0, 0);
    for (value, &count) in VALUE.iter().zip(pool) {
        sum += value * Score::from(count);
        n += Score::from(count);
    }
    if n == 0 { 0 } else { sum / n }
}

/// The terms that are counted anew: face-down pieces, mobility, the siege of the palace, hanging pieces.
fn terms(p: &Coup, us: Side, cover: Score, theirs: &mut Bb128) -> (Score, Bb128) {
    let b = p.board();
    let them = us.other();
    let (occupied, own) = (b.occupied(), b.of(us));
    let goal = b.general(them);
    let zone = PALACE[them.index()];
    let mut sum = 0;
    let mut siege = 0;
    let mut all = Bb128::EMPTY;

    let down = b.covered() & own;
    sum += down.len() as Score * cover;
    for kind in KINDS {
        sum += (down & b.acting(kind)).len() as Score * COVERED_AS[kind as usize];
    }
    // A piece that is just being turned up counts as any other face down.
    let blanks = own
        .without(b.covered())
        .without(KINDS.iter().fold(Bb128::EMPTY, |s, &k| s | b.acting(k)));
    sum += blanks.len() as Score * cover;

    let act = |kind: Kind| b.acting(kind) & own;
    act(Kind::Chariot).for_each(|q| {
        let reach = slide(q, occupied);
        if !b.covered().has(q) {
            sum += 4 * reach.without(own).len() as Score - 28;
        }
        siege += (reach & zone).len();
        all |= reach;
    });
    act(Kind::Cannon).for_each(|q| {
        let (near, far) = slide_and_hop(q, occupied);
        sum += near.without(occupied).len() as Score - 7;
        siege += (far & zone).len();
        all |= far;
        if file(q) == file(goal) {
            match (between(q, goal) & occupied).len() {
                0 => sum += CANNON_LINE[0],
                2 => sum += CANNON_LINE[1],
                _ => (),
            }
        }
    });
    act(Kind::Horse).for_each(|q| {
        let reach = horse(q, occupied);
        if !b.covered().has(q) {
            sum += 6 * reach.without(own).len() as Score - 22;
        }
        siege += (reach & zone).len();
        all |= reach;
    });
    b.pieces(us, Kind::Advisor).for_each(|q| {
        let reach = free_advisor(q);
        siege += (reach & zone).len();
        all |= reach;
    });
    act(Kind::Elephant).for_each(|q| {
        let reach = free_elephant(q, occupied);
        sum += 2 * reach.without(own).len() as Score;
        siege += (reach & zone).len();
        all |= reach;
    });
    act(Kind::Soldier).for_each(|q| {
        let reach = soldier(us, q);
        siege += (reach & zone).len();
        all |= reach;
    });
    // Soldiers behind the enemy's river go only ahead until they cross; one turned up far back is slow.
    sum -= 6 * (b.pieces(us, Kind::Soldier) & home(us)).len() as Score;
    sum += SIEGE[(siege as usize).min(15)];
    *theirs = all;
    (sum, all)
}

/// Enemy pieces attacked by us and not protected.
fn hanging(b: &Board, them: Side, ours: Bb128, theirs: Bb128, cover: Score) -> Score {
    let loose = b.of(them) & ours.without(theirs);
    let mut sum = (loose & b.covered()).len() as Score * cover;
    for kind in KINDS {
        sum += (loose & b.acting(kind)).without(b.covered()).len() as Score * VALUE[kind as usize];
    }
    sum * HANGING / 64
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
            let worth = |place: u8| {
                PLACES[piece as usize]
                    .get(place as usize)
                    .copied()
                    .map_or(0, Score::from)
            };
            sum += worth(to) - worth(from);
        }
        self.sums.push(sum);
    }

    #[inline]
    fn pop(&mut self) {
        self.sums.pop();
    }

    fn score(&mut self, p: &Coup) -> Score {
        let b = p.board();
        debug_assert_eq!(self.now(), places(b), "{}", p.setup());
        let cover = [Side::First, Side::Second].map(|s| average(p.pool(s)) * COVERED_KEEPS / 64);
        let (mut red_reach, mut black_reach) = (Bb128::EMPTY, Bb128::EMPTY);
        let (red, _) = terms(p, Side::First, cover[0], &mut red_reach);
        let (black, _) = terms(p, Side::Second, cover[1], &mut black_reach);
        let sum = self.now() + red - black + hanging(b, Side::Second, red_reach, black_reach, cover[1])
            - hanging(b, Side::First, black_reach, red_reach, cover[0]);
        TEMPO + if p.side() == Side::First { sum } else { -sum }
    }

    fn explain(&mut self, p: &Coup) -> String {
        self.reset(p);
        let mut out = format!("pieces face up     {:>7} (red's view)\n", self.now());
        for side in [Side::First, Side::Second] {
            let lie = (p.board().covered() & p.board().of(side)).len();
            let each = average(p.pool(side));
            out += &format!(
                "{:<6} face down   {lie:>7} at {each} each\n",
                crate::games::xiangqi::types::side_name(side)
            );
        }
        out + &format!("tempo {TEMPO}\nscore {} for the side to move\n", self.score(p))
    }
}

impl Handmade for Coup {
    type Hand = Hand;
}

/// Face-down pieces have no place of their own in the table.
const _: () = assert!(COVERED == 14 && matches!(side_of(COVERED), Side::First));
