//! The table of a tournament: who scored what against whom, and ratings fitted to all of it at once.
//!
//! Ratings are those under which the results are likeliest (Bradley and Terry 1952, a draw as half a win and half a loss,
//! as Ordo has it), with the mean of all engines at 0. Their errors are found from the pairs of games, which share an
//! opening, by the sandwich estimator, as the error of a match of two is found from its pairs.

use super::game::{EXCESSIVE, Fault, Played};
use super::live::LiveRow;
use super::state::Games;
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::fmt::Write;

/// Rating points per unit of the logistic curve.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
/// Steps of Newton's method; a dozen are usually enough.
const STEPS: usize = 200;

/// The ratings of so many engines by their meetings, for those that can be rated together: Elo above the mean of these.
pub fn rated(engines: usize, meetings: &[Meeting]) -> Vec<Option<Rating>> {
    ratings(&standings(engines, meetings), meetings)
}

/// The games of two engines by number; in odd ones the second has the first move.
pub struct Meeting<'a> {
    /// The engines, by their places in the tournament.
    pub pair: [usize; 2],
    /// Their games.
    pub games: &'a Games,
}

/// What one engine did.
#[derive(Clone, Debug, Default, PartialEq)]
struct Standing {
    /// Wins, draws and losses, by opponent and in all.
    against: Vec<[u64; 3]>,
    all: [u64; 3],
    /// Time losses, illegal moves, disconnects, stalls.
    faults: [u64; 4],
    /// Searches under a limit of nodes or depth, and those far above it.
    limited: u64,
    excessive: u64,
    /// Games whose result differs from our own count.
    disputed: u64,
}

fn games([w, d, l]: [u64; 3]) -> u64 {
    w + d + l
}

fn points([w, d, _]: [u64; 3]) -> f64 {
    w as f64 + d as f64 / 2.0
}

/// The doubled points of the first engine of a meeting.
fn doubled(number: usize, played: &Played) -> u8 {
    let p = played.points.min(2);
    if number % 2 == 1 { 2 - p } else { p }
}

fn standings(engines: usize, meetings: &[Meeting]) -> Vec<Standing> {
    let mut all = vec![
        Standing {
            against: vec![[0; 3]; engines],
            ..Standing::default()
        };
        engines
    ];
    for Meeting { pair, games } in meetings {
        for (&number, played) in *games {
            let first = usize::from(2 - doubled(number, played));
            for (own, other, class) in [(pair[0], pair[1], first), (pair[1], pair[0], 2 - first)] {
                all[own].against[other][class] += 1;
                all[own].all[class] += 1;
            }
            for side in 0..2 {
                let engine = &mut all[pair[side ^ (number % 2)]];
                engine.limited += u64::from(played.limited[side]);
                engine.excessive += u64::from(played.excessive[side]);
                engine.disputed += u64::from(played.disputed);
            }
            if let Some((side, fault)) = played.fault {
                let kind = match fault {
                    Fault::TimeLoss => 0,
                    Fault::IllegalMove => 1,
                    Fault::Disconnect => 2,
                    Fault::Stall => 3,
                };
                all[pair[(side & 1) ^ (number % 2)]].faults[kind] += 1;
            }
        }
    }
    all
}

/// A rating with half the width of its 95 % interval; the latter is unknown where games are too few or too equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo above the mean of the rated.
    pub elo: f64,
    /// Its error.
    pub error: Option<f64>,
}

/// The engines that can be rated together: the most of whom each took points, over however many others, from each
/// (Ford 1957). Who won or lost everything against the others has no rating that is likeliest.
fn connected(all: &[Standing]) -> Vec<usize> {
    let n = all.len();
    let mut reaches: Vec<Vec<bool>> = (0..n)
        .map(|i| (0..n).map(|j| i == j || points(all[i].against[j]) > 0.0).collect())
        .collect();
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reaches[i][j] |= reaches[i][k] && reaches[k][j];
            }
        }
    }
    let class = |i: usize| -> Vec<usize> { (0..n).filter(|&j| reaches[i][j] && reaches[j][i]).collect() };
    // Of classes alike in size the first.
    (0..n).map(class).rev().max_by_key(Vec::len).unwrap_or_default()
}

