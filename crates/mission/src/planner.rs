//! Planner: from what a mission still needs to the step that brings it.

use serde_json::{Value, json};

use crate::advice::Move;
use crate::advise::do_not;
use crate::family::Family;
use crate::goal;
use crate::look::Look;
use crate::needs::{self, Need, is_document};
use crate::searches::SHOWN;
use crate::situation::Situation;
use crate::state::{State, path_of};
use crate::tested;

/// Where most repositories say what they are.
const USUAL_DOCUMENTS: [&str; 8] = [
    "README.md",
    "README.rst",
    "README.txt",
    "README.adoc",
    "README",
    "docs/index.md",
    "docs/index.rst",
    "docs/README.md",
];
/// Files that are written for readers, and all others.
const DOCUMENTS: &str = "*.{md,mdx,rst,adoc,txt}";
const NO_DOCUMENTS: &str = "!*.{md,mdx,rst,adoc,txt}";

/// A move before it is shown.
pub(crate) struct Step {
    pub(crate) family: Family,
    pub(crate) tool: Option<&'static str>,
    pub(crate) arguments: Option<Value>,
    /// What only the agent can say.
    pub(crate) fill_in: &'static [&'static str],
    pub(crate) why: String,
    pub(crate) stop: &'static str,
    pub(crate) fallback: &'static str,
}

impl Step {
    /// What it is about, as the event of its call would name it; nothing where only the agent can say.
    pub(crate) fn target(&self) -> Option<String> {
        let arguments = self.arguments.as_ref();
        let about = ["query", "pattern", "node_id", "file_path", "base", "path", "scope", "target"];
        let named = about.iter().find_map(|name| arguments?.get(*name)?.as_str());
        match named {
            Some(named) => Some(named.to_owned()),
            // A call that names nothing is about the whole.
            None if self.fill_in.is_empty() && self.family != Family::Mission => Some(".".to_owned()),
            None => None,
        }
    }

    pub(crate) fn shown(self, state: &State) -> Move {
        // What the agent fills in is added to what is known: it must not have to guess whose step it is.
        let mut arguments = self.tool.map(|_| self.arguments.unwrap_or_else(|| json!({})));
        if let Some(arguments) = &mut arguments {
            arguments["mission_id"] = json!(state.mission_id.as_str());
        }
        Move {
            tool_family: self.family,
            tool: self.tool,
            arguments,
            fill_in: self.tool.map_or(&[][..], |_| self.fill_in).to_vec(),
            why: self.why,
        }
    }
}

pub(crate) struct Planner<'a> {
    pub(crate) state: &'a State,
    pub(crate) situation: &'a Situation<'a>,
}

