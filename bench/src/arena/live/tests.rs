//! The live file without a match.

use super::*;
use crate::arena::coup::Dealt;
use crate::arena::game::Course;
use crate::arena::player::Pace;
use crate::arena::state::Games;
use crate::arena::stats::SprtBounds;
use nguky::game::Position;
use nguky::games::coup::{Coup, CoupRules};
use nguky::util::rng::SplitMix;

const BOUT: Bout = Bout {
    pair: [0, 1],
    number: 3,
};

struct TempDir(PathBuf);

impl TempDir {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("nguky-live-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        Self(dir)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn read(file: &Path) -> Option<LiveMatch> {
    serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()
}

/// Waits until the file is as wanted.
fn until(file: &Path, wanted: impl Fn(&LiveMatch) -> bool) -> LiveMatch {
    let begun = Instant::now();
    loop {
        match read(file).filter(&wanted) {
            Some(found) => return found,
            None => assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", read(file)),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_file_lies_beside_the_state() {
    assert_eq!(
        beside(Path::new("a/chess.pgn.state.json")),
        Path::new("a/chess.pgn.live.json")
    );
    assert_eq!(beside(Path::new("kept")), Path::new("kept.live.json"));
}

#[test]
fn games_are_in_the_file_while_they_are_played() {
    let folder = TempDir::new("games");
    let file = folder.0.join("x.live.json");
    let boards = LiveBoards::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| boards.write(&file));
        let spec = LiveSpec {
            game: "chess".into(),
            ..LiveSpec::default()
        };
        boards.open(spec, ScorePath::default(), LiveStanding::default());
        let opening = ["e2e4".to_string()];
        let seat = boards.begin(BOUT, "2.2".into(), ("the start", &opening));
        let seen = until(&file, |m| !m.running.is_empty());
        assert_eq!(seen.spec.game, "chess");
        let game = &seen.running[0];
        assert_eq!(
            (game.order, game.opening, game.setup.as_str()),
            ([1, 0], 1, "the start"),
            "an odd game: the second engine moves first"
        );
        let terms = Pace::clock("5+1").expect("a clock");
        seat.thinks(&Clocks::new([terms, Pace::Nodes(9)]));
        let thought = Thought {
            score: Some(EngineScore::Centipawns(-12)),
            depth: 7,
            ..Thought::default()
        };
        seat.moved(1, "e7e5", &thought);
        let game = until(&file, |m| m.running[0].moves.len() == 2).running[0].clone();
        assert_eq!(game.clocks, [Some(5_000), None]);
        assert_eq!(game.said[0], None);
        assert_eq!(game.said[1].map(|s| (s.cp, s.depth)), Some((Some(-12), 7)));
        let played = Played {
            points: 2,
            reason: "checkmate".into(),
            ..Played::default()
        };
        boards.finished(BOUT, &played);
        // What its thread still says of a game that is over changes nothing.
        seat.moved(0, "a2a3", &thought);
        let second = Bout { number: 4, ..BOUT };
        let _other = boards.begin(second, "3.1".into(), ("", &[]));
        let seen = until(&file, |m| !m.last.is_empty() && m.running[0].number == 4);
        assert_eq!(seen.running.len(), 1, "it takes the place of the one that is over");
        assert_eq!((seen.last[0].plies, seen.last[0].over.points), (2, 2));
        assert_eq!(seen.end, None);
        boards.end(LiveEnd::Decided);
    });
    let last = read(&file).expect("a whole file");
    assert_eq!((last.end, last.running.len()), (Some(LiveEnd::Decided), 0));
    assert!(!folder.0.join("x.live.json.new").exists());
}

#[test]
fn without_a_file_nothing_is_kept() {
    let folder = TempDir::new("off");
    let file = folder.0.join("x.live.json");
    let boards = LiveBoards::new(false);
    boards.open(LiveSpec::default(), ScorePath::default(), LiveStanding::default());
    let _seat = boards.begin(BOUT, "1.1".into(), ("", &[]));
    // It returns although nothing ends it.
    boards.write(&file);
    assert!(!file.exists() && boards.lock().shown.running.is_empty());
}

