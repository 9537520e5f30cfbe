//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 450),
    Level::new(1370, 60, 8, 220),
    Level::new(1520, 120, 6, 150),
    Level::new(1600, 250, 5, 105),
    Level::new(1760, 500, 4, 75),
    Level::new(2010, 1_000, 3, 50),
    Level::new(2440, 2_200, 3, 30),
    Level::new(2720, 3_600, 2, 22),
    Level::new(2950, 6_000, 2, 14),
    Level::new(3300, 20_000, 1, 0),
];
