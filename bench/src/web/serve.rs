//! HTTP and the WebSocket: carries bytes, decides nothing.

use super::assets;
use super::guard::{HEADERS, Hosts, Passed};
use super::hub::HubShared;
use super::outbox::{Outgoing, POLICY};
use super::session::{WebSession, WebTokens};
use anyhow::Result;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Connections at once.
const CONNECTIONS: usize = 256;
/// WebSockets at once.
const SOCKETS: usize = 64;
/// What the headers of a request may take.
pub const HEADER_TIME: Duration = Duration::from_secs(10);
/// Within this the page says hello.
const HELLO_TIME: Duration = Duration::from_secs(5);
/// Most bytes of a request's headers.
const HEADER_SIZE: usize = 16 << 10;
/// Most bytes of a message; the session refuses messages far below.
const MESSAGE_SIZE: usize = 1 << 20;
/// Closed for a message that is too long.
const TOO_LONG: u16 = 1009;

/// What all connections share.
pub struct WebServer {
    /// The games.
    pub hub: Arc<HubShared>,
    /// What the page has to know.
    pub tokens: WebTokens,
    /// The names of this server.
    pub hosts: Hosts,
    /// Connections so far.
    pub sessions: AtomicU64,
    /// WebSockets now.
    pub sockets: AtomicUsize,
    /// Within this the request's headers are there, or the connection ends.
    pub header_time: Duration,
}

impl WebServer {
    /// A server of some games.
    pub fn new(hub: Arc<HubShared>, tokens: WebTokens, hosts: Hosts, header_time: Duration) -> Arc<Self> {
        Arc::new(Self {
            hub,
            tokens,
            hosts,
            sessions: AtomicU64::new(0),
            sockets: AtomicUsize::new(0),
            header_time,
        })
    }

    /// Takes connections, for ever.
    ///
    /// # Errors
    /// Where the listener fails for good.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) -> Result<Infallible> {
        let free = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let permit = free.clone().acquire_owned().await?;
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // Out of file descriptors, or a connection that ended before it began.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let _ = stream.set_nodelay(true);
            let server = self.clone();
            tokio::spawn(async move {
                let service = service_fn(|request| {
                    let server = server.clone();
                    async move { Ok::<_, Infallible>(server.answer(request).await) }
                });
                let mut http = hyper::server::conn::http1::Builder::new();
                http.timer(TokioTimer::new())
                    .header_read_timeout(server.header_time)
                    .max_buf_size(HEADER_SIZE);
                // A connection that breaks off is no news.
                let _ = http
                    .serve_connection(TokioIo::new(stream), service)
                    .with_upgrades()
                    .await;
                drop(permit);
            });
        }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let (mut parts, _) = request.into_parts();
        let mut response = match self.hosts.check(&parts.method, &parts.uri, &parts.headers) {
            Err((status, line)) => (status, format!("{line}\n")).into_response(),
            Ok(Passed::File) => file(&parts),
            Ok(Passed::Socket) => match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
                Ok(upgrade) => self.upgrade(upgrade),
                Err(refused) => refused.into_response(),
            },
        };
        let headers = response.headers_mut();
        for (name, value) in HEADERS {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }

    fn upgrade(self: Arc<Self>, upgrade: WebSocketUpgrade) -> Response<Body> {
        if self.sockets.load(Ordering::Relaxed) >= SOCKETS {
            return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open\n").into_response();
        }
        let upgrade = upgrade.max_message_size(MESSAGE_SIZE).max_frame_size(MESSAGE_SIZE);
        upgrade.on_upgrade(|socket| async move {
            self.sockets.fetch_add(1, Ordering::Relaxed);
            self.talk(socket).await;
            self.sockets.fetch_sub(1, Ordering::Relaxed);
        })
    }

    /// One WebSocket, to its end.
    async fn talk(&self, mut socket: WebSocket) {
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        let mut session = WebSession::new(self.hub.clone(), self.tokens.clone(), number);
        let out = session.out.clone();
        let late = tokio::time::sleep(HELLO_TIME);
        tokio::pin!(late);
        loop {
            tokio::select! {
                biased;
                message = socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => session.hear(text.as_str()),
                    Some(Ok(Message::Binary(_))) => out.close(POLICY),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Err(why)) => {
                        if why.to_string().contains("too long") || why.to_string().contains("Space limit") {
                            close(&mut socket, TOO_LONG).await;
                        }
                        break;
                    }
                    Some(Ok(Message::Close(_))) | None => break,
                },
                () = &mut late, if !session.is_known() => {
                    close(&mut socket, POLICY).await;
                    break;
                }
                next = out.next() => match next {
                    Outgoing::Text(text) => {
                        if socket.send(Message::Text(text.into())).await.is_err() {
                            break;
                        }
                    }
                    Outgoing::Close(code) => {
                        close(&mut socket, code).await;
                        break;
                    }
                },
            }
        }
        session.end();
    }
}

async fn close(socket: &mut WebSocket, code: u16) {
    let frame = CloseFrame {
        code,
        reason: "".into(),
    };
    let _ = socket.send(Message::Close(Some(frame))).await;
}

/// A file of the page.
fn file(parts: &axum::http::request::Parts) -> Response<Body> {
    let Some(file) = assets::find(parts.uri.path()) else {
        return (StatusCode::NOT_FOUND, "no such page\n").into_response();
    };
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Some(tag) = file.tag.as_deref().and_then(|t| HeaderValue::from_str(t).ok()) {
        let same = parts.headers.get(header::IF_NONE_MATCH) == Some(&tag);
        headers.insert(header::ETAG, tag);
        if same {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
    }
    let accepted = parts.headers.get(header::ACCEPT_ENCODING).and_then(|v| v.to_str().ok());
    let mut bytes = file.bytes.into_owned();
    if file.packed && accepted.is_some_and(|a| a.contains("gzip")) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    } else if file.packed {
        let mut plain = Vec::new();
        if flate2::read::GzDecoder::new(&bytes[..])
            .read_to_end(&mut plain)
            .is_err()
        {
            return (StatusCode::INTERNAL_SERVER_ERROR, "the page is damaged\n").into_response();
        }
        bytes = plain;
    }
    if parts.method != Method::HEAD {
        *response.body_mut() = bytes.into();
    }
    response
}
