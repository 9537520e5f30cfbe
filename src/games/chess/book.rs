//! Opening books in Polyglot's format: records of 16 bytes sorted by the position's key, each a move and its weight.

use super::Chess;
use super::position::castled;
use super::types::*;
use crate::game::{Kind, Moves, Side};
use crate::util::files;
use polyglot_book_rs::hash::polyglot_hash;
use polyglot_book_rs::types::{BoardPosition, Piece as Painted};

/// Bytes of a record: key, move, weight, and four that learning used.
const RECORD: usize = 16;

/// The largest book that is read into memory, in bytes.
const LARGEST: u64 = 1 << 30;

struct BookEntry {
    key: u64,
    mv: u16,
    weight: u16,
}

/// A book, held in memory.
pub struct PolyglotBook {
    entries: Vec<BookEntry>,
}

impl PolyglotBook {
    /// Reads a book. The error names the fault of the file.
    pub fn open(path: &str) -> Result<Self, String> {
        let check = |head: &[u8], size: u64| {
            if size == 0 || !size.is_multiple_of(RECORD as u64) {
                return Err(format!(
                    "no Polyglot book, or cut short: {size} bytes, not a multiple of {RECORD}"
                ));
            }
            // From a square to another one, and no piece beyond the queen.
            let is_move = |r: &[u8; RECORD]| {
                let mv = u16::from_be_bytes([r[8], r[9]]);
                mv & 63 != mv >> 6 & 63 && mv >> 12 <= 4
            };
            let records = head.as_chunks::<RECORD>().0;
            if records.iter().filter(|r| is_move(r)).count() * 2 < records.len() {
                return Err("no Polyglot book: its first records hold no moves".into());
            }
            Ok(())
        };
        let bytes = files::read(path, LARGEST, 64 * RECORD, check)?;
        Self::read(&bytes).ok_or_else(|| format!("{path:?}: no Polyglot book"))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (records, rest) = bytes.as_chunks::<RECORD>();
        if records.is_empty() || !rest.is_empty() {
            return None;
        }
        let number = |b: &[u8]| b.iter().fold(0, |n, &b| n << 8 | u64::from(b));
        let entry = |r: &[u8; RECORD]| BookEntry {
            key: number(&r[..8]),
            mv: number(&r[8..10]) as u16,
            weight: number(&r[10..12]) as u16,
        };
        let mut entries: Vec<BookEntry> = records.iter().map(entry).collect();
        // Some tools forget to.
        entries.sort_by_key(|e| e.key);
        Some(Self { entries })
    }

    /// A legal move of the book, drawn by weight.
    pub fn pick(&self, p: &Chess, dice: u64) -> Option<ChessMove> {
        let key = polyglot_hash(&CastlingView(p));
        let from = self.entries.partition_point(|e| e.key < key);
        let here = self.entries[from..].iter().take_while(|e| e.key == key);
        let moves: Vec<(ChessMove, u64)> = here.filter_map(|e| Some((legal(p, e.mv)?, e.weight.into()))).collect();
        let total: u64 = moves.iter().map(|m| m.1).sum();
        let mut at = ((u128::from(dice) * u128::from(total)) >> 64) as u64;
        for &(mv, weight) in &moves {
            if at < weight {
                return Some(mv);
            }
            at -= weight;
        }
        None
    }
}

/// The legal move that a book's move means. Castling is the king taking its rook; some books write the king's target.
fn legal(p: &Chess, mv: u16) -> Option<ChessMove> {
    let (to, from, promoted) = (
        (mv & 63) as Square,
        (mv >> 6 & 63) as Square,
        (mv >> 12 & 7) as PieceKind,
    );
    let mut moves = Moves::new();
    p.generate(Kind::All, &mut moves);
    let same = |m: ChessMove| if m.is_promotion() { m.promoted() } else { PAWN } == promoted && m.from() == from;
    let castles = |m: ChessMove| {
        let index = 2 * p.side.index() + usize::from(m.to() < m.from());
        m.is_castle() && castled(index).0 == to
    };
    let exact = moves.iter().find(|&m| same(m) && m.to() == to);
    exact.or_else(|| moves.iter().find(|&m| same(m) && castles(m)))
}

/// A position as the book's keys see it.
struct CastlingView<'a>(&'a Chess);

