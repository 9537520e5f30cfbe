//! KataGo's analysis protocol, as KaTrain speaks it: one JSON object a line in, and one a line out for each position.
//!
//! Written from the protocol's documentation (`docs/Analysis_Engine.md` of KataGo). Queries wait in a queue by
//! priority; one position is searched at a time, by all threads of the engine.

mod config;
mod query;
mod report;

use crate::control::{Engine, Limits, Report, Sink, TimeControl};
use crate::mcts::Mcts;
use crate::protocol::lines::next_line;
pub use config::Arguments;
use query::{Asked, Problem, Query, Request};
pub use query::{Perspective, Settings};
use serde_json::{Map, Value, json};
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Positions that may wait; more are refused.
const LONGEST_QUEUE: usize = 100_000;

/// A JSON object.
type Object = Map<String, Value>;

/// What the loop waits for.
enum Event {
    Line(String),
    End,
    /// The search with this number has ended.
    Done(u64),
}

/// The search that runs.
struct Running {
    request: Request,
    number: u64,
    next_report: Option<Instant>,
}

/// One conversation.
struct Service {
    engine: Mcts,
    settings: Settings,
    out: Box<dyn Write>,
    send: Sender<Event>,
    queue: Vec<Request>,
    running: Option<Running>,
    /// Requests and searches so far.
    count: u64,
    quit: bool,
}

/// Serves lines of `input` until it ends, and then what still waits.
pub fn serve(engine: Mcts, settings: Settings, input: impl BufRead + Send + 'static, out: Box<dyn Write>) {
    let (send, events) = channel();
    let reader = send.clone();
    std::thread::spawn(move || {
        let mut input = input;
        while let Some(line) = next_line(&mut input) {
            if reader.send(Event::Line(line)).is_err() {
                return;
            }
        }
        let _ = reader.send(Event::End);
    });
    let mut service = Service {
        engine,
        settings,
        out,
        send,
        queue: Vec::new(),
        running: None,
        count: 0,
        quit: false,
    };
    service.run(&events);
}

impl Service {
    fn run(&mut self, events: &Receiver<Event>) {
        let mut ended = false;
        while !self.quit {
            self.start_next();
            if ended && self.running.is_none() {
                break;
            }
            let due = self.running.as_ref().and_then(|r| r.next_report);
            let event = match due {
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => events.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            match event {
                Ok(Event::Line(line)) => self.line(&line),
                Ok(Event::End) if self.settings.quit_at_once => break,
                Ok(Event::End) => ended = true,
                Ok(Event::Done(number)) => self.finish(number),
                Err(RecvTimeoutError::Timeout) => self.report_progress(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.engine.stop();
        self.engine.wait();
    }

    fn say(&mut self, value: &Value) {
        let text = format!("{value}\n");
        if self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush())
            .is_err()
        {
            self.quit = true;
        }
    }

    fn line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let object = match serde_json::from_str(line) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return self.say(&json!({"error": "Request line was valid json but was not an object, ignoring"})),
            Err(e) => return self.say(&json!({"error": format!("Could not parse input line as json request: {e}")})),
        };
        let Some(id) = object.get("id").and_then(Value::as_str).map(str::to_string) else {
            return self.say(&json!({"error": "Request must have a string \"id\" field"}));
        };
        let done = match object.get("action") {
            Some(action) => match action.as_str() {
                Some(name) => self.action(name, &id, &object),
                None => Err(Problem::new("action", "Must be a string")),
            },
            None => self.query(&id, &object),
        };
        if let Err(problem) = done {
            self.say(&json!({"error": problem.text, "field": problem.field, "id": id}));
        }
    }

    fn action(&mut self, name: &str, id: &str, object: &Object) -> Result<(), Problem> {
        let mut answer = object.clone();
        match name {
            "query_version" => {
                // Clients compare the number with KataGo's: this is the version whose protocol is spoken.
                answer.insert("version".into(), json!("1.16.0"));
                answer.insert("git_hash".into(), json!(concat!("nguky-", env!("CARGO_PKG_VERSION"))));
            }
            "query_models" => {
                let name = self.engine.network_name();
                let models = name.map(|name| {
                    json!([{"name": name, "internalName": name, "maxBatchSize": 1, "usesHumanSLProfile": false,
                            "usingFP16": "false"}])
                });
                answer.insert("models".into(), models.unwrap_or_else(|| json!([])));
            }
            "clear_cache" => {
                if self.running.is_none() {
                    self.engine.new_game();
                }
                self.engine.clear_cache();
            }
            "terminate" | "terminate_all" => {
                let turns = query::turns(object, "turnNumbers")?;
                let whose = match (name, object.get("terminateId").map(Value::as_str)) {
                    ("terminate_all", _) => None,
                    (_, Some(Some(id))) => Some(id.to_string()),
                    _ => {
                        return Err(Problem::new(
                            "terminateId",
                            "Must be a string: the id of the query to terminate",
                        ));
                    }
                };
                self.terminate(whose.as_deref(), turns.as_deref());
            }
            _ => {
                let known = "query_version, query_models, clear_cache, terminate, terminate_all";
                return Err(Problem::new(
                    "action",
                    format!("Unknown action {name:?}; expected one of {known}"),
                ));
            }
        }
        debug_assert_eq!(answer.get("id").and_then(Value::as_str), Some(id));
        self.say(&Value::Object(answer));
        Ok(())
    }

    fn terminate(&mut self, id: Option<&str>, turns: Option<&[u64]>) {
        let meant = |r: &Request| {
            id.is_none_or(|id| r.query.id == id) && turns.is_none_or(|turns| turns.contains(&(r.turn as u64)))
        };
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.queue).into_iter().partition(meant);
        self.queue = kept;
        for request in gone {
            self.say(&report::nothing(&request));
        }
        if self.running.as_ref().is_some_and(|r| meant(&r.request)) {
            self.engine.stop();
        }
    }

