//! What the traits cost: one small alpha-beta search, written once over `Position` and once for chess by its own types.
//! Both visit the same nodes. Fails when the generic one takes more than 3 % more processor time.
//! `cargo bench --bench genericity`

mod cpu;

use nguky::eval::Material;
use nguky::game::{Dirty, Evaluator, Kind, Moves, Position, Score};
use nguky::games::chess::{Chess, ChessMove};
use std::hint::black_box;
use std::process::ExitCode;

const INFINITE: Score = 30_000;
const DEPTH: u32 = 4;
/// Rounds of each; the medians are compared.
const ROUNDS: usize = 9;
/// What the generic search may take of the other's time.
const ALLOWED: f64 = 1.03;

type Values = Material<Chess>;

#[inline(never)]
fn generic<P: Position, E: Evaluator<P>>(
    p: &mut P,
    e: &mut E,
    moves: &mut Moves<P::Move>,
    depth: u32,
    mut alpha: Score,
    beta: Score,
    nodes: &mut u64,
) -> Score {
    *nodes += 1;
    if depth == 0 {
        return e.score(p);
    }
    let start = moves.len();
    p.generate(Kind::Tactical, moves);
    p.generate(Kind::Quiet, moves);
    let mut best = -INFINITE;
    for i in start..moves.len() {
        let m = moves.at(i).mv;
        if depth == 1 && p.is_tactical(m) && !p.see_ge(m, 0) {
            continue;
        }
        let d = p.play(m);
        e.push(&d);
        let score = -generic(p, e, moves, depth - 1, -beta, -alpha, nodes);
        e.pop();
        p.undo();
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    moves.truncate(start);
    best
}

#[inline(never)]
fn concrete(
    p: &mut Chess,
    e: &mut Values,
    moves: &mut Moves<ChessMove>,
    depth: u32,
    mut alpha: Score,
    beta: Score,
    nodes: &mut u64,
) -> Score {
    *nodes += 1;
    if depth == 0 {
        return e.score(p);
    }
    let start = moves.len();
    p.generate(Kind::Tactical, moves);
    p.generate(Kind::Quiet, moves);
    let mut best = -INFINITE;
    for i in start..moves.len() {
        let m = moves.at(i).mv;
        if depth == 1 && p.is_tactical(m) && !p.see_ge(m, 0) {
            continue;
        }
        let d: Dirty = p.play(m);
        e.push(&d);
        let score = -concrete(p, e, moves, depth - 1, -beta, -alpha, nodes);
        e.pop();
        p.undo();
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    moves.truncate(start);
    best
}

type Search = fn(&mut Chess, &mut Values, &mut Moves<ChessMove>, u32, Score, Score, &mut u64) -> Score;

/// Nodes and processor seconds over the positions of `bench`.
fn run(search: Search) -> (u64, f64) {
    let (mut nodes, mut values, mut moves) = (0, Values::default(), Moves::new());
    let start = cpu::seconds();
    for setup in Chess::BENCH {
        let Ok(mut p) = Chess::parse(setup, &Default::default()) else {
            continue;
        };
        values.reset(&p);
        black_box(search(
            &mut p,
            &mut values,
            &mut moves,
            DEPTH,
            -INFINITE,
            INFINITE,
            &mut nodes,
        ));
    }
    (nodes, cpu::seconds() - start)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> ExitCode {
    let (mut over_traits, mut plain) = (Vec::new(), Vec::new());
    let mut counts = [0; 2];
    for _ in 0..ROUNDS {
        let (nodes, seconds) = run(generic::<Chess, Values>);
        (counts[0], _) = (nodes, over_traits.push(seconds));
        let (nodes, seconds) = run(concrete);
        (counts[1], _) = (nodes, plain.push(seconds));
    }
    let ratio = median(over_traits) / median(plain).max(0.01);
    println!(
        "generic against concrete: {ratio:.3} of the time; {} and {} nodes",
        counts[0], counts[1]
    );
    if counts[0] != counts[1] || ratio > ALLOWED {
        println!("expected equal nodes and at most {ALLOWED}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
