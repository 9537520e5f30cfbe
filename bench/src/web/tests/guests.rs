//! Those who have the link to watch: what they see, and that they can do nothing.

use super::secrets::{RandomGame, permuted};
use super::{TestFolder, TestPage, about};
use crate::web::board;
use crate::web::words::Lang;
use nguky::util::rng::SplitMix;
use serde_json::json;

/// A guest sees the game as both sides know it, move by move, and whatever else he asks is refused and changes nothing.
#[test]
fn a_guest_watches_and_does_nothing_else() {
    let folder = TestFolder::new("guest");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (id, board) = page.begin(json!({ "game": "coup", "seat": 0, "level": 1, "sealed": true }));
    assert_eq!((&board["seat"], &board["guest"]), (&json!(0), &json!(false)));
    let scene = page.wait("scene", |s| !s["moves"].as_array().is_none_or(Vec::is_empty));

    let mut guest = TestPage::guest(&hub, 2);
    guest.send(json!({ "t": "list" }));
    assert_eq!(guest.wait("games", |_| true)["games"][0]["id"], json!(id));
    guest.send(json!({ "t": "open", "id": id }));
    let board = guest.wait("board", |_| true);
    assert_eq!((&board["seat"], &board["guest"]), (&json!(2), &json!(true)));
    let seen = guest.wait("scene", |_| true);
    assert_eq!((&seen["moves"], &seen["keys"]), (&json!([]), &json!([])));

    let asked = [
        about(&scene, "move", json!({ "m": scene["moves"][0][2] })),
        about(&scene, "type", json!({ "text": "a3a4" })),
        about(&scene, "press", json!({ "key": "resign" })),
        json!({ "t": "think", "id": id, "ply": 0, "on": true }),
        json!({ "t": "peek", "id": id, "ply": 0, "line": 1, "upto": 0 }),
        json!({ "t": "save", "id": id, "format": "pgn" }),
        json!({ "t": "review", "id": id, "effort": "fast" }),
        json!({ "t": "halt", "id": id }),
        json!({ "t": "try", "id": id, "ply": 0, "m": "a3a4" }),
        json!({ "t": "delete", "id": id }),
        json!({ "t": "new", "game": "chess" }),
        json!({ "t": "load", "text": "1. e4 *" }),
        json!({ "t": "pick", "number": 1 }),
    ];
    for request in asked {
        guest.send(request.clone());
        let no = guest.next();
        assert_eq!(
            (&no["t"], &no["code"]),
            (&json!("no"), &json!("watch_only")),
            "{request}"
        );
    }

    page.send(about(&scene, "move", json!({ "m": scene["moves"][0][2] })));
    let seen = guest.wait("scene", |s| s["ply"] == 2);
    assert_eq!((&seen["moves"], &seen["keys"]), (&json!([]), &json!([])));
    guest.send(json!({ "t": "at", "id": id, "ply": 1 }));
    let shot = guest.wait("shot", |_| true);
    assert_eq!(shot["scene"]["ply"], 1);
    assert!(shot["scene"].get("moves").is_none_or(|m| m == &json!([])));

    let now = page.wait("scene", |s| s["ply"] == 2);
    page.send(about(&now, "press", json!({ "key": "resign" })));
    assert!(guest.wait("scene", |s| !s["over"].is_null())["over"]["say"].is_array());
}

/// What a guest of a game of cờ úp is shown does not depend on what only one side knows.
#[test]
fn a_guest_learns_no_secret() {
    let mut dice = SplitMix::new(5);
    let mut game = RandomGame::new("capturer");
    let (mut unknown, mut differing) = (game.hidden(), 0);
    for _ in 0..60 {
        let Some(step) = game.step(&mut dice) else { break };
        unknown.retain(|&p| p != step.turned_up);
        let other = permuted(&game.first, &unknown, &mut dice);
        differing += usize::from(other != game.first);
        let spec = crate::web::board::GameSpec {
            faces: Some(other),
            ..game.spec.clone()
        };
        let mut twin = board::make(&spec).expect("a game");
        game.played.iter().for_each(|m| twin.play(m).expect("the same move"));
        for lang in Lang::ALL {
            let [a, b] = [&game.game, &twin].map(|g| serde_json::to_string(&g.seen_by_all(lang)).expect("JSON"));
            assert_eq!(a, b);
        }
    }
    assert!(differing > 20, "{differing}");
}
