//! Valued: calls of values, as of a parameter or of an element of a list: no name says what they run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use m1nd_vfs::read::decode;

use crate::facts::{By, Expr, ExprIx, FileFacts, Name, Scope};
use crate::languages;

/// Longer parses are given up.
const PARSE_LIMIT: Duration = Duration::from_secs(1);

/// Lines on which a text calls a value; nothing for a file that is in no language that is read.
pub fn lines(path: &str, bytes: &[u8]) -> Option<Vec<u32>> {
    let (text, _) = decode(bytes)?;
    let language = languages::of_path(path)?;
    let extract = || (language.extract)(path, text.as_bytes(), PARSE_LIMIT);
    let facts = catch_unwind(AssertUnwindSafe(extract)).ok()?.ok()?;
    let is_valued = |what: ExprIx, scope: Scope| match facts.inside.expr(what) {
        Expr::Call { callee, types, .. } => {
            // Methods of Go take no types: `c.steps[c.at](c)` is read as if `c.at` were one.
            let is_element =
                language.name == "go" && !types.is_empty() && begins_held(&facts, *callee, scope);
            is_element || is_value(&facts, *callee, scope)
        }
        _ => false,
    };
    let calls = facts.inside.calls.iter().filter(|site| is_valued(site.what, site.scope));
    Some(calls.map(|site| site.line).collect())
}

/// Whether what is called is taken out of something, or handed out by a call, or held under a name of the function around.
fn is_value(facts: &FileFacts, callee: ExprIx, scope: Scope) -> bool {
    match facts.inside.expr(callee) {
        Expr::Index { .. } | Expr::Call { .. } => true,
        Expr::Name { name, .. } => held(facts, *name, scope),
        // What stands in brackets may be a type; what is held is none.
        Expr::Out { of, by: By::New } => begins_held(facts, *of, scope),
        _ => false,
    }
}

/// Whether a chain of members begins with the current object, or with what is held.
fn begins_held(facts: &FileFacts, of: ExprIx, scope: Scope) -> bool {
    match facts.inside.expr(of) {
        Expr::Name { name, .. } => held(facts, *name, scope),
        Expr::Field { base, .. } => begins_held(facts, *base, scope),
        Expr::This { .. } => true,
        _ => false,
    }
}

/// Whether a function around, or one around that, gives a name a value that is no function written there.
fn held(facts: &FileFacts, name: Name, scope: Scope) -> bool {
    let is_written = |value: Option<ExprIx>| {
        let value = value.map(|value| facts.inside.expr(value));
        matches!(value, Some(Expr::Closure { .. } | Expr::Def(_) | Expr::Import(_)))
    };
    let mut scope = scope;
    while let Some(around) = scope {
        let def = facts.def(around);
        if def.params.iter().any(|param| param.name == name) {
            return true;
        }
        let bindings = facts.bindings.iter().chain(&facts.inside.bindings);
        let own: Vec<_> = bindings.filter(|one| one.owner == scope && one.name == name).collect();
        if !own.is_empty() {
            return own.iter().any(|one| !is_written(one.value));
        }
        scope = def.parent;
    }
    false
}

#[cfg(all(test, feature = "lang-go", feature = "lang-python"))]
mod tests {
    use super::*;

    #[test]
    fn calls_of_elements_parameters_and_results_are_calls_of_values() {
        let go = "package m\n\nfunc (c *Context) Next() {\n\tc.handlers[c.index](c)\n\tc.Abort()\n\tmake[int](c)\n\tpkg.Make[int](c)\n}\n\nfunc Run(f func()) {\n\tf()\n\tother()\n\tget()()\n}\n";
        assert_eq!(lines("a.go", go.as_bytes()), Some(vec![4, 11, 13]));
        let python = "def helper():\n    pass\n\n\ndef run(hook, table):\n    hook()\n    helper()\n    table['x'](1)\n    own = lambda: 1\n    own()\n";
        assert_eq!(lines("a.py", python.as_bytes()), Some(vec![6, 8]));
        assert_eq!(lines("a.txt", b"f()"), None);
    }
}
