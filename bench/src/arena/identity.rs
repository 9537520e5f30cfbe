//! What a match is: everything that decides its games, with the contents of the files that take part. Only a match of
//! the same identity goes on in a state.

use super::heard::Introduction;
use super::player::{Pace, Spec};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Of a folder's files no more bytes than these are read; larger folders, such as endgame tables, are known by the
/// names and lengths of their files.
const FOLDER: u64 = 256 << 20;
/// Digits of a hash that are shown.
const SHOWN: usize = 12;

/// A word of a command or an option's value; where it names a file or a folder, the hash of the contents.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HashedWord {
    /// The word as it was given.
    pub text: String,
    /// SHA-256 in hexadecimal.
    pub sha256: Option<String>,
}

/// Files are the same by their contents, wherever they lie.
impl PartialEq for HashedWord {
    fn eq(&self, other: &Self) -> bool {
        match (&self.sha256, &other.sha256) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self.text == other.text,
            _ => false,
        }
    }
}

impl HashedWord {
    fn new(text: &str, path: Option<PathBuf>) -> Result<Self> {
        let sha256 = path.map(|p| contents(&p)).transpose()?;
        Ok(Self {
            text: text.into(),
            sha256,
        })
    }

    /// A word that names no file.
    pub fn plain(text: &str) -> Self {
        Self {
            text: text.into(),
            sha256: None,
        }
    }

    /// An argument, which may name a file, also behind an equals sign as in `--model=FILE`. Folders are where programs
    /// write, too.
    pub fn argument(text: &str) -> Result<Self> {
        let behind = text.split_once('=').map_or("", |(_, file)| file);
        let path = [text, behind].into_iter().map(PathBuf::from).find(|p| p.is_file());
        Self::new(text, path)
    }

    /// The value of an option, which may name a file or a folder; logs change as the games go on.
    fn setting(name: &str, value: &str) -> Result<Self> {
        let path = PathBuf::from(value);
        let read = path.exists() && !name.to_lowercase().contains("log");
        Self::new(value, read.then_some(path))
    }

    /// A program, looked for as the system does.
    fn program(text: &str) -> Result<Self> {
        let here = Path::new(text);
        let path = if here.components().count() > 1 {
            Some(here.to_path_buf())
        } else {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders)
                .map(|f| f.join(text))
                .find(|p| p.is_file())
        };
        Self::new(text, path.filter(|p| p.is_file()))
    }

    /// The word with the beginning of its hash.
    pub fn shown(&self) -> String {
        match &self.sha256 {
            Some(hash) => format!("{} (sha256 {})", self.text, short(hash)),
            None => self.text.clone(),
        }
    }
}

fn short(hash: &str) -> &str {
    hash.get(..SHOWN).unwrap_or(hash)
}

/// The hash of a file's contents, or of those of a folder's files.
fn contents(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    if path.is_dir() {
        let mut files: Vec<(PathBuf, u64)> = std::fs::read_dir(path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let about = entry.metadata().ok()?;
                about.is_file().then(|| (entry.path(), about.len()))
            })
            .collect();
        files.sort();
        let whole = files.iter().map(|f| f.1).sum::<u64>() <= FOLDER;
        for (file, length) in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            hash.update(format!("{name}\n{length}\n"));
            if whole {
                add(&mut hash, &file)?;
            }
        }
    } else {
        add(&mut hash, path)?;
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn add(hash: &mut Sha256, path: &Path) -> Result<()> {
    let told = || format!("cannot read {}", path.display());
    let mut file = std::fs::File::open(path).with_context(told)?;
    // A pipe or a device has no end to wait for.
    if !file.metadata().with_context(told)?.is_file() {
        return Ok(());
    }
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part).with_context(told)? {
            0 => return Ok(()),
            n => hash.update(&part[..n]),
        }
    }
}

/// One engine of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Its name in results and records.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<HashedWord>,
    /// The protocol it is spoken to in.
    pub protocol: String,
    /// The options that are set, in order.
    pub options: Vec<(String, HashedWord)>,
    /// What limits its moves.
    pub limit: String,
    /// What it said of itself.
    pub said: Introduction,
}

