//! Rule settings, and the shared board's types with face-down pieces.

pub use crate::games::xiangqi_board::types::{COVERED, LETTERS, covered, start_kind};

use crate::game::{BadInput, GameOption, OptionKind, Rules, Side};
use crate::games::xiangqi_board::{Cover, FaceDown};

/// The mailbox value of an empty point.
pub const EMPTY: u8 = FaceDown::EMPTY;
/// Pieces of each kind in a full set.
pub const SET: [u8; 7] = [1, 2, 2, 2, 2, 2, 5];
/// Pieces of each kind, by kind.
pub type Counts = [u8; 7];
/// [`Counts`] of both sides.
pub type Pools = [Counts; 2];

/// The side of a piece, which must not be [`EMPTY`].
#[inline]
pub const fn side_of(piece: u8) -> Side {
    if piece < 7 || piece == COVERED {
        Side::First
    } else {
        Side::Second
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
    fn options() -> &'static [GameOption] {
        const ALL: &[GameOption] = &[
            GameOption {
                name: "Ruleset",
                help: "which rules end a game; tiantian also sets NoCaptureLimit to 80, kyvuong to 120",
                kind: OptionKind::Combo {
                    all: &["kyvuong", "tiantian"],
                },
            },
            GameOption {
                name: "CapturedDark",
                help: "who learns what a captured face-down piece was",
                kind: OptionKind::Combo {
                    all: &["capturer", "both", "none"],
                },
            },
            GameOption {
                name: "NoCaptureLimit",
                help: "half-moves without a capture after which the game is drawn; 0 for none",
                kind: OptionKind::Spin {
                    default: 120,
                    min: 0,
                    max: 1000,
                },
            },
            GameOption {
                name: "MoveTimeCap",
                help: "milliseconds that no move may pass, whatever the clock says; 0 for no such limit",
                kind: OptionKind::Spin {
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
                        "NoCaptureLimit takes a number from 0 to 1000, not {value}"
                    )));
                }
            };
        } else if name.eq_ignore_ascii_case("MoveTimeCap") {
            self.move_time_cap = match value.parse() {
                Ok(n @ 0..=86_400_000) => n,
                _ => {
                    return Err(BadInput::new(format!(
                        "MoveTimeCap takes a number of milliseconds up to a day, not {value}"
                    )));
                }
            };
        } else {
            return Err(BadInput::new(format!("no such option: {name}")));
        }
        Ok(())
    }
}
