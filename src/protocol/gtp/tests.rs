use super::*;
use std::sync::Mutex;

/// Output that a test can read.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn talk(input: impl AsRef<[u8]>) -> String {
    let mut engine = Mcts::new().unwrap();
    engine.set_option("Playouts", Some("200")).unwrap();
    let paper = Paper::default();
    let bytes = std::io::Cursor::new(input.as_ref().to_vec());
    serve(engine, bytes, Box::new(paper.clone()), Vec::new(), false);
    let bytes = paper.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
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
    assert!(text.contains("=3\n") && text.contains("=4 Ngu Ky go"), "{text}");
    assert!(text.ends_with("\n\n"));
    let text = talk("boardsize 5\nkata-genmove_analyze b 1 ownership true\nlz-genmove_analyze w 1\n");
    let lines: Vec<&str> = text.lines().filter(|l| l.starts_with("info move ")).collect();
    assert!(lines.len() >= 2, "{text}");
    let owner = lines[0].split(" ownership ").nth(1).expect("an ownership");
    assert_eq!(owner.split_whitespace().count(), 25);
    assert_eq!(text.matches("\nplay ").count(), 2, "{text}");
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
    assert!(text.ends_with("=1 Ngu Ky go\n\n"), "{text:.200}");
}
