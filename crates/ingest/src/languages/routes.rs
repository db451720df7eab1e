//! HTTP routes: what the frameworks of several languages have in common.

/// Stands for a part of a path that is not known.
pub(crate) const UNKNOWN: &str = "…";

/// The method that a function or an annotation is named after.
pub(crate) fn method(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "get" => "GET",
        "post" => "POST",
        "put" => "PUT",
        "delete" | "del" => "DELETE",
        "patch" => "PATCH",
        "head" => "HEAD",
        "options" => "OPTIONS",
        "any" | "all" => "ANY",
        _ => return None,
    })
}

/// A pattern below a prefix, with one slash between the two and one in front.
pub(crate) fn joined(prefix: &str, pattern: &str) -> String {
    let parts = [prefix, pattern].map(|part| part.trim_matches('/'));
    let whole: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("/{}", whole.join("/"))
}

/// A pattern below a prefix as the language's frameworks put them together: where a slash at the end makes a
/// difference, it stays.
pub(crate) fn below(prefix: &str, pattern: &str, language: &str) -> String {
    let prefix = prefix.trim_end_matches('/');
    // Groups of Go are named with or without it.
    let is_bare = language == "go" && !prefix.is_empty() && !prefix.starts_with('/');
    let rooted = if is_bare { &*format!("/{prefix}") } else { prefix };
    let prefix = rooted;
    match pattern {
        "" => prefix.to_owned(),
        "/" if !matches!(language, "python" | "go") && !prefix.is_empty() => prefix.to_owned(),
        _ if prefix.is_empty() || pattern.starts_with('/') => format!("{prefix}{pattern}"),
        _ => format!("{prefix}/{pattern}"),
    }
}

