//! Convolutional networks in the format of KataGo: planes in, numbers out. Knows no game.
//!
//! [`Model`] is a net as the files of KataGo hold it; [`read`](Model::read) and [`write`](Model::write) are its file format.
//! [`Net`] is a model prepared for inference, and [`Runner`] runs it. [`mod@reference`] computes the same in the simplest way,
//! for tests.

mod attention;
mod check;
mod direct;
mod gemm;
mod lanes;
pub mod model;
mod net;
mod output;
mod points;
mod quantized;
pub mod random;
mod read;
pub mod reference;
mod rms;
mod run;
mod winograd;
mod write;

pub use lanes::Simd;
pub use model::Model;
pub use net::{Method, Net};
pub use output::Output;
pub use quantized::is_quantizing_fast;
pub use run::Runner;
