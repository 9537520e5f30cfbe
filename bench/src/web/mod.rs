//! `nguky web`: a local page on which a person plays against the engines.
//!
//! HTTP serves the page's files and nothing else; all that happens goes through one WebSocket at `/ws`, JSON text messages
//! with a type `t`. A message of the page has a number `n`; what is refused is answered by
//! `{"t":"no","n":..,"code":..,"say":[key,args..]}`, where the page has the words of the key.
//!
//! From the page: `hello` (version, token, language) first, by whose token a page plays or, as a guest (`--share`), only
//! watches; then `list`, `new`, `open`, `bye`, `delete`, and of an open game `move`, `type`, `press`, `at`, `think`, `peek`,
//! `review`, `halt`, `try`, `save`; `load` brings a record, of which `pick` opens a game; `matches` and `watch` ask for
//! matches that run elsewhere (fields: [`session`]). To the page: `welcome`, `games`, `opened`, `board` (once a game),
//! `scene` (whole, after each change), `seal` and `open` (the digest of a hidden deal, and at the end what it was made
//! from), `shot`, `think`, `records`, `notes` (what a loaded record says of its moves), `review` (whole, while it goes on),
//! `tried`, `file`, `no`; of matches the list `matches`, `match` (what does not change), `live` (figures and all boards) and
//! `large` (one board with its moves).
//!
//! A room ([`room`]) is a thread that owns a game and its engine. What a viewer gets is built from what his side knows
//! ([`board`]); the deal of cờ úp is in the room and in the game's file alone.

mod assets;
mod board;
mod damage;
mod disk;
mod guard;
mod hub;
mod levels;
mod load;
mod notes;
mod outbox;
mod room;
mod seal;
mod serve;
mod session;
mod slots;
#[cfg(test)]
mod tests;
mod watch;
mod words;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use guard::Hosts;
use hub::HubShared;
use serve::WebServer;
use session::WebTokens;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use watch::MatchWatch;

/// Ports that are tried one after the other.
const PORTS: u16 = 10;

/// The command line of `nguky web`.
#[derive(ClapArgs)]
pub struct WebArgs {
    /// The port; the next free one is taken where it is in use, 0 is any
    #[arg(long, default_value_t = 8173)]
    port: u16,
    /// Listen on this address instead of 127.0.0.1; needs --host
    #[arg(long, value_name = "ADDRESS", requires = "host")]
    listen: Option<IpAddr>,
    /// A further host name under which the page may be opened
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Searches that run at once, a thread each [default: one less than there are cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: Option<u64>,
    /// MiB of each engine's hash table
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    hash: u64,
    /// The folder that keeps games and token [default: nguky/web in the folder for states, $XDG_STATE_HOME]
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// A folder with matches to be watched, or the live file of one; matches in the current folder are shown anyway
    #[arg(long, value_name = "PATH")]
    watch: Vec<PathBuf>,
    /// Print a second link, by which others may watch games and matches but not play
    #[arg(long)]
    share: bool,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

/// The folder of the games where none is given.
fn usual_folder() -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").or_else(|| set("HOME").map(|h| h.join(".local/state")));
    let state = state.or_else(|| set("LOCALAPPDATA"));
    Ok(state
        .context("no folder for the games: give one by --dir")?
        .join("nguky")
        .join("web"))
}

/// Listens at the port, or at the next free one.
fn listen(address: IpAddr, port: u16) -> Result<TcpListener> {
    for next in 0..PORTS {
        match TcpListener::bind(SocketAddr::new(address, port.saturating_add(next))) {
            Ok(listener) => return Ok(listener),
            Err(e) if e.kind() == std::io::ErrorKind::AddrInUse && port != 0 => {}
            Err(e) => return Err(e).with_context(|| format!("cannot listen at {address}, port {port}")),
        }
    }
    bail!(
        "ports {port} to {} are in use; choose another by --port",
        port.saturating_add(PORTS - 1)
    )
}

/// Starts the browser of the system; where there is none, the printed link is enough.
fn browse(link: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    if let Err(why) = std::process::Command::new(program).arg(link).spawn() {
        eprintln!("--open: cannot start {program}: {why}");
    }
}

/// Serves the page until the process is stopped.
pub fn run(args: &WebArgs) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = args.threads.map_or(cores.saturating_sub(1).max(1), |n| n as usize);
    let folder = args.dir.clone().map_or_else(usual_folder, Ok)?;
    let here = std::env::current_dir().ok().into_iter();
    let watched = MatchWatch::new(here.chain(args.watch.iter().cloned()).collect());
    let hub = HubShared::open(&folder, threads, args.hash, watched)?;
    let tokens = WebTokens {
        own: hub.store.token()?.into(),
        share: args.share.then(|| hub.store.share_token()).transpose()?.map(Into::into),
    };
    let address = args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let listener = listen(address, args.port)?;
    let port = listener.local_addr()?.port();
    listener.set_nonblocking(true)?;
    if !address.is_loopback() {
        eprintln!("warning: plain HTTP on {address}: whoever can read the network can read the games and the token");
    }
    let name = match &args.listen {
        Some(_) => args.host.first().map_or("127.0.0.1", String::as_str),
        None => "127.0.0.1",
    };
    let link = |token: &str| format!("http://{name}:{port}/#t={token}");
    println!("{}", link(&tokens.own));
    if let Some(token) = &tokens.share {
        println!("{} (to watch only)", link(token));
    }
    println!("games are kept in {}; Ctrl-C ends the server", folder.display());
    if args.open {
        browse(&link(&tokens.own));
    }
    let server = WebServer::new(hub, tokens, Hosts::new(port, &args.host), serve::HEADER_TIME);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        server.serve(listener).await.map(|never| match never {})
    })
}
