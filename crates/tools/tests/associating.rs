//! What activate, why and learn promise, through the real pipeline.

#![allow(clippy::unwrap_used)]

use m1nd_testkit::Fixture;
use serde_json::{Value, json};

/// Twenty topics, each a file with a function that says so, and one chain of calls.
fn topics() -> Fixture {
    let topics = [
        "cache", "socket", "header", "cookie", "proxy", "timeout", "redirect", "upload", "parser", "logger",
        "queue", "worker", "token", "cipher", "locale", "theme", "cursor", "canvas", "widget", "filter",
    ];
    let mut text = String::new();
    for topic in topics {
        text.push_str(&format!(
            "//- src/{topic}.rs\n/// Opens the {topic}.\npub fn open_{topic}() {{ close_{topic}(); }}\n/// Closes the {topic}.\npub fn close_{topic}() {{}}\n"
        ));
    }
    text.push_str(
        "//- src/main.rs\nmod cache;\nmod socket;\nfn main() { serve(); }\nfn serve() { dispatch(); }\nfn dispatch() { cache::open_cache(); }\n",
    );
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

fn ids(body: &Value, list: &str) -> Vec<String> {
    body[list].as_array().unwrap().iter().map(|one| one["node_id"].as_str().unwrap().to_owned()).collect()
}

fn ask(fixture: &Fixture, tool: &str, query: &str) -> Vec<String> {
    let reply = fixture.call(tool, json!({"query": query, "top_k": 10}));
    assert!(!reply.is_error, "{}", reply.text());
    ids(&reply.body, if tool == "seek" { "results" } else { "activated" })
}

#[test]
fn activation_reaches_what_the_name_uses_and_asking_again_gives_the_same() {
    let fixture = topics();
    let query = json!({"query": "dispatch", "learn": false});
    let first = fixture.call("activate", query.clone());
    let found = ids(&first.body, "activated");
    assert_eq!(found[0], "function::src/main.rs::dispatch");
    assert!(found.contains(&"function::src/cache.rs::open_cache".to_owned()), "{found:?}");
    assert_eq!(first.body["seeds"][0]["matched"], "exact");
    let timeless = |mut body: Value| {
        for field in ["elapsed_ms", "freshness"] {
            body.as_object_mut().unwrap().remove(field);
        }
        body.to_string()
    };
    assert!(first.body.get("plasticity").is_none());
    let again = timeless(fixture.call("activate", query.clone()).body);
    assert_eq!(timeless(first.body), again);
    // Questions that let edges grow do not move it either.
    for _ in 0..8 {
        fixture.call("activate", json!({"query": "serve"}));
        fixture.call("activate", json!({"query": "open cache"}));
    }
    assert_eq!(timeless(fixture.call("activate", query).body), again);
}

#[test]
fn words_that_nothing_is_called_point_to_seek() {
    let reply = topics().call("activate", json!({"query": "zzyzx"}));
    assert_eq!(reply.body["activated"], json!([]));
    assert_eq!(reply.body["next_suggested_tool"], "seek");
}

#[test]
fn comparing_where_there_is_nothing_to_compare_says_so() {
    let none = topics().call("twins", json!({"min_lines": 500})).body;
    assert_eq!((&none["groups"], &none["functions_compared"]), (&json!([]), &json!(0)));
    assert!(none["next_step_hint"].as_str().unwrap().contains("nothing there to compare"), "{none}");
}

#[test]
fn why_shows_the_chain_with_where_each_step_is_written() {
    let reply = topics().call("why", json!({"source": "main", "target": "open_cache"}));
    let steps = reply.body["paths"][0]["steps"].as_array().unwrap();
    let relations: Vec<&str> = steps.iter().map(|step| step["relation"].as_str().unwrap()).collect();
    assert_eq!(relations, ["calls", "calls", "calls"], "{}", reply.text());
    assert_eq!(steps[0]["at"], "src/main.rs:3");
    let none = topics().call("why", json!({"source": "main", "target": "open_theme", "max_hops": 3}));
    assert_eq!(none.body["paths"], json!([]));
    assert_eq!(none.body["proof_state"], "blocked");
}

#[test]
fn three_confirmations_bring_an_answer_to_the_top_for_the_question_and_a_paraphrase_and_move_nothing_else() {
    let fixture = topics();
    let (query, paraphrase) = ("where do we open the socket connection", "open a connection of the socket");
    let meant = "function::src/proxy.rs::close_proxy";
    let others =
        ["header", "cookie", "timeout", "redirect", "upload", "parser", "logger", "queue", "worker", "token"];
    let others: Vec<String> =
        others.iter().flat_map(|topic| [format!("close {topic}"), format!("opening {topic}")]).collect();
    let unrelated = |tool: &str| others.iter().map(|query| ask(&fixture, tool, query)).collect::<Vec<_>>();
    for tool in ["seek", "activate"] {
        assert!(!ask(&fixture, tool, query).iter().take(3).any(|id| id == meant), "{tool}");
    }
    let before = ["seek", "activate"].map(unrelated);
    for _ in 0..3 {
        let reply =
            fixture.call("learn", json!({"query": query, "feedback": "correct", "node_ids": [meant]}));
        assert_eq!(reply.body["nodes_affected"], 1, "{}", reply.text());
    }
    for tool in ["seek", "activate"] {
        for query in [query, paraphrase] {
            let found = ask(&fixture, tool, query);
            assert!(found.iter().take(3).any(|id| id == meant), "{tool} {query}: {found:?}");
        }
    }
    let files = fixture.call("seek", json!({"query": query, "group_by": "file"}));
    assert_eq!(files.body["files"][0]["file_path"], "src/proxy.rs", "{}", files.text());
    assert_eq!(["seek", "activate"].map(unrelated), before);
}

/// A client whose parts share words, as real ones do.
fn client() -> Fixture {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        r#"
//- jar.py
def keep_between_requests(jar):
    """Keeps the cookies that were sent between two requests."""
    return jar

def clear_domain(jar, domain):
    """Clears all that was set by a domain."""
    return domain
//- client.py
def set_on_client(client, value):
    """The setter of the client."""
    return value
//- pool.py
def hold_connections(pool):
    """Persisted connections are used again."""
    return pool
//- proxies.py
def environment_proxies():
    """Reads variables of the environment."""
    return {}
//- urls.py
def join(base, path):
    """Joins a path to a base."""
    return path
"#,
    );
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    fixture
}

