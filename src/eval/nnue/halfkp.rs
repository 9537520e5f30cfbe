//! The evaluation file that shogi programs share, HalfKP 256x2-32-32 (`nn.bin`, by the Stockfish-NNUE and YaneuraOu
//! projects): inputs of one piece and the own king each, 256 sums a view, two layers of 32, one output.

use super::carried::{Carried, Layer};
use super::kernel::{Chunk, Kernel, LANES};
use crate::game::{Dirty, Evaluator, Features, OFF, Score, Side};
use crate::util::files;
use std::path::Path;
use std::sync::Arc;

/// Hidden sums of a view.
const WIDTH: usize = 256;
/// Inputs for one place of the king; the first of them is that of a missing piece.
const BY_KING: usize = 1548;
const INPUTS: usize = 81 * BY_KING;
/// Outputs of each of the two layers behind the sums.
const NARROW: usize = 32;
/// Pieces of a full set without the kings.
const FULL: usize = 38;
const VERSION: u32 = 0x7af3_2f16;
/// One in the sums and in each layer's results.
const ONE: i16 = 127;
/// Results of a layer are divided by two to this.
const SHIFT: i32 = 6;

/// A layer of whole numbers.
struct Affine {
    biases: Vec<i32>,
    /// A row by output. Bytes in the file; wider here, because the products are.
    weights: Vec<i16>,
}

/// Such a file's contents.
pub struct HalfKp {
    hidden: Vec<Chunk>,
    start: Vec<Chunk>,
    layers: [Affine; 3],
}

/// Takes numbers off the front of a file whose length has been checked.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        head
    }

    fn chunks(&mut self, n: usize) -> Vec<Chunk> {
        let chunk = |b: &[u8]| Chunk(std::array::from_fn(|i| i16::from_le_bytes([b[2 * i], b[2 * i + 1]])));
        self.take(n * 2 * LANES).chunks_exact(2 * LANES).map(chunk).collect()
    }

    fn affine(&mut self, outputs: usize, inputs: usize) -> Affine {
        let number = |b: &[u8]| i32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Affine {
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
    let layers = (4 + 2 * WIDTH) * NARROW + (4 + NARROW) * NARROW + 4 + NARROW;
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
        let mut r = Reader(bytes);
        r.take(12 + text + 4);
        let width = WIDTH / LANES;
        let start = r.chunks(width);
        let hidden = r.chunks(INPUTS * width);
        r.take(4);
        let layers = [
            r.affine(NARROW, 2 * WIDTH),
            r.affine(NARROW, NARROW),
            r.affine(1, NARROW),
        ];
        Ok(Self { hidden, start, layers })
    }
}

impl<P: Features> Layer<P> for HalfKp {
    const INPUTS: usize = BY_KING;

    #[inline]
    fn width(&self) -> usize {
        WIDTH / LANES
    }

    fn start(&self) -> &[Chunk] {
        &self.start
    }

    #[inline]
    fn turn(_view: Side, king: u8) -> u8 {
        king
    }

    #[inline]
    fn input(view: Side, turn: u8, piece: u8, place: u8) -> Option<usize> {
        P::half_kp(view, turn, piece, place).map(|i| i % BY_KING)
    }

    #[inline]
    fn row(&self, view: Side, turn: u8, input: usize) -> &[Chunk] {
        const ROW: usize = WIDTH / LANES;
        let first = P::half_kp(view, turn, 0, OFF).unwrap_or(0);
        &self.hidden[(first + input) * ROW..][..ROW]
    }

    fn missing() -> Option<(usize, usize)> {
        Some((0, FULL))
    }
}

/// An evaluator with such a file.
pub struct Kp<P> {
    carried: Carried<P, HalfKp>,
    kernel: Kernel,
    scale: i32,
}

impl<P: Features> Kp<P> {
    /// An evaluator that must be [reset](Evaluator::reset) to a position before use. The output is divided by `scale`.
    pub fn new(file: Arc<HalfKp>, scale: i32, kernel: Kernel) -> Self {
        Self {
            carried: Carried::new(file, kernel),
            kernel,
            scale: scale.max(1),
        }
    }

    /// The output before it is scaled.
    pub fn output(&mut self, p: &P) -> i32 {
        let (kernel, mut wide) = (self.kernel, [0i16; 2 * WIDTH]);
        let (file, sums) = self.carried.sums(p);
        for (to, from) in wide
            .iter_mut()
            .zip(sums.iter().flat_map(|s| s.iter().flat_map(|c| &c.0)))
        {
            *to = (*from).clamp(0, ONE);
        }
        let mut narrow = [0i16; NARROW];
        let [first, second, last] = &file.layers;
        let mut out = [0; NARROW];
        kernel.affine(&wide, &first.weights, &first.biases, &mut out);
        settle(&out, &mut narrow);
        kernel.affine(&narrow, &second.weights, &second.biases, &mut out);
        settle(&out, &mut narrow);
        kernel.affine(&narrow, &last.weights, &last.biases, &mut out[..1]);
        out[0]
    }
}

/// A layer's results as the next one takes them.
fn settle(from: &[i32; NARROW], to: &mut [i16; NARROW]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = (from >> SHIFT).clamp(0, i32::from(ONE)) as i16;
    }
}

impl<P: Features> Evaluator<P> for Kp<P> {
    fn reset(&mut self, p: &P) {
        self.carried.reset(p);
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        self.carried.push(d);
    }

    #[inline]
    fn pop(&mut self) {
        self.carried.pop();
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
