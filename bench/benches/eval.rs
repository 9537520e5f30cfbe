//! Processor nanoseconds per evaluation, by material and by networks of random weights, on all children of positions of
//! random games.

mod cpu;

use nguky::eval::Material;
use nguky::eval::nnue::{Chunk, LANES, Net, NnueEvaluator};
use nguky::game::{Evaluator, Features, Kind, Moves, PieceValues};
use nguky::games::{chess::Chess, shogi::Shogi, xiangqi::Xiangqi};
use nguky::util::rng::SplitMix;
use std::hint::black_box;
use std::sync::Arc;

/// Plays the same so many games every time; `rounds` times over each position's children, which a search meets again and
/// again too. Returns the seconds taken and the children met.
fn walk<P: PieceValues>(evaluator: &mut impl Evaluator<P>, games: u32, rounds: u32, evaluates: bool) -> (f64, u64) {
    let mut random = SplitMix::new(11);
    let (mut count, mut sum) = (0, 0);
    let start = cpu::seconds();
    for _ in 0..games {
        let Ok(mut p) = P::parse(P::START, &P::Rules::default()) else {
            return (0.0, 0);
        };
        evaluator.reset(&p);
        for _ in 0..100 {
            let mut moves = Moves::new();
            p.generate(Kind::All, &mut moves);
            if moves.is_empty() {
                break;
            }
            for m in (0..rounds).flat_map(|_| moves.iter()) {
                let d = p.play(m);
                if evaluates {
                    evaluator.push(&d);
                    sum += i64::from(evaluator.score(black_box(&p)));
                    evaluator.pop();
                }
                p.undo();
                count += 1;
            }
            let d = p.play(moves.at(random.below(moves.len() as u64) as usize).mv);
            evaluator.push(&d);
        }
    }
    black_box(sum);
    (cpu::seconds() - start, count)
}

fn gauge<P: PieceValues>(what: &str, evaluator: &mut impl Evaluator<P>) {
    // Long enough for clocks that tick every hundredth of a second.
    for (name, games, rounds) in [("each once", 1000, 1), ("each ten times", 100, 10)] {
        let (with, count) = walk::<P>(evaluator, games, rounds, true);
        let (without, _) = walk::<P>(evaluator, games, rounds, false);
        let nanos = (with - without).max(0.0) * 1e9 / (count.max(1) as f64);
        println!(
            "{} {what}, {name}: {nanos:.0} ns per evaluation, {count} evaluations",
            P::NAME
        );
    }
}

/// A network of random weights.
fn network<P: Features>(hidden: usize) -> Net {
    let (width, mut random) = (hidden / LANES, SplitMix::new(3));
    let mut chunks = |n: usize, most: u64| -> Vec<Chunk> {
        let mut weight = || (random.below(2 * most + 1) as i64 - most as i64) as i16;
        (0..n)
            .map(|_| Chunk(std::array::from_fn::<i16, LANES, _>(|_| weight())))
            .collect()
    };
    Net {
        name: "random".into(),
        width,
        fine: 1,
        bits: 10,
        feature_weights: chunks(P::INPUTS * width, 60),
        feature_biases: chunks(width, 100),
        output_weights: chunks(P::OUTPUT_BUCKETS * 2 * width, 127),
        output_biases: vec![0; P::OUTPUT_BUCKETS],
    }
}

fn both<P: PieceValues>() {
    gauge::<P>("by material", &mut Material::<P>::default());
    for hidden in [64, 128, 256] {
        let net = Arc::new(network::<P>(hidden));
        gauge::<P>(
            &format!("by accumulators of {hidden} values"),
            &mut NnueEvaluator::<P>::new(net),
        );
    }
}

fn main() {
    both::<Chess>();
    both::<Xiangqi>();
    both::<Shogi>();
}
