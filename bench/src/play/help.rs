//! What `help` says in each game, and how lines are broken to fit the terminal.

use nguky::game::About;
use std::io::IsTerminal;

/// What `help` says of a game: what may be typed, and what it means.
#[derive(Clone, Copy)]
pub struct Help {
    /// How moves are written.
    pub moves: &'static [(&'static str, &'static str)],
    /// Commands that other games have not.
    pub commands: &'static [(&'static str, &'static str)],
}

impl Help {
    /// Moves alone.
    const fn moves(moves: &'static [(&'static str, &'static str)]) -> Self {
        Self { moves, commands: &[] }
    }
}

const LETTERS: [(&str, &str); 3] = [
    (
        "C2=5  H2+3  R1-1",
        "English: the piece, its file, + forward, = or . sideways, - back, then the file it reaches or, straight up or \
         down, the points it goes. K king, A advisor, E elephant, H horse, R chariot, C cannon, P soldier; of two on a \
         file C+ is the front one, C- the rear one. Each side counts the files from its own right",
    ),
    (
        "P2-5  M2.3  X1/1",
        "Vietnamese: . forward (tấn), - sideways (bình), / back (thoái). Tg tướng, S sĩ, T tượng, M mã, X xe, P pháo, C or B \
         chốt; Pt the front one (trước), Ps the rear one (sau). Words will do, too: pháo 2 bình 5",
    ),
    ("炮二平五", "Chinese, simplified or traditional"),
];

const READINGS: (&str, &str) = (
    "C3.1  P5.6",
    "may be English or Vietnamese: the reading that is a legal move is played, and where both are you are asked. \
     --notation english or --notation vietnamese settles it",
);

/// A game without a notation of its own.
pub const PLAIN: Help = Help::moves(&[("e2e4  a1b3", "from one square to another")]);

/// Chess.
pub const CHESS: Help = Help::moves(&[
    (
        "Nf3  nf3  exd5  e8=Q",
        "as books write moves; small letters will do for pieces, too",
    ),
    ("O-O  0-0-0", "castling"),
    ("e2e4  e2-e4  e7e8q", "from one square to another"),
]);

/// Xiangqi.
pub const XIANGQI: Help = Help::moves(&[
    LETTERS[0],
    LETTERS[1],
    LETTERS[2],
    READINGS,
    (
        "h2e2  H2-E2",
        "from one point to another; files a to i, ranks 0 to 9 from red's side",
    ),
]);

/// Cờ úp.
pub const COUP: Help = Help::moves(&[
    (
        "h2e2  H2-E2",
        "from one point to another; files a to i, ranks 0 to 9 from red's side",
    ),
    LETTERS[0],
    LETTERS[1],
    LETTERS[2],
    (
        "X2=5  U2-5  暗二平五",
        "a face-down piece is named like the piece it moves as (C2=5), or by X, in Vietnamese U (úp), in Chinese 暗",
    ),
    READINGS,
]);

/// Shogi.
pub const SHOGI: Help = Help {
    moves: &[
        (
            "７六歩  76歩  ☗7六歩",
            "Japanese; 成 promotes, 不成 does not, 打 drops, 同歩 takes where the last move went",
        ),
        (
            "58金右  58金(49)",
            "which of several: 左 left, 右 right as you see them, 上 up, 引 back, 寄 sideways, 直 straight",
        ),
        (
            "P-7f  p7f  Bx2b+  R-2d=",
            "Western: - moves, x takes, + promotes, = does not; P L N S G B R K, +R a promoted rook",
        ),
        ("P*5e  G4i-5h", "a drop; the piece that stands on 4i"),
        ("7g7f  8h2b+", "from one square to another; files 1 to 9, ranks a to i"),
    ],
    commands: &[("claim", "claim the win by entering king (27 points)")],
};

/// Go.
pub const GO: Help = Help::moves(&[
    (
        "D4  d4",
        "a point: the letter of its column, where I is left out, and its row",
    ),
    ("pass", "pass; two passes in a row end the game and it is counted"),
]);

/// What may be typed in every game.
const COMMANDS: [(&str, &str); 7] = [
    ("undo", "take back your last move and the answer"),
    ("hint", "ask the engine what it would play"),
    ("moves", "list the legal moves"),
    ("board", "draw the board again"),
    ("resign", "give the game up"),
    ("save FILE", "keep the game in a file"),
    ("quit", "leave"),
];

/// The help of a game in lines of at most `width` columns.
pub fn text(about: &About, help: Help, width: usize) -> String {
    let (before, after) = COMMANDS.split_at(4);
    let mut out = format!("Moves of {}:\n", about.name);
    out += &table(help.moves, width);
    out += "Commands:\n";
    out += &table(&[before, help.commands, after].concat(), width);
    out += &textwrap::fill("If the board's signs look wrong, start with --ascii.", width.min(100));
    out
}

fn table(rows: &[(&str, &str)], width: usize) -> String {
    let column = 26;
    let mut out = String::new();
    for (left, right) in rows {
        let gap = " ".repeat(column - 2 - unicode_width::UnicodeWidthStr::width(*left).min(column - 3));
        let first = format!("  {left}{gap}");
        let rest = " ".repeat(if width < 70 { 6 } else { column });
        let options = textwrap::Options::new(width.clamp(30, 100))
            .initial_indent(&first)
            .subsequent_indent(&rest);
        out += &textwrap::fill(right, options);
        out.push('\n');
    }
    out
}

/// Columns of the terminal, or a great number for files and pipes, whose lines are left as they are.
pub fn columns() -> usize {
    if std::io::stdout().is_terminal() {
        textwrap::termwidth().max(30)
    } else {
        10_000
    }
}

/// A text broken to fit the terminal, continued lines set in.
pub fn wrapped(text: &str, indent: &str) -> String {
    textwrap::fill(text, textwrap::Options::new(columns()).subsequent_indent(indent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn help_speaks_of_its_own_game_and_fits() {
        for (game, help, has, lacks) in [
            ("chess", CHESS, "e2-e4", &["claim", "pass", "C2=5", "P*5e"][..]),
            ("xiangqi", XIANGQI, "炮二平五", &["claim", "pass", "e2-e4", "暗"][..]),
            ("coup", COUP, "U2-5", &["claim", "pass", "P*5e"][..]),
            ("shogi", SHOGI, "claim", &["e2-e4", "two passes", "C2=5"][..]),
            ("go", GO, "two passes", &["claim", "e2-e4", "C2=5"][..]),
        ] {
            for width in [60, 80, 200] {
                let about = nguky::register::find(game).expect("a game");
                let text = text(about, help, width);
                assert!(text.contains(has), "{text}");
                assert!(lacks.iter().all(|l| !text.contains(l)), "{text}");
                assert!(text.lines().all(|l| l.width() <= width), "{text}");
            }
        }
    }
}
