//! The games of the alpha-beta search keep the laws of [`super::check`].

use super::check::{EMPTY, Places, by_place, check_game, squares};
use nguky::game::{Position, Side};
use nguky::games::chess::{Chess, ChessRules};
use nguky::games::coup::{Coup, CoupRules};
use nguky::games::shogi::types::{Kind as ShogiKind, hand_place};
use nguky::games::shogi::{Shogi, ShogiRules};
use nguky::games::xiangqi::{Xiangqi, XiangqiRules};

const CHESS_PLACES: Places = Places {
    read: chess_places,
    index: by_place,
};

fn chess_places(setup: &str) -> Vec<u8> {
    squares(setup, "PNBRQKpnbrqk", [8, 8])
}

#[test]
fn chess_keeps_the_laws() {
    for seed in 0..12 {
        check_game::<Chess>(Chess::START, &ChessRules::default(), CHESS_PLACES, seed, 120);
    }
    for (seed, start) in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ]
    .into_iter()
    .enumerate()
    {
        for round in 0..4 {
            check_game::<Chess>(
                start,
                &ChessRules::default(),
                CHESS_PLACES,
                (seed * 4 + round) as u64 + 100,
                60,
            );
        }
    }
}

#[test]
fn chess960_keeps_the_laws() {
    let rules = ChessRules { chess960: true };
    for (seed, start) in [
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
        "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
        "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
        "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
    ]
    .into_iter()
    .enumerate()
    {
        for round in 0..4 {
            check_game::<Chess>(start, &rules, CHESS_PLACES, (seed * 4 + round) as u64, 50);
        }
    }
}

const XIANGQI_PLACES: Places = Places {
    read: xiangqi_places,
    index: by_place,
};

fn xiangqi_places(setup: &str) -> Vec<u8> {
    squares(setup, "KABNRCPkabnrcp", [9, 10])
}

#[test]
fn xiangqi_keeps_the_laws() {
    for seed in 0..8 {
        check_game::<Xiangqi>(Xiangqi::START, &XiangqiRules::default(), XIANGQI_PLACES, seed, 150);
    }
    for (seed, start) in [
        "3akab2/4n4/4b4/9/4C1c2/2r6/9/4R4/4A4/2BAK4 w - - 0 1",
        "4k4/4c4/9/4P4/4N4/9/4r4/9/4A4/3K1A3 b - - 0 1",
        "2bak4/4a4/4b1n2/9/2p6/6P2/5c3/3RB4/4A4/2BAK1C1r w - - 7 30",
        "3k5/9/3P1P3/9/9/2p1p4/9/3p5/9/5K3 w - - 0 1",
    ]
    .into_iter()
    .enumerate()
    {
        for round in 0..4 {
            check_game::<Xiangqi>(
                start,
                &XiangqiRules::default(),
                XIANGQI_PLACES,
                (seed * 4 + round) as u64,
                60,
            );
        }
    }
}

const COUP_PLACES: Places = Places {
    read: coup_places,
    index: |piece, place| match place {
        0..90 => place.into(),
        // The same place for all kinds: the number of the piece among those of its kind that may lie face down.
        _ => 90 + usize::from(piece) * 5 + usize::from(place - 90),
    },
};

fn coup_places(setup: &str) -> Vec<u8> {
    const LETTERS: &str = "KABNRCPkabnrcpXx";
    let piece = |c: char| LETTERS.find(c).map_or(EMPTY, |i| i as u8);
    let mut words = setup.split(' ');
    let mut out = squares(words.next().unwrap_or_default(), LETTERS, [9, 10]);
    out.resize(90 + 14 * 5, EMPTY);
    let mut last = EMPTY;
    for c in words.nth(1).unwrap_or_default().chars() {
        match c.to_digit(10) {
            Some(n) => (0..n as usize).for_each(|nth| out[90 + usize::from(last) * 5 + nth] = last),
            None => last = piece(c),
        }
    }
    out
}

#[test]
fn coup_keeps_the_laws() {
    let rules = CoupRules::default();
    for seed in 0..12 {
        check_game::<Coup>(Coup::START, &rules, COUP_PLACES, seed, 160);
    }
    for (seed, start) in Coup::BENCH.iter().enumerate() {
        check_game::<Coup>(start, &rules, COUP_PLACES, seed as u64 + 100, 60);
    }
}

const SHOGI_PLACES: Places = Places {
    read: shogi_places,
    index: by_place,
};

fn shogi_places(setup: &str) -> Vec<u8> {
    const LETTERS: &str = "PLNSBRGKplnsbrgk";
    let piece = |c: char| LETTERS.find(c).map(|i| (i / 8 * 14 + i % 8) as u8);
    let mut words = setup.split(' ');
    let mut out = vec![EMPTY; 81 + 2 * 38];
    for (r, row) in words.next().unwrap_or_default().split('/').enumerate() {
        let (mut x, mut plus) = (0, 0);
        for c in row.chars() {
            match (c, c.to_digit(10)) {
                ('+', _) => plus = 8,
                (_, Some(gap)) => x += gap as usize,
                (_, None) => {
                    out[(8 - x) * 9 + r] = piece(c).map_or(EMPTY, |p| p + plus);
                    (x, plus) = (x + 1, 0);
                }
            }
        }
    }
    let mut count = 0;
    for c in words.nth(1).unwrap_or("-").chars() {
        if let Some(digit) = c.to_digit(10) {
            count = count * 10 + digit;
        } else if let Some(piece) = piece(c) {
            let side = if piece < 14 { Side::First } else { Side::Second };
            let kind: ShogiKind = nguky::games::shogi::types::kind_of(piece);
            for nth in 0..count.max(1) {
                out[hand_place(side, kind, nth) as usize] = piece;
            }
            count = 0;
        }
    }
    out
}

#[test]
fn shogi_keeps_the_laws() {
    // With every move listed, all of the laws hold; the lean list is compared in the tests of shogi itself.
    let rules = ShogiRules {
        all_moves: true,
        ..ShogiRules::default()
    };
    for seed in 0..8 {
        check_game::<Shogi>(Shogi::START, &rules, SHOGI_PLACES, seed, 160);
    }
    for (seed, start) in Shogi::BENCH.iter().enumerate() {
        check_game::<Shogi>(start, &rules, SHOGI_PLACES, seed as u64 + 100, 40);
    }
    let most = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
    check_game::<Shogi>(most, &rules, SHOGI_PLACES, 200, 20);
}
