//! `lower-affine`: affine ops become `scf`, `memref`, `vector` and `arith` ops.
//!
//! Always legal: bounds, subscripts and conditions are computed as they are written.
//!
//! ```text
//! affine.for %i = 0 to %n {                  %c0 = arith.constant 0 : index
//!   %v = affine.load %m[%i + 1]              %c1 = arith.constant 1 : index
//! }                                    =>    scf.for %i = %c0 to %n step %c1 {
//!                                              %c1_0 = arith.constant 1 : index
//!                                              %0 = arith.addi %i, %c1_0 : index
//!                                              %v = memref.load %m[%0]
//!                                            }
//! ```

use super::expand::{expand_map, expand_min_max, expand_set};
use rustc_hash::FxHashMap;
use terrace_dialects::arith;
use terrace_dialects::{affine, scf};
use terrace_dialects::{memref, vector};
use terrace_ir::affine::AffineMap;
use terrace_ir::fold::try_fold;
use terrace_ir::opdef::{Fold, FoldResult};
use terrace_ir::pass::{Pass, PassContext, PassFailed, PassInfo, PassResult};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, OpState, Type, Value};

pub static INFO: PassInfo = PassInfo {
    name: "lower-affine",
    title: "LowerAffinePass",
    summary: "Lower Affine operations to a combination of Arith and SCF operations",
    description: "Turns loops, conditions, accesses and index computations of the affine dialect into ops that compute their bounds and subscripts.",
    make: |_| Ok(Box::new(LowerAffine)),
    ..PassInfo::EMPTY
};

struct LowerAffine;

impl Pass for LowerAffine {
    fn run(&mut self, ctx: &mut PassContext, root: Op) -> PassResult {
        let mut failed = false;
        // Outer ops first, and each is folded before, as MLIR's conversions do it. Ops stay until all
        // are lowered, so that maps are composed with those of the ops before.
        let mut replaced = Replaced::new();
        for op in root.pre_order(ctx) {
            if op == root || !ctx.is_alive(op) || op.dialect(ctx) != "affine" {
                continue;
            }
            if let Some(values) = folded(ctx, op) {
                replaced.push((op, values));
            } else if let Err(m) = lower(ctx, op, &mut replaced) {
                op.error(ctx, m);
                failed = true;
            }
        }
        let mut gone: FxHashMap<Value, Value> = FxHashMap::default();
        for (op, mut values) in replaced {
            // With a loop that does not run its body went.
            if !ctx.is_alive(op) {
                continue;
            }
            // What an op was folded to may have been replaced before it.
            for v in &mut values {
                *v = gone.get(v).copied().unwrap_or(*v);
            }
            gone.extend(op.results(ctx).into_iter().zip(values.iter().copied()));
            op.replace(ctx, &values);
        }
        if failed { Err(PassFailed) } else { Ok(()) }
    }
}

/// Ops, and what stands for their results.
type Replaced = Vec<(Op, Vec<Value>)>;

/// How often an op is folded in place; each time its operands are fewer or simpler.
const MOST_FOLDS: usize = 16;

/// Folds an op as far as it goes. The values that can take its place.
fn folded(ctx: &mut Context, op: Op) -> Option<Vec<Value>> {
    for _ in 0..MOST_FOLDS {
        match try_fold(ctx, op) {
            Fold::No => return None,
            Fold::InPlace => {}
            Fold::Results(results) => {
                let mut b = Builder::before(ctx, op);
                return (results.into_iter())
                    .enumerate()
                    .map(|(k, r)| match r {
                        FoldResult::Value(v) => Some(v),
                        FoldResult::Attr(a) => {
                            let ty = op.result(b.ctx, k).ty(b.ctx);
                            arith::materialize(&mut b, a, ty).map(|c| c.result(b.ctx, 0))
                        }
                    })
                    .collect();
            }
        }
    }
    None
}

