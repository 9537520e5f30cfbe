//! NNUE (efficiently updatable neural network, Nasu 2018): a small network over piece-on-place features, whose first layer is
//! updated move by move.
//!
//! `net` is a network of our own and its file, `halfkp` one of the kind that shogi programs share; `accumulator` has the
//! accumulators of the feature transformer and their refresh cache, `kernel` the inner loops, `evaluator` joins them for
//! networks of our own.

mod accumulator;
mod evaluator;
mod halfkp;
mod header;
mod kernel;
mod net;

pub use evaluator::NnueEvaluator;
pub use halfkp::{HalfKp, HalfKpEvaluator};
pub use kernel::{Chunk, Kernel, LANES, SCRELU_SCALE};
pub use net::{FINEST, MOST_BITS, Net, QA, SCALE};
