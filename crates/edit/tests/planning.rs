//! What a batch may and may not do, on real files.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use m1nd_edit::{Act, BatchId, Change, Edit, OnDisk, journal, patch, plan, unified};
use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::digest::sha256_hex;
use m1nd_vfs::Root;

struct Place {
    dir: tempfile::TempDir,
    root: Root,
}

impl Place {
    fn with(files: &[(&str, &[u8])]) -> Self {
        let dir = common::folder();
        let ws = dir.path().join("ws");
        fs::create_dir(&ws).unwrap();
        for (name, bytes) in files {
            fs::create_dir_all(ws.join(name).parent().unwrap()).unwrap();
            fs::write(ws.join(name), bytes).unwrap();
        }
        Self { root: Root::open(&ws).unwrap(), dir }
    }

    fn disk(&self) -> OnDisk<'_> {
        OnDisk { root: &self.root, journal: self.dir.path().join("journal") }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.root.path().join(name)
    }

    /// What the batch leaves, a line each, or why it was refused.
    fn apply(&self, changes: &[Change]) -> String {
        let planned = match plan(&self.disk(), changes) {
            Ok(planned) => planned,
            Err(err) => return err.to_string(),
        };
        match journal::commit(&self.disk(), &planned, &BatchId("b-1".into()), UnixMs(0)) {
            Ok(_) => self.shown(),
            Err(err) => err.to_string(),
        }
    }

    fn shown(&self) -> String {
        let files = common::tree(self.root.path());
        let files = files.iter().filter(|(name, _)| !name.ends_with('/'));
        let lines: Vec<String> =
            files.map(|(name, (bytes, _))| format!("{name}={}", String::from_utf8_lossy(bytes))).collect();
        lines.join(" ")
    }
}

fn change(path: &str, act: Act) -> Change {
    Change { path: path.into(), act, rename_to: None, expected: None, runs: None }
}

fn moved(path: &str, to: &str) -> Change {
    Change { rename_to: Some(to.into()), ..change(path, Act::Keep) }
}

fn edit(old: &str, new: &str) -> Act {
    Act::Edits(vec![Edit { old: old.into(), new: new.into() }])
}

#[test]
fn files_come_go_move_and_swap_in_one_batch() {
    let place = Place::with(&[("a", b"A"), ("b", b"B"), ("c", b"C"), ("d", b"D")]);
    let batch = [
        moved("a", "b"),
        moved("b", "a"),
        change("c", Act::Delete),
        moved("d", "c"),
        change("e/f", Act::Create("F".into())),
    ];
    assert_eq!(place.apply(&batch), "a=B b=A c=D e/f=F");
}

#[test]
fn contradictions_are_refused_and_change_nothing() {
    let place = Place::with(&[("a", b"A"), ("b", b"B"), ("f/x", b"")]);
    let said = |batch: &[Change]| place.apply(batch);
    assert_eq!(said(&[moved("a", "b")]), "b exists already");
    assert_eq!(said(&[moved("a", "c"), moved("b", "c")]), "c is named twice");
    assert_eq!(said(&[change("a", Act::Delete), change("a", edit("A", "x"))]), "a is named twice");
    assert_eq!(said(&[change("a", Act::Create("x".into()))]), "a exists already");
    assert_eq!(said(&[change("no", edit("A", "x"))]), "no does not exist");
    assert_eq!(said(&[change("a", edit("Z", "x"))]), "a: edit 0: `old` is not in the file");
    assert_eq!(said(&[change("a/b", Act::Create("x".into()))]), "a part of the way to a is a file");
    assert_eq!(said(&[change("f", Act::Delete)]), "f is a folder");
    assert_eq!(place.shown(), "a=A b=B f/x=");
    assert!(!place.dir.path().join("journal").exists());
}

#[test]
fn what_is_expected_must_be_there() {
    let place = Place::with(&[("a", b"A")]);
    let expecting = |hash: &str| Change { expected: Some(hash.into()), ..change("a", edit("A", "x")) };
    assert_eq!(place.apply(&[expecting(&sha256_hex(b"B"))]), "a holds something else than expected");
    assert_eq!(place.apply(&[expecting(&sha256_hex(b"A"))]), "a=x");
}

