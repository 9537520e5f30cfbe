//! How a match of any game is run: engines are asked for name and network, the state is opened, games are played on several
//! threads, and their end is reported.

use super::crosstable::{self, Meeting};
use super::game::{self, Course, MatchRules, Played};
use super::heard::Introduction;
use super::identity::{EngineSpec, HashedWord, Identity};
use super::live::{self, LiveBoards, LiveEnd, LiveEngine, LiveSeat, LiveSpec, LiveStanding, LiveTest, ScorePath};
use super::player::{INTERRUPTED, Pace, Player, Spec};
use super::record::RecordHead;
use super::schedule::{self, Tournament};
use super::state::{Bout, MatchFiles, MatchState};
use super::stats::SprtBounds;
use super::tally::Tally;
use super::{MatchArgs, pace, specs, terms, today};
use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use nguky::register;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Everything that stays the same during a match of any game.
pub struct MatchContext {
    /// The engines.
    pub specs: Vec<Spec>,
    /// What limits the moves of each.
    pub paces: Vec<Pace>,
    /// What the referee allows; the paces are those of a game's two engines.
    pub terms: MatchRules,
    /// Everything that decides the games, but for what the engines say of themselves.
    pub identity: Identity,
    test: Option<SprtBounds>,
    /// The form of a tournament; a match of two has none.
    tournament: Option<Tournament>,
    /// Who meets whom.
    pairs: Vec<[usize; 2]>,
    ending: &'static str,
    first_line: &'static str,
    live: LiveBoards,
}

impl MatchContext {
    /// The frame of a command line's match, whose random openings have so many plies.
    pub fn new(args: &MatchArgs, event: &str, plies: u32) -> Result<Self> {
        let (specs, terms, pace) = (specs(args)?, terms(args)?, pace(args)?);
        let paces: Vec<Pace> = specs.iter().map(|s| s.pace.unwrap_or(pace)).collect();
        for (spec, pace) in specs.iter().zip(&paces) {
            if *pace == Pace::Own && spec.protocol() != "gtp" {
                bail!(
                    "{}: limit=own is for GTP engines; in {} every search is given its limit, so give tc=, movetime=, nodes= \
                     or depth=",
                    spec.name,
                    spec.protocol().to_uppercase()
                );
            }
        }
        let game = register::find(&args.game)?.name;
        let engines = specs
            .iter()
            .zip(&paces)
            .map(|(spec, &pace)| EngineSpec::new(spec, pace));
        let mut identity = Identity {
            event: event.into(),
            game: game.into(),
            engines: engines.collect::<Result<_>>()?,
            terms: BTreeMap::new(),
        };
        identity.term("openings", HashedWord::argument(&args.openings)?);
        // The number of games is left out: a longer match goes on from a shorter one. So is the test, which only
        // says when to stop.
        let number = |n: u64| Some(n.to_string());
        for (option, value) in [
            (
                "plies",
                if args.openings == "random" {
                    number(plies.into())
                } else {
                    args.plies.map(|n| n.to_string())
                },
            ),
            ("handicap", args.handicap.clone()),
            ("seed", number(args.seed)),
            ("margin-ms", number(args.margin_ms)),
            ("stall-ms", number(args.stall_ms)),
            ("longest", number(args.longest as u64)),
            ("rule", (!args.rule.is_empty()).then(|| args.rule.join(" "))),
            ("resign", args.resign.clone()),
            ("draw", args.draw.clone()),
        ] {
            if let Some(value) = value {
                identity.term(option, HashedWord::plain(&value));
            }
        }
        let ladder = (!args.pairs.is_empty()).then_some(Tournament::Ladder);
        let many = (specs.len() > 2).then_some(Tournament::RoundRobin);
        let tournament = ladder.or(args.tournament).or(many);
        let pairs = match ladder {
            Some(_) => args.pairs.clone(),
            // A match of two is the shortest tournament.
            None => tournament.unwrap_or(Tournament::RoundRobin).pairs(specs.len()),
        };
        Ok(Self {
            tournament,
            pairs,
            specs,
            paces,
            terms,
            identity,
            test: args.sprt.as_deref().map(SprtBounds::parse).transpose()?,
            ending: "pgn",
            first_line: super::record::FIRST_LINE,
            live: LiveBoards::new(!args.no_live),
        })
    }

    /// The record's usual ending, and how each game in it begins.
    pub const fn written(&mut self, ending: &'static str, first_line: &'static str) {
        (self.ending, self.first_line) = (ending, first_line);
    }

