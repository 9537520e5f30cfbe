use super::*;
use crate::games::Quiet;
use nguky::eval::nnue::Learned;
use nguky::game::{Evaluator, Position};
use nguky::games::chess::Chess;
use std::sync::Arc;

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
    let mut data = Data::default();
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

/// The gradient equals the slope between two losses close by.
#[test]
fn gradients_are_slopes() {
    let (data, hidden) = (sample(), 32);
    let w = Weights::random::<Chess>(hidden, 3);
    let mut grads = vec![Weights::zero::<Chess>(hidden); 2];
    batch(&w, &data, &[0, 1, 2], GOAL, &mut grads);
    let total = |w: &Weights| loss(w, &data, GOAL) * data.len() as f64;
    let rows = data.inputs(0).concat().into_iter().map(|i| usize::from(i) * hidden + 5);
    let mut seen = 0;
    for i in rows.chain(w.start..w.start + 8).chain(w.output..w.all.len()) {
        let near = |d: f32| {
            let mut w = w.clone();
            w.all[i] += d;
            total(&w)
        };
        let slope = (near(1e-2) - near(-1e-2)) / 2e-2;
        let given = f64::from(grads[0].all[i]);
        assert!(
            (slope - given).abs() < 4e-5 + 0.03 * slope.abs(),
            "weight {i}: {given}, not {slope}"
        );
        seen += usize::from(given.abs() > 1e-5);
    }
    assert!(seen > 50, "only {seen} weights have a gradient");
}

/// A position is mirrored where a king stands on the axis, and then shows what the mirrored board would.
#[test]
fn mirrored_positions_are_those_of_the_mirrored_board() {
    use nguky::game::Features;
    use nguky::games::{coup::Coup, shogi::Shogi, xiangqi::Xiangqi};
    fn inputs<P: Features>(setup: &str, mirrored: bool) -> Option<[Vec<u16>; 2]> {
        let pos = P::parse(setup, &Default::default()).expect("a position");
        let q = Quiet {
            pos: &pos,
            score: 120,
            result: None,
            game: 0,
        };
        let mut data = Data::default();
        if mirrored {
            data.add_mirrored(&q);
        } else {
            data.add(&q);
        }
        let sorted = |view: &[u16]| {
            let mut view = view.to_vec();
            view.sort_unstable();
            view
        };
        (data.len() == 1).then(|| data.inputs(0).map(sorted))
    }
    fn check<P: Features>(one: &str, other: &str) {
        assert_ne!(inputs::<P>(one, false), inputs::<P>(other, false), "{one}");
        assert_eq!(inputs::<P>(one, true), inputs::<P>(other, false), "{one}");
        assert_eq!(inputs::<P>(other, true), inputs::<P>(one, false), "{other}");
    }
    let (one, other) = ("4k4/9/9/R8/9/4P4/9/5C3/9/4K4 w", "4k4/9/9/8R/9/4P4/9/3C5/9/4K4 w");
    check::<Xiangqi>(one, other);
    check::<Coup>(one, other);
    // Only one king on the axis: the other's view turns by itself.
    check::<Xiangqi>("3k5/9/9/R8/9/9/9/9/9/4K4 b", "5k3/9/9/8R/9/9/9/9/9/4K4 b");
    check::<Shogi>("4k4/9/9/R8/9/9/9/7G1/4K4 b P 1", "4k4/9/9/8R/9/9/9/1G7/4K4 b P 1");
    assert_eq!(inputs::<Xiangqi>("3k5/9/9/R8/9/9/9/9/9/5K3 w", true), None);
    assert_eq!(inputs::<Chess>(SETUPS[1].0, true), None);
}

