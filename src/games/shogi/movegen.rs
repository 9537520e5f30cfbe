//! Legal moves. Pinned pieces keep to their line, a check narrows all targets, only the king's steps are tried out.

use super::attacks::{ahead, between, bishop, dragon, gold, horse, king, knight, lance, rook, silver};
use super::position::{Shogi, ShogiBoard, attacks};
use super::types::{BOARD, DROPS, EMPTY, KINDS, Kind, NO_KING, POINTS, SMove, dead_end, far, kind_of, side_of, zone};
use crate::bits::Bb128;
use crate::game::{self, Moves, Side};

/// What becomes of the targets that the walk over the pieces finds.
trait ShogiMoveSink {
    /// A piece of a kind on `from` may go to `targets`.
    fn piece(&mut self, from: u8, kind: Kind, targets: Bb128);
    /// Pawns may step to `targets`.
    fn pawns(&mut self, targets: Bb128);
}

/// The promotions among a piece's targets, and the unpromoted moves.
#[inline]
fn split(us: Side, kind: Kind, from: u8, targets: Bb128) -> (Bb128, Bb128) {
    let promotions = if !kind.promotes() {
        Bb128::EMPTY
    } else if zone(us).has(from) {
        targets
    } else {
        targets & zone(us)
    };
    (promotions, targets.without(dead_end(us, kind)))
}

/// Where the pawns of `side` step to.
#[inline]
fn pawn_steps(side: Side, pawns: Bb128) -> Bb128 {
    match side {
        Side::First => Bb128(pawns.0 >> 1),
        Side::Second => Bb128(pawns.0 << 1),
    }
}

struct Counter {
    us: Side,
    n: u32,
}

impl ShogiMoveSink for Counter {
    #[inline]
    fn piece(&mut self, from: u8, kind: Kind, targets: Bb128) {
        let (promotions, plain) = split(self.us, kind, from, targets);
        self.n += plain.len();
        if kind.promotes() {
            self.n += promotions.len();
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bb128) {
        self.n += targets.without(dead_end(self.us, Kind::Pawn)).len() + (targets & zone(self.us)).len();
    }
}

struct Lister<'a> {
    us: Side,
    /// Targets whose plain moves and promotions are wanted; those of the kinds in [`Kind::always_promotes`] and the
    /// others differ.
    plain: Bb128,
    big_promotions: Bb128,
    small_promotions: Bb128,
    /// Leave out moves that had better promote.
    lean: bool,
    out: &'a mut Moves<SMove>,
}

impl Lister<'_> {
    #[inline]
    fn wanted(&self, kind: Kind, from: u8, targets: Bb128) -> (Bb128, Bb128) {
        let (promotions, mut plain) = split(self.us, kind, from, targets);
        if self.lean {
            if kind.always_promotes() {
                plain = plain.without(promotions);
            } else if kind == Kind::Lance {
                plain = plain.without(far(self.us, 2));
            }
        }
        let promotions = promotions
            & if kind.always_promotes() {
                self.big_promotions
            } else {
                self.small_promotions
            };
        (promotions, plain & self.plain)
    }
}

impl ShogiMoveSink for Lister<'_> {
    #[inline]
    fn piece(&mut self, from: u8, kind: Kind, targets: Bb128) {
        let (promotions, plain) = self.wanted(kind, from, targets);
        promotions.for_each(|to| self.out.push(SMove::new(from, to, true)));
        plain.for_each(|to| self.out.push(SMove::new(from, to, false)));
    }

    #[inline]
    fn pawns(&mut self, targets: Bb128) {
        // Where the pawn comes from does not matter: a pawn's promotions all end in the zone or start there.
        let back = |to: u8| match self.us {
            Side::First => to + 1,
            Side::Second => to - 1,
        };
        let promotions = targets & zone(self.us);
        let mut plain = targets.without(dead_end(self.us, Kind::Pawn));
        if self.lean {
            plain = plain.without(promotions);
        }
        (promotions & self.big_promotions).for_each(|to| self.out.push(SMove::new(back(to), to, true)));
        (plain & self.plain).for_each(|to| self.out.push(SMove::new(back(to), to, false)));
    }
}

/// How a side may check the enemy king.
#[derive(Clone, Copy, Debug)]
pub struct CheckMap {
    us: Side,
    /// From where each kind checks.
    spots: [Bb128; 14],
    /// Pieces that uncover a check when they leave their line, and the enemy king.
    covers: Bb128,
    target: u8,
}

