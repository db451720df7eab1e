//! Names the extractors of this build, so that facts read by other ones are not taken for its own.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.toml");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let mut files = vec![PathBuf::from("Cargo.toml"), PathBuf::from("../../Cargo.lock")];
    collect(Path::new("src"), &mut files);
    files.sort();
    let mut hasher = DefaultHasher::new();
    for path in files {
        // The lock file is missing where the crate is built on its own.
        path.hash(&mut hasher);
        fs::read(&path).unwrap_or_default().hash(&mut hasher);
    }
    let mut features: Vec<String> =
        env::vars().map(|(name, _)| name).filter(|name| name.starts_with("CARGO_FEATURE_")).collect();
    features.sort();
    features.hash(&mut hasher);
    println!("cargo::rustc-env=M1ND_EXTRACTORS={:016x}", hasher.finish());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
