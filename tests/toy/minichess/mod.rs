//! Gardner's minichess: chess on 5 x 5 squares, where pawns move one square and nobody castles.

mod about;
mod board;
mod evaluation;
mod text;

use about::ABOUT;
use board::{Board, EMPTY, KING, MiniMove, PAWN, SQUARES, kind};
use evaluation::VALUES;
use nguky::game::tunables::ChessTune;
use nguky::game::{About, BadInput, Dirty, Ending, Kind, Moves, OFF, Position, Score, Side, Tags, Verdict};
use nguky::util::rng::SplitMix;

/// Plies without a capture or pawn move after which the game is drawn.
const CLOCK_LIMIT: u16 = 100;

/// Random numbers of pieces on squares, and one for the second side to move.
static KEYS: [[u64; SQUARES]; 13] = {
    let mut random = SplitMix::new(5);
    let mut all = [[0; SQUARES]; 13];
    let mut i = 0;
    while i < 13 * SQUARES {
        all[i / SQUARES][i % SQUARES] = random.next();
        i += 1;
    }
    all
};

/// A position with its history.
#[derive(Clone)]
pub struct Minichess {
    /// The boards since the setup, with their keys; the last is the present one.
    boards: Vec<(Board, u64)>,
    /// Plies played before the setup.
    start_ply: usize,
}

/// The key of those pieces that `counts` chooses.
fn partial_key(board: &Board, counts: impl Fn(u8) -> bool) -> u64 {
    let pieces = board.pieces().filter(|(piece, _)| counts(*piece));
    pieces.fold(0, |key, (piece, square)| {
        key ^ KEYS[usize::from(piece)][usize::from(square)]
    })
}

impl Minichess {
    fn board(&self) -> &Board {
        &self.boards[self.boards.len() - 1].0
    }

    fn push(&mut self, board: Board) {
        let side = KEYS[12][board.side.index()];
        self.boards.push((board, partial_key(&board, |_| true) ^ side));
    }

    fn legal(&self) -> Vec<MiniMove> {
        let mut moves = Vec::new();
        self.board().legal(|m| moves.push(m));
        moves
    }

    /// How often the position was there before, and how many plies ago last.
    fn repetitions(&self) -> (usize, usize) {
        let now = self.boards.len() - 1;
        let back = usize::from(self.board().clock).min(now);
        let mut same = (1..=back).filter(|back| self.boards[now - back].1 == self.boards[now].1);
        let last = same.next();
        (usize::from(last.is_some()) + same.count(), last.unwrap_or(0))
    }

    /// A draw by rule, where there is a legal move.
    fn drawn(&self) -> Option<&'static str> {
        if self.board().pieces().all(|(piece, _)| kind(piece) == KING) {
            Some("bare kings")
        } else if self.board().clock >= CLOCK_LIMIT {
            Some("fifty moves")
        } else if self.repetitions().0 >= 2 {
            Some("threefold repetition")
        } else {
            None
        }
    }
}

/// What the side to move wins by captures on a square, each side taking with its least piece and stopping when it likes.
fn exchange(board: &Board, square: u8) -> Score {
    let mut best: Option<MiniMove> = None;
    let value = |m: MiniMove| match kind(board.at(m.from())) {
        KING => Score::MAX,
        kind => VALUES[usize::from(kind)],
    };
    board.legal(|m| {
        if m.to() == square && best.is_none_or(|other| value(m) < value(other)) {
            best = Some(m);
        }
    });
    best.map_or(0, |m| (gain(board, m) - exchange(&board.after(m), square)).max(0))
}

fn gain(board: &Board, m: MiniMove) -> Score {
    let taken = board.at(m.to());
    let victim = if taken == EMPTY {
        0
    } else {
        VALUES[usize::from(kind(taken))]
    };
    victim
        + m.promoted()
            .map_or(0, |kind| VALUES[usize::from(kind)] - VALUES[usize::from(PAWN)])
}

impl Position for Minichess {
    type Move = MiniMove;
    // A new game begins with the search's numbers of the game that it is most like.
    type Tune = ChessTune;
    type Rules = ();
    type CheckMap = ();

    const ABOUT: &'static About = &ABOUT;
    const SQUARES: usize = SQUARES;
    const FROMS: usize = SQUARES;
    const PIECES: usize = EMPTY as usize;
    const MAX_MOVES: usize = 128;
    const START: &'static str = "rnbqk/ppppp/5/PPPPP/RNBQK w 0 1";

    fn parse(setup: &str, _rules: &()) -> Result<Self, BadInput> {
        let (board, start_ply) = text::parse(setup)?;
        let mut position = Self {
            boards: Vec::new(),
            start_ply,
        };
        position.push(board);
        Ok(position)
    }

