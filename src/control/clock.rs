//! How much of the clock one move may use.

use super::limits::{Limits, TimeControl, TimeOptions};
use std::time::Duration;

/// The time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The optimum time: scaled by how stable the best move is; no iteration starts beyond it.
    pub soft: Duration,
    /// The maximum time: the search is stopped here.
    pub hard: Duration,
    /// The least time, however stable the best move: what is left of a byoyomi period is lost.
    pub floor: Duration,
}

impl Budget {
    /// The same plan with a user's settings; `all` is the time until the flag falls.
    fn with_options(self, time_options: TimeOptions, all: Duration) -> Self {
        // A short period is not eaten whole by the reserve.
        let most = all.saturating_sub(time_options.reserve.min(all / 4));
        let hard = self.hard.max(time_options.least).min(most);
        Self {
            soft: (self.soft * time_options.percent / 100)
                .max(time_options.least)
                .min(hard),
            hard,
            floor: self.floor.max(time_options.least).min(hard),
        }
    }
}

/// What is known of the game when a move is planned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Moves that the side to move has made.
    pub moves: usize,
    /// What a move was seen to cost beside its search ([`super::lag`]).
    pub lag: Option<Duration>,
}

/// How a clock is shared out.
#[derive(Clone, Copy, Debug)]
pub struct TimeManagement {
    /// Moves that the clock is shared over at the game's beginning.
    pub horizon: u32,
    /// The same from move 40 on, where an increment keeps the clock from running out; in between it changes evenly.
    pub horizon_late: u32,
    /// Part of the increments to come that is planned with, in percent: with a quarter of them saved, a clock that
    /// lives on increments settles well above zero.
    pub increments: u32,
    /// The maximum time, in percent of the optimum.
    pub hard: u32,
    /// Most that one move may use of the clock, in percent.
    pub limit: u32,
    /// What is known of the game.
    pub progress: Progress,
}

impl TimeManagement {
    /// The usual shares, over so many moves.
    pub const fn over(horizon: u32) -> Self {
        Self {
            horizon,
            horizon_late: horizon,
            increments: 75,
            hard: 400,
            limit: 50,
            progress: Progress { moves: 0, lag: None },
        }
    }

    /// The horizon after so many moves.
    fn horizon_at(self, moves: usize) -> u32 {
        /// The move from which on the late horizon holds.
        const LATE: u32 = 40;
        let moves = (moves as u32).min(LATE);
        (self.horizon * (LATE - moves) + self.horizon_late * moves) / LATE
    }
}

/// The most that is kept back beside the overhead, for a machine that stalls while the clock is nearly empty.
const MOST_RESERVE: Duration = Duration::from_millis(100);

/// Plans one move. `overhead` is what may be lost between the engine's answer and the opponent's clock: so much is kept
/// back from this move, and from each later one while no smaller lag is known. `None` when there is no clock.
pub fn plan(limits: &Limits, overhead: Duration, manage: TimeManagement) -> Option<Budget> {
    let time_options = limits.time_options;
    let overhead = time_options.overhead.unwrap_or(overhead);
    let (budget, all) = match limits.time {
        TimeControl::None => return limits.move_cap.map(|cap| fixed(cap, overhead)),
        TimeControl::MoveTime(time) => return Some(fixed(time, overhead)),
        TimeControl::Fischer {
            main,
            increment,
            moves_to_go,
        } => (fischer(main, increment, moves_to_go, overhead, manage), main),
        TimeControl::Byoyomi { main, period, stones } if stones > 1 => {
            // What a move saves of the period is there for the others of it.
            let own = fischer(main, Duration::ZERO, None, overhead, manage);
            let shared = fischer(period, Duration::ZERO, Some(stones), overhead, manage);
            let budget = Budget {
                soft: own.soft + shared.soft,
                hard: own.hard.min(main.saturating_sub(overhead)) + shared.hard,
                floor: Duration::ZERO,
            };
            (budget, main + period)
        }
        TimeControl::Byoyomi { main, period, stones } => {
            let each = period / stones.max(1);
            let own = fischer(main, Duration::ZERO, None, overhead, manage);
            let base = each.saturating_sub(overhead.min(each / 2));
            let budget = Budget {
                soft: own.soft + base,
                hard: own.hard.min(main.saturating_sub(overhead)) + base,
                floor: base,
            };
            (budget, main + each)
        }
    };
    let budget = budget.with_options(time_options, all);
    Some(match limits.move_cap {
        Some(cap) => {
            let cap = cap.saturating_sub(overhead);
            Budget {
                soft: budget.soft.min(cap),
                hard: budget.hard.min(cap),
                floor: budget.floor.min(cap),
            }
        }
        None => budget,
    })
}

