use super::shape::Widths;
use super::*;
use crate::go::record::{GoPly, GoRecord, Label};
use nguky::eval::conv::{Net as Ready, Output, Runner};
use nguky::util::rng::SplitMix;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Short games on small boards: black always takes the lowest free point, and that is what is to be learnt.
fn games(n: u64) -> Vec<u8> {
    let one = |number: u64| {
        let (size, mut rng) = (5 + 2 * (number % 2) as usize, SplitMix::new(number));
        let area = size * size;
        let mut order: Vec<u16> = (0..area as u16).collect();
        for i in (1..area).rev() {
            order.swap(i, rng.below(i as u64 + 1) as usize);
        }
        let ply = |&at: &u16| GoPly {
            at: Some(at),
            label: Some(Label {
                policy: vec![(at, 3), (area as u16, 1)],
                win: 0.75,
                lead: 6.0,
                deviation: 4.0,
                own: vec![0.5; area],
            }),
            ..GoPly::default()
        };
        GoRecord {
            seed: 1,
            number,
            settings: 0,
            net: 1,
            size,
            rules: (number % 2) as usize,
            komi: 0.5,
            end: None,
            plies: order.iter().take(8).map(ply).collect(),
        }
    };
    (0..n).flat_map(|i| one(i).bytes()).collect()
}

fn args(dir: &Path, out: &str, epochs: u32) -> TrainArgs {
    TrainArgs {
        game: "go".into(),
        data: vec![dir.join("data")],
        out: dir.join(out),
        name: "tiny".into(),
        hidden: 32,
        shape: "b2c16".into(),
        start: Vec::new(),
        teacher: Vec::new(),
        teacher_share: 0.5,
        validate: None,
        memory: None,
        warmup: 0,
        half: false,
        pass: None,
        epochs,
        batch: 64,
        rate: 0.003,
        blend: Some("0.3".parse().expect("a share")),
        lambda: 0.0,
        unit: None,
        decay: 0.01,
        bucket_decay: 1.0,
        output_rate: 1.0,
        anchor: 0.0,
        huber: 1.0,
        squares: false,
        tables: false,
        stop_after: None,
        threads: 2,
        seed: 1,
    }
}

fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("nguky-train-go-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    std::fs::write(dir.join("data"), games(80)).expect("written");
    dir
}

/// A name of two words would make a file that nobody can read.
#[test]
fn a_name_with_blanks_is_refused() {
    let dir = folder("name");
    let wrong = TrainArgs {
        name: "two words".into(),
        ..args(&dir, "net.bin.gz", 1)
    };
    let told = run(&wrong).expect_err("blanks").to_string();
    assert!(told.contains("without blanks"), "{told}");
    assert!(!dir.join("net.bin.gz").exists());
    std::fs::remove_dir_all(&dir).expect("removed");
}

/// What is trained is what the engine computes from the file.
#[test]
fn the_file_says_what_was_trained() {
    said_as_trained("file", &Shape::new(3, 24));
}

/// A network with other sizes than ours: a run from its file has them, begins with what it says and writes it again.
#[test]
fn a_run_keeps_the_sizes_of_another_network() {
    let widths = Widths {
        stem: 5,
        pooled: 16,
        head: 16,
        hidden: 40,
    };
    let shape = Shape::with(3, 24, widths);
    said_as_trained("sizes", &shape);
    let dir = folder("sizes");
    let path = dir.join("net.bin.gz");
    let net = TrainedNet::new(shape.clone(), shape.random(11));
    export::write(&net, "tiny", false, &path).expect("written");
    let found = import::shape(&path, Shape::new(3, 24)).expect("a network");
    assert_eq!(found.widths, widths);
    let again = TrainedNet::new(found.clone(), import::weights(&path, &found, 5).expect("a network"));
    export::write(&again, "tiny", false, &dir.join("again.bin.gz")).expect("written");
    let bytes = |name: &str| std::fs::read(dir.join(name)).expect("a file");
    assert!(bytes("again.bin.gz") == bytes("net.bin.gz"), "another network");
    // Wider ones are new ones.
    assert_eq!(
        import::shape(&path, Shape::new(3, 32)).expect("a network").widths,
        Widths::of(32)
    );
    let told = import::weights(&path, &Shape::new(3, 24), 5)
        .expect_err("other sizes")
        .to_string();
    assert!(
        told.contains("net.bin.gz") && told.contains("at most 24 channels"),
        "{told}"
    );
    std::fs::remove_dir_all(&dir).expect("removed");
}

