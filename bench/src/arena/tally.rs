//! The score of a match.

use super::game::{EXCESSIVE, Fault};
use super::identity::EngineSpec;
use super::state::Games;
use super::stats::{DECISIVE, PairCounts, SprtBounds};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The match so far, for the first engine.
#[derive(Default)]
pub struct Tally {
    /// Wins, draws, losses.
    pub wdl: [u64; 3],
    /// Whole pairs.
    pub pairs: PairCounts,
    /// The sequential test's ratio.
    pub llr: Option<f64>,
    /// Its decision: the better hypothesis or the other.
    pub decided: Option<bool>,
    /// Whether both engines are the same player, so that the score is no measure of strength.
    pub alike: bool,
    /// By engine: time losses, illegal moves, disconnects, stalls.
    faults: [[u64; 4]; 2],
    disputed: u64,
    moves: [u64; 2],
    nodes: [u64; 2],
    seconds: [f64; 2],
    depths: [u64; 2],
    deep: [u64; 2],
    limited: [u64; 2],
    excessive: [u64; 2],
}

/// The score of a match in figures, for the first engine; what few games cannot carry is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchFigures {
    /// Wins, draws, losses.
    pub wdl: [u64; 3],
    /// Whole pairs of 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
    /// Elo and half the width of its 95 % interval.
    pub elo: Option<[f64; 2]>,
    /// Normalized Elo.
    pub normalized: Option<f64>,
    /// Likelihood of superiority, from 0 to 1.
    pub superiority: Option<f64>,
    /// The sequential test's ratio.
    pub llr: Option<f64>,
    /// Its decision: the better hypothesis or the other.
    pub decided: Option<bool>,
    /// Whether both engines are the same player.
    pub alike: bool,
    /// Results that differ from our own count.
    pub disputed: u64,
    /// What each engine did.
    pub engines: [EngineFigures; 2],
}

/// What an engine did in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineFigures {
    /// Time losses, illegal moves, disconnects, stalls.
    pub faults: [u64; 4],
    /// Nodes a second, seconds a move and mean depth, where they are known.
    pub speed: Option<f64>,
    pub seconds: Option<f64>,
    pub depth: Option<f64>,
    /// Whether most of its searches went far beyond their limit.
    pub excessive: bool,
}

impl Tally {
    /// The score in figures.
    pub fn figures(&self) -> MatchFigures {
        let short = |x: f64| (1000.0 * x).round() / 1000.0;
        let ratio = |a: f64, b: f64| (b > 0.0 && a > 0.0).then(|| short(a / b));
        let engine = |i: usize| EngineFigures {
            faults: self.faults[i],
            speed: ratio(self.nodes[i] as f64, self.seconds[i]).map(f64::round),
            seconds: ratio(self.seconds[i], self.moves[i] as f64),
            depth: ratio(self.depths[i] as f64, self.deep[i] as f64),
            excessive: 2 * self.excessive[i] > self.limited[i],
        };
        let measures = !self.alike;
        MatchFigures {
            wdl: self.wdl,
            pairs: self.pairs.0,
            elo: self.pairs.elo().filter(|_| measures).map(|(elo, error)| [elo, error]),
            normalized: self.pairs.normalized().filter(|_| measures),
            superiority: self.pairs.superiority().filter(|_| measures),
            llr: self.llr,
            decided: self.decided,
            alike: self.alike,
            disputed: self.disputed,
            engines: [engine(0), engine(1)],
        }
    }

