//! The counts behind the evaluation: mobility, threats, king safety, passed pawns and the rest.

use super::Pair;
use super::pawns::PawnEntry;
use super::weights::WEIGHTS;
use crate::bits::bb64::{Bb, bit, file, low, squares};
use crate::bits::{bb64, rays, sliders};
use crate::game::{Position, Side};
use crate::games::chess::Chess;
use crate::games::chess::types::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};

/// Places of the terms in the table of weights.
pub mod index {
    use std::ops::Range;

    /// By kind, pawn to queen.
    pub const MATERIAL: usize = 0;
    /// By kind and square, seen from the own side.
    pub const SQUARE: usize = MATERIAL + 5;
    /// By number of squares reached: knight 9, bishop 14, rook 15, queen 28.
    pub const MOBILITY: usize = SQUARE + 6 * 64;
    /// Start of each kind's mobility, from the knight.
    pub const MOBILITY_OF: [usize; 4] = [MOBILITY, MOBILITY + 9, MOBILITY + 23, MOBILITY + 38];
    /// Two bishops.
    pub const BISHOP_PAIR: usize = MOBILITY + 66;
    /// No own pawn on the files beside; then the same on a file open to the front.
    pub const ISOLATED: usize = BISHOP_PAIR + 1;
    /// An own pawn in front.
    pub const DOUBLED: usize = ISOLATED + 2;
    /// Behind its neighbours and stopped; then the same on a file open to the front.
    pub const BACKWARD: usize = DOUBLED + 1;
    /// Defended by a pawn, by rank.
    pub const DEFENDED: usize = BACKWARD + 2;
    /// Beside a pawn, by rank.
    pub const PHALANX: usize = DEFENDED + 8;
    /// Passed, by rank.
    pub const PASSED: usize = PHALANX + 8;
    /// Passed and free to step, by rank.
    pub const PASSED_FREE: usize = PASSED + 8;
    /// Passed and its whole path unattacked, by rank.
    pub const PASSED_SAFE: usize = PASSED_FREE + 8;
    /// Distance of the own king to the square before a far passed pawn.
    pub const PASSED_OWN_KING: usize = PASSED_SAFE + 8;
    /// Distance of the enemy's king to it.
    pub const PASSED_THEIR_KING: usize = PASSED_OWN_KING + 8;
    /// On a file without own pawns; then without any.
    pub const ROOK_FILE: usize = PASSED_THEIR_KING + 8;
    /// On the seventh with the enemy's king behind.
    pub const ROOK_SEVENTH: usize = ROOK_FILE + 2;
    /// Knight, then bishop, defended by a pawn where no enemy pawn can chase it.
    pub const OUTPOST: usize = ROOK_SEVENTH + 1;
    /// Minor piece right behind a pawn.
    pub const SHIELDED: usize = OUTPOST + 2;
    /// Own pawns on the bishop's colour.
    pub const BAD_BISHOP: usize = SHIELDED + 1;
    /// Attacked by a pawn, by kind of the victim.
    pub const BY_PAWN: usize = BAD_BISHOP + 1;
    /// Attacked by a minor piece.
    pub const BY_MINOR: usize = BY_PAWN + 6;
    /// Attacked by a rook.
    pub const BY_ROOK: usize = BY_MINOR + 6;
    /// Attacked by the king and not defended.
    pub const BY_KING: usize = BY_ROOK + 6;
    /// Attacked and not defended.
    pub const HANGING: usize = BY_KING + 1;
    /// A safe pawn step would attack a piece.
    pub const PUSH_THREAT: usize = HANGING + 1;
    /// Own pawn nearest the king on its file or beside, by file's distance from the edge and rank; rank 0: none.
    pub const SHELTER: usize = PUSH_THREAT + 1;
    /// Enemy pawn nearest on such a file, free or blocked by ours, by rank.
    pub const STORM: usize = SHELTER + 4 * 8;
    /// Attack on the king, by weight of the attackers.
    pub const DANGER: usize = STORM + 2 * 8;
    /// Steps of the last row.
    pub const DANGERS: usize = 48;
    /// Safe squares behind the own pawns.
    pub const SPACE: usize = DANGER + DANGERS;
    /// The move.
    pub const TEMPO: usize = SPACE + 1;
    /// How many weights there are.
    pub const COUNT: usize = TEMPO + 1;

