//! `nguky datagen --game go --visits`: games by a student's search, labelled by its teacher.
//!
//! Positions drawn from a policy are mostly openings and decided games: a student of them was closer to its teacher than
//! g170-b6c96 was in openings, and further off in the fights of its own searched games (`engines/nets/HISTORY.md`). So here
//! the student plays as it does in earnest, the teacher labels each position and some of those that the search looked at,
//! and games end soon after they are decided. After Ross, Gordon and Bagnell, "A reduction of imitation learning" (2011).

use super::datagen::{anywhere, index, label, noisy};
use super::record::{GoPly, GoRecord, Variation};
use anyhow::{Result, bail};
use nguky::games::go::types::PASS;
use nguky::games::go::{Game, Point};
use nguky::mcts::evaluator::Evaluation;
use nguky::mcts::network::{NetEvaluator, Network, Symmetry};
use nguky::mcts::state::SearchState;
use nguky::mcts::{Search, SearchParams};
use nguky::util::rng::SplitMix;
use std::sync::Arc;

/// The teacher's win probability from which on a game is decided, and the plies that it then goes on, unless it is one of
/// those that are played to their ends.
const DECIDED: f32 = 0.96;
const DECIDED_PLIES: usize = 6;
/// Positions labelled of each search tree, while the game is open and when it is decided.
const INSIDE: [usize; 2] = [2, 1];
/// Bytes of a search tree.
const TREE: usize = 16 << 20;

/// Plays a game, each move by half to one and a half times so many visits.
pub(super) fn search(
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
