//! What the library and the four engines hold to. One test program has all files: so it is linked once, and a file's tests
//! that wait run beside another's.
#![cfg(all(feature = "chess", feature = "xiangqi", feature = "shogi", feature = "go"))]

mod chance;
mod chess;
mod commands;
mod common;
mod complaints;
mod conv;
mod coup;
mod docs;
mod extras;
#[cfg(unix)]
mod files;
mod go;
mod go_net;
mod gtp;
mod halfkp;
#[cfg(unix)]
mod hooks;
mod laws;
mod layers;
mod levels;
mod limits;
mod manners;
mod material;
mod nnue;
mod perft;
mod repeat;
mod shogi;
mod talk;
mod threats;
mod toy;
mod ucci;
mod usi;
mod xiangqi;
mod xiangqi_facts;
mod xiangqi_repetition;
