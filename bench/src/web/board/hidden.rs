//! Cờ úp: the deal stays here, and what is shown is built from what a side was told, never from the deal.

use super::open::engine;
use super::{
    AnnotatedHead, BoardFacts, GameSpec, KindCount, PlacedMove, RoomEngine, SeenBoard, Unread, WatchedGame, WebGame,
    counted, facts, kings, phrases, pieces, places, recorded,
};
use crate::arena::coup::{self, Dealt};
use crate::arena::game::Course;
use crate::arena::record::{self, RecordHead};
use crate::arena::rules;
use crate::notation::letters::NotationBoard;
use crate::play::draw;
use crate::play::hidden::{follow, known};
use crate::play::table::{GameEnd, end, legal, played};
use crate::review::marks::Review;
use crate::review::{annotate, game};
use crate::web::words::Lang;
use anyhow::{Context, Result, anyhow, bail};
use nguky::game::{Position, Side};
use nguky::games::coup::{Coup, CoupRules};
use nguky::games::xiangqi::XMove;
use nguky::games::xiangqi::types::KINDS;

/// A game with its secret.
struct DealtGame {
    spec: GameSpec,
    fresh: Dealt,
    deal: Dealt,
    /// The moves in full.
    whole: Vec<String>,
    /// The moves as people write them, by language.
    labels: Vec<[String; Lang::ALL.len()]>,
    first: usize,
}

fn start(spec: &GameSpec) -> Result<Coup> {
    let rules = rules::<CoupRules>(&spec.settings())?;
    Ok(Coup::parse(spec.setup.as_deref().unwrap_or(Coup::START), &rules)?)
}

/// Draws a deal from the system's chance: the board with every piece face up.
pub fn draw(spec: &GameSpec) -> Result<String> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|e| anyhow!("the system gives no random numbers: {e}"))?;
    Ok(Dealt::by_chance(&start(spec)?, seed).faces())
}

/// The game of a description that has its deal.
pub fn make(spec: &GameSpec) -> Result<Box<dyn WebGame>> {
    let start = start(spec)?;
    let faces = spec.faces.as_deref().context("the deal is missing")?;
    let fresh = Dealt::with_faces(&start, faces)?;
    Ok(Box::new(DealtGame {
        spec: spec.clone(),
        deal: fresh.clone(),
        fresh,
        whole: Vec::new(),
        labels: Vec::new(),
        first: start.side().index(),
    }))
}

/// What people call a move of a position that somebody knows.
fn label(pos: &Coup, m: XMove, lang: Lang) -> String {
    NotationBoard::coup(pos).written(m, lang.style())
}

fn placed(pos: &Coup, m: XMove, lang: Lang) -> PlacedMove {
    let text = pos.move_text(m);
    let grid = draw::grid(Coup::ABOUT, &pos.setup());
    let (from, to) = places(Coup::ABOUT, &grid, pos.side().index(), &text);
    (from, to, text, label(pos, m, lang))
}

/// The board of a position that somebody knows.
fn board(pos: &Coup) -> SeenBoard {
    let grid = draw::grid(Coup::ABOUT, &pos.setup());
    let mut seen = SeenBoard {
        pieces: pieces(&grid),
        check: if pos.in_check() {
            kings(&grid, pos.side().index())
        } else {
            Vec::new()
        },
        ..SeenBoard::default()
    };
    for side in [Side::First, Side::Second] {
        let lie = (pos.board().covered() & pos.board().of(side)).len() as usize;
        let pool = pos.pool(side);
        let may = KINDS
            .iter()
            .map(|&k| (Coup::letter(Side::First, k).to_string(), usize::from(pool[k as usize])));
        let may: Vec<KindCount> = may.filter(|(_, n)| *n > 0).collect();
        let all: usize = may.iter().map(|(_, n)| n).sum();
        seen.unseen[side.index()] = all.saturating_sub(lie);
        if lie > 0 {
            seen.pool[side.index()] = may;
        }
    }
    seen
}

/// What a move of this number turned up, by its text, in a game that a side of this number began.
fn turned(first: usize, number: usize, told: &str) -> Option<String> {
    let second = (first + number) % 2 == 1;
    let up = told.chars().skip(4).find(|c| c.is_ascii_lowercase() == second)?;
    Some(up.to_ascii_uppercase().to_string())
}

