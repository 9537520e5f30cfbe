//! `nguky play`: a person against the engine in the terminal.

pub mod draw;
pub mod help;
pub mod hidden;
mod keep;
mod paint;
pub mod stones;
pub mod table;

use crate::arena::coup::Dealt;
use crate::arena::record::RecordHead;
use crate::arena::{self, rules};
use crate::games::{every_game, of_game};
use crate::levels::limit_strength;
use crate::notation::{self, Notation};
use crate::whole_file;
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args as ClapArgs, ValueEnum};
use hidden::HiddenTable;
use keep::Keeper;
use nguky::control::{Choice, Engine, Limits, TimeControl};
use nguky::engine::AlphaBeta;
use nguky::game::{BadInput, PieceValues, Position};
use nguky::games::coup::{Coup, CoupRules};
use nguky::games::go::rules::HANDICAP_KOMI;
use nguky::games::go::{Game, Rules, coords};
use nguky::mcts::Mcts;
use nguky::register::{self, GO};
use paint::BoardStyle;
use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::time::Duration;
use stones::Stones;
use table::{EngineChoice, GameEnd, GameTable, Manner, OpenTable, failed};

/// Which side the person has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PlayerSide {
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
pub struct PlayArgs {
    #[arg(long, default_value = "chess", help = every_game())]
    game: String,
    /// Which side is yours
    #[arg(long, value_enum, default_value = "first")]
    side: PlayerSide,
    /// Milliseconds that the engine thinks about a move
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: u64,
    /// Nodes, or playouts in go, instead of a time
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How strong the engine plays, on the game's scale of Elo, in go a rank as 8k; hints are at full strength [default: full strength]
    #[arg(long, value_name = "ELO", conflicts_with = "nodes")]
    level: Option<String>,
    /// Where the game starts, as a FEN or SFEN
    #[arg(long, value_name = "FEN")]
    setup: Option<String>,
    /// Where one side does without pieces: its name (chess: knight, rook, queen and so on; a wrong one shows them all); in go
    /// black's stones, 2 to 9
    #[arg(long, value_name = "NAME", conflicts_with = "setup")]
    handicap: Option<String>,
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
    /// How moves are shown, and which reading of an ambiguous text is meant [default: shown as in the locale's language,
    /// else English; all readings count]
    #[arg(long, value_enum)]
    notation: Option<notation::MoveStyle>,
    /// Draw the board with letters only
    #[arg(long)]
    ascii: bool,
    /// Draw without colours; so does a set variable NO_COLOR, or an output that is no terminal
    #[arg(long, visible_alias = "no-color")]
    no_colour: bool,
    /// Keep the game in this file, written after every move; .pgn, in shogi .csa or .kif, in go .sgf
    #[arg(long, value_name = "FILE")]
    save: Option<std::path::PathBuf>,
}

impl PlayArgs {
    /// Where the game starts, unless from the usual position.
    fn start(&self) -> Result<Option<&str>> {
        Ok(match &self.handicap {
            Some(name) => Some(register::find(&self.game)?.handicap(name).context("--handicap")?.setup),
            None => self.setup.as_deref(),
        })
    }

    /// How moves are read and shown.
    fn notation(&self) -> Manner {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].map(|name| std::env::var(name).unwrap_or_default());
        let locale = locale.iter().find(|l| !l.is_empty()).map_or("", String::as_str);
        let usual = match locale.get(..2) {
            Some("vi") => notation::MoveStyle::Vietnamese,
            Some("zh") => notation::MoveStyle::Chinese,
            Some("ja") => notation::MoveStyle::Japanese,
            _ => notation::MoveStyle::English,
        };
        Manner {
            asked: self.notation,
            shown: match self.notation.unwrap_or(usual) {
                notation::MoveStyle::Chinese | notation::MoveStyle::Japanese if self.ascii => {
                    notation::MoveStyle::English
                }
                style => style,
            },
        }
    }
}

