//! Paths as callers write them, made relative to a root or refused.

use std::fmt;
use std::path::{Component, Path};

/// A path below a root: `/` between parts, no `.` or `..`, never absolute. Empty is the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(String);

impl RelPath {
    pub fn root() -> Self {
        Self::default()
    }

    /// A path that is already relative and clean, such as one a walk returned.
    pub(crate) fn from_clean(path: &Path) -> Self {
        Self(path.to_string_lossy().into_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path for opening beneath a directory handle.
    pub fn as_path(&self) -> &Path {
        if self.is_root() { Path::new(".") } else { Path::new(&self.0) }
    }

    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// A path below a folder.
    pub(crate) fn joined(folder: &str, below: &RelPath) -> Self {
        if below.is_root() { Self(folder.to_owned()) } else { Self(format!("{folder}/{}", below.0)) }
    }

    /// What is left without the first part.
    pub(crate) fn below_first(&self) -> Self {
        Self(self.0.split_once('/').map_or_else(String::new, |(_, rest)| rest.to_owned()))
    }

    /// The folder that holds this path.
    pub fn parent(&self) -> RelPath {
        RelPath(self.0.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned()))
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

/// Why a path was refused. Holds the path as the caller wrote it.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    #[error("the path is empty")]
    Empty,
    #[error("the path contains a NUL character")]
    Nul,
    #[error("the path is longer than {MAX_PATH_BYTES} bytes")]
    TooLong,
    #[error("{path} is outside the workspace")]
    Outside { path: String },
    #[error("{path} does not exist")]
    NotFound { path: String },
    #[error("{path} cannot be read: {source}")]
    Io {
        path: String,
        #[source]
        source: std::io::Error,
    },
}

impl PathError {
    /// The same about a path that is written otherwise.
    pub(crate) fn about(self, path: &str) -> Self {
        let path = path.to_owned();
        match self {
            PathError::Outside { .. } => PathError::Outside { path },
            PathError::NotFound { .. } => PathError::NotFound { path },
            PathError::Io { source, .. } => PathError::Io { path, source },
            other => other,
        }
    }
}

/// Longer than any real path on the systems we run on.
pub const MAX_PATH_BYTES: usize = 4096;

/// Checks what can be checked without the disk, and removes `.` and `..` from a relative path.
pub(crate) fn normalise(input: &str) -> Result<RelPath, PathError> {
    let outside = || PathError::Outside { path: input.to_owned() };
    if disguised_escape(input) {
        return Err(outside());
    }
    let mut parts: Vec<&str> = Vec::new();
    for component in Path::new(input).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop().ok_or_else(outside)?;
            }
            Component::Normal(part) => parts.push(part.to_str().unwrap_or_default()),
            Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    Ok(RelPath(parts.join("/")))
}

/// Sizes and characters that no path has.
pub(crate) fn check_form(input: &str) -> Result<(), PathError> {
    if input.trim().is_empty() {
        return Err(PathError::Empty);
    }
    if input.contains('\0') {
        return Err(PathError::Nul);
    }
    if input.len() > MAX_PATH_BYTES {
        return Err(PathError::TooLong);
    }
    Ok(())
}

/// `..%2f` and `..\` are plain characters here, but they only ever appear where somebody hopes that
/// a later layer decodes them.
fn disguised_escape(input: &str) -> bool {
    if !input.contains(['%', '\\']) {
        return false;
    }
    let mut decoded = input.to_ascii_lowercase();
    // Twice, because `%252e` decodes to `%2e`.
    for _ in 0..2 {
        for (from, to) in [("%25", "%"), ("%2e", "."), ("%2f", "/"), ("%5c", "/"), ("%00", "\0"), ("\\", "/")]
        {
            decoded = decoded.replace(from, to);
        }
    }
    decoded.contains('\0') || decoded.split('/').any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(input: &str) -> String {
        match normalise(input) {
            Ok(path) => path.to_string(),
            Err(err) => format!("refused: {err}"),
        }
    }

    #[test]
    fn dots_are_resolved_and_escapes_refused() {
        assert_eq!(shown("./src//lib.rs"), "src/lib.rs");
        assert_eq!(shown("src/../src/lib.rs"), "src/lib.rs");
        assert_eq!(shown("src/.."), ".");
        for escape in [
            "..",
            "../x",
            "src/../../x",
            "/etc/passwd",
            "..%2fetc",
            "a/%2e%2e/%2e%2e/b",
            "..\\x",
            "%252e%252e/x",
        ] {
            assert_eq!(shown(escape), format!("refused: {escape} is outside the workspace"));
        }
    }

    #[test]
    fn percent_signs_in_names_are_only_characters() {
        assert_eq!(shown("docs/100%.md"), "docs/100%.md");
        assert_eq!(shown("a%20b"), "a%20b");
    }

    #[test]
    fn forms_that_no_path_has_are_refused() {
        assert!(matches!(check_form(" "), Err(PathError::Empty)));
        assert!(matches!(check_form("a\0b"), Err(PathError::Nul)));
        assert!(matches!(check_form(&"a".repeat(5_000)), Err(PathError::TooLong)));
    }

    #[test]
    fn parents_and_names_split_at_the_last_slash() {
        let path = normalise("a/b/c.rs").unwrap();
        assert_eq!((path.file_name(), path.parent().as_str()), ("c.rs", "a/b"));
        assert!(path.parent().parent().parent().is_root());
    }
}
