//! The arguments of UCI's `go`.

use crate::control::{Limits, TimeControl};
use crate::game::Side;
use std::time::{Duration, Instant};

const KEYWORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

/// Longest clock that is kept apart from a longer one: a year.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// A count: out of range is the nearest in range, and what cannot be read is 0.
pub(super) fn count(text: Option<&&str>) -> u64 {
    let text = text.map_or("", |t| t.trim_start_matches('+'));
    match text.parse::<u64>() {
        Ok(n) => n,
        Err(_) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => u64::MAX,
        Err(_) => 0,
    }
}

/// A clock's reading in milliseconds. Below zero or unreadable is an empty clock: better a quick move than a loss on time.
pub(super) fn clock(text: Option<&&str>) -> Duration {
    // Some clients write fractions.
    let whole = text.map(|t| t.split('.').next().unwrap_or_default());
    Duration::from_millis(count(whole.as_ref())).min(LONGEST)
}

/// A count as a limit: at least 1, so that a limit that cannot be read is answered at once, not never.
pub(super) fn limit(text: Option<&&str>) -> u64 {
    count(text).max(1)
}

/// `go` with its arguments in any order; unknown ones are skipped. `start` is when the command came.
pub fn limits(words: &[&str], side: Side, start: Instant) -> Limits {
    let mut l = Limits {
        start,
        ..Limits::default()
    };
    let (mut white, mut black, mut white_inc, mut black_inc) = (None, None, None, None);
    let (mut to_go, mut movetime) = (None, None);
    let short = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        // A keyword is never another one's value: `go depth infinite` lacks its depth.
        let value = rest.as_slice().first().filter(|v| !KEYWORDS.contains(v));
        match word {
            "wtime" => white = Some(clock(value)),
            "btime" => black = Some(clock(value)),
            "winc" => white_inc = Some(clock(value)),
            "binc" => black_inc = Some(clock(value)),
            // No moves to go is how some clients say that there is no next time control.
            "movestogo" => to_go = Some(short(count(value))).filter(|&n| n > 0),
            "depth" => l.depth = Some(short(limit(value))),
            "nodes" => l.nodes = Some(limit(value)),
            "mate" => l.mate = Some(short(limit(value)).min(1000)),
            "movetime" => movetime = Some(clock(value)),
            "infinite" => l.infinite = true,
            "ponder" => l.ponder = true,
            "searchmoves" => {
                let moves = rest.as_slice().iter().take_while(|w| !KEYWORDS.contains(w));
                l.searchmoves = moves.map(|w| (*w).to_string()).collect();
            }
            _ => {}
        }
    }
    let (own, other, increment) = match side {
        Side::First => (white, black, white_inc),
        Side::Second => (black, white, black_inc),
    };
    // Where only the opponent's clock is given, it is taken for ours.
    l.time = match (movetime, own.or(other)) {
        (Some(time), None) => TimeControl::MoveTime(time),
        (cap, Some(main)) => {
            l.move_cap = cap;
            TimeControl::Fischer {
                main,
                increment: increment.unwrap_or_default(),
                moves_to_go: to_go,
            }
        }
        (None, None) => TimeControl::None,
    };
    l.infinite |= !l.finite();
    l
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, side: Side) -> Limits {
        limits(&text.split_whitespace().collect::<Vec<_>>(), side, Instant::now())
    }

    fn fischer(main: u64, increment: u64, moves_to_go: Option<u32>) -> TimeControl {
        TimeControl::Fischer {
            main: Duration::from_millis(main),
            increment: Duration::from_millis(increment),
            moves_to_go,
        }
    }

    #[test]
    fn each_side_has_its_clock() {
        let text = "wtime 1000 btime 2000 winc 10 binc 20 movestogo 5";
        assert_eq!(read(text, Side::First).time, fischer(1000, 10, Some(5)));
        assert_eq!(read(text, Side::Second).time, fischer(2000, 20, Some(5)));
    }

    #[test]
    fn order_does_not_matter() {
        let text = "binc 20 movestogo 5 btime 2000 winc 10 wtime 1000";
        assert_eq!(read(text, Side::Second).time, fischer(2000, 20, Some(5)));
    }

    #[test]
    fn empty_negative_and_unreadable_clocks_are_empty() {
        for text in ["wtime 0", "wtime -30000", "wtime x", "wtime", "wtime winc"] {
            let l = read(text, Side::First);
            assert_eq!(l.time, fischer(0, 0, None), "{text}");
            assert!(!l.infinite, "{text}");
        }
        let long = read("wtime 99999999999999999999999", Side::First);
        assert_eq!(long.time, fischer(366 * 86_400_000, 0, None));
    }

    #[test]
    fn a_lonely_clock_of_the_other_side_is_used() {
        assert_eq!(read("btime 100", Side::First).time, fischer(100, 0, None));
    }

    #[test]
    fn no_moves_to_go_is_sudden_death() {
        assert_eq!(read("wtime 100 movestogo 0", Side::First).time, fischer(100, 0, None));
    }

    #[test]
    fn several_limits_at_once() {
        let l = read("depth 9 nodes 1000 movetime 50 mate 3", Side::First);
        assert_eq!((l.depth, l.nodes, l.mate), (Some(9), Some(1000), Some(3)));
        assert_eq!(l.time, TimeControl::MoveTime(Duration::from_millis(50)));
        assert!(!l.infinite);
        let l = read("wtime 60000 movetime 50", Side::First);
        assert_eq!(
            (l.time, l.move_cap),
            (fischer(60_000, 0, None), Some(Duration::from_millis(50)))
        );
    }

    #[test]
    fn unreadable_counts_are_answered_at_once() {
        for text in ["depth", "depth x", "depth -3", "depth 0"] {
            assert_eq!(read(text, Side::First).depth, Some(1), "{text}");
        }
        assert_eq!(read("nodes 99999999999999999999999", Side::First).nodes, Some(u64::MAX));
    }

    #[test]
    fn without_a_limit_it_is_endless() {
        for text in ["", "infinite", "ponder", "joho", "searchmoves e2e4 d2d4"] {
            assert!(read(text, Side::First).infinite, "{text}");
        }
        assert!(read("infinite wtime 100", Side::First).infinite);
    }

    #[test]
    fn searchmoves_end_at_the_next_keyword() {
        let l = read("searchmoves e2e4 d2d4 depth 3", Side::First);
        assert_eq!((l.searchmoves.len(), l.depth), (2, Some(3)));
    }
}
