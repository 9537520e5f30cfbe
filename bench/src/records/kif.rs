//! KIF, the records of Japanese shogi programs: headers `名：value` or a drawn board, numbered moves with their origin in
//! parentheses, comments behind `*`, variations behind `変化：`.

use super::{Damage, Each, MOST_MOVES, RecordedGame, RecordedMove, RecordedResult, quoted, remark};
use crate::notation::Notation;
use nguky::game::{Position, Side};
use nguky::games::shogi::{ABOUT as SHOGI, Shogi};
use std::time::Duration;

/// Pieces and their letters in SFEN; longer names first.
const PIECES: [(&str, &str); 22] = [
    ("成香", "+L"),
    ("成桂", "+N"),
    ("成銀", "+S"),
    ("王", "K"),
    ("玉", "K"),
    ("飛", "R"),
    ("角", "B"),
    ("金", "G"),
    ("銀", "S"),
    ("桂", "N"),
    ("香", "L"),
    ("歩", "P"),
    ("竜", "+R"),
    ("龍", "+R"),
    ("馬", "+B"),
    ("と", "+P"),
    ("杏", "+L"),
    ("圭", "+N"),
    ("全", "+S"),
    ("仝", "+L"),
    ("个", "+N"),
    ("歩兵", "P"),
];

/// Words that end a game, and the outcome for the side to move.
const ENDS: [(&str, i8); 17] = [
    ("投了", -1),
    ("詰み", -1),
    ("詰", -1),
    ("切れ負け", -1),
    ("時間切れ", -1),
    ("反則負け", -1),
    ("不戦敗", -1),
    ("反則勝ち", 1),
    ("不戦勝", 1),
    ("入玉勝ち", 1),
    ("宣言勝ち", 1),
    ("千日手", 0),
    ("持将棋", 0),
    ("引き分け", 0),
    ("引分", 0),
    ("中断", 2),
    ("不詰", 2),
];

/// Headers that begin a new game behind moves.
const BEGINNINGS: [&str; 10] = [
    "開始日時",
    "終了日時",
    "棋戦",
    "手合割",
    "先手",
    "後手",
    "下手",
    "上手",
    "場所",
    "表題",
];

/// Reads the games of a text.
pub fn read(text: &str, each: Each) {
    let text = text.trim_start_matches('\u{feff}');
    let mut game: Option<KifGame> = None;
    for (i, line) in text.lines().enumerate() {
        let number = i + 1;
        let marked = line.starts_with("#KIF") || (line.starts_with('#') && line.contains("Kifu for"));
        let begins = marked || header(line).is_some_and(|(name, _)| BEGINNINGS.contains(&name));
        let behind = game.as_ref().is_some_and(|g| g.moving || (marked && g.begun));
        if begins && behind && game.take().is_some_and(|g| !each(g.done())) {
            return;
        }
        if game.is_none() && (line.trim().is_empty() || (line.starts_with('#') && !marked)) {
            continue;
        }
        game.get_or_insert_with(|| KifGame::new(number)).take(number, line);
    }
    if let Some(game) = game {
        each(game.done());
    }
}

/// A header's name and value.
fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('：').or_else(|| line.split_once(':'))?;
    let plain = !name.starts_with(['*', '#', '&', '|', ' ']) && !name.contains(|c: char| c.is_ascii_digit());
    plain.then_some((name.trim(), value.trim()))
}

/// A game as far as it was read.
struct KifGame {
    record: RecordedGame,
    damage: Option<Damage>,
    /// Whether anything but a mark was seen, and whether moves were.
    begun: bool,
    moving: bool,
    board: Vec<(usize, String)>,
    hands: [String; 2],
    second_moves: bool,
    /// The position now, and the move before it.
    pos: Option<Shogi>,
    last: Option<String>,
    /// Where the moves of now go: the ply that the variation begins at, none in the main line.
    variation: Option<usize>,
    line: Vec<RecordedMove>,
    variations: Vec<(usize, Vec<RecordedMove>)>,
    count: usize,
    over: bool,
}

impl KifGame {
    fn new(line: usize) -> Self {
        Self {
            record: RecordedGame {
                line,
                ..RecordedGame::default()
            },
            damage: None,
            begun: false,
            moving: false,
            board: Vec::new(),
            hands: Default::default(),
            second_moves: false,
            pos: None,
            last: None,
            variation: None,
            line: Vec::new(),
            variations: Vec::new(),
            count: 0,
            over: false,
        }
    }

    fn take(&mut self, number: usize, line: &str) {
        if self.damage.is_none() {
            self.damage = self.read(number, line).err();
        }
    }

