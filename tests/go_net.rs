//! Networks of go: the inputs, what a public net says of some positions, the memory of evaluations.

use nguky::control::Engine;
use nguky::eval::conv::model::Activation;
use nguky::eval::conv::random::{BlockShape, ModelShape};
use nguky::eval::conv::{Model, Simd};
use nguky::game::Side;
use nguky::games::go::rules::{Bonus, DeadStones, Ko, Rules, Scoring, Tax};
use nguky::games::go::types::{BLACK, PASS};
use nguky::games::go::{Board, Game, coords};
use nguky::mcts::Mcts;
use nguky::mcts::evaluator::{Evaluation, LeafEvaluator};
use nguky::mcts::network::{NetEvaluator, Network, Precision, Symmetry};
use nguky::mcts::state::SearchState;
use nguky::util::rng::SplitMix;
use std::sync::Arc;

/// A game by GTP commands, under the rules that the transcript prints.
fn game(commands: &str, rules: &str) -> Game {
    let json: serde_json::Value = serde_json::from_str(rules).expect("rules");
    let rules = Rules {
        name: "custom",
        ko: match json["ko"].as_str() {
            Some("SIMPLE") => Ko::Simple,
            Some("POSITIONAL") => Ko::Positional,
            _ => Ko::Situational,
        },
        scoring: if json["scoring"] == "AREA" {
            Scoring::Area
        } else {
            Scoring::Territory
        },
        suicide: json["suicide"] == true,
        tax: if json["tax"] == "NONE" { Tax::None } else { Tax::Seki },
        dead: if json["friendlyPassOk"] == true {
            DeadStones::Agreed
        } else {
            DeadStones::Stay
        },
        stone_limit: false,
        bonus: Bonus::None,
        komi: json["komi"].as_f64().expect("komi") as f32,
    };
    let mut game = None;
    for command in commands.split('|') {
        let words: Vec<&str> = command.split(' ').collect();
        match words[..] {
            ["boardsize", n] => game = Game::new(n.parse().expect("a size"), rules).ok(),
            ["play", c, v] => {
                let game = game.as_mut().expect("a board");
                let p = coords::parse(game.board(), v).expect("a vertex");
                game.play(p, coords::parse_side(c).expect("a colour"))
                    .expect("a legal move");
            }
            _ => {}
        }
    }
    game.expect("a board")
}

#[test]
fn a_public_net_says_what_it_says_elsewhere() {
    let (facts, model) = (std::env::var("NGUKY_FACTS"), std::env::var("NGUKY_KATAGO_MODEL"));
    let (Ok(facts), Ok(model)) = (facts, model) else {
        eprintln!("skipped: NGUKY_FACTS or NGUKY_KATAGO_MODEL is not set");
        return;
    };
    let text = std::fs::read_to_string(facts + "/go/own/raw-nn-b6c96.txt").expect("the facts");
    for kernel in Simd::available() {
        let network = Network::open(&model, Precision::Auto, 0).expect("a model").by(kernel);
        let mut evaluator = NetEvaluator::new(Arc::new(network), Symmetry::Fixed(0), 1);
        let mut seen = 0;
        for part in text.split("### ").skip(1) {
            let commands = part.lines().next().expect("commands");
            let rules = part.lines().find_map(|l| l.strip_prefix("Rules: ")).expect("rules");
            let state = SearchState::of(&game(commands, rules));
            let ours = evaluator.raw(&state, 0, 0.0).to_string();
            let theirs = &part[part.find("symmetry 0").expect("an answer")..];
            assert_close(&ours, theirs, &format!("{kernel:?}, {commands}"));
            seen += 1;
        }
        assert_eq!(seen, 4);
    }
}

/// Fails unless two texts have the same words and numbers that differ by less than a thousandth (of what is over 1).
fn assert_close(ours: &str, theirs: &str, what: &str) {
    assert_eq!(ours.lines().count(), theirs.trim_end().lines().count(), "{what}");
    for (a, b) in ours.lines().zip(theirs.lines()) {
        assert_eq!(a.split(' ').count(), b.split(' ').count(), "{what}: {a} {b}");
        for (a, b) in a.split_whitespace().zip(b.split_whitespace()) {
            match (a.parse::<f32>(), b.parse::<f32>()) {
                (Ok(x), Ok(y)) if !y.is_nan() => {
                    let off = (x - y).abs() / y.abs().max(1.0);
                    assert!(off < 1e-3, "{what}: {a}, expected {b}");
                }
                _ => assert_eq!(a, b, "{what}"),
            }
        }
    }
}

fn tiny() -> Model {
    of_version(14)
}

fn of_version(version: u32) -> Model {
    let shape = ModelShape {
        version,
        spatial: 22,
        globals: 19,
        first: 3,
        channels: 16,
        middle: 8,
        pooled: 8,
        blocks: vec![BlockShape::Ordinary, BlockShape::Pooling],
        act: Activation::Mish,
        head: 8,
        value: 16,
    };
    Model::random("tiny", &shape, 5)
}