    /// Groups of terms with their names, for a person.
    pub const NAMES: [(&str, Range<usize>); 13] = [
        ("material", MATERIAL..SQUARE),
        ("squares", SQUARE..MOBILITY),
        ("mobility", MOBILITY..BISHOP_PAIR),
        ("bishop pair", BISHOP_PAIR..ISOLATED),
        ("pawn structure", ISOLATED..PASSED),
        ("passed pawns", PASSED..ROOK_FILE),
        ("rooks", ROOK_FILE..OUTPOST),
        ("minor pieces", OUTPOST..BY_PAWN),
        ("threats", BY_PAWN..SHELTER),
        ("king's shelter", SHELTER..DANGER),
        ("king's danger", DANGER..SPACE),
        ("space", SPACE..TEMPO),
        ("tempo", TEMPO..COUNT),
    ];
}

/// Takes counts: the evaluator adds them up, the tuner keeps them.
pub trait Sink {
    /// `n` times the term for a side (0 or 1).
    fn add(&mut self, side: usize, term: usize, n: i32);
}

/// Sums of weighted counts by side.
#[derive(Default)]
pub struct Sum {
    pub(super) sides: [Pair; 2],
}

impl Sink for Sum {
    #[inline]
    fn add(&mut self, side: usize, term: usize, n: i32) {
        self.sides[side] = self.sides[side].plus(WEIGHTS[term].times(n));
    }
}

/// The counts themselves.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// (term, count) with white's counts positive and black's negative; terms that cancel are left out.
    pub terms: Vec<(u16, i16)>,
    /// Middlegame left, of 24.
    pub phase: i32,
    /// 64ths of the endgame part that count.
    pub scale: i32,
}

impl Sink for Ledger {
    fn add(&mut self, side: usize, term: usize, n: i32) {
        let n = if side == 0 { n as i16 } else { -n as i16 };
        match self.terms.iter_mut().find(|(t, _)| *t as usize == term) {
            Some((_, sum)) => *sum += n,
            None => self.terms.push((term as u16, n)),
        }
    }
}

impl Ledger {
    pub(super) fn endgame_sum(&self) -> i32 {
        self.terms
            .iter()
            .map(|&(i, n)| WEIGHTS[i as usize].eg() * i32::from(n))
            .sum()
    }

    pub(super) fn finish(mut self, phase: i32, scale: i32) -> Self {
        self.terms.retain(|&(_, n)| n != 0);
        (self.phase, self.scale) = (phase, scale);
        self
    }
}

/// Attacks of both sides.
struct Attacks {
    by: [[Bb; 6]; 2],
    all: [Bb; 2],
    twice: [Bb; 2],
}

impl Attacks {
    #[inline]
    fn note(&mut self, side: usize, kind: usize, set: Bb) {
        self.twice[side] |= self.all[side] & set;
        self.all[side] |= set;
        self.by[side][kind] |= set;
    }
}

const SIDES: [Side; 2] = [Side::First, Side::Second];

/// Squares one step ahead of a set, from a side's view.
#[inline]
fn ahead(set: Bb, side: usize) -> Bb {
    if side == 0 { set << 8 } else { set >> 8 }
}

#[inline]
fn relative_rank(square: u8, side: usize) -> usize {
    if side == 0 {
        (square / 8) as usize
    } else {
        7 - (square / 8) as usize
    }
}

