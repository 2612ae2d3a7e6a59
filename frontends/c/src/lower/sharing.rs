//! Who has a variable of the program that a compute construct, or a loop directive, is
//! about: each gang or iteration a copy of its own, and what that is at first, or all of
//! them the same.
//!
//! Own are those of `private` and `firstprivate` clauses, and the counters of the loops
//! that a directive is about (OpenACC 3.1, 2.6.1). A scalar that a data clause of the
//! construct, a `data` construct around it or a visible `declare` names is shared; so is
//! one without a clause under `kernels`. Any other is each gang's own under `parallel` and
//! `serial` (2.6.2), unless it is a reduction. Members of records are part of an aggregate,
//! which is shared.
//!
//! That is what the text of the construct means by a name. Functions that it calls mean the
//! program's variable.

use rustc_hash::FxHashSet;

use super::clauses::variable;
use super::{counters, implied, walk};
use crate::directive::{Clause, ClauseKind, Compute, Directive, DirectiveKind, Reduction, Section};
use crate::hir::{DirectiveId, Expr, ExprKind, Span, Stmt, StmtKind, Unit, VarId};
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

/// What a path from a variable leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// A member of the variable.
    Member,
    /// Of what a pointer points to that the variable is or holds.
    Behind,
}

/// What directives say of the variables around a construct.
#[derive(Debug)]
pub struct Sharing<'h> {
    pub(super) construct: Compute,
    /// Data clauses of the construct, around it, and of `declare` name them.
    named: FxHashSet<VarId>,
    /// Of the construct's `private` and `firstprivate` clauses.
    own: Vec<Own<'h>>,
    /// Those of them that are no objects of their own in a region: arrays and records that
    /// begin as the program's.
    in_place: Vec<VarId>,
    /// Scalars whose values clauses or the loops' updates combine, and which are then the
    /// program's.
    reduced: Vec<(VarId, Reduction)>,
}

impl<'h> Sharing<'h> {
    /// Of the construct that has directive `d`, if any, before statement `s`.
    pub fn of(
        unit: &'h Unit,
        construct: Compute,
        d: Option<&'h Directive>,
        s: &'h Stmt,
    ) -> Sharing<'h> {
        let mut sharing = Sharing {
            construct,
            named: FxHashSet::default(),
            own: Vec::new(),
            in_place: Vec::new(),
            reduced: Vec::new(),
        };
        sharing.named_around(unit, s.span);
        for c in d.iter().flat_map(|d| &d.clauses) {
            sharing.named.extend(data_variables(c));
            listed(c, &mut sharing.own);
        }
        let in_place = |o: &&Own| o.start == Start::Value && !unit.var(o.var).ty.is_arithmetic();
        sharing.in_place = sharing.own.iter().filter(in_place).map(|o| o.var).collect();
        d.iter().for_each(|d| sharing.reduce(reductions(d)));
        walk::stmts(s, &mut |s| {
            for d in &s.directives {
                sharing.reduce(reductions(unit.directive(*d)));
            }
        });
        sharing.reduce(implied::reductions(unit, s));
        sharing
    }

    fn named_around(&mut self, unit: &Unit, region: Span) {
        let around = |s: Span| s.start <= region.start && region.end <= s.end;
        let mut data = |id: &DirectiveId, kind: DirectiveKind| {
            let d = unit.directive(*id);
            if d.kind == kind {
                self.named.extend(d.clauses.iter().flat_map(data_variables));
            }
        };
        for id in &unit.file_directives {
            data(id, DirectiveKind::Declare);
        }
        let Some(f) = unit.functions.iter().find(|f| around(f.span)) else {
            return;
        };
        walk::stmts(&f.body, &mut |o| {
            if around(o.span) {
                o.directives
                    .iter()
                    .for_each(|id| data(id, DirectiveKind::Data));
                declared_in(o, region).for_each(|id| data(id, DirectiveKind::Declare));
            }
        });
    }

    fn reduce(&mut self, more: impl IntoIterator<Item = (VarId, Reduction)>) {
        for (v, op) in more {
            if !self.is_listed(v) && !self.is_reduced(v) {
                self.reduced.push((v, op));
            }
        }
    }

    fn is_listed(&self, v: VarId) -> bool {
        self.own.iter().any(|o| o.var == v)
    }

    /// Whether what the construct's text calls `v`, or the part of it that is meant, is each
    /// gang's own.
    pub fn is_own(&self, v: VarId, part: Part) -> bool {
        part != Part::Behind && (self.is_listed(v) || !self.is_shared(v, part))
    }

    /// Whether a new value of the program's variable, or of what `part` of it is meant, is
    /// seen by others than the gang that made it. Of one that the construct has copies of,
    /// only the functions that it calls make new values.
    pub fn is_shared(&self, v: VarId, part: Part) -> bool {
        match self.construct {
            _ if part != Part::Behind && self.in_place.contains(&v) => false,
            Compute::Auto | Compute::Kernels => true,
            Compute::Parallel | Compute::Serial => part != Part::Whole || self.named.contains(&v),
        }
    }

    /// Whether the variable's value is combined from those of gangs or iterations.
    pub fn is_reduced(&self, v: VarId) -> bool {
        self.reduced.iter().any(|r| r.0 == v)
    }

    pub fn reduced(&self) -> &[(VarId, Reduction)] {
        &self.reduced
    }

    /// What clauses of the construct list of which a region has objects beside the program's.
    pub fn objects(&self) -> impl Iterator<Item = &Own<'h>> {
        let beside = |o: &&Own| !self.in_place.contains(&o.var);
        self.own.iter().filter(beside)
    }

    /// What they list that begins as the program's and is no scalar.
    pub fn in_place(&self) -> &[VarId] {
        &self.in_place
    }

    /// The copies of the construct that has directive `d` before statement `s`, those that
    /// no clause lists too.
    pub fn copies(&self, unit: &Unit, d: &'h Directive, s: &'h Stmt) -> Vec<Own<'h>> {
        let combined = matches!(d.kind, DirectiveKind::Compute { combined: true, .. });
        let mut all = self.own.clone();
        if combined {
            // Its reductions are the loop's: what that adds up is the same.
            of_loop(unit, d, s)
                .into_iter()
                .for_each(|o| add(&mut all, o));
        } else {
            for (v, op) in reductions(d) {
                add(&mut all, Own::of(v, Start::Identity(op)));
            }
        }
        for v in changed(s) {
            if self.is_own(v, Part::Whole) && !self.is_reduced(v) {
                add(&mut all, Own::of(v, Start::Value));
            }
        }
        all.retain(|o| declared_outside(unit, o.var, s));
        all
    }
}