#[test]
fn evaluations_are_sane_and_remembered() {
    let network = Arc::new(Network::new(&tiny(), 1 << 20).expect("a net"));
    let mut evaluator = NetEvaluator::new(network.clone(), Symmetry::Random, 1);
    let mut other = NetEvaluator::new(network, Symmetry::Random, 2);
    for size in [2, 9, 19, 25] {
        let mut game = Game::new(size, Rules::CHINESE).expect("a game");
        for _ in 0..3 {
            let p = game.legal_points()[0];
            game.play(p, game.side()).expect("legal");
            let state = SearchState::of(&game);
            let (mut first, mut second) = (Evaluation::default(), Evaluation::default());
            evaluator.evaluate(&state, &mut first);
            let sum: f32 = first.policy.iter().map(|p| p.1).sum();
            assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            assert!(first.policy.iter().all(|&(p, _)| p == PASS || state.is_legal(p)));
            assert_eq!(first.policy.len(), game.legal_points().len() + 1);
            assert!((0.0..=1.0).contains(&first.win));
            // Another thread is told the same, although it would have turned the board otherwise.
            other.evaluate(&state, &mut second);
            assert_eq!(
                (first.policy, first.win, first.lead),
                (second.policy, second.win, second.lead)
            );
            assert!(
                first
                    .ownership
                    .iter()
                    .zip(second.ownership.iter())
                    .all(|(a, b)| (a - b).abs() < 1e-4)
            );
        }
    }
}

#[test]
fn a_turned_board_turns_the_answer() {
    let network = Arc::new(Network::new(&tiny(), 0).expect("a net"));
    let mut evaluator = NetEvaluator::new(network, Symmetry::Fixed(0), 1);
    let turn = |x: usize, y: usize, n: usize, t: u8| {
        let (x, y) = (
            if t & 2 != 0 { n - 1 - x } else { x },
            if t & 1 != 0 { n - 1 - y } else { y },
        );
        if t & 4 != 0 { (y, x) } else { (x, y) }
    };
    for t in 0..8 {
        let n = 7;
        let mut games = [(); 2].map(|()| Game::new(n, Rules::TROMP_TAYLOR).expect("a game"));
        for (i, (x, y)) in [(1, 0), (2, 3), (1, 1), (4, 5), (0, 0), (6, 2)].into_iter().enumerate() {
            let (tx, ty) = turn(x, y, n, t);
            // The planes count rows from the top.
            let at = [(x, n - 1 - y), (tx, n - 1 - ty)];
            for (game, (x, y)) in games.iter_mut().zip(at) {
                let side = if i % 2 == 0 { Side::First } else { Side::Second };
                let p = game.board().at(x, y);
                game.play(p, side).expect("legal");
            }
        }
        let turned = evaluator.raw(&SearchState::of(&games[0]), t, 0.0);
        let straight = evaluator.raw(&SearchState::of(&games[1]), 0, 0.0);
        assert!((turned.win - straight.win).abs() < 1e-5, "{t}");
        for i in 0..n * n {
            let (x, y) = turn(i % n, i / n, n, t);
            let (a, b) = (turned.policy[i], straight.policy[y * n + x]);
            assert!(a.zip(b).is_none_or(|(a, b)| (a - b).abs() < 1e-5), "{t} {i}");
            assert_eq!(a.is_some(), b.is_some());
        }
    }
}

/// Logits are mixed, so chances are multiplied; the root is judged more soberly than the tree, and both are remembered.
#[test]
fn policies_are_mixed_by_optimism() {
    let game = Game::new(5, Rules::CHINESE).expect("a game");
    let state = SearchState::of(&game);
    for version in [8, 12, 16] {
        let network = Arc::new(Network::new(&of_version(version), 1 << 20).expect("a net"));
        let mut evaluator = NetEvaluator::new(network, Symmetry::Fixed(0), 1);
        let mut policy = |optimism| -> Vec<f32> {
            evaluator
                .raw(&state, 0, optimism)
                .policy
                .into_iter()
                .flatten()
                .collect()
        };
        let (sober, half, hopeful) = (policy(0.0), policy(0.5), policy(1.0));
        assert_eq!(sober == hopeful, version < 12, "{version}");
        let ratio = |i: usize| half[i] * half[i] / (sober[i] * hopeful[i]);
        assert!((1..25).all(|i| (ratio(i) / ratio(0) - 1.0).abs() < 1e-3), "{version}");
        let root = policy(0.2);
        for _ in 0..2 {
            let mut evaluation = Evaluation::default();
            let share = |o: &Evaluation| o.policy.iter().find(|p| p.0 == game.board().at(0, 4)).map(|p| p.1);
            evaluator.evaluate(&state, &mut evaluation);
            assert!(
                share(&evaluation).is_some_and(|p| (p - hopeful[0]).abs() < 1e-6),
                "{version}"
            );
            evaluator.evaluate_root(&state, &mut evaluation);
            assert!(
                share(&evaluation).is_some_and(|p| (p - root[0]).abs() < 1e-6),
                "{version}"
            );
        }
    }
}

