//! Xiangqi (cờ tướng, Chinese chess): rules, repetition codes and hand-written evaluation.

pub mod attacks;
mod chase;
mod fen;
pub mod hce;
mod hce_terms;
pub mod hce_weights;
mod keys;
mod make;
mod movegen;
mod position;
mod see;
pub mod types;
mod verdict;

pub use position::{Board, Xiangqi};
pub use types::{Repetition, XMove, XiangqiRules};

use crate::game::tunables::XiangqiTune;
use crate::game::{BadInput, Dirty, Ending, Kind, Moves, Position, Score, Side, Tags, Verdict};
use types::{EMPTY, POINTS};

impl Position for Xiangqi {
    type Move = XMove;
    type Tune = XiangqiTune;
    type Rules = XiangqiRules;

    const NAME: &'static str = "xiangqi";
    const SQUARES: usize = POINTS;
    const FROMS: usize = POINTS;
    const PIECES: usize = EMPTY as usize;
    const MAX_MOVES: usize = 128;
    const START: &'static str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

    fn parse(setup: &str, rules: &XiangqiRules) -> Result<Self, BadInput> {
        Self::read(setup, rules)
    }

    fn setup(&self) -> String {
        self.write()
    }

    fn parse_move(&self, text: &str) -> Result<XMove, BadInput> {
        self.read_move(text)
    }

    fn move_text(&self, m: XMove) -> String {
        format!("{m:?}")
    }

    fn picture(&self) -> String {
        self.draw_board()
    }

    #[inline]
    fn side(&self) -> Side {
        self.board.side
    }

    fn game_ply(&self) -> usize {
        self.start_ply + self.past.len()
    }

    #[inline]
    fn key(&self) -> u64 {
        self.now.key
    }

    fn correction_keys(&self) -> [u64; 4] {
        let [soldiers, guards, red, black] = self.now.parts;
        match self.board.side {
            Side::First => [soldiers, guards, red, black],
            Side::Second => [soldiers, guards, black, red],
        }
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.now.checkers.any()
    }

    fn may_pass(&self) -> bool {
        self.has_officers(self.board.side)
    }

    #[inline]
    fn verdict(&self, ply: usize) -> Verdict {
        self.judge(ply)
    }

    fn no_moves(&self) -> Verdict {
        Verdict::Loss
    }

    fn ended(&self) -> Option<Ending> {
        self.ending()
    }

    #[inline]
    fn generate(&self, kind: Kind, out: &mut Moves<XMove>) {
        self.list(kind, out);
    }

    #[inline]
    fn is_legal(&self, m: XMove) -> bool {
        self.legal(m)
    }

    fn count_legal(&self) -> u64 {
        self.count()
    }

    #[inline]
    fn gives_check(&self, m: XMove) -> bool {
        self.checks(m)
    }

    #[inline]
    fn is_tactical(&self, m: XMove) -> bool {
        self.board.at(m.to()) != EMPTY
    }

    #[inline]
    fn gain(&self, m: XMove) -> Score {
        self.prize(m)
    }

    #[inline]
    fn see_ge(&self, m: XMove, floor: Score) -> bool {
        self.exchange_ge(m, floor)
    }

    #[inline]
    fn tags(&self, m: XMove) -> Tags {
        Tags {
            piece: self.board.at(m.from()),
            from: m.from(),
            to: m.to(),
            taken: self.board.at(m.to()),
        }
    }

    #[inline]
    fn play(&mut self, m: XMove) -> Dirty {
        self.do_play(m)
    }

    #[inline]
    fn undo(&mut self) {
        self.do_undo();
    }

    fn pass(&mut self) {
        self.do_pass();
    }
}
