//! Functions that are called through a value which a call made of them: `const handler = wrap(inner)`.
//!
//! What a wrapper gives is its own, but as a rule it runs what it was handed. That is never certain, so whoever calls
//! such a value is said to call perhaps the one, perhaps another.

use crate::facts::{Binding, Expr, ExprIx, Name, Scope};
use crate::languages;
use crate::resolve::constants;
use crate::resolve::eval::Eval;
use crate::resolve::program::GDef;
use crate::resolve::ty::Ty;

/// Names are followed to values, and wrappers into wrappers, this far.
const MAX_HOPS: u32 = 3;

/// What a function gives is looked through this far.
const MAX_PARTS: u32 = 64;

/// The functions that were handed to what made a callee.
pub(super) fn handed(eval: &mut Eval<'_, '_>, file: u32, callee: ExprIx) -> Vec<GDef> {
    // Elsewhere what a variable may hold has a type, which says what it runs or that nobody knows.
    let language = eval.program.files[file as usize].language.as_str();
    if !matches!(languages::family(language), "python" | "script" | "go") {
        return Vec::new();
    }
    let Some((file, value)) = value(eval, file, callee, MAX_HOPS) else { return Vec::new() };
    let mut found = made_of(eval, file, value, MAX_HOPS);
    found.sort();
    found.dedup();
    found
}

/// The call that a name holds the result of.
fn value(eval: &mut Eval<'_, '_>, file: u32, ix: ExprIx, hops: u32) -> Option<(u32, ExprIx)> {
    let hops = hops.checked_sub(1)?;
    let local = match eval.program.inside(file).expr(ix) {
        Expr::Name { name, scope, at } => bound(eval, file, *name, *scope, *at),
        Expr::Field { .. } => None,
        _ => return None,
    };
    let (file, value_ix) = match local {
        Some(binding) => (file, binding.value?),
        None => {
            let constant = constants::named(eval, file, ix)?;
            (eval.program.file_of(constant), eval.program.def(constant).value?)
        }
    };
    match eval.program.inside(file).exprs.get(value_ix.0 as usize)? {
        Expr::Call { .. } | Expr::Any(_) => Some((file, value_ix)),
        _ => value(eval, file, value_ix, hops),
    }
}

/// What a name holds at a byte of a function.
fn bound<'p>(eval: &Eval<'p, '_>, file: u32, name: Name, scope: Scope, at: u32) -> Option<&'p Binding> {
    let program = eval.program;
    let facts = program.files[file as usize];
    let mut around = scope;
    while let Some(ix) = around {
        if facts.def(ix).kind.is_callable() {
            let own = program.bindings(file, Some(ix), name);
            if let Some(found) = own.filter(|binding| binding.from <= at && at < binding.to).last() {
                return Some(found);
            }
        }
        around = facts.def(ix).parent;
    }
    None
}

fn made_of(eval: &mut Eval<'_, '_>, file: u32, ix: ExprIx, hops: u32) -> Vec<GDef> {
    let Some(hops) = hops.checked_sub(1) else { return Vec::new() };
    match eval.program.inside(file).exprs.get(ix.0 as usize) {
        Some(Expr::Any(parts)) => parts.iter().flat_map(|&part| made_of(eval, file, part, hops)).collect(),
        // `f.bind(this)`
        Some(Expr::Call { callee, .. }) if bound_by(eval, file, *callee).is_some() => {
            let base = bound_by(eval, file, *callee).map(|base| eval.expr(file, base));
            base.map_or_else(Vec::new, |base| base.functions())
        }
        Some(Expr::Call { callee, args, .. }) if wraps(eval, file, *callee, ix) => {
            let each = args.iter().flat_map(|&arg| match eval.expr(file, arg) {
                Ty::Unknown | Ty::External | Ty::Closure(..) => made_of(eval, file, arg, hops),
                known => known.functions(),
            });
            each.collect()
        }
        _ => Vec::new(),
    }
}

/// What the method is read from that gives a function its object.
fn bound_by(eval: &Eval<'_, '_>, file: u32, callee: ExprIx) -> Option<ExprIx> {
    let facts = eval.program.files[file as usize];
    match eval.program.inside(file).expr(callee) {
        Expr::Field { base, name } if facts.text(*name) == "bind" => Some(*base),
        _ => None,
    }
}

/// Whether a function gives back one of its parameters.
fn gives_back(eval: &Eval<'_, '_>, def: GDef) -> bool {
    let (file, found) = (eval.program.file_of(def), eval.program.def(def));
    let exprs = &eval.program.inside(file).exprs;
    found.results.iter().any(|result| match exprs.get(result.0 as usize) {
        Some(Expr::Name { name, .. }) => found.params.iter().any(|param| param.name == *name),
        _ => false,
    })
}

