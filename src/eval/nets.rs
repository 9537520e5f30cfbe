//! The networks that are built in, found by `build.rs`: `engines/nets/GAME.nnue`, or the file that the environment's
//! `EVALFILE` names for chess.

include!(concat!(env!("OUT_DIR"), "/nets.rs"));
