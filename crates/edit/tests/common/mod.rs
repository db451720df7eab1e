//! A workspace with a batch of twenty files that come, go, move and change.

#![allow(dead_code, clippy::unwrap_used)] // Each test uses a part of it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use m1nd_edit::{Act, Change, Edit};

/// Bytes and mode of every file, also hidden ones; folders end in a slash.
pub type Tree = BTreeMap<String, (Vec<u8>, u32)>;

pub fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    let mut work = vec![folder.to_owned()];
    while let Some(at) = work.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let mode = fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o7777;
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                found.insert(format!("{name}/"), (Vec::new(), mode));
                work.push(path);
            } else {
                found.insert(name, (fs::read(&path).unwrap(), mode));
            }
        }
    }
    found
}

/// A folder where waiting for the disk costs nothing, if there is one: these tests do it thousands of times.
pub fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// Eight files that change, four that go, three that move, one that only gets another mode, and room for five that come.
pub fn lay_out(folder: &Path) {
    for name in ["src/deep", "old"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    for nth in 0..8 {
        fs::write(folder.join(format!("src/edit{nth}.rs")), format!("fn f{nth}() {{}}\r\n// \u{e9}\r\n"))
            .unwrap();
    }
    for nth in 0..4 {
        fs::write(folder.join(format!("old/gone{nth}.bin")), [0xFF, 0, nth]).unwrap();
    }
    fs::write(folder.join("src/run.sh"), "#!/bin/sh\n").unwrap();
    for nth in 0..3 {
        let path = folder.join(format!("src/deep/from{nth}.sh"));
        fs::write(&path, format!("#!/bin/sh\necho {nth}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    }
}

pub fn batch() -> Vec<Change> {
    let change = |path: String, act| Change { path, act, rename_to: None, expected: None, runs: None };
    let mut all = Vec::new();
    for nth in 0..8 {
        let edit = Edit { old: format!("f{nth}()"), new: format!("g{nth}()\n/* new */") };
        all.push(change(format!("src/edit{nth}.rs"), Act::Edits(vec![edit])));
    }
    for nth in 0..5 {
        let folder = if nth < 2 { "new/deep" } else { "src" };
        all.push(change(format!("{folder}/made{nth}.rs"), Act::Create(format!("made {nth}\n"))));
    }
    for nth in 0..4 {
        all.push(change(format!("old/gone{nth}.bin"), Act::Delete));
    }
    for nth in 0..3 {
        let mut moved = change(format!("src/deep/from{nth}.sh"), Act::Keep);
        moved.rename_to = Some(format!("src/to{nth}.sh"));
        all.push(moved);
    }
    all.push(Change { runs: Some(true), ..change("src/run.sh".to_owned(), Act::Keep) });
    all
}
