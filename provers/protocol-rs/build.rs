//! Hands `describe` what only the build knows: target, profile and target CPU.

use std::env;

fn main() {
    let target = env::var("TARGET").unwrap_or_else(|_| "unknown".to_owned());
    let profile = env::var("PROFILE").unwrap_or_else(|_| "unknown".to_owned());
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    println!("cargo::rustc-env=NIZK_BUILD_TARGET={target}");
    println!("cargo::rustc-env=NIZK_BUILD_PROFILE={profile}");
    println!("cargo::rustc-env=NIZK_BUILD_TARGET_CPU={}", target_cpu(&flags));
    println!("cargo::rerun-if-changed=build.rs");
}

/// The last `target-cpu` among rustc's flags, which is the one that counts; rustc's default is
/// `generic`. Flags are separated by the unit separator, and `-C` may stand apart from its value.
fn target_cpu(encoded_flags: &str) -> String {
    encoded_flags
        .split('\x1f')
        .filter_map(|flag| flag.trim_start_matches("-C").trim().strip_prefix("target-cpu="))
        .next_back()
        .unwrap_or("generic")
        .to_owned()
}
