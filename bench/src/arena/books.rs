//! Openings of files: positions one a line, records and books.

use super::game::{Course, OpenGame, Played};
use super::openings::setup_of;
use crate::notation::{Drawer, Notation};
use crate::records::{self, Damage, FileFormat, RecordedGame, RecordedResult, decoded};
use anyhow::{Context, Result, bail};
use nguky::game::Position;
use nguky::games::go::{Game, Point, coords};
use nguky::util::rng::SplitMix;
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// Where a game of a match begins: a position, and the moves of a book from there.
#[derive(Clone)]
pub struct OpeningLine<P> {
    /// The position.
    pub start: P,
    /// Legal moves, in the library's coordinates.
    pub moves: Vec<String>,
}

/// The comment in the record on a move that no engine chose.
pub const OPENING: &str = "opening";
/// Plies of a finished game that are played, unless asked for otherwise.
pub const LINE_PLIES: usize = 16;
/// The same in go, where eight moves are not yet a direction.
const GO_PLIES: usize = 8;
/// Damaged games that are reported one by one.
const TOLD: usize = 10;

impl<P: Position> OpeningLine<P> {
    /// The position alone.
    pub const fn at(start: P) -> Self {
        Self {
            start,
            moves: Vec::new(),
        }
    }

    /// The same line under these rules; the error names the move that they forbid.
    pub fn under(&self, rules: &P::Rules) -> Result<Self> {
        let start = P::parse(&self.start.setup(), rules)?;
        let mut pos = start.clone();
        for text in &self.moves {
            let m = pos.parse_move(text)?;
            pos.play(m);
        }
        Ok(Self {
            start,
            moves: self.moves.clone(),
        })
    }

    /// A game at the end of the line. Its moves are sent to the engines, too.
    pub fn begin(&self) -> OpenGame<P> {
        let mut open = OpenGame::new(&self.start);
        for text in &self.moves {
            open.play(text);
        }
        open
    }

    /// A game from here with the line's own moves before those played.
    pub fn whole(&self, played: &Played) -> Played {
        let mut whole = played.clone();
        let line = self.moves.iter().map(|m| (m.clone(), OPENING.to_string()));
        whole.moves.splice(0..0, line);
        whole.times.splice(0..0, self.moves.iter().map(|_| Duration::ZERO));
        whole
    }
}

/// The openings of a file, by its kind: positions one a line (FEN, SFEN or EPD), records (PGN, and in shogi KIF and CSA)
/// or a Polyglot book, whose lines are drawn by `seed`. Used again from the top when there are fewer than `count`.
///
/// Of a record with a setup the position alone counts, of a finished game from the usual start its first 16 plies, of one
/// without a result all, for that is a line of a book; `plies`, where given, bounds the moves of each. What is damaged is
/// told and left out.
pub fn from_file<P: Notation>(path: &Path, count: usize, plies: Option<u32>, seed: u64) -> Result<Vec<OpeningLine<P>>> {
    let told = || path.display().to_string();
    let plies = plies.map(|n| n as usize);
    let found = if FileFormat::of(path, "") == FileFormat::Polyglot {
        drawn(&P::polyglot(path)?, count, plies.unwrap_or(LINE_PLIES), seed).with_context(told)?
    } else {
        let text = decoded(&records::bytes(path)?, P::OLD_ENCODING).with_context(told)?;
        let mut damaged = Damaged::new(path);
        let found = match FileFormat::of(path, &text) {
            FileFormat::Lines => setups(&text, &mut damaged).into_iter().map(OpeningLine::at).collect(),
            form => lines(form, &text, count, plies, &mut damaged).with_context(told)?,
        };
        damaged.check(found.is_empty())?;
        found
    };
    Ok(found.into_iter().cycle().take(count).collect())
}

/// The positions of a file, one a line or in the FEN tags of records: at least one. What is damaged is reported and left out.
pub fn positions<P: Position>(path: &Path) -> Result<Vec<P>> {
    let text =
        decoded(&records::bytes(path)?, encoding_rs::WINDOWS_1252).with_context(|| path.display().to_string())?;
    let mut damaged = Damaged::new(path);
    let found = setups(&text, &mut damaged);
    damaged.check(found.is_empty())?;
    Ok(found)
}

