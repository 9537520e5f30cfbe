//! Minichess once more, as plainly as it can be written: a pair of squares is a move when the piece on one reaches the
//! other and no enemy reaches the king afterwards. It counts move trees for the comparison with the generator.

type Rows = [[char; 5]; 5];
type Square = (usize, usize);

fn rows(setup: &str) -> Rows {
    let mut all = [['.'; 5]; 5];
    for (row, line) in setup.split(' ').next().expect("a board").split('/').enumerate() {
        let mut column = 0;
        for c in line.chars() {
            match c.to_digit(10) {
                Some(gap) => column += gap as usize,
                None => {
                    all[row][column] = c;
                    column += 1;
                }
            }
        }
    }
    all
}

fn all_squares() -> impl Iterator<Item = Square> {
    (0..25).map(|i| (i / 5, i % 5))
}

/// Whether nothing stands strictly between two squares of a line.
fn is_open(b: &Rows, from: Square, to: Square) -> bool {
    let (rows, columns) = (to.0 as i32 - from.0 as i32, to.1 as i32 - from.1 as i32);
    let length = rows.abs().max(columns.abs());
    (1..length).all(|i| {
        let row = from.0 as i32 + rows / length * i;
        let column = from.1 as i32 + columns / length * i;
        b[row as usize][column as usize] == '.'
    })
}

/// Whether the piece on a square may go to another, its own king's safety aside.
fn reaches(b: &Rows, from: Square, to: Square) -> bool {
    let (piece, target) = (b[from.0][from.1], b[to.0][to.1]);
    if from == to || target != '.' && target.is_uppercase() == piece.is_uppercase() {
        return false;
    }
    let up = from.0 as i32 - to.0 as i32;
    let [rows, columns] = [up.abs(), (from.1 as i32 - to.1 as i32).abs()];
    let straight = (rows == 0 || columns == 0) && is_open(b, from, to);
    let diagonal = rows == columns && is_open(b, from, to);
    match piece.to_ascii_lowercase() {
        'p' => {
            let ahead = if piece == 'P' { up } else { -up };
            ahead == 1 && columns == i32::from(target != '.')
        }
        'n' => rows * columns == 2,
        'b' => diagonal,
        'r' => straight,
        'q' => straight || diagonal,
        _ => rows.max(columns) == 1,
    }
}

fn is_own(piece: char, white: bool) -> bool {
    piece != '.' && piece.is_uppercase() == white
}

fn king_is_safe(b: &Rows, white: bool) -> bool {
    let wanted = if white { 'K' } else { 'k' };
    let king = all_squares().find(|s| b[s.0][s.1] == wanted).expect("a king");
    !all_squares().any(|from| is_own(b[from.0][from.1], !white) && reaches(b, from, king))
}

fn leaves(b: &Rows, white: bool, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut total = 0;
    for from in all_squares().filter(|s| is_own(b[s.0][s.1], white)) {
        for to in all_squares().filter(|to| reaches(b, from, *to)) {
            let mover = b[from.0][from.1];
            let last = mover == 'P' && to.0 == 0 || mover == 'p' && to.0 == 4;
            let becomes = match (last, white) {
                (false, _) => vec![mover],
                (true, true) => vec!['N', 'B', 'R', 'Q'],
                (true, false) => vec!['n', 'b', 'r', 'q'],
            };
            for piece in becomes {
                let mut next = *b;
                next[from.0][from.1] = '.';
                next[to.0][to.1] = piece;
                if king_is_safe(&next, white) {
                    total += leaves(&next, !white, depth - 1);
                }
            }
        }
    }
    total
}

/// Leaves of the move tree.
pub fn perft(setup: &str, depth: u32) -> u64 {
    leaves(&rows(setup), setup.split(' ').nth(1) == Some("w"), depth)
}
