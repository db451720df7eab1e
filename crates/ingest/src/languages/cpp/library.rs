//! What is known of the standard library of C++: types that hold others, and what comes out of them.

use std::sync::Arc;

use crate::resolve::ty::{Args, MADE, Ty};

/// A library type by its name.
pub(super) fn named(name: &str, args: Vec<Ty>) -> Ty {
    let known = match name {
        "unique_ptr" | "shared_ptr" | "weak_ptr" | "optional" | "reference_wrapper" | "atomic"
        | "observer_ptr" | "scoped_ptr" | "intrusive_ptr" => "Ptr",
        "vector" | "list" | "deque" | "set" | "unordered_set" | "multiset" | "array" | "queue" | "stack"
        | "priority_queue" | "span" | "forward_list" | "initializer_list" => "List",
        "map" | "unordered_map" | "multimap" | "unordered_multimap" => "Map",
        "pair" => "Pair",
        "tuple" => return Ty::Tuple(args.into()),
        "string" | "string_view" | "wstring" | "basic_string" => "Text",
        _ => return Ty::External,
    };
    Ty::Std(known, args.into())
}

/// A library function that makes a value of the types written at its call.
pub(super) fn maker(name: &str, args: Vec<Ty>) -> Ty {
    match name {
        "make_unique" | "make_shared" | "make_optional" | "allocate_shared" => Ty::StdType(MADE, args.into()),
        "move" | "forward" | "ref" | "cref" | "as_const" => Ty::StdType("Same", args.into()),
        "static_pointer_cast" | "dynamic_pointer_cast" | "const_pointer_cast" | "any_cast" | "get" => {
            Ty::StdType("Ptr", args.into())
        }
        name => match named(name, args) {
            Ty::Std(name, args) => Ty::StdType(name, args),
            _ => Ty::External,
        },
    }
}

fn at(args: &Args, index: usize) -> Ty {
    args.get(index).cloned().unwrap_or(Ty::Unknown)
}

/// What one round of a loop, or an iterator, gives.
pub(super) fn element(kind: &str, args: &Args) -> Ty {
    match kind {
        "Map" => Ty::Std("Pair", Arc::clone(args)),
        "List" | "Ptr" => at(args, 0),
        _ => Ty::External,
    }
}

/// What a method of a library type gives.
pub(super) fn method(kind: &str, args: &Args, name: &str) -> Ty {
    match (kind, name) {
        ("Ptr", "get" | "release" | "lock" | "value" | "value_or" | "load") => at(args, 0),
        (
            "List" | "Map",
            "begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend" | "find" | "lower_bound" | "upper_bound"
            | "insert" | "emplace" | "erase",
        ) => Ty::std("Ptr", [element(kind, args)]),
        ("List", "front" | "back" | "at" | "top" | "emplace_back") => at(args, 0),
        ("Map", "at") => at(args, 1),
        ("Text", "substr" | "append") => Ty::std("Text", []),
        _ => Ty::External,
    }
}

/// Names that the library's types have, so that a call of one says nothing about its target.
pub(super) fn is_common_method(name: &str) -> bool {
    matches!(
        name,
        "size"
            | "empty"
            | "begin"
            | "end"
            | "cbegin"
            | "cend"
            | "rbegin"
            | "rend"
            | "push_back"
            | "emplace_back"
            | "pop_back"
            | "push"
            | "pop"
            | "top"
            | "front"
            | "back"
            | "insert"
            | "emplace"
            | "erase"
            | "clear"
            | "find"
            | "count"
            | "at"
            | "data"
            | "c_str"
            | "str"
            | "length"
            | "substr"
            | "append"
            | "resize"
            | "reserve"
            | "capacity"
            | "get"
            | "reset"
            | "release"
            | "lock"
            | "unlock"
            | "try_lock"
            | "swap"
            | "first"
            | "second"
            | "open"
            | "close"
            | "read"
            | "write"
            | "good"
            | "fail"
            | "eof"
            | "rdbuf"
            | "load"
            | "store"
            | "exchange"
            | "value"
            | "has_value"
            | "value_or"
            | "wait"
            | "notify_one"
            | "notify_all"
            | "join"
            | "detach"
            | "what"
            | "name"
            | "assign"
            | "compare"
            | "contains"
            | "flush"
            | "next"
            | "set"
            | "add"
            | "remove"
            | "type"
            | "key"
            | "id"
            | "run"
            | "start"
            | "stop"
            | "init"
            | "print"
            | "error"
            | "push_front"
            | "pop_front"
            | "merge"
            | "sort"
            | "test"
            | "flags"
            | "width"
    )
}