/// The ratings, for those who have one.
fn ratings(all: &[Standing], meetings: &[Meeting]) -> Vec<Option<Rating>> {
    let rated = connected(all);
    let mut found = vec![None; all.len()];
    if rated.len() < 2 {
        return found;
    }
    let n = rated.len();
    let met = |i: usize, j: usize| all[rated[i]].against[rated[j]];
    let expected = |r: &[f64], i: usize, j: usize| 1.0 / (1.0 + (r[j] - r[i]).exp());
    let mut r = vec![0.0; n];
    for _ in 0..STEPS {
        let mut slope = vec![0.0; n];
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                slope[i] += points(met(i, j)) - games(met(i, j)) as f64 * expected(&r, i, j);
            }
        }
        let step = product(&inverse(information(n, &r, &met, &expected)), &slope);
        let longest = step.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        // Long steps overshoot where the curve is flat.
        let scale = (2.0 / longest.max(2.0)).min(1.0);
        for (x, s) in r.iter_mut().zip(&step) {
            *x += scale * s;
        }
        if longest < 1e-12 {
            break;
        }
    }
    let mean = r.iter().sum::<f64>() / n as f64;
    let errors = errors(&rated, &r, meetings, &inverse(information(n, &r, &met, &expected)));
    for (i, &engine) in rated.iter().enumerate() {
        found[engine] = Some(Rating {
            elo: SCALE * (r[i] - mean),
            error: errors.as_ref().map(|e| SCALE * e[i]),
        });
    }
    found
}

/// Fisher's information of the results about the ratings.
fn information(
    n: usize,
    r: &[f64],
    met: &impl Fn(usize, usize) -> [u64; 3],
    expected: &impl Fn(&[f64], usize, usize) -> f64,
) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            let p = expected(r, i, j);
            let weight = games(met(i, j)) as f64 * p * (1.0 - p);
            matrix[i][i] += weight;
            matrix[i][j] -= weight;
        }
    }
    matrix
}

/// Half the width of the centred ratings' 95 % intervals, from Student's distribution; none where the pairs are too few
/// for the ratings, or all as expected.
fn errors(rated: &[usize], r: &[f64], meetings: &[Meeting], inverse: &[Vec<f64>]) -> Option<Vec<f64>> {
    let n = rated.len();
    let place = |engine: usize| rated.iter().position(|&e| e == engine);
    let (mut spread, mut pairs) = (vec![vec![0.0; n]; n], 0usize);
    for Meeting { pair, games } in meetings {
        let (Some(i), Some(j)) = (place(pair[0]), place(pair[1])) else {
            continue;
        };
        let p = 1.0 / (1.0 + (r[j] - r[i]).exp());
        for (&number, game) in games.iter().filter(|(number, _)| *number % 2 == 0) {
            let Some(second) = games.get(&(number + 1)) else {
                continue;
            };
            let score = f64::from(doubled(number, game) + doubled(number + 1, second)) / 2.0;
            let off = (score - 2.0 * p).powi(2);
            pairs += 1;
            for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                spread[a][b] += sign * off;
            }
        }
    }
    // As many degrees of freedom are used up as there are ratings but one.
    let free = pairs.checked_sub(n - 1).filter(|f| *f > 0)?;
    let whole = pairs as f64 / free as f64;
    let width = StudentsT::new(0.0, 1.0, free as f64).ok()?.inverse_cdf(0.975);
    let variance = |i: usize| -> f64 {
        let row: Vec<f64> = (0..n)
            .map(|k| (0..n).map(|l| inverse[i][l] * spread[l][k]).sum())
            .collect();
        (0..n).map(|k| row[k] * inverse[i][k]).sum::<f64>() * whole
    };
    let errors: Vec<f64> = (0..n).map(|i| width * variance(i).sqrt()).collect();
    errors.iter().all(|e| e.is_finite() && *e > 1e-9).then_some(errors)
}

