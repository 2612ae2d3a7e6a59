//! Which variables of the program a construct has copies of its own of: those of its
//! `private`, `firstprivate` and `reduction` clauses, the scalars that `parallel` and
//! `serial` have as `firstprivate` because nothing else is said (OpenACC 3.1, 2.6.2), and
//! the counters of the loops that a directive is about (2.6.1).

use super::implied;
use super::walk;
use crate::directive::{Clause, ClauseKind, Compute, Directive, DirectiveKind, Reduction, Section};
use crate::hir::{Expr, ExprKind, Stmt, StmtKind, Unit, VarId};
use crate::types::Type;

/// A variable that a construct has a copy of its own of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Own<'h> {
    pub var: VarId,
    pub start: Start,
    /// Of what a pointer points to, `p[0:n]`, or of an array: as the clause has it.
    pub section: Option<&'h Section>,
}

/// What the copy is at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Anything.
    Nothing,
    /// What the variable is.
    Value,
    /// What leaves the other operand as it is; the variable is combined with the copy's
    /// last value.
    Identity(Reduction),
}

/// The copies of a loop directive, or of the loop directive that a combined one is:
/// what `private` and `firstprivate` say, and the counters. The clauses' reductions are
/// the loop's own matter.
pub fn of_loop<'h>(unit: &Unit, d: &'h Directive, s: &'h Stmt) -> Vec<Own<'h>> {
    let mut all = Vec::new();
    for c in &d.clauses {
        listed(c, &mut all);
    }
    for (var, init) in counter_inits(d, s) {
        let read = init.is_some_and(|e| mentions(e, var));
        let start = if read { Start::Value } else { Start::Nothing };
        add(&mut all, var, start, None);
    }
    all.retain(|o| declared_outside(unit, o.var, s));
    all
}

/// The copies of a compute construct before its statement. `shared` says of which
/// scalars data around the construct holds the only copy.
pub fn of_construct<'h>(
    unit: &Unit,
    d: &'h Directive,
    s: &'h Stmt,
    shared: &dyn Fn(VarId) -> bool,
) -> Vec<Own<'h>> {
    let DirectiveKind::Compute {
        construct,
        combined,
    } = d.kind
    else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for c in &d.clauses {
        listed(c, &mut all);
        // Of a combined directive it is the loop's: what the loop adds up is the same.
        if let (ClauseKind::Reduction { op, vars }, false) = (&c.kind, combined) {
            for s in vars.iter().filter(|s| s.dims.is_empty()) {
                let Some(e) = s.base.expr.as_ref() else {
                    continue;
                };
                if let (ExprKind::Var(v), true) = (&e.kind, e.ty.is_arithmetic()) {
                    add(&mut all, *v, Start::Identity(*op), None);
                }
            }
        }
    }
    if combined {
        for o in of_loop(unit, d, s) {
            add(&mut all, o.var, o.start, o.section);
        }
    }
    if matches!(construct, Compute::Parallel | Compute::Serial) {
        let out = named_outside(unit, d, s);
        let implied = implied::reductions(unit, s);
        for var in changed(s) {
            if !out.contains(&var) && !implied.iter().any(|r| r.0 == var) && !shared(var) {
                add(&mut all, var, Start::Value, None);
            }
        }
    }
    all.retain(|o| declared_outside(unit, o.var, s));
    all
}

/// The counters of the loops that a directive is about, which are private to an
/// iteration, apart from those of `seq`: such a loop is one thread's, as without the
/// directive.
pub fn counters(d: &Directive, s: &Stmt) -> Vec<VarId> {
    counter_inits(d, s).into_iter().map(|c| c.0).collect()
}

fn counter_inits<'h>(d: &Directive, s: &'h Stmt) -> Vec<(VarId, Option<&'h Expr>)> {
    let is_loop = matches!(
        d.kind,
        DirectiveKind::Loop | DirectiveKind::Compute { combined: true, .. }
    );
    let in_order = |c: &Clause| matches!(c.kind, ClauseKind::Seq | ClauseKind::Host(_));
    if !is_loop || d.clauses.iter().any(in_order) {
        return Vec::new();
    }
    let mut depth = 1;
    for c in &d.clauses {
        let loops = match &c.kind {
            ClauseKind::Collapse { count, .. } => {
                let n = count.expr.as_ref().map(|e| &e.kind);
                match n {
                    Some(ExprKind::Int(n)) => usize::try_from(*n).unwrap_or(1),
                    _ => count.text.trim().parse().unwrap_or(1),
                }
            }
            ClauseKind::Tile(sizes) => sizes.len(),
            _ => 1,
        };
        depth = depth.max(loops);
    }
    let mut found = Vec::new();
    let mut at = Some(s);
    while let (Some(s), true) = (at, found.len() < depth) {
        let StmtKind::For {
            init, step, body, ..
        } = &s.kind
        else {
            break;
        };
        let first = init.as_deref().and_then(|i| match &i.kind {
            StmtKind::Expr(e) => Some(e),
            _ => None,
        });
        let counter = step.as_ref().and_then(target).or_else(|| {
            let first = first?;
            target(first)
        });
        // One that the loop itself declares is nobody else's anyway.
        found.extend(counter.map(|v| (v, first)));
        at = first_loop(body);
    }
    found
}

