use super::*;
use crate::control::{Engine, Limits};
use crate::game::Side;
use crate::games::go::coords;
use crate::protocol::session::tests::Buffer;
use std::time::Duration;

fn talk(input: impl AsRef<[u8]>) -> String {
    let mut engine = Mcts::new().unwrap();
    engine.set_option("Playouts", Some("200")).unwrap();
    let out = Buffer::default();
    let bytes = std::io::Cursor::new(input.as_ref().to_vec());
    let mut session = Session::new(Box::new(engine), Box::new(out.clone()));
    session.run(&mut GtpDialect::new(false), Vec::new(), bytes);
    out.text()
}

/// The answers, without their empty lines.
fn answers(input: &str) -> Vec<String> {
    let text = talk(input);
    assert!(text.is_empty() || text.ends_with("\n\n"), "{text:?}");
    text.split("\n\n")
        .filter(|a| !a.is_empty())
        .map(|a| a.trim_end().to_string())
        .collect()
}

#[test]
fn the_frame_of_answers() {
    let got = answers(
        "protocol_version\n# only a comment\n\n  \n7 known_command play # why not\n8\tknown_command x\n9 dance\n12 quit\n",
    );
    assert_eq!(got, ["= 2", "=7 true", "=8 false", "?9 unknown command", "=12"]);
}

#[test]
fn moves_and_their_refusals() {
    let got = answers(
        "boardsize 9\nplay b D4\nplay w d4\nplay b D4 E5\nplay x D4\nplay b I5\nplay b K1\nplay w PASS\nplay w E5\n\
         undo\nundo\nundo\nundo\ngg-undo 5\nboardsize 1\nboardsize 26\nboardsize x\nboardsize 9 10\nkomi x\nkomi nan\n\
         komi 6.5\nget_komi\n",
    );
    let wrong = "? invalid color or coordinate";
    let want = [
        "=",
        "=",
        "? illegal move",
        wrong,
        wrong,
        wrong,
        wrong,
        "=",
        "=",
        "=",
        "=",
        "=",
        "? cannot undo",
        "? cannot undo",
        "? unacceptable size",
        "? unacceptable size",
        "? unacceptable size",
        "? unacceptable size",
        "? syntax error: komi not a float",
        "? syntax error: komi not a float",
        "=",
        "= 6.5",
    ];
    assert_eq!(got, want);
}

#[test]
fn moves_are_generated_even_after_the_end() {
    let got = answers(
        "boardsize 5\ngenmove b\ngenmove b\nplay b pass\nplay w pass\ngenmove b\ngenmove green\nreg_genmove w\nfinal_score\n",
    );
    assert!(
        got[1].starts_with("= ") && got[2].starts_with("= ") && got[5].starts_with("= "),
        "{got:?}"
    );
    assert!(
        got[6].starts_with("? ") && got[7].starts_with("= ") && got[8].starts_with("= "),
        "{got:?}"
    );
}

#[test]
fn kernels_are_named() {
    let got = answers("nguky-kernels\nknown_command nguky-kernels\n");
    assert!(
        got[0].starts_with("= sliders: ") && got[0].contains("; go's network: "),
        "{got:?}"
    );
    assert_eq!(got[1], "= true");
}

#[test]
fn handicaps() {
    let got = answers(
        "boardsize 9\nfixed_handicap 1\nfixed_handicap 10\nfixed_handicap 5\nfixed_handicap 2\nclear_board\n\
         set_free_handicap A1 A1\nset_free_handicap A1\nset_free_handicap A1 B2\nclear_board\nplace_free_handicap 4\n",
    );
    assert_eq!(got[3], "= C3 G7 G3 C7 E5");
    assert!(got[1].starts_with('?') && got[2].starts_with('?') && got[4] == "? board not empty");
    assert!(got[6].starts_with("? repeated vertex") && got[7].starts_with("? bad vertex list") && got[8] == "=");
    assert_eq!(got[10].split_whitespace().count(), 5);
}

