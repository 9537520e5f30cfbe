//! What judges the leaves of the tree: playouts now, a network in the same place.

use super::playout::{Playout, Rates};
use super::prior;
use crate::games::go::ko::History;
use crate::games::go::planes::Past;
use crate::games::go::rules::{Ko, Rules, Scoring};
use crate::games::go::types::{BLACK, CELLS, Colour, EMPTY, PASS, POINTS, Point, WHITE, other};
use crate::games::go::{Board, Game, score};

/// A position in the tree, with what its judgement needs to know.
#[derive(Clone)]
pub struct State {
    /// The stones.
    pub board: Board,
    /// Who is to move.
    pub turn: Colour,
    /// Passes in a row.
    pub passes: usize,
    /// The rules.
    pub rules: Rules,
    /// White's points in all.
    pub compensation: f32,
    /// All positions up to here.
    pub history: History,
    /// The last moves, for networks.
    pub past: Past,
    /// Stones of hopeless chains at the root, which the players will agree to take off.
    pub dead: Vec<Point>,
    /// The board that `dead` was judged on; any other is counted with all its stones, for a chain that was hopeless may
    /// have been saved since.
    pub dead_on: u64,
    /// Stones each colour may still place.
    pub supply: [usize; 3],
}

impl State {
    /// The state of a game.
    pub fn of(game: &Game) -> Self {
        use crate::game::Side;
        Self {
            board: game.board().clone(),
            turn: crate::games::go::types::colour(game.side()),
            // A game that goes on after its end begins anew.
            passes: if game.passes() == 1 { 1 } else { 0 },
            rules: *game.rules(),
            compensation: game.compensation(),
            history: game.history().clone(),
            past: Past::of(game),
            dead: Vec::new(),
            dead_on: 0,
            supply: [0, game.supply(Side::First), game.supply(Side::Second)],
        }
    }

    /// Becomes a copy of the root again; `root` is what this state once was, so its history is a part of ours.
    pub fn rewind(&mut self, root: &Self) {
        self.board.copy_from(&root.board);
        self.turn = root.turn;
        self.passes = root.passes;
        self.history.truncate(root.history.len());
        self.past.copy_from(&root.past);
        self.supply = root.supply;
    }

    /// Plays a legal move.
    pub fn play(&mut self, p: Point) {
        self.past.push(&self.board, self.turn, p);
        if p == PASS {
            self.board.pass();
            self.passes += 1;
        } else {
            self.board.play(p, self.turn);
            self.passes = 0;
            self.supply[self.turn as usize] -= 1;
        }
        self.turn = other(self.turn);
        if self.rules.ko != Ko::Simple {
            self.history
                .push(History::key(self.rules.ko, self.board.key(), self.turn));
        }
    }

    /// Whether the side to move may play there.
    pub fn is_legal(&self, p: Point) -> bool {
        if !self.board.is_legal(p, self.turn, self.rules.suicide) || self.supply[self.turn as usize] == 0 {
            return false;
        }
        // Where nothing was captured nothing repeats.
        let quiet = self.rules.ko == Ko::Simple || self.board.lost(BLACK) + self.board.lost(WHITE) == 0;
        quiet || {
            let after = self.board.key_after(p, self.turn);
            !self
                .history
                .contains(History::key(self.rules.ko, after, other(self.turn)))
        }
    }

    /// Black's lead when the game ends here.
    pub fn final_lead(&self) -> f32 {
        let dead: &[Point] = if self.board.key() == self.dead_on {
            &self.dead
        } else {
            &[]
        };
        score::count(&self.board, &self.rules, dead).lead() - self.compensation
    }

    /// What to take from black's lead by area to get the lead by these rules: each stone placed costs its side a point
    /// where territory counts.
    fn area_surplus(&self) -> f32 {
        match self.rules.scoring {
            Scoring::Area => 0.0,
            Scoring::Territory => {
                self.board.stone_balance() as f32 + self.board.lost(BLACK) as f32 - self.board.lost(WHITE) as f32
            }
        }
    }
}

