//! Training data of go: records of games with labelled positions, and how they are made.

pub mod datagen;
pub mod record;
