//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 450),
    Level::new(1200, 50, 9, 270),
    Level::new(1400, 133, 6, 153),
    Level::new(1600, 430, 4, 82),
    Level::new(1800, 1_040, 3, 49),
    Level::new(2000, 1_900, 3, 34),
    Level::new(2200, 2_950, 3, 25),
    Level::new(2400, 4_000, 2, 20),
    Level::new(2600, 6_800, 2, 13),
    Level::new(2800, 13_000, 2, 4),
    Level::new(3000, 23_500, 1, 0),
];
