//! `nguky match`: engine against engine over pipes, refereed by the rules of the library.
//!
//! Games come in pairs: the same opening twice, colours swapped. Each game is fixed by its number, and finished games
//! are kept in a state file, so that a killed match goes on where it stopped.

pub mod books;
pub mod chinese;
pub mod coup;
pub mod crosstable;
pub mod game;
mod go;
mod heard;
pub mod identity;
mod jai;
pub mod kifu;
pub mod live;
pub mod openings;
pub mod pipe;
pub mod player;
pub mod protocol;
pub mod record;
mod runner;
mod schedule;
pub mod sgf;
mod spec;
pub mod state;
pub mod stats;
pub mod tally;

use crate::games::{every_game, of_game};
use crate::notation::Notation;
use anyhow::{Context, Result, bail};
use books::OpeningLine;
use clap::Args as ClapArgs;
use game::{Draw, MatchRules, Played, Resign};
use heard::Introduction;
use identity::EngineSpec;
use nguky::control::Options;
use nguky::game::{About, Position, Rules};
use nguky::register::{self, GO};
use openings::Paired;
pub use openings::setup_of;
use player::{Pace, Player, Spec};
use record::Format;
use runner::{Contest, MatchContext, Players};
use schedule::Tournament;
use state::{Bout, MatchState};
use std::path::PathBuf;
use std::time::Duration;

/// The command line of `nguky match`.
#[derive(ClapArgs)]
pub struct MatchArgs {
    #[arg(long, default_value = "chess", help = every_game())]
    game: String,
    /// An engine, "cmd=PATH [ARGS] [name=N] [proto=uci|ucci|usi|gtp] [tc=2+0.02] [nodes=K] [option.Hash=16]"; give two, or one to
    /// play the built-in engine, none for the built-in engine against itself, or more for a tournament. An option must
    /// be one that the engine declares. limit=own leaves a GTP engine to what its command line says, start=SECONDS
    /// gives an engine more time to start
    #[arg(long, value_name = "SPEC")]
    engine: Vec<String>,
    /// How three or more engines meet [default: round-robin]
    #[arg(long, value_enum, conflicts_with = "sprt")]
    tournament: Option<Tournament>,
    /// A rule of the game that the referee goes by, as the engines' option of that name: "RepetitionRule=chinese"
    #[arg(long, value_name = "NAME=VALUE")]
    rule: Vec<String>,
    /// Clock of both engines, [MOVES/]SECONDS[+INCREMENT], or [SECONDS]bBYOYOMI as in shogi
    #[arg(long, default_value = "1+0.01")]
    tc: String,
    /// Nodes a move instead of a clock
    #[arg(long, conflicts_with_all = ["depth", "movetime"], value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth instead of a clock
    #[arg(long, conflicts_with = "movetime", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Milliseconds a move instead of a clock
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Games between two engines; an odd number is rounded up to whole pairs
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,
    /// Where games start: random, or a file: positions one a line (FEN, SFEN, EPD), records (PGN; KIF and CSA of shogi,
    /// SGF of go), a Polyglot book (.bin), in go also the moves of an opening on each line
    #[arg(long, default_value = "random")]
    openings: String,
    /// Random openings start where one side does without pieces: the name of a handicap (shogi: lance, bishop and so on; a
    /// wrong one shows them all)
    #[arg(long, value_name = "NAME", conflicts_with = "openings")]
    handicap: Option<String>,
    /// Plies of an opening. Random ones [default: 8, 2 in go, none in cờ úp, where the deals differ]; at most so many of
    /// a record or book [default: of a finished game 16, in go 8, none behind a FEN tag; all of a game without result;
    /// of a Polyglot book 16]
    #[arg(long)]
    plies: Option<u32>,
    /// Seed of the random openings and deals
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// How far a clock may be passed before the game is lost
    #[arg(long, default_value_t = 50, value_name = "MS")]
    margin_ms: u64,
    /// How long beyond its time an engine is waited for before it counts as stalled
    #[arg(long, default_value_t = 10_000, value_name = "MS")]
    stall_ms: u64,
    /// Stop when the sequential test of ELO0,ELO1[,ALPHA,BETA] (normalized Elo, errors 0.05) is decided
    #[arg(long, allow_hyphen_values = true)]
    sprt: Option<String>,
    /// Call a game lost for an engine whose own score was SCORE or more behind for MOVES of its moves
    #[arg(long, value_name = "SCORE,MOVES")]
    resign: Option<String>,
    /// Call a game drawn when, from move NUMBER on, both scores were within SCORE for MOVES moves each
    #[arg(long, value_name = "NUMBER,MOVES,SCORE")]
    draw: Option<String>,
    /// Go: points of a side [default: 19]
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=25))]
    size: Option<u8>,
    /// Go: white's points for moving second [default: as the rules have it]
    #[arg(long, allow_hyphen_values = true)]
    komi: Option<f32>,
    /// Go: the GTP engine that counts, with its arguments; without it the referee's own dead-stone status does
    #[arg(long, value_name = "COMMAND")]
    referee: Option<String>,
    /// Where the games are recorded. Shogi is written as CSA or KIF, as the ending .csa, .kif or .kifu says; xiangqi in
    /// ICCS, or in Chinese when it is .zh.pgn [default: game and date, as in chess-2026-11-23.pgn; the same match goes
    /// on in the file that it began, another one gets a name of its own]
    #[arg(long, visible_alias = "record")]
    pgn: Option<PathBuf>,
    /// Where the state is kept for going on after a kill [default: beside the record]
    #[arg(long)]
    state: Option<PathBuf>,
    /// Do not keep the live file beside the state, which `nguky web` shows the match from while it runs
    #[arg(long)]
    no_live: bool,
    /// Plies after which a game is called drawn; in go its board is then counted as it stands
    #[arg(long, default_value_t = 600)]
    longest: usize,
    /// Cờ úp: speak JAI, the match-runner protocol of the JieqiBox interface, on the standard input and output; the
    /// interface sets what the other options would
    #[arg(long)]
    jai: bool,
    /// The meetings of a ladder, by the engines' places; empty for every other form.
    #[arg(skip)]
    pub pairs: Vec<[usize; 2]>,
}

