use super::*;
use crate::game::Side;
use crate::games::go::{Board, Rules, coords};
use crate::mcts::ending;
use crate::mcts::playouts::PlayoutEvaluator;

/// Playouts with a uniform policy.
struct UniformPlayouts(PlayoutEvaluator);

impl UniformPlayouts {
    fn new(game: &Game, playouts: u32) -> Self {
        Self(PlayoutEvaluator::new(game.board(), playouts, 5))
    }
}

impl LeafEvaluator for UniformPlayouts {
    fn evaluate(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.0.evaluate(state, out);
        out.policy.clear();
        let legal = state.board.empties().iter().copied().filter(|&p| state.is_legal(p));
        out.policy.extend(legal.map(|p| (p, 1.0)));
        let n = out.policy.len() as f32;
        // The pass is half as likely as any point.
        out.policy.iter_mut().for_each(|(_, share)| *share = 1.0 / (n + 0.5));
        out.policy.push((PASS, 0.5 / (n + 0.5)));
    }
}

fn drawn(rows: &[&str], rules: Rules, turn: Side) -> Game {
    let mut game = Game::from_board(Board::drawn(rows).expect("a square drawing"), rules, turn);
    game.set_komi(0.5);
    game
}

fn searched(game: &Game, visits: u64, params: SearchParams) -> Search {
    let mut search = Search::new(game, 64 << 20, params);
    search.set_root(game);
    let mut evaluator = UniformPlayouts::new(game, 4);
    search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= visits);
    search
}

fn best(search: &Search) -> String {
    let mv = search.ranks(|_| true)[0].mv;
    coords::text(&search.state().board, mv)
}

/// The search by playouts alone, as it plays where there is no network.
#[test]
fn playouts_search_with_amaf_and_visits_add_up() {
    for size in [5, 9] {
        let mut game = Game::new(size, Rules::CHINESE).expect("a game");
        let mut search = Search::new(&game, 64 << 20, SearchParams::default().for_playouts());
        let mut evaluator = PlayoutEvaluator::new(game.board(), 2, 1);
        for _ in 0..3 {
            search.set_root(&game);
            search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= 300);
            check_visits(&search, false);
            let arenas = search.rooted.arenas();
            let Arenas { tree, root, .. } = &*arenas;
            let amaf = tree.node(*root).children().filter_map(|child| tree.amaf(child));
            assert!(
                amaf.map(|a| a.get())
                    .all(|(n, mean)| n >= 0.0 && (0.0..=1.0).contains(&mean))
            );
            drop(arenas);
            let best = search.ranks(|_| true)[0].mv;
            game.play(best, game.side()).expect("a legal move");
        }
    }
}

/// Every node's visits are its own evaluation and its children's visits, and no virtual loss is left.
fn check(search: &Search) {
    check_visits(search, true);
}

fn check_visits(search: &Search, in_order: bool) {
    let arenas = search.rooted.arenas();
    let Arenas { tree, root, .. } = &*arenas;
    let mut todo = vec![*root];
    while let Some(id) = todo.pop() {
        let node = tree.node(id);
        assert_eq!(node.virtual_loss(), 0);
        let children = node.children();
        if node.visits() > 0 && !node.is_leaf() {
            let below: u32 = children.clone().map(|child| tree.node(child).visits()).sum();
            if node.dropped_weight.get() == 0.0 {
                assert_eq!(node.visits(), 1 + below);
            } else {
                assert!(node.visits() > 1 + below, "{} of {below}", node.visits());
            }
            let (value, weight) = (node.mean(), node.weight.get());
            assert!((0.0..=1.0).contains(&value.win), "{value:?}");
            assert!(value.utility.abs() <= 2.0 * search.params.radius(), "{value:?}");
            assert!(
                weight > 0.0 && weight <= node.visits() as f32 * 1.001 + 1e-3,
                "{weight}"
            );
        }
        let priors: Vec<f32> = children.clone().map(|child| tree.node(child).prior.get()).collect();
        let sum: f32 = priors.iter().sum();
        let whole = if node.has_deferred() {
            sum < 1.0
        } else {
            (sum - 1.0).abs() < if in_order { 1e-3 } else { 1e-2 }
        };
        assert!(priors.is_empty() || whole, "{sum}");
        assert!(!in_order || priors.windows(2).all(|p| p[0] >= p[1]));
        todo.extend(children);
    }
}

