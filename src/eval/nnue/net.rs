//! A network and its file.
//!
//! The file: `NGUKYNET`, the version, the game's name and the network's name (a length byte and UTF-8 each), the numbers
//! of inputs, hidden sums and heads and the two scales (u32), a hash of what follows (u64), then the weights as i16:
//! hidden weights by input, hidden biases, output weights by head (own view, then the other), and the output biases as
//! i32. All numbers are little-endian.

use super::header::{Header, MAGIC, Reader, VERSION, hash};
use super::kernel::{Chunk, LANES, SQUARE};
use crate::game::Features;
use crate::util::files;
use std::path::Path;

/// One in hidden weights and sums at the coarsest scale.
pub const QA: i32 = 510;
/// The finest scale of hidden weights: one is [`QA`] times two to this.
pub const FINEST: u8 = 2;
/// The finest scale of output weights: one is two to this.
pub const MOST_BITS: u8 = 14;
/// The score, in hundredths of a pawn, at which the odds of winning are e to 1.
pub const SCALE: i32 = 400;

/// The widest hidden layer that is accepted, so that no file makes us allocate without bound.
const WIDEST: usize = 1024;

/// A quantised network `(inputs -> hidden) x 2 -> heads` with clipped squares between.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// Its name, for a person.
    pub name: String,
    /// Chunks of one row of hidden sums.
    pub width: usize,
    /// The scale of hidden weights: one is [`QA`] times two to this, which is at most [`FINEST`].
    pub fine: u8,
    /// The scale of output weights: one is two to this, which is at most [`MOST_BITS`].
    pub bits: u8,
    /// Hidden weights, one row per input.
    pub hidden: Vec<Chunk>,
    /// Hidden biases, one row.
    pub start: Vec<Chunk>,
    /// Output weights, two rows per head.
    pub output: Vec<Chunk>,
    /// Output biases by head, in units of [`Kernel::weigh`](super::Kernel::weigh).
    pub bias: Vec<i32>,
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
        inputs, hidden, heads, ..
    } = *head;
    if inputs != P::INPUTS || heads != P::HEADS {
        let expected = format!("{} inputs and {} heads", P::INPUTS, P::HEADS);
        return Err(format!(
            "a network of {inputs} inputs and {heads} heads; expected {expected}"
        ));
    }
    if hidden == 0 || hidden > WIDEST || !hidden.is_multiple_of(LANES) {
        return Err(format!(
            "a network of {hidden} hidden sums; expected a multiple of {LANES} up to {WIDEST}"
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
        let most = HEAD + 2 * WIDEST * (P::INPUTS + 1 + 2 * P::HEADS) + 4 * P::HEADS;
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
            inputs, hidden, heads, ..
        } = head;
        let [fine, bits] = head.scales;
        let width = hidden / LANES;
        let mut r = Reader(head.payload);
        let net = Self {
            name: head.name.clone(),
            width,
            fine: fine as u8,
            bits: bits as u8,
            hidden: r.chunks(inputs * width)?,
            start: r.chunks(width)?,
            output: r.chunks(heads * 2 * width)?,
            bias: (0..heads)
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
        for chunk in self.hidden.iter().chain(&self.start).chain(&self.output) {
            payload.extend(chunk.0.iter().flat_map(|w| w.to_le_bytes()));
        }
        payload.extend(self.bias.iter().flat_map(|b| b.to_le_bytes()));
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        for word in [P::NAME, &self.name] {
            let word = &word.as_bytes()[..word.len().min(255)];
            out.push(word.len() as u8);
            out.extend(word);
        }
        let scales = [self.fine.into(), self.bits.into()];
        for number in [P::INPUTS, self.width * LANES, P::HEADS].into_iter().chain(scales) {
            out.extend((number as u32).to_le_bytes());
        }
        out.extend(hash(&payload).to_le_bytes());
        out.extend(payload);
        out
    }

    /// Whether no sum of [`Kernel::weigh`](super::Kernel::weigh) can leave the 32 bits of its lanes: each takes two
    /// neighbours of every chunk.
    pub fn fits(&self) -> bool {
        let most = i64::from(i32::MAX) / (SQUARE / 2 + 1);
        self.output.chunks_exact(2 * self.width).all(|head| {
            (0..LANES).step_by(2).all(|lane| {
                let pairs = head.iter().flat_map(|c| &c.0[lane..lane + 2]);
                pairs.map(|&w| i64::from(w).abs()).sum::<i64>() <= most
            })
        })
    }

    /// The score of a sum that [`Kernel::weigh`](super::Kernel::weigh) gives.
    #[inline]
    pub fn score(&self, sum: i64, head: usize) -> i64 {
        let out = (sum + i64::from(self.bias[head])) * i64::from(2 * SCALE) / SQUARE;
        (out + (1 << self.bits >> 1)) >> self.bits
    }

    /// The output weights of a head, own view first.
    #[inline]
    pub(super) fn head(&self, head: usize) -> &[Chunk] {
        &self.output[head * 2 * self.width..][..2 * self.width]
    }
}