#[inline]
fn distance(a: u8, b: u8) -> usize {
    let (df, dr) = ((a % 8).abs_diff(b % 8), (a / 8).abs_diff(b / 8));
    df.max(dr) as usize
}

/// Adds all terms but piece-square and pawn structure.
pub(super) fn count<S: Sink>(p: &Chess, pawns: &PawnEntry, sink: &mut S) {
    let mut attacks = Attacks {
        by: [[0; 6]; 2],
        all: [0; 2],
        twice: [0; 2],
    };
    let kings = [p.king(Side::First), p.king(Side::Second)];
    for side in 0..2 {
        let king = bb64::KING[kings[side] as usize];
        attacks.note(side, KING as usize, king);
        attacks.note(side, PAWN as usize, pawns.attacks[side]);
    }
    let pins = [pins(p, 0, kings[0]), pins(p, 1, kings[1])];
    let mut pressure = [0; 2];
    for side in 0..2 {
        pieces(
            p,
            side,
            pawns,
            kings,
            pins[side],
            &mut attacks,
            &mut pressure[side],
            sink,
        );
    }
    for side in 0..2 {
        threats(p, side, &attacks, sink);
        danger(
            p,
            side,
            kings[1 - side],
            &attacks,
            pressure[side] + 2 * i32::from(pins[1 - side] != 0),
            sink,
        );
        passed(p, side, pawns, kings, &attacks, sink);
        space(p, side, pawns, &attacks, sink);
    }
    sink.add(p.side().index(), index::TEMPO, 1);
}

/// Pieces of a side that shield its king from a slider.
fn pins(p: &Chess, side: usize, king: u8) -> Bb {
    let them = p.of(SIDES[1 - side]);
    let diagonal = (p.kind(BISHOP) | p.kind(QUEEN)) & them;
    let straight = (p.kind(ROOK) | p.kind(QUEEN)) & them;
    let snipers = sliders::bishop(king, them) & diagonal | sliders::rook(king, them) & straight;
    let mut pinned = 0;
    for s in squares(snipers) {
        let between = rays::between(king, s) & p.occupied();
        if between & between.wrapping_sub(1) == 0 {
            pinned |= between;
        }
    }
    pinned & p.of(SIDES[side])
}

/// Units of attack on the king's ring by an attacker of each kind.
const RING_UNITS: [i32; 6] = [0, 3, 2, 3, 4, 0];
/// Units by kind for a check that cannot be answered by capture.
const CHECK_UNITS: [i32; 6] = [0, 5, 3, 6, 4, 0];

/// Mobility, placement, and pressure on the enemy's king.
#[allow(clippy::too_many_arguments)]
fn pieces<S: Sink>(
    p: &Chess,
    side: usize,
    pawns: &PawnEntry,
    kings: [u8; 2],
    pinned: Bb,
    attacks: &mut Attacks,
    pressure: &mut i32,
    sink: &mut S,
) {
    let us = SIDES[side];
    let occupied = p.occupied();
    let own_pawns = p.pieces(us, PAWN);
    let their_king = kings[1 - side];
    let ring = bb64::KING[their_king as usize] | bit(their_king);
    // Blocked pawns, the king and squares the enemy's pawns guard are no mobility.
    let low_ranks = if side == 0 {
        0x0000_0000_00ff_ff00
    } else {
        0x00ff_ff00_0000_0000
    };
    let stuck = own_pawns & (ahead(occupied, 1 - side) | low_ranks);
    let area = !(stuck | bit(kings[side]) | pawns.attacks[1 - side]);
    let diagonal_through = occupied ^ p.pieces(us, QUEEN);
    let straight_through = occupied ^ p.pieces(us, QUEEN) ^ p.pieces(us, ROOK);
    let own_king = kings[side];
    for kind in KNIGHT..=QUEEN {
        for s in squares(p.pieces(us, kind)) {
            let mut reach = match kind {
                KNIGHT => bb64::KNIGHT[s as usize],
                BISHOP => sliders::bishop(s, diagonal_through),
                ROOK => sliders::rook(s, straight_through),
                _ => sliders::queen(s, occupied),
            };
            if pinned & bit(s) != 0 {
                reach &= rays::line(own_king, s);
            }
            attacks.note(side, kind as usize, reach);
            let n = (reach & area).count_ones() as usize;
            sink.add(side, index::MOBILITY_OF[kind as usize - 1] + n, 1);
            let hits = reach & ring & !pawns.attacks[1 - side];
            if hits != 0 {
                *pressure += RING_UNITS[kind as usize] + hits.count_ones() as i32;
            }
            match kind {
                KNIGHT | BISHOP => minor(side, kind, s, own_pawns, occupied, pawns, p, sink),
                ROOK => rook(side, s, own_pawns, p.kind(PAWN), their_king, sink),
                _ => {}
            }
        }
    }
    if p.pieces(us, BISHOP).count_ones() >= 2 {
        sink.add(side, index::BISHOP_PAIR, 1);
    }
}

