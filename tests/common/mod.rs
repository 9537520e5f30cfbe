//! A running engine binary, spoken to over pipes. Every wait has a limit, so a test fails rather than hangs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than any answer takes, even on a loaded machine.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    /// Starts the chess engine.
    pub fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nguky-uci"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let output = child.stdout.take().expect("a pipe");
        let input = child.stdin.take();
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, input, lines }
    }

    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open pipe");
        input
            .write_all(bytes)
            .and_then(|()| input.flush())
            .expect("the engine listens");
    }

    /// Closes the engine's input.
    #[allow(dead_code)] // not every test file that shares this module needs it
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The next line, or `None` when none comes in time or the output is closed.
    pub fn line(&mut self, limit: Duration) -> Option<String> {
        self.lines.recv_timeout(limit).ok()
    }

    /// Lines up to and with the first that starts with `start`.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let end = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        while let Some(line) = self.line(end.saturating_duration_since(Instant::now())) {
            let found = line.starts_with(start);
            seen.push(line);
            if found {
                return seen;
            }
        }
        panic!("no {start:?} after {seen:?}");
    }

    /// Answers of a line, up to the engine's next `readyok`.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let mut seen = self.until("readyok");
        seen.pop();
        seen
    }

    /// The position on the board, as the engine writes it.
    pub fn fen(&mut self) -> String {
        let board = self.ask("d");
        let line = board.iter().find_map(|l| l.strip_prefix("Fen: ")).expect("a Fen line");
        line.to_string()
    }

    /// The move of the next `bestmove`.
    pub fn bestmove(&mut self) -> String {
        let line = self.until("bestmove").pop().expect("a line");
        line.split(' ').nth(1).expect("a move").to_string()
    }

    /// Waits for the process to end.
    pub fn ended(&mut self, limit: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