fn fixed(time: Duration, overhead: Duration) -> Budget {
    // A short move time is not eaten whole by the overhead.
    let all = time.saturating_sub(overhead.min(time / 4));
    Budget {
        soft: all,
        hard: all,
        floor: Duration::ZERO,
    }
}

fn fischer(
    main: Duration,
    increment: Duration,
    moves_to_go: Option<u32>,
    overhead: Duration,
    manage: TimeManagement,
) -> Budget {
    let percent = |n: u32| f64::from(n) / 100.0;
    let horizon = if moves_to_go.is_none() && increment > overhead {
        manage.horizon_at(manage.progress.moves)
    } else {
        manage.horizon
    };
    // More than this is never at hand, even with an increment to come: what the overhead leaves, less a reserve, but a
    // quarter of it where that would leave nothing.
    let spare = main.saturating_sub(overhead);
    let usable = spare
        .saturating_sub((3 * overhead).min(MOST_RESERVE))
        .max(spare / 4)
        .as_secs_f64();
    let moves = moves_to_go.map_or(f64::from(horizon), |n| f64::from(n.clamp(1, horizon)) + 0.5);
    // Clocks in whole seconds show more lag than there is, so it never counts for more than the overhead.
    let lag = manage
        .progress
        .lag
        .map_or(overhead, |lag| lag.min(overhead))
        .as_secs_f64();
    let (increment, overhead) = (increment.as_secs_f64(), overhead.as_secs_f64());
    // What all these moves may cost together, each of them losing the lag (the form of Stockfish's formula).
    let pool =
        main.as_secs_f64() + percent(manage.increments) * increment * (moves - 1.0) - overhead * 2.0 - lag * moves;
    let share = (pool / moves).max(usable / (2.0 * moves));
    let most = match moves_to_go {
        Some(1) => 0.9 * usable,
        _ => percent(manage.limit) * usable,
    };
    Budget {
        soft: Duration::from_secs_f64(share.min(most)),
        hard: Duration::from_secs_f64((percent(manage.hard) * share).min(most)),
        floor: Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(main: u64, inc: u64, to_go: Option<u32>) -> Budget {
        shared(main, inc, to_go, TimeManagement::over(24))
    }

    fn shared(main: u64, inc: u64, to_go: Option<u32>, manage: TimeManagement) -> Budget {
        let time = TimeControl::Fischer {
            main: Duration::from_millis(main),
            increment: Duration::from_millis(inc),
            moves_to_go: to_go,
        };
        plan(
            &Limits {
                time,
                ..Limits::default()
            },
            Duration::from_millis(10),
            manage,
        )
        .expect("a clock gives a budget")
    }

    #[test]
    fn no_budget_passes_the_flag() {
        for main in [0, 1, 5, 11, 50, 1000, 60_000, 10_000_000] {
            for inc in [0, 10, 1000] {
                for to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(500)] {
                    let b = budget(main, inc, to_go);
                    assert!(b.soft <= b.hard, "{main}+{inc} {to_go:?}: {b:?}");
                    assert!(
                        b.hard <= Duration::from_millis(main.saturating_sub(10)),
                        "{main}+{inc} {to_go:?}: {b:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_clock_that_lives_on_increments_keeps_a_reserve() {
        let chess = TimeManagement {
            increments: 88,
            ..TimeManagement::over(20)
        };
        for (manage, least) in [(TimeManagement::over(24), 100), (chess, 100), (late(40, 2), 60)] {
            let mut left = 2000;
            for _ in 0..200 {
                // A search whose best move keeps changing takes half as much again as the optimum, and a little is lost on
                // the way.
                let spent = shared(left, 20, None, manage).soft.as_millis() as u64 * 3 / 2 + 2;
                left = left - spent + 20;
            }
            assert!((least..1000).contains(&left), "{manage:?}: {left}");
        }
    }

    /// The shares of chess after so many moves, with a lag of so many milliseconds.
    fn late(moves: usize, lag: u64) -> TimeManagement {
        TimeManagement {
            horizon_late: 12,
            increments: 88,
            progress: Progress {
                moves,
                lag: Some(Duration::from_millis(lag)),
            },
            ..TimeManagement::over(28)
        }
    }

    #[test]
    fn an_increment_lets_later_moves_take_more_of_the_clock() {
        let soft = |moves, inc, to_go| shared(1000, inc, to_go, late(moves, 1)).soft;
        assert!(soft(0, 20, None) < soft(20, 20, None) && soft(20, 20, None) < soft(40, 20, None));
        assert_eq!(soft(40, 20, None), soft(200, 20, None));
        // Nothing of the kind where the overhead eats the increment or another time control is near.
        assert_eq!(soft(0, 10, None), soft(40, 10, None));
        assert_eq!(soft(0, 20, Some(30)), soft(40, 20, Some(30)));
    }

    #[test]
    fn a_smaller_lag_takes_the_place_of_the_overhead_of_later_moves() {
        let soft = |lag| shared(1000, 20, None, late(0, lag)).soft;
        let unknown = TimeManagement {
            progress: Progress::default(),
            ..late(0, 0)
        };
        assert!(soft(0) > soft(5) && soft(5) > soft(10));
        for lag in [10, 900] {
            assert_eq!(soft(lag), shared(1000, 20, None, unknown).soft);
        }
    }

    #[test]
    fn an_empty_clock_asks_for_a_move_at_once() {
        assert_eq!(budget(0, 0, None).hard, Duration::ZERO);
    }

    #[test]
    fn the_last_move_before_the_control_uses_most_of_the_time() {
        let b = budget(10_000, 0, Some(1));
        assert!(b.soft > Duration::from_millis(5000), "{b:?}");
    }

    #[test]
    fn stones_of_a_period_share_it() {
        // Each move takes as long as it may.
        let mut left = Duration::from_secs(30);
        for stones in (2..=25).rev() {
            let limits = Limits {
                time: TimeControl::Byoyomi {
                    main: Duration::ZERO,
                    period: left,
                    stones,
                },
                ..Limits::default()
            };
            let b = plan(&limits, Duration::from_millis(50), TimeManagement::over(40)).expect("a clock gives a budget");
            let each = left / stones;
            assert!(b.soft >= each * 7 / 10 && b.soft <= each, "{stones}: {b:?}");
            assert!(b.hard > b.soft * 5 / 4 && b.hard <= left / 2, "{stones}: {b:?}");
            left -= b.soft + Duration::from_millis(50);
        }
        // The last one has its own share at least.
        assert!(left > Duration::from_secs(1), "{left:?}");
    }

    #[test]
    fn byoyomi_spends_its_period() {
        let time = TimeControl::Byoyomi {
            main: Duration::ZERO,
            period: Duration::from_millis(1000),
            stones: 1,
        };
        let b = plan(
            &Limits {
                time,
                ..Limits::default()
            },
            Duration::from_millis(50),
            TimeManagement::over(24),
        )
        .expect("a clock gives a budget");
        assert!(
            b.soft >= Duration::from_millis(850) && b.hard <= Duration::from_millis(950),
            "{b:?}"
        );
    }
}
