//! The table of requests, good and bad.

use crate::web::guard::{Hosts, Passed};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

/// Method, target, headers as `name: value` lines, and the status (200 for what passes).
type GuardRow = (&'static str, &'static str, &'static str, u16);

const OWN: &str = "host: 127.0.0.1:8173";

const ROWS: &[GuardRow] = &[
    ("GET", "/", OWN, 200),
    ("HEAD", "/main.js", OWN, 200),
    ("GET", "/main.js?x=1", OWN, 200),
    ("GET", "/", "host: localhost:8173", 200),
    ("GET", "/", "host: LOCALHOST:8173", 200),
    ("GET", "/", "host: [::1]:8173", 200),
    ("GET", "/", "host: games.lan:8173", 200),
    ("GET", "http://127.0.0.1:8173/", OWN, 200),
    ("GET", "/", "", 421),
    ("GET", "/", "host: evil.example", 421),
    ("GET", "/", "host: evil.example:8173", 421),
    ("GET", "/", "host: 127.0.0.1", 421),
    ("GET", "/", "host: 127.0.0.1:80", 421),
    ("GET", "/", "host: 127.0.0.1:8174", 421),
    ("GET", "/", "host: 127.0.0.1:8173.evil.example", 421),
    ("GET", "/", "host: localhost.evil.example:8173", 421),
    ("GET", "/", "host: 127.1:8173", 421),
    ("GET", "/", "host: 0.0.0.0:8173", 421),
    ("GET", "/", "host: user@127.0.0.1:8173", 421),
    ("GET", "/", "host: 127.0.0.1:8173\nhost: evil.example", 421),
    ("GET", "/", "host: 127.0.0.1:8173\nhost: 127.0.0.1:8173", 421),
    ("GET", "http://evil.example/", OWN, 421),
    ("POST", "/", "host: evil.example", 421),
    ("POST", "/", OWN, 405),
    ("PUT", "/main.js", OWN, 405),
    ("DELETE", "/", OWN, 405),
    ("OPTIONS", "/ws", OWN, 405),
    ("CONNECT", "/", OWN, 405),
    (
        "POST",
        "/ws",
        "host: 127.0.0.1:8173\norigin: http://127.0.0.1:8173",
        405,
    ),
    (
        "HEAD",
        "/ws",
        "host: 127.0.0.1:8173\norigin: http://127.0.0.1:8173",
        405,
    ),
    ("GET", "/ws", "host: 127.0.0.1:8173\norigin: http://127.0.0.1:8173", 200),
    ("GET", "/ws", "host: localhost:8173\norigin: http://localhost:8173", 200),
    ("GET", "/ws", OWN, 403),
    ("GET", "/ws", "host: 127.0.0.1:8173\norigin: null", 403),
    ("GET", "/ws", "host: 127.0.0.1:8173\norigin: http://evil.example", 403),
    ("GET", "/ws", "host: 127.0.0.1:8173\norigin: http://localhost:8173", 403),
    (
        "GET",
        "/ws",
        "host: 127.0.0.1:8173\norigin: https://127.0.0.1:8173",
        403,
    ),
    ("GET", "/ws", "host: 127.0.0.1:8173\norigin: http://127.0.0.1", 403),
    (
        "GET",
        "/ws",
        "host: 127.0.0.1:8173\norigin: http://127.0.0.1:81730",
        403,
    ),
    (
        "GET",
        "/ws",
        "host: 127.0.0.1:8173\norigin: http://127.0.0.1:8173\norigin: http://evil.example",
        403,
    ),
    ("GET", "/ws", "host: evil.example\norigin: http://evil.example", 421),
    (
        "GET",
        "/ws",
        "host: 127.0.0.1:8173\norigin: http://127.0.0.1:8173\nsec-fetch-site: same-origin",
        200,
    ),
    (
        "GET",
        "/ws",
        "host: 127.0.0.1:8173\norigin: http://127.0.0.1:8173\nsec-fetch-site: cross-site",
        403,
    ),
    (
        "GET",
        "/ws",
        "host: 127.0.0.1:8173\norigin: http://127.0.0.1:8173\nsec-fetch-site: same-site",
        403,
    ),
    (
        "GET",
        "/ws",
        "host: 127.0.0.1:8173\norigin: http://127.0.0.1:8173\nsec-fetch-site: none",
        403,
    ),
];

#[test]
fn requests_are_held_against_the_rules() {
    let hosts = Hosts::new(8173, &["games.lan".to_string()]);
    for (method, target, lines, status) in ROWS {
        let mut headers = HeaderMap::new();
        for (name, value) in lines.lines().filter_map(|line| line.split_once(": ")) {
            let name: HeaderName = name.parse().expect("a name");
            headers.append(name, HeaderValue::from_static(value));
        }
        let method: Method = method.parse().expect("a method");
        let uri: Uri = target.parse().expect("a target");
        let found = hosts.check(&method, &uri, &headers);
        let socket = found == Ok(Passed::Socket);
        let found = found.map_or_else(|(status, _)| status.as_u16(), |_| 200);
        assert_eq!(found, *status, "{method} {target}\n{lines}");
        assert_eq!(socket, *status == 200 && *target == "/ws");
    }
}
