//! What a match knows of an engine: how it is started, what limits its moves, and how it departs from its protocol.

use super::protocol::{Orders, Protocol, named};
use anyhow::{Context, Result, anyhow, bail};
use std::time::Duration;

/// Departures of an engine from its protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// In xiangqi it counts the ranks from 1, not from 0: `h3e3`, `a10a9`.
    pub ranks_from_one: bool,
    /// It takes each side's clock for the other's.
    pub clocks_swapped: bool,
}

impl Ways {
    /// The orders as the engine has to hear them.
    pub fn orders(self, orders: &Orders) -> Orders {
        let mut told = *orders;
        if self.clocks_swapped {
            told.clocks.swap(0, 1);
            told.increments.swap(0, 1);
        }
        told
    }
}

/// A move with each of its ranks so many further; what is no move stays as it is.
pub fn ranks_moved(text: &str, by: i32) -> String {
    let mut told = String::new();
    let mut rest = text;
    while let Some(file) = rest.chars().next() {
        let digits = rest[file.len_utf8()..].chars().take_while(char::is_ascii_digit).count();
        let (rank, tail) = rest[file.len_utf8()..].split_at(digits);
        let moved = rank.parse::<i32>().ok().map(|n| n + by);
        match moved.filter(|n| *n >= 0 && file.is_ascii_alphabetic()) {
            Some(n) => told += &format!("{file}{n}"),
            None if digits == 0 => told.push(file),
            None => return text.into(),
        }
        rest = tail;
    }
    told
}

/// How an engine is started and what it plays with: `cmd=PATH name=N tc=2+0.02 nodes=K option.Hash=16`.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Name in results and records.
    pub name: String,
    /// Options set after the greeting.
    pub options: Vec<(String, String)>,
    /// Its own pace, where it differs from the match's.
    pub pace: Option<Pace>,
    /// The protocol's name; empty for the first one.
    pub protocol: String,
    /// How long its greeting may take, where it differs from the usual.
    pub start: Option<Duration>,
    /// How it departs from its protocol.
    pub ways: Ways,
}

/// How long a move may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// A clock.
    Clock {
        /// Moves per time control; the whole game without.
        moves: Option<u32>,
        /// Time per time control.
        main: Duration,
        /// What each move adds.
        increment: Duration,
        /// What each move may take when the clock is at zero; unused, it is lost.
        byoyomi: Duration,
    },
    /// The same time for each move.
    MoveTime(Duration),
    /// Nodes a move.
    Nodes(u64),
    /// Depth of each search.
    Depth(u32),
    /// The limit of the engine's own command line or options; none is sent.
    Own,
}

impl std::fmt::Display for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Clock {
                moves,
                main,
                increment,
                byoyomi,
            } => {
                if let Some(n) = moves {
                    write!(f, "{n}/")?;
                }
                write!(f, "{}", main.as_secs_f64())?;
                match byoyomi.is_zero() {
                    true => write!(f, "+{}", increment.as_secs_f64()),
                    false => write!(f, "b{}", byoyomi.as_secs_f64()),
                }
            }
            Self::MoveTime(t) => write!(f, "{}/move", t.as_secs_f64()),
            Self::Nodes(n) => write!(f, "{n} nodes"),
            Self::Depth(d) => write!(f, "depth {d}"),
            Self::Own => write!(f, "own limit"),
        }
    }
}

