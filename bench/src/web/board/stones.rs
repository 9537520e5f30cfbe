//! Go.

use super::{
    AnnotatedHead, BoardFacts, GameSpec, GoHeat, NOWHERE, PlacedMove, RoomEngine, ScoreTable, SeenBoard, Unread,
    WebGame, kinds, phrases, recorded,
};
use crate::arena::record::RecordHead;
use crate::arena::rules;
use crate::arena::sgf;
use crate::play::stones::count_rows;
use crate::play::table::{GameEnd, failed, played};
use crate::records::sgf::first as sgf_first;
use crate::review::annotate;
use crate::review::marks::{Review, ReviewedMove};
use crate::web::words::Lang;
use anyhow::{Context, Result, anyhow, bail};
use nguky::control::{Bound, Info, Outlook};
use nguky::game::Side;
use nguky::games::go::rules::HANDICAP_KOMI;
use nguky::games::go::types::{BLACK, EMPTY, PASS, Point, WHITE, side_of};
use nguky::games::go::{Board, Game, Rules, coords, score};
use nguky::mcts::{Candidate, Mcts, expected_score, wdl};
use nguky::register::GO;
use std::time::Duration;

/// A game under way.
#[derive(Clone)]
struct StoneGame {
    game: Game,
    /// Before the first move.
    start: Game,
    /// The stones that are dead, once the game was counted.
    dead: Option<Vec<Point>>,
}

/// The sizes that the page offers.
pub const SIZES: [usize; 3] = [9, 13, 19];
/// Candidates with fewer visits than this share of all are not shown.
const LEAST_SHARE: f32 = 0.01;

/// The game of a description.
pub fn make(spec: &GameSpec) -> Result<Box<dyn WebGame>> {
    if let Some(text) = &spec.setup {
        // A loaded game keeps the root of its record, which has size, rules, komi and stones.
        let (_, game) =
            sgf_first(text).map_err(|d| anyhow!("setup: expected the root of a record in SGF: {}", d.what))?;
        return Ok(Box::new(StoneGame {
            start: game.clone(),
            game,
            dead: None,
        }));
    }
    if !SIZES.contains(&spec.size) {
        bail!("size: expected 9, 13 or 19, not {}", spec.size);
    }
    of_size(spec)
}

/// The game of a description, on a board of any size.
pub fn of_size(spec: &GameSpec) -> Result<Box<dyn WebGame>> {
    let mut game = Game::new(spec.size, rules::<Rules>(&spec.settings())?)?;
    if let Some(komi) = spec.komi {
        if !(-1000.0..=1000.0).contains(&komi) {
            bail!("komi: expected a number from -1000 to 1000, not {komi}");
        }
        game.set_komi(komi);
    }
    if spec.handicap > 1 {
        let points = coords::fixed_handicap(game.board(), spec.handicap);
        game.place_handicap(&points.context("handicap: expected 0 to 9 stones")?)?;
        if spec.komi.is_none() {
            game.set_komi(HANDICAP_KOMI);
        }
    }
    Ok(Box::new(StoneGame {
        start: game.clone(),
        game,
        dead: None,
    }))
}

/// The stones on a board before the first move as SGF sets them up; none where it is empty.
fn sgf_setup(board: &Board, side: Side) -> Option<String> {
    let size = board.size();
    let mut text = String::new();
    for (name, colour) in [("AB", BLACK), ("AW", WHITE)] {
        let stones: Vec<Point> = board.points().filter(|&p| board.colour(p) == colour).collect();
        if !stones.is_empty() {
            text += name;
        }
        for p in stones {
            let (x, y) = board.xy(p);
            let letter = |n: usize| char::from(b'a' + n as u8);
            text.extend(['[', letter(x), letter(size - 1 - y), ']']);
        }
    }
    (!text.is_empty()).then(|| text + if side == Side::First { "PL[B]" } else { "PL[W]" })
}

impl StoneGame {
    fn place(&self, p: Point) -> i32 {
        if p == PASS {
            return NOWHERE;
        }
        let board = self.game.board();
        let (x, y) = board.xy(p);
        ((board.size() - 1 - y) * board.size() + x) as i32
    }

    fn places(&self, points: impl Iterator<Item = Point>) -> Vec<usize> {
        let mut all: Vec<usize> = points.map(|p| self.place(p).max(0) as usize).collect();
        all.sort_unstable();
        all
    }

    fn placed(&self, p: Point) -> PlacedMove {
        let text = coords::text(self.game.board(), p);
        (NOWHERE, self.place(p), text.clone(), text)
    }

    fn marks(&self, dead: &[Point]) -> Vec<(&'static str, Vec<usize>)> {
        let board = self.game.board();
        let clean = board.without(dead);
        let owner = score::territory(&clean);
        let of = |c| {
            let free = board.points().filter(|&p| clean.colour(p) == EMPTY);
            self.places(free.filter(|&p| owner[p as usize] == c))
        };
        let fell = board.points().filter(|&p| board.colour(p) != clean.colour(p));
        vec![
            ("dead", self.places(fell)),
            ("territory0", of(BLACK)),
            ("territory1", of(WHITE)),
        ]
    }
}