fn lower(ctx: &mut Context, op: Op, replaced: &mut Replaced) -> Result<(), String> {
    match op.name(ctx) {
        affine::ForOp::NAME => lower_for(ctx, op, replaced),
        affine::ParallelOp::NAME => lower_parallel(ctx, op, replaced),
        affine::IfOp::NAME => lower_if(ctx, op, replaced),
        affine::ScopeOp::NAME => {
            open_scope(ctx, op, replaced);
            Ok(())
        }
        affine::YieldOp::NAME => lower_yield(ctx, op),
        affine::LoadOp::NAME
        | affine::StoreOp::NAME
        | affine::VectorLoadOp::NAME
        | affine::VectorStoreOp::NAME
        | affine::PrefetchOp::NAME => lower_access(ctx, op, replaced),
        affine::ApplyOp::NAME => {
            let m = map_attr(ctx, op, "map")?;
            let operands = op.operands(ctx);
            let mut b = Builder::before(ctx, op);
            let v = expand_map(&mut b, &m, &operands)?;
            replaced.push((op, v));
            Ok(())
        }
        affine::MinOp::NAME | affine::MaxOp::NAME => {
            let max = op.name(ctx) == affine::MaxOp::NAME;
            let m = map_attr(ctx, op, "map")?;
            let operands = op.operands(ctx);
            let mut b = Builder::before(ctx, op);
            let v = expand_min_max(&mut b, &m, &operands, max)?;
            replaced.push((op, vec![v]));
            Ok(())
        }
        affine::DmaStartOp::NAME | affine::DmaWaitOp::NAME => super::affine_dma::lower(ctx, op),
        affine::DelinearizeIndexOp::NAME | affine::LinearizeIndexOp::NAME => {
            super::affine_index::lower(ctx, op)
        }
        name => Err(format!("'{name}' has no lowering")),
    }
}

pub(super) fn map_attr(ctx: &Context, op: Op, name: &str) -> Result<AffineMap, String> {
    op.attr(ctx, name)
        .and_then(|a| a.as_map(ctx))
        .cloned()
        .ok_or_else(|| format!("requires attribute '{name}'"))
}

fn lower_for(ctx: &mut Context, op: Op, replaced: &mut Replaced) -> Result<(), String> {
    let f = affine::ForOp::wrap(op);
    let (lower_map, lower_operands) = (f.lower_map(ctx).clone(), f.lower_operands(ctx));
    let (upper_map, upper_operands) = (f.upper_map(ctx).clone(), f.upper_operands(ctx));
    let (step, inits, types) = (f.step(ctx), f.inits(ctx), op.result_types(ctx));
    let mut b = Builder::before(ctx, op);
    let lower = expand_min_max(&mut b, &lower_map, &lower_operands, true)?;
    let upper = expand_min_max(&mut b, &upper_map, &upper_operands, false)?;
    let step = arith::constant_index(&mut b, step);
    let s = b
        .state::<scf::ForOp>()
        .operands(&[lower, upper, step])
        .operands(&inits)
        .results(&types)
        .regions(1);
    let new = b.create(s);
    take_region(ctx, op, 0, new, 0);
    copy_discardable(ctx, op, new);
    let results = new.results(ctx);
    replaced.push((op, results));
    Ok(())
}

/// What a scope holds needs none any more.
fn open_scope(ctx: &mut Context, op: Op, replaced: &mut Replaced) {
    let body = affine::ScopeOp::wrap(op).body(ctx);
    let mut results = Vec::new();
    for inner in body.ops(ctx) {
        if inner.isa::<affine::YieldOp>(ctx) {
            results = inner.operands(ctx);
            inner.erase(ctx);
        } else {
            inner.move_before(ctx, op);
        }
    }
    replaced.push((op, results));
}

