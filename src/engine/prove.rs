//! Forced mates by the game's solver, where it has one: when they are asked for, and in a short look before a search.

use super::alphabeta::{AlphaBeta, lock};
use crate::control::{Bound, Choice, Info, Limits, Outlook, Proof, Report, Signal, Sink};
use crate::game::{PieceValues, ProofResult, Prover, Verdict};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A solver that threads hand on.
pub(super) type Solver<P> = Arc<Mutex<Box<dyn Prover<P>>>>;

/// Sizes of the solver's table in MiB.
const TABLE: std::ops::RangeInclusive<i64> = 16..=1024;

/// How a hash size in MiB is shared between the search's table and the solver's, where the game has one: together they
/// take little more than was asked for.
pub(super) fn shares<P: PieceValues>(hash: i64) -> [usize; 2] {
    let solver = (hash / 4).clamp(*TABLE.start(), *TABLE.end());
    match P::prover(1) {
        Some(_) => [hash + TABLE.start() - solver, solver].map(|n| n as usize),
        None => [hash as usize, 0],
    }
}

/// What share of a move's nodes and time the look before the search may take.
const SHARE: u32 = 16;
/// It never takes more nodes than this.
const MOST_NODES: u64 = 200_000;
/// Its time where the move has no clock.
const UNTIMED: Duration = Duration::from_millis(50);

/// A short look for a mate before a search.
pub(super) struct Look<P: PieceValues> {
    solver: Solver<P>,
    nodes: u64,
    time: Duration,
}

impl<P: PieceValues> AlphaBeta<P> {
    /// The solver, made at its first use.
    pub(super) fn solver(&mut self) -> Option<Solver<P>> {
        if self.solver.is_none() {
            let [_, megabytes] = shares::<P>(self.options.spin("Hash"));
            self.solver = P::prover(megabytes).map(|p| Arc::new(Mutex::new(p)));
        }
        self.solver.clone()
    }

    /// Looks for a forced mate and answers with a proof.
    pub(super) fn prove(&mut self, most: Duration, limits: Limits, sink: Sink) {
        let answer = |sink: &Sink, proof| {
            sink(Report::Best {
                choice: Choice::Proof(proof),
                ponder: None,
                draw: false,
            });
        };
        let Some(solver) = self.solver() else {
            answer(&sink, Proof::NotImplemented);
            return;
        };
        let (pos, signal) = (self.pos.clone(), self.signal.clone());
        let nodes = limits.nodes.unwrap_or(u64::MAX);
        (self.searching, self.clean) = (true, false);
        self.pool.run(0, move || {
            let solve = || {
                let mut solver = lock(&solver);
                let late = || signal.stopped() || signal.elapsed() >= most;
                let found = solver.prove(&pos, nodes, &late);
                if let ProofResult::Mate(line) = &found {
                    sink(Report::Info(told(&pos, line, solver.nodes(), limits.start)));
                }
                found
            };
            let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(solve));
            signal.stop();
            let proof = match found {
                Ok(ProofResult::Mate(line)) => Proof::Mate(texts(&pos, &line)),
                Ok(ProofResult::NoMate) => Proof::NoMate,
                Ok(ProofResult::Unknown) | Err(_) => Proof::Unknown,
            };
            answer(&sink, proof);
        });
    }

    /// The look before a search, where the search may end with it.
    pub(super) fn look(&mut self, limits: &Limits, soft: Option<Duration>) -> Option<Look<P>> {
        let bound = limits.infinite || limits.depth.is_some() || limits.mate.is_some();
        let chosen = !limits.searchmoves.is_empty() || !limits.banmoves.is_empty();
        if bound || chosen || self.options.spin("MultiPV") > 1 {
            return None;
        }
        let nodes = limits.nodes.unwrap_or(u64::MAX) / u64::from(SHARE);
        Some(Look {
            solver: self.solver()?,
            nodes: nodes.min(MOST_NODES),
            time: soft.map_or(UNTIMED, |soft| soft / SHARE),
        })
    }
}

impl<P: PieceValues> Look<P> {
    /// A mating line with its report, if one is soon found.
    pub(super) fn take(&self, pos: &P, start: Instant, signal: &Signal) -> Option<Info> {
        let begun = Instant::now();
        let mut solver = lock(&self.solver);
        let late = || signal.stopped() || begun.elapsed() >= self.time;
        let ProofResult::Mate(line) = solver.prove(pos, self.nodes, &late) else {
            return None;
        };
        repeats_nothing(pos, &line).then(|| told(pos, &line, solver.nodes(), start))
    }
}

/// Whether no rule but mate ends the game along the line: the solver knows nothing of the game before it.
fn repeats_nothing<P: PieceValues>(pos: &P, line: &[P::Move]) -> bool {
    let mut p = pos.clone();
    line.iter().all(|&m| {
        p.play(m);
        p.verdict(usize::MAX) == Verdict::Open
    })
}

fn texts<P: PieceValues>(pos: &P, line: &[P::Move]) -> Vec<String> {
    let mut p = pos.clone();
    let text = |&m: &P::Move| {
        let text = p.move_text(m);
        p.play(m);
        text
    };
    line.iter().map(text).collect()
}

fn told<P: PieceValues>(pos: &P, line: &[P::Move], nodes: u64, start: Instant) -> Info {
    Info {
        depth: line.len() as u32,
        seldepth: line.len() as u32,
        multipv: 1,
        outlook: Outlook::Mate(line.len() as i32),
        bound: Bound::Exact,
        wdl: [1000, 0, 0],
        nodes,
        hashfull: 0,
        tbhits: 0,
        time: start.elapsed(),
        pv: texts(pos, line),
    }
}

#[cfg(all(test, feature = "chess", feature = "xiangqi", feature = "shogi"))]
mod tests {
    use super::*;
    use crate::control::TimeControl;
    use crate::games::chess::Chess;
    use crate::games::shogi::Shogi;

    #[test]
    fn the_solver_takes_its_memory_out_of_the_hash_size() {
        for hash in [1, 16, 64, 65, 256, 4096, 1 << 20] {
            let [table, solver] = shares::<Shogi>(hash);
            assert!(table > 0 && solver > 0, "{hash}");
            assert!(
                (table + solver) as i64 <= hash + TABLE.start(),
                "{hash}: {table} and {solver}"
            );
            assert_eq!(shares::<Chess>(hash), [hash as usize, 0]);
        }
    }

    #[test]
    fn a_machine_that_is_late_gets_a_larger_margin() {
        let engine = AlphaBeta::<Chess>::new().expect("an engine");
        let limits = Limits {
            time: TimeControl::MoveTime(Duration::from_secs(1)),
            ..Limits::default()
        };
        let hard = || engine.budget(&limits).expect("a clock").hard;
        let before = hard();
        engine.signal.note_lateness(Duration::from_millis(20));
        assert_eq!(hard(), before - Duration::from_millis(20));
    }
}
