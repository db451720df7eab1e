//! Names turned around: the files that mention each.

use crate::resolve::index::Index;
use crate::resolve::program::GName;

/// The files that mention each name.
pub(super) struct MentionedBy {
    starts: Vec<u32>,
    files: Vec<u32>,
}

impl MentionedBy {
    pub fn of(index: &Index, count: u32) -> Self {
        let mut starts = vec![0_u32; index.name_count() + 1];
        for file in 0..count {
            index.mentions(file).iter().for_each(|name| starts[name.0 as usize + 1] += 1);
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut files = vec![0; starts.last().map_or(0, |&end| end as usize)];
        for file in 0..count {
            for name in index.mentions(file) {
                let at = &mut next[name.0 as usize];
                files[*at as usize] = file;
                *at += 1;
            }
        }
        Self { starts, files }
    }

    /// In their order.
    pub fn of_name(&self, name: GName) -> &[u32] {
        let at = name.0 as usize;
        &self.files[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    pub fn is_in(&self, file: u32, name: GName) -> bool {
        self.of_name(name).binary_search(&file).is_ok()
    }
}
