//! KataGo's analysis protocol, as KaTrain speaks it: one JSON object a line in, and one a line out for each position.
//!
//! Written from the protocol's documentation (`docs/Analysis_Engine.md` of KataGo). Queries wait in a queue by
//! priority; one position is searched at a time, by all threads of the engine.

mod config;
mod query;
mod report;

use crate::control::{Engine, Limits, Report, TimeControl};
use crate::mcts::Mcts;
use crate::protocol::session::{Dialect, Flow, InputLine, Session, Urgency};
pub use config::Arguments;
use query::{ParsedQuery, Problem, Query, QueuedPosition};
pub use query::{Perspective, Settings};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Positions that may wait; more are refused.
const LONGEST_QUEUE: usize = 100_000;

/// A JSON object.
type Object = Map<String, Value>;

/// The position that is searched.
struct Active {
    position: QueuedPosition,
    next_report: Option<Instant>,
}

/// The dialect's state.
pub struct KataAnalysis {
    settings: Settings,
    queue: Vec<QueuedPosition>,
    active: Option<Active>,
    /// Positions queued so far.
    count: u64,
}

fn send(value: &Value, s: &mut Session<Mcts>) {
    s.send(&value.to_string());
}

impl Dialect<Mcts> for KataAnalysis {
    /// Queries wait in the dialect's own queue, by priority.
    fn urgency(&self, _: &InputLine) -> Urgency {
        Urgency::Now
    }

    fn act(&mut self, line: &InputLine, s: &mut Session<Mcts>) -> Flow {
        self.line(line.text, s);
        self.start_next(s);
        Flow::Continue(())
    }

