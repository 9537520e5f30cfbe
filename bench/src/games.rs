//! Games of the engine against itself, as `nguky datagen` writes them: a few bytes a ply, one record a game.
//!
//! A record is `NK`, the game's place in the register ([`ALPHABETA`]), the length of what follows its checksum (u16), the checksum (u32,
//! little-endian both) and then, numbers in LEB128 (`v`): seed v, game number v, nodes a move v, network's hash u32 (0
//! without one), the setup (a length byte and UTF-8; empty for the game's start), plies without a score v, the result for
//! the first side, plies v; and of each ply the move (u16), in games of chance what it turned up
//! (255 for nothing), and the score v as the zigzag difference from the last one, both seen from the first side. Where
//! later plies lack a score, too, [`GAPS`] is added to the number of those before; a ply without one has 0 then, and the
//! differences are one more. The last ply's move may be one that was not played any more. Files are merged by
//! concatenation; what is damaged is skipped, up to the next sound record.
//!
//! The byte of the result: 0, 1 or 2 half points, 3 for none, 4 + N for a mean result of N / 120. Its highest bit is set
//! when another record of the same game follows: a game is cut where a random move was played or where its rest was played
//! several times over, and positions from inside the search tree are records of one ply. A file begins with a record without
//! plies whose setup is the text of the settings.

use anyhow::{Context, Result, bail};
use nguky::alphabeta_games;
use nguky::game::{About, Move, Outcomes, Position, Score};
use nguky::register::{self, ALPHABETA};
use nguky::search::score::decisive;
use std::marker::PhantomData;
use std::path::Path;

