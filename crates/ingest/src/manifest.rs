//! Project files that say how modules are named: read as data, never run.

/// One manifest (`Cargo.toml`, `package.json`, `tsconfig.json`, `go.mod`, …) as it is written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Manifest {
    /// Workspace-relative, with forward slashes.
    pub path: String,
    pub text: String,
}

impl Manifest {
    /// Whether a file of this name tells a resolver something.
    pub fn is_one(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        matches!(
            name,
            "Cargo.toml" | "package.json" | "go.mod" | "jsconfig.json" | "pyproject.toml" | "setup.cfg"
        ) || (name.starts_with("tsconfig") && name.ends_with(".json"))
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
pub(crate) fn join(folder: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a path; empty for the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_path_stays_inside_the_root() {
        assert_eq!(join("a/b", "../c.ts").as_deref(), Some("a/c.ts"));
        assert_eq!(join("", "./x").as_deref(), Some("x"));
        assert_eq!(join("a", "../../x"), None);
    }
}
