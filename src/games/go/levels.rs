//! Ranks of strength, from 20 kyu up.

use crate::game::Level;

/// The ranks, weakest first.
pub const RANKS: [&str; 29] = [
    "20k", "19k", "18k", "17k", "16k", "15k", "14k", "13k", "12k", "11k", "10k", "9k", "8k", "7k", "6k", "5k", "4k",
    "3k", "2k", "1k", "1d", "2d", "3d", "4d", "5d", "6d", "7d", "8d", "9d",
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
const SMALL: [Level; 15] = [
    Level::new(100, 1, 17, 1300),
    Level::new(300, 1, 14, 975),
    Level::new(500, 1, 12, 789),
    Level::new(700, 1, 11, 629),
    Level::new(900, 1, 10, 461),
    Level::new(1100, 1, 9, 285),
    Level::new(1300, 4, 7, 160),
    Level::new(1500, 11, 6, 88),
    Level::new(1700, 24, 5, 57),
    Level::new(1900, 47, 4, 38),
    Level::new(2100, 85, 3, 19),
    Level::new(2300, 215, 2, 5),
    Level::new(2500, 420, 1, 0),
    Level::new(2700, 900, 1, 0),
    Level::new(2900, 2_000, 1, 0),
];

/// Boards of 11 to 15 lines, measured on 13; the rows above 1d are extended from those below them.
const MIDDLE: [Level; 15] = [
    Level::new(100, 1, 15, 1197),
    Level::new(300, 1, 13, 1080),
    Level::new(500, 1, 12, 920),
    Level::new(700, 1, 11, 690),
    Level::new(900, 1, 10, 535),
    Level::new(1100, 1, 9, 390),
    Level::new(1300, 3, 8, 205),
    Level::new(1500, 7, 7, 118),
    Level::new(1700, 13, 6, 86),
    Level::new(1900, 26, 5, 55),
    Level::new(2100, 46, 5, 37),
    Level::new(2300, 78, 4, 23),
    Level::new(2500, 140, 3, 10),
    Level::new(2700, 260, 2, 3),
    Level::new(2900, 500, 1, 0),
];

/// Larger boards, measured on 19; the rows above 2k are extended from those below them.
pub const LARGE: &[Level] = &[
    Level::new(100, 1, 15, 1130),
    Level::new(300, 1, 13, 895),
    Level::new(500, 1, 12, 740),
    Level::new(700, 1, 11, 600),
    Level::new(900, 1, 10, 480),
    Level::new(1100, 1, 9, 370),
    Level::new(1300, 4, 7, 170),
    Level::new(1500, 14, 6, 75),
    Level::new(1700, 30, 5, 51),
    Level::new(1900, 50, 4, 37),
    Level::new(2100, 82, 4, 25),
    Level::new(2300, 130, 3, 15),
    Level::new(2500, 210, 3, 8),
    Level::new(2700, 330, 2, 4),
    Level::new(2900, 500, 1, 0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_places_on_the_scale() {
        for (i, name) in RANKS.iter().enumerate() {
            assert_eq!(rank(elo(i)), Some(*name));
        }
        assert_eq!([rank(-1000), rank(9000)], [Some("20k"), Some("9d")]);
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
