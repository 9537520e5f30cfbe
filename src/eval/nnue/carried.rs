//! The first layer's sums, carried along the line of moves.

use super::kernel::{Chunk, Kernel};
use crate::game::{Dirty, Features, OFF, Side};
use std::marker::PhantomData;
use std::sync::Arc;

/// A first layer: rows of weights that pieces on places switch on, as each side sees them.
pub trait Layer<P: Features>: Send + Sync {
    /// Chunks of one row.
    fn width(&self) -> usize;
    /// The sums without any piece.
    fn start(&self) -> &[Chunk];
    /// How a view turns the board when its own king stands on `king`: a change of turn costs a fresh start.
    fn turn(view: Side, king: u8) -> u8;
    /// The row of a piece on a place, unless it is no input.
    fn row(&self, view: Side, turn: u8, piece: u8, place: u8) -> Option<&[Chunk]>;
    /// A row that is added for every piece that a full set has more than this position, and the size of a full set.
    fn missing(&self, _view: Side, _turn: u8) -> Option<(&[Chunk], usize)> {
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

/// Sums of both views for every ply of the line. They are worked out only when they are asked for, from the nearest ply
/// that has them.
pub struct Carried<P, L> {
    /// The layer.
    pub layer: Arc<L>,
    kernel: Kernel,
    steps: Vec<Step>,
    /// Two rows a ply: the first side's view and the second's.
    sums: Vec<Chunk>,
    game: PhantomData<fn(&P)>,
}

const VIEWS: [Side; 2] = [Side::First, Side::Second];

impl<P: Features, L: Layer<P>> Carried<P, L> {
    /// Sums that must be [reset](Carried::reset) to a position before use.
    pub fn new(layer: Arc<L>, kernel: Kernel) -> Self {
        let mut carried = Self {
            layer,
            kernel,
            steps: Vec::new(),
            sums: Vec::new(),
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
            self.sums.resize(need, Chunk::ZERO);
        }
    }

    #[inline]
    fn at(&self, ply: usize, view: usize) -> usize {
        (2 * ply + view) * self.layer.width()
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

    /// The sums of the last ply: the mover's view, then the other's. `p` is the position that the pushes led to.
    #[inline]
    pub fn sums(&mut self, p: &P) -> [&[Chunk]; 2] {
        self.bring(p, 0);
        self.bring(p, 1);
        let (last, width, side) = (self.steps.len() - 1, self.layer.width(), p.side().index());
        let row = |view| &self.sums[self.at(last, view)..][..width];
        [row(side), row(1 - side)]
    }

    /// Brings a view's sums of the last ply up to date.
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
        let (step, width) = (self.steps[ply], self.layer.width());
        let (mut added, mut removed): ([&[Chunk]; 4], [&[Chunk]; 4]) = ([&[]; 4], [&[]; 4]);
        let (mut more, mut less) = (0, 0);
        for (piece, from, to) in step.dirty.iter() {
            let row = |place| self.layer.row(VIEWS[view], step.turn[view], piece, place);
            if from != OFF
                && let Some(row) = row(from)
            {
                removed[less] = row;
                less += 1;
            }
            if to != OFF
                && let Some(row) = row(to)
            {
                added[more] = row;
                more += 1;
            }
        }
        let (old, new) = (self.at(ply - 1, view), self.at(ply, view));
        let (before, after) = self.sums.split_at_mut(new);
        let (before, after) = (&mut before[old..old + width], &mut after[..width]);
        let (added, removed) = (&added[..more], &removed[..less]);
        if forward {
            self.kernel.step(after, before, added, removed);
        } else {
            self.kernel.step(before, after, removed, added);
        }
        self.steps[ply - usize::from(!forward)].fresh[view] = true;
    }

    /// The last ply's sums from nothing but the position.
    fn refresh(&mut self, p: &P, view: usize) {
        let (last, width) = (self.steps.len() - 1, self.layer.width());
        let turn = self.steps[last].turn[view];
        let at = self.at(last, view);
        let (layer, kernel) = (&self.layer, self.kernel);
        let mut sums = layer.start().to_vec();
        let mut pieces = 0;
        let mut add = |row: &[Chunk]| {
            let from = sums.clone();
            kernel.step(&mut sums, &from, &[row], &[]);
        };
        p.each(&mut |piece, place| {
            if let Some(row) = layer.row(VIEWS[view], turn, piece, place) {
                add(row);
                pieces += 1;
            }
        });
        if let Some((row, full)) = layer.missing(VIEWS[view], turn) {
            (pieces..full).for_each(|_| add(row));
        }
        self.sums[at..at + width].copy_from_slice(&sums);
        self.steps[last].fresh[view] = true;
    }
}
