//! What a side did in a cycle of moves: checks, chases and threats of mate.
//!
//! A chase is judged as the engines of the Stockfish family do (Pikafish, Fairy-Stockfish): the pieces that a side could
//! rightly win after its move, less those that it could win already before, and the same piece in every move. Under
//! [`Repetition::Vipgame`] the piece that moved chases also what it could win before.

use super::position::{Board, Spared, Xiangqi};
use super::types::{EMPTY, Kind, Repetition, XiangqiRules, home, kind_of, side_of};
use crate::bits::Bb128;
use crate::game::{self, Moves, Side};

/// What one side did in every move of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Deeds {
    /// Every move checked.
    pub checks: bool,
    /// The pieces chased in every move, as a set of their numbers in the cycle.
    pub chased: u32,
    /// Every move checked, chased something or threatened mate, as far as the code asks.
    pub presses: bool,
}

/// A board on the way back through a cycle, with a number for each piece of a side.
struct Walk {
    board: Board,
    number: [u8; 90],
}

impl Walk {
    fn new(board: Board) -> Self {
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

    /// The chases of a side on this board.
    fn look(&self, by: Side, code: Repetition) -> Look {
        let mut look = Look::default();
        let b = &self.board;
        let occupied = b.occupied();
        let prey = prey(b, by.other());
        hunters(b, by).for_each(|from| {
            let hunter = self.number[from as usize] as usize;
            (b.reach(from, occupied) & prey).for_each(|to| {
                let victim = 1 << self.number[to as usize];
                look.aims[hunter] |= victim;
                match weigh(b, from, to, code) {
                    Threat::None => (),
                    Threat::Open => look.open[hunter] |= victim,
                    Threat::FalseRoot => look.false_root[hunter] |= victim,
                }
            });
        });
        look
    }
}

/// Who aims at whom, as sets of piece numbers by the number of the hunter.
#[derive(Default)]
struct Look {
    /// By the way pieces move.
    aims: [u32; 32],
    /// Chases of pieces without a protector, or of better ones.
    open: [u32; 32],
    /// Chases of pieces whose protectors may not move.
    false_root: [u32; 32],
}

impl Look {
    /// The pieces chased after a move by a threat that was not there before it; `moved` is a piece whose threats count
    /// also where they were. A protector that has gone makes no chase, one that has been pinned does.
    fn chased(&self, before: &Self, moved: Option<usize>) -> u32 {
        (0..32).fold(0, |set, h| {
            if moved == Some(h) {
                return set | self.open[h] | self.false_root[h];
            }
            let old = before.open[h] | before.false_root[h];
            set | self.open[h] & !before.aims[h] | self.false_root[h] & !old
        })
    }
}

impl Xiangqi {
    /// The deeds of both sides in the last `back` half-moves, which led to the same position again.
    pub(super) fn deeds(&self, back: usize) -> [Deeds; 2] {
        let mut deeds = [Deeds {
            checks: true,
            chased: u32::MAX,
            presses: true,
        }; 2];
        let us = self.board.side;
        for t in 0..back {
            let mover = if t % 2 == 0 { us.other() } else { us };
            deeds[mover.index()].checks &= self.ago(t).checkers.any();
        }
        let code = self.rules.repetition;
        if deeds[0].checks || deeds[1].checks {
            // Perpetual check settles it, but for codes where the other side's chases weigh as much.
            if code != Repetition::Vipgame {
                return deeds.map(|d| Deeds {
                    chased: 0,
                    presses: d.checks,
                    ..d
                });
            }
        }
        let mut walk = Walk::new(self.board);
        for t in 0..back {
            let after = self.ago(t);
            let d = &mut deeds[walk.board.side.other().index()];
            let by_piece = matches!(code, Repetition::Asian | Repetition::Computer);
            if if by_piece { d.chased == 0 } else { !d.presses } {
                walk.back(after.last.from(), after.last.to());
                continue;
            }
            let mover = walk.board.side.other();
            let held = walk.look(mover, code);
            let mates = code == Repetition::Chinese && after.checkers.is_empty() && threatens_mate(&walk.board);
            // A chariot or cannon that slides along the line on which it attacks changes nothing by the Asian code
            // (diagram 106); where every threat of a move counts it threatens from its new point.
            let number = usize::from(walk.number[usize::from(after.last.to())]);
            let moved = (code == Repetition::Vipgame).then_some(number);
            walk.back(after.last.from(), after.last.to());
            let chased = held.chased(&walk.look(mover, code), moved);
            d.presses &= after.checkers.any() || chased != 0 || mates;
            d.chased &= chased;
        }
        deeds
    }
}

/// Whether the side that has just moved, without a check, would mate with a second move in a row.
fn threatens_mate(b: &Board) -> bool {
    let mut again = *b;
    again.side = b.side.other();
    let mut p = Xiangqi::from_board(again, Spared::default(), &XiangqiRules::default(), 0, 0);
    let mut moves = Moves::new();
    p.generate(game::Kind::All, &mut moves);
    moves.iter().any(|m| {
        p.gives_check(m) && {
            p.play(m);
            let mate = !p.can_move();
            p.undo();
            mate
        }
    })
}

/// What may be chased: neither the general nor a soldier that has not crossed the river.
fn prey(b: &Board, side: Side) -> Bb128 {
    let uncrossed = b.pieces(side, Kind::Soldier) & home(side);
    b.of(side).without(uncrossed | Bb128::of(b.general(side)))
}

/// What may not chase for ever: all but generals and soldiers.
fn hunters(b: &Board, side: Side) -> Bb128 {
    b.of(side).without(b.kind(Kind::General) | b.kind(Kind::Soldier))
}

/// How a threat weighs.
enum Threat {
    /// No chase.
    None,
    /// A chase in plain sight.
    Open,
    /// A chase because the protectors are pinned.
    FalseRoot,
}

fn worth(kind: Kind) -> u8 {
    match kind {
        Kind::Chariot => 3,
        Kind::Horse | Kind::Cannon => 2,
        _ => 1,
    }
}

fn weigh(b: &Board, from: u8, to: u8, code: Repetition) -> Threat {
    if b.exposes(from, to) {
        return Threat::None;
    }
    let plain = code == Repetition::Computer;
    let (hunter, prey) = (kind_of(b.at(from)), kind_of(b.at(to)));
    if worth(hunter) < worth(prey) {
        return Threat::Open;
    }
    if code == Repetition::Vipgame && is_offer(b, from) {
        return Threat::None;
    }
    // Two of a kind that attack each other offer an exchange, unless the other cannot take back.
    if hunter == prey && b.reach(to, b.occupied()).has(from) && (plain || !b.exposes(to, from)) {
        return Threat::None;
    }
    let mut after = *b;
    after.side = side_of(b.at(from));
    after.shift(from, to);
    // A check that stands already does not unroot the piece, one that the capture discovers does.
    let old = b.checkers(b.general(after.side), b.occupied(), after.side.other());
    let mut avengers = after.attackers(to, after.occupied()) & after.of(after.side);
    if avengers.is_empty() {
        Threat::Open
    } else if !plain && Iterator::all(&mut avengers, |p| after.exposed_by(p, to).without(old).any()) {
        Threat::FalseRoot
    } else {
        Threat::None
    }
}

/// Whether the piece could be taken for nothing, so that its threat is a sacrifice.
fn is_offer(b: &Board, point: u8) -> bool {
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
        let mut avengers = after.attackers(point, after.occupied()) & after.of(side);
        !Iterator::any(&mut avengers, |p| !after.exposes(p, point))
    })
}
