//! Positions' values out of the tables. A table may store anything where a capture is best, so captures are tried first.

use super::table::Found;
use super::{Syzygy, TableBoard, Tables};
use crate::game::{Kind as Moved, Moves, Position, Ranked, RootTable, Verdict, Wdl};
use crate::games::chess::position::Chess;
use crate::games::chess::types::*;

/// Won within the fifty-move rule.
pub const WIN: i32 = 2;
/// Won but for the fifty-move rule.
pub const CURSED_WIN: i32 = 1;
/// Drawn.
pub const DRAW: i32 = 0;
/// Lost but for the fifty-move rule.
pub const BLESSED_LOSS: i32 = -1;
/// Lost within the fifty-move rule.
pub const LOSS: i32 = -2;

/// Beyond every distance.
const FAR: i32 = 1 << 18;
/// Half-moves that the fifty-move rule leaves.
const FIFTY: i32 = 100;

/// The distance before a capture or pawn move that leads to this outcome.
const fn before(wdl: i32) -> i32 {
    match wdl {
        WIN => 1,
        CURSED_WIN => FIFTY + 1,
        BLESSED_LOSS => -FIFTY - 1,
        LOSS => -1,
        _ => 0,
    }
}

fn legal(p: &Chess) -> Moves<ChessMove> {
    let mut moves = Moves::new();
    p.generate(Moved::All, &mut moves);
    moves
}

fn captures(p: &Chess, m: ChessMove) -> bool {
    m.is_en_passant() || !m.is_castle() && p.piece_on(m.to()) != NO_PIECE
}

fn moves_pawn(p: &Chess, m: ChessMove) -> bool {
    kind(p.piece_on(m.from())) == PAWN
}

impl Tables {
    /// The outcome for the side to move on a fresh count of the fifty-move rule.
    pub fn wdl(&self, p: &Chess) -> Option<i32> {
        Some(self.search(&mut p.without_past(), false)?.0)
    }

    /// The outcome, and whether a capture (or, with `pawns`, a pawn move) reaches it.
    fn search(&self, p: &mut Chess, pawns: bool) -> Option<(i32, bool)> {
        let moves = legal(p);
        let mut best = LOSS;
        let mut tried = 0;
        for m in moves.iter() {
            if !(captures(p, m) || pawns && moves_pawn(p, m)) {
                continue;
            }
            tried += 1;
            p.play(m);
            let answer = self.search(p, false);
            p.undo();
            let value = -answer?.0;
            best = best.max(value);
            if value == WIN {
                return Some((WIN, true));
            }
        }
        // The table is only probed where some move is left that it is about.
        let all = tried > 0 && tried == moves.len();
        let value = if all { best } else { self.stored(p)? };
        Some(if tried > 0 && best >= value {
            (best, best > DRAW || all)
        } else {
            (value, false)
        })
    }

    fn stored(&self, p: &Chess) -> Option<i32> {
        if p.occupied().count_ones() == 2 {
            return Some(DRAW);
        }
        let board = TableBoard::of(p)?;
        let entry = self.entry(board.material)?;
        match entry.wdl.get(entry.material)?.probe(&board, DRAW)? {
            Found::Value(wdl @ LOSS..=WIN) => Some(wdl),
            _ => None,
        }
    }

    /// Plies to the next capture or pawn move on the way to the outcome, negative for the losing side; 0 for a draw.
    /// Beyond 100 the fifty-move rule comes first.
    pub(super) fn dtz(&self, p: &mut Chess) -> Option<i32> {
        let (wdl, zeroing) = self.search(p, true)?;
        if wdl == DRAW {
            return Some(0);
        }
        if zeroing {
            return Some(before(wdl));
        }
        let board = TableBoard::of(p)?;
        let entry = self.entry(board.material)?;
        let table = entry.dtz.as_ref()?.get(entry.material)?;
        if let Found::Value(plies) = table.probe(&board, wdl)? {
            let spoilt = if wdl.abs() == CURSED_WIN { FIFTY } else { 0 };
            return Some((plies + spoilt) * wdl.signum());
        }
        // A one-sided table of the other side to move: one move on.
        let mut least = None;
        for m in legal(p).iter() {
            let zeroing = captures(p, m) || moves_pawn(p, m);
            p.play(m);
            let next = self.dtz_after(p, zeroing);
            p.undo();
            let next = next?;
            if next.signum() == wdl.signum() && least.is_none_or(|l| next < l) {
                least = Some(next);
            }
        }
        // Mated.
        Some(least.unwrap_or(-1))
    }

    /// The distance for the side that has just moved, its move included.
    pub(super) fn dtz_after(&self, p: &mut Chess, zeroing: bool) -> Option<i32> {
        if zeroing {
            return Some(before(-self.search(p, false)?.0));
        }
        if p.in_check() && p.count_legal() == 0 {
            return Some(1);
        }
        let next = -self.dtz(p)?;
        Some(next + next.signum())
    }

    /// The legal moves ranked by distance. Wins that are safe from the fifty-move rule rank alike unless positions have
    /// been repeated: among them the search looks for the mate.
    pub fn rank_by_distance(&self, p: &Chess, fifty: bool) -> Option<RootTable<ChessMove>> {
        let clock = p.clock() as i32;
        let dallied = p.has_repeated();
        let mut ranked = Vec::new();
        let mut p = p.clone();
        for mv in legal(&p).iter() {
            p.play(mv);
            let dtz = if p.clock() > 0 && p.verdict(1) == Verdict::Draw {
                Some(0)
            } else {
                let zeroing = p.clock() == 0;
                self.dtz_after(&mut p.without_past(), zeroing)
            };
            p.undo();
            let dtz = dtz?;
            let rank = match dtz {
                1.. if dtz + clock < FIFTY && !dallied => FAR,
                1.. => FAR - (dtz + clock),
                0 => 0,
                _ if -dtz * 2 + clock < FIFTY => -FAR,
                _ => -FAR + (clock - dtz),
            };
            let bound = if fifty { FAR - FIFTY } else { 1 };
            let wdl = match rank {
                r if r >= bound => Wdl::Win,
                r if r <= -bound => Wdl::Loss,
                _ => Wdl::Draw,
            };
            ranked.push(Ranked { mv, wdl, rank });
        }
        Some(RootTable {
            moves: ranked,
            by_distance: true,
        })
    }
}

impl Syzygy {
    /// The legal moves ranked by outcome alone, where distances are not at hand.
    pub fn rank(&self, p: &Chess) -> Option<RootTable<ChessMove>> {
        let mut moves = Vec::new();
        let mut p = p.clone();
        for mv in legal(&p).iter() {
            p.play(mv);
            let wdl = match p.verdict(1) {
                Verdict::Draw => Some(DRAW),
                _ => self.tables.wdl(&p),
            };
            p.undo();
            let rank = -wdl?;
            let wdl = self.verdict(rank);
            moves.push(Ranked { mv, wdl, rank });
        }
        Some(RootTable {
            moves,
            by_distance: false,
        })
    }
}
