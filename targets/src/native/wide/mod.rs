//! Machine code of our own for parts of functions, with vectors of 256 and 512 bits.
//!
//! ```text
//! v7 = load.f64x8 v3+64
//! v8 = fadd v6, v7           =>    vaddpd zmm2, zmm1, [rdi+rcx*8+40h]
//! ```
//!
//! A function is lowered to Cranelift's IR as others are, with vectors that are as long as this
//! machine's registers. Its own generator has none above 128 bits, so instructions are chosen here,
//! for `terrace-x86`. An instruction without a form here makes the function Cranelift's, with
//! vectors that it has.
//!
//! Blocks are gone through from the last to the first, and the instructions of each from its end:
//! what nobody asked for when it is come to is not made. So a load becomes an operand of what uses
//! it, a sum a part of an address, and a comparison the flags of a branch.

mod blocks;
mod floats;
mod integers;
mod lanes;
mod masks;
mod memory;
mod vectors;

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{self, InstructionData, Opcode, types};
use rustc_hash::FxHashMap;
use terrace_x86::{Arg, Class, Compiled, Func, Inst, Kind, Level, Mnemonic, Reg, Slot, Width};

/// Machine code of a function, or what in it has none.
pub(super) fn machine_code(f: &ir::Function, level: Level) -> Result<Compiled, String> {
    let func = blocks::select(f, level)?;
    terrace_x86::compile(&func).map_err(|e| e.0)
}

/// The level of the machine that this runs on.
#[must_use]
pub fn level_here() -> Option<Level> {
    #[cfg(all(target_arch = "x86_64", unix))]
    {
        use std::arch::is_x86_feature_detected as has;
        let v3 = has!("avx2") && has!("fma") && has!("bmi2");
        let v4 = has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl");
        match (v3, v4) {
            (true, true) => Some(Level::V4),
            (true, false) => Some(Level::V3),
            _ => None,
        }
    }
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    {
        None
    }
}

type R<T = ()> = Result<T, String>;

/// A function whose instructions are chosen.
struct Select<'a> {
    f: &'a ir::Function,
    out: Func,
    level: Level,
    /// Registers of values that were asked for.
    regs: FxHashMap<ir::Value, Reg>,
    /// Registers of masks that were asked for as such.
    masks: FxHashMap<ir::Value, Reg>,
    /// Constants that are made where the function begins.
    constants: FxHashMap<Constant, Reg>,
    slots: FxHashMap<ir::StackSlot, Slot>,
    /// How often each value is used.
    uses: SecondaryMap<ir::Value, u32>,
    /// Of each instruction, how many before it in its block write to memory.
    writes_before: SecondaryMap<ir::Inst, u32>,
    /// Where instructions are made now.
    block: Option<ir::Block>,
    writes: u32,
    /// Instructions made of one of Cranelift's, in order.
    made: Vec<Inst>,
}

/// A constant in all lanes of a register of vectors.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Constant {
    /// The bits of a lane.
    bits: u64,
    lane_bytes: u32,
    width: Width,
}

/// What a value is for the one who asks: registers of integers, of floats and vectors.
fn class_of(ty: ir::Type) -> R<Class> {
    match ty {
        types::I8 | types::I16 | types::I32 | types::I64 => Ok(Class::Int),
        types::F32 | types::F64 => Ok(Class::Vector),
        t if t.is_vector() && (16..=64).contains(&t.bytes()) => Ok(Class::Vector),
        t => Err(format!("values of {t}")),
    }
}

/// The width of the registers that hold a float or a vector.
fn vector_width(ty: ir::Type) -> Width {
    match ty.bytes() {
        64 => Width::Z,
        32 => Width::Y,
        _ => Width::X,
    }
}

/// The width in which integers of a type are computed.
fn int_width(ty: ir::Type) -> Width {
    match ty {
        types::I64 => Width::Q,
        _ => Width::D,
    }
}

