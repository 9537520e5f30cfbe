//! Games of go as `nguky datagen --game go` writes them, with a label on each position that is worth learning from.
//!
//! A record is `NG`, the length of what follows its checksum (u32), the checksum (u32, little-endian both) and then,
//! numbers in LEB128 (`v`) and signed ones as zigzag (`z`): seed v, game number v, hash of the settings u32, hash of the
//! network u32 (0 for playouts), size, rules (a byte each), komi in half points z, whether it was played to its end
//! (byte), black's lead at the end in half points z, plies v; where it was played to its end, whose each point is, four
//! points a byte (0 nobody, 1 black, 2 white), by `Board::index`; and of each ply the move v (0 for a pass, else the
//! point's index and 1), its variations and the label. A variation is a 3 byte, how many moves v, the moves, and the label
//! of where they lead. A label is a 0 byte for none, or 1, or 2 with an ownership of its own; then the policy (how many moves v, and of each the move v as above and its weight v), black's chance to win in 65,535ths
//! (u16), black's lead and its deviation in quarter points (z, v; deviation 0 for unknown), and, with 2, the ownership
//! in sixteenths, two points a byte. The last ply may be one that was not played any more.
//!
//! Files are merged by concatenation; what is damaged is skipped, up to the next sound record.

use crate::games::{self, RecordReader, hash, put};
use nguky::games::go::rules::Rules;
use nguky::games::go::types::{MAX_SIZE, MIN_SIZE, PASS};
use nguky::games::go::{Board, Game, Point};
use nguky::mcts::state::SearchState;

const MAGIC: &[u8; 2] = b"NG";
/// What a variation begins with, where a label would begin otherwise.
const VARIATION: u8 = 3;
/// Magic, length and checksum.
const HEAD: usize = 10;
/// No record is longer.
const LONGEST: usize = 1 << 24;

/// The label of a position: policy, win probability, lead, ownership; points go by `Board::index`, and the pass comes after them.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The moves that are worth something, with their weights.
    pub policy: Vec<(u16, u16)>,
    /// Black's chance to win.
    pub win: f32,
    /// Black's lead.
    pub lead: f32,
    /// The standard deviation of the score; 0 for unknown.
    pub deviation: f32,
    /// Whose each point will be, from -1 for white to 1 for black; empty where the game's end tells.
    pub own: Vec<f32>,
}

/// Moves that were not played, such as those to a node of a search tree, and the label of the position where they lead.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// The points' indices; none for a pass.
    pub moves: Vec<Option<u16>>,
    /// The label.
    pub label: Label,
}

/// A move, and what is known of the position before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoPly {
    /// The point's index; none for a pass.
    pub at: Option<u16>,
    /// The label.
    pub label: Option<Label>,
    /// Variations that begin here.
    pub variations: Vec<Variation>,
}

/// One game.
#[derive(Clone, Debug, PartialEq)]
pub struct GoRecord {
    /// Seed of its shard.
    pub seed: u64,
    /// Its number in the shard.
    pub number: u64,
    /// Hash of the settings that it was made with.
    pub settings: u32,
    /// Hash of the network that labelled; 0 for playouts.
    pub net: u32,
    /// Points of a side.
    pub size: usize,
    /// Number of its rules in [`Rules::ALL`].
    pub rules: usize,
    /// White's points for moving second.
    pub komi: f32,
    /// Black's lead at the end, and whose each point was then; none for a game that was given up.
    pub end: Option<(f32, Vec<u8>)>,
    /// The moves.
    pub plies: Vec<GoPly>,
}

fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

fn put_signed(out: &mut Vec<u8>, x: f32, unit: f32) {
    put(out, zigzag((x * unit).round() as i64));
}

fn signed(r: &mut RecordReader) -> Option<i64> {
    let z = r.number()?;
    Some((z >> 1) as i64 ^ -((z & 1) as i64))
}

fn put_move(out: &mut Vec<u8>, at: Option<u16>) {
    put(out, at.map_or(0, |i| u64::from(i) + 1));
}

