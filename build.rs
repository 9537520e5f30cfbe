//! Chooses how sliding-piece attacks are looked up: sets the cfg `fast_pext` in a build for this machine where PEXT exists
//! and is fast. (In a universal build `dist/twice.rs` sets it.) And finds the networks and the files of the page that are
//! built in.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::{env, fs};

#[path = "src/eval/nnue/header.rs"]
#[allow(dead_code)] // the engine reads more of it
mod header;

#[path = "src/util/cpu.rs"]
#[allow(dead_code)] // as above
mod cpu;

/// Whether a file is a network of the game, as far as can be said without its code.
fn readable(game: &str, path: &Path) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    if path.extension().is_some_and(|e| e == "gz") {
        // The format packed in it has no checksum of its own.
        let mut text = Vec::new();
        let read = flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut text);
        return match read {
            Ok(n) if n > 0 => Ok(()),
            Ok(_) => Err("it is empty".into()),
            Err(e) => Err(format!("not a whole gzip file: {e}")),
        };
    }
    header::Header::read(&bytes, game)?.check()
}

/// The network to which go's ranks are fitted, beside go's own.
const RANKS: &str = "go-ranks";

/// Writes a list of the games' network files, where there are any.
fn find_nets() {
    println!("cargo::rerun-if-changed=engines/nets");
    println!("cargo::rerun-if-env-changed=EVALFILE");
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let chosen = env::var("EVALFILE").ok().filter(|f| !f.is_empty());
    let folder = Path::new(&root).join("engines/nets");
    // Whether a feature of the package is on. Cờ úp is compiled with xiangqi.
    let on = |feature: &str| env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_some();
    let played = |game: &str| {
        on(match game {
            "coup" => "xiangqi",
            RANKS => "go",
            game => game,
        })
    };
    // A game's network has its name: GAME.nnue, or GAME.bin.gz in KataGo's format. Those of games that are not compiled stay out;
    // a name of no game is a fault that a test finds.
    let known = ["chess", "xiangqi", "coup", "shogi", "go", RANKS];
    let mut found = BTreeMap::new();
    for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let game = [".nnue", ".bin.gz"].iter().find_map(|end| name.strip_suffix(end));
        if let Some(game) = game.filter(|game| on("nets") && (played(game) || !known.contains(game))) {
            found.insert(game.to_string(), path);
        }
    }
    if let Some(file) = chosen {
        found.insert("chess".into(), Path::new(&root).join(file));
    }
    let (mut list, mut names) = (String::new(), String::new());
    for (game, path) in &found {
        println!("cargo::rerun-if-changed={}", path.display());
        if let Err(why) = readable(game, path) {
            println!("cargo::error=the network to build in, {}: {why}", path.display());
            continue;
        }
        list += &format!("    ({game:?}, include_bytes!({path:?})),\n");
        if game != RANKS {
            names += &format!("{game:?}, ");
        }
    }
    let text = format!(
        "/// Games and their networks.\nconst NETS: &[(&str, &[u8])] = &[\n{list}];\n\
         /// The games alone.\nconst NAMES: &[&str] = &[{names}];\n"
    );
    let out = env::var("OUT_DIR").unwrap_or_default();
    if let Err(why) = fs::write(format!("{out}/nets.rs"), text) {
        println!("cargo::error=cannot write nets.rs: {why}");
    }
}

#[path = "bench/pages.rs"]
mod pages;

fn main() {
    find_nets();
    if env::var_os("CARGO_FEATURE_WEB").is_some() {
        pages::find();
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/eval/nnue/header.rs");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    println!("cargo::rerun-if-changed=src/util/cpu.rs");
    find_sliders();
}

fn find_sliders() {
    println!("cargo::rustc-check-cfg=cfg(fast_pext)");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let bmi2 = features.split(',').any(|f| f == "bmi2");
    // A native build is for the processor that runs this, so its kind is known already.
    let native = env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("target-cpu=native"));
    let fast = cpu::Processor::here().is_some_and(|p| p.has_fast_pext());
    if native && bmi2 && fast && env::var_os("CARGO_FEATURE_MAGIC").is_none() {
        println!("cargo::rustc-cfg=fast_pext");
    }
}
