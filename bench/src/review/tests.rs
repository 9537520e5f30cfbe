//! The laws of a review, planted blunders, and records there and back.

use super::annotate::ENGLISH;
use super::game::{ReviewGame, ask, limits, reviewed, reviewed_stones, search};
use super::marks::{Evaluation, Mark, Review, ReviewQuery, ReviewedMove};
use super::open::open;
use crate::arena::coup::{self, Dealt};
use crate::arena::game::{Course, Played};
use crate::arena::record::RecordHead;
use crate::records::{RecordedGame, RecordedMove};
use nguky::control::{Engine, Limits};
use nguky::game::{Position, Side};
use nguky::games::chess::Chess;
use nguky::games::coup::Coup;
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;
use nguky::util::rng::SplitMix;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A move of a made-up game, by turns.
fn made_up(plies: usize, hidden: bool) -> Vec<ReviewedMove> {
    let one = |i: usize| ReviewedMove {
        side: i % 2,
        text: format!("m{i}"),
        hidden: hidden && i.is_multiple_of(3),
    };
    (0..plies).map(one).collect()
}

/// An evaluation that has nothing to do with the game.
fn random(dice: &mut SplitMix, query: &ReviewQuery, lead: bool) -> Evaluation {
    let score = dice.below(1001) as f64 / 1000.0;
    let mate = match dice.below(6) {
        0 => Some(1 + 2 * dice.below(5) as i32),
        1 => Some(-2 * dice.below(5) as i32),
        _ => None,
    };
    let played = dice.below(10) < 4;
    Evaluation {
        score: mate.map_or(score, |m| if m > 0 { 1.0 } else { 0.0 }),
        mate,
        lead: lead.then(|| dice.below(40) as f64 - 20.0),
        best: Some(if played {
            format!("m{}", query.ply)
        } else {
            "other".into()
        }),
        ..Evaluation::default()
    }
}

#[test]
fn the_laws_hold_whatever_the_engine_says() {
    let mut dice = SplitMix::new(1);
    for number in 0..300 {
        let (hidden, lead) = (number % 3 == 1, number % 3 == 2);
        let moves = made_up(number % 40, hidden);
        let fresh = Review::new(moves.clone(), moves.len() % 2, (number % 4 == 0).then_some(0.0));
        let (mut review, mut answers) = (fresh.clone(), Vec::new());
        let mut before = (0, fresh.progress().1);
        while let Some(query) = review.next() {
            let evaluation = random(&mut dice, &query, lead);
            review.take(&query, evaluation.clone());
            answers.push((query, evaluation));
            let now = review.progress();
            assert!(now.0 >= before.0 && now.1 == before.1, "{now:?} {before:?}");
            before = now;
            assert!(answers.len() <= 12 * (moves.len() + 1), "a review without an end");
        }
        assert_eq!(review.progress().0, review.progress().1);
        let first = answers.iter().take_while(|(q, _)| q.halves <= 2).collect::<Vec<_>>();
        assert!(
            first.windows(2).all(|w| w[0].0.ply >= w[1].0.ply),
            "from the last position on"
        );
        let rows = review.rows();
        assert_eq!(rows.len(), moves.len());
        for row in &rows {
            assert!(row.loss >= 0.0 && row.before >= row.after, "{row:?}");
            let best = row.best.best.as_deref() == Some(row.played.as_str());
            assert!(
                !best || (row.mark.is_none() && row.loss == 0.0),
                "the best move is marked: {row:?}"
            );
            let again = |alone| {
                answers
                    .iter()
                    .rfind(|(q, _)| q.ply == row.ply && q.halves > 1 && q.only.is_some() == alone)
            };
            let both = again(false).zip(again(true)).map(|(w, a)| (w.0.halves, a.0.halves));
            assert!(
                row.mark.is_none() || both.is_some_and(|(whole, alone)| whole == alone),
                "a mark that was not searched again: {row:?}"
            );
            assert_eq!(row.luck.is_some(), moves[row.ply].hidden);
            let mates = |e: &Evaluation| e.mate.is_some_and(|m| m > 0);
            let alone = answers.iter().rfind(|(q, _)| q.ply == row.ply && q.only.is_some());
            assert!(
                !(mates(&row.best) && alone.is_some_and(|(_, e)| mates(e)) && row.mark.is_some()),
                "a mate that stays one is marked: {row:?}"
            );
        }
        let totals = review.totals();
        let marked = rows.iter().filter(|r| r.mark.is_some()).count();
        assert_eq!(totals.iter().flat_map(|t| t.marks).sum::<usize>(), marked);
        assert_eq!(totals[0].moves + totals[1].moves, moves.len());
        assert!(
            totals
                .iter()
                .all(|t| (0.0..=100.0).contains(&t.accuracy) && t.loss >= 0.0)
        );
        // Taken up again from what was kept, it says the same.
        let mut second = fresh;
        for (query, evaluation) in &answers {
            assert_eq!(second.next().as_ref(), Some(query));
            second.take(query, evaluation.clone());
        }
        assert_eq!(second.rows(), rows);
    }
}

