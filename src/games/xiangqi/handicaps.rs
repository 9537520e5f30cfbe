//! Starts in which one side does without pieces.

use crate::game::{Handicap, Side};

/// The usual odds: red does without the pieces and moves first.
pub const HANDICAPS: &[Handicap] = &[
    Handicap::new(
        "horse",
        &["让单马", "讓單馬"],
        Side::First,
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/R1BAKABNR w - - 0 1",
    ),
    Handicap::new(
        "two-horses",
        &["让双马", "讓雙馬"],
        Side::First,
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/R1BAKAB1R w - - 0 1",
    ),
    Handicap::new(
        "chariot",
        &["让单车", "讓單車"],
        Side::First,
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/1NBAKABNR w - - 0 1",
    ),
    Handicap::new(
        "chariot-and-horse",
        &["让车马", "讓車馬"],
        Side::First,
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/1NBAKAB1R w - - 0 1",
    ),
    Handicap::new(
        "two-chariots",
        &["让双车", "讓雙車"],
        Side::First,
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/1NBAKABN1 w - - 0 1",
    ),
];