    /// The clocks in words, by the letters of the sides in the order in which they move.
    pub fn time_control(&self, bout: Bout, [a, b]: [char; 2]) -> String {
        let [pace, other] = bout.order().map(|i| self.paces[i]);
        if pace == other {
            pace.to_string()
        } else {
            format!("{a} {pace}, {b} {other}")
        }
    }

    /// What the record of a game begins with, whose two sides are called white and black.
    pub fn head(&self, bout: Bout) -> RecordHead<'_> {
        self.head_for(bout, ['W', 'B'])
    }

    /// What the record of a game begins with, whose sides have these letters.
    pub fn head_for(&self, bout: Bout, letters: [char; 2]) -> RecordHead<'_> {
        RecordHead {
            event: &self.identity.event,
            names: bout.order().map(|i| self.specs[i].name.as_str()),
            round: self.round(bout),
            time_control: self.time_control(bout, letters),
            date: today(),
        }
    }

    /// The terms of a game.
    pub fn terms(&self, bout: Bout) -> MatchRules {
        MatchRules {
            paces: bout.order().map(|i| self.paces[i]),
            ..self.terms
        }
    }

    /// Plays a game to its end. Engines that are not there are started; after a fault both are let go.
    pub fn play(
        &self,
        seats: &mut Players,
        course: &mut impl Course,
        bout: Bout,
        start: impl Fn(&Spec) -> Result<Player>,
    ) -> Result<Played> {
        let order = bout.order();
        let mut take = |i: usize| seats.0.remove(&i).map_or_else(|| start(&self.specs[i]), Ok);
        let (mut a, mut b) = (take(order[0])?, take(order[1])?);
        let watcher = self.watcher(bout, course.open());
        let played = game::play(course, [&mut a, &mut b], &self.terms(bout), &watcher);
        if played.fault.is_none() && !played.unfinished {
            seats.0.extend([(order[0], a), (order[1], b)]);
        }
        Ok(played)
    }

    /// A game begins with this setup and these moves: who writes down for the live file what follows.
    pub fn watcher(&self, bout: Bout, begun: (&str, &[String])) -> LiveSeat<'_> {
        self.live.begin(bout, self.round(bout), begun)
    }

    /// The score of the match's two engines.
    fn tally(&self, state: &MatchState) -> Tally {
        let [a, b] = PAIR.map(|i| state.identity().engines.get(i));
        let mut tally = Tally::of(state.games(PAIR), self.test.as_ref());
        tally.alike = a.zip(b).is_some_and(|(a, b)| a.same_player(b));
        tally
    }

    /// The opening's number and the game's of its pair; between them, in a tournament, the numbers of the two engines.
    fn round(&self, bout: Bout) -> String {
        let (opening, game) = (bout.number / 2 + 1, bout.number % 2 + 1);
        let [a, b] = bout.pair.map(|i| i + 1);
        match self.tournament {
            Some(_) => format!("{opening}.{a}-{b}.{game}"),
            None => format!("{opening}.{game}"),
        }
    }

    /// How it stands, in a few words and in figures, and whether nothing is left to find out.
    fn standing(&self, state: &MatchState) -> (String, bool, LiveStanding) {
        let mut standing = LiveStanding {
            games: state.count(),
            ..LiveStanding::default()
        };
        if self.tournament.is_some() {
            let meetings = self.meetings(state);
            standing.table = crosstable::rows(self.specs.len(), &meetings);
            return (crosstable::summary(&self.names(), &meetings), false, standing);
        }
        let tally = self.tally(state);
        standing.tally = Some(tally.figures());
        (tally.summary(), tally.decided.is_some(), standing)
    }

    /// What the live file says of the match.
    fn live_spec(&self, state: &MatchState, args: &MatchArgs, games: usize) -> LiveSpec {
        let identity = state.identity();
        let term = |name: &str| identity.terms.get(name).map(|w| w.text.clone());
        let engine = |e: &EngineSpec| LiveEngine {
            name: e.name.clone(),
            limit: e.limit.clone(),
            said: e.said.to_string(),
        };
        let settings = args.rule.iter().filter_map(|r| r.split_once('='));
        LiveSpec {
            event: identity.event.clone(),
            game: identity.game.clone(),
            rules: settings.map(|(name, value)| (name.into(), value.into())).collect(),
            size: term("size").and_then(|t| t.parse().ok()),
            komi: term("komi").and_then(|t| t.parse().ok()),
            engines: identity.engines.iter().map(engine).collect(),
            tournament: self.tournament.map(|t| t.name().into()),
            total: games,
            concurrency: args.concurrency.into(),
            openings: term("openings").unwrap_or_default(),
            record: state.record.display().to_string(),
            test: self.test.as_ref().map(|t| LiveTest {
                elo0: t.elo0,
                elo1: t.elo1,
                low: t.limits().0,
                high: t.limits().1,
            }),
            begun: live::now(),
            before: state.count(),
        }
    }

    /// The result for a person.
    fn report(&self, state: &MatchState) -> String {
        let engines = &state.identity().engines;
        match self.tournament {
            None => self.tally(state).report(engines, self.test.as_ref()),
            Some(form) => {
                let meetings = self.meetings(state);
                let games: usize = meetings.iter().map(|m| m.games.len()).sum();
                let head = format!("{} of {} engines: {games} games\n", form.name(), engines.len());
                head + &crosstable::table(&self.names(), &meetings)
            }
        }
    }

    fn names(&self) -> Vec<&str> {
        self.specs.iter().map(|s| s.name.as_str()).collect()
    }

    /// What all engines played against each other.
    fn meetings<'a>(&self, state: &'a MatchState) -> Vec<Meeting<'a>> {
        // The pairs of a ladder have an order of their own; other forms count what any of them has played.
        let all = if self.tournament == Some(Tournament::Ladder) {
            self.pairs.clone()
        } else {
            Tournament::RoundRobin.pairs(self.specs.len())
        };
        let met = all.into_iter().map(|pair| Meeting {
            pair,
            games: state.games(pair),
        });
        met.filter(|m| !m.games.is_empty()).collect()
    }

    /// What played what, in a few lines.
    fn headline(&self, identity: &Identity) -> String {
        let terms = &identity.terms;
        let term = |name: &str| terms.get(name).map(|w| w.shown()).unwrap_or_default();
        let mut text = format!("{} of {}, openings {}", identity.event, identity.game, term("openings"));
        let besides = ["openings", "margin-ms", "stall-ms"];
        for (name, value) in terms.iter().filter(|(name, _)| !besides.contains(&name.as_str())) {
            text += &format!(", {name} {}", value.shown());
        }
        text.push('\n');
        for engine in &identity.engines {
            text += &format!("{}: {}; {}\n", engine.name, engine.limit, engine.shown());
        }
        text
    }
}

