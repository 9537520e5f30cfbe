//! What is bounded: searches at once, games on disk, the time that a request's headers take.

use super::{TestFolder, TestPage, about, tokens};
use crate::web::disk::{GameEvent, GameHead, MOST_GAMES};
use crate::web::guard::Hosts;
use crate::web::serve::WebServer;
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

#[test]
fn an_analysis_gives_its_slot_to_a_move_elsewhere_and_goes_on() {
    let folder = TestFolder::new("preempted");
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let (analysed, _) = page.begin(json!({ "game": "chess", "seat": 2 }));
    page.wait("scene", |s| s["id"] == json!(analysed));
    // An endless search takes the only slot there is.
    page.send(json!({ "t": "think", "id": analysed, "ply": 0, "on": true }));
    page.wait("think", |t| t["id"] == json!(analysed));
    let (played, _) = page.begin(json!({ "game": "chess", "level": 1, "seat": 0 }));
    let mut scene = page.wait("scene", |s| s["id"] == json!(played));
    for (m, ply) in [("e2e4", 2), ("a2a3", 4)] {
        page.send(about(&scene, "move", json!({ "m": m })));
        scene = page.wait("scene", |s| s["id"] == json!(played) && s["ply"] == ply);
        // The first lines may have been on their way before the move.
        for _ in 0..3 {
            page.wait("think", |t| t["id"] == json!(analysed));
        }
    }
    page.send(json!({ "t": "think", "id": analysed, "ply": 0, "on": false }));
}

/// Writes a game's file as an earlier run left it.
fn kept(folder: &TestFolder, number: usize, over: bool) -> String {
    let id = format!("{number:016x}");
    let head = GameHead {
        v: 1,
        id: id.clone(),
        at: 1_000 + number as u64,
        spec: crate::web::board::GameSpec {
            game: "chess".into(),
            ..Default::default()
        },
        seat: 0,
        level: 1,
        sealed: false,
        first: 0,
        salt: String::new(),
        loaded: None,
    };
    let mut text = serde_json::to_string(&head).expect("JSON") + "\n";
    if over {
        let end = GameEvent::End {
            points: 0,
            reason: "resignation".into(),
            dead: Vec::new(),
        };
        text += &(serde_json::to_string(&end).expect("JSON") + "\n");
    }
    std::fs::write(folder.0.join("games").join(format!("{id}.jsonl")), text).expect("written");
    id
}

#[test]
fn the_oldest_finished_game_makes_room_for_a_new_one() {
    let folder = TestFolder::new("full");
    std::fs::create_dir_all(folder.0.join("games")).expect("a folder");
    // Two finished ones, which are not the oldest.
    for number in 0..MOST_GAMES {
        kept(&folder, number, number == 70 || number == 500);
    }
    let hub = folder.hub();
    let mut page = TestPage::new(&hub, 1);
    let files = || std::fs::read_dir(folder.0.join("games")).expect("games").count();
    for (gone, left) in [(70, vec![0, 69, 71, 500]), (500, vec![0, 69, 71, 499])] {
        page.begin(json!({ "game": "chess", "seat": 2 }));
        let is = |n: usize| folder.0.join("games").join(format!("{n:016x}.jsonl")).exists();
        assert!(!is(gone) && left.into_iter().all(is), "{gone}");
        assert_eq!(files(), MOST_GAMES);
    }
    // Games that go on are not deleted: then there is no room.
    page.send(json!({ "t": "new", "game": "chess", "seat": 2 }));
    let no = page.wait("no", |_| true);
    assert_eq!(
        (&no["code"], &no["say"][0]),
        (&json!("too_big"), &json!("no_more_games"))
    );
    assert_eq!(files(), MOST_GAMES);
    page.send(json!({ "t": "list" }));
    let list = page.wait("games", |_| true);
    assert_eq!(list["games"].as_array().map(Vec::len), Some(MOST_GAMES));
}

#[test]
fn a_request_that_never_ends_is_cut_off() {
    let folder = TestFolder::new("slow");
    let hub = folder.hub();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("set");
    let port = listener.local_addr().expect("an address").port();
    let server = WebServer::new(hub, tokens("00"), Hosts::new(port, &[]), Duration::from_millis(200));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            server.serve(listener).await.map(|never| match never {})
        })
    });
    let mut slow = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    slow.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    write!(slow, "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-").expect("sent");
    // Without the limit this would wait for the minute, and fail.
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer)
        .expect("the connection is closed by the server");
    // One that ends is answered by the same server.
    let mut whole = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    write!(
        whole,
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    )
    .expect("sent");
    let mut answer = Vec::new();
    whole.read_to_end(&mut answer).expect("an answer");
    assert!(
        answer.starts_with(b"HTTP/1.1 200"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
}
