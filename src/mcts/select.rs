//! Which child to visit: real visits and "all moves as first" blended, without an exploration term.
//!
//! The blend is that of Silver's and Gelly's RAVE as Pachi and michi use it.

use super::Params;
use super::tree::{Id, Knot, Node, Tree};

/// How promising a child is.
#[inline]
fn urgency(node: &Node, params: &Params) -> f32 {
    let (prior_visits, prior_value) = node.prior();
    let n = (node.visits() + node.pending()) as f32 + prior_visits;
    // Pending visits count in `n` but win nothing.
    let plain = (node.wins() + prior_visits * prior_value) / n;
    let (heard, mean) = node.amaf();
    if heard == 0.0 {
        return plain;
    }
    let beta = heard / (heard + n + n * heard / params.rave_equivalent);
    beta * mean + (1.0 - beta) * plain
}

/// The child to visit next; `allowed` narrows the choice at the root.
pub fn child(tree: &Tree<Node>, id: Id, params: &Params, allowed: impl Fn(&Node) -> bool) -> Option<Id> {
    let mut best = None;
    let mut most = f32::NEG_INFINITY;
    for kid in tree.node(id).children() {
        let node = tree.node(kid);
        let u = urgency(node, params);
        if u > most && allowed(node) {
            (best, most) = (Some(kid), u);
        }
    }
    best
}
