//! What a match keeps on disk, so that it goes on after a kill, and which files it keeps it in.
//!
//! A match has a record and, beside it, a state with its identity. A state is only resumed by the same match; no
//! other match ever writes to either file.

use super::game::Played;
use super::identity::Identity;
use crate::whole_file;
use anyhow::{Context, Result, bail};
use fs4::FileExt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The ending of the states' names.
pub const ENDING: &str = ".state.json";

/// One game of a match: two engines by their places in the identity, and the game's number among theirs. Games 2n and
/// 2n + 1 are a pair: the same opening, where in odd games the second engine has the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bout {
    /// The engines, whose score is seen from the first.
    pub pair: [usize; 2],
    /// The game's number.
    pub number: usize,
}

impl Bout {
    /// The engines in the order in which they move.
    pub const fn order(self) -> [usize; 2] {
        let [a, b] = self.pair;
        if self.number % 2 == 1 { [b, a] } else { [a, b] }
    }
}

/// The games of two engines by number.
pub type Games = BTreeMap<usize, Played>;

/// What the state's file holds.
#[derive(Serialize, Deserialize)]
struct SavedRun {
    /// What the match is.
    identity: Identity,
    /// The record's file, seen from the folder of the state.
    record: PathBuf,
    /// Bytes of the record that hold finished games.
    recorded: u64,
    /// Bytes behind them that hold games which were broken off, and are played anew.
    unfinished: u64,
    /// Finished games by number, by the two engines as `0-1`.
    games: BTreeMap<String, Games>,
}

impl SavedRun {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| {
            format!(
                "{} is damaged, or not the state of a match by this version; remove it or name another --record",
                path.display()
            )
        })
    }

    fn count(&self) -> usize {
        self.games.values().map(BTreeMap::len).sum()
    }
}

/// The files of a match, as far as they were named.
pub struct MatchFiles<'a> {
    /// The record that was asked for.
    pub record: Option<&'a Path>,
    /// The state that was asked for.
    pub state: Option<&'a Path>,
    /// The folder of names that were not asked for, and how these begin: `chess`, `chess-sprt`.
    pub folder: &'a Path,
    pub stem: &'a str,
    /// What follows the stem: `2026-11-23`.
    pub date: &'a str,
    /// The ending of the record's name.
    pub ending: &'a str,
    /// How every game in the record begins.
    pub first_line: &'a str,
}

/// A match's games, with the files that keep them. The record stays locked while this lives.
pub struct MatchState {
    kept: SavedRun,
    file: File,
    /// The record.
    pub record: PathBuf,
    /// The state's file.
    pub path: PathBuf,
}

fn key(pair: [usize; 2]) -> String {
    format!("{}-{}", pair[0], pair[1])
}

/// The state that belongs beside a record: `chess-2026-11-23.pgn.state.json`.
fn beside(record: &Path) -> PathBuf {
    let mut name = record.as_os_str().to_owned();
    name.push(ENDING);
    name.into()
}

/// A state's record, seen from where we are.
fn record_of(state: &Path, kept: &SavedRun) -> PathBuf {
    let folder = state.parent().unwrap_or(Path::new(""));
    folder.join(&kept.record)
}

impl MatchState {
    /// Opens what an earlier run of the same match left, or begins anew; then the message on the choice of the
    /// files. Another match's files are refused, and its names avoided where none was asked for.
    pub fn open(wish: &MatchFiles, identity: Identity) -> Result<(Self, Option<String>)> {
        if wish.record.is_some() && wish.record == wish.state {
            bail!(
                "--record and --state name the same file: {}",
                wish.record.unwrap_or(Path::new("")).display()
            );
        }
        match (wish.record, wish.state) {
            (None, None) => Self::by_date(wish, identity),
            (record, Some(path)) if path.exists() => {
                let kept = SavedRun::read(path)?;
                let own = record_of(path, &kept);
                Self::resume(wish, record.unwrap_or(&own), path, kept, &identity).map(|s| (s, None))
            }
            (None, Some(path)) => {
                let folder = path.parent().unwrap_or(Path::new(""));
                let record = (1..).map(|n| folder.join(name(wish, n))).find(|p| !p.exists());
                Self::begin(&record.unwrap_or_default(), path, identity).map(|s| (s, None))
            }
            (Some(record), state) => {
                let path = state.map_or_else(|| beside(record), Path::to_path_buf);
                if path.exists() {
                    let kept = SavedRun::read(&path)?;
                    return Self::resume(wish, record, &path, kept, &identity).map(|s| (s, None));
                }
                Self::begin(record, &path, identity).map(|s| (s, None))
            }
        }
    }