#[test]
fn the_file_stays_small() {
    let boards = LiveBoards::new(true);
    let moves: Vec<String> = (0..300).map(|_| "e2e4".into()).collect();
    let seats: Vec<LiveSeat> = (0..100)
        .map(|number| boards.begin(Bout { number, ..BOUT }, "1.1".into(), ("", &moves)))
        .collect();
    for pairs in 1..=50_000 {
        let tally = MatchFigures {
            pairs: [0, 0, pairs, 0, 0],
            elo: Some([-123.456, 12.345_678]),
            llr: Some(1.234_567),
            ..MatchFigures::default()
        };
        boards.stands(LiveStanding {
            games: 2 * pairs as usize,
            tally: Some(tally),
            ..LiveStanding::default()
        });
    }
    let text = boards.lock().text();
    let seen: LiveMatch = serde_json::from_str(&text).expect("JSON");
    assert!(text.len() <= 200_000, "{} bytes", text.len());
    assert_eq!(
        (seen.running.len(), seen.more),
        (MOST_BOARDS, seats.len() - MOST_BOARDS)
    );
    assert!((256..=512).contains(&seen.path.len()), "{} points", seen.path.len());
    assert_eq!(seen.standing.games, 100_000);
}

#[test]
fn the_path_of_a_resumed_match_is_that_of_its_games() {
    let test = SprtBounds::parse("0,5").expect("a test");
    let game = |points| Played {
        points,
        ..Played::default()
    };
    let pairs = |n: usize| -> Games {
        let all = (0..n).flat_map(|i| [(2 * i, game((i % 3) as u8)), (2 * i + 1, game(1))]);
        all.chain([(2 * n, game(2))]).collect()
    };
    let path = ScorePath::of(&pairs(40), Some(&test));
    assert_eq!(path.points().len(), 40);
    let last = path.points().back().expect("a point");
    assert_eq!(last.0, 80, "half a pair is no point");
    assert!(last.1.is_some() && last.3.is_some());
    let long = ScorePath::of(&pairs(5_000), None);
    assert!((128..=512).contains(&long.points().len()), "{}", long.points().len());
    assert!(long.points().iter().all(|p| p.3.is_none()));
    assert!(
        long.points()
            .iter()
            .zip(long.points().iter().skip(1))
            .all(|(a, b)| a.0 < b.0)
    );
}

/// A game of cờ úp that moves at random, as the file shows it.
#[test]
fn hidden_pieces_stay_hidden_in_the_file() {
    let (mut dice, mut taken_unseen) = (SplitMix::new(4), 0);
    for (dark, number) in ["capturer", "none", "both"].into_iter().zip(0..) {
        let mut rules = CoupRules::default();
        nguky::game::Rules::set(&mut rules, "CapturedDark", dark).expect("a rule");
        let start = Coup::parse(Coup::START, &rules).expect("a setup");
        let mut deal = Dealt::new(&start, 5, number);
        for _ in 0..120 {
            let moves = crate::play::table::legal(deal.position());
            if moves.is_empty() {
                break;
            }
            deal.play_move(moves[dice.below(moves.len() as u64) as usize]);
        }
        let (setup, open) = deal.open();
        assert_eq!(setup, deal.told(0).0);
        assert_eq!(open.len(), deal.told(0).1.len());
        for (i, text) in open.iter().enumerate() {
            let told = [0, 1].map(|side| &deal.told(side).1[i]);
            let shortest = told[0].len().min(told[1].len());
            // Nobody knows less than everybody: what one side alone knows is not in the file.
            assert_eq!(text.len(), shortest, "{dark}: {text} {told:?}");
            taken_unseen += usize::from(told[0] != told[1]);
        }
    }
    assert!(taken_unseen > 0, "no piece was taken face down");
}