/// The inverse of a connected Laplacian on what sums to nothing (its pseudoinverse): that of the matrix with 1/n added
/// everywhere, less 1/n (Gauss and Jordan, with pivots).
fn inverse(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    let share = 1.0 / n as f64;
    let mut out = vec![vec![0.0; n]; n];
    for i in 0..n {
        a[i].iter_mut().for_each(|x| *x += share);
        out[i][i] = 1.0;
    }
    for column in 0..n {
        let Some(pivot) = (column..n).max_by(|&x, &y| a[x][column].abs().total_cmp(&a[y][column].abs())) else {
            continue;
        };
        a.swap(column, pivot);
        out.swap(column, pivot);
        let head = a[column][column];
        if head == 0.0 {
            continue;
        }
        for k in 0..n {
            a[column][k] /= head;
            out[column][k] /= head;
        }
        for row in (0..n).filter(|&row| row != column) {
            let factor = a[row][column];
            for k in 0..n {
                let (x, y) = (a[column][k], out[column][k]);
                a[row][k] -= factor * x;
                out[row][k] -= factor * y;
            }
        }
    }
    out.iter_mut().flatten().for_each(|x| *x -= share);
    out
}

fn product(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let row = |r: &Vec<f64>| r.iter().zip(vector).map(|(a, b)| a * b).sum();
    matrix.iter().map(row).collect()
}

/// Text in a column of so many characters, to its left or its right.
fn column(text: &str, width: usize, left: bool) -> String {
    let gap = " ".repeat(width.saturating_sub(text.chars().count()));
    if left {
        format!("{text}{gap}")
    } else {
        format!("{gap}{text}")
    }
}

/// The share of the points that an engine took.
fn share(one: &Standing) -> f64 {
    points(one.all) / (games(one.all).max(1) as f64)
}

/// The engines, the best first.
fn ranked(all: &[Standing], rated: &[Option<Rating>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    // Who won all stands above the rated, who lost all below them: their shares tell.
    order.sort_by(|&a, &b| match (rated[a], rated[b]) {
        (Some(x), Some(y)) => y.elo.total_cmp(&x.elo),
        _ => share(&all[b]).total_cmp(&share(&all[a])),
    });
    order
}

/// The table of a tournament in figures; the best engine stands first.
pub fn rows(engines: usize, meetings: &[Meeting]) -> Vec<LiveRow> {
    let all = standings(engines, meetings);
    let rated = ratings(&all, meetings);
    let row = |i: usize| LiveRow {
        engine: i,
        wdl: all[i].all,
        elo: rated[i].map(|r| r.elo),
        error: rated[i].and_then(|r| r.error),
        faults: all[i].faults.iter().sum(),
    };
    ranked(&all, &rated).into_iter().map(row).collect()
}

/// The table of a tournament for a person, several lines; the best engine stands first.
pub fn table(names: &[&str], meetings: &[Meeting]) -> String {
    let all = standings(names.len(), meetings);
    let rated = ratings(&all, meetings);
    let order = ranked(&all, &rated);
    let mut rows = vec![
        ["", "engine", "games", "points", "score", "Elo", "±"]
            .map(String::from)
            .to_vec(),
    ];
    rows[0].extend((1..=names.len()).map(|n| n.to_string()));
    rows[0].push("faults".into());
    for (place, &i) in order.iter().enumerate() {
        let one = &all[i];
        let (elo, error) = match rated[i] {
            Some(r) => (
                format!("{:+.1}", r.elo),
                r.error.map_or("?".into(), |e| format!("{e:.1}")),
            ),
            None => ("-".into(), "-".into()),
        };
        let mut row = vec![
            (place + 1).to_string(),
            names[i].to_string(),
            games(one.all).to_string(),
            format!("{:.1}", points(one.all)),
            if games(one.all) == 0 {
                "-".into()
            } else {
                format!("{:.1} %", 100.0 * share(one))
            },
            elo,
            error,
        ];
        row.extend(order.iter().map(|&j| match one.against[j] {
            _ if i == j => "·".into(),
            [0, 0, 0] => "-".into(),
            [w, d, l] => format!("+{w} ={d} -{l}"),
        }));
        row.push(faults(one.faults));
        rows.push(row);
    }
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        // Names and faults are words.
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(c, cell)| column(cell, widths[c], c == 1 || c + 1 == row.len()))
            .collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text + &remarks(names, &all, &rated)
}

