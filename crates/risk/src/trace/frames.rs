//! Frames of single traces, as Python, Rust, JavaScript, Go, the JVM, C, C++, .NET, Ruby and PHP print them.

use std::sync::LazyLock;

use regex::Regex;

use super::parse::{Frame, Style};

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("a pattern that a test compiles"));
    };
}

pattern!(PYTHON, r#"^(?:[\w.\-]+ *\|)?[\s|+]*File "([^"]+)", line (\d+)(?:, in (.+?))?\s*$"#);
pattern!(
    PYTEST,
    r"^((?:[^\s:()]+/)*[^\s:()]+\.py):(\d+): (?:in (\S+)|[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)\b.*)?$"
);
pattern!(RUST_PANIC, r"panicked at (?:'.*', )?([^\s:'][^:]*\.rs):(\d+):\d+");
pattern!(RUST_FRAME, r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(\S.*?)\s*$");
pattern!(RUST_AT, r"^\s+at (.+?):(\d+)(?::\d+)?\s*$");
pattern!(
    JS_NAMED,
    r"^\s*at (?:async )?(?:new )?(.+?) (?:\[as [^\]]+\] )?\((.+?):(\d+)(?::\d+)?\)(?: \{)?\s*$"
);
pattern!(
    JS_BARE,
    r"^\s*at (?:async )?((?:file://|webpack:|https?://|/|\.{0,2}/|[A-Za-z]:\\)?[^\s()]+\.\w+):(\d+):\d+\)?(?: \{)?\s*$"
);
pattern!(JS_AT, r"^\s*([^\s@]*)@((?:file://|https?://|/)[^\s]+?):(\d+):\d+\s*$");
pattern!(
    GO_CALL,
    r"^ {0,2}(?:created by )?([\w./\-%~]+(?:\.\(\*?[\w\[\].,]+\))?\.[\w.\-\[\]·]+)(?:\(.*\))?(?: in goroutine \d+)?\s*$"
);
pattern!(GO_AT, r"^(?:\t| {4,})(.+?\.(?:go|s|c)):(\d+)(?: \+0x[0-9a-f]+)?\s*$");
pattern!(JAVA, r"^\s*(?:at|\|-) (?:[\w.@\-]+/+)*([\w.$<>]+)\(([^():]*)(?::(\d+))?\)(?: ~?\[.*\])?\s*$");
pattern!(GDB, r"^#\d+\s+(?:0x[0-9a-f]+ in )?([^\s(][^(]*?) ?\(.*\)\s+at (.+?):(\d+)(?::\d+)?\s*$");
pattern!(ASAN, r"^\s*#\d+ 0x[0-9a-f]+ in (.+) ([^\s()]+?):(\d+)(?::\d+)?\s*$");
pattern!(ASAN_BARE, r"^\s*#\d+ 0x[0-9a-f]+ in (.+?) \((.+?)\+0x[0-9a-f]+\)");
pattern!(DOTNET, r"^\s*at (.+?)\(.*\)(?: in (.+?):line (\d+))?\s*$");
pattern!(RUBY, r"^\s*(?:from |\d+: from )?(\S.*?\.(?:rb|erb|rake|ru)):(\d+):in [`'](.+?)'");
pattern!(PHP, r"^#\d+ (.+?)\((\d+)\): (.+?)\(");
pattern!(PHP_TOP, r"(?: in |thrown in )(\S+\.php)(?::| on line )(\d+)");
pattern!(
    PLACE,
    r#"(?:^|[\s"'(\[>=])((?:[A-Za-z]:\\|\.{0,2}/)?[\w@.\-+/\\~]*[\w\-]\.[A-Za-z][A-Za-z0-9+]{0,7})(?::|\()(\d+)"#
);

/// The frames of one trace, innermost first.
pub(super) fn frames(lines: &[&str], style: Style) -> Vec<Frame> {
    match style {
        Style::Python => python(lines),
        Style::Rust => rust(lines),
        Style::JavaScript => javascript(lines),
        Style::Go => go(lines),
        Style::Java => java(lines),
        Style::Native => each(lines, |line| {
            let raw = line;
            let line = &line.replace("(anonymous namespace)::", "");
            if let Some(found) = GDB.captures(line).or_else(|| ASAN.captures(line)) {
                return Some(frame(raw, &found[2], found[3].parse().ok(), &native_name(&found[1])));
            }
            let found = ASAN_BARE.captures(line)?;
            Some(frame(raw, &found[2], None, &native_name(&found[1])))
        }),
        Style::DotNet => each(lines, |line| {
            let found = DOTNET.captures(line)?;
            let path = found.get(2).map_or("", |path| path.as_str());
            // Without a place it could be a frame of anything.
            (!path.is_empty()).then(|| frame(line, path, found[3].parse().ok(), &found[1]))
        }),
        Style::Ruby => each(lines, |line| {
            let found = RUBY.captures(line)?;
            Some(frame(line, &found[1], found[2].parse().ok(), &found[3]))
        }),
        Style::Php => php(lines),
        Style::Places => places(lines),
    }
}

/// Whether a line tells where a frame is.
pub(super) fn is_place(line: &str, style: Style) -> bool {
    match style {
        Style::Rust => RUST_PANIC.is_match(line) || RUST_AT.is_match(line),
        Style::Go => GO_AT.is_match(line),
        _ => !frames(&[line], style).is_empty(),
    }
}

fn each(lines: &[&str], read: impl Fn(&str) -> Option<Frame>) -> Vec<Frame> {
    lines.iter().filter_map(|line| read(line)).collect()
}

fn frame(raw: &str, path: &str, line: Option<u32>, function: &str) -> Frame {
    let path = path.trim().trim_start_matches("file://").replace('\\', "/");
    let path = match path.strip_prefix("webpack:") {
        Some(rest) => rest.trim_start_matches('/').split_once('/').map_or(rest, |(_, rest)| rest).to_owned(),
        None => path,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_start_matches("./").to_owned();
    Frame { path, line, function: function.trim().to_owned(), raw: raw.trim().to_owned(), failure: 0 }
}

/// The newest call is last.
fn python(lines: &[&str]) -> Vec<Frame> {
    let mut found = each(lines, |line| {
        let found = PYTHON.captures(line).or_else(|| PYTEST.captures(line))?;
        let function = found.get(3).map_or("", |name| name.as_str());
        Some(frame(line, &found[1], found[2].parse().ok(), function))
    });
    found.reverse();
    found
}

fn rust(lines: &[&str]) -> Vec<Frame> {
    let mut found = Vec::new();
    let mut function: Option<&str> = None;
    let mut panic = None;
    for line in lines {
        if let Some(at) = RUST_PANIC.captures(line) {
            panic = Some(frame(line, &at[1], at[2].parse().ok(), ""));
        } else if let Some(at) = RUST_AT.captures(line).filter(|_| function.is_some()) {
            let name = rust_name(function.take().unwrap_or_default());
            found.push(frame(line, &at[1], at[2].parse().ok(), &name));
        } else if let Some(named) = RUST_FRAME.captures(line) {
            // A frame without a place.
            if let Some(name) = function.replace(named.get(1).map_or("", |name| name.as_str())) {
                found.push(frame(name, "", None, &rust_name(name)));
            }
        }
    }
    if let Some(panic) = panic {
        // The backtrace has the frame of the panic too, with its function.
        let same = |frame: &Frame| frame.line == panic.line && frame.path.ends_with(&panic.path);
        if !found.iter().any(same) {
            found.insert(0, panic);
        }
    }
    found
}

/// Without the hash that compilers put behind a name, and without closures.
fn rust_name(name: &str) -> String {
    let name = name.rsplit_once("::h").filter(|(_, hash)| hash.len() == 16).map_or(name, |(name, _)| name);
    let name = name.split("::{{closure}}").next().unwrap_or(name);
    // `<a::B as c::D>::run` runs in `a::B`.
    match name.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((kind, method)) if !kind.contains('<') => {
            format!("{}{method}", kind.split(" as ").next().unwrap_or(kind))
        }
        _ => name.to_owned(),
    }
}

fn javascript(lines: &[&str]) -> Vec<Frame> {
    each(lines, |line| {
        if let Some(found) = JS_NAMED.captures(line) {
            let name = found[1].trim_start_matches("async ").to_owned();
            let name = if name.contains("<anonymous>") { String::new() } else { name };
            return Some(frame(line, &found[2], found[3].parse().ok(), &name));
        }
        if let Some(found) = JS_BARE.captures(line) {
            return Some(frame(line, &found[1], found[2].parse().ok(), ""));
        }
        let found = JS_AT.captures(line)?;
        Some(frame(line, &found[2], found[3].parse().ok(), &found[1]))
    })
}

/// Of a panic that was caught and thrown again, the calls before the first throw come before what caught it.
fn go(lines: &[&str]) -> Vec<Frame> {
    let mut found: Vec<Frame> = Vec::new();
    let mut function = String::new();
    // Frames of the goroutine that failed: it is printed first.
    let mut own = None;
    for line in lines {
        if let Some(at) = GO_AT.captures(line) {
            found.push(frame(line, &at[1], at[2].parse().ok(), &go_name(&function)));
            function.clear();
        } else if let Some(call) = GO_CALL.captures(line) {
            function = call[1].to_owned();
        } else if line.starts_with("goroutine ") && !found.is_empty() {
            own = own.or(Some(found.len()));
        }
    }
    let own = own.unwrap_or(found.len());
    if let Some(thrown) = found[..own].iter().rposition(|frame| frame.path.ends_with("runtime/panic.go")) {
        found[..own].rotate_left(thrown + 1);
    }
    found
}

/// `example.com/mod/pkg.(*Type).Method.func1` runs in `Type.Method`.
fn go_name(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.split_once('.').map_or(name, |(_, rest)| rest);
    let name = name.replace("(*", "").replace(['(', ')'], "");
    let name = name.split("[...]").collect::<String>();
    let end =
        name.find(".func").filter(|&at| name[at + 5..].starts_with(|digit: char| digit.is_ascii_digit()));
    name[..end.unwrap_or(name.len())].trim_end_matches("-fm").to_owned()
}

fn java(lines: &[&str]) -> Vec<Frame> {
    each(lines, |line| {
        let found = JAVA.captures(line)?;
        let file = found.get(2).map_or("", |file| file.as_str());
        let number = found.get(3).and_then(|line| line.as_str().parse().ok());
        Some(frame(line, &java_path(&found[1], file), number, &java_name(&found[1])))
    })
}

/// `a.B.lambda$run$0` runs in `a.B.run`, and `a.B.<init>` makes a `B`.
fn java_name(name: &str) -> String {
    let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
    let method = match method.strip_prefix("lambda$").and_then(|rest| rest.split('$').next()) {
        Some(outer) => outer,
        None if method == "<init>" => class.rsplit(['.', '$']).next().unwrap_or(class),
        None => method,
    };
    format!("{class}.{method}")
}

/// Where a class of that name would be written.
fn java_path(function: &str, file: &str) -> String {
    if file.is_empty() || !file.contains('.') {
        return String::new();
    }
    let class = function.rsplit_once('.').map_or("", |(class, _)| class);
    match class.rsplit_once('.') {
        Some((package, _)) => format!("{}/{file}", package.replace('.', "/")),
        None => file.to_owned(),
    }
}

/// Without arguments and template arguments.
fn native_name(name: &str) -> String {
    let mut depth = 0_u32;
    let mut plain = String::new();
    for letter in name.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    // What a function returns stands before its name.
    plain.trim().rsplit(' ').next().unwrap_or_default().trim_start_matches(['*', '&']).to_owned()
}

fn php(lines: &[&str]) -> Vec<Frame> {
    let mut found = each(lines, |line| {
        let found = PHP.captures(line)?;
        Some(frame(line, &found[1], found[2].parse().ok(), ""))
    });
    let functions: Vec<String> =
        lines.iter().filter_map(|line| PHP.captures(line)).map(|found| found[3].to_owned()).collect();
    // Each line says who was called from there; who called stands on the next.
    for (at, frame) in found.iter_mut().enumerate() {
        frame.function = functions.get(at + 1).cloned().unwrap_or_default();
    }
    if let Some(top) = lines.iter().find_map(|line| PHP_TOP.captures(line).map(|top| (line, top))) {
        let function = functions.first().cloned().unwrap_or_default();
        found.insert(0, frame(top.0, &top.1[1], top.1[2].parse().ok(), &function));
    }
    found
}

fn places(lines: &[&str]) -> Vec<Frame> {
    let mut found: Vec<Frame> = Vec::new();
    for line in lines {
        for place in PLACE.captures_iter(line) {
            let one = frame(line, &place[1], place[2].parse().ok(), "");
            if !found.iter().any(|known| (&known.path, known.line) == (&one.path, one.line)) {
                found.push(one);
            }
        }
    }
    found
}
