//! What the hand-written evaluation counts afresh at each position: attacks round the kings, escapes, drops that check,
//! mobility, hanging pieces, castles, entering kings.
//!
//! That attacked points, weighed by their distance to both kings, tell most of what material does not is an idea of the
//! program YaneuraOu's material evaluations.

use super::attacks::{ahead, along_file, bishop, gold, king, knight, pawn, rook, silver};
use super::hce_weights::{Group, LEVELS, RINGS};
use super::position::Board;
use super::types::{Kind, NO_KING, POINTS, depth, file, kind_of, piece, zone};
use crate::bits::Bb128;
use crate::game::Side;
use crate::game::weights::Tally;

/// Points by steps from a point: 1, 2, 3, 4 to 5.
static RING: [[u128; RINGS]; POINTS] = {
    let mut out = [[0; RINGS]; POINTS];
    let mut p = 0;
    while p < POINTS {
        let mut q = 0;
        while q < POINTS {
            let df = (p as i32 / 9 - q as i32 / 9).abs();
            let dr = (p as i32 % 9 - q as i32 % 9).abs();
            let steps = if df > dr { df } else { dr };
            if steps >= 1 && steps <= 5 {
                let ring = if steps == 5 { 3 } else { steps as usize - 1 };
                out[p][ring] |= 1 << q;
            }
            q += 1;
        }
        p += 1;
    }
    out
};

/// Points that a side attacks.
#[derive(Clone, Copy, Default)]
struct Reach {
    /// Once, twice, three times and more.
    levels: [Bb128; LEVELS],
    /// With pieces other than the king.
    army: Bb128,
}

impl Reach {
    #[inline]
    fn add(&mut self, a: Bb128) {
        self.levels[2] |= self.levels[1] & a;
        self.levels[1] |= self.levels[0] & a;
        self.levels[0] |= a;
    }
}

#[inline]
const fn sign(side: Side) -> i32 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}

/// All attacks of a side; its long-range pieces' mobility is told on the way.
fn reach(b: &Board, side: Side, t: &mut impl Tally) -> Reach {
    let (own, occupied, s) = (b.of(side), b.occupied(), sign(side));
    let mut r = Reach::default();
    let pawns = b.pieces(side, Kind::Pawn).0;
    r.add(Bb128(match side {
        Side::First => pawns >> 1,
        Side::Second => pawns << 1,
    }));
    (own & b.kind(Kind::Knight)).for_each(|p| r.add(knight(side, p)));
    (own & b.kind(Kind::Silver)).for_each(|p| r.add(silver(side, p)));
    (own & b.golds()).for_each(|p| r.add(gold(side, p)));
    (own & b.kind(Kind::Lance)).for_each(|p| {
        let a = along_file(p, occupied) & ahead(side, p);
        t.add(Group::LanceMoves.start() + a.len() as usize, s);
        r.add(a);
    });
    (own & (b.kind(Kind::Bishop) | b.kind(Kind::Horse))).for_each(|p| {
        let mut a = bishop(p, occupied);
        if b.kind(Kind::Horse).has(p) {
            a |= king(p);
            t.add(Group::HorseMoves.start() + a.len() as usize, s);
        } else {
            t.add(Group::BishopMoves.start() + a.len() as usize, s);
        }
        r.add(a);
    });
    (own & (b.kind(Kind::Rook) | b.kind(Kind::Dragon))).for_each(|p| {
        let mut a = rook(p, occupied);
        if b.kind(Kind::Dragon).has(p) {
            a |= king(p);
            t.add(Group::DragonMoves.start() + a.len() as usize, s);
        } else {
            t.add(Group::RookMoves.start() + a.len() as usize, s);
        }
        r.add(a);
    });
    r.army = r.levels[0];
    if b.king(side) != NO_KING {
        r.add(king(b.king(side)));
    }
    r
}

/// Attacks and guards in the rings round a side's king.
#[inline]
fn rings(home: u8, side: Side, ours: &Reach, theirs: &Reach, t: &mut impl Tally) {
    let s = sign(side);
    for (ring, &mask) in RING[home as usize].iter().enumerate() {
        let mask = Bb128(mask);
        for level in 0..LEVELS {
            let i = ring * LEVELS + level;
            t.add(
                Group::Attack.start() + i,
                -s * (theirs.levels[level] & mask).len() as i32,
            );
            t.add(Group::Guard.start() + i, s * (ours.levels[level] & mask).len() as i32);
        }
    }
}

