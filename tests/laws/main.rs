//! Laws that every game's rules keep, tried on seeded random games.

mod alphabeta;
mod check;
mod go;
