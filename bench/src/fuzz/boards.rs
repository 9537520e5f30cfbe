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
use std::collections::BTreeSet;

/// Moves of a game.
const PLIES: usize = 100;

/// A square: its file from the left, its rank from the top.
type Square = (usize, usize);

/// A piece as a setup writes it, a letter behind `+` or 0; zeros where nothing stands.
type Piece = [u8; 2];

const NOTHING: Piece = [0; 2];

/// A board by squares, with hands where the game has them.
#[derive(Clone, Copy, PartialEq)]
struct Mailbox {
    /// By rank and file.
    pieces: [[Piece; 10]; 10],
    /// How many are in hand, by their letter.
    hands: [u8; 128],
}

impl Mailbox {
    /// The board of a setup, and the hands behind its side to move where it is an SFEN.
    fn read(setup: &str, sfen: bool) -> Self {
        let mut mailbox = Self {
            pieces: [[NOTHING; 10]; 10],
            hands: [0; 128],
        };
        let mut words = setup.split(' ');
        for (rank, row) in words.next().expect("a board").split('/').enumerate() {
            let (mut file, mut promoted) = (0, 0);
            for c in row.bytes() {
                match c {
                    b'0'..=b'9' => file += usize::from(c - b'0'),
                    b'+' => promoted = c,
                    _ => {
                        mailbox.pieces[rank][file] = [std::mem::take(&mut promoted), c];
                        file += 1;
                    }
                }
            }
        }
        let mut count = 0;
        for c in words.nth(1).filter(|_| sfen).into_iter().flat_map(str::bytes) {
            match c {
                b'0'..=b'9' => count = 10 * count + (c - b'0'),
                b'-' => {}
                _ => mailbox.hands[usize::from(c)] += std::mem::take(&mut count).max(1),
            }
        }
        mailbox
    }

    fn at(&mut self, (file, rank): Square) -> &mut Piece {
        &mut self.pieces[rank][file]
    }

    /// Moves what stands on a square, over anything that stands there, and gives what that was.
    fn shift(&mut self, from: Square, to: Square) -> Piece {
        let piece = std::mem::take(self.at(from));
        assert_ne!(piece, NOTHING, "a piece at {from:?}");
        std::mem::replace(self.at(to), piece)
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
    let piece = board.at(to)[1].to_ascii_lowercase();
    if piece == b'p' && from.0 != to.0 && taken == NOTHING {
        *board.at((to.0, from.1)) = NOTHING;
    }
    if piece == b'k' && from.0.abs_diff(to.0) == 2 {
        let (rook, target) = if to.0 == 6 { (7, 5) } else { (0, 3) };
        board.shift((rook, to.1), (target, to.1));
    }
    if let Some(&promoted) = text.as_bytes().get(4) {
        *board.at(to) = [0, own(promoted, side)];
    }
}

fn make_xiangqi(board: &mut Mailbox, text: &str, _side: Side) {
    board.shift(by_letter(&text[..2], 9), by_letter(&text[2..4], 9));
}

/// A piece's letter in the case of its side.
const fn own(letter: u8, side: Side) -> u8 {
    match side {
        Side::First => letter.to_ascii_uppercase(),
        Side::Second => letter.to_ascii_lowercase(),
    }
}

fn make_shogi(board: &mut Mailbox, text: &str, side: Side) {
    let square = |s: &[u8]| (usize::from(b'9' - s[0]), usize::from(s[1] - b'a'));
    let text = text.as_bytes();
    let to = square(&text[2..4]);
    if text[1] == b'*' {
        let piece = own(text[0], side);
        board.hands[usize::from(piece)] -= 1;
        *board.at(to) = [0, piece];
        return;
    }
    let [_, taken] = board.shift(square(&text[..2]), to);
    if taken != 0 {
        board.hands[usize::from(own(taken, side))] += 1;
    }
    if text.get(4) == Some(&b'+') {
        board.at(to)[0] = b'+';
    }
}

/// Plays as the input says: its first byte chooses the setup, each further pair of bytes a move, or a move back.
fn play<P: Position>(data: &[u8], make: Maker, sfen: bool) {
    let Some((&first, choices)) = data.split_first() else {
        return;
    };
    let setup = P::BENCH.get(usize::from(first)).unwrap_or(&P::START);
    let mut p = P::parse(setup, &P::Rules::default()).expect("a setup of the bench");
    let mut setup = p.setup();
    let mut board = Mailbox::read(&setup, sfen);
    let mut before: Vec<(Mailbox, u64, String)> = Vec::new();
    for choice in choices.chunks_exact(2).take(PLIES) {
        if choice[1] >= 0xe0 {
            let Some((old, key, old_setup)) = before.pop() else {
                continue;
            };
            p.undo();
            (board, setup) = (old, old_setup);
            assert_eq!((p.key(), p.setup()), (key, setup.clone()));
            continue;
        }
        let mut moves = Moves::new();
        p.generate_all_legal(&mut moves);
        assert_eq!(moves.len() as u64, p.count_legal(), "{setup}");
        if moves.is_empty() {
            continue;
        }
        let choice = usize::from(u16::from_le_bytes([choice[0], choice[1]]));
        let m = moves.iter().nth(choice % moves.len()).expect("a move");
        assert_eq!(P::Move::from_raw(m.raw()), m);
        let (text, side, checks) = (p.move_text(m), p.side(), p.gives_check(m));
        let former = (board, p.key());
        make(&mut board, &text, side);
        p.play(m);
        let revealed = reveal(&mut p, choice / 7);
        before.push((former.0, former.1, std::mem::replace(&mut setup, p.setup())));
        let now = Mailbox::read(&setup, sfen);
        if revealed {
            // What turned up is not in the move: that square is taken over.
            let to = by_letter(&text[2..4], 9);
            *board.at(to) = now.pieces[to.1][to.0];
        } else {
            assert_eq!(p.in_check(), checks, "{text} to {setup}");
        }
        assert!(now == board, "{text} to {setup}");
        assert_ne!(p.side(), side);
        let again = P::parse(&setup, &P::Rules::default()).expect("a setup of our own");
        assert_eq!(again.key(), p.key(), "{setup}");
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
