//! Playouts a second of CPU time, one thread, on empty boards: light, heavy, and heavy in the tree.
//! `cargo bench --bench go`

mod cpu;

use nguky::games::go::types::BLACK;
use nguky::games::go::{Board, Game, Rules};
use nguky::mcts::playouts::playout::{Playout, Rates};
use nguky::mcts::playouts::{PLAYOUTS, PlayoutEvaluator};
use nguky::mcts::{Search, SearchParams};

fn rate(n: usize, mut once: impl FnMut()) -> f64 {
    let before = cpu::seconds();
    for _ in 0..n {
        once();
    }
    n as f64 / (cpu::seconds() - before).max(0.01)
}

fn main() {
    for size in [9, 13, 19] {
        let Ok(game) = Game::new(size, Rules::CHINESE) else {
            continue;
        };
        let board: &Board = game.board();
        for (name, rates, n) in [("light", Rates::LIGHT, 40_000), ("heavy", Rates::HEAVY, 8_000)] {
            let mut playout = Playout::new(board.clone(), rates, 1);
            let mut moves = 0;
            let n = n * 81 / board.area();
            let speed = rate(n, || {
                playout.run(board, BLACK);
                moves += playout.moves();
            });
            println!(
                "{size:2} {name} {speed:9.0} playouts/s, {:.0} moves each",
                moves as f64 / n as f64
            );
        }
        let search = Search::new(&game, 256 << 20, SearchParams::default().for_playouts());
        let mut evaluator = PlayoutEvaluator::new(board, PLAYOUTS, 1);
        let n = 20_000 * 81 / board.area() as u64 / u64::from(PLAYOUTS);
        let speed = rate(1, || {
            search.run(&mut evaluator, &|_, _, _| true, &|| search.playouts() >= n)
        }) * (n * u64::from(PLAYOUTS)) as f64;
        let best = search.analysis();
        println!(
            "{size:2} tree  {speed:9.0} playouts/s, root {:.3}, score {:.1}",
            best.value, best.score
        );
    }
}
