//! HTTP routes of Python: Flask and its blueprints, FastAPI and Starlette, lists of Django.

use tree_sitter::Node;

use super::extract::{Decorator, Reader};
use crate::facts::{DefIx, DefKind, Expr, Import, Name, Route, RouteHandler, RouterKind, Scope};
use crate::languages::routes;
use crate::routers::{Hung, On, What};
use crate::sheet::{field, line};

impl Reader<'_> {
    /// `@app.get("/x")` and `@app.route("/x", methods=["GET", "POST"])`: one for each method.
    pub(super) fn decorated_routes(&mut self, decorator: &Decorator, function: DefIx, owner: Scope) {
        let Some((callee, rest)) = decorator.text.split_once('(') else { return };
        let Some((receiver, verb)) = callee.rsplit_once('.') else { return };
        let written = match text(rest) {
            Some((pattern, rest)) => Some((pattern.to_owned(), rest)),
            // Below a prefix, the pattern may be empty or come after others.
            None => rest
                .split_once("path=")
                .and_then(|(_, rest)| text(rest))
                .map(|(p, rest)| (p.to_owned(), rest)),
        };
        let Some((pattern, rest)) = written else { return };
        let methods = match verb {
            "get" | "post" | "put" | "delete" | "patch" | "head" | "options" | "websocket" => {
                vec![verb.to_uppercase()]
            }
            "route" | "api_route" => methods(rest),
            _ => return,
        };
        let is_pattern = pattern.starts_with('/') || pattern.is_empty();
        if !is_pattern || !self.is_router(owner, receiver) {
            return;
        }
        let value = decorator.on.unwrap_or_else(|| self.sheet.expr(None));
        let hung = Hung { owner: self.callable(owner), on: On::Name(receiver.to_owned(), value) };
        for method in methods {
            self.push_route(
                method,
                pattern.clone(),
                RouteHandler::Def(function),
                decorator.line,
                hung.clone(),
            );
        }
    }

    /// Whether something speaks for a name being a router: where it was made, what the file imports, or, for
    /// what comes from elsewhere, its name.
    fn is_router(&self, owner: Scope, receiver: &str) -> bool {
        let facts = &self.sheet.facts;
        if self.sheet.routers.knows(facts, self.callable(owner), receiver) {
            return true;
        }
        let is_framework = |import: &Import| {
            let first = import.path.first().map_or("", |&first| facts.text(first));
            import.level == 0 && FRAMEWORKS.contains(&first)
        };
        if facts.imports.iter().any(is_framework) {
            return true;
        }
        let (first, last) = (receiver.split('.').next(), receiver.rsplit('.').next().unwrap_or(receiver));
        let is_class = |name: Name| facts.defs.iter().any(|d| d.kind == DefKind::Class && d.name == name);
        let is_own = facts.bindings.iter().any(|binding| {
            let made_by = binding.value.and_then(|value| match facts.inside.expr(value) {
                Expr::Call { callee, .. } => Some(facts.inside.expr(*callee)),
                _ => None,
            });
            let is_of_class = matches!(made_by, Some(Expr::Name { name, .. }) if is_class(*name));
            is_of_class && Some(facts.text(binding.name)) == first
        });
        !is_own && is_router_name(last)
    }

    /// Calls that add routes or put routers below a path.
    pub(super) fn routing_call(&mut self, node: Node<'_>, name: Node<'_>, arguments: &[Node<'_>]) {
        let receiver = field(node, "function").and_then(|function| field(function, "object"));
        match self.sheet.bytes(name) {
            b"path" | b"re_path" | b"url" => self.django_route(node, arguments),
            b"add_url_rule" | b"add_api_route" | b"add_route" => {
                self.added_route(node, receiver, arguments);
            }
            b"include_router" | b"register_blueprint" => {
                let prefix =
                    self.keyword(arguments, "prefix").or_else(|| self.keyword(arguments, "url_prefix"));
                if let Some(what) = arguments.first().filter(|first| first.kind() != "keyword_argument") {
                    self.mount(node, receiver, *what, prefix);
                }
            }
            b"register" => self.registered(node, receiver, arguments),
            b"add_resource" => self.added_resource(node, receiver, arguments),
            b"add_get" | b"add_post" | b"add_put" | b"add_delete" | b"add_patch" | b"add_head" => {
                self.added_route(node, receiver, arguments);
            }
            b"mount" => {
                if let [path, what, ..] = arguments
                    && let Some(path) = self.string(*path).filter(|path| path.starts_with('/'))
                {
                    self.mount(node, receiver, *what, Some(path));
                }
            }
            _ => {}
        }
    }

    /// `bp = Blueprint("x", __name__, url_prefix="/x")`.
    pub(super) fn note_router(&mut self, name: Node<'_>, value: Option<Node<'_>>) {
        let Some(call) = value.filter(|value| value.kind() == "call") else { return };
        let made_by = field(call, "function").map_or("", |function| self.sheet.text(function));
        let arguments = field(call, "arguments").map(crate::sheet::named_children).unwrap_or_default();
        let (kind, prefix) = match made_by.rsplit('.').next().unwrap_or(made_by) {
            "Flask" | "FastAPI" | "Starlette" | "Quart" | "Sanic" => (RouterKind::Root, None),
            "Blueprint" => (RouterKind::PartUnlessGiven, self.keyword(&arguments, "url_prefix")),
            "DefaultRouter" | "SimpleRouter" => (RouterKind::Part, None),
            "APIRouter" => (RouterKind::Part, self.keyword(&arguments, "prefix")),
            _ => return,
        };
        let (owner, name) = (self.sheet.owner(), self.sheet.text(name));
        self.sheet.routers.made(owner, name, kind, prefix.unwrap_or_default());
    }

    fn mount(&mut self, node: Node<'_>, onto: Option<Node<'_>>, what: Node<'_>, prefix: Option<String>) {
        let Some(onto) = onto else { return };
        let value = self.sheet.expr(Some(what));
        let hung = self.hung(onto);
        let what = What::Name(self.sheet.text(what).to_owned(), value);
        self.sheet.routers.mount(what, prefix, hung, line(node));
    }

    /// `app.add_url_rule("/x", view_func=f)` and `router.add_api_route("/x", f)`.
    fn added_route(&mut self, node: Node<'_>, receiver: Option<Node<'_>>, arguments: &[Node<'_>]) {
        let (Some(receiver), Some(first)) = (receiver, arguments.first()) else { return };
        let Some(pattern) = self.string(*first).filter(|pattern| pattern.starts_with('/')) else { return };
        let named = ["view_func", "endpoint"].into_iter().find_map(|word| self.keyword_node(arguments, word));
        let plain =
            arguments.iter().skip(1).find(|a| matches!(a.kind(), "identifier" | "attribute" | "call"));
        let Some(handler) = named.filter(|node| node.kind() != "string").or(plain.copied()) else { return };
        // `View.as_view("x")` stands for the class.
        let handler =
            field(handler, "function").and_then(|function| field(function, "object")).unwrap_or(handler);
        let handler = RouteHandler::Value(self.sheet.expr(Some(handler)));
        let methods = self.keyword_node(arguments, "methods").map_or("", |list| self.sheet.text(list));
        let hung = self.hung(receiver);
        // `app.router.add_get("/x", f)` of aiohttp says the method itself.
        let called = field(node, "function").and_then(|function| field(function, "attribute"));
        let own = called.and_then(|name| self.sheet.text(name).strip_prefix("add_")).and_then(routes::method);
        let methods = own.map_or_else(|| listed(methods), |method| vec![method.to_owned()]);
        for method in methods {
            self.push_route(method, pattern.clone(), handler, line(node), hung.clone());
        }
    }

    /// `router.register("users", UserViewSet)` of Django's REST framework.
    fn registered(&mut self, node: Node<'_>, receiver: Option<Node<'_>>, arguments: &[Node<'_>]) {
        let (Some(receiver), [path, views, ..]) = (receiver, arguments) else { return };
        let (owner, name) = (self.sheet.owner(), self.sheet.text(receiver));
        let is_handler = matches!(views.kind(), "identifier" | "attribute");
        if !is_handler || !self.sheet.routers.knows(&self.sheet.facts, owner, name) {
            return;
        }
        let Some(path) = self.string(*path) else { return };
        let pattern = format!("/{}/", path.trim_start_matches('^').trim_matches('/'));
        let handler = RouteHandler::Value(self.sheet.expr(Some(*views)));
        let hung = self.hung(receiver);
        self.push_route("ANY".to_owned(), pattern, handler, line(node), hung);
    }

    /// `api.add_resource(Users, "/users", "/people")` of flask-restful.
    fn added_resource(&mut self, node: Node<'_>, receiver: Option<Node<'_>>, arguments: &[Node<'_>]) {
        let (Some(receiver), [class, paths @ ..]) = (receiver, arguments) else { return };
        let paths: Vec<String> =
            paths.iter().filter_map(|path| self.string(*path)).filter(|path| path.starts_with('/')).collect();
        let handler = RouteHandler::Value(self.sheet.expr(Some(*class)));
        let hung = self.hung(receiver);
        for pattern in paths {
            self.push_route("ANY".to_owned(), pattern, handler, line(node), hung.clone());
        }
    }

    /// `path("x/", view)` in a `urls.py` of Django.
    fn django_route(&mut self, node: Node<'_>, arguments: &[Node<'_>]) {
        let [pattern, view, ..] = arguments else { return };
        if pattern.kind() != "string" || !self.is_urls_file() {
            return;
        }
        let written = self.sheet.text(*pattern).trim_start_matches(['r', 'R', 'u']).trim_matches(['"', '\'']);
        let called = field(node, "function").map_or("", |name| self.sheet.text(name));
        let is_plain = called.rsplit('.').next() == Some("path");
        let text = if is_plain { written.to_owned() } else { readable(written) };
        let pattern = format!("/{}", text.trim_start_matches('/'));
        let hung = Hung { owner: None, on: On::File };
        let function = field(*view, "function").filter(|_| view.kind() == "call");
        let last = function.map(|function| field(function, "attribute").unwrap_or(function));
        // `View.as_view()` stands for the class; `include(…)` for other routes.
        let handler = match last.map(|last| self.sheet.text(last)) {
            None => Some(*view).filter(|view| matches!(view.kind(), "identifier" | "attribute" | "string")),
            Some("as_view") => function.and_then(|function| field(function, "object")),
            Some("include") => {
                let first = field(*view, "arguments").and_then(|arguments| arguments.named_child(0));
                // `include(("app.urls", "name"))` names the module first.
                let first =
                    first.and_then(
                        |first| if first.kind() == "tuple" { first.named_child(0) } else { Some(first) },
                    );
                // `include(router.urls)` puts what is registered there below the path.
                let urls = first.filter(|first| first.kind() == "attribute");
                let urls = urls.filter(|urls| {
                    field(*urls, "attribute").is_some_and(|name| self.sheet.bytes(name) == b"urls")
                });
                if let Some(router) = urls.and_then(|urls| field(urls, "object")) {
                    let value = self.sheet.expr(Some(router));
                    let what = What::Name(self.sheet.text(router).to_owned(), value);
                    self.sheet.routers.mount(what, Some(pattern), hung, line(node));
                    return;
                }
                if let Some(module) = first.and_then(|first| self.string(first)) {
                    let what = What::File(format!("{}.py", module.replace('.', "/")));
                    self.sheet.routers.mount(what, Some(pattern), hung, line(node));
                }
                return;
            }
            Some(_) => None,
        };
        let Some(handler) = handler else { return };
        let handler = RouteHandler::Value(self.sheet.expr(Some(handler)));
        self.push_route("ANY".to_owned(), pattern, handler, line(node), hung);
    }

    /// A `urls.py`, or any file that takes its functions from Django.
    fn is_urls_file(&self) -> bool {
        let facts = &self.sheet.facts;
        facts.path.ends_with("urls.py")
            || facts.imports.iter().any(|import| {
                let path: Vec<&str> = import.path.iter().map(|&part| facts.text(part)).collect();
                matches!(path[..], ["django", "urls", ..] | ["django", "conf", "urls", ..])
            })
    }

    fn push_route(&mut self, method: String, pattern: String, handler: RouteHandler, line: u32, hung: Hung) {
        self.sheet.routers.route(Route { method, pattern, handler, line, below: None }, hung);
    }

    fn hung(&mut self, receiver: Node<'_>) -> Hung {
        let value = self.sheet.expr(Some(receiver));
        self.sheet.hung_on(self.sheet.text(receiver), value)
    }

    /// The innermost function around a place.
    fn callable(&self, scope: Scope) -> Scope {
        let mut around = scope;
        while let Some(ix) = around {
            let def = self.sheet.facts.def(ix);
            if def.kind.is_callable() {
                break;
            }
            around = def.parent;
        }
        around
    }

    fn keyword_node<'t>(&self, arguments: &[Node<'t>], word: &str) -> Option<Node<'t>> {
        let named = arguments.iter().filter(|argument| argument.kind() == "keyword_argument");
        let mut named =
            named.filter(|a| field(**a, "name").is_some_and(|name| self.sheet.text(name) == word));
        named.next().and_then(|argument| field(*argument, "value"))
    }

    /// A path given by name; one that is not written out is `…`.
    fn keyword(&self, arguments: &[Node<'_>], word: &str) -> Option<String> {
        let value = self.keyword_node(arguments, word)?;
        Some(self.string(value).unwrap_or_else(|| routes::UNKNOWN.to_owned()))
    }

    fn string(&self, node: Node<'_>) -> Option<String> {
        let found = text(self.sheet.text(node)).filter(|_| node.kind() == "string");
        found.map(|(inside, _)| inside.to_owned())
    }
}

