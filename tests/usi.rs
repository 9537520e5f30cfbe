//! The shogi engine as its clients know it.

use crate::common::{Client, PATIENCE, best, field, judge, last_info, number, play, pv};
use nguky::game::Position;
use nguky::games::shogi::Shogi;
use nguky::util::rng::SplitMix;
use std::time::{Duration, Instant};

const SHORT: Duration = Duration::from_millis(150);

fn board(sfen: Option<&str>) -> Shogi {
    Shogi::parse(sfen.unwrap_or(Shogi::START), &Default::default()).expect("a good SFEN")
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// The line that clients look at: right before the answer.
fn before_answer(lines: &[String]) -> &str {
    let [.., line, _] = lines else {
        panic!("no line before the answer: {lines:?}")
    };
    line
}

/// Moves that the search is spared, because promoting is never worse, are searched where they are asked for.
#[test]
fn searchmoves_takes_every_legal_move() {
    let mut e = Client::shogi();
    e.send("setoption name MultiPV value 3");
    for (sfen, moves) in [
        ("8k/9/9/9/9/9/9/4R4/4K4 b - 1", vec!["5h5c"]),
        ("8k/9/9/9/9/9/9/4R4/4K4 b - 1", vec!["5h5c", "5h5b", "5h5c+"]),
        ("8k/9/9/4P4/9/9/9/9/4K4 b - 1", vec!["5d5c"]),
        ("7k1/9/9/9/9/9/9/1B7/4K4 b - 1", vec!["8h3c", "8h2b"]),
        ("4k4/9/9/9/9/9/9/8r/4K4 w - 2", vec!["1h1g", "1h1i"]),
    ] {
        e.send(&format!("position sfen {sfen}"));
        let lines = e.go(&format!("go depth 4 searchmoves {}", moves.join(" ")));
        assert!(moves.contains(&&*best(&lines)), "{sfen}: {lines:?}");
        let deepest: Vec<&str> = lines
            .iter()
            .filter(|l| l.contains(" depth 4 "))
            .map(|l| pv(l)[0])
            .collect();
        assert!(moves.iter().all(|m| deepest.contains(m)), "{moves:?}: {lines:?}");
        judge(&board(Some(sfen)), &lines);
    }
}

/// Having no move loses, in check or not; told as a mate that every client reads as one.
#[test]
fn a_lost_position_without_a_move_is_mate() {
    for sfen in ["8k/6G2/7B1/9/9/9/9/9/4K4 w - 2", "8k/8G/8P/9/9/9/9/9/4K4 w - 2"] {
        let mut e = Client::shogi();
        e.send(&format!("position sfen {sfen}"));
        let lines = e.go("go depth 3");
        assert_eq!(number(last_info(&lines), "mate"), Some(-1), "{lines:?}");
        assert_eq!(best(&lines), "resign");
        e.send("uci");
        e.until("uciok");
        let lines = e.go("go depth 3");
        assert!(last_info(&lines).contains(" score mate 0 "), "{lines:?}");
    }
}

#[test]
fn the_greeting_is_quick_and_fit_for_word_splitters() {
    let start = Instant::now();
    let mut e = Client::shogi();
    e.send("usi");
    let lines = e.until("usiok").1;
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    for line in lines.iter().filter(|l| l.starts_with("option ")) {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!((words[1], words[3]), ("name", "type"), "{line}");
        assert!(
            ["spin", "check", "combo", "button", "string", "filename"].contains(&words[4]),
            "{line}"
        );
        assert!(!words.contains(&""), "{line}");
    }
}

/// Clients send `usinewgame` and `go` in one breath, so what takes time has to be done before `readyok`.
#[test]
fn a_game_is_prepared_before_readyok() {
    let mut e = Client::shogi();
    let mut nodes = |words: &[&str]| {
        for word in words {
            e.send(word);
            if *word == "isready" {
                e.until("readyok");
            }
        }
        e.send("position startpos");
        let lines = e.go("go depth 7");
        number(before_answer(&lines), "nodes")
    };
    let first = nodes(&["isready", "usinewgame"]);
    assert_ne!(nodes(&[]), first, "the second search of a game knows the first");
    assert_eq!(nodes(&["isready"]), first, "forgotten at isready");
    assert_eq!(nodes(&["usinewgame"]), first, "and at usinewgame alone");
}

#[test]
fn a_score_and_a_line_stand_right_before_the_answer() {
    let mut e = Client::shogi();
    for (option, go) in [
        ("PvInterval value 300", "go depth 5"),
        ("PvInterval value 0", "go btime 0 wtime 0 byoyomi 30"),
        ("MultiPV value 4", "go nodes 3000"),
        ("PvInterval value 10000", "go movetime 60"),
        ("MultiPV value 1", "go btime 1 wtime 1"),
    ] {
        e.send(&format!("setoption name {option}"));
        e.send("position startpos moves 7g7f 3c3d");
        let lines = e.go(go);
        let line = before_answer(&lines);
        assert!(
            line.contains(" score ") && number(line, "multipv") == Some(1),
            "{go}: {lines:?}"
        );
        assert_eq!(pv(line)[0], best(&lines), "{go}: {lines:?}");
    }
}

#[test]
fn lines_are_not_told_too_often() {
    let mut e = Client::shogi();
    e.send("setoption name PvInterval value 100000");
    let lines = e.go("go depth 9");
    let told = lines.iter().filter(|l| l.contains(" score ")).count();
    assert_eq!(told, 2, "{lines:?}");
    e.send("setoption name PvInterval value 0");
    let lines = e.go("go depth 9");
    assert!(lines.iter().filter(|l| l.contains(" score ")).count() >= 9, "{lines:?}");
}

#[test]
fn clocks_are_used_and_kept() {
    let mut e = Client::shogi();
    // (order, at least, at most)
    for (go, least, most) in [
        ("go btime 0 wtime 0 byoyomi 400", 250, 400),
        ("go btime 0 wtime 0 byoyomi 100", 50, 100),
        ("go btime 10000 wtime 0 byoyomi 300", 240, 9000),
        // The opponent's byoyomi and clock mean nothing.
        ("go wtime 100000 btime 200 binc 0 winc 90000", 0, 200),
        ("go btime 300 wtime 300 binc 100 winc 100", 10, 300),
        ("go movetime 200", 100, 250),
    ] {
        e.send("usinewgame");
        e.send("position startpos moves 2g2f 8c8d");
        e.sync();
        let (took, lines) = e.timed(go);
        // Machines under test are busy: only the lower bound is strict.
        assert!(took >= ms(least) && took <= ms(most + 2500), "{go}: {took:?} {lines:?}");
    }
}

#[test]
fn sudden_death_uses_its_clock() {
    let mut e = Client::shogi();
    e.send("position startpos moves 2g2f 8c8d 2f2e 8d8e");
    let (took, _) = e.timed("go btime 10000 wtime 10000");
    assert!(took >= ms(80) && took <= ms(4000), "{took:?}");
    e.send("setoption name SlowMover value 10");
    e.send("usinewgame");
    let (hasty, _) = e.timed("go btime 10000 wtime 10000");
    assert!(hasty < took || hasty < ms(1000), "{hasty:?} after {took:?}");
    e.send("setoption name MinimumThinkingTime value 600");
    let (slow, _) = e.timed("go btime 10000 wtime 10000");
    assert!(slow >= ms(580), "{slow:?}");
}

#[test]
fn pondering_waits_for_its_word() {
    let mut e = Client::shogi();
    for position in [
        "startpos moves 7g7f",
        // Mated, a mate at once, a declaration.
        "sfen 8k/8G/8P/9/9/9/9/9/4K4 w - 2",
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "sfen +P+P+P+PK+P+P2/+B+R+P+P5/9/9/9/9/9/9/4k4 b BR 1",
    ] {
        for go in ["go ponder", "go ponder btime 0 wtime 0 byoyomi 10", "go infinite"] {
            e.send(&format!("position {position}"));
            e.send(go);
            e.silent("bestmove", SHORT);
            e.send(if go == "go infinite" { "gameover draw" } else { "stop" });
            e.until("bestmove");
        }
    }
    // The standard dialect and YaneuraOu's: the time before, and with, the ponder hit.
    for (go, hit) in [
        ("go ponder btime 0 wtime 0 byoyomi 300", "ponderhit"),
        ("go ponder", "ponderhit btime 0 wtime 0 byoyomi 300"),
        ("go ponder btime 1 wtime 1", "ponderhit btime 0 wtime 0 byoyomi 300"),
    ] {
        e.send("position startpos moves 7g7f");
        e.send(go);
        std::thread::sleep(SHORT);
        let start = Instant::now();
        e.send(hit);
        let at = e.until("bestmove").0;
        let took = at.duration_since(start);
        assert!(took >= ms(180) && took < ms(3000), "{go}, {hit}: {took:?}");
    }
    e.send("go ponder");
    std::thread::sleep(SHORT);
    let (took, _) = e.timed("ponderhit");
    assert!(took < ms(2500), "{took:?}");
}

#[test]
fn mates_are_proved_in_time() {
    let mut e = Client::shogi();
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/shogi_mate_public.tsv"))
        .expect("the problems");
    for row in text.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        e.send(&format!("position sfen {}", fields[1]));
        let start = Instant::now();
        e.send("go mate 5000");
        let answer = e.expect("checkmate ");
        assert!(start.elapsed() < Duration::from_secs(10), "{row}");
        let line: Vec<&str> = answer.split(' ').skip(1).collect();
        let mut p = board(Some(fields[1]));
        play(&mut p, &line).unwrap_or_else(|e| panic!("{e}: {answer}"));
        let end = p.ended().expect("the end");
        assert_eq!((end.reason, line.len() % 2), ("checkmate", 1), "{answer}");
    }
    // A wide problem that takes longer than it is given.
    e.send("position sfen l2g5/2s3g2/3k1p2p/P2pp2P1/1pP4s1/p1+B6/NP1P+nPS1P/K1G4+p1/L6NL b RBGNLPrs3p 1");
    let start = Instant::now();
    e.send("go mate 100");
    e.expect("checkmate ");
    assert!(start.elapsed() < Duration::from_secs(10));
    e.send("position startpos");
    e.send("go mate infinite");
    assert_eq!(e.expect("checkmate "), "checkmate nomate");
}

