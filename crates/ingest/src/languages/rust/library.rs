//! What the resolver knows of Rust's standard library: enough to see through wrappers and iterators.

use std::sync::Arc;

use crate::resolve::eval::Eval;
use crate::resolve::rules::Call;
use crate::resolve::ty::{SHARED, Ty};

/// A name of the prelude, as a value or a type.
pub(super) fn prelude(name: &str) -> Ty {
    match name {
        "Some" | "None" | "Ok" | "Err" | "drop" | "Default" | "From" | "Into" | "Clone" | "ToString"
        | "panic" => match name {
            "Some" | "Ok" => Ty::StdType(if name == "Some" { "Option" } else { "Result" }, Arc::new([])),
            _ => Ty::External,
        },
        _ => named_type(name, Vec::new()),
    }
}

/// A library type by its last name; pointers are what they point to, unless they are copied without it.
pub(super) fn named_type(name: &str, args: Vec<Ty>) -> Ty {
    let known = match name {
        "Rc" | "Arc" | "Cow" => {
            let of = args.into_iter().next_back();
            return Ty::StdType(SHARED, of.into_iter().collect());
        }
        "Box" | "Pin" | "Ref" | "RefMut" | "MutexGuard" | "RwLockReadGuard" | "RwLockWriteGuard"
        | "ManuallyDrop" | "Reverse" | "Wrapping" | "NonNull" => {
            return args.into_iter().next_back().map_or(Ty::StdType("Pointer", Arc::new([])), |ty| ty);
        }
        "Option" => "Option",
        "Result" => "Result",
        "Vec" | "VecDeque" | "LinkedList" | "BinaryHeap" | "SmallVec" | "ThinVec" => "List",
        "HashMap" | "BTreeMap" | "IndexMap" | "FxHashMap" => "Map",
        "HashSet" | "BTreeSet" | "IndexSet" | "FxHashSet" => "Set",
        "Iterator" | "IntoIterator" | "DoubleEndedIterator" | "ExactSizeIterator" | "Peekable" | "Stream" => {
            "Iter"
        }
        "Weak" => "Weak",
        "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock" | "LazyLock" => "Cell",
        "String" | "str" | "char" | "OsStr" | "OsString" | "Path" | "PathBuf" | "CStr" => "Text",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize"
        | "f32" | "f64" => "Number",
        "bool" => "Bool",
        "Send" | "Sync" | "Sized" | "Clone" | "Copy" | "Debug" | "Display" | "Eq" | "PartialEq" | "Ord"
        | "PartialOrd" | "Hash" | "Default" | "From" | "Into" | "TryFrom" | "TryInto" | "AsRef" | "AsMut"
        | "ToOwned" | "ToString" | "Drop" | "Error" | "Fn" | "FnMut" | "FnOnce" | "Future" | "Any" => {
            return Ty::External;
        }
        _ => return Ty::Unknown,
    };
    Ty::StdType(known, args.into())
}

/// Methods that every type has or may derive, and that give back what they were called on.
pub(super) fn on_any(method: &str) -> bool {
    matches!(
        method,
        "clone" | "to_owned" | "borrow" | "borrow_mut" | "as_ref" | "as_mut" | "by_ref" | "deref"
    )
}

/// Methods that a counted pointer has itself; all others are those of what it points to.
pub(super) fn is_of_pointer(method: &str) -> bool {
    matches!(method, "clone" | "to_owned")
}

/// Methods of library types that a trait of the program with the same name does not replace.
pub(super) fn std_has(method: &str) -> bool {
    is_common(method)
}