/// `of_game!(name, f(args))` calls `f` with the game of a name, a type, where the alpha-beta search plays it.
macro_rules! of_game {
    ([$name:expr, $f:ident $args:tt] $(#[$on:meta] $game:ty),*) => {
        match nguky::register::find_alphabeta($name)?.name {
            $(#[$on] <$game as nguky::game::Position>::NAME => $f::<$game> $args,)*
            other => anyhow::bail!("no game {other:?} here"),
        }
    };
    ($name:expr, $f:ident $args:tt) => {
        nguky::alphabeta_games!(of_game $name, $f $args)
    };
}
pub(crate) use of_game;

/// The help of `--game` where any game is meant.
pub fn every_game() -> String {
    let games = register::games().map(About::described);
    format!("The game: {}", register::list(games))
}

/// The same where go is not.
pub fn every_alphabeta_game() -> String {
    let games = ALPHABETA.iter().map(|game| game.described());
    format!("The game: {}", register::list(games))
}

macro_rules! chances {
    ([] $(#[$on:meta] $game:ty),*) => { &[$(#[$on] <$game as Position>::CHANCE,)*] };
}
/// Which of the games are games of chance.
const CHANCE: &[bool] = alphabeta_games!(chances);

const MAGIC: &[u8; 2] = b"NK";
/// Magic, game, length and checksum.
const HEAD: usize = 9;
/// The byte of no result.
const NO_RESULT: u8 = 3;
/// Mean results are kept in so many parts of a point.
const PARTS: f32 = 120.0;
/// The bit of the result's byte for: another record of the same game follows.
const MORE: u8 = 0x80;
/// Added to the number of plies without a score where later ones lack it as well. A record has fewer plies than this: its
/// length is a u16.
const GAPS: u64 = 1 << 16;
/// Scores of later plies count as at most this, in hundredths of a pawn.
const FAR: f32 = 1500.0;
/// "Nothing was turned up".
const NONE: u8 = u8::MAX;

/// One move, and the score of the search before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredMove {
    /// The move's 16 bits.
    pub mv: u16,
    /// What it turned up.
    pub outcome: Option<u8>,
    /// The score for the first side; none in the random opening and where a fast search chose the move.
    pub score: Option<Score>,
}

/// One game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Which game, its place in the register.
    pub kind: usize,
    /// Seed of its shard.
    pub seed: u64,
    /// Its number in the shard.
    pub number: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Hash of the network that played; 0 where none did.
    pub net: u32,
    /// Where it began; empty for the game's start.
    pub setup: String,
    /// The result for the first side, 0 to 1, a mean where the rest was played several times; none where it is unknown.
    pub result: Option<f32>,
    /// Another record of the same game follows.
    pub more: bool,
    /// Its moves.
    pub plies: Vec<ScoredMove>,
}

/// The byte of a result.
fn result_byte(result: Option<f32>) -> u8 {
    let Some(result) = result else {
        return NO_RESULT;
    };
    let (half_points, parts) = (2.0 * result, (result.clamp(0.0, 1.0) * PARTS).round());
    if [0.0, 1.0, 2.0].contains(&half_points) {
        half_points as u8
    } else {
        NO_RESULT + 1 + parts as u8
    }
}

/// The result of a byte; none if it is no such byte.
fn result_of(byte: u8) -> Option<Option<f32>> {
    match byte {
        0..NO_RESULT => Some(Some(f32::from(byte) / 2.0)),
        NO_RESULT => Some(None),
        _ => {
            let parts = f32::from(byte - NO_RESULT - 1);
            (parts <= PARTS).then_some(Some(parts / PARTS))
        }
    }
}

/// FNV-1a, 32 bits: the checksum of files that exist, which a CRC crate would not give.
pub fn hash(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0x811c_9dc5, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

/// Writes a number as LEB128. A crate for it would save no lines: these are two loops, and the reader below is bounded by the
/// record.
pub fn put(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Takes numbers off the front of a record.
pub struct RecordReader<'a>(pub &'a [u8]);

impl<'a> RecordReader<'a> {
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let b = self.byte()?;
            n |= u64::from(b & 0x7f) << shift;
            if b < 0x80 {
                return Some(n);
            }
        }
        None
    }
}

impl GameRecord {
    fn chance(&self) -> bool {
        CHANCE[self.kind]
    }

    /// The game as a record.
    pub fn record(&self) -> Vec<u8> {
        let mut p = Vec::new();
        for n in [self.seed, self.number, self.nodes] {
            put(&mut p, n);
        }
        p.extend(self.net.to_le_bytes());
        let setup = &self.setup.as_bytes()[..self.setup.len().min(255)];
        p.push(setup.len() as u8);
        p.extend(setup);
        let opening = self.plies.iter().take_while(|p| p.score.is_none()).count();
        let gaps = self.plies[opening..].iter().any(|p| p.score.is_none());
        put(&mut p, opening as u64 + if gaps { GAPS } else { 0 });
        p.push(result_byte(self.result) | if self.more { MORE } else { 0 });
        put(&mut p, self.plies.len() as u64);
        let mut last = 0;
        for (i, ply) in self.plies.iter().enumerate() {
            p.extend(ply.mv.to_le_bytes());
            if self.chance() {
                p.push(ply.outcome.unwrap_or(NONE));
            }
            if let Some(score) = ply.score {
                let step = score - last;
                put(&mut p, u64::from(((step << 1) ^ (step >> 31)) as u32) + u64::from(gaps));
                last = score;
            } else if i >= opening {
                put(&mut p, 0);
            }
        }
        let mut out = MAGIC.to_vec();
        out.push(self.kind as u8);
        out.extend((p.len() as u16).to_le_bytes());
        out.extend(hash(&p).to_le_bytes());
        out.extend(p);
        out
    }

    fn read(kind: u8, payload: &[u8]) -> Option<Self> {
        let mut r = RecordReader(payload);
        let mut game = Self {
            kind: usize::from(kind),
            seed: r.number()?,
            number: r.number()?,
            nodes: r.number()?,
            net: u32::from_le_bytes(r.take(4)?.try_into().ok()?),
            setup: String::new(),
            result: None,
            more: false,
            plies: Vec::new(),
        };
        let len = r.byte()?;
        game.setup = String::from_utf8(r.take(len.into())?.to_vec()).ok()?;
        let opening = r.number()?;
        let (opening, gaps) = (opening % GAPS, opening >= GAPS);
        let result = r.byte()?;
        (game.result, game.more) = (result_of(result & !MORE)?, result & MORE != 0);
        let mut last = 0;
        for i in 0..r.number()? {
            let mv = u16::from_le_bytes(r.take(2)?.try_into().ok()?);
            let outcome = if game.chance() {
                r.byte().filter(|b| *b != NONE)
            } else {
                None
            };
            let number = if i < opening { None } else { Some(r.number()?) };
            let score = match number {
                None => None,
                Some(0) if gaps => None,
                Some(n) => {
                    let z = u32::try_from(n - u64::from(gaps)).ok()?;
                    last += (z >> 1) as i32 ^ -((z & 1) as i32);
                    Some(last)
                }
            };
            game.plies.push(ScoredMove { mv, outcome, score });
        }
        r.0.is_empty().then_some(game)
    }

    /// The record with which a file of games begins: the text of its settings, no longer than 255 bytes.
    pub fn settings(&self, text: String) -> Self {
        Self {
            setup: text,
            result: None,
            more: true,
            plies: Vec::new(),
            ..*self
        }
    }

    /// The text of the settings, if this is the record with which a file begins.
    pub fn told_settings(&self) -> Option<&str> {
        let told = self.number == 0 && self.more && self.result.is_none() && self.plies.is_empty();
        told.then_some(&self.setup)
    }

    /// Of each ply the mean of its score and the later ones, where each counts `lambda` times the one before it (0: its own
    /// alone): TD(lambda) as in Sutton, "Learning to predict by the methods of temporal differences", 1988. Scores beyond
    /// [`FAR`] count as that; 0 where a ply has none, which also ends what flows back: the fast search that chose its move may
    /// have erred.
    fn traces(&self, lambda: f32) -> Vec<f32> {
        let mut traces = vec![0.0; self.plies.len()];
        let mut later = None;
        for (trace, ply) in traces.iter_mut().zip(&self.plies).rev() {
            let Some(score) = ply.score.map(|s| s as f32) else {
                later = None;
                continue;
            };
            *trace = match later {
                Some(later) if lambda > 0.0 => (1.0 - lambda) * score + lambda * later,
                _ => score,
            };
            later = Some(trace.clamp(-FAR, FAR));
        }
        traces
    }

    /// Plays the game over: `f` sees each position and the ply that left it. False when a move is not legal; what came
    /// before it was shown.
    pub fn replay<P: Position>(&self, f: &mut dyn FnMut(&P, &ScoredMove)) -> bool {
        if self.plies.is_empty() {
            return true;
        }
        let setup = if self.setup.is_empty() { P::START } else { &self.setup };
        let Ok(mut pos) = P::parse(setup, &P::Rules::default()) else {
            return false;
        };
        for ply in &self.plies {
            let mv = P::Move::from_raw(ply.mv);
            if !pos.is_legal(mv) {
                return false;
            }
            f(&pos, ply);
            pos.play(mv);
            if P::CHANCE && pos.covered() {
                let mut all = Outcomes::default();
                pos.outcomes(&mut all);
                match all.iter().find(|o| o.weight > 0 && Some(o.piece) == ply.outcome) {
                    Some(&o) => drop(pos.reveal(o)),
                    // The move that was not played any more turned nothing up.
                    None => return ply.outcome.is_none(),
                }
            }
        }
        true
    }
}

/// What a file of records is made of.
pub trait Recorded: Sized {
    /// The record at the front of these bytes and its length, unless it is damaged or cut short.
    fn sound(bytes: &[u8]) -> Option<(usize, Self)>;
}

impl Recorded for GameRecord {
    fn sound(bytes: &[u8]) -> Option<(usize, Self)> {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        if &head[..2] != MAGIC || usize::from(head[2]) >= ALPHABETA.len() {
            return None;
        }
        let payload = rest.get(..usize::from(u16::from_le_bytes([head[3], head[4]])))?;
        if hash(payload).to_le_bytes() != head[5..HEAD] {
            return None;
        }
        Some((HEAD + payload.len(), Self::read(head[2], payload)?))
    }
}

/// The sound records of a file, one after the other.
pub struct Scan<'a, R> {
    bytes: &'a [u8],
    at: usize,
    /// Where the last sound record ended.
    pub end: usize,
    /// Bytes that belong to no sound record.
    pub skipped: usize,
    records: PhantomData<fn() -> R>,
}

