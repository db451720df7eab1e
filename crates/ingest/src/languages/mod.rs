//! The languages: one folder each, listed once.

#[cfg(feature = "lang-c")]
pub mod c;
#[cfg(feature = "lang-go")]
pub mod go;
#[cfg(feature = "lang-java")]
pub mod java;
#[cfg(feature = "lang-python")]
pub mod python;
#[cfg(feature = "lang-rust")]
pub mod rust;
#[cfg(feature = "lang-typescript")]
pub mod typescript;

use std::time::Duration;

use crate::facts::FileFacts;
use crate::resolve::program::Program;
use crate::resolve::rules::Rules;
use crate::walk::ParseError;

/// How a language's files are read.
pub struct Language {
    pub name: &'static str,
    pub extensions: &'static [&'static str],
    /// Languages that can call each other's methods share a family.
    pub family: &'static str,
    pub extract: fn(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError>,
}

/// Every language of this build.
pub const ALL: &[Language] = &[
    #[cfg(feature = "lang-c")]
    Language { name: c::NAME, extensions: c::EXTENSIONS, family: "c", extract: c::extract },
    #[cfg(feature = "lang-go")]
    Language { name: go::NAME, extensions: go::EXTENSIONS, family: "go", extract: go::extract },
    #[cfg(feature = "lang-java")]
    Language { name: java::NAME, extensions: java::EXTENSIONS, family: "java", extract: java::extract },
    #[cfg(feature = "lang-python")]
    Language {
        name: python::NAME,
        extensions: python::EXTENSIONS,
        family: "python",
        extract: python::extract,
    },
    #[cfg(feature = "lang-rust")]
    Language { name: rust::NAME, extensions: rust::EXTENSIONS, family: "rust", extract: rust::extract },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: typescript::TYPESCRIPT,
        extensions: typescript::TYPESCRIPT_EXTENSIONS,
        family: "script",
        extract: typescript::extract_typescript,
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: typescript::TSX,
        extensions: typescript::TSX_EXTENSIONS,
        family: "script",
        extract: typescript::extract_tsx,
    },
    #[cfg(feature = "lang-typescript")]
    Language {
        name: typescript::JAVASCRIPT,
        extensions: typescript::JAVASCRIPT_EXTENSIONS,
        family: "script",
        extract: typescript::extract_javascript,
    },
];

/// The language of a file, by its name.
pub fn of_path(path: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.')?.1;
    ALL.iter().find(|language| language.extensions.contains(&extension))
}

pub(crate) fn family(language: &str) -> &'static str {
    ALL.iter().find(|known| known.name == language).map_or("", |known| known.family)
}

/// Each language's rules for one program.
pub(crate) struct ProgramRules {
    #[cfg(feature = "lang-c")]
    c: c::CRules,
    #[cfg(feature = "lang-go")]
    go: go::GoRules,
    #[cfg(feature = "lang-java")]
    java: java::JavaRules,
    #[cfg(feature = "lang-python")]
    python: python::PythonRules,
    #[cfg(feature = "lang-rust")]
    rust: rust::RustRules,
    #[cfg(feature = "lang-typescript")]
    script: typescript::ScriptRules,
    none: NoRules,
}

impl ProgramRules {
    pub(crate) fn of(program: &Program<'_>) -> Self {
        Self {
            #[cfg(feature = "lang-c")]
            c: c::CRules::of(program),
            #[cfg(feature = "lang-go")]
            go: go::GoRules::of(program),
            #[cfg(feature = "lang-java")]
            java: java::JavaRules::of(program),
            #[cfg(feature = "lang-python")]
            python: python::PythonRules::of(program),
            #[cfg(feature = "lang-rust")]
            rust: rust::RustRules::of(program),
            #[cfg(feature = "lang-typescript")]
            script: typescript::ScriptRules::of(program),
            none: NoRules,
        }
    }

    pub(crate) fn of_language(&self, language: &str) -> &dyn Rules {
        match language {
            #[cfg(feature = "lang-c")]
            c::NAME => &self.c,
            #[cfg(feature = "lang-go")]
            go::NAME => &self.go,
            #[cfg(feature = "lang-java")]
            java::NAME => &self.java,
            #[cfg(feature = "lang-python")]
            python::NAME => &self.python,
            #[cfg(feature = "lang-rust")]
            rust::NAME => &self.rust,
            #[cfg(feature = "lang-typescript")]
            typescript::TYPESCRIPT | typescript::TSX | typescript::JAVASCRIPT => &self.script,
            _ => &self.none,
        }
    }
}

pub mod grammars;
mod none;
use none::NoRules;
