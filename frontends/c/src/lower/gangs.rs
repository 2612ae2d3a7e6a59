//! `parallel` and `serial` as the execution model says, where a program can tell.
//!
//! Each gang runs all of the construct, with copies of its own of what is private to it,
//! and iterations of loops that are shared among gangs are dealt out (OpenACC 3.1, 2.5.1,
//! 2.5.13 to 2.5.15, 2.9.2). Mostly that comes to the same as running the statement once,
//! with its loops parallel. It does not where the directive says how many gangs there are
//! and the result depends on it: an `atomic` update that every gang does, or what a gang's
//! own variable keeps from one iteration of a shared loop to the next. Then the gangs are
//! a loop of their own. A reduction of the construct begins, in each gang, with what
//! changes nothing, and is added to the variable's value at the end.

use terrace_dialects::affine;
use terrace_dialects::arith;
use terrace_dialects::attributes::ACC_LOOP;
use terrace_dialects::scf;
use terrace_ir::Value;

use super::clauses::variable;
use super::env::CellId;
use super::form::Form;
use super::place::{LValue, Object};
use super::sharing::{Part, Sharing, reductions};
use super::{Lowerer, Refusal, RegionRequest, Result, implied, liveness, walk};
use crate::directive::{
    Arg, Atomic, Clause, ClauseKind, Compute, Directive, DirectiveKind, Reduction,
};
use crate::hir::{BinaryOp, DirectiveId, Expr, ExprKind, Span, Stmt, StmtKind, Unit, VarId};
use crate::types::{Extent, Type};

/// How the gangs of a construct are told apart.
#[derive(Debug)]
pub struct Gangs<'h> {
    /// How many there are; one, where the program cannot tell.
    count: Option<&'h Expr>,
    /// Scalars of which each gang has a value that is combined at the end.
    reduced: Vec<(VarId, Reduction)>,
    /// Arrays of which each gang has a copy.
    copied: Vec<VarId>,
}

/// The gang that is lowered: its number, and how many there are.
#[derive(Debug, Clone)]
pub struct Gang {
    number: Form,
    count: Form,
}

/// Whether the iterations of a loop with this directive are shared among gangs.
pub fn is_shared_loop(d: &Directive) -> bool {
    let combined = matches!(d.kind, DirectiveKind::Compute { combined: true, .. });
    let has = |is: fn(&ClauseKind) -> bool| d.clauses.iter().any(|c| is(&c.kind));
    let within = |c: &ClauseKind| matches!(c, ClauseKind::Worker(_) | ClauseKind::Vector(_));
    let one_by_one =
        |c: &ClauseKind| matches!(c, ClauseKind::Seq | ClauseKind::Auto | ClauseKind::Host(_));
    let gang = has(|c| matches!(c, ClauseKind::Gang { .. }));
    (d.kind == DirectiveKind::Loop || combined) && !has(one_by_one) && (gang || !has(within))
}

fn is_shared(unit: &Unit, s: &Stmt) -> bool {
    let is_loop = matches!(s.kind, StmtKind::For { .. });
    is_loop
        && s.directives
            .iter()
            .any(|d| is_shared_loop(unit.directive(*d)))
}

