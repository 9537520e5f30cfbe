//! What the hand-written evaluation counts afresh at each position: pieces face down, mobility, the siege of the palace,
//! pieces attacked.

use super::hce_weights::Group;
use super::position::Coup;
use super::types::Counts;
use crate::bits::Bb128;
use crate::game::weights::Tally;
use crate::game::{Position, Side};
use crate::games::xiangqi::attacks::{
    PALACE, advisor, between, free_advisor, free_elephant, general, horse, slide, slide_and_hop, soldier,
};
use crate::games::xiangqi::types::{KINDS, Kind, file};

/// Parts of a face-down piece in [`Group::CoveredPool`].
const PARTS: u32 = 8;
/// 1 / n in 2^-16.
static INVERSE: [u32; 17] = {
    let mut all = [0; 17];
    let mut n = 1;
    while n < 17 {
        all[n as usize] = (1 << 16) / n;
        n += 1;
    }
    all
};

/// Tells a tally all terms but material and points.
pub(super) fn count_terms(p: &Coup, t: &mut impl Tally) {
    let red = pieces(p, Side::First, 1, t);
    let black = pieces(p, Side::Second, -1, t);
    contact(p, Side::First, 1, red, black, t);
    contact(p, Side::Second, -1, black, red, t);
}

/// What lies under `n` pieces, in parts of the kinds in a pool.
fn cover(n: u32, pool: &Counts, sign: i32, t: &mut impl Tally) {
    let all: u32 = pool.iter().map(|&k| u32::from(k)).sum();
    let Some(&inverse) = INVERSE.get(all as usize) else {
        return;
    };
    for (kind, &count) in pool.iter().enumerate() {
        let parts = (PARTS * n * u32::from(count) * inverse + (1 << 15)) >> 16;
        t.add(Group::CoveredPool.start() + kind, sign * parts as i32);
    }
}

/// A side's pieces but for their points; gives all that they attack.
fn pieces(p: &Coup, us: Side, sign: i32, t: &mut impl Tally) -> Bb128 {
    let b = p.board();
    let (occupied, own, down) = (b.occupied(), b.of(us), b.covered());
    let goal = b.general(us.other());
    let zone = PALACE[us.other().index()];
    let mut all = general(b.general(us));
    let mut siege = 0;
    let mut reached = |reach: Bb128| {
        siege += (reach & zone).len();
        all |= reach;
    };

    for kind in KINDS {
        let n = (down & own & b.kind(kind)).len() as i32;
        t.add(Group::CoveredAs.start() + kind as usize, sign * n);
    }
    // A piece that is just being turned up counts as any other face down.
    let faces = KINDS.iter().fold(Bb128::EMPTY, |s, &k| s | b.kind(k)).without(down);
    cover(own.without(faces).len(), p.pool(us), sign, t);

    let act = |kind: Kind| b.kind(kind) & own;
    act(Kind::Chariot).for_each(|q| {
        let reach = slide(q, occupied);
        let moves = reach.without(own).len() as usize;
        if down.has(q) {
            t.add(Group::CoveredMoves.start() + 1, sign * moves as i32);
        } else {
            t.add(Group::ChariotMoves.start() + moves, sign);
        }
        reached(reach);
    });
    act(Kind::Cannon).for_each(|q| {
        let (near, far) = slide_and_hop(q, occupied);
        let moves = near.without(occupied).len() as usize;
        t.add(Group::CannonMoves.start() + moves, sign);
        reached(far);
        if file(q) == file(goal) {
            let screens = (between(q, goal) & occupied).len() as usize;
            if screens < 3 {
                t.add(Group::CannonLine.start() + screens, sign);
            }
        }
    });
    act(Kind::Horse).for_each(|q| {
        let reach = horse(q, occupied);
        let moves = reach.without(own).len() as usize;
        if down.has(q) {
            t.add(Group::CoveredMoves.start(), sign * moves as i32);
        } else {
            t.add(Group::HorseMoves.start() + moves, sign);
        }
        reached(reach);
    });
    act(Kind::Advisor).for_each(|q| {
        if down.has(q) {
            reached(advisor(q));
        } else {
            let reach = free_advisor(q);
            t.add(Group::AdvisorMoves.start() + reach.without(own).len() as usize, sign);
            reached(reach);
        }
    });
    act(Kind::Elephant).for_each(|q| {
        let reach = free_elephant(q, occupied);
        t.add(Group::ElephantMoves.start() + reach.without(own).len() as usize, sign);
        reached(reach);
    });
    act(Kind::Soldier).for_each(|q| reached(soldier(us, q)));
    t.add(Group::Siege.start() + siege.min(15) as usize, sign);
    all
}

/// A side's pieces that the enemy attacks.
fn contact(p: &Coup, us: Side, sign: i32, ours: Bb128, theirs: Bb128, t: &mut impl Tally) {
    let b = p.board();
    let turn = if p.side() == us { 0 } else { 8 };
    let struck = b.of(us) & theirs;
    if struck.is_empty() {
        return;
    }
    let mut told = |set: Bb128, group: Group| {
        if set.is_empty() {
            return;
        }
        let start = group.start() + turn;
        t.add(start + 7, sign * (set & b.covered()).len() as i32);
        for kind in KINDS {
            let n = (set & b.kind(kind)).without(b.covered()).len() as i32;
            t.add(start + kind as usize, sign * n);
        }
    };
    told(struck.without(ours), Group::Loose);
    told(struck & ours, Group::Held);
}
