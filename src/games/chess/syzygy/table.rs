//! One Syzygy file: its header, and a position's value out of its compressed blocks.
//!
//! The format is Ronald de Man's; his generator, and the readers of Fathom and Stockfish, are its description. Values
//! are stored by canonical Huffman codes over symbols that stand for pairs of symbols, in blocks with a sparse index.
//! Every read is bounded: a damaged file gives no value, and no fault.

use super::index::{MAPS, MOST, PAIRS, TRIPLES};
use super::{MaterialKey, TableBoard};
use memmap2::Mmap;
use std::fs::File;
use std::path::Path;

/// The kind of a table file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TableKind {
    /// Win, draw or loss.
    Wdl,
    /// Moves to the next capture or pawn move.
    Dtz,
}

impl TableKind {
    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Self::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }
}

/// The answer of a table for one side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// The value as stored.
    Value(i32),
    /// A one-sided table, of the other side to move.
    OtherSide,
}

const BLACK_TO_MOVE: u8 = 1;
const MAPPED: u8 = 2;
const WIN_IN_PLIES: u8 = 4;
const LOSS_IN_PLIES: u8 = 8;
const WIDE: u8 = 16;
const SINGLE_VALUE: u8 = 128;

/// The compressed values of one file (of the leading pawn) and side.
#[derive(Default)]
struct PairsData {
    flags: u8,
    /// The piece types in their order: 1 to 6 white, 9 to 14 black.
    pieces: [u8; MOST],
    /// Sizes of the groups of like pieces, the leading one first; 0 ends them.
    group: [usize; MOST + 1],
    /// What each group's number is multiplied by.
    factor: [u64; MOST + 1],
    /// The whole size.
    size: u64,
    /// Length of the shortest code, or the single value.
    shortest: u8,
    block_bytes: usize,
    span: u64,
    sparse: usize,
    sparse_len: usize,
    lengths: usize,
    lengths_len: usize,
    blocks: usize,
    blocks_len: usize,
    /// The lowest code of each length, left-aligned.
    base: Vec<u64>,
    /// Where the lowest symbol of each length is stored.
    lowest: usize,
    /// Where the pairs are stored.
    tree: usize,
    /// How many values each symbol stands for, less one.
    weight: Vec<u16>,
    /// Where the values of win, loss, cursed win and blessed loss are mapped.
    map: [usize; 4],
}

/// One file.
pub(super) struct TableFile {
    bytes: Mmap,
    kind: TableKind,
    material: MaterialKey,
    /// By the leading pawn's file (one without pawns) and side.
    pairs: Vec<[PairsData; 2]>,
    two_sided: bool,
}

/// Reads on from a place in the file.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn u8(&mut self) -> Option<u8> {
        self.at += 1;
        self.bytes.get(self.at - 1).copied()
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from(self.u8()?) | u16::from(self.u8()?) << 8)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from(self.u16()?) | u32::from(self.u16()?) << 16)
    }

    fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }
}

impl TableFile {
    /// Opens a file; `None` when it is not a table of this material.
    pub fn open(path: &Path, kind: TableKind, material: MaterialKey) -> Option<Self> {
        let file = File::open(path).ok()?;
        // SAFETY: the map is read only; whoever rewrites tables under a running engine has to expect nonsense.
        let bytes = unsafe { Mmap::map(&file) }.ok()?;
        let mut table = Self {
            bytes,
            kind,
            material,
            pairs: Vec::new(),
            two_sided: kind == TableKind::Wdl && !material.symmetric(),
        };
        table.pairs = table.header()?;
        Some(table)
    }

