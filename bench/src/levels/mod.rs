//! `nguky levels`: how strong the levels of a game are.
//!
//! Each level plays its neighbours, those two apart and the anchors: engines whose Elo is known. `nguky match` plays and
//! keeps the games, [`fit`] rates the levels by all of them at once and says which node counts and errors would make even
//! steps, [`report`] writes the table, [`picture`] draws it, and [`losses`] says what the moves of each level cost.

mod fit;
mod limit;
mod losses;
mod picture;
mod report;

pub use limit::limit_strength;

use crate::arena::crosstable::{Meeting, rated};
use crate::arena::state::MatchState;
use crate::arena::{self, player};
use crate::games::every_game;
use crate::whole_file;
use anyhow::{Context, Result, bail};
use clap::{Args as ClapArgs, Parser};
use fit::{Anchor, Scale};
use nguky::game::{About, Level};
use nguky::games::go::levels as go;
use nguky::register::{self, GO};
use report::{Ladder, Row};
use std::path::PathBuf;

/// The command line of `nguky levels`.
#[derive(ClapArgs)]
pub struct LevelsArgs {
    #[arg(long, default_value = "chess", help = every_game())]
    game: String,
    /// The levels, weakest first, with commas between: Elo, in go ranks [default: those of the game's table; in go every
    /// second rank]
    #[arg(long, value_delimiter = ',', value_name = "ELO")]
    levels: Vec<String>,
    /// An engine whose strength is known, "cmd=PATH elo=1700 [name=N] [proto=uci] [option.UCI_Elo=1700]"; in go elo= takes a
    /// rank, too. The scale is moved to where the anchors are met best
    #[arg(long, value_name = "SPEC")]
    anchor: Vec<String>,
    /// How far apart the levels are that meet: 1 for neighbours alone, 0 for anchors alone
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=63))]
    reach: u8,
    /// How many levels an anchor meets: those nearest to it
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=63))]
    meets: u8,
    /// Games between two engines
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,
    /// The engine with its arguments, whose levels should be those of this program: the report shows its own table; the built-in
    /// one unless given
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// The clock of all, so long that a level's nodes end its searches
    #[arg(long, default_value = "60+2")]
    tc: String,
    /// How far a clock may be passed
    #[arg(long, default_value_t = 5000, value_name = "MS")]
    margin_ms: u64,
    /// Go: points of a side
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u8).range(2..=25))]
    size: u8,
    /// Seed of the openings and deals
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// The games' record; the state beside it lets the same command go on after a kill, and the table (.md) and the plot
    /// (.svg) are written beside it [default: game and date, as in xiangqi-levels-2026-11-23.pgn]
    #[arg(long)]
    record: Option<PathBuf>,
    /// Elo between the levels of the table that is proposed from the results
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=2000))]
    step: u32,
    /// What the moves cost: searches of so many nodes a position by the engine at full strength (playouts in go), after the games
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    losses: Option<u64>,
    /// Games of each level that the losses are taken from
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    loss_games: u32,
    /// Further options of `nguky match`
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Parser)]
#[command(name = "nguky levels ... --")]
struct LadderMatch {
    #[command(flatten)]
    args: arena::MatchArgs,
}

/// Plays the ladder and reports it.
pub fn run(args: &LevelsArgs) -> Result<()> {
    let plan = LadderPlan::new(args)?;
    let words = plan.words(args)?;
    let parsed =
        LadderMatch::try_parse_from(&words).with_context(|| format!("nguky match {}", words[1..].join(" ")))?;
    let mut game = parsed.args;
    game.pairs = plan.pairs(args);
    if game.pairs.is_empty() {
        bail!("nobody meets: --reach 0 plays the anchors alone, so give --anchor, or two levels and --reach 1");
    }
    let state = arena::run_for(&game, "levels")?;
    let ladder = plan.ladder(&state, &game.pairs, args.step);
    let lost = match args.losses {
        Some(nodes) => {
            let names: Vec<String> = plan.levels.iter().map(|l| l.name.clone()).collect();
            let rest = parsed_rules(&args.rest);
            Some(losses::of_record(
                plan.about,
                &state.record,
                &names,
                nodes,
                args.loss_games,
                &rest,
            )?)
        }
        None => None,
    };
    let text = report::markdown(&ladder, lost.as_deref());
    print!("{text}");
    let table = state.record.with_extension("md");
    whole_file::replace(&table, &text)?;
    let plot = state.record.with_extension("svg");
    println!("table in {}", table.display());
    if picture::draw(&plot, &ladder)? {
        println!("plot in {}", plot.display());
    }
    Ok(())
}

