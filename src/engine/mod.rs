//! The alpha-beta engines: [`crate::control::Engine`] for any game of the contract, and several games behind one engine.

mod alphabeta;
mod prove;
mod settings;
mod variants;

pub use alphabeta::AlphaBeta;
pub use variants::{Variant, Variants};

use crate::control::{Bound, Info, Outlook};
use crate::eval::nnue::Kernel;
use std::time::Duration;

/// Which kernels run on this processor: `sliders: PEXT; network: AVX-512 VNNI; go's network: AVX2 FMA`.
pub fn kernels() -> String {
    let sliders = if cfg!(fast_pext) { "PEXT" } else { "magic" };
    let text = format!("sliders: {sliders}; network: {}", Kernel::best().name());
    #[cfg(feature = "go")]
    let text = format!("{text}; go's network: {}", crate::eval::conv::Simd::best().name());
    text
}

/// The line of analysis of a position without a move.
fn empty_info(outlook: Outlook) -> Info {
    Info {
        depth: 0,
        seldepth: 0,
        multipv: 1,
        outlook,
        bound: Bound::Exact,
        wdl: match outlook {
            Outlook::Mate(_) => [0, 0, 1000],
            Outlook::Centipawns(cp) if cp > 0 => [1000, 0, 0],
            Outlook::Centipawns(_) => [0, 1000, 0],
        },
        nodes: 0,
        hashfull: 0,
        tbhits: 0,
        time: Duration::ZERO,
        pv: Vec::new(),
    }
}
