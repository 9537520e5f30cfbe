//! The board that xiangqi and cờ úp share: pieces, attack tables, move generator, static exchange evaluation, making and
//! taking back moves, and the board part of setups. Everything is generic at compile time over what may lie face down
//! ([`AllFaceUp`]: nothing, [`FaceDown`]: pieces with a pool); what else the games differ in is a [`XiangqiVariant`]. How a game ends,
//! how it is repeated and how its setups are written stays with each game.

pub mod attacks;
mod board;
mod cover;
pub(in crate::games) mod fen;
mod make;
mod movegen;
mod position;
mod see;
pub mod types;

pub use board::SharedBoard;
pub use cover::{AllFaceUp, Cover, FaceDown};
pub use position::{State, XiangqiPosition, XiangqiVariant};
