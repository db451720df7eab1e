//! Made: what a line that makes a value of a class calls it.

/// The word that a line binds to a new value of a class: `word = module.Class(…)` in Python, `const word = new Class(…)` in
/// scripts.
pub fn bound<'l>(language: &str, line: &'l str, class: &str) -> Option<&'l str> {
    let (left, right) = line.split_once('=')?;
    let right = right.trim_start();
    let (left, made) = match language {
        "python" => (left, right),
        _ => {
            let left = left.trim_start();
            let kept = ["const ", "let ", "var "].iter().find_map(|word| left.strip_prefix(word))?;
            (kept, right.strip_prefix("new ")?.trim_start())
        }
    };
    let (name, rest) = made.split_once(['(', '<'])?;
    let is_class = name.rsplit('.').next() == Some(class) && name.chars().all(|c| is_letter(c) || c == '.');
    // What is done with the new value before it is bound may give another one.
    let is_whole = closes_at_end(rest) || !rest.contains(')');
    let word = left.split(':').next().unwrap_or(left).trim();
    let is_word = !word.is_empty() && word.chars().all(is_letter);
    (is_class && is_whole && is_word).then_some(word)
}

/// Whether nothing but the end of the line stands behind the bracket that closes.
fn closes_at_end(rest: &str) -> bool {
    let mut depth = 1_u32;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let behind = rest[at + letter.len_utf8()..].trim_start();
            // The list of types of a script comes before its arguments.
            if letter == '>' && behind.starts_with('(') {
                return closes_at_end(&behind[1..]);
            }
            return behind.is_empty() || behind.starts_with(['#', ';']) || behind.starts_with("//");
        }
    }
    false
}

/// Whether a line asks the class itself for a member that is not called.
pub fn says_of_type(line: &str, class: &str, member: &str) -> bool {
    let said = format!("{class}.{member}");
    line.match_indices(&said).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + said.len()..]);
        let behind = after.trim_start();
        let is_given = behind.starts_with('=') && !behind.starts_with("==");
        !before.ends_with(is_letter)
            && !after.starts_with(is_letter)
            && !behind.starts_with('(')
            && !is_given
            && !super::removed::is_quoted(before)
            && !before.trim_start().starts_with(['#', '*', '/'])
    })
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_bound_to_what_a_line_makes() {
        let python = |line| bound("python", line, "Config");
        assert_eq!(python("    c = Config()"), Some("c"));
        assert_eq!(python("    c: Config = conf.Config(a, b=(1, 2))  # one"), Some("c"));
        assert_eq!(python("    c = Config("), Some("c"), "the rest stands below");
        for line in [
            "c = Configs()",
            "c = Config().copy()",
            "c, d = Config(), 1",
            "self.c = Config()",
            "f(c=Config())",
        ] {
            assert_eq!(python(line), None, "{line}");
        }
        let script = |line| bound("typescript", line, "Config");
        assert_eq!(script("  const c = new Config<A>(1);"), Some("c"));
        assert_eq!(script("  let c: Config = new Config();"), Some("c"));
        assert_eq!(script("  const c = Config();"), None);
        assert_eq!(script("  const c = new Config().start();"), None);
    }

    #[test]
    fn a_member_is_asked_of_the_class_by_its_name() {
        assert!(says_of_type("return c.limit, Config.limit", "Config", "limit"));
        for line in
            ["Config.limit()", "Config.limit = 3", "MyConfig.limit", "Config.limits", "\"Config.limit\""]
        {
            assert!(!says_of_type(line, "Config", "limit"), "{line}");
        }
    }
}
