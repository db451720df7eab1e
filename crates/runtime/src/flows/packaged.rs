//! Packaged: files of a package manager's store that are copies of this repository's own.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use m1nd_ingest::history::Now;
use m1nd_ingest::scan;
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::Root;

/// The packages that a repository makes, read when a path first asks for them.
pub struct Packages<'r> {
    root: &'r Root,
    cancel: &'r CancelToken,
    /// Folders by the names of their packages; of modules of Go the names are paths.
    folders: OnceCell<BTreeMap<String, String>>,
}

impl<'r> Packages<'r> {
    pub fn of(root: &'r Root, cancel: &'r CancelToken) -> Self {
        Self { root, cancel, folders: OnceCell::new() }
    }

    /// The file here that one of Go's module cache or of Cargo's registry is a copy of, if its package is one of ours.
    pub fn own(&self, path: &str) -> Option<String> {
        let (name, rest) = of_go(path).or_else(|| of_cargo(path))?;
        let folder = self.folders.get_or_init(|| self.read()).get(&name)?;
        Some(if folder.is_empty() { rest.to_owned() } else { format!("{folder}/{rest}") })
    }

    fn read(&self) -> BTreeMap<String, String> {
        let Ok((listed, _)) = scan::list(self.root, self.cancel) else { return BTreeMap::new() };
        let made = listed.iter().filter_map(|file| {
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            let says = match name {
                "go.mod" => module,
                "Cargo.toml" => package,
                _ => return None,
            };
            let Now::Holds(bytes) = scan::now(self.root, &file.path) else { return None };
            Some((says(&String::from_utf8_lossy(&bytes))?, folder.to_owned()))
        });
        made.collect()
    }
}

fn module(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(line.split("//").next()?.trim().trim_matches('"').to_owned())
}

fn package(text: &str) -> Option<String> {
    let own = text.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let mut own = own.take_while(|line| !line.starts_with('['));
    own.find_map(|line| {
        let value = line.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim();
        Some(value.split('"').nth(1)?.to_owned())
    })
}

/// `…/pkg/mod/example.com/!some/mod@v1.2.3/a/b.go`: capitals are written small behind a mark.
fn of_go(path: &str) -> Option<(String, &str)> {
    let (_, rest) = path.split_once("/pkg/mod/")?;
    let (name, rest) = rest.split_once('@')?;
    let (_, rest) = rest.split_once('/')?;
    let mut plain = String::new();
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '!' => plain.extend(letters.next().map(|letter| letter.to_ascii_uppercase())),
            _ => plain.push(letter),
        }
    }
    Some((plain, rest))
}

/// `…/registry/src/index-1a2b/some-crate-0.1.2/src/a.rs`.
fn of_cargo(path: &str) -> Option<(String, &str)> {
    let (_, rest) = path.split_once("/registry/src/")?;
    let (_, rest) = rest.split_once('/')?;
    let (folder, rest) = rest.split_once('/')?;
    let at = folder
        .match_indices('-')
        .find(|(at, _)| folder[at + 1..].starts_with(|letter: char| letter.is_ascii_digit()))?
        .0;
    Some((folder[..at].to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_and_the_file_in_it_are_read_from_a_stored_path() {
        assert_eq!(
            of_go("/home/u/go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/internal/tz.go"),
            Some(("github.com/BurntSushi/toml".to_owned(), "internal/tz.go"))
        );
        assert_eq!(
            of_cargo("/h/.cargo/registry/src/index-6f17d22bba15001f/grep-searcher-0.1.13/src/a/b.rs"),
            Some(("grep-searcher".to_owned(), "src/a/b.rs"))
        );
        assert_eq!((of_go("/x/a.go"), of_cargo("/x/src/a.rs")), (None, None));
    }

    #[test]
    fn manifests_say_what_they_make() {
        assert_eq!(
            module("// x\nmodule example.com/a // old\n\ngo 1.22\n").as_deref(),
            Some("example.com/a")
        );
        let text =
            "[workspace]\nmembers = []\n[package]\nversion = \"1\"\nname = \"a-b\" # x\n[dependencies]\n";
        assert_eq!(package(text).as_deref(), Some("a-b"));
        assert_eq!(package("[dependencies]\nname = \"x\"\n"), None);
    }
}
