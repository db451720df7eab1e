//! Moved: imports that a file brought along to a place from which they lead nowhere.

use m1nd_ingest::languages;

use super::importers::Worlds;
use super::{Broken, Changed, look, read};

/// Lines of moved files that found what they import where the file was, and do not where it is.
pub(crate) fn astray(worlds: Worlds<'_, '_>, changed: &[Changed<'_>]) -> Vec<Broken> {
    let Worlds { then, now } = worlds;
    let mut found = Vec::new();
    for one in changed.iter().filter(|one| one.path != one.path_before) {
        let Some((imports, language)) = read(one).zip(languages::of_path(one.path)) else { continue };
        for import in &imports.new {
            let Some(was) = imports.old.iter().find(|was| was.is_same(import)) else { continue };
            let Some(missing) = look(now, language.family, one.path, import) else { continue };
            if look(then, language.family, one.path_before, was).is_some() {
                continue;
            }
            found.push(Broken {
                path: one.path.to_owned(),
                line: import.line,
                name: missing.word,
                message: missing.why,
                places: missing.places,
                lines: Vec::new(),
                certainty: missing.certainty,
            });
        }
    }
    found
}
