//! What is to be learnt from a position, and how far an output is from it.

use super::shape::VALUES;

/// Points that an output of 1 means in the score head.
pub const POINTS_A_UNIT: f32 = 20.0;

/// How much each loss counts: policy, value, ownership, score.
const COUNTS: [f32; 4] = [1.0, 1.5, 1.0, 1.0];

/// Beyond this error, in units of the output, scores pull no harder.
const FAR: f32 = 0.6;

/// What is to be learnt from one position, from the view of the side to move.
#[derive(Clone, Debug, Default)]
pub struct GoTarget {
    /// Share of each point and of the pass; empty when nothing is said.
    pub policy: Vec<f32>,
    /// Chances of win, loss and no result.
    pub value: [f32; 3],
    /// Lead in points.
    pub lead: f32,
    /// Mean of the final score.
    pub mean: f32,
    /// Its deviation; none when only one outcome is known.
    pub deviation: Option<f32>,
    /// Whose each point is, from -1 to 1; empty when nothing is said.
    pub own: Vec<f32>,
}

/// What a net says of one board.
#[derive(Clone, Debug, Default)]
pub struct NetOutput {
    /// Logits of the points and of the pass.
    pub policy: Vec<f32>,
    /// The outputs of the value head as they are.
    pub value: [f32; VALUES],
    /// Whose each point is, before `tanh`.
    pub own: Vec<f32>,
}

/// Sums of losses: policy, value, ownership, score; moves that agree with the target's best; and positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// The four losses.
    pub parts: [f64; 4],
    /// Positions whose most likely move is the target's.
    pub agreed: f64,
    /// Positions.
    pub count: f64,
}

impl Losses {
    /// The loss that is made small, a position.
    pub fn total(&self) -> f64 {
        let sum: f64 = self.parts.iter().zip(COUNTS).map(|(x, c)| x * f64::from(c)).sum();
        sum / self.count.max(1.0)
    }

    /// The parts a position, and the share of agreed moves.
    pub fn means(&self) -> [f64; 5] {
        let n = self.count.max(1.0);
        let [a, b, c, d] = self.parts;
        [a / n, b / n, c / n, d / n, self.agreed / n]
    }

    /// Adds others.
    pub fn join(&mut self, o: &Self) {
        self.parts.iter_mut().zip(o.parts).for_each(|(a, b)| *a += b);
        self.agreed += o.agreed;
        self.count += o.count;
    }
}

fn softmax(x: &mut [f32]) {
    let most = x.iter().copied().fold(f32::MIN, f32::max);
    x.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f32 = x.iter().sum();
    x.iter_mut().for_each(|x| *x /= sum);
}

fn best(x: &[f32]) -> usize {
    (0..x.len()).fold(0, |a, i| if x[i] > x[a] { i } else { a })
}

/// Cross entropy of logits with shares; the logits become its gradient.
fn cross(logits: &mut [f32], shares: &[f32], count: f32) -> f64 {
    softmax(logits);
    let mut sum = 0.0;
    for (x, &t) in logits.iter_mut().zip(shares) {
        if t > 0.0 {
            sum -= f64::from(t * x.max(1e-12).ln());
        }
        *x = count * (*x - t);
    }
    sum
}

/// Huber's loss of an error; its gradient.
fn huber(d: f32, count: f32) -> (f64, f32) {
    let pull = d.clamp(-FAR, FAR);
    (f64::from(count * (pull * d - 0.5 * pull * pull)), count * pull)
}

/// The losses of an output, which becomes its own gradient.
pub fn compare(out: &mut NetOutput, target: &GoTarget) -> Losses {
    let mut sum = Losses {
        count: 1.0,
        ..Losses::default()
    };
    if target.policy.is_empty() {
        out.policy.fill(0.0);
    } else {
        sum.agreed = f64::from(u8::from(best(&out.policy) == best(&target.policy)));
        sum.parts[0] = cross(&mut out.policy, &target.policy, COUNTS[0]);
    }
    let [mean, deviation, lead] = [out.value[3], out.value[4], out.value[5]];
    sum.parts[1] = cross(&mut out.value[..3], &target.value, COUNTS[1]);
    if target.own.is_empty() {
        out.own.fill(0.0);
    }
    let each = COUNTS[2] / out.own.len().max(1) as f32;
    for (z, own) in out.own.iter_mut().zip(&target.own) {
        // (1 + tanh z) / 2 is the logistic function of 2 z.
        let p = 1.0 / (1.0 + (-2.0 * *z).exp());
        let t = 0.5 + 0.5 * own;
        let loss = -(t * p.max(1e-6).ln() + (1.0 - t) * (1.0 - p).max(1e-6).ln());
        sum.parts[2] += f64::from(loss * each / COUNTS[2]);
        *z = 2.0 * (p - t) * each;
    }
    let (a, pull) = huber(mean - target.mean / POINTS_A_UNIT, 0.5);
    let (b, pull_lead) = huber(lead - target.lead / POINTS_A_UNIT, 0.5);
    // The deviation of a normal distribution is 1.2533 of the mean distance.
    let wide = target
        .deviation
        .unwrap_or_else(|| 1.2533 * (target.mean - mean * POINTS_A_UNIT).abs());
    let soft = if deviation > 20.0 {
        deviation
    } else {
        deviation.exp().ln_1p()
    };
    let (c, pull_wide) = huber(soft - wide / POINTS_A_UNIT, 0.2);
    sum.parts[3] = a + b + c;
    out.value[3] = COUNTS[3] * pull;
    out.value[4] = COUNTS[3] * pull_wide / (1.0 + (-deviation).exp());
    out.value[5] = COUNTS[3] * pull_lead;
    out.value[6] = 0.0;
    sum
}
