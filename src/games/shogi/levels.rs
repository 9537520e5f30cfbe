//! Levels of strength.

use crate::game::Level;

/// Strength, nodes, best lines, spread; measured as `docs/strength.md` tells.
pub const LEVELS: &[Level] = &[
    Level::new(1000, 20, 12, 700),
    Level::new(1310, 60, 8, 300),
    Level::new(1470, 120, 6, 220),
    Level::new(1600, 250, 5, 150),
    Level::new(1720, 500, 4, 100),
    Level::new(1930, 1_000, 3, 70),
    Level::new(2180, 2_200, 3, 40),
    Level::new(2540, 3_500, 2, 30),
    Level::new(2820, 6_000, 2, 20),
    Level::new(3170, 20_000, 1, 0),
];
