//! The inner loop of all convolutions: a few rows times a few columns, whose sums are held in registers.

use super::lanes::{Floats, Lanes};

/// Columns of a panel.
pub const PANEL: usize = 16;

/// Most rows at a time, two registers each: with the columns' two they fill the sixteen registers of AVX2, or most of the 32
/// of AVX-512.
pub const fn most_rows<L: Lanes>() -> usize {
    if L::MANY { MOST_ROWS } else { 6 }
}

/// Most rows at a time by any kernel.
pub const MOST_ROWS: usize = 12;

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

    /// The panels of a matrix from this column on.
    #[inline(always)]
    pub fn get(&self, matrix: usize, column: usize) -> Columns<'_> {
        let at = (matrix * self.outputs + column) * self.inputs;
        let end = (matrix + 1) * self.outputs * self.inputs;
        Columns {
            data: &self.data[at..end],
            inputs: self.inputs,
        }
    }

    /// The cache lines of what [`get`](Self::get) gives next after so many columns; none after the last.
    #[inline(always)]
    pub fn after(&self, matrix: usize, column: usize, columns: usize) -> &[[f32; PANEL]] {
        let at = (matrix * self.outputs + column + columns) * self.inputs;
        let rest = self.data.get(at..).unwrap_or(&[]);
        rest[..rest.len().min(columns * self.inputs)].as_chunks().0
    }
}

/// Panels of a matrix, side by side.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    data: &'a [f32],
    inputs: usize,
}

impl<'a> Columns<'a> {
    /// One panel of a list of rows.
    #[inline(always)]
    pub fn of(panel: &'a [f32]) -> Self {
        Self {
            data: panel,
            inputs: panel.len() / PANEL,
        }
    }
}

/// Columns that are summed at a time: those of two registers, or of one where no more are left.
#[inline(always)]
pub fn at_a_time<L: Lanes>(left: usize) -> usize {
    left.min(2 * L::WIDTH)
}

/// Adds rows times columns to `sums`, of which each has `C` registers a row. Each row has as many numbers as the columns, or
/// more. `ahead` is fetched into the cache meanwhile.
#[inline(always)]
pub fn tile<L: Lanes, const R: usize, const C: usize>(
    rows: [&[f32]; R],
    columns: Columns,
    ahead: &[[f32; PANEL]],
    sums: &mut [[L; C]; R],
) {
    let n = columns.inputs;
    for row in &rows {
        assert!(row.len() >= n, "a row is shorter than the columns");
    }
    assert!(
        columns.data.len() >= n * (C * L::WIDTH).next_multiple_of(PANEL),
        "too few columns"
    );
    // As many lines at each step as the columns of the step have.
    let lines = (C * L::WIDTH).div_ceil(PANEL);
    let fetched = (ahead.len() / lines).min(n);
    for i in 0..fetched {
        for line in 0..lines {
            L::fetch(&ahead[i * lines + line]);
        }
        // SAFETY: every row and column is as long, see above.
        unsafe { step::<L, R, C>(&rows, i, columns, sums) };
    }
    for i in fetched..n {
        // SAFETY: as above.
        unsafe { step::<L, R, C>(&rows, i, columns, sums) };
    }
}

/// Adds number `i` of each row times row `i` of the columns.
///
/// # Safety
/// Each row must have more than `i` numbers, and so must each of the columns, whose number is `C` times the width.
#[inline(always)]
unsafe fn step<L: Lanes, const R: usize, const C: usize>(
    rows: &[&[f32]; R],
    i: usize,
    columns: Columns,
    sums: &mut [[L; C]; R],
) {
    let mut registers = [L::splat(0.0); C];
    for c in 0..C {
        let column = c * L::WIDTH;
        let at = (column / PANEL * columns.inputs + i) * PANEL + column % PANEL;
        // SAFETY: as the caller says.
        let cells = unsafe { columns.data.get_unchecked(at..at + L::WIDTH) };
        registers[c] = L::load(&L::cells(cells)[0]);
    }
    for r in 0..R {
        // SAFETY: as the caller says.
        let x = L::splat(unsafe { *rows[r].get_unchecked(i) });
        for c in 0..C {
            sums[r][c] = x.mul_add(registers[c], sums[r][c]);
        }
    }
}

/// Cuts `n` rows into blocks of at most `most`, as even as can be: start and rows of each.
pub fn blocks(n: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = n.div_ceil(most);
    (0..count).map(move |i| (i * n / count, (i + 1) * n / count - i * n / count))
}

/// Calls `$f` with the lanes, with `$rows`, from 1 to [`most_rows`], as the constant `R`, and with the registers that
/// `$columns` of [`at_a_time`] take as the constant `C`.
macro_rules! with_tile {
    ($rows:expr, $columns:expr, $f:ident ::<$l:ident> ($($arg:expr),* $(,)?)) => {
        // The narrow lanes always have two registers of columns; what is not reached is not compiled.
        if $l::MANY {
            if $columns > $l::WIDTH {
                with_tile!(@rows 2 $rows, $f, $l, ($($arg),*), 7 8 9 10 11 12);
            } else {
                with_tile!(@rows 1 $rows, $f, $l, ($($arg),*), 7 8 9 10 11 12);
            }
        } else {
            with_tile!(@rows 2 $rows, $f, $l, ($($arg),*),);
        }
    };
    (@rows $c:literal $rows:expr, $f:ident, $l:ident, $args:tt, $($more:literal)*) => {
        with_tile!(@match $rows, $f, $l, $c, $args, 1 2 3 4 5 6 $($more)*)
    };
    (@match $rows:expr, $f:ident, $l:ident, $c:literal, $args:tt, $($r:literal)*) => {
        match $rows {
            $($r => with_tile!(@call $f, $l, $r, $c, $args),)*
            _ => unreachable!("a block of too many rows"),
        }
    };
    (@call $f:ident, $l:ident, $r:literal, $c:literal, ($($arg:expr),*)) => {
        $f::<$l, $r, $c>($($arg),*)
    };
}
pub(super) use with_tile;