/// Plays a game.
pub fn run(args: &PlayArgs) -> Result<()> {
    let mut table = table(args)?;
    limit_strength(table.engine(), args.level.as_deref()).context("--level")?;
    let own = match args.side {
        PlayerSide::First => [true, false],
        PlayerSide::Second => [false, true],
        PlayerSide::Both => [true, true],
        PlayerSide::Random if chance().is_multiple_of(2) => [true, false],
        PlayerSide::Random => [false, true],
    };
    let keeper = args.save.as_deref().map(Keeper::new).transpose()?;
    let mut play = Play {
        args,
        keeper,
        kept: None,
        own,
        end: None,
        style: BoardStyle::detect(args.ascii, args.no_colour),
    };
    play.game(table.as_mut())
}

/// A number that nobody can tell beforehand.
fn chance() -> u64 {
    std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0)
}

/// A game at the terminal, whose engine the alpha-beta search is.
trait Terminal: PieceValues {
    /// The game of a command line with its engine, which goes by the same rules.
    fn table(args: &PlayArgs, rules: &Self::Rules, engine: Box<dyn Engine>) -> Result<Box<dyn GameTable>>;
}

impl<P: Notation + PieceValues> Terminal for P {
    fn table(args: &PlayArgs, rules: &P::Rules, engine: Box<dyn Engine>) -> Result<Box<dyn GameTable>> {
        let pos = P::parse(args.start()?.unwrap_or(P::START), rules)?;
        Ok(Box::new(OpenTable {
            setup: pos.setup(),
            pos,
            played: Vec::new(),
            texts: Vec::new(),
            taken: Vec::new(),
            engine,
            notation: args.notation(),
        }))
    }
}

impl Terminal for Coup {
    fn table(args: &PlayArgs, rules: &CoupRules, engine: Box<dyn Engine>) -> Result<Box<dyn GameTable>> {
        let start = Self::parse(args.start()?.unwrap_or(Self::START), rules)?;
        let fresh = Dealt::new(&start, args.seed.unwrap_or_else(chance), 0);
        Ok(Box::new(HiddenTable {
            deal: fresh.clone(),
            fresh,
            whole: Vec::new(),
            engine,
            notation: args.notation(),
        }))
    }
}

fn alphabeta<P: Terminal>(args: &PlayArgs) -> Result<Box<dyn GameTable>> {
    let rules = rules::<P::Rules>(&args.rule)?;
    let mut engine: Box<dyn Engine> = Box::new(AlphaBeta::<P>::new().map_err(failed)?);
    for (name, value) in args.rule.iter().filter_map(|r| r.split_once('=')) {
        engine.set_option(name, Some(value))?;
    }
    P::table(args, &rules, engine)
}

fn go(args: &PlayArgs) -> Result<Box<dyn GameTable>> {
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
    if let Some(text) = &args.handicap {
        let stones = text.parse().ok().filter(|n| (2..=9).contains(n));
        let points = stones.and_then(|n| coords::fixed_handicap(game.board(), n));
        let most = (2..=9)
            .rev()
            .find(|&n| coords::fixed_handicap(game.board(), n).is_some());
        let Some(points) = points else {
            match most {
                Some(most) => bail!("--handicap: expected 2 to {most} stones, not {text:?}"),
                None => bail!("--handicap: no stones on a board of {}", args.size),
            }
        };
        game.place_handicap(&points)?;
        if args.komi.is_none() {
            game.set_komi(HANDICAP_KOMI);
        }
    }
    let engine = Mcts::new().map_err(failed)?;
    Ok(Box::new(Stones {
        game,
        engine,
        dead: None,
    }))
}

fn table(args: &PlayArgs) -> Result<Box<dyn GameTable>> {
    if register::find(&args.game)?.name == GO.name {
        return go(args);
    }
    of_game!(&args.game, alphabeta(args))
}

