//! Tests of GoogleTest, Boost, Catch2 and doctest, which are written as macros.

use tree_sitter::Node;

use m1nd_graph::NodeFlags;

use super::extract::{Opened, Reader, TestCase};
use crate::facts::{DefKind, How, Name};
use crate::sheet::{field, line, named_children};

impl Reader<'_> {
    /// `TEST(Suite, Name)` and its like of GoogleTest: suite, name, whether the suite is a class.
    pub(super) fn test_macro(
        &mut self,
        node: Node<'_>,
        function: Node<'_>,
        name: Node<'_>,
    ) -> Option<(Name, String, bool)> {
        if field(node, "type").is_some() {
            return None;
        }
        let is_fixture = match self.sheet.bytes(name) {
            b"TEST" | b"TYPED_TEST_NOT_FIXTURE" => false,
            b"TEST_F" | b"TEST_P" | b"TYPED_TEST" | b"TYPED_TEST_P" => true,
            b"BOOST_AUTO_TEST_CASE" | b"BOOST_FIXTURE_TEST_CASE" => {
                let first = named_children(field(function, "parameters")?).into_iter().next()?;
                let suite = self.sheet.name(b"");
                return Some((suite, self.sheet.text(first).to_owned(), false));
            }
            _ => return None,
        };
        let given = named_children(field(function, "parameters")?);
        let [suite, test] = given[..] else { return None };
        Some((self.sheet.name_of(suite), self.sheet.text(test).to_owned(), is_fixture))
    }

    /// A test is a function; one of a fixture is a member of it.
    pub(super) fn open_test(&mut self, node: Node<'_>, suite: Name, test: &str, is_fixture: bool) {
        let mut opened = Opened { defs: 1, blocks: 1 };
        let mut name = test.to_owned();
        if is_fixture {
            self.enter_impl(node, vec![suite]);
            opened.defs += 1;
        } else if !self.sheet.facts.text(suite).is_empty() {
            name = format!("{}.{test}", self.sheet.facts.text(suite));
        }
        let name = self.sheet.owned_name(&name);
        let kind = if is_fixture { DefKind::Method } else { DefKind::Function };
        let mut def = self.sheet.def(kind, name, node, node);
        def.doc = self.sheet.take_doc(def.line_start);
        let body = field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
        def.signature = self.sheet.signature(node.start_byte(), body);
        def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::ENTRY_POINT);
        def.how = How::Titled;
        self.sheet.open_def(def);
        self.sheet.open_block(node);
        self.opened(node, opened);
    }

    /// A block; after `TEST_CASE("name")` of Catch2 and doctest it is a test.
    pub(super) fn open_compound(&mut self, node: Node<'_>) {
        let mut opened = Opened { defs: 0, blocks: 1 };
        if let Some(test) = self.test_case.take()
            && self
                .sheet
                .source
                .get(test.to..node.start_byte())
                .is_some_and(|gap| gap.trim_ascii().is_empty())
        {
            let name = self.sheet.owned_name(&test.name);
            let mut def = self.sheet.def(DefKind::Function, name, node, node);
            (def.line_start, def.name_line) = (test.line, test.line);
            def.from = test.from as u32;
            def.signature = self.sheet.signature(test.from, node.start_byte());
            def.flags = def.flags.with(NodeFlags::TEST_CODE).with(NodeFlags::ENTRY_POINT);
            def.how = How::Titled;
            self.sheet.open_def(def);
            opened.defs = 1;
        }
        self.sheet.open_block(node);
        self.opened(node, opened);
    }

    /// Remembers `TEST_CASE("name")`, in case a block comes next.
    pub(super) fn statement(&mut self, node: Node<'_>) {
        if self.sheet.owner().is_some() {
            return;
        }
        let Some(call) = node.named_child(0).filter(|call| call.kind() == "call_expression") else { return };
        let called = field(call, "function").map(|function| self.sheet.text(function)).unwrap_or("");
        if !called.ends_with("TEST_CASE") && called != "SCENARIO" {
            return;
        }
        let first = field(call, "arguments").and_then(|arguments| arguments.named_child(0));
        let text = first.filter(|first| first.kind() == "string_literal").map(|first| self.sheet.text(first));
        self.test_case = text.map(|text| TestCase {
            name: text.trim_matches('"').to_owned(),
            line: line(node),
            from: node.start_byte(),
            to: node.end_byte(),
        });
    }
}
