use super::data::sigmoid;
use super::model::whole_score;
use super::packed::Sample;
use super::*;
use crate::games::Quiet;
use nguky::eval::nnue::{NnueEvaluator, SCALE};
use nguky::game::{Evaluator, Position};
use nguky::games::{chess::Chess, shogi::Shogi};
use std::path::Path;
use std::sync::Arc;

mod runs;
mod steps;

const SETUPS: [(&str, i32, f32); 3] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 20, 0.5),
    (
        "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R b KQkq - 0 5",
        -35,
        1.0,
    ),
    ("8/5k2/8/8/3K4/8/4P3/8 w - - 0 1", 150, 1.0),
];
const GOAL: Goal = Goal {
    blend: 0.3,
    unit: 300.0,
};

fn sample() -> Data {
    let mut data = Data::new::<Chess>();
    for (setup, score, result) in SETUPS {
        let pos = Chess::parse(setup, &Default::default()).expect("a position");
        let q = Quiet {
            pos: &pos,
            score,
            result: Some(result),
            game: 0,
        };
        data.add(&q);
    }
    data
}

fn unpacked<P: Features>(data: &Data, i: usize) -> Sample {
    let mut sample = Sample::new();
    data.sample::<P>(i, false, &mut sample);
    sample
}

fn everything(data: &Data) -> Vec<u32> {
    (0..data.len() as u32).collect()
}

/// The summed loss, position by position.
fn total<P: Features>(w: &Weights, data: &Data) -> f64 {
    let mut room = vec![0.0; 2 * w.hidden];
    let one = |i| {
        let sample = unpacked::<P>(data, i);
        let out = w.out(sample.inputs(), sample.bucket, &mut room);
        f64::from((sigmoid(out * GOAL.factor()) - sample.target(GOAL)).powi(2))
    };
    (0..data.len()).map(one).sum()
}

fn learner<P: Features>(w: &Weights, threads: usize) -> Learner {
    Learner::new::<P>(w, &Adam::new(w.all.len()), threads)
}

fn gradient<P: Features>(w: &Weights, data: &Data, threads: usize) -> Vec<f32> {
    let list = everything(data);
    let batch = Batch {
        list: &list,
        goal: GOAL,
        mirror: None,
    };
    learner::<P>(w, threads).gradient::<P>(data, batch, f32::INFINITY, w)
}

/// The gradient equals the slope between two losses close by, in whatever slices it is worked out.
#[test]
fn gradients_are_slopes() {
    let data = sample();
    for (hidden, threads) in [(32, 1), (32, 2), (96, 2), (160, 2), (256, 1), (224, 3)] {
        let w = Weights::random::<Chess>(hidden, 3);
        let given = gradient::<Chess>(&w, &data, threads);
        let first = unpacked::<Chess>(&data, 0);
        let inputs: Vec<usize> = first.inputs().concat().into_iter().map(usize::from).collect();
        let rows = inputs.iter().flat_map(|i| [i * hidden + 5, i * hidden + hidden - 1]);
        let others = (w.start..w.start + 8)
            .chain((w.output..w.bias).step_by(hidden / 32))
            .chain(w.bias..w.common);
        let mut seen = 0;
        for i in rows.chain(others) {
            let near = |d: f32| {
                let mut w = w.clone();
                w.all[i] += d;
                total::<Chess>(&w, &data)
            };
            let slope = (near(1e-2) - near(-1e-2)) / 2e-2;
            let given = f64::from(given[i]);
            assert!(
                (slope - given).abs() < 4e-5 + 0.03 * slope.abs(),
                "{hidden} wide, weight {i}: {given}, not {slope}"
            );
            seen += usize::from(given.abs() > 1e-5);
        }
        assert!(seen > 50, "only {seen} weights have a gradient");
    }
}

/// Huber's bound holds back a large error's gradient, in its proportion, and leaves a small one's as it is.
#[test]
fn huber_bounds_the_pull_of_large_errors() {
    let (data, w) = (speed::random_positions::<Chess>(1, 6), Weights::random::<Chess>(32, 7));
    let sample = unpacked::<Chess>(&data, 0);
    let out = w.out(sample.inputs(), sample.bucket, &mut vec![0.0; 2 * w.hidden]);
    let error = (sigmoid(out * GOAL.factor()) - sample.target(GOAL)).abs();
    let list = [0];
    let by = |huber| {
        let batch = Batch {
            list: &list,
            goal: GOAL,
            mirror: None,
        };
        learner::<Chess>(&w, 1).gradient::<Chess>(&data, batch, huber, &w)
    };
    let (free, small, large) = (by(f32::INFINITY), by(1.01 * error), by(0.25 * error));
    assert!(error > 0.01 && free[w.bias..w.common].iter().any(|g| g.abs() > 1e-4));
    assert_eq!(free, small);
    for (free, large) in free.iter().zip(&large) {
        assert!(
            (0.25 * free - large).abs() <= 1e-2 * free.abs() + 1e-6,
            "{large} for {free}"
        );
    }
}

