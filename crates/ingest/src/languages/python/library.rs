//! What the resolver knows of Python's built-in and typing names.

use std::sync::Arc;

use crate::facts::By;
use crate::resolve::eval::Eval;
use crate::resolve::rules::Call;
use crate::resolve::ty::Ty;

/// What `super(Class, self)` gives: an object of a class as those above that class made it.
pub(super) const SUPER: &str = "Super";

/// A name that is always there.
pub(super) fn builtin(name: &str) -> Ty {
    match name {
        "list" | "set" | "frozenset" | "tuple" | "sorted" | "reversed" | "iter" | "filter" => {
            Ty::StdType("List", Arc::new([]))
        }
        "dict" => Ty::StdType("Map", Arc::new([])),
        "str" | "bytes" | "bytearray" | "repr" | "chr" | "ascii" | "hex" | "format" => {
            Ty::StdType("Text", Arc::new([]))
        }
        "int" | "float" | "complex" | "len" | "abs" | "hash" | "id" | "ord" | "sum" | "round" => {
            Ty::StdType("Number", Arc::new([]))
        }
        "bool" | "isinstance" | "issubclass" | "hasattr" | "callable" | "any" | "all" => {
            Ty::StdType("Bool", Arc::new([]))
        }
        "super" => Ty::StdType(SUPER, Arc::new([])),
        _ if is_builtin(name) => Ty::External,
        _ => Ty::Unknown,
    }
}

fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "open"
            | "range"
            | "enumerate"
            | "zip"
            | "map"
            | "min"
            | "max"
            | "getattr"
            | "setattr"
            | "delattr"
            | "type"
            | "object"
            | "next"
            | "vars"
            | "dir"
            | "input"
            | "eval"
            | "exec"
            | "globals"
            | "locals"
            | "property"
            | "staticmethod"
            | "classmethod"
            | "slice"
            | "pow"
            | "divmod"
            | "memoryview"
            | "compile"
            | "__import__"
            | "breakpoint"
            | "aiter"
            | "anext"
            | "bin"
            | "oct"
            | "NotImplemented"
            | "Ellipsis"
            | "__name__"
            | "__file__"
            | "__doc__"
            | "exit"
            | "quit"
    ) || name.ends_with("Error")
        || name.ends_with("Warning")
        || matches!(
            name,
            "Exception"
                | "BaseException"
                | "StopIteration"
                | "StopAsyncIteration"
                | "KeyboardInterrupt"
                | "SystemExit"
                | "GeneratorExit"
                | "ExceptionGroup"
        )
}

/// A type of the library, by its last name, as the value it describes.
pub(super) fn named_type(name: &str, args: Vec<Ty>) -> Option<Ty> {
    let known = match name {
        "Optional" | "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired" | "Awaitable"
        | "ReadOnly" => {
            return Some(args.into_iter().next().unwrap_or(Ty::Unknown));
        }
        "Coroutine" => return Some(args.into_iter().next_back().unwrap_or(Ty::Unknown)),
        "Union" => return Some(Ty::union(args)),
        "Type" | "type" => {
            return Some(match args.into_iter().next() {
                Some(Ty::Of(def, args)) => Ty::Type(def, args),
                _ => Ty::Unknown,
            });
        }
        "Tuple" | "tuple" => return Some(Ty::Tuple(args.into())),
        "List" | "list" | "Set" | "set" | "FrozenSet" | "frozenset" | "Sequence" | "MutableSequence"
        | "Iterable" | "Iterator" | "AsyncIterator" | "AsyncIterable" | "Generator" | "AsyncGenerator"
        | "Collection" | "Deque" | "deque" | "AbstractSet" | "KeysView" | "ValuesView" => "List",
        "ContextManager"
        | "AsyncContextManager"
        | "AbstractContextManager"
        | "AbstractAsyncContextManager" => "Context",
        "Dict" | "dict" | "Mapping" | "MutableMapping" | "DefaultDict" | "defaultdict" | "OrderedDict" => {
            "Map"
        }
        "str" | "bytes" | "bytearray" | "Text" | "AnyStr" => "Text",
        "int" | "float" | "complex" => "Number",
        "bool" => "Bool",
        _ => return None,
    };
    Some(Ty::Std(known, args.into()))
}

