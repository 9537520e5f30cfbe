//! Engines for tests: real ones whose inputs are heard and whose answers may be others.

use crate::web::board::{RoomEngine, WebGame};
use anyhow::Result;
use nguky::control::{Engine, Limits, Options, Sink};
use nguky::game::{BadInput, Side};
use std::sync::atomic::AtomicBool;

/// Hears a position: setup and moves.
pub type HearPosition = Box<dyn Fn(Option<&str>, &[&str]) + Send>;
/// Takes a search over; gives the sink back where the engine itself is to search.
pub type TakeSearch = Box<dyn Fn(Sink) -> Option<Sink> + Send>;

/// An engine in another's coat.
pub struct TestEngine {
    inner: Box<dyn Engine>,
    position: HearPosition,
    search: TakeSearch,
}

impl TestEngine {
    /// The engine of a game, heard and taken over.
    pub fn make(game: &dyn WebGame, position: HearPosition, search: TakeSearch) -> Result<RoomEngine> {
        Ok(match game.engine()? {
            RoomEngine::Search(inner) => RoomEngine::Search(Box::new(Self {
                inner,
                position,
                search,
            })),
            tree => tree,
        })
    }
}

impl Engine for TestEngine {
    fn options(&self) -> &Options {
        self.inner.options()
    }
    fn set_option(&mut self, name: &str, text: Option<&str>) -> Result<(), BadInput> {
        self.inner.set_option(name, text)
    }
    fn new_game(&mut self) {
        self.inner.new_game();
    }
    fn position(&mut self, setup: Option<&str>, moves: &[&str]) -> Result<(), BadInput> {
        (self.position)(setup, moves);
        self.inner.position(setup, moves)
    }
    fn go(&mut self, limits: Limits, sink: Sink) -> Result<(), BadInput> {
        match (self.search)(sink) {
            Some(sink) => self.inner.go(limits, sink),
            None => Ok(()),
        }
    }
    fn stop(&self) {
        self.inner.stop();
    }
    fn ponderhit(&self) {
        self.inner.ponderhit();
    }
    fn wait(&mut self) {
        self.inner.wait();
    }
    fn side(&self) -> Side {
        self.inner.side()
    }
    fn is_legal(&self, mv: &str) -> bool {
        self.inner.is_legal(mv)
    }
    fn picture(&self) -> String {
        self.inner.picture()
    }
    fn setup(&self) -> String {
        self.inner.setup()
    }
    fn explain(&mut self) -> String {
        self.inner.explain()
    }
    fn perft(&self, depth: u32, threads: usize, halt: &AtomicBool) -> Vec<(String, u64)> {
        self.inner.perft(depth, threads, halt)
    }
    fn bench(&mut self, depth: u32, each: &mut dyn FnMut(usize, u64)) -> (u64, f64) {
        self.inner.bench(depth, each)
    }
    fn openings(&mut self, n: usize, seed: u64) -> Vec<String> {
        self.inner.openings(n, seed)
    }
}
