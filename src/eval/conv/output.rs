//! The outputs of a net for a position.

use super::model::{Activation, Scales};

/// The outputs, all from the side to move's point of view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Logits of the points in the order of the planes, then of the pass.
    pub policy: Vec<f32>,
    /// The same for moves that would turn out better than expected; empty where the net does not say.
    pub optimistic: Vec<f32>,
    /// Logit of a win.
    pub win: f32,
    /// Logit of a loss.
    pub loss: f32,
    /// Logit of no result.
    pub no_result: f32,
    /// Mean of the score of games played on.
    pub score_mean: f32,
    /// Its standard deviation.
    pub score_stdev: f32,
    /// The lead in points.
    pub lead: f32,
    /// How long until the outcome is settled.
    pub var_time: f32,
    /// Expected error of the winning chance in the short term; -1 where the net does not say.
    pub short_win: f32,
    /// Expected error of the score in the short term; -1 where the net does not say.
    pub short_score: f32,
    /// Whose each point will be, from -1 to 1.
    pub ownership: Vec<f32>,
}

fn softplus(x: f32) -> f32 {
    if x > 20.0 { x } else { x.exp().ln_1p() }
}

impl Activation {
    /// The activation of a number.
    pub fn of(self, x: f32) -> f32 {
        match self {
            Self::Identity => x,
            Self::Relu => x.max(0.0),
            Self::Mish => x * softplus(x).tanh(),
            Self::Silu => x / (1.0 + (-x).exp()),
        }
    }

    /// The least that it can come to; none where there is no bound.
    pub(super) fn floor(self) -> Option<f32> {
        match self {
            Self::Identity => None,
            Self::Relu => Some(0.0),
            Self::Mish => Some(-0.308_85),
            Self::Silu => Some(-0.278_47),
        }
    }
}

impl Output {
    /// Decodes the value head: three logits, and four or six numbers about the score.
    pub(super) fn set_value_head(&mut self, version: u32, scales: &Scales, value: &[f32], scores: &[f32]) {
        let at = |list: &[f32], i: usize| list.get(i).copied().unwrap_or(0.0);
        self.win = at(value, 0);
        self.loss = at(value, 1);
        self.no_result = at(value, 2);
        self.score_mean = at(scores, 0) * scales.score_mean;
        self.score_stdev = softplus(at(scores, 1)) * scales.score_stdev;
        self.lead = at(scores, 2) * scales.lead;
        self.var_time = softplus(at(scores, 3)) * scales.variance_time;
        let (win, score) = (at(scores, 4), at(scores, 5));
        (self.short_win, self.short_score) = match version {
            ..9 => (-1.0, -1.0),
            9 => (softplus(win), softplus(score) * 10.0),
            10..14 => (
                (softplus(win) * scales.short_value).sqrt(),
                (softplus(score) * scales.short_score).sqrt(),
            ),
            14.. => (
                softplus(win * 0.5) * scales.short_value.sqrt(),
                softplus(score * 0.5) * scales.short_score.sqrt(),
            ),
        };
        if version < 9 {
            self.var_time = -1.0;
        }
    }
}
