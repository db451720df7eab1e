//! Finding a node by any of the names an agent may have for it.

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::NodeKind;
use crate::node::NodeFlags;
use crate::overloads;
use crate::spelling::{parts, wanted};

/// A list longer than this helps nobody to choose.
const MAX_CANDIDATES: usize = 10;

/// A name that is mistyped has about as many letters as the one that is meant.
const MAX_LENGTHS_APART: usize = 3;

/// Why a name does not name one node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    #[error("no node is named `{name}`")]
    NotFound { name: String },
    #[error("`{name}` names {total} nodes")]
    Ambiguous {
        name: String,
        total: usize,
        /// Ids of the first ten, in graph order.
        candidates: Vec<String>,
    },
    #[error("`{path}` has {lines} lines; there is no line {line}")]
    NoSuchLine { path: String, line: u32, lines: u32 },
}

impl Graph {
    /// Finds a node by id, path, `path:line`, qualified-name suffix, unique label or as an inherited member, tried
    /// in that order.
    pub fn find_node(&self, name: &str) -> Result<NodeIx, LookupError> {
        let name = name.trim();
        if let Some(found) = self.node_by_id(name) {
            return Ok(found);
        }
        if let Some(found) = self.node_by_place(name)? {
            return Ok(found);
        }
        let mut matches = self.nodes_by_suffix(name);
        if matches.is_empty() {
            matches = self.reexported(&wanted(name));
        }
        if matches.is_empty() {
            matches = self.nodes_by_import_path(name);
        }
        match matches[..] {
            [] => {
                let other = self.inherited(name).or_else(|| self.module_file(&wanted(name)));
                other.ok_or_else(|| LookupError::NotFound { name: name.to_owned() })
            }
            [only] => Ok(only),
            _ => Err(LookupError::Ambiguous {
                name: name.to_owned(),
                total: matches.len(),
                candidates: matches
                    .iter()
                    .take(MAX_CANDIDATES)
                    .map(|&ix| self.node(ix).id().to_owned())
                    .collect(),
            }),
        }
    }

    pub fn node_by_id(&self, id: &str) -> Option<NodeIx> {
        let columns = self.columns();
        let by_id = &*columns.by_id;
        let at = by_id.partition_point(|&at| columns.str(columns.id[at as usize]) < id);
        let found = *by_id.get(at)?;
        (columns.str(columns.id[found as usize]) == id).then_some(NodeIx(found))
    }

    /// Every node of one path, in the order of their first lines; the file itself comes first.
    pub fn nodes_in(&self, path: &str) -> impl DoubleEndedIterator<Item = NodeIx> + use<> {
        self.range_of(path).map(NodeIx)
    }

    /// The positions of the nodes of a path; an empty range where they would be when there are none.
    pub(crate) fn range_of(&self, path: &str) -> std::ops::Range<u32> {
        let columns = self.columns();
        let paths = &*columns.path;
        let start = paths.partition_point(|&p| columns.str(p) < path);
        let len = paths[start..].partition_point(|&p| columns.str(p) == path);
        start as u32..(start + len) as u32
    }

    /// The file or directory at a path.
    pub fn node_by_path(&self, path: &str) -> Option<NodeIx> {
        let is_place = |kind| matches!(kind, NodeKind::File | NodeKind::Directory | NodeKind::Document);
        self.nodes_in(path).find(|&ix| is_place(self.node(ix).kind()))
    }

    /// The innermost node of a file that covers a line; the file itself where nothing else does.
    pub fn node_at(&self, path: &str, line: u32) -> Option<NodeIx> {
        let covering = self.nodes_in(path).filter(|&ix| {
            let (start, end) = self.node(ix).lines();
            start <= line && line <= end && start > 0
        });
        covering
            .min_by_key(|&ix| {
                let (start, end) = self.node(ix).lines();
                // Of nodes with the same lines the later one is the inner one.
                (end - start, std::cmp::Reverse(ix))
            })
            .or_else(|| self.node_by_path(path))
    }

    /// Every node with exactly this label, in graph order.
    pub fn nodes_by_label(&self, label: &str) -> &[u32] {
        let columns = self.columns();
        let by_label = &*columns.by_label;
        let text = |at: u32| columns.str(columns.label[at as usize]);
        let start = by_label.partition_point(|&at| text(at) < label);
        let len = by_label[start..].partition_point(|&at| text(at) == label);
        &by_label[start..start + len]
    }

