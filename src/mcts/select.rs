//! Selection: which child to visit, by PUCT (Rosin 2011, Silver and others 2017) in KataGo's form.

use super::SearchParams;
use super::node::Node;
use super::tree::{NodeId, Tree};

/// The terms of PUCT that a parent's children share.
#[derive(Clone, Copy, Debug)]
pub struct ParentTerms {
    /// Factor of a child's prior.
    pub scaling: f32,
    /// The utility of a child without visits (first play urgency).
    pub unvisited: f32,
}

/// The terms of a parent whose visited children have this weight and policy mass in all.
pub fn parent_terms(node: &Node, weight: f32, mass: f32, is_root: bool, params: &SearchParams) -> ParentTerms {
    // The node's values are those of the side that moved before.
    let utility = -node.utility();
    let all = node.weight.get();
    let stdev = if all <= 1.0 {
        params.stdev_prior
    } else {
        let square = utility * utility;
        let prior = (square + params.stdev_prior * params.stdev_prior) * params.stdev_prior_weight;
        let sum = prior + node.utility_square.get().max(square) * all;
        (sum / (params.stdev_prior_weight + all - 1.0) - square).max(0.0).sqrt()
    };
    let spread = 1.0 + params.stdev_scale * (stdev / params.stdev_prior - 1.0);
    let growth = ((weight + params.explore_base) / params.explore_base).ln();
    let explore = params.explore + params.explore_log * growth;
    let trust = (mass * mass).min(1.0);
    let base = trust * utility - (1.0 - trust) * node.own().utility;
    let reduction = if is_root {
        params.root_first_play
    } else {
        params.first_play
    };
    ParentTerms {
        scaling: explore * (weight + 0.01).sqrt() * spread,
        unvisited: base - reduction * mass.sqrt(),
    }
}

/// Where a playout goes on from a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// To a child.
    Child(NodeId),
    /// To one of the children that are deferred.
    Deferred,
    /// Nowhere: nothing is allowed.
    Nothing,
}

/// The utility of a child, which has this weight, together with its AMAF statistics (Gelly and Silver 2011). `odds` is its
/// prior over the mean prior, which gives the value of the visits that it starts with.
#[inline]
fn with_amaf(tree: &Tree, id: NodeId, utility: f32, weight: f32, odds: f32, params: &SearchParams) -> f32 {
    let (count, mean) = tree.amaf(id).map_or((0.0, 0.5), |amaf| amaf.get());
    let expected = (odds - 1.0) / (odds + 1.0);
    let start = params.amaf_prior_visits;
    let utility = (utility * weight + expected * start) / (weight + start);
    let weight = weight + start;
    let beta = count / (count + weight + count * weight / params.amaf_equivalence);
    utility + (2.0 * mean - 1.0 - utility) * beta
}

/// The child to visit next among those allowed; `bonus` is added to a child's utility. Without `growing`, as in a full tree,
/// the deferred children are left out.
pub fn child(
    tree: &Tree,
    id: NodeId,
    (is_root, growing): (bool, bool),
    params: &SearchParams,
    allowed: impl Fn(&Node) -> bool,
    bonus: impl Fn(&Node) -> f32,
) -> Pick {
    let node = tree.node(id);
    let has_amaf = params.amaf_equivalence > 0.0;
    // Below the root, children without visits come last, in the order of the policy; AMAF statistics change the order.
    let in_order = !is_root && !has_amaf;
    let (mut mass, mut weight) = (0.0, 0.0);
    for child in node.children().map(|child| tree.node(child)) {
        if !allowed(child) {
            continue;
        }
        if child.is_touched() {
            mass += child.prior.get();
            weight += if child.visits() > 0 { child.weight.get() } else { 0.0 };
        } else if in_order {
            break;
        }
    }
    let terms = parent_terms(node, weight, mass, is_root, params);
    let moves = node.children().count() as f32;
    let mut best = Pick::Nothing;
    let mut most = f32::NEG_INFINITY;
    for id in node.children() {
        let child = tree.node(id);
        if !allowed(child) {
            continue;
        }
        let (mut utility, mut weight) = (terms.unvisited, 0.0);
        if child.visits() > 0 {
            utility = child.utility();
            weight = child.weight.get();
        }
        if has_amaf {
            utility = with_amaf(tree, id, utility, weight, child.prior.get() * moves, params);
        }
        utility += bonus(child);
        let virtual_loss = child.virtual_loss() as f32;
        if virtual_loss > 0.0 {
            utility += (-params.radius() - utility) * virtual_loss / (virtual_loss + weight.max(0.25));
            weight += virtual_loss;
        }
        let mut prior = child.prior.get();
        if is_root && params.wide_root > 0.0 {
            prior = prior.powf(1.0 / (4.0 * params.wide_root + 1.0));
        }
        let urgency = utility + terms.scaling * prior / (1.0 + weight);
        if urgency > most {
            (best, most) = (Pick::Child(id), urgency);
        }
        // The rest has smaller priors and no visits either.
        if in_order && weight == 0.0 {
            return best;
        }
    }
    if growing && node.has_deferred() && terms.unvisited + terms.scaling * node.deferred_prior.get() > most {
        best = Pick::Deferred;
    }
    best
}
