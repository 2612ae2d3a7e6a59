//! The data clauses of a group's constructs, as those of one region.
//!
//! A variable that several constructs name must come to the same: the copies between them
//! fall away, so that what a construct would have thrown away (an array that is copied in
//! and written to, one that is only created) must not be seen by the next.

use super::super::walk;
use super::Construct;
use crate::directive::{Arg, Clause, ClauseKind, DataKind, Directive, Section};
use crate::hir::{Expr, ExprKind, Span, Stmt, StmtKind, Unit, VarId};

/// What the constructs say of one variable, or member.
struct Named<'h> {
    section: &'h Section,
    kinds: Vec<DataKind>,
    /// The constructs that name it.
    by: Vec<usize>,
}

/// Whether a clause is about data.
pub fn is_data(c: &Clause) -> bool {
    matches!(c.kind, ClauseKind::Data { .. })
}

/// The clauses of the region, if there are such.
pub fn of(unit: &Unit, run: &[Stmt], constructs: &[Construct]) -> Option<Vec<Clause>> {
    let directives: Vec<&Directive> = constructs.iter().map(|c| unit.directive(c.id)).collect();
    let mut all: Vec<Named> = Vec::new();
    for (i, (c, d)) in constructs.iter().zip(&directives).enumerate() {
        for (kind, s) in d.data() {
            if s.modifiers.iter().any(|m| m != "readonly") || !stays(unit, run, s) {
                return None;
            }
            // What it copies in and changes would be seen by the next construct.
            let thrown_away = matches!(kind, DataKind::Copyin);
            if thrown_away && writes(unit, c.stmt, s) {
                return None;
            }
            match all.iter_mut().find(|n| text(n.section) == text(s)) {
                Some(n) => {
                    let present = |k: &DataKind| *k == DataKind::Present;
                    let either = present(&kind) || n.kinds.iter().all(present);
                    if !either && dims(n.section) != dims(s) {
                        return None;
                    }
                    if n.kinds.iter().all(present) {
                        n.section = s;
                    }
                    n.kinds.push(kind);
                    n.by.push(i);
                }
                None => all.push(Named {
                    section: s,
                    kinds: vec![kind],
                    by: vec![i],
                }),
            }
        }
    }
    let mut out = Vec::new();
    for n in &all {
        let mut kind = together(&n.kinds)?;
        // One that names it need not use it.
        let mut others = constructs.iter().enumerate();
        let unnamed = others.any(|(i, c)| !n.by.contains(&i) && mentions(c.stmt, n.section));
        if kind != DataKind::Present && unnamed {
            // A construct that does not name it copies all that it touches, in and out.
            let copies = matches!(kind, DataKind::Copy | DataKind::Copyin | DataKind::Copyout);
            if !copies || !n.section.dims.is_empty() {
                return None;
            }
            kind = DataKind::Copy;
        }
        out.push(Clause {
            kind: ClauseKind::Data {
                kind,
                vars: vec![n.section.clone()],
            },
            span: n.section.span,
            device_type: Vec::new(),
        });
    }
    out.extend(default_of(&directives)?);
    Some(out)
}

/// One clause that does what several do.
fn together(kinds: &[DataKind]) -> Option<DataKind> {
    use DataKind as K;
    let all = |k: K| kinds.iter().all(|o| *o == k);
    let any = |k: K| kinds.contains(&k);
    let known = [
        K::Copy,
        K::Copyin,
        K::Copyout,
        K::Create,
        K::Present,
        K::Deviceptr,
    ];
    if !kinds.iter().all(|k| known.contains(k)) {
        return None;
    }
    if let Some(k) = known.into_iter().find(|k| all(*k)) {
        return Some(k);
    }
    if any(K::Deviceptr) {
        return None;
    }
    // It is there at one of them, so at all.
    if any(K::Present) {
        return Some(K::Present);
    }
    (!any(K::Create)).then_some(K::Copy)
}