/// A game that is watched: without its deal, by moves as everybody may know them.
struct TurnedUpGame {
    pos: Coup,
    setup: String,
    told: Vec<String>,
    taken: [Vec<char>; 2],
    labels: Vec<[String; Lang::ALL.len()]>,
    first: usize,
}

/// The game of a description, to be watched.
pub fn watched(spec: &GameSpec) -> Result<Box<dyn WatchedGame>> {
    Ok(Box::new(TurnedUpGame::new(spec)?))
}

impl TurnedUpGame {
    fn new(spec: &GameSpec) -> Result<Self> {
        let pos = start(spec)?;
        Ok(Self {
            setup: pos.setup(),
            told: Vec::new(),
            taken: [Vec::new(), Vec::new()],
            labels: Vec::new(),
            first: pos.side().index(),
            pos,
        })
    }
}

impl WatchedGame for TurnedUpGame {
    fn side(&self) -> usize {
        self.pos.side().index()
    }

    fn play(&mut self, m: &str) -> Result<()> {
        let label = |lang| Ok(label(&self.pos, self.pos.parse_move(m)?, lang));
        let [vi, en] = Lang::ALL.map(label);
        let labels: Result<_> = vi.and_then(|vi| Ok([vi, en?]));
        let labels = labels?;
        if !follow(&mut self.pos, &mut self.taken, m) {
            bail!("{m:?} is no move here");
        }
        self.labels.push(labels);
        self.told.push(m.into());
        Ok(())
    }

    fn seen(&self, lang: Lang) -> SeenBoard {
        let last = self.told.last().map(|text| {
            let grid = draw::grid(Coup::ABOUT, &self.pos.setup());
            places(Coup::ABOUT, &grid, 1 - self.side(), text)
        });
        let told = self.told.iter().enumerate();
        SeenBoard {
            taken: self.taken.each_ref().map(|letters| counted(Coup::ABOUT, letters)),
            last,
            played: self.labels.iter().map(|l| l[lang as usize].clone()).collect(),
            turned: told.map(|(i, text)| turned(self.first, i, text)).collect(),
            ..board(&self.pos)
        }
    }

    fn facts(&self) -> BoardFacts {
        facts(Coup::ABOUT, &self.setup, vec!["pgn"], &self.setup)
    }
}

impl WebGame for DealtGame {
    fn side(&self) -> usize {
        self.deal.side().index()
    }

    fn plies(&self) -> usize {
        self.whole.len()
    }

    fn ended(&self) -> Option<GameEnd> {
        let over = self.deal.ended()?;
        Some(end(over.verdict, self.deal.side(), over.reason))
    }

    fn play(&mut self, m: &str) -> Result<()> {
        let m = self.deal.position().parse_move(m)?;
        let seen = known(&self.deal, self.side()).0;
        self.labels.push(Lang::ALL.map(|lang| label(&seen, m, lang)));
        self.whole.push(self.deal.play_move(m));
        Ok(())
    }

    fn read(&self, text: &str, lang: Lang) -> Result<String, Unread> {
        let pos = known(&self.deal, self.side()).0;
        if let Ok(m) = pos.parse_move(text) {
            return Ok(pos.move_text(m));
        }
        match NotationBoard::coup(&pos).readings(text, Some(lang.style())).as_slice() {
            [] => Err(Unread::Unknown),
            [one] => Ok(pos.move_text(*one)),
            several => Err(Unread::Several(several.iter().map(|m| label(&pos, *m, lang)).collect())),
        }
    }

    fn undo(&mut self) {
        self.whole.pop();
        self.labels.pop();
        // What the deal turns up, it turns up again.
        self.deal = self.fresh.clone();
        for m in &self.whole {
            if self.deal.play(m).is_none() {
                break;
            }
        }
    }

    fn at(&self, ply: usize) -> Box<dyn WebGame> {
        let ply = ply.min(self.whole.len());
        let mut deal = self.fresh.clone();
        for m in &self.whole[..ply] {
            if deal.play(m).is_none() {
                break;
            }
        }
        Box::new(Self {
            spec: self.spec.clone(),
            fresh: self.fresh.clone(),
            deal,
            whole: self.whole[..ply].to_vec(),
            labels: self.labels[..ply].to_vec(),
            first: self.first,
        })
    }

    fn engine(&self) -> Result<RoomEngine> {
        engine::<Coup>(&self.spec)
    }