    fn show(&mut self, report: &Report, s: &mut Session<Mcts>) {
        if let Report::Best { .. } = report {
            self.finish(s);
            self.start_next(s);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match &self.active {
            Some(active) => active.next_report,
            // After a fault the queue goes on.
            None => (!self.queue.is_empty()).then(Instant::now),
        }
    }

    fn tick(&mut self, s: &mut Session<Mcts>) {
        if self.active.is_some() {
            self.report_progress(s);
        } else {
            self.start_next(s);
        }
    }

    fn fault(&mut self, s: &mut Session<Mcts>) {
        let error = "internal fault: the request was dropped";
        match self.active.take_if(|_| !s.searching()) {
            Some(Active { position, .. }) => {
                send(
                    &json!({"error": error, "id": position.query.id, "turnNumber": position.turn}),
                    s,
                );
                send(&report::no_results(&position), s);
            }
            None => send(&json!({"error": error}), s),
        }
    }

    fn input_ended(&mut self, s: &mut Session<Mcts>) {
        if self.settings.quit_at_once {
            self.queue.clear();
            self.active = None;
            s.stop();
        }
    }
}

impl KataAnalysis {
    /// A dialect with defaults for queries.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            queue: Vec::new(),
            active: None,
            count: 0,
        }
    }

    fn line(&mut self, line: &str, s: &mut Session<Mcts>) {
        if line.trim().is_empty() {
            return;
        }
        let object = match serde_json::from_str(line) {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                return send(
                    &json!({"error": "Request line was valid json but was not an object, ignoring"}),
                    s,
                );
            }
            Err(e) => {
                return send(
                    &json!({"error": format!("Could not parse input line as json request: {e}")}),
                    s,
                );
            }
        };
        let Some(id) = object.get("id").and_then(Value::as_str).map(str::to_string) else {
            return send(&json!({"error": "Request must have a string \"id\" field"}), s);
        };
        let done = match object.get("action") {
            Some(action) => match action.as_str() {
                Some(name) => self.action(name, &object, s),
                None => Err(Problem::new("action", "Must be a string")),
            },
            None => self.query(&id, &object, s),
        };
        if let Err(problem) = done {
            send(&json!({"error": problem.text, "field": problem.field, "id": id}), s);
        }
    }

    fn action(&mut self, name: &str, object: &Object, s: &mut Session<Mcts>) -> Result<(), Problem> {
        let mut answer = object.clone();
        match name {
            "query_version" => {
                // Clients compare the number with KataGo's: this is the version whose protocol is spoken.
                answer.insert("version".into(), json!("1.16.0"));
                answer.insert("git_hash".into(), json!(concat!("nguky-", env!("CARGO_PKG_VERSION"))));
            }
            "query_models" => {
                let name = s.engine.network_name();
                let models = name.map(|name| {
                    json!([{"name": name, "internalName": name, "maxBatchSize": 1, "usesHumanSLProfile": false,
                            "usingFP16": "false"}])
                });
                answer.insert("models".into(), models.unwrap_or_else(|| json!([])));
            }
            "clear_cache" => {
                if !s.searching() {
                    s.engine.new_game();
                }
                s.engine.clear_cache();
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
                self.terminate(whose.as_deref(), turns.as_deref(), s);
            }
            _ => {
                let known = "query_version, query_models, clear_cache, terminate, terminate_all";
                return Err(Problem::new(
                    "action",
                    format!("Unknown action {name:?}; expected one of {known}"),
                ));
            }
        }
        send(&Value::Object(answer), s);
        Ok(())
    }

    fn terminate(&mut self, id: Option<&str>, turns: Option<&[u64]>, s: &mut Session<Mcts>) {
        let meant = |p: &QueuedPosition| {
            id.is_none_or(|id| p.query.id == id) && turns.is_none_or(|turns| turns.contains(&(p.turn as u64)))
        };
        for position in self.queue.extract_if(.., |p| meant(p)) {
            send(&report::no_results(&position), s);
        }
        if self.active.as_ref().is_some_and(|active| meant(&active.position)) {
            s.stop();
        }
    }

    fn query(&mut self, id: &str, object: &Object, s: &mut Session<Mcts>) -> Result<(), Problem> {
        let ParsedQuery { query, turns, warnings } = Query::read(id, object, &self.settings)?;
        if self.queue.len() + turns.len() > LONGEST_QUEUE {
            return Err(Problem::new(
                "id",
                format!("More than {LONGEST_QUEUE} positions are waiting"),
            ));
        }
        for problem in warnings {
            send(&json!({"warning": problem.text, "field": problem.field, "id": id}), s);
        }
        let query = Arc::new(query);
        for (turn, priority) in turns {
            self.count += 1;
            self.queue.push(QueuedPosition {
                query: query.clone(),
                turn,
                priority,
                number: self.count,
            });
        }
        Ok(())
    }

    /// Starts the most urgent position, if none is searched: by priority, and the earlier of equals.
    fn start_next(&mut self, s: &mut Session<Mcts>) {
        while !s.searching() {
            let most = (0..self.queue.len()).max_by_key(|&i| {
                let position = self.queue.get(i);
                position.map(|p| (p.priority, std::cmp::Reverse(p.number)))
            });
            let Some(i) = most else { return };
            let position = self.queue.swap_remove(i);
            self.active = Some(Active {
                position: position.clone(),
                next_report: None,
            });
            match start(&position, s) {
                Ok(next_report) => self.active = Some(Active { position, next_report }),
                Err(why) => {
                    self.active = None;
                    send(
                        &json!({"error": why, "id": position.query.id, "turnNumber": position.turn}),
                        s,
                    );
                    send(&report::no_results(&position), s);
                }
            }
        }
    }

    fn finish(&mut self, s: &mut Session<Mcts>) {
        s.engine.wait();
        if let Some(Active { position, .. }) = &self.active {
            let answer = report::of_position(position, &s.engine, false);
            send(&answer.unwrap_or_else(|| report::no_results(position)), s);
        }
        self.active = None;
        // The tree is freed while no query waits.
        s.engine.set_bans(Vec::new());
    }

    fn report_progress(&mut self, s: &mut Session<Mcts>) {
        let Some(active) = &mut self.active else { return };
        let every = active.position.query.report_every.unwrap_or(Duration::MAX);
        active.next_report = Instant::now().checked_add(every);
        if let Some(answer) = report::of_position(&active.position, &s.engine, true) {
            send(&answer, s);
        }
    }
}

/// Starts the search of a position; when its first report is due.
fn start(position: &QueuedPosition, s: &mut Session<Mcts>) -> Result<Option<Instant>, String> {
    let query = &position.query;
    let game = query.position(position.turn).map_err(|e| e.text().to_string())?;
    s.engine.set_game(game);
    s.engine.set_params(query.params);
    s.engine.set_bans(query.bans.clone());
    // Each position starts with an empty tree, so that a query's answer does not depend on those before it.
    s.engine.new_game();
    let mut limits = Limits::nodes(query.visits);
    if let Some(time) = query.time {
        limits.time = TimeControl::MoveTime(time);
    }
    s.search(limits).map_err(|e| e.text().to_string())?;
    Ok(query.first_report.and_then(|after| Instant::now().checked_add(after)))
}

#[cfg(test)]
mod tests;
