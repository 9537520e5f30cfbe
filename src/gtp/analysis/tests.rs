use super::*;
use crate::protocol::session::tests::Buffer;
use std::sync::mpsc::{Receiver, channel};

/// The answers to some lines, each a JSON object on a line of its own.
fn talk(input: impl AsRef<[u8]>) -> Vec<Value> {
    let out = Buffer::default();
    let settings = Settings {
        visits: 60,
        ..Settings::default()
    };
    let bytes = std::io::Cursor::new(input.as_ref().to_vec());
    let mut session = Session::new(Box::new(Mcts::new().unwrap()), Box::new(out.clone()));
    session.run(&mut KataAnalysis::new(settings), Vec::new(), bytes);
    out.text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn query(id: &str, more: &str) -> String {
    format!("{{\"id\":\"{id}\",\"moves\":[],\"rules\":\"chinese\",\"boardXSize\":5,\"boardYSize\":5{more}}}\n")
}

#[test]
fn a_query_of_katrain_is_answered() {
    let got = talk(
        "{\"rules\": \"japanese\", \"priority\": -1000, \"analyzeTurns\": [2], \"maxVisits\": 50, \"komi\": 6.5, \
         \"boardXSize\": 9, \"boardYSize\": 9, \"includeOwnership\": true, \"includeMovesOwnership\": true, \
         \"includePolicy\": true, \"initialStones\": [[\"B\", \"C3\"], [\"W\", \"G7\"]], \"initialPlayer\": \"B\", \
         \"moves\": [[\"B\", \"G3\"], [\"W\", \"C7\"]], \"overrideSettings\": {\"wideRootNoise\": 0.04}, \"id\": \"QUERY:1\", \
         \"includePVVisits\": true}\n",
    );
    assert_eq!(got.len(), 1, "{got:?}");
    let a = &got[0];
    assert_eq!(
        (&a["id"], &a["turnNumber"], &a["isDuringSearch"]),
        (&json!("QUERY:1"), &json!(2), &json!(false))
    );
    assert_eq!(a["ownership"].as_array().unwrap().len(), 81);
    assert_eq!(a["policy"].as_array().unwrap().len(), 82);
    // The four points with stones cannot be played on; the pass can.
    let illegal = a["policy"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|p| p.as_f64() == Some(-1.0))
        .count();
    assert!(illegal >= 4 && a["policy"][81].as_f64() >= Some(0.0));
    let root = &a["rootInfo"];
    assert_eq!(
        (root["currentPlayer"].as_str(), root["visits"].as_u64()),
        (Some("B"), Some(50))
    );
    assert!((0.0..=1.0).contains(&root["winrate"].as_f64().unwrap()));
    let best = &a["moveInfos"][0];
    assert_eq!(best["order"], json!(0));
    assert_eq!(best["pv"][0], best["move"]);
    assert_eq!(
        best["pv"].as_array().unwrap().len(),
        best["pvVisits"].as_array().unwrap().len()
    );
    assert_eq!(best["ownership"].as_array().unwrap().len(), 81);
    for key in [
        "visits",
        "winrate",
        "scoreLead",
        "scoreStdev",
        "prior",
        "lcb",
        "utility",
        "utilityLcb",
        "weight",
    ] {
        assert!(best[key].is_number(), "{key}");
    }
}

#[test]
fn turns_come_by_priority() {
    let first = query("a", ",\"maxVisits\":3000");
    let rest = "{\"id\":\"b\",\"moves\":[[\"B\",\"C3\"],[\"W\",\"pass\"]],\"rules\":\"aga\",\"boardXSize\":5,\"boardYSize\":5,\
                \"analyzeTurns\":[0,1,2],\"priorities\":[1,3,2]}\n";
    let got = talk(first + rest);
    let turns: Vec<u64> = got
        .iter()
        .filter(|a| a["id"] == "b")
        .map(|a| a["turnNumber"].as_u64().unwrap())
        .collect();
    assert_eq!(turns, [1, 2, 0]);
    assert_eq!(got.len(), 4);
}

#[test]
fn values_have_the_perspective_asked_for() {
    let lead = |view: &str| {
        let more = format!(
            ",\"komi\":-20,\"initialPlayer\":\"w\",\"overrideSettings\":{{\"reportAnalysisWinratesAs\":\"{view}\"}}"
        );
        // On a board of a size that networks are trained on.
        let got = talk(query("x", &more).replace("Size\":5", "Size\":9"));
        assert_eq!(got.len(), 1, "{got:?}");
        got[0]["rootInfo"]["scoreLead"].as_f64().unwrap()
    };
    assert!(lead("BLACK") > 0.0 && lead("WHITE") < 0.0 && lead("SIDETOMOVE") < 0.0);
}

#[test]
fn actions_are_echoed_with_their_results() {
    let got = talk(
        "{\"id\":\"v\",\"action\":\"query_version\",\"x\":1}\n{\"id\":\"m\",\"action\":\"query_models\"}\n\
         {\"id\":\"c\",\"action\":\"clear_cache\"}\n{\"id\":\"t\",\"action\":\"terminate_all\"}\n\
         {\"id\":\"t\",\"action\":\"terminate\"}\n{\"id\":\"d\",\"action\":\"dance\"}\n{\"id\":\"e\",\"action\":7}\n",
    );
    assert!(got[0]["version"].is_string() && got[0]["git_hash"].is_string() && got[0]["x"] == json!(1));
    assert!(got[1]["models"].is_array());
    assert_eq!(got[2], json!({"id": "c", "action": "clear_cache"}));
    assert_eq!(got[3], json!({"id": "t", "action": "terminate_all"}));
    assert_eq!(got[4]["field"], json!("terminateId"));
    assert_eq!(
        (&got[5]["field"], &got[6]["field"]),
        (&json!("action"), &json!("action"))
    );
}

#[test]
fn terminated_queries_are_answered_once() {
    let long = query("long", ",\"maxVisits\":100000000,\"reportDuringSearchEvery\":0.02");
    let waits = query("waits", ",\"priority\":-5");
    let input = format!(
        "{long}{waits}{}",
        "{\"id\":\"t\",\"action\":\"terminate\",\"terminateId\":\"waits\"}\n"
    );
    // The long one ends only when told to.
    let (send, lines) = channel::<String>();
    let reader = Lines(lines, Vec::new());
    let out = Buffer::default();
    let output = out.clone();
    let session = std::thread::spawn(move || {
        let mut session = Session::new(Box::new(Mcts::new().unwrap()), Box::new(output));
        let mut dialect = KataAnalysis::new(Settings::default());
        session.run(&mut dialect, Vec::new(), std::io::BufReader::new(reader));
    });
    send.send(input).unwrap();
    let seen = || out.text();
    let until = Instant::now() + Duration::from_secs(60);
    while !seen().contains("\"isDuringSearch\":true") && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    send.send("{\"id\":\"t\",\"action\":\"terminate_all\",\"turnNumbers\":[0]}\n".into())
        .unwrap();
    drop(send);
    session.join().unwrap();
    let got: Vec<Value> = seen().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let last = |id: &str| {
        got.iter()
            .filter(|a| a["id"] == id && a["isDuringSearch"] == json!(false))
            .count()
    };
    assert_eq!((last("long"), last("waits")), (1, 1), "{got:?}");
    assert!(got.iter().any(|a| a["id"] == "waits" && a["noResults"] == json!(true)));
    assert!(
        got.iter()
            .any(|a| a["id"] == "long" && a["isDuringSearch"] == json!(true))
    );
}

/// Lines that come when a test sends them.
struct Lines(Receiver<String>, Vec<u8>);

impl std::io::Read for Lines {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.1.is_empty() {
            match self.0.recv() {
                Ok(text) => self.1.extend(text.into_bytes()),
                Err(_) => return Ok(0),
            }
        }
        let n = out.len().min(self.1.len());
        out[..n].copy_from_slice(&self.1[..n]);
        self.1.drain(..n);
        Ok(n)
    }
}

