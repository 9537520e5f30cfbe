//! Texts in constants.

/// `==` of two texts, which the compiler does not take in constants.
pub const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_as_by_the_operator() {
        let all = ["", "c", "chess", "chesS", "chess960", "cờ úp"];
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            assert_eq!(is_same(a, b), a == b, "{a} {b}");
        }
    }
}
