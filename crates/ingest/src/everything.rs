//! Everything: what a module of Python lists as all that it offers.

/// What a module of Python says that it offers as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Nothing: then it offers what does not begin with `_`.
    Nothing,
    Names(Vec<String>),
    /// What is put together while the module runs.
    Open,
}

impl Listed {
    /// Reads `__all__`.
    pub fn of(text: &str) -> Self {
        let mut said =
            text.match_indices("__all__").filter(|(at, _)| *at == 0 || text[..*at].ends_with('\n'));
        let Some((at, word)) = said.next() else {
            let is_said = text.contains("__all__");
            return if is_said { Self::Open } else { Self::Nothing };
        };
        if text.matches("__all__").count() > 1 {
            return Self::Open;
        }
        let after = &text[at + word.len()..];
        let value =
            after.split_once('=').filter(|(kind, _)| kind.trim().is_empty() || kind.trim().starts_with(':'));
        let Some(value) = value.map(|(_, value)| value.trim_start()) else { return Self::Open };
        let close = match value.chars().next() {
            Some('[') => ']',
            Some('(') => ')',
            _ => return Self::Open,
        };
        let Some(end) = value.find(close) else { return Self::Open };
        let behind = value[end + 1..].lines().next().unwrap_or_default().trim();
        if !behind.is_empty() && !behind.starts_with('#') {
            return Self::Open;
        }
        let inner: Vec<&str> =
            value[1..end].lines().map(|line| line.split('#').next().unwrap_or(line)).collect();
        let mut names = Vec::new();
        for one in inner.join(" ").split(',').map(str::trim).filter(|one| !one.is_empty()) {
            let name = ['"', '\''].iter().find_map(|&mark| one.strip_prefix(mark)?.strip_suffix(mark));
            match name.filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_')) {
                Some(name) => names.push(name.to_owned()),
                None => return Self::Open,
            }
        }
        Self::Names(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_module_lists_is_read_where_it_is_written_out() {
        let names = |text: &str| match Listed::of(text) {
            Listed::Names(names) => names.join(" "),
            other => format!("{other:?}"),
        };
        assert_eq!(names("import a\n__all__ = [\"A\", 'b']\n"), "A b");
        assert_eq!(names("__all__: list[str] = (\n    \"A\",  # one, two\n    \"b\",\n)\nx = 1\n"), "A b");
        assert_eq!(names("x = 1\n"), "Nothing");
        for open in [
            "__all__ = [\"a\"] + b.__all__\n",
            "__all__ = [\"a\"]\n__all__ += b\n",
            "__all__ = names()\n",
            "__all__ = [*b, \"a\"]\n",
            "if x:\n    __all__ = [\"a\"]\n",
        ] {
            assert_eq!(names(open), "Open", "{open}");
        }
    }
}
