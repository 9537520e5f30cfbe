//! How fast positions' move trees are counted: one thread, processor time.

mod cpu;

use nguky::game::Position;
use nguky::game::perft::Perft;
use nguky::games::chess::Chess;
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;

fn gauge<P: Position>(name: &str, setup: &str, depth: u32) {
    let Ok(p) = P::parse(setup, &P::Rules::default()) else {
        println!("{}/{name}: bad setup", P::NAME);
        return;
    };
    let start = cpu::seconds();
    let leaves = Perft::default().count(&p, depth);
    let seconds = (cpu::seconds() - start).max(0.01);
    println!(
        "{}/{name} depth {depth}: {leaves} leaves, {seconds:.2} s, {:.1} M/s",
        P::NAME,
        leaves as f64 / seconds / 1e6
    );
}

fn main() {
    let extra = u32::from(std::env::args().any(|a| a == "--deep"));
    gauge::<Chess>("start", Chess::START, 6 + extra);
    gauge::<Chess>(
        "kiwipete",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        5 + extra,
    );
    gauge::<Chess>("endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7 + extra);
    gauge::<Xiangqi>("start", Xiangqi::START, 5 + extra);
    gauge::<Xiangqi>(
        "middle",
        "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1",
        5 + extra,
    );
    gauge::<Shogi>("start", Shogi::START, 5 + extra);
    gauge::<Shogi>(
        "matsuri",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        3 + extra,
    );
}
