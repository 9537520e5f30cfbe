//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 150, 5, 150),
    Level::new(1200, 400, 4, 107),
    Level::new(1400, 730, 3, 79),
    Level::new(1600, 1_380, 3, 60),
    Level::new(1800, 2_450, 3, 46),
    Level::new(2000, 3_850, 3, 37),
    Level::new(2200, 5_800, 3, 31),
    Level::new(2400, 8_900, 2, 22),
    Level::new(2600, 13_500, 2, 14),
    Level::new(2800, 33_000, 1, 0),
    Level::new(3000, 75_000, 1, 0),
    Level::new(3200, 400_000, 1, 0),
];
