//! What the writers write is read back, and damage is reported with its place.

use super::*;
use crate::arena::game::Played;
use crate::arena::record::{Format, RecordHead, pgn_of};
use crate::arena::sgf as writer;
use crate::notation::Notation;
use nguky::game::{Moves, Position};
use nguky::games::chess::Chess;
use nguky::games::go::{Game, Rules, coords};
use nguky::games::shogi::Shogi;
use nguky::games::xiangqi::Xiangqi;
use nguky::util::rng::SplitMix;

const HEAD: RecordHead = RecordHead {
    event: "nguky match",
    names: ["One \"1\"", "Two"],
    round: String::new(),
    time_control: String::new(),
    date: String::new(),
};

/// A random game from a setup.
fn random<P: Position>(setup: &str, plies: usize, seed: u64) -> Played {
    let mut pos = P::parse(setup, &P::Rules::default()).expect("a setup");
    let mut rng = SplitMix::new(seed);
    let mut played = Played {
        points: (seed % 3) as u8,
        reason: ["resignation", "adjudicated: level", "resignation"][(seed % 3) as usize].into(),
        setup: pos.setup(),
        ..Played::default()
    };
    for ply in 0..plies {
        let mut moves = Moves::new();
        pos.generate(nguky::game::Kind::All, &mut moves);
        if moves.is_empty() || pos.ended().is_some() {
            break;
        }
        let m = moves.at(rng.below(moves.len() as u64) as usize).mv;
        played.moves.push((pos.move_text(m), format!("+0.{ply}/7 1.000s")));
        played.times.push(Duration::from_secs(ply as u64));
        pos.play(m);
    }
    played
}

/// Writes games one after the other and reads them back.
fn there_and_back<P: Notation>(format: &Format, form: FileFormat, setups: &[&str], encoding: &'static Encoding) {
    let games: Vec<Played> = (0..9)
        .map(|seed| random::<P>(setups[seed % setups.len()], 60, seed as u64))
        .collect();
    let text: String = games.iter().map(|g| (format.write)(&HEAD, g)).collect();
    let (bytes, _, _) = encoding.encode(&text);
    let text = decoded(&bytes, P::OLD_ENCODING).expect("text");
    let (read, damaged) = all(|each| P::read_records(form, &text, each).expect("a format of the game"));
    assert_eq!(damaged, [], "{}", format.ending);
    assert_eq!(read.len(), games.len(), "{}", format.ending);
    for (written, read) in games.iter().zip(&read) {
        let what = format!("{} {}", P::NAME, format.ending);
        let setup = (written.setup != P::START).then(|| written.setup.split(' ').next().unwrap_or("").to_string());
        let read_setup = read
            .setup
            .as_ref()
            .map(|s| s.split(' ').next().unwrap_or("").to_string());
        assert_eq!(read_setup, setup, "{what}");
        let moves: Vec<&String> = read.moves.iter().map(|m| &m.text).collect();
        assert_eq!(moves, written.moves.iter().map(|m| &m.0).collect::<Vec<_>>(), "{what}");
        for (ply, (_, comment)) in read.moves.iter().zip(&written.moves) {
            assert!(ply.comment.starts_with(comment.as_str()), "{what}: {:?}", ply.comment);
        }
        assert_eq!(read.names, HEAD.names, "{what}");
        if form != FileFormat::Pgn {
            assert!(
                read.moves.iter().zip(&written.times).all(|(m, t)| m.time == Some(*t)),
                "{what}"
            );
        }
        let winner = match written.points {
            0 => RecordedResult::Won(Side::Second),
            1 => RecordedResult::Drawn,
            _ => RecordedResult::Won(Side::First),
        };
        // A game won by adjudication is one broken off for CSA and KIF.
        assert!(
            read.outcome == winner || (form != FileFormat::Pgn && read.outcome == RecordedResult::Unknown),
            "{what}"
        );
    }
}

