//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 700),
    Level::new(1200, 38, 10, 464),
    Level::new(1400, 89, 7, 254),
    Level::new(1600, 450, 4, 108),
    Level::new(1800, 1_150, 3, 65),
    Level::new(2000, 2_350, 3, 39),
    Level::new(2200, 3_200, 2, 32),
    Level::new(2400, 5_600, 2, 21),
    Level::new(2600, 8_300, 2, 14),
    Level::new(2800, 11_500, 2, 8),
    Level::new(3000, 14_500, 1, 0),
    Level::new(3200, 24_500, 1, 0),
];