/// Kinds that the enemy may drop with check where it is not simply taken, each counted once.
fn drop_checks(b: &Board, home: u8, side: Side, ours: &Reach, theirs: &Reach, t: &mut impl Tally) -> u32 {
    let them = side.other();
    let hand = b.hand(them);
    if hand.is_empty() {
        return 0;
    }
    let (s, occupied) = (sign(side), b.occupied());
    // Beside the king a drop needs support.
    let safe = (!(ours.army | occupied)).without(king(home).without(theirs.levels[0]));
    let mut kinds = 0;
    let mut tell = |kind: Kind, spots: Bb128| {
        if (spots & safe).any() {
            kinds += 1;
            t.add(Group::DropCheck.start() + kind as usize, s);
        }
    };
    if hand.has(Kind::Pawn) {
        tell(Kind::Pawn, pawn(side, home) & b.open_files(them));
    }
    if hand.has(Kind::Knight) {
        tell(Kind::Knight, knight(side, home));
    }
    if hand.has(Kind::Silver) {
        tell(Kind::Silver, silver(side, home));
    }
    if hand.has(Kind::Gold) {
        tell(Kind::Gold, gold(side, home));
    }
    if hand.has(Kind::Lance) {
        tell(Kind::Lance, along_file(home, occupied) & ahead(side, home));
    }
    if hand.has(Kind::Bishop) {
        tell(Kind::Bishop, bishop(home, occupied));
    }
    if hand.has(Kind::Rook) {
        tell(Kind::Rook, rook(home, occupied));
    }
    kinds
}

/// How safe a side's king is.
fn shelter(b: &Board, side: Side, ours: &Reach, theirs: &Reach, t: &mut impl Tally) {
    let home = b.king(side);
    if home == NO_KING {
        return;
    }
    rings(home, side, ours, theirs, t);
    let s = sign(side);
    let beside = king(home);
    let escapes = beside.without(b.of(side)).without(theirs.levels[0]).len();
    t.add(Group::Escapes.start() + escapes as usize, s);
    let kinds = drop_checks(b, home, side, ours, theirs, t);
    let weak = (beside & theirs.levels[0]).without(ours.army).len();
    let doubled = (beside & theirs.levels[1]).len();
    let near = (Bb128(RING[home as usize][1]) & theirs.levels[0])
        .without(ours.army)
        .len();
    let units = 2 * weak + doubled + near / 2 + 2 * kinds + u32::from(escapes == 0) * 2;
    t.add(Group::Danger.start() + units.min(31) as usize, s);
}

/// Own pieces that stand where the enemy takes them for nothing.
fn hanging(b: &Board, side: Side, ours: &Reach, theirs: &Reach, t: &mut impl Tally) {
    let s = sign(side);
    let loose = (b.of(side) & theirs.levels[0])
        .without(ours.levels[0])
        .without(b.kind(Kind::King));
    loose.for_each(|p| t.add(Group::Hanging.start() + kind_of(b.at(p)) as usize, s));
}

/// A point of the first side's right half (files 1 to 4) as `side` sees it, `mirror` on its left.
#[inline]
const fn seen(f: u8, r: u8, side: Side, mirror: bool) -> u8 {
    let f = if mirror { 10 - f } else { f };
    let p = (f - 1) * 9 + r;
    match side {
        Side::First => p,
        Side::Second => 80 - p,
    }
}

fn castles(b: &Board, side: Side, t: &mut impl Tally) {
    let home = b.king(side);
    if home == NO_KING || depth(side, home) < 7 {
        return;
    }
    let mirror = (file(home) > 4) == (side == Side::First);
    let at = |f: u8, r: u8, kind: Kind| b.at(seen(f, r, side, mirror)) == piece(side, kind);
    let on = |f: u8, r: u8| home == seen(f, r, side, mirror);
    let s = sign(side);
    if on(2, 7) && at(3, 7, Kind::Silver) && at(4, 8, Kind::Gold) {
        t.add(Group::Castle.start(), s);
    }
    if (on(2, 7) || on(3, 7)) && at(3, 6, Kind::Silver) && at(4, 6, Kind::Gold) {
        t.add(Group::Castle.start() + 1, s);
    }
    if on(1, 8) && at(1, 7, Kind::Lance) && at(2, 7, Kind::Silver) {
        t.add(Group::Castle.start() + 2, s);
    }
}

fn entering(b: &Board, side: Side, t: &mut impl Tally) {
    let home = b.king(side);
    if home == NO_KING {
        return;
    }
    let s = sign(side);
    if zone(side).has(home) {
        let (pieces, points) = b.impasse_count(side);
        t.add(Group::Entering.start(), s);
        t.add(Group::Entering.start() + 1, s * pieces.min(10) as i32);
        t.add(Group::Entering.start() + 2, s * points.min(31) as i32);
    } else if depth(side, home) <= 4 {
        t.add(Group::Entering.start() + 3, s);
    }
}

/// Counts everything that is not kept up to date with the moves.
pub fn count_terms(b: &Board, t: &mut impl Tally) {
    let black = reach(b, Side::First, t);
    let white = reach(b, Side::Second, t);
    for (side, ours, theirs) in [(Side::First, &black, &white), (Side::Second, &white, &black)] {
        shelter(b, side, ours, theirs, t);
        hanging(b, side, ours, theirs, t);
        castles(b, side, t);
        entering(b, side, t);
    }
}
