//! The input features of KataGo's networks (its version 7, `fillRowV7` of its `nninputs.cpp`): 22 planes with a number a
//! point, and 19 global numbers.

use crate::games::go::ko::KoHistory;
use crate::games::go::ladder::{LadderReader, Ladders};
use crate::games::go::rules::{DeadStones, Ko, Rules, Scoring, Tax};
use crate::games::go::types::{BLACK, CELLS, Colour, EDGE, EMPTY, NONE, PASS, POINTS, Point, WHITE, other};
use crate::games::go::{Board, Game};

/// Planes.
pub const SPATIAL: usize = 22;
/// Global numbers.
pub const GLOBALS: usize = 19;

/// Moves that the planes show.
const MOVES: usize = 5;

/// The last moves, and the boards before the last and before the last but one.
#[derive(Clone)]
pub struct RecentMoves {
    /// Colour and point of each, the last first; [`EMPTY`] before the first move.
    moves: [(Colour, Point); MOVES],
    boards: [Box<Board>; 2],
}

impl RecentMoves {
    /// None before this board.
    pub fn new(board: &Board) -> Self {
        Self {
            moves: [(EMPTY, NONE); MOVES],
            boards: [Box::new(board.clone()), Box::new(board.clone())],
        }
    }

    /// The last moves of a game.
    pub fn of(game: &Game) -> Self {
        let mut board = game.base().clone();
        let mut recent = Self::new(&board);
        let early = game.moves().len().saturating_sub(MOVES);
        for (i, &(c, p)) in game.moves().iter().enumerate() {
            if i >= early {
                recent.push(&board, c, p);
            }
            if p == PASS {
                board.pass();
            } else {
                board.play(p, c);
            }
        }
        recent
    }

    /// Adds a move and the board that it was played on.
    pub fn push(&mut self, before: &Board, c: Colour, p: Point) {
        self.moves.rotate_right(1);
        self.moves[0] = (c, p);
        self.boards.swap(0, 1);
        self.boards[0].copy_from(before);
    }

    /// Becomes a copy of another.
    pub fn copy_from(&mut self, from: &Self) {
        self.moves = from.moves;
        for (board, from) in self.boards.iter_mut().zip(&from.boards) {
            board.copy_from(from);
        }
    }

    /// The last moves as far as the colours alternate, with `turn` to move.
    fn alternating(&self, turn: Colour) -> impl Iterator<Item = Point> + '_ {
        let mut mover = turn;
        self.moves.iter().map_while(move |&(c, p)| {
            mover = other(mover);
            (c == mover).then_some(p)
        })
    }

    /// A key of what the planes show of the last moves, with `turn` to move.
    pub fn key(&self, turn: Colour) -> u64 {
        let mut key = 0u64;
        for (i, p) in self.alternating(turn).enumerate() {
            key = (key ^ (u64::from(p) + 1000 * (i as u64 + 1))).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            key ^= key >> 29;
        }
        for (i, board) in self.boards.iter().enumerate() {
            key ^= board.key().rotate_left(13 * (i as u32 + 1));
        }
        key
    }
}

/// A position with all that the features depend on.
#[derive(Clone, Copy)]
pub struct InputView<'a> {
    /// The stones.
    pub board: &'a Board,
    /// Who is to move.
    pub turn: Colour,
    /// The rules.
    pub rules: &'a Rules,
    /// White's points in all.
    pub compensation: f32,
    /// Passes in a row.
    pub passes: usize,
    /// The positions that may not come up again.
    pub history: &'a KoHistory,
    /// The last moves.
    pub recent: &'a RecentMoves,
    /// Whether chains count as alive as if suicide were legal, as some networks expect.
    pub alive_by_suicide: bool,
}

impl InputView<'_> {
    /// Komi from the side to move's point of view; where territory counts, each stone played costs a point.
    fn own_komi(&self) -> f32 {
        let (b, stones) = (self.board, self.board.stone_balance() as f32);
        let played = match self.rules.scoring {
            Scoring::Area => 0.0,
            Scoring::Territory => stones + b.lost(BLACK) as f32 - b.lost(WHITE) as f32,
        };
        let white = self.compensation + played;
        if self.turn == WHITE { white } else { -white }
    }

    /// Whether a second pass would end the game, but the players would resume it if they disagree about dead stones: KataGo
    /// hides the first pass from the network then.
    fn is_last_pass_friendly(&self) -> bool {
        self.passes == 1 && self.rules.scoring == Scoring::Area && self.rules.dead == DeadStones::Agreed
    }
}