    fn read(&mut self, number: usize, line: &str) -> Result<(), Damage> {
        let bare = line.trim();
        let first = bare.chars().next().unwrap_or('#');
        self.begun |= first != '#';
        if let Some(text) = bare.strip_prefix('*') {
            let said = self
                .line
                .last_mut()
                .map_or(&mut self.record.comment, |m| &mut m.comment);
            remark(said, text.trim_start_matches('*'));
        } else if first == '|' {
            self.board.push((number, bare.to_string()));
        } else if "#&+".contains(first)
            || bare.starts_with("手数-")
            || bare.starts_with("９ ８")
            || bare.starts_with("9 8 ")
        {
            // Marks, bookmarks, the board's frame.
        } else if let Some(at) = bare.strip_prefix("変化：").or_else(|| bare.strip_prefix("変化:")) {
            self.vary(number, at)?;
        } else if bare.starts_with("まで") {
            self.told(bare);
        } else if bare == "後手番" || bare == "上手番" {
            self.second_moves = true;
        } else if bare == "先手番" || bare == "下手番" {
            self.second_moves = false;
        } else if first.is_ascii_digit() {
            self.numbered(number, line)?;
        } else if let Some((name, value)) = header(bare) {
            self.head(name, value);
        } else {
            return Err(Damage::new(
                number,
                1,
                format!("neither a header, a move nor a comment: {}", quoted(bare)),
            ));
        }
        Ok(())
    }

    fn head(&mut self, name: &str, value: &str) {
        match name {
            "先手" | "下手" => self.record.names[0] = value.into(),
            "後手" | "上手" => self.record.names[1] = value.into(),
            "先手の持駒" | "下手の持駒" | "先手の持ち駒" => self.hands[0] = value.into(),
            "後手の持駒" | "上手の持駒" | "後手の持ち駒" => self.hands[1] = value.into(),
            _ => {}
        }
        self.record.tags.push((name.into(), value.into()));
    }

    /// The position that the headers describe.
    fn start(&self) -> Result<Shogi, Damage> {
        let sfen = if self.board.is_empty() {
            match self.record.tag("手合割") {
                None | Some("平手" | "") => Shogi::START.to_string(),
                Some(name) => match SHOGI.handicaps.iter().find(|h| h.native.contains(&name)) {
                    Some(handicap) => handicap.setup.to_string(),
                    None => {
                        let what = format!(
                            "an unknown start {}; expected 平手, 香落ち and so on, or a board",
                            quoted(name)
                        );
                        return Err(Damage::new(self.record.line, 1, what));
                    }
                },
            }
        } else {
            self.drawn()?
        };
        let line = self.board.first().map_or(self.record.line, |b| b.0);
        Shogi::parse(&sfen, &Default::default()).map_err(|e| Damage::new(line, 1, e.to_string()))
    }

    /// The drawn board and the hands as SFEN.
    fn drawn(&self) -> Result<String, Damage> {
        let mut ranks = Vec::new();
        for (number, line) in &self.board {
            let cells = line.trim_start_matches('|').split('|').next().unwrap_or("");
            let (mut rank, mut empty, mut second) = (String::new(), 0, false);
            for (i, c) in cells.chars().enumerate() {
                let letter = PIECES.iter().find(|p| p.0.chars().eq([c])).map(|p| p.1);
                match (c, letter) {
                    (' ', _) => second = false,
                    ('v' | 'V' | 'ｖ', _) => second = true,
                    ('・' | '･', _) => empty += 1,
                    (_, Some(letter)) => {
                        if empty > 0 {
                            rank += &empty.to_string();
                        }
                        empty = 0;
                        rank += &if second {
                            letter.to_lowercase()
                        } else {
                            letter.to_string()
                        };
                        second = false;
                    }
                    _ => return Err(Damage::new(*number, i + 2, format!("no piece: {c:?}"))),
                }
            }
            if empty > 0 {
                rank += &empty.to_string();
            }
            ranks.push(rank);
        }
        let mut hands = String::new();
        for (i, hand) in self.hands.iter().enumerate() {
            for word in hand.split([' ', '　']).filter(|w| !w.is_empty() && *w != "なし") {
                let piece = PIECES.iter().find(|p| word.starts_with(p.0) && !p.1.starts_with('+'));
                let Some((name, letter)) = piece else {
                    return Err(Damage::new(
                        self.record.line,
                        1,
                        format!("no piece in hand: {}", quoted(word)),
                    ));
                };
                let many = &word[name.len()..];
                let Some(n) = kanji(many) else {
                    return Err(Damage::new(
                        self.record.line,
                        1,
                        format!("no number in hand: {}", quoted(word)),
                    ));
                };
                if n > 1 {
                    hands += &n.to_string();
                }
                hands += &if i == 0 {
                    (*letter).to_string()
                } else {
                    letter.to_lowercase()
                };
            }
        }
        let side = if self.second_moves { 'w' } else { 'b' };
        let hands = if hands.is_empty() { "-" } else { &hands };
        Ok(format!("{} {side} {hands} 1", ranks.join("/")))
    }

