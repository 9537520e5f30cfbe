//! Drives a binary of the family over pipes, as a client does.

use nguky::game::Position;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longest wait for a line that has to come; generous, because test machines are busy.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A running engine.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    talk: Vec<String>,
}

impl Client {
    /// The chess engine without arguments.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// The chess engine with arguments.
    pub fn with(args: &[&str]) -> Self {
        Self::of(env!("CARGO_BIN_EXE_nguky-uci"), args)
    }

    /// The shogi engine without arguments.
    pub fn shogi() -> Self {
        Self::of(env!("CARGO_BIN_EXE_nguky-usi"), &[])
    }

    /// Any engine with arguments.
    pub fn of(program: &str, args: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the engine starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("a piped output");
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if tell.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            stdin,
            lines,
            talk: Vec::new(),
        }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The engine after `uci` and options given as `Name=value`.
    pub fn ready(options: &[&str]) -> Self {
        let mut c = Self::new();
        c.send("uci");
        c.expect("uciok");
        for option in options {
            let (name, value) = option.split_once('=').expect("Name=value");
            c.send(&format!("setoption name {name} value {value}"));
        }
        c.sync();
        c
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.talk.push(format!("> {line}"));
        self.bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("an open input");
        // A closed pipe shows in the answer that never comes.
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }

    /// Closes the engine's input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// The next line, if it comes in time.
    pub fn line(&mut self, wait: Duration) -> Option<(Instant, String)> {
        match self.lines.recv_timeout(wait) {
            Ok((at, line)) => {
                self.talk.push(format!("< {line}"));
                Some((at, line))
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// All lines up to the first that begins with `start`, and when that one came.
    pub fn until(&mut self, start: &str) -> (Instant, Vec<String>) {
        let mut all = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        while let Some((at, line)) = self.line(deadline.saturating_duration_since(Instant::now())) {
            let found = line.starts_with(start);
            all.push(line);
            if found {
                return (at, all);
            }
        }
        panic!("no line {start:?}; the talk ended\n{}", self.tail());
    }

    /// All lines to the end of the program, and its status.
    pub fn until_end(&mut self) -> (Option<ExitStatus>, Vec<String>) {
        let mut all = Vec::new();
        while let Some((_, line)) = self.line(PATIENCE) {
            all.push(line);
        }
        (self.ended(PATIENCE), all)
    }

    /// The next line that begins with `start`.
    pub fn expect(&mut self, start: &str) -> String {
        self.until(start).1.pop().unwrap_or_default()
    }

    /// No line that begins with `start` comes within this time.
    pub fn silent(&mut self, start: &str, wait: Duration) {
        let deadline = Instant::now() + wait;
        while let Some((_, line)) = self.line(deadline.saturating_duration_since(Instant::now())) {
            assert!(!line.starts_with(start), "too early: {line}\n{}", self.tail());
        }
    }

    /// `isready`, and the lines before its answer.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        self.until("readyok").1
    }

    /// Answers of a line, up to the engine's next `readyok`.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        let mut seen = self.sync();
        seen.pop();
        seen
    }

    /// The move of the next `bestmove`.
    pub fn bestmove(&mut self) -> String {
        best(&self.until("bestmove").1)
    }

    /// Searches; all lines to the answer.
    pub fn go(&mut self, command: &str) -> Vec<String> {
        self.send(command);
        self.until("bestmove").1
    }

    /// Searches; how long the answer took, and the lines.
    pub fn timed(&mut self, command: &str) -> (Duration, Vec<String>) {
        let start = Instant::now();
        self.send(command);
        let (at, lines) = self.until("bestmove");
        (at.saturating_duration_since(start), lines)
    }

    /// The board's setup text, asked with `d`.
    pub fn fen(&mut self) -> String {
        self.send("d");
        let line = self.expect("Fen: ");
        self.sync();
        line["Fen: ".len()..].to_string()
    }

    /// Waits for the end.
    pub fn ended(&mut self, wait: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + wait;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() > deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// `quit`, which has to end it within the time, and well.
    pub fn quit_within(&mut self, wait: Duration) {
        self.send("quit");
        let status = self.ended(wait);
        assert!(status.is_some_and(|s| s.success()), "quit: {status:?}\n{}", self.tail());
    }

    /// The last lines said by both.
    pub fn tail(&self) -> String {
        let from = self.talk.len().saturating_sub(40);
        let cut = |line: &String| line.chars().take(300).collect::<String>();
        self.talk[from..].iter().map(cut).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The word after `key` in a line.
pub fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    words.find(|&w| w == key)?;
    words.next()
}

/// The number after `key` in a line.
pub fn number(line: &str, key: &str) -> Option<i64> {
    field(line, key)?.parse().ok()
}

/// The move of a `bestmove` line.
pub fn best(lines: &[String]) -> String {
    let line = lines.last().expect("an answer");
    field(line, "bestmove").expect("a move").to_string()
}

/// The line of analysis that clients look at: the last of rank 1 with a score.
pub fn last_info(lines: &[String]) -> &str {
    let told = |l: &&String| l.starts_with("info ") && l.contains(" score ") && number(l, "multipv").unwrap_or(1) == 1;
    lines.iter().rev().find(told).expect("a line with a score")
}

/// The moves after `pv`.
pub fn pv(line: &str) -> Vec<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|&w| w == "pv").map_or(words.len(), |i| i + 1);
    words[at..].to_vec()
}

/// Plays moves; an error names the first illegal one, or the first one after the game's end.
pub fn play<P: Position>(board: &mut P, moves: &[&str]) -> Result<(), String> {
    for text in moves {
        if board.ended().is_some() {
            return Err(format!("{text} goes on after the end of the game"));
        }
        let mv = board.parse_move(text).map_err(|e| e.to_string())?;
        if board.move_text(mv) != *text {
            return Err(format!("{text} is written {}", board.move_text(mv)));
        }
        board.play(mv);
    }
    Ok(())
}

/// All that a search told is as clients want it: legal lines that end with the game, an answer that heads the last one.
pub fn judge<P: Position>(board: &P, lines: &[String]) {
    for line in lines.iter().filter(|l| l.contains(" pv ")) {
        play(&mut board.clone(), &pv(line)).unwrap_or_else(|e| panic!("{e}: {line}"));
    }
    let answer = lines.last().expect("an answer");
    let mv = best(lines);
    let mut after = board.clone();
    play(&mut after, &[mv.as_str()]).unwrap_or_else(|e| panic!("{e}: {answer}"));
    if let Some(reply) = field(answer, "ponder") {
        play(&mut after, &[reply]).unwrap_or_else(|e| panic!("{e}: {answer}"));
        assert!(after.ended().is_none(), "pondering on a finished game: {answer}");
    }
    let exact = |l: &&String| l.contains(" pv ") && number(l, "multipv") == Some(1) && !l.contains("bound ");
    if let Some(line) = lines.iter().rev().find(exact) {
        assert_eq!(
            pv(line)[0],
            mv,
            "the answer is not the line's first move: {line}, {answer}"
        );
    }
}
