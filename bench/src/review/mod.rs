//! `nguky review`: what each move of a recorded game cost, reviewed by the engine.
//!
//! [`marks`] says which searches it takes and what follows from them, for the command line and the page alike; [`game`] has
//! the games with their engines, [`open`] finds out what a file holds, [`annotate`] writes the reviewed record.

pub mod annotate;
pub mod game;
pub mod marks;
pub mod open;
mod picture;
#[cfg(test)]
mod tests;

use crate::arena::today;
use crate::games::every_game;
use crate::records;
use crate::whole_file;
use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use game::ReviewGame;
use indicatif::{ProgressBar, ProgressStyle};
use marks::{Mark, Review};
use nguky::control::{Limits, TimeControl};
use nguky::register::GO;
use records::RecordedGame;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Games of a file that are looked through for the one that is wanted.
const MOST_GAMES: usize = 100_000;

/// The command line of `nguky review`.
#[derive(ClapArgs)]
pub struct ReviewArgs {
    /// The record: PGN, KIF, CSA, SGF, or JieqiBox's JSON
    file: PathBuf,
    #[arg(long, help = format!("{} [default: as the record tells]", every_game()))]
    game: Option<String>,
    /// Which game of the file, from 1
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
    /// Milliseconds a position
    #[arg(long, visible_alias = "time", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: u64,
    /// Nodes a position, or playouts in go, instead of a time
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Threads of the search
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// MiB of the hash table
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
    /// A rule of the game, as the engine's option of that name: "CapturedDark=both"
    #[arg(long, value_name = "NAME=VALUE")]
    rule: Vec<String>,
    /// Write the record with marks, comments and better lines to this file: .pgn, in shogi .kif or .csa too, in go .sgf
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the score over the moves into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Show the marked moves and the totals only
    #[arg(long)]
    marked: bool,
}

/// Reviews a game of a file.
pub fn run(args: &ReviewArgs) -> Result<()> {
    let bytes = records::bytes(&args.file)?;
    let (about, record, count) = found(args, &bytes).with_context(|| args.file.display().to_string())?;
    let names = record.names.clone();
    let mut game = game::with_engine(about, record, &args.rule).with_context(|| args.file.display().to_string())?;
    for (name, value) in [("Hash", args.hash.to_string()), ("Threads", args.threads.to_string())] {
        if game.engine().options().get(name).is_some() {
            game.engine().set_option(name, Some(&value))?;
        }
    }
    // A format that the game does not have is no reason to search first.
    let ending = args
        .out
        .as_deref()
        .map(|path| ending(path, game.as_ref()))
        .transpose()?;
    let sides = game.about().sides;
    let who = |i: usize| {
        if names[i].is_empty() {
            sides[i].to_string()
        } else {
            names[i].clone()
        }
    };
    println!(
        "{}: {} - {}, game {} of {count}",
        game.about().name,
        who(0),
        who(1),
        args.number
    );
    let review = run_review(args, game.as_mut())?;
    print!("{}", table(game.as_ref(), &review, args.marked));
    if let (Some(path), Some(ending)) = (&args.out, &ending) {
        let text = game.annotated(ending, &review, &annotate::ENGLISH).unwrap_or_default();
        whole_file::replace(path, text)?;
        println!("the annotated record is in {}", path.display());
    }
    if let Some(path) = &args.svg {
        picture::draw(path, &format!("{} - {} ({})", who(0), who(1), today()), sides, &review)?;
        println!("the picture is in {}", path.display());
    }
    Ok(())
}

/// The wanted game of a file, which game it is of, and how many the file holds.
fn found(args: &ReviewArgs, bytes: &[u8]) -> Result<(&'static str, RecordedGame, usize)> {
    let form = records::FileFormat::of(&args.file, &String::from_utf8_lossy(bytes));
    let text = records::decoded(bytes, open::encoding(form, args.game.as_deref(), bytes))?;
    let opened = open::open(&args.file, &text, args.game.as_deref(), MOST_GAMES)?;
    let (sound, number) = (opened.games.len(), args.number as usize);
    for damage in opened.damaged.iter().take(3) {
        if sound > 0 {
            eprintln!("{}: left out: {damage}", args.file.display());
        }
    }
    let Some(record) = opened.games.into_iter().nth(number - 1) else {
        match opened.damaged.first() {
            Some(damage) if sound == 0 => bail!("not a sound record of {}: {damage}", opened.about.name),
            _ => bail!("--number: the file holds {sound} sound games, not {number}"),
        }
    };
    if record.moves.is_empty() {
        bail!("the game has no moves");
    }
    Ok((opened.about.name, record, sound))
}

