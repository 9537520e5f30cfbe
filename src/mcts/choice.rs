//! Play selection: ranks the root's moves by the visits that they would have been given had their values been known from
//! the start, and by lower confidence bounds (KataGo's `getPlaySelectionValues`).

use super::SearchParams;
use super::node::{Node, Value};
use super::select;
use super::tree::{NodeId, Tree};
use crate::games::go::types::Point;

/// A move of the root and how it ranks.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    /// Its node.
    pub id: NodeId,
    /// The move.
    pub mv: Point,
    /// Its visits.
    pub visits: u32,
    /// Their weight.
    pub weight: f32,
    /// Policy prior.
    pub prior: f32,
    /// Mean value of its subtree.
    pub mean: Value,
    /// Lower confidence bound of the utility.
    pub lcb: f32,
    /// Distance of the bound from the utility.
    pub radius: f32,
    /// Play selection value: the greatest is played.
    pub selection: f32,
}

/// Lower confidence bound of the utility, and its radius.
fn bound(child: &Node, utility: f32, params: &SearchParams) -> (f32, f32) {
    let range = params.radius();
    let (weight, square) = (child.weight.get(), child.weight_square.get());
    if child.visits() == 0 || weight <= 0.0 || square <= 0.0 {
        let radius = 2.0 * range * params.lcb_stdevs;
        return (-radius, radius);
    }
    // The effective sample size, with a weak prior of the widest spread: a handful of visits is no evidence.
    let size = weight * weight / square;
    let prior = weight / (size * size * size);
    let mean = child.utility();
    let spread = child.utility_square.get().max(mean * mean + 1e-8);
    let spread = (spread * weight + (spread + range * range) * prior) / (weight + prior);
    let size = (weight + prior) * (weight + prior) / (square + prior * prior);
    let radius = ((spread - mean * mean).max(0.0) / size).sqrt() * params.lcb_stdevs;
    (utility - radius, radius)
}

/// The root's moves, best first; `bonus` is added to a move's utility. Moves not `allowed` come last.
pub fn rank(
    tree: &Tree,
    root: NodeId,
    params: &SearchParams,
    allowed: impl Fn(Point) -> bool,
    bonus: impl Fn(&Node) -> f32,
) -> Vec<Rank> {
    let mut ranks: Vec<Rank> = tree
        .node(root)
        .children()
        .map(|id| {
            let child = tree.node(id);
            let mut mean = child.mean();
            mean.utility += if child.visits() > 0 { bonus(child) } else { 0.0 };
            let (lcb, radius) = bound(child, mean.utility, params);
            let weight = if child.visits() > 0 { child.weight.get() } else { 0.0 };
            Rank {
                id,
                mv: child.mv(),
                visits: child.visits(),
                weight,
                prior: child.prior.get(),
                mean,
                lcb,
                radius,
                selection: if allowed(child.mv()) { weight } else { -1.0 },
            }
        })
        .collect();
    if ranks.iter().all(|r| r.selection <= 0.0) {
        // Nothing was searched: the policy chooses.
        ranks
            .iter_mut()
            .filter(|r| r.selection == 0.0)
            .for_each(|r| r.selection = r.prior);
    } else {
        adjust(tree.node(root), &mut ranks, params);
    }
    ranks.sort_by(|a, b| {
        let by_selection = b.selection.total_cmp(&a.selection);
        by_selection
            .then(b.visits.cmp(&a.visits))
            .then(b.prior.total_cmp(&a.prior))
    });
    ranks
}

/// Lowers the selection values of moves that got more visits than their values deserve, and raises the best bound's.
fn adjust(root: &Node, ranks: &mut [Rank], params: &SearchParams) {
    // The most visited move, less its last visit, which may be exploration.
    let sure = |r: &Rank| r.selection * (r.visits.max(1) - 1) as f32 / r.visits.max(1) as f32 + 2.0 * r.prior;
    let Some(first) = ranks
        .iter()
        .filter(|r| r.selection > 0.0)
        .max_by(|a, b| sure(a).total_cmp(&sure(b)))
        .copied()
    else {
        return;
    };
    let total = ranks.iter().map(|r| r.weight).sum();
    let scaling = select::parent_terms(root, total, 1.0, true, params).scaling;
    let urgency = first.mean.utility + scaling * first.prior / (1.0 + first.weight);
    for r in ranks.iter_mut().filter(|r| r.selection > 0.0 && r.id != first.id) {
        // The visits at which PUCT would have ranked it level with the first.
        let gap = urgency - r.mean.utility;
        if gap > 0.0 {
            r.selection = r.selection.min((scaling * r.prior / gap - 1.0).max(0.0)).ceil();
        }
    }
    let eligible = |r: &&mut Rank| r.selection > 0.0 && r.selection >= params.lcb_share * first.weight;
    let best = ranks
        .iter_mut()
        .filter(eligible)
        .max_by(|a, b| a.lcb.total_cmp(&b.lcb))
        .map(|r| (r.id, r.lcb));
    if let Some((id, lcb)) = best {
        // As many more visits for the best bound as the others would need to come level by narrowing theirs.
        let raise = |r: &&Rank| r.id != id && r.selection > 0.0 && r.lcb <= lcb;
        let wanted = ranks.iter().filter(raise).map(|r| {
            let excess = lcb - r.lcb;
            let factor = (r.radius + excess) / (r.radius + 0.2 * excess).max(1e-9);
            factor * factor * r.selection
        });
        let wanted = wanted.fold(0.0, f32::max);
        if let Some(r) = ranks.iter_mut().find(|r| r.id == id) {
            r.selection = r.selection.max(wanted + 1e-3);
        }
    }
    let most = ranks.iter().map(|r| r.selection).fold(0.0, f32::max);
    let least = 1f32.min(most / 64.0);
    ranks
        .iter_mut()
        .filter(|r| r.selection > 0.0 && r.selection < least)
        .for_each(|r| r.selection = 0.0);
}
