//! The contract: what a board game is. Games implement it and the search uses it; neither depends on the other.

mod about;
mod bad;
mod extras;
mod features;
mod moves;
pub mod perft;
mod piece_values;
mod prover;
pub mod random;
mod tablebase;
pub mod tunables;

pub use about::{About, BoardFamily, Handicap, Level};
pub use bad::BadInput;
pub use extras::Extras;
pub use features::Features;
pub use moves::{Moves, Scored};
pub use piece_values::PieceValues;
pub use prover::{ProofResult, Prover};
pub use tablebase::{Ranked, RootTable, Tablebase, Wdl};
pub use tunables::{Scope, Tunable, Tunables};

use std::fmt::Debug;

/// A score in the evaluator's own units, from the side to move's point of view; 100 is about a pawn.
pub type Score = i32;

/// The side that moves first in the game's starting position, and the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Side {
    /// White, red or sente.
    First,
    /// Black or gote.
    Second,
}

impl Side {
    /// The opponent.
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for [`Side::First`], 1 for [`Side::Second`]: an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The verdict of the rules on a position in the tree, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The game goes on.
    Open,
    /// Drawn: repetition, move count, bare kings.
    Draw,
    /// Won by a rule other than mate, as when the opponent checks perpetually.
    Win,
    /// Lost by a rule other than mate.
    Loss,
    /// The board repeats with a better hand (shogi): as good as a win for the search, though the rules play on.
    Better,
    /// The board repeats with a worse hand (shogi).
    Worse,
}

/// How a game ended by the rules, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// `Win`, `Loss` or `Draw` for the side to move.
    pub verdict: Verdict,
    /// The rule in a few words, as "checkmate" or "threefold repetition".
    pub reason: &'static str,
}

/// Which moves to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Moves that change material: captures and the promotions that are worth a search on their own.
    Tactical,
    /// All the others.
    Quiet,
    /// Both.
    All,
}

/// The whole contact between a move and the search's tables: small numbers to index with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tags {
    /// The moving piece with its colour, below [`Position::PIECES`].
    pub piece: u8,
    /// Where it comes from, below [`Position::FROMS`]; a drop has `SQUARES + kind`.
    pub from: u8,
    /// Where it goes to, below [`Position::SQUARES`].
    pub to: u8,
    /// The captured piece with its colour, below [`Position::PIECES`]; [`Position::PIECES`] itself when none.
    pub taken: u8,
    /// Whether the other side attacks where it comes from (2) and goes to (1): below 4, by [`Tags::under`]; 0 until then.
    pub attacked: u8,
}

impl Tags {
    /// The tags of a move of a position with these [`Position::threats`].
    #[inline]
    pub fn under(self, threats: &Threats) -> Self {
        let at = |square| u8::from(holds(threats.all, square));
        Self {
            attacked: at(self.from) << 1 | at(self.to),
            ..self
        }
    }
}

/// The squares that one side attacks, a bit each; what lesser pieces attack is left at none where a game has no classes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Threats {
    /// With any of its pieces.
    pub all: u128,
    /// With pieces that are worth less than those of each class of [`Position::threat_class`].
    pub lesser: [u128; 3],
}

impl Threats {
    /// 1 for a move that takes a piece of this class away from lesser ones, -1 for one that brings it before them, else 0.
    #[inline]
    pub fn escape(&self, class: usize, tags: Tags) -> i32 {
        let at = |square| i32::from(holds(self.lesser[class], square));
        at(tags.from) - at(tags.to)
    }
}

impl From<u128> for Threats {
    /// Those of a game that does not tell apart with which pieces.
    fn from(all: u128) -> Self {
        Self { all, lesser: [0; 3] }
    }
}

/// Whether a square is in a set. A drop comes from beyond the board, where no bit is set.
#[inline]
fn holds(squares: u128, square: u8) -> bool {
    // By halves, of which small boards have one alone: a shift of 128 bits by a variable costs several instructions more.
    let half = (squares >> (square & 64)) as u64;
    half >> (square & 63) & 1 != 0
}

