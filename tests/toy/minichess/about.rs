//! What minichess says of itself.

use nguky::game::{About, BoardFamily};

/// Minichess.
pub const ABOUT: About = About {
    name: "minichess",
    aliases: &["gardner"],
    title: "minichess",
    sides: ["white", "black"],
    program: "nguky-uci",
    program_protocol: "uci",
    protocol: "uci",
    shows: |setup| {
        setup
            .split(' ')
            .next()
            .is_some_and(|board| board.split('/').count() == 5)
    },
    board: BoardFamily::Chess,
    letters: "PNBRQKpnbrqk",
    glyphs: "♟♞♝♜♛♚♟♞♝♜♛♚",
    promoted: "",
    covered: "",
    by_value: "QRBNP",
    levels: &[],
    handicaps: &[],
};
