//! Which child to visit: its value so far, and what the policy says of it.

use super::Params;
use super::branch::Branch;
use crate::mcts::tree::{Id, Knot, Tree};

/// How a parent looks at its children.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    /// What the policy's share is multiplied by.
    pub scaling: f32,
    /// The value of a child that was never visited.
    pub unvisited: f32,
}

/// A parent's outlook when children of this weight, with this share of the policy, have been visited.
pub fn outlook(node: &Branch, weight: f32, mass: f32, is_root: bool, params: &Params) -> Outlook {
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
    Outlook {
        scaling: explore * (weight + 0.01).sqrt() * spread,
        unvisited: base - reduction * mass.sqrt(),
    }
}

/// Where to go on from a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// To a child.
    Child(Id),
    /// To one of the moves that have no nodes yet.
    More,
    /// Nowhere: nothing is allowed.
    Nothing,
}

/// The child to visit next among those allowed; `bonus` is added to a child's utility.
pub fn child(
    tree: &Tree<Branch>,
    id: Id,
    is_root: bool,
    params: &Params,
    allowed: impl Fn(&Branch) -> bool,
    bonus: impl Fn(&Branch) -> f32,
) -> Pick {
    let node = tree.node(id);
    let (mut mass, mut weight) = (0.0, 0.0);
    for kid in node.children().map(|kid| tree.node(kid)) {
        if !allowed(kid) {
            continue;
        }
        if kid.is_touched() {
            mass += kid.prior.get();
            weight += if kid.visits() > 0 { kid.weight.get() } else { 0.0 };
        } else if !is_root {
            break;
        }
    }
    let outlook = outlook(node, weight, mass, is_root, params);
    let mut best = Pick::Nothing;
    let mut most = f32::NEG_INFINITY;
    for id in node.children() {
        let kid = tree.node(id);
        if !allowed(kid) {
            continue;
        }
        let (mut utility, mut weight) = (outlook.unvisited, 0.0);
        if kid.visits() > 0 {
            utility = kid.utility();
            weight = kid.weight.get();
        }
        utility += bonus(kid);
        let pending = kid.pending() as f32;
        if pending > 0.0 {
            utility += (-params.radius() - utility) * pending / (pending + weight.max(0.25));
            weight += pending;
        }
        let mut prior = kid.prior.get();
        if is_root && params.wide_root > 0.0 {
            prior = prior.powf(1.0 / (4.0 * params.wide_root + 1.0));
        }
        let urgency = utility + outlook.scaling * prior / (1.0 + weight);
        if urgency > most {
            (best, most) = (Pick::Child(id), urgency);
        }
        // The rest has smaller shares of the policy and was not visited either.
        if !is_root && weight == 0.0 {
            return best;
        }
    }
    if node.has_more() && outlook.unvisited + outlook.scaling * node.left.get() > most {
        best = Pick::More;
    }
    best
}
