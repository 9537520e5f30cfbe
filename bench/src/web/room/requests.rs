//! What viewers ask of a room.

use super::{MOST_PLIES, Room, Viewer, wins};
use crate::arena::record::RecordHead;
use crate::arena::today;
use crate::web::board::Unread;
use crate::web::disk::GameEvent;
use anyhow::Result;
use serde_json::{Value, json};

/// Longest text of a typed move, in bytes.
const LONGEST_TYPED: usize = 40;

/// A request about an open game.
#[derive(Clone, Debug, PartialEq)]
pub enum RoomRequest {
    /// Plays a move of the scene of this revision.
    Move {
        /// The scene's revision.
        rev: u64,
        /// The move.
        m: String,
    },
    /// Plays a move as people write it.
    Type {
        /// The scene's revision.
        rev: u64,
        /// The text.
        text: String,
    },
    /// Presses a key of the scene.
    Press {
        /// The scene's revision.
        rev: u64,
        /// The key.
        key: String,
    },
    /// Shows a former position.
    At {
        /// Half-moves played.
        ply: usize,
    },
    /// Begins or ends analysis.
    Think {
        /// The position.
        ply: usize,
        /// Whether it begins.
        on: bool,
        /// Best lines that are wanted.
        lines: usize,
    },
    /// Shows the board along a line of the analysis.
    Peek {
        /// The position.
        ply: usize,
        /// Rank of the line, from 1.
        line: usize,
        /// Moves of it that are played.
        upto: usize,
    },
    /// The record in a format.
    Save {
        /// The format's ending.
        format: String,
        /// Whether with the marks and lines of the review.
        review: bool,
    },
    /// Begins a review, or goes on with it.
    Review {
        /// The effort's name.
        effort: String,
    },
    /// Stops the review.
    Halt,
    /// Searches a move in the place of the one that was played.
    Try {
        /// The position.
        ply: usize,
        /// The move.
        m: String,
    },
}

