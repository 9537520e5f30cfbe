//! Whole runs of the training: taken up again, begun with other weights, refused.

use super::*;
use tempfile::TempDir;

/// A folder with a file `data` of all setups, so many times.
fn folder(times: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: String = SETUPS.iter().map(|(s, v, r)| format!("{s} | {v} | {r}\n")).collect();
    std::fs::write(folder.path().join("data"), lines.repeat(times)).expect("written");
    folder
}

/// A run that is killed after some epochs and taken up again gives the same network, and the loss falls.
#[test]
fn a_run_is_taken_up_again() {
    let folder = folder(400);
    let dir = folder.path();
    let args = |out: &str, epochs| tiny(dir, out, epochs);
    run(&args("whole.nnue", 3)).expect("a run");
    let [data, held_out] = load::<Chess>(&[dir.join("data")], 0.0, None).expect("data");
    assert_eq!(data.len() + held_out.len(), 1200);
    let file = |name: &str| std::fs::read(dir.join(name)).expect("a file");
    let bytes = file("whole.run");
    // Damage is reported, and not trained on.
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
    let short = TrainArgs {
        stop_after: Some(1),
        ..args("broken.nnue", 3)
    };
    run(&short).expect("a pass");
    assert_ne!(file("broken.nnue"), net);
    let other = TrainArgs {
        tables: true,
        ..args("broken.nnue", 3)
    };
    let told = run(&other).expect_err("other settings").to_string();
    assert!(told.contains("other settings"), "{told}");
    run(&args("broken.nnue", 3)).expect("the rest");
    assert_eq!(file("broken.nnue"), net);
    assert!(file("whole.svg").starts_with(b"<svg"));
}

/// A run begins with the weights of a checkpoint or of a network, and says what they are worth on the validation file.
#[test]
fn a_run_begins_with_the_weights_of_another() {
    let folder = folder(400);
    let dir = folder.path();
    let file = dir.join("first.run");
    let mut weights = Weights::random::<Chess>(32, 5);
    weights.all[7] = 1.5;
    let mut first = Checkpoint {
        adam: Adam::new(weights.all.len()),
        weights,
        losses: Vec::new(),
    };
    first.save(&file, "of its own").expect("saved");
    let w = Checkpoint::<Weights>::weights(&file, first.weights.all.len()).expect("weights");
    assert_eq!(w, first.weights.all);
    let told = Checkpoint::<Weights>::weights(&file, w.len() - 1).expect_err("another shape");
    assert!(told.to_string().contains("another shape"), "{told}");
    let args = |out: &str, start: &str| TrainArgs {
        start: vec![dir.join(start)],
        validate: Some(dir.join("data")),
        stop_after: Some(0),
        ..tiny(dir, out, 1)
    };
    // Without a step what comes out is what went in.
    run(&args("one.nnue", "first.run")).expect("a run");
    let net = std::fs::read(dir.join("one.nnue")).expect("a network");
    let expected = first
        .weights
        .quantised::<Chess>("tiny", Chess::MAX_ACTIVE)
        .expect("small weights");
    assert!(Net::read::<Chess>(&net).as_ref() == Ok(&expected));
    run(&args("two.nnue", "one.nnue")).expect("a run");
    assert!(std::fs::read(dir.join("two.nnue")).expect("a network") == net);
    // Of several it is their mean, weight by weight.
    let (mut mean, second) = (first.weights.clone(), Weights::random::<Chess>(32, 8));
    mean.all
        .iter_mut()
        .zip(&second.all)
        .for_each(|(m, w)| *m = 0.5 * *m + 0.5 * w);
    first.weights = second;
    first.save(&dir.join("second.run"), "of its own").expect("saved");
    let several = TrainArgs {
        start: vec![dir.join("first.run"), dir.join("second.run")],
        ..args("mean.nnue", "")
    };
    run(&several).expect("a run");
    let expected = mean
        .quantised::<Chess>("tiny", Chess::MAX_ACTIVE)
        .expect("small weights");
    let read = Net::open::<Chess>(dir.join("mean.nnue")).expect("a network");
    assert!(read == expected);
    // A narrower network is widened, a wider one refused.
    let wider = TrainArgs {
        hidden: 64,
        ..args("wide.nnue", "one.nnue")
    };
    run(&wider).expect("a run");
    let told = format!(
        "{:#}",
        run(&args("three.nnue", "wide.nnue")).expect_err("another shape")
    );
    assert!(
        told.contains("wide.nnue") && told.contains("expected at most --hidden 32"),
        "{told}"
    );
    std::fs::write(dir.join("cut.nnue"), &net[..net.len() / 2]).expect("written");
    for bad in ["cut.nnue", "none.nnue", "data"] {
        let told = format!("{:#}", run(&args("three.nnue", bad)).expect_err(bad));
        assert!(told.contains(bad), "{told}");
    }
    let told = TrainArgs {
        validate: Some(dir.join("nothing")),
        ..args("three.nnue", "one.nnue")
    };
    let told = format!("{:#}", run(&told).expect_err("no file"));
    assert!(told.contains("nothing"), "{told}");
    assert!(!dir.join("three.nnue").exists());
}

