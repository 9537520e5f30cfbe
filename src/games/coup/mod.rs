//! Cờ úp (jieqi, hidden xiangqi): rules as one side knows the game, belief and hand-written evaluation.
//!
//! Moves are xiangqi's and the boards share its attack tables. A face-down piece that moves is turned up by nature:
//! [`Position::covered`] is true until [`Position::reveal`] has said what it is.

mod belief;
mod chase;
mod features;
pub mod hce;
mod keys;
mod make;
mod movegen;
mod position;
mod see;
mod text;
pub mod types;
mod verdict;

pub use belief::Deal;
pub use position::{Board, Coup};
pub use text::Form;
pub use types::{CapturedDark, CoupRules, Ruleset};

use crate::game::tunables::CoupTune;
use crate::game::{BadInput, Dirty, Ending, Kind, Moves, Outcome, Outcomes, Position, Score, Side, Tags, Verdict};
use crate::games::xiangqi::XMove;
use crate::games::xiangqi::types::POINTS;
use position::Turn;
use types::EMPTY;

impl Position for Coup {
    type Move = XMove;
    type Tune = CoupTune;
    type Rules = CoupRules;

    const NAME: &'static str = "coup";
    const SQUARES: usize = POINTS;
    const FROMS: usize = POINTS;
    const PIECES: usize = EMPTY as usize;
    const MAX_MOVES: usize = 128;
    const CHANCE: bool = true;
    const START: &'static str =
        "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w R2A2C2P5N2B2r2a2c2p5n2b2 0 1";
    const BENCH: &'static [&'static str] = &[Self::START];

    fn parse(setup: &str, rules: &CoupRules) -> Result<Self, BadInput> {
        Self::read(setup, rules)
    }

    fn setup(&self) -> String {
        self.write(Form::Plain)
    }

    fn parse_move(&self, text: &str) -> Result<XMove, BadInput> {
        self.read_move(text)
    }

    fn play_text(&mut self, text: &str) -> Result<(), BadInput> {
        self.play_told(text)
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
        self.captures(m)
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

    #[inline]
    fn covered(&self) -> bool {
        self.now.turn == Turn::Pending
    }

    fn outcomes(&self, out: &mut Outcomes) {
        self.list_outcomes(out);
    }

    fn reveal(&mut self, o: Outcome) -> Dirty {
        self.do_reveal(o)
    }

    fn cover(&mut self) {
        self.do_cover();
    }
}
