//! Steps of the optimiser.

use super::*;

/// A step is AdamW's against the mean gradient, batches larger than a chunk and slices of all widths included; the loss
/// is that of the weights before it.
#[test]
fn steps_are_those_of_adamw() {
    let data = speed::random_positions::<Chess>(2500, 9);
    let list: Vec<u32> = everything(&data).into_iter().rev().collect();
    for (hidden, threads) in [(32, 1), (96, 2), (256, 2)] {
        let first = Weights::random::<Chess>(hidden, 4);
        let (mut w, mut adam) = (first.clone(), Adam::new(first.all.len()));
        let mut learner = learner::<Chess>(&first, threads);
        for step in 0..3 {
            let gradient = gradient::<Chess>(&w, &data, 1);
            let mean: Vec<f32> = gradient.iter().map(|g| g / data.len() as f32).collect();
            let before = total::<Chess>(&w, &data);
            adam.descend(&mut w.all, &mean, 0.002, |_| 0.01);
            let batch = Batch {
                list: &list,
                goal: GOAL,
                mirror: None,
            };
            let told = learner.learn::<Chess>(&data, batch, Pull::new(0.002, 0.01));
            assert!(
                (told - before).abs() < 1e-4 * before,
                "step {step}: {told}, not {before}"
            );
        }
        let mut stored = (Weights::zero::<Chess>(hidden), Adam::new(first.all.len()));
        learner.store(&mut stored.0, &mut stored.1);
        assert_eq!(stored.1.steps, 3);
        let far = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        // The order of additions differs; a weight whose gradient is next to nothing may go another way.
        let apart = stored
            .0
            .all
            .iter()
            .zip(&w.all)
            .filter(|(a, b)| (*a - *b).abs() > 1e-4)
            .count();
        assert!(apart < w.all.len() / 1000, "{apart} weights are elsewhere");
        assert!(far(&stored.1.mean, &adam.mean) < 1e-6);
        let loss = learner.loss::<Chess>(&data, GOAL) * data.len() as f64;
        let expected = total::<Chess>(&stored.0, &data);
        assert!((loss - expected).abs() < 1e-4 * expected, "{loss}, not {expected}");
    }
}

/// A rate of the output layer of its own moves its weights and biases so many times as far, and no others.
#[test]
fn the_output_layer_may_learn_faster() {
    let data = speed::random_positions::<Chess>(8, 3);
    let list = everything(&data);
    let first = Weights::random::<Chess>(32, 4);
    let after = |output_rate: f32| {
        let mut learner = learner::<Chess>(&first, 1);
        let batch = Batch {
            list: &list,
            goal: GOAL,
            mirror: None,
        };
        let pull = Pull {
            output_rate,
            ..Pull::new(0.001, 0.0)
        };
        learner.learn::<Chess>(&data, batch, pull);
        let mut stored = (Weights::zero::<Chess>(32), Adam::new(first.all.len()));
        learner.store(&mut stored.0, &mut stored.1);
        stored.0.all
    };
    let (even, fast) = (after(1.0), after(20.0));
    for (i, start) in first.all.iter().enumerate() {
        let times = if i < first.output { 1.0 } else { 20.0 };
        let (want, found) = (times * (even[i] - start), fast[i] - start);
        assert!((found - want).abs() < 1e-5, "weight {i}: {found}, not {want}");
    }
    assert_ne!(even[first.output..], first.all[first.output..]);
}

/// The anchor draws weights back to the first ones, also where king buckets share a common row: far away, it takes off its
/// part of the distance.
#[test]
fn the_anchor_draws_back_to_the_first_weights() {
    fn check<P: Features>() {
        let data = speed::random_positions::<P>(8, 3);
        let list = everything(&data);
        let first = Weights::random::<P>(32, 4);
        let other = Weights::random::<P>(32, 5);
        let after = |anchor: f32| {
            let mut learner = learner::<P>(&other, 1);
            learner.anchor_to(&first);
            let batch = Batch {
                list: &list,
                goal: GOAL,
                mirror: None,
            };
            let pull = Pull {
                anchor,
                ..Pull::new(0.001, 0.0)
            };
            learner.learn::<P>(&data, batch, pull);
            let mut stored = (Weights::zero::<P>(32), Adam::new(first.all.len()));
            learner.store(&mut stored.0, &mut stored.1);
            stored.0.all
        };
        let (free, drawn) = (after(0.0), after(100.0));
        for i in 0..first.start {
            let want = 0.1 * (first.all[i] - other.all[i]);
            let found = drawn[i] - free[i];
            assert!((found - want).abs() < 1e-5, "weight {i}: {found}, not {want}");
        }
    }
    check::<Chess>();
    check::<Shogi>();
}

