//! Edits that look like breaks and are none, and calls that a batch writes and that nothing takes, under `verify: graph`.

#![allow(clippy::unwrap_used)]

mod common;

use common::ok;
use m1nd_testkit::Fixture;
use serde_json::{Value, json};

/// What becomes of an edit: nothing where it is made, else what it is refused for; and what is told beside it.
fn made(files: &str, path: &str, old: &str, new: &str) -> (Vec<String>, Vec<String>) {
    let fixture = Fixture::new(m1nd_tools::surface(), files);
    ok(&fixture, "ingest", json!({}));
    let edit =
        json!({"verify": "graph", "edits": [{"file_path": path, "edits": [{"old": old, "new": new}]}]});
    let reply = fixture.call("apply_batch", edit);
    let list = |of: &Value, field: &str| -> Vec<String> {
        let all = of.as_array().cloned().unwrap_or_default();
        all.iter().map(|one| one[field].as_str().or(one.as_str()).unwrap_or_default().to_owned()).collect()
    };
    match reply.is_error {
        false => (Vec::new(), list(&reply.body["proactive_insights"], "")),
        true => {
            let detail = &reply.body["error"]["detail"];
            let all =
                [list(&detail["dangling_callers"], "at"), list(&detail["findings"], "message")].concat();
            assert!(!all.is_empty(), "{}", reply.body);
            (all, Vec::new())
        }
    }
}

fn is_sound(files: &str, path: &str, old: &str, new: &str) {
    assert_eq!(made(files, path, old, new).0, [""; 0], "{old} -> {new}");
}

const JAVA: &str = "//- a/P.java
package a;

class P {
}
//- a/U.java
package a;

class U {
    P z() {
        return new P();
    }
}
";

#[test]
fn an_annotation_of_a_class_of_java_is_no_constructor() {
    is_sound(JAVA, "a/P.java", "class P {", "@SuppressWarnings(\"x\")\nclass P {");
    is_sound(JAVA, "a/P.java", "class P {", "@SuppressWarnings(\"x\") class P<T> {");
    let broken = made(JAVA, "a/P.java", "class P {", "@SuppressWarnings(\"x\")\nclass P {\n    P(int x) {}");
    assert!(broken.0.iter().any(|one| one.contains("no constructor takes it")), "{broken:?}");
}

#[test]
fn a_record_of_java_has_a_method_for_each_part() {
    let class = "public class P {\n    private final int x;\n    public P(int x) { this.x = x; }\n    public int x() { return x; }\n}";
    let files = format!(
        "//- a/P.java\npackage a;\n\n{class}\n//- a/U.java\npackage a;\n\nclass U {{\n    int z() {{ return new P(1).x(); }}\n}}\n"
    );
    is_sound(&files, "a/P.java", class, "public record P(int x) {}");
    let broken = made(&files, "a/P.java", class, "public record P(int y) {}");
    assert!(broken.0.iter().any(|one| one.starts_with("a/U.java:")), "{broken:?}");
}

#[test]
fn a_sentence_above_a_name_is_nothing_that_it_is_said_of() {
    let class = "class InvalidURL(Base):\n    \"\"\"x\"\"\"\n";
    let files = format!(
        "//- lib/__init__.py\nfrom .exc import Base, InvalidURL\n//- lib/exc.py\nclass Base(Exception):\n    \"\"\"b\"\"\"\n\n\n{class}//- tests/test_lib.py\nimport lib\n\n\ndef test_it():\n    raise lib.InvalidURL()\n"
    );
    is_sound(&files, "lib/exc.py", class, "# one.\nInvalidURL = Base\n");
    is_sound(&files, "lib/exc.py", class, "\"\"\"One.\"\"\"\nInvalidURL = Base\n");
    assert!(!made(&files, "lib/exc.py", class, "# one.\nInvalidURI = Base\n").0.is_empty());
}

