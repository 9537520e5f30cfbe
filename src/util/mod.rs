//! Tools that know no game.

pub mod files;
pub mod half;
pub mod pages;
pub mod rng;
