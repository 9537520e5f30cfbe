//! Moves and boards as text.

use super::position::{Chess, castled};
use super::types::*;
use crate::bits::bb64::squares;
use crate::game::{BadInput, Kind, Moves};

impl Chess {
    /// Whether castling is written as the king taking his rook: in Chess960, and wherever the king's own two steps
    /// would not tell.
    fn takes_rook(&self, king: Square, rook: Square) -> bool {
        self.rules.chess960 || king % 8 != 4 || !matches!(rook % 8, 0 | 7)
    }

    pub(super) fn move_text(&self, m: ChessMove) -> String {
        if Self::is_none(m) {
            return "0000".into();
        }
        let (from, mut to) = (m.from(), m.to());
        if m.is_castle() && !self.takes_rook(from, to) {
            to = castled(self.side.index() * 2 + usize::from(to < from)).0;
        }
        let mut out = square_text(from) + &square_text(to);
        if m.is_promotion() {
            out.push(LETTERS[piece(1, m.promoted()) as usize] as char);
        }
        out
    }

    pub(super) fn parse_move(&self, text: &str) -> Result<ChessMove, BadInput> {
        let mut moves = Moves::new();
        self.generate(Kind::All, &mut moves);
        let wanted = text.to_ascii_lowercase();
        if let Some(m) = moves.iter().find(|&m| self.move_text(m) == wanted) {
            return Ok(m);
        }
        let wing = match wanted.replace('0', "o").as_str() {
            "o-o" => Some(0),
            "o-o-o" => Some(1),
            _ => None,
        };
        // The other way of writing castling, where no other move is written so.
        let other = |m: ChessMove| {
            let wing_of = usize::from(m.to() < m.from());
            let king_to = castled(self.side.index() * 2 + wing_of).0;
            wing == Some(wing_of)
                || wanted == square_text(m.from()) + &square_text(m.to())
                || (m.from().abs_diff(king_to) > 1 && wanted == square_text(m.from()) + &square_text(king_to))
        };
        moves
            .iter()
            .find(|&m| m.is_castle() && other(m))
            .ok_or_else(|| BadInput::new(format!("not a legal move: {text}")))
    }

    pub(super) fn picture(&self) -> String {
        let mut out = String::new();
        for y in (0..8).rev() {
            out.push_str(" +---+---+---+---+---+---+---+---+\n");
            for x in 0..8 {
                let p = self.board[y * 8 + x];
                out.push_str(" | ");
                out.push(if p == NO_PIECE {
                    ' '
                } else {
                    LETTERS[p as usize] as char
                });
            }
            out.push_str(&format!(" | {}\n", y + 1));
        }
        out.push_str(" +---+---+---+---+---+---+---+---+\n   a   b   c   d   e   f   g   h\n\n");
        let checkers: Vec<String> = squares(self.now.checkers).map(square_text).collect();
        out.push_str(&format!(
            "Fen: {}\nKey: {:016X}\nCheckers: {}",
            self.setup(),
            self.now.key,
            checkers.join(" ")
        ));
        out
    }
}
