//! The grammars alone, for measuring what parsing costs without anything else.

use tree_sitter::{Language, Parser};

/// Parses a file and forgets the tree. False when no language of this build reads it.
pub fn parse_only(path: &str, source: &[u8]) -> bool {
    let Some(grammar) = super::of_path(path).and_then(|language| grammar(language.name)) else {
        return false;
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar).is_ok() && std::hint::black_box(parser.parse(source, None)).is_some()
}

fn grammar(name: &str) -> Option<Language> {
    Some(match name {
        #[cfg(feature = "lang-c")]
        super::c::NAME => tree_sitter_c::LANGUAGE.into(),
        #[cfg(feature = "lang-go")]
        super::go::NAME => tree_sitter_go::LANGUAGE.into(),
        #[cfg(feature = "lang-java")]
        super::java::NAME => tree_sitter_java::LANGUAGE.into(),
        #[cfg(feature = "lang-python")]
        super::python::NAME => tree_sitter_python::LANGUAGE.into(),
        #[cfg(feature = "lang-rust")]
        super::rust::NAME => tree_sitter_rust::LANGUAGE.into(),
        #[cfg(feature = "lang-typescript")]
        super::typescript::TYPESCRIPT => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        #[cfg(feature = "lang-typescript")]
        super::typescript::TSX => tree_sitter_typescript::LANGUAGE_TSX.into(),
        #[cfg(feature = "lang-typescript")]
        super::typescript::JAVASCRIPT => tree_sitter_javascript::LANGUAGE.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_grammar() {
        for language in super::super::ALL {
            let path = format!("a.{}", language.extensions[0]);
            assert!(parse_only(&path, b""), "{}", language.name);
        }
        assert!(!parse_only("a.nothing", b""));
    }
}
