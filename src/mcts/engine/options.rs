//! What can be set in the go engine.

use crate::control::{HUMAN_PACE, Options, Value};
use crate::game::Rules as _;
use crate::games::go::levels::{FULL, RANKS};
use crate::games::go::rules::Rules;
use crate::mcts::network::Precision;

/// What evaluates positions, as the option has it.
const EVALUATORS: [&str; 2] = ["network", "playouts"];

fn spin(now: i64, min: i64, max: i64) -> Value {
    Value::Spin { now, min, max }
}

/// The options of the go engine.
pub(super) fn declared() -> Options {
    let mut options = Options::default();
    options.declare("Threads", spin(1, 1, 512), "search threads");
    options.declare("Tree Memory", spin(256, 1, 1 << 20), "size of the search tree in MB");
    options.declare("Playouts", spin(0, 0, i64::MAX), "playouts a move, 0 for no such limit");
    options.declare(
        "Visits",
        spin(0, 0, i64::MAX),
        "visits of the root that end a search, those kept from the last move among them; 0 for no such limit",
    );
    options.declare(
        "Evaluator",
        Value::Combo {
            now: 0,
            all: EVALUATORS.to_vec(),
        },
        "what evaluates positions; playouts also where no network is loaded",
    );
    options.declare(
        "Model",
        Value::File(String::new()),
        "a network in a file of KataGo's format; empty for the one that is built in, if any",
    );
    options.declare(
        "Precision",
        Value::Combo {
            now: 0,
            all: Precision::NAMES.to_vec(),
        },
        "numbers that a network's filters are run in; auto is int8 for the network that is built in where the processor has \
         dot products of bytes (AVX-512 VNNI), else float",
    );
    options.declare(
        "Net Cache",
        spin(32, 0, 1 << 16),
        "memory of a network's evaluations in MB",
    );
    options.declare(
        "Move Time",
        spin(2000, 1, 86_400_000),
        "milliseconds a move where no clock is set",
    );
    options.declare(
        "Move Time Cap",
        spin(0, 0, 1_000_000_000_000),
        "milliseconds that no move may pass, whatever the clock says; 0 for no such limit",
    );
    options.declare(
        "Move Overhead",
        spin(50, 0, 10_000),
        "milliseconds lost between our answer and the clock",
    );
    options.declare(
        "Resign",
        spin(5, 0, 50),
        "resign below this chance to win in percent, 0 for never",
    );
    options.declare(
        "Rank",
        Value::Combo {
            now: 0,
            all: [FULL].into_iter().chain(RANKS).collect(),
        },
        "strength of play as a rank, by the network that the ranks are fitted to; analysis is always at full strength",
    );
    let (name, help) = HUMAN_PACE;
    options.declare(name, Value::Check(false), help);
    options.declare("Ponder", Value::Check(false), "think on the opponent's time");
    options.declare("Board Size", spin(19, 2, 25), "points of a side");
    options.declare_all(Rules::options());
    options
}
