//! Project files that say how modules are named: read as data, never run.

pub(crate) use m1nd_graph::near::{folder, is_inside, root};

/// One manifest (`Cargo.toml`, `package.json`, `tsconfig.json`, `go.mod`, …) as it is written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Manifest {
    /// Workspace-relative, with forward slashes.
    pub path: String,
    pub text: String,
}

/// People write configurations, and not at such length.
const MAX_CONFIGURATION: usize = 64 * 1024;

impl Manifest {
    /// Whether a file tells a resolver something, by its name or by what it says.
    pub fn is_one(path: &str, text: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        // A configuration of a compiler may have any name where another one extends it.
        let configures = || text.len() <= MAX_CONFIGURATION && text.contains("\"compilerOptions\"");
        matches!(
            name,
            "Cargo.toml" | "package.json" | "go.mod" | "jsconfig.json" | "pyproject.toml" | "setup.cfg"
        ) || (name.ends_with(".json") && (name.starts_with("tsconfig") || configures()))
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The folder it stands in; empty for the root.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// `folder/name`, with `.` and `..` taken away; nothing when it leaves the root.
pub fn join(folder: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                // Another root is not left either.
                parts.pop().filter(|part| root(part).is_empty())?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_path_stays_inside_the_root() {
        assert_eq!(join("a/b", "../c.ts").as_deref(), Some("a/c.ts"));
        assert_eq!(join("", "./x").as_deref(), Some("x"));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(join("other::/a", "../b.ts").as_deref(), Some("other::/b.ts"));
        assert_eq!(join("other::/a", "../../b.ts"), None);
    }
}