#[test]
fn a_file_changed_after_the_plan_is_stale_and_nothing_is_written() {
    let place = Place::with(&[("a", b"A"), ("b", b"B")]);
    let batch =
        [change("a", edit("A", "x")), change("b", edit("B", "x")), change("n/c", Act::Create("c".into()))];
    let planned = plan(&place.disk(), &batch).unwrap();
    fs::write(place.path("b"), "by hand").unwrap();
    let refused = journal::commit(&place.disk(), &planned, &BatchId("b-1".into()), UnixMs(0)).unwrap_err();
    assert_eq!(refused.to_string(), "b was changed meanwhile");
    assert_eq!(place.shown(), "a=A b=by hand");
    assert!(!place.path("n").exists());
}

#[test]
fn read_only_binary_utf16_and_links_are_refused() {
    let place = Place::with(&[("ro", b"A"), ("bin", b"A\0"), ("wide", b"\xFF\xFEA\0"), ("a", b"A")]);
    fs::set_permissions(place.path("ro"), fs::Permissions::from_mode(0o444)).unwrap();
    symlink("a", place.path("link")).unwrap();
    fs::write(place.dir.path().join("outside"), "A").unwrap();
    symlink("../outside", place.path("out")).unwrap();
    let said = |path: &str| place.apply(&[change(path, edit("A", "x"))]);
    assert_eq!(said("ro"), "ro is read-only");
    assert_eq!(place.apply(&[moved("ro", "elsewhere")]), "ro is read-only");
    assert_eq!(said("bin"), "bin is binary");
    assert_eq!(said("wide"), "wide is UTF-16");
    assert_eq!(said("link"), "link leads through a symbolic link");
    assert_eq!(said("out"), "out leads through a symbolic link");
    assert_eq!(said(".git/config"), ".git/config is withheld");
    assert_eq!(said("../outside"), "../outside is outside the workspace");
    assert_eq!(place.apply(&[change("bin", Act::Replace("x".into()))]), "bin is binary");
    assert_eq!(fs::read(place.dir.path().join("outside")).unwrap(), b"A");
    place.apply(&[moved("bin", "moved"), change("wide", Act::Delete)]);
    assert_eq!(fs::read(place.path("moved")).unwrap(), b"A\0");
}

#[test]
fn modes_endings_marks_and_other_bytes_are_exact() {
    let place = Place::with(&[("run.sh", b"\xEF\xBB\xBFone\r\ntwo\r\n\xE9"), ("x", b"1\n2")]);
    fs::set_permissions(place.path("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    place.apply(&[
        Change { rename_to: Some("go.sh".into()), ..change("run.sh", edit("one\ntwo", "1\n2\n3")) },
        change("x", Act::Replace("3\n4\n".into())),
    ]);
    assert_eq!(fs::read(place.path("go.sh")).unwrap(), b"\xEF\xBB\xBF1\r\n2\r\n3\r\n\xE9");
    assert_eq!(fs::metadata(place.path("go.sh")).unwrap().permissions().mode() & 0o777, 0o751);
    assert_eq!(fs::read(place.path("x")).unwrap(), b"3\n4");
}

#[test]
fn fifty_megabytes_are_exact_and_more_than_the_limit_is_refused() {
    let line = "0123456789abcdef0123456789abcdef0123456789abcdef\n";
    let mut big = line.repeat((50 << 20) / line.len());
    big.push_str("here\n");
    let place = Place::with(&[("big.txt", big.as_bytes())]);
    place.apply(&[change("big.txt", edit("here\n", "there\n"))]);
    let now = fs::read(place.path("big.txt")).unwrap();
    assert!(now.ends_with(b"\nthere\n") && now.len() == big.len() + 1);
    let file = fs::File::create(place.path("huge.txt")).unwrap();
    file.set_len(65 << 20).unwrap();
    let said = place.apply(&[change("huge.txt", edit("here", "there"))]);
    assert_eq!(said, "huge.txt has 68157440 bytes, more than 67108864");
}

#[test]
fn nothing_to_do_is_told() {
    let place = Place::with(&[("a", b"A\n")]);
    let planned = plan(&place.disk(), &[change("a", Act::Replace("A".into()))]).unwrap();
    assert_eq!((planned.files.len(), &planned.unchanged[..]), (0, &["a".to_owned()][..]));
}