impl CheckMap {
    /// Whether the piece on `from` uncovers a check by going to `to`.
    #[inline]
    fn uncovers(&self, board: &ShogiBoard, from: u8, to: u8) -> bool {
        self.covers.has(from) && {
            let start = Bb128::of(from);
            let occupied = board.occupied().without(start) | Bb128::of(to);
            board.sliders_to(self.target, occupied, self.us).without(start).any()
        }
    }

    /// Whether a legal move checks.
    #[inline]
    pub(super) fn checks(&self, board: &ShogiBoard, m: SMove) -> bool {
        let to = m.to();
        if let Some(kind) = m.dropped() {
            return self.spots[kind as usize].has(to);
        }
        let kind = kind_of(board.at(m.from()));
        let kind = if m.is_promotion() { kind.promoted() } else { kind };
        self.spots[kind as usize].has(to) || self.uncovers(board, m.from(), to)
    }
}

/// Keeps the moves that check, in whatever way.
struct Checks<'a> {
    board: &'a ShogiBoard,
    map: CheckMap,
    out: &'a mut Moves<SMove>,
}

impl ShogiMoveSink for Checks<'_> {
    fn piece(&mut self, from: u8, kind: Kind, targets: Bb128) {
        let map = &self.map;
        let (promotions, plain) = split(map.us, kind, from, targets);
        for to in promotions {
            if map.spots[kind.promoted() as usize].has(to) || map.uncovers(self.board, from, to) {
                self.out.push(SMove::new(from, to, true));
            }
        }
        for to in plain {
            if map.spots[kind as usize].has(to) || map.uncovers(self.board, from, to) {
                self.out.push(SMove::new(from, to, false));
            }
        }
    }

    fn pawns(&mut self, targets: Bb128) {
        for to in targets {
            let from = if self.map.us == Side::First { to + 1 } else { to - 1 };
            self.piece(from, Kind::Pawn, Bb128::of(to));
        }
    }
}

impl ShogiBoard {
    /// From where pieces of each kind of a side would check a king on `target`; a slider that is itself in the way of
    /// its own line counts as such.
    pub(super) fn check_spots(&self, us: Side, target: u8) -> [Bb128; 14] {
        let occupied = self.occupied();
        let them = us.other();
        let (near, golden) = (king(target), gold(them, target));
        let (slants, lines) = (bishop(target, occupied), rook(target, occupied));
        KINDS.map(|kind| match kind {
            Kind::King => Bb128::EMPTY,
            Kind::Bishop => slants,
            Kind::Horse => slants | near,
            Kind::Rook => lines,
            Kind::Dragon => lines | near,
            Kind::Lance => lines & ahead(them, target),
            _ if kind.is_golden() => golden,
            _ => attacks(them, kind, target, occupied),
        })
    }

    /// Whether the side to move, in check by `checkers`, has a legal move.
    pub(super) fn has_evasion(&self, checkers: Bb128) -> bool {
        let us = self.side;
        let home = self.king(us);
        if home == NO_KING || self.king_may_step(home) {
            return true;
        }
        if checkers.many() {
            return false;
        }
        struct Any(bool);
        impl ShogiMoveSink for Any {
            fn piece(&mut self, _from: u8, _kind: Kind, targets: Bb128) {
                self.0 |= targets.any();
            }
            fn pawns(&mut self, targets: Bb128) {
                self.0 |= targets.any();
            }
        }
        let mut any = Any(false);
        let way = if checkers.any() {
            between(home, checkers.first())
        } else {
            BOARD
        };
        self.walk_army(way | checkers, &mut any);
        let free = way.without(self.occupied());
        any.0 || free.any() && self.can_drop(us, free)
    }

    fn can_drop(&self, us: Side, free: Bb128) -> bool {
        DROPS.into_iter().any(|kind| {
            self.hand(us).has(kind)
                && match kind {
                    Kind::Pawn => self.pawn_drops(us, free).any(),
                    _ => self.drop_points(us, kind, free).any(),
                }
        })
    }

    /// Whether the king of the side to move, on `home`, has a legal step.
    #[inline]
    fn king_may_step(&self, home: u8) -> bool {
        let us = self.side;
        let occupied = self.occupied().without(Bb128::of(home));
        for to in king(home).without(self.of(us)) {
            if !self.attacked(to, occupied, us.other()) {
                return true;
            }
        }
        false
    }

    /// The king's legal steps.
    #[inline]
    pub(super) fn king_steps(&self, us: Side, mask: Bb128) -> Bb128 {
        let home = self.king(us);
        if home == NO_KING {
            return Bb128::EMPTY;
        }
        let occupied = self.occupied().without(Bb128::of(home));
        let mut out = (king(home) & mask).without(self.of(us));
        for to in out {
            if self.attacked(to, occupied, us.other()) {
                out ^= Bb128::of(to);
            }
        }
        out
    }

