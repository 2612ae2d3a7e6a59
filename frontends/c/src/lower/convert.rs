//! Types of values, constants, conversions and comparisons.

use terrace_dialects::arith;
use terrace_dialects::arith::{CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate};
use terrace_ir::{Type as IrType, Value};

use super::expr::is_signed;
use super::{Lowerer, Refusal, Result};
use crate::hir::{BinaryOp, Span};
use crate::types::{Float, Type};

impl Lowerer<'_> {
    /// The IR type of an arithmetic type; `_Bool` is an i8 of 0 or 1.
    pub fn arithmetic_type(&self, ty: &Type) -> Option<IrType> {
        Some(match ty {
            Type::Bool => self.ctx.int(8),
            Type::Int(i) => self.ctx.int(u32::from(i.bits)),
            Type::Float(Float::F32) => self.ctx.f32(),
            Type::Float(Float::F64) => self.ctx.f64(),
            _ => return None,
        })
    }

    /// As [`Self::arithmetic_type`], refusing others.
    pub fn scalar_type(&self, ty: &Type, span: Span) -> Result<IrType> {
        self.arithmetic_type(ty)
            .ok_or_else(|| Refusal::new(span, format!("a value of type {}", self.type_name(ty))))
    }

    /// The type in C's words, for messages.
    pub fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Int(i) => {
                use crate::types::Rank as R;
                let name = match i.rank {
                    R::Char => "char",
                    R::Short => "short",
                    R::Int => "int",
                    R::Long => "long",
                    R::LongLong => "long long",
                };
                match i.signed {
                    true => name.into(),
                    false => format!("unsigned {name}"),
                }
            }
            Type::Float(Float::F32) => "float".into(),
            Type::Float(Float::F64) => "double".into(),
            Type::Pointer(p) => format!("{} *", self.type_name(&p.to)),
            Type::Array(a) => format!("array of {}", self.type_name(&a.of)),
            Type::Record(r) => {
                let r = &self.unit.records[*r];
                let kind = if r.union { "union" } else { "struct" };
                format!("{kind} {}", r.name)
            }
            Type::Function(_) => "a function".into(),
            Type::Other(name) => name.to_string(),
        }
    }

    pub fn int_constant(&mut self, n: i128, ty: &Type, span: Span) -> Result<Value> {
        let t = self.scalar_type(ty, span)?;
        // Attributes wrap to their width: an unsigned number above i64 keeps its bits.
        let a = self.ctx.int_attr(t, n as i64);
        Ok(self.constant_value(a, t))
    }

    pub fn float_constant(&mut self, x: f64, ty: &Type, span: Span) -> Result<Value> {
        let t = self.scalar_type(ty, span)?;
        let a = self.ctx.float_attr(t, x);
        Ok(self.constant_value(a, t))
    }

    pub fn index_constant(&mut self, n: i64) -> Value {
        let (a, t) = (self.ctx.index_attr(n), self.ctx.index());
        self.constant_value(a, t)
    }

    pub fn flag_constant(&mut self, b: bool) -> Value {
        let (a, t) = (self.ctx.bool_attr(b), self.ctx.i1());
        self.constant_value(a, t)
    }

    /// The zero of an IR type of a scalar.
    pub fn zero(&mut self, ty: IrType) -> Value {
        let a = match ty.is_float(self.ctx) {
            true => self.ctx.float_attr(ty, 0.0),
            false => self.ctx.int_attr(ty, 0),
        };
        self.constant_value(a, ty)
    }

    /// A conversion of an arithmetic value (C11 6.3.1).
    pub fn convert(&mut self, v: Value, from: &Type, to: &Type, span: Span) -> Result<Value> {
        if from == to {
            return Ok(v);
        }
        let t = self.scalar_type(to, span)?;
        let s = self.scalar_type(from, span)?;
        if *to == Type::Bool {
            let zero = self.zero(s);
            let c = self.compare(BinaryOp::Ne, v, zero, from);
            return Ok(self.bool_value(c, to));
        }
        match (from.is_float(), to.is_float()) {
            (true, true) => Ok(match (s.bit_width(self.ctx), t.bit_width(self.ctx)) {
                (Some(a), Some(b)) if a < b => self.value(arith::ExtFOp::NAME, &[v], t),
                (Some(a), Some(b)) if a > b => self.value(arith::TruncFOp::NAME, &[v], t),
                _ => v,
            }),
            (true, false) => Ok(self.float_to_int(v, to, t)),
            (false, true) => {
                let name = match is_signed(from) {
                    true => arith::SIToFPOp::NAME,
                    false => arith::UIToFPOp::NAME,
                };
                Ok(self.value(name, &[v], t))
            }
            (false, false) => Ok(self.int_to_int(v, from, to, t)),
        }
    }

    /// Narrow integers by way of int, as the machine's compilers do: what does not fit
    /// is undefined in C, and wraps then.
    fn float_to_int(&mut self, v: Value, to: &Type, t: IrType) -> Value {
        let bits = t.int_width(self.ctx).unwrap_or(64);
        let name = match is_signed(to) || bits < 32 {
            true => arith::FPToSIOp::NAME,
            false => arith::FPToUIOp::NAME,
        };
        if bits < 32 {
            let wide = self.ctx.i32();
            let w = self.value(name, &[v], wide);
            return self.value(arith::TruncIOp::NAME, &[w], t);
        }
        self.value(name, &[v], t)
    }

    fn int_to_int(&mut self, v: Value, from: &Type, to: &Type, t: IrType) -> Value {
        let form = self.form(v, from);
        let (a, b) = (
            v.ty(self.ctx).int_width(self.ctx).unwrap_or(64),
            t.int_width(self.ctx).unwrap_or(64),
        );
        let r = match a.cmp(&b) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => match self.narrowed(v, t) {
                Some(n) => n,
                None => self.value(arith::TruncIOp::NAME, &[v], t),
            },
            std::cmp::Ordering::Less => {
                let name = match is_signed(from) {
                    true => arith::ExtSIOp::NAME,
                    false => arith::ExtUIOp::NAME,
                };
                self.value(name, &[v], t)
            }
        };
        // What the number is as an index, where the conversion keeps it.
        let key = (r, is_signed(to));
        let kept = if a > b {
            None
        } else if b == 64 {
            let exact = form.exact && (is_signed(to) || form.nonneg);
            Some(form.with(form.nonneg, exact))
        } else if is_signed(to) {
            (is_signed(from) || a < b).then_some(form)
        } else {
            (form.nonneg && form.exact).then_some(form)
        };
        if let Some(f) = kept
            && !self.forms.contains_key(&key)
            && (r == v || self.is_new(r))
            && self.ctx.constant_of(r).is_none()
        {
            self.forms.insert(key, f);
        }
        r
    }

    /// The low bits of what C computes in int, computed in narrow type `t` where an
    /// operand comes from there: a sum in a short is a reduction then like any other.
    fn narrowed(&mut self, v: Value, t: IrType) -> Option<Value> {
        let op = v.def_op()?;
        let name = op.name(self.ctx);
        let name = match name {
            arith::AddIOp::NAME
            | arith::SubIOp::NAME
            | arith::MulIOp::NAME
            | arith::AndIOp::NAME
            | arith::OrIOp::NAME
            | arith::XOrIOp::NAME
            | arith::SelectOp::NAME => name.to_string(),
            _ => return None,
        };
        let mut operands = op.operands(self.ctx);
        let first = usize::from(name == arith::SelectOp::NAME);
        let from_there = |l: &Self, o: Value| {
            l.before_widening(o)
                .filter(|x| l.ctx.constant_int(o).is_none() && x.ty(l.ctx) == t)
        };
        if !operands[first..]
            .iter()
            .any(|o| from_there(self, *o).is_some())
        {
            return None;
        }
        for o in &mut operands[first..] {
            *o = match (from_there(self, *o), self.ctx.constant_int(*o)) {
                (Some(x), _) => x,
                (None, Some(n)) => {
                    let a = self.ctx.int_attr(t, n);
                    self.constant_value(a, t)
                }
                (None, None) => self.value(arith::TruncIOp::NAME, &[*o], t),
            };
        }
        Some(self.value(&name, &operands, t))
    }

    /// The narrower integer that a value is the extension of.
    fn before_widening(&self, v: Value) -> Option<Value> {
        let op = v.def_op()?;
        let is = matches!(
            op.name(self.ctx),
            arith::ExtSIOp::NAME | arith::ExtUIOp::NAME
        );
        is.then(|| op.operand(self.ctx, 0))
    }

    /// Operands of a comparison before both were widened alike, and whether they compare as
    /// signed. A sign extension keeps both orders, so that the type that is compared in says
    /// which one is meant; behind a zero extension numbers are as they were without a sign,
    /// in either order. Flags are left as they are.
    fn compared(&self, a: Value, b: Value, signed: bool) -> Option<(Value, Value, bool)> {
        let (x, y) = (self.before_widening(a)?, self.before_widening(b)?);
        let (f, g) = (a.def_op()?.name(self.ctx), b.def_op()?.name(self.ctx));
        let narrow = x.ty(self.ctx) == y.ty(self.ctx)
            && matches!(x.ty(self.ctx).int_width(self.ctx), Some(8 | 16));
        (f == g && narrow).then_some((x, y, signed && f == arith::ExtSIOp::NAME))
    }

    /// A comparison of values of a type; integers of index type compare as signed.
    pub fn compare(&mut self, op: BinaryOp, a: Value, b: Value, ty: &Type) -> Value {
        use BinaryOp as B;
        if ty.is_float() {
            use CmpFPredicate as P;
            let p = match op {
                B::Eq => P::Oeq,
                B::Lt => P::Olt,
                B::Le => P::Ole,
                B::Gt => P::Ogt,
                B::Ge => P::Oge,
                // C's != holds of a NaN.
                _ => P::Une,
            };
            let v = CmpFOp::build(&mut self.b(), p, a, b);
            return v.def_op().map_or(v, |op| self.folded(op));
        }
        use CmpIPredicate as P;
        let signed = is_signed(ty);
        let (a, b, signed) = self.compared(a, b, signed).unwrap_or((a, b, signed));
        let p = match (op, signed) {
            (B::Eq, _) => P::Eq,
            (B::Lt, true) => P::Slt,
            (B::Le, true) => P::Sle,
            (B::Gt, true) => P::Sgt,
            (B::Ge, true) => P::Sge,
            (B::Lt, false) => P::Ult,
            (B::Le, false) => P::Ule,
            (B::Gt, false) => P::Ugt,
            (B::Ge, false) => P::Uge,
            _ => P::Ne,
        };
        let v = CmpIOp::build(&mut self.b(), p, a, b);
        v.def_op().map_or(v, |op| self.folded(op))
    }

    /// 0 or 1 of an integer type.
    pub fn bool_value(&mut self, c: Value, ty: &Type) -> Value {
        let t = self.arithmetic_type(ty).unwrap_or_else(|| self.ctx.i32());
        match self.ctx.constant_int(c) {
            Some(n) => {
                let a = self.ctx.int_attr(t, i64::from(n != 0));
                self.constant_value(a, t)
            }
            None => self.value(arith::ExtUIOp::NAME, &[c], t),
        }
    }

    pub fn not(&mut self, c: Value) -> Value {
        if let Some(n) = self.ctx.constant_int(c) {
            return self.flag_constant(n == 0);
        }
        let one = self.flag_constant(true);
        let v = self.binary(arith::XOrIOp::NAME, c, one);
        // The opposite of one inequality is one.
        if self.is_new(v)
            && let Some([(f, false)]) = self.conditions.get(&c).map(Vec::as_slice)
        {
            let opposite = super::form::Form::constant(-1).sub(f);
            self.conditions.insert(v, vec![(opposite, false)]);
        }
        v
    }
}
