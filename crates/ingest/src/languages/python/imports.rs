//! Imports of a Python file.

use tree_sitter::Node;

use super::extract::{DocWanted, Reader};
use crate::facts::{Import, ImportAll};
use crate::sheet::{Sheet, field, line, named_children};

impl Reader<'_> {
    pub(super) fn import(&mut self, node: Node<'_>) {
        self.doc_wanted = DocWanted::No;
        for child in named_children(node) {
            let (path_node, alias) = match child.kind() {
                "aliased_import" => (field(child, "name"), field(child, "alias")),
                _ => (Some(child), None),
            };
            let path: Vec<_> = path_node.map(named_children).unwrap_or_default();
            let path: Vec<_> = path.into_iter().map(|part| self.sheet.name_of(part)).collect();
            let Some(&first) = path.first() else { continue };
            // `import a.b` binds `a`; `import a.b as c` binds the module itself.
            let (bind, path) = match alias {
                Some(alias) => (self.sheet.name_of(alias), path),
                None => (first, path),
            };
            let entry = Import {
                item: None,
                level: 0,
                bind,
                all: ImportAll::No,
                exported: true,
                scope: self.sheet.scope(),
                line: line(node),
                path,
            };
            self.sheet.facts.imports.push(entry);
        }
    }

    pub(super) fn import_from(&mut self, node: Node<'_>) {
        self.doc_wanted = DocWanted::No;
        let Some(module) = field(node, "module_name") else {
            return;
        };
        let mut level = 0;
        let mut path = Vec::new();
        if module.kind() == "relative_import" {
            level = self.sheet.bytes(module).iter().take_while(|&&b| b == b'.').count() as u8;
            for child in named_children(module).into_iter().filter(|child| child.kind() == "dotted_name") {
                path = named_children(child);
            }
        } else {
            path = named_children(module);
        }
        let path: Vec<_> = path.into_iter().map(|part| self.sheet.name_of(part)).collect();
        let add = |sheet: &mut Sheet<'_>, item, bind, all| {
            let entry = Import {
                path: path.clone(),
                level,
                item,
                bind,
                all,
                exported: true,
                scope: sheet.scope(),
                line: line(node),
            };
            sheet.facts.imports.push(entry);
        };
        for child in named_children(node) {
            if child == module {
                continue;
            }
            match child.kind() {
                "wildcard_import" => {
                    let star = self.sheet.name(b"*");
                    add(&mut self.sheet, None, star, ImportAll::Yes);
                }
                "aliased_import" => {
                    if let (Some(name), Some(alias)) = (field(child, "name"), field(child, "alias")) {
                        let (item, bind) = (self.sheet.name_of(name), self.sheet.name_of(alias));
                        add(&mut self.sheet, Some(item), bind, ImportAll::No);
                    }
                }
                "dotted_name" => {
                    let item = self.sheet.name_of(child);
                    add(&mut self.sheet, Some(item), item, ImportAll::No);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing;

    #[test]
    fn an_import_that_may_fail_counts_beside_what_stands_in_for_it() {
        let fixture = r#"
//- fast.py
def loads(x): return 1
def dumps(x): return 1
//- use.py
try:
    import fast as f
except ImportError:
    f = None
if flag:
    from fast import loads as either
else:
    either = lambda x: x
def by_module(): return f.loads(1)
def inside():
    try:
        from fast import dumps as dd
    except ImportError:
        dd = None
    return dd(1)
def in_branch(): return either(1)
def given():
    f = other()
    return f.loads(1)
"#;
        expect![[r#"
            use.py by_module -> fast.py loads @[9]
            use.py in_branch -> fast.py loads @[16]
            use.py inside -> fast.py dumps @[15]
        "#]]
        .assert_eq(&testing::calls(fixture));
    }
}
