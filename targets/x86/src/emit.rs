//! Bytes of machine code.

use super::allocate::{KEPT, RBP, RSP, View};
use super::codes;
use super::func::Func;
use super::inst::{Arg, Base, Branch, Condition, Inst, Kind, Level, Mem, Width};
use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, Formatter, Instruction, InstructionBlock,
    IntelFormatter, Mnemonic, OpCodeOperandKind, OpKind, Register,
};
use regalloc2::{Allocation, Edit, InstOrEdit, Output, PReg, RegClass};
use smallvec::SmallVec;
use std::fmt;

/// Why a function has no machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Machine code.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Runs at any address.
    pub bytes: Vec<u8>,
    instructions: Vec<Instruction>,
}

impl Compiled {
    /// The instructions in Intel's notation, a line each.
    #[must_use]
    pub fn text(&self) -> String {
        let mut formatter = IntelFormatter::new();
        let mut out = String::new();
        for i in &self.instructions {
            out.push_str("  ");
            formatter.format(i, &mut out);
            out.push('\n');
        }
        out
    }
}

/// Machine code of a function.
///
/// # Errors
///
/// For an instruction that the level does not have, which is a fault of who made the function.
pub fn compile(func: &Func) -> Result<Compiled, Error> {
    let view = View::of(func);
    let allocated = view.allocate()?;
    let mut emit = Emit::new(&view, &allocated);
    emit.all()?;
    let Emit {
        mut code,
        fixups,
        starts,
        ..
    } = emit;
    for (at, block) in fixups {
        let to = match block {
            Target::Block(b) => starts[b],
            Target::Instruction(i) => i as u64 + 1,
        };
        code[at].set_near_branch64(to);
    }
    let block = InstructionBlock::new(&code, 0);
    let encoded = BlockEncoder::encode(64, block, BlockEncoderOptions::NONE)
        .map_err(|e| Error(format!("no encoding: {e}")))?;
    Ok(Compiled {
        bytes: encoded.code_buffer,
        instructions: code,
    })
}

#[derive(Clone, Copy)]
enum Target {
    Block(usize),
    Instruction(usize),
}

struct Emit<'v, 'f> {
    view: &'v View<'f>,
    allocated: &'v Output,
    code: Vec<Instruction>,
    /// Branches whose targets have no places yet.
    fixups: Vec<(usize, Target)>,
    /// What the first instruction of each block is counted as, from 1.
    starts: Vec<u64>,
    /// Registers to save.
    saved: Vec<usize>,
    /// Bytes of memory of its own, where there is any.
    frame: i32,
    /// Where each slot is from the end of the stack.
    slots: Vec<i32>,
    vectors: bool,
}

impl<'v, 'f> Emit<'v, 'f> {
    fn new(view: &'v View<'f>, allocated: &'v Output) -> Emit<'v, 'f> {
        let mut used = [false; 16];
        let mut vectors = false;
        let moved = (allocated.edits.iter()).flat_map(|(_, Edit::Move { from, to })| [*from, *to]);
        for r in (allocated.allocs.iter().copied().chain(moved)).filter_map(Allocation::as_reg) {
            match r.class() {
                RegClass::Int => used[r.hw_enc()] = true,
                _ => vectors = true,
            }
        }
        let round = |n: i32| (n + 63) & !63;
        let mut frame = round(allocated.num_spillslots as i32 * 8);
        let mut slots = Vec::new();
        for bytes in &view.func.slots {
            slots.push(frame);
            frame += round(*bytes as i32);
        }
        Emit {
            view,
            allocated,
            code: Vec::new(),
            fixups: Vec::new(),
            starts: vec![0; view.func.blocks.len()],
            saved: KEPT.into_iter().filter(|n| used[*n]).collect(),
            frame,
            slots,
            vectors,
        }
    }

    fn all(&mut self) -> Result<(), Error> {
        self.enter()?;
        let blocks = self.view.func.blocks.len();
        let through: Vec<usize> = (0..blocks).map(|b| self.through(b)).collect();
        let stays = |b: &usize| through[*b] == *b;
        let order: Vec<usize> = (0..blocks).filter(stays).collect();
        for (i, b) in order.iter().enumerate() {
            self.starts[*b] = self.code.len() as u64 + 1;
            let next = order.get(i + 1).copied();
            self.block(*b, next, &through)?;
        }
        Ok(())
    }

