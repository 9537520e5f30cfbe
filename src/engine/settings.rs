//! What can be set in an alpha-beta engine.

use crate::control::{HUMAN_PACE, Options, Value};
use crate::game::{Extras, PieceValues, Rules, Scope, Tunables};

/// Most threads that can be asked for.
const MOST_THREADS: i64 = 512;
/// Largest hash table that can be asked for, in MiB.
const MOST_HASH: i64 = 1 << 20;

/// Where shogi programs keep their evaluation file.
pub(super) const EVAL_DIR: &str = "eval";

/// The options of an alpha-beta engine.
pub(super) fn declared<P: PieceValues>(extras: &dyn Extras<P>) -> Options {
    let mut options = Options::default();
    options.declare(
        "Hash",
        Value::Spin {
            now: 16,
            min: 1,
            max: MOST_HASH,
        },
        "size of the hash table in MB",
    );
    options.declare(
        "Threads",
        Value::Spin {
            now: 1,
            min: 1,
            max: MOST_THREADS,
        },
        "search threads",
    );
    options.declare("Clear Hash", Value::Button, "forget what was searched");
    options.declare(
        "Ponder",
        Value::Check(false),
        "the interface may let the engine think on the opponent's time",
    );
    options.declare(
        "MultiPV",
        Value::Spin {
            now: 1,
            min: 1,
            max: 500,
        },
        "best lines shown",
    );
    let overhead = Value::Spin {
        now: 10,
        min: 0,
        max: 10_000,
    };
    options.declare(
        "Move Overhead",
        overhead,
        "milliseconds lost between our answer and the clock",
    );
    options.declare(
        "UCI_ShowWDL",
        Value::Check(false),
        "chances to win, draw and lose with each line",
    );
    options.declare(
        "UCI_AnalyseMode",
        Value::Check(false),
        "the interface analyses: no moves out of a book",
    );
    if let Some((first, last)) = P::ABOUT.levels.first().zip(P::ABOUT.levels.last()) {
        let elo = Value::Spin {
            now: last.elo.into(),
            min: first.elo.into(),
            max: last.elo.into(),
        };
        options.declare(
            "UCI_LimitStrength",
            Value::Check(false),
            "play as strong as UCI_Elo says",
        );
        options.declare("UCI_Elo", elo, "strength when UCI_LimitStrength is on");
        let (name, help) = HUMAN_PACE;
        options.declare(name, Value::Check(false), help);
    }
    options.declare(
        "EvalFile",
        Value::File(String::new()),
        "the network that evaluates; material for piece values and piece-square tables, empty for the built-in network if there is one",
    );
    if P::HALF_KP {
        options.declare(
            "EvalDir",
            Value::Text(EVAL_DIR.into()),
            "the folder of a HalfKP 256x2-32-32 file, nn.bin, that evaluates",
        );
        let scale = Value::Spin {
            now: 16,
            min: 1,
            max: 1000,
        };
        options.declare("FV_SCALE", scale, "what such a file's output is divided by");
    }
    options.declare_all(extras.options());
    options.declare_all(P::Rules::options());
    declare_numbers::<P>(&mut options);
    options
}

/// The search's numbers, in builds with the feature `tune`.
fn declare_numbers<P: PieceValues>(options: &mut Options) {
    let mut numbers = if cfg!(feature = "tune") {
        P::Tune::all()
    } else {
        Vec::new()
    };
    numbers.retain(|t| t.scope != Scope::Chance || P::CHANCE);
    for t in numbers {
        let value = Value::Spin {
            now: (t.get)().into(),
            min: t.min.into(),
            max: t.max.into(),
        };
        options.declare(t.name, value, "search constant");
    }
}
