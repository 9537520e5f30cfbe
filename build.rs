//! Chooses how sliding-piece attacks are looked up: sets the cfg `fast_pext` where PEXT exists and is fast.

use std::{env, fs};

/// AMD family 17h (Zen 1 and 2) runs PEXT in microcode, far slower than a multiplication.
fn microcoded_pext() -> bool {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        info.lines()
            .find(|l| l.starts_with(name))
            .and_then(|l| l.split(':').nth(1))
            .map(str::trim)
    };
    field("vendor_id") == Some("AuthenticAMD") && field("cpu family") == Some("23")
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    println!("cargo::rustc-check-cfg=cfg(fast_pext)");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let bmi2 =
        env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|a| a == "x86_64") && features.split(',').any(|f| f == "bmi2");
    // A build for another machine may run on any processor with BMI2, slow ones included: only native builds know.
    let native = flags.contains("target-cpu=native");
    if bmi2 && native && !microcoded_pext() && env::var_os("CARGO_FEATURE_MAGIC").is_none() {
        println!("cargo::rustc-cfg=fast_pext");
    }
}