impl Own<'_> {
    fn of(var: VarId, start: Start) -> Self {
        Own {
            var,
            start,
            section: None,
        }
    }
}

/// The copies of a loop directive, or of the loop directive that a combined one is:
/// what `private` and `firstprivate` say, and the counters. The clauses' reductions are
/// the loop's own matter.
pub fn of_loop<'h>(unit: &Unit, d: &'h Directive, s: &'h Stmt) -> Vec<Own<'h>> {
    let mut all = Vec::new();
    for c in &d.clauses {
        listed(c, &mut all);
    }
    for (var, init) in counters::with_starts(d, s) {
        let read = init.is_some_and(|e| mentions(e, var));
        let start = if read { Start::Value } else { Start::Nothing };
        add(&mut all, Own::of(var, start));
    }
    all.retain(|o| declared_outside(unit, o.var, s));
    all
}

/// The scalars that `reduction` clauses of a directive list.
pub fn reductions(d: &Directive) -> impl Iterator<Item = (VarId, Reduction)> {
    d.clauses.iter().flat_map(|c| {
        let (op, vars) = match &c.kind {
            ClauseKind::Reduction { op, vars } => (*op, vars.as_slice()),
            _ => (Reduction::Add, Default::default()),
        };
        let is_scalar = |s: &&Section| {
            s.dims.is_empty() && s.base.expr.as_ref().is_some_and(|e| e.ty.is_arithmetic())
        };
        let vars = vars.iter().filter(is_scalar).filter_map(variable);
        vars.map(move |v| (v, op))
    })
}

/// The `declare` directives of a block that come before `region`.
fn declared_in(block: &Stmt, region: Span) -> impl Iterator<Item = &DirectiveId> {
    let list = match &block.kind {
        StmtKind::Block(list) => list.as_slice(),
        _ => &[],
    };
    let before = list.iter().take_while(move |s| s.span.start < region.start);
    before.filter_map(|s| match &s.kind {
        StmtKind::Directive(id) => Some(id),
        _ => None,
    })
}

/// The variables that a data clause names themselves: not what they point to.
fn data_variables(c: &Clause) -> impl Iterator<Item = VarId> {
    let vars = match &c.kind {
        ClauseKind::Data { vars, .. } => vars.as_slice(),
        _ => &[],
    };
    let themselves = vars.iter().filter(|s| s.dims.is_empty());
    themselves.filter_map(variable)
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
        if let ExprKind::Var(var) = e.kind {
            let memory = !s.dims.is_empty() || matches!(e.ty, Type::Array(_));
            let section = memory.then_some(s);
            add(
                all,
                Own {
                    section,
                    ..Own::of(var, start)
                },
            );
        }
    }
}

fn undecayed(mut e: &Expr) -> &Expr {
    while let ExprKind::Decay(array) = &e.kind {
        e = array;
    }
    e
}

fn add<'h>(all: &mut Vec<Own<'h>>, new: Own<'h>) {
    if all.iter().all(|o| o.var != new.var) {
        all.push(new);
    }
}

/// The scalars that a statement assigns by name, or whose address it takes, in order.
pub fn changed(s: &Stmt) -> Vec<VarId> {
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

/// Whether a variable is declared outside of a statement.
pub fn declared_outside(unit: &Unit, v: VarId, s: &Stmt) -> bool {
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

/// The variable that a path of members starts from, and what the path leads to.
pub fn path(e: &Expr) -> Option<(VarId, Part)> {
    match &e.kind {
        ExprKind::Var(v) => Some((*v, Part::Whole)),
        ExprKind::Member { base, .. } => {
            let (v, part) = path(base)?;
            Some((
                v,
                if part == Part::Whole {
                    Part::Member
                } else {
                    part
                },
            ))
        }
        ExprKind::Deref(p) => Some((path(p)?.0, Part::Behind)),
        _ => None,
    }
}
