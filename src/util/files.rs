//! Files that a user names: their type and size are looked at before they are opened, and their first bytes before they
//! are read. Opening a pipe would wait for its other end, and a device never ends.

use std::fs::{File, Metadata};
use std::io::{Read, Seek};
use std::path::Path;

/// What is wrong with a path that names something other than a regular file.
fn kind(about: &Metadata) -> Result<(), &'static str> {
    match about {
        m if m.is_file() => Ok(()),
        m if m.is_dir() => Err("a folder"),
        _ => Err("a device or a pipe"),
    }
}

/// Opens a regular file of at most `most` bytes; also its size.
///
/// # Errors
/// One line that names the path: missing, unreadable, no regular file, too large.
pub fn open(path: impl AsRef<Path>, most: u64) -> Result<(File, u64), String> {
    let path = path.as_ref();
    let cannot = |e: std::io::Error| format!("cannot read {path:?}: {e}");
    // By the path first: the opening itself may wait for ever.
    let about = std::fs::metadata(path).map_err(cannot)?;
    kind(&about).map_err(|what| format!("cannot read {path:?}: it is {what}; expected a regular file"))?;
    let file = File::open(path).map_err(cannot)?;
    let size = file.metadata().map_err(cannot)?.len();
    if size > most {
        return Err(format!("{path:?} has {size} bytes; expected at most {most}"));
    }
    Ok((file, size))
}

/// Reads a regular file of at most `most` bytes, once `check` has accepted its first `head` bytes (fewer if it is shorter)
/// and its size.
///
/// # Errors
/// One line that names the path: as for [`open`], or the error of `check`.
pub fn read(
    path: impl AsRef<Path>,
    most: u64,
    head: usize,
    check: impl FnOnce(&[u8], u64) -> Result<(), String>,
) -> Result<Vec<u8>, String> {
    let path = path.as_ref();
    let cannot = |e: std::io::Error| format!("cannot read {path:?}: {e}");
    let (mut file, size) = open(path, most)?;
    let mut bytes = Vec::new();
    file.by_ref()
        .take(head as u64)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    check(&bytes, size).map_err(|why| format!("{path:?}: {why}"))?;
    // A file that grows meanwhile is cut off.
    let rest = size.saturating_sub(bytes.len() as u64);
    file.take(rest).read_to_end(&mut bytes).map_err(cannot)?;
    Ok(bytes)
}

/// The first `head` bytes of an open file (fewer if it is shorter), which stands at its begin afterwards.
///
/// # Errors
/// The system's error.
pub fn head(file: &mut File, head: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.by_ref().take(head as u64).read_to_end(&mut bytes)?;
    file.rewind()?;
    Ok(bytes)
}

/// Opens a regular file, made if need be, whose end is written to.
///
/// # Errors
/// One line that names the path.
pub fn append(path: impl AsRef<Path>) -> Result<File, String> {
    let path = path.as_ref();
    if let Ok(about) = std::fs::metadata(path) {
        kind(&about).map_err(|what| format!("cannot write {path:?}: it is {what}; expected a regular file"))?;
    }
    let file = File::options().create(true).append(true).open(path);
    file.map_err(|e| format!("cannot write {path:?}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_and_the_size_are_checked_before_the_rest_is_read() {
        let path = std::env::temp_dir().join(format!("nguky-files-{}", std::process::id()));
        std::fs::write(&path, b"0123456789").expect("written");
        let all = read(&path, 10, 4, |head, size| {
            assert_eq!((head, size), (&b"0123"[..], 10));
            Ok(())
        });
        assert_eq!(all.expect("read"), b"0123456789");
        assert_eq!(read(&path, 10, 99, |_, _| Ok(())).expect("read").len(), 10);
        let why = read(&path, 10, 4, |_, _| Err("no net".into())).expect_err("refused");
        assert!(why.contains("no net") && why.contains("nguky-files"), "{why}");
        let why = read(&path, 9, 4, |_, _| unreachable!()).expect_err("refused");
        assert!(why.contains("10 bytes") && why.contains("at most 9"), "{why}");
        std::fs::remove_file(&path).expect("removed");
        assert!(append(std::env::temp_dir()).expect_err("a folder").contains("a folder"));
    }
}
