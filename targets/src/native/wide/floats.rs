//! Floats in the first lanes of registers of vectors.

use super::{Constant, R, Select, unknown};
use cranelift_codegen::ir::{self, Opcode, types};
use terrace_x86::{Arg, Kind, Level, Mnemonic, Reg, Width};

const X: Width = Width::X;

impl Select<'_> {
    pub(super) fn float_op(&mut self, inst: ir::Inst, ty: ir::Type, to: Reg) -> R {
        let data = self.f.dfg.insts[inst];
        let args = self.f.dfg.inst_args(inst).to_vec();
        let opcode = data.opcode();
        let double = ty == types::F64;
        let of = |d: Mnemonic, s: Mnemonic| if double { d } else { s };
        let mnemonic = match opcode {
            Opcode::Fadd => of(Mnemonic::Vaddsd, Mnemonic::Vaddss),
            Opcode::Fsub => of(Mnemonic::Vsubsd, Mnemonic::Vsubss),
            Opcode::Fmul => of(Mnemonic::Vmulsd, Mnemonic::Vmulss),
            Opcode::Fdiv => of(Mnemonic::Vdivsd, Mnemonic::Vdivss),
            Opcode::Sqrt => {
                let x = Arg::Use(self.reg(args[0])?, X);
                let mnemonic = of(Mnemonic::Vsqrtsd, Mnemonic::Vsqrtss);
                self.op(mnemonic, &[Arg::Def(to, X), x, x]);
                return Ok(());
            }
            Opcode::Fma => {
                let mnemonic = of(Mnemonic::Vfmadd231sd, Mnemonic::Vfmadd231ss);
                return self.multiply_add(mnemonic, &args, X, to);
            }
            Opcode::Fneg | Opcode::Fabs => return self.sign(opcode, args[0], ty, to),
            Opcode::Ceil | Opcode::Floor | Opcode::Trunc => {
                return self.round(opcode, args[0], ty, to);
            }
            Opcode::Fmax | Opcode::Fmin => return self.extremum(opcode, &args, ty, to),
            Opcode::Select => return self.select([args[0], args[1], args[2]], to, X),
            Opcode::Bitcast => return self.move_bits(args[0], to),
            Opcode::Fpromote if self.ty(args[0]) == types::F32 => {
                return self.convert(Mnemonic::Vcvtss2sd, args[0], to);
            }
            Opcode::Fdemote if !double => return self.convert(Mnemonic::Vcvtsd2ss, args[0], to),
            Opcode::FcvtFromSint => {
                let w = match self.ty(args[0]) {
                    types::I64 => Width::Q,
                    types::I32 => Width::D,
                    t => return unknown(opcode, t),
                };
                let x = self.reg(args[0])?;
                // The other lanes are taken from a register that nobody waits for.
                let zero = self.vector();
                self.push(Kind::Zero, &[Arg::Def(zero, X)]);
                let mnemonic = of(Mnemonic::Vcvtsi2sd, Mnemonic::Vcvtsi2ss);
                let args = [Arg::Def(to, X), Arg::Use(zero, X), Arg::Use(x, w)];
                self.op(mnemonic, &args);
                return Ok(());
            }
            Opcode::Extractlane => return self.extract_float(&data, args[0], to),
            _ => return unknown(opcode, ty),
        };
        let x = self.reg(args[0])?;
        let y = self.vector_or_memory(args[1], X)?;
        self.op(mnemonic, &[Arg::Def(to, X), Arg::Use(x, X), y]);
        Ok(())
    }

    fn convert(&mut self, mnemonic: Mnemonic, v: ir::Value, to: Reg) -> R {
        let x = Arg::Use(self.reg(v)?, X);
        self.op(mnemonic, &[Arg::Def(to, X), x, x]);
        Ok(())
    }

    /// A product and a sum, rounded once, on floats and on vectors.
    pub(super) fn multiply_add(
        &mut self,
        mnemonic: Mnemonic,
        args: &[ir::Value],
        w: Width,
        to: Reg,
    ) -> R {
        // A product that is taken away has an instruction of its own.
        let (mnemonic, first) = match self.def_of(args[0], Opcode::Fneg) {
            Some((_, [x])) => (minus(mnemonic), *x),
            _ => (mnemonic, args[0]),
        };
        let from = self.reg(args[2])?;
        let x = self.reg(first)?;
        let y = self.vector_or_memory(args[1], w)?;
        let change = Arg::Change { from, to, width: w };
        self.op(mnemonic, &[change, Arg::Use(x, w), y]);
        Ok(())
    }

    /// A float or a vector of floats with the other sign, or with none.
    pub(super) fn sign(&mut self, opcode: Opcode, v: ir::Value, ty: ir::Type, to: Reg) -> R {
        let lane_bytes = ty.lane_type().bytes();
        let sign = 1u64 << (8 * lane_bytes - 1);
        let w = super::vector_width(ty);
        let (mnemonic, bits) = match opcode {
            Opcode::Fneg => (self.bitwise(Bitwise::Xor), sign),
            _ => (self.bitwise(Bitwise::And), sign - 1),
        };
        let mask = self.constant_reg(Constant {
            bits,
            lane_bytes,
            width: w,
        });
        let x = self.reg(v)?;
        self.op(
            mnemonic,
            &[Arg::Def(to, w), Arg::Use(x, w), Arg::Use(mask, w)],
        );
        Ok(())
    }

    /// The instruction on all bits of registers of vectors.
    pub(super) fn bitwise(&self, what: Bitwise) -> Mnemonic {
        match (what, self.level) {
            (Bitwise::And, Level::V3) => Mnemonic::Vpand,
            (Bitwise::Or, Level::V3) => Mnemonic::Vpor,
            (Bitwise::Xor, Level::V3) => Mnemonic::Vpxor,
            (Bitwise::And, Level::V4) => Mnemonic::Vpandq,
            (Bitwise::Or, Level::V4) => Mnemonic::Vporq,
            (Bitwise::Xor, Level::V4) => Mnemonic::Vpxorq,
        }
    }

    /// The greater or lesser of floats, NaN where one of them is, and of zeros the one with the
    /// sign. The machine takes the second operand of zeros and where there is a NaN; so it is asked
    /// both ways round.
    pub(super) fn extremum(
        &mut self,
        opcode: Opcode,
        args: &[ir::Value],
        ty: ir::Type,
        to: Reg,
    ) -> R {
        let double = ty.lane_type() == types::F64;
        let greater = opcode == Opcode::Fmax;
        let m = match (ty.is_vector(), greater, double) {
            (true, true, true) => Mnemonic::Vmaxpd,
            (true, true, false) => Mnemonic::Vmaxps,
            (true, false, true) => Mnemonic::Vminpd,
            (true, false, false) => Mnemonic::Vminps,
            (false, true, true) => Mnemonic::Vmaxsd,
            (false, true, false) => Mnemonic::Vmaxss,
            (false, false, true) => Mnemonic::Vminsd,
            (false, false, false) => Mnemonic::Vminss,
        };
        let w = super::vector_width(ty);
        let (x, y) = (self.reg(args[0])?, self.reg(args[1])?);
        let (a, b, both) = (self.vector(), self.vector(), self.vector());
        let [x, y] = [x, y].map(|r| Arg::Use(r, w));
        self.op(m, &[Arg::Def(a, w), x, y]);
        self.op(m, &[Arg::Def(b, w), y, x]);
        let zeros = match greater {
            true => Bitwise::And,
            false => Bitwise::Or,
        };
        let combine = self.bitwise(zeros);
        self.op(
            combine,
            &[Arg::Def(both, w), Arg::Use(a, w), Arg::Use(b, w)],
        );
        let unordered = self.unordered([x, y], double, w);
        let or = self.bitwise(Bitwise::Or);
        let args = [Arg::Def(to, w), Arg::Use(both, w), Arg::Use(unordered, w)];
        self.op(or, &args);
        Ok(())
    }

    /// All ones in lanes where one of two is NaN.
    fn unordered(&mut self, [x, y]: [Arg; 2], double: bool, w: Width) -> Reg {
        let m = if double {
            Mnemonic::Vcmppd
        } else {
            Mnemonic::Vcmpps
        };
        let to = self.vector();
        if self.level == Level::V3 {
            self.op(m, &[Arg::Def(to, w), x, y, Arg::Imm(3)]);
            return to;
        }
        let k = self.out.reg(terrace_x86::Class::Mask);
        self.op(m, &[Arg::Def(k, Width::K), x, y, Arg::Imm(3)]);
        let lanes = if double {
            Mnemonic::Vpmovm2q
        } else {
            Mnemonic::Vpmovm2d
        };
        self.op(lanes, &[Arg::Def(to, w), Arg::Use(k, Width::K)]);
        to
    }

    /// Floats without fractions.
    pub(super) fn round(&mut self, opcode: Opcode, v: ir::Value, ty: ir::Type, to: Reg) -> R {
        // Without the exception about digits that are lost.
        let how = match opcode {
            Opcode::Floor => 9,
            Opcode::Ceil => 10,
            _ => 11,
        };
        let double = ty.lane_type() == types::F64;
        let mnemonic = match (self.level, ty.is_vector(), double) {
            (Level::V3, true, true) => Mnemonic::Vroundpd,
            (Level::V3, true, false) => Mnemonic::Vroundps,
            (Level::V3, false, true) => Mnemonic::Vroundsd,
            (Level::V3, false, false) => Mnemonic::Vroundss,
            (Level::V4, true, true) => Mnemonic::Vrndscalepd,
            (Level::V4, true, false) => Mnemonic::Vrndscaleps,
            (Level::V4, false, true) => Mnemonic::Vrndscalesd,
            (Level::V4, false, false) => Mnemonic::Vrndscaless,
        };
        let w = super::vector_width(ty);
        let x = Arg::Use(self.reg(v)?, w);
        match ty.is_vector() {
            true => self.op(mnemonic, &[Arg::Def(to, w), x, Arg::Imm(how)]),
            false => self.op(mnemonic, &[Arg::Def(to, w), x, x, Arg::Imm(how)]),
        }
        Ok(())
    }
}

/// The multiply-add that takes its product away.
fn minus(mnemonic: Mnemonic) -> Mnemonic {
    match mnemonic {
        Mnemonic::Vfmadd231pd => Mnemonic::Vfnmadd231pd,
        Mnemonic::Vfmadd231ps => Mnemonic::Vfnmadd231ps,
        Mnemonic::Vfmadd231sd => Mnemonic::Vfnmadd231sd,
        _ => Mnemonic::Vfnmadd231ss,
    }
}

/// An operation on all bits.
#[derive(Clone, Copy)]
pub(super) enum Bitwise {
    And,
    Or,
    Xor,
}
