//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 700),
    Level::new(1200, 37, 10, 470),
    Level::new(1400, 84, 7, 267),
    Level::new(1600, 275, 5, 145),
    Level::new(1800, 720, 3, 85),
    Level::new(2000, 1_500, 3, 53),
    Level::new(2200, 2_500, 2, 38),
    Level::new(2400, 3_850, 2, 29),
    Level::new(2600, 6_350, 2, 19),
    Level::new(2800, 9_500, 2, 12),
    Level::new(3000, 14_000, 1, 1),
    Level::new(3200, 20_500, 1, 0),
];