/// Whether a function that another one gives uses a parameter of that other one for what it gives itself. One that
/// only ends or undoes something does not, so it is not taken for what was handed over.
fn uses_parameter(eval: &Eval<'_, '_>, def: GDef, gives: &[ExprIx]) -> bool {
    let program = eval.program;
    let (file, found) = (program.file_of(def), program.def(def));
    let exprs = &program.inside(file).exprs;
    let mut waiting: Vec<ExprIx> = gives.to_vec();
    for _ in 0..MAX_PARTS {
        let Some(ix) = waiting.pop() else { break };
        match exprs.get(ix.0 as usize) {
            Some(Expr::Name { name, .. }) if found.params.iter().any(|param| param.name == *name) => {
                return true;
            }
            Some(Expr::Call { callee, args, .. }) => waiting.extend(args.iter().chain([callee])),
            Some(Expr::Field { base: of, .. } | Expr::Index { base: of } | Expr::Out { of, .. }) => {
                waiting.push(*of)
            }
            Some(Expr::Any(parts) | Expr::Tuple(parts) | Expr::List(parts)) => waiting.extend(parts.iter()),
            Some(Expr::Closure { result, .. }) => waiting.extend(result),
            _ => {}
        }
    }
    false
}

/// Whether a call gives something that runs what it is handed: a function written in the one that is called, or what
/// libraries are known to give.
fn wraps(eval: &mut Eval<'_, '_>, file: u32, callee: ExprIx, call: ExprIx) -> bool {
    match eval.callee(file, callee) {
        Ty::Fn(def, _) => {
            let program = eval.program;
            let is_known = is_wrapper(program.text(program.def_name(def)));
            match eval.expr(file, call) {
                Ty::Closure(at, ix) if at == program.file_of(def) => {
                    let gives = match program.inside(at).expr(ix) {
                        Expr::Closure { result, .. } => *result,
                        _ => None,
                    };
                    is_known || uses_parameter(eval, def, gives.as_slice())
                }
                Ty::Fn(given, _) if program.parent(given) == Some(def) => {
                    is_known || uses_parameter(eval, def, &program.def(given).results)
                }
                Ty::Unknown => gives_back(eval, def),
                _ => false,
            }
        }
        Ty::Unknown | Ty::External => {
            let facts = eval.program.files[file as usize];
            let name = match eval.program.inside(file).expr(callee) {
                Expr::Name { name, .. } | Expr::Field { name, .. } => *name,
                _ => return false,
            };
            is_wrapper(facts.text(name))
        }
        _ => false,
    }
}

