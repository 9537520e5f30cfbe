//! The ladder as a Markdown table.

use super::fit::{Anchor, Scale};
use super::losses::LevelLoss;
use crate::arena::crosstable::Rating;
use crate::arena::state::MatchState;
use crate::arena::stats::{PairCounts, elo};
use crate::arena::tally::Tally;
use nguky::game::Level;
use std::fmt::Write;

/// What a level should score against the next lower one, in hundredths; ranks of go have no upper bound.
const NEIGHBOURS: [f64; 2] = [65.0, 85.0];
/// What it should score at least against the one two lower, except in go.
const TWO_APART: f64 = 85.0;

/// One level.
pub struct Row {
    /// Its Elo, in go its rank.
    pub name: String,
    /// What it is set to.
    pub elo: i32,
    /// What it plays with.
    pub setting: Option<Level>,
    /// What it came out at.
    pub measured: Option<Rating>,
}

/// The games of two engines, by their places, from the first one's side.
pub struct Met {
    /// The engines.
    pub pair: [usize; 2],
    /// Wins, draws, losses.
    pub wdl: [u64; 3],
    /// Pairs of games.
    pub pairs: PairCounts,
}

impl Met {
    fn games(&self) -> u64 {
        self.wdl.iter().sum()
    }

    /// The score in hundredths.
    pub fn score(&self) -> f64 {
        let [won, drawn, _] = self.wdl.map(|n| n as f64);
        100.0 * (won + drawn / 2.0) / (self.games().max(1) as f64)
    }
}

/// A measured ladder.
pub struct Ladder {
    /// The game's name.
    pub game: &'static str,
    /// Whether levels are ranks.
    pub ranked: bool,
    /// The levels, weakest first.
    pub rows: Vec<Row>,
    /// The anchors, whose places are behind those of the levels.
    pub anchors: Vec<Anchor>,
    /// Everybody's rating.
    pub scale: Scale,
    /// What was played.
    pub meetings: Vec<Met>,
    /// A table with even steps.
    pub proposal: Vec<Level>,
    /// Games in all.
    pub games: usize,
}

/// What was played between these engines.
pub fn met(pairs: &[[usize; 2]], state: &MatchState) -> Vec<Met> {
    let one = |&pair: &[usize; 2]| {
        let tally = Tally::of(state.games(pair), None);
        Met {
            pair,
            wdl: tally.wdl,
            pairs: tally.pairs,
        }
    };
    pairs.iter().map(one).filter(|m| m.games() > 0).collect()
}

impl Ladder {
    fn meeting(&self, high: usize, low: Option<usize>) -> Option<&Met> {
        self.meetings.iter().find(|m| Some(m.pair) == low.map(|l| [high, l]))
    }

    /// The meetings whose score is not what levels should have.
    pub fn outside(&self) -> Vec<String> {
        let levels = self.rows.len();
        let mut found = Vec::new();
        for m in self.meetings.iter().filter(|m| m.pair[1] < levels) {
            let [high, low] = m.pair;
            let score = m.score();
            let wanted = match (high - low, self.ranked) {
                (1, true) if score < NEIGHBOURS[0] => format!("{:.0} % or more", NEIGHBOURS[0]),
                (1, false) if !(NEIGHBOURS[0]..=NEIGHBOURS[1]).contains(&score) => {
                    format!("{:.0} to {:.0} %", NEIGHBOURS[0], NEIGHBOURS[1])
                }
                (2.., false) if score <= TWO_APART => format!("more than {TWO_APART:.0} %"),
                _ if score < 50.0 => "50 % or more".into(),
                _ => continue,
            };
            let [a, b] = [high, low].map(|i| &self.rows[i].name);
            found.push(format!("{a} against {b}: {score:.1} %, expected {wanted}"));
        }
        found
    }
}