#[test]
fn visits_add_up() {
    let game = Game::new(7, Rules::CHINESE).expect("a game");
    let search = searched(&game, 400, SearchParams::default());
    check(&search);
    assert_eq!((search.playouts(), search.visits()), (400, 400));
    assert_eq!(searched(&game, 1, SearchParams::default()).visits(), 1);
}

#[test]
fn visits_add_up_over_threads() {
    let game = Game::new(7, Rules::CHINESE).expect("a game");
    let mut search = Search::new(&game, 64 << 20, SearchParams::default());
    search.set_root(&game);
    let search = &search;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut evaluator = UniformPlayouts::new(search_game(), 2);
                search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= 500);
            });
        }
    });
    check(search);
    assert!((500..504).contains(&search.playouts()));
    assert_eq!(u64::from(search.visits()), search.playouts());
}

fn search_game() -> &'static Game {
    static GAME: OnceLock<Game> = OnceLock::new();
    GAME.get_or_init(|| Game::new(7, Rules::CHINESE).expect("a game"))
}

#[test]
fn the_tree_stays_in_its_memory() {
    let game = Game::new(19, Rules::CHINESE).expect("a game");
    let mut search = Search::new(&game, 2 << 20, SearchParams::default());
    search.set_root(&game);
    let mut evaluator = UniformPlayouts::new(&game, 1);
    search.run(&mut evaluator, &|_, _, _| true, &|| search.is_full());
    let grown = search.playouts();
    assert!(grown > 20 && search.fullness() <= 1000);
    // A full tree is cut back and searched on.
    search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= grown + 500);
    assert_eq!(search.playouts(), grown + 500);
    assert!(search.fullness() <= 1000);
    check(&search);
    // The next move starts with room again.
    let mut next = game.clone();
    next.play(search.ranks(|_| true)[0].mv, Side::First)
        .expect("a legal move");
    search.set_root(&next);
    assert!(!search.is_full() && search.fullness() <= 520);
}

/// Random evaluations that depend on the position alone.
struct HashEvaluator;

impl LeafEvaluator for HashEvaluator {
    fn evaluate(&mut self, state: &SearchState, out: &mut Evaluation) {
        let mut rng = SplitMix::new(state.board.key() ^ u64::from(state.turn));
        let mut one = || rng.below(1000) as f32 / 1000.0;
        (out.win, out.lead, out.stdev) = (one(), 20.0 * one() - 10.0, 5.0);
        let legal = state.board.empties().iter().copied().filter(|&p| state.is_legal(p));
        out.policy = legal.chain([PASS]).map(|p| (p, one().powi(4))).collect();
        out.ownership.fill(0.0);
    }
}

#[test]
fn deferred_moves_change_nothing() {
    let game = Game::new(9, Rules::CHINESE).expect("a game");
    let search = |first_moves| {
        let params = SearchParams {
            first_moves,
            ..SearchParams::default()
        };
        let mut search = Search::new(&game, 64 << 20, params);
        search.set_root(&game);
        search.run(&mut HashEvaluator, &|_, _, _| true, &|| search.playouts() >= 3000);
        check(&search);
        search
    };
    let (whole, late) = (search(usize::MAX), search(2));
    let visits = |s: &Search| s.ranks(|_| true).iter().map(|r| (r.mv, r.visits)).collect::<Vec<_>>();
    assert_eq!(visits(&late), visits(&whole));
    assert_eq!(late.analysis().value, whole.analysis().value);
    assert!(
        late.fullness() * 2 < whole.fullness(),
        "{} of {}",
        late.fullness(),
        whole.fullness()
    );
}

#[test]
fn the_subtree_is_kept_for_the_next_move() {
    let mut game = Game::new(7, Rules::CHINESE).expect("a game");
    let mut search = searched(&game, 300, SearchParams::default());
    let first = search.ranks(|_| true)[0];
    game.play(first.mv, Side::First).expect("a legal move");
    search.set_root(&game);
    assert_eq!(search.visits(), first.visits);
    assert_eq!(search.playouts(), 0);
    let mut evaluator = UniformPlayouts::new(&game, 4);
    search.prepare(&mut evaluator);
    check(&search);
    let children = {
        let arenas = search.rooted.arenas();
        arenas.tree.node(arenas.root).children().count()
    };
    assert_eq!(children, game.legal_points().len() + 1);
    search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= 100);
    check(&search);
    assert_eq!(search.visits(), first.visits + 100);
    // Another game has another tree.
    search.set_root(&Game::new(7, Rules::CHINESE).expect("a game"));
    assert_eq!(search.visits(), 0);
}