    /// Gives the sink all pieces but the king with their legal targets in `mask`.
    #[inline]
    fn walk_army(&self, mask: Bb128, sink: &mut impl ShogiMoveSink) {
        let us = self.side;
        let mask = mask.without(self.of(us));
        let occupied = self.occupied();
        let mut free = self.of(us);
        let home = self.king(us);
        if home != NO_KING {
            self.for_each_blocked(home, us.other(), |slider, from| {
                if free.has(from) {
                    free ^= Bb128::of(from);
                    let line = between(home, slider) | Bb128::of(slider);
                    sink.piece(from, kind_of(self.at(from)), self.reach(from, occupied) & line & mask);
                }
            });
        }
        sink.pawns(pawn_steps(us, free & self.kind(Kind::Pawn)) & mask);
        (free & self.kind(Kind::Lance)).for_each(|p| sink.piece(p, Kind::Lance, lance(us, p, occupied) & mask));
        (free & self.kind(Kind::Knight)).for_each(|p| sink.piece(p, Kind::Knight, knight(us, p) & mask));
        (free & self.kind(Kind::Silver)).for_each(|p| sink.piece(p, Kind::Silver, silver(us, p) & mask));
        (free & self.golds()).for_each(|p| sink.piece(p, Kind::Gold, gold(us, p) & mask));
        (free & self.kind(Kind::Bishop)).for_each(|p| sink.piece(p, Kind::Bishop, bishop(p, occupied) & mask));
        (free & self.kind(Kind::Rook)).for_each(|p| sink.piece(p, Kind::Rook, rook(p, occupied) & mask));
        (free & self.kind(Kind::Horse)).for_each(|p| sink.piece(p, Kind::Horse, horse(p, occupied) & mask));
        (free & self.kind(Kind::Dragon)).for_each(|p| sink.piece(p, Kind::Dragon, dragon(p, occupied) & mask));
    }
}

impl Shogi {
    /// All pieces with their legal targets, the king's among `wanted` only; returns the empty points where drops are legal.
    #[inline]
    fn walk(&self, wanted: Bb128, sink: &mut impl ShogiMoveSink) -> Bb128 {
        let b = &self.board;
        let steps = b.king_steps(b.side, wanted);
        if steps.any() {
            sink.piece(b.king(b.side), Kind::King, steps);
        }
        self.walk_others(BOARD, sink)
    }

    /// The same without the king, and only to points of `wanted`.
    #[inline]
    fn walk_others(&self, wanted: Bb128, sink: &mut impl ShogiMoveSink) -> Bb128 {
        let b = &self.board;
        let home = b.king(b.side);
        let checkers = self.now.checkers;
        if checkers.many() {
            return Bb128::EMPTY;
        }
        let way = if checkers.any() {
            between(home, checkers.first())
        } else {
            BOARD
        };
        b.walk_army((way | checkers) & wanted, sink);
        way.without(b.occupied())
    }

    #[inline]
    fn generate_drops(&self, free: Bb128, out: &mut Moves<SMove>) {
        let b = &self.board;
        let us = b.side;
        let hand = b.hand(us);
        if hand.is_empty() || free.is_empty() {
            return;
        }
        if hand.has(Kind::Pawn) {
            b.pawn_drops(us, free)
                .for_each(|to| out.push(SMove::drop(Kind::Pawn, to)));
        }
        for kind in &DROPS[1..] {
            if hand.has(*kind) {
                b.drop_points(us, *kind, free)
                    .for_each(|to| out.push(SMove::drop(*kind, to)));
            }
        }
    }

    /// Appends the legal moves of a kind; `every` adds those that the search is spared.
    pub(super) fn generate_moves(&self, kind: game::Kind, every: bool, out: &mut Moves<SMove>) {
        let b = &self.board;
        let enemies = b.of(b.side.other());
        let (plain, big_promotions, small_promotions) = match kind {
            game::Kind::Tactical => (enemies, BOARD, enemies),
            game::Kind::Quiet => (BOARD.without(enemies), Bb128::EMPTY, BOARD.without(enemies)),
            game::Kind::All => (BOARD, BOARD, BOARD),
        };
        let free = self.walk(
            plain,
            &mut Lister {
                us: b.side,
                plain,
                big_promotions,
                small_promotions,
                lean: !every && !self.rules.all_moves,
                out,
            },
        );
        if kind != game::Kind::Tactical {
            self.generate_drops(free, out);
        }
    }

