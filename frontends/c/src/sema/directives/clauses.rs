//! The names in a directive's clauses.

use crate::directive::schedule::{Schedule, StepArgument};
use crate::directive::{Arg, Clause, ClauseKind, DirectiveKind, Section};
use crate::hir::{DirectiveId, ExprKind};
use crate::sema::Sema;
use crate::sema::report::{ERROR, is_error, unsupported};
use crate::types::Type;

impl Sema<'_> {
    /// Resolves everything a directive names, in the scope where it stands.
    pub(super) fn resolve_directive(&mut self, id: DirectiveId) {
        let mut directive = self.directive(id).clone();
        match &mut directive.kind {
            DirectiveKind::Wait(args) => self.integers(args),
            DirectiveKind::Cache(sections) => self.sections(sections),
            DirectiveKind::Schedule(schedule) => self.schedule(schedule),
            // Names of functions, of targets, and texts.
            _ => {}
        }
        for clause in &mut directive.clauses {
            self.clause(clause);
        }
        self.directives[id.0 as usize] = directive;
    }

    fn clause(&mut self, clause: &mut Clause) {
        match &mut clause.kind {
            ClauseKind::Gang { num, dim, size } => {
                for arg in [num, dim, size].into_iter().flatten() {
                    self.integer_arg(arg);
                }
            }
            ClauseKind::Worker(arg)
            | ClauseKind::Vector(arg)
            | ClauseKind::Async(arg)
            | ClauseKind::Host(arg)
            | ClauseKind::Unroll(arg) => {
                if let Some(arg) = arg {
                    self.integer_arg(arg);
                }
            }
            ClauseKind::Collapse { count, .. } => self.constant_arg(count, "`collapse`"),
            ClauseKind::Tile(sizes) => {
                for size in sizes.iter_mut().flatten() {
                    self.constant_arg(size, "`tile`");
                }
            }
            ClauseKind::Reduction { vars, .. }
            | ClauseKind::Private(vars)
            | ClauseKind::Firstprivate(vars)
            | ClauseKind::Data { vars, .. }
            | ClauseKind::UseDevice(vars) => self.sections(vars),
            ClauseKind::If(arg) | ClauseKind::SelfCondition(Some(arg)) => {
                self.condition_arg(arg);
            }
            ClauseKind::Wait(args) | ClauseKind::NumGangs(args) => self.integers(args),
            ClauseKind::NumWorkers(arg)
            | ClauseKind::VectorLength(arg)
            | ClauseKind::DeviceNum(arg)
            | ClauseKind::DefaultAsync(arg) => self.integer_arg(arg),
            ClauseKind::Seq
            | ClauseKind::Auto
            | ClauseKind::Independent
            | ClauseKind::IfPresent
            | ClauseKind::Finalize
            | ClauseKind::SelfCondition(None)
            | ClauseKind::Default { .. }
            | ClauseKind::Bind(_)
            | ClauseKind::NoHost
            | ClauseKind::Kernel => {}
        }
    }

    /// The numbers of a schedule.
    fn schedule(&mut self, schedule: &mut Schedule) {
        match schedule {
            Schedule::Pluto(Some(size)) => self.step_number(size, "`pluto`", false),
            Schedule::Steps(steps) => {
                for step in steps {
                    let form = step.word.form();
                    let what = format!("`{}`", form.spelling);
                    for n in &mut step.numbers {
                        self.step_number(n, &what, form.signed);
                    }
                }
            }
            _ => {}
        }
    }

    /// A constant, above 0 where it is not `signed`.
    fn step_number(&mut self, number: &mut StepArgument, what: &str, signed: bool) {
        let arg = &mut number.arg;
        self.integer_arg(arg);
        let Some(value) = &arg.expr else { return };
        if !value.ty.is_integer() || matches!(value.kind, ExprKind::Unsupported(_)) {
            return;
        }
        let n = self.fold_integer(value);
        number.value = n
            .and_then(|n| i64::try_from(n).ok())
            .filter(|n| signed || *n > 0);
        if number.value.is_some() {
            return;
        }
        let message = match n {
            Some(n) if !signed => format!("{what} needs a number above 0, and this is {n}"),
            Some(n) => format!("{what} needs a number of 64 bits, and this is {n}"),
            None => format!("{what} needs a constant, and this is not one"),
        };
        self.error(number.arg.span, message);
    }

    fn integers(&mut self, args: &mut [Arg]) {
        for arg in args {
            self.integer_arg(arg);
        }
    }

    fn integer_arg(&mut self, arg: &mut Arg) {
        if arg.text.trim() == "*" {
            return;
        }
        let Some(operand) = self.directive_expr(arg) else {
            return;
        };
        let mut value = self.rvalue(operand);
        if !value.ty.is_integer() && !is_error(&value.ty) {
            let found = self.spell(&value.ty);
            self.error(
                arg.span,
                format!("an integer is needed here, and this is `{found}`"),
            );
            value = unsupported(ERROR, Type::INT, arg.span);
        }
        arg.expr = Some(value);
    }

    /// A number above 0 that is known now.
    fn constant_arg(&mut self, arg: &mut Arg, what: &str) {
        self.integer_arg(arg);
        let Some(value) = &arg.expr else { return };
        if !value.ty.is_integer() || matches!(value.kind, ExprKind::Unsupported(_)) {
            return;
        }
        let message = match self.fold_integer(value) {
            Some(n) if n > 0 => return,
            Some(n) => format!("{what} needs a number above 0, and this is {n}"),
            None => format!("{what} needs a constant, and this is not one"),
        };
        self.error(arg.span, message);
        arg.expr = Some(unsupported(ERROR, Type::INT, arg.span));
    }

    fn condition_arg(&mut self, arg: &mut Arg) {
        let Some(operand) = self.directive_expr(arg) else {
            return;
        };
        let value = self.rvalue(operand);
        if !value.ty.is_scalar() && !is_error(&value.ty) {
            let found = self.spell(&value.ty);
            self.error(
                arg.span,
                format!("a condition is needed here, and this is `{found}`"),
            );
            return;
        }
        arg.expr = Some(value);
    }

    fn sections(&mut self, sections: &mut [Section]) {
        for section in sections {
            self.section(section);
        }
    }

    /// A variable or a part of one. The base stays an object: it has not decayed.
    fn section(&mut self, section: &mut Section) {
        for dim in &mut section.dims {
            for arg in [&mut dim.start, &mut dim.length].into_iter().flatten() {
                self.integer_arg(arg);
            }
        }
        let at = section.base.span;
        let Some(operand) = self.directive_expr(&section.base) else {
            return;
        };
        if is_error(&operand.expr.ty) {
            section.base.expr = Some(operand.expr);
            return;
        }
        let variable = matches!(
            operand.expr.kind,
            ExprKind::Var(_)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
                | ExprKind::Deref(_)
        );
        if !variable || !operand.lvalue {
            let text = section.base.text.trim();
            let what = match &operand.expr.kind {
                ExprKind::Function(_) => "a function",
                _ => "a value",
            };
            self.error(
                at,
                format!("`{text}` is {what}, and a variable is needed here"),
            );
            return;
        }
        let mut ty = &operand.expr.ty;
        for (i, dim) in section.dims.iter().enumerate() {
            match ty.element() {
                Some(of) => ty = of,
                None => {
                    let text = section.base.text.trim().to_owned();
                    let found = self.spell(&operand.expr.ty);
                    let at = dim.start.as_ref().or(dim.length.as_ref());
                    let at = at.map_or(section.span, |a| a.span);
                    let message = if i == 0 {
                        format!("`{text}` has no elements: its type is `{found}`")
                    } else {
                        format!("`{text}` has {i} dimensions and not more: its type is `{found}`")
                    };
                    self.error(at, message);
                    break;
                }
            }
        }
        section.base.expr = Some(operand.expr);
    }
}
