//! The frames of a room in which a game of cờ úp is played against the engine: they do not depend on what the person may not
//! know, and engines are asked with what their side was told.

use super::engine::TestEngine;
use super::secrets::{cells, permuted, spec};
use super::{TestFolder, TestPage, about};
use crate::arena::coup::Dealt;
use crate::arena::game::Course;
use crate::web::board::{self, GameSpec, RoomEngine, WebGame};
use crate::web::disk::GameHead;
use crate::web::hub::HubShared;
use crate::web::watch::MatchWatch;
use crate::web::words::Lang;
use anyhow::Result;
use nguky::control::{Choice, Report, Sink};
use nguky::game::Position;
use nguky::games::coup::Coup;
use nguky::util::rng::SplitMix;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The moves of the engine, by how many moves were played before; and with what it was asked.
static SCRIPT: Mutex<BTreeMap<usize, String>> = Mutex::new(BTreeMap::new());
static HEARD: Mutex<Vec<(String, Vec<String>)>> = Mutex::new(Vec::new());
/// The two above are of one game at a time.
static ONE: Mutex<()> = Mutex::new(());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An engine that plays the script.
fn scripted(game: &dyn WebGame) -> Result<RoomEngine> {
    let position = |setup: Option<&str>, moves: &[&str]| {
        let moves = moves.iter().map(|m| m.to_string()).collect();
        lock(&HEARD).push((setup.unwrap_or_default().into(), moves));
    };
    let search = |sink: Sink| {
        let plies = lock(&HEARD).last().map_or(0, |(_, moves)| moves.len());
        let choice = lock(&SCRIPT).get(&plies).cloned().map_or(Choice::Resign, Choice::Move);
        sink(Report::Best {
            choice,
            ponder: None,
            draw: false,
        });
        None
    };
    TestEngine::make(game, Box::new(position), Box::new(search))
}

/// What a person was sent of a game: scenes by their revision, and the other frames in order.
#[derive(Default)]
struct Frames {
    scenes: BTreeMap<u64, String>,
    others: Vec<String>,
}

const ID: &str = "00112233445566aa";

/// Plays the person's moves in a room with a deal; what he is sent.
fn frames(name: &str, spec: &GameSpec, seat: usize, moves: &[String]) -> Frames {
    let folder = TestFolder::new(name);
    std::fs::create_dir_all(folder.0.join("games")).expect("a folder");
    let head = GameHead {
        v: 1,
        id: ID.into(),
        at: 1,
        spec: spec.clone(),
        seat,
        level: 1,
        sealed: false,
        first: 0,
        salt: "00".into(),
        loaded: None,
    };
    let text = serde_json::to_string(&head).expect("JSON") + "\n";
    std::fs::write(folder.0.join("games").join(format!("{ID}.jsonl")), text).expect("written");
    let hub = HubShared::open_with(&folder.0, 1, 1, MatchWatch::new(Vec::new()), scripted).expect("a hub");
    let mut page = TestPage::new(&hub, 1);
    page.send(json!({ "t": "open", "id": ID }));
    let theirs = |ply: usize| (ply % 2 == seat) || ply >= moves.len();
    for ply in 0..moves.len() {
        if !theirs(ply) {
            continue;
        }
        let scene = page.wait("scene", |s| s["ply"] == ply && s["thinking"] == false);
        if ply % 8 == seat {
            page.send(about(&scene, "press", json!({ "key": "hint" })));
            page.wait("scene", |s| !s["hint"].is_null());
            page.send(json!({ "t": "at", "id": ID, "ply": ply / 2 }));
            page.wait("shot", |_| true);
            page.send(json!({ "t": "save", "id": ID, "format": "pgn" }));
            page.wait("file", |_| true);
        }
        let rev = page.said.iter().rev().find_map(|text| revision(text)).expect("a scene");
        page.send(json!({ "t": "move", "id": ID, "rev": rev, "m": moves[ply] }));
    }
    page.wait("scene", |s| {
        s["ply"].as_u64().is_some_and(|n| n >= moves.len() as u64) && s["thinking"] == false
    });
    let mut found = Frames::default();
    for text in &page.said {
        let message: Value = serde_json::from_str(text).expect("JSON");
        match (message["t"].as_str(), revision(text)) {
            (Some("scene"), Some(rev)) => _ = found.scenes.insert(rev, text.clone()),
            // The digest is of the deal, and cannot be told from that of another.
            (Some("seal"), _) => {}
            _ => found.others.push(text.clone()),
        }
    }
    hub.close();
    found
}