/// Functions of libraries that give another function in place of the one they are handed.
fn is_wrapper(name: &str) -> bool {
    matches!(
        name,
        "partial"
            | "lru_cache"
            | "cache"
            | "memoize"
            | "lazy"
            | "memoized"
            | "memo"
            | "debounce"
            | "throttle"
            | "once"
            | "promisify"
            | "callbackify"
            | "curry"
            | "useCallback"
            | "wrap"
            | "wrapper"
            | "sync_to_async"
            | "async_to_sync"
            | "contextmanager"
            | "asynccontextmanager"
            | "forwardRef"
            | "OnceFunc"
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing;

    #[test]
    fn a_call_of_a_name_leads_to_the_functions_that_it_holds() {
        let found = testing::calls(
            r#"
//- a.js
function a() {}
function b() {}
const run = FLAG ? a : b
const or = a || b
const alias = a
export const given = FLAG ? a : b
let later = null
if (FLAG) later = a
else later = b
const table = { x: a, y: FLAG ? a : b }
function go() { run(); or(); alias(); later(); table.x(); table.y() }
function local(flag) { const f = flag ? a : b; f() }
//- b.js
import { given } from './a.js'
function other() { given() }
//- c.py
def a(): ...
def b(): ...
run = a if FLAG else b
alias = a
try:
    import fast
    quick = fast.a
except ImportError:
    quick = a
def go():
    run()
    alias()
    quick()
def local(flag):
    f = a if flag else b
    f()
//- d.py
from c import run, alias
import c
def other():
    run()
    alias()
    c.run()
//- e.go
package e
func a() {}
func b() {}
var run = a
func go_() { run(); f := b; f() }
//- Cargo.toml
[package]
name = "x"
//- src/lib.rs
fn a() {}
fn b() {}
const RUN: fn() = a;
fn go(flag: bool) { RUN(); let f = if flag { a } else { b }; f(); let g = a; g() }
"#,
        );
        expect![[r#"
            a.js go -> a.js a @[11]
            a.js go -> a.js b @[11] ?2
            a.js local -> a.js a @[12] ?2
            a.js local -> a.js b @[12] ?2
            b.js other -> a.js a @[2] ?2
            b.js other -> a.js b @[2] ?2
            c.py go -> c.py a @[11 ?2, 12, 13 ?2]
            c.py go -> c.py b @[11] ?2
            c.py local -> c.py a @[16] ?2
            c.py local -> c.py b @[16] ?2
            d.py other -> c.py a @[4 ?2, 5, 6 ?2]
            d.py other -> c.py b @[4, 6] ?2
            e.go go_ -> e.go a @[5]
            e.go go_ -> e.go b @[5]
            src/lib.rs go -> src/lib.rs a @[4]
            src/lib.rs go -> src/lib.rs b @[4] ?2
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn a_call_of_what_a_wrapper_gives_may_run_what_it_was_handed() {
        let found = testing::calls(
            r#"
//- a.js
import { memoize } from 'lodash'
function inner() {}
function other() {}
function wrap(f) { return function (x) { return f(x) } }
function same(f) { return f }
function named(f) { function run() { return f() } return run }
function count(f) { return 1 }
const handler = wrap(inner)
const kept = memoize(inner)
const twice = wrap(wrap(other))
const bound = inner.bind(null)
const number = count(inner)
const through = same(inner)
export const started = named(inner)
function go() {
  handler()
  kept()
  twice()
  bound()
  number()
  through()
  started()
}
function local() { const f = wrap(inner); f() }
//- b.js
import { started } from './a.js'
function far() { started() }
//- c.py
import functools
def inner(): ...
def wrap(f):
    def run(*args):
        return f(*args)
    return run
def count(f):
    return 1
handler = wrap(inner)
part = functools.partial(inner, 1)
number = count(inner)
def go():
    handler()
    part()
    number()
//- d.py
from c import handler
def far():
    handler()
"#,
        );
        expect![[r#"
            a.js go -> a.js inner @[16, 17, 19, 21, 22] ?2
            a.js go -> a.js named.run @[22]
            a.js go -> a.js other @[18] ?2
            a.js handler -> a.js wrap @[8]
            a.js local -> a.js inner @[24] ?2
            a.js local -> a.js wrap @[24]
            a.js number -> a.js count @[12]
            a.js started -> a.js named @[14]
            a.js through -> a.js same @[13]
            a.js twice -> a.js wrap @[10]
            b.js far -> a.js inner @[2] ?2
            b.js far -> a.js named.run @[2]
            c.py -> c.py count @[11]
            c.py -> c.py wrap @[9]
            c.py go -> c.py inner @[13, 14] ?2
            c.py go -> c.py wrap.run @[13]
            d.py far -> c.py inner @[3] ?2
            d.py far -> c.py wrap.run @[3]
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn what_a_call_gives_is_not_the_function_that_it_was_handed() {
        let found = testing::calls(
            r#"
//- a.js
function inner() {}
function watch(source, cb) {
  const job = () => cb(source)
  job()
  return () => { stopAll() }
}
function listen(cb) {
  function stop() { drop(cb) }
  start(cb)
  return stop
}
function debounce(cb) {
  return (x) => { log(x); cb(x) }
}
function passed(cb) {
  return (x) => guard(cb, x)
}
const end = watch(1, inner)
const quiet = listen(inner)
const after = debounce(inner)
const guarded = passed(inner)
function ends() { end() }
function quiets() { quiet() }
function afters() { after() }
function guards() { guarded() }
//- b.py
def inner(): ...
def watch(cb):
    cb()
    def stop():
        forget()
    return stop
def wrap(cb):
    def run(*args):
        log()
        return cb(*args)
    return run
end = watch(inner)
wrapped = wrap(inner)
def ends():
    end()
def wraps():
    wrapped()
def lazy(cb):
    def given(*args):
        return Proxy(args)
    return given
later = lazy(inner)
def laters():
    later()
"#,
        );
        expect![[r#"
            a.js after -> a.js debounce @[20]
            a.js afters -> a.js inner @[24] ?2
            a.js end -> a.js watch @[18]
            a.js guarded -> a.js passed @[21]
            a.js guards -> a.js inner @[25] ?2
            a.js quiet -> a.js listen @[19]
            a.js quiets -> a.js listen.stop @[23]
            a.js watch -> a.js watch.job @[4]
            b.py -> b.py lazy @[22]
            b.py -> b.py watch @[12]
            b.py -> b.py wrap @[13]
            b.py ends -> b.py watch.stop @[15]
            b.py laters -> b.py inner @[24] ?2
            b.py laters -> b.py lazy.given @[24]
            b.py wraps -> b.py inner @[17] ?2
            b.py wraps -> b.py wrap.run @[17]
        "#]]
        .assert_eq(&found);
    }
}
