//! Cờ úp (jieqi, hidden xiangqi): rules as one side knows the game, belief and piece values.
//!
//! Board, move generator, exchanges and make/undo are xiangqi's (`xiangqi_board`). A face-down piece that moves is turned
//! up: [`Position::covered`] is true until [`Position::reveal`] has said what it is.

mod about;
mod belief;
mod chase;
mod features;
mod fen;
mod keys;
mod levels;
mod material;
mod position;
mod reveal;
pub mod types;
mod verdict;

pub use about::ABOUT;
pub use belief::Deal;
pub use fen::Form;
pub use position::{Coup, CoupBoard};
pub use types::{CapturedDark, CoupRules, Ruleset};

use crate::game::tunables::CoupTune;
use crate::game::{
    About, BadInput, Dirty, Ending, Kind, Moves, Outcome, Outcomes, Position, Score, Side, Tags, Threats, Verdict,
};
use crate::games::xiangqi_board::fen::picture;
use crate::games::xiangqi_board::types::{POINTS, XMove};
use position::Turn;
use types::EMPTY;

impl Position for Coup {
    type Move = XMove;
    type Tune = CoupTune;
    type Rules = CoupRules;
    type CheckMap = ();

    const ABOUT: &'static About = &ABOUT;
    const SQUARES: usize = POINTS;
    const FROMS: usize = POINTS;
    const PIECES: usize = EMPTY as usize;
    const MAX_MOVES: usize = 128;
    const CHANCE: bool = true;
    const START: &'static str =
        "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w R2A2C2P5N2B2r2a2c2p5n2b2 0 1";
    const BENCH: &'static [&'static str] = &[
        Self::START,
        "xxxxkxx1x/9/3p4n/x1x1x1x1x/9/2P6/X3X1X1X/1X4PX1/9/1BXXKXX1X w R1A2C2P3N2B1r2a1c2p4n1b2 3 4",
        "1px1kx1xx/9/1x2p2xp/x1x1x1n2/9/2R1N4/X5X2/6AX1/9/XXXXKXX1X w R1A1C2P4N1B1r2a2c0p2n1b2 0 7",
        "x2xkxx1x/9/4p2Pn/1P2x1x2/a1p1r4/A5C2/2X5X/6P2/9/1NXXKXX1X w R1A1C0P2N1B2r1a1c1p2n1b1 1 10",
        "x1xxkxR2/9/2p1p3R/x1x2P3/9/9/X3X1b2/4P1N2/9/X1XaKXX1X w R0A2C1P3N1B0r1a1c1p1n1b1 1 13",
        "2xxkx2x/9/3n3x1/2C2a1Ax/R5B2/2A3P2/8X/9/4C4/4KXX1X w R1A0C0P1N1B1r2a1c1p2n0b0 3 19",
        "5k3/4p3R/2p1a4/x1a6/c3p3p/9/X1X5X/PX2P4/4P4/X1XXK1P2 w R1A1C1P1N1B2r1a0c0p0n0b0 11 28",
        "x5xxN/3kA4/r1b1p4/6B2/9/4B4/X4n3/2N2R3/4A4/3X1K3 w R0A0C0P2N0B0r0a0c1p2n0b0 5 33",
        "9/4k4/5R2p/2n5x/8c/9/9/2N1A1B2/9/1X1XK1XP1 w R0A1C0P1N0B1r0a1c0p0n0b0 3 41",
    ];
    // Every piece turned up is a chance node, and the tree grows the faster.
    const BENCH_DEPTH: u32 = 8;

    fn parse(setup: &str, rules: &CoupRules) -> Result<Self, BadInput> {
        Self::parse(setup, rules)
    }

    fn setup(&self) -> String {
        self.setup_as(Form::Plain)
    }

    fn parse_move(&self, text: &str) -> Result<XMove, BadInput> {
        self.parse_move(text)
    }

    fn play_text(&mut self, text: &str) -> Result<(), BadInput> {
        self.play_text(text)
    }

    fn move_text(&self, m: XMove) -> String {
        format!("{m:?}")
    }

    fn picture(&self) -> String {
        picture(self, &self.setup())
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

    #[inline]
    fn key_after(&self, m: XMove) -> u64 {
        self.key_after(m)
    }

    fn correction_keys(&self) -> [u64; 4] {
        self.correction_keys()
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
        self.verdict(ply)
    }

    fn no_moves(&self) -> Verdict {
        Verdict::Loss
    }

    fn ended(&self) -> Option<Ending> {
        self.ended()
    }

    #[inline]
    fn generate(&self, kind: Kind, out: &mut Moves<XMove>) {
        self.generate(kind, out);
    }

    #[inline]
    fn is_legal(&self, m: XMove) -> bool {
        self.is_legal(m)
    }

    fn count_legal(&self) -> u64 {
        self.count_legal()
    }

    #[inline]
    fn gives_check(&self, m: XMove) -> bool {
        self.gives_check(m)
    }

    fn check_map(&self) {}

    fn checks(&self, _map: &(), m: XMove) -> bool {
        self.gives_check(m)
    }

    #[inline]
    fn is_tactical(&self, m: XMove) -> bool {
        self.board.at(m.to()) != EMPTY
    }

    #[inline]
    fn gain(&self, m: XMove) -> Score {
        self.gain(m)
    }

    #[inline]
    fn see_ge(&self, m: XMove, floor: Score) -> bool {
        self.see_ge(m, floor)
    }

    fn threats(&self) -> Threats {
        self.board.threats().0.into()
    }

    #[inline]
    fn tags(&self, m: XMove) -> Tags {
        self.tags(m)
    }

    #[inline]
    fn play(&mut self, m: XMove) -> Dirty {
        self.play(m)
    }

    #[inline]
    fn undo(&mut self) {
        self.undo();
    }

    fn pass(&mut self) {
        self.pass();
    }

    #[inline]
    fn covered(&self) -> bool {
        self.now.more.turn == Turn::Pending
    }

    fn outcomes(&self, out: &mut Outcomes) {
        self.outcomes(out);
    }

    fn reveal(&mut self, o: Outcome) -> Dirty {
        self.reveal(o)
    }

    fn cover(&mut self) {
        self.cover();
    }
}
