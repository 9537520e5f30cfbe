//! Syzygy endgame tables: win, draw or loss of every position with few pieces, and the distance to the next capture or
//! pawn move that keeps it.
//!
//! A reader of our own, because files may be damaged: it checks every index and offset. The crate `pyrrhic-rs`, translated
//! from C, wraps an unsafe interface instead.

mod index;
mod probe;
mod table;

use super::position::Chess;
use super::types::*;
use crate::bits::bb64::squares;
use crate::game::{RootTable, Side, Tablebase, Wdl};
use index::MOST;
use probe::{BLESSED_LOSS, CURSED_WIN, LOSS, WIN};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use table::{TableFile, TableKind};

/// How many pieces of each kind but the king each side has: pawns first, queens last.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
struct MaterialKey([[u8; 5]; 2]);

impl MaterialKey {
    /// Reads a table's name, as KRPvKR.
    fn parse(name: &str) -> Option<Self> {
        let (first, second) = name.split_once('v')?;
        let mut material = Self::default();
        for (side, text) in material.0.iter_mut().zip([first, second]) {
            for letter in text.strip_prefix('K')?.chars() {
                side["PNBRQ".find(letter)?] += 1;
            }
        }
        (3..=MOST).contains(&material.pieces()).then_some(material)
    }

    fn of(p: &Chess) -> Self {
        let count = |side, kind| p.pieces(side, kind).count_ones() as u8;
        let side = |side| [PAWN, KNIGHT, BISHOP, ROOK, QUEEN].map(|kind| count(side, kind));
        Self([side(Side::First), side(Side::Second)])
    }

    const fn flipped(self) -> Self {
        Self([self.0[1], self.0[0]])
    }

    fn symmetric(self) -> bool {
        self.0[0] == self.0[1]
    }

    fn pieces(self) -> usize {
        2 + self.0.iter().flatten().map(|&n| usize::from(n)).sum::<usize>()
    }

    const fn has_pawns(self) -> bool {
        self.0[0][0] + self.0[1][0] > 0
    }

    const fn both_have_pawns(self) -> bool {
        self.0[0][0] > 0 && self.0[1][0] > 0
    }

    /// Whether some piece has no like.
    fn unique(self) -> bool {
        self.0.iter().flatten().any(|&n| n == 1)
    }
}

/// A position as tables see it.
struct TableBoard {
    material: MaterialKey,
    black_to_move: bool,
    /// Squares and pieces, 1 to 6 white, 9 to 14 black.
    list: [(usize, u8); MOST],
    len: usize,
}

impl TableBoard {
    /// `None` with too many pieces.
    fn of(p: &Chess) -> Option<Self> {
        let mut board = Self {
            material: MaterialKey::of(p),
            black_to_move: p.side == Side::Second,
            list: [(0, 0); MOST],
            len: 0,
        };
        for s in squares(p.occupied()) {
            let piece = p.piece_on(s);
            let code = kind(piece) + 1 + if piece >= 6 { 8 } else { 0 };
            *board.list.get_mut(board.len)? = (usize::from(s), code);
            board.len += 1;
        }
        Some(board)
    }

    fn pieces(&self) -> &[(usize, u8)] {
        &self.list[..self.len]
    }
}

/// A file that is opened at the first probe.
struct Shelf {
    path: PathBuf,
    kind: TableKind,
    table: OnceLock<Option<TableFile>>,
}

impl Shelf {
    const fn new(path: PathBuf, kind: TableKind) -> Self {
        Self {
            path,
            kind,
            table: OnceLock::new(),
        }
    }

    fn get(&self, material: MaterialKey) -> Option<&TableFile> {
        let open = || TableFile::open(&self.path, self.kind, material);
        self.table.get_or_init(open).as_ref()
    }
}

/// The tables of one material.
struct TableFiles {
    material: MaterialKey,
    wdl: Shelf,
    dtz: Option<Shelf>,
}

