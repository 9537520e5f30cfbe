//! The ranges of a search score.
//!
//! | from | to | meaning |
//! |---|---|---|
//! | `MATE_FLOOR` | `MATE` | mate proven, `MATE - score` plies from the root |
//! | `TABLE_FLOOR` | `TABLE_WIN` | won by an endgame table |
//! | `RULE_FLOOR` | `RULE_WIN` | won by a rule of repetition: true for this history, not for the board alone |
//! | 0 | `EVAL_LIMIT` | evaluations |

use crate::control::Outlook;
pub use crate::game::Score;

/// Longest line searched, in plies.
pub const MAX_PLY: usize = 240;
/// Beyond every score.
pub const INFINITE: Score = 32_500;
/// The side to move mates on the spot.
pub const MATE: Score = 32_000;
/// Least score of a proven mate.
pub const MATE_FLOOR: Score = MATE - 2 * MAX_PLY as Score;
/// Won by an endgame table.
pub const TABLE_WIN: Score = 31_400;
/// Least score of a table win.
pub const TABLE_FLOOR: Score = TABLE_WIN - MAX_PLY as Score;
/// Won by a rule of repetition.
pub const RULE_WIN: Score = 31_000;
/// Least score of a rule's win.
pub const RULE_FLOOR: Score = RULE_WIN - MAX_PLY as Score;
/// Evaluations stay within.
pub const EVAL_LIMIT: Score = 30_000;

/// Mated `ply` plies below the root.
#[inline]
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// Whether a score is more than an evaluation.
#[inline]
pub const fn decisive(score: Score) -> bool {
    score.abs() >= RULE_FLOOR
}

/// A score as the table keeps it: mates and table wins counted from the node; a rule's win is true for one history
/// only and becomes merely a very good score.
#[inline]
pub const fn to_table(score: Score, ply: usize) -> Score {
    if score >= TABLE_FLOOR {
        score + ply as Score
    } else if score <= -TABLE_FLOOR {
        score - ply as Score
    } else if score >= RULE_FLOOR {
        EVAL_LIMIT
    } else if score <= -RULE_FLOOR {
        -EVAL_LIMIT
    } else {
        score
    }
}

/// A score of the table, counted from the root again.
#[inline]
pub const fn from_table(score: Score, ply: usize) -> Score {
    if score >= TABLE_FLOOR {
        score - ply as Score
    } else if score <= -TABLE_FLOOR {
        score + ply as Score
    } else {
        score
    }
}

/// The score as it is reported to a user.
pub fn outlook(score: Score) -> Outlook {
    if score >= MATE_FLOOR {
        Outlook::Mate(MATE - score)
    } else if score <= -MATE_FLOOR {
        Outlook::Mate(-MATE - score)
    } else {
        Outlook::Centipawns(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_do_not_touch() {
        const { assert!(EVAL_LIMIT < RULE_FLOOR && RULE_WIN < TABLE_FLOOR && TABLE_WIN < MATE_FLOOR) };
        for ply in [0, 1, 100, MAX_PLY] {
            assert_eq!(
                from_table(to_table(MATE - 5 - ply as Score, ply), ply),
                MATE - 5 - ply as Score
            );
            assert_eq!(to_table(RULE_WIN - ply as Score, ply), EVAL_LIMIT);
            assert!(to_table(mated_in(ply), ply) >= i32::from(i16::MIN));
        }
        assert_eq!(outlook(MATE - 3), Outlook::Mate(3));
        assert_eq!(outlook(mated_in(2)), Outlook::Mate(-2));
        assert_eq!(outlook(-31), Outlook::Centipawns(-31));
    }
}
