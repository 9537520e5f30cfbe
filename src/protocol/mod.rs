//! Lines in, lines out: the dialects that graphical interfaces speak.
//!
//! | file | what it does |
//! |---|---|
//! | `lines` | bytes to lines, whatever the bytes |
//! | `session` | the event loop: when each line acts, timers, and all the printing |
//! | `options` | the option registry in UCI's words, and as the table of `docs/options.md` |
//! | `go` | the arguments of UCI's `go` |
//! | `uci` | the UCI dialect |
//! | `ucci` | the UCCI dialect of xiangqi, and UCI as xiangqi's interfaces speak it |
//! | `usi` | the USI dialect of shogi: its searches, its book, and the UCI accent of one client |
//! | `cli` | the command line that the binaries share |
//! | `manual` | man pages and completions of shells, with the feature of that name |
//!
//! Go's protocols, GTP and KataGo's analysis protocol, are dialects of the floor above: `crate::gtp`.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod cli;
pub mod go;
pub mod lines;
#[cfg(feature = "manual")]
pub mod manual;
pub mod options;
pub mod session;
pub mod ucci;
pub mod uci;
pub mod usi;

pub use session::{Dialect, Session};

#[cfg(feature = "go")]
pub(crate) use crate::engine::kernels;
