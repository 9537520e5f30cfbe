//! Learned evaluation: a small network over piece-on-place inputs, kept up to date move by move (NNUE, Nasu 2018).
//!
//! `net` is a network of our own and its file, `halfkp` one of the kind that shogi programs share; `carried` follows the
//! moves with the first layer's sums, `kernel` has the inner loops, `learned` is the evaluator with our own networks.

mod carried;
mod halfkp;
mod header;
mod kernel;
mod learned;
mod net;

pub use halfkp::{HalfKp, Kp};
pub use kernel::{Chunk, Kernel, LANES, SQUARE};
pub use learned::Learned;
pub use net::{FINEST, MOST_BITS, Net, QA, SCALE};
