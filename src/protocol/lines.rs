//! Bytes from outside to lines: invalid UTF-8, NULs, carriage returns and endless lines are all survived.

use std::io::{BufRead, Read};

/// Bytes kept of one line; the rest of it is dropped.
const LONGEST: u64 = 1 << 20;

/// The next line without its end, or `None` at the end of input (or when reading fails).
pub fn next_line(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let n = input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).ok()?;
    if n == 0 {
        return None;
    }
    if bytes.last() != Some(&b'\n') && n as u64 == LONGEST {
        skip_to_newline(input);
    }
    Some(
        String::from_utf8_lossy(&bytes)
            .chars()
            .filter(|c| !matches!(c, '\n' | '\r' | '\0'))
            .collect(),
    )
}

/// The words of a line from its command on; where the first word is no command, from the first of the protocol's own on.
pub fn from_command<'w, 'a>(words: &'w [&'a str], known: &dyn Fn(&str) -> bool, own: &[&str]) -> &'w [&'a str] {
    let at = match words.first() {
        Some(first) if !known(first) => words.iter().position(|w| own.contains(w)).unwrap_or(0),
        _ => 0,
    };
    words.get(at..).unwrap_or_default()
}

fn skip_to_newline(input: &mut impl BufRead) {
    while let Ok(buffer) = input.fill_buf() {
        if buffer.is_empty() {
            return;
        }
        let (n, found) = match buffer.iter().position(|&b| b == b'\n') {
            Some(i) => (i + 1, true),
            None => (buffer.len(), false),
        };
        input.consume(n);
        if found {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::next_line;

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = bytes;
        std::iter::from_fn(|| next_line(&mut input)).collect()
    }

    #[test]
    fn ends_of_lines() {
        assert_eq!(all(b"uci\r\nisready\n\nquit"), ["uci", "isready", "", "quit"]);
    }

    #[test]
    fn damage_is_survived() {
        assert_eq!(all(b"a\xff\0b\nc\n"), ["a\u{fffd}b", "c"]);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let mut bytes = vec![b'x'; 3 << 20];
        bytes.extend(b"\nisready\n");
        let lines = all(&bytes);
        assert_eq!(
            (lines.len(), lines[0].len(), lines[1].as_str()),
            (2, 1 << 20, "isready")
        );
    }
}
