use super::*;
use crate::control::{Choice, Pool, Signal};
use crate::game::Side;
use crate::util::sync::{under_many_schedules, yield_now};
use std::sync::{Barrier, Mutex, atomic::AtomicBool};

/// Output that a test can read.
#[derive(Clone, Default)]
pub(crate) struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Buffer {
    /// All that was written.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn lines(&self) -> Vec<String> {
        self.text().lines().map(str::to_string).collect()
    }
}

/// An engine that answers at once where it has a limit other than a number of nodes, else at its stop.
#[derive(Default)]
struct Instantly {
    options: Options,
    sink: Mutex<Option<Sink>>,
    /// Where it searches; the thread that asks without it.
    pool: Option<Pool>,
    signal: Arc<Signal>,
}

impl Instantly {
    /// One that searches on a thread of its own, as the engines do.
    fn threaded() -> Self {
        Self {
            pool: Some(Pool::new(1).expect("one thread")),
            ..Self::default()
        }
    }
}

/// The last report of a search.
const ANSWER: Report = Report::Best {
    choice: Choice::Nothing,
    ponder: None,
    draw: false,
};

impl Engine for Instantly {
    fn options(&self) -> &Options {
        &self.options
    }
    fn set_option(&mut self, _: &str, _: Option<&str>) -> Result<(), BadInput> {
        Ok(())
    }
    fn new_game(&mut self) {}
    fn position(&mut self, _: Option<&str>, _: &[&str]) -> Result<(), BadInput> {
        Ok(())
    }
    fn go(&mut self, limits: Limits, sink: Sink) -> Result<(), BadInput> {
        if let Some(pool) = &mut self.pool {
            pool.wait();
            let signal = self.signal.clone();
            signal.begin(Instant::now(), limits.ponder);
            pool.run(0, move || {
                if limits.ponder || limits.infinite || limits.nodes.is_some() {
                    signal.await_release(!limits.ponder);
                }
                sink(ANSWER);
            });
            return Ok(());
        }
        *self.sink.lock().unwrap() = Some(sink);
        if !limits.infinite && limits.nodes.is_none() {
            self.stop();
        }
        Ok(())
    }
    fn stop(&self) {
        self.signal.stop();
        if let Some(sink) = self.sink.lock().unwrap().take() {
            sink(ANSWER);
        }
    }
    fn ponderhit(&self) {
        self.signal.ponderhit();
    }
    fn wait(&mut self) {
        self.pool.iter_mut().for_each(Pool::wait);
    }
    fn side(&self) -> Side {
        Side::First
    }
    fn is_legal(&self, _: &str) -> bool {
        false
    }
    fn picture(&self) -> String {
        String::new()
    }
    fn setup(&self) -> String {
        String::new()
    }
    fn explain(&mut self) -> String {
        String::new()
    }
    fn perft(&self, _: u32, _: usize, _: &AtomicBool) -> Vec<(String, u64)> {
        Vec::new()
    }
    fn bench(&mut self, _: u32, _: &mut dyn FnMut(usize, u64)) -> (u64, f64) {
        (0, 0.0)
    }
    fn openings(&mut self, _: usize, _: u64) -> Vec<String> {
        Vec::new()
    }
}

/// Echoes lines, and does what some of them say.
#[derive(Default)]
struct Echo {
    due: Option<Instant>,
    panics_at_the_answer: bool,
}

impl Dialect for Echo {
    fn urgency(&self, line: &InputLine) -> Urgency {
        match line.words.first() {
            Some(&("now" | "leave")) => Urgency::Now,
            Some(&"turn") => Urgency::InTurn,
            Some(&("stop" | "hit")) => Urgency::Search,
            _ => Urgency::Idle,
        }
    }

