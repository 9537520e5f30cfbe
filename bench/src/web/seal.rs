//! The seal of a hidden deal: a digest that is shown before move 1 and opened after the end, so that anybody can check that
//! nothing was changed. The salt keeps the deals, which are few, from being tried out.

use sha2::{Digest, Sha256};

/// Bytes in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The text that is sealed.
pub fn text(salt: &str, id: &str, faces: &str) -> String {
    format!("{salt}\n{id}\n{faces}")
}

/// SHA-256 of the sealed text, in hexadecimal.
pub fn digest(salt: &str, id: &str, faces: &str) -> String {
    hex(&Sha256::digest(text(salt, id, faces)))
}

/// Whether two secrets are equal, in a time that does not tell where they differ.
pub fn same(a: &str, b: &str) -> bool {
    Sha256::digest(a) == Sha256::digest(b)
}

/// Random bytes of the system, in hexadecimal.
///
/// # Errors
/// Where the system gives none.
pub fn random<const BYTES: usize>() -> anyhow::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|e| anyhow::anyhow!("the system gives no random numbers: {e}"))?;
    Ok(hex(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_the_sha256_of_three_lines() {
        // printf 'aa\nbb\ncc' | sha256sum
        let expected = "bb3a8f77129ee0d98b4f4a1026c8640a02deb6aba7b8baa743f17c586f13462c";
        assert_eq!(digest("aa", "bb", "cc"), expected);
        assert_ne!(digest("ab", "bb", "cc"), expected);
    }
}