/// Names that so many library types have that a match by name says nothing.
pub(super) fn is_common(method: &str) -> bool {
    on_any(method)
        || matches!(
            method,
            "new"
                | "default"
                | "from"
                | "into"
                | "try_from"
                | "try_into"
                | "from_str"
                | "parse"
                | "to_string"
                | "fmt"
                | "eq"
                | "ne"
                | "cmp"
                | "partial_cmp"
                | "hash"
                | "drop"
                | "add"
                | "sub"
                | "mul"
                | "div"
                | "not"
                | "neg"
                | "index"
                | "index_mut"
                | "deref_mut"
                | "next"
                | "next_back"
                | "iter"
                | "iter_mut"
                | "into_iter"
                | "map"
                | "filter"
                | "filter_map"
                | "flat_map"
                | "flatten"
                | "fold"
                | "find"
                | "find_map"
                | "any"
                | "all"
                | "count"
                | "sum"
                | "product"
                | "min"
                | "max"
                | "min_by"
                | "max_by"
                | "min_by_key"
                | "max_by_key"
                | "rev"
                | "zip"
                | "chain"
                | "enumerate"
                | "skip"
                | "take"
                | "take_while"
                | "skip_while"
                | "step_by"
                | "peekable"
                | "peek"
                | "collect"
                | "extend"
                | "for_each"
                | "cloned"
                | "copied"
                | "cycle"
                | "last"
                | "nth"
                | "position"
                | "partition"
                | "unzip"
                | "windows"
                | "chunks"
                | "len"
                | "is_empty"
                | "push"
                | "push_str"
                | "push_back"
                | "push_front"
                | "pop"
                | "pop_front"
                | "pop_back"
                | "insert"
                | "remove"
                | "get"
                | "get_mut"
                | "get_or_insert_with"
                | "entry"
                | "or_insert"
                | "or_insert_with"
                | "or_default"
                | "contains"
                | "contains_key"
                | "keys"
                | "values"
                | "values_mut"
                | "first"
                | "sort"
                | "sort_by"
                | "sort_by_key"
                | "sort_unstable"
                | "dedup"
                | "retain"
                | "clear"
                | "truncate"
                | "drain"
                | "append"
                | "split"
                | "splitn"
                | "rsplit"
                | "split_once"
                | "rsplit_once"
                | "split_at"
                | "split_whitespace"
                | "trim"
                | "trim_start"
                | "trim_end"
                | "starts_with"
                | "ends_with"
                | "strip_prefix"
                | "strip_suffix"
                | "replace"
                | "lines"
                | "chars"
                | "bytes"
                | "char_indices"
                | "as_str"
                | "as_bytes"
                | "as_slice"
                | "to_vec"
                | "to_lowercase"
                | "to_uppercase"
                | "join"
                | "concat"
                | "repeat"
                | "unwrap"
                | "unwrap_or"
                | "unwrap_or_else"
                | "unwrap_or_default"
                | "expect"
                | "ok"
                | "err"
                | "ok_or"
                | "ok_or_else"
                | "and_then"
                | "or_else"
                | "map_err"
                | "map_or"
                | "map_or_else"
                | "is_some"
                | "is_none"
                | "is_ok"
                | "is_err"
                | "is_some_and"
                | "then"
                | "then_some"
                | "lock"
                | "read"
                | "write"
                | "write_str"
                | "write_all"
                | "write_fmt"
                | "flush"
                | "read_to_string"
                | "read_to_end"
                | "send"
                | "recv"
                | "spawn"
                | "wait"
                | "load"
                | "store"
                | "fetch_add"
                | "swap"
                | "set"
                | "min_len"
                | "abs"
                | "pow"
                | "exists"
                | "is_file"
                | "is_dir"
                | "display"
                | "path"
                | "file_name"
                | "parent"
                | "with_capacity"
                | "capacity"
                | "reserve"
                | "source"
                | "description"
                | "cause"
                | "size_hint"
                | "finish"
                | "poll"
                | "args"
                | "arg"
                | "output"
                | "status"
                | "env"
                | "to_str"
                | "to_string_lossy"
                | "as_os_str"
                | "call"
                | "type_id"
                | "is_char_boundary"
                | "get_or_init"
                | "start"
                | "end"
                | "name"
                | "kind"
        )
}

