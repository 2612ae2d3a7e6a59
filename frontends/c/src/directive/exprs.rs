//! The expressions that clauses have in them.

use super::{Arg, Clause, ClauseKind, Section};
use crate::hir::Expr;

impl Clause {
    /// Calls `f` with each expression of the clause whose names were resolved: its
    /// arguments, variables, and the bounds of sections.
    pub fn each_expr<'d>(&'d self, f: &mut dyn FnMut(&'d Expr)) {
        match &self.kind {
            ClauseKind::Gang { num, dim, size } => {
                [num, dim, size]
                    .into_iter()
                    .flatten()
                    .for_each(|a| arg(a, f));
            }
            ClauseKind::Worker(a)
            | ClauseKind::Vector(a)
            | ClauseKind::SelfCondition(a)
            | ClauseKind::Async(a)
            | ClauseKind::Host(a)
            | ClauseKind::Unroll(a) => a.iter().for_each(|a| arg(a, f)),
            ClauseKind::Collapse { count: a, .. }
            | ClauseKind::If(a)
            | ClauseKind::NumWorkers(a)
            | ClauseKind::VectorLength(a)
            | ClauseKind::Bind(a)
            | ClauseKind::DeviceNum(a)
            | ClauseKind::DefaultAsync(a) => arg(a, f),
            ClauseKind::Tile(all) => all.iter().flatten().for_each(|a| arg(a, f)),
            ClauseKind::Wait(all) | ClauseKind::NumGangs(all) => all.iter().for_each(|a| arg(a, f)),
            ClauseKind::Reduction { vars, .. }
            | ClauseKind::Private(vars)
            | ClauseKind::Firstprivate(vars)
            | ClauseKind::Data { vars, .. }
            | ClauseKind::UseDevice(vars) => vars.iter().for_each(|s| section(s, f)),
            ClauseKind::Seq
            | ClauseKind::Auto
            | ClauseKind::Independent
            | ClauseKind::IfPresent
            | ClauseKind::Finalize
            | ClauseKind::Default { .. }
            | ClauseKind::NoHost
            | ClauseKind::Kernel => {}
        }
    }
}

fn arg<'d>(a: &'d Arg, f: &mut dyn FnMut(&'d Expr)) {
    if let Some(e) = &a.expr {
        f(e);
    }
}

fn section<'d>(s: &'d Section, f: &mut dyn FnMut(&'d Expr)) {
    arg(&s.base, f);
    for d in &s.dims {
        for a in [&d.start, &d.length].into_iter().flatten() {
            arg(a, f);
        }
    }
}