#[test]
fn marks_follow_the_thresholds() {
    let marked = |before: f64, after: f64, leads: Option<(f64, f64)>| {
        let mut review = Review::new(made_up(1, false), 1, None);
        while let Some(query) = review.next() {
            let alone = query.ply == 1 || query.only.is_some();
            let score = if alone { after } else { before };
            let lead = leads.map(|l| if alone { l.1 } else { l.0 });
            let other = query.ply == 1;
            review.take(
                &query,
                Evaluation {
                    score: if other { 1.0 - score } else { score },
                    lead: lead.map(|l| if other { -l } else { l }),
                    best: Some("other".into()),
                    ..Evaluation::default()
                },
            );
        }
        review.rows()[0].mark
    };
    assert_eq!(marked(0.60, 0.56, None), None);
    assert_eq!(marked(0.60, 0.54, None), Some(Mark::Inaccuracy));
    assert_eq!(marked(0.60, 0.49, None), Some(Mark::Mistake));
    assert_eq!(marked(0.60, 0.40, None), Some(Mark::Blunder));
    assert_eq!(marked(0.40, 0.60, None), None);
    assert_eq!(marked(0.60, 0.40, Some((2.0, 1.0))), None);
    assert_eq!(marked(0.60, 0.57, Some((2.0, 0.0))), Some(Mark::Inaccuracy));
    assert_eq!(marked(0.60, 0.57, Some((2.0, -2.0))), Some(Mark::Mistake));
    assert_eq!(marked(0.60, 0.57, Some((2.0, -4.5))), Some(Mark::Blunder));
    assert_eq!(marked(1.0, 0.99, Some((80.0, 60.0))), None);
}

fn record(moves: &[&str], setup: Option<&str>) -> RecordedGame {
    let side = |i: usize| if i.is_multiple_of(2) { Side::First } else { Side::Second };
    let all = moves.iter().enumerate();
    RecordedGame {
        setup: setup.map(String::from),
        names: ["A".into(), "B".into()],
        moves: all.map(|(i, m)| RecordedMove::new(side(i), (*m).to_string())).collect(),
        ..RecordedGame::default()
    }
}

/// The review of a game, with so many nodes a position.
fn review_of(game: &mut dyn ReviewGame, nodes: u64) -> Review {
    let mut review = game.review();
    while let Some(query) = review.next() {
        let found = search(game, &query, &Limits::nodes(nodes)).expect("a search");
        review.take(&query, found);
    }
    review
}

#[test]
fn a_mate_that_takes_longer_is_not_marked() {
    // Mate in one is there all the time; white walks on and mates at last.
    let setup = "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1";
    let moves = ["b1c1", "h8g8", "c1d1", "g8h8", "d1d8"];
    let mut game = reviewed::<Chess>(record(&moves, Some(setup)), &[]).expect("a game");
    let review = review_of(game.as_mut(), 2_000);
    assert!(review.rows().iter().all(|r| r.mark.is_none()), "{:?}", review.rows());
    let totals = review.totals();
    assert_eq!((totals[0].loss, totals[0].accuracy.round()), (0.0, 100.0));
}