/// A larger decay of king buckets draws their rows to the common ones, and leaves these alone.
#[test]
fn bucket_decay_acts_on_distances() {
    let (hidden, data) = (32, Data::new::<Shogi>());
    let mut w = Weights::random::<Shogi>(hidden, 5);
    let common = w.all[w.common..].to_vec();
    w.all[..w.start].iter_mut().for_each(|x| *x += 0.01);
    let mut learner = learner::<Shogi>(&w, 2);
    let batch = Batch {
        list: &[],
        goal: GOAL,
        mirror: None,
    };
    let pull = Pull {
        bucket_decay: 50.0,
        ..Pull::new(0.1, 0.1)
    };
    learner.learn::<Shogi>(&data, batch, pull);
    let (mut after, mut adam) = (w.clone(), Adam::new(w.all.len()));
    learner.store(&mut after, &mut adam);
    for (i, before) in common.iter().enumerate() {
        let (now, row) = (after.all[after.common + i], after.all[i]);
        assert!((now - before * 0.99).abs() < 1e-6, "{i}: {before} became {now}");
        assert!(
            (row - now - 0.005).abs() < 1e-6,
            "{i}: {} from the common row",
            row - now
        );
    }
}

/// Rows that the parts of an input set have in common learn what all of them learn, and a step moves both alike.
#[test]
fn what_parts_have_in_common_learns_from_all() {
    let (hidden, mut data) = (32, Data::new::<Shogi>());
    // The kings stand in different zones: each view has a part of its own.
    let pos = Shogi::parse("4k4/9/9/9/9/9/4P4/9/7K1 b P 1", &Default::default()).expect("a position");
    let q = Quiet {
        pos: &pos,
        score: 250,
        result: None,
        game: 0,
    };
    data.add(&q);
    let w = Weights::random::<Shogi>(hidden, 5);
    let part = (w.all.len() - w.common) / hidden;
    assert_eq!(part * Shogi::KING_BUCKETS, Shogi::INPUTS);
    let sample = unpacked::<Shogi>(&data, 0);
    let parts = sample.inputs().map(|view| usize::from(view[0]) / part);
    assert_ne!(parts[0], parts[1], "both kings are in one zone");
    let gradient = gradient::<Shogi>(&w, &data, 2);
    let mut seen = 0;
    for row in 0..part {
        let i = row * hidden + 3;
        let moved = |d: f32| {
            let mut w = w.clone();
            (0..Shogi::KING_BUCKETS).for_each(|p| w.all[i + p * part * hidden] += d);
            total::<Shogi>(&w, &data)
        };
        let given = f64::from(gradient[w.common + i]);
        if given != 0.0 {
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!(
                (slope - given).abs() < 4e-5 + 0.03 * slope.abs(),
                "row {row}: {given}, not {slope}"
            );
            seen += 1;
        }
    }
    assert!(seen > 2, "only {seen} common rows have a gradient");
    let mut learner = learner::<Shogi>(&w, 2);
    let batch = Batch {
        list: &[0],
        goal: GOAL,
        mirror: None,
    };
    learner.learn::<Shogi>(&data, batch, Pull::new(0.001, 0.01));
    let (mut after, mut adam) = (w.clone(), Adam::new(w.all.len()));
    learner.store(&mut after, &mut adam);
    let unseen = (0..Shogi::KING_BUCKETS)
        .find(|p| !parts.contains(p))
        .expect("a zone without a king");
    let row = usize::from(sample.inputs()[0][0]) % part;
    let at = |w: &Weights, p: usize| w.all[(p * part + row) * hidden..][..hidden].to_vec();
    assert_ne!(
        at(&w, unseen),
        at(&after, unseen),
        "a zone without a king learnt nothing"
    );
    // A part that has learnt nothing of its own is what all have in common.
    assert_eq!(at(&after, unseen), after.all[after.common + row * hidden..][..hidden]);
}
