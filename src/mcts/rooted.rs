//! The tree with the position at its root, and tree reuse from move to move.

use super::state::SearchState;
use super::tree::{NodeId, Tree};
use crate::games::go::Game;
use crate::games::go::types::{Colour, Point, other};

/// A tree and its root's position.
pub struct RootedTree {
    /// The tree.
    pub tree: Tree,
    /// The arena that the subtree of the next root is copied to.
    spare: Tree,
    /// The root's id.
    pub root: NodeId,
    /// The root's position.
    pub state: SearchState,
    /// The moves of the root's game and the key of the board that it began with: the next root's must continue them.
    moves: Vec<(Colour, Point)>,
    base: u64,
}

impl RootedTree {
    /// A root alone; the tree takes at most this many bytes, both arenas together, and has AMAF statistics if `amaf`.
    pub fn new(game: &Game, bytes: usize, amaf: bool) -> Self {
        let tree = Tree::new(bytes / 2, amaf);
        let root = tree.reset();
        Self {
            root,
            tree,
            spare: Tree::new(bytes / 2, amaf),
            state: SearchState::of(game),
            moves: game.moves().to_vec(),
            base: game.base().key(),
        }
    }

    /// Clears the tree.
    pub fn clear(&mut self) {
        self.root = self.tree.reset();
    }

    /// Moves the root to a game's position, keeping its subtree.
    pub fn set_root(&mut self, game: &Game) {
        let state = SearchState::of(game);
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
        self.moves = game.moves().to_vec();
        self.base = game.base().key();
    }

    /// The moves from the root to the game's position, if it lies below the root under the same rules.
    fn known<'a>(&self, game: &'a Game, state: &SearchState) -> Option<Vec<&'a Point>> {
        let same = game.base().key() == self.base
            && game.board().size() == self.state.board.size()
            && state.rules == self.state.rules
            && state.compensation == self.state.compensation
            && game.moves().starts_with(&self.moves);
        let mut turn = self.state.turn;
        let new = game.moves().get(self.moves.len()..).filter(|_| same)?;
        for &(c, _) in new {
            if c != turn {
                return None;
            }
            turn = other(turn);
        }
        (turn == state.turn).then(|| new.iter().map(|(_, p)| p).collect())
    }
}