/// Teachers take the place of a share of each score: none, half of the win probability, or all; results stay.
#[test]
fn teachers_take_a_share_of_the_scores() {
    let unit = 200.0;
    let given = speed::random_positions::<Chess>(50, 6);
    let teachers = [(32, 8), (64, 9)].map(|(hidden, seed)| Weights::random::<Chess>(hidden, seed));
    let mean = |i: usize| {
        let sample = unpacked::<Chess>(&given, i);
        let out = |w: &Weights| w.out(sample.inputs(), sample.bucket, &mut vec![0.0; 2 * w.hidden]);
        teachers.iter().map(out).sum::<f32>() * SCALE as f32 / 2.0
    };
    for share in [0.0, 0.5, 1.0] {
        let mut taught = speed::random_positions::<Chess>(50, 6);
        taught.teach::<Chess>(&teachers, share, unit);
        for i in 0..50 {
            let (before, after) = (unpacked::<Chess>(&given, i), unpacked::<Chess>(&taught, i));
            let [own, theirs, now] = [before.score, mean(i), after.score].map(|score| sigmoid(score / unit));
            let expected = own * (1.0 - share) + theirs * share;
            assert!(
                (now - expected).abs() < 0.002,
                "{share}, position {i}: {now}, not {expected}"
            );
            assert_eq!(before.result.to_bits(), after.result.to_bits());
            assert_eq!(before.inputs(), after.inputs());
        }
    }
}

/// In training, a position is shown as it is or mirrored, by the seed of the epoch.
#[test]
fn positions_are_mirrored_at_random() {
    use nguky::games::xiangqi::Xiangqi;
    let pos = Xiangqi::parse("4k4/9/9/R8/9/4P4/9/5C3/9/4K4 w", &Default::default()).expect("a position");
    let mut data = Data::new::<Xiangqi>();
    data.add(&Quiet {
        pos: &pos,
        score: 120,
        result: None,
        game: 0,
    });
    let w = Weights::random::<Xiangqi>(32, 1);
    let touched = |mirror: Option<u64>| {
        let batch = Batch {
            list: &[0],
            goal: GOAL,
            mirror,
        };
        let gradient = learner::<Xiangqi>(&w, 1).gradient::<Xiangqi>(&data, batch, f32::INFINITY, &w);
        let rows = gradient[..w.start].chunks(32).enumerate();
        rows.filter(|(_, row)| row.iter().any(|g| *g != 0.0))
            .map(|(i, _)| i)
            .collect::<Vec<_>>()
    };
    let plain = touched(None);
    let seen: Vec<bool> = (0..40).map(|seed| touched(Some(seed)) == plain).collect();
    let as_it_is = seen.iter().filter(|s| **s).count();
    assert!((8..=32).contains(&as_it_is), "{as_it_is} of 40");
    assert!((0..40).all(|seed| touched(Some(seed)).len() == plain.len()));
}

/// What the engine computes is what was trained, up to rounding.
#[test]
fn quantising_keeps_the_score() {
    let (data, w) = (sample(), Weights::random::<Chess>(64, 9));
    let net = w.quantised::<Chess>("test", 32).expect("small weights");
    let (mut learned, mut room) = (NnueEvaluator::<Chess>::new(Arc::new(net)), vec![0.0; 128]);
    for (i, (setup, ..)) in SETUPS.iter().enumerate() {
        let pos = Chess::parse(setup, &Default::default()).expect("a position");
        learned.reset(&pos);
        let sample = unpacked::<Chess>(&data, i);
        let exact = w.out(sample.inputs(), sample.bucket, &mut room) * SCALE as f32;
        let score = learned.score(&pos) as f32;
        assert!((exact - score).abs() < 5.0, "{setup}: {score}, not {exact}");
        let net = w.quantised::<Chess>("test", 32).expect("small weights");
        assert_eq!(whole_score(&net, sample.inputs(), sample.bucket), score as i64);
    }
}

