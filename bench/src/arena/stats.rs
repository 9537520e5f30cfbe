//! Elo, its error, likelihood of superiority and the sequential test, all from pairs of games (pentanomial).

use anyhow::{Result, bail};
use statrs::distribution::{Beta, ContinuousCDF, StudentsT};

/// Results of game pairs for the first engine: 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts(pub [u64; 5]);

/// Decisive pairs that a likelihood of superiority needs.
pub const DECISIVE: u64 = 5;

/// Elo of a score share; bounded where the share is 0 or 1.
pub fn elo(share: f64) -> f64 {
    let share = share.clamp(1e-6, 1.0 - 1e-6);
    -400.0 * (1.0 / share - 1.0).log10()
}

impl PairCounts {
    /// Pairs counted.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Pairs that one engine won, and those that the other won.
    pub fn decisive(&self) -> [u64; 2] {
        let [lost, worse, _, better, won] = self.0;
        [better + won, worse + lost]
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

    /// The mean score share, its standard error, and Student's distribution of its deviation in such errors. None
    /// where the pairs have no variance to estimate an error from.
    fn estimate(&self) -> Option<(f64, f64, StudentsT)> {
        let n = self.count();
        if n < 2 {
            return None;
        }
        let (mean, var) = self.moments();
        let freedom = (n - 1) as f64;
        let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
        (var > 0.0).then(|| (mean, (var / freedom).sqrt(), t))
    }

    /// Elo and half the width of its 95 % interval, from Student's distribution. None where the pairs are too few, or
    /// too much alike, for an interval with an end.
    pub fn elo(&self) -> Option<(f64, f64)> {
        let (mean, error, t) = self.estimate()?;
        let off = t.inverse_cdf(0.975) * error;
        let (low, high) = (mean - off, mean + off);
        (low > 0.0 && high < 1.0).then(|| (elo(mean), (elo(high) - elo(low)) / 2.0))
    }

    /// Likelihood that the first engine is the stronger: from Student's distribution, and where all pairs are alike from
    /// the decisive ones alone (the probability of winning such a pair has a beta distribution). None with fewer
    /// than [`DECISIVE`] decisive pairs.
    pub fn superiority(&self) -> Option<f64> {
        let [won, lost] = self.decisive();
        if won + lost < DECISIVE {
            return None;
        }
        if let Some((mean, error, t)) = self.estimate() {
            return Some(t.cdf((mean - 0.5) / error));
        }
        let posterior = Beta::new(won as f64 + 1.0, lost as f64 + 1.0).ok()?;
        Some(1.0 - posterior.cdf(0.5))
    }

    /// Elo in units of a game's own spread: comparable between time controls and openings, unlike plain Elo.
    /// None where the pairs have no spread.
    pub fn normalized(&self) -> Option<f64> {
        let (mean, var) = self.moments();
        (self.count() > 0 && var > 0.0).then(|| (mean - 0.5) / (2.0 * var).sqrt() * PER_SPREAD)
    }

    /// Log-likelihood ratio of normalized Elo `elo1` against `elo0`: the generalised sequential test on pairs as
    /// fishtest runs it (M. Van den Bergh, "Normalized Elo", section 4.1).
    pub fn llr(&self, elo0: f64, elo1: f64) -> f64 {
        if self.count() == 0 {
            return 0.0;
        }
        // A class never seen must stay possible.
        let counts = self.0.map(|c| if c == 0 { 1e-3 } else { c as f64 });
        let n: f64 = counts.iter().sum();
        let seen = counts.map(|c| c / n);
        // A pair's spread is that of a game over the root of two.
        let spread = |elo: f64| elo / PER_SPREAD * std::f64::consts::SQRT_2;
        let (p0, p1) = (likeliest(&seen, spread(elo0)), likeliest(&seen, spread(elo1)));
        n * (0..5).map(|i| seen[i] * (p1[i] / p0[i]).ln()).sum::<f64>()
    }
}

/// Normalized Elo per unit of (score share - 1/2) / spread of a game.
const PER_SPREAD: f64 = 800.0 / std::f64::consts::LN_10;

/// The score share of each class of pairs.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The likeliest distribution behind `seen` among those whose (mean - 1/2) / spread is `t`: a fixed point of steps that
/// each solve a linear constraint.
fn likeliest(seen: &[f64; 5], t: f64) -> [f64; 5] {
    let mut p = [0.2; 5];
    for _ in 0..20 {
        let mean: f64 = (0..5).map(|i| p[i] * SHARES[i]).sum();
        let spread = (0..5).map(|i| p[i] * (SHARES[i] - mean).powi(2)).sum::<f64>().sqrt();
        let lean: [f64; 5] =
            std::array::from_fn(|i| SHARES[i] - 0.5 - t * spread * (1.0 + ((mean - SHARES[i]) / spread).powi(2)) / 2.0);
        let x = multiplier(seen, &lean);
        let next: [f64; 5] = std::array::from_fn(|i| seen[i] / (1.0 + x * lean[i]));
        let moved = (0..5).map(|i| (next[i] - p[i]).abs()).fold(0.0, f64::max);
        p = next;
        if moved < 1e-10 {
            break;
        }
    }
    p
}

/// The x with sum of `p * a / (1 + x * a)` = 0, by halving: the sum falls from plus to minus infinity between the poles.
fn multiplier(p: &[f64; 5], a: &[f64; 5]) -> f64 {
    let greatest = a.iter().copied().fold(f64::MIN, f64::max);
    let least = a.iter().copied().fold(f64::MAX, f64::min);
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    for _ in 0..200 {
        let x = (low + high) / 2.0;
        let sum: f64 = (0..5).map(|i| p[i] * a[i] / (1.0 + x * a[i])).sum();
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    (low + high) / 2.0
}

/// A sequential test: its hypotheses in normalized Elo, and the errors it may make.
#[derive(Clone, Copy, Debug)]
pub struct SprtBounds {
    pub elo0: f64,
    pub elo1: f64,
    alpha: f64,
    beta: f64,
}

impl SprtBounds {
    /// Reads `ELO0,ELO1[,ALPHA,BETA]`.
    pub fn parse(text: &str) -> Result<Self> {
        let numbers: Vec<f64> = text.split(',').filter_map(|t| t.trim().parse().ok()).collect();
        let (elo0, elo1, alpha, beta) = match numbers.as_slice() {
            _ if text.split(',').count() != numbers.len() => (0.0, 0.0, 0.0, 0.0),
            [a, b] => (*a, *b, 0.05, 0.05),
            [a, b, alpha, beta] => (*a, *b, *alpha, *beta),
            _ => (0.0, 0.0, 0.0, 0.0),
        };
        let error = |e: f64| e > 0.0 && e < 0.5;
        if !(elo0 < elo1 && elo1.abs() < 1000.0 && elo0.abs() < 1000.0 && error(alpha) && error(beta)) {
            bail!("--sprt: expected ELO0,ELO1[,ALPHA,BETA] with ELO0 below ELO1 and errors below 0.5, not {text:?}");
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    /// The ratios at which `elo0` and `elo1` are accepted.
    pub fn limits(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// Whether `elo1` (true) or `elo0` (false) is accepted at this ratio.
    pub fn decide(&self, llr: f64) -> Option<bool> {
        let (low, high) = self.limits();
        if llr >= high {
            Some(true)
        } else if llr <= low {
            Some(false)
        } else {
            None
        }
    }
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
        // A match of fastchess's own log: 15 pairs [3, 1, 8, 2, 1] gave Elo -34.86 +/- 101.20, by the normal distribution
        // and the spread of the sample itself.
        let pairs = PairCounts([3, 1, 8, 2, 1]);
        let (mean, error, t) = pairs.estimate().expect("an estimate");
        let normal = 1.96 * error * (14.0_f64 / 15.0).sqrt();
        assert!(((elo(mean + normal) - elo(mean - normal)) / 2.0 - 101.2).abs() < 3.0);
        // With so few pairs: t at 14 degrees of freedom is 2.1448 in every table.
        assert!((t.inverse_cdf(0.975) - 2.1448).abs() < 1e-3);
        let (e, error) = pairs.elo().expect("an interval");
        assert!(
            (e + 34.86).abs() < 0.1 && (112.0..120.0).contains(&error),
            "{e} {error}"
        );
    }

    #[test]
    fn few_games_have_no_figures() {
        for pairs in [
            [0; 5],
            [0, 0, 1, 0, 0],
            [0, 0, 9, 0, 0],
            [0, 0, 0, 0, 9],
            [0, 1, 0, 1, 0],
            [1, 0, 0, 1, 0],
        ] {
            assert_eq!(PairCounts(pairs).elo(), None, "{pairs:?}");
        }
        assert!(PairCounts([0, 0, 9, 1, 0]).elo().is_some());
        for pairs in [[0, 0, 99, 4, 0], [1, 1, 9, 1, 1], [0; 5]] {
            assert_eq!(PairCounts(pairs).superiority(), None, "{pairs:?}");
        }
        // Nine won pairs of nine: 1 - 1/1024.
        assert!((PairCounts([0, 0, 0, 0, 9]).superiority().expect("decisive") - 1023.0 / 1024.0).abs() < 1e-9);
        assert!((PairCounts([0, 9, 0, 0, 0]).superiority().expect("decisive") - 1.0 / 1024.0).abs() < 1e-9);
        assert_eq!(
            (
                PairCounts([0, 0, 9, 0, 0]).normalized(),
                PairCounts::default().normalized()
            ),
            (None, None)
        );
    }

    #[test]
    fn superiority_and_ratio_follow_the_score() {
        assert!((PairCounts([10, 20, 40, 20, 10]).superiority().expect("decisive") - 0.5).abs() < 1e-6);
        assert!(PairCounts([5, 10, 40, 30, 15]).superiority().expect("decisive") > 0.95);
        // Computed on paper: the mean is 0.6, the variance 0.0525 and t is 0.1 / sqrt(0.0525 / 9) = 1.3093 at 9 degrees of freedom.
        assert!((PairCounts([0, 2, 3, 4, 1]).superiority().expect("decisive") - 0.88857).abs() < 1e-4);
        assert_eq!(PairCounts::default().llr(0.0, 5.0), 0.0);
    }
    #[test]
    fn ratios_of_known_matches() {
        // From an independent transcription of fishtest's formulas in Python; fastchess printed 0.06 for the first row.
        for (pairs, elo0, elo1, llr) in [
            ([0, 0, 1, 1, 2], 0.0, 5.0, 0.0636),
            ([50, 200, 500, 300, 80], 0.0, 5.0, 3.1781),
            ([80, 300, 500, 200, 50], 0.0, 5.0, -3.6414),
            ([12, 240, 560, 230, 8], -1.75, 0.25, -0.1765),
            ([3, 1, 8, 2, 1], 0.0, 10.0, -0.1229),
        ] {
            let ours = PairCounts(pairs).llr(elo0, elo1);
            assert!(
                (ours - llr).abs() < 1e-3,
                "{pairs:?} {elo0} {elo1}: {ours} against {llr}"
            );
        }
    }

    #[test]
    fn tests_are_read_and_decided() {
        let t = SprtBounds::parse("0,5").expect("a test");
        assert!((t.limits().1 - 2.944).abs() < 1e-3 && (t.limits().0 + 2.944).abs() < 1e-3);
        assert_eq!(
            (t.decide(2.9), t.decide(2.95), t.decide(-2.95)),
            (None, Some(true), Some(false))
        );
        let t = SprtBounds::parse("-3, 1, 0.01, 0.1").expect("a test");
        assert!((t.limits().1 - 90f64.ln()).abs() < 1e-9 && (t.limits().0 - (0.1f64 / 0.99).ln()).abs() < 1e-9);
        for bad in [
            "",
            "5",
            "5,0",
            "0,5,0.05",
            "0,x",
            "0,5,0.9,0.05",
            "0,5,x,0.05,0.05",
            "nan,1",
        ] {
            assert!(SprtBounds::parse(bad).is_err(), "{bad:?}");
        }
    }
}
