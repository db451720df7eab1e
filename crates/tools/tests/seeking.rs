//! `seek` and `search` by meaning: from words to symbols and files, after edits too.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

const FILES: &str = "
//- src/cache.py
def evict(key):
    \"\"\"Drop one entry.\"\"\"
    store.pop(key)


def evict_all():
    store.clear()


def evict_expired(now):
    pass
//- src/http.py
def send(request):
    return request
//- tests/test_cache.py
def test_evict():
    evict(1)
";

fn workspace() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), FILES);
    assert!(!fixture.call("ingest", json!({})).is_error);
    fixture
}

fn ids(body: &Value, list: &str, field: &str) -> Vec<String> {
    body[list].as_array().unwrap().iter().map(|found| found[field].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_sentence_finds_symbols_and_no_file_fills_the_answer() {
    let body = workspace().call("seek", json!({"query": "evicting a key drops the entry"})).body;
    let found = ids(&body, "results", "node_id");
    assert_eq!(found[0], "function::src/cache.py::evict");
    assert!(found.iter().filter(|id| id.contains("src/cache.py")).count() <= 2, "{found:?}");
    assert_eq!(body["results"][0]["intent_summary"], "Drop one entry. (has key, drops, entry, evicting)");
    assert_eq!(body["next_suggested_target"], "src/cache.py:1");
    assert!(body.to_string().len() < 4_000);
}

#[test]
fn kinds_and_scopes_narrow_and_an_empty_answer_says_what_to_do() {
    let fixture = workspace();
    let tests = fixture.call("seek", json!({"query": "evict", "node_types": ["test"]})).body;
    assert_eq!(ids(&tests, "results", "node_id"), ["test::tests/test_cache.py::test_evict"]);
    let http = fixture
        .call("seek", json!({"query": "evict request", "scope": "src/http.py", "group_by": "file"}))
        .body;
    assert_eq!(ids(&http, "files", "file_path"), ["src/http.py"]);
    let common = fixture.call("seek", json!({"query": "what is the"})).body;
    assert_eq!(ids(&common, "results", "node_id"), Vec::<String>::new());
    assert!(common["next_step_hint"].as_str().unwrap().contains("stand everywhere"), "{common}");
    let none = fixture.call("seek", json!({"query": "zeppelin"})).body;
    assert_eq!((none["results"].as_array().unwrap().len(), &none["proof_state"]), (0, &json!("blocked")));
    assert!(none["next_step_hint"].as_str().unwrap().contains("search"));
    assert!(fixture.call("seek", json!({"query": "x", "node_types": ["banana"]})).is_error);
}

#[test]
fn an_empty_answer_names_the_limit_that_emptied_it() {
    let fixture = workspace();
    let hint = |arguments: Value| {
        let body = fixture.call("seek", arguments).body;
        assert_eq!(body["results"], json!([]), "{body}");
        body["next_step_hint"].as_str().unwrap().to_owned()
    };
    assert!(hint(json!({"query": "evict", "node_types": ["class"]})).contains("`node_types`"));
    assert!(hint(json!({"query": "zeppelin", "scope": "src"})).contains("`scope`"));
    // What stands only elsewhere is not answered with the company of where it stands.
    assert!(hint(json!({"query": "evict", "scope": "src/http.py"})).contains("`scope`"));
    assert!(hint(json!({"query": "send it", "min_score": 1.0})).contains("`min_score`"));
    let nowhere = hint(json!({"query": "zeppelin"}));
    assert!(!nowhere.contains("`scope`") && !nowhere.contains("`node_types`"), "{nowhere}");
}

#[test]
fn an_edit_is_found_by_the_next_question() {
    let fixture = workspace();
    std::fs::write(fixture.root().join("src/http.py"), "def retry_later(request):\n    pass\n").unwrap();
    let body = fixture.call("seek", json!({"query": "retry later"})).body;
    assert_eq!(ids(&body, "results", "node_id")[0], "function::src/http.py::retry_later");
}

#[test]
fn search_by_meaning_shows_the_lines_of_symbols() {
    let body = workspace()
        .call("search", json!({"query": "drop an entry", "mode": "semantic", "context_lines": 1}))
        .body;
    let first = &body["matches"][0];
    assert_eq!((&body["mode"], &first["line_content"]), (&json!("semantic"), &json!("def evict(key):")));
    assert_eq!(first["context_after"], json!(["    \"\"\"Drop one entry.\"\"\""]));
    assert!(first["match_score"].as_f64().unwrap() < 1.0);
}

const MESSAGES: &str = "
//- src/pool.py
LIMIT = 3


def acquire(timeout):
    if timeout < 0:
        raise ValueError(f'timeout must not be negative, got {timeout}')


def close():
    pass
//- src/http.py
def send(request, timeout):
    # The timeout of the pool is not negative.
    return request
//- tests/test_pool.py
def test_timeout():
    assert 'timeout must not be negative, got -1'
";

#[test]
fn a_quoted_message_names_the_function_that_says_it_with_its_line() {
    let fixture = Fixture::new(m1nd_tools::surface(), MESSAGES);
    assert!(!fixture.call("ingest", json!({})).is_error);
    let query = "users see \"timeout must not be negative, got -5\" on every request";
    let body = fixture.call("seek", json!({ "query": query })).body;
    let first = &body["results"][0];
    assert_eq!(first["node_id"], "function::src/pool.py::acquire", "{body}");
    assert_eq!(first["says"]["line"], 6);
    assert_eq!(body["next_suggested_target"], "src/pool.py:6");
    let files = fixture.call("seek", json!({ "query": query, "group_by": "file" })).body;
    assert_eq!(files["files"][0]["symbols"][0], "acquire:6", "{files}");
}

#[test]
fn a_message_is_found_as_a_program_prints_it() {
    let fixture = Fixture::new(m1nd_tools::surface(), MESSAGES);
    assert!(!fixture.call("ingest", json!({})).is_error);
    for query in [
        "Error: timeout must not be negative, got -5",
        "2026-03-01 10:00:00,123 ERROR [main] timeout must not be negative, got -5",
        "[pool warn]: timeout must not be negative, got -5\nexit status 1",
    ] {
        let body = fixture.call("seek", json!({ "query": query })).body;
        assert_eq!(body["results"][0]["node_id"], "function::src/pool.py::acquire", "{query} {body}");
        assert_eq!(body["results"][0]["says"]["line"], 6, "{query}");
    }
}

const PUT_TOGETHER: &str = "
//- src/make.py
def answer(value, name):
    if value is None:
        raise TypeError(
            f'The view for {name!r} did not'
            ' give a valid answer. It gave nothing'
            ' or ended without a value.'
        )
    raise TypeError(
        'The view did not give a valid answer.'
        f' It must be a text, but was {value}.'
    )


def fixture(name):
    raise ValueError(f'{name} did not yield a value')
//- src/args.go
package args

// The view for a page did not give a valid answer.
func Exact(n int, got int) error {
\treturn fmt.Errorf(\"accepts %d arg(s), received %d\", n, got)
}

func Between(low, high, got int) error {
\treturn fmt.Errorf(\"accepts between %d and %d arg(s), received %d\", low, high, got)
}
";

#[test]
fn a_message_is_found_whole_whatever_lines_and_values_it_has() {
    let fixture = Fixture::new(m1nd_tools::surface(), PUT_TOGETHER);
    assert!(!fixture.call("ingest", json!({})).is_error);
    for (query, name, line) in [
        (
            "TypeError: The view for 'index' did not give a valid answer. It gave nothing or ended without a value.",
            "answer",
            4,
        ),
        ("The view did not give a valid answer. It must be a text, but was 5.", "answer", 9),
        ("db did not yield a value", "fixture", 15),
        ("accepts 2 arg(s), received 3", "Exact", 5),
        ("accepts between 1 and 2 arg(s), received 3", "Between", 9),
    ] {
        let body = fixture.call("seek", json!({ "query": query })).body;
        let results = body["results"].as_array().unwrap();
        assert_eq!(
            (&results[0]["label"], &results[0]["says"]["line"]),
            (&json!(name), &json!(line)),
            "{query} {body}"
        );
        assert_eq!(results[0]["score"], 1.0, "{query} {body}");
        let certain = results.iter().filter(|one| one["score"] == 1.0 || one["says"].is_object());
        assert_eq!(certain.count(), 1, "what is only alike is not certain: {query} {body}");
    }
}

const REPORTED: &str = "
//- src/cookies.py
def cookie_path(app):
    \"\"\"The path of the session cookie.\"\"\"
    return app.path
//- src/app.py
class App:
    def example(self):
        # from web import App, the usual way
        text = 'from web import App'
        return text

    def version(self):
        return 'version of the program: 1.20'
//- src/flags.py
def join(names):
    return 'must be set ' + ' '.join(names)


def check(missing):
    raise ValueError(f'if any options of a set are given all must be given, not without {missing}')
//- tests/test_flags.py
def test_group():
    assert 'if any flags of the group are set they must all be set'


def test_options():
    assert 'if any options of a set are given all must be given, not without size'
";

#[test]
fn what_people_paste_below_a_report_is_not_taken_for_what_a_program_says() {
    let fixture = Fixture::new(m1nd_tools::surface(), REPORTED);
    assert!(!fixture.call("ingest", json!({})).is_error);
    let title = "The path of the cookie is wrong in sessions";
    for below in [
        "```python\nfrom web import App\napp = App()\n```",
        "    from web import App",
        "- version of the program: 1.20",
        "  File \"app.py\", line 3, in main",
    ] {
        let query = format!("{title}\n\n{below}");
        for (arguments, list, field, first) in [
            (json!({ "query": query }), "results", "node_id", "function::src/cookies.py::cookie_path"),
            (json!({ "query": query, "group_by": "file" }), "files", "file_path", "src/cookies.py"),
        ] {
            let body = fixture.call("seek", arguments).body;
            assert_eq!(ids(&body, list, field)[0], first, "{below} {body}");
        }
    }
}

#[test]
fn a_test_that_repeats_a_message_does_not_stand_before_what_the_question_finds() {
    let fixture = Fixture::new(m1nd_tools::surface(), REPORTED);
    assert!(!fixture.call("ingest", json!({})).is_error);
    let query = "if any flags of the group are set they must all be set";
    let body = fixture.call("seek", json!({ "query": query })).body;
    let found = ids(&body, "results", "node_id");
    assert_eq!(found[0], "function::src/flags.py::join", "{body}");
    assert!(found.iter().any(|id| id == "test::tests/test_flags.py::test_group"), "{body}");
    let filled = "if any options of a set are given all must be given, not without size";
    let body = fixture.call("seek", json!({ "query": filled })).body;
    assert_eq!(body["results"][0]["says"]["line"], 6, "the product before a test that has the value {body}");
    let wanted = fixture.call("seek", json!({ "query": query, "scope": "tests" })).body;
    assert_eq!(ids(&wanted, "results", "node_id")[0], "test::tests/test_flags.py::test_group");
}

#[test]
fn a_log_below_a_question_does_not_drown_it() {
    let fixture = workspace();
    let question = "evicting a key drops the entry";
    let log = "2026-03-01 10:00:00 INFO send request of the client, request sent\n".repeat(30);
    let more: String =
        (0..30).map(|n| format!("[info] request {n} was sent by send, sending request {n}\n")).collect();
    let alone = fixture.call("seek", json!({ "query": question })).body;
    let report = format!("{question}\n```\n{log}{more}```");
    let body = fixture.call("seek", json!({ "query": report })).body;
    assert_eq!(ids(&body, "results", "node_id"), ids(&alone, "results", "node_id"));
}

#[test]
fn a_misspelled_word_is_read_as_the_nearest_and_says_so() {
    let fixture = Fixture::new(m1nd_tools::surface(), MESSAGES);
    assert!(!fixture.call("ingest", json!({})).is_error);
    for arguments in
        [json!({"query": "aquire timeuot"}), json!({"query": "aquire timeuot", "group_by": "file"})]
    {
        let body = fixture.call("seek", arguments).body;
        assert_eq!(
            body["read_as"],
            json!(["read \"aquire\" as \"acquire\"", "read \"timeuot\" as \"timeout\""])
        );
        assert!(body.to_string().contains("src/pool.py"), "{body}");
    }
    let body = fixture.call("search", json!({"query": "aquire", "mode": "semantic"})).body;
    assert_eq!(body["read_as"], json!(["read \"aquire\" as \"acquire\""]));
    assert_eq!(fixture.call("seek", json!({"query": "acquire"})).body.get("read_as"), None);
}

/// Thirty functions with long names, so that no default budget holds all of them.
fn crowd() -> Fixture {
    let files = (0..30).map(|nth| {
        format!("//- src/very/long/folder/names/handler_of_events_{nth}.py\ndef handle_event_of_kind_{nth}(event):\n    \"\"\"Handles events of this kind, one after the other.\"\"\"\n    return event\n")
    });
    let fixture = Fixture::new(m1nd_tools::surface(), &files.collect::<String>());
    assert!(!fixture.call("ingest", json!({})).is_error);
    fixture
}

#[test]
fn what_the_budget_cuts_is_said_with_how_to_get_it() {
    let fixture = crowd();
    let query = json!({"query": "handle an event", "top_k": 30});
    let body = fixture.call("seek", query).body;
    let shown = body["results"].as_array().unwrap().len();
    assert!((10..30).contains(&shown) && body.to_string().len() <= 4_000, "{shown}");
    assert_eq!(body["truncated"], true);
    let hint = body["next_step_hint"].as_str().unwrap();
    let more: usize = hint.split_once("`max_chars: ").unwrap().1.split('`').next().unwrap().parse().unwrap();
    let all = fixture.call("seek", json!({"query": "handle an event", "top_k": 30, "max_chars": more})).body;
    assert_eq!((all["results"].as_array().unwrap().len(), &all["truncated"]), (30, &json!(false)));
}

#[test]
fn results_beyond_those_asked_for_are_said_to_be_missing() {
    let fixture = crowd();
    let is_cut = |tool: &str, arguments: Value| fixture.call(tool, arguments).body["truncated"].clone();
    for (top_k, missing) in [(3, true), (29, true), (30, false)] {
        let asked = json!({"query": "handle an event", "top_k": top_k, "max_chars": 40_000});
        assert_eq!(is_cut("seek", asked.clone()), missing, "{top_k}");
        let mut by_file = asked;
        by_file["group_by"] = json!("file");
        assert_eq!(is_cut("seek", by_file), missing, "{top_k} files");
    }
    let classes = json!({"query": "handle an event", "top_k": 3, "node_types": ["class"]});
    assert_eq!(is_cut("seek", classes), false, "there are none");
    let start = "handle_event_of_kind_3";
    let all = fixture.call("resonate", json!({"node_id": start, "top_k": 100, "max_chars": 40_000})).body;
    let total = all["resonant"].as_array().unwrap().len();
    assert!(total > 1 && all["truncated"] == false, "{all}");
    assert_eq!(is_cut("resonate", json!({"node_id": start, "top_k": total - 1})), true);
    // Words that give way to the budget are no results: who asked for ten gets ten, and no advice to ask for more room.
    let ten = fixture.call("seek", json!({"query": "handle an event", "group_by": "file", "top_k": 10})).body;
    assert_eq!((&ten["truncated"], ten.get("next_step_hint")), (&json!(true), None), "{ten}");
}

#[test]
fn documents_below_a_scope_are_shown_although_they_are_not_ranked() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- src/web.py\ndef redirect(to):\n    return to\n//- docs/guide.md\n# Guide\n\nA redirect is followed.\n//- docs/faq.md\nNothing.\n",
    );
    assert!(!fixture.call("ingest", json!({})).is_error);
    let found = fixture.call("seek", json!({"query": "redirect", "scope": "docs"})).body;
    assert_eq!(found["results"], json!([]), "{found}");
    assert_eq!(
        (&found["elsewhere"][0]["file_path"], &found["elsewhere"][0]["line"]),
        (&json!("docs/guide.md"), &json!(3)),
        "{found}"
    );
    assert_eq!(found["next_suggested_target"], "docs/guide.md:3", "{found}");
    let hint = found["next_step_hint"].as_str().unwrap();
    assert!(hint.contains("not ranked") && hint.contains("`search`"), "{hint}");
    let none = fixture.call("seek", json!({"query": "zeppelin", "scope": "docs"})).body;
    let hint = none["next_step_hint"].as_str().unwrap();
    assert!(hint.contains("only code is ranked") && hint.contains("`search`"), "{hint}");
    let code = fixture.call("seek", json!({"query": "redirect"})).body;
    assert_eq!(code.get("elsewhere"), None, "where code answers, documents do not: {code}");
}

#[test]
fn ten_files_fit_two_kilobytes_however_long_their_paths() {
    let body =
        crowd().call("seek", json!({"query": "handle an event", "group_by": "file", "top_k": 10})).body;
    assert_eq!(body["files"].as_array().unwrap().len(), 10);
    assert!(body.to_string().len() <= 2_000, "{}", body.to_string().len());
}

#[test]
fn search_by_meaning_counts_all_that_fits_and_stays_small() {
    let fixture = crowd();
    let body =
        fixture.call("search", json!({"query": "handle an event", "mode": "semantic", "top_k": 5})).body;
    assert_eq!((body["matches"].as_array().unwrap().len(), &body["truncated"]), (5, &json!(true)));
    assert_eq!((&body["total_matches"], &body["files_matched"]), (&json!(30), &json!(30)), "{body}");
    let body = fixture.call("search", json!({"query": "handle an event", "mode": "semantic"})).body;
    assert!(body.to_string().len() <= 5_000 && body["truncated"] == true, "{body}");
}

#[test]
fn a_pasted_trace_finds_where_it_ended_and_not_what_called_it() {
    let fixture = Fixture::new(m1nd_tools::surface(), MESSAGES);
    assert!(!fixture.call("ingest", json!({})).is_error);
    let trace = "Traceback (most recent call last):\n  File \"src/http.py\", line 3, in send\n    return request\n  File \"src/pool.py\", line 6, in acquire\n    raise ValueError\nValueError: request of send was sent by a request\n";
    let body = fixture.call("seek", json!({ "query": trace })).body;
    assert_eq!(body["results"][0]["node_id"], "function::src/pool.py::acquire", "{body}");
    assert_eq!(body["next_suggested_tool"], "trace");
    let files = fixture.call("seek", json!({ "query": trace, "group_by": "file" })).body;
    assert_eq!(files["files"][0]["file_path"], "src/pool.py", "{files}");
}

/// Code, and files beside it that are no code.
const MIXED: &str = "
//- pyproject.toml
[tool.zebra]
stripes = 7
//- GUIDE.md
# Guide

Do the quokka handshake before you tabulate.
//- Makefile
frobnicate:
\techo ok
//- pkg/spiderloader.py
def find():
    return 1
//- pkg/core/edit.py
def bug(spiderloader):
    \"\"\"A bug in the retry logic of spiderloader, spiderloader again.\"\"\"
    return spiderloader
//- pkg/core/retry.py
def retry_logic(bug):
    return tabular(bug)
";

fn mixed() -> Fixture {
    let fixture = Fixture::new(m1nd_tools::surface(), MIXED);
    assert!(!fixture.call("ingest", json!({})).is_error);
    fixture
}

#[test]
fn a_file_that_the_question_names_comes_first() {
    let fixture = mixed();
    for query in [
        "pkg/spiderloader.py",
        "the retry logic in `pkg/spiderloader.py:2` is wrong",
        "bug in spiderloader.py",
    ] {
        let body = fixture.call("seek", json!({"query": query, "group_by": "file"})).body;
        assert_eq!(ids(&body, "files", "file_path")[0], "pkg/spiderloader.py", "{query}: {body}");
        let body = fixture.call("seek", json!({ "query": query })).body;
        assert_eq!(ids(&body, "results", "file_path")[0], "pkg/spiderloader.py", "{query}: {body}");
    }
    for query in ["pyproject.toml", "GUIDE.md", "what does the Makefile do"] {
        let body = fixture.call("seek", json!({"query": query, "group_by": "file"})).body;
        assert!(query.contains(&ids(&body, "files", "file_path")[0]), "{query}: {body}");
    }
    let scoped =
        fixture.call("seek", json!({"query": "bug in pkg/spiderloader.py", "scope": "pkg/core"})).body;
    assert!(ids(&scoped, "results", "file_path").iter().all(|path| path.starts_with("pkg/core")), "{scoped}");
}

#[test]
fn words_that_only_other_files_have_are_found_there_and_are_no_mistakes() {
    let fixture = mixed();
    for (query, path, line) in [
        ("zebra stripes", "pyproject.toml", 1),
        ("quokka handshake", "GUIDE.md", 3),
        ("tabulate", "GUIDE.md", 3),
    ] {
        for tool in [json!({"query": query}), json!({"query": query, "mode": "semantic"})] {
            let name = if tool.get("mode").is_some() { "search" } else { "seek" };
            let body = fixture.call(name, tool).body;
            assert_eq!(body["elsewhere"][0]["file_path"], path, "{body}");
            assert_eq!(body["elsewhere"][0]["line"], line, "{body}");
            assert_eq!(body.get("read_as"), None, "{body}");
            assert_eq!(body["next_suggested_target"], format!("{path}:{line}"), "{body}");
        }
    }
    let none = fixture.call("seek", json!({"query": "zeppelin"})).body;
    assert_eq!(none["rests_on"]["files_indexed"], 3, "{none}");
    assert_eq!(none["rests_on"]["files_unsupported"], 3, "{none}");
    let code = fixture.call("seek", json!({"query": "retry logic"})).body;
    assert_eq!((code.get("elsewhere"), code.get("rests_on")), (None, None), "{code}");
}

#[test]
fn kinds_narrow_files_too() {
    let fixture = workspace();
    let files = |kinds: Value| {
        let asked = json!({"query": "evict", "group_by": "file", "node_types": kinds});
        ids(&fixture.call("seek", asked).body, "files", "file_path")
    };
    assert_eq!(files(json!(["test"])), ["tests/test_cache.py"]);
    assert_eq!(files(json!(["claim"])), [""; 0]);
}

#[test]
fn a_long_question_is_not_said_back() {
    let fixture = workspace();
    let long = "zqxjk ".repeat(2_000);
    for (tool, most) in [("seek", 500), ("activate", 1_000), ("resonate", 1_000), ("missing", 1_000)] {
        let body = fixture.call(tool, json!({"query": long, "max_chars": most})).body;
        assert!(body.to_string().len() <= most, "{tool}: {}", body.to_string().len());
    }
    for asked in [json!({"source": long, "target": "evict"}), json!({"source": "evict", "target": long})] {
        let body = fixture.call("why", asked).body;
        assert!(body["error"].is_object() && body.to_string().len() < 4_000, "{}", body.to_string().len());
    }
    let asked = "evicting a key drops the entry ".repeat(300);
    let body = fixture.call("search", json!({"query": asked, "mode": "semantic"})).body;
    assert!(!body["matches"].as_array().unwrap().is_empty(), "{body}");
}

#[test]
fn a_script_without_spaces_is_found_by_its_parts() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.py\ndef 計算する(x):\n    \"\"\"合計を計算する\"\"\"\n    return x\n//- b.py\ndef other():\n    return 2\n",
    );
    assert!(!fixture.call("ingest", json!({})).is_error);
    for query in ["計算", "合計", "合計を計算"] {
        let body = fixture.call("seek", json!({"query": query, "group_by": "file"})).body;
        assert_eq!(ids(&body, "files", "file_path")[0], "a.py", "{query}: {body}");
    }
}

#[test]
fn activation_fits_every_budget() {
    let fixture = crowd();
    for max_chars in (600..3_000).step_by(17) {
        let asked = json!({"query": "handle event of kind", "learn": false, "max_chars": max_chars});
        let reply = fixture.call("activate", asked);
        assert!(!reply.is_error && reply.text().len() <= max_chars, "{max_chars}: {}", reply.text());
    }
}
