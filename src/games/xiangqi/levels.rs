//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 450),
    Level::new(1200, 48, 9, 280),
    Level::new(1400, 120, 6, 165),
    Level::new(1600, 360, 4, 93),
    Level::new(1800, 860, 3, 56),
    Level::new(2000, 1_620, 3, 38),
    Level::new(2200, 2_570, 3, 28),
    Level::new(2400, 3_580, 2, 22),
    Level::new(2600, 5_450, 2, 16),
    Level::new(2800, 9_600, 2, 8),
    Level::new(3000, 16_500, 1, 0),
];
