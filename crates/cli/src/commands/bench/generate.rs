//! Source made to measure: as many lines as wanted, in the shape of a program.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A file of a program has about this many lines.
const LINES_PER_FILE: usize = 200;
/// A folder holds about this many files.
const FILES_PER_FOLDER: usize = 40;

/// A Rust crate of about `lines` lines below `folder`: modules with types, methods, tests and doc comments,
/// each of which calls itself and some that came before.
pub fn rust(folder: &Path, lines: usize) -> std::io::Result<()> {
    let files = (lines / LINES_PER_FILE).max(1);
    let source = folder.join("src");
    fs::create_dir_all(&source)?;
    fs::write(
        folder.join("Cargo.toml"),
        "[package]\nname = \"made\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    )?;
    let mut root = String::from("//! Made to measure.\n");
    let mut parents: Vec<String> = Vec::new();
    for number in 0..files {
        let part = number / FILES_PER_FOLDER;
        let part_folder = source.join(format!("part{part}"));
        if number % FILES_PER_FOLDER == 0 {
            fs::create_dir_all(&part_folder)?;
            parents.push(String::new());
            root.push_str(&format!("pub mod part{part};\n"));
        }
        parents[part].push_str(&format!("pub mod unit{number};\n"));
        fs::write(part_folder.join(format!("unit{number}.rs")), unit(number))?;
    }
    for (part, text) in parents.iter().enumerate() {
        fs::write(source.join(format!("part{part}/mod.rs")), text)?;
    }
    fs::write(source.join("lib.rs"), root)
}

fn unit(number: usize) -> String {
    let mut text = format!("//! Unit {number}.\n\n");
    // Two neighbours before it, one of them in another folder where there is one.
    let earlier: Vec<usize> =
        [number.checked_sub(1), number.checked_sub(FILES_PER_FOLDER)].into_iter().flatten().collect();
    for &other in &earlier {
        let part = other / FILES_PER_FOLDER;
        let line = format!("use crate::part{part}::unit{other}::{{Ledger{other}, settle{other}}};\n");
        text.push_str(&line);
    }
    let mut write = |line: String| writeln!(text, "{line}").expect("a string takes any text");
    write(format!(
        "\n/// Keeps the sums of unit {number}.\n#[derive(Clone, Debug, Default)]\npub struct Ledger{number} {{"
    ));
    for field in 0..6 {
        write(format!("    /// Column {field}.\n    pub column{field}: u64,"));
    }
    write(format!(
        "}}\n\nimpl Ledger{number} {{\n    pub fn new() -> Self {{\n        Self::default()\n    }}\n"
    ));
    for method in 0..8 {
        let before =
            if method > 0 { format!("self.step{}(amount / 2)", method - 1) } else { "amount".to_owned() };
        write(format!(
            "    /// Step {method}: adds and carries.\n    pub fn step{method}(&mut self, amount: u64) -> u64 {{\n        let carried = {before};\n        if carried > 1_000 {{\n            self.column{} += carried % 1_000;\n        }} else {{\n            self.column{} += carried;\n        }}\n        carried + {method}\n    }}\n",
            method % 6,
            (method + 1) % 6
        ));
    }
    write("}\n".to_owned());
    write(format!(
        "/// Settles what came before.\npub fn settle{number}(amount: u64) -> u64 {{\n    let mut ledger = Ledger{number}::new();\n    let mut total = ledger.step7(amount);"
    ));
    for &other in &earlier {
        write(format!(
            "    let mut other = Ledger{other}::new();\n    total += other.step3(amount) + settle{other}(amount / 2);"
        ));
    }
    write("    total\n}\n".to_owned());
    for helper in 0..6 {
        write(format!(
            "fn helper{helper}(values: &[u64]) -> u64 {{\n    let mut sum = 0;\n    for value in values.iter().filter(|value| **value > {helper}) {{\n        match value % 3 {{\n            0 => sum += value,\n            1 => sum += settle{number}(*value),\n            _ => sum -= 1,\n        }}\n    }}\n    sum\n}}\n"
        ));
    }
    write("#[cfg(test)]\nmod tests {\n    use super::*;\n".to_owned());
    for test in 0..3 {
        write(format!(
            "    #[test]\n    fn helper{test}_adds_up() {{\n        assert_eq!(helper{test}(&[]), 0);\n    }}\n"
        ));
    }
    write("}".to_owned());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_as_many_lines_as_wanted_are_made() {
        let dir = tempfile::tempdir().unwrap();
        rust(dir.path(), 20_000).unwrap();
        let mut lines = 0;
        let mut folders = vec![dir.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    lines += fs::read_to_string(path).unwrap().lines().count();
                }
            }
        }
        assert!((15_000..25_000).contains(&lines), "{lines}");
    }
}
