//! Build constraints: which files are built when nobody asks for a tag.

/// Whether a file is left out of every build without tags. What depends on the system or on the processor is
/// built somewhere, so it is not.
pub(super) fn is_left_out(source: &[u8]) -> bool {
    constraint(source).is_some_and(|text| holds(&text) == Some(false))
}

/// The constraint in front of the package clause, as an expression.
fn constraint(source: &[u8]) -> Option<String> {
    let mut old: Vec<String> = Vec::new();
    for line in source.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if line.starts_with(b"package ") {
            break;
        }
        let Ok(line) = std::str::from_utf8(line) else { continue };
        if let Some(expression) = line.strip_prefix("//go:build ") {
            return Some(expression.to_owned());
        }
        let Some(options) = line.strip_prefix("//").map(str::trim_start) else { continue };
        // Options of a line are alternatives, commas join, and every line must hold.
        if let Some(options) = options.strip_prefix("+build ") {
            let options = options.split_whitespace().map(|option| option.replace(',', " && "));
            old.push(format!("({})", options.collect::<Vec<String>>().join(" || ")));
        }
    }
    (!old.is_empty()).then(|| old.join(" && "))
}

/// Whether a constraint holds with no tag given; nothing where that depends on the system.
fn holds(text: &str) -> Option<bool> {
    let mut stack: Vec<Open> = vec![Open::default()];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        // What a constraint that cannot be read means is not known.
        let top = stack.last_mut()?;
        match first {
            '!' => top.negated = !top.negated,
            '(' => stack.push(Open::default()),
            ')' => {
                let value = stack.pop()?.either();
                stack.last_mut()?.add(value);
            }
            '&' => taken = 2,
            '|' => {
                top.alternative();
                taken = 2;
            }
            c if c.is_whitespace() => {}
            _ => {
                let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'));
                taken = rest.find(is_end).unwrap_or(rest.len()).max(first.len_utf8());
                top.add(tag(&rest[..taken]));
            }
        }
        rest = rest.get(taken..).unwrap_or("");
    }
    let whole = stack.pop()?;
    if stack.is_empty() { whole.either() } else { None }
}

/// An open bracket: what its alternatives come to so far.
struct Open {
    any: Option<bool>,
    all: Option<bool>,
    negated: bool,
}

impl Default for Open {
    fn default() -> Self {
        Self { any: Some(false), all: Some(true), negated: false }
    }
}

impl Open {
    fn add(&mut self, value: Option<bool>) {
        let value = if std::mem::take(&mut self.negated) { value.map(|value| !value) } else { value };
        self.all = match (self.all, value) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
    }

    fn alternative(&mut self) {
        self.any = self.either();
        self.all = Some(true);
    }

    fn either(&self) -> Option<bool> {
        match (self.any, self.all) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }
    }
}

fn tag(name: &str) -> Option<bool> {
    match name {
        "gc" => Some(true),
        _ if name.starts_with("go1") => Some(true),
        "unix" | "cgo" => None,
        _ if is_system(name) => None,
        _ => Some(false),
    }
}

fn is_system(name: &str) -> bool {
    matches!(
        name,
        "aix"
            | "android"
            | "darwin"
            | "dragonfly"
            | "freebsd"
            | "hurd"
            | "illumos"
            | "ios"
            | "js"
            | "linux"
            | "nacl"
            | "netbsd"
            | "openbsd"
            | "plan9"
            | "solaris"
            | "wasip1"
            | "windows"
            | "zos"
            | "386"
            | "amd64"
            | "arm"
            | "arm64"
            | "loong64"
            | "mips"
            | "mips64"
            | "mips64le"
            | "mipsle"
            | "ppc64"
            | "ppc64le"
            | "riscv64"
            | "s390x"
            | "sparc64"
            | "wasm"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_left_out_when_only_a_tag_would_build_it() {
        let left_out = |head: &str| is_left_out(format!("{head}\n\npackage a\n").as_bytes());
        for head in
            ["//go:build alt", "//go:build alt && linux", "//go:build !(a || !b)", "// +build alt,linux x"]
        {
            assert!(left_out(head), "{head}");
        }
        for head in [
            "",
            "//go:build !alt && !alt2",
            "//go:build linux",
            "//go:build !linux || alt",
            "//go:build go1.18 && gc",
            "//go:build !(alt",
            "// +build !alt linux",
            "// Copyright\n//go:build (linux || darwin) && !alt",
        ] {
            assert!(!left_out(head), "{head}");
        }
        assert!(!is_left_out(b"package a\n//go:build alt\n"));
    }
}
