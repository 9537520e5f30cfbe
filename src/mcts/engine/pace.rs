//! How long one search goes on: as long as its answer may change, within the time planned for the move.

use crate::control::clock::Budget;
use std::time::Duration;

/// Longest search in multiples of the optimum time, where the move is in doubt.
const IN_DOUBT: f64 = 2.0;
/// The same where it is not.
const SETTLED: f64 = 1.2;
/// Shorter searches say nothing of the speed.
const LEAST: Duration = Duration::from_millis(50);

/// How the root's moves stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// Visits of the move that would be played now.
    pub(super) first: u32,
    /// The most visits of another move.
    pub(super) second: u32,
    /// Whether the first has turned out clearly worse than the position was thought to be.
    pub(super) has_dropped: bool,
}

/// Whether one more playout may pass the maximum time; the thread that asks has made `own` of them in the time `used`.
pub(super) fn at_limit(budget: &Budget, used: Duration, own: u32) -> bool {
    used + used.checked_div(own).unwrap_or_default() >= budget.hard
}

/// Whether a search of `done` playouts in the time `used` may end before the maximum time.
pub(super) fn is_enough(budget: &Budget, used: Duration, done: u64, standing: &Standing) -> bool {
    // What the move does not use of the least time is lost, and more visits now serve the next search too.
    if used < budget.floor {
        return false;
    }
    let (first, second) = (i64::from(standing.first), i64::from(standing.second));
    if used >= budget.soft {
        // More time only where the second is close behind, or where the best move's value has dropped.
        let in_doubt = second * 10 >= first * 8 || standing.has_dropped;
        return used >= budget.soft.mul_f64(IN_DOUBT) || !in_doubt;
    }
    // Over when the second cannot overtake the first in the rest of the time.
    let rest = budget.hard.min(budget.soft.mul_f64(SETTLED)).saturating_sub(used);
    let speed = done as f64 / used.as_secs_f64().max(0.001);
    used > LEAST && (first - second) as f64 > speed * rest.as_secs_f64() * 1.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::clock::{TimeManagement, plan};
    use crate::control::{Limits, TimeControl};

    const OPEN: Standing = Standing {
        first: 510,
        second: 490,
        has_dropped: false,
    };

    fn seconds(s: f64) -> Duration {
        Duration::from_secs_f64(s)
    }

    fn budget(time: TimeControl) -> Budget {
        let limits = Limits {
            time,
            ..Limits::default()
        };
        plan(&limits, seconds(0.05), TimeManagement::over(40)).expect("a clock gives a budget")
    }

    /// Seconds that a search of a thousand playouts a second takes, whose visits go to two moves: `share` to the first.
    fn used(budget: &Budget, share: f64) -> f64 {
        let mut ms = 0;
        loop {
            ms += 1;
            let first = (f64::from(ms) * share) as u32;
            let standing = Standing {
                first,
                second: ms - first,
                has_dropped: false,
            };
            let time = Duration::from_millis(ms.into());
            if at_limit(budget, time, ms) || is_enough(budget, time, ms.into(), &standing) {
                return time.as_secs_f64();
            }
        }
    }

    fn byoyomi(main: f64, period: f64, stones: u32) -> TimeControl {
        TimeControl::Byoyomi {
            main: seconds(main),
            period: seconds(period),
            stones,
        }
    }

    #[test]
    fn a_period_is_used_up() {
        let budget = budget(byoyomi(0.0, 1.0, 1));
        for share in [0.5, 0.6, 0.8, 1.0] {
            let used = used(&budget, share);
            assert!((0.9..0.96).contains(&used), "{share}: {used}");
        }
    }

    #[test]
    fn a_settled_move_saves_time_that_is_not_lost() {
        let fischer = TimeControl::Fischer {
            main: seconds(60.0),
            increment: seconds(1.0),
            moves_to_go: None,
        };
        for time in [fischer, byoyomi(0.0, 50.0, 25)] {
            let budget = budget(time);
            let (open, settled) = (used(&budget, 0.55), used(&budget, 1.0));
            assert!(settled < 0.7 * budget.soft.as_secs_f64(), "{time:?}: {settled}");
            assert!(open > budget.soft.as_secs_f64(), "{time:?}: {open}");
            assert!(open <= budget.hard.as_secs_f64(), "{time:?}: {open}");
        }
    }

    #[test]
    fn doubt_takes_more_than_the_optimum() {
        let budget = Budget {
            soft: seconds(1.0),
            hard: seconds(4.0),
            floor: Duration::ZERO,
        };
        let dropped = Standing {
            first: 900,
            second: 100,
            has_dropped: true,
        };
        for standing in [OPEN, dropped] {
            assert!(!is_enough(&budget, seconds(1.5), 1500, &standing), "{standing:?}");
            assert!(is_enough(&budget, seconds(2.1), 2100, &standing), "{standing:?}");
        }
        assert!(is_enough(
            &budget,
            seconds(1.0),
            1000,
            &Standing {
                has_dropped: false,
                ..dropped
            }
        ));
    }
}