#[test]
fn clocks() {
    let got = answers(
        "time_settings 1 1 1\ntime_settings -1 0 0\ntime_settings 1\ntime_left b 0 0\ntime_left b -1 0\n\
         kgs-time_settings byoyomi 10 1 3\nkgs-time_settings x\nkata-time_settings fischer-capped 1 1 60 -1\n",
    );
    let good: Vec<bool> = got.iter().map(|a| a.starts_with('=')).collect();
    assert_eq!(good, [true, false, false, true, false, true, false, true]);
}

#[test]
fn analysis_streams_end_at_any_input() {
    let text = talk(
        "boardsize 9\n3 lz-analyze b 1\n4 name\nkata-analyze w 1 ownership true rootInfo true\n\nversion\nlz-analyze x y\n",
    );
    assert!(text.contains("=3\n") && text.contains("=4 nguky-gtp"), "{text}");
    assert!(text.ends_with("\n\n"));
    let text = talk("boardsize 5\nkata-genmove_analyze b 1 ownership true\nlz-genmove_analyze w 1\n");
    let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("info move ")).collect();
    assert!(lines.len() >= 2, "{text}");
    let owner = lines[0].split(" ownership ").nth(1).expect("an ownership");
    assert_eq!(owner.split_whitespace().count(), 25);
    assert_eq!(text.matches("\nplay ").count(), 2, "{text}");
}

#[test]
fn parameters_are_read_and_set() {
    let got = answers(
        "kata-get-param maxVisits\nkata-set-param maxVisits 100\nkata-get-param maxVisits\nkata-set-param maxTime 2.5\n\
         kata-get-param maxTime\nkata-get-param wideRootNoise\nkata-get-param analysisWideRootNoise\n\
         kata-set-params {\"numSearchThreads\": 2, \"cpuctExploration\": \"1.5\", \"analysisWideRootNoise\":0.1}\n\
         kata-get-param numSearchThreads\nkata-get-param cpuctExploration\nkata-get-param analysisWideRootNoise\n\
         kata-set-param allowResignation false\nkata-get-param allowResignation\nkata-set-param maxVisits 1125899906842624\n\
         kata-get-param maxVisits\nkata-get-param lagBuffer\n",
    );
    let want = [
        "= 1125899906842624",
        "=",
        "= 100",
        "=",
        "= 2.5",
        "= 0.0",
        "= 0.04",
        "=",
        "= 2",
        "= 1.5",
        "= 0.1",
        "=",
        "= false",
        "=",
        "= 1125899906842624",
        "= 0.05",
    ];
    assert_eq!(got, want);
    let got = answers("kata-list-params\nkata-get-params\n");
    let names: Vec<&str> = got[0].trim_start_matches("= ").split(' ').collect();
    let all: serde_json::Value = serde_json::from_str(got[1].trim_start_matches("= ")).expect("a JSON object");
    let object = all.as_object().expect("a JSON object");
    assert!(names.len() > 25 && names.len() == object.len(), "{got:?}");
    assert!(names.iter().all(|name| object.contains_key(*name)));
    assert_eq!(
        (&object["maxPlayouts"], &object["maxTime"]),
        (&200.into(), &1e20.into())
    );
    // Each can be set to what it is.
    let again = answers(&format!("kata-set-params {all}\nkata-get-params\n"));
    assert_eq!(again, ["=".to_string(), format!("= {all}")]);
}

#[test]
fn wrong_parameters_change_nothing() {
    for (line, words) in [
        (
            "kata-set-param maxVisits 0",
            "maxVisits must be a whole number from 1 to 1125899906842624, not \"0\"",
        ),
        ("kata-set-param maxVisits 1.5", "whole number"),
        ("kata-set-param maxTime nan", "number from 0.001 to"),
        ("kata-set-param maxTime", "a name and a value"),
        ("kata-set-param numSearchThreads 0", "from 1 to 512"),
        ("kata-set-param numSearchThreads 99999999999999999999", "from 1 to 512"),
        ("kata-set-param wideRootNoise -0.1", "from 0 to 5"),
        ("kata-set-param allowResignation perhaps", "true or false"),
        (
            "kata-set-param playoutDoublingAdvantage 1",
            "no such parameter: \"playoutDoublingAdvantage\"",
        ),
        ("kata-set-params [1]", "JSON object"),
        (
            "kata-set-params {\"maxVisits\": 7, \"numSearchThreads\": 0}",
            "from 1 to 512",
        ),
        (
            "kata-set-params {\"maxVisits\": 7, \"cpuctExploration\": null}",
            "from 0 to 10",
        ),
        ("kata-get-param", "kata-list-params"),
        ("kata-get-param x", "\"x\""),
        ("level 0", "from 1 to 10"),
        ("level 11", "from 1 to 10"),
        ("level", "from 1 to 10"),
        ("nguky-rank 21k", "from 20k to 9d, or full, not \"21k\""),
        ("nguky-rank", "from 20k to 9d"),
    ] {
        let got = answers(&format!("kata-get-params\n{line}\nkata-get-params\n"));
        assert!(
            got[1].starts_with("? ") && got[1].contains(words) && !got[1].contains('\n'),
            "{line}: {}",
            got[1]
        );
        assert_eq!(got[0], got[2], "{line}");
    }
}

