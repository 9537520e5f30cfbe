//! What may lie face down in cờ úp: one deal of the starting position, and the chance of each kind.
//! `cargo run --example coup_deal -- SEED`.

use nguky::game::{Position, Side};
use nguky::games::coup::Coup;
use nguky::util::rng::SplitMix;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(1), |text| text.parse())?;
    let mut random = SplitMix::new(seed);
    let position = Coup::parse(Coup::START, &Default::default())?;
    println!("{}", position.picture());
    let deal = position.deal(|n| random.below(n as u64) as usize);
    for point in 0..90 {
        if let (Some(side), Some(kind)) = (position.face_down(point), deal[usize::from(point)]) {
            let chance = position.chance(side, kind);
            let owner = if side == Side::First { "red" } else { "black" };
            println!("point {point}: {owner} {kind:?}, of chance {chance:.3} before it was known");
        }
    }
    Ok(())
}
