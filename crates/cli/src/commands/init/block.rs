//! Block: text of ours in a file of the user's, between marks, so that it can be renewed and nothing else is touched.
//!
//! The first mark carries a digest of what stands between: text that somebody changed there is theirs from then on.

use m1nd_stdx::digest::short_name;

const BEGIN: &str = "<!-- m1nd:begin ";
const END: &str = "<!-- m1nd:end -->";

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    /// The new text of the file.
    Text(String),
    Unchanged,
    /// It is left as it is, and why.
    Left(&'static str),
}

/// Puts `ours` into a text: in place of an earlier block of ours, else at its end.
pub fn put(text: &str, ours: &str) -> Put {
    // A file with Windows' line ends keeps them, in the block too; our digest is over the text without.
    if text.contains("\r\n") {
        return match put(&text.replace("\r\n", "\n"), ours) {
            Put::Text(new) => Put::Text(new.replace('\n', "\r\n")),
            other => other,
        };
    }
    let ours = ours.trim();
    let block = format!("{BEGIN}{} -->\n{ours}\n{END}", digest(ours));
    let Some(start) = text.find(BEGIN) else {
        if text.contains(END) {
            return Put::Left("it has the end of a block of m1nd's and no beginning");
        }
        let gap = match text {
            "" => "",
            text if text.ends_with("\n\n") => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return Put::Text(format!("{text}{gap}{block}\n"));
    };
    let rest = &text[start + BEGIN.len()..];
    let (Some(mark), Some(end)) = (rest.find("-->"), rest.find(END)) else {
        return Put::Left("it has the beginning of a block of m1nd's and no end");
    };
    if mark > end || rest[end + END.len()..].contains(BEGIN) {
        return Put::Left("it has more than one block of m1nd's");
    }
    let (written, inside) = (rest[..mark].trim(), rest[mark + "-->".len()..end].trim());
    if written != digest(inside) {
        return Put::Left(
            "somebody changed the text between m1nd's marks; remove the block to get a new one",
        );
    }
    if inside == ours {
        return Put::Unchanged;
    }
    let after = start + BEGIN.len() + end + END.len();
    Put::Text(format!("{}{block}{}", &text[..start], &text[after..]))
}

/// The same for a file that is all ours, as long as nobody changed it.
pub fn whole(text: Option<&str>, ours: &str) -> Put {
    let new = format!("{}\n\n{BEGIN}{} -->\n{END}\n", ours.trim_end(), digest(ours.trim()));
    let Some(text) = text else { return Put::Text(new) };
    if text == new {
        return Put::Unchanged;
    }
    let is_ours = text.rsplit_once(BEGIN).is_some_and(|(before, mark)| {
        let written = mark.split("-->").next().unwrap_or_default().trim();
        written == digest(before.trim())
    });
    if is_ours { Put::Text(new) } else { Put::Left("it is not as m1nd wrote it; remove it to get a new one") }
}

fn digest(text: &str) -> String {
    short_name(text.as_bytes(), 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(put: Put) -> String {
        match put {
            Put::Text(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_block_is_added_renewed_and_never_added_twice() {
        let first = text(put("# Mine\n", "one\n"));
        assert!(first.starts_with("# Mine\n\n<!-- m1nd:begin "), "{first}");
        assert_eq!(put(&first, "one"), Put::Unchanged);
        let between = first.clone() + "\nafter\n";
        let second = text(put(&between, "two"));
        assert!(
            second.starts_with("# Mine\n") && second.ends_with("\nafter\n") && second.contains("two"),
            "{second}"
        );
        assert!(!second.contains("one"));
        assert_eq!(second.matches(BEGIN).count(), 1);
    }

    #[test]
    fn windows_line_ends_stay_and_the_block_is_known_again() {
        let first = text(put("# Mine\r\n\r\nwords\r\n", "ours\nand more"));
        assert!(!first.replace("\r\n", "").contains('\n'), "{first:?}");
        assert_eq!(put(&first, "ours\nand more"), Put::Unchanged);
        let renewed = text(put(&first, "other"));
        assert!(renewed.starts_with("# Mine\r\n\r\nwords\r\n") && renewed.contains("\r\nother\r\n"));
    }

    #[test]
    fn what_somebody_changed_is_theirs() {
        let ours = text(put("", "one"));
        assert!(matches!(put(&ours.replace("one", "one, and mine"), "two"), Put::Left(_)));
        for broken in [BEGIN, END, "<!-- m1nd:begin x -->\n", &format!("{ours}{ours}")] {
            assert!(matches!(put(broken, "two"), Put::Left(_)), "{broken}");
        }
        let skill = text(whole(None, "skill"));
        assert_eq!(whole(Some(&skill), "skill"), Put::Unchanged);
        assert!(matches!(whole(Some(&skill), "newer"), Put::Text(_)));
        assert!(matches!(whole(Some(&skill.replace("skill", "mine")), "newer"), Put::Left(_)));
        assert!(matches!(whole(Some("by hand"), "newer"), Put::Left(_)));
    }
}