/// The first text between quotes.
pub(crate) fn quoted(text: &str) -> Option<&str> {
    let open = text.find(['"', '\'', '`'])?;
    let quote = text[open..].chars().next()?;
    text[open + 1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::testing;

    #[test]
    fn prefixes_and_patterns_are_joined_by_one_slash() {
        assert_eq!(joined("/api/", "/x"), "/api/x");
        assert_eq!(joined("api", ""), "/api");
        assert_eq!(joined("", ""), "/");
        assert_eq!(quoted("@Get('x')"), Some("x"));
        assert_eq!(quoted("@Get()"), None);
    }

    #[test]
    fn a_slash_at_the_end_stays_where_it_makes_a_difference() {
        assert_eq!(below("/users", "/", "go"), "/users/");
        assert_eq!(below("/users", "/", "javascript"), "/users");
        assert_eq!(below("base", "metrics", "go"), "/base/metrics");
        assert_eq!(below("", "example.com/x", "go"), "example.com/x", "a host");
    }

    #[test]
    fn the_common_frameworks_are_known() {
        let found = testing::routes(
            r#"
//- shop/urls.py
from django.urls import path, re_path, include
from . import views
urlpatterns = [
    path("cart/<int:id>/", views.cart),
    re_path(r"^items$", views.Items.as_view()),
    path("more/", include("other.urls")),
]
//- shop/views.py
def cart(request, id): ...
class Items: ...
//- api.py
@app.get("/fast")
def fast(): ...
@bp.route("/flask", methods=["POST"])
def flask(): ...
//- main.go
package main
func main() {
	http.HandleFunc("/plain", plain)
	mux.HandleFunc("GET /new/{id}", plain)
	r.GET("/gin", plain)
	r.Get("/chi", func(w http.ResponseWriter, r *http.Request) {})
	client.Get("https://x", 1)
}
func plain() {}
//- src/main.rs
fn app() -> Router { Router::new().route("/axum", get(list).post(create)).route("/actix", web::put().to(list)) }
fn list() {}
fn create() {}
#[rocket::get("/rocket")]
fn rocket() {}
//- Cats.java
@RestController
@RequestMapping("/cats")
class Cats {
    @GetMapping("/{id}")
    public String one() { return ""; }
    @RequestMapping(value = "/all", method = RequestMethod.DELETE)
    public String all() { return ""; }
}
//- Dogs.java
@Path("/dogs")
class Dogs {
    @POST
    @Path("new")
    public String add() { return ""; }
    @GET
    public String list() { return ""; }
}
//- nest.ts
@Controller('nest')
export class Nest {
  @Get(':id')
  one(): string { return ''; }
  @Post()
  add() {}
}
//- app/(shop)/carts/[id]/route.ts
export async function GET() { return 1; }
export function helper() {}
//- pages/api/hello.ts
export default function handler(req, res) {}
//- config/routes.rb
Rails.application.routes.draw do
  get "/carts/:id", to: "carts#show"
  namespace :admin do
    post "items", to: "items#create"
  end
end
//- app/controllers/carts_controller.rb
class CartsController
  def show; end
end
//- app/controllers/admin/items_controller.rb
module Admin
  class ItemsController
    def create; end
  end
end
//- routes/web.php
<?php
use App\Http\CartController;
Route::get('/laravel/{id}', [CartController::class, 'show']);
//- app/Http/CartController.php
<?php
namespace App\Http;
class CartController { public function show() {} }
//- ThingsController.cs
[Route("api/[controller]")]
public class ThingsController {
    [HttpGet("{id}")]
    public int One(int id) { return 1; }
}
//- server.js
const router = express.Router();
router.get('/express', listed);
function listed(req, res) {}
"#,
        );
        expect![[r#"
            ANY /api/hello pages/api/hello.ts:1 -> function::pages/api/hello.ts::handler
            ANY /cart/<int:id>/ shop/urls.py:4 -> function::shop/views.py::cart
            ANY /items shop/urls.py:5 -> class::shop/views.py::Items
            ANY /plain main.go:3 -> function::main.go::plain
            DELETE /cats/all Cats.java:6 -> method::Cats.java::Cats.all
            GET /api/things/{id} ThingsController.cs:3 -> method::ThingsController.cs::ThingsController.One
            GET /axum src/main.rs:1 -> function::src/main.rs::list
            GET /carts/:id app/(shop)/carts/[id]/route.ts:1 -> function::app/(shop)/carts/[id]/route.ts::GET
            GET /carts/:id config/routes.rb:2 -> method::app/controllers/carts_controller.rb::CartsController.show
            GET /cats/{id} Cats.java:4 -> method::Cats.java::Cats.one
            GET /chi main.go:6 -> 
            GET /dogs Dogs.java:6 -> method::Dogs.java::Dogs.list
            GET /fast api.py:1 -> function::api.py::fast
            GET /gin main.go:5 -> function::main.go::plain
            GET /laravel/{id} routes/web.php:3 -> method::app/Http/CartController.php::CartController.show
            GET /nest/:id nest.ts:3 -> method::nest.ts::Nest.one
            GET /new/{id} main.go:4 -> function::main.go::plain
            GET /rocket src/main.rs:5 -> function::src/main.rs::rocket
            GET …/express server.js:2 -> function::server.js::listed
            POST /admin/items config/routes.rb:4 -> method::app/controllers/admin/items_controller.rb::Admin.ItemsController.create
            POST /axum src/main.rs:1 -> function::src/main.rs::create
            POST /dogs/new Dogs.java:3 -> method::Dogs.java::Dogs.add
            POST /flask api.py:3 -> function::api.py::flask
            POST /nest nest.ts:5 -> method::nest.ts::Nest.add
            PUT /actix src/main.rs:1 -> function::src/main.rs::list
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn frameworks_have_more_than_one_way_to_say_a_route() {
        let found = testing::routes(
            r#"
//- main.go
package main
func main() {
	r := gin.Default()
	r.Handle("PATCH", "/gin", plain)
	users := r.Group("/users")
	users.GET("", plain)
	m := mux.NewRouter()
	m.HandleFunc("/gorilla", plain).Methods("GET", "POST")
	m.HandleFunc("/named", plain).Name("x").Methods(http.MethodPut)
	c := chi.NewRouter()
	c.Method("DELETE", "/chi", plain)
	cache.Add("GET", 1, plain)
}
func plain() {}
//- src/main.rs
use actix_web::{web, App};
fn app() {
    App::new()
        .service(web::resource("/one").route(web::get().to(list)).route(web::post().to(create)))
        .service(web::scope("/in").service(web::resource("/two").to(list)));
}
fn list() {}
fn create() {}
//- Cats.java
@RestController
@RequestMapping(path = "/cats", produces = "application/json")
class Cats {
    @GetMapping(produces = "text/plain")
    public String all() { return ""; }
    @RequestMapping(method = {RequestMethod.PUT, RequestMethod.PATCH}, value = {"/a", "/b"})
    public String both() { return ""; }
    @PostMapping(Paths.NEW)
    public String add() { return ""; }
    @DeleteMapping
    public String none() { return ""; }
}
//- server.js
const app = express();
app.get(`/template`, listed);
app.get(`/${name}`, listed);
function listed(req, res) {}
//- shop/urls.py
from django.urls import path, include
from rest_framework import routers
from . import views
router = routers.DefaultRouter()
router.register(r"users", views.Users)
urlpatterns = [path("api/", include(router.urls))]
//- shop/views.py
class Users: ...
//- rest.py
from flask_restful import Api, Resource
api = Api(app)
class Items(Resource):
    def get(self): ...
api.add_resource(Items, "/items", "/things")
@app.get(r"/raw")
def raw(): ...
//- aio.py
from aiohttp import web
app = web.Application()
app.router.add_get("/aio", handle)
async def handle(request): ...
//- config/routes.rb
Rails.application.routes.draw do
  get "welcome/index"
  get "about", to: "welcome#about"
end
//- app/controllers/welcome_controller.rb
class WelcomeController
  def index; end
  def about; end
end
//- routes/web.php
<?php
use App\Http\CartController;
Route::get('/closure', function () { return 1; });
Route::get('/old', 'CartController@show');
Route::match(['get', 'post'], '/match', [CartController::class, 'show']);
Route::middleware('auth')->post('/after', [CartController::class, 'store']);
Route::apiResource('carts', CartController::class)->only(['index', 'show']);
Route::controller(CartController::class)->prefix('in')->group(function () {
    Route::get('/group', 'show');
});
Cache::get('/no', function () {});
//- app/Http/CartController.php
<?php
namespace App\Http;
class CartController {
    public function index() {}
    public function show() {}
    public function store() {}
}
"#,
        );
        expect![[r#"
            ANY /in/two src/main.rs:5 -> function::src/main.rs::list
            ANY /items rest.py:5 -> class::rest.py::Items
            ANY /things rest.py:5 -> class::rest.py::Items
            ANY …/api/users/ shop/urls.py:5 -> class::shop/views.py::Users
            DELETE /cats Cats.java:10 -> method::Cats.java::Cats.none
            DELETE /chi main.go:11 -> function::main.go::plain
            GET /about config/routes.rb:3 -> method::app/controllers/welcome_controller.rb::WelcomeController.about
            GET /aio aio.py:3 -> function::aio.py::handle
            GET /carts routes/web.php:7 -> method::app/Http/CartController.php::CartController.index
            GET /carts/{cart} routes/web.php:7 -> method::app/Http/CartController.php::CartController.show
            GET /cats Cats.java:4 -> method::Cats.java::Cats.all
            GET /closure routes/web.php:3 -> 
            GET /gorilla main.go:8 -> function::main.go::plain
            GET /in/group routes/web.php:9 -> method::app/Http/CartController.php::CartController.show
            GET /match routes/web.php:5 -> method::app/Http/CartController.php::CartController.show
            GET /old routes/web.php:4 -> method::app/Http/CartController.php::CartController.show
            GET /one src/main.rs:4 -> function::src/main.rs::list
            GET /raw rest.py:6 -> function::rest.py::raw
            GET /template server.js:2 -> function::server.js::listed
            GET /users main.go:6 -> function::main.go::plain
            GET /welcome/index config/routes.rb:2 -> method::app/controllers/welcome_controller.rb::WelcomeController.index
            PATCH /cats/a Cats.java:6 -> method::Cats.java::Cats.both
            PATCH /cats/b Cats.java:6 -> method::Cats.java::Cats.both
            PATCH /gin main.go:4 -> function::main.go::plain
            POST /after routes/web.php:6 -> method::app/Http/CartController.php::CartController.store
            POST /cats/… Cats.java:8 -> method::Cats.java::Cats.add
            POST /gorilla main.go:8 -> function::main.go::plain
            POST /match routes/web.php:5 -> method::app/Http/CartController.php::CartController.show
            POST /one src/main.rs:4 -> function::src/main.rs::create
            PUT /cats/a Cats.java:6 -> method::Cats.java::Cats.both
            PUT /cats/b Cats.java:6 -> method::Cats.java::Cats.both
            PUT /named main.go:9 -> function::main.go::plain
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn routes_of_one_method_and_pattern_are_told_apart() {
        let graph = testing::graph(
            r#"
//- server.js
app.get('/x', one);
app.get('/x', two);
function one() {}
function two() {}
"#,
        );
        let mut routes: Vec<String> = graph
            .nodes()
            .filter(|node| node.kind() == m1nd_graph::NodeKind::Route)
            .map(|node| format!("{}:{}", node.id(), node.lines().0))
            .collect();
        routes.sort();
        assert_eq!(routes, ["route::server.js::GET /x#2:2", "route::server.js::GET /x:1"]);
    }

    #[test]
    fn every_method_written_is_a_route() {
        let found = testing::routes(
            r#"
//- api.py
@app.route("/both", methods=["GET", "POST"])
def both(): ...
@router.api_route("/tuple", methods=('put', 'DELETE'), name="x")
def pair(): ...
@app.route("/methods")
def plain(): ...
@app.route("/named", methods=METHODS)
def named(): ...
"#,
        );
        expect![[r#"
            ANY /named api.py:7 -> function::api.py::named
            DELETE /tuple api.py:3 -> function::api.py::pair
            GET /both api.py:1 -> function::api.py::both
            GET /methods api.py:5 -> function::api.py::plain
            POST /both api.py:1 -> function::api.py::both
            PUT /tuple api.py:3 -> function::api.py::pair
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn expressions_of_django_are_read_as_paths() {
        let found = testing::routes(
            r#"
//- shop/urls.py
from django.urls import re_path
from . import views
urlpatterns = [
    re_path(r"^x/$", views.x),
    re_path(r'^carts/(?P<id>(?:\d|[a-f)])+)/item\.(?P<kind>\w+)$', views.x),
]
//- old/routing.py
from django.conf.urls import url, include
from shop import views
urlpatterns = [url(r'^blog/', include('shop.urls')), url(r'^old\-x/$', 'shop.views.x')]
//- shop/views.py
def x(request): ...
//- other.py
url(r'^no/$', x)
"#,
        );
        expect![[r#"
            ANY /blog/carts/<id>/item.<kind> shop/urls.py:5 -> function::shop/views.py::x
            ANY /blog/x/ shop/urls.py:4 -> function::shop/views.py::x
            ANY /old-x/ old/routing.py:3 -> 
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn a_decorator_is_a_route_only_where_something_speaks_for_a_router() {
        let found = testing::routes(
            r#"
//- cache.py
class Cache:
    def get(self, key): ...
d = Cache()
app = Cache()
@d.get("/no")
def one(): ...
@Cache.get("/no")
def two(): ...
@app.get("/no")
def three(): ...
//- views.py
from .main import app
from .cache import d
@app.get("/yes")
def four(): ...
@d.get("/no")
def five(): ...
//- named.py
import falcon
@whatever.get("/falcon")
def six(): ...
"#,
        );
        expect![[r#"
            GET /falcon named.py:2 -> function::named.py::six
            GET /yes views.py:3 -> function::views.py::four
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn blocks_of_sinatra_are_routes() {
        let found = testing::routes(
            r#"
//- app.rb
require 'sinatra/base'
class App < Sinatra::Base
  get '/carts/:id' do
    load_cart(params[:id])
  end
  post('/carts') { create }
  get 'no'
end
//- other.rb
get '/no' do
end
"#,
        );
        expect![[r#"
            GET /carts/:id app.rb:3 -> 
            POST /carts app.rb:6 -> 
        "#]]
        .assert_eq(&found);
    }

    #[test]
    fn routers_of_express_may_have_any_name() {
        let found = testing::routes(
            r#"
//- server.js
const express = require('express');
const { Router } = express;
const web = express();
const admin = express.Router({ mergeParams: true });
const v1 = Router();
let late;
late = require('express')();
const cache = new Map();
web.get('/web', listed);
admin.post('/admin', guard, listed);
v1.put('/v1', listed);
late.delete('/late', listed);
cache.get('/no', listed);
web.route('/chain')
  .get(listed)
  .post(guard, made);
v1.route('/line').get(listed).all(made);
cache.route('/no').get(listed);
function listed(req, res) {}
function made(req, res) {}
function guard() {}
"#,
        );
        expect![[r#"
            ANY …/line server.js:17 -> function::server.js::made
            DELETE /late server.js:12 -> function::server.js::listed
            GET /chain server.js:15 -> function::server.js::listed
            GET /web server.js:9 -> function::server.js::listed
            GET …/line server.js:17 -> function::server.js::listed
            POST /chain server.js:16 -> function::server.js::made
            POST …/admin server.js:10 -> function::server.js::listed
            PUT …/v1 server.js:11 -> function::server.js::listed
        "#]]
        .assert_eq(&found);
    }
}
