use super::*;
use crate::game::Side;
use crate::games::go::{Board, Rules, coords};
use crate::mcts::leaf::{Judgement, Leaf, Playouts};
use crate::mcts::playout::Rates;

/// A judge without a network: an even policy, and values by a few playouts.
struct Stand(Playouts, Judgement, usize);

impl Stand {
    fn new(game: &Game, playouts: usize) -> Self {
        let leaf = Playouts::new(game.board(), Rates::HEAVY, 5);
        Self(leaf, Judgement::default(), playouts)
    }
}

impl Judge for Stand {
    fn consider(&mut self, state: &State, out: &mut Opinion) {
        out.priors.clear();
        let legal = state.board.empties().iter().copied().filter(|&p| state.is_legal(p));
        out.priors.extend(legal.map(|p| (p, 1.0)));
        let n = out.priors.len() as f32;
        // The pass is half as likely as any point.
        out.priors.iter_mut().for_each(|(_, share)| *share = 1.0 / (n + 0.5));
        out.priors.push((PASS, 0.5 / (n + 0.5)));
        (out.win, out.lead, out.stdev) = (0.0, 0.0, 5.0);
        out.ownership.fill(0.0);
        let n = self.2 as f32;
        for _ in 0..self.2 {
            self.0.judge(state, &mut self.1);
            out.win += self.1.value / n;
            out.lead += self.1.score / n;
            for (sum, &owner) in out.ownership.iter_mut().zip(self.1.ownership.iter()) {
                *sum += f32::from(owner) / n;
            }
        }
    }
}

fn drawn(rows: &[&str], rules: Rules, turn: Side) -> Game {
    let mut game = Game::from_board(Board::drawn(rows).expect("a square drawing"), rules, turn);
    game.set_komi(0.5);
    game
}

fn searched(game: &Game, visits: u64, params: Params) -> Search {
    let mut search = Search::new(game, 64 << 20, params);
    search.set_root(game);
    let mut judge = Stand::new(game, 4);
    search.run(&mut judge, &|_, _, _| true, &|| search.playouts() >= visits);
    search
}

fn best(search: &Search) -> String {
    let mv = search.ranks(|_| true)[0].mv;
    coords::text(&search.state().board, mv)
}

/// Every node's visits are its own judgement and its children's visits, and nobody is left inside.
fn check(search: &Search) {
    let Trunk { tree, root, .. } = &search.trunk;
    let mut todo = vec![*root];
    while let Some(id) = todo.pop() {
        let node = tree.node(id);
        assert_eq!(node.pending(), 0);
        let kids = node.children();
        if node.visits() > 0 && !node.is_leaf() {
            let below: u32 = kids.clone().map(|kid| tree.node(kid).visits()).sum();
            assert_eq!(node.visits(), 1 + below);
            let (worth, weight) = (node.mean(), node.weight.get());
            assert!((0.0..=1.0).contains(&worth.win), "{worth:?}");
            assert!(worth.utility.abs() <= 2.0 * search.params.radius(), "{worth:?}");
            assert!(
                weight > 0.0 && weight <= node.visits() as f32 * 1.001 + 1e-3,
                "{weight}"
            );
        }
        let priors: Vec<f32> = kids.clone().map(|kid| tree.node(kid).prior.get()).collect();
        let sum: f32 = priors.iter().sum();
        let whole = if node.has_more() {
            sum < 1.0
        } else {
            (sum - 1.0).abs() < 1e-3
        };
        assert!(priors.is_empty() || whole, "{sum}");
        assert!(priors.windows(2).all(|p| p[0] >= p[1]));
        todo.extend(kids);
    }
}

#[test]
fn visits_add_up() {
    let game = Game::new(7, Rules::CHINESE).expect("a game");
    let search = searched(&game, 400, Params::default());
    check(&search);
    assert_eq!((search.playouts(), search.visits()), (400, 400));
    assert_eq!(searched(&game, 1, Params::default()).visits(), 1);
}

#[test]
fn visits_add_up_over_threads() {
    let game = Game::new(7, Rules::CHINESE).expect("a game");
    let mut search = Search::new(&game, 64 << 20, Params::default());
    search.set_root(&game);
    let search = &search;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut judge = Stand::new(search_game(), 2);
                search.run(&mut judge, &|_, _, _| true, &|| search.playouts() >= 500);
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
    let mut search = Search::new(&game, 2 << 20, Params::default());
    search.set_root(&game);
    let mut judge = Stand::new(&game, 1);
    // Ends by itself.
    search.run(&mut judge, &|_, _, _| true, &|| false);
    assert!(search.is_full() && search.fullness() <= 1000);
    assert!(search.playouts() > 20);
    check(&search);
    // The next move starts with room again.
    let mut next = game.clone();
    next.play(search.ranks(|_| true)[0].mv, Side::First)
        .expect("a legal move");
    search.set_root(&next);
    assert!(!search.is_full() && search.fullness() <= 520);
}

