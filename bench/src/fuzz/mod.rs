//! Targets of coverage-guided fuzzing: every parser, board and session as a function of bytes. A target may not panic, hang,
//! allocate without bound, or contradict a plain reference.
//!
//! `cargo fuzz` drives them (fuzz/Cargo.toml builds this program with libFuzzer); the ordinary test below runs each over its
//! corpus, which holds the seeds and whatever a fault was found with. tests/README.md has the commands.

mod boards;
mod files;
mod sessions;
mod texts;

use nguky::games::chess::Chess;
use nguky::games::coup::Coup;
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;

/// A target: any bytes are fine, and what is wrong panics.
type Target = fn(&[u8]);

/// All targets, by the name of their corpus.
const TARGETS: &[(&str, Target)] = &[
    ("board-chess", boards::chess),
    ("board-coup", boards::coup),
    ("board-go", boards::go),
    ("board-shogi", boards::shogi),
    ("board-xiangqi", boards::xiangqi),
    ("book-polyglot", files::polyglot),
    ("book-yaneuraou", sessions::sfen_book),
    ("csa", texts::csa),
    ("games-alphabeta", files::games),
    ("games-go", files::games_of_go),
    ("jieqibox", texts::jieqibox),
    ("kif", texts::kif),
    ("match-state", files::match_state),
    ("moves-chess", texts::moves::<Chess>),
    ("moves-coup", texts::moves::<Coup>),
    ("moves-shogi", texts::moves::<Shogi>),
    ("moves-xiangqi", texts::moves::<Xiangqi>),
    ("net-conv", files::conv),
    ("net-halfkp", files::halfkp),
    ("net-nnue", files::nnue),
    ("notation-chess", texts::notation::<Chess>),
    ("notation-shogi", texts::notation::<Shogi>),
    ("notation-xiangqi", texts::notation::<Xiangqi>),
    ("openings", files::openings),
    ("pgn-chess", texts::pgn::<Chess>),
    ("pgn-xiangqi", texts::pgn::<Xiangqi>),
    ("session-analysis", sessions::analysis),
    ("session-gtp", sessions::gtp),
    ("session-ucci", sessions::ucci),
    ("session-uci", sessions::uci),
    ("session-usi", sessions::usi),
    ("setup-chess", texts::setup::<Chess>),
    ("setup-coup", texts::setup::<Coup>),
    ("setup-shogi", texts::setup::<Shogi>),
    ("setup-xiangqi", texts::setup::<Xiangqi>),
    ("sgf", texts::sgf),
    ("sgf-gtp", sessions::loadsgf),
    ("syzygy", sessions::syzygy),
    ("training-lines", files::training_lines),
];

/// The target that the variable `NGUKY_TARGET` names, on an input of libFuzzer's.
#[cfg(fuzzing)]
mod driver {
    use std::sync::LazyLock;

    static TARGET: LazyLock<super::Target> = LazyLock::new(|| {
        let name = std::env::var("NGUKY_TARGET").unwrap_or_default();
        let found = super::TARGETS.iter().find(|t| t.0 == name);
        let names: Vec<&str> = super::TARGETS.iter().map(|t| t.0).collect();
        let wrong = || panic!("NGUKY_TARGET is {name:?}; expected one of {}", names.join(", "));
        found.unwrap_or_else(wrong).1
    });

    libfuzzer_sys::fuzz_target!(|data: &[u8]| (*TARGET)(data));
}

#[cfg(test)]
mod tests {
    use super::TARGETS;
    use rayon::prelude::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Every input of every corpus, and each of them cut short; every target has a corpus.
    #[test]
    fn the_corpora_hold() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
        let entries = |path: &Path| {
            let entries = std::fs::read_dir(path).expect("a folder of corpora");
            entries.map(|e| e.expect("an entry").path()).collect::<BTreeSet<_>>()
        };
        let named: BTreeSet<_> = TARGETS.iter().map(|t| folder.join(t.0)).collect();
        assert_eq!(entries(&folder), named);
        TARGETS.par_iter().for_each(|(name, run)| {
            let inputs = entries(&folder.join(name));
            assert!(!inputs.is_empty(), "{name}");
            for input in inputs {
                let bytes = std::fs::read(&input).expect("an input");
                run(&bytes);
                run(&bytes[..bytes.len() / 2]);
            }
        });
    }
}