/// All tables found in some folders.
pub(super) struct Tables {
    entries: HashMap<MaterialKey, TableFiles>,
    most: u32,
}

/// Files of another size are cut short.
const WHOLE: (u64, u64) = (64, 16);

impl Tables {
    /// Looks the tables up in folders, listed as the system lists paths. The error says what is wrong with them.
    pub fn open(folders: &str) -> Result<Self, String> {
        let mut entries = HashMap::new();
        let mut distances = HashMap::new();
        for folder in std::env::split_paths(folders) {
            // XBoard sends a folder that is often not there, and takes the system's own words for it, anywhere in a line, to
            // mean that the engine did not start.
            let list = std::fs::read_dir(&folder).map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => format!("there is no folder {folder:?}"),
                _ => format!("cannot read the folder {folder:?}: {e}"),
            })?;
            for path in list.flatten().map(|entry| entry.path()) {
                let Some(material) = path.file_stem().and_then(|n| n.to_str()).and_then(MaterialKey::parse) else {
                    continue;
                };
                match path.extension().and_then(|e| e.to_str()) {
                    Some("rtbw") => {
                        whole(&path)?;
                        let wdl = Shelf::new(path, TableKind::Wdl);
                        entries.insert(
                            material,
                            TableFiles {
                                material,
                                wdl,
                                dtz: None,
                            },
                        );
                    }
                    Some("rtbz") => {
                        whole(&path)?;
                        distances.insert(material, Shelf::new(path, TableKind::Dtz));
                    }
                    _ => {}
                }
            }
        }
        for (material, entry) in &mut entries {
            entry.dtz = distances.remove(material);
        }
        let most = entries.keys().map(|m| m.pieces() as u32).max();
        let most = most.ok_or_else(|| format!("no tables (*.rtbw) in {folders:?}"))?;
        Ok(Self { entries, most })
    }

    fn entry(&self, material: MaterialKey) -> Option<&TableFiles> {
        self.entries
            .get(&material)
            .or_else(|| self.entries.get(&material.flipped()))
    }
}

fn whole(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(file) if file.len() % WHOLE.0 == WHOLE.1 => Ok(()),
        Ok(_) => Err(format!("the file {path:?} is no table, or cut short")),
        Err(e) => Err(format!("cannot read {path:?}: {e}")),
    }
}

/// Tables with the user's probe settings.
#[derive(Clone)]
pub(super) struct Syzygy {
    pub tables: Arc<Tables>,
    /// Least depth at which positions with the most pieces are probed.
    pub depth: i32,
    /// Whether wins that the fifty-move rule spoils are draws.
    pub fifty: bool,
    /// Probe limit: the most pieces.
    pub limit: u32,
}

impl Syzygy {
    fn holds(&self, p: &Chess) -> bool {
        p.occupied().count_ones() <= self.limit.min(self.tables.most) && !p.castling_rights()
    }

    fn verdict(&self, wdl: i32) -> Wdl {
        match wdl {
            WIN => Wdl::Win,
            LOSS => Wdl::Loss,
            CURSED_WIN if !self.fifty => Wdl::Win,
            BLESSED_LOSS if !self.fifty => Wdl::Loss,
            _ => Wdl::Draw,
        }
    }
}

impl Tablebase<Chess> for Syzygy {
    fn probe(&self, p: &Chess, depth: i32) -> Option<Wdl> {
        // What the tables say holds for a fresh count of the fifty-move rule.
        let few = p.clock() == 0 && self.holds(p);
        let deep = || depth >= self.depth || p.occupied().count_ones() < self.limit.min(self.tables.most);
        if !few || !deep() {
            return None;
        }
        Some(self.verdict(self.tables.wdl(p)?))
    }

