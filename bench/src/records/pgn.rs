//! PGN: tags, then moves with comments `{ }` and `;`, glyphs `$1` or `!?`, and variations in parentheses.
//!
//! Games without tags follow one another by their results. A tag line begins a new game wherever it stands behind moves,
//! so that a comment left open spoils one game only.

use super::{DEEPEST, Damage, Each, MOST_MOVES, RecordedGame, RecordedMove, RecordedResult, quoted, remark};
use crate::arena::setup_of;
use crate::notation::Notation;
use nguky::game::{Position, Side};

/// Whether a line is a tag, `[Name "value"]`.
pub fn is_tag(line: &str) -> bool {
    tag(line).is_some()
}

/// The name and value of a tag line.
fn tag(line: &str) -> Option<(String, String)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, value) = inner.split_once(|c: char| c.is_whitespace())?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let fits = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    fits.then(|| (name.to_string(), value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// Plays a move as a record has it: its text in the library's coordinates; none where it is no legal move.
type PlayText<P> = fn(&mut P, &str) -> Option<String>;

/// Reads the games of a text.
pub fn read<P: Notation>(text: &str, each: Each) {
    read_by::<P>(text, each, |pos, text| {
        let m = pos.read_notation(text).ok()?;
        let text = pos.move_text(m);
        pos.play(m);
        Some(text)
    });
}

/// Reads the games of a text in the protocol's coordinates. In cờ úp these go on with the letters of what a move turned up
/// and took, and so do the moves of the records.
pub fn read_coordinates<P: Position>(text: &str, each: Each) {
    read_by::<P>(text, each, |pos, text| {
        pos.play_text(text).ok()?;
        Some(text.to_string())
    });
}

fn read_by<P: Position>(text: &str, each: Each, play: PlayText<P>) {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().enumerate().peekable();
    let mut section = Section::default();
    loop {
        let next = lines.next();
        let begins = next.is_none_or(|(_, line)| section.has_moves() && is_tag(line));
        if begins && !std::mem::take(&mut section).games::<P>(each, play) {
            return;
        }
        let Some((number, line)) = next else { return };
        section.take(number + 1, line);
    }
}

/// Tags and the lines of moves behind them.
#[derive(Default)]
struct Section<'a> {
    tags: Vec<(String, String)>,
    /// The line of the first tag, and that of the tag FEN.
    line: usize,
    fen: usize,
    moves: Vec<(usize, &'a str)>,
}

impl<'a> Section<'a> {
    fn has_moves(&self) -> bool {
        self.moves.iter().any(|(_, l)| !l.trim().is_empty())
    }

    fn take(&mut self, number: usize, line: &'a str) {
        if !self.has_moves()
            && let Some((name, value)) = tag(line)
        {
            if self.tags.is_empty() {
                self.line = number;
            }
            if name == "FEN" {
                self.fen = number;
            }
            self.tags.push((name, value));
        } else if !line.starts_with('%') {
            self.moves.push((number, line));
        }
    }

    /// Hands over the section's games: the one of its tags, and those without tags behind it.
    fn games<P: Position>(self, each: Each, play: PlayText<P>) -> bool {
        if self.tags.is_empty() && !self.has_moves() {
            return true;
        }
        let mut words = Words::new(&self.moves);
        let mut head = RecordedGame {
            line: if self.tags.is_empty() {
                words.place().0
            } else {
                self.line
            },
            tags: self.tags,
            ..RecordedGame::default()
        };
        let tag = |name: &str| head.tag(name).unwrap_or("").to_string();
        let names = [
            if head.tag("White").is_some() {
                tag("White")
            } else {
                tag("Red")
            },
            tag("Black"),
        ];
        let (end, ending) = (outcome(&tag("Result")).unwrap_or_default(), tag("Termination"));
        (head.names, head.outcome, head.ending) = (names, end, ending);
        let start: Result<P, Damage> = match head.tag("FEN") {
            Some(fen) => setup_of(fen).map_err(|e| Damage::new(self.fen, 1, format!("{e:#}: {}", quoted(fen)))),
            None => P::parse(P::START, &P::Rules::default()).map_err(|e| Damage::new(head.line, 1, e.to_string())),
        };
        let mut game = start.and_then(|start| {
            head.setup = head.tag("FEN").map(|_| start.setup());
            one(head, start, &mut words, play)
        });
        loop {
            let damaged = game.is_err();
            // Comments and numbers alone, before the first game or behind the last, are none.
            let none = game.as_ref().is_ok_and(|g| g.tags.is_empty() && g.moves.is_empty());
            if !none && !each(game) {
                return false;
            }
            // What follows damage cannot be separated from it.
            if damaged || words.peek().is_none() {
                return true;
            }
            let head = RecordedGame {
                line: words.place().0,
                ..RecordedGame::default()
            };
            game = P::parse(P::START, &P::Rules::default())
                .map_err(|e| Damage::new(head.line, 1, e.to_string()))
                .and_then(|start| one(head, start, &mut words, play));
        }
    }
}

fn outcome(text: &str) -> Option<RecordedResult> {
    match text {
        "1-0" => Some(RecordedResult::Won(Side::First)),
        "0-1" => Some(RecordedResult::Won(Side::Second)),
        "1/2-1/2" | "1/2" | "½-½" => Some(RecordedResult::Drawn),
        "*" => Some(RecordedResult::Unknown),
        _ => None,
    }
}

/// Reads a game up to its result.
fn one<P: Position>(
    mut record: RecordedGame,
    start: P,
    words: &mut Words,
    play: PlayText<P>,
) -> Result<RecordedGame, Damage> {
    let mut pos = start;
    let mut count = 0;
    (record.comment, record.moves) = line(&mut pos, words, 0, &mut count, play)?;
    if let Some(end) = words.ended.take() {
        // The tag knows more than a star.
        if end != RecordedResult::Unknown {
            record.outcome = end;
        }
    }
    Ok(record)
}

/// Reads moves up to the end of the game, or of the variation where `depth` is above 0.
fn line<P: Position>(
    pos: &mut P,
    words: &mut Words,
    depth: usize,
    count: &mut usize,
    play: PlayText<P>,
) -> Result<(String, Vec<RecordedMove>), Damage> {
    let (mut before, mut moves): (String, Vec<RecordedMove>) = Default::default();
    let mut passed = false;
    let begun = words.place();
    loop {
        let (l, c) = words.place();
        let Some(word) = words.next()? else {
            return match depth {
                0 => Ok((before, moves)),
                _ => Err(Damage::new(begun.0, begun.1, "a variation is not closed; expected )")),
            };
        };
        match word {
            PgnToken::Comment(text) => remark(moves.last_mut().map_or(&mut before, |m| &mut m.comment), &text),
            PgnToken::Glyph(n) => moves.last_mut().into_iter().for_each(|m| m.nags.push(n)),
            PgnToken::Open if depth >= DEEPEST => {
                return Err(Damage::new(
                    l,
                    c,
                    format!("more than {DEEPEST} variations within one another"),
                ));
            }
            PgnToken::Open => {
                // It begins before the last move.
                let mut former = pos.clone();
                if !moves.is_empty() {
                    former.undo();
                }
                let (said, mut other) = line(&mut former, words, depth + 1, count, play)?;
                if let (Some(first), Some(last)) = (other.first_mut(), moves.last_mut()) {
                    let own = std::mem::take(&mut first.comment);
                    remark(&mut first.comment, &said);
                    remark(&mut first.comment, &own);
                    last.variations.push(other);
                }
            }
            PgnToken::Close if depth == 0 => return Err(Damage::new(l, c, "a ) without its (")),
            PgnToken::Close => return Ok((before, moves)),
            PgnToken::End(end) if depth == 0 => {
                words.ended = Some(end);
                return Ok((before, moves));
            }
            // Some programs end variations by a result.
            PgnToken::End(_) => {}
            // A null move: what follows it is no game, but a thought.
            PgnToken::Move(text) if depth > 0 && (passed || matches!(text.as_str(), "--" | "Z0" | "null" | "@@@@")) => {
                passed = true;
            }
            PgnToken::Move(text) => {
                *count += 1;
                if *count > MOST_MOVES {
                    return Err(Damage::new(l, c, format!("more than {MOST_MOVES} moves in a game")));
                }
                let side = pos.side();
                let played = play(pos, &text)
                    .ok_or_else(|| Damage::new(l, c, format!("not a legal move here: {}", quoted(&text))))?;
                moves.push(RecordedMove::new(side, played));
            }
        }
    }
}

/// A word of the moves' text.
#[derive(Debug, PartialEq)]
enum PgnToken {
    Comment(String),
    Glyph(u8),
    Open,
    Close,
    End(RecordedResult),
    Move(String),
}

/// The words of some lines.
struct Words<'a> {
    lines: &'a [(usize, &'a str)],
    /// Line, and what is left of it.
    at: usize,
    rest: &'a str,
    /// Glyphs written behind a move, and how the game ended.
    glyph: Option<u8>,
    ended: Option<RecordedResult>,
}