#[test]
fn the_move_that_decides_is_found() {
    // Black lives or dies by the middle of three points, and wins if he lives.
    let rows = ["...XO", "XXXXO", "OOOOO", ".O.O.", "OOOOO"];
    for rules in [Rules::CHINESE, Rules::TROMP_TAYLOR] {
        for (turn, win) in [(Side::First, true), (Side::Second, true)] {
            let mut game = drawn(&rows, rules, turn);
            game.set_komi(-12.0);
            let search = searched(&game, 500, SearchParams::default());
            let found = search.analysis();
            assert_eq!(best(&search), "B5", "{} {turn:?}", rules.name);
            assert_eq!(
                found.moves[0].value > 0.6,
                win,
                "{} {turn:?} {:?}",
                rules.name,
                found.moves[0]
            );
        }
    }
}

#[test]
fn ended_games_are_counted_by_their_rules() {
    // Both sides live, and a black stone is hopeless among white's.
    let rows = [".XO.O", "XXOOO", "XXOXO", "XXO.O", ".XOO."];
    let leads = [
        (Rules::CHINESE, -5.5),
        (Rules::TROMP_TAYLOR, -2.5),
        (Rules::AGA, -5.5),
        (Rules::NEW_ZEALAND, -5.5),
        (Rules::JAPANESE, -3.5),
        (Rules::COTHU, -0.5),
    ];
    for (rules, lead) in leads {
        let game = drawn(&rows, rules, Side::First);
        let mut evaluator = UniformPlayouts::new(&game, 20);
        let mut evaluation = Evaluation::default();
        let scale = ScoreScale::around(0.0, 5, &SearchParams::default());
        let mut count = |view| {
            let mut state = SearchState::of(&game);
            state.play(PASS);
            state.play(PASS);
            ending::value(
                &mut state,
                &mut evaluator,
                &mut evaluation,
                view,
                &scale,
                &SearchParams::default(),
            )
        };
        let (black, white) = (count(BLACK), count(other(BLACK)));
        assert_eq!((black.lead, black.win), (lead, 0.0), "{}", rules.name);
        assert_eq!((white.lead, white.win), (-lead, 1.0), "{}", rules.name);
        assert!((black.utility + white.utility).abs() < 1e-6 && white.utility > 1.0);
    }
}

#[test]
fn a_pass_is_answered_by_a_pass_where_it_wins() {
    // All points have their owner; what is left are eyes and a dead stone.
    let rows = [".XO.O", "XXOOO", "XXOXO", "XXO.O", ".XOO."];
    for rules in [Rules::CHINESE, Rules::JAPANESE, Rules::AGA] {
        let mut game = drawn(&rows, rules, Side::First);
        game.play(PASS, Side::First).expect("a pass");
        let search = searched(&game, 100, SearchParams::default());
        let found = search.analysis();
        let pass = found.moves.iter().find(|m| m.mv == PASS).expect("the pass");
        let lead = if rules == Rules::JAPANESE { 3.5 } else { 5.5 };
        assert_eq!((pass.value, pass.score, pass.stdev), (1.0, lead, 0.0), "{}", rules.name);
        // Where stones count, taking the dead one off costs nothing either.
        assert!(["pass", "D2"].contains(&best(&search).as_str()));
        assert!(search.analysis().value > 0.9);
    }
}

#[test]
fn the_policy_chooses_where_nothing_was_searched() {
    let game = Game::new(5, Rules::CHINESE).expect("a game");
    let search = searched(&game, 1, SearchParams::default());
    let found = search.analysis();
    assert_eq!((found.visits, found.moves.len()), (1, 26));
    assert!(found.moves[0].rank > 0.0 && found.moves[0].mv != PASS);
    assert_eq!(found.ownership.len(), 25);
    assert!(found.raw.is_some_and(|raw| raw.policy.len() == 26));
}

#[test]
fn noise_is_for_self_play() {
    let game = Game::new(5, Rules::CHINESE).expect("a game");
    let prior = |params| {
        let search = searched(&game, 1, params);
        let arenas = search.rooted.arenas();
        let Arenas { tree, root, .. } = &*arenas;
        let shares: Vec<f32> = tree
            .node(*root)
            .children()
            .map(|child| tree.node(child).prior.get())
            .collect();
        shares
    };
    let quiet = prior(SearchParams::default());
    assert!(quiet[..25].iter().all(|&p| (p - 1.0 / 25.5).abs() < 1e-5));
    let noisy = prior(SearchParams::self_play(3));
    assert!((noisy.iter().sum::<f32>() - 1.0).abs() < 1e-4 && noisy[0] > 1.5 * quiet[0]);
    assert_ne!(noisy, prior(SearchParams::self_play(4)));
}