fn put_label(out: &mut Vec<u8>, l: &Label, area: usize) {
    out.push(if l.own.is_empty() { 1 } else { 2 });
    put(out, l.policy.len() as u64);
    for &(at, weight) in &l.policy {
        put_move(out, (usize::from(at) < area).then_some(at));
        put(out, weight.into());
    }
    out.extend(((l.win.clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes());
    put_signed(out, l.lead, 4.0);
    put(out, (l.deviation.max(0.0) * 4.0).round() as u64);
    let nibble = |x: &f32| ((x.clamp(-1.0, 1.0) + 1.0) * 7.5).round() as u8;
    out.extend(l.own.chunks(2).map(|c| nibble(&c[0]) | c.get(1).map_or(0, nibble) << 4));
}

impl GoRecord {
    fn area(&self) -> usize {
        self.size * self.size
    }

    /// The game as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let (mut p, area) = (Vec::new(), self.area());
        put(&mut p, self.seed);
        put(&mut p, self.number);
        p.extend(self.settings.to_le_bytes());
        p.extend(self.net.to_le_bytes());
        p.extend([self.size as u8, self.rules as u8]);
        put_signed(&mut p, self.komi, 2.0);
        p.push(u8::from(self.end.is_some()));
        put_signed(&mut p, self.end.as_ref().map_or(0.0, |e| e.0), 2.0);
        put(&mut p, self.plies.len() as u64);
        if let Some((_, own)) = &self.end {
            p.extend(own.chunks(4).map(|c| c.iter().rev().fold(0, |b, o| b << 2 | (o & 3))));
        }
        for ply in &self.plies {
            put_move(&mut p, ply.at);
            for v in &ply.variations {
                p.push(VARIATION);
                put(&mut p, v.moves.len() as u64);
                v.moves.iter().for_each(|&at| put_move(&mut p, at));
                put_label(&mut p, &v.label, area);
            }
            match &ply.label {
                None => p.push(0),
                Some(label) => put_label(&mut p, label, area),
            }
        }
        let mut out = MAGIC.to_vec();
        out.extend((p.len() as u32).to_le_bytes());
        out.extend(hash(&p).to_le_bytes());
        out.extend(p);
        out
    }

    fn read(payload: &[u8]) -> Option<Self> {
        let r = &mut RecordReader(payload);
        let (seed, number) = (r.number()?, r.number()?);
        let mut word = || Some(u32::from_le_bytes(r.take(4)?.try_into().ok()?));
        let (settings, net) = (word()?, word()?);
        let (size, rules) = (usize::from(r.byte()?), usize::from(r.byte()?));
        if !(MIN_SIZE..=MAX_SIZE).contains(&size) || rules >= Rules::ALL.len() {
            return None;
        }
        let area = size * size;
        let komi = signed(r)? as f32 / 2.0;
        let ended = r.byte()? != 0;
        let lead = signed(r)? as f32 / 2.0;
        let plies = r.number()?;
        let end = if ended {
            let bytes = r.take(area.div_ceil(4))?;
            let own = (0..area).map(|i| bytes[i / 4] >> (2 * (i % 4)) & 3).collect();
            Some((lead, own))
        } else {
            None
        };
        let mut record = Self {
            seed,
            number,
            settings,
            net,
            size,
            rules,
            komi,
            end,
            plies: Vec::new(),
        };
        for _ in 0..plies {
            let mut ply = GoPly {
                at: read_move(r, area)?,
                ..GoPly::default()
            };
            while r.0.first() == Some(&VARIATION) {
                r.byte()?;
                let mut moves = Vec::new();
                for _ in 0..r.number()? {
                    moves.push(read_move(r, area)?);
                }
                let label = read_label(r, area)??;
                ply.variations.push(Variation { moves, label });
            }
            ply.label = read_label(r, area)?;
            record.plies.push(ply);
        }
        r.0.is_empty().then_some(record)
    }

    /// The game before its first move.
    pub fn start(&self) -> Option<Game> {
        let mut game = Game::new(self.size, *Rules::ALL.get(self.rules)?).ok()?;
        game.set_komi(self.komi);
        Some(game)
    }

    /// Plays the game over: `f` sees each position that has a label, those of variations too. False when a move is not
    /// legal; what came before it was shown.
    pub fn replay(&self, f: &mut dyn FnMut(&SearchState, &Label)) -> bool {
        fn play(state: &mut SearchState, at: Option<u16>) -> bool {
            let p = at.map_or(PASS, |i| point(&state.board, i.into()));
            let legal = p == PASS || state.is_legal(p);
            if legal {
                state.play(p);
            }
            legal
        }
        let Some(game) = self.start() else { return false };
        let mut state = SearchState::of(&game);
        for ply in &self.plies {
            for v in &ply.variations {
                let mut aside = state.clone();
                if !v.moves.iter().all(|&at| play(&mut aside, at)) {
                    return false;
                }
                f(&aside, &v.label);
            }
            if let Some(label) = &ply.label {
                f(&state, label);
            }
            if !play(&mut state, ply.at) {
                return false;
            }
        }
        true
    }
}

/// The point of an index.
pub fn point(board: &Board, index: usize) -> Point {
    board.at(index % board.size(), index / board.size())
}

/// The index of a point; none for the pass.
pub fn index(board: &Board, p: Point) -> Option<u16> {
    (p != PASS).then(|| board.index(p) as u16)
}

/// Moves and their weights by index, the pass as `area`; what weighs nothing is left out.
pub fn policy(board: &Board, moves: &[(Point, f32)], unit: f32) -> Vec<(u16, u16)> {
    let weigh = |&(p, w): &(Point, f32)| {
        let w = (w * unit).round().clamp(0.0, 65535.0) as u16;
        (w > 0).then(|| (index(board, p).unwrap_or(board.area() as u16), w))
    };
    moves.iter().filter_map(weigh).collect()
}

fn read_move(r: &mut RecordReader, area: usize) -> Option<Option<u16>> {
    let n = r.number()?;
    (n <= area as u64).then(|| n.checked_sub(1).map(|i| i as u16))
}

fn read_label(r: &mut RecordReader, area: usize) -> Option<Option<Label>> {
    let kind = r.byte()?;
    if kind == 0 {
        return Some(None);
    }
    let mut policy = Vec::new();
    for _ in 0..r.number()? {
        let at = read_move(r, area)?.unwrap_or(area as u16);
        policy.push((at, u16::try_from(r.number()?).ok()?));
    }
    let win = f32::from(u16::from_le_bytes(r.take(2)?.try_into().ok()?)) / 65535.0;
    let lead = signed(r)? as f32 / 4.0;
    let deviation = r.number()? as f32 / 4.0;
    let own = match kind {
        1 => Vec::new(),
        2 => {
            let bytes = r.take(area.div_ceil(2))?;
            let nibble = |i: usize| bytes[i / 2] >> (4 * (i % 2)) & 15;
            (0..area).map(|i| f32::from(nibble(i)) / 7.5 - 1.0).collect()
        }
        _ => return None,
    };
    Some(Some(Label {
        policy,
        win,
        lead,
        deviation,
        own,
    }))
}

impl games::Recorded for GoRecord {
    fn sound(bytes: &[u8]) -> Option<(usize, Self)> {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let len = word(2) as usize;
        if &head[..2] != MAGIC || len > LONGEST {
            return None;
        }
        let payload = rest.get(..len).filter(|p| hash(p) == word(6))?;
        Some((HEAD + len, Self::read(payload)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Scan;

    fn record(number: u64, plies: usize) -> GoRecord {
        let label = |i: usize| Label {
            policy: vec![(i as u16 % 25, 700), (25, 3)],
            win: 13107.0 / 65535.0,
            lead: -3.25 * i as f32,
            deviation: 12.5,
            own: if i.is_multiple_of(2) {
                Vec::new()
            } else {
                vec![-1.0; 25]
            },
        };
        GoRecord {
            seed: 300,
            number,
            settings: 9,
            net: 7,
            size: 5,
            rules: 1,
            komi: -4.5,
            end: number
                .is_multiple_of(2)
                .then(|| (2.5, (0..25).map(|i| i % 3).collect())),
            plies: (0..plies)
                .map(|i| GoPly {
                    at: (!i.is_multiple_of(5)).then_some(i as u16),
                    label: i.is_multiple_of(3).then(|| label(i)),
                    variations: (0..i % 4)
                        .map(|n| Variation {
                            moves: (0..n).map(|m| (m > 0).then_some(m as u16)).collect(),
                            label: label(n),
                        })
                        .collect(),
                })
                .collect(),
        }
    }

    #[test]
    fn records_are_read_back_whatever_lies_between() {
        let records = [record(0, 20), record(1, 0), record(2, 13)];
        let mut bytes = b"rubbish NG".to_vec();
        for r in &records {
            bytes.extend(r.bytes());
            bytes.extend(b"NG\x00");
        }
        let mut scan = Scan::<GoRecord>::new(&bytes);
        assert!(scan.by_ref().eq(records));
        assert_eq!((scan.skipped, scan.end), (10 + 9, bytes.len() - 3));
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_noticed() {
        let records = [record(0, 10), record(1, 7)];
        let bytes: Vec<u8> = records.iter().flat_map(GoRecord::bytes).collect();
        let one = records[0].bytes().len();
        for cut in 0..bytes.len() {
            let mut scan = Scan::<GoRecord>::new(&bytes[..cut]);
            assert_eq!(scan.by_ref().count(), usize::from(cut >= one), "cut at {cut}");
            assert_eq!(scan.end, if cut >= one { one } else { 0 });
            let mut flipped = bytes.clone();
            flipped[cut] ^= 0x10;
            let found: Vec<GoRecord> = Scan::new(&flipped).collect();
            assert_eq!(found, [records[usize::from(cut < one)].clone()], "byte {cut}");
        }
    }
}
