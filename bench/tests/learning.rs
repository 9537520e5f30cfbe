//! The way from nothing to a network at toy scale: shards of games, by hand and by the job engines where they are
//! installed, a network trained on them, and an engine that evaluates with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(command: &mut Command) -> Output {
    let out = command.output().expect("a program that starts");
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{command:?}: {told}");
    out
}

fn nguky() -> Command {
    Command::new(env!("CARGO_BIN_EXE_nguky"))
}

fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("nguky-learning-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder");
    dir
}

/// Two shards of four games, one behind the other.
fn games(dir: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for seed in ["1", "2"] {
        let out = dir.join(format!("{seed}.games"));
        run(nguky()
            .args(["datagen", "--games", "4", "--nodes", "40", "--seed", seed, "--out"])
            .arg(&out));
        all.extend(std::fs::read(out).expect("games"));
    }
    all
}

#[test]
fn from_nothing_to_a_network() {
    let dir = folder("loop");
    let (merged, net) = (dir.join("all.games"), dir.join("tiny.nnue"));
    std::fs::write(&merged, games(&dir)).expect("written");
    let train = |word: &str| {
        let mut c = nguky();
        c.args([
            "train", "--hidden", "32", "--epochs", "3", "--batch", "64", "--name", word, "--data",
        ]);
        c.arg(&merged).arg("--out").arg(&net);
        c
    };
    let told = run(&mut train("tiny"));
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let told = text
        .split("floating point: ")
        .nth(1)
        .expect("the rounding")
        .split([' ', ',']);
    let apart: Vec<f64> = told.filter_map(|word| word.parse().ok()).collect();
    assert!(apart.len() == 2 && apart[0] <= 2.0 && apart[1] <= 15.0, "{text}");
    assert!(net.with_extension("svg").exists() && net.with_extension("run").exists());
    let squares = dir.join("squares.nnue");
    let told = run(nguky()
        .args(["train", "--squares", "--name", "squares", "--data"])
        .arg(&merged)
        .arg("--out")
        .arg(&squares));
    assert!(String::from_utf8_lossy(&told.stdout).contains("piece-square tables: loss"));
    // The network plays the next generation's games.
    let next = dir.join("next.games");
    run(nguky()
        .args(["datagen", "--games", "1", "--nodes", "40", "--net"])
        .arg(&net)
        .arg("--out")
        .arg(&next));
    // An engine evaluates with it.
    let engine = env!("CARGO_BIN_EXE_nguky-uci");
    let load = format!("setoption name EvalFile value {}", net.display());
    let out = run(Command::new(engine).args([load.as_str(), "eval", "quit"]));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains("network tiny: "), "{text}");
    let nets = [("--new-net", &net), ("--old-net", &squares)];
    let mut command = nguky();
    command
        .args(["sprt", "--nodes", "50", "--games", "2"])
        .current_dir(&dir);
    for (word, file) in nets {
        command.arg(word).arg(file);
    }
    let text = String::from_utf8_lossy(&run(&mut command).stdout).into_owned();
    assert!(text.contains("new against old: 2 games"), "{text}");
    // Games of another game, and what is no data at all.
    let out = nguky()
        .args(["train", "--game", "shogi", "--data"])
        .arg(&merged)
        .arg("--out")
        .arg(&net)
        .output()
        .expect("a program");
    assert!(String::from_utf8_lossy(&out.stderr).contains("holds games of chess; expected shogi"));
    std::fs::write(&merged, "nothing of use").expect("written");
    let out = train("tiny").output().expect("a program");
    assert!(String::from_utf8_lossy(&out.stderr).contains("no positions of chess"));
    std::fs::remove_dir_all(&dir).expect("removed");
}

/// Whether a command runs at all.
fn installed(program: &str, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .output()
        .is_ok_and(|o| o.status.success())
}

/// Runs a recipe twice, with a shard damaged between, and compares what it merged with shards made by hand.
fn recipe_makes_the_same(name: &str, start: &[&str]) {
    let dir = folder(name);
    let by_hand = games(&dir);
    let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/recipes");
    for again in [false, true] {
        if again {
            let shard = dir.join("out/chess-2.games");
            let bytes = std::fs::read(&shard).expect("a shard");
            std::fs::write(&shard, &bytes[..bytes.len() / 2]).expect("written");
            // GNU parallel believes its log.
            let _ = std::fs::remove_file(dir.join("out/chess.log"));
        }
        let mut command = Command::new(start[0]);
        command
            .args(&start[1..start.len() - 1])
            .arg(recipes.join(start[start.len() - 1]));
        command.arg(env!("CARGO_BIN_EXE_nguky")).args(["chess", "1", "2", "4"]);
        run(command.arg(dir.join("out")).args(["--nodes", "40"]).current_dir(&dir));
        let merged = std::fs::read(dir.join("out/chess.games")).expect("the merged games");
        assert!(merged == by_hand, "{name}, again: {again}");
    }
    std::fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn shards_by_gnu_parallel() {
    if !installed("parallel", &["--version"]) {
        return eprintln!("skipped: GNU parallel is not installed");
    }
    recipe_makes_the_same("parallel", &["sh", "parallel.sh"]);
}

#[test]
fn shards_by_hyperqueue() {
    // A Python with the package: the usual one, or another named here.
    let python = std::env::var("NGUKY_PYTHON").unwrap_or_else(|_| "python3".into());
    if !installed(&python, &["-c", "import hyperqueue"]) {
        return eprintln!("skipped: the Python package hyperqueue is not installed");
    }
    recipe_makes_the_same("hyperqueue", &[&python, "hyperqueue_shards.py"]);
}

#[test]
fn a_student_of_go_is_trained_by_pytorch() {
    let python = std::env::var("NGUKY_PYTHON").unwrap_or_else(|_| "python3".into());
    if !installed(&python, &["-c", "import torch"]) {
        return eprintln!("skipped: the Python package torch is not installed");
    }
    let dir = folder("student");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (net, out) = (root.join("engines/nets/go.bin.gz"), dir.join("student.bin.gz"));
    let mut command = Command::new(python);
    command
        .arg(root.join("bench/student/train.py"))
        .args(["--nguky", env!("CARGO_BIN_EXE_nguky")]);
    command
        .arg("--teacher")
        .arg(&net)
        .arg("--student")
        .arg(&net)
        .arg("--out")
        .arg(&out);
    command.args([
        "--blocks", "7", "--name", "pupil", "--rounds", "1:1,1:1", "--batch", "8", "--nodes", "4",
    ]);
    command.args(["--games", "12", "--sizes", "7:1,9:1", "--threads", "1"]);
    let told = String::from_utf8_lossy(&run(&mut command).stdout).into_owned();
    assert!(
        told.contains("weights to train") && told.matches("after").count() == 2,
        "{told}"
    );
    // The engine reads it.
    let asked = dir.join("asked.gtp");
    std::fs::write(&asked, "boardsize 9\nkata-raw-nn 0\nquit\n").expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_nguky-gtp"));
    command
        .arg("--model")
        .arg(&out)
        .stdin(std::fs::File::open(&asked).expect("the file"));
    assert!(String::from_utf8_lossy(&run(&mut command).stdout).contains("whiteWin"));
    std::fs::remove_dir_all(&dir).expect("removed");
}
