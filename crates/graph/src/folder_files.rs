//! Folder files: those that stand for the folder they are in, and by what name others ask for a file.

use crate::near;

/// Such files, as far as a name is looked up in them by the name of their folder.
pub(crate) const NAMES: [&str; 8] =
    ["__init__.py", "__init__.pyi", "index.ts", "index.tsx", "index.js", "index.mjs", "mod.rs", "lib.rs"];

/// The name of a file without its endings.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// Whether others may ask for a file by the name of its folder: `mod.rs`, `__init__.py`, `index.ts`, and `lib.rs` for its crate.
pub fn stands_for_folder(path: &str) -> bool {
    matches!(stem(path), "__init__" | "index" | "mod" | "lib")
}

/// A file by what others call it, with its folders: `a/b` for `a/b.py` and for `a/b/__init__.py`.
pub fn module(path: &str) -> String {
    let folder = near::folder(path);
    match stem(path) {
        _ if stands_for_folder(path) => folder.to_owned(),
        stem if folder.is_empty() => stem.to_owned(),
        stem => format!("{folder}/{stem}"),
    }
}

/// The one word by which a file is asked for: its own, or that of the folder that it stands for.
pub fn word(path: &str) -> &str {
    match stands_for_folder(path) {
        true => near::folder(path).rsplit('/').next().unwrap_or_default(),
        false => stem(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_as_itself_or_as_its_folder() {
        let called = |path| (module(path), word(path).to_owned());
        assert_eq!(called("a/b.py"), ("a/b".to_owned(), "b".to_owned()));
        assert_eq!(called("a/b/__init__.py"), ("a/b".to_owned(), "b".to_owned()));
        assert_eq!(called("a/index.d.ts"), ("a".to_owned(), "a".to_owned()));
        assert_eq!(called("index.js"), (String::new(), String::new()));
        assert!(stands_for_folder("src/lib.rs") && !stands_for_folder("src/main.rs"));
    }
}
