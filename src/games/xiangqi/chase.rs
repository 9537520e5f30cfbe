//! Perpetual check and perpetual chase: the checks, chases and threats of mate in a cycle of moves, by the terms of
//! `docs/xiangqi-repetition.md`.
//!
//! A chase is decided as in Pikafish and Fairy-Stockfish: the pieces that a side threatens to win after its move, less those
//! that it threatened already before it, and the same piece in every move. Under
//! [`Repetition::Vipgame`] the piece that moved also chases what it threatened before.

use super::position::{Spared, Xiangqi, XiangqiBoard};
use super::types::{EMPTY, Kind, Repetition, XiangqiRules, home, kind_of, side_of};
use crate::bits::Bb128;
use crate::game::{self, Moves, Side};

/// What one side's moves of a cycle have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CycleAttacks {
    /// Every move checks: perpetual check.
    pub checks: bool,
    /// The pieces that every move chases (perpetual chase), as a set of their numbers in the cycle.
    pub chased: u32,
    /// Every move checks, chases some piece or, under the Chinese code, threatens mate by checks.
    pub attacks: bool,
}

/// The board while the moves of a cycle are taken back, with a number for each piece of a side.
struct ChaseBoard {
    board: XiangqiBoard,
    number: [u8; 90],
}

impl ChaseBoard {
    fn new(board: XiangqiBoard) -> Self {
        let mut number = [0; 90];
        for side in [Side::First, Side::Second] {
            for (i, point) in board.of(side).enumerate() {
                number[point as usize] = i as u8;
            }
        }
        Self { board, number }
    }

    fn back(&mut self, from: u8, to: u8) {
        self.board.unshift(from, to, EMPTY, false);
        self.number.swap(from as usize, to as usize);
    }

    /// The threats of a side on this board.
    fn threats(&self, by: Side, code: Repetition) -> Threats {
        let mut found = Threats::default();
        let b = &self.board;
        let occupied = b.occupied();
        let targets = chaseable(b, by.other());
        chasers(b, by).for_each(|from| {
            let chaser = self.number[from as usize] as usize;
            (b.reach(from, occupied) & targets).for_each(|to| {
                let victim = 1 << self.number[to as usize];
                found.reach[chaser] |= victim;
                match classify(b, from, to, code) {
                    ThreatKind::None => (),
                    ThreatKind::Unprotected => found.unprotected[chaser] |= victim,
                    ThreatKind::FalseProtection => found.false_protection[chaser] |= victim,
                }
            });
        });
        found
    }
}

/// The threats of a side: sets of the threatened pieces' numbers by the number of the chaser.
#[derive(Default)]
struct Threats {
    /// Pieces that it could capture by the way it moves.
    reach: [u32; 32],
    /// Of these the pieces without a protector, or of a higher rank.
    unprotected: [u32; 32],
    /// Of these the pieces with false protectors only, which are pinned ("false root").
    false_protection: [u32; 32],
}

impl Threats {
    /// The pieces chased by new threats, which were not there before the move; all threats of the piece `moved` count as
    /// new. A protector that moved off makes no chase, one that has been pinned does.
    fn chased(&self, before: &Self, moved: Option<usize>) -> u32 {
        (0..32).fold(0, |set, h| {
            if moved == Some(h) {
                return set | self.unprotected[h] | self.false_protection[h];
            }
            let old = before.unprotected[h] | before.false_protection[h];
            set | self.unprotected[h] & !before.reach[h] | self.false_protection[h] & !old
        })
    }
}

impl Xiangqi {
    /// The checks and chases of both sides in the last `back` half-moves, which led to the same position again.
    pub(super) fn cycle_attacks(&self, back: usize) -> [CycleAttacks; 2] {
        let mut cycle_attacks = [CycleAttacks {
            checks: true,
            chased: u32::MAX,
            attacks: true,
        }; 2];
        let us = self.board.side;
        for t in 0..back {
            let mover = if t % 2 == 0 { us.other() } else { us };
            cycle_attacks[mover.index()].checks &= self.ago(t).checkers.any();
        }
        let code = self.rules.repetition;
        if cycle_attacks[0].checks || cycle_attacks[1].checks {
            // Perpetual check decides, except under vipgame, where the other side's chases count as much.
            if code != Repetition::Vipgame {
                return cycle_attacks.map(|d| CycleAttacks {
                    chased: 0,
                    attacks: d.checks,
                    ..d
                });
            }
        }
        let mut replay = ChaseBoard::new(self.board);
        for t in 0..back {
            let after = self.ago(t);
            let d = &mut cycle_attacks[replay.board.side.other().index()];
            let by_piece = matches!(code, Repetition::Asian | Repetition::Computer);
            if if by_piece { d.chased == 0 } else { !d.attacks } {
                replay.back(after.last.from(), after.last.to());
                continue;
            }
            let mover = replay.board.side.other();
            let after_move = replay.threats(mover, code);
            let board = replay.board;
            // A chariot or cannon that slides along the line on which it attacks changes nothing by the Asian code
            // (diagram 106); where every threat of a move counts it threatens from its new point.
            let number = usize::from(replay.number[usize::from(after.last.to())]);
            let moved = (code == Repetition::Vipgame).then_some(number);
            replay.back(after.last.from(), after.last.to());
            let chased = after_move.chased(&replay.threats(mover, code), moved);
            d.attacks &= after.checkers.any()
                || chased != 0
                || code == Repetition::Chinese && threatens_mate(&board, &replay.board, after.last.to());
            d.chased &= chased;
        }
        cycle_attacks
    }
}