impl MatchArgs {
    /// Where random openings begin.
    fn start<P: Position>(&self) -> Result<&'static str> {
        Ok(match &self.handicap {
            Some(name) => P::ABOUT.handicap(name).context("--handicap")?.setup,
            None => P::START,
        })
    }

    /// Whether the engines differ in nothing but their names.
    pub fn same_players(&self) -> Result<bool> {
        let pace = pace(self)?;
        let specs = specs(self)?;
        let engines: Vec<EngineSpec> = specs
            .iter()
            .map(|s| EngineSpec::new(s, s.pace.unwrap_or(pace)))
            .collect::<Result<_>>()?;
        Ok(engines.windows(2).all(|two| two[0].same_player(&two[1])))
    }
}

/// Runs a match.
pub fn run(args: &MatchArgs) -> Result<()> {
    if args.jai {
        return jai::run();
    }
    run_for(args, "match").map(drop)
}

/// Runs a match for one of the workbench's commands, whose name stands in the records, and gives its games.
pub fn run_for(args: &MatchArgs, command: &str) -> Result<MatchState> {
    let event = format!("nguky {command}");
    let game = register::find(&args.game)?;
    if game.name == GO.name {
        return runner::play_all(&go::GoMatch::new(args, &event)?, args);
    }
    let of_go = [
        ("--size", args.size.is_some()),
        ("--komi", args.komi.is_some()),
        ("--referee", args.referee.is_some()),
    ];
    if let Some((option, _)) = of_go.iter().find(|(_, given)| *given) {
        bail!("{option} is for go, not for {}", game.name);
    }
    of_game!(game.name, contest(args, &event))
}

fn contest<P: Paired>(args: &MatchArgs, event: &str) -> Result<MatchState> {
    P::contest(args, event)
}

/// The engines; without any, the built-in one against itself.
fn specs(args: &MatchArgs) -> Result<Vec<Spec>> {
    let mut given: Vec<Spec> = args.engine.iter().map(|t| Spec::parse(t)).collect::<Result<_>>()?;
    let game = register::find(&args.game)?;
    for spec in given.iter_mut().filter(|s| s.protocol.is_empty()) {
        spec.protocol = game.protocol.into();
    }
    let own = |name| built_in(game, name);
    match given.as_slice() {
        [a, b] => Ok(vec![a.clone(), b.clone()]),
        [a] => Ok(vec![a.clone(), own("nguky")?]),
        [] => Ok(vec![own("nguky A")?, own("nguky B")?]),
        _ if args.sprt.is_some() => bail!("--sprt compares two engines, not {}", given.len()),
        _ if given.len() > MOST_ENGINES => {
            bail!("a tournament has at most {MOST_ENGINES} engines, not {}", given.len())
        }
        all => match (1..all.len()).find(|&i| all[..i].iter().any(|s| s.name == all[i].name)) {
            // The table tells them apart by their names.
            Some(i) => bail!("two engines are named {:?}; give them names by name=", all[i].name),
            None => Ok(given),
        },
    }
}

/// Engines of a tournament.
const MOST_ENGINES: usize = 64;

/// The engine that lies beside this program.
pub fn built_in(game: &About, name: &str) -> Result<Spec> {
    let file = format!("{}{}", game.program, std::env::consts::EXE_SUFFIX);
    let path = std::env::current_exe()?.with_file_name(file);
    if !path.exists() {
        bail!("{} is missing; build it with: cargo build --release", path.display());
    }
    Ok(Spec {
        command: vec![path.display().to_string()],
        name: name.into(),
        protocol: game.program_protocol.into(),
        ..Spec::default()
    })
}

