//! `nguky play`: a person against the engine in the terminal.

mod draw;
mod table;

use crate::arena::coup::Dealt;
use crate::arena::record::Head;
use crate::arena::{self, rules};
use crate::notation::Notation;
use anyhow::{Context, Result, bail};
use clap::{Args as ClapArgs, ValueEnum};
use draw::Style;
use nguky::control::{Choice, Limits, Outlook, TimeControl};
use nguky::engine::{AlphaBeta, Mcts};
use nguky::game::{Handmade, Position};
use nguky::games::chess::{Chess, ChessExtras};
use nguky::games::coup::{Coup, CoupRules};
use nguky::games::go::{Game, Rules};
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;
use table::{End, Hidden, Open, Stones, Table, failed};

/// Which side the person has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Seat {
    /// The side that moves first: white, red, black in shogi and go
    First,
    /// The other side
    Second,
    /// Either
    Random,
    /// Both, the engine only gives hints
    Both,
}

/// The command line of `nguky play`.
#[derive(ClapArgs)]
pub struct Args {
    /// The game: chess, xiangqi, coup (cờ úp, jieqi), shogi or go
    #[arg(long, default_value = "chess")]
    game: String,
    /// Which side is yours
    #[arg(long, value_enum, default_value = "first")]
    side: Seat,
    /// Milliseconds that the engine thinks about a move
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: u64,
    /// Nodes, or playouts in go, instead of a time
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Where the game starts, as a FEN or SFEN
    #[arg(long, value_name = "FEN")]
    setup: Option<String>,
    /// A rule of the game, as the engine's option of that name: "CapturedDark=both"
    #[arg(long, value_name = "NAME=VALUE")]
    rule: Vec<String>,
    /// Go: points of a side
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u8).range(2..=25))]
    size: u8,
    /// Go: white's points for moving second [default: as the rules have it]
    #[arg(long, allow_hyphen_values = true)]
    komi: Option<f32>,
    /// Cờ úp: what the deal is drawn from [default: chance]
    #[arg(long)]
    seed: Option<u64>,
    /// Draw the board with letters only
    #[arg(long)]
    ascii: bool,
    /// Draw without colours; so does a set variable NO_COLOR, or an output that is no terminal
    #[arg(long, visible_alias = "no-color")]
    no_colour: bool,
    /// Keep the game in this file when it is over or left
    #[arg(long, value_name = "FILE")]
    save: Option<std::path::PathBuf>,
}

const HELP: &str = "\
MOVE       play it, by its points: e2e4, h2e2, 7g7f, P*5e, D4 or pass
undo       take back your last move and the answer
hint       ask the engine what it would play
moves      list the legal moves
board      draw the board again
claim      claim the win that the rules grant, where they do
resign     give the game up
save FILE  keep the game in a file
quit       leave";

/// Plays a game.
pub fn run(args: &Args) -> Result<()> {
    let mut table = table(args)?;
    let colour = !args.no_colour && std::env::var_os("NO_COLOR").is_none() && std::io::stdout().is_terminal();
    let own = match args.side {
        Seat::First => [true, false],
        Seat::Second => [false, true],
        Seat::Both => [true, true],
        Seat::Random if chance().is_multiple_of(2) => [true, false],
        Seat::Random => [false, true],
    };
    let mut play = Play {
        args,
        own,
        end: None,
        style: Style {
            ascii: args.ascii,
            colour,
        },
    };
    play.game(table.as_mut())
}

/// A number that nobody can tell beforehand.
fn chance() -> u64 {
    std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0)
}

