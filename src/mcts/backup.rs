//! Backup: recomputes the mean of a node from its own evaluation and its children (KataGo's `recomputeNodeStats`).

use super::SearchParams;
use super::bias::SubtreeBias;
use super::node::Value;
use super::tree::{NodeId, Tree};

/// A child while its parent's mean is computed.
#[derive(Clone, Copy, Debug)]
struct Child {
    value: Value,
    utility_square: f32,
    prior: f32,
    /// What it weighs in the mean, and what it weighs by itself.
    weight: f32,
    own_weight: f32,
    weight_square: f32,
}

/// A buffer kept between calls.
#[derive(Default)]
pub struct Scratch(Vec<Child>);

/// Recomputes a node's mean. Below the root children are visited in the order of the policy, unless there are AMAF
/// statistics: then those after the first untouched one are untouched as well.
pub fn recompute(
    tree: &Tree,
    id: NodeId,
    is_root: bool,
    params: &SearchParams,
    bias: &SubtreeBias,
    scratch: &mut Scratch,
) {
    let in_order = !is_root && params.amaf_equivalence == 0.0;
    let node = tree.node(id);
    let children = &mut scratch.0;
    children.clear();
    for child in node.children() {
        let child = tree.node(child);
        if in_order && !child.is_touched() {
            break;
        }
        let weight = child.weight.get();
        if child.visits() > 0 && weight > 0.0 {
            children.push(Child {
                value: child.mean(),
                utility_square: child.utility_square.get(),
                prior: child.prior.get().max(1e-30),
                weight,
                own_weight: weight,
                weight_square: child.weight_square.get(),
            });
        }
    }
    let mut own = node.own();
    let dropped = node.dropped_weight.get();
    // What was searched below and dropped has the correction in it.
    let corrected = dropped > 0.0;
    if children.is_empty() {
        if !corrected {
            own.utility += params.bias * bias.mean(node.pattern());
        }
        let n = if corrected {
            1.0 + dropped
        } else {
            // Evaluated once, or an ended game that was visited again.
            node.visits().max(1) as f32
        };
        node.set_mean(&own);
        node.utility_square.set(own.utility * own.utility);
        node.weight_square.set(n);
        node.weight.set(n);
        return;
    }
    let visited: f32 = children.iter().map(|c| c.weight).sum();
    let total = prune(children, params);
    discount(children, total, params);
    if params.bias > 0.0 && !corrected {
        // By how much the children turned out better than the evaluation.
        let found = children.iter().map(|c| -c.weight * c.value.utility).sum::<f32>() / total;
        let weight = visited.powf(params.bias_weight);
        let error = (found - own.utility) * weight;
        let (former, former_weight) = (node.error.swap(error), node.error_weight.swap(weight));
        bias.add(node.pattern(), error - former, weight - former_weight);
        own.utility += params.bias * bias.mean(node.pattern());
    }
    let own_weight = 1.0 + dropped;
    let mut sum = Value {
        win: own.win * own_weight,
        lead: own.lead * own_weight,
        square: own.square * own_weight,
        utility: own.utility * own_weight,
    };
    let mut utility_square = own.utility * own.utility * own_weight;
    let mut weight_square = own_weight;
    for child in children.iter() {
        let (value, w) = (child.value.flip(), child.weight);
        sum.win += w * value.win;
        sum.lead += w * value.lead;
        sum.square += w * value.square;
        sum.utility += w * value.utility;
        utility_square += w * child.utility_square;
        let scaled = w / child.own_weight;
        weight_square += scaled * scaled * child.weight_square;
    }
    let all = total + own_weight;
    node.set_mean(&Value {
        win: (sum.win / all).clamp(0.0, 1.0),
        lead: sum.lead / all,
        square: sum.square / all,
        utility: sum.utility / all,
    });
    node.utility_square.set(utility_square / all);
    node.weight_square.set(weight_square);
    node.weight.set(all);
}

/// Lowers the weight of children that are worse than those before them to twice their share of the policy, for further
/// visits were exploration (KataGo's noise pruning). Returns the weight that is left.
fn prune(children: &mut [Child], params: &SearchParams) -> f32 {
    let (mut utility, mut weight, mut prior) = (0.0, 0.0, 0.0);
    for child in children {
        let gap = utility / weight - child.value.utility;
        if weight > 0.0 && gap > 0.0 {
            let excess = child.weight - 2.0 * weight * child.prior / prior;
            if excess > 0.0 {
                child.weight -= excess * (1.0 - (-gap / params.prune_scale).exp());
            }
        }
        utility += child.weight * child.value.utility;
        weight += child.weight;
        prior += child.prior;
    }
    weight
}

