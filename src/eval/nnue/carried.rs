//! The first layer's sums, carried along the line of moves.

use super::kernel::{Chunk, Kernel};
use crate::game::{Dirty, Features, OFF, Side};
use std::marker::PhantomData;
use std::sync::Arc;

/// A first layer: rows of weights that pieces on places switch on, as each side sees them.
pub trait Layer<P: Features>: Send + Sync {
    /// Inputs of one view of a board turned one way.
    const INPUTS: usize;
    /// Chunks of one row.
    fn width(&self) -> usize;
    /// The sums without any piece.
    fn start(&self) -> &[Chunk];
    /// How a view turns the board when its own king stands on `king`: a change of turn costs a fresh start.
    fn turn(view: Side, king: u8) -> u8;
    /// The input that a piece on a place switches on, if any, below [`Layer::INPUTS`].
    fn input(view: Side, turn: u8, piece: u8, place: u8) -> Option<usize>;
    /// The row of an input.
    fn row(&self, view: Side, turn: u8, input: usize) -> &[Chunk];
    /// An input that counts once for every piece that a full set has more than this position, and the size of a full set.
    fn missing() -> Option<(usize, usize)> {
        None
    }
}

/// What is known of one ply of the line.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// What the move that led here changed.
    dirty: Dirty,
    /// How each view turns the board.
    turn: [u8; 2],
    /// Whether each view's sums have been worked out.
    fresh: [bool; 2],
}

/// The last sums that were made for a board turned one way, and what they stand for: a king that comes back finds most of
/// its work done.
struct Kept {
    sums: Vec<Chunk>,
    /// The inputs as bits.
    set: Vec<u64>,
    /// How often the missing pieces' input counts.
    missing: usize,
}

/// Sums of both views for every ply of the line. They are worked out only when they are asked for, from the nearest ply
/// that has them, or from the last ones of a board turned the same way.
pub struct Carried<P, L> {
    /// The layer.
    pub layer: Arc<L>,
    kernel: Kernel,
    steps: Vec<Step>,
    /// Two rows a ply: the first side's view and the second's.
    sums: Vec<Chunk>,
    /// By view and turn.
    kept: [Vec<Option<Kept>>; 2],
    /// Room for a position's inputs.
    set: Vec<u64>,
    game: PhantomData<fn(&P)>,
}

const VIEWS: [Side; 2] = [Side::First, Side::Second];
/// Plies that there is room for from the start.
const PLIES: usize = 64;
/// Rows that are added or taken off in one go.
const AT_ONCE: usize = 16;

impl<P: Features, L: Layer<P>> Carried<P, L> {
    /// Sums that must be [reset](Carried::reset) to a position before use.
    pub fn new(layer: Arc<L>, kernel: Kernel) -> Self {
        let mut carried = Self {
            sums: vec![Chunk::ZERO; PLIES * 2 * layer.width()],
            layer,
            kernel,
            steps: Vec::with_capacity(PLIES),
            kept: [Vec::new(), Vec::new()],
            set: vec![0; L::INPUTS.div_ceil(64)],
            game: PhantomData,
        };
        carried.begin();
        carried
    }

    fn begin(&mut self) {
        self.steps.clear();
        self.steps.push(Step::default());
        self.room();
    }

    /// Makes room for the last ply's sums.
    #[inline]
    fn room(&mut self) {
        let need = self.steps.len() * 2 * self.layer.width();
        if self.sums.len() < need {
            self.sums.resize(2 * need, Chunk::ZERO);
        }
    }

    /// Starts afresh from a position.
    pub fn reset(&mut self, p: &P) {
        self.begin();
        p.each(&mut |piece, place| {
            for view in VIEWS {
                if piece == P::royal(view) {
                    self.steps[0].turn[view.index()] = L::turn(view, place);
                }
            }
        });
    }

    /// A move was played and changed this.
    #[inline]
    pub fn push(&mut self, d: &Dirty) {
        let mut step = Step {
            dirty: *d,
            turn: self.steps.last().map_or([0; 2], |s| s.turn),
            fresh: [false; 2],
        };
        for (piece, _, to) in d.iter() {
            for view in VIEWS {
                if piece == P::royal(view) && to != OFF {
                    step.turn[view.index()] = L::turn(view, to);
                }
            }
        }
        self.steps.push(step);
        self.room();
    }

    /// The last change was taken back.
    #[inline]
    pub fn pop(&mut self) {
        self.steps.pop();
    }

    /// The layer and the sums of the last ply: the mover's view, then the other's. `p` is the position that the pushes led
    /// to.
    #[inline]
    pub fn sums(&mut self, p: &P) -> (&L, [&[Chunk]; 2]) {
        self.bring::<0>(p);
        self.bring::<1>(p);
        let (last, width) = (self.steps.len() - 1, self.layer.width());
        let (first, second) = self.sums[2 * last * width..][..2 * width].split_at(width);
        let sums = match p.side() {
            Side::First => [first, second],
            Side::Second => [second, first],
        };
        (&self.layer, sums)
    }

    /// Brings a view's sums of the last ply up to date.
    #[inline]
    fn bring<const VIEW: usize>(&mut self, p: &P) {
        let last = self.steps.len() - 1;
        // Most often the ply before has its sums.
        if let [.., before, step] = self.steps.as_slice()
            && before.fresh[VIEW]
            && !step.fresh[VIEW]
            && step.turn[VIEW] == before.turn[VIEW]
        {
            self.step::<VIEW>(last, true);
        } else if !self.steps[last].fresh[VIEW] {
            self.bring_far::<VIEW>(p);
        }
    }