#[test]
fn one_word_of_a_question_is_another_question() {
    let fixture = client();
    let learned = "cookies are not persisted between requests";
    let paraphrase = "cookies do not persist from one request to the next";
    let others =
        ["persisted connections", "clear cookies of a domain", "cookies setter of the client", "cookies"];
    let meant = "function::proxies.py::environment_proxies";
    let all = || ["seek", "activate"].map(|tool| others.map(|query| ask(&fixture, tool, query)));
    let before = all();
    assert!(!ask(&fixture, "seek", learned).iter().take(3).any(|id| id == meant));
    for _ in 0..3 {
        fixture.call("learn", json!({"query": learned, "feedback": "correct", "node_ids": [meant]}));
    }
    for query in [learned, paraphrase] {
        let found = ask(&fixture, "seek", query);
        assert!(found.iter().take(3).any(|id| id == meant), "{query}: {found:?}");
    }
    assert_eq!(all(), before);
}

#[test]
fn what_was_called_wrong_sinks() {
    let fixture = topics();
    let query = "open the socket";
    let first = ask(&fixture, "seek", query)[0].clone();
    for _ in 0..3 {
        fixture.call("learn", json!({"query": query, "feedback": "wrong", "node_ids": [first]}));
    }
    assert_ne!(ask(&fixture, "seek", query)[0], first);
    assert_ne!(ask(&fixture, "activate", query)[0], first);
}

#[test]
fn feedback_on_nothing_or_on_what_is_not_there_is_refused() {
    let fixture = topics();
    let refused = |arguments: Value| fixture.call("learn", arguments).body["error"]["code"].clone();
    assert_eq!(refused(json!({"query": "open", "feedback": "correct", "node_ids": []})), "invalid_params");
    assert_eq!(
        refused(json!({"query": "open", "feedback": "wrong", "node_ids": ["nobody"]})),
        "node_not_found"
    );
    assert_eq!(
        refused(json!({"query": "open", "feedback": "wrong", "node_ids": ["main"], "strength": 2})),
        "invalid_params"
    );
    let words = json!({"query": "the of", "feedback": "correct", "node_ids": ["main"]});
    assert_eq!(refused(words), "invalid_params", "there is no word to learn from");
}

