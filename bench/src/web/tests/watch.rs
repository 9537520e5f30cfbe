//! Matches that run elsewhere: what watchers get of their live files.

use super::{TestFolder, TestPage};
use crate::arena::coup::Dealt;
use crate::arena::game::{Course, Fault};
use crate::arena::live::{
    LiveEnd, LiveEngine, LiveGame, LiveMatch, LiveOver, LiveSpec, LiveStanding, MOST_BOARDS, VERSION, now,
};
use crate::arena::tally::MatchFigures;
use crate::web::board::{self, GameSpec};
use crate::web::watch::LIST;
use crate::web::words::Lang;
use nguky::game::Position;
use nguky::games::coup::{Coup, CoupRules};
use nguky::util::rng::SplitMix;
use serde_json::{Value, json};
use std::path::PathBuf;

fn game(number: usize, setup: &str, moves: &[&str]) -> LiveGame {
    LiveGame {
        pair: [0, 1],
        number,
        round: format!("{}.{}", number / 2 + 1, number % 2 + 1),
        order: if number % 2 == 1 { [1, 0] } else { [0, 1] },
        setup: setup.into(),
        moves: moves.iter().map(|m| m.to_string()).collect(),
        clocks: [Some(9_000), None],
        since: now(),
        ..LiveGame::default()
    }
}

fn a_match(name: &str, running: Vec<LiveGame>) -> LiveMatch {
    let engine = |name: &str| LiveEngine {
        name: name.into(),
        limit: "1+0.01".into(),
        said: "nguky".into(),
    };
    LiveMatch {
        v: VERSION,
        written: now(),
        spec: LiveSpec {
            event: "nguky match".into(),
            game: name.into(),
            engines: vec![engine("A"), engine("B")],
            size: (name == "go").then_some(11),
            total: 20,
            ..LiveSpec::default()
        },
        running,
        ..LiveMatch::default()
    }
}

const CHESS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

impl TestFolder {
    fn live(&self, name: &str, text: &str) -> PathBuf {
        std::fs::create_dir_all(&self.0).expect("a folder");
        let path = self.0.join(format!("{name}.live.json"));
        let new = self.0.join(format!("{name}.new"));
        std::fs::write(&new, text).expect("written");
        std::fs::rename(&new, &path).expect("renamed");
        path
    }

    fn keep(&self, shown: &LiveMatch) -> PathBuf {
        self.live("m", &serde_json::to_string(shown).expect("JSON"))
    }
}

/// Watches the only match of the list: its number.
fn watch(page: &mut TestPage, place: Option<usize>) -> String {
    page.send(json!({ "t": "matches" }));
    let list = page.wait("matches", |m| m["matches"].as_array().is_some_and(|a| a.len() == 1));
    let id = list["matches"][0]["id"].as_str().expect("a number").to_string();
    page.send(json!({ "t": "watch", "match": id, "game": place }));
    id
}

#[test]
fn a_match_is_listed_and_followed() {
    let folder = TestFolder::new("watched");
    let mut shown = a_match("chess", vec![game(0, CHESS, &["e2e4"]), game(1, CHESS, &[])]);
    folder.keep(&shown);
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let id = watch(&mut page, Some(0));
    let head = page.wait("match", |_| true);
    assert_eq!(
        (&head["spec"]["total"], &head["board"]["w"], &head["file"]),
        (&json!(20), &json!(8), &json!("m"))
    );
    // The board is sent before the state of the match.
    let large = page.wait("large", |l| l["scene"]["ply"] == 1);
    let live = page.wait("live", |_| true);
    assert_eq!(live["state"], "running");
    assert_eq!(live["boards"][1]["order"], json!([1, 0]));
    assert_eq!(
        (&live["boards"][0]["label"], &live["boards"][0]["turn"]),
        (&json!("e4"), &json!(1))
    );
    assert_eq!(
        (&large["place"], &large["scene"]["played"]),
        (&json!(0), &json!(["e4"]))
    );
    // The match goes on: more moves, then another game in the same place.
    shown.running[0].moves.push("c7c5".into());
    shown.standing = LiveStanding {
        games: 2,
        tally: Some(MatchFigures {
            wdl: [1, 1, 0],
            ..MatchFigures::default()
        }),
        ..LiveStanding::default()
    };
    folder.keep(&shown);
    let large = page.wait("large", |l| l["scene"]["ply"] == 2);
    assert_eq!(large["scene"]["played"], json!(["e4", "c5"]));
    assert_eq!(large["scene"]["last"], json!([10, 26]));
    shown.running[0] = game(2, CHESS, &["d2d4"]);
    shown.running[1].over = Some(LiveOver {
        points: 0,
        reason: "time forfeit of the first side".into(),
        fault: Some((0, Fault::TimeLoss)),
    });
    shown.end = Some(LiveEnd::Played);
    folder.keep(&shown);
    let large = page.wait("large", |l| l["scene"]["key"] == "0-1-2");
    assert_eq!(large["scene"]["played"], json!(["d4"]));
    let live = page.wait("live", |l| l["state"] == "played");
    assert_eq!(live["standing"]["tally"]["wdl"], json!([1, 1, 0]));
    assert_eq!(
        live["boards"][1]["over"],
        json!({ "points": [0.0, 1.0], "say": ["over_time"] })
    );
    page.send(json!({ "t": "bye", "id": id }));
    page.send(json!({ "t": "bye", "id": LIST }));
}