/// What of a file cannot be used.
struct Damaged<'a> {
    path: &'a Path,
    first: Vec<Damage>,
    count: usize,
}

impl<'a> Damaged<'a> {
    const fn new(path: &'a Path) -> Self {
        Self {
            path,
            first: Vec::new(),
            count: 0,
        }
    }

    fn add(&mut self, damage: Damage) {
        self.count += 1;
        if self.first.len() < TOLD {
            self.first.push(damage);
        }
    }

    /// Tells what was left out, or refuses a file of which nothing is left.
    fn check(self, nothing: bool) -> Result<()> {
        let path = self.path.display();
        match self.first.first() {
            Some(first) if nothing => bail!("{path}: no openings; {first}"),
            None if nothing => bail!("{path}: no openings"),
            _ => {}
        }
        self.first.iter().for_each(|d| eprintln!("{path}, {d}; left out"));
        if self.count > self.first.len() {
            eprintln!(
                "{path}: {} more are damaged and left out",
                self.count - self.first.len()
            );
        }
        Ok(())
    }
}

/// The positions of a text, one a line or in FEN tags.
fn setups<P: Position>(text: &str, damaged: &mut Damaged) -> Vec<P> {
    let records = text.lines().any(|l| l.trim_start().starts_with("[FEN "));
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let setup = match line.strip_prefix("[FEN \"").and_then(|l| l.strip_suffix("\"]")) {
            Some(setup) => setup,
            None if records || line.is_empty() || line.starts_with('#') => continue,
            None => line,
        };
        match setup_of::<P>(setup) {
            Ok(pos) if pos.ended().is_none() => found.push(pos),
            Ok(_) => damaged.add(Damage::new(number + 1, 1, "the game is over here")),
            Err(e) => damaged.add(Damage::new(number + 1, 1, format!("{e:#}: {}", records::quoted(setup)))),
        }
    }
    found
}

/// The openings of records, no two that lead to one position.
fn lines<P: Notation>(
    form: FileFormat,
    text: &str,
    count: usize,
    plies: Option<usize>,
    damaged: &mut Damaged,
) -> Result<Vec<OpeningLine<P>>> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    P::read_records(form, text, &mut |game| {
        match game.and_then(|g| line_of::<P>(&g, plies).map_err(|what| Damage::new(g.line, 1, what))) {
            Ok((line, end)) => {
                if seen.insert(end) {
                    found.push(line);
                }
            }
            Err(damage) => damaged.add(damage),
        }
        found.len() < count
    })?;
    Ok(found)
}

/// How many of a record's moves belong to the opening.
fn length(record: &RecordedGame, plies: Option<usize>, usual: usize) -> usize {
    match plies {
        Some(n) => n,
        None if record.setup.is_some() => 0,
        None if record.outcome == RecordedResult::Unknown => record.moves.len(),
        None => usual,
    }
}

/// A record's opening and the setup that it leads to.
fn line_of<P: Position>(record: &RecordedGame, plies: Option<usize>) -> Result<(OpeningLine<P>, String), String> {
    let setup = record.setup.as_deref().unwrap_or(P::START);
    let start = P::parse(setup, &P::Rules::default()).map_err(|e| e.to_string())?;
    if start.ended().is_some() {
        return Err("the game is over where it begins".into());
    }
    let (mut pos, mut moves) = (start.clone(), Vec::new());
    for ply in record.moves.iter().take(length(record, plies, LINE_PLIES)) {
        let m = pos.parse_move(&ply.text).map_err(|e| e.to_string())?;
        pos.play(m);
        // An opening leaves a game to play.
        if pos.ended().is_some() {
            break;
        }
        moves.push(ply.text.clone());
    }
    let end = pos.setup();
    Ok((OpeningLine { start, moves }, end))
}

