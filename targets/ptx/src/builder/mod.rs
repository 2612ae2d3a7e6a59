//! Making code.
//!
//! Every method appends one instruction to the current block and returns its
//! result. The type of a result register is read off the instruction table.
//! Nothing is refused here; the checker reports what is wrong.

mod arith;
mod control;
mod matrix;
mod memory;

use super::form::{self, Kind};
use super::ids::{BlockId, InstId, Reg};
use super::inst::{Guard, Inst, Loc};
use super::modifiers::Mods;
use super::module::Func;
use super::op::Op;
use super::operand::Operand;
use super::types::{RegTy, Ty};

/// Appends instructions to a function.
///
/// ```
/// use terrace_ptx::machine::Arch;
/// use terrace_ptx::{FuncBuilder, Module, Ty, print};
///
/// let mut module = Module::new(Arch::sm(90));
/// let kernel = module.add_kernel("nothing");
/// let mut b = FuncBuilder::new(&mut module.funcs[kernel]);
/// let x = b.mov(Ty::S32, 20);
/// let y = b.add(Ty::S32, x, 22);
/// b.ret();
/// assert!(print(&module).contains("add.s32 %r2, %r1, 22;"));
/// ```
pub struct FuncBuilder<'a> {
    func: &'a mut Func,
    block: BlockId,
    loc: Loc,
    guard: Option<Guard>,
}

impl<'a> FuncBuilder<'a> {
    /// Appends to the function's last block, after making an entry block if
    /// there is none.
    pub fn new(func: &'a mut Func) -> FuncBuilder<'a> {
        let block = match func.layout.last() {
            Some(block) => *block,
            None => func.new_block("entry"),
        };
        FuncBuilder {
            func,
            block,
            loc: Loc::default(),
            guard: None,
        }
    }

    /// The function.
    pub fn func(&mut self) -> &mut Func {
        self.func
    }

    /// The block that instructions go to.
    pub fn block(&self) -> BlockId {
        self.block
    }

    /// A new block after all others; instructions still go to the current one.
    pub fn new_block(&mut self, name: &str) -> BlockId {
        self.func.new_block(name)
    }

    /// Sends the following instructions to a block.
    pub fn switch_to(&mut self, block: BlockId) {
        self.block = block;
    }

    /// The source position of the following instructions.
    pub fn set_loc(&mut self, loc: Loc) {
        self.loc = loc;
    }

    /// A fresh register, to be written by the `_to` methods.
    pub fn reg(&mut self, ty: RegTy) -> Reg {
        self.func.new_reg(ty)
    }

    /// A fresh register with a readable name.
    pub fn named_reg(&mut self, ty: RegTy, name: &str) -> Reg {
        self.func.named_reg(ty, name)
    }

    /// Gives a register a readable name.
    pub fn name(&mut self, reg: Reg, name: &str) {
        if let Some(info) = self.func.regs.get_mut(reg) {
            info.name = Some(name.into());
        }
    }

    /// What `build` appends takes effect only where `pred` is true (or false,
    /// if `negated`). Does not nest: the inner guard replaces the outer.
    pub fn guarded<R>(
        &mut self,
        pred: Reg,
        negated: bool,
        build: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = self.guard.replace(Guard { reg: pred, negated });
        let result = build(self);
        self.guard = outer;
        result
    }

    /// Appends an instruction as it is, but for the current position and
    /// guard where it has none.
    pub fn emit(&mut self, mut inst: Inst) -> InstId {
        if !inst.loc.is_known() {
            inst.loc = self.loc;
        }
        inst.guard = inst.guard.or(self.guard);
        self.func.push(self.block, inst)
    }

    /// Appends an instruction that writes a fresh register and returns it.
    pub fn value(
        &mut self,
        op: Op,
        mods: Mods,
        tys: &[Ty],
        sources: impl IntoIterator<Item = Operand>,
    ) -> Reg {
        // The form is looked up with a stand-in for the result, whose type
        // the form then tells.
        let stand_in = Operand::Reg(Reg::from_index(u32::MAX));
        let mut inst = Inst::with_types(op, mods, tys, std::iter::once(stand_in).chain(sources));
        let ty = result_type(&inst).unwrap_or(inst.ty());
        let dest = self.func.new_reg(ty.reg());
        if let Some(slot) = inst.operands.first_mut() {
            *slot = Operand::Reg(dest);
        }
        self.emit(inst);
        dest
    }

    /// Appends an instruction that writes `dest`.
    pub fn value_to(
        &mut self,
        dest: Reg,
        op: Op,
        mods: Mods,
        tys: &[Ty],
        sources: impl IntoIterator<Item = Operand>,
    ) {
        let dest = Operand::Reg(dest);
        let operands = std::iter::once(dest).chain(sources);
        self.emit(Inst::with_types(op, mods, tys, operands));
    }

    /// Appends an instruction without result.
    pub fn effect(
        &mut self,
        op: Op,
        mods: Mods,
        tys: &[Ty],
        operands: impl IntoIterator<Item = Operand>,
    ) {
        self.emit(Inst::with_types(op, mods, tys, operands));
    }
}

/// The type of the first result by the table.
fn result_type(inst: &Inst) -> Option<Ty> {
    match form::find(inst)?.operands.first()? {
        Kind::Def(t) | Kind::DefWide(t) | Kind::DefVec(t) | Kind::DefPair(t) => {
            Some(form::resolve(*t, &inst.tys))
        }
        _ => None,
    }
}
