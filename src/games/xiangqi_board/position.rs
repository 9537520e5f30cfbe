//! A position with its history, and what the games on this board differ in.

use super::board::SharedBoard;
use super::cover::Cover;
use super::types::{Kind, XMove, kind_of};
use crate::bits::Bb128;
use crate::game::{Rules, Score, Side, Tags};
use std::fmt::Debug;

/// A game on this board, identified by its rule settings: what may lie face down, exchange values, hash numbers, and what a
/// move counts for the rules that end the game.
pub trait XiangqiVariant: Rules {
    /// What may lie face down.
    type Cover: Cover;
    /// The fields of a [`State`] that only this game has.
    type More: Copy + Eq + Debug + Send + Sync + 'static;
    /// What a position stores beside its states.
    type Record: Clone + Debug + Default + Send + Sync + 'static;

    /// Values by which exchanges are weighed, by kind.
    const EXCHANGE: [Score; 7];
    /// What a face-down piece counts for in exchanges.
    const EXCHANGE_COVERED: Score = 0;

    /// The hash number of a piece on a point.
    fn point_key(piece: u8, point: u8) -> u64;
    /// The hash number of black to move.
    fn side_key() -> u64;
    /// The hash number of what may lie face down.
    fn more_key(_more: &Self::More) -> u64 {
        0
    }

    /// Counts the move of a side into the state that it leads to, of which the counters are still the former ones:
    /// its quiet moves, its checks and `More`. `moved` is the piece that moved.
    fn count_move(next: &mut State<Self::More>, moved: u8, us: Side);
    /// The same for a pass.
    fn count_pass(next: &mut State<Self::More>, us: Side);

    /// Whether the state's last move turned up the piece that moved.
    fn turned(_more: &Self::More) -> bool {
        false
    }
    /// Whether it is not yet known what the last move turned up; until then there is no legal move.
    fn pending(_more: &Self::More) -> bool {
        false
    }
    /// Takes back what the record holds of the state that is about to be undone.
    fn forget(_record: &mut Self::Record, _more: &Self::More) {}
}

/// The state of a position besides the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State<M> {
    pub(in crate::games) key: u64,
    /// Keys of soldiers and face-down pieces, of advisors and elephants, of red's and of black's other pieces.
    pub(in crate::games) parts: [u64; 4],
    pub(in crate::games) checkers: Bb128,
    /// The move that led here; `from == to` after a pass and at the start.
    pub(in crate::games) last: XMove,
    /// The piece that it took, as [`SharedBoard::unshift`] has it.
    pub(in crate::games) taken: u8,
    /// Half-moves without a capture that count for the limit.
    pub(in crate::games) quiet: u16,
    /// Half-moves that the board may be repeated across: since a capture, a reveal, a soldier's step ahead or a pass.
    pub(in crate::games) free: u16,
    /// Checks given by each side, as far as the game counts them.
    pub(in crate::games) checks: [u16; 2],
    /// The fields of one of the games only.
    pub(in crate::games) more: M,
}

/// A position with its history.
#[derive(Clone, Debug)]
pub struct XiangqiPosition<V: XiangqiVariant> {
    pub(in crate::games) board: SharedBoard<V::Cover>,
    pub(in crate::games) now: State<V::More>,
    /// The states before `now`, oldest first.
    pub(in crate::games) past: Vec<State<V::More>>,
    /// The keys of `past`, dense for the search for repetitions.
    pub(in crate::games) keys: Vec<u64>,
    pub(in crate::games) record: V::Record,
    pub(in crate::games) rules: V,
    pub(in crate::games) start_ply: usize,
}

impl<V: XiangqiVariant> XiangqiPosition<V> {
    /// Which part key a piece belongs to.
    #[inline]
    pub(in crate::games) fn part(piece: u8) -> usize {
        if V::Cover::is_covered(piece) {
            return 0;
        }
        match kind_of(piece) {
            Kind::Soldier => 0,
            Kind::Advisor | Kind::Elephant => 1,
            _ => 2 + V::Cover::side_of(piece).index(),
        }
    }

    /// A position without history.
    pub(in crate::games) fn from_board(
        board: SharedBoard<V::Cover>,
        more: V::More,
        rules: &V,
        quiet: u16,
        start_ply: usize,
    ) -> Self {
        let (key, parts) = Self::keys_of(&board, &more);
        let now = State {
            key,
            parts,
            checkers: board.checkers_of(board.side),
            last: XMove::new(0, 0),
            taken: V::Cover::EMPTY,
            quiet,
            free: 0,
            checks: [0; 2],
            more,
        };
        Self {
            board,
            now,
            past: Vec::new(),
            keys: Vec::new(),
            record: V::Record::default(),
            rules: rules.clone(),
            start_ply,
        }
    }

    /// The keys of a board from scratch.
    pub(in crate::games) fn keys_of(board: &SharedBoard<V::Cover>, more: &V::More) -> (u64, [u64; 4]) {
        let (mut key, mut parts) = (V::more_key(more), [0; 4]);
        board.occupied().for_each(|point| {
            let piece = board.at(point);
            key ^= V::point_key(piece, point);
            parts[Self::part(piece)] ^= V::point_key(piece, point);
        });
        if board.side == Side::Second {
            key ^= V::side_key();
        }
        (key, parts)
    }

    /// The board.
    #[inline]
    pub const fn board(&self) -> &SharedBoard<V::Cover> {
        &self.board
    }

    /// The rule settings.
    pub const fn rules(&self) -> &V {
        &self.rules
    }

    pub(in crate::games) fn correction_keys(&self) -> [u64; 4] {
        let [soldiers, guards, red, black] = self.now.parts;
        match self.board.side {
            Side::First => [soldiers, guards, red, black],
            Side::Second => [soldiers, guards, black, red],
        }
    }

    #[inline]
    pub(in crate::games) fn tags(&self, m: XMove) -> Tags {
        Tags {
            piece: self.board.at(m.from()),
            from: m.from(),
            to: m.to(),
            taken: self.board.at(m.to()),
            attacked: 0,
        }
    }

    /// The state `t` half-moves ago.
    #[inline]
    pub(in crate::games) fn ago(&self, t: usize) -> &State<V::More> {
        if t == 0 {
            &self.now
        } else {
            &self.past[self.past.len() - t]
        }
    }

    /// How many half-moves ago the position that counts as repeated stood: once before inside the tree, twice
    /// before otherwise; 0 when none did.
    #[inline]
    pub(in crate::games) fn repeated(&self, ply: usize) -> usize {
        let n = self.keys.len();
        let mut seen = 0;
        for back in (4..=usize::from(self.now.free).min(n)).step_by(2) {
            if self.keys[n - back] == self.now.key {
                seen += 1;
                if back < ply || seen == 2 {
                    return back;
                }
            }
        }
        0
    }
}
