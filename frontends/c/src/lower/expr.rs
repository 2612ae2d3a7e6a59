//! Expressions of arithmetic type.

use super::core::Mode;
use super::form::Form;
use super::{Lowerer, Refusal, Result};
use crate::hir::{BinaryOp, Expr, ExprKind, Span};
use crate::types::{Extent, Int, Type};
use terrace_dialects::arith;
use terrace_ir::Value;

impl Lowerer<'_> {
    /// The value of an expression of arithmetic type, in the IR type of its C type.
    pub fn expr(&mut self, e: &Expr) -> Result<Value> {
        self.enter(e.span)?;
        let loc = self.at(e.span);
        let v = self.expr_inner(e);
        self.loc = loc;
        self.leave();
        v
    }

    fn expr_inner(&mut self, e: &Expr) -> Result<Value> {
        if e.ty.is_integer()
            && let Some(n) = self.constant(e)
        {
            return self.int_constant(n, &e.ty, e.span);
        }
        match &e.kind {
            ExprKind::Int(n) => self.int_constant(*n, &e.ty, e.span),
            ExprKind::Float(x) => self.float_constant(*x, &e.ty, e.span),
            ExprKind::Var(_)
            | ExprKind::Index { .. }
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::Compound { .. } => {
                let p = self.place(e)?;
                self.load(&p, e.span)
            }
            ExprKind::Cast(inner) => self.cast(inner, e),
            ExprKind::Neg(a) => {
                let v = self.expr(a)?;
                if e.ty.is_float() {
                    let ty = v.ty(self.ctx);
                    return Ok(self.value(arith::NegFOp::NAME, &[v], ty));
                }
                let zero = self.int_constant(0, &e.ty, e.span)?;
                self.arithmetic(BinaryOp::Sub, zero, v, &e.ty, e.span)
            }
            ExprKind::BitNot(a) => {
                let v = self.expr(a)?;
                let ones = self.int_constant(-1, &e.ty, e.span)?;
                Ok(self.binary(arith::XOrIOp::NAME, v, ones))
            }
            ExprKind::Not(_) | ExprKind::Logical { .. } => {
                let c = self.condition(e)?;
                Ok(self.bool_value(c, &e.ty))
            }
            ExprKind::Binary { op, lhs, rhs } => {
                if op.is_comparison() {
                    let c = self.condition(e)?;
                    return Ok(self.bool_value(c, &e.ty));
                }
                let a = self.expr(lhs)?;
                let b = self.expr(rhs)?;
                let b = self.shift_amount(*op, b, &rhs.ty, &lhs.ty, e.span)?;
                self.arithmetic(*op, a, b, &e.ty, e.span)
            }
            ExprKind::PointerDiff { lhs, rhs } => self.distance(lhs, rhs, e),
            ExprKind::Conditional {
                cond,
                then,
                otherwise,
            } => self.conditional(cond, then, otherwise, &e.ty),
            ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec { .. } => {
                self.changed_number(e)
            }
            ExprKind::Call { function, args } => match self.call(function, args, e)? {
                Some(v) => Ok(v),
                None => Err(Refusal::fault(
                    e.span,
                    "the value of a function without one",
                )),
            },
            ExprKind::Comma(a, b) => {
                self.effect(a)?;
                self.expr(b)
            }
            ExprKind::Unsupported(why) => Err(Refusal::new(e.span, why.clone())),
            ExprKind::Str(_)
            | ExprKind::Function(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Decay(_)
            | ExprKind::PointerAdd { .. } => {
                Err(Refusal::fault(e.span, "a pointer where a number is needed"))
            }
        }
    }

    /// The value of a conversion.
    fn cast(&mut self, inner: &Expr, e: &Expr) -> Result<Value> {
        if e.ty == Type::Bool && inner.ty.is_scalar() {
            let c = self.condition(inner)?;
            return Ok(self.bool_value(c, &Type::Bool));
        }
        if !inner.ty.is_arithmetic() {
            return Err(Refusal::new(
                e.span,
                "a conversion of a pointer to a number",
            ));
        }
        if let Some((cond, then, otherwise)) = narrow_choice(inner, &e.ty) {
            return self.conditional(cond, then, otherwise, &e.ty);
        }
        let v = self.expr(inner)?;
        self.convert(v, &inner.ty, &e.ty, e.span)
    }

    /// The difference of two pointers, as a number.
    fn distance(&mut self, lhs: &Expr, rhs: &Expr, e: &Expr) -> Result<Value> {
        let f = self.pointer_difference(lhs, rhs, e.span)?;
        let v = self.index(&f);
        let ty = self.scalar_type(&e.ty, e.span)?;
        let i = self.value(arith::IndexCastOp::NAME, &[v], ty);
        if self.is_new(i) {
            self.forms.insert((i, true), f);
        }
        Ok(i)
    }

    /// The value of an assignment, `+=` and the like, or `++` and `--`.
    fn changed_number(&mut self, e: &Expr) -> Result<Value> {
        match &e.kind {
            ExprKind::Assign { target, value } => {
                if let Some(v) = self.logical_update(target, value)? {
                    return Ok(v);
                }
                let p = self.place(target)?;
                let v = self.expr(value)?;
                self.store(&p, v, e.span)?;
                Ok(v)
            }
            ExprKind::CompoundAssign {
                op,
                target,
                value,
                compute,
            } => {
                let p = self.place(target)?;
                let b = self.expr(value)?;
                let old = self.load(&p, target.span)?;
                let a = self.convert(old, &target.ty, compute, e.span)?;
                let b = self.shift_amount(*op, b, &value.ty, compute, e.span)?;
                let r = self.arithmetic(*op, a, b, compute, e.span)?;
                let r = self.convert(r, compute, &target.ty, e.span)?;
                self.store(&p, r, e.span)?;
                Ok(r)
            }
            ExprKind::IncDec {
                increment,
                prefix,
                target,
            } => {
                let p = self.place(target)?;
                let old = self.load(&p, target.span)?;
                let new = self.stepped(old, *increment, &target.ty, e.span)?;
                self.store(&p, new, e.span)?;
                Ok(if *prefix { new } else { old })
            }
            _ => Err(Refusal::fault(e.span, "no change of a number")),
        }
    }

    /// An expression for what it does.
    pub fn effect(&mut self, e: &Expr) -> Result<()> {
        self.enter(e.span)?;
        let loc = self.at(e.span);
        let r = self.effect_inner(e);
        self.loc = loc;
        self.leave();
        r
    }

    fn effect_inner(&mut self, e: &Expr) -> Result<()> {
        match &e.kind {
            ExprKind::Call { function, args } => self.call(function, args, e).map(|_| ()),
            ExprKind::Cast(inner) if e.ty == Type::Void => self.effect(inner),
            ExprKind::Comma(a, b) => {
                self.effect(a)?;
                self.effect(b)
            }
            ExprKind::Assign { target, value } if matches!(target.ty, Type::Record(_)) => {
                let to = self.place(target)?;
                let from = self.place(value)?;
                self.copy_record(&to, &from, e.span)
            }
            ExprKind::Conditional {
                cond,
                then,
                otherwise,
            } if !e.ty.is_arithmetic() => {
                let c = self.condition(cond)?;
                self.branch(
                    c,
                    |l| l.effect(then),
                    Some(|l: &mut Self| l.effect(otherwise)),
                )
            }
            ExprKind::Unsupported(why) => Err(Refusal::new(e.span, why.clone())),
            _ if e.ty.is_arithmetic() => self.expr(e).map(|_| ()),
            _ if e.ty.is_pointer() => self.pointer(e).map(|_| ()),
            _ if matches!(e.ty, Type::Record(_)) => self.place(e).map(|_| ()),
            _ => self.scalar_type(&e.ty, e.span).map(|_| ()),
        }
    }

    /// Field by field.
    pub fn copy_record(
        &mut self,
        to: &super::place::LValue,
        from: &super::place::LValue,
        span: Span,
    ) -> Result<()> {
        let Type::Record(record) = to.ty else {
            return self.copy_value(to, from, span);
        };
        let fields = self.unit.records[record]
            .fields
            .as_ref()
            .map_or(0, Vec::len);
        for field in 0..fields {
            let at = |place: &super::place::LValue| place.clone();
            let (t, f) = (
                self.field(at(to), field, span)?,
                self.field(at(from), field, span)?,
            );
            self.copy_record(&t, &f, span)?;
        }
        Ok(())
    }

    fn copy_value(
        &mut self,
        to: &super::place::LValue,
        from: &super::place::LValue,
        span: Span,
    ) -> Result<()> {
        if to.ty.is_arithmetic() {
            let v = self.load(from, span)?;
            return self.store(to, v, span);
        }
        if let Type::Array(a) = &to.ty
            && let Extent::Const(n) = a.len
            && n <= 64
        {
            for i in 0..n as i64 {
                let at = |p: &super::place::LValue| {
                    let mut p = p.clone();
                    p.subscripts.push(Form::constant(i));
                    p.ty = a.of.clone();
                    p
                };
                let (t, f) = (at(to), at(from));
                self.copy_record(&t, &f, span)?;
            }
            return Ok(());
        }
        let message = match &to.ty {
            Type::Array(_) => "a copy of a record with more than 64 elements in an array".into(),
            ty => format!(
                "a copy of a record with a field of type {}",
                self.type_name(ty)
            ),
        };
        Err(Refusal::new(span, message))
    }

    /// Plus or minus one.
    fn stepped(&mut self, old: Value, up: bool, ty: &Type, span: Span) -> Result<Value> {
        if *ty == Type::Bool {
            // C11 6.5.2.4, 6.3.1.2: the sum 1 or 2 is true; 0 - 1 is true, 1 - 1 false.
            let one = self.int_constant(1, ty, span)?;
            return Ok(match up {
                true => one,
                false => self.binary(arith::XOrIOp::NAME, old, one),
            });
        }
        let one = match ty.is_float() {
            true => self.float_constant(1.0, ty, span)?,
            false => self.int_constant(1, ty, span)?,
        };
        let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
        self.arithmetic(op, old, one, ty, span)
    }

    /// The right operand of a shift in the type of the left one.
    fn shift_amount(
        &mut self,
        op: BinaryOp,
        v: Value,
        from: &Type,
        to: &Type,
        span: Span,
    ) -> Result<Value> {
        match op {
            BinaryOp::Shl | BinaryOp::Shr => self.convert(v, from, to, span),
            _ => Ok(v),
        }
    }

    /// `a op b` of values of type `ty`; no comparison.
    pub fn arithmetic(
        &mut self,
        op: BinaryOp,
        a: Value,
        b: Value,
        ty: &Type,
        span: Span,
    ) -> Result<Value> {
        use BinaryOp as B;
        if ty.is_float() {
            let name = match op {
                B::Add => arith::AddFOp::NAME,
                B::Sub => arith::SubFOp::NAME,
                B::Mul => arith::MulFOp::NAME,
                B::Div => arith::DivFOp::NAME,
                _ => return Err(Refusal::fault(span, "an integer operation on floats")),
            };
            return Ok(self.binary(name, a, b));
        }
        let signed = is_signed(ty);
        let name = match (op, signed) {
            (B::Add, _) => arith::AddIOp::NAME,
            (B::Sub, _) => arith::SubIOp::NAME,
            (B::Mul, _) => arith::MulIOp::NAME,
            (B::Div, true) => arith::DivSIOp::NAME,
            (B::Div, false) => arith::DivUIOp::NAME,
            (B::Rem, true) => arith::RemSIOp::NAME,
            (B::Rem, false) => arith::RemUIOp::NAME,
            (B::Shl, _) => arith::ShLIOp::NAME,
            (B::Shr, true) => arith::ShRSIOp::NAME,
            (B::Shr, false) => arith::ShRUIOp::NAME,
            (B::And, _) => arith::AndIOp::NAME,
            (B::Or, _) => arith::OrIOp::NAME,
            (B::Xor, _) => arith::XOrIOp::NAME,
            _ => return Err(Refusal::fault(span, "a comparison as arithmetic")),
        };
        let form = self.form_of(op, a, b, ty);
        let v = self.binary(name, a, b);
        if let Some(f) = form
            && self.is_new(v)
        {
            self.forms.insert((v, signed), f);
            let sum = matches!(op, B::Add | B::Sub | B::Mul);
            if signed && sum && self.mode == Mode::Region {
                self.promise_no_overflow(v);
            }
        }
        Ok(v)
    }

    /// Says of a signed sum, difference or product that it does not overflow, which C leaves
    /// undefined. In regions remainders by sizes are taken apart by it.
    fn promise_no_overflow(&mut self, v: Value) {
        let flags = arith::OVERFLOW.attr(self.ctx, arith::overflow::NSW);
        if let Some(op) = v.def_op() {
            op.set_attr(self.ctx, arith::ATTR_OVERFLOW, flags);
        }
    }

    /// What `a op b` is as a form, where C's rules make it that: overflow of signed
    /// integers is undefined, and 64-bit unsigned ones wrap as addresses do.
    fn form_of(&mut self, op: BinaryOp, a: Value, b: Value, ty: &Type) -> Option<Form> {
        use BinaryOp as B;
        let Type::Int(Int { bits, signed, .. }) = *ty else {
            return None;
        };
        if bits < 32 {
            return None;
        }
        let (f, g) = (self.form(a, ty), self.form(b, ty));
        if !f.fits(&g) {
            return None;
        }
        let power = |g: &Form| {
            let k = g
                .as_constant()
                .filter(|k| (0..i64::from(bits) - 1).contains(k))?;
            1i64.checked_shl(k as u32)
        };
        match op {
            B::Div => return f.divide(g.as_constant()?, false),
            B::Rem => return f.divide(g.as_constant()?, true),
            B::Shr => return f.divide(power(&g)?, false),
            B::And => {
                let mask = g.as_constant()?.checked_add(1)?;
                return (mask > 0 && mask & (mask - 1) == 0)
                    .then(|| f.divide(mask, true))
                    .flatten();
            }
            _ => {}
        }
        let form = match op {
            B::Add => f.add(&g),
            B::Sub => f.sub(&g),
            B::Mul => f.mul(&g),
            B::Shl if signed => f.mul(&Form::constant(power(&g)?)),
            _ => return None,
        };
        match (signed, bits) {
            (true, _) => Some(form),
            (false, 64) => {
                let exact = form.exact && op == B::Add && form.nonneg;
                Some(form.with(form.nonneg && op == B::Add, exact))
            }
            _ => None,
        }
    }

    /// What an integer value of this type is.
    pub fn form(&mut self, v: Value, ty: &Type) -> Form {
        let signed = is_signed(ty);
        if let Some(f) = self.forms.get(&(v, signed)) {
            return f.clone();
        }
        if let Some(c) = self
            .ctx
            .constant_of(v)
            .and_then(|a| a.as_int(self.ctx).cloned())
        {
            let n = match signed {
                true => c.to_i64(),
                false => c.to_u64().and_then(|u| i64::try_from(u).ok()),
            };
            if let Some(n) = n {
                return Form::constant(n);
            }
        }
        let wide = matches!(ty, Type::Int(i) if i.bits == 64);
        Form::leaf(v, signed || wide, !signed && !wide, signed || !wide)
    }

    /// Whether the expression may be evaluated where C does not: it changes nothing,
    /// reads no memory, and has a value for all operands.
    pub fn is_plain(&mut self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => true,
            ExprKind::Var(v) => self.unit.var(*v).ty.is_arithmetic() && self.is_value(*v),
            ExprKind::Cast(a) => {
                e.ty.is_arithmetic()
                    && a.ty.is_arithmetic()
                    && !(a.ty.is_float() && e.ty.is_integer() && e.ty != Type::Bool)
                    && self.is_plain(a)
            }
            ExprKind::Neg(a) | ExprKind::BitNot(a) | ExprKind::Not(a) => self.is_plain(a),
            ExprKind::Binary { op, lhs, rhs } => {
                let total = match op {
                    BinaryOp::Div | BinaryOp::Rem if !e.ty.is_float() => {
                        self.constant(rhs).is_some_and(|n| n > 0)
                    }
                    BinaryOp::Shl | BinaryOp::Shr => {
                        self.constant(rhs).is_some_and(|n| (0..32).contains(&n))
                    }
                    _ => lhs.ty.is_arithmetic(),
                };
                total && self.is_plain(lhs) && self.is_plain(rhs)
            }
            ExprKind::Logical { lhs, rhs, .. } => self.is_plain(lhs) && self.is_plain(rhs),
            ExprKind::Conditional {
                cond,
                then,
                otherwise,
            } => self.is_plain(cond) && self.is_plain(then) && self.is_plain(otherwise),
            ExprKind::Call { function, args } => {
                self.unit.function(function).is_none()
                    && super::math::is_total(function)
                    && args.iter().all(|a| self.is_plain(a))
            }
            _ => false,
        }
    }
}

/// Whether values are extended by their sign.
pub fn is_signed(ty: &Type) -> bool {
    matches!(ty, Type::Int(i) if i.signed)
}

impl BinaryOp {
    /// Whether the value is an int that says whether it holds.
    pub fn is_comparison(self) -> bool {
        use BinaryOp as B;
        matches!(self, B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge)
    }
}

/// `c ? a : b` of values of a narrow integer type that C widens only to narrow the
/// choice again.
fn narrow_choice<'e>(e: &'e Expr, ty: &Type) -> Option<(&'e Expr, &'e Expr, &'e Expr)> {
    let ExprKind::Conditional {
        cond,
        then,
        otherwise,
    } = &e.kind
    else {
        return None;
    };
    let (ExprKind::Cast(a), ExprKind::Cast(b)) = (&then.kind, &otherwise.kind) else {
        return None;
    };
    let fits = ty.is_integer() && e.ty.is_integer() && a.ty == *ty && b.ty == *ty;
    fits.then_some((cond, a, b))
}
