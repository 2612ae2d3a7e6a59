//! A parallel nest as several, each with a part of what an iteration does.
//!
//! ```text
//!                                         %t = memref.alloc(%m)
//! affine.parallel (%i) = (0) to (%m) {    affine.parallel (%i) = (0) to (%m) {
//!   %s = first(%i)                          %s = first(%i)
//!   second(%i, %s)                   =>     affine.store %s, %t[%i]
//! }                                       }
//!                                         affine.parallel (%i) = (0) to (%m) {
//!                                           %s = affine.load %t[%i]
//!                                           second(%i, %s)
//!                                         }
//! ```
//!
//! Legal as the iterations do not depend on each other, and the parts keep their order. What a part
//! uses of an earlier one is kept in an array with an element for each iteration (scalar expansion);
//! what only computes is computed again, but for functions and quotients of floats, and what is loaded
//! from memory that the nest does not write is loaded again.

use rustc_hash::FxHashMap;

use super::build::index::{constant, mul};
use super::iterations::can_be_kept;
use crate::analysis::memory::{base, may_be_same};
use terrace_dialects::affine::{LoadOp, MaxOp, ParallelOp, StoreOp};
use terrace_dialects::memref::{AllocOp, DeallocOp};
use terrace_dialects::{arith, math};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::{effects, is_pure};
use terrace_ir::opdef::{Effect, EffectKind};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

/// Puts a nest for each of `parts` in the place of a band of parallel loops, each of which holds
/// nothing but the next and ops that compute. The parts are all ops of the innermost body that do
/// more than compute, in their order.
///
/// `None`, and nothing changed, where a loop begins at a number that is unknown or negative, or a
/// part would need memory that another one has allocated.
pub(crate) fn distribute_nest(
    ctx: &mut Context,
    band: &[ParallelOp],
    parts: &[Vec<Op>],
) -> Option<Vec<ParallelOp>> {
    let root = band.first()?.op();
    let body = band.last()?.body(ctx);
    let ops = body.ops(ctx);
    let parts = &with_costly(ctx, &ops, parts);
    let once = |o: &Op| is_pure(ctx, *o) && parts.iter().any(|p| p.contains(o));
    let again: Vec<Op> = (ops.iter().copied())
        .filter(|o| is_pure(ctx, *o) || is_same_again(ctx, root, *o))
        .filter(|o| !once(o))
        .collect();
    let kept = crossing(ctx, &ops, parts, &again);
    if !kept.iter().all(|v| can_be_kept(ctx, v.ty(ctx))) {
        return None;
    }
    let sizes = Sizes::of(ctx, band)?;
    let b = &mut Builder::before(ctx, root);
    let shape: Vec<Result<i64, Value>> = sizes.build(b);
    let arrays: Vec<Value> = kept.iter().map(|v| array(b, *v, &shape)).collect();
    let ivs: Vec<Value> = band.iter().flat_map(|p| p.ivs(b.ctx)).collect();
    let mut nests = Vec::new();
    for part in parts {
        let mut map = IrMapping::new();
        let copy = clone_op(b.ctx, root, &mut map);
        b.insert(copy);
        let piece = Piece {
            ops: &ops,
            part,
            again: &again,
            kept: &kept,
            arrays: &arrays,
            ivs: ivs.iter().map(|v| map.value(*v)).collect(),
        };
        piece.leave(b.ctx, map.block(body));
        nests.extend(copy.cast::<ParallelOp>(b.ctx));
    }
    for a in arrays {
        DeallocOp::build(b, a);
    }
    root.erase(b.ctx);
    Some(nests)
}

/// The number of iterations of a band, at the point; `None`, and nothing made, where a loop begins at
/// a number that is unknown or negative. Loops that do not begin at 0 count as if they did.
pub(crate) fn iterations(b: &mut Builder, band: &[ParallelOp]) -> Option<Value> {
    let sizes = Sizes::of(b.ctx, band)?.build(b);
    let known = sizes.iter().filter_map(|n| n.ok()).product();
    let all = sizes.iter().filter_map(|n| n.err());
    let known = constant(b, known);
    Some(all.fold(known, |x, y| mul(b, x, y)))
}

