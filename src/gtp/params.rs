//! Parameters of the search under KataGo's names: `kata-set-param` and similar commands, the settings of the analysis protocol,
//! and the levels of strength.

use super::{CommandResult, GtpDialect, bad};
use crate::control::Engine;
use crate::game::BadInput;
use crate::games::go::levels::RANKS;
use crate::mcts::{Mcts, PLAYOUTS_A_NET_VISIT, SearchParams};
use serde_json::{Map, Value};

/// A search parameter that is a number.
pub struct NumberParam {
    name: &'static str,
    min: f64,
    max: f64,
    get: fn(&SearchParams) -> f32,
    set: fn(&mut SearchParams, f32),
}

macro_rules! numbers {
    ($($name:literal $field:ident $min:literal $max:literal,)*) => {
        &[$(NumberParam { name: $name, min: $min, max: $max, get: |p| p.$field, set: |p, x| p.$field = x }),*]
    };
}

/// All of them, with KataGo's ranges.
const NUMBERS: &[NumberParam] = numbers! {
    "cpuctExploration" explore 0.0 10.0,
    "cpuctExplorationBase" explore_base 10.0 100_000.0,
    "cpuctExplorationLog" explore_log 0.0 10.0,
    "cpuctUtilityStdevPrior" stdev_prior 1e-8 10.0,
    "cpuctUtilityStdevPriorWeight" stdev_prior_weight 0.0 100.0,
    "cpuctUtilityStdevScale" stdev_scale 0.0 1.0,
    "dynamicScoreCenterScale" center_scale 0.2 5.0,
    "dynamicScoreCenterZeroWeight" center_zero 0.0 1.0,
    "dynamicScoreUtilityFactor" dynamic_score 0.0 1.0,
    "fpuReductionMax" first_play 0.0 2.0,
    "lcbStdevs" lcb_stdevs 1.0 12.0,
    "minVisitPropForLCB" lcb_share 0.0 1.0,
    "noisePruneUtilityScale" prune_scale 0.001 10.0,
    "rootEndingBonusPoints" ending_points -1.0 1.0,
    "rootFpuReductionMax" root_first_play 0.0 2.0,
    "rootPolicyTemperature" root_temperature 0.01 100.0,
    "staticScoreUtilityFactor" static_score 0.0 1.0,
    "subtreeValueBiasFactor" bias 0.0 1.0,
    "subtreeValueBiasWeightExponent" bias_weight 0.0 1.0,
    "valueWeightExponent" value_weight 0.0 1.0,
    "wideRootNoise" wide_root 0.0 5.0,
};

/// The one that is a whole number.
const SYMMETRIES: &str = "rootNumSymmetriesToSample";
/// The noise at the root of `analyze` and similar commands, where moves are shown and none is played.
const ANALYSIS_NOISE: &str = "analysisWideRootNoise";
/// Its default, KataGo's.
pub const DEFAULT_ANALYSIS_NOISE: f32 = 0.04;

/// KataGo's "no limit" of visits and playouts.
const UNLIMITED: i64 = 1 << 50;
/// Limits of time from this many seconds on count as none.
const LONGEST: f64 = 1e9;
/// Most threads, as in the option.
const MOST_THREADS: i64 = 512;

/// Parameters that are options of the engine, each with the option's name.
const OPTIONS: &[(&str, &str)] = &[
    ("allowResignation", "Resign"),
    ("lagBuffer", "Move Overhead"),
    ("maxPlayouts", "Playouts"),
    ("maxTime", "Move Time Cap"),
    ("maxVisits", "Visits"),
    ("numSearchThreads", "Threads"),
    ("ponderingEnabled", "Ponder"),
];
/// Those that are on or off.
const SWITCHES: [&str; 2] = ["allowResignation", "ponderingEnabled"];

/// Levels of strength: 1 to this.
const LEVELS: i64 = 10;

