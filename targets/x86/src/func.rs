//! A function of blocks.

use super::inst::{Class, Ends, Inst, Kind, Level, Reg};
use regalloc2::VReg;

/// A block of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(pub(crate) usize);

/// Memory of a function while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot(pub(crate) usize);

#[derive(Debug, Default)]
pub(crate) struct BlockData {
    pub params: Vec<Reg>,
    pub insts: Vec<Inst>,
    pub ends: Ends,
}

/// A function in the making. Its first block is where it begins, and has no parameters; code of
/// blocks stands in their order. A block that leads to two others has no arguments for them, and
/// nothing else leads to these.
#[derive(Debug)]
pub struct Func {
    pub level: Level,
    pub(crate) blocks: Vec<BlockData>,
    pub(crate) num_regs: usize,
    /// Bytes of each slot.
    pub(crate) slots: Vec<u32>,
}

impl Func {
    #[must_use]
    pub fn new(level: Level) -> Func {
        Func {
            level,
            blocks: Vec::new(),
            num_regs: 0,
            slots: Vec::new(),
        }
    }

    pub fn reg(&mut self, class: Class) -> Reg {
        self.num_regs += 1;
        Reg(VReg::new(self.num_regs - 1, class.of()))
    }

    /// A new block, behind all others.
    pub fn block(&mut self) -> Block {
        self.blocks.push(BlockData::default());
        Block(self.blocks.len() - 1)
    }

    /// Memory of so many bytes, aligned to 64.
    pub fn slot(&mut self, bytes: u32) -> Slot {
        self.slots.push(bytes);
        Slot(self.slots.len() - 1)
    }

    pub fn add_param(&mut self, block: Block, reg: Reg) {
        self.blocks[block.0].params.push(reg);
    }

    pub fn push(&mut self, block: Block, inst: Inst) {
        self.blocks[block.0].insts.push(inst);
    }

    /// Ends a block with its last instruction and what it leads to.
    pub fn end(&mut self, block: Block, inst: Inst, ends: Vec<(Block, Vec<Reg>)>) {
        debug_assert!(matches!(
            inst.kind,
            Kind::Jump | Kind::Branch(_) | Kind::Return
        ));
        let b = &mut self.blocks[block.0];
        b.insts.push(inst);
        b.ends = ends.into_iter().collect();
    }
}