/// Squares of one colour.
const DARK: Bb = 0xaa55_aa55_aa55_aa55;

#[allow(clippy::too_many_arguments)]
fn minor<S: Sink>(side: usize, kind: u8, s: u8, own: Bb, occupied: Bb, pawns: &PawnEntry, p: &Chess, sink: &mut S) {
    let rank = relative_rank(s, side);
    if (3..=5).contains(&rank) && pawns.attacks[side] & !pawns.span[1 - side] & bit(s) != 0 {
        sink.add(side, index::OUTPOST + usize::from(kind == BISHOP), 1);
    }
    if ahead(bit(s), side) & p.kind(PAWN) & occupied != 0 {
        sink.add(side, index::SHIELDED, 1);
    }
    if kind == BISHOP {
        let colour = if DARK & bit(s) != 0 { DARK } else { !DARK };
        sink.add(side, index::BAD_BISHOP, (own & colour).count_ones() as i32);
    }
}

fn rook<S: Sink>(side: usize, s: u8, own: Bb, all_pawns: Bb, their_king: u8, sink: &mut S) {
    let on_file = file(s % 8);
    if own & on_file == 0 {
        sink.add(side, index::ROOK_FILE + usize::from(all_pawns & on_file == 0), 1);
    }
    if relative_rank(s, side) == 6 && relative_rank(their_king, side) == 7 {
        sink.add(side, index::ROOK_SEVENTH, 1);
    }
}

/// Attacks on pieces.
fn threats<S: Sink>(p: &Chess, side: usize, a: &Attacks, sink: &mut S) {
    let (us, them) = (SIDES[side], SIDES[1 - side]);
    let enemy = p.of(them);
    let defended = a.all[1 - side];
    let minors = a.by[side][KNIGHT as usize] | a.by[side][BISHOP as usize];
    // Pieces that a threat is worth making on: not pawns that are defended anyway.
    let strongly = a.by[1 - side][PAWN as usize] | (a.twice[1 - side] & !a.twice[side]);
    for kind in PAWN..=QUEEN {
        let targets = p.pieces(them, kind);
        let by_pawn = (targets & a.by[side][PAWN as usize]).count_ones() as i32;
        let weak = if kind == PAWN { targets & !strongly } else { targets };
        let by_minor = (weak & minors).count_ones() as i32;
        let by_rook =
            (if kind < ROOK { targets & !strongly } else { targets } & a.by[side][ROOK as usize]).count_ones() as i32;
        if by_pawn != 0 {
            sink.add(side, index::BY_PAWN + kind as usize, by_pawn);
        }
        if by_minor != 0 {
            sink.add(side, index::BY_MINOR + kind as usize, by_minor);
        }
        if by_rook != 0 {
            sink.add(side, index::BY_ROOK + kind as usize, by_rook);
        }
    }
    let loose = enemy & !defended & a.all[side];
    sink.add(side, index::HANGING, loose.count_ones() as i32);
    if enemy & a.by[side][KING as usize] & !defended & !bit(p.king(them)) != 0 {
        sink.add(side, index::BY_KING, 1);
    }
    let empty = !p.occupied();
    let once = ahead(p.pieces(us, PAWN), side) & empty;
    let third = if side == 0 { 0xff_0000 } else { 0xff_0000 << 24 };
    let steps =
        (once | ahead(once & third, side) & empty) & !a.by[1 - side][PAWN as usize] & (a.all[side] | !a.all[1 - side]);
    let hit = super::pawns::attacks(steps, side) & enemy & !p.pieces(them, PAWN);
    sink.add(side, index::PUSH_THREAT, hit.count_ones() as i32);
}

