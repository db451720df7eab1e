//! Defaults: members that every object of a language has, whether its class says so or not.

use m1nd_graph::{Graph, NodeIx};

/// Whether uses of a member still find one of its name when it goes, because the language gives every object one.
pub(super) fn has_default(graph: &Graph, node: NodeIx) -> bool {
    let member = graph.node(node);
    graph.owner(node).is_some() && names(member.language()).contains(&member.label())
}

fn names(language: &str) -> &'static [&'static str] {
    match language {
        "python" => &[
            "__init__",
            "__new__",
            "__repr__",
            "__str__",
            "__eq__",
            "__ne__",
            "__hash__",
            "__format__",
            "__dir__",
            "__reduce__",
            "__reduce_ex__",
            "__sizeof__",
            "__getattribute__",
            "__setattr__",
            "__delattr__",
            "__init_subclass__",
            "__subclasshook__",
        ],
        "java" | "kotlin" | "scala" => &["toString", "equals", "hashCode", "getClass", "finalize"],
        "csharp" => &["ToString", "Equals", "GetHashCode", "GetType"],
        "javascript" | "typescript" | "tsx" => {
            &["constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf"]
        }
        "ruby" => {
            &["initialize", "to_s", "inspect", "hash", "eql?", "equal?", "==", "dup", "clone", "freeze"]
        }
        _ => &[],
    }
}