#[test]
fn every_format_is_read_back() {
    let chess = [Chess::START, "r3k2r/pP3ppp/8/8/8/8/Pp3PPP/R3K2R b KQkq - 3 20"];
    there_and_back::<Chess>(&pgn_of::<Chess>(), FileFormat::Pgn, &chess, encoding_rs::UTF_8);
    let xiangqi = [Xiangqi::START, "3k5/4P4/4P4/4P4/4P4/9/4P4/9/9/5K3 w - - 0 1"];
    for format in Xiangqi::FORMATS {
        for encoding in [encoding_rs::UTF_8, encoding_rs::GB18030] {
            there_and_back::<Xiangqi>(format, FileFormat::Pgn, &xiangqi, encoding);
        }
    }
    let shogi = [
        Shogi::START,
        "4k4/9/9/9/9/9/9/9/4K4 w 2R12Pb 1",
        "ln1gk2nl/6+P2/p1pp1p1pp/9/9/9/P1PPPP+p1P/9/LN1GK1SNL b RB3Prbs 1",
    ];
    for format in Shogi::FORMATS {
        let form = if format.ending == "csa" {
            FileFormat::Csa
        } else {
            FileFormat::Kif
        };
        for encoding in [encoding_rs::UTF_8, encoding_rs::SHIFT_JIS] {
            there_and_back::<Shogi>(format, form, &shogi, encoding);
        }
    }
}

#[test]
fn go_is_read_back() {
    let mut text = String::new();
    let mut games = Vec::new();
    for seed in 0..6u64 {
        let mut game = Game::new([9, 13, 19][seed as usize % 3], Rules::CHINESE).expect("a board");
        let mut rng = SplitMix::new(seed);
        for _ in 0..80 {
            let points = game.legal_points();
            let p = points[rng.below(points.len() as u64) as usize];
            game.play(p, game.side()).expect("legal");
        }
        game.play(nguky::games::go::PASS, game.side()).expect("a pass");
        let moves = game.moves()[2..].iter();
        let played = Played {
            points: 2,
            reason: "B+3.5".into(),
            moves: moves
                .map(|&(_, p)| (coords::text(game.board(), p), "a ] \\ b".into()))
                .collect(),
            ..Played::default()
        };
        text += &writer::write(&HEAD, &game, 2, &played);
        games.push(game);
    }
    let (read, damaged) = all(|each| sgf::read(&text, each));
    assert_eq!((damaged, read.len()), (vec![], games.len()));
    for (game, read) in games.iter().zip(&read) {
        let moves: Vec<String> = game
            .moves()
            .iter()
            .map(|&(_, p)| coords::text(game.board(), p))
            .collect();
        assert_eq!(read.moves.iter().map(|m| m.text.clone()).collect::<Vec<_>>(), moves);
        assert_eq!(
            (read.names.clone(), read.outcome),
            (HEAD.names.map(String::from), RecordedResult::Won(Side::First))
        );
        assert_eq!(
            (read.moves[0].comment.as_str(), read.moves[5].comment.as_str()),
            ("opening", "a ] \\ b")
        );
    }
}

fn chess(text: &str) -> (Vec<RecordedGame>, Vec<Damage>) {
    all(|each| pgn::read::<Chess>(text, each))
}

