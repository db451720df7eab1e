//! What the file system said, as advice.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_vfs::glob::GlobError;
use m1nd_vfs::grep::PatternError;
use m1nd_vfs::path::PathError;
use m1nd_vfs::policy::Withheld;
use m1nd_vfs::read::ReadError;
use serde_json::json;

use super::invalid_params;

/// Tools that advice about files names. A test checks that the registry has them.
pub const GLOB: &str = "glob";
pub const SEARCH: &str = "search";
pub const VIEW: &str = "view";

/// Where a fault's detail keeps the path that leads outside, for the context guard.
pub const REQUESTED: &str = "requested";

/// `argument` is the name of the argument that held the path.
pub fn path(tool: &str, argument: &str, err: PathError) -> Fault {
    match err {
        PathError::Empty | PathError::Nul | PathError::TooLong => {
            invalid_params(tool, format!("`{argument}`: {err}."))
        }
        PathError::Outside { path } => Fault::new(
            Code::PathOutsideWorkspace,
            format!("`{argument}`: {} is outside the workspace.", shown(&path)),
            Recovery::call(
                "Name a path inside the workspace, relative to its root; glob lists what is there.",
                GLOB,
                json!({ "pattern": "*" }),
            ),
        )
        .with_detail(json!({ REQUESTED: path })),
        PathError::NotFound { path } if argument == "scope" && is_pattern(&path) => {
            let before = folder_before_pattern(&path);
            let advice =
                if before.is_empty() { String::new() } else { format!(" Pass {} instead.", shown(before)) };
            Fault::new(
                Code::FileNotFound,
                format!(
                    "`scope` takes a folder or the beginning of paths, and {} is a pattern.",
                    shown(&path)
                ),
                Recovery::call(
                    format!("glob lists what the pattern finds.{advice}"),
                    GLOB,
                    json!({ "pattern": path }),
                ),
            )
        }
        PathError::NotFound { path } => Fault::new(
            Code::FileNotFound,
            format!("`{argument}`: there is nothing at {}.", shown(&path)),
            Recovery::call(
                "Look for the name at any depth.",
                GLOB,
                json!({ "pattern": if argument == "scope" { folder_pattern(&path) } else { name_pattern(&path) } }),
            ),
        ),
        PathError::Io { path, source } => io(&format!("{} cannot be read", shown(&path)), &source),
    }
}

/// A file that was found and cannot be shown.
pub fn read(tool: &str, argument: &str, err: ReadError) -> Fault {
    match err {
        ReadError::Path(err) => path(tool, argument, err),
        ReadError::IsFolder { path } => Fault::new(
            Code::InvalidParams,
            format!("`{argument}`: {path} is a folder."),
            Recovery::call(
                "List the files in it.",
                GLOB,
                json!({ "pattern": "*", "scope": path.to_string() }),
            ),
        ),
        ReadError::NotAFile { path } => invalid_params(
            tool,
            format!("`{argument}`: {path} is a pipe, socket or device, which m1nd does not open."),
        ),
        ReadError::Withheld { path, why } => invalid_params(
            tool,
            match why {
                Withheld::Secret => {
                    format!(
                        "`{argument}`: {path} looks like a file of keys or passwords, which m1nd does not read."
                    )
                }
                Withheld::GitInternal => {
                    format!("`{argument}`: {path} belongs to git, and m1nd does not read it.")
                }
            },
        ),
        ReadError::TooLarge { path, bytes, limit } => Fault::new(
            Code::TooLarge,
            format!("`{argument}`: {path} has {bytes} bytes; files up to {limit} bytes can be shown."),
            Recovery::call(
                "Search in it for the lines you need (put your own text for the query).",
                SEARCH,
                json!({ "query": path.file_name(), "scope": path.to_string() }),
            ),
        ),
        ReadError::Binary { path, bytes } => {
            invalid_params(tool, format!("`{argument}`: {path} is a binary file of {bytes} bytes, not text."))
        }
    }
}

/// A pattern that does not compile.
pub fn pattern(tool: &str, query: &str, err: &PatternError) -> Fault {
    match err {
        PatternError::Empty | PatternError::TooLong { .. } => {
            invalid_params(tool, format!("`query`: {err}."))
        }
        PatternError::Syntax { at, .. } => invalid_regex(query, err).with_detail(json!({ "position": at })),
        PatternError::Unsupported { .. } => invalid_regex(query, err),
    }
}

fn invalid_regex(query: &str, err: &PatternError) -> Fault {
    let said = err.to_string();
    let query = shortened(query);
    let (hint, arguments) = if said.contains("\\n") {
        let arguments = json!({ "query": query, "mode": "regex", "multiline": true });
        ("A pattern that contains a line end needs `multiline: true`.", arguments)
    } else {
        let hint = "Mend the expression (Rust regex syntax: no look-around, no back-references), or search for the text literally.";
        (hint, json!({ "query": query, "mode": "literal" }))
    };
    Fault::new(
        Code::InvalidRegex,
        format!("The regular expression does not compile: {said}."),
        Recovery::call(hint, SEARCH, arguments),
    )
}

/// A path pattern that does not compile.
pub fn glob(tool: &str, argument: &str, err: &GlobError) -> Fault {
    invalid_params(tool, format!("`{argument}`: {err}. Patterns look like *.rs, src/**/*.ts or !tests/."))
}

pub fn io(what: &str, err: &std::io::Error) -> Fault {
    Fault::new(
        Code::Io,
        format!("{what}: {err}."),
        Recovery::hint("Check that the file system is there and that this user may read it."),
    )
}

/// Paths come from outside: they are shown short and in quotes.
fn shown(path: &str) -> String {
    format!("{:?}", shortened(path))
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(120)]
}

/// Whether a path has marks that only patterns have, and is one.
fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
        && path == shortened(path)
        && m1nd_vfs::glob::PathGlob::parse(path).is_ok()
}

/// The folders of a pattern that are named whole.
fn folder_before_pattern(path: &str) -> &str {
    let marked = path.find(['*', '?', '[', '{', '!']).unwrap_or(path.len());
    path[..marked].rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A pattern that finds what is below folders of that name.
fn folder_pattern(path: &str) -> String {
    format!("{}/", name_pattern(path).trim_end_matches('/'))
}

/// A pattern that finds files named like the last part of `path`.
pub(super) fn name_pattern(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let safe: String =
        shortened(name).chars().map(|c| if "*?[]{}!\\".contains(c) { '?' } else { c }).collect();
    if safe.trim().is_empty() { "*".into() } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_as_a_scope_is_told_what_a_scope_is_and_the_pattern_can_be_followed() {
        let fault = path("seek", "scope", PathError::NotFound { path: "src/api/*.py".into() });
        assert_eq!(fault.recovery.arguments.unwrap()["pattern"], "src/api/*.py");
        assert!(fault.recovery.hint.contains("Pass \"src/api\" instead"), "{}", fault.recovery.hint);
        let fault = path("seek", "scope", PathError::NotFound { path: "**/x*".into() });
        assert!(!fault.recovery.hint.contains("Pass"), "{}", fault.recovery.hint);
    }

    #[test]
    fn a_missing_file_is_looked_for_by_its_name() {
        let fault = path("view", "file_path", PathError::NotFound { path: "a/b/[x].rs".into() });
        assert_eq!(fault.code, Code::FileNotFound);
        assert_eq!(fault.recovery.arguments.unwrap()["pattern"], "?x?.rs");
    }
}
