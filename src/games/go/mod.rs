//! Go (cờ vây) on boards from 2 x 2 to 25 x 25, under six codes of rules.
//!
//! [`Board`] plays stones at speed, [`Game`] has the turn, the superko rule and the end of the game, and
//! [`score`] counts. Go has no captures by exchange and no check, so it stands beside [`crate::game::Position`].

mod about;
pub mod board;
pub mod coords;
pub mod ko;
pub mod ladder;
pub mod levels;
pub mod life;
pub mod patterns;
pub mod rules;
pub mod score;
pub mod types;

pub use about::ABOUT;
pub use board::Board;
pub use rules::Rules;
pub use types::{Colour, PASS, Point};

use crate::game::{BadInput, Side};
use ko::KoHistory;
use rules::Ko;
use types::{BLACK, EMPTY, WHITE, colour, side_of};

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Both passed in turn.
    Passes,
    /// The side to move has used up its stones.
    Stones,
    /// The side to move has no point left to play on.
    Points,
}

/// A game of go: the board with its rules, its turn and all that happened.
#[derive(Clone)]
pub struct Game {
    board: Board,
    rules: Rules,
    komi: f32,
    turn: Colour,
    base: Board,
    base_turn: Colour,
    handicap: usize,
    moves: Vec<(Colour, Point)>,
    history: KoHistory,
    placed: [usize; 3],
    passes: usize,
}

impl Game {
    /// An empty board under a code of rules, with its komi.
    pub fn new(size: usize, rules: Rules) -> Result<Self, BadInput> {
        Ok(Self::from_board(Board::new(size)?, rules, Side::First))
    }

    /// A game that starts from these stones.
    pub fn from_board(board: Board, rules: Rules, turn: Side) -> Self {
        let turn = colour(turn);
        let mut history = KoHistory::default();
        history.push(KoHistory::key(rules.ko, board.key(), turn));
        Self {
            base: board.clone(),
            board,
            komi: rules.komi,
            rules,
            turn,
            base_turn: turn,
            handicap: 0,
            moves: Vec::new(),
            history,
            placed: [0; 3],
            passes: 0,
        }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The code of rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Changes the code of rules in the middle of a game; komi stays, what was played stays.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
        let moves = std::mem::take(&mut self.moves);
        self.replay(&moves);
    }

    /// White's points for moving second, without those for a handicap.
    pub fn komi(&self) -> f32 {
        self.komi
    }

    /// Sets komi.
    pub fn set_komi(&mut self, komi: f32) {
        self.komi = komi;
    }

    /// White's points in all: komi and what the rules give for a handicap.
    pub fn compensation(&self) -> f32 {
        self.komi + self.rules.handicap_points(self.handicap)
    }

    /// Handicap stones on the board at the start.
    pub fn handicap(&self) -> usize {
        self.handicap
    }

    /// Who is to move.
    pub fn side(&self) -> Side {
        side_of(self.turn)
    }

    /// Sets who is to move.
    pub fn set_side(&mut self, side: Side) {
        self.turn = colour(side);
        if self.moves.is_empty() {
            self.base_turn = self.turn;
        }
    }

    /// The moves since the start.
    pub fn moves(&self) -> &[(Colour, Point)] {
        &self.moves
    }

    /// The board that the moves started from.
    pub fn base(&self) -> &Board {
        &self.base
    }

    /// Passes in a row just now.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// The positions so far, as the ko rule compares them.
    pub fn history(&self) -> &KoHistory {
        &self.history
    }

    /// Stones a side may still place.
    pub fn supply(&self, side: Side) -> usize {
        let all = self.rules.supply(self.board.size(), side == Side::First);
        all.saturating_sub(self.placed[colour(side) as usize])
    }

