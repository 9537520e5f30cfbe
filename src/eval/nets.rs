//! The networks that are built in, found by `build.rs`: `engines/nets/GAME.nnue`, `go.bin.gz`, or the file that the environment's
//! `EVALFILE` names for chess.

include!(concat!(env!("OUT_DIR"), "/nets.rs"));

/// The built-in network of a game.
pub fn built_in(game: &str) -> Option<&'static [u8]> {
    NETS.iter().find(|n| n.0 == game).map(|n| n.1)
}
