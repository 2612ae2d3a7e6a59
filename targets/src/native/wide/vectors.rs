//! Vectors.

use super::floats::Bitwise;
use super::{R, Select, unknown, vector_width};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstructionData, Opcode, types};
use terrace_x86::{Arg, Class, Inst, Kind, Level, Mnemonic as M, Reg, Width};

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
            Opcode::Insertlane => return self.insert(&data, &args, ty, to),
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

    // ---- masks ----

    /// Whether a value is a mask that can be in a register for masks.
    fn is_mask(&self, v: ir::Value) -> bool {
        if self.level == Level::V3 {
            return false;
        }
        let Some((inst, data)) = self.def(v) else {
            return false;
        };
        let args = self.f.dfg.inst_args(inst);
        match data.opcode() {
            Opcode::Fcmp | Opcode::Icmp => self.ty(args[0]).is_vector(),
            Opcode::Band | Opcode::Bor | Opcode::Bxor | Opcode::Bnot => {
                let lanes = self.ty(v).lane_count();
                (args.iter()).all(|a| self.ty(*a).lane_count() == lanes && self.is_mask(*a))
            }
            _ => false,
        }
    }

    fn mask_reg(&mut self, v: ir::Value) -> Reg {
        let v = self.root(v);
        if let Some(r) = self.masks.get(&v) {
            return *r;
        }
        let r = self.out.reg(Class::Mask);
        self.masks.insert(v, r);
        r
    }

    /// Makes a mask that was asked for.
    pub(super) fn mask(&mut self, inst: ir::Inst, result: ir::Value) -> R {
        let to = self.mask_reg(result);
        let args = self.f.dfg.inst_args(inst).to_vec();
        let k = Width::K;
        match self.f.dfg.insts[inst] {
            InstructionData::FloatCompare { cond, .. } => {
                self.compare_lanes(&args, Some(cond), None, Arg::Def(to, k))
            }
            InstructionData::IntCompare { cond, .. } => {
                self.compare_lanes(&args, None, Some(cond), Arg::Def(to, k))
            }
            data => {
                let m = match data.opcode() {
                    Opcode::Band => M::Kandq,
                    Opcode::Bor => M::Korq,
                    Opcode::Bxor => M::Kxorq,
                    Opcode::Bnot => {
                        let x = self.mask_reg(args[0]);
                        self.op(M::Knotq, &[Arg::Def(to, k), Arg::Use(x, k)]);
                        return Ok(());
                    }
                    opcode => return unknown(opcode, self.ty(result)),
                };
                let (x, y) = (self.mask_reg(args[0]), self.mask_reg(args[1]));
                self.op(m, &[Arg::Def(to, k), Arg::Use(x, k), Arg::Use(y, k)]);
                Ok(())
            }
        }
    }

    /// A comparison, into a mask or into lanes of all ones.
    fn compare_lanes(
        &mut self,
        args: &[ir::Value],
        float: Option<FloatCC>,
        int: Option<IntCC>,
        to: Arg,
    ) -> R {
        let ty = self.ty(args[0]);
        let w = vector_width(ty);
        let bytes = ty.lane_type().bytes();
        let x = self.reg(args[0])?;
        let y = self.vector_or_memory(args[1], w)?;
        let (m, how) = match (float, int) {
            (Some(cc), _) => {
                let m = if bytes == 8 { M::Vcmppd } else { M::Vcmpps };
                (m, float_predicate(cc))
            }
            (_, Some(cc)) => {
                let signed = !matches!(
                    cc,
                    IntCC::UnsignedLessThan
                        | IntCC::UnsignedGreaterThanOrEqual
                        | IntCC::UnsignedGreaterThan
                        | IntCC::UnsignedLessThanOrEqual
                );
                let m = match (bytes, signed) {
                    (1, true) => M::Vpcmpb,
                    (2, true) => M::Vpcmpw,
                    (4, true) => M::Vpcmpd,
                    (_, true) => M::Vpcmpq,
                    (1, false) => M::Vpcmpub,
                    (2, false) => M::Vpcmpuw,
                    (4, false) => M::Vpcmpud,
                    (_, false) => M::Vpcmpuq,
                };
                (m, int_predicate(cc))
            }
            _ => return Err("a comparison of nothing".into()),
        };
        self.op(m, &[to, Arg::Use(x, w), y, Arg::Imm(how)]);
        Ok(())
    }

    /// A comparison as lanes of all ones or zeros.
    fn mask_lanes(&mut self, inst: ir::Inst, ty: ir::Type, to: Reg) -> R {
        let result = self.f.dfg.first_result(inst);
        let args = self.f.dfg.inst_args(inst).to_vec();
        let w = vector_width(ty);
        if self.level == Level::V4 {
            let made = self.masks.contains_key(&result);
            let k = self.mask_reg(result);
            if !made {
                self.mask(inst, result)?;
            }
            let m = match ty.lane_type().bytes() {
                1 => M::Vpmovm2b,
                2 => M::Vpmovm2w,
                4 => M::Vpmovm2d,
                _ => M::Vpmovm2q,
            };
            self.op(m, &[Arg::Def(to, w), Arg::Use(k, Width::K)]);
            return Ok(());
        }
        match self.f.dfg.insts[inst] {
            InstructionData::FloatCompare { cond, .. } => {
                self.compare_lanes(&args, Some(cond), None, Arg::Def(to, w))
            }
            InstructionData::IntCompare { cond, .. } => self.int_lanes(&args, cond, ty, to),
            data => unknown(data.opcode(), ty),
        }
    }

    /// AVX2 tells what is equal and what is greater, of numbers with signs.
    fn int_lanes(&mut self, args: &[ir::Value], cond: IntCC, ty: ir::Type, to: Reg) -> R {
        let w = vector_width(ty);
        let lane = ty.lane_type();
        let equal = [M::Vpcmpeqb, M::Vpcmpeqw, M::Vpcmpeqd, M::Vpcmpeqq].map(Some);
        let greater = [M::Vpcmpgtb, M::Vpcmpgtw, M::Vpcmpgtd, M::Vpcmpgtq].map(Some);
        let (all, swap, inverted) = match cond {
            IntCC::Equal => (equal, false, false),
            IntCC::NotEqual => (equal, false, true),
            IntCC::SignedGreaterThan => (greater, false, false),
            IntCC::SignedLessThan => (greater, true, false),
            IntCC::SignedLessThanOrEqual => (greater, false, true),
            IntCC::SignedGreaterThanOrEqual => (greater, true, true),
            _ => return unknown(Opcode::Icmp, ty),
        };
        let m = by_lane(all, lane).ok_or("a comparison of such lanes")?;
        let (a, b) = if swap {
            (args[1], args[0])
        } else {
            (args[0], args[1])
        };
        let (x, y) = (self.reg(a)?, self.reg(b)?);
        let made = if inverted { self.vector() } else { to };
        self.op(m, &[Arg::Def(made, w), Arg::Use(x, w), Arg::Use(y, w)]);
        if inverted {
            let ones = self.constant_reg(super::Constant {
                bits: u64::MAX,
                lane_bytes: 8,
                width: w,
            });
            let m = self.bitwise(Bitwise::Xor);
            self.op(m, &[Arg::Def(to, w), Arg::Use(made, w), Arg::Use(ones, w)]);
        }
        Ok(())
    }

    /// The lanes of one vector where a mask is set, else those of another.
    fn blend(&mut self, args: &[ir::Value], ty: ir::Type, to: Reg) -> R {
        let w = vector_width(ty);
        let bytes = ty.lane_type().bytes();
        let [c, x, y] = args[..] else {
            return unknown(Opcode::Bitselect, ty);
        };
        let same = self.ty(self.root(c)).lane_count() == ty.lane_count();
        if same && self.is_mask(c) {
            let k = self.mask_reg(c);
            let m = match bytes {
                1 => M::Vpblendmb,
                2 => M::Vpblendmw,
                4 => M::Vblendmps,
                _ => M::Vblendmpd,
            };
            let y = self.reg(y)?;
            let x = self.vector_or_memory(x, w)?;
            self.made.push(Inst {
                mask: Some(k),
                merge: true,
                ..Inst::op(m, &[Arg::Def(to, w), Arg::Use(y, w), x])
            });
            return Ok(());
        }
        let (k, x, y) = (self.reg(c)?, self.reg(x)?, self.reg(y)?);
        if self.level == Level::V3 && same {
            // By the sign of each lane; all its bits are the same.
            let m = match bytes {
                8 => M::Vblendvpd,
                4 => M::Vblendvps,
                _ => M::Vpblendvb,
            };
            let args = [
                Arg::Def(to, w),
                Arg::Use(y, w),
                Arg::Use(x, w),
                Arg::Use(k, w),
            ];
            self.op(m, &args);
            return Ok(());
        }
        // Bit by bit: y ^ ((x ^ y) & c).
        let (differ, kept) = (self.vector(), self.vector());
        let (xor, and) = (self.bitwise(Bitwise::Xor), self.bitwise(Bitwise::And));
        self.op(xor, &[Arg::Def(differ, w), Arg::Use(x, w), Arg::Use(y, w)]);
        self.op(
            and,
            &[Arg::Def(kept, w), Arg::Use(differ, w), Arg::Use(k, w)],
        );
        self.op(xor, &[Arg::Def(to, w), Arg::Use(y, w), Arg::Use(kept, w)]);
        Ok(())
    }

    /// Whether some or all lanes of a mask are set.
    pub(super) fn any_or_all(&mut self, opcode: Opcode, v: ir::Value, to: Reg) -> R {
        let ty = self.ty(self.root(v));
        let lanes = ty.lane_count();
        let all = u64::MAX >> (64 - lanes.min(64));
        if !self.is_mask(v) || lanes > 31 {
            return unknown(opcode, ty);
        }
        let k = self.mask_reg(v);
        let (bits, kept) = (self.int(), self.int());
        self.op(M::Kmovq, &[Arg::Def(bits, Width::Q), Arg::Use(k, Width::K)]);
        let change = Arg::Change {
            from: bits,
            to: kept,
            width: Width::D,
        };
        self.op(M::And, &[change, Arg::Imm(all as i64)]);
        let set = match opcode {
            Opcode::VanyTrue => M::Setne,
            _ => {
                self.op(M::Cmp, &[Arg::Use(kept, Width::D), Arg::Imm(all as i64)]);
                M::Sete
            }
        };
        self.op(set, &[Arg::Def(to, Width::B)]);
        Ok(())
    }

    // ---- single lanes ----

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
    fn insert_part(&mut self, into: Reg, part: Reg, at: u32, w: Width, to: Reg) {
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

    /// A vector with another number in one lane.
    fn insert(&mut self, data: &InstructionData, args: &[ir::Value], ty: ir::Type, to: Reg) -> R {
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

fn by_lane(all: ByLane, lane: ir::Type) -> Option<M> {
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

fn lane_of(data: &InstructionData) -> u32 {
    match *data {
        InstructionData::BinaryImm8 { imm, .. } | InstructionData::TernaryImm8 { imm, .. } => {
            u32::from(imm)
        }
        _ => 0,
    }
}

/// Comparisons that signal no invalid operation for quiet NaNs.
fn float_predicate(cc: FloatCC) -> i64 {
    match cc {
        FloatCC::Equal => 0x00,
        FloatCC::LessThan => 0x11,
        FloatCC::LessThanOrEqual => 0x12,
        FloatCC::Unordered => 0x03,
        FloatCC::NotEqual => 0x04,
        FloatCC::UnorderedOrGreaterThanOrEqual => 0x15,
        FloatCC::UnorderedOrGreaterThan => 0x16,
        FloatCC::Ordered => 0x07,
        FloatCC::UnorderedOrEqual => 0x08,
        FloatCC::UnorderedOrLessThan => 0x19,
        FloatCC::UnorderedOrLessThanOrEqual => 0x1a,
        FloatCC::OrderedNotEqual => 0x0c,
        FloatCC::GreaterThanOrEqual => 0x1d,
        FloatCC::GreaterThan => 0x1e,
    }
}

fn int_predicate(cc: IntCC) -> i64 {
    match cc {
        IntCC::Equal => 0,
        IntCC::SignedLessThan | IntCC::UnsignedLessThan => 1,
        IntCC::SignedLessThanOrEqual | IntCC::UnsignedLessThanOrEqual => 2,
        IntCC::NotEqual => 4,
        IntCC::SignedGreaterThanOrEqual | IntCC::UnsignedGreaterThanOrEqual => 5,
        IntCC::SignedGreaterThan | IntCC::UnsignedGreaterThan => 6,
    }
}
