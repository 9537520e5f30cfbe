//! Whole games, and what scenes say of positions.

use super::{TestFolder, TestPage, about, lines, tokens};
use crate::web::board::{self, GameSpec};
use crate::web::disk::GameEvent;
use crate::web::outbox::Outgoing;
use crate::web::session::WebSession;
use crate::web::words::Lang;
use nguky::util::rng::SplitMix;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

/// Plays random moves of the scenes until the game is over, or resigns after so many half-moves; the last scene.
fn play_out(page: &mut TestPage, dice: &mut SplitMix, most: u64) -> Value {
    let ready = |s: &Value| s["over"].is_object() || s["moves"].as_array().is_some_and(|m| !m.is_empty());
    let mut scene = page.wait("scene", ready);
    while !scene["over"].is_object() {
        let ply = scene["ply"].as_u64().expect("a ply");
        assert_eq!(scene["played"].as_array().map(Vec::len), Some(ply as usize));
        let passes = scene["keys"].as_array().is_some_and(|k| k.contains(&json!("pass")));
        if ply >= most {
            page.send(about(&scene, "press", json!({ "key": "resign" })));
        } else if passes && ply > 40 {
            page.send(about(&scene, "press", json!({ "key": "pass" })));
        } else {
            let moves = scene["moves"].as_array().expect("moves");
            let m = &moves[dice.below(moves.len() as u64) as usize];
            page.send(about(&scene, "move", json!({ "m": m[2] })));
        }
        scene = page.wait("scene", |s| s["rev"].as_u64() > scene["rev"].as_u64() && ready(s));
    }
    scene
}

#[test]
fn whole_games_of_all_games() {
    let mut dice = SplitMix::new(5);
    for game in ["chess", "xiangqi", "coup", "shogi", "go"] {
        let folder = TestFolder::new(&format!("whole-{game}"));
        let hub = folder.hub();
        let mut page = TestPage::new(&hub, 1);
        let (id, board) = page.begin(json!({ "game": game, "level": 1, "seat": 1 }));
        assert_eq!(board["game"], game);
        let scene = play_out(&mut page, &mut dice, 120);
        let points = &scene["over"]["points"];
        assert_eq!(
            points[0].as_f64().zip(points[1].as_f64()).map(|(a, b)| a + b),
            Some(1.0),
            "{scene}"
        );
        assert!(scene["over"]["say"][0].as_str().is_some_and(|s| s.starts_with("over_")));
        let last = lines(&folder.game_file()).pop().expect("lines");
        assert!(
            matches!(serde_json::from_str(&last), Ok(GameEvent::End { .. })),
            "{last}"
        );
        page.send(json!({ "t": "save", "id": id, "format": board["formats"][0] }));
        let file = page.wait("file", |_| true);
        assert!(file["text"].as_str().is_some_and(|t| t.contains("nguky web")), "{file}");
        page.send(about(&scene, "press", json!({ "key": "again" })));
        page.wait("opened", |o| o["id"] != json!(id));
        assert_eq!(page.wait("board", |_| true)["seat"], 0);
    }
}

#[test]
fn moves_of_scenes_are_the_legal_moves() {
    let mut dice = SplitMix::new(3);
    for game in ["chess", "xiangqi", "coup", "shogi", "go"] {
        let mut spec = GameSpec {
            game: game.into(),
            size: 9,
            ..GameSpec::default()
        };
        board::deal(&mut spec).expect("a deal");
        let mut engine = board::make(&spec).expect("a game").engine().expect("an engine");
        for _ in 0..3 {
            let mut played = board::make(&spec).expect("a game");
            while played.ended().is_none() && played.plies() < 60 {
                let moves = played.moves(Lang::Vi);
                let facts = played.facts();
                let on_board = |p: i32| (0..(facts.w * facts.h) as i32).contains(&p);
                let mut texts: Vec<&str> = moves.iter().map(|m| m.2.as_str()).collect();
                for (from, to, text, label) in &moves {
                    let held = (1000..1100 + facts.hand.len() as i32).contains(from);
                    assert!(
                        on_board(*to) && (on_board(*from) || held || facts.lines == "go"),
                        "{game} {text}"
                    );
                    assert!(!label.is_empty());
                }
                texts.sort_unstable();
                texts.dedup();
                assert_eq!(texts.len(), moves.len(), "{game}: a move twice");
                played.prepare(&mut engine, played.side()).expect("a position");
                assert!(texts.iter().all(|m| engine.engine().is_legal(m)), "{game}");
                let passes = usize::from(played.may_pass());
                assert_eq!(
                    moves.len() + passes,
                    engine.engine().perft(1, 1, &AtomicBool::new(false)).len(),
                    "{game}"
                );
                let m = moves[dice.below(moves.len() as u64) as usize].2.clone();
                played.play(&m).expect("a move");
            }
        }
    }
}