    /// Brings a view's sums of the last ply up to date from further back.
    #[inline(never)]
    fn bring_far<const VIEW: usize>(&mut self, p: &P) {
        let last = self.steps.len() - 1;
        let mut from = last;
        while !self.steps[from].fresh[VIEW] {
            // A turned board has nothing in common with the one before.
            if from == 0 || self.steps[from].turn[VIEW] != self.steps[from - 1].turn[VIEW] {
                self.refresh(p, VIEW);
                // The plies on the way here serve their other children.
                (from + 1..=last).rev().for_each(|ply| self.step::<VIEW>(ply, false));
                return;
            }
            from -= 1;
        }
        (from + 1..=last).for_each(|ply| self.step::<VIEW>(ply, true));
    }

    /// One ply's sums from those of the ply before, or the other way round.
    #[inline]
    fn step<const VIEW: usize>(&mut self, ply: usize, forward: bool) {
        let (width, layer, kernel) = (self.layer.width(), &*self.layer, self.kernel);
        let (before, after) = self.sums.split_at_mut((2 * ply + VIEW) * width);
        let (before, after) = (
            &mut before[(2 * ply - 2 + VIEW) * width..][..width],
            &mut after[..width],
        );
        let (dirty, turn) = (&self.steps[ply].dirty, self.steps[ply].turn[VIEW]);
        let row = |piece, place| L::input(VIEWS[VIEW], turn, piece, place).map(|i| layer.row(VIEWS[VIEW], turn, i));
        // A piece that moves, and one that it takes, are nearly all there is.
        let [(piece, from, to), (other, place, gone), ..] = dirty.item;
        if forward
            && matches!(dirty.len, 1 | 2)
            && from != OFF
            && to != OFF
            && let (Some(off), Some(on)) = (row(piece, from), row(piece, to))
        {
            if dirty.len == 1 {
                kernel.step(after, before, [on], [off]);
                self.steps[ply].fresh[VIEW] = true;
                return;
            } else if place != OFF
                && gone == OFF
                && let Some(taken) = row(other, place)
            {
                kernel.step(after, before, [on], [off, taken]);
                self.steps[ply].fresh[VIEW] = true;
                return;
            }
        }
        let (mut added, mut removed): ([&[Chunk]; 4], [&[Chunk]; 4]) = ([&[]; 4], [&[]; 4]);
        let (mut more, mut less) = (0, 0);
        for (piece, from, to) in dirty.iter() {
            if from != OFF
                && let Some(row) = row(piece, from)
            {
                removed[less] = row;
                less += 1;
            }
            if to != OFF
                && let Some(row) = row(piece, to)
            {
                added[more] = row;
                more += 1;
            }
        }
        let (added, removed) = (&added[..more], &removed[..less]);
        if forward {
            after.copy_from_slice(before);
            kernel.shift(after, added, removed);
        } else {
            before.copy_from_slice(after);
            kernel.shift(before, removed, added);
        }
        self.steps[ply - usize::from(!forward)].fresh[VIEW] = true;
    }

    /// The last ply's sums from the position and the last sums of a board turned like it.
    fn refresh(&mut self, p: &P, view: usize) {
        let (last, width) = (self.steps.len() - 1, self.layer.width());
        let turn = self.steps[last].turn[view];
        let at = (2 * last + view) * width;
        let (layer, kernel, side) = (&*self.layer, self.kernel, VIEWS[view]);
        let kept = &mut self.kept[view];
        if kept.len() <= turn.into() {
            kept.resize_with(usize::from(turn) + 1, || None);
        }
        let kept = kept[usize::from(turn)].get_or_insert_with(|| Kept {
            sums: layer.start().to_vec(),
            set: vec![0; L::INPUTS.div_ceil(64)],
            missing: 0,
        });
        let (set, mut pieces) = (&mut self.set, 0);
        set.fill(0);
        p.each(&mut |piece, place| {
            if let Some(input) = L::input(side, turn, piece, place) {
                set[input / 64] |= 1 << (input % 64);
                pieces += 1;
            }
        });
        let mut change = Change::new(kernel, &mut kept.sums);
        for (word, (new, old)) in set.iter().zip(&mut kept.set).enumerate() {
            let mut differ = *new ^ *old;
            while differ != 0 {
                let bit = differ.trailing_zeros() as usize;
                change.note(layer.row(side, turn, 64 * word + bit), new >> bit & 1 != 0);
                differ &= differ - 1;
            }
            *old = *new;
        }
        if let Some((input, full)) = L::missing() {
            let (row, missing) = (layer.row(side, turn, input), full.saturating_sub(pieces));
            (kept.missing..missing).for_each(|_| change.note(row, true));
            (missing..kept.missing).for_each(|_| change.note(row, false));
            kept.missing = missing;
        }
        change.make();
        self.sums[at..at + width].copy_from_slice(&kept.sums);
        self.steps[last].fresh[view] = true;
    }
}

/// Rows to be added to sums and taken off them.
struct Change<'a> {
    kernel: Kernel,
    sums: &'a mut [Chunk],
    /// Those taken off and those added.
    rows: [[&'a [Chunk]; AT_ONCE]; 2],
    count: [usize; 2],
}

impl<'a> Change<'a> {
    fn new(kernel: Kernel, sums: &'a mut [Chunk]) -> Self {
        Self {
            kernel,
            sums,
            rows: [[&[]; AT_ONCE]; 2],
            count: [0; 2],
        }
    }

    #[inline]
    fn note(&mut self, row: &'a [Chunk], add: bool) {
        let add = usize::from(add);
        if self.count[add] == AT_ONCE {
            self.make();
        }
        self.rows[add][self.count[add]] = row;
        self.count[add] += 1;
    }

    fn make(&mut self) {
        let [removed, added] = [0, 1].map(|k| &self.rows[k][..self.count[k]]);
        self.kernel.shift(self.sums, added, removed);
        self.count = [0; 2];
    }
}
