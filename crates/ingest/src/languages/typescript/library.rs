//! What the resolver knows of the JavaScript runtime and of TypeScript's utility types.

use std::sync::Arc;

use crate::facts::By;
use crate::resolve::eval::Eval;
use crate::resolve::rules::Call;
use crate::resolve::ty::Ty;

/// A name that the runtime provides.
pub(super) fn global(name: &str) -> Ty {
    match name {
        "Array" | "Set" | "WeakSet" => Ty::StdType("List", Arc::new([])),
        "Map" | "WeakMap" => Ty::StdType("Map", Arc::new([])),
        "Promise" => Ty::StdType("Promise", Arc::new([])),
        "String" | "encodeURIComponent" | "decodeURIComponent" | "encodeURI" | "decodeURI" => {
            Ty::StdType("Text", Arc::new([]))
        }
        "Number" | "parseInt" | "parseFloat" => Ty::StdType("Number", Arc::new([])),
        "Boolean" => Ty::StdType("Bool", Arc::new([])),
        _ if is_global(name) => Ty::External,
        _ => Ty::Unknown,
    }
}

fn is_global(name: &str) -> bool {
    matches!(
        name,
        "console"
            | "Math"
            | "JSON"
            | "Object"
            | "Symbol"
            | "Reflect"
            | "Proxy"
            | "Date"
            | "RegExp"
            | "Error"
            | "TypeError"
            | "RangeError"
            | "SyntaxError"
            | "Function"
            | "Intl"
            | "globalThis"
            | "window"
            | "document"
            | "process"
            | "Buffer"
            | "URL"
            | "URLSearchParams"
            | "fetch"
            | "Request"
            | "Response"
            | "Headers"
            | "FormData"
            | "Blob"
            | "File"
            | "setTimeout"
            | "clearTimeout"
            | "setInterval"
            | "clearInterval"
            | "setImmediate"
            | "queueMicrotask"
            | "requestAnimationFrame"
            | "structuredClone"
            | "performance"
            | "crypto"
            | "navigator"
            | "location"
            | "history"
            | "localStorage"
            | "sessionStorage"
            | "WebSocket"
            | "Worker"
            | "EventTarget"
            | "Event"
            | "AbortController"
            | "AbortSignal"
            | "TextEncoder"
            | "TextDecoder"
            | "WeakRef"
            | "BigInt"
            | "Uint8Array"
            | "ArrayBuffer"
            | "isNaN"
            | "isFinite"
            | "eval"
            | "require"
            | "module"
            | "exports"
            | "__dirname"
            | "__filename"
            | "describe"
            | "it"
            | "test"
            | "expect"
            | "beforeEach"
            | "afterEach"
            | "beforeAll"
            | "afterAll"
            | "vi"
            | "jest"
            | "arguments"
            | "undefined"
            | "NaN"
            | "Infinity"
            | "alert"
            | "import"
    )
}

/// A type of the library, by its last name, as the value it describes.
pub(super) fn named_type(eval: &mut Eval<'_, '_>, file: u32, name: &str, args: Vec<Ty>) -> Option<Ty> {
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    let known = match name {
        "Array" | "ReadonlyArray" | "Set" | "ReadonlySet" | "Iterable" | "Iterator" | "IterableIterator"
        | "AsyncIterable" | "AsyncIterator" | "Generator" | "AsyncGenerator" | "ArrayLike" => "List",
        "Map" | "ReadonlyMap" | "WeakMap" | "Record" => "Map",
        "Promise" | "PromiseLike" => "Promise",
        "Partial" | "Required" | "Readonly" | "NonNullable" | "Omit" | "Pick" | "DeepReadonly"
        | "DeepPartial" => {
            return Some(first());
        }
        "Awaited" => {
            let of = first();
            return Some(eval.out(file, &of, By::Await));
        }
        "ReturnType" => {
            let of = first();
            return Some(eval.function_result(&of, file));
        }
        "InstanceType" => return Some(first().instance()),
        "Exclude" | "Extract" => return Some(first()),
        _ => return None,
    };
    Some(Ty::Std(known, args.into()))
}

