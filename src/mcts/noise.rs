//! Noise at the root, so that self-play tries what the policy overlooks.

use crate::games::go::types::Point;
use crate::util::rng::SplitMix;

fn uniform(rng: &mut SplitMix) -> f32 {
    ((rng.next() >> 40) as f32 + 0.5) / (1u64 << 24) as f32
}

/// A number of the normal distribution.
pub fn normal(rng: &mut SplitMix) -> f32 {
    (-2.0 * uniform(rng).ln()).sqrt() * (std::f32::consts::TAU * uniform(rng)).cos()
}

/// A number of the gamma distribution, after Marsaglia and Tsang (2000).
fn gamma(shape: f32, rng: &mut SplitMix) -> f32 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * uniform(rng).powf(1.0 / shape.max(1e-6));
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && uniform(rng).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// Mixes Dirichlet noise into a policy. Half of the concentration is even, half goes to moves whose share is above the
/// usual, so that likely moves which are not the favourite are tried most (the shape is KataGo's).
pub fn mix(policy: &mut [(Point, f32)], share: f32, concentration: f32, rng: &mut SplitMix) {
    let n = policy.len() as f32;
    if share <= 0.0 || policy.is_empty() {
        return;
    }
    let logs: Vec<f32> = policy.iter().map(|(_, p)| (p.min(0.01) + 1e-20).ln()).collect();
    let mean = logs.iter().sum::<f32>() / n;
    let above: Vec<f32> = logs.iter().map(|l| (l - mean).max(0.0)).collect();
    let total: f32 = above.iter().sum();
    let alpha = |a: f32| {
        let part = if total > 0.0 {
            0.5 * a / total + 0.5 / n
        } else {
            1.0 / n
        };
        part * concentration
    };
    let draws: Vec<f32> = above.iter().map(|&a| gamma(alpha(a), rng)).collect();
    let sum: f32 = draws.iter().sum();
    if sum > 0.0 {
        for ((_, p), draw) in policy.iter_mut().zip(draws) {
            *p = *p * (1.0 - share) + share * draw / sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noisy_policy_is_a_policy() {
        let mut rng = SplitMix::new(7);
        let mut policy: Vec<(Point, f32)> = (0..82).map(|p| (p, 1.0 / 82.0)).collect();
        mix(&mut policy, 0.25, 10.83, &mut rng);
        let sum: f32 = policy.iter().map(|(_, p)| p).sum();
        assert!((sum - 1.0).abs() < 1e-4);
        assert!(policy.iter().all(|&(_, p)| p >= 0.75 / 82.0 - 1e-6));
        assert!(policy.iter().any(|&(_, p)| p > 0.03));
    }

    #[test]
    fn gamma_has_its_mean() {
        let mut rng = SplitMix::new(1);
        for shape in [0.1, 1.0, 5.0] {
            let mean = (0..20_000).map(|_| gamma(shape, &mut rng)).sum::<f32>() / 20_000.0;
            assert!((mean - shape).abs() < 0.05 * shape.max(0.5), "{shape}: {mean}");
        }
    }
}