impl<'h> Gangs<'h> {
    /// What is to be told apart; `None` where nothing is.
    pub fn of(unit: &'h Unit, request: &RegionRequest<'h>, sharing: &Sharing) -> Option<Gangs<'h>> {
        let d = unit.directive(request.directive?);
        let DirectiveKind::Compute { combined, .. } = d.kind else {
            return None;
        };
        if !matches!(request.construct, Compute::Parallel | Compute::Serial) {
            return None;
        }
        let count = match request.construct {
            Compute::Parallel => many(d),
            _ => None,
        };
        let s = request.stmt;
        let mut reduced: Vec<(VarId, Reduction)> = Vec::new();
        if !combined {
            let simple = implied::updates(s, |s| count.is_none() || is_shared(unit, s));
            reduced = reductions(d).collect();
            reduced.retain(|r| !simple.contains(r));
        }
        let changed = walk::Changes::of_stmt(unit, s);
        reduced.retain(|(v, _)| changed.vars.contains(v));
        let copied = sharing.in_place().to_vec();
        let Some(count) = count else {
            return (!reduced.is_empty()).then_some(Gangs {
                count: None,
                reduced,
                copied: Vec::new(),
            });
        };
        let stored = |v: &VarId| stores_to(s, *v);
        let seen = !reduced.is_empty()
            || copied.iter().any(stored)
            || redundant_atomics(unit, s, &mut Vec::new())
            || keeps_values(unit, s, sharing);
        if !seen {
            return None;
        }
        Some(Gangs {
            count: Some(count),
            reduced: sharing.reduced().to_vec(),
            copied,
        })
    }

    /// Whether there is more than one.
    pub fn are_many(&self) -> bool {
        self.count.is_some()
    }
}

/// The number of gangs, where the directive says that there are, or may be, several.
fn many(d: &Directive) -> Option<&Expr> {
    // `num_gangs(n)` is a number of each of up to three dimensions, of which loops over
    // gangs share out the first.
    let e = d.clauses.iter().find_map(count)?.expr.as_ref()?;
    (e.kind != ExprKind::Int(1)).then_some(e)
}

fn count(c: &Clause) -> Option<&Arg> {
    match &c.kind {
        ClauseKind::NumGangs(all) => all.first(),
        _ => None,
    }
}

/// Whether elements of an array are stored to.
fn stores_to(s: &Stmt, v: VarId) -> bool {
    fn root(e: &Expr) -> Option<VarId> {
        match &e.kind {
            ExprKind::Var(v) => Some(*v),
            ExprKind::Index { base: e, .. }
            | ExprKind::Member { base: e, .. }
            | ExprKind::Decay(e)
            | ExprKind::Deref(e)
            | ExprKind::PointerAdd { pointer: e, .. } => root(e),
            _ => None,
        }
    }
    let mut found = false;
    walk::exprs(s, &mut |e| {
        if let ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::IncDec { target, .. } = &e.kind
        {
            found |= root(target) == Some(v);
        }
    });
    found
}

/// Whether every gang does an atomic update: one outside of the loops that gangs share.
fn redundant_atomics<'h>(unit: &'h Unit, s: &'h Stmt, seen: &mut Vec<&'h str>) -> bool {
    let atomic = |d: &DirectiveId| matches!(&unit.directive(*d).kind, DirectiveKind::Atomic(k) if *k != Atomic::Read);
    if s.directives.iter().any(atomic) {
        return true;
    }
    if is_shared(unit, s) {
        return false;
    }
    let mut found = false;
    walk::own_exprs(s, &mut |e| {
        if let ExprKind::Call { function, .. } = &e.kind
            && let Some(f) = unit.function(function)
            && !seen.contains(&function.as_str())
        {
            seen.push(function);
            found |= redundant_atomics(unit, &f.body, seen);
        }
    });
    let mut inside = Vec::new();
    walk::children(s, &mut |c| inside.push(c));
    found || inside.into_iter().any(|c| redundant_atomics(unit, c, seen))
}

