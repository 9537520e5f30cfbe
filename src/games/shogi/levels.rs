//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 700),
    Level::new(1200, 37, 10, 470),
    Level::new(1400, 84, 7, 267),
    Level::new(1600, 386, 4, 122),
    Level::new(1800, 1_000, 3, 70),
    Level::new(2000, 2_100, 3, 43),
    Level::new(2200, 3_000, 2, 34),
    Level::new(2400, 4_900, 2, 24),
    Level::new(2600, 7_500, 2, 16),
    Level::new(2800, 10_500, 2, 10),
    Level::new(3000, 14_000, 1, 1),
    Level::new(3200, 20_500, 1, 0),
];
