//! What a move costs beside its search: the way of the answer to the opponent's clock and of the next command back.

use super::limits::TimeControl;
use std::time::Duration;

/// More than this is no lag: the clock was set anew, and the fall back from it would take too many moves.
const MOST: Duration = Duration::from_secs(1);

/// A clock when a search began.
#[derive(Clone, Copy, Debug)]
struct Reading {
    ply: usize,
    main: Duration,
    increment: Duration,
}

/// The lag of a game's moves, read off the clock that comes with each of them.
#[derive(Default, Debug)]
pub struct Lag {
    last: Option<Reading>,
    known: Option<Duration>,
}

impl Lag {
    /// The lag of the moves read so far: it rises at once and falls slowly, so that it is nearer the worst than the mean.
    /// `None` before the second move of a game.
    pub const fn known(&self) -> Option<Duration> {
        self.known
    }

    /// Reads the clock of the move at `ply`; `spent` is what the last search took until its answer, where that counted.
    pub fn read(&mut self, ply: usize, time: TimeControl, spent: Option<Duration>) {
        let reading = match time {
            TimeControl::Fischer { main, increment, .. } => Some(Reading { ply, main, increment }),
            _ => None,
        };
        let last = std::mem::replace(&mut self.last, reading);
        let (Some(now), Some(last)) = (reading, last) else {
            self.known = None;
            return;
        };
        if now.ply < last.ply || now.increment != last.increment {
            self.known = None;
        } else if now.ply == last.ply + 2
            && let Some(spent) = spent
        {
            // A clock that grew otherwise (a new time control) says nothing.
            let lost = (last.main + last.increment).checked_sub(spent + now.main);
            if let Some(lost) = lost.filter(|&lost| lost <= MOST) {
                let former = self.known.unwrap_or_default();
                self.known = Some(lost.max((former * 3 + lost) / 4));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    const fn clock(main: u64) -> TimeControl {
        TimeControl::Fischer {
            main: ms(main),
            increment: ms(20),
            moves_to_go: None,
        }
    }

    /// Reads one clock after the other: ply, clock, time spent; the lag after each.
    fn known(readings: &[(usize, u64, Option<u64>)]) -> Vec<Option<u64>> {
        let mut lag = Lag::default();
        let read = |&(ply, main, spent): &(usize, u64, Option<u64>)| {
            lag.read(ply, clock(main), spent.map(ms));
            lag.known().map(|lag| lag.as_millis() as u64)
        };
        readings.iter().map(read).collect()
    }

    #[test]
    fn what_the_clock_lost_beside_the_search_is_the_lag() {
        // 100 ms of search, 20 added: 4 more are gone, none, 50.
        let readings = [
            (0, 2000, None),
            (2, 1916, Some(100)),
            (4, 1836, Some(100)),
            (6, 1706, Some(100)),
        ];
        assert_eq!(known(&readings), [None, Some(4), Some(3), Some(50)]);
    }

    #[test]
    fn a_clock_that_says_nothing_changes_nothing() {
        // A new time control, a clock that was set anew, a search whose time did not count, a move left out.
        let readings = [
            (0, 2000, None),
            (2, 1916, Some(100)),
            (4, 9000, Some(100)),
            (6, 3000, Some(100)),
            (8, 2900, None),
            (12, 2800, Some(10)),
        ];
        assert_eq!(known(&readings), [None, Some(4), Some(4), Some(4), Some(4), Some(4)]);
    }

    #[test]
    fn another_game_begins_without_a_lag() {
        let readings = [
            (10, 2000, None),
            (12, 1916, Some(100)),
            (0, 2000, Some(100)),
            (2, 1920, Some(100)),
        ];
        assert_eq!(known(&readings), [None, Some(4), None, Some(0)]);
        let mut lag = Lag::default();
        lag.read(0, clock(2000), None);
        lag.read(2, clock(1916), Some(ms(100)));
        lag.read(4, TimeControl::MoveTime(ms(10)), None);
        assert_eq!(lag.known(), None);
    }
}