/// The `default` clause of all of them; `None` where they differ.
fn default_of(directives: &[&Directive]) -> Option<Option<Clause>> {
    let present = |d: &&Directive| {
        let mut clauses = d.clauses.iter();
        let is = |c: &&Clause| matches!(c.kind, ClauseKind::Default { none: false });
        clauses.find(is).cloned()
    };
    let all: Vec<Option<Clause>> = directives.iter().map(present).collect();
    match all.iter().flatten().count() {
        0 => Some(None),
        n if n == all.len() => Some(all.into_iter().flatten().next()),
        _ => None,
    }
}

fn text(s: &Section) -> &str {
    s.base.text.trim()
}

/// The bounds of a section as written, without blanks.
fn dims(s: &Section) -> Vec<[Option<String>; 2]> {
    let written = |a: &Option<Arg>| {
        let text = a.as_ref()?.text.chars().filter(|c| !c.is_whitespace());
        Some(text.collect::<String>())
    };
    let start = |a: &Option<Arg>| written(a).filter(|t| t != "0");
    let mut all = s.dims.iter().map(|d| [start(&d.start), written(&d.length)]);
    all.by_ref().collect()
}

/// The variable that a clause's entry begins with.
fn root(s: &Section) -> Option<VarId> {
    let mut e = s.base.expr.as_ref()?;
    loop {
        match &e.kind {
            ExprKind::Var(v) => return Some(*v),
            ExprKind::Member { base, .. } => e = base,
            ExprKind::Decay(a) | ExprKind::Deref(a) | ExprKind::Cast(a) => e = a,
            _ => return None,
        }
    }
}

fn mentions(s: &Stmt, section: &Section) -> bool {
    let Some(v) = root(section) else {
        return true;
    };
    let mut found = false;
    walk::exprs(s, &mut |e| {
        found |= matches!(e.kind, ExprKind::Var(w) if w == v);
    });
    found
}

/// Whether a statement, or what it calls, may store to what a section names.
fn writes(unit: &Unit, s: &Stmt, section: &Section) -> bool {
    let Some(v) = root(section) else {
        return true;
    };
    let mut found = false;
    // Nor is a pointer to it followed.
    walk::stmts(s, &mut |s| {
        if let StmtKind::Decl(list) = &s.kind {
            let points = |(w, _): &(VarId, _)| unit.var(*w).ty.is_pointer();
            found |= list.iter().any(points) && mentions(s, section);
        }
    });
    walk::exprs(s, &mut |e| match &e.kind {
        ExprKind::Assign { target, value } if target.ty.is_pointer() => {
            found |= reaches(target, v) || reaches(value, v);
        }
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. } => found |= reaches(target, v),
        // What is handed to a function may be written there.
        ExprKind::Call { function, args } if unit.function(function).is_some() => {
            found |= args.iter().any(|a| a.ty.is_pointer() && reaches(a, v));
        }
        _ => {}
    });
    found
}

fn reaches(e: &Expr, v: VarId) -> bool {
    let mut found = false;
    walk::expr(e, &mut |e| {
        found |= matches!(e.kind, ExprKind::Var(w) if w == v);
    });
    found
}

/// Whether a section means the same throughout the statements as in front of them: its
/// variables are declared before and do not change.
fn stays(unit: &Unit, run: &[Stmt], s: &Section) -> bool {
    let bounds = s.dims.iter().flat_map(|d| d.start.iter().chain(&d.length));
    bounds.chain([&s.base]).all(|a| is_fixed(unit, run, a))
}

/// Whether an argument of a clause has the same value throughout the statements as in front of
/// them.
pub fn is_fixed(unit: &Unit, run: &[Stmt], a: &Arg) -> bool {
    let (Some(first), Some(last), Some(e)) = (run.first(), run.last(), &a.expr) else {
        return false;
    };
    let span = first.span.to(last.span);
    let mut vars = Vec::new();
    let mut plain = true;
    walk::expr(e, &mut |e| match e.kind {
        ExprKind::Var(v) => vars.push(v),
        ExprKind::Call { .. } | ExprKind::Unsupported(_) => plain = false,
        _ => {}
    });
    let mut changes = walk::Changes::default();
    run.iter().for_each(|s| changes.stmt(unit, s));
    let before = |v: &VarId| {
        let at: Span = unit.var(*v).span;
        !(span.start <= at.start && at.end <= span.end)
    };
    plain && vars.iter().all(|v| before(v) && !changes.vars.contains(v))
}
