//! World: the files that imports are looked up among, as a change leaves them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::near::folder;
use m1nd_graph::spelling::PACKAGE;
use m1nd_graph::{Graph, NodeKind};
use m1nd_ingest::manifest::join;
use m1nd_ingest::mentions::{Mention, Source};
use m1nd_vfs::root::Kind;
use m1nd_vfs::{Root, ignored};

use crate::flows::review::held::Held;
use crate::workspace::Texts;

/// Files that say what is built, and so may name what is not there yet.
const BUILD_FILES: [&str; 22] = [
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "MANIFEST.in",
    "noxfile.py",
    "tox.ini",
    "meson.build",
    "CMakeLists.txt",
    "Makefile",
    "Justfile",
    "justfile",
    "Cargo.toml",
    "build.rs",
    "BUILD",
    "BUILD.bazel",
    "package.json",
    "tsconfig.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "hatch_build.py",
    "conanfile.py",
];

pub struct World<'a> {
    pub graph: &'a Graph,
    root: &'a Root,
    /// Files that are not on disk as the change leaves them.
    after: &'a Texts,
    held: Held<'a>,
    /// All files that the graph knows or the change brings.
    paths: OnceCell<BTreeSet<String>>,
    /// The files of each package or module that files say they are.
    packages: OnceCell<BTreeMap<String, BTreeSet<String>>>,
    /// What build files in and around a folder say.
    built: BTreeMap<String, String>,
    /// Files that were asked for words.
    sources: BTreeMap<String, Option<Source>>,
}

impl<'a> World<'a> {
    pub fn of(graph: &'a Graph, root: &'a Root, after: &'a Texts, held: Held<'a>) -> Self {
        Self {
            graph,
            root,
            after,
            held,
            paths: OnceCell::new(),
            packages: OnceCell::new(),
            built: BTreeMap::new(),
            sources: BTreeMap::new(),
        }
    }

    /// The mentions of a word in a file, which is parsed once. Nothing where it cannot be read.
    pub fn mentions(&mut self, path: &str, word: &str) -> Option<Vec<Mention>> {
        if !self.sources.contains_key(path) {
            let source = self.text(path).and_then(|text| Source::of(path, text.as_bytes()));
            self.sources.insert(path.to_owned(), source);
        }
        self.sources.get(path)?.as_ref()?.mentions(word)
    }

    pub fn text(&mut self, path: &str) -> Option<Cow<'_, str>> {
        self.held.text(path)
    }

    pub fn line(&mut self, path: &str, line: u32) -> String {
        self.held.line(path, line)
    }

    pub fn is_file(&self, path: &str) -> bool {
        match self.after.get(path) {
            Some(text) => text.is_some(),
            None => self.graph.node_by_path(path).is_some() || self.kind(path) == Some(Kind::File),
        }
    }

    pub fn is_folder(&self, path: &str) -> bool {
        path.is_empty() || self.below(path).next().is_some() || self.kind(path) == Some(Kind::Folder)
    }

    fn kind(&self, path: &str) -> Option<Kind> {
        let path = self.root.relative(path).ok()?;
        self.root.kind(&path).ok()
    }

    /// The names of what is in a folder, whether or not it counts.
    pub fn names_in(&self, folder: &str) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = BTreeSet::new();
        let path = self.root.relative(if folder.is_empty() { "." } else { folder });
        if let Some(found) = path.ok().and_then(|path| self.root.names_in(&path).ok()) {
            let is_gone = |name: &String| {
                let path = join(folder, name).unwrap_or_default();
                matches!(self.after.get(&path), Some(None))
            };
            names.extend(found.into_iter().filter(|name| !is_gone(name)));
        }
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let known = self.below(folder).filter_map(|path| path.get(start..)?.split('/').next());
        names.extend(known.map(str::to_owned));
        names
    }

    /// The files of a folder and of those in it.
    pub fn below<'s>(&'s self, folder: &str) -> impl Iterator<Item = &'s str> + use<'s> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.paths().range(prefix.clone()..);
        from.map(String::as_str).take_while(move |path| path.starts_with(&prefix))
    }

    pub fn paths(&self) -> &BTreeSet<String> {
        self.paths.get_or_init(|| {
            let files = self.graph.nodes().filter(|node| node.kind() == NodeKind::File);
            let known = files.map(|node| node.path().to_owned());
            let brought = self.after.iter().filter(|(_, text)| text.is_some()).map(|(path, _)| path.clone());
            let is_gone = |path: &String| matches!(self.after.get(path), Some(None));
            known.chain(brought).filter(|path| !is_gone(path)).collect()
        })
    }

    /// The files that say they are in a package, or that are a module, by its full name.
    pub fn files_of(&self, package: &str) -> BTreeSet<String> {
        let packages = self.packages.get_or_init(|| {
            let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for node in self.graph.nodes().filter(|node| node.kind() == NodeKind::File) {
                for package in node.tags().filter_map(|tag| tag.strip_prefix(PACKAGE)) {
                    found.entry(package.to_owned()).or_default().insert(node.path().to_owned());
                }
            }
            found
        });
        packages.get(package).cloned().unwrap_or_default()
    }

    /// Whether a file at the path would be left out of the repository, as what is built is.
    pub fn is_ignored(&self, path: &str) -> bool {
        self.root.relative(path).is_ok_and(|path| ignored::is_ignored(self.root, &path))
    }

    /// Whether a file that says what is built, in a folder or around it, names a word.
    pub fn is_built(&mut self, at: &str, word: &str) -> bool {
        let mut here = Some(at);
        while let Some(folder_path) = here {
            if says(self.build_text(folder_path), word) {
                return true;
            }
            here = (!folder_path.is_empty()).then(|| folder(folder_path));
        }
        false
    }

    fn build_text(&mut self, at: &str) -> &str {
        if !self.built.contains_key(at) {
            let mut all = String::new();
            for name in BUILD_FILES {
                let path = join(at, name).unwrap_or_default();
                if self.is_file(&path)
                    && let Some(text) = self.held.text(&path)
                {
                    all.push_str(&text);
                    all.push('\n');
                }
            }
            self.built.insert(at.to_owned(), all);
        }
        self.built.get(at).map_or("", String::as_str)
    }

    /// The nearest folder around a path that has a file of a name, with what that holds.
    pub fn nearest(&mut self, path: &str, name: &str) -> Option<(String, String)> {
        let mut here = folder(path);
        loop {
            let file = join(here, name)?;
            if self.is_file(&file) {
                let text = self.held.text(&file)?.into_owned();
                return Some((here.to_owned(), text));
            }
            if here.is_empty() {
                return None;
            }
            here = folder(here);
        }
    }
}

/// Whether a text says a word.
pub fn says(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter))
}
