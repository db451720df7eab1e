//! Parsing one file within limits, and walking its tree without recursion.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree};

/// One file may not hold up all others.
pub(crate) const PARSE_LIMIT: Duration = Duration::from_secs(5);
/// Past this the source is data or an attack; what lies deeper is left out.
const MAX_DEPTH: u32 = 2_000;

/// Why a file gives no facts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("parsing took longer than {0:?}")]
    TimedOut(Duration),
    #[error("the grammar does not load: {0}")]
    Grammar(String),
}

/// Sees every node of a tree, on the way down and on the way up.
pub(crate) trait Visit<'t> {
    /// Returns whether to go into the node; [`Visit::leave`] is called either way.
    fn enter(&mut self, node: Node<'t>) -> Descend;
    fn leave(&mut self, node: Node<'t>);
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descend {
    Into,
    Past,
}

/// Whether the walk saw the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    Whole,
    DepthLimited,
}

/// A source that was parsed.
struct Parsed {
    grammar: Language,
    source: Vec<u8>,
    /// Or how long it was tried.
    tree: Result<Tree, Duration>,
}

thread_local! {
    /// What was parsed since somebody said that the same will be asked for again.
    static AGAIN: RefCell<Option<Vec<Parsed>>> = const { RefCell::new(None) };
}

/// Trees that somebody will ask for again.
#[derive(Default)]
pub(crate) struct Kept(Vec<Parsed>);

impl Kept {
    /// Forgets the trees, and not what took too long: nobody should wait for that again.
    pub(crate) fn without_trees(mut self) -> Self {
        self.0.retain(|parsed| parsed.tree.is_err());
        self
    }
}

/// Does something that needs the trees of the same sources several times: each is parsed once. It must not hand
/// parsing over to other threads.
pub(crate) fn parsing_once<T>(work: impl FnOnce() -> T) -> T {
    parsing_on(Kept::default(), work).0
}

/// The same with trees that were kept from earlier; those there are in the end.
pub(crate) fn parsing_on<T>(kept: Kept, work: impl FnOnce() -> T) -> (T, Kept) {
    /// Ends the keeping also where the work panics.
    struct Until(Option<Vec<Parsed>>);
    impl Drop for Until {
        fn drop(&mut self) {
            AGAIN.with(|again| again.replace(self.0.take()));
        }
    }
    let until = Until(AGAIN.with(|again| again.replace(Some(kept.0))));
    let done = work();
    let kept = AGAIN.with_borrow_mut(|again| again.as_mut().map(std::mem::take)).unwrap_or_default();
    drop(until);
    (done, Kept(kept))
}

/// Parses a source as [`parse_anew`] does, unless it was parsed already and that was kept.
pub(crate) fn parse(grammar: &Language, source: &[u8], limit: Duration) -> Result<Tree, ParseError> {
    let is_this = |parsed: &&Parsed| parsed.grammar == *grammar && parsed.source == source;
    let known =
        AGAIN.with_borrow(|again| again.iter().flatten().find(is_this).map(|parsed| parsed.tree.clone()));
    match known {
        Some(Ok(tree)) => return Ok(tree),
        Some(Err(tried)) if tried >= limit => return Err(ParseError::TimedOut(limit)),
        _ => {}
    }
    let parsed = parse_anew(grammar, source, limit);
    let tree = match &parsed {
        Ok(tree) => Ok(tree.clone()),
        Err(ParseError::TimedOut(tried)) => Err(*tried),
        Err(ParseError::Grammar(_)) => return parsed,
    };
    AGAIN.with_borrow_mut(|again| {
        if let Some(again) = again {
            let (grammar, source) = (grammar.clone(), source.to_vec());
            again.push(Parsed { grammar, source, tree });
        }
    });
    parsed
}

/// Parses a source unless that takes more than `limit` of the processor's time. Other programs that keep the processor
/// busy do not count, unless they hold the parse up by several times the limit.
fn parse_anew(grammar: &Language, source: &[u8], limit: Duration) -> Result<Tree, ParseError> {
    let mut parser = Parser::new();
    parser.set_language(grammar).map_err(|err| ParseError::Grammar(err.to_string()))?;
    let (start, worked) = (Instant::now(), work_of_thread());
    let mut stop = |_: &ParseState| -> ControlFlow<()> {
        let passed = start.elapsed();
        let is_over = passed > limit
            && (passed > limit * MOST_HELD_UP || work_of_thread().saturating_sub(worked) > limit);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut stop);
    let mut read = |at: usize, _| source.get(at..).unwrap_or(&[]);
    parser.parse_with_options(&mut read, None, Some(options)).ok_or(ParseError::TimedOut(limit))
}

/// A parse may take so many times its limit where it hardly gets the processor; somebody waits for it.
const MOST_HELD_UP: u32 = 4;

/// The processor's time that this thread has had.
fn work_of_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// Whether a part of the source that could hold a definition was not understood.
///
/// A stray sign inside an expression leaves every name around it readable; words, brackets and what stands
/// between definitions do not. What macros are given is made of tokens, so nothing is looked for there.
pub(crate) fn hides_definitions(tree: &Tree, source: &[u8]) -> bool {
    if !tree.root_node().has_error() {
        return false;
    }
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        if (node.is_error() || node.is_missing()) && !is_harmless(node, depth, source) {
            return true;
        }
        let is_macro = matches!(node.kind(), "token_tree" | "token_tree_pattern");
        if node.has_error() && !node.is_error() && !is_macro && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// A statement is at least this far below the root: file, definition, body.
const STATEMENT_DEPTH: u32 = 3;

fn is_harmless(node: Node<'_>, depth: u32, source: &[u8]) -> bool {
    if node.is_missing() && node.kind() == ";" {
        return true;
    }
    if depth < STATEMENT_DEPTH {
        return false;
    }
    if node.is_missing() {
        return matches!(node.kind(), "," | ":" | ")" | "]");
    }
    let text = source.get(node.byte_range()).unwrap_or(&[]);
    let is_argument = node.parent().is_some_and(|around| around.kind() == "argument_list");
    if is_argument && !text.iter().any(|b| b"{}()".contains(b)) {
        // A type given to a macro, as in `va_arg(list, int *)`.
        return true;
    }
    !text.iter().any(|&b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'{' | b'}' | b'(' | b')' | 0x80..))
}

/// How many bytes a grammar could not make sense of.
pub(crate) fn lost_bytes(tree: &Tree) -> usize {
    let mut lost = 0;
    let mut work = vec![tree.root_node()];
    while let Some(node) = work.pop() {
        if node.is_error() {
            lost += node.byte_range().len();
        } else if node.has_error() {
            lost += usize::from(node.is_missing());
            let mut cursor = node.walk();
            work.extend(node.children(&mut cursor));
        }
    }
    lost
}

pub(crate) fn walk<'t>(tree: &'t Tree, visitor: &mut impl Visit<'t>) -> Coverage {
    let mut cursor = tree.walk();
    let mut depth = 0;
    let mut coverage = Coverage::Whole;
    loop {
        let descend = visitor.enter(cursor.node());
        let deep = depth >= MAX_DEPTH;
        if deep && cursor.node().child_count() > 0 {
            coverage = Coverage::DepthLimited;
        }
        if descend == Descend::Into && !deep && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            visitor.leave(cursor.node());
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return coverage;
            }
            depth -= 1;
        }
    }
}
