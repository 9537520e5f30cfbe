//! Nanoseconds per lookup of the attack tables, on random occupations. Compare with `--features nguky/magic`.

use nguky::bits::sliders::{bishop, queen, rook, walk_rook};
use nguky::util::rng::SplitMix;
use std::hint::black_box;
use std::time::Instant;

fn gauge(name: &str, boards: &[u64], look: impl Fn(u8, u64) -> u64) {
    let rounds = 200;
    let start = Instant::now();
    let mut sum = 0u64;
    for round in 0..rounds {
        for (i, &b) in boards.iter().enumerate() {
            sum ^= look(((i * 29 + round) & 63) as u8, b);
        }
    }
    let lookups = (rounds * boards.len()) as f64;
    black_box(sum);
    println!("{name}: {:.2} ns", start.elapsed().as_nanos() as f64 / lookups);
}

fn main() {
    let mut random = SplitMix::new(7);
    let boards: Vec<u64> = (0..1 << 16).map(|_| random.next() & random.next()).collect();
    gauge("rook", &boards, rook);
    gauge("bishop", &boards, bishop);
    gauge("queen", &boards, queen);
    gauge("rook by walking", &boards, walk_rook);
}
