//! A type that is written with the package or module it is of is not the one that this file calls by its last name.

use m1nd_graph::EdgeKind;

use crate::testing;

fn references(fixture: &str) -> String {
    let kinds = [EdgeKind::References, EdgeKind::Inherits, EdgeKind::Implements, EdgeKind::Calls];
    testing::edges(&testing::graph(fixture), &kinds)
}

#[cfg(feature = "lang-go")]
#[test]
fn a_type_of_another_go_package_is_not_the_own_one_of_that_name() {
    let found = references(
        r#"
//- go.mod
module example.com/gin
//- gin.go
package gin

import "net/http"

type ResponseWriter interface {
	http.ResponseWriter
	Status() int
}

type responseWriter struct {
	http.ResponseWriter
	status int
}

type Context struct {
	Writer http.ResponseWriter
	Own    ResponseWriter
}

func (rw *responseWriter) Status() int {
	rw.ResponseWriter.Status()
	return rw.status
}

func handle(w http.ResponseWriter, list []http.ResponseWriter, c *Context) http.ResponseWriter {
	w.Status()
	list[0].Status()
	c.Writer.Status()
	c.Own.Status()
	var v http.ResponseWriter = w
	v.Status()
	if f, ok := w.(http.ResponseWriter); ok {
		f.Status()
	}
	return http.ResponseWriter(w)
}
"#,
    );
    assert_eq!(
        found,
        "gin.go Context references -> gin.go ResponseWriter @[17]\n\
         gin.go handle calls -> gin.go ResponseWriter.Status @[29]\n\
         gin.go handle references -> gin.go Context @[25]\n\
         gin.go responseWriter.Status references -> gin.go responseWriter @[20]\n"
    );
}

#[cfg(feature = "lang-java")]
#[test]
fn a_java_type_inside_another_is_not_the_own_one_of_that_name() {
    let found = references(
        r#"
//- src/shop/Entry.java
package shop;

class Entry { int size() { return 1; } }
//- src/shop/Shelf.java
package shop;

import java.util.Map;

class Shelf {
    Map.Entry<String, String> first;
    int count(Map.Entry<String, String> e, java.util.Map.Entry<String, String> f) {
        return e.size() + f.size() + first.size();
    }
}
"#,
    );
    assert_eq!(found, "none\n");
}

#[cfg(feature = "lang-typescript")]
#[test]
fn a_type_of_another_script_module_is_not_the_own_one_of_that_name() {
    let found = references(
        r#"
//- a.ts
import * as ts from "typescript"

export interface Node { walk(): void }

export function visit(node: ts.Node, own: Node): ts.Node {
    node.walk()
    own.walk()
    return node
}
"#,
    );
    assert_eq!(found, "a.ts visit calls -> a.ts Node.walk @[7]\na.ts visit references -> a.ts Node @[5]\n");
}

#[cfg(feature = "lang-rust")]
#[test]
fn a_type_of_another_rust_module_is_not_the_own_one_of_that_name() {
    let found = references(
        r#"
//- Cargo.toml
[package]
name = "a"
//- src/lib.rs
use std::{fmt, io};

pub struct Error;
pub type Result<T> = std::result::Result<T, Error>;

pub fn read() -> Result<u8> { Ok(1) }
pub fn write(f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }
pub fn open() -> io::Result<u8> { Err(io::Error::other("x")) }
"#,
    );
    assert_eq!(found, "src/lib.rs Result references -> src/lib.rs Error @[4]\n");
}