/// What the figures mean.
fn remarks(names: &[&str], all: &[Standing], rated: &[Option<Rating>]) -> String {
    let mut text = String::new();
    if rated.iter().any(Option::is_some) {
        text += "Elo above the mean of the rated, fitted to all games; ± is its 95 % interval, from pairs of games\n";
    }
    if rated.iter().flatten().any(|r| r.error.is_none()) {
        text += "± ?: too few pairs of games for an error\n";
    }
    let played = |i: usize| games(all[i].all) > 0;
    if (0..all.len()).any(|i| rated[i].is_none() && played(i)) {
        text += "Elo -: no rating fits whoever won, or lost, every game against the others\n";
    }
    for (name, one) in names.iter().zip(all).filter(|(_, s)| 2 * s.excessive > s.limited) {
        let _ = writeln!(
            text,
            "warning: {name} does not keep to its limit: by its own count {} of {} searches took more than {EXCESSIVE} times \
             as many",
            one.excessive, one.limited
        );
    }
    // Each such game counts for both of its engines.
    let disputed = all.iter().map(|s| s.disputed).sum::<u64>() / 2;
    if disputed > 0 {
        let _ = writeln!(text, "{disputed} results differ from our own count");
    }
    text
}

/// Faults in words.
fn faults(counts: [u64; 4]) -> String {
    let words = [
        ["time loss", "time losses"],
        ["illegal move", "illegal moves"],
        ["disconnect", "disconnects"],
        ["stall", "stalls"],
    ];
    let some = counts.iter().zip(words).filter(|(n, _)| **n > 0);
    let told: Vec<String> = some
        .map(|(n, word)| format!("{n} {}", word[usize::from(*n > 1)]))
        .collect();
    if told.is_empty() {
        "none".into()
    } else {
        told.join(", ")
    }
}

