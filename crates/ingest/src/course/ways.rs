//! Ways: the walk through a function in the order in which it runs, with all that may have happened by then.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::{Event, Lasting, Outcome, Seen, Shape};

mod blocks;
mod kinds;

pub(super) use kinds::is_function;
use kinds::{
    children, has_chain, is_named, is_type, is_unnamed, last_part, never_returns, row, without_brackets,
};

/// Deeper trees are data or an attack.
const MAX_DEPTH: u32 = 200;
/// More nodes are not looked at for one question.
const MAX_STEPS: u32 = 200_000;

const HANDED_ON: &str = "it stands in a function that is handed on, and when that runs is not known";
const BESIDE: &str = "it is started beside the rest, and when it runs is not known";
const PUT_OFF: &str = "both are put off to the end of the function";
const THROWN: &str = "an error that is caught may skip it";
const GOTO: &str = "the function jumps to labels, and its ways are not followed";
const BROKEN: &str = "the function's syntax could not be read whole";
const TOO_LARGE: &str = "the function is too large to follow its ways";
const CONDITION: &str = "the same condition stands before both";
const CHAINED: &str = "it may be skipped where the value it is asked of is missing";

/// How sure it is that something has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sure {
    No,
    /// Unless an error that is caught came before it.
    UnlessThrown,
    Yes,
}

/// What is known on the way to a place.
#[derive(Clone, Copy, Debug)]
struct State {
    sure: Sure,
    /// On some way.
    may: bool,
    /// Why it cannot be told whether it happened.
    vague: Option<&'static str>,
    /// It is put off to the end.
    is_put_off: bool,
    /// Places that are put off to the end, by their numbers.
    deferred: u64,
}

const NOTHING: State = State { sure: Sure::No, may: false, vague: None, is_put_off: false, deferred: 0 };

/// Nothing where no way leads.
type Flow = Option<State>;

fn join(a: Flow, b: Flow) -> Flow {
    let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
    Some(State {
        sure: a.sure.min(b.sure),
        may: a.may || b.may,
        vague: a.vague.or(b.vague),
        is_put_off: a.is_put_off || b.is_put_off,
        deferred: a.deferred | b.deferred,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Function,
    Loop,
    Switch,
    Labelled,
    Try,
}

/// What a place of the walk stands in.
struct Frame<'s> {
    around: Around,
    label: Option<&'s str>,
    breaks: Flow,
    continues: Flow,
    throws: Flow,
}

/// A condition by its text and its place.
type Condition<'s> = (&'s str, usize);

#[derive(Default)]
struct Answer<'s> {
    sure: Option<Sure>,
    may: bool,
    vague: Option<&'static str>,
    closures: BTreeSet<usize>,
    conditions: Vec<Condition<'s>>,
}

pub(super) struct Walk<'e, 's> {
    source: &'s str,
    family: &'static str,
    lasting: Lasting,
    event: &'e dyn Fn(&Seen<'s>) -> Option<Event>,
    frames: Vec<Frame<'s>>,
    answers: BTreeMap<usize, Answer<'s>>,
    /// Where it begins: in which function without a name, under which conditions.
    begins: BTreeMap<usize, (usize, Vec<Condition<'s>>)>,
    conditions: Vec<Condition<'s>>,
    closure: usize,
    /// Why nothing can be told of the whole.
    vague: Option<&'static str>,
    depth: u32,
    steps: u32,
    /// Calls and places are put off to the end.
    is_putting_off: bool,
}

