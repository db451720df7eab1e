//! Java calls: calls that a change wrote and that no method of what they are made on takes. Where several methods have a name one is
//! found by the number of its arguments, so that a call with another number leads nowhere in the graph.

use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_ingest::imported::{self, Written};
use m1nd_risk::plan::Severity;
use m1nd_risk::signature::{self, Call, Taken, takes};

use super::contracts::knows_bases;
use super::held::Held;
use super::lines::cut;
use super::new_calls::{MAX_FOUND, are_of_one, is_meant_to_fail, readable, refused};
use super::{Edited, Finding};

/// Lines that a call may go on for.
const AHEAD: u32 = 6;

/// One finding for each line that the change wrote and that calls a method of ours with a number of arguments that none takes.
pub fn unfit(held: &mut Held<'_>, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in readable(edited).filter(|one| one.file.path.ends_with(".java")) {
        let path = one.file.path.as_str();
        let Some(text) = held.text(path).map(|text| text.into_owned()) else { continue };
        let imports = imported::written(path, text.as_bytes()).unwrap_or_default();
        let file = File { graph, path, text: &text, imports: &imports };
        let lines = (1..).zip(text.lines()).filter(|(line, _)| one.touches(*line));
        for (line, said) in lines {
            if file.is_unclear(line) || is_meant_to_fail(held, path, line) {
                continue;
            }
            for name in called(said) {
                let calls = signature::calls("java", &text, line, name);
                if !are_of_one(&calls) || calls.iter().any(|call| call.has_angles) {
                    continue;
                }
                let Some(none) = calls.iter().find_map(|call| file.takes_none(line, name, call)) else {
                    continue;
                };
                found.push(none.told(graph, path, line));
            }
        }
    }
    cut(&mut found, MAX_FOUND);
    found
}

/// A call that no method takes.
struct NoMethod {
    method: NodeIx,
    /// Whether all that may have one is ours.
    is_known: bool,
}

impl NoMethod {
    fn told(&self, graph: &Graph, path: &str, line: u32) -> Finding {
        let told = refused(graph, path, line, self.method);
        match self.is_known {
            true => told,
            false => Finding {
                severity: Severity::Medium.name(),
                message: format!(
                    "{}, unless a type above that is not of this workspace has another one",
                    told.message
                ),
                ..told
            },
        }
    }
}

/// The names that a line calls.
fn called(line: &str) -> Vec<&str> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let code = line.split("//").next().unwrap_or(line);
    let mut found: Vec<&str> = Vec::new();
    for (at, _) in code.match_indices('(') {
        let before = &code[..at];
        let from = before.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
        let name = &before[from..];
        let is_word = !matches!(
            name,
            "if" | "for"
                | "while"
                | "switch"
                | "catch"
                | "synchronized"
                | "try"
                | "super"
                | "this"
                | "return"
        );
        if is_word && name.starts_with(char::is_alphabetic) && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// A file of Java that calls something.
pub(super) struct File<'a> {
    pub graph: &'a Graph,
    pub path: &'a str,
    pub text: &'a str,
    pub imports: &'a [Written],
}

