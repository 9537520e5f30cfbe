//! The games. Each folder is one game: rules, setup text, hand-written evaluation. None knows another's search or protocol.
pub mod chess;
pub mod coup;
pub mod go;
pub mod shogi;
pub mod xiangqi;
