//! A network and its file.
//!
//! The file: `NGUKYNET`, the version, the game's name and the network's name (a length byte and UTF-8 each), the numbers
//! of inputs, accumulator values and output buckets and the two scales (u32), a hash of what follows (u64), then the
//! weights as i16: the feature transformer's by input, its biases, the output layer's by bucket (own perspective, then the
//! other), and the output biases as i32. All numbers are little-endian.

use super::header::{Header, MAGIC, Reader, VERSION, hash};
use super::kernel::{Chunk, LANES, SCRELU_SCALE};
use crate::game::Features;
use crate::util::files;
use std::path::Path;

/// The quantisation of the feature transformer: what stands for 1 in its weights and in accumulators at the coarsest scale.
pub const QA: i32 = 510;
/// The finest scale of the feature transformer's weights: one is [`QA`] times two to this.
pub const FINEST: u8 = 2;
/// The finest scale of output weights: one is two to this.
pub const MOST_BITS: u8 = 14;
/// The scale of scores: at so many hundredths of a pawn the win probability is the logistic function of 1.
pub const SCALE: i32 = 400;

/// The widest accumulator that is accepted, so that no file makes us allocate without bound.
const WIDEST: usize = 1024;

/// A quantised network `(inputs -> hidden) x 2 -> output buckets` with SCReLU between.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// Its name, for a person.
    pub name: String,
    /// Chunks of one accumulator.
    pub width: usize,
    /// The scale of the feature transformer's weights: one is [`QA`] times two to this, which is at most [`FINEST`].
    pub fine: u8,
    /// The scale of the output layer's weights: one is two to this, which is at most [`MOST_BITS`].
    pub bits: u8,
    /// The feature transformer's weights, one row per input.
    pub feature_weights: Vec<Chunk>,
    /// The feature transformer's biases, one row.
    pub feature_biases: Vec<Chunk>,
    /// The output layer's weights, two rows per bucket.
    pub output_weights: Vec<Chunk>,
    /// The output layer's biases by bucket, in units of [`Kernel::forward`](super::Kernel::forward).
    pub output_biases: Vec<i32>,
}

impl Reader<'_> {
    fn chunks(&mut self, n: usize) -> Result<Vec<Chunk>, String> {
        let bytes = self.take(n * LANES * 2)?;
        let chunk = |b: &[u8]| Chunk(std::array::from_fn(|i| i16::from_le_bytes([b[2 * i], b[2 * i + 1]])));
        Ok(bytes.chunks_exact(LANES * 2).map(chunk).collect())
    }
}

/// The most bytes before the weights: two names of 255 bytes, and numbers.
const HEAD: usize = 1024;

/// Whether the head is that of a network of the game `P`.
fn check_head<P: Features>(head: &Header) -> Result<(), String> {
    let Header {
        inputs,
        hidden,
        output_buckets,
        ..
    } = *head;
    if inputs != P::INPUTS || output_buckets != P::OUTPUT_BUCKETS {
        let expected = format!("{} inputs and {} output buckets", P::INPUTS, P::OUTPUT_BUCKETS);
        return Err(format!(
            "a network of {inputs} inputs and {output_buckets} output buckets; expected {expected}"
        ));
    }
    if hidden == 0 || hidden > WIDEST || !hidden.is_multiple_of(LANES) {
        return Err(format!(
            "an accumulator of {hidden} values; expected a multiple of {LANES} up to {WIDEST}"
        ));
    }
    let [fine, bits] = head.scales;
    if fine > FINEST.into() || bits > MOST_BITS.into() {
        return Err(format!(
            "a network of scales {fine} and {bits}; expected at most {FINEST} and {MOST_BITS}"
        ));
    }
    Ok(())
}

