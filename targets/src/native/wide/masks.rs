//! Comparisons of vectors, and selects by them: in registers for masks where there are such, else as
//! lanes of all ones or zeros.

use super::floats::Bitwise;
use super::vectors::by_lane;
use super::{Constant, R, Select, unknown, vector_width};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstructionData, Opcode};
use terrace_x86::{Arg, Class, Inst, Level, Mnemonic as M, Reg, Width};

impl Select<'_> {
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
    pub(super) fn mask_lanes(&mut self, inst: ir::Inst, ty: ir::Type, to: Reg) -> R {
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
            let ones = self.constant_reg(Constant {
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
    pub(super) fn blend(&mut self, args: &[ir::Value], ty: ir::Type, to: Reg) -> R {
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