fn patched(place: &Place, text: impl AsRef<[u8]>) -> String {
    match patch::changes(&place.disk(), text.as_ref()) {
        Ok(changes) => place.apply(&changes),
        Err(err) => err.to_string(),
    }
}

#[test]
fn a_patch_of_git_changes_makes_moves_and_removes_files() {
    let place =
        Place::with(&[("a.txt", b"1\r\n2\r\n3\r\n4\r\n5\r\n"), ("b", b"B\n"), ("c", b"C"), ("d", b"D\n")]);
    let text = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -3,2 +3,3 @@ heading\n 2\n+2b\n 3\n\
        diff --git a/b b/b2\nsimilarity index 90%\nrename from b\nrename to b2\n--- a/b\n+++ b/b2\n@@ -1 +1 @@\n-B\n+BB\n\\ No newline at end of file\n\
        diff --git a/c b/c\ndeleted file mode 100644\n--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-C\n\\ No newline at end of file\n\
        diff --git a/d b/d2\nsimilarity index 100%\nrename from d\nrename to d2\n\
        diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+n1\n+n2\n";
    let said = patched(&place, text).replace('\r', "<CR>").replace('\n', "|");
    assert_eq!(said, "a.txt=1<CR>|2<CR>|2b<CR>|3<CR>|4<CR>|5<CR>| b2=BB d2=D| new=n1|n2|");
}

#[test]
fn a_patch_says_what_can_be_run() {
    let place = Place::with(&[("a", b"1\n"), ("b", b"2\n"), ("c", b"3\n")]);
    let mode = |name: &str| fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(place.path("b"), fs::Permissions::from_mode(0o751)).unwrap();
    fs::set_permissions(place.path("c"), fs::Permissions::from_mode(0o640)).unwrap();
    let text = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n\
        diff --git a/b b/b\nold mode 100755\nnew mode 100644\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-2\n+two\n\
        diff --git a/c b/d\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from c\nrename to d\n\
        diff --git a/e b/e\nnew file mode 100755\n--- /dev/null\n+++ b/e\n@@ -0,0 +1 @@\n+#!/bin/sh\n";
    assert_eq!(patched(&place, text).replace('\n', "|"), "a=1| b=two| d=3| e=#!/bin/sh|");
    assert_eq!([mode("a"), mode("b"), mode("d"), mode("e")], [0o755, 0o640, 0o750, 0o755]);
}

#[test]
fn a_patch_that_does_not_fit_says_where() {
    let place = Place::with(&[("a", b"1\nx\n2\nx\n3\n")]);
    let one = |body: &str| format!("--- a/a\n+++ b/a\n{body}");
    assert_eq!(patched(&place, one("@@ -1 +1 @@\n-9\n+8\n")), "a: hunk 1 (line 3 of the patch) fits nowhere");
    assert_eq!(
        patched(&place, one("@@ -9 +9 @@\n-x\n+8\n")),
        "a: hunk 1 (line 3 of the patch) fits at lines 4, 2, and none of them is the one it names"
    );
    assert_eq!(patched(&place, one("@@ -1,2 +1,1 @@\n-1\n")), "line 5 of the patch: the hunk is cut off");
    assert_eq!(patched(&place, "nothing"), "the text holds no unified diff");
    assert_eq!(patched(&place, "--- a/no\n+++ b/no\n@@ -1 +1 @@\n-1\n+2\n"), "no does not exist");
    assert_eq!(
        patched(&place, "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-1\n+2\n"),
        "../x is outside the workspace"
    );
    let link = "diff --git a/a b/a\nold mode 100644\nnew mode 120000\n";
    assert_eq!(patched(&place, link), "line 3 of the patch: links and submodules cannot be patched");
}

