//! f16 and bf16, held as bits in 16-bit registers.
//!
//! Arithmetic goes through f32: a sum, difference, product, quotient or root
//! of two halves rounded to f32 and then to the half type is the correctly
//! rounded one, since 24 bits are at least twice 11 plus 2.

use super::kinds::{IntTy, Kind};
use super::lower::Lower;
use crate::ptx::modifiers::{Rnd, TestClass};
use crate::ptx::{Cmp, Operand, Reg, RegTy, Ty};

const F32_NAN: u32 = 0x7fff_ffff;
const F64_NAN: u64 = 0x7fff_ffff_ffff_ffff;

impl Lower<'_> {
    fn sm(&self) -> u16 {
        self.unit.module.arch.sm
    }

    /// A half as f32, exactly.
    pub fn half_to_f32(&mut self, kind: Kind, a: Reg) -> Reg {
        if kind == Kind::F16 {
            return self.b.cvt(Ty::F32, Ty::F16, a);
        }
        // The upper half of an f32 is a bf16.
        let wide = self.b.cvt(Ty::U32, Ty::U16, a);
        let bits = self.b.shl(Ty::B32, wide, 16);
        self.b_f32_of_bits(bits)
    }

    fn b_f32_of_bits(&mut self, bits: Reg) -> Reg {
        let r = self.b.reg(RegTy::F32);
        self.b.mov_to(r, Ty::B32, bits);
        r
    }

    /// f32 rounded to a half, to nearest.
    pub fn f32_to_half(&mut self, kind: Kind, a: Reg) -> Reg {
        match kind {
            Kind::F16 => self.b.cvt(Ty::F16, Ty::F32, a),
            _ if self.sm() >= 80 => self.b.cvt(Ty::Bf16, Ty::F32, a),
            _ => {
                // Adds just under half a unit, and one more where the kept
                // part is odd; a NaN would turn into something else.
                let bits = self.b.reg(RegTy::B32);
                self.b.mov_to(bits, Ty::B32, a);
                let up = self.b.shr(Ty::U32, bits, 16);
                let odd = self.b.and(Ty::B32, up, 1);
                let sum = self.b.add(Ty::U32, bits, 0x7fff);
                let sum = self.b.add(Ty::U32, sum, odd);
                let rounded = self.b.shr(Ty::U32, sum, 16);
                let nan = self.b.testp(TestClass::NotANumber, Ty::F32, a);
                let result = self.b.selp(Ty::U32, 0x7fff, rounded, nan);
                self.b.cvt(Ty::U16, Ty::U32, result)
            }
        }
    }

    /// f64 rounded to a half, once.
    pub fn f64_to_half(&mut self, kind: Kind, a: Reg) -> Reg {
        if kind == Kind::F16 {
            return self.b.cvt(Ty::F16, Ty::F64, a);
        }
        if self.sm() >= 90 {
            return self.b.cvt(Ty::Bf16, Ty::F64, a);
        }
        // Rounding to odd first keeps the second rounding right: cut, and
        // set the lowest bit if anything was cut off.
        let cut = self.b.cvt_rnd(Rnd::Rz, Ty::F32, Ty::F64, a);
        let back = self.b.cvt(Ty::F64, Ty::F32, cut);
        let inexact = self.b.setp(Cmp::Ne, Ty::F64, back, a);
        let bits = self.b.reg(RegTy::B32);
        self.b.mov_to(bits, Ty::B32, cut);
        let odd = self.b.or(Ty::B32, bits, 1);
        let bits = self.b.selp(Ty::B32, odd, bits, inexact);
        let f = self.b_f32_of_bits(bits);
        self.f32_to_half(kind, f)
    }

    /// An integer, extended to its register, as bf16.
    pub fn int_to_bf16(&mut self, t: IntTy, a: Reg, signed: bool) -> Reg {
        let ty = if signed { t.signed() } else { t.unsigned() };
        if self.sm() >= 90 {
            return self.b.cvt(Ty::Bf16, ty, a);
        }
        if t.c < 64 {
            let exact = self.b.cvt(Ty::F64, ty, a);
            return self.f64_to_half(Kind::Bf16, exact);
        }
        let cut = self.b.cvt_rnd(Rnd::Rz, Ty::F64, ty, a);
        let back = self.b.cvt(ty, Ty::F64, cut);
        let inexact = self.b.setp(Cmp::Ne, ty, back, a);
        let bits = self.b.reg(RegTy::B64);
        self.b.mov_to(bits, Ty::B64, cut);
        let odd = self.b.or(Ty::B64, bits, 1);
        let bits = self.b.selp(Ty::B64, odd, bits, inexact);
        let f = self.b.reg(RegTy::F64);
        self.b.mov_to(f, Ty::B64, bits);
        self.f64_to_half(Kind::Bf16, f)
    }

    /// The lesser or greater of two, NaN if one is.
    pub fn extremum_nan(&mut self, ty: Ty, max: bool, a: Reg, b: Reg) -> Reg {
        if ty == Ty::F32 && self.sm() >= 80 {
            return if max {
                self.b.max_nan(ty, a, b)
            } else {
                self.b.min_nan(ty, a, b)
            };
        }
        let number = self.extremum(ty, max, a, b);
        let nan = self.b.setp(Cmp::Nan, ty, a, b);
        let canonical = match ty {
            Ty::F32 => Operand::F32(F32_NAN),
            _ => Operand::F64(F64_NAN),
        };
        self.b.selp(ty, canonical, number, nan)
    }

    /// The lesser or greater of two, the number if one is NaN.
    pub fn extremum(&mut self, ty: Ty, max: bool, a: Reg, b: Reg) -> Reg {
        if max {
            self.b.max(ty, a, b)
        } else {
            self.b.min(ty, a, b)
        }
    }
}
