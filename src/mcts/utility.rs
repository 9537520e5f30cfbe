//! Utility: the win probability, and with a small weight the score (KataGo's static and dynamic score utility).

use super::SearchParams;
use super::evaluator::Evaluation;
use super::node::Value;
use crate::games::go::types::{BLACK, Colour};

/// How scores become utility in one search.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreScale {
    /// Side of the board.
    pub side: f32,
    /// The lead of black that the dynamic score utility is centred on.
    pub center: f32,
}

/// Points and weights of Gauss-Hermite quadrature for means over a normal distribution.
const NORMAL: [(f32, f32); 5] = [
    (-2.856_97, 0.011_257_4),
    (-1.355_626, 0.222_075_9),
    (0.0, 0.533_333_3),
    (1.355_626, 0.222_075_9),
    (2.856_97, 0.011_257_4),
];

/// A score on a bounded scale: its mean over a normal distribution.
fn bounded(mean: f32, stdev: f32, width: f32) -> f32 {
    let at = |(x, weight): &(f32, f32)| weight * ((mean + x * stdev) / width).atan();
    NORMAL.iter().map(at).sum::<f32>() * std::f32::consts::FRAC_2_PI
}

/// The approximate derivative of [`bounded`].
fn slope(mean: f32, stdev: f32, width: f32) -> f32 {
    std::f32::consts::FRAC_2_PI * width / (width * width + mean * mean + stdev * stdev)
}

impl ScoreScale {
    /// The scale where black is expected to lead by so much.
    pub fn around(expected: f32, side: usize, params: &SearchParams) -> Self {
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

    /// The utility of a win probability and a score, from a side's view.
    pub fn utility(&self, value: &Value, view: Colour, params: &SearchParams) -> f32 {
        let stdev = value.stdev();
        let plain = bounded(value.lead, stdev, 2.0 * self.side);
        let width = params.center_scale * self.side;
        let compared = bounded(value.lead - self.center_of(view), stdev, width);
        2.0 * value.win - 1.0 + params.static_score * plain + params.dynamic_score * compared
    }

    /// The utility of a few points more.
    pub fn points(&self, points: f32, value: &Value, view: Colour, params: &SearchParams) -> f32 {
        let stdev = value.stdev();
        let plain = slope(value.lead, stdev, 2.0 * self.side);
        let width = params.center_scale * self.side;
        let compared = slope(value.lead - self.center_of(view), stdev, width);
        points * (params.static_score * plain + params.dynamic_score * compared)
    }

    /// The value of an evaluation from a side's view.
    pub fn value(&self, evaluation: &Evaluation, view: Colour, params: &SearchParams) -> Value {
        let black = view == BLACK;
        let lead = if black { evaluation.lead } else { -evaluation.lead };
        let mut value = Value {
            win: if black { evaluation.win } else { 1.0 - evaluation.win },
            lead,
            square: lead * lead + evaluation.stdev * evaluation.stdev,
            utility: 0.0,
        };
        value.utility = self.utility(&value, view, params);
        value
    }
}
