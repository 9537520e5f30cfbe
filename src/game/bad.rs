//! Bad input is a value.

/// Input that was refused: one line that names the offending part and what was expected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(String);

impl BadInput {
    /// Text from outside is cut to this many characters, so that a hostile line stays one readable line.
    const LONGEST: usize = 200;

    /// A refusal; the text is cut to one line of bounded length.
    pub fn new(text: impl Into<String>) -> Self {
        let text: String = text.into();
        let mut line: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(Self::LONGEST)
            .collect();
        if text.chars().nth(Self::LONGEST).is_some() {
            line.push('…');
        }
        Self(line)
    }

    /// The line.
    pub fn text(&self) -> &str {
        &self.0
    }
}
