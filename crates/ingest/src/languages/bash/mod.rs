//! Bash: functions, sourced files, tests of bats.

#[cfg(test)]
mod tests;

use tree_sitter::Node;

use super::simple::{Function, Grammar, Imported, Role, Source, Unit, language};
use crate::manifest::{folder, join};
use crate::resolve::rules::Parameters;
use crate::sheet::field;

static GRAMMAR: Grammar = Grammar {
    name: NAME,
    language: || tree_sitter_bash::LANGUAGE.into(),
    readable: None,
    role,
    unit: Unit::File,
    sees_outer_packages: false,
    shares_functions: true,
    global_functions: false,
    extensions: false,
    functions_apart: true,
    has_clauses: false,
    parameters: Parameters::PLAIN,
    find: Some(find),
    module: None,
    routes: None,
    is_test_path: |path| {
        path.split('/').any(|part| matches!(part, "test" | "tests")) || path.ends_with(".bats")
    },
    is_library: |_| false,
};

language!(GRAMMAR, &["sh", "bash", "bats", "zsh"], &[".bashrc", ".bash_profile", ".profile", "PKGBUILD"]);

fn role<'t>(source: &Source<'_>, node: Node<'t>, _: Option<Node<'t>>) -> Role<'t> {
    match node.kind() {
        "comment" => Role::Comment,
        "function_definition" => match field(node, "name") {
            Some(name) => {
                let mut function = Function::new(name, field(node, "body"));
                function.marks.is_test = source.text(name).starts_with("test_");
                Role::Function(function)
            }
            None => Role::Plain,
        },
        "command" => command(source, node),
        _ => Role::Plain,
    }
}

fn command<'t>(source: &Source<'_>, node: Node<'t>) -> Role<'t> {
    let Some(word) =
        field(node, "name").and_then(|name| name.named_child(0)).filter(|word| word.kind() == "word")
    else {
        return Role::Plain;
    };
    match source.text(word) {
        "source" | "." => {
            let asked = field(node, "argument").map_or("", |argument| source.text(argument));
            Role::Import(vec![Imported { path: vec![asked.to_owned()], bind: None }])
        }
        _ => Role::Call { receiver: None, name: word, args: None },
    }
}

/// A sourced file beside the script; what stands before the last `$…/` is taken for the script's folder.
fn find(from: &str, asked: &str, is_file: &dyn Fn(&str) -> bool) -> Option<String> {
    let asked = asked.trim_matches(['"', '\'']);
    let is_computed = asked.contains('$');
    let plain = match (is_computed, asked.rfind([')', '}'])) {
        (false, _) => asked,
        (true, Some(end)) => asked[end + 1..].trim_matches(['"', '\'', '/']),
        (true, None) => asked.split_once('/').map_or("", |(_, rest)| rest),
    };
    if plain.is_empty() || plain.contains('$') || (plain.starts_with('/') && !is_computed) {
        return None;
    }
    let beside = join(folder(from), plain).filter(|path| is_file(path));
    beside.or_else(|| join("", plain).filter(|path| is_file(path)))
}

const NAME: &str = "bash";
