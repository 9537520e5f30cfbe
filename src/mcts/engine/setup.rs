//! Positions as text.

use crate::game::{BadInput, Side};
use crate::games::go::rules::Rules;
use crate::games::go::{Board, Game, coords};

/// A setup is rows of `X`, `O` and `.` from the top, parted by `/`, then the side to move and komi, if given.
pub fn parse(text: &str, rules: Rules) -> Result<Game, BadInput> {
    let mut words = text.split_whitespace();
    let rows: Vec<&str> = words.next().unwrap_or("").split('/').collect();
    let board = Board::drawn(&rows)?;
    let side = words.next().map_or(Ok(Side::First), coords::parse_side)?;
    let mut game = Game::from_board(board, rules, side);
    if let Some(komi) = words.next() {
        let komi: f32 = komi
            .parse()
            .map_err(|_| BadInput::new(format!("komi {komi:?} is no number")))?;
        if !komi.is_finite() || komi.abs() > 1000.0 {
            return Err(BadInput::new("komi out of range"));
        }
        game.set_komi(komi);
    }
    Ok(game)
}