fn results(met: Option<&Met>) -> [String; 2] {
    met.map_or([String::new(), String::new()], |m| {
        let [w, d, l] = m.wdl;
        [format!("{w}, {d}, {l}"), format!("{:.1} %", m.score())]
    })
}

fn figures(rating: Option<Rating>) -> [String; 2] {
    rating.map_or(["-".into(), "-".into()], |r| {
        [
            format!("{:.0}", r.elo),
            r.error.map_or("?".into(), |e| format!("{e:.0}")),
        ]
    })
}

/// The whole report.
pub fn markdown(ladder: &Ladder, lost: Option<&[LevelLoss]>) -> String {
    let mut text = format!("\n# Levels of {}, {} games\n\n", ladder.game, ladder.games);
    text += "| level | nodes, lines, error | Elo | ± | won, drawn, lost against the next lower | score | two lower | score |\n";
    text += "|---|---|---|---|---|---|---|---|\n";
    for (i, row) in ladder.rows.iter().enumerate() {
        let setting = row
            .setting
            .map_or(String::new(), |s| format!("{}, {}, {}", s.nodes, s.lines, s.noise));
        let [elo, error] = figures(row.measured);
        let [next, score] = results(ladder.meeting(i, i.checked_sub(1)));
        let [two, both] = results(ladder.meeting(i, i.checked_sub(2)));
        let name = &row.name;
        let _ = writeln!(
            text,
            "| {name} | {setting} | {elo} | {error} | {next} | {score} | {two} | {both} |"
        );
    }
    text += "\nElo by maximum likelihood (Bradley and Terry, a draw as half a win), ";
    text += if ladder.anchors.is_empty() {
        "the weakest level at its own setting"
    } else {
        "moved to the anchors"
    };
    text += "; ± is the 95 % interval of the distance from the mean of all, from pairs of games.\n";
    anchors(&mut text, ladder);
    let outside = ladder.outside();
    if !outside.is_empty() {
        let _ = writeln!(text, "\nNot as levels should be:\n\n- {}", outside.join("\n- "));
    }
    if ladder.proposal.len() > 1 {
        text += "\nWith even steps, by these games:\n\n";
        for Level {
            elo,
            nodes,
            lines,
            noise,
        } in &ladder.proposal
        {
            let _ = writeln!(text, "    Level::new({elo}, {nodes}, {lines}, {noise}),");
        }
    }
    if let Some(lost) = lost {
        text += "\nWhat a move costs, by searches at full strength (a loss of hundredths counts up to 1000):\n\n";
        text += "| level | moves | mean loss of expected score | mean loss in hundredths | one move in a hundred loses more than | worst |\n";
        text += "|---|---|---|---|---|---|\n";
        for (row, loss) in ladder.rows.iter().zip(lost).filter(|(_, l)| l.moves() > 0) {
            let _ = writeln!(
                text,
                "| {} | {} | {:.4} | {:.1} | {:.2} | {:.2} |",
                row.name,
                loss.moves(),
                loss.mean(),
                loss.mean_hundredths(),
                loss.share(0.99),
                loss.share(1.0)
            );
        }
    }
    text
}

