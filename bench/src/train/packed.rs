//! Positions in memory, packed: in chess 28 bytes each, in xiangqi 32, in cờ úp 40 and in shogi 49.
//!
//! The score (i16), the result (a byte, [`NO_RESULT`] for none), the side to move and the output bucket (a byte), a bit for
//! each point of the board that a piece stands on and each place behind the board that is taken, and the pieces of the
//! points in that order, four or five bits each. The inputs of a perspective are computed when the position is trained on.

use super::data::sigmoid;
use super::model::Goal;
use crate::games::Quiet;
use nguky::game::{Features, Score, Side};
use std::marker::PhantomData;

/// Bytes before the bits.
const HEAD: usize = 4;
/// The byte of no result; others are parts of a point in 240.
const NO_RESULT: u8 = u8::MAX;
const PARTS: f32 = 240.0;
/// The most inputs of a view of any game.
pub const MOST_INPUTS: usize = 64;

/// How a game's positions are packed.
pub struct Packing<P>(PhantomData<fn() -> P>);

/// A position as a network sees it.
pub struct Sample {
    inputs: [[u16; MOST_INPUTS]; 2],
    /// Inputs of each view.
    n: usize,
    /// The output bucket.
    pub bucket: usize,
    /// The searched score for the mover.
    pub score: f32,
    /// The game's result for the mover; not a number where there is none.
    pub result: f32,
}

impl Sample {
    /// No position yet.
    pub fn new() -> Self {
        Self {
            inputs: [[0; MOST_INPUTS]; 2],
            n: 0,
            bucket: 0,
            score: 0.0,
            result: f32::NAN,
        }
    }

    /// The inputs by view, the mover's first.
    pub fn inputs(&self) -> [&[u16]; 2] {
        [&self.inputs[0][..self.n], &self.inputs[1][..self.n]]
    }

    /// The target: what the mover's win probability should be.
    pub fn target(&self, goal: Goal) -> f32 {
        let expected = sigmoid(self.score / goal.unit);
        if self.result.is_nan() {
            expected
        } else {
            expected + goal.blend * (self.result - expected)
        }
    }
}

impl<P: Features> Packing<P> {
    /// Bits of a piece.
    const BITS: usize = if P::PIECES <= 16 { 4 } else { 5 };
    /// Bytes of the bits that say which points and places are taken.
    const MAP: usize = (P::SQUARES + P::OFF_BOARD).div_ceil(8);
    /// Bytes of a position.
    pub const BYTES: usize = HEAD + Self::MAP + (P::MAX_PIECES * Self::BITS).div_ceil(8);

    /// Packs a position behind others.
    pub fn pack(q: &Quiet<P>, out: &mut Vec<u8>) {
        const { assert!(P::PIECES <= 32 && P::MAX_ACTIVE <= MOST_INPUTS && P::OUTPUT_BUCKETS <= 64) };
        let first = q.pos.side() == Side::First;
        let score = if first { q.score } else { -q.score };
        let at = out.len();
        out.extend((score.clamp(i16::MIN.into(), i16::MAX.into()) as i16).to_le_bytes());
        out.push(q.result.map_or(NO_RESULT, |r| {
            let r = if first { r } else { 1.0 - r };
            (r.clamp(0.0, 1.0) * PARTS).round() as u8
        }));
        out.push(q.pos.side() as u8 | (q.pos.output_bucket() as u8) << 1);
        out.resize(at + Self::BYTES, 0);
        let bytes = &mut out[at + HEAD..];
        // By point: the order in which the bits are read again.
        let mut men = [None; 256];
        q.pos.each(&mut |piece, place| {
            let point = usize::from(place);
            if point < P::SQUARES {
                men[point] = Some(piece);
            } else {
                let bit = P::SQUARES + P::off_board_number(piece, place);
                bytes[bit / 8] |= 1 << (bit % 8);
            }
        });
        let on_board = men.iter().enumerate().filter_map(|(point, man)| Some((point, (*man)?)));
        for (n, (point, man)) in on_board.take(P::MAX_PIECES).enumerate() {
            bytes[point / 8] |= 1 << (point % 8);
            let (byte, shift) = (Self::MAP + n * Self::BITS / 8, n * Self::BITS % 8);
            let code = u16::from(man) << shift;
            bytes[byte] |= code as u8;
            if shift + Self::BITS > 8 {
                bytes[byte + 1] |= (code >> 8) as u8;
            }
        }
    }