#[test]
fn models_that_do_not_fit_are_refused() {
    let mut model = tiny();
    model.spatial = 21;
    model.trunk.conv.inputs = 21;
    let length = 9 * 21 * 16;
    model.trunk.conv.weights.truncate(length);
    let why = Network::new(&model, 0).err().expect("a refusal");
    assert_eq!(why, "21 input planes and 19 numbers, expected 22 and 19");
    let why = Network::open("/nowhere/at/all.bin.gz", Precision::Auto, 0)
        .err()
        .expect("a refusal");
    assert!(
        why.contains("\"/nowhere/at/all.bin.gz\": ") && !why.contains('\n'),
        "{why}"
    );
}

#[test]
fn the_past_of_a_state_follows_its_game() {
    let mut game = Game::new(9, Rules::JAPANESE).expect("a game");
    let root = SearchState::of(&game);
    let mut state = root.clone();
    for v in ["C3", "G7", "pass", "C4", "D4", "D3", "C5"] {
        let p = coords::parse(game.board(), v).expect("a vertex");
        game.play(p, game.side()).expect("legal");
        state.play(p);
        assert_eq!(
            state.recent.key(state.turn),
            SearchState::of(&game).recent.key(state.turn),
            "{v}"
        );
    }
    state.rewind(&root);
    assert_eq!(state.recent.key(BLACK), root.recent.key(BLACK));
    assert_eq!(Board::new(9).expect("a board").key(), state.board.key());
}

#[test]
fn a_bad_model_leaves_the_former() {
    let folder = std::env::temp_dir().join(format!("nguky-go-net-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).display().to_string();
    let file = tiny().write();
    std::fs::write(path("good.bin"), &file).expect("written");
    std::fs::write(path("half.bin"), tiny().write_half()).expect("written");
    std::fs::write(path("short.bin"), &file[..file.len() / 2]).expect("written");

    let mut engine = Mcts::new().expect("an engine");
    engine.set_option("Board Size", Some("9")).expect("set");
    engine.set_option("Model", Some(&path("good.bin"))).expect("loaded");
    assert!(engine.has_network());
    let before = engine.raw_network(Side::First, 0, None).expect("a network").to_string();
    for bad in ["short.bin", "none.bin"] {
        let why = engine
            .set_option("Model", Some(&path(bad)))
            .expect_err("a refusal")
            .to_string();
        assert!(why.contains(bad) && !why.contains('\n'), "{why}");
        assert_eq!(
            engine.raw_network(Side::First, 0, None).map(|r| r.to_string()),
            Some(before.clone())
        );
    }
    engine.set_option("Model", Some(&path("half.bin"))).expect("loaded");
    engine.set_option("Net Cache", Some("0")).expect("set");
    assert!(engine.has_network());
    engine.set_option("Evaluator", Some("playouts")).expect("set");
    assert!(!engine.has_network());
    std::fs::remove_dir_all(folder).expect("removed");
}

/// The build refuses a damaged network, the engine one that it cannot use.
#[test]
fn what_is_built_in_can_be_read() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/engines/nets/go.bin.gz");
    if let Ok(bytes) = std::fs::read(file) {
        assert!(
            matches!(Network::built_in(Precision::Auto, 1 << 20), Ok(Some(_))),
            "{file}"
        );
        assert!(bytes.len() < 2_000_000, "{file}: {} bytes", bytes.len());
    }
}

/// Run in 8-bit integers the built-in network says almost the same: policies differ by a share, win chances hardly.
#[test]
fn what_is_built_in_bears_eight_bits() {
    let by = |precision| Network::built_in(precision, 0).expect("a network that can be read");
    let (Some(floats), Some(bytes)) = (by(Precision::Float), by(Precision::Int8)) else {
        return;
    };
    let mut evaluators = [floats, bytes].map(|net| NetEvaluator::new(Arc::new(net), Symmetry::Fixed(0), 1));
    let mut rng = SplitMix::new(7);
    let (mut count, mut policy, mut win) = (0.0, 0.0, 0.0);
    for size in [9, 13, 19] {
        let mut game = Game::new(size, Rules::CHINESE).expect("a board");
        while game.board().empties().len() > size * size / 2 {
            let points = game.legal_points();
            let point = points[rng.below(points.len() as u64) as usize];
            game.play(point, game.side()).expect("a legal move");
            if !game.board().empties().len().is_multiple_of(5) {
                continue;
            }
            let state = SearchState::of(&game);
            let mut evaluations = [Evaluation::default(), Evaluation::default()];
            for (evaluator, evaluation) in evaluators.iter_mut().zip(&mut evaluations) {
                evaluator.evaluate(&state, evaluation);
            }
            let [a, b] = &evaluations;
            assert_ne!(a.win, b.win, "two ways that are one");
            let apart = a.policy.iter().zip(&b.policy).map(|(x, y)| (x.1 - y.1).abs());
            policy += apart.sum::<f32>() / 2.0;
            win += (a.win - b.win).abs();
            count += 1.0;
        }
    }
    assert!(
        policy / count < 0.05,
        "policies are {} apart on average",
        policy / count
    );
    assert!(win / count < 0.02, "win chances are {} apart on average", win / count);
}
