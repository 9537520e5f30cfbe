//! The time systems of GTP and its servers, turned into limits.

use crate::control::{Limits, TimeControl};
use crate::game::{BadInput, Side};
use std::time::Duration;

/// How the clocks run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum TimeSystem {
    /// No time settings yet: the engine takes its usual time.
    #[default]
    Unset,
    /// No limit.
    Unlimited,
    /// A main time and no more.
    Absolute(Duration),
    /// After the main time, so many stones in each period.
    Canadian(Duration, Duration, u32),
    /// After the main time, so many periods, each lasting as long as a move stays within it.
    Byoyomi(Duration, Duration, u32),
    /// A main time and an increment for each move.
    Fischer(Duration, Duration),
    /// The same with the most that the clock may show and the most that a move may take, where there are such limits.
    FischerCapped(Duration, Duration, Option<Duration>, Option<Duration>),
}

/// What is left of one side's time.
#[derive(Clone, Copy, Debug, Default)]
struct TimeLeft {
    time: Duration,
    /// Stones (or periods) left in overtime; 0 in main time.
    stones: u32,
}

/// Both sides' clocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    system: TimeSystem,
    left: [TimeLeft; 2],
}

/// Longest time accepted, in seconds: about a century.
const LONGEST: f64 = 3.2e9;

/// Seconds as a duration; negative and absurd ones are refused.
pub fn seconds(text: &str) -> Result<Duration, BadInput> {
    match text.parse::<f64>() {
        Ok(s) if (0.0..=LONGEST).contains(&s) => Ok(Duration::from_secs_f64(s)),
        _ => Err(BadInput::new(format!("time {text:?} is no number of seconds"))),
    }
}

/// Seconds, where a negative number means no limit.
pub fn cap(text: &str) -> Result<Option<Duration>, BadInput> {
    match text.parse::<f64>() {
        Ok(s) if (-LONGEST..0.0).contains(&s) => Ok(None),
        _ => seconds(text).map(Some),
    }
}

/// A count of stones or periods.
pub fn count(text: &str) -> Result<u32, BadInput> {
    match text.parse::<u32>() {
        Ok(n) if n <= 1_000_000 => Ok(n),
        _ => Err(BadInput::new(format!("{text:?} is no count"))),
    }
}

impl Clock {
    /// Starts both clocks by a system.
    pub fn set(&mut self, system: TimeSystem) {
        self.system = system;
        let left = match system {
            TimeSystem::Unset | TimeSystem::Unlimited => TimeLeft::default(),
            TimeSystem::Absolute(time) | TimeSystem::Fischer(time, _) | TimeSystem::FischerCapped(time, ..) => {
                TimeLeft { time, stones: 0 }
            }
            TimeSystem::Canadian(main, period, n) | TimeSystem::Byoyomi(main, period, n) if main.is_zero() => {
                TimeLeft {
                    time: period,
                    stones: n,
                }
            }
            TimeSystem::Canadian(time, ..) | TimeSystem::Byoyomi(time, ..) => TimeLeft { time, stones: 0 },
        };
        self.left = [left; 2];
    }

    /// The plain command's three numbers: main time, overtime, stones in it.
    pub fn set_canadian(&mut self, main: Duration, period: Duration, stones: u32) {
        self.set(match (period.is_zero(), stones) {
            // Overtime without stones means no limit.
            (false, 0) => TimeSystem::Unlimited,
            (true, _) => TimeSystem::Absolute(main),
            _ => TimeSystem::Canadian(main, period, stones),
        });
    }

    /// Sets what is left of a side's time, as a server has it.
    pub fn set_left(&mut self, side: Side, time: Duration, stones: u32) {
        if self.system == TimeSystem::Unset {
            // Some servers send `time_left` alone: an absolute clock is the safe reading.
            self.system = TimeSystem::Absolute(time);
        }
        if let Some(left) = self.left.get_mut(side.index()) {
            *left = TimeLeft { time, stones };
        }
    }

