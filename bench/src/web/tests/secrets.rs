//! What a viewer of cờ úp is sent does not depend on what he may not know.

use super::{TestFolder, TestPage, about, lines};
use crate::web::board::{self, GameSpec, WebGame};
use crate::web::seal;
use crate::web::words::Lang;
use nguky::util::rng::SplitMix;
use serde_json::{Value, json};

fn spec(dark: &str) -> GameSpec {
    let mut spec = GameSpec {
        game: "coup".into(),
        rules: vec![("CapturedDark".into(), dark.into())],
        ..GameSpec::default()
    };
    board::deal(&mut spec).expect("a deal");
    spec
}

/// Everything that a side is sent of a game as it stands.
fn sent(game: &dyn WebGame, side: usize) -> String {
    let seen = Lang::ALL.map(|lang| serde_json::to_string(&game.seen(side, lang)).expect("JSON"));
    let moves = Lang::ALL.map(|lang| game.moves(lang));
    format!("{seen:?}{moves:?}{:?}{:?}", game.ended(), game.facts())
}

/// The letters of the faces in the order of the board, without rows and generals.
fn cells(faces: &str) -> Vec<char> {
    let board = faces.chars().filter(|c| *c != '/');
    board
        .flat_map(|c| match c.to_digit(10) {
            Some(gap) => vec!['.'; gap as usize],
            None => vec![c],
        })
        .collect()
}

fn faces(cells: &[char]) -> String {
    let mut rows = Vec::new();
    for row in cells.chunks(9) {
        let (mut text, mut gap) = (String::new(), 0);
        for c in row {
            if *c == '.' {
                gap += 1;
                continue;
            }
            if gap > 0 {
                text += &gap.to_string();
            }
            gap = 0;
            text.push(*c);
        }
        if gap > 0 {
            text += &gap.to_string();
        }
        rows.push(text);
    }
    rows.join("/")
}

/// Another deal that a side cannot tell from this one: what lies face down, and what was taken unseen, is permuted.
fn permuted(first: &str, unknown: &[usize], dice: &mut SplitMix) -> String {
    let mut cells = cells(first);
    for upper in [true, false] {
        let places: Vec<usize> = unknown
            .iter()
            .copied()
            .filter(|&p| cells[p].is_ascii_uppercase() == upper)
            .collect();
        for i in (1..places.len()).rev() {
            cells.swap(places[i], places[dice.below(i as u64 + 1) as usize]);
        }
    }
    faces(&cells)
}

#[test]
fn nothing_depends_on_what_a_side_may_not_know() {
    let mut dice = SplitMix::new(11);
    let mut differing = 0;
    for dark in ["capturer", "both", "none"] {
        for side in [0, 1] {
            for _ in 0..4 {
                differing += one_game(dark, side, &mut dice);
            }
        }
    }
    assert!(
        differing > 100,
        "the deals must differ for the test to tell anything: {differing}"
    );
}

/// Plays a random game, and at times the same moves with another deal that the side cannot tell from this one; how often
/// that deal was another.
fn one_game(dark: &str, side: usize, dice: &mut SplitMix) -> usize {
    let spec = spec(dark);
    let first = spec.faces.clone().expect("faces");
    let mut game = board::make(&spec).expect("a game");
    let mut unknown: Vec<usize> = (0..90).filter(|&p| !".Kk".contains(cells(&first)[p])).collect();
    // By the place of a piece, its place at the start.
    let mut origin: Vec<usize> = (0..90).collect();
    let (mut played, mut views, mut differing) = (Vec::new(), vec![sent(game.as_ref(), side)], 0);
    for ply in 0..60 {
        let moves = game.moves(Lang::En);
        if game.ended().is_some() || moves.is_empty() {
            break;
        }
        let (from, to, text, _) = moves[dice.below(moves.len() as u64) as usize].clone();
        let (from, to) = (from as usize, to as usize);
        let dark_taken = game.seen(side, Lang::En).pieces.iter().any(|p| p.0 == to && p.3 == 1);
        let sees = match dark {
            "both" => true,
            "none" => false,
            _ => game.side() == side,
        };
        unknown.retain(|&p| p != origin[from] && !(dark_taken && sees && p == origin[to]));
        origin[to] = origin[from];
        game.play(&text).expect("a move");
        played.push(text);
        views.push(sent(game.as_ref(), side));
        if ply % 6 != 5 {
            continue;
        }
        let other = permuted(&first, &unknown, dice);
        differing += usize::from(other != first);
        let mut same = board::make(&GameSpec {
            faces: Some(other),
            ..spec.clone()
        })
        .expect("a game");
        assert_eq!(sent(same.as_ref(), side), views[0]);
        for (m, view) in played.iter().zip(&views[1..]) {
            same.play(m).expect("the same move");
            assert_eq!(&sent(same.as_ref(), side), view, "{dark} {side}");
        }
    }
    differing
}

#[test]
fn the_seal_opens_at_the_end_only() {
    let folder = TestFolder::new("seal");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (id, _) = page.begin(json!({ "game": "coup", "seat": 0, "level": 1, "sealed": true }));
    let sealed = page.wait("seal", |_| true);
    let scene = page.wait("scene", |s| !s["moves"].as_array().is_none_or(Vec::is_empty));
    page.send(about(&scene, "move", json!({ "m": scene["moves"][0][2] })));
    let scene = page.wait("scene", |s| s["ply"] == 2);
    for request in [
        about(&scene, "press", json!({ "key": "undo" })),
        json!({ "t": "think", "id": id, "ply": 0, "on": true }),
    ] {
        page.send(request);
        assert_eq!(page.wait("no", |_| true)["code"], "sealed");
    }
    let head: Value = serde_json::from_str(&lines(&folder.game_file())[0]).expect("JSON");
    let (faces, salt) = (
        head["spec"]["faces"].as_str().expect("faces"),
        head["salt"].as_str().expect("salt"),
    );
    assert!(
        page.said
            .iter()
            .all(|text| !text.contains(faces) && !text.contains(salt))
    );
    page.send(about(&scene, "press", json!({ "key": "resign" })));
    let open = page.wait("open", |_| true);
    assert_eq!(open["digest"], sealed["digest"]);
    assert_eq!(json!(seal::digest(salt, &id, faces)), sealed["digest"]);
    assert_eq!(open["text"], json!(format!("{salt}\n{id}\n{faces}")));
}