/// The visits in the last line of each generated move's analysis.
fn visits(text: &str) -> Vec<u32> {
    let last = |answer: &str| {
        let line = answer.lines().rfind(|l| l.contains(" rootInfo "))?;
        line.split(" rootInfo visits ").nth(1)?.split(' ').next()?.parse().ok()
    };
    text.split("\n\n").filter_map(last).collect()
}

#[test]
fn searches_stop_at_the_visits_that_were_set() {
    for evaluator in ["network", "playouts"] {
        // Much time, and several threads on a tree that is kept from move to move.
        let text = talk(format!(
            "setoption name Evaluator value {evaluator}\nkata-set-params {{\"maxVisits\":100,\"numSearchThreads\":8}}\n\
             boardsize 9\ntime_settings 0 60 1\nkata-genmove_analyze b 1 rootInfo true\n\
             kata-genmove_analyze w 1 rootInfo true\nkata-genmove_analyze b 1 rootInfo true\n"
        ));
        let seen = visits(&text);
        assert!(
            seen.len() == 3 && seen.iter().all(|n| (92..=108).contains(n)),
            "{evaluator}: {seen:?}"
        );
    }
}

#[test]
fn no_move_is_made_on_a_board_that_is_not_the_one_meant() {
    let path = |name: &str, text: &str| {
        let path = std::env::temp_dir().join(format!("nguky-gtp-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let (good, bad) = (
        path("good.sgf", "(;SZ[9];B[ee])"),
        path("bad.sgf", "(;SZ[9];B[ee];W[ee])"),
    );
    for (refused, accepted) in [
        (format!("loadsgf {bad}"), "clear_board".into()),
        ("loadsgf /no/such/file".into(), format!("loadsgf {good}")),
        ("set_position b A1 w A1".into(), "set_position b A1 w B2".into()),
        ("set_position b A1 w".into(), "boardsize 7".into()),
        ("boardsize 99".into(), "boardsize 5".into()),
        ("rectangular_boardsize 9 13".into(), "rectangular_boardsize 9 9".into()),
    ] {
        let got = answers(&format!(
            "boardsize 9\nplay b C3\nshowboard\n{refused}\nshowboard\ngenmove w\nreg_genmove w\nkata-genmove_analyze w 1\n\
             lz-analyze w 1\nnguky-winrate\nplay b J9\ngenmove w\n{accepted}\ngenmove w\n"
        ));
        assert!(got[3].starts_with("? "), "{refused}: {got:?}");
        assert_eq!(got[2], got[4], "{refused}: the board stays");
        for answer in got[5..10].iter().chain([&got[11]]) {
            assert!(
                answer.starts_with("? ") && answer.contains("refused") && !answer.contains('\n'),
                "{refused}: {answer}"
            );
        }
        assert!(
            got[12].starts_with('=') && got[13].starts_with("= "),
            "{accepted}: {got:?}"
        );
    }
    for file in [&good, &bad] {
        std::fs::remove_file(file).expect("the file is still there");
    }
    // Neither brings the size that was asked for.
    let got = answers("boardsize 9\nboardsize 99\nclear_board\ngenmove b\nset_position\ngenmove b\n");
    assert!(got[3].starts_with('?') && got[5].starts_with('?'), "{got:?}");
    // A move that is refused concerns no other.
    let got = answers("boardsize 5\nplay b C3\nplay w C3\ngogui-play_sequence w A1 b A1\ngenmove w\n");
    assert!(got[3].starts_with('?') && got[4].starts_with("= "), "{got:?}");
}

#[test]
fn positions_are_set_without_a_history() {
    let got = answers(
        "boardsize 5\nkomi 3.5\nplay b C3\nset_position w A1 b B1 b A2 w A1\nset_position b A2 b B1 w A1\nset_position b PASS\n\
         set_position b A2 w B2 b C1\nlist_stones b\nlist_stones w\nget_komi\nundo\nset_position\nlist_stones b\n",
    );
    assert!(
        got[3].contains("liberties") && got[4].contains("liberties") && got[5].starts_with('?'),
        "{got:?}"
    );
    assert_eq!(got[6..], ["=", "= C1 A2", "= B2", "= 3.5", "? cannot undo", "=", "="]);
}

#[test]
fn options_are_listed() {
    let got = answers("list_options\nlz-setoption\nsetoption\nsetoption name Visits value 7\nkata-get-models\n");
    assert!(got[0] == got[1] && got[0] == got[2]);
    assert!(
        got[0].contains("option name Visits type spin default 0 min 0 max 9223372036854775807\n"),
        "{}",
        got[0]
    );
    let engine = Mcts::new().unwrap();
    assert_eq!(got[0].lines().count(), engine.options().iter().count());
    assert_eq!(got[3], "=");
    let models: serde_json::Value = serde_json::from_str(got[4].trim_start_matches("= ")).expect("JSON");
    assert_eq!(models[0]["name"].as_str(), engine.network_name());
}

#[test]
fn analysis_commands_are_in_the_forms_of_gogui() {
    let got = answers("gogui-analyze_commands\nlist_commands\n");
    let known: Vec<&str> = got[1].trim_start_matches("= ").lines().collect();
    const TYPES: [&str; 8] = ["string", "gfx", "varc", "dboard", "cboard", "plist", "param", "none"];
    for line in got[0].trim_start_matches("= ").lines() {
        let parts: Vec<&str> = line.split('/').collect();
        let [kind, label, command] = parts[..] else {
            panic!("{line}")
        };
        assert!(TYPES.contains(&kind) && !label.is_empty(), "{line}");
        assert!(known.contains(&command.split(' ').next().unwrap()), "{line}");
    }
    let got = answers(
        "boardsize 5\nkata-set-param maxVisits 60\nnguky-gfx winrate b\nnguky-gfx visits w\nnguky-gfx lead\nnguky-gfx x\n\
         nguky-line b\nnguky-winrate b\nnguky-ownership\nnguky-policy\nnguky-param\nnguky-param allowResignation 0\n\
         nguky-param maxVisits 100\nnguky-param maxVisits x\nkata-get-param allowResignation\nkata-get-param maxVisits\n\
         play b C3\nnguky-winrate w\nsetoption name Evaluator value playouts\nnguky-policy\nnguky-gfx winrate w\n",
    );
    let board = crate::games::go::Board::new(5).unwrap();
    let is_point = |word: &str| coords::parse(&board, word).is_ok();
    for answer in got[2..5].iter().chain([&got[20]]) {
        let mut labels = 0;
        for line in answer.trim_start_matches("= ").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[0] {
                "COLOR" => assert!(words[1].starts_with('#') && is_point(words[2]), "{line}"),
                "LABEL" => {
                    assert!(
                        words[1..].chunks(2).all(|pair| is_point(pair[0]) && pair[1].len() <= 4),
                        "{line}"
                    );
                    labels += words.len() / 2;
                }
                "TEXT" => assert!(line.contains("Black wins ") && line.contains(" visits: "), "{line}"),
                _ => panic!("{line}"),
            }
        }
        assert!(labels > 0, "{answer}");
    }
    assert!(got[5].starts_with("? expected winrate"));
    assert!(got[6].trim_start_matches("= ").split(' ').all(is_point), "{}", got[6]);
    assert!(got[7].contains(" 60 visits: "), "{}", got[7]);
    let table = |answer: &str| -> Vec<Vec<String>> {
        let rows = answer.trim_start_matches("= ").lines();
        rows.map(|row| row.split(' ').map(str::to_string).collect()).collect()
    };
    let (owner, policy) = (table(&got[8]), table(&got[9]));
    assert!(owner.len() == 5 && owner.iter().flatten().count() == 25);
    assert!(
        owner
            .iter()
            .flatten()
            .all(|x| x.parse::<f32>().is_ok_and(|x| x.abs() <= 1.0))
    );
    assert!(policy.len() == 5 && policy.iter().flatten().count() == 25);
    assert!(
        policy
            .iter()
            .flatten()
            .all(|x| x == "\"\"" || (x.starts_with('#') && x.len() == 7))
    );
    for line in got[10].trim_start_matches("= ").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(words.len() == 3 && ["[string]", "[bool]"].contains(&words[0]), "{line}");
    }
    assert!(
        got[13].starts_with("? ") && got[14] == "= false" && got[15] == "= 100",
        "{got:?}"
    );
    // The move that was played is in the next answer.
    assert!(
        got[17].contains(" 100 visits: ") && got[19] == "? no network is loaded",
        "{got:?}"
    );
}

