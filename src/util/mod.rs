//! Tools that know no game.

pub mod rng;
