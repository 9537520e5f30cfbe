//! A solver of forced mates by checks alone: depth-first proof-number search with a bounded table of its own.
//!
//! After A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications" (2002), with three common
//! refinements: sums are replaced by the largest number plus the count of the others, so that rows of interpositions do
//! not blow up (T. Ueda and others, "Weak proof-number search", 2008); thresholds leave slack, so that the search does
//! not leap between equal moves at each step (J. Pawlewicz and L. Lew, 2006); a check starts out as hard to prove as it
//! has answers.

use super::position::Shogi;
use super::types::SMove;
use crate::game::{Moves, Position, ProofResult, Prover};

/// The number of what is disproved (proof number) or proved (disproof number).
const INF: u32 = 1 << 28;
/// No line is followed deeper.
const DEEPEST: usize = 1200;
/// Entries that share a place of the table.
const WAYS: usize = 4;
/// Nodes between looks at the stop signal.
const PATIENCE: u64 = 1024;

/// What the solver found out.
pub type DfpnResult = ProofResult<SMove>;

#[derive(Clone, Copy, Default)]
struct DfpnEntry {
    key: u64,
    proof: u32,
    disproof: u32,
    /// Plies to mate when proved.
    length: u16,
    /// How much searching it saves, roughly in powers of two.
    work: u16,
}

/// A move of a node on the path with what is known of the position behind it.
#[derive(Clone, Copy)]
struct DfpnChild {
    mv: SMove,
    proof: u32,
    disproof: u32,
    length: u16,
}

/// What a node amounts to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ProofNumbers {
    proof: u32,
    disproof: u32,
    length: u16,
}

const PROVED: ProofNumbers = ProofNumbers {
    proof: 0,
    disproof: INF,
    length: 0,
};
const DISPROVED: ProofNumbers = ProofNumbers {
    proof: INF,
    disproof: 0,
    length: 0,
};

/// The solver with its table, which it keeps from one problem to the next.
pub struct MateSolver {
    table: Vec<[DfpnEntry; WAYS]>,
    nodes: u64,
    most_nodes: u64,
    stopped: bool,
    /// Keys of the positions on the path: a repetition never mates.
    path: Vec<u64>,
    moves: Moves<SMove>,
    children: Vec<DfpnChild>,
}

impl Prover<Shogi> for MateSolver {
    fn prove(&mut self, p: &Shogi, most_nodes: u64, stop: &dyn Fn() -> bool) -> DfpnResult {
        self.solve(p, most_nodes, stop)
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn clear(&mut self) {
        self.table.fill([DfpnEntry::default(); WAYS]);
    }
}

impl MateSolver {
    /// A solver with a table of about `megabytes`, at least one.
    pub fn new(megabytes: usize) -> Self {
        let places = megabytes.clamp(1, 1 << 16) * (1 << 20) / std::mem::size_of::<[DfpnEntry; WAYS]>();
        Self {
            table: vec![[DfpnEntry::default(); WAYS]; places],
            nodes: 0,
            most_nodes: 0,
            stopped: false,
            path: Vec::new(),
            moves: Moves::with_capacity(1024),
            children: Vec::with_capacity(4096),
        }
    }

    /// Looks for a forced mate by the side to move. `stop` is polled.
    pub fn solve(&mut self, p: &Shogi, most_nodes: u64, stop: &dyn Fn() -> bool) -> DfpnResult {
        self.nodes = 0;
        self.most_nodes = most_nodes;
        self.stopped = false;
        let mut p = p.clone();
        let value = self.fresh(&mut p, true, stop);
        if value.proof == 0 {
            self.line(&mut p, stop).map_or(DfpnResult::Unknown, DfpnResult::Mate)
        } else if value.disproof == 0 {
            DfpnResult::NoMate
        } else {
            DfpnResult::Unknown
        }
    }