#[test]
fn the_last_move_is_sent_before_the_end() {
    let folder = TestFolder::new("order");
    let mut shown = a_match("chess", vec![game(0, CHESS, &["e2e4"])]);
    folder.keep(&shown);
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    watch(&mut page, Some(0));
    page.wait("large", |l| l["scene"]["ply"] == 1);
    page.wait("live", |l| l["state"] == "running");
    shown.running[0].moves.push("c7c5".into());
    shown.end = Some(LiveEnd::Played);
    folder.keep(&shown);
    let first = page.next_at_once(|m| m["state"] == "played" || m["scene"]["ply"] == 2);
    assert_eq!(first["t"], "large", "{first}");
    page.wait("live", |l| l["state"] == "played");
}

#[test]
fn a_silent_match_is_stopped_and_a_wrong_number_is_refused() {
    let folder = TestFolder::new("silent");
    let mut shown = a_match("go", vec![game(0, "", &["C3", "pass"])]);
    shown.written = now() - 16_000;
    folder.keep(&shown);
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    for id in ["", "../m", "0011223344556677"] {
        page.send(json!({ "t": "watch", "match": id }));
        assert_eq!(page.wait("no", |_| true)["say"][0], "no_match");
    }
    watch(&mut page, Some(7));
    assert_eq!(page.wait("large", |_| true)["scene"], Value::Null);
    let live = page.wait("live", |_| true);
    assert_eq!(live["state"], "stopped");
    assert_eq!(live["boards"][0]["ply"], 2);
}

/// A former position of a board is that of its first moves; what was never reached is refused.
#[test]
fn former_positions_of_a_board_are_shown() {
    let folder = TestFolder::new("former");
    folder.keep(&a_match("chess", vec![game(0, CHESS, &["e2e4", "e7e5", "g1f3"])]));
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let id = watch(&mut page, Some(0));
    let now = page.wait("large", |_| true);
    page.send(json!({ "t": "at", "id": id, "board": 0, "ply": 3 }));
    let last = page.wait("shot", |_| true);
    assert_eq!((&last["board"], &last["ply"]), (&json!(0), &json!(3)));
    assert_eq!(last["scene"], now["scene"]);
    page.send(json!({ "t": "at", "id": id, "board": 0, "ply": 1 }));
    let shot = page.wait("shot", |_| true)["scene"].clone();
    assert_eq!((&shot["turn"], &shot["played"]), (&json!(1), &json!(["e4"])));
    assert_eq!(shot["key"], now["scene"]["key"]);
    for (id, board, ply) in [(id.as_str(), 0, 4), (id.as_str(), 1, 0), ("00", 0, 0)] {
        page.send(json!({ "t": "at", "id": id, "board": board, "ply": ply }));
        assert_eq!(page.wait("no", |_| true)["code"], "unknown");
    }
}

