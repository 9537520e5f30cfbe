//! Loaded records and the review of games.

use super::{TestFolder, TestPage, about};
use crate::web::room::RoomMessage;
use crate::web::slots::{Rank, Slots};
use serde_json::{Value, json};
use std::sync::mpsc::channel;

const MATE: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";

/// Loads a record: the game's number and its scene.
fn load(page: &mut TestPage, text: &str) -> (String, Value) {
    page.send(json!({ "t": "load", "text": text }));
    let opened = page.wait("opened", |_| true);
    let scene = page.wait("scene", |_| true);
    (opened["id"].as_str().expect("an id").into(), scene)
}

/// Reviews a game; the last message.
fn review(page: &mut TestPage, id: &str) -> Value {
    page.send(json!({ "t": "review", "id": id, "effort": "fast" }));
    page.wait("review", |r| r["state"] == "done")
}

#[test]
fn records_of_all_formats_become_games_and_are_reviewed() {
    let folder = TestFolder::new("load");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    for (text, game, plies, format) in [
        (MATE, "chess", 4, "pgn"),
        ("[Game \"Chinese Chess\"]\n\n1. 炮二平五 马８进７ 2. H2-E2", "", 0, ""),
        (
            "[Game \"Chinese Chess\"]\n\n1. 炮二平五 马８进７ 1-0",
            "xiangqi",
            2,
            "pgn",
        ),
        ("1. i3i4R i6i5b", "coup", 2, "pgn"),
        ("V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n-3334FU\n%TORYO", "shogi", 2, "kif"),
        ("手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 投了", "shogi", 2, "csa"),
        ("(;GM[1]SZ[9]KM[7]AB[cc][gg]PL[W];W[ee];W[ce];B[ec])", "go", 3, "sgf"),
    ] {
        if game.is_empty() {
            page.send(json!({ "t": "load", "text": text }));
            let no = page.wait("no", |_| true);
            assert_eq!((&no["code"], &no["say"][1]), (&json!("bad_record"), &json!(3)), "{no}");
            continue;
        }
        let (id, scene) = load(&mut page, text);
        assert_eq!(scene["ply"], plies, "{text}");
        let done = review(&mut page, &id);
        assert_eq!(done["rows"].as_array().map(Vec::len), Some(plies), "{done}");
        assert_eq!(done["curve"].as_array().map(Vec::len), Some(plies + 1), "{done}");
        assert!(
            done["totals"][0]["accuracy"]
                .as_f64()
                .is_some_and(|a| (0.0..=100.0).contains(&a)),
            "{done}"
        );
        page.send(json!({ "t": "save", "id": id, "format": format, "review": true }));
        let file = page.wait("file", |_| true);
        let again = file["text"].as_str().expect("a text").to_string();
        let (_, second) = load(&mut page, &again);
        assert_eq!(second["played"], scene["played"], "{again}");
        assert_eq!(second["pieces"], scene["pieces"], "{again}");
    }
}

#[test]
fn a_review_says_what_was_better() {
    let folder = TestFolder::new("better");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (id, scene) = load(&mut page, MATE);
    assert_eq!(scene["over"]["points"], json!([0.0, 1.0]));
    assert_eq!(scene["keys"], json!([]));
    page.send(json!({ "t": "review", "id": id, "effort": "endless" }));
    assert_eq!(page.wait("no", |_| true)["code"], "unknown");
    page.send(json!({ "t": "try", "id": id, "ply": 2, "m": "e2e4" }));
    assert_eq!(page.wait("no", |_| true)["say"][0], "no_review");
    let done = review(&mut page, &id);
    let row = &done["rows"][2];
    assert_eq!((&row["mark"], &row["side"]), (&json!("blunder"), &json!(0)), "{row}");
    assert!(
        row["line"].as_array().is_some_and(|l| !l.is_empty()) && row["best"].is_array(),
        "{row}"
    );
    assert_eq!(done["rows"][3]["mark"], Value::Null);
    page.send(json!({ "t": "at", "id": id, "ply": 2 }));
    let shot = page.wait("shot", |_| true);
    let moves = shot["scene"]["moves"].as_array().expect("moves");
    assert!(moves.iter().any(|m| m[2] == "e2e4") && moves.len() > 10, "{shot}");
    page.send(json!({ "t": "try", "id": id, "ply": 2, "m": "e2e4" }));
    let tried = page.wait("tried", |_| true);
    assert_eq!(
        (&tried["better"], &tried["label"]),
        (&json!(true), &json!("e4")),
        "{tried}"
    );
    page.send(json!({ "t": "try", "id": id, "ply": 2, "m": "g2g4" }));
    let tried = page.wait("tried", |_| true);
    assert_eq!(
        (&tried["better"], &tried["mark"]),
        (&json!(false), &json!("blunder")),
        "{tried}"
    );
    for (ply, m, code) in [
        (2, "e2e5", "illegal_move"),
        (9, "e2e4", "unknown"),
        (4, "e2e4", "unknown"),
    ] {
        page.send(json!({ "t": "try", "id": id, "ply": ply, "m": m }));
        assert_eq!(page.wait("no", |_| true)["code"], code, "{ply} {m}");
    }
}

