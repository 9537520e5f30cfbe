//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 105, 5, 165),
    Level::new(1200, 290, 4, 121),
    Level::new(1400, 600, 3, 88),
    Level::new(1600, 1_150, 3, 66),
    Level::new(1800, 2_100, 3, 50),
    Level::new(2000, 3_450, 3, 39),
    Level::new(2200, 5_300, 3, 32),
    Level::new(2400, 8_200, 2, 24),
    Level::new(2600, 12_500, 2, 15),
    Level::new(2800, 27_000, 1, 0),
    Level::new(3000, 70_000, 1, 0),
    Level::new(3200, 340_000, 1, 0),
];
