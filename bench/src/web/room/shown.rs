//! What viewers of a room see: the board's facts, the scene, the keys that may be pressed.

use super::{GIVEN_UP, Purpose, Room, Viewer, merge, shares};
use crate::web::board::PlacedMove;
use crate::web::seal;
use crate::web::words::{self, Lang};
use nguky::control::Choice;
use serde_json::{Value, json};

/// The seat of who plays no side, or both.
const NO_SEAT: usize = 2;

impl Room {
    /// The static facts of the game.
    pub(super) fn board(&self, guest: bool) -> Value {
        let head = &self.head;
        let seat = if guest { NO_SEAT } else { head.seat };
        let mut message = serde_json::to_value(self.game.facts()).unwrap_or_default();
        let rules: serde_json::Map<_, _> = head.spec.rules.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
        let more = json!({
            "t": "board", "id": head.id, "game": head.spec.game, "seat": seat, "guest": guest, "level": head.level,
            "sealed": head.sealed, "loaded": head.loaded.as_ref().map(|l| &l.names), "rules": rules, "komi": head.spec.komi, "handicap": head.spec.handicap,
        });
        merge(&mut message, more);
        message
    }

    /// The opened seal, once the game is over.
    pub(super) fn opened(&self) -> Option<Value> {
        let ours = self.over.is_some() && self.head.loaded.is_none();
        let faces = self.head.spec.faces.as_ref().filter(|_| ours)?;
        let (salt, id) = (&self.head.salt, &self.head.id);
        Some(json!({
            "t": "open", "id": id, "salt": salt, "faces": faces,
            "text": seal::text(salt, id, faces), "digest": seal::digest(salt, id, faces),
        }))
    }

    pub(super) fn keys(&self) -> Vec<&'static str> {
        let mut keys = Vec::new();
        if self.over.is_some() && self.head.loaded.is_some() {
            return keys;
        }
        let hidden = self.head.spec.faces.is_some();
        if self.back().is_some() && !self.head.sealed && !(hidden && self.over.is_some()) {
            keys.push("undo");
        }
        if self.over.is_some() {
            keys.push("again");
            return keys;
        }
        if self.is_theirs() {
            keys.push("hint");
            if self.game.may_pass() {
                keys.push("pass");
            }
            if self.game.may_claim() {
                keys.push("claim");
            }
        }
        if self.trouble.is_some() && !self.is_theirs() {
            keys.push("retry");
        }
        keys.push("resign");
        keys
    }

    /// Half-moves back to where the person was last to move; none where there is nothing to take back.
    pub(super) fn back(&self) -> Option<usize> {
        let given_up = self.over.as_ref().is_some_and(|e| GIVEN_UP.contains(&e.1.as_str()));
        let theirs = self.head.seat == 2 || self.game.side() == self.head.seat;
        let back = match (self.head.seat, theirs) {
            _ if given_up && theirs => 0,
            (2, _) | (_, false) => 1,
            _ => 2,
        };
        (self.game.plies() >= back).then_some(back)
    }

    /// The scene for a language.
    pub(super) fn scene(&self, lang: Lang) -> Value {
        let seat = self.viewpoint();
        let mut scene = serde_json::to_value(self.game.seen(seat, lang)).unwrap_or_default();
        let moves = if self.is_theirs() {
            self.game.moves(lang)
        } else {
            Vec::new()
        };
        let waiting = !self.is_theirs() && self.over.is_none();
        let hint = match &self.hint {
            Some(Choice::Move(text)) => self
                .one_move(text, lang)
                .map(|(from, to, _, label)| json!([from, to, label])),
            _ => None,
        };
        let say = match &self.hint {
            _ if self.trouble.is_some() => self.trouble.clone(),
            Some(Choice::Move(_)) => hint.as_ref().map(|h| json!(["hint_move", h[2]])),
            Some(Choice::ClaimWin) => Some(json!(["hint_claim"])),
            Some(_) => Some(json!(["hint_none"])),
            None => None,
        };
        let more = json!({
            "t": "scene", "id": self.head.id, "rev": self.rev, "ply": self.game.plies(), "turn": self.game.side(),
            "seat": self.head.seat, "moves": moves, "keys": self.keys(), "hints": self.hints,
            "thinking": self.trouble.is_none() && (waiting || self.hint_asked || self.is_running(Purpose::Hint)),
            "hint": hint, "say": say, "over": self.ending(),
        });
        merge(&mut scene, more);
        scene
    }

    /// The scene of those who only watch, for a language: what both sides know, and nothing to do.
    fn guest_scene(&self, lang: Lang) -> Value {
        let mut scene = serde_json::to_value(self.game.seen_by_all(lang)).unwrap_or_default();
        let waiting = !self.is_theirs() && self.over.is_none() && self.trouble.is_none();
        let more = json!({
            "t": "scene", "id": self.head.id, "rev": self.rev, "ply": self.game.plies(), "turn": self.game.side(),
            "seat": NO_SEAT, "moves": [], "keys": [], "hints": self.hints, "thinking": waiting, "hint": null,
            "say": null, "over": self.ending(),
        });
        merge(&mut scene, more);
        scene
    }

    /// How the game ended.
    fn ending(&self) -> Option<Value> {
        let (points, reason) = self.over.as_ref()?;
        Some(json!({ "points": shares(*points), "say": words::over(*points, reason) }))
    }

    pub(super) fn one_move(&self, text: &str, lang: Lang) -> Option<PlacedMove> {
        let seat = self.viewpoint();
        self.game.line(seat, &[text.to_string()], 0, lang).0.pop()
    }

    /// Whether the record that the game was loaded from said anything of its moves.
    pub(super) fn has_notes(&self) -> bool {
        self.head.loaded.as_ref().is_some_and(|loaded| !loaded.notes.is_empty())
    }

    /// Sends what the record said to some of the viewers, where the game was loaded from one.
    pub(super) fn show_notes(&self, viewers: &[Viewer]) {
        let Some(loaded) = &self.head.loaded else { return };
        for viewer in viewers {
            let mut message = loaded.notes.shown(self.game.as_ref(), viewer.lang);
            merge(&mut message, json!({ "t": "notes", "id": self.head.id }));
            viewer.out.answer(&message);
        }
    }

    /// Sends the scene to some of the viewers.
    pub(super) fn show(&self, viewers: &[Viewer]) {
        for (lang, guest) in Lang::ALL.into_iter().flat_map(|lang| [(lang, false), (lang, true)]) {
            let mut speak = viewers.iter().filter(|v| v.lang == lang && v.guest == guest).peekable();
            if speak.peek().is_some() {
                let scene = if guest {
                    self.guest_scene(lang)
                } else {
                    self.scene(lang)
                };
                let text = scene.to_string();
                speak.for_each(|v| v.out.latest(&self.head.id, "scene", text.clone()));
            }
        }
    }
}
