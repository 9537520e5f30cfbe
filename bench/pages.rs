//! Packs the files of the page that `nguky web` serves, so that the program needs no files beside it.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const PAGE: &str = "bench/src/web/page";

/// All files below a folder.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        match path.is_dir() {
            _ if hidden => {}
            true => walk(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// Packs each file and lists it with its name and the hash of its content.
fn pack(root: &Path, out: &Path) -> io::Result<()> {
    let (page, mut files) = (root.join(PAGE), Vec::new());
    walk(&page, &mut files)?;
    files.sort();
    let mut list = String::new();
    for (i, file) in files.iter().enumerate() {
        let bytes = fs::read(file)?;
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&bytes)?;
        let packed = out.join(format!("page{i}.gz"));
        fs::write(&packed, packer.finish()?)?;
        let mut hash = DefaultHasher::new();
        hash.write(&bytes);
        let hash = format!("{:016x}", hash.finish());
        let names = file.strip_prefix(&page).unwrap_or(file).components();
        let names: Vec<_> = names.map(|c| c.as_os_str().to_string_lossy()).collect();
        list += &format!("    ({:?}, include_bytes!({packed:?}), {hash:?}),\n", names.join("/"));
    }
    fs::write(
        out.join("page.rs"),
        format!("const PAGE: &[BuiltInFile] = &[\n{list}];\n"),
    )
}

/// Writes the list of the page's files.
pub fn find() {
    println!("cargo::rerun-if-changed={PAGE}");
    println!("cargo::rerun-if-changed=bench/pages.rs");
    let folder = |name| PathBuf::from(env::var_os(name).unwrap_or_default());
    if let Err(why) = pack(&folder("CARGO_MANIFEST_DIR"), &folder("OUT_DIR")) {
        println!("cargo::error=cannot pack {PAGE}: {why}");
    }
}