/// A session without a reader thread.
struct Conversation {
    gtp: GtpDialect,
    session: Session<Mcts>,
    out: Buffer,
}

impl Conversation {
    fn new() -> Self {
        let out = Buffer::default();
        Self {
            gtp: GtpDialect::new(false),
            session: Session::new(Box::new(Mcts::new().unwrap()), Box::new(out.clone())),
            out,
        }
    }

    fn send(&mut self, line: &str) {
        assert!(self.session.line(&mut self.gtp, line).is_continue());
    }

    /// Until all searches but pondering have been answered.
    fn settle(&mut self) {
        while self.session.searching() && !self.gtp.pondering() {
            assert!(self.session.step(&mut self.gtp).is_continue());
        }
    }

    fn line(&mut self, line: &str) {
        self.send(line);
        self.settle();
    }
}

/// Without it the search would take a day.
#[test]
fn goguis_interrupt_ends_a_search_with_its_move() {
    let mut c = Conversation::new();
    c.line("boardsize 9");
    c.line("setoption name Move Time value 86400000");
    for command in ["genmove b", "nguky-winrate", "kata-genmove_analyze w 1"] {
        c.send(command);
        c.send("99 name");
        c.send("# interrupt");
        c.settle();
        assert!(
            c.out.text().ends_with("\n\n=99 nguky-gtp\n\n"),
            "{command}: {}",
            c.out.text()
        );
    }
    assert_eq!(c.session.engine.game().moves().len(), 2);
}

