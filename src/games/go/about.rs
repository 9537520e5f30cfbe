//! What go says of itself.

use crate::game::{About, BoardFamily};

/// Go.
pub const ABOUT: About = About {
    name: "go",
    aliases: &[],
    title: "go",
    sides: ["black", "white"],
    program: "nguky-gtp",
    program_protocol: "gtp",
    protocol: "gtp",
    shows: |_| false,
    board: BoardFamily::Go,
    letters: "",
    glyphs: "",
    promoted: "",
    covered: "",
    by_value: "",
    levels: super::levels::LARGE,
    handicaps: &[],
};
