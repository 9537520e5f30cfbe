//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 500),
    Level::new(1200, 97, 7, 182),
    Level::new(1400, 275, 5, 105),
    Level::new(1600, 730, 4, 62),
    Level::new(1800, 1_240, 3, 46),
    Level::new(2000, 2_800, 2, 28),
    Level::new(2200, 10_000, 1, 0),
    Level::new(2400, 250_000, 1, 0),
];
