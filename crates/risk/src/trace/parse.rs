//! Frames of stack traces as Python, Rust, JavaScript, Go, the JVM, C, C++, .NET, Ruby and PHP print them.

use std::sync::LazyLock;

use regex::Regex;

/// Whose trace it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    Python,
    Rust,
    JavaScript,
    Go,
    Java,
    Native,
    DotNet,
    Ruby,
    Php,
    /// Places as compilers and linters name them: `path:line`.
    Places,
}

impl Style {
    const ALL: [Style; 10] = [
        Style::Python,
        Style::Rust,
        Style::JavaScript,
        Style::Go,
        Style::Java,
        Style::Native,
        Style::DotNet,
        Style::Ruby,
        Style::Php,
        Style::Places,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Style::Python => "python",
            Style::Rust => "rust",
            Style::JavaScript => "javascript",
            Style::Go => "go",
            Style::Java => "java",
            Style::Native => "c",
            Style::DotNet => "csharp",
            Style::Ruby => "ruby",
            Style::Php => "php",
            Style::Places => "places",
        }
    }

    /// By the name of a language.
    pub fn of_language(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "python" | "py" => Style::Python,
            "rust" | "rs" => Style::Rust,
            "javascript" | "typescript" | "js" | "ts" | "tsx" | "node" => Style::JavaScript,
            "go" | "golang" => Style::Go,
            "java" | "kotlin" | "scala" => Style::Java,
            "c" | "cpp" | "c++" | "zig" => Style::Native,
            "csharp" | "c#" | "dotnet" => Style::DotNet,
            "ruby" | "rb" => Style::Ruby,
            "php" => Style::Php,
            _ => return None,
        })
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// As the trace has it; empty where it names none.
    pub path: String,
    pub line: Option<u32>,
    /// The function as the trace has it; empty where it names none.
    pub function: String,
    /// The line of the trace.
    pub raw: String,
}

/// A trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    pub style: Style,
    /// Innermost first: where it failed, then who called.
    pub frames: Vec<Frame>,
    /// What the failure was called.
    pub message: Option<String>,
}

/// Longer lines hold no frame.
const MAX_LINE: usize = 2_000;
/// More frames than this repeat themselves.
const MAX_FRAMES: usize = 400;

/// Reads the frames of a trace in the style that explains most lines, or in the given one. Nothing where there are none.
pub fn parse(text: &str, style: Option<Style>) -> Option<Parsed> {
    let lines: Vec<&str> = text.lines().filter(|line| line.len() <= MAX_LINE).collect();
    let styles = style.map_or_else(|| Style::ALL.to_vec(), |style| vec![style, Style::Places]);
    let mut best: Option<Parsed> = None;
    for style in styles {
        let frames = frames(&lines, style);
        // Places are in every trace; a real trace says more.
        let enough = best.as_ref().is_none_or(|best| match style {
            Style::Places => best.frames.is_empty(),
            _ => frames.len() > best.frames.len(),
        });
        if !frames.is_empty() && enough {
            best = Some(Parsed { style, frames, message: message(&lines, style) });
        }
    }
    best
}

/// Whether a text is a trace rather than a question: it has two frames and more.
pub fn is_trace(text: &str) -> bool {
    text.lines().count() > 2
        && parse(text, None).is_some_and(|found| found.style != Style::Places && found.frames.len() > 1)
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("a pattern that a test compiles"));
    };
}

