//! Utilities without any game: the processor, random numbers, files, half floats, memory pages, threads and locks,
//! texts in constants.

pub mod cpu;
pub mod files;
pub mod half;
pub mod pages;
pub mod rng;
pub mod sync;
pub mod text;