/// Whether a gang's own variable keeps a value from an iteration of a loop that gangs
/// share to the next one, or behind the loop.
fn keeps_values(unit: &Unit, region: &Stmt, sharing: &Sharing) -> bool {
    let sums = implied::reductions(unit, region);
    let mut keeps = false;
    walk::stmts(region, &mut |s| {
        let StmtKind::For { body, .. } = &s.kind else {
            return;
        };
        if keeps || !is_shared(unit, s) {
            return;
        }
        let mut own = Vec::new();
        let mut hidden: Vec<VarId> = sums.iter().map(|r| r.0).collect();
        walk::stmts(s, &mut |inner| {
            for d in inner.directives.iter().map(|d| unit.directive(*d)) {
                hidden.extend(reductions(d).map(|r| r.0));
                for c in &d.clauses {
                    if let (ClauseKind::Private(vars), DirectiveKind::Loop) = (&c.kind, &d.kind) {
                        hidden.extend(vars.iter().filter_map(variable));
                    }
                }
            }
            match &inner.kind {
                StmtKind::Decl(list) => hidden.extend(list.iter().map(|d| d.0)),
                StmtKind::For { init, .. } => hidden.extend(counter(init.as_deref())),
                _ => {}
            }
        });
        walk::exprs(body, &mut |e| {
            if let ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::IncDec { target, .. } = &e.kind
                && let ExprKind::Var(v) = target.kind
                && target.ty.is_arithmetic()
                && !hidden.contains(&v)
                && sharing.is_own(v, Part::Whole)
            {
                own.push(v);
            }
        });
        if own.is_empty() {
            return;
        }
        let next = liveness::live_before(unit, body);
        let behind = liveness::live_after(unit, region, s);
        let live = |set: &Option<_>, v| {
            set.as_ref()
                .is_none_or(|set: &rustc_hash::FxHashSet<VarId>| set.contains(v))
        };
        keeps |= own.iter().any(|v| live(&next, v) || live(&behind, v));
    });
    keeps
}

