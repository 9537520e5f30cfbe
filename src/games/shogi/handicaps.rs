//! Starts in which one side does without pieces.

use crate::game::{Handicap, Side};

/// The usual handicaps: white (上手) does without the pieces and moves first.
pub const HANDICAPS: &[Handicap] = &[
    Handicap::new(
        "lance",
        &["香落ち"],
        Side::Second,
        "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "right-lance",
        &["右香落ち"],
        Side::Second,
        "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "bishop",
        &["角落ち"],
        Side::Second,
        "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "rook",
        &["飛車落ち", "飛落ち"],
        Side::Second,
        "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "rook-and-lance",
        &["飛香落ち"],
        Side::Second,
        "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "two-piece",
        &["二枚落ち"],
        Side::Second,
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "three-piece",
        &["三枚落ち"],
        Side::Second,
        "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "four-piece",
        &["四枚落ち"],
        Side::Second,
        "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "five-piece",
        &["五枚落ち"],
        Side::Second,
        "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "left-five-piece",
        &["左五枚落ち"],
        Side::Second,
        "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "six-piece",
        &["六枚落ち"],
        Side::Second,
        "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "seven-piece",
        &["七枚落ち"],
        Side::Second,
        "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "left-seven-piece",
        &["左七枚落ち"],
        Side::Second,
        "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "eight-piece",
        &["八枚落ち"],
        Side::Second,
        "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    Handicap::new(
        "ten-piece",
        &["十枚落ち"],
        Side::Second,
        "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
];
