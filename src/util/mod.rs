//! Tools that know no game.

pub mod half;
pub mod pages;
pub mod rng;
