//! Games on disk: a file a game, one event a line, each written before it is answered. A game is the replay of its file.

use super::board::GameSpec;
use super::notes::Notes;
use super::seal;
use crate::review::marks::Evaluation;
use anyhow::{Context, Result, bail};
use fs4::FileExt;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// More games are not kept.
pub const MOST_GAMES: usize = 1_000;
/// A larger file is not read.
const LARGEST: u64 = 4 << 20;

/// The first line of a game's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameHead {
    /// Version of the format.
    pub v: u32,
    /// The game's number: 16 hexadecimal digits.
    pub id: String,
    /// When it began, in seconds since 1970.
    pub at: u64,
    /// What it was started from.
    pub spec: GameSpec,
    /// The person's side; 2 for both.
    pub seat: usize,
    /// The engine's level.
    pub level: u8,
    /// Whether take-backs and analysis are off.
    pub sealed: bool,
    /// The side to move at the start.
    pub first: usize,
    /// What the seal is salted with.
    pub salt: String,
    /// What a record said beside its moves, where the game came from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded: Option<LoadedGame>,
}

/// What the record of a loaded game said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadedGame {
    /// Who played the side that moves first, and who the other.
    pub names: [String; 2],
    /// Its tags.
    pub tags: Vec<(String, String)>,
    /// What it said of its moves.
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub notes: Notes,
}

/// A line of the file that keeps a game's review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "e", rename_all = "lowercase")]
pub enum ReviewEvent {
    /// It begins.
    Begin {
        /// The effort's name.
        effort: String,
        /// The plies of the game that it is of.
        plies: usize,
    },
    /// The result of the search that was next.
    Found {
        /// What the search said.
        evaluation: Evaluation,
    },
    /// It was stopped.
    Halt,
    /// It goes on.
    Resume,
}

/// A further line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "e", rename_all = "lowercase")]
pub enum GameEvent {
    /// A half-move, as the page sends it or the engine chose it.
    Move {
        /// The move.
        m: String,
    },
    /// Half-moves were taken back.
    Undo {
        /// How many.
        n: usize,
    },
    /// A hint was given.
    Hint,
    /// The game ended.
    End {
        /// Doubled points of the side that moves first.
        points: u8,
        /// Why.
        reason: String,
        /// Go: the dead stones.
        dead: Vec<String>,
    },
}

/// The folder of the games.
pub struct GameStore {
    folder: PathBuf,
    /// Held while the program runs, so that no two write the same games.
    _lock: File,
}

/// An open file of a game or of its review.
pub struct GameFile {
    file: File,
    /// Whether a line is on the disk, not only the system's, before it is answered. What can be searched again need not be.
    synced: bool,
}

