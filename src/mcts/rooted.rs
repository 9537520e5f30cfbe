//! The tree with the position at its root, and tree reuse from move to move.

use super::state::SearchState;
use super::tree::{NodeId, Tree};
use crate::games::go::Game;
use crate::games::go::types::{Colour, Point, other};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// A tree with its root.
pub struct Arenas {
    /// The tree.
    pub tree: Tree,
    /// The arena that what is kept of the tree is copied to.
    spare: Tree,
    /// The root's id.
    pub root: NodeId,
}

impl Arenas {
    /// Keeps of the tree what lies below a node, half the space at most.
    fn keep(&mut self, top: NodeId) {
        self.root = self.spare.adopt(&self.tree, top);
        std::mem::swap(&mut self.tree, &mut self.spare);
    }
}

/// A tree and its root's position.
pub struct RootedTree {
    /// Playouts hold it for reading; to make space all of them are waited for.
    arenas: RwLock<Arenas>,
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
        let spare = Tree::new(bytes / 2, amaf);
        Self {
            arenas: RwLock::new(Arenas { tree, spare, root }),
            state: SearchState::of(game),
            moves: game.moves().to_vec(),
            base: game.base().key(),
        }
    }

    /// The tree, which stays as it is but for what playouts add until the guard is gone. A thread must not ask for it
    /// twice at a time.
    pub fn arenas(&self) -> RwLockReadGuard<'_, Arenas> {
        self.arenas.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn arenas_mut(&mut self) -> &mut Arenas {
        self.arenas.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the tree.
    pub fn clear(&mut self) {
        let arenas = self.arenas_mut();
        arenas.root = arenas.tree.reset();
    }

    /// Drops the least visited part of the tree, half of it at least, if it is still full when no playout is under way (Pachi's
    /// tree garbage collection). To visit a full tree's leaves again instead only adds weight to errors of their evaluations.
    pub fn make_space(&self, full: &AtomicBool) {
        let mut arenas = self.arenas.write().unwrap_or_else(PoisonError::into_inner);
        // One of many threads does it.
        if full.load(Relaxed) {
            let root = arenas.root;
            arenas.keep(root);
            full.store(false, Relaxed);
        }
    }

    /// Moves the root to a game's position, keeping its subtree.
    pub fn set_root(&mut self, game: &Game) {
        let state = SearchState::of(game);
        let kept = self.known(game, &state).and_then(|moves| {
            let arenas = self.arenas();
            let mut at = arenas.root;
            for &mv in moves {
                at = arenas.tree.child(at, mv)?;
            }
            Some(at)
        });
        match kept {
            Some(at) if at == self.arenas_mut().root => {}
            Some(at) => self.arenas_mut().keep(at),
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
