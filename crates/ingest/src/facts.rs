//! What one file says, before anything outside it is known. Pure data: bytes in, facts out.

use m1nd_graph::{NodeFlags, NodeKind};
use serde::{Deserialize, Serialize};

/// A list that is mostly short or empty, as one pointer: there are millions of them.
pub type Few<T> = thin_vec::ThinVec<T>;

/// A string of one file's name table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Name(pub u32);

/// A definition of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DefIx(pub u32);

/// An expression of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ExprIx(pub u32);

/// A written type of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TypeIx(pub u32);

/// The strings of one file, end to end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    pub fn push(&mut self, name: &str) -> Name {
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        Name(self.ends.len() as u32 - 1)
    }

    pub fn get(&self, name: Name) -> &str {
        let at = name.0 as usize;
        let start = at.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before));
        let (Some(&start), Some(&end)) = (start, self.ends.get(at)) else { return "" };
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|at| self.get(Name(at)))
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// The innermost definition around something; nothing at the top of a file.
pub type Scope = Option<DefIx>;

/// Everything a file says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Workspace-relative, with forward slashes.
    pub path: String,
    /// The language's name, as in `languages`.
    pub language: String,
    pub lines: u32,
    pub flags: NodeFlags,
    /// The package the file says it belongs to, in languages where files do.
    pub package: String,
    /// What the file as a whole says about itself.
    pub doc: String,
    pub names: Names,
    /// In source order; a definition comes after the one that contains it.
    pub defs: Vec<Def>,
    pub imports: Vec<Import>,
    pub exports: Vec<Export>,
    /// Sorted by (owner, name, from). Once compacted those at the top only; the others are inside.
    pub bindings: Vec<Binding>,
    pub types: Vec<TypeExpr>,
    pub routes: Vec<Route>,
    /// Routers that other files can see.
    pub routers: Vec<Router>,
    /// Routers and functions of routes that are put below a path.
    pub mounts: Vec<Mount>,
    /// What tests are given, ask for and are set up by: a tag of a definition, or of the file.
    pub tags: Vec<(Scope, String)>,
    /// All names that who imports everything gets, where the file lists them.
    pub listed: Option<Vec<String>>,
    pub inside: Insides,
}

/// What is only read to resolve the file's own relations, or to follow a value into it. It is most of a file, and
/// is packed when nobody reads it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Insides {
    pub exprs: Vec<Expr>,
    pub calls: Vec<CallSite>,
    /// Functions and constants that are used without being called.
    pub uses: Vec<CallSite>,
    /// Names that may be those of constants of other files.
    pub reads: Vec<CallSite>,
    /// Members that are read and may be properties.
    pub members: Vec<CallSite>,
    /// Names that hold values within definitions, in the order of the file's bindings.
    pub bindings: Vec<Binding>,
}

impl Insides {
    pub fn expr(&self, ix: ExprIx) -> &Expr {
        &self.exprs[ix.0 as usize]
    }
}

impl FileFacts {
    pub fn text(&self, name: Name) -> &str {
        self.names.get(name)
    }

    /// Whether who imports everything from a file of Python gets a name from it, if it has one.
    pub fn offers(&self, name: &str) -> bool {
        match &self.listed {
            Some(names) => names.iter().any(|one| one == name),
            None => !name.starts_with('_'),
        }
    }

    pub fn def(&self, ix: DefIx) -> &Def {
        &self.defs[ix.0 as usize]
    }

    /// Whether it has routes, or something that they hang on.
    pub(crate) fn has_routes(&self) -> bool {
        !(self.routes.is_empty() && self.routers.is_empty() && self.mounts.is_empty())
    }

