//! How many positions a second the trainer takes, by width and threads; bench/README.md has the command.

use super::*;
use crate::games::Quiet;
use nguky::game::random::{random_move, step};
use nguky::games::{chess::Chess, shogi::Shogi, xiangqi::Xiangqi};

/// Positions of random games.
pub fn random_positions<P: Features>(n: usize, seed: u64) -> Data {
    let (mut data, mut rng) = (Data::new::<P>(), SplitMix::new(seed));
    while data.len() < n {
        let mut pos = P::parse(P::START, &P::Rules::default()).expect("the start");
        for ply in 0..80 {
            if pos.ended().is_some() {
                break;
            }
            let Some(mv) = random_move(&pos, &mut rng) else {
                break;
            };
            step(&mut pos, mv, &mut rng);
            if ply > 8 {
                data.add(&Quiet {
                    pos: &pos,
                    score: rng.below(801) as i32 - 400,
                    result: Some(rng.below(3) as f32 / 2.0),
                    game: 0,
                });
            }
        }
    }
    data
}

fn measure<P: Features>(hidden: usize, threads: usize, data: &Data) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads");
    let weights = Weights::random::<P>(hidden, 1);
    let mut learner = Learner::new::<P>(&weights, &Adam::new(weights.all.len()), threads);
    let list: Vec<u32> = (0..data.len() as u32).collect();
    let goal = Goal {
        blend: 0.3,
        unit: 300.0,
    };
    let mut fastest = f64::INFINITY;
    for list in list.chunks(4096).cycle().take(16) {
        let begun = Instant::now();
        let batch = Batch {
            list,
            goal,
            mirror: Some(1),
        };
        pool.install(|| learner.learn::<P>(data, batch, Pull::new(1e-3, 0.01)));
        fastest = fastest.min(begun.elapsed().as_secs_f64() / list.len() as f64);
    }
    println!(
        "{}, {hidden} wide, {threads} threads: {:.0} positions/s",
        P::NAME,
        1.0 / fastest
    );
}

/// The fastest of sixteen batches each: what the machine does when nothing else runs.
#[test]
#[ignore = "a measurement: bench/README.md"]
fn positions_a_second() {
    let data = random_positions::<Chess>(16_384, 1);
    for hidden in [32, 128, 256, 512, 768, 1024] {
        (1..=2).for_each(|threads| measure::<Chess>(hidden, threads, &data));
    }
    let data = random_positions::<Xiangqi>(16_384, 1);
    (1..=2).for_each(|threads| measure::<Xiangqi>(256, threads, &data));
    let data = random_positions::<Shogi>(16_384, 1);
    (1..=2).for_each(|threads| measure::<Shogi>(64, threads, &data));
}
