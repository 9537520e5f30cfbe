//! The score of a chess position by the built-in network or by a file: `cargo run --example evaluate -- FEN [FILE.nnue]`.

use nguky::eval::{Eval, EvalSource};
use nguky::game::{Evaluator, Position};
use nguky::games::chess::Chess;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let setup = args.next().unwrap_or_else(|| Chess::START.to_string());
    let source = EvalSource::of_file::<Chess>(&args.next().unwrap_or_default())?;
    let position = Chess::parse(&setup, &Default::default())?;
    let mut evaluator = Eval::new(&source);
    evaluator.reset(&position);
    println!("{} for the side to move", evaluator.score(&position));
    Ok(())
}
