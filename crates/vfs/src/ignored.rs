//! Ignored: whether the ignore files of a workspace leave a path out, also where nothing is there yet.

use std::path::Path;

use ignore::gitignore::GitignoreBuilder;

use crate::path::RelPath;
use crate::root::Root;

/// Those that git and the walk read in every folder.
const IN_FOLDERS: [&str; 3] = [".gitignore", ".ignore", ".m1ndignore"];
/// Real ignore files are a thousand times smaller.
const MAX_BYTES: u64 = 4 << 20;

/// Whether a file at the path would be left out. The nearest folder that says something about it decides.
pub fn is_ignored(root: &Root, path: &RelPath) -> bool {
    let whole = root.path().join(path.as_path());
    let folders = whole.ancestors().skip(1).take_while(|at| at.starts_with(root.path()));
    for folder in folders {
        let mut files: Vec<_> = IN_FOLDERS.iter().map(|name| folder.join(name)).collect();
        if folder == root.path() {
            files.push(folder.join(".git/info/exclude"));
        }
        for file in files.iter().filter(|file| is_readable(file)) {
            let mut rules = GitignoreBuilder::new(folder);
            if rules.add(file).is_some() {
                continue;
            }
            let Ok(rules) = rules.build() else { continue };
            let found = rules.matched_path_or_any_parents(&whole, false);
            if !found.is_none() {
                return found.is_ignore();
            }
        }
    }
    false
}

fn is_readable(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_path_is_ignored_before_anything_is_there() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("src/gen")).unwrap();
        fs::write(dir.path().join(".gitignore"), "build/\n*.gen.ts\nsrc/gen/*\n").unwrap();
        fs::write(dir.path().join("src/gen/.gitignore"), "!kept.ts\n").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let is = |path: &str| is_ignored(&root, &root.relative(path).unwrap());
        assert!(is("build/a/b.ts") && is("src/x.gen.ts") && is("src/gen/x.ts"));
        assert!(!is("src/a.ts") && !is("src/gen/kept.ts") && !is("builds/a.ts"));
    }
}
