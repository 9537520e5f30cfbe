//! What the search strives for: to win, and a little to win by much or lose by little.

use super::Params;
use super::branch::Worth;
use crate::games::go::types::{BLACK, Colour};
use crate::mcts::leaf::Opinion;

/// How scores become utility in one search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scale {
    /// Side of the board.
    pub side: f32,
    /// The score that black may expect.
    pub center: f32,
}

/// Points and weights of Gauss and Hermite for means over a normal distribution.
const NORMAL: [(f32, f32); 5] = [
    (-2.856_97, 0.011_257_4),
    (-1.355_626, 0.222_075_9),
    (0.0, 0.533_333_3),
    (1.355_626, 0.222_075_9),
    (2.856_97, 0.011_257_4),
];

/// A score on a bounded scale, as its mean over what the score may become.
fn bounded(mean: f32, stdev: f32, width: f32) -> f32 {
    let at = |(x, weight): &(f32, f32)| weight * ((mean + x * stdev) / width).atan();
    NORMAL.iter().map(at).sum::<f32>() * std::f32::consts::FRAC_2_PI
}

/// How fast [`bounded`] grows.
fn slope(mean: f32, stdev: f32, width: f32) -> f32 {
    std::f32::consts::FRAC_2_PI * width / (width * width + mean * mean + stdev * stdev)
}

impl Scale {
    /// The scale where black is expected to lead by so much.
    pub fn around(expected: f32, side: usize, params: &Params) -> Self {
        let side = side as f32;
        let cap = side * params.center_scale;
        let center = expected * (1.0 - params.center_zero);
        Self {
            side,
            center: center.clamp(expected - cap, expected + cap),
        }
    }

    fn center_of(&self, view: Colour) -> f32 {
        if view == BLACK { self.center } else { -self.center }
    }

    /// The utility of a chance to win and of a score, from a side's view.
    pub fn utility(&self, worth: &Worth, view: Colour, params: &Params) -> f32 {
        let stdev = worth.stdev();
        let plain = bounded(worth.lead, stdev, 2.0 * self.side);
        let width = params.center_scale * self.side;
        let compared = bounded(worth.lead - self.center_of(view), stdev, width);
        2.0 * worth.win - 1.0 + params.static_score * plain + params.dynamic_score * compared
    }

    /// What a few points more are worth.
    pub fn points(&self, points: f32, worth: &Worth, view: Colour, params: &Params) -> f32 {
        let stdev = worth.stdev();
        let plain = slope(worth.lead, stdev, 2.0 * self.side);
        let width = params.center_scale * self.side;
        let compared = slope(worth.lead - self.center_of(view), stdev, width);
        points * (params.static_score * plain + params.dynamic_score * compared)
    }

    /// An opinion's worth from a side's view.
    pub fn worth(&self, opinion: &Opinion, view: Colour, params: &Params) -> Worth {
        let black = view == BLACK;
        let lead = if black { opinion.lead } else { -opinion.lead };
        let mut worth = Worth {
            win: if black { opinion.win } else { 1.0 - opinion.win },
            lead,
            square: lead * lead + opinion.stdev * opinion.stdev,
            utility: 0.0,
        };
        worth.utility = self.utility(&worth, view, params);
        worth
    }
}