#[test]
fn stalemating_a_lost_king_is_a_blunder() {
    let mut game = reviewed::<Chess>(record(&["b6c7"], Some("k7/8/1Q6/8/8/8/8/K7 w - - 0 1")), &[]).expect("a game");
    let review = review_of(game.as_mut(), 1_000);
    let row = &review.rows()[0];
    assert_eq!((row.mark, row.after), (Some(Mark::Blunder), 0.5), "{row:?}");
}

/// A search of the position that an engine has, of one move alone where one is given.
fn alone(engine: &mut dyn Engine, only: Option<String>, nodes: u64) -> Evaluation {
    let query = ReviewQuery {
        ply: 0,
        only,
        halves: 2,
    };
    ask(engine, limits(&query, &Limits::nodes(nodes)), false).expect("a search")
}

/// Plays two random moves, then the engine's, but one that loses much at the first chance from a ply on; gives the moves
/// and the ply of that one.
fn planted<P: super::game::Reviewed>(seed: u64, from: usize, chance: bool) -> (Vec<String>, usize) {
    let mut dice = SplitMix::new(seed);
    let start = P::parse(P::START, &P::Rules::default()).expect("a start");
    let mut dealt = chance.then(|| {
        let start = Coup::parse(Coup::START, &Default::default()).expect("a start");
        Dealt::new(&start, seed, 0)
    });
    let mut engine: Box<dyn Engine> = Box::new(nguky::engine::AlphaBeta::<P>::new().expect("an engine"));
    let (mut moves, mut at): (Vec<String>, _) = (Vec::new(), None);
    while at.is_none_or(|at| moves.len() < at + 3) {
        let number = moves.len();
        assert!(number < 60, "nothing to plant in {moves:?}");
        let told: Vec<String> = match &dealt {
            Some(dealt) => dealt.told(number % 2).1.to_vec(),
            None => moves.clone(),
        };
        let told: Vec<&str> = told.iter().map(String::as_str).collect();
        engine.position(Some(&start.setup()), &told).expect("a position");
        let Some(mut chosen) = alone(engine.as_mut(), None, 400).best else {
            break;
        };
        if number < 2 {
            let all = engine.perft(1, 1, &AtomicBool::new(false));
            chosen = all[dice.below(all.len() as u64) as usize].0.clone();
        } else if number >= from && at.is_none() {
            let all = engine.perft(1, 1, &AtomicBool::new(false)).into_iter().map(|m| m.0);
            let mut ask = |only: Option<String>, nodes: u64| alone(engine.as_mut(), only, nodes);
            let scored = all.map(|m| (ask(Some(m.clone()), 60).score, m));
            let (_, worst) = scored.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a move");
            if ask(None, 4_000).score - ask(Some(worst.clone()), 4_000).score > 0.25 {
                (chosen, at) = (worst, Some(number));
            }
        }
        moves.push(match &mut dealt {
            Some(dealt) => dealt.play(&chosen).expect("legal"),
            None => chosen,
        });
    }
    (moves, at.expect("a blunder"))
}

/// Whether a review calls the planted move a blunder.
fn finds_them<P: super::game::Reviewed>(chance: bool) {
    for (seed, from) in [(1, 6), (2, 7), (3, 8), (4, 9)] {
        let (moves, ply) = planted::<P>(seed, from, chance);
        let texts: Vec<&str> = moves.iter().map(String::as_str).collect();
        let mut game = reviewed::<P>(record(&texts, None), &[]).expect("a game");
        let rows = review_of(game.as_mut(), 2_000).rows();
        assert_eq!(rows[ply].mark, Some(Mark::Blunder), "{} {seed}: {moves:?}", P::NAME);
    }
}

#[test]
fn planted_blunders_are_found_in_chess() {
    finds_them::<Chess>(false);
}

#[test]
fn planted_blunders_are_found_in_xiangqi() {
    finds_them::<Xiangqi>(false);
}

#[test]
fn planted_blunders_are_found_in_shogi() {
    finds_them::<Shogi>(false);
}

#[test]
fn planted_blunders_are_found_in_coup() {
    finds_them::<Coup>(true);
}