    /// The score and the result for the mover.
    pub fn labels(bytes: &[u8]) -> (f32, f32) {
        let result = match bytes[2] {
            NO_RESULT => f32::NAN,
            r => f32::from(r) / PARTS,
        };
        (i16::from_le_bytes([bytes[0], bytes[1]]).into(), result)
    }

    /// Replaces the score for the mover in a packed position.
    pub fn set_score(bytes: &mut [u8], score: i16) {
        bytes[..2].copy_from_slice(&score.to_le_bytes());
    }

    /// Unpacks a position; `mirrored` shows it as its mirror image would be seen, where that is something else: where a
    /// king stands on the board's axis.
    pub fn unpack(bytes: &[u8], mirrored: bool, sample: &mut Sample) {
        (sample.score, sample.result) = Self::labels(bytes);
        sample.bucket = usize::from(bytes[3] >> 1);
        let mover = if bytes[3] & 1 == 0 { Side::First } else { Side::Second };
        let views = [mover, mover.other()];
        let (map, men) = bytes[HEAD..].split_at(Self::MAP);
        let mut pieces = [(0u8, 0u8); MOST_INPUTS];
        let (mut n, mut on_board) = (0, 0);
        let mut kings = [None; 2];
        for (i, bytes) in map.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            let mut bits = u64::from_le_bytes(word);
            while bits != 0 {
                let place = 64 * i + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if n == MOST_INPUTS {
                    break;
                }
                pieces[n] = if place < P::SQUARES {
                    let (byte, shift) = (on_board * Self::BITS / 8, on_board * Self::BITS % 8);
                    let code = u16::from_le_bytes([
                        men.get(byte).copied().unwrap_or(0),
                        men.get(byte + 1).copied().unwrap_or(0),
                    ]);
                    on_board += 1;
                    let man = (code >> shift) as u8 & ((1 << Self::BITS) - 1);
                    for (king, view) in kings.iter_mut().zip(views) {
                        if man == P::king_piece(view) && king.is_none() {
                            *king = Some(place as u8);
                        }
                    }
                    (man, place as u8)
                } else {
                    P::off_board(place - P::SQUARES)
                };
                n += 1;
            }
        }
        sample.n = n;
        for ((view, king), inputs) in views.into_iter().zip(kings).zip(&mut sample.inputs) {
            let mut turn = king.map_or(0, |king| P::king_bucket(view, king));
            turn ^= u8::from(mirrored && king.is_some_and(P::on_axis));
            for (input, &(piece, place)) in inputs.iter_mut().zip(&pieces[..n]) {
                *input = P::feature(view, turn, piece, place) as u16;
            }
        }
    }
}

/// The score that says that a game is decided, not how the pieces stand: positions beyond it are not learnt from.
pub const DECIDED: Score = 3000;

#[cfg(test)]
mod tests {
    use super::super::data::Data;
    use super::*;
    use nguky::game::Position;
    use nguky::game::random::{random_move, step};
    use nguky::games::{chess::Chess, coup::Coup, shogi::Shogi, xiangqi::Xiangqi};
    use nguky::util::rng::SplitMix;

    fn unpacked<P: Features>(data: &Data, i: usize) -> Sample {
        let mut sample = Sample::new();
        data.sample::<P>(i, false, &mut sample);
        sample
    }

