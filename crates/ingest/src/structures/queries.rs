//! Queries: one text for each family of languages and shape. Each pattern of a text has its words here, in order.

use super::Shape;

struct Entry {
    family: &'static str,
    shape: Shape,
    text: &'static str,
    /// For each pattern: what it finds, and whether that rests on what is called.
    says: &'static [(&'static str, bool)],
}

const ENTRIES: &[Entry] = &[
    Entry {
        family: "python",
        shape: Shape::ErrorHandling,
        text: "(except_clause) @found",
        says: &[("an exception is dropped", false)],
    },
    Entry {
        family: "script",
        shape: Shape::ErrorHandling,
        text: "(catch_clause body: (statement_block) @body) @found",
        says: &[("an exception is dropped", false)],
    },
    Entry {
        family: "java",
        shape: Shape::ErrorHandling,
        text: "(catch_clause (catch_formal_parameter (catch_type) @name) body: (block) @body) @found",
        says: &[("an exception is dropped", false)],
    },
    Entry {
        family: "go",
        shape: Shape::ErrorHandling,
        text: "(assignment_statement left: (expression_list (identifier) @blank .) \
               right: (expression_list . (call_expression function: (_) @name) .) (#eq? @blank \"_\")) @found\n\
               (short_var_declaration left: (expression_list (identifier) @blank .) \
               right: (expression_list . (call_expression function: (_) @name) .) (#eq? @blank \"_\")) @found",
        says: &[("an error is assigned to nothing", true), ("an error is assigned to nothing", true)],
    },
    Entry {
        family: "rust",
        shape: Shape::ErrorHandling,
        text: "(let_declaration pattern: \"_\" value: (call_expression function: (_) @name)) @found",
        says: &[("a result is assigned to nothing", true)],
    },
    Entry {
        family: "python",
        shape: Shape::ResourceCleanup,
        text: "((call function: (identifier) @name) @found (#eq? @name \"open\"))",
        says: &[("a file is opened without `with`", false)],
    },
    Entry {
        family: "java",
        shape: Shape::ResourceCleanup,
        text: "((object_creation_expression type: (_) @name) @found (#match? @name \
               \"^(FileInputStream|FileOutputStream|FileReader|FileWriter|RandomAccessFile|ZipFile|JarFile|Socket|ServerSocket)$\"))",
        says: &[("something is opened outside of a try with resources", false)],
    },
    Entry {
        family: "go",
        shape: Shape::ResourceCleanup,
        text: "((call_expression function: (selector_expression) @name) @found (#match? @name \
               \"^(os\\\\.(Open|OpenFile|Create|CreateTemp)|net\\\\.(Dial|Listen)|http\\\\.(Get|Post|Head))$\"))",
        says: &[("something is opened by a form that does not close it", false)],
    },
    Entry {
        family: "script",
        shape: Shape::ResourceCleanup,
        text: "((call_expression function: (member_expression property: (property_identifier) @name)) @found \
               (#eq? @name \"openSync\"))",
        says: &[("a file is opened by a form that does not close it", false)],
    },
    Entry {
        family: "python",
        shape: Shape::Concurrency,
        text: "(expression_statement (call function: (_) @name)) @found",
        says: &[("a coroutine is made and never awaited", true)],
    },
    Entry {
        family: "script",
        shape: Shape::Concurrency,
        text: "(expression_statement (call_expression function: (_) @name)) @found",
        says: &[("a promise is neither awaited nor returned", true)],
    },
    Entry {
        family: "rust",
        shape: Shape::Concurrency,
        text: "(expression_statement (call_expression function: (_) @name)) @found",
        says: &[("a future is made and never awaited", true)],
    },
];

fn entry(family: &str, shape: Shape) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.family == family && entry.shape == shape)
}

/// The query's text; nothing where there is none.
pub fn of(family: &str, shape: Shape) -> Option<&'static str> {
    entry(family, shape).map(|entry| entry.text)
}

/// What the nth pattern finds.
pub fn what(family: &str, shape: Shape, pattern: usize) -> Option<&'static str> {
    entry(family, shape)?.says.get(pattern).map(|says| says.0)
}

pub fn rests_on_callee(family: &str, shape: Shape, pattern: usize) -> bool {
    entry(family, shape).and_then(|entry| entry.says.get(pattern)).is_some_and(|says| says.1)
}
