//! Numbered: a slice of a file as agents read it, and how it gives way to a budget.

use m1nd_contract::budget::json_len;
use m1nd_vfs::read::Decoding;
use schemars::JsonSchema;
use serde::Serialize;

use super::slice::Slice;

/// Lines of a file, each behind its number.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Numbered {
    /// Workspace-relative path.
    file_path: String,
    /// Lines, each as number, tab, text.
    content: String,
    /// First line shown.
    line_start: u64,
    /// Last line shown; 0 for an empty file.
    line_end: u64,
    /// Lines in the file.
    total_lines: u64,
    /// sha256 of the bytes on disk.
    sha256: String,
    /// Where to go on, when lines follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// utf-16, or lossy when some bytes are not text and show as U+FFFD.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// True when the last line shown is cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    line_cut: bool,
}

impl From<Slice> for Numbered {
    fn from(slice: Slice) -> Self {
        let mut content = String::new();
        for (number, line) in (slice.first_line..).zip(&slice.lines) {
            content.push_str(&number.to_string());
            content.push('\t');
            content.push_str(line);
            content.push('\n');
        }
        let line_end = (slice.first_line + slice.lines.len() as u64).saturating_sub(1);
        let mut numbered = Self {
            file_path: slice.path.to_string(),
            content,
            line_start: slice.first_line,
            line_end: if slice.lines.is_empty() { 0 } else { line_end },
            total_lines: slice.total_lines,
            sha256: slice.sha256,
            next_offset: None,
            encoding: match slice.decoding {
                Decoding::Utf8 => None,
                Decoding::Lossy => Some("lossy"),
                Decoding::Utf16 => Some("utf-16"),
            },
            line_cut: false,
        };
        numbered.point_on();
        numbered
    }
}

impl Numbered {
    pub fn content_len(&self) -> usize {
        self.content.len()
    }

    /// Drops about `excess` bytes of JSON off the end: whole lines, then the end of the last one. Returns how many.
    pub fn shorten(&mut self, excess: usize) -> usize {
        if self.content.is_empty() || self.line_cut && self.content.len() <= SHORTEST {
            return 0;
        }
        let mut dropped = 0;
        while dropped < excess {
            let body = self.content.trim_end_matches('\n');
            let Some(start) = body.rfind('\n').map(|at| at + 1) else {
                break;
            };
            dropped += json_len(&self.content[start..]) - 2;
            self.content.truncate(start);
            self.line_end -= 1;
        }
        if dropped < excess {
            let keep = self.content.len().saturating_sub(excess - dropped).max(SHORTEST);
            let keep = self.content.floor_char_boundary(keep.min(self.content.len()));
            let cut = self.content.len() - keep;
            dropped += cut;
            self.content.truncate(keep);
            self.line_cut |= cut > 0;
        }
        self.point_on();
        dropped
    }

    fn point_on(&mut self) {
        let next = self.line_end.max(self.line_start.saturating_sub(1)) + 1;
        self.next_offset = (next <= self.total_lines).then_some(next);
    }
}

/// A line is never cut below this: less says nothing.
const SHORTEST: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;
    use m1nd_vfs::Root;

    fn numbered(text: &str) -> Numbered {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), text).unwrap();
        let root = Root::open(dir.path()).unwrap();
        let wanted = super::super::slice::Wanted { path: "a".into(), offset: None, limit: None };
        super::super::slice::read(&root, "view", "file_path", &wanted).unwrap().into()
    }

    #[test]
    fn shortening_drops_whole_lines_and_points_to_the_first_one_missing() {
        let mut file = numbered("a\nb\nc\nd\n");
        assert_eq!(file.content, "1\ta\n2\tb\n3\tc\n4\td\n");
        assert!(file.shorten(6) > 0);
        assert_eq!(
            (file.content.as_str(), file.line_end, file.next_offset),
            ("1\ta\n2\tb\n3\tc\n", 3, Some(4))
        );
    }

    #[test]
    fn a_single_endless_line_is_cut_between_characters_and_says_so() {
        let mut file = numbered(&"é".repeat(10_000));
        while file.content_len() > 1_000 {
            assert!(file.shorten(5_000) > 0);
        }
        assert!(file.line_cut);
        while file.shorten(5_000) > 0 {}
        assert!(file.content_len() <= SHORTEST);
    }
}
