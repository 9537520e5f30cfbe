//! The live file of a match: what is in it while the match runs, after its end and after a kill.
//!
//! The engines are shell scripts that shuffle a knight to and fro until the rules call it a draw.
#![cfg(unix)]

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A move takes a while where there is a file named `slow`: the command stays the same, and so does the match.
const SCRIPT: &str = r#"
n=0
while read -r line; do
    case $line in
        uci) echo "id name fake"; echo uciok;;
        isready) echo readyok;;
        position*" moves "*) moves=${line#* moves }; set -- $moves; n=$#;;
        position*) n=0;;
        go*)
            [ ! -e slow ] || sleep 0.2
            echo "info depth 5 score cp 12 nodes 50 pv g1f3"
            case $((n % 4)) in 0) echo "bestmove g1f3";; 1) echo "bestmove g8f6";; 2) echo "bestmove f3g1";; 3) echo "bestmove f6g8";; esac;;
        quit) exit;;
    esac
done
"#;

/// A folder of its own with the engine, removed when the test ends.
struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Self {
        let folder = TempDir::with_prefix(format!("nguky-live-test-{name}-")).expect("a folder");
        std::fs::write(folder.path().join("engine.sh"), SCRIPT).expect("written");
        Self(folder)
    }

    fn run(&self, more: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nguky"));
        command.current_dir(self.0.path()).stdin(Stdio::null()).arg("match");
        for name in ["A", "B"] {
            command.args(["--engine", &format!("cmd=sh engine.sh name={name}")]);
        }
        command.args("--plies 0 --tc 60 --record x.pgn".split(' '));
        command.args(more.split_whitespace());
        command
    }

    fn live(&self) -> Option<Value> {
        serde_json::from_str(&std::fs::read_to_string(self.0.path().join("x.pgn.live.json")).ok()?).ok()
    }

    /// Waits until the live file is as wanted.
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let found = self.live();
            match found {
                Some(found) if wanted(&found) => return found,
                other => assert!(begun.elapsed() < Duration::from_secs(120), "{other:?}"),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Ends the match as a crash would.
fn kill(mut child: Child) {
    child.kill().expect("killed");
    child.wait().expect("gone");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    entries
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn the_figures_of_the_file_are_those_of_the_report() {
    let place = Place::new("figures");
    let out = place
        .run("--games 6 --concurrency 2 --sprt 0,5")
        .output()
        .expect("nguky runs");
    let report = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{report}{}", String::from_utf8_lossy(&out.stderr));
    let live = place.live().expect("a live file");
    assert_eq!(
        (&live["end"], &live["standing"]["games"]),
        (&"played".into(), &6.into())
    );
    let tally = &live["standing"]["tally"];
    let wdl: Vec<u64> = serde_json::from_value(tally["wdl"].clone()).expect("three counts");
    assert!(
        report.contains(&format!("score      +{} ={} -{}", wdl[0], wdl[1], wdl[2])),
        "{report}"
    );
    assert_eq!(wdl, [0, 6, 0]);
    let pairs: Vec<u64> = serde_json::from_value(tally["pairs"].clone()).expect("five counts");
    assert!(report.contains(&format!("pairs      {pairs:?}")), "{report}");
    let llr = tally["llr"].as_f64().expect("a ratio");
    assert!(report.contains(&format!("ratio test {llr:.2} in")), "{report}");
    assert_eq!(live["spec"]["test"]["elo1"], 5.0);
    assert_eq!(live["spec"]["engines"][1]["name"], "B");
    assert_eq!(live["last"].as_array().map(Vec::len), Some(6));
    assert_eq!(live["path"].as_array().map(Vec::len), Some(3), "a point a pair");
    // One board a worker; on a busy machine the first may have played all games before the second has begun.
    let boards = live["running"].as_array().map(Vec::len);
    assert!(boards.is_some_and(|n| (1..=2).contains(&n)), "{boards:?}");
}

#[test]
fn moves_are_in_the_file_while_the_game_goes_on_and_after_a_kill() {
    let place = Place::new("killed");
    let slow = place.0.path().join("slow");
    std::fs::write(&slow, "").expect("written");
    let child = place.run("--games 2").spawn().expect("nguky runs");
    let live = place.until(|l| l["running"][0]["moves"].as_array().is_some_and(|m| m.len() >= 2));
    let game = &live["running"][0];
    assert_eq!(game["moves"][0], "g1f3");
    assert_eq!(
        (&game["said"][0]["cp"], &game["said"][0]["depth"]),
        (&12.into(), &5.into())
    );
    assert!(game["clocks"][0].as_u64().is_some_and(|ms| ms < 60_000), "{game}");
    assert!(live["end"].is_null());
    kill(child);
    let after = place.live().expect("a whole file");
    assert!(after["end"].is_null() && after["written"].as_u64() >= live["written"].as_u64());
    // The same command goes on, and so does the file.
    std::fs::remove_file(&slow).expect("removed");
    let out = place.run("--games 2").output().expect("nguky runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(place.live().expect("a live file")["end"], "played");
}

#[test]
fn no_live_file_is_kept_where_none_is_wanted() {
    let place = Place::new("off");
    let out = place.run("--games 2 --no-live").output().expect("nguky runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(
        names(place.0.path()).iter().all(|name| !name.contains("live")),
        "{:?}",
        names(place.0.path())
    );
}