    /// Brings the moves to their start.
    fn begin(&mut self) -> Result<(), Damage> {
        if self.pos.is_none() {
            let start = self.start()?;
            let setup = start.setup();
            self.record.setup = (setup != Shogi::START).then_some(setup);
            self.pos = Some(start);
        }
        self.moving = true;
        Ok(())
    }

    /// A numbered line: a move, or the word that ends the line of play.
    fn numbered(&mut self, number: usize, line: &str) -> Result<(), Damage> {
        self.begin()?;
        let body = line.trim_start();
        let digits = body.trim_start_matches(|c: char| c.is_ascii_digit());
        let text = digits.trim_start();
        let column = line.chars().count() - text.chars().count() + 1;
        let told: usize = body[..body.len() - digits.len()].parse().unwrap_or(0);
        let expected = self.variation.unwrap_or(0) + self.line.len() + 1;
        if told != expected {
            let what = format!("move number {told} where {expected} was expected");
            return Err(Damage::new(number, 1, what));
        }
        let word = text.split([' ', '(', '（']).next().unwrap_or("");
        let Some(pos) = self.pos.as_mut().filter(|_| !self.over) else {
            return Err(Damage::new(number, column, "a move behind the end of the game"));
        };
        if let Some((_, value)) = ENDS.iter().find(|e| e.0 == word.trim_end_matches('　')) {
            self.over = true;
            if self.variation.is_none() {
                self.record.ending = word.into();
                self.record.outcome = match value {
                    1 => RecordedResult::Won(pos.side()),
                    -1 => RecordedResult::Won(pos.side().other()),
                    0 => RecordedResult::Drawn,
                    _ => RecordedResult::Unknown,
                };
            }
            return Ok(());
        }
        self.count += 1;
        if self.count > MOST_MOVES {
            return Err(Damage::new(
                number,
                1,
                format!("more than {MOST_MOVES} moves in a game"),
            ));
        }
        let bad = || Damage::new(number, column, format!("not a legal move here: {}", quoted(text)));
        let m = match written(text, self.last.as_deref()) {
            Some(usi) => pos.parse_move(&usi).map_err(|_| bad())?,
            // Without an origin, as in KI2.
            None => pos.read_notation(word).map_err(|_| bad())?,
        };
        let mut ply = RecordedMove::new(pos.side(), pos.move_text(m));
        ply.time = time(text);
        self.last = Some(ply.text.clone());
        pos.play(m);
        self.line.push(ply);
        Ok(())
    }

    /// Puts the line of now where it belongs.
    fn shelve(&mut self) {
        let line = std::mem::take(&mut self.line);
        match self.variation {
            None => self.record.moves = line,
            Some(at) => self.variations.push((at, line)),
        }
    }

    /// `変化：N手`: what follows could have been played from move N on, in the line before or one that it varies.
    fn vary(&mut self, number: usize, at: &str) -> Result<(), Damage> {
        self.begin()?;
        let bad = || Damage::new(number, 1, format!("expected 変化：N手, not {}", quoted(at)));
        let n: usize = at.trim().trim_end_matches('手').trim().parse().map_err(|_| bad())?;
        self.shelve();
        // The line that it leaves: the last one that begins before it.
        let Some(from) = n.checked_sub(1) else {
            return Err(bad());
        };
        let base: Vec<RecordedMove> = self.path(from).ok_or_else(bad)?;
        let mut pos = self.start()?;
        for ply in &base {
            let m = pos.parse_move(&ply.text).map_err(|_| bad())?;
            pos.play(m);
        }
        self.last = base.last().map(|m| m.text.clone());
        (self.pos, self.variation, self.over) = (Some(pos), Some(from), false);
        Ok(())
    }

    /// The moves before ply `to`, along the last line that is longer.
    fn path(&self, to: usize) -> Option<Vec<RecordedMove>> {
        let mut path: Vec<RecordedMove> = Vec::new();
        let mut end = to;
        for (at, line) in self.variations.iter().rev() {
            if *at < end && at + line.len() >= end {
                path.splice(0..0, line[..end - at].iter().cloned());
                end = *at;
            }
        }
        (self.record.moves.len() >= end).then(|| {
            path.splice(0..0, self.record.moves[..end].iter().cloned());
            path
        })
    }