#[test]
fn a_patch_whose_lines_belong_to_no_hunk_is_refused() {
    let place = Place::with(&[("a", b"1\n2\n3\n"), ("b", b"1\n")]);
    let one = |body: &str| patched(&place, format!("--- a/a\n+++ b/a\n{body}"));
    let no_head =
        "line 3 of the patch: a hunk begins with @@ -line,count +line,count @@, or with @@ and nothing else";
    for head in ["@@-1,2 +1,2@@", "@@ -x,2 +1,2 @@", "@@ def f():"] {
        assert_eq!(one(&format!("{head}\n 1\n-2\n+9\n")), no_head, "{head}");
    }
    assert_eq!(one("@@@ -1 -1 +1 @@@\n++x\n"), "line 3 of the patch: the diff of a merge cannot be applied");
    assert_eq!(one(" 1\n-2\n+9\n"), "line 3 of the patch belongs to no hunk");
    assert_eq!(one(""), "line 1 of the patch names a, and no hunk follows");
    let surplus = "line 5 of the patch is more than the hunk of line 3 says it has";
    assert_eq!(one("@@ -1 +1 @@\n 1\n-2\n+9\n"), surplus);
    assert_eq!(one("@@ -1 +1 @@\n 1\n+9\n 2\n"), surplus);
    assert_eq!(one("@@ -1,2 +1,1 @@\n+9\n+8\n"), surplus);
    let moved = "diff --git a/b b/c\nrename from b\nrename to c\n-1\n+2\n";
    assert_eq!(patched(&place, moved), "line 4 of the patch belongs to no hunk");
    assert_eq!(place.shown(), "a=1\n2\n3\n b=1\n");
}

#[test]
fn a_hunk_without_numbers_goes_where_its_lines_stand_once() {
    let held: &[(&str, &[u8])] = &[("a", b"f\nx\ny\n\ng\nx\ny\n"), ("b", b"1\n2\n")];
    let one = |body: &str| patched(&Place::with(held), format!("--- a/a\n+++ b/a\n{body}"));
    let both = "@@\n f\n-x\n+X\n\n@@ ... @@\n g\n x\n-y\n+Y\n\n--- a/b\n+++ b/b\n@@\n-2\n+two\n";
    assert_eq!(one(both), "a=f\nX\ny\n\ng\nx\nY\n b=1\ntwo\n");
    let other_order = "@@\n g\n-x\n+X\n@@\n f\n-x\n+X\n";
    assert_eq!(one(other_order), "a: hunk 2 (line 7 of the patch) fits nowhere");
    assert_eq!(
        one("@@\n-x\n+X\n"),
        "a: hunk 1 (line 3 of the patch) fits at lines 2, 6, and it names none of them"
    );
    // The place after an earlier hunk would be the only one left, but not the only one of the file.
    assert!(one("@@\n f\n-x\n+X\n@@\n-x\n+X\n").contains("fits at lines 2, 6"));
    assert_eq!(
        one("@@\n+z\n"),
        "a: hunk 1 (line 3 of the patch) has neither line numbers nor a line of the file that would say where it belongs"
    );
    let new = "--- /dev/null\n+++ b/new\n@@\n+n\n";
    assert!(patched(&Place::with(held), new).ends_with(" new=n\n"));
}

#[test]
fn words_between_patches_are_no_lines_of_a_hunk() {
    let place = Place::with(&[("a", b"1\n"), ("b", b"1\n")]);
    let mail = |file: &str| {
        format!(
            "From 0123456789abcdef Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n- a point\n---\n {file} | 2 +-\n\n\
             diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-1\n+2\n-- \n2.39.2\n\n"
        )
    };
    assert_eq!(patched(&place, format!("{}{}", mail("a"), mail("b"))), "a=2\n b=2\n");
    let log = |file: &str| {
        format!(
            "commit 0123456789\n\n    - words\n\ndiff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-2\n+3\n\n"
        )
    };
    assert_eq!(patched(&place, format!("{}{}", log("a"), log("b"))), "a=3\n b=3\n");
}

#[test]
fn of_many_places_the_nearest_are_named_and_the_others_counted() {
    let place = Place::with(&[("a", "x\n".repeat(30).as_bytes())]);
    assert_eq!(
        patched(&place, "--- a/a\n+++ b/a\n@@ -40 +40 @@\n-x\n+8\n"),
        "a: hunk 1 (line 3 of the patch) fits at lines 30, 29, 28, 27, 26, 25, 24, 23, 22, 21 and 20 others, and none of them is the one it names"
    );
}

