//! Refusal: why a batch that was made goes again, with places as they are once it is gone.

use m1nd_contract::budget::{drop_after, json_len};
use m1nd_contract::{Code, Fault, Recovery};
use m1nd_edit::Plan;
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::history::carried;
use m1nd_ingest::revision::{Change, Changed};
use serde_json::{Value, json};

use super::checks::{Checked, node_of};
use super::making::{Made, Verify};
use super::shown::{CallerShown, old};
use crate::ctx::Ctx;
use crate::faults::from_edit;
use crate::flows::review::Finding;

/// Bytes of what a refusal lists, unless `max_chars` allows more.
const USUAL_BYTES: usize = 8_000;
/// Bytes that what is around the list takes.
const AROUND_BYTES: usize = 1_200;
/// Places of a finding that stay while there are other findings to show.
const FEW_PLACES: usize = 3;

/// Why a batch that was made must go again; nothing where it may stay.
pub(super) fn of(
    ctx: &Ctx<'_>,
    verify: Verify,
    made: &Made,
    broken: &[Finding],
    (before, plan, checked): (Option<&Graph>, &Plan, &Checked),
) -> Option<Fault> {
    let room = ctx.header().max_chars.unwrap_or(USUAL_BYTES).saturating_sub(AROUND_BYTES);
    let certain: Vec<&CallerShown> = made.dangling.iter().filter(|one| one.is_certain()).collect();
    if verify == Verify::Graph
        && let Some(first) = certain.first()
    {
        return Some(dangling((plan, checked), before, &certain, first, room));
    }
    if let Some(first) = broken.first() {
        return Some(findings((plan, checked), broken, first, room));
    }
    let failed = made.commands.iter().find(|run| !run.passed())?;
    let how = failed.exit_code.map_or_else(
        || "took too long and was ended".to_owned(),
        |code| format!("ended with exit code {code}"),
    );
    let fault = Fault::new(
        Code::Conflict,
        format!("The batch was taken back: `{}` {how}.", failed.command),
        Recovery::hint("Read what it said in `detail`, mend the batch and apply it again."),
    );
    Some(fault.with_detail(json!({ "commands": made.commands })))
}

/// Where a line of a batch's text is found without the batch; a line that the batch writes is one of its text.
pub(super) fn on_disk(plan: &Plan, at: &str) -> String {
    Place::of(plan, at).text()
}

/// Uses that are left without what they use.
fn dangling(
    (plan, checked): (&Plan, &Checked),
    before: Option<&Graph>,
    certain: &[&CallerShown],
    first: &CallerShown,
    room: usize,
) -> Fault {
    let shown = |one: &&CallerShown| {
        let place = Place::of(plan, &one.at);
        let mut shown = serde_json::to_value(one).unwrap_or_default();
        shown["at"] = json!(place.text());
        if place.is_new {
            shown["in_edit"] = json!(true);
        }
        shown
    };
    let mut list: Vec<Value> = certain.iter().map(shown).collect();
    let total = list.len();
    let excess = json_len(&list).saturating_sub(room);
    drop_after(&mut list, FEW_PLACES, excess);
    let rest = (list.len() < total).then(|| {
        let gone = before.and_then(|graph| Some((graph, gone(graph, checked, &first.uses)?)));
        let call = gone.map(|(graph, ix)| {
            let all = json!({ "tool": "impact", "arguments": { "node_id": graph.node(ix).id() } });
            format!(", and {all} all of {}", first.uses)
        });
        let shown = list.len();
        let call = call.unwrap_or_default();
        format!("; {shown} of {total} are listed, a larger `max_chars` lists more{call}")
    });
    let place = Place::of(plan, &first.at);
    let uses = if total == 1 { "1 use".to_owned() } else { format!("{total} uses") };
    let are = if total == 1 { "is" } else { "are" };
    let fault = Fault::new(
        Code::Conflict,
        format!(
            "The batch was taken back: {uses} of what it removes, hides or does not find {are} there, first {} at {}.",
            first.uses,
            place.said(),
        ),
        look(
            &place,
            format!(
                "Change these places in the same batch, or apply it with `verify: syntax`{}.",
                rest.unwrap_or_default()
            ),
        ),
    );
    fault.with_detail(json!({ "dangling_callers": list, "total": total }))
}

/// What went, or is hidden now, as it was called.
fn gone(before: &Graph, checked: &Checked, name: &str) -> Option<NodeIx> {
    let all = checked.symbols.iter().flat_map(|file| file.changed.iter().map(move |one| (file, one)));
    let mut gone = all.filter_map(|(file, one)| node_of(before, &file.from, one));
    gone.find(|&ix| before.node(ix).label() == name)
}