impl<'e, 's> Walk<'e, 's> {
    pub fn of(
        source: &'s str,
        family: &'static str,
        lasting: Lasting,
        event: &'e dyn Fn(&Seen<'s>) -> Option<Event>,
    ) -> Self {
        Self {
            source,
            family,
            lasting,
            event,
            frames: Vec::new(),
            answers: BTreeMap::new(),
            begins: BTreeMap::new(),
            conditions: Vec::new(),
            closure: 0,
            vague: None,
            depth: 0,
            steps: 0,
            is_putting_off: false,
        }
    }

    /// Walks a function; or what is given to a call, whose functions run one after another; or a whole file.
    pub fn run(&mut self, node: Node<'_>, is_given: bool, is_whole: bool) -> BTreeMap<usize, Outcome> {
        self.frames.push(frame(Around::Function, None));
        let mut flow = Some(NOTHING);
        if is_given {
            for child in children(node) {
                flow = match is_unnamed(child.kind()) {
                    true => self.inline(child, flow),
                    false => self.flow(child, flow),
                };
            }
        } else if is_whole {
            flow = self.each(node, flow);
        } else {
            if node.has_error() {
                self.vague = Some(BROKEN);
            }
            flow = self.body_of(node, flow);
        }
        self.exit(flow);
        self.frames.pop();
        let answers = std::mem::take(&mut self.answers);
        answers.iter().map(|(&number, answer)| (number, self.outcome(answer))).collect()
    }

    fn outcome(&self, answer: &Answer<'s>) -> Outcome {
        if let Some(why) = self.vague {
            return Outcome::Unknown(why);
        }
        match answer.sure {
            Some(Sure::Yes) => return Outcome::Always,
            Some(Sure::UnlessThrown) => return Outcome::Unknown(THROWN),
            _ => {}
        }
        if let Some(why) = answer.vague {
            return Outcome::Unknown(why);
        }
        let mut begins = self.begins.values();
        if self.lasting == Lasting::Happened {
            let is_apart = |closure: &usize| answer.closures.iter().any(|own| *own != 0 && own != closure);
            if begins.clone().any(|(closure, _)| is_apart(closure)) {
                return Outcome::Unknown(HANDED_ON);
            }
        }
        let is_same = |a: &Condition<'_>| answer.conditions.iter().any(|b| a.0 == b.0 && a.1 != b.1);
        if begins.any(|(_, conditions)| conditions.iter().any(is_same)) {
            return Outcome::Unknown(CONDITION);
        }
        if answer.may { Outcome::Sometimes } else { Outcome::Never }
    }

    fn ask(&mut self, number: usize, state: State, at_end: bool) {
        let closure = self.closure;
        let conditions = self.conditions.clone();
        let answer = self.answers.entry(number).or_default();
        let sure = state.sure;
        answer.sure = Some(answer.sure.map_or(sure, |known| known.min(sure)));
        answer.may |= state.may;
        if sure == Sure::No {
            answer.vague = answer.vague.or(state.vague).or((at_end && state.is_put_off).then_some(PUT_OFF));
        }
        answer.closures.insert(closure);
        if answer.conditions.is_empty() {
            answer.conditions = conditions;
        }
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// A function is left with this.
    fn exit(&mut self, flow: Flow) {
        let Some(state) = flow else { return };
        for number in 0..64 {
            if state.deferred & (1 << number) != 0 {
                self.ask(number, state, true);
            }
        }
    }

    fn each(&mut self, node: Node<'_>, mut flow: Flow) -> Flow {
        for child in children(node) {
            flow = self.flow(child, flow);
        }
        flow
    }

    fn field(&mut self, node: Node<'_>, name: &str, flow: Flow) -> Flow {
        match node.child_by_field_name(name) {
            Some(child) => self.flow(child, flow),
            None => flow,
        }
    }

    fn body_of(&mut self, function: Node<'_>, flow: Flow) -> Flow {
        match function.child_by_field_name("body") {
            Some(body) => self.flow(body, flow),
            None if function.kind() == "async_block" => self.each(function, flow),
            None => flow,
        }
    }

    /// A function that runs where it stands.
    fn inline(&mut self, function: Node<'_>, flow: Flow) -> Flow {
        self.frames.push(frame(Around::Function, None));
        let end = self.body_of(function, flow);
        let left = self.frames.pop().and_then(|frame| frame.breaks);
        join(end, left)
    }

    /// A function that is handed on: it may run now, later or never.
    fn closure(&mut self, function: Node<'_>, flow: Flow, why: &'static str) -> Flow {
        let mut inner = flow?;
        if self.lasting == Lasting::Held && why == BESIDE {
            inner = NOTHING;
        }
        inner.deferred = 0;
        let before = std::mem::replace(&mut self.closure, function.start_byte().max(1));
        let was = std::mem::take(&mut self.is_putting_off);
        let after = self.inline(function, Some(inner));
        self.closure = before;
        self.is_putting_off = was;
        let mut state = flow?;
        if after.is_some_and(|after| after.sure > inner.sure || after.may && !inner.may) {
            state.vague = state.vague.or(Some(why));
        }
        Some(state)
    }

    fn flow(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        self.steps += 1;
        if flow.is_none() || self.vague == Some(TOO_LARGE) {
            return flow;
        }
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            self.vague = Some(TOO_LARGE);
            return flow;
        }
        self.depth += 1;
        let after = self.step(node, flow);
        self.depth -= 1;
        after
    }

    fn step(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let kind = node.kind();
        if is_unnamed(kind) {
            return self.closure(node, flow, HANDED_ON);
        }
        if is_named(kind) || is_type(kind) {
            return flow;
        }
        match kind {
            "if_statement" | "if_expression" | "elif_clause" => self.branch(node, flow),
            "conditional_expression" | "ternary_expression" => self.choice(node, flow),
            "binary_expression" | "boolean_operator" | "let_chain" => {
                let (yes, no) = self.condition(node, flow);
                join(yes, no)
            }
            "while_statement"
            | "while_expression"
            | "loop_expression"
            | "for_statement"
            | "for_expression"
            | "for_in_statement"
            | "enhanced_for_statement"
            | "for_range_loop"
            | "do_statement" => self.round(node, flow),
            "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression" => self.comprehension(node, flow),
            "try_statement" | "try_with_resources_statement" => self.tried(node, flow),
            "switch_statement"
            | "switch_expression"
            | "match_statement"
            | "match_expression"
            | "expression_switch_statement"
            | "type_switch_statement"
            | "select_statement" => self.switch(node, flow),
            "with_statement" | "synchronized_statement" => self.scope(node, flow),
            "labeled_statement" => {
                self.frames.push(frame(Around::Labelled, label_of(self, node)));
                let end = self.each(node, flow);
                join(end, self.frames.pop().and_then(|frame| frame.breaks))
            }
            "defer_statement" | "go_statement" => self.later(node, flow),
            "return_statement" | "return_expression" => {
                let state = self.each(node, flow);
                self.leave(state);
                None
            }
            "raise_statement" | "throw_statement" => {
                let state = self.each(node, flow);
                self.throw(state);
                None
            }
            "break_statement"
            | "break_expression"
            | "continue_statement"
            | "continue_expression"
            | "yield_statement" => {
                let state = self.each(node, flow);
                self.jump(node, state);
                None
            }
            "goto_statement" => {
                self.vague = Some(GOTO);
                flow
            }
            "let_declaration" if node.child_by_field_name("alternative").is_some() => {
                let value = self.field(node, "value", flow);
                let other = self.field(node, "alternative", value);
                join(value, other)
            }
            "call"
            | "call_expression"
            | "method_invocation"
            | "new_expression"
            | "object_creation_expression"
            | "macro_invocation" => self.call(node, flow),
            _ => {
                let after = self.each(node, flow);
                match kind.ends_with("statement")
                    || kind.starts_with("assignment")
                    || kind.ends_with("assignment")
                    || kind == "update_expression"
                {
                    true => self.happens(node, Shape::Statement, after),
                    false => after,
                }
            }
        }
    }

    fn seen(&self, node: Node<'_>, shape: Shape) -> Seen<'s> {
        let called = match shape {
            Shape::Call => ["function", "constructor", "name", "type", "macro"]
                .iter()
                .find_map(|field| node.child_by_field_name(field)),
            _ => None,
        };
        let last = called.map(last_part);
        let of = match node.child_by_field_name("object") {
            Some(object) => self.text(object),
            None => called
                .and_then(|called| {
                    ["object", "operand", "value", "argument", "path"]
                        .iter()
                        .find_map(|field| called.child_by_field_name(field))
                })
                .map_or("", |of| self.text(of)),
        };
        Seen {
            shape,
            first: row(node.start_position().row),
            line: row(last.unwrap_or(node).start_position().row),
            name: last.map_or("", |last| self.text(last)),
            of,
            text: self.text(node),
        }
    }

    /// What a place does to what is known.
    fn happens(&mut self, node: Node<'_>, shape: Shape, flow: Flow) -> Flow {
        let mut state = flow?;
        let event = self.event;
        match event(&self.seen(node, shape)) {
            Some(Event::Begins) if self.is_putting_off => state.is_put_off = true,
            Some(Event::Begins) => {
                self.begins.insert(node.start_byte(), (self.closure, self.conditions.clone()));
                (state.sure, state.may) = (Sure::Yes, true);
            }
            Some(Event::Ends) if !self.is_putting_off => (state.sure, state.may) = (Sure::No, false),
            Some(Event::Asked(number)) if self.is_putting_off && number < 64 => state.deferred |= 1 << number,
            Some(Event::Asked(number)) => self.ask(number, state, false),
            _ => {}
        }
        Some(state)
    }

    fn call(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let called = node.child_by_field_name("function");
        let own = called.map(without_brackets).filter(|called| is_unnamed(called.kind()));
        if let Some(own) = own {
            let flow = self.field(node, "arguments", flow);
            return self.inline(own, flow);
        }
        let event = self.event;
        let before = flow?;
        let is_around = event(&self.seen(node, Shape::Call)) == Some(Event::Around);
        let mut after = if is_around {
            let inner = State { sure: Sure::Yes, may: true, ..before };
            self.each(node, Some(inner)).map(|_| before)
        } else {
            let after = self.each(node, flow);
            self.happens(node, Shape::Call, after)
        };
        // `a?.b()` runs only where there is an `a`.
        let is_chained = self.family == "script" && called.is_some_and(|called| has_chain(called));
        if is_chained && after.is_some_and(|after| after.sure > before.sure) {
            after = Some(State { vague: before.vague.or(Some(CHAINED)), may: true, ..before });
        }
        self.throw(after);
        let ends =
            called.or_else(|| node.child_by_field_name("macro")).map_or("", |called| self.text(called));
        let ends = match (self.family, node.kind()) {
            ("java", "method_invocation") => self.text(node).split('(').next().unwrap_or_default(),
            _ => ends,
        };
        if never_returns(self.family, ends) { None } else { after }
    }

    /// An error may come from here.
    fn throw(&mut self, flow: Flow) {
        let ends = |frame: &&mut Frame<'_>| matches!(frame.around, Around::Try | Around::Function);
        if let Some(frame) = self.frames.iter_mut().rev().find(ends).filter(|one| one.around == Around::Try) {
            frame.throws = join(frame.throws, flow);
        }
    }

    fn leave(&mut self, flow: Flow) {
        let at = self.frames.iter().rposition(|frame| frame.around == Around::Function).unwrap_or_default();
        if at == 0 {
            self.exit(flow);
        } else if let Some(frame) = self.frames.get_mut(at) {
            frame.breaks = join(frame.breaks, flow);
        }
    }

    fn jump(&mut self, node: Node<'_>, flow: Flow) {
        let label = children(node).into_iter().find(|child| {
            matches!(child.kind(), "label_name" | "statement_identifier" | "label" | "identifier")
        });
        let label = label.map(|label| self.text(label).trim_start_matches('\''));
        let goes_on = node.kind().starts_with("continue");
        for frame in self.frames.iter_mut().rev() {
            let fits = match (frame.around, label) {
                (Around::Function, _) => return,
                (_, Some(label)) if self.family != "java" || node.kind() != "yield_statement" => {
                    frame.label == Some(label)
                }
                (Around::Loop, _) => true,
                (Around::Switch, _) => !goes_on,
                _ => false,
            };
            if fits {
                if goes_on && frame.around == Around::Loop {
                    frame.continues = join(frame.continues, flow);
                } else if !goes_on {
                    frame.breaks = join(frame.breaks, flow);
                }
                return;
            }
        }
    }

    /// What is put off to the end, or runs beside the rest.
    fn later(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let Some(call) = children(node).into_iter().next() else { return flow };
        let function = call.child_by_field_name("function").map(without_brackets);
        let own = function.filter(|function| is_unnamed(function.kind()));
        let flow = self.field(call, "arguments", flow);
        if node.kind() == "go_statement" {
            if let Some(own) = own {
                return self.closure(own, flow, BESIDE);
            }
            let before = flow?;
            let mut inner = self.closed(call, before);
            if inner.sure > before.sure || inner.may && !before.may {
                inner = State { vague: before.vague.or(Some(BESIDE)), ..before };
            }
            return Some(inner);
        }
        let was = std::mem::replace(&mut self.is_putting_off, true);
        let after = match own {
            Some(own) => self.inline(own, flow).or(flow),
            None => self.happens(call, Shape::Call, flow),
        };
        self.is_putting_off = was;
        after
    }

    /// A call that is started beside the rest.
    fn closed(&mut self, call: Node<'_>, state: State) -> State {
        let before = std::mem::replace(&mut self.closure, call.start_byte().max(1));
        let held = self.lasting == Lasting::Held;
        let after = self.happens(call, Shape::Call, Some(if held { NOTHING } else { state }));
        self.closure = before;
        if held { state } else { after.unwrap_or(state) }
    }
}

fn frame(around: Around, label: Option<&str>) -> Frame<'_> {
    Frame { around, label, breaks: None, continues: None, throws: None }
}

fn label_of<'s>(walk: &Walk<'_, 's>, node: Node<'_>) -> Option<&'s str> {
    let label = node.child_by_field_name("label").or_else(|| node.named_child(0))?;
    Some(walk.text(label).trim_start_matches('\'').trim_end_matches(':'))
}
