//! Fault: the only kind of "no" that a caller ever sees, always with a way on.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// Every code a fault can carry. The table in `docs/errors.md` is made from this enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    InvalidParams,
    UnknownTool,
    EmptyGraph,
    AmbiguousNode,
    NodeNotFound,
    PathOutsideWorkspace,
    FileNotFound,
    InvalidRegex,
    Stale,
    RevisionMismatch,
    Conflict,
    UnknownTarget,
    UnknownBranch,
    WrongWorkspaceBinding,
    Busy,
    TooLarge,
    Io,
    Storage,
    Cancelled,
    Internal,
}

impl Code {
    pub const ALL: [Code; 20] = [
        Code::InvalidParams,
        Code::UnknownTool,
        Code::EmptyGraph,
        Code::AmbiguousNode,
        Code::NodeNotFound,
        Code::PathOutsideWorkspace,
        Code::FileNotFound,
        Code::InvalidRegex,
        Code::Stale,
        Code::RevisionMismatch,
        Code::Conflict,
        Code::UnknownTarget,
        Code::UnknownBranch,
        Code::WrongWorkspaceBinding,
        Code::Busy,
        Code::TooLarge,
        Code::Io,
        Code::Storage,
        Code::Cancelled,
        Code::Internal,
    ];

    pub fn as_str(self) -> &'static str {
        self.word_and_meaning().0
    }

    /// What the code means, in one sentence for the documentation.
    pub fn meaning(self) -> &'static str {
        self.word_and_meaning().1
    }

    fn word_and_meaning(self) -> (&'static str, &'static str) {
        match self {
            Code::InvalidParams => {
                ("invalid_params", "An argument is missing, unknown, of the wrong type, or out of range.")
            }
            Code::UnknownTool => ("unknown_tool", "No tool has that name or alias."),
            Code::EmptyGraph => ("empty_graph", "The call needs the code graph, and nothing is ingested."),
            Code::AmbiguousNode => {
                ("ambiguous_node", "A name fits several nodes; the candidates are listed.")
            }
            Code::NodeNotFound => ("node_not_found", "No node has that id, path or name."),
            Code::PathOutsideWorkspace => {
                ("path_outside_workspace", "A path leaves the workspace, directly or through a link.")
            }
            Code::FileNotFound => ("file_not_found", "No file or folder is at that path."),
            Code::InvalidRegex => {
                ("invalid_regex", "The regular expression does not parse; the position is given.")
            }
            Code::Stale => ("stale", "What the call relies on has changed since it was read."),
            Code::RevisionMismatch => ("revision_mismatch", "The entity has another revision than expected."),
            Code::Conflict => (
                "conflict",
                "The call contradicts what is there: an id that holds something else, an open gate, a claim.",
            ),
            Code::UnknownTarget => ("unknown_target", "No plan, task, step or mission has that id."),
            Code::UnknownBranch => ("unknown_branch", "No branch has that name."),
            Code::WrongWorkspaceBinding => {
                ("wrong_workspace_binding", "The process is bound to another workspace, or to none.")
            }
            Code::Busy => ("busy", "Another writer holds the lane; the call can be repeated."),
            Code::TooLarge => ("too_large", "The input or the answer is over a limit."),
            Code::Io => ("io", "The file system refused."),
            Code::Storage => ("storage", "The store refused, or its file is damaged."),
            Code::Cancelled => ("cancelled", "The caller cancelled the call; nothing was changed."),
            Code::Internal => ("internal", "A defect in m1nd; the report id is in the log."),
        }
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.as_str())
    }
}

/// What to do next. `arguments` can be passed to `next_tool` as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recovery {
    pub hint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_tool: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
}

impl Recovery {
    /// Advice alone, where no call would help.
    pub fn hint(hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), next_tool: None, arguments: None }
    }

    /// Advice and the call that follows it. The pipeline adds the caller's header to the arguments.
    pub fn call(hint: impl Into<String>, next_tool: &'static str, arguments: Value) -> Self {
        let arguments = match arguments {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Self { hint: hint.into(), next_tool: Some(next_tool), arguments: Some(arguments) }
    }
}

/// A refused call. There is no way to make one without saying how to go on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
    pub recovery: Recovery,
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>, recovery: Recovery) -> Self {
        Self { code, message: message.into(), detail: None, recovery }
    }

    #[must_use]
    pub fn with_detail(mut self, detail: Value) -> Self {
        self.detail = Some(detail);
        self
    }

    /// The object that goes over the wire.
    pub fn to_body(&self) -> Value {
        json!({ "error": self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_fault_on_the_wire_has_code_message_and_recovery() {
        let fault = Fault::new(
            Code::FileNotFound,
            "There is no file a.rs.",
            Recovery::call("List the files.", "glob", json!({"pattern": "*a*"})),
        );
        expect![[r#"{"error":{"code":"file_not_found","message":"There is no file a.rs.","recovery":{"hint":"List the files.","next_tool":"glob","arguments":{"pattern":"*a*"}}}}"#]]
            .assert_eq(&fault.to_body().to_string());
    }

    #[test]
    fn every_code_has_its_own_word() {
        let mut words: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Code::ALL.len());
    }
}