    /// Where a block leads to that does nothing else; other blocks to themselves.
    fn through(&self, block: usize) -> usize {
        let mut b = block;
        // A loop of blocks that do nothing would have no end.
        for _ in 0..self.view.func.blocks.len() {
            let data = &self.view.func.blocks[b];
            let mut all =
                (self.allocated).block_insts_and_edits(self.view, regalloc2::Block::new(b));
            let only = matches!(all.next(), Some(InstOrEdit::Inst(_))) && all.next().is_none();
            let jumps = data.insts.len() == 1 && data.insts[0].kind == Kind::Jump;
            if b == 0 || !only || !jumps {
                return b;
            }
            b = data.ends[0].0.0;
        }
        block
    }

    fn block(&mut self, b: usize, next: Option<usize>, through: &[usize]) -> Result<(), Error> {
        let (view, allocated) = (self.view, self.allocated);
        for x in allocated.block_insts_and_edits(view, regalloc2::Block::new(b)) {
            match x {
                InstOrEdit::Edit(Edit::Move { from, to }) => self.copy(*from, *to)?,
                InstOrEdit::Inst(i) => {
                    let inst = view.inst(i);
                    let at = allocated.inst_allocs(i);
                    let ends: SmallVec<[usize; 2]> = match inst.kind {
                        Kind::Jump | Kind::Branch(_) => {
                            let ends = &view.func.blocks[b].ends;
                            ends.iter().map(|(b, _)| through[b.0]).collect()
                        }
                        _ => SmallVec::new(),
                    };
                    self.inst(inst, at, &ends, next)?;
                }
            }
        }
        Ok(())
    }

    fn inst(
        &mut self,
        inst: &Inst,
        at: &[Allocation],
        ends: &[usize],
        next: Option<usize>,
    ) -> Result<(), Error> {
        match inst.kind {
            Kind::Args => Ok(()),
            Kind::Op(mnemonic) => self.op(mnemonic, inst, at),
            Kind::Copy => {
                let reads_first = matches!(inst.args.first(), Some(Arg::Use(..)));
                let (from, to) = if reads_first { (0, 1) } else { (1, 0) };
                self.copy(at[from], at[to])
            }
            Kind::Zero => self.zero(at[0]),
            Kind::MoveIf(cc) => self.move_if(cc, inst, at),
            Kind::Jump => {
                if next != Some(ends[0]) {
                    self.jump(None, Target::Block(ends[0]));
                }
                Ok(())
            }
            Kind::Branch(branch) => {
                self.branch(branch, (ends[0], ends[1]), next);
                Ok(())
            }
            Kind::Return => self.leave(),
        }
    }

    fn branch(&mut self, branch: Branch, (to, other): (usize, usize), next: Option<usize>) {
        match branch {
            Branch::If(cc) if next == Some(to) => {
                self.jump(Some(not(cc)), Target::Block(other));
                return;
            }
            Branch::If(cc) => self.jump(Some(cc), Target::Block(to)),
            Branch::IfOrParity(cc) => {
                self.jump(Some(cc), Target::Block(to));
                self.jump(Some(Condition::P), Target::Block(to));
            }
        }
        if next != Some(other) {
            self.jump(None, Target::Block(other));
        }
    }

    fn push(&mut self, mut i: Instruction) {
        // What branches go to is known by this.
        i.set_ip(self.code.len() as u64 + 1);
        self.code.push(i);
    }

    fn jump(&mut self, condition: Option<Condition>, to: Target) {
        let mut i = Instruction::new();
        i.set_code(match condition {
            None => Code::Jmp_rel32_64,
            Some(cc) => jump_code(cc),
        });
        i.set_op0_kind(OpKind::NearBranch64);
        self.fixups.push((self.code.len(), to));
        self.push(i);
    }

