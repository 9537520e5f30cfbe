//! What a viewer of cờ úp is sent does not depend on what he may not know.

use super::{TestFolder, TestPage, about, lines};
use crate::arena::coup::Dealt;
use crate::arena::game::Course;
use crate::web::board::{self, GameSpec, WebGame};
use crate::web::seal;
use crate::web::words::Lang;
use nguky::game::Position;
use nguky::games::coup::Coup;
use nguky::util::rng::SplitMix;
use serde_json::{Value, json};

pub fn spec(dark: &str) -> GameSpec {
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
pub fn cells(faces: &str) -> Vec<char> {
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
pub fn permuted(first: &str, unknown: &[usize], dice: &mut SplitMix) -> String {
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

/// Who looks on.
#[derive(Clone, Copy, Debug)]
enum View {
    Side(usize),
    /// Somebody who knows what both sides know, as watchers of a match do.
    Everybody,
}

const VIEWS: [View; 3] = [View::Side(0), View::Side(1), View::Everybody];

impl View {
    /// Whether he learns what a side takes face down.
    fn sees(self, dark: &str, mover: usize) -> bool {
        match (dark, self) {
            ("both", _) => true,
            ("none", _) | (_, Self::Everybody) => false,
            (_, Self::Side(side)) => side == mover,
        }
    }

    /// Everything that he is sent after some moves of a deal.
    fn bytes(self, spec: &GameSpec, faces: &str, moves: &[String]) -> String {
        let spec = GameSpec {
            faces: Some(faces.into()),
            ..spec.clone()
        };
        match self {
            Self::Side(side) => {
                let mut game = board::make(&spec).expect("a game");
                moves.iter().for_each(|m| game.play(m).expect("the same move"));
                sent(game.as_ref(), side)
            }
            Self::Everybody => {
                let rules = crate::arena::rules(&spec.settings()).expect("rules");
                let start = Coup::parse(Coup::START, &rules).expect("a setup");
                let mut deal = Dealt::with_faces(&start, faces).expect("a deal");
                let mut game = board::watched(&spec).expect("a game");
                for m in moves {
                    deal.play(m).expect("the same move");
                    game.play(deal.open().1.last().expect("a move"))
                        .expect("a move that everybody may know");
                }
                let seen = Lang::ALL.map(|lang| serde_json::to_string(&game.seen(lang)).expect("JSON"));
                format!("{:?}{seen:?}{:?}", deal.open(), game.facts())
            }
        }
    }
}

#[test]
fn nothing_depends_on_what_a_side_may_not_know() {
    check_games(4, 6);
}

/// The same at every ply of 600 games.
#[test]
#[ignore = "takes minutes"]
fn nothing_depends_on_what_a_side_may_not_know_in_600_games() {
    check_games(200, 1);
}

fn check_games(games: usize, every: usize) {
    let mut dice = SplitMix::new(11);
    let mut differing = 0;
    for dark in ["capturer", "both", "none"] {
        for _ in 0..games {
            differing += one_game(dark, every, &mut dice);
        }
    }
    assert!(
        differing > 100,
        "the deals must differ for the test to tell anything: {differing}"
    );
}

/// A random game of cờ úp, half-move by half-move.
pub struct RandomGame {
    pub spec: GameSpec,
    /// The deal: what lies where at the start.
    pub first: String,
    pub game: Box<dyn WebGame>,
    pub played: Vec<String>,
    /// By the place of a piece, its place at the start.
    origin: Vec<usize>,
}

/// A move of it.
pub struct RandomMove {
    pub mover: usize,
    /// Where the piece that moved, now turned up, stood at the start.
    pub turned_up: usize,
    /// The same of a piece that it took face down.
    pub taken_hidden: Option<usize>,
}

impl RandomGame {
    pub fn new(dark: &str) -> Self {
        let spec = spec(dark);
        Self {
            first: spec.faces.clone().expect("faces"),
            game: board::make(&spec).expect("a game"),
            spec,
            played: Vec::new(),
            origin: (0..90).collect(),
        }
    }

    /// The places at the start whose pieces lie face down.
    pub fn hidden(&self) -> Vec<usize> {
        let cells = cells(&self.first);
        (0..90).filter(|&p| !".Kk".contains(cells[p])).collect()
    }

    /// Plays a move; none when the game is over.
    pub fn step(&mut self, dice: &mut SplitMix) -> Option<RandomMove> {
        let moves = self.game.moves(Lang::En);
        if self.game.ended().is_some() || moves.is_empty() {
            return None;
        }
        let (from, to, text, _) = moves[dice.below(moves.len() as u64) as usize].clone();
        let (from, to) = (from as usize, to as usize);
        let seen = self.game.seen(0, Lang::En);
        let dark_taken = seen.pieces.iter().any(|p| p.0 == to && p.3 == 1);
        let step = RandomMove {
            mover: self.game.side(),
            turned_up: self.origin[from],
            taken_hidden: dark_taken.then_some(self.origin[to]),
        };
        self.origin[to] = self.origin[from];
        self.game.play(&text).expect("a move");
        self.played.push(text);
        Some(step)
    }
}

/// Plays a random game, and at times the same moves with another deal that a viewer cannot tell from this one: he is sent
/// the same bytes. What he was sent before is checked before, when he knew less. How often the deal was another.
fn one_game(dark: &str, every: usize, dice: &mut SplitMix) -> usize {
    let mut game = RandomGame::new(dark);
    let mut unknown = VIEWS.map(|_| game.hidden());
    let mut differing = 0;
    for ply in 0..120 {
        let Some(step) = game.step(dice) else { break };
        for (view, unknown) in VIEWS.iter().zip(&mut unknown) {
            let learnt = step.taken_hidden.filter(|_| view.sees(dark, step.mover));
            unknown.retain(|&p| p != step.turned_up && Some(p) != learnt);
        }
        if ply % every != every - 1 {
            continue;
        }
        for (view, unknown) in VIEWS.iter().zip(&unknown) {
            let other = permuted(&game.first, unknown, dice);
            differing += usize::from(other != game.first);
            let [before, after] = [&game.first, &other].map(|faces| view.bytes(&game.spec, faces, &game.played));
            assert_eq!(before, after, "{dark} {view:?} ply {ply}");
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
