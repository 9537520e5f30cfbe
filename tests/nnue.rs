//! NNUE: accumulators that follow the moves equal those of a refresh, all kernels agree, files are read back, and what is
//! wrong with a file is said.

use crate::common::Client;
use nguky::eval::EvalSource;
use nguky::eval::nnue::{Chunk, Kernel, LANES, Net, NnueEvaluator};
use nguky::game::{Dirty, Evaluator, Features, Kind, Moves, Outcomes, Position};
use nguky::games::{chess::Chess, coup::Coup, shogi::Shogi, xiangqi::Xiangqi};
use nguky::util::rng::SplitMix;
use std::sync::Arc;

/// A network of random weights.
fn random_net<P: Features>(rng: &mut SplitMix, width: usize) -> Net {
    let mut chunks = |n: usize, most: u64| -> Vec<Chunk> {
        let mut weight = || (rng.below(2 * most + 1) as i64 - most as i64) as i16;
        (0..n)
            .map(|_| Chunk(std::array::from_fn::<i16, LANES, _>(|_| weight())))
            .collect()
    };
    Net {
        name: "random".into(),
        width,
        fine: 1,
        bits: 10,
        feature_weights: chunks(P::INPUTS * width, 60),
        feature_biases: chunks(width, 200),
        output_weights: chunks(P::OUTPUT_BUCKETS * 2 * width, 127),
        output_biases: (0..P::OUTPUT_BUCKETS as i32).map(|i| 100 * i - 300).collect(),
    }
}

/// The score worked out as the file format says, from nothing but the position's pieces.
fn from_the_pieces<P: Features>(net: &Net, pos: &P) -> i32 {
    let mut pieces = Vec::new();
    pos.each(&mut |piece, place| pieces.push((piece, place)));
    let hidden = net.width * LANES;
    let lane = |chunks: &[Chunk], i: usize| chunks[i / LANES].0[i % LANES];
    let (mut sum, most) = (0, i16::try_from(510 << net.fine).expect("a scale"));
    for (k, view) in [pos.side(), pos.side().other()].into_iter().enumerate() {
        let king = pieces.iter().find(|p| p.0 == P::king_piece(view)).expect("a king");
        let bucket = P::king_bucket(view, king.1);
        let inputs: Vec<usize> = pieces.iter().map(|p| P::feature(view, bucket, p.0, p.1)).collect();
        for i in 0..hidden {
            let bias = lane(&net.feature_biases, i);
            let s = inputs.iter().fold(bias, |s, input| {
                s.wrapping_add(lane(&net.feature_weights, input * hidden + i))
            });
            let v = i64::from(s.clamp(0, most)) << (6 - net.fine);
            sum += ((v * v + (1 << 14)) >> 15)
                * i64::from(lane(&net.output_weights, (2 * pos.output_bucket() + k) * hidden + i));
        }
    }
    let out = (sum + i64::from(net.output_biases[pos.output_bucket()])) * 800 / 65_025;
    ((out + (1 << net.bits >> 1)) >> net.bits) as i32
}

/// Plays random games with passes and steps back, and compares every kernel with fresh accumulators after each.
fn updates_equal_refreshes<P: Features>(games: u64) {
    let mut rng = SplitMix::new(11);
    let net = Arc::new(random_net::<P>(&mut rng, 2));
    let with = |kernel| NnueEvaluator::<P>::with(net.clone(), kernel);
    let mut updated: Vec<_> = Kernel::all().into_iter().map(with).collect();
    let mut refreshed = NnueEvaluator::<P>::new(net.clone());
    for _ in 0..games {
        let mut pos = P::parse(P::START, &P::Rules::default()).expect("the start");
        updated.iter_mut().for_each(|e| e.reset(&pos));
        let mut steps = Vec::new();
        for _ in 0..120 {
            let mut moves = Moves::new();
            pos.generate(Kind::All, &mut moves);
            if !steps.is_empty() && (moves.is_empty() || rng.below(4) == 0) {
                // A reveal was one more ply for the evaluator.
                for _ in 0..steps.pop().unwrap_or(1) {
                    updated.iter_mut().for_each(|e| e.pop());
                }
                pos.undo();
            } else if moves.is_empty() || pos.ended().is_some() {
                break;
            } else {
                let dirty = if rng.below(12) == 0 && !pos.in_check() && pos.may_pass() {
                    pos.pass();
                    Dirty::default()
                } else {
                    pos.play(moves.at(rng.below(moves.len() as u64) as usize).mv)
                };
                updated.iter_mut().for_each(|e| e.push(&dirty));
                steps.push(1);
                if pos.covered() {
                    let mut all = Outcomes::default();
                    pos.outcomes(&mut all);
                    let some = all.iter().take_while(|o| o.weight > 0).count() as u64;
                    let dirty = pos.reveal(all[rng.below(some) as usize]);
                    updated.iter_mut().for_each(|e| e.push(&dirty));
                    steps.pop();
                    steps.push(2);
                }
            }
            // Not at every ply: updates are lazy and may cover several moves at once.
            if rng.below(3) > 0 {
                refreshed.reset(&pos);
                let score = pos.adjust(from_the_pieces(&net, &pos));
                assert_eq!(refreshed.score(&pos), score, "{}", pos.setup());
                for updated in &mut updated {
                    assert_eq!(updated.score(&pos), score, "{}", pos.setup());
                }
            }
        }
    }
}

#[test]
fn chess_accumulators() {
    updates_equal_refreshes::<Chess>(60);
}

#[test]
fn xiangqi_accumulators() {
    updates_equal_refreshes::<Xiangqi>(60);
}

