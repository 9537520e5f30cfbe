//! Evaluations per processor second of go networks with random weights: by the network alone, in floats and in 8-bit integers,
//! and with the planes and the policy around it on the positions of a random game.

mod cpu;

use nguky::eval::conv::model::Activation;
use nguky::eval::conv::random::{BlockShape, ModelShape};
use nguky::eval::conv::{Method, Model, Net, Output, Runner};
use nguky::games::go::{Game, Rules};
use nguky::mcts::evaluator::{Evaluation, LeafEvaluator};
use nguky::mcts::network::planes::{GLOBALS, SPATIAL};
use nguky::mcts::network::{NetEvaluator, Network, Symmetry};
use nguky::mcts::state::SearchState;
use nguky::util::rng::SplitMix;
use std::hint::black_box;
use std::sync::Arc;

/// Processor seconds of each measurement.
const SECONDS: f64 = 2.0;

fn shape(blocks: usize, channels: usize) -> ModelShape {
    let layer = |i| {
        if i == 2 || i == 4 {
            BlockShape::Pooling
        } else {
            BlockShape::Ordinary
        }
    };
    ModelShape {
        version: 8,
        spatial: SPATIAL,
        globals: GLOBALS,
        first: 5,
        channels,
        middle: channels,
        pooled: channels / 3,
        blocks: (0..blocks).map(layer).collect(),
        act: Activation::Relu,
        head: 32,
        value: 64,
    }
}

/// How often a second `work` can be done.
fn rate(mut work: impl FnMut()) -> f64 {
    work();
    let start = cpu::seconds();
    let mut n = 0.0;
    while cpu::seconds() - start < SECONDS {
        (0..8).for_each(|_| work());
        n += 8.0;
    }
    n / (cpu::seconds() - start)
}

/// The positions of a random game.
fn positions(size: usize) -> Vec<SearchState> {
    let mut rng = SplitMix::new(5);
    let Ok(mut game) = Game::new(size, Rules::CHINESE) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for _ in 0..size * size * 2 / 3 {
        let points = game.legal_points();
        let p = points[rng.below(points.len() as u64) as usize];
        if game.play(p, game.side()).is_err() {
            break;
        }
        all.push(SearchState::of(&game));
    }
    all
}

fn main() -> Result<(), String> {
    for (name, blocks, channels) in [("b6c96", 6, 96), ("b6c64", 6, 64), ("b4c32", 4, 32)] {
        let model = Model::random(name, &shape(blocks, channels), 1);
        let net = Arc::new(Net::by(&model, Method::Winograd)?);
        let quantized = Arc::new(Net::by(&model, Method::Quantized)?);
        let network = Arc::new(Network::new(&model, 0)?);
        for size in [9, 13, 19] {
            let planes: Vec<f32> = (0..SPATIAL * size * size)
                .map(|i| f32::from(u8::from(i % 7 == 0)))
                .collect();
            let mut out = Output::default();
            let mut alone = |net: &Arc<Net>| {
                let mut runner = Runner::new(net.clone());
                rate(|| runner.run((size, size), black_box(&planes), &[0.5; GLOBALS], &mut out))
            };
            let (floats, bytes) = (alone(&net), alone(&quantized));
            let states = positions(size);
            let mut evaluator = NetEvaluator::new(network.clone(), Symmetry::Random, 1);
            let (mut i, mut evaluation) = (0, Evaluation::default());
            let whole = rate(|| {
                evaluator.evaluate(&states[i % states.len()], &mut evaluation);
                i += 1;
            });
            println!("{name} {size}x{size}: {floats:.0} a second, with all around it {whole:.0}; in 8 bits {bytes:.0}");
        }
    }
    Ok(())
}