    fn query(&mut self, id: &str, object: &Object) -> Result<(), Problem> {
        let Asked { query, turns, warnings } = Query::read(id, object, &self.settings)?;
        if self.queue.len() + turns.len() > LONGEST_QUEUE {
            return Err(Problem::new(
                "id",
                format!("More than {LONGEST_QUEUE} positions are waiting"),
            ));
        }
        for problem in warnings {
            self.say(&json!({"warning": problem.text, "field": problem.field, "id": id}));
        }
        let query = Arc::new(query);
        for (turn, priority) in turns {
            self.count += 1;
            self.queue.push(Request {
                query: query.clone(),
                turn,
                priority,
                number: self.count,
            });
        }
        Ok(())
    }

    /// Starts the most urgent request, if none runs: by priority, and the earlier of equals.
    fn start_next(&mut self) {
        while self.running.is_none() && !self.quit {
            let most = (0..self.queue.len()).max_by_key(|&i| {
                let request = self.queue.get(i);
                request.map(|r| (r.priority, std::cmp::Reverse(r.number)))
            });
            let Some(i) = most else { return };
            let request = self.queue.swap_remove(i);
            if let Err(why) = self.start(request.clone()) {
                self.say(&json!({"error": why, "id": request.query.id, "turnNumber": request.turn}));
                self.say(&report::nothing(&request));
            }
        }
    }

    fn start(&mut self, request: Request) -> Result<(), String> {
        let game = request.query.position(request.turn).map_err(|e| e.text().to_string())?;
        self.engine.set_game(game);
        self.engine.set_params(request.query.params);
        self.engine.set_bans(request.query.bans.clone());
        // Each position is searched from nothing, so that a query's answer does not depend on those before it.
        self.engine.new_game();
        self.count += 1;
        let number = self.count;
        let send = Mutex::new(self.send.clone());
        let sink: Sink = Arc::new(move |report| {
            if let Report::Best { .. } = report
                && let Ok(send) = send.lock()
            {
                let _ = send.send(Event::Done(number));
            }
        });
        let mut limits = Limits::nodes(request.query.visits);
        if let Some(time) = request.query.time {
            limits.time = TimeControl::MoveTime(time);
        }
        self.engine.go(limits, sink).map_err(|e| e.text().to_string())?;
        let next_report = request
            .query
            .first_report
            .and_then(|after| Instant::now().checked_add(after));
        self.running = Some(Running {
            request,
            number,
            next_report,
        });
        Ok(())
    }

    fn finish(&mut self, number: u64) {
        let Some(running) = self.running.take_if(|r| r.number == number) else {
            return;
        };
        self.engine.wait();
        let answer = report::position(&running.request, &self.engine, false);
        self.say(&answer.unwrap_or_else(|| report::nothing(&running.request)));
        // A long wait holds no tree.
        self.engine.set_bans(Vec::new());
    }

    fn report_progress(&mut self) {
        let Some(running) = &mut self.running else { return };
        let every = running.request.query.report_every.unwrap_or(Duration::MAX);
        running.next_report = Instant::now().checked_add(every);
        let answer = report::position(&running.request, &self.engine, true);
        if let Some(answer) = answer {
            self.say(&answer);
        }
    }
}

#[cfg(test)]
mod tests;