#[test]
fn moves_may_be_forbidden_and_allowed() {
    let only = ",\"allowMoves\":[{\"player\":\"B\",\"moves\":[\"A1\",\"(2,2)\"],\"untilDepth\":1}]";
    let got = talk(query("x", only));
    let moves: Vec<&str> = got[0]["moveInfos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["move"].as_str().unwrap())
        .collect();
    assert!(
        !moves.is_empty() && moves.iter().all(|m| ["A1", "C3"].contains(m)),
        "{moves:?}"
    );
    let not = ",\"avoidMoves\":[{\"player\":\"B\",\"moves\":[\"C3\"],\"untilDepth\":1}]";
    let got = talk(query("x", not));
    assert!(
        got[0]["moveInfos"]
            .as_array()
            .unwrap()
            .iter()
            .all(|m| m["move"] != "C3")
    );
}

#[test]
fn wrong_fields_are_named() {
    let with = |field: &str, value: &str| {
        let mut object: Object = serde_json::from_str(query("x", "").trim()).unwrap();
        object.insert(field.into(), serde_json::from_str(value).unwrap());
        format!("{}\n", Value::Object(object))
    };
    let wrong = [
        ("boardXSize", "1"),
        ("boardXSize", "26"),
        ("boardXSize", "99999999999999999999"),
        ("boardXSize", "\"5\""),
        ("boardYSize", "7"),
        ("moves", "null"),
        ("moves", "[[\"B\"]]"),
        ("moves", "[[\"B\",\"Z9\"]]"),
        ("moves", "[[\"X\",\"A1\"]]"),
        ("moves", "[[\"B\",\"A1\"],[\"W\",\"A1\"]]"),
        ("initialStones", "[[\"B\",\"A1\"],[\"B\",\"A1\"]]"),
        ("initialStones", "[[\"B\",\"pass\"]]"),
        ("initialStones", "[[\"W\",\"A2\"],[\"W\",\"B1\"],[\"B\",\"A1\"]]"),
        ("initialPlayer", "3"),
        ("rules", "\"mars\""),
        ("rules", "{\"ko\":\"ODD\"}"),
        ("rules", "7"),
        ("komi", "1e300"),
        ("komi", "6.3"),
        ("komi", "\"7\""),
        ("analyzeTurns", "[1]"),
        ("analyzeTurns", "[-1]"),
        ("analyzeTurns", "[\"a\"]"),
        ("priority", "0.5"),
        ("priorities", "[1,2]"),
        ("maxVisits", "0"),
        ("maxVisits", "1e99"),
        ("maxVisits", "-4"),
        ("includePolicy", "1"),
        ("reportDuringSearchEvery", "0"),
        ("overrideSettings", "[]"),
        ("overrideSettings", "{\"cpuctExploration\":\"nan\"}"),
        ("avoidMoves", "[{}]"),
        ("avoidMoves", "[{\"player\":\"B\",\"moves\":[\"Q\"],\"untilDepth\":1}]"),
        ("whiteHandicapBonus", "\"N+1\""),
    ];
    let input: String = wrong.iter().map(|(field, value)| with(field, value)).collect();
    let got = talk(input);
    assert_eq!(got.len(), wrong.len());
    for ((field, value), answer) in wrong.iter().zip(&got) {
        assert_eq!(
            (&answer["field"], &answer["id"]),
            (&json!(field), &json!("x")),
            "{field} {value}: {answer}"
        );
        assert!(answer["error"].is_string());
    }
}

#[test]
fn warnings_do_not_stop_a_query() {
    let got = talk(query("x", ",\"maxVisit\":3,\"overrideSettings\":{\"nnCacheSize\":3}"));
    assert_eq!(got.iter().filter(|a| a["warning"].is_string()).count(), 2);
    assert_eq!(got.iter().filter(|a| a["moveInfos"].is_array()).count(), 1);
}

#[test]
fn handicaps_and_odd_turns_are_understood() {
    let got = talk(query("h", ",\"initialStones\":[[\"B\",\"B2\"],[\"B\",\"D4\"]]"));
    assert_eq!(got[0]["rootInfo"]["currentPlayer"], json!("W"));
    let twice = "{\"id\":\"t\",\"moves\":[[\"B\",\"B2\"],[\"B\",\"D4\"]],\"rules\":{\"scoring\":\"TERRITORY\"},\"boardXSize\":5,\
                 \"boardYSize\":5,\"analyzeTurns\":[1,2]}\n";
    let got = talk(twice);
    let players: Vec<&Value> = got.iter().map(|a| &a["rootInfo"]["currentPlayer"]).collect();
    assert_eq!(players, [&json!("B"), &json!("W")]);
}

#[test]
fn positions_that_mirror_each_other_share_a_name() {
    let hash = |at: &str| {
        let got = talk(query("x", "").replace("[]", &format!("[[\"B\",\"{at}\"]]")));
        let root = &got[0]["rootInfo"];
        (
            root["thisHash"].as_str().unwrap().to_string(),
            root["symHash"].as_str().unwrap().to_string(),
        )
    };
    let (a, b, c) = (hash("A1"), hash("E5"), hash("A2"));
    assert!(a.1 == b.1 && a.0 != b.0 && a.1 != c.1);
    assert_eq!(a.0.len(), 32);
}

#[test]
fn hostile_lines_are_survived() {
    let mut input: Vec<u8> = Vec::new();
    for line in [
        "",
        "{",
        "[]",
        "7",
        "null",
        "\"id\"",
        "{\"id\":7}",
        "{}",
        "{\"id\":\"x\"",
        "\u{0}",
        "{\"id\":\"x\",\"komi\":1e999}",
    ] {
        input.extend(line.as_bytes());
        input.push(b'\n');
    }
    input.extend(b"{\"id\":\"\xff\xfe\"}\n");
    input.extend(vec![b'['; 200_000]);
    input.push(b'\n');
    input.extend(format!("{{\"id\":\"{}\"}}\n", "x".repeat(2_000_000)).as_bytes());
    input.extend(query("last", "").as_bytes());
    let got = talk(input);
    assert!(got.iter().rev().skip(1).all(|a| a["error"].is_string()), "{got:?}");
    assert_eq!(got.last().unwrap()["id"], json!("last"));
}

#[test]
fn arguments_are_those_of_katago() {
    let read = |args: &[&str]| Arguments::read(&args.iter().map(|a| (*a).to_string()).collect::<Vec<_>>());
    let found = read(&[
        "-model",
        "m.bin.gz",
        "-analysis-threads",
        "4",
        "-override-config",
        "maxVisits=7,homeDataDir=",
    ])
    .unwrap();
    assert_eq!((found.model.as_deref(), found.settings.visits), (Some("m.bin.gz"), 7));
    assert!(read(&["-model"]).is_err() && read(&["-dance"]).is_err() && read(&["x"]).is_err());
    assert!(read(&["-config", "/no/such/file"]).is_err());
    assert!(read(&["-override-config", "maxVisits=many"]).is_err());
}
