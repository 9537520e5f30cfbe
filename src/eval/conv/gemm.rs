//! The inner loop of all convolutions: a few rows times a panel of sixteen columns, held in registers.

use super::lanes::{Floats, Lanes};

/// Columns of a panel.
pub const PANEL: usize = 16;
/// Most rows at a time: with the panel's two they fill the sixteen registers of AVX2.
pub const ROWS: usize = 6;

/// `n` up to the next multiple of the panel.
pub const fn padded(n: usize) -> usize {
    n.div_ceil(PANEL) * PANEL
}

/// Matrices of `inputs` rows, each cut into panels: by matrix, panel, input, column. Columns beyond the last are 0.
#[derive(Clone)]
pub struct Panels {
    /// Rows.
    pub inputs: usize,
    /// Columns, a multiple of [`PANEL`].
    pub outputs: usize,
    data: Floats,
}

impl Panels {
    /// Cuts up `count` matrices whose cells `cell` gives by number, row and column.
    pub fn new(count: usize, inputs: usize, outputs: usize, cell: impl Fn(usize, usize, usize) -> f32) -> Self {
        let wide = padded(outputs);
        let mut data = Floats::zeros(count * inputs * wide);
        for m in 0..count {
            for i in 0..inputs {
                for o in 0..outputs {
                    let at = ((m * wide / PANEL + o / PANEL) * inputs + i) * PANEL + o % PANEL;
                    data[at] = cell(m, i, o);
                }
            }
        }
        Self {
            inputs,
            outputs: wide,
            data,
        }
    }

    /// The panel of a matrix.
    #[inline(always)]
    pub fn get(&self, matrix: usize, panel: usize) -> &[[f32; PANEL]] {
        let size = self.inputs * PANEL;
        let at = (matrix * self.outputs / PANEL + panel) * size;
        self.data[at..at + size].as_chunks::<PANEL>().0
    }
}

impl Panels {
    /// The panel after [`get`](Self::get)'s; empty after the last.
    #[inline(always)]
    pub fn after(&self, matrix: usize, panel: usize) -> &[[f32; PANEL]] {
        let size = self.inputs * PANEL;
        let at = (matrix * self.outputs / PANEL + panel + 1) * size;
        self.data.get(at..at + size).map_or(&[], |p| p.as_chunks::<PANEL>().0)
    }
}

/// What a row becomes: two times eight columns.
pub type Sums<L> = [L; 2];

/// Adds rows times a panel to `sums`. Each row has as many numbers as the panel, or more. `ahead` is fetched into the cache
/// meanwhile.
#[inline(always)]
pub fn tile<L: Lanes, const R: usize>(
    rows: [&[f32]; R],
    panel: &[[f32; PANEL]],
    ahead: &[[f32; PANEL]],
    sums: &mut [Sums<L>; R],
) {
    for row in &rows {
        assert!(row.len() >= panel.len(), "a row is shorter than the panel");
    }
    let n = ahead.len().min(panel.len());
    for i in 0..n {
        L::fetch(&ahead[i]);
        // SAFETY: every row is as long as the panel, see above.
        unsafe { step::<L, R>(&rows, i, &panel[i], sums) };
    }
    for i in n..panel.len() {
        // SAFETY: as above.
        unsafe { step::<L, R>(&rows, i, &panel[i], sums) };
    }
}

/// Adds number `i` of each row times a row of the panel.
///
/// # Safety
/// Each row must have more than `i` numbers.
#[inline(always)]
unsafe fn step<L: Lanes, const R: usize>(
    rows: &[&[f32]; R],
    i: usize,
    columns: &[f32; PANEL],
    sums: &mut [Sums<L>; R],
) {
    let halves = columns.as_chunks::<8>().0;
    let (left, right) = (L::load(&halves[0]), L::load(&halves[1]));
    for r in 0..R {
        // SAFETY: as the caller says.
        let x = L::splat(unsafe { *rows[r].get_unchecked(i) });
        sums[r][0] = x.mul_add(left, sums[r][0]);
        sums[r][1] = x.mul_add(right, sums[r][1]);
    }
}

/// Cuts `n` rows into blocks of at most [`ROWS`], as even as can be: start and rows of each.
pub fn blocks(n: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = n.div_ceil(ROWS);
    (0..count).map(move |i| (i * n / count, (i + 1) * n / count - i * n / count))
}

/// Runs `$body` with the constant `R` equal to `$rows`, from 1 to [`ROWS`].
macro_rules! with_rows {
    ($rows:expr, $f:ident ::<$l:ty> ($($arg:expr),* $(,)?)) => {
        match $rows {
            1 => $f::<$l, 1>($($arg),*),
            2 => $f::<$l, 2>($($arg),*),
            3 => $f::<$l, 3>($($arg),*),
            4 => $f::<$l, 4>($($arg),*),
            5 => $f::<$l, 5>($($arg),*),
            _ => $f::<$l, 6>($($arg),*),
        }
    };
}
pub(super) use with_rows;