/// Packages whose objects are routed to by decorators.
const FRAMEWORKS: &[&str] = &[
    "aiohttp",
    "apiflask",
    "blacksheep",
    "bottle",
    "connexion",
    "esmerald",
    "falcon",
    "fastapi",
    "flask",
    "flask_openapi3",
    "flask_restx",
    "flask_smorest",
    "litestar",
    "microdot",
    "ninja",
    "quart",
    "robyn",
    "sanic",
    "starlette",
];

/// Names that routers are given and little else.
fn is_router_name(name: &str) -> bool {
    let name = name.to_lowercase();
    ["app", "api", "application", "router", "bp", "blueprint", "routes", "server"].iter().any(|word| {
        name.strip_suffix(word).is_some_and(|before| before.is_empty() || before.ends_with('_'))
            || name.starts_with(&format!("{word}_"))
    })
}

/// A regular expression of a path as one reads it: `^x/(?P<id>\d+)/$` is `x/<id>/`.
fn readable(pattern: &str) -> String {
    let pattern = pattern.trim_start_matches('^').trim_start_matches("\\A");
    let pattern = pattern.strip_suffix('$').or_else(|| pattern.strip_suffix("\\Z")).unwrap_or(pattern);
    let mut shown = String::new();
    let mut rest = pattern;
    while let Some(open) = rest.find("(?P<") {
        shown.push_str(&unescaped(&rest[..open]));
        let inside = &rest[open + "(?P<".len()..];
        let (Some((name, _)), Some(close)) = (inside.split_once('>'), closing(&rest[open..])) else {
            break;
        };
        shown.push_str(&format!("<{name}>"));
        rest = &rest[open + close + 1..];
    }
    shown.push_str(&unescaped(rest));
    shown
}

