//! Values: functions that take other things since a change and are passed on without being called: whoever calls them there is not
//! known, and gives what they took.

use m1nd_risk::plan::Severity;
use m1nd_risk::signature::{self, Fit, fit};

use super::held::Held;
use super::lines::{Lines, places};
use super::removed::{is_import, is_quoted};
use super::signatures::{Shape, Told, untouched};

/// What is told of a callable whose parameters changed, where lines pass it on that the change left alone.
pub(super) fn passed_on(shape: &Shape<'_>, held: &mut Held<'_>) -> Option<Told> {
    let [was, is] = shape.signatures();
    let is_property = shape.heads.iter().any(|head| head.is_property);
    if fit(shape.language, shape.name, &was, &is) != Fit::Broken
        || is_property
        || takes_less(shape, &was, &is)
    {
        return None;
    }
    let mut lines = Lines::new();
    for &(is_test, path, line) in shape.uses.iter().filter(|site| !shape.sites.contains(site)) {
        if is_value(&held.line(path, line), shape.name) {
            lines.insert((is_test, path, line));
        }
    }
    let it = if lines.len() == 1 { "passes" } else { "pass" };
    (!lines.is_empty()).then(|| Told {
        severity: Severity::Medium,
        what: format!(
            "parameters changed, and {} {it} it on as a value: whether who calls it there gives what it takes is not known",
            untouched(lines.len())
        ),
        places: places(&lines),
    })
}

/// Whether a function of a script only leaves out what it was given last: who gives more is not heard.
fn takes_less(shape: &Shape<'_>, was: &str, is: &str) -> bool {
    let is_script = matches!(shape.language, "typescript" | "tsx" | "javascript");
    let least = |text: &str| signature::least(shape.language, text, shape.name);
    let fewer = least(is).zip(signature::count(was, shape.name)).is_some_and(|(least, count)| least <= count);
    is_script && fewer && signature::is_beginning(shape.language, shape.name, is, was)
}

/// Whether a line says a name as a value: neither called, nor brought in or handed on, nor given something.
fn is_value(line: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = line.trim_start();
    let is_way = is_import(line)
        || start.starts_with("export ")
        || start.starts_with("pub use ")
        || line.contains("exports");
    let is_other = start.starts_with(['@', '#', '*']) || start.starts_with("//");
    let is_said = |(at, found): (usize, &str)| {
        let (before, after) = (&line[..at], &line[at + found.len()..]);
        let is_word = !before.ends_with(is_letter) && !after.starts_with(is_letter);
        let after = after.trim_start();
        let is_called = after.starts_with(['(', '.', ':', '<', '[', '!']) || after.starts_with("?.");
        let is_given = after.starts_with('=') && !after.starts_with("==");
        is_word && !is_quoted(before) && !is_called && !is_given
    };
    !is_way && !is_other && line.match_indices(name).any(is_said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_value_where_nobody_calls_it() {
        for line in [
            "app.register(run)",
            "    \"run\": run,",
            "items.map(run).collect()",
            "button.on = self.run",
            "http.HandleFunc(\"/\", run)",
            "list.forEach(App::run);",
        ] {
            assert!(is_value(line, "run"), "{line}");
        }
        for line in [
            "run(1)",
            "from a import run",
            "export { run }",
            "use a::run;",
            "@run",
            "# run",
            "x = \"run\"",
            "run = 1",
            "run.delay(1)",
            "running",
            "f(run=1)",
            "{ run: 1 }",
        ] {
            assert!(!is_value(line, "run"), "{line}");
        }
    }
}
