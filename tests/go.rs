//! Go: the rules hold case by case.

use nguky::game::Side;
use nguky::games::go::rules::Ko;
use nguky::games::go::types::{BLACK, WHITE, colour};
use nguky::games::go::{Board, Ended, Game, Point, Rules, coords, score};
use serde_json::Value;

const BASIC: Rules = Rules {
    ko: Ko::Simple,
    ..Rules::CHINESE
};
const SITUATIONAL: Rules = Rules {
    ko: Ko::Situational,
    ..Rules::CHINESE
};

fn perft_rows(deepest: u64) {
    for line in include_str!("data/go_perft.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let (name, counts) = line.split_once(':').expect("rule size: counts");
        let (rule, size) = name.split_once(' ').expect("rule size");
        let size: usize = size.trim().parse().expect("a size");
        let rules = match rule {
            "simple" => BASIC,
            "psk" => Rules::CHINESE,
            "tt" => Rules::TROMP_TAYLOR,
            _ => SITUATIONAL,
        };
        let Ok(game) = Game::new(size, rules) else {
            assert_eq!(size, 1, "only 1x1 is refused");
            continue;
        };
        for (i, want) in counts.split_whitespace().enumerate() {
            let want: u64 = want.parse().expect("a count");
            if want <= deepest {
                assert_eq!(game.perft(i as u32 + 1), want, "{name} depth {}", i + 1);
            }
        }
    }
}

#[test]
fn perft_counts() {
    perft_rows(600_000);
}

#[test]
#[ignore = "deep"]
fn perft_counts_deep() {
    perft_rows(u64::MAX);
}

fn rows_of(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("one object a line"))
        .collect()
}

fn word(v: &Value) -> &str {
    v.as_str().expect("a string")
}

/// Plays the moves of a case; false when one of them is refused.
fn play_all(game: &mut Game, moves: &Value) -> bool {
    moves.as_array().expect("moves").iter().all(|m| {
        let side = coords::parse_side(word(&m[0])).expect("a colour");
        let p = coords::parse(game.board(), word(&m[1])).expect("a vertex");
        game.play(p, side).is_ok()
    })
}

#[test]
fn rule_cases() {
    let suicide = Rules {
        suicide: true,
        ..Rules::CHINESE
    };
    let mut verdicts = 0;
    for case in rows_of(include_str!("data/go_rules-cases.jsonl")) {
        let size = case["size"].as_u64().expect("a size") as usize;
        for (name, rules) in [
            ("simple", BASIC),
            ("psk", Rules::CHINESE),
            ("ssk", SITUATIONAL),
            ("psk_suicide", suicide),
        ] {
            let Some(want) = case["legal"][name].as_bool() else {
                continue;
            };
            let mut game = Game::new(size, rules).expect("a size in range");
            if !play_all(&mut game, &case["moves"]) {
                // Some histories cannot be played under every code.
                assert!(!case["gnugo_skip"].is_null(), "{} {name}", case["id"]);
                continue;
            }
            let side = coords::parse_side(word(&case["query"][0])).expect("a colour");
            let p = coords::parse(game.board(), word(&case["query"][1])).expect("a vertex");
            assert_eq!(game.is_legal(p, side), want, "{} {name}", case["id"]);
            verdicts += 1;
        }
    }
    assert!(verdicts >= 180, "{verdicts}");
}

#[test]
fn scoring_cases() {
    let japanese = Rules {
        tax: nguky::games::go::rules::Tax::None,
        ..Rules::JAPANESE
    };
    for case in rows_of(include_str!("data/go_scoring-cases.jsonl")) {
        let size = case["size"].as_u64().expect("a size") as usize;
        for (name, rules) in [
            ("area", BASIC),
            ("area", SITUATIONAL),
            ("territory_plus_prisoners", japanese),
            ("territory_plus_prisoners", Rules::JAPANESE),
        ] {
            let mut game = Game::new(size, rules).expect("a size in range");
            game.set_komi(case["komi"].as_f64().expect("komi") as f32);
            assert!(play_all(&mut game, &case["moves"]), "{}", case["id"]);
            let rows: Vec<&str> = case["final_rows_top_first"]
                .as_array()
                .expect("rows")
                .iter()
                .map(word)
                .collect();
            assert_eq!(game.board().rows(), rows, "{}", case["id"]);
            assert_eq!(
                game.board().lost(WHITE) as u64,
                case["prisoners_by_black"].as_u64().expect("a number")
            );
            assert_eq!(
                score::text(game.score(&[])),
                word(&case[name]),
                "{} {name} {}",
                case["id"],
                rules.name
            );
        }
    }
}

