//! SGF, the records of go (FF\[1\] to FF\[4\]): game trees one after the other.
//!
//! The writer's crate reads such trees, too, but tells no places of errors and takes a tree down node by node within one
//! another, so that a long enough game overflows the stack. Here the nodes of a tree are one list.

use super::{DEEPEST, Damage, Each, MOST_MOVES, RecordedGame, RecordedMove, RecordedResult, quoted, remark};
use nguky::game::Side;
use nguky::games::go::types::MAX_SIZE;
use nguky::games::go::{Board, Game, PASS, Point, Rules, coords};

/// Larger komi is not taken over.
const MOST_KOMI: f32 = 1000.0;

/// A node of a tree.
#[derive(Default)]
struct SgfNode {
    /// Line and column.
    place: (usize, usize),
    /// Properties with their values, and where each stands.
    props: Vec<(String, Vec<String>, (usize, usize))>,
    /// What follows it, the main line first.
    next: Vec<usize>,
}

impl SgfNode {
    /// The first value of a property.
    fn first(&self, name: &str) -> Option<&str> {
        let (_, values, _) = self.props.iter().find(|p| p.0 == name)?;
        values.first().map(String::as_str)
    }
}

/// Reads the games of a text.
pub fn read(text: &str, each: Each) {
    let mut scanner = Scanner::new(text.trim_start_matches('\u{feff}'));
    while let Some(nodes) = scanner.tree() {
        if !each(nodes.and_then(|nodes| Ok(game(&nodes)?.0))) {
            return;
        }
    }
}

/// Walks over the trees of a text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The place of the sign read last.
    line: usize,
    column: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            column: 0,
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        self.column += 1;
        if c == '\n' {
            (self.line, self.column) = (self.line + 1, 0);
        }
        Some(c)
    }

    /// Whether a new game begins at the start of this line.
    fn at_game(&self) -> bool {
        let tail = self.text[self.at..].strip_prefix('(').map(str::trim_start);
        self.column == 0 && tail.is_some_and(|t| t.starts_with(";GM[") || t.starts_with(";FF["))
    }

    /// The nodes of the next tree; none at the end of the text. A damaged tree ends at the next one's first line.
    fn tree(&mut self) -> Option<Result<Vec<SgfNode>, Damage>> {
        while self.next()? != '(' {}
        let start = (self.line, self.column);
        let nodes = self.nodes(start);
        if nodes.is_err() {
            while !self.at_game() && self.next().is_some() {}
        }
        Some(nodes)
    }

    fn nodes(&mut self, start: (usize, usize)) -> Result<Vec<SgfNode>, Damage> {
        let bad = |(line, column): (usize, usize), what: &str| Err(Damage::new(line, column, what));
        let mut nodes: Vec<SgfNode> = Vec::new();
        // The node that the next one follows, and the nodes that open brackets return to.
        let (mut last, mut forks): (Option<usize>, Vec<Option<usize>>) = (None, vec![None]);
        let (mut name, mut named) = (String::new(), start);
        while !forks.is_empty() {
            if self.at_game() {
                return bad(start, "a game is not closed; expected )");
            }
            let Some(c) = self.next() else {
                return bad(start, "a game is not closed; expected )");
            };
            let place = (self.line, self.column);
            match c {
                '(' => forks.push(last),
                ')' => last = forks.pop().flatten(),
                ';' => {
                    if nodes.len() >= MOST_MOVES {
                        return bad(place, &format!("more than {MOST_MOVES} nodes in a game"));
                    }
                    let index = nodes.len();
                    match last.and_then(|l| nodes.get_mut(l)) {
                        Some(before) => before.next.push(index),
                        None if index > 0 => return bad(place, "a second root in a game"),
                        None => {}
                    }
                    nodes.push(SgfNode {
                        place,
                        ..SgfNode::default()
                    });
                    last = Some(index);
                    name.clear();
                }
                '[' => {
                    let value = self.value(place)?;
                    let Some(node) = last.and_then(|l| nodes.get_mut(l)) else {
                        return bad(place, "a value outside of a node; expected ; before it");
                    };
                    match node.props.last_mut() {
                        Some((_, values, _)) if name.is_empty() => values.push(value),
                        _ if name.is_empty() => return bad(place, "a value without a property"),
                        _ => node.props.push((std::mem::take(&mut name), vec![value], named)),
                    }
                }
                'A'..='Z' => {
                    if name.is_empty() {
                        named = place;
                    }
                    name.push(c);
                }
                // Old files have names in both cases, of which the capitals count.
                'a'..='z' | '0'..='9' => {}
                c if c.is_whitespace() => {}
                c => return bad(place, &format!("neither a node, a property nor a bracket: {c:?}")),
            }
            if name.len() > 16 {
                return bad(named, "a property's name is too long");
            }
        }
        if nodes.is_empty() {
            return bad(start, "a game without nodes");
        }
        Ok(nodes)
    }

    /// A value behind its bracket.
    fn value(&mut self, opened: (usize, usize)) -> Result<String, Damage> {
        let mut value = String::new();
        loop {
            match self.next() {
                // A game within a value is no value: the bracket was left open before it.
                _ if self.at_game() => break,
                None => break,
                Some(']') => return Ok(value),
                Some('\\') => match self.next() {
                    // A line broken softly.
                    Some('\n') => {}
                    Some('\r') if self.text[self.at..].starts_with('\n') => {
                        self.next();
                    }
                    c => value.extend(c),
                },
                Some(c) => value.push(c),
            }
        }
        Err(Damage::new(opened.0, opened.1, "a value is not closed; expected ]"))
    }
}