    /// An instruction of operands that are not in the function.
    fn plain(&mut self, mnemonic: Mnemonic, args: &[Plain]) -> Result<(), Error> {
        let shapes: SmallVec<[Arg; 4]> = args.iter().map(Plain::shape).collect();
        let shape = Inst {
            args: shapes,
            ..Inst::op(mnemonic, &[])
        };
        let code = codes::find(mnemonic, &shape, self.view.func.level)
            .ok_or_else(|| Error(format!("no form of {mnemonic:?}")))?;
        let mut i = Instruction::new();
        i.set_code(code);
        for (n, arg) in args.iter().enumerate() {
            match arg {
                Plain::Reg(number, width) => set_register(&mut i, n, register(*number, *width)),
                Plain::Stack(offset) => self.set_memory(&mut i, n, Register::RSP, None, *offset),
                Plain::Behind(offset) => self.set_memory(&mut i, n, Register::RBP, None, *offset),
                Plain::Imm(v) => set_immediate(&mut i, code, n, *v),
            }
        }
        self.push(i);
        Ok(())
    }

    fn set_memory(
        &self,
        i: &mut Instruction,
        n: usize,
        base: Register,
        index: Option<(Register, u32)>,
        displacement: i32,
    ) {
        i.set_op_kind(n as u32, OpKind::Memory);
        i.set_memory_base(base);
        if let Some((r, scale)) = index {
            i.set_memory_index(r);
            i.set_memory_index_scale(scale);
        }
        i.set_memory_displacement64(i64::from(displacement) as u64);
        i.set_memory_displ_size(u32::from(displacement != 0));
    }

    fn op(&mut self, mnemonic: Mnemonic, inst: &Inst, at: &[Allocation]) -> Result<(), Error> {
        let code = codes::find(mnemonic, inst, self.view.func.level)
            .ok_or_else(|| Error(format!("no form of {mnemonic:?} for {:?}", inst.args)))?;
        let mut i = Instruction::new();
        i.set_code(code);
        let mut allocs = at.iter().copied();
        let mut take = || {
            let a = allocs.next().and_then(Allocation::as_reg);
            a.ok_or_else(|| Error("an operand is in no register".into()))
        };
        for (n, arg) in inst.args.iter().enumerate() {
            match arg {
                Arg::Use(_, w) | Arg::Def(_, w) => {
                    set_register(&mut i, n, register(take()?.hw_enc(), *w));
                }
                Arg::Change { width, .. } => {
                    take()?;
                    set_register(&mut i, n, register(take()?.hw_enc(), *width));
                }
                Arg::Mem(m) => {
                    let Mem {
                        base,
                        index,
                        displacement,
                        broadcast,
                        ..
                    } = *m;
                    let (base, displacement) = match base {
                        Base::Reg(_) => (register(take()?.hw_enc(), Width::Q), displacement),
                        Base::Slot(s) => (Register::RSP, self.slots[s.0] + displacement),
                    };
                    let index = match index {
                        Some((_, scale)) => Some((register(take()?.hw_enc(), Width::Q), scale)),
                        None => None,
                    };
                    self.set_memory(&mut i, n, base, index, displacement);
                    i.set_is_broadcast(broadcast);
                }
                Arg::Imm(v) => set_immediate(&mut i, code, n, *v),
            }
        }
        if inst.mask.is_some() {
            i.set_op_mask(register(take()?.hw_enc(), Width::K));
            i.set_zeroing_masking(!inst.merge);
        }
        self.push(i);
        Ok(())
    }

    fn widest(&self) -> Width {
        match self.view.func.level {
            Level::V3 => Width::Y,
            Level::V4 => Width::Z,
        }
    }

    fn copy(&mut self, from: Allocation, to: Allocation) -> Result<(), Error> {
        if from == to {
            return Ok(());
        }
        let class = from.as_reg().or(to.as_reg()).map(PReg::class);
        let (mnemonic, width) = match class {
            Some(RegClass::Int) => (Mnemonic::Mov, Width::Q),
            Some(RegClass::Float) => (Mnemonic::Vmovups, self.widest()),
            Some(RegClass::Vector) => (Mnemonic::Kmovq, Width::K),
            None => return Err(Error("a copy from memory to memory".into())),
        };
        let place = |a: Allocation| match (a.as_reg(), a.as_stack()) {
            (Some(r), _) => Plain::Reg(r.hw_enc(), width),
            (_, Some(s)) => Plain::Stack(s.index() as i32 * 8),
            _ => Plain::Imm(0),
        };
        self.plain(mnemonic, &[place(to), place(from)])
    }