#[test]
fn a_patch_that_deletes_a_file_must_take_away_all_of_it() {
    let said = "c.txt: the patch deletes the file, but its hunks do not take away all that it holds";
    let place = Place::with(&[("c.txt", b"1\n2\n3\n4\n5\n")]);
    for hunks in
        ["@@ -1,2 +0,0 @@\n-1\n-2\n", "@@ -3 +0,0 @@\n-3\n", "@@ -1,5 +1 @@\n-1\n-2\n 3\n-4\n-5\n", ""]
    {
        assert_eq!(patched(&place, format!("--- a/c.txt\n+++ /dev/null\n{hunks}")), said, "{hunks}");
    }
    let git = "diff --git a/c.txt b/c.txt\ndeleted file mode 100644\nindex 9405325..0000000\n";
    assert_eq!(patched(&place, git), said);
    let whole = "--- a/c.txt\n+++ /dev/null\n@@ -1,5 +0,0 @@\n-1\n-2\n-3\n-4\n-5\n";
    assert_eq!(patched(&place, whole), "");
}

#[test]
fn empty_files_come_and_go_by_a_patch_of_git() {
    let place = Place::with(&[("old one.py", b""), ("a.py", b"x = 1\n")]);
    let text = "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n\
        diff --git a/old one.py b/old one.py\ndeleted file mode 100644\nindex e69de29..0000000\n\
        diff --git \"a/pkg/\\303\\251.py\" \"b/pkg/\\303\\251.py\"\nnew file mode 100644\nindex 0000000..e69de29\n\
        diff --git a/pkg/__init__.py b/pkg/__init__.py\nnew file mode 100644\nindex 0000000..e69de29\n";
    assert_eq!(patched(&place, text), "a.py=x = 2\n pkg/__init__.py= pkg/é.py=");
    assert_eq!(
        patched(&place, "diff --git a/a.py b/a.py\nindex 1..2 100644\n"),
        "line 1 of the patch: nothing is said of this file that could be done"
    );
}

#[test]
fn a_patch_that_says_line_endings_is_followed_exactly() {
    let place = Place::with(&[("crlf", b"1\r\n2\r\n3\r\n"), ("lf", b"1\n2\n3\n")]);
    let text = "--- a/crlf\n+++ b/crlf\n@@ -1,3 +1,3 @@\n 1\r\n-2\r\n+2\n 3\r\n\
        --- a/lf\n+++ b/lf\n@@ -1,3 +1,3 @@\n 1\n-2\n+2\r\n 3\n\
        --- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+1\r\n+2\r\n";
    let said = patched(&place, text).replace('\r', "<CR>").replace('\n', "|");
    assert_eq!(said, "crlf=1<CR>|2|3<CR>| lf=1|2<CR>|3| new=1<CR>|2<CR>|");
    let other = "--- a/lf\n+++ b/lf\n@@ -1 +1 @@\n-1\r\n+9\r\n";
    assert_eq!(patched(&place, other), "lf: hunk 1 (line 3 of the patch) fits nowhere");
    let through_mail = "--- a/lf\r\n+++ b/lf\r\n@@ -1 +1 @@\r\n-1\r\n+9\r\n";
    let said = patched(&place, through_mail).replace('\r', "<CR>").replace('\n', "|");
    assert!(said.contains("lf=9|2<CR>|3|"), "{said}");
}

#[test]
fn a_patch_that_says_nothing_of_the_final_newline_leaves_it() {
    let place = Place::with(&[("a", b"1\n2"), ("b", b"1\n2")]);
    let text = "--- a/a\n+++ b/a\n@@ -2 +2,2 @@\n 2\n+3\n--- a/b\n+++ b/b\n@@ -2 +2 @@\n-2\n+9\n";
    assert_eq!(patched(&place, text), "a=1\n2\n3 b=1\n9");
    let place = Place::with(&[("a", b"1\n2\n")]);
    let cut = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+9\n\\ No newline at end of file\n";
    assert_eq!(patched(&place, cut), "a: hunk 1 (line 3 of the patch) fits nowhere");
}