impl WebGame for StoneGame {
    fn side(&self) -> usize {
        self.game.side().index()
    }

    fn plies(&self) -> usize {
        self.game.moves().len()
    }

    fn ended(&self) -> Option<GameEnd> {
        self.game.ended()?;
        let lead = self.game.score(self.dead.as_deref().unwrap_or_default());
        Some(match lead {
            x if x > 0.0 => (2, format!("B+{x}")),
            x if x < 0.0 => (0, format!("W+{}", -x)),
            _ => (1, "0".into()),
        })
    }

    fn is_counted(&self) -> bool {
        true
    }

    fn dead(&self, engine: &mut RoomEngine) -> Vec<String> {
        let RoomEngine::Tree(engine) = engine else {
            return Vec::new();
        };
        engine.set_game(self.game.clone());
        let dead = score::dead_stones(self.game.board(), &engine.status());
        dead.iter().map(|&p| coords::text(self.game.board(), p)).collect()
    }

    fn settle(&mut self, dead: &[String]) {
        let points = dead
            .iter()
            .filter_map(|text| coords::parse(self.game.board(), text).ok());
        self.dead = Some(points.filter(|&p| p != PASS).collect());
    }

    fn may_pass(&self) -> bool {
        true
    }

    fn play(&mut self, m: &str) -> Result<()> {
        // A record may have two moves of one side in a row: the colour then stands before the point.
        let (side, point) = match m.split_once(' ') {
            Some((side, point)) => (coords::parse_side(side)?, point),
            None => (self.game.side(), m),
        };
        let p = coords::parse(self.game.board(), point)?;
        Ok(self.game.play(p, side)?)
    }

    fn read(&self, text: &str, _lang: Lang) -> Result<String, Unread> {
        let p = coords::parse(self.game.board(), text).map_err(|_| Unread::Unknown)?;
        if p != PASS && !self.game.is_legal(p, self.game.side()) {
            return Err(Unread::Unknown);
        }
        Ok(coords::text(self.game.board(), p))
    }

    fn undo(&mut self) {
        self.dead = None;
        self.game.undo();
    }

    fn at(&self, ply: usize) -> Box<dyn WebGame> {
        let mut game = self.start.clone();
        for &(c, p) in &self.game.moves()[..ply.min(self.plies())] {
            if game.play(p, side_of(c)).is_err() {
                break;
            }
        }
        if let Some(&(c, _)) = self.game.moves().get(ply) {
            game.set_side(side_of(c));
        }
        let dead = self.dead.clone().filter(|_| ply >= self.plies());
        Box::new(Self {
            game,
            start: self.start.clone(),
            dead,
        })
    }

    fn engine(&self) -> Result<RoomEngine> {
        Ok(RoomEngine::Tree(Box::new(Mcts::new().map_err(failed)?)))
    }

    fn prepare(&self, engine: &mut RoomEngine, _side: usize) -> Result<()> {
        let RoomEngine::Tree(engine) = engine else {
            bail!("the engine is not one of go")
        };
        engine.set_game(self.game.clone());
        Ok(())
    }

    fn seen(&self, _side: usize, _lang: Lang) -> SeenBoard {
        let board = self.game.board();
        let mut pieces: Vec<_> = board
            .points()
            .filter(|&p| board.colour(p) != EMPTY)
            .map(|p| {
                (
                    self.place(p).max(0) as usize,
                    "O".to_string(),
                    usize::from(board.colour(p) == WHITE),
                    0,
                )
            })
            .collect();
        pieces.sort_unstable();
        let took = |lost: usize| {
            if lost > 0 {
                vec![("O".to_string(), lost)]
            } else {
                Vec::new()
            }
        };
        let over = self.dead.as_ref().filter(|_| self.game.ended().is_some());
        SeenBoard {
            pieces,
            taken: [took(board.lost(WHITE)), took(board.lost(BLACK))],
            last: self.game.moves().last().map(|&(_, p)| (NOWHERE, self.place(p))),
            marks: over.map_or_else(Vec::new, |dead| self.marks(dead)),
            played: self.game.moves().iter().map(|&(_, p)| coords::text(board, p)).collect(),
            score: over.map(|dead| ScoreTable {
                rows: count_rows(&self.game, dead)
                    .into_iter()
                    .map(|(name, b, w)| (format!("score_{}", name.replace(", ", "_").replace(' ', "_")), b, w))
                    .collect(),
            }),
            ..SeenBoard::default()
        }
    }

    fn moves(&self, _lang: Lang) -> Vec<PlacedMove> {
        self.game.legal_points().iter().map(|&p| self.placed(p)).collect()
    }