/// The moves of a line with those of its variations.
fn drawn(line: &[RecordedMove]) -> String {
    let one = |m: &RecordedMove| {
        let others: String = m.variations.iter().map(|v| format!(" ({})", drawn(v))).collect();
        m.text.clone() + &others
    };
    line.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn pgn_as_people_write_it() {
    let text = "\u{feff}; a file\n% escaped\n[Event \"A \\\"B\\\"\"]\n[White \"X\"]\n[Result \"1-0\"]\n\n{before} 1.e4! e5 \
        $2 2. Nf3 {a\ncomment} (2.f4 {gambit} exf4 (2... d5 3. exd5) 3.Nf3) 2... Nc6 ; to the end\n3.Bb5?! a6 1-0\n\n\
        1. d4 d5 * 1. c4 e5\n2.Nc3 (2. -- Nf6) 1/2-1/2\n";
    let (games, damaged) = chess(text);
    assert_eq!(damaged, []);
    assert_eq!(games.len(), 3);
    let g = &games[0];
    assert_eq!(
        drawn(&g.moves),
        "e2e4 e7e5 g1f3 (f2f4 e5f4 (d7d5 e4d5) g1f3) b8c6 f1b5 a7a6"
    );
    assert_eq!((g.tag("Event"), g.comment.as_str()), (Some("A \"B\""), "before"));
    assert_eq!(
        (g.moves[2].comment.as_str(), g.moves[3].comment.as_str()),
        ("a comment", "to the end")
    );
    assert_eq!(
        (
            g.moves[0].nags.clone(),
            g.moves[1].nags.clone(),
            g.moves[4].nags.clone()
        ),
        (vec![1], vec![2], vec![6])
    );
    assert_eq!(
        (g.outcome, games[1].outcome, games[2].outcome),
        (
            RecordedResult::Won(Side::First),
            RecordedResult::Unknown,
            RecordedResult::Drawn
        )
    );
    assert_eq!(
        (
            drawn(&games[1].moves).as_str(),
            games[1].line,
            drawn(&games[2].moves).as_str()
        ),
        ("d2d4 d7d5", 11, "c2c4 e7e5 b1c3")
    );
}

#[test]
fn damage_in_pgn_spoils_one_game_and_is_told_by_its_place() {
    let sound = "[Event \"sound\"]\n\n1. e4 e5 *\n\n";
    for (bad, line, column, what) in [
        ("[Event \"bad\"]\n\n1. e4 Ke3 2. d4 *\n\n", 7, 7, "\"Ke3\""),
        ("[Event \"bad\"]\n\n1. e4 {open\n\n", 7, 7, "not closed"),
        ("[Event \"bad\"]\n\n1. e4 (1. d4 *\n\n", 7, 8, "expected )"),
        ("[Event \"bad\"]\n\n1. e4 ) e5 *\n\n", 7, 7, "without its ("),
        ("[Event \"bad\"]\n[FEN \"8/8 w\"]\n\n1. e4 *\n\n", 6, 1, "8/8 w"),
        ("[Event \"bad\"]\n\n1. e4 $999 *\n\n", 7, 7, "from 0 to 255"),
    ] {
        let (games, damaged) = chess(&format!("{sound}{bad}{sound}"));
        assert_eq!((games.len(), damaged.len()), (2, 1), "{bad}");
        assert_eq!(damaged[0].line, line, "{}", damaged[0]);
        assert!(
            damaged[0].what.contains(what) && damaged[0].column == column,
            "{}",
            damaged[0]
        );
    }
    let deep = format!("1. e4 {}", "(1. d4 ".repeat(100_000));
    let (games, damaged) = chess(&deep);
    assert!(
        games.is_empty() && damaged.len() == 1 && damaged[0].what.contains("within one another"),
        "{damaged:?}"
    );
    let long = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(6000);
    assert!(chess(&long).1[0].what.contains("more than 20000"));
    assert_eq!(chess(""), (vec![], vec![]));
}

#[test]
fn xiangqi_in_every_hand() {
    let text = "[Game \"Chinese Chess\"]\n[Red \"甲\"]\n[Black \"乙\"]\n[Result \"1-0\"]\n\n1.炮二平五 马８进７ 2. H0-G2 {好} h9g7x\n\n\
        [Game \"Chinese Chess\"]\n\n  1. 砲二平五  馬8進7\n  2. 傌二進三 車9平8 0-1\n";
    let (games, damaged) = all(|each| pgn::read::<Xiangqi>(text, each));
    assert_eq!((games.len(), damaged.len()), (1, 1));
    assert_eq!(
        games[0].moves.iter().map(|m| m.text.as_str()).collect::<Vec<_>>(),
        ["h2e2", "h9g7", "h0g2", "i9h9"]
    );
    assert_eq!((damaged[0].line, damaged[0].column), (6, 26), "{}", damaged[0]);
    // The letters of the World Xiangqi Federation, as programs and books write them.
    let text = "[Game \"Chinese Chess\"]\n\n1. C2=5 H8+7 2. H2+3 R9=8 3.R1.2 C2+4 4. P3+1 H2+3 5. E3+1 *\n";
    let (games, damaged) = all(|each| pgn::read::<Xiangqi>(text, each));
    assert_eq!((games.len(), damaged), (1, vec![]));
    let moves: Vec<&str> = games[0].moves.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(moves.join(" "), "h2e2 h9g7 h0g2 i9h9 i0h0 b7b3 g3g4 b9c7 g0i2");
    let pairs = "[Game \"Chinese Chess\"]\n[FEN \"3k5/9/9/r8/9/9/r8/9/9/4K4 b - - 0 1\"]\n\n1... R+=2 2. K5=4 R1+1 *\n";
    let (games, damaged) = all(|each| pgn::read::<Xiangqi>(pairs, each));
    assert_eq!((games.len(), damaged), (1, vec![]));
    assert!(all(|each| pgn::read::<Xiangqi>("1. C2=2 *", each)).0.is_empty());
}

#[test]
fn kif_as_programs_write_it() {
    let text = "# ---- Kifu for Windows V7 V7.08 棋譜ファイル ----\n開始日時：2020/01/01\n手合割：平手　　\n先手：甲\n後手：乙\n\
        手数----指手---------消費時間--\n*始め\n   1 ７六歩(77)   ( 0:10/00:00:10)+\n**良い\n   2 ３四歩(33)   ( 0:05/00:00:05)\n\
        \u{20}  3 ２二角成(88)   ( 1:00/00:01:10)\n   4 同　銀(31)   ( 0:01/00:00:06)\n   5 投了\nまで4手で後手の勝ち\n\n\
        変化：3手\n   3 ２六歩(27)\n   4 ４四歩(43)\n\n変化：1手\n   1 ２六歩(27)\n   2 ８四歩(83)\n";
    let (games, damaged) = all(|each| kif::read(text, each));
    assert_eq!((games.len(), damaged), (1, vec![]));
    let g = &games[0];
    assert_eq!(drawn(&g.moves), "7g7f (2g2f 8c8d) 3c3d 8h2b+ (2g2f 4c4d) 3a2b");
    assert_eq!((g.comment.as_str(), g.moves[0].comment.as_str()), ("始め", "良い"));
    assert_eq!(
        (g.names.clone(), g.outcome),
        (["甲".into(), "乙".into()], RecordedResult::Won(Side::Second))
    );
    assert_eq!(g.moves[2].time, Some(Duration::from_secs(60)));
    let handicap = "手合割：二枚落ち\n下手：a\n上手：b\n手数----指手--\n   1 ６二銀(71)\n   2 ７六歩(77)\n   3 中断\n";
    let (games, damaged) = all(|each| kif::read(handicap, each));
    assert_eq!((games.len(), damaged), (1, vec![]));
    assert_eq!(
        games[0].setup.as_deref(),
        Some("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1")
    );
    assert_eq!(drawn(&games[0].moves), "7a6b 7g7f");
    for (bad, line, what) in [
        ("手合割：平手\n   1 ７六歩(78)\n", 2, "not a legal move"),
        (
            "手合割：平手\n   1 ７六歩(77)\n   3 ３四歩(33)\n",
            3,
            "move number 3 where 2",
        ),
        ("手合割：変な\n   1 ７六歩(77)\n", 1, "unknown start"),
        ("手合割：平手\n   1 同　歩(77)\n", 2, "not a legal move"),
        ("手合割：平手\n変化：9手\n   9 ７六歩(77)\n", 2, "変化：N手"),
        ("手合割：平手\nnonsense\n", 2, "neither a header"),
        ("後手の持駒：王\n| ・|一\n   1 ７六歩(77)\n", 2, ""),
    ] {
        let all = all(|each| kif::read(&format!("{bad}手合割：平手\n   1 ７六歩(77)\n"), each));
        assert!(
            all.1.iter().any(|d| d.line == line && d.what.contains(what)),
            "{bad}: {all:?}"
        );
    }
}

#[test]
fn csa_as_servers_write_it() {
    let text = "V2.2\nN+甲\nN-乙\n$EVENT:x,y\nPI82HI22KA\n-\n-3142GI,T3\n'*comment\n+7776FU\nT1\n%+ILLEGAL_ACTION\n/\n\
        P1 *  *  *  * -OU *  *  *  * \nP9 *  *  *  * +OU *  *  *  * \nP+00FU00FU00HI\nP-00AL\n+\n+0055FU\n%CHUDAN\n/\nV2\nPI\n+\n+7776KI\n/\nrubbish\n";
    let (games, damaged) = all(|each| csa::read(text, each));
    assert_eq!((games.len(), damaged.len()), (2, 2), "{damaged:?}");
    assert_eq!(
        games[0].setup.as_deref(),
        Some("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1")
    );
    assert_eq!(drawn(&games[0].moves), "3a4b 7g7f");
    assert_eq!(
        (games[0].moves[0].time, games[0].moves[0].comment.as_str()),
        (Some(Duration::from_secs(3)), "comment")
    );
    assert_eq!(
        (games[0].outcome, games[0].tag("EVENT")),
        (RecordedResult::Won(Side::Second), Some("x,y"))
    );
    assert_eq!(
        games[1].setup.as_deref(),
        Some("4k4/9/9/9/9/9/9/9/4K4 b R2Pr2b4g4s4n4l16p 1")
    );
    assert_eq!((damaged[0].line, damaged[1].line), (24, 26));
}

#[test]
fn sgf_with_variations_setups_and_damage() {
    let text = "(;GM[1]FF[3]SiZe[9]AB[cc][gg:gh]PL[W]C[so];W[ee]C[a\\]b](;B[dd];W[])(;B[de](;W[ff])(;W[fe])))\n\
        (;FF[4]SZ[9];B[ee];W[ee])\n(;FF[4]SZ[9];B[ee]C[open\n(;FF[4]SZ[9];B[cc])\n(;GM[2])\n(;SZ[99])\n(;SZ[9:13])(;SZ[9];B[zz])(";
    let (games, damaged) = all(|each| sgf::read(text, each));
    assert_eq!(games.len(), 2, "{damaged:?}");
    assert_eq!(drawn(&games[0].moves), "E5 D6 (D5 F4 (F5)) pass");
    assert_eq!(games[0].setup.as_deref(), Some("AB[cc][gg:gh]PL[W]"));
    assert_eq!(
        (games[0].comment.as_str(), games[0].moves[0].comment.as_str()),
        ("so", "a]b")
    );
    assert_eq!(drawn(&games[1].moves), "C7");
    let places: Vec<(usize, usize)> = damaged.iter().map(|d| (d.line, d.column)).collect();
    assert_eq!(places[..2], [(2, 20), (3, 20)], "{damaged:?}");
    assert_eq!(damaged.len(), 7, "{damaged:?}");
    // Nesting as deep as may be written, and games as long as no game is.
    let deep = format!("(;GM[1]{}", "(;B[aa](;W[bb]".repeat(300_000));
    let long = format!("(;GM[1]{})", ";B[];W[]".repeat(9_000));
    let forks = format!("(;GM[1]SZ[9]{}{})", "(;B[];W[]".repeat(2000), "(;B[ee]))".repeat(2000));
    assert_eq!(all(|each| sgf::read(&deep, each)).1.len(), 1);
    assert_eq!(all(|each| sgf::read(&long, each)).0[0].moves.len(), 18_000);
    assert_eq!(all(|each| sgf::read(&forks, each)).0.len(), 1);
}

/// Whatever is cut, doubled or overwritten, readers end and neither panic nor hang.
#[test]
fn garbage_is_survived() {
    let seeds: [(FileFormat, String); 4] = [
        (
            FileFormat::Pgn,
            "[Event \"x\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O (1. Ke2 {x} $1) 1... Kd7! *\n".into(),
        ),
        (
            FileFormat::Kif,
            (Shogi::FORMATS[1].write)(&HEAD, &random::<Shogi>("4k4/9/9/9/9/9/9/9/4K4 w 2R12Pb 1", 9, 1)),
        ),
        (
            FileFormat::Csa,
            (Shogi::FORMATS[0].write)(&HEAD, &random::<Shogi>("4k4/9/9/9/9/9/9/9/4K4 w 2R12Pb 1", 9, 1)),
        ),
        (
            FileFormat::Sgf,
            "(;FF[4]SZ[5]AB[aa]C[x\\]];B[bb](;W[cc])(;W[dd]))".into(),
        ),
    ];
    let mut rng = SplitMix::new(3);
    for (form, text) in &seeds {
        for _ in 0..400 {
            let mut signs: Vec<char> = text.chars().collect();
            for _ in 0..=rng.below(4) {
                let at = rng.below(signs.len() as u64) as usize;
                match rng.below(4) {
                    0 => signs.truncate(at + 1),
                    1 => signs[at] = ['(', ')', '{', '[', ']', '\\', '同', '９', '-', '\u{0}'][rng.below(10) as usize],
                    2 => drop(signs.remove(at)),
                    _ => {
                        let tail = signs[at..].to_vec();
                        signs.extend(tail);
                    }
                }
                if signs.is_empty() {
                    break;
                }
            }
            let text: String = signs.into_iter().collect();
            let _ = all(|each| match form {
                FileFormat::Pgn => pgn::read::<Chess>(&text, each),
                FileFormat::Kif => kif::read(&text, each),
                FileFormat::Csa => csa::read(&text, each),
                _ => sgf::read(&text, each),
            });
        }
    }
}

#[test]
fn encodings_and_forms_are_told_apart() {
    let text = "先手：甲";
    let (old, _, _) = encoding_rs::SHIFT_JIS.encode(text);
    assert_eq!(decoded(&old, encoding_rs::SHIFT_JIS).expect("text"), text);
    assert_eq!(decoded(text.as_bytes(), encoding_rs::SHIFT_JIS).expect("text"), text);
    let wide: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(decoded(&wide, encoding_rs::SHIFT_JIS).expect("text"), text);
    assert!(decoded(&[0xff, 0xff, 0x00], encoding_rs::SHIFT_JIS).is_err());
    assert!(decoded(b"a\0b", encoding_rs::WINDOWS_1252).is_err());
    for (name, text, form) in [
        ("a.PGN", "", FileFormat::Pgn),
        ("a.bin", "", FileFormat::Polyglot),
        ("a.txt", "\n[Event \"x\"]\n", FileFormat::Pgn),
        ("a.txt", "(;GM[1])", FileFormat::Sgf),
        ("go-levels.pgn", "\n(;GM[1])", FileFormat::Sgf),
        ("a", "手合割：平手", FileFormat::Kif),
        ("a", "V2.2\nN+x", FileFormat::Csa),
        ("a.txt", "startpos moves e2e4", FileFormat::Lines),
        ("a.epd", "[", FileFormat::Lines),
    ] {
        assert_eq!(FileFormat::of(Path::new(name), text), form, "{name} {text:?}");
    }
}
