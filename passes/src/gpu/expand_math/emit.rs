//! Arithmetic on `f64` or `f32` and its bits as short calls.

use terrace_dialects::arith::{self, CmpFPredicate, CmpIPredicate};
use terrace_dialects::{math, scf};
use terrace_ir::{Builder, InsertPoint, OpKind, Type, Value};

/// Makes ops where a builder is. Floats are `f64` and integers `i64`, or floats are
/// `f32` and integers `i32`.
pub(super) struct Emit<'a, 'c> {
    pub b: &'a mut Builder<'c>,
    f: Type,
    i: Type,
    format: Format,
}

/// What is different of the two formats.
#[derive(Debug, Clone, Copy)]
struct Format {
    /// Bits of the fraction.
    fraction: i64,
    /// What is added to exponents.
    bias: i64,
    /// The least normal number.
    least: f64,
    /// One and a half times the number from which on there are only integers.
    only_integers: f64,
}

const DOUBLE: Format = Format {
    fraction: 52,
    bias: 1023,
    least: f64::MIN_POSITIVE,
    only_integers: 6755399441055744.0,
};
const SINGLE: Format = Format {
    fraction: 23,
    bias: 127,
    least: f32::MIN_POSITIVE as f64,
    only_integers: 12582912.0,
};

/// A number as the sum of two, the second at most half a unit of the first's last place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Double {
    pub hi: Value,
    pub lo: Value,
}

impl<'a, 'c> Emit<'a, 'c> {
    pub fn new(b: &'a mut Builder<'c>) -> Emit<'a, 'c> {
        let (f, i) = (b.ctx.f64(), b.ctx.i64());
        Emit {
            b,
            f,
            i,
            format: DOUBLE,
        }
    }

    /// On `f32` and `i32`.
    pub fn single(b: &'a mut Builder<'c>) -> Emit<'a, 'c> {
        let (f, i) = (b.ctx.f32(), b.ctx.i32());
        Emit {
            b,
            f,
            i,
            format: SINGLE,
        }
    }

    fn float<K: OpKind>(&mut self, v: &[Value]) -> Value {
        self.b.value::<K>(v, self.f, &[])
    }

    fn int<K: OpKind>(&mut self, v: &[Value]) -> Value {
        self.b.value::<K>(v, self.i, &[])
    }

    pub fn c(&mut self, x: f64) -> Value {
        arith::constant_float(self.b, x, self.f)
    }

    pub fn ci(&mut self, x: i64) -> Value {
        arith::constant_int(self.b, x, self.i)
    }

    pub fn add(&mut self, x: Value, y: Value) -> Value {
        self.float::<arith::AddFOp>(&[x, y])
    }

    pub fn sub(&mut self, x: Value, y: Value) -> Value {
        self.float::<arith::SubFOp>(&[x, y])
    }

    pub fn mul(&mut self, x: Value, y: Value) -> Value {
        self.float::<arith::MulFOp>(&[x, y])
    }

    pub fn div(&mut self, x: Value, y: Value) -> Value {
        self.float::<arith::DivFOp>(&[x, y])
    }

    pub fn neg(&mut self, x: Value) -> Value {
        self.float::<arith::NegFOp>(&[x])
    }

    /// `x * y + z`, rounded once.
    pub fn fma(&mut self, x: Value, y: Value, z: Value) -> Value {
        self.float::<math::FmaOp>(&[x, y, z])
    }

    pub fn abs(&mut self, x: Value) -> Value {
        self.float::<math::AbsFOp>(&[x])
    }

    pub fn sqrt(&mut self, x: Value) -> Value {
        self.float::<math::SqrtOp>(&[x])
    }

    pub fn floor(&mut self, x: Value) -> Value {
        self.float::<math::FloorOp>(&[x])
    }

    pub fn trunc(&mut self, x: Value) -> Value {
        self.float::<math::TruncOp>(&[x])
    }

    /// `x` with the sign of `y`.
    pub fn copysign(&mut self, x: Value, y: Value) -> Value {
        self.float::<math::CopySignOp>(&[x, y])
    }

    /// `x` between two constants; NaN where it is NaN.
    pub fn clamp(&mut self, x: Value, low: f64, high: f64) -> Value {
        let (low, high) = (self.c(low), self.c(high));
        let below = self.lt(x, low);
        let x = self.select(below, low, x);
        let above = self.lt(high, x);
        self.select(above, high, x)
    }

    /// The same by the machine's minimum and maximum.
    pub fn bounded(&mut self, x: Value, low: f64, high: f64) -> Value {
        let (low, high) = (self.c(low), self.c(high));
        let x = self.float::<arith::MaximumFOp>(&[x, low]);
        self.float::<arith::MinimumFOp>(&[x, high])
    }

    pub fn select(&mut self, c: Value, x: Value, y: Value) -> Value {
        arith::SelectOp::build(self.b, c, x, y)
    }

