//! Bitboards and the attack tables of sliding pieces.

mod bb128;
pub mod bb64;
#[cfg(any(not(fast_pext), test))]
mod magics;
pub mod rays;
pub mod sliders;

pub use bb128::Bb128;
