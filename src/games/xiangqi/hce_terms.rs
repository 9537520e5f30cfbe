//! The terms of the hand-written evaluation that are counted anew in each position.

use super::attacks::{PALACE, advisor, between, elephant, file_points, general, horse, slide, slide_and_hop, soldier};
use super::hce_weights::Group;
use super::position::Board;
use super::types::{Kind, file, home, rank};
use crate::bits::Bb128;
use crate::game::Side;
use crate::game::weights::Tally;

const HORSE_MOBILITY: usize = Group::HorseMobility.start();
const HORSE_LEG: usize = Group::HorseLeg.start();
const CHARIOT_MOBILITY: usize = Group::ChariotMobility.start();
const CANNON_MOBILITY: usize = Group::CannonMobility.start();
const CHARIOT_OPEN: usize = Group::ChariotOpen.start();
const CHARIOT_RIB: usize = Group::ChariotRib.start();
const CHARIOT_PIN: usize = Group::ChariotPin.start();
const EMPTY_CANNON: usize = Group::EmptyCannon.start();
const CANNON_FILE: usize = Group::CannonFile.start();
const BOTTOM_CANNON: usize = Group::BottomCannon.start();
const BOTTOM_CANNON_TWO: usize = Group::BottomCannonTwo.start();
const CROSSED: usize = Group::Crossed.start();
const SOLDIER_PAIR: usize = Group::SoldierPair.start();
const GUARDS: usize = Group::Guards.start();
const ADVISOR_GAP: usize = Group::AdvisorGap.start();
const ELEPHANT_GAP: usize = Group::ElephantGap.start();
const OPEN_GENERAL: usize = Group::OpenGeneral.start();
const SIEGE: usize = Group::Siege.start();
const HANGING: usize = Group::Hanging.start();
const CHARIOT_THREAT: usize = Group::ChariotThreat.start();
const OFFICER_THREAT: usize = Group::OfficerThreat.start();
const ONLY_CHARIOT: usize = Group::OnlyChariot.start();
const HORSE_AND_CANNON: usize = Group::HorseAndCannon.start();

/// What the first pass learns about a side.
#[derive(Default)]
struct Reach {
    /// Points attacked or protected by any piece, by less than a chariot, and by soldiers and guards.
    all: Bb128,
    minor: Bb128,
    small: Bb128,
    /// Points of the enemy palace attacked, counted by each piece.
    siege: u32,
}

/// Counts all terms of both sides.
#[inline]
pub(super) fn count_terms<T: Tally>(b: &Board, tally: &mut T) {
    let red = pieces(b, Side::First, 1, tally);
    let black = pieces(b, Side::Second, -1, tally);
    contact(b, Side::First, 1, &red, &black, tally);
    contact(b, Side::Second, -1, &black, &red, tally);
}

