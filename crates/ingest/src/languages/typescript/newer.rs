//! Newer: what TypeScript says and its grammar does not know, put in words that it knows.

use std::borrow::Cow;

const IMPORTED: &str = "typeof import(";

/// A source in which `export type *` hands values on and the type of a module has a name. The bytes keep their places.
pub(crate) fn understood(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let said = line.trim_start();
        let start = at + (line.len() - said.len());
        let rest = said.strip_prefix("export type").filter(|rest| rest.trim_start().starts_with('*'));
        if rest.is_some() {
            let word = start + "export ".len();
            out.to_mut().replace_range(word..word + "type".len(), "    ");
        }
        at += line.len();
    }
    for (at, _) in text.match_indices(IMPORTED) {
        let given = at + IMPORTED.len();
        let Some(end) = text[given..].find(')').map(|end| given + end + 1) else { continue };
        let whole = &text[at..end];
        if !whole.contains('\n') && text[given..end].matches('(').count() == 0 {
            out.to_mut().replace_range(at..end, &format!("X{}", " ".repeat(whole.len() - 1)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::syntax::introduced;

    #[test]
    fn what_the_grammar_does_not_know_is_no_error() {
        let errors = |text: &str| introduced("a.ts", None, text.as_bytes()).unwrap().len();
        for sound in [
            "export type * as A from 'a'\nexport type * from 'b'\n",
            "const { meta } =\n  await run.load<typeof import('./a')>(\n    './a',\n  )\n",
            "type A = typeof import('./a').B\ntype C = (typeof import('./a'))['b']\n",
        ] {
            assert_eq!(errors(sound), 0, "{sound}");
        }
        assert_ne!(errors("export type * as from\n"), 0);
        assert_ne!(errors("const a = (typeof import('./a'\n"), 0);
    }
}
