use super::task::MOST_VISITS;
use super::*;
use crate::control::Choice;
use std::sync::Mutex;

fn best(engine: &mut Mcts, limits: Limits) -> Choice {
    let found = Arc::new(Mutex::new(Choice::Nothing));
    let keep = found.clone();
    let sink: Sink = Arc::new(move |report| {
        if let Report::Best { choice, .. } = report {
            *keep.lock().expect("one writer") = choice;
        }
    });
    engine.go(limits, sink).expect("a search starts");
    engine.wait();
    found.lock().expect("no writer left").clone()
}

#[test]
fn captures_what_decides() {
    let mut engine = Mcts::new().expect("an engine");
    // White to move saves six stones and kills as many by one capture.
    let rows = ".......XO/XXXXXXXXO/OOOOOOOOO/........./........./........./........./........./.........";
    engine.position(Some(&format!("{rows} w 7.5")), &[]).expect("a setup");
    let choice = best(&mut engine, Limits::nodes(1500));
    assert!(matches!(choice, Choice::Move(_)), "{choice:?}");
}

#[test]
fn passes_when_all_is_settled_and_won() {
    let mut engine = Mcts::new().expect("an engine");
    let rows = ".X.XO.O.O/XXXXOOOOO/XXXXO.OO./XXXXOOOOO/XXXXO..../X.XXOOOOO/XXXXOOOOO/XXXXOOOOO/.XXXOOOO.";
    engine.position(Some(&format!("{rows} w 7.5")), &[]).expect("a setup");
    assert_eq!(best(&mut engine, Limits::nodes(500)), Choice::Move("pass".into()));
    assert!(engine.final_score() < 0.0);
}

/// Fast games on a large board give each move few playouts; all of them lost are enough.
#[test]
fn a_lost_board_is_resigned_after_few_playouts() {
    let mut game = Game::new(9, Rules::CHINESE).expect("a game");
    // Every second row is black.
    for i in 0..36 {
        let p = game.board().at(i % 9, 1 + 2 * (i / 9));
        game.play(p, Side::First).expect("a legal move");
        game.play(PASS, Side::Second).expect("a pass");
    }
    game.undo();
    let mut engine = Mcts::new().expect("an engine");
    engine.set_option("Evaluator", Some("playouts")).expect("an option");
    engine.set_game(game);
    assert_eq!(best(&mut engine, Limits::nodes(150)), Choice::Resign);
}

#[test]
fn setups_are_read_back() {
    let mut engine = Mcts::new().expect("an engine");
    for setup in ["../.. b 7.5", "X../.O./... w 0.5"] {
        engine.position(Some(setup), &[]).expect("a setup");
        assert_eq!(engine.setup(), setup);
    }
    for bad in ["", "x", "../. b", "../.. g", "../.. b inf", "../.. b x"] {
        assert!(engine.position(Some(bad), &[]).is_err(), "{bad}");
    }
    assert!(engine.openings(3, 1).iter().all(|o| !o.is_empty()));
}

/// A board with much left to play.
const OPENING: &str = "........./........./..X...O../........./........./........./..O...X../........./......... b 7.5";

#[test]
fn a_rank_limits_the_visits_and_errs() {
    let mut engine = Mcts::new().expect("an engine");
    engine.position(Some(OPENING), &[]).expect("a setup");
    let full = best(&mut engine, Limits::nodes(300));
    engine.set_option("Rank", Some("20k")).expect("a rank");
    let drawn: std::collections::HashSet<String> = (0..20)
        .map(|_| match best(&mut engine, Limits::nodes(300)) {
            Choice::Move(text) => text,
            other => panic!("{other:?} on an open board"),
        })
        .collect();
    assert!(drawn.len() > 3, "{drawn:?}");
    assert!(engine.playouts() < 10, "{} visits", engine.playouts());
    // Analysis stays as it was.
    let sink: Sink = Arc::new(|_| {});
    let endless = Limits {
        infinite: true,
        nodes: Some(40),
        ..Limits::default()
    };
    engine.go(endless, sink).expect("a search starts");
    while engine.playouts() < 40 {
        std::thread::yield_now();
    }
    engine.stop();
    engine.wait();
    assert!(engine.playouts() >= 40);
    engine.set_option("Rank", Some("full")).expect("full strength");
    engine.new_game();
    assert_eq!(best(&mut engine, Limits::nodes(300)), full);
}

/// Where there are more threads than processors the first one, which decides, may not get its turn in time.
#[test]
fn any_thread_sees_the_end_of_the_time() {
    let mut engine = Mcts::new().expect("an engine");
    let task = Task {
        game: engine.game.clone(),
        limits: Limits::default(),
        budget: Some(clock::Budget {
            soft: Duration::ZERO,
            hard: Duration::from_millis(1),
            floor: Duration::ZERO,
        }),
        only: Vec::new(),
        never: Vec::new(),
        bans: Vec::new(),
        visits: None,
        in_flight: AtomicU64::new(0),
        cleanup: false,
        resign: 0.0,
        rank: None,
        pace: Duration::ZERO,
        sink: Arc::new(|_| {}),
        decision: Arc::default(),
    };
    let mut evaluator = (engine.evaluators().make)(1);
    let search = Arc::get_mut(&mut engine.search).expect("no search runs");
    search.set_root(&task.game);
    engine.signal.begin(Instant::now(), false);
    task.run(false, &mut *evaluator, &engine.search, &engine.signal);
    assert!(!engine.signal.stopped());
    assert!(engine.playouts() < MOST_VISITS);
}

#[test]
fn unknown_ranks_change_nothing() {
    let mut engine = Mcts::new().expect("an engine");
    engine.set_option("Rank", Some("7k")).expect("a rank");
    for bad in ["", "0k", "21k", "10d", "-1", "7"] {
        assert!(engine.set_option("Rank", Some(bad)).is_err(), "{bad}");
    }
    assert_eq!(
        engine.options().get("Rank").map(|o| o.value.text()).as_deref(),
        Some("7k")
    );
}

#[test]
fn a_rank_fills_no_eye_of_its_own() {
    let mut engine = Mcts::new().expect("an engine");
    engine.set_option("Rank", Some("20k")).expect("a rank");
    engine
        .position(Some(".X.XO/XXXXO/XXXO./XXO.O/..... b 7.5"), &[])
        .expect("a setup");
    for _ in 0..300 {
        let choice = best(&mut engine, Limits::nodes(1));
        assert!(
            !["A5", "C5"].map(|eye| Choice::Move(eye.into())).contains(&choice),
            "{choice:?}"
        );
    }
}

/// All forced passes and captures hold at every rank too.
#[test]
fn a_rank_passes_when_all_is_settled_and_won() {
    let mut engine = Mcts::new().expect("an engine");
    engine.set_option("Rank", Some("20k")).expect("a rank");
    let rows = ".X.XO.O.O/XXXXOOOOO/XXXXO.OO./XXXXOOOOO/XXXXO..../X.XXOOOOO/XXXXOOOOO/XXXXOOOOO/.XXXOOOO.";
    engine.position(Some(&format!("{rows} w 7.5")), &[]).expect("a setup");
    assert_eq!(best(&mut engine, Limits::nodes(500)), Choice::Move("pass".into()));
}
