//! Boards against mailboxes that know nothing but how a move is written: the input chooses among the legal moves, and when
//! moves are taken back.

use super::texts::reveal;
use nguky::game::{Move, Moves, Position, Side};
use nguky::games::chess::Chess;
use nguky::games::coup::Coup;
use nguky::games::go::rules::Ko;
use nguky::games::go::types::{BLACK, EMPTY, WHITE, colour, other};
use nguky::games::go::{Game, PASS, Rules};
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;
use std::collections::{BTreeMap, BTreeSet};

/// Moves of a game.
const PLIES: usize = 100;

/// A square: its file from the left, its rank from the top.
type Square = (usize, usize);

/// A board by squares, with hands where the game has them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Mailbox {
    pieces: BTreeMap<Square, String>,
    hands: BTreeMap<char, usize>,
}

impl Mailbox {
    /// The board of a setup, and the hands behind its side to move where it is an SFEN.
    fn read(setup: &str, sfen: bool) -> Self {
        let mut mailbox = Self::default();
        let words: Vec<&str> = setup.split(' ').collect();
        for (rank, row) in words[0].split('/').enumerate() {
            let (mut file, mut piece) = (0, String::new());
            for c in row.chars() {
                match c.to_digit(10) {
                    Some(gap) => file += gap as usize,
                    None if c == '+' => piece.push(c),
                    None => {
                        piece.push(c);
                        mailbox.pieces.insert((file, rank), std::mem::take(&mut piece));
                        file += 1;
                    }
                }
            }
        }
        let mut count = 0;
        for c in words.get(2).filter(|_| sfen).into_iter().flat_map(|hand| hand.chars()) {
            match c.to_digit(10) {
                Some(digit) => count = 10 * count + digit as usize,
                None if c != '-' => *mailbox.hands.entry(c).or_default() += std::mem::take(&mut count).max(1),
                None => {}
            }
        }
        mailbox
    }

    /// Moves what stands on a square, over anything that stands there, and gives what that was.
    fn shift(&mut self, from: Square, to: Square) -> Option<String> {
        let piece = self.pieces.remove(&from).expect("a piece");
        self.pieces.insert(to, piece)
    }
}

/// How a game's moves change a mailbox.
type Maker = fn(&mut Mailbox, &str, Side);

/// A square of chess or xiangqi, `ranks` being the rank at the top.
fn by_letter(text: &str, top: usize) -> Square {
    let rank: usize = text[1..].parse().expect("a rank");
    (usize::from(text.as_bytes()[0] - b'a'), top - rank)
}

fn make_chess(board: &mut Mailbox, text: &str, side: Side) {
    let (from, to) = (by_letter(&text[..2], 8), by_letter(&text[2..4], 8));
    let taken = board.shift(from, to);
    let piece = board.pieces[&to].to_lowercase();
    if piece == "p" && from.0 != to.0 && taken.is_none() {
        board.pieces.remove(&(to.0, from.1));
    }
    if piece == "k" && from.0.abs_diff(to.0) == 2 {
        let (rook, target) = if to.0 == 6 { (7, 5) } else { (0, 3) };
        board.shift((rook, to.1), (target, to.1));
    }
    if let Some(promoted) = text.get(4..5) {
        let letter = match side {
            Side::First => promoted.to_uppercase(),
            Side::Second => promoted.to_string(),
        };
        board.pieces.insert(to, letter);
    }
}

fn make_xiangqi(board: &mut Mailbox, text: &str, _side: Side) {
    board.shift(by_letter(&text[..2], 9), by_letter(&text[2..4], 9));
}

fn make_shogi(board: &mut Mailbox, text: &str, side: Side) {
    let square = |s: &str| (usize::from(b'9' - s.as_bytes()[0]), usize::from(s.as_bytes()[1] - b'a'));
    let own = |c: char| match side {
        Side::First => c.to_ascii_uppercase(),
        Side::Second => c.to_ascii_lowercase(),
    };
    let to = square(&text[2..4]);
    if text.as_bytes()[1] == b'*' {
        let piece = own(char::from(text.as_bytes()[0]));
        let left = board.hands.get_mut(&piece).expect("a piece in hand");
        *left -= 1;
        board.hands.retain(|_, n| *n > 0);
        board.pieces.insert(to, piece.into());
        return;
    }
    if let Some(taken) = board.shift(square(&text[..2]), to) {
        let piece = own(taken.chars().last().expect("a letter"));
        *board.hands.entry(piece).or_default() += 1;
    }
    if text.ends_with('+') {
        board.pieces.get_mut(&to).expect("a piece").insert(0, '+');
    }
}