/// The ladders of a board, cached.
struct CachedLadders {
    key: u64,
    ladders: Ladders,
}

/// Boards whose ladders are cached.
const CACHED: usize = 1024;

/// Computes the features, with buffers and a cache of ladders of its own.
pub struct InputEncoder {
    reader: LadderReader,
    cache: Vec<Option<Box<CachedLadders>>>,
    area: Box<[Colour; CELLS]>,
}

impl Default for InputEncoder {
    fn default() -> Self {
        Self {
            reader: LadderReader::default(),
            cache: (0..CACHED).map(|_| None).collect(),
            area: Box::new([EMPTY; CELLS]),
        }
    }
}

/// The number of a point in the planes: top row first.
fn place(board: &Board, index: usize) -> usize {
    let n = board.size();
    (n - 1 - index / n) * n + index % n
}

impl InputEncoder {
    /// Fills in the planes, one after the other, each row by row from the top, and the numbers. `spatial` holds
    /// [`SPATIAL`] times the area, `globals` [`GLOBALS`].
    pub fn encode(&mut self, view: &InputView, spatial: &mut [f32], globals: &mut [f32]) {
        let (board, turn) = (view.board, view.turn);
        let area = board.area();
        let spatial = &mut spatial[..SPATIAL * area];
        let globals = &mut globals[..GLOBALS];
        spatial.fill(0.0);
        globals.fill(0.0);
        let mut set = |plane: usize, index: usize| spatial[plane * area + place(board, index)] = 1.0;
        for (i, p) in board.points().enumerate() {
            set(0, i);
            let c = board.colour(p);
            if c != EMPTY {
                set(if c == turn { 1 } else { 2 }, i);
                let liberties = board.liberties(p);
                if liberties <= 3 {
                    set(2 + liberties, i);
                }
            }
        }
        forbidden(view, |p| set(6, board.index(p)));

        let hidden = view.is_last_pass_friendly();
        let mut shown = 0;
        for (i, p) in view.recent.alternating(turn).enumerate() {
            if hidden {
                break;
            }
            shown += 1;
            if p == PASS {
                globals[i] = 1.0;
            } else {
                set(9 + i, board.index(p));
            }
        }

        let ladders = self.ladders(board);
        ladders.caught.iter().for_each(|i| set(14, i));
        ladders.catches[other(turn) as usize].iter().for_each(|i| set(17, i));
        let before = if shown < 1 { board } else { &view.recent.boards[0] };
        self.ladders(before).caught.iter().for_each(|i| set(15, i));
        let before = if shown < 2 { before } else { &view.recent.boards[1] };
        self.ladders(before).caught.iter().for_each(|i| set(16, i));

        if view.rules.scoring == Scoring::Area {
            let suicide = view.rules.suicide || view.alive_by_suicide;
            whose(board, suicide, &mut self.area);
            if view.rules.tax != Tax::None {
                without_seki(board, &mut self.area);
            }
            for (i, p) in board.points().enumerate() {
                let owner = self.area[p as usize];
                if owner != EMPTY {
                    set(if owner == turn { 18 } else { 19 }, i);
                }
            }
        }
        global_features(view, hidden, globals);
    }

    fn ladders(&mut self, board: &Board) -> &Ladders {
        let key = board.key() ^ u64::from(board.ko()).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ board.area() as u64;
        let slot = &mut self.cache[key as usize % CACHED];
        let fresh = slot.as_ref().is_none_or(|cached| cached.key != key);
        let ladders = fresh.then(|| self.reader.all(board));
        let cached = slot.get_or_insert_with(|| {
            Box::new(CachedLadders {
                key,
                ladders: Ladders::default(),
            })
        });
        if let Some(ladders) = ladders {
            cached.key = key;
            cached.ladders = ladders;
        }
        &cached.ladders
    }
}

