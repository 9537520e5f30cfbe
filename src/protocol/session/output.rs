//! The lines to the client, and the log of both directions.

use std::fs::File;
use std::io::Write;

/// Where lines go: the output and, if wanted, a log of both directions.
pub(super) struct ClientOutput {
    pub out: Box<dyn Write>,
    /// Nobody reads any more.
    pub closed: bool,
    pub log: Option<File>,
}

impl ClientOutput {
    /// Writes a line and flushes it.
    pub fn send(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "<< {line}");
        }
        // One write for the line and its end: a client never sees half a line.
        let text = format!("{line}\n");
        if self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush())
            .is_err()
        {
            self.closed = true;
        }
    }

    /// Notes a line of the client's in the log.
    pub fn log_input(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, ">> {line}");
        }
    }
}
