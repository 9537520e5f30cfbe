//! Parsing of queries, and their errors.

use super::Object;
use crate::game::{BadInput, Side};
use crate::games::go::types::{EMPTY, PASS, Point, colour};
use crate::games::go::{Board, Game, Rules, coords};
use crate::gtp::{params, rules};
use crate::mcts::{Ban, SearchParams};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// An error or a warning about a field of a query.
#[derive(Debug)]
pub struct Problem {
    pub field: String,
    pub text: String,
}

impl Problem {
    pub fn new(field: &str, text: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            text: text.into(),
        }
    }
}

type Parsed<T> = Result<T, Problem>;

/// Whose perspective values are reported from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perspective {
    /// Black's, always.
    Black,
    /// White's, always.
    White,
    /// That of the side to move.
    SideToMove,
}

impl Perspective {
    /// The perspective of a name, as in `reportAnalysisWinratesAs`.
    pub fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_uppercase().as_str() {
            "BLACK" | "B" => Some(Self::Black),
            "WHITE" | "W" => Some(Self::White),
            "SIDETOMOVE" => Some(Self::SideToMove),
            _ => None,
        }
    }

    /// Whether values of the side to move change their sign.
    pub fn flips(self, turn: Side) -> bool {
        match self {
            Self::Black => turn == Side::Second,
            Self::White => turn == Side::First,
            Self::SideToMove => false,
        }
    }
}

/// Defaults for queries.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Visits of a position.
    pub visits: u64,
    /// Most time for a position.
    pub time: Option<Duration>,
    /// Whose perspective values are reported from.
    pub perspective: Perspective,
    /// Length of principal variations, without their first move.
    pub line: usize,
    /// Whether the end of the input drops the queries that wait.
    pub quit_at_once: bool,
    /// The search parameters.
    pub params: SearchParams,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            visits: 500,
            time: None,
            perspective: Perspective::Black,
            line: 15,
            quit_at_once: false,
            // KataGo's default for analysis: a little noise at the root shows more moves.
            params: SearchParams {
                wide_root: params::DEFAULT_ANALYSIS_NOISE,
                ..SearchParams::default()
            },
        }
    }
}

impl Settings {
    /// Changes a setting by its name in KataGo's configuration: `Ok(false)` for an unknown name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, String> {
        let value = value.trim();
        let number = |min: f64, max: f64| {
            let x = value.parse::<f64>().ok().filter(|x| (min..=max).contains(x));
            x.ok_or_else(|| format!("{name} must be a number from {min} to {max}, not {value:?}"))
        };
        match name.trim() {
            "maxVisits" => self.visits = number(1.0, 1e15)? as u64,
            "maxTime" => self.time = Some(Duration::from_secs_f64(number(0.001, 1e7)?)),
            "analysisPVLen" => self.line = number(1.0, 1000.0)? as usize,
            "reportAnalysisWinratesAs" => {
                let wrong = || format!("{name} must be BLACK, WHITE or SIDETOMOVE, not {value:?}");
                self.perspective = Perspective::named(value).ok_or_else(wrong)?;
            }
            other => return params::set(&mut self.params, other, value),
        }
        Ok(true)
    }
}

/// What the answer has besides the moves.
#[derive(Clone, Copy, Default, Debug)]
pub struct Includes {
    pub ownership: bool,
    pub ownership_stdev: bool,
    pub moves_ownership: bool,
    pub policy: bool,
    pub pv_visits: bool,
}

/// A query without its turns.
pub struct Query {
    pub id: String,
    pub includes: Includes,
    pub perspective: Perspective,
    pub visits: u64,
    pub time: Option<Duration>,
    pub line: usize,
    pub params: SearchParams,
    pub bans: Vec<Ban>,
    pub report_every: Option<Duration>,
    pub first_report: Option<Duration>,
    start: Game,
    moves: Vec<(Side, Point)>,
}

/// A query as it was read.
pub struct ParsedQuery {
    pub query: Query,
    /// Turns to analyse, each with its priority.
    pub turns: Vec<(usize, i64)>,
    pub warnings: Vec<Problem>,
}

/// One position of a query.
#[derive(Clone)]
pub struct QueuedPosition {
    pub query: Arc<Query>,
    pub turn: usize,
    pub priority: i64,
    pub number: u64,
}

const KNOWN: [&str; 30] = [
    "id",
    "moves",
    "initialStones",
    "initialPlayer",
    "rules",
    "komi",
    "whiteHandicapBonus",
    "boardXSize",
    "boardYSize",
    "analyzeTurns",
    "maxVisits",
    "rootPolicyTemperature",
    "rootFpuReductionMax",
    "analysisPVLen",
    "includeOwnership",
    "includeOwnershipStdev",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includePolicy",
    "includePVVisits",
    "includeNoResultValue",
    "avoidMoves",
    "allowMoves",
    "overrideSettings",
    "reportDuringSearchEvery",
    "firstReportDuringSearchAfter",
    "priority",
    "priorities",
    "action",
    "includeTree",
];

