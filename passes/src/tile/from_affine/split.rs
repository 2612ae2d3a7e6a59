//! Iterations that several blocks share: each combines a part of them, and a second nest combines
//! the parts in their order.
//!
//! ```text
//! affine.parallel (%j) {                     %w = alloc : memref<%parts x %n>
//!   %s = affine.for %i iter_args(%t = %z)    blocks (%j, %p) { %w[%p, %j] = the sum of part %p }
//!   store %s, %S[%j]                    =>   affine.parallel (%j) {
//! }                                            %s = scf.for %p iter_args(%t = %z) { %t + %w[%p, %j] }
//!                                              store %s, %S[%j]
//!                                            }
//! ```

use super::find::{Combines, Inner, LONGEST, Nest};
use super::policy::{Form, Plan, Tiling, fold};
use super::stream::{Part, chosen, ends};
use super::translate::{Held, Translate, flags, side};
use super::versions::{blocks, parallel};
use crate::loops::build::index::{add, ceiling, constant, max, min, mul, sub};
use terrace_dialects::affine::{self, ForOp, ParallelOp};
use terrace_dialects::arith;
use terrace_dialects::memref::{self, AllocOp, DeallocOp};
use terrace_dialects::scf;
use terrace_dialects::tile::{self, TileAccess};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, InsertPoint, Op, OpKind, Value};

/// Writes the code of a block with these counters and this tiling.
pub(super) type Write<'a> = &'a dyn Fn(&mut Builder, &Tiling, &[Value]) -> Option<()>;

/// Elements whose parts a block combines side by side.
const COMBINED: i64 = 32;
/// Steps that a part should have at least. One step of several loops is many of the loops inside.
const MIN_STEPS: i64 = 4;

/// Into how many parts the iterations of the outermost loop inside go, so that there are `wanted`
/// blocks.
pub(super) fn parts(
    b: &mut Builder,
    nest: &Nest,
    tiling: &Tiling,
    counts: &[Value],
    wanted: i64,
) -> Option<Value> {
    let l = nest.inner.first()?;
    let one = constant(b, 1);
    let all = counts.iter().copied();
    let blocks = all.reduce(|x, y| mul(b, x, y)).unwrap_or(one);
    let blocks = max(b, blocks, one);
    let wanted = constant(b, wanted);
    let wanted = ceiling(b, wanted, blocks);
    let steps = steps(b, l, tiling)?;
    let least = constant(b, if l.levels.len() > 1 { 1 } else { MIN_STEPS });
    let most = ceiling(b, steps, least);
    Some(min(b, wanted, most))
}

/// Whether there is one part in any case: memory is adjacent along the one loop inside, which is so
/// many elements long at most.
pub(super) fn is_one(nest: &Nest, tiling: &Tiling, most: Option<i64>) -> bool {
    let Form::Fold { fast, .. } = tiling.form else {
        return false;
    };
    let along_loop = fast > 0 || tiling.sizes.iter().all(|n| *n == 1);
    let [ref l] = nest.inner[..] else {
        return false;
    };
    along_loop && l.levels.len() == 1 && most.is_some_and(|n| n <= tiling.pieces[0] * MIN_STEPS)
}

/// Steps of the outermost loop inside.
fn steps(b: &mut Builder, l: &Inner, tiling: &Tiling) -> Option<Value> {
    let end = side(b, &l.levels.first()?.upper)?;
    let first = constant(b, first(l)?);
    let (n, zero) = (sub(b, end, first), constant(b, 0));
    let n = max(b, n, zero);
    let size = constant(b, *tiling.pieces.first()?);
    Some(ceiling(b, n, size))
}

/// Where the first part begins: at a multiple of any access.
fn first(l: &Inner) -> Option<i64> {
    let n = l.levels.first()?.lower.as_constant()?;
    Some(if l.levels.len() == 1 {
        n - n % LONGEST
    } else {
        n
    })
}

