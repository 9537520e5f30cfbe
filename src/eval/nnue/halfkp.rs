//! The evaluation file that shogi programs share, HalfKP 256x2-32-32 (`nn.bin`, by the Stockfish-NNUE and YaneuraOu
//! projects): a feature is one piece with the own king's square, accumulators of 256 values a
//! perspective, two hidden layers of 32, one output.

use super::accumulator::{Accumulators, FeatureTransformer};
use super::kernel::{Chunk, Kernel, LANES};
use crate::game::{Dirty, Evaluator, Features, OFF, Score, Side};
use crate::util::files;
use std::path::Path;
use std::sync::Arc;

/// Values in one accumulator.
const WIDTH: usize = 256;
/// Features for one square of the king; the first of them is that of a missing piece.
const FEATURES_PER_KING: usize = 1548;
const INPUTS: usize = 81 * FEATURES_PER_KING;
/// Outputs of each of the two hidden layers.
const HIDDEN: usize = 32;
/// Pieces of a full set without the kings.
const FULL: usize = 38;
const VERSION: u32 = 0x7af3_2f16;
/// What stands for 1 in an accumulator and in each layer's outputs.
const ONE: i16 = 127;
/// Outputs of a layer are divided by two to this.
const SHIFT: i32 = 6;

/// A quantised affine layer.
struct AffineLayer {
    biases: Vec<i32>,
    /// A row by output. Bytes in the file; wider here, because the products are.
    weights: Vec<i16>,
}

/// A HalfKP network.
pub struct HalfKp {
    feature_weights: Vec<Chunk>,
    feature_biases: Vec<Chunk>,
    layers: [AffineLayer; 3],
}

/// Takes numbers off the front of a file whose length has been checked.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, n: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        head
    }

    fn chunks(&mut self, n: usize) -> Vec<Chunk> {
        let chunk = |b: &[u8]| Chunk(std::array::from_fn(|i| i16::from_le_bytes([b[2 * i], b[2 * i + 1]])));
        self.take(n * 2 * LANES).chunks_exact(2 * LANES).map(chunk).collect()
    }

    fn affine(&mut self, outputs: usize, inputs: usize) -> AffineLayer {
        let number = |b: &[u8]| i32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        AffineLayer {
            biases: self.take(4 * outputs).chunks_exact(4).map(number).collect(),
            weights: self
                .take(outputs * inputs)
                .iter()
                .map(|&b| i16::from(b as i8))
                .collect(),
        }
    }
}

/// The bytes before the file's description of itself.
const HEAD: usize = 12;
/// The most bytes of that description.
const LONGEST_TEXT: usize = 1 << 16;

/// The length of the description in a file of so many bytes that begins so.
fn check_head(head: &[u8], size: u64) -> Result<usize, String> {
    let word = |at: usize| {
        let b = head.get(at..at + 4)?;
        Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    match word(0) {
        Some(VERSION) => {}
        Some(other) => return Err(format!("version {other:#x}; expected {VERSION:#x}, HalfKP 256x2-32-32")),
        None => return Err("too short for a HalfKP file".into()),
    }
    let text = word(8).map_or(0, |n| n as usize);
    let expected = text + PLAIN;
    if size != expected as u64 {
        return Err(format!(
            "{size} bytes; expected {expected}, HalfKP 256x2-32-32 and no other network"
        ));
    }
    Ok(text)
}

/// Bytes of a file without a description.
const PLAIN: usize = {
    let layers = (4 + 2 * WIDTH) * HIDDEN + (4 + HIDDEN) * HIDDEN + 4 + HIDDEN;
    HEAD + 8 + 2 * WIDTH * (INPUTS + 1) + layers
};

impl HalfKp {
    /// Reads a file whose head and size are those of the layout.
    ///
    /// # Errors
    /// One line that names the path and says what is wrong.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, String> {
        let check = |head: &[u8], size| check_head(head, size).map(drop);
        let bytes = files::read(&path, (PLAIN + LONGEST_TEXT) as u64, HEAD, check)?;
        Self::read(&bytes).map_err(|why| format!("{:?}: {why}", path.as_ref()))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// One line that says what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = check_head(bytes, bytes.len() as u64)?;
        let mut r = Fields(bytes);
        r.take(12 + text + 4);
        let width = WIDTH / LANES;
        let feature_biases = r.chunks(width);
        let feature_weights = r.chunks(INPUTS * width);
        r.take(4);
        let layers = [
            r.affine(HIDDEN, 2 * WIDTH),
            r.affine(HIDDEN, HIDDEN),
            r.affine(1, HIDDEN),
        ];
        Ok(Self {
            feature_weights,
            feature_biases,
            layers,
        })
    }
}

