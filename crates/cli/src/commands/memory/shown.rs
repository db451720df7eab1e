//! Notes, points, branches, hits and a brief as people read them.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::output::{DIM, NUMBER, PATH, harmless};

pub fn word(value: &Value) -> String {
    harmless(value.as_str().unwrap_or_default())
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Text under a heading, set in.
fn indented(out: &mut dyn Write, text: &str) -> io::Result<()> {
    harmless(text).lines().try_for_each(|line| writeln!(out, "    {line}"))
}

pub(super) fn entries(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    for entry in list(&body["entries"]) {
        let (seq, title) = (&entry["seq"], word(&entry["title"]));
        let at = format!("{} {}", word(&entry["branch"]), word(&entry["ts"]));
        writeln!(
            out,
            "{NUMBER}{seq}{NUMBER:#} {title}{}{DIM}{at}{DIM:#}",
            if title.is_empty() { "" } else { " " }
        )?;
        indented(out, entry["content"].as_str().unwrap_or_default())?;
        anchors(out, &entry["anchors"])?;
    }
    more(out, body, "notes")
}

fn anchors(out: &mut dyn Write, anchors: &Value) -> io::Result<()> {
    for anchor in list(anchors) {
        let place = [&anchor["node_id"], &anchor["path"]].into_iter().find(|place| place.is_string());
        let place = place.map(word).unwrap_or_default();
        let lines = anchor["lines"].as_str().map_or_else(String::new, |lines| format!(":{lines}"));
        writeln!(out, "    {PATH}{place}{lines}{PATH:#} {DIM}{}{DIM:#}", word(&anchor["anchor_state"]))?;
    }
    Ok(())
}

/// What to say below a list: that it is empty, or that it goes on.
pub fn more(out: &mut dyn Write, body: &Value, what: &str) -> io::Result<()> {
    if body["pagination"]["count"] == 0 {
        writeln!(out, "{DIM}no {what}{DIM:#}")?;
    } else if body["pagination"]["has_more"] == true {
        writeln!(out, "{DIM}there are more {what}; ask for more with -k, or narrow the question{DIM:#}")?;
    }
    match body["next_step_hint"].as_str() {
        Some(hint) => writeln!(out, "{DIM}{}{DIM:#}", harmless(hint)),
        None => Ok(()),
    }
}

pub(super) fn log(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    for commit in list(&body["commits"]) {
        let at = format!("{} {}", word(&commit["branch"]), word(&commit["ts"]));
        writeln!(out, "{NUMBER}{}{NUMBER:#} {} {DIM}{at}{DIM:#}", commit["seq"], word(&commit["message"]))?;
        indented(out, commit["body"].as_str().unwrap_or_default())?;
    }
    more(out, body, "points on this branch")
}

pub(super) fn branches(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    for branch in list(&body["branches"]) {
        let mark = if branch["current"] == true { "*" } else { " " };
        let base = branch["base_branch"]
            .as_str()
            .map_or_else(String::new, |base| format!(" from {} at {}", harmless(base), branch["base_seq"]));
        writeln!(out, "{mark} {}{DIM}{base}{DIM:#}", word(&branch["name"]))?;
    }
    more(out, body, "branches")
}

pub(super) fn hits(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    for hit in list(&body["hits"]) {
        let (kind, id, title) = (word(&hit["kind"]), word(&hit["id"]), word(&hit["title"]));
        let kind = if hit["valid_to"].is_number() { format!("superseded {kind}") } else { kind.to_string() };
        writeln!(
            out,
            "{DIM}{kind}{DIM:#} {NUMBER}{id}{NUMBER:#} {title} {DIM}{}{DIM:#}",
            word(&hit["branch"])
        )?;
        indented(out, hit["snippet"].as_str().unwrap_or_default())?;
    }
    more(out, body, "hits")
}

pub(super) fn brief(out: &mut dyn Write, body: &Value) -> io::Result<()> {
    let head = |out: &mut dyn Write, text: &str| writeln!(out, "{DIM}{text}{DIM:#}");
    let focus = &body["focus"];
    if focus.is_object() {
        head(out, "in focus")?;
        let target = &focus["target"];
        let held = target["claimed_by"]
            .as_str()
            .map_or_else(String::new, |by| format!(", held by {}", harmless(by)));
        writeln!(
            out,
            "  {NUMBER}{}{NUMBER:#} {} ({}{held})",
            word(&target["id"]),
            word(&target["title"]),
            word(&target["status"])
        )?;
        let last = &focus["last_note"]["text"];
        for (name, text) in [
            ("now", &focus["now"]),
            ("why", &focus["why"]),
            ("promised", &focus["contract"]),
            ("noted", last),
        ] {
            if text.is_string() {
                writeln!(out, "  {name} {}", word(text))?;
            }
        }
        for (name, items) in
            [("verify", &focus["verify"]), ("next", &focus["next"]), ("blocked by", &focus["blockers"])]
        {
            list(items).try_for_each(|item| writeln!(out, "  {name} {}", word(item)))?;
        }
    }
    if body["handoff"].is_object() {
        head(out, "hand-off")?;
        indented(out, body["handoff"]["text"].as_str().unwrap_or_default())?;
    }
    for (name, items, text) in [
        ("pinned", &body["pinned"], "text"),
        ("at work", &body["at_work"], ""),
        ("ready", &body["ready"], ""),
        ("decisions", &body["decisions"], "text"),
        ("open questions", &body["questions"], "text"),
        ("notes", &body["notes"], "text"),
    ] {
        if list(items).next().is_some() {
            head(out, name)?;
        }
        for item in list(items) {
            let status = item["status"].as_str().filter(|_| name == "at work").unwrap_or_default();
            let short = if item["truncated"] == true { "shortened" } else { "" };
            let by = item["claimed_by"].as_str().map(|by| format!("held by {}", harmless(by)));
            let about: Vec<&str> = [status, by.as_deref().unwrap_or_default(), short]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect();
            writeln!(
                out,
                "  {NUMBER}{}{NUMBER:#} {}{}{DIM}{}{DIM:#}",
                word(&item["id"]),
                word(&item["title"]),
                if about.is_empty() { "" } else { " " },
                about.join(", ")
            )?;
            indented(out, item[text].as_str().unwrap_or_default())?;
        }
    }
    for fork in list(&body["elsewhere"]) {
        let count = |what: &str| fork[what].as_u64().unwrap_or(0);
        let notes = count("handoffs") + count("pinned") + count("notes");
        let plural = if notes == 1 { "" } else { "s" };
        let partly = list(&body["partly_seen"]).any(|what| what == "elsewhere");
        let least = if partly { "at least " } else { "" };
        let branch = word(&fork["branch"]);
        writeln!(
            out,
            "{DIM}not checked out: {least}{notes} note{plural} on{DIM:#} {NUMBER}{branch}{NUMBER:#}"
        )?;
    }
    for conflict in list(&body["conflicts"]) {
        let (id, key) = (word(&conflict["conflict_id"]), word(&conflict["key"]));
        let (from, into) = (word(&conflict["from"]), word(&conflict["into"]));
        writeln!(out, "{DIM}in conflict{DIM:#} {NUMBER}{id}{NUMBER:#} {key} {DIM}{from} into {into}{DIM:#}")?;
    }
    if list(&body["stale_anchors"]).next().is_some() {
        head(out, "code that changed under it")?;
        for stale in list(&body["stale_anchors"]) {
            writeln!(out, "  {NUMBER}{}{NUMBER:#}", word(&stale["on"]))?;
            anchors(out, &json!([stale["anchor"]]))?;
        }
    }
    let left: Vec<String> = body["dropped"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, count)| count.as_u64().is_some_and(|count| count > 0))
        .map(|(what, count)| format!("{count} {}", what.replace('_', " ")))
        .collect();
    if !left.is_empty() {
        let more = if list(&body["partly_seen"]).next().is_some() { " or more" } else { "" };
        writeln!(
            out,
            "{DIM}left out: {}{more}; `show`, `search` and `m1nd tasks` have them{DIM:#}",
            left.join(", ")
        )?;
    }
    match body["next_step_hint"].as_str() {
        Some(hint) => writeln!(out, "{DIM}{}{DIM:#}", harmless(hint)),
        None => Ok(()),
    }
}
