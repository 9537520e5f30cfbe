//! Several games behind one engine: the one that is played is chosen by name, or by what a setup shows.

use crate::control::{Engine, Known, Limits, Options, Sink};
use crate::game::{BadInput, Side};

/// A game that may be chosen.
#[derive(Clone, Copy)]
pub struct Variant {
    /// Its names, the first one its own.
    pub names: &'static [&'static str],
    /// Makes its engine.
    pub engine: fn() -> Result<Box<dyn Engine>, String>,
    /// Whether a setup can only be of this game.
    pub shows: fn(&str) -> bool,
}

/// The engines of several games, one of which is in use.
pub struct Variants {
    all: &'static [Variant],
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
    pub fn new(all: &'static [Variant]) -> Result<Self, String> {
        let (first, others) = all.split_first().ok_or("no game to play")?;
        let engine = (first.engine)()?;
        let mut options = engine.options().clone();
        for other in others {
            for o in (other.engine)()?.options().iter() {
                if options.get(o.name).is_none() {
                    options.declare(o.name, o.default.clone(), o.help);
                }
            }
        }
        Ok(Self {
            all,
            used: 0,
            engine,
            options,
            told: Vec::new(),
        })
    }

    fn use_game(&mut self, i: usize) -> Result<(), BadInput> {
        if i == self.used {
            return Ok(());
        }
        let mut engine = (self.all[i].engine)().map_err(BadInput::new)?;
        for told in &self.told {
            // What only another game takes is left behind.
            let _ = engine.set_option(&told.name, told.value.as_deref());
        }
        (self.engine, self.used) = (engine, i);
        Ok(())
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

    /// Another game that takes a value which the one in use refuses, such as the file of its network.
    fn taker(&self, name: &str, value: Option<&str>) -> Option<usize> {
        (0..self.all.len()).filter(|&i| i != self.used).find(|&i| {
            let engine = (self.all[i].engine)();
            engine.is_ok_and(|mut e| e.options().get(name).is_some() && e.set_option(name, value).is_ok())
        })
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
            let Some(game) = self.taker(name, text) else {
                return Err(why);
            };
            self.remember(name, text, game);
            return Err(BadInput::new(format!(
                "{why}; it waits for {}",
                self.all[game].names[0]
            )));
        }
        self.remember(name, text, self.used);
        Ok(())
    }

    fn set_variant(&mut self, name: &str) -> Result<(), BadInput> {
        let named = |v: &Variant| v.names.iter().any(|n| n.eq_ignore_ascii_case(name));
        match self.all.iter().position(named) {
            Some(i) => self.use_game(i),
            None => Err(BadInput::new(format!(
                "no such variant: {name}; there are {}",
                self.all.iter().map(|v| v.names[0]).collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    fn new_game(&mut self) {
        self.engine.new_game();
    }

    fn position(&mut self, setup: Option<&str>, moves: &[&str]) -> Result<(), BadInput> {
        let former = self.used;
        if let Some(i) = setup.and_then(|s| self.all.iter().position(|v| (v.shows)(s)))
            && i != former
        {
            // The engine in use stays if the position is bad.
            let mut other = (self.all[i].engine)().map_err(BadInput::new)?;
            other.position(setup, moves)?;
            drop(other);
            self.use_game(i)?;
        }
        self.engine.position(setup, moves)
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

    fn perft(&self, depth: u32, threads: usize) -> Vec<(String, u64)> {
        self.engine.perft(depth, threads)
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
