//! The arguments of USI's `go`, and of a `ponderhit` that brings the time.

use crate::control::{Limits, TimeControl};
use crate::game::Side;
use crate::protocol::go::{clock, count, limit};
use std::time::{Duration, Instant};

const KEYWORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "btime",
    "wtime",
    "byoyomi",
    "binc",
    "winc",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

/// `go` or `ponderhit` with its arguments in any order; unknown ones are skipped. Black moves first.
pub fn limits(words: &[&str], side: Side, start: Instant) -> Limits {
    let mut l = Limits {
        start,
        ..Limits::default()
    };
    let (mut mains, mut increments) = ([None; 2], [Duration::ZERO; 2]);
    let (mut byoyomi, mut movetime) = (None, None);
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        // A keyword is never another one's value: `go depth infinite` lacks its depth.
        let value = rest.as_slice().first().filter(|v| !KEYWORDS.contains(v));
        match word {
            "btime" => mains[0] = Some(clock(value)),
            "wtime" => mains[1] = Some(clock(value)),
            "binc" => increments[0] = clock(value),
            "winc" => increments[1] = clock(value),
            "byoyomi" => byoyomi = Some(clock(value)),
            "movetime" => movetime = Some(clock(value)),
            "depth" => l.depth = Some(u32::try_from(limit(value)).unwrap_or(u32::MAX)),
            "nodes" => l.nodes = Some(limit(value)),
            // Milliseconds, not moves as in UCI; without a number or with `infinite` it has all the time.
            "mate" => {
                let number = value.filter(|v| v.bytes().all(|b| b.is_ascii_digit()));
                l.prove = Some(number.map_or(Duration::MAX, |_| Duration::from_millis(count(number))));
            }
            "infinite" => l.infinite = l.prove.is_none(),
            "ponder" => l.ponder = true,
            "searchmoves" => {
                let moves = rest.as_slice().iter().take_while(|w| !KEYWORDS.contains(w));
                l.searchmoves = moves.map(|w| (*w).to_string()).collect();
            }
            _ => {}
        }
    }
    let [first, second] = mains;
    let ([own, other], increment) = match side {
        Side::First => ([first, second], increments[0]),
        Side::Second => ([second, first], increments[1]),
    };
    // Where only the opponent's clock is given, it is taken for ours.
    let main = own.or(other);
    l.time = match (movetime, main, byoyomi) {
        (Some(time), None, None) => TimeControl::MoveTime(time),
        (cap, main, Some(period)) if !period.is_zero() => {
            l.move_cap = cap;
            TimeControl::Byoyomi {
                main: main.unwrap_or_default(),
                period,
                stones: 1,
            }
        }
        (None, None, None) => TimeControl::None,
        (cap, main, _) => {
            l.move_cap = cap;
            TimeControl::Fischer {
                main: main.unwrap_or_default(),
                increment,
                moves_to_go: None,
            }
        }
    };
    // A client that ponders without a limit sends it with the ponder hit.
    l.infinite |= !l.finite() && !l.ponder;
    l
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, side: Side) -> Limits {
        limits(&text.split_whitespace().collect::<Vec<_>>(), side, Instant::now())
    }

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn byoyomi(main: u64, period: u64) -> TimeControl {
        TimeControl::Byoyomi {
            main: ms(main),
            period: ms(period),
            stones: 1,
        }
    }

    fn fischer(main: u64, increment: u64) -> TimeControl {
        TimeControl::Fischer {
            main: ms(main),
            increment: ms(increment),
            moves_to_go: None,
        }
    }

    #[test]
    fn black_moves_first() {
        let text = "btime 1000 wtime 2000 binc 10 winc 20";
        assert_eq!(read(text, Side::First).time, fischer(1000, 10));
        assert_eq!(read(text, Side::Second).time, fischer(2000, 20));
        let text = "btime 1000 wtime 2000 byoyomi 500";
        assert_eq!(read(text, Side::First).time, byoyomi(1000, 500));
        assert_eq!(read(text, Side::Second).time, byoyomi(2000, 500));
    }

    #[test]
    fn byoyomi_alone_and_none_at_all() {
        assert_eq!(read("btime 0 wtime 0 byoyomi 5000", Side::First).time, byoyomi(0, 5000));
        assert_eq!(read("byoyomi 100", Side::Second).time, byoyomi(0, 100));
        assert_eq!(read("btime 300 wtime 300 byoyomi 0", Side::First).time, fischer(300, 0));
        for text in ["btime -5 wtime -5", "btime x", "btime 0 wtime 0 byoyomi x"] {
            let l = read(text, Side::First);
            assert_eq!((l.time, l.infinite), (fischer(0, 0), false), "{text}");
        }
    }

    #[test]
    fn mates_are_given_milliseconds() {
        assert_eq!(read("mate 3000", Side::First).prove, Some(ms(3000)));
        for text in ["mate infinite", "mate", "mate x"] {
            let l = read(text, Side::First);
            assert_eq!((l.prove, l.infinite), (Some(Duration::MAX), false), "{text}");
        }
    }

    #[test]
    fn pondering_without_a_clock_is_not_endless() {
        let l = read("ponder", Side::First);
        assert!(l.ponder && !l.infinite && l.time == TimeControl::None);
        assert!(read("", Side::First).infinite && read("infinite", Side::First).infinite);
        assert!(!read("depth 5", Side::First).infinite);
    }

    #[test]
    fn drops_stay_as_they_are_written() {
        assert_eq!(
            read("searchmoves P*5e 7g7f nodes 5", Side::First).searchmoves,
            ["P*5e", "7g7f"]
        );
    }
}