/// Priorities are at most this, and at least its negative.
const PRIORITY: i64 = 1 << 62;

impl Query {
    /// Reads a query.
    pub fn read(id: &str, object: &Object, settings: &Settings) -> Parsed<ParsedQuery> {
        let mut warnings = Vec::new();
        let size = size(object)?;
        let board = Board::new(size).map_err(|e| Problem::new("boardXSize", e.text()))?;
        let moves = match object.get("moves") {
            None => {
                return Err(Problem::new(
                    "moves",
                    "Must specify an array of [player,location] pairs",
                ));
            }
            Some(list) => pairs(&board, "moves", list)?,
        };
        let start = start(object, board, moves.first().map(|&(side, _)| side))?;
        let turns = priorities(object, moves.len())?;
        let mut settings = settings.clone();
        override_settings(object, &mut settings, &mut warnings)?;
        let bool_of = |field: &str| match object.get(field) {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| Problem::new(field, "Must be a boolean")),
        };
        let includes = Includes {
            ownership: bool_of("includeOwnership")?,
            ownership_stdev: bool_of("includeOwnershipStdev")?,
            moves_ownership: bool_of("includeMovesOwnership")?,
            policy: bool_of("includePolicy")?,
            pv_visits: bool_of("includePVVisits")?,
        };
        for field in ["includeMovesOwnershipStdev", "includeNoResultValue"] {
            if bool_of(field)? {
                warnings.push(Problem::new(field, "Not known here, and left out"));
            }
        }
        let report_every = seconds(object, "reportDuringSearchEvery")?;
        let first_report = seconds(object, "firstReportDuringSearchAfter")?.or(report_every);
        let bans = bans(object, start.board())?;
        for field in object.keys().filter(|f| !KNOWN.contains(&f.as_str())) {
            warnings.push(Problem::new(field, "Unexpected or unused field, do you have a typo?"));
        }
        let query = Self {
            id: id.into(),
            includes,
            perspective: settings.perspective,
            visits: settings.visits,
            time: settings.time,
            line: settings.line,
            params: settings.params,
            bans,
            report_every,
            first_report,
            start,
            moves,
        };
        // All of the moves must be legal, also those after the last turn asked for.
        query
            .position(query.moves.len())
            .map_err(|e| Problem::new("moves", e.text()))?;
        Ok(ParsedQuery { query, turns, warnings })
    }

    /// The game after a number of its moves.
    pub fn position(&self, turn: usize) -> Result<Game, BadInput> {
        let mut game = self.start.clone();
        for (i, &(side, p)) in self.moves.iter().take(turn).enumerate() {
            game.play(p, side)
                .map_err(|_| BadInput::new(format!("Illegal move {i}: {}", coords::text(game.board(), p))))?;
        }
        // The next move of the record decides who is to move.
        if let Some(&(side, _)) = self.moves.get(turn)
            && side != game.side()
        {
            game.set_side(side);
        }
        Ok(game)
    }
}

fn size(object: &Object) -> Parsed<usize> {
    let one = |field: &str| {
        let n = object
            .get(field)
            .and_then(Value::as_u64)
            .filter(|n| (2..=25).contains(n));
        n.ok_or_else(|| Problem::new(field, "Must provide an integer from 2 to 25"))
    };
    let (x, y) = (one("boardXSize")?, one("boardYSize")?);
    if x != y {
        return Err(Problem::new(
            "boardYSize",
            "Must be the same as boardXSize: only square boards are known",
        ));
    }
    Ok(x as usize)
}

fn side(field: &str, value: Option<&Value>) -> Parsed<Side> {
    let side = value.and_then(Value::as_str).and_then(|s| coords::parse_side(s).ok());
    side.ok_or_else(|| Problem::new(field, "Must be \"b\" or \"w\""))
}

/// A vertex, or "(x,y)" counted from the top left.
fn point(board: &Board, field: &str, value: Option<&Value>) -> Parsed<Point> {
    let wrong = |text: &str| Problem::new(field, format!("Could not parse board location: {text:.40}"));
    let text = value.and_then(Value::as_str).ok_or_else(|| wrong("not a string"))?;
    let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    match inside.and_then(|t| t.split_once(',')) {
        Some((x, y)) => {
            let at = |t: &str| t.trim().parse::<usize>().ok().filter(|&n| n < board.size());
            match (at(x), at(y)) {
                (Some(x), Some(y)) => Ok(board.at(x, board.size() - 1 - y)),
                _ => Err(wrong(text)),
            }
        }
        None => coords::parse(board, text).map_err(|_| wrong(text)),
    }
}