    /// What is unpacked are the inputs of the position, in every game.
    #[test]
    fn packed_positions_keep_what_a_view_sees() {
        fn check<P: Features>() {
            let mut rng = SplitMix::new(5);
            let (mut data, mut expected) = (Data::new::<P>(), Vec::new());
            for game in 0..12 {
                let mut pos = P::parse(P::START, &P::Rules::default()).expect("the start");
                for ply in 0..150 {
                    if pos.ended().is_some() {
                        break;
                    }
                    let Some(mv) = random_move(&pos, &mut rng) else {
                        break;
                    };
                    step(&mut pos, mv, &mut rng);
                    let score = ply * 20 - 1500;
                    let result = [None, Some(0.0), Some(0.25), Some(1.0)][game % 4];
                    data.add(&Quiet {
                        pos: &pos,
                        score,
                        result,
                        game: 0,
                    });
                    let views = [pos.side(), pos.side().other()].map(|view| {
                        let mut pieces = Vec::new();
                        pos.each(&mut |piece, place| pieces.push((piece, place)));
                        let king = pieces.iter().find(|p| p.0 == P::king_piece(view));
                        let turn = king.map_or(0, |k| P::king_bucket(view, k.1));
                        let mut inputs: Vec<u16> =
                            pieces.iter().map(|p| P::feature(view, turn, p.0, p.1) as u16).collect();
                        inputs.sort_unstable();
                        inputs
                    });
                    let first = pos.side() == Side::First;
                    let result = result.map(|r| if first { r } else { 1.0 - r });
                    expected.push((views, pos.output_bucket(), if first { score } else { -score }, result));
                }
            }
            assert!(expected.len() > 300, "{}: {} positions", P::NAME, expected.len());
            for (i, (views, bucket, score, result)) in expected.iter().enumerate() {
                let sample = unpacked::<P>(&data, i);
                let told = sample.inputs().map(|view| {
                    let mut view = view.to_vec();
                    view.sort_unstable();
                    view
                });
                assert_eq!((&told, sample.bucket), (views, *bucket), "{} {i}", P::NAME);
                assert_eq!(sample.score, *score as f32);
                assert_eq!((!sample.result.is_nan()).then_some(sample.result), *result);
            }
        }
        check::<Chess>();
        check::<Xiangqi>();
        check::<Coup>();
        check::<Shogi>();
        assert_eq!((Packing::<Chess>::BYTES, Packing::<Xiangqi>::BYTES), (28, 32));
        assert_eq!((Packing::<Coup>::BYTES, Packing::<Shogi>::BYTES), (40, 49));
    }

    /// A position is mirrored where a king stands on the axis, and then shows what the mirrored board would.
    #[test]
    fn mirrored_positions_are_those_of_the_mirrored_board() {
        fn inputs<P: Features>(setup: &str, mirrored: bool) -> Option<[Vec<u16>; 2]> {
            let pos = P::parse(setup, &Default::default()).expect("a position");
            let q = Quiet {
                pos: &pos,
                score: 120,
                result: None,
                game: 0,
            };
            let mut data = Data::new::<P>();
            data.add(&q);
            let mut plain = Sample::new();
            data.sample::<P>(0, false, &mut plain);
            let mut sample = Sample::new();
            data.sample::<P>(0, mirrored, &mut sample);
            if mirrored && sample.inputs() == plain.inputs() {
                return None;
            }
            let sorted = |view: &[u16]| {
                let mut view = view.to_vec();
                view.sort_unstable();
                view
            };
            Some(sample.inputs().map(sorted))
        }
        fn check<P: Features>(one: &str, other: &str) {
            assert_ne!(inputs::<P>(one, false), inputs::<P>(other, false), "{one}");
            assert_eq!(inputs::<P>(one, true), inputs::<P>(other, false), "{one}");
            assert_eq!(inputs::<P>(other, true), inputs::<P>(one, false), "{other}");
        }
        let (one, other) = ("4k4/9/9/R8/9/4P4/9/5C3/9/4K4 w", "4k4/9/9/8R/9/4P4/9/3C5/9/4K4 w");
        check::<Xiangqi>(one, other);
        check::<Coup>(one, other);
        // Only one king on the axis: the other's view turns by itself.
        check::<Xiangqi>("3k5/9/9/R8/9/9/9/9/9/4K4 b", "5k3/9/9/8R/9/9/9/9/9/4K4 b");
        check::<Shogi>("4k4/9/9/R8/9/9/9/7G1/4K4 b P 1", "4k4/9/9/8R/9/9/9/1G7/4K4 b P 1");
        assert_eq!(inputs::<Xiangqi>("3k5/9/9/R8/9/9/9/9/9/5K3 w", true), None);
        assert_eq!(inputs::<Chess>(Chess::START, true), None);
    }
}