#[test]
fn the_opponents_time_is_used_where_the_option_has_it_so() {
    let mut c = Conversation::new();
    for line in [
        "boardsize 9",
        "kata-set-param maxVisits 20",
        "kata-set-param ponderingEnabled true",
        "genmove b",
    ] {
        c.line(line);
    }
    let until = Instant::now() + Duration::from_secs(60);
    while c.session.engine.playouts() < 100 {
        assert!(Instant::now() < until, "{} playouts", c.session.engine.playouts());
        std::thread::sleep(Duration::from_millis(5));
    }
    // What leaves the engine as it is lets it go on.
    c.send("showboard");
    c.send("# interrupt");
    assert!(c.gtp.pondering() && c.session.searching());
    // Any move ends it, and so does stop; answers keep their order.
    c.send("7 play w pass");
    c.send("8 name");
    while c.session.searching() {
        assert!(c.session.step(&mut c.gtp).is_continue());
    }
    assert!(c.out.text().ends_with("=7 \n\n=8 nguky-gtp\n\n"), "{}", c.out.text());
    for line in [
        "genmove b",
        "stop",
        "kata-set-param ponderingEnabled false",
        "clear_board",
        "genmove b",
    ] {
        c.send(line);
    }
    while c.session.searching() {
        assert!(c.session.step(&mut c.gtp).is_continue());
    }
    assert_eq!(c.session.engine.analysis().visits, 20);
}