#[test]
fn sums_that_could_overflow_are_refused() {
    let mut w = Weights::random::<Chess>(32, 1);
    w.all[..w.start].fill(1.98);
    assert!(w.quantised::<Chess>("test", 32).is_ok());
    let told = w.quantised::<Chess>("test", 70).expect_err("too large").to_string();
    assert!(told.contains("overflow"), "{told}");
}

/// Only units whose sums could overflow are lowered, and no further than they must be.
#[test]
fn sums_that_could_overflow_are_lowered() {
    let mut w = Weights::random::<Chess>(32, 1);
    let before = w.clone();
    assert_eq!(w.bound::<Chess>(32), 0);
    assert_eq!(w.all, before.all);
    (0..w.start / 32).for_each(|input| w.all[input * 32 + 7] = -1.98);
    (0..w.start / 32).for_each(|input| w.all[input * 32 + 8] = 1.5);
    let large = w.clone();
    assert!(w.quantised::<Chess>("test", 36).is_err());
    assert_eq!(w.bound::<Chess>(36), 1);
    assert_eq!(w.quantised::<Chess>("test", 36).map(|net| net.fine).ok(), Some(0));
    for (i, (now, then)) in w.all[..w.start].iter().zip(&large.all).enumerate() {
        if i % 32 == 7 {
            assert!((-1.80..-1.75).contains(now), "{now}");
        } else {
            assert_eq!(now, then);
        }
    }
}

/// A network that is read back into floating point and rounded again is the same.
#[test]
fn networks_are_read_back() {
    use nguky::games::shogi::Shogi;
    fn check<P: Features>(hidden: usize) {
        let net = Weights::random::<P>(hidden, 6)
            .quantised::<P>("test", P::MAX_ACTIVE)
            .expect("small weights");
        let w = Weights::of_net::<P>(&net, hidden, 1).expect("the same shape");
        assert_eq!(w.quantised::<P>("test", P::MAX_ACTIVE).expect("small weights"), net);
        let told = Weights::of_net::<P>(&net, hidden - 32, 1)
            .map(|_| ())
            .expect_err("a wider accumulator");
        let told = told.to_string();
        assert!(told.contains(&format!("accumulator of {hidden} values")), "{told}");
        // A wider one gives the same scores, with units that can learn.
        let wide = Weights::of_net::<P>(&net, hidden + 32, 1).expect("a narrower network");
        let inputs: Vec<u16> = (0..20u16).map(|i| i * 37 % P::INPUTS as u16).collect();
        for bucket in 0..P::OUTPUT_BUCKETS {
            let out = |w: &Weights| w.out([&inputs, &inputs[5..]], bucket, &mut vec![0.0; 2 * w.hidden]);
            assert!((out(&w) - out(&wide)).abs() < 1e-5, "{bucket}");
        }
        assert!(wide.all[hidden..hidden + 32].iter().any(|&x| x != 0.0));
    }
    check::<Chess>(64);
    check::<Shogi>(64);
}

/// Settings of a short run.
fn tiny(dir: &Path, out: &str, epochs: u32) -> TrainArgs {
    TrainArgs {
        game: "chess".into(),
        data: vec![dir.join("data")],
        out: dir.join(out),
        name: "tiny".into(),
        hidden: 32,
        shape: String::new(),
        start: Vec::new(),
        teacher: Vec::new(),
        teacher_share: 0.5,
        validate: None,
        memory: None,
        half: false,
        pass: None,
        epochs,
        batch: 64,
        rate: 0.01,
        warmup: 20,
        blend: None,
        lambda: 0.0,
        unit: Some(400.0),
        decay: 0.01,
        bucket_decay: 1.0,
        output_rate: 1.0,
        anchor: 0.0,
        huber: 1.0,
        squares: false,
        tables: false,
        stop_after: None,
        threads: 1,
        seed: 1,
    }
}

#[test]
fn the_rate_rises_then_falls_and_the_blend_moves() {
    let dir = std::env::temp_dir();
    let args = TrainArgs {
        warmup: 10,
        batch: 100,
        rate: 0.001,
        blend: "0.2:0.6".parse().ok(),
        ..tiny(&dir, "x", 4)
    };
    let plan = Plan::new(&args, 10_000, 400.0);
    assert_eq!(plan.steps, [100, 400]);
    let rates: Vec<f32> = (0..400).map(|s| plan.rate(s)).collect();
    assert!(rates[..10].is_sorted() && rates[0] < 0.0002 && rates[11..].is_sorted_by(|a, b| a >= b));
    assert!((rates[10] - 0.001).abs() < 1e-5 && rates[399] < 0.00002);
    assert!((plan.goal(0).blend - 0.2).abs() < 1e-6 && (plan.goal(200).blend - 0.4).abs() < 1e-3);
    assert!((plan.goal(400).blend - 0.6).abs() < 1e-6);
    // A short run has a short rise.
    assert_eq!(Plan::new(&TrainArgs { warmup: 400, ..args }, 10_000, 400.0).warmup, 20);
    for bad in ["", "x", "1.5", "0.2:", "0.1:0.2:0.3", "-0.1", "nan"] {
        let told = bad.parse::<Blend>().expect_err(bad);
        assert!(told.contains("0.2:0.5") && told.contains(bad), "{told}");
    }
}

