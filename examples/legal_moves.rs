//! The legal moves of a position in any of the five games:
//! `cargo run --example legal_moves -- shogi`, or with a setup: `-- chess "8/8/8/8/8/k7/p7/K7 w - - 0 1"`.

use nguky::control::Engine;
use nguky::mcts::Mcts;
use nguky::register;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let about = register::find(&args.next().unwrap_or_else(|| "chess".into()))?;
    let mut engine: Box<dyn Engine> = match about.name {
        "go" => Box::new(Mcts::new()?),
        _ => register::engine(about.program)?,
    };
    engine.set_variant(about.name)?;
    engine.position(args.next().as_deref(), &[])?;
    println!("{}", engine.picture());
    // Perft of one ply lists each legal move with a count of 1.
    let moves: Vec<String> = engine
        .perft(1, 1, &AtomicBool::new(false))
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    println!("{} moves: {}", moves.len(), moves.join(" "));
    Ok(())
}
