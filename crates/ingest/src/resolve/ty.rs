//! What an expression is a value of, as far as the program says.

use std::sync::Arc;

use crate::facts::{ExprIx, TypeIx};
use crate::resolve::program::{GDef, GName, Place};

pub(crate) type Args = Arc<[Ty]>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    /// Nothing is known.
    Unknown,
    /// Certainly not defined in this workspace.
    External,
    /// A module.
    Place(Place),
    /// A type itself, as in `Cart::new`.
    Type(GDef, Args),
    /// A value of a type.
    Of(GDef, Args),
    /// A callable, with the value it was reached through.
    Fn(GDef, Option<Arc<Ty>>),
    /// A value of a well-known library type.
    Std(&'static str, Args),
    /// A well-known library type itself.
    StdType(&'static str, Args),
    /// A method of a well-known library type.
    StdFn(GName, Arc<Ty>),
    /// Something callable whose result is known.
    Callable(Args, Arc<Ty>),
    Tuple(Args),
    /// A type parameter of a definition; [`SELF_PARAM`] for the type that implements a trait.
    Param(GDef, u32),
    Closure(u32, ExprIx),
    /// An object literal.
    Object(u32, ExprIx),
    /// A type written as its members.
    Shape(u32, TypeIx),
    /// One of these.
    Union(Args),
}

pub(crate) const SELF_PARAM: u32 = u32::MAX;

/// A library function that makes a value of the type it is given: whoever calls it makes one.
pub(crate) const MADE: &str = "Made";

/// Something unknown or of the library, where something of ours is as likely: a call of it may lead to either.
pub(crate) const OTHER: &str = "Other";

/// A pointer that is copied without what it points to, as the library's counted ones are; all else that is asked of it
/// is asked of that.
pub(crate) const SHARED: &str = "Shared";

impl Ty {
    /// What a value is when pointers to it do not count.
    pub fn pointee(&self) -> &Self {
        match self {
            Self::Std(SHARED, of) => of.first().map_or(&Self::Unknown, Self::pointee),
            other => other,
        }
    }

    pub fn std(name: &'static str, args: impl IntoIterator<Item = Ty>) -> Self {
        Self::Std(name, args.into_iter().collect())
    }

    pub fn union(parts: Vec<Ty>) -> Self {
        let mut flat: Vec<Ty> = Vec::new();
        for part in parts {
            let inner = match part {
                Self::Union(inner) => inner.to_vec(),
                other => vec![other],
            };
            for ty in inner {
                if ty != Self::Unknown && !flat.contains(&ty) {
                    flat.push(ty);
                }
            }
        }
        // A value that is ours or the library's is looked up as ours.
        if flat.len() > 1 {
            flat.retain(|ty| *ty != Self::External);
        }
        match flat.len() {
            0 => Self::Unknown,
            // What stands beside nothing of ours is simply not known.
            1 if flat[0].is_other() => Self::Unknown,
            1 => flat.swap_remove(0),
            _ => Self::Union(flat.into()),
        }
    }

    /// One of several values, in a language where a name may hold any: what is not known of them, or not ours, stands
    /// beside what is ours.
    pub fn join(mut parts: Vec<Ty>) -> Self {
        if parts.iter().any(Self::is_ours) {
            for part in parts.iter_mut().filter(|part| matches!(part, Self::Unknown | Self::External)) {
                *part = Self::std(OTHER, []);
            }
        }
        Self::union(parts)
    }

    /// Whether it may be something that is defined in this workspace.
    fn is_ours(&self) -> bool {
        match self {
            Self::Union(parts) => parts.iter().any(Self::is_ours),
            Self::Unknown | Self::External | Self::Std(..) | Self::StdType(..) | Self::StdFn(..) => false,
            _ => true,
        }
    }

    fn is_other(&self) -> bool {
        matches!(self, Self::Std(OTHER, _))
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// The value that a type describes.
    pub fn instance(self) -> Self {
        match self {
            Self::Type(def, args) => Self::Of(def, args),
            Self::StdType(name, args) => Self::Std(name, args),
            other => other,
        }
    }

    /// The functions it may be.
    pub fn functions(&self) -> Vec<GDef> {
        match self {
            Self::Fn(def, _) => vec![*def],
            Self::Union(parts) => parts.iter().flat_map(Self::functions).collect(),
            _ => Vec::new(),
        }
    }

    /// How many things it may be besides ours.
    pub fn others(&self) -> usize {
        match self {
            Self::Union(parts) => parts.iter().map(Self::others).sum(),
            other => usize::from(other.is_other()),
        }
    }

    /// Replaces type parameters by what is known of them.
    pub fn substitute(&self, known: &[(GDef, u32, Ty)]) -> Self {
        if known.is_empty() {
            return self.clone();
        }
        let all = |args: &Args| -> Args { args.iter().map(|arg| arg.substitute(known)).collect() };
        match self {
            Self::Param(def, at) => known
                .iter()
                .find(|(owner, position, _)| owner == def && position == at)
                .map_or_else(|| self.clone(), |(_, _, ty)| ty.clone()),
            Self::Type(def, args) => Self::Type(*def, all(args)),
            Self::Of(def, args) => Self::Of(*def, all(args)),
            Self::Std(name, args) => Self::Std(name, all(args)),
            Self::StdType(name, args) => Self::StdType(name, all(args)),
            Self::Tuple(args) => Self::Tuple(all(args)),
            Self::Union(args) => Self::union(all(args).to_vec()),
            Self::Callable(params, result) => Self::Callable(all(params), Arc::new(result.substitute(known))),
            other => other.clone(),
        }
    }

    /// Learns type parameters by laying a declared type over an actual one.
    pub fn unify(declared: &Ty, actual: &Ty, known: &mut Vec<(GDef, u32, Ty)>) {
        match (declared, actual) {
            (_, Self::Unknown) => {}
            (Self::Param(def, at), _) if known.iter().any(|(d, p, _)| d == def && p == at) => {}
            (Self::Param(def, at), actual) => known.push((*def, *at, actual.clone())),
            (Self::Of(a, left), Self::Of(b, right)) if a == b => unify_all(left, right, known),
            (Self::Std(a, left), Self::Std(b, right)) if a == b => unify_all(left, right, known),
            (_, Self::Std(SHARED, _)) => Self::unify(declared, actual.pointee(), known),
            (Self::Tuple(left), Self::Tuple(right)) => unify_all(left, right, known),
            (Self::Callable(_, declared), Self::Callable(_, actual)) => Self::unify(declared, actual, known),
            (Self::Union(parts), actual) => {
                for part in parts.iter() {
                    Self::unify(part, actual, known);
                }
            }
            _ => {}
        }
    }
}

fn unify_all(left: &[Ty], right: &[Ty], known: &mut Vec<(GDef, u32, Ty)>) {
    for (declared, actual) in left.iter().zip(right) {
        Ty::unify(declared, actual, known);
    }
}
