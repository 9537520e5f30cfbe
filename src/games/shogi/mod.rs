//! Shogi: rules, repetition, entering kings and piece values.

mod about;
pub mod attacks;
pub mod dfpn;
mod drops;
mod features;
mod fen;
mod handicaps;
mod impasse;
mod keys;
mod levels;
mod make;
mod mate1;
mod material;
mod movegen;
mod position;
mod see;
pub mod types;
mod verdict;

pub use about::ABOUT;
pub use position::{Shogi, ShogiBoard};
pub use types::{EnteringKing, SMove, ShogiRules};

use crate::game::tunables::ShogiTune;
use crate::game::{About, BadInput, Dirty, Ending, Kind, Moves, Position, Prover, Score, Side, Tags, Threats, Verdict};
use dfpn::MateSolver;
use movegen::CheckMap;
use types::{EMPTY, POINTS, kind_of, piece};

impl Position for Shogi {
    type Move = SMove;
    type Tune = ShogiTune;
    type Rules = ShogiRules;
    type CheckMap = Option<CheckMap>;

    const ABOUT: &'static About = &ABOUT;
    const SQUARES: usize = POINTS;
    const FROMS: usize = POINTS + 7;
    const PIECES: usize = EMPTY as usize;
    const MAX_MOVES: usize = 600;
    const START: &'static str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    const BENCH: &'static [&'static str] = &[
        Self::START,
        "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
        "ln3gsn1/7kl/3+B1p1p1/p4s2p/2P6/P2B3PP/1PNP+rPP2/2G3SK1/L4G1NL b G3Prs3p 65",
        "lnsg1gsnl/1r3k1b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
    ];

    fn parse(setup: &str, rules: &ShogiRules) -> Result<Self, BadInput> {
        Self::parse(setup, rules)
    }

    fn setup(&self) -> String {
        self.setup()
    }

    fn parse_move(&self, text: &str) -> Result<SMove, BadInput> {
        self.parse_move(text)
    }

    fn move_text(&self, m: SMove) -> String {
        format!("{m:?}")
    }

    fn picture(&self) -> String {
        self.picture()
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
    fn key_after(&self, m: SMove) -> u64 {
        self.key_after(m)
    }

    fn correction_keys(&self) -> [u64; 4] {
        let [pawns, guards, black, white] = self.now.parts;
        match self.board.side {
            Side::First => [pawns, guards, black, white],
            Side::Second => [pawns, guards, white, black],
        }
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.now.checkers.any()
    }

    // With drops about, a side that would rather not move is next to unheard of.
    fn may_pass(&self) -> bool {
        true
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

    fn may_claim(&self) -> bool {
        self.may_claim()
    }

    #[inline]
    fn win_in_one(&self, moves: &mut Moves<SMove>) -> Option<SMove> {
        self.win_in_one(moves)
    }

    #[inline]
    fn generate(&self, kind: Kind, out: &mut Moves<SMove>) {
        self.generate_moves(kind, false, out);
    }

    fn generate_all_legal(&self, out: &mut Moves<SMove>) {
        self.generate_moves(Kind::All, true, out);
    }

    #[inline]
    fn is_legal(&self, m: SMove) -> bool {
        self.is_legal(m)
    }

    fn count_legal(&self) -> u64 {
        self.count_legal()
    }

    #[inline]
    fn gives_check(&self, m: SMove) -> bool {
        self.gives_check(m)
    }

    #[inline]
    fn check_map(&self) -> Option<CheckMap> {
        self.check_map()
    }

    #[inline]
    fn checks(&self, map: &Option<CheckMap>, m: SMove) -> bool {
        map.as_ref().is_some_and(|map| map.checks(&self.board, m))
    }

    #[inline]
    fn is_tactical(&self, m: SMove) -> bool {
        self.board.at(m.to()) != EMPTY || m.is_promotion() && kind_of(self.board.at(m.from())).always_promotes()
    }

    #[inline]
    fn gain(&self, m: SMove) -> Score {
        self.gain(m)
    }

    #[inline]
    fn see_ge(&self, m: SMove, floor: Score) -> bool {
        self.see_ge(m, floor)
    }

    fn threats(&self) -> Threats {
        self.board.threats().0.into()
    }

    #[inline]
    fn tags(&self, m: SMove) -> Tags {
        // The piece as it arrives: a promotion and the plain move to the same point have different histories.
        let moved = match m.dropped() {
            Some(kind) => piece(self.board.side, kind),
            None => self.board.at(m.from()) + 8 * u8::from(m.is_promotion()),
        };
        Tags {
            piece: moved,
            from: m.from(),
            to: m.to(),
            taken: self.board.at(m.to()),
            attacked: 0,
        }
    }

    #[inline]
    fn play(&mut self, m: SMove) -> Dirty {
        self.play(m)
    }

    #[inline]
    fn undo(&mut self) {
        self.undo();
    }

    fn pass(&mut self) {
        self.pass();
    }

    fn prover(megabytes: usize) -> Option<Box<dyn Prover<Self>>> {
        Some(Box::new(MateSolver::new(megabytes)))
    }
}
