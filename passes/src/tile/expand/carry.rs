//! Loops and conditions that hand tiles on: a buffer for each, which what is yielded is copied
//! to, and then the op without them.

use super::{Tiles, buffer_like, copy};
use rustc_hash::FxHashSet;
use terrace_dialects::{affine, scf};
use terrace_ir::{Builder, Context, Op, OpState, Value};

/// A loop or condition some of whose results are tiles.
pub(super) struct Carrier {
    op: Op,
    /// Where the values that a loop begins with stand among the operands.
    inits: usize,
    /// The results that are tiles.
    tiles: Vec<usize>,
}

/// Where the values that a loop begins with stand among its operands, for ops that hand values
/// on by a yield in each region.
fn first_init(ctx: &Context, op: Op) -> Option<usize> {
    match op.name(ctx) {
        scf::ForOp::NAME | affine::ForOp::NAME => {
            op.num_operands(ctx).checked_sub(op.num_results(ctx))
        }
        scf::IfOp::NAME | affine::IfOp::NAME | scf::IndexSwitchOp::NAME => {
            Some(op.num_operands(ctx))
        }
        _ => None,
    }
}

/// What a carrier begins with, carries, is given and results in for result `k`.
fn group(ctx: &Context, op: Op, inits: usize, k: usize) -> Vec<Value> {
    let mut all = vec![op.result(ctx, k)];
    all.extend(op.operands(ctx).get(inits + k));
    for region in op.regions(ctx) {
        let Some(block) = region.entry(ctx) else {
            continue;
        };
        all.extend(block.args(ctx).get(k + 1));
        let end = block.last_op(ctx);
        all.extend(end.and_then(|y| y.operands(ctx).get(k).copied()));
    }
    all
}

impl Carrier {
    /// `op`, if it hands on any tile.
    pub fn of(ctx: &Context, op: Op, set: &FxHashSet<Value>) -> Option<Carrier> {
        let inits = first_init(ctx, op)?;
        let results = op.results(ctx);
        let tiles = (0..results.len()).filter(|k| set.contains(&results[*k]));
        let tiles: Vec<usize> = tiles.collect();
        (!tiles.is_empty()).then_some(Carrier { op, inits, tiles })
    }

    /// The values that `v` is handed on from or to.
    pub fn others(ctx: &Context, v: Value) -> Vec<Value> {
        let mut carriers: Vec<Op> = v.def_op().into_iter().collect();
        carriers.extend(v.arg_block().and_then(|b| b.parent_op(ctx)));
        for user in v.users(ctx) {
            carriers.push(user);
            carriers.extend(user.parent(ctx).filter(|_| is_yield(ctx, user)));
        }
        let mut all = Vec::new();
        for op in carriers {
            let Some(inits) = first_init(ctx, op) else {
                continue;
            };
            for k in 0..op.num_results(ctx) {
                let group = group(ctx, op, inits, k);
                if group.contains(&v) {
                    all.extend(group);
                }
            }
        }
        all
    }

    /// Makes the buffers, with what a loop begins with in them.
    pub fn enter(&self, ctx: &mut Context, tiles: &mut Tiles) -> Result<(), String> {
        let (op, b) = (self.op, &mut Builder::before(ctx, self.op));
        for k in &self.tiles {
            let buffer = tiles.make(b, op.result(b.ctx, *k));
            if let Some(init) = op.operands(b.ctx).get(self.inits + k) {
                copy(b, tiles.of(*init)?, buffer)?;
                let carried = op.body(b.ctx, 0).arg(b.ctx, k + 1);
                tiles.buffers.insert(carried, buffer);
            }
        }
        Ok(())
    }

    /// Copies what `end` yields to the buffers.
    pub fn leave(&self, ctx: &mut Context, tiles: &mut Tiles, end: Op) -> Result<(), String> {
        let b = &mut Builder::before(ctx, end);
        let mut moves = Vec::new();
        for k in &self.tiles {
            let to = tiles.of(self.op.result(b.ctx, *k))?;
            moves.push((tiles.of(end.operand(b.ctx, *k))?, to));
        }
        moves.retain(|(from, to)| from != to);
        // What is copied over is put aside first.
        let written: Vec<Value> = moves.iter().map(|(_, to)| *to).collect();
        for (from, to) in &mut moves {
            if written.contains(from) {
                let aside = buffer_like(b, to.ty(b.ctx));
                copy(b, *from, aside)?;
                *from = aside;
            }
        }
        moves
            .into_iter()
            .try_for_each(|(from, to)| copy(b, from, to))
    }

    /// Takes the tiles from the operands of the op and of what it is given by.
    pub fn forget_operands(&self, ctx: &mut Context) {
        let kept = |operands: Vec<Value>, first: usize| -> Vec<Value> {
            let all = operands.into_iter().enumerate();
            all.filter(|(i, _)| {
                i.checked_sub(first)
                    .is_none_or(|k| !self.tiles.contains(&k))
            })
            .map(|(_, v)| v)
            .collect()
        };
        for region in self.op.regions(ctx) {
            if let Some(end) = region.entry(ctx).and_then(|b| b.last_op(ctx)) {
                end.set_operands(ctx, &kept(end.operands(ctx), 0));
            }
        }
        match self.op.cast::<affine::ForOp>(ctx) {
            // This one counts its operands.
            Some(f) => f.set_inits(ctx, &kept(f.inits(ctx), 0)),
            None => {
                let operands = kept(self.op.operands(ctx), self.inits);
                self.op.set_operands(ctx, &operands);
            }
        }
    }

    /// Puts an op without the tiles in the place of this one. Nothing uses them any more.
    pub fn rebuild(&self, ctx: &mut Context) {
        let op = self.op;
        let (types, regions) = (op.result_types(ctx), op.regions(ctx));
        let kept: Vec<usize> = (0..types.len())
            .filter(|k| !self.tiles.contains(k))
            .collect();
        let types: Vec<_> = kept.iter().map(|k| types[*k]).collect();
        let state = OpState::like(ctx, op)
            .operands(&op.operands(ctx))
            .results(&types)
            .regions(regions.len());
        let new = Builder::before(ctx, op).create(state);
        for (from, to) in regions.into_iter().zip(new.regions(ctx)) {
            from.move_blocks_to(ctx, to);
            let Some(block) = to.entry(ctx) else { continue };
            for k in self.tiles.iter().rev() {
                if k + 1 < block.num_args(ctx) {
                    block.erase_arg(ctx, k + 1);
                }
            }
        }
        for (from, to) in kept.iter().zip(new.results(ctx)) {
            op.result(ctx, *from).replace_all_uses(ctx, to);
        }
        op.erase(ctx);
    }
}

fn is_yield(ctx: &Context, op: Op) -> bool {
    op.isa::<scf::YieldOp>(ctx) || op.isa::<affine::YieldOp>(ctx)
}

/// The carrier that `op` gives its values to.
pub(super) fn yielded_to<'c>(
    ctx: &Context,
    op: Op,
    carriers: &'c [Carrier],
) -> Option<&'c Carrier> {
    let parent = op.parent(ctx).filter(|_| is_yield(ctx, op))?;
    carriers.iter().rev().find(|c| c.op == parent)
}
