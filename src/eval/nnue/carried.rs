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
        if !self.follow() {
            self.bring(p, 0);
            self.bring(p, 1);
        }
        let (last, width) = (self.steps.len() - 1, self.layer.width());
        let (first, second) = self.sums[2 * last * width..][..2 * width].split_at(width);
        let sums = match p.side() {
            Side::First => [first, second],
            Side::Second => [second, first],
        };
        (&self.layer, sums)
    }

    /// Makes both views' sums of the last ply where the ply before has them and a piece has moved, or taken another:
    /// nearly all there is. False where that is not so.
    #[inline]
    fn follow(&mut self) -> bool {
        let (width, layer, kernel) = (self.layer.width(), &*self.layer, self.kernel);
        let last = self.steps.len() - 1;
        let [.., before, step] = self.steps.as_mut_slice() else {
            return false;
        };
        let [(piece, from, to), (other, place, gone), ..] = step.dirty.item;
        let takes = step.dirty.len == 2 && place != OFF && gone == OFF;
        let moves = (step.dirty.len == 1 || takes) && from != OFF && to != OFF;
        if !moves || step.fresh != [false; 2] || before.fresh != [true; 2] || before.turn != step.turn {
            return false;
        }
        let turn = step.turn;
        let row = |view: usize, piece, place| {
            let input = L::input(VIEWS[view], turn[view], piece, place)?;
            Some(layer.row(VIEWS[view], turn[view], input))
        };
        let (old, new) = self.sums[2 * (last - 1) * width..][..4 * width].split_at_mut(2 * width);
        let (old, new) = (old.split_at(width), new.split_at_mut(width));
        let rows = |piece, place| Some([row(0, piece, place)?, row(1, piece, place)?]);
        let (Some(off), Some(on)) = (rows(piece, from), rows(piece, to)) else {
            return false;
        };
        if takes {
            let Some(taken) = rows(other, place) else {
                return false;
            };
            kernel.step(new.0, old.0, [on[0]], [off[0], taken[0]]);
            kernel.step(new.1, old.1, [on[1]], [off[1], taken[1]]);
        } else {
            kernel.step(new.0, old.0, [on[0]], [off[0]]);
            kernel.step(new.1, old.1, [on[1]], [off[1]]);
        }
        step.fresh = [true; 2];
        true
    }

    /// Brings a view's sums of the last ply up to date.
    #[inline(never)]
    fn bring(&mut self, p: &P, view: usize) {
        let last = self.steps.len() - 1;
        let mut from = last;
        while !self.steps[from].fresh[view] {
            // A turned board has nothing in common with the one before.
            if from == 0 || self.steps[from].turn[view] != self.steps[from - 1].turn[view] {
                self.refresh(p, view);
                // The plies on the way here serve their other children.
                (from + 1..=last).rev().for_each(|ply| self.step(ply, view, false));
                return;
            }
            from -= 1;
        }
        (from + 1..=last).for_each(|ply| self.step(ply, view, true));
    }

    /// One ply's sums from those of the ply before, or the other way round.
    fn step(&mut self, ply: usize, view: usize, forward: bool) {
        let (width, layer, side) = (self.layer.width(), &*self.layer, VIEWS[view]);
        let (before, after) = self.sums.split_at_mut((2 * ply + view) * width);
        let (before, after) = (
            &mut before[(2 * ply - 2 + view) * width..][..width],
            &mut after[..width],
        );
        let (dirty, turn) = (&self.steps[ply].dirty, self.steps[ply].turn[view]);
        let row = |piece, place| L::input(side, turn, piece, place).map(|i| layer.row(side, turn, i));
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
        let (from, to, added, removed) = if forward {
            (before, after, added, removed)
        } else {
            (after, before, removed, added)
        };
        to.copy_from_slice(from);
        self.kernel.shift(to, added, removed);
        self.steps[ply - usize::from(!forward)].fresh[view] = true;
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