#[test]
fn planted_blunders_are_found_in_go() {
    // A stone in a corner of 9 x 9 while the middle is open, and a pass.
    let opening = ["E5", "G5", "F7", "C6"];
    for (ply, blunder) in [(2, "A1"), (3, "J9"), (3, "pass"), (4, "A9")] {
        let mut moves = opening[..ply].to_vec();
        moves.push(blunder);
        let tags = vec![("SZ".to_string(), "9".to_string()), ("KM".into(), "7".into())];
        let record = RecordedGame {
            tags,
            ..record(&moves, None)
        };
        let mut game = reviewed_stones(record, &[]).expect("a game");
        let rows = review_of(game.as_mut(), 40).rows();
        assert_eq!(rows[ply].mark, Some(Mark::Blunder), "{blunder}: {:?}", rows[ply]);
    }
}

/// Reads an annotated record again: the same moves, and the mark of one.
fn reads_back(game: &mut dyn ReviewGame, ending: &str, text_of: &str) -> RecordedGame {
    let review = review_of(game, 300);
    let text = game.annotated(ending, &review, &ENGLISH).expect("a format");
    assert!(text.contains(text_of), "{text}");
    let file = format!("x.{ending}");
    let mut opened = open(Path::new(&file), &text, None, 2).expect("a record");
    assert_eq!(opened.damaged, vec![], "{text}");
    assert_eq!(opened.about.name, game.about().name);
    opened.games.remove(0)
}

#[test]
fn annotated_records_are_read_back() {
    let texts = |record: &RecordedGame| record.moves.iter().map(|m| m.text.clone()).collect::<Vec<_>>();
    let moves = ["e2e4", "e7e5", "d1h5", "g7g6", "h5e5"];
    let mut written = record(&moves, None);
    written.moves[1].comment = "a } in a comment".into();
    written.moves[2].variations = vec![vec![RecordedMove::new(Side::First, "g1f3".into())]];
    let mut game = reviewed::<Chess>(written, &[]).expect("a game");
    let read = reads_back(game.as_mut(), "pgn", "[%eval");
    assert_eq!(texts(&read), moves);
    assert!(
        read.moves[3].nags.contains(&4) && !read.moves[3].variations.is_empty(),
        "{read:?}"
    );
    assert!(read.moves[2].variations.iter().any(|v| v[0].text == "g1f3"), "{read:?}");

    let moves = ["h2e2", "h9g7", "b2b9", "a9b9"];
    let mut game = reviewed::<Xiangqi>(record(&moves, None), &[]).expect("a game");
    assert_eq!(texts(&reads_back(game.as_mut(), "pgn", "Variant \"xiangqi\"")), moves);

    let moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"];
    for ending in ["kif", "csa", "pgn"] {
        let mut game = reviewed::<Shogi>(record(&moves, None), &[]).expect("a game");
        assert_eq!(texts(&reads_back(game.as_mut(), ending, "")), moves, "{ending}");
    }

    let text = "(;GM[1]FF[4]SZ[9]KM[7]AB[cc]PB[a]PW[b];W[ee];B[gc];W[ec];B[aa]C[a \\] b](;W[ge])(;W[gg];B[]))";
    let mut opened = open(Path::new("x"), text, None, 1).expect("a record");
    let mut game = reviewed_stones(opened.games.remove(0), &[]).expect("a game");
    let review = review_of(game.as_mut(), 20);
    let text = game.annotated("sgf", &review, &ENGLISH).expect("SGF");
    let read = open(Path::new("x"), &text, None, 1).expect("a record").games.remove(0);
    assert_eq!(texts(&read), ["E5", "G7", "E7", "A9", "G5"]);
    assert!(read.moves[3].comment.contains("a ] b"), "{text}");
    assert!(
        read.moves[4]
            .variations
            .iter()
            .any(|v| v.len() == 2 && v[1].text == "pass"),
        "{text}"
    );
    assert_eq!(read.setup.as_deref(), Some("AB[cc]"));
}