/// `\.` and `\-` stand for the sign; classes such as `\d` stay.
fn unescaped(pattern: &str) -> String {
    let mut shown = String::with_capacity(pattern.len());
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        let is_escape =
            sign == '\\' && signs.peek().is_some_and(|next| matches!(next, '.' | '-' | '/' | '_'));
        if !is_escape {
            shown.push(sign);
        }
    }
    shown
}

/// Where the bracket closes that a pattern begins with.
fn closing(pattern: &str) -> Option<usize> {
    let (mut depth, mut is_escaped, mut in_class) = (0, false, false);
    for (at, sign) in pattern.char_indices() {
        match sign {
            _ if is_escaped => {
                is_escaped = false;
                continue;
            }
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What stands between the quotes that a text begins with, and what comes after them.
fn text(written: &str) -> Option<(&str, &str)> {
    let written = written.trim_start();
    let written =
        written.strip_prefix(['r', 'R', 'u']).filter(|rest| rest.starts_with(['"', '\''])).unwrap_or(written);
    let quote = written.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    written[1..].split_once(quote)
}

/// The methods written after a pattern: GET where none are given, any where they are not written out.
fn methods(rest: &str) -> Vec<String> {
    rest.split_once("methods").map_or_else(|| vec!["GET".to_owned()], |(_, list)| listed(list))
}

fn listed(list: &str) -> Vec<String> {
    let list = list.split([']', ')', '}']).next().unwrap_or("");
    let mut found: Vec<String> = Vec::new();
    // What stands between quotes is every second part.
    for word in list.split(['"', '\'']).skip(1).step_by(2) {
        let word = word.to_uppercase();
        if !found.contains(&word) {
            found.push(word);
        }
    }
    if found.is_empty() { vec!["ANY".to_owned()] } else { found }
}