/// The game's rules with these settings, each `NAME=VALUE`.
pub fn rules<R: Rules>(settings: &[String]) -> Result<R> {
    let mut options = Options::default();
    options.declare_all(R::options());
    let mut rules = R::default();
    for setting in settings {
        let Some((name, value)) = setting.split_once('=') else {
            bail!("--rule: expected NAME=VALUE, not {setting:?}");
        };
        let set = options.set(name, Some(value))?;
        rules.set(set.name, &set.value.text())?;
    }
    Ok(rules)
}

/// What limits the moves of all engines that say nothing else.
fn pace(args: &MatchArgs) -> Result<Pace> {
    Ok(match (args.nodes, args.depth, args.movetime) {
        (Some(n), _, _) => Pace::Nodes(n),
        (_, Some(d), _) => Pace::Depth(d),
        (_, _, Some(t)) => Pace::MoveTime(Duration::from_millis(t)),
        _ => Pace::clock(&args.tc)?,
    })
}

fn terms(args: &MatchArgs) -> Result<MatchRules> {
    Ok(MatchRules {
        paces: [pace(args)?; 2],
        margin: Duration::from_millis(args.margin_ms),
        patience: Duration::from_millis(args.stall_ms),
        longest: args.longest,
        resign: args.resign.as_deref().map(Resign::parse).transpose()?,
        draw: args.draw.as_deref().map(Draw::parse).transpose()?,
    })
}

/// A match of a game with positions.
struct PositionMatch<P> {
    frame: MatchContext,
    openings: Vec<OpeningLine<P>>,
    format: Format,
}

impl<P: Notation> PositionMatch<P> {
    fn new(args: &MatchArgs, event: &str) -> Result<Self> {
        let pairs = args.games.div_ceil(2) as usize;
        let plies = args.plies.unwrap_or(P::PLIES);
        let mut frame = MatchContext::new(args, event, plies)?;
        let openings = match args.openings.as_str() {
            "random" => openings::random_from(args.start::<P>()?, pairs, plies, args.seed)?
                .into_iter()
                .map(OpeningLine::at)
                .collect(),
            file => books::from_file(file.as_ref(), pairs, args.plies, args.seed)?,
        };
        let rules = rules::<P::Rules>(&args.rule)?;
        let openings = openings
            .iter()
            .map(|line: &OpeningLine<P>| line.under(&rules).context("--openings under these rules"))
            .collect::<Result<Vec<_>>>()?;
        let format = match &args.pgn {
            Some(file) => record_of::<P>(Some(file.clone())).1,
            None => P::FORMATS.first().copied().unwrap_or_else(record::pgn_of::<P>),
        };
        frame.written(format.ending, format.first_line);
        Ok(Self {
            frame,
            openings,
            format,
        })
    }
}

impl<P: Notation> Contest for PositionMatch<P> {
    type Seats = Players;

    fn frame(&self) -> &MatchContext {
        &self.frame
    }

    fn games(&self) -> usize {
        2 * self.openings.len()
    }

    fn introduce(&self, seats: &mut Players, which: usize) -> Result<Introduction> {
        seats.introduce(which, Some(P::START), || Player::start(&self.frame.specs[which], &[]))
    }

    fn one(&self, seats: &mut Players, bout: Bout) -> Result<(Played, String)> {
        let line = &self.openings[bout.number / 2];
        let mut open = line.begin();
        let start = |spec: &Spec| Player::start(spec, &[]);
        let played = self.frame.play(seats, &mut open, bout, start)?;
        let text = (self.format.write)(&self.frame.head(bout), &line.whole(&played));
        Ok((played, text))
    }
}

/// The record's file and format: as its ending says, or what is usual in the game.
pub fn record_of<P: Notation>(file: Option<PathBuf>) -> (PathBuf, Format) {
    let usual = P::FORMATS.first().map_or("pgn", |f| f.ending);
    let file = file.unwrap_or_else(|| format!("games.{usual}").into());
    let name = file.to_string_lossy().to_ascii_lowercase();
    let fits = |f: &&Format| name.ends_with(&format!(".{}", f.ending));
    let known = P::FORMATS.iter().filter(fits).max_by_key(|f| f.ending.len());
    let format = known.copied().unwrap_or_else(record::pgn_of::<P>);
    (file, format)
}

/// The date as PGN writes it (Howard Hinnant's days-to-civil algorithm). It is the only use of a calendar, too little for a
/// crate.
pub fn today() -> String {
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let z = (seconds / 86_400) as i64 + 719_468;
    let (era, doe) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    format!("{:04}.{month:02}.{day:02}", yoe + era * 400 + i64::from(month <= 2))
}
