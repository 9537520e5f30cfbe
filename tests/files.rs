//! Files that a user names: what is no regular file, or far too large, is refused in a line, and nothing blocks.

use crate::common::{Client, field};
use std::path::PathBuf;
use std::process::Command;

/// A folder of the tests' own.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// Paths that hold no file to be read: a device without end, a pipe without a writer, 6 GB of nothing, a folder.
fn odd(folder: &std::path::Path) -> [String; 4] {
    let (pipe, large) = (folder.join("pipe"), folder.join("large"));
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let file = std::fs::File::create(&large).expect("a file");
    file.set_len(6 << 30).expect("a file with a hole");
    [PathBuf::from("/dev/zero"), pipe, large, folder.to_path_buf()].map(|p| p.display().to_string())
}

/// Peak memory of a program so far, in kB.
fn peak(pid: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("its status");
    let line = status.lines().find(|l| l.starts_with("VmHWM")).expect("its peak");
    field(line, "VmHWM:").and_then(|n| n.parse().ok()).expect("a number")
}

#[test]
fn odd_files_are_refused_in_a_line() {
    let dir = folder("odd-files");
    let paths = odd(&dir);
    let mut chess = Client::ready(&[]);
    for path in &paths {
        for option in ["EvalFile", "BookFile"] {
            let said = chess.ask(&format!("setoption name {option} value {path}"));
            assert_eq!(said.len(), 1, "{option} {path}: {said:?}");
            assert!(said[0].contains(path.as_str()), "{said:?}");
        }
        let said = chess.ask(&format!("genfens 2 seed 1 book {path}"));
        assert!(said.len() == 1 && said[0].contains(path.as_str()), "{said:?}");
    }
    for path in [&paths[0], &paths[1], &paths[3]] {
        let said = chess.ask(&format!("setoption name Debug Log File value {path}"));
        assert!(said.len() == 1 && said[0].contains(path.as_str()), "{said:?}");
    }
    let mut shogi = Client::shogi();
    shogi.send("usi");
    shogi.expect("usiok");
    for path in &paths {
        shogi.send(&format!("setoption name BookFile value {path}"));
        let said = shogi.sync();
        let first = said.iter().find(|l| l.contains("BookFile")).expect("a refusal");
        assert!(first.contains(path.as_str()), "{said:?}");
    }
}

#[test]
fn an_odd_network_of_shogi_or_go_is_refused_in_a_line() {
    let dir = folder("odd-nets");
    let paths = odd(&dir);
    let mut shogi = Client::shogi();
    shogi.send("usi");
    shogi.expect("usiok");
    for path in &paths {
        let of = dir.join("eval");
        let _ = std::fs::remove_dir_all(&of);
        std::fs::create_dir_all(&of).expect("a folder");
        std::os::unix::fs::symlink(path, of.join("nn.bin")).expect("a link");
        let said = shogi.ask(&format!("setoption name EvalDir value {}", of.display()));
        assert!(said.iter().any(|l| l.contains("nn.bin")), "{said:?}");
    }
    let mut go = Client::of(env!("CARGO_BIN_EXE_nguky-gtp"), &[]);
    for path in &paths {
        go.send(&format!("setoption name Model value {path}"));
        assert!(go.expect("? ").contains(path.as_str()));
        go.send(&format!("loadsgf {path}"));
        assert_eq!(go.expect("? "), "? cannot load file");
    }
    // Nothing is what is built in.
    for value in ["value", "value <empty>"] {
        go.send(&format!("setoption name Model {value}"));
        assert_eq!(go.expect("="), "= ", "{value}");
    }
}

/// A file of the right beginning and a wrong size is not read either.
#[cfg(target_os = "linux")]
#[test]
fn a_large_file_is_not_read_before_it_is_wanted() {
    let dir = folder("large-files");
    let path = dir.join("large");
    let file = std::fs::File::create(&path).expect("a file");
    file.set_len(512 << 20).expect("a file with a hole");
    let script = format!(
        "setoption name BookFile value {0}\nsetoption name EvalFile value {0}\nisready\n",
        path.display()
    );
    let mut chess = std::process::Command::new(env!("CARGO_BIN_EXE_nguky-uci"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let (mut input, output) = (chess.stdin.take().expect("piped"), chess.stdout.take().expect("piped"));
    std::io::Write::write_all(&mut input, script.as_bytes()).expect("written");
    let lines = std::io::BufRead::lines(std::io::BufReader::new(output));
    let said: Vec<String> = lines.map_while(Result::ok).take_while(|l| l != "readyok").collect();
    let used = peak(&chess.id().to_string());
    drop(input);
    chess.wait().expect("its end");
    assert!(said.iter().filter(|l| l.contains("large")).count() == 2, "{said:?}");
    assert!(used < 256 << 10, "{used} kB");
}

/// The mate solver's table counts: the whole program keeps within what was asked for and 64 MB.
#[cfg(target_os = "linux")]
#[test]
fn the_shogi_engine_keeps_within_its_hash_size_and_64_megabytes() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let mut shogi = Command::new(env!("CARGO_BIN_EXE_nguky-usi"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let (mut input, output) = (shogi.stdin.take().expect("piped"), shogi.stdout.take().expect("piped"));
    let script = b"usi\nsetoption name USI_Hash value 512\nisready\nposition startpos\ngo nodes 2000\n";
    input.write_all(script).expect("written");
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    assert!(lines.take_while(|l| !l.starts_with("bestmove")).count() > 0);
    // The table's memory may still be on its way.
    let mut used = 0;
    loop {
        std::thread::sleep(std::time::Duration::from_millis(300));
        let now = peak(&shogi.id().to_string());
        if now == used {
            break;
        }
        used = now;
    }
    drop(input);
    shogi.wait().expect("its end");
    assert!(used <= (512 + 64) << 10, "{used} kB");
}