/// "Not on the board": a place in [`Dirty`] that a piece comes from or vanishes to.
pub const OFF: u8 = u8::MAX;

/// What a move changed, for updates of evaluators: up to four (piece, from, to).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Dirty {
    /// How many of `item` count.
    pub len: u8,
    /// (piece, from, to); [`OFF`] where a piece appears or vanishes; places in hand start at [`Position::SQUARES`].
    pub item: [(u8, u8, u8); 4],
}

impl Dirty {
    /// Adds one change. At most four fit.
    #[inline]
    pub fn push(&mut self, piece: u8, from: u8, to: u8) {
        self.item[self.len as usize] = (piece, from, to);
        self.len += 1;
    }

    /// The changes.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u8, u8, u8)> + '_ {
        self.item.iter().take(self.len as usize).copied()
    }
}

/// One way a covered piece may turn out.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// What it turns out to be, below [`Position::PIECES`].
    pub piece: u8,
    /// How many such pieces are still hidden: its weight among the outcomes.
    pub weight: u16,
}

impl Outcome {
    /// The piece of an outcome that turns nothing up: the piece stays as it is, and the game goes on.
    pub const NOTHING: u8 = u8::MAX;
}

/// All outcomes of one reveal; a zero weight ends the list.
pub type Outcomes = [Outcome; 16];

/// A move in 16 bits.
pub trait Move: Copy + Eq + Debug + Send + Sync + 'static {
    /// No move: never legal, its raw value is 0.
    const NONE: Self;
    /// The 16 bits, as a hash table stores them.
    fn raw(self) -> u16;
    /// The move of these 16 bits. Any value is accepted; [`Position::is_legal`] tests it.
    fn from_raw(raw: u16) -> Self;
}

/// One option that a game has beside those of every engine: of its rules, or of its extras.
#[derive(Clone, Copy, Debug)]
pub struct GameOption {
    /// The option's name in the protocol.
    pub name: &'static str,
    /// What it means, in a line.
    pub help: &'static str,
    /// What it may be.
    pub kind: OptionKind,
}

/// The values a [`GameOption`] takes.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// On or off.
    Check {
        /// The value at start.
        default: bool,
    },
    /// One word of a list; the first is the default.
    Combo {
        /// The words.
        all: &'static [&'static str],
    },
    /// A whole number.
    Spin {
        /// The value at start.
        default: i64,
        /// The least allowed.
        min: i64,
        /// The greatest allowed.
        max: i64,
    },
    /// A file's or folder's path; empty at start.
    File,
}

/// The rule settings of a game: which code of repetition, which variant of castling, and so on.
pub trait Rules: Clone + Default + PartialEq + Debug + Send + Sync + 'static {
    /// What may be chosen.
    fn options() -> &'static [GameOption];
    /// Chooses. `value` has been checked against [`Rules::options`] ("true"/"false" for a check).
    fn set(&mut self, name: &str, value: &str) -> Result<(), BadInput>;
}

/// A game without choices.
impl Rules for () {
    fn options() -> &'static [GameOption] {
        &[]
    }

    fn set(&mut self, name: &str, _value: &str) -> Result<(), BadInput> {
        Err(BadInput::new(format!("no such option: {name}")))
    }
}

