//! A set of up to 128 points in one `u128`, for boards larger than chess.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of points.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub struct Bb128(pub u128);

impl Bb128 {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// The set of one point, below 128.
    #[inline]
    pub const fn of(point: u8) -> Self {
        Self(1 << point)
    }

    /// Whether the point is in the set.
    #[inline]
    pub const fn has(self, point: u8) -> bool {
        self.0 >> point & 1 != 0
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has any point.
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the sets share a point.
    #[inline]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Points in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there are two points or more.
    #[inline]
    pub const fn many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The least point of a set that is not empty.
    #[inline]
    pub const fn first(self) -> u8 {
        self.0.trailing_zeros() as u8
    }

    /// The points of this set that are not in the other.
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Calls `f` with each point. The two halves are walked apart: clearing the lowest bit of a `u128` takes nearly
    /// twice as long as that of a `u64`.
    #[inline]
    pub fn for_each(self, mut f: impl FnMut(u8)) {
        let mut low = self.0 as u64;
        while low != 0 {
            f(low.trailing_zeros() as u8);
            low &= low - 1;
        }
        let mut high = (self.0 >> 64) as u64;
        while high != 0 {
            f(64 + high.trailing_zeros() as u8);
            high &= high - 1;
        }
    }
}

impl Iterator for Bb128 {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        if low != 0 {
            self.0 = u128::from(high) << 64 | u128::from(low & (low - 1));
            Some(low.trailing_zeros() as u8)
        } else if high != 0 {
            self.0 = u128::from(high & (high - 1)) << 64;
            Some(64 + high.trailing_zeros() as u8)
        } else {
            None
        }
    }
}

macro_rules! operator {
    ($($op:ident $f:ident $assign:ident $g:ident $sign:tt;)+) => { $(
        impl $op for Bb128 {
            type Output = Self;
            #[inline]
            fn $f(self, other: Self) -> Self {
                Self(self.0 $sign other.0)
            }
        }
        impl $assign for Bb128 {
            #[inline]
            fn $g(&mut self, other: Self) {
                self.0 = self.0 $sign other.0;
            }
        }
    )+ };
}

operator! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for Bb128 {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_walks_agree() {
        for b in [0, 1, 1 << 127 | 5, u128::MAX, 0x0123_4567_89ab_cdef << 33] {
            let mut seen = Vec::new();
            Bb128(b).for_each(|p| seen.push(p));
            assert_eq!(seen, Bb128(b).collect::<Vec<_>>());
            assert_eq!(seen.len(), Bb128(b).len() as usize);
            assert!(seen.iter().all(|&p| Bb128(b).has(p)));
        }
    }
}