    pub fn lt(&mut self, x: Value, y: Value) -> Value {
        arith::CmpFOp::build(self.b, CmpFPredicate::Olt, x, y)
    }

    pub fn le(&mut self, x: Value, y: Value) -> Value {
        arith::CmpFOp::build(self.b, CmpFPredicate::Ole, x, y)
    }

    pub fn eq(&mut self, x: Value, y: Value) -> Value {
        arith::CmpFOp::build(self.b, CmpFPredicate::Oeq, x, y)
    }

    /// One of them is NaN.
    pub fn nan(&mut self, x: Value, y: Value) -> Value {
        arith::CmpFOp::build(self.b, CmpFPredicate::Uno, x, y)
    }

    /// Compares with a constant.
    pub fn is(&mut self, x: Value, c: f64) -> Value {
        let c = self.c(c);
        self.eq(x, c)
    }

    pub fn is_less(&mut self, x: Value, c: f64) -> Value {
        let c = self.c(c);
        self.lt(x, c)
    }

    pub fn is_greater(&mut self, x: Value, c: f64) -> Value {
        let c = self.c(c);
        self.lt(c, x)
    }

    pub fn and(&mut self, p: Value, q: Value) -> Value {
        let ty = self.b.ctx.i1();
        self.b.value::<arith::AndIOp>(&[p, q], ty, &[])
    }

    pub fn or(&mut self, p: Value, q: Value) -> Value {
        let ty = self.b.ctx.i1();
        self.b.value::<arith::OrIOp>(&[p, q], ty, &[])
    }

    pub fn not(&mut self, p: Value) -> Value {
        let t = arith::constant_bool(self.b, true);
        let ty = self.b.ctx.i1();
        self.b.value::<arith::XOrIOp>(&[p, t], ty, &[])
    }

    // ---- bits ----

    pub fn bits(&mut self, x: Value) -> Value {
        self.int::<arith::BitcastOp>(&[x])
    }

    pub fn of_bits(&mut self, x: Value) -> Value {
        self.float::<arith::BitcastOp>(&[x])
    }

    pub fn signed(&mut self, x: Value) -> Value {
        self.float::<arith::SIToFPOp>(&[x])
    }

    pub fn iadd(&mut self, x: Value, y: Value) -> Value {
        self.int::<arith::AddIOp>(&[x, y])
    }

    pub fn isub(&mut self, x: Value, y: Value) -> Value {
        self.int::<arith::SubIOp>(&[x, y])
    }

    pub fn imul(&mut self, x: Value, y: Value) -> Value {
        self.int::<arith::MulIOp>(&[x, y])
    }

    /// Both words of an unsigned product, the low one first.
    pub fn imul_wide(&mut self, x: Value, y: Value) -> (Value, Value) {
        let t = self.i;
        let op = self.b.op::<arith::MulUIExtendedOp>(&[x, y], &[t, t], &[]);
        (op.result(self.b.ctx, 0), op.result(self.b.ctx, 1))
    }

    pub fn iand(&mut self, x: Value, y: Value) -> Value {
        self.int::<arith::AndIOp>(&[x, y])
    }

    pub fn ior(&mut self, x: Value, y: Value) -> Value {
        self.int::<arith::OrIOp>(&[x, y])
    }

    /// Shifted left by an amount below 64.
    pub fn shl(&mut self, x: Value, n: Value) -> Value {
        self.int::<arith::ShLIOp>(&[x, n])
    }

    /// Shifted right, zeros from the left.
    pub fn shr(&mut self, x: Value, n: Value) -> Value {
        self.int::<arith::ShRUIOp>(&[x, n])
    }

    /// Shifted right, the sign from the left.
    pub fn sar(&mut self, x: Value, n: Value) -> Value {
        self.int::<arith::ShRSIOp>(&[x, n])
    }

    pub fn ixor(&mut self, x: Value, y: Value) -> Value {
        self.int::<arith::XOrIOp>(&[x, y])
    }

    pub fn icmp(&mut self, p: CmpIPredicate, x: Value, y: Value) -> Value {
        arith::CmpIOp::build(self.b, p, x, y)
    }

    /// Shifts by a constant.
    pub fn shl_by(&mut self, x: Value, n: i64) -> Value {
        let n = self.ci(n);
        self.shl(x, n)
    }

    pub fn shr_by(&mut self, x: Value, n: i64) -> Value {
        let n = self.ci(n);
        self.shr(x, n)
    }

    pub fn sar_by(&mut self, x: Value, n: i64) -> Value {
        let n = self.ci(n);
        self.sar(x, n)
    }

    // ---- composed ----

