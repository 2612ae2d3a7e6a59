//! Directives on statements inside regions and functions.

use terrace_dialects::arith::AtomicRmwKind;
use terrace_dialects::attributes::{ACC_LOOP, ACC_REDUCTIONS};
use terrace_ir::{Attr, Op, Value};

use super::core::Mode;
use super::env::{CellId, PointerId, PointerVar, Target};
use super::form::Form;
use super::gangs::is_shared_loop;
use super::place::{LValue, Object};
use super::{Lowerer, Refusal, Result, counters, walk};
use crate::directive::{Arg, Clause, ClauseKind, Directive, DirectiveKind, Reduction, Section};
use crate::hir::{DirectiveId, Expr, ExprKind, Span, Stmt, StmtKind, VarId};
use crate::types::Type;

/// What counters were before a loop that is shared out.
#[derive(Debug, Default)]
pub struct CountersKept {
    cells: Vec<(CellId, Option<Value>)>,
    pointers: Vec<(PointerId, Target)>,
}

/// What a loop directive says of the loop that follows.
#[derive(Debug, Clone)]
pub struct LoopDirective {
    /// The content of `acc.loop`.
    pub attr: Attr,
    pub private: Vec<VarId>,
    /// The scalars that its reductions combine.
    pub reductions: Vec<(VarId, Reduction)>,
    /// How many loops the directive is about.
    pub collapse: usize,
    /// How many loops it is about wherever they stand inside one another
    /// (`collapse(force: n)`), this one counted; 0 or 1 for none.
    pub force: usize,
    /// Iterations are shared among gangs, and those of a gang are one after another if
    /// `alone`.
    pub gangs: bool,
    pub alone: bool,
}

