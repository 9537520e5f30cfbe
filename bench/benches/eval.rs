//! Processor nanoseconds per hand-written evaluation, on all children of positions of random games.

mod cpu;

use nguky::game::{Evaluator, Handmade, Kind, Moves};
use nguky::games::chess::Chess;
use nguky::util::rng::SplitMix;
use std::hint::black_box;

/// Plays the same games every time; `rounds` times over each position's children, which a search meets again and again
/// too. Returns the seconds taken and the children met.
fn walk<P: Handmade>(hand: &mut P::Hand, rounds: u32, judge: bool) -> (f64, u64) {
    let mut random = SplitMix::new(11);
    let (mut count, mut sum) = (0, 0);
    let start = cpu::seconds();
    for _ in 0..100 {
        let Ok(mut p) = P::parse(P::START, &P::Rules::default()) else {
            return (0.0, 0);
        };
        hand.reset(&p);
        for _ in 0..100 {
            let mut moves = Moves::new();
            p.generate(Kind::All, &mut moves);
            if moves.is_empty() {
                break;
            }
            for m in (0..rounds).flat_map(|_| moves.iter()) {
                let d = p.play(m);
                if judge {
                    hand.push(&d);
                    sum += i64::from(hand.score(black_box(&p)));
                    hand.pop();
                }
                p.undo();
                count += 1;
            }
            let d = p.play(moves.at(random.below(moves.len() as u64) as usize).mv);
            hand.push(&d);
        }
    }
    black_box(sum);
    (cpu::seconds() - start, count)
}

fn gauge<P: Handmade>() {
    let mut hand = P::Hand::default();
    for (name, rounds) in [("each once", 1), ("each ten times", 10)] {
        let (with, count) = walk::<P>(&mut hand, rounds, true);
        let (without, _) = walk::<P>(&mut hand, rounds, false);
        let nanos = (with - without).max(0.0) * 1e9 / (count.max(1) as f64);
        println!("{} {name}: {nanos:.0} ns per evaluation, {count} evaluations", P::NAME);
    }
}

fn main() {
    gauge::<Chess>();
}
