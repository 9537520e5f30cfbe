//! Learned evaluation: a small network over piece-on-place inputs, kept up to date move by move (NNUE, Nasu 2018).
//!
//! `net` is the network and its file, `kernel` the two inner loops, `learned` the evaluator that follows the moves.

mod kernel;
mod learned;
mod net;

pub use kernel::{Chunk, Kernel, LANES};
pub use learned::Learned;
pub use net::{MOST, Net, QA, QB, SCALE};
