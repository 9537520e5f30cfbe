//! The go engine with a network: when it passes, captures, resigns and stops. A mock takes the network's place, so that no
//! file is needed.

use crate::control::{Choice, Engine, Limits, Report, TimeControl};
use crate::game::Side;
use crate::games::go::score::Status;
use crate::games::go::types::{PASS, Point};
use crate::games::go::{Board, Game, Rules, coords};
use crate::mcts::evaluator::{Evaluation, EvaluatorFactory, LeafEvaluator};
use crate::mcts::playouts::PlayoutEvaluator;
use crate::mcts::state::SearchState;
use crate::mcts::{Ban, Mcts};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A uniform policy, and the value of a few playouts or always the same: (black's win probability, black's lead).
struct MockNet {
    playouts: PlayoutEvaluator,
    fixed: Option<(f32, f32)>,
    evaluations: Arc<AtomicU64>,
    pause: Duration,
}

impl LeafEvaluator for MockNet {
    fn evaluate(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.evaluations.fetch_add(1, Relaxed);
        std::thread::sleep(self.pause);
        self.playouts.evaluate(state, out);
        out.stdev = 4.0;
        out.policy.clear();
        let legal = state.board.empties().iter().copied().filter(|&p| state.is_legal(p));
        out.policy.extend(legal.map(|p| (p, 1.0)));
        out.policy.push((PASS, 0.5));
        let sum: f32 = out.policy.iter().map(|(_, share)| share).sum();
        out.policy.iter_mut().for_each(|(_, share)| *share /= sum);
        if let Some(fixed) = self.fixed {
            (out.win, out.lead) = fixed;
        }
    }
}

fn engine_with(fixed: Option<(f32, f32)>) -> (Mcts, Arc<AtomicU64>) {
    slow(fixed, Duration::ZERO)
}

/// The same with a pause before each evaluation.
fn slow(fixed: Option<(f32, f32)>, pause: Duration) -> (Mcts, Arc<AtomicU64>) {
    let mut engine = Mcts::new().expect("an engine");
    let evaluations = Arc::new(AtomicU64::new(0));
    let count = evaluations.clone();
    engine.set_net_factory(Some(EvaluatorFactory {
        name: "mock".into(),
        make: Arc::new(move |seed| {
            let board = Board::new(25).expect("a board");
            Box::new(MockNet {
                playouts: PlayoutEvaluator::new(&board, 8, seed),
                fixed,
                evaluations: count.clone(),
                pause,
            })
        }),
        clear_cache: Arc::new(|| {}),
    }));
    assert_eq!(engine.network_name(), Some("mock"));
    (engine, evaluations)
}

fn drawn(rows: &[&str], rules: Rules, turn: Side) -> Game {
    let mut game = Game::from_board(Board::drawn(rows).expect("a square drawing"), rules, turn);
    game.set_komi(0.5);
    game
}

/// The answer of a search.
fn answer(engine: &mut Mcts, limits: Limits) -> Choice {
    let (send, answer) = channel();
    let send = Mutex::new(send);
    let sink = Arc::new(move |report| {
        if let Report::Best { choice, .. } = report {
            send.lock().expect("the sender").send(choice).expect("a listener");
        }
    });
    engine.go(limits, sink).expect("a search");
    let choice = answer.recv_timeout(Duration::from_secs(60)).expect("an answer");
    engine.wait();
    choice
}

fn played(engine: &mut Mcts, visits: u64) -> String {
    match answer(engine, Limits::nodes(visits)) {
        Choice::Move(text) => text,
        other => format!("{other:?}"),
    }
}

/// Both sides live; a black stone is hopeless among white's, and nothing else is left to play for.
const OVER: [&str; 5] = [".XO.O", "XXOOO", "XXOXO", "XXO.O", ".XOO."];

#[test]
fn the_winner_passes_when_the_game_is_over() {
    for rules in [Rules::CHINESE, Rules::JAPANESE, Rules::AGA, Rules::NEW_ZEALAND] {
        let (mut engine, _) = engine_with(None);
        engine.set_game(drawn(&OVER, rules, Side::Second));
        assert_eq!(played(&mut engine, 80), "pass", "{}", rules.name);
        // So it does where the opponent has passed.
        let mut game = drawn(&OVER, rules, Side::First);
        game.play(PASS, Side::First).expect("a pass");
        engine.set_game(game);
        assert_eq!(played(&mut engine, 80), "pass", "{}", rules.name);
        assert_eq!(engine.final_score(), if rules == Rules::JAPANESE { -3.5 } else { -5.5 });
    }
}

