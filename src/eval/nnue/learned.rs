//! The evaluator that carries a network's hidden sums along the line of moves.

use super::kernel::{Chunk, Kernel};
use super::net::{Net, QA, QB, SCALE};
use crate::game::{Dirty, Evaluator, Features, OFF, Score, Side};
use std::marker::PhantomData;
use std::sync::Arc;

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

/// An evaluator with a network. Sums are worked out only when a score is asked for, from the nearest ply that has them.
pub struct Learned<P> {
    net: Arc<Net>,
    kernel: Kernel,
    steps: Vec<Step>,
    /// Two rows a ply: the first side's view and the second's.
    sums: Vec<Chunk>,
    game: PhantomData<fn(&P)>,
}

const VIEWS: [Side; 2] = [Side::First, Side::Second];

impl<P: Features> Learned<P> {
    /// An evaluator that must be [reset](Evaluator::reset) to a position before use.
    pub fn new(net: Arc<Net>) -> Self {
        Self::with(net, Kernel::best())
    }

    /// An evaluator whose loops are compiled this way.
    pub fn with(net: Arc<Net>, kernel: Kernel) -> Self {
        let mut learned = Self {
            net,
            kernel,
            steps: Vec::new(),
            sums: Vec::new(),
            game: PhantomData,
        };
        learned.begin();
        learned
    }

    /// The network in use.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    fn begin(&mut self) {
        self.steps.clear();
        self.steps.push(Step::default());
        self.room();
    }

    /// Makes room for the last ply's sums.
    #[inline]
    fn room(&mut self) {
        let need = self.steps.len() * 2 * self.net.width;
        if self.sums.len() < need {
            self.sums.resize(need, Chunk::ZERO);
        }
    }

    #[inline]
    fn at(&self, ply: usize, view: usize) -> usize {
        (2 * ply + view) * self.net.width
    }

    /// Brings a view's sums of the last ply up to date.
    fn bring(&mut self, p: &P, view: usize) {
        let last = self.steps.len() - 1;
        let mut from = last;
        while !self.steps[from].fresh[view] {
            // A turned board has nothing in common with the one before.
            if from == 0 || self.steps[from].turn[view] != self.steps[from - 1].turn[view] {
                return self.refresh(p, view);
            }
            from -= 1;
        }
        for ply in from + 1..=last {
            self.step(ply, view);
        }
    }

    /// One ply's sums from those of the ply before.
    fn step(&mut self, ply: usize, view: usize) {
        let (step, width) = (self.steps[ply], self.net.width);
        let (mut added, mut removed): ([&[Chunk]; 4], [&[Chunk]; 4]) = ([&[]; 4], [&[]; 4]);
        let (mut more, mut less) = (0, 0);
        for (piece, from, to) in step.dirty.iter() {
            let row = |place| self.net.row(P::input(VIEWS[view], step.turn[view], piece, place));
            if from != OFF {
                removed[less] = row(from);
                less += 1;
            }
            if to != OFF {
                added[more] = row(to);
                more += 1;
            }
        }
        let (old, new) = (self.at(ply - 1, view), self.at(ply, view));
        let (before, after) = self.sums.split_at_mut(new);
        self.kernel.step(
            &mut after[..width],
            &before[old..old + width],
            &added[..more],
            &removed[..less],
        );
        self.steps[ply].fresh[view] = true;
    }

    /// The last ply's sums from nothing but the position.
    fn refresh(&mut self, p: &P, view: usize) {
        let (last, width) = (self.steps.len() - 1, self.net.width);
        let turn = self.steps[last].turn[view];
        let at = self.at(last, view);
        let (net, kernel, sums) = (&self.net, self.kernel, &mut self.sums);
        let mut row = net.start.clone();
        p.each(&mut |piece, place| {
            let (from, added) = (row.clone(), net.row(P::input(VIEWS[view], turn, piece, place)));
            kernel.step(&mut row, &from, &[added], &[]);
        });
        sums[at..at + width].copy_from_slice(&row);
        self.steps[last].fresh[view] = true;
    }
}

impl<P: Features> Evaluator<P> for Learned<P> {
    fn reset(&mut self, p: &P) {
        self.begin();
        p.each(&mut |piece, place| {
            for view in VIEWS {
                if piece == P::royal(view) {
                    self.steps[0].turn[view.index()] = P::turn(view, place);
                }
            }
        });
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        let mut step = Step {
            dirty: *d,
            turn: self.steps.last().map_or([0; 2], |s| s.turn),
            fresh: [false; 2],
        };
        for (piece, _, to) in d.iter() {
            for view in VIEWS {
                if piece == P::royal(view) && to != OFF {
                    step.turn[view.index()] = P::turn(view, to);
                }
            }
        }
        self.steps.push(step);
        self.room();
    }

    #[inline]
    fn pop(&mut self) {
        self.steps.pop();
    }

    fn score(&mut self, p: &P) -> Score {
        self.bring(p, 0);
        self.bring(p, 1);
        let (last, width, side) = (self.steps.len() - 1, self.net.width, p.side().index());
        let row = |view| &self.sums[self.at(last, view)..][..width];
        let head = p.head();
        let sum = self.kernel.weigh(row(side), row(1 - side), self.net.head(head));
        let out = sum / i64::from(QA) + i64::from(self.net.bias[head]);
        (out * i64::from(SCALE) / i64::from(QA * QB)) as Score
    }

    fn explain(&mut self, p: &P) -> String {
        self.reset(p);
        let score = self.score(p);
        format!("network {}: {score} for the side to move", self.net.name)
    }
}
