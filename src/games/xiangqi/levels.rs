//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 450),
    Level::new(1200, 45, 9, 285),
    Level::new(1400, 90, 7, 180),
    Level::new(1600, 290, 5, 98),
    Level::new(1800, 1_000, 3, 50),
    Level::new(2000, 1_800, 3, 35),
    Level::new(2200, 2_800, 3, 26),
    Level::new(2400, 4_300, 2, 19),
    Level::new(2600, 8_600, 2, 10),
    Level::new(2800, 17_000, 1, 0),
    Level::new(3000, 45_000, 1, 0),
];