/// Lines of a book from the start, each drawn by a random stream of its own; different ones as long as there are any.
fn drawn<P: Position>(draw: &Drawer<P>, count: usize, plies: usize, seed: u64) -> Result<Vec<OpeningLine<P>>> {
    let start = P::parse(P::START, &P::Rules::default())?;
    let (mut found, mut seen, mut again) = (Vec::new(), HashSet::new(), 0);
    for number in 0.. {
        let mut rng = SplitMix::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
        let (mut pos, mut line) = (start.clone(), OpeningLine::at(start.clone()));
        while line.moves.len() < plies
            && let Some(m) = draw(&pos, rng.next())
        {
            let text = pos.move_text(m);
            pos.play(m);
            if pos.ended().is_some() {
                break;
            }
            line.moves.push(text);
        }
        if line.moves.is_empty() && plies > 0 {
            bail!("the book has no move for the starting position");
        }
        if seen.insert(pos.setup()) {
            found.push(line);
        } else {
            again += 1;
        }
        if found.len() >= count || again > 100 + 10 * count {
            return Ok(found);
        }
    }
    Ok(found)
}

/// The openings of a file of go: the moves of one on each line, `E5 C3`, or SGF records, of a finished game eight plies.
pub fn of_go(empty: &Game, path: &Path, count: usize, plies: Option<u32>) -> Result<Vec<Vec<Point>>> {
    let text = decoded(&records::bytes(path)?, encoding_rs::GB18030).with_context(|| path.display().to_string())?;
    let (mut all, mut seen): (Vec<Vec<Point>>, HashSet<Vec<Point>>) = Default::default();
    let mut damaged = Damaged::new(path);
    match FileFormat::of(path, &text) {
        FileFormat::Sgf => records::sgf::read(&text, &mut |game| {
            let bad = |line, what: String| Damage::new(line, 1, what);
            let opening = game.and_then(|g| go_line(empty, &g, plies).map_err(|what| bad(g.line, what)));
            match opening {
                Ok(opening) => {
                    if seen.insert(opening.clone()) {
                        all.push(opening);
                    }
                }
                Err(damage) => damaged.add(damage),
            }
            all.len() < count
        }),
        FileFormat::Lines => {
            for (number, line) in text.lines().enumerate() {
                let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
                let mut game = empty.clone();
                let most = plies.map_or(usize::MAX, |n| n as usize);
                let wrong = words.iter().take(most).find(|word| {
                    let played = coords::parse(game.board(), word).and_then(|p| game.play(p, game.side()));
                    played.is_err() || game.ended().is_some()
                });
                match wrong {
                    Some(word) => {
                        let what = format!("not a legal move here: {}", records::quoted(word));
                        damaged.add(Damage::new(number + 1, 1, what));
                    }
                    None if words.is_empty() => {}
                    None => all.push(game.moves().iter().map(|&(_, p)| p).collect()),
                }
            }
        }
        other => bail!("{}: {} is not a format of go", path.display(), other.name()),
    }
    damaged.check(all.is_empty())?;
    Ok(all.into_iter().cycle().take(count).collect())
}