    /// Goes on with the same match wherever it lies in the folder, else takes the first free name.
    fn by_date(wish: &MatchFiles, identity: Identity) -> Result<(Self, Option<String>)> {
        let same = states(wish)
            .filter_map(|path| Some((SavedRun::read(&path).ok()?, path)))
            .filter(|(kept, _)| kept.identity == identity)
            .max_by_key(|(kept, path)| (kept.count(), path.clone()));
        if let Some((kept, path)) = same {
            let record = record_of(&path, &kept);
            return Self::resume(wish, &record, &path, kept, &identity).map(|s| (s, None));
        }
        let mut note = None;
        for n in 1..10_000 {
            let record = wish.folder.join(name(wish, n));
            let path = beside(&record);
            if !record.exists() && !path.exists() {
                let state = Self::begin(&record, &path, identity)?;
                let note = note.map(|why| format!("{why}; this one goes to {}", record.display()));
                return Ok((state, note));
            }
            note.get_or_insert_with(|| match SavedRun::read(&path) {
                Ok(kept) => {
                    let why = kept.identity.difference(&identity).unwrap_or_default();
                    format!("{} has another match ({why})", record.display())
                }
                Err(_) => format!("{} has other games", record.display()),
            });
        }
        bail!("no free name for the record in {}", wish.folder.display())
    }

    /// Begins a match in files that are not there yet.
    fn begin(record: &Path, path: &Path, identity: Identity) -> Result<Self> {
        if record.metadata().is_ok_and(|about| about.len() > 0) {
            bail!(
                "{} has games that no state beside it covers, so this match would mix with them; name another --record",
                record.display()
            );
        }
        let file = locked(record)?;
        let folder = |p: &Path| p.parent().unwrap_or(Path::new("")).to_path_buf();
        let seen = match folder(record) == folder(path) {
            true => record.file_name().map(PathBuf::from).unwrap_or_default(),
            false => std::path::absolute(record)?,
        };
        let state = Self {
            kept: SavedRun {
                identity,
                record: seen,
                recorded: 0,
                unfinished: 0,
                games: BTreeMap::new(),
            },
            file,
            record: record.into(),
            path: path.into(),
        };
        // What cannot be written is to be known before the first game.
        state.save()?;
        Ok(state)
    }

    /// Goes on with a state, if it is of the same match.
    fn resume(wish: &MatchFiles, record: &Path, path: &Path, kept: SavedRun, now: &Identity) -> Result<Self> {
        if let Some(why) = kept.identity.difference(now) {
            bail!(
                "{} is of another match ({why}); name another --record, or remove both files to play it anew",
                path.display()
            );
        }
        let own = record_of(path, &kept);
        if std::path::absolute(&own)? != std::path::absolute(record)? {
            bail!(
                "{} belongs to {}, not to {}",
                path.display(),
                own.display(),
                record.display()
            );
        }
        let length = record.metadata().map_or(0, |about| about.len());
        if length < kept.recorded {
            bail!(
                "{} lacks games that {} counts; put it back, or remove both files to play the match anew",
                record.display(),
                path.display()
            );
        }
        let mut state = Self {
            file: locked(record)?,
            kept,
            record: record.into(),
            path: path.into(),
        };
        state.mend(wish.first_line)?;
        state.save()?;
        Ok(state)
    }

    /// Cuts what stands behind the games that count and is ours: games that were broken off, or one that a kill left
    /// behind between writing it and counting it. They are played again.
    fn mend(&mut self, first_line: &str) -> Result<()> {
        let mut tail = Vec::new();
        self.file
            .seek(SeekFrom::Start(self.kept.recorded))
            .and_then(|_| self.file.read_to_end(&mut tail))
            .with_context(|| format!("cannot read {}", self.record.display()))?;
        let head = first_line.as_bytes();
        let ours = tail.starts_with(head) || head.starts_with(&tail);
        let games = tail.windows(head.len()).filter(|w| *w == head).count();
        // Anything else behind them was put there by somebody else and is not ours to cut.
        if tail.len() as u64 == self.kept.unfinished || (ours && games <= 1) {
            let told = || format!("cannot cut {}", self.record.display());
            self.file.set_len(self.kept.recorded).with_context(told)?;
        }
        self.kept.unfinished = 0;
        Ok(())
    }

