//! The chances of a win, a draw and a loss that follow from a score: what the engine reports, never what it plays.

use super::score::{Score, decisive};
use crate::game::Tunables;

/// Win, draw and loss probabilities in thousandths for an evaluation at a ply of the game, by the game's curve.
pub fn wdl<T: Tunables>(score: Score, ply: usize) -> [u32; 3] {
    if decisive(score) {
        return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let chances = Curve::of::<T>().chances(score.into(), ply);
    let [win, _, loss] = chances.map(|p| (1000.0 * p).round() as u32);
    let loss = loss.min(1000 - win);
    [win, 1000 - win - loss, loss]
}

/// Plies beyond this one count as this one on the curve: few games are as long.
const LATE: usize = 250;

/// The curve from scores to chances: two logistic curves, of the win and mirrored of the loss. What is enough to win as likely as
/// not grows with the moves that were played: late in a game more is needed, for less is left that could go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Curve {
    /// The evaluation at which winning is as likely as not at the game's start, in hundredths of a pawn.
    pub even: i32,
    /// What this grows by in a hundred plies.
    pub rise: i32,
    /// The odds of a win grow by the factor e with each so many hundredths of a pawn.
    pub spread: i32,
}

impl Curve {
    /// The curve of a game.
    pub fn of<T: Tunables>() -> Self {
        Self {
            even: T::wdl_even(),
            rise: T::wdl_rise(),
            spread: T::wdl_spread(),
        }
    }

    /// The chances of a win, a draw and a loss, 0 to 1, for an evaluation in hundredths of a pawn at a ply of the game.
    pub fn chances(&self, score: f64, ply: usize) -> [f64; 3] {
        let even = f64::from(self.even) + f64::from(self.rise) * ply.min(LATE) as f64 / 100.0;
        let chance = |x: f64| 1.0 / (1.0 + ((even - x) / f64::from(self.spread)).exp());
        let win = chance(score);
        let loss = chance(-score).min(1.0 - win);
        [win, 1.0 - win - loss, loss]
    }
}

#[cfg(test)]
mod tests {
    use super::super::score::MATE;
    use super::*;
    use crate::game::tunables::{ChessTune, CoupTune, ShogiTune, XiangqiTune};

    fn chances_are_sound<T: Tunables>() {
        for ply in [0, 60, 200, 900] {
            let mut last = 0;
            for score in -6000..=6000 {
                let [w, d, l] = wdl::<T>(score, ply);
                assert_eq!(w + d + l, 1000);
                let [w2, _, l2] = wdl::<T>(-score, ply);
                assert!(w.abs_diff(l2) <= 1 && l.abs_diff(w2) <= 1, "{score}");
                // Rounded, half a draw may be one off.
                let expected = 2 * w + d;
                assert!(expected + 1 >= last, "{score}");
                last = expected.max(last);
            }
            assert_eq!(wdl::<T>(MATE - 1, ply), [1000, 0, 0]);
            assert_eq!(wdl::<T>(1 - MATE, ply), [0, 0, 1000]);
        }
    }

    #[test]
    fn chances_add_up_mirror_and_rise() {
        chances_are_sound::<ChessTune>();
        chances_are_sound::<XiangqiTune>();
        chances_are_sound::<CoupTune>();
        chances_are_sound::<ShogiTune>();
    }

    #[test]
    fn the_curve_goes_through_its_numbers() {
        let curve = Curve {
            even: 40,
            rise: 120,
            spread: 80,
        };
        let odds = |score: f64, ply: usize| {
            let [win, ..] = curve.chances(score, ply);
            (win / (1.0 - win)).ln()
        };
        for (ply, even) in [(0, 40.0), (50, 100.0), (250, 340.0), (999, 340.0)] {
            assert!(odds(even, ply).abs() < 1e-9, "{ply}");
            assert!((odds(even + 160.0, ply) - 2.0).abs() < 1e-9 && (odds(even - 80.0, ply) + 1.0).abs() < 1e-9);
        }
        let level = Curve {
            even: 0,
            rise: 0,
            ..curve
        };
        assert_eq!(level.chances(0.0, 90), [0.5, 0.0, 0.5]);
    }
}