/// The rules among further options, `--rule NAME=VALUE`.
fn parsed_rules(rest: &[String]) -> Vec<String> {
    let follows = rest.windows(2).filter(|w| w[0] == "--rule").map(|w| w[1].clone());
    let joined = rest
        .iter()
        .filter_map(|w| w.strip_prefix("--rule="))
        .map(str::to_string);
    follows.chain(joined).collect()
}

/// A level that plays.
struct PlayedLevel {
    /// Its Elo, in go its rank.
    name: String,
    elo: i32,
}

/// Who plays.
struct LadderPlan {
    about: &'static About,
    /// The table that levels between its rows are interpolated from.
    table: &'static [Level],
    levels: Vec<PlayedLevel>,
    anchors: Vec<Anchor>,
    /// The specs of the anchors, with a protocol and a name each.
    specs: Vec<String>,
}

impl LadderPlan {
    fn new(args: &LevelsArgs) -> Result<Self> {
        let about = register::find(&args.game)?;
        let ranked = about.name == GO.name;
        let table = if ranked {
            go::levels(args.size.into())
        } else {
            about.levels
        };
        let [low, high] = match (table.first(), table.last()) {
            (Some(low), Some(high)) => [low.elo, high.elo],
            _ => bail!("{} has no levels", about.name),
        };
        let given: Vec<String> = match args.levels.is_empty() {
            false => args.levels.iter().map(|l| l.trim().to_string()).collect(),
            true => usual(table, ranked),
        };
        let mut levels = Vec::new();
        for name in given {
            let elo = elo_of(ranked, &name).with_context(|| format!("--levels: {}", expected(ranked, &name)))?;
            if !(low..=high).contains(&elo) {
                let say = |elo: i32| go::rank(elo).filter(|_| ranked).map_or(elo.to_string(), str::to_string);
                bail!("--levels: expected {} to {}, not {name}", say(low), say(high));
            }
            if levels.last().is_some_and(|l: &PlayedLevel| l.elo >= elo) {
                bail!("--levels: expected the weakest first and none twice; {name} is not above the one before it");
            }
            levels.push(PlayedLevel { name, elo });
        }
        let (mut anchors, mut specs) = (Vec::new(), Vec::new());
        for text in &args.anchor {
            let (words, elo): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|w| !w.starts_with("elo="));
            let [elo] = elo.as_slice() else {
                bail!("--anchor {text:?}: expected one elo=NUMBER, the strength that it is known to have");
            };
            let said = &elo["elo=".len()..];
            let value = elo_of(ranked, said).with_context(|| format!("--anchor: elo=: {}", expected(ranked, said)))?;
            let mut spec = words.join(" ");
            let known = player::Spec::parse(&spec).context("--anchor")?;
            let mut name = known.name.clone();
            if !words.iter().any(|w| w.starts_with("name=")) {
                name = format!("{name} {said}");
                spec += &format!(" name={name}");
            }
            if name.is_empty() {
                bail!("--anchor {text:?}: no name");
            }
            anchors.push(Anchor { name, elo: value });
            specs.push(spec);
        }
        Ok(Self {
            about,
            table,
            levels,
            anchors,
            specs,
        })
    }

    /// Who meets whom: levels by their places, the anchors behind them. The stronger engine of the table stands first.
    fn pairs(&self, args: &LevelsArgs) -> Vec<[usize; 2]> {
        let n = self.levels.len();
        let reach = usize::from(args.reach);
        let mut pairs: Vec<[usize; 2]> = (1..n)
            .flat_map(|high| (high.saturating_sub(reach)..high).map(move |low| [high, low]))
            .collect();
        for (k, anchor) in self.anchors.iter().enumerate() {
            let mut near: Vec<usize> = (0..n).collect();
            near.sort_by_key(|&i| (self.levels[i].elo - anchor.elo).abs());
            pairs.extend(near.into_iter().take(args.meets.into()).map(|i| [i, n + k]));
        }
        pairs
    }

    /// The ladder as a command line of `nguky match`.
    fn words(&self, args: &LevelsArgs) -> Result<Vec<String>> {
        let mut own = arena::built_in(self.about, "level");
        if let Some(command) = &args.engine {
            own = player::Spec::parse(&format!("cmd={command} proto={}", self.about.program_protocol));
        }
        let own = own?;
        let command = own.command.join(" ");
        let mut words = vec!["match".to_string()];
        let mut add = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        add("game", self.about.name.into());
        for level in &self.levels {
            let (name, elo) = (&level.name, level.elo);
            let options = match own.protocol() {
                "gtp" => format!("cmd={command} --rank {name}"),
                "usi" => format!("cmd={command} option.USI_Hash=16 option.LimitStrength=true option.Elo={elo}"),
                "ucci" => format!("cmd={command} option.hashsize=16 option.limitstrength=true option.elo={elo}"),
                _ => format!("cmd={command} option.Hash=16 option.UCI_LimitStrength=true option.UCI_Elo={elo}"),
            };
            add("engine", format!("{options} proto={} name={name}", own.protocol()));
        }
        for spec in &self.specs {
            add("engine", spec.clone());
        }
        add("games", args.games.to_string());
        add("tc", args.tc.clone());
        add("margin-ms", args.margin_ms.to_string());
        add("seed", args.seed.to_string());
        add("concurrency", args.concurrency.to_string());
        if self.about.name == GO.name {
            add("size", args.size.to_string());
        }
        if let Some(record) = &args.record {
            add("record", record.display().to_string());
        }
        words.extend(args.rest.iter().cloned());
        Ok(words)
    }

    /// What the games say.
    fn ladder(&self, state: &MatchState, pairs: &[[usize; 2]], step: u32) -> Ladder {
        let meetings: Vec<Meeting> = pairs
            .iter()
            .map(|&pair| Meeting {
                pair,
                games: state.games(pair),
            })
            .collect();
        let ratings = rated(self.levels.len() + self.anchors.len(), &meetings);
        let elos: Vec<i32> = self.levels.iter().map(|l| l.elo).collect();
        let scale = Scale::new(&elos, &self.anchors, &ratings);
        let ranked = self.about.name == GO.name;
        let rows = self.levels.iter().enumerate().map(|(i, level)| Row {
            name: level.name.clone(),
            elo: level.elo,
            setting: fit::setting(self.table, level.elo),
            measured: scale.levels[i],
        });
        Ladder {
            game: self.about.name,
            ranked,
            rows: rows.collect(),
            meetings: report::met(pairs, state),
            proposal: fit::proposal(self.table, &elos, &scale, step),
            anchors: self.anchors.clone(),
            scale,
            games: state.count(),
        }
    }
}