/// How far an engine leads in a few words, for the progress line.
pub fn summary(names: &[&str], meetings: &[Meeting]) -> String {
    let all = standings(names.len(), meetings);
    let forfeits: u64 = all.iter().flat_map(|s| s.faults).sum();
    let leader = (0..names.len()).max_by(|&a, &b| {
        let share = |i: usize| points(all[i].all) / (games(all[i].all).max(1) as f64);
        share(a).total_cmp(&share(b)).then(b.cmp(&a))
    });
    let mut text = match leader.filter(|&i| games(all[i].all) > 0) {
        Some(i) => format!("{} {:.1}/{}", names[i], points(all[i].all), games(all[i].all)),
        None => String::new(),
    };
    if forfeits > 0 {
        let _ = write!(text, "  forfeits {forfeits}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::stats::PairCounts;
    use super::*;

    /// Pairs of games with these sums of doubled points, 0 to 4, for the first engine.
    fn pairs(sums: &[u8]) -> Games {
        let game = |points: u8| Played {
            points,
            ..Played::default()
        };
        let pair = |(k, &sum): (usize, &u8)| {
            let (a, b) = (sum.min(2), sum - sum.min(2));
            [(2 * k, game(a)), (2 * k + 1, game(2 - b))]
        };
        sums.iter().enumerate().flat_map(pair).collect()
    }

    fn rated(engines: usize, met: &[([usize; 2], Games)]) -> Vec<Option<Rating>> {
        let meetings: Vec<Meeting> = met.iter().map(|(pair, games)| Meeting { pair: *pair, games }).collect();
        super::rated(engines, &meetings)
    }

    #[test]
    fn two_engines_have_the_elo_of_their_match() {
        let sums: Vec<u8> = (0..60).map(|k| [2, 3, 1, 4, 2, 2][k % 6]).collect();
        let found = rated(2, &[([0, 1], pairs(&sums))]);
        let (a, b) = (found[0].expect("rated"), found[1].expect("rated"));
        let (elo, error) = PairCounts([0, 10, 30, 10, 10]).elo().expect("an error");
        assert!((a.elo - b.elo - elo).abs() < 1e-6, "{a:?} {b:?} {elo}");
        // Each stands half the way from the mean, and so does its error.
        let both = 2.0 * a.error.expect("an error");
        assert!((both - error).abs() < 0.03 * error, "{both} against {error}");
    }

    #[test]
    fn three_engines_are_fitted_together() {
        // A beats B by 3 to 1, B beats C by 3 to 1, A beats C by 9 to 1: exactly 190.85 each, as the model has it.
        let three: Vec<u8> = (0..40).map(|k| [4, 2, 4, 2][k % 4]).collect();
        let nine: Vec<u8> = (0..40).map(|k| [4, 4, 4, 4, 2][k % 5]).collect();
        let met = [([0, 1], three.clone()), ([1, 2], three), ([0, 2], nine)];
        let met: Vec<_> = met.iter().map(|(pair, sums)| (*pair, pairs(sums))).collect();
        let found = rated(3, &met);
        let of = |i: usize| found[i].expect("rated");
        assert!((of(0).elo - 190.848).abs() < 0.01 && of(1).elo.abs() < 0.01 && (of(2).elo + 190.848).abs() < 0.01);
        assert!(
            (0..3).all(|i| of(i).error.is_some_and(|e| e > 10.0 && e < 60.0)),
            "{found:?}"
        );
        // Without the games of A and C the other two meetings say the same, with less certainty.
        let fewer = rated(3, &met[..2]);
        let of_fewer = |i: usize| fewer[i].expect("rated");
        assert!((of_fewer(0).elo - 190.848).abs() < 0.01);
        assert!(of_fewer(0).error > of(0).error);
    }

    #[test]
    fn who_wins_all_has_no_rating() {
        let (some, wins) = (pairs(&[2, 3, 1, 2]), pairs(&[4, 4]));
        let met = [([0, 1], some), ([2, 0], wins.clone()), ([2, 1], wins)];
        let found = rated(3, &met);
        assert!(
            found[0].is_some() && found[1].is_some() && found[2].is_none(),
            "{found:?}"
        );
        let meetings: Vec<Meeting> = met.iter().map(|(pair, games)| Meeting { pair: *pair, games }).collect();
        let text = table(&["A", "B", "Best"], &meetings);
        assert!(
            text.lines()
                .nth(1)
                .is_some_and(|l| l.contains("Best") && l.contains("100.0 %")),
            "{text}"
        );
        assert!(text.contains("no rating fits"), "{text}");
        // Nothing is said of nothing.
        assert_eq!(rated(3, &[]), [None; 3]);
        assert!(!table(&["A", "B", "C"], &[]).contains("Elo above"));
        // One pair has no error, equal pairs neither.
        assert_eq!(rated(2, &[([0, 1], pairs(&[2]))])[0].and_then(|r| r.error), None);
        assert_eq!(
            rated(2, &[([0, 1], pairs(&[2, 2, 2, 2]))])[0].and_then(|r| r.error),
            None
        );
    }

    #[test]
    fn the_table_counts_every_side_and_fault() {
        let mut games = pairs(&[4, 3]);
        if let Some(game) = games.get_mut(&1) {
            // The second engine moves first in it.
            game.fault = Some((0, Fault::TimeLoss));
        }
        let met = [([0, 1], games), ([0, 2], pairs(&[1])), ([1, 2], pairs(&[2]))];
        let meetings: Vec<Meeting> = met.iter().map(|(pair, games)| Meeting { pair: *pair, games }).collect();
        let text = table(&["Alpha", "Beta", "Gamma"], &meetings);
        let row = |name: &str| text.lines().find(|l| l.contains(name)).unwrap_or_default().to_string();
        for (name, parts) in [
            ("Alpha", ["6", "4.0", "66.7 %", "+3 =1 -0", "+0 =1 -1", "none"]),
            ("Beta", ["6", "1.5", "25.0 %", "+0 =1 -3", "1 time loss", "·"]),
            ("Gamma", ["4", "2.5", "62.5 %", "+1 =1 -0", "none", "·"]),
        ] {
            for part in parts {
                assert!(row(name).contains(part), "{part:?} of {name} in\n{text}");
            }
        }
        let heads: Vec<usize> = text
            .lines()
            .take(4)
            .map(|l| l.find("faults").unwrap_or(0).min(1))
            .collect();
        assert_eq!(heads, [1, 0, 0, 0]);
        assert!(summary(&["Alpha", "Beta", "Gamma"], &meetings).contains("forfeits 1"));
    }
}
