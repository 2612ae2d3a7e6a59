//! The `math` dialect, as far as the machine computes it.

use super::kinds::Kind;
use super::lower::{Lower, Res};
use crate::ptx::modifiers::{Rnd, TestClass};
use crate::ptx::{Cmp, Operand, Reg, RegTy, Ty};
use terrace_dialects::arith;
use terrace_dialects::arith::{fastmath, fastmath_of};
use terrace_dialects::math;
use terrace_ir::Op;

/// What the error says of functions that are not there.
const APPROXIMATED: &str =
    "exp, exp2, log, log2, log10, powf, rsqrt, sin, cos, tan and tanh on f32, f16 and bf16";

impl Lower<'_> {
    /// A `math` op on one lane of floats; none if it is no op that exists here.
    pub fn math_op(&mut self, op: Op, name: &str, kind: Kind, args: &[Reg]) -> Option<Res<Reg>> {
        if !kind.is_float() {
            return None;
        }
        let ty = Self::float_ty(kind);
        if let Some(r) = self.bitwise(name, kind, args) {
            return Some(Ok(r));
        }
        if name == math::FmaOp::NAME {
            let &[a, b, c] = args else { return None };
            return Some(self.fma(kind, a, b, c));
        }
        if name == math::PowFOp::NAME
            && let &[a, b] = args
            && kind != Kind::F64
            && self.flags & fastmath::AFN != 0
        {
            let (a, b) = (self.computed(kind, a), self.computed(kind, b));
            let log = self.b.lg2_approx(Ty::F32, a);
            let product = self.b.mul(Ty::F32, b, log);
            let r = self.b.ex2_approx(Ty::F32, product);
            return Some(Ok(self.stored(kind, r)));
        }
        let &[a] = args else { return None };
        match name {
            math::IsNaNOp::NAME => Some(Ok(self.class(kind, TestClass::NotANumber, a))),
            math::IsInfOp::NAME => Some(Ok(self.class(kind, TestClass::Infinite, a))),
            math::IsFiniteOp::NAME => Some(Ok(self.class(kind, TestClass::Finite, a))),
            math::IsNormalOp::NAME => Some(Ok(self.is_normal(kind, a))),
            math::CeilOp::NAME
            | math::FloorOp::NAME
            | math::TruncOp::NAME
            | math::RoundEvenOp::NAME
            | math::RoundOp::NAME
            | math::SqrtOp::NAME => {
                let a = self.computed(kind, a);
                let r = match name {
                    math::CeilOp::NAME => self.b.cvt_rnd(Rnd::Rpi, ty, ty, a),
                    math::FloorOp::NAME => self.b.cvt_rnd(Rnd::Rmi, ty, ty, a),
                    math::TruncOp::NAME => self.b.cvt_rnd(Rnd::Rzi, ty, ty, a),
                    math::RoundEvenOp::NAME => self.b.cvt_rnd(Rnd::Rni, ty, ty, a),
                    math::RoundOp::NAME => self.round_away(ty, a),
                    _ if ty == Ty::F32 && self.flags & fastmath::AFN != 0 => {
                        self.b.sqrt_approx(ty, a)
                    }
                    _ => self.b.sqrt(ty, a),
                };
                Some(Ok(self.stored(kind, r)))
            }
            _ => {
                if (kind == Kind::F64 || self.may_approximate(op))
                    && let Some(r) = self.approximate(op, name, kind, a)
                {
                    return Some(r);
                }
                let x = self.computed(kind, a);
                match self.single_function(name, x) {
                    Some(r) => Some(Ok(self.stored(kind, r))),
                    None => self.approximate(op, name, kind, a),
                }
            }
        }
    }

    /// Signs, which are bits.
    fn bitwise(&mut self, name: &str, kind: Kind, args: &[Reg]) -> Option<Reg> {
        let ty = Self::float_ty(kind);
        Some(match (name, args) {
            (math::AbsFOp::NAME, &[a]) if kind.is_half() => self.b.and(Ty::B16, a, 0x7fff),
            (math::AbsFOp::NAME, &[a]) => self.b.abs(ty, a),
            (math::CopySignOp::NAME, &[a, b]) if kind.is_half() => {
                let magnitude = self.b.and(Ty::B16, a, 0x7fff);
                let sign = self.b.and(Ty::B16, b, 0x8000);
                self.b.or(Ty::B16, magnitude, sign)
            }
            // PTX takes the sign first.
            (math::CopySignOp::NAME, &[a, b]) => self.b.copysign(ty, b, a),
            _ => return None,
        })
    }

    /// Rounded once; through a wider type it would be twice.
    fn fma(&mut self, kind: Kind, a: Reg, b: Reg, c: Reg) -> Res<Reg> {
        let ty = match kind {
            Kind::F16 => Ty::F16,
            Kind::Bf16 => {
                self.needs(80).map_err(|e| format!("on bf16 {e}"))?;
                Ty::Bf16
            }
            _ => Self::float_ty(kind),
        };
        Ok(self.b.fma(ty, a, b, c))
    }

    /// To the nearest integer, halves away from zero: cut, and a step outwards
    /// where at least a half was cut off. The difference is exact.
    fn round_away(&mut self, ty: Ty, a: Reg) -> Reg {
        let cut = self.b.cvt_rnd(Rnd::Rzi, ty, ty, a);
        let rest = self.b.sub(ty, a, cut);
        let rest = self.b.abs(ty, rest);
        let (half, one) = match ty {
            Ty::F64 => (Operand::from(0.5f64), Operand::from(1f64)),
            _ => (Operand::from(0.5f32), Operand::from(1f32)),
        };
        let away = self.b.setp(Cmp::Ge, ty, rest, half);
        let step = self.b.copysign(ty, a, one);
        let further = self.b.add(ty, cut, step);
        self.b.selp(ty, further, cut, away)
    }

    fn class(&mut self, kind: Kind, class: TestClass, a: Reg) -> Reg {
        let a = self.computed(kind, a);
        self.b.testp(class, Self::float_ty(kind), a)
    }

    fn is_normal(&mut self, kind: Kind, a: Reg) -> Reg {
        if !kind.is_half() {
            return self.b.testp(TestClass::Normal, Self::float_ty(kind), a);
        }
        // A subnormal half is normal as f32, so its bits are looked at.
        let (least, infinity) = if kind == Kind::F16 {
            (0x0400, 0x7c00)
        } else {
            (0x0080, 0x7f80)
        };
        let magnitude = self.b.and(Ty::B16, a, 0x7fff);
        let big = self.b.setp(Cmp::Ge, Ty::U16, magnitude, least);
        let finite = self.b.setp(Cmp::Lt, Ty::U16, magnitude, infinity);
        self.b.and(Ty::Pred, big, finite)
    }

    fn may_approximate(&self, op: Op) -> bool {
        fastmath_of(self.ctx, op) & fastmath::AFN != 0
    }

    /// The hardware's approximations, where the op allows them.
    fn approximate(&mut self, op: Op, name: &str, kind: Kind, a: Reg) -> Option<Res<Reg>> {
        let known = matches!(
            name,
            math::ExpOp::NAME
                | math::Exp2Op::NAME
                | math::LogOp::NAME
                | math::Log2Op::NAME
                | math::Log10Op::NAME
                | math::RsqrtOp::NAME
                | math::SinOp::NAME
                | math::CosOp::NAME
                | math::TanOp::NAME
                | math::TanhOp::NAME
        );
        if !known {
            return None;
        }
        if kind == Kind::F64 {
            return Some(Err(format!(
                "on f64 has no GPU version; there are approximations of {APPROXIMATED}"
            )));
        }
        if !self.may_approximate(op) {
            return Some(Err(format!(
                "has only an approximate GPU version, which fastmath<afn> would allow; there are approximations of {APPROXIMATED}"
            )));
        }
        let a = self.computed(kind, a);
        let r = match name {
            math::ExpOp::NAME => {
                let scaled = self.b.mul(Ty::F32, a, std::f32::consts::LOG2_E);
                self.b.ex2_approx(Ty::F32, scaled)
            }
            math::Exp2Op::NAME => self.b.ex2_approx(Ty::F32, a),
            math::LogOp::NAME | math::Log10Op::NAME => {
                let log = self.b.lg2_approx(Ty::F32, a);
                let unit = match name {
                    math::LogOp::NAME => std::f32::consts::LN_2,
                    _ => std::f32::consts::LOG10_2,
                };
                self.b.mul(Ty::F32, log, unit)
            }
            math::Log2Op::NAME => self.b.lg2_approx(Ty::F32, a),
            math::TanOp::NAME => {
                let (sin, cos) = (self.b.sin_approx(Ty::F32, a), self.b.cos_approx(Ty::F32, a));
                self.b.div_approx(Ty::F32, sin, cos)
            }
            // 1 - 2 / (e^2x + 1), where there is no instruction.
            math::TanhOp::NAME if self.unit.module.arch.sm < 75 => {
                let twice = self.b.mul(Ty::F32, a, 2.0 * std::f32::consts::LOG2_E);
                let power = self.b.ex2_approx(Ty::F32, twice);
                let sum = self.b.add(Ty::F32, power, 1.0f32);
                let part = self.b.rcp_approx(Ty::F32, sum);
                self.b.fma(Ty::F32, part, -2.0f32, 1.0f32)
            }
            math::RsqrtOp::NAME => self.b.rsqrt_approx(Ty::F32, a),
            math::SinOp::NAME => self.b.sin_approx(Ty::F32, a),
            math::CosOp::NAME => self.b.cos_approx(Ty::F32, a),
            _ => self.b.tanh_approx(Ty::F32, a),
        };
        Some(Ok(self.stored(kind, r)))
    }

    /// What is said of an arithmetic op that is not there.
    pub fn no_such_function(name: &str) -> String {
        match name {
            arith::RemFOp::NAME => {
                "has no GPU version; addf, subf, mulf, divf, negf and the minima and maxima have"
                    .to_string()
            }
            n if n.starts_with("math.") => format!(
                "has no GPU version; sqrt, fma, absf, copysign, ceil, floor, trunc, round, roundeven, the tests isnan to isnormal, absi, ctpop, ctlz and cttz have, on f32 and narrower floats exp, exp2, log, log2, rsqrt and erf, and with fastmath<afn> approximations of {APPROXIMATED}"
            ),
            _ => "has no GPU version for these types".to_string(),
        }
    }

    /// A float constant from its bits.
    pub fn float_constant(&mut self, kind: Kind, bits: u64) -> Reg {
        match kind {
            Kind::F32 => self.b.mov(Ty::F32, Operand::F32(bits as u32)),
            Kind::F64 => self.b.mov(Ty::F64, Operand::F64(bits)),
            _ => {
                let r = self.b.reg(RegTy::B16);
                self.b.mov_to(r, Ty::B16, (bits & 0xffff) as i64);
                r
            }
        }
    }
}
