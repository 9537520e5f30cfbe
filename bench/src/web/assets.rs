//! The page's files: built in, packed by gzip, or read from the folder that the variable `NGUKY_PAGE` names while they are
//! being written.

use std::borrow::Cow;
use std::path::Path;

/// A file that is built in: path, gzip of its bytes, hash of its content.
type BuiltInFile = (&'static str, &'static [u8], &'static str);

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The variable that names a folder to serve instead.
pub const FOLDER: &str = "NGUKY_PAGE";

/// A file as it is sent.
pub struct PageFile {
    /// The bytes, packed where `packed` says so.
    pub bytes: Cow<'static, [u8]>,
    /// Whether they are gzip.
    pub packed: bool,
    /// The content's hash, in quotes.
    pub tag: Option<String>,
    /// What it is.
    pub kind: &'static str,
}

/// What a file is, by its ending.
fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("png") => "image/png",
        _ => "text/plain; charset=utf-8",
    }
}

/// The file of a request's path.
pub fn find(path: &str) -> Option<PageFile> {
    let path = path.strip_prefix('/')?;
    let path = if path.is_empty() { "index.html" } else { path };
    if let Some(folder) = std::env::var_os(FOLDER) {
        let plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':']);
        if !path.split('/').all(plain) {
            return None;
        }
        let bytes = std::fs::read(Path::new(&folder).join(path)).ok()?;
        return Some(PageFile {
            bytes: bytes.into(),
            packed: false,
            tag: None,
            kind: kind(path),
        });
    }
    let (_, bytes, hash) = PAGE.iter().find(|(name, ..)| *name == path)?;
    Some(PageFile {
        bytes: Cow::Borrowed(bytes),
        packed: true,
        tag: Some(format!("\"{hash}\"")),
        kind: kind(path),
    })
}
