//! Around: what stands around a place of a file, by which it is told from copies of its text.

/// A place of a file that holds the lines of an anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The number of its first line.
    pub first: u32,
    /// Hashes of the lines before it that hold words, the nearest first, as far as [`AROUND`].
    pub before: Vec<String>,
    /// The same of the lines after it.
    pub after: Vec<String>,
    /// The hash of the headings that it stands below, outermost first; empty where nothing encloses it.
    pub inside: String,
}

/// So many lines on each side tell copies of a text apart.
pub const AROUND: usize = 8;

/// What stands around each of the places that begin at these lines (from 0, ascending) and are `count` lines long.
pub fn standings(
    lines: &[&str],
    starts: &[usize],
    count: usize,
    hash: &dyn Fn(&str) -> String,
) -> Vec<Standing> {
    let mut headings = Headings::default();
    let mut read = 0;
    let standing = |&at: &usize| {
        lines[read..at].iter().for_each(|line| headings.pass(line));
        read = at;
        let held = &lines[at..at + count];
        let said = |line: &&&str| has_words(line);
        Some(Standing {
            first: u32::try_from(at + 1).ok()?,
            before: lines[..at].iter().rev().filter(said).take(AROUND).map(|line| hash(line)).collect(),
            after: lines[at + count..].iter().filter(said).take(AROUND).map(|line| hash(line)).collect(),
            inside: headings.over(held).map_or_else(String::new, |headings| hash(&headings)),
        })
    };
    starts.iter().filter_map(standing).collect()
}

/// Blank lines and lone brackets stand everywhere, so they tell nothing apart.
fn has_words(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// The lines that the next one may stand below: each deeper than the one before it, as far as lines are indented.
#[derive(Default)]
struct Headings<'a>(Vec<(usize, &'a str)>);

impl<'a> Headings<'a> {
    fn pass(&mut self, line: &'a str) {
        let said = line.trim();
        // Comments, attributes and directives stand at any depth and enclose nothing.
        if said.is_empty() || said.starts_with('#') || said.starts_with("//") {
            return;
        }
        let depth = depth(line);
        let goes_on = goes_on(said);
        self.0.retain(|(above, _)| *above < depth || goes_on && *above == depth);
        if has_words(said) {
            self.0.push((depth, said));
        }
    }

    /// The headings over these lines, one a line; nothing if there are none.
    fn over(&self, held: &[&str]) -> Option<String> {
        let first = held.iter().find(|line| has_words(line)).or_else(|| held.first())?;
        let (depth, goes_on) = (depth(first), goes_on(first.trim()));
        let over = self.0.iter().filter(|(above, _)| *above < depth || goes_on && *above == depth);
        let names: Vec<&str> = over.map(|(_, heading)| name(heading)).collect();
        (!names.is_empty()).then(|| names.join("\n"))
    }
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line goes on with what an earlier one of its depth began: `) -> u32 {`, `} else {`, `{`.
fn goes_on(said: &str) -> bool {
    said.starts_with([')', ']', '}', '{'])
}

/// A heading without its parameters, if it is one with a name: `def total(self, tax):` stays the same function when it
/// takes one more.
fn name(heading: &str) -> &str {
    match heading.split_once('(') {
        Some((name, _)) if name.split_whitespace().count() > 1 => name.trim_end(),
        _ => heading,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, first: usize, count: usize) -> Standing {
        let lines: Vec<&str> = text.lines().collect();
        standings(&lines, &[first - 1], count, &str::to_owned).remove(0)
    }

    #[test]
    fn a_place_knows_the_lines_with_words_around_it() {
        let text = "use a;\n\nfn one() {\n    x\n}\n\nfn two() {\n";
        let place = at(text, 4, 1);
        assert_eq!(place.before, ["fn one() {", "use a;"]);
        assert_eq!(place.after, ["fn two() {"]);
        let ends = at("x", 1, 1);
        assert!(ends.before.is_empty() && ends.after.is_empty() && ends.inside.is_empty());
    }

    #[test]
    fn a_place_knows_what_encloses_it() {
        let python = "class A:\n    def f(self, x):\n        if x:\n\n# here\n            return 1\n        return 2\n    y = 1\n";
        assert_eq!(at(python, 6, 1).inside, "class A:\ndef f\nif x:");
        assert_eq!(at(python, 7, 1).inside, "class A:\ndef f");
        assert_eq!(at(python, 8, 1).inside, "class A:");
        assert_eq!(at(python, 1, 8).inside, "");
        let wrapped = "def f(\n    self,\n):\n    return 1\n";
        assert_eq!(at(wrapped, 4, 1).inside, "def f");
        let c = "static int\nf(void)\n{\n#if X\n  if (a) {\n    b;\n  } else {\n    c;\n  }\n  d;\n}\n";
        assert_eq!(at(c, 6, 1).inside, "f(void)\nif (a) {");
        assert_eq!(at(c, 8, 1).inside, "f(void)\nif (a) {\n} else {");
        assert_eq!(at(c, 10, 2).inside, "f(void)");
        let json = "{\n  \"all\": [\n    {\n      \"a\": 1\n    },\n    {\n      \"a\": 1\n    }\n  ]\n}\n";
        assert_eq!(at(json, 7, 1).inside, "\"all\": [");
    }
}