impl Select<'_> {
    fn ty(&self, v: ir::Value) -> ir::Type {
        self.f.dfg.value_type(v)
    }

    /// The value that `v` is another name of, or the same bits of another type of vector.
    fn root(&self, v: ir::Value) -> ir::Value {
        let mut v = self.f.dfg.resolve_aliases(v);
        while let Some(inst) = self.f.dfg.value_def(v).inst()
            && let InstructionData::LoadNoOffset { .. } | InstructionData::Unary { .. } =
                self.f.dfg.insts[inst]
            && self.f.dfg.insts[inst].opcode() == Opcode::Bitcast
        {
            let from = self.f.dfg.resolve_aliases(self.f.dfg.inst_args(inst)[0]);
            if !self.ty(from).is_vector() || !self.ty(v).is_vector() {
                break;
            }
            v = from;
        }
        v
    }

    /// The instruction that makes a value.
    fn def(&self, v: ir::Value) -> Option<(ir::Inst, &InstructionData)> {
        let inst = self.f.dfg.value_def(self.root(v)).inst()?;
        Some((inst, &self.f.dfg.insts[inst]))
    }

    /// The instruction that makes a value, if it has this code, and its operands.
    fn def_of(&self, v: ir::Value, opcode: Opcode) -> Option<(ir::Inst, &[ir::Value])> {
        let (inst, data) = self.def(v)?;
        (data.opcode() == opcode).then(|| (inst, self.f.dfg.inst_args(inst)))
    }

    /// A constant integer, with its sign.
    fn constant(&self, v: ir::Value) -> Option<i64> {
        match self.def(v)?.1 {
            InstructionData::UnaryImm {
                opcode: Opcode::Iconst,
                imm,
            } => Some(match self.ty(v) {
                types::I8 => i64::from(imm.bits() as i8),
                types::I16 => i64::from(imm.bits() as i16),
                types::I32 => i64::from(imm.bits() as i32),
                _ => imm.bits(),
            }),
            _ => None,
        }
    }

    /// A constant that fits into instructions.
    fn immediate(&self, v: ir::Value) -> Option<i64> {
        self.constant(v).filter(|c| i32::try_from(*c).is_ok())
    }

    /// The register of a value, which is made where its instruction is come to.
    fn reg(&mut self, v: ir::Value) -> R<Reg> {
        let v = self.root(v);
        if let Some(r) = self.regs.get(&v) {
            return Ok(*r);
        }
        if let Some(c) = self.lane_constant(v) {
            return Ok(self.constant_reg(c));
        }
        let class = class_of(self.ty(v))?;
        let r = self.out.reg(class);
        self.regs.insert(v, r);
        Ok(r)
    }

    /// A float or a vector of one number that is constant. Others are made where they are.
    fn lane_constant(&self, v: ir::Value) -> Option<Constant> {
        let ty = self.ty(v);
        let (bits, lane_bytes) = match *self.def(v)?.1 {
            InstructionData::UnaryIeee64 { imm, .. } => (imm.bits(), 8),
            InstructionData::UnaryIeee32 { imm, .. } => (u64::from(imm.bits()), 4),
            InstructionData::UnaryConst {
                opcode: Opcode::Vconst,
                constant_handle,
            } => {
                let bytes = self.f.dfg.constants.get(constant_handle).as_slice();
                let lane = ty.lane_type().bytes() as usize;
                let first = bytes.get(..lane)?;
                if bytes.chunks(lane).any(|c| c != first) {
                    return None;
                }
                let mut bits = [0; 8];
                bits[..lane].copy_from_slice(first);
                (u64::from_le_bytes(bits), lane as u32)
            }
            InstructionData::Unary {
                opcode: Opcode::Splat,
                arg,
            } => {
                let lane = ty.lane_type().bytes();
                if let Some(c) = self.constant(arg) {
                    let mask = u64::MAX >> (64 - 8 * lane);
                    (c as u64 & mask, lane)
                } else {
                    let c = self.lane_constant(self.root(arg))?;
                    (c.bits, c.lane_bytes)
                }
            }
            _ => return None,
        };
        Some(Constant {
            bits,
            lane_bytes,
            width: vector_width(ty),
        })
    }

    fn constant_reg(&mut self, c: Constant) -> Reg {
        if let Some(r) = self.constants.get(&c) {
            return *r;
        }
        let r = self.out.reg(Class::Vector);
        self.constants.insert(c, r);
        r
    }

    /// The instructions that make all constants.
    fn make_constants(&mut self) -> R {
        let mut all: Vec<(Constant, Reg)> = self.constants.drain().collect();
        all.sort_by_key(|(c, _)| (c.width as u8, c.lane_bytes, c.bits));
        for (c, r) in all {
            if c.bits == 0 {
                self.push(Kind::Zero, &[Arg::Def(r, c.width)]);
                continue;
            }
            let wide = c.lane_bytes == 8;
            let number = self.out.reg(Class::Int);
            let (w, imm) = match wide {
                true => (Width::Q, c.bits as i64),
                false => (Width::D, i64::from(c.bits as u32)),
            };
            self.op(Mnemonic::Mov, &[Arg::Def(number, w), Arg::Imm(imm)]);
            self.splat_int(r, c.width, number, c.lane_bytes);
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind, args: &[Arg]) {
        self.made.push(Inst::new(kind, args));
    }

    fn op(&mut self, mnemonic: Mnemonic, args: &[Arg]) {
        self.made.push(Inst::op(mnemonic, args));
    }

    fn int(&mut self) -> Reg {
        self.out.reg(Class::Int)
    }

    fn vector(&mut self) -> Reg {
        self.out.reg(Class::Vector)
    }

    /// Whether anything asks for what an instruction makes.
    fn is_asked_for(&self, inst: ir::Inst) -> bool {
        let results = self.f.dfg.inst_results(inst);
        (results.iter()).any(|r| self.regs.contains_key(r) || self.masks.contains_key(r))
    }

    /// Makes what was asked for of an instruction that ends no block.
    fn inst(&mut self, inst: ir::Inst) -> R {
        let data = self.f.dfg.insts[inst];
        let opcode = data.opcode();
        if opcode == Opcode::Store
            || matches!(
                opcode,
                Opcode::Istore8 | Opcode::Istore16 | Opcode::Istore32
            )
        {
            return self.store(&data);
        }
        if opcode.is_call() || opcode.is_branch() || opcode.is_terminator() || opcode.can_store() {
            return Err(format!("{opcode}"));
        }
        if !self.is_asked_for(inst) {
            return Ok(());
        }
        let result = self.f.dfg.first_result(inst);
        if self.f.dfg.inst_results(inst).len() > 1 {
            return Err(format!("{opcode}"));
        }
        if self.masks.contains_key(&result) {
            self.mask(inst, result)?;
        }
        if !self.regs.contains_key(&result) {
            return Ok(());
        }
        let to = self.reg(result)?;
        let ty = self.ty(result);
        if opcode.can_load() {
            return self.load(&data, ty, to);
        }
        match class_of(ty)? {
            _ if ty.is_vector() => self.vector_op(inst, ty, to),
            Class::Vector => self.float_op(inst, ty, to),
            _ => self.int_op(inst, ty, to),
        }
    }
}

/// The error about an instruction without a form here.
fn unknown<T>(opcode: Opcode, ty: ir::Type) -> R<T> {
    Err(format!("{opcode} of {ty}"))
}