fn pairs(board: &Board, field: &str, list: &Value) -> Parsed<Vec<(Side, Point)>> {
    let wrong = || {
        Problem::new(
            field,
            "Must be an array of pairs of the form: [\"b\" or \"w\", GTP board vertex]",
        )
    };
    let list = list.as_array().ok_or_else(wrong)?;
    let one = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
        Some([who, at]) => Ok((side(field, Some(who))?, point(board, field, Some(at))?)),
        _ => Err(wrong()),
    };
    list.iter().map(one).collect()
}

/// The game before its moves.
fn start(object: &Object, board: Board, first: Option<Side>) -> Parsed<Game> {
    let stones = match object.get("initialStones") {
        None => Vec::new(),
        Some(list) => pairs(&board, "initialStones", list)?,
    };
    let mut rules = rules_of(object)?;
    if let Some(bonus) = object.get("whiteHandicapBonus") {
        let text = bonus.as_str().map_or_else(|| bonus.to_string(), str::to_string);
        rules::set_rule(&mut rules, "whiteHandicapBonus", &text)
            .map_err(|e| Problem::new("whiteHandicapBonus", e.text()))?;
    }
    let komi = match object.get("komi") {
        None => rules.komi,
        Some(value) => {
            let komi = value.as_f64().filter(|k| k.abs() <= 400.0 && (k * 2.0).fract() == 0.0);
            let wrong = || Problem::new("komi", "Must be a integer or half-integer from -400.0 to 400.0");
            komi.ok_or_else(wrong)? as f32
        }
    };
    let wrong = |e: BadInput| Problem::new("initialStones", e.text());
    let black: Vec<Point> = stones
        .iter()
        .filter(|&&(s, _)| s == Side::First)
        .map(|&(_, p)| p)
        .collect();
    let handicap = black.len() == stones.len() && black.len() >= 2;
    let mut game = if handicap {
        let mut game = Game::from_board(board, rules, Side::First);
        game.place_handicap(&black).map_err(wrong)?;
        game
    } else {
        Game::from_board(set_up(board, &stones)?, rules, Side::First)
    };
    game.set_komi(komi);
    let next = match object.get("initialPlayer") {
        Some(_) => side("initialPlayer", object.get("initialPlayer"))?,
        None => first.unwrap_or(if handicap { Side::Second } else { Side::First }),
    };
    game.set_side(next);
    Ok(game)
}

fn set_up(mut board: Board, stones: &[(Side, Point)]) -> Parsed<Board> {
    for &(side, p) in stones {
        if p == PASS || board.colour(p) != EMPTY {
            let at = coords::text(&board, p);
            return Err(Problem::new("initialStones", format!("No stone can be placed at {at}")));
        }
        let before = board.empties().len();
        board.set_up(p, colour(side));
        // Stones come in any order; none may be left without liberties.
        if board.empties().len() + 1 != before {
            return Err(Problem::new("initialStones", "Stones without liberties"));
        }
    }
    Ok(board)
}

fn rules_of(object: &Object) -> Parsed<Rules> {
    let wrong = |e: BadInput| Problem::new("rules", format!("Could not parse rules: {}", e.text()));
    match object.get("rules") {
        Some(Value::String(name)) => rules::named(name).map_err(wrong),
        Some(value @ Value::Object(_)) => rules::read(&Rules::CHINESE, &value.to_string()).map_err(wrong),
        _ => Err(Problem::new(
            "rules",
            "Must specify rules string, such as \"chinese\" or \"tromp-taylor\", or a JSON object with detailed rules \
             parameters.",
        )),
    }
}

/// An array of turn numbers, if there is one.
pub fn turns(object: &Object, field: &str) -> Parsed<Option<Vec<u64>>> {
    let Some(value) = object.get(field) else {
        return Ok(None);
    };
    let list = value
        .as_array()
        .and_then(|list| list.iter().map(Value::as_u64).collect());
    let wrong = || Problem::new(field, "Must specify an array of integers indicating turns");
    list.map(Some).ok_or_else(wrong)
}

