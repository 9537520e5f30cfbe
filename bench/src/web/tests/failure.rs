//! Engines that fail: no game waits for an answer that never comes.

use super::engine::TestEngine;
use super::{TestFolder, TestPage, about};
use crate::web::board::{RoomEngine, WebGame};
use crate::web::hub::{EngineMaker, HubShared};
use crate::web::watch::MatchWatch;
use anyhow::Result;
use nguky::control::Sink;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether a failure is left on a counter, which then has one less.
fn fails(left: &AtomicUsize) -> bool {
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
        .is_ok()
}

/// Fails without a message: the test's output is for what goes wrong unasked.
fn fail() {
    std::panic::resume_unwind(Box::new("a failure for the test"));
}

/// An engine whose searches end without an answer, as often as the counter says.
fn silent(game: &dyn WebGame, left: &'static AtomicUsize) -> Result<RoomEngine> {
    let search = move |sink| {
        if !fails(left) {
            return Some(sink);
        }
        std::thread::spawn(move || {
            let _sink: Sink = sink;
            fail();
        });
        None
    };
    TestEngine::make(game, Box::new(|_, _| ()), Box::new(search))
}

/// An engine that fails the room's own thread when it gets a position.
fn failing(game: &dyn WebGame, left: &'static AtomicUsize) -> Result<RoomEngine> {
    let position = move |_: Option<&str>, _: &[&str]| {
        if fails(left) {
            fail();
        }
    };
    TestEngine::make(game, Box::new(position), Box::new(Some))
}

fn hub(folder: &TestFolder, engines: EngineMaker) -> Arc<HubShared> {
    HubShared::open_with(&folder.0, 1, 1, MatchWatch::new(Vec::new()), engines).expect("a hub")
}

fn moved(page: &mut TestPage, scene: &Value, m: &str) {
    page.send(about(scene, "move", json!({ "m": m })));
}

fn is_idle(scene: &Value) -> bool {
    scene["say"][0] == "engine_failed" && scene["thinking"] == false
}

#[test]
fn a_game_whose_engine_fails_says_so_and_can_go_on() {
    static LEFT: AtomicUsize = AtomicUsize::new(0);
    let folder = TestFolder::new("failing");
    let hub = hub(&folder, |game| silent(game, &LEFT));
    let mut page = TestPage::new(&hub, 1);
    let (first, _) = page.begin(json!({ "game": "chess", "level": 1, "seat": 0 }));
    let scene = page.wait("scene", |_| true);
    // One failure is made good by a fresh engine.
    LEFT.store(1, Ordering::SeqCst);
    moved(&mut page, &scene, "e2e4");
    let scene = page.wait("scene", |s| s["ply"] == 2);
    assert_eq!(scene["say"], Value::Null);
    // More of them end in a sentence, and the person may have it try again.
    LEFT.store(2, Ordering::SeqCst);
    moved(&mut page, &scene, "d2d4");
    let scene = page.wait("scene", is_idle);
    assert_eq!((&scene["ply"], &scene["turn"]), (&json!(3), &json!(1)));
    assert!(
        scene["keys"]
            .as_array()
            .is_some_and(|k| k.contains(&json!("retry")) && k.contains(&json!("undo")))
    );
    // It stays so, for who comes later too, and another game goes its way.
    page.send(json!({ "t": "open", "id": first }));
    page.wait("scene", is_idle);
    let (other, _) = page.begin(json!({ "game": "chess", "level": 1, "seat": 0 }));
    let new = page.wait("scene", |s| s["id"] == json!(other));
    moved(&mut page, &new, "g1f3");
    page.wait("scene", |s| s["id"] == json!(other) && s["ply"] == 2);
    page.send(about(&scene, "press", json!({ "key": "retry" })));
    let scene = page.wait("scene", |s| s["id"] == json!(first) && s["ply"] == 4);
    assert_eq!(scene["say"], Value::Null);
    // A hint and an analysis that fail leave the game to the person.
    LEFT.store(2, Ordering::SeqCst);
    page.send(about(&scene, "press", json!({ "key": "hint" })));
    let scene = page.wait("scene", is_idle);
    assert!(!scene["moves"].as_array().is_none_or(Vec::is_empty));
    LEFT.store(2, Ordering::SeqCst);
    page.send(json!({ "t": "think", "id": first, "ply": 4, "on": true }));
    page.wait("scene", is_idle);
    page.send(json!({ "t": "think", "id": first, "ply": 4, "on": true }));
    page.wait("think", |t| t["id"] == json!(first));
}

#[test]
fn a_game_on_which_the_program_fails_is_given_up_and_others_go_on() {
    static LEFT: AtomicUsize = AtomicUsize::new(0);
    let folder = TestFolder::new("broken");
    let hub = hub(&folder, |game| failing(game, &LEFT));
    let mut page = TestPage::new(&hub, 1);
    let (first, _) = page.begin(json!({ "game": "chess", "level": 1, "seat": 0 }));
    let scene = page.wait("scene", |_| true);
    LEFT.store(usize::MAX, Ordering::SeqCst);
    moved(&mut page, &scene, "e2e4");
    let broken = page.wait("broken", |_| true);
    assert_eq!(
        (&broken["id"], &broken["say"]),
        (&json!(first), &json!(["game_broken"]))
    );
    LEFT.store(0, Ordering::SeqCst);
    page.send(json!({ "t": "open", "id": first }));
    page.wait("broken", |_| true);
    page.send(about(&scene, "press", json!({ "key": "resign" })));
    assert_eq!(page.wait("no", |_| true)["code"], "broken");
    let (other, _) = page.begin(json!({ "game": "chess", "level": 1, "seat": 0 }));
    let new = page.wait("scene", |s| s["id"] == json!(other));
    moved(&mut page, &new, "g1f3");
    page.wait("scene", |s| s["id"] == json!(other) && s["ply"] == 2);
    page.send(json!({ "t": "list" }));
    let games = page.wait("games", |_| true);
    assert_eq!(games["games"].as_array().map(Vec::len), Some(2), "no game is lost");
}
