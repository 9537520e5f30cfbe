//! Go's own half of the workbench: records of games with what was judged of their positions, and how they are made.

pub mod datagen;
pub mod record;
