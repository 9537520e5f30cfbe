//! What is wrong with a record, as keys of the page's sentences. The readers say it in English, for the command line; what they
//! quote goes into the sentence as it is.

use serde_json::{Value, json};

/// What the readers say, `{}` for what differs, and the keys of the sentences. The first that fits counts.
const SENTENCES: &[(&str, &str)] = &[
    ("not a legal move here: {}", "damage_illegal"),
    ("more than {} moves in a game", "damage_most_moves"),
    ("more than {} nodes in a game", "damage_most_moves"),
    ("{} half-moves; expected at most {}", "damage_long"),
    ("more than {} variations within one another", "damage_deep"),
    ("a variation is not closed; expected )", "damage_open_variation"),
    ("a ) without its (", "damage_closed"),
    ("a $ without a number from 0 to 255", "damage_glyph"),
    ("a comment is not closed; expected }", "damage_open_comment"),
    ("a game is not closed; expected )", "damage_open_game"),
    ("a value is not closed; expected ]", "damage_open_value"),
    ("a second root in a game", "damage_second_root"),
    ("a value outside of a node; expected ; before it", "damage_outside"),
    ("a value without a property", "damage_no_property"),
    ("a property's name is too long", "damage_long_name"),
    ("neither a node, a property nor a bracket: {}", "damage_no_node"),
    ("a game without nodes", "damage_no_nodes"),
    ("not a game of go: {}", "damage_no_go"),
    ("no size of a board that is played: {}", "damage_size"),
    ("{} sets the board up behind moves", "damage_late_setup"),
    (
        "move {}: the position was set up behind moves; such records are not read",
        "damage_late_setup",
    ),
    ("no points: {}", "damage_points"),
    ("no game of SGF", "damage_no_sgf"),
    ("no position to start from", "damage_no_start"),
    ("no time: {}", "damage_time"),
    ("no statement of CSA: {}", "damage_csa"),
    ("no position: {}", "damage_position"),
    ("the other side is to move: {}", "damage_turn"),
    ("no end that CSA knows: {}", "damage_end"),
    (
        "a move before the side to move was given; expected a line + or -",
        "damage_no_side",
    ),
    (
        "an end before the side to move was given; expected a line + or -",
        "damage_no_side",
    ),
    ("a move behind the end of the game", "damage_behind"),
    ("not JSON: {}", "damage_json"),
    ("move {}: not a legal move here: {}", "damage_illegal_at"),
    (
        "move {}: its fen does not tell which piece was turned up",
        "damage_turned",
    ),
    ("initialFen: {}", "damage_setup"),
    ("neither a header, a move nor a comment: {}", "damage_line"),
    ("an unknown start {}; expected {}", "damage_start"),
    ("no piece in hand: {}", "damage_hand"),
    ("no number in hand: {}", "damage_hand"),
    ("no piece: {}", "damage_piece"),
    ("move number {} where {} was expected", "damage_number"),
    ("expected 変化：N手, not {}", "damage_variation"),
    ("{} is not a format of {}", "damage_format"),
    ("a book, not a record of a game", "damage_book"),
    ("no record of a game; expected {}", "damage_none"),
    ("the tag Deal: {}", "damage_deal"),
];

/// What stands in the places of a pattern, if a text is of it.
fn fits(pattern: &str, text: &str) -> Option<Vec<String>> {
    let mut parts = pattern.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let (mut found, mut parts) = (Vec::new(), parts.peekable());
    while let Some(part) = parts.next() {
        let end = match (part.is_empty(), parts.peek()) {
            (true, None) => rest.len(),
            (false, None) => rest
                .len()
                .checked_sub(part.len())
                .filter(|&at| rest.is_char_boundary(at) && rest.ends_with(part))?,
            _ => rest.find(part)?,
        };
        found.push(rest[..end].to_string());
        rest = &rest[end + part.len()..];
    }
    rest.is_empty().then_some(found)
}

/// The sentence about what a reader says: key and arguments.
pub fn sentence(what: &str) -> Value {
    let known = SENTENCES
        .iter()
        .find_map(|(pattern, key)| Some((key, fits(pattern, what)?)));
    match known {
        Some((key, found)) => {
            let mut said = vec![json!(key)];
            said.extend(found.into_iter().map(Value::from));
            said.into()
        }
        None => json!(["damage_other", what]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::open::open;
    use std::path::Path;

    #[test]
    fn places_of_patterns_are_found() {
        for (pattern, text, found) in [
            ("a {}", "a b", Some(vec!["b"])),
            ("{} of {}", "KIF of go", Some(vec!["KIF", "go"])),
            ("{} at most {}.", "7 at most 5.", Some(vec!["7", "5"])),
            ("closed }", "closed }", Some(vec![])),
            ("closed }", "closed", None),
            ("a {}", "b", None),
            ("a {} c", "a b", None),
            ("{}é", "éé", Some(vec!["é"])),
        ] {
            let found = found.map(|all| all.into_iter().map(String::from).collect());
            assert_eq!(fits(pattern, text), found, "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_record_has_a_sentence() {
        let moves = |n: usize| "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(n);
        for (name, text) in [
            ("a.pgn", "1. e5 *".to_string()),
            ("a.pgn", "1. e4 (1. d4 *".into()),
            ("a.pgn", "1. e4 ) *".into()),
            ("a.pgn", "1. e4 { open".into()),
            ("a.pgn", "1. e4 $999 *".into()),
            ("a.pgn", format!("1. e4 {}", "(1. d4 ".repeat(200))),
            ("a.pgn", moves(6_000)),
            ("a.sgf", "(;GM[2]SZ[9])".into()),
            ("a.sgf", "(;GM[1]SZ[99])".into()),
            ("a.sgf", "(;GM[1]SZ[9];B[zz])".into()),
            ("a.sgf", "(;GM[1]SZ[9];B[aa".into()),
            ("a.sgf", "(;GM[1]SZ[9];B[aa]".into()),
            ("a.sgf", "(;GM[1]SZ[9];B[aa];AB[bb])".into()),
            ("a.sgf", "(GM[1])".into()),
            ("a.sgf", "(;[1])".into()),
            ("a.sgf", "(;GM[1]!)".into()),
            ("a.sgf", "()".into()),
            ("a.csa", "V2.2\nPI\n+\n+5555FU\n%TORYO\n".into()),
            ("a.csa", "V2.2\nPI\n+\n-3334FU\n".into()),
            ("a.csa", "V2.2\nPI\n+7776FU\n".into()),
            ("a.csa", "V2.2\nPI\n+\n%WHAT\n".into()),
            ("a.csa", "V2.2\nPX\n+\n+7776FU\n".into()),
            ("a.kif", "手合割：謎\n   1 ７六歩(77)\n".into()),
            ("a.kif", "手合割：平手\n   3 ７六歩(77)\n".into()),
            ("a.kif", "手合割：平手\n   1 ５五歩(77)\n".into()),
            ("a.kif", "手合割：平手\nwhat is this\n".into()),
            ("a.json", "{".into()),
            ("a.bin", String::new()),
            ("a.pgn", String::new()),
        ] {
            let said = match open(Path::new(name), &text, None, 10) {
                Ok(opened) => opened.damaged.first().map(|d| d.what.clone()).unwrap_or_default(),
                Err(why) => format!("{why:#}"),
            };
            let sentence = sentence(&said);
            let known = sentence[0].as_str().is_some_and(|key| key != "damage_other");
            let shown: String = text.chars().take(40).collect();
            assert!(known, "{name} {shown:?}: {said:?}");
        }
    }
}