    fn root_moves(&self, p: &Chess) -> Option<RootTable<ChessMove>> {
        if !self.holds(p) {
            return None;
        }
        self.tables.rank_by_distance(p, self.fifty).or_else(|| self.rank(p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Kind as Moved, Moves};
    use crate::util::rng::SplitMix;

    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

    fn syzygy(fifty: bool) -> Syzygy {
        Syzygy {
            tables: Arc::new(Tables::open(FOLDER).expect("tables")),
            depth: 1,
            fifty,
            limit: 7,
        }
    }

    fn position(fen: &str) -> Chess {
        Chess::parse(fen, &ChessRules::default()).expect("a position")
    }

    /// A random legal position of two kings and a piece.
    fn random(rng: &mut SplitMix) -> Option<Chess> {
        let mut board = [b'1'; 64];
        let letter = b"QRPBNqrpbn"[rng.below(10) as usize];
        for piece in [b'K', b'k', letter] {
            board[rng.below(64) as usize] = piece;
        }
        let ranks: Vec<String> = board.chunks(8).map(|r| String::from_utf8_lossy(r).into()).collect();
        let side = ["w", "b"][rng.below(2) as usize];
        Chess::parse(&format!("{} {side} - - 0 1", ranks.join("/")), &ChessRules::default()).ok()
    }

    fn each_move(p: &Chess, mut f: impl FnMut(ChessMove, &mut Chess)) {
        let mut moves = Moves::new();
        p.generate(Moved::All, &mut moves);
        for m in moves.iter() {
            let mut next = p.clone();
            next.play(m);
            f(m, &mut next);
        }
    }

    /// What is best for one side is what its best move leads to, and each move brings the next capture, pawn move or
    /// mate nearer.
    #[test]
    fn values_agree_with_those_of_the_next_positions() {
        let tables = Tables::open(FOLDER).expect("tables");
        let mut rng = SplitMix::new(3);
        let mut seen = 0;
        while seen < 3000 {
            let Some(p) = random(&mut rng) else { continue };
            let wdl = tables.wdl(&p).expect("a value");
            let mut best: Option<(i32, i32)> = None;
            each_move(&p, |_, next| {
                let value = -tables.wdl(next).expect("a value");
                let plies = tables.dtz_after(&mut next.without_past(), next.clock() == 0);
                let plies = plies.expect("a distance");
                assert_eq!(value.signum(), plies.signum(), "{} {}", p.setup(), next.setup());
                // A win soon, a loss late.
                let rank = if plies == 0 { (value, 0) } else { (value, -plies) };
                best = best.max(Some(rank));
            });
            let Some((value, plies)) = best else { continue };
            seen += 1;
            assert_eq!(wdl, value, "{}", p.setup());
            let dtz = tables.dtz(&mut p.without_past()).expect("a distance");
            assert!((dtz + plies).abs() <= 1, "{} {dtz} {plies}", p.setup());
        }
    }

    #[test]
    fn wins_that_come_too_late_are_draws() {
        // Mate takes some twenty moves.
        let fen = |clock: u32| format!("8/8/8/3k4/8/8/8/KR6 w - - {clock} 100");
        let best = |fifty, clock| {
            let table = syzygy(fifty).root_moves(&position(&fen(clock))).expect("in the tables");
            assert!(table.by_distance);
            table.moves.iter().max_by_key(|r| r.rank).expect("a move").wdl
        };
        assert_eq!((best(true, 0), best(true, 90)), (Wdl::Win, Wdl::Draw));
        assert_eq!(best(false, 90), Wdl::Win);
    }

    #[test]
    fn without_distances_the_outcome_ranks() {
        let folder = std::env::temp_dir().join(format!("nguky-{}-wdl", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let name = "KPvK.rtbw";
        std::fs::copy(format!("{FOLDER}/{name}"), folder.join(name)).expect("a copy");
        let tables = Tables::open(&folder.display().to_string()).expect("tables");
        let s = Syzygy {
            tables: Arc::new(tables),
            ..syzygy(true)
        };
        let p = position("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1");
        let table = s.root_moves(&p).expect("in the tables");
        let won: Vec<_> = table.moves.iter().filter(|r| r.wdl == Wdl::Win).collect();
        assert!(!table.by_distance && won.len() == 1 && p.move_text(won[0].mv) == "d6e6");
        assert!(table.moves.iter().all(|r| r.rank <= won[0].rank));
        // A promotion leads out of what is at hand.
        assert_eq!(s.root_moves(&position("8/2P5/1K6/8/8/8/8/k7 w - - 0 1")), None);
        let _ = std::fs::remove_dir_all(&folder);
    }

    #[test]
    fn the_tree_asks_fresh_counts_and_small_positions_only() {
        let mut s = syzygy(true);
        let fresh = position("8/8/8/3k4/8/8/8/KR6 w - - 0 1");
        assert_eq!(s.probe(&fresh, 1), Some(Wdl::Win));
        assert_eq!(s.probe(&position("8/8/8/3k4/8/8/8/KR6 w - - 1 1"), 1), None);
        assert_eq!(s.probe(&position("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), 1), None);
        assert_eq!(s.probe(&position("8/8/8/3k4/8/8/1P6/KR6 w - - 0 1"), 1), None);
        s.depth = 5;
        assert_eq!((s.probe(&fresh, 4), s.probe(&fresh, 5)), (None, Some(Wdl::Win)));
        s.limit = 2;
        assert_eq!(s.probe(&fresh, 9), None);
    }

    #[test]
    fn what_cannot_be_tables_is_named() {
        let error = |path: &str| Tables::open(path).err().expect("an error");
        assert!(error("/nowhere/at/all").contains("/nowhere/at/all"));
        assert!(error(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).contains("no tables"));
    }

    /// Damage may cost values, never the engine.
    #[test]
    fn damaged_files_do_no_harm() {
        let mut rng = SplitMix::new(9);
        let pawn = MaterialKey::parse("KPvK").expect("a material");
        let path = std::env::temp_dir().join(format!("nguky-{}-KPvK", std::process::id()));
        for (suffix, kind) in [("rtbw", TableKind::Wdl), ("rtbz", TableKind::Dtz)] {
            let whole = std::fs::read(format!("{FOLDER}/KPvK.{suffix}")).expect("a table");
            for _ in 0..400 {
                let mut bytes = whole.clone();
                for _ in 0..1 + rng.below(8) {
                    // The header is where it hurts.
                    let range = if rng.below(2) == 0 { 200 } else { bytes.len() as u64 };
                    bytes[4 + rng.below(range - 4) as usize] = rng.next() as u8;
                }
                bytes.truncate(bytes.len() - [0, 64, 1000][rng.below(3) as usize]);
                std::fs::write(&path, &bytes).expect("a file");
                let Some(table) = TableFile::open(&path, kind, pawn) else {
                    continue;
                };
                for fen in ["8/8/8/3k4/8/8/4P3/4K3 w - - 0 1", "8/6p1/8/3k4/8/8/8/4K3 w - - 0 1"] {
                    let board = TableBoard::of(&position(fen)).expect("few pieces");
                    let _ = table.probe(&board, WIN);
                }
            }
        }
        let _ = std::fs::remove_file(&path);
    }

    /// Lines of `FEN;wdl;dtz` in `values.txt` beside the tables.
    #[test]
    #[ignore = "needs a folder of tables and their values, named in NGUKY_SYZYGY"]
    fn values_are_those_of_another_reader() {
        let folder = std::env::var("NGUKY_SYZYGY").expect("NGUKY_SYZYGY");
        let tables = Tables::open(&folder).expect("tables");
        let values = std::fs::read_to_string(format!("{folder}/values.txt")).expect("values");
        for line in values.lines() {
            let fields: Vec<&str> = line.split(';').collect();
            let p = position(fields[0]);
            let number = |i: usize| fields[i].parse::<i32>().ok();
            assert_eq!(tables.wdl(&p), number(1), "{line}");
            if let Some(dtz) = number(2) {
                assert_eq!(tables.dtz(&mut p.without_past()), Some(dtz), "{line}");
            }
        }
    }
}