/// The levels that a ladder has unless others are named: the rows of the game's table; in go every second rank up to the last
/// that the boards of this size have.
fn usual(table: &[Level], ranked: bool) -> Vec<String> {
    if !ranked {
        return table.iter().map(|l| l.elo.to_string()).collect();
    }
    let highest = table.last().map_or(0, |l| l.elo);
    let ranks = go::RANKS.iter().enumerate().step_by(2);
    ranks
        .filter(|(i, _)| go::elo(*i) <= highest)
        .map(|(_, r)| (*r).to_string())
        .collect()
}

/// A strength in words: Elo, and a rank in go.
fn elo_of(ranked: bool, text: &str) -> Option<i32> {
    let place = go::RANKS.iter().position(|r| ranked && *r == text);
    place.map(go::elo).or_else(|| text.parse().ok())
}

fn expected(ranked: bool, text: &str) -> String {
    let [first, .., last] = go::RANKS;
    let rank = ranked.then(|| format!("a rank ({first} to {last}) or "));
    format!("expected {}a whole number, not {text:?}", rank.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Parser)]
    struct Test {
        #[command(flatten)]
        args: LevelsArgs,
    }

    fn args(line: &[&str]) -> LevelsArgs {
        let words = std::iter::once("levels").chain(line.iter().copied());
        Test::try_parse_from(words).expect("a command line").args
    }

    fn refused(line: &[&str]) -> String {
        let why = LadderPlan::new(&args(line)).err().expect("refused");
        format!("{why:#}")
    }

    #[test]
    fn levels_meet_their_neighbours_and_anchors_the_nearest() {
        let a = args(&[
            "--game",
            "xiangqi",
            "--levels",
            "1000,1200,1500,1700",
            "--engine",
            "./nguky-ucci -q",
            "--anchor",
            "cmd=./other elo=1490 option.UCI_Elo=1490",
        ]);
        let plan = LadderPlan::new(&a).expect("a plan");
        assert_eq!(plan.pairs(&a), [[1, 0], [2, 0], [2, 1], [3, 1], [3, 2], [2, 4], [3, 4]]);
        let words = plan.words(&a).expect("a match");
        let spec =
            "cmd=./nguky-ucci -q option.hashsize=16 option.limitstrength=true option.elo=1200 proto=ucci name=1200";
        assert!(words.iter().any(|w| w == spec), "{words:?}");
        let spec = "cmd=./other option.UCI_Elo=1490 name=other 1490";
        assert!(words.iter().any(|w| w == spec), "{words:?}");
        assert!(LadderMatch::try_parse_from(&words).is_ok());
    }

    /// What is played unless levels are named ends where the table does.
    #[test]
    fn every_board_has_a_ladder() {
        for size in ["5", "9", "13", "19", "25"] {
            let plan = LadderPlan::new(&args(&["--game", "go", "--size", size, "--engine", "g"])).expect(size);
            assert!(plan.levels.len() >= 8, "{size}: {} levels", plan.levels.len());
        }
        let short = [Level::new(100, 1, 10, 500), Level::new(1900, 500, 1, 0)];
        assert_eq!(usual(&short, true).last().map(String::as_str), Some("2k"));
        let above = refused(&["--game", "go", "--size", "19", "--levels", "20k,99999", "--engine", "g"]);
        assert!(above.starts_with("--levels: expected 20k to "), "{above}");
    }

    #[test]
    fn ranks_are_levels_of_go() {
        let a = args(&[
            "--game",
            "go",
            "--anchor",
            "cmd=gnugo elo=8k name=gnugo",
            "--engine",
            "g",
        ]);
        let plan = LadderPlan::new(&a).expect("a plan");
        let names: Vec<&str> = plan.levels.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names[..3], ["20k", "18k", "16k"]);
        assert_eq!(plan.anchors[0].elo, 1300);
        assert!(plan.pairs(&a).contains(&[6, names.len()]), "8k meets it");
        let words = plan.words(&a).expect("a match");
        assert!(
            words.iter().any(|w| w == "cmd=g --rank 18k proto=gtp name=18k"),
            "{words:?}"
        );
    }

    #[test]
    fn bad_lists_are_named() {
        assert!(refused(&["--levels", "900,1200"]).contains("expected 1000 to"));
        assert!(refused(&["--levels", "1200,1200"]).contains("weakest first"));
        assert!(refused(&["--levels", "1200,x"]).contains("expected a whole number, not \"x\""));
        assert!(refused(&["--game", "go", "--levels", "21k"]).contains("a rank (20k to 9d)"));
        assert!(refused(&["--anchor", "cmd=./a"]).contains("elo=NUMBER"));
        assert!(refused(&["--anchor", "elo=1500"]).contains("no cmd="));
    }
}
