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
use super::policy::Tiling;
use super::stream::{Part, chosen, ends};
use super::translate::{Held, Translate, flags, side};
use super::versions::parallel;
use crate::loops::build::index::{add, ceiling, constant, max, min, mul, sub};
use terrace_dialects::memref::{self, AllocOp, DeallocOp};
use terrace_dialects::scf;
use terrace_dialects::tile::{self, TileAccess};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

/// Writes the code of a block with these counters and this tiling.
pub(super) type Write<'a> = &'a dyn Fn(&mut Builder, &Tiling, &[Value]) -> Option<()>;

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

/// Writes both nests. `part` writes the code of a block for all alignments.
pub(super) fn emit(
    b: &mut Builder,
    nest: &Nest,
    tiling: &Tiling,
    parts: Value,
    part: impl Fn(&mut Builder, &[Value], Write) -> Option<()>,
) -> Option<()> {
    let l = nest.inner.first()?;
    // What a block leaves: an element for each part and iteration of the parallel loops.
    let mut sizes = vec![parts];
    for x in &nest.levels {
        let (end, zero) = (side(b, &x.upper)?, constant(b, 0));
        sizes.push(max(b, end, zero));
    }
    let mut kept = Vec::new();
    for v in &l.carried {
        let ty = b.ctx.memref(&vec![DYNAMIC; sizes.len()], v.ty(b.ctx));
        kept.push(AllocOp::build(b, ty, &sizes));
    }
    let all = steps(b, l, tiling)?;
    let each = ceiling(b, all, parts);
    let size = constant(b, *tiling.pieces.first()?);
    let each = mul(b, each, size);
    let begin = constant(b, first(l)?);
    let end = side(b, &l.levels.first()?.upper)?;
    parallel(b, nest, tiling, Some(parts), |b, ivs| {
        let write = |b: &mut Builder, tiling: &Tiling, ivs: &[Value]| {
            let (number, blocks) = ivs.split_last()?;
            let from = mul(b, *number, each);
            let from = add(b, begin, from);
            let to = add(b, from, each);
            let to = min(b, to, end);
            let mut t = Translate::new(b, nest, tiling, blocks)?;
            let own = t.part(
                b,
                Part {
                    first: from,
                    end: to,
                },
            )?;
            for (h, memref) in own.iter().zip(&kept) {
                leave(b, nest, &t, h, *memref, *number, blocks);
            }
            Some(())
        };
        part(b, ivs, &write)
    })?;
    combine(b, nest, l, parts, &kept)?;
    for w in kept {
        DeallocOp::build(b, w);
    }
    Some(())
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

/// The nest as it was, with the parts in the place of the iterations.
fn combine(b: &mut Builder, nest: &Nest, l: &Inner, parts: Value, kept: &[Value]) -> Option<()> {
    let mut map = IrMapping::new();
    let copy = clone_op(b.ctx, nest.root.op(), &mut map);
    b.insert(copy);
    let ivs: Vec<Value> = nest.levels.iter().map(|x| map.value(x.iv)).collect();
    let (inits, results) = ends(b.ctx, l.op);
    let inits: Vec<Value> = inits.iter().map(|v| map.value(*v)).collect();
    let old = map.value(*results.first()?).def_op()?;
    let made = {
        let b = &mut Builder::before(b.ctx, old);
        let (zero, one) = (constant(b, 0), constant(b, 1));
        let (op, body) = scf::ForOp::build(b, zero, parts, one, &inits);
        let number = body.arg(b.ctx, 0);
        let given: Vec<Value> = (1..=inits.len()).map(|i| body.arg(b.ctx, i)).collect();
        b.with_point(InsertPoint::End(body), |b| {
            let at = [&[number], &ivs[..]].concat();
            let own: Vec<Value> = kept
                .iter()
                .map(|w| memref::LoadOp::build(b, *w, &at))
                .collect();
            let next = match &l.combines {
                Combines::Chosen(s) => chosen(b, s, &given, &own),
                Combines::Each(all) => (all.iter().zip(given.iter().zip(&own)))
                    .map(|(r, (x, y))| {
                        let v = r.kind.combine(b, *x, *y, x.ty(b.ctx));
                        flags(b, v, r.combiner);
                        v
                    })
                    .collect(),
            };
            scf::YieldOp::build(b, &next);
        });
        op.op().results(b.ctx)
    };
    old.replace(b.ctx, &made);
    Some(())
}
