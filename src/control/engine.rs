//! The facade that protocols drive: one object-safe trait for the alpha-beta engines and for go.

use super::{Bound, Limits, Options, Outlook, Sink};
use crate::game::{BadInput, Side};
use std::sync::atomic::AtomicBool;

/// What any protocol may ask of any engine. One search runs at a time.
///
/// Calls that change the engine (`set_option`, `new_game`, `position`, `go`) wait for a running search; a protocol that
/// does not want to wait calls [`Engine::stop`] first.
///
/// ```
/// use nguky::control::{Choice, Limits, Report};
/// use std::sync::{Arc, mpsc};
///
/// let mut engine = nguky::register::engine("nguky-uci")?;
/// engine.position(Some("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"), &[])?;
/// let (send, receive) = mpsc::channel();
/// engine.go(Limits::depth(3), Arc::new(move |report| drop(send.send(report))))?;
/// let best = receive.iter().find_map(|report| match report {
///     Report::Best { choice, .. } => Some(choice),
///     _ => None,
/// });
/// assert_eq!(best, Some(Choice::Move("d1d8".into())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Engine: Send {
    /// The options with their values.
    fn options(&self) -> &Options;
    /// Sets an option and acts on it. On an error the option keeps its value.
    fn set_option(&mut self, name: &str, text: Option<&str>) -> Result<(), BadInput>;
    /// The names of the games, where the engine plays several; a game's other names follow its own.
    fn variants(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// Chooses the game by name, where the engine plays several.
    fn set_variant(&mut self, _name: &str) -> Result<(), BadInput> {
        Ok(())
    }
    /// Forgets what former games taught: hash table and histories.
    fn new_game(&mut self);
    /// Sets up a position (`None`: the game's start) and plays moves from it: all of it or, on an error, nothing.
    fn position(&mut self, setup: Option<&str>, moves: &[&str]) -> Result<(), BadInput>;
    /// Starts a search and returns at once. The sink gets its reports; the last is `Report::Best`, always.
    fn go(&mut self, limits: Limits, sink: Sink) -> Result<(), BadInput>;
    /// Ends the running search soon.
    fn stop(&self);
    /// The opponent played the move pondered on.
    fn ponderhit(&self);
    /// A ponder hit that brings the time for the move, where the search began without.
    fn ponderhit_with(&self, limits: &Limits) {
        let _ = limits;
        self.ponderhit();
    }
    /// Waits for the running search's end. Endless for an infinite search that nobody stops.
    fn wait(&mut self);
    /// Who is to move.
    fn side(&self) -> Side;
    /// Whether the text is that of a legal move.
    fn is_legal(&self, mv: &str) -> bool;
    /// The board drawn, several lines.
    fn picture(&self) -> String;
    /// The setup text of the position.
    fn setup(&self) -> String;
    /// The evaluator's terms for the position, several lines.
    fn explain(&mut self) -> String;
    /// What [`Engine::perft`] counts beside moves; nothing where it counts moves alone.
    fn perft_counts(&self) -> Option<&'static str> {
        None
    }
    /// Leaves of the legal-move tree below each move of the position. Once another thread sets `halt` it ends soon, with counts
    /// that mean nothing.
    fn perft(&self, depth: u32, threads: usize, halt: &AtomicBool) -> Vec<(String, u64)>;
    /// What the hash table knows of a position; also while a search runs. Nothing for engines without one.
    fn probe(&self, _setup: Option<&str>, _moves: &[&str]) -> Option<Known> {
        None
    }
    /// Searches the game's fixed positions, single-threaded order and cleared tables for each run: (nodes, seconds).
    fn bench(&mut self, depth: u32, each: &mut dyn FnMut(usize, u64)) -> (u64, f64);
    /// `n` random balanced openings for outside match runners, as setup texts, fixed by the seed.
    fn openings(&mut self, n: usize, seed: u64) -> Vec<String>;
}

/// What a hash table knows of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    /// The best move, where it is known.
    pub mv: Option<String>,
    /// The score.
    pub outlook: Outlook,
    /// What the score is worth.
    pub bound: Bound,
    /// Depth of the search behind it, in plies.
    pub depth: u32,
}
