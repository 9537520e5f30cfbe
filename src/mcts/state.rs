//! The position of a node while the search is there.

use super::network::planes::{InputView, RecentMoves};
use crate::games::go::ko::KoHistory;
use crate::games::go::rules::{Ko, Rules, Scoring};
use crate::games::go::types::{BLACK, Colour, PASS, Point, WHITE, other};
use crate::games::go::{Board, Game, score};

/// A position of the tree, with all that its evaluation depends on.
#[derive(Clone)]
pub struct SearchState {
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
    pub history: KoHistory,
    /// The last moves, an input of networks.
    pub recent: RecentMoves,
    /// Dead stones, which the players will agree to remove.
    pub dead: Vec<Point>,
    /// Key of the board that `dead` is about; any other is counted with all its stones.
    pub dead_on: u64,
    /// Stones each colour may still place.
    pub supply: [usize; 3],
}

impl SearchState {
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
            recent: RecentMoves::of(game),
            dead: Vec::new(),
            dead_on: 0,
            supply: [0, game.supply(Side::First), game.supply(Side::Second)],
        }
    }

    /// Becomes a copy of the root again, from which this state descended: the root's history is a prefix of ours.
    pub fn rewind(&mut self, root: &Self) {
        self.board.copy_from(&root.board);
        self.turn = root.turn;
        self.passes = root.passes;
        self.history.truncate(root.history.len());
        self.recent.copy_from(&root.recent);
        self.supply = root.supply;
    }

    /// What the features of a network depend on; `alive_by_suicide` as the network has it.
    pub fn view(&self, alive_by_suicide: bool) -> InputView<'_> {
        InputView {
            board: &self.board,
            turn: self.turn,
            rules: &self.rules,
            compensation: self.compensation,
            passes: self.passes,
            history: &self.history,
            recent: &self.recent,
            alive_by_suicide,
        }
    }

    /// Plays a legal move.
    pub fn play(&mut self, p: Point) {
        self.recent.push(&self.board, self.turn, p);
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
                .push(KoHistory::key(self.rules.ko, self.board.key(), self.turn));
        }
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.passes >= 2 || (self.rules.stone_limit && self.supply[self.turn as usize] == 0)
    }

    /// Whether the rules know games without result.
    pub fn may_have_no_result(&self) -> bool {
        self.rules.ko == Ko::Simple || self.rules.scoring == Scoring::Territory
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
                .contains(KoHistory::key(self.rules.ko, after, other(self.turn)))
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

    /// Black's lead by area less the lead by these rules: under territory scoring each stone placed costs its side a point.
    pub fn area_surplus(&self) -> f32 {
        match self.rules.scoring {
            Scoring::Area => 0.0,
            Scoring::Territory => {
                self.board.stone_balance() as f32 + self.board.lost(BLACK) as f32 - self.board.lost(WHITE) as f32
            }
        }
    }
}