/// The numbers of iterations of a band, as maps with one result.
struct Sizes(Vec<(AffineMap, Vec<Value>)>);

impl Sizes {
    fn of(ctx: &Context, band: &[ParallelOp]) -> Option<Sizes> {
        let mut all = Vec::new();
        for p in band {
            for i in 0..p.num_loops(ctx) {
                let (lower, upper) = (p.lower_map_of(ctx, i), p.upper_map_of(ctx, i));
                if lower.single_constant()? < 0 || upper.num_results() != 1 {
                    return None;
                }
                all.push((upper, p.upper_operands(ctx)));
            }
        }
        Some(Sizes(all))
    }

    fn build(&self, b: &mut Builder) -> Vec<Result<i64, Value>> {
        let of = |(map, operands): &(AffineMap, Vec<Value>), b: &mut Builder| match map
            .single_constant()
        {
            Some(n) => Ok(n.max(0)),
            None => {
                let results = [map.results(), &[AffineExpr::constant(0)]].concat();
                let map = AffineMap::new(map.num_dims(), map.num_symbols(), results);
                Err(MaxOp::build(b, map, operands))
            }
        };
        self.0.iter().map(|s| of(s, b)).collect()
    }
}

/// An array with an element for each iteration, of the type of `v`.
fn array(b: &mut Builder, v: Value, shape: &[Result<i64, Value>]) -> Value {
    let sizes: Vec<i64> = shape.iter().map(|n| n.unwrap_or(DYNAMIC)).collect();
    let dynamic: Vec<Value> = shape.iter().filter_map(|n| n.err()).collect();
    let ty = b.ctx.memref(&sizes, v.ty(b.ctx));
    AllocOp::build(b, ty, &dynamic)
}

/// Whether an op takes longer than a load of its result.
fn is_costly(ctx: &Context, op: Op) -> bool {
    let quotient = matches!(op.name(ctx), arith::DivFOp::NAME | arith::RemFOp::NAME);
    quotient || op.dialect(ctx) == math::DIALECT.name
}

/// The parts, with functions and quotients of what a part gives as members of that part: other parts
/// would compute them again in each iteration of their loops.
fn with_costly(ctx: &Context, ops: &[Op], parts: &[Vec<Op>]) -> Vec<Vec<Op>> {
    let mut parts = parts.to_vec();
    // The last part that each value comes from.
    let mut from: FxHashMap<Value, usize> = FxHashMap::default();
    for op in ops {
        let own = match parts.iter().position(|p| p.contains(op)) {
            Some(part) => Some(part),
            None if is_pure(ctx, *op) => {
                let mut last = None;
                op.walk(ctx, &mut |o| {
                    let operands = o.operands(ctx).into_iter();
                    last = last.max(operands.filter_map(|v| from.get(&v).copied()).max());
                });
                last
            }
            None => None,
        };
        let Some(part) = own else { continue };
        from.extend(op.results(ctx).into_iter().map(|v| (v, part)));
        if is_pure(ctx, *op) && is_costly(ctx, *op) {
            parts[part].push(*op);
        }
    }
    parts
}

/// Whether a load gives what it gave whenever an iteration comes to it.
fn is_same_again(ctx: &Context, root: Op, op: Op) -> bool {
    op.isa::<LoadOp>(ctx) && !may_write(ctx, &[root], op.operand(ctx, 0))
}

/// Whether one of these ops may write to an array.
fn may_write(ctx: &Context, ops: &[Op], array: Value) -> bool {
    let own = base(ctx, array);
    let here = |e: &Effect| {
        let same = e.on.is_none_or(|v| may_be_same(ctx, base(ctx, v), own));
        same && e.kind != EffectKind::Read
    };
    let mut all = ops.iter().map(|o| effects(ctx, *o));
    all.any(|e| e.is_none_or(|e| e.iter().any(here)))
}