#[test]
fn shogi_accumulators() {
    updates_equal_refreshes::<Shogi>(60);
}

#[test]
fn coup_accumulators() {
    updates_equal_refreshes::<Coup>(60);
}

#[test]
#[ignore = "10,000 games each: half a minute"]
fn accumulators_over_ten_thousand_games() {
    updates_equal_refreshes::<Chess>(10_000);
    updates_equal_refreshes::<Xiangqi>(10_000);
    updates_equal_refreshes::<Coup>(10_000);
    updates_equal_refreshes::<Shogi>(10_000);
}

/// A position and its mirror with the sides exchanged are worth the same to their movers.
#[test]
fn views_are_alike() {
    let mut rng = SplitMix::new(5);
    let mut chess = NnueEvaluator::<Chess>::new(Arc::new(random_net::<Chess>(&mut rng, 1)));
    let mut score = |fen: &str| {
        let pos = Chess::parse(fen, &Default::default()).expect("a position");
        chess.reset(&pos);
        chess.score(&pos)
    };
    let white = score("r3k3/pp3ppp/8/3Pn3/2B5/8/PP3PPP/4K2R w - - 0 1");
    assert_eq!(white, score("4k2r/pp3ppp/8/2b5/3pN3/8/PP3PPP/R3K3 b - - 0 1"));
}

#[test]
fn files_are_read_back_and_faults_are_named() {
    let net = random_net::<Chess>(&mut SplitMix::new(3), 1);
    let file = net.write::<Chess>();
    assert_eq!(Net::read::<Chess>(&file).as_ref(), Ok(&net));
    let fault = |bytes: &[u8]| Net::read::<Chess>(bytes).expect_err("a fault");
    assert!(fault(b"").contains("NGUKYNET"));
    assert!(fault(&file[..file.len() - 5]).contains("cut short"));
    assert!(fault(&[file.as_slice(), b"x"].concat()).contains("1 bytes too many"));
    let mut damaged = file.clone();
    damaged[file.len() / 2] ^= 1;
    assert!(fault(&damaged).contains("damaged"));
    let mut other = file.clone();
    other[8] = 9;
    assert!(fault(&other).contains("version 9"));
    let mut finer = net.clone();
    finer.fine = 3;
    assert!(fault(&finer.write::<Chess>()).contains("scales 3 and 10"));
    let mut heavy = net.clone();
    heavy.output_weights.fill(Chunk([i16::MAX; LANES]));
    assert!(fault(&heavy.write::<Chess>()).contains("overflow"));
    assert!(Net::read::<Shogi>(&file).expect_err("a fault").contains("chess"));
    for cut in 0..file.len().min(200) {
        fault(&file[..cut]);
    }
}

/// The build refuses a damaged network, the engine one that does not fit its game.
#[test]
fn what_is_built_in_can_be_read() {
    fn readable<P: Features>() {
        let file = format!("{}/engines/nets/{}.nnue", env!("CARGO_MANIFEST_DIR"), P::NAME);
        if let Ok(bytes) = std::fs::read(&file) {
            assert!(matches!(EvalSource::built_in::<P>(), Ok(EvalSource::Net(_))), "{file}");
            assert!(bytes.len() < 4_000_000, "{file}: {} bytes", bytes.len());
        }
    }
    readable::<Chess>();
    readable::<Xiangqi>();
    readable::<Coup>();
    readable::<Shogi>();
    let folder = std::fs::read_dir(format!("{}/engines/nets", env!("CARGO_MANIFEST_DIR"))).expect("the networks");
    let sizes = folder.map(|entry| entry.expect("a file").metadata().expect("its size").len());
    let all: u64 = sizes.sum();
    assert!(all < 12_000_000, "engines/nets: {all} bytes");
}

/// Each game behind one engine keeps its network, whichever is in use when the file is named.
#[test]
fn a_network_waits_for_its_game() {
    let dir = std::env::temp_dir().join(format!("nguky-nets-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let file = |name: &str, bytes: Vec<u8>| {
        let path = dir.join(name);
        std::fs::write(&path, bytes).expect("written");
        format!("setoption name EvalFile value {}", path.display())
    };
    fn named<P: Features>(name: &str) -> Vec<u8> {
        let mut net = random_net::<P>(&mut SplitMix::new(3), 1);
        net.name = name.into();
        net.write::<P>()
    }
    let open = file("open.nnue", named::<Xiangqi>("open"));
    let covered = file("covered.nnue", named::<Coup>("covered"));
    let mut c = Client::of(env!("CARGO_BIN_EXE_nguky-ucci"), &[]);
    c.send("uci");
    c.expect("uciok");
    let judge = |c: &mut Client, game: &str| {
        c.send(&format!("setoption name UCI_Variant value {game}"));
        let told = c.ask("eval");
        let line = told.iter().find(|l| l.contains("network"));
        line.map(String::from).unwrap_or_default()
    };
    assert!(c.ask(&open).is_empty());
    let why = c.ask(&covered).join(" ");
    assert!(why.contains("xiangqi") && why.contains("waits for coup"), "{why}");
    for _ in 0..2 {
        assert!(judge(&mut c, "xiangqi").contains("network open"));
        assert!(judge(&mut c, "coup").contains("network covered"));
    }
    let why = c.ask(&file("none.nnue", b"NGUKYNET".to_vec())).join(" ");
    assert!(!why.contains("waits") && !why.is_empty(), "{why}");
    assert!(judge(&mut c, "coup").contains("network covered"));
    c.send("quit");
    std::fs::remove_dir_all(&dir).expect("removed");
}