/// Inputs of one point, or of two zones of the king, never meet: they do not make the scale coarser. What lies in hand does.
#[test]
fn inputs_that_never_meet_are_not_added() {
    use nguky::game::Features;
    use nguky::games::shogi::Shogi;
    let weight = 1.5;
    let fine = |inputs: &mut dyn Iterator<Item = usize>| {
        let mut w = Weights::random::<Shogi>(32, 1);
        w.all.fill(0.0);
        inputs.for_each(|i| w.all[i * 32] = weight);
        w.quantised::<Shogi>("test", 40).map(|net| net.fine)
    };
    let input = |turn, piece, place| Shogi::feature(nguky::game::Side::First, turn, piece, place);
    // Forty inputs of one point and of its like in other zones, and then forty points.
    let finest = nguky::eval::nnue::FINEST;
    let one_point = (0..10)
        .step_by(2)
        .flat_map(|turn| (0..8).map(move |piece| input(turn, piece, 40)));
    assert_eq!(fine(&mut one_point.into_iter()).ok(), Some(finest));
    let points = (0..40).map(|place| input(0, 3, place));
    assert_eq!(fine(&mut points.into_iter()).ok(), Some(0));
    let hands = (0..40).map(|nth| input(0, 3, 81 + nth));
    assert_eq!(fine(&mut hands.into_iter()).ok(), Some(0));
}

/// Where there are king buckets, tables count in what these have in common, not as distances from it.
#[test]
fn tables_are_common_to_king_buckets() {
    let mut data = Data::new::<Shogi>();
    for (setup, score) in [
        ("4k4/9/9/9/9/9/4P4/9/7K1 b P 1", 250),
        ("4k4/9/9/9/9/9/9/9/4K4 b R 1", 900),
    ] {
        let pos = Shogi::parse(setup, &Default::default()).expect("a position");
        data.add(&Quiet {
            pos: &pos,
            score,
            result: None,
            game: 0,
        });
    }
    let mut w = Weights::random::<Shogi>(32, 3);
    Psqt::fit::<Shogi>(&data, GOAL, 1).plant(&mut w);
    let part = w.all.len() - w.common;
    for i in (0..part).step_by(7) {
        let sum: f32 = (0..Shogi::KING_BUCKETS).map(|p| w.all[p * part + i]).sum();
        let (mean, common) = (sum / Shogi::KING_BUCKETS as f32, w.all[w.common + i]);
        assert!((mean - common).abs() < 1e-5, "{i}: {common}, but a mean of {mean}");
    }
}

/// Tables that are fitted to material find it, and the network that holds them says the same.
#[test]
fn tables_are_a_network() {
    let data = sample();
    let squares = Psqt::fit::<Chess>(&data, GOAL, 1);
    assert!(squares.loss::<Chess>(&data, GOAL) < 0.06);
    // A network that begins with them evaluates much as they do.
    let (mut planted, mut room) = (Weights::random::<Chess>(64, 1), vec![0.0; 128]);
    squares.plant(&mut planted);
    for i in 0..data.len() {
        let sample = unpacked::<Chess>(&data, i);
        let out = planted.out(sample.inputs(), sample.bucket, &mut room);
        assert!((out - squares.out(&sample)).abs() < 0.5, "{out}");
    }
    let net = Arc::new(squares.network("squares"));
    assert_eq!(Net::read::<Chess>(&net.write::<Chess>()).as_ref(), Ok(&*net));
    let mut learned = NnueEvaluator::<Chess>::new(net);
    for (i, (setup, ..)) in SETUPS.iter().enumerate() {
        let pos = Chess::parse(setup, &Default::default()).expect("a position");
        learned.reset(&pos);
        let exact = squares.out(&unpacked::<Chess>(&data, i)) * SCALE as f32;
        let score = learned.score(&pos) as f32;
        assert!((exact - score).abs() < 6.0, "{setup}: {score}, not {exact}");
    }
}