/// What calling a library type gives: `new Map()`, `String(x)`.
pub(super) fn made(eval: &mut Eval<'_, '_>, name: &'static str, call: Call<'_>) -> Ty {
    let written: Vec<Ty> = call.types.iter().map(|&ty| eval.ty(call.file, ty)).collect();
    match (name, call.args.first()) {
        _ if !written.is_empty() => Ty::Std(name, written.into()),
        ("List", Some(&arg)) => {
            let of = eval.expr(call.file, arg);
            Ty::std("List", [eval.out(call.file, &of, By::Iteration)])
        }
        _ => Ty::std(name, []),
    }
}

/// What calling a method of a library type gives.
pub(super) fn result(eval: &mut Eval<'_, '_>, base: &Ty, method: &str, call: Call<'_>) -> Ty {
    let (kind, args) = match base {
        Ty::Std(kind, args) => (*kind, args),
        Ty::StdType(kind, _) => return of_type(eval, kind, method, call),
        _ => return Ty::External,
    };
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    let second = || args.get(1).cloned().unwrap_or(Ty::Unknown);
    match (kind, method) {
        ("List", "map") => Ty::std("List", [returned(eval, call, 0)]),
        ("List", "flatMap") => {
            let made = returned(eval, call, 0);
            Ty::std(
                "List",
                [match made {
                    Ty::Std("List", inner) => inner.first().cloned().unwrap_or(Ty::Unknown),
                    other => other,
                }],
            )
        }
        ("List", "flat") => match first() {
            inner @ Ty::Std("List", _) => inner,
            _ => base.clone(),
        },
        (
            "List",
            "filter" | "slice" | "concat" | "reverse" | "sort" | "splice" | "toSorted" | "toReversed"
            | "values" | "add" | "fill",
        ) => base.clone(),
        ("List", "find" | "pop" | "shift" | "at" | "findLast") => first(),
        ("List", "reduce" | "reduceRight") => {
            let seed = call.args.get(1).map_or(Ty::Unknown, |&arg| eval.expr(call.file, arg));
            if seed.is_unknown() { returned(eval, call, 0) } else { seed }
        }
        ("List", "entries") => Ty::std("List", [Ty::Tuple(Arc::new([Ty::std("Number", []), first()]))]),
        ("List", "join") => Ty::std("Text", []),
        ("List", "some" | "every" | "includes" | "has" | "delete") => Ty::std("Bool", []),
        ("List", "push" | "unshift" | "indexOf" | "findIndex") => Ty::std("Number", []),
        ("Map", "get") => second(),
        ("Map", "set") => base.clone(),
        ("Map", "values") => Ty::std("List", [second()]),
        ("Map", "keys") => Ty::std("List", [first()]),
        ("Map", "entries") => Ty::std("List", [Ty::Tuple(Arc::new([first(), second()]))]),
        ("Promise", "then") => Ty::std("Promise", [awaited(returned(eval, call, 0))]),
        ("Promise", "catch" | "finally") => base.clone(),
        ("Text", "split" | "match" | "matchAll") => Ty::std("List", [Ty::std("Text", [])]),
        ("Text", "startsWith" | "endsWith" | "includes") => Ty::std("Bool", []),
        ("Text", "indexOf" | "lastIndexOf" | "charCodeAt" | "search") => Ty::std("Number", []),
        ("Text", _) => Ty::std("Text", []),
        ("Number", _) => Ty::std("Text", []),
        _ => Ty::External,
    }
}

/// `Array.from(x)`, `Promise.all(x)`, `Object.values(x)`.
fn of_type(eval: &mut Eval<'_, '_>, kind: &str, method: &str, call: Call<'_>) -> Ty {
    let argument = call.args.first().map_or(Ty::Unknown, |&arg| eval.expr(call.file, arg));
    match (kind, method) {
        ("List", "from" | "of") => {
            let mapped = call.args.len() > 1;
            let item = eval.out(call.file, &argument, By::Iteration);
            Ty::std("List", [if mapped { returned(eval, call, 1) } else { item }])
        }
        ("Promise", "all" | "allSettled") => match argument {
            Ty::Std("List", items) => {
                let item = items.first().cloned().unwrap_or(Ty::Unknown);
                Ty::std("Promise", [Ty::std("List", [awaited(item)])])
            }
            other => Ty::std("Promise", [other]),
        },
        ("Promise", "resolve" | "race" | "any") => Ty::std("Promise", [awaited(argument)]),
        ("Text", _) => Ty::std("Text", []),
        ("Number", _) => Ty::std("Number", []),
        _ => Ty::External,
    }
}