/// Plays as the input says: its first byte chooses the setup, each further pair of bytes a move, or a move back.
fn play<P: Position>(data: &[u8], make: Maker, sfen: bool) {
    let Some((&first, choices)) = data.split_first() else {
        return;
    };
    let setup = P::BENCH.get(usize::from(first)).unwrap_or(&P::START);
    let mut p = P::parse(setup, &P::Rules::default()).expect("a setup of the bench");
    let mut board = Mailbox::read(&p.setup(), sfen);
    let mut before: Vec<(Mailbox, u64, String)> = Vec::new();
    for choice in choices.chunks_exact(2).take(PLIES) {
        if choice[1] >= 0xe0 {
            let Some((old, key, setup)) = before.pop() else {
                continue;
            };
            p.undo();
            assert_eq!((p.key(), p.setup()), (key, setup));
            board = old;
            continue;
        }
        let mut moves = Moves::new();
        p.generate_all_legal(&mut moves);
        assert_eq!(moves.len() as u64, p.count_legal(), "{}", p.setup());
        if moves.is_empty() {
            continue;
        }
        let choice = usize::from(u16::from_le_bytes([choice[0], choice[1]]));
        let m = moves.iter().nth(choice % moves.len()).expect("a move");
        assert_eq!(P::Move::from_raw(m.raw()), m);
        let (text, side, checks) = (p.move_text(m), p.side(), p.gives_check(m));
        before.push((board.clone(), p.key(), p.setup()));
        make(&mut board, &text, side);
        p.play(m);
        let now = if reveal(&mut p, choice / 7) {
            // What turned up is not in the move: that square is taken over.
            let now = Mailbox::read(&p.setup(), sfen);
            let to = by_letter(&text[2..4], 9);
            board.pieces.insert(to, now.pieces[&to].clone());
            now
        } else {
            assert_eq!(p.in_check(), checks, "{text} to {}", p.setup());
            Mailbox::read(&p.setup(), sfen)
        };
        assert_eq!(now, board, "{text} to {}", p.setup());
        assert_ne!(p.side(), side);
        let again = P::parse(&p.setup(), &P::Rules::default()).expect("a setup of our own");
        assert_eq!(again.key(), p.key(), "{}", p.setup());
    }
}

/// Chess.
pub fn chess(data: &[u8]) {
    play::<Chess>(data, make_chess, false);
}

/// Xiangqi.
pub fn xiangqi(data: &[u8]) {
    play::<Xiangqi>(data, make_xiangqi, false);
}

/// Cờ úp.
pub fn coup(data: &[u8]) {
    play::<Coup>(data, make_xiangqi, false);
}

/// Shogi.
pub fn shogi(data: &[u8]) {
    play::<Shogi>(data, make_shogi, true);
}

/// Go on a board of flood fills.
#[derive(Clone)]
struct Stones {
    size: usize,
    cells: Vec<u8>,
}

impl Stones {
    fn near(&self, i: usize) -> impl Iterator<Item = usize> + use<> {
        let (x, y, size) = (i % self.size, i / self.size, self.size);
        let all = [(x > 0, i.wrapping_sub(1)), (x + 1 < size, i + 1)];
        let more = [(y > 0, i.wrapping_sub(size)), (y + 1 < size, i + size)];
        all.into_iter().chain(more).filter(|n| n.0).map(|n| n.1)
    }

    /// The chain of a stone, if it has no liberty.
    fn dead(&self, i: usize) -> Option<BTreeSet<usize>> {
        let (mut chain, mut next) = (BTreeSet::from([i]), vec![i]);
        while let Some(s) = next.pop() {
            for q in self.near(s) {
                if self.cells[q] == EMPTY {
                    return None;
                }
                if self.cells[q] == self.cells[i] && chain.insert(q) {
                    next.push(q);
                }
            }
        }
        Some(chain)
    }

    /// Puts a stone and takes what has no liberty, the other side's first; how many own stones that were.
    fn put(&mut self, i: usize, c: u8) -> usize {
        self.cells[i] = c;
        for q in self.near(i) {
            if self.cells[q] == other(c)
                && let Some(chain) = self.dead(q)
            {
                chain.into_iter().for_each(|s| self.cells[s] = EMPTY);
            }
        }
        let own = self.dead(i).unwrap_or_default();
        own.iter().for_each(|&s| self.cells[s] = EMPTY);
        own.len()
    }
}

/// Go: the first byte chooses rules and size, each further pair of bytes a point, legal or not, a pass or a move back.
pub fn go(data: &[u8]) {
    let Some((&first, choices)) = data.split_first() else {
        return;
    };
    let names = ["chinese", "japanese", "aga", "new-zealand", "tromp-taylor"];
    let Ok(rules) = Rules::named(names[usize::from(first) % names.len()]) else {
        return;
    };
    let size = 2 + usize::from(first) / names.len() % 8;
    let mut game = Game::new(size, rules).expect("a size");
    let positional = matches!(rules.ko, Ko::Positional);
    let mut plain = Stones {
        size,
        cells: vec![EMPTY; size * size],
    };
    let mut before: Vec<Stones> = Vec::new();
    let points: Vec<_> = game.board().points().collect();
    for choice in choices.chunks_exact(2).take(PLIES) {
        let side = game.side();
        let (c, i) = (colour(side), usize::from(choice[0]) % points.len());
        if choice[1] >= 0xe0 {
            assert_eq!(game.undo(), !before.is_empty());
            plain = before.pop().unwrap_or(plain);
            continue;
        }
        let mut after = plain.clone();
        if choice[1] >= 0xd8 {
            game.play(PASS, side).expect("a pass");
        } else {
            let fits = plain.cells[i] == EMPTY;
            let suicide = fits && after.put(i, c) > 0;
            let repeats = before.iter().chain([&plain]).any(|b| b.cells == after.cells);
            let played = game.play(points[i], side);
            match played {
                Ok(()) => assert!(
                    fits && (!suicide || rules.suicide) && !(positional && repeats),
                    "{side:?} {i}: {}",
                    game.picture()
                ),
                // A ko may forbid what repeats; nothing else forbids what is no suicide.
                Err(why) => {
                    assert!(
                        !fits || repeats || suicide && !rules.suicide,
                        "{why}: {side:?} {i}: {}",
                        game.picture()
                    );
                    continue;
                }
            }
        }
        before.push(std::mem::replace(&mut plain, after));
        let now: Vec<u8> = points.iter().map(|&p| game.board().colour(p)).collect();
        assert_eq!(now, plain.cells, "{}", game.picture());
        assert!(now.iter().all(|c| [EMPTY, BLACK, WHITE].contains(c)));
    }
}
