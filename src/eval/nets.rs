//! The networks that are built in, found by `build.rs`: `engines/nets/GAME.nnue`, `go.bin.gz`, or the file that the environment's
//! `EVALFILE` names for chess. Go may have a second one, `go-ranks.bin.gz`, by which its ranks play.

use crate::util::text;

include!(concat!(env!("OUT_DIR"), "/nets.rs"));

/// The games that have one.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

/// What is said of a game without one.
pub fn missing(game: &str) -> Option<String> {
    let known: Vec<&str> = names().collect();
    (!known.contains(&game)).then(|| {
        format!(
            "no network of {game} is built in; there are networks of {}",
            known.join(", ")
        )
    })
}

/// The built-in network of a game. Called in a constant, so that a program gets the networks that it uses and no others.
pub const fn built_in(game: &str) -> Option<&'static [u8]> {
    let mut i = 0;
    while i < NETS.len() {
        if text::is_same(NETS[i].0, game) {
            return Some(NETS[i].1);
        }
        i += 1;
    }
    None
}
