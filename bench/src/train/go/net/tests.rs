use super::*;
use crate::train::go::loss::GoTarget;
use crate::train::go::shape::{PLANES, Widths};
use nguky::util::rng::SplitMix;
use std::ops::Range;

fn sample(size: usize, boards: usize) -> BoardBatch {
    let plan = Tiling { size, boards };
    let mut rng = SplitMix::new(7);
    let mut part = |n: u64| rng.below(n) as f32 / (n - 1) as f32;
    let planes = (0..plan.points() * PLANES).map(|i| if i % PLANES < 22 && part(4) > 0.8 { 1.0 } else { 0.0 });
    let planes = planes.collect();
    let globals = (0..boards * GLOBALS).map(|_| part(100) - 0.5).collect();
    let targets = (0..boards)
        .map(|i| {
            let mut policy: Vec<f32> = (0..=plan.area()).map(|_| part(50)).collect();
            let sum: f32 = policy.iter().sum();
            policy.iter_mut().for_each(|x| *x /= sum);
            GoTarget {
                policy,
                value: [0.7, 0.25, 0.05],
                lead: 5.0,
                mean: -8.0,
                deviation: (i == 0).then_some(12.0),
                own: (0..plan.area()).map(|_| 2.0 * part(20) - 1.0).collect(),
            }
        })
        .collect();
    BoardBatch {
        plan,
        planes,
        globals,
        targets,
    }
}

/// The gradient equals the slope between two losses close by.
#[test]
fn gradients_are_slopes() {
    slopes(&Shape::new(2, 16));
}

/// The same with the sizes of other networks.
#[test]
fn gradients_of_larger_first_filters_are_slopes() {
    let widths = Widths {
        stem: 5,
        pooled: 8,
        head: 8,
        hidden: 24,
    };
    slopes(&Shape::with(2, 16, widths));
}

fn slopes(shape: &Shape) {
    let all = shape.random(3);
    let mut learner = GoLearner::new(shape);
    let groups = [sample(5, 2), sample(7, 1)];
    // The deviation's target hangs on the mean where it is not given: not a slope.
    let mut groups = groups;
    groups
        .iter_mut()
        .flat_map(|g| &mut g.targets)
        .for_each(|t| t.deviation = Some(12.0));
    let net = TrainedNet::new(shape.clone(), all.clone());
    for group in &groups {
        learner.learn(&net, group);
    }
    let grad = learner.finish(shape).to_vec();
    let mut total = |all: Vec<f32>| -> f64 {
        let net = TrainedNet::new(shape.clone(), all);
        let one = |g| -> f64 {
            let l = learner.evaluate(&net, g);
            l.total() * l.count
        };
        groups.iter().map(one).sum()
    };
    let mut rng = SplitMix::new(1);
    let (mut seen, mut wrong) = (0, Vec::new());
    let mut check = |i: usize| {
        let mut near = |d: f32| {
            let mut all = all.clone();
            all[i] += d;
            total(all)
        };
        let slope = (near(4e-3) - near(-4e-3)) / 8e-3;
        let given = f64::from(grad[i]);
        seen += usize::from(given.abs() > 1e-3);
        if (slope - given).abs() > 3e-3 + 0.03 * slope.abs() {
            wrong.push(format!("weight {i}: {given}, not {slope}"));
        }
    };
    let mut parts: Vec<Range<usize>> = shape.convs().iter().map(|c| c.range()).collect();
    parts.extend(shape.norms().iter().map(|n| n.at..n.at + 2 * n.channels));
    let mats = [
        &shape.globals,
        &shape.heads,
        &shape.pool_mat,
        &shape.policy,
        &shape.pass,
        &shape.hidden,
    ];
    parts.extend(mats.iter().map(|m| m.range()));
    parts.extend([
        shape.hidden_bias.clone(),
        shape.value.range(),
        shape.value_bias.clone(),
        shape.own.range(),
    ]);
    for b in &shape.blocks {
        parts.extend(b.pool.iter().map(|p| p.mat.range()));
    }
    assert_eq!(
        parts.iter().map(|p| p.len()).sum::<usize>(),
        shape.len,
        "some weights are not looked at"
    );
    for part in parts {
        for _ in 0..10 {
            check(part.start + rng.below(part.len() as u64) as usize);
        }
    }
    assert!(seen > 100, "only {seen} weights have a gradient");
    // A step may cross the corner of a ReLU or of a maximum.
    assert!(wrong.len() <= 4, "{wrong:#?}");
}

#[test]
fn a_few_positions_are_learnt_by_heart() {
    let shape = Shape::new(2, 16);
    let mut net = TrainedNet::new(shape.clone(), shape.random(5));
    let mut learner = GoLearner::new(&shape);
    let group = sample(5, 3);
    let first = learner.evaluate(&net, &group).total();
    for _ in 0..60 {
        learner.clear();
        learner.learn(&net, &group);
        let grad = learner.finish(&shape).to_vec();
        net.all.iter_mut().zip(grad).for_each(|(w, g)| *w -= 0.01 * g);
        net.prepare();
    }
    let last = learner.evaluate(&net, &group).total();
    assert!(last < first - 0.2, "{first} to {last}");
}