impl Pace {
    /// Reads `[MOVES/]SECONDS[+INCREMENT]` or `[SECONDS]bBYOYOMI`.
    pub fn clock(text: &str) -> Result<Self> {
        let (moves, rest) = match text.split_once('/') {
            Some((n, rest)) => match n.trim().parse() {
                Ok(n) if n > 0 => (Some(n), rest),
                _ => bail!("time control {text:?}: expected a number of moves before the slash"),
            },
            None => (None, text),
        };
        let (main, inc, byoyomi) = match (rest.split_once('+'), rest.split_once('b')) {
            (Some((main, inc)), _) => (main, inc, "0"),
            (None, Some(("", byoyomi))) => ("0", "0", byoyomi),
            (None, Some((main, byoyomi))) => (main, "0", byoyomi),
            (None, None) => (rest, "0", "0"),
        };
        let seconds = |t: &str| -> Result<Duration> {
            let x: f64 = t.trim().parse().with_context(|| {
                format!("time control {text:?}: expected [MOVES/]SECONDS[+INCREMENT] or [SECONDS]bBYOYOMI")
            })?;
            Duration::try_from_secs_f64(x).map_err(|e| anyhow!("time control {text:?}: {e}"))
        };
        Ok(Self::Clock {
            moves,
            main: seconds(main)?,
            increment: seconds(inc)?,
            byoyomi: seconds(byoyomi)?,
        })
    }
}

/// Keys of an engine's description beside `option.NAME`.
const KEYS: [&str; 11] = [
    "cmd", "name", "tc", "nodes", "depth", "movetime", "limit", "proto", "start", "ranks", "clocks",
];

impl Spec {
    /// Reads `key=value` words; a value ends where the next ` key=` starts, so commands may have arguments.
    pub fn parse(text: &str) -> Result<Self> {
        let mut fields: Vec<(String, String)> = Vec::new();
        // The beginning of an option's name that has spaces: its `=` is yet to come.
        let mut open: Option<String> = None;
        for word in text.split_whitespace() {
            if let Some(name) = &mut open {
                match word.split_once('=') {
                    Some((end, value)) => fields.push((format!("{name} {end}"), value.into())),
                    None => {
                        *name = format!("{name} {word}");
                        continue;
                    }
                }
                open = None;
                continue;
            }
            match word.split_once('=') {
                Some((key, value)) if KEYS.contains(&key) || key.starts_with("option.") => {
                    fields.push((key.into(), value.into()));
                }
                None if word.starts_with("option.") => open = Some(word.into()),
                _ => match fields.last_mut() {
                    Some((_, value)) => *value = format!("{value} {word}"),
                    None => bail!("engine {text:?}: expected cmd=PATH [name=N] [tc=2+0.02] [option.X=Y], not {word:?}"),
                },
            }
        }
        if let Some(name) = open {
            bail!("engine {text:?}: {name} lacks its =VALUE");
        }
        let mut spec = Self::default();
        for (key, value) in fields {
            let number = || -> Result<u64> {
                let n = value.parse().ok().filter(|&n| n > 0);
                n.with_context(|| format!("engine {text:?}: {key}= expects a whole number above 0, not {value:?}"))
            };
            match key.as_str() {
                "cmd" => spec.command = value.split(' ').map(str::to_string).collect(),
                "name" => spec.name = value,
                "tc" => spec.pace = Some(Pace::clock(&value)?),
                "nodes" => spec.pace = Some(Pace::Nodes(number()?)),
                "depth" => spec.pace = Some(Pace::Depth(u32::try_from(number()?)?)),
                "movetime" => spec.pace = Some(Pace::MoveTime(Duration::from_millis(number()?))),
                "limit" if value == "own" => spec.pace = Some(Pace::Own),
                "limit" => bail!("engine {text:?}: limit= expects own, not {value:?}"),
                "proto" => spec.protocol = value,
                "ranks" if ["0", "1"].contains(&value.as_str()) => spec.ways.ranks_from_one = value == "1",
                "ranks" => bail!("engine {text:?}: ranks= expects 0 or 1, the number of the first rank, not {value:?}"),
                "clocks" if value == "swapped" => spec.ways.clocks_swapped = true,
                "clocks" => bail!("engine {text:?}: clocks= expects swapped, not {value:?}"),
                "start" => spec.start = Some(Duration::from_secs(number()?)),
                _ => spec.options.push((key["option.".len()..].to_string(), value)),
            }
        }
        if spec.command.iter().all(|w| w.is_empty()) {
            bail!("engine {text:?}: no cmd=PATH");
        }
        if spec.protocol != "gtp" {
            spec.words()?;
        }
        if spec.name.is_empty() {
            spec.name = spec.command[0].rsplit('/').next().unwrap_or("engine").to_string();
        }
        Ok(spec)
    }

