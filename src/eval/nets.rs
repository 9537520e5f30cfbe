//! The networks that are built in, found by `build.rs`: `engines/nets/GAME.nnue`, `go.bin.gz`, or the file that the environment's
//! `EVALFILE` names for chess.

include!(concat!(env!("OUT_DIR"), "/nets.rs"));

/// The games that have one.
pub fn names() -> impl Iterator<Item = &'static str> {
    NETS.iter().map(|n| n.0)
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

/// The built-in network of a game.
pub fn built_in(game: &str) -> Option<&'static [u8]> {
    NETS.iter().find(|n| n.0 == game).map(|n| n.1)
}