/// A parameter with its new value, checked.
enum ParamChange {
    NumberParam(&'static NumberParam, f32),
    Symmetries(u32),
    AnalysisNoise(f32),
    Option(&'static str, String),
}

type Checked<T> = Result<T, String>;

fn number(name: &str, value: &str, min: f64, max: f64) -> Checked<f64> {
    let x = value.parse::<f64>().ok().filter(|x| (min..=max).contains(x));
    x.ok_or_else(|| format!("{name} must be a number from {min} to {max}, not {value:?}"))
}

fn whole(name: &str, value: &str, min: i64, max: i64) -> Checked<i64> {
    let n = value.parse::<i64>().ok().filter(|n| (min..=max).contains(n));
    n.ok_or_else(|| format!("{name} must be a whole number from {min} to {max}, not {value:?}"))
}

fn switch(name: &str, value: &str) -> Checked<bool> {
    let on = value.parse::<bool>();
    on.map_err(|_| format!("{name} must be true or false, not {value:?}"))
}

/// Sets a search parameter by its name in KataGo's configuration: `Ok(false)` for an unknown name.
pub fn set(params: &mut SearchParams, name: &str, value: &str) -> Checked<bool> {
    if name == SYMMETRIES {
        params.root_symmetries = whole(name, value, 1, 8)? as u32;
        return Ok(true);
    }
    let Some(known) = NUMBERS.iter().find(|n| n.name == name) else {
        return Ok(false);
    };
    (known.set)(params, number(name, value, known.min, known.max)? as f32);
    Ok(true)
}

/// Checks a value without setting it.
fn check(engine: &Mcts, name: &str, value: &str) -> Checked<ParamChange> {
    if let Some(known) = NUMBERS.iter().find(|n| n.name == name) {
        return Ok(ParamChange::NumberParam(
            known,
            number(name, value, known.min, known.max)? as f32,
        ));
    }
    let text = match name {
        SYMMETRIES => return Ok(ParamChange::Symmetries(whole(name, value, 1, 8)? as u32)),
        ANALYSIS_NOISE => return Ok(ParamChange::AnalysisNoise(number(name, value, 0.0, 5.0)? as f32)),
        "maxVisits" | "maxPlayouts" => match whole(name, value, 1, UNLIMITED)? {
            UNLIMITED => 0,
            n => n,
        },
        "maxTime" => match number(name, value, 0.001, 1e20)? {
            seconds if seconds > LONGEST => 0,
            seconds => (seconds * 1000.0).round() as i64,
        },
        "lagBuffer" => (number(name, value, 0.0, 10.0)? * 1000.0).round() as i64,
        "numSearchThreads" => whole(name, value, 1, MOST_THREADS)?,
        "allowResignation" if switch(name, value)? => match engine.options().spin("Resign") {
            0 => default_of(engine, "Resign"),
            now => now,
        },
        "allowResignation" => 0,
        "ponderingEnabled" => return Ok(ParamChange::Option("Ponder", switch(name, value)?.to_string())),
        _ => return Err(format!("no such parameter: {name:?}; kata-list-params names them all")),
    };
    let option = OPTIONS
        .iter()
        .find(|(n, _)| *n == name)
        .map_or("", |(_, option)| option);
    Ok(ParamChange::Option(option, text.to_string()))
}

/// A fraction as JSON writes it, with its point.
fn fraction(x: impl std::fmt::Debug) -> String {
    format!("{x:?}")
}

/// The value of a number option at start.
fn default_of(engine: &Mcts, option: &str) -> i64 {
    let text = engine.options().get(option).map(|o| o.default.text());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

impl GtpDialect {
    /// A parameter's value as JSON; nothing where there is none of this name.
    fn param(&self, engine: &Mcts, name: &str) -> Option<String> {
        let params = engine.params();
        if let Some(known) = NUMBERS.iter().find(|n| n.name == name) {
            return Some(fraction((known.get)(params)));
        }
        if name == SYMMETRIES {
            return Some(params.root_symmetries.to_string());
        }
        if name == ANALYSIS_NOISE {
            return Some(fraction(self.analysis_noise));
        }
        let (_, option) = OPTIONS.iter().find(|(n, _)| *n == name)?;
        let now = engine.options().spin(option);
        Some(match (name, now) {
            ("allowResignation", _) => (now > 0).to_string(),
            ("ponderingEnabled", _) => engine.options().check(option).to_string(),
            ("maxTime", 0) => "1e+20".into(),
            ("maxTime" | "lagBuffer", _) => fraction(now as f64 / 1000.0),
            ("maxVisits" | "maxPlayouts", 0) => UNLIMITED.to_string(),
            _ => now.to_string(),
        })
    }

    /// Sets all of the parameters or, on an error, none.
    fn set_params(&mut self, engine: &mut Mcts, pairs: &[(String, String)]) -> Checked<()> {
        let mut changes = Vec::new();
        for (name, value) in pairs {
            changes.push(check(engine, name, value)?);
        }
        let mut params = *engine.params();
        let mut noise = self.analysis_noise;
        let mut former: Vec<(&str, String)> = Vec::new();
        let mut searched = false;
        for change in changes {
            match change {
                ParamChange::NumberParam(known, x) => (known.set)(&mut params, x),
                ParamChange::Symmetries(n) => params.root_symmetries = n,
                ParamChange::AnalysisNoise(x) => noise = x,
                ParamChange::Option(option, value) => {
                    let was = engine.options().get(option).map(|o| o.value.text());
                    if was.as_ref() == Some(&value) {
                        continue;
                    }
                    if let Err(why) = engine.set_option(option, Some(&value)) {
                        for (option, was) in former {
                            let _ = engine.set_option(option, Some(&was));
                        }
                        return Err(why.text().to_string());
                    }
                    former.extend(was.map(|was| (option, was)));
                    continue;
                }
            }
            searched = true;
        }
        self.analysis_noise = noise;
        if searched {
            engine.set_params(params);
            // The tree was searched with other parameters.
            engine.new_game();
        }
        Ok(())
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    let options = OPTIONS.iter().map(|(name, _)| *name);
    let numbers = NUMBERS.iter().map(|n| n.name);
    let mut all: Vec<&str> = options.chain(numbers).chain([SYMMETRIES, ANALYSIS_NOISE]).collect();
    all.sort_unstable();
    all.into_iter()
}

/// Whether a parameter is on or off.
pub fn is_switch(name: &str) -> bool {
    SWITCHES.contains(&name)
}

/// All parameters, one a line, as GoGui's dialog of parameters takes them.
pub fn typed(gtp: &GtpDialect, engine: &Mcts) -> String {
    let line = |name: &str| match gtp.param(engine, name).unwrap_or_default().as_str() {
        "true" => format!("[bool] {name} 1"),
        "false" => format!("[bool] {name} 0"),
        value => format!("[string] {name} {value}"),
    };
    names().map(line).collect::<Vec<_>>().join("\n")
}

/// `kata-list-params`: all names in one line.
pub fn list(_: &mut GtpDialect, _: &Mcts, _: &[&str]) -> CommandResult {
    Ok(names().collect::<Vec<_>>().join(" "))
}

/// `kata-get-param NAME`.
pub fn get(gtp: &mut GtpDialect, engine: &Mcts, args: &[&str]) -> CommandResult {
    let [name] = *args else {
        return bad("expected the name of a parameter; kata-list-params names them all");
    };
    let value = gtp.param(engine, name);
    value.map_or_else(
        || bad(format!("no such parameter: {name:?}; kata-list-params names them all")),
        Ok,
    )
}

/// `kata-get-params`: all values as a JSON object.
pub fn get_all(gtp: &mut GtpDialect, engine: &Mcts, _: &[&str]) -> CommandResult {
    let value = |name: &str| {
        let text = gtp.param(engine, name)?;
        Some((name.to_string(), serde_json::from_str(&text).ok()?))
    };
    let all: Map<String, Value> = names().filter_map(value).collect();
    Ok(Value::Object(all).to_string())
}

/// `kata-set-param NAME VALUE`.
pub fn set_one(gtp: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let [name, value] = *args else {
        return bad("Could not set params: expected a name and a value");
    };
    change(gtp, engine, &[(name.to_string(), value.to_string())])
}

/// `kata-set-params {"NAME":VALUE,..}`: all of them or none.
pub fn set_all(gtp: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    let Ok(Value::Object(all)) = serde_json::from_str(&args.join(" ")) else {
        return bad("Could not set params: expected a JSON object of names and values");
    };
    let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let pairs: Vec<(String, String)> = all.into_iter().map(|(name, value)| (name, text(value))).collect();
    change(gtp, engine, &pairs)
}

fn change(gtp: &mut GtpDialect, engine: &mut Mcts, pairs: &[(String, String)]) -> CommandResult {
    match gtp.set_params(engine, pairs) {
        Ok(()) => Ok(String::new()),
        Err(why) => bad(format!("Could not set params: {why}")),
    }
}

/// `level N`, as in gnugo: sets the visits of a move, from 1 at level 1, twice as many at each further level.
pub fn level(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    set_level(engine, &args.join(" "))?;
    Ok(String::new())
}

/// Sets the visits of a level of strength.
pub fn set_level(engine: &mut Mcts, text: &str) -> Result<(), BadInput> {
    let level = whole("level", text, 1, LEVELS).map_err(BadInput::new)?;
    let each = if engine.has_network() {
        1_u64
    } else {
        PLAYOUTS_A_NET_VISIT
    };
    let visits = each << (level - 1);
    engine.set_option("Visits", Some(&visits.to_string()))
}

/// `nguky-rank RANK`: plays at a rank from here on, `full` for full strength.
pub fn rank(_: &mut GtpDialect, engine: &mut Mcts, args: &[&str]) -> CommandResult {
    set_rank(engine, &args.join(" "))?;
    Ok(String::new())
}

/// Sets the rank of strength.
pub fn set_rank(engine: &mut Mcts, text: &str) -> Result<(), BadInput> {
    engine.set_option("Rank", Some(text)).map_err(|_| {
        let [first, .., last] = RANKS;
        BadInput::new(format!("rank must be from {first} to {last}, or full, not {text:?}"))
    })
}