    /// The games of two engines.
    pub fn games(&self, pair: [usize; 2]) -> &Games {
        static NONE: Games = BTreeMap::new();
        self.kept.games.get(&key(pair)).unwrap_or(&NONE)
    }

    /// Finished games in all.
    pub fn count(&self) -> usize {
        self.kept.count()
    }

    /// Whether a game is finished.
    pub fn has(&self, bout: Bout) -> bool {
        self.games(bout.pair).contains_key(&bout.number)
    }

    /// What the match is.
    pub const fn identity(&self) -> &Identity {
        &self.kept.identity
    }

    /// Adds a finished game: first its record, then the state. Where either cannot be written, on a full disk for
    /// instance, the record is cut back to what it was, so that no game is torn or played twice.
    pub fn add(&mut self, bout: Bout, played: Played, text: &str) -> Result<()> {
        self.append(text, |kept, length| {
            kept.recorded = length;
            kept.games
                .entry(key(bout.pair))
                .or_default()
                .insert(bout.number, played);
        })
        .inspect_err(|_| {
            if let Some(games) = self.kept.games.get_mut(&key(bout.pair)) {
                games.remove(&bout.number);
            }
        })
    }

    /// Adds the records of games that were broken off. They are cut again when the match goes on.
    pub fn add_unfinished(&mut self, texts: &[String]) -> Result<()> {
        if texts.is_empty() {
            return Ok(());
        }
        self.append(&texts.concat(), |kept, length| {
            kept.unfinished = length.saturating_sub(kept.recorded);
        })
    }

    /// Writes at the record's end, has it counted by its new length, and saves the state; record and counted lengths are as
    /// before where that fails.
    fn append(&mut self, text: &str, count: impl FnOnce(&mut SavedRun, u64)) -> Result<()> {
        let record = self.record.clone();
        let told = || format!("cannot write {}", record.display());
        let before = self.file.seek(SeekFrom::End(0)).with_context(told)?;
        let counted = (self.kept.recorded, self.kept.unfinished);
        let written = self.file.write_all(text.as_bytes()).with_context(told).and_then(|()| {
            count(&mut self.kept, before + text.len() as u64);
            self.save()
        });
        if written.is_err() {
            (self.kept.recorded, self.kept.unfinished) = counted;
            let told = || format!("cannot cut {} back to {before} bytes", record.display());
            self.file.set_len(before).with_context(told)?;
        }
        written
    }

    fn save(&self) -> Result<()> {
        whole_file::replace(&self.path, serde_json::to_string(&self.kept)?)
    }
}

/// The record's name for a number: `chess-2026-11-23.pgn`, `chess-2026-11-23-2.pgn`.
fn name(wish: &MatchFiles, n: u32) -> String {
    let number = if n == 1 { String::new() } else { format!("-{n}") };
    format!("{}-{}{number}.{}", wish.stem, wish.date, wish.ending)
}

/// The states in the folder that were named so, by any date.
fn states(wish: &MatchFiles) -> impl Iterator<Item = PathBuf> {
    let folder = if wish.folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        wish.folder
    };
    let beginning = format!("{}-", wish.stem);
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let names = entries.map(|e| e.file_name());
    let fits = move |n: &std::ffi::OsString| {
        let n = n.to_string_lossy();
        n.starts_with(&beginning) && n.ends_with(ENDING)
    };
    let folder = wish.folder.to_path_buf();
    names.filter(fits).map(move |n| folder.join(n))
}