impl EngineSpec {
    /// The engine of a spec that plays at a pace. What it says of itself is known once it runs.
    pub fn new(spec: &Spec, pace: Pace) -> Result<Self> {
        let words = spec.command.iter().enumerate();
        let options = spec.options.iter();
        Ok(Self {
            name: spec.name.clone(),
            command: words
                .map(|(i, w)| {
                    if i == 0 {
                        HashedWord::program(w)
                    } else {
                        HashedWord::argument(w)
                    }
                })
                .collect::<Result<_>>()?,
            protocol: spec.protocol().into(),
            options: options
                .map(|(name, value)| Ok((name.clone(), HashedWord::setting(name, value)?)))
                .collect::<Result<_>>()?,
            limit: pace.to_string(),
            said: Introduction::default(),
        })
    }

    /// Whether two engines of a match differ in nothing but their names.
    pub fn same_player(&self, other: &Self) -> bool {
        let named = Self {
            name: other.name.clone(),
            ..self.clone()
        };
        named == *other
    }

    /// The engine in a line, without its name.
    pub fn shown(&self) -> String {
        let command: Vec<String> = self.command.iter().map(HashedWord::shown).collect();
        let options: Vec<String> = self
            .options
            .iter()
            .map(|(name, value)| format!(" {name}={}", value.shown()))
            .collect();
        format!("{}; {}{}", self.said, command.join(" "), options.concat())
    }

    /// What differs from another engine in the same place of a match, in words.
    fn difference(&self, now: &Self) -> Option<String> {
        let name = &self.name;
        if *name != now.name {
            return Some(format!("an engine of it is named {name}, not {}", now.name));
        }
        let words = self.command.iter().zip(&now.command).find(|(a, b)| a != b);
        if self.command.len() != now.command.len() || words.is_some() {
            if let Some((
                HashedWord {
                    text,
                    sha256: Some(old),
                },
                HashedWord { sha256: Some(new), .. },
            )) = words
            {
                let (old, new) = (short(old), short(new));
                return Some(format!(
                    "{name} was another build: {text} had sha256 {old}, now it is {new}"
                ));
            }
            let was: Vec<&str> = self.command.iter().map(|w| w.text.as_str()).collect();
            return Some(format!("{name} was started by {:?}", was.join(" ")));
        }
        if self.options != now.options {
            let was: Vec<String> = self.options.iter().map(|(n, v)| format!("{n}={}", v.shown())).collect();
            let was = if was.is_empty() { "none".into() } else { was.join(" ") };
            return Some(format!("the options of {name} were {was}"));
        }
        if self.limit != now.limit {
            return Some(format!("{name} played at {}, not at {}", self.limit, now.limit));
        }
        if self.protocol != now.protocol {
            return Some(format!("{name} was spoken to in {}", self.protocol));
        }
        (self.said != now.said).then(|| format!("{name} was {}, now it is {}", self.said, now.said))
    }
}

/// Everything that decides the games of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// What the match is for: `nguky match` or `nguky sprt`.
    pub event: String,
    /// The game's name.
    pub game: String,
    /// The engines, in the order of the command line.
    pub engines: Vec<EngineSpec>,
    /// Everything else, by the names of the options that set it.
    pub terms: BTreeMap<String, HashedWord>,
}

impl Identity {
    /// Adds what an option was set to.
    pub fn term(&mut self, option: &str, value: HashedWord) {
        self.terms.insert(option.into(), value);
    }

