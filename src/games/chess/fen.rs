//! Setups as text: FEN, X-FEN and Shredder-FEN; moves as text, and the board drawn for a person.

use super::position::{Chess, Wing, castled};
use super::types::*;
use crate::bits::bb64::{Bb, RANK_1, RANK_8, bit, has, low, rank, squares};
use crate::bits::rays::between;
use crate::game::{BadInput, Kind, Moves, Side};

/// The halfmove clock is cut to this, far beyond any rule.
const LONGEST_CLOCK: u16 = 1000;
/// The move number is cut to this.
const LAST_MOVE: u32 = 100_000;

fn bad<T>(text: impl Into<String>) -> Result<T, BadInput> {
    Err(BadInput::new(text))
}

impl Chess {
    /// Reads a FEN with two to six fields.
    pub(super) fn parse(setup: &str, rules: &ChessRules) -> Result<Self, BadInput> {
        let mut fields = setup.split_ascii_whitespace();
        let Some(board) = fields.next() else {
            return bad("the setup is empty");
        };
        let mut p = Self::empty(*rules);
        p.read_board(board)?;
        p.side = match fields.next() {
            None | Some("w") => Side::First,
            Some("b") => Side::Second,
            Some(other) => return bad(format!("the side to move is w or b, not {other}")),
        };
        p.check_kings()?;
        p.read_castling(fields.next().unwrap_or("-"))?;
        let en_passant = read_square(fields.next().unwrap_or("-"))?;
        let clock = read_number(fields.next().unwrap_or("0"), "halfmove clock")?;
        let number = read_number(fields.next().unwrap_or("1"), "move number")?;
        if let Some(rest) = fields.next() {
            return bad(format!("nothing follows the move number, but here is {rest}"));
        }
        p.now.clock = clock.min(u32::from(LONGEST_CLOCK)) as u16;
        p.start_ply = (number.clamp(1, LAST_MOVE) - 1) * 2 + p.side.index() as u32;
        p.look_at_king(p.side.index());
        if let Some(square) = en_passant {
            p.accept_en_passant(square);
        }
        (p.now.key, p.now.parts) = p.keys_afresh();
        Ok(p)
    }

