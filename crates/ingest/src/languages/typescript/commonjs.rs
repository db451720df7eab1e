//! What a file gives to others: by `export { … }`, by `exports.name = …` and as `module.exports`.

use m1nd_graph::NodeFlags;

use crate::facts::{DefIx, Expr, ExprIx, FileFacts, How, ImportAll, Name, SPREAD};

/// The name of what `module.exports` is assigned.
pub(super) const WHOLE: &str = "module.exports";

/// Marks definitions that others can come by, and modules that are passed on as a whole.
pub(super) fn mark(facts: &mut FileFacts) {
    let (mut defs, mut passed) = (Vec::new(), Vec::new());
    // Beside `export *` a name that is given under another one may be the name of something else.
    let is_plain = facts.imports.iter().all(|import| import.all == ImportAll::No);
    for export in &facts.exports {
        let name = facts.inside.exprs.get(export.value.0 as usize);
        if is_plain || matches!(name, Some(Expr::Name { name, .. }) if *name == export.name) {
            offered(facts, export.value, &mut defs);
        }
        if facts.text(export.name) != WHOLE {
            continue;
        }
        let mut wholes = vec![export.value];
        if let Some(Expr::Object(members)) = facts.inside.exprs.get(export.value.0 as usize) {
            for (name, value) in members {
                match facts.text(*name) {
                    SPREAD => wholes.push(*value),
                    _ => offered(facts, *value, &mut defs),
                }
            }
        }
        passed.extend(wholes.into_iter().filter_map(|whole| loaded(facts, whole)));
    }
    for ix in defs {
        let def = &mut facts.defs[ix.0 as usize];
        def.flags = def.flags.with(NodeFlags::EXPORTED);
    }
    for at in passed {
        if let Some(import) = facts.imports.get_mut(at as usize) {
            import.exported = true;
        }
    }
}

/// The definitions that a value of the file is.
fn offered(facts: &FileFacts, value: ExprIx, defs: &mut Vec<DefIx>) {
    match facts.inside.exprs.get(value.0 as usize) {
        Some(Expr::Def(ix)) => defs.push(*ix),
        Some(Expr::Name { name, .. }) => {
            let all = (0..).map(DefIx).zip(&facts.defs);
            let at_top = all.filter(|(_, def)| def.parent.is_none() && def.how == How::Free);
            defs.extend(at_top.filter(|(_, def)| def.name == *name).map(|(ix, _)| ix));
        }
        _ => {}
    }
}

/// The import of a module that a value is as a whole.
fn loaded(facts: &FileFacts, value: ExprIx) -> Option<u32> {
    match facts.inside.exprs.get(value.0 as usize)? {
        Expr::Import(at) => Some(*at),
        Expr::Name { name, .. } => match facts.inside.exprs.get(top_value(facts, *name)?.0 as usize)? {
            Expr::Import(at) => Some(*at),
            _ => None,
        },
        _ => None,
    }
}