/// Whether a text may be a game's number; nothing else becomes part of a path.
pub fn is_id(id: &str) -> bool {
    id.len() == 16 && id.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn private() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

impl GameStore {
    /// Opens the folder, made where it is missing.
    ///
    /// # Errors
    /// Where it cannot be written, or another process uses it.
    pub fn open(folder: &Path) -> Result<Self> {
        let games = folder.join("games");
        std::fs::create_dir_all(&games).with_context(|| format!("cannot make the folder {}", games.display()))?;
        let path = folder.join("lock");
        let lock = private()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        // Some file systems have no locks: there a second server is not refused.
        if matches!(FileExt::try_lock(&lock), Err(fs4::TryLockError::WouldBlock)) {
            bail!(
                "{} is in use by another nguky web; end that one or choose another folder by --dir",
                folder.display()
            );
        }
        Ok(Self {
            folder: folder.into(),
            _lock: lock,
        })
    }

    /// The token of this folder, made at the first time.
    ///
    /// # Errors
    /// Where it cannot be kept.
    pub fn token(&self) -> Result<String> {
        self.kept_token("token")
    }

    /// The token of those who only watch, made where there is none.
    ///
    /// # Errors
    /// Where it cannot be kept.
    pub fn share_token(&self) -> Result<String> {
        self.kept_token("share-token")
    }

    fn kept_token(&self, name: &str) -> Result<String> {
        let path = self.folder.join(name);
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        let kept = kept.trim();
        if kept.len() == 32 && kept.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(kept.into());
        }
        let token = seal::random::<16>()?;
        let mut options = private();
        let file = options.write(true).create(true).truncate(true).open(&path);
        file.and_then(|mut f| f.write_all(token.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(token)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join("games").join(format!("{id}.jsonl"))
    }

    /// The numbers of all games.
    pub fn ids(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.join("games"))
            .into_iter()
            .flatten()
            .flatten();
        let names = entries.filter_map(|e| e.file_name().into_string().ok());
        names
            .filter_map(|n| n.strip_suffix(".jsonl").filter(|id| is_id(id)).map(String::from))
            .collect()
    }

    /// Keeps a new game with what happened in it already.
    ///
    /// # Errors
    /// Where its file cannot be written.
    pub fn create(&self, head: &GameHead, events: &[GameEvent]) -> Result<()> {
        let mut options = private();
        let path = self.path(&head.id);
        let file = options.append(true).create_new(true).open(&path)?;
        let mut text = serde_json::to_string(head)? + "\n";
        for event in events {
            text += &serde_json::to_string(event)?;
            text.push('\n');
        }
        let mut file = GameFile { file, synced: true };
        if let Err(why) = file.write(&text) {
            let _ = std::fs::remove_file(&path);
            return Err(why);
        }
        // The name, too, has to outlive the machine's end.
        sync_folder(&self.folder.join("games"));
        Ok(())
    }

    fn review_path(&self, id: &str) -> PathBuf {
        self.folder.join("games").join(format!("{id}.review"))
    }

    /// Begins the file of a game's review, in the place of an older one.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin_review(&self, id: &str) -> Result<GameFile> {
        let path = self.review_path(id);
        let mut options = private();
        let told = || format!("cannot write {}", path.display());
        let file = options.append(true).create(true).open(&path).with_context(told)?;
        file.set_len(0).with_context(told)?;
        Ok(GameFile { file, synced: false })
    }

    /// Deletes what is kept of a game's review, if there is anything.
    pub fn forget_review(&self, id: &str) {
        let path = self.review_path(id);
        if path.exists()
            && let Err(why) = std::fs::remove_file(&path)
        {
            eprintln!("nguky web: cannot delete {}: {why}", path.display());
        }
    }

    /// What is kept of a game's review, up to the first damaged line, which is cut off with all behind it.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn load_review(&self, id: &str) -> Result<Option<(Vec<ReviewEvent>, GameFile)>> {
        let path = self.review_path(id);
        if !is_id(id) || !path.exists() {
            return Ok(None);
        }
        let file = private().append(true).read(true).open(&path)?;
        if file.metadata()?.len() > LARGEST {
            bail!("{} is larger than a review", path.display());
        }
        let bytes = std::fs::read(&path)?;
        let (mut events, mut sound) = (Vec::new(), 0);
        for line in bytes.split_inclusive(|b| *b == b'\n').filter(|l| l.ends_with(b"\n")) {
            let Ok(event) = serde_json::from_slice(line) else { break };
            events.push(event);
            sound += line.len();
        }
        if sound < bytes.len() {
            file.set_len(sound as u64)?;
        }
        Ok(Some((events, GameFile { file, synced: false })))
    }

    /// Reads a game, cutting off a torn last line, and opens its file for more.
    ///
    /// # Errors
    /// Where it is missing or damaged before its last line.
    pub fn load(&self, id: &str) -> Result<(GameHead, Vec<GameEvent>, GameFile)> {
        if !is_id(id) {
            bail!("no game {id:?}");
        }
        let path = self.path(id);
        let file = private().append(true).read(true).open(&path)?;
        if file.metadata()?.len() > LARGEST {
            bail!("{} is larger than a game", path.display());
        }
        let bytes = std::fs::read(&path)?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64)?;
        }
        let text = std::str::from_utf8(&bytes[..whole]).with_context(|| format!("{} is no text", path.display()))?;
        let mut lines = text.lines();
        let head: GameHead = serde_json::from_str(lines.next().context("the file is empty")?)?;
        if head.v != 1 || head.id != id {
            bail!("{} is not a game of this version", path.display());
        }
        let events = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok((head, events, GameFile { file, synced: true }))
    }

    /// Deletes a game.
    ///
    /// # Errors
    /// Where its file cannot be removed.
    pub fn delete(&self, id: &str) -> Result<()> {
        self.forget_review(id);
        Ok(std::fs::remove_file(self.path(id))?)
    }
}

