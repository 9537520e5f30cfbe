//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 150, 5, 150),
    Level::new(1350, 800, 3, 75),
    Level::new(1700, 2_200, 3, 48),
    Level::new(2050, 19_000, 2, 8),
    Level::new(2400, 70_000, 1, 0),
    Level::new(2750, 150_000, 1, 0),
    Level::new(2850, 300_000, 1, 0),
];
