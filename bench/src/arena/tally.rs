//! The score of a match.

use super::game::{Fault, Played};
use super::stats::{Pairs, Test};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The match so far, for the first engine.
#[derive(Default)]
pub struct Tally {
    /// Wins, draws, losses.
    pub wdl: [u64; 3],
    /// Whole pairs.
    pub pairs: Pairs,
    /// The sequential test's ratio.
    pub llr: Option<f64>,
    /// Its decision: the better hypothesis or the other.
    pub decided: Option<bool>,
    /// By engine: time losses, illegal moves, disconnects, stalls.
    faults: [[u64; 4]; 2],
    disputed: u64,
    moves: [u64; 2],
    nodes: [u64; 2],
    seconds: [f64; 2],
    depths: [u64; 2],
    deep: [u64; 2],
}

impl Tally {
    /// Counts games by number; in odd ones the second engine had the first move.
    pub fn of(games: &BTreeMap<usize, Played>, test: Option<&Test>) -> Self {
        let mut t = Self::default();
        let points = |number: usize| -> Option<u8> {
            let p = games.get(&number)?.points.min(2);
            Some(if number % 2 == 1 { 2 - p } else { p })
        };
        for (&number, g) in games {
            t.wdl[2 - usize::from(points(number).unwrap_or(1))] += 1;
            for side in 0..2 {
                let engine = side ^ (number % 2);
                t.moves[engine] += u64::from(g.plies[side]);
                t.nodes[engine] += g.nodes[side];
                t.seconds[engine] += g.seconds[side];
                t.depths[engine] += g.depths[side];
                t.deep[engine] += u64::from(g.deep[side]);
            }
            t.disputed += u64::from(g.disputed);
            if let Some((side, fault)) = g.fault {
                let kind = match fault {
                    Fault::TimeLoss => 0,
                    Fault::IllegalMove => 1,
                    Fault::Disconnect => 2,
                    Fault::Stall => 3,
                };
                t.faults[(side & 1) ^ (number % 2)][kind] += 1;
            }
            if number % 2 == 0
                && let (Some(a), Some(b)) = (points(number), points(number + 1))
            {
                t.pairs.0[usize::from(a + b)] += 1;
            }
        }
        t.llr = test.map(|test| t.pairs.llr(test.elo0, test.elo1));
        t.decided = test.zip(t.llr).and_then(|(test, llr)| test.decide(llr));
        t
    }

    /// The score in a few words.
    pub fn summary(&self) -> String {
        let [w, d, l] = self.wdl;
        let mut text = format!("+{w} ={d} -{l}");
        let (elo, error) = self.pairs.elo();
        if error.is_finite() {
            let _ = write!(text, "  Elo {elo:+.0} ± {error:.0}");
        }
        if let Some(llr) = self.llr {
            let _ = write!(text, "  LLR {llr:.2}");
        }
        // Points that nobody had to play for should not be taken for strength.
        let [ours, theirs] = self.faults.map(|kinds| kinds.iter().sum::<u64>());
        if ours + theirs > 0 {
            let _ = write!(text, "  forfeits {ours} and {theirs}");
        }
        text
    }

    /// The result for a person, several lines.
    pub fn report(&self, names: [&str; 2], test: Option<&Test>) -> String {
        let [w, d, l] = self.wdl;
        let games = w + d + l;
        let share = 100.0 * (w as f64 + d as f64 / 2.0) / (games.max(1) as f64);
        let (elo, error) = self.pairs.elo();
        let mut text = format!("{} against {}: {games} games\n", names[0], names[1]);
        let _ = writeln!(text, "score      +{w} ={d} -{l}, {share:.1} %");
        // Equal pairs have no spread to judge an error by.
        let error = if error.is_finite() {
            format!("{error:.1}")
        } else {
            "?".into()
        };
        let _ = writeln!(
            text,
            "Elo        {elo:+.1} ± {error} (95 %), normalized {:+.1}; likelihood of superiority {:.1} %",
            self.pairs.normalized(),
            100.0 * self.pairs.superiority()
        );
        let _ = writeln!(text, "pairs      {:?} of 0, ½, 1, 1½, 2 points", self.pairs.0);
        if let (Some(llr), Some(test)) = (self.llr, test) {
            let word = match self.decided {
                Some(true) => format!("{} accepted", test.elo1),
                Some(false) => format!("{} accepted", test.elo0),
                None => "open".into(),
            };
            let (low, high) = test.limits();
            let _ = writeln!(
                text,
                "ratio test {llr:.2} in ({low:.2}, {high:.2}), normalized Elo {} or {}: {word}",
                test.elo0, test.elo1
            );
        }
        let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(10);
        for (i, name) in names.iter().enumerate() {
            let [time, illegal, gone, stalled] = self.faults[i];
            let _ = writeln!(
                text,
                "{name:<width$} {time} time losses, {illegal} illegal moves, {gone} disconnects, {stalled} stalls; \
                 {:.0} nodes/s, {:.3} s a move, mean depth {:.1}",
                self.nodes[i] as f64 / self.seconds[i].max(1e-9),
                self.seconds[i] / self.moves[i].max(1) as f64,
                self.depths[i] as f64 / self.deep[i].max(1) as f64
            );
        }
        if self.disputed > 0 {
            let _ = writeln!(text, "{} results differ from our own count", self.disputed);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_faults_are_told_apart() {
        let game = |points, fault| Played {
            points,
            fault,
            plies: [20, 10],
            seconds: [5.0, 1.1],
            deep: [10, 9],
            depths: [100, 45],
            ..Played::default()
        };
        let games = BTreeMap::from([
            // The first engine wins with the first move, then the second forfeits with it: two points.
            (0, game(2, None)),
            (1, game(0, Some((0, Fault::TimeLoss)))),
            (2, game(1, None)),
            (3, game(2, Some((1, Fault::Stall)))),
            // Half a pair counts as games only.
            (5, game(1, None)),
        ]);
        let t = Tally::of(&games, None);
        assert_eq!(t.wdl, [2, 2, 1]);
        assert_eq!(t.pairs.0, [0, 1, 0, 0, 1]);
        assert_eq!(t.faults, [[0, 0, 0, 1], [1, 0, 0, 0]]);
        assert_eq!(t.deep, [10 + 9 + 10 + 9 + 9, 9 + 10 + 9 + 10 + 10]);
        assert_eq!(t.depths, [100 + 45 + 100 + 45 + 45, 45 + 100 + 45 + 100 + 100]);
        let report = t.report(["A", "B"], None);
        assert!(report.contains("+2 =2 -1, 60.0 %"));
        // Engine A moved first in games 0 and 2, that is 20 moves in 5 s each, else 10 moves in 1.1 s.
        assert!(
            report.contains("0.190 s a move") && report.contains("0.215 s a move"),
            "{report}"
        );
        assert!(t.summary().ends_with("forfeits 1 and 1"), "{}", t.summary());
        let clean = Tally::of(&BTreeMap::from([(0, game(2, None))]), None);
        assert!(!clean.summary().contains("forfeits"));
    }
}