impl Lowerer<'_> {
    /// A statement with its directives.
    pub fn directed(&mut self, s: &Stmt) -> Result<()> {
        if s.directives.is_empty() {
            return self.undirected(s);
        }
        let unit = self.unit;
        let outside = self.logical.len();
        let kept = self.counters_kept(s);
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
        self.give_back(kept);
        self.logical.truncate(outside);
        Ok(())
    }

    /// What the counters of the loops that the directives of a statement are about hold:
    /// in a loop that is shared out each iteration has its own.
    pub fn counters_kept(&self, s: &Stmt) -> CountersKept {
        let unit = self.unit;
        let counters = s
            .directives
            .iter()
            .flat_map(|d| counters::of_directive(unit.directive(*d), s));
        let mut kept = CountersKept::default();
        for object in counters.filter_map(|v| self.known_object(v)) {
            let cell = match object {
                Object::Cell(c) => Some(c),
                Object::Outer(o) => self.outers[o].cell,
                Object::Pointer(p) => {
                    kept.pointers.push((p, self.env.pointers[p.0].clone()));
                    None
                }
                _ => None,
            };
            kept.cells.extend(cell.map(|c| (c, self.env.cells[c.0])));
        }
        kept
    }

    /// Undoes what happened to the counters since [`Self::counters_kept`].
    pub fn give_back(&mut self, kept: CountersKept) {
        for (cell, value) in kept.cells {
            self.env.cells[cell.0] = value;
        }
        for (pointer, target) in kept.pointers {
            self.env.pointers[pointer.0] = target;
        }
    }

    pub fn loop_directive(&mut self, d: &Directive) -> LoopDirective {
        let mut entries: Vec<(&str, Attr)> = Vec::new();
        let mut private = Vec::new();
        let (mut collapse, mut force) = (1, 0);
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
                // Each loop by itself is as good, and needs nothing moved between them.
                ClauseKind::Collapse { count, force: true } => {
                    let n = self.argument_value(count).unwrap_or(1);
                    force = usize::try_from(n).unwrap_or(1);
                }
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
                    for s in vars {
                        let Some(v) = variable(s) else { continue };
                        private.push(v);
                        self.remember_section(v, s);
                    }
                    entries.push(("private", unit));
                }
                _ => {}
            }
        }
        let entries: Vec<_> = entries
            .into_iter()
            .map(|(k, a)| (self.ctx.intern(k), a))
            .collect();
        let has = |is: fn(&ClauseKind) -> bool| d.clauses.iter().any(|c| is(&c.kind));
        LoopDirective {
            attr: self.ctx.dict_attr(entries),
            private,
            reductions: super::sharing::reductions(d).collect(),
            collapse,
            force,
            gangs: is_shared_loop(d),
            alone: !has(|c| matches!(c, ClauseKind::Worker(_) | ClauseKind::Vector(_))),
        }
    }

    /// The directive of a loop that one around it is about by `collapse(force: n)`.
    pub fn forced_directive(&mut self) -> Option<LoopDirective> {
        let (words, force) = self.forced.take()?;
        Some(LoopDirective {
            attr: words,
            private: Vec::new(),
            reductions: Vec::new(),
            collapse: 1,
            force,
            gangs: false,
            alone: false,
        })
    }

    /// What a loop's directive says of loops inside it, if it does.
    pub fn forced_inside(&self, d: Option<&LoopDirective>) -> Option<(Attr, usize)> {
        let d = d.filter(|d| d.force > 1)?;
        let kept = d
            .attr
            .as_dict(self.ctx)?
            .iter()
            .copied()
            .filter(|(k, _)| matches!(self.ctx.str(*k), "seq" | "auto" | "independent"));
        Some((self.ctx.dict_attr(kept.collect::<Vec<_>>()), d.force - 1))
    }

    /// Keeps the part of what a pointer points to that a `private` clause names.
    pub fn remember_section(&mut self, v: VarId, s: &Section) {
        if let [dim] = s.dims.as_slice() {
            self.private_sections.insert(v, dim.clone());
        }
    }

    /// `private(p[first:n])`: p points to n elements of its own.
    fn private_section(&mut self, v: VarId, span: Span) -> Result<Object> {
        let var = self.unit.var(v);
        let refusal = || Refusal::new(span, format!("the private pointer '{}'", var.name));
        let Type::Pointer(pointer) = &var.ty else {
            return Err(refusal());
        };
        // `private(p)`: the pointer alone.
        let Some(dim) = self.private_sections.get(&v).cloned() else {
            return self.local(v, var);
        };
        let elem = self.scalar_type(&pointer.to, span)?;
        let number = |l: &mut Self, a: &Option<Arg>| -> Result<Option<Form>> {
            let Some(e) = a.as_ref().and_then(|a| a.expr.as_ref()) else {
                return Ok(None);
            };
            let n = l.expr(e)?;
            Ok(Some(l.form(n, &e.ty)))
        };
        let first = number(self, &dim.start)?.unwrap_or_else(|| Form::constant(0));
        let length = match dim.single {
            true => Form::constant(1),
            false => number(self, &dim.length)?.ok_or_else(refusal)?,
        };
        let size = self.index(&length);
        let object = self.allocated(elem, &[Some(size)], &var.name, span)?;
        let id = self.pointer_var(PointerVar {
            root: Some(v),
            path: Vec::new(),
            name: var.name.clone(),
        });
        self.env.pointers[id.0] = Target::Known {
            object,
            subscripts: vec![Form::constant(0).sub(&first)],
            null: None,
        };
        Ok(Object::Pointer(id))
    }

    pub fn mark_loop(&mut self, op: Op, d: &LoopDirective) {
        op.set_attr(self.ctx, ACC_LOOP, d.attr);
    }

    /// Notes which of the values that a loop carries its reductions combine, and how.
    pub fn mark_reductions(&mut self, op: Op, d: &LoopDirective, carried: &[CellId]) {
        let mut kinds = vec![-1; op.num_results(self.ctx)];
        for (v, reduction) in &d.reductions {
            let cell = match self.known_object(*v) {
                Some(Object::Cell(c)) => Some(c),
                Some(Object::Outer(o)) => self.outers[o].cell,
                _ => None,
            };
            let place = carried.iter().position(|c| Some(*c) == cell);
            if let (Some(i), Some(kind)) = (place, kind_of(*reduction, &self.unit.var(*v).ty)) {
                kinds[i] = kind as i64;
            }
        }
        if kinds.iter().any(|k| *k >= 0) {
            let kinds = self.ctx.i64_array(&kinds);
            op.set_attr(self.ctx, ACC_REDUCTIONS, kinds);
        }
    }

    /// A constant argument of a clause.
    pub fn argument_value(&self, a: &Arg) -> Option<i64> {
        match &a.expr {
            Some(e) => i64::try_from(self.constant(e)?).ok(),
            None => a.text.trim().parse().ok(),
        }
    }

    /// Gives the variables objects of their own; returns those they had.
    pub fn privatise(
        &mut self,
        vars: &[VarId],
        span: Span,
    ) -> Result<Vec<(VarId, Option<Object>)>> {
        let mut hidden = Vec::new();
        for v in vars {
            let var = self.unit.var(*v);
            let around = self.objects.get(v).cloned();
            if var.is_global() {
                self.beneath.entry(*v).or_insert_with(|| around.clone());
            }
            hidden.push((*v, around));
            let o = match var.ty.is_pointer() {
                true => self.private_section(*v, span)?,
                false => self.local(*v, var)?,
            };
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

    pub fn stand_alone_directive(&mut self, d: DirectiveId) -> Result<()> {
        let d = self.unit.directive(d);
        match (&d.kind, self.mode) {
            // A hint.
            (DirectiveKind::Cache(_), _) => Ok(()),
            (_, Mode::Region) => Err(Refusal::wrong(
                d.span,
                "a directive that moves data or waits, inside a region",
            )),
            // The module has one memory.
            (_, Mode::Function) => Ok(()),
        }
    }

    /// The place of an atomic statement's variable, if it is memory.
    pub fn atomic_place(&mut self, e: &Expr) -> Result<Option<LValue>> {
        let p = self.place(e)?;
        Ok(match &p.object {
            Object::Memory(_) => Some(p),
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

/// Whether a clause names a variable, a part of it or what it leads to.
pub fn names(c: &Clause, v: VarId) -> bool {
    let (ClauseKind::Data { vars, .. }
    | ClauseKind::Reduction { vars, .. }
    | ClauseKind::Private(vars)
    | ClauseKind::Firstprivate(vars)
    | ClauseKind::UseDevice(vars)) = &c.kind
    else {
        return false;
    };
    let mut bases = vars.iter().filter_map(|s| s.base.expr.as_ref());
    bases.any(|e| {
        let mut found = false;
        walk::expr(e, &mut |e| {
            found |= matches!(e.kind, ExprKind::Var(w) if w == v)
        });
        found
    })
}

/// The operation that a reduction of numbers of a type combines by; `None` for truth values.
fn kind_of(op: Reduction, ty: &Type) -> Option<AtomicRmwKind> {
    use AtomicRmwKind as K;
    use Reduction as R;
    Some(match (op, ty) {
        (R::Add, Type::Float(_)) => K::AddF,
        (R::Mul, Type::Float(_)) => K::MulF,
        (R::Max, Type::Float(_)) => K::MaxNumF,
        (R::Min, Type::Float(_)) => K::MinNumF,
        (R::Add, Type::Int(_)) => K::AddI,
        (R::Mul, Type::Int(_)) => K::MulI,
        (R::Max, Type::Int(i)) if i.signed => K::MaxS,
        (R::Max, Type::Int(_)) => K::MaxU,
        (R::Min, Type::Int(i)) if i.signed => K::MinS,
        (R::Min, Type::Int(_)) => K::MinU,
        (R::BitAnd, Type::Int(_)) => K::AndI,
        (R::BitOr, Type::Int(_)) => K::OrI,
        (R::BitXor, Type::Int(_)) => K::XOrI,
        _ => return None,
    })
}
