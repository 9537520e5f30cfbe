//! Limits, clock, stop signals, reports and options: what every search shares, whatever the game.

pub mod clock;
pub mod limits;
pub mod options;
pub mod pool;
pub mod report;
pub mod signal;

pub use limits::{Limits, Manner, TimeControl};
pub use options::{Opt, Options, Value};
pub use pool::Pool;
pub use report::{Bound, Choice, Info, Outlook, Proof, Report, Sink};
pub use signal::Signal;
