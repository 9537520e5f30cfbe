//! Positions as networks see them, and a network that labels them.

use anyhow::{Result, anyhow};
use nguky::eval::conv::{Model, Net, Output, Runner};
use nguky::games::go::planes::{GLOBALS, Painter, Past, SPATIAL, View};
use nguky::games::go::types::BLACK;
use nguky::games::go::{Game, PASS, Point};
use nguky::mcts::leaf::{Opinion, State};
use nguky::util::rng::SplitMix;
use std::path::Path;
use std::sync::Arc;

/// A position with what was played before it.
pub struct Position {
    /// The position.
    pub state: State,
    past: Past,
}

impl Position {
    /// A game's position.
    pub fn of(game: &Game) -> Self {
        Self {
            state: State::of(game),
            past: Past::of(game),
        }
    }

    /// Plays a legal move.
    pub fn play(&mut self, p: Point) {
        self.past.push(&self.state.board, self.state.turn, p);
        self.state.play(p);
    }

    /// What the planes show.
    pub fn view(&self) -> View<'_> {
        let s = &self.state;
        View {
            board: &s.board,
            turn: s.turn,
            rules: &s.rules,
            compensation: s.compensation,
            passes: s.passes,
            history: &s.history,
            past: &self.past,
            alive_by_suicide: false,
        }
    }
}

/// Where each point comes from in the symmetry of a number from 0 to 7.
pub fn symmetry(size: usize, which: u64) -> Vec<usize> {
    let far = size - 1;
    let from = |i: usize| {
        let (mut y, mut x) = (i / size, i % size);
        if which & 4 != 0 {
            (y, x) = (x, y);
        }
        if which & 1 != 0 {
            x = far - x;
        }
        if which & 2 != 0 {
            y = far - y;
        }
        y * size + x
    };
    (0..size * size).map(from).collect()
}

/// A network of which any number of threads may have a seat.
pub struct Teacher(Arc<Net>);

/// Reads a network.
pub fn open(path: &Path, bytes: &[u8]) -> Result<Teacher> {
    let net = Model::read(bytes).and_then(|model| Net::new(&model));
    Ok(Teacher(Arc::new(net.map_err(|e| anyhow!("{}: {e}", path.display()))?)))
}

impl Teacher {
    /// A seat for one thread.
    pub fn seat(&self) -> Seat {
        Seat {
            runner: Runner::new(self.0.clone()),
            painter: Painter::default(),
            planes: Vec::new(),
            turned: Vec::new(),
            out: Output::default(),
        }
    }
}

/// One thread's judge.
pub struct Seat {
    runner: Runner,
    painter: Painter,
    planes: Vec<f32>,
    turned: Vec<f32>,
    out: Output,
}

impl Seat {
    /// One look at a position, in a random one of its eight views.
    pub fn consider(&mut self, position: &Position, rng: &mut SplitMix, opinion: &mut Opinion) {
        let (state, board) = (&position.state, &position.state.board);
        let (size, area) = (board.size(), board.area());
        let mut globals = [0.0; GLOBALS];
        self.planes.resize(SPATIAL * area, 0.0);
        self.turned.resize(SPATIAL * area, 0.0);
        self.painter.paint(&position.view(), &mut self.planes, &mut globals);
        let from = symmetry(size, rng.below(8));
        for (to, plane) in self.turned.chunks_exact_mut(area).zip(self.planes.chunks_exact(area)) {
            to.iter_mut().zip(&from).for_each(|(to, &f)| *to = plane[f]);
        }
        self.runner.run((size, size), &self.turned, &globals, &mut self.out);
        let out = &self.out;
        let black = state.turn == BLACK;
        let sign = if black { 1.0 } else { -1.0 };
        // Points by `Board::index`, whose bottom row is first.
        let index = |i: usize| (size - 1 - i / size) * size + i % size;
        opinion.priors.clear();
        for (i, &f) in from.iter().enumerate() {
            let at = index(f);
            opinion.ownership[at] = sign * out.ownership[i];
            let p = board.at(at % size, at / size);
            if state.is_legal(p) {
                opinion.priors.push((p, out.policy[i]));
            }
        }
        opinion.priors.push((PASS, out.policy[area]));
        let most = opinion.priors.iter().map(|m| m.1).fold(f32::MIN, f32::max);
        opinion.priors.iter_mut().for_each(|m| m.1 = (m.1 - most).exp());
        let sum: f32 = opinion.priors.iter().map(|m| m.1).sum();
        opinion.priors.iter_mut().for_each(|m| m.1 /= sum);
        let most = out.win.max(out.loss).max(out.no_result);
        let [win, loss, none] = [out.win, out.loss, out.no_result].map(|x| (x - most).exp());
        let mine = (win + 0.5 * none) / (win + loss + none);
        opinion.win = if black { mine } else { 1.0 - mine };
        opinion.lead = sign * out.lead;
        opinion.stdev = out.score_stdev;
    }
}
