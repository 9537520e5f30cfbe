//! Utilities without any game: the processor, random numbers, files, half floats, memory pages, texts in constants.

pub mod cpu;
pub mod files;
pub mod half;
pub mod pages;
pub mod rng;
pub mod text;
