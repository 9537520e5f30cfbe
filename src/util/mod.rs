//! Utilities without any game: random numbers, files, half floats, memory pages.

pub mod files;
pub mod half;
pub mod pages;
pub mod rng;