/// What calling a method of a library type gives.
pub(super) fn result(eval: &mut Eval<'_, '_>, base: &Ty, method: &str, call: Call<'_>) -> Ty {
    if on_any(method) && !matches!(base, Ty::StdType(..)) {
        return match base {
            Ty::Std("Cell", args) => args.first().cloned().unwrap_or(Ty::Unknown),
            other => other.clone(),
        };
    }
    let (kind, args) = match base {
        Ty::Std(kind, args) | Ty::StdType(kind, args) => (*kind, args.clone()),
        _ => return Ty::Unknown,
    };
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    let second = || args.get(1).cloned().unwrap_or(Ty::Unknown);
    let option = |ty| Ty::std("Option", [ty]);
    let iter = |ty| Ty::std("Iter", [ty]);
    if let Ty::StdType(..) = base {
        return made(eval, kind, method, call, first());
    }
    match (kind, method) {
        (_, "to_string" | "join" | "concat") => Ty::std("Text", []),
        ("Option" | "Result", "unwrap" | "expect" | "unwrap_or_default" | "unwrap_unchecked") => first(),
        ("Option" | "Result", "unwrap_or") => Ty::union(vec![first(), argument(eval, call, 0)]),
        ("Option" | "Result", "unwrap_or_else") => Ty::union(vec![first(), returned(eval, call, 0)]),
        ("Option", "ok_or" | "ok_or_else") => Ty::std("Result", [first(), Ty::Unknown]),
        ("Option", "get_or_insert_with" | "get_or_insert" | "insert") => first(),
        ("Option", "iter" | "iter_mut" | "into_iter") => iter(first()),
        ("Option", "zip") => option(Ty::Tuple(Arc::new([first(), unwrapped(argument(eval, call, 0))]))),
        ("Option" | "Result", "map" | "and_then") => {
            let made = returned(eval, call, 0);
            let inner = if method == "and_then" { unwrapped(made) } else { made };
            Ty::Std(kind, Arc::new([inner, second()]))
        }
        ("Option" | "Result", "map_or" | "map_or_else") => {
            Ty::union(vec![returned(eval, call, 1), argument_value(eval, call, 0)])
        }
        ("Option", "transpose") => Ty::std("Result", [option(unwrapped(first()))]),
        ("Option" | "Result", "flatten") => first(),
        ("Result", "ok") => option(first()),
        ("Result", "err") => option(second()),
        ("Result", "unwrap_err" | "expect_err") => second(),
        ("Result", "map_err" | "or_else") => Ty::std("Result", [first(), returned(eval, call, 0)]),
        (
            "Option" | "Result",
            "filter" | "or" | "take" | "cloned" | "copied" | "as_deref" | "as_deref_mut" | "inspect"
            | "replace" | "or_else" | "context" | "with_context",
        ) => base.clone(),
        ("List" | "Set", "iter" | "iter_mut" | "into_iter" | "drain") => iter(first()),
        (
            "List",
            "first" | "last" | "get" | "get_mut" | "pop" | "first_mut" | "last_mut" | "front" | "back"
            | "pop_front" | "pop_back" | "front_mut" | "back_mut" | "peek",
        ) => option(first()),
        ("List", "remove" | "swap_remove") => first(),
        ("List", "windows" | "chunks" | "split") => iter(base.clone()),
        ("List", "to_vec" | "as_slice" | "as_mut_slice" | "into_boxed_slice") => base.clone(),
        ("List", "split_first" | "split_last") => option(Ty::Tuple(Arc::new([first(), base.clone()]))),
        ("List", "split_at" | "split_off") => Ty::Tuple(Arc::new([base.clone(), base.clone()])),
        ("Set", "get" | "take" | "first" | "last") => option(first()),
        ("Map", "get" | "get_mut" | "remove" | "insert" | "shift_remove" | "swap_remove") => option(second()),
        ("Map", "values" | "values_mut" | "into_values") => iter(second()),
        ("Map", "keys" | "into_keys") => iter(first()),
        ("Map", "iter" | "iter_mut" | "into_iter" | "drain" | "range") => {
            iter(Ty::Tuple(Arc::new([first(), second()])))
        }
        ("Map", "entry") => Ty::std("Entry", [second()]),
        (
            "Entry",
            "or_insert" | "or_insert_with" | "or_default" | "or_insert_with_key" | "get" | "get_mut"
            | "into_mut",
        ) => first(),
        ("Entry", _) => base.clone(),
        ("Weak", "upgrade") => option(Ty::std(SHARED, [first()])),
        ("Cell", "lock" | "read" | "write" | "try_lock" | "try_borrow" | "try_borrow_mut") => {
            Ty::std("Result", [first(), Ty::Unknown])
        }
        ("Cell", "get" | "take" | "into_inner" | "get_mut" | "replace" | "get_or_init") => first(),
        (
            "Iter",
            "next" | "last" | "nth" | "find" | "min" | "max" | "min_by_key" | "max_by_key" | "min_by"
            | "max_by" | "next_back" | "peek" | "rfind" | "reduce" | "next_if" | "next_if_eq",
        ) => option(first()),
        ("Iter", "enumerate") => iter(Ty::Tuple(Arc::new([Ty::std("Number", []), first()]))),
        ("Iter", "map") => iter(returned(eval, call, 0)),
        ("Iter", "filter_map") => iter(unwrapped(returned(eval, call, 0))),
        ("Iter", "find_map") => option(unwrapped(returned(eval, call, 0))),
        ("Iter", "flat_map") => {
            let made = returned(eval, call, 0);
            iter(eval.out(call.file, &made, crate::facts::By::Iteration))
        }
        ("Iter", "flatten") => iter(eval.out(call.file, &first(), crate::facts::By::Iteration)),
        ("Iter", "zip") => {
            let other = argument(eval, call, 0);
            let other = eval.out(call.file, &other, crate::facts::By::Iteration);
            iter(Ty::Tuple(Arc::new([first(), other])))
        }
        ("Iter", "fold") => argument_value(eval, call, 0),
        ("Iter", "collect") => collected(eval, call, first()),
        ("Iter", "partition") => {
            Ty::Tuple(Arc::new([Ty::std("List", [first()]), Ty::std("List", [first()])]))
        }
        (
            "Iter",
            "filter" | "rev" | "skip" | "take" | "chain" | "peekable" | "skip_while" | "take_while"
            | "cloned" | "copied" | "inspect" | "step_by" | "fuse" | "cycle" | "into_iter" | "iter",
        ) => base.clone(),
        (
            "Text",
            "lines" | "split" | "split_whitespace" | "splitn" | "rsplit" | "chars" | "char_indices" | "bytes"
            | "components" | "ancestors",
        ) => iter(Ty::std("Text", [])),
        (
            "Text",
            "strip_prefix" | "strip_suffix" | "to_str" | "file_name" | "parent" | "extension" | "file_stem"
            | "get",
        ) => option(Ty::std("Text", [])),
        ("Text", "split_once" | "rsplit_once") => {
            option(Ty::Tuple(Arc::new([Ty::std("Text", []), Ty::std("Text", [])])))
        }
        ("Text", _) => Ty::std("Text", []),
        ("Number" | "Bool", "then") => option(returned(eval, call, 0)),
        ("Number" | "Bool", "then_some") => option(argument(eval, call, 0)),
        ("Number" | "Bool", _) => base.clone(),
        _ => Ty::Unknown,
    }
}