#[test]
fn records_of_coup_are_read_with_what_they_turned_up() {
    let start = Coup::parse(Coup::START, &Default::default()).expect("a start");
    let fresh = Dealt::new(&start, 7, 0);
    let (mut dealt, mut dice, mut moves) = (fresh.clone(), SplitMix::new(3), Vec::new());
    while moves.len() < 60 && dealt.ended().is_none() {
        let all = crate::play::table::legal(dealt.position());
        moves.push(dealt.play_move(all[dice.below(all.len() as u64) as usize]));
    }
    assert!(
        moves.iter().any(|m| m.len() == 6),
        "no hidden piece was taken by another: {moves:?}"
    );
    let played = Played {
        setup: start.setup(),
        moves: moves.iter().map(|m| (m.clone(), String::new())).collect(),
        unfinished: true,
        ..Played::default()
    };
    let head = RecordHead {
        event: "x",
        names: ["A", "B"],
        round: "1".into(),
        time_control: "-".into(),
        date: "-".into(),
    };
    let text = coup::record(&head, &fresh, &played);
    let mut opened = open(Path::new("x.pgn"), &text, None, 1).expect("a record");
    assert_eq!(
        (opened.about.name, opened.games.len()),
        ("coup", 1),
        "{:?}",
        opened.damaged
    );
    let mut read = opened.games.remove(0);
    assert_eq!(read.moves.iter().map(|m| m.text.clone()).collect::<Vec<_>>(), moves);
    assert_eq!(read.tag("Deal"), Some(fresh.faces().as_str()));
    // Without the deal, one is made up that turns up the same.
    read.tags.retain(|t| t.0 != "Deal");
    let faces = super::game::deal_of(&start, &moves).expect("a deal");
    let mut again = Dealt::with_faces(&start, &faces).expect("a deal");
    assert!(moves.iter().all(|m| again.play(m).as_ref() == Some(m)));
    read.moves.truncate(6);
    let mut game = reviewed::<Coup>(read, &[]).expect("a game");
    let rows = review_of(game.as_mut(), 200).rows();
    assert!(rows[0].luck.is_some() && rows.len() == 6);
    // One hidden horse too many.
    let wrong: Vec<String> = ["b0c2N", "b9c7n", "h0g2N", "h9g7n", "c0e2N"].map(String::from).into();
    assert!(super::game::deal_of(&start, &wrong).is_err());
}

#[test]
fn a_better_move_that_turns_a_piece_up_leaves_the_record_readable() {
    let moves = ["i3i4R", "i6i5b"];
    let game = reviewed::<Coup>(record(&moves, None), &[]).expect("a game");
    let mut review = game.review();
    while let Some(query) = review.next() {
        let other = if query.ply == 0 { "a3a4" } else { "a6a5" };
        let evaluation = Evaluation {
            score: if query.only.is_some() { 0.1 } else { 0.9 },
            best: Some(other.into()),
            line: vec![other.into()],
            ..Evaluation::default()
        };
        review.take(&query, evaluation);
    }
    assert!(review.rows().iter().all(|r| r.mark == Some(Mark::Blunder)));
    let text = game.annotated("pgn", &review, &ENGLISH).expect("PGN");
    assert!(text.contains("$4") && text.contains("best a3a4"), "{text}");
    let opened = open(Path::new("x.pgn"), &text, None, 1).expect("a record");
    assert_eq!(opened.damaged, vec![], "{text}");
    assert_eq!(opened.games[0].moves[1].text, moves[1]);
}

