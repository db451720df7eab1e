//! Where routes answer once the routers of all files are put together.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::facts::{Below, DefIx, Expr, ExprIx, FileFacts, Mount, Route, RouterKind};
use crate::languages::routes;
use crate::resolve::Links;
use crate::routers::own_prefix;

/// Routers deeper below each other are not followed.
const MAX_DEPTH: usize = 8;
/// More places for one route are not told.
const MAX_PLACES: usize = 8;

/// The path of a route.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shown {
    /// Whether something unknown comes before the pattern.
    pub partial: bool,
    pub pattern: String,
}

/// What routes can hang on: a definition of a file, or the file itself.
type Key = (u32, Option<DefIx>);

/// Every mount of the program, by what it puts below a path.
pub(crate) struct Mounts<'f> {
    files: &'f [&'f FileFacts],
    links: &'f [Links],
    of: FxHashMap<Key, Vec<(u32, &'f Mount)>>,
    /// Files by their own names, in order.
    by_name: FxHashMap<&'f str, Vec<u32>>,
    /// What leads to what routes hang on, as far as it was asked: most routes hang on the same few things.
    known: RefCell<FxHashMap<Key, Vec<Shown>>>,
}

impl<'f> Mounts<'f> {
    pub fn of(files: &'f [&'f FileFacts], links: &'f [Links]) -> Self {
        let mut by_name: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (file, facts) in (0..).zip(files) {
            by_name.entry(own_name(&facts.path)).or_default().push(file);
        }
        let mut mounts = Self { files, links, of: FxHashMap::default(), by_name, known: RefCell::default() };
        for (file, facts) in (0..).zip(files) {
            for mount in &facts.mounts {
                if let Some(key) = mounts.key(file, &mount.what) {
                    mounts.of.entry(key).or_default().push((file, mount));
                }
            }
        }
        mounts
    }

    /// Where a route answers, best known first; never empty.
    pub fn places(&self, file: u32, route: &Route) -> Vec<Shown> {
        let language = &self.files[file as usize].language;
        let mut found: Vec<Shown> = self
            .outer(file, route.below.as_ref(), MAX_DEPTH)
            .into_iter()
            .map(|outer| Shown { pattern: routes::below(&outer.pattern, &route.pattern, language), ..outer })
            .collect();
        found.sort();
        found.dedup();
        found.truncate(MAX_PLACES);
        found
    }

    fn outer(&self, file: u32, below: Option<&Below>, depth: usize) -> Vec<Shown> {
        let whole = |partial| vec![Shown { partial, pattern: String::new() }];
        let Some(below) = below else { return whole(false) };
        match self.key(file, below) {
            Some(key) if depth == MAX_DEPTH => {
                if let Some(known) = self.known.borrow().get(&key) {
                    return known.clone();
                }
                let found = self.paths(key, depth);
                self.known.borrow_mut().insert(key, found.clone());
                found
            }
            Some(key) => self.paths(key, depth),
            None => {
                let applications = &self.links[file as usize].applications;
                whole(!below.value().is_some_and(|value| applications.contains(&value)))
            }
        }
    }

    /// The paths that lead to what routes hang on.
    fn paths(&self, key: Key, depth: usize) -> Vec<Shown> {
        let (file, def) = key;
        let facts = self.files[file as usize];
        let router = facts.routers.iter().find(|router| Some(router.def) == def);
        let (kind, own) = router.map_or((RouterKind::Part, ""), |router| (router.kind, &router.prefix));
        let mounts = self.of.get(&key).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        for (at, mount) in mounts.iter().filter(|_| depth > 0) {
            let inner = own_prefix(kind, own, mount.prefix.as_deref());
            for outer in self.outer(*at, mount.below.as_ref(), depth - 1) {
                let base = routes::below(&outer.pattern, &mount.base, "");
                found.push(Shown { pattern: routes::below(&base, &inner, ""), ..outer });
            }
        }
        if found.is_empty() {
            let is_whole = kind == RouterKind::Root || (router.is_none() && self.is_outermost(key));
            found.push(Shown { partial: !is_whole, pattern: own.to_owned() });
        }
        found
    }

    /// Whether what nothing mounts is likely to be where paths begin.
    fn is_outermost(&self, (file, def): Key) -> bool {
        let facts = self.files[file as usize];
        let Some(def) = def else {
            // The outermost list of a Django project lies beside its settings or includes the others.
            let settings = format!("{}settings", facts.path.strip_suffix("urls.py").unwrap_or(""));
            let start = self.files.partition_point(|other| other.path < settings);
            return !facts.mounts.is_empty()
                || self.files.get(start).is_some_and(|next| next.path.starts_with(&settings));
        };
        let (params, signature) = (&facts.def(def).params, &facts.def(def).signature);
        // A function that is given part of a router does not know where that part is.
        let takes_part = ["RouterGroup", "chi.Router", "echo.Group", "fiber.Router", "mux.Router"];
        let is_go = facts.language == "go" && !takes_part.iter().any(|part| signature.contains(part));
        facts.language == "rust"
            || is_go
            || params.iter().any(|param| is_application_name(facts.text(param.name)))
    }

    /// What something names; nothing where that is not evident.
    fn key(&self, file: u32, below: &Below) -> Option<Key> {
        match below {
            Below::Def(def) => Some((file, Some(*def))),
            Below::File(path) if *path == self.files[file as usize].path => Some((file, None)),
            Below::File(path) => {
                let fits = |at: &&u32| {
                    let rest = self.files[**at as usize].path.strip_suffix(path.as_str());
                    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                };
                let mut found = self.by_name.get(own_name(path)).into_iter().flatten().filter(fits);
                match (found.next(), found.next()) {
                    (Some(&at), None) => Some((at, None)),
                    _ => None,
                }
            }
            Below::Value(value) => self.named(file, *value),
        }
    }

    fn named(&self, file: u32, value: ExprIx) -> Option<Key> {
        self.links[file as usize].named(value).map(|end| (end.file, end.def))
    }
}

