//! The judge that asks a network: [`Network`] is what all threads share, [`Asker`] belongs to one of them.

use super::leaf::{Judge, Opinion, State};
use crate::eval::conv::{Model, Net, Output, Runner};
use crate::games::go::planes::{GLOBALS, Painter, SPATIAL, View};
use crate::games::go::rules::{Ko, Scoring};
use crate::games::go::types::{BLACK, PASS, Point};
use crate::util::rng::SplitMix;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Largest model file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// What a thread remembers of an evaluation.
struct Entry {
    key: u64,
    priors: Box<[(Point, f32)]>,
    win: f32,
    lead: f32,
    stdev: f32,
    ownership: Box<[i16]>,
}

/// Bytes of an entry for a board of 19.
const ENTRY: usize = 362 * 8 + 361 * 2 + 120;

/// A network with the evaluations that were made of it.
pub struct Network {
    net: Arc<Net>,
    slots: Vec<Mutex<Option<Box<Entry>>>>,
}

impl Network {
    /// Makes a model ready; its evaluations are remembered in about so many bytes.
    pub fn new(model: &Model, bytes: usize) -> Result<Self, String> {
        if (model.spatial, model.globals) != (SPATIAL, GLOBALS) {
            let (planes, numbers) = (model.spatial, model.globals);
            return Err(format!(
                "{planes} input planes and {numbers} numbers, expected {SPATIAL} and {GLOBALS}"
            ));
        }
        Ok(Self {
            net: Arc::new(Net::new(model)?),
            slots: (0..bytes / ENTRY).map(|_| Mutex::default()).collect(),
        })
    }

    /// Loads a file.
    pub fn open(path: &str, bytes: usize) -> Result<Self, String> {
        let load = || {
            let size = std::fs::metadata(Path::new(path)).map_err(|e| e.to_string())?.len();
            if size > LARGEST {
                return Err(format!("{size} bytes long, the most is {LARGEST}"));
            }
            let file = std::fs::read(path).map_err(|e| e.to_string())?;
            Self::new(&Model::read(&file)?, bytes)
        };
        load().map_err(|why| format!("model {path}: {why}"))
    }

    /// The net.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// Forgets all evaluations.
    pub fn clear(&self) {
        for slot in &self.slots {
            if let Ok(mut slot) = slot.lock() {
                *slot = None;
            }
        }
    }
}

/// How the board is turned before the network sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turning {
    /// As the numbers 0 to 7 say: 1 turns it upside down, 2 left to right, 4 then swaps rows and columns.
    Fixed(u8),
    /// Anew for each position.
    Random,
}

/// Asks the network, for one thread.
pub struct Asker {
    network: Arc<Network>,
    runner: Runner,
    painter: Painter,
    turning: Turning,
    rng: SplitMix,
    planes: Vec<f32>,
    turned: Vec<f32>,
    globals: [f32; GLOBALS],
    map: Vec<u16>,
    out: Output,
}

/// All that a network says of a position, from white's point of view; points from the top row down.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// How the board was turned.
    pub turning: u8,
    /// Points of a side.
    pub size: usize,
    /// Chance that white wins.
    pub win: f32,
    /// Chance that black wins.
    pub loss: f32,
    /// Chance that nobody does.
    pub no_result: f32,
    /// White's lead.
    pub lead: f32,
    /// Mean of the score if the game were played on.
    pub score: f32,
    /// Mean of its square.
    pub score_square: f32,
    /// Time until the game is settled; -1 where unknown.
    pub var_time: f32,
    /// Error of the winning chance in the short term; -1 where unknown.
    pub short_win: f32,
    /// Error of the score in the short term; -1 where unknown.
    pub short_score: f32,
    /// Chance of each point to be played; nothing where a move is illegal.
    pub policy: Vec<Option<f32>>,
    /// Chance of the pass.
    pub pass: f32,
    /// Whose each point will be, 1 for white.
    pub ownership: Vec<f32>,
}