/// The variable that the start of a loop sets.
pub fn counter(init: Option<&Stmt>) -> Option<VarId> {
    match &init?.kind {
        StmtKind::Expr(e) => match &e.kind {
            ExprKind::Assign { target, .. } => match target.kind {
                ExprKind::Var(v) => Some(v),
                _ => None,
            },
            _ => None,
        },
        StmtKind::Decl(list) => list.first().map(|d| d.0),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Lowers what `body` does as the gangs do it.
    pub fn in_gangs(
        &mut self,
        gangs: &Gangs,
        span: Span,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut reduced = Vec::new();
        for (v, op) in &gangs.reduced {
            if let Some(Object::Cell(cell)) = self.known_object(*v) {
                let ty = self.unit.var(*v).ty.clone();
                reduced.push((cell, *op, ty));
            }
        }
        let Some(count) = gangs.count else {
            let mut old = Vec::new();
            for (cell, op, ty) in &reduced {
                let value = self.read(*cell);
                old.push(self.truth(*op, value, ty, span)?);
                let neutral = self.neutral(*op, ty, span)?;
                self.env.cells[cell.0] = Some(neutral);
            }
            body(self)?;
            return self.combine(&reduced, &old, span);
        };
        let n = self.expr(count)?;
        let n = self.form(n, &count.ty);
        let mut inits = Vec::new();
        for (cell, op, ty) in &reduced {
            let value = self.read(*cell);
            inits.push(self.truth(*op, value, ty, span)?);
        }
        let (start, end) = (vec![Form::constant(0)], vec![n.clone()]);
        let (op, block, iv) = self.counting_op(&start, &end, 1, &inits);
        let unit = self.ctx.unit();
        let words = ["gang", "independent", "reduction"].map(|w| (self.ctx.intern(w), unit));
        let words = self.ctx.dict_attr(words.to_vec());
        op.set_attr(self.ctx, ACC_LOOP, words);
        let outside = std::mem::replace(&mut self.block, block);
        let env = self.env.clone();
        for (cell, op, ty) in &reduced {
            let neutral = self.neutral(*op, ty, span)?;
            self.env.cells[cell.0] = Some(neutral);
        }
        for v in &gangs.copied {
            self.copy_of(*v, span)?;
        }
        let number = Form::leaf(iv, true, true, true);
        self.gang = Some(Gang { number, count: n });
        body(self)?;
        self.gang = None;
        let old = block.args(self.ctx).split_off(1);
        self.combine(&reduced, &old, span)?;
        let values: Vec<Value> = reduced.iter().map(|r| self.read(r.0)).collect();
        let end = match op.isa::<affine::ForOp>(self.ctx) {
            true => affine::YieldOp::NAME,
            false => scf::YieldOp::NAME,
        };
        self.op(end, &values, &[], &[]);
        self.block = outside;
        self.env = self.grown(env);
        let results = op.results(self.ctx);
        for ((cell, ..), v) in reduced.iter().zip(results) {
            self.env.cells[cell.0] = Some(v);
        }
        Ok(())
    }

    /// The bounds of a gang's part of a loop, of those of the loop: iterations go to gangs
    /// in pieces of equal length.
    pub fn gangs_part(
        &mut self,
        gang: &Gang,
        starts: &mut Vec<Form>,
        ends: &mut Vec<Form>,
        step: i64,
    ) {
        let start = self.extreme_form(starts, true);
        let end = self.extreme_form(ends, false);
        let way = end.sub(&start);
        let each = match (way.as_constant(), gang.count.as_constant()) {
            (Some(way), Some(n)) if way >= 0 && n > 0 => {
                let trips = way / step + i64::from(way % step != 0);
                Form::constant(trips / n + i64::from(trips % n != 0))
            }
            _ => {
                let way = self.extreme_form(&[way, Form::constant(0)], true);
                let (way, by) = (self.index(&way), self.index_constant(step));
                let trips = self.binary(arith::CeilDivSIOp::NAME, way, by);
                let n = self.index(&gang.count);
                let each = self.binary(arith::CeilDivSIOp::NAME, trips, n);
                Form::leaf(each, true, true, true)
            }
        };
        let each = each.mul(&Form::constant(step));
        let low = start.add(&gang.number.mul(&each));
        ends.push(low.add(&each));
        *starts = vec![low];
    }

    /// Gives the gang an array of its own with the values of the one outside.
    fn copy_of(&mut self, v: VarId, span: Span) -> Result<()> {
        let var = self.unit.var(v);
        let refused = || {
            let name = &var.name;
            Refusal::wrong(
                span,
                format!(
                    "'{name}' in a firstprivate clause, of which each of several gangs needs a \
                     copy and which is no array of numbers of constant size"
                ),
            )
        };
        let from = self.object_of(v, span)?;
        let to = self.local(v, var)?;
        let mut sizes = Vec::new();
        let mut ty = &var.ty;
        while let Type::Array(a) = ty {
            let Extent::Const(n) = a.len else {
                return Err(refused());
            };
            sizes.push(i64::try_from(n).map_err(|_| refused())?);
            ty = &a.of;
        }
        if sizes.is_empty() || !ty.is_arithmetic() {
            return Err(refused());
        }
        let outside = self.block;
        let mut subscripts = Vec::new();
        let mut blocks = Vec::new();
        for n in sizes {
            let (op, block, iv) =
                self.counting_op(&[Form::constant(0)], &[Form::constant(n)], 1, &[]);
            blocks.push((op, block));
            self.block = block;
            subscripts.push(Form::leaf(iv, true, true, true));
        }
        let place = |object: Object| LValue {
            object,
            subscripts: subscripts.clone(),
            ty: ty.clone(),
            null: None,
        };
        let value = self.load(&place(from), span)?;
        self.store(&place(to.clone()), value, span)?;
        for (op, block) in blocks.into_iter().rev() {
            self.block = block;
            let end = match op.isa::<affine::ForOp>(self.ctx) {
                true => affine::YieldOp::NAME,
                false => scf::YieldOp::NAME,
            };
            self.op(end, &[], &[], &[]);
        }
        self.block = outside;
        self.objects.insert(v, to);
        Ok(())
    }

    /// Combines what a gang has with what there was.
    fn combine(
        &mut self,
        reduced: &[(CellId, Reduction, Type)],
        old: &[Value],
        span: Span,
    ) -> Result<()> {
        for ((cell, op, ty), old) in reduced.iter().zip(old) {
            let new = self.read(*cell);
            let new = self.truth(*op, new, ty, span)?;
            let both = self.reduced(*op, *old, new, ty, span)?;
            self.env.cells[cell.0] = Some(both);
        }
        Ok(())
    }

    /// For `&&` and `||` a value as 0 or 1; others stay.
    fn truth(&mut self, op: Reduction, v: Value, ty: &Type, span: Span) -> Result<Value> {
        match op {
            Reduction::And | Reduction::Or => {
                let zero = self.zero(v.ty(self.ctx));
                let set = self.compare(BinaryOp::Ne, v, zero, ty);
                match ty.is_float() {
                    true => self.convert(set, &Type::Bool, ty, span),
                    false => Ok(self.bool_value(set, ty)),
                }
            }
            _ => Ok(v),
        }
    }

    /// The value that changes nothing when it is combined.
    fn neutral(&mut self, op: Reduction, ty: &Type, span: Span) -> Result<Value> {
        use Reduction as R;
        if ty.is_float() {
            let x = match op {
                R::Mul | R::And => 1.0,
                R::Or => 0.0,
                R::Max => f64::NEG_INFINITY,
                R::Min => f64::INFINITY,
                // It keeps the sign of a zero.
                _ => -0.0,
            };
            return self.float_constant(x, ty, span);
        }
        let (bits, signed) = match ty {
            Type::Int(i) => (i.bits, i.signed),
            _ => (1, false),
        };
        let max = match signed {
            true => (1i128 << (bits - 1)) - 1,
            false => (1i128 << bits) - 1,
        };
        let min = if signed { -max - 1 } else { 0 };
        let n = match op {
            R::Mul | R::And => 1,
            R::Max => min,
            R::Min => max,
            R::BitAnd if signed => -1,
            R::BitAnd => max,
            R::Add | R::BitOr | R::BitXor | R::Or => 0,
        };
        self.int_constant(n, ty, span)
    }

    /// Two values as one.
    fn reduced(
        &mut self,
        op: Reduction,
        a: Value,
        b: Value,
        ty: &Type,
        span: Span,
    ) -> Result<Value> {
        use Reduction as R;
        let signed = super::expr::is_signed(ty);
        let name = match (op, ty) {
            // Of truth values, 0 or 1, as floating numbers.
            (R::And, Type::Float(_)) => arith::MulFOp::NAME,
            (R::Or, Type::Float(_)) => arith::MaxNumFOp::NAME,
            (R::And, _) => arith::AndIOp::NAME,
            (R::Or, _) => arith::OrIOp::NAME,
            // Truth values: a sum is one if any of them is.
            (R::Add | R::Max | R::BitOr, Type::Bool) => arith::OrIOp::NAME,
            (R::Mul | R::Min | R::BitAnd, Type::Bool) => arith::AndIOp::NAME,
            (R::BitXor, Type::Bool) => arith::XOrIOp::NAME,
            (R::Max, Type::Float(_)) => arith::MaxNumFOp::NAME,
            (R::Min, Type::Float(_)) => arith::MinNumFOp::NAME,
            (R::Max, _) if signed => arith::MaxSIOp::NAME,
            (R::Max, _) => arith::MaxUIOp::NAME,
            (R::Min, _) if signed => arith::MinSIOp::NAME,
            (R::Min, _) => arith::MinUIOp::NAME,
            (R::Add, _) => return self.arithmetic(BinaryOp::Add, a, b, ty, span),
            (R::Mul, _) => return self.arithmetic(BinaryOp::Mul, a, b, ty, span),
            (R::BitAnd, _) => return self.arithmetic(BinaryOp::And, a, b, ty, span),
            (R::BitOr, _) => return self.arithmetic(BinaryOp::Or, a, b, ty, span),
            (R::BitXor, _) => return self.arithmetic(BinaryOp::Xor, a, b, ty, span),
        };
        Ok(self.binary(name, a, b))
    }
}