#[test]
fn a_record_that_was_never_finished_waits_for_recovery_and_goes() {
    let place = Place::with(&[("a", b"A")]);
    let left = place.dir.path().join("journal/.m1nd-Ab12Cd");
    fs::create_dir(left.parent().unwrap()).unwrap();
    fs::write(&left, "half").unwrap();
    assert!(journal::is_pending(&place.disk()));
    journal::recover(&place.disk()).unwrap();
    assert!(!left.exists() && !journal::is_pending(&place.disk()));
}

#[test]
fn text_with_a_nul_byte_is_not_written() {
    let place = Place::with(&[("a.py", b"x = 1\n")]);
    let said = "the new text of a.py has a NUL byte";
    assert_eq!(place.apply(&[change("a.py", Act::Replace("x = '\0'\n".into()))]), said);
    assert_eq!(place.apply(&[change("a.py", edit("1", "\0"))]), said);
    assert_eq!(
        place.apply(&[change("b.py", Act::Create("\0".into()))]),
        "the new text of b.py has a NUL byte"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]
    #[test]
    fn the_diff_of_two_contents_patches_one_into_the_other(old in "([ab]\r?\n|\n){0,12}[ab]?", new in "([abc]\r?\n|\n){0,12}[ab]?") {
        let place = Place::with(&[("f", old.as_bytes())]);
        let diff = unified::diff(Some(("f", old.as_bytes())), Some(("f", new.as_bytes())));
        if !diff.is_empty() {
            let changes = patch::changes(&place.disk(), diff.as_bytes()).unwrap();
            place.apply(&changes);
        }
        let now = fs::read(Path::new(place.root.path()).join("f")).unwrap();
        proptest::prop_assert_eq!(now, new.into_bytes());
    }
}

#[test]
fn a_path_cannot_become_a_file_and_a_folder() {
    let place = Place::with(&[("a", b"A"), ("b", b"B")]);
    let create = |path: &str| change(path, Act::Create("x".into()));
    let below = "n/x would be below n, which is a file after this batch";
    assert_eq!(place.apply(&[create("n"), create("n/x")]), below);
    assert_eq!(place.apply(&[create("n/x"), create("n")]), below);
    assert_eq!(place.apply(&[create("n/x"), moved("a", "n")]), below);
    assert_eq!(place.apply(&[moved("a", "n"), moved("b", "n/x")]), below);
    assert_eq!(place.apply(&[create("a/x")]), "a part of the way to a is a file");
    assert_eq!(place.apply(&[moved("a", "c"), create("a/x")]), "a part of the way to a is a file");
    assert_eq!(place.shown(), "a=A b=B");
    assert_eq!(place.apply(&[create("n/x"), create("n.x"), create("n-")]), "a=A b=B n-=x n.x=x n/x=x");
}

#[test]
fn a_file_can_be_made_where_another_moves_away() {
    for order in [[0, 1], [1, 0]] {
        let place = Place::with(&[("a", b"A")]);
        let batch = [moved("a", "b"), change("a", Act::Create("new".into()))];
        let batch = order.map(|nth: usize| batch[nth].clone());
        assert_eq!(place.apply(&batch), "a=new b=A");
        let back = journal::inverse(&place.disk(), "b-1").unwrap();
        journal::commit(&place.disk(), &back, &BatchId("b-2".into()), UnixMs(1)).unwrap();
        assert_eq!(place.shown(), "a=A");
    }
    let place = Place::with(&[("a", b"A")]);
    let create = || change("a", Act::Create("new".into()));
    assert_eq!(place.apply(&[moved("a", "b"), create(), create()]), "a is named twice");
    assert_eq!(place.apply(&[create()]), "a exists already");
}

/// What a plan does, as a diff that can be applied elsewhere.
fn as_git(planned: &m1nd_edit::Plan) -> String {
    let held = |path: &str| {
        planned.files.iter().find(|file| file.path == path).and_then(|file| file.before.as_ref())
    };
    let mut out = String::new();
    for file in &planned.files {
        let is_left = planned.files.iter().any(|other| other.from.as_deref() == Some(&file.path));
        if file.after.is_none() && is_left {
            continue;
        }
        let from = file.from.as_deref().unwrap_or(&file.path);
        let old = held(from).filter(|_| file.from.is_some() || !is_left).map(|held| (from, &held.bytes[..]));
        let new = file.after.as_ref().map(|after| (&file.path[..], &after.bytes[..]));
        out.push_str(&unified::git_diff(old, new, unified::Modes::default()));
    }
    out
}

