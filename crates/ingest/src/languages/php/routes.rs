//! The routes of Laravel: single paths, resources, and the groups they stand in.

use tree_sitter::Node;

use crate::languages::routes::{UNKNOWN, joined, method, quoted};
use crate::languages::simple::{FoundRoute, Source};
use crate::sheet::{field, named_children};

/// What `Route::resource` stands for: method, path below the list, action.
const ACTIONS: &[(&str, &str, &str)] = &[
    ("GET", "", "index"),
    ("GET", "create", "create"),
    ("POST", "", "store"),
    ("GET", "{}", "show"),
    ("GET", "{}/edit", "edit"),
    ("PUT", "{}", "update"),
    ("PATCH", "{}", "update"),
    ("DELETE", "{}", "destroy"),
];

/// The routes that a call stands for.
pub(super) fn of_call(
    source: &Source<'_>,
    path: &str,
    above: &[Node<'_>],
    node: Node<'_>,
) -> Vec<FoundRoute> {
    let Some(word) = word(source, node) else { return Vec::new() };
    let args = field(node, "arguments").map(named_children).unwrap_or_default();
    let texts: Vec<&str> = args.iter().map(|arg| source.text(*arg)).collect();
    let place = Place::of(source, path, above, node);
    match (word, &texts[..]) {
        ("resource" | "apiResource", [name, class, ..]) => {
            let is_api = word == "apiResource";
            place.resource(name, class, |action| {
                !(is_api && matches!(action, "create" | "edit")) && is_wanted(source, above, action)
            })
        }
        ("match", [methods, pattern, handler, ..]) => {
            let methods = methods.split(['\'', '"']).skip(1).step_by(2).filter_map(method);
            methods.filter_map(|method| place.single(method, pattern, handler)).collect()
        }
        (word, [pattern, handler, ..]) => {
            method(word).and_then(|method| place.single(method, pattern, handler)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What is called on `Route`, at once or after `middleware(…)` and its like.
fn word<'s>(source: &Source<'s>, node: Node<'_>) -> Option<&'s str> {
    let on = field(node, "scope").or_else(|| field(node, "object"))?;
    let text = source.text(on);
    let is_route = text == "Route" || text.trim_start_matches('\\').starts_with("Route::");
    field(node, "name").filter(|_| is_route).map(|name| source.text(name))
}

/// Whether `->only([…])` and `->except([…])` after a resource leave an action.
fn is_wanted(source: &Source<'_>, above: &[Node<'_>], action: &str) -> bool {
    let chained = above.iter().rev().take_while(|around| around.kind() == "member_call_expression");
    chained.into_iter().all(|call| {
        let given = field(*call, "arguments").map_or("", |given| source.text(given));
        let has = given.split(['\'', '"']).skip(1).step_by(2).any(|word| word == action);
        match field(*call, "name").map_or("", |name| source.text(name)) {
            "only" => has,
            "except" => !has,
            _ => true,
        }
    })
}

/// Where in the groups of a file something stands.
struct Place {
    prefix: String,
    controller: Option<String>,
}

impl Place {
    fn of(source: &Source<'_>, path: &str, above: &[Node<'_>], node: Node<'_>) -> Self {
        // The framework itself puts what this file holds below `api`.
        let prefix = if path.ends_with("routes/api.php") { "api".to_owned() } else { String::new() };
        let mut place = Self { prefix, controller: None };
        for group in above.iter().filter(|around| is_group(source, **around)) {
            if let Some(inner) = group_prefix(source, *group) {
                place.prefix = joined(&place.prefix, inner);
            }
            let chain = field(*group, "object").map_or("", |object| source.text(object));
            if let Some((class, _)) =
                chain.split_once("controller(").and_then(|(_, rest)| rest.split_once("::class"))
            {
                place.controller = Some(last_part(class));
            }
        }
        // `Route::prefix("x")->get(…)`
        let chain = field(node, "object").map_or("", |object| source.text(object));
        if let Some(own) = chain.split_once("prefix(").and_then(|(_, given)| quoted(given)) {
            place.prefix = joined(&place.prefix, own);
        }
        place
    }

    fn single(&self, method: &'static str, pattern: &str, handler: &str) -> Option<FoundRoute> {
        let pattern = quoted(pattern)?;
        let handler = self.handler(handler)?;
        Some(FoundRoute { method, pattern: joined(&self.prefix, pattern), handler })
    }

    /// `[C::class, "m"]`, `C::class`, `"C@m"`, `"m"` in a group of a controller; a function in place is itself.
    fn handler(&self, text: &str) -> Option<Vec<String>> {
        if let Some((class, rest)) = text.split_once("::class") {
            return Some(vec![last_part(class), quoted(rest).unwrap_or("__invoke").to_owned()]);
        }
        if text.starts_with("function") || text.starts_with("fn") || text.starts_with("static ") {
            return Some(Vec::new());
        }
        let named = quoted(text).filter(|_| text.starts_with(['\'', '"']))?;
        match (named.split_once('@'), &self.controller) {
            (Some((class, method)), _) => Some(vec![last_part(class), method.to_owned()]),
            (None, Some(controller)) => Some(vec![controller.clone(), named.to_owned()]),
            (None, None) => None,
        }
    }

    fn resource(&self, name: &str, class: &str, wanted: impl Fn(&str) -> bool) -> Vec<FoundRoute> {
        let (Some(name), Some((class, _))) = (quoted(name), class.split_once("::class")) else {
            return Vec::new();
        };
        // `photos.comments` is a list below each element of another.
        let mut list = self.prefix.clone();
        let parts: Vec<&str> = name.split('.').collect();
        for (at, part) in parts.iter().enumerate() {
            list = joined(&list, part);
            if at + 1 < parts.len() {
                list = joined(&list, &parameter(part));
            }
        }
        let one = parameter(parts.last().copied().unwrap_or(UNKNOWN));
        let actions = ACTIONS.iter().filter(|(_, _, action)| wanted(action));
        let routes = actions.map(|(method, path, action)| FoundRoute {
            method,
            pattern: joined(&list, &path.replace("{}", &one)),
            handler: vec![last_part(class), (*action).to_owned()],
        });
        routes.collect()
    }
}

/// `{photo}` of `photos`.
fn parameter(list: &str) -> String {
    let name = list.rsplit('/').next().unwrap_or(list).replace('-', "_");
    let one = match name.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => name.strip_suffix('s').unwrap_or(&name).to_owned(),
    };
    format!("{{{one}}}")
}

fn last_part(class: &str) -> String {
    let class = class.trim_start_matches(['[', ' ', '\n']).rsplit('\\').next().unwrap_or("");
    class.trim().to_owned()
}

/// `Route::prefix("x")->group(…)` and `Route::group(["prefix" => "x"], …)`.
fn is_group(source: &Source<'_>, node: Node<'_>) -> bool {
    matches!(node.kind(), "member_call_expression" | "scoped_call_expression")
        && field(node, "name").is_some_and(|name| source.text(name) == "group")
}

fn group_prefix<'s>(source: &Source<'s>, group: Node<'_>) -> Option<&'s str> {
    let first = field(group, "arguments").and_then(|arguments| arguments.named_child(0));
    let options = first.map_or("", |first| source.text(first));
    let options = if options.starts_with(['[', 'a']) { options } else { "" };
    if let Some((_, given)) = options.split_once("'prefix'").or_else(|| options.split_once("\"prefix\"")) {
        return quoted(given);
    }
    // The chain before `group` may have it at any place.
    let chain = field(group, "object").map_or("", |object| source.text(object));
    chain.split_once("prefix(").and_then(|(_, given)| quoted(given))
}
