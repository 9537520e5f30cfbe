//! Ranks of strength, from 20 kyu up.

use crate::game::Level;

/// The ranks, weakest first.
pub const RANKS: [&str; 22] = [
    "20k", "19k", "18k", "17k", "16k", "15k", "14k", "13k", "12k", "11k", "10k", "9k", "8k", "7k", "6k", "5k", "4k",
    "3k", "2k", "1k", "1d", "2d",
];

/// What is said for no rank: full strength.
pub const FULL: &str = "full";

/// Elo of a rank by its place in [`RANKS`]: 100 a rank, 100 for 20 kyu, as on the rating scale of the European Go
/// Federation.
pub const fn elo(rank: usize) -> i32 {
    100 * (rank as i32 + 1)
}

/// The nearest rank to a number of Elo on this scale.
pub fn rank(elo: i32) -> Option<&'static str> {
    let place = (elo - self::elo(0) + 50).max(0) / 100;
    RANKS.get(place as usize).or(RANKS.last()).copied()
}

/// The levels on a board of this size. The same error of a point decides more games on a large board, where more moves are
/// played, so each of the usual sizes has its own table.
pub fn levels(size: usize) -> &'static [Level] {
    match size {
        ..11 => &SMALL,
        11..16 => &MIDDLE,
        _ => LARGE,
    }
}

/// Boards of up to 10 lines, measured on 9: strength, visits, candidate moves, spread of the error in hundredths of a point.
/// The strongest row is extended from those below it.
const SMALL: [Level; 12] = [
    Level::new(100, 1, 60, 8000),
    Level::new(300, 1, 20, 1750),
    Level::new(500, 1, 15, 1050),
    Level::new(700, 1, 12, 740),
    Level::new(900, 1, 10, 490),
    Level::new(1100, 2, 8, 260),
    Level::new(1300, 4, 7, 160),
    Level::new(1500, 11, 6, 88),
    Level::new(1700, 33, 5, 48),
    Level::new(1900, 66, 4, 30),
    Level::new(2100, 180, 2, 10),
    Level::new(2200, 260, 1, 0),
];

/// Boards of 11 to 15 lines, measured on 13; the two strongest rows are extended from those below them.
const MIDDLE: [Level; 12] = [
    Level::new(100, 1, 20, 1739),
    Level::new(300, 1, 16, 1209),
    Level::new(500, 1, 14, 980),
    Level::new(700, 1, 11, 788),
    Level::new(900, 1, 10, 626),
    Level::new(1100, 1, 8, 453),
    Level::new(1300, 4, 8, 160),
    Level::new(1500, 7, 6, 106),
    Level::new(1700, 20, 5, 67),
    Level::new(1900, 40, 5, 43),
    Level::new(2100, 75, 4, 25),
    Level::new(2200, 105, 3, 18),
];

/// Larger boards, measured on 19; the two weakest rows are by an older network's distances, the strongest between two that were
/// measured.
pub const LARGE: &[Level] = &[
    Level::new(100, 1, 18, 1300),
    Level::new(320, 1, 12, 1000),
    Level::new(770, 1, 10, 580),
    Level::new(920, 1, 8, 390),
    Level::new(1050, 5, 7, 130),
    Level::new(1300, 14, 6, 80),
    Level::new(1520, 32, 5, 50),
    Level::new(2070, 80, 4, 25),
    Level::new(2200, 105, 3, 18),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_places_on_the_scale() {
        for (i, name) in RANKS.iter().enumerate() {
            assert_eq!(rank(elo(i)), Some(*name));
        }
        assert_eq!([rank(-1000), rank(9000)], [Some("20k"), Some("2d")]);
        assert_eq!([elo(0), elo(19), elo(20)], [100, 2000, 2100], "20k, 1k and 1d");
    }

    /// As the register asks of the table that the game describes itself by.
    #[test]
    fn every_board_has_every_rank() {
        for size in 2..=25 {
            let levels = levels(size);
            assert_eq!(levels[0].elo, elo(0), "{size}");
            let last = levels[levels.len() - 1].elo;
            assert!(RANKS.iter().enumerate().any(|(i, _)| elo(i) == last), "{size}: {last}");
            for pair in levels.windows(2) {
                let [low, high] = [pair[0], pair[1]];
                assert!(
                    low.elo < high.elo && low.nodes <= high.nodes,
                    "{size}: {low:?}, {high:?}"
                );
                assert!(
                    low.lines >= high.lines && low.noise >= high.noise,
                    "{size}: {low:?}, {high:?}"
                );
            }
        }
    }
}
