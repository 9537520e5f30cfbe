//! What a leaf's judgement teaches the nodes above it.

use super::Params;
use super::leaf::Judgement;
use super::tree::{Id, Knot, Node, Tree};
use crate::games::go::types::{BLACK, Colour, EMPTY, PASS, other};

/// The value that counts in the tree, from black's view: mostly the chance to win, and a little the margin, so that a
/// won game is not given back point by point and a lost one is fought for.
pub fn worth(judgement: &Judgement, params: &Params, area: usize) -> f32 {
    let scale = area as f32 * 0.15;
    let margin = 0.5 + 0.5 * (judgement.score / scale).tanh();
    (1.0 - params.margin_weight) * judgement.value + params.margin_weight * margin
}

/// Tells the nodes of a path, root first, and their children what came out. `turn` is the side to move at the root.
pub fn path(tree: &Tree<Node>, path: &[Id], turn: Colour, judgement: &mut Judgement, worth: f32) {
    let score = judgement.score;
    for (depth, &id) in path.iter().enumerate().rev() {
        let mover = if depth % 2 == 0 { other(turn) } else { turn };
        let next = other(mover);
        let node = tree.node(id);
        let (mine, lead) = if mover == BLACK {
            (worth, score)
        } else {
            (1.0 - worth, -score)
        };
        node.leave(mine, lead);
        for kid in node.children() {
            let kid = tree.node(kid);
            let p = kid.mv();
            // A point that this side was first to play on later might as well have been played now.
            if p != PASS && judgement.first[p as usize] == next {
                kid.heard(1.0 - mine);
            }
        }
        if depth > 0 && node.mv() != PASS {
            judgement.first[node.mv() as usize] = mover;
        }
    }
    debug_assert!(judgement.first[0] == EMPTY);
}
