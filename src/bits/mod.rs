//! Bitboards and the attack tables of sliding pieces.

mod bb128;

pub use bb128::Bb128;