#[test]
fn a_diff_with_renames_can_be_applied_by_git_and_by_us() {
    let files: &[(&str, &[u8])] =
        &[("a", b"A\n"), ("b", b"one\ntwo\n"), ("c d", b"C\n"), ("e", b"E"), ("f", b"F\n")];
    let place = Place::with(files);
    let mut both = moved("b", "deep/b");
    both.act = edit("two", "three");
    let batch = [
        moved("a", "z"),
        both,
        change("c d", edit("C", "c")),
        change("e", Act::Delete),
        change("new", Act::Create("n".into())),
        moved("f", "g"),
        change("f", Act::Create("instead\n".into())),
    ];
    let diff = as_git(&plan(&place.disk(), &batch).unwrap());
    let wanted = place.apply(&batch);
    assert_eq!(wanted, "c d=c\n deep/b=one\nthree\n f=instead\n g=F\n new=n z=A\n");
    let ours = Place::with(files);
    let changes = patch::changes(&ours.disk(), diff.as_bytes()).unwrap();
    assert_eq!(ours.apply(&changes), wanted, "{diff}");
    let gits = Place::with(files);
    fs::write(gits.dir.path().join("x.patch"), &diff).unwrap();
    let applied = std::process::Command::new("git")
        .args(["apply", "../x.patch"])
        .current_dir(gits.root.path())
        .output();
    let applied = applied.unwrap();
    assert!(applied.status.success(), "{}\n{diff}", String::from_utf8_lossy(&applied.stderr));
    assert_eq!(gits.shown(), wanted);
}

#[test]
fn bytes_that_are_no_utf8_are_never_written_over_unseen() {
    let place = Place::with(&[("a", b"caf\xE9\nbar\n"), ("b", "\u{FFFD}\n".as_bytes())]);
    let shown = "caf\u{FFFD}\nbaz\n";
    assert_eq!(
        place.apply(&[change("a", Act::Replace(shown.into()))]),
        "the new text of a has U+FFFD, and the file has bytes that are no UTF-8"
    );
    assert_eq!(
        place.apply(&[change("a", edit("caf\u{FFFD}\nbar", "x"))]),
        "a: edit 0: `old` has U+FFFD, which stands for bytes of line 1 that are no UTF-8"
    );
    place.apply(&[change("a", edit("bar", "baz")), change("b", Act::Replace("\u{FFFD}!\n".into()))]);
    assert_eq!(fs::read(place.path("a")).unwrap(), b"caf\xE9\nbaz\n");
    assert_eq!(fs::read(place.path("b")).unwrap(), "\u{FFFD}!\n".as_bytes());
}

/// What git makes of a patch, and what we do: the same bytes, or both refuse.
fn as_git_does(files: &[(&str, &[u8])], patch: &[u8]) -> Result<Place, String> {
    let (ours, gits) = (Place::with(files), Place::with(files));
    fs::write(gits.dir.path().join("x.patch"), patch).unwrap();
    let git = std::process::Command::new("git")
        .args(["apply", "../x.patch"])
        .current_dir(gits.root.path())
        .output()
        .unwrap();
    let said = match patch::changes(&ours.disk(), patch) {
        Ok(changes) => ours.apply(&changes),
        Err(err) => err.to_string(),
    };
    let tree = |place: &Place| common::tree(place.root.path());
    assert_eq!(tree(&ours), tree(&gits), "{said} {}", String::from_utf8_lossy(&git.stderr));
    if git.status.success() { Ok(ours) } else { Err(said) }
}

