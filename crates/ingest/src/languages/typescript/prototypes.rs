//! Members that are added to a function, a class or an object after it was made: `Foo.prototype.bar = function`,
//! `Foo.prototype = { … }`, `Object.assign(Foo.prototype, { … })`, `app.use = function`.

use tree_sitter::Node;

use super::extract::Reader;
use crate::facts::{DefKind, Few, How, TypeExpr};
use crate::sheet::{field, line, named_children};

impl Reader<'_> {
    /// Whose member an assignment makes, and whether it is one of the values that are made.
    pub(super) fn owner_of(&self, left: Node<'_>) -> Option<(Vec<u8>, How)> {
        let object = field(left, "object")?;
        let name = self.sheet.bytes(object);
        let is_module =
            matches!(name, b"exports" | b"module" | b"window" | b"global" | b"globalThis" | b"self");
        match object.kind() {
            "identifier" => (!is_module).then(|| (name.to_vec(), How::Static)),
            _ => Some((self.prototype_of(object)?, How::Instance)),
        }
    }

    /// `Foo` of `Foo.prototype`.
    fn prototype_of(&self, node: Node<'_>) -> Option<Vec<u8>> {
        let (object, property) = (field(node, "object")?, field(node, "property")?);
        let is_prototype = object.kind() == "identifier" && self.sheet.bytes(property) == b"prototype";
        is_prototype.then(|| self.sheet.bytes(object).to_vec())
    }

    /// `Foo.prototype = { … }`
    pub(super) fn plan_prototype(&mut self, left: Node<'_>, right: Node<'_>) {
        if let (Some(owner), "object") = (self.prototype_of(left), right.kind()) {
            self.prototypes.insert(right.id(), owner);
        }
    }

    /// `Object.assign(Foo.prototype, { … })` and its like of libraries.
    pub(super) fn plan_mixin(&mut self, node: Node<'_>) {
        let function = field(node, "function").map(|function| self.sheet.bytes(function)).unwrap_or(b"");
        let name = function.rsplit(|&b| b == b'.').next().unwrap_or(function);
        if !matches!(name, b"assign" | b"extend" | b"mixin") {
            return;
        }
        let given = field(node, "arguments").map(named_children).unwrap_or_default();
        let Some((first, rest)) = given.split_first() else { return };
        if let Some(owner) = self.prototype_of(*first) {
            for object in rest.iter().filter(|object| object.kind() == "object") {
                self.prototypes.insert(object.id(), owner.clone());
            }
        }
    }

    pub(super) fn enter_object(&mut self, node: Node<'_>) {
        if let Some(owner) = self.prototypes.remove(&node.id()) {
            self.enter_impl(node, &owner);
            for child in named_children(node) {
                self.members.insert(child.id());
            }
        }
    }

    pub(super) fn leave_object(&mut self, node: Node<'_>) {
        if self.owned.remove(&node.id()) {
            self.sheet.close_def();
        }
    }

    /// Members of one owner are kept together, wherever they are added.
    pub(super) fn enter_impl(&mut self, node: Node<'_>, owner: &[u8]) {
        self.owned.insert(node.id());
        let scope = self.sheet.scope();
        let text = String::from_utf8_lossy(owner).into_owned();
        let owner = self.sheet.owned_name(&text);
        if let Some(&known) = self.impls.get(&(scope, owner)) {
            return self.sheet.enter_def(known);
        }
        let path = TypeExpr::Path { segments: [owner].into(), args: Few::new(), scope, line: line(node) };
        let of = self.sheet.push_type(path);
        let name = self.sheet.name(b"");
        let mut def = self.sheet.def(DefKind::Impl, name, node, node);
        def.of = Some(of);
        let ix = self.sheet.open_def(def);
        self.impls.insert((scope, owner), ix);
    }
}