    /// What tells the match of `self` from one that is to be played now; nothing when they are the same.
    pub fn difference(&self, now: &Self) -> Option<String> {
        if self.event != now.event || self.game != now.game {
            return Some(format!("{} of {}", self.event, self.game));
        }
        if self.engines.len() != now.engines.len() {
            return Some(format!("it has {} engines", self.engines.len()));
        }
        let engines = self.engines.iter().zip(&now.engines);
        if let Some(found) = engines.filter_map(|(a, b)| a.difference(b)).next() {
            return Some(found);
        }
        let names = self.terms.keys().chain(now.terms.keys());
        names
            .filter(|&name| self.terms.get(name) != now.terms.get(name))
            .map(|name| match self.terms.get(name) {
                Some(was) => format!("--{name} was {}", was.shown()),
                None => format!("--{name} was not given"),
            })
            .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(engines: &[&str], terms: &[(&str, &str)]) -> Identity {
        let pace = Pace::Nodes(5);
        let mut it = Identity {
            event: "nguky match".into(),
            game: "chess".into(),
            engines: engines
                .iter()
                .map(|t| EngineSpec::new(&Spec::parse(t).expect("a spec"), pace).expect("an engine"))
                .collect(),
            terms: BTreeMap::new(),
        };
        for (name, value) in terms {
            it.term(name, HashedWord::argument(value).expect("a word"));
        }
        it
    }

    #[test]
    fn files_count_by_their_contents() {
        let dir = std::env::temp_dir().join(format!("nguky-identity-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("eval")).expect("folders");
        let file = |name: &str| dir.join(name).display().to_string();
        let put = |name: &str, text: &str| std::fs::write(file(name), text).expect("written");
        put("a", "build");
        put("b", "build");
        put("net", "one");
        put("eval/nn.bin", "x");
        put("book", "startpos\n");
        let now = || {
            let spec = format!(
                "cmd={} --model={} name=A option.EvalFile={} option.EvalDir={}",
                file("a"),
                file("net"),
                file("net"),
                file("eval")
            );
            identity(&[&spec], &[("openings", &file("book")), ("seed", "1")])
        };
        let first = now();
        assert_eq!(first.difference(&now()), None);
        for (name, text, words) in [
            ("a", "another build", "A was another build"),
            ("net", "two", "A was another build"),
            ("eval/nn.bin", "y", "the options of A were"),
            ("book", "startpos moves e2e4\n", "--openings was"),
        ] {
            let was = now();
            put(name, text);
            let told = was.difference(&now()).unwrap_or_default();
            assert!(told.contains(words), "{name}: {told}");
        }
        // The known hash of the five letters "build".
        let hash = first.engines[0].command[0].sha256.as_deref().unwrap_or_default();
        assert_eq!(short(hash), "44575cf5b285");
        let other = |name: &str| identity(&[&format!("cmd={} name=A", file(name))], &[]);
        put("a", "build");
        assert_eq!(other("a").difference(&other("b")), None, "the same build elsewhere");
        std::fs::remove_dir_all(&dir).expect("removed");
    }

    #[test]
    fn only_names_may_differ_between_same_players() {
        let it = identity(
            &[
                "cmd=x name=A option.Hash=1",
                "cmd=x name=B option.Hash=1",
                "cmd=x name=C option.Hash=2",
            ],
            &[],
        );
        let [a, b, c] = it.engines.as_slice() else {
            panic!("three engines")
        };
        assert!(a.same_player(b) && !a.same_player(c));
    }

    #[test]
    fn differences_are_named() {
        let base = identity(&["cmd=x name=A", "cmd=y name=B option.Hash=1"], &[("seed", "1")]);
        for (engines, terms, words) in [
            (&["cmd=x name=A"][..], &[("seed", "1")][..], "it has 2 engines"),
            (
                &["cmd=x name=A", "cmd=y name=C option.Hash=1"],
                &[("seed", "1")],
                "an engine of it is named B, not C",
            ),
            (
                &["cmd=x -z name=A", "cmd=y name=B option.Hash=1"],
                &[("seed", "1")],
                "A was started by \"x\"",
            ),
            (
                &["cmd=x name=A", "cmd=y name=B"],
                &[("seed", "1")],
                "the options of B were Hash=1",
            ),
            (
                &["cmd=x name=A", "cmd=y name=B option.Hash=1"],
                &[("seed", "2")],
                "--seed was 1",
            ),
            (
                &["cmd=x name=A", "cmd=y name=B option.Hash=1"],
                &[("seed", "1"), ("resign", "900,3")],
                "--resign was not given",
            ),
        ] {
            assert_eq!(base.difference(&identity(engines, terms)).as_deref(), Some(words));
        }
        assert!(base.difference(&base).is_none());
    }
}