/// The arrays that parts leave their values in: an element for each part and iteration of the
/// parallel loops.
pub(super) struct Parts {
    count: Value,
    kept: Vec<Value>,
}

impl Parts {
    pub fn alloc(b: &mut Builder, nest: &Nest, count: Value) -> Option<Parts> {
        let mut sizes = vec![count];
        for x in &nest.levels {
            let (end, zero) = (side(b, &x.upper)?, constant(b, 0));
            sizes.push(max(b, end, zero));
        }
        let mut kept = Vec::new();
        for v in &nest.inner.first()?.carried {
            let ty = b.ctx.memref(&vec![DYNAMIC; sizes.len()], v.ty(b.ctx));
            kept.push(AllocOp::build(b, ty, &sizes));
        }
        Some(Parts { count, kept })
    }

    /// Writes the blocks that each do a part; `part` writes the code of a block for all alignments.
    pub fn write(
        &self,
        b: &mut Builder,
        nest: &Nest,
        tiling: &Tiling,
        part: impl Fn(&mut Builder, &[Value], Write) -> Option<()>,
    ) -> Option<()> {
        let l = nest.inner.first()?;
        let all = steps(b, l, tiling)?;
        let each = ceiling(b, all, self.count);
        let size = constant(b, *tiling.pieces.first()?);
        let each = mul(b, each, size);
        let begin = constant(b, first(l)?);
        let end = side(b, &l.levels.first()?.upper)?;
        parallel(b, nest, tiling, Some(self.count), |b, ivs| {
            let write = |b: &mut Builder, tiling: &Tiling, ivs: &[Value]| {
                let (number, blocks) = ivs.split_last()?;
                let from = mul(b, *number, each);
                let first = add(b, begin, from);
                let to = add(b, first, each);
                let end = min(b, to, end);
                let mut t = Translate::new(b, nest, tiling, blocks)?;
                let own = t.part(b, Part { first, end })?;
                for (h, memref) in own.iter().zip(&self.kept) {
                    leave(b, nest, &t, h, *memref, *number, blocks);
                }
                Some(())
            };
            part(b, ivs, &write)
        })
    }

    /// Writes the nest that combines what the parts left.
    pub fn combine(self, b: &mut Builder, nest: &Nest) -> Option<()> {
        combine(b, nest, nest.inner.first()?, self.count, &self.kept)?;
        for w in self.kept {
            DeallocOp::build(b, w);
        }
        Some(())
    }
}

/// Stores what a part combines to.
fn leave(
    b: &mut Builder,
    nest: &Nest,
    t: &Translate,
    h: &Held,
    memref: Value,
    number: Value,
    blocks: &[Value],
) {
    if h.axes.is_empty() {
        let at = [&[number], blocks].concat();
        memref::StoreOp::build(b, h.value, memref, &at);
        return;
    }
    let mut exprs = vec![AffineExpr::symbol(0)];
    let mut dim = 0;
    for (i, size) in (0..nest.levels.len()).zip(&t.tiling.sizes) {
        let base = AffineExpr::symbol(i as u32 + 1);
        exprs.push(match size {
            1 => base,
            _ => {
                dim += 1;
                base + AffineExpr::dim(dim - 1)
            }
        });
    }
    let operands = [&[number], blocks].concat();
    let access = TileAccess {
        memref,
        map: AffineMap::new(dim, operands.len() as u32, exprs),
        operands,
        bounds: t.bounds(&h.axes),
        mask: None,
        alignment: 0,
        granule: 0,
    };
    tile::StoreOp::build(b, h.value, &access);
}

