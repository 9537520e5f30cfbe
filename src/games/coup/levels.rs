//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 500),
    Level::new(1200, 64, 8, 213),
    Level::new(1400, 320, 5, 94),
    Level::new(1600, 640, 4, 66),
    Level::new(1800, 1_500, 3, 40),
    Level::new(2000, 4_600, 2, 18),
    Level::new(2200, 19_000, 1, 0),
    Level::new(2400, 140_000, 1, 0),
];