/// Move the blocks of region `i` of `from` into region `j` of `to`.
fn take_region(ctx: &Context, from: Op, i: usize, to: Op, j: usize) {
    let target = to.region(ctx, j);
    from.region(ctx, i).move_blocks_to(ctx, target);
}

/// Attributes that other parties attached stay with the loop.
pub(crate) fn copy_discardable(ctx: &Context, from: Op, to: Op) {
    let Some(def) = from.def(ctx) else { return };
    for (k, a) in from.attrs(ctx) {
        let name = ctx.str(k).to_string();
        if !def.is_inherent(&name) {
            to.set_attr(ctx, &name, a);
        }
    }
}

/// `affine.yield` becomes the terminator of what its parent became; a parallel loop has taken its own
/// away.
fn lower_yield(ctx: &mut Context, op: Op) -> Result<(), String> {
    let values = op.operands(ctx);
    let mut b = Builder::before(ctx, op);
    b.op::<scf::YieldOp>(&values, &[], &[]);
    op.erase(ctx);
    Ok(())
}

fn lower_if(ctx: &mut Context, op: Op, replaced: &mut Replaced) -> Result<(), String> {
    let i = affine::IfOp::wrap(op);
    let (set, operands, types) = (i.set(ctx).clone(), i.operands(ctx), op.result_types(ctx));
    let mut b = Builder::before(ctx, op);
    let condition = expand_set(&mut b, &set, &operands)?;
    let s = b
        .state::<scf::IfOp>()
        .operands(&[condition])
        .results(&types)
        .regions(2);
    let new = b.create(s);
    take_region(ctx, op, 0, new, 0);
    take_region(ctx, op, 1, new, 1);
    copy_discardable(ctx, op, new);
    let results = new.results(ctx);
    replaced.push((op, results));
    Ok(())
}

fn lower_access(ctx: &mut Context, op: Op, replaced: &mut Replaced) -> Result<(), String> {
    let m = map_attr(ctx, op, "map")?;
    let operands = op.operands(ctx);
    let stores = matches!(
        op.name(ctx),
        affine::StoreOp::NAME | affine::VectorStoreOp::NAME
    );
    // A store has the value first; then the memref and the map's operands.
    let split = if stores { 2 } else { 1 };
    let (head, map_operands) = operands.split_at(split.min(operands.len()));
    let to = match op.name(ctx) {
        affine::LoadOp::NAME => memref::LoadOp::NAME,
        affine::StoreOp::NAME => memref::StoreOp::NAME,
        affine::VectorLoadOp::NAME => vector::LoadOp::NAME,
        affine::VectorStoreOp::NAME => vector::StoreOp::NAME,
        _ => memref::PrefetchOp::NAME,
    };
    let def = ctx
        .op_def(to)
        .ok_or_else(|| format!("'{to}' is not registered"))?;
    let (types, loc) = (op.result_types(ctx), op.loc(ctx));
    let kept: Vec<_> = op
        .attrs(ctx)
        .into_iter()
        .filter(|(k, _)| to == memref::PrefetchOp::NAME && ctx.str(*k) != "map")
        .collect();
    let mut b = Builder::before(ctx, op);
    let indices = expand_map(&mut b, &m, map_operands)?;
    let mut s = OpState::new(def, loc)
        .operands(head)
        .operands(&indices)
        .results(&types);
    s.attrs = kept;
    let new = b.create(s);
    let results = new.results(ctx);
    replaced.push((op, results));
    Ok(())
}

/// The maps of a group of bounds: one per loop, out of one map and the number of
/// results that belongs to each loop.
fn bound_maps(ctx: &Context, op: Op, map: &str, groups: &str) -> Result<Vec<AffineMap>, String> {
    let m = map_attr(ctx, op, map)?;
    let counts = op
        .attr(ctx, groups)
        .and_then(|a| a.as_i64_elements(ctx))
        .ok_or_else(|| format!("requires attribute '{groups}'"))?;
    let mut start = 0usize;
    let mut out = Vec::new();
    for n in counts {
        let n = usize::try_from(n).map_err(|_| format!("'{groups}' has a negative count"))?;
        let results = m
            .results()
            .get(start..start + n)
            .ok_or("bounds and groups do not match")?;
        out.push(AffineMap::new(
            m.num_dims(),
            m.num_symbols(),
            results.to_vec(),
        ));
        start += n;
    }
    Ok(out)
}