/// A judge that says the same of a position whenever it is asked, and something else of each.
struct Oracle;

impl Judge for Oracle {
    fn consider(&mut self, state: &State, out: &mut Opinion) {
        let mut rng = SplitMix::new(state.board.key() ^ u64::from(state.turn));
        let mut one = || rng.below(1000) as f32 / 1000.0;
        (out.win, out.lead, out.stdev) = (one(), 20.0 * one() - 10.0, 5.0);
        let legal = state.board.empties().iter().copied().filter(|&p| state.is_legal(p));
        out.priors = legal.chain([PASS]).map(|p| (p, one().powi(4))).collect();
        out.ownership.fill(0.0);
    }
}

#[test]
fn moves_that_get_their_nodes_late_change_nothing() {
    let game = Game::new(9, Rules::CHINESE).expect("a game");
    let search = |first_moves| {
        let params = Params {
            first_moves,
            ..Params::default()
        };
        let mut search = Search::new(&game, 64 << 20, params);
        search.set_root(&game);
        search.run(&mut Oracle, &|_, _, _| true, &|| search.playouts() >= 3000);
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
fn what_was_found_is_kept_for_the_next_move() {
    let mut game = Game::new(7, Rules::CHINESE).expect("a game");
    let mut search = searched(&game, 300, Params::default());
    let first = search.ranks(|_| true)[0];
    game.play(first.mv, Side::First).expect("a legal move");
    search.set_root(&game);
    assert_eq!(search.visits(), first.visits);
    assert_eq!(search.playouts(), 0);
    let mut judge = Stand::new(&game, 4);
    search.prepare(&mut judge);
    check(&search);
    let kids = search.trunk.tree.node(search.trunk.root).children().count();
    assert_eq!(kids, game.legal_points().len() + 1);
    search.run(&mut judge, &|_, _, _| true, &|| search.playouts() >= 100);
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
            let search = searched(&game, 500, Params::default());
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
        let mut judge = Stand::new(&game, 20);
        let mut opinion = Opinion::default();
        let scale = Scale::around(0.0, 5, &Params::default());
        let mut count = |view| {
            let mut state = State::of(&game);
            state.play(PASS);
            state.play(PASS);
            ending::worth(&mut state, &mut judge, &mut opinion, view, &scale, &Params::default())
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
        let search = searched(&game, 100, Params::default());
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
    let search = searched(&game, 1, Params::default());
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
        let Trunk { tree, root, .. } = &search.trunk;
        let shares: Vec<f32> = tree
            .node(*root)
            .children()
            .map(|kid| tree.node(kid).prior.get())
            .collect();
        shares
    };
    let quiet = prior(Params::default());
    assert!(quiet[..25].iter().all(|&p| (p - 1.0 / 25.5).abs() < 1e-5));
    let noisy = prior(Params::self_play(3));
    assert!((noisy.iter().sum::<f32>() - 1.0).abs() < 1e-4 && noisy[0] > 1.5 * quiet[0]);
    assert_ne!(noisy, prior(Params::self_play(4)));
}

#[test]
fn games_are_legal_and_end_under_all_rules() {
    for rules in Rules::ALL {
        let mut game = Game::new(5, rules).expect("a game");
        let mut search = Search::new(&game, 16 << 20, Params::default());
        let mut judge = Stand::new(&game, 2);
        let mut moves = 0;
        while game.ended().is_none() && moves < 150 {
            search.set_root(&game);
            search.run(&mut judge, &|_, _, _| true, &|| search.playouts() >= 40);
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
    let mut search = Search::new(&game, 16 << 20, Params::default());
    search.set_root(&game);
    let centre = coords::parse(game.board(), "C3").expect("a vertex");
    let mut judge = Stand::new(&game, 2);
    let only = |depth: usize, _: Colour, p: Point| depth > 0 || p == centre;
    search.run(&mut judge, &only, &|| search.playouts() >= 50);
    assert_eq!(best(&search), "C3");
    assert_eq!(search.analysis().moves[0].visits, 49);
}