#[test]
fn a_search_tells_mates_in_plies() {
    let mut e = Client::shogi();
    // Mate in three plies, from the public problems.
    e.send("position sfen lns+R4l/1p1p5/p1pkppB1p/6p2/1R7/6P1P/P1PPnPS2/2+b1G1g2/L3K1sNL b 2GS3Pnp 51");
    let lines = e.go("go depth 8");
    assert_eq!(number(last_info(&lines), "mate"), Some(3), "{lines:?}");
    assert_eq!(best(&lines), "S*5b");
    // The solver answers first where the clock runs; its mates need not be the shortest.
    let lines = e.go("go btime 0 wtime 0 byoyomi 300");
    let line = last_info(&lines);
    assert_eq!(number(line, "mate"), i64::try_from(pv(line).len()).ok(), "{lines:?}");
}

#[test]
fn declarations_are_made_only_where_they_count() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/shogi_declaration.tsv"))
        .expect("the cases");
    let mut e = Client::shogi();
    for row in text.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        for (rule, wins) in [
            ("CSARule27", fields[2]),
            ("CSARule24", fields[3]),
            ("NoEnteringKing", "0"),
        ] {
            e.send(&format!("setoption name EnteringKingRule value {rule}"));
            e.send(&format!("position sfen {}", fields[1]));
            let lines = e.go("go nodes 50");
            assert_eq!(best(&lines) == "win", wins == "1", "{rule}: {row}: {lines:?}");
        }
    }
}

