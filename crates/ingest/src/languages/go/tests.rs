//! What is read from Go, and what it resolves to: text in, text out.

use expect_test::{Expect, expect};

use crate::testing;

fn check(fixture: &str, expect: Expect) {
    expect.assert_eq(&testing::calls(fixture));
}

#[test]
fn packages_receivers_embedding_and_results_lead_to_their_methods() {
    check(
        r#"
//- go.mod
module example.com/shop

go 1.22
//- cart/cart.go
// Package cart holds carts.
package cart

import "fmt"

type Item struct{ Name string }

func (i *Item) Price() int { return 1 }

type Priced interface{ Price() int }

type Base struct{}

func (b Base) Log(m string) { fmt.Println(m) }

type Cart struct {
	Base
	items []*Item
	byName map[string]*Item
}

func New() (*Cart, error) { return &Cart{}, nil }

func (c *Cart) Total() int {
	c.Log("x")
	for _, item := range c.items {
		item.Price()
	}
	return sum(c.byName["a"])
}
//- cart/sum.go
package cart

func sum(p Priced) int { return p.Price() }
//- main.go
package main

import (
	"os"

	shop "example.com/shop/cart"
)

func main() {
	c, err := shop.New()
	if err != nil {
		os.Exit(1)
	}
	c.Total()
	c.Base.Log("y")
	var any interface{} = c
	switch v := any.(type) {
	case *shop.Item:
		v.Price()
	}
	Exit(1)
	func() { c.Total() }()
}

func Exit(code int) {}
"#,
        expect![[r#"
            cart/cart.go Cart.Total -> cart/cart.go Base.Log @[25]
            cart/cart.go Cart.Total -> cart/cart.go Item.Price @[27]
            cart/cart.go Cart.Total -> cart/sum.go sum @[29]
            cart/sum.go sum -> cart/cart.go Priced.Price @[3]
            main.go main -> cart/cart.go Base.Log @[15]
            main.go main -> cart/cart.go Cart.Total @[14, 22]
            main.go main -> cart/cart.go Item.Price @[19]
            main.go main -> cart/cart.go New @[10]
            main.go main -> main.go Exit @[21]
        "#]],
    );
}

#[test]
fn a_type_that_is_embedded_by_another_name_has_its_methods() {
    check(
        "\
//- go.mod
module a
//- g.go
package a

type Grp struct{}

type Group = Grp

func (g *Grp) GET() int { return 1 }
//- e.go
package a

type Engine struct {
	Group
}

func Use() int {
	e := &Engine{}
	return e.GET()
}
",
        expect![[r#"
            e.go Use -> g.go Grp.GET @[9]
        "#]],
    );
}

#[test]
fn functions_for_several_systems_are_all_meant() {
    let found = testing::calls(
        r#"
//- go.mod
module example.com/m
//- a_linux.go
package m

func plat() {}
//- a_windows.go
package m

func plat() {}
//- m.go
package m

func Run() { plat() }
"#,
    );
    assert_eq!(found, "m.go Run -> a_linux.go plat @[3] ?2\nm.go Run -> a_windows.go plat @[3] ?2\n");
}

#[test]
fn a_call_with_one_type_argument_is_a_call_of_the_function() {
    check(
        r#"
//- go.mod
module example.com/shop

go 1.22
//- st/st.go
package st

func Open[T any](v T) T { return v }
//- main.go
package main

import "example.com/shop/st"

func Local[T any](v T) {}

func main() {
	Local[string]("s")
	st.Open[int](2)
	handlers := []func(int){}
	handlers[0](1)
}
"#,
        expect![[r#"
            main.go main -> main.go Local @[8]
            main.go main -> st/st.go Open @[9]
        "#]],
    );
}

#[test]
fn a_function_in_a_literal_is_used() {
    let graph = testing::graph(
        r#"
//- a.go
package a
type Command struct { Run func(int) }
func emptyRun(x int) {}
func other() {}
var root = &Command{Run: emptyRun}
func make() []func() { n := 1; _ = n; return []func(){other} }
"#,
    );
    expect![[r#"
        a.go -> a.go Command @[5]
        a.go -> a.go emptyRun @[5]
        a.go make -> a.go other @[6]
    "#]]
    .assert_eq(&testing::edges(&graph, &[m1nd_graph::EdgeKind::References]));
}

#[test]
fn of_variants_the_one_that_is_built_without_tags_is_meant() {
    check(
        r#"
//- go.mod
module example.com/m
//- a_alt.go
//go:build alt

package m

type Labels struct{}

func (l Labels) Get() { l.own() }
func (l Labels) own()  {}
func (l Labels) only() {}

func plain() {}
//- a_default.go
//go:build !alt && !alt2

package m

type Labels struct{ syms []Sym }

func (l Labels) Get() { l.own() }
func (l Labels) own() {}

func plain() {}
//- m.go
package m

type Sym struct{}

func (s Sym) Name() {}

func Run(l Labels) {
	l.Get()
	l.only()
	l.syms[0].Name()
	plain()
}
//- other/o.go
package other

import "example.com/m"

func Use() { m.Labels{}.Get() }
"#,
        expect![[r#"
            a_alt.go Labels.Get -> a_alt.go Labels.own @[7]
            a_default.go Labels.Get -> a_default.go Labels.own @[7]
            m.go Run -> a_alt.go Labels.only @[9]
            m.go Run -> a_default.go Labels.Get @[8]
            m.go Run -> a_default.go plain @[11]
            m.go Run -> m.go Sym.Name @[10]
            other/o.go Use -> a_default.go Labels.Get @[5]
        "#]],
    );
}

#[test]
fn methods_for_several_systems_are_all_meant() {
    check(
        r#"
//- go.mod
module example.com/m
//- a_linux.go
package m

type Disk struct{}

func (d *Disk) Sync() { d.flush() }
func (d *Disk) flush() {}
//- a_windows.go
package m

type Disk struct{}

func (d *Disk) Sync() { d.flush() }
func (d *Disk) flush() {}
//- m.go
package m

func Run(d *Disk) { d.Sync() }
"#,
        expect![[r#"
            a_linux.go Disk.Sync -> a_linux.go Disk.flush @[5]
            a_windows.go Disk.Sync -> a_windows.go Disk.flush @[5]
            m.go Run -> a_linux.go Disk.Sync @[3] ?2
            m.go Run -> a_windows.go Disk.Sync @[3] ?2
        "#]],
    );
}

#[test]
fn an_import_leads_to_the_files_of_a_package_that_are_used() {
    let found = testing::imports_and_bases(
        r#"
//- go.mod
module example.com/shop
//- cart/a_help.go
package cart

func Help() {}
//- cart/cart.go
package cart

type Cart struct{}

func New() *Cart { return nil }
//- cart/export_test.go
package cart

func Inner() {}
//- cart/cart_test.go
package cart_test

import "example.com/shop/cart"

func use() { cart.Inner() }
//- cart/total.go
package cart

func (c *Cart) Total() {}
//- main.go
package main

import "example.com/shop/cart"

func main() { cart.New().Total() }
//- side.go
package main

import _ "example.com/shop/cart"
"#,
    );
    expect![[r#"
        cart/cart_test.go imports -> cart/export_test.go @[3]
        main.go imports -> cart/cart.go @[3]
        main.go imports -> cart/total.go @[3]
        side.go imports -> cart/cart.go @[3]
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_call_with_type_arguments_alone_is_a_call() {
    check(
        r#"
//- a.go
package a

func Gen[T any]() T { var t T; return t }

type S[T any] struct{}

func (s S[T]) Get() {}

func Make[T any]() S[T] { return S[T]{} }

func use() {
	_ = Gen[int]()
	Make[int]().Get()
	Make[map[string]int]()
	var fs []func()
	fs[0]()
}
"#,
        expect![[r#"
            a.go use -> a.go Gen @[12]
            a.go use -> a.go Make @[13, 14]
            a.go use -> a.go S.Get @[13]
        "#]],
    );
}

#[test]
fn whatever_binds_a_name_hides_the_function_of_that_name() {
    check(
        r#"
//- go.mod
module example.com/hide
//- a.go
package hide

type T func()

func helper() {}

func named() (err error, helper T) { helper(); return nil, nil }
func parameter(helper T)            { helper() }
func several(a, helper T)           { helper() }
func variadic(helper ...T)          { helper[0]() }
func (helper T) receiver()          { helper() }
func closure() {
	_ = func() (helper T) { helper(); return nil }
	_ = func(helper T) { helper() }
	helper()
}
func ranged(all []T, c chan T) {
	for _, helper := range all {
		helper()
	}
	for helper := range c {
		helper()
	}
	helper()
}
func switched(x any) {
	switch helper := x.(type) {
	case func():
		helper()
	case func(int), func(string):
		_ = helper
	default:
		helper()
	}
	switch helper := x.(T); {
	default:
		helper()
	}
	helper()
}
func selected(c chan T) {
	select {
	case helper := <-c:
		helper()
	case helper, ok := <-c:
		if ok {
			helper()
		}
	default:
		helper()
	}
}
func initialised(m map[string]T) {
	if helper, ok := m["a"]; ok {
		helper()
	} else {
		helper()
	}
	for helper := m["a"]; ; {
		helper()
	}
}
func local() {
	const helper = 1
	_ = func() { helper() }
}
func declared() {
	var helper, other T
	helper()
	other()
}
"#,
        expect![[r#"
            a.go closure -> a.go helper @[15]
            a.go ranged -> a.go helper @[24]
            a.go selected -> a.go helper @[50]
            a.go switched -> a.go helper @[39]
        "#]],
    );
}

#[test]
fn what_may_fail_gives_its_value_and_what_a_type_is_made_of_comes_out_of_it() {
    check(
        r#"
//- go.mod
module example.com/may
//- a.go
package may

type Store struct{}

func (s *Store) Save() {}

type T struct{}

func (t T) Save() {}

type Stores []*Store

func (s Stores) Save() {}

type Set[T any] struct{ items []T }

func (s *Set[T]) First() T { return s.items[0] }

func (s *Set[V]) Each(f func(V)) {
	for _, item := range s.items {
		f(item)
	}
}

func run(x any, m map[string]*Store, c chan *Store, set *Set[*Store]) {
	if s, ok := x.(*Store); ok {
		s.Save()
	}
	if all, ok := x.(Stores); ok {
		all.Save()
	}
	if s, ok := m["a"]; ok {
		s.Save()
	}
	s, ok := <-c
	s.Save()
	set.First().Save()
	set.items[0].Save()
	_ = ok
}
"#,
        expect![[r#"
            a.go run -> a.go Set.First @[37]
            a.go run -> a.go Store.Save @[27, 33, 36, 37, 38]
            a.go run -> a.go Stores.Save @[30]
        "#]],
    );
}
