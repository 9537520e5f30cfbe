//! Laws that every game's rules keep, tried on seeded random games.
#![cfg(all(feature = "chess", feature = "xiangqi", feature = "shogi", feature = "go"))]

mod alphabeta;
mod check;
mod go;