fn open<P: Notation + Handmade>(
    args: &Args,
    sides: [&'static str; 2],
    engine: Result<AlphaBeta<P>, String>,
) -> Result<Box<dyn Table>> {
    let rules = rules::<P::Rules>(&args.rule)?;
    let pos = P::parse(args.setup.as_deref().unwrap_or(P::START), &rules)?;
    let mut engine: Box<dyn nguky::engine::Engine> = Box::new(engine.map_err(failed)?);
    told_rules(engine.as_mut(), args)?;
    Ok(Box::new(Open {
        setup: pos.setup(),
        pos,
        texts: Vec::new(),
        engine,
        sides,
    }))
}

/// The engine goes by the same rules.
fn told_rules(engine: &mut dyn nguky::engine::Engine, args: &Args) -> Result<()> {
    for (name, value) in args.rule.iter().filter_map(|r| r.split_once('=')) {
        engine.set_option(name, Some(value))?;
    }
    Ok(())
}

fn table(args: &Args) -> Result<Box<dyn Table>> {
    match args.game.as_str() {
        Chess::NAME => {
            let engine = AlphaBeta::<Chess>::with(Box::new(ChessExtras::default()));
            open(args, ["white", "black"], engine)
        }
        Xiangqi::NAME => open(args, ["red", "black"], AlphaBeta::<Xiangqi>::new()),
        Shogi::NAME => open(args, ["black", "white"], AlphaBeta::<Shogi>::new()),
        Coup::NAME | "jieqi" => {
            let rules = rules::<CoupRules>(&args.rule)?;
            let start = Coup::parse(args.setup.as_deref().unwrap_or(Coup::START), &rules)?;
            let fresh = Dealt::new(&start, args.seed.unwrap_or_else(chance), 0);
            let mut engine: Box<dyn nguky::engine::Engine> = Box::new(AlphaBeta::<Coup>::new().map_err(failed)?);
            told_rules(engine.as_mut(), args)?;
            Ok(Box::new(Hidden {
                deal: fresh.clone(),
                fresh,
                whole: Vec::new(),
                engine,
            }))
        }
        arena::GO => {
            let mut game = Game::new(args.size.into(), rules::<Rules>(&args.rule)?)?;
            if let Some(komi) = args.komi {
                if !(-1000.0..=1000.0).contains(&komi) {
                    bail!("--komi: expected a number from -1000 to 1000, not {komi}");
                }
                game.set_komi(komi);
            }
            if args.setup.is_some() {
                bail!("--setup is not for go");
            }
            let engine = Mcts::new().map_err(failed)?;
            Ok(Box::new(Stones { game, engine }))
        }
        other => bail!("no game {other:?}; expected chess, xiangqi, coup, shogi or go"),
    }
}

/// A game under way.
struct Play<'a> {
    args: &'a Args,
    /// Which sides the person has.
    own: [bool; 2],
    end: Option<End>,
    style: Style,
}