#[test]
fn lines_in_any_encoding_are_patched_byte_by_byte() {
    let files: &[(&str, &[u8])] = &[("a.c", b"/* caf\xE9 */\nint a;\n\xFF\xFE\n"), ("b.c", b"int b;\r\n")];
    let patch = b"Subject: na\xEFve\n\ndiff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n\
        @@ -1,3 +1,4 @@ caf\xE9\n /* caf\xE9 */\n-int a;\n+int \xE4;\n+\xFC\n \xFF\xFE\n\
        diff --git a/b.c b/b.c\n--- a/b.c\n+++ b/b.c\n@@ -1 +1,2 @@\n int b;\r\n+\xE9\r\n\
        diff --git a/n.c b/n.c\nnew file mode 100644\n--- /dev/null\n+++ b/n.c\n@@ -0,0 +1 @@\n+\xE9t\xE9\n";
    let place = as_git_does(files, patch).unwrap();
    assert_eq!(fs::read(place.path("a.c")).unwrap(), b"/* caf\xE9 */\nint \xE4;\n\xFC\n\xFF\xFE\n");
    assert_eq!(fs::read(place.path("n.c")).unwrap(), b"\xE9t\xE9\n");
    // The letter that stands for such bytes where they are shown is not what the file has.
    let shown = String::from_utf8_lossy(patch).into_owned();
    let said = as_git_does(files, shown.as_bytes()).err().unwrap();
    assert_eq!(said, "a.c: hunk 1 (line 6 of the patch) fits nowhere");
    let unreadable = b"--- a/caf\xE9\n+++ b/caf\xE9\n@@ -0,0 +1 @@\n+x\n";
    assert_eq!(patched(&Place::with(files), unreadable), "line 1 of the patch: the name is not UTF-8");
    let quoted = b"--- /dev/null\n+++ \"b/caf\\351\"\n@@ -0,0 +1 @@\n+x\n";
    assert_eq!(patched(&Place::with(files), quoted), "line 1 of the patch: the name is not UTF-8");
}

#[test]
fn a_copy_is_made_of_the_file_as_it_was() {
    let files: &[(&str, &[u8])] = &[("a", b"1\n2\n3\n"), ("run.sh", b"echo\n"), ("dot.bin", b"\0")];
    let patch = b"diff --git a/a b/b\nsimilarity index 80%\ncopy from a\ncopy to b\n--- a/a\n+++ b/b\n\
        @@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n\
        diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n-1\n 2\n 3\n\
        diff --git a/a b/c\nsimilarity index 100%\ncopy from a\ncopy to c\n\
        diff --git a/a b/d\nsimilarity index 100%\nrename from a\nrename to d\n";
    let said = patched(&Place::with(files), patch);
    assert_eq!(said, "a is named twice");
    let end = patch.len() - b"diff --git a/a b/d\nsimilarity index 100%\nrename from a\nrename to d\n".len();
    let place = as_git_does(files, &patch[..end]).unwrap();
    assert_eq!(fs::read_to_string(place.path("b")).unwrap(), "1\ntwo\n3\n");
    assert_eq!(fs::read_to_string(place.path("c")).unwrap(), "1\n2\n3\n");
    let there = b"diff --git a/a b/run.sh\nsimilarity index 100%\ncopy from a\ncopy to run.sh\n";
    assert_eq!(as_git_does(files, there).err().unwrap(), "run.sh exists already");
}

#[test]
fn names_are_read_whatever_git_writes_before_them() {
    let files: &[(&str, &[u8])] = &[("a", b"1\n"), ("b/x", b"x\n"), ("gone", b"g\n")];
    let changed =
        |old: &str, new: &str| format!("diff --git {old} {new}\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-1\n+2\n");
    for (old, new) in [("a/a", "b/a"), ("b/a", "a/a"), ("i/a", "w/a"), ("c/a", "w/a"), ("1/a", "2/a")] {
        let place = as_git_does(files, changed(old, new).as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(place.path("a")).unwrap(), "2\n", "{old} {new}");
    }
    let reverse = b"diff --git b/b/x a/b/x\n--- b/b/x\n+++ a/b/x\n@@ -1 +1 @@\n-x\n+y\n\
        diff --git b/gone a/gone\ndeleted file mode 100644\n--- b/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n\
        diff --git b/new a/new\nnew file mode 100644\n--- /dev/null\n+++ a/new\n@@ -0,0 +1 @@\n+n\n";
    let place = as_git_does(files, reverse).unwrap();
    assert_eq!(place.shown(), "a=1\n b/x=y\n new=n\n");
    // Without prefixes a folder may have one of these names.
    let bare = "--- b/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(patched(&Place::with(files), bare), "a=1\n b/x=y\n gone=g\n");
}
