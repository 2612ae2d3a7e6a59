//! Single lanes of vectors.

use super::{R, Select, unknown, vector_width};
use cranelift_codegen::ir::{self, InstructionData, Opcode, types};
use terrace_x86::{Arg, Kind, Level, Mnemonic as M, Reg, Width};

impl Select<'_> {
    /// The 16 bytes with a lane of a vector, in the first ones of a register.
    fn part(&mut self, v: ir::Value, lane: u32) -> R<(Reg, u32)> {
        let ty = self.ty(v);
        let per = 16 / ty.lane_type().bytes();
        let x = self.reg(v)?;
        let (part, within) = (lane / per, lane % per);
        if part == 0 {
            return Ok((x, within));
        }
        let to = self.vector();
        let m = match self.level {
            Level::V3 => M::Vextractf128,
            Level::V4 => M::Vextractf32x4,
        };
        let args = [
            Arg::Def(to, Width::X),
            Arg::Use(x, vector_width(ty)),
            Arg::Imm(i64::from(part)),
        ];
        self.op(m, &args);
        Ok((to, within))
    }

    /// Puts 16 bytes into a vector in place of others.
    pub(super) fn insert_part(&mut self, into: Reg, part: Reg, at: u32, w: Width, to: Reg) {
        let m = match self.level {
            Level::V3 => M::Vinsertf128,
            Level::V4 => M::Vinsertf32x4,
        };
        let args = [
            Arg::Def(to, w),
            Arg::Use(into, w),
            Arg::Use(part, Width::X),
            Arg::Imm(i64::from(at)),
        ];
        self.op(m, &args);
    }

    pub(super) fn extract_float(&mut self, data: &InstructionData, v: ir::Value, to: Reg) -> R {
        let (x, lane) = self.part(v, lane_of(data))?;
        let (d, u) = (Arg::Def(to, Width::X), Arg::Use(x, Width::X));
        match (lane, self.ty(v).lane_type()) {
            (0, _) => self.push(Kind::Copy, &[d, u]),
            (_, types::F64) => self.op(M::Vunpckhpd, &[d, u, u]),
            (n, _) => self.op(M::Vpermilps, &[d, u, Arg::Imm(i64::from(n))]),
        }
        Ok(())
    }

    pub(super) fn extract_int(&mut self, data: &InstructionData, v: ir::Value, to: Reg) -> R {
        let (x, lane) = self.part(v, lane_of(data))?;
        let u = Arg::Use(x, Width::X);
        let at = Arg::Imm(i64::from(lane));
        let (d, q) = (Arg::Def(to, Width::D), Arg::Def(to, Width::Q));
        match (lane, self.ty(v).lane_type().bytes()) {
            (0, 8) => self.op(M::Vmovq, &[q, u]),
            (0, 4) => self.op(M::Vmovd, &[d, u]),
            (_, 8) => self.op(M::Vpextrq, &[q, u, at]),
            (_, 4) => self.op(M::Vpextrd, &[d, u, at]),
            (_, 2) => self.op(M::Vpextrw, &[d, u, at]),
            _ => self.op(M::Vpextrb, &[d, u, at]),
        }
        Ok(())
    }

    /// What all lanes are of a vector that is made lane by lane, where nothing else uses it on the way.
    pub(super) fn elements(&self, v: ir::Value) -> Option<Vec<ir::Value>> {
        let ty = self.ty(v);
        if ty.lane_type().bytes() < 4 {
            return None;
        }
        let mut found: Vec<Option<ir::Value>> = vec![None; ty.lane_count() as usize];
        let mut at = v;
        loop {
            if at != v && (self.uses[self.root(at)] != 1 || self.ty(at) != ty) {
                return None;
            }
            match *self.def(at)?.1 {
                InstructionData::TernaryImm8 {
                    opcode: Opcode::Insertlane,
                    args: [before, x],
                    imm,
                } => {
                    found.get_mut(usize::from(imm))?.get_or_insert(x);
                    at = before;
                }
                InstructionData::Unary {
                    opcode: Opcode::Splat,
                    arg,
                } => return Some(found.into_iter().map(|x| x.unwrap_or(arg)).collect()),
                _ => return None,
            }
        }
    }

    /// A vector of numbers: each 16 bytes of theirs, and then these together.
    pub(super) fn together(&mut self, all: &[ir::Value], ty: ir::Type, to: Reg) -> R {
        let per = (16 / ty.lane_type().bytes()) as usize;
        let parts = all.len() / per;
        let mut whole: Option<Reg> = None;
        for (i, numbers) in all.chunks(per).enumerate() {
            let part = if parts == 1 { to } else { self.vector() };
            self.part_of(numbers, ty.lane_type(), part)?;
            whole = Some(match whole {
                None => part,
                Some(so_far) => {
                    let next = if i + 1 == parts { to } else { self.vector() };
                    self.insert_part(so_far, part, i as u32, vector_width(ty), next);
                    next
                }
            });
        }
        Ok(())
    }

    /// 16 bytes of numbers of 4 or 8 bytes.
    fn part_of(&mut self, numbers: &[ir::Value], lane: ir::Type, to: Reg) -> R {
        let first = self.reg(numbers[0])?;
        let mut so_far = first;
        if lane.is_int() {
            so_far = self.vector();
            self.move_bits(numbers[0], so_far)?;
        }
        for (i, v) in numbers.iter().enumerate().skip(1) {
            let next = if i + 1 == numbers.len() {
                to
            } else {
                self.vector()
            };
            let memory = self.sunk(*v)?.map(Arg::Mem);
            let (d, x) = (Arg::Def(next, Width::X), Arg::Use(so_far, Width::X));
            let w = match lane {
                types::I64 => Width::Q,
                types::I32 => Width::D,
                _ => Width::X,
            };
            let in_memory = memory.is_some();
            let n = match memory {
                Some(m) => m,
                None => Arg::Use(self.reg(*v)?, w),
            };
            let at = Arg::Imm(i as i64);
            match lane {
                types::F64 if in_memory => self.op(M::Vmovhpd, &[d, x, n]),
                types::F64 => self.op(M::Vunpcklpd, &[d, x, n]),
                types::F32 => self.op(M::Vinsertps, &[d, x, n, Arg::Imm((i as i64) << 4)]),
                types::I64 => self.op(M::Vpinsrq, &[d, x, n, at]),
                _ => self.op(M::Vpinsrd, &[d, x, n, at]),
            }
            so_far = next;
        }
        Ok(())
    }

    /// A vector with another number in one lane.
    pub(super) fn insert(
        &mut self,
        data: &InstructionData,
        args: &[ir::Value],
        ty: ir::Type,
        to: Reg,
    ) -> R {
        let lane = ty.lane_type();
        let per = 16 / lane.bytes();
        let at = lane_of(data);
        let (part, within) = self.part(args[0], at)?;
        let x = Arg::Use(part, Width::X);
        let whole = vector_width(ty) == Width::X;
        let made = if whole { to } else { self.vector() };
        let d = Arg::Def(made, Width::X);
        let n = self.reg(args[1])?;
        let imm = Arg::Imm(i64::from(within));
        match lane {
            types::F64 if within == 0 => self.op(M::Vmovsd, &[d, x, Arg::Use(n, Width::X)]),
            types::F64 => self.op(M::Vunpcklpd, &[d, x, Arg::Use(n, Width::X)]),
            types::F32 => {
                let at = Arg::Imm(i64::from(within) << 4);
                self.op(M::Vinsertps, &[d, x, Arg::Use(n, Width::X), at]);
            }
            types::I64 => self.op(M::Vpinsrq, &[d, x, Arg::Use(n, Width::Q), imm]),
            types::I32 => self.op(M::Vpinsrd, &[d, x, Arg::Use(n, Width::D), imm]),
            types::I16 => self.op(M::Vpinsrw, &[d, x, Arg::Use(n, Width::D), imm]),
            types::I8 => self.op(M::Vpinsrb, &[d, x, Arg::Use(n, Width::D), imm]),
            t => return unknown(Opcode::Insertlane, t),
        }
        if !whole {
            let into = self.reg(args[0])?;
            self.insert_part(into, made, at / per, vector_width(ty), to);
        }
        Ok(())
    }
}

fn lane_of(data: &InstructionData) -> u32 {
    match *data {
        InstructionData::BinaryImm8 { imm, .. } | InstructionData::TernaryImm8 { imm, .. } => {
            u32::from(imm)
        }
        _ => 0,
    }
}
