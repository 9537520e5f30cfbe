//! A bot for chess: type a move such as `e2e4`, it answers with its own. `cargo run --release --example bot`.

use nguky::control::{Choice, Limits, Report};
use nguky::register;
use std::io::BufRead;
use std::sync::{Arc, mpsc};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut engine = register::engine("nguky-uci")?;
    let mut game: Vec<String> = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let played = [game.clone(), vec![line.trim().to_string()]].concat();
        let words: Vec<&str> = played.iter().map(String::as_str).collect();
        if let Err(why) = engine.position(None, &words) {
            println!("{why}");
            continue;
        }
        game = played;
        let (send, receive) = mpsc::channel();
        engine.go(Limits::nodes(20_000), Arc::new(move |report| drop(send.send(report))))?;
        let answer = receive.iter().find_map(|report| match report {
            Report::Best { choice, .. } => Some(choice),
            _ => None,
        });
        let Some(Choice::Move(reply)) = answer else { break };
        println!("{reply}");
        game.push(reply);
    }
    Ok(())
}
