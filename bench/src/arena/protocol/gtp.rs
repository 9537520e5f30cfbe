//! The Go Text Protocol: a command, an answer. Who plays, what lies on the board and who won is up to the caller.

use crate::arena::heard::{Introduction, NO_NETWORK, message};
use crate::arena::pipe::Pipe;
use crate::arena::player::{Failure, Pace, START, Spec};
use anyhow::{Result, anyhow, bail};
use std::time::{Duration, Instant};

/// The reply to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GtpReply {
    /// Done, with this text.
    Yes(String),
    /// Refused, with this reason.
    No(String),
}

/// How long any answer but a move may take.
pub const SOON: Duration = Duration::from_secs(60);

/// The command of KataGo that names the networks.
const MODELS: &str = "kata-get-models";

/// A running GTP program.
pub struct GtpClient {
    pipe: Pipe,
    name: String,
    known: Vec<String>,
    /// It reads whole seconds only.
    whole: bool,
}

/// The commands that set rules, each with its name for ours, the best first. KataGo's "chinese" knows no superko; that of
/// the referee is its "chinese-ogs".
fn rules_commands(rules: &str) -> Vec<(&'static str, String)> {
    let ogs = (rules == "chinese").then(|| ("kata-set-rules", "chinese-ogs".to_string()));
    let usual = [
        ("kata-set-rules", rules.to_string()),
        ("kgs-rules", rules.replace('-', "_")),
    ];
    ogs.into_iter().chain(usual).collect()
}

impl GtpClient {
    /// Starts a program and asks for its commands. A spec's options are commands with their arguments.
    pub fn start(spec: &Spec) -> Result<Self> {
        let mut gtp = Self {
            pipe: Pipe::start(&spec.command, "quit")?,
            name: spec.name.clone(),
            known: Vec::new(),
            whole: false,
        };
        let (name, limit) = (&spec.name, spec.start.unwrap_or(START));
        match gtp.ask("list_commands", limit) {
            Ok((_, GtpReply::Yes(text))) => gtp.known = text.split_whitespace().map(str::to_string).collect(),
            Ok((_, GtpReply::No(why))) => bail!("{name} does not list its commands: {why}"),
            Err(Failure::Interrupted) => bail!("stopped while {name} was starting"),
            Err(Failure::Stall) => bail!(
                "{name} did not answer \"list_commands\" within {} s, spoken to in GTP; engines of go are spoken to in no \
                 other protocol, so see that its command starts it as a GTP engine; if it is slow to start, give it \
                 start=SECONDS",
                limit.as_secs()
            ),
            Err(Failure::Disconnect) => {
                let why = match gtp.pipe.complaint().as_str() {
                    "" => "without a word".into(),
                    line => format!("saying: {}", message(line)),
                };
                bail!("{name} ended before it answered \"list_commands\", spoken to in GTP, {why}")
            }
        }
        for (command, arguments) in &spec.options {
            if !gtp.knows(command) {
                bail!("{name} has no command {command:?}");
            }
            gtp.must(&format!("{command} {arguments}"))?;
        }
        Ok(gtp)
    }

    /// Whether it has a command.
    pub fn knows(&self, command: &str) -> bool {
        self.known.iter().any(|k| k == command)
    }

    /// Sends a command and waits for the whole answer; the time is that of its first line.
    pub fn ask(&mut self, line: &str, limit: Duration) -> Result<(Instant, GtpReply), Failure> {
        self.pipe.say(line);
        let end = Instant::now() + limit;
        let (at, first) = loop {
            let (at, line) = self.pipe.next(end)?;
            // What comes before an answer is chatter.
            if line.starts_with(['=', '?']) {
                break (at, line);
            }
        };
        let mut text = first[1..].trim_start_matches(|c: char| c.is_ascii_digit()).to_string();
        loop {
            let (_, line) = self.pipe.next(end)?;
            if line.is_empty() {
                break;
            }
            text.push('\n');
            text += &line;
        }
        let text = text.trim().to_string();
        Ok((
            at,
            if first.starts_with('=') {
                GtpReply::Yes(text)
            } else {
                GtpReply::No(text)
            },
        ))
    }

    /// Sends a command that has to succeed.
    pub fn must(&mut self, line: &str) -> Result<String> {
        match self.ask(line, SOON) {
            Ok((_, GtpReply::Yes(text))) => Ok(text),
            Ok((_, GtpReply::No(why))) => bail!("{} refuses {line:?}: {why}", self.name),
            Err(f) => Err(anyhow!("{}: no answer to {line:?} ({f:?})", self.name)),
        }
    }

    /// Prepares an empty board. Rules are set where the engine has a command for them.
    pub fn set_up(&mut self, size: usize, komi: f32, rules: &str) -> Result<()> {
        self.must(&format!("boardsize {size}"))?;
        self.must("clear_board")?;
        for (command, name) in rules_commands(rules) {
            if self.knows(command) && matches!(self.ask(&format!("{command} {name}"), SOON), Ok((_, GtpReply::Yes(_))))
            {
                break;
            }
        }
        self.must(&format!("komi {komi}"))?;
        Ok(())
    }

