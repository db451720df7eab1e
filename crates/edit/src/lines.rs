//! Lines: where the lines of a file are after it was edited.

/// Which line of another state of a file each of its lines is.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The first line of a run that stays, where it is in the other state, and how many lines it has; all from 0.
    runs: Vec<(usize, usize, usize)>,
}

impl Moved {
    /// From the lines of one state to those of another.
    pub fn between(was: &[u8], is: &[u8]) -> Self {
        let lines = |text: &[u8]| -> Vec<Vec<u8>> {
            text.split(|&byte| byte == b'\n').map(|line| line.trim_ascii_end().to_vec()).collect()
        };
        let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &lines(was), &lines(is));
        let stays = ops.iter().filter(|op| op.tag() == similar::DiffTag::Equal);
        let runs = stays.map(|op| (op.old_range().start, op.new_range().start, op.old_range().len()));
        Self { runs: runs.collect() }
    }

    /// The number of a line, from 1, in the other state; nothing where it is not there as it was.
    pub fn line(&self, line: u32) -> Option<u32> {
        let at = (line as usize).checked_sub(1)?;
        let (was, is, _) = self.runs.iter().find(|(was, _, count)| (*was..was + count).contains(&at))?;
        u32::try_from(at - was + is + 1).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Moved;

    #[test]
    fn a_line_is_followed_to_where_it_stands_and_one_that_was_written_anew_is_not() {
        let moved = Moved::between(b"a\nb\nc\nd\n", b"x\na\nc\r\nD\n");
        let lines: Vec<Option<u32>> = (0..=4).map(|line| moved.line(line)).collect();
        assert_eq!(lines, [None, Some(2), None, Some(3), None]);
    }
}
