//! Copies of ops with everything in them.

use crate::block::{Block, Region};
use crate::builder::OpState;
use crate::context::Context;
use crate::op::Op;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// What stands for a value or block of the original in the copy. Values and blocks
/// that are not mapped stand for themselves.
#[derive(Debug, Clone, Default)]
pub struct IrMapping {
    values: FxHashMap<Value, Value>,
    blocks: FxHashMap<Block, Block>,
}

impl IrMapping {
    /// Every value and block stands for itself.
    pub fn new() -> Self {
        Self::default()
    }

    /// Let `to` stand for `from`.
    pub fn map(&mut self, from: Value, to: Value) {
        self.values.insert(from, to);
    }

    /// Let each value of `to` stand for the one of `from` in the same place.
    pub fn map_all(&mut self, from: &[Value], to: &[Value]) {
        self.values
            .extend(from.iter().copied().zip(to.iter().copied()));
    }

    pub(crate) fn map_block(&mut self, from: Block, to: Block) {
        self.blocks.insert(from, to);
    }

    /// What `v` was mapped to; `None` if it was not.
    pub fn get(&self, v: Value) -> Option<Value> {
        self.values.get(&v).copied()
    }

    /// What stands for `v`, itself if nothing else does.
    pub fn value(&self, v: Value) -> Value {
        self.get(v).unwrap_or(v)
    }

    /// What stands for `b`, itself if nothing else does.
    pub fn block(&self, b: Block) -> Block {
        self.blocks.get(&b).copied().unwrap_or(b)
    }
}

impl OpState {
    /// A state with the kind, location and attributes of `op`; without operands,
    /// results, successors and regions.
    pub fn like(ctx: &Context, op: Op) -> OpState {
        let mut s = match op.def(ctx) {
            Some(d) => OpState::new(d, op.loc(ctx)),
            None => OpState::unregistered(ctx.intern(op.name(ctx)), op.loc(ctx)),
        };
        if let Some(p) = op.payload(ctx) {
            s.attrs.extend_from_slice(&p.attrs);
            s.properties = p.properties;
        }
        s
    }
}

/// A copy of `op` in no block, with its regions. Operands and successors are mapped
/// through `map`, which then also maps the results, blocks and block arguments of
/// the original to those of the copy.
pub fn clone_op(ctx: &mut Context, op: Op, map: &mut IrMapping) -> Op {
    let mut open = Vec::new();
    let copy = clone_tree(ctx, op, map, true, &mut open);
    // A value may be used before it is defined in the text: across the blocks of
    // a region in any order, and within a graph region.
    for (op, copy) in open {
        for i in 0..op.num_operands(ctx) {
            if let Some(v) = map.get(op.operand(ctx, i)) {
                copy.set_operand(ctx, i, v);
            }
        }
    }
    copy
}

/// As [`clone_op`], with the regions left empty.
pub fn clone_without_regions(ctx: &mut Context, op: Op, map: &mut IrMapping) -> Op {
    clone_tree(ctx, op, map, false, &mut Vec::new())
}

/// Append copies of all blocks of `from` to `to`.
pub fn clone_region_into(ctx: &mut Context, from: Region, to: Region, map: &mut IrMapping) {
    let mut open = Vec::new();
    clone_blocks(ctx, from, to, map, &mut open);
    for (op, copy) in open {
        for i in 0..op.num_operands(ctx) {
            if let Some(v) = map.get(op.operand(ctx, i)) {
                copy.set_operand(ctx, i, v);
            }
        }
    }
}

fn clone_tree(
    ctx: &mut Context,
    op: Op,
    map: &mut IrMapping,
    regions: bool,
    open: &mut Vec<(Op, Op)>,
) -> Op {
    let mut s = OpState::like(ctx, op);
    let mut all_mapped = true;
    s.operands = op
        .operands(ctx)
        .into_iter()
        .map(|v| {
            map.get(v).unwrap_or_else(|| {
                all_mapped = false;
                v
            })
        })
        .collect();
    s.result_types = op.result_types(ctx);
    s.successors = op
        .successors(ctx)
        .into_iter()
        .map(|b| map.block(b))
        .collect();
    let n = op.num_regions(ctx);
    let copy = s.regions(n).create(ctx);
    if !all_mapped {
        open.push((op, copy));
    }
    for (a, b) in op.results(ctx).into_iter().zip(copy.results(ctx)) {
        map.map(a, b);
    }
    if regions {
        for i in 0..n {
            clone_blocks(ctx, op.region(ctx, i), copy.region(ctx, i), map, open);
        }
    }
    copy
}

fn clone_blocks(
    ctx: &mut Context,
    from: Region,
    to: Region,
    map: &mut IrMapping,
    open: &mut Vec<(Op, Op)>,
) {
    let blocks = from.blocks(ctx);
    // All blocks first, since branches go to blocks before and after.
    for b in &blocks {
        let types = b.arg_types(ctx);
        let copy = to.add_block(ctx, &types);
        copy.set_loc(ctx, b.loc(ctx));
        for i in 0..types.len() {
            let (loc, whole) = (b.arg_loc(ctx, i), b.loc(ctx));
            if loc != whole {
                copy.set_arg_loc(ctx, i, loc);
            }
            map.map(b.arg(ctx, i), copy.arg(ctx, i));
        }
        map.map_block(*b, copy);
    }
    for b in blocks {
        let to = map.block(b);
        let mut next = b.first_op(ctx);
        while let Some(op) = next {
            next = op.next(ctx);
            let copy = clone_tree(ctx, op, map, true, open);
            to.push_back(ctx, copy);
        }
    }
}