    /// The name of its protocol.
    pub fn protocol(&self) -> &str {
        if self.protocol.is_empty() {
            "uci"
        } else {
            &self.protocol
        }
    }

    /// Its protocol.
    pub(super) fn words(&self) -> Result<&'static dyn Protocol> {
        named(self.protocol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read() {
        let s = Spec::parse("cmd=./a --x 1 name=A b tc=2+0.02 option.UCI_Elo=1500 option.Clear Hash= proto=uci")
            .expect("a spec");
        assert_eq!(s.command, ["./a", "--x", "1"]);
        assert_eq!(s.name, "A b");
        let clock = |moves, main, inc| Pace::Clock {
            moves,
            main: Duration::from_millis(main),
            increment: Duration::from_millis(inc),
            byoyomi: Duration::ZERO,
        };
        assert_eq!(s.pace, Some(clock(None, 2000, 20)));
        assert_eq!(
            s.options,
            [("UCI_Elo".into(), "1500".into()), ("Clear Hash".into(), String::new())]
        );
        assert_eq!(Pace::clock("40/60+0.5").expect("a clock"), clock(Some(40), 60_000, 500));
        assert_eq!(Pace::clock("5").expect("a clock").to_string(), "5+0");
        for (text, main, byoyomi) in [("10b1", 10_000, 1000), ("b0.1", 0, 100), ("0b0.5", 0, 500)] {
            let Pace::Clock {
                main: m, byoyomi: b, ..
            } = Pace::clock(text).expect("a clock")
            else {
                panic!("{text}")
            };
            assert_eq!((m.as_millis(), b.as_millis()), (main, byoyomi), "{text}");
        }
        assert_eq!(Pace::clock("10b1").expect("a clock").to_string(), "10b1");
        let bad = [
            "",
            "name=x",
            "stockfish",
            "cmd=a tc=x",
            "cmd=a tc=-1",
            "cmd=a nodes=0",
            "cmd=a proto=x",
            "cmd=a tc=0/1",
            "cmd=a option.Hash",
            "cmd=a limit=5",
            "cmd=a start=0",
            "cmd=a ranks=2",
            "cmd=a clocks=fast",
        ];
        for text in bad {
            assert!(Spec::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn moves_and_clocks_are_told_as_the_engine_takes_them() {
        let spec = Spec::parse("cmd=a ranks=1 clocks=swapped").expect("a spec");
        assert!(spec.ways.ranks_from_one && spec.ways.clocks_swapped);
        assert_eq!(Spec::parse("cmd=a ranks=0").expect("a spec").ways, Ways::default());
        for (ours, theirs) in [("h2e2", "h3e3"), ("a9a8", "a10a9"), ("i0i9", "i1i10")] {
            assert_eq!(
                (ranks_moved(ours, 1), ranks_moved(theirs, -1)),
                (theirs.into(), ours.into())
            );
        }
        for other in ["(none)", "0000", "", "a0a1", "é"] {
            assert_eq!(ranks_moved(other, -1), other, "no rank below the first");
        }
        let orders = Orders {
            pace: Pace::clock("5+1").expect("a clock"),
            mover: 0,
            clocks: [Duration::from_secs(1), Duration::from_secs(2)],
            increments: [Duration::from_secs(3), Duration::from_secs(4)],
            byoyomi: Duration::ZERO,
            moves_to_go: None,
        };
        let told = spec.ways.orders(&orders);
        assert_eq!(told.clocks, [Duration::from_secs(2), Duration::from_secs(1)]);
        assert_eq!(told.increments, [Duration::from_secs(4), Duration::from_secs(3)]);
        assert_eq!(Ways::default().orders(&orders).clocks, orders.clocks);
    }
}