impl File<'_> {
    /// Commas in strings of several lines and in annotations are no places of arguments.
    fn is_unclear(&self, line: u32) -> bool {
        let at = (line as usize).saturating_sub(1);
        let mut ahead = self.text.lines().skip(at).take(AHEAD as usize);
        let own = self.text.lines().nth(at).unwrap_or_default().trim_start();
        ahead.any(|line| line.contains("\"\"\"")) || own.starts_with(['@', '*'])
    }

    /// A method of the name, where none of the methods of what the call is made on takes it.
    fn takes_none(&self, line: u32, name: &str, call: &Call) -> Option<NoMethod> {
        let before = call.before.trim_end();
        let types = match before.strip_suffix('.') {
            Some(of) => vec![self.receiver(of, line)?],
            None if before.ends_with("new") => vec![self.type_named(name)?],
            // A declaration, or a call on something further up.
            None if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '>' | ']' | '_'))
                && !before.ends_with("return") =>
            {
                return None;
            }
            None => self.around(line, name)?,
        };
        let line_of = |ty: &NodeIx| self.graph.lineage(*ty);
        let all: Vec<NodeIx> = types.iter().flat_map(line_of).collect();
        let is_known = all.iter().all(|&ty| knows_bases(self.graph, ty));
        let named = all.iter().flat_map(|&ty| self.graph.members(ty));
        let named: Vec<NodeIx> = named
            .filter(|&ix| self.graph.node(ix).label() == name && self.graph.node(ix).kind().is_callable())
            .collect();
        let refuses = |ix: &NodeIx| {
            let written = self.graph.node(*ix).signature();
            !written.ends_with('…') && takes("java", name, written, call) == Taken::No
        };
        if !named.iter().all(refuses) {
            return None;
        }
        // A type above that is not ours may have one of the name, but hardly where ours is nobody else's.
        let is_own = |&&ix: &&NodeIx| {
            let mut words = self.graph.node(ix).signature().split('(').next().unwrap_or_default().split(' ');
            words.any(|word| matches!(word, "private" | "static"))
        };
        let method = if is_known { named.first() } else { named.iter().find(is_own) };
        method.map(|&method| NoMethod { method, is_known })
    }

    /// The type that a call is made on.
    pub fn receiver(&self, of: &str, line: u32) -> Option<NodeIx> {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let from = of.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
        let (outer, word) = (of[..from].trim_end(), &of[from..]);
        if word.is_empty() || outer.ends_with(['.', ')', ']']) {
            return None;
        }
        if word == "this" {
            return self.innermost(line);
        }
        match word.starts_with(char::is_uppercase) {
            true => self.type_named(word),
            false => self.type_named(self.declared(word)?),
        }
    }

    /// The one type that all declarations of a variable in the file give it.
    fn declared(&self, variable: &str) -> Option<&str> {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let mut found: Option<&str> = None;
        for (at, _) in self.text.match_indices(variable) {
            let (before, after) = (&self.text[..at], self.text[at + variable.len()..].trim_start());
            let is_whole = before.ends_with([' ', '\n', '\t'])
                && !self.text[at + variable.len()..].starts_with(is_letter);
            let is_declared = after.starts_with(['=', ';', ',', ')', ':']) && !after.starts_with("==");
            if !is_whole || !is_declared {
                continue;
            }
            let before = before.trim_end();
            let from = before.rfind(|c: char| !is_letter(c)).map_or(0, |at| at + 1);
            let ty = &before[from..];
            match ty {
                "" | "return" | "throw" | "case" | "else" | "assert" | "yield"
                    if before.ends_with(['>', ']', '.']) =>
                {
                    return None;
                }
                "" | "return" | "throw" | "case" | "else" | "assert" | "yield" => continue,
                ty if !ty.starts_with(char::is_uppercase) => return None,
                ty if found.is_some_and(|known| known != ty) => return None,
                ty => found = Some(ty),
            }
        }
        found
    }

    /// The only type of a name that the file can mean.
    fn type_named(&self, name: &str) -> Option<NodeIx> {
        let types = self.graph.nodes_by_label(name).iter().map(|&ix| NodeIx(ix));
        let types: Vec<NodeIx> = types.filter(|&ix| self.graph.node(ix).kind().is_type()).collect();
        let [only] = types[..] else { return None };
        let node = self.graph.node(only);
        let folder =
            |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        // What is imported under the name, or stands beside the file, is it.
        let package = folder(node.path()).replace('/', ".");
        let is_imported = self.imports.iter().any(|import| {
            import.bind == name
                && package.ends_with(&import.module[..import.module.len().saturating_sub(1)].join("."))
        });
        let is_near = node.path() == self.path
            || folder(node.path()) == folder(self.path)
                && !self.imports.iter().any(|import| import.bind == name);
        (node.language() == "java" && node.kind() == NodeKind::Class && (is_imported || is_near))
            .then_some(only)
    }

    /// The types that stand around a line, where a call without a receiver can only mean their methods.
    fn around(&self, line: u32, name: &str) -> Option<Vec<NodeIx>> {
        let takes_statics =
            self.imports.iter().any(|import| import.level > 0 && (import.is_all || import.bind == name));
        // A class without a name has the methods of what it extends.
        let has_nameless =
            self.text.lines().any(|line| line.contains("new ") && line.trim_end().ends_with('{'));
        if takes_statics || has_nameless {
            return None;
        }
        let mut types: Vec<NodeIx> = Vec::new();
        let mut here = self.innermost(line);
        while let Some(ty) = here {
            types.push(ty);
            here = self.graph.owner(ty).filter(|&ix| self.graph.node(ix).kind().is_type());
        }
        (!types.is_empty()).then_some(types)
    }

    fn innermost(&self, line: u32) -> Option<NodeIx> {
        let types = self.graph.nodes_in(self.path).filter(|&ix| self.graph.node(ix).kind().is_type());
        types
            .filter(|&ix| {
                let (first, last) = self.graph.node(ix).lines();
                first <= line && line <= last
            })
            .max_by_key(|&ix| self.graph.node(ix).lines().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_called_stand_before_brackets() {
        assert_eq!(called("    if (a.add(1, sub (2))) { return new C(3); } // not(4)"), ["add", "C"]);
    }
}
