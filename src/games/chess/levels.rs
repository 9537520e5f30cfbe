//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 150, 5, 150),
    Level::new(1200, 400, 4, 107),
    Level::new(1400, 730, 3, 79),
    Level::new(1600, 1_380, 3, 60),
    Level::new(1800, 2_450, 3, 46),
    Level::new(2000, 4_100, 3, 36),
    Level::new(2200, 6_600, 3, 28),
    Level::new(2400, 10_500, 2, 18),
    Level::new(2600, 17_000, 2, 10),
    Level::new(2800, 40_000, 1, 0),
    Level::new(3000, 75_000, 1, 0),
    Level::new(3200, 400_000, 1, 0),
];