impl<'a> Words<'a> {
    fn new(lines: &'a [(usize, &'a str)]) -> Self {
        Self {
            lines,
            at: 0,
            rest: lines.first().map_or("", |l| l.1),
            glyph: None,
            ended: None,
        }
    }

    /// The next sign that is not blank.
    fn peek(&mut self) -> Option<char> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(c) = self.rest.chars().next() {
                return Some(c);
            }
            self.next_line()?;
        }
    }

    fn next_line(&mut self) -> Option<()> {
        let (_, line) = self.lines.get(self.at + 1)?;
        (self.at, self.rest) = (self.at + 1, line);
        Some(())
    }

    /// Line and column of the next word.
    fn place(&mut self) -> (usize, usize) {
        self.peek();
        let Some((number, line)) = self.lines.get(self.at) else {
            return (1, 1);
        };
        let read = line.len() - self.rest.len();
        (*number, line.get(..read).map_or(0, |t| t.chars().count()) + 1)
    }

    fn next(&mut self) -> Result<Option<PgnToken>, Damage> {
        if let Some(n) = self.glyph.take() {
            return Ok(Some(PgnToken::Glyph(n)));
        }
        loop {
            let Some(c) = self.peek() else { return Ok(None) };
            let (l, column) = self.place();
            let tail = &self.rest[c.len_utf8()..];
            match c {
                '{' => {
                    self.rest = tail;
                    return self.comment((l, column)).map(|text| Some(PgnToken::Comment(text)));
                }
                ';' => {
                    self.rest = "";
                    return Ok(Some(PgnToken::Comment(tail.trim().to_string())));
                }
                '(' | ')' => {
                    self.rest = tail;
                    return Ok(Some(if c == '(' { PgnToken::Open } else { PgnToken::Close }));
                }
                '$' => {
                    let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                    let (number, rest) = tail.split_at(digits);
                    self.rest = rest;
                    return match number.parse() {
                        Ok(n) => Ok(Some(PgnToken::Glyph(n))),
                        Err(_) => Err(Damage::new(l, column, "a $ without a number from 0 to 255")),
                    };
                }
                _ => {
                    let end = self.rest.find(|c: char| c.is_whitespace() || "{}();$".contains(c));
                    let end = end.unwrap_or(self.rest.len()).max(c.len_utf8());
                    let (word, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    if let Some(end) = outcome(word) {
                        return Ok(Some(PgnToken::End(end)));
                    }
                    if let Some(word) = self.bare(word) {
                        return Ok(Some(word));
                    }
                }
            }
        }
    }

    /// A word without its move number and glyphs; none when nothing is left.
    fn bare(&mut self, word: &str) -> Option<PgnToken> {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let unnumbered = digits.trim_start_matches(['.', '…', '．', '、']);
        let word = if unnumbered.len() < digits.len() || digits.is_empty() {
            unnumbered
        } else {
            word
        };
        let text = word.trim_end_matches(['!', '?']);
        let glyph = match &word[text.len()..] {
            "!" => Some(1),
            "?" => Some(2),
            "!!" => Some(3),
            "??" => Some(4),
            "!?" => Some(5),
            "?!" => Some(6),
            _ => None,
        };
        if text.is_empty() {
            return glyph.map(PgnToken::Glyph);
        }
        self.glyph = glyph;
        Some(PgnToken::Move(text.to_string()))
    }

    fn comment(&mut self, (line, column): (usize, usize)) -> Result<String, Damage> {
        let mut text = String::new();
        loop {
            if let Some((said, rest)) = self.rest.split_once('}') {
                remark(&mut text, said);
                self.rest = rest;
                return Ok(text);
            }
            remark(&mut text, self.rest);
            if self.next_line().is_none() {
                return Err(Damage::new(line, column, "a comment is not closed; expected }"));
            }
        }
    }
}
