//! The head of a network's file, with nothing of the engine: `build.rs` reads the built-in networks by it too.

/// What every file begins with.
pub const MAGIC: &[u8; 8] = b"NGUKYNET";
/// The version of the format.
pub const VERSION: u32 = 3;

/// FNV-1a, 64 bits.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| {
        (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Takes bytes off the front of a file.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// So many bytes, or what is wrong.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let (head, rest) = self.0.split_at_checked(n).ok_or_else(|| {
            format!(
                "the network is cut short: {n} more bytes expected, {} left",
                self.0.len()
            )
        })?;
        self.0 = rest;
        Ok(head)
    }

    /// A little-endian number of 32 bits.
    pub fn number(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn word(&mut self) -> Result<String, String> {
        let len = self.take(1)?[0];
        Ok(String::from_utf8_lossy(self.take(len.into())?).into_owned())
    }
}

/// What stands before the weights.
pub struct Header<'a> {
    /// The network's name, for a person.
    pub name: String,
    /// Inputs of the feature transformer.
    pub inputs: usize,
    /// Values in one accumulator.
    pub hidden: usize,
    /// Output buckets.
    pub output_buckets: usize,
    /// The scales of the weights, as [`super::Net`] has them.
    pub scales: [u32; 2],
    /// The hash that the weights should have.
    pub hash: [u8; 8],
    /// The weights.
    pub payload: &'a [u8],
}

impl<'a> Header<'a> {
    /// Reads the head of a network of a game.
    ///
    /// # Errors
    /// One line that says what is wrong: no network, another version, another game, cut short.
    pub fn read(bytes: &'a [u8], wanted: &str) -> Result<Self, String> {
        let mut r = Reader(bytes);
        if r.take(8).ok() != Some(MAGIC) {
            return Err("not a network of this family: it does not begin with NGUKYNET".into());
        }
        let version = r.number()?;
        if version != VERSION {
            return Err(format!("a network of version {version}; expected version {VERSION}"));
        }
        let game = r.word()?;
        if game != wanted {
            return Err(format!("a network for {game:?}; expected one for {wanted}"));
        }
        let name = r.word()?;
        let [inputs, hidden, output_buckets] = [r.number()? as usize, r.number()? as usize, r.number()? as usize];
        let scales = [r.number()?, r.number()?];
        let mut hash = [0; 8];
        hash.copy_from_slice(r.take(8)?);
        Ok(Self {
            name,
            inputs,
            hidden,
            output_buckets,
            scales,
            hash,
            payload: r.0,
        })
    }

    /// Whether the weights are those that were written.
    ///
    /// # Errors
    /// One line, where their hash says that they are not.
    pub fn check(&self) -> Result<(), String> {
        if self.hash == hash(self.payload).to_le_bytes() {
            Ok(())
        } else {
            Err("the network is damaged: its hash does not match".into())
        }
    }
}
