//! What `describe` says: which code computes each function, and with which instructions.

use nizk_protocol::hash::Function;
use serde::Serialize;

/// The answer to `describe`.
#[derive(Serialize)]
pub struct Description {
    /// Always `describe`.
    r#type: &'static str,
    /// Name of the executable.
    program: &'static str,
    /// Architecture it was compiled for.
    architecture: &'static str,
    /// The functions, in the order of STATEMENTS.md.
    functions: Vec<Implementation>,
}

/// The code of one function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Implementation {
    /// Name of the function.
    pub function: &'static str,
    /// The crate that computes it; of MiMC, for which there is no well-kept one, the crate of the
    /// field that `mimc.rs` computes it over.
    #[serde(rename = "crate")]
    pub krate: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The extensions of the processor that the crate looks for when it runs, has found here, and
    /// uses; empty where its portable code runs.
    pub cpu_features: Vec<&'static str>,
}

impl Description {
    /// On this processor.
    pub fn of_this_build() -> Description {
        Description {
            r#type: "describe",
            program: "nizk-hash-speed",
            architecture: std::env::consts::ARCH,
            functions: Function::ALL.into_iter().map(Implementation::of).collect(),
        }
    }
}

impl Implementation {
    /// Of a function, on this processor.
    pub fn of(function: Function) -> Implementation {
        let (krate, version) = match function {
            Function::Sha256 => ("sha2", "0.11.1"),
            Function::Sha3_256 => ("sha3", "0.12.0"),
            Function::Blake2s => ("blake2s_simd", "1.0.5"),
            Function::MimcSponge | Function::Mimc7 => ("ark-bn254", "0.6.0"),
            Function::Poseidon => ("light-poseidon", "0.5.0"),
        };
        let cpu_features = cpu_features(function);
        Implementation { function: function.name(), krate, version, cpu_features }
    }
}

/// What the crates themselves ask, with their own conditions: `sha2` (`src/sha256.rs`) wants both
/// extensions; `blake2s_simd` (`src/guts.rs`) hashes a single input with SSE4.1 even where it has
/// AVX2; the others have no code of their own for this processor.
#[cfg(target_arch = "x86_64")]
fn cpu_features(function: Function) -> Vec<&'static str> {
    let sse = std::arch::is_x86_feature_detected!("sse4.1");
    match function {
        Function::Sha256 if sse && std::arch::is_x86_feature_detected!("sha") => {
            vec!["sha", "sse4.1"]
        }
        Function::Blake2s if sse => vec!["sse4.1"],
        _ => vec![],
    }
}

/// As above: `sha2` has code for the SHA-2 extension, `keccak`, below `sha3`, for that of SHA-3.
#[cfg(target_arch = "aarch64")]
fn cpu_features(function: Function) -> Vec<&'static str> {
    match function {
        Function::Sha256 if std::arch::is_aarch64_feature_detected!("sha2") => vec!["sha2"],
        Function::Sha3_256 if std::arch::is_aarch64_feature_detected!("sha3") => vec!["sha3"],
        _ => vec![],
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn cpu_features(_: Function) -> Vec<&'static str> {
    vec![]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_named_are_those_of_the_lock_file() {
        let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"));
        let lock = lock.unwrap();
        for function in Function::ALL {
            let Implementation { krate, version, .. } = Implementation::of(function);
            let entry = format!("name = \"{}\"\nversion = \"{version}\"\n", krate);
            assert!(lock.contains(&entry), "{entry}");
        }
    }

    #[test]
    fn functions_over_elements_name_no_extension() {
        for function in Function::ALL.into_iter().filter(|function| function.is_over_a_field()) {
            assert_eq!(Implementation::of(function).cpu_features, Vec::<&str>::new());
        }
    }
}
