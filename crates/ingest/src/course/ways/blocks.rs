//! Blocks: branches, rounds, errors and cases, each with all ways through it.

use tree_sitter::Node;

use super::{Around, Flow, Shape, State, Sure, Walk, children, frame, join, label_of, without_brackets};
use crate::course::Event;

impl<'s> Walk<'_, 's> {
    /// What is known where a condition holds, and where it does not.
    pub(super) fn condition(&mut self, node: Node<'_>, flow: Flow) -> (Flow, Flow) {
        let operator = node.child_by_field_name("operator").map_or("", |sign| self.text(sign));
        match node.kind() {
            "parenthesized_expression" | "condition_clause" => {
                let inner = children(node);
                let Some((last, before)) = inner.split_last() else { return (flow, flow) };
                let flow = before.iter().fold(flow, |flow, one| self.flow(*one, flow));
                self.condition(*last, flow)
            }
            "binary_expression" | "boolean_operator" => {
                let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
                let (Some(left), Some(right)) = (left, right) else {
                    let after = self.each(node, flow);
                    return (after, after);
                };
                match operator {
                    "&&" | "and" => {
                        let (yes, no) = self.condition(left, flow);
                        let (both, second) = self.condition(right, yes);
                        (both, join(no, second))
                    }
                    "||" | "or" => {
                        let (yes, no) = self.condition(left, flow);
                        let (second, neither) = self.condition(right, no);
                        (join(yes, second), neither)
                    }
                    "??" => {
                        let first = self.flow(left, flow);
                        let second = self.flow(right, first);
                        let after = join(first, second);
                        (after, after)
                    }
                    _ => {
                        let first = self.flow(left, flow);
                        let after = self.flow(right, first);
                        (after, after)
                    }
                }
            }
            "let_chain" => children(node).into_iter().fold((flow, None), |(yes, no), one| {
                let (next, not) = self.condition(one, yes);
                (next, join(no, not))
            }),
            "not_operator" | "unary_expression" if matches!(operator, "" | "!") => {
                let inner =
                    node.child_by_field_name("argument").or_else(|| node.child_by_field_name("operand"));
                let inner = inner.or_else(|| node.named_child(0));
                let is_not = node.kind() == "not_operator" || self.text(node).starts_with('!');
                let Some(inner) = inner.filter(|_| is_not) else {
                    let after = self.each(node, flow);
                    return (after, after);
                };
                let (yes, no) = self.condition(inner, flow);
                (no, yes)
            }
            "true" | "True" | "boolean_literal" | "false" | "False" => {
                match self.text(node).eq_ignore_ascii_case("true") {
                    true => (flow, None),
                    false => (None, flow),
                }
            }
            _ => {
                let after = self.flow(node, flow);
                (after, after)
            }
        }
    }

    fn within(&mut self, condition: Option<Node<'_>>, part: Node<'_>, flow: Flow) -> Flow {
        if let Some(condition) = condition {
            let text = self.text(without_brackets(condition));
            self.conditions.push((text, condition.start_byte()));
        }
        let after = self.flow(part, flow);
        if condition.is_some() {
            self.conditions.pop();
        }
        after
    }

    pub(super) fn branch(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let flow = self.field(node, "initializer", flow);
        let condition = node.child_by_field_name("condition");
        let (yes, mut no) = match condition {
            Some(condition) => self.condition(condition, flow),
            None => (flow, flow),
        };
        let mut after = match node.child_by_field_name("consequence") {
            Some(part) => self.within(condition, part, yes),
            None => yes,
        };
        let mut cursor = node.walk();
        let others: Vec<Node<'_>> = node.children_by_field_name("alternative", &mut cursor).collect();
        for other in others {
            // Python writes all its branches beside each other.
            if other.kind() == "elif_clause" {
                let condition = other.child_by_field_name("condition");
                let (yes, not) = match condition {
                    Some(condition) => self.condition(condition, no),
                    None => (no, no),
                };
                let end = match other.child_by_field_name("consequence") {
                    Some(part) => self.within(condition, part, yes),
                    None => yes,
                };
                (after, no) = (join(after, end), not);
            } else {
                no = self.within(condition, other, no);
            }
        }
        join(after, no)
    }

    pub(super) fn choice(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let parts = match node.child_by_field_name("condition") {
            Some(condition) => [
                Some(condition),
                node.child_by_field_name("consequence"),
                node.child_by_field_name("alternative"),
            ],
            // Python says what it is before it says when.
            None => [node.named_child(1), node.named_child(0), node.named_child(2)],
        };
        let [Some(condition), yes, no] = parts else { return self.each(node, flow) };
        let (holds, fails) = self.condition(condition, flow);
        let yes = yes.map_or(holds, |part| self.within(Some(condition), part, holds));
        let no = no.map_or(fails, |part| self.within(Some(condition), part, fails));
        join(yes, no)
    }

    /// A loop. It is walked again where its end changes what its beginning may know.
    pub(super) fn round(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let label = node.parent().filter(|parent| parent.kind() == "labeled_statement");
        let label =
            label.or_else(|| node.named_child(0).filter(|first| first.kind() == "label").map(|_| node));
        let label = label.and_then(|label| label_of(self, label));
        let clause =
            children(node).into_iter().find(|one| matches!(one.kind(), "for_clause" | "range_clause"));
        let head = clause.unwrap_or(node);
        // What is run through is asked for once.
        let mut flow = flow;
        for field in ["initializer", "init", "right", "value"] {
            if node.kind() != "do_statement" && node.kind() != "loop_expression" {
                flow = self.field(head, field, flow);
            }
        }
        let runs_through = clause.map_or_else(
            || {
                matches!(
                    node.kind(),
                    "for_expression" | "for_in_statement" | "enhanced_for_statement" | "for_range_loop"
                ) || node.kind() == "for_statement" && self.family == "python"
            },
            |clause| clause.kind() == "range_clause",
        );
        let mut condition = head.child_by_field_name("condition");
        condition = condition.filter(|one| one.kind() != "empty_statement");
        if condition.is_none() && self.family == "go" && clause.is_none() {
            let body = node.child_by_field_name("body");
            condition = children(node).into_iter().find(|one| Some(*one) != body);
        }
        let first = flow?;
        let mut start = flow;
        loop {
            self.frames.push(frame(Around::Loop, label));
            let is_late = node.kind() == "do_statement";
            let (yes, no) = match condition {
                _ if is_late => (start, None),
                Some(condition) if self.text(without_brackets(condition)) == "1" => {
                    (self.flow(condition, start), None)
                }
                Some(condition) => self.condition(condition, start),
                None if runs_through => (start, start),
                None => (start, None),
            };
            let body = node.child_by_field_name("body");
            let end = body.map_or(yes, |body| self.within(condition.filter(|_| !is_late), body, yes));
            let (breaks, continues) =
                self.frames.pop().map_or((None, None), |frame| (frame.breaks, frame.continues));
            let mut end = join(end, continues);
            for field in ["update", "increment"] {
                end = self.field(head, field, end);
            }
            let (end, no) = match condition.filter(|_| is_late) {
                Some(condition) => self.condition(condition, end),
                None => (end, no),
            };
            let again = join(start, end);
            let is_new =
                |known: State| again.is_some_and(|again| again.may && !known.may || again.sure < known.sure);
            if start.is_some_and(is_new) {
                start = again;
                continue;
            }
            let no = if is_late || condition.is_some() || !runs_through { no } else { join(no, end) };
            let otherwise = self.field(node, "alternative", no);
            let mut after = join(otherwise, breaks)?;
            after.is_put_off |= first.is_put_off;
            return Some(after);
        }
    }

    pub(super) fn comprehension(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let body = node.child_by_field_name("body");
        let mut inner = flow;
        let mut after = flow;
        for (at, clause) in children(node).into_iter().filter(|one| Some(*one) != body).enumerate() {
            inner = match clause.kind() {
                "for_in_clause" => self.field(clause, "right", inner),
                _ => self.flow(clause, inner),
            };
            // The first is run through in any case.
            if at == 0 {
                after = inner;
            }
        }
        let end = body.map_or(inner, |body| self.flow(body, inner));
        join(after, end)
    }

    pub(super) fn tried(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let before = flow?;
        let parts = children(node);
        let of = |kinds: &[&str]| -> Vec<Node<'_>> {
            parts.iter().copied().filter(|part| kinds.contains(&part.kind())).collect()
        };
        self.frames.push(frame(Around::Try, None));
        let mut body = self.field(node, "resources", flow);
        body = self.field(node, "body", body);
        let throws = self.frames.pop().and_then(|frame| frame.throws);
        let is_begun = body.is_some_and(|end| end.sure > before.sure)
            || throws.is_some_and(|one| one.may && !before.may);
        let mut thrown = throws.or(flow);
        if let Some(state) = thrown.as_mut()
            && state.sure == Sure::No
            && is_begun
        {
            state.sure = Sure::UnlessThrown;
        }
        let otherwise = of(&["else_clause"]);
        let body = otherwise.iter().fold(body, |flow, one| self.flow(*one, flow));
        let mut after = body;
        let mut caught = None;
        for handler in of(&["except_clause", "except_group_clause", "catch_clause"]) {
            let end = self.each(handler, thrown);
            caught = join(caught, end);
        }
        after = join(after, caught);
        for last in of(&["finally_clause"]) {
            // It also runs when nothing goes on after it.
            self.each(last, join(join(after, thrown), flow));
            after = self.each(last, after);
        }
        after
    }

    pub(super) fn switch(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let mut flow = flow;
        for field in ["initializer", "value", "subject", "condition"] {
            flow = self.field(node, field, flow);
        }
        let body = node.child_by_field_name("body").unwrap_or(node);
        let mut has_rest = matches!(node.kind(), "match_expression" | "select_statement");
        let label = node.parent().filter(|parent| parent.kind() == "labeled_statement");
        let label = label.and_then(|label| label_of(self, label));
        self.frames.push(frame(Around::Switch, label));
        let mut after = None;
        let mut falls = None;
        for case in children(body) {
            let kind = case.kind();
            let is_case = kind.contains("case") || kind == "match_arm" || kind.starts_with("switch_");
            if !is_case {
                continue;
            }
            let text = self.text(case);
            has_rest |=
                kind.contains("default") || text.starts_with("default") || text.starts_with("case _:");
            let falls_on = matches!(
                kind,
                "switch_case" | "switch_default" | "case_statement" | "switch_block_statement_group"
            );
            let end = self.each(case, if falls_on { join(flow, falls) } else { join(flow, falls.take()) });
            let goes_on = children(case).last().is_some_and(|last| last.kind() == "fallthrough_statement")
                || children(case)
                    .last()
                    .filter(|last| last.kind() == "statement_list")
                    .and_then(|list| children(*list).last().copied())
                    .is_some_and(|last| last.kind() == "fallthrough_statement");
            falls = if falls_on || goes_on { end } else { None };
            if !falls_on && !goes_on {
                after = join(after, end);
            }
        }
        after = join(after, falls);
        after = join(after, self.frames.pop().and_then(|frame| frame.breaks));
        if has_rest { after } else { join(after, flow) }
    }

    /// A block that holds something while it runs.
    pub(super) fn scope(&mut self, node: Node<'_>, flow: Flow) -> Flow {
        let body = node.child_by_field_name("body");
        let heads: Vec<Node<'_>> = children(node).into_iter().filter(|one| Some(*one) != body).collect();
        let mut flow = flow;
        let mut is_held = false;
        for head in heads {
            let items = if head.kind() == "with_clause" { children(head) } else { vec![head] };
            for item in items {
                flow = self.flow(item, flow);
                let event = self.event;
                is_held |= event(&self.seen(item, Shape::Scope)) == Some(Event::Around);
            }
        }
        let before = flow?;
        let inner = if is_held { State { sure: Sure::Yes, may: true, ..before } } else { before };
        let mut after = body.map_or(Some(inner), |body| self.flow(body, Some(inner)))?;
        if is_held {
            (after.sure, after.may) = (before.sure, before.may);
        }
        Some(after)
    }
}