    fn prepare(&self, engine: &mut RoomEngine, side: usize) -> Result<()> {
        let (setup, moves) = self.deal.told(side);
        let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
        Ok(engine.engine().position(Some(setup), &moves)?)
    }

    fn seen(&self, side: usize, lang: Lang) -> SeenBoard {
        let (pos, took) = known(&self.deal, side);
        let (_, told) = self.deal.told(side);
        let last = told.last().map(|text| {
            let grid = draw::grid(Coup::ABOUT, &pos.setup());
            places(Coup::ABOUT, &grid, 1 - self.side(), text)
        });
        SeenBoard {
            taken: took.map(|letters| counted(Coup::ABOUT, &letters)),
            last,
            played: self.labels.iter().map(|l| l[lang as usize].clone()).collect(),
            turned: told
                .iter()
                .enumerate()
                .map(|(i, text)| turned(self.first, i, text))
                .collect(),
            ..board(&pos)
        }
    }

    fn seen_by_all(&self, lang: Lang) -> SeenBoard {
        let Ok(mut open) = TurnedUpGame::new(&self.spec) else {
            return SeenBoard::default();
        };
        for m in self.deal.open().1 {
            if open.play(m).is_err() {
                break;
            }
        }
        open.seen(lang)
    }

    fn moves(&self, lang: Lang) -> Vec<PlacedMove> {
        let pos = known(&self.deal, self.side()).0;
        let grid = draw::grid(Coup::ABOUT, &pos.setup());
        let names = NotationBoard::coup(&pos);
        let all = legal(&pos).into_iter().map(|m| {
            let text = pos.move_text(m);
            let (from, to) = places(Coup::ABOUT, &grid, self.side(), &text);
            (from, to, text, names.written(m, lang.style()))
        });
        all.collect()
    }

    fn facts(&self) -> BoardFacts {
        let setup = self.fresh.told(0).0;
        facts(Coup::ABOUT, setup, vec!["pgn"], setup)
    }

    fn line(&self, side: usize, pv: &[String], upto: usize, lang: Lang) -> (Vec<PlacedMove>, SeenBoard) {
        let mut pos = known(&self.deal, side).0;
        let (mut line, mut after) = (Vec::new(), (0 == upto).then(|| pos.clone()));
        for text in pv {
            let Ok(m) = pos.parse_move(text) else { break };
            line.push(placed(&pos, m, lang));
            // What follows depends on the piece that is turned up.
            let turns = pos.turns_up(m);
            if turns || pos.play_text(text).is_err() {
                break;
            }
            if line.len() == upto {
                after = Some(pos.clone());
            }
        }
        let last = upto.min(line.len()).checked_sub(1).map(|i| (line[i].0, line[i].1));
        let seen = SeenBoard {
            last,
            ..board(&after.unwrap_or(pos))
        };
        (line, seen)
    }

    fn review(&self) -> Review {
        let last = self.deal.position();
        let moves = match start(&self.spec) {
            Ok(start) => game::hidden_line(&start, &self.whole),
            Err(_) => Vec::new(),
        };
        Review::new(moves, last.side().index(), game::ended(last))
    }

    fn annotated(&self, format: &str, review: &Review, mut head: AnnotatedHead) -> Option<String> {
        let start = start(&self.spec).ok().filter(|_| format == "pgn")?;
        head.tags.retain(|t| t.0 != "Deal");
        head.tags.push(("Deal".into(), self.fresh.faces()));
        let side = |i: usize| [Side::First, Side::Second][(self.first + i) % 2];
        let moves = self.whole.iter().enumerate().map(|(i, m)| (side(i), m.clone()));
        let phrases = phrases(head.lang);
        let record = recorded(head, Some(start.setup()), moves);
        Some(annotate::pgn(&record, review, &start, &game::hidden_moves(), phrases))
    }

    fn record(&self, format: &str, head: &RecordHead, end: Option<&GameEnd>, side: usize) -> Option<String> {
        if format != "pgn" {
            return None;
        }
        let (setup, told) = self.deal.told(side);
        if end.is_none() {
            let say = |_: &Coup, _, text: &str| text.to_string();
            return Some(record::pgn(head, &played(setup.into(), told, end), &[], say));
        }
        Some(coup::record(head, &self.fresh, &played(setup.into(), &self.whole, end)))
    }
}
