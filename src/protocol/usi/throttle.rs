//! Limits how often lines of analysis are sent, and sends the best one right before the answer.

use crate::control::{Bound, Info, Outlook};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Lines of analysis on their way to the client.
#[derive(Default)]
pub struct InfoThrottle {
    /// Shortest time between two updates: lines of all ranks.
    pub interval: Duration,
    /// When the last update was sent.
    sent: Option<Instant>,
    /// Lines of the last update, where that came too soon.
    withheld: Vec<String>,
    /// Whether the lines of this update are sent as they come.
    passing: bool,
    /// The best line, and whether it is the last line sent.
    best: Option<String>,
    best_is_last: bool,
    /// The newest best line with an exact score, while it has not been sent.
    exact: Option<String>,
    /// The score of the best line, in hundredths of a pawn.
    score: Option<i64>,
}

/// Beyond every evaluation.
const MATE: i64 = 100_000;

impl InfoThrottle {
    /// A search begins.
    pub fn start(&mut self, interval: Duration) {
        *self = Self {
            interval,
            ..Self::default()
        };
    }

    /// The lines to send for a report.
    pub fn lines(&mut self, info: &Info, now: Instant) -> Vec<String> {
        let line = line(info);
        if info.multipv <= 1 {
            self.withheld.clear();
            self.passing = self.sent.is_none_or(|at| now.duration_since(at) >= self.interval);
            if self.passing {
                self.sent = Some(now);
            }
            self.best = Some(line.clone());
            if info.bound == Bound::Exact {
                self.exact = Some(line.clone()).filter(|_| !self.passing);
                self.score = Some(match info.outlook {
                    Outlook::Centipawns(cp) => cp.into(),
                    Outlook::Mate(n) if n > 0 => MATE,
                    Outlook::Mate(_) => -MATE,
                });
            }
        }
        if self.passing {
            self.best_is_last = info.multipv <= 1;
            return vec![line];
        }
        self.withheld.push(line);
        Vec::new()
    }

    /// Another line was sent.
    pub fn other_line(&mut self) {
        self.best_is_last = false;
    }

    /// The lines to send before the answer: clients read the one right before it. Where that is a bound, the last exact score
    /// comes first, because it has not been sent.
    pub fn last_lines(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.withheld);
        let best = self.best.take();
        if lines.is_empty() && self.best_is_last {
            return lines;
        }
        if let Some(exact) = self.exact.take().filter(|e| !lines.contains(e)) {
            lines.insert(0, exact);
        }
        if lines.last() != best.as_ref() {
            lines.extend(best);
        }
        lines
    }

    /// The score of the best line, in hundredths of a pawn.
    pub const fn score(&self) -> Option<i64> {
        self.score
    }
}

/// Mate in plies, as USI counts. For a side that is mated already USI has no number: 0 is read as a win, `-0` as 0 by
/// clients that read numbers, so it is sent as one ply away.
fn outlook(o: Outlook) -> String {
    match o {
        Outlook::Centipawns(cp) => format!("cp {cp}"),
        Outlook::Mate(0) => "mate -1".into(),
        Outlook::Mate(plies) => format!("mate {plies}"),
    }
}

/// One line of analysis.
fn line(i: &Info) -> String {
    let ms = i.time.as_millis();
    let nps = (i.nodes as f64 / i.time.as_secs_f64().max(0.001)) as u64;
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}",
        i.depth,
        i.seldepth,
        i.multipv.max(1),
        outlook(i.outlook)
    );
    match i.bound {
        Bound::Exact => {}
        Bound::Lower => line += " lowerbound",
        Bound::Upper => line += " upperbound",
    }
    let _ = write!(line, " nodes {} nps {nps} hashfull {} time {ms}", i.nodes, i.hashfull);
    if !i.pv.is_empty() {
        let _ = write!(line, " pv {}", i.pv.join(" "));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(multipv: u32, depth: u32, outlook: Outlook) -> Info {
        Info {
            depth,
            seldepth: depth,
            multipv,
            outlook,
            bound: Bound::Exact,
            wdl: [0; 3],
            nodes: 10,
            hashfull: 1,
            tbhits: 0,
            time: Duration::from_millis(10),
            pv: vec!["7g7f".into()],
        }
    }

    #[test]
    fn lines_have_their_fields_in_order() {
        let text = |o| line(&info(1, 3, o));
        assert_eq!(
            text(Outlook::Centipawns(-5)),
            "info depth 3 seldepth 3 multipv 1 score cp -5 nodes 10 nps 1000 hashfull 1 time 10 pv 7g7f"
        );
        assert!(text(Outlook::Mate(3)).contains(" score mate 3 "));
        assert!(text(Outlook::Mate(-4)).contains(" score mate -4 "));
        assert!(text(Outlook::Mate(0)).contains(" score mate -1 "));
    }

    #[test]
    fn the_best_line_comes_last_and_others_not_too_often() {
        let mut throttle = InfoThrottle::default();
        throttle.start(Duration::from_millis(300));
        let (start, cp) = (Instant::now(), Outlook::Centipawns(1));
        assert_eq!(throttle.lines(&info(1, 1, cp), start).len(), 1);
        assert_eq!(throttle.lines(&info(2, 1, cp), start).len(), 1);
        assert!(throttle.lines(&info(1, 2, cp), start).is_empty());
        assert!(throttle.lines(&info(2, 2, cp), start).is_empty());
        let last = throttle.last_lines();
        assert_eq!(last.len(), 3);
        assert!(last[0].contains("depth 2") && last[0] == last[2] && last[1].contains("multipv 2"));

        // A bound at the end does not hide the last true score.
        throttle.start(Duration::from_millis(300));
        throttle.lines(&info(1, 1, cp), start);
        throttle.lines(&info(1, 5, cp), start);
        let mut bound = info(1, 6, cp);
        bound.bound = Bound::Upper;
        throttle.lines(&bound, start);
        let last = throttle.last_lines();
        assert_eq!(last.len(), 2, "{last:?}");
        assert!(last[0].contains("depth 5 ") && last[1].contains("depth 6 ") && last[1].contains("upperbound"));

        throttle.start(Duration::ZERO);
        throttle.lines(&info(1, 1, cp), start);
        assert!(throttle.last_lines().is_empty());
        throttle.lines(&info(1, 2, cp), start);
        throttle.other_line();
        assert_eq!(throttle.last_lines().len(), 1);
    }
}