/// A record that only this process writes to.
fn locked(record: &Path) -> Result<File> {
    let told = || format!("cannot write {}", record.display());
    let file = OpenOptions::new()
        .create(true)
        .read(true)
        .write(true)
        .truncate(false)
        .open(record)
        .with_context(told)?;
    match FileExt::try_lock(&file) {
        Ok(()) => Ok(file),
        Err(fs4::TryLockError::WouldBlock) => {
            bail!("{} is being written to by a match that is under way", record.display())
        }
        // Some file systems have no locks.
        Err(fs4::TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => Ok(file),
        Err(fs4::TryLockError::Error(e)) => Err(e).with_context(told),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::identity::HashedWord;
    use crate::arena::record::FIRST_LINE;

    const FIRST: Bout = Bout {
        pair: [0, 1],
        number: 0,
    };

    struct TempDir(PathBuf);

    impl TempDir {
        fn new(name: &str) -> Self {
            let dir = std::env::temp_dir().join(format!("nguky-state-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&dir).expect("a folder");
            Self(dir)
        }

        fn wish(&self) -> MatchFiles<'_> {
            MatchFiles {
                record: None,
                state: None,
                folder: &self.0,
                stem: "chess",
                date: "2026-11-23",
                ending: "pgn",
                first_line: FIRST_LINE,
            }
        }
    }

    impl Drop for TempDir {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn identity(seed: &str) -> Identity {
        let mut it = Identity {
            event: "nguky match".into(),
            game: "chess".into(),
            engines: Vec::new(),
            terms: BTreeMap::new(),
        };
        it.term("seed", HashedWord::plain(seed));
        it
    }

    fn file_name(state: &MatchState) -> String {
        state
            .record
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    #[test]
    fn a_kill_between_record_and_state_leaves_no_double() {
        let place = TempDir::new("kill");
        let open = || MatchState::open(&place.wish(), identity("1")).expect("the state").0;
        let game = format!("{FIRST_LINE}nguky match\"]\n\n1. e4 1-0\n\n");
        let mut s = open();
        s.add(FIRST, Played::default(), &game).expect("added");
        let record = s.record.clone();
        drop(s);
        for torn in ["", "[Ev", game.as_str()] {
            std::fs::write(&record, game.clone() + torn).expect("written");
            assert_eq!(open().count(), 1);
            assert_eq!(std::fs::read_to_string(&record).expect("the record"), game, "{torn:?}");
        }
        let foreign = game.clone() + "; a note of somebody's\n";
        let two = game.clone() + &game + &game;
        for text in [foreign, two] {
            std::fs::write(&record, &text).expect("written");
            open();
            assert_eq!(std::fs::read_to_string(&record).expect("the record"), text);
        }
        // A record that lacks what counts is no ground to go on from.
        std::fs::write(&record, "[").expect("written");
        let why = MatchState::open(&place.wish(), identity("1")).err().expect("refused");
        assert!(why.to_string().contains("lacks games"), "{why}");
    }

    #[test]
    fn games_broken_off_are_there_until_the_match_goes_on() {
        let place = TempDir::new("unfinished");
        let game = |result: &str| format!("{FIRST_LINE}nguky match\"]\n\n1. e4 {result}\n\n");
        let mut s = MatchState::open(&place.wish(), identity("1")).expect("the state").0;
        s.add(FIRST, Played::default(), &game("1-0")).expect("added");
        s.add_unfinished(&[game("*"), game("*")]).expect("added");
        let record = s.record.clone();
        drop(s);
        let text = || std::fs::read_to_string(&record).expect("the record");
        assert_eq!(text().matches('*').count(), 2);
        let mut s = MatchState::open(&place.wish(), identity("1")).expect("the state").0;
        assert_eq!(text(), game("1-0"));
        let next = Bout { number: 1, ..FIRST };
        s.add(next, Played::default(), &game("0-1")).expect("added");
        assert_eq!(text(), game("1-0") + &game("0-1"));
        assert!(s.has(next) && !s.has(Bout { number: 2, ..FIRST }));
    }

    /// What a full disk does: the record takes a game, the state does not.
    #[test]
    fn a_state_that_cannot_be_written_leaves_no_double() {
        let place = TempDir::new("full");
        let open = || MatchState::open(&place.wish(), identity("1")).expect("the state").0;
        let game = |result: &str| format!("{FIRST_LINE}nguky match\"]\n\n1. e4 {result}\n\n");
        let bout = |number| Bout { number, ..FIRST };
        let mut s = open();
        s.add(FIRST, Played::default(), &game("1-0")).expect("added");
        let (record, blocked) = (s.record.clone(), place.0.join("chess-2026-11-23.pgn.state.json.new"));
        std::fs::create_dir(&blocked).expect("a folder where the state is written");
        for number in [1, 2] {
            let why = s
                .add(bout(number), Played::default(), &game("0-1"))
                .expect_err("blocked");
            assert!(format!("{why:#}").contains("state.json"), "{why:#}");
        }
        s.add_unfinished(&[game("*"), game("*")]).expect_err("blocked");
        let text = || std::fs::read_to_string(&record).expect("the record");
        assert_eq!((s.count(), text()), (1, game("1-0")));
        drop(s);
        std::fs::remove_dir(&blocked).expect("removed");
        let mut s = open();
        assert!(s.has(FIRST) && !s.has(bout(1)));
        s.add(bout(1), Played::default(), &game("0-1")).expect("added");
        assert_eq!(text(), game("1-0") + &game("0-1"));
    }

    #[test]
    fn another_match_never_gets_the_same_files() {
        let place = TempDir::new("names");
        let open = |seed: &str, date: &str| {
            let wish = MatchFiles { date, ..place.wish() };
            MatchState::open(&wish, identity(seed)).expect("a state")
        };
        let (first, note) = open("1", "2026-11-23");
        assert_eq!((file_name(&first).as_str(), note), ("chess-2026-11-23.pgn", None));
        let (second, note) = open("2", "2026-11-23");
        assert_eq!(file_name(&second), "chess-2026-11-23-2.pgn");
        let note = note.unwrap_or_default();
        assert!(note.contains("--seed was 1") && note.contains("goes to"), "{note}");
        // The same match under way elsewhere.
        let why = MatchState::open(&place.wish(), identity("2")).err().expect("refused");
        assert!(why.to_string().contains("under way"), "{why}");
        drop((first, second));
        // After midnight both go on in yesterday's files.
        for (seed, name) in [("1", "chess-2026-11-23.pgn"), ("2", "chess-2026-11-23-2.pgn")] {
            let (state, note) = open(seed, "2026-11-24");
            assert_eq!((file_name(&state).as_str(), note), (name, None));
        }
        assert_eq!(file_name(&open("3", "2026-11-24").0), "chess-2026-11-24.pgn");
    }

    #[test]
    fn files_of_others_are_refused_by_name() {
        let place = TempDir::new("refused");
        let at = |name: &str| place.0.join(name);
        let open = |record: Option<&Path>, state: Option<&Path>, seed: &str| {
            let wish = MatchFiles {
                record,
                state,
                ..place.wish()
            };
            MatchState::open(&wish, identity(seed)).map(|(state, _)| state.record.clone())
        };
        let (a, b, s) = (at("a.pgn"), at("b.pgn"), at("s.json"));
        open(Some(&a), None, "1").expect("begun");
        open(Some(&a), None, "1").expect("resumed");
        std::fs::write(&b, "somebody's games\n").expect("written");
        let beside_a = at("a.pgn.state.json");
        for (record, state, seed, words) in [
            (Some(&a), None, "2", "is of another match (--seed was 1)"),
            (None, Some(&beside_a), "2", "is of another match"),
            (Some(&b), None, "1", "no state beside it covers"),
            (Some(&b), Some(&beside_a), "1", "belongs to"),
            (Some(&a), Some(&a), "1", "the same file"),
            (Some(&at("none/x.pgn")), None, "1", "cannot write"),
        ] {
            let why = open(record.map(PathBuf::as_path), state.map(PathBuf::as_path), seed)
                .err()
                .map(|e| format!("{e:#}"))
                .unwrap_or_default();
            assert!(why.contains(words), "{words}: {why}");
        }
        assert_eq!(std::fs::read_to_string(&b).expect("the file"), "somebody's games\n");
        // A state alone names its record.
        let record = open(None, Some(&s), "1").expect("begun");
        assert_eq!(open(None, Some(&s), "1").expect("resumed"), record);
        std::fs::write(&s, "{").expect("written");
        let why = open(None, Some(&s), "1").expect_err("damaged").to_string();
        assert!(why.contains("damaged"), "{why}");
    }
}
