//! Go at the terminal: captures while it is played, and the count when it is over.

use super::draw::{Cell, Grid, Note};
use super::help::{self, Help};
use super::paint::BoardView;
use super::table::{EngineChoice, GameEnd, GameTable, ask, played};
use crate::arena::record::RecordHead;
use crate::arena::sgf;
use anyhow::Result;
use nguky::control::{Choice, Engine, Limits, Outlook};
use nguky::game::About;
use nguky::games::go::rules::Tax;
use nguky::games::go::types::{BLACK, EMPTY, PASS, Point, WHITE};
use nguky::games::go::{Board, Game, coords, score};
use nguky::mcts::Mcts;
use nguky::register::GO;
use std::path::Path;

/// Go.
pub struct Stones {
    pub game: Game,
    pub engine: Mcts,
    /// The stones that are dead, once two passes ended the game.
    pub dead: Option<Vec<Point>>,
}

/// Columns of the count's table.
fn row(name: &str, black: f32, white: f32) -> Note {
    let number = |x: f32| if x == 0.0 { "-".to_string() } else { x.to_string() };
    Note::Text(format!("{name:<20}{:>7}{:>7}", number(black), number(white)))
}

/// The rows of the count's table: what is counted, black's points, white's. The last is the sum.
pub fn count_rows(game: &Game, dead: &[Point]) -> Vec<(&'static str, f32, f32)> {
    let rules = game.rules();
    let count = score::count(game.board(), rules, dead);
    let [_, tb, tw] = count.territory;
    let territory = if rules.tax == Tax::None {
        "territory"
    } else {
        "territory, taxed"
    };
    let (name, b, w) = if count.area {
        let [_, b, w] = count.stones;
        ("living stones", b, w)
    } else {
        let [_, b, w] = count.lost;
        ("prisoners", w, b)
    };
    let komi = game.compensation();
    let compensation = if game.handicap() > 0 {
        "komi and handicap"
    } else {
        "komi"
    };
    vec![
        (territory, tb, tw),
        (name, b, w),
        (compensation, 0.0, komi),
        ("sum", tb + b, tw + w + komi),
    ]
}

impl Stones {
    fn empty_grid(&self) -> Grid {
        let board = self.game.board();
        let size = board.size();
        let names = (0..size).map(|x| coords::text(board, board.at(x, 0))[..1].to_string());
        Grid {
            names: [names.collect(), (1..=size).rev().map(|y| y.to_string()).collect()],
            ..Grid::new(GO)
        }
    }

    /// The points as cells, rows from the top.
    fn rows(&self, board: &Board, cell: impl Fn(Point) -> Cell) -> Vec<Vec<Cell>> {
        let size = board.size();
        let rows = (0..size).rev();
        rows.map(|y| (0..size).map(|x| cell(board.at(x, y))).collect())
            .collect()
    }

    fn stone(&self, p: Point) -> Cell {
        let (ascii, side) = match self.game.board().colour(p) {
            EMPTY => {
                return Cell {
                    star: coords::stars(self.game.board()).contains(&p),
                    ..Cell::default()
                };
            }
            BLACK => ("X", 0),
            _ => ("O", 1),
        };
        Cell {
            ascii: ascii.into(),
            sign: "●".into(),
            look: BoardView {
                side,
                ..BoardView::default()
            },
            star: false,
        }
    }

    /// The board with dead stones and territory marked, and the sum.
    fn counted(&self, dead: &[Point]) -> Grid {
        let board = self.game.board();
        let clean = board.without(dead);
        let owner = score::territory(&clean);
        let mut grid = self.empty_grid();
        grid.rows = self.rows(board, |p| {
            let mut cell = self.stone(p);
            let fell = dead.contains(&p);
            if fell {
                (cell.ascii, cell.sign) = (cell.ascii.to_lowercase(), "×".into());
                cell.look.marked = true;
            } else if board.colour(p) == EMPTY && owner[p as usize] != EMPTY {
                let black = owner[p as usize] == BLACK;
                cell.ascii = if black { "b" } else { "w" }.into();
                cell.sign = "▪".into();
                cell.look.side = usize::from(!black);
            }
            cell
        });
        grid.notes
            .push(Note::Text(format!("{:<20}{:>7}{:>7}", "the count", "black", "white")));
        for (name, black, white) in count_rows(&self.game, dead) {
            grid.notes.push(row(name, black, white));
        }
        grid
    }
}

