//! Tells the program which commit it was built from.

use std::path::Path;
use std::process::Command;

fn main() {
    let hash = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".into());
    let changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.is_empty());
    let mark = if changed { "+changes" } else { "" };
    println!("cargo::rustc-env=M1ND_BUILD_HASH={hash}{mark}");
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(folder) = git(&["rev-parse", "--absolute-git-dir"]) {
        for file in ["HEAD", "index"] {
            let path = Path::new(&folder).join(file);
            if path.exists() {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