/// Brings a folder's names to the disk, where the system has a way.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Err(why) = File::open(folder).and_then(|f| f.sync_all()) {
        eprintln!("nguky web: {}: {why}", folder.display());
    }
    #[cfg(not(unix))]
    let _ = folder;
}

impl GameFile {
    /// Writes one line. Of a game it is on the disk when this returns; of a review it is the system's, so that the end of this
    /// process does not lose it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn line(&mut self, event: &impl Serialize) -> Result<()> {
        let mut text = serde_json::to_string(event)?;
        text.push('\n');
        self.write(&text)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let told = || "cannot write the game's file";
        let before = self.file.metadata().with_context(told)?.len();
        let written = self.file.write_all(text.as_bytes());
        let kept = written.and_then(|()| if self.synced { self.file.sync_data() } else { Ok(()) });
        if kept.is_err() {
            // Of a line that a full disk cut nothing may stand before the next one.
            let _ = self.file.set_len(before);
        }
        kept.with_context(told)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{GameEvent, GameHead, GameSpec, GameStore, ReviewEvent};
    use std::process::Command;

    /// Runs the test below with files of at most 512 bytes: writing beyond that fails as on a full disk.
    #[test]
    fn a_full_disk_cuts_no_line_in_two() {
        let this = std::env::current_exe().expect("a path");
        let test = "trap '' XFSZ; ulimit -f 1; exec \"$0\" --exact --ignored web::disk::tests::limited";
        let out = Command::new("sh").args(["-c", test]).arg(this).output().expect("sh");
        let told = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success() && told.contains("1 passed"), "{told}");
    }

    #[test]
    #[ignore = "run by the one above"]
    fn limited() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = GameStore::open(folder.path()).expect("a store");
        let head = |id: &str| GameHead {
            v: 1,
            id: id.into(),
            at: 1,
            spec: GameSpec::default(),
            seat: 0,
            level: 1,
            sealed: false,
            first: 0,
            salt: String::new(),
            loaded: None,
        };
        let id = "0123456789abcdef";
        let event = |m: &str| GameEvent::Move { m: m.into() };
        store.create(&head(id), &[]).expect("room for a game");
        let (_, _, mut file) = store.load(id).expect("a game");
        let mut kept = 0;
        while file.line(&event("a long move that hardly fits")).is_ok() {
            kept += 1;
        }
        while file.line(&event("a")).is_ok() {
            kept += 1;
        }
        assert!(kept > 1);
        assert_eq!(store.load(id).expect("a game").1.len(), kept);

        let many: Vec<GameEvent> = (0..100).map(|_| event("a")).collect();
        store.create(&head("fedcba9876543210"), &many).expect_err("no room");
        assert_eq!(store.ids(), [id]);

        let mut review = store.begin_review(id).expect("a file");
        let effort = "e".repeat(100);
        let begin = || ReviewEvent::Begin {
            effort: effort.clone(),
            plies: 7,
        };
        let mut kept = 0;
        while review.line(&begin()).is_ok() {
            kept += 1;
        }
        while review.line(&ReviewEvent::Halt).is_ok() {
            kept += 1;
        }
        let (events, _) = store.load_review(id).expect("a review").expect("kept");
        assert_eq!(events.len(), kept);
    }
}
