//! Nodes a processor second that each game's search visits on the positions of its `bench`, one thread.
//! `cargo bench --bench search [-- DEPTH]`

mod cpu;

use nguky::control::Engine;
use nguky::engine::AlphaBeta;
use nguky::game::PieceValues;
use nguky::games::{chess::Chess, shogi::Shogi, xiangqi::Xiangqi};

fn gauge<P: PieceValues>(depth: u32) -> Result<(), String> {
    let mut engine = AlphaBeta::<P>::new()?;
    let start = cpu::seconds();
    let (nodes, _) = engine.bench(depth, &mut |_, _| {});
    let seconds = (cpu::seconds() - start).max(0.01);
    println!(
        "{} depth {depth}: {nodes} nodes, {seconds:.2} s, {:.2} M/s",
        P::NAME,
        nodes as f64 / seconds / 1e6
    );
    Ok(())
}

fn main() -> Result<(), String> {
    let depth = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(13);
    gauge::<Chess>(depth)?;
    gauge::<Xiangqi>(depth)?;
    gauge::<Shogi>(depth)
}
