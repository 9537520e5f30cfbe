//! Analysis of a position with the viewer's knowledge, while somebody looks on.

use super::{PACE, Purpose, Room};
use crate::web::board::RoomEngine;
use crate::web::levels;
use crate::web::slots::Rank;
use crate::web::words::Lang;
use anyhow::{Context, Result};
use nguky::control::{Info, Limits};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Moves of a line that are sent.
const MOST_MOVES: usize = 24;

/// What is analysed and what is known of it.
pub struct Analysis {
    ply: usize,
    lines: usize,
    /// By rank.
    found: BTreeMap<usize, Info>,
    sent: Option<Instant>,
    /// When its search began.
    begun: Instant,
    /// Whether something has not been sent.
    fresh: bool,
    /// Whether it ended by itself, as in a position that is over.
    done: bool,
}

impl Analysis {
    /// Whether its search ended by itself.
    pub const fn is_done(&self) -> bool {
        self.done
    }

    /// How long until the next message is due.
    pub fn due(&self) -> Option<Duration> {
        self.fresh
            .then(|| self.sent.map_or(Duration::ZERO, |at| PACE.saturating_sub(at.elapsed())))
    }
}

impl Room {
    /// Analyses a position with so many lines, or stops it.
    pub(super) fn think(&mut self, what: Option<(usize, usize)>) {
        self.stop_analysis();
        self.analysis = what.map(|(ply, lines)| Analysis {
            ply,
            lines,
            found: BTreeMap::new(),
            sent: None,
            begun: Instant::now(),
            fresh: false,
            done: false,
        });
        self.advance();
    }

    pub(super) fn stop_analysis(&mut self) {
        self.analysis = None;
        if self.is_running(Purpose::Analysis) {
            self.halt();
        }
    }

    /// Starts the search of the analysis, if one is wanted.
    pub(super) fn analyse(&mut self) {
        let plies = self.game.plies();
        let Some(analysis) = self.analysis.as_mut().filter(|a| !a.done) else {
            return;
        };
        if analysis.ply > plies {
            self.analysis = None;
            return;
        }
        let (ply, lines) = (analysis.ply, analysis.lines);
        if let Err(why) = self.begin(ply, lines) {
            eprintln!("nguky web: game {}: analysis: {why:#}", self.head.id);
            self.analysis = None;
        }
    }

    fn begin(&mut self, ply: usize, lines: usize) -> Result<()> {
        let Some(slot) = self.hub.slots.take(&self.own, Rank::Analysis) else {
            return Ok(());
        };
        self.ready()?;
        let seat = self.viewpoint();
        let game = self.game.at(ply);
        let engine = self.engine.as_mut().context("no engine")?;
        levels::set_full(engine, lines);
        game.prepare(engine, seat)?;
        let limits = Limits {
            infinite: true,
            ..Limits::default()
        };
        self.go(Purpose::Analysis, slot, limits)?;
        // What does not report by itself is asked from time to time.
        let asked = matches!(self.engine, Some(RoomEngine::Tree(_)));
        if let Some(analysis) = self.analysis.as_mut().filter(|_| asked) {
            (analysis.fresh, analysis.sent) = (true, Some(Instant::now()));
            analysis.begun = Instant::now();
        }
        Ok(())
    }

    /// Asks a running search for its lines; whether it is to be asked again.
    fn ask_engine(&mut self) -> bool {
        let running = self.is_running(Purpose::Analysis);
        let (Some(analysis), Some(engine @ RoomEngine::Tree(_))) = (&mut self.analysis, &self.engine) else {
            return false;
        };
        if running {
            let found = self.game.at(analysis.ply).found(engine, analysis.lines);
            let time = analysis.begun.elapsed();
            let found = found
                .into_iter()
                .map(|info| (info.multipv as usize, Info { time, ..info }));
            analysis.found = found.collect();
        }
        running
    }

    /// Takes in a line of the engine.
    pub(super) fn hear(&mut self, info: Info) {
        if let Some(analysis) = &mut self.analysis
            && !info.pv.is_empty()
        {
            let rank = info.multipv.max(1) as usize;
            if rank <= analysis.lines {
                analysis.found.insert(rank, info);
                analysis.fresh = true;
            }
        }
        if self.analysis.as_ref().and_then(Analysis::due) == Some(Duration::ZERO) {
            self.show_analysis();
        }
    }

    /// The moves of a line of the analysis of a position.
    pub(super) fn analysed(&self, ply: usize, rank: usize) -> Option<Vec<String>> {
        let analysis = self.analysis.as_ref().filter(|a| a.ply == ply)?;
        Some(analysis.found.get(&rank)?.pv.clone())
    }

    /// Sends what is known to all viewers but those who only watch: it is found with the player's knowledge.
    pub(super) fn show_analysis(&mut self) {
        if self.running.is_none()
            && let Some(analysis) = &mut self.analysis
        {
            analysis.done = true;
        }
        let again = self.ask_engine();
        for lang in Lang::ALL {
            let speak: Vec<_> = self.viewers.iter().filter(|v| v.lang == lang && !v.guest).collect();
            if let (false, Some(message)) = (speak.is_empty(), self.thoughts(lang)) {
                let text = message.to_string();
                speak
                    .iter()
                    .for_each(|v| v.out.latest(&self.head.id, "think", text.clone()));
            }
        }
        if let Some(analysis) = &mut self.analysis {
            analysis.sent = Some(Instant::now());
            analysis.fresh = again;
        }
    }

    fn thoughts(&self, lang: Lang) -> Option<Value> {
        let analysis = self.analysis.as_ref()?;
        let game = self.game.at(analysis.ply);
        let seat = self.viewpoint();
        let lines = analysis.found.iter().map(|(rank, info)| {
            let pv = &info.pv[..info.pv.len().min(MOST_MOVES)];
            let (moves, _) = game.line(seat, pv, 0, lang);
            let (from, to) = moves.first().map_or((-1, -1), |m| (m.0, m.1));
            let labels: Vec<&String> = moves.iter().map(|m| &m.3).collect();
            json!({
                "rank": rank, "score": game.score(info), "wdl": info.wdl, "depth": info.depth, "nodes": info.nodes,
                "pv": labels, "from": from, "to": to,
            })
        });
        let lines: Vec<Value> = lines.collect();
        let speed = analysis
            .found
            .values()
            .map(|i| i.nodes as f64 / i.time.as_secs_f64().max(0.001));
        let mut message = json!({
            "t": "think", "id": self.head.id, "ply": analysis.ply, "side": game.side(), "lines": lines,
            "nps": speed.fold(0.0, f64::max).round(),
        });
        if let Some(heat) = self.engine.as_ref().and_then(|e| game.heat(e)) {
            super::merge(&mut message, serde_json::to_value(heat).unwrap_or_default());
        }
        Some(message)
    }
}