/// Reads one tree.
fn game(nodes: &[SgfNode]) -> Result<(RecordedGame, Option<Game>), Damage> {
    let root = &nodes[0];
    let (line, column) = root.place;
    let bad = |what: String| Err(Damage::new(line, column, what));
    let mut record = RecordedGame {
        line,
        ..RecordedGame::default()
    };
    for (name, values, _) in &root.props {
        if let ([value], false) = (values.as_slice(), matches!(name.as_str(), "B" | "W" | "C" | "PL")) {
            record.tags.push((name.clone(), value.clone()));
        }
    }
    let tag = |name: &str| root.first(name).unwrap_or("").trim().to_string();
    if !matches!(tag("GM").as_str(), "" | "1") {
        return bad(format!("not a game of go: GM[{}]", tag("GM")));
    }
    record.names = [tag("PB"), tag("PW")];
    record.ending = tag("RE");
    record.outcome = match record.ending.chars().next() {
        Some('B' | 'b') => RecordedResult::Won(Side::First),
        Some('W' | 'w') => RecordedResult::Won(Side::Second),
        Some('0' | 'D' | 'd' | 'J' | 'j') => RecordedResult::Drawn,
        _ => RecordedResult::Unknown,
    };
    let sides: Option<Vec<usize>> = match tag("SZ").as_str() {
        "" => Some(vec![19]),
        text => text.split(':').map(|t| t.trim().parse().ok()).collect(),
    };
    let square = sides.and_then(|s| s.first().copied().filter(|n| s.len() <= 2 && s.iter().all(|m| m == n)));
    let board = square.filter(|n| *n <= MAX_SIZE).and_then(|n| Board::new(n).ok());
    let Some(board) = board else {
        return bad(format!("no size of a board that is played: SZ[{}]", tag("SZ")));
    };
    let rules = Rules::named(&tag("RU")).unwrap_or(Rules::CHINESE);
    let mut reading = SgfGame {
        nodes,
        record,
        start: None,
    };
    let moves = reading.line(0, Game::from_board(board, rules, Side::First), 0)?;
    reading.record.moves = moves;
    Ok((reading.record, reading.start))
}

/// The first game of a text and its position before the first move, komi included.
///
/// # Errors
/// Where the text holds none, or a damaged one.
pub fn first(text: &str) -> Result<(RecordedGame, Game), Damage> {
    let mut scanner = Scanner::new(text.trim_start_matches('\u{feff}'));
    let nodes = scanner
        .tree()
        .unwrap_or_else(|| Err(Damage::new(1, 1, "no game of SGF")))?;
    let (record, start) = game(&nodes)?;
    let mut start = start.ok_or_else(|| Damage::new(record.line, 1, "no position to start from"))?;
    if let Some(komi) = record.tag("KM").and_then(|t| t.trim().parse::<f32>().ok())
        && komi.abs() <= MOST_KOMI
    {
        start.set_komi(komi);
    }
    Ok((record, start))
}

/// A text of SGF that has a game's root alone: size, rules, komi and setup.
pub fn root(record: &RecordedGame) -> String {
    let mut text = "(;GM[1]FF[4]".to_string();
    for name in ["SZ", "KM", "RU", "HA"] {
        if let Some(value) = record.tag(name) {
            text += &format!("{name}[{}]", escaped(value));
        }
    }
    text += record.setup.as_deref().unwrap_or("");
    text + ")"
}

/// A value with what would end it escaped.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

struct SgfGame<'a> {
    nodes: &'a [SgfNode],
    record: RecordedGame,
    /// The position before the first move of the main line.
    start: Option<Game>,
}

