//! HalfKP 256x2-32-32 files: a network by formula gives the values that YaneuraOu gives for it, accumulators that
//! follow the moves equal those of a refresh, and what is wrong with a file is said.

use nguky::eval::nnue::{HalfKp, HalfKpEvaluator, Kernel};
use nguky::game::{Evaluator, Kind, Moves, Position};
use nguky::games::shogi::Shogi;
use nguky::util::rng::SplitMix;
use std::sync::{Arc, OnceLock};

/// The sections: bytes of a number, how many, least and greatest value.
const SECTIONS: [(usize, u64, i64, i64); 8] = [
    (2, 256, 20, 59),
    (2, 81 * 1548 * 256, -12, 12),
    (4, 32, -500, 1499),
    (1, 32 * 512, -12, 12),
    (4, 32, 0, 1999),
    (1, 32 * 32, -40, 40),
    (4, 1, 100, 100),
    (1, 32, -127, 127),
];

/// The file whose weights follow a formula.
fn file() -> Vec<u8> {
    let text = b"a text that nobody checks";
    let mut out = Vec::new();
    for word in [0x7af3_2f16, 0x3e5a_a6ee, text.len() as u32] {
        out.extend(word.to_le_bytes());
    }
    out.extend(text);
    for (i, (bytes, count, low, high)) in SECTIONS.into_iter().enumerate() {
        match i {
            0 => out.extend(0x5d69_d7b8u32.to_le_bytes()),
            2 => out.extend(0x6333_7156u32.to_le_bytes()),
            _ => {}
        }
        let section = (i as u64 + 1) << 32;
        for k in 0..count {
            let random = SplitMix::new(section + k).next() >> 33;
            let value = low + (random % (high - low + 1) as u64) as i64;
            out.extend(&value.to_le_bytes()[..bytes]);
        }
    }
    out
}

fn network() -> Arc<HalfKp> {
    static NET: OnceLock<Arc<HalfKp>> = OnceLock::new();
    NET.get_or_init(|| Arc::new(HalfKp::read(&file()).expect("a file")))
        .clone()
}

fn position(sfen: &str) -> Shogi {
    Shogi::parse(sfen, &Default::default()).expect("a position")
}

#[test]
fn values_are_those_of_yaneuraou() {
    let Some(folder) = std::env::var_os("NGUKY_FACTS") else {
        eprintln!("skipped: NGUKY_FACTS is not set");
        return;
    };
    let path = std::path::Path::new(&folder).join("shogi/nn_synth_evals.tsv");
    let facts = std::fs::read_to_string(path).expect("the list of values");
    let mut count = 0;
    for line in facts.lines().filter(|l| !l.starts_with('#')) {
        let mut fields = line.split('\t');
        let (Some(sfen), Some(raw), Some(value)) = (fields.next(), fields.next(), fields.next()) else {
            panic!("three fields expected: {line:?}");
        };
        let pos = position(sfen);
        for kernel in [Kernel::Portable, Kernel::best()] {
            let mut kp = HalfKpEvaluator::<Shogi>::new(network(), 16, kernel);
            kp.reset(&pos);
            assert_eq!(kp.output(&pos).to_string(), raw, "{sfen}");
            assert_eq!(kp.score(&pos).to_string(), value, "{sfen}");
        }
        count += 1;
    }
    assert_eq!(count, 48);
}

#[test]
fn updates_equal_refreshes() {
    let mut rng = SplitMix::new(4);
    let mut updated = HalfKpEvaluator::<Shogi>::new(network(), 24, Kernel::best());
    let mut refreshed = HalfKpEvaluator::<Shogi>::new(network(), 24, Kernel::Portable);
    // The second one is short of pieces.
    for setup in [Shogi::START, "4k4/9/9/9/9/9/9/9/4K1R2 b 2P2g 1"] {
        for _ in 0..10 {
            let mut pos = position(setup);
            updated.reset(&pos);
            for _ in 0..100 {
                let mut moves = Moves::new();
                pos.generate(Kind::All, &mut moves);
                if moves.is_empty() || pos.ended().is_some() {
                    break;
                }
                updated.push(&pos.play(moves.at(rng.below(moves.len() as u64) as usize).mv));
                if rng.below(3) > 0 {
                    refreshed.reset(&pos);
                    assert_eq!(updated.output(&pos), refreshed.output(&pos), "{}", pos.setup());
                }
            }
        }
    }
}

#[test]
fn faults_of_a_file_are_named() {
    let fault = |bytes: &[u8]| HalfKp::read(bytes).err().expect("a fault");
    assert!(fault(b"abc").contains("too short"));
    assert!(fault(&[0; 64]).contains("0x7af32f16"));
    let mut bytes = file();
    bytes.pop();
    assert!(fault(&bytes).contains("expected 64216913"), "{}", fault(&bytes));
    // A length that lies.
    bytes[8..12].fill(0xff);
    assert!(fault(&bytes).contains("expected"));
}