/// Checks of a mating series that is looked for, and positions that the search for it may enter.
const MATING_CHECKS: u32 = 6;
const MATING_POSITIONS: u32 = 20_000;

/// Whether a move without a check threatens mate: the piece that moved to the point could begin a series of checks that mates,
/// or another piece could that could not before the move.
fn threatens_mate(after: &XiangqiBoard, before: &XiangqiBoard, point: u8) -> bool {
    let mates = |b: &XiangqiBoard, first: Option<u8>| {
        let mut again = *b;
        again.side = before.side;
        let mut p = Xiangqi::from_board(again, Spared::default(), &XiangqiRules::default(), 0, 0);
        let mut positions = MATING_POSITIONS;
        (1..=MATING_CHECKS).any(|checks| mates_by_checks(&mut p, checks, first, &mut positions))
    };
    mates(after, Some(point)) || mates(after, None) && !mates(before, None)
}

/// Whether the side to move mates by a series of at most so many checks, whatever the replies, the first of them by the piece
/// on a point where one is named. A search that has used up its positions finds none.
fn mates_by_checks(p: &mut Xiangqi, checks: u32, first: Option<u8>, positions: &mut u32) -> bool {
    let mut moves = Moves::new();
    p.generate(game::Kind::All, &mut moves);
    moves.iter().any(|m| {
        if *positions == 0 || first.is_some_and(|point| m.from() != point) || !p.gives_check(m) {
            return false;
        }
        *positions -= 1;
        p.play(m);
        let mut replies = Moves::new();
        p.generate(game::Kind::All, &mut replies);
        let mates = (checks > 1 || replies.is_empty())
            && replies.iter().all(|reply| {
                p.play(reply);
                let mates = mates_by_checks(p, checks - 1, None, positions);
                p.undo();
                mates
            });
        p.undo();
        mates
    })
}

/// The pieces that can be chased: all but the general and soldiers that have not crossed the river.
fn chaseable(b: &XiangqiBoard, side: Side) -> Bb128 {
    let uncrossed = b.pieces(side, Kind::Soldier) & home(side);
    b.of(side).without(uncrossed | Bb128::of(b.general(side)))
}

/// The pieces that must not chase perpetually: all but generals and soldiers, which may.
fn chasers(b: &XiangqiBoard, side: Side) -> Bb128 {
    b.of(side).without(b.kind(Kind::General) | b.kind(Kind::Soldier))
}

/// The kinds of threats.
enum ThreatKind {
    /// No chase.
    None,
    /// A chase of an unprotected piece, or of one of higher rank.
    Unprotected,
    /// A chase because all protectors are pinned.
    FalseProtection,
}

fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Chariot => 3,
        Kind::Horse | Kind::Cannon => 2,
        _ => 1,
    }
}

fn classify(b: &XiangqiBoard, from: u8, to: u8, code: Repetition) -> ThreatKind {
    if b.exposes(from, to) {
        return ThreatKind::None;
    }
    let ignores_pins = code == Repetition::Computer;
    let (chaser, target) = (kind_of(b.at(from)), kind_of(b.at(to)));
    if rank(chaser) < rank(target) {
        return ThreatKind::Unprotected;
    }
    if code == Repetition::Vipgame && is_sacrifice(b, from) {
        return ThreatKind::None;
    }
    // Two of a kind that attack each other offer an exchange, unless the other cannot take back.
    if chaser == target && b.reach(to, b.occupied()).has(from) && (ignores_pins || !b.exposes(to, from)) {
        return ThreatKind::None;
    }
    let mut after = *b;
    after.side = side_of(b.at(from));
    after.shift(from, to);
    // A check that stands already does not make a protector false, one that the capture discovers does.
    let old = b.checkers(b.general(after.side), b.occupied(), after.side.other());
    let mut protectors = after.attackers(to, after.occupied()) & after.of(after.side);
    if protectors.is_empty() {
        ThreatKind::Unprotected
    } else if !ignores_pins && Iterator::all(&mut protectors, |p| after.exposed_by(p, to).without(old).any()) {
        ThreatKind::FalseProtection
    } else {
        ThreatKind::None
    }
}

/// Whether the piece could be taken for nothing, so that its threat is a sacrifice.
fn is_sacrifice(b: &XiangqiBoard, point: u8) -> bool {
    let side = side_of(b.at(point));
    let occupied = b.occupied();
    let mut takers = b.attackers(point, occupied) & b.of(side.other());
    Iterator::any(&mut takers, |from| {
        if b.exposes(from, point) {
            return false;
        }
        let mut after = *b;
        after.side = side.other();
        after.shift(from, point);
        let mut protectors = after.attackers(point, after.occupied()) & after.of(side);
        !Iterator::any(&mut protectors, |p| !after.exposes(p, point))
    })
}
