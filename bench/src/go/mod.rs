//! Training data of go: games played for a learner on a GPU, records of games with labelled positions, and how they are made.

pub mod actor;
pub mod datagen;
mod draw;
pub mod record;
mod teacher;
