//! What turns a position into a score.
