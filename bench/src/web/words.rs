//! Languages of viewers, and the keys of sentences that the page has in them. The page's words are in its own files; the
//! server sends keys with arguments.

use crate::notation::MoveStyle;
use serde_json::{Value, json};

/// A language of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lang {
    /// Vietnamese.
    Vi,
    /// English.
    En,
}

impl Lang {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 2] = [Self::Vi, Self::En];

    /// The language of a code; English where it is another.
    pub fn of(code: &str) -> Self {
        if code.starts_with("vi") { Self::Vi } else { Self::En }
    }

    /// How moves are written in it.
    pub const fn style(self) -> MoveStyle {
        match self {
            Self::Vi => MoveStyle::Vietnamese,
            Self::En => MoveStyle::English,
        }
    }
}

/// Why games end, as the rules and the room say it, and the keys of the sentences. `over_other` stands for the rest, with
/// the reason behind the winner.
pub const REASONS: &[(&str, &str)] = &[
    ("checkmate", "over_checkmate"),
    ("stalemate", "over_stalemate"),
    ("no legal move", "over_stalemate"),
    ("resignation", "over_resign"),
    ("repetition", "over_repetition"),
    ("threefold repetition", "over_repetition"),
    ("fourfold repetition", "over_repetition"),
    ("sixfold repetition", "over_repetition"),
    ("perpetual check", "over_perpetual"),
    ("perpetual chase", "over_chase"),
    ("perpetual attack", "over_chase"),
    ("fifty-move rule", "over_fifty"),
    ("natural limit", "over_fifty"),
    ("no capture for too long", "over_fifty"),
    ("insufficient material", "over_material"),
    ("no piece left to win with", "over_material"),
    ("move limit", "over_impasse"),
    ("declaration", "over_nyugyoku"),
    ("try", "over_declared"),
    ("agreement", "over_agreed"),
    ("record", "over_record"),
    ("adjudicated: hopeless", "over_hopeless"),
    ("adjudicated: level", "over_level"),
    ("adjudicated: too long", "over_long"),
    ("adjudicated: too long, counted as it stands", "over_long"),
];

/// The sentence of an end: key, the winner (-1 for none), and what the key does not say.
pub fn over(points: u8, reason: &str) -> Value {
    let winner = match points {
        2 => 0,
        0 => 1,
        _ => -1,
    };
    if let Some((_, key)) = REASONS.iter().find(|(known, _)| *known == reason) {
        return json!([key, winner]);
    }
    match reason
        .strip_prefix("B+")
        .or_else(|| reason.strip_prefix("W+"))
        .or((reason == "0").then_some("0"))
    {
        Some(margin) => match margin.parse::<f64>() {
            Ok(points) => json!(["over_count", winner, points]),
            Err(_) => json!(["over_count", winner, margin]),
        },
        None => json!(["over_other", winner, reason]),
    }
}
