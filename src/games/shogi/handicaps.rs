//! Starts in which one side does without pieces.

use crate::game::{Handicap, Side};

const fn row(name: &'static str, native: &'static [&'static str], side: Side, setup: &'static str) -> Handicap {
    Handicap {
        name,
        native,
        side,
        setup,
    }
}

/// The usual handicaps: white (上手) does without the pieces and moves first.
pub const HANDICAPS: &[Handicap] = &[
    row(
        "lance",
        &["香落ち"],
        Side::Second,
        "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "right-lance",
        &["右香落ち"],
        Side::Second,
        "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "bishop",
        &["角落ち"],
        Side::Second,
        "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "rook",
        &["飛車落ち", "飛落ち"],
        Side::Second,
        "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "rook-and-lance",
        &["飛香落ち"],
        Side::Second,
        "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "two-piece",
        &["二枚落ち"],
        Side::Second,
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "three-piece",
        &["三枚落ち"],
        Side::Second,
        "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "four-piece",
        &["四枚落ち"],
        Side::Second,
        "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "five-piece",
        &["五枚落ち"],
        Side::Second,
        "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "left-five-piece",
        &["左五枚落ち"],
        Side::Second,
        "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "six-piece",
        &["六枚落ち"],
        Side::Second,
        "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "seven-piece",
        &["七枚落ち"],
        Side::Second,
        "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "left-seven-piece",
        &["左七枚落ち"],
        Side::Second,
        "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "eight-piece",
        &["八枚落ち"],
        Side::Second,
        "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    row(
        "ten-piece",
        &["十枚落ち"],
        Side::Second,
        "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
];