/// A game under way.
struct Play<'a> {
    args: &'a PlayArgs,
    /// Which sides the person has.
    own: [bool; 2],
    end: Option<GameEnd>,
    style: BoardStyle,
    keeper: Option<Keeper>,
    /// Half-moves and end of the game as the file has it.
    kept: Option<(usize, Option<GameEnd>)>,
}

/// Longer lines are no moves, and are not kept in memory.
const LONGEST: u64 = 4096;

/// The next line that is typed; what is no UTF-8 in it becomes a sign that is no move. `None` at the end.
fn typed(input: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") && line.len() as u64 == LONGEST {
        // The rest of it is passed over.
        loop {
            let more = input.fill_buf()?;
            let end = more.iter().position(|b| *b == b'\n');
            let (over, length) = (end.is_some() || more.is_empty(), end.map_or(more.len(), |i| i + 1));
            input.consume(length);
            if over {
                break;
            }
        }
        line.truncate(40);
        line.extend_from_slice(b"...");
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

impl Play<'_> {
    /// The side whose knowledge the person has.
    fn viewer(&self, table: &dyn GameTable) -> usize {
        match self.own {
            [true, true] => table.side(),
            [first, _] => usize::from(!first),
        }
    }

    fn show(&self, table: &dyn GameTable) {
        let side = self.viewer(table);
        println!("\n{}", table.grid(side).draw(side, self.style));
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

    fn game(&mut self, table: &mut dyn GameTable) -> Result<()> {
        let names = table.about().sides;
        match self.own {
            [true, true] => println!("{}: both sides are yours; help lists the commands", table.about().name),
            [first, _] => println!(
                "{}: you are {}; help lists the commands",
                table.about().name,
                names[usize::from(!first)]
            ),
        }
        self.show(table);
        let mut input = std::io::stdin().lock();
        loop {
            if self.end.is_none() {
                self.end = table.ended();
                if self.end.is_some() {
                    self.conclude(table)?;
                }
            }
            if let Err(why) = self.keep(table) {
                println!("{why:#}");
            }
            let side = table.side();
            if self.end.is_none() && !self.own[side] {
                self.engine_moves(table)?;
                continue;
            }
            match self.end {
                Some(_) => print!("game over; undo, save FILE or quit > "),
                None => {
                    let check = if table.in_check() { ", in check" } else { "" };
                    print!("{}. {} to move{check} > ", table.number(), names[side]);
                }
            }
            std::io::stdout().flush()?;
            let Some(line) = typed(&mut input)? else {
                println!();
                break;
            };
            let line = line.trim();
            match line.to_ascii_lowercase().as_str() {
                "" => {}
                "quit" | "exit" | "q" => break,
                _ => {
                    if let Err(why) = self.obey(line, table) {
                        println!("{}", help::wrapped(&format!("{why:#}"), "  "));
                    }
                }
            }
        }
        self.keep(table)
    }

    /// Brings the file of `--save` up to date, once there is a move to keep.
    fn keep(&mut self, table: &dyn GameTable) -> Result<()> {
        let now = Some((table.plies(), self.end.clone()));
        let (Some(keeper), Some(file)) = (&self.keeper, &self.args.save) else {
            return Ok(());
        };
        if self.kept != now && (table.plies() > 0 || self.kept.is_some()) {
            keeper.keep(&self.text(table, file))?;
            self.kept = now;
        }
        Ok(())
    }

    fn obey(&mut self, line: &str, table: &mut dyn GameTable) -> Result<()> {
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (first.to_ascii_lowercase().as_str(), rest.trim()) {
            ("help" | "?", _) => println!("{}", help::text(table.about(), table.help(), help::columns())),
            ("board", "") => self.show(table),
            ("moves", "") => println!("{}", help::wrapped(&table.moves().join(" "), "")),
            ("save", "") => bail!("save: expected the name of a file"),
            ("save", file) => {
                self.save(table, Path::new(file))?;
                println!("kept in {file}");
            }
            ("undo", "") => self.undo(table)?,
            _ if self.end.is_some() => bail!("the game is over"),
            ("hint", "") => {
                limit_strength(table.engine(), None)?;
                let answer = table.think(self.limits());
                limit_strength(table.engine(), self.args.level.as_deref())?;
                let answer = answer?;
                match answer.choice {
                    Choice::Move(_) => println!("hint: {}", answer.shown),
                    Choice::ClaimWin => println!("hint: claim"),
                    _ => println!("hint: resign"),
                }
                explain(&answer, table.about().sides[table.side()]);
            }
            ("resign", "") => self.finish(table, table.side(), "resignation")?,
            ("claim", "") if table.may_claim() => self.finish(table, 1 - table.side(), "declaration")?,
            ("claim", "") => bail!("the rules grant no win here"),
            _ => {
                let text: String = line.split_whitespace().collect();
                let shown = table.play(&text).map_err(|why| misread(why, line))?;
                println!("{}", help::wrapped(&format!("you play {shown}"), "  "));
                self.show(table);
            }
        }
        Ok(())
    }

    /// Back to where the person was last to move.
    fn undo(&mut self, table: &mut dyn GameTable) -> Result<()> {
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

    fn engine_moves(&mut self, table: &mut dyn GameTable) -> Result<()> {
        let mover = table.side();
        let answer = table.think(self.limits())?;
        match &answer.choice {
            Choice::Move(text) => {
                let shown = table.play(text).context("the engine's move")?;
                println!("{}", help::wrapped(&format!("the engine plays {shown}"), "  "));
                explain(&answer, table.about().sides[mover]);
                self.show(table);
                Ok(())
            }
            Choice::ClaimWin => self.finish(table, 1 - mover, "declaration"),
            _ => self.finish(table, mover, "resignation"),
        }
    }

    /// The game ends with a loss of a side.
    fn finish(&mut self, table: &dyn GameTable, loser: usize, reason: &str) -> Result<()> {
        self.end = Some((if loser == 0 { 0 } else { 2 }, reason.into()));
        self.conclude(table)
    }

    fn conclude(&self, table: &dyn GameTable) -> Result<()> {
        let Some((points, reason)) = &self.end else {
            return Ok(());
        };
        let names = table.about().sides;
        match points {
            1 => println!("a draw: {reason}"),
            0 => println!("{} wins: {reason}", names[1]),
            _ => println!("{} wins: {reason}", names[0]),
        }
        if let Some((title, grid)) = table.epilogue() {
            println!("{title}:\n{}", grid.draw(self.viewer(table), self.style));
        }
        Ok(())
    }

    /// The game as a file of this name has it.
    fn text(&self, table: &dyn GameTable, file: &Path) -> String {
        let name = |side: usize| if self.own[side] { "You" } else { "Nguky" };
        let head = RecordHead {
            event: "nguky play",
            names: [name(0), name(1)],
            round: "1".into(),
            time_control: "-".into(),
            date: arena::today(),
        };
        table.record(file, &head, self.end.as_ref(), self.viewer(table))
    }

    fn save(&self, table: &dyn GameTable, file: &Path) -> Result<()> {
        let text = self.text(table, file);
        whole_file::replace(file, text)
    }
}

/// Tells how the engine sees the game, for the side whose move it was, and what it expects.
fn explain(answer: &EngineChoice, side: &str) {
    /// More moves of a line say little.
    const MOVES: usize = 8;
    let line: Vec<&str> = answer.line.iter().take(MOVES).map(String::as_str).collect();
    if !answer.outlook.is_empty() {
        let text = format!("  {side}'s view: {}; line: {}", answer.outlook, line.join(" "));
        println!("{}", help::wrapped(&text, "    "));
    }
}

/// The error of a text that is no move.
fn misread(why: anyhow::Error, line: &str) -> anyhow::Error {
    if !why.is::<BadInput>() {
        return why;
    }
    if line.contains(char::is_whitespace) {
        return anyhow!("expected a move or a command, not {line:?}; help lists them");
    }
    anyhow!("{why}; help tells how moves are written, moves lists them")
}