#[test]
fn a_game_outlives_its_server_and_a_torn_line() {
    let folder = TestFolder::new("torn");
    let (id, before) = {
        let hub = folder.hub();
        let mut page = TestPage::new(&hub, 1);
        let (id, _) = page.begin(json!({ "game": "coup", "seat": 2 }));
        let mut scene = page.wait("scene", |_| true);
        for i in 0..6 {
            page.send(about(&scene, "move", json!({ "m": scene["moves"][i][2] })));
            scene = page.wait("scene", |s| s["ply"] == i + 1);
        }
        page.send(about(&scene, "press", json!({ "key": "undo" })));
        let scene = page.wait("scene", |s| s["ply"] == 5);
        hub.close();
        (id, scene)
    };
    let file = folder.game_file();
    let whole = std::fs::read_to_string(&file).expect("a file");
    std::fs::write(&file, format!("{whole}{{\"e\":\"move\",\"m\":\"b0")).expect("a torn file");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 2);
    page.send(json!({ "t": "list" }));
    assert_eq!(page.wait("games", |_| true)["games"][0]["ply"], 5);
    page.send(json!({ "t": "open", "id": id }));
    let after = page.wait("scene", |_| true);
    for field in ["pieces", "pool", "unseen", "taken", "played", "turned", "moves", "turn"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), whole);
}

#[test]
fn hostile_messages_are_refused_and_change_nothing() {
    let folder = TestFolder::new("hostile");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (id, _) = page.begin(json!({ "game": "chess", "seat": 2 }));
    let scene = page.wait("scene", |_| true);
    let kept = lines(&folder.game_file());
    let mut dice = SplitMix::new(9);
    let types = [
        "list", "open", "move", "type", "press", "at", "peek", "save", "load", "new", "", "hello",
    ];
    let fields = [
        "rev", "m", "text", "key", "ply", "on", "lines", "line", "upto", "format", "game", "setup", "level",
    ];
    for _ in 0..2_000 {
        let value = |dice: &mut SplitMix| match dice.below(8) {
            0 => json!(dice.below(1 << 60)),
            1 => json!(-1),
            2 => json!("\u{0}../../é"),
            3 => json!(["x", {}]),
            4 => Value::Null,
            5 => json!("e2e9"),
            6 => json!(1e300),
            _ => json!("x".repeat(300)),
        };
        let mut message = json!({ "t": types[dice.below(12) as usize] });
        if dice.below(3) > 0 {
            message["id"] = json!(id);
        }
        for _ in 0..dice.below(5) {
            message[fields[dice.below(13) as usize]] = value(&mut dice);
        }
        page.send(message);
        while page.session.out.take().is_some() {}
    }
    for text in [
        "",
        "[",
        "null",
        "[]",
        "\"t\"",
        "{\"t\":7}",
        &"[".repeat(4_000),
        &"x".repeat(20_000),
    ] {
        page.session.refill();
        page.session.hear(text);
    }
    assert_eq!(lines(&folder.game_file()), kept);
    page.send(json!({ "t": "open", "id": id }));
    let after = page.wait("scene", |_| true);
    assert_eq!((&after["pieces"], &after["rev"]), (&scene["pieces"], &scene["rev"]));
}

#[test]
fn refusals_have_codes() {
    let folder = TestFolder::new("codes");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (id, _) = page.begin(json!({ "game": "chess", "seat": 2 }));
    let scene = page.wait("scene", |_| true);
    let rev = scene["rev"].as_u64().expect("a revision");
    for (message, code) in [
        (about(&scene, "move", json!({ "m": "e2e5" })), "illegal_move"),
        (about(&scene, "move", json!({ "m": "e2e4", "rev": rev + 1 })), "stale"),
        (about(&scene, "type", json!({ "text": "Nd2" })), "illegal_move"),
        (about(&scene, "press", json!({ "key": "undo" })), "unknown"),
        (json!({ "t": "open", "id": "../../etc/passwd" }), "unknown"),
        (json!({ "t": "open", "id": "0123456789abcdef" }), "unknown"),
        (json!({ "t": "at", "id": id, "ply": 9 }), "unknown"),
        (json!({ "t": "save", "id": id, "format": "../x" }), "unknown"),
        (json!({ "t": "new", "game": "chess", "setup": "8/8" }), "bad_setup"),
        (json!({ "t": "new", "game": "checkers" }), "bad_setup"),
        (json!({ "t": "new", "game": "chess", "level": 9 }), "bad_setup"),
        (
            json!({ "t": "new", "game": "chess", "rules": { "EvalFile": "/etc/passwd" } }),
            "bad_setup",
        ),
        (json!({ "t": "new", "game": "go", "size": 1000 }), "bad_setup"),
        (json!({ "t": "load", "text": "" }), "bad_record"),
        (json!({ "t": "load" }), "bad_message"),
    ] {
        page.send(message.clone());
        let no = page.wait("no", |_| true);
        assert_eq!(no["code"], code, "{message} {no}");
    }
    page.send(about(&scene, "type", json!({ "text": "Nf3" })));
    let scene = page.wait("scene", |s| s["ply"] == 1);
    assert_eq!((&scene["played"], &scene["last"]), (&json!(["Nf3"]), &json!([62, 45])));
}

#[test]
fn a_stranger_is_sent_away() {
    let folder = TestFolder::new("stranger");
    let hub = folder.hub();
    for (first, expected) in [
        (json!({ "t": "list", "n": 1 }), 1008),
        (json!({ "t": "hello", "n": 1, "v": 1, "token": "", "lang": "vi" }), 1008),
        (json!({ "t": "hello", "n": 1, "v": 2, "token": "", "lang": "vi" }), 4001),
    ] {
        let mut session = WebSession::new(hub.clone(), tokens("00"), 1);
        session.hear(&first.to_string());
        let mut closed = None;
        while let Some(out) = session.out.take() {
            if let Outgoing::Close(code) = out {
                closed = Some(code);
                break;
            }
        }
        assert_eq!(closed, Some(expected), "{first}");
        assert!(!session.is_known());
    }
}
