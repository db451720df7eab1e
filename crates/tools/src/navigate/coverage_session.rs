//! `coverage_session`: what this agent has seen.

use std::collections::BTreeMap;

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::NodeKind;
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;

pub struct CoverageSession;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder or file to keep to
    scope: Option<String>,
}

/// A folder with files that were not read.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Folder {
    path: String,
    files: usize,
    read: usize,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Files of code in the scope.
    files: usize,
    /// How many of them you read, wholly or in part.
    read: usize,
    /// read / files.
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    /// Files that answers pointed you to and that you did not read, most often first.
    unread: Vec<String>,
    unread_total: usize,
    /// Folders by how many files you did not read.
    folders: Vec<Folder>,
    truncated: bool,
}

const MAX_UNREAD: usize = 20;
const MAX_FOLDERS: usize = 10;

impl Tool for CoverageSession {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "coverage_session",
        summary: "What you have seen in this session: files read, files that answers pointed to and you did not read, folders left out.",
        help: "Counts what went through this server: view, batch_view and the like read; other answers point. The session is this process.",
        intents: &["what have I seen", "what did I miss", "coverage of my reading", "unread files"],
        budget: Some(4_000),
        examples: &[Example { says: "All", arguments: "{}" }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let agent = ctx.header().caller.name();
        let seen = ctx.runtime().seen_by(agent);
        let code =
            at.graph.nodes().filter(|node| node.kind() == NodeKind::File && !node.language().is_empty());
        let mut files: Vec<&str> =
            code.map(|node| node.path()).filter(|path| is_within(path, &scope)).collect();
        files.sort_unstable();
        let is_read = |path: &str| seen.read.contains(path);
        let read = files.iter().filter(|path| is_read(path)).count();
        let mut pointed: Vec<(&String, &u32)> = seen
            .pointed
            .iter()
            .filter(|(path, _)| files.binary_search(&path.as_str()).is_ok() && !is_read(path))
            .collect();
        pointed.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        let mut by_folder: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for path in &files {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let counted = by_folder.entry(folder).or_default();
            counted.0 += 1;
            counted.1 += usize::from(is_read(path));
        }
        let mut folders: Vec<Folder> = by_folder
            .into_iter()
            .filter(|(_, (all, read))| read < all)
            .map(|(path, (files, read))| Folder {
                path: if path.is_empty() { ".".to_owned() } else { path.to_owned() },
                files,
                read,
            })
            .collect();
        folders.sort_by(|a, b| (b.files - b.read).cmp(&(a.files - a.read)).then_with(|| a.path.cmp(&b.path)));
        let truncated = pointed.len() > MAX_UNREAD || folders.len() > MAX_FOLDERS;
        folders.truncate(MAX_FOLDERS);
        let output = Output {
            files: files.len(),
            read,
            share: (!files.is_empty()).then(|| round3(read as f64 / files.len() as f64)),
            unread: pointed.iter().take(MAX_UNREAD).map(|(path, _)| (*path).clone()).collect(),
            unread_total: pointed.len(),
            folders,
            truncated,
        };
        let next = match output.unread.first() {
            Some(first) => Guidance::next("view", first.clone(), "Read what answers pointed to most."),
            None => Guidance::hint("Nothing that answers pointed to is unread."),
        };
        Ok(Answer::of(output).candidates(read as u64).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.folders, excess) > 0 || drop_tail(&mut self.unread, excess) > 0
    }
}
