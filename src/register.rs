//! The register: the one list of games. A game describes itself in its folder (`src/games/GAME/about.rs`), and whatever is
//! done for every game loops over this list. `docs/new-game.md` goes through adding one.

use crate::control::Engine;
use crate::engine::{Variant, Variants};
use crate::game::{About, BadInput};
use crate::util::text;

/// Calls a macro with the games that the alpha-beta search plays, as types: `alphabeta_games!(each more)` becomes
/// `each! { [more] #[cfg(feature = "chess")] Chess, #[cfg(feature = "xiangqi")] Xiangqi, ... }`. The macro `each` hands the
/// attributes on: games whose feature is off are not compiled.
///
/// A new game stands at the end: a game's place is its number in the files of `nguky datagen`.
#[macro_export]
macro_rules! alphabeta_games {
    ($each:ident $($more:tt)*) => {
        $each! {
            [$($more)*]
            #[cfg(feature = "chess")] $crate::games::chess::Chess,
            #[cfg(feature = "xiangqi")] $crate::games::xiangqi::Xiangqi,
            #[cfg(feature = "xiangqi")] $crate::games::coup::Coup,
            #[cfg(feature = "shogi")] $crate::games::shogi::Shogi
        }
    };
}

macro_rules! descriptions {
    ([] $(#[$on:meta] $game:ty),*) => { &[$(#[$on] <$game as $crate::game::Position>::ABOUT,)*] };
}

macro_rules! variants {
    ([] $(#[$on:meta] $game:ty),*) => { &[$(#[$on] Variant::of::<$game>(),)*] };
}

/// The games that the alpha-beta search plays.
pub const ALPHABETA: &[&About] = alphabeta_games!(descriptions);

/// Go, which has a search of its own.
#[cfg(feature = "go")]
pub const GO: &About = &crate::games::go::ABOUT;

/// How the engines of [`ALPHABETA`] are made.
const VARIANTS: &[Variant] = alphabeta_games!(variants);

/// All games.
pub fn games() -> impl Iterator<Item = &'static About> {
    let others: &[&About] = &[
        #[cfg(feature = "go")]
        GO,
    ];
    ALPHABETA.iter().chain(others).copied()
}

/// The game of a name.
///
/// # Errors
/// One line that names the games there are.
pub fn find(name: &str) -> Result<&'static About, BadInput> {
    let game = games().find(|g| g.is_called(name));
    game.ok_or_else(|| BadInput::new(format!("no game {name:?}; expected {}", list(games().map(|g| g.name)))))
}

/// The game of a name, where go is none of those that may be meant.
///
/// # Errors
/// One line that names the games there are.
pub fn find_alphabeta(name: &str) -> Result<&'static About, BadInput> {
    let game = ALPHABETA.iter().copied().find(|g| g.is_called(name));
    let names = || list(ALPHABETA.iter().map(|g| g.name));
    game.ok_or_else(|| BadInput::new(format!("no game {name:?} here; expected {}", names())))
}

/// `a, b or c`.
pub fn list(names: impl Iterator<Item = impl Into<String>>) -> String {
    let mut names: Vec<String> = names.map(Into::into).collect();
    match (names.pop(), names.is_empty()) {
        (Some(last), true) => last,
        (Some(last), false) => format!("{} or {last}", names.join(", ")),
        (None, _) => String::new(),
    }
}

/// The engines of the games that name a program as theirs.
pub type PlayedGames = [Option<Variant>; VARIANTS.len()];

/// The games of a program. A constant of this keeps the code and the networks of all other games out of the program.
pub const fn played_by(program: &str) -> PlayedGames {
    let mut played: PlayedGames = [None; VARIANTS.len()];
    let mut i = 0;
    while i < VARIANTS.len() {
        if text::is_same(VARIANTS[i].about.program, program) {
            played[i] = Some(VARIANTS[i]);
        }
        i += 1;
    }
    played
}

/// The engine in one of our programs: of the games that name the program as theirs, one of them at a time.
///
/// # Errors
/// One line, where the engine cannot be made or no game names the program.
pub fn engine(program: &str) -> Result<Box<dyn Engine>, String> {
    engine_of(program, &played_by(program))
}

/// The same for a program whose games are known when it is compiled.
///
/// # Errors
/// As [`engine`].
pub fn engine_of(program: &str, played: &PlayedGames) -> Result<Box<dyn Engine>, String> {
    match played.iter().flatten().copied().collect::<Vec<_>>().as_slice() {
        [] => Err(format!("no game is played by {program}")),
        [one] => (one.engine)(),
        several => Ok(Box::new(Variants::new(several)?)),
    }
}

#[cfg(all(test, feature = "chess", feature = "xiangqi", feature = "shogi", feature = "go"))]
mod tests {
    use super::*;
    use crate::game::Side;

    /// Files of self-play have a game's place in the list as its number.
    #[test]
    fn places_in_the_list_stay() {
        let names: Vec<&str> = games().map(|g| g.name).collect();
        assert!(names.starts_with(&["chess", "xiangqi", "coup", "shogi"]), "{names:?}");
    }

    #[test]
    fn names_lead_to_one_game() {
        let all: Vec<&str> = games().flat_map(About::names).collect();
        for name in &all {
            assert_eq!(games().filter(|g| g.is_called(name)).count(), 1, "{name}");
        }
        assert_eq!(find("jieqi").map(|g| g.name), find("Coup").map(|g| g.name));
        for (found, why) in [
            (
                find("checkers"),
                "no game \"checkers\"; expected chess, xiangqi, coup, shogi or go",
            ),
            (
                find_alphabeta("go"),
                "no game \"go\" here; expected chess, xiangqi, coup or shogi",
            ),
        ] {
            assert_eq!(found.err().map(|e| e.to_string()).as_deref(), Some(why));
        }
        assert!(engine("nguky-checkers").is_err_and(|why| why.contains("nguky-checkers")));
    }

    #[test]
    fn every_letter_has_a_glyph() {
        for game in games() {
            for letter in game.letters.chars() {
                assert!(game.glyph(&letter.to_string()).is_some(), "{} {letter}", game.name);
            }
            let known = |c: char| game.letters.contains(c);
            assert!(
                game.covered.chars().chain(game.by_value.chars()).all(known),
                "{}",
                game.name
            );
            assert_eq!(game.glyph("?"), None);
        }
        let shogi = find("shogi").expect("shogi");
        assert_eq!(
            [shogi.glyph("+r"), shogi.glyph("+P"), shogi.glyph("+K")],
            [Some('龍'), Some('と'), None]
        );
    }

    /// A stronger level looks at no less, chooses among no more lines and errs no more.
    #[test]
    fn levels_grow() {
        for game in games() {
            for pair in game.levels.windows(2) {
                let [low, high] = [pair[0], pair[1]];
                let grows = low.elo < high.elo && low.nodes <= high.nodes;
                assert!(
                    grows && low.lines >= high.lines && low.noise >= high.noise,
                    "{}: {low:?}, {high:?}",
                    game.name
                );
            }
        }
    }

    /// Handicaps are positions of their game that it writes alike, with less for the side that gives them.
    #[test]
    fn handicaps_are_positions() {
        fn check<P: crate::game::Position>() -> Result<(), BadInput> {
            let about = P::ABOUT;
            let start = P::parse(P::START, &P::Rules::default())?;
            let pieces = |pos: &P, side: Side| {
                let board = pos.setup().split(' ').next().unwrap_or_default().to_string();
                let first = |c: &char| c.is_ascii_uppercase();
                let all: Vec<char> = board.chars().filter(|c| c.is_ascii_alphabetic()).collect();
                let count = all.iter().filter(|c| first(c)).count();
                if side == Side::First { count } else { all.len() - count }
            };
            for h in about.handicaps {
                let pos = P::parse(h.setup, &P::Rules::default())?;
                assert_eq!(pos.setup(), h.setup, "{} {}", about.name, h.name);
                assert!(
                    pieces(&pos, h.side) < pieces(&start, h.side),
                    "{} {}",
                    about.name,
                    h.name
                );
                assert_eq!(
                    pieces(&pos, h.side.other()),
                    pieces(&start, h.side.other()),
                    "{}",
                    h.name
                );
                assert_eq!(about.handicap(h.name)?, h);
            }
            let why = about
                .handicap("no such")
                .map(|h| h.name)
                .expect_err("an unknown name")
                .to_string();
            let first = about.handicaps.first().map_or("no handicaps", |h| h.name);
            assert!(why.contains(first), "{why}");
            Ok(())
        }
        macro_rules! each {
            ([] $(#[$on:meta] $game:ty),*) => {
                $(#[$on] check::<$game>().expect(<$game as crate::game::Position>::NAME);)*
            };
        }
        crate::alphabeta_games!(each);
    }

    /// A network file whose name is of no game would be built in and never used.
    #[test]
    fn networks_that_are_built_in_are_of_games() {
        for name in crate::eval::built_in_networks() {
            assert!(games().any(|g| g.name == name), "engines/nets: no game {name:?}");
        }
    }
}
