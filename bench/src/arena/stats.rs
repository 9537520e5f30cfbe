//! Elo, its error, likelihood of superiority and the sequential test, all from pairs of games (pentanomial).

/// Results of game pairs for the first engine: 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs(pub [u64; 5]);

/// Elo of a score share; bounded where the share is 0 or 1.
pub fn elo(share: f64) -> f64 {
    let share = share.clamp(1e-6, 1.0 - 1e-6);
    -400.0 * (1.0 / share - 1.0).log10()
}

impl Pairs {
    /// Pairs counted.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean and variance of a pair's score share.
    fn moments(&self) -> (f64, f64) {
        let n = self.count() as f64;
        let share = |i: usize| i as f64 / 4.0;
        let mean = self
            .0
            .iter()
            .enumerate()
            .map(|(i, &c)| share(i) * c as f64)
            .sum::<f64>()
            / n;
        let var = self
            .0
            .iter()
            .enumerate()
            .map(|(i, &c)| (share(i) - mean).powi(2) * c as f64)
            .sum::<f64>()
            / n;
        (mean, var)
    }

    /// Score share.
    pub fn share(&self) -> f64 {
        if self.count() == 0 { 0.5 } else { self.moments().0 }
    }

    /// Elo and half the width of its 95 % interval.
    pub fn elo(&self) -> (f64, f64) {
        if self.count() == 0 {
            return (0.0, f64::INFINITY);
        }
        let (mean, var) = self.moments();
        let se = (var / self.count() as f64).sqrt();
        (elo(mean), (elo(mean + 1.96 * se) - elo(mean - 1.96 * se)) / 2.0)
    }

    /// Likelihood that the first engine is the stronger.
    pub fn superiority(&self) -> f64 {
        if self.count() == 0 {
            return 0.5;
        }
        let (mean, var) = self.moments();
        if var == 0.0 {
            return if mean > 0.5 {
                1.0
            } else {
                0.5 - 0.5 * f64::from(u8::from(mean < 0.5))
            };
        }
        normal((mean - 0.5) / (var / self.count() as f64).sqrt())
    }

    /// Log-likelihood ratio of `elo1` against `elo0`, by the normal approximation of the generalised test that fishtest
    /// uses (M. Van den Bergh, "The generalized sequential probability ratio test").
    pub fn llr(&self, elo0: f64, elo1: f64) -> f64 {
        // An empty class would make the variance too good to be true.
        let smooth = Self(self.0.map(|c| c.max(1)));
        if self.count() < 2 {
            return 0.0;
        }
        let (_, var) = smooth.moments();
        let mean = self.share();
        let share = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let (s0, s1) = (share(elo0), share(elo1));
        self.count() as f64 * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * var)
    }
}

/// The normal distribution function (Abramowitz and Stegun 26.2.17, error below 1e-7).
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let poly =
        t * (0.319_381_530 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * poly;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_of_known_shares() {
        assert!((elo(0.5)).abs() < 1e-9);
        assert!((elo(0.75) - 190.848).abs() < 0.01);
        assert!((elo(0.25) + 190.848).abs() < 0.01);
    }

    #[test]
    fn error_of_a_known_match() {
        // A match of fastchess's own log: 15 pairs [3, 1, 8, 2, 1] gave Elo -34.86 +/- 101.20.
        let (e, error) = Pairs([3, 1, 8, 2, 1]).elo();
        assert!((e + 34.86).abs() < 0.1, "{e}");
        assert!((error - 101.2).abs() < 3.0, "{error}");
    }

    #[test]
    fn superiority_and_ratio_follow_the_score() {
        assert!((Pairs([10, 20, 40, 20, 10]).superiority() - 0.5).abs() < 1e-6);
        assert!(Pairs([5, 10, 40, 30, 15]).superiority() > 0.95);
        let good = Pairs([50, 200, 500, 300, 80]);
        assert!(good.llr(0.0, 5.0) > 2.94 && good.llr(0.0, 5.0) == -Pairs([80, 300, 500, 200, 50]).llr(0.0, -5.0));
        assert_eq!(Pairs::default().llr(0.0, 5.0), 0.0);
    }
}
