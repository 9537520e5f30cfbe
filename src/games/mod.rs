//! The games. Each folder is one game: rules, setup text, piece values. None knows another's search or protocol.
//! `xiangqi_board` is no game but the board that xiangqi and cờ úp share. Each is compiled with the feature of its name, cờ úp
//! with that of xiangqi.
#[cfg(feature = "chess")]
pub mod chess;
#[cfg(feature = "xiangqi")]
pub mod coup;
#[cfg(feature = "go")]
pub mod go;
#[cfg(feature = "shogi")]
pub mod shogi;
#[cfg(feature = "xiangqi")]
pub mod xiangqi;
#[cfg(feature = "xiangqi")]
pub mod xiangqi_board;