    /// `coefficients[0] + x * (coefficients[1] + ...)`.
    pub fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let mut it = coefficients.iter().rev();
        let first = it.next().copied().unwrap_or(0.0);
        let mut sum = self.c(first);
        for c in it {
            let c = self.c(*c);
            sum = self.fma(sum, x, c);
        }
        sum
    }

    /// The exponent of a positive number, also of a subnormal one, above by the bias.
    pub fn exponent(&mut self, x: Value) -> Value {
        let digits = self.format.fraction + 2;
        let small = self.is_less(x, self.format.least);
        let up = self.c((1i64 << digits) as f64);
        let lifted = self.mul(x, up);
        let x = self.select(small, lifted, x);
        let (down, none) = (self.ci(-digits), self.ci(0));
        let k0 = self.select(small, down, none);
        let bits = self.bits(x);
        let k = self.shr_by(bits, self.format.fraction);
        self.iadd(k, k0)
    }

    /// The largest power of two that is sure to be a number, but for a few.
    pub fn largest_power(&self) -> i64 {
        self.format.bias - 23
    }

    /// 2 to the power of an integer, where that is a normal number.
    pub fn power_of_two(&mut self, k: Value) -> Value {
        let bias = self.ci(self.format.bias);
        let biased = self.iadd(k, bias);
        let bits = self.shl_by(biased, self.format.fraction);
        self.of_bits(bits)
    }

    /// `x` times 2 to the power of `k`, where `k` is between -2044 and 2046 (on `f32`
    /// -252 and 254): in two steps, so that subnormal results are rounded once or,
    /// rarely, twice.
    pub fn scale(&mut self, x: Value, k: Value) -> Value {
        let half = self.sar_by(k, 1);
        let rest = self.isub(k, half);
        let (p, q) = (self.power_of_two(half), self.power_of_two(rest));
        let x = self.mul(x, p);
        self.mul(x, q)
    }

    /// The nearest integer of a number below 2 to the power of 51 (on `f32` 22), as a
    /// float and as an integer: what is added leaves no room for a fraction.
    pub fn nearest(&mut self, x: Value) -> (Value, Value) {
        let magic = self.c(self.format.only_integers);
        let shifted = self.add(x, magic);
        let float = self.sub(shifted, magic);
        let (bits, zero) = (self.bits(shifted), self.bits(magic));
        (float, self.isub(bits, zero))
    }

    /// The exact sum of two numbers, as Knuth has it.
    pub fn two_sum(&mut self, x: Value, y: Value) -> Double {
        let hi = self.add(x, y);
        let back = self.sub(hi, x);
        let rest = self.sub(hi, back);
        let (dx, dy) = (self.sub(x, rest), self.sub(y, back));
        let lo = self.add(dx, dy);
        Double { hi, lo }
    }

    /// The exact sum where the first is not the smaller one, as Dekker has it.
    pub fn fast_two_sum(&mut self, x: Value, y: Value) -> Double {
        let hi = self.add(x, y);
        let back = self.sub(hi, x);
        let lo = self.sub(y, back);
        Double { hi, lo }
    }

    /// The exact product.
    pub fn two_product(&mut self, x: Value, y: Value) -> Double {
        let hi = self.mul(x, y);
        let minus = self.neg(hi);
        let lo = self.fma(x, y, minus);
        Double { hi, lo }
    }

    /// The product of two sums of two, without the product of the small parts.
    pub fn multiply(&mut self, x: Double, y: Double) -> Double {
        let p = self.two_product(x.hi, y.hi);
        let lo = self.fma(x.hi, y.lo, p.lo);
        let lo = self.fma(x.lo, y.hi, lo);
        Double { hi: p.hi, lo }
    }

    pub fn constant(&mut self, hi: f64, lo: f64) -> Double {
        Double {
            hi: self.c(hi),
            lo: self.c(lo),
        }
    }

    /// One of two computations.
    pub fn either(
        &mut self,
        condition: Value,
        types: &[Type],
        then: impl FnOnce(&mut Emit) -> Vec<Value>,
        otherwise: impl FnOnce(&mut Emit) -> Vec<Value>,
    ) -> Vec<Value> {
        let (op, yes, no) = scf::IfOp::build(self.b, condition, types, true);
        self.region(InsertPoint::End(yes), then);
        if let Some(no) = no {
            self.region(InsertPoint::End(no), otherwise);
        }
        op.op().results(self.b.ctx)
    }

    /// Fill a region that ends in `scf.yield`.
    pub fn region(&mut self, at: InsertPoint, f: impl FnOnce(&mut Emit) -> Vec<Value>) {
        let (float, int, format) = (self.f, self.i, self.format);
        self.b.with_point(at, |b| {
            let v = f(&mut Emit {
                b,
                f: float,
                i: int,
                format,
            });
            b.op::<scf::YieldOp>(&v, &[], &[]);
        });
    }

    pub fn float_type(&self) -> Type {
        self.f
    }

    pub fn int_type(&self) -> Type {
        self.i
    }
}
