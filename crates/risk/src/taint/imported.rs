//! Imported: under which names a file knows the modules that run programs and the like.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// Other names of modules and functions, and what they stand for.
#[derive(Debug, Default)]
pub struct Imported(Vec<(Regex, String)>);

/// Modules whose calls are dangerous.
const PYTHON: &[&str] = &["os", "subprocess", "pickle", "marshal", "yaml", "shutil"];
/// `require("child_process").exec(…)`
static REQUIRED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"require\(\s*['"](?:node:)?child_process['"]\s*\)\s*\."#).expect("tested"));
/// `const cp = require("child_process")`, `import * as cp from "child_process"`, `import cp from "child_process"`
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)(?:(?:const|let|var)\s+(\w+)\s*=\s*require\(\s*|^\s*import\s+(?:\*\s+as\s+)?(\w+)\s+from\s+)['"](?:node:)?child_process['"]"#,
    )
    .expect("tested")
});

impl Imported {
    /// Reads the imports of a file.
    pub fn of(language: &str, text: &str) -> Self {
        match language {
            "python" => Self(text.lines().flat_map(python).collect()),
            "javascript" | "typescript" | "tsx" => {
                let names = NAMED.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)));
                let renamed = names.filter(|name| name.as_str() != "child_process");
                Self(renamed.filter_map(|name| member(name.as_str(), "child_process")).collect())
            }
            _ => Self::default(),
        }
    }

    /// The line with the full names of what it calls.
    pub fn spelled_out<'l>(&self, line: &'l str) -> Cow<'l, str> {
        let mut line = REQUIRED.replace_all(line, "child_process.");
        for (regex, full) in &self.0 {
            if let Cow::Owned(new) = regex.replace_all(&line, full.as_str()) {
                line = Cow::Owned(new);
            }
        }
        line
    }
}

/// `name.` is `module.`
fn member(name: &str, module: &str) -> Option<(Regex, String)> {
    let regex = Regex::new(&format!(r"(^|[^\w.]){}\.", regex::escape(name))).ok()?;
    Some((regex, format!("${{1}}{module}.")))
}

/// `name(` is `module.function(`
fn function(name: &str, module: &str, function: &str) -> Option<(Regex, String)> {
    let regex = Regex::new(&format!(r"(^|[^\w.]){}\(", regex::escape(name))).ok()?;
    Some((regex, format!("${{1}}{module}.{function}(")))
}

/// `import os as o`, `from os import system as run, popen`
fn python(line: &str) -> Vec<(Regex, String)> {
    let line = line.trim();
    let parts = |list: &str| -> Vec<(String, String)> {
        let list = list.split('#').next().unwrap_or_default().replace(['(', ')'], "");
        let part = |part: &str| {
            let (name, known) = part.split_once(" as ").unwrap_or((part, part));
            (name.trim().to_owned(), known.trim().to_owned())
        };
        list.split(',').map(part).collect()
    };
    if let Some((module, list)) = line
        .strip_prefix("from ")
        .and_then(|rest| rest.split_once(" import "))
        .filter(|(module, _)| PYTHON.contains(module))
    {
        return parts(list).iter().filter_map(|(name, known)| function(known, module, name)).collect();
    }
    let Some(list) = line.strip_prefix("import ") else { return Vec::new() };
    let renamed =
        parts(list).into_iter().filter(|(name, known)| name != known && PYTHON.contains(&name.as_str()));
    renamed.filter_map(|(name, known)| member(&known, &name)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sinks;
    use super::*;

    #[test]
    fn other_names_of_dangerous_modules_are_known() {
        let found = |language: &str, file: &str, line: &str| {
            let imported = Imported::of(language, file);
            sinks(language, line, &imported).into_iter().map(|call| call.sink.name()).collect::<Vec<_>>()
        };
        let python = "import subprocess as sp, sys\nfrom os import system, popen as start\n";
        for line in ["sp.run(c, shell=True)", "x = system(c)", "    start(c)"] {
            assert_eq!(found("python", python, line), ["execute"], "{line}");
        }
        for line in ["self.system(c)", "my.sp.run(c)", "popen(c)", "filesystem(c)"] {
            assert_eq!(found("python", python, line), [""; 0], "{line}");
        }
        let js = "const cp = require('child_process');\n";
        for line in ["cp.exec(c)", "  cp.execSync(c);", "return cp.spawn(c, {shell: true})"] {
            assert_eq!(found("javascript", js, line), ["execute"], "{line}");
        }
        assert_eq!(found("javascript", "", "require('child_process').exec(c)"), ["execute"]);
        assert_eq!(found("javascript", "", "cp.exec(c)"), [""; 0]);
        assert_eq!(
            found("typescript", "import * as run from 'node:child_process'\n", "run.exec(c)"),
            ["execute"]
        );
    }
}
