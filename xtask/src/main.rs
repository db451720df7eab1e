//! Checks and generators for working on m1nd itself.

mod layers;
mod surface;

use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask layers            check which crate depends on which\n       \
                     cargo xtask surface [--check] write (or check) surface/*.json and the generated docs";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["layers"] => layers::check(&workspace_root()),
        ["surface"] => surface::write(&workspace_root()),
        ["surface", "--check"] => surface::check(&workspace_root()),
        _ => anyhow::bail!(USAGE),
    }
}

fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_owned(), Path::to_owned)
}