/// The anchors: where they came out, and the levels that met them.
fn anchors(text: &mut String, ladder: &Ladder) {
    if ladder.anchors.is_empty() {
        return;
    }
    *text += "\n| anchor | its Elo | measured | ± | level | won, drawn, lost by the level | score | Elo difference |\n";
    *text += "|---|---|---|---|---|---|---|---|\n";
    for (k, anchor) in ladder.anchors.iter().enumerate() {
        let [own, error] = figures(ladder.scale.anchors[k]);
        let place = ladder.rows.len() + k;
        for m in ladder.meetings.iter().filter(|m| m.pair[1] == place) {
            let [results, score] = results(Some(m));
            let difference = match m.pairs.elo() {
                Some((elo, error)) => format!("{elo:+.0} ± {error:.0}"),
                // No rating fits whoever won, or lost, every game; a zero has no sign of its own.
                None if [0.0, 100.0].contains(&m.score()) => "-".into(),
                None => format!("{:+.0}", elo(m.score() / 100.0) + 0.0),
            };
            let (name, level) = (&anchor.name, &ladder.rows[m.pair[0]].name);
            let _ = writeln!(
                text,
                "| {name} | {} | {own} | {error} | {level} | {results} | {score} | {difference} |",
                anchor.elo
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(scores: &[([usize; 2], [u64; 3])]) -> Ladder {
        let row = |i: i32| Row {
            name: (1000 + 200 * i).to_string(),
            elo: 1000 + 200 * i,
            setting: Some(Level::new(1000 + 200 * i, 50, 4, 100)),
            measured: Some(Rating {
                elo: 1000.0 + 190.0 * f64::from(i),
                error: (i > 0).then_some(31.0),
            }),
        };
        Ladder {
            game: "xiangqi",
            ranked: false,
            rows: (0..3).map(row).collect(),
            anchors: vec![Anchor {
                name: "other".into(),
                elo: 1300,
            }],
            scale: Scale {
                levels: Vec::new(),
                anchors: vec![None],
            },
            meetings: scores
                .iter()
                .map(|&(pair, wdl)| Met {
                    pair,
                    wdl,
                    pairs: PairCounts::default(),
                })
                .collect(),
            proposal: vec![Level::new(1000, 50, 4, 100), Level::new(1200, 90, 3, 70)],
            games: 40,
        }
    }

    #[test]
    fn the_table_has_scores_errors_anchors_and_the_proposal() {
        let text = markdown(
            &ladder(&[
                ([1, 0], [7, 1, 2]),
                ([2, 1], [8, 0, 2]),
                ([2, 0], [9, 1, 0]),
                ([1, 3], [4, 2, 4]),
            ]),
            None,
        );
        for line in [
            "| 1000 | 50, 4, 100 | 1000 | ? |  |  |  |  |",
            "| 1400 | 50, 4, 100 | 1380 | 31 | 8, 0, 2 | 80.0 % | 9, 1, 0 | 95.0 % |",
            "| other | 1300 | - | - | 1200 | 4, 2, 4 | 50.0 % | +0 |",
            "    Level::new(1200, 90, 3, 70),",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\nin{text}");
        }
        assert!(!text.contains("Not as levels should be"), "{text}");
    }

    #[test]
    fn the_ladder_is_drawn_where_there_are_ratings() {
        let path = std::env::temp_dir().join(format!("nguky-levels-{}.svg", std::process::id()));
        let mut ladder = ladder(&[]);
        assert!(super::super::picture::draw(&path, &ladder).expect("drawn"));
        let text = std::fs::read_to_string(&path).expect("a picture");
        std::fs::remove_file(&path).expect("removed");
        assert!(
            text.starts_with("<svg") && text.contains("Levels of xiangqi, 40 games"),
            "{text}"
        );
        ladder.rows.iter_mut().for_each(|row| row.measured = None);
        assert!(!super::super::picture::draw(&path, &ladder).expect("nothing to draw") && !path.exists());
    }

    #[test]
    fn what_is_no_level_is_named() {
        let found = ladder(&[
            ([1, 0], [6, 0, 4]),
            ([2, 1], [9, 0, 1]),
            ([2, 0], [8, 1, 1]),
            ([1, 3], [0, 0, 9]),
        ])
        .outside();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[0].contains("1200 against 1000: 60.0 %, expected 65 to 85 %"),
            "{found:?}"
        );
        assert!(found[2].contains("expected more than 85 %"), "{found:?}");
        let mut of_go = ladder(&[([1, 0], [9, 0, 1]), ([2, 1], [4, 0, 6]), ([2, 0], [7, 0, 3])]);
        of_go.ranked = true;
        assert_eq!(of_go.outside().len(), 1, "{:?}", of_go.outside());
    }
}