/// The attack of `side` on the enemy's king, as one step of a row of weights.
fn danger<S: Sink>(p: &Chess, side: usize, king: u8, a: &Attacks, pressure: i32, sink: &mut S) {
    let (us, occupied) = (SIDES[side], p.occupied());
    let ring = bb64::KING[king as usize];
    // Ring squares that only the king (or nobody) guards.
    let weak = a.all[side]
        & !a.twice[1 - side]
        & (!a.all[1 - side] | a.by[1 - side][KING as usize] | a.by[1 - side][QUEEN as usize]);
    let safe = !p.of(us) & (!a.all[1 - side] | weak & a.twice[side]);
    let straight = sliders::rook(king, occupied);
    let diagonal = sliders::bishop(king, occupied);
    let by = &a.by[side];
    let checks = [
        bb64::KNIGHT[king as usize] & by[KNIGHT as usize],
        diagonal & by[BISHOP as usize],
        straight & by[ROOK as usize],
        (straight | diagonal) & by[QUEEN as usize] & !a.by[1 - side][QUEEN as usize],
    ];
    let mut units = pressure + 2 * (ring & weak).count_ones() as i32;
    for (i, set) in checks.into_iter().enumerate() {
        if set & safe != 0 {
            units += CHECK_UNITS[i + 1];
        }
    }
    if p.pieces(us, QUEEN) == 0 {
        units -= 8;
    }
    sink.add(
        side,
        index::DANGER + units.clamp(0, index::DANGERS as i32 - 1) as usize,
        1,
    );
}

/// Passed pawns: their way and the kings' distance to it.
fn passed<S: Sink>(p: &Chess, side: usize, pawns: &PawnEntry, kings: [u8; 2], a: &Attacks, sink: &mut S) {
    let occupied = p.occupied();
    for s in squares(pawns.passed[side]) {
        let rank = relative_rank(s, side);
        if rank < 3 {
            continue;
        }
        let front = low(ahead(bit(s), side));
        sink.add(side, index::PASSED_OWN_KING + distance(kings[side], front), 1);
        sink.add(side, index::PASSED_THEIR_KING + distance(kings[1 - side], front), 1);
        if occupied & bit(front) == 0 {
            sink.add(side, index::PASSED_FREE + rank, 1);
            let path = super::pawns::front_span(s, side);
            if path & (a.all[1 - side] | occupied) == 0 {
                sink.add(side, index::PASSED_SAFE + rank, 1);
            }
        }
    }
}

/// Room behind the pawns in the middle files.
fn space<S: Sink>(p: &Chess, side: usize, pawns: &PawnEntry, a: &Attacks, sink: &mut S) {
    let files = file(2) | file(3) | file(4) | file(5);
    let ranks = if side == 0 { 0xffff_ff00 } else { 0xffff_ff00 << 24 };
    let own = p.pieces(SIDES[side], PAWN);
    let room = files & ranks & !own & !pawns.attacks[1 - side] & !(a.all[1 - side] & !a.all[side]);
    sink.add(side, index::SPACE, room.count_ones() as i32);
}