    /// Searches a position as a problem of its own.
    fn fresh(&mut self, p: &mut Shogi, attacks: bool, stop: &dyn Fn() -> bool) -> ProofNumbers {
        self.path.clear();
        self.moves.truncate(0);
        self.children.clear();
        self.search(p, attacks, INF, INF, stop)
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.table.len() as u128) >> 64) as usize
    }

    fn probe(&self, key: u64) -> Option<ProofNumbers> {
        let found = self.table[self.place(key)]
            .iter()
            .find(|e| e.key == key && e.work != 0)?;
        Some(ProofNumbers {
            proof: found.proof,
            disproof: found.disproof,
            length: found.length,
        })
    }

    fn store(&mut self, key: u64, value: ProofNumbers, nodes: u64) {
        let work = (nodes.max(1).ilog2() + 1) as u16;
        let place = self.place(key);
        let row = &mut self.table[place];
        let known = row.iter().position(|e| e.key == key && e.work != 0);
        let at = known.unwrap_or_else(|| {
            let least = (0..WAYS).min_by_key(|&i| row[i].work).unwrap_or(0);
            // What stays must earn it again, or old work would fill the table for good.
            for e in row.iter_mut().filter(|e| e.work > 1) {
                e.work -= u16::from(key & 7 == 0);
            }
            least
        });
        let before = if known.is_some() { row[at].work } else { 0 };
        row[at] = DfpnEntry {
            key,
            proof: value.proof,
            disproof: value.disproof,
            length: value.length,
            work: before.max(work),
        };
    }

    /// Lists the moves of a node with what is known behind each.
    fn expand(&mut self, p: &mut Shogi, attacks: bool) {
        let mark = self.moves.len();
        if attacks {
            p.generate_checks(&mut self.moves);
        } else {
            p.generate_all_legal(&mut self.moves);
        }
        for i in mark..self.moves.len() {
            let mv = self.moves.at(i).mv;
            p.play(mv);
            let key = p.key();
            let value = if self.path.contains(&key) {
                DISPROVED
            } else if let Some(known) = self.probe(key) {
                known
            } else if attacks {
                match p.count_legal() as u32 {
                    0 => PROVED,
                    answers => ProofNumbers {
                        proof: answers,
                        disproof: 1,
                        length: 0,
                    },
                }
            } else {
                ProofNumbers {
                    proof: 1,
                    disproof: 1,
                    length: 0,
                }
            };
            p.undo();
            self.children.push(DfpnChild {
                mv,
                proof: value.proof,
                disproof: value.disproof,
                length: value.length,
            });
        }
        self.moves.truncate(mark);
    }

    /// Searches until the node is settled or one of its numbers reaches its bound. The numbers are the attacker's.
    fn search(
        &mut self,
        p: &mut Shogi,
        attacks: bool,
        proof: u32,
        disproof: u32,
        stop: &dyn Fn() -> bool,
    ) -> ProofNumbers {
        self.nodes += 1;
        if self.nodes >= self.most_nodes || self.nodes.is_multiple_of(PATIENCE) && stop() {
            self.stopped = true;
        }
        if self.path.len() >= DEEPEST {
            return DISPROVED;
        }
        let (key, start) = (p.key(), self.nodes);
        let mark = self.children.len();
        self.path.push(key);
        self.expand(p, attacks);
        let value = loop {
            let children = &self.children[mark..];
            let (value, best, second) = if attacks {
                weigh::<true>(children)
            } else {
                weigh::<false>(children)
            };
            let settled = value.proof == 0 || value.disproof == 0;
            if settled || value.proof >= proof || value.disproof >= disproof || self.stopped {
                break value;
            }
            let child = children[best];
            // The other children's part of a sum stays what it is.
            let slack = |n: u32| n.saturating_add(n / 4 + 1).min(INF);
            let (child_proof, child_disproof) = if attacks {
                let others = value.disproof - child.disproof;
                (proof.min(slack(second)), (disproof - others).max(child.disproof + 1))
            } else {
                let others = value.proof - child.proof;
                ((proof - others).max(child.proof + 1), disproof.min(slack(second)))
            };
            p.play(child.mv);
            let result = self.search(p, !attacks, child_proof, child_disproof, stop);
            p.undo();
            let child = &mut self.children[mark + best];
            child.proof = result.proof;
            child.disproof = result.disproof;
            child.length = result.length;
        };
        self.children.truncate(mark);
        self.path.pop();
        let nodes = self.nodes - start + 1;
        self.store(key, value, nodes);
        value
    }

    /// The line of a proved position: the attacker's shortest known mate against the longest known defence. `None` when
    /// the table has lost the proof and it is not found again in time.
    fn line(&mut self, p: &mut Shogi, stop: &dyn Fn() -> bool) -> Option<Vec<SMove>> {
        let mut out = Vec::new();
        let mut attacks = true;
        let mut seen = Vec::new();
        let mated = loop {
            seen.push(p.key());
            self.list(p, attacks, &seen);
            if !attacks && self.children.is_empty() {
                break true;
            }
            let mut next = self.proved(attacks);
            if next.is_none() && !self.stopped && self.fresh(p, attacks, stop).proof == 0 {
                self.list(p, attacks, &seen);
                next = self.proved(attacks);
            }
            let Some(mv) = next.filter(|_| out.len() < DEEPEST) else {
                break false;
            };
            out.push(mv);
            p.play(mv);
            attacks = !attacks;
        };
        for _ in 0..out.len() {
            p.undo();
        }
        mated.then_some(out)
    }

    /// Lists the moves of a node of the line.
    fn list(&mut self, p: &mut Shogi, attacks: bool, seen: &[u64]) {
        self.path.clear();
        self.path.extend_from_slice(seen);
        self.children.clear();
        self.expand(p, attacks);
    }

    /// The listed move of the line, among those that are known to lead to mate.
    fn proved(&self, attacks: bool) -> Option<SMove> {
        let known = self.children.iter().filter(|c| c.proof == 0);
        let best = if attacks {
            known.min_by_key(|c| c.length)
        } else {
            known.max_by_key(|c| c.length)
        };
        best.map(|c| c.mv)
    }
}

