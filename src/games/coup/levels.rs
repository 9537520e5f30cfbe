//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 500),
    Level::new(1220, 60, 8, 220),
    Level::new(1310, 120, 6, 150),
    Level::new(1430, 250, 5, 105),
    Level::new(1650, 500, 4, 75),
    Level::new(1820, 1_000, 3, 50),
    Level::new(1900, 2_200, 3, 30),
    Level::new(2040, 6_000, 2, 14),
    Level::new(2200, 20_000, 1, 0),
    Level::new(2350, 80_000, 1, 0),
];
