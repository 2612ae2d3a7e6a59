//! `acc atomic`: statements as `memref.atomic_rmw`.

use terrace_dialects::arith;
use terrace_dialects::arith::AtomicRmwKind as K;
use terrace_dialects::memref::{AtomicRmwOp, AtomicYieldOp, GenericAtomicRmwOp};
use terrace_ir::{Type as IrType, Value};

use super::expr::is_signed;
use super::place::LValue;
use super::shapes::same;
use super::update::{Change, Update};
use super::{Lowerer, Refusal, Result};
use crate::directive::Atomic;
use crate::hir::{BinaryOp, Expr, ExprKind, Span, Stmt, StmtKind};
use crate::types::Type;

fn not_atomic(s: &Stmt) -> Refusal {
    let forms = "an atomic statement that is none of `x++`, `x += e`, `x = x + e` and, with \
                 `capture`, `v = x += e`";
    Refusal::wrong(s.span, forms)
}

/// `v = x`, where both are objects.
fn is_read(e: &Expr) -> bool {
    let ExprKind::Assign { value, .. } = &e.kind else {
        return false;
    };
    let mut from = value;
    while let ExprKind::Cast(v) = &from.kind {
        from = v;
    }
    matches!(
        from.kind,
        ExprKind::Var(_) | ExprKind::Index { .. } | ExprKind::Deref(_) | ExprKind::Member { .. }
    )
}

/// `x = e`.
fn is_write(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Assign { .. })
}