    fn header(&self) -> Option<Vec<[PairsData; 2]>> {
        if self.bytes.get(..4)? != self.kind.magic() {
            return None;
        }
        let mut c = Cursor {
            bytes: &self.bytes,
            at: 5,
        };
        let pawns = self.material.has_pawns();
        let both = self.material.both_have_pawns();
        let sides = 1 + usize::from(self.two_sided);
        let mut all = Vec::new();
        for file in 0..if pawns { 4 } else { 1 } {
            let mut two = [PairsData::default(), PairsData::default()];
            let order = c.u8()?;
            let second = if both { c.u8()? } else { 0xff };
            for i in 0..self.material.pieces() {
                let piece = c.u8()?;
                two[0].pieces[i] = piece & 15;
                two[1].pieces[i] = piece >> 4;
            }
            for (side, p) in two.iter_mut().enumerate().take(sides) {
                let nibble = |b: u8| usize::from(if side == 0 { b & 15 } else { b >> 4 });
                self.group(p, [nibble(order), nibble(second)], file)?;
            }
            all.push(two);
        }
        c.align(2);
        let each = |all: &mut Vec<[PairsData; 2]>, f: &mut dyn FnMut(&mut PairsData) -> Option<()>| -> Option<()> {
            all.iter_mut()
                .flat_map(|two| two.iter_mut().take(sides))
                .try_for_each(f)
        };
        each(&mut all, &mut |p| p.codes(&mut c))?;
        if self.kind == TableKind::Dtz {
            each(&mut all, &mut |p| p.maps(&mut c))?;
            c.align(2);
        }
        each(&mut all, &mut |p| {
            p.sparse = c.at;
            c.at += p.sparse_len * 6;
            Some(())
        })?;
        each(&mut all, &mut |p| {
            p.lengths = c.at;
            c.at += p.lengths_len * 2;
            Some(())
        })?;
        each(&mut all, &mut |p| {
            c.align(64);
            p.blocks = c.at;
            c.at = c.at.checked_add(p.blocks_len.checked_mul(p.block_bytes)?)?;
            Some(())
        })?;
        Some(all)
    }

    /// Groups like pieces and works out what their numbers are multiplied by.
    fn group(&self, p: &mut PairsData, order: [usize; 2], file: usize) -> Option<()> {
        let pieces = self.material.pieces();
        let pawns = self.material.has_pawns();
        let mut leading: usize = match (pawns, self.material.unique()) {
            (true, _) => 1,
            (_, true) => 3,
            _ => 2,
        };
        let mut n = 0;
        p.group[0] = 1;
        for i in 1..pieces {
            leading -= usize::from(leading > 0);
            if leading > 0 || p.pieces[i] == p.pieces[i - 1] {
                p.group[n] += 1;
            } else {
                n += 1;
                p.group[n] = 1;
            }
        }
        let groups = n + 1;
        let both = self.material.both_have_pawns();
        let mut next = 1 + usize::from(both);
        let mut free = 64_usize.checked_sub(p.group[0] + if both { p.group[1] } else { 0 })?;
        let mut size: u64 = 1;
        let choose = |k: usize, n: usize| MAPS.choose.get(k).and_then(|row| row.get(n)).copied();
        for k in 0..16 {
            if next >= groups && k != order[0] && (k != order[1] || !both) {
                continue;
            }
            let (place, count) = if k == order[0] {
                let leads = || MAPS.leads.get(p.group[0])?.get(file).copied();
                let unique = self.material.unique();
                (
                    0,
                    if pawns {
                        leads()?
                    } else if unique {
                        TRIPLES
                    } else {
                        PAIRS
                    },
                )
            } else if k == order[1] && both {
                (1, choose(p.group[1], 48_usize.checked_sub(p.group[0])?)?)
            } else {
                let count = choose(p.group[next], free)?;
                free = free.checked_sub(p.group[next])?;
                next += 1;
                (next - 1, count)
            };
            p.factor[place] = size;
            size = size.checked_mul(count)?;
        }
        p.size = size;
        Some(())
    }

    /// The stored value of a position of this material. `wdl` is what the position is known to be, for distances.
    pub fn probe(&self, board: &TableBoard, wdl: i32) -> Option<Found> {
        let symmetric = self.material.symmetric();
        // The stored side is white, and in symmetric material white is to move.
        let flip = if symmetric {
            board.black_to_move
        } else {
            board.material != self.material
        };
        let (swap_colour, swap_rank) = if flip { (8, 56) } else { (0, 0) };
        let black = board.black_to_move != flip;
        let mut squares = [0; MOST];
        let mut pieces = [0; MOST];
        let mut len = 0;
        let mut add = |list: &mut [usize; MOST], s: usize, piece: u8| {
            list[len] = s ^ swap_rank;
            pieces[len] = piece ^ swap_colour;
            len += 1;
            len
        };
        let mut leading = 0;
        let mut file = 0;
        if self.material.has_pawns() {
            let pawn = self.pairs.first()?[0].pieces[0] ^ swap_colour;
            for &(s, piece) in board.pieces().iter().filter(|&&(_, p)| p == pawn) {
                leading = add(&mut squares, s, piece);
            }
            let first = (0..leading).max_by_key(|&i| MAPS.pawn[squares[i]])?;
            squares.swap(0, first);
            file = (squares[0] % 8).min(7 - squares[0] % 8);
            for &(s, piece) in board.pieces().iter().filter(|&&(_, p)| p != pawn) {
                add(&mut squares, s, piece);
            }
        } else {
            for &(s, piece) in board.pieces() {
                add(&mut squares, s, piece);
            }
        }
        let two = self.pairs.get(file)?;
        let p = &two[usize::from(black && self.two_sided)];
        let one_sided = self.kind == TableKind::Dtz && (self.material.has_pawns() || !symmetric);
        if one_sided && (p.flags & BLACK_TO_MOVE != 0) != black {
            return Some(Found::OtherSide);
        }
        // The table's own order of pieces.
        for i in leading..len {
            let at = (i..len).find(|&j| pieces[j] == p.pieces[i])?;
            pieces.swap(i, at);
            squares.swap(i, at);
        }
        let value = self.value(p, self.number(p, &mut squares[..len], leading)?)?;
        Some(Found::Value(match self.kind {
            TableKind::Wdl => value - 2,
            TableKind::Dtz => self.distance(p, value, wdl)?,
        }))
    }