#[inline]
fn pieces<T: Tally>(b: &Board, us: Side, sign: i32, tally: &mut T) -> Reach {
    let them = us.other();
    let (occupied, own) = (b.occupied(), b.of(us));
    let goal = b.general(them);
    let zone = PALACE[them.index()];
    let mut r = Reach::default();

    b.pieces(us, Kind::Horse).for_each(|p| {
        let reach = horse(p, occupied);
        tally.add(HORSE_MOBILITY + reach.without(own).len() as usize, sign);
        let free = horse(p, Bb128::EMPTY).len();
        tally.add(HORSE_LEG, sign * ((free - reach.len()) / 2) as i32);
        r.siege += (reach & zone).len();
        r.minor |= reach;
    });

    b.pieces(us, Kind::Cannon).for_each(|p| {
        let (near, far) = slide_and_hop(p, occupied);
        tally.add(CANNON_MOBILITY + near.without(occupied).len() as usize, sign);
        r.siege += (far & zone).len();
        r.minor |= far;
        cannon_lines(b, p, goal, sign, tally);
    });

    b.pieces(us, Kind::Chariot).for_each(|p| {
        let reach = slide(p, occupied);
        tally.add(CHARIOT_MOBILITY + reach.without(own).len() as usize, sign);
        r.siege += (reach & zone).len();
        r.all |= reach;
        if !file_points(file(p)).meets(b.pieces(us, Kind::Soldier)) {
            tally.add(CHARIOT_OPEN, sign);
        }
        if matches!(file(p), 3 | 5) && home(them).has(p) {
            tally.add(CHARIOT_RIB, sign);
        }
        if (file(p) == file(goal) || rank(p) == rank(goal)) && (between(p, goal) & occupied).len() == 1 {
            tally.add(CHARIOT_PIN, sign);
        }
    });

    let crossed = b.pieces(us, Kind::Soldier).without(home(us));
    tally.add(CROSSED + crossed.len() as usize, sign);
    let beside = Bb128(crossed.0 << 1 & crossed.0).without(file_points(0));
    tally.add(SOLDIER_PAIR, sign * beside.len() as i32);
    b.pieces(us, Kind::Soldier).for_each(|p| {
        let reach = soldier(us, p);
        r.siege += (reach & zone).len();
        r.small |= reach;
    });
    b.pieces(us, Kind::Advisor).for_each(|p| r.small |= advisor(p));
    b.pieces(us, Kind::Elephant)
        .for_each(|p| r.small |= elephant(p, occupied));
    r.minor |= r.small;
    r.all |= r.minor | general(b.general(us));
    r
}

#[inline]
fn cannon_lines<T: Tally>(b: &Board, p: u8, goal: u8, sign: i32, tally: &mut T) {
    if file(p) == file(goal) {
        match (between(p, goal) & b.occupied()).len() {
            0 => tally.add(EMPTY_CANNON, sign),
            2 => tally.add(CANNON_FILE, sign),
            _ => (),
        }
    }
    if rank(p) == rank(goal) && matches!(rank(p), 0 | 9) {
        tally.add(BOTTOM_CANNON, sign);
        if (between(p, goal) & b.occupied()).len() == 2 {
            tally.add(BOTTOM_CANNON_TWO, sign);
        }
    }
}

/// Terms that need to know what both sides reach.
#[inline]
fn contact<T: Tally>(b: &Board, us: Side, sign: i32, ours: &Reach, theirs: &Reach, tally: &mut T) {
    let them = us.other();
    let of = |side: Side, kind: Kind| b.pieces(side, kind).len() as i32;
    let (advisors, elephants) = (of(us, Kind::Advisor), of(us, Kind::Elephant));
    tally.add(GUARDS + (advisors * 3 + elephants) as usize, sign);
    let enemy_chariots = of(them, Kind::Chariot);
    tally.add(ADVISOR_GAP, sign * (2 - advisors) * enemy_chariots);
    tally.add(ELEPHANT_GAP, sign * (2 - elephants) * of(them, Kind::Cannon));
    if enemy_chariots > 0 {
        let seen = slide(b.general(us), b.occupied()).without(b.of(us)).len();
        tally.add(OPEN_GENERAL, sign * seen as i32);
    } else if of(us, Kind::Chariot) > 0 {
        tally.add(ONLY_CHARIOT, sign);
    }
    if of(us, Kind::Horse) > 0 && of(us, Kind::Cannon) > 0 {
        tally.add(HORSE_AND_CANNON, sign);
    }
    tally.add(SIEGE + ours.siege.min(15) as usize, sign);

    let loose = b.of(them) & ours.all.without(theirs.all);
    if loose.any() {
        for kind in [
            Kind::Advisor,
            Kind::Elephant,
            Kind::Horse,
            Kind::Chariot,
            Kind::Cannon,
            Kind::Soldier,
        ] {
            tally.add(HANGING + kind as usize, sign * (loose & b.kind(kind)).len() as i32);
        }
    }
    let pressed = b.of(them) & ours.minor & theirs.all;
    tally.add(CHARIOT_THREAT, sign * (pressed & b.kind(Kind::Chariot)).len() as i32);
    let officers = b.kind(Kind::Horse) | b.kind(Kind::Cannon);
    tally.add(OFFICER_THREAT, sign * (pressed & ours.small & officers).len() as i32);
}