fn said_as_trained(name: &str, shape: &Shape) {
    let dir = folder(name);
    let [data, _] = load(&[dir.join("data")], 0.0).expect("data");
    let net = TrainedNet::new(shape.clone(), shape.random(11));
    let path = dir.join("net.bin.gz");
    export::write(&net, "tiny", false, &path).expect("written");
    let model = nguky::eval::conv::Model::read(&std::fs::read(&path).expect("a file")).expect("a model");
    let mut runner = Runner::new(Arc::new(Ready::new(&model).expect("sound")));
    let (mut learner, mut out) = (GoLearner::new(shape), Output::default());
    for i in [0, 9, 20] {
        let group = data.group(&[i], &mut SplitMix::new(i.into()));
        let (size, area) = (group.plan.size, group.plan.area());
        let planes: Vec<f32> = (0..22 * area)
            .map(|k| group.planes[k % area * shape::PLANES + k / area])
            .collect();
        runner.run((size, size), &planes, &group.globals, &mut out);
        let given = &learner.outputs(&net, &group)[0];
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{a}, not {b}");
        out.policy.iter().zip(&given.policy).for_each(|(a, b)| near(*a, *b));
        out.ownership
            .iter()
            .zip(&given.own)
            .for_each(|(a, b)| near(*a, b.tanh()));
        let v = given.value;
        near(out.win, v[0]);
        near(out.loss, v[1]);
        near(out.score_mean, v[3] * loss::POINTS_A_UNIT);
        near(out.score_stdev, v[4].exp().ln_1p() * loss::POINTS_A_UNIT);
        near(out.lead, v[5] * loss::POINTS_A_UNIT);
    }
    export::write(&net, "tiny", true, &path).expect("written");
    let half = nguky::eval::conv::Model::read(&std::fs::read(&path).expect("a file")).expect("a model");
    let pairs = half.trunk.conv.weights.iter().zip(&model.trunk.conv.weights);
    // Below 2^-14 half floats are all as far apart.
    let apart = |b: f32| (b.abs() / 1000.0).max(2f32.powi(-25));
    pairs.for_each(|(a, b)| assert!((a - b).abs() <= apart(*b), "{a}, not {b}"));
    std::fs::remove_dir_all(&dir).expect("removed");
}

/// A run may begin from a network file, also with more blocks or channels: it says the same as that at first.
#[test]
fn a_run_begins_from_a_file() {
    let dir = folder("start");
    let [data, _] = load(&[dir.join("data")], 0.0).expect("data");
    let small = Shape::new(3, 24);
    let mut weights = small.random(11);
    // Norms that are not what new ones are.
    for norm in small.norms() {
        weights[norm.scale()].iter_mut().for_each(|x| *x *= 1.1);
        weights[norm.bias()].iter_mut().for_each(|x| *x += 0.01);
    }
    let from = TrainedNet::new(small.clone(), weights);
    let path = dir.join("net.bin.gz");
    export::write(&from, "tiny", false, &path).expect("written");
    for (blocks, channels) in [(3, 24), (4, 24), (6, 24), (3, 32), (5, 64)] {
        let shape = Shape::new(blocks, channels);
        let to = TrainedNet::new(shape.clone(), import::weights(&path, &shape, 5).expect("a network"));
        let group = data.group(&[9], &mut SplitMix::new(1));
        let [a, b] = [(&small, &from), (&shape, &to)].map(|(s, n)| GoLearner::new(s).outputs(n, &group)[0].clone());
        let near = |a: f32, b: f32| {
            assert!(
                (a - b).abs() < 1e-5 * b.abs().max(1.0),
                "b{blocks}c{channels}: {a}, not {b}"
            );
        };
        b.policy.iter().zip(&a.policy).for_each(|(x, y)| near(*x, *y));
        b.value.iter().zip(&a.value).for_each(|(x, y)| near(*x, *y));
        b.own.iter().zip(&a.own).for_each(|(x, y)| near(*x, *y));
    }
    for shape in [Shape::new(2, 24), Shape::new(3, 16)] {
        let told = import::weights(&path, &shape, 5)
            .expect_err("another shape")
            .to_string();
        assert!(told.contains("at most"), "{told}");
    }
    std::fs::write(&path, b"no network").expect("written");
    let told = import::weights(&path, &small, 5).expect_err("no network").to_string();
    assert!(told.contains("net.bin.gz"), "{told}");
    std::fs::remove_dir_all(&dir).expect("removed");
}

/// A run that is stopped after a pass and taken up again gives the same network, and the loss falls.
#[test]
fn a_run_is_taken_up_again() {
    let dir = folder("run");
    run(&args(&dir, "whole.bin.gz", 3)).expect("a run");
    let short = TrainArgs {
        stop_after: Some(1),
        ..args(&dir, "broken.bin.gz", 3)
    };
    run(&short).expect("a pass");
    let file = |name: &str| std::fs::read(dir.join(name)).expect("a file");
    assert_ne!(file("broken.bin.gz"), file("whole.bin.gz"));
    run(&args(&dir, "broken.bin.gz", 3)).expect("the rest");
    assert_eq!(file("broken.bin.gz"), file("whole.bin.gz"));
    let bytes = file("whole.bin.run");
    let told = run(&args(&dir, "whole.bin.gz", 4))
        .expect_err("other settings")
        .to_string();
    assert!(told.contains("other settings"), "{told}");
    std::fs::write(dir.join("whole.bin.run"), &bytes[..bytes.len() - 5]).expect("written");
    let told = run(&args(&dir, "whole.bin.gz", 3)).expect_err("damage").to_string();
    assert!(told.contains("damaged"), "{told}");
    std::fs::write(dir.join("start.run"), &bytes).expect("written");
    let more = TrainArgs {
        start: vec![dir.join("start.run")],
        ..args(&dir, "more.bin.gz", 1)
    };
    run(&more).expect("another run");
    std::fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn shapes_are_checked() {
    assert_eq!(shape("b6c48").expect("a shape").blocks.len(), 6);
    for bad in ["", "b0c32", "b4c33", "4x32", "b4c8", "b99c32"] {
        let Err(told) = shape(bad) else {
            panic!("{bad} is a shape")
        };
        let told = told.to_string();
        assert!(told.contains("b4c32"), "{told}");
    }
}
