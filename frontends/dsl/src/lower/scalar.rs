//! Operations on one element.

use crate::element::ElementType;
use crate::op::{Binary, Compare, Unary};
use terrace_dialects::arith::{self, CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::math;
use terrace_ir::num::{Float, FloatKind};
use terrace_ir::{AttrData, Builder, Context, Type, TypeData, Value};

/// The type of a value.
pub fn number_type(ctx: &Context, ty: ElementType) -> Type {
    match ty {
        ElementType::Bool => ctx.i1(),
        ElementType::I32 | ElementType::U32 => ctx.i32(),
        ElementType::I64 | ElementType::U64 => ctx.i64(),
        ElementType::F16 => ctx.ty(TypeData::Float(FloatKind::F16)),
        ElementType::BF16 => ctx.ty(TypeData::Float(FloatKind::BF16)),
        // A complex number is two of them.
        ElementType::F32 | ElementType::ComplexF32 => ctx.f32(),
        ElementType::F64 | ElementType::ComplexF64 => ctx.f64(),
    }
}

/// A number rounded to a float of 16 bits, as one of 32.
pub fn narrow(b: &mut Builder, v: Value, from: ElementType, to: ElementType) -> Value {
    let t = number_type(b.ctx, to);
    let narrow = match (from.is_float(), from.is_signed()) {
        (true, _) => b.value::<arith::TruncFOp>(&[v], t, &[]),
        (_, true) => b.value::<arith::SIToFPOp>(&[v], t, &[]),
        _ => b.value::<arith::UIToFPOp>(&[v], t, &[]),
    };
    wide(b, narrow)
}

/// A float of 16 bits as one of 32.
pub fn wide(b: &mut Builder, v: Value) -> Value {
    let t = b.ctx.f32();
    b.value::<arith::ExtFOp>(&[v], t, &[])
}

/// The value with these bits.
pub fn constant(b: &mut Builder, ty: ElementType, bits: u64) -> Value {
    let t = number_type(b.ctx, ty);
    let kind = match ty {
        ElementType::Bool => return arith::constant_bool(b, bits != 0),
        ElementType::F32 => FloatKind::F32,
        ElementType::F64 => FloatKind::F64,
        // What is above the width is cut off.
        _ => return arith::constant_int(b, bits as i64, t),
    };
    let value = Float::from_bits(kind, u128::from(bits));
    let value = b.ctx.attr(AttrData::Float { ty: t, value });
    arith::constant(b, value)
}

fn float(b: &mut Builder, ty: ElementType, v: f64) -> Value {
    let t = number_type(b.ctx, ty);
    arith::constant_float(b, v, t)
}

fn int(b: &mut Builder, ty: ElementType, v: i64) -> Value {
    let t = number_type(b.ctx, ty);
    arith::constant_int(b, v, t)
}

/// The greatest integer of a type, or the least.
pub fn extreme(b: &mut Builder, ty: ElementType, greatest: bool) -> Value {
    let bits = u64::from(bits_of(ty));
    match (ty, greatest) {
        (ElementType::I32 | ElementType::I64, true) => int(b, ty, (u64::MAX >> (65 - bits)) as i64),
        (ElementType::I32 | ElementType::I64, false) => int(b, ty, i64::MIN >> (64 - bits)),
        (_, true) => int(b, ty, -1),
        (_, false) => int(b, ty, 0),
    }
}

fn bits_of(ty: ElementType) -> u32 {
    match ty {
        ElementType::Bool => 1,
        ty => ty.size() as u32 * 8,
    }
}

/// Whether an integer is not 0.
pub fn is_not_zero(b: &mut Builder, v: Value) -> Value {
    let t = v.ty(b.ctx);
    let zero = arith::constant_int(b, 0, t);
    CmpIOp::build(b, CmpIPredicate::Ne, v, zero)
}

/// A function of one element of type `ty`.
pub fn unary(b: &mut Builder, op: Unary, ty: ElementType, v: Value) -> Value {
    let t = v.ty(b.ctx);
    macro_rules! of {
        ($op:path) => {
            b.value::<$op>(&[v], t, &[])
        };
    }
    match op {
        Unary::Neg if ty.is_float() => of!(arith::NegFOp),
        Unary::Neg => {
            let zero = int(b, ty, 0);
            b.value::<arith::SubIOp>(&[zero, v], t, &[])
        }
        Unary::Not => {
            let ones = constant(b, ty, u64::MAX);
            b.value::<arith::XOrIOp>(&[v, ones], t, &[])
        }
        Unary::Abs if ty.is_float() => of!(math::AbsFOp),
        Unary::Abs => {
            let zero = int(b, ty, 0);
            let negative = CmpIOp::build(b, CmpIPredicate::Slt, v, zero);
            let other = b.value::<arith::SubIOp>(&[zero, v], t, &[]);
            SelectOp::build(b, negative, other, v)
        }
        Unary::Sqrt => of!(math::SqrtOp),
        Unary::Rsqrt => of!(math::RsqrtOp),
        Unary::Cbrt => of!(math::CbrtOp),
        Unary::Exp => of!(math::ExpOp),
        Unary::Exp2 => of!(math::Exp2Op),
        Unary::ExpM1 => of!(math::ExpM1Op),
        Unary::Ln => of!(math::LogOp),
        Unary::Log2 => of!(math::Log2Op),
        Unary::Log10 => of!(math::Log10Op),
        Unary::Ln1p => of!(math::Log1pOp),
        Unary::Sin => of!(math::SinOp),
        Unary::Cos => of!(math::CosOp),
        Unary::Tan => of!(math::TanOp),
        Unary::Asin => of!(math::AsinOp),
        Unary::Acos => of!(math::AcosOp),
        Unary::Atan => of!(math::AtanOp),
        Unary::Sinh => of!(math::SinhOp),
        Unary::Cosh => of!(math::CoshOp),
        Unary::Tanh => of!(math::TanhOp),
        Unary::Asinh => of!(math::AsinhOp),
        Unary::Acosh => of!(math::AcoshOp),
        Unary::Atanh => of!(math::AtanhOp),
        Unary::Erf => of!(math::ErfOp),
        Unary::Erfc => of!(math::ErfcOp),
        Unary::Floor => of!(math::FloorOp),
        Unary::Ceil => of!(math::CeilOp),
        Unary::Trunc => of!(math::TruncOp),
        Unary::Round => of!(math::RoundOp),
        Unary::RoundTiesEven => of!(math::RoundEvenOp),
        Unary::CountOnes => of!(math::CtPopOp),
        Unary::LeadingZeros => of!(math::CountLeadingZerosOp),
        Unary::TrailingZeros => of!(math::CountTrailingZerosOp),
    }
}

/// A function of two elements of type `ty`.
pub fn binary(b: &mut Builder, op: Binary, ty: ElementType, l: Value, r: Value) -> Value {
    let t = l.ty(b.ctx);
    macro_rules! of {
        ($op:path) => {
            b.value::<$op>(&[l, r], t, &[])
        };
    }
    match (op, ty.is_float()) {
        (Binary::Add, true) => of!(arith::AddFOp),
        (Binary::Add, false) => of!(arith::AddIOp),
        (Binary::Sub, true) => of!(arith::SubFOp),
        (Binary::Sub, false) => of!(arith::SubIOp),
        (Binary::Mul, true) => of!(arith::MulFOp),
        (Binary::Mul, false) => of!(arith::MulIOp),
        (Binary::Div, true) => of!(arith::DivFOp),
        (Binary::Rem, true) => of!(arith::RemFOp),
        (Binary::Div | Binary::Rem, false) => division(b, op, ty, l, r),
        (Binary::Min, _) => least(b, ty, l, r),
        (Binary::Max, _) => greatest(b, ty, l, r),
        (Binary::Pow, _) => of!(math::PowFOp),
        (Binary::Atan2, _) => of!(math::Atan2Op),
        (Binary::CopySign, _) => of!(math::CopySignOp),
        (Binary::And, _) => of!(arith::AndIOp),
        (Binary::Or, _) => of!(arith::OrIOp),
        (Binary::Xor, _) => of!(arith::XOrIOp),
        (Binary::Shl | Binary::Shr, _) => {
            let mask = int(b, ty, i64::from(bits_of(ty)) - 1);
            let by = b.value::<arith::AndIOp>(&[r, mask], t, &[]);
            match (op, ty.is_signed()) {
                (Binary::Shl, _) => b.value::<arith::ShLIOp>(&[l, by], t, &[]),
                (_, true) => b.value::<arith::ShRSIOp>(&[l, by], t, &[]),
                (_, false) => b.value::<arith::ShRUIOp>(&[l, by], t, &[]),
            }
        }
    }
}

/// A quotient or remainder of integers, which is defined for all of them: the machine divides by 1
/// where the program does by 0, and where a quotient would not fit.
fn division(b: &mut Builder, op: Binary, ty: ElementType, l: Value, r: Value) -> Value {
    let t = l.ty(b.ctx);
    let (zero, one) = (int(b, ty, 0), int(b, ty, 1));
    let by_zero = CmpIOp::build(b, CmpIPredicate::Eq, r, zero);
    let mut replaced = by_zero;
    let mut wraps = None;
    if ty.is_signed() {
        let minus_one = int(b, ty, -1);
        // x / -1 is -x also for the least x, and x % -1 is 0.
        let negates = CmpIOp::build(b, CmpIPredicate::Eq, r, minus_one);
        replaced = b.value::<arith::OrIOp>(&[by_zero, negates], b.ctx.i1(), &[]);
        wraps = Some(negates);
    }
    let divisor = SelectOp::build(b, replaced, one, r);
    match op {
        Binary::Div => {
            let quotient = match ty.is_signed() {
                true => b.value::<arith::DivSIOp>(&[l, divisor], t, &[]),
                false => b.value::<arith::DivUIOp>(&[l, divisor], t, &[]),
            };
            let quotient = match wraps {
                Some(negates) => {
                    let negated = b.value::<arith::SubIOp>(&[zero, l], t, &[]);
                    SelectOp::build(b, negates, negated, quotient)
                }
                None => quotient,
            };
            SelectOp::build(b, by_zero, zero, quotient)
        }
        _ => {
            let rest = match ty.is_signed() {
                true => b.value::<arith::RemSIOp>(&[l, divisor], t, &[]),
                false => b.value::<arith::RemUIOp>(&[l, divisor], t, &[]),
            };
            SelectOp::build(b, by_zero, l, rest)
        }
    }
}

/// The lesser of two.
pub fn least(b: &mut Builder, ty: ElementType, l: Value, r: Value) -> Value {
    let t = l.ty(b.ctx);
    match (ty.is_float(), ty.is_signed()) {
        (true, _) => b.value::<arith::MinNumFOp>(&[l, r], t, &[]),
        (_, true) => b.value::<arith::MinSIOp>(&[l, r], t, &[]),
        _ => b.value::<arith::MinUIOp>(&[l, r], t, &[]),
    }
}

/// The greater of two.
pub fn greatest(b: &mut Builder, ty: ElementType, l: Value, r: Value) -> Value {
    let t = l.ty(b.ctx);
    match (ty.is_float(), ty.is_signed()) {
        (true, _) => b.value::<arith::MaxNumFOp>(&[l, r], t, &[]),
        (_, true) => b.value::<arith::MaxSIOp>(&[l, r], t, &[]),
        _ => b.value::<arith::MaxUIOp>(&[l, r], t, &[]),
    }
}

/// The first times the second, plus the third, rounded once.
pub fn mul_add(b: &mut Builder, all: [Value; 3]) -> Value {
    let t = all[0].ty(b.ctx);
    b.value::<math::FmaOp>(&all, t, &[])
}

/// A comparison of elements of type `ty`.
pub fn compare(b: &mut Builder, op: Compare, ty: ElementType, l: Value, r: Value) -> Value {
    if ty.is_float() {
        let p = match op {
            Compare::Eq => CmpFPredicate::Oeq,
            Compare::Ne => CmpFPredicate::Une,
            Compare::Lt => CmpFPredicate::Olt,
            Compare::Le => CmpFPredicate::Ole,
            Compare::Gt => CmpFPredicate::Ogt,
            Compare::Ge => CmpFPredicate::Oge,
        };
        return CmpFOp::build(b, p, l, r);
    }
    let p = match (op, ty.is_signed()) {
        (Compare::Eq, _) => CmpIPredicate::Eq,
        (Compare::Ne, _) => CmpIPredicate::Ne,
        (Compare::Lt, true) => CmpIPredicate::Slt,
        (Compare::Le, true) => CmpIPredicate::Sle,
        (Compare::Gt, true) => CmpIPredicate::Sgt,
        (Compare::Ge, true) => CmpIPredicate::Sge,
        (Compare::Lt, false) => CmpIPredicate::Ult,
        (Compare::Le, false) => CmpIPredicate::Ule,
        (Compare::Gt, false) => CmpIPredicate::Ugt,
        (Compare::Ge, false) => CmpIPredicate::Uge,
    };
    CmpIOp::build(b, p, l, r)
}

/// A value as another type, as Rust's `as` converts.
pub fn cast(b: &mut Builder, v: Value, from: ElementType, to: ElementType) -> Value {
    use ElementType::Bool;
    let t = number_type(b.ctx, to);
    match (from, to) {
        (from, to) if from == to => v,
        (from, Bool) => {
            let zero = constant(b, from, 0);
            compare(b, Compare::Ne, from, v, zero)
        }
        (Bool, to) if to.is_float() => b.value::<arith::UIToFPOp>(&[v], t, &[]),
        (Bool, _) => b.value::<arith::ExtUIOp>(&[v], t, &[]),
        (ElementType::F32, ElementType::F64) => b.value::<arith::ExtFOp>(&[v], t, &[]),
        (ElementType::F64, ElementType::F32) => b.value::<arith::TruncFOp>(&[v], t, &[]),
        (from, to) if from.is_float() => to_integer(b, v, from, to),
        (from, to) if to.is_float() => match from.is_signed() {
            true => b.value::<arith::SIToFPOp>(&[v], t, &[]),
            false => b.value::<arith::UIToFPOp>(&[v], t, &[]),
        },
        (from, to) => match from.size().cmp(&to.size()) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => b.value::<arith::TruncIOp>(&[v], t, &[]),
            std::cmp::Ordering::Less if from.is_signed() => b.value::<arith::ExtSIOp>(&[v], t, &[]),
            std::cmp::Ordering::Less => b.value::<arith::ExtUIOp>(&[v], t, &[]),
        },
    }
}

