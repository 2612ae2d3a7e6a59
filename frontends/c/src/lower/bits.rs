//! gcc's builtins that count and turn bits: `__builtin_popcount` and its like.

use terrace_dialects::{arith, math};
use terrace_ir::Value;

use super::{Lowerer, Result};
use crate::hir::{BinaryOp, Expr};
use crate::types::{Int, Type};

/// What a builtin does, and the width of its operand.
fn lookup(name: &str) -> Option<(&str, u32)> {
    let bare = match name {
        "ffs" | "ffsl" | "ffsll" => name,
        _ => name.strip_prefix("__builtin_")?,
    };
    if let Some(width) = bare.strip_prefix("bswap") {
        let width = width.parse().ok()?;
        return matches!(width, 16 | 32 | 64).then_some(("bswap", width));
    }
    let counts = |n: &str| matches!(n, "popcount" | "parity" | "clz" | "ctz" | "ffs" | "clrsb");
    let long = bare.strip_suffix("ll").or_else(|| bare.strip_suffix('l'));
    match long.filter(|n| counts(n)) {
        Some(n) => Some((n, 64)),
        None => counts(bare).then_some((bare, 32)),
    }
}

/// Whether a function is such a builtin. Those that C leaves undefined for 0 have a value here.
pub fn is_of_bits(name: &str) -> bool {
    lookup(name).is_some()
}

impl Lowerer<'_> {
    /// A call of such a builtin; `None` for other functions.
    pub fn bits_call(&mut self, name: &str, args: &[Expr], e: &Expr) -> Result<Option<Value>> {
        let (Some((asked, width)), [a]) = (lookup(name), args) else {
            return Ok(None);
        };
        if !matches!(&a.ty, Type::Int(Int { bits, .. }) if u32::from(*bits) == width) {
            return Ok(None);
        }
        let x = self.expr(a)?;
        let t = x.ty(self.ctx);
        if asked == "bswap" {
            return self.turned(x, width, &a.ty, e).map(Some);
        }
        let count = match asked {
            "popcount" | "parity" => self.value(math::CtPopOp::NAME, &[x], t),
            "clz" => self.value(math::CountLeadingZerosOp::NAME, &[x], t),
            "clrsb" => {
                // As many bits behind the first are what it is.
                let sign = self.int_constant(i128::from(width - 1), &a.ty, e.span)?;
                let sign = self.binary(arith::ShRSIOp::NAME, x, sign);
                let other = self.binary(arith::XOrIOp::NAME, x, sign);
                let zeros = self.value(math::CountLeadingZerosOp::NAME, &[other], t);
                let one = self.int_constant(1, &a.ty, e.span)?;
                self.binary(arith::SubIOp::NAME, zeros, one)
            }
            _ => self.value(math::CountTrailingZerosOp::NAME, &[x], t),
        };
        let count = match asked {
            "parity" => {
                let one = self.int_constant(1, &a.ty, e.span)?;
                self.binary(arith::AndIOp::NAME, count, one)
            }
            "ffs" => {
                let zero = self.int_constant(0, &a.ty, e.span)?;
                let one = self.int_constant(1, &a.ty, e.span)?;
                let place = self.binary(arith::AddIOp::NAME, count, one);
                let none = self.compare(BinaryOp::Eq, x, zero, &a.ty);
                self.value(arith::SelectOp::NAME, &[none, zero, place], t)
            }
            _ => count,
        };
        let to = self.scalar_type(&e.ty, e.span)?;
        Ok(Some(match width {
            64 => self.value(arith::TruncIOp::NAME, &[count], to),
            _ => count,
        }))
    }

    /// The bytes of a number the other way round, pairs of ever smaller parts at a time.
    fn turned(&mut self, x: Value, width: u32, ty: &Type, e: &Expr) -> Result<Value> {
        let mut x = x;
        let mut part = width / 2;
        while part >= 8 {
            // The lower one of each two parts.
            let mut mask: u64 = 0;
            for at in (0..width).step_by(2 * part as usize) {
                mask |= ((1 << part) - 1) << at;
            }
            let shift = self.int_constant(i128::from(part), ty, e.span)?;
            let mask = self.int_constant(i128::from(mask), ty, e.span)?;
            let low = self.binary(arith::AndIOp::NAME, x, mask);
            let up = self.binary(arith::ShLIOp::NAME, low, shift);
            let high = self.binary(arith::ShRUIOp::NAME, x, shift);
            let down = self.binary(arith::AndIOp::NAME, high, mask);
            x = self.binary(arith::OrIOp::NAME, up, down);
            part /= 2;
        }
        Ok(x)
    }
}