/// Rows that the parts of an input set have in common learn what all of them learn, and a step moves both alike.
#[test]
fn what_parts_have_in_common_learns_from_all() {
    use nguky::games::shogi::Shogi;
    let (hidden, mut data) = (32, Data::default());
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
    assert_eq!(part * Shogi::PARTS, Shogi::INPUTS);
    let parts = data.inputs(0).map(|view| usize::from(view[0]) / part);
    assert_ne!(parts[0], parts[1], "both kings are in one zone");
    let mut grads = vec![Weights::zero::<Shogi>(hidden)];
    batch(&w, &data, &[0], GOAL, &mut grads);
    grads[0].sum_parts();
    let mut seen = 0;
    for row in 0..part {
        let i = row * hidden + 3;
        let moved = |d: f32| {
            let mut w = w.clone();
            (0..Shogi::PARTS).for_each(|p| w.all[i + p * part * hidden] += d);
            loss(&w, &data, GOAL)
        };
        let given = f64::from(grads[0].all[w.common + i]);
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
    let (mut after, mut adam) = (w.clone(), Adam::new(w.all.len()));
    adam.step(&mut after, &grads[0].all, 0.001, 0.01);
    let unseen = (0..Shogi::PARTS)
        .find(|p| !parts.contains(p))
        .expect("a zone without a king");
    let row = usize::from(data.inputs(0)[0][0]) % part;
    let at = |w: &Weights, p: usize| w.all[(p * part + row) * hidden..][..hidden].to_vec();
    assert_ne!(
        at(&w, unseen),
        at(&after, unseen),
        "a zone without a king learnt nothing"
    );
}

/// What the engine computes is what was trained, up to rounding.
#[test]
fn quantising_keeps_the_score() {
    let (data, w) = (sample(), Weights::random::<Chess>(64, 9));
    let net = w.quantised::<Chess>("test", 32).expect("small weights");
    let (mut learned, mut room) = (Learned::<Chess>::new(Arc::new(net)), vec![0.0; 128]);
    for (i, (setup, ..)) in SETUPS.iter().enumerate() {
        let pos = Chess::parse(setup, &Default::default()).expect("a position");
        learned.reset(&pos);
        let exact = w.out(data.inputs(i), data.heads[i].into(), &mut room) * SCALE as f32;
        let score = learned.score(&pos) as f32;
        assert!((exact - score).abs() < 5.0, "{setup}: {score}, not {exact}");
        let net = w.quantised::<Chess>("test", 32).expect("small weights");
        assert_eq!(whole_score(&net, data.inputs(i), data.heads[i].into()), score as i64);
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
    let input = |turn, piece, place| Shogi::input(nguky::game::Side::First, turn, piece, place);
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

/// A run that is killed after some passes and taken up again gives the same network, and the loss falls.
#[test]
fn a_run_is_taken_up_again() {
    let dir = std::env::temp_dir().join(format!("nguky-train-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let lines: String = SETUPS.iter().map(|(s, v, r)| format!("{s} | {v} | {r}\n")).collect();
    std::fs::write(dir.join("data"), lines.repeat(400)).expect("written");
    let args = |out: &str, epochs| Args {
        game: "chess".into(),
        data: vec![dir.join("data")],
        out: dir.join(out),
        name: "tiny".into(),
        hidden: 32,
        shape: String::new(),
        start: None,
        half: false,
        pass: None,
        epochs,
        batch: 64,
        rate: 0.01,
        blend: 0.3,
        unit: Some(400.0),
        decay: 0.01,
        squares: false,
        tables: false,
        stop_after: None,
        threads: 1,
        seed: 1,
    };
    run(&args("whole.nnue", 3)).expect("a run");
    let [data, held_out] = load::<Chess>(&[dir.join("data")]).expect("data");
    assert_eq!(data.len() + held_out.len(), 1200);
    let file = |name: &str| std::fs::read(dir.join(name)).expect("a file");
    let bytes = file("whole.run");
    // Damage is told, not learnt from.
    std::fs::write(dir.join("whole.run"), &bytes[..bytes.len() - 9]).expect("written");
    let told = run(&args("whole.nnue", 3)).expect_err("damage").to_string();
    assert!(told.contains("damaged"), "{told}");
    std::fs::write(dir.join("whole.run"), &bytes).expect("written");
    let told = run(&args("whole.nnue", 4)).expect_err("other settings").to_string();
    assert!(told.contains("other settings"), "{told}");
    // A sound checkpoint of other weights, cut or longer, and what is none at all.
    let sound = |body: &[u8]| [body, &crate::games::hash(body).to_le_bytes()].concat();
    let body = &bytes[..bytes.len() - 4];
    let longer = [body, &[0; 4]].concat();
    for misfit in [
        &body[..body.len() - 4],
        &longer,
        &body[..20],
        &body[..8],
        b"NGUKYRUN\xff\xff\xff\xff",
        b"",
        b"?",
    ] {
        for file in [sound(misfit), misfit.to_vec()] {
            std::fs::write(dir.join("whole.run"), file).expect("written");
            let told = run(&args("whole.nnue", 3)).expect_err("a misfit").to_string();
            assert!(told.contains("whole.run"), "{told}");
        }
    }
    let huge: Vec<u8> = [&body[..body.len().min(12)], &[0xff; 40]].concat();
    std::fs::write(dir.join("whole.run"), sound(&huge)).expect("written");
    run(&args("whole.nnue", 3)).expect_err("a misfit");
    std::fs::write(dir.join("whole.run"), &bytes).expect("written");
    let told = run(&args("whole.run", 3)).expect_err("its own checkpoint").to_string();
    assert!(told.contains("NAME.nnue"), "{told}");
    let net = file("whole.nnue");
    std::fs::remove_file(dir.join("whole.nnue")).expect("removed");
    run(&args("whole.nnue", 3)).expect("only the network to write");
    assert_eq!(file("whole.nnue"), net);
    let short = Args {
        stop_after: Some(1),
        ..args("broken.nnue", 3)
    };
    run(&short).expect("a pass");
    assert_ne!(file("broken.nnue"), net);
    let other = Args {
        tables: true,
        ..args("broken.nnue", 3)
    };
    let told = run(&other).expect_err("other settings").to_string();
    assert!(told.contains("other settings"), "{told}");
    run(&args("broken.nnue", 3)).expect("the rest");
    assert_eq!(file("broken.nnue"), net);
    assert!(file("whole.svg").starts_with(b"<svg"));
    std::fs::remove_dir_all(&dir).expect("removed");
}

/// Tables that are fitted to material find it, and the network that holds them says the same.
#[test]
fn tables_are_a_network() {
    let data = sample();
    let squares = Squares::fit::<Chess>(&data, GOAL, 1);
    assert!(squares.loss(&data, GOAL) < 0.06);
    // A network that begins with them judges much as they do.
    let (mut planted, mut room) = (Weights::random::<Chess>(64, 1), vec![0.0; 128]);
    squares.plant(&mut planted);
    for i in 0..data.len() {
        let out = planted.out(data.inputs(i), data.heads[i].into(), &mut room);
        assert!((out - squares.out(&data, i)).abs() < 0.5, "{out}");
    }
    let net = Arc::new(squares.network("squares"));
    assert_eq!(Net::read::<Chess>(&net.write::<Chess>()).as_ref(), Ok(&*net));
    let mut learned = Learned::<Chess>::new(net);
    for (i, (setup, ..)) in SETUPS.iter().enumerate() {
        let pos = Chess::parse(setup, &Default::default()).expect("a position");
        learned.reset(&pos);
        let (exact, score) = (squares.out(&data, i) * SCALE as f32, learned.score(&pos) as f32);
        assert!((exact - score).abs() < 6.0, "{setup}: {score}, not {exact}");
    }
}

/// A run begins where another ended, and its weights stay small enough for the second scale, however large they were.
#[test]
fn a_run_begins_with_the_weights_of_another() {
    let dir = std::env::temp_dir().join(format!("nguky-start-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let file = dir.join("first.run");
    let mut weights = Weights::random::<Chess>(32, 5);
    weights.all[7] = 1.5;
    let first = State {
        adam: Adam::new(weights.all.len()),
        weights,
        losses: Vec::new(),
    };
    first.save(&file, "of its own").expect("saved");
    let mut w = first.weights.clone();
    w.all = State::<Weights>::weights(&file, w.all.len()).expect("weights");
    assert_eq!(w.all, first.weights.all);
    let told = State::<Weights>::weights(&file, w.all.len() - 1).expect_err("another shape");
    assert!(told.to_string().contains("another shape"), "{told}");
    Adam::new(w.all.len()).step(&mut w, &vec![0.0; first.weights.all.len()], 0.001, 0.01);
    assert!(w.all[7] < 1.0, "{}", w.all[7]);
    let largest = w.all[7];
    w.all[..w.output].fill(largest);
    let fine = w.quantised::<Chess>("test", Chess::MOST).map(|net| net.fine);
    assert!(fine.is_ok_and(|f| f >= 1));
    std::fs::remove_dir_all(&dir).expect("removed");
}