    fn act(&mut self, line: &InputLine, session: &mut Session) -> Flow {
        session.send(line.text);
        let limits = |infinite| Limits {
            infinite,
            ..Limits::default()
        };
        match line.words.as_slice() {
            ["go"] => session.search(limits(false)).unwrap(),
            ["endless"] => session.search(limits(true)).unwrap(),
            ["long"] => {
                let nodes = Some(u64::MAX);
                session.search(Limits { nodes, ..limits(false) }).unwrap();
            }
            ["job"] => {
                // It lasts until the lines behind it are there.
                let arrived = Barrier::new(2);
                let seen = |line: &InputLine| {
                    if line.text == "end" {
                        arrived.wait();
                        return DuringJob::Answered("ended");
                    }
                    DuringJob::Waits
                };
                session.lend(seen, |_, _, _| _ = arrived.wait());
            }
            ["ponder"] => {
                let ponder = true;
                session
                    .search(Limits {
                        ponder,
                        ..limits(false)
                    })
                    .unwrap();
            }
            ["hit"] => session.ponderhit(None),
            ["count"] => {
                let stops = |line: &InputLine| match line.text {
                    "stop" => DuringJob::Ends,
                    _ => DuringJob::Waits,
                };
                session.lend(stops, |_, send, halt| {
                    while !halt.load(Relaxed) {
                        yield_now();
                    }
                    send("counted".into());
                });
            }
            ["stop"] => session.stop(),
            ["timer"] => self.due = Some(Instant::now()),
            ["panic"] => panic!("a line"),
            ["panic", "later"] => self.panics_at_the_answer = true,
            ["quit" | "leave"] => return Flow::Break(()),
            _ => {}
        }
        Flow::Continue(())
    }

    fn show(&mut self, _: &Report, session: &mut Session) {
        assert!(!std::mem::take(&mut self.panics_at_the_answer), "an answer");
        session.send("answer");
    }

    fn deadline(&self) -> Option<Instant> {
        self.due
    }

    fn tick(&mut self, session: &mut Session) {
        session.send("tick");
        self.due = None;
        if self.panics_at_the_answer {
            panic!("a timer");
        }
    }

    fn fault(&mut self, session: &mut Session) {
        session.send("fault");
    }

    fn farewell(&mut self, session: &mut Session) {
        session.send("bye");
    }
}

/// The output of a session with arguments and an input that ends.
fn talk(arguments: &[&str], input: &str) -> Vec<String> {
    talk_to(Instantly::default(), arguments, input)
}

fn talk_to(engine: Instantly, arguments: &[&str], input: &str) -> Vec<String> {
    let out = Buffer::default();
    let mut session: Session = Session::new(Box::new(engine), Box::new(out.clone()));
    let arguments = arguments.iter().map(|a| (*a).to_string()).collect();
    session.run(&mut Echo::default(), arguments, std::io::Cursor::new(input.to_string()));
    out.lines()
}

#[test]
fn lines_wait_for_a_search_by_their_urgency() {
    // The answer is in the inbox behind the lines.
    let mut session: Session = Session::new(Box::new(Instantly::default()), Box::new(std::io::sink()));
    let mut echo = Echo::default();
    let out = Buffer::default();
    session.output.out = Box::new(out.clone());
    for line in ["go", "turn 1", "idle", "turn 2", "now", "stop"] {
        assert!(session.line(&mut echo, line).is_continue());
    }
    assert_eq!(out.lines(), ["go", "turn 1", "now", "stop"]);
    while session.searching() {
        assert!(session.step(&mut echo).is_continue());
    }
    assert_eq!(out.lines()[4..], ["answer", "idle", "turn 2", "stop"]);
}

#[test]
fn any_waiting_line_ends_an_endless_search() {
    assert_eq!(talk(&[], "endless\nidle\n"), ["endless", "answer", "idle"]);
    assert_eq!(
        talk(&[], "endless\nstop\nidle\n"),
        ["endless", "stop", "answer", "idle"]
    );
    assert_eq!(
        talk(&[], "endless\n"),
        ["endless", "answer"],
        "the input's end does, too"
    );
}

#[test]
fn many_lines_wait() {
    let lines: Vec<String> = (0..5000).map(|i| format!("line {i}")).collect();
    let out = talk(&[], &format!("endless\n{}\nquit\nnever\n", lines.join("\n")));
    assert_eq!(out[..3], ["endless", "answer", "line 0"]);
    assert_eq!(out[out.len() - 3..], ["line 4999", "quit", "bye"]);
}

