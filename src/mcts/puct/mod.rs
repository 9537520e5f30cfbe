//! The search where a network judges: PUCT over its policy and values, by Silver and others (2017) with the
//! refinements that KataGo found to be worth their while.
//!
//! A position is judged once, when it enters the tree; what its node says from then on is its own value together with
//! those of its children.

pub mod backup;
pub mod bias;
pub mod branch;
pub mod choice;
pub mod ending;
pub mod noise;
pub mod root;
pub mod select;
pub mod utility;

pub use root::Search;

/// The search's numbers; the names say what KataGo calls them.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Weight of the policy against the values (cpuctExploration).
    pub explore: f32,
    /// Its growth with the logarithm of the visits (cpuctExplorationLog).
    pub explore_log: f32,
    /// Visits from which it grows (cpuctExplorationBase).
    pub explore_base: f32,
    /// How uncertain values are before there are any (cpuctUtilityStdevPrior).
    pub stdev_prior: f32,
    /// Visits that this belief is worth (cpuctUtilityStdevPriorWeight).
    pub stdev_prior_weight: f32,
    /// How much more is explored where values vary (cpuctUtilityStdevScale).
    pub stdev_scale: f32,
    /// What an unvisited move is thought to lose when all the policy has been visited (fpuReductionMax).
    pub first_play: f32,
    /// The same at the root (rootFpuReductionMax).
    pub root_first_play: f32,
    /// Weight of the score as it is (staticScoreUtilityFactor).
    pub static_score: f32,
    /// Weight of the score as compared with what is expected (dynamicScoreUtilityFactor).
    pub dynamic_score: f32,
    /// How far the expectation is drawn to an even score (dynamicScoreCenterZeroWeight).
    pub center_zero: f32,
    /// Width of the comparison in sides of the board (dynamicScoreCenterScale).
    pub center_scale: f32,
    /// How much children that turned out bad count less (valueWeightExponent).
    pub value_weight: f32,
    /// Loss at which more visits than the policy grants count less (noisePruneUtilityScale).
    pub prune_scale: f32,
    /// How far judgements are corrected by what was found below others of their kind (subtreeValueBiasFactor).
    pub bias: f32,
    /// Power of the weight that such a finding has (subtreeValueBiasWeightExponent).
    pub bias_weight: f32,
    /// Deviations that a move's value is lowered by before the choice (lcbStdevs).
    pub lcb_stdevs: f32,
    /// Share of the best move's visits that the choice by bounds asks for (minVisitPropForLCB).
    pub lcb_share: f32,
    /// Points that speak against useless moves at the end (rootEndingBonusPoints).
    pub ending_points: f32,
    /// Share of noise in the root's policy, for self-play (rootDirichletNoiseWeight).
    pub noise: f32,
    /// How even the noise is (rootDirichletNoiseTotalConcentration).
    pub noise_concentration: f32,
    /// Flatness of the root's policy, for self-play (rootPolicyTemperature).
    pub root_temperature: f32,
    /// How much wider than usual the root is searched, for analysis (wideRootNoise).
    pub wide_root: f32,
    /// Opinions averaged at the root, for self-play (rootNumSymmetriesToSample).
    pub root_looks: u32,
    /// Smallest share of the policy that takes room in the tree, away from the root.
    pub least_prior: f32,
    /// Moves that get nodes at once, away from the root: most positions of a tree never see a further one tried.
    pub first_moves: usize,
    /// Seed of the noise.
    pub seed: u64,
}

impl Default for Params {
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
            root_looks: 1,
            least_prior: 2e-4,
            first_moves: 6,
            seed: 1,
        }
    }
}

impl Params {
    /// The numbers for self-play: noise, a flatter policy and several symmetries at the root.
    pub fn self_play(seed: u64) -> Self {
        Self {
            noise: 0.25,
            root_temperature: 1.1,
            root_looks: 4,
            root_first_play: 0.0,
            seed,
            ..Self::default()
        }
    }

    /// The largest utility that there is.
    pub fn radius(&self) -> f32 {
        1.0 + self.static_score + self.dynamic_score
    }
}