#[test]
fn each_of_several_calls_on_a_line_has_to_fit() {
    let python = "//- u.py\ndef h(x):\n    return x\n//- a.py\nfrom u import h\n\n\ndef z(v):\n    return h(v) + h(2)\n";
    assert!(!made(python, "a.py", "h(v)", "h()").0.is_empty());
    is_sound(python, "a.py", "h(v)", "h(x=v)");
    let go = "//- go.mod\nmodule a\n\ngo 1.21\n//- a.go\npackage a\n\nfunc last(s string) byte {\n\treturn s[0]\n}\n\nfunc both(x, y string) bool {\n\treturn last(x) == '/' && last(y) != '/'\n}\n";
    assert!(!made(go, "a.go", "last(x) ==", "last() ==").0.is_empty());
    // Which of two things is called without an argument nobody knows.
    let other = "//- u.py\ndef h(x):\n    return x\n//- a.py\nfrom u import h\n\n\ndef z(v):\n    return h(v) + v.h()\n";
    is_sound(other, "a.py", "+ v.h()", "- v.h()");
}

const WRITER: &str = "//- a/U.java
package a;

import java.io.Writer;

abstract class U extends Writer {
    private static int h(int x) {
        return x;
    }

    int z(java.util.List<String> names, int v) {
        return h(v);
    }
}
";

#[test]
fn what_a_type_above_may_have_is_told_and_not_refused() {
    let (refused, told) = made(WRITER, "a/U.java", "return h(v);", "return h();");
    assert_eq!(refused, [""; 0]);
    assert!(told.iter().any(|one| one.contains("does not take what this call gives")), "{told:?}");
    let own = WRITER.replace(" extends Writer", "").replace("import java.io.Writer;\n\n", "");
    assert!(!made(&own, "a/U.java", "return h(v);", "return h();").0.is_empty());
    // Types beside it are no arguments.
    is_sound(&own, "a/U.java", "return h(v);", "return h(new java.util.HashMap<String, Integer>().size());");
}

#[test]
fn an_import_of_java_that_goes_is_missed_below_interfaces_that_bring_no_types() {
    let files = "//- a/Main.java\npackage a;\n\nimport a.b.Util;\n\npublic class Main implements Runnable, HANDED {\n    public void run() {\n        Util.size(\"x\");\n    }\n}\n//- a/b/Util.java\npackage a.b;\n\npublic class Util {\n    public static int size(String s) {\n        return 1;\n    }\n}\n";
    let known = files.replace(", HANDED", "");
    assert!(!made(&known, "a/Main.java", "import a.b.Util;\n", "").0.is_empty());
    // Of what is not known any type may come.
    let (refused, told) = made(&files.replace("HANDED", "Handed"), "a/Main.java", "import a.b.Util;\n", "");
    assert_eq!(refused, [""; 0]);
    assert!(told.iter().any(|one| one.contains("Util is not imported any more")), "{told:?}");
}

#[test]
fn twenty_batches_can_be_taken_back_one_after_another() {
    let fixture = Fixture::new(m1nd_tools::surface(), "//- b.py\nx = 0\n");
    let mut made: Vec<Value> = Vec::new();
    for nth in 1..=25 {
        let edits = json!([{"file_path": "b.py", "new_content": format!("x = {nth}\n")}]);
        made.push(ok(&fixture, "apply_batch", json!({ "edits": edits }))["batch_id"].clone());
    }
    let held = || std::fs::read_to_string(fixture.root().join("b.py")).unwrap();
    for (nth, id) in made.iter().enumerate().rev().take(20) {
        ok(&fixture, "undo_batch", json!({ "batch_id": id }));
        assert_eq!(held(), format!("x = {nth}\n"));
    }
    let gone = fixture.call("undo_batch", json!({ "batch_id": made[4] }));
    assert_eq!(gone.body["error"]["code"], "unknown_target", "{}", gone.body);
    // One that was taken back already is so still, whatever was taken back after it.
    let again = ok(&fixture, "undo_batch", json!({ "batch_id": made[20] }));
    assert!(again["batch_id"].is_null(), "{again}");
    assert_eq!(held(), "x = 5\n");
}

#[test]
fn a_call_that_a_test_wants_to_fail_breaks_nothing() {
    let files = "//- lib.py\ndef encode(data=None, files=None):\n    return data\n//- tests/test_lib.py\nimport pytest\n\nfrom lib import encode\n\n\ndef test_it():\n    with pytest.raises(TypeError):\n        encode(123)\n";
    is_sound(files, "lib.py", "encode(data=None", "encode(content=None, data=None");
    let plain =
        files.replace("    with pytest.raises(TypeError):\n        encode(123)\n", "    encode(123)\n");
    assert!(!made(&plain, "lib.py", "encode(data=None", "encode(content=None, data=None").0.is_empty());
}
