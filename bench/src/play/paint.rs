//! Colours of boards. Every square and piece has a background of its own, so that a board looks the same on a dark and
//! on a light terminal.

use anstyle::{Ansi256Color, Color, RgbColor};
use nguky::game::BoardFamily;

/// How many colours a terminal shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colours {
    /// None, or none are wanted.
    None,
    /// The 256 of xterm.
    Indexed,
    /// 24 bits.
    Full,
}

/// How boards are drawn.
#[derive(Clone, Copy, Debug)]
pub struct BoardStyle {
    /// Letters only.
    pub ascii: bool,
    /// With which colours.
    pub colours: Colours,
}

impl BoardStyle {
    /// What suits the terminal that the output goes to. `CLICOLOR_FORCE` has colours written to files, too.
    pub fn detect(ascii: bool, no_colour: bool) -> Self {
        let terminal =
            std::io::IsTerminal::is_terminal(&std::io::stdout()) && anstyle_query::term_supports_ansi_color();
        let wanted = !no_colour && !anstyle_query::no_color() && (terminal || anstyle_query::clicolor_force());
        let colours = match (wanted, anstyle_query::truecolor()) {
            (false, _) => Colours::None,
            (_, true) => Colours::Full,
            _ => Colours::Indexed,
        };
        // The console of Linux has no signs for pieces.
        let ascii = ascii || std::env::var("TERM").is_ok_and(|t| t == "linux");
        Self { ascii, colours }
    }

    /// A text in these colours, if the terminal has any.
    pub fn paint(self, text: &str, paint: Paint) -> String {
        let colour = |c: RgbColor| match self.colours {
            Colours::Full => Color::Rgb(c),
            _ => Color::Ansi256(indexed(c)),
        };
        if self.colours == Colours::None {
            return text.into();
        }
        let style = anstyle::Style::new()
            .fg_color(Some(colour(paint.ink)))
            .bg_color(Some(colour(paint.ground)));
        format!("{style}{text}{style:#}")
    }
}

/// The nearest of the 256 colours.
fn indexed(c: RgbColor) -> Ansi256Color {
    anstyle_lossy::rgb_to_xterm(c)
}

/// Foreground and background.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Paint {
    /// Of the piece or line.
    pub ink: RgbColor,
    /// Of the square or the piece's body.
    pub ground: RgbColor,
}

const fn paint(ink: (u8, u8, u8), ground: (u8, u8, u8)) -> Paint {
    Paint {
        ink: RgbColor(ink.0, ink.1, ink.2),
        ground: RgbColor(ground.0, ground.1, ground.2),
    }
}

const BLACK: (u8, u8, u8) = (0, 0, 0);
const WHITE: (u8, u8, u8) = (255, 255, 255);
/// Under a king in check; both white and black are read on it.
const ALARM: (u8, u8, u8) = (200, 30, 30);

/// What a game's board looks like.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// The two sides' pieces, shown or face up, by whether the last move touched them.
    men: [[(u8, u8, u8); 2]; 2],
    /// The body of a piece where it differs from the square.
    body: [Option<(u8, u8, u8)>; 2],
    /// The squares, light and dark.
    squares: [(u8, u8, u8); 2],
    /// The same under the last move.
    marked: [(u8, u8, u8); 2],
    /// Lines between points.
    line: (u8, u8, u8),
    /// Shogi's promoted pieces.
    promoted: Option<(u8, u8, u8)>,
    /// A king in check.
    checked: (u8, u8, u8),
}

const CHESS: Palette = Palette {
    men: [[WHITE, WHITE], [BLACK, BLACK]],
    body: [None, None],
    // Both between white and black, far enough from either.
    squares: [(150, 140, 110), (112, 98, 72)],
    marked: [(120, 145, 50), (95, 120, 35)],
    line: BLACK,
    promoted: None,
    checked: WHITE,
};

const XIANGQI: Palette = Palette {
    men: [[(175, 0, 0), (175, 0, 0)], [BLACK, BLACK]],
    body: [Some((255, 240, 205)), Some((255, 205, 60))],
    squares: [(210, 170, 110), (210, 170, 110)],
    marked: [(255, 205, 60), (255, 205, 60)],
    line: (95, 60, 20),
    promoted: None,
    checked: WHITE,
};