/// A record's opening on this board: the sides take turns, and nothing is set up.
fn go_line(empty: &Game, record: &RecordedGame, plies: Option<u32>) -> Result<Vec<Point>, String> {
    let size = empty.board().size();
    let told = record
        .tag("SZ")
        .map_or(Some(19), |t| t.split(':').next().and_then(|t| t.trim().parse().ok()));
    if told != Some(size) {
        return Err(format!(
            "a game on {0} x {0} points; this match is on {size} x {size}",
            told.unwrap_or(0)
        ));
    }
    if record.setup.is_some() {
        return Err("a game with a handicap or a set-up board, which is no opening of an even game".into());
    }
    let mut game = empty.clone();
    for ply in record
        .moves
        .iter()
        .take(length(record, plies.map(|n| n as usize), GO_PLIES))
    {
        let p = coords::parse(game.board(), &ply.text).map_err(|e| e.to_string())?;
        if ply.side != game.side() {
            return Err(format!(
                "move {} is by the side that moved before",
                game.moves().len() + 1
            ));
        }
        game.play(p, ply.side).map_err(|e| format!("{}: {e}", ply.text))?;
        if game.ended().is_some() {
            game.undo();
            break;
        }
    }
    Ok(game.moves().iter().map(|&(_, p)| p).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::games::chess::Chess;
    use nguky::games::go::Rules;
    use nguky::games::shogi::Shogi;
    use nguky::games::xiangqi::Xiangqi;

    /// The openings of a file with this name and text.
    fn of<P: Notation>(name: &str, text: &[u8], plies: Option<u32>) -> Result<Vec<OpeningLine<P>>> {
        let dir = std::env::temp_dir().join(format!("nguky-openings-{}-{}", std::process::id(), P::NAME));
        std::fs::create_dir_all(&dir).expect("a folder");
        let path = dir.join(format!("{:?}-{name}", std::thread::current().id()));
        std::fs::write(&path, text).expect("written");
        let found = from_file(&path, 8, plies, 1);
        std::fs::remove_file(&path).expect("removed");
        found
    }

    fn distinct<P>(lines: &[OpeningLine<P>]) -> Vec<Vec<&str>> {
        let mut all: Vec<Vec<&str>> = Vec::new();
        for line in lines {
            let moves = line.moves.iter().map(String::as_str).collect();
            if !all.contains(&moves) {
                all.push(moves);
            }
        }
        all
    }

    #[test]
    fn files_of_positions_are_read() {
        let read = |text: &str| of::<Chess>("a.txt", text.as_bytes(), None);
        let fen = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1";
        let epd = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - bm d5; id \"a; b\";";
        let pgn = format!("[Event \"x\"]\n[FEN \"{fen}\"]\n\n1... d5 *\n");
        for text in [fen, epd, &pgn, &format!("# a comment\n\n{fen}\n")] {
            let all = read(text).expect("openings");
            assert_eq!((all.len(), all[0].moves.len()), (8, 0), "{text}");
            assert!(
                all[0]
                    .start
                    .setup()
                    .starts_with("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -")
            );
        }
        assert_eq!(
            of::<Chess>("a.pgn", pgn.as_bytes(), Some(4)).expect("openings")[0].moves,
            ["d7d5"]
        );
        let lines =
            "startpos moves e2e4 e7e5\nposition startpos\nrubbish w\nfen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4\n";
        let all = read(lines).expect("openings");
        let starts: HashSet<String> = all.iter().map(|l| l.start.setup()).collect();
        assert_eq!(starts.len(), 3, "a bad line is left out");
        for bad in [
            "startpos moves e2e5",
            "",
            "rubbish w - -",
            "7k/5KQ1/8/8/8/8/8/8 b - - 0 1",
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn games_without_a_setup_are_played() {
        let game = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4";
        let damaged = "[Event \"b\"]\n\n1. e4 Ke3 *\n\n";
        let text = format!(
            "[Event \"a\"]\n\n{game} 1-0\n\n{damaged}[Event \"again\"]\n\n{game} d5 0-1\n\n[Event \"line\"]\n\n{game} Nbd7 *\n\n\
             [Event \"mate\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"
        );
        let all = of::<Chess>("a.pgn", text.as_bytes(), None).expect("openings");
        let lines = distinct(&all);
        let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
        assert_eq!(
            lengths,
            [16, 20, 3],
            "a finished game, a book's line, a game that mates"
        );
        assert_eq!(lines[0][..4], ["e2e4", "e7e5", "g1f3", "b8c6"]);
        let short = of::<Chess>("a.pgn", text.as_bytes(), Some(2)).expect("openings");
        assert_eq!(distinct(&short), [vec!["e2e4", "e7e5"], vec!["f2f3", "e7e5"]]);
        let open = all[0].begin();
        assert_eq!(
            (open.told(0).0, open.told(0).1.len(), open.number()),
            (Chess::START, 16, 9)
        );
        assert!(of::<Chess>("a.pgn", damaged.as_bytes(), None).is_err());
        let e = of::<Chess>("a.kif", b"x", None).err().expect("no chess").to_string();
        assert!(e.contains(".kif"), "{e}");
    }

    #[test]
    fn shogi_and_xiangqi_have_their_own_records() {
        let kif = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 中断\n";
        let (old, _, _) = encoding_rs::SHIFT_JIS.encode(kif);
        let csa = "V2.2\nPI\n+\n+7776FU\n-3334FU\n%CHUDAN\n";
        for (name, bytes) in [("a.kif", &*old), ("a.kifu", kif.as_bytes()), ("a.csa", csa.as_bytes())] {
            let all = of::<Shogi>(name, bytes, None).expect("openings");
            assert_eq!(distinct(&all), [vec!["7g7f", "3c3d"]], "{name}");
        }
        for text in ["1. 炮二平五 马８进７ *", "1. H2-E2 H9-G7 *"] {
            let (old, _, _) = encoding_rs::GB18030.encode(text);
            for bytes in [&*old, text.as_bytes()] {
                let all = of::<Xiangqi>("a.pgn", bytes, None).expect("openings");
                assert_eq!(distinct(&all), [vec!["h2e2", "h9g7"]], "{text}");
            }
        }
    }

    /// Records of 16 bytes for the start: its key is the published one.
    #[test]
    fn a_polyglot_book_is_walked() {
        let key = 0x463b_9618_1691_fc9cu64.to_be_bytes();
        let mut book = Vec::new();
        for (from, to) in [(12u16, 28u16), (11, 27)] {
            book.extend(key);
            book.extend((from << 6 | to).to_be_bytes());
            book.extend([0, 1, 0, 0, 0, 0]);
        }
        let all = of::<Chess>("a.bin", &book, None).expect("openings");
        let mut lines = distinct(&all);
        lines.sort();
        assert_eq!(lines, [vec!["d2d4"], vec!["e2e4"]]);
        assert!(of::<Chess>("a.bin", &book[..20], None).is_err());
        assert!(of::<Chess>("a.bin", &[0; 16], None).is_err(), "no move for the start");
        assert!(of::<Shogi>("a.bin", &book, None).is_err());
    }

    #[test]
    fn go_reads_lines_and_sgf() {
        let empty = Game::new(9, Rules::CHINESE).expect("a board");
        let of = |name: &str, text: &str, plies| -> Result<Vec<Vec<String>>> {
            let path = std::env::temp_dir().join(format!("nguky-openings-{}-{name}", std::process::id()));
            std::fs::write(&path, text).expect("written");
            let found = of_go(&empty, &path, 4, plies);
            std::fs::remove_file(&path).expect("removed");
            let named = |o: &Vec<Point>| o.iter().map(|&p| coords::text(empty.board(), p)).collect();
            found.map(|all| all.iter().map(named).collect())
        };
        let lines = of("a.txt", "E5 C3 # a remark\nE5 E5\n\nG7\n", None).expect("openings");
        assert_eq!(lines, [vec!["E5", "C3"], vec!["G7"], vec!["E5", "C3"], vec!["G7"]]);
        let sgf = "(;GM[1]SZ[9]RE[B+R];B[ee];W[cc];B[gg];W[cg];B[gc];W[dd];B[de];W[ce];B[df];W[cf])\n(;GM[1]SZ[19];B[dd])\n\
                   (;GM[1]SZ[9]AB[cc][gg]HA[2];W[ee])\n(;GM[1]SZ[9];B[ee];B[cc])\n(;GM[1]SZ[9];B[dd];W[ff])\n";
        let all = of("a.sgf", sgf, None).expect("openings");
        assert_eq!((all[0].len(), all[1].clone()), (8, vec!["D6".to_string(), "F4".into()]));
        assert_eq!(
            (all[2].len(), of("b.sgf", sgf, Some(3)).expect("openings")[0].len()),
            (8, 3)
        );
        assert!(of("c.sgf", "(;GM[1]SZ[19];B[dd])", None).is_err());
        assert!(of("d.pgn", "1. e4", None).is_err());
    }
}
