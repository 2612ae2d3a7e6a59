//! Regions that run some iterations of their outermost loop at a time.
//!
//! ```c
//! for (t = 0; t < n; t++) S    =>    struct slice s = {0, n, n, work};
//!                                    do { target = terrace_slice(&trials, &s);
//!                                         if (target) the region, from s.from to s.to
//!                                         else { long i = s.from, e = s.to; for (t = i; t < e; t++) S }
//!                                         terrace_sliced(&trials, &s, target);
//!                                    } while ((s.from = s.to) < s.end);
//! ```
//!
//! A loop over time is often called once, so that there is no second call in which the C statement
//! could be tried. Its iterations are alike, and a few of them tell as much.

use terrace_c::hir::{BinaryOp, Expr, ExprKind, Span, Stmt, StmtKind, Unit};
use terrace_c::region::{CaptureKind, Region};
use terrace_c::types::Type;

use super::words;
use crate::c::visit::{changed, declared, expressions};
use crate::c::work::{self, first_value, variable};

/// What of a region's statement is written anew, so that a part of its iterations runs.
pub(in crate::c) struct Slices {
    /// The first value of the counter, and the condition under which it goes on.
    pub first: Span,
    pub goes_on: Span,
    counter: String,
    /// The counter's type.
    ty: &'static str,
    /// In C: the first iteration, and the one behind the last.
    pub from: String,
    pub end: String,
}

impl Slices {
    /// Of a region whose statement can run a part of its iterations.
    pub fn of(unit: &Unit, region: &Region) -> Option<Slices> {
        let body = &unit.functions.get(region.function)?.body;
        let all = work::statements(body, region);
        let [s] = all[..] else { return None };
        let StmtKind::For {
            init, cond, step, ..
        } = &s.kind
        else {
            return None;
        };
        let counter = work::Counter::of(unit, &[s]);
        let (var, first) = first_value(init.as_deref()?)?;
        let cond = cond.as_ref()?;
        if !counter.counts_by_one(step.as_ref()?, var) {
            return None;
        }
        let ExprKind::Binary { op, lhs, rhs } = &cond.kind else {
            return None;
        };
        if variable(lhs) != Some(var) {
            return None;
        }
        let behind = match op {
            BinaryOp::Lt => "",
            BinaryOp::Le => " + 1",
            _ => return None,
        };
        let own = unit.var(var);
        let Type::Int(ty) = &own.ty else { return None };
        let fits = |e: &Expr| match (&e.kind, &e.ty) {
            (ExprKind::Int(n), _) => *n >= 0,
            (_, Type::Int(other)) => other.signed == ty.signed,
            _ => false,
        };
        let texts = [first, &**rhs].map(|e| {
            let e = work::uncast(e);
            let text = unit.text(e.span);
            let known = counter.is_fixed(e) && fits(e) && !text.contains('\n');
            known.then(|| format!("(long)({text})"))
        });
        let [Some(from), Some(end)] = texts else {
            return None;
        };
        if ty.bits < 32 || !hands_all_on(unit, region, s) {
            return None;
        }
        Some(Slices {
            first: first.span,
            goes_on: cond.span,
            counter: own.name.clone(),
            ty: words::int_name(ty),
            from,
            end: format!("{end}{behind}"),
        })
    }

    /// What takes the places of the first value and of the condition, where the ends of a part
    /// are in these variables.
    pub fn header(&self, from: &str, to: &str) -> [String; 2] {
        let Slices { counter, ty, .. } = self;
        [format!("({ty}){from}"), format!("{counter} < ({ty}){to}")]
    }
}

/// Whether the program finds what a part of the iterations leaves for the next: variables that the region
/// begins with and changes are results, and no pointer moves that is the program's.
fn hands_all_on(unit: &Unit, region: &Region, s: &Stmt) -> bool {
    let mut own = Vec::new();
    declared(s, &mut own);
    let captures = || region.captures.iter().enumerate();
    let is_result = |i: usize| region.results.contains(&i);
    let begins = |name: &str| {
        let mut all = captures();
        all.any(|(i, c)| c.text == name && c.read && !is_result(i))
    };
    let mut good = captures().all(|(i, c)| {
        let changes = c.kind == CaptureKind::Scalar && c.read && c.written;
        !changes || is_result(i)
    });
    expressions(s, |e| {
        let Some(target) = changed(e) else { return };
        let var = match target.kind {
            ExprKind::Var(v) => Some(v),
            _ => None,
        };
        if var.is_some_and(|v| own.contains(&v)) {
            return;
        }
        let is_address = matches!(e.kind, ExprKind::AddressOf(_));
        good &= is_address || !target.ty.is_pointer();
        good &= !var.is_some_and(|v| begins(&unit.var(v).name));
    });
    good
}
