//! Recall: how a function of `memory` becomes a tool. The files of `remember` and `tasks` are made with it.

use std::borrow::Cow;

use m1nd_contract::budget::json_len;
use m1nd_contract::header::Field;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_memory::ids::{BranchName, DocName};
use m1nd_memory::port::StreamKind;
use m1nd_memory::{Ports, branch, workspace};
use m1nd_runtime::faults::too_little_room;
use m1nd_runtime::{Answer, Ctx, Effect, Spec};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

/// A tool that reads memory.
pub const READ: Spec = Spec { caller: Field::Workspace, lean: true, ..Spec::READ };

/// A tool that writes memory.
pub const WRITE: Spec = Spec { effect: Effect::Remember, ..READ };

/// A tool that changes a plan or task.
pub const CHANGE: Spec = Spec { also_takes: &["expected_version"], ..WRITE };

/// Bytes of a list unless `max_chars` says otherwise.
pub const LIST: i64 = 20_000;

/// Bytes that `elapsed_ms` takes at most.
const ENVELOPE: i64 = 40;

/// What memory answered. It keeps to its budget by itself: only memory knows which end is worth least, and
/// moves the cursor with it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Recalled<T>(pub T);

impl<T> Trim for Recalled<T> {
    fn trim(&mut self, _: usize) -> bool {
        false
    }
}

impl<T: JsonSchema> JsonSchema for Recalled<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Bytes that are kept for a next step, where the budget is large enough to spare them.
pub const NEXT_STEP: i64 = 220;
const SPARES_A_NEXT_STEP: i64 = 2_000;

/// The answer that keeps to `budget`, found by asking with what room it leaves. Where that is overdrawn, the shortest
/// form counts; a budget that not even this one fits into is refused: a page without entries could never be turned.
pub fn within<T: Serialize>(
    ctx: &Ctx<'_>,
    budget: i64,
    next_step: i64,
    mut ask: impl FnMut(i64) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut bytes = room(budget, next_step);
    let mut output = ask(bytes)?;
    while let Some(smaller) = too_many_lines(ctx, &output, bytes) {
        bytes = smaller;
        output = ask(bytes)?;
    }
    if least(&output) <= budget {
        return Ok(output);
    }
    let mut shortest = ask(1)?;
    // Marks of what was shortened take room too, so that a larger budget may lead to a shorter answer.
    loop {
        let less = least(&shortest) - 1;
        let shorter = ask(room(less, next_step))?;
        if least(&shorter) > less {
            break;
        }
        shortest = shorter;
    }
    let least = least(&shortest);
    if least <= budget {
        return Ok(shortest);
    }
    let whole = |bytes: i64| usize::try_from(bytes).unwrap_or_default();
    Err(too_little_room(ctx.tool(), whole(budget), whole(least)))
}

/// The budget that an answer needs.
fn least<T: Serialize>(output: &T) -> i64 {
    i64::try_from(json_len(output)).unwrap_or(i64::MAX / 2) + ENVELOPE
}

/// The bytes that memory may use of a budget. What is no budget stays what it is, and memory refuses it.
fn room(budget: i64, next_step: i64) -> i64 {
    match budget {
        given if given < 1 => given,
        given if given < SPARES_A_NEXT_STEP => (given - ENVELOPE).max(1),
        // More than a smaller budget has, though that one spares nothing.
        given => (given - ENVELOPE - next_step).max(SPARES_A_NEXT_STEP - ENVELOPE),
    }
}

/// The smaller budget to ask with again when an answer has more lines than `max_lines` allows. Memory fits bytes and
/// moves its cursor with what it drops; so lines are kept by giving it fewer bytes.
fn too_many_lines<T: Serialize>(ctx: &Ctx<'_>, output: &T, budget: i64) -> Option<i64> {
    let most = ctx.header().max_lines?;
    let value = serde_json::to_value(output).ok()?;
    let (lines, bytes) = (lines(&value), json_len(&value));
    if lines <= most {
        return None;
    }
    // A budget that is overdrawn already cannot be kept any better.
    let budget = usize::try_from(budget).ok()?;
    let smaller = budget.min(bytes) / (lines + 1) * (most + 1);
    (bytes <= budget).then(|| i64::try_from(smaller.min(bytes.saturating_sub(1)).max(1)).unwrap_or(1))
}

