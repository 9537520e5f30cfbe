//! What the end of a run tells: how well the network fits games that it has not seen, and what whole numbers cost.

use super::data::{Data, sigmoid};
use super::model::{Goal, Weights, whole_score};
use super::packed::Sample;
use nguky::eval::nnue::{Net, SCALE};
use nguky::game::Features;

/// The correlation of the network's win probability with the target.
pub fn correlation<P: Features>(w: &Weights, data: &Data, goal: Goal) -> f64 {
    let (mut room, mut sums) = (vec![0.0; 2 * w.hidden], [0.0f64; 5]);
    let (n, mut sample) = (data.len().min(100_000), Sample::new());
    for i in 0..n {
        data.sample::<P>(i, false, &mut sample);
        let out = w.out(sample.inputs(), sample.bucket, &mut room);
        let (x, y) = (f64::from(sigmoid(out * goal.factor())), f64::from(sample.target(goal)));
        for (sum, add) in sums.iter_mut().zip([x, y, x * x, y * y, x * y]) {
            *sum += add / n as f64;
        }
    }
    let [x, y, xx, yy, xy] = sums;
    (xy - x * y) / ((xx - x * x) * (yy - y * y)).sqrt().max(f64::MIN_POSITIVE)
}

/// How far the whole numbers are from the floating point: mean and greatest distance over some positions.
pub fn rounding<P: Features>(w: &Weights, net: &Net, data: &Data) -> [f32; 2] {
    let (n, mut sample) = (data.len().min(10_000), Sample::new());
    let mut room = vec![0.0; 2 * w.hidden];
    let (mut sum, mut worst) = (0.0, 0.0f32);
    for i in 0..n {
        data.sample::<P>(i, false, &mut sample);
        let float = w.out(sample.inputs(), sample.bucket, &mut room) * SCALE as f32;
        let d = (float - whole_score(net, sample.inputs(), sample.bucket) as f32).abs();
        (sum, worst) = (sum + d, worst.max(d));
    }
    [sum / n.max(1) as f32, worst]
}

/// The mean losses in floating point and in whole numbers.
pub fn losses<P: Features>(w: &Weights, net: &Net, data: &Data, goal: Goal) -> [f64; 2] {
    let (n, mut sample) = (data.len(), Sample::new());
    let (mut room, mut sums) = (vec![0.0; 2 * w.hidden], [0.0; 2]);
    for i in 0..n {
        data.sample::<P>(i, false, &mut sample);
        let (inputs, bucket, target) = (sample.inputs(), sample.bucket, sample.target(goal));
        let loss = |score: f32| f64::from(sigmoid(score / goal.unit) - target).powi(2);
        sums[0] += loss(w.out(inputs, bucket, &mut room) * SCALE as f32);
        sums[1] += loss(whole_score(net, inputs, bucket) as f32);
    }
    sums.map(|sum| sum / n.max(1) as f64)
}