#[test]
fn a_review_goes_on_after_a_restart_and_can_be_stopped() {
    let folder = TestFolder::new("resume");
    let id = {
        let hub = folder.hub();
        let mut page = TestPage::new(&hub, 1);
        let (id, _) = load(&mut page, MATE);
        page.send(json!({ "t": "review", "id": id, "effort": "fast" }));
        page.wait("review", |r| r["done"].as_u64() >= Some(2));
        page.send(json!({ "t": "halt", "id": id }));
        let halted = page.wait("review", |r| r["state"] == "halted");
        assert!(halted["totals"].is_null(), "{halted}");
        hub.close();
        id
    };
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 2);
    page.send(json!({ "t": "open", "id": id }));
    let halted = page.wait("review", |_| true);
    assert_eq!(
        (&halted["state"], &halted["of"]),
        (&json!("halted"), &json!(25)),
        "{halted}"
    );
    assert!(halted["done"].as_u64() >= Some(2), "{halted}");
    let done = review(&mut page, &id);
    page.send(json!({ "t": "open", "id": id }));
    let again = page.wait("review", |_| true);
    assert_eq!(again["rows"], done["rows"]);
    hub.close();
    drop(page);
    drop(hub);
    // One that nobody stopped goes on by itself; a torn line is searched again.
    let file = folder.0.join("games").join(format!("{id}.review"));
    let text = std::fs::read_to_string(&file).expect("a review");
    let kept: Vec<&str> = text
        .lines()
        .filter(|l| !l.contains("halt") && !l.contains("resume"))
        .take(3)
        .collect();
    std::fs::write(&file, format!("{}\n{{\"e\":\"fou", kept.join("\n"))).expect("a torn review");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 3);
    page.send(json!({ "t": "open", "id": id }));
    page.wait("review", |r| r["state"] == "done");
    page.send(json!({ "t": "delete", "id": id }));
    page.wait("games", |_| true);
    assert!(!file.exists());
}

#[test]
fn play_and_analysis_go_before_a_review() {
    let folder = TestFolder::new("rank");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (reviewed, _) = load(&mut page, MATE);
    page.send(json!({ "t": "review", "id": reviewed, "effort": "normal" }));
    page.wait("review", |r| r["state"] == "running");
    let (played, _) = page.begin(json!({ "game": "chess", "level": 1, "seat": 0 }));
    let scene = page.wait("scene", |s| s["id"] == json!(played));
    page.send(about(&scene, "move", json!({ "m": "e2e4" })));
    page.wait("scene", |s| s["id"] == json!(played) && s["ply"] == 2);
    page.send(json!({ "t": "think", "id": played, "ply": 2, "on": true, "lines": 1 }));
    page.wait("think", |t| t["id"] == json!(played));
    page.send(json!({ "t": "think", "id": played, "ply": 2, "on": false, "lines": 1 }));
    // It may have been done before: who opens the game gets its state.
    page.send(json!({ "t": "open", "id": reviewed }));
    let done = page.wait("review", |r| r["state"] == "done");
    assert_eq!(done["id"], json!(reviewed));
}

#[test]
fn slots_go_by_rank() {
    let slots = Slots::new(1);
    let [(review, at_review), (analysis, at_analysis), (play, at_play)] = [channel(), channel(), channel()];
    let slot = slots.take(&review, Rank::Review).expect("a slot");
    assert!(slots.take(&analysis, Rank::Analysis).is_none());
    assert!(matches!(at_review.try_recv(), Ok(RoomMessage::Yield)));
    assert!(slots.take(&play, Rank::Play).is_none());
    slots.wait(&review, Rank::Review);
    drop(slot);
    assert!(matches!(at_play.try_recv(), Ok(RoomMessage::Retry)));
    assert!(at_analysis.try_recv().is_err(), "the move goes first");
    // Who has no use for the slot lets the next ones have it, each in turn.
    slots.pass_on();
    assert!(matches!(at_analysis.try_recv(), Ok(RoomMessage::Retry)));
    let _slot = slots.take(&analysis, Rank::Analysis).expect("a slot");
    slots.pass_on();
    let early = at_review.try_iter().any(|m| matches!(m, RoomMessage::Retry));
    assert!(!early, "no slot is free");
}

#[test]
fn a_review_is_dropped_where_the_game_goes_on() {
    let folder = TestFolder::new("dropped");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (id, _) = page.begin(json!({ "game": "chess", "seat": 2, "setup": "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1" }));
    let scene = page.wait("scene", |_| true);
    page.send(about(&scene, "move", json!({ "m": "b1b8" })));
    let scene = page.wait("scene", |s| s["over"].is_object());
    review(&mut page, &id);
    let file = folder.0.join("games").join(format!("{id}.review"));
    assert!(file.exists());
    page.send(about(&scene, "press", json!({ "key": "undo" })));
    assert_eq!(page.wait("review", |_| true)["state"], "none");
    assert!(!file.exists());
}

