//! Several games behind one engine: the one that is played is chosen by name, or by what a setup shows.

use super::{AlphaBeta, settings};
use crate::control::{Engine, Known, Limits, Options, Sink};
use crate::eval::EvalSource;
use crate::game::{About, BadInput, PieceValues, Side};
use std::sync::atomic::AtomicBool;

/// A game that may be chosen.
#[derive(Clone, Copy)]
pub struct Variant {
    /// The game.
    pub about: &'static About,
    /// Makes its engine.
    pub engine: fn() -> Result<Box<dyn Engine>, String>,
    /// The options of that engine at start.
    options: fn() -> Options,
    /// Whether a value of `EvalFile` is one for the game.
    reads: fn(&str) -> bool,
}

impl Variant {
    /// A game, played by the alpha-beta search.
    pub const fn of<P: PieceValues>() -> Self {
        Self {
            about: P::ABOUT,
            engine: || Ok(Box::new(AlphaBeta::<P>::new()?)),
            options: || settings::declared(P::extras().as_ref()),
            reads: |file| EvalSource::of_file::<P>(file).is_ok(),
        }
    }
}

/// The engines of several games, one of which is in use.
pub struct Variants {
    all: Vec<Variant>,
    used: usize,
    engine: Box<dyn Engine>,
    /// The options of all games: a client asks for them once, before it chooses one.
    options: Options,
    /// Options set so far, for the next engine, in order; of one name, one a game.
    told: Vec<Told>,
}

/// An option that was set.
struct Told {
    name: String,
    value: Option<String>,
    /// The game whose engine took it.
    game: usize,
}

impl Variants {
    /// The first of the games is in use. The list must not be empty.
    pub fn new(all: &[Variant]) -> Result<Self, String> {
        let (first, others) = all.split_first().ok_or("no game to play")?;
        let engine = (first.engine)()?;
        let mut options = engine.options().clone();
        for other in others {
            for o in (other.options)().iter() {
                if options.get(o.name).is_none() {
                    options.declare(o.name, o.default.clone(), o.help);
                }
            }
        }
        Ok(Self {
            all: all.to_vec(),
            used: 0,
            engine,
            options,
            told: Vec::new(),
        })
    }

    /// The engine of a game with the options set so far.
    fn made(&self, i: usize) -> Result<Box<dyn Engine>, BadInput> {
        let mut engine = (self.all[i].engine)().map_err(BadInput::new)?;
        for told in &self.told {
            // What only another game takes is left behind.
            let _ = engine.set_option(&told.name, told.value.as_deref());
        }
        Ok(engine)
    }

    fn remember(&mut self, name: &str, value: Option<&str>, game: usize) {
        self.told
            .retain(|t| t.game != game || !t.name.eq_ignore_ascii_case(name));
        self.told.push(Told {
            name: name.into(),
            value: value.map(String::from),
            game,
        });
    }

    /// Another game whose network a file is that the one in use refuses.
    fn reader(&self, name: &str, file: &str) -> Option<usize> {
        let is_file = name.eq_ignore_ascii_case("EvalFile");
        let mut others = (0..self.all.len()).filter(|&i| is_file && i != self.used);
        others.find(|&i| (self.all[i].reads)(file))
    }
}

impl Engine for Variants {
    fn options(&self) -> &Options {
        &self.options
    }

    fn set_option(&mut self, name: &str, text: Option<&str>) -> Result<(), BadInput> {
        let former = self.options.get(name).cloned();
        self.options.set(name, text)?;
        // What only another game knows waits for it.
        if self.engine.options().get(name).is_some()
            && let Err(why) = self.engine.set_option(name, text)
        {
            former.into_iter().for_each(|f| self.options.restore(f));
            let Some(game) = self.reader(name, text.unwrap_or_default().trim()) else {
                return Err(why);
            };
            self.remember(name, text, game);
            let name = self.all[game].about.name;
            return Err(BadInput::new(format!("{why}; it waits for {name}")));
        }
        self.remember(name, text, self.used);
        Ok(())
    }

    fn variants(&self) -> Vec<&'static str> {
        self.all.iter().flat_map(|v| v.about.names()).collect()
    }

    fn set_variant(&mut self, name: &str) -> Result<(), BadInput> {
        match self.all.iter().position(|v| v.about.is_called(name)) {
            Some(i) if i == self.used => Ok(()),
            Some(i) => {
                (self.engine, self.used) = (self.made(i)?, i);
                Ok(())
            }
            None => Err(BadInput::new(format!(
                "no such variant: {name}; there are {}",
                self.variants().join(", ")
            ))),
        }
    }

    fn new_game(&mut self) {
        self.engine.new_game();
    }

    fn position(&mut self, setup: Option<&str>, moves: &[&str]) -> Result<(), BadInput> {
        let shown = setup.and_then(|s| self.all.iter().position(|v| (v.about.shows)(s)));
        let Some(i) = shown.filter(|i| *i != self.used) else {
            return self.engine.position(setup, moves);
        };
        // The engine in use stays if the position is bad.
        let mut other = self.made(i)?;
        other.position(setup, moves)?;
        (self.engine, self.used) = (other, i);
        Ok(())
    }

    fn go(&mut self, limits: Limits, sink: Sink) -> Result<(), BadInput> {
        self.engine.go(limits, sink)
    }

    fn stop(&self) {
        self.engine.stop();
    }

    fn ponderhit(&self) {
        self.engine.ponderhit();
    }

    fn ponderhit_with(&self, limits: &Limits) {
        self.engine.ponderhit_with(limits);
    }

    fn wait(&mut self) {
        self.engine.wait();
    }

    fn side(&self) -> Side {
        self.engine.side()
    }

    fn picture(&self) -> String {
        self.engine.picture()
    }

    fn setup(&self) -> String {
        self.engine.setup()
    }

    fn explain(&mut self) -> String {
        self.engine.explain()
    }

    fn perft_counts(&self) -> Option<&'static str> {
        self.engine.perft_counts()
    }

    fn is_legal(&self, mv: &str) -> bool {
        self.engine.is_legal(mv)
    }

    fn perft(&self, depth: u32, threads: usize, halt: &AtomicBool) -> Vec<(String, u64)> {
        self.engine.perft(depth, threads, halt)
    }

    fn probe(&self, setup: Option<&str>, moves: &[&str]) -> Option<Known> {
        self.engine.probe(setup, moves)
    }

    fn bench(&mut self, depth: u32, each: &mut dyn FnMut(usize, u64)) -> (u64, f64) {
        self.engine.bench(depth, each)
    }

    fn openings(&mut self, n: usize, seed: u64) -> Vec<String> {
        self.engine.openings(n, seed)
    }
}