    /// Nodes whose qualified name, with the parts of its path before it, ends in `name`.
    pub fn nodes_by_suffix(&self, name: &str) -> Vec<NodeIx> {
        let wanted = wanted(name);
        let mut found = Vec::new();
        for &at in self.nodes_by_label(name) {
            found.push(NodeIx(at));
        }
        let last = wanted.last().filter(|last| **last != name);
        for &at in last.map_or(&[][..], |last| self.nodes_by_label(last)) {
            let node = self.node(NodeIx(at));
            // In a file that is named, what is around a name need not be.
            let in_file = name.rsplit_once("::").is_some_and(|(path, inner)| {
                let qualified: Vec<&str> = parts(node.qualified()).collect();
                path == node.path() && qualified.ends_with(&parts(inner).collect::<Vec<&str>>())
            });
            if (in_file || self.is_spelled(node, &wanted)) && !found.contains(&NodeIx(at)) {
                found.push(NodeIx(at));
            }
        }
        found.sort();
        // A file that is named means itself before another root's file of the same path.
        if let Some((path, _)) = name.rsplit_once("::")
            && found.iter().any(|&ix| self.node(ix).path() == path)
        {
            found.retain(|&ix| self.node(ix).path() == path);
        }
        // A class and the object beside it are one thing, told by its members.
        let all = found.clone();
        let may_be = |ix: NodeIx| self.node(ix).language() == "scala";
        found.retain(|&ix| !may_be(ix) || !all.iter().any(|&class| self.is_companion(ix, class)));
        // The name of a type is that of its constructors too, and means the type.
        let types: Vec<NodeIx> = found.iter().copied().filter(|&ix| self.node(ix).kind().is_type()).collect();
        found.retain(|&ix| {
            let is_constructor = self.node(ix).kind().is_callable();
            !(is_constructor && self.parent(ix).is_some_and(|owner| types.contains(&owner)))
        });
        found
    }

    /// Whether a node of Scala is the object that stands beside a class of its name.
    fn is_companion(&self, object: NodeIx, class: NodeIx) -> bool {
        let is_object = |ix: NodeIx| self.node(ix).signature().split(' ').any(|word| word == "object");
        let (one, other) = (self.node(object), self.node(class));
        other.kind().is_type()
            && (one.path(), one.qualified()) == (other.path(), other.qualified())
            && is_object(object)
            && !is_object(class)
    }

    /// What Go writes as `host/path/package.Type.Method` or `package.(*Type).Method`.
    fn nodes_by_import_path(&self, name: &str) -> Vec<NodeIx> {
        let plain: String = name.chars().filter(|c| !matches!(c, '(' | ')' | '*')).collect();
        let package = plain.rsplit('/').next().unwrap_or(&plain);
        if package == name {
            return Vec::new();
        }
        let mut found = self.nodes_by_suffix(package);
        found.retain(|&ix| self.node(ix).language() == "go");
        found
    }

    /// Labels of code that are most like a name, nearest first.
    pub fn nearest_labels(&self, name: &str, max: usize) -> Vec<&str> {
        let columns = self.columns();
        let mut labels: Vec<&str> = Vec::new();
        for &at in columns.by_label.iter() {
            let label = columns.str(columns.label[at as usize]);
            let kind = self.node(NodeIx(at)).kind();
            let is_near = label.len().abs_diff(name.len()) <= MAX_LENGTHS_APART.max(name.len() / 2);
            if is_near && (kind.is_callable() || kind.is_type()) && labels.last() != Some(&label) {
                labels.push(label);
            }
        }
        m1nd_stdx::nearest::nearest(name, labels, max)
    }

    /// Finds what a caller or a callee is asked of: like [`Graph::find_node`], but a name means code, values among it, before it
    /// means a file or a folder, and of a declaration and its definition it means the definition.
    pub fn find_code(&self, name: &str) -> Result<NodeIx, LookupError> {
        let name = name.trim();
        if let Some(found) = self.node_by_id(name) {
            return Ok(self.definition_of(found));
        }
        let is_code = |&ix: &NodeIx| {
            let kind = self.node(ix).kind();
            kind.is_callable() || kind.is_type() || kind == NodeKind::Constant
        };
        let mut code: Vec<NodeIx> = self.nodes_by_suffix(name).into_iter().filter(is_code).collect();
        for ix in &mut code {
            *ix = self.definition_of(*ix);
        }
        code.sort();
        code.dedup();
        match code[..] {
            [only] => Ok(only),
            _ => self.find_node(name).map(|found| self.definition_of(found)),
        }
    }