    fn setup(&self) -> String {
        text::setup(self.board(), self.game_ply())
    }

    fn parse_move(&self, text: &str) -> Result<MiniMove, BadInput> {
        let found = self.legal().into_iter().find(|m| text::move_text(*m) == text);
        found.ok_or_else(|| BadInput::new(format!("illegal move: {text}")))
    }

    fn move_text(&self, m: MiniMove) -> String {
        text::move_text(m)
    }

    fn picture(&self) -> String {
        text::picture(self)
    }

    fn side(&self) -> Side {
        self.board().side
    }

    fn game_ply(&self) -> usize {
        self.start_ply + self.boards.len() - 1
    }

    fn key(&self) -> u64 {
        self.boards[self.boards.len() - 1].1
    }

    fn key_after(&self, m: Self::Move) -> u64 {
        let mut after = self.clone();
        after.play(m);
        after.key()
    }

    fn correction_keys(&self) -> [u64; 4] {
        let of = |counts: fn(u8) -> bool| partial_key(self.board(), counts);
        [
            of(|piece| kind(piece) == PAWN),
            of(|piece| matches!(kind(piece), board::KNIGHT | board::BISHOP)),
            of(|piece| piece < 6 && kind(piece) != PAWN),
            of(|piece| piece >= 6 && kind(piece) != PAWN),
        ]
    }

    fn in_check(&self) -> bool {
        self.board().in_check(self.side())
    }

    fn may_pass(&self) -> bool {
        let own = |piece: u8| usize::from(piece / 6) == self.side().index();
        let mut pieces = self.board().pieces();
        pieces.any(|(piece, _)| own(piece) && !matches!(kind(piece), PAWN | KING))
    }

    fn verdict(&self, ply: usize) -> Verdict {
        let (times, back) = self.repetitions();
        if self.drawn().is_none() && (times == 0 || back >= ply) {
            return Verdict::Open;
        }
        if self.count_legal() == 0 {
            Verdict::Open
        } else {
            Verdict::Draw
        }
    }

    fn no_moves(&self) -> Verdict {
        if self.in_check() { Verdict::Loss } else { Verdict::Draw }
    }

    fn ended(&self) -> Option<Ending> {
        let (verdict, reason) = match (self.count_legal(), self.no_moves()) {
            (0, Verdict::Loss) => (Verdict::Loss, "checkmate"),
            (0, _) => (Verdict::Draw, "stalemate"),
            _ => (Verdict::Draw, self.drawn()?),
        };
        Some(Ending { verdict, reason })
    }

    fn generate(&self, wanted: Kind, out: &mut Moves<MiniMove>) {
        self.board().legal(|m| {
            let fits = match wanted {
                Kind::All => true,
                Kind::Tactical => self.is_tactical(m),
                Kind::Quiet => !self.is_tactical(m),
            };
            if fits {
                out.push(m);
            }
        });
    }

    fn is_legal(&self, m: MiniMove) -> bool {
        self.legal().contains(&m)
    }

    fn check_map(&self) {}

    fn checks(&self, _map: &(), m: Self::Move) -> bool {
        self.gives_check(m)
    }

    fn gives_check(&self, m: MiniMove) -> bool {
        self.board().after(m).in_check(self.side().other())
    }

    fn is_tactical(&self, m: MiniMove) -> bool {
        self.board().at(m.to()) != EMPTY || m.promoted().is_some()
    }

    fn gain(&self, m: MiniMove) -> Score {
        gain(self.board(), m)
    }

    fn see_ge(&self, m: MiniMove, floor: Score) -> bool {
        self.gain(m) - exchange(&self.board().after(m), m.to()) >= floor
    }

    fn tags(&self, m: MiniMove) -> Tags {
        Tags {
            piece: self.board().at(m.from()),
            from: m.from(),
            to: m.to(),
            taken: self.board().at(m.to()),
            attacked: 0,
        }
    }

    fn play(&mut self, m: MiniMove) -> Dirty {
        let Tags {
            piece, from, to, taken, ..
        } = self.tags(m);
        let next = self.board().after(m);
        let mut changes = Dirty::default();
        if taken != EMPTY {
            changes.push(taken, to, OFF);
        }
        if m.promoted().is_some() {
            changes.push(piece, from, OFF);
            changes.push(next.at(to), OFF, to);
        } else {
            changes.push(piece, from, to);
        }
        self.push(next);
        changes
    }

    fn undo(&mut self) {
        self.boards.pop();
    }

    fn pass(&mut self) {
        let mut next = *self.board();
        next.side = next.side.other();
        // No repetition reaches back across it.
        next.clock = 0;
        self.push(next);
    }
}
