//! Limits, clock, stop signals, reports, options and the engine trait: what every search shares, whatever the game.

pub mod clock;
pub mod engine;
pub mod lag;
pub mod limits;
pub mod options;
pub mod pool;
pub mod report;
pub mod signal;
pub mod strength;

pub use engine::{Engine, Known};
pub use lag::Lag;
pub use limits::{Limits, TimeControl, TimeOptions};
pub use options::{Opt, Options, Value};
pub use pool::Pool;
pub use report::{Bound, Choice, Info, Outlook, Proof, Report, Sink};
pub use signal::Signal;
pub use strength::{HUMAN_PACE, LimitedStrength, human_pace};
