//! Which scalars around a region its gangs share, and which of those are in memory.
//!
//! A scalar that a data clause of the construct, a `data` construct around it or a
//! visible `declare` names is shared; so is one without a clause under `kernels`. Any
//! other is each gang's own under `parallel` and `serial` (OpenACC 3.1, 2.6.2). Members
//! of records are part of an aggregate, which is shared.
//!
//! What is shared is a value while the region runs, handed in and out, where that comes
//! to the same. It is an element of memory where iterations of a loop that a directive
//! shares out change it, or where an atomic statement does.

use rustc_hash::FxHashSet;

use super::clauses::variable;
use super::{RegionRequest, implied, walk};
use crate::directive::{Atomic, Clause, ClauseKind, Compute, Directive, DirectiveKind};
use crate::hir::{Expr, ExprKind, Span, Stmt, StmtKind, Storage, Unit, VarId};
use crate::types::Type;

/// What directives say of the scalars around a region.
#[derive(Debug)]
pub struct Shared {
    construct: Compute,
    /// Data clauses of the construct, around it, and of `declare` name them.
    named: FxHashSet<VarId>,
    /// Of the construct's `private` and `firstprivate` clauses.
    own: FxHashSet<VarId>,
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

impl Shared {
    pub fn of(unit: &Unit, request: &RegionRequest) -> Shared {
        let mut s = Shared {
            construct: request.construct,
            named: FxHashSet::default(),
            own: FxHashSet::default(),
        };
        for id in &unit.file_directives {
            s.data_of(unit.directive(*id), DirectiveKind::Declare);
        }
        let body = &unit.functions[request.function].body;
        let region = request.stmt.span;
        walk::stmts(body, &mut |o| {
            let around = o.span.start <= region.start && region.end <= o.span.end;
            if !around {
                return;
            }
            for id in &o.directives {
                s.data_of(unit.directive(*id), DirectiveKind::Data);
            }
            for id in declared_in(o, region) {
                s.data_of(unit.directive(id), DirectiveKind::Declare);
            }
        });
        if let Some(d) = request.directive.map(|d| unit.directive(d)) {
            s.named.extend(d.clauses.iter().flat_map(data_variables));
            for c in &d.clauses {
                if let ClauseKind::Private(vars) | ClauseKind::Firstprivate(vars) = &c.kind {
                    s.own.extend(vars.iter().filter_map(variable));
                }
            }
        }
        s
    }

    fn data_of(&mut self, d: &Directive, kind: DirectiveKind) {
        if d.kind == kind {
            self.named.extend(d.clauses.iter().flat_map(data_variables));
        }
    }

    /// Whether a new value of the variable, or of what `part` of it is meant, is seen by
    /// others than the gang that made it.
    pub fn is_shared(&self, v: VarId, part: Part) -> bool {
        match self.construct {
            _ if part == Part::Behind => true,
            _ if self.own.contains(&v) => false,
            Compute::Auto | Compute::Kernels => true,
            Compute::Parallel | Compute::Serial => part == Part::Member || self.named.contains(&v),
        }
    }

    /// Whether a clause of the construct makes the variable a gang's own.
    pub fn is_own(&self, v: VarId) -> bool {
        self.own.contains(&v)
    }

    /// Whether scalars may be in memory at all.
    pub fn has_memory(&self) -> bool {
        self.construct != Compute::Auto
    }

    /// The shared scalars that are in memory while the region runs: places where it
    /// changes it. With several `gangs` that is each that is not reduced.
    pub fn in_memory<'h>(&self, unit: &'h Unit, s: &'h Stmt, gangs: bool) -> Vec<&'h Expr> {
        if !matches!(self.construct, Compute::Parallel | Compute::Kernels) {
            return Vec::new();
        }
        let mut w = Places {
            unit,
            shared: self,
            gangs,
            reduced: implied::reductions(unit, s)
                .into_iter()
                .map(|r| r.0)
                .collect(),
            calls: Vec::new(),
            found: Vec::new(),
        };
        walk::stmts(s, &mut |s| {
            for d in &s.directives {
                for c in &unit.directive(*d).clauses {
                    if let ClauseKind::Reduction { vars, .. } = &c.kind {
                        w.reduced.extend(vars.iter().filter_map(variable));
                    }
                }
            }
        });
        w.stmt(s, &At::default());
        w.found
    }
}

/// The `declare` directives of a block that come before `region`.
fn declared_in(block: &Stmt, region: Span) -> Vec<crate::hir::DirectiveId> {
    let StmtKind::Block(list) = &block.kind else {
        return Vec::new();
    };
    let before = list.iter().take_while(|s| s.span.start < region.start);
    before
        .filter_map(|s| match s.kind {
            StmtKind::Directive(id) => Some(id),
            _ => None,
        })
        .collect()
}

fn data_variables(c: &Clause) -> impl Iterator<Item = VarId> {
    let vars = match &c.kind {
        ClauseKind::Data { vars, .. } => vars.as_slice(),
        _ => &[],
    };
    vars.iter().filter_map(variable)
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
    /// In a function that is called: its parameters and variables are its own.
    called: bool,
}

struct Places<'h, 's> {
    unit: &'h Unit,
    shared: &'s Shared,
    gangs: bool,
    /// What becomes a value of each gang that is combined at the end.
    reduced: Vec<VarId>,
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
                        ..at.clone()
                    };
                    self.stmt(&f.body, &at);
                }
            }
            _ => {}
        }
    }

    fn target(&mut self, e: &'h Expr, at: &At) {
        let loops = at.loops && self.shared.construct == Compute::Parallel;
        let Some((root, part)) = path(e).filter(|_| e.ty.is_arithmetic()) else {
            return;
        };
        let own = matches!(self.unit.var(root).storage, Storage::Local | Storage::Param);
        let taken = part != Part::Behind && at.hidden.contains(&root)
            || part == Part::Whole && self.reduced.contains(&root)
            || at.called && own;
        // An atomic operation works on a word, and what lies beside smaller scalars is not
        // the region's. As values they are right, in loops that run in order.
        let is_word = match &e.ty {
            Type::Int(i) => i.bits >= 32,
            ty => *ty != Type::Bool,
        };
        let changed = (at.atomic || loops) && is_word || self.gangs;
        if changed && !taken && self.shared.is_shared(root, part) {
            self.found.push(e);
        }
    }
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
