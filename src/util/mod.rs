//! Utilities without any game: the processor, random numbers, files, half floats, memory pages.

pub mod cpu;
pub mod files;
pub mod half;
pub mod pages;
pub mod rng;