impl BoardPosition for CastlingView<'_> {
    fn piece_at(&self, square: u8) -> Painted {
        use Painted::{BBishop, BKing, BKnight, BPawn, BQueen, BRook, WBishop, WKing, WKnight, WPawn, WQueen, WRook};
        const ALL: [Painted; 12] = [
            WPawn, WKnight, WBishop, WRook, WQueen, WKing, BPawn, BKnight, BBishop, BRook, BQueen, BKing,
        ];
        let piece = self.0.piece_on(square);
        ALL.get(usize::from(piece)).copied().unwrap_or(Painted::Empty)
    }

    fn is_white_to_move(&self) -> bool {
        self.0.side == Side::First
    }

    fn castling_rights(&self) -> u8 {
        self.0.now.rights
    }

    fn en_passant_file(&self) -> Option<u8> {
        Some(self.0.en_passant()).filter(|&s| s != NO_SQUARE).map(|s| s % 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Position;

    fn position(fen: &str) -> Chess {
        Chess::parse(fen, &ChessRules::default()).expect("a position")
    }

    /// From the format's published examples.
    #[test]
    fn keys_are_the_published_ones() {
        for (fen, key) in [
            (Chess::START, 0x463b_9618_1691_fc9c),
            (
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
                0x823c_9b50_fd11_4196,
            ),
            (
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
                0x22a4_8b5a_8e47_ff78,
            ),
            (
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3",
                0x652a_607c_a3f2_42c1,
            ),
            (
                "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
                0x3c81_23ea_7b06_7637,
            ),
            (
                "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4",
                0x5c3f_9b82_9b27_9560,
            ),
        ] {
            assert_eq!(polyglot_hash(&CastlingView(&position(fen))), key, "{fen}");
        }
    }

    fn book(fen: &str, moves: &[(u16, u16)]) -> PolyglotBook {
        let key = polyglot_hash(&CastlingView(&position(fen)));
        let bytes: Vec<u8> = moves
            .iter()
            .flat_map(|&(mv, weight)| {
                let record = u128::from(key) << 64 | u128::from(mv) << 48 | u128::from(weight) << 32;
                record.to_be_bytes()
            })
            .collect();
        PolyglotBook::read(&bytes).expect("whole records")
    }

    const fn raw(from: u16, to: u16, promoted: u16) -> u16 {
        promoted << 12 | from << 6 | to
    }

    #[test]
    fn castling_either_way_and_promotions() {
        let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        for (to, text) in [(7, "e1g1"), (6, "e1g1"), (0, "e1c1"), (2, "e1c1")] {
            let p = position(castle);
            let mv = book(castle, &[(raw(4, to, 0), 1)]).pick(&p, 0).expect("a move");
            assert_eq!(p.move_text(mv), text);
        }
        let promote = "7k/P7/8/8/8/8/8/7K w - - 0 1";
        let p = position(promote);
        let mv = book(promote, &[(raw(48, 56, 3), 1)]).pick(&p, 0).expect("a move");
        assert_eq!(p.move_text(mv), "a7a8r");
    }

    #[test]
    fn weights_are_kept_and_illegal_moves_left_out() {
        let p = position(Chess::START);
        // e2e4 three times as often as d2d4; a2a5 is illegal, g1f3 has no weight.
        let moves = [
            (raw(8, 32, 0), 100),
            (raw(12, 28, 0), 3),
            (raw(11, 27, 0), 1),
            (raw(6, 21, 0), 0),
        ];
        let b = book(Chess::START, &moves);
        let draw = |dice| b.pick(&p, dice).map(|m| p.move_text(m));
        let step = u64::MAX / 100;
        let drawn: Vec<String> = (0..100).filter_map(|i| draw(i * step + step / 2)).collect();
        let count = |text: &str| drawn.iter().filter(|d| *d == text).count();
        assert_eq!((count("e2e4"), count("d2d4"), drawn.len()), (75, 25, 100));
        let other = position("8/8/8/4k3/8/8/8/4KR2 w - - 0 1");
        assert!(b.pick(&other, 0).is_none());
    }

    #[test]
    fn half_records_are_refused() {
        for len in [0, 1, 15, 17, 31] {
            assert!(PolyglotBook::read(&vec![0; len]).is_none(), "{len}");
        }
        assert!(PolyglotBook::read(&[0; 32]).is_some());
    }
}
