//! What shogi says of itself.

use crate::game::{About, BoardFamily};

/// Shogi.
pub const ABOUT: About = About {
    name: "shogi",
    aliases: &[],
    title: "shogi",
    sides: ["black", "white"],
    program: "nguky-usi",
    program_protocol: "usi",
    protocol: "usi",
    shows: |_| false,
    board: BoardFamily::Shogi,
    letters: "KRBGSNLPkrbgsnlp",
    glyphs: "玉飛角金銀桂香歩玉飛角金銀桂香歩",
    promoted: " 龍馬 全圭杏と 龍馬 全圭杏と",
    covered: "",
    by_value: "RBGSNLP",
    levels: super::levels::LEVELS,
    handicaps: super::handicaps::HANDICAPS,
};
