//! Loops that hardly ever come to a second iteration.
//!
//! A grid has at most 65535 blocks along y and z, so that a kernel for any size goes round
//! with the size of the grid as its stride. Hardly any size needs that. What such a loop
//! keeps in registers from one iteration to the next is kept for nothing: pointers that
//! walk, and what is the same in all iterations. In a 19-point stencil on arrays with
//! strides of their own that was 80 registers, and is 32.

use super::loops::Loop;
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::Reg;
use crate::module::Func;
use crate::op::Op;
use crate::operand::{Operand, Special};

/// Instructions between the number of blocks and the stride.
const MAX_DEPTH: u32 = 6;

/// Whether `l` goes round with the grid along y or z.
pub fn is_rare(func: &Func, cfg: &Cfg, defs: &Defs, l: &Loop) -> bool {
    let blocks = l.latches.iter().map(|b| cfg.blocks[*b as usize]);
    let mut insts = blocks
        .filter_map(|b| func.blocks.get(b))
        .flat_map(|b| b.insts.iter().filter_map(|id| func.insts.get(*id)));
    insts.any(|i| {
        let mut strides = i.operands.iter().skip(1);
        i.op == Op::Add
            && strides
                .any(|o| matches!(o, Operand::Reg(r) if is_of_grid(func, defs, *r, MAX_DEPTH)))
    })
}

/// Whether a register holds the number of blocks along y or z, or a product of it.
fn is_of_grid(func: &Func, defs: &Defs, reg: Reg, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let Some(inst) = defs.inst(func, reg) else {
        return false;
    };
    let mut sources = inst.operands.iter().skip(1);
    match inst.op {
        Op::Mov | Op::Cvt | Op::Mul => sources.any(|o| match o {
            Operand::Special(s) => matches!(s, Special::NctaidY | Special::NctaidZ),
            Operand::Reg(r) => is_of_grid(func, defs, *r, depth),
            _ => false,
        }),
        _ => false,
    }
}
