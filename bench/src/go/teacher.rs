//! Games whose positions a teacher labels, each with one look: by a network's policy, or by a student's search.
//!
//! Positions drawn from a policy are mostly openings and decided games: a student of them was closer to its teacher than
//! g170-b6c96 was in openings, and further off in the fights of its own searched games (`engines/nets/HISTORY.md`). So with
//! `--visits` the student plays as it does against others, the teacher labels each position and some of those that the
//! search looked at, and most games end soon after they are decided. After Ross, Gordon and Bagnell, "A reduction of imitation
//! learning" (2011).

use super::draw::{anywhere, noisy};
use super::record::{GoPly, GoRecord, Label, Variation, index, policy};
use anyhow::{Result, bail};
use nguky::games::go::types::PASS;
use nguky::games::go::{Game, Point};
use nguky::mcts::evaluator::{Evaluation, LeafEvaluator};
use nguky::mcts::network::{NetEvaluator, Network, Symmetry};
use nguky::mcts::state::SearchState;
use nguky::mcts::{Search, SearchParams};
use nguky::util::rng::SplitMix;
use std::sync::Arc;

/// Where a student draws the moves, its teacher labels one position in so many.
const LABELLED: u64 = 3;
/// A teacher's game ends when one side has been so sure to win for so many plies, unless it is one of those that do not.
pub(super) const SURE: f32 = 0.985;
pub(super) const SURE_PLIES: usize = 12;
/// Finest weight of a teacher's policy.
const ONE: f32 = 8192.0;
/// The teacher's win probability from which on a game is decided, and the plies that it then goes on, unless it is one of
/// those that are played to their ends.
const DECIDED: f32 = 0.96;
const DECIDED_PLIES: usize = 6;
/// Positions labelled of each search tree, while the game is open and when it is decided.
const INSIDE: [usize; 2] = [2, 1];
/// Bytes of a search tree.
const TREE: usize = 16 << 20;

/// The teacher's label of a position.
fn label(teacher: &mut NetEvaluator, state: &SearchState, evaluation: &mut Evaluation) -> Label {
    teacher.evaluate(state, evaluation);
    Label {
        policy: policy(&state.board, &evaluation.policy, ONE),
        win: evaluation.win,
        lead: evaluation.lead,
        deviation: evaluation.stdev,
        own: evaluation.ownership[..state.board.area()].to_vec(),
    }
}

/// A game by the teacher's policy, each position labelled, or by a player's, some labelled.
pub(super) fn by_policy(
    record: &mut GoRecord,
    game: &Game,
    teacher: &mut NetEvaluator,
    mut player: Option<&mut NetEvaluator>,
    rng: &mut SplitMix,
) {
    let mut state = SearchState::of(game);
    let area = state.board.area() as u64;
    let wild = if rng.below(4) == 0 {
        rng.below(area / 20 + 2) as usize
    } else {
        0
    };
    let hot = wild + rng.below(area / 6 + 4) as usize;
    let whole = rng.below(4) == 0;
    let (mut evaluation, mut sure) = (Evaluation::default(), 0);
    for ply in 0..2 * area as usize {
        if state.passes >= 2 {
            break;
        }
        if ply < wild {
            let Some(p) = anywhere(&state, rng) else { break };
            record.plies.push(GoPly {
                at: index(&state.board, p),
                ..GoPly::default()
            });
            state.play(p);
            continue;
        }
        let asked = player.is_none() || rng.below(LABELLED) == 0;
        let label = asked.then(|| label(teacher, &state, &mut evaluation));
        if let Some(player) = player.as_deref_mut() {
            player.evaluate(&state, &mut evaluation);
        }
        let p = noisy(&state, &evaluation.policy, if ply < hot { 1.0 } else { 0.6 }, rng);
        record.plies.push(GoPly {
            at: index(&state.board, p),
            label,
            ..GoPly::default()
        });
        state.play(p);
        sure = if (evaluation.win - 0.5).abs() > SURE - 0.5 {
            sure + 1
        } else {
            0
        };
        if sure >= SURE_PLIES && !whole {
            break;
        }
    }
}

/// A game by a student's search, each move by half to one and a half times so many visits.
pub(super) fn by_search(
    record: &mut GoRecord,
    mut game: Game,
    teacher: &mut NetEvaluator,
    student: &Arc<Network>,
    visits: u64,
    rng: &mut SplitMix,
) -> Result<()> {
    let area = game.board().area();
    let random = if rng.below(3) == 0 {
        rng.below(area as u64 / 20 + 2) as usize
    } else {
        0
    };
    let hot = random + rng.below(area as u64 / 6 + 4) as usize;
    let heat = [0.1, 0.2, 0.5][rng.below(3) as usize];
    let whole = rng.below(8) == 0;
    let params = SearchParams {
        noise: if rng.below(4) == 0 { 0.25 } else { 0.0 },
        seed: rng.next(),
        ..SearchParams::default()
    };
    let mut search = Search::new(&game, TREE, params);
    let mut evaluator = NetEvaluator::new(student.clone(), Symmetry::Random, rng.next());
    let (mut evaluation, mut decided) = (Evaluation::default(), 0);
    for ply in 0..2 * area {
        if game.passes() >= 2 || decided >= DECIDED_PLIES && !whole {
            break;
        }
        let state = SearchState::of(&game);
        let mut played = GoPly::default();
        let p = if ply < random {
            let Some(p) = anywhere(&state, rng) else { break };
            p
        } else {
            let budget = visits / 2 + rng.below(visits + 1);
            search.clear();
            search.set_root(&game);
            search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= budget);
            let here = label(teacher, &state, &mut evaluation);
            let sure = (here.win - 0.5).abs() > DECIDED - 0.5;
            decided = if sure { decided + 1 } else { 0 };
            for _ in 0..INSIDE[usize::from(sure)] {
                let line = search.random_line(rng);
                played
                    .variations
                    .extend(variation(&state, &line, teacher, &mut evaluation));
            }
            played.label = Some(here);
            let moves: Vec<(Point, f32)> = search
                .analysis()
                .moves
                .iter()
                .map(|m| (m.mv, m.visits as f32))
                .collect();
            noisy(&state, &moves, if ply < hot { 1.0 } else { heat }, rng)
        };
        played.at = index(&state.board, p);
        record.plies.push(played);
        if game.play(p, game.side()).is_err() {
            bail!("the search of go gave an illegal move; this is a bug");
        }
    }
    Ok(())
}

/// The position where some moves lead, labelled; none where they lead nowhere or to the end of the game.
fn variation(
    state: &SearchState,
    line: &[Point],
    teacher: &mut NetEvaluator,
    evaluation: &mut Evaluation,
) -> Option<Variation> {
    let mut state = state.clone();
    let mut moves = Vec::new();
    for &p in line {
        if p != PASS && !state.is_legal(p) {
            return None;
        }
        moves.push(index(&state.board, p));
        state.play(p);
    }
    (!line.is_empty() && !state.is_over()).then(|| Variation {
        moves,
        label: label(teacher, &state, evaluation),
    })
}