fn top_value(facts: &FileFacts, name: Name) -> Option<ExprIx> {
    let mut at_top = facts.bindings.iter().filter(|binding| binding.owner.is_none());
    at_top.find(|binding| binding.name == name)?.value
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use m1nd_graph::{EdgeKind, NodeFlags};

    use crate::testing;

    const MODULES: &str = r#"
//- object.js
function a() {}
function b() {}
function hidden() {}
const c = () => {}
module.exports = { a, renamed: b, c, own() {}, pair: function () {} }
//- named.js
exports.a = function () {}
module.exports.b = () => {}
function c() {}
exports.c = c
exports.d = exports.e = function () {}
//- whole.js
module.exports = function go(x) { return x }
//- nameless.js
module.exports = (x) => x
//- later.js
function go() {}
module.exports = go
module.exports.extra = function () {}
//- chain.js
exports = module.exports = make
exports.part = part
function make() {}
function part() {}
//- class.js
module.exports = class Cart { add() {} }
//- made.js
class Store { save() {} }
module.exports = new Store()
//- passed.js
module.exports = require('./object')
//- spread.js
const named = require('./named')
function own() {}
module.exports = { ...require('./object'), ...named, own }
//- folder/index.js
exports.inner = require('./inner')
exports.near = require('./inner').near
//- folder/inner.js
exports.near = function () {}
//- barrel.mjs
export * from './esm.mjs'
function eight() {}
function nine() {}
export { eight as ten, nine }
//- user.mjs
import { eight, nine, ten } from './barrel.mjs'
function all() {
  eight()
  nine()
  ten()
}
//- main.js
const { a, renamed: r, c } = require('./object')
const object = require('./object')
const named = require('./named')
const go = require('./whole')
const nameless = require('./nameless')
const later = require('./later')
const chain = require('./chain')
const Cart = require('./class')
const made = require('./made')
const passed = require('./passed')
const { own, b } = require('./spread')
const spread = require('./spread')
const folder = require('./folder')
const near = require('./folder').near
class Large extends Cart { more() { this.add() } }
function one() { a(); r(); c(); object.own(); object.pair() }
function two() { named.a(); named.b(); named.c(); named.d(); named.e() }
function three() { go(1); nameless(1); later(); later.extra(); chain(); chain.part() }
function four() { new Cart().add(); made.save() }
function five() { passed.a(); own(); b(); spread.renamed(); spread.c() }
function six() { folder.inner.near(); folder.near(); near() }
function seven() {
  const { a } = require('./named')
  a()
  require('./object').a()
  require('./whole')(1)
  new (require('./class'))().add()
}
//- esm.mjs
import object, { a } from './object.js'
import go from './whole.js'
import * as named from './named.js'
export function eight() { object.renamed(); a(); go(1); named.b() }
"#;

    #[test]
    fn calls_of_what_a_module_gives_lead_to_it() {
        expect![[r#"
            esm.mjs eight -> named.js b @[4]
            esm.mjs eight -> object.js a @[4]
            esm.mjs eight -> object.js b @[4]
            esm.mjs eight -> whole.js go @[4]
            made.js -> made.js Store @[2]
            main.js Large.more -> class.js Cart.add @[15]
            main.js five -> named.js b @[20]
            main.js five -> named.js c @[20]
            main.js five -> object.js a @[20]
            main.js five -> object.js b @[20]
            main.js five -> spread.js own @[20]
            main.js four -> class.js Cart @[19]
            main.js four -> class.js Cart.add @[19]
            main.js four -> made.js Store.save @[19]
            main.js one -> object.js a @[16]
            main.js one -> object.js b @[16]
            main.js one -> object.js c @[16]
            main.js one -> object.js own @[16]
            main.js one -> object.js pair @[16]
            main.js seven -> class.js Cart @[27]
            main.js seven -> class.js Cart.add @[27]
            main.js seven -> named.js a @[24]
            main.js seven -> object.js a @[25]
            main.js seven -> whole.js go @[26]
            main.js six -> folder/inner.js near @[21]
            main.js three -> chain.js make @[18]
            main.js three -> chain.js part @[18]
            main.js three -> later.js extra @[18]
            main.js three -> later.js go @[18]
            main.js three -> nameless.js exports @[18]
            main.js three -> whole.js go @[18]
            main.js two -> named.js a @[17]
            main.js two -> named.js b @[17]
            main.js two -> named.js c @[17]
            main.js two -> named.js e @[17]
            user.mjs all -> barrel.mjs eight @[5]
            user.mjs all -> barrel.mjs nine @[4]
            user.mjs all -> esm.mjs eight @[3]
        "#]]
        .assert_eq(&testing::calls(MODULES));
    }

    #[test]
    fn what_a_module_gives_is_exported() {
        let graph = testing::graph(MODULES);
        let exported = graph.nodes().filter(|node| node.flags().has(NodeFlags::EXPORTED));
        let mut lines: Vec<String> = exported.map(|node| format!("{}\n", node.id())).collect();
        lines.sort();
        expect![[r#"
            class::class.js::Cart
            function::barrel.mjs::nine
            function::chain.js::make
            function::chain.js::part
            function::esm.mjs::eight
            function::folder/inner.js::near
            function::later.js::extra
            function::later.js::go
            function::named.js::a
            function::named.js::b
            function::named.js::c
            function::named.js::e
            function::nameless.js::exports
            function::object.js::a
            function::object.js::b
            function::object.js::c
            function::object.js::own
            function::object.js::pair
            function::spread.js::own
            function::whole.js::go
        "#]]
        .assert_eq(&lines.concat());
    }

    #[test]
    fn a_class_may_extend_what_a_module_gives() {
        let graph = testing::graph(MODULES);
        expect![[r#"
            main.js Large -> class.js Cart @[15]
        "#]]
        .assert_eq(&testing::edges(&graph, &[EdgeKind::Inherits]));
    }
}