#[test]
fn a_declaration_is_seen_coming() {
    let mut e = Client::shogi();
    // One more piece walks in and it is won.
    e.send("position sfen +P+P+P+PK+P+P2/+B+R+P6/9/3P5/9/9/9/9/4k4 b BR6P 1");
    let lines = e.go("go depth 6");
    let line = last_info(&lines);
    let won = number(line, "cp").is_some_and(|cp| cp > 20_000) || number(line, "mate").is_some_and(|n| n > 0);
    assert!(won, "{line}");
}

#[test]
fn the_last_move_of_the_longest_game_draws() {
    let mut e = Client::shogi();
    e.send("setoption name MaxMovesToDraw value 10");
    e.send("position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2r2b 8");
    let lines = e.go("go depth 8");
    let cp = number(last_info(&lines), "cp").expect("a score");
    assert!(cp.abs() < 50, "{lines:?}");
    for (side, value) in [("DrawValueBlack", 500), ("DrawValueBlack", -500)] {
        e.send(&format!("setoption name {side} value {value}"));
        e.send("usinewgame");
        let lines = e.go("go depth 8");
        let cp = number(last_info(&lines), "cp").expect("a score");
        assert!((cp - value).abs() < 50, "{value}: {lines:?}");
    }
}

#[test]
fn a_book_is_played_from() {
    let path = std::env::temp_dir().join(format!("nguky-usi-book-{}.db", std::process::id()));
    let text = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {}\n9g9f 3c3d 0 10 1\nsfen {}\n9c9d none 0 1 1\n",
        Shogi::START,
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
    );
    std::fs::write(&path, text).expect("written");
    let mut e = Client::shogi();
    e.send(&format!("setoption name BookFile value {}", path.display()));
    e.sync();
    let lines = e.go("go btime 0 wtime 0 byoyomi 1000");
    assert_eq!(best(&lines), "9g9f");
    assert!(before_answer(&lines).contains(" score "), "{lines:?}");
    e.send("position startpos moves 7g7f");
    assert_eq!(best(&e.go("go nodes 100000")), "9c9d");
    e.send("setoption name USI_OwnBook value false");
    let lines = e.go("go nodes 3000");
    assert!(number(last_info(&lines), "depth") > Some(1));
    std::fs::remove_file(path).expect("removed");
}