    fn zero(&mut self, at: Allocation) -> Result<(), Error> {
        let number = at.as_reg().map_or(0, PReg::hw_enc);
        let r = Plain::Reg(number, Width::X);
        let mnemonic = match self.view.func.level {
            Level::V3 => Mnemonic::Vpxor,
            Level::V4 => Mnemonic::Vpxord,
        };
        self.plain(mnemonic, &[r, r, r])
    }

    fn move_if(&mut self, cc: Condition, inst: &Inst, at: &[Allocation]) -> Result<(), Error> {
        // The operands are what is changed, twice, and the other.
        let Some(Arg::Change { to, width, .. }) = inst.args.first() else {
            return Err(Error(
                "a move under a condition without what it changes".into(),
            ));
        };
        let (to_class, width) = (to.class(), *width);
        let number = |a: Allocation| a.as_reg().map_or(0, PReg::hw_enc);
        let (changed, other) = (number(at[1]), number(at[2]));
        if to_class == super::Class::Int {
            let mut i = Instruction::new();
            let code = move_code(cc, width == Width::Q);
            i.set_code(code);
            let width = if width == Width::Q { width } else { Width::D };
            set_register(&mut i, 0, register(changed, width));
            set_register(&mut i, 1, register(other, width));
            self.push(i);
            return Ok(());
        }
        let over = self.code.len() + 2;
        self.jump(Some(not(cc)), Target::Instruction(over));
        self.copy(at[2], at[1])?;
        // Both are one register, and nothing was copied.
        if self.code.len() < over {
            self.code.pop();
            self.fixups.pop();
        }
        Ok(())
    }