/// The bits of a value as one of another type of the same size.
pub fn reinterpret(b: &mut Builder, v: Value, to: ElementType) -> Value {
    let t = number_type(b.ctx, to);
    match v.ty(b.ctx) == t {
        true => v,
        false => b.value::<arith::BitcastOp>(&[v], t, &[]),
    }
}

/// A float cut to an integer that there is. The op for it takes only floats that fit.
fn to_integer(b: &mut Builder, v: Value, from: ElementType, to: ElementType) -> Value {
    let t = number_type(b.ctx, to);
    let bits = bits_of(to) as i32;
    // Powers of two, which floats hold exactly. What is above -1 and below 0 becomes 0.
    let (low, high) = match to.is_signed() {
        true => (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1)),
        false => (0.0, 2f64.powi(bits)),
    };
    let (zero, low, high) = (
        float(b, from, 0.0),
        float(b, from, low),
        float(b, from, high),
    );
    let above = CmpFOp::build(b, CmpFPredicate::Oge, v, low);
    let below = CmpFOp::build(b, CmpFPredicate::Olt, v, high);
    let fits = b.value::<arith::AndIOp>(&[above, below], b.ctx.i1(), &[]);
    let fitting = SelectOp::build(b, fits, v, zero);
    let cut = match to.is_signed() {
        true => b.value::<arith::FPToSIOp>(&[fitting], t, &[]),
        false => b.value::<arith::FPToUIOp>(&[fitting], t, &[]),
    };
    let too_high = CmpFOp::build(b, CmpFPredicate::Oge, v, high);
    let greatest = extreme(b, to, true);
    let cut = SelectOp::build(b, too_high, greatest, cut);
    let too_low = CmpFOp::build(b, CmpFPredicate::Olt, v, low);
    let least = extreme(b, to, false);
    SelectOp::build(b, too_low, least, cut)
}
