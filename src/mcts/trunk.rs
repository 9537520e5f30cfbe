//! A tree with the position at its root, and its reuse from move to move.

use super::leaf::State;
use super::tree::{Id, Knot, Tree};
use crate::games::go::Game;
use crate::games::go::types::{Colour, Point, other};

/// A tree and its root's position.
pub struct Trunk<N> {
    /// The tree.
    pub tree: Tree<N>,
    spare: Tree<N>,
    /// The root's number.
    pub root: Id,
    /// The root's position.
    pub state: State,
    /// Moves since which game start led to the root, to know it again.
    line: Vec<(Colour, Point)>,
    base: u64,
}

impl<N: Knot> Trunk<N> {
    /// A root alone; the tree takes at most this many bytes, both halves together.
    pub fn new(game: &Game, bytes: usize) -> Self {
        let tree = Tree::new(bytes / 2);
        let root = tree.reset();
        Self {
            root,
            tree,
            spare: Tree::new(bytes / 2),
            state: State::of(game),
            line: game.moves().to_vec(),
            base: game.base().key(),
        }
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.root = self.tree.reset();
    }

    /// Moves the root to a game's position, keeping what the tree knows of it.
    pub fn set_root(&mut self, game: &Game) {
        let state = State::of(game);
        let kept = self.known(game, &state).and_then(|moves| {
            let mut at = self.root;
            for &mv in moves {
                at = self.tree.child(at, mv)?;
            }
            Some(at)
        });
        match kept {
            Some(at) if at == self.root => {}
            Some(at) => {
                self.root = self.spare.adopt(&self.tree, at);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
            None => self.clear(),
        }
        self.state = state;
        self.line = game.moves().to_vec();
        self.base = game.base().key();
    }

    /// The moves from the root to the game's position, if it lies below the root under the same rules.
    fn known<'a>(&self, game: &'a Game, state: &State) -> Option<Vec<&'a Point>> {
        let same = game.base().key() == self.base
            && game.board().size() == self.state.board.size()
            && state.rules == self.state.rules
            && state.compensation == self.state.compensation
            && game.moves().starts_with(&self.line);
        let mut turn = self.state.turn;
        let new = game.moves().get(self.line.len()..).filter(|_| same)?;
        for &(c, _) in new {
            if c != turn {
                return None;
            }
            turn = other(turn);
        }
        (turn == state.turn).then(|| new.iter().map(|(_, p)| p).collect())
    }
}