/// Moves weight from children worse than the mean to better ones, keeping the sum (KataGo's value weighting).
fn discount(children: &mut [Child], total: f32, params: &SearchParams) {
    if params.value_weight == 0.0 || children.len() < 2 || total <= 0.0 {
        return;
    }
    let mean = children.iter().map(|c| c.weight * c.value.utility).sum::<f32>() / total;
    let mut sum = 0.0;
    for child in children.iter_mut() {
        let stdev = (1e-8 + 1.0 / (1.5 * child.weight.max(1e-6).sqrt())).sqrt();
        let better = student((child.value.utility - mean) / stdev) + 1e-4;
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
        let value = Value {
            utility,
            ..Value::default()
        };
        Child {
            value,
            utility_square: utility * utility,
            prior,
            weight,
            own_weight: weight,
            weight_square: weight,
        }
    }

    #[test]
    fn what_was_found_below_stays_when_the_children_are_dropped() {
        let tree = Tree::new(1 << 20, false);
        let (root, params) = (tree.reset(), SearchParams::default());
        let (bias, mut scratch) = (SubtreeBias::default(), Scratch::default());
        let visit = |id, win: f32| {
            let value = Value {
                win,
                utility: 2.0 * win - 1.0,
                ..Value::default()
            };
            tree.node(id).set_own(&value);
            tree.node(id).add_visit();
        };
        assert!(tree.claim(root) && tree.expand(root, &[(7, 0.5), (8, 0.5)], 2));
        visit(root, 0.5);
        for (child, win) in tree.node(root).children().zip([0.7, 0.6]) {
            visit(child, win);
            tree.node(root).add_visit();
            recompute(&tree, child, false, &params, &bias, &mut scratch);
        }
        recompute(&tree, root, false, &params, &bias, &mut scratch);
        let node = tree.node(root);
        let (mean, weight) = (node.mean(), node.weight.get());
        assert!(mean.win < 0.45 && weight > 2.0, "{mean:?}, {weight}");
        node.drop_children();
        tree.release(root);
        recompute(&tree, root, false, &params, &bias, &mut scratch);
        assert_eq!((node.mean(), node.weight.get()), (mean, weight));
        // A new child counts beside it.
        assert!(tree.claim(root) && tree.expand(root, &[(9, 1.0)], 1));
        let child = tree.child(root, 9).expect("a child");
        visit(child, 0.0);
        recompute(&tree, child, false, &params, &bias, &mut scratch);
        recompute(&tree, root, false, &params, &bias, &mut scratch);
        assert!((node.weight.get() - weight - 1.0).abs() < 1e-5);
        assert!((node.mean().win - (mean.win * weight + 1.0) / (weight + 1.0)).abs() < 1e-5);
    }

    #[test]
    fn student_is_a_distribution() {
        assert!((student(0.0) - 0.5).abs() < 1e-6);
        assert!((student(2.353_36) - 0.95).abs() < 1e-4);
        assert!(student(-100.0) < 1e-4);
    }

    #[test]
    fn weights_move_to_better_children_and_keep_their_sum() {
        let params = SearchParams::default();
        let mut children = [child(0.5, 10.0, 0.4), child(-0.5, 10.0, 0.4)];
        discount(&mut children, 20.0, &params);
        assert!(children[0].weight > 10.0);
        assert!((children[0].weight + children[1].weight - 20.0).abs() < 1e-4);
    }

    #[test]
    fn exploration_of_bad_moves_is_pruned() {
        let params = SearchParams::default();
        let mut children = [child(0.5, 10.0, 0.9), child(-0.5, 10.0, 0.05), child(0.6, 10.0, 0.05)];
        let total = prune(&mut children, &params);
        assert!(children[1].weight < 2.0, "{children:?}");
        assert_eq!((children[0].weight, children[2].weight), (10.0, 10.0));
        assert!((total - children.iter().map(|c| c.weight).sum::<f32>()).abs() < 1e-4);
    }
}
