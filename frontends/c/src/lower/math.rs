//! Functions of `math.h` and `stdlib.h` that are ops.

use terrace_dialects::{arith, math};
use terrace_ir::Value;

use super::{Lowerer, Result, hypot};
use crate::hir::{BinaryOp, Expr};
use crate::types::Type;

/// C's name without `f`, the op, the number of operands.
const OPS: &[(&str, &str, usize)] = &[
    ("sqrt", math::SqrtOp::NAME, 1),
    ("exp", math::ExpOp::NAME, 1),
    ("exp2", math::Exp2Op::NAME, 1),
    ("expm1", math::ExpM1Op::NAME, 1),
    ("log", math::LogOp::NAME, 1),
    ("log2", math::Log2Op::NAME, 1),
    ("log10", math::Log10Op::NAME, 1),
    ("log1p", math::Log1pOp::NAME, 1),
    ("pow", math::PowFOp::NAME, 2),
    ("sin", math::SinOp::NAME, 1),
    ("cos", math::CosOp::NAME, 1),
    ("tan", math::TanOp::NAME, 1),
    ("asin", math::AsinOp::NAME, 1),
    ("acos", math::AcosOp::NAME, 1),
    ("atan", math::AtanOp::NAME, 1),
    ("atan2", math::Atan2Op::NAME, 2),
    ("sinh", math::SinhOp::NAME, 1),
    ("cosh", math::CoshOp::NAME, 1),
    ("tanh", math::TanhOp::NAME, 1),
    ("asinh", math::AsinhOp::NAME, 1),
    ("acosh", math::AcoshOp::NAME, 1),
    ("atanh", math::AtanhOp::NAME, 1),
    ("cbrt", math::CbrtOp::NAME, 1),
    ("erf", math::ErfOp::NAME, 1),
    ("erfc", math::ErfcOp::NAME, 1),
    ("fabs", math::AbsFOp::NAME, 1),
    ("floor", math::FloorOp::NAME, 1),
    ("ceil", math::CeilOp::NAME, 1),
    ("trunc", math::TruncOp::NAME, 1),
    ("round", math::RoundOp::NAME, 1),
    // In the rounding mode that a program starts in.
    ("rint", math::RoundEvenOp::NAME, 1),
    ("nearbyint", math::RoundEvenOp::NAME, 1),
    ("roundeven", math::RoundEvenOp::NAME, 1),
    ("copysign", math::CopySignOp::NAME, 2),
    ("fma", math::FmaOp::NAME, 3),
    ("fmod", arith::RemFOp::NAME, 2),
    // A NaN counts as missing (C11 F.10.9), as in the num forms.
    ("fmin", arith::MinNumFOp::NAME, 2),
    ("fmax", arith::MaxNumFOp::NAME, 2),
];

/// The op of a function and whether it is the float form.
fn lookup(name: &str) -> Option<(&'static str, usize, bool)> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let find = |n: &str| OPS.iter().find(|o| o.0 == n).map(|o| (o.1, o.2));
    if let Some((op, n)) = find(name) {
        return Some((op, n, false));
    }
    let (op, n) = find(name.strip_suffix('f')?)?;
    Some((op, n, true))
}

/// Whether a function is an op that may be run anywhere.
pub fn is_total(name: &str) -> bool {
    lookup(name).is_some()
        || super::classify::is_classification(name)
        || super::bits::is_of_bits(name)
        || hypot::is_composed(name.strip_prefix("__builtin_").unwrap_or(name))
}

impl Lowerer<'_> {
    /// A call of a function that is an op; `None` for other functions.
    pub fn math_call(&mut self, name: &str, args: &[Expr], e: &Expr) -> Result<Option<Value>> {
        // `-fno-builtin`: it may be any function.
        if self.unit.source.dialect().no_builtins && !name.starts_with("__builtin_") {
            return Ok(None);
        }
        let bare = name.strip_prefix("__builtin_").unwrap_or(name);
        if let ("abs" | "labs" | "llabs", [a]) = (bare, args)
            && a.ty.is_integer()
        {
            let v = self.expr(a)?;
            let zero = self.int_constant(0, &a.ty, e.span)?;
            let negative = self.arithmetic(BinaryOp::Sub, zero, v, &a.ty, e.span)?;
            let c = self.compare(BinaryOp::Lt, v, zero, &a.ty);
            let t = v.ty(self.ctx);
            return Ok(Some(self.value(
                arith::SelectOp::NAME,
                &[c, negative, v],
                t,
            )));
        }
        if let Some(v) = self.classification(name, args, e)? {
            return Ok(Some(v));
        }
        if let Some(v) = self.bits_call(name, args, e)? {
            return Ok(Some(v));
        }
        if hypot::is_composed(bare) {
            return self.composed_call(bare, args, e);
        }
        let Some((op, n, single)) = lookup(name) else {
            return Ok(None);
        };
        let ty = if single { Type::FLOAT } else { Type::DOUBLE };
        if args.len() != n || args.iter().any(|a| a.ty != ty) || e.ty != ty {
            return Ok(None);
        }
        let mut operands = Vec::new();
        for a in args {
            operands.push(self.expr(a)?);
        }
        let t = self.scalar_type(&ty, e.span)?;
        Ok(Some(self.value(op, &operands, t)))
    }
}
