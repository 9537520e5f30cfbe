//! The JSON objects that answer a query.

use super::query::QueuedPosition;
use crate::game::Side;
use crate::games::go::types::PASS;
use crate::games::go::{Board, Game, coords};
use crate::mcts::{Candidate, Mcts};
use serde_json::{Value, json};

/// The answer where nothing was searched.
pub fn no_results(request: &QueuedPosition) -> Value {
    json!({"id": request.query.id, "turnNumber": request.turn, "isDuringSearch": false, "noResults": true})
}

fn round(x: f32) -> f64 {
    if x.is_finite() {
        (f64::from(x) * 1e6).round() / 1e6
    } else {
        0.0
    }
}

/// The perspective of values: that of the side to move, or its opponent's.
#[derive(Clone, Copy)]
struct Viewpoint {
    flips: bool,
}

impl Viewpoint {
    fn chance(self, x: f32) -> f64 {
        round(if self.flips { 1.0 - x } else { x })
    }

    fn signed(self, x: f32) -> f64 {
        round(if self.flips { -x } else { x })
    }
}

/// The answer for a position as far as it is searched; `None` before the first visit.
pub fn of_position(request: &QueuedPosition, engine: &Mcts, during: bool) -> Option<Value> {
    let query = &request.query;
    let analysis = engine.analysis();
    if analysis.visits == 0 {
        return None;
    }
    let game = engine.game();
    let board = game.board();
    let view = Viewpoint {
        flips: query.perspective.flips(game.side()),
    };
    // Ownership comes with black's sign.
    let black = (game.side() == Side::First) != view.flips;
    let sign = if black { 1.0 } else { -1.0 };
    let searched = analysis.moves.iter().enumerate().filter(|(_, m)| m.visits > 0);
    let infos: Vec<Value> = searched
        .map(|(order, m)| {
            let mut info = of_move(board, m, order, view, query.line);
            if query.includes.pv_visits {
                let visits: Vec<u32> = m.pv_visits.iter().take(query.line + 1).copied().collect();
                put(&mut info, "pvVisits", json!(visits));
                put(&mut info, "pvEdgeVisits", json!(visits));
            }
            if query.includes.moves_ownership {
                let owner = if m.ownership.is_empty() {
                    &analysis.ownership
                } else {
                    &m.ownership
                };
                put(&mut info, "ownership", points(board, owner, sign));
            }
            info
        })
        .collect();
    let mut root = json!({
        "currentPlayer": if game.side() == Side::First { "B" } else { "W" },
        "visits": analysis.visits,
        "weight": round(analysis.weight),
        "winrate": view.chance(analysis.value),
        "utility": view.signed(analysis.utility),
        "scoreLead": view.signed(analysis.score),
        "scoreSelfplay": view.signed(analysis.score),
        "scoreStdev": round(analysis.stdev),
    });
    let (this, symmetric) = hashes(game);
    put(&mut root, "thisHash", json!(this));
    put(&mut root, "symHash", json!(symmetric));
    if let Some(raw) = &analysis.raw {
        put(&mut root, "rawWinrate", json!(view.chance(raw.value)));
        put(&mut root, "rawLead", json!(view.signed(raw.score)));
        put(&mut root, "rawScoreSelfplay", json!(view.signed(raw.score)));
        put(&mut root, "rawScoreSelfplayStdev", json!(round(raw.stdev)));
    }
    let mut answer = json!({
        "id": query.id,
        "turnNumber": request.turn,
        "isDuringSearch": during,
        "moveInfos": infos,
        "rootInfo": root,
    });
    if query.includes.ownership {
        put(&mut answer, "ownership", points(board, &analysis.ownership, sign));
    }
    if query.includes.ownership_stdev {
        put(
            &mut answer,
            "ownershipStdev",
            points(board, &analysis.ownership_stdev, 1.0),
        );
    }
    if query.includes.policy {
        let shares = match &analysis.raw {
            Some(raw) => raw.policy.clone(),
            None => analysis.moves.iter().map(|m| (m.mv, m.prior)).collect(),
        };
        put(&mut answer, "policy", policy(board, &shares));
    }
    Some(answer)
}

fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.into(), value);
    }
}

fn of_move(board: &Board, m: &Candidate, order: usize, view: Viewpoint, line: usize) -> Value {
    let pv: Vec<String> = m.pv.iter().take(line + 1).map(|&p| name(board, p)).collect();
    json!({
        "move": name(board, m.mv),
        "visits": m.visits,
        "edgeVisits": m.visits,
        "weight": round(m.weight),
        "edgeWeight": round(m.weight),
        "winrate": view.chance(m.value),
        "utility": view.signed(m.utility),
        "scoreMean": view.signed(m.score),
        "scoreLead": view.signed(m.score),
        "scoreSelfplay": view.signed(m.score),
        "scoreStdev": round(m.stdev),
        "prior": round(m.prior),
        "lcb": view.chance(m.lcb),
        "utilityLcb": view.signed(m.utility_lcb),
        "playSelectionValue": round(m.rank),
        "order": order,
        "pv": pv,
    })
}

fn name(board: &Board, p: u16) -> String {
    coords::text(board, p)
}

/// A number for each point, the top row first.
fn points(board: &Board, values: &[f32], sign: f32) -> Value {
    let size = board.size();
    let cell = |i: usize| {
        let p = board.at(i % size, size - 1 - i / size);
        round(values.get(board.index(p)).copied().unwrap_or(0.0) * sign)
    };
    (0..board.area()).map(cell).collect::<Vec<f64>>().into()
}

/// The policy of each point, the top row first, and of the pass; -1 where no move is legal.
fn policy(board: &Board, shares: &[(u16, f32)]) -> Value {
    let size = board.size();
    let share = |p: u16| {
        shares
            .iter()
            .find(|(q, _)| *q == p)
            .map_or(-1.0, |(_, share)| round(*share))
    };
    let cell = |i: usize| share(board.at(i % size, size - 1 - i / size));
    (0..board.area())
        .map(cell)
        .chain([share(PASS)])
        .collect::<Vec<f64>>()
        .into()
}

/// A hash of the position, and one that is the same for all its symmetries.
fn hashes(game: &Game) -> (String, String) {
    let board = game.board();
    let (size, last) = (board.size(), board.size() - 1);
    let turn = if game.side() == Side::First {
        0
    } else {
        0x5851_f42d_4c95_7f2d
    };
    let ko = |p: u16| u64::from(p).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let key = |symmetry: usize| {
        let turned = |x: usize, y: usize| {
            let (x, y) = if symmetry & 4 > 0 { (y, x) } else { (x, y) };
            (
                if symmetry & 1 > 0 { last - x } else { x },
                if symmetry & 2 > 0 { last - y } else { y },
            )
        };
        let cell = |x: usize, y: usize| {
            let (x, y) = turned(x, y);
            board.at(x, y)
        };
        let mut all = turn ^ size as u64;
        for y in 0..size {
            for x in 0..size {
                let p = cell(x, y);
                let mark = u64::from(board.colour(p)) + if board.ko() == p { 3 } else { 0 };
                all = (all ^ mark).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23) ^ ko(mark as u16);
            }
        }
        all
    };
    let text = |key: u64| format!("{:016X}{:016X}", key, key.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ turn);
    let least = (0..8).map(key).min().unwrap_or(0);
    (text(key(0)), text(least))
}
