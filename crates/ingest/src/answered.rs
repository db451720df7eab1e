//! Answered: names that a module gives although it does not have them, by a function of its own.

use std::collections::BTreeSet;

use m1nd_vfs::read::decode;

use crate::languages;
use crate::walk::PARSE_LIMIT;

/// For which names a module answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answers {
    /// For these alone.
    Only(BTreeSet<String>),
    /// For any, as far as can be read.
    Any,
}

/// Nothing where a module answers for none, or is in a language in which none does.
pub fn answered(path: &str, bytes: &[u8]) -> Option<Answers> {
    let language = languages::of_path(path)?;
    let (text, _) = decode(bytes)?;
    match language.name {
        #[cfg(feature = "lang-python")]
        "python" if text.contains("__getattr__") => {
            match languages::tree(language, text.as_bytes(), PARSE_LIMIT) {
                Ok(tree) => languages::python::answers::answers(&tree, text.as_bytes()),
                Err(_) => Some(Answers::Any),
            }
        }
        _ => None,
    }
}

#[cfg(all(test, feature = "lang-python"))]
mod tests {
    use super::*;

    #[test]
    fn a_module_answers_for_what_it_compares_names_with() {
        let of = |text: &str| answered("a.py", text.as_bytes());
        let only = |names: &[&str]| Some(Answers::Only(names.iter().map(|&name| name.to_owned()).collect()));
        let body = |body: &str| {
            of(&format!(
                "OLD = {{\"a\": 1, \"b\": 2}}\n\n\ndef __getattr__(name: str) -> object:\n    {body}\n"
            ))
        };
        assert_eq!(
            body(
                "if name == \"__version__\":\n        import x\n        return x.version(\"flask\")\n    raise AttributeError(name)"
            ),
            only(&["__version__"])
        );
        assert_eq!(
            body("if name in OLD:\n        return OLD[name]\n    raise AttributeError(name)"),
            only(&["a", "b"])
        );
        assert_eq!(
            body("if name not in (\"c\", 'd'):\n        raise AttributeError(name)\n    return load(name)"),
            only(&["c", "d"])
        );
        assert_eq!(
            body(
                "if \"e\" == name or name == 'f':\n        return 1\n    elif name == \"g\" and x:\n        return 2\n    raise AttributeError"
            ),
            only(&["e", "f", "g"])
        );
        assert_eq!(
            body(
                "match name:\n        case \"h\" | \"i\":\n            return 1\n        case _:\n            raise AttributeError"
            ),
            only(&["h", "i"])
        );
        assert_eq!(body("raise AttributeError(name)"), only(&[]));
        for any in [
            "return getattr(x, name)",
            "if name == \"a\":\n        warn()\n    return globals()[name]",
            "if name.startswith(\"a\"):\n        return 1\n    raise AttributeError",
            "if name == \"a\" or x:\n        return 1\n    raise AttributeError",
            "match name:\n        case other:\n            return 1",
        ] {
            assert_eq!(body(any), Some(Answers::Any), "{any}");
        }
        assert_eq!(of("from x import __getattr__\n"), Some(Answers::Any));
        assert_eq!(of("if x:\n    def __getattr__(name):\n        raise AttributeError\n"), only(&[]));
        assert_eq!(of("class A:\n    def __getattr__(self, name):\n        return 1\n"), None);
        assert_eq!(answered("a.go", b"__getattr__"), None);
    }
}