    /// Its name and version, and its network where a command shows it.
    pub fn introduce(&mut self) -> Result<Introduction> {
        let words = [self.must("name")?, self.must("version")?].map(|t| message(&t));
        let program = words.join(" ").trim().to_string();
        let mut network = None;
        if self.knows(MODELS) {
            let text = self.must(MODELS)?;
            let models: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            let models = models.as_array().cloned().unwrap_or_default();
            let names: Vec<&str> = models
                .iter()
                .filter_map(|m| m.get("internalName").or(m.get("name"))?.as_str())
                .collect();
            network = Some(match names.as_slice() {
                [] => NO_NETWORK.into(),
                names => format!("network {}", message(&names.join(" and "))),
            });
        }
        Ok(Introduction { program, network })
    }

    /// Sets the limit of a move. An engine without a command for it is an error.
    pub fn set_pace(&mut self, pace: Pace) -> Result<()> {
        let (main, period, stones) = match pace {
            Pace::Clock { main, increment, .. } if !increment.is_zero() && self.knows("kata-time_settings") => {
                let (main, increment) = (main.as_secs_f64(), increment.as_secs_f64());
                self.must(&format!("kata-time_settings fischer {main} {increment}"))?;
                return Ok(());
            }
            Pace::Clock {
                moves: Some(n), main, ..
            } => (Duration::ZERO, main, n),
            Pace::Clock { main, byoyomi, .. } => (main, byoyomi, u32::from(!byoyomi.is_zero())),
            Pace::MoveTime(t) => (Duration::ZERO, t, 1),
            Pace::Nodes(n) => return self.set_visits(n),
            Pace::Depth(level) => {
                if !self.knows("level") {
                    return Err(self.cannot(pace, "the command level"));
                }
                self.must(&format!("level {level}"))?;
                return Ok(());
            }
            Pace::Own => return Ok(()),
        };
        if !self.knows("time_settings") {
            return Err(self.cannot(pace, "the command time_settings"));
        }
        self.timed(|t| format!("time_settings {} {} {stones}", t(main), t(period)))
    }

    /// The error of an engine without a command for a limit.
    fn cannot(&self, pace: Pace, lacking: &str) -> anyhow::Error {
        anyhow!(
            "{} cannot be limited to {pace}: it lacks {lacking}; give it another limit, or limit=own to let it play as its \
             command line says",
            self.name
        )
    }

    /// Limits the visits of the tree, or the playouts of each search where an engine limits only these.
    fn set_visits(&mut self, n: u64) -> Result<()> {
        const PARAMETERS: [&str; 2] = ["maxVisits", "maxPlayouts"];
        if !self.knows("kata-set-param") {
            return Err(self.cannot(
                Pace::Nodes(n),
                "the command kata-set-param (for maxVisits or maxPlayouts)",
            ));
        }
        let listed = match self.knows("kata-list-params") {
            true => self.must("kata-list-params")?,
            false => PARAMETERS.join(" "),
        };
        let has = |p: &&str| listed.split_whitespace().any(|word| word == *p);
        let Some(name) = PARAMETERS.into_iter().find(has) else {
            return Err(self.cannot(Pace::Nodes(n), "maxVisits and maxPlayouts among its kata-list-params"));
        };
        self.must(&format!("kata-set-param {name} {n}"))?;
        if self.knows("kata-get-param") {
            let said = self.must(&format!("kata-get-param {name}"))?;
            if said.trim().parse() != Ok(n as f64) {
                bail!("{} was given {name} {n} and reports {said:?}", self.name);
            }
        }
        Ok(())
    }

    /// Tells what is left of a clock; `stones` is 0 in the main time.
    pub fn tell_left(&mut self, colour: char, time: Duration, stones: u32) -> Result<()> {
        if !self.knows("time_left") {
            return Ok(());
        }
        self.timed(|t| format!("time_left {colour} {} {stones}", t(time)))
    }

    /// Sends times with fractions, and in whole seconds to those who do not read them.
    fn timed(&mut self, line: impl Fn(&dyn Fn(Duration) -> String) -> String) -> Result<()> {
        if !self.whole {
            let exact = line(&|t| format!("{}", t.as_millis() as f64 / 1000.0));
            match self.ask(&exact, SOON) {
                Ok((_, GtpReply::Yes(_))) => return Ok(()),
                Ok((_, GtpReply::No(_))) => self.whole = true,
                Err(f) => bail!("{}: no answer to {exact:?} ({f:?})", self.name),
            }
        }
        self.must(&line(&|t| t.as_secs().to_string())).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::rules_commands;

    #[test]
    fn katago_is_told_of_the_superko() {
        let told = |rules| -> Vec<String> { rules_commands(rules).iter().map(|(c, n)| format!("{c} {n}")).collect() };
        let chinese = [
            "kata-set-rules chinese-ogs",
            "kata-set-rules chinese",
            "kgs-rules chinese",
        ];
        assert_eq!(told("chinese"), chinese);
        assert_eq!(
            told("new-zealand"),
            ["kata-set-rules new-zealand", "kgs-rules new_zealand"]
        );
    }
}
