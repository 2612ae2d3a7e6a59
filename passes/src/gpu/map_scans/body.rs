//! What an iteration does, in a kernel.
//!
//! Subscripts are computed by arithmetic: numbers of threads are no variables of affine
//! loops.

use super::find::{branches, computing};
use super::shape::{Init, Scan};
use crate::lower::expand::{expand_map, expand_set};
use terrace_dialects::affine::{self, Access, ApplyOp};
use terrace_dialects::{arith, memref, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// Copies ops of the nest; `map` says what stands for its values.
pub fn copy(b: &mut Builder, ops: &[Op], map: &mut IrMapping) {
    for op in ops {
        if let Some(a) = Access::of(b.ctx, *op) {
            let at = subscripts(b, &a, map);
            let memref = map.value(a.memref);
            match a.stored(b.ctx) {
                Some(v) => {
                    memref::StoreOp::build(b, map.value(v), memref, &at);
                }
                None => {
                    let v = memref::LoadOp::build(b, memref, &at);
                    map.map(op.result(b.ctx, 0), v);
                }
            }
        } else if let Some(apply) = op.cast::<ApplyOp>(b.ctx) {
            let m = apply.map(b.ctx).clone();
            let operands: Vec<Value> = op.operands(b.ctx).iter().map(|v| map.value(*v)).collect();
            // Maps that cannot be expanded are not taken (`find::runs_in_a_thread`).
            if let Some(v) = expand_map(b, &m, &operands).unwrap_or_default().first() {
                map.map(op.result(b.ctx, 0), *v);
            }
        } else if matches!(op.name(b.ctx), affine::IfOp::NAME | scf::IfOp::NAME) {
            let condition = condition(b, *op, map);
            let sides = branches(b.ctx, *op);
            let types = op.result_types(b.ctx);
            let other = sides.get(1).is_some_and(|ops| !ops.is_empty()) || !types.is_empty();
            let (copied, then, otherwise) = scf::IfOp::build(b, condition, &types, other);
            for (i, (block, ops)) in [Some(then), otherwise].into_iter().zip(&sides).enumerate() {
                let Some(block) = block else { continue };
                let given = yielded(b.ctx, *op, i);
                b.with_point(InsertPoint::End(block), |b| {
                    let mut map = map.clone();
                    copy(b, ops, &mut map);
                    let given: Vec<Value> = given.iter().map(|v| map.value(*v)).collect();
                    scf::YieldOp::build(b, &given);
                });
            }
            for (old, new) in op
                .results(b.ctx)
                .into_iter()
                .zip(copied.op().results(b.ctx))
            {
                map.map(old, new);
            }
        } else {
            let copy = clone_op(b.ctx, *op, map);
            b.insert(copy);
        }
    }
}

/// What a region of a condition gives.
fn yielded(ctx: &Context, op: Op, region: usize) -> Vec<Value> {
    let blocks = op.regions(ctx).get(region).map(|r| r.blocks(ctx));
    let last = blocks.and_then(|b| b.first()?.last_op(ctx));
    last.map_or(Vec::new(), |o| o.operands(ctx))
}

fn condition(b: &mut Builder, op: Op, map: &IrMapping) -> Value {
    let operands: Vec<Value> = op.operands(b.ctx).iter().map(|v| map.value(*v)).collect();
    let Some(i) = op.cast::<affine::IfOp>(b.ctx) else {
        return operands[0];
    };
    let set = i.set(b.ctx).clone();
    // Sets that cannot be expanded are not taken (`find::runs_in_a_thread`).
    expand_set(b, &set, &operands).unwrap_or_else(|_| arith::constant_bool(b, false))
}

pub fn subscripts(b: &mut Builder, a: &Access, map: &IrMapping) -> Vec<Value> {
    let m = a.composed(b.ctx);
    let operands: Vec<Value> = m.operands.iter().map(|v| map.value(*v)).collect();
    expand_map(b, &m.map, &operands).unwrap_or_default()
}

/// The first running value of a row, whose counters are in `map`; `first` is the counter of
/// the scan in its first iteration.
pub fn init(b: &mut Builder, s: &Scan, map: &IrMapping, first: Value) -> Value {
    let mut map = map.clone();
    match s.init {
        Init::Value(v) => {
            let ops = computing(b.ctx, &s.prologue, &mut vec![v]);
            copy(b, &ops, &mut map);
            map.value(v)
        }
        Init::Load(op) => {
            map.map(s.l.iv(b.ctx), first);
            copy(b, &[op], &mut map);
            map.value(op.result(b.ctx, 0))
        }
    }
}

/// Whether the first running value is read from memory.
pub fn init_is_read(b: &Builder, s: &Scan) -> bool {
    match s.init {
        Init::Load(_) => true,
        Init::Value(v) => {
            let ops = computing(b.ctx, &s.prologue, &mut vec![v]);
            let reads =
                |o: &Op| matches!(o.name(b.ctx), affine::LoadOp::NAME | memref::LoadOp::NAME);
            ops.iter().any(reads)
        }
    }
}

/// What is done once behind a row, with its last running value.
pub fn finish(b: &mut Builder, s: &Scan, map: &IrMapping, first: Value, last: Value) {
    let mut map = map.clone();
    map.map(s.l.iv(b.ctx), first);
    if let Some(store) = s.kept {
        map.map(store.operand(b.ctx, 0), last);
        copy(b, &[store], &mut map);
    }
    if let Some(result) = s.l.op().results(b.ctx).first() {
        map.map(*result, last);
    }
    copy(b, &s.epilogue, &mut map);
}
