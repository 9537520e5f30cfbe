//! Ngũ Kỳ, "the five board arts": chess, xiangqi, cờ úp, shogi and go on one house of code.
//!
//! The floors, lowest first; a module uses only modules above it in this list (`tests/layers.rs` holds it to that):
//!
//! | floor | what lives there |
//! |---|---|
//! | [`util`] | random numbers, clocks, small tools without any game |
//! | [`bits`] | bitboards and sliding-piece attack tables |
//! | [`game`] | the contract: what a board game is, as traits, and the search numbers of each game |
//! | [`games`] | the rules and piece values of each game; games do not use the search |
//! | [`eval`] | what turns a position into a score: material or a network |
//! | [`control`] | the engine trait that protocols drive; limits, clock, stop signals, reports and options of any search |
//! | [`search`] | the alpha-beta search, generic over [`game::Position`], without any game |
//! | [`mcts`] | Monte Carlo tree search for go, and go's engine |
//! | [`engine`] | the engines that search by alpha-beta |
//! | [`register`] | the one list of games, and the engines that play them |
//! | [`protocol`] | UCI and its cousins: lines in, lines out, and the session that all dialects share |
//! | [`gtp`] | the protocols of go: GTP and KataGo's analysis |
//!
//! The moves of a position, by the rules of one game:
//!
//! ```
//! use nguky::game::{Kind, Moves, Position};
//! use nguky::games::shogi::Shogi;
//!
//! let mut position = Shogi::parse(Shogi::START, &Default::default())?;
//! position.play_text("7g7f")?;
//! let mut moves = Moves::new();
//! position.generate(Kind::All, &mut moves);
//! assert_eq!(moves.len(), 30);
//! # Ok::<(), nguky::game::BadInput>(())
//! ```
//!
//! A search of any game goes through [`control::Engine`]. `examples/` has a bot, a perft and more. Who wants the library alone
//! turns the default features off and asks for the games: `features = ["chess", "nets"]`.
//!
//! `docs/glossary.md` has the terms of the code, with their files and sources.
#![deny(missing_docs)]

pub mod bits;
pub mod control;
pub mod engine;
pub mod eval;
pub mod game;
pub mod games;
#[cfg(feature = "go")]
pub mod gtp;
#[cfg(feature = "go")]
pub mod mcts;
pub mod protocol;
pub mod register;
pub mod search;
pub mod util;
