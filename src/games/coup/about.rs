//! What cờ úp says of itself.

use crate::game::{About, BoardFamily};

/// Cờ úp.
pub const ABOUT: About = About {
    name: "coup",
    aliases: &["jieqi"],
    title: "cờ úp",
    sides: ["red", "black"],
    program: "nguky-ucci",
    // UCCI has no word for the game.
    program_protocol: "uci",
    protocol: "uci",
    shows: |setup| setup.split(' ').next().is_some_and(|board| board.contains(['x', 'X'])),
    board: BoardFamily::Xiangqi,
    letters: "KABNRCPXkabnrcpx",
    glyphs: "帥仕相傌俥炮兵暗將士象馬車砲卒暗",
    promoted: "",
    covered: "Xx",
    by_value: "RCNABPX",
    levels: super::levels::LEVELS,
    handicaps: &[],
};
