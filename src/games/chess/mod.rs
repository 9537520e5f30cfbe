//! Chess by the FIDE rules, and Chess960.

mod fen;
pub mod hce;
mod keys;
mod legal;
mod make;
mod movegen;
mod position;
mod see;
mod text;
pub mod types;

pub use position::Chess;
pub use see::EXCHANGE;
pub use types::{ChessMove, ChessRules};

use crate::game::tunables::ChessTune;
use crate::game::{BadInput, Dirty, Ending, Kind, Moves, Position, Score, Side, Tags, Verdict};
use keys::KEYS;
use types::*;

/// From this halfmove clock on the hash key tells it, in steps of eight.
const CLOCK_MATTERS: u16 = 20;

impl Position for Chess {
    type Move = ChessMove;
    type Tune = ChessTune;
    type Rules = ChessRules;

    const NAME: &'static str = "chess";
    const SQUARES: usize = 64;
    const FROMS: usize = 64;
    const PIECES: usize = 12;
    const MAX_MOVES: usize = 256;
    const START: &'static str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn parse(setup: &str, rules: &ChessRules) -> Result<Self, BadInput> {
        Self::from_fen(setup, rules)
    }

    fn setup(&self) -> String {
        self.to_fen()
    }

    fn parse_move(&self, text: &str) -> Result<ChessMove, BadInput> {
        self.read_move(text)
    }

    fn move_text(&self, m: ChessMove) -> String {
        self.write_move(m)
    }

    fn picture(&self) -> String {
        self.draw()
    }

    #[inline]
    fn side(&self) -> Side {
        self.side
    }

    fn game_ply(&self) -> usize {
        self.start_ply as usize + self.past.len()
    }

    #[inline]
    fn key(&self) -> u64 {
        let step = self.now.clock.saturating_sub(CLOCK_MATTERS - 8) / 8;
        self.now.key ^ KEYS.clock[usize::from(step).min(15)]
    }

    #[inline]
    fn correction_keys(&self) -> [u64; 4] {
        self.now.parts
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.now.checkers != 0
    }

    #[inline]
    fn may_pass(&self) -> bool {
        self.of(self.side) & !(self.kind(PAWN) | self.kind(KING)) != 0
    }

    fn verdict(&self, ply: usize) -> Verdict {
        self.judge(ply)
    }

    fn may_repeat(&self, ply: usize) -> bool {
        self.could_repeat(ply)
    }

    fn no_moves(&self) -> Verdict {
        if self.in_check() { Verdict::Loss } else { Verdict::Draw }
    }

    fn ended(&self) -> Option<Ending> {
        self.outcome()
    }

    fn generate(&self, kind: Kind, out: &mut Moves<ChessMove>) {
        self.list(kind, out);
    }

    fn is_legal(&self, m: ChessMove) -> bool {
        self.legal(m)
    }

    #[inline]
    fn count_legal(&self) -> u64 {
        u64::from(self.count())
    }

    fn gives_check(&self, m: ChessMove) -> bool {
        self.checks(m)
    }

    #[inline]
    fn is_tactical(&self, m: ChessMove) -> bool {
        self.tactical(m)
    }

    fn gain(&self, m: ChessMove) -> Score {
        self.winnings(m)
    }

    fn see_ge(&self, m: ChessMove, floor: Score) -> bool {
        self.exchange(m, floor)
    }

    #[inline]
    fn tags(&self, m: ChessMove) -> Tags {
        Tags {
            piece: self.piece_on(m.from()),
            from: m.from(),
            to: m.to(),
            taken: self.victim(m),
        }
    }

    #[inline]
    fn play(&mut self, m: ChessMove) -> Dirty {
        self.make(m)
    }

    #[inline]
    fn undo(&mut self) {
        self.unmake();
    }

    fn pass(&mut self) {
        self.make_pass();
    }
}