    fn facts(&self) -> BoardFacts {
        let board = self.game.board();
        let size = board.size();
        let column = |x| coords::text(board, board.at(x, 0)).chars().take(1).collect();
        BoardFacts {
            w: size,
            h: size,
            lines: "go",
            stars: self.places(coords::stars(board).into_iter()),
            names: [
                (0..size).map(column).collect(),
                (1..=size).rev().map(|y| y.to_string()).collect(),
            ],
            turnable: false,
            kinds: kinds(GO),
            hand: Vec::new(),
            sides: GO.sides,
            formats: vec!["sgf"],
            setup: String::new(),
        }
    }

    fn line(&self, side: usize, pv: &[String], upto: usize, lang: Lang) -> (Vec<PlacedMove>, SeenBoard) {
        let (mut game, mut line) = (self.clone(), Vec::new());
        let mut board = None;
        for text in pv {
            if line.len() == upto {
                board = Some(game.seen(side, lang));
            }
            let Ok(p) = coords::parse(game.game.board(), text) else {
                break;
            };
            if game.play(text).is_err() {
                break;
            }
            line.push(self.placed(p));
        }
        (line, board.unwrap_or_else(|| game.seen(side, lang)))
    }

    fn review(&self) -> Review {
        let board = self.game.board();
        let moves = self.game.moves().iter().map(|&(c, p)| ReviewedMove {
            side: side_of(c).index(),
            text: coords::text(board, p),
            hidden: false,
        });
        Review::new(moves.collect(), self.side(), None)
    }

    fn annotated(&self, format: &str, review: &Review, mut head: AnnotatedHead) -> Option<String> {
        if format != "sgf" {
            return None;
        }
        let board = self.game.board();
        let moves = self.game.moves().iter();
        let moves = moves.map(|&(c, p)| (side_of(c), coords::text(board, p)));
        let setup = sgf_setup(self.start.board(), self.start.side());
        let result = match head.end {
            Some((1, _)) => "0".to_string(),
            Some((_, margin)) if margin.starts_with("B+") || margin.starts_with("W+") => margin.clone(),
            Some((points, _)) => format!("{}+R", if *points == 2 { 'B' } else { 'W' }),
            None => String::new(),
        };
        for (name, value) in [
            ("SZ", board.size().to_string()),
            ("KM", self.game.komi().to_string()),
            ("RU", self.game.rules().name.to_string()),
            ("PB", head.names[0].to_string()),
            ("PW", head.names[1].to_string()),
            ("RE", result),
        ] {
            head.tags.retain(|t| t.0 != name);
            head.tags.push((name.into(), value));
        }
        let phrases = phrases(head.lang);
        let record = recorded(head, setup, moves);
        Some(annotate::sgf(&record, review, board, phrases))
    }

    fn record(&self, format: &str, head: &RecordHead, end: Option<&GameEnd>, _side: usize) -> Option<String> {
        (format == "sgf").then(|| sgf::write(head, &self.game, 0, &played(String::new(), &[], end)))
    }

    fn heat(&self, engine: &RoomEngine) -> Option<GoHeat> {
        let RoomEngine::Tree(engine) = engine else { return None };
        let found = engine.analysis();
        let board = self.game.board();
        let all: u32 = found.moves.iter().map(|c| c.visits).sum();
        let shown = found
            .moves
            .iter()
            .filter(|c| c.mv != PASS && c.visits as f32 >= LEAST_SHARE * all as f32 && c.visits > 0);
        let tenths = |x: f32| (10.0 * f64::from(x)).round() / 10.0;
        let heat = shown.map(|c| {
            (
                self.place(c.mv),
                (1000.0 * expected_score(c.value)).round() as u32,
                tenths(c.score),
                c.visits,
            )
        });
        let heat = heat.collect();
        let mut own = vec![0; board.area()];
        for p in board.points() {
            if let Some(owner) = found.ownership.get(board.index(p)) {
                own[self.place(p).max(0) as usize] = (100.0 * owner).round() as i32;
            }
        }
        Some(GoHeat { heat, own })
    }

    fn found(&self, engine: &RoomEngine, most: usize) -> Vec<Info> {
        let RoomEngine::Tree(engine) = engine else {
            return Vec::new();
        };
        let analysis = engine.analysis();
        let visited = analysis.moves.iter().filter(|c| c.visits > 0).take(most);
        let line = |(i, c): (usize, &Candidate)| Info {
            depth: c.pv.len() as u32,
            seldepth: 0,
            multipv: i as u32 + 1,
            outlook: Outlook::Centipawns((100.0 * c.score) as i32),
            bound: Bound::Exact,
            wdl: wdl(c.value),
            nodes: analysis.playouts,
            hashfull: 0,
            tbhits: 0,
            time: Duration::ZERO,
            pv: c.pv.iter().map(|&p| coords::text(self.game.board(), p)).collect(),
        };
        visited.enumerate().map(line).collect()
    }
}
