//! Chance nodes on real positions of cờ úp: what is pruned does not change the value, and much is pruned.

use nguky::eval::Material;
use nguky::game::{Evaluator, Kind, Moves, Outcome, Outcomes, Position};
use nguky::games::coup::{Coup, CoupRules};
use nguky::search::chance::{ExpectationMode, WinCurve, expectation};
use nguky::search::score::{INFINITE, MATE, RULE_FLOOR, Score};

/// A plain search without any of the engine's other shortcuts.
struct Plain {
    pos: Coup,
    eval: Material<Coup>,
    nodes: u64,
}

/// The win probability of a score and back, as in the search: unit 360, scores of whole hundredths.
fn chance(score: Score) -> f64 {
    match score {
        s if s >= RULE_FLOOR => 1.0,
        s if s <= -RULE_FLOOR => 0.0,
        s => 1.0 / (1.0 + (-f64::from(s.clamp(-8000, 8000)) / 360.0).exp()),
    }
}

fn score(chance: f64) -> f64 {
    match chance {
        c if c <= 0.0 => -8000.0,
        c if c >= 1.0 => 8000.0,
        c => (360.0 * (c / (1.0 - c)).ln()).clamp(-8000.0, 8000.0),
    }
}

impl Plain {
    fn new(setup: &str) -> Self {
        Self {
            pos: Coup::parse(setup, &CoupRules::default()).unwrap_or_else(|e| panic!("{e}")),
            eval: Material::default(),
            nodes: 0,
        }
    }

    fn outcomes(&self) -> Vec<Outcome> {
        let mut all = Outcomes::default();
        self.pos.outcomes(&mut all);
        let mut some: Vec<Outcome> = all.into_iter().take_while(|o| o.weight > 0).collect();
        some.sort_by_key(|o| std::cmp::Reverse(o.weight));
        some
    }

    fn leaf(&mut self) -> Score {
        self.eval.reset(&self.pos);
        self.eval.score(&self.pos)
    }

    /// Every move and every outcome.
    fn brute(&mut self, depth: u32, ply: Score) -> Score {
        self.nodes += 1;
        if self.pos.covered() {
            let all = self.outcomes();
            let total: f64 = all.iter().map(|o| f64::from(o.weight)).sum();
            let values: Vec<(f64, Score)> = all
                .iter()
                .map(|&o| {
                    self.pos.reveal(o);
                    let value = self.brute(depth, ply);
                    self.pos.cover();
                    (f64::from(o.weight) / total, value)
                })
                .collect();
            if let [(_, only)] = values[..] {
                return only;
            }
            // Where every outcome mates, the slowest mate counts; where every outcome is mated, the slowest too.
            let (least, most) = values
                .iter()
                .fold((INFINITE, -INFINITE), |(a, b), (_, v)| (a.min(*v), b.max(*v)));
            return match (least >= RULE_FLOOR, most <= -RULE_FLOOR) {
                (true, _) => least,
                (_, true) => most,
                _ => score(values.iter().map(|(w, v)| w * chance(*v)).sum()).round() as Score,
            };
        }
        let mut moves = Moves::new();
        self.pos.generate(Kind::All, &mut moves);
        if moves.is_empty() {
            return ply - MATE;
        }
        if depth == 0 {
            return self.leaf();
        }
        let mut best = -INFINITE;
        for m in moves.iter() {
            self.pos.play(m);
            best = best.max(-self.brute(depth - 1, ply + 1));
            self.pos.undo();
        }
        best
    }

