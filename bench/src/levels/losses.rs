//! What the moves of each level cost: games of a ladder's record, reviewed at full strength.

use crate::records::{self, FileFormat, RecordedGame};
use crate::review::game;
use crate::review::marks::Evaluation;
use crate::review::open;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use nguky::control::Limits;
use nguky::game::About;
use std::path::Path;

/// Games that are read of a record.
const MOST_GAMES: usize = 1_000_000;
/// Losses beyond this many hundredths count as this: both positions are decided.
const CLEAR: i32 = 1000;

/// The losses of a level.
#[derive(Clone, Debug, Default)]
pub struct LevelLoss {
    games: u32,
    /// Of expected score, 0 to 1, by move.
    losses: Vec<f64>,
    /// In hundredths of a pawn, in go of a point.
    hundredths: Vec<i32>,
}

impl LevelLoss {
    /// Moves counted.
    pub const fn moves(&self) -> usize {
        self.losses.len()
    }

    /// Mean loss of expected score.
    pub fn mean(&self) -> f64 {
        self.losses.iter().sum::<f64>() / (self.moves().max(1) as f64)
    }

    /// Mean loss in hundredths.
    pub fn mean_hundredths(&self) -> f64 {
        let sum: i64 = self.hundredths.iter().map(|&x| i64::from(x)).sum();
        sum as f64 / (self.hundredths.len().max(1) as f64)
    }

    /// The loss of expected score that this share of the moves does not pass; 1 gives the worst.
    pub fn share(&self, share: f64) -> f64 {
        let mut sorted = self.losses.clone();
        sorted.sort_by(f64::total_cmp);
        let place = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
    }
}

/// One number of an evaluation for the side to move: hundredths, and a mate beyond all of them.
fn value(e: &Evaluation) -> i32 {
    let lead = e.lead.map(|l| (100.0 * l) as i32);
    let mated = e.mate.map(|m| if m > 0 { CLEAR } else { -CLEAR });
    e.cp.or(lead).or(mated).unwrap_or(0).clamp(-CLEAR, CLEAR)
}

/// The losses of the players with these names, from up to so many games of each; searches of so many nodes. Opening moves
/// do not count.
///
/// # Errors
/// Where the record cannot be read.
pub fn of_record(
    about: &'static About,
    path: &Path,
    names: &[String],
    nodes: u64,
    most: u32,
    settings: &[String],
) -> Result<Vec<LevelLoss>> {
    let told = || path.display().to_string();
    let bytes = records::bytes(path)?;
    let form = FileFormat::of(path, &String::from_utf8_lossy(&bytes));
    let text = records::decoded(&bytes, open::encoding(form, Some(about.name), &bytes)).with_context(told)?;
    let opened = open::open(path, &text, Some(about.name), MOST_GAMES).with_context(told)?;
    let mut found = vec![LevelLoss::default(); names.len()];
    let place = |name: &str| names.iter().position(|n| n == name);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games reviewed, {eta} left")?;
    let wanted = u64::from(most) * names.len() as u64;
    let bar = ProgressBar::new(wanted).with_style(style);
    for record in opened.games {
        let players = [place(&record.names[0]), place(&record.names[1])];
        let wants = |p: &Option<usize>| p.is_some_and(|i| found[i].games < most);
        if record.moves.is_empty() || !players.iter().any(wants) {
            continue;
        }
        let counted = players.map(|p| p.filter(|_| wants(&p)));
        for i in counted.into_iter().flatten() {
            found[i].games += 1;
            bar.inc(1);
        }
        review(about, record, nodes, settings, counted, &mut found)?;
    }
    bar.finish_and_clear();
    Ok(found)
}

/// Adds what the moves of one game cost to those of its players who count.
fn review(
    about: &'static About,
    record: RecordedGame,
    nodes: u64,
    settings: &[String],
    players: [Option<usize>; 2],
    found: &mut [LevelLoss],
) -> Result<()> {
    let opening: Vec<bool> = record.moves.iter().map(|m| m.comment.trim() == "opening").collect();
    let mut game = game::with_engine(about.name, record, settings)?;
    let mut review = game.review();
    let usual = Limits::nodes(nodes);
    while let Some(query) = review.next() {
        let evaluation = game::search(game.as_mut(), &query, &usual)?;
        review.take(&query, evaluation);
    }
    let rows = review.rows();
    for (k, row) in rows.iter().enumerate() {
        let counts = !opening.get(row.ply).copied().unwrap_or(false);
        let Some(i) = players[row.side & 1].filter(|_| counts) else {
            continue;
        };
        found[i].losses.push(row.loss);
        // Where luck took part, the next position's score is not that of the move.
        if let Some(next) = rows
            .get(k + 1)
            .filter(|next| next.ply == row.ply + 1 && row.luck.is_none())
        {
            let best = row.best.best.as_deref() == Some(row.played.as_str());
            let cost = value(&row.best) + value(&next.best);
            found[i].hundredths.push(if best { 0 } else { cost.clamp(0, CLEAR) });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_shares() {
        let loss = LevelLoss {
            games: 1,
            losses: vec![0.3, 0.0, 0.1, 0.0],
            hundredths: vec![200, 0, 100, 0],
        };
        assert_eq!((loss.moves(), loss.share(1.0), loss.share(0.5)), (4, 0.3, 0.0));
        assert!((loss.mean() - 0.1).abs() < 1e-12 && (loss.mean_hundredths() - 75.0).abs() < 1e-12);
        let none = LevelLoss::default();
        assert_eq!((none.mean(), none.share(0.99), none.mean_hundredths()), (0.0, 0.0, 0.0));
    }

    /// A game between a level that hangs its queen and another one.
    #[test]
    #[cfg(feature = "chess")]
    fn a_queen_left_hanging_costs_its_level() {
        let folder = std::env::temp_dir().join(format!("nguky-losses-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("games.pgn");
        let text = "[Event \"nguky levels\"]\n[White \"1000\"]\n[Black \"1200\"]\n[Result \"*\"]\n\n\
                    1. e4 {opening} e5 {opening} 2. Qg4 d6 3. Qxc8 Qxc8 *\n\n";
        std::fs::write(&path, text).expect("written");
        let names = ["1000".to_string(), "1200".to_string()];
        let about = nguky::register::find("chess").expect("chess");
        let found = of_record(about, &path, &names, 2000, 5, &[]).expect("losses");
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(found.iter().map(LevelLoss::moves).collect::<Vec<_>>(), [2, 2]);
        assert!(
            found[0].share(1.0) > 0.3 && found[0].mean() > found[1].mean(),
            "{found:?}"
        );
    }
}
