//! Vectors.

use super::floats::Bitwise;
use super::{R, Select, unknown, vector_width};
use cranelift_codegen::ir::{self, InstructionData, Opcode, types};
use terrace_x86::{Arg, Level, Mnemonic as M, Reg, Width};

/// A mnemonic for lanes of 1, 2, 4 and 8 bytes.
type ByLane = [Option<M>; 4];

impl Select<'_> {
    pub(super) fn vector_op(&mut self, inst: ir::Inst, ty: ir::Type, to: Reg) -> R {
        let data = self.f.dfg.insts[inst];
        let args = self.f.dfg.inst_args(inst).to_vec();
        let opcode = data.opcode();
        let w = vector_width(ty);
        let lane = ty.lane_type();
        let double = lane.bytes() == 8;
        let of = |d: M, s: M| if double { d } else { s };
        let v4 = |m: M| (self.level == Level::V4).then_some(m);
        let lanes: ByLane = match opcode {
            Opcode::Fadd => [None, None, Some(M::Vaddps), Some(M::Vaddpd)],
            Opcode::Fsub => [None, None, Some(M::Vsubps), Some(M::Vsubpd)],
            Opcode::Fmul => [None, None, Some(M::Vmulps), Some(M::Vmulpd)],
            Opcode::Fdiv => [None, None, Some(M::Vdivps), Some(M::Vdivpd)],
            Opcode::Iadd => [M::Vpaddb, M::Vpaddw, M::Vpaddd, M::Vpaddq].map(Some),
            Opcode::Isub => [M::Vpsubb, M::Vpsubw, M::Vpsubd, M::Vpsubq].map(Some),
            Opcode::Imul => [None, Some(M::Vpmullw), Some(M::Vpmulld), v4(M::Vpmullq)],
            Opcode::Smax => [
                Some(M::Vpmaxsb),
                Some(M::Vpmaxsw),
                Some(M::Vpmaxsd),
                v4(M::Vpmaxsq),
            ],
            Opcode::Smin => [
                Some(M::Vpminsb),
                Some(M::Vpminsw),
                Some(M::Vpminsd),
                v4(M::Vpminsq),
            ],
            Opcode::Umax => [
                Some(M::Vpmaxub),
                Some(M::Vpmaxuw),
                Some(M::Vpmaxud),
                v4(M::Vpmaxuq),
            ],
            Opcode::Umin => [
                Some(M::Vpminub),
                Some(M::Vpminuw),
                Some(M::Vpminud),
                v4(M::Vpminuq),
            ],
            Opcode::Band => [Some(self.bitwise(Bitwise::And)); 4],
            Opcode::Bor => [Some(self.bitwise(Bitwise::Or)); 4],
            Opcode::Bxor => [Some(self.bitwise(Bitwise::Xor)); 4],
            Opcode::Fcmp | Opcode::Icmp => return self.mask_lanes(inst, ty, to),
            Opcode::Sqrt => {
                let x = self.vector_or_memory(args[0], w)?;
                self.op(of(M::Vsqrtpd, M::Vsqrtps), &[Arg::Def(to, w), x]);
                return Ok(());
            }
            Opcode::Fma => {
                let mnemonic = of(M::Vfmadd231pd, M::Vfmadd231ps);
                return self.multiply_add(mnemonic, &args, w, to);
            }
            Opcode::Fneg | Opcode::Fabs => return self.sign(opcode, args[0], ty, to),
            Opcode::Ceil | Opcode::Floor | Opcode::Trunc => {
                return self.round(opcode, args[0], ty, to);
            }
            Opcode::Iabs => {
                let all = [
                    Some(M::Vpabsb),
                    Some(M::Vpabsw),
                    Some(M::Vpabsd),
                    v4(M::Vpabsq),
                ];
                let Some(m) = by_lane(all, lane) else {
                    return unknown(opcode, ty);
                };
                let x = self.vector_or_memory(args[0], w)?;
                self.op(m, &[Arg::Def(to, w), x]);
                return Ok(());
            }
            Opcode::Fmax | Opcode::Fmin => return self.extremum(opcode, &args, ty, to),
            Opcode::Bnot => return self.not(args[0], ty, to),
            Opcode::Ishl | Opcode::Ushr | Opcode::Sshr => {
                return self.shift_lanes(opcode, &args, ty, to);
            }
            Opcode::Splat => return self.splat(args[0], ty, to),
            Opcode::Bitselect => return self.blend(&args, ty, to),
            Opcode::Select => return self.select([args[0], args[1], args[2]], to, w),
            Opcode::Insertlane => {
                let result = self.f.dfg.first_result(inst);
                return match self.elements(result) {
                    Some(all) => self.together(&all, ty, to),
                    None => self.insert(&data, &args, ty, to),
                };
            }
            Opcode::Vconst => return self.vconst(&data, ty, to),
            _ => return unknown(opcode, ty),
        };
        let Some(m) = by_lane(lanes, lane) else {
            return unknown(opcode, ty);
        };
        let x = self.reg(args[0])?;
        let y = self.vector_or_memory(args[1], w)?;
        self.op(m, &[Arg::Def(to, w), Arg::Use(x, w), y]);
        Ok(())
    }

    fn not(&mut self, v: ir::Value, ty: ir::Type, to: Reg) -> R {
        let w = vector_width(ty);
        let ones = self.constant_reg(super::Constant {
            bits: u64::MAX,
            lane_bytes: 8,
            width: w,
        });
        let x = self.reg(v)?;
        let m = self.bitwise(Bitwise::Xor);
        self.op(m, &[Arg::Def(to, w), Arg::Use(x, w), Arg::Use(ones, w)]);
        Ok(())
    }

    fn shift_lanes(&mut self, opcode: Opcode, args: &[ir::Value], ty: ir::Type, to: Reg) -> R {
        let w = vector_width(ty);
        let v4 = self.level == Level::V4;
        let m = match (opcode, ty.lane_type().bytes()) {
            (Opcode::Ishl, 2) => M::Vpsllw,
            (Opcode::Ishl, 4) => M::Vpslld,
            (Opcode::Ishl, 8) => M::Vpsllq,
            (Opcode::Ushr, 2) => M::Vpsrlw,
            (Opcode::Ushr, 4) => M::Vpsrld,
            (Opcode::Ushr, 8) => M::Vpsrlq,
            (Opcode::Sshr, 2) => M::Vpsraw,
            (Opcode::Sshr, 4) => M::Vpsrad,
            (Opcode::Sshr, 8) if v4 => M::Vpsraq,
            _ => return unknown(opcode, ty),
        };
        let most = i64::from(ty.lane_type().bits() - 1);
        let x = self.reg(args[0])?;
        let by = match self.constant(args[1]) {
            Some(c) => Arg::Imm(c & most),
            None => {
                let n = self.reg(args[1])?;
                let (kept, by) = (self.int(), self.vector());
                let change = Arg::Change {
                    from: n,
                    to: kept,
                    width: Width::D,
                };
                self.op(M::And, &[change, Arg::Imm(most)]);
                self.op(
                    M::Vmovd,
                    &[Arg::Def(by, Width::X), Arg::Use(kept, Width::D)],
                );
                Arg::Use(by, Width::X)
            }
        };
        self.op(m, &[Arg::Def(to, w), Arg::Use(x, w), by]);
        Ok(())
    }

    // ---- one number in all lanes ----

    fn splat(&mut self, v: ir::Value, ty: ir::Type, to: Reg) -> R {
        let w = vector_width(ty);
        let lane = ty.lane_type();
        if lane.is_float() {
            let from = match self.sunk(v)? {
                Some(m) => Arg::Mem(m),
                None => Arg::Use(self.reg(v)?, Width::X),
            };
            let m = match (lane, w) {
                // The one of doubles has no form for two lanes.
                (types::F64, Width::X) => M::Vmovddup,
                (types::F64, _) => M::Vbroadcastsd,
                _ => M::Vbroadcastss,
            };
            self.op(m, &[Arg::Def(to, w), from]);
            return Ok(());
        }
        if let Some(m) = self.sunk(v)? {
            self.op(broadcast_int(lane.bytes()), &[Arg::Def(to, w), Arg::Mem(m)]);
            return Ok(());
        }
        let x = self.reg(v)?;
        self.splat_int(to, w, x, lane.bytes());
        Ok(())
    }

    /// The lower bytes of a general register in all lanes.
    pub(super) fn splat_int(&mut self, to: Reg, w: Width, from: Reg, lane_bytes: u32) {
        let wide = lane_bytes == 8;
        let of = if wide { Width::Q } else { Width::D };
        let m = broadcast_int(lane_bytes);
        if self.level == Level::V4 {
            self.op(m, &[Arg::Def(to, w), Arg::Use(from, of)]);
            return;
        }
        let first = self.vector();
        let mov = if wide { M::Vmovq } else { M::Vmovd };
        self.op(mov, &[Arg::Def(first, Width::X), Arg::Use(from, of)]);
        self.op(m, &[Arg::Def(to, w), Arg::Use(first, Width::X)]);
    }

    /// Lanes that differ: each 16 bytes by their halves.
    fn vconst(&mut self, data: &InstructionData, ty: ir::Type, to: Reg) -> R {
        let InstructionData::UnaryConst {
            constant_handle, ..
        } = *data
        else {
            return unknown(Opcode::Vconst, ty);
        };
        let bytes = self
            .f
            .dfg
            .constants
            .get(constant_handle)
            .as_slice()
            .to_vec();
        let mut whole: Option<Reg> = None;
        let parts = bytes.len() / 16;
        for (i, part) in bytes.chunks_exact(16).enumerate() {
            let half = |at: usize| {
                let mut b = [0; 8];
                b.copy_from_slice(&part[at..at + 8]);
                i64::from_le_bytes(b)
            };
            let (low, high) = (self.int(), self.int());
            self.op(M::Mov, &[Arg::Def(low, Width::Q), Arg::Imm(half(0))]);
            self.op(M::Mov, &[Arg::Def(high, Width::Q), Arg::Imm(half(8))]);
            let (first, both) = (self.vector(), self.vector());
            self.op(
                M::Vmovq,
                &[Arg::Def(first, Width::X), Arg::Use(low, Width::Q)],
            );
            let both = if parts == 1 { to } else { both };
            self.op(
                M::Vpinsrq,
                &[
                    Arg::Def(both, Width::X),
                    Arg::Use(first, Width::X),
                    Arg::Use(high, Width::Q),
                    Arg::Imm(1),
                ],
            );
            whole = Some(match whole {
                None => both,
                Some(so_far) => {
                    let next = if i + 1 == parts { to } else { self.vector() };
                    self.insert_part(so_far, both, i as u32, vector_width(ty), next);
                    next
                }
            });
        }
        Ok(())
    }
}

pub(super) fn by_lane(all: ByLane, lane: ir::Type) -> Option<M> {
    all[lane.bytes().trailing_zeros() as usize]
}

fn broadcast_int(bytes: u32) -> M {
    match bytes {
        1 => M::Vpbroadcastb,
        2 => M::Vpbroadcastw,
        4 => M::Vpbroadcastd,
        _ => M::Vpbroadcastq,
    }
}
