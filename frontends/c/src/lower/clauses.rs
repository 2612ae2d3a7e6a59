//! Directives on statements inside regions and functions.

use terrace_ir::{Attr, Op};

use super::atomic::stripped;
use super::core::Mode;
use super::place::{Object, Place};
use super::{Lowerer, Refusal, Result};
use crate::directive::{
    Arg, Clause, ClauseKind, DataKind, Directive, DirectiveKind, Reduction, Section,
};
use crate::hir::{BinaryOp, DirectiveId, Expr, ExprKind, Stmt, StmtKind, VarId};
use terrace_ir::Value;

/// What a loop directive says of the loop that follows.
#[derive(Debug, Clone)]
pub struct LoopDirective {
    /// The content of `acc.loop`.
    pub attr: Attr,
    pub private: Vec<VarId>,
    /// How many loops the directive is about.
    pub collapse: usize,
}

/// What a compute directive says of scalars.
#[derive(Debug, Default)]
pub struct Scalars {
    /// Of a `private` clause.
    pub private: Vec<VarId>,
    /// Their values come out: reductions and copies.
    pub out: Vec<VarId>,
}

impl Lowerer<'_> {
    /// A statement with its directives.
    pub fn directed(&mut self, s: &Stmt) -> Result<()> {
        if s.directives.is_empty() {
            return self.undirected(s);
        }
        let unit = self.unit;
        let outside = self.logical.len();
        for d in &s.directives {
            let d = unit.directive(*d);
            match &d.kind {
                DirectiveKind::Compute { .. } | DirectiveKind::Scop => {
                    if self.mode == Mode::Function && self.region_call(s)? {
                        return Ok(());
                    }
                }
                DirectiveKind::Atomic(kind) => return self.atomic(s, *kind),
                DirectiveKind::Loop => {
                    self.logical_reductions(d)?;
                    self.directive = Some(self.loop_directive(d));
                }
                _ => {}
            }
            if let DirectiveKind::Compute { combined: true, .. } = d.kind {
                self.logical_reductions(d)?;
                self.directive = Some(self.loop_directive(d));
            }
        }
        if !matches!(
            s.kind,
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. }
        ) {
            self.directive = None;
        }
        self.undirected(s)?;
        self.logical.truncate(outside);
        Ok(())
    }

    /// Makes the variables that a directive reduces by `&&` or `||` 0 or 1, so that
    /// updates are those of bits.
    pub fn logical_reductions(&mut self, d: &Directive) -> Result<()> {
        for c in &d.clauses {
            let ClauseKind::Reduction {
                op: Reduction::And | Reduction::Or,
                vars,
            } = &c.kind
            else {
                continue;
            };
            for s in vars {
                let (Some(v), Some(e)) = (variable(s), &s.base.expr) else {
                    continue;
                };
                if self.logical.contains(&v) || !e.ty.is_integer() {
                    continue;
                }
                let p = self.place(e)?;
                let old = self.load(&p, e.span)?;
                let zero = self.zero(old.ty(self.ctx));
                let set = self.compare(BinaryOp::Ne, old, zero, &e.ty);
                let bit = self.bool_value(set, &e.ty);
                self.store(&p, bit, e.span)?;
                self.logical.push(v);
            }
        }
        Ok(())
    }

    /// `r = r && e` or `r = r || e` of a variable that is 0 or 1, where a directive says
    /// that it is reduced: the order does not matter, so `e` is evaluated in any case.
    pub fn logical_update(&mut self, target: &Expr, value: &Expr) -> Result<Option<Value>> {
        let ExprKind::Var(v) = target.kind else {
            return Ok(None);
        };
        if !self.logical.contains(&v) {
            return Ok(None);
        }
        let ExprKind::Logical { and, lhs, rhs } = &stripped(value).kind else {
            return Ok(None);
        };
        let is_target = |e: &Expr| matches!(stripped(e).kind, ExprKind::Var(x) if x == v);
        let other = match (is_target(lhs), is_target(rhs)) {
            (true, _) => rhs,
            (_, true) => lhs,
            _ => return Ok(None),
        };
        let set = self.condition(other)?;
        let bit = self.bool_value(set, &target.ty);
        let p = self.place(target)?;
        let old = self.load(&p, target.span)?;
        let name = if *and { "arith.andi" } else { "arith.ori" };
        let new = self.binary(name, old, bit);
        self.store(&p, new, target.span)?;
        Ok(Some(new))
    }

    pub fn loop_directive(&mut self, d: &Directive) -> LoopDirective {
        let mut entries: Vec<(&str, Attr)> = Vec::new();
        let mut private = Vec::new();
        let mut collapse = 1;
        let unit = self.ctx.unit();
        for c in &d.clauses {
            let sized = |l: &Self, a: Option<&Arg>| match a.and_then(|a| l.argument_value(a)) {
                Some(n) => l.ctx.i64_attr(n),
                None => unit,
            };
            match &c.kind {
                ClauseKind::Seq | ClauseKind::Host(_) => entries.push(("seq", unit)),
                ClauseKind::Auto => entries.push(("auto", unit)),
                ClauseKind::Independent => entries.push(("independent", unit)),
                ClauseKind::Gang { num, .. } => {
                    entries.push(("gang", sized(self, num.as_ref())));
                }
                ClauseKind::Worker(a) => entries.push(("worker", sized(self, a.as_ref()))),
                ClauseKind::Vector(a) => entries.push(("vector", sized(self, a.as_ref()))),
                ClauseKind::Collapse { count, .. } => {
                    if let Some(n) = self.argument_value(count) {
                        entries.push(("collapse", self.ctx.i64_attr(n)));
                        collapse = usize::try_from(n).unwrap_or(1);
                    }
                }
                ClauseKind::Tile(sizes) => {
                    let n: Vec<i64> = sizes
                        .iter()
                        .map(|a| a.as_ref().and_then(|a| self.argument_value(a)).unwrap_or(0))
                        .collect();
                    entries.push(("tile", self.ctx.i64_array(&n)));
                }
                ClauseKind::Reduction { .. } => entries.push(("reduction", unit)),
                ClauseKind::Private(vars) => {
                    private.extend(vars.iter().filter_map(variable));
                    entries.push(("private", unit));
                }
                _ => {}
            }
        }
        let entries: Vec<_> = entries
            .into_iter()
            .map(|(k, a)| (self.ctx.intern(k), a))
            .collect();
        LoopDirective {
            attr: self.ctx.dict_attr(entries),
            private,
            collapse,
        }
    }

    pub fn mark_loop(&mut self, op: Op, d: &LoopDirective) {
        op.set_attr(self.ctx, "acc.loop", d.attr);
    }

    /// A constant argument of a clause.
    pub fn argument_value(&self, a: &Arg) -> Option<i64> {
        match &a.expr {
            Some(e) => i64::try_from(self.constant(e)?).ok(),
            None => a.text.trim().parse().ok(),
        }
    }

    /// Gives the variables objects of their own; returns those they had.
    pub fn privatise(&mut self, vars: &[VarId]) -> Result<Vec<(VarId, Option<Object>)>> {
        let mut hidden = Vec::new();
        for v in vars {
            let var = self.unit.var(*v);
            hidden.push((*v, self.objects.get(v).cloned()));
            let o = self.local(*v, var)?;
            self.objects.insert(*v, o);
        }
        Ok(hidden)
    }

    /// Undoes [`Self::privatise`].
    pub fn unhide(&mut self, hidden: Vec<(VarId, Option<Object>)>) {
        for (v, o) in hidden {
            match o {
                Some(o) => self.objects.insert(v, o),
                None => self.objects.remove(&v),
            };
        }
    }

    /// What a compute directive says of scalars; `firstprivate` is what they are.
    pub fn scalars(&self, clauses: &[Clause]) -> Scalars {
        let mut s = Scalars::default();
        for c in clauses {
            match &c.kind {
                ClauseKind::Private(vars) => s.private.extend(vars.iter().filter_map(variable)),
                ClauseKind::Reduction { vars, .. }
                | ClauseKind::Data {
                    kind: DataKind::Copy | DataKind::Copyout | DataKind::Create | DataKind::Present,
                    vars,
                } => s.out.extend(vars.iter().filter_map(variable)),
                _ => {}
            }
        }
        s
    }

    pub fn stand_alone_directive(&mut self, d: DirectiveId) -> Result<()> {
        let d = self.unit.directive(d);
        match (&d.kind, self.mode) {
            // A hint.
            (DirectiveKind::Cache(_), _) => Ok(()),
            (_, Mode::Region) => Err(Refusal::new(
                d.span,
                "a directive that moves data or waits, inside a region",
            )),
            // The module has one memory.
            (_, Mode::Function) => Ok(()),
        }
    }

    /// The place of an atomic statement's variable, if it is memory.
    pub fn atomic_place(&mut self, e: &crate::hir::Expr) -> Result<Option<Place>> {
        let p = self.place(e)?;
        Ok(match &p.object {
            Object::Memory(_) | Object::Indirect(_) => Some(p),
            Object::Outer(_) if !p.subscripts.is_empty() => Some(p),
            _ => None,
        })
    }
}

/// The variable of a clause's entry.
pub fn variable(s: &Section) -> Option<VarId> {
    match s.base.expr.as_ref()?.kind {
        ExprKind::Var(v) => Some(v),
        _ => None,
    }
}