    /// How the side to move may check; `None` without an enemy king.
    #[inline]
    pub(super) fn check_map(&self) -> Option<CheckMap> {
        let b = &self.board;
        let us = b.side;
        let target = b.king(us.other());
        if target == NO_KING {
            return None;
        }
        let mut covers = Bb128::EMPTY;
        b.for_each_blocked(target, us, |_, blocker| covers |= Bb128::of(blocker));
        Some(CheckMap {
            us,
            spots: b.check_spots(us, target),
            covers: covers & b.of(us),
            target,
        })
    }

    /// Appends the legal moves that check.
    pub fn generate_checks(&self, out: &mut Moves<SMove>) {
        let b = &self.board;
        let us = b.side;
        let Some(map) = self.check_map() else { return };
        let (spots, covers) = (map.spots, map.covers);
        let mut checks = Checks { board: b, map, out };
        // A king checks only by uncovering; a piece that uncovers nothing has to go where it checks itself.
        let home = b.king(us);
        let free = if home != NO_KING && covers.has(home) {
            self.walk(BOARD, &mut checks)
        } else if covers.any() {
            self.walk_others(BOARD, &mut checks)
        } else {
            let [horse, dragon] = [Kind::Horse, Kind::Dragon].map(|k| spots[k as usize]);
            self.walk_others(horse | dragon | spots[Kind::Knight as usize], &mut checks)
        };
        for kind in DROPS {
            if b.hand(us).has(kind) {
                let free = free & spots[kind as usize];
                let points = match kind {
                    Kind::Pawn => b.pawn_drops(us, free),
                    _ => b.drop_points(us, kind, free),
                };
                points.for_each(|to| out.push(SMove::drop(kind, to)));
            }
        }
    }

    pub(super) fn count_legal(&self) -> u64 {
        let b = &self.board;
        let us = b.side;
        let mut counter = Counter { us, n: 0 };
        let free = self.walk(BOARD, &mut counter);
        let mut n = counter.n;
        let hand = b.hand(us);
        if !hand.is_empty() && free.any() {
            n += free.len() * hand.free_kinds();
            if hand.has(Kind::Pawn) {
                n += b.pawn_drops(us, free).len();
            }
            if hand.has(Kind::Lance) {
                n += b.drop_points(us, Kind::Lance, free).len();
            }
            if hand.has(Kind::Knight) {
                n += b.drop_points(us, Kind::Knight, free).len();
            }
        }
        u64::from(n)
    }

    /// Whether there is any legal move.
    pub(super) fn can_move(&self) -> bool {
        self.board.has_evasion(self.now.checkers)
    }

    /// Whether any move value is a legal move here.
    pub(super) fn is_legal(&self, m: SMove) -> bool {
        let (from, to) = (m.from(), m.to());
        if to as usize >= POINTS {
            return false;
        }
        if m.is_drop() {
            return m.dropped().is_some_and(|kind| self.legal_drop(kind, to));
        }
        if from as usize >= POINTS {
            return false;
        }
        let b = &self.board;
        let us = b.side;
        if !b.of(us).has(from) || b.of(us).has(to) || !b.reach(from, b.occupied()).has(to) {
            return false;
        }
        let (promotions, plain) = split(us, kind_of(b.at(from)), from, Bb128::of(to));
        let fit = if m.is_promotion() { promotions } else { plain };
        fit.any() && !b.exposes(from, to)
    }

    fn legal_drop(&self, kind: Kind, to: u8) -> bool {
        let b = &self.board;
        let us = b.side;
        let point = Bb128::of(to);
        if !b.hand(us).has(kind) || b.at(to) != EMPTY || self.now.checkers.many() {
            return false;
        }
        if self.now.checkers.any() && !between(b.king(us), self.now.checkers.first()).has(to) {
            return false;
        }
        match kind {
            Kind::Pawn => b.pawn_drops(us, point).any(),
            _ => b.drop_points(us, kind, point).any(),
        }
    }

    /// Whether a legal move checks, with whatever piece.
    pub(super) fn gives_check(&self, m: SMove) -> bool {
        let b = &self.board;
        let us = b.side;
        let target = b.king(us.other());
        if target == NO_KING {
            return false;
        }
        let (from, to) = (m.from(), m.to());
        let end = Bb128::of(to);
        if let Some(kind) = m.dropped() {
            return attacks(us, kind, to, b.occupied() | end).has(target);
        }
        let start = Bb128::of(from);
        let occupied = b.occupied().without(start) | end;
        let kind = kind_of(b.at(from));
        debug_assert!(side_of(b.at(from)) == us);
        let kind = if m.is_promotion() { kind.promoted() } else { kind };
        if attacks(us, kind, to, occupied).has(target) {
            return true;
        }
        super::attacks::lines(target).has(from) && b.sliders_to(target, occupied, us).without(start).any()
    }
}
