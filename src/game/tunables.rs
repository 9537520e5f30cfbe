//! Every score-like and weight-like number of the alpha-beta search, in one table with a column per game.
//!
//! A normal build folds them as constants. With the feature `tune` each becomes an option of the engine and a row of
//! [`Tunables::all`], for `nguky spsa`; `docs/tuning.md` tells what it found.
//!
//! What stays in the search's code is its shape: the depths and plies that switch a step on, the bounds of scores
//! (`search::score`) and the replacement policy of the transposition table, which all games share.

/// Where a number has an effect. One that has none in a game is not that game's: a tuning run would only move it by
/// chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// In every search.
    Search,
    /// Where a clock limits the search.
    Clock,
    /// In games of chance.
    Chance,
    /// In what the engine reports, never in what it plays.
    Report,
}

impl Scope {
    /// Whether such a number can change the moves of a game, of chance or not, played with a clock or without.
    pub const fn counts(self, chance: bool, clock: bool) -> bool {
        match self {
            Self::Search => true,
            Self::Clock => clock,
            Self::Chance => chance,
            Self::Report => false,
        }
    }
}

/// One search number in a tuning build.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
    /// Where it has an effect.
    pub scope: Scope,
    /// The least sensible value.
    pub min: i32,
    /// The greatest sensible value.
    pub max: i32,
    /// A step that a match can just notice.
    pub step: i32,
    /// Its value now.
    pub get: fn() -> i32,
    /// Changes it; does nothing in a normal build.
    pub set: fn(i32),
}