/// The values that a part gives to later ones, directly or by ops that are done `again`.
fn crossing(ctx: &Context, ops: &[Op], parts: &[Vec<Op>], again: &[Op]) -> Vec<Value> {
    let mut kept = Vec::new();
    for part in parts {
        let mut needed: Vec<Value> = Vec::new();
        for op in ops.iter().rev() {
            let own = part.contains(op);
            let used = op.results(ctx).into_iter().filter(|v| needed.contains(v));
            let used: Vec<Value> = used.collect();
            if own || (!used.is_empty() && again.contains(op)) {
                op.walk(ctx, &mut |o| needed.extend(o.operands(ctx)));
            } else {
                kept.extend(used);
            }
        }
    }
    let mut once: Vec<Value> = Vec::new();
    for v in kept {
        if !once.contains(&v) {
            once.push(v);
        }
    }
    once
}

/// A copy of the nest that is to have one part alone.
struct Piece<'a> {
    /// The ops of the body that was copied.
    ops: &'a [Op],
    part: &'a [Op],
    /// Those that other parts do again.
    again: &'a [Op],
    /// What goes from part to part, and where it is kept.
    kept: &'a [Value],
    arrays: &'a [Value],
    /// The induction variables of the copy.
    ivs: Vec<Value>,
}

impl Piece<'_> {
    /// Takes from the copied body what is not of the part.
    fn leave(&self, ctx: &mut Context, body: Block) {
        let copies = body.ops(ctx);
        let end = body.last_op(ctx);
        for (op, copy) in self.ops.iter().zip(&copies).rev() {
            if end == Some(*copy) {
                continue;
            }
            let results = op.results(ctx).into_iter().zip(copy.results(ctx));
            let results: Vec<(Value, Value)> = results.collect();
            if self.part.contains(op) {
                for (old, new) in results {
                    if let Some(array) = self.array_of(old) {
                        let (map, ivs) = self.place();
                        let b = &mut Builder::after(ctx, *copy);
                        StoreOp::build(b, new, array, map, &ivs);
                    }
                }
            } else if self.again.contains(op) {
                if !copy.has_uses(ctx) {
                    copy.erase(ctx);
                }
            } else {
                for (old, new) in results {
                    if let Some(array) = self.array_of(old).filter(|_| new.has_uses(ctx)) {
                        let (map, ivs) = self.place();
                        let b = &mut Builder::before(ctx, *copy);
                        let loaded = LoadOp::build(b, array, map, &ivs);
                        new.replace_all_uses(b.ctx, loaded);
                    }
                }
                copy.erase(ctx);
            }
        }
        self.sink(ctx, body);
    }

    /// Moves what is loaded, and what only computes, into the parallel loop that alone uses it: a loop
    /// with nothing in front of it is one of the band.
    fn sink(&self, ctx: &mut Context, body: Block) {
        let mut ops = body.ops(ctx);
        ops.pop();
        for op in ops.into_iter().rev() {
            let kept = op.isa::<LoadOp>(ctx) && !may_write(ctx, self.part, op.operand(ctx, 0));
            if !(kept || is_pure(ctx, op) && op.num_regions(ctx) == 0) {
                continue;
            }
            let users = op.results(ctx).into_iter().flat_map(|v| v.users(ctx));
            let mut around = users.map(|u| u.ancestor_in(ctx, body).filter(|a| *a != u));
            let Some(Some(l)) = around.next() else {
                continue;
            };
            let inner = l
                .cast::<ParallelOp>(ctx)
                .filter(|_| around.all(|a| a == Some(l)));
            if let Some(first) = inner.and_then(|p| p.body(ctx).ops(ctx).first().copied()) {
                op.move_before(ctx, first);
            }
        }
    }

    fn array_of(&self, v: Value) -> Option<Value> {
        let at = self.kept.iter().position(|k| *k == v)?;
        self.arrays.get(at).copied()
    }

    /// The element of this iteration.
    fn place(&self) -> (AffineMap, Vec<Value>) {
        let rank = u32::try_from(self.ivs.len()).unwrap_or(u32::MAX);
        (AffineMap::identity(rank), self.ivs.clone())
    }
}
