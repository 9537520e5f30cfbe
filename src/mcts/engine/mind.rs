//! The two searches of go behind one face: playouts, or a network's opinions.

use super::task::{Task, Ticket};
use crate::control::Signal;
use crate::games::go::Game;
use crate::games::go::types::{Colour, Point};
use crate::mcts::leaf::{Judge, Playouts};
use crate::mcts::playout::Rates;
use crate::mcts::{Analysis, Params, Search, puct};
use std::sync::Arc;
use std::time::Duration;

/// A network, as the engine needs it.
#[derive(Clone)]
pub struct Judges {
    /// Its name.
    pub name: String,
    /// Makes a judge for one thread; the number differs from judge to judge.
    pub make: Arc<dyn Fn(u64) -> Box<dyn Judge> + Send + Sync>,
    /// Forgets what is remembered of former judgements.
    pub forget: Arc<dyn Fn() + Send + Sync>,
}

/// Descents that end an endless search by themselves: nothing more is learned, and the machine rests.
const ENOUGH: u64 = 20_000_000;

/// A search with its tree.
#[derive(Clone)]
pub(super) enum Mind {
    Playouts(Arc<Search>),
    Network(Arc<puct::Search>, Judges),
}

impl Mind {
    pub(super) fn new(game: &Game, bytes: usize, judges: Option<Judges>, params: puct::Params) -> Self {
        match judges {
            None => Self::Playouts(Arc::new(Search::new(game, bytes, Params::default()))),
            Some(judges) => {
                let search = puct::Search::new(game, bytes, params);
                Self::Network(Arc::new(search), judges)
            }
        }
    }

    /// Moves the root to a game; `dead` are the stones that playouts found hopeless. False while threads hold the tree.
    pub(super) fn set_root(&mut self, game: &Game, dead: Vec<Point>, cleanup: bool) -> bool {
        match self {
            Self::Playouts(search) => {
                let Some(search) = Arc::get_mut(search) else {
                    return false;
                };
                search.set_root(game);
                search.set_dead(dead);
            }
            Self::Network(search, _) => {
                let Some(search) = Arc::get_mut(search) else {
                    return false;
                };
                search.set_root(game);
                if cleanup {
                    search.clean_up();
                }
            }
        }
        true
    }

    /// Changes the numbers of the search by a network. False while threads hold it.
    pub(super) fn set_params(&mut self, params: puct::Params) -> bool {
        match self {
            Self::Playouts(_) => true,
            Self::Network(search, _) => Arc::get_mut(search).map(|s| s.params = params).is_some(),
        }
    }

    /// Forgets the tree. False while threads hold it.
    pub(super) fn clear(&mut self) -> bool {
        match self {
            Self::Playouts(search) => Arc::get_mut(search).map(Search::clear).is_some(),
            Self::Network(search, _) => Arc::get_mut(search).map(puct::Search::clear).is_some(),
        }
    }

    /// One thread's part of a search; the first thread watches the clock.
    pub(super) fn run(&self, first: bool, seed: u64, task: &Task, signal: &Signal) {
        let ticket = Ticket::new(task);
        let stop = || {
            ticket.give_back();
            loop {
                let over = if first {
                    task.is_over(self, signal)
                } else {
                    self.playouts() >= ENOUGH
                };
                if signal.stopped() || over {
                    return true;
                }
                if ticket.take(self, signal) {
                    return false;
                }
                if !first {
                    return true;
                }
                // The last descents are under way; one of them may yet come back with nothing.
                std::thread::yield_now();
            }
        };
        match self {
            Self::Playouts(search) => {
                let mut leaf = Playouts::new(&search.state().board, Rates::HEAVY, seed);
                search.prepare(&mut leaf);
                let turn = search.state().turn;
                search.run(&mut leaf, &|p| task.allows(0, turn, p), &stop);
            }
            Self::Network(search, judges) => {
                let mut judge = (judges.make)(seed);
                let allowed = |depth: usize, turn: Colour, p: Point| task.allows(depth, turn, p);
                search.run(&mut *judge, &allowed, &stop);
            }
        }
    }

    /// Descents of this search.
    pub(super) fn playouts(&self) -> u64 {
        match self {
            Self::Playouts(search) => search.playouts(),
            Self::Network(search, _) => search.playouts(),
        }
    }

    /// Visits of the root, those of former searches among them.
    pub(super) fn visits(&self) -> u64 {
        match self {
            Self::Playouts(search) => search.visits().into(),
            Self::Network(search, _) => search.visits().into(),
        }
    }

    pub(super) fn fullness(&self) -> u32 {
        match self {
            Self::Playouts(search) => search.fullness(),
            Self::Network(search, _) => search.fullness(),
        }
    }

    pub(super) fn analysis(&self) -> Analysis {
        match self {
            Self::Playouts(search) => search.analysis(),
            Self::Network(search, _) => search.analysis(),
        }
    }

    pub(super) fn is_network(&self) -> bool {
        matches!(self, Self::Network(..))
    }

    /// Whether nothing more can be learned.
    pub(super) fn is_exhausted(&self) -> bool {
        self.playouts() >= ENOUGH || matches!(self, Self::Network(search, _) if search.is_full())
    }

    /// Visits of the move that would be played, and the most that another move has.
    pub(super) fn front_runners(&self) -> [i64; 2] {
        match self {
            Self::Playouts(search) => search.front_runners().map(i64::from),
            Self::Network(search, _) => {
                let ranks = search.ranks(|_| true);
                let second = ranks.iter().skip(1).map(|r| r.visits).max();
                [ranks.first().map_or(0, |r| r.visits).into(), second.unwrap_or(0).into()]
            }
        }
    }

    /// Descents between two looks at the front runners.
    pub(super) fn stride(&self) -> u64 {
        if self.is_network() { 4 } else { 32 }
    }

    /// Whether the move that would be played is worth clearly less than the position seemed at first: time to look for
    /// another.
    pub(super) fn is_sinking(&self) -> bool {
        let Self::Network(search, _) = self else { return false };
        let Some(opinion) = search.opinion() else { return false };
        let black = search.state().turn == crate::games::go::types::BLACK;
        let seemed = if black { opinion.win } else { 1.0 - opinion.win };
        search
            .ranks(|_| true)
            .first()
            .is_some_and(|r| r.visits > 0 && r.worth.win < seemed - 0.05)
    }

    /// What one descent may still cost.
    pub(super) fn last_step(&self, used: Duration) -> Duration {
        let done = u32::try_from(self.playouts()).unwrap_or(u32::MAX);
        // Playouts take no time that matters to a clock.
        if self.is_network() && done > 0 {
            used / done
        } else {
            Duration::ZERO
        }
    }
}
