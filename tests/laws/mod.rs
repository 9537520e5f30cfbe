//! Laws that every game's rules keep, tried on seeded random games.

mod alphabeta;
pub mod check;
mod go;
