//! All outputs of a network, as `kata-raw-nn` prints them.

use std::fmt;

/// The outputs of a network for a position, from white's point of view; points from the top row down.
#[derive(Clone, Debug, Default)]
pub struct RawOutput {
    /// The symmetry under which the network saw the board.
    pub symmetry: u8,
    /// Points of a side.
    pub size: usize,
    /// Win probability of white.
    pub win: f32,
    /// Win probability of black.
    pub loss: f32,
    /// Probability of no result.
    pub no_result: f32,
    /// White's lead.
    pub lead: f32,
    /// Mean of the score if the game were played on.
    pub score: f32,
    /// Mean of its square.
    pub score_square: f32,
    /// Time until the game is settled; -1 where unknown.
    pub var_time: f32,
    /// Error of the winning chance in the short term; -1 where unknown.
    pub short_win: f32,
    /// Error of the score in the short term; -1 where unknown.
    pub short_score: f32,
    /// Probability of each point; nothing where a move is illegal.
    pub policy: Vec<Option<f32>>,
    /// Probability of the pass.
    pub pass: f32,
    /// Expected owner of each point, 1 for white.
    pub ownership: Vec<f32>,
}

/// As KataGo prints it.
impl fmt::Display for RawOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "symmetry {}", self.symmetry)?;
        writeln!(f, "whiteWin {:.6}", self.win)?;
        writeln!(f, "whiteLoss {:.6}", self.loss)?;
        writeln!(f, "noResult {:.6}", self.no_result)?;
        writeln!(f, "whiteLead {:.3}", self.lead)?;
        writeln!(f, "whiteScoreSelfplay {:.3}", self.score)?;
        writeln!(f, "whiteScoreSelfplaySq {:.3}", self.score_square)?;
        writeln!(f, "varTimeLeft {:.3}", self.var_time)?;
        writeln!(f, "shorttermWinlossError {:.3}", self.short_win)?;
        writeln!(f, "shorttermScoreError {:.3}", self.short_score)?;
        writeln!(f, "policy")?;
        for row in self.policy.chunks(self.size) {
            for chance in row {
                match chance {
                    Some(chance) => write!(f, "{chance:8.6} ")?,
                    None => write!(f, "    NAN ")?,
                }
            }
            writeln!(f)?;
        }
        writeln!(f, "policyPass {:8.6} ", self.pass)?;
        write!(f, "whiteOwnership")?;
        for (i, own) in self.ownership.iter().enumerate() {
            // Each number is followed by a blank, but for the very last.
            let between = match i {
                0 => "\n",
                i if i % self.size == 0 => " \n",
                _ => " ",
            };
            write!(f, "{between}{own:9.7}")?;
        }
        Ok(())
    }
}