fn at(game: &Game, text: &str) -> Point {
    coords::parse(game.board(), text).expect("a vertex")
}

fn drawn(rows: &[&str], rules: Rules) -> Game {
    Game::from_board(Board::drawn(rows).expect("a square drawing"), rules, Side::First)
}

fn play(game: &mut Game, side: Side, text: &str) {
    let p = at(game, text);
    game.play(p, side).unwrap_or_else(|e| panic!("{text}: {e}"));
}

const BLACKS: Side = Side::First;
const WHITES: Side = Side::Second;

#[test]
fn seed_boards_and_supplies() {
    // "n x n lines, n odd: 13, 15, 17, 19; black (n*n+1)/2 stones, white n*n/2, one fewer; 13x13: 84 and 85."
    for (size, white, black) in [
        (9, 40, 41),
        (13, 84, 85),
        (15, 112, 113),
        (17, 144, 145),
        (19, 180, 181),
    ] {
        let game = Game::new(size, Rules::COTHU).expect("a size in range");
        assert_eq!((game.supply(WHITES), game.supply(BLACKS)), (white, black));
        // The centre is marked, and other points with it.
        assert_eq!(
            coords::stars(game.board()).len(),
            if size < 15 { 5 } else { 9 },
            "{size}"
        );
        assert!(coords::stars(game.board()).contains(&game.board().at(size / 2, size / 2)));
    }
}

#[test]
fn seed_black_begins_and_turns_alternate_by_single_stones() {
    // "Two players take turns, black always first; a turn places one stone on a point and captures if it can."
    let mut game = Game::new(13, Rules::COTHU).expect("a size in range");
    assert_eq!(game.side(), BLACKS);
    play(&mut game, BLACKS, "C3");
    assert_eq!(game.side(), WHITES);
    assert_eq!(game.board().empties().len(), 168);
    // "A stone is only placed anew, never moved": a taken point is refused.
    assert!(!game.is_legal(at(&game, "C3"), WHITES));
}

#[test]
fn seed_a_turn_may_be_passed_and_two_passes_end_the_game() {
    let mut game = Game::new(13, Rules::COTHU).expect("a size in range");
    play(&mut game, BLACKS, "pass");
    assert_eq!(game.ended(), None);
    play(&mut game, WHITES, "C3");
    play(&mut game, BLACKS, "pass");
    assert_eq!(game.ended(), None);
    play(&mut game, WHITES, "pass");
    assert_eq!(game.ended(), Some(Ended::Passes));
}

#[test]
fn seed_no_points_and_no_stones_end_the_game() {
    // "No land left to play on": white's every point is suicide.
    let mut game = drawn(&[".X.", "XXX", ".X."], Rules::COTHU);
    game.set_side(WHITES);
    assert_eq!(game.ended(), Some(Ended::Points));
    // "No stones left": five and four on 3x3.
    let mut game = Game::new(3, Rules::COTHU).expect("a size in range");
    for (b, w) in [("A1", "A3"), ("A2", "C2"), ("A3", "B2"), ("B1", "C3")] {
        if game.is_legal(at(&game, b), BLACKS) {
            play(&mut game, BLACKS, b);
        } else {
            play(&mut game, BLACKS, "B3");
        }
        play(&mut game, WHITES, w);
    }
    assert_eq!((game.supply(BLACKS), game.supply(WHITES)), (1, 0));
    play(&mut game, BLACKS, "pass");
    assert_eq!(game.ended(), Some(Ended::Stones));
    assert!(!game.legal_points().iter().any(|&p| game.is_legal(p, WHITES)));
}

