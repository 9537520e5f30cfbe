//! Counts the tree of legal moves of chess, xiangqi and shogi from their starts: `cargo run --release --example perft -- 4`.

use nguky::game::Position;
use nguky::game::perft::Perft;
use nguky::games::{chess::Chess, shogi::Shogi, xiangqi::Xiangqi};

fn count<P: Position>(depth: u32) -> Result<(), Box<dyn std::error::Error>> {
    let start = P::parse(P::START, &P::Rules::default())?;
    println!("{} {depth}: {}", P::NAME, Perft::default().count(&start, depth));
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let depth = std::env::args().nth(1).map_or(Ok(3), |text| text.parse())?;
    count::<Chess>(depth)?;
    count::<Xiangqi>(depth)?;
    count::<Shogi>(depth)
}
