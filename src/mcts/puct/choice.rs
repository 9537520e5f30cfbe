//! Which move to play: the visits that a move deserved in the light of what was found, and the lower bounds of their
//! values.

use super::Params;
use super::branch::{Branch, Worth};
use super::select;
use crate::games::go::types::Point;
use crate::mcts::tree::{Id, Knot, Tree};

/// A move of the root and how it ranks.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    /// Its node.
    pub id: Id,
    /// The move.
    pub mv: Point,
    /// Its visits.
    pub visits: u32,
    /// Those that count.
    pub weight: f32,
    /// Its share of the policy.
    pub prior: f32,
    /// Its worth.
    pub worth: Worth,
    /// A utility that it is unlikely to fall below.
    pub lcb: f32,
    /// How far below its utility that is.
    pub radius: f32,
    /// The greatest is to be played.
    pub value: f32,
}

/// Value and radius of a bound that the utility is unlikely to fall below.
fn bound(kid: &Branch, utility: f32, params: &Params) -> (f32, f32) {
    let range = params.radius();
    let (weight, square) = (kid.weight.get(), kid.weight_square.get());
    if kid.visits() == 0 || weight <= 0.0 || square <= 0.0 {
        let radius = 2.0 * range * params.lcb_stdevs;
        return (-radius, radius);
    }
    // As many visits of weight 1 say so much. A little belief that values vary as widely as they can keeps a handful
    // of visits from being believed.
    let size = weight * weight / square;
    let prior = weight / (size * size * size);
    let mean = kid.utility();
    let spread = kid.utility_square.get().max(mean * mean + 1e-8);
    let spread = (spread * weight + (spread + range * range) * prior) / (weight + prior);
    let size = (weight + prior) * (weight + prior) / (square + prior * prior);
    let radius = ((spread - mean * mean).max(0.0) / size).sqrt() * params.lcb_stdevs;
    (utility - radius, radius)
}

/// The root's moves, best first; `bonus` is added to a move's utility. Moves not `allowed` come last.
pub fn rank(
    tree: &Tree<Branch>,
    root: Id,
    params: &Params,
    allowed: impl Fn(Point) -> bool,
    bonus: impl Fn(&Branch) -> f32,
) -> Vec<Rank> {
    let mut ranks: Vec<Rank> = tree
        .node(root)
        .children()
        .map(|id| {
            let kid = tree.node(id);
            let mut worth = kid.mean();
            worth.utility += if kid.visits() > 0 { bonus(kid) } else { 0.0 };
            let (lcb, radius) = bound(kid, worth.utility, params);
            let weight = if kid.visits() > 0 { kid.weight.get() } else { 0.0 };
            Rank {
                id,
                mv: kid.mv(),
                visits: kid.visits(),
                weight,
                prior: kid.prior.get(),
                worth,
                lcb,
                radius,
                value: if allowed(kid.mv()) { weight } else { -1.0 },
            }
        })
        .collect();
    if ranks.iter().all(|r| r.value <= 0.0) {
        // Nothing was searched: the policy chooses.
        ranks
            .iter_mut()
            .filter(|r| r.value == 0.0)
            .for_each(|r| r.value = r.prior);
    } else {
        judge(tree.node(root), &mut ranks, params);
    }
    ranks.sort_by(|a, b| {
        let by_value = b.value.total_cmp(&a.value);
        by_value.then(b.visits.cmp(&a.visits)).then(b.prior.total_cmp(&a.prior))
    });
    ranks
}

fn judge(root: &Branch, ranks: &mut [Rank], params: &Params) {
    // The move that was looked at most, less the last visit, which may have been a whim.
    let sure = |r: &Rank| r.value * (r.visits.max(1) - 1) as f32 / r.visits.max(1) as f32 + 2.0 * r.prior;
    let Some(first) = ranks
        .iter()
        .filter(|r| r.value > 0.0)
        .max_by(|a, b| sure(a).total_cmp(&sure(b)))
        .copied()
    else {
        return;
    };
    let total = ranks.iter().map(|r| r.weight).sum();
    let scaling = select::outlook(root, total, 1.0, true, params).scaling;
    let urgency = first.worth.utility + scaling * first.prior / (1.0 + first.weight);
    for r in ranks.iter_mut().filter(|r| r.value > 0.0 && r.id != first.id) {
        // Visits that would have been given to it, had its value been known from the start.
        let gap = urgency - r.worth.utility;
        if gap > 0.0 {
            r.value = r.value.min((scaling * r.prior / gap - 1.0).max(0.0)).ceil();
        }
    }
    let eligible = |r: &&mut Rank| r.value > 0.0 && r.value >= params.lcb_share * first.weight;
    let best = ranks
        .iter_mut()
        .filter(eligible)
        .max_by(|a, b| a.lcb.total_cmp(&b.lcb))
        .map(|r| (r.id, r.lcb));
    if let Some((id, lcb)) = best {
        // As many more visits for the best bound as the others would need to come level by narrowing theirs.
        let raise = |r: &&Rank| r.id != id && r.value > 0.0 && r.lcb <= lcb;
        let wanted = ranks.iter().filter(raise).map(|r| {
            let excess = lcb - r.lcb;
            let factor = (r.radius + excess) / (r.radius + 0.2 * excess).max(1e-9);
            factor * factor * r.value
        });
        let wanted = wanted.fold(0.0, f32::max);
        if let Some(r) = ranks.iter_mut().find(|r| r.id == id) {
            r.value = r.value.max(wanted + 1e-3);
        }
    }
    let most = ranks.iter().map(|r| r.value).fold(0.0, f32::max);
    let least = 1f32.min(most / 64.0);
    ranks
        .iter_mut()
        .filter(|r| r.value > 0.0 && r.value < least)
        .for_each(|r| r.value = 0.0);
}