impl<'a, R> Scan<'a, R> {
    /// Begins at the front of a file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            end: 0,
            skipped: 0,
            records: PhantomData,
        }
    }
}

impl<R: Recorded> Iterator for Scan<'_, R> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        while self.at < self.bytes.len() {
            if let Some((len, record)) = R::sound(&self.bytes[self.at..]) {
                self.at += len;
                self.end = self.at;
                return Some(record);
            }
            self.at += 1;
            self.skipped += 1;
        }
        None
    }
}

/// A position fit for training.
pub struct Quiet<'a, P> {
    /// The position.
    pub pos: &'a P,
    /// Its score for the first side, of records the mean with the later scores of its game that `quiet` was asked for.
    pub score: Score,
    /// The game's result for the first side, 0 to 1; none where it is unknown.
    pub result: Option<f32>,
    /// A number that all positions of one game share.
    pub game: u64,
}

/// What a file held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileCounts {
    /// Sound games; blocks of lines in a file of text.
    pub games: u64,
    /// Damaged bytes, or lines, that were skipped.
    pub skipped: usize,
    /// Games of which a move is not legal.
    pub broken: u64,
}

/// Lines of a text file that count as one game: neighbours are of one game.
const BLOCK: u64 = 512;

/// Calls `f` with every position of a file that is out of check, undecided and left by a quiet move. Reads records, and
/// lines `SETUP | score | result` whose positions have been chosen already. In records each later score of a game counts
/// `lambda` times the one before it (0 to below 1); lines stand alone.
pub fn quiet<P: Position>(path: &Path, lambda: f32, f: &mut dyn FnMut(Quiet<P>)) -> Result<FileCounts> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut count = FileCounts::default();
    if !bytes.starts_with(MAGIC) && bytes.iter().take(4096).any(|b| *b == b'|') {
        for (i, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let game = i as u64 / BLOCK;
            count.games = game + 1;
            match parsed::<P>(line) {
                Some((pos, score, result)) => f(Quiet {
                    pos: &pos,
                    score,
                    result: Some(result),
                    game,
                }),
                None => count.skipped += usize::from(!line.starts_with('#')),
            }
        }
        return Ok(count);
    }
    let mut scan = Scan::<GameRecord>::new(&bytes);
    for game in scan.by_ref() {
        let name = ALPHABETA[game.kind].name;
        if name != P::NAME {
            bail!("{} holds games of {name}; expected {}", path.display(), P::NAME);
        }
        count.games += u64::from(!game.more);
        let id = game.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ game.number;
        let (traces, mut at) = (game.traces(lambda), 0);
        let whole = game.replay::<P>(&mut |pos, ply| {
            let tactical = pos.is_tactical(P::Move::from_raw(ply.mv));
            at += 1;
            if ply.score.is_some_and(|s| !decisive(s) && !tactical && !pos.in_check()) {
                f(Quiet {
                    pos,
                    score: traces[at - 1].round() as Score,
                    result: game.result,
                    game: id,
                });
            }
        });
        count.broken += u64::from(!whole);
    }
    count.skipped = scan.skipped;
    Ok(count)
}

