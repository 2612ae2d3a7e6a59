//! Float arithmetic, rounded to nearest. What the flags of an op leave open is
//! left open in the instruction: a sum or product without `.rn` may be
//! contracted, a division with `arcp` or `afn` is an approximate one.

use super::kinds::Kind;
use super::lower::{Lower, Res};
use crate::ptx::modifiers::Rnd;
use crate::ptx::{Cmp, Mods, Op, Reg, Ty};
use terrace_dialects::arith;
use terrace_dialects::arith::{CmpFPredicate, fastmath};

impl Lower<'_> {
    /// The machine type that a float kind is computed in.
    pub fn float_ty(kind: Kind) -> Ty {
        if kind == Kind::F64 { Ty::F64 } else { Ty::F32 }
    }

    /// A float in the type it is computed in.
    pub fn computed(&mut self, kind: Kind, a: Reg) -> Reg {
        if kind.is_half() {
            self.half_to_f32(kind, a)
        } else {
            a
        }
    }

    /// A computed float in its own type.
    pub fn stored(&mut self, kind: Kind, a: Reg) -> Reg {
        if kind.is_half() {
            self.f32_to_half(kind, a)
        } else {
            a
        }
    }

    /// A float op on one lane; none if there is no such op.
    pub fn float_op(&mut self, name: &str, kind: Kind, args: &[Reg]) -> Option<Reg> {
        if !kind.is_float() {
            return None;
        }
        if name == arith::NegFOp::NAME {
            let &[a] = args else { return None };
            return Some(match kind {
                Kind::F32 | Kind::F64 => self.b.neg(Self::float_ty(kind), a),
                _ => self.b.xor(Ty::B16, a, 0x8000),
            });
        }
        let ty = Self::float_ty(kind);
        let &[a, b] = args else { return None };
        let known = matches!(
            name,
            arith::AddFOp::NAME
                | arith::SubFOp::NAME
                | arith::MulFOp::NAME
                | arith::DivFOp::NAME
                | arith::MaximumFOp::NAME
                | arith::MinimumFOp::NAME
                | arith::MaxNumFOp::NAME
                | arith::MinNumFOp::NAME
        );
        if !known {
            return None;
        }
        let (a, b) = (self.computed(kind, a), self.computed(kind, b));
        let r = match name {
            arith::AddFOp::NAME => self.open(Op::Add, ty, a, b),
            arith::SubFOp::NAME => self.open(Op::Sub, ty, a, b),
            arith::MulFOp::NAME => self.open(Op::Mul, ty, a, b),
            // The machine approximates in single precision only.
            arith::DivFOp::NAME if ty == Ty::F32 && self.flags & fastmath::AFN != 0 => {
                self.b.div_approx(ty, a, b)
            }
            arith::DivFOp::NAME if ty == Ty::F32 && self.flags & fastmath::ARCP != 0 => {
                self.b.div_full(ty, a, b)
            }
            arith::DivFOp::NAME => self.b.div(ty, a, b),
            arith::MaximumFOp::NAME => self.extremum_nan(ty, true, a, b),
            arith::MinimumFOp::NAME => self.extremum_nan(ty, false, a, b),
            arith::MaxNumFOp::NAME => self.extremum(ty, true, a, b),
            _ => self.extremum(ty, false, a, b),
        };
        Some(self.stored(kind, r))
    }

    /// A sum or product that the optimiser may contract with another, if the
    /// op and the options let it.
    fn open(&mut self, op: Op, ty: Ty, a: Reg, b: Reg) -> Reg {
        let open = self.unit.options.contract && self.flags & fastmath::CONTRACT != 0;
        let rnd = if open { Rnd::Default } else { Rnd::Rn };
        let mods = Mods {
            rnd,
            ..Mods::default()
        };
        self.b.value(op, mods, &[ty], [a.into(), b.into()])
    }

    /// `arith.cmpf` on one lane.
    pub fn compare_floats(&mut self, p: CmpFPredicate, kind: Kind, a: Reg, b: Reg) -> Res<Reg> {
        use CmpFPredicate as P;
        if !kind.is_float() {
            return Err("compares values that are not floats".to_string());
        }
        let cmp = match p {
            P::AlwaysFalse => return Ok(self.b.mov(Ty::Pred, 0)),
            P::AlwaysTrue => return Ok(self.b.mov(Ty::Pred, 1)),
            P::Oeq => Cmp::Eq,
            P::Ogt => Cmp::Gt,
            P::Oge => Cmp::Ge,
            P::Olt => Cmp::Lt,
            P::Ole => Cmp::Le,
            P::One => Cmp::Ne,
            P::Ord => Cmp::Num,
            P::Ueq => Cmp::Equ,
            P::Ugt => Cmp::Gtu,
            P::Uge => Cmp::Geu,
            P::Ult => Cmp::Ltu,
            P::Ule => Cmp::Leu,
            P::Une => Cmp::Neu,
            P::Uno => Cmp::Nan,
        };
        let (a, b) = (self.computed(kind, a), self.computed(kind, b));
        Ok(self.b.setp(cmp, Self::float_ty(kind), a, b))
    }
}
