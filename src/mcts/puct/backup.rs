//! What a node is worth, from its own judgement and from its children.

use super::Params;
use super::bias::Errors;
use super::branch::{Branch, Worth};
use crate::mcts::tree::{Id, Knot, Tree};

/// A child while its parent's mean is taken.
#[derive(Clone, Copy, Debug)]
struct Child {
    worth: Worth,
    utility_square: f32,
    prior: f32,
    /// What it weighs in the mean, and what it weighs by itself.
    weight: f32,
    own_weight: f32,
    weight_square: f32,
}

/// Room to work in, kept between calls.
#[derive(Default)]
pub struct Scratch(Vec<Child>);

/// Takes a node's mean anew. Away from the root the children are in the order of the policy, and those after the
/// first that nobody touched are untouched as well.
pub fn refresh(tree: &Tree<Branch>, id: Id, is_root: bool, params: &Params, errors: &Errors, scratch: &mut Scratch) {
    let node = tree.node(id);
    let children = &mut scratch.0;
    children.clear();
    for kid in node.children() {
        let kid = tree.node(kid);
        if !kid.is_touched() && !is_root {
            break;
        }
        let weight = kid.weight.get();
        if kid.visits() > 0 && weight > 0.0 {
            children.push(Child {
                worth: kid.mean(),
                utility_square: kid.utility_square.get(),
                prior: kid.prior.get().max(1e-30),
                weight,
                own_weight: weight,
                weight_square: kid.weight_square.get(),
            });
        }
    }
    let mut own = node.own();
    if children.is_empty() {
        own.utility += params.bias * errors.mean(node.kind());
        // Judged once, or a game that is over and was looked at again.
        let n = node.visits().max(1) as f32;
        node.set_mean(&own);
        node.utility_square.set(own.utility * own.utility);
        node.weight_square.set(n);
        node.weight.set(n);
        return;
    }
    let visited: f32 = children.iter().map(|c| c.weight).sum();
    let total = prune(children, params);
    discount(children, total, params);
    if params.bias > 0.0 {
        // How much more the children turned out to be worth than the judge said.
        let found = children.iter().map(|c| -c.weight * c.worth.utility).sum::<f32>() / total;
        let weight = visited.powf(params.bias_weight);
        let error = (found - own.utility) * weight;
        let (former, former_weight) = (node.error.swap(error), node.error_weight.swap(weight));
        errors.add(node.kind(), error - former, weight - former_weight);
        own.utility += params.bias * errors.mean(node.kind());
    }
    let mut sum = own;
    let mut utility_square = own.utility * own.utility;
    let mut weight_square = 1.0;
    for child in children.iter() {
        let (worth, w) = (child.worth.flip(), child.weight);
        sum.win += w * worth.win;
        sum.lead += w * worth.lead;
        sum.square += w * worth.square;
        sum.utility += w * worth.utility;
        utility_square += w * child.utility_square;
        let scaled = w / child.own_weight;
        weight_square += scaled * scaled * child.weight_square;
    }
    let all = total + 1.0;
    node.set_mean(&Worth {
        win: (sum.win / all).clamp(0.0, 1.0),
        lead: sum.lead / all,
        square: sum.square / all,
        utility: sum.utility / all,
    });
    node.utility_square.set(utility_square / all);
    node.weight_square.set(weight_square);
    node.weight.set(all);
}

/// A child worse than those before it counts no more than the policy grants it, twice over: what went beyond was
/// exploration, not a reply that anyone would choose. The weight that is left.
fn prune(children: &mut [Child], params: &Params) -> f32 {
    let (mut utility, mut weight, mut prior) = (0.0, 0.0, 0.0);
    for child in children {
        let gap = utility / weight - child.worth.utility;
        if weight > 0.0 && gap > 0.0 {
            let excess = child.weight - 2.0 * weight * child.prior / prior;
            if excess > 0.0 {
                child.weight -= excess * (1.0 - (-gap / params.prune_scale).exp());
            }
        }
        utility += child.weight * child.worth.utility;
        weight += child.weight;
        prior += child.prior;
    }
    weight
}

/// Children that turned out worse than the mean count less, the better ones more; the weight in all stays.
fn discount(children: &mut [Child], total: f32, params: &Params) {
    if params.value_weight == 0.0 || children.len() < 2 || total <= 0.0 {
        return;
    }
    let mean = children.iter().map(|c| c.weight * c.worth.utility).sum::<f32>() / total;
    let mut sum = 0.0;
    for child in children.iter_mut() {
        let stdev = (1e-8 + 1.0 / (1.5 * child.weight.max(1e-6).sqrt())).sqrt();
        let better = student((child.worth.utility - mean) / stdev) + 1e-4;
        child.weight *= better.powf(params.value_weight);
        sum += child.weight;
    }
    children.iter_mut().for_each(|c| c.weight *= total / sum);
}

/// The distribution function of Student's t with three degrees of freedom.
fn student(t: f32) -> f32 {
    let x = t / 3f32.sqrt();
    0.5 + (x / (1.0 + x * x) + x.atan()) * std::f32::consts::FRAC_1_PI
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(utility: f32, weight: f32, prior: f32) -> Child {
        let worth = Worth {
            utility,
            ..Worth::default()
        };
        Child {
            worth,
            utility_square: utility * utility,
            prior,
            weight,
            own_weight: weight,
            weight_square: weight,
        }
    }

    #[test]
    fn student_is_a_distribution() {
        assert!((student(0.0) - 0.5).abs() < 1e-6);
        assert!((student(2.353_36) - 0.95).abs() < 1e-4);
        assert!(student(-100.0) < 1e-4);
    }

    #[test]
    fn weights_move_to_better_children_and_keep_their_sum() {
        let params = Params::default();
        let mut children = [child(0.5, 10.0, 0.4), child(-0.5, 10.0, 0.4)];
        discount(&mut children, 20.0, &params);
        assert!(children[0].weight > 10.0);
        assert!((children[0].weight + children[1].weight - 20.0).abs() < 1e-4);
    }

    #[test]
    fn exploration_of_bad_moves_is_pruned() {
        let params = Params::default();
        let mut children = [child(0.5, 10.0, 0.9), child(-0.5, 10.0, 0.05), child(0.6, 10.0, 0.05)];
        let total = prune(&mut children, &params);
        assert!(children[1].weight < 2.0, "{children:?}");
        assert_eq!((children[0].weight, children[2].weight), (10.0, 10.0));
        assert!((total - children.iter().map(|c| c.weight).sum::<f32>()).abs() < 1e-4);
    }
}
