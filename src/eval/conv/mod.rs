//! Convolutional networks: planes in, numbers out. Knows no game.
//!
//! [`Model`] is a net as the files of KataGo hold it; [`read`](Model::read) and [`write`](Model::write) are its file format.
//! [`Net`] is a model made ready, and [`Runner`] runs it. [`plain`] does the same in the simplest way.

mod attention;
mod check;
mod direct;
pub mod fresh;
mod gemm;
mod lanes;
pub mod model;
mod net;
mod output;
pub mod plain;
mod points;
mod read;
mod rms;
mod run;
mod winograd;
mod write;

pub use lanes::Kernel;
pub use model::Model;
pub use net::{Method, Net};
pub use output::Output;
pub use run::Runner;
