//! What every HTTP request is held against before anything else: a page of another origin must not reach this server, not
//! even by a host name that it made point here (DNS rebinding).

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};

/// What a request that passed asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// A file of the page.
    File,
    /// The WebSocket.
    Socket,
}

/// Why a request was refused: status and one line.
pub type HttpRefusal = (StatusCode, &'static str);

/// The names under which the server may be called.
#[derive(Clone, Debug)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// Those of the loopback interface with a port, and further names of the command line.
    pub fn new(port: u16, more: &[String]) -> Self {
        let own = ["127.0.0.1", "localhost", "[::1]"].into_iter().map(String::from);
        let names = own.chain(more.iter().cloned());
        let mut all: Vec<String> = names.clone().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            all.extend(names);
        }
        Self(all)
    }

    /// Holds a request against the rules.
    ///
    /// # Errors
    /// Status and line of the refusal.
    pub fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Passed, HttpRefusal> {
        let host = only(headers, header::HOST.as_str()).filter(|host| self.knows(host));
        let Some(host) = host.filter(|_| uri.authority().is_none_or(|a| self.knows(a.as_str()))) else {
            return Err((StatusCode::MISDIRECTED_REQUEST, "this server does not go by that name"));
        };
        if method != Method::GET && method != Method::HEAD {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD"));
        }
        if uri.path() != "/ws" {
            return Ok(Passed::File);
        }
        if method != Method::GET {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "only GET"));
        }
        let origin = only(headers, header::ORIGIN.as_str());
        if !origin.is_some_and(|origin| origin.eq_ignore_ascii_case(&format!("http://{host}"))) {
            return Err((StatusCode::FORBIDDEN, "not from this page"));
        }
        if headers.contains_key("sec-fetch-site") && only(headers, "sec-fetch-site") != Some("same-origin") {
            return Err((StatusCode::FORBIDDEN, "not from this page"));
        }
        Ok(Passed::Socket)
    }

    fn knows(&self, host: &str) -> bool {
        self.0.iter().any(|known| known.eq_ignore_ascii_case(host))
    }
}

/// The value of a header that is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}

/// What every answer carries.
pub const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];