    /// The position's number in the table.
    fn number(&self, p: &PairsData, squares: &mut [usize], leading: usize) -> Option<u64> {
        let pawns = self.material.has_pawns();
        let first = if pawns {
            MAPS.pawns(squares, leading)
        } else {
            MAPS.pieces(squares, p.group[0], self.material.unique())
        };
        let mut number = first * p.factor[0];
        let mut from = p.group[0];
        for (i, &size) in p.group.iter().enumerate().skip(1).take_while(|&(_, &g)| g > 0) {
            let (before, rest) = squares.split_at_mut(from);
            let second_pawns = i == 1 && self.material.both_have_pawns();
            number += MAPS.group(before, rest.get_mut(..size)?, second_pawns) * p.factor[i];
            from += size;
        }
        (number < p.size).then_some(number)
    }

    /// The value stored under a number.
    fn value(&self, p: &PairsData, number: u64) -> Option<i32> {
        if p.flags & SINGLE_VALUE != 0 {
            return Some(p.shortest.into());
        }
        let at = |at: usize| Cursor { bytes: &self.bytes, at };
        // The sparse index leads near the value: to a block and a place in it.
        let near = (number / p.span) as usize;
        let mut c = at(p.sparse + near * 6);
        let (mut block, offset) = (c.u32()? as usize, c.u16()?);
        let mut offset = i64::from(offset) + (number % p.span) as i64 - (p.span / 2) as i64;
        let length = |block: usize| -> Option<i64> {
            (block < p.lengths_len).then_some(())?;
            Some(at(p.lengths + block * 2).u16()?.into())
        };
        while offset < 0 {
            block = block.checked_sub(1)?;
            offset += length(block)? + 1;
        }
        while offset > length(block)? {
            offset -= length(block)? + 1;
            block += 1;
        }
        // Symbols one by one until the one that holds the place.
        let start = p.blocks + block * p.block_bytes;
        let mut bits = Bits::new(self.bytes.get(start..)?);
        let mut left = offset as u64;
        let mut symbol = loop {
            let window = bits.window();
            let len = p.base.iter().position(|&b| window >= b)?;
            let width = len as u32 + u32::from(p.shortest);
            let code = (window - p.base[len]) >> (64 - width);
            let symbol = code as usize + usize::from(at(p.lowest + len * 2).u16()?);
            let weight = u64::from(*p.weight.get(symbol)?) + 1;
            if left < weight {
                break symbol;
            }
            left -= weight;
            bits.skip(width);
        };
        // A symbol is a pair of symbols, down to single values.
        while *p.weight.get(symbol)? > 0 {
            let (first, second) = self.pair(p, symbol)?;
            let weight = u64::from(*p.weight.get(first)?) + 1;
            if left < weight {
                symbol = first;
            } else {
                left -= weight;
                symbol = second;
            }
        }
        Some(self.pair(p, symbol)?.0 as i32)
    }

    fn pair(&self, p: &PairsData, symbol: usize) -> Option<(usize, usize)> {
        pair(&self.bytes, p.tree, symbol)
    }

    /// A stored distance in plies.
    fn distance(&self, p: &PairsData, value: i32, wdl: i32) -> Option<i32> {
        let mut value = value;
        if p.flags & MAPPED != 0 {
            let map = p.map[match wdl {
                2 => 0,
                -2 => 1,
                1 => 2,
                _ => 3,
            }];
            let wide = p.flags & WIDE != 0;
            let mut c = Cursor {
                bytes: &self.bytes,
                at: map + value as usize * (1 + usize::from(wide)),
            };
            value = if wide { c.u16()?.into() } else { c.u8()?.into() };
        }
        let in_plies = match wdl {
            2 => p.flags & WIN_IN_PLIES != 0,
            -2 => p.flags & LOSS_IN_PLIES != 0,
            _ => false,
        };
        Some(if in_plies { value } else { 2 * value } + 1)
    }
}