fn lower_parallel(ctx: &mut Context, op: Op, replaced: &mut Replaced) -> Result<(), String> {
    let lower = bound_maps(ctx, op, "lowerBoundsMap", "lowerBoundsGroups")?;
    let upper = bound_maps(ctx, op, "upperBoundsMap", "upperBoundsGroups")?;
    let steps = op
        .attr(ctx, "steps")
        .and_then(|a| a.as_i64_array(ctx))
        .ok_or("requires attribute 'steps'")?;
    let reductions = op
        .attr(ctx, "reductions")
        .and_then(|a| a.as_i64_array(ctx))
        .ok_or("requires attribute 'reductions'")?;
    let operands = op.operands(ctx);
    let num_lower = lower.first().map_or(0, AffineMap::num_inputs);
    let (lower_operands, upper_operands) = operands.split_at(num_lower.min(operands.len()));
    let types = op.result_types(ctx);
    let mut b = Builder::before(ctx, op);
    let (mut lows, mut highs) = (Vec::new(), Vec::new());
    for (l, u) in lower.iter().zip(&upper) {
        lows.push(expand_min_max(&mut b, l, lower_operands, true)?);
        highs.push(expand_min_max(&mut b, u, upper_operands, false)?);
    }
    let steps: Vec<Value> = steps
        .iter()
        .map(|s| arith::constant_index(&mut b, *s))
        .collect();
    let kinds: Vec<arith::AtomicRmwKind> = reductions
        .iter()
        .map(|r| arith::AtomicRmwKind::from_i64(*r).ok_or(format!("reduction {r} is unknown")))
        .collect::<Result<_, _>>()?;
    let mut inits = Vec::new();
    for (k, t) in kinds.iter().zip(&types) {
        let identity = k.identity(b.ctx, *t).ok_or_else(|| {
            format!(
                "reduction '{}' has no identity for '{}'",
                k.keyword(),
                b.ctx.type_text(*t)
            )
        })?;
        inits.push(arith::constant(&mut b, identity));
    }
    let (new, spare) = scf::ParallelOp::build(&mut b, &lows, &highs, &steps, &inits);
    let new = new.op();
    spare.unlink(ctx);
    spare.erase(ctx);
    take_region(ctx, op, 0, new, 0);
    copy_discardable(ctx, op, new);
    end_parallel(ctx, new.body(ctx, 0), &kinds, &types);
    let results = new.results(ctx);
    replaced.push((op, results));
    Ok(())
}

/// Replace the `affine.yield` of a parallel loop by `scf.reduce`.
fn end_parallel(ctx: &mut Context, body: Block, kinds: &[arith::AtomicRmwKind], types: &[Type]) {
    let Some(end) = body
        .last_op(ctx)
        .filter(|o| o.name(ctx) == affine::YieldOp::NAME)
    else {
        return;
    };
    let values = end.operands(ctx);
    let loc = end.loc(ctx);
    let mut b = Builder::before(ctx, end);
    let (_, blocks) = scf::ReduceOp::build(&mut b, &values);
    for ((block, kind), ty) in blocks.into_iter().zip(kinds).zip(types) {
        let (l, r) = (block.arg(b.ctx, 0), block.arg(b.ctx, 1));
        b.with_point(InsertPoint::End(block), |b| {
            b.loc = loc;
            let v = kind.combine(b, l, r, *ty);
            b.op::<scf::ReduceReturnOp>(&[v], &[], &[]);
        });
    }
    end.erase(ctx);
}