/// JieqiBox tells what a move turned up and took by the position behind it.
#[test]
fn jieqibox_records_tell_what_was_turned_up_and_taken() {
    let start = Coup::parse(Coup::START, &Default::default()).expect("a start");
    let (mut dealt, mut dice, mut all) = (Dealt::new(&start, 7, 0), SplitMix::new(3), Vec::new());
    let mut moves = Vec::new();
    while moves.len() < 60 && dealt.ended().is_none() {
        let legal = crate::play::table::legal(dealt.position());
        let text = dealt.play_move(legal[dice.below(legal.len() as u64) as usize]);
        let entry = serde_json::json!({ "type": "move", "data": &text[..4], "fen": dealt.position().setup(), "comment": "c", "annotation": "??" });
        all.push(entry);
        moves.push(text);
    }
    let text = |initial: &str, all: &[serde_json::Value]| {
        let meta = serde_json::json!({ "white": "A", "black": "B", "result": "0-1", "initialFen": initial });
        serde_json::json!({ "metadata": meta, "moves": all }).to_string()
    };
    let read = |text: &str| open(Path::new("x.json"), text, None, 2).expect("one game");
    let mut opened = read(&text(Coup::START, &all));
    assert_eq!((opened.about.name, &opened.damaged), ("coup", &vec![]));
    let game = opened.games.remove(0);
    assert_eq!(game.moves.iter().map(|m| m.text.clone()).collect::<Vec<_>>(), moves);
    assert_eq!((game.names[1].as_str(), game.moves[0].nags.as_slice()), ("B", &[4][..]));
    assert_eq!(game.outcome, crate::records::RecordedResult::Won(Side::Second));
    for (initial, change, what) in [
        ("9/9", None, "initialFen"),
        (Coup::START, Some(("data", "a0a9")), "move 1: not a legal move"),
        (Coup::START, Some(("fen", "")), "move 1: its fen"),
        (Coup::START, Some(("type", "adjust")), "set up behind moves"),
    ] {
        let mut wrong = all.clone();
        if let Some((field, value)) = change {
            wrong[0][field] = value.into();
        }
        let damage = &read(&text(initial, &wrong)).damaged[0];
        assert!(damage.what.contains(what), "{damage}");
    }
    assert!(read("{").damaged[0].what.contains("not JSON"));
}

#[test]
fn games_are_told_from_their_records() {
    for (text, game) in [
        ("1. e4 e5 2. Nf3", "chess"),
        ("[Event \"x\"]\n\n1. H2-E2 H9-G7", "xiangqi"),
        ("[Game \"Chinese Chess\"]\n\n1. 炮二平五 马８进７", "xiangqi"),
        ("[Variant \"shogi\"]\n\n1. 7g7f 3c3d", "shogi"),
        ("1. i3i4R i6i5b", "coup"),
        ("V2.2\nPI\n+\n+7776FU\n-3334FU", "shogi"),
        ("(;GM[1]SZ[9];B[ee])", "go"),
        (
            "{\"metadata\":{\"initialFen\":\"xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w - - 0 1\"},\"moves\":[{\"data\":\"a3a4\",\"fen\":\"xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/R8/2X1X1X1X/1X5X1/9/XXXXKXXXX\"}]}",
            "coup",
        ),
    ] {
        let opened = open(Path::new("x"), text, None, 9).expect(text);
        assert_eq!(
            (opened.about.name, opened.games.len()),
            (game, 1),
            "{text}: {:?}",
            opened.damaged
        );
        assert!(!opened.games[0].moves.is_empty(), "{text}");
    }
    let two = open(Path::new("x"), "1. e4 e5 1-0 1. d4 d5 0-1", None, 9).expect("two games");
    assert_eq!(two.games.len(), 2);
    assert!(open(Path::new("x"), "", None, 9).is_err());
    assert!(open(Path::new("x.pgn"), "1. e4", Some("go"), 9).is_err());
    assert!(open(Path::new("x.pgn"), "1. e4", Some("checkers"), 9).is_err());
    let bad = open(Path::new("x"), "1. e4 e5\n2. Nf3 Nf3", None, 9).expect("a damaged game");
    assert_eq!(
        (bad.about.name, bad.damaged[0].line, bad.damaged[0].column),
        ("chess", 2, 8)
    );
}

#[test]
fn the_picture_has_curve_and_marks() {
    let moves = ["e2e4", "e7e5", "d1h5", "g7g6"];
    let mut game = reviewed::<Chess>(record(&moves, None), &[]).expect("a game");
    let review = review_of(game.as_mut(), 500);
    let path = std::env::temp_dir().join(format!("nguky-review-{}.svg", std::process::id()));
    super::picture::draw(&path, "A - B", ["white", "black"], &review).expect("a picture");
    let text = std::fs::read_to_string(&path).expect("a file");
    let _ = std::fs::remove_file(&path);
    assert!(
        text.starts_with("<svg") && text.contains("blunder") && text.contains("<polyline"),
        "{text}"
    );
    assert!(
        text.matches("<circle").count() > 3,
        "a dot for the mark and three in the legend"
    );
}