#[test]
fn games_are_legal_and_end_under_all_rules() {
    for rules in Rules::ALL {
        let mut game = Game::new(5, rules).expect("a game");
        let mut search = Search::new(&game, 16 << 20, SearchParams::default());
        let mut evaluator = UniformPlayouts::new(&game, 2);
        let mut moves = 0;
        while game.ended().is_none() && moves < 150 {
            search.set_root(&game);
            search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= 40);
            let mv = search.ranks(|p| game.is_legal(p, game.side()))[0].mv;
            let c = crate::games::go::types::colour(game.side());
            assert!(mv == PASS || !game.board().is_eye(mv, c), "{}", game.picture());
            game.play(mv, game.side()).expect("a legal move");
            moves += 1;
        }
        assert!(game.ended().is_some(), "{}: {}", rules.name, game.picture());
    }
}

#[test]
fn forbidden_moves_are_not_tried() {
    let game = Game::new(5, Rules::CHINESE).expect("a game");
    let mut search = Search::new(&game, 16 << 20, SearchParams::default());
    search.set_root(&game);
    let centre = coords::parse(game.board(), "C3").expect("a vertex");
    let mut evaluator = UniformPlayouts::new(&game, 2);
    let only = |depth: usize, _: Colour, p: Point| depth > 0 || p == centre;
    search.run(&mut evaluator, &only, &|| search.playouts() >= 50);
    assert_eq!(best(&search), "C3");
    assert_eq!(search.analysis().moves[0].visits, 49);
}

#[test]
fn random_lines_lead_to_each_visit_as_often() {
    let game = Game::new(5, Rules::CHINESE).expect("a game");
    let search = searched(&game, 40, SearchParams::default());
    let arenas = search.rooted.arenas();
    let Arenas { tree, root, .. } = &*arenas;
    let mut rng = SplitMix::new(1);
    let draws = 8000;
    let (mut at_root, mut first) = (0, std::collections::HashMap::new());
    for _ in 0..draws {
        let line = search.random_line(&mut rng);
        let mut at = *root;
        for &mv in &line {
            at = tree.child(at, mv).expect("a node of the tree");
            assert!(tree.node(at).visits() > 0);
        }
        match line.first() {
            None => at_root += 1,
            Some(&mv) => *first.entry(mv).or_insert(0) += 1,
        }
    }
    let near = |seen: i32, visits: u32| (f64::from(seen) / f64::from(draws) - f64::from(visits) / 40.0).abs() < 0.03;
    assert!(near(at_root, 1), "{at_root} times the root");
    for child in tree.node(*root).children().map(|id| tree.node(id)) {
        let seen = first.get(&child.mv()).copied().unwrap_or(0);
        assert!(near(seen, child.visits()), "{seen} of {} visits", child.visits());
    }
}

/// Counts the evaluations of another evaluator.
struct Counted<'a>(UniformPlayouts, &'a AtomicU64);

impl LeafEvaluator for Counted<'_> {
    fn evaluate(&mut self, state: &SearchState, out: &mut Evaluation) {
        self.1.fetch_add(1, Relaxed);
        self.0.evaluate(state, out);
    }
}

#[test]
fn a_full_tree_makes_space_and_goes_on_evaluating() {
    let game = Game::new(9, Rules::CHINESE).expect("a game");
    for threads in [1, 4] {
        let search = Search::new(&game, 1, SearchParams::default());
        let evaluations = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let mut evaluator = Counted(UniformPlayouts::new(&game, 1), &evaluations);
                let search = &search;
                scope.spawn(move || search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= 6000));
            }
        });
        assert!(evaluations.load(Relaxed) >= 5500, "{evaluations:?} by {threads}");
        assert!(u64::from(search.visits()) == search.playouts() && search.fullness() <= 1000);
        let analysis = search.analysis();
        assert!((0.0..=1.0).contains(&analysis.value), "{}", analysis.value);
        assert!(
            analysis.weight > 1000.0 && analysis.weight < 6001.0,
            "{}",
            analysis.weight
        );
        // One visit of the root was its own.
        let below: u32 = analysis.moves.iter().map(|m| m.visits).sum();
        assert_eq!(below + 1, analysis.visits);
    }
}