/// The rules of one board game, as a tree search sees them. No search, no protocol, no evaluator in here.
///
/// A position carries its own history, so that [`Position::undo`] takes back any [`Position::play`],
/// [`Position::pass`] or, in games of chance, [`Position::reveal`] (by [`Position::cover`]).
///
/// ```
/// use nguky::game::perft::Perft;
/// use nguky::game::{Position, Side};
/// use nguky::games::xiangqi::Xiangqi;
///
/// let mut position = Xiangqi::parse(Xiangqi::START, &Default::default())?;
/// let cannon = position.parse_move("h2e2")?;
/// assert!(!position.gives_check(cannon));
/// position.play(cannon);
/// assert_eq!(position.side(), Side::Second);
/// position.undo();
/// assert_eq!(Perft::default().count(&position, 2), 1920);
/// # Ok::<(), nguky::game::BadInput>(())
/// ```
pub trait Position: Clone + Send + Sync + Sized + 'static {
    /// Moves of this game.
    type Move: Move;
    /// The search's numbers for this game.
    type Tune: Tunables;
    /// Rule settings.
    type Rules: Rules;
    /// What [`Position::check_map`] gathers; nothing in a game that looks at each move by itself.
    type CheckMap: Copy;

    /// What the game says of itself.
    const ABOUT: &'static About;
    /// The game's name in lower case.
    const NAME: &'static str = Self::ABOUT.name;
    /// Points of the board.
    const SQUARES: usize;
    /// Bound of [`Tags::from`]: the points and the kinds that may be dropped.
    const FROMS: usize;
    /// Pieces with their colours.
    const PIECES: usize;
    /// No position has more legal moves.
    const MAX_MOVES: usize;
    /// Whether moves may turn pieces up.
    const CHANCE: bool = false;
    /// The setup text of the starting position.
    const START: &'static str;
    /// Setups of all phases of the game, which `bench` searches.
    const BENCH: &'static [&'static str] = &[Self::START];
    /// The depth of these searches in the bench signature.
    const BENCH_DEPTH: u32 = 13;

    /// What the game adds to its engine.
    fn extras() -> Box<dyn Extras<Self>> {
        Box::new(())
    }
    /// Reads a setup (FEN, SFEN). Errors name the offending part.
    fn parse(setup: &str, rules: &Self::Rules) -> Result<Self, BadInput>;
    /// The setup text of this position; [`Position::parse`] reads it back.
    fn setup(&self) -> String;
    /// Reads a move in the protocol's coordinates; only a legal one is accepted.
    fn parse_move(&self, text: &str) -> Result<Self::Move, BadInput>;
    /// Plays a move as a protocol's list of moves has it, with the revealed pieces in games of chance. On an error
    /// nothing is played.
    fn play_text(&mut self, text: &str) -> Result<(), BadInput> {
        let m = self.parse_move(text)?;
        self.play(m);
        Ok(())
    }
    /// The move in the protocol's coordinates.
    fn move_text(&self, m: Self::Move) -> String;
    /// The board drawn for a person, several lines.
    fn picture(&self) -> String;

    /// Who is to move.
    fn side(&self) -> Side;
    /// Moves played since the game's start, by the setup and the moves.
    fn game_ply(&self) -> usize;
    /// The hash key of all that matters for the position's value: board, side, rights, hands.
    fn key(&self) -> u64;
    /// The key after a legal move, as far as that can be told without playing it: it is only used to fetch the table's
    /// entry early, so a rare kind of move may be told wrong.
    fn key_after(&self, m: Self::Move) -> u64;
    /// Keys of parts of the position (pawns, minor pieces, own and their other pieces), by which the search corrects
    /// its static evaluation; the game chooses what they cover.
    fn correction_keys(&self) -> [u64; 4];

    /// Whether the side to move is in check.
    fn in_check(&self) -> bool;
    /// Whether passing is a fair test here: false where zugzwang is likely. Never called in check.
    fn may_pass(&self) -> bool;
    /// The verdict of the rules on this position `ply` moves below the search's root: repetitions, move counts, impasse,
    /// material too thin to win. In the tree one repetition after the root is enough for a verdict. Mate and stalemate
    /// are no part of it: the search finds them when no move is generated.
    fn verdict(&self, ply: usize) -> Verdict;
    /// Whether the side to move has a move that repeats an earlier position of the tree and so holds at least a draw
    /// (upcoming repetition). Games without a cheap test return false.
    fn may_repeat(&self, _ply: usize) -> bool {
        false
    }
    /// The score of having no legal move, `ply` moves below the root: mated or stalemated.
    fn no_moves(&self) -> Verdict;
    /// The end of the game by its full rules, for referees, or `None` while it goes on.
    fn ended(&self) -> Option<Ending>;

    /// Whether the side to move may claim a win that the rules grant without a move (shogi's declaration).
    fn may_claim(&self) -> bool {
        false
    }
    /// A move that wins at once, where the game finds one faster than a search does (shogi: mate in one). `moves` is
    /// scratch space and is left as it was. Never called in check.
    fn win_in_one(&self, _moves: &mut Moves<Self::Move>) -> Option<Self::Move> {
        None
    }

    /// Appends the legal moves of a kind.
    fn generate(&self, kind: Kind, out: &mut Moves<Self::Move>);
    /// Appends every legal move, also those that [`Position::generate`] spares the search because another move is never
    /// worse (shogi: to leave a rook unpromoted).
    fn generate_all_legal(&self, out: &mut Moves<Self::Move>) {
        self.generate(Kind::All, out);
    }
    /// Whether any move value, however stale or damaged, is a legal move here.
    fn is_legal(&self, m: Self::Move) -> bool;
    /// The number of legal moves; a game may count faster than it lists.
    fn count_legal(&self) -> u64 {
        let mut moves = Moves::new();
        self.generate_all_legal(&mut moves);
        moves.len() as u64
    }
    /// Whether a legal move checks.
    fn gives_check(&self, m: Self::Move) -> bool;
    /// What [`Position::checks`] needs to know of the position, gathered once for all of its moves.
    fn check_map(&self) -> Self::CheckMap;
    /// Whether a legal move checks, by the position's map: for many moves of one position, which have the map in common.
    fn checks(&self, map: &Self::CheckMap, m: Self::Move) -> bool;
    /// Whether a legal move belongs to [`Kind::Tactical`].
    fn is_tactical(&self, m: Self::Move) -> bool;
    /// What a legal move wins at once by the exchange values: the victim, and the promotion's gain.
    fn gain(&self, m: Self::Move) -> Score;
    /// Whether the exchanges on the move's target win at least `floor`, each side capturing with its least piece first
    /// and stopping when it likes (static exchange evaluation).
    fn see_ge(&self, m: Self::Move, floor: Score) -> bool;
    /// The squares that the other side attacks: what a quiet move leaves and what it walks into. A game may leave it at none.
    fn threats(&self) -> Threats {
        Threats::default()
    }
    /// Which of [`Threats::lesser`] is about this kind of piece; none where the game does not tell them apart.
    fn threat_class(_piece: u8) -> Option<usize> {
        None
    }
    /// Where the move stands in the search's tables; `attacked` is left at 0.
    fn tags(&self, m: Self::Move) -> Tags;

    /// Plays a legal move.
    fn play(&mut self, m: Self::Move) -> Dirty;
    /// Takes back the last [`Position::play`] or [`Position::pass`], and with it what it turned up.
    fn undo(&mut self);
    /// Passes the move, for the null-move test. Never in check.
    fn pass(&mut self);

    /// Whether the last move turned a piece up that is not yet revealed, which makes a chance node (games of chance).
    fn covered(&self) -> bool {
        false
    }
    /// The ways the covered piece may turn out.
    fn outcomes(&self, _out: &mut Outcomes) {}
    /// Reveals the covered piece of the last move as one of its outcomes.
    fn reveal(&mut self, _o: Outcome) -> Dirty {
        Dirty::default()
    }
    /// Takes back the last [`Position::reveal`].
    fn cover(&mut self) {}

    /// A solver of forced mates with a table of about so many MiB, where the game has one.
    fn prover(_megabytes: usize) -> Option<Box<dyn Prover<Self>>> {
        None
    }
}

/// Static evaluation of a position, which may be updated move by move.
pub trait Evaluator<P: Position>: Send {
    /// Starts afresh from a position.
    fn reset(&mut self, p: &P);
    /// A move was played and changed this.
    fn push(&mut self, d: &Dirty);
    /// The last change was taken back.
    fn pop(&mut self);
    /// The score for the side to move. `p` is the position that the pushes led to.
    fn score(&mut self, p: &P) -> Score;
    /// A table of the score's terms for a person.
    fn explain(&mut self, p: &P) -> String {
        format!("score {}", self.score(p))
    }
}