/// A refusal: code and sentence.
pub struct Refusal(pub &'static str, pub Value);

impl From<anyhow::Error> for Refusal {
    fn from(why: anyhow::Error) -> Self {
        Self("disk", json!(["no_disk", format!("{why:#}")]))
    }
}

impl Room {
    /// Does what a viewer asks, or tells why not.
    pub(super) fn ask(&mut self, viewer: &Viewer, n: u64, request: RoomRequest) {
        if let Err(Refusal(code, say)) = self.obey(viewer, n, request) {
            viewer.out.refuse(n, code, say);
        }
    }

    fn obey(&mut self, viewer: &Viewer, n: u64, request: RoomRequest) -> Result<(), Refusal> {
        match request {
            RoomRequest::Move { rev, m } => {
                self.may_move(rev)?;
                // Only what the scene offers: other texts that would be read as moves are not moves of the page.
                let offered = self.game.moves(viewer.lang).iter().any(|(_, _, text, _)| *text == m);
                self.play(offered.then_some(&m), &m)
            }
            RoomRequest::Type { rev, text } => {
                self.may_move(rev)?;
                let text: String = text.split_whitespace().collect();
                if text.len() > LONGEST_TYPED {
                    return Err(Refusal("illegal_move", json!(["no_illegal", ""])));
                }
                match self.game.read(&text, viewer.lang) {
                    Ok(m) => self.play(Some(&m), &text),
                    Err(Unread::Unknown) => self.play(None, &text),
                    Err(Unread::Several(all)) => {
                        Err(Refusal("ambiguous", json!(["no_ambiguous", text, all.join(", ")])))
                    }
                }
            }
            RoomRequest::Press { rev, key } => self.press(viewer, n, rev, &key),
            RoomRequest::At { ply } => {
                self.known_ply(ply)?;
                let game = self.game.at(ply);
                let seen = if viewer.guest {
                    game.seen_by_all(viewer.lang)
                } else {
                    game.seen(self.viewpoint(), viewer.lang)
                };
                let mut scene = self.shot(&seen, ply);
                // What may be tried there, once nothing of the game is secret.
                if self.may_review() && !viewer.guest {
                    scene["moves"] = json!(game.moves(viewer.lang));
                }
                viewer
                    .out
                    .answer(&json!({ "t": "shot", "n": n, "id": self.head.id, "ply": ply, "scene": scene }));
                Ok(())
            }
            RoomRequest::Think { ply, on, lines } => {
                self.known_ply(ply)?;
                self.may_analyse()?;
                self.trouble = None;
                self.think(on.then_some((ply, lines.clamp(1, 5))));
                if self.review.is_some() {
                    self.show_review();
                }
                Ok(())
            }
            RoomRequest::Peek { ply, line, upto } => {
                self.may_analyse()?;
                self.known_ply(ply)?;
                let unknown = || Refusal("unknown", json!(["no_unknown", line]));
                let pv = self.analysed(ply, line).ok_or_else(unknown)?;
                let seen = self.game.at(ply).line(self.viewpoint(), &pv, upto, viewer.lang).1;
                let scene = self.shot(&seen, ply + upto);
                let more = json!({ "t": "shot", "n": n, "id": self.head.id, "ply": ply, "line": line, "upto": upto, "scene": scene });
                viewer.out.answer(&more);
                Ok(())
            }
            RoomRequest::Review { effort } => {
                if !self.may_review() {
                    return Err(Refusal("unknown", json!(["no_review"])));
                }
                if super::effort(&effort).is_none() {
                    return Err(Refusal("unknown", json!(["no_unknown", effort])));
                }
                self.trouble = None;
                Ok(self.start_review(&effort)?)
            }
            RoomRequest::Halt => Ok(self.halt_review()?),
            RoomRequest::Try { ply, m } => self.take_try(viewer, n, ply, m),
            RoomRequest::Save { format, review } => {
                let text = if review {
                    self.annotated(&format, viewer.lang, self.names())
                } else if self.has_notes() {
                    self.noted(&format, viewer.lang, self.names())
                } else {
                    self.record(&format)
                };
                let text = text.ok_or_else(|| Refusal("unknown", json!(["no_format", format])))?;
                let kind = if review { "-review" } else { "" };
                let name = format!("{}-{}{kind}.{format}", self.head.spec.game, self.head.id);
                viewer
                    .out
                    .answer(&json!({ "t": "file", "n": n, "id": self.head.id, "name": name, "text": text }));
                Ok(())
            }
        }
    }

    /// Takes up a move that a viewer tries in a position whose own move is reviewed.
    fn take_try(&mut self, viewer: &Viewer, n: u64, ply: usize, m: String) -> Result<(), Refusal> {
        self.known_ply(ply)?;
        if !self.is_judged(ply) {
            return Err(Refusal("unknown", json!(["no_review"])));
        }
        if self.tried.is_some() {
            return Err(Refusal("busy", json!(["no_busy"])));
        }
        let moves = self.game.at(ply).moves(viewer.lang);
        if !moves.iter().any(|(_, _, text, _)| *text == m) {
            return Err(Refusal("illegal_move", json!(["no_illegal", m])));
        }
        let viewer = viewer.clone();
        self.trouble = None;
        self.tried = Some(super::TriedMove { viewer, n, ply, m });
        self.advance();
        Ok(())
    }

    fn known_ply(&self, ply: usize) -> Result<(), Refusal> {
        if ply > self.game.plies() {
            return Err(Refusal("unknown", json!(["no_ply", ply])));
        }
        Ok(())
    }

    /// A sealed game is not analysed before its end.
    fn may_analyse(&self) -> Result<(), Refusal> {
        if self.head.sealed && self.over.is_none() {
            return Err(Refusal("sealed", json!(["no_sealed"])));
        }
        Ok(())
    }

    fn may_move(&self, rev: u64) -> Result<(), Refusal> {
        if self.over.is_some() {
            return Err(Refusal("over", json!(["no_over"])));
        }
        if rev != self.rev {
            return Err(Refusal("stale", json!(["no_stale"])));
        }
        if !self.is_theirs() {
            return Err(Refusal("not_yours", json!(["no_not_yours"])));
        }
        Ok(())
    }

    fn play(&mut self, m: Option<&String>, said: &str) -> Result<(), Refusal> {
        let Some(m) = m else {
            return Err(Refusal("illegal_move", json!(["no_illegal", said])));
        };
        self.halt();
        self.hint_asked = false;
        self.trouble = None;
        self.commit(&GameEvent::Move { m: m.clone() })?;
        if self.game.ended().is_none() || self.game.plies() > MOST_PLIES {
            self.publish();
        }
        self.advance();
        Ok(())
    }

    fn press(&mut self, viewer: &Viewer, n: u64, rev: u64, key: &str) -> Result<(), Refusal> {
        if key == "undo" && self.head.sealed {
            return Err(Refusal("sealed", json!(["no_sealed"])));
        }
        if !self.keys().contains(&key) {
            return Err(Refusal("unknown", json!(["no_key", key])));
        }
        // What needs no position does not depend on the scene's revision: the engine may just have moved.
        if key != "resign" && key != "again" && rev != self.rev {
            return Err(Refusal("stale", json!(["no_stale"])));
        }
        let side = self.game.side();
        match key {
            "undo" => {
                let back = self.back().unwrap_or(0);
                self.halt();
                self.hint_asked = false;
                self.trouble = None;
                self.commit(&GameEvent::Undo { n: back })?;
                self.publish();
                self.show_notes(&self.viewers);
                self.advance();
            }
            "hint" => {
                self.hint_asked = true;
                self.trouble = None;
                self.publish();
                self.advance();
            }
            "retry" => {
                self.trouble = None;
                self.publish();
                self.advance();
            }
            "pass" => return self.play(Some(&"pass".into()), "pass"),
            "claim" => self.finish(wins(side, "declaration"), Vec::new()),
            "resign" => {
                let loser = if self.head.seat < 2 { self.head.seat } else { side };
                self.finish(wins(1 - loser, "resignation"), Vec::new());
            }
            _ => self.hub.again(&self.head, viewer, n),
        }
        Ok(())
    }

    /// A position to look at, without anything to do.
    fn shot(&self, seen: &crate::web::board::SeenBoard, ply: usize) -> Value {
        let mut scene = serde_json::to_value(seen).unwrap_or_default();
        let more =
            json!({ "id": self.head.id, "ply": ply, "seat": self.head.seat, "turn": (self.head.first + ply) % 2 });
        super::merge(&mut scene, more);
        scene
    }

    /// Who plays the sides.
    fn names(&self) -> [&str; 2] {
        if let Some(loaded) = &self.head.loaded {
            return loaded.names.each_ref().map(String::as_str);
        }
        [0, 1].map(|side| {
            if self.head.seat == 2 || self.head.seat == side {
                "You"
            } else {
                "Nguky"
            }
        })
    }

    fn record(&self, format: &str) -> Option<String> {
        let head = RecordHead {
            event: "nguky web",
            names: self.names(),
            round: "1".into(),
            time_control: "-".into(),
            date: today(),
        };
        self.game.record(format, &head, self.over.as_ref(), self.viewpoint())
    }
}
