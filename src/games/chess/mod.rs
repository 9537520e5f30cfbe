//! Chess by the FIDE rules, and Chess960.

mod about;
pub mod book;
mod endgame;
mod extras;
mod features;
mod fen;
mod handicaps;
mod keys;
mod levels;
mod make;
mod material;
mod movegen;
mod position;
mod see;
mod syzygy;
pub mod types;
mod verdict;

pub use about::ABOUT;
pub use extras::ChessExtras;
pub use position::Chess;
pub use types::{ChessMove, ChessRules};

use crate::game::tunables::ChessTune;
use crate::game::{About, BadInput, Dirty, Ending, Extras, Kind, Moves, Position, Score, Side, Tags, Threats, Verdict};
use keys::KEYS;
use movegen::CheckMap;
use types::*;

/// From this halfmove clock on it is part of the hash key, in steps of eight.
const CLOCK_MATTERS: u16 = 20;

impl Position for Chess {
    type Move = ChessMove;
    type Tune = ChessTune;
    type Rules = ChessRules;
    type CheckMap = CheckMap;

    const ABOUT: &'static About = &ABOUT;
    const SQUARES: usize = 64;
    const FROMS: usize = 64;
    const PIECES: usize = 12;
    const MAX_MOVES: usize = 256;
    const START: &'static str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const BENCH: &'static [&'static str] = &[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "2bqkbnr/3p2pp/2n1pp2/rp6/2p3P1/2P1PP2/PN1P3P/R1BQKBNR w KQk - 2 11",
        "r1bq1rk1/2p2pp1/1pnp1n2/p1b1p1Bp/2P1P3/2NP1N2/PP2BPPP/R2Q1RK1 w - - 2 13",
        "rnbqkb1r/1pp1pppp/3p4/p5P1/6nP/4P3/PPPP1P2/RNBQKBNR b kq - 2 6",
        "r3k1nr/1b3pb1/p5pp/1pppP3/4p1P1/P1N1P2P/1PPP4/R1B1KB1R w kq - 3 15",
        "1r4k1/1bp1qpp1/1p1p1n2/4p3/1nP1P2Q/3P1N1P/4BP2/R4R1K w - - 0 25",
        "r4rk1/2q2ppp/b7/p1P1P3/Pp2p2P/1P2P3/1BR3P1/3Q1RK1 w - - 0 22",
        "3rr3/2p4k/ppn1b2b/3pq2p/P5p1/BP1PP2P/2PKN1Q1/5RR1 w - - 2 28",
        "r1bk2r1/ppp5/3p2p1/2nPpp1p/4P3/P1PB1N2/2P2PPP/R4RK1 w - - 0 14",
        "r3k2r/4b3/p6p/3bNp1R/5B2/2n3P1/P3PP2/R4K2 b kq - 1 25",
        "1k5r/r5p1/1N3n2/p1Np1b2/6p1/2P5/PP3P1P/R3RBK1 w - - 0 34",
        "Bnk4r/4bb2/p4p2/4p2p/P4P2/1pP1B2P/1P6/R2R1K2 w - - 0 28",
        "1r6/5k1p/p4n2/4p3/2Pp4/6Pp/2R4P/1r1R2K1 w - - 0 44",
        "1R6/2k5/3r3p/1B4p1/6P1/4B2P/P1K2P2/7r w - - 5 42",
        "8/5p2/1k4p1/2p1P2p/2P2P1P/1K2B3/8/5b2 b - - 81 122",
        "8/1p3k2/p1b5/r2pRpP1/5P2/5B1P/5K2/8 b - - 1 41",
        "8/8/8/8/3QK3/8/8/2k1n3 w - - 35 85",
        "5k2/R7/P1B5/3P4/8/3K4/8/4r3 b - - 2 74",
        "4k3/3b4/5p1R/5P2/5K2/8/8/8 b - - 56 135",
    ];

    fn extras() -> Box<dyn Extras<Self>> {
        Box::new(ChessExtras::default())
    }

    fn parse(setup: &str, rules: &ChessRules) -> Result<Self, BadInput> {
        Self::parse(setup, rules)
    }

    fn setup(&self) -> String {
        self.setup()
    }

    fn parse_move(&self, text: &str) -> Result<ChessMove, BadInput> {
        self.parse_move(text)
    }

    fn move_text(&self, m: ChessMove) -> String {
        self.move_text(m)
    }

    fn picture(&self) -> String {
        self.picture()
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

    /// Wrong of castling, promotions, en passant and lost rights to them.
    #[inline]
    fn key_after(&self, m: ChessMove) -> u64 {
        let (from, to) = (m.from() as usize, m.to() as usize);
        let keys = &KEYS.piece[self.board[from] as usize];
        let mut key = self.key() ^ KEYS.side ^ keys[from] ^ keys[to];
        if self.board[to] != NO_PIECE {
            key ^= KEYS.piece[self.board[to] as usize][to];
        }
        if self.now.en_passant != NO_SQUARE {
            key ^= KEYS.en_passant[self.now.en_passant as usize & 7];
        }
        key
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
        self.verdict(ply)
    }

    fn may_repeat(&self, ply: usize) -> bool {
        self.may_repeat(ply)
    }

    fn no_moves(&self) -> Verdict {
        if self.in_check() { Verdict::Loss } else { Verdict::Draw }
    }

    fn ended(&self) -> Option<Ending> {
        self.ended()
    }

    fn generate(&self, kind: Kind, out: &mut Moves<ChessMove>) {
        self.generate(kind, out);
    }

    fn is_legal(&self, m: ChessMove) -> bool {
        self.is_legal(m)
    }

    #[inline]
    fn count_legal(&self) -> u64 {
        u64::from(self.count_legal())
    }

    fn gives_check(&self, m: ChessMove) -> bool {
        self.gives_check(m)
    }

    #[inline]
    fn check_map(&self) -> CheckMap {
        self.check_map()
    }

    #[inline]
    fn checks(&self, map: &CheckMap, m: ChessMove) -> bool {
        self.checks(map, m)
    }

    #[inline]
    fn is_tactical(&self, m: ChessMove) -> bool {
        self.is_tactical(m)
    }

    fn gain(&self, m: ChessMove) -> Score {
        self.gain(m)
    }

    fn see_ge(&self, m: ChessMove, floor: Score) -> bool {
        self.see_ge(m, floor)
    }

    fn threats(&self) -> Threats {
        self.threats()
    }

    #[inline]
    fn threat_class(piece: u8) -> Option<usize> {
        match kind(piece) {
            KNIGHT | BISHOP => Some(0),
            ROOK => Some(1),
            QUEEN => Some(2),
            _ => None,
        }
    }

    #[inline]
    fn tags(&self, m: ChessMove) -> Tags {
        Tags {
            piece: self.piece_on(m.from()),
            from: m.from(),
            to: m.to(),
            taken: self.victim(m),
            attacked: 0,
        }
    }

    #[inline]
    fn play(&mut self, m: ChessMove) -> Dirty {
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
