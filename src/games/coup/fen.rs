//! Setup text, and moves with what they turned up. `docs/coup-protocol.md` specifies both.

use super::position::{Coup, CoupBoard, Reveals, Turn};
use super::types::{COVERED, CoupRules, LETTERS, Pools, SET, side_of, start_kind};
use crate::game::{BadInput, Move, Outcome, Position, Side};
use crate::games::xiangqi_board::FaceDown;
use crate::games::xiangqi_board::attacks::PALACE;
use crate::games::xiangqi_board::fen::{bad, read_board, read_coordinates, read_piece, side_letter, write_board};
use crate::games::xiangqi_board::types::{KINDS, Kind, XMove, kind_name, kind_of, piece, point_name, side_name};

/// The order in which pools are written.
const WRITTEN: [Kind; 6] = [
    Kind::Chariot,
    Kind::Advisor,
    Kind::Cannon,
    Kind::Soldier,
    Kind::Horse,
    Kind::Elephant,
];

/// How a setup is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `board side pool half full`, as engines have it.
    Plain,
    /// `board side pool captured half full`, the newer form of interfaces.
    Captured,
    /// `board pool side - - half full`, their older form.
    PoolFirst,
}

fn check_place(board: &CoupBoard, piece: u8, point: u8) -> Result<(), BadInput> {
    let side = side_of(piece);
    let (who, at) = (side_name(side), point_name(point));
    if piece >= COVERED {
        if start_kind(side, point).is_none() {
            return Err(bad(format_args!(
                "a face-down {who} piece on {at}, where none of {who}'s sets out"
            )));
        }
    } else {
        let kind = kind_of(piece);
        if kind == Kind::General && !PALACE[side.index()].has(point) {
            return Err(bad(format_args!("{who} general on {at} is outside its palace")));
        }
        if board.pieces(side, kind).len() >= u32::from(SET[kind as usize]) {
            return Err(bad(format_args!("one {who} {} too many on {at}", kind_name(kind))));
        }
    }
    Ok(())
}

/// Whether a word could be a pool: pairs of letter and digit.
fn is_pool(word: &str) -> bool {
    let b = word.as_bytes();
    b.len() >= 2
        && b.len().is_multiple_of(2)
        && b.chunks(2)
            .all(|c| matches!(c, [a, d] if a.is_ascii_alphabetic() && d.is_ascii_digit()))
}

fn read_pool(word: &str) -> Result<Pools, BadInput> {
    let mut pools = [[0; 7]; 2];
    let mut chars = word.chars();
    while let (Some(letter), Some(digit)) = (chars.next(), chars.next()) {
        let n = digit.to_digit(10).unwrap_or(0) as u8;
        match read_piece::<FaceDown>(letter).filter(|&p| p < COVERED && kind_of(p) != Kind::General) {
            Some(p) => {
                let slot: &mut u8 = &mut pools[side_of(p).index()][kind_of(p) as usize];
                *slot = slot.saturating_add(n);
            }
            None => return Err(bad(format_args!("no face-down piece is called {letter} in {word}"))),
        }
    }
    Ok(pools)
}

/// The pools fit the board: no more of a kind than a set has, and enough for what lies face down.
fn check_pools(board: &CoupBoard, pools: &Pools, lost: &Pools) -> Result<(), BadInput> {
    for side in [Side::First, Side::Second] {
        let (s, who) = (side.index(), side_name(side));
        for kind in KINDS {
            let k = kind as usize;
            let open = board.pieces(side, kind).len();
            let all = open + u32::from(pools[s][k]) + u32::from(lost[s][k]);
            if all > u32::from(SET[k]) {
                return Err(bad(format_args!(
                    "{who} has {open} {}s face up and {} face down or lost, a set has {}",
                    kind_name(kind),
                    all - open,
                    SET[k]
                )));
            }
        }
        let lie = (board.covered() & board.of(side)).len();
        let hidden: u32 = pools[s].iter().map(|&n| u32::from(n)).sum();
        if hidden < lie {
            return Err(bad(format_args!(
                "{lie} {who} pieces lie face down, but the pool has {hidden}"
            )));
        }
    }
    Ok(())
}

