//! `nguky sprt`: is the new one better? Pairs of games between two builds, networks or sets of options until a
//! sequential test is decided (`nguky match` plays and counts them).

use crate::arena;
use crate::games::every_game;
use anyhow::{Context, Result, bail};
use clap::{Args as ClapArgs, Parser};
use nguky::register::{self, GO};
use std::path::PathBuf;

/// The command line of `nguky sprt`.
#[derive(ClapArgs)]
pub struct SprtArgs {
    #[arg(long, default_value = "chess", help = every_game())]
    game: String,
    /// Build the engine of this git revision as the old one and that of the working tree as the new one
    #[arg(long, value_name = "REV", conflicts_with_all = ["new", "old"])]
    base: Option<String>,
    /// The new engine with its arguments; the built-in one unless given
    #[arg(long, value_name = "COMMAND")]
    new: Option<String>,
    /// The old engine with its arguments; the built-in one unless given
    #[arg(long, value_name = "COMMAND")]
    old: Option<String>,
    /// The new engine's network: a file, or material for piece values and piece-square tables
    #[arg(long, value_name = "FILE")]
    new_net: Option<String>,
    /// The old engine's network
    #[arg(long, value_name = "FILE")]
    old_net: Option<String>,
    /// An option of the new engine, NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    new_option: Vec<String>,
    /// An option of the old engine
    #[arg(long, value_name = "NAME=VALUE")]
    old_option: Vec<String>,
    /// The two hypotheses in normalized Elo, and the errors allowed: ELO0,ELO1[,ALPHA,BETA]
    #[arg(long, default_value = "0,5", allow_hyphen_values = true)]
    elo: String,
    /// The clock, [MOVES/]SECONDS[+INCREMENT]
    #[arg(long, default_value = "8+0.08")]
    tc: String,
    /// Nodes a move instead of a clock
    #[arg(long)]
    nodes: Option<u64>,
    /// Games after which it ends undecided
    #[arg(long, default_value_t = 40_000)]
    games: u32,
    /// Games at a time
    #[arg(long, default_value_t = 1)]
    concurrency: u16,
    /// The games' record; the state beside it lets the same command go on after a kill [default: game and date, as in
    /// chess-sprt-2026-11-23.pgn]
    #[arg(long)]
    record: Option<PathBuf>,
    /// Further options of `nguky match`
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Parser)]
#[command(name = "nguky sprt ... --")]
struct MatchPlan {
    #[command(flatten)]
    args: arena::MatchArgs,
}

/// Runs the test.
pub fn run(args: &SprtArgs) -> Result<()> {
    let words = words(args, built(args)?)?;
    let parsed = MatchPlan::try_parse_from(&words).with_context(|| format!("nguky match {}", words[1..].join(" ")))?;
    if parsed.args.same_players()? {
        bail!("nothing differs: both engines are the same program with the same network and options");
    }
    arena::run_for(&parsed.args, "sprt").map(drop)
}

/// The commands of the new and the old engine, built where `--base` asks for it.
fn built(args: &SprtArgs) -> Result<[Option<String>; 2]> {
    let Some(revision) = &args.base else {
        return Ok([args.new.clone(), args.old.clone()]);
    };
    let program = register::find(&args.game)?.program;
    let paths = crate::revision::builds(&std::env::current_dir()?, revision, program)?;
    Ok(paths.map(|path| Some(path.display().to_string())))
}

/// The match as a command line.
fn words(args: &SprtArgs, [new, old]: [Option<String>; 2]) -> Result<Vec<String>> {
    let sides = [
        ("new", &new, &args.new_net, &args.new_option),
        ("old", &old, &args.old_net, &args.old_option),
    ];
    let told = |i: usize| (sides[i].1, sides[i].2, sides[i].3);
    if told(0) == told(1) {
        bail!("nothing differs: give --base, --new or --old, --new-net or --old-net, or --new-option or --old-option");
    }
    let game = register::find(&args.game)?;
    let mut words = vec!["match".to_string()];
    let mut add = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    add("game", game.name.into());
    for (name, command, net, options) in sides {
        let command = match command {
            Some(command) => command.clone(),
            None => arena::built_in(game, name)?.command.join(" "),
        };
        let mut spec = format!("cmd={command}");
        match net {
            // The network of a GTP engine is part of its command.
            Some(net) if game.name == GO.name => spec += &format!(" --model {net} name={name}"),
            Some(net) => spec += &format!(" name={name} option.EvalFile={net}"),
            None => spec += &format!(" name={name}"),
        }
        for option in options {
            if !option.contains('=') {
                bail!("expected NAME=VALUE, not {option:?}");
            }
            spec += &format!(" option.{option}");
        }
        add("engine", spec);
    }
    match args.nodes {
        Some(nodes) => add("nodes", nodes.to_string()),
        None => add("tc", args.tc.clone()),
    }
    add("sprt", args.elo.clone());
    add("games", args.games.to_string());
    add("concurrency", args.concurrency.to_string());
    if let Some(record) = &args.record {
        add("record", record.display().to_string());
    }
    words.extend(args.rest.iter().cloned());
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Parser)]
    struct Test {
        #[command(flatten)]
        args: SprtArgs,
    }

    #[test]
    fn the_same_program_elsewhere_is_no_other() {
        let dir = std::env::temp_dir().join(format!("nguky-sprt-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let path = |name: &str| dir.join(name).display().to_string();
        for (text, refused) in [("build", true), ("another build", false)] {
            std::fs::write(path("a"), "build").expect("written");
            std::fs::write(path("b"), text).expect("written");
            let words = told(&format!("sprt --new {} --old {}", path("a"), path("b"))).expect("a match");
            let args = MatchPlan::try_parse_from(words).expect("a command line").args;
            assert_eq!(args.same_players().expect("two engines"), refused);
        }
        std::fs::remove_dir_all(&dir).expect("removed");
    }

    fn told(line: &str) -> Result<Vec<String>> {
        let args = Test::try_parse_from(line.split(' ')).expect("a command line").args;
        words(&args, built(&args)?)
    }

    #[test]
    fn nets_builds_and_options_become_a_match() {
        let words =
            told("sprt --new ./a --old ./b --new-net n.nnue --old-option Hash=8 --nodes 9 --elo -3,1 -- --seed 7")
                .expect("a match");
        let line = words.join(" ");
        for part in [
            "cmd=./a name=new option.EvalFile=n.nnue",
            "cmd=./b name=old option.Hash=8",
            "--sprt -3,1",
            "--nodes 9",
            "--seed 7",
        ] {
            assert!(line.contains(part), "{part:?} not in {line}");
        }
        assert!(!line.contains("--tc") && !line.contains("--record"));
        let go = told("sprt --game go --new ./a --old ./a --new-net n.bin.gz").expect("a match");
        assert!(go.join(" ").contains("cmd=./a --model n.bin.gz name=new"), "{go:?}");
        assert!(MatchPlan::try_parse_from(words).is_ok());
    }

    #[test]
    fn what_cannot_be_tested_is_said() {
        assert!(Test::try_parse_from("sprt --base main --new ./a".split(' ')).is_err());
        let why = |line: &str| told(line).expect_err("nothing to play").to_string();
        assert!(why("sprt --new ./a --old ./a").contains("nothing differs"));
        assert!(why("sprt --new ./a --old ./b --new-option Hash").contains("NAME=VALUE"));
    }
}