/// Lines of an answer: one for each item of a list, and one for each further line of a text.
fn lines(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(|item| lines(item) + usize::from(item.is_object())).sum(),
        Value::Object(fields) => fields.values().map(lines).sum(),
        Value::String(text) => text.matches('\n').count(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// The answer, with a next step if `max_chars` has room for one.
pub fn answer<T: Serialize>(output: T, next: Guidance, budget: Option<i64>) -> Answer<Recalled<T>> {
    let with = least(&output) + i64::try_from(json_len(&next)).unwrap_or(i64::MAX / 2);
    let answer = Answer::of(Recalled(output));
    if budget.is_some_and(|budget| with > budget) { answer } else { answer.next(next) }
}

/// What to say about an empty list: that memory itself is empty or elsewhere, or `why`.
pub fn when_empty<T>(ctx: &Ctx<'_>, list: &[T], why: &'static str) -> Guidance {
    if !list.is_empty() {
        return Guidance::default();
    }
    elsewhere_or(ctx, || Guidance::hint(why))
}

/// What to say about an empty list of a document: the names that a mistyped one may mean, or `why`.
pub fn when_doc_empty<T>(
    ctx: &Ctx<'_>,
    list: &[T],
    (branch, doc, kind): (&BranchName, &DocName, StreamKind),
    why: &'static str,
) -> Guidance {
    if !list.is_empty() {
        return Guidance::default();
    }
    let asked = ctx.header().caller.name();
    let is_graph = |ports: &Ports<'_>| branch::has_doc(ports, asked, branch, doc, StreamKind::Graph);
    if kind == StreamKind::Log && ctx.remember(is_graph).unwrap_or_default() {
        return Guidance {
            next_suggested_tool: Some("branchmind_graph_query"),
            next_step_hint: Some(format!("{doc} is a graph; this reads its nodes and edges.")),
            ..Guidance::default()
        };
    }
    let meant = ctx.remember(|ports| branch::meant(ports, asked, branch, doc, kind)).unwrap_or_default();
    if meant.is_empty() {
        return when_empty(ctx, list, why);
    }
    Guidance::hint(format!("{branch} has no document {doc}; there is {}.", meant.join(", ")))
}

/// Says that an earlier store was damaged, if one was.
pub fn damaged(ctx: &Ctx<'_>) -> Option<Guidance> {
    let aside = ctx.workspace().map(|workspace| workspace.memories_set_aside()).unwrap_or_default();
    let kept = aside.last()?.display();
    Some(Guidance::hint(format!("An earlier store was damaged and set aside as {kept}; tell the user.")))
}

/// What to say when nothing is found: damage may be the reason, and a mistyped name looks like a new one.
pub fn elsewhere(ctx: &Ctx<'_>) -> Guidance {
    if let Some(said) = damaged(ctx) {
        return said;
    }
    let asked = ctx.header().caller.name();
    let Ok(Some(near)) = ctx.remember(|ports| workspace::elsewhere(ports, asked)) else {
        return Guidance::default();
    };
    Guidance::hint(match near.as_slice() {
        [] => "Nothing was remembered about this repository yet; branchmind_notes_commit and tasks_create begin.".into(),
        names => format!("Nothing was remembered under this name; there is {}.", names.join(", ")),
    })
}

/// What to say about a name under which nothing is remembered, or `why`.
pub fn elsewhere_or(ctx: &Ctx<'_>, why: impl FnOnce() -> Guidance) -> Guidance {
    match elsewhere(ctx) {
        known if known == Guidance::default() => why(),
        reason => reason,
    }
}

/// Declares one tool: its name, the function of `memory` with its types, the budget it works within, what it
/// points to, what it says about an empty list, and its spec.
macro_rules! memory_tool {
    (
        $tool:ident, $call:expr, $input:ty => $output:ty $(, within $budget:expr)? $(, next $next:expr)?
        $(, empty $list:ident $(of $kind:ident on $branch:ident)?: $why:expr)?;
        $($spec:tt)*
    ) => {
        pub struct $tool;

        impl m1nd_runtime::Tool for $tool {
            type Input = $input;
            type Output = $crate::recall::Recalled<$output>;
            const SPEC: m1nd_runtime::Spec = m1nd_runtime::Spec { $($spec)* };

            #[allow(unused_mut, unused_variables, unused_assignments)]
            fn run(
                ctx: &m1nd_runtime::Ctx<'_>,
                mut input: $input,
            ) -> Result<m1nd_runtime::Answer<Self::Output>, m1nd_contract::Fault> {
                let call: fn(&m1nd_memory::Ports<'_>, &$input) -> Result<$output, m1nd_memory::MemoryError> =
                    $call;
                let budget = memory_tool!(@budget input $($budget)?);
                let output = match budget {
                    None => ctx.remember(|ports| call(ports, &input))?,
                    Some(budget) => {
                        let next_step = memory_tool!(@next_step $($next)?);
                        $crate::recall::within(ctx, budget, next_step, |bytes| {
                            memory_tool!(@ask input bytes $($budget)?);
                            ctx.remember(|ports| call(ports, &input))
                        })?
                    }
                };
                let mut next = m1nd_contract::Guidance::default();
                $(
                    let point: fn(&m1nd_runtime::Ctx<'_>, &$output) -> m1nd_contract::Guidance = $next;
                    next = point(ctx, &output);
                )?
                $(
                    next = memory_tool!(@empty ctx output $list ($($kind $branch)?) $why);
                )?
                Ok($crate::recall::answer(output, next, budget))
            }
        }
    };
    (@empty $ctx:ident $output:ident $list:ident () $why:expr) => {
        $crate::recall::when_empty($ctx, &$output.$list, $why)
    };
    (@empty $ctx:ident $output:ident $list:ident ($kind:ident $branch:ident) $why:expr) => {
        $crate::recall::when_doc_empty(
            $ctx,
            &$output.$list,
            (&$output.$branch, &$output.doc, m1nd_memory::port::StreamKind::$kind),
            $why,
        )
    };
    (@budget $input:ident) => { Option::<i64>::None };
    (@budget $input:ident $budget:expr) => { $input.max_chars.or(Some($budget)) };
    (@ask $input:ident $bytes:ident) => {};
    (@ask $input:ident $bytes:ident $budget:expr) => { $input.max_chars = Some($bytes) };
    (@next_step) => { 0 };
    (@next_step $next:expr) => { $crate::recall::NEXT_STEP };
}
pub(crate) use memory_tool;