/// A move with what speaks for it before any search: as if it had been tried `visits` times with this success.
#[derive(Clone, Copy, Debug)]
pub struct Prior {
    /// The move.
    pub mv: Point,
    /// Weight in visits.
    pub visits: f32,
    /// Expected success of the side to move, 0 to 1.
    pub value: f32,
}

/// A leaf's judgement, from black's point of view.
#[derive(Clone)]
pub struct Judgement {
    /// Chance that black wins, 0 to 1.
    pub value: f32,
    /// Black's lead in points.
    pub score: f32,
    /// Whose each point is, by [`Board::index`], from -1 for white to 1 for black.
    pub ownership: Box<[i8; POINTS]>,
    /// Who was first to play on each point in the playout; all [`EMPTY`] when nothing was played out.
    pub first: Box<[Colour; CELLS]>,
}

impl Default for Judgement {
    fn default() -> Self {
        Self {
            value: 0.5,
            score: 0.0,
            ownership: Box::new([0; POINTS]),
            first: Box::new([EMPTY; CELLS]),
        }
    }
}

/// The judge of leaves: policy, value, score and ownership.
pub trait Leaf: Send {
    /// The policy: appends the moves worth a place in the tree, the pass among them.
    fn policy(&mut self, state: &State, out: &mut Vec<Prior>);
    /// Value, score and ownership.
    fn judge(&mut self, state: &State, out: &mut Judgement);
}

/// A network's opinion of a position; values from black's point of view.
#[derive(Clone)]
pub struct Opinion {
    /// The legal moves, the pass among them, each with its share; the shares sum to 1.
    pub priors: Vec<(Point, f32)>,
    /// Chance that black wins, 0 to 1.
    pub win: f32,
    /// Black's expected lead in points, komi counted.
    pub lead: f32,
    /// How far the final score may stray from `lead`.
    pub stdev: f32,
    /// Whose each point will be, by [`Board::index`], from -1 for white to 1 for black.
    pub ownership: Box<[f32; POINTS]>,
}

impl Default for Opinion {
    fn default() -> Self {
        Self {
            priors: Vec::new(),
            win: 0.5,
            lead: 0.0,
            stdev: 0.0,
            ownership: Box::new([0.0; POINTS]),
        }
    }
}

/// A judge that sees everything in one look: a network.
pub trait Judge: Send {
    /// Fills in the whole opinion of a position.
    fn consider(&mut self, state: &State, out: &mut Opinion);
    /// The same of the root, whose moves may be seen more soberly.
    fn consider_root(&mut self, state: &State, out: &mut Opinion) {
        self.consider(state, out);
    }
}

/// The judge that plays games out.
pub struct Playouts {
    playout: Playout,
    scratch: prior::Scratch,
}

impl Playouts {
    /// A judge with these ideas and random numbers of its own.
    pub fn new(board: &Board, rates: Rates, seed: u64) -> Self {
        Self {
            playout: Playout::new(board.clone(), rates, seed),
            scratch: prior::Scratch::default(),
        }
    }
}

impl Leaf for Playouts {
    fn policy(&mut self, state: &State, out: &mut Vec<Prior>) {
        prior::moves(state, &mut self.scratch, &mut self.playout.rng, out);
    }

    fn judge(&mut self, state: &State, out: &mut Judgement) {
        self.playout.run(&state.board, state.turn);
        let lead = self.playout.lead() as f32 - state.area_surplus() - state.compensation;
        out.score = lead;
        out.value = if lead > 0.0 {
            1.0
        } else if lead < 0.0 {
            0.0
        } else {
            0.5
        };
        let cells = state.board.cells();
        out.first[..cells].copy_from_slice(&self.playout.first[..cells]);
        for (i, p) in state.board.points().enumerate() {
            out.ownership[i] = match self.playout.owner(p) {
                BLACK => 1,
                WHITE => -1,
                _ => 0,
            };
        }
    }
}
