//! Every number the alpha-beta search uses, in one table with a column per game.
//!
//! A normal build folds them as constants. With the feature `tune` each becomes an option of the engine and a row of
//! [`Tunables::all`], for `nguky spsa`; `docs/tuning.md` tells what it found.

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
    ($($game:ident),+ ; $($(#[doc = $doc:literal])+ $name:ident : $lo:literal ..= $hi:literal step $step:literal $(in $scope:ident)? => $($v:literal),+ ;)+) => {
        /// The search's numbers for one game.
        pub trait Tunables: Send + Sync + 'static {
            $( $(#[doc = $doc])+ fn $name() -> i32; )+
            /// All of them with their ranges.
            fn all() -> Vec<Tunable>;
        }
        tunables!(@game [$($game)+] [$($name $lo $hi $step ($($scope)?) [$($v)+])+]);
    };
    (@scope) => { Scope::Search };
    (@scope $scope:ident) => { Scope::$scope };
    (@game [] $rest:tt) => {};
    (@game [$game:ident $($more:ident)*] [$($name:ident $lo:literal $hi:literal $step:literal ($($scope:ident)?) [$v:literal $($w:literal)*])+]) => {
        /// A column of the table.
        #[derive(Clone, Copy, Debug)]
        pub struct $game;
        #[cfg(not(feature = "tune"))]
        impl Tunables for $game {
            $( #[inline(always)] fn $name() -> i32 { $v } )+
            fn all() -> Vec<Tunable> {
                vec![$(Tunable { name: stringify!($name), scope: tunables!(@scope $($scope)?), min: $lo, max: $hi, step: $step, get: Self::$name, set: |_| {} }),+]
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
                    vec![$(Tunable { name: stringify!($name), scope: tunables!(@scope $($scope)?), min: $lo, max: $hi, step: $step, get: Self::$name, set: |v| $name.store(v, Relaxed) }),+]
                }
            }
        };
        tunables!(@game [$($more)*] [$($name $lo $hi $step ($($scope)?) [$($w)*])+]);
    };
}

tunables! { ChessTune, XiangqiTune, CoupTune, ShogiTune;
    // columns:                                               chess, xiangqi, cờ úp, shogi
    /// Half-width of the first aspiration window.
    aspiration_delta:           5..=60        step 4    => 14, 14, 24, 20;
    /// Moves that a sudden-death clock is shared over.
    horizon:                    10..=60       step 2    in Clock => 22, 24, 24, 26;
    /// Earlier plies whose continuation histories are used.
    lookbacks:                  1..=4         step 1    => 4, 4, 4, 2;
    /// Razoring: margin at depth 0.
    razor_base:                 50..=600      step 25   => 220, 240, 240, 300;
    /// Razoring: margin per depth.
    razor_slope:                50..=500      step 20   => 179, 142, 200, 241;
    /// Reverse futility: margin per depth.
    reverse_futility:           30..=200      step 6    => 62, 80, 90, 130;
    /// Reverse futility: margin lifted when improving.
    reverse_futility_improving: 10..=200      step 8    => 64, 70, 70, 90;
    /// Null move: reduction, in plies.
    null_base:                  2..=6         step 1    => 4, 4, 3, 4;
    /// Null move: depth per further ply of reduction.
    null_divisor:               2..=6         step 1    => 4, 4, 4, 4;
    /// Null move: evaluation above beta per further ply.
    null_eval:                  80..=500      step 16   => 196, 198, 200, 298;
    /// ProbCut: margin above beta.
    probcut:                    60..=500      step 16   => 182, 170, 190, 252;
    /// Futility of quiet moves: margin at depth 0.
    futility_base:              20..=400      step 10   => 111, 107, 100, 147;
    /// Futility of quiet moves: margin per depth.
    futility_slope:             20..=300      step 10   => 82, 87, 90, 133;
    /// Futility of captures: margin at depth 0.
    capture_futility_base:      50..=600      step 20   => 190, 200, 200, 260;
    /// Futility of captures: margin per depth.
    capture_futility_slope:     50..=600      step 20   => 166, 194, 200, 262;
    /// Quiescence: what a capture must still lack to be left out.
    quiescence_futility:        50..=500      step 16   => 126, 153, 170, 279;
    /// Exchange loss allowed to a quiet move, per squared depth.
    see_quiet:                  5..=120       step 4    => 23, 19, 26, 29;
    /// Exchange loss allowed to a capture, per depth.
    see_capture:                20..=300      step 8    => 95, 100, 100, 130;
    /// History below which a quiet move is left out, per depth.
    history_prune:              500..=12000   step 250  => 4000, 4000, 4000, 4500;
    /// Late move pruning: moves at depth 0.
    late_moves_base:            1..=12        step 1    => 5, 5, 3, 9;
    /// Late move pruning: whether checks are exempt.
    late_checks:                0..=1         step 1    => 1, 0, 0, 0;
    /// Late move reduction: constant part, in 1024ths of a ply.
    lmr_base:                   0..=2048      step 64   => 744, 821, 620, 852;
    /// Late move reduction: per product of logarithms, in 1024ths.
    lmr_slope:                  200..=1000    step 24   => 545, 470, 430, 430;
    /// Late move reduction: history per ply.
    lmr_history:                2000..=30000  step 600  => 10357, 10280, 10500, 11069;
    /// Late move reduction: less for a check, in 1024ths.
    lmr_check:                  0..=5000      step 300  => 3000, 2000, 2000, 900;
    /// Singular extension: margin per depth, in 64ths.
    singular_margin:            20..=200      step 6    => 59, 55, 60, 71;
    /// Singular extension: further margin for a second ply.
    double_margin:              4..=80        step 3    => 18, 18, 18, 22;
    /// History bonus per depth.
    history_bonus:              60..=400      step 12   => 150, 150, 150, 150;
    /// Greatest history bonus.
    history_bonus_limit:        600..=4000    step 100  => 1700, 1700, 1700, 1700;
    /// Games of chance: what nature answers in the tree. 0: all it can; 1: nothing, a covered piece stays as it is; from
    /// 2 on, so many answers drawn at random, less one.
    chance_answers:             0..=9         step 1    in Chance => 0, 0, 0, 0;
    /// Games of chance: whether answers are left out once the others have decided.
    chance_cuts:                0..=1         step 1    in Chance => 1, 1, 1, 1;
    /// Evaluation that lifts the odds of winning e-fold.
    wdl_spread:                 40..=400      step 8    in Report => 95, 110, 130, 150;
    /// Evaluation at which winning is as likely as not.
    wdl_even:                   60..=500      step 8    in Report => 170, 170, 150, 100;
}
