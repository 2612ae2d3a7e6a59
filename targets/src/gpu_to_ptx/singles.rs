//! Functions of single precision in a few instructions: with the machine's
//! approximation of `2^x` where that loses nothing, else by polynomials. Bounds of their
//! errors are in docs/math.md.
//!
//! | function | largest error seen, ulp |
//! | --- | --- |
//! | `exp` | 0.98 |
//! | `exp2`, `rsqrt` | 0.5 |
//! | `log` | 0.91 |
//! | `log2` | 1.30 |
//! | `erf` | 1.11 |
//!
//! Seen on the emulator, whose `2^x` and `1/sqrt x` are rounded exactly, at a million
//! numbers of every size (`test/gpu_singles.rs`). A GPU's own are off by up to 2 ulp, which
//! `exp`, `exp2` and `rsqrt` pass on and `erf` a tenth of. Polynomials are minimax ones for
//! the relative error of the result, found by Remez's exchange.

use super::lower::Lower;
use crate::ptx::{Cmp, Operand, Reg, RegTy, Ty};
use terrace_dialects::math;

/// `log2 e`, and what a single leaves of it.
const LOG2_E: (f32, f32) = (std::f32::consts::LOG2_E, 1.925_963_e-8);

/// From the first exponent of normal numbers, -126, to the last, 127.
const EXPONENTS: f32 = 253.0;

/// 2 to the power of 23, and a half as much again: added to a small number, they
/// leave no room for a fraction.
const ROUND: f32 = 12_582_912.0;

/// `(log(1 + f) - f + f^2/2) / f^3` for `|f| <= 1/3`.
const LOG: [u32; 8] = [
    0x3eaa_aa83,
    0xbe7f_ff78,
    0x3e4c_e814,
    0xbe2a_cee5,
    0x3e0f_6b87,
    0xbdf9_88a7,
    0x3e0f_3374,
    0xbe04_02bb,
];

/// `(log2(1 + f) - f log2 e) / f^2` for `|f| <= 1/3`.
const LOG2: [u32; 9] = [
    0xbf38_aa3b,
    0x3ef6_3812,
    0xbeb8_a9b2,
    0x3e93_cfb5,
    0xbe76_7377,
    0x3e4e_d78a,
    0xbe33_bf51,
    0x3e4e_e516,
    0xbe3f_4ca4,
];

/// `erf x / x - 1` in `x^2`, `|x| <= 1`.
const ERF_NEAR: [u32; 7] = [
    0x3e03_75d4,
    0xbec0_939f,
    0x3de7_167c,
    0xbcdb_fc86,
    0x3baa_02d8,
    0xba51_fb7b,
    0x38a4_b50b,
];

/// `log2 erfc x` for `1 <= x <= 4`.
const ERF_FAR: [u32; 7] = [
    0xba01_2997,
    0xbfd0_2246,
    0xbf6b_af9d,
    0xbe18_5255,
    0x3d01_0c12,
    0xbb8b_591e,
    0x398c_f981,
];

