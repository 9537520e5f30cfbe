//! Files that are whole at any moment: after a kill, or where the disk is full, the former one is still there.

use anyhow::{Context, Result};
use std::path::Path;

/// Writes a file beside its place, named `.new`, and renames it. Devices and pipes are written as they are.
///
/// # Errors
/// Where it cannot be written: the former file, if there was one, is as it was.
pub fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    let told = || format!("cannot write {}", path.display());
    if path.metadata().is_ok_and(|m| !m.is_file()) {
        return std::fs::write(path, bytes).with_context(told);
    }
    // A link stays a link.
    let place = path.canonicalize().unwrap_or_else(|_| path.into());
    let mut new = place.as_os_str().to_owned();
    new.push(".new");
    let written = std::fs::write(&new, bytes).and_then(|()| std::fs::rename(&new, &place));
    if written.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    written.with_context(told)
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    #[cfg(unix)]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        replace(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        replace(&link, "new").expect("written");
        assert!(link.symlink_metadata().expect("there").is_symlink());
        assert_eq!(std::fs::read_to_string(&file).expect("there"), "new");
        replace("/dev/null".as_ref(), "all").expect("written");
        assert!(!std::path::Path::new("/dev/null").is_file());
        assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 2);
    }

    #[test]
    fn what_cannot_be_written_leaves_the_former_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        replace(&file, "old").expect("written");
        std::fs::create_dir(folder.path().join("file.new")).expect("a folder in the way");
        let why = replace(&file, "new").expect_err("no place to write");
        assert_eq!(why.to_string(), format!("cannot write {}", file.display()));
        assert_eq!(std::fs::read_to_string(&file).expect("there"), "old");
    }
}