impl Planner<'_> {
    /// The next step: the first that nothing speaks against of all that would help.
    pub(crate) fn step(&self) -> Step {
        let is_open = |step: &Step| !self.is_forbidden(step);
        if let Some(step) = self.recovery().filter(is_open) {
            return step;
        }
        if let Some(step) = self.overspent().filter(is_open) {
            return step;
        }
        let mut unmet = self.unmet().peekable();
        if unmet.peek().is_none() {
            return self.close();
        }
        let steps = unmet.flat_map(|need| [Some(self.towards(need)), self.instead_of(need)]);
        steps.flatten().find(is_open).unwrap_or_else(|| self.last_resort())
    }

    /// What the mission still needs, in order.
    pub(crate) fn unmet(&self) -> impl Iterator<Item = Need> {
        let needs = needs::of(self.state.mode).iter().copied();
        needs.filter(|need| !need.is_met(self.state, self.situation))
    }

    /// What stands before all work.
    pub(crate) fn recovery(&self) -> Option<Step> {
        let state = self.state;
        if !self.situation.right_workspace {
            let asked = |tool: &str| state.recovered.iter().any(|used| used == tool);
            let playbook = self.first(&["recovery_playbook"]).filter(|tool| !asked(tool));
            let trust = self.first(&["session_handshake", "health"]).filter(|tool| !asked(tool));
            // Who was asked twice says nothing new before the user did something.
            if playbook.is_none() && trust.is_none() {
                return Some(self.for_the_user());
            }
            let tool = playbook.or(trust);
            let mut arguments = json!({ "scope": state.repo });
            if playbook.is_some() {
                arguments["trust_mode"] = json!("wrong_workspace_binding");
            }
            if tool == Some("health") {
                arguments = json!({});
            }
            return Some(Step {
                family: if playbook.is_some() { Family::Recover } else { Family::Trust },
                tool,
                arguments: Some(arguments),
                fill_in: &[],
                why: format!(
                    "The runtime is not bound to {}: rebind the host, or put that repository into this graph on purpose. Its own files prove nothing here.",
                    state.repo
                ),
                stop: "A new handshake says that the workspace is the mission's.",
                fallback: "Hand off to an agent whose host is bound to that repository.",
            });
        }
        if self.situation.stale_binary
            && let Some(step) = self.stale_binary()
        {
            return Some(step);
        }
        let wants_graph = needs::of(state.mode)
            .iter()
            .take_while(|need| !matches!(need, Need::Claimed))
            .any(|need| !need.is_met(state, self.situation) && need.asks_graph());
        if let Some(job) = self.situation.running_job.filter(|_| self.situation.graph_is_empty && wants_graph)
        {
            return Some(Step {
                family: Family::Ingest,
                tool: self.first(&["job_status"]),
                arguments: Some(json!({ "job_id": job })),
                fill_in: &[],
                why: "The graph is being made: another ingest would begin it anew.".to_owned(),
                stop: "The job is done.",
                fallback: "Search and read the files themselves meanwhile.",
            });
        }
        if self.situation.graph_is_empty && wants_graph {
            return Some(Step {
                family: Family::Ingest,
                tool: self.first(&["ingest"]),
                arguments: Some(json!({})),
                fill_in: &[],
                why: "The graph is empty: every question to it would be answered with nothing.".to_owned(),
                stop: "ingest says done.",
                fallback: "Search and read the files themselves.",
            });
        }
        (state.retrieval_blocked && wants_graph).then(|| self.blocked())
    }

    /// Nothing that can be asked here helps: the user must rebind the host, or allow a second repository.
    fn for_the_user(&self) -> Step {
        Step {
            family: Family::Recover,
            tool: None,
            arguments: None,
            fill_in: &[],
            why: format!(
                "The runtime is still not bound to {}. Tell the user: rebind the host as the playbook says, or put that repository into this graph with ingest and intent add_root. Then make a new session_handshake.",
                self.state.repo
            ),
            stop: "A new handshake says that the workspace is the mission's.",
            fallback: "mission_handoff, to an agent whose host is bound to that repository.",
        }
    }

    /// The program on disk is another one: a plan, a host that was rebound, and a check that it was.
    fn stale_binary(&self) -> Option<Step> {
        let stages: [(&'static str, Value, &str, &'static str); 3] = [
            (
                "update_check",
                json!({}),
                "The program on disk is another one than the one that answers: see which is which, and the plan.",
                "You know what the user must restart.",
            ),
            (
                "recovery_playbook",
                json!({ "trust_mode": "stale_binding_suspected" }),
                "Rebind: ask the user to restart the host's server, as the playbook says.",
                "The host was restarted.",
            ),
            (
                "trust_selftest",
                json!({}),
                "Check what answers now: only a new handshake shows that a host was rebound.",
                "It says which build answers.",
            ),
        ];
        let open = stages.into_iter().find(|(tool, ..)| {
            self.situation.shelf.has(tool) && !self.state.recovered.iter().any(|used| used == tool)
        });
        let (tool, arguments, why, stop) = open?;
        Some(Step {
            family: if tool == "trust_selftest" { Family::Trust } else { Family::Recover },
            tool: Some(tool),
            arguments: Some(arguments),
            fill_in: &[],
            why: why.to_owned(),
            stop,
            fallback: "Go on, and say in the claims which build answered.",
        })
    }

    /// The graph has nodes and answers with nothing: recovery, doctor, and then the text itself.
    fn blocked(&self) -> Step {
        let said = json!({ "observed_tool": "seek", "observed_candidates": 0, "trust_mode": "retrieval_needs_recovery" });
        let stages = [("recovery_playbook", said), ("doctor", json!({}))];
        let open = stages.into_iter().find(|(tool, _)| {
            self.situation.shelf.has(tool) && !self.state.recovered.iter().any(|used| used == tool)
        });
        match open {
            Some((tool, arguments)) => Step {
                family: Family::Recover,
                tool: Some(tool),
                arguments: Some(arguments),
                fill_in: &[],
                why: "The graph has nodes and the last search was blocked or empty.".to_owned(),
                stop: "It says why.",
                fallback: "Search for a literal word of the goal.",
            },
            None => self.literal_search(&self.state.goal),
        }
    }

    pub(crate) fn towards(&self, need: Need) -> Step {
        match need {
            Need::KnownRead => {
                let path = needs::unread(self.state, self.situation).map(str::to_owned);
                self.read(path, "It was named at the start.")
            }
            Need::Oriented => Step {
                family: Family::Orient,
                tool: self.first(&["audit", "outline"]),
                arguments: Some(match (self.first(&["audit"]), self.situation.scope) {
                    (Some(_), Some(scope)) => json!({ "path": scope }),
                    _ => json!({}),
                }),
                fill_in: &[],
                why: "The repository is unknown: one look at the whole costs less than ten at parts."
                    .to_owned(),
                stop: "You can name the two or three folders that matter for the goal.",
                fallback: "List the top folder and read the README.",
            },
            Need::Reviewed | Need::DiffSeen => Step {
                family: Family::Plan,
                tool: self.first(&["review", "impact"]),
                // The same question would be answered as before: only the agent knows which commits are meant.
                arguments: (self.state.reviewed != Some(0)).then(|| json!({})),
                fill_in: if self.state.reviewed == Some(0) { &["base"] } else { &[] },
                why: if self.state.reviewed == Some(0) {
                    "review found no change: give it `base`, for the last commit HEAD~1, or a unified diff or a range of commits as `diff`.".to_owned()
                } else {
                    "What the change set reaches comes before its lines.".to_owned()
                },
                stop: "You know the riskiest files and what is not tested.",
                fallback: "Read the diff, and record it as an event of class diff.",
            },
            Need::Located => self.locate(),
            Need::Related => match self.subject() {
                Some(place) => Step {
                    family: Family::Relate,
                    tool: self.first(&["impact", "callers"]),
                    arguments: Some(json!({ "node_id": place })),
                    fill_in: &[],
                    why: "Who depends on it decides what may change.".to_owned(),
                    stop: "Every direct caller is known.",
                    fallback: "Search for the name.",
                },
                None => self.literal_search(&self.state.goal),
            },
            Need::GoalRead => self.read(
                goal::unread_place(self.state, self.situation),
                "The goal names it: read what it is before it is changed.",
            ),
            Need::SourceRead(_) => {
                // Where a change was looked at, or made, its files come before any guess.
                let made = self.state.unread_edit(self.situation.hash_of);
                let changed = needs::unread_change(self.state, self.situation).or(made).map(str::to_owned);
                self.read(changed.or_else(|| self.place()), "A place is a guess until its source was read.")
            }
            Need::DocumentAndCode => self.document_or_code(),
            Need::SameChange => self.review_again(),
            Need::ChangedRead => {
                let path = needs::unread_change(self.state, self.situation).map(str::to_owned);
                self.read(path, "It is part of the change: whoever judges a change has read of it.")
            }
            Need::ChangeRead => self.read(
                self.state.unread_edit(self.situation.hash_of).map(str::to_owned),
                "It was changed before anybody had read it. Read what it is now: that settles it, and a remark says that it came after.",
            ),
            Need::Current => self.read_again(),
            Need::Planned => Step {
                family: Family::Plan,
                tool: self.first(&["validate_plan"]),
                arguments: None,
                fill_in: &["actions"],
                why: "Name the files that will change: what is missing is cheaper now than later.".to_owned(),
                stop: "Its gaps are in the plan, or dismissed with a reason.",
                fallback: "Ask for the callers and tests of each file.",
            },
            Need::Edited => Step {
                family: Family::Edit,
                tool: self.first(&["apply_batch", "apply"]),
                arguments: None,
                fill_in: &["edits"],
                why: "Everything that the change needs is known.".to_owned(),
                stop: "The change is recorded as an event of class diff.",
                fallback: "Edit with the host's tools and record it with mission_event.",
            },
            Need::Tested if let Some(run) = tested::failed_now(self.state, self.situation) => self.mend(run),
            Need::Tested => Step {
                family: Family::Run,
                tool: self.first(&["mission_event"]),
                arguments: Some(json!({ "event_type": "test_run", "evidence_class": "test_run" })),
                fill_in: &["target", "outcome"],
                why: "Nothing that ran says yet that it works: run the tests with the host's tools, then record which, and passed or failed.".to_owned(),
                stop: "The newest run after the newest edit passed, recorded as an event of class test_run.",
                fallback: "Compile it, and record that.",
            },
            Need::Claimed => Step {
                family: Family::Mission,
                tool: self.first(&["mission_claim"]),
                arguments: None,
                fill_in: &["claim", "event_ids"],
                why: "What was seen comes to something: say it, with the events that show it.".to_owned(),
                stop: "Every conclusion is a claim.",
                fallback: "That nothing was found is a claim too.",
            },
            Need::Settled => self.settle(),
            Need::Swept => self.sweep(),
        }
    }

    /// The half of a docs drift that nobody has read: what the documents say, or what the code does.
    fn document_or_code(&self) -> Step {
        match needs::kinds_read(self.state, self.situation) {
            (false, _) => self.document(),
            (true, _) => match self.place_that(&|path| !is_document(path)) {
                Some(place) => {
                    self.read(Some(place), "Hold the document against the code: read what it speaks of.")
                }
                // The name that was searched for is nowhere in the code: what should be there is found by its meaning.
                None if self.searched_code() && !self.state.used(Family::Retrieve) => self.locate(),
                None => Step {
                    family: Family::Read,
                    tool: self.first(&["search"]),
                    arguments: Some(
                        self.scoped(json!({ "mode": "literal", "glob": NO_DOCUMENTS, "top_k": SHOWN })),
                    ),
                    fill_in: &["query"],
                    why: "Hold the document against the code: search for a name that it promises.".to_owned(),
                    stop: "The definition was shown, or the name is nowhere in the code.",
                    fallback: "Read the file that should hold it.",
                },
            },
        }
    }

    /// Whether something was searched for since something new was learned.
    fn searched_code(&self) -> bool {
        self.state.turns.keys().any(|turn| turn.starts_with("read/search"))
    }

    fn document(&self) -> Step {
        let why = "What a document says comes first: read it, and keep the names that it promises.";
        let place = self.named_document().or_else(|| self.place_that(&is_document));
        if place.is_some() || self.state.was_asked(DOCUMENTS) || self.first(&["glob"]).is_none() {
            return self.read(place, why);
        }
        Step {
            family: Family::Orient,
            tool: self.first(&["glob"]),
            arguments: Some(self.scoped(json!({ "pattern": DOCUMENTS }))),
            fill_in: &[],
            why: "No document is known yet: see which there are.".to_owned(),
            stop: "You know the one that speaks of the goal.",
            fallback: "Search for a literal word of the goal.",
        }
    }

    /// The one that the goal names, or the one that most repositories have.
    fn named_document(&self) -> Option<String> {
        let trimmed = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let said = self.state.goal.split_whitespace().map(trimmed).filter(|word| is_document(word));
        let below = self.situation.scope.map_or_else(String::new, |scope| format!("{scope}/"));
        let usual = USUAL_DOCUMENTS.iter().map(|name| (*name).to_owned());
        let mut paths = said.chain(usual).map(|name| format!("{below}{name}"));
        paths.find(|path| self.situation.exists(path) && !self.is_dead(path))
    }

    /// The change set moved on: the same question again, about what it is now.
    fn review_again(&self) -> Step {
        let set = self.state.change_set.as_ref();
        let base = set.and_then(|set| set.base.as_ref()).map(|base| json!({ "base": base }));
        let range = set.and_then(|set| set.range.as_ref()).map(|range| json!({ "diff": range }));
        let moved = self.state.moved_on(self.situation).unwrap_or_default();
        Step {
            arguments: Some(base.or(range).unwrap_or_else(|| json!({}))),
            fill_in: &[],
            why: format!("The change set is not the one that was reviewed: {moved}. Look at it again."),
            ..self.towards(Need::Reviewed)
        }
    }

    pub(crate) fn close(&self) -> Step {
        Step {
            family: Family::Mission,
            tool: self.first(&["mission_close"]),
            arguments: Some(json!({})),
            fill_in: &[],
            why: "Everything that this kind of mission needs is done.".to_owned(),
            stop: "The proof packet is written.",
            fallback: "Hand off to the next agent.",
        }
    }

    pub(crate) fn read(&self, place: Option<String>, why: &str) -> Step {
        let Some(place) = place else {
            return Step { why: why.to_owned(), ..self.literal_search(&self.state.goal) };
        };
        self.read_of(&place, "", why)
    }

    /// The same for the sake of what a claim says.
    pub(crate) fn read_of(&self, place: &str, said: &str, why: &str) -> Step {
        match self.look(place, said) {
            Look::At(at) => Step {
                family: Family::Read,
                tool: self.first(&["view"]),
                arguments: Some(json!({ "file_path": at })),
                fill_in: &[],
                why: why.to_owned(),
                stop: "You can say what the source does, or that it is not here.",
                fallback: "Read it with the host's tools and record that with mission_event.",
            },
            Look::Outline(path) => Step {
                family: Family::Orient,
                tool: self.first(&["outline"]),
                arguments: Some(json!({ "file_path": path })),
                fill_in: &[],
                why: format!("{why} It is long: see what is in it, then view the lines that matter."),
                stop: "You know which lines to view.",
                fallback: "View its first lines.",
            },
        }
    }

    /// What the mission is about: a place that was found, a file that was named, or one that was read.
    fn subject(&self) -> Option<String> {
        let read = || self.state.files.keys().find(|path| !self.is_dead(path)).cloned();
        self.place().or_else(read)
    }

    /// The best place that nobody has read and that is no dead end.
    pub(crate) fn place(&self) -> Option<String> {
        self.place_that(&|_| true)
    }

    /// The best of them whose file is of some kind.
    fn place_that(&self, kind: &dyn Fn(&str) -> bool) -> Option<String> {
        let state = self.state;
        let open = |place: &&String| {
            let path = path_of(place);
            let is_open = kind(path) && !state.files.contains_key(path) && !self.is_dead(place);
            is_open && (self.situation.is_of_repo)(path) && self.situation.exists(path)
        };
        state.places.iter().chain(&state.known_paths).find(open).cloned()
    }

    /// Whether nothing was found there, and nothing changed there since.
    pub(crate) fn is_dead(&self, target: &str) -> bool {
        self.state.is_dead(target, self.situation.hash_of)
    }

    pub(crate) fn first(&self, tools: &[&'static str]) -> Option<&'static str> {
        tools.iter().copied().find(|tool| self.situation.shelf.has(tool))
    }

    /// Families whose tools help with a step.
    pub(crate) fn families(&self, family: Family) -> Vec<Family> {
        let also: &[Family] = match family {
            Family::Retrieve => &[Family::Read],
            Family::Relate | Family::Plan => &[Family::Relate, Family::Read],
            Family::Read => &[Family::Relate],
            Family::Edit => &[Family::Read],
            _ => &[],
        };
        let mut all = vec![family];
        all.extend(also.iter().copied().filter(|one| *one != family));
        all.retain(|one| {
            !do_not(self.state, self.situation)
                .iter()
                .any(|no| no.target.is_none() && no.tool_family == Some(*one))
        });
        all
    }
}

impl Need {
    fn asks_graph(self) -> bool {
        matches!(self, Self::Oriented | Self::Reviewed | Self::Located | Self::Related | Self::Planned)
    }
}
