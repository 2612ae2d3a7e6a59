//! Registers of the machine for those without numbers, by `regalloc2`.

use super::emit::Error;
use super::func::{BlockData, Func};
use super::inst::{Arg, Base, Inst, Kind, Level};
use regalloc2::{
    Algorithm, Block, Function, InstRange, MachineEnv, Operand, Output, PReg, PRegSet, RegClass,
    RegallocOptions, VReg,
};

/// The numbers of the machine's registers for integers.
pub(crate) const RBX: usize = 3;
pub(crate) const RSP: usize = 4;
pub(crate) const RBP: usize = 5;

/// Where integers are that a function is called with.
pub(crate) const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

/// What a function called by others must leave as it was, but for the pointers to the stack.
pub(crate) const KEPT: [usize; 5] = [RBX, 12, 13, 14, 15];

/// A function as the allocator sees it: all instructions in one row.
pub(crate) struct View<'f> {
    pub func: &'f Func,
    insts: Vec<&'f Inst>,
    operands: Vec<Vec<Operand>>,
    first: Vec<usize>,
    ends: Vec<Vec<Block>>,
    before: Vec<Vec<Block>>,
    params: Vec<Vec<VReg>>,
    arguments: Vec<Vec<Vec<VReg>>>,
}

impl<'f> View<'f> {
    pub fn of(func: &'f Func) -> View<'f> {
        let mut view = View {
            func,
            insts: Vec::new(),
            operands: Vec::new(),
            first: Vec::new(),
            ends: Vec::new(),
            before: vec![Vec::new(); func.blocks.len()],
            params: Vec::new(),
            arguments: Vec::new(),
        };
        for (i, b) in func.blocks.iter().enumerate() {
            let BlockData {
                params,
                insts,
                ends,
            } = b;
            view.first.push(view.insts.len());
            for inst in insts {
                view.insts.push(inst);
                view.operands.push(operands(inst));
            }
            view.params.push(params.iter().map(|r| r.0).collect());
            view.ends
                .push(ends.iter().map(|(b, _)| Block::new(b.0)).collect());
            let given = |(_, args): &(_, Vec<super::Reg>)| args.iter().map(|r| r.0).collect();
            view.arguments.push(ends.iter().map(given).collect());
            for (to, _) in ends {
                view.before[to.0].push(Block::new(i));
            }
        }
        view.first.push(view.insts.len());
        view
    }

    pub fn inst(&self, i: regalloc2::Inst) -> &'f Inst {
        self.insts[i.index()]
    }

    pub fn allocate(&self) -> Result<Output, Error> {
        let options = RegallocOptions {
            verbose_log: false,
            validate_ssa: cfg!(debug_assertions),
            algorithm: Algorithm::Ion,
        };
        let env = environment(self.func.level);
        regalloc2::run(self, &env, &options).map_err(|e| Error(format!("no registers: {e}")))
    }
}

/// The operands of an instruction, in the order in which [`registers_of`] comes to them.
fn operands(inst: &Inst) -> Vec<Operand> {
    let mut all = Vec::new();
    let fixed = |n: usize, class| PReg::new(n, class);
    match inst.kind {
        Kind::Args => {
            for (arg, at) in inst.args.iter().zip(ARGUMENTS) {
                if let Arg::Def(r, _) = arg {
                    all.push(Operand::reg_fixed_def(r.0, fixed(at, RegClass::Int)));
                }
            }
            return all;
        }
        Kind::Return => {
            if let Some(Arg::Use(r, _)) = inst.args.first() {
                all.push(Operand::reg_fixed_use(r.0, fixed(0, RegClass::Int)));
            }
            return all;
        }
        _ => {}
    }
    for arg in &inst.args {
        match arg {
            Arg::Use(r, _) => all.push(Operand::reg_use(r.0)),
            Arg::Def(r, _) => all.push(Operand::reg_def(r.0)),
            Arg::Change { from, to, .. } => {
                all.push(Operand::reg_use(from.0));
                all.push(Operand::reg_reuse_def(to.0, all.len() - 1));
            }
            Arg::Mem(m) => {
                if let Base::Reg(r) = m.base {
                    all.push(Operand::reg_use(r.0));
                }
                if let Some((r, _)) = m.index {
                    all.push(Operand::reg_use(r.0));
                }
            }
            Arg::Imm(_) => {}
        }
    }
    if let Some(r) = inst.mask {
        all.push(Operand::reg_use(r.0));
    }
    all
}

fn environment(level: Level) -> MachineEnv {
    let set = |class, numbers: &mut dyn Iterator<Item = usize>| {
        numbers.fold(PRegSet::empty(), |s, n| s.with(PReg::new(n, class)))
    };
    let kept = |n: &usize| KEPT.contains(n) || *n == RSP || *n == RBP;
    let free = set(RegClass::Int, &mut (0..16).filter(|n| !kept(n)));
    let saved = set(RegClass::Int, &mut KEPT.into_iter());
    let vectors = set(RegClass::Float, &mut (0..level.vector_registers()));
    // The first mask is no mask where an instruction names it.
    let masks = match level {
        Level::V3 => PRegSet::empty(),
        Level::V4 => set(RegClass::Vector, &mut (1..8)),
    };
    MachineEnv {
        preferred_regs_by_class: [free, vectors, masks],
        non_preferred_regs_by_class: [saved, PRegSet::empty(), PRegSet::empty()],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

impl Function for View<'_> {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.func.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let at = |i: usize| regalloc2::Inst::new(self.first[i]);
        InstRange::new(at(block.index()), at(block.index() + 1))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.ends[block.index()]
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.before[block.index()]
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.params[block.index()]
    }

    fn is_ret(&self, inst: regalloc2::Inst) -> bool {
        self.inst(inst).kind == Kind::Return
    }

    fn is_branch(&self, inst: regalloc2::Inst) -> bool {
        matches!(self.inst(inst).kind, Kind::Jump | Kind::Branch(_))
    }

    fn branch_blockparams(&self, block: Block, _: regalloc2::Inst, end: usize) -> &[VReg] {
        &self.arguments[block.index()][end]
    }

    fn inst_operands(&self, inst: regalloc2::Inst) -> &[Operand] {
        &self.operands[inst.index()]
    }

    fn inst_clobbers(&self, _: regalloc2::Inst) -> PRegSet {
        PRegSet::empty()
    }

    fn num_vregs(&self) -> usize {
        self.func.num_regs
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        match class {
            RegClass::Float => self.func.level.bytes() as usize / 8,
            _ => 1,
        }
    }
}
