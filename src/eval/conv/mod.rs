//! Convolutional networks: planes in, numbers out. Knows no game.
//!
//! [`Model`] is a net as the files of KataGo hold it; [`read`](Model::read) and [`write`](Model::write) are its file format.

mod check;
pub mod fresh;
pub mod model;
mod read;
mod write;

pub use model::Model;
