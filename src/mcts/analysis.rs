//! The results of the search at its root.

use crate::games::go::types::Point;

/// The odds of a win grow with this power of the odds that the search's mean stands for: see [`expected_score`].
const SHARPNESS: f64 = 1.57;

/// The expected score, 0 to 1, where the search's mean win probability is `value`. The mean is nearer to even than the games
/// end, as it counts moves that would not be played. The power is fitted by `nguky calibrate` (docs/strength.md).
pub fn expected_score(value: f32) -> f64 {
    let value = f64::from(value).clamp(0.0, 1.0);
    let [won, lost] = [value, 1.0 - value].map(|p| p.powf(SHARPNESS));
    won / (won + lost)
}

/// The same in thousandths: win, draw, loss.
pub fn wdl(value: f32) -> [u32; 3] {
    let won = (1000.0 * expected_score(value)).round() as u32;
    [won, 0, 1000 - won]
}

/// What is known of one root move, from the view of the side to move.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub mv: Point,
    /// Visits.
    pub visits: u32,
    /// Win probability.
    pub value: f32,
    /// Mean lead in points.
    pub score: f32,
    /// Standard deviation of the lead.
    pub stdev: f32,
    /// Policy prior.
    pub prior: f32,
    /// Lower confidence bound of the win probability.
    pub lcb: f32,
    /// Win probability and score in one number, about -1 to 1: what the search maximises.
    pub utility: f32,
    /// Lower confidence bound of the utility.
    pub utility_lcb: f32,
    /// Weight of the visits.
    pub weight: f32,
    /// Play selection value: the move with the greatest is played.
    pub rank: f32,
    /// The principal variation, the move itself first.
    pub pv: Vec<Point>,
    /// The visits of its moves.
    pub pv_visits: Vec<u32>,
    /// Mean ownership after this move, as in [`Analysis`]; empty where it has no visits of this search.
    pub ownership: Vec<f32>,
}

/// The evaluation of the root itself, before any search, from the view of the side to move.
#[derive(Clone, Debug, Default)]
pub struct RootEvaluation {
    /// Win probability.
    pub value: f32,
    /// Lead in points.
    pub score: f32,
    /// Standard deviation of the lead.
    pub stdev: f32,
    /// The legal moves, the pass among them, each with its probability.
    pub policy: Vec<(Point, f32)>,
}

/// What is known of the root.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Visits of the root.
    pub visits: u32,
    /// Visits made in this search.
    pub playouts: u64,
    /// Win probability of the side to move.
    pub value: f32,
    /// Its mean lead.
    pub score: f32,
    /// Standard deviation of the lead.
    pub stdev: f32,
    /// Win probability and score in one number.
    pub utility: f32,
    /// Weight of the visits.
    pub weight: f32,
    /// The moves, the one to play first.
    pub moves: Vec<Candidate>,
    /// Mean owner of each point, from -1 for white to 1 for black, by [`crate::games::go::Board::index`].
    pub ownership: Vec<f32>,
    /// Its standard deviation over the positions of the search.
    pub ownership_stdev: Vec<f32>,
    /// The evaluation of the root itself, once it is made.
    pub raw: Option<RootEvaluation>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_scores_are_sharper_than_means_and_symmetric() {
        assert_eq!([0.0, 0.5, 1.0].map(expected_score), [0.0, 0.5, 1.0]);
        assert_eq!(
            [wdl(-0.1), wdl(1.1), wdl(0.5)],
            [[0, 0, 1000], [1000, 0, 0], [500, 0, 500]]
        );
        for value in [0.51, 0.7, 0.99] {
            let sharper = expected_score(value);
            assert!(sharper > value.into(), "{value} {sharper}");
            assert!((sharper + expected_score(1.0 - value) - 1.0).abs() < 1e-6);
        }
    }
}
