//! Engines of two revisions for `nguky sprt --base`: each is built by cargo in a tree of its own and kept under
//! `target/sprt`.

use crate::games::hash;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The standard output of a command that succeeded, without its last line end.
fn told(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = command.output().with_context(|| format!("cannot run {name}"))?;
    if !out.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&out.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&out.stdout).trim_end().to_string())
}

fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder);
    command
}

/// The features that an engine needs: those of its game and its network. Revisions before there were such features have the engines
/// in every build, and cargo refuses features that a manifest does not have.
fn features(source: &Path, program: &str) -> &'static str {
    let manifest = std::fs::read_to_string(source.join("Cargo.toml")).unwrap_or_default();
    if !manifest.lines().any(|line| line.starts_with("nets = [")) {
        return "";
    }
    match program {
        "nguky-uci" => "chess,nets",
        "nguky-ucci" => "xiangqi,nets",
        "nguky-usi" => "shogi,nets",
        "nguky-gtp" => "go,nets",
        _ => "",
    }
}

/// Builds the program in the source tree `source`, with what it compiles kept in `target`. Two trees must not share that
/// folder: cargo goes by the age of files, and would take one tree's program for the other's.
fn build(source: &Path, target: &Path, program: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(source)
        .args([
            "build",
            "--release",
            "--no-default-features",
            "--features",
            features(source, program),
            "--bin",
            program,
            "--target-dir",
        ])
        .arg(target)
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("{program} could not be built in {}", source.display());
    }
    Ok(target
        .join("release")
        .join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
}

/// Puts a built program where no later build overwrites it.
fn keep(built: &Path, kept: &Path) -> Result<()> {
    std::fs::copy(built, kept).with_context(|| format!("cannot write {}", kept.display()))?;
    Ok(())
}

/// The program as it is in the working tree around `here`, and as it was in a revision: the new one and the old one. A
/// revision is built once; the working tree's program is named by its contents, so that a test that goes on after the
/// tree changed is not taken for the same one.
///
/// # Errors
/// One line where `here` is in no git repository, where git does not know the revision, or where one does not build.
pub fn builds(here: &Path, revision: &str, program: &str) -> Result<[PathBuf; 2]> {
    let root = told(git(here).args(["rev-parse", "--show-toplevel"])).context("--base needs a git repository")?;
    let root = PathBuf::from(root);
    let wanted = format!("{revision}^{{commit}}");
    let commit = told(git(&root).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]))
        .ok()
        .with_context(|| format!("--base: git knows no revision {revision:?}"))?;
    let short = &commit[..commit.len().min(12)];
    let folder = root.join("target/sprt");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;

    let suffix = std::env::consts::EXE_SUFFIX;
    let old = folder.join(format!("{program}-{short}{suffix}"));
    if !old.exists() {
        let source = folder.join(format!("source-{short}"));
        // A tree that a killed run left is begun anew.
        let remove = || told(git(&root).args(["worktree", "remove", "--force"]).arg(&source));
        let _ = remove();
        told(
            git(&root)
                .args(["worktree", "add", "--detach", "--force"])
                .arg(&source)
                .arg(&commit),
        )?;
        let built = build(&source, &folder.join("build-base"), program).and_then(|path| keep(&path, &old));
        let _ = remove();
        built?;
    }
    let built = build(&root, &folder.join("build-new"), program)?;
    let bytes = std::fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    let new = folder.join(format!("{program}-new-{:08x}{suffix}", hash(&bytes)));
    keep(&built, &new)?;
    Ok([new, old])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path, arguments: &[&str]) {
        told(git(folder).args(arguments)).expect("git");
    }

    /// The manifest of today has the features of every program's game; one of before has none.
    #[test]
    fn an_engine_is_built_with_its_game() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let manifest = std::fs::read_to_string(here.join("Cargo.toml")).expect("Cargo.toml");
        for game in nguky::register::games() {
            let wanted = features(here, game.program);
            assert!(wanted.ends_with(",nets"), "{}: {wanted}", game.program);
            for feature in wanted.split(',') {
                let line = format!("{feature} = [");
                assert!(manifest.lines().any(|l| l.starts_with(&line)), "{line}");
            }
        }
        assert_eq!(features(&here.join("src"), "nguky-uci"), "");
    }

    /// A small package in a repository: what it prints at its first commit, and in the working tree.
    #[test]
    fn a_revision_and_the_working_tree_are_built() {
        let root = std::env::temp_dir().join(format!("nguky-revision-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("src/bin")).expect("a folder");
        let write = |word: &str| {
            let text = format!("fn main() {{ println!({word:?}); }}\n");
            std::fs::write(root.join("src/bin/toy.rs"), text).expect("written");
        };
        let manifest = "[package]\nname = \"toy\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
        std::fs::write(root.join("Cargo.toml"), manifest).expect("written");
        write("old");
        run(&root, &["init", "-q"]);
        run(&root, &["add", "."]);
        let own = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com"];
        run(&root, &[&own[..], &["commit", "-q", "-m", "toy: one"]].concat());
        write("new");
        let [new, old] = builds(&root.join("src"), "HEAD", "toy").expect("both");
        assert_eq!(told(&mut Command::new(&new)).expect("runs"), "new");
        assert_eq!(told(&mut Command::new(&old)).expect("runs"), "old");
        write("newer");
        let [newer, same] = builds(&root, "HEAD", "toy").expect("both");
        assert!(newer != new && same == old);
        let trees = told(git(&root).args(["worktree", "list"])).expect("a list");
        assert_eq!(trees.lines().count(), 1, "{trees}");
        let why = builds(&root, "nonsense", "toy").expect_err("no revision").to_string();
        assert!(why.contains("git knows no revision \"nonsense\""), "{why}");
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