/// The loop that a loop's body is, or begins with where `force` lets others stand there.
fn first_loop(body: &Stmt) -> Option<&Stmt> {
    match &body.kind {
        StmtKind::For { .. } => Some(body),
        StmtKind::Block(list) => list.iter().find_map(first_loop),
        _ => None,
    }
}

/// The variable that an expression assigns.
fn target(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. } => match target.kind {
            ExprKind::Var(v) => Some(v),
            _ => None,
        },
        ExprKind::Comma(a, b) => target(a).or_else(|| target(b)),
        ExprKind::Cast(a) => target(a),
        _ => None,
    }
}

/// What a `private` or `firstprivate` clause lists.
fn listed<'h>(c: &'h Clause, all: &mut Vec<Own<'h>>) {
    let (vars, start) = match &c.kind {
        ClauseKind::Private(vars) => (vars, Start::Nothing),
        ClauseKind::Firstprivate(vars) => (vars, Start::Value),
        _ => return,
    };
    for s in vars {
        let Some(e) = s.base.expr.as_ref().map(undecayed) else {
            continue;
        };
        if let ExprKind::Var(v) = e.kind {
            let memory = !s.dims.is_empty() || matches!(e.ty, Type::Array(_));
            add(all, v, start, memory.then_some(s));
        }
    }
}

fn undecayed(mut e: &Expr) -> &Expr {
    while let ExprKind::Decay(array) = &e.kind {
        e = array;
    }
    e
}

fn add<'h>(all: &mut Vec<Own<'h>>, var: VarId, start: Start, section: Option<&'h Section>) {
    if all.iter().all(|o| o.var != var) {
        all.push(Own {
            var,
            start,
            section,
        });
    }
}

/// The scalars whose value a clause of the construct, or a reduction of a loop in it,
/// brings out.
fn named_outside(unit: &Unit, d: &Directive, s: &Stmt) -> Vec<VarId> {
    let mut out = Vec::new();
    let mut take = |vars: &[Section]| {
        for s in vars.iter().filter(|s| s.dims.is_empty()) {
            if let Some(ExprKind::Var(v)) = s.base.expr.as_ref().map(|e| &e.kind) {
                out.push(*v);
            }
        }
    };
    for c in &d.clauses {
        if let ClauseKind::Data { vars, .. } | ClauseKind::Reduction { vars, .. } = &c.kind {
            take(vars);
        }
    }
    walk::stmts(s, &mut |s| {
        for d in &s.directives {
            for c in &unit.directive(*d).clauses {
                if let ClauseKind::Reduction { vars, .. } = &c.kind {
                    take(vars);
                }
            }
        }
    });
    out
}

/// The scalars that a statement assigns by name, or whose address it takes, in order.
fn changed(s: &Stmt) -> Vec<VarId> {
    let mut found = Vec::new();
    walk::exprs(s, &mut |e| {
        let object = match &e.kind {
            ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec { target, .. } => target,
            ExprKind::AddressOf(object) => object,
            _ => return,
        };
        if let ExprKind::Var(v) = object.kind
            && (object.ty.is_scalar() || matches!(object.ty, Type::Other(_)))
            && !found.contains(&v)
        {
            found.push(v);
        }
    });
    found
}

fn declared_outside(unit: &Unit, v: VarId, s: &Stmt) -> bool {
    let at = unit.var(v).span;
    !(s.span.start <= at.start && at.end <= s.span.end)
}

fn mentions(e: &Expr, v: VarId) -> bool {
    let ExprKind::Assign { value, .. } = &e.kind else {
        return true;
    };
    let mut found = false;
    walk::expr(value, &mut |e| {
        found |= matches!(e.kind, ExprKind::Var(w) if w == v)
    });
    found
}