/// The last part of a path.
fn own_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether the last word of a name, a path or a field is what people call an application.
pub(crate) fn is_application(facts: &FileFacts, value: &Expr) -> bool {
    let name = match value {
        Expr::Name { name, .. } | Expr::Field { name, .. } | Expr::Member { name, .. } => Some(name),
        Expr::Path { segments, .. } => segments.last(),
        _ => None,
    };
    name.is_some_and(|&name| is_application_name(facts.text(name)))
}

fn is_application_name(name: &str) -> bool {
    matches!(name, "app" | "application" | "server" | "web")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::testing;

    fn check(fixture: &str, expected: Expect) {
        expected.assert_eq(&testing::routes(fixture));
    }

    #[test]
    fn blueprints_are_put_below_their_prefix() {
        check(
            r#"
//- app.py
from flask import Flask, Blueprint
from auth import bp as auth_bp
import shop.views
import lost
app = Flask(__name__)
local = Blueprint("local", __name__)
@local.route("/one")
def one(): ...
app.register_blueprint(local, url_prefix="/local")
app.register_blueprint(auth_bp)
app.register_blueprint(shop.views.bp, url_prefix="/store")
app.add_url_rule("/rule", view_func=one, methods=["PUT"])
//- auth.py
from flask import Blueprint
bp = Blueprint("auth", __name__, url_prefix="/auth")
@bp.route("/login")
def login(): ...
//- shop/__init__.py
//- shop/views.py
from flask import Blueprint
bp = Blueprint("shop", __name__, url_prefix="/shop")
@bp.get("/")
def index(): ...
//- alone.py
bp = Blueprint("alone", __name__)
@bp.get("/alone")
def alone(): ...
//- outside.py
from auth import bp
@bp.get("/more")
def more(): ...
//- variable.py
bp = Blueprint("v", __name__)
@bp.get("/v")
def v(): ...
app = Flask("v")
app.register_blueprint(bp, url_prefix=PREFIX)
"#,
            expect![[r#"
                GET /auth/login auth.py:3 -> function::auth.py::login
                GET /auth/more outside.py:2 -> function::outside.py::more
                GET /local/one app.py:7 -> function::app.py::one
                GET /store/ shop/views.py:3 -> function::shop/views.py::index
                GET …/alone alone.py:2 -> function::alone.py::alone
                GET …/v variable.py:2 -> function::variable.py::v
                PUT /rule app.py:12 -> function::app.py::one
            "#]],
        );
    }

    #[test]
    fn routers_of_fastapi_are_followed_through_files() {
        check(
            r#"
//- main.py
from fastapi import FastAPI
from api import router
from admin import router as admin_router
app = FastAPI()
app.include_router(router, prefix="/api")
app.include_router(admin_router)
app.include_router(admin_router, prefix="/v2")
//- api.py
from fastapi import APIRouter
import items
router = APIRouter(prefix="/v1")
router.include_router(items.router, prefix="/items")
@router.get("")
def home(): ...
//- items.py
from fastapi import APIRouter
router = APIRouter()
@router.get("/{id}")
def one(id): ...
router.add_api_route("/", one, methods=["POST"])
//- admin.py
from fastapi import APIRouter
router = APIRouter(prefix="/admin")
@router.get("/x")
def x(): ...
"#,
            expect![[r#"
                GET /admin/x admin.py:3 -> function::admin.py::x
                GET /api/v1 api.py:5 -> function::api.py::home
                GET /api/v1/items/{id} items.py:3 -> function::items.py::one
                POST /api/v1/items/ items.py:5 -> function::items.py::one
            "#]],
        );
    }

    #[test]
    fn lists_of_django_include_each_other() {
        check(
            r#"
//- site/settings.py
X = 1
//- site/urls.py
from django.urls import path, include
urlpatterns = [path("shop/", include("shop.urls")), path("about/", about)]
def about(request): ...
//- shop/urls.py
from django.urls import path
from . import views
urlpatterns = [path("cart/<int:id>/", views.cart)]
//- shop/views.py
def cart(request, id): ...
//- lost/urls.py
from django.urls import path
urlpatterns = [path("x/", x)]
def x(request): ...
"#,
            expect![[r#"
                ANY /about/ site/urls.py:2 -> function::site/urls.py::about
                ANY /shop/cart/<int:id>/ shop/urls.py:3 -> function::shop/views.py::cart
                ANY …/x/ lost/urls.py:2 -> function::lost/urls.py::x
            "#]],
        );
    }

    #[test]
    fn routers_of_express_and_fastify_are_followed_through_files() {
        check(
            r#"
//- server.js
const express = require('express');
const users = require('./users');
const { items } = require('./items');
const app = express();
const local = express.Router();
local.get('/', listed);
app.use('/local', local);
app.use('/users', users);
app.use('/items', items);
app.use(BASE, require('./variable'));
function listed(req, res) {}
//- users.js
const router = require('express').Router();
router.get('/:id', one);
function one(req, res) {}
module.exports = router;
//- items.js
const items = require('express').Router();
items.get('/all', all);
function all(req, res) {}
module.exports = { items };
//- variable.js
const router = require('express').Router();
router.get('/v', v);
function v(req, res) {}
module.exports = router;
//- alone.ts
import { Router } from 'express';
export const router = Router();
router.get('/alone', alone);
function alone() {}
//- fast.ts
import Fastify from 'fastify';
import plugin from './plugin';
const fastify = Fastify();
fastify.register(plugin, { prefix: '/plug' });
fastify.register(async (instance) => {
  instance.get('/inline', inline);
}, { prefix: '/v1' });
fastify.route({ method: ['GET', 'POST'], url: '/object', handler: inline });
function inline() {}
//- plugin.ts
export default async function routes(fastify, options) {
  fastify.get('/inner', inner);
}
function inner() {}
"#,
            expect![[r#"
                GET /items/all items.js:2 -> function::items.js::all
                GET /local server.js:6 -> function::server.js::listed
                GET /object fast.ts:8 -> function::fast.ts::inline
                GET /plug/inner plugin.ts:2 -> function::plugin.ts::inner
                GET /users/:id users.js:2 -> function::users.js::one
                GET /v1/inline fast.ts:6 -> function::fast.ts::inline
                GET …/alone alone.ts:3 -> function::alone.ts::alone
                GET …/v variable.js:2 -> function::variable.js::v
                POST /object fast.ts:8 -> function::fast.ts::inline
            "#]],
        );
    }

    #[test]
    fn routers_of_rust_are_nested() {
        check(
            r#"
//- Cargo.toml
[package]
name = "web"
//- src/main.rs
mod users;
use axum::Router;
fn app() -> Router {
    let api = Router::new()
        .route("/one", get(one))
        .nest("/users", users::router());
    Router::new()
        .nest("/api", api)
        .nest("/inline", Router::new().route("/x", get(one)))
        .merge(more())
}
fn more() -> Router { Router::new().route("/more", get(one)) }
fn one() {}
//- src/users.rs
use axum::Router;
pub fn router() -> Router { Router::new().route("/", get(list)).route("/{id}", get(show)) }
fn list() {}
fn show() {}
//- src/rocket.rs
fn launch() { rocket::build().mount("/base", routes![first, second]); }
#[rocket::get("/first")]
fn first() {}
#[post("/second")]
fn second() {}
//- src/actix.rs
use actix_web::web;
fn config(cfg: &mut web::ServiceConfig) {
    cfg.service(web::scope("/scope").service(marked).route("/plain", web::get().to(plain)));
}
#[get("/marked")]
fn marked() {}
fn plain() {}
"#,
            expect![[r#"
                GET /api/one src/main.rs:5 -> function::src/main.rs::one
                GET /api/users src/users.rs:2 -> function::src/users.rs::list
                GET /api/users/{id} src/users.rs:2 -> function::src/users.rs::show
                GET /base/first src/rocket.rs:3 -> function::src/rocket.rs::first
                GET /inline/x src/main.rs:9 -> function::src/main.rs::one
                GET /more src/main.rs:12 -> function::src/main.rs::one
                GET /scope/marked src/actix.rs:6 -> function::src/actix.rs::marked
                GET /scope/plain src/actix.rs:3 -> function::src/actix.rs::plain
                POST /base/second src/rocket.rs:5 -> function::src/rocket.rs::second
            "#]],
        );
    }

    #[test]
    fn groups_of_go_are_followed_through_files() {
        check(
            r#"
//- go.mod
module example.com/web
//- main.go
package main
import "example.com/web/users"
func main() {
	r := gin.Default()
	r.GET("/root", plain)
	api := r.Group("/api")
	api.GET("/one", plain)
	v1 := api.Group("/v1")
	v1.POST("/two", plain)
	users.Register(v1)
	lost(other)
	s := m.PathPrefix("/sub").Subrouter()
	s.HandleFunc("/three", plain)
	http.HandleFunc("/plain", plain)
}
func chi_routes() {
	r := chi.NewRouter()
	r.Route("/chi", func(r chi.Router) {
		r.Get("/four", plain)
		r.Group(func(r chi.Router) { r.Get("/five", plain) })
	})
	r.Mount("/admin", admin())
}
func admin() http.Handler {
	r := chi.NewRouter()
	r.Get("/six", plain)
	return r
}
func lost(g *gin.RouterGroup) {
	g.GET("/lost", plain)
}
func plain() {}
//- users/users.go
package users
func Register(g *gin.RouterGroup) {
	g.GET("/users", list)
}
func list() {}
"#,
            expect![[r#"
                ANY /plain main.go:14 -> function::main.go::plain
                ANY /sub/three main.go:13 -> function::main.go::plain
                GET /admin/six main.go:26 -> function::main.go::plain
                GET /api/one main.go:7 -> function::main.go::plain
                GET /api/v1/users users/users.go:3 -> function::users/users.go::list
                GET /chi/five main.go:20 -> function::main.go::plain
                GET /chi/four main.go:19 -> function::main.go::plain
                GET /root main.go:5 -> function::main.go::plain
                GET …/lost main.go:30 -> function::main.go::plain
                POST /api/v1/two main.go:9 -> function::main.go::plain
            "#]],
        );
    }

    #[test]
    fn groups_of_laravel_have_prefixes() {
        check(
            r#"
//- routes/web.php
<?php
use App\Cart;
Route::prefix('admin')->middleware('auth')->group(function () {
    Route::get('/carts', [Cart::class, 'index']);
    Route::group(['prefix' => 'inner'], function () {
        Route::post('new', [Cart::class, 'add']);
    });
});
//- routes/api.php
<?php
use App\Cart;
Route::get('/carts', [Cart::class, 'index']);
//- app/Cart.php
<?php
namespace App;
class Cart { public function index() {} public function add() {} }
"#,
            expect![[r#"
                GET /admin/carts routes/web.php:4 -> method::app/Cart.php::Cart.index
                GET /api/carts routes/api.php:3 -> method::app/Cart.php::Cart.index
                POST /admin/inner/new routes/web.php:6 -> method::app/Cart.php::Cart.add
            "#]],
        );
    }

    #[test]
    fn resources_of_rails_are_written_out() {
        check(
            r#"
//- config/routes.rb
Rails.application.routes.draw do
  root to: "home#index"
  resources :carts, only: [:index, :show] do
    resources :items, only: %i[create]
    member do
      post :pay
    end
    get :recent, on: :collection
  end
  namespace :admin do
    resource :profile, only: :show
  end
  scope "/v1", module: "api" do
    get "ping", to: "health#ping"
  end
  match "/both", to: "home#both", via: [:get, :post]
end
//- app/controllers/carts_controller.rb
class CartsController
  def index; end
  def show; end
  def pay; end
end
//- app/controllers/api/health_controller.rb
module Api
  class HealthController
    def ping; end
  end
end
"#,
            expect![[r#"
                GET / config/routes.rb:2 -> 
                GET /admin/profile config/routes.rb:11 -> 
                GET /both config/routes.rb:16 -> 
                GET /carts config/routes.rb:3 -> method::app/controllers/carts_controller.rb::CartsController.index
                GET /carts/:id config/routes.rb:3 -> method::app/controllers/carts_controller.rb::CartsController.show
                GET /carts/recent config/routes.rb:8 -> 
                GET /v1/ping config/routes.rb:14 -> method::app/controllers/api/health_controller.rb::Api.HealthController.ping
                POST /both config/routes.rb:16 -> 
                POST /carts/:cart_id/items config/routes.rb:4 -> 
                POST /carts/:id/pay config/routes.rb:6 -> method::app/controllers/carts_controller.rb::CartsController.pay
            "#]],
        );
    }
}