/// The revision of a scene.
fn revision(text: &str) -> Option<u64> {
    let message: Value = serde_json::from_str(text).ok()?;
    message["rev"].as_u64().filter(|_| message["t"] == "scene")
}

/// A random game of a deal: its moves, up to before its end, and what the person does not know then.
fn random_game(dark: &str, seat: usize, spec: &GameSpec, dice: &mut SplitMix) -> (Vec<String>, Vec<usize>) {
    let first = spec.faces.clone().expect("faces");
    let mut game = board::make(spec).expect("a game");
    let mut unknown: Vec<usize> = (0..90).filter(|&p| !".Kk".contains(cells(&first)[p])).collect();
    let mut origin: Vec<usize> = (0..90).collect();
    let mut played = Vec::new();
    while played.len() < 40 {
        let moves = game.moves(Lang::En);
        if moves.is_empty() {
            break;
        }
        let (from, to, text, _) = moves[dice.below(moves.len() as u64) as usize].clone();
        let (from, to, mover) = (from as usize, to as usize, game.side());
        let dark_taken = game.seen(0, Lang::En).pieces.iter().any(|p| p.0 == to && p.3 == 1);
        let learns = dark_taken && (dark == "both" || (dark == "capturer" && mover == seat));
        game.play(&text).expect("a move");
        if game.ended().is_some() {
            break;
        }
        unknown.retain(|&p| p != origin[from] && !(learns && p == origin[to]));
        origin[to] = origin[from];
        played.push(text);
    }
    // The last move is the engine's: with the person to move the game stays open, and its seal closed.
    if played.len() % 2 != seat {
        played.pop();
    }
    (played, unknown)
}

#[test]
fn frames_of_a_room_do_not_depend_on_what_the_person_may_not_know() {
    check_rooms(1);
}

/// The same in 600 rooms.
#[test]
#[ignore = "takes minutes"]
fn frames_of_600_rooms_do_not_depend_on_what_the_person_may_not_know() {
    check_rooms(100);
}

fn check_rooms(games: usize) {
    let _one = lock(&ONE);
    let (mut dice, mut differing, mut same) = (SplitMix::new(17), 0, 0);
    for dark in ["capturer", "both", "none"] {
        for (seat, _) in [0, 1].into_iter().flat_map(|seat| (0..games).map(move |n| (seat, n))) {
            let spec = spec(dark);
            let first = spec.faces.clone().expect("faces");
            let (moves, unknown) = random_game(dark, seat, &spec, &mut dice);
            let script = moves.iter().cloned().enumerate();
            *lock(&SCRIPT) = script.collect();
            lock(&HEARD).clear();
            let before = frames("frames-a", &spec, seat, &moves);
            asked_with_what_was_told(&spec, &moves);
            let other = permuted(&first, &unknown, &mut dice);
            differing += usize::from(other != first);
            let spec = GameSpec {
                faces: Some(other),
                ..spec
            };
            let after = frames("frames-b", &spec, seat, &moves);
            assert_eq!(before.others, after.others, "{dark} {seat}");
            // Which of two scenes in a row is sent is a matter of time; those of one revision are equal.
            for (rev, scene) in &before.scenes {
                if let Some(twin) = after.scenes.get(rev) {
                    assert_eq!(scene, twin, "{dark} {seat}");
                    same += 1;
                }
            }
        }
    }
    assert!(differing > 0 && same > 60 * games, "{differing} deals, {same} scenes");
}

/// The engine gets positions as a side was told them, and nothing else.
fn asked_with_what_was_told(spec: &GameSpec, moves: &[String]) {
    let rules = crate::arena::rules(&spec.settings()).expect("rules");
    let start = Coup::parse(Coup::START, &rules).expect("a setup");
    let mut deal = Dealt::with_faces(&start, spec.faces.as_deref().expect("faces")).expect("a deal");
    for m in moves {
        deal.play(m).expect("a move");
    }
    let heard = lock(&HEARD);
    assert!(!heard.is_empty());
    for (setup, asked) in heard.iter() {
        // The side to move asks.
        let (own, told) = deal.told(asked.len() % 2);
        assert_eq!((setup.as_str(), asked.as_slice()), (own, &told[..asked.len()]));
    }
}
