//! Every number the alpha-beta search uses, in one table with a column per game.
//!
//! A normal build folds them as constants. With the feature `tune` each becomes an option of the engine and a row of
//! [`Tunables::all`], for `nguky spsa`.

/// One search number in a tuning build.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
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
    ($($game:ident),+ ; $($(#[doc = $doc:literal])+ $name:ident : $lo:literal ..= $hi:literal step $step:literal => $($v:literal),+ ;)+) => {
        /// The search's numbers for one game.
        pub trait Tunables: Send + Sync + 'static {
            $( $(#[doc = $doc])+ fn $name() -> i32; )+
            /// All of them with their ranges.
            fn all() -> Vec<Tunable>;
        }
        tunables!(@game [$($game)+] [$($name $lo $hi $step [$($v)+])+]);
    };
    (@game [] $rest:tt) => {};
    (@game [$game:ident $($more:ident)*] [$($name:ident $lo:literal $hi:literal $step:literal [$v:literal $($w:literal)*])+]) => {
        /// A column of the table.
        #[derive(Clone, Copy, Debug)]
        pub struct $game;
        #[cfg(not(feature = "tune"))]
        impl Tunables for $game {
            $( #[inline(always)] fn $name() -> i32 { $v } )+
            fn all() -> Vec<Tunable> {
                vec![$(Tunable { name: stringify!($name), min: $lo, max: $hi, step: $step, get: Self::$name, set: |_| {} }),+]
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
                    vec![$(Tunable { name: stringify!($name), min: $lo, max: $hi, step: $step, get: Self::$name, set: |v| $name.store(v, Relaxed) }),+]
                }
            }
        };
        tunables!(@game [$($more)*] [$($name $lo $hi $step [$($w)*])+]);
    };
}

tunables! { ChessTune, XiangqiTune, CoupTune, ShogiTune;
    //                                                               chess  xiangqi  coup  shogi
    /// Half-width of the first aspiration window.
    aspiration_delta:           5..=60    step 4  =>                 14,    14,     24,   20;
}