#[test]
fn seed_score_is_land_prisoners_and_five_and_a_half() {
    // "The more points wins": one for each point of land and each prisoner, 5.5 for white.
    let mut game = drawn(&[".XO..", "XXO..", "OOO..", ".....", "....."], Rules::COTHU);
    assert_eq!(game.komi(), 5.5);
    // Black has one point, white the sixteen outside.
    assert_eq!(game.score(&[]), 1.0 - 16.0 - 5.5);
    game.set_side(WHITES);
    // White captures by filling the eye: three prisoners, and four new points of land.
    play(&mut game, WHITES, "A5");
    assert_eq!(game.board().lost(BLACK), 3);
    assert_eq!(game.score(&[]), -(16.0 + 3.0) - 3.0 - 5.5);
}

#[test]
fn seed_a_stone_in_conquered_land_costs_its_point() {
    // "In conquered land of more than two points, a point with a stone in it is not land." Own stones and the
    // opponent's alike; the opponent's stone makes its whole surroundings nobody's until it is captured.
    let own = drawn(&["..X..", ".XX..", "XX...", ".....", "....."], Rules::COTHU);
    let filled = drawn(&["X.X..", ".XX..", "XX...", ".....", "....."], Rules::COTHU);
    assert_eq!(own.score(&[]) - filled.score(&[]), 1.0);
    let foe = drawn(&["O.X..", ".XX..", "XX...", ".....", "....."], Rules::COTHU);
    assert_eq!(filled.score(&[]) - foe.score(&[]), 2.0);
}

#[test]
fn seed_land_reaches_to_the_nearest_wall() {
    // "The land of each side counts from the nearest edge to that side's outline": walls within walls.
    let game = drawn(
        &[
            ".......", ".XXXXX.", ".X...X.", ".X.O.X.", ".X...X.", ".XXXXX.", ".......",
        ],
        Rules::COTHU,
    );
    // Outside is black's; inside, both touch it.
    assert_eq!(game.score(&[]), 24.0 - 5.5);
    let nested = drawn(
        &[
            "..X.O..", "..X.O..", "..X.O..", "..X.O..", "..X.O..", "..X.O..", "..X.O..",
        ],
        Rules::COTHU,
    );
    assert_eq!(nested.score(&[]), -5.5);
}

#[test]
fn seed_liberties_are_empty_neighbours_not_beyond_the_edge() {
    let game = drawn(&["X....", ".....", "..X..", ".....", "..X.."], Rules::COTHU);
    for (p, n) in [("A5", 2), ("C3", 4), ("C1", 3)] {
        assert_eq!(game.board().liberties(at(&game, p)), n, "{p}");
    }
}

#[test]
fn seed_stones_are_linked_along_lines_and_captured_together() {
    // "Two stones are linked when they stand on neighbouring points." Diagonals do not link.
    let mut game = drawn(&["XX...", "OOX..", ".....", ".....", "....."], Rules::COTHU);
    game.set_side(WHITES);
    assert_eq!(game.board().stones(at(&game, "A5")), 2);
    assert_eq!(game.board().stones(at(&game, "C4")), 1);
    // "Captured when it has no liberty and no linked stone has one."
    play(&mut game, WHITES, "C5");
    assert_eq!(game.board().lost(BLACK), 2);
}

#[test]
fn seed_no_stone_without_liberties_unless_it_captures() {
    let game = drawn(&[".X...", "X....", ".....", ".....", "....."], Rules::COTHU);
    assert!(!game.is_legal(at(&game, "A5"), WHITES));
    let game = drawn(&[".XO..", "XXO..", "OO...", ".....", "....."], Rules::COTHU);
    // Two stones and more may not die either; a capture may fill the last liberty.
    assert!(!game.is_legal(at(&game, "A5"), BLACKS));
    assert!(game.is_legal(at(&game, "A5"), WHITES));
}