/// The two engines of a match.
const PAIR: [usize; 2] = [0, 1];

/// The running engines of a game thread, by their places in the match.
#[derive(Default)]
pub struct Players(BTreeMap<usize, Player>);

impl Players {
    /// Starts an engine and asks for its name and network.
    pub fn introduce(
        &mut self,
        which: usize,
        setup: Option<&str>,
        start: impl Fn() -> Result<Player>,
    ) -> Result<Introduction> {
        let mut player = start()?;
        let said = player.introduce(setup)?;
        self.0.insert(which, player);
        Ok(said)
    }
}

/// What a match plays.
pub trait Contest: Sync {
    /// The programs that one game thread runs.
    type Seats: Default + Send;
    /// What all matches have.
    fn frame(&self) -> &MatchContext;
    /// Games in all.
    fn games(&self) -> usize;
    /// Starts an engine, makes sure that it plays under its limit, and asks for its name and network.
    fn introduce(&self, seats: &mut Self::Seats, which: usize) -> Result<Introduction>;
    /// Plays a game and writes its record; an engine that failed is started anew for the next. A game that the user
    /// broke off is marked so.
    fn one(&self, seats: &mut Self::Seats, bout: Bout) -> Result<(Played, String)>;
}

/// Plays what is left of a match, prints its result, and gives the games.
pub fn play_all<C: Contest>(contest: &C, args: &MatchArgs) -> Result<MatchState> {
    let frame = contest.frame();
    let bouts = schedule::bouts(&frame.pairs, contest.games());
    let games = bouts.len();
    // Only one handler can be set; in tests several matches share a process.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let mut seats = C::Seats::default();
    let mut identity = frame.identity.clone();
    for (which, engine) in identity.engines.iter_mut().enumerate() {
        engine.said = contest.introduce(&mut seats, which)?;
    }
    let state = open(frame, identity, args)?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games  {msg}  {eta} left")?;
    let bar = ProgressBar::new(games as u64).with_style(style);
    let (summary, decided, standing) = frame.standing(&state);
    let path = match frame.tournament {
        None => ScorePath::of(state.games(PAIR), frame.test.as_ref()),
        Some(_) => ScorePath::default(),
    };
    frame.live.open(frame.live_spec(&state, args, games), path, standing);
    let live_file = live::beside(&state.path);
    bar.set_position(state.count() as u64);
    bar.set_message(summary);
    bar.enable_steady_tick(Duration::from_secs(1));
    let (state, next) = (Mutex::new(state), AtomicUsize::new(0));
    let stop = AtomicBool::new(decided);
    // The first thread plays with the engines that have introduced themselves.
    let (started, unfinished) = (Mutex::new(Some(seats)), Mutex::new(Vec::new()));
    let worker = || -> Result<()> {
        let mut seats = started.lock().ok().and_then(|mut s| s.take()).unwrap_or_default();
        while !stop.load(Ordering::Relaxed) && !INTERRUPTED.load(Ordering::Relaxed) {
            let Some(&bout) = bouts.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            if state.lock().is_ok_and(|s| s.has(bout)) {
                continue;
            }
            let (played, text) = contest.one(&mut seats, bout)?;
            if played.unfinished {
                if let Ok(mut texts) = unfinished.lock() {
                    texts.push(text);
                }
                break;
            }
            frame.live.finished(bout, &played);
            let Ok(mut state) = state.lock() else { break };
            state.add(bout, played, &text)?;
            let (summary, decided, standing) = frame.standing(&state);
            frame.live.stands(standing);
            bar.set_position(state.count() as u64);
            if bar.is_hidden() {
                eprintln!("{}/{games} games  {summary}", state.count());
            }
            bar.set_message(summary);
            if decided {
                stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    let halting = || {
        let done = worker();
        if done.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        done
    };
    std::thread::scope(|scope| -> Result<()> {
        std::thread::Builder::new()
            .name("live".into())
            .spawn_scoped(scope, || frame.live.write(&live_file))?;
        let handles: Vec<_> = (0..args.concurrency).map(|_| scope.spawn(halting)).collect();
        let results: Vec<Result<()>> = handles
            .into_iter()
            .map(|h| h.join().unwrap_or_else(|_| bail!("a game thread failed")))
            .collect();
        let failed = results.iter().any(Result::is_err);
        frame.live.end(match stop.load(Ordering::Relaxed) {
            _ if failed => LiveEnd::Failed,
            true => LiveEnd::Decided,
            false if INTERRUPTED.load(Ordering::Relaxed) => LiveEnd::Stopped,
            false => LiveEnd::Played,
        });
        results.into_iter().collect()
    })?;
    bar.finish_and_clear();
    let (Ok(mut state), Ok(unfinished)) = (state.into_inner(), unfinished.into_inner()) else {
        bail!("a game thread failed")
    };
    state.add_unfinished(&unfinished)?;
    conclude(frame, &state, games)?;
    Ok(state)
}

/// Opens the state, and prints where the match is kept and how far it has come.
fn open(frame: &MatchContext, identity: Identity, args: &MatchArgs) -> Result<MatchState> {
    let command = identity.event.strip_prefix("nguky ").unwrap_or_default();
    let stem = match command {
        "match" => identity.game.clone(),
        command => format!("{}-{command}", identity.game),
    };
    let wish = MatchFiles {
        record: args.pgn.as_deref(),
        state: args.state.as_deref(),
        folder: Path::new(""),
        stem: &stem,
        date: &today().replace('.', "-"),
        ending: frame.ending,
        first_line: frame.first_line,
    };
    let (state, note) = MatchState::open(&wish, identity)?;
    if let Some(note) = note {
        eprintln!("{note}");
    }
    if state.count() > 0 {
        eprintln!(
            "{} games of this match are in {} already; to play it anew, remove that and {}",
            state.count(),
            state.record.display(),
            state.path.display()
        );
    }
    Ok(state)
}

/// Tells the result.
fn conclude(frame: &MatchContext, state: &MatchState, games: usize) -> Result<()> {
    let identity = state.identity();
    let report = frame.headline(identity) + &frame.report(state) + &format!("games in {}\n", state.record.display());
    // A reader who has seen enough is no fault.
    let _ = std::io::stdout().lock().write_all(report.as_bytes());
    if INTERRUPTED.load(Ordering::Relaxed) {
        eprintln!(
            "stopped after {} of {games} games; the same command goes on",
            state.count()
        );
        // As shells count an end by Ctrl-C. The engines are gone: their threads have ended above.
        std::process::exit(130);
    }
    Ok(())
}