    /// A move took this long; servers that send the time themselves correct it before the next.
    pub fn spend(&mut self, side: Side, used: Duration) {
        let Some(left) = self.left.get_mut(side.index()) else {
            return;
        };
        let rest = left.time.saturating_sub(used);
        match self.system {
            TimeSystem::Unset | TimeSystem::Unlimited => {}
            TimeSystem::Absolute(_) => left.time = rest,
            TimeSystem::Fischer(_, increment) => left.time = rest + increment,
            TimeSystem::FischerCapped(_, increment, most, _) => {
                let time = rest + increment;
                left.time = most.map_or(time, |most| time.min(most));
            }
            TimeSystem::Canadian(_, period, n) => {
                left.time = rest;
                if left.stones > 1 {
                    left.stones -= 1;
                } else if left.stones == 1 || rest.is_zero() {
                    *left = TimeLeft {
                        time: period,
                        stones: n,
                    };
                }
            }
            TimeSystem::Byoyomi(_, period, n) => {
                if left.stones > 0 {
                    left.time = period;
                } else if rest.is_zero() {
                    *left = TimeLeft {
                        time: period,
                        stones: n.max(1),
                    };
                } else {
                    left.time = rest;
                }
            }
        }
    }

    /// The limits of a side's next move.
    pub fn limits(&self, side: Side) -> Limits {
        let left = self.left.get(side.index()).copied().unwrap_or_default();
        let time = match self.system {
            TimeSystem::Unset | TimeSystem::Unlimited => TimeControl::None,
            TimeSystem::Absolute(_) => TimeControl::Fischer {
                main: left.time,
                increment: Duration::ZERO,
                moves_to_go: None,
            },
            TimeSystem::Fischer(_, increment) | TimeSystem::FischerCapped(_, increment, ..) => TimeControl::Fischer {
                main: left.time,
                increment,
                moves_to_go: None,
            },
            TimeSystem::Canadian(_, period, stones) => {
                let over = left.stones > 0;
                TimeControl::Byoyomi {
                    main: if over { Duration::ZERO } else { left.time },
                    period: if over { left.time } else { period },
                    stones: if over { left.stones } else { stones },
                }
            }
            TimeSystem::Byoyomi(_, period, _) => {
                let over = left.stones > 0;
                TimeControl::Byoyomi {
                    main: if over { Duration::ZERO } else { left.time },
                    period: if over { left.time } else { period },
                    stones: 1,
                }
            }
        };
        let move_cap = match self.system {
            TimeSystem::FischerCapped(.., cap) => cap,
            _ => None,
        };
        Limits {
            time,
            move_cap,
            ..Limits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn a_capped_clock_keeps_its_caps() {
        let mut clock = Clock::default();
        clock.set(TimeSystem::FischerCapped(s(50), s(20), Some(s(60)), Some(s(10))));
        let main = |clock: &Clock| match clock.limits(Side::First).time {
            TimeControl::Fischer { main, .. } => main,
            other => panic!("{other:?}"),
        };
        assert_eq!((main(&clock), clock.limits(Side::First).move_cap), (s(50), Some(s(10))));
        clock.spend(Side::First, s(5));
        assert_eq!(main(&clock), s(60));
        clock.set(TimeSystem::FischerCapped(s(50), s(20), None, None));
        clock.spend(Side::First, s(5));
        assert_eq!((main(&clock), clock.limits(Side::First).move_cap), (s(65), None));
    }

    #[test]
    fn caps_may_be_negative_for_none() {
        assert!(matches!(cap("-1"), Ok(None)));
        assert!(matches!(cap("2.5"), Ok(Some(d)) if d == Duration::from_millis(2500)));
        for bad in ["", "x", "nan", "-inf", "1e99"] {
            assert!(cap(bad).is_err(), "{bad}");
        }
    }
}