impl SgfGame<'_> {
    /// The moves from a node on, along the first of what follows.
    fn line(&mut self, from: usize, mut game: Game, depth: usize) -> Result<Vec<RecordedMove>, Damage> {
        let mut moves: Vec<RecordedMove> = Vec::new();
        // Variations of this line's next move.
        let mut waiting: Vec<Vec<RecordedMove>> = Vec::new();
        let mut at = Some(from);
        while let Some(index) = at {
            let node = &self.nodes[index];
            let began = moves.len();
            for (name, values, place) in &node.props {
                match name.as_str() {
                    "AB" | "AW" | "AE" | "PL" => self.set_up(&mut game, name, values, *place)?,
                    "B" | "W" => {
                        if depth == 0 && moves.is_empty() {
                            self.start = Some(game.clone());
                        }
                        let mut ply = play(&mut game, name, values, *place)?;
                        ply.variations = std::mem::take(&mut waiting);
                        moves.push(ply);
                    }
                    _ => {}
                }
            }
            let said = if depth == 0 && moves.is_empty() {
                &mut self.record.comment
            } else if let Some(last) = moves.last_mut() {
                &mut last.comment
            } else {
                &mut String::new()
            };
            remark(said, node.first("C").unwrap_or(""));
            let glyph = [("TE", 1), ("BM", 2), ("IT", 5), ("DO", 6)];
            if let Some(last) = moves.get_mut(began..).and_then(|new| new.last_mut()) {
                last.nags
                    .extend(glyph.iter().filter(|g| node.first(g.0).is_some()).map(|g| g.1));
            }
            let (main, others) = match node.next.split_first() {
                Some((main, others)) => (Some(*main), others),
                None => (None, [].as_slice()),
            };
            for &other in others {
                if depth >= DEEPEST {
                    let (line, column) = self.nodes[other].place;
                    let what = format!("more than {DEEPEST} variations within one another");
                    return Err(Damage::new(line, column, what));
                }
                waiting.push(self.line(other, game.clone(), depth + 1)?);
            }
            waiting.retain(|v| !v.is_empty());
            at = main;
        }
        if depth == 0 {
            self.start.get_or_insert(game);
        }
        Ok(moves)
    }

    /// Stones set up, which a game has before its moves only.
    fn set_up(&mut self, game: &mut Game, name: &str, values: &[String], place: (usize, usize)) -> Result<(), Damage> {
        let bad = |what: String| Damage::new(place.0, place.1, what);
        if !game.moves().is_empty() {
            return Err(bad(format!("{name} sets the board up behind moves")));
        }
        let setup = self.record.setup.get_or_insert_default();
        *setup += name;
        values.iter().for_each(|v| *setup += &format!("[{v}]"));
        let size = game.board().size();
        if name == "PL" {
            let side = coords::parse_side(values.first().map_or("", |v| v.trim()));
            game.set_side(side.map_err(|e| bad(e.to_string()))?);
            return Ok(());
        }
        let mut rows: Vec<Vec<u8>> = game.board().rows().into_iter().map(String::into_bytes).collect();
        let mark = match name {
            "AB" => b'X',
            "AW" => b'O',
            _ => b'.',
        };
        for value in values {
            let (a, b) = value.split_once(':').unwrap_or((value, value));
            let (Some((x0, y0)), Some((x1, y1))) = (letters(a, size), letters(b, size)) else {
                return Err(bad(format!("no points: {name}[{}]", quoted(value))));
            };
            for y in y0.min(y1)..=y0.max(y1) {
                rows[y][x0.min(x1)..=x0.max(x1)].fill(mark);
            }
        }
        let texts: Vec<String> = rows.iter().map(|r| String::from_utf8_lossy(r).into_owned()).collect();
        let drawn = Board::drawn(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let drawn = drawn.map_err(|e| bad(e.to_string()))?;
        // White moves first behind a handicap.
        let handicap = name == "AB" && self.record.tag("HA").is_some_and(|n| n.trim() != "0");
        let side = if handicap { Side::Second } else { game.side() };
        *game = Game::from_board(drawn, *game.rules(), side);
        Ok(())
    }
}

/// Column and row from the top of two letters.
fn letters(text: &str, size: usize) -> Option<(usize, usize)> {
    let [x, y] = text.trim().as_bytes() else { return None };
    let at = |b: u8| Some(usize::from(b.checked_sub(b'a')?)).filter(|i| *i < size);
    Some((at(*x)?, at(*y)?))
}

fn play(game: &mut Game, name: &str, values: &[String], place: (usize, usize)) -> Result<RecordedMove, Damage> {
    let value = values.first().map_or("", |v| v.trim());
    let size = game.board().size();
    let point: Option<Point> = if value.is_empty() || (value == "tt" && size <= 19) {
        Some(PASS)
    } else {
        letters(value, size).map(|(x, y)| game.board().at(x, size - 1 - y))
    };
    let side = if name == "B" { Side::First } else { Side::Second };
    let played = point.filter(|&p| game.play(p, side).is_ok());
    let Some(p) = played else {
        let what = format!(
            "not a legal move here: {name}[{}]",
            value.chars().take(8).collect::<String>()
        );
        return Err(Damage::new(place.0, place.1, what));
    };
    Ok(RecordedMove::new(side, coords::text(game.board(), p)))
}
