//! Which of the scalars that the gangs of a region share are in memory while it runs.
//!
//! What is shared is a value while the region runs, handed in and out, where that comes
//! to the same. It is an element of memory where iterations of a loop that a directive
//! shares out change it, or where an atomic statement does.

use super::clauses::variable;
use super::sharing::{Part, Sharing, path};
use super::walk;
use crate::directive::{Atomic, Clause, ClauseKind, Compute, DirectiveKind};
use crate::hir::{Expr, ExprKind, Stmt, StmtKind, Storage, Unit, VarId};
use crate::types::Type;

/// The places where the region changes them. With several `gangs` each is in memory that is
/// not reduced.
pub fn places<'h>(unit: &'h Unit, sharing: &Sharing, s: &'h Stmt, gangs: bool) -> Vec<&'h Expr> {
    if !matches!(sharing.construct, Compute::Parallel | Compute::Kernels) {
        return Vec::new();
    }
    let mut w = Places {
        unit,
        sharing,
        gangs,
        calls: Vec::new(),
        found: Vec::new(),
    };
    w.stmt(s, &At::default());
    w.found
}

/// Where a statement stands.
#[derive(Debug, Default, Clone)]
struct At {
    /// In a loop whose iterations a directive shares out.
    loops: bool,
    /// Under `atomic`.
    atomic: bool,
    /// What loops around have copies of.
    hidden: Vec<VarId>,
    /// In a function that is called: its parameters and variables are its own, and others
    /// are the program's.
    called: bool,
}

struct Places<'h, 's> {
    unit: &'h Unit,
    sharing: &'s Sharing<'s>,
    gangs: bool,
    /// Functions that were gone through, and whether in a loop.
    calls: Vec<(&'h str, bool)>,
    found: Vec<&'h Expr>,
}

impl<'h> Places<'h, '_> {
    fn stmt(&mut self, s: &'h Stmt, at: &At) {
        let mut at = At {
            atomic: false,
            ..at.clone()
        };
        for d in &s.directives {
            let d = self.unit.directive(*d);
            let combined = matches!(d.kind, DirectiveKind::Compute { combined: true, .. });
            let is_loop = d.kind == DirectiveKind::Loop || combined;
            at.atomic |= matches!(&d.kind, DirectiveKind::Atomic(k) if *k != Atomic::Read);
            if is_loop && matches!(s.kind, StmtKind::For { .. }) {
                let sequential = |c: &Clause| matches!(c.kind, ClauseKind::Seq);
                at.loops |= !d.clauses.iter().any(sequential);
                for c in &d.clauses {
                    if let ClauseKind::Private(vars) | ClauseKind::Firstprivate(vars) = &c.kind {
                        at.hidden.extend(vars.iter().filter_map(variable));
                    }
                }
            }
        }
        match &s.kind {
            // The counter is the loop's.
            StmtKind::For { body, .. } => self.stmt(body, &at),
            StmtKind::Block(list) => {
                for c in list {
                    let atomic = at.atomic;
                    self.stmt_in(c, &at, atomic);
                }
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.expr(cond, &at);
                for c in std::iter::once(then).chain(otherwise) {
                    let atomic = at.atomic;
                    self.stmt_in(c, &at, atomic);
                }
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.expr(cond, &at);
                self.stmt(body, &at);
            }
            StmtKind::Switch { value, arms } => {
                self.expr(value, &at);
                for c in arms.iter().flat_map(|a| &a.body) {
                    self.stmt(c, &at);
                }
            }
            StmtKind::Label(_, s) => self.stmt(s, &at),
            _ => walk::exprs(s, &mut |e| self.one(e, &at)),
        }
    }

    /// A part of a statement that may be under `atomic` as a whole.
    fn stmt_in(&mut self, s: &'h Stmt, at: &At, atomic: bool) {
        match (&s.kind, atomic) {
            (StmtKind::Expr(e), true) => self.expr(e, at),
            _ => self.stmt(s, at),
        }
    }

    fn expr(&mut self, e: &'h Expr, at: &At) {
        walk::expr(e, &mut |e| self.one(e, at));
    }

    fn one(&mut self, e: &'h Expr, at: &At) {
        match &e.kind {
            ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec { target, .. } => self.target(target, at),
            ExprKind::Call { function, .. } => {
                let Some(f) = self.unit.function(function) else {
                    return;
                };
                if !self.calls.contains(&(function, at.loops)) {
                    self.calls.push((function, at.loops));
                    let at = At {
                        called: true,
                        hidden: Vec::new(),
                        ..*at
                    };
                    self.stmt(&f.body, &at);
                }
            }
            _ => {}
        }
    }

    fn target(&mut self, e: &'h Expr, at: &At) {
        let loops = at.loops && self.sharing.construct == Compute::Parallel;
        let Some((root, part)) = path(e).filter(|_| e.ty.is_arithmetic()) else {
            return;
        };
        let own = matches!(self.unit.var(root).storage, Storage::Local | Storage::Param);
        let taken = part != Part::Behind && at.hidden.contains(&root)
            || part == Part::Whole && self.sharing.is_reduced(root)
            || match at.called {
                true => own || !self.sharing.is_shared(root, part),
                false => self.sharing.is_own(root, part),
            };
        // An atomic operation works on a word, and what lies beside smaller scalars is not
        // the region's. As values they are right, in loops that run in order.
        let is_word = match &e.ty {
            Type::Int(i) => i.bits >= 32,
            ty => *ty != Type::Bool,
        };
        let changed = (at.atomic || loops) && is_word || self.gangs;
        if changed && !taken {
            self.found.push(e);
        }
    }
}