impl Lowerer<'_> {
    /// A statement under `atomic`.
    pub fn atomic(&mut self, s: &Stmt, kind: Atomic) -> Result<()> {
        match (&s.kind, kind) {
            (StmtKind::Expr(e), Atomic::Read) if is_read(e) => self.atomic_read(e, s),
            (_, Atomic::Read) => {
                let what = "an atomic statement that is not `v = x`, as `read` says";
                Err(Refusal::wrong(s.span, what))
            }
            (StmtKind::Expr(e), Atomic::Write) if !is_write(e) => {
                let what = "an atomic statement that is not `x = e`, as `write` says";
                Err(Refusal::wrong(s.span, what))
            }
            (StmtKind::Expr(e), Atomic::Write) => self.atomic_write(e, s),
            (StmtKind::Expr(e), _) => match Update::of(e) {
                Some(u) => self.atomic_update(&u, s).map(|_| ()),
                None => self.atomic_capture(e, s),
            },
            (StmtKind::Block(list), Atomic::Capture) => {
                let list: Vec<&Stmt> = list
                    .iter()
                    .filter(|s| !matches!(s.kind, StmtKind::Empty))
                    .collect();
                self.atomic_pair(&list, s)
            }
            _ => Err(not_atomic(s)),
        }
    }

    /// `v = x`, as an update that leaves `x` what it is: no other read stands for it.
    fn atomic_read(&mut self, e: &Expr, s: &Stmt) -> Result<()> {
        let ExprKind::Assign { target, value } = &e.kind else {
            return self.undirected(s);
        };
        let (mut from, mut casts) = (value, Vec::new());
        while let ExprKind::Cast(v) = &from.kind {
            casts.push(&from.ty);
            from = v;
        }
        let Some(p) = self.atomic_place(from)? else {
            return self.undirected(s);
        };
        let m = self.checked_memory(&p, s.span)?;
        if let Some(id) = self.outer_of(&p) {
            self.outers[id].read = true;
        }
        let t = self.scalar_type(&from.ty, s.span)?;
        let mut v = self.generic_rmw(m, &p, t, |_, old| Ok(old))?;
        let mut ty = &from.ty;
        for to in casts.into_iter().rev().chain([&target.ty]) {
            v = self.convert(v, ty, to, s.span)?;
            ty = to;
        }
        let p = self.place(target)?;
        self.store(&p, v, s.span)
    }

    fn atomic_write(&mut self, e: &Expr, s: &Stmt) -> Result<()> {
        if let ExprKind::Assign { target, value } = &e.kind
            && let Some(p) = self.atomic_place(target)?
        {
            let v = self.expr(value)?;
            self.rmw(&p, K::Assign, v, s.span)?;
            return Ok(());
        }
        self.effect(e)
    }

    /// `v = x++`, `v = x += e`.
    fn atomic_capture(&mut self, e: &Expr, s: &Stmt) -> Result<()> {
        if let ExprKind::Assign { target, value } = &e.kind {
            let inner = match &value.kind {
                ExprKind::Cast(a) => a,
                _ => value,
            };
            if let Some(u) = Update::of(inner) {
                let p = self.place(target)?;
                let v = self.atomic_update(&u, s)?;
                let v = self.convert(v, &inner.ty, &target.ty, s.span)?;
                return self.store(&p, v, s.span);
            }
        }
        Err(not_atomic(s))
    }

    /// `{ v = x; x op= e; }`, `{ x op= e; v = x; }` and `{ v = x; x = e; }`.
    fn atomic_pair(&mut self, list: &[&Stmt], s: &Stmt) -> Result<()> {
        let forms = "an atomic block that is none of `{ v = x; x += e; }`, `{ x += e; v = x; }` \
                     and `{ v = x; x = e; }`";
        let refused = || Refusal::wrong(s.span, forms);
        let [a, b] = list else {
            return Err(refused());
        };
        let (StmtKind::Expr(a), StmtKind::Expr(b)) = (&a.kind, &b.kind) else {
            return Err(refused());
        };
        for (update, read, old) in [(b, a, true), (a, b, false)] {
            let (Some(mut u), ExprKind::Assign { target, value }) =
                (Update::of(update), &read.kind)
            else {
                continue;
            };
            let from = match &value.kind {
                ExprKind::Cast(v) if !same(value, u.target) => v,
                _ => value,
            };
            if !same(from, u.target) {
                continue;
            }
            u.new = !old;
            let p = self.place(target)?;
            let v = self.atomic_update(&u, s)?;
            let v = self.convert(v, &u.target.ty, &target.ty, s.span)?;
            return self.store(&p, v, s.span);
        }
        // The value that is read, and another in its place.
        let (
            ExprKind::Assign { target, value },
            ExprKind::Assign {
                target: x,
                value: new,
            },
        ) = (&a.kind, &b.kind)
        else {
            return Err(refused());
        };
        let from = match &value.kind {
            ExprKind::Cast(v) if !same(value, x) => v,
            _ => value,
        };
        if !same(from, x) {
            return Err(refused());
        }
        let v = self.expr(new)?;
        let old = match self.atomic_place(x)? {
            Some(p) => self.rmw(&p, K::Assign, v, s.span)?,
            None => {
                let p = self.place(x)?;
                let old = self.load(&p, s.span)?;
                self.store(&p, v, s.span)?;
                old
            }
        };
        let p = self.place(target)?;
        let old = self.convert(old, &x.ty, &target.ty, s.span)?;
        self.store(&p, old, s.span)
    }

    /// Makes the update; the value is that of the expression.
    fn atomic_update(&mut self, u: &Update, s: &Stmt) -> Result<Value> {
        let ty = u.target.ty.clone();
        let (value, from) = match &u.op {
            Change::Step(_) => {
                let one = match ty.is_float() {
                    true => self.float_constant(1.0, &ty, s.span)?,
                    false => self.int_constant(1, &ty, s.span)?,
                };
                (one, ty.clone())
            }
            Change::Binary { value, .. } | Change::Extreme { value, .. } => {
                (self.expr(value)?, value.ty.clone())
            }
        };
        let place = self.atomic_place(u.target)?;
        let Some(p) = place else {
            // A scalar: the iterations come one after another here, and whoever runs
            // them at once sees a reduction.
            let p = self.place(u.target)?;
            let old = self.load(&p, s.span)?;
            let new = self.changed(u, old, value, &from, s.span)?;
            self.store(&p, new, s.span)?;
            return Ok(if u.new { new } else { old });
        };
        if let Some((kind, v)) = self.rmw_kind(u, value, &from, s.span)? {
            let old = self.rmw(&p, kind, v, s.span)?;
            return match u.new {
                true => self.changed(u, old, value, &from, s.span),
                false => Ok(old),
            };
        }
        // Anything else, as a region.
        let m = self.checked_memory(&p, s.span)?;
        self.note_written(&p);
        let t = self.scalar_type(&ty, s.span)?;
        let old = self.generic_rmw(m, &p, t, |l, old| l.changed(u, old, value, &from, s.span))?;
        match u.new {
            true => self.changed(u, old, value, &from, s.span),
            false => Ok(old),
        }
    }

    /// An element of type `t` becomes what `new` makes of it; the value is that from before.
    fn generic_rmw(
        &mut self,
        m: Value,
        p: &LValue,
        t: IrType,
        new: impl FnOnce(&mut Self, Value) -> Result<Value>,
    ) -> Result<Value> {
        let indices: Vec<Value> = p.subscripts.iter().map(|f| self.index(f)).collect();
        let mut state = self.b().state::<GenericAtomicRmwOp>().regions(1);
        state = state.operands(&[m]).operands(&indices).results(&[t]);
        let op = self.b().create(state);
        let block = op.region(self.ctx, 0).add_block(self.ctx, &[t]);
        let outside = std::mem::replace(&mut self.block, block);
        let new = new(self, block.arg(self.ctx, 0))?;
        self.b().op::<AtomicYieldOp>(&[new], &[], &[]);
        self.block = outside;
        Ok(op.result(self.ctx, 0))
    }

    /// The new value, of the old one.
    fn changed(
        &mut self,
        u: &Update,
        old: Value,
        value: Value,
        from: &Type,
        span: Span,
    ) -> Result<Value> {
        let ty = &u.target.ty;
        match &u.op {
            Change::Step(up) => {
                let op = if *up { BinaryOp::Add } else { BinaryOp::Sub };
                self.arithmetic(op, old, value, ty, span)
            }
            Change::Binary {
                op,
                reversed,
                compute,
                ..
            } => {
                let a = self.convert(old, ty, compute, span)?;
                let b = self.convert(value, from, compute, span)?;
                let (a, b) = if *reversed { (b, a) } else { (a, b) };
                let r = self.arithmetic(*op, a, b, compute, span)?;
                self.convert(r, compute, ty, span)
            }
            Change::Extreme { max, .. } => {
                let name = match (ty.is_float(), is_signed(ty), max) {
                    (true, _, true) => arith::MaxNumFOp::NAME,
                    (true, _, false) => arith::MinNumFOp::NAME,
                    (_, true, true) => arith::MaxSIOp::NAME,
                    (_, true, false) => arith::MinSIOp::NAME,
                    (_, false, true) => arith::MaxUIOp::NAME,
                    (_, false, false) => arith::MinUIOp::NAME,
                };
                Ok(self.binary(name, old, value))
            }
        }
    }

    /// The kind of `memref.atomic_rmw` that the update is, with its operand.
    fn rmw_kind(
        &mut self,
        u: &Update,
        value: Value,
        from: &Type,
        span: Span,
    ) -> Result<Option<(K, Value)>> {
        let ty = &u.target.ty;
        let float = ty.is_float();
        let (op, v) = match &u.op {
            Change::Step(up) => (if *up { BinaryOp::Add } else { BinaryOp::Sub }, value),
            Change::Extreme { max, .. } => {
                let kind = match (float, is_signed(ty), max) {
                    (true, _, true) => K::MaxNumF,
                    (true, _, false) => K::MinNumF,
                    (_, true, true) => K::MaxS,
                    (_, true, false) => K::MinS,
                    (_, false, true) => K::MaxU,
                    (_, false, false) => K::MinU,
                };
                return Ok(Some((kind, value)));
            }
            Change::Binary {
                op,
                reversed,
                compute,
                ..
            } => {
                // Integers wrap alike in any width; floats round.
                let fits = *compute == ty || (ty.is_integer() && compute.is_integer());
                let commutes = !matches!(op, BinaryOp::Sub) || !reversed;
                if !fits || !commutes || *ty == Type::Bool {
                    return Ok(None);
                }
                (*op, self.convert(value, from, ty, span)?)
            }
        };
        if *ty == Type::Bool {
            return Ok(None);
        }
        let kind = match (op, float) {
            (BinaryOp::Add, true) => K::AddF,
            (BinaryOp::Add, false) => K::AddI,
            (BinaryOp::Mul, true) => K::MulF,
            (BinaryOp::Mul, false) => K::MulI,
            (BinaryOp::And, false) => K::AndI,
            (BinaryOp::Or, false) => K::OrI,
            (BinaryOp::Xor, false) => K::XOrI,
            (BinaryOp::Sub, true) => {
                let t = v.ty(self.ctx);
                return Ok(Some((K::AddF, self.value(arith::NegFOp::NAME, &[v], t))));
            }
            (BinaryOp::Sub, false) => {
                let zero = self.int_constant(0, ty, span)?;
                return Ok(Some((K::AddI, self.binary(arith::SubIOp::NAME, zero, v))));
            }
            _ => return Ok(None),
        };
        Ok(Some((kind, v)))
    }

    fn note_written(&mut self, p: &LValue) {
        if let Some(id) = self.outer_of(p) {
            self.outers[id].read = true;
            self.outers[id].written = true;
        }
    }

    /// The op; its value is the element before.
    fn rmw(&mut self, p: &LValue, kind: K, v: Value, span: Span) -> Result<Value> {
        let m = self.checked_memory(p, span)?;
        self.note_written(p);
        let mut operands = vec![v, m];
        for f in &p.subscripts {
            operands.push(self.index(f));
        }
        let kind = self.ctx.i64_attr(kind as i64);
        let t = v.ty(self.ctx);
        Ok(self
            .b()
            .value::<AtomicRmwOp>(&operands, t, &[("kind", kind)]))
    }
}