    /// Alpha-beta, with or without bounds at chance nodes.
    fn pruned(&mut self, depth: u32, ply: Score, mut alpha: Score, beta: Score, star: bool) -> Score {
        self.nodes += 1;
        if self.pos.covered() {
            let all = self.outcomes();
            let mode = ExpectationMode {
                curve: WinCurve(360.0),
                narrow: false,
            };
            // In the open window no outcome is left out.
            let (low, high) = if star || all.len() == 1 {
                (alpha, beta)
            } else {
                (-INFINITE, INFINITE)
            };
            return expectation(&all, &[], low, high, mode, |o, a, b| {
                let (a, b) = if star || all.len() == 1 {
                    (a, b)
                } else {
                    (-INFINITE, INFINITE)
                };
                self.pos.reveal(o);
                let value = self.pruned(depth, ply, a, b, star);
                self.pos.cover();
                value
            });
        }
        let mut moves = Moves::new();
        self.pos.generate(Kind::All, &mut moves);
        if moves.is_empty() {
            return ply - MATE;
        }
        if depth == 0 {
            return self.leaf();
        }
        let mut list: Vec<_> = moves.iter().collect();
        list.sort_by_key(|&m| (-self.pos.gain(m), self.pos.turns_up(m)));
        let mut best = -INFINITE;
        for m in list {
            self.pos.play(m);
            let value = -self.pruned(depth - 1, ply + 1, -beta, -alpha, star);
            self.pos.undo();
            best = best.max(value);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

/// Small positions and the depth to which all of their tree is walked.
const SMALL: [(&str, u32); 8] = [
    ("3k5/9/9/9/9/9/X1X6/9/9/4K4 w R1P2A1 0 1", 3),
    ("3k1x3/9/9/9/9/9/X8/1X7/9/4K4 w R1C1n1r1 0 1", 3),
    ("3k5/9/9/9/9/9/X8/9/9/3XK4 w A1R1 0 1", 4),
    ("3k1xx2/9/9/9/9/9/9/9/9/R3K4 b a1r1 0 1", 3),
    ("4k4/4a4/9/9/9/9/9/9/9/X2K1X3 w R2N1 0 1", 3),
    (
        "x5xxN/3kA4/r1b1p4/6B2/9/4B4/X4n3/2N2R3/4A4/3X1K3 w R0A0C0P2N0B0r0a0c1p2n0b0 5 33",
        2,
    ),
    (
        "9/4k4/5R2p/2n5x/8c/9/9/2N1A1B2/9/1X1XK1XP1 w R0A1C0P1N0B1r0a1c0p0n0b0 3 41",
        2,
    ),
    (Coup::START, 1),
];

#[test]
fn the_value_is_that_of_brute_force() {
    for (setup, depth) in SMALL {
        let mut p = Plain::new(setup);
        let brute = p.brute(depth, 0);
        for star in [false, true] {
            let pruned = p.pruned(depth, 0, -INFINITE, INFINITE, star);
            assert!(
                f64::from(brute - pruned).abs() <= 1e-6,
                "{brute} {pruned} star {star}: {setup}"
            );
        }
        // In a window it is a bound on the right side.
        for (alpha, beta) in [
            (brute - 50, brute - 20),
            (brute + 20, brute + 50),
            (brute - 1, brute + 1),
        ] {
            let value = p.pruned(depth, 0, alpha, beta, true);
            let right = match () {
                () if brute <= alpha => value <= alpha,
                () if brute >= beta => value >= beta,
                () => value == brute,
            };
            assert!(right, "{value} for {brute} in {alpha}..{beta}: {setup}");
        }
        assert_eq!(p.pos.setup(), Plain::new(setup).pos.setup());
    }
}

/// Nodes of a search of three plies with and without bounds at chance nodes; the values are the same.
fn nodes(setups: &[&str]) -> (u64, u64) {
    let (mut with, mut without) = (0, 0);
    for setup in setups {
        let mut p = Plain::new(setup);
        let plain = p.pruned(3, 0, -INFINITE, INFINITE, false);
        without += std::mem::take(&mut p.nodes);
        assert_eq!(p.pruned(3, 0, -INFINITE, INFINITE, true), plain, "{setup}");
        with += p.nodes;
    }
    println!("{with} nodes with bounds, {without} without");
    (with, without)
}

#[test]
fn bounds_at_chance_nodes_save_a_third() {
    let (with, without) = nodes(&Coup::BENCH[3..]);
    assert!(10 * with <= 7 * without, "{with} of {without}");
}

#[test]
#[ignore = "the whole bench set takes a minute"]
fn bounds_at_chance_nodes_save_a_third_of_the_bench() {
    let (with, without) = nodes(Coup::BENCH);
    assert!(10 * with <= 7 * without, "{with} of {without}");
}