#[test]
fn a_quit_ends_a_search_with_its_answer() {
    assert_eq!(
        talk(&["endless", "quit"], "never\n"),
        ["endless", "answer", "quit", "bye"]
    );
    assert_eq!(talk(&[], "quit\n"), ["quit", "bye"]);
}

#[test]
fn a_panic_costs_one_line() {
    assert_eq!(talk(&[], "panic\nidle\n"), ["panic", "fault", "idle"]);
    assert_eq!(
        talk(&[], "panic later\ngo\nidle\n"),
        ["panic later", "go", "fault", "idle"]
    );
    assert_eq!(
        talk(&[], "panic later\ntimer\n"),
        ["panic later", "timer", "tick", "fault"]
    );
}

#[test]
fn timers_are_waited_for() {
    assert_eq!(talk(&[], "timer\n"), ["timer", "tick"]);
}

/// An output that nobody reads any more.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_output_ends_the_session() {
    let mut session: Session = Session::new(Box::new(Instantly::default()), Box::new(Closed));
    // The input stays open.
    let (send, lines) = channel::<u8>();
    struct Open(Receiver<u8>);
    impl std::io::Read for Open {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            match self.0.recv() {
                Ok(byte) => {
                    out[0] = byte;
                    Ok(1)
                }
                Err(_) => Ok(0),
            }
        }
    }
    b"endless\n".iter().for_each(|&byte| send.send(byte).unwrap());
    session.run(&mut Echo::default(), Vec::new(), BufReader::new(Open(lines)));
    drop(send);
}

/// Lines that came while a job had the engine: those that end searches, and those that never wait, do so behind lines that wait.
#[test]
fn lines_kept_by_a_job_act_as_if_they_came_after_it() {
    let out = talk(&[], "job\nlong\nidle\nnow\nstop\nidle\nend\n");
    let wanted = ["job", "ended", "long", "now", "stop", "answer", "idle", "stop", "idle"];
    assert_eq!(out, wanted);
    let out = talk(&[], "job\nlong\nidle\nleave\nend\n");
    assert_eq!(out, ["job", "ended", "long", "leave", "answer", "bye"]);
}

/// The stop that was sent after both searches ends the second one, too, though a line between them waits.
#[test]
fn a_stop_ends_every_search_before_it() {
    let out = talk(&[], "long\nidle\nlong\nidle\nstop\n");
    assert_eq!(
        out,
        [
            "long", "stop", "answer", "idle", "long", "stop", "answer", "idle", "stop"
        ]
    );
}

/// Whatever the schedule of reader, session, search and job: each search is answered once, what waits for it comes after its
/// answer, every line acts, and the session ends.
#[test]
fn no_schedule_loses_a_line_or_an_answer() {
    for script in [
        "endless",
        "go idle long stop idle",
        "long turn stop go quit",
        "long idle long stop now",
        "endless idle endless stop go quit",
        "ponder hit idle go",
        "ponder stop ponder idle hit",
        "count stop idle",
        "count long idle stop now",
        "go count go stop quit",
    ] {
        under_many_schedules(if cfg!(miri) { 1 } else { 20 }, move || {
            let out = talk_to(Instantly::threaded(), &[], &script.replace(' ', "\n"));
            let mut searching = false;
            for line in &out {
                match line.as_str() {
                    "go" | "long" | "endless" | "ponder" => {
                        assert!(!std::mem::replace(&mut searching, true), "{out:?}")
                    }
                    "answer" => assert!(std::mem::take(&mut searching), "{out:?}"),
                    "idle" | "count" | "counted" => assert!(!searching, "{out:?}"),
                    _ => {}
                }
            }
            assert!(!searching, "{out:?}");
            let times = |lines: &mut dyn Iterator<Item = &str>, word| lines.filter(|line| *line == word).count();
            for word in script.split(' ') {
                let (given, acted) = (
                    times(&mut script.split(' '), word),
                    times(&mut out.iter().map(String::as_str), word),
                );
                // A stop or a hit acts on the search that runs and, behind a line that waits, again in its turn.
                assert!(
                    acted == given || acted > given && matches!(word, "stop" | "hit"),
                    "{word}: {out:?}"
                );
            }
        });
    }
}