#[test]
fn a_fault_costs_one_command() {
    let mut c = Conversation::new();
    for stream in [false, true] {
        c.gtp.id = "7".into();
        let failing = search::Purpose::Display(Box::new(|_, _, _| panic!("a fault of the test")));
        let mut job = SearchJob::new(Side::First, failing);
        if stream {
            let parsed = analyze::Stream::parse(c.session.engine.game(), analyze::StreamStyle::Kata, &[]).unwrap();
            job = job.with(parsed);
        }
        let begun = c.gtp.begin(job, Limits::nodes(2), &mut c.session);
        assert!(begun.is_ok());
        c.settle();
        c.line("8 name");
    }
    let answer = "?7 internal fault: the command was dropped\n\n=8 nguky-gtp\n\n=7\n";
    assert!(c.out.text().starts_with(answer), "{}", c.out.text());
    assert!(c.out.text().ends_with("\n\n=8 nguky-gtp\n\n"), "{}", c.out.text());
}

#[test]
fn levels_are_visits() {
    let got = answers(
        "setoption name Evaluator value playouts\nlevel 1\nkata-get-param maxVisits\nlevel 10\nkata-get-param maxVisits\n",
    );
    assert_eq!((got[2].as_str(), got[4].as_str()), ("= 25", "= 12800"));
}

#[test]
fn ranks_are_set_by_name() {
    let tries = "genmove b\nundo\n".repeat(12);
    let got = answers(&format!("boardsize 9\nnguky-rank 20k\n{tries}"));
    let moves: std::collections::HashSet<&String> = got[2..].iter().step_by(2).collect();
    assert!(moves.len() > 2 && moves.iter().all(|m| m.len() == 4), "{moves:?}");
}

#[test]
fn rules_by_name_and_by_choice() {
    let got = answers(
        "kgs-rules japanese\nkata-get-rules\nkata-set-rules {\"ko\":\"SITUATIONAL\",\"suicide\":true}\nkata-get-rules\n\
         kata-set-rules tromp-taylor\nkgs-rules mars\nkata-set-rules {\"ko\":\"ODD\"}\nkata-set-rule tax ALL\n",
    );
    assert!(got[1].contains("TERRITORY") && got[1].contains("SEKI"));
    assert!(got[3].contains("SITUATIONAL") && got[3].contains("\"suicide\":true"));
    assert!(got[5].starts_with('?') && got[6].starts_with('?') && got[7] == "=");
}

#[test]
fn games_go_to_sgf_and_back() {
    let rules = crate::games::go::Rules::JAPANESE;
    let text = "(;GM[1]SZ[9]KM[6.5]HA[2]AB[cc][gg]C[a \\] b];W[ee];B[](;W[aa])(;W[bb]))";
    let game = sgf::load(text, rules, None).unwrap();
    assert_eq!((game.handicap(), game.moves().len(), game.komi()), (2, 3, 6.5));
    let again = sgf::load(&sgf::save(&game), rules, None).unwrap();
    assert_eq!(again.board().key(), game.board().key());
    assert_eq!(sgf::load(text, rules, Some(2)).unwrap().moves().len(), 1);
    for bad in [
        "",
        "(",
        "(;",
        "(;B[zz])",
        "(;SZ[99])",
        "(;SZ[9];B[aa];W[aa])",
        "(;AB[a])",
        "([aa])",
        "(;B[aa",
    ] {
        if let Ok(game) = sgf::load(bad, rules, None) {
            assert!(game.moves().is_empty(), "{bad}");
        }
    }
    // Rectangles without end are no setup.
    assert!(sgf::load(&format!("(;SZ[19]AB{})", "[aa:ss]".repeat(5)), rules, None).is_err());
    assert_eq!(
        answers("loadsgf /no/such/file\nloadsgf\n"),
        ["? cannot load file", "? syntax error"]
    );
}

#[test]
fn hostile_lines_are_survived() {
    let mut input = vec![b'x'; 200_000];
    input.extend(b"\n\xff\xfe\x00play\nplay b \xc3\xa94\n99999999999999999999999 name\nplay b ");
    input.extend(vec![b'9'; 100_000]);
    input.extend(b"\n1 name\n");
    let text = talk(input);
    assert!(text.ends_with("=1 nguky-gtp\n\n"), "{text:.200}");
}
