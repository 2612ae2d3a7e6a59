//! Loads, stores and addresses.

use super::{R, Select, int_width, unknown, vector_width};
use cranelift_codegen::ir::{self, InstructionData, Opcode, types};
use terrace_x86::{Arg, Base, Mem, Mnemonic, Reg, Width};

impl Select<'_> {
    /// The memory at a value and an offset.
    pub(super) fn memory(&mut self, address: ir::Value, offset: i32) -> R<Mem> {
        let (mut at, mut displacement) = (address, i64::from(offset));
        let mut index = None;
        loop {
            if let Some((slot, offset)) = self.stack(at) {
                let sum = displacement + i64::from(offset);
                let slot = self.slot(slot);
                return Ok(Mem {
                    base: Base::Slot(slot),
                    index: self.index(index)?,
                    displacement: i32::try_from(sum).map_err(|_| "a far offset")?,
                    broadcast: false,
                    bytes: None,
                });
            }
            let Some((inst, &[a, b])) = self.def_of(at, Opcode::Iadd) else {
                break;
            };
            let sum = |c: Option<i64>| {
                c.and_then(|c| displacement.checked_add(c))
                    .filter(|c| i32::try_from(*c).is_ok())
            };
            if let Some(c) = sum(self.constant(b)) {
                (at, displacement) = (a, c);
                continue;
            }
            if let Some(c) = sum(self.constant(a)) {
                (at, displacement) = (b, c);
                continue;
            }
            // What was added up further out is in one register.
            if index.is_some() || self.f.layout.inst_block(inst) != self.block {
                break;
            }
            (at, index) = match (self.scaled(b), self.scaled(a)) {
                (Some(scaled), _) => (a, Some(scaled)),
                (None, Some(scaled)) => (b, Some(scaled)),
                _ => (a, Some((b, 1))),
            };
        }
        Ok(Mem {
            base: Base::Reg(self.reg(at)?),
            index: self.index(index)?,
            displacement: displacement as i32,
            broadcast: false,
            bytes: None,
        })
    }

    fn index(&mut self, index: Option<(ir::Value, u32)>) -> R<Option<(Reg, u32)>> {
        match index {
            Some((v, scale)) => Ok(Some((self.reg(v)?, scale))),
            None => Ok(None),
        }
    }

    /// A value times 2, 4 or 8.
    fn scaled(&self, v: ir::Value) -> Option<(ir::Value, u32)> {
        let (inst, &[x, by]) = self.def_of(v, Opcode::Ishl)? else {
            return None;
        };
        // The register of what was shifted further out is there already.
        let here = self.f.layout.inst_block(inst) == self.block;
        match self.constant(by) {
            Some(n @ 1..=3) if here => Some((x, 1 << n)),
            _ => None,
        }
    }

    fn stack(&self, v: ir::Value) -> Option<(ir::StackSlot, i32)> {
        match *self.def(v)?.1 {
            InstructionData::StackAddr {
                stack_slot, offset, ..
            } => Some((stack_slot, offset.into())),
            _ => None,
        }
    }

    pub(super) fn slot(&mut self, slot: ir::StackSlot) -> terrace_x86::Slot {
        if let Some(s) = self.slots.get(&slot) {
            return *s;
        }
        let s = self.out.slot(self.f.sized_stack_slots[slot].size);
        self.slots.insert(slot, s);
        s
    }

    /// A value of registers of vectors, from memory where only this instruction uses what is
    /// loaded there.
    pub(super) fn vector_or_memory(&mut self, v: ir::Value, w: Width) -> R<Arg> {
        match self.sunk(v)? {
            Some(m) => Ok(Arg::Mem(m)),
            None => Ok(Arg::Use(self.reg(v)?, w)),
        }
    }

    /// The memory that a value is loaded from, where only what is made now uses it and finds the
    /// same there.
    pub(super) fn sunk(&mut self, v: ir::Value) -> R<Option<Mem>> {
        let v = self.root(v);
        let Some((inst, data)) = self.def(v) else {
            return Ok(None);
        };
        let InstructionData::Load {
            opcode: Opcode::Load,
            arg,
            offset,
            ..
        } = *data
        else {
            return Ok(None);
        };
        let here = self.f.layout.inst_block(inst) == self.block;
        let same = self.writes_before[inst] == self.writes;
        if self.uses[v] != 1 || !here || !same || self.regs.contains_key(&v) {
            return Ok(None);
        }
        self.memory(arg, offset.into()).map(Some)
    }

    pub(super) fn load(&mut self, data: &InstructionData, ty: ir::Type, to: Reg) -> R {
        let InstructionData::Load {
            opcode,
            arg,
            offset,
            ..
        } = *data
        else {
            return unknown(data.opcode(), ty);
        };
        let memory = self.memory(arg, offset.into())?;
        let m = Arg::Mem(memory);
        let small = |bytes| {
            Arg::Mem(Mem {
                bytes: Some(bytes),
                ..memory
            })
        };
        let w = int_width(ty);
        let (mnemonic, to, m) = match opcode {
            Opcode::Load => match ty {
                types::I8 => (Mnemonic::Movzx, Arg::Def(to, w), small(1)),
                types::I16 => (Mnemonic::Movzx, Arg::Def(to, w), small(2)),
                types::I32 | types::I64 => (Mnemonic::Mov, Arg::Def(to, w), m),
                types::F32 => (Mnemonic::Vmovss, Arg::Def(to, Width::X), m),
                types::F64 => (Mnemonic::Vmovsd, Arg::Def(to, Width::X), m),
                t => (Mnemonic::Vmovups, Arg::Def(to, vector_width(t)), m),
            },
            Opcode::Uload8 => (Mnemonic::Movzx, Arg::Def(to, w), small(1)),
            Opcode::Uload16 => (Mnemonic::Movzx, Arg::Def(to, w), small(2)),
            Opcode::Sload8 => (Mnemonic::Movsx, Arg::Def(to, w), small(1)),
            Opcode::Sload16 => (Mnemonic::Movsx, Arg::Def(to, w), small(2)),
            Opcode::Uload32 => (Mnemonic::Mov, Arg::Def(to, Width::D), m),
            Opcode::Sload32 => (Mnemonic::Movsxd, Arg::Def(to, Width::Q), m),
            _ => return unknown(opcode, ty),
        };
        self.op(mnemonic, &[to, m]);
        Ok(())
    }

    pub(super) fn store(&mut self, data: &InstructionData) -> R {
        let InstructionData::Store {
            opcode,
            args: [v, address],
            offset,
            ..
        } = *data
        else {
            return unknown(data.opcode(), types::INVALID);
        };
        let ty = self.ty(v);
        let bytes = match opcode {
            Opcode::Istore8 => 1,
            Opcode::Istore16 => 2,
            Opcode::Istore32 => 4,
            _ => ty.bytes(),
        };
        let m = Arg::Mem(self.memory(address, offset.into())?);
        if ty.is_int() {
            let w = match bytes {
                1 => Width::B,
                2 => Width::W,
                4 => Width::D,
                8 => Width::Q,
                _ => return unknown(opcode, ty),
            };
            let r = self.reg(v)?;
            self.op(Mnemonic::Mov, &[m, Arg::Use(r, w)]);
            return Ok(());
        }
        let r = self.reg(v)?;
        let (mnemonic, w) = match ty {
            types::F32 => (Mnemonic::Vmovss, Width::X),
            types::F64 => (Mnemonic::Vmovsd, Width::X),
            t => (Mnemonic::Vmovups, vector_width(t)),
        };
        self.op(mnemonic, &[m, Arg::Use(r, w)]);
        Ok(())
    }
}
