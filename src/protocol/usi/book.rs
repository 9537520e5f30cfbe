//! Opening books in YaneuraOu's text format: `sfen POSITION`, then lines of
//! `MOVE REPLY SCORE DEPTH COUNT`, of which only the move has to be there.

use crate::game::BadInput;
use crate::protocol::lines::next_line;
use crate::util::files;
use std::collections::HashMap;
use std::io::BufReader;

/// The largest book that is read into memory, in bytes.
const LARGEST: u64 = 2 << 30;
/// Bytes from the start within which a book has its first position.
const HEAD: usize = 1 << 16;

/// The best moves of known positions.
#[derive(Default)]
pub struct SfenBook {
    /// The file that was read; empty for none.
    path: String,
    moves: HashMap<String, String>,
}

/// A position without its move number.
fn key(sfen: &str) -> String {
    sfen.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

impl SfenBook {
    /// Reads a file unless it is the one that was read before; an empty path forgets the book. A file that could not be read
    /// is looked for again the next time.
    pub fn load(&mut self, path: &str) -> Result<(), BadInput> {
        if self.path == path {
            return Ok(());
        }
        *self = Self::default();
        if path.is_empty() {
            return Ok(());
        }
        let refused = |why: String| BadInput::new(format!("BookFile: {why}"));
        let (mut file, _) = files::open(path, LARGEST).map_err(refused)?;
        let head = files::head(&mut file, HEAD).map_err(|e| refused(format!("cannot read {path:?}: {e}")))?;
        let none = || {
            refused(format!(
                "no position in {path:?}; expected lines \"sfen POSITION\" and moves below each"
            ))
        };
        if !head.split(|&b| b == b'\n').any(|line| line.starts_with(b"sfen ")) {
            return Err(none());
        }
        let mut input = BufReader::new(file);
        let mut here = None;
        while let Some(line) = next_line(&mut input) {
            match line.strip_prefix("sfen ") {
                Some(sfen) => here = Some(key(sfen)),
                None if line.starts_with('#') || line.starts_with("//") => {}
                // The first move of a position is its best.
                None => {
                    if let (Some(mv), Some(sfen)) = (line.split_whitespace().next(), here.take()) {
                        self.moves.insert(sfen, mv.to_string());
                    }
                }
            }
        }
        if self.moves.is_empty() {
            return Err(none());
        }
        self.path = path.to_string();
        Ok(())
    }

    /// The move for a position.
    pub fn find(&self, sfen: &str) -> Option<&str> {
        if self.moves.is_empty() {
            return None;
        }
        self.moves.get(&key(sfen)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_is_read_and_its_faults_are_named() {
        let dir = std::env::temp_dir().join(format!("nguky-book-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
        let text = "#YANEURAOU-DB2016 1.00\nsfen A b - 1\n7g7f 3c3d 12 10 1\n2g2f none 5 10 1\nsfen B w P 2\n8c8d\n";
        std::fs::write(path("good"), text).expect("written");
        std::fs::write(path("empty"), "\n\n").expect("written");
        let mut book = SfenBook::default();
        assert!(book.load(&path("good")).is_ok());
        assert_eq!(
            (book.find("A b - 77"), book.find("B w P 2")),
            (Some("7g7f"), Some("8c8d"))
        );
        assert_eq!(book.find("C b - 1"), None);
        for name in ["empty", "missing"] {
            let why = book.load(&path(name)).expect_err("refused").to_string();
            assert!(why.contains("BookFile") && why.contains(name), "{why}");
        }
        std::fs::write(path("missing"), text).expect("written");
        assert!(book.load(&path("missing")).is_ok());
        assert_eq!(book.find("A b - 77"), Some("7g7f"));
        assert!(book.load("").is_ok() && book.find("A b - 1").is_none());
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