    /// The definition of something that is only declared here, as headers do; itself for all else.
    fn definition_of(&self, node: NodeIx) -> NodeIx {
        let declared = self.node(node);
        let is_c = |language: &str| matches!(language, "c" | "cpp");
        if !declared.flags().has(NodeFlags::ABSTRACT) || !is_c(declared.language()) {
            return node;
        }
        let is_body = |ix: &NodeIx| {
            let other = self.node(*ix);
            other.kind() == declared.kind()
                && !other.flags().has(NodeFlags::ABSTRACT)
                && is_c(other.language())
        };
        let named = self.nodes_by_label(declared.label()).iter().map(|&at| NodeIx(at)).filter(is_body);
        let named: Vec<NodeIx> = named.collect();
        let same = |ix: &&NodeIx| self.node(**ix).qualified() == declared.qualified();
        let mut bodies: Vec<NodeIx> = named.iter().filter(same).copied().collect();
        if bodies.is_empty() {
            // Where a file opens a namespace its members leave the name out.
            let class = self.parent(node);
            let is_shorter = |ix: &&NodeIx| {
                let head = declared.qualified().strip_suffix(self.node(**ix).qualified());
                head.is_some_and(|head| head.ends_with('.')) && class.is_some() && self.owner(**ix) == class
            };
            bodies = named.iter().filter(is_shorter).copied().collect();
        }
        if bodies.len() > 1 {
            let wanted = overloads::params(declared.signature());
            bodies.retain(|&ix| overloads::params(self.node(ix).signature()) == wanted);
        }
        match bodies[..] {
            [only] => only,
            _ => node,
        }
    }