impl Play<'_> {
    /// The side whose knowledge the person has.
    fn viewer(&self, table: &dyn Table) -> usize {
        match self.own {
            [true, true] => table.side(),
            [first, _] => usize::from(!first),
        }
    }

    fn show(&self, table: &dyn Table) {
        let side = self.viewer(table);
        println!("\n{}", table.grid(side).draw(table.name(), side, self.style));
    }

    fn limits(&self) -> Limits {
        match self.args.nodes {
            Some(_) => Limits {
                nodes: self.args.nodes,
                ..Limits::default()
            },
            None => Limits {
                time: TimeControl::MoveTime(Duration::from_millis(self.args.movetime)),
                ..Limits::default()
            },
        }
    }

    fn game(&mut self, table: &mut dyn Table) -> Result<()> {
        let names = table.sides();
        match self.own {
            [true, true] => println!("{}: both sides are yours; help lists the commands", table.name()),
            [first, _] => println!(
                "{}: you are {}; help lists the commands",
                table.name(),
                names[usize::from(!first)]
            ),
        }
        self.show(table);
        let mut lines = std::io::stdin().lock().lines();
        loop {
            if self.end.is_none() {
                self.end = table.ended();
                if self.end.is_some() {
                    self.conclude(table)?;
                }
            }
            let side = table.side();
            if self.end.is_none() && !self.own[side] {
                self.engine_moves(table)?;
                continue;
            }
            match self.end {
                Some(_) => print!("game over; undo, save FILE or quit > "),
                None => print!("{} to move > ", names[side]),
            }
            std::io::stdout().flush()?;
            let Some(line) = lines.next() else {
                println!();
                break;
            };
            let line = line?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                ["quit" | "exit" | "q"] => break,
                words => {
                    if let Err(why) = self.obey(words, table) {
                        println!("{why}");
                    }
                }
            }
        }
        match &self.args.save {
            Some(file) if table.plies() > 0 => self.save(table, file),
            _ => Ok(()),
        }
    }

    fn obey(&mut self, words: &[&str], table: &mut dyn Table) -> Result<()> {
        match words {
            ["help" | "?"] => println!("{HELP}"),
            ["board"] => self.show(table),
            ["moves"] => println!("{}", table.moves().join(" ")),
            ["save"] => bail!("save: expected the name of a file"),
            ["save", file] => {
                self.save(table, Path::new(file))?;
                println!("kept in {file}");
            }
            ["undo"] => self.undo(table)?,
            _ if self.end.is_some() => bail!("the game is over"),
            ["hint"] => match table.think(self.limits())? {
                (Choice::Move(text), outlook) => println!("hint: {text}{}", outlook.map_or(String::new(), in_words)),
                (Choice::ClaimWin, _) => println!("hint: claim"),
                _ => println!("hint: resign"),
            },
            ["resign"] => self.finish(table, table.side(), "resignation")?,
            ["claim"] if table.may_claim() => self.finish(table, 1 - table.side(), "declaration")?,
            ["claim"] => bail!("the rules grant no win here"),
            [text] => {
                let text = table.play(text)?;
                println!("you play {text}");
                self.show(table);
            }
            _ => bail!(
                "expected a move or a command, not {:?}; help lists them",
                words.join(" ")
            ),
        }
        Ok(())
    }

    /// Back to where the person was last to move.
    fn undo(&mut self, table: &mut dyn Table) -> Result<()> {
        let given_up = self
            .end
            .as_ref()
            .is_some_and(|e| ["resignation", "declaration"].contains(&e.1.as_str()));
        let side = table.side();
        let back = match (self.own[side], self.own[1 - side]) {
            (true, _) if given_up => 0,
            (true, false) => 2,
            _ => 1,
        };
        if table.plies() < back {
            bail!("there is nothing to take back");
        }
        (0..back).for_each(|_| table.undo());
        self.end = None;
        self.show(table);
        Ok(())
    }

    fn engine_moves(&mut self, table: &mut dyn Table) -> Result<()> {
        match table.think(self.limits())?.0 {
            Choice::Move(text) => {
                let text = table.play(&text).context("the engine's move")?;
                println!("the engine plays {text}");
                self.show(table);
                Ok(())
            }
            Choice::ClaimWin => self.finish(table, 1 - table.side(), "declaration"),
            _ => self.finish(table, table.side(), "resignation"),
        }
    }

    /// The game ends with a loss of a side.
    fn finish(&mut self, table: &dyn Table, loser: usize, reason: &str) -> Result<()> {
        self.end = Some((if loser == 0 { 0 } else { 2 }, reason.into()));
        self.conclude(table)
    }

    fn conclude(&self, table: &dyn Table) -> Result<()> {
        let Some((points, reason)) = &self.end else {
            return Ok(());
        };
        let names = table.sides();
        match points {
            1 => println!("a draw: {reason}"),
            0 => println!("{} wins: {reason}", names[1]),
            _ => println!("{} wins: {reason}", names[0]),
        }
        if let Some(secret) = table.secret() {
            let side = self.viewer(table);
            println!(
                "what lay where at the start:\n{}",
                secret.draw(table.name(), side, self.style)
            );
        }
        Ok(())
    }

    fn save(&self, table: &dyn Table, file: &Path) -> Result<()> {
        let name = |side: usize| if self.own[side] { "You" } else { "Nguky" };
        let head = Head {
            names: [name(0), name(1)],
            round: "1".into(),
            time_control: "-".into(),
            date: arena::today(),
        };
        let text = table.record(file, &head, self.end.as_ref(), self.viewer(table));
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
    }
}

/// How the engine sees the game.
fn in_words(outlook: Outlook) -> String {
    match outlook {
        Outlook::Centipawns(cp) => format!(" ({:+.2} for you)", f64::from(cp) / 100.0),
        Outlook::Mate(plies) if plies > 0 => format!(" (mate in {})", (plies + 1) / 2),
        Outlook::Mate(plies) => format!(" (mated in {})", plies.unsigned_abs().div_ceil(2)),
    }
}
