//! Half floats (IEEE binary16), for weights on disk. Two functions of forty lines: the crate `half` would be one more
//! dependency of the search library for them.

/// As a float.
pub fn to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10 & 0x1f);
    let fraction = u32::from(half & 0x3ff);
    match exponent {
        0 => {
            // Too small for an exponent: a multiple of 2^-24.
            let size = fraction as f32 * (1.0 / 16_777_216.0);
            f32::from_bits(size.to_bits() | sign)
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// The nearest half; infinite beyond 65,504.
pub fn from_f32(x: f32) -> u16 {
    let sign = (x.to_bits() >> 16 & 0x8000) as u16;
    let size = x.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    if size < 1.0 / 16384.0 {
        return sign | (size * 16_777_216.0).round_ties_even() as u16;
    }
    // Rounding may carry into the exponent, which is right.
    let bits = size.to_bits();
    let rounded = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
    if rounded >= (143 << 10) {
        return sign | 0x7c00;
    }
    sign | (rounded - (112 << 10)) as u16
}

#[cfg(test)]
mod tests {
    use super::{from_f32, to_f32};

    #[test]
    fn halves_come_back() {
        for half in 0..=u16::MAX {
            let x = to_f32(half);
            assert!(x.is_nan() || from_f32(x) == half, "{half:04x} {x}");
        }
    }

    #[test]
    fn the_nearest_is_chosen() {
        for (x, half) in [
            (0.1, 0x2e66),
            (-1.0, 0xbc00),
            (65504.0, 0x7bff),
            (65520.0, 0x7c00),
            (1e9, 0x7c00),
            (6e-8, 1),
            (1e-9, 0),
            (f32::NEG_INFINITY, 0xfc00),
            (1.000_488_3, 0x3c00),
            (1.001_464_9, 0x3c02),
        ] {
            assert_eq!(from_f32(x), half, "{x}");
        }
    }
}
