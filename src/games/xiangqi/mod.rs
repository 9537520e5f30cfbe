//! Xiangqi (cờ tướng, Chinese chess): rules, repetition codes and piece values.

mod about;
mod chase;
mod features;
mod fen;
mod handicaps;
mod keys;
mod levels;
pub(super) mod material;
mod position;
pub mod types;
mod verdict;

pub use crate::games::xiangqi_board::attacks;
pub use about::ABOUT;
pub use position::{Xiangqi, XiangqiBoard};
pub use types::{Repetition, XMove, XiangqiRules};

use crate::game::tunables::XiangqiTune;
use crate::game::{About, BadInput, Dirty, Ending, Kind, Moves, Position, Score, Side, Tags, Threats, Verdict};
use crate::games::xiangqi_board::fen::picture;
use types::{EMPTY, POINTS};

impl Position for Xiangqi {
    type Move = XMove;
    type Tune = XiangqiTune;
    type Rules = XiangqiRules;
    type CheckMap = ();

    const ABOUT: &'static About = &ABOUT;
    const SQUARES: usize = POINTS;
    const FROMS: usize = POINTS;
    const PIECES: usize = EMPTY as usize;
    const MAX_MOVES: usize = 128;
    const START: &'static str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    const BENCH: &'static [&'static str] = &[
        Self::START,
        "rnbaka1r1/2c6/4b1n2/p3p1p1p/2p6/9/P1P1P1P1P/B1N1CC3/R6cR/3AKABN1 b - - 0 8",
        "r1b1ka1r1/c2Ra4/4b1n2/p3p1p1p/2p6/2P3P2/P1n1P1c1P/B1NC1CN1B/8R/3AKA3 b - - 0 15",
        "r1b1ka3/c1R1a4/4b4/p3p3p/3P5/9/P1R1Pnr2/B1NCK4/8N/3A1A3 b - - 0 31",
        "2b1ka3/4a4/4b4/2R1P4/p2r4p/3NR4/P8/6r2/3KA4/5A3 b - - 0 56",
        "r3kab2/4a4/n1c1b1ncr/pCp1p3p/6P2/9/P1P1P3P/N3C1N2/9/R1BAKAB1R b - - 0 8",
        "3rkab2/4a4/nCc1bc2r/pR2p1N1p/2p4R1/3n5/P1P1P3P/N3C4/9/2BAKAB2 b - - 0 15",
        "1rbak1b2/9/2n6/p1p1p1p1p/9/2P6/P5P1P/B1N1C1R2/r8/3AKAB2 b - - 0 15",
        "2bak4/9/2n1b4/4p1C1p/p8/2P3P1P/r8/B5R2/4A4/3AK1B2 b - - 0 22",
        "2b2r3/9/4k3C/8p/p2R5/6P2/4p4/5A2B/4AKn2/9 b - - 0 41",
        "9/5k3/5r3/9/9/p8/6p2/4K4/2R6/3A5 b - - 0 76",
        "1n1akab2/9/1c2b1n2/4P1p1p/9/1Nrc5/4P1P1P/B1C1C4/9/4KABNR b - - 0 15",
        "3a1a2C/4k4/1cn6/2C1n1p1p/9/3c2P2/4P3P/r8/9/4KABNR b - - 0 22",
        "3a1a2C/9/2R1k4/8p/6c2/9/4rn2P/3K5/9/3C3c1 b - - 0 41",
    ];

    fn parse(setup: &str, rules: &XiangqiRules) -> Result<Self, BadInput> {
        Self::parse(setup, rules)
    }

    fn setup(&self) -> String {
        self.setup()
    }

    fn parse_move(&self, text: &str) -> Result<XMove, BadInput> {
        self.parse_move(text)
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
}