impl<P: Features> FeatureTransformer<P> for HalfKp {
    const INPUTS: usize = FEATURES_PER_KING;

    #[inline]
    fn width(&self) -> usize {
        WIDTH / LANES
    }

    fn biases(&self) -> &[Chunk] {
        &self.feature_biases
    }

    #[inline]
    fn king_bucket(_view: Side, king: u8) -> u8 {
        king
    }

    #[inline]
    fn feature(view: Side, king: u8, piece: u8, place: u8) -> Option<usize> {
        P::half_kp(view, king, piece, place).map(|i| i % FEATURES_PER_KING)
    }

    #[inline]
    fn row(&self, view: Side, king: u8, feature: usize) -> &[Chunk] {
        const ROW: usize = WIDTH / LANES;
        let first = P::half_kp(view, king, 0, OFF).unwrap_or(0);
        &self.feature_weights[(first + feature) * ROW..][..ROW]
    }

    fn missing() -> Option<(usize, usize)> {
        Some((0, FULL))
    }
}

/// The evaluator with a HalfKP network.
pub struct HalfKpEvaluator<P> {
    accumulators: Accumulators<P, HalfKp>,
    kernel: Kernel,
    scale: i32,
}

impl<P: Features> HalfKpEvaluator<P> {
    /// An evaluator that must be [reset](Evaluator::reset) to a position before use. The output is divided by `scale`.
    pub fn new(file: Arc<HalfKp>, scale: i32, kernel: Kernel) -> Self {
        Self {
            accumulators: Accumulators::new(file, kernel),
            kernel,
            scale: scale.max(1),
        }
    }

    /// The output before it is scaled.
    pub fn output(&mut self, p: &P) -> i32 {
        let (kernel, mut wide) = (self.kernel, [0i16; 2 * WIDTH]);
        let (file, values) = self.accumulators.values(p);
        for (to, from) in wide
            .iter_mut()
            .zip(values.iter().flat_map(|s| s.iter().flat_map(|c| &c.0)))
        {
            *to = (*from).clamp(0, ONE);
        }
        let mut hidden = [0i16; HIDDEN];
        let [first, second, last] = &file.layers;
        let mut out = [0; HIDDEN];
        kernel.affine(&wide, &first.weights, &first.biases, &mut out);
        clipped_relu(&out, &mut hidden);
        kernel.affine(&hidden, &second.weights, &second.biases, &mut out);
        clipped_relu(&out, &mut hidden);
        kernel.affine(&hidden, &last.weights, &last.biases, &mut out[..1]);
        out[0]
    }
}

/// Clipped ReLU: a layer's outputs as the next one takes them.
fn clipped_relu(from: &[i32; HIDDEN], to: &mut [i16; HIDDEN]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = (from >> SHIFT).clamp(0, i32::from(ONE)) as i16;
    }
}

impl<P: Features> Evaluator<P> for HalfKpEvaluator<P> {
    fn reset(&mut self, p: &P) {
        self.accumulators.reset(p);
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        self.accumulators.push(d);
    }

    #[inline]
    fn pop(&mut self) {
        self.accumulators.pop();
    }

    fn score(&mut self, p: &P) -> Score {
        self.output(p) / self.scale
    }

    fn explain(&mut self, p: &P) -> String {
        self.reset(p);
        let output = self.output(p);
        format!(
            "HalfKP file: {} for the side to move, {output} / {}",
            output / self.scale,
            self.scale
        )
    }
}