/// What calling a library type gives.
pub(super) fn made(eval: &mut Eval<'_, '_>, name: &'static str, call: Call<'_>) -> Ty {
    match (name, call.args.first()) {
        ("List", Some(&arg)) => {
            let of = eval.expr(call.file, arg);
            let item = eval.out(call.file, &of, By::Iteration);
            Ty::std("List", [item])
        }
        ("Map", Some(&arg)) => match eval.expr(call.file, arg) {
            known @ Ty::Std("Map", _) => known,
            _ => Ty::std("Map", []),
        },
        (SUPER, Some(&class)) => match eval.expr(call.file, class) {
            Ty::Type(class, _) => Ty::std(SUPER, [Ty::Of(class, Arc::new([]))]),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        },
        _ => Ty::std(name, []),
    }
}

/// What calling a method of a library type gives.
pub(super) fn result(base: &Ty, method: &str) -> Ty {
    let Ty::Std(kind, args) = base else {
        return Ty::External;
    };
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    let second = || args.get(1).cloned().unwrap_or(Ty::Unknown);
    match (*kind, method) {
        ("List", "pop" | "popleft" | "__getitem__" | "__next__") => first(),
        ("List", "copy" | "union" | "intersection" | "difference") => base.clone(),
        ("Map", "get" | "pop" | "setdefault" | "__getitem__") => second(),
        ("Map", "values") => Ty::std("List", [second()]),
        ("Map", "keys") => Ty::std("List", [first()]),
        ("Map", "items") => Ty::std("List", [Ty::Tuple(Arc::new([first(), second()]))]),
        ("Map", "copy") => base.clone(),
        ("Map", "popitem") => Ty::Tuple(Arc::new([first(), second()])),
        ("Text", "split" | "rsplit" | "splitlines") => Ty::std("List", [Ty::std("Text", [])]),
        ("Text", "partition" | "rpartition") => {
            Ty::Tuple(Arc::new([Ty::std("Text", []), Ty::std("Text", []), Ty::std("Text", [])]))
        }
        ("Text", "find" | "index" | "count" | "rfind") => Ty::std("Number", []),
        ("Text", "startswith" | "endswith" | "isdigit" | "isalpha") => Ty::std("Bool", []),
        ("Text", _) => Ty::std("Text", []),
        _ => Ty::External,
    }
}

/// Method names of built-in types: a match by name says nothing.
pub(super) fn is_common(method: &str) -> bool {
    method.starts_with("__")
        || matches!(
            method,
            "append"
                | "extend"
                | "insert"
                | "remove"
                | "pop"
                | "clear"
                | "index"
                | "count"
                | "sort"
                | "reverse"
                | "copy"
                | "get"
                | "keys"
                | "values"
                | "items"
                | "update"
                | "setdefault"
                | "popitem"
                | "add"
                | "discard"
                | "union"
                | "intersection"
                | "difference"
                | "split"
                | "rsplit"
                | "splitlines"
                | "join"
                | "strip"
                | "lstrip"
                | "rstrip"
                | "replace"
                | "format"
                | "encode"
                | "decode"
                | "startswith"
                | "endswith"
                | "find"
                | "lower"
                | "upper"
                | "title"
                | "read"
                | "write"
                | "close"
                | "open"
                | "seek"
                | "tell"
                | "flush"
                | "readline"
                | "readlines"
                | "send"
                | "recv"
                | "connect"
                | "group"
                | "groups"
                | "match"
                | "search"
                | "sub"
                | "findall"
                | "start"
                | "run"
                | "put"
                | "info"
                | "debug"
                | "warning"
                | "error"
                | "exception"
                | "log"
                | "isoformat"
                | "timestamp"
                | "exists"
                | "mkdir"
                | "is_file"
                | "is_dir"
                | "resolve"
                | "name"
                | "set"
                | "wait"
                | "cancel"
                | "done"
                | "result"
                | "acquire"
                | "release"
                | "submit"
                | "shutdown"
                | "assert_called_once_with"
        )
}
