//! Functions of `math.h` and `stdlib.h` that are ops.

use terrace_ir::Value;

use super::{Lowerer, Result, hypot};
use crate::hir::{BinaryOp, Expr};
use crate::types::Type;

/// C's name without `f`, the op, the number of operands.
const OPS: &[(&str, &str, usize)] = &[
    ("sqrt", "math.sqrt", 1),
    ("exp", "math.exp", 1),
    ("exp2", "math.exp2", 1),
    ("expm1", "math.expm1", 1),
    ("log", "math.log", 1),
    ("log2", "math.log2", 1),
    ("log10", "math.log10", 1),
    ("log1p", "math.log1p", 1),
    ("pow", "math.powf", 2),
    ("sin", "math.sin", 1),
    ("cos", "math.cos", 1),
    ("tan", "math.tan", 1),
    ("asin", "math.asin", 1),
    ("acos", "math.acos", 1),
    ("atan", "math.atan", 1),
    ("atan2", "math.atan2", 2),
    ("sinh", "math.sinh", 1),
    ("cosh", "math.cosh", 1),
    ("tanh", "math.tanh", 1),
    ("asinh", "math.asinh", 1),
    ("acosh", "math.acosh", 1),
    ("atanh", "math.atanh", 1),
    ("cbrt", "math.cbrt", 1),
    ("erf", "math.erf", 1),
    ("erfc", "math.erfc", 1),
    ("fabs", "math.absf", 1),
    ("floor", "math.floor", 1),
    ("ceil", "math.ceil", 1),
    ("trunc", "math.trunc", 1),
    ("round", "math.round", 1),
    // In the rounding mode that a program starts in.
    ("rint", "math.roundeven", 1),
    ("nearbyint", "math.roundeven", 1),
    ("roundeven", "math.roundeven", 1),
    ("copysign", "math.copysign", 2),
    ("fma", "math.fma", 3),
    ("fmod", "arith.remf", 2),
    // A NaN counts as missing (C11 F.10.9), as in the num forms.
    ("fmin", "arith.minnumf", 2),
    ("fmax", "arith.maxnumf", 2),
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
    lookup(name).is_some() || hypot::is_composed(name.strip_prefix("__builtin_").unwrap_or(name))
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
            return Ok(Some(self.value("arith.select", &[c, negative, v], t)));
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
