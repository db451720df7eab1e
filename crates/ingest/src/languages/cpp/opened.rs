//! Namespaces that macros open: `LIB_BEGIN_NAMESPACE`, and what another file says that it stands for.

use rustc_hash::FxHashMap;

use m1nd_graph::NodeFlags;

use crate::facts::{Import, ImportAll, Name};
use crate::languages::c::includes::Includes;
use crate::languages::c::macros::is_macro;
use crate::languages::c::text::directive_end;
use crate::resolve::program::Program;
use crate::sheet::Sheet;

/// The level of an import that is a macro which opens a namespace around definitions of the file.
const OPENS: u8 = 3;
/// The level of one that is the namespace which a macro stands for.
const STANDS_FOR: u8 = 4;

/// What the names of such macros have in common.
const MARK: &[u8] = b"NAMESPACE";

/// Notes which definitions stand between macros that open and close a namespace, and which namespace a macro opens.
pub(super) fn read(sheet: &mut Sheet<'_>, source: &[u8]) {
    if !source.windows(MARK.len()).any(|window| window == MARK) {
        return;
    }
    let mut regions = Regions::default();
    let (mut at, mut line) = (0, 0);
    while at < source.len() {
        line += 1;
        let end = source[at..].iter().position(|&b| b == b'\n').map_or(source.len(), |to| at + to);
        let text = source[at..end].trim_ascii();
        match text.first() {
            Some(b'#') => define(sheet, source, at, line),
            Some(b'A'..=b'Z') => regions.macro_at(text, at as u32, line),
            _ => {}
        }
        at = end + 1;
    }
    let Some(open) = regions.only() else { return };
    for def in sheet.facts.defs.iter_mut().filter(|def| def.parent.is_none() && !is_macro(def)) {
        if open.spans.iter().any(|&(from, to)| from <= def.from && def.to <= to) {
            def.flags = def.flags.with(NodeFlags::OPENED_BY_MACRO);
        }
    }
    let name = sheet.owned_name(&open.name);
    let bind = sheet.name(b"");
    note(sheet, OPENS, bind, vec![name], open.line);
}

/// Whether a line is the name of a macro that opens a namespace.
pub(super) fn opens(line: &str) -> bool {
    macro_of(line.trim_end().as_bytes()).is_some_and(|name| has(name, "NAMESPACE") && is_opening(name))
}

/// The name in capitals that a line consists of.
fn macro_of(text: &[u8]) -> Option<&str> {
    let text = text.strip_suffix(b";").unwrap_or(text);
    let is_one = text.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_');
    is_one.then(|| str::from_utf8(text).ok()).flatten()
}

fn has(name: &str, word: &str) -> bool {
    name.split('_').any(|part| part == word)
}

fn is_opening(name: &str) -> bool {
    ["BEGIN", "OPEN", "ENTER", "START"].iter().any(|word| has(name, word))
}

fn is_closing(name: &str) -> bool {
    ["END", "CLOSE", "EXIT", "LEAVE", "STOP"].iter().any(|word| has(name, word))
}

/// The lines between macros that open and close a namespace.
#[derive(Default)]
struct Regions {
    found: Vec<Region>,
    open: Option<(String, u32, u32)>,
    is_nested: bool,
}

struct Region {
    name: String,
    line: u32,
    spans: Vec<(u32, u32)>,
}

impl Regions {
    /// A line that begins with a word in capitals.
    fn macro_at(&mut self, text: &[u8], at: u32, line: u32) {
        let Some(name) = macro_of(text).filter(|name| has(name, "NAMESPACE")) else { return };
        if is_opening(name) {
            self.is_nested |= self.open.is_some();
            self.open = Some((name.to_owned(), at, line));
        } else if is_closing(name)
            && let Some((name, from, line)) = self.open.take()
        {
            match self.found.iter_mut().find(|region| region.name == name) {
                Some(region) => region.spans.push((from, at)),
                None => self.found.push(Region { name, line, spans: vec![(from, at)] }),
            }
        }
    }

    /// What is opened, where one macro does it; several are not told apart.
    fn only(mut self) -> Option<Region> {
        let is_one = self.found.len() == 1 && !self.is_nested && self.open.is_none();
        is_one.then(|| self.found.pop()).flatten()
    }
}

/// `#define LIB_BEGIN_NAMESPACE namespace lib { inline namespace v1 {`
fn define(sheet: &mut Sheet<'_>, source: &[u8], at: usize, line: u32) {
    let start = source[at..].iter().position(|&b| b == b'#').map_or(at, |to| at + to);
    let Ok(text) = str::from_utf8(&source[start..directive_end(source, start)]) else { return };
    let text = text.replace("\\\n", " ").replace("\\\r\n", " ");
    let Some(rest) = text[1..].trim_start().strip_prefix("define") else { return };
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let (name, value) = rest.split_at(end);
    if value.starts_with('(') || !name.contains("NAMESPACE") {
        return;
    }
    let opened = opened_by(value);
    if !opened.is_empty() {
        let path = opened.iter().map(|part| sheet.owned_name(part)).collect();
        let bind = sheet.owned_name(name);
        note(sheet, STANDS_FOR, bind, path, line);
    }
}

/// The namespaces that a text opens and leaves open, without inline ones.
fn opened_by(text: &str) -> Vec<String> {
    let (mut found, mut is_inline) = (Vec::new(), false);
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "inline" => is_inline = true,
            "namespace" => {
                let name = words.next().unwrap_or("").trim_end_matches('{');
                let is_name =
                    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_:".contains(c));
                if !is_inline && is_name {
                    found.extend(name.split("::").filter(|part| !part.is_empty()).map(str::to_owned));
                }
                is_inline = false;
            }
            _ => {}
        }
    }
    if text.matches('{').count() > text.matches('}').count() { found } else { Vec::new() }
}

fn note(sheet: &mut Sheet<'_>, level: u8, bind: Name, path: Vec<Name>, line: u32) {
    let all = ImportAll::No;
    let import = Import { path, level, item: None, bind, all, exported: false, scope: None, line };
    sheet.facts.imports.push(import);
}

/// The namespaces that macros open around definitions, by file.
pub(super) fn namespaces(program: &Program<'_>, includes: &Includes) -> FxHashMap<u32, String> {
    let mut known: FxHashMap<&str, Vec<(u32, String)>> = FxHashMap::default();
    let imports = || {
        let files = (0..).zip(&program.files).filter(|(_, file)| file.language == super::NAME);
        files.flat_map(|(at, file)| file.imports.iter().map(move |import| (at, *file, import)))
    };
    for (at, file, import) in imports().filter(|(_, _, import)| import.level == STANDS_FOR) {
        let path: Vec<&str> = import.path.iter().map(|&part| file.text(part)).collect();
        known.entry(file.text(import.bind)).or_default().push((at, path.join("::")));
    }
    let mut found = FxHashMap::default();
    for (at, file, import) in imports().filter(|(_, _, import)| import.level == OPENS) {
        let name = import.path.first().map_or("", |&name| file.text(name));
        let Some(meanings) = known.get(name) else { continue };
        let seen: Vec<&String> =
            meanings.iter().filter(|(from, _)| includes.sees(at, *from)).map(|(_, path)| path).collect();
        let meant = if seen.is_empty() { meanings.iter().map(|(_, path)| path).collect() } else { seen };
        if let Some(first) = meant.first().filter(|first| meant.iter().all(|path| path == *first)) {
            found.insert(at, (*first).clone());
        }
    }
    found
}
