//! Pieces, face up and face down, and rule settings.

use crate::game::{BadInput, RuleKind, RuleOption, Rules, Side};
use crate::games::xiangqi::types::{Kind, POINTS};

/// A red piece face down; black's is one more.
pub const COVERED: u8 = 14;
/// The mailbox value of an empty point.
pub const EMPTY: u8 = 16;
/// Added to a face-down piece that was taken while it stood blank, off its starting point.
pub const BLANK: u8 = 4;
/// The letters of the pieces in setups, by piece number.
pub const LETTERS: [char; 16] = [
    'K', 'A', 'B', 'N', 'R', 'C', 'P', 'k', 'a', 'b', 'n', 'r', 'c', 'p', 'X', 'x',
];
/// Pieces of each kind in a full set.
pub const SET: [u8; 7] = [1, 2, 2, 2, 2, 2, 5];
/// Pieces of each kind, by kind.
pub type Counts = [u8; 7];
/// [`Counts`] of both sides.
pub type Pools = [Counts; 2];

/// Values by which exchanges are weighed, by kind.
pub const EXCHANGE: [i32; 7] = [10_000, 200, 230, 440, 950, 460, 140];
/// What a face-down piece counts for in exchanges: about the average of a full pool.
pub const EXCHANGE_COVERED: i32 = 340;

/// The side of a piece, which must not be [`EMPTY`].
#[inline]
pub const fn side_of(piece: u8) -> Side {
    if piece < 7 || piece == COVERED {
        Side::First
    } else {
        Side::Second
    }
}

/// A side's piece face down.
#[inline]
pub const fn covered(side: Side) -> u8 {
    COVERED + side as u8
}

/// The kind of piece that sets out from a point, by point: what a face-down piece there moves as.
static STARTS: [Option<Kind>; POINTS] = {
    const EDGE: [Kind; 9] = [
        Kind::Chariot,
        Kind::Horse,
        Kind::Elephant,
        Kind::Advisor,
        Kind::General,
        Kind::Advisor,
        Kind::Elephant,
        Kind::Horse,
        Kind::Chariot,
    ];
    let mut all = [None; POINTS];
    let mut f = 0;
    while f < 9 {
        if f != 4 {
            (all[f], all[81 + f]) = (Some(EDGE[f]), Some(EDGE[f]));
        }
        if f % 2 == 0 {
            (all[27 + f], all[54 + f]) = (Some(Kind::Soldier), Some(Kind::Soldier));
        }
        f += 1;
    }
    (all[19], all[25]) = (Some(Kind::Cannon), Some(Kind::Cannon));
    (all[64], all[70]) = (Some(Kind::Cannon), Some(Kind::Cannon));
    all
};

/// What a side's face-down piece on the point moves as; `None` where none can lie.
#[inline]
pub const fn start_kind(side: Side, point: u8) -> Option<Kind> {
    if (point < 45) == matches!(side, Side::First) {
        STARTS[point as usize]
    } else {
        None
    }
}

/// Which rules end a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ruleset {
    /// The Vietnamese site's: 6, 12 or 18 checks or chases by one, two or three pieces, six-fold repetition.
    #[default]
    Kyvuong,
    /// The Chinese platform's: perpetual check loses at the sixth occurrence, three-fold repetition draws otherwise.
    Tiantian,
}

/// Who learns what a captured face-down piece was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CapturedDark {
    /// The side that took it.
    #[default]
    Capturer,
    /// Both sides.
    Both,
    /// Neither.
    None,
}

/// Rule settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoupRules {
    /// Which rules end a game.
    pub ruleset: Ruleset,
    /// Who learns what a captured face-down piece was: a matter for the dealer.
    pub captured_dark: CapturedDark,
    /// Half-moves without a capture that make a draw; 0 never.
    pub no_capture_limit: u16,
    /// Milliseconds that no move may pass, whatever the clock says; 0 for no such limit.
    pub move_time_cap: u32,
}

impl Default for CoupRules {
    fn default() -> Self {
        Self {
            ruleset: Ruleset::Kyvuong,
            captured_dark: CapturedDark::Capturer,
            no_capture_limit: 120,
            move_time_cap: 0,
        }
    }
}

impl Rules for CoupRules {
    fn options() -> &'static [RuleOption] {
        const ALL: &[RuleOption] = &[
            RuleOption {
                name: "Ruleset",
                help: "which rules end a game; tiantian also sets NoCaptureLimit to 80, kyvuong to 120",
                kind: RuleKind::Combo {
                    all: &["kyvuong", "tiantian"],
                },
            },
            RuleOption {
                name: "CapturedDark",
                help: "who learns what a captured face-down piece was",
                kind: RuleKind::Combo {
                    all: &["capturer", "both", "none"],
                },
            },
            RuleOption {
                name: "NoCaptureLimit",
                help: "half-moves without a capture after which the game is drawn; 0 for none",
                kind: RuleKind::Spin {
                    default: 120,
                    min: 0,
                    max: 1000,
                },
            },
            RuleOption {
                name: "MoveTimeCap",
                help: "milliseconds that no move may pass, whatever the clock says; 0 for no such limit",
                kind: RuleKind::Spin {
                    default: 0,
                    min: 0,
                    max: 86_400_000,
                },
            },
        ];
        ALL
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), BadInput> {
        let word = value.to_ascii_lowercase();
        if name.eq_ignore_ascii_case("Ruleset") {
            (self.ruleset, self.no_capture_limit) = match word.as_str() {
                "kyvuong" => (Ruleset::Kyvuong, 120),
                "tiantian" => (Ruleset::Tiantian, 80),
                _ => return Err(BadInput::new(format!("Ruleset is kyvuong or tiantian, not {value}"))),
            };
        } else if name.eq_ignore_ascii_case("CapturedDark") {
            self.captured_dark = match word.as_str() {
                "capturer" => CapturedDark::Capturer,
                "both" => CapturedDark::Both,
                "none" => CapturedDark::None,
                _ => {
                    return Err(BadInput::new(format!(
                        "CapturedDark is capturer, both or none, not {value}"
                    )));
                }
            };
        } else if name.eq_ignore_ascii_case("NoCaptureLimit") {
            self.no_capture_limit = match value.parse() {
                Ok(n @ 0..=1000) => n,
                _ => {
                    return Err(BadInput::new(format!(
                        "NoCaptureLimit wants a number from 0 to 1000, not {value}"
                    )));
                }
            };
        } else if name.eq_ignore_ascii_case("MoveTimeCap") {
            self.move_time_cap = match value.parse() {
                Ok(n @ 0..=86_400_000) => n,
                _ => {
                    return Err(BadInput::new(format!(
                        "MoveTimeCap wants a number of milliseconds up to a day, not {value}"
                    )));
                }
            };
        } else {
            return Err(BadInput::new(format!("no such option: {name}")));
        }
        Ok(())
    }
}