    fn read_board(&mut self, text: &str) -> Result<(), BadInput> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != 8 {
            return bad(format!("the board has 8 ranks, not {}", ranks.len()));
        }
        for (i, line) in ranks.iter().enumerate() {
            let y = 7 - i as u8;
            let mut x = 0u8;
            for c in line.bytes() {
                if let Some(piece) = LETTERS.iter().position(|&l| l == c) {
                    if x < 8 {
                        self.put(piece as u8, y * 8 + x);
                    }
                    x = x.saturating_add(1);
                } else if (b'1'..=b'8').contains(&c) {
                    x = x.saturating_add(c - b'0');
                } else {
                    return bad(format!("rank {} has a bad character: {line}", y + 1));
                }
            }
            if x != 8 {
                return bad(format!("rank {} has {x} squares, not 8: {line}", y + 1));
            }
        }
        Ok(())
    }

    fn check_kings(&self) -> Result<(), BadInput> {
        for (side, name) in [(0, "white"), (1, "black")] {
            let kings = (self.sides[side] & self.kinds[KING as usize]).count_ones();
            if kings != 1 {
                return bad(format!("{name} has {kings} kings, not 1"));
            }
        }
        if self.occupied().count_ones() > 32 {
            return bad(format!(
                "the board has {} pieces, more than 32",
                self.occupied().count_ones()
            ));
        }
        if self.kinds[PAWN as usize] & (RANK_1 | RANK_8) != 0 {
            return bad("a pawn stands on the first or last rank");
        }
        let us = self.side.index();
        let theirs = low(self.sides[us ^ 1] & self.kinds[KING as usize]);
        if self.attacked(theirs, us, self.occupied()) {
            return bad("the side to move could take the king");
        }
        Ok(())
    }

    /// Reads the castling field. Rights without their king or rook in place are dropped, as many programs write them.
    fn read_castling(&mut self, text: &str) -> Result<(), BadInput> {
        if text == "-" {
            return Ok(());
        }
        for c in text.bytes() {
            let side = usize::from(c.is_ascii_lowercase());
            let home = if side == 0 { 0 } else { 7 };
            let king = low(self.sides[side] & self.kinds[KING as usize]);
            let rooks = self.sides[side] & self.kinds[ROOK as usize] & rank(home);
            let rook = match c.to_ascii_lowercase() {
                b'k' => 63u32.checked_sub(rooks.leading_zeros()).map_or(NO_SQUARE, |s| s as u8),
                b'q' => low(rooks),
                f @ b'a'..=b'h' => home * 8 + (f - b'a'),
                _ => return bad(format!("castling rights are -, KQkq or rook files, not {text}")),
            };
            let wanted_wing = match c.to_ascii_lowercase() {
                b'k' => 0,
                b'q' => 1,
                _ => usize::from(rook < king),
            };
            if king / 8 == home && rook < 64 && has(rooks, rook) && wanted_wing == usize::from(rook < king) {
                self.grant(side, king, rook);
            }
        }
        Ok(())
    }

    fn grant(&mut self, side: usize, king: Square, rook: Square) {
        let index = side * 2 + usize::from(rook < king);
        let (king_to, rook_to) = castled(index);
        let path = |a: Square, b: Square| -> Bb { between(a, b) | bit(b) };
        let both = bit(king) | bit(rook);
        self.wings[index] = Wing {
            king,
            rook,
            clear: (path(king, king_to) | path(rook, rook_to)) & !both,
            safe: path(king, king_to) & !bit(king),
        };
        self.now.rights |= right(side, index % 2);
        self.keep = [15; 64];
        for (i, w) in self.wings.iter().enumerate() {
            if w.rook < 64 && self.now.rights >> i & 1 != 0 {
                self.keep[w.king as usize] &= !(1 << i);
                self.keep[w.rook as usize] &= !(1 << i);
            }
        }
    }

    /// Keeps an en passant square if a pawn just passed it and may legally be captured.
    fn accept_en_passant(&mut self, square: Square) {
        let us = self.side.index();
        let (row, behind) = if us == 0 {
            (5, square.wrapping_add(8))
        } else {
            (2, square.wrapping_sub(8))
        };
        let passed = square / 8 == row
            && !has(self.occupied(), square)
            && !has(self.occupied(), behind)
            && has(self.sides[us ^ 1] & self.kinds[PAWN as usize], square ^ 8);
        if passed && self.has_en_passant(us, square) {
            self.now.en_passant = square;
        }
    }

    /// Writes the FEN; castling rights by the rooks' files in Chess960 mode, and where K or Q would be ambiguous.
    pub(super) fn setup(&self) -> String {
        let mut out = String::with_capacity(90);
        for y in (0..8).rev() {
            let mut gap = 0;
            for x in 0..8 {
                let p = self.board[y * 8 + x];
                if p == NO_PIECE {
                    gap += 1;
                    continue;
                }
                if gap > 0 {
                    out.push((b'0' + gap) as char);
                    gap = 0;
                }
                out.push(LETTERS[p as usize] as char);
            }
            if gap > 0 {
                out.push((b'0' + gap) as char);
            }
            if y > 0 {
                out.push('/');
            }
        }
        out.push_str(if self.side == Side::First { " w " } else { " b " });
        out.push_str(&self.castling_text());
        out.push(' ');
        out.push_str(&if self.now.en_passant == NO_SQUARE {
            "-".into()
        } else {
            square_text(self.now.en_passant)
        });
        let ply = self.start_ply as usize + self.past.len();
        out.push_str(&format!(" {} {}", self.now.clock, ply / 2 + 1));
        out
    }

    fn castling_text(&self) -> String {
        let mut out = String::new();
        for i in 0..4 {
            if self.now.rights >> i & 1 == 0 {
                continue;
            }
            let (side, wing) = (i / 2, i % 2);
            let rook = self.wings[i].rook;
            let rooks = self.sides[side] & self.kinds[ROOK as usize] & rank(rook / 8);
            let outer = squares(rooks).any(|s| if wing == 0 { s > rook } else { s < rook });
            let letter = match (self.rules.chess960 || outer, wing) {
                (true, _) => b'A' + rook % 8,
                (false, 0) => b'K',
                (false, _) => b'Q',
            };
            out.push(if side == 0 { letter } else { letter.to_ascii_lowercase() } as char);
        }
        if out.is_empty() {
            out.push('-');
        }
        out
    }

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

fn read_square(text: &str) -> Result<Option<Square>, BadInput> {
    match text.as_bytes() {
        b"-" => Ok(None),
        [x @ b'a'..=b'h', y @ b'1'..=b'8'] => Ok(Some((y - b'1') * 8 + (x - b'a'))),
        _ => bad(format!("the en passant square is - or a square, not {text}")),
    }
}

fn read_number(text: &str, what: &str) -> Result<u32, BadInput> {
    if text == "-" {
        return Ok(0);
    }
    text.parse()
        .or_else(|_| bad(format!("the {what} is a number, not {text}")))
}
