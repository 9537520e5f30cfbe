//! What chess says of itself.

use crate::game::{About, BoardFamily};

/// Chess.
pub const ABOUT: About = About {
    name: "chess",
    aliases: &[],
    title: "chess",
    sides: ["white", "black"],
    program: "nguky-uci",
    program_protocol: "uci",
    protocol: "uci",
    shows: |_| false,
    board: BoardFamily::Chess,
    letters: "KQRBNPkqrbnp",
    // Full figures for both sides, which the colour tells apart: outlines are thin and, on a dark ground, look black.
    glyphs: "♚♛♜♝♞♟♚♛♜♝♞♟",
    promoted: "",
    covered: "",
    by_value: "QRNBP",
    levels: super::levels::LEVELS,
    handicaps: super::handicaps::HANDICAPS,
};