const SHOGI: Palette = Palette {
    men: [[BLACK, BLACK], [(0, 0, 150), (0, 0, 150)]],
    body: [None, None],
    squares: [(230, 195, 130), (215, 175, 105)],
    marked: [(255, 230, 80), (255, 230, 80)],
    line: (95, 60, 20),
    promoted: Some((165, 0, 0)),
    checked: WHITE,
};

const GO: Palette = Palette {
    men: [[BLACK, BLACK], [WHITE, WHITE]],
    body: [None, None],
    squares: [(165, 128, 78), (165, 128, 78)],
    marked: [(55, 130, 120), (55, 130, 120)],
    line: (75, 50, 20),
    promoted: None,
    checked: WHITE,
};

/// Face-down pieces of the two sides.
const COVERED: [Paint; 2] = [
    paint((255, 235, 205), (160, 25, 25)),
    paint((235, 235, 235), (45, 45, 45)),
];

/// What is to be painted.
#[derive(Clone, Copy, Default, Debug)]
pub struct BoardView {
    /// Whose piece it is.
    pub side: usize,
    /// Whether it lies face down.
    pub covered: bool,
    /// Whether it is a promoted piece of shogi.
    pub promoted: bool,
    /// Whether the last move touched it.
    pub marked: bool,
    /// Whether it is a king in check.
    pub checked: bool,
    /// Whether its square is a dark one.
    pub dark: bool,
}

impl Palette {
    /// The colours of a board.
    pub const fn of(board: BoardFamily) -> Self {
        match board {
            BoardFamily::Chess => CHESS,
            BoardFamily::Xiangqi => XIANGQI,
            BoardFamily::Shogi => SHOGI,
            BoardFamily::Go => GO,
        }
    }

    /// A piece.
    pub fn piece(&self, look: BoardView) -> Paint {
        let marked = usize::from(look.marked);
        if look.checked {
            return paint(self.checked, ALARM);
        }
        if look.covered {
            return COVERED[look.side & 1];
        }
        let ink = self.promoted.filter(|_| look.promoted);
        let ink = ink.unwrap_or(self.men[look.side & 1][marked]);
        paint(ink, self.body[marked].unwrap_or(self.ground(look)))
    }

    /// A line, or an empty square.
    pub fn board(&self, look: BoardView) -> Paint {
        paint(self.line, self.ground(look))
    }

    fn ground(&self, look: BoardView) -> (u8, u8, u8) {
        let squares = if look.marked { self.marked } else { self.squares };
        squares[usize::from(look.dark)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as the Web Content Accessibility Guidelines define it.
    fn luminance(c: RgbColor) -> f64 {
        let part = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.040_45 {
                v / 12.92
            } else {
                ((v + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(c.0) + 0.7152 * part(c.1) + 0.0722 * part(c.2)
    }

    fn contrast(p: Paint) -> f64 {
        let (a, b) = (luminance(p.ink), luminance(p.ground));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_piece_stands_out_from_its_square() {
        // The guidelines want 3 for large signs.
        for game in nguky::register::games() {
            let palette = Palette::of(game.board);
            for bits in 0..64 {
                let has = |i: u32| bits >> i & 1 == 1;
                let look = BoardView {
                    side: usize::from(has(0)),
                    covered: has(1),
                    promoted: has(2) && !game.promoted.is_empty(),
                    marked: has(3),
                    checked: has(4),
                    dark: has(5),
                };
                let full = palette.piece(look);
                let narrow = Paint {
                    ink: anstyle_lossy::xterm_to_rgb(indexed(full.ink), anstyle_lossy::palette::DEFAULT),
                    ground: anstyle_lossy::xterm_to_rgb(indexed(full.ground), anstyle_lossy::palette::DEFAULT),
                };
                for (kind, p) in [("24 bits", full), ("256", narrow)] {
                    assert!(
                        contrast(p) >= 3.0,
                        "{} {kind} {look:?}: {:.2} of {p:?}",
                        game.name,
                        contrast(p)
                    );
                }
            }
        }
    }

    #[test]
    fn texts_are_painted_as_the_terminal_can() {
        let style = |colours| BoardStyle { ascii: false, colours };
        let p = Palette::of(BoardFamily::Chess).piece(BoardView::default());
        assert_eq!(style(Colours::None).paint("K", p), "K");
        let full = style(Colours::Full).paint("K", p);
        assert_eq!(full, "\x1b[38;2;255;255;255m\x1b[48;2;150;140;110mK\x1b[0m");
        assert!(style(Colours::Indexed).paint("K", p).starts_with("\x1b[38;5;"));
    }
}