#[test]
fn several_lines_are_legal_and_differ() {
    let mut e = Client::shogi();
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    e.send("setoption name MultiPV value 5");
    e.send("setoption name PvInterval value 0");
    e.send(&format!("position sfen {sfen}"));
    let lines = e.go("go depth 5");
    judge(&board(Some(sfen)), &lines);
    let mut firsts: Vec<&str> = lines
        .iter()
        .filter(|l| number(l, "depth") == Some(5) && l.contains(" pv "))
        .map(|l| pv(l)[0])
        .collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 5, "{lines:?}");
}

#[test]
fn moves_are_counted() {
    let mut e = Client::shogi();
    e.send("go perft 3");
    assert_eq!(e.expect("Nodes searched"), "Nodes searched: 25470");
    e.send("position startpos moves 7g7f");
    e.send("perft 1");
    assert_eq!(e.expect("Nodes searched"), "Nodes searched: 30");
}

#[test]
fn each_order_has_one_answer() {
    let mut e = Client::shogi();
    e.send("go infinite");
    e.send("stop");
    e.send("stop");
    e.send("gameover win");
    e.send("position startpos moves 7g7f");
    e.send("go nodes 500");
    e.send("gameover lose");
    e.send("go mate infinite");
    e.send("position startpos");
    e.send("isready");
    let mut answers = 0;
    while let Some((_, line)) = e.line(ms(1500)) {
        answers += usize::from(line.starts_with("bestmove ") || line.starts_with("checkmate "));
    }
    assert_eq!(answers, 3, "{}", e.tail());
}

#[test]
fn the_standard_error_stays_silent_and_the_end_of_input_ends() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_nguky-usi"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(
        &mut input,
        b"usi\nposition sfen x\nsetoption name y\ngo nodes 100\ngo mate 10\n",
    )
    .expect("written");
    drop(input);
    let out = child.wait_with_output().expect("the end");
    assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    assert!(text.contains("bestmove ") && text.contains("checkmate "), "{text}");
}

#[test]
fn noise_does_no_harm() {
    let mut e = Client::shogi();
    let mut rng = SplitMix::new(7);
    let words = [
        "usi",
        "isready",
        "position",
        "startpos",
        "sfen",
        "moves",
        "7g7f",
        "P*5e",
        "go",
        "ponder",
        "mate",
        "byoyomi",
        "-1",
        "99999999999999999999",
        "btime",
        "infinite",
        "stop",
        "ponderhit",
        "gameover",
        "setoption",
        "name",
        "value",
        "usinewgame",
        "uci",
        "depth",
        "1",
        "searchmoves",
        "\u{fffd}",
        "+",
        "*",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL",
        "b",
        "w",
        "-",
    ];
    for _ in 0..300 {
        let n = rng.below(7);
        let line: Vec<&str> = (0..n).map(|_| words[rng.below(words.len() as u64) as usize]).collect();
        e.send(&line.join(" "));
    }
    e.bytes(b"\0\xff\xfe go \r\n");
    e.bytes(&vec![b'x'; 2 << 20]);
    e.send("");
    e.send("stop");
    e.send("usi");
    e.until("usiok");
    e.send("stop");
    e.sync();
    e.send("position startpos");
    e.send("go depth 2");
    e.send("stop");
    e.until("bestmove");
    e.quit_within(PATIENCE);
}

#[test]
fn a_game_against_itself_ends_well() {
    let mut e = Client::shogi();
    e.send("setoption name PvInterval value 0");
    let (mut p, mut moves) = (board(None), Vec::<String>::new());
    for _ in 0..250 {
        if p.ended().is_some() {
            break;
        }
        let line = if moves.is_empty() {
            "position startpos".to_string()
        } else {
            format!("position startpos moves {}", moves.join(" "))
        };
        e.send(&line);
        let lines = e.go("go nodes 300");
        if best(&lines) == "win" {
            assert!(p.may_claim(), "{line}");
            return;
        }
        for line in lines.iter().filter(|l| l.contains(" pv ")) {
            play(&mut p.clone(), &pv(line)).unwrap_or_else(|e| panic!("{e}: {line}"));
        }
        let mv = best(&lines);
        assert_eq!(pv(before_answer(&lines))[0], mv, "{lines:?}");
        assert!(field(lines.last().expect("an answer"), "bestmove").is_some());
        play(&mut p, &[&mv]).expect("legal");
        moves.push(mv);
    }
}