/// As KataGo prints it.
impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "symmetry {}", self.turning)?;
        writeln!(f, "whiteWin {:.6}", self.win)?;
        writeln!(f, "whiteLoss {:.6}", self.loss)?;
        writeln!(f, "noResult {:.6}", self.no_result)?;
        writeln!(f, "whiteLead {:.3}", self.lead)?;
        writeln!(f, "whiteScoreSelfplay {:.3}", self.score)?;
        writeln!(f, "whiteScoreSelfplaySq {:.3}", self.score_square)?;
        writeln!(f, "varTimeLeft {:.3}", self.var_time)?;
        writeln!(f, "shorttermWinlossError {:.3}", self.short_win)?;
        writeln!(f, "shorttermScoreError {:.3}", self.short_score)?;
        writeln!(f, "policy")?;
        for row in self.policy.chunks(self.size) {
            for chance in row {
                match chance {
                    Some(chance) => write!(f, "{chance:8.6} ")?,
                    None => write!(f, "    NAN ")?,
                }
            }
            writeln!(f)?;
        }
        writeln!(f, "policyPass {:8.6} ", self.pass)?;
        write!(f, "whiteOwnership")?;
        for (i, own) in self.ownership.iter().enumerate() {
            // Each number is followed by a blank, but for the very last.
            let between = match i {
                0 => "\n",
                i if i % self.size == 0 => " \n",
                _ => " ",
            };
            write!(f, "{between}{own:9.7}")?;
        }
        Ok(())
    }
}

impl Asker {
    /// For one thread.
    pub fn new(network: Arc<Network>, turning: Turning, seed: u64) -> Self {
        Self {
            runner: Runner::new(network.net.clone()),
            network,
            painter: Painter::default(),
            turning,
            rng: SplitMix::new(seed),
            planes: Vec::new(),
            turned: Vec::new(),
            globals: [0.0; GLOBALS],
            map: Vec::new(),
            out: Output::default(),
        }
    }

    /// How the board is turned from now on.
    pub fn set_turning(&mut self, turning: Turning) {
        self.turning = turning;
    }

