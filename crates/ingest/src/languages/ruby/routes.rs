//! The routes of Rails: `resources`, single paths, and the blocks they stand in; those of Sinatra.

use tree_sitter::Node;

use crate::languages::routes::{joined, method, quoted};
use crate::languages::simple::{FoundRoute, Source};
use crate::sheet::{field, named_children};

/// What `resources` stands for: method, path below the list, action.
const ACTIONS: &[(&str, &str, &str)] = &[
    ("GET", "", "index"),
    ("POST", "", "create"),
    ("GET", "new", "new"),
    ("GET", ":id", "show"),
    ("GET", ":id/edit", "edit"),
    ("PATCH", ":id", "update"),
    ("PUT", ":id", "update"),
    ("DELETE", ":id", "destroy"),
];

/// The routes that a call in a `routes.rb` stands for.
pub(super) fn of_call(
    source: &Source<'_>,
    path: &str,
    above: &[Node<'_>],
    node: Node<'_>,
) -> Vec<FoundRoute> {
    if let Some(route) = sinatra(source, node) {
        return vec![route];
    }
    let in_routes = path.ends_with("routes.rb") || path.contains("config/routes/");
    if !in_routes || field(node, "receiver").is_some() {
        return Vec::new();
    }
    let call = Written::of(source, node);
    match call.word {
        "resources" | "resource" => call.resources(&Place::of(source, above)),
        "root" => {
            let place = Place::of(source, above);
            let to = call.option("to").or(call.names.first().map(String::as_str));
            place.answered("GET", "", to).into_iter().collect()
        }
        "match" => {
            let place = Place::of(source, above);
            let via = call.list("via");
            let methods = via.iter().filter_map(|word| method(word));
            let (path, to) = call.path_and_target();
            methods.filter_map(|method| place.answered(method, path, to)).collect()
        }
        word => method(word).map(|method| call.single(method, source, above)).unwrap_or_default(),
    }
}

/// `get '/x' do … end` in a file that speaks of Sinatra.
fn sinatra(source: &Source<'_>, node: Node<'_>) -> Option<FoundRoute> {
    let word = field(node, "method").map_or("", |name| source.text(name));
    let method = method(word).filter(|_| word != "all" && field(node, "receiver").is_none())?;
    field(node, "block")?;
    let first = field(node, "arguments").map(named_children)?.into_iter().next()?;
    let pattern = plain(source.text(first));
    let is_path = first.kind() == "string" && pattern.starts_with('/');
    (is_path && speaks_of_sinatra(source.0)).then(|| FoundRoute { method, pattern, handler: Vec::new() })
}

fn speaks_of_sinatra(source: &[u8]) -> bool {
    source.windows(b"inatra".len()).any(|window| window == b"inatra")
}

/// A call as it is written: its word, its plain arguments, its options.
struct Written<'s> {
    word: &'s str,
    names: Vec<String>,
    options: Vec<(String, String)>,
}

impl<'s> Written<'s> {
    fn of(source: &Source<'s>, node: Node<'_>) -> Self {
        let word = field(node, "method").map_or("", |name| source.text(name));
        let (mut names, mut options) = (Vec::new(), Vec::new());
        for argument in field(node, "arguments").map(named_children).unwrap_or_default() {
            match (argument.kind(), field(argument, "key"), field(argument, "value")) {
                ("pair", Some(key), Some(value)) => {
                    options.push((plain(source.text(key)), source.text(value).to_owned()));
                }
                ("string" | "simple_symbol", ..) => names.push(plain(source.text(argument))),
                _ => {}
            }
        }
        Self { word, names, options }
    }

    fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.trim_matches([':', '"', '\'']))
    }

    /// The words of an option that may be a list.
    fn list(&self, name: &str) -> Vec<&str> {
        let found = self.options.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value);
        let found = found.trim_start_matches("%i").trim_start_matches("%w");
        let words =
            found.split([',', ' ', '[', ']', '(', ')']).map(|word| word.trim_matches([':', '"', '\'']));
        words.filter(|word| !word.is_empty()).collect()
    }

    /// `"/x", to: "c#a"` and `"/x" => "c#a"`.
    fn path_and_target(&self) -> (&str, Option<&str>) {
        if let Some(path) = self.names.first() {
            return (path, self.option("to"));
        }
        let arrow = self.options.iter().find(|(_, value)| quoted(value).is_some_and(|to| to.contains('#')));
        arrow.map_or(("", None), |(path, to)| (path, quoted(to)))
    }

    fn single(&self, method: &'static str, source: &Source<'_>, above: &[Node<'_>]) -> Vec<FoundRoute> {
        let mut place = Place::of(source, above);
        match self.option("on") {
            Some("member") => place.enter_member(),
            Some("collection") => place.enter_collection(),
            _ => {}
        }
        let (path, to) = self.path_and_target();
        let own;
        let to = match (to, place.controller.as_deref()) {
            (None, Some(controller)) => {
                own = format!("{controller}#{}", self.option("action").unwrap_or(path));
                Some(own.as_str())
            }
            // `get "welcome/index"` names the controller and its action.
            (None, None) if !path.contains(':') => {
                own = path
                    .trim_matches('/')
                    .rsplit_once('/')
                    .map(|(controller, action)| format!("{controller}#{action}"))
                    .unwrap_or_default();
                Some(own.as_str())
            }
            (to, _) => to,
        };
        place.answered(method, path, to).into_iter().collect()
    }

    fn resources(&self, place: &Place) -> Vec<FoundRoute> {
        let (only, except) = (self.list("only"), self.list("except"));
        let has_only = self.options.iter().any(|(key, _)| key == "only");
        let one = self.word == "resource";
        let mut found = Vec::new();
        for name in &self.names {
            let mut inner = place.clone();
            inner.enter_resources(self, name);
            for (method, path, action) in ACTIONS {
                let is_wanted = (!has_only || only.contains(action)) && !except.contains(action);
                if !is_wanted || (one && *action == "index") {
                    continue;
                }
                let path = path.replace(":id", if one { "" } else { &inner.param });
                let path = joined(&inner.list, &path);
                let controller = inner.controller.clone().unwrap_or_default();
                found.push(FoundRoute { method, pattern: path, handler: inner.handler(&controller, action) });
            }
        }
        found
    }
}

/// Where in the blocks of a `routes.rb` something stands.
#[derive(Clone, Default)]
struct Place {
    prefix: String,
    modules: Vec<String>,
    controller: Option<String>,
    /// The path of the innermost list, and its parameter.
    list: String,
    param: String,
}

impl Place {
    fn of(source: &Source<'_>, above: &[Node<'_>]) -> Self {
        let mut place = Self::default();
        for around in above.iter().filter(|around| around.kind() == "call") {
            let call = Written::of(source, *around);
            let first = call.names.first().map_or("", String::as_str);
            match call.word {
                "namespace" => {
                    place.prefix = joined(&place.prefix, call.option("path").unwrap_or(first));
                    place.modules.push(call.option("module").unwrap_or(first).to_owned());
                }
                "scope" => {
                    place.prefix = joined(&place.prefix, call.option("path").unwrap_or(first));
                    place.modules.extend(call.option("module").map(str::to_owned));
                }
                "controller" => place.controller = Some(first.to_owned()),
                "resources" | "resource" => place.enter_resources(&call, first),
                "member" => place.enter_member(),
                "collection" => place.enter_collection(),
                _ => {}
            }
        }
        place
    }

    /// What stands directly in a list is below one of its elements.
    fn enter_resources(&mut self, call: &Written<'_>, name: &str) {
        let one = call.word == "resource";
        self.list = joined(&self.prefix, call.option("path").unwrap_or(name));
        let param = call.option("param").unwrap_or("id");
        self.param = if one { String::new() } else { format!(":{param}") };
        let nested = if one { String::new() } else { format!(":{}_{param}", singular(name)) };
        self.prefix = joined(&self.list, &nested);
        let controller = if one { plural(name) } else { name.to_owned() };
        self.controller = Some(call.option("controller").map_or(controller, str::to_owned));
        self.modules.extend(call.option("module").map(str::to_owned));
    }

    fn enter_member(&mut self) {
        self.prefix = joined(&self.list, &self.param);
    }

    fn enter_collection(&mut self) {
        self.prefix.clone_from(&self.list);
    }

    fn answered(&self, method: &'static str, path: &str, to: Option<&str>) -> Option<FoundRoute> {
        let (controller, action) = to?.split_once('#')?;
        let handler = self.handler(controller, action);
        Some(FoundRoute { method, pattern: joined(&self.prefix, path), handler })
    }

    /// `admin/carts` and `show` are `Admin::CartsController#show`.
    fn handler(&self, controller: &str, action: &str) -> Vec<String> {
        let modules = self.modules.iter().flat_map(|module| module.split('/'));
        let mut parts: Vec<String> = modules.chain(controller.split('/')).map(camel).collect();
        if let Some(last) = parts.last_mut() {
            last.push_str("Controller");
        }
        parts.push(action.to_owned());
        parts
    }
}

/// A symbol or a text without its marks.
fn plain(text: &str) -> String {
    text.trim_matches([':', '"', '\'']).to_owned()
}

fn singular(name: &str) -> String {
    let es = ["ses", "xes", "ches", "shes"].iter().any(|end| name.ends_with(end));
    match (name.strip_suffix("ies"), name.strip_suffix("es").filter(|_| es)) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) => stem.to_owned(),
        (None, None) => name.strip_suffix('s').unwrap_or(name).to_owned(),
    }
}

fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{name}s"),
    }
}

/// `line_items` is `LineItems` as a constant.
fn camel(text: &str) -> String {
    let words = text.split('_').filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
