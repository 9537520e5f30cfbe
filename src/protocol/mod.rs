//! Lines in, lines out: the dialects that graphical interfaces speak.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod lines;
pub mod session;
pub mod uci;

pub use session::{Dialect, Session};