/// The pools of a setup that does not tell them: all that is not face up, where that is what lies face down.
fn guess_pools(board: &CoupBoard) -> Result<Pools, BadInput> {
    let mut pools = [[0; 7]; 2];
    for side in [Side::First, Side::Second] {
        let lie = (board.covered() & board.of(side)).len();
        let mut missing = 0;
        for kind in KINDS {
            let n = SET[kind as usize].saturating_sub(board.pieces(side, kind).len() as u8);
            missing += u32::from(n);
            pools[side.index()][kind as usize] = if lie > 0 { n } else { 0 };
        }
        if lie > 0 && lie != missing {
            return Err(bad(format_args!(
                "{lie} {} pieces lie face down and no pool says which, as R2A2C2P5N2B2 does",
                side_name(side)
            )));
        }
    }
    Ok(pools)
}

fn write_pool(pools: &Pools, zeros: bool) -> String {
    let mut out = String::new();
    for side in [Side::First, Side::Second] {
        for kind in WRITTEN {
            let n = pools[side.index()][kind as usize];
            if n > 0 || zeros {
                out.push(LETTERS[piece(side, kind) as usize]);
                out.push(char::from(b'0' + n.min(9)));
            }
        }
    }
    if out.is_empty() { "-".into() } else { out }
}

impl Coup {
    pub(super) fn parse(setup: &str, rules: &CoupRules) -> Result<Self, BadInput> {
        let mut words = setup.split_whitespace();
        let mut board = read_board(words.next().ok_or_else(|| bad("it is empty"))?, check_place)?;
        let (mut side, mut pools, mut lost) = (None, None, None);
        let mut numbers = Vec::new();
        for word in words {
            match word {
                "-" => (),
                "w" | "r" | "W" | "R" if side.is_none() => side = Some(Side::First),
                "b" | "B" if side.is_none() => side = Some(Side::Second),
                _ if is_pool(word) && pools.is_none() => pools = Some(read_pool(word)?),
                _ if is_pool(word) && lost.is_none() => lost = Some(read_pool(word)?),
                _ => match word.parse::<usize>() {
                    Ok(n) if n <= 60_000 && numbers.len() < 2 => numbers.push(n),
                    _ => {
                        return Err(bad(format_args!(
                            "{word} is neither the side to move (w or b), a pool (R2A2...), nor a counter up to 60000"
                        )));
                    }
                },
            }
        }
        board.side = side.unwrap_or(Side::First);
        let lost = lost.unwrap_or([[0; 7]; 2]);
        let pools = match pools {
            Some(pools) => pools,
            None => guess_pools(&board)?,
        };
        check_pools(&board, &pools, &lost)?;
        let idle = board.side.other();
        let takers = board.checkers_of(idle);
        if takers.any() {
            let facing = if board.acts_as(takers.first()) == Some(Kind::General) {
                "the generals face each other: "
            } else {
                ""
            };
            return Err(bad(format_args!(
                "{facing}the piece on {} can take the {} general on {}",
                point_name(takers.first()),
                side_name(idle),
                point_name(board.general(idle))
            )));
        }
        let quiet = numbers.first().copied().unwrap_or(0);
        let full = numbers.get(1).copied().unwrap_or(1);
        let ply = 2 * full.saturating_sub(1) + board.side.index();
        let more = Reveals { turn: Turn::No, pools };
        let mut p = Self::from_board(board, more, rules, quiet as u16, ply);
        p.record.lost = lost;
        Ok(p)
    }

    /// The setup in one of its forms.
    pub fn setup_as(&self, form: Form) -> String {
        let (board, side) = (write_board(&self.board), side_letter(self.board.side));
        let pool = |zeros| write_pool(&self.now.more.pools, zeros);
        let middle = match form {
            Form::Plain => format!("{side} {}", pool(true)),
            Form::Captured => format!("{side} {} {}", pool(false), write_pool(&self.record.lost, false)),
            Form::PoolFirst => format!("{} {side} - -", pool(false)),
        };
        format!("{board} {middle} {} {}", self.now.quiet, self.game_ply() / 2 + 1)
    }