/// What the n-th parameter of a function given to a library method is.
pub(super) fn parameter(
    eval: &mut Eval<'_, '_>,
    base: &Ty,
    method: &str,
    call: Call<'_>,
    at: (u32, u32),
) -> Ty {
    let (kind, args) = match base {
        Ty::Std(kind, args) => (*kind, args.clone()),
        Ty::StdType("List", _) => {
            let of = call.args.first().map_or(Ty::Unknown, |&arg| eval.expr(call.file, arg));
            return eval.out(call.file, &of, By::Iteration);
        }
        _ => return Ty::External,
    };
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    match (kind, method, at.1) {
        ("List", "reduce" | "reduceRight", 0) => {
            call.args.get(1).map_or(Ty::Unknown, |&arg| eval.expr(call.file, arg))
        }
        ("List", "reduce" | "reduceRight", 1) => first(),
        ("List", "sort" | "toSorted", _) => first(),
        ("List", _, 0) => first(),
        ("List", _, _) => Ty::std("Number", []),
        ("Map", "forEach", 0) => args.get(1).cloned().unwrap_or(Ty::Unknown),
        ("Map", "forEach", 1) => first(),
        ("Promise", "then", 0) if at.0 == 0 => first(),
        _ => Ty::External,
    }
}

fn returned(eval: &mut Eval<'_, '_>, call: Call<'_>, at: usize) -> Ty {
    let function = call.args.get(at).map_or(Ty::Unknown, |&arg| eval.expr(call.file, arg));
    eval.function_result(&function, call.file)
}

pub(super) fn awaited(ty: Ty) -> Ty {
    match ty {
        Ty::Std("Promise", args) => args.first().cloned().unwrap_or(Ty::Unknown),
        Ty::Union(parts) => Ty::union(parts.iter().cloned().map(awaited).collect()),
        other => other,
    }
}

/// Method names of the runtime's types: a match by name says nothing.
pub(super) fn is_common(method: &str) -> bool {
    matches!(
        method,
        "push"
            | "pop"
            | "shift"
            | "unshift"
            | "map"
            | "filter"
            | "forEach"
            | "reduce"
            | "find"
            | "findIndex"
            | "some"
            | "every"
            | "includes"
            | "indexOf"
            | "slice"
            | "splice"
            | "concat"
            | "join"
            | "sort"
            | "reverse"
            | "flat"
            | "flatMap"
            | "keys"
            | "values"
            | "entries"
            | "get"
            | "set"
            | "has"
            | "add"
            | "delete"
            | "clear"
            | "then"
            | "catch"
            | "finally"
            | "split"
            | "replace"
            | "replaceAll"
            | "trim"
            | "match"
            | "test"
            | "exec"
            | "toString"
            | "toLowerCase"
            | "toUpperCase"
            | "startsWith"
            | "endsWith"
            | "charAt"
            | "charCodeAt"
            | "substring"
            | "slice_"
            | "padStart"
            | "padEnd"
            | "repeat"
            | "call"
            | "apply"
            | "bind"
            | "on"
            | "once"
            | "off"
            | "emit"
            | "addEventListener"
            | "removeEventListener"
            | "write"
            | "end"
            | "read"
            | "close"
            | "open"
            | "send"
            | "log"
            | "warn"
            | "error"
            | "info"
            | "debug"
            | "parse"
            | "stringify"
            | "assign"
            | "from"
            | "of"
            | "all"
            | "resolve"
            | "reject"
            | "next"
            | "return"
            | "throw"
            | "toBe"
            | "toEqual"
            | "at"
            | "fill"
            | "use"
            | "listen"
            | "json"
            | "text"
            | "append"
            | "remove"
            | "click"
            | "focus"
            | "update"
            | "start"
            | "stop"
            | "run"
            | "render"
            | "destroy"
            | "dispose"
            | "connect"
            | "toJSON"
            | "valueOf"
            | "hasOwnProperty"
    )
}
