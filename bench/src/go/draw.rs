//! What games of go draw at random: the board, the rules, komi, and moves.

use super::record::GoRecord;
use anyhow::{Context, Result};
use nguky::games::go::Point;
use nguky::games::go::rules::Rules;
use nguky::games::go::types::{MAX_SIZE, MIN_SIZE, PASS};
use nguky::mcts::state::SearchState;
use nguky::util::rng::SplitMix;

/// Codes of rules, with how often they are played by.
const RULES: [(Rules, u64); 5] = [
    (Rules::CHINESE, 9),
    (Rules::JAPANESE, 5),
    (Rules::TROMP_TAYLOR, 3),
    (Rules::AGA, 2),
    (Rules::NEW_ZEALAND, 1),
];

/// The sizes of boards with their weights: `9:6,13:2,19:1`.
pub(super) fn sizes(text: &str) -> Result<Vec<(usize, u64)>> {
    let one = |part: &str| {
        let (size, weight) = part.trim().split_once(':').unwrap_or((part.trim(), "1"));
        Some((size.parse().ok()?, weight.parse().ok()?))
    };
    let list: Option<Vec<(usize, u64)>> = text.split(',').map(one).collect();
    let sound = |l: &Vec<(usize, u64)>| {
        l.iter()
            .all(|(s, w)| (MIN_SIZE..=MAX_SIZE).contains(s) && *w <= 1 << 32)
            && l.iter().any(|(_, w)| *w > 0)
    };
    list.filter(sound).with_context(|| {
        format!("--sizes {text}: expected sizes from {MIN_SIZE} to {MAX_SIZE} with weights, as in 9:6,13:2,19:1")
    })
}

fn drawn<T: Copy>(list: &[(T, u64)], rng: &mut SplitMix) -> T {
    let mut at = rng.below(list.iter().map(|(_, w)| w).sum::<u64>().max(1));
    for &(x, w) in list {
        if at < w {
            return x;
        }
        at -= w;
    }
    list[0].0
}

/// Draws board, rules and komi.
pub(super) fn begin(record: &mut GoRecord, sizes: &[(usize, u64)], rng: &mut SplitMix) {
    record.size = drawn(sizes, rng);
    let rules = drawn(&RULES, rng);
    record.rules = Rules::ALL.iter().position(|r| r.name == rules.name).unwrap_or(0);
    let fair = if record.size < 7 { 0.0 } else { 7.0 };
    // Mostly what is played, often somewhat off, and now and then far off.
    let half = match rng.below(10) {
        0..=4 => rng.below(4) as i64 - 2,
        5..=8 => rng.below(17) as i64 - 8,
        _ => rng.below(61) as i64 - 30,
    };
    record.komi = fair + half as f32 / 2.0;
}

/// A legal point that is no own eye, each as likely.
pub(super) fn anywhere(state: &SearchState, rng: &mut SplitMix) -> Option<Point> {
    let sound = |p: &&Point| !state.board.is_eye(**p, state.turn) && state.is_legal(**p);
    let points: Vec<Point> = state.board.empties().iter().filter(sound).copied().collect();
    (!points.is_empty()).then(|| points[rng.below(points.len() as u64) as usize])
}

/// One of the moves by their weights, which a temperature sharpens or flattens.
pub(super) fn tempered(moves: &[(Point, f32)], temperature: f32, rng: &mut SplitMix) -> Point {
    let most = moves.iter().map(|m| m.1).fold(0.0, f32::max).max(1e-9);
    let weight = |w: f32| (w / most).powf(1.0 / temperature);
    let mut at = (rng.next() >> 40) as f32 / (1u64 << 24) as f32 * moves.iter().map(|m| weight(m.1)).sum::<f32>();
    for &(p, w) in moves {
        at -= weight(w);
        if at < 0.0 {
            return p;
        }
    }
    moves.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(PASS, |m| m.0)
}

/// A move drawn at a temperature; one in 25 flatter, and one in 25 any, so that odd positions come up, too.
pub(super) fn noisy(state: &SearchState, moves: &[(Point, f32)], temperature: f32, rng: &mut SplitMix) -> Point {
    let temperature = if rng.below(25) == 0 { 2.0 } else { temperature };
    let odd = rng.below(25) == 0;
    let any = odd.then(|| anywhere(state, rng)).flatten();
    any.unwrap_or_else(|| tempered(moves, temperature, rng))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked() {
        assert_eq!(sizes("9:6,13, 19:1").expect("sizes"), [(9, 6), (13, 1), (19, 1)]);
        for bad in ["", "9:", "x", "1", "26", "9:0", "9:-1"] {
            let told = sizes(bad).expect_err(bad).to_string();
            assert!(told.contains("--sizes"), "{told}");
        }
    }
}
