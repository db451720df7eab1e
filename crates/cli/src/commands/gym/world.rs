//! The world of the gym: small repositories with planted defects, and what a test of theirs would say.

use std::fs;
use std::path::Path;

/// A defect that was planted: the line that is wrong, and what a user would report.
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    pub path: &'static str,
    /// The wrong line, without the blanks around it.
    pub line: &'static str,
    pub report: &'static str,
}

/// A repository to play in. Beside each defect stands code that looks like it and is right.
#[derive(Clone, Copy, Debug)]
pub struct Repository {
    pub name: &'static str,
    pub language: &'static str,
    text: &'static str,
    pub planted: &'static [Planted],
    /// Names that its README speaks of and its code has not.
    pub drifted: &'static [&'static str],
}

pub const REPOSITORIES: [Repository; 3] = [
    Repository {
        name: "limiter",
        language: "python",
        text: include_str!("../../../fixtures/gym/limiter.txt"),
        planted: &[
            Planted {
                path: "limiter/queue.py",
                line: "while len(self.jobs) > 1:",
                report: "after the queue was drained the last job is left behind",
            },
            Planted {
                path: "limiter/retry.py",
                line: "for attempt in range(1, attempts):",
                report: "a task is retried one time less than its attempts say",
            },
            Planted {
                path: "limiter/timer.py",
                line: "except Exception:",
                report: "the timeout error of a task says nothing to the caller",
            },
        ],
        drifted: &["pause_all", "set_timeout", "flush_history"],
    },
    Repository {
        name: "cachet",
        language: "rust",
        text: include_str!("../../../fixtures/gym/cachet.txt"),
        planted: &[
            Planted {
                path: "src/ring.rs",
                line: "if index <= self.items.len() {",
                report: "reading the place past the end of the ring panics",
            },
            Planted {
                path: "src/ttl.rs",
                line: "now - self.born > self.ttl - 1",
                report: "an entry is too old one tick early",
            },
            Planted {
                path: "src/load.rs",
                line: "let text = std::fs::read_to_string(path).unwrap_or_default();",
                report: "a missing settings file looks like an empty one",
            },
        ],
        drifted: &["rotate_left", "warm_up"],
    },
    Repository {
        name: "relay",
        language: "go",
        text: include_str!("../../../fixtures/gym/relay.txt"),
        planted: &[
            Planted {
                path: "relay/batch.go",
                line: "for i := 1; i < len(items); i++ {",
                report: "the first item of a batch is not sent",
            },
            Planted {
                path: "relay/flush.go",
                line: "_ = w.Flush()",
                report: "bytes are lost because the error of a flush is ignored",
            },
            Planted {
                path: "relay/limits.go",
                line: "if size >= l.Max {",
                report: "a size of exactly the limit is refused",
            },
        ],
        drifted: &["ResumeBatch", "SetRate"],
    },
];

impl Repository {
    pub fn lay_out(&self, root: &Path) -> anyhow::Result<()> {
        for part in self.text.split("//- ").skip(1) {
            let (name, content) = part.split_once('\n').unwrap_or((part, ""));
            let path = root.join(name.trim());
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, content)?;
        }
        // Enough for a host to take it for a repository.
        fs::create_dir_all(root.join(".git"))?;
        Ok(())
    }

    /// What a test that reproduces a report would show of a line: which of the planted defects it is.
    pub fn probe(&self, path: &str, line: &str) -> Option<usize> {
        self.planted.iter().position(|planted| planted.path == path && planted.line == line.trim())
    }
}

/// What makes an eye stop: forms that are often wrong, and often right.
const TELLS: [&str; 9] =
    ["> 1", "range(1,", "except Exception", "<= ", "- 1", "unwrap_or_default()", "_ = ", "i := 1", ">= "];

/// Lines that look wrong, with their numbers.
pub fn suspects(source: &str) -> Vec<(usize, String)> {
    let lines = source.lines().enumerate().filter(|(_, line)| TELLS.iter().any(|tell| line.contains(tell)));
    lines.map(|(at, line)| (at + 1, line.trim().to_owned())).collect()
}
