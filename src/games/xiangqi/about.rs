//! What xiangqi says of itself.

use crate::game::{About, BoardFamily};

/// Xiangqi.
pub const ABOUT: About = About {
    name: "xiangqi",
    aliases: &[],
    title: "xiangqi",
    sides: ["red", "black"],
    program: "nguky-ucci",
    program_protocol: "ucci",
    // More of its engines speak UCI than UCCI.
    protocol: "uci",
    shows: |_| false,
    board: BoardFamily::Xiangqi,
    letters: "KABNRCPkabnrcp",
    glyphs: "帥仕相傌俥炮兵將士象馬車砲卒",
    promoted: "",
    covered: "",
    by_value: "RCNBAP",
    levels: super::levels::LEVELS,
    handicaps: super::handicaps::HANDICAPS,
};