/// What else breaks.
fn findings((plan, checked): (&Plan, &Checked), broken: &[Finding], first: &Finding, room: usize) -> Fault {
    let said = |at: &String| Place::of(plan, at).said();
    let listed = |most: usize| {
        let shown = |one: &Finding| {
            let places: Vec<String> = one.places.iter().take(most).map(said).collect();
            let mut shown = json!({
                "kind": one.kind, "severity": one.severity, "at": place_of(one, plan, checked).said(), "message": one.message,
                "places": places,
            });
            if places.len() < one.places.len() {
                shown["places_total"] = json!(one.places.len());
            }
            shown
        };
        broken.iter().map(shown).collect::<Vec<Value>>()
    };
    let mut most = broken.iter().map(|one| one.places.len()).max().unwrap_or_default();
    let mut list = listed(most);
    while most > FEW_PLACES && json_len(&list) > room {
        most = (most / 2).max(FEW_PLACES);
        list = listed(most);
    }
    let excess = json_len(&list).saturating_sub(room);
    drop_after(&mut list, 1, excess);
    let is_cut = list.len() < broken.len() || broken.iter().any(|one| one.places.len() > most);
    let at = place_of(first, plan, checked);
    let rest = is_cut.then(|| {
        let all = json!({ "tool": "impact", "arguments": { "node_id": at.to_view() } });
        format!("; not all places are listed: a larger `max_chars` lists more, and {all} all that use what stands there")
    });
    let place = first.places.first().map_or_else(|| place_of(first, plan, checked), |at| Place::of(plan, at));
    let fault = Fault::new(
        Code::Conflict,
        format!("The batch was taken back: {}", first.message),
        look(
            &place,
            format!(
                "Mend these places in the same batch, or apply it with `verify: syntax`{}.",
                rest.unwrap_or_default()
            ),
        ),
    );
    fault.with_detail(json!({ "findings": list, "total": broken.len() }))
}

/// Advice, with a look at a place of it.
fn look(place: &Place, hint: String) -> Recovery {
    match place.to_view() {
        Some(at) => Recovery::call(hint, from_edit::VIEW, json!({ "file_path": at })),
        None => Recovery::hint(hint),
    }
}

/// Where a finding is about; what went stands where it stood.
fn place_of(finding: &Finding, plan: &Plan, checked: &Checked) -> Place {
    let path = finding.at.rsplit_once(':').map_or("", |(path, _)| path);
    let gone = finding.message.split_once(" was removed").map_or("", |(name, _)| name);
    let is_it = |one: &&Changed| {
        one.change == Change::Removed && (one.name == gone || one.name.rsplit('.').next() == Some(gone))
    };
    let went = checked.symbols.iter().filter(|file| file.path == path);
    let mut went = went.filter_map(|file| Some((&file.from, file.changed.iter().find(is_it)?)));
    match went.next() {
        Some((from, symbol)) => {
            Place { path: from.clone(), line: Some(symbol.line), is_new: false, near: None }
        }
        None => Place::of(plan, &finding.at),
    }
}

/// A line of a batch's text, as it is found without the batch.
struct Place {
    path: String,
    line: Option<u32>,
    /// Whether the batch writes it: then the line is one of its text.
    is_new: bool,
    /// The line of the file as it is that is shown for it.
    near: Option<(String, u32)>,
}

impl Place {
    fn of(plan: &Plan, at: &str) -> Self {
        let asis = |path: &str, line| Self { path: path.to_owned(), line, is_new: false, near: None };
        let parts = at.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse::<u32>().ok()?)));
        let Some((path, line)) = parts else { return asis(at, None) };
        let Some(file) = plan.files.iter().find(|file| file.path == path) else {
            return asis(path, Some(line));
        };
        let Some(now) = &file.after else { return asis(path, Some(line)) };
        let (from, Some(then)) = old(&plan.files, file) else {
            return Self { path: path.to_owned(), line: Some(line), is_new: true, near: None };
        };
        let last = u32::try_from(then.split(|&byte| byte == b'\n').count()).unwrap_or(u32::MAX);
        let was = carried(&[(line, line)], &now.bytes, then).first().map_or(line, |lines| lines.0);
        let was = was.clamp(1, last);
        if line_of(then, was) == line_of(&now.bytes, line) {
            return asis(from, Some(was));
        }
        let near = Some((from.to_owned(), was));
        Self { path: path.to_owned(), line: Some(line), is_new: true, near }
    }

    /// path:line.
    fn text(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.path),
            None => self.path.clone(),
        }
    }

    /// The same in words.
    fn said(&self) -> String {
        match self.is_new {
            true => format!("{} of the edit", self.text()),
            false => self.text(),
        }
    }

    /// A place that `view` shows; nothing in a file that is not there without the batch.
    fn to_view(&self) -> Option<String> {
        match &self.near {
            Some((path, line)) => Some(format!("{path}:{line}")),
            None => (!self.is_new).then(|| self.text()),
        }
    }
}

fn line_of(text: &[u8], line: u32) -> Option<&[u8]> {
    let at = (line as usize).checked_sub(1)?;
    text.split(|&byte| byte == b'\n').nth(at).map(<[u8]>::trim_ascii)
}