/// The two halves of a symbol: 12 bits each.
fn pair(bytes: &[u8], tree: usize, symbol: usize) -> Option<(usize, usize)> {
    let at = tree + 3 * symbol;
    let b = bytes.get(at..at + 3)?;
    let (a, b, c) = (usize::from(b[0]), usize::from(b[1]), usize::from(b[2]));
    Some(((b & 15) << 8 | a, c << 4 | b >> 4))
}

impl PairsData {
    /// Reads the code tables.
    fn codes(&mut self, c: &mut Cursor) -> Option<()> {
        self.flags = c.u8()?;
        if self.flags & SINGLE_VALUE != 0 {
            self.shortest = c.u8()?;
            return Some(());
        }
        self.block_bytes = 1_usize.checked_shl(c.u8()?.into()).filter(|&n| n <= 1 << 24)?;
        self.span = 1_u64.checked_shl(c.u8()?.into())?;
        self.sparse_len = usize::try_from(self.size.div_ceil(self.span)).ok()?;
        let padding = usize::from(c.u8()?);
        self.blocks_len = c.u32()? as usize;
        self.lengths_len = self.blocks_len + padding;
        let longest = c.u8()?;
        self.shortest = c.u8()?;
        if self.shortest == 0 || longest > 32 || longest < self.shortest {
            return None;
        }
        let lengths = usize::from(longest - self.shortest) + 1;
        self.lowest = c.at;
        let lowest: Vec<u64> = (0..lengths).map(|_| c.u16().map(u64::from)).collect::<Option<_>>()?;
        self.base = vec![0; lengths];
        for i in (0..lengths - 1).rev() {
            self.base[i] = (self.base[i + 1] + lowest[i]).checked_sub(lowest[i + 1])? / 2;
        }
        for (i, base) in self.base.iter_mut().enumerate() {
            *base = base.checked_shl(64 - i as u32 - u32::from(self.shortest))?;
        }
        let symbols = usize::from(c.u16()?);
        self.tree = c.at;
        c.at += symbols * 3 + (symbols & 1);
        let mut weight = vec![None; symbols];
        for symbol in 0..symbols {
            weigh(c.bytes, self.tree, symbol, &mut weight, 0)?;
        }
        self.weight = weight.into_iter().flatten().collect();
        Some(())
    }

    /// Reads where the distances are mapped.
    fn maps(&mut self, c: &mut Cursor) -> Option<()> {
        if self.flags & MAPPED == 0 {
            return Some(());
        }
        let wide = self.flags & WIDE != 0;
        if wide {
            c.align(2);
        }
        for place in &mut self.map {
            let (len, width) = if wide {
                (c.u16()?.into(), 2)
            } else {
                (usize::from(c.u8()?), 1)
            };
            *place = c.at;
            c.at += len * width;
        }
        Some(())
    }
}

/// How many values a symbol stands for, less one; symbols that stand for themselves in circles are no symbols.
fn weigh(bytes: &[u8], tree: usize, symbol: usize, known: &mut [Option<u16>], deep: u32) -> Option<u16> {
    if let Some(weight) = *known.get(symbol)? {
        return Some(weight);
    }
    if deep > 4096 {
        return None;
    }
    let (first, second) = pair(bytes, tree, symbol)?;
    let weight = if second == 0xfff {
        0
    } else {
        let first = weigh(bytes, tree, first, known, deep + 1)?;
        let second = weigh(bytes, tree, second, known, deep + 1)?;
        first.checked_add(second)?.checked_add(1)?
    };
    known[symbol] = Some(weight);
    Some(weight)
}

/// A stream of bits, the most significant first; zeros beyond its end.
struct Bits<'a> {
    bytes: &'a [u8],
    next: usize,
    window: u128,
    filled: u32,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut bits = Self {
            bytes,
            next: 0,
            window: 0,
            filled: 0,
        };
        bits.fill();
        bits
    }

    fn fill(&mut self) {
        while self.filled <= 96 {
            let word = match self.bytes.get(self.next..self.next + 4) {
                Some(b) => u32::from_be_bytes([b[0], b[1], b[2], b[3]]),
                None => 0,
            };
            self.window |= u128::from(word) << (96 - self.filled);
            self.next += 4;
            self.filled += 32;
        }
    }

    /// The next 64 bits.
    fn window(&self) -> u64 {
        (self.window >> 64) as u64
    }

    fn skip(&mut self, n: u32) {
        self.window <<= n;
        self.filled -= n;
        self.fill();
    }
}
