//! The parameters of the search.

/// The parameters of the search; KataGo's names stand behind each.
#[derive(Clone, Copy, Debug)]
pub struct SearchParams {
    /// Exploration factor, c in PUCT (cpuctExploration).
    pub explore: f32,
    /// Its growth with the logarithm of the visits (cpuctExplorationLog).
    pub explore_log: f32,
    /// Visits from which it grows (cpuctExplorationBase).
    pub explore_base: f32,
    /// Prior of the standard deviation of utilities (cpuctUtilityStdevPrior).
    pub stdev_prior: f32,
    /// Visits that this prior counts as (cpuctUtilityStdevPriorWeight).
    pub stdev_prior_weight: f32,
    /// Growth of exploration with the standard deviation (cpuctUtilityStdevScale).
    pub stdev_scale: f32,
    /// Utility that a move without visits is assumed to lose once all the policy has been visited (fpuReductionMax).
    pub first_play: f32,
    /// The same at the root (rootFpuReductionMax).
    pub root_first_play: f32,
    /// Weight of the score (staticScoreUtilityFactor).
    pub static_score: f32,
    /// Weight of the score compared with the expected one (dynamicScoreUtilityFactor).
    pub dynamic_score: f32,
    /// How far the expected score is drawn to 0 (dynamicScoreCenterZeroWeight).
    pub center_zero: f32,
    /// Width of the comparison in sides of the board (dynamicScoreCenterScale).
    pub center_scale: f32,
    /// Exponent by which worse children weigh less in the mean (valueWeightExponent).
    pub value_weight: f32,
    /// Loss of utility at which visits beyond the share of the policy weigh less (noisePruneUtilityScale).
    pub prune_scale: f32,
    /// Factor of the subtree value bias correction (subtreeValueBiasFactor).
    pub bias: f32,
    /// Exponent of its weight (subtreeValueBiasWeightExponent).
    pub bias_weight: f32,
    /// Standard deviations between a value and its lower confidence bound (lcbStdevs).
    pub lcb_stdevs: f32,
    /// Share of the best move's visits that a move needs for selection by its bound (minVisitPropForLCB).
    pub lcb_share: f32,
    /// Penalty in points for useless moves at the end (rootEndingBonusPoints).
    pub ending_points: f32,
    /// Weight of Dirichlet noise in the root policy, for self-play (rootDirichletNoiseWeight).
    pub noise: f32,
    /// Total concentration of the noise (rootDirichletNoiseTotalConcentration).
    pub noise_concentration: f32,
    /// Temperature of the root policy, for self-play (rootPolicyTemperature).
    pub root_temperature: f32,
    /// Noise that widens the search of the root, for analysis (wideRootNoise).
    pub wide_root: f32,
    /// Evaluations averaged at the root, for self-play (rootNumSymmetriesToSample).
    pub root_symmetries: u32,
    /// Smallest prior of a move that gets a node, below the root.
    pub least_prior: f32,
    /// Moves that get nodes at once, below the root: most positions of a tree never need a further one.
    pub first_moves: usize,
    /// Visits from which a child's own mean outweighs its AMAF mean; 0 for a tree without AMAF statistics.
    pub amaf_equivalence: f32,
    /// Visits that a child's prior counts as in a tree with AMAF statistics; more than 0.
    pub amaf_prior_visits: f32,
    /// Seed of the noise.
    pub seed: u64,
}

impl Default for SearchParams {
    fn default() -> Self {
        Self {
            explore: 1.0,
            explore_log: 0.45,
            explore_base: 500.0,
            stdev_prior: 0.4,
            stdev_prior_weight: 2.0,
            stdev_scale: 0.85,
            first_play: 0.2,
            root_first_play: 0.1,
            static_score: 0.1,
            dynamic_score: 0.3,
            center_zero: 0.2,
            center_scale: 0.75,
            value_weight: 0.25,
            prune_scale: 0.15,
            bias: 0.45,
            bias_weight: 0.85,
            lcb_stdevs: 5.0,
            lcb_share: 0.15,
            ending_points: 0.5,
            noise: 0.0,
            noise_concentration: 10.83,
            root_temperature: 1.0,
            wide_root: 0.0,
            root_symmetries: 1,
            least_prior: 2e-4,
            first_moves: 6,
            amaf_equivalence: 0.0,
            amaf_prior_visits: 1.0,
            seed: 1,
        }
    }
}

impl SearchParams {
    /// For self-play: noise, a flatter policy and several symmetries at the root.
    pub fn self_play(seed: u64) -> Self {
        Self {
            noise: 0.25,
            root_temperature: 1.1,
            root_symmetries: 4,
            root_first_play: 0.0,
            seed,
            ..Self::default()
        }
    }

    /// The same for a search by playouts, whose values are noisier and whose policy is weaker than a network's.
    pub fn for_playouts(self) -> Self {
        Self {
            explore: 0.1,
            explore_log: 0.0,
            stdev_scale: 0.0,
            first_play: 0.0,
            root_first_play: 0.0,
            static_score: 0.08,
            dynamic_score: 0.0,
            value_weight: 0.0,
            prune_scale: f32::INFINITY,
            bias: 0.0,
            first_moves: 40,
            amaf_equivalence: 1700.0,
            amaf_prior_visits: 15.0,
            ..self
        }
    }

    /// The largest utility that there is.
    pub fn radius(&self) -> f32 {
        1.0 + self.static_score + self.dynamic_score
    }
}
