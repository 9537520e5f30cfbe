//! The evaluation without a network: piece values and piece-square tables, summed up along the line of moves.

use crate::game::{Dirty, Evaluator, PieceValues, Score, Side};
use std::marker::PhantomData;

/// Places that a [`Dirty`] can name, [`OFF`](crate::game::OFF) included.
const PLACES: usize = 256;

/// An evaluator by [`PieceValues`].
pub struct Material<P> {
    /// The value of each piece at each place for the first side; none off the board.
    table: Box<[Score]>,
    /// The first side's score after each move of the line.
    scores: Vec<Score>,
    game: PhantomData<fn(&P)>,
}

/// What a piece at a place counts: for the piece, and for the square it stands on.
fn parts<P: PieceValues>(piece: u8, place: u8) -> (Score, Score) {
    if usize::from(place) < P::SQUARES {
        (P::value(piece), P::square_value(piece, place))
    } else {
        (P::value_off_board(piece, place), 0)
    }
}

impl<P: PieceValues> Default for Material<P> {
    fn default() -> Self {
        let mut table = Vec::with_capacity(P::PIECES * PLACES);
        for piece in 0..P::PIECES as u8 {
            let sign = match P::owner(piece) {
                Side::First => 1,
                Side::Second => -1,
            };
            table.extend((0..u8::MAX).map(|place| {
                let (value, square) = parts::<P>(piece, place);
                sign * (value + square)
            }));
            table.push(0);
        }
        Self {
            table: table.into(),
            scores: vec![0],
            game: PhantomData,
        }
    }
}

impl<P> Material<P> {
    #[inline]
    fn at(&self, piece: u8, place: u8) -> Score {
        self.table[usize::from(piece) * PLACES + usize::from(place)]
    }

    #[inline]
    fn first(&self) -> Score {
        self.scores.last().copied().unwrap_or(0)
    }
}

impl<P: PieceValues> Evaluator<P> for Material<P> {
    fn reset(&mut self, p: &P) {
        let mut score = 0;
        p.each(&mut |piece, place| score += self.at(piece, place));
        self.scores.clear();
        self.scores.push(score);
    }

    #[inline]
    fn push(&mut self, d: &Dirty) {
        let change = |(piece, from, to)| self.at(piece, to) - self.at(piece, from);
        let score = self.first() + d.iter().map(change).sum::<Score>();
        self.scores.push(score);
    }

    #[inline]
    fn pop(&mut self) {
        self.scores.pop();
    }

    #[inline]
    fn score(&mut self, p: &P) -> Score {
        let first = self.first();
        p.adjust(if p.side() == Side::First { first } else { -first })
    }

    fn explain(&mut self, p: &P) -> String {
        self.reset(p);
        let score = self.score(p);
        format!("{}material evaluation: {score} for the side to move", table(p))
    }
}

/// What pieces and squares count for each side, as a table for a person.
pub(super) fn table<P: PieceValues>(p: &P) -> String {
    let (mut pieces, mut squares) = ([0; 2], [0; 2]);
    p.each(&mut |piece, place| {
        let (value, square) = parts::<P>(piece, place);
        let side = usize::from(P::owner(piece) != p.side());
        pieces[side] += value;
        squares[side] += square;
    });
    let row = |name: &str, [own, other]: [Score; 2]| {
        let ahead = own - other;
        format!("{name:<10}{own:>10}{other:>10}{ahead:>+10}\n")
    };
    let head = format!("{:<10}{:>10}{:>10}{:>10}\n", "", "to move", "other", "ahead");
    head + &row("pieces", pieces) + &row("squares", squares)
}
