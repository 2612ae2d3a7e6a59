//! `hypot`, `fdim`: functions of `math.h` that are no op but a few.

use terrace_dialects::{arith, math};
use terrace_ir::{Type as IrType, Value};

use super::{Lowerer, Result};
use crate::hir::{BinaryOp, Expr};
use crate::types::Type;

/// Squares of numbers up to this do not overflow.
const LARGE: f64 = f64::from_bits((1023 + 500) << 52);
/// Squares of numbers from this on keep all of their bits.
const SMALL: f64 = f64::from_bits((1023 - 400) << 52);
/// What brings numbers beyond the bounds between them.
const UP: f64 = f64::from_bits((1023 + 600) << 52);
const DOWN: f64 = f64::from_bits((1023 - 600) << 52);

/// Whether a function is made of ops here.
pub fn is_composed(name: &str) -> bool {
    matches!(name, "hypot" | "hypotf" | "fdim" | "fdimf")
}

/// Arithmetic on doubles as short calls.
struct Doubles<'a, 'b> {
    lower: &'a mut Lowerer<'b>,
    e: &'a Expr,
    t: IrType,
}

impl Doubles<'_, '_> {
    fn op(&mut self, name: &str, operands: &[Value]) -> Value {
        self.lower.value(name, operands, self.t)
    }

    fn c(&mut self, x: f64) -> Result<Value> {
        self.lower.float_constant(x, &Type::DOUBLE, self.e.span)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.op(arith::MulFOp::NAME, &[a, b])
    }

    fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.op(math::FmaOp::NAME, &[a, b, c])
    }

    fn neg(&mut self, a: Value) -> Value {
        self.op(arith::NegFOp::NAME, &[a])
    }

    fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.op(arith::SelectOp::NAME, &[c, a, b])
    }

    fn compare(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.lower.compare(op, a, b, &Type::DOUBLE)
    }

    /// The root of `x^2 + y^2`, `x` not the smaller one, both not negative and such
    /// that squares neither overflow nor vanish: the rounding errors of the square
    /// root's argument and of its square are computed, and one step of Newton's
    /// method takes them out (C. F. Borges, An Improved Algorithm for hypot(a,b),
    /// ACM TOMS 2021, the fused form). Less than one unit in the last place.
    fn root(&mut self, x: Value, y: Value) -> Result<Value> {
        let yy = self.mul(y, y);
        let sum = self.fma(x, x, yy);
        let h = self.op(math::SqrtOp::NAME, &[sum]);
        let (hh, xx) = (self.mul(h, h), self.mul(x, x));
        let (minus_y, minus_hh, minus_xx) = (self.neg(y), self.neg(hh), self.neg(xx));
        let rest = self.op(arith::SubFOp::NAME, &[hh, xx]);
        let rest = self.fma(minus_y, y, rest);
        let of_h = self.fma(h, h, minus_hh);
        let of_x = self.fma(x, x, minus_xx);
        let rest = self.op(arith::AddFOp::NAME, &[rest, of_h]);
        let rest = self.op(arith::SubFOp::NAME, &[rest, of_x]);
        let two = self.c(2.0)?;
        let twice = self.mul(two, h);
        let step = self.op(arith::DivFOp::NAME, &[rest, twice]);
        let root = self.op(arith::SubFOp::NAME, &[h, step]);
        let zero = self.c(0.0)?;
        let none = self.compare(BinaryOp::Eq, h, zero);
        Ok(self.select(none, h, root))
    }

    fn hypot(&mut self, a: Value, b: Value) -> Result<Value> {
        let swap = self.compare(BinaryOp::Lt, a, b);
        let (x, y) = (self.select(swap, b, a), self.select(swap, a, b));
        let (large, small) = (self.c(LARGE)?, self.c(SMALL)?);
        let (is_large, is_small) = (
            self.compare(BinaryOp::Gt, x, large),
            self.compare(BinaryOp::Lt, x, small),
        );
        let (one, up, down) = (self.c(1.0)?, self.c(UP)?, self.c(DOWN)?);
        let scale = self.select(is_small, up, one);
        let scale = self.select(is_large, down, scale);
        let back = self.select(is_small, down, one);
        let back = self.select(is_large, up, back);
        let (x, y) = (self.mul(x, scale), self.mul(y, scale));
        let root = self.root(x, y)?;
        Ok(self.mul(root, back))
    }
}

impl Lowerer<'_> {
    /// A call of one of the functions of [`is_composed`].
    pub fn composed_call(&mut self, name: &str, args: &[Expr], e: &Expr) -> Result<Option<Value>> {
        let single = name.ends_with('f');
        let ty = if single { Type::FLOAT } else { Type::DOUBLE };
        let [a, b] = args else {
            return Ok(None);
        };
        if a.ty != ty || b.ty != ty || e.ty != ty {
            return Ok(None);
        }
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let t = self.scalar_type(&ty, e.span)?;
        if name.starts_with("fdim") {
            // A NaN is not at most anything, and its difference is one.
            let rest = self.value(arith::SubFOp::NAME, &[a, b], t);
            let none = self.compare(BinaryOp::Le, a, b, &ty);
            let zero = self.zero(t);
            return Ok(Some(self.value(
                arith::SelectOp::NAME,
                &[none, zero, rest],
                t,
            )));
        }
        let (a, b) = (
            self.value(math::AbsFOp::NAME, &[a], t),
            self.value(math::AbsFOp::NAME, &[b], t),
        );
        let double = self.scalar_type(&Type::DOUBLE, e.span)?;
        let root = if single {
            // Squares of floats are exact in double, and their sums never too large.
            let wide = |l: &mut Self, v| l.convert(v, &Type::FLOAT, &Type::DOUBLE, e.span);
            let (x, y) = (wide(self, a)?, wide(self, b)?);
            let (xx, yy) = (
                self.value(arith::MulFOp::NAME, &[x, x], double),
                self.value(arith::MulFOp::NAME, &[y, y], double),
            );
            let sum = self.value(arith::AddFOp::NAME, &[xx, yy], double);
            let root = self.value(math::SqrtOp::NAME, &[sum], double);
            self.convert(root, &Type::DOUBLE, &Type::FLOAT, e.span)?
        } else {
            let mut doubles = Doubles {
                lower: self,
                e,
                t: double,
            };
            doubles.hypot(a, b)?
        };
        // An infinity counts, whatever the other one is (C11 F.10.4.3).
        let inf = self.float_constant(f64::INFINITY, &ty, e.span)?;
        let (a_inf, b_inf) = (
            self.compare(BinaryOp::Eq, a, inf, &ty),
            self.compare(BinaryOp::Eq, b, inf, &ty),
        );
        let root = self.value(arith::SelectOp::NAME, &[a_inf, inf, root], t);
        Ok(Some(self.value(
            arith::SelectOp::NAME,
            &[b_inf, inf, root],
            t,
        )))
    }
}