/// The nest as it was, with the parts in the place of the iterations: by blocks, where a block can
/// share the parts of an element, else by a thread for each element.
fn combine(b: &mut Builder, nest: &Nest, l: &Inner, parts: Value, kept: &[Value]) -> Option<()> {
    let root = with_parts(b, nest, l, kept, |b, inits, next| {
        // The number of parts is no symbol everywhere. The loop is there until tiles took its place.
        let (zero, end) = (AffineMap::constant(0), AffineMap::symbol_identity());
        let l = ForOp::build(
            b,
            (zero, &[]),
            (end, &[parts]),
            1,
            inits,
            |b, number, given| next(b, number, given, true),
        );
        l.op().results(b.ctx)
    })?;
    let trial = root.cast::<ParallelOp>(b.ctx)?;
    if by_blocks(b, trial).is_some() {
        root.erase(b.ctx);
        return Some(());
    }
    root.erase(b.ctx);
    with_parts(b, nest, l, kept, |b, inits, next| {
        let (zero, one) = (constant(b, 0), constant(b, 1));
        let (op, body) = scf::ForOp::build(b, zero, parts, one, inits);
        let number = body.arg(b.ctx, 0);
        let given: Vec<Value> = (1..=inits.len()).map(|i| body.arg(b.ctx, i)).collect();
        b.with_point(InsertPoint::End(body), |b| {
            let values = next(b, number, &given, false);
            scf::YieldOp::build(b, &values);
        });
        op.op().results(b.ctx)
    })?;
    Some(())
}

/// Puts blocks in front of a nest that combines parts; `None`, and nothing made, where none can.
fn by_blocks(b: &mut Builder, root: ParallelOp) -> Option<()> {
    let nest = Nest::read(b.ctx, root, true).ok()?;
    let [ref l] = nest.inner[..] else { return None };
    let fold = fold(b.ctx, &nest, l).ok()?;
    let mut tiling = fold.tiling(&nest, l, COMBINED)?;
    // Parts are few: the code for whole pieces would be read for nothing.
    tiling.single = true;
    // A holder that goes away whole if a body cannot be written.
    let yes = arith::constant_bool(b, true);
    let (holder, then, _) = scf::IfOp::build(b, yes, &[], false);
    let made = b.with_point(InsertPoint::End(then), |b| {
        let made = blocks(b, &nest, &Plan::Fold(fold), &tiling);
        scf::YieldOp::build(b, &[]);
        made
    });
    if made.is_none() {
        holder.op().erase(b.ctx);
    }
    made
}

/// What an iteration over parts carries on, from the number of the part and what was carried;
/// whether its loop is an affine one.
type Next<'a> = &'a dyn Fn(&mut Builder, Value, &[Value], bool) -> Vec<Value>;

/// A copy of the nest at the point, with a loop over parts that `make` writes; it is given what the
/// loop begins with.
fn with_parts(
    b: &mut Builder,
    nest: &Nest,
    l: &Inner,
    kept: &[Value],
    make: impl FnOnce(&mut Builder, &[Value], Next) -> Vec<Value>,
) -> Option<Op> {
    let mut map = IrMapping::new();
    let copy = clone_op(b.ctx, nest.root.op(), &mut map);
    b.insert(copy);
    let ivs: Vec<Value> = nest.levels.iter().map(|x| map.value(x.iv)).collect();
    let (inits, results) = ends(b.ctx, l.op);
    let inits: Vec<Value> = inits.iter().map(|v| map.value(*v)).collect();
    let old = map.value(*results.first()?).def_op()?;
    let next = |b: &mut Builder, number: Value, given: &[Value], affine: bool| {
        let at = [&[number], &ivs[..]].concat();
        let mut load = |w: &Value| match affine {
            true => affine::LoadOp::build_at(b, *w, &at),
            false => memref::LoadOp::build(b, *w, &at),
        };
        let own: Vec<Value> = kept.iter().map(&mut load).collect();
        match &l.combines {
            Combines::Chosen(s) => chosen(b, s, given, &own),
            Combines::Each(all) => (all.iter().zip(given.iter().zip(&own)))
                .map(|(r, (x, y))| {
                    let v = r.kind.combine(b, *x, *y, x.ty(b.ctx));
                    flags(b, v, r.combiner);
                    v
                })
                .collect(),
        }
    };
    let made = make(&mut Builder::before(b.ctx, old), &inits, &next);
    old.replace(b.ctx, &made);
    Some(copy)
}