#[test]
fn dead_stones_are_taken_where_they_count() {
    // Where all stones on the board live, passing first would cost the points below the dead one.
    let (mut engine, _) = engine_with(None);
    engine.set_game(drawn(&OVER, Rules::TROMP_TAYLOR, Side::Second));
    assert_eq!(played(&mut engine, 200), "D2");
    // And in the cleanup that a server asks for.
    engine.set_game(drawn(&OVER, Rules::CHINESE, Side::Second));
    engine.set_cleanup(true);
    assert_eq!(played(&mut engine, 80), "D2");
    engine.set_cleanup(false);
    assert_eq!(played(&mut engine, 80), "pass");
}

#[test]
fn dead_stones_are_found_by_ownership() {
    let (mut engine, evaluations) = engine_with(None);
    engine.set_game(drawn(&OVER, Rules::CHINESE, Side::First));
    let status = engine.status();
    let board = engine.game().board();
    let dead: Vec<String> = board
        .points()
        .filter(|&p| board.colour(p) != 0 && status[p as usize] == Status::Dead)
        .map(|p| coords::text(board, p))
        .collect();
    assert_eq!(dead, ["D3"]);
    assert!(evaluations.load(Relaxed) > 0);
}

#[test]
fn hopeless_games_are_resigned_and_close_ones_are_not() {
    let mut game = Game::new(9, Rules::CHINESE).expect("a game");
    for i in 0..24 {
        let points = game.legal_points();
        let p = points[(i * 7) % points.len()];
        game.play(p, game.side()).expect("a legal move");
    }
    let resigns = |win, lead| {
        let (mut engine, _) = engine_with(Some((win, lead)));
        engine.set_game(game.clone());
        answer(&mut engine, Limits::nodes(60)) == Choice::Resign
    };
    assert!(resigns(0.005, -30.0));
    assert!(!resigns(0.005, -0.5), "half a point may come back");
    assert!(!resigns(0.3, -30.0));
}

#[test]
fn visits_include_those_of_the_reused_tree() {
    let (mut engine, _) = engine_with(None);
    engine.set_option("Visits", Some("100")).expect("an option");
    engine.set_game(Game::new(7, Rules::CHINESE).expect("a game"));
    let text = played(&mut engine, 1000);
    assert_eq!(engine.analysis().visits, 100);
    let p = coords::parse(engine.game().board(), &text).expect("a vertex");
    let kept = engine.analysis().moves[0].visits;
    engine.play(p, Side::First).expect("a legal move");
    played(&mut engine, 1000);
    let found = engine.analysis();
    assert_eq!((u64::from(found.visits), found.playouts), (100, u64::from(100 - kept)));
}

#[test]
fn threads_stop_together_at_the_visits() {
    for evaluator in ["network", "playouts"] {
        let (mut engine, _) = slow(None, Duration::from_millis(1));
        engine.set_option("Evaluator", Some(evaluator)).expect("an option");
        engine.set_option("Visits", Some("100")).expect("an option");
        engine.set_option("Threads", Some("32")).expect("an option");
        engine.set_game(Game::new(9, Rules::CHINESE).expect("a game"));
        for side in [Side::First, Side::Second, Side::First] {
            let text = played(&mut engine, 1000);
            assert_eq!(engine.analysis().visits, 100, "{evaluator}");
            let p = coords::parse(engine.game().board(), &text).expect("a vertex");
            engine.play(p, side).expect("a legal move");
        }
        // The same of playouts.
        engine.set_option("Visits", Some("0")).expect("an option");
        played(&mut engine, 70);
        assert_eq!(engine.playouts(), 70, "{evaluator}");
    }
}

#[test]
fn a_clock_that_suffices_takes_no_visits_away() {
    let (mut engine, _) = slow(None, Duration::from_millis(5));
    engine.set_option("Visits", Some("90")).expect("an option");
    engine.set_game(Game::new(9, Rules::CHINESE).expect("a game"));
    // One move stands out: without the visits, the clock would end the search early.
    engine.set_bans(vec![Ban {
        side: Side::First,
        moves: vec![engine.game().board().at(4, 4)],
        plies: 1,
        others: true,
    }]);
    let limits = Limits {
        time: TimeControl::Fischer {
            main: Duration::from_secs(12),
            increment: Duration::ZERO,
            moves_to_go: None,
        },
        ..Limits::default()
    };
    answer(&mut engine, limits);
    assert_eq!(engine.analysis().visits, 90);
}

#[test]
fn a_cap_on_time_ends_any_move() {
    let (mut engine, _) = slow(None, Duration::from_millis(5));
    engine.set_option("Move Time Cap", Some("200")).expect("an option");
    engine.set_option("Visits", Some("1000000")).expect("an option");
    engine.set_game(Game::new(9, Rules::CHINESE).expect("a game"));
    answer(&mut engine, Limits::default());
    assert!((1..1000).contains(&engine.analysis().visits));
}

