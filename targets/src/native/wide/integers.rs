//! Integers in general registers. Of those of 8 and 16 bits the bits above are anything.

use super::{R, Select, int_width, unknown};
use cranelift_codegen::ir::{self, InstructionData, Opcode, types};
use terrace_x86::{Arg, Base, Class, Condition, Kind, Mem, Mnemonic, Reg, Width};

impl Select<'_> {
    pub(super) fn int_op(&mut self, inst: ir::Inst, ty: ir::Type, to: Reg) -> R {
        let data = self.f.dfg.insts[inst];
        let args = self.f.dfg.inst_args(inst).to_vec();
        let opcode = data.opcode();
        let w = int_width(ty);
        let narrow = matches!(ty, types::I8 | types::I16);
        match opcode {
            Opcode::Iconst => {
                let v = self.f.dfg.first_result(inst);
                let c = self.constant(v).unwrap_or(0);
                // The upper half becomes zero.
                let (w, c) = match u32::try_from(c) {
                    Ok(c) => (Width::D, i64::from(c)),
                    Err(_) => (w, c),
                };
                self.op(Mnemonic::Mov, &[Arg::Def(to, w), Arg::Imm(c)]);
                Ok(())
            }
            Opcode::Iadd => self.sum(args[0], args[1], w, to),
            Opcode::Isub => match self.immediate(args[1]) {
                Some(c) if c != i64::from(i32::MIN) => {
                    let x = self.reg(args[0])?;
                    self.lea(to, w, x, None, -c as i32);
                    Ok(())
                }
                _ => self.change(Mnemonic::Sub, &args, w, to),
            },
            Opcode::Imul => match self.immediate(args[1]) {
                Some(c) => {
                    let x = self.reg(args[0])?;
                    let args = [Arg::Def(to, w), Arg::Use(x, w), Arg::Imm(c)];
                    self.op(Mnemonic::Imul, &args);
                    Ok(())
                }
                None => self.change(Mnemonic::Imul, &args, w, to),
            },
            Opcode::Band => self.change(Mnemonic::And, &args, w, to),
            Opcode::Bor => self.change(Mnemonic::Or, &args, w, to),
            Opcode::Bxor => self.change(Mnemonic::Xor, &args, w, to),
            Opcode::Bnot => self.change_one(Mnemonic::Not, args[0], w, to),
            Opcode::Ineg => self.change_one(Mnemonic::Neg, args[0], w, to),
            Opcode::Ishl => self.shift((Mnemonic::Shl, Mnemonic::Shlx), &args, ty, to),
            Opcode::Ushr if !narrow => self.shift((Mnemonic::Shr, Mnemonic::Shrx), &args, ty, to),
            Opcode::Sshr if !narrow => self.shift((Mnemonic::Sar, Mnemonic::Sarx), &args, ty, to),
            Opcode::Icmp | Opcode::Fcmp => self.truth(self.f.dfg.first_result(inst), to),
            Opcode::Select => self.select([args[0], args[1], args[2]], to, w),
            Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax if !narrow => {
                let (x, y) = (self.reg(args[0])?, self.reg(args[1])?);
                self.op(Mnemonic::Cmp, &[Arg::Use(x, w), Arg::Use(y, w)]);
                // The other one where that is it.
                let cc = match opcode {
                    Opcode::Smin => Condition::G,
                    Opcode::Smax => Condition::L,
                    Opcode::Umin => Condition::A,
                    _ => Condition::B,
                };
                let change = Arg::Change {
                    from: x,
                    to,
                    width: w,
                };
                self.push(Kind::MoveIf(cc), &[change, Arg::Use(y, w)]);
                Ok(())
            }
            Opcode::Uextend | Opcode::Sextend => {
                let signed = opcode == Opcode::Sextend;
                self.extend(args[0], to, w, signed)
            }
            Opcode::Ireduce => {
                let x = self.reg(args[0])?;
                self.push(Kind::Copy, &[Arg::Def(to, Width::Q), Arg::Use(x, Width::Q)]);
                Ok(())
            }
            Opcode::StackAddr => {
                let InstructionData::StackAddr {
                    stack_slot, offset, ..
                } = data
                else {
                    return unknown(opcode, ty);
                };
                let m = Mem {
                    base: Base::Slot(self.slot(stack_slot)),
                    index: None,
                    displacement: offset.into(),
                    broadcast: false,
                    bytes: None,
                };
                self.op(Mnemonic::Lea, &[Arg::Def(to, Width::Q), Arg::Mem(m)]);
                Ok(())
            }
            Opcode::Bitcast => self.bits_of(args[0], to),
            Opcode::Extractlane => self.extract_int(&data, args[0], to),
            Opcode::VanyTrue | Opcode::VallTrue => self.any_or_all(opcode, args[0], to),
            _ => unknown(opcode, ty),
        }
    }

    fn lea(&mut self, to: Reg, w: Width, base: Reg, index: Option<(Reg, u32)>, displacement: i32) {
        let m = Mem {
            index,
            displacement,
            ..Mem::at(base)
        };
        self.op(Mnemonic::Lea, &[Arg::Def(to, w), Arg::Mem(m)]);
    }

    /// A sum, which is an address to the machine: it needs no operand in the result's register.
    fn sum(&mut self, a: ir::Value, b: ir::Value, w: Width, to: Reg) -> R {
        let (a, b) = match self.immediate(a) {
            Some(_) => (b, a),
            None => (a, b),
        };
        let x = self.reg(a)?;
        if let Some(c) = self.immediate(b) {
            self.lea(to, w, x, None, c as i32);
            return Ok(());
        }
        let y = self.reg(b)?;
        self.lea(to, w, x, Some((y, 1)), 0);
        Ok(())
    }

    fn change(&mut self, mnemonic: Mnemonic, args: &[ir::Value], w: Width, to: Reg) -> R {
        let from = self.reg(args[0])?;
        let changed = Arg::Change { from, to, width: w };
        let by = match self.immediate(args[1]) {
            Some(c) if mnemonic != Mnemonic::Imul => Arg::Imm(c),
            _ => Arg::Use(self.reg(args[1])?, w),
        };
        self.op(mnemonic, &[changed, by]);
        Ok(())
    }

    fn change_one(&mut self, mnemonic: Mnemonic, v: ir::Value, w: Width, to: Reg) -> R {
        let from = self.reg(v)?;
        self.op(mnemonic, &[Arg::Change { from, to, width: w }]);
        Ok(())
    }

    fn shift(
        &mut self,
        (by_constant, by_register): (Mnemonic, Mnemonic),
        args: &[ir::Value],
        ty: ir::Type,
        to: Reg,
    ) -> R {
        let w = int_width(ty);
        let x = self.reg(args[0])?;
        // Both count the bits of a number modulo its width.
        if let Some(c) = self.constant(args[1]) {
            let n = c & i64::from(ty.bits() - 1);
            let change = Arg::Change {
                from: x,
                to,
                width: w,
            };
            self.op(by_constant, &[change, Arg::Imm(n)]);
            return Ok(());
        }
        if ty.bits() < 32 {
            return unknown(Opcode::Ishl, ty);
        }
        let by = self.reg(args[1])?;
        self.op(
            by_register,
            &[Arg::Def(to, w), Arg::Use(x, w), Arg::Use(by, w)],
        );
        Ok(())
    }

    fn extend(&mut self, v: ir::Value, to: Reg, w: Width, signed: bool) -> R {
        let x = self.reg(v)?;
        let (mnemonic, to, from) = match (self.ty(v), signed) {
            (types::I8, true) => (Mnemonic::Movsx, Arg::Def(to, w), Width::B),
            (types::I8, false) => (Mnemonic::Movzx, Arg::Def(to, Width::D), Width::B),
            (types::I16, true) => (Mnemonic::Movsx, Arg::Def(to, w), Width::W),
            (types::I16, false) => (Mnemonic::Movzx, Arg::Def(to, Width::D), Width::W),
            (types::I32, true) => (Mnemonic::Movsxd, Arg::Def(to, Width::Q), Width::D),
            (types::I32, false) => (Mnemonic::Mov, Arg::Def(to, Width::D), Width::D),
            (t, _) => return unknown(Opcode::Uextend, t),
        };
        self.op(mnemonic, &[to, Arg::Use(x, from)]);
        Ok(())
    }

    /// The bits of a float.
    fn bits_of(&mut self, v: ir::Value, to: Reg) -> R {
        let x = self.reg(v)?;
        let (mnemonic, w) = match self.ty(v) {
            types::F64 => (Mnemonic::Vmovq, Width::Q),
            types::F32 => (Mnemonic::Vmovd, Width::D),
            t => return unknown(Opcode::Bitcast, t),
        };
        self.op(mnemonic, &[Arg::Def(to, w), Arg::Use(x, Width::X)]);
        Ok(())
    }

    pub(super) fn move_bits(&mut self, v: ir::Value, to: Reg) -> R {
        let x = self.reg(v)?;
        let (mnemonic, w) = match self.ty(v) {
            types::I64 => (Mnemonic::Vmovq, Width::Q),
            types::I32 => (Mnemonic::Vmovd, Width::D),
            t => return unknown(Opcode::Bitcast, t),
        };
        debug_assert!(to.class() == Class::Vector);
        self.op(mnemonic, &[Arg::Def(to, Width::X), Arg::Use(x, w)]);
        Ok(())
    }
}