/// New Zealand: "suicide is allowed"; the superko compares the board and who moves next.
#[test]
fn a_single_stone_may_be_given_up_in_new_zealand() {
    let board = [".X...", "X....", ".....", ".....", "....."];
    let whites = |rules| Game::from_board(Board::drawn(&board).expect("a square drawing"), rules, WHITES);
    let mut game = whites(Rules::NEW_ZEALAND);
    play(&mut game, WHITES, "A5");
    assert_eq!((game.board().rows()[0].as_str(), game.side()), (".X...", BLACKS));
    assert_eq!(game.board().lost(2), 1);
    // After a pass the turn would come back with the same board: white passed here before.
    let mut game = whites(Rules::NEW_ZEALAND);
    play(&mut game, WHITES, "pass");
    play(&mut game, BLACKS, "pass");
    assert!(!game.is_legal(at(&game, "A5"), WHITES));
    // Elsewhere no stone may be given up alone.
    for rules in [
        Rules::TROMP_TAYLOR,
        Rules::CHINESE,
        Rules::AGA,
        Rules::JAPANESE,
        Rules::COTHU,
    ] {
        let game = whites(rules);
        assert!(!game.is_legal(at(&game, "A5"), WHITES), "{}", rules.name);
    }
}

#[test]
fn seed_ko_waits_one_move() {
    let mut game = drawn(&[".XO..", "XO.O.", ".XO..", ".....", "....."], Rules::COTHU);
    play(&mut game, BLACKS, "C4");
    assert_eq!(game.board().lost(WHITE), 1);
    assert!(!game.is_legal(at(&game, "B4"), WHITES));
    play(&mut game, WHITES, "A1");
    play(&mut game, BLACKS, "E1");
    // "After this turn white may capture again, for the board has changed."
    assert!(game.is_legal(at(&game, "B4"), WHITES));
}

#[test]
fn dead_stones_handicap_and_seki() {
    // Chinese and Japanese take hopeless stones off; the seed and Tromp-Taylor leave them.
    let rows = ["O.X..", ".XX..", "XX...", ".....", "....."];
    let dead = |rules: Rules| {
        let board = Board::drawn(&rows).expect("a square drawing");
        score::to_remove(&board, &rules, &[1.0; 25]).len()
    };
    assert_eq!((dead(Rules::CHINESE), dead(Rules::JAPANESE)), (1, 1));
    assert_eq!((dead(Rules::COTHU), dead(Rules::TROMP_TAYLOR)), (0, 0));
    for (rules, points) in [
        (Rules::CHINESE, 3.0),
        (Rules::AGA, 2.0),
        (Rules::NEW_ZEALAND, 0.0),
        (Rules::COTHU, 0.0),
    ] {
        let mut game = Game::new(9, rules).expect("a size in range");
        let stones = coords::fixed_handicap(game.board(), 3).expect("room for three");
        game.place_handicap(&stones).expect("an empty board");
        assert_eq!(game.compensation(), rules.komi + points);
        assert_eq!(game.side(), WHITES);
    }
    // One eye each and a shared liberty: the eyes do not count in Japan.
    let seki = [
        "XOX.XO.", "XOXXXOO", "XOOOOOO", "XXXXXXX", ".X.....", "X.XXXXX", ".X.....",
    ];
    let japan = drawn(&seki, Rules::JAPANESE).score(&[]);
    let plain = drawn(
        &seki,
        Rules {
            tax: nguky::games::go::rules::Tax::None,
            ..Rules::JAPANESE
        },
    )
    .score(&[]);
    assert!(japan <= plain);
}

#[test]
fn coordinates() {
    let board = Board::new(19).expect("a size in range");
    for p in board.points() {
        assert_eq!(coords::parse(&board, &coords::text(&board, p).to_lowercase()), Ok(p));
    }
    for bad in [
        "", "I5", "T20", "A0", "D", "4", "D44x", "D+4", "D04", "U1", "é4", "PASSS", "D-1",
    ] {
        assert!(coords::parse(&board, bad).is_err(), "{bad}");
    }
    assert_eq!(colour(Side::First), BLACK);
    for size in [0, 1, 26, usize::MAX] {
        assert!(Board::new(size).is_err());
    }
}
