//! `nguky-uci`: chess over UCI.
fn main() {}