#[test]
fn damaged_files_are_not_listed_and_bad_games_do_no_harm() {
    let folder = TestFolder::new("damaged");
    let whole = serde_json::to_string(&a_match("chess", Vec::new())).expect("JSON");
    for (name, text) in [
        ("empty", ""),
        ("torn", &whole[..whole.len() / 2]),
        ("other", "{\"v\":99}"),
        ("list", "[1,2]"),
        ("deep", &"[".repeat(100_000)),
    ] {
        folder.live(name, text);
    }
    let mut odd = game(3, CHESS, &["e2e4", "e2e4", "e7e5"]);
    odd.order = [7, 9];
    let many = (0..MOST_BOARDS + 9).map(|n| game(n, "8/8", &["\u{0}"]));
    folder.keep(&a_match("chess", [odd].into_iter().chain(many).collect()));
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let id = watch(&mut page, Some(0));
    let live = page.wait("live", |_| true);
    assert_eq!(live["boards"].as_array().map(Vec::len), Some(MOST_BOARDS));
    assert_eq!(
        (&live["boards"][0]["sound"], &live["boards"][0]["label"]),
        (&json!(false), &json!("e4"))
    );
    assert_eq!(live["boards"][1]["pieces"], Value::Null);
    // The file becomes a match of no game that we know, then goes away.
    folder.keep(&a_match("checkers", vec![game(0, "", &[])]));
    page.wait("matches", |m| m["matches"] == json!([]));
    folder.keep(&a_match("chess", Vec::new()));
    page.wait("matches", |m| m["matches"] != json!([]));
    std::fs::remove_file(folder.0.join("m.live.json")).expect("removed");
    page.wait("matches", |m| m["matches"] == json!([]));
    page.send(json!({ "t": "bye", "id": id }));
    page.send(json!({ "t": "watch", "match": id }));
    assert_eq!(page.wait("no", |_| true)["code"], "unknown");
}

#[test]
fn boards_are_those_of_the_games() {
    let mut dice = SplitMix::new(21);
    for name in ["chess", "xiangqi", "shogi", "go"] {
        let spec = GameSpec {
            game: name.into(),
            size: 9,
            ..GameSpec::default()
        };
        let mut played = board::make(&spec).expect("a game");
        let mut watched = board::watched(&spec).expect("a game");
        for _ in 0..80 {
            let moves = played.moves(Lang::Vi);
            if played.ended().is_some() || moves.is_empty() {
                break;
            }
            let m = moves[dice.below(moves.len() as u64) as usize].2.clone();
            played.play(&m).expect("a move");
            watched.play(&m).expect("the same move");
        }
        for lang in Lang::ALL {
            assert_eq!(watched.seen(lang), played.seen(0, lang), "{name}");
        }
        assert_eq!(
            (watched.side(), watched.facts()),
            (played.side(), played.facts()),
            "{name}"
        );
    }
}

/// Plays a game of cờ úp at random: the deal, and the moves as everybody may know them.
fn dealt(dark: &str, number: u64, dice: &mut SplitMix) -> Dealt {
    let mut rules = CoupRules::default();
    nguky::game::Rules::set(&mut rules, "CapturedDark", dark).expect("a rule");
    let mut deal = Dealt::new(&Coup::parse(Coup::START, &rules).expect("a setup"), 3, number);
    for _ in 0..100 {
        let moves = crate::play::table::legal(deal.position());
        if deal.ended().is_some() || moves.is_empty() {
            break;
        }
        let m = moves[dice.below(moves.len() as u64) as usize];
        deal.play_move(m);
    }
    deal
}

#[test]
fn nobody_sees_more_of_a_watched_game_than_everybody_may() {
    let mut dice = SplitMix::new(22);
    let mut unseen = 0;
    for (dark, number) in [("none", 0), ("capturer", 1), ("both", 2), ("none", 3)] {
        let deal = dealt(dark, number, &mut dice);
        let spec = GameSpec {
            game: "coup".into(),
            rules: vec![("CapturedDark".into(), dark.into())],
            ..GameSpec::default()
        };
        let mut watched = board::watched(&spec).expect("a game");
        for m in deal.open().1 {
            watched.play(m).expect("a move that everybody may know");
        }
        let seen = watched.seen(Lang::En);
        unseen += seen.unseen.iter().sum::<usize>();
        // Where nobody, or everybody, learns what was taken face down, the sides know what a watcher knows.
        let known = crate::play::hidden::known(&deal, 0);
        if dark != "capturer" {
            assert_eq!(seen.pieces.len(), known.0.board().occupied().len() as usize);
            let spoils: usize = seen.taken.iter().flatten().map(|(_, n)| n).sum();
            assert_eq!(spoils, known.1.iter().map(Vec::len).sum::<usize>());
        }
        if dark != "both" {
            let secret = seen.taken.iter().flatten().filter(|(kind, _)| kind == "?");
            assert_eq!(seen.unseen.iter().sum::<usize>(), secret.map(|(_, n)| n).sum::<usize>());
        }
        // What lies face down is shown as such, and its kind is nowhere.
        assert!(seen.pieces.iter().all(|p| (p.3 == 1) == (p.1 == "X")), "{dark}");
        assert_eq!(seen.played.len(), seen.turned.len());
    }
    assert!(unseen > 0, "no piece was taken face down: the test tells nothing");
}