    fn node_by_place(&self, name: &str) -> Result<Option<NodeIx>, LookupError> {
        let name = name.strip_prefix("./").unwrap_or(name);
        if let Some(found) = self.node_by_path(name) {
            return Ok(Some(found));
        }
        let Some((path, Ok(line))) = name.rsplit_once(':').map(|(path, line)| (path, line.parse::<u32>()))
        else {
            return Ok(None);
        };
        let Some(place) = self.node_by_path(path) else { return Ok(None) };
        let (_, lines) = self.node(place).lines();
        if self.node(place).kind() == NodeKind::File && !(1..=lines).contains(&line) {
            return Err(LookupError::NoSuchLine { path: path.to_owned(), line, lines });
        }
        Ok(self.node_at(path, line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::EdgeKind;
    use crate::{EdgeSpec, Evidence, GraphBuilder, NodeSpec};
    use expect_test::{Expect, expect};

    fn sample() -> Graph {
        let mut builder = GraphBuilder::new();
        let mut add = |kind: NodeKind, path: &str, qualified: &str, start, end| {
            let label = qualified.rsplit('.').next().filter(|l| !l.is_empty());
            let label = label.unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path)).to_owned();
            let mut spec = NodeSpec::new(kind, crate::ids::node_id(kind, path, qualified), label);
            spec.path = path.to_owned();
            spec.qualified = qualified.to_owned();
            spec.line_start = start;
            spec.line_end = end;
            builder.node(spec);
        };
        add(NodeKind::File, "shop/cart.py", "", 1, 40);
        add(NodeKind::Class, "shop/cart.py", "Cart", 3, 30);
        add(NodeKind::Method, "shop/cart.py", "Cart.add", 5, 9);
        add(NodeKind::Function, "shop/cart.py", "Cart.add.inner", 6, 7);
        add(NodeKind::File, "shop/order.py", "", 1, 9);
        add(NodeKind::Method, "shop/order.py", "Order.add", 2, 4);
        add(NodeKind::Class, "shop/order.py", "Order", 1, 5);
        add(NodeKind::Class, "shop/order.py", "Rush", 6, 9);
        add(NodeKind::File, "shop/__init__.py", "", 1, 2);
        add(NodeKind::File, "A.java", "", 1, 9);
        add(NodeKind::Class, "A.java", "Coin", 1, 5);
        add(NodeKind::Method, "A.java", "Coin.Coin", 2, 3);
        for (outer, kind, inner) in [
            ("class::shop/order.py::Order", EdgeKind::Contains, "method::shop/order.py::Order.add"),
            ("class::shop/order.py::Rush", EdgeKind::Inherits, "class::shop/order.py::Order"),
            ("file::shop/order.py", EdgeKind::Contains, "class::shop/order.py::Order"),
            ("file::shop/__init__.py", EdgeKind::Imports, "class::shop/order.py::Rush"),
            ("file::shop/__init__.py", EdgeKind::Imports, "file::shop/order.py"),
            ("class::A.java::Coin", EdgeKind::Contains, "method::A.java::Coin.Coin"),
        ] {
            let (outer, inner) = (builder.find(outer).expect("added"), builder.find(inner).expect("added"));
            builder.edge(EdgeSpec::new(outer, kind, inner, Evidence::Resolved));
        }
        builder.finish(1)
    }

    fn check(name: &str, expect: Expect) {
        let graph = sample();
        let found = graph.find_node(name).map(|ix| graph.node(ix).id().to_owned());
        expect.assert_eq(&format!("{found:?}"));
    }

    #[test]
    fn a_variable_of_a_module_is_no_less_meant_than_a_method_of_its_name() {
        let mut builder = GraphBuilder::new();
        for (kind, path, qualified) in [
            (NodeKind::Method, "ctx.py", "AppContext.session"),
            (NodeKind::Constant, "globals.py", "session"),
            (NodeKind::Function, "globals.py", "push"),
        ] {
            let label = qualified.rsplit('.').next().unwrap_or(qualified).to_owned();
            let spec = NodeSpec::new(kind, crate::ids::node_id(kind, path, qualified), label);
            builder.node(NodeSpec { path: path.to_owned(), qualified: qualified.to_owned(), ..spec });
        }
        let graph = builder.finish(1);
        assert!(matches!(graph.find_code("session"), Err(LookupError::Ambiguous { total: 2, .. })));
        let method = graph.find_code("AppContext.session").map(|ix| graph.node(ix).kind());
        assert_eq!(method, Ok(NodeKind::Method));
        assert_eq!(graph.find_code("push").map(|ix| graph.node(ix).kind()), Ok(NodeKind::Function));
    }

    #[test]
    fn a_node_is_found_by_each_of_its_names() {
        check("method::shop/cart.py::Cart.add", expect![[r#"Ok("method::shop/cart.py::Cart.add")"#]]);
        check("shop/cart.py", expect![[r#"Ok("file::shop/cart.py")"#]]);
        check("./shop/cart.py:8", expect![[r#"Ok("method::shop/cart.py::Cart.add")"#]]);
        check("shop/cart.py:7", expect![[r#"Ok("function::shop/cart.py::Cart.add.inner")"#]]);
        check("shop/cart.py:39", expect![[r#"Ok("file::shop/cart.py")"#]]);
        check("Cart::add", expect![[r#"Ok("method::shop/cart.py::Cart.add")"#]]);
        check("order.Order.add", expect![[r#"Ok("method::shop/order.py::Order.add")"#]]);
        check("Cart", expect![[r#"Ok("class::shop/cart.py::Cart")"#]]);
        check("cart.py", expect![[r#"Ok("file::shop/cart.py")"#]]);
        check("cart.py::Cart", expect![[r#"Ok("class::shop/cart.py::Cart")"#]]);
        check("shop/order.py::add", expect![[r#"Ok("method::shop/order.py::Order.add")"#]]);
        check("shop/cart.py::Cart.add", expect![[r#"Ok("method::shop/cart.py::Cart.add")"#]]);
    }

    #[test]
    fn a_name_may_be_written_as_each_language_writes_it() {
        let mut builder = GraphBuilder::new();
        let mut add = |kind: NodeKind, path: &str, qualified: &str, language: &str, tags: &[&str]| {
            let label = qualified.rsplit('.').next().filter(|l| !l.is_empty()).unwrap_or(path).to_owned();
            let mut spec = NodeSpec::new(kind, crate::ids::node_id(kind, path, qualified), label);
            (spec.path, spec.qualified) = (path.to_owned(), qualified.to_owned());
            (spec.language, spec.tags) =
                (language.to_owned(), tags.iter().map(|&tag| tag.to_owned()).collect());
            builder.node(spec);
        };
        for (path, qualified, language, tag) in [
            ("src/main/java/com/a/B.java", "B.c", "java", "package:com.a"),
            ("command.go", "Command.Execute", "go", "package:cobra"),
            ("src/A.php", "A.make", "php", "package:N"),
            ("crates/graph/src/look/up.rs", "Up.find", "rust", ""),
            ("crates/graph/src/lib.rs", "open", "rust", ""),
            ("db/impl.cc", "ns.Db.Writer.wake", "cpp", ""),
        ] {
            add(NodeKind::File, path, "", language, &[tag]);
            add(NodeKind::Method, path, qualified, language, &[]);
        }
        let graph = builder.finish(1);
        for (name, path) in [
            ("com.a.B.c", "src/main/java/com/a/B.java"),
            ("com.a.B#c", "src/main/java/com/a/B.java"),
            ("cobra.Command.Execute", "command.go"),
            ("cobra.(*Command).Execute", "command.go"),
            ("example.com/x/cobra.Command.Execute", "command.go"),
            ("N\\A::make", "src/A.php"),
            ("\\N\\A::make", "src/A.php"),
            ("crate::look::up::Up::find", "crates/graph/src/look/up.rs"),
            ("shop_graph::look::up::Up::find", "crates/graph/src/look/up.rs"),
            ("graph::open", "crates/graph/src/lib.rs"),
            ("ns::Db::Writer::wake", "db/impl.cc"),
            ("Db::Writer::wake", "db/impl.cc"),
        ] {
            let found = graph.find_node(name).map(|ix| graph.node(ix).path());
            assert_eq!(found, Ok(path), "{name}");
        }
        for name in [
            "com.x.B.c",
            "viper.Command.Execute",
            "M\\A::make",
            "other::look::up::Up::find",
            "ns::Other::wake",
        ] {
            assert!(graph.find_node(name).is_err(), "{name}");
        }
    }

    #[test]
    fn an_inherited_member_is_that_of_the_base() {
        check("Rush.add", expect![[r#"Ok("method::shop/order.py::Order.add")"#]]);
        check("Rush::add", expect![[r#"Ok("method::shop/order.py::Order.add")"#]]);
        check("Rush.other", expect![[r#"Err(NotFound { name: "Rush.other" })"#]]);
    }

    #[test]
    fn what_a_package_imports_is_found_by_the_name_of_the_package() {
        check("shop.Rush", expect![[r#"Ok("class::shop/order.py::Rush")"#]]);
        check("shop.Rush.add", expect![[r#"Ok("method::shop/order.py::Order.add")"#]]);
        check("shop.Order", expect![[r#"Ok("class::shop/order.py::Order")"#]]);
        check("shop.Cart.add.inner", expect![[r#"Err(NotFound { name: "shop.Cart.add.inner" })"#]]);
    }

    #[test]
    fn a_type_and_its_constructor_are_told_apart() {
        check("Coin", expect![[r#"Ok("class::A.java::Coin")"#]]);
        check("A.java::Coin", expect![[r#"Ok("class::A.java::Coin")"#]]);
        check("A.java::Coin.Coin", expect![[r#"Ok("method::A.java::Coin.Coin")"#]]);
        check("Coin.Coin", expect![[r#"Ok("method::A.java::Coin.Coin")"#]]);
    }

    #[test]
    fn a_line_that_is_not_there_is_said_so() {
        check(
            "shop/cart.py:9999",
            expect![[r#"Err(NoSuchLine { path: "shop/cart.py", line: 9999, lines: 40 })"#]],
        );
        check("shop/cart.py:0", expect![[r#"Err(NoSuchLine { path: "shop/cart.py", line: 0, lines: 40 })"#]]);
    }

    #[test]
    fn a_name_of_two_nodes_lists_them_and_an_unknown_one_finds_nothing() {
        check(
            "add",
            expect![[
                r#"Err(Ambiguous { name: "add", total: 2, candidates: ["method::shop/cart.py::Cart.add", "method::shop/order.py::Order.add"] })"#
            ]],
        );
        check("dd", expect![[r#"Err(NotFound { name: "dd" })"#]]);
        check("art.add", expect![[r#"Err(NotFound { name: "art.add" })"#]]);
        check("shop/none.py:3", expect![[r#"Err(NotFound { name: "shop/none.py:3" })"#]]);
    }
}