pattern!(PYTHON, r#"^[\s|+]*File "([^"]+)", line (\d+)(?:, in (.+?))?\s*$"#);
pattern!(
    PYTEST,
    r"^((?:[^\s:()]+/)*[^\s:()]+\.py):(\d+): (?:in (\S+)|[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)\b.*)?$"
);
pattern!(RUST_PANIC, r"panicked at (?:'.*', )?([^\s:'][^:]*\.rs):(\d+):\d+");
pattern!(RUST_FRAME, r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(\S.*?)\s*$");
pattern!(RUST_AT, r"^\s+at (.+?):(\d+)(?::\d+)?\s*$");
pattern!(JS_NAMED, r"^\s*at (?:async )?(?:new )?(.+?) (?:\[as [^\]]+\] )?\((.+?):(\d+)(?::\d+)?\)\s*$");
pattern!(
    JS_BARE,
    r"^\s*at (?:async )?((?:file://|webpack:|https?://|/|\.{0,2}/|[A-Za-z]:\\)?[^\s()]+\.\w+):(\d+):\d+\)?\s*$"
);
pattern!(JS_AT, r"^\s*([^\s@]*)@((?:file://|https?://|/)[^\s]+?):(\d+):\d+\s*$");
pattern!(
    GO_CALL,
    r"^(?:created by )?([\w./\-%~]+(?:\.\(\*?[\w\[\].,]+\))?\.[\w.\-\[\]·]+)(?:\(.*\))?(?: in goroutine \d+)?\s*$"
);
pattern!(GO_AT, r"^\t(.+?\.(?:go|s|c)):(\d+)(?: \+0x[0-9a-f]+)?\s*$");
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

fn frames(lines: &[&str], style: Style) -> Vec<Frame> {
    let mut found = match style {
        Style::Python => python(lines),
        Style::Rust => rust(lines),
        Style::JavaScript => javascript(lines),
        Style::Go => go(lines),
        Style::Java => java(lines),
        Style::Native => each(lines, |line| {
            if let Some(found) = GDB.captures(line).or_else(|| ASAN.captures(line)) {
                return Some(frame(line, &found[2], found[3].parse().ok(), &native_name(&found[1])));
            }
            let found = ASAN_BARE.captures(line)?;
            Some(frame(line, &found[2], None, &native_name(&found[1])))
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
    };
    found.truncate(MAX_FRAMES);
    found
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
    Frame { path, line, function: function.trim().to_owned(), raw: raw.trim().to_owned() }
}

/// The newest call is last in each traceback; of chained ones the first is what went wrong first.
fn python(lines: &[&str]) -> Vec<Frame> {
    let mut traces: Vec<Vec<Frame>> = Vec::new();
    for line in lines {
        if line.trim_start_matches([' ', '|', '+', '-']).starts_with("Traceback (most recent call last)") {
            traces.push(Vec::new());
        }
        let found = PYTHON.captures(line).or_else(|| PYTEST.captures(line));
        if let Some(found) = found {
            let function = found.get(3).map_or("", |name| name.as_str());
            let one = frame(line, &found[1], found[2].parse().ok(), function);
            match traces.last_mut() {
                Some(trace) => trace.push(one),
                None => traces.push(vec![one]),
            }
        }
    }
    traces.into_iter().flat_map(|trace| trace.into_iter().rev()).collect()
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

fn go(lines: &[&str]) -> Vec<Frame> {
    let mut found = Vec::new();
    let mut function = String::new();
    for line in lines {
        if let Some(at) = GO_AT.captures(line) {
            found.push(frame(line, &at[1], at[2].parse().ok(), &go_name(&function)));
            function.clear();
        } else if let Some(call) = GO_CALL.captures(line) {
            function = call[1].to_owned();
        }
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

/// Each trace goes from the inside out; the cause stands below what it caused.
fn java(lines: &[&str]) -> Vec<Frame> {
    let mut traces: Vec<Vec<Frame>> = vec![Vec::new()];
    for line in lines {
        if line.trim_start().starts_with("Caused by:") {
            traces.push(Vec::new());
        }
        let Some(found) = JAVA.captures(line) else { continue };
        let file = found.get(2).map_or("", |file| file.as_str());
        let number = found.get(3).and_then(|line| line.as_str().parse().ok());
        let one = frame(line, &java_path(&found[1], file), number, &java_name(&found[1]));
        traces.last_mut().into_iter().for_each(|trace| trace.push(one.clone()));
    }
    traces.into_iter().rev().flatten().collect()
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

/// The line that says what went wrong.
fn message(lines: &[&str], style: Style) -> Option<String> {
    let found = match style {
        Style::Python => lines.iter().rev().find(|line| {
            let line = line.trim_start_matches(['|', ' ', 'E']);
            let name = line.split([':', ' ']).next().unwrap_or_default();
            let last = name.rsplit('.').next().unwrap_or_default();
            last.starts_with(char::is_uppercase)
                && (line.contains(": ") || name == line)
                && !line.starts_with("Traceback")
        }),
        Style::Rust => {
            let at = lines.iter().position(|line| line.contains("panicked at"))?;
            // Since 2023 the message is on the next line.
            let here = lines[at].ends_with(':');
            lines.get(if here { at + 1 } else { at })
        }
        Style::Go => lines.iter().find(|line| line.starts_with("panic:") || line.starts_with("fatal error:")),
        Style::Native => {
            lines.iter().find(|line| line.contains("ERROR: ") || line.contains("received signal"))
        }
        _ => lines
            .iter()
            .find(|line| line.contains("Error") || line.contains("Exception") || line.contains("error")),
    };
    let said = found?.trim().trim_start_matches(['|', ' ']);
    Some(said[..said.floor_char_boundary(300)].to_owned())
}