/// A line of text: position, score and result for the first side.
pub fn parsed<P: Position>(line: &str) -> Option<(P, Score, f32)> {
    let mut parts = line.split('|').map(str::trim);
    let pos = P::parse(parts.next()?, &P::Rules::default()).ok()?;
    let score = parts.next()?.parse().ok()?;
    let result = parts.next()?.parse().ok().filter(|r| (0.0..=1.0).contains(r))?;
    Some((pos, score, result))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, plies: usize) -> GameRecord {
        let ply = |i: usize| ScoredMove {
            mv: i as u16 * 77,
            outcome: i.is_multiple_of(3).then_some(i as u8),
            score: (i >= 4).then_some((i as i32 * 7919) % 30_001 - 15_000),
        };
        GameRecord {
            kind: 2,
            seed: 300,
            number,
            nodes: 1000,
            net: 7,
            setup: "a setup".into(),
            result: [Some(0.5), None, Some(0.625), Some(1.0), Some(0.0)][number as usize % 5],
            more: number % 2 == 1,
            plies: (0..plies).map(ply).collect(),
        }
    }

    #[test]
    fn records_are_read_back_whatever_lies_between() {
        let games = [game(0, 120), game(1, 0), game(2, 3)];
        let mut bytes = b"rubbish NK".to_vec();
        for g in &games {
            bytes.extend(g.record());
            bytes.extend(b"NK\x00");
        }
        let mut scan = Scan::<GameRecord>::new(&bytes);
        assert!(scan.by_ref().eq(games));
        assert_eq!((scan.skipped, scan.end), (10 + 9, bytes.len() - 3));
    }

    #[test]
    fn plies_without_a_score_are_kept_within_a_game() {
        let mut gaps = game(0, 30);
        for i in [5, 6, 11, 29] {
            gaps.plies[i].score = None;
        }
        let bytes = [game(1, 30).record(), gaps.record(), game(3, 30).record()].concat();
        assert!(Scan::<GameRecord>::new(&bytes).eq([game(1, 30), gaps, game(3, 30)]));
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_noticed() {
        let games = [game(0, 20), game(1, 15)];
        let bytes: Vec<u8> = games.iter().flat_map(GameRecord::record).collect();
        let one = games[0].record().len();
        for cut in 0..bytes.len() {
            let mut scan = Scan::<GameRecord>::new(&bytes[..cut]);
            assert_eq!(scan.by_ref().count(), usize::from(cut >= one), "cut at {cut}");
            assert_eq!(scan.end, if cut >= one { one } else { 0 });
            assert_eq!(scan.skipped, cut - scan.end);
            let mut flipped = bytes.clone();
            flipped[cut] ^= 0x10;
            // The game's number is outside the checksum, but wrong games do not pass for this one.
            let found: Vec<GameRecord> = Scan::<GameRecord>::new(&flipped).filter(|g| g.kind == 2).collect();
            assert_eq!(found, [games[usize::from(cut < one)].clone()], "byte {cut}");
        }
    }

    #[test]
    fn damaged_lines_are_left_out() {
        use nguky::games::chess::Chess;
        let king = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        assert!(parsed::<Chess>(&format!("{king} | -20 | 0.5")).is_some());
        for line in ["", "x", &format!("{king} | x | 1"), king, &format!("{king} | 5 | 2")] {
            assert!(parsed::<Chess>(line).is_none(), "{line:?}");
        }
    }

    /// A position's target follows the game as far as lambda reaches; a ply without a score ends what flows back.
    #[test]
    fn later_scores_count_less_and_less() {
        let mut record = game(0, 6);
        for (ply, score) in record
            .plies
            .iter_mut()
            .zip([None, Some(100), Some(20), Some(-60), None, Some(9000)])
        {
            ply.score = score;
        }
        assert_eq!(record.traces(0.0), [0.0, 100.0, 20.0, -60.0, 0.0, 9000.0]);
        // -60; (20 - 60) / 2; (100 - 20) / 2.
        assert_eq!(record.traces(0.5), [0.0, 40.0, -20.0, -60.0, 0.0, 9000.0]);
        record.plies[4].score = Some(0);
        assert_eq!(record.traces(0.5)[4], FAR / 2.0);
    }
}
