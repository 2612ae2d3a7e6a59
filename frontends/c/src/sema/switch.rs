//! Switches, cut into arms at their labels (C11 6.8.4.2).

use lang_c::ast::{BlockItem, Expression, Label, LabeledStatement, Statement, SwitchStatement};
use lang_c::span::Node;
use rustc_hash::FxHashMap;
use terrace_ir::diag::Diagnostic;

use super::Sema;
use super::constant::{Value, convert};
use super::directives::Sequence;
use super::report::{ERROR, is_error};
use crate::hir::{Arm, Span, Stmt, StmtKind};
use crate::types::Type;

/// A switch whose body is read.
pub(super) struct SwitchState {
    /// Of the value that is switched on, promoted.
    ty: Type,
    /// Labels so far, with where they stand; `None` is `default`.
    seen: FxHashMap<Option<i128>, Span>,
    /// Why its body cannot be cut into arms.
    tangled: Option<&'static str>,
}

/// The longest range of a `case` that is written out.
const MAX_RANGE: i128 = 4096;

impl Sema<'_> {
    pub(super) fn switch(&mut self, s: &SwitchStatement, at: Span) -> Stmt {
        let value = self.value(&s.expression);
        let mut value = self.promoted_value(value);
        if !value.ty.is_integer() && !is_error(&value.ty) {
            let found = self.spell(&value.ty);
            self.error(
                value.span,
                format!("a switch is over an integer, and this is `{found}`"),
            );
            value = Self::poison(value.span);
        }
        if let Some(f) = &mut self.function {
            f.switches.push(SwitchState {
                ty: value.ty.clone(),
                seen: FxHashMap::default(),
                tangled: None,
            });
        }
        let head = self.span(s.expression.span).end;
        self.directives_misplaced(Span {
            start: 0,
            end: head,
        });
        let mut arms = Arms::default();
        let body_at = self.span(s.statement.span);
        self.scopes.enter();
        match &s.statement.node {
            Statement::Compound(items) => {
                for item in items {
                    match &item.node {
                        BlockItem::Statement(s) => self.arm_statement(s, &mut arms),
                        _ => self.block_item(item, &mut arms.body),
                    }
                }
                self.directives_in_sequence(body_at.end, &mut arms.body);
            }
            _ => self.arm_statement(&s.statement, &mut arms),
        }
        self.finish_arm(&mut arms, body_at);
        self.scopes.leave();
        let state = self.function.as_mut().and_then(|f| f.switches.pop());
        let kind = match state.and_then(|s| s.tangled) {
            Some(reason) => StmtKind::Unsupported(reason.into()),
            None => StmtKind::Switch {
                value,
                arms: arms.done,
            },
        };
        Stmt {
            kind,
            span: at,
            directives: Vec::new(),
        }
    }

    /// A statement of the body: its `case` labels begin an arm.
    fn arm_statement(&mut self, s: &Node<Statement>, arms: &mut Arms) {
        self.directives_in_sequence(self.span(s.span).start, &mut arms.body);
        let mut at = s;
        let mut fresh = true;
        while let Statement::Labeled(l) = &at.node {
            if matches!(l.node.label.node, Label::Identifier(_)) {
                break;
            }
            if fresh {
                let here = self.span(s.span);
                self.finish_arm(arms, here);
                fresh = false;
            }
            let labels = self.case_labels(&l.node);
            arms.labels.extend(labels);
            at = &l.node.statement;
            self.directives_in_sequence(self.span(at.span).start, &mut arms.body);
        }
        let next = self.statement(at);
        self.add_to_sequence(next, &mut arms.body);
    }

    /// Ends the arm that is open, if it has labels or statements.
    fn finish_arm(&mut self, arms: &mut Arms, at: Span) {
        let body = self.end_of_sequence(std::mem::take(&mut arms.body), at);
        let labels = std::mem::take(&mut arms.labels);
        if labels.is_empty() && body.is_empty() {
            return;
        }
        // Labels that stand before one statement are one arm.
        arms.done.push(Arm { labels, body });
    }

    /// The values of `case` or `default`.
    fn case_labels(&mut self, l: &LabeledStatement) -> Vec<Option<i128>> {
        let at = self.span(l.label.span);
        match &l.label.node {
            Label::Identifier(_) => Vec::new(),
            Label::Default => self.new_label(None, at),
            Label::Case(e) => match self.case_value(e) {
                Some(v) => self.new_label(Some(v), at),
                None => Vec::new(),
            },
            Label::CaseRange(range) => {
                let low = self.case_value(&range.node.low);
                let high = self.case_value(&range.node.high);
                let (Some(low), Some(high)) = (low, high) else {
                    return Vec::new();
                };
                if high - low > MAX_RANGE {
                    self.tangle("a case range of more than 4096 values");
                    return Vec::new();
                }
                (low..=high)
                    .flat_map(|v| self.new_label(Some(v), at))
                    .collect()
            }
        }
    }

    /// Notes a label; reports it if the switch has it already.
    fn new_label(&mut self, label: Option<i128>, at: Span) -> Vec<Option<i128>> {
        let Some(state) = self.function.as_mut().and_then(|f| f.switches.last_mut()) else {
            let word = if label.is_some() { "case" } else { "default" };
            self.error(at, format!("`{word}` has to stand in a switch"));
            return Vec::new();
        };
        if let Some(first) = state.seen.insert(label, at) {
            let what = match label {
                Some(v) => format!("the switch has `case {v}` already"),
                None => "the switch has a `default` already".to_owned(),
            };
            let diagnostic = Diagnostic::error(self.place(at), what)
                .with_note(self.place(first), "it stands here");
            self.report(at, diagnostic);
            return Vec::new();
        }
        vec![label]
    }

    fn case_value(&mut self, e: &Node<Expression>) -> Option<i128> {
        let at = self.span(e.span);
        let value = self.value(e);
        let Some(v) = self.fold_integer(&value) else {
            self.not_constant(&value, at, "the value of a case");
            // What may be a constant is not known, so neither is the switch.
            self.tangle(ERROR);
            return None;
        };
        let ty = self
            .function
            .as_ref()
            .and_then(|f| f.switches.last())
            .map(|s| s.ty.clone());
        match ty.map(|ty| convert(Value::Int(v), &ty)) {
            Some(Some(Value::Int(v))) => Some(v),
            _ => Some(v),
        }
    }

    fn tangle(&mut self, reason: &'static str) {
        if let Some(state) = self.function.as_mut().and_then(|f| f.switches.last_mut()) {
            state.tangled = Some(reason);
        }
    }

    /// A `case` inside another statement of the switch: the arms are not a list of
    /// statements then.
    pub(super) fn nested_case(&mut self, l: &LabeledStatement, at: Span) -> Stmt {
        self.case_labels(l);
        self.tangle("a case label inside another statement");
        let mut inner = self.inner(&l.statement, self.span(l.label.span).end);
        inner.span = at;
        inner
    }
}

/// The arms so far, and the one that is open.
#[derive(Default)]
struct Arms {
    done: Vec<Arm>,
    labels: Vec<Option<i128>>,
    body: Sequence,
}