    /// The values that routes and mounts name, with their lines.
    pub fn routed_values(&self) -> impl Iterator<Item = (ExprIx, u32)> {
        let routes = self.routes.iter().flat_map(|route| {
            let handler = match route.handler {
                RouteHandler::Value(value) => Some(value),
                RouteHandler::Def(_) => None,
            };
            let parts = [handler, route.below.as_ref().and_then(Below::value)];
            parts.into_iter().flatten().map(|value| (value, route.line))
        });
        routes.chain(self.mounts.iter().flat_map(|mount| {
            let parts = [mount.what.value(), mount.below.as_ref().and_then(Below::value)];
            parts.into_iter().flatten().map(|value| (value, mount.line))
        }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DefKind {
    /// A module written inside a file.
    Module,
    Class,
    Struct,
    Enum,
    Variant,
    Trait,
    Interface,
    TypeAlias,
    Function,
    Method,
    Constant,
    /// Members added to a type elsewhere; becomes no node of its own.
    Impl,
}

impl DefKind {
    /// The kind of node a definition becomes, if it becomes one.
    pub fn node_kind(self) -> Option<NodeKind> {
        Some(match self {
            Self::Module => NodeKind::Module,
            Self::Class => NodeKind::Class,
            Self::Struct => NodeKind::Struct,
            Self::Enum => NodeKind::Enum,
            Self::Trait => NodeKind::Trait,
            Self::Interface => NodeKind::Interface,
            Self::TypeAlias => NodeKind::Type,
            Self::Function => NodeKind::Function,
            Self::Method => NodeKind::Method,
            Self::Constant => NodeKind::Constant,
            Self::Variant | Self::Impl => return None,
        })
    }

    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Trait | Self::Interface | Self::TypeAlias
        )
    }
}

/// Something that has a name and lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Def {
    pub kind: DefKind,
    pub name: Name,
    pub parent: Scope,
    /// First line, with the attributes or decorators that belong to it; 1-based.
    pub line_start: u32,
    pub line_end: u32,
    /// The line the name is on.
    pub name_line: u32,
    /// Bytes of the whole definition.
    pub from: u32,
    pub to: u32,
    pub signature: String,
    pub doc: String,
    pub flags: NodeFlags,
    pub how: How,
    pub type_params: Few<TypeParam>,
    /// Without the receiver.
    pub params: Few<Param>,
    /// What a call gives.
    pub returns: Option<TypeIx>,
    /// Expressions that the body returns.
    pub results: Few<ExprIx>,
    /// Base classes, supertraits, derived traits, or the trait of an impl.
    pub bases: Few<TypeIx>,
    pub fields: Few<Field>,
    /// The type of a constant, the target of an alias, the self type of an impl.
    pub of: Option<TypeIx>,
    /// The value of a constant.
    pub value: Option<ExprIx>,
}

impl Def {
    /// Whether code can say its name.
    pub fn has_name(&self) -> bool {
        self.how != How::Titled
    }

    /// Whether it is run by what runs tests.
    pub fn is_test_case(&self) -> bool {
        self.flags.has(NodeFlags::TEST_CODE) && self.flags.has(NodeFlags::ENTRY_POINT)
    }
}

/// How a callable is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    #[default]
    Free,
    /// By its name too, but only within the block that it stands in.
    Block,
    /// The same, and outside of the block where nothing else has the name.
    Hoisted,
    /// Through a value of its type.
    Instance,
    /// Through its type.
    Static,
    /// Read like a field.
    Property,
    /// Only by what runs it: its name is the title of a test, which no code can say, or what it is called through
    /// another type by.
    Titled,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeParam {
    pub name: Name,
    pub bounds: Few<TypeIx>,
    /// What it is when nothing is written.
    pub default: Option<TypeIx>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    pub name: Name,
    pub ty: Option<TypeIx>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub name: Name,
    pub ty: Option<TypeIx>,
    /// What it is first given.
    pub value: Option<ExprIx>,
    pub line: u32,
}

/// A name brought into a scope from elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The module, in the language's own terms.
    pub path: Vec<Name>,
    /// For languages with relative imports by level: how many levels up, 0 for absolute.
    pub level: u8,
    /// The item within the module; nothing for the module itself.
    pub item: Option<Name>,
    /// The name it has here.
    pub bind: Name,
    pub all: ImportAll,
    /// Whether others can import it from here.
    pub exported: bool,
    /// The scope it is written in.
    pub scope: Scope,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportAll {
    /// One name.
    No,
    /// Every public name of the module.
    Yes,
}

/// A name that others can import, and what it stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Export {
    pub name: Name,
    pub value: ExprIx,
}

/// A name that holds a value within part of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    pub owner: Scope,
    pub name: Name,
    /// The bytes within which the name means this.
    pub from: u32,
    pub to: u32,
    /// From here on it may mean what it meant before: the branch or loop that gave it the value has ended.
    pub until: u32,
    pub ty: Option<TypeIx>,
    pub value: Option<ExprIx>,
}

/// The name under which an object holds all members of another: `{ ...other }`.
pub const SPREAD: &str = "...";