impl Lower<'_> {
    /// A function of one single; none if it has no short form.
    pub fn single_function(&mut self, name: &str, x: Reg) -> Option<Reg> {
        Some(match name {
            math::ExpOp::NAME => self.exp_single(x),
            math::Exp2Op::NAME => self.b.ex2_approx(Ty::F32, x),
            math::RsqrtOp::NAME => self.b.rsqrt_approx(Ty::F32, x),
            math::LogOp::NAME => self.log_single(x),
            math::Log2Op::NAME => self.log2_single(x),
            math::ErfOp::NAME => self.erf_single(x),
            _ => return None,
        })
    }

    /// `coefficients[0] + x * (coefficients[1] + ...)`, of bits of singles.
    fn polynomial(&mut self, x: Reg, coefficients: &[u32]) -> Reg {
        let mut all = coefficients.iter().rev().map(|c| Operand::F32(*c));
        let first = all.next().unwrap_or(Operand::F32(0));
        let mut sum = self.b.mov(Ty::F32, first);
        for c in all {
            sum = self.b.fma(Ty::F32, sum, x, c);
        }
        sum
    }

    /// `2^(k + r)` with `k` the integer nearest to `x log2 e`, kept among the
    /// exponents of normal numbers: beyond them `r` grows, and the
    /// approximation makes nothing or infinity of it.
    fn exp_single(&mut self, x: Reg) -> Reg {
        let b = &mut self.b;
        // Where among the exponents, of which the first is -126.
        let place = b.fma_saturated(Ty::F32, x, LOG2_E.0 / EXPONENTS, 126.0 / EXPONENTS);
        // The low bits are `k` with the bias of 127.
        let shifted = b.fma(Ty::F32, place, EXPONENTS, ROUND + 1.0);
        let k = b.sub(Ty::F32, shifted, ROUND + 127.0);
        let minus_k = b.neg(Ty::F32, k);
        let r = b.fma(Ty::F32, x, LOG2_E.0, minus_k);
        let r = b.fma(Ty::F32, x, LOG2_E.1, r);
        let bits = b.mov(Ty::B32, shifted);
        let scale = b.shl(Ty::B32, bits, 23);
        let scale = self.single_of_bits(scale);
        let power = self.b.ex2_flushed(Ty::F32, r);
        self.b.mul(Ty::F32, power, scale)
    }

    fn single_of_bits(&mut self, bits: Reg) -> Reg {
        let f = self.b.reg(RegTy::F32);
        self.b.mov_to(f, Ty::B32, bits);
        f
    }

    /// `k` and `f` of `x = 2^k (1 + f)` with `1 + f` from 2/3 to 4/3, and the
    /// bits of `x`, of which a subnormal number is scaled up before.
    fn split_single(&mut self, x: Reg) -> (Reg, Reg, Reg) {
        let b = &mut self.b;
        let small = b.setp(Cmp::Lt, Ty::F32, x, f32::MIN_POSITIVE);
        let lifted = b.mul(Ty::F32, x, 8_388_608f32);
        let x = b.selp(Ty::F32, lifted, x, small);
        let below = b.selp(Ty::F32, -23f32, 0f32, small);
        let bits = b.mov(Ty::B32, x);
        let above = b.sub(Ty::S32, bits, i64::from((2f32 / 3.0).to_bits()));
        let exponent = b.and(Ty::B32, above, 0xff80_0000u32);
        let m = b.sub(Ty::S32, bits, exponent);
        let k = b.cvt(Ty::F32, Ty::S32, exponent);
        let k = b.fma(Ty::F32, k, 1.0 / 8_388_608f32, below);
        let m = self.single_of_bits(m);
        let f = self.b.add(Ty::F32, m, -1f32);
        (k, f, bits)
    }

    /// The logarithm `v` where `x` is positive and finite, else what is right
    /// there.
    fn log_cases(&mut self, x: Reg, bits: Reg, v: Reg) -> Reg {
        let b = &mut self.b;
        let usual = b.setp(Cmp::Lt, Ty::U32, bits, i64::from(f32::INFINITY.to_bits()));
        // Infinite for infinity, else NaN.
        let infinity = b.mov(Ty::F32, f32::INFINITY);
        let other = b.fma(Ty::F32, x, infinity, infinity);
        let v = b.selp(Ty::F32, v, other, usual);
        let zero = b.setp(Cmp::Eq, Ty::F32, x, 0f32);
        b.selp(Ty::F32, f32::NEG_INFINITY, v, zero)
    }

    fn log_single(&mut self, x: Reg) -> Reg {
        let (k, f, bits) = self.split_single(x);
        let p = self.polynomial(f, &LOG);
        let b = &mut self.b;
        let q = b.fma(Ty::F32, p, f, -0.5f32);
        let square = b.mul(Ty::F32, f, f);
        let v = b.fma(Ty::F32, q, square, f);
        let v = b.fma(Ty::F32, k, std::f32::consts::LN_2, v);
        self.log_cases(x, bits, v)
    }

    fn log2_single(&mut self, x: Reg) -> Reg {
        let (k, f, bits) = self.split_single(x);
        let p = self.polynomial(f, &LOG2);
        let b = &mut self.b;
        let square = b.mul(Ty::F32, f, f);
        let low = b.mul(Ty::F32, f, LOG2_E.1);
        let low = b.fma(Ty::F32, p, square, low);
        let v = b.fma(Ty::F32, f, LOG2_E.0, low);
        let v = b.add(Ty::F32, k, v);
        self.log_cases(x, bits, v)
    }

    /// Both ranges, and the one that is right: they are about as long as a
    /// choice among the coefficients.
    fn erf_single(&mut self, x: Reg) -> Reg {
        let square = self.b.mul(Ty::F32, x, x);
        let near = self.polynomial(square, &ERF_NEAR);
        let near = self.b.fma(Ty::F32, near, x, x);
        let size = self.b.abs(Ty::F32, x);
        // From there on it is one.
        let a = self.b.min(Ty::F32, size, 4f32);
        let far = self.polynomial(a, &ERF_FAR);
        let far = self.b.ex2_flushed(Ty::F32, far);
        let far = self.b.sub(Ty::F32, 1f32, far);
        let far = self.b.copysign(Ty::F32, x, far);
        let is_far = self.b.setp(Cmp::Gt, Ty::F32, size, 1f32);
        self.b.selp(Ty::F32, far, near, is_far)
    }
}