    fn enter(&mut self) -> Result<(), Error> {
        let sp = Plain::Reg(RSP, Width::Q);
        let bp = Plain::Reg(RBP, Width::Q);
        if self.frame > 0 {
            self.plain(Mnemonic::Push, &[bp])?;
            self.plain(Mnemonic::Mov, &[bp, sp])?;
        }
        for r in self.saved.clone() {
            self.plain(Mnemonic::Push, &[Plain::Reg(r, Width::Q)])?;
        }
        if self.frame > 0 {
            self.plain(Mnemonic::Sub, &[sp, Plain::Imm(i64::from(self.frame))])?;
            self.plain(Mnemonic::And, &[sp, Plain::Imm(-64)])?;
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Error> {
        if self.vectors {
            self.plain(Mnemonic::Vzeroupper, &[])?;
        }
        if self.frame > 0 {
            let saved = self.saved.len() as i32 * 8;
            let sp = Plain::Reg(RSP, Width::Q);
            self.plain(Mnemonic::Lea, &[sp, Plain::Behind(-saved)])?;
        }
        for r in self.saved.clone().into_iter().rev() {
            self.plain(Mnemonic::Pop, &[Plain::Reg(r, Width::Q)])?;
        }
        if self.frame > 0 {
            self.plain(Mnemonic::Pop, &[Plain::Reg(RBP, Width::Q)])?;
        }
        self.push(Instruction::with(Code::Retnq));
        Ok(())
    }
}

/// An operand whose place is known.
#[derive(Clone, Copy)]
enum Plain {
    Reg(usize, Width),
    /// Memory from the end of the stack.
    Stack(i32),
    /// Memory from where the frame begins.
    Behind(i32),
    Imm(i64),
}

impl Plain {
    /// An operand that has the same encodings.
    fn shape(&self) -> Arg {
        let any = super::Reg(regalloc2::VReg::new(0, RegClass::Int));
        match *self {
            Plain::Reg(_, w) => Arg::Use(any, w),
            Plain::Stack(_) | Plain::Behind(_) => Arg::Mem(Mem::at(any)),
            Plain::Imm(v) => Arg::Imm(v),
        }
    }
}

fn register(number: usize, width: Width) -> Register {
    let first = match width {
        // With REX, so that the registers behind the first four are not the upper halves.
        Width::B if number >= 4 => return Register::SPL + (number as u32 - 4),
        Width::B => Register::AL,
        Width::W => Register::AX,
        Width::D => Register::EAX,
        Width::Q => Register::RAX,
        Width::X => Register::XMM0,
        Width::Y => Register::YMM0,
        Width::Z => Register::ZMM0,
        Width::K => Register::K0,
    };
    first + number as u32
}

fn set_register(i: &mut Instruction, n: usize, r: Register) {
    i.set_op_kind(n as u32, OpKind::Register);
    i.set_op_register(n as u32, r);
}

fn set_immediate(i: &mut Instruction, code: Code, n: usize, v: i64) {
    use OpCodeOperandKind as O;
    let kind = match code.op_code().op_kind(n as u32) {
        O::imm8sex16 => OpKind::Immediate8to16,
        O::imm8sex32 => OpKind::Immediate8to32,
        O::imm8sex64 => OpKind::Immediate8to64,
        O::imm16 => OpKind::Immediate16,
        O::imm32 => OpKind::Immediate32,
        O::imm32sex64 => OpKind::Immediate32to64,
        O::imm64 => OpKind::Immediate64,
        _ => OpKind::Immediate8,
    };
    i.set_op_kind(n as u32, kind);
    match kind {
        OpKind::Immediate8 => i.set_immediate8(v as u8),
        OpKind::Immediate8to16 => i.set_immediate8to16(v as i16),
        OpKind::Immediate8to32 => i.set_immediate8to32(v as i32),
        OpKind::Immediate8to64 => i.set_immediate8to64(v),
        OpKind::Immediate16 => i.set_immediate16(v as u16),
        OpKind::Immediate32 => i.set_immediate32(v as u32),
        OpKind::Immediate32to64 => i.set_immediate32to64(v),
        _ => i.set_immediate64(v as u64),
    }
}

fn not(cc: Condition) -> Condition {
    use Condition as C;
    match cc {
        C::B => C::Ae,
        C::Ae => C::B,
        C::E => C::Ne,
        C::Ne => C::E,
        C::Be => C::A,
        C::A => C::Be,
        C::P => C::Np,
        C::Np => C::P,
        C::L => C::Ge,
        C::Ge => C::L,
        C::Le => C::G,
        C::G => C::Le,
    }
}

fn jump_code(cc: Condition) -> Code {
    use Condition as C;
    match cc {
        C::B => Code::Jb_rel32_64,
        C::Ae => Code::Jae_rel32_64,
        C::E => Code::Je_rel32_64,
        C::Ne => Code::Jne_rel32_64,
        C::Be => Code::Jbe_rel32_64,
        C::A => Code::Ja_rel32_64,
        C::P => Code::Jp_rel32_64,
        C::Np => Code::Jnp_rel32_64,
        C::L => Code::Jl_rel32_64,
        C::Ge => Code::Jge_rel32_64,
        C::Le => Code::Jle_rel32_64,
        C::G => Code::Jg_rel32_64,
    }
}

/// A move under a condition of 64 bits, or of 32.
fn move_code(cc: Condition, wide: bool) -> Code {
    use Condition as C;
    let (narrow, full) = match cc {
        C::B => (Code::Cmovb_r32_rm32, Code::Cmovb_r64_rm64),
        C::Ae => (Code::Cmovae_r32_rm32, Code::Cmovae_r64_rm64),
        C::E => (Code::Cmove_r32_rm32, Code::Cmove_r64_rm64),
        C::Ne => (Code::Cmovne_r32_rm32, Code::Cmovne_r64_rm64),
        C::Be => (Code::Cmovbe_r32_rm32, Code::Cmovbe_r64_rm64),
        C::A => (Code::Cmova_r32_rm32, Code::Cmova_r64_rm64),
        C::P => (Code::Cmovp_r32_rm32, Code::Cmovp_r64_rm64),
        C::Np => (Code::Cmovnp_r32_rm32, Code::Cmovnp_r64_rm64),
        C::L => (Code::Cmovl_r32_rm32, Code::Cmovl_r64_rm64),
        C::Ge => (Code::Cmovge_r32_rm32, Code::Cmovge_r64_rm64),
        C::Le => (Code::Cmovle_r32_rm32, Code::Cmovle_r64_rm64),
        C::G => (Code::Cmovg_r32_rm32, Code::Cmovg_r64_rm64),
    };
    if wide { full } else { narrow }
}
