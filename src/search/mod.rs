//! The alpha-beta search, generic over the game: it uses positions only through [`crate::game::Position`].
//!
//! Start reading at [`root`] (iterative deepening), then `alphabeta` (the numbered steps of a node) and `qsearch`.

mod alphabeta;
pub mod chance;
pub mod history;
mod picker;
mod qsearch;
pub mod root;
pub mod score;
pub mod table;
pub mod wdl;
mod worker;

pub use history::ContinuationHistories;
pub use root::{SearchResult, Task};
pub use table::Table;
pub use worker::{NodeCounter, Shared, Worker};