/// Calls `found` with the empty points that ko and superko forbid.
fn forbidden(view: &InputView, mut found: impl FnMut(Point)) {
    let (board, turn) = (view.board, view.turn);
    if board.ko() != NONE {
        found(board.ko());
    }
    if view.rules.ko == Ko::Simple || board.lost(BLACK) + board.lost(WHITE) == 0 {
        return;
    }
    // A Bloom filter of the history: most keys are not in it.
    let mut filter = [0u64; 64];
    for key in view.history.keys() {
        filter[(key >> 6) as usize % 64] |= 1 << (key % 64);
    }
    for &p in board.empties() {
        if p == board.ko() || !board.is_legal(p, turn, view.rules.suicide) {
            continue;
        }
        let key = KoHistory::key(view.rules.ko, board.key_after(p, turn), other(turn));
        if filter[(key >> 6) as usize % 64] >> (key % 64) & 1 == 1 && view.history.contains(key) {
            found(p);
        }
    }
}

fn global_features(view: &InputView, hidden: bool, globals: &mut [f32]) {
    let (rules, area) = (view.rules, view.board.area());
    let flag = |yes: bool| if yes { 1.0 } else { 0.0 };
    let most = area as f32 + 60.0;
    let komi = view.own_komi().clamp(-most, most);
    globals[5] = komi / 20.0;
    (globals[6], globals[7]) = match rules.ko {
        Ko::Simple => (0.0, 0.0),
        Ko::Positional => (1.0, 0.5),
        Ko::Situational => (1.0, -0.5),
    };
    globals[8] = flag(rules.suicide);
    globals[9] = flag(rules.scoring == Scoring::Territory);
    globals[10] = flag(rules.tax != Tax::None);
    globals[11] = flag(rules.tax == Tax::All);
    globals[14] = flag(view.passes == 1 && !hidden);
    if rules.scoring == Scoring::Area {
        // How far komi is from where a draw is possible, as a wave.
        let floor = if area.is_multiple_of(2) {
            (komi / 2.0).floor() * 2.0
        } else {
            ((komi - 1.0) / 2.0).floor() * 2.0 + 1.0
        };
        let delta = (komi - floor).clamp(0.0, 2.0);
        globals[18] = match delta {
            ..0.5 => delta,
            ..1.5 => 1.0 - delta,
            _ => delta - 2.0,
        };
    }
}

/// Whose each point is if the game ended now: what lives for certain and what it encloses, other stones, and empty points
/// that only one colour reaches. By point.
fn whose(board: &Board, suicide: bool, owner: &mut [Colour; CELLS]) {
    owner[..board.cells()].fill(EMPTY);
    for c in [BLACK, WHITE] {
        enclosed(board, c, suicide, owner);
    }
    for p in board.points() {
        if owner[p as usize] == EMPTY {
            owner[p as usize] = board.colour(p);
        }
    }
}

/// A region without stones of a colour.
struct Region {
    /// The first of its points in the list of all.
    start: usize,
    end: usize,
    /// Chains that every point that counts touches; at most those around the first point.
    vital: [Point; 4],
    /// Whether points not beside a stone of the colour are at most one.
    tight: bool,
    /// Whether it holds stones of the other colour.
    invaded: bool,
    /// Whether a chain around it may die.
    weak: bool,
}

