//! A child process that answers lines with lines.

use super::player::{Failure, INTERRUPTED};
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a wait looks for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(100);
/// How long a program may take to leave by itself.
const LEAVE: Duration = Duration::from_millis(500);

/// The longest piece of a line that is kept in one.
const LONGEST: u64 = 1 << 20;

/// A running program and its pipes.
pub struct Pipe {
    child: Child,
    input: ChildStdin,
    lines: Receiver<(Instant, String)>,
    /// The last line of its standard error.
    complaint: Arc<Mutex<String>>,
    /// Ends when the standard error does.
    complaints: Option<JoinHandle<()>>,
    quit: &'static str,
}

/// Hands on the lines of a program's output until it ends or nobody wants more.
fn read_lines(output: impl Read, mut each: impl FnMut(String) -> bool) {
    let mut output = BufReader::new(output);
    let mut bytes = Vec::new();
    while matches!((&mut output).take(LONGEST).read_until(b'\n', &mut bytes), Ok(n) if n > 0) {
        if !each(String::from_utf8_lossy(&bytes).trim_end().to_string()) {
            break;
        }
        bytes.clear();
    }
}

impl Pipe {
    /// Starts a program; `quit` is the line that ends it.
    pub fn start(command: &[String], quit: &'static str) -> Result<Self> {
        let (program, arguments) = command.split_first().context("no program")?;
        let mut started = Command::new(program);
        started
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Ctrl-C is for the match alone: an engine that dies of it would look like a disconnect.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut started, 0);
        let mut child = started
            .spawn()
            .with_context(|| format!("cannot start {}", command.join(" ")))?;
        let (input, output, errors) = (
            child.stdin.take().context("no pipe")?,
            child.stdout.take().context("no pipe")?,
            child.stderr.take().context("no pipe")?,
        );
        let (tell, lines) = channel();
        // The clock stops when the line arrives, not when the referee gets round to it.
        std::thread::spawn(move || read_lines(output, |line| tell.send((Instant::now(), line)).is_ok()));
        let complaint = Arc::new(Mutex::new(String::new()));
        let kept = complaint.clone();
        let complaints = std::thread::spawn(move || {
            read_lines(errors, |line| {
                if let Ok(mut kept) = kept.lock()
                    && !line.is_empty()
                {
                    *kept = line;
                }
                true
            });
        });
        Ok(Self {
            child,
            input,
            lines,
            complaint,
            complaints: Some(complaints),
            quit,
        })
    }

    /// The last line that a program which has ended wrote to its standard error.
    pub fn complaint(&mut self) -> String {
        // What the program started may hold the pipe open.
        let end = Instant::now() + LEAVE;
        while self.complaints.as_ref().is_some_and(|t| !t.is_finished()) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.complaint.lock().map(|line| line.clone()).unwrap_or_default()
    }

    /// Sends a line. A closed pipe shows when the answer is missing.
    pub fn say(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// Sends bytes: a line, a part of one, several.
    pub fn write(&mut self, bytes: &[u8]) {
        let _ = self.input.write_all(bytes).and_then(|()| self.input.flush());
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line and when it came, waited for until `end`.
    pub fn next(&mut self, end: Instant) -> Result<(Instant, String), Failure> {
        loop {
            if INTERRUPTED.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted);
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(GLANCE)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::Disconnect),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Failure::Stall),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.say(self.quit);
        let end = Instant::now() + LEAVE;
        while Instant::now() < end {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
