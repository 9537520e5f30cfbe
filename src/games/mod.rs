//! The games. Each folder is one game: rules, setup text, piece values. None knows another's search or protocol.
//! `xiangqi_board` is no game but the board that xiangqi and cờ úp share.
pub mod chess;
pub mod coup;
pub mod go;
pub mod shogi;
pub mod xiangqi;
pub mod xiangqi_board;