#[test]
fn what_cannot_be_loaded_or_reviewed_is_refused() {
    let folder = TestFolder::new("unread");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (id, _) = page.begin(json!({ "game": "coup", "seat": 2 }));
    page.wait("scene", |_| true);
    page.send(json!({ "t": "review", "id": id, "effort": "fast" }));
    assert_eq!(page.wait("no", |_| true)["say"][0], "no_review");
    for (message, code) in [
        (json!({ "t": "load", "text": "" }), "bad_record"),
        (json!({ "t": "load", "text": "1. e4 e9" }), "bad_record"),
        (
            json!({ "t": "load", "text": "1. e4", "game": "checkers" }),
            "bad_record",
        ),
        (
            json!({ "t": "load", "text": "(;SZ[5", "name": "../x.sgf" }),
            "bad_record",
        ),
        (json!({ "t": "pick", "number": 7 }), "unknown"),
        (json!({ "t": "load", "text": "x".repeat(1 << 20) }), "too_big"),
        (json!({ "t": "list", "text": "x".repeat(20_000) }), "too_big"),
    ] {
        page.send(message.clone());
        let no = page.wait("no", |_| true);
        assert_eq!(no["code"], code, "{no}");
    }
    let two = "1. e4 e5 1-0 1. d4 {a comment} d5 0-1 ".repeat(400);
    page.send(json!({ "t": "load", "text": two }));
    let records = page.wait("records", |_| true);
    assert_eq!(records["games"].as_array().map(Vec::len), Some(200));
    page.send(json!({ "t": "pick", "number": 1 }));
    let scene = page.wait("scene", |s| s["over"].is_object());
    assert_eq!(
        (&scene["played"], &scene["over"]["points"]),
        (&json!(["d4", "d5"]), &json!([0.0, 1.0]))
    );
}

/// A game with comments, glyphs and variations within one another.
const NOTED: &str = "{A lesson} 1. e4 $1 {The king's pawn} e5 (1... c5 {Sicilian} 2. Nf3 (2. c3 d5) d6) 2. Nf3 *";

#[test]
fn what_a_record_says_of_its_moves_is_kept_shown_and_saved() {
    let folder = TestFolder::new("notes");
    let id = {
        let hub = folder.hub();
        let mut page = TestPage::new(&hub, 1);
        page.send(json!({ "t": "load", "text": NOTED }));
        let notes = page.wait("notes", |_| true);
        hub.close();
        notes["id"].as_str().expect("an id").to_string()
    };
    // After a restart, too.
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 2);
    page.send(json!({ "t": "open", "id": id }));
    let notes = page.wait("notes", |_| true);
    assert_eq!(notes["comment"], "A lesson");
    let first = &notes["moves"][0];
    assert_eq!(
        (&first["ply"], &first["comment"], &first["nags"]),
        (&json!(0), &json!("The king's pawn"), &json!([1]))
    );
    let line = &notes["moves"][1]["others"][0];
    let labels = |line: &Value| -> Vec<String> {
        let moves = line.as_array().expect("moves").iter();
        moves
            .map(|m| m["label"].as_str().expect("a label").to_string())
            .collect()
    };
    assert_eq!(labels(line), ["c5", "Nf3", "d6"]);
    assert_eq!((&line[0]["comment"], &line[0]["ply"]), (&json!("Sicilian"), &json!(1)));
    assert_eq!(labels(&line[1]["others"][0]), ["c3", "d5"]);
    let scene = page.wait("scene", |_| true);
    page.send(json!({ "t": "save", "id": id, "format": "pgn" }));
    let file = page.wait("file", |_| true);
    let text = file["text"].as_str().expect("a text").to_string();
    page.send(json!({ "t": "load", "text": text }));
    let again = page.wait("notes", |n| n["id"] != json!(id));
    assert_eq!(
        (&again["comment"], &again["moves"]),
        (&notes["comment"], &notes["moves"]),
        "{text}"
    );
    // What is said of moves that are taken back goes with them. Scene and notes come in either order.
    let mut scene = scene;
    for left in [2, 1] {
        page.send(about(&scene, "press", json!({ "key": "undo" })));
        let (mut shown, mut noted) = (false, false);
        while !(shown && noted) {
            let message = page.next();
            if message["id"] != json!(id) {
                continue;
            }
            if message["t"] == "scene" && message["ply"] == left {
                scene = message;
                shown = true;
            } else if message["t"] == "notes" {
                noted = message["moves"].as_array().map(Vec::len) == left.try_into().ok();
            }
        }
    }
}