#[test]
fn a_warmup_lifts_answers_about_the_task_for_its_agent_and_nothing_else() {
    let fixture = topics();
    let task = "the proxy forwards to an upstream, close the proxy when the timeout ends";
    let about = "close the proxy";
    let others = ["open the header", "cookie", "redirect", "upload parser", "main"];
    let all =
        |tool: &str| -> Vec<Vec<String>> { others.iter().map(|query| ask(&fixture, tool, query)).collect() };
    let score = |agent: &str| {
        let found = fixture.call("seek", json!({"agent_id": agent, "query": about, "top_k": 10}));
        let results = found.body["results"].as_array().unwrap().clone();
        let of =
            |id: &str| results.iter().find(|one| one["node_id"] == id).unwrap()["score"].as_f64().unwrap();
        of("function::src/proxy.rs::close_proxy") / of("function::src/proxy.rs::open_proxy")
    };
    let (before, ratio) = (["seek", "activate"].map(all), score("tester"));
    let primed = fixture.call("warmup", json!({"task_description": task, "boost_strength": 0.5}));
    assert!(!primed.is_error, "{}", primed.text());
    assert!(primed.text().contains("close_proxy"), "{}", primed.text());
    assert_ne!(score("tester"), ratio);
    assert_eq!(score("somebody-else"), ratio);
    assert_eq!(["seek", "activate"].map(all), before);
    let back = fixture.call("warmup", json!({"task_description": task, "boost_strength": 0}));
    assert_eq!((&back.body["primed"], &back.body["proof_state"]), (&json!([]), &json!("triaging")));
    assert_eq!(score("tester"), ratio);
}

#[test]
fn copies_under_other_names_are_twins_and_what_siblings_have_is_missed() {
    let body = |name: &str, a: &str, b: &str| {
        format!(
            "pub fn {name}({a}: &[u32]) -> u32 {{\n    check();\n    let mut {b} = 0;\n    for one in {a} {{\n        if *one > 3 {{\n            {b} += one * 2;\n        }} else {{\n            {b} -= 1;\n        }}\n    }}\n    {b}\n}}\n"
        )
    };
    let text = format!(
        "//- src/lib.rs\nfn check() {{}}\n{}{}{}pub fn bare(x: &[u32]) -> u32 {{\n    x.len() as u32\n}}\n",
        body("price", "items", "sum"),
        body("weigh", "boxes", "all"),
        body("count", "things", "n")
    );
    let fixture = Fixture::new(m1nd_tools::surface(), &text);
    assert_eq!(fixture.call("ingest", json!({})).body["state"], "done");
    let twins = fixture.call("twins", json!({}));
    let group = &twins.body["groups"][0];
    assert_eq!(
        (&group["similarity"], group["members"].as_array().map(Vec::len)),
        (&json!(1.0), Some(3)),
        "{}",
        twins.text()
    );
    let of_one = fixture.call("fingerprint", json!({"node_id": "weigh"}));
    assert_eq!(of_one.body["total"], 1, "{}", of_one.text());
    let missing = fixture.call("missing", json!({"query": "price weigh count bare"}));
    let hole = &missing.body["structural_holes"][0];
    assert_eq!(hole["node_id"], "function::src/lib.rs::bare", "{}", missing.text());
    assert_eq!(
        (&hole["lacks"], &hole["have"], &hole["of"]),
        (&json!("function::src/lib.rs::check"), &json!(3), &json!(5))
    );
}

#[test]
fn a_call_of_a_method_leads_to_what_overrides_it() {
    let fixture = Fixture::new(
        m1nd_tools::surface(),
        "//- a.py
class Base:
    def save(self):
        raise NotImplementedError


class Cookie(Base):
    def save(self):
        return 1


def finish(saver: Base):
    saver.save()


def handle(saver: Base):
    finish(saver)
",
    );
    assert!(!fixture.call("ingest", json!({})).is_error);
    let ask = |source: &str, target: &str| {
        let body = fixture.call("why", json!({"source": source, "target": target})).body;
        let first = &body["paths"][0];
        let steps = first["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step["relation"].as_str().unwrap().to_owned());
        (first["tie"].as_str().unwrap().to_owned(), steps.collect::<Vec<_>>())
    };
    assert_eq!(
        ask("handle", "Cookie.save"),
        ("leads".into(), ["calls", "calls", "may run"].map(String::from).to_vec())
    );
    let back = ["may run for", "called by", "called by"].map(String::from).to_vec();
    assert_eq!(ask("Cookie.save", "handle"), ("leads".into(), back));
    assert_eq!(ask("Base.save", "Cookie.save"), ("leads".into(), vec!["may run".to_owned()]));
}