/// Marks what is `c`'s by Benson's algorithm, and what only `c` reaches where nothing is marked.
fn enclosed(board: &Board, c: Colour, suicide: bool, owner: &mut [Colour; CELLS]) {
    let mut number = [u16::MAX; CELLS];
    let mut points = [NONE; POINTS];
    let mut regions: Vec<Region> = Vec::with_capacity(64);
    let mut heads: Vec<(Point, bool)> = Vec::with_capacity(64);
    let mut end = 0;
    for p in board.points() {
        if board.colour(p) == c && board.head(p) == p {
            heads.push((p, true));
        }
        if board.colour(p) != EMPTY || number[p as usize] != u16::MAX {
            continue;
        }
        let mut region = Region {
            start: end,
            end,
            vital: board
                .around(p)
                .map(|q| if board.colour(q) == c { board.head(q) } else { NONE }),
            tight: true,
            invaded: false,
            weak: false,
        };
        let mut inside = 0;
        points[end] = p;
        end += 1;
        number[p as usize] = regions.len() as u16;
        let mut at = region.start;
        while at < end {
            let p = points[at];
            at += 1;
            region.invaded |= board.colour(p) != EMPTY;
            let around = board.around(p);
            if suicide || board.colour(p) == EMPTY {
                for v in &mut region.vital {
                    if *v != NONE && !around.into_iter().any(|q| board.head(q) == *v) {
                        *v = NONE;
                    }
                }
            }
            inside += u32::from(around.into_iter().all(|q| board.colour(q) != c));
            for q in around {
                let there = board.colour(q);
                if there != c && there != EDGE && number[q as usize] == u16::MAX {
                    number[q as usize] = regions.len() as u16;
                    points[end] = q;
                    end += 1;
                }
            }
        }
        for i in 1..4 {
            if region.vital[..i].contains(&region.vital[i]) {
                region.vital[i] = NONE;
            }
        }
        region.end = end;
        region.tight = inside <= 1;
        regions.push(region);
    }
    if heads.is_empty() {
        return;
    }
    loop {
        let mut changed = false;
        for (head, alive) in heads.iter_mut().filter(|(_, alive)| *alive) {
            let eyes = regions.iter().filter(|r| !r.weak && r.vital.contains(head)).count();
            if eyes < 2 {
                *alive = false;
                changed = true;
                for s in board.chain(*head) {
                    for q in board.around(s) {
                        if let Some(region) = regions.get_mut(number[q as usize] as usize) {
                            region.weak = true;
                        }
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    for (head, _) in heads.iter().filter(|(_, alive)| *alive) {
        board.chain(*head).for_each(|s| owner[s as usize] = c);
    }
    for region in &regions {
        let safe = !region.weak && (region.tight || !region.invaded);
        for &p in &points[region.start..region.end] {
            if safe || (!region.invaded && owner[p as usize] == EMPTY) {
                owner[p as usize] = c;
            }
        }
    }
}

/// Takes empty points from those whose groups are in seki: that touch neutral points or have a stone in atari.
fn without_seki(board: &Board, owner: &mut [Colour; CELLS]) {
    let mut seki = [false; CELLS];
    let mut list = Vec::new();
    for p in board.points() {
        let c = owner[p as usize];
        if c == EMPTY || seki[p as usize] {
            continue;
        }
        let neutral = |q: Point| board.colour(q) == EMPTY && owner[q as usize] == EMPTY;
        let atari = board.colour(p) == c && board.liberties(p) == 1;
        if !atari && !board.around(p).into_iter().any(neutral) {
            continue;
        }
        seki[p as usize] = true;
        list.push(p);
        while let Some(p) = list.pop() {
            for q in board.around(p) {
                if owner[q as usize] == c && !seki[q as usize] && board.colour(q) != EDGE {
                    seki[q as usize] = true;
                    list.push(q);
                }
            }
        }
    }
    for p in board.points() {
        if seki[p as usize] && board.colour(p) != owner[p as usize] {
            owner[p as usize] = EMPTY;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::go::coords;

    /// The planes of a game by number, as the vertices of their points, and the numbers.
    fn features(game: &Game) -> (Vec<String>, Vec<f32>) {
        let (board, recent) = (game.board(), RecentMoves::of(game));
        let view = InputView {
            board,
            turn: crate::games::go::types::colour(game.side()),
            rules: game.rules(),
            compensation: game.compensation(),
            passes: game.passes(),
            history: game.history(),
            recent: &recent,
            alive_by_suicide: false,
        };
        let (n, area) = (board.size(), board.area());
        let (mut spatial, mut globals) = (vec![9.0; SPATIAL * area], vec![9.0; GLOBALS]);
        InputEncoder::default().encode(&view, &mut spatial, &mut globals);
        let vertex = |i: usize| coords::text(board, board.at(i % n, n - 1 - i / n));
        let plane = |cells: &[f32]| {
            let set = (0..area).filter(|&i| cells[i] == 1.0).map(vertex);
            set.collect::<Vec<_>>().join(" ")
        };
        (spatial.chunks(area).map(plane).collect(), globals)
    }

    fn played(size: usize, rules: Rules, moves: &str) -> Game {
        let mut game = Game::new(size, rules).expect("a game");
        for v in moves.split_whitespace() {
            let p = coords::parse(game.board(), v).expect("a vertex");
            game.play(p, game.side()).expect("a legal move");
        }
        game
    }

    #[test]
    fn the_last_moves_and_stones_are_shown() {
        let (planes, numbers) = features(&played(5, Rules::JAPANESE, "A1 C3 pass D4 B1"));
        // White to move: own stones, the opponent's, and one, two or three liberties.
        assert_eq!((&*planes[1], &*planes[2]), ("D4 C3", "A1 B1"));
        assert_eq!((&*planes[3], &*planes[4], &*planes[5]), ("", "", "A1 B1"));
        let past = ["B1", "D4", "", "C3", "A1"];
        assert_eq!(planes[9..14], past);
        assert_eq!(numbers[..5], [0.0, 0.0, 1.0, 0.0, 0.0]);
        // Both have played two stones.
        assert_eq!(numbers[5], 6.5 / 20.0);
        assert_eq!(
            (numbers[9], numbers[10], numbers[11], numbers[14], numbers[18]),
            (1.0, 1.0, 0.0, 0.0, 0.0)
        );
        assert_eq!((&*planes[18], &*planes[19]), ("", ""));
        let (_, numbers) = features(&played(5, Rules::JAPANESE, "A1"));
        assert_eq!(numbers[5], 7.5 / 20.0);
    }

    #[test]
    fn a_pass_is_shown_where_another_would_end_the_game() {
        let (_, numbers) = features(&played(5, Rules::TROMP_TAYLOR, "C3 pass"));
        assert_eq!((numbers[0], numbers[14]), (1.0, 1.0));
        // Where the players agree on what is dead, a pass ends nothing that is still fought for.
        let (planes, numbers) = features(&played(5, Rules::CHINESE, "C3 pass"));
        assert_eq!((numbers[0], numbers[14], &*planes[10]), (0.0, 0.0, ""));
    }

    #[test]
    fn ko_and_superko_bar_points() {
        let game = played(5, Rules::TROMP_TAYLOR, "A2 D2 B3 C3 B1 C1 pass B2 C2");
        assert!(game.board().ko() != NONE);
        let (planes, _) = features(&game);
        assert_eq!(planes[6], "B2");
        // After two passes the ko is over, and superko alone bars the point.
        let game = played(5, Rules::TROMP_TAYLOR, "A2 D2 B3 C3 B1 C1 pass B2 C2 pass E5");
        let barred = features(&game).0[6].clone();
        assert_eq!(
            barred == "B2",
            !game.is_legal(game.board().at(1, 1), game.side()),
            "{barred}"
        );
    }

    #[test]
    fn what_lives_is_shown_with_what_it_holds() {
        let rows = [".X.XO", "XXXXO", "OOOOO", ".....", "....."];
        let board = Board::drawn(&rows).expect("a board");
        let game = Game::from_board(board, Rules::TROMP_TAYLOR, crate::game::Side::First);
        let (planes, _) = features(&game);
        assert_eq!(planes[18], "A5 B5 C5 D5 A4 B4 C4 D4");
        assert_eq!(planes[19].split(' ').count(), 25 - 8);
        // Where territory counts, nothing is shown before the end.
        let board = Board::drawn(&rows).expect("a board");
        let game = Game::from_board(board, Rules::JAPANESE, crate::game::Side::First);
        assert_eq!(features(&game).0[18], "");
    }

    #[test]
    fn the_wave_of_komi_rises_where_a_draw_is_near() {
        for (size, komi, wave) in [
            (9, 7.0, 0.0),
            (9, 7.5, 0.5),
            (9, 6.5, -0.5),
            (9, 6.0, 0.0),
            (6, 6.0, 0.0),
        ] {
            let mut game = played(size, Rules::TROMP_TAYLOR, "A1");
            game.set_komi(komi);
            assert_eq!(features(&game).1[18], wave, "{size} {komi}");
        }
    }
}