impl GameTable for Stones {
    fn about(&self) -> &'static About {
        GO
    }

    fn help(&self) -> Help {
        help::GO
    }

    fn side(&self) -> usize {
        self.game.side().index()
    }

    fn plies(&self) -> usize {
        self.game.moves().len()
    }

    fn number(&self) -> usize {
        self.plies() + 1
    }

    fn ended(&mut self) -> Option<GameEnd> {
        self.game.ended()?;
        self.engine.set_game(self.game.clone());
        let dead = score::dead_stones(self.game.board(), &self.engine.status());
        let lead = self.game.score(&dead);
        self.dead = Some(dead);
        Some(match lead {
            x if x > 0.0 => (2, format!("B+{x}")),
            x if x < 0.0 => (0, format!("W+{}", -x)),
            _ => (1, "0".into()),
        })
    }

    fn play(&mut self, text: &str) -> Result<String> {
        let p = coords::parse(self.game.board(), text)?;
        self.game.play(p, self.game.side())?;
        Ok(coords::text(self.game.board(), p))
    }

    fn undo(&mut self) {
        self.dead = None;
        self.game.undo();
    }

    fn moves(&self) -> Vec<String> {
        let board = self.game.board();
        let points = self.game.legal_points();
        let points = points.iter().map(|&p| coords::text(board, p));
        points.chain(["pass".into()]).collect()
    }

    fn grid(&self, _side: usize) -> Grid {
        let board = self.game.board();
        let mut grid = self.empty_grid();
        let last = self.game.moves().last().map(|m| m.1);
        grid.rows = self.rows(board, |p| {
            let mut cell = self.stone(p);
            cell.look.marked = last == Some(p);
            cell
        });
        grid.notes.push(Note::Text(format!(
            "stones taken: by black {}, by white {}; komi {}",
            board.lost(WHITE),
            board.lost(BLACK),
            self.game.compensation()
        )));
        if last == Some(PASS) {
            grid.notes
                .push(Note::Text("the last move was a pass; another ends the game".into()));
        }
        grid
    }

    fn engine(&mut self) -> &mut dyn Engine {
        &mut self.engine
    }

    fn think(&mut self, limits: Limits) -> Result<EngineChoice> {
        self.engine.set_game(self.game.clone());
        let (choice, info) = ask(&mut self.engine, limits)?;
        let outlook = info.as_ref().map_or(String::new(), |i| {
            let chance = f64::from(i.wdl[0]) / 10.0;
            match i.outlook {
                Outlook::Centipawns(cp) => {
                    format!(
                        "{chance:.0} % to win, {:+.1} points, {} playouts",
                        f64::from(cp) / 100.0,
                        i.nodes
                    )
                }
                Outlook::Mate(_) => format!("{chance:.0} % to win"),
            }
        });
        let shown = match &choice {
            Choice::Move(text) => text.clone(),
            _ => String::new(),
        };
        Ok(EngineChoice {
            choice,
            shown,
            outlook,
            line: info.map_or(Vec::new(), |i| i.pv),
        })
    }

    fn record(&self, _file: &Path, head: &RecordHead, over: Option<&GameEnd>, _side: usize) -> String {
        sgf::write(head, &self.game, 0, &played(String::new(), &[], over))
    }

    fn epilogue(&self) -> Option<(&'static str, Grid)> {
        let dead = self.dead.as_ref()?;
        let title = if dead.is_empty() {
            "the count, whose territory is marked"
        } else {
            "the count, dead stones and territory marked"
        };
        Some((title, self.counted(dead)))
    }
}