/// `Vec::new()`, `Box::new(x)`, `Some(x)`.
fn made(eval: &mut Eval<'_, '_>, kind: &'static str, method: &str, call: Call<'_>, first: Ty) -> Ty {
    match (kind, method) {
        ("Pointer", "new" | "from" | "clone" | "pin") => argument(eval, call, 0),
        (SHARED, "clone") => argument(eval, call, 0),
        (SHARED, "new" | "from" | "pin" | "Borrowed" | "Owned") => Ty::std(SHARED, [argument(eval, call, 0)]),
        (SHARED, "make_mut" | "unwrap_or_clone" | "as_ref") => argument(eval, call, 0).pointee().clone(),
        (SHARED, "get_mut" | "into_inner") => Ty::std("Option", [argument(eval, call, 0).pointee().clone()]),
        (SHARED, "try_unwrap") => {
            let given = argument(eval, call, 0);
            Ty::std("Result", [given.pointee().clone(), given])
        }
        (SHARED, "downgrade") => Ty::std("Weak", [argument(eval, call, 0).pointee().clone()]),
        (SHARED, "default") => Ty::std(SHARED, [first]),
        (SHARED, _) => Ty::Unknown,
        ("Pointer", _) => Ty::Unknown,
        ("Cell" | "Option", "new" | "from") => Ty::Std(kind, Arc::new([argument(eval, call, 0)])),
        (_, "from_iter") => {
            let from = argument(eval, call, 0);
            let item = eval.out(call.file, &from, crate::facts::By::Iteration);
            Ty::Std(kind, Arc::new([item]))
        }
        _ => Ty::Std(kind, Arc::new([first])),
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
    let Ty::Std(kind, args) = base else {
        return Ty::Unknown;
    };
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    let second = || args.get(1).cloned().unwrap_or(Ty::Unknown);
    match (*kind, method, at) {
        ("Iter", "fold", (_, 0)) => argument_value(eval, call, 0),
        ("Iter", "fold" | "try_fold", (_, 1)) => first(),
        ("Result", "map_err" | "unwrap_or_else" | "or_else" | "inspect_err", _) => second(),
        ("Map", "retain", (_, 1)) => second(),
        ("Iter" | "List" | "Option" | "Result" | "Set" | "Entry" | "Map" | "Cell", _, _) => first(),
        ("Text", _, _) => Ty::std("Text", []),
        _ => Ty::Unknown,
    }
}

/// The type of an argument, wrapped in a constructor of its own where it is one.
fn argument(eval: &mut Eval<'_, '_>, call: Call<'_>, at: usize) -> Ty {
    call.args.get(at).map_or(Ty::Unknown, |&arg| eval.expr(call.file, arg))
}

fn argument_value(eval: &mut Eval<'_, '_>, call: Call<'_>, at: usize) -> Ty {
    match argument(eval, call, at) {
        Ty::Closure(file, ix) => eval.closure_result(file, ix),
        other => other,
    }
}

/// What the function given as an argument returns.
fn returned(eval: &mut Eval<'_, '_>, call: Call<'_>, at: usize) -> Ty {
    let function = argument(eval, call, at);
    eval.function_result(&function, call.file)
}

fn unwrapped(ty: Ty) -> Ty {
    match ty {
        Ty::Std("Option" | "Result" | "List" | "Iter", args) => args.first().cloned().unwrap_or(Ty::Unknown),
        Ty::External => Ty::External,
        other => other,
    }
}

/// `collect::<Vec<_>>()` keeps the items where the written type leaves them open.
fn collected(eval: &mut Eval<'_, '_>, call: Call<'_>, item: Ty) -> Ty {
    match call.types.first().map(|&ty| eval.ty(call.file, ty)) {
        Some(Ty::Std("Result", args)) => match args.first() {
            Some(Ty::Std(kind, _)) => Ty::std("Result", [Ty::Std(kind, Arc::new([unwrapped(item)]))]),
            _ => Ty::Std("Result", args),
        },
        Some(Ty::Std(kind @ ("List" | "Set"), _)) => Ty::Std(kind, Arc::new([item])),
        Some(Ty::Std("Map", args)) => match item {
            Ty::Tuple(parts) => Ty::Std("Map", parts),
            _ => Ty::Std("Map", args),
        },
        Some(other) => other,
        // The common case, and indexing or iterating any other collection gives the same items.
        None => Ty::std("List", [item]),
    }
}