macro_rules! tunables {
    ($($game:ident),+ ; $($scope:ident { $($(#[doc = $doc:literal])+ $name:ident : $lo:literal ..= $hi:literal step $step:literal => $($v:literal),+ ;)+ })+) => {
        /// The search's numbers for one game.
        pub trait Tunables: Send + Sync + 'static {
            $($( $(#[doc = $doc])+ fn $name() -> i32; )+)+
            /// All of them with their ranges.
            fn all() -> Vec<Tunable>;
        }
        tunables!(@game [$($game)+] [$($($scope $name $lo $hi $step [$($v)+])+)+]);
    };
    (@game [] $rest:tt) => {};
    (@game [$game:ident $($more:ident)*] [$($scope:ident $name:ident $lo:literal $hi:literal $step:literal [$v:literal $($w:literal)*])+]) => {
        /// A column of the table.
        #[derive(Clone, Copy, Debug)]
        pub struct $game;
        #[cfg(not(feature = "tune"))]
        impl Tunables for $game {
            $( #[inline(always)] fn $name() -> i32 { $v } )+
            fn all() -> Vec<Tunable> {
                vec![$(Tunable { name: stringify!($name), scope: Scope::$scope, min: $lo, max: $hi, step: $step, get: Self::$name, set: |_| {} }),+]
            }
        }
        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        const _: () = {
            use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
            $( static $name: AtomicI32 = AtomicI32::new($v); )+
            impl Tunables for $game {
                $( #[inline(always)] fn $name() -> i32 { $name.load(Relaxed) } )+
                fn all() -> Vec<Tunable> {
                    vec![$(Tunable { name: stringify!($name), scope: Scope::$scope, min: $lo, max: $hi, step: $step, get: Self::$name, set: |v| $name.store(v, Relaxed) }),+]
                }
            }
        };
        tunables!(@game [$($more)*] [$($scope $name $lo $hi $step [$($w)*])+]);
    };
}

tunables! { ChessTune, XiangqiTune, CoupTune, ShogiTune;
    // columns:                                               chess, xiangqi, cờ úp, shogi
    Search {
        /// Half-width of the first aspiration window.
        aspiration_delta:           5..=60        step 4    => 16, 21, 24, 20;
        /// Aspiration window: score per further unit of half-width.
        aspiration_divisor:         20..=400      step 20   => 100, 100, 100, 100;
        /// Aspiration window: scores beyond add no more.
        aspiration_score_limit:     500..=10000   step 300  => 3000, 3000, 3000, 3000;
        /// Aspiration window: growth after a failure, in 1024ths of the half-width.
        aspiration_growth:          128..=2048    step 96   => 512, 512, 512, 512;
        /// Aspiration window: a half-width beyond gives way to the open window.
        aspiration_limit:           300..=6000    step 150  => 1500, 1500, 1500, 1500;

        /// Move ordering, captures: weight of the gain in material against capture history.
        order_gain:                 2..=64        step 3    => 18, 12, 16, 16;
        /// Move ordering, captures: ordering score per unit of exchange loss at which a capture still counts as good.
        order_good_capture:         8..=128       step 4    => 37, 30, 32, 32;
        /// Move ordering: bonus of the killer move.
        order_killer:               0..=40000     step 1500 => 12561, 12093, 12000, 12000;
        /// Move ordering: bonus of a quiet check.
        order_check:                0..=40000     step 1000 => 0, 6901, 5000, 6000;
        /// Move ordering: bonus of a quiet move from an attacked square to one that is not, malus of the reverse.
        order_escape:               0..=20000     step 600  => 0, 1646, 3000, 3000;
        /// Move ordering: bonus of a minor piece's quiet move from a square that pawns attack to one that they do not, malus of
        /// the reverse. Chess alone has this and the next two: the other games have no `Position::threat_class`.
        order_lesser_minor:         0..=40000     step 1000 => 10000, 0, 0, 0;
        /// The same of a rook's, by pawns and minor pieces.
        order_lesser_rook:          0..=60000     step 1500 => 18000, 0, 0, 0;
        /// The same of a queen's, by all lesser pieces.
        order_lesser_queen:         0..=80000     step 2000 => 26000, 0, 0, 0;
        /// Earlier plies whose continuation histories are used, of 1, 2, 4 and 6 plies back.
        lookbacks:                  1..=4         step 1    => 4, 4, 4, 2;
        /// Butterfly history's weight against pawn and continuation histories.
        butterfly_weight:           0..=8         step 1    => 2, 2, 3, 2;

        /// Reverse futility: margin per depth.
        reverse_futility:           30..=200      step 6    => 62, 93, 90, 151;
        /// Reverse futility: margin lifted when improving.
        reverse_futility_improving: 10..=200      step 8    => 26, 58, 70, 61;
        /// Reverse futility: part of the evaluation's excess over beta in the score returned, as a divisor.
        reverse_futility_divisor:   1..=10        step 1    => 3, 3, 3, 3;
        /// Razoring: margin at depth 0.
        razor_base:                 50..=600      step 25   => 203, 251, 240, 300;
        /// Razoring: margin per squared depth.
        razor_slope:                50..=500      step 20   => 163, 212, 200, 241;
        /// Null move: margin over beta that the static evaluation needs at depth 0.
        null_margin:                0..=600       step 20   => 113, 154, 140, 140;
        /// Null move: that margin lifted per depth.
        null_margin_slope:          0..=80        step 4    => 22, 21, 22, 22;
        /// Null move: reduction, in plies.
        null_base:                  2..=8         step 1    => 6, 4, 4, 4;
        /// Null move: depth per further ply of reduction.
        null_divisor:               2..=6         step 1    => 4, 4, 4, 4;
        /// Null move: evaluation above beta per further ply.
        null_eval:                  80..=500      step 16   => 212, 232, 185, 298;
        /// Null move: most plies that the evaluation adds.
        null_eval_limit:            1..=6         step 1    => 3, 3, 3, 3;
        /// ProbCut: margin above beta.
        probcut:                    60..=500      step 16   => 135, 183, 190, 252;
        /// ProbCut: how many plies shallower its search is.
        probcut_depth:              3..=7         step 1    => 4, 5, 5, 5;
        /// ProbCut: margin lifted when improving.
        probcut_improving:          0..=200       step 8    => 53, 54, 50, 50;

        /// Late move pruning: moves at depth 0.
        late_moves_base:            1..=12        step 1    => 6, 4, 3, 9;
        /// Late move pruning: divisor of the number of moves when not improving.
        late_moves_divisor:         1..=4         step 1    => 2, 2, 2, 2;
        /// Late move pruning: whether checks are exempt.
        late_checks:                0..=1         step 1    => 1, 1, 0, 0;
        /// History below which a quiet move is left out, per depth; the greatest value leaves out next to none.
        history_prune:              500..=32000   step 250  => 4363, 3856, 32000, 4500;
        /// Futility of quiet moves: margin at depth 0.
        futility_base:              20..=400      step 10   => 77, 100, 100, 147;
        /// Futility of quiet moves: margin per depth.
        futility_slope:             20..=300      step 10   => 25, 100, 97, 133;
        /// Futility of quiet moves: history per unit of margin.
        futility_history:           40..=640      step 20   => 187, 181, 160, 160;
        /// Futility of captures: margin at depth 0.
        capture_futility_base:      50..=600      step 20   => 119, 156, 200, 213;
        /// Futility of captures: margin per depth.
        capture_futility_slope:     50..=600      step 20   => 144, 162, 200, 262;
        /// Futility of captures: history per unit of margin.
        capture_futility_history:   16..=256      step 8    => 81, 52, 64, 64;
        /// Exchange loss allowed to a quiet move, per squared depth.
        see_quiet:                  5..=120       step 4    => 17, 19, 26, 29;
        /// Exchange loss allowed to a capture, per depth.
        see_capture:                20..=300      step 8    => 74, 88, 88, 130;
        /// Exchange loss allowed to a capture: history per unit.
        see_capture_history:        16..=256      step 8    => 63, 54, 64, 64;

        /// Singular extension: margin per depth, in 64ths.
        singular_margin:            20..=200      step 6    => 82, 57, 60, 71;
        /// Singular extension: further margin for a second ply.
        double_margin:              4..=80        step 3    => 24, 27, 18, 30;
        /// Singular extension: whether another move above beta ends the node (multicut).
        multicut:                   0..=1         step 1    => 0, 1, 0, 1;

        /// Late move reduction: constant part, in 1024ths of a ply.
        lmr_base:                   0..=2048      step 64   => 841, 914, 620, 852;
        /// Late move reduction: per product of logarithms, in 1024ths.
        lmr_slope:                  200..=1000    step 24   => 593, 526, 410, 465;
        /// Late move reduction: history of a quiet move per ply.
        lmr_history:                2000..=30000  step 600  => 6803, 10686, 11500, 11069;
        /// Late move reduction: history of a capture per ply.
        lmr_capture_history:        3000..=48000  step 1000 => 16523, 15547, 16000, 16000;
        /// Late move reduction: less for a capture, in 1024ths.
        lmr_capture:                0..=2500      step 80   => 601, 668, 700, 700;
        /// Late move reduction: less on the principal variation, in 1024ths.
        lmr_pv:                     0..=3000      step 80   => 1146, 1043, 1024, 1024;
        /// Late move reduction: less in a node that was once on a principal variation, in 1024ths.
        lmr_former_pv:              0..=2500      step 80   => 731, 616, 850, 700;
        /// Late move reduction: more in an expected cut node, in 1024ths.
        lmr_cut_node:               0..=3500      step 100  => 1535, 1124, 1200, 1200;
        /// Whether singular-extension searches know if the side to move is improving; else they take it for not improving.
        singular_improving:         0..=1         step 1    => 1, 0, 0, 0;
        /// Late move reduction: more when not improving, in 1024ths.
        lmr_not_improving:          0..=2000      step 80   => 861, 557, 600, 600;
        /// Late move reduction: more for a quiet move when the table's move is a capture, in 1024ths.
        lmr_table_capture:          0..=2500      step 80   => 1066, 594, 700, 700;
        /// Late move reduction: less for a check, in 1024ths.
        lmr_check:                  0..=5000      step 300  => 2701, 1395, 2000, 900;
        /// Late move reduction: less in check, in 1024ths.
        lmr_in_check:               0..=2500      step 80   => 797, 663, 700, 700;
        /// Late move reduction: more for each move that has raised alpha, in 1024ths.
        lmr_raises:                 0..=2000      step 80   => 357, 424, 500, 500;
        /// Late move reduction: more when many children failed high, in 1024ths.
        lmr_cutoffs:                0..=2500      step 80   => 240, 613, 600, 600;
        /// Late move reduction: how many are not yet many.
        lmr_cutoff_count:           0..=8         step 1    => 3, 3, 3, 3;
        /// Late move reduction: more where the static evaluation is below alpha, less above, in 1024ths per 256 between them.
        lmr_distance:               0..=1024      step 40   => 256, 0, 0, 0;
        /// Late move reduction: less for a capture of the piece that moved last (most are recaptures), in 1024ths.
        lmr_recapture:              0..=2500      step 80   => 700, 0, 0, 0;
        /// Late move reduction: less at the root, in 1024ths.
        lmr_root:                   0..=2500      step 80   => 750, 0, 0, 0;
        /// Late move reduction: less for the killer move, in 1024ths.
        lmr_killer:                 0..=2500      step 80   => 500, 0, 0, 0;
        /// Re-search after a late move reduction: margin over the best score for a ply more.
        lmr_deeper:                 10..=250      step 8    => 63, 53, 60, 60;
        /// Re-search after a late move reduction: margin over the best score below which it is a ply less.
        lmr_shallower:              0..=60        step 3    => 11, 11, 10, 10;

        /// Whether the moves after one that raised alpha are searched a ply shallower.
        raised_alpha:               0..=1         step 1    => 1, 1, 0, 1;

        /// History bonus per depth.
        history_bonus:              60..=400      step 12   => 231, 178, 165, 189;
        /// History bonus: what is taken off it.
        history_bonus_offset:       0..=400       step 12   => 95, 76, 80, 80;
        /// Least history bonus.
        history_bonus_floor:        0..=200       step 8    => 20, 20, 20, 20;
        /// Greatest history bonus.
        history_bonus_limit:        600..=4000    step 100  => 1820, 1652, 1700, 1700;
        /// History bonus: score over beta that counts as a ply more of depth.
        history_bonus_margin:       10..=300      step 10   => 64, 62, 80, 80;
        /// Malus of the quiet moves tried before the one that cut off, in 1024ths of its bonus.
        history_malus:              0..=4096      step 128  => 1871, 2147, 1800, 2314;
        /// Malus of the captures tried before the move that cut off, in 1024ths of its bonus.
        capture_malus:              0..=4096      step 128  => 1450, 1024, 1024, 1024;
        /// History bonus of the quiet move that led to a node without a good move, in 1024ths of a cutoff's.
        history_bonus_prior:        0..=2048      step 64   => 537, 593, 600, 512;
        /// That bonus in butterfly and pawn history, in 1024ths of that in continuation history.
        history_prior_butterfly:    0..=2048      step 64   => 1031, 1026, 0, 1024;
        /// Bound of a cell of the butterfly and pawn histories.
        quiet_history_limit:        2048..=24000  step 512  => 8181, 7008, 7200, 8192;
        /// Bound of a cell of the continuation histories.
        continuation_history_limit: 4096..=32000  step 1024 => 17131, 15489, 16384, 16384;
        /// Bound of a cell of the capture history.
        capture_history_limit:      2048..=24000  step 512  => 10379, 10744, 10692, 10692;

        /// Correction history: weight by pawns, in 256ths.
        correction_pawns:           0..=40        step 2    => 10, 5, 13, 10;
        /// Correction history: weight by minor pieces, in 256ths.
        correction_minors:          0..=40        step 2    => 7, 4, 8, 8;
        /// Correction history: weight by each side's other pieces, in 256ths.
        correction_pieces:          0..=40        step 2    => 14, 17, 9, 16;
        /// Correction history: weight by the last two moves, in 256ths.
        correction_continuation:    0..=40        step 2    => 10, 7, 8, 8;
        /// Correction history: error times depth per unit of the update.
        correction_divisor:         2..=32        step 1    => 6, 5, 8, 6;
        /// Correction history: greatest update.
        correction_bonus_limit:     64..=1024     step 24   => 377, 224, 256, 256;
        /// Bound of a cell of the correction histories.
        correction_limit:           256..=4096    step 96   => 1012, 850, 1024, 1024;

        /// Quiescence: what a capture must still lack to be left out.
        quiescence_futility:        50..=500      step 16   => 139, 161, 170, 279;
        /// Quiescence: least exchange value of a capture.
        quiescence_see:             -200..=100    step 10   => 19, -5, 0, 0;
        /// Quiescence: captures that are tried.
        quiescence_moves:           1..=12        step 1    => 4, 3, 3, 3;
        /// Quiescence: weight of the evaluation against beta in the score of a stand-pat cutoff, in 1024ths.
        stand_pat_weight:           0..=1024      step 48   => 800, 625, 512, 622;
    }
    Chance {
        /// Chance nodes: unit of the logistic curve from scores to win probabilities.
        chance_spread:              100..=1500    step 40   => 360, 360, 310, 360;
        /// Chance nodes: plies that one costs.
        chance_depth:               0..=4         step 1    => 2, 2, 2, 2;
        /// Chance nodes: probability below which an outcome is searched a ply shallower, in 16ths.
        chance_rare:                0..=16        step 1    => 3, 3, 3, 3;
    }
    Clock {
        /// Moves that the clock is shared over at the game's beginning.
        horizon:                    10..=60       step 2    => 28, 24, 24, 26;
        /// The same from move 40 on, with an increment larger than the overhead; in between it changes evenly.
        horizon_late:               8..=60        step 2    => 12, 24, 24, 26;
        /// Part of the increments to come that is planned with, in percent.
        time_increments:            30..=110      step 5    => 88, 75, 75, 75;
        /// Cut-off of a search, in percent of the optimum time.
        time_hard:                  150..=800     step 30   => 400, 400, 400, 400;
        /// Most that one move may use of the clock, in percent.
        time_limit:                 10..=80       step 4    => 50, 50, 50, 50;
        /// Stability of the best move: time for one that has just changed, in percent.
        time_stability_base:        80..=250      step 6    => 135, 125, 125, 125;
        /// Stability of the best move: less for each iteration that it stayed best, in percent.
        time_stability_slope:       0..=20        step 1    => 6, 6, 6, 6;
        /// Stability of the best move: iterations that count.
        time_stability_limit:       3..=16        step 1    => 9, 9, 9, 9;
        /// Falling score: time at a level score, in percent.
        time_trend_base:            60..=130      step 4    => 90, 90, 90, 90;
        /// Falling score: more per score lost, in thousandths.
        time_trend_slope:           0..=40        step 2    => 12, 12, 12, 12;
        /// Falling score: least time, in percent.
        time_trend_floor:           40..=100      step 4    => 80, 75, 75, 75;
        /// Falling score: most time, in percent.
        time_trend_limit:           100..=300     step 8    => 150, 150, 150, 150;
        /// Falling score: weight of the last iteration in the average that it is compared with, in percent.
        time_trend_weight:          10..=100      step 5    => 50, 50, 50, 50;
        /// Effort on the best move: time when it took no nodes, in percent.
        time_effort_base:           100..=300     step 8    => 190, 190, 190, 190;
        /// Effort on the best move: less when it took all nodes, in percent.
        time_effort_slope:          0..=280       step 8    => 125, 135, 135, 135;
        /// Effort on the best move: least time, in percent.
        time_effort_floor:          20..=100      step 4    => 50, 50, 50, 50;
    }
    Report {
        /// Reported win probability: unit of the logistic curve; `nguky calibrate` fits all three.
        wdl_spread:                 40..=1200     step 8    => 96, 130, 330, 770;
        /// Evaluation at which winning is as likely as not at the game's start.
        wdl_even:                   0..=500       step 8    => 30, 110, 20, 15;
        /// The same: what it grows by in a hundred plies.
        wdl_rise:                   0..=800       step 8    => 130, 190, 430, 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value out of its range would be refused by the option of its name, and a tuner would begin from another.
    #[test]
    fn values_are_in_range_and_names_are_unique() {
        for all in [ChessTune::all(), XiangqiTune::all(), CoupTune::all(), ShogiTune::all()] {
            for (i, t) in all.iter().enumerate() {
                assert!((t.min..=t.max).contains(&(t.get)()) && t.step > 0, "{}", t.name);
                assert!(all[..i].iter().all(|other| other.name != t.name), "{}", t.name);
            }
        }
    }
}