/// The ending of the file that the annotated record goes to.
fn ending(path: &Path, game: &dyn ReviewGame) -> Result<String> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let known: &[&str] = match game.about().name {
        name if name == GO.name => &["sgf"],
        "shogi" => &["kif", "kifu", "csa", "pgn"],
        _ => &["pgn"],
    };
    match ending {
        Some(ending) if known.contains(&ending.as_str()) => Ok(ending),
        _ => bail!(
            "--out: expected a name that ends in .{}, not {}",
            known.join(" or ."),
            path.display()
        ),
    }
}

/// Searches the game from its end to its start.
fn run_review(args: &ReviewArgs, game: &mut dyn ReviewGame) -> Result<Review> {
    let usual = match args.nodes {
        Some(nodes) => Limits::nodes(nodes),
        None => Limits {
            time: TimeControl::MoveTime(Duration::from_millis(args.movetime)),
            ..Limits::default()
        },
    };
    let mut review = game.review();
    let style = ProgressStyle::with_template("{bar:30} {percent}%, {eta} left")?;
    let bar = ProgressBar::new(review.progress().1 as u64).with_style(style);
    while let Some(query) = review.next() {
        let evaluation = game::search(game, &query, &usual)?;
        review.take(&query, evaluation);
        bar.set_position(review.progress().0 as u64);
    }
    bar.finish_and_clear();
    Ok(review)
}

/// The moves with their marks, and the totals.
fn table(game: &dyn ReviewGame, review: &Review, marked: bool) -> String {
    use std::fmt::Write;
    let rows = review.rows();
    let (points, luck) = (
        rows.iter().any(|r| r.points.is_some()),
        rows.iter().any(|r| r.luck.is_some()),
    );
    let mut text = format!(
        "{:<6} {:<14} {:<2} {:>6} {:>6} {:>6}",
        "move", "played", "", "best", "played", "loss"
    );
    let more = |text: &mut String, on: bool, word: &str| {
        if on {
            let _ = write!(text, " {word:>6}");
        }
    };
    more(&mut text, points, "points");
    more(&mut text, luck, "luck");
    text += "  better\n";
    for row in rows.iter().filter(|r| !marked || r.mark.is_some()) {
        let played = game.written(row.ply, std::slice::from_ref(&row.played));
        let played = played.first().map_or(row.played.as_str(), String::as_str);
        let sign = row.mark.map_or("", Mark::sign);
        let number = row.ply + 1;
        let _ = write!(
            text,
            "{number:<6} {played:<14} {sign:<2} {:>6.2} {:>6.2} {:>6.2}",
            row.before, row.after, row.loss
        );
        let figure = |on: bool, value: Option<f64>, digits: usize| match value {
            Some(value) if on => format!(" {value:>6.digits$}"),
            _ if on => format!(" {:>6}", ""),
            _ => String::new(),
        };
        text += &figure(points, row.points, 1);
        text += &figure(luck, row.luck, 2);
        if row.mark.is_some() {
            let _ = write!(text, "  {}", game.written(row.ply, &row.best.line).join(" "));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    let _ = write!(
        text,
        "\n{:<8} {:>5} {:>12} {:>8} {:>8} {:>9} {:>8}",
        "side", "moves", "inaccuracies", "mistakes", "blunders", "mean loss", "accuracy"
    );
    more(&mut text, points, "points");
    more(&mut text, luck, "luck");
    text.push('\n');
    for (name, total) in game.about().sides.iter().zip(review.totals()) {
        let [a, b, c] = total.marks;
        let _ = write!(
            text,
            "{name:<8} {:>5} {a:>12} {b:>8} {c:>8} {:>9.3} {:>8.1}",
            total.moves, total.loss, total.accuracy
        );
        if points {
            let _ = write!(text, " {:>6.1}", total.points.unwrap_or(0.0));
        }
        if luck {
            let _ = write!(text, " {:>+6.2}", total.luck.unwrap_or(0.0));
        }
        text.push('\n');
    }
    text
}