impl Net {
    /// Reads a network of the game `P` from a file, of which only the head is read unless it announces such a network.
    ///
    /// # Errors
    /// One line that names the path and says what is wrong.
    pub fn open<P: Features>(path: impl AsRef<Path>) -> Result<Self, String> {
        let most = HEAD + 2 * WIDEST * (P::INPUTS + 1 + 2 * P::OUTPUT_BUCKETS) + 4 * P::OUTPUT_BUCKETS;
        let check = |head: &[u8], _| check_head::<P>(&Header::read(head, P::NAME)?);
        let bytes = files::read(&path, most as u64, HEAD, check)?;
        Self::read::<P>(&bytes).map_err(|why| format!("{:?}: {why}", path.as_ref()))
    }

    /// Reads a network of the game `P`.
    ///
    /// # Errors
    /// One line that says what is wrong: no network, another version, another game, cut short, damaged.
    pub fn read<P: Features>(bytes: &[u8]) -> Result<Self, String> {
        let head = Header::read(bytes, P::NAME)?;
        check_head::<P>(&head)?;
        let Header {
            inputs,
            hidden,
            output_buckets,
            ..
        } = head;
        let [fine, bits] = head.scales;
        let width = hidden / LANES;
        let mut r = Reader(head.payload);
        let net = Self {
            name: head.name.clone(),
            width,
            fine: fine as u8,
            bits: bits as u8,
            feature_weights: r.chunks(inputs * width)?,
            feature_biases: r.chunks(width)?,
            output_weights: r.chunks(output_buckets * 2 * width)?,
            output_biases: (0..output_buckets)
                .map(|_| r.number().map(|n| n as i32))
                .collect::<Result<_, _>>()?,
        };
        if !r.0.is_empty() {
            return Err(format!("the network has {} bytes too many", r.0.len()));
        }
        head.check()?;
        if !net.fits() {
            return Err("the network's output weights are so large that their sum could overflow".into());
        }
        Ok(net)
    }

    /// The network as a file; [`Net::read`] reads it back.
    pub fn write<P: Features>(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        for chunk in self
            .feature_weights
            .iter()
            .chain(&self.feature_biases)
            .chain(&self.output_weights)
        {
            payload.extend(chunk.0.iter().flat_map(|w| w.to_le_bytes()));
        }
        payload.extend(self.output_biases.iter().flat_map(|b| b.to_le_bytes()));
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        for word in [P::NAME, &self.name] {
            let word = &word.as_bytes()[..word.len().min(255)];
            out.push(word.len() as u8);
            out.extend(word);
        }
        let scales = [self.fine.into(), self.bits.into()];
        for number in [P::INPUTS, self.width * LANES, P::OUTPUT_BUCKETS]
            .into_iter()
            .chain(scales)
        {
            out.extend((number as u32).to_le_bytes());
        }
        out.extend(hash(&payload).to_le_bytes());
        out.extend(payload);
        out
    }

    /// Whether no sum of [`Kernel::forward`](super::Kernel::forward) can leave the 32 bits of its lanes: each takes two
    /// neighbours of every chunk.
    pub fn fits(&self) -> bool {
        let most = i64::from(i32::MAX) / (SCRELU_SCALE / 2 + 1);
        self.output_weights.chunks_exact(2 * self.width).all(|bucket| {
            (0..LANES).step_by(2).all(|lane| {
                let pairs = bucket.iter().flat_map(|c| &c.0[lane..lane + 2]);
                pairs.map(|&w| i64::from(w).abs()).sum::<i64>() <= most
            })
        })
    }

    /// The score of a sum that [`Kernel::forward`](super::Kernel::forward) gives.
    #[inline]
    pub fn score(&self, sum: i64, output_bucket: usize) -> i64 {
        let out = (sum + i64::from(self.output_biases[output_bucket])) * i64::from(2 * SCALE) / SCRELU_SCALE;
        (out + (1 << self.bits >> 1)) >> self.bits
    }

    /// The output weights of a bucket, own perspective first.
    #[inline]
    pub(super) fn output_row(&self, output_bucket: usize) -> &[Chunk] {
        &self.output_weights[output_bucket * 2 * self.width..][..2 * self.width]
    }
}