/// The numbers of a node from its children's, its best child, and the second-best child's number by which the best was
/// chosen. For the attacker one proved child is enough, for the defender (`ATTACKS` false) one disproved child.
fn weigh<const ATTACKS: bool>(children: &[DfpnChild]) -> (ProofNumbers, usize, u32) {
    // Seen from the side to move: `own` is small when it nears its goal.
    let own = |c: &DfpnChild| if ATTACKS { c.proof } else { c.disproof };
    let other = |c: &DfpnChild| if ATTACKS { c.disproof } else { c.proof };
    let (mut best, mut least, mut second) = (0, INF, INF);
    let (mut most, mut open) = (0, 0u32);
    for (i, c) in children.iter().enumerate() {
        let n = own(c);
        if n < least || i == 0 {
            (best, second, least) = (i, least, n);
        } else if n < second {
            second = n;
        }
        if other(c) > 0 {
            most = most.max(other(c));
            open += 1;
        }
    }
    if children.is_empty() || open == 0 {
        // Nothing left to try: no more checks, or mated.
        let longest = children
            .iter()
            .map(|c| c.length)
            .max()
            .map_or(0, |n| n.saturating_add(1));
        let value = if ATTACKS {
            DISPROVED
        } else {
            ProofNumbers {
                length: longest,
                ..PROVED
            }
        };
        return (value, best, second);
    }
    if least == 0 {
        let goal = children.iter().filter(|c| own(c) == 0).map(|c| c.length).min();
        let length = goal.map_or(0, |n| n.saturating_add(1));
        let value = if ATTACKS {
            ProofNumbers { length, ..PROVED }
        } else {
            DISPROVED
        };
        return (value, best, second);
    }
    let sum = (most + (open - 1)).min(INF - 1);
    let (proof, disproof) = if ATTACKS { (least, sum) } else { (sum, least) };
    (
        ProofNumbers {
            proof,
            disproof,
            length: 0,
        },
        best,
        second,
    )
}