/// The turns to analyse, each with its priority.
fn priorities(object: &Object, moves: usize) -> Parsed<Vec<(usize, i64)>> {
    let fit = |n: &i64| (-PRIORITY..=PRIORITY).contains(n);
    let all = match object.get("priority") {
        None => 0,
        Some(_) if object.contains_key("priorities") => {
            return Err(Problem::new("priority", "Cannot specify both priority and priorities"));
        }
        Some(value) => {
            let n = value.as_i64().filter(fit);
            n.ok_or_else(|| Problem::new("priority", "Must be a number between -2^62 and 2^62"))?
        }
    };
    let asked = turns(object, "analyzeTurns")?;
    let each: Option<Vec<i64>> = match object.get("priorities") {
        None => None,
        Some(value) => {
            let list = value
                .as_array()
                .and_then(|list| list.iter().map(|n| n.as_i64().filter(fit)).collect());
            let list: Option<Vec<i64>> = list;
            let wrong = || {
                Problem::new(
                    "priorities",
                    "Must specify an array of integers, one for each of analyzeTurns",
                )
            };
            Some(
                list.filter(|l| asked.as_ref().is_some_and(|a| a.len() == l.len()))
                    .ok_or_else(wrong)?,
            )
        }
    };
    let mut found: Vec<(usize, i64)> = Vec::new();
    for (i, turn) in asked.unwrap_or_else(|| vec![moves as u64]).into_iter().enumerate() {
        if turn > moves as u64 {
            return Err(Problem::new("analyzeTurns", format!("Invalid turn number: {turn}")));
        }
        let priority = each.as_ref().and_then(|list| list.get(i)).copied().unwrap_or(all);
        found.push((turn as usize, priority));
    }
    found.sort_by_key(|&(turn, _)| turn);
    found.dedup_by_key(|(turn, _)| *turn);
    Ok(found)
}

fn override_settings(object: &Object, settings: &mut Settings, warnings: &mut Vec<Problem>) -> Parsed<()> {
    let mut set = |field: &str, name: &str, value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        match settings.set(name, &text) {
            Ok(true) => Ok(()),
            Ok(false) => {
                warnings.push(Problem::new(field, format!("Unknown config params: {name:.80}")));
                Ok(())
            }
            Err(why) => Err(Problem::new(field, format!("Could not set settings: {why:.200}"))),
        }
    };
    match object.get("overrideSettings") {
        None => {}
        Some(Value::Object(all)) => {
            for (name, value) in all {
                set("overrideSettings", name, value)?;
            }
        }
        Some(_) => return Err(Problem::new("overrideSettings", "Must be an object")),
    }
    for field in [
        "maxVisits",
        "analysisPVLen",
        "rootFpuReductionMax",
        "rootPolicyTemperature",
    ] {
        if let Some(value) = object.get(field) {
            let whole = value.is_u64() || !matches!(field, "maxVisits" | "analysisPVLen");
            if !value.is_number() || !whole {
                return Err(Problem::new(field, "Must be a number"));
            }
            set(field, field, value)?;
        }
    }
    Ok(())
}

fn seconds(object: &Object, field: &str) -> Parsed<Option<Duration>> {
    let Some(value) = object.get(field) else {
        return Ok(None);
    };
    let x = value.as_f64().filter(|x| (0.001..=1e6).contains(x));
    let wrong = || Problem::new(field, "Must be number of seconds from 0.001 to 1000000.0");
    Ok(Some(Duration::from_secs_f64(x.ok_or_else(wrong)?)))
}

fn bans(object: &Object, board: &Board) -> Parsed<Vec<Ban>> {
    let field = match (object.contains_key("allowMoves"), object.contains_key("avoidMoves")) {
        (false, false) => return Ok(Vec::new()),
        (true, true) => {
            return Err(Problem::new(
                "allowMoves",
                "Cannot specify both allowMoves and avoidMoves",
            ));
        }
        (true, false) => "allowMoves",
        (false, true) => "avoidMoves",
    };
    let others = field == "allowMoves";
    let wrong = || {
        Problem::new(
            field,
            "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'",
        )
    };
    let list = object.get(field).and_then(Value::as_array).ok_or_else(wrong)?;
    let mut bans: Vec<Ban> = Vec::new();
    for entry in list {
        let entry = entry.as_object().ok_or_else(wrong)?;
        let moves = entry.get("moves").and_then(Value::as_array).ok_or_else(wrong)?;
        let plies = entry
            .get("untilDepth")
            .and_then(Value::as_u64)
            .filter(|n| (1..=1_000_000_000).contains(n));
        let ban = Ban {
            side: side("player", entry.get("player"))?,
            moves: moves
                .iter()
                .map(|m| point(board, field, Some(m)))
                .collect::<Parsed<_>>()?,
            plies: plies.ok_or_else(|| Problem::new("untilDepth", "Must be a positive integer"))? as usize,
            others,
        };
        if others && bans.iter().any(|b| b.side == ban.side) {
            return Err(Problem::new(
                field,
                "Cannot specify allowMoves more than once for the same player",
            ));
        }
        bans.push(ban);
    }
    Ok(bans)
}
