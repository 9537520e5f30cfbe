//! Shogi over UCI as Cute Chess writes it: files a to i from the left, ranks 1 to 9 from below, `P@e5` for a
//! drop, hands in brackets behind the board, and White for the side that moves first.

/// A point of USI in this notation, or the other way round: both mirror files and ranks.
fn point(file: u8, rank: u8) -> Option<[u8; 2]> {
    match (file, rank) {
        (b'1'..=b'9', b'a'..=b'i') => Some([b'a' + (b'9' - file), b'1' + (b'i' - rank)]),
        (b'a'..=b'i', b'1'..=b'9') => Some([b'9' - (file - b'a'), b'i' - (rank - b'1')]),
        _ => None,
    }
}

/// A move with both points translated and the sign of a drop replaced.
fn translate(text: &str, sign: u8, other: u8) -> Option<String> {
    let bytes = match *text.as_bytes() {
        [piece, s, f, r] if s == sign && piece.is_ascii_uppercase() => {
            let [f, r] = point(f, r)?;
            vec![piece, other, f, r]
        }
        [a, b, c, d, ref rest @ ..] if rest.is_empty() || rest == b"+" => {
            let mut out = point(a, b)?.to_vec();
            out.extend(point(c, d)?);
            out.extend(rest);
            out
        }
        _ => return None,
    };
    String::from_utf8(bytes).ok()
}

/// A move of this notation in USI's; anything else as it is.
pub fn to_usi(text: &str) -> String {
    translate(text, b'@', b'*').unwrap_or_else(|| text.to_string())
}

/// A move of USI in this notation; anything else as it is.
pub fn from_usi(text: &str) -> String {
    translate(text, b'*', b'@').unwrap_or_else(|| text.to_string())
}

/// Hands in USI's notation, from one letter per piece.
fn hands(letters: &str) -> String {
    let mut out = String::new();
    for c in "RBGSNLPrbgsnlp".chars() {
        match letters.matches(c).count() {
            0 => {}
            1 => out.push(c),
            n => out += &format!("{n}{c}"),
        }
    }
    // Other letters stay, so that the error names them.
    out.extend(letters.chars().filter(|c| !"RBGSNLPrbgsnlp-".contains(*c)));
    if out.is_empty() { "-".to_string() } else { out }
}

/// A setup of this notation, `BOARD[HANDS] w|b - MOVE`, as an SFEN.
fn setup(words: &[&str]) -> String {
    let board = words.first().copied().unwrap_or_default();
    let (board, held) = board.split_once('[').unwrap_or((board, "-"));
    let first = words.get(1) != Some(&"b");
    let side = match words.get(1) {
        Some(&"w") | None => "b",
        Some(&"b") => "w",
        Some(other) => other,
    };
    let number = words.last().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
    let ply = 2 * number.clamp(1, 40_000) - usize::from(first);
    format!("{board} {side} {} {ply}", hands(held.trim_end_matches(']')))
}

/// The words of `position` or `go` with setups and moves in the engine's notation.
pub fn translated_words(words: &[&str]) -> Vec<String> {
    let at = words.iter().position(|&w| w == "moves").unwrap_or(words.len());
    let (head, moves) = words.split_at(at);
    let mut out: Vec<String> = match head {
        ["position", "fen" | "sfen", fen @ ..] if fen.first().is_some_and(|b| b.contains('[')) => {
            let setup = setup(fen);
            let setup = setup.split(' ').map(str::to_string);
            ["position".to_string(), "fen".to_string()]
                .into_iter()
                .chain(setup)
                .collect()
        }
        ["go", rest @ ..] => std::iter::once("go".to_string())
            .chain(rest.iter().map(|w| to_usi(w)))
            .collect(),
        _ => head.iter().map(|w| (*w).to_string()).collect(),
    };
    out.extend(moves.iter().map(|w| to_usi(w)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_turned_both_ways() {
        for (usi, uci) in [
            ("7g7f", "c3c4"),
            ("P*5e", "P@e5"),
            ("4g1d+", "f3i6+"),
            ("2b8h+", "h8b2+"),
        ] {
            assert_eq!((to_usi(uci).as_str(), from_usi(usi).as_str()), (usi, uci));
        }
        for text in ["moves", "depth", "", "(none)", "é1é1", "P*5e"] {
            assert_eq!(to_usi(text), text);
        }
    }

    #[test]
    fn lines_are_turned() {
        let line = |text: &str| translated_words(&text.split(' ').collect::<Vec<_>>()).join(" ");
        assert_eq!(
            line("position startpos moves c3c4 P@e5"),
            "position startpos moves 7g7f P*5e"
        );
        assert_eq!(line("go wtime 5 searchmoves c3c4"), "go wtime 5 searchmoves 7g7f");
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
        assert_eq!(
            line(&format!("position fen {start}[-] w - 1 moves c3c4")),
            format!("position fen {start} b - 1 moves 7g7f")
        );
        assert_eq!(
            line("position fen 4k4/9/9/9/9/9/9/9/4K4[PPbP] b - 3"),
            "position fen 4k4/9/9/9/9/9/9/9/4K4 w 3Pb 6"
        );
    }
}