    fn view<'a>(&self, state: &'a State) -> View<'a> {
        View {
            board: &state.board,
            turn: state.turn,
            rules: &state.rules,
            compensation: state.compensation,
            passes: state.passes,
            history: &state.history,
            past: &state.past,
            alive_by_suicide: self.network.net.alive_by_suicide,
        }
    }

    /// Runs the network with the board turned one of eight ways.
    fn ask(&mut self, state: &State, turning: u8) {
        let size = state.board.size();
        let area = size * size;
        self.planes.resize(SPATIAL * area, 0.0);
        self.turned.resize(SPATIAL * area, 0.0);
        let view = self.view(state);
        self.painter.paint(&view, &mut self.planes, &mut self.globals);
        self.map.clear();
        self.map.extend((0..area).map(|i| {
            let (mut x, mut y) = (i % size, i / size);
            if turning & 1 != 0 {
                y = size - 1 - y;
            }
            if turning & 2 != 0 {
                x = size - 1 - x;
            }
            (if turning & 4 != 0 { x * size + y } else { y * size + x }) as u16
        }));
        for (plane, turned) in self.planes.chunks_exact(area).zip(self.turned.chunks_exact_mut(area)) {
            for (x, &to) in plane.iter().zip(&self.map) {
                turned[to as usize] = *x;
            }
        }
        self.runner
            .run((size, size), &self.turned, &self.globals, &mut self.out);
    }

    /// Chances of win, loss and no result of the side to move.
    fn chances(&self, state: &State) -> [f32; 3] {
        let o = &self.out;
        let open = state.rules.ko == Ko::Simple || state.rules.scoring == Scoring::Territory;
        let most = o.win.max(o.loss).max(if open { o.no_result } else { f32::MIN });
        let none = if open { (o.no_result - most).exp() } else { 0.0 };
        let all = [(o.win - most).exp(), (o.loss - most).exp(), none];
        let sum: f32 = all.iter().sum();
        all.map(|x| x / sum)
    }

    /// The place of a point in the planes, as the network saw it.
    fn place(&self, state: &State, p: Point) -> usize {
        let (x, y) = state.board.xy(p);
        let size = state.board.size();
        self.map[(size - 1 - y) * size + x] as usize
    }

    /// The chances of the legal moves and the pass.
    fn priors(&self, state: &State, priors: &mut Vec<(Point, f32)>) {
        let pass = self.out.policy[self.map.len()];
        priors.clear();
        priors.push((PASS, pass));
        let legal = state.board.empties().iter().filter(|&&p| state.is_legal(p));
        priors.extend(legal.map(|&p| (p, self.out.policy[self.place(state, p)])));
        let most = priors.iter().fold(f32::MIN, |a, b| a.max(b.1));
        priors.iter_mut().for_each(|(_, x)| *x = (*x - most).exp());
        share_out(priors);
    }

    /// Everything that the network says of a position, with the board turned.
    pub fn raw(&mut self, state: &State, turning: u8) -> Raw {
        self.ask(state, turning);
        let size = state.board.size();
        let mut priors = Vec::new();
        self.priors(state, &mut priors);
        let mut policy = vec![None; size * size];
        for &(p, chance) in &priors[1..] {
            let (x, y) = state.board.xy(p);
            policy[(size - 1 - y) * size + x] = Some(chance);
        }
        let black = state.turn == BLACK;
        let sign = if black { -1.0 } else { 1.0 };
        let [own, other, no_result] = self.chances(state);
        let (win, loss) = if black { (other, own) } else { (own, other) };
        let o = &self.out;
        let square = o.score_mean * o.score_mean + o.score_stdev * o.score_stdev;
        Raw {
            turning,
            size,
            win,
            loss,
            no_result,
            lead: sign * o.lead * (1.0 - no_result),
            score: sign * o.score_mean * (1.0 - no_result),
            score_square: square * (1.0 - no_result),
            var_time: o.var_time,
            short_win: o.short_win,
            short_score: o.short_score,
            policy,
            pass: priors[0].1,
            ownership: self.map.iter().map(|&i| sign * o.ownership[i as usize]).collect(),
        }
    }

    /// What tells a position and its past from others, for the memory.
    fn key(&self, state: &State) -> u64 {
        let r = &state.rules;
        let rules = [
            state.turn as u64,
            state.passes as u64,
            r.ko as u64,
            r.scoring as u64,
            u64::from(r.suicide),
            r.tax as u64,
            r.dead as u64,
            u64::from(state.compensation.to_bits()),
            state.board.lost(1) as u64 + 1000 * state.board.lost(2) as u64,
            u64::from(state.board.ko()),
            state.board.size() as u64,
        ];
        let mut key = state.board.key() ^ state.past.key(state.turn).rotate_left(32);
        for part in rules {
            key = (key ^ part).wrapping_mul(0xd6e8_feb8_6659_fd93);
            key ^= key >> 32;
        }
        key
    }

    fn recall(&self, key: u64, state: &State, out: &mut Opinion) -> bool {
        let Some(slot) = self.slot(key) else { return false };
        let Ok(slot) = slot.lock() else { return false };
        let Some(entry) = slot.as_ref().filter(|e| e.key == key) else {
            return false;
        };
        out.priors.clear();
        out.priors.extend_from_slice(&entry.priors);
        (out.win, out.lead, out.stdev) = (entry.win, entry.lead, entry.stdev);
        for (to, &from) in out.ownership.iter_mut().zip(&entry.ownership) {
            *to = f32::from(from) / 32767.0;
        }
        drop(slot);
        // The same board by another way may bar other moves.
        let all = out.priors.len();
        out.priors.retain(|&(p, _)| p == PASS || state.is_legal(p));
        if out.priors.len() < all {
            share_out(&mut out.priors);
        }
        true
    }

    fn slot(&self, key: u64) -> Option<&Mutex<Option<Box<Entry>>>> {
        let slots = &self.network.slots;
        slots.get(((u128::from(key) * slots.len() as u128) >> 64) as usize)
    }

    fn remember(&self, key: u64, area: usize, opinion: &Opinion) {
        let Some(slot) = self.slot(key) else { return };
        let entry = Entry {
            key,
            priors: opinion.priors.as_slice().into(),
            win: opinion.win,
            lead: opinion.lead,
            stdev: opinion.stdev,
            ownership: opinion.ownership[..area].iter().map(|x| (x * 32767.0) as i16).collect(),
        };
        if let Ok(mut slot) = slot.lock() {
            *slot = Some(Box::new(entry));
        }
    }
}

/// Makes the chances sum to 1.
fn share_out(priors: &mut [(Point, f32)]) {
    let sum: f32 = priors.iter().map(|p| p.1).sum();
    priors.iter_mut().for_each(|p| p.1 /= sum);
}

impl Judge for Asker {
    fn consider(&mut self, state: &State, out: &mut Opinion) {
        let key = self.key(state);
        if self.recall(key, state, out) {
            return;
        }
        let turning = match self.turning {
            Turning::Fixed(turning) => turning % 8,
            Turning::Random => self.rng.below(8) as u8,
        };
        self.ask(state, turning);
        self.priors(state, &mut out.priors);
        let black = state.turn == BLACK;
        let sign = if black { 1.0 } else { -1.0 };
        let [own, other, no_result] = self.chances(state);
        out.win = if black { own } else { other } + no_result / 2.0;
        out.lead = sign * self.out.lead * (1.0 - no_result);
        out.stdev = self.out.score_stdev;
        for p in state.board.points() {
            out.ownership[state.board.index(p)] = sign * self.out.ownership[self.place(state, p)];
        }
        self.remember(key, state.board.area(), out);
    }
}