    /// A legal move and the letters behind its coordinates.
    fn split_move<'a>(&self, text: &'a str) -> Result<(XMove, &'a str), BadInput> {
        let bytes = text.as_bytes();
        let (head, letters) = match bytes {
            [a, b, b'-', c, d, ..] => ([*a, *b, *c, *d], text.get(5..)),
            [a, b, c, d, ..] => ([*a, *b, *c, *d], text.get(4..)),
            _ => ([0; 4], None),
        };
        let (Some(m), Some(letters)) = (read_coordinates(head), letters) else {
            return Err(BadInput::new(format!("not a move: {text}")));
        };
        if m == XMove::NONE || !self.is_legal(m) {
            return Err(BadInput::new(format!("illegal move: {text}")));
        }
        if letters.chars().count() > 2
            || letters
                .chars()
                .any(|c| read_piece::<FaceDown>(c).is_none_or(|p| p >= COVERED))
        {
            return Err(BadInput::new(format!(
                "not a move: {text}; behind the points come the letters of the piece turned up and of the piece taken"
            )));
        }
        Ok((m, letters))
    }

    pub(super) fn parse_move(&self, text: &str) -> Result<XMove, BadInput> {
        self.split_move(text).map(|(m, _)| m)
    }

    /// A move with what it turned up and what it took face down, as far as the text tells.
    fn read_told(&self, text: &str) -> Result<(XMove, Option<Kind>, Option<Kind>), BadInput> {
        let (m, letters) = self.split_move(text)?;
        let us = self.board.side;
        let kinds: Vec<(Side, Kind)> = letters
            .chars()
            .filter_map(read_piece::<FaceDown>)
            .map(|p| (side_of(p), kind_of(p)))
            .collect();
        let turns = self.turns_up(m);
        let takes = self.face_down(m.to()).is_some();
        let (shown, captured) = match (turns, takes, kinds.as_slice()) {
            (true, true, [(side, _)]) if *side != us => (None, kinds.first()),
            (true, _, [first, rest @ ..]) => (Some(first), rest.first()),
            (true, _, []) => (None, None),
            (false, _, [first, ..]) => (None, Some(first)),
            (false, _, []) => (None, None),
        };
        if turns && shown.is_none() {
            return Err(BadInput::new(format!(
                "bad move: {text} turns a piece up, and a fifth letter has to say which, as in {m:?}{}",
                LETTERS[piece(us, Kind::Cannon) as usize]
            )));
        }
        if captured.is_some() && !takes || kinds.len() > 1 && !turns {
            return Err(BadInput::new(format!(
                "bad move: {text} names a captured piece, but none lies face down on {}",
                point_name(m.to())
            )));
        }
        for (side, kind) in [(us, shown), (us.other(), captured)]
            .into_iter()
            .filter_map(|(side, k)| k.map(|k| (side, k.1)))
        {
            if self.pool(side)[kind as usize] == 0 {
                return Err(BadInput::new(format!(
                    "bad move: {text} shows a {} {}, but none is left face down",
                    side_name(side),
                    kind_name(kind)
                )));
            }
        }
        Ok((m, shown.map(|k| k.1), captured.map(|k| k.1)))
    }

    pub(super) fn play_text(&mut self, text: &str) -> Result<(), BadInput> {
        let (m, shown, captured) = self.read_told(text)?;
        self.play_known(m, shown, captured);
        Ok(())
    }

    /// Plays a legal move with what it turned up and what it took face down, where that is known.
    pub fn play_known(&mut self, m: XMove, shown: Option<Kind>, captured: Option<Kind>) {
        let us = self.board.side;
        self.play(m);
        if let Some(kind) = shown
            && self.now.more.turn == Turn::Pending
        {
            self.reveal(Outcome {
                piece: piece(us, kind),
                weight: 1,
            });
        }
        if let Some(kind) = captured {
            self.note_captured(us.other(), kind);
        }
    }

    /// A legal move as a list of moves tells it, with what it turned up and what it took face down.
    pub fn told(&self, m: XMove, shown: Option<Kind>, captured: Option<Kind>) -> String {
        let us = self.board.side;
        let mut text = format!("{m:?}");
        text.extend(shown.map(|k| Self::letter(us, k)));
        text.extend(captured.map(|k| Self::letter(us.other(), k)));
        text
    }

    /// The letter of a face-up piece.
    pub const fn letter(side: Side, kind: Kind) -> char {
        LETTERS[piece(side, kind) as usize]
    }
}