/// As much of an expression as tells what it is a value of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    Unknown,
    Name {
        name: Name,
        at: u32,
        scope: Scope,
    },
    /// `a::b::c`, with the types written after the last part or after the type in it.
    Path {
        segments: Few<Name>,
        args: Few<TypeIx>,
        scope: Scope,
        at: u32,
    },
    /// `<T as Trait>::name` and `Few<T>::name`.
    Member {
        of: TypeIx,
        name: Name,
    },
    /// The current object or its class.
    This {
        scope: Scope,
    },
    /// The current object seen as its base.
    Super {
        scope: Scope,
    },
    Field {
        base: ExprIx,
        name: Name,
    },
    Call {
        callee: ExprIx,
        args: Few<ExprIx>,
        /// Types written at the call.
        types: Few<TypeIx>,
    },
    Index {
        base: ExprIx,
    },
    /// A value of this type.
    Of {
        ty: TypeIx,
    },
    /// What comes out of a wrapper.
    Out {
        of: ExprIx,
        by: By,
    },
    /// The n-th part of a tuple.
    Part {
        of: ExprIx,
        index: u32,
    },
    /// What a pattern that names a variant binds.
    Payload {
        variant: ExprIx,
        of: ExprIx,
        index: u32,
    },
    /// The n-th parameter of a function written as an argument of a call.
    ArgOf {
        call: ExprIx,
        arg: u32,
        param: u32,
    },
    Closure {
        params: u32,
        result: Option<ExprIx>,
        returns: Option<TypeIx>,
    },
    /// A definition written where a value stands.
    Def(DefIx),
    /// A module loaded where a value stands, by its import.
    Import(u32),
    Tuple(Few<ExprIx>),
    List(Few<ExprIx>),
    /// An object literal with named members.
    Object(Few<(Name, ExprIx)>),
    /// One of these.
    Any(Few<ExprIx>),
    Text,
    Number,
    Bool,
}

/// How a value is taken out of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum By {
    /// `?`
    Try,
    Await,
    /// One round of a loop.
    Iteration,
    /// `with x as y`
    Context,
    /// What a pointer points to.
    Deref,
    /// The error of a result.
    Error,
    /// The class of an object.
    Class,
    /// The class of an object that is made without being called, where it says how.
    Maker,
    /// What `new` makes of a function.
    New,
}

/// As much of a written type as tells what it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TypeExpr {
    Unknown,
    Path {
        segments: Few<Name>,
        args: Few<TypeIx>,
        scope: Scope,
        line: u32,
    },
    /// A type of another, like `<T as Trait>::Item`.
    Assoc {
        of: TypeIx,
        name: Name,
    },
    SelfType {
        scope: Scope,
    },
    /// Behaves as what it points to.
    Ref(TypeIx),
    Tuple(Few<TypeIx>),
    List(TypeIx),
    /// `impl A + B`, `dyn A`, bounds.
    Bounds(Few<TypeIx>),
    Union(Few<TypeIx>),
    Function {
        params: Few<TypeIx>,
        result: Option<TypeIx>,
    },
    /// A type written as its members.
    Object(Few<(Name, TypeIx)>),
    /// `typeof value`.
    ValueOf(ExprIx),
    Text,
    Number,
    Bool,
}

/// Where something is called or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    pub what: ExprIx,
    pub scope: Scope,
    pub line: u32,
}

/// An HTTP route and what answers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// Upper case; `ANY` when the framework does not say.
    pub method: String,
    /// With every prefix that its own file shows.
    pub pattern: String,
    pub handler: RouteHandler,
    pub line: u32,
    /// What it hangs on, where another file may put that below a path.
    pub below: Option<Below>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RouteHandler {
    Def(DefIx),
    Value(ExprIx),
}

/// What a route hangs on, or what is put below a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Below {
    /// A router, or a function whose routes are added where it is called.
    Def(DefIx),
    /// A router of another file.
    Value(ExprIx),
    /// A whole file: its own, or the one whose path ends so.
    File(String),
}

impl Below {
    pub fn value(&self) -> Option<ExprIx> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Def(_) | Self::File(_) => None,
        }
    }
}

/// A router with a name at the top of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Router {
    pub def: DefIx,
    pub kind: RouterKind,
    /// What it says itself.
    pub prefix: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RouterKind {
    /// The application: its paths are whole.
    Root,
    /// Its prefix stands after the path it is put below.
    Part,
    /// Its prefix holds unless the place where it is put below another gives one.
    PartUnlessGiven,
}

/// One router put below another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mount {
    pub what: Below,
    /// The path of the router it is put below, as far as this file shows it.
    pub base: String,
    /// Nothing where no path is given.
    pub prefix: Option<String>,
    /// What the outer router hangs on, as for a route.
    pub below: Option<Below>,
    pub line: u32,
}