    /// `まで5手で先手の勝ち`, where no word ended the moves.
    fn told(&mut self, text: &str) {
        if self.variation.is_some() || !self.record.ending.is_empty() {
            return;
        }
        self.record.ending = text.into();
        self.record.outcome = if text.contains("先手の勝ち") || text.contains("下手の勝ち") {
            RecordedResult::Won(Side::First)
        } else if text.contains("後手の勝ち") || text.contains("上手の勝ち") {
            RecordedResult::Won(Side::Second)
        } else if text.contains("千日手") || text.contains("持将棋") || text.contains("引き分け") {
            RecordedResult::Drawn
        } else {
            RecordedResult::Unknown
        };
    }

    fn done(mut self) -> Result<RecordedGame, Damage> {
        if let Some(damage) = self.damage {
            return Err(damage);
        }
        self.begin()?;
        self.shelve();
        // A variation within another hangs on that one's moves; from the last to the first, each is whole when it moves.
        while let Some((at, line)) = self.variations.pop() {
            let holder = self
                .variations
                .iter_mut()
                .rev()
                .find(|(a, l)| *a < at && a + l.len() > at);
            let place = match holder {
                Some((a, l)) => l.get_mut(at - *a),
                None => self.record.moves.get_mut(at),
            };
            if let (Some(ply), false) = (place, line.is_empty()) {
                ply.variations.insert(0, line);
            }
        }
        Ok(self.record)
    }
}

/// A number up to 18 in Chinese signs or digits; 1 when nothing is written.
fn kanji(text: &str) -> Option<u32> {
    if text.is_empty() {
        return Some(1);
    }
    let digit = |c: char| {
        ('一'..='龥')
            .contains(&c)
            .then(|| "一二三四五六七八九".chars().position(|d| d == c))
            .flatten()
    };
    let mut signs = text.chars();
    match (signs.next(), signs.next(), signs.next()) {
        (Some('十'), None, None) => Some(10),
        (Some('十'), Some(c), None) => Some(11 + digit(c)? as u32),
        (Some(c), None, None) if digit(c).is_some() => Some(digit(c)? as u32 + 1),
        _ => text.parse().ok().filter(|n| (1..=18).contains(n)),
    }
}

/// File or rank of a sign, from 1: `７`, `7`, `七`.
fn coordinate(c: char) -> Option<u8> {
    match c {
        '1'..='9' => Some(c as u8 - b'0'),
        '１'..='９' => Some((c as u32 - '０' as u32) as u8),
        _ => "一二三四五六七八九".chars().position(|d| d == c).map(|i| i as u8 + 1),
    }
}

/// The move in USI, when its origin is given or it is a drop; `last` is the move before it, which `同` refers to.
fn written(text: &str, last: Option<&str>) -> Option<String> {
    let text = text.trim_start_matches(['▲', '△', '☗', '☖', '▼', '▽']);
    let (target, rest) = if let Some(rest) = text.strip_prefix('同') {
        let usi = last?;
        (usi.get(2..4)?.to_string(), rest.trim_start_matches([' ', '　']))
    } else {
        let mut signs = text.chars();
        let (f, r) = (coordinate(signs.next()?)?, coordinate(signs.next()?)?);
        (format!("{f}{}", char::from(b'a' + r - 1)), signs.as_str())
    };
    let (name, letter) = PIECES.iter().find(|p| rest.starts_with(p.0))?;
    let rest = &rest[name.len()..];
    if rest.starts_with('打') {
        return (!letter.starts_with('+')).then(|| format!("{letter}*{target}"));
    }
    let (how, origin) = rest.split_once(['(', '（'])?;
    let mut signs = origin.chars();
    let (f, r) = (coordinate(signs.next()?)?, coordinate(signs.next()?)?);
    let promotes = how.contains('成') && !how.contains('不');
    let from = format!("{f}{}", char::from(b'a' + r - 1));
    Some(format!("{from}{target}{}", if promotes { "+" } else { "" }))
}

/// The time of a move, `( 0:01/00:00:03)` at the end of its line.
fn time(text: &str) -> Option<Duration> {
    let (_, clock) = text.rsplit_once('(')?;
    let (minutes, seconds) = clock
        .split('/')
        .next()?
        .trim()
        .trim_end_matches([')', '+'])
        .split_once(':')?;
    let number = |t: &str| t.trim().parse::<u64>().ok().filter(|&n| n < 1_000_000);
    let part = |t: &str| t.trim().parse::<f64>().ok().filter(|x| (0.0..60.0).contains(x));
    Some(Duration::from_secs(60 * number(minutes)?) + Duration::try_from_secs_f64(part(seconds)?).ok()?)
}
