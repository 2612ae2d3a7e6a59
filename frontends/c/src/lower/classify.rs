//! What kind of float a number is: `isnan` and its like, as comparisons (C11 7.12.3 and 7.12.14).
//!
//! ```text
//! isnan(x)      x is unordered with itself
//! isfinite(x)   |x| < infinity
//! isinf(x)      |x| = infinity, with the sign of x where the library's macro has it
//! isnormal(x)   least normal number <= |x| < infinity
//! signbit(x)    the bits of x, as an integer, are less than 0
//! ```

use terrace_dialects::arith::{self, CmpFOp, CmpFPredicate};
use terrace_dialects::math;
use terrace_ir::Value;

use super::{Lowerer, Result};
use crate::hir::{BinaryOp, Expr};
use crate::types::Type;

/// What a name of a classification asks, and whether the operands are of single precision.
fn lookup(name: &str) -> Option<(&str, bool)> {
    let asked = |n: &str| {
        matches!(
            n,
            "isnan"
                | "isinf"
                | "isinf_sign"
                | "isfinite"
                | "finite"
                | "isnormal"
                | "signbit"
                | "isunordered"
                | "islessgreater"
        )
    };
    let bare = name.strip_prefix("__builtin_").unwrap_or(name);
    match bare.strip_suffix('f').filter(|n| asked(n)) {
        Some(n) => Some((n, true)),
        None => asked(bare).then_some((bare, false)),
    }
}

/// Whether a function is a classification, which has a value for all numbers.
pub fn is_classification(name: &str) -> bool {
    lookup(name).is_some()
}

impl Lowerer<'_> {
    /// A call of `isnan` or its like; `None` for other functions.
    pub fn classification(&mut self, name: &str, args: &[Expr], e: &Expr) -> Result<Option<Value>> {
        let Some((asked, single)) = lookup(name) else {
            return Ok(None);
        };
        let ty = if single { Type::FLOAT } else { Type::DOUBLE };
        let two = matches!(asked, "isunordered" | "islessgreater");
        if args.len() != 1 + usize::from(two) || args.iter().any(|a| a.ty != ty) {
            return Ok(None);
        }
        let x = self.expr(&args[0])?;
        let other = args.get(1).map(|y| self.expr(y)).transpose()?;
        let holds = match asked {
            "isnan" => self.float_comparison(CmpFPredicate::Uno, x, x),
            "isunordered" => self.float_comparison(CmpFPredicate::Uno, x, other.unwrap_or(x)),
            "islessgreater" => self.float_comparison(CmpFPredicate::One, x, other.unwrap_or(x)),
            "signbit" => self.is_signed_float(x, &ty, e)?,
            "isfinite" | "finite" => self.magnitude_is(CmpFPredicate::Olt, x, &ty, e)?,
            "isnormal" => {
                let least = match single {
                    true => f64::from(f32::MIN_POSITIVE),
                    false => f64::MIN_POSITIVE,
                };
                let least = self.float_constant(least, &ty, e.span)?;
                let t = x.ty(self.ctx);
                let magnitude = self.value(math::AbsFOp::NAME, &[x], t);
                let above = self.float_comparison(CmpFPredicate::Oge, magnitude, least);
                let below = self.magnitude_is(CmpFPredicate::Olt, x, &ty, e)?;
                self.binary(arith::AndIOp::NAME, above, below)
            }
            _ => self.magnitude_is(CmpFPredicate::Oeq, x, &ty, e)?,
        };
        let one = self.bool_value(holds, &e.ty);
        if asked != "isinf_sign" {
            return Ok(Some(one));
        }
        // gcc's form of the macro `isinf` is -1 for the negative one.
        let zero = self.int_constant(0, &e.ty, e.span)?;
        let minus = self.arithmetic(BinaryOp::Sub, zero, one, &e.ty, e.span)?;
        let negative = self.is_signed_float(x, &ty, e)?;
        let t = one.ty(self.ctx);
        Ok(Some(self.value(
            arith::SelectOp::NAME,
            &[negative, minus, one],
            t,
        )))
    }

    fn float_comparison(&mut self, predicate: CmpFPredicate, a: Value, b: Value) -> Value {
        let v = CmpFOp::build(&mut self.b(), predicate, a, b);
        v.def_op().map_or(v, |op| self.folded(op))
    }

    /// How |x| compares with infinity.
    fn magnitude_is(
        &mut self,
        predicate: CmpFPredicate,
        x: Value,
        ty: &Type,
        e: &Expr,
    ) -> Result<Value> {
        let infinity = self.float_constant(f64::INFINITY, ty, e.span)?;
        let t = x.ty(self.ctx);
        let magnitude = self.value(math::AbsFOp::NAME, &[x], t);
        Ok(self.float_comparison(predicate, magnitude, infinity))
    }

    /// Whether the sign bit is set, also that of a zero or of a NaN.
    fn is_signed_float(&mut self, x: Value, ty: &Type, e: &Expr) -> Result<Value> {
        let int = match *ty == Type::FLOAT {
            true => Type::INT,
            false => Type::LONG,
        };
        let t = self.scalar_type(&int, e.span)?;
        let bits = self.value(arith::BitcastOp::NAME, &[x], t);
        let zero = self.int_constant(0, &int, e.span)?;
        Ok(self.compare(BinaryOp::Lt, bits, zero, &int))
    }
}
