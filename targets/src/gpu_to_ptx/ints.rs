//! Integer arithmetic. Values are zero-extended in their registers (see
//! [`IntTy`]); signed operations extend the sign first, and whatever may set
//! bits above the width clears them again.

use super::kinds::{IntTy, Kind};
use super::lower::{Lower, Res};
use crate::ptx::{Cmp, Reg, RegTy, Ty};
use terrace_dialects::arith::CmpIPredicate;
use terrace_dialects::{arith, math};

impl Lower<'_> {
    /// The value with its sign in all bits of the register.
    pub fn sext(&mut self, t: IntTy, a: Reg) -> Reg {
        if t.is_full() {
            a
        } else if t.w == 8 {
            self.b.cvt(Ty::S16, Ty::S8, a)
        } else {
            let up = self.b.shl(t.bits(), a, t.c - t.w);
            self.b.shr(t.signed(), up, t.c - t.w)
        }
    }

    /// The value with the bits above the width cleared.
    pub fn masked(&mut self, t: IntTy, a: Reg) -> Reg {
        if t.is_full() {
            a
        } else {
            self.b.and(t.bits(), a, t.mask())
        }
    }

    pub fn int_constant(&mut self, t: IntTy, bits: u64) -> Reg {
        let bits = bits & t.mask();
        let value = match t.c {
            64 => bits as i64,
            32 if t.is_full() => i64::from(bits as u32 as i32),
            16 if t.is_full() => i64::from(bits as u16 as i16),
            _ => bits as i64,
        };
        let r = self.b.mov(t.signed(), value);
        if t.is_full() {
            self.known.insert(r, value);
        }
        r
    }

    /// A predicate as an integer of one bit.
    pub fn widened(&mut self, p: Reg) -> Reg {
        self.b.selp(Ty::U16, 1, 0, p)
    }

    /// An integer of one bit as a predicate.
    fn narrowed(&mut self, a: Reg) -> Reg {
        self.b.setp(Cmp::Ne, Ty::U16, a, 0)
    }

    /// An amount to shift by, as 32 bits. Amounts of the width or more are
    /// undefined, so what is cut off does not matter.
    fn count(&mut self, t: IntTy, a: Reg) -> Reg {
        match t.c {
            32 => a,
            16 => self.b.cvt(Ty::U32, Ty::U16, a),
            _ => self.b.cvt(Ty::U32, Ty::U64, a),
        }
    }

    /// An integer op on one lane; none if there is no such op.
    pub fn int_op(&mut self, name: &str, kind: Kind, args: &[Reg]) -> Option<Vec<Reg>> {
        let t = kind.int()?;
        if kind != Kind::Bool {
            return self.wide_int_op(name, t, args);
        }
        match (name, args) {
            (
                arith::AndIOp::NAME
                | arith::MulIOp::NAME
                | arith::MinUIOp::NAME
                | arith::MaxSIOp::NAME,
                [a, b],
            ) => Some(vec![self.b.and(Ty::Pred, *a, *b)]),
            (arith::OrIOp::NAME | arith::MaxUIOp::NAME | arith::MinSIOp::NAME, [a, b]) => {
                Some(vec![self.b.or(Ty::Pred, *a, *b)])
            }
            (arith::XOrIOp::NAME | arith::AddIOp::NAME | arith::SubIOp::NAME, [a, b]) => {
                Some(vec![self.b.xor(Ty::Pred, *a, *b)])
            }
            _ => {
                let args: Vec<Reg> = args.iter().map(|a| self.widened(*a)).collect();
                let results = self.wide_int_op(name, t, &args)?;
                // An overflow bit is a predicate already.
                let narrow = |l: &mut Self, r: Reg| match l.b.func().reg_ty(r) {
                    Some(RegTy::Pred) => r,
                    _ => l.narrowed(r),
                };
                Some(results.into_iter().map(|r| narrow(self, r)).collect())
            }
        }
    }

    fn wide_int_op(&mut self, name: &str, t: IntTy, args: &[Reg]) -> Option<Vec<Reg>> {
        let (s, u, bits) = (t.signed(), t.unsigned(), t.bits());
        let one = match (name, args) {
            (arith::AddIOp::NAME, &[a, b]) => self.b.add(s, a, b),
            (arith::SubIOp::NAME, &[a, b]) => self.b.sub(s, a, b),
            (arith::MulIOp::NAME, &[a, b]) => self.b.mul(s, a, b),
            (arith::AndIOp::NAME, &[a, b]) => self.b.and(bits, a, b),
            (arith::OrIOp::NAME, &[a, b]) => self.b.or(bits, a, b),
            (arith::XOrIOp::NAME, &[a, b]) => self.b.xor(bits, a, b),
            (arith::DivUIOp::NAME, &[a, b]) => self.b.div(u, a, b),
            (arith::RemUIOp::NAME, &[a, b]) => self.b.rem(u, a, b),
            (arith::MinUIOp::NAME, &[a, b]) => self.b.min(u, a, b),
            (arith::MaxUIOp::NAME, &[a, b]) => self.b.max(u, a, b),
            (arith::ShLIOp::NAME, &[a, b]) => {
                let n = self.count(t, b);
                self.b.shl(bits, a, n)
            }
            (arith::ShRUIOp::NAME, &[a, b]) => {
                let n = self.count(t, b);
                self.b.shr(u, a, n)
            }
            (arith::ShRSIOp::NAME, &[a, b]) => {
                let (a, n) = (self.sext(t, a), self.count(t, b));
                self.b.shr(s, a, n)
            }
            (
                arith::DivSIOp::NAME
                | arith::RemSIOp::NAME
                | arith::MinSIOp::NAME
                | arith::MaxSIOp::NAME,
                &[a, b],
            ) => {
                let (a, b) = (self.sext(t, a), self.sext(t, b));
                match name {
                    arith::DivSIOp::NAME => self.b.div(s, a, b),
                    arith::RemSIOp::NAME => self.b.rem(s, a, b),
                    arith::MinSIOp::NAME => self.b.min(s, a, b),
                    _ => self.b.max(s, a, b),
                }
            }
            (arith::CeilDivUIOp::NAME, &[a, b]) => {
                let q = self.b.div(u, a, b);
                let back = self.b.mul(u, q, b);
                let inexact = self.b.setp(Cmp::Ne, u, back, a);
                let up = self.b.add(u, q, 1);
                self.b.selp(u, up, q, inexact)
            }
            (arith::CeilDivSIOp::NAME | arith::FloorDivSIOp::NAME, &[a, b])
                if t.is_full() && self.known.get(&b).is_some_and(|b| *b > 0) =>
            {
                let by = self.known.get(&b).copied().unwrap_or(1);
                self.division_by_constant(t, a, by, name == arith::CeilDivSIOp::NAME)
            }
            (arith::CeilDivSIOp::NAME | arith::FloorDivSIOp::NAME, &[a, b]) => {
                self.rounded_division(t, a, b, name == arith::CeilDivSIOp::NAME)
            }
            (math::AbsIOp::NAME, &[a]) => {
                let a = self.sext(t, a);
                self.b.abs(s, a)
            }
            (
                math::CtPopOp::NAME
                | math::CountLeadingZerosOp::NAME
                | math::CountTrailingZerosOp::NAME,
                &[a],
            ) => self.bit_count(name, t, a),
            (arith::AddUIExtendedOp::NAME, &[a, b]) => {
                return Some(self.add_extended(t, a, b));
            }
            (arith::MulUIExtendedOp::NAME | arith::MulSIExtendedOp::NAME, &[a, b]) => {
                return Some(self.mul_extended(t, a, b, name == arith::MulSIExtendedOp::NAME));
            }
            _ => return None,
        };
        Some(vec![self.masked(t, one)])
    }

    /// Signed division that rounds up or down instead of towards zero.
    fn rounded_division(&mut self, t: IntTy, a: Reg, b: Reg, up: bool) -> Reg {
        let s = t.signed();
        let (a, b) = (self.sext(t, a), self.sext(t, b));
        let q = self.b.div(s, a, b);
        let back = self.b.mul(s, q, b);
        let rest = self.b.sub(s, a, back);
        let inexact = self.b.setp(Cmp::Ne, s, rest, 0);
        // The rest has the sign of a, so this is the sign of the quotient.
        let signs = self.b.xor(t.bits(), rest, b);
        let (cmp, step) = if up { (Cmp::Ge, 1) } else { (Cmp::Lt, -1) };
        let off = self.b.setp(cmp, s, signs, 0);
        let adjust = self.b.and(Ty::Pred, inexact, off);
        let other = self.b.add(s, q, step);
        self.b.selp(s, other, q, adjust)
    }

    /// The same by a constant over 0, in as few instructions as there are when
    /// division by a constant is a multiplication.
    fn division_by_constant(&mut self, t: IntTy, a: Reg, by: i64, up: bool) -> Reg {
        let (s, bits) = (t.signed(), t.bits());
        if up {
            // Rounded towards zero, it is too small where something is left.
            let q = self.b.div(s, a, by);
            let back = self.b.mul(s, q, by);
            let inexact = self.b.setp(Cmp::Lt, s, back, a);
            let more = self.b.add(s, q, 1);
            return self.b.selp(s, more, q, inexact);
        }
        if by & (by - 1) == 0 {
            return self.b.shr(s, a, by.trailing_zeros());
        }
        // Of a negative number the complement, which is not: before and after.
        let sign = self.b.shr(s, a, t.c - 1);
        let magnitude = self.b.xor(bits, a, sign);
        let q = self.b.div(t.unsigned(), magnitude, by);
        self.b.xor(bits, q, sign)
    }

    fn bit_count(&mut self, name: &str, t: IntTy, a: Reg) -> Reg {
        // There are counts of 32 and 64 bits only.
        let c = if t.c == 16 {
            IntTy { w: t.w, c: 32 }
        } else {
            t
        };
        let a = if t.c == 16 {
            self.b.cvt(Ty::U32, Ty::U16, a)
        } else {
            a
        };
        let n = match name {
            math::CtPopOp::NAME => self.b.popc(c.bits(), a),
            math::CountLeadingZerosOp::NAME => {
                let n = self.b.clz(c.bits(), a);
                if c.is_full() {
                    n
                } else {
                    self.b.sub(Ty::U32, n, c.c - c.w)
                }
            }
            _ => {
                // A bit just above the width stops the count for zero.
                let a = if c.is_full() {
                    a
                } else {
                    self.b.or(c.bits(), a, 1u64 << c.w)
                };
                let reversed = self.b.brev(c.bits(), a);
                self.b.clz(c.bits(), reversed)
            }
        };
        match t.c {
            32 => n,
            16 => self.b.cvt(Ty::U16, Ty::U32, n),
            _ => self.b.cvt(Ty::U64, Ty::U32, n),
        }
    }

    fn add_extended(&mut self, t: IntTy, a: Reg, b: Reg) -> Vec<Reg> {
        let u = t.unsigned();
        let sum = self.b.add(u, a, b);
        if t.is_full() {
            let over = self.b.setp(Cmp::Lt, u, sum, a);
            return vec![sum, over];
        }
        let over = self.b.setp(Cmp::Gt, u, sum, t.mask());
        let sum = self.masked(t, sum);
        vec![sum, over]
    }

    fn mul_extended(&mut self, t: IntTy, a: Reg, b: Reg, signed: bool) -> Vec<Reg> {
        if t.is_full() {
            let ty = if signed { t.signed() } else { t.unsigned() };
            return vec![self.b.mul(ty, a, b), self.b.mul_hi(ty, a, b)];
        }
        let wide = |l: &mut Self, a: Reg| l.int_resize(t, IntTy::INDEX, a, signed);
        let (a, b) = (wide(self, a), wide(self, b));
        let ty = if signed { Ty::S64 } else { Ty::U64 };
        let low = self.b.mul(ty, a, b);
        let mut high = self.b.shr(Ty::U64, low, t.w);
        if t.w > 32 {
            let rest = self.b.mul_hi(ty, a, b);
            let rest = self.b.shl(Ty::B64, rest, 64 - t.w);
            high = self.b.or(Ty::B64, high, rest);
        }
        [low, high]
            .into_iter()
            .map(|r| self.int_resize(IntTy::INDEX, t, r, false))
            .collect()
    }

    /// An integer of another width, extended with zeros or the sign, or cut.
    pub fn int_resize(&mut self, from: IntTy, to: IntTy, a: Reg, signed: bool) -> Reg {
        let a = if signed && to.w > from.w {
            self.sext(from, a)
        } else {
            a
        };
        let a = match (from.c == to.c, signed) {
            (true, _) => a,
            (false, true) => self.b.cvt(to.signed(), from.signed(), a),
            (false, false) => self.b.cvt(to.unsigned(), from.unsigned(), a),
        };
        if to.w < from.w || signed {
            self.masked(to, a)
        } else {
            a
        }
    }

    /// `arith.cmpi` on one lane.
    pub fn compare_ints(&mut self, p: CmpIPredicate, kind: Kind, a: Reg, b: Reg) -> Res<Reg> {
        use CmpIPredicate as P;
        let Some(t) = kind.int() else {
            return Err("compares values that are not integers".to_string());
        };
        let (mut a, mut b) = (a, b);
        if kind == Kind::Bool {
            (a, b) = (self.widened(a), self.widened(b));
        }
        let signed = matches!(p, P::Slt | P::Sle | P::Sgt | P::Sge);
        if signed {
            (a, b) = (self.sext(t, a), self.sext(t, b));
        }
        let cmp = match p {
            P::Eq => Cmp::Eq,
            P::Ne => Cmp::Ne,
            P::Slt | P::Ult => Cmp::Lt,
            P::Sle | P::Ule => Cmp::Le,
            P::Sgt | P::Ugt => Cmp::Gt,
            P::Sge | P::Uge => Cmp::Ge,
        };
        let ty = if signed { t.signed() } else { t.unsigned() };
        Ok(self.b.setp(cmp, ty, a, b))
    }
}