/// What cannot teach is refused by its name, and another teacher or share is another run.
#[test]
fn teachers_are_networks_of_the_game() {
    let folder = folder(400);
    let dir = folder.path();
    run(&tiny(dir, "first.nnue", 1)).expect("a run");
    let args = |out: &str, teacher: &str, share| TrainArgs {
        teacher: vec![dir.join("first.nnue"), dir.join(teacher)],
        teacher_share: share,
        ..tiny(dir, out, 1)
    };
    run(&args("taught.nnue", "first.nnue", 0.5)).expect("a run");
    let told = run(&args("taught.nnue", "first.nnue", 0.6)).expect_err("another share");
    assert!(told.to_string().contains("other settings"), "{told}");
    let shogi = Weights::random::<Shogi>(32, 1)
        .quantised::<Shogi>("other", Shogi::MAX_ACTIVE)
        .expect("small weights");
    std::fs::write(dir.join("shogi.nnue"), shogi.write::<Shogi>()).expect("written");
    for bad in ["none.nnue", "data", "shogi.nnue"] {
        let told = format!("{:#}", run(&args("bad.nnue", bad, 0.5)).expect_err(bad));
        assert!(told.contains("--teacher") && told.contains(bad), "{told}");
    }
    assert!(!dir.join("bad.nnue").exists());
}

/// An option that the game's training does not have is refused, before any file is read.
#[test]
fn options_without_effect_are_refused() {
    let folder = folder(1);
    let told = |args: TrainArgs| format!("{:#}", run(&args).expect_err("an option without effect"));
    let tiny = || tiny(folder.path(), "bad.nnue", 1);
    let go = || TrainArgs {
        game: "go".into(),
        ..tiny()
    };
    let teacher = vec![folder.path().join("none.nnue")];
    assert!(told(TrainArgs { teacher, ..go() }).contains("--teacher has no effect in training for go"));
    let start = ["a.run", "b.run"].map(|name| folder.path().join(name)).to_vec();
    assert!(told(TrainArgs { start, ..go() }).contains("--start with several networks has no effect"));
    assert!(told(TrainArgs { huber: 0.1, ..go() }).contains("--huber has no effect"));
    let coup = TrainArgs {
        game: "coup".into(),
        bucket_decay: 5.0,
        ..tiny()
    };
    assert!(told(coup).contains("--bucket-decay has no effect in coup"));
    assert!(told(TrainArgs { half: true, ..tiny() }).contains("--half has no effect in training for chess"));
}

/// Data larger than memory are refused, with the number of positions that fit.
#[test]
fn data_larger_than_memory_are_refused() {
    let folder = folder(30_000);
    let dir = folder.path();
    let args = |memory| TrainArgs {
        memory: Some(memory),
        stop_after: Some(0),
        ..tiny(dir, "net.nnue", 1)
    };
    let told = run(&args(2)).expect_err("too little").to_string();
    assert!(told.contains("positions fit into 2 MiB (28 bytes each)"), "{told}");
    assert!(!dir.join("net.nnue").exists());
    run(&args(4)).expect("enough");
}

/// A number that no run can use is refused on the command line, with what was expected.
#[test]
fn numbers_out_of_range_are_refused() {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        _args: TrainArgs,
    }
    let line = |option: &str, value: &str| {
        let line = format!("x --data a --out b --start c --teacher d {option}={value}");
        <Line as clap::Parser>::try_parse_from(line.split(' ')).map(drop)
    };
    for (option, bad) in [
        ("--rate", ["0", "-1", "nan", "inf"]),
        ("--unit", ["0", "-150", "nan", "inf"]),
        ("--decay", ["-0.1", "nan", "inf", "x"]),
        ("--anchor", ["-0.1", "nan", "inf", "x"]),
        ("--bucket-decay", ["-1", "nan", "1001", "x"]),
        ("--huber", ["0", "1.1", "nan", "x"]),
        ("--lambda", ["-0.1", "1", "nan", "x"]),
        ("--teacher-share", ["-0.1", "1.1", "nan", "x"]),
    ] {
        assert!(line(option, "0.5").is_ok(), "{option} 0.5");
        for value in bad {
            let told = line(option, value).expect_err(option).to_string();
            assert!(told.contains(option) && told.contains("expected a number"), "{told}");
        }
    }
}
