//! Conversions between scalar types.

use super::kinds::{IntTy, Kind};
use super::lower::{Lower, Res};
use crate::ptx::{Cmp, Reg, RegTy, Ty};
use terrace_dialects::arith;

impl Lower<'_> {
    /// A cast of one lane; none if the op is no cast.
    pub fn cast(&mut self, name: &str, from: Kind, to: Kind, a: Reg) -> Option<Res<Reg>> {
        let ints = from.int().zip(to.int());
        let r = match name {
            arith::ExtUIOp::NAME | arith::IndexCastUIOp::NAME | arith::TruncIOp::NAME => {
                let (f, t) = ints?;
                self.int_cast(from, to, f, t, a, false)
            }
            arith::ExtSIOp::NAME | arith::IndexCastOp::NAME => {
                let (f, t) = ints?;
                self.int_cast(from, to, f, t, a, true)
            }
            arith::ExtFOp::NAME | arith::TruncFOp::NAME => self.float_cast(from, to, a),
            arith::SIToFPOp::NAME | arith::UIToFPOp::NAME => {
                self.int_to_float(from, to, a, name == arith::SIToFPOp::NAME)?
            }
            arith::FPToSIOp::NAME | arith::FPToUIOp::NAME => {
                self.float_to_int(from, to, a, name == arith::FPToSIOp::NAME)?
            }
            arith::BitcastOp::NAME => return Some(self.bitcast(from, to, a)),
            _ => return None,
        };
        Some(Ok(r))
    }

    fn int_cast(&mut self, from: Kind, to: Kind, f: IntTy, t: IntTy, a: Reg, signed: bool) -> Reg {
        let a = if from == Kind::Bool {
            self.widened(a)
        } else {
            a
        };
        if to == Kind::Bool {
            if from == Kind::Bool {
                return self.b.setp(Cmp::Ne, Ty::U16, a, 0);
            }
            let low = self.b.and(f.bits(), a, 1);
            return self.b.setp(Cmp::Ne, f.unsigned(), low, 0);
        }
        self.int_resize(f, t, a, signed)
    }

    pub fn float_cast(&mut self, from: Kind, to: Kind, a: Reg) -> Reg {
        match (from, to) {
            (f, t) if f == t => a,
            (Kind::F64, t) if t.is_half() => self.f64_to_half(t, a),
            (Kind::F64, _) => self.b.cvt(Ty::F32, Ty::F64, a),
            (f, Kind::F64) => {
                let single = self.computed(f, a);
                self.b.cvt(Ty::F64, Ty::F32, single)
            }
            (f, t) => {
                let single = self.computed(f, a);
                self.stored(t, single)
            }
        }
    }

    fn int_to_float(&mut self, from: Kind, to: Kind, a: Reg, signed: bool) -> Option<Reg> {
        let t = from.int()?;
        let a = if from == Kind::Bool {
            self.widened(a)
        } else {
            a
        };
        let a = if signed { self.sext(t, a) } else { a };
        let ty = if signed { t.signed() } else { t.unsigned() };
        Some(match to {
            Kind::F16 => self.b.cvt(Ty::F16, ty, a),
            Kind::Bf16 => self.int_to_bf16(t, a, signed),
            Kind::F32 => self.b.cvt(Ty::F32, ty, a),
            Kind::F64 => self.b.cvt(Ty::F64, ty, a),
            _ => return None,
        })
    }

    /// Towards zero. Values that do not fit are undefined.
    fn float_to_int(&mut self, from: Kind, to: Kind, a: Reg, signed: bool) -> Option<Reg> {
        if !from.is_float() {
            return None;
        }
        let t = to.int()?;
        let a = self.computed(from, a);
        // Through at least 32 bits, cut to the width afterwards.
        let wide = if t.c == 64 {
            IntTy::INDEX
        } else {
            IntTy::new(32)
        };
        let ty = if signed {
            wide.signed()
        } else {
            wide.unsigned()
        };
        let r = self.b.cvt(ty, Self::float_ty(from), a);
        if to == Kind::Bool {
            let low = self.b.and(wide.bits(), r, 1);
            return Some(self.b.setp(Cmp::Ne, wide.unsigned(), low, 0));
        }
        Some(self.int_resize(wide, t, r, false))
    }

    fn bitcast(&mut self, from: Kind, to: Kind, a: Reg) -> Res<Reg> {
        let (f, t) = (from.reg(), to.reg());
        if f == t {
            return Ok(a);
        }
        if f.bits() != t.bits() || f == RegTy::Pred || t == RegTy::Pred {
            return Err("casts between types of different widths".to_string());
        }
        let r = self.b.reg(t);
        self.b.mov_to(r, f.ty().as_bits(), a);
        Ok(r)
    }
}