    /// Sets handicap stones on an empty board; white moves next.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), BadInput> {
        if !self.moves.is_empty() || self.board.empties().len() != self.board.area() {
            return Err(BadInput::new("board not empty"));
        }
        if points.len() < 2 || points.len() >= self.board.area() {
            return Err(BadInput::new("invalid number of stones"));
        }
        let mut board = self.board.clone();
        for &p in points {
            if p == PASS || board.colour(p) != EMPTY {
                return Err(BadInput::new("repeated vertex"));
            }
            board.set_up(p, BLACK);
        }
        if board.empties().len() + points.len() != board.area() {
            return Err(BadInput::new("bad vertex list"));
        }
        let komi = self.komi;
        *self = Self::from_board(board, self.rules, Side::Second);
        self.komi = komi;
        self.handicap = points.len();
        self.placed[BLACK as usize] = points.len();
        Ok(())
    }

    /// Whether a side may play there now; a pass always may.
    pub fn is_legal(&self, p: Point, side: Side) -> bool {
        if p == PASS {
            return true;
        }
        let c = colour(side);
        if self.board.colour(p) != EMPTY || self.supply(side) == 0 {
            return false;
        }
        let by_turn = self.rules.suicide && self.rules.ko == Ko::Situational;
        let lone = by_turn && self.board.is_lone_suicide(p, c);
        if !lone && !self.board.is_legal(p, c, self.rules.suicide) {
            return false;
        }
        self.rules.ko == Ko::Simple || !self.repeats(p, c)
    }

    /// Whether a stone would bring back a position that the superko rule bars.
    pub fn repeats(&self, p: Point, c: Colour) -> bool {
        let after = self.board.key_after(p, c);
        self.history
            .contains(KoHistory::key(self.rules.ko, after, types::other(c)))
    }

    /// The legal moves of the side to move but the pass.
    pub fn legal_points(&self) -> Vec<Point> {
        let side = self.side();
        self.board
            .empties()
            .iter()
            .copied()
            .filter(|&p| self.is_legal(p, side))
            .collect()
    }

    /// Plays for a side, whosever turn it is; the turn then is the other's.
    pub fn play(&mut self, p: Point, side: Side) -> Result<(), BadInput> {
        let on_board = p == PASS || (p as usize) < self.board.cells();
        if !on_board || !self.is_legal(p, side) {
            return Err(BadInput::new("illegal move"));
        }
        self.play_unchecked(p, colour(side));
        Ok(())
    }

    fn play_unchecked(&mut self, p: Point, c: Colour) {
        if p == PASS {
            self.board.pass();
            // Two passes of one side in a row end nothing.
            let again = matches!(self.moves.last(), Some(&(last, PASS)) if last == c);
            self.passes = if again { 1 } else { self.passes + 1 };
        } else {
            self.board.play(p, c);
            self.placed[c as usize] += 1;
            self.passes = 0;
        }
        self.moves.push((c, p));
        self.turn = types::other(c);
        self.history
            .push(KoHistory::key(self.rules.ko, self.board.key(), self.turn));
    }

    /// Takes back the last move; false when there is none.
    pub fn undo(&mut self) -> bool {
        let mut moves = std::mem::take(&mut self.moves);
        let some = moves.pop().is_some();
        self.replay(&moves);
        some
    }

    fn replay(&mut self, moves: &[(Colour, Point)]) {
        self.board.copy_from(&self.base);
        self.turn = self.base_turn;
        self.moves.clear();
        self.placed = [0; 3];
        self.placed[BLACK as usize] = self.handicap;
        self.passes = 0;
        self.history.truncate(0);
        self.history
            .push(KoHistory::key(self.rules.ko, self.board.key(), self.turn));
        for &(c, p) in moves {
            self.play_unchecked(p, c);
        }
    }

    /// Whether the game is over, and why.
    pub fn ended(&self) -> Option<Ended> {
        if self.passes >= 2 {
            return Some(Ended::Passes);
        }
        if !self.rules.stone_limit {
            return None;
        }
        // Only rules that limit the stones also end the game where nothing is left to play.
        if self.supply(self.side()) == 0 {
            return Some(Ended::Stones);
        }
        let side = self.side();
        let open = self.board.empties().iter().any(|&p| self.is_legal(p, side));
        (!open).then_some(Ended::Points)
    }

    /// Sequences of legal moves of this length; a pass is a move, and two passes in a row end the game.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.passes >= 2 {
            return 0;
        }
        let points = self.legal_points();
        if depth == 1 {
            return points.len() as u64 + 1;
        }
        let mut next = self.clone();
        let mut count = 0;
        for p in points.into_iter().chain([PASS]) {
            next.play_unchecked(p, self.turn);
            count += next.perft(depth - 1);
            next.step_back(self);
        }
        count
    }

    /// Undoes one move by copying from the game before it.
    fn step_back(&mut self, former: &Self) {
        self.board.copy_from(&former.board);
        self.turn = former.turn;
        self.placed = former.placed;
        self.passes = former.passes;
        self.moves.pop();
        self.history.pop();
    }

    /// The score of the board with these chains off it, as black's lead after compensation.
    pub fn score(&self, dead: &[Point]) -> f32 {
        score::count(&self.board, &self.rules, dead).lead() - self.compensation()
    }

    /// The board drawn for a person.
    pub fn picture(&self) -> String {
        let size = self.board.size();
        let stars = coords::stars(&self.board);
        let letters: String = (0..size)
            .map(|x| format!(" {}", (coords::text(&self.board, self.board.at(x, 0)).remove(0))))
            .collect();
        let mut text = format!("  {letters}\n");
        for y in (0..size).rev() {
            text += &format!("{:2}", y + 1);
            for x in 0..size {
                let p = self.board.at(x, y);
                let mark = match self.board.colour(p) {
                    BLACK => 'X',
                    WHITE => 'O',
                    _ if stars.contains(&p) => '+',
                    _ => '.',
                };
                let last = self.moves.last().is_some_and(|&(_, m)| m == p);
                text.push(if last {
                    '('
                } else if x > 0 && self.moves.last().is_some_and(|&(_, m)| m == self.board.at(x - 1, y)) {
                    ')'
                } else {
                    ' '
                });
                text.push(mark);
            }
            let close = self.moves.last().is_some_and(|&(_, m)| m == self.board.at(size - 1, y));
            text += &format!("{}{:<2}\n", if close { ')' } else { ' ' }, y + 1);
        }
        text += &format!("  {letters}\n");
        let turn = if self.turn == BLACK { "black" } else { "white" };
        let (b, w) = (self.board.lost(WHITE), self.board.lost(BLACK));
        text + &format!(
            "{turn} to move, prisoners: black {b}, white {w}, komi {}, rules {}",
            self.komi, self.rules.name
        )
    }
}
