//! Fitting: which calls of something that is declared otherwise have to be looked at.

use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::revision::Changed;
use m1nd_risk::signature::{self, Fit, Taken, fit, keeps, shifts, takes};

use super::dangling::is_constructor;

/// Both declarations of a callable that is there before and after an edit.
pub(super) struct Fitting<'c> {
    language: &'c str,
    name: &'c str,
    /// The type that it makes, by whose name it is called.
    class: Option<&'c str>,
    was: &'c str,
    is: &'c str,
}

impl<'c> Fitting<'c> {
    /// Nothing where more than which parameters there are differs: types, defaults, what calls get, how they wait, or who
    /// wraps it.
    pub(super) fn of(graph: &'c Graph, node: NodeIx, changed: &'c Changed) -> Option<Self> {
        let (language, name) = (graph.node(node).language(), graph.node(node).label());
        let class = graph.owner(node).filter(|_| is_constructor(name));
        Self::named(language, name, class.map(|class| graph.node(class).label()), changed)
    }

    fn named(language: &'c str, name: &'c str, class: Option<&'c str>, changed: &'c Changed) -> Option<Self> {
        let [was, is] = changed.heads.as_deref()?;
        let same = was.marks == is.marks && keeps(language, name, &was.signature, &is.signature);
        same.then_some(Self { language, name, class, was: &was.signature, is: &is.signature })
    }

    /// Whether every call goes on working, whatever it gives.
    fn takes_all(&self) -> bool {
        matches!(fit(self.language, self.name, self.was, self.is), Fit::Same | Fit::Widened)
    }

    /// Whether what it did not take was given to it all the same, and no word was said.
    fn is_given_more(&self) -> bool {
        matches!(self.language, "javascript" | "typescript" | "tsx")
    }

    /// Whether all calls on a line of a text fit by what they give. Where types are checked that alone is not enough.
    pub(super) fn takes_line(&self, text: &str, line: u32) -> bool {
        let names = [Some(self.name), self.class].into_iter().flatten();
        let calls: Vec<signature::Call> =
            names.flat_map(|name| signature::calls(self.language, text, line, name)).collect();
        // Who hands a function on may hand it to somebody who gives it more than it took: `list.map(f)`.
        if self.takes_all() {
            return !self.is_given_more() || !calls.is_empty();
        }
        let is_checked = !matches!(self.language, "python" | "javascript" | "ruby");
        let fits = |call: &signature::Call| {
            takes(self.language, self.name, self.is, call) == Taken::Yes
                && !shifts(self.language, self.name, [self.was, self.is], call)
        };
        !is_checked && !calls.is_empty() && calls.iter().all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use m1nd_ingest::revision::Head;

    fn fits(language: &str, was: &str, is: &str, line: &str) -> bool {
        let head = |text: &str| Head { signature: text.to_owned(), ..Head::default() };
        let changed = Changed {
            change: m1nd_ingest::revision::Change::Signature,
            name: "f".into(),
            kind: m1nd_graph::NodeKind::Function,
            line: 1,
            before: Some(was.into()),
            heads: Some(Box::new([head(was), head(is)])),
            is_local: false,
            lost: Vec::new(),
        };
        Fitting::named(language, "f", None, &changed).is_some_and(|fitting| fitting.takes_line(line, 1))
    }

    #[test]
    fn a_parameter_that_may_be_left_out_leaves_every_call_as_it_was() {
        assert!(fits("python", "def f(a)", "def f(a, b=1)", "f(1)"));
        assert!(fits("python", "def f(a)", "def f(a, b=1)", "map(f, all)"));
        assert!(fits("typescript", "function f(a: string)", "function f(a: string, b?: number)", "f('x')"));
        assert!(!fits(
            "typescript",
            "function f(a: string)",
            "function f(a: string, b?: number)",
            "all.map(f)"
        ));
    }

    #[test]
    fn calls_are_told_apart_by_what_they_give() {
        assert!(fits("python", "def f(a, b=1)", "def f(a)", "f(1)"));
        assert!(!fits("python", "def f(a, b=1)", "def f(a)", "f(1, 2)"));
        assert!(!fits("python", "def f(a, b)", "def f(b, a)", "f(1, 2)"));
        assert!(!fits("python", "def f(a, b=1)", "def f(a)", "f(*rest)"));
        assert!(!fits("rust", "fn f(a: u8)", "fn f(a: u16)", "f(1)"));
    }

    #[test]
    fn what_is_given_back_or_waited_for_concerns_every_call() {
        assert!(!fits("python", "def f(a) -> int", "def f(a) -> str", "f(1)"));
        assert!(!fits("python", "def f(a)", "async def f(a)", "f(1)"));
        assert!(!fits("python", "def f(a, b=1)", "def f(a, b=2)", "f(1)"));
    }
}