    /// Counts games by number; in odd ones the second engine had the first move.
    pub fn of(games: &Games, test: Option<&SprtBounds>) -> Self {
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
                t.limited[engine] += u64::from(g.limited[side]);
                t.excessive[engine] += u64::from(g.excessive[side]);
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
        if let Some((elo, error)) = self.pairs.elo().filter(|_| !self.alike) {
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

    /// What the pairs say of the strength of the engines, in figures where there are enough games, else in words.
    fn verdict(&self) -> String {
        let pairs = &self.pairs;
        let mut text = match (pairs.elo(), pairs.normalized()) {
            (Some((elo, error)), Some(normalized)) => format!(
                "Elo        {} ± {error:.1} (95 %), normalized {}",
                signed(elo),
                signed(normalized)
            ),
            _ if pairs.count() == 0 => "Elo        none yet: no pair of games is complete".into(),
            (None, Some(_)) => format!(
                "Elo        none yet: {} pairs of games are too few to bound it",
                pairs.count()
            ),
            _ => format!(
                "Elo        none yet: all complete pairs of games ({}) ended alike, so that its error is unknown",
                pairs.count()
            ),
        };
        let [won, lost] = pairs.decisive();
        text += &match pairs.superiority() {
            Some(likelihood) => format!("; likelihood of superiority {:.1} %\n", 100.0 * likelihood),
            None => format!(
                "\nsuperiority not told: {} of the pairs were decisive, and fewer than {DECISIVE} say nothing\n",
                won + lost
            ),
        };
        text
    }

    /// The result for a person, several lines.
    pub fn report(&self, engines: &[EngineSpec], test: Option<&SprtBounds>) -> String {
        let [w, d, l] = self.wdl;
        let games = w + d + l;
        let share = 100.0 * (w as f64 + d as f64 / 2.0) / (games.max(1) as f64);
        let names: Vec<&str> = engines.iter().map(|e| e.name.as_str()).collect();
        let mut text = format!("{}: {games} games\n", names.join(" against "));
        let _ = writeln!(text, "score      +{w} ={d} -{l}, {share:.1} %");
        let _ = writeln!(text, "pairs      {:?} of 0, ½, 1, 1½, 2 points", self.pairs.0);
        match self.alike {
            true => {
                let _ = writeln!(
                    text,
                    "strength   none: both are the same program with the same options, so the score is chance"
                );
            }
            false => text += &self.verdict(),
        }
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
            let _ = write!(
                text,
                "{name:<width$} {time} time losses, {illegal} illegal moves, {gone} disconnects, {stalled} stalls; "
            );
            // Not every engine reports its nodes or its depth.
            if self.nodes[i] > 0 {
                let _ = write!(
                    text,
                    "{:.0} nodes/s, ",
                    self.nodes[i] as f64 / self.seconds[i].max(1e-9)
                );
            }
            let _ = write!(text, "{:.3} s a move", self.seconds[i] / self.moves[i].max(1) as f64);
            if self.deep[i] > 0 {
                let _ = write!(text, ", mean depth {:.1}", self.depths[i] as f64 / self.deep[i] as f64);
            }
            text.push('\n');
        }
        for (engine, (excessive, limited)) in engines.iter().zip(self.excessive.iter().zip(self.limited)) {
            if 2 * excessive > limited {
                let _ = writeln!(
                    text,
                    "warning: {} does not keep to {}: by its own count {excessive} of {limited} searches took more than \
                     {EXCESSIVE} times as many",
                    engine.name, engine.limit
                );
            }
        }
        if self.disputed > 0 {
            let _ = writeln!(text, "{} results differ from our own count", self.disputed);
        }
        text
    }
}

/// A number with its sign; no zero is negative.
fn signed(x: f64) -> String {
    let text = format!("{x:+.1}");
    if text == "-0.0" { "+0.0".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game::Played;
    use crate::arena::player::{Pace, Spec};

    fn engines(specs: [&str; 2]) -> Vec<EngineSpec> {
        let engine = |text| EngineSpec::new(&Spec::parse(text).expect("a spec"), Pace::Nodes(50)).expect("an engine");
        specs.map(engine).into()
    }

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
        let games = Games::from([
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
        let report = t.report(&engines(["cmd=a name=A", "cmd=b name=B"]), None);
        assert!(report.contains("+2 =2 -1, 60.0 %"));
        // Engine A moved first in games 0 and 2, that is 20 moves in 5 s each, else 10 moves in 1.1 s.
        assert!(
            report.contains("0.190 s a move") && report.contains("0.215 s a move"),
            "{report}"
        );
        assert!(t.summary().ends_with("forfeits 1 and 1"), "{}", t.summary());
        let clean = Tally::of(&Games::from([(0, game(2, None))]), None);
        assert!(!clean.summary().contains("forfeits"));
    }
    /// A whole pair for each of these points of the first engine.
    fn pairs(points: &[[u8; 2]]) -> Tally {
        let game = |points| Played {
            points,
            limited: [9, 9],
            excessive: [0, 5],
            ..Played::default()
        };
        let all = points.iter().enumerate();
        let games = all.flat_map(|(i, &[a, b])| [(2 * i, game(a)), (2 * i + 1, game(2 - b))]);
        Tally::of(&games.collect(), None)
    }

    #[test]
    fn what_few_games_cannot_carry_is_said_in_words() {
        let two = engines(["cmd=a name=A", "cmd=b name=B"]);
        for (points, words) in [
            (&[][..], "no pair of games is complete"),
            (&[[1, 1], [2, 0]], "all complete pairs of games (2) ended alike"),
            (&[[2, 2], [0, 0]], "2 pairs of games are too few to bound it"),
        ] {
            let report = pairs(points).report(&two, None);
            assert!(
                report.contains(words) && report.contains("superiority not told"),
                "{report}"
            );
            assert!(
                !report.contains('±') && !report.contains('?') && !report.contains("likelihood"),
                "{report}"
            );
        }
        let level = pairs(&[[2, 1], [1, 0]].repeat(5)).report(&two, None);
        assert!(level.contains("Elo        +0.0 ± "), "{level}");
        assert!(
            level.contains("normalized +0.0; likelihood of superiority 50.0 %"),
            "{level}"
        );
    }

    #[test]
    fn an_engine_against_itself_gets_no_verdict() {
        let engines = engines(["cmd=a name=A option.Hash=1", "cmd=a name=B option.Hash=1"]);
        let won = [[2, 2], [2, 1], [2, 0]].repeat(9);
        let same = Tally {
            alike: true,
            ..pairs(&won)
        };
        let (report, summary) = (same.report(&engines, None), same.summary());
        assert!(report.contains("both are the same program"), "{report}");
        for text in [report, summary] {
            assert!(!text.contains("Elo") && !text.contains("superiority"), "{text}");
        }
        let other = pairs(&won);
        let (report, summary) = (other.report(&engines, None), other.summary());
        assert!(
            report.contains("superiority") && summary.contains("Elo"),
            "{report}{summary}"
        );
    }

    #[test]
    fn searches_beyond_their_nodes_are_told() {
        // In the first game the second engine takes too many nodes, in the second one the first.
        let report = pairs(&[[1, 1]]).report(&engines(["cmd=a name=A", "cmd=b name=B"]), None);
        assert!(!report.contains("warning"), "{report}");
        let mut t = Tally::default();
        (t.limited, t.excessive) = ([10, 10], [5, 6]);
        let report = t.report(&engines(["cmd=a name=A", "cmd=b name=B"]), None);
        assert!(
            report.contains("warning: B does not keep to 50 nodes: by its own count 6 of 10"),
            "{report}"
        );
        assert!(!report.contains("A does not"), "{report}");
        assert!(
            !report.contains("nodes/s") && !report.contains("mean depth"),
            "none were counted: {report}"
        );
    }
}