#[test]
fn time_ends_a_search_and_a_full_tree_does_not() {
    let (mut engine, _) = engine_with(None);
    engine.set_game(Game::new(9, Rules::CHINESE).expect("a game"));
    let start = Instant::now();
    let limits = Limits {
        time: TimeControl::MoveTime(Duration::from_millis(300)),
        ..Limits::default()
    };
    answer(&mut engine, limits);
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(engine.playouts() > 0);
    engine.set_option("Tree Memory", Some("1")).expect("an option");
    engine.set_game(Game::new(9, Rules::CHINESE).expect("a game"));
    assert!(played(&mut engine, 3000).len() >= 2);
    assert_eq!(engine.playouts(), 3000);
}

#[test]
fn an_endless_search_waits_to_be_stopped() {
    let (mut engine, _) = engine_with(None);
    engine.set_option("Threads", Some("2")).expect("an option");
    engine.set_game(Game::new(5, Rules::CHINESE).expect("a game"));
    let limits = Limits {
        infinite: true,
        ..Limits::default()
    };
    engine.go(limits, Arc::new(|_| {})).expect("a search");
    let until = Instant::now() + Duration::from_secs(30);
    while engine.analysis().visits < 50 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    engine.stop();
    engine.wait();
    let found = engine.analysis();
    assert!(found.visits >= 50 && found.ownership.len() == 25 && found.raw.is_some());
    assert_eq!(found.moves[0].pv.first(), Some(&found.moves[0].mv));
    assert_eq!(found.moves[0].pv.len(), found.moves[0].pv_visits.len());
}

#[test]
fn bans_reach_down_the_tree() {
    let (mut engine, _) = engine_with(None);
    engine.set_game(Game::new(5, Rules::CHINESE).expect("a game"));
    let at = |text: &str| coords::parse(&Board::new(5).expect("a board"), text).expect("a vertex");
    let only = |side, moves: Vec<Point>, plies| Ban {
        side,
        moves,
        plies,
        others: true,
    };
    engine.set_bans(vec![
        only(Side::First, vec![at("C3")], 1),
        only(Side::Second, vec![at("B2")], 2),
    ]);
    assert_eq!(played(&mut engine, 100), "C3");
    let best = &engine.analysis().moves[0];
    assert_eq!(best.pv[..2], [at("C3"), at("B2")]);
    assert_eq!((best.visits, best.pv_visits[1]), (99, 98));
    engine.set_bans(Vec::new());
    played(&mut engine, 100);
    assert!(engine.analysis().moves.iter().filter(|m| m.visits > 0).count() > 3);
}

#[test]
fn playouts_remain_by_option() {
    let (mut engine, evaluations) = engine_with(None);
    engine.set_option("Evaluator", Some("playouts")).expect("an option");
    assert!(!engine.has_network());
    engine.set_game(Game::new(5, Rules::CHINESE).expect("a game"));
    played(&mut engine, 100);
    assert_eq!(evaluations.load(Relaxed), 0);
    engine.set_option("Evaluator", Some("network")).expect("an option");
    played(&mut engine, 100);
    assert!(evaluations.load(Relaxed) > 0);
    assert!(engine.set_option("Evaluator", Some("other")).is_err() && engine.has_network());
}

#[test]
fn games_of_the_engine_with_itself_end_and_lose_nothing_by_passing() {
    for rules in Rules::ALL {
        let (mut engine, _) = engine_with(None);
        engine.set_option("Resign", Some("0")).expect("an option");
        engine.set_game(Game::new(5, rules).expect("a game"));
        for _ in 0..120 {
            if engine.game().ended().is_some() {
                break;
            }
            let text = played(&mut engine, 40);
            let p = coords::parse(engine.game().board(), &text).expect("a vertex");
            let side = engine.game().side();
            let c = crate::games::go::types::colour(side);
            assert!(p == PASS || !engine.game().board().is_eye(p, c), "{}", engine.picture());
            engine.play(p, side).expect("a legal move");
        }
        assert!(engine.game().ended().is_some(), "{}: {}", rules.name, engine.picture());
    }
}

/// Ranks are fitted to a network of their own, unless the user brings one.
#[test]
fn a_rank_plays_by_the_network_of_the_ranks() {
    let mut engine = Mcts::new().expect("an engine");
    if crate::eval::nets::built_in("go-ranks").is_none() {
        return;
    }
    let evaluators = engine.rank_evaluators().expect("a network that can be read");
    assert_ne!(Some(evaluators.name.as_str()), engine.network_name());
    engine.set_option("Evaluator", Some("playouts")).expect("set");
    assert!(engine.rank_evaluators().is_none());
    let (engine, _) = engine_with(None);
    assert!(engine.rank_evaluators().is_none(), "the mock is no built-in network");
}
