//! Setups of double Fischer random chess: each side's back rank is one of the 960, drawn apart from the other's.

use nguky::game::Position;
use nguky::games::chess::Chess;
use nguky::util::rng::SplitMix;

/// The places of the two knights among five empty squares, by number.
const KNIGHTS: [(usize, usize); 10] = [
    (0, 1),
    (0, 2),
    (0, 3),
    (0, 4),
    (1, 2),
    (1, 3),
    (1, 4),
    (2, 3),
    (2, 4),
    (3, 4),
];

/// Whether a game has such setups.
pub fn has_dfrc<P: Position>() -> bool {
    P::NAME == Chess::NAME
}

/// A setup of a game that has them.
pub fn dfrc<P: Position>(rng: &mut SplitMix) -> Option<String> {
    has_dfrc::<P>().then(|| setup(rng.below(960) as usize, rng.below(960) as usize))
}

/// The setup of two back ranks by their numbers, white's first; castling rights by the rooks' files (Shredder-FEN).
fn setup(white: usize, black: usize) -> String {
    let [white, black] = [white, black].map(back_rank);
    let rights = |rank: &[u8; 8]| -> String {
        let files = (b'a'..=b'h').zip(rank).rev();
        files
            .filter(|(_, piece)| **piece == b'r')
            .map(|(file, _)| file as char)
            .collect()
    };
    let text = |rank: &[u8; 8]| String::from_utf8_lossy(rank).into_owned();
    format!(
        "{}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{} - 0 1",
        text(&black),
        text(&white).to_uppercase(),
        rights(&white).to_uppercase(),
        rights(&black)
    )
}

/// The back rank of a number below 960 (Scharnagl's numbering; 518 is that of chess).
fn back_rank(number: usize) -> [u8; 8] {
    let mut rank = [b'.'; 8];
    rank[number % 4 * 2 + 1] = b'b';
    rank[number / 4 % 4 * 2] = b'b';
    let empty = |rank: &[u8; 8], nth: usize| (0..8).filter(|&i| rank[i] == b'.').nth(nth).unwrap_or(0);
    let queen = empty(&rank, number / 16 % 6);
    rank[queen] = b'q';
    let (a, b) = KNIGHTS[number / 96 % 10];
    let knights = [empty(&rank, a), empty(&rank, b)];
    for at in knights {
        rank[at] = b'n';
    }
    for piece in [b'r', b'k', b'r'] {
        let at = empty(&rank, 0);
        rank[at] = piece;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;
    use nguky::games::xiangqi::Xiangqi;
    use std::collections::HashSet;

    #[test]
    fn the_960_back_ranks_are_all_there() {
        assert_eq!(&back_rank(518), b"rnbqkbnr");
        assert_eq!(&back_rank(0), b"bbqnnrkr");
        let all: HashSet<[u8; 8]> = (0..960).map(back_rank).collect();
        assert_eq!(all.len(), 960);
        for rank in all {
            let at = |piece: u8| -> Vec<usize> { (0..8).filter(|&i| rank[i] == piece).collect() };
            let (king, rooks, bishops) = (at(b'k'), at(b'r'), at(b'b'));
            assert!(rooks[0] < king[0] && king[0] < rooks[1], "{rank:?}");
            assert_ne!(bishops[0] % 2, bishops[1] % 2, "{rank:?}");
        }
    }

    #[test]
    fn setups_are_sound_with_all_castling_rights() {
        let mut rng = SplitMix::new(3);
        for _ in 0..200 {
            let text = dfrc::<Chess>(&mut rng).expect("chess has them");
            let rules = nguky::games::chess::ChessRules { chess960: true };
            let pos = Chess::parse(&text, &rules).expect("a sound setup");
            assert_eq!(pos.setup(), text);
            let plain = Chess::parse(&text, &Default::default()).expect("a sound setup");
            assert_eq!(plain.key(), pos.key(), "{text}");
        }
        assert_eq!(dfrc::<Xiangqi>(&mut rng), None);
    }
}
