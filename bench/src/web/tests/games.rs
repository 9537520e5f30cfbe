//! Whole games, and what scenes say of positions.

use super::{TestFolder, TestPage, about, lines};
use crate::web::disk::GameEvent;
use nguky::util::rng::SplitMix;
use serde_json::{Value, json};

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
