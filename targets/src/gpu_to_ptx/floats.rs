//! Float arithmetic, rounded to nearest, never contracted unless asked.

use super::kinds::Kind;
use super::lower::{Lower, Res};
use crate::ptx::{Cmp, Reg, Ty};
use terrace_dialects::arith::{CmpFPredicate, fastmath, fastmath_of};
use terrace_ir::Op;

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
        if name == "arith.negf" {
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
            "arith.addf"
                | "arith.subf"
                | "arith.mulf"
                | "arith.divf"
                | "arith.maximumf"
                | "arith.minimumf"
                | "arith.maxnumf"
                | "arith.minnumf"
        );
        if !known {
            return None;
        }
        let (a, b) = (self.computed(kind, a), self.computed(kind, b));
        let r = match name {
            "arith.addf" => self.b.add(ty, a, b),
            "arith.subf" => self.b.sub(ty, a, b),
            "arith.mulf" => self.b.mul(ty, a, b),
            "arith.divf" => self.b.div(ty, a, b),
            "arith.maximumf" => self.extremum_nan(ty, true, a, b),
            "arith.minimumf" => self.extremum_nan(ty, false, a, b),
            "arith.maxnumf" => self.extremum(ty, true, a, b),
            _ => self.extremum(ty, false, a, b),
        };
        Some(self.stored(kind, r))
    }

    /// `a * b + c` and the like as one instruction, where the option and the
    /// flags of both ops allow it; the lanes of the result.
    pub fn contracted(&mut self, op: Op, name: &str, kind: Kind) -> Option<Vec<Reg>> {
        if !self.unit.options.contract || !matches!(kind, Kind::F32 | Kind::F64) {
            return None;
        }
        let subtract = match name {
            "arith.addf" => false,
            "arith.subf" => true,
            _ => return None,
        };
        let ctx = self.ctx;
        let allows = |o: Op| fastmath_of(ctx, o) & fastmath::CONTRACT != 0;
        let is_product = |o: &Op| o.name(ctx) == "arith.mulf" && allows(*o);
        if !allows(op) || op.num_operands(ctx) != 2 {
            return None;
        }
        let operands = [op.operand(ctx, 0), op.operand(ctx, 1)];
        let at = operands
            .iter()
            .position(|v| v.def_op().filter(is_product).is_some())?;
        let product = operands[at].def_op()?;
        let ty = Self::float_ty(kind);
        let a = self.lanes(product.operand(ctx, 0)).ok()?;
        let b = self.lanes(product.operand(ctx, 1)).ok()?;
        let c = self.lanes(operands[1 - at]).ok()?;
        let mut results = Vec::with_capacity(a.len());
        for ((a, b), c) in a.iter().zip(b.iter()).zip(c.iter()) {
            let (mut a, mut c) = (*a, *c);
            match (subtract, at) {
                (true, 0) => c = self.b.neg(ty, c),
                (true, _) => a = self.b.neg(ty, a),
                (false, _) => {}
            }
            results.push(self.b.fma(ty, a, *b, c));
        }
        Some(results)
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
