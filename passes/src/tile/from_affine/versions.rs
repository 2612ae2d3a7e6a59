//! The versions of a nest: which sizes and alignments have tiles of their own, and how the
//! program chooses between them when it runs.

use super::find::{Level, Nest, Side};
use super::policy::{Fold, Plan, Rows, Tiling, element_bytes};
use super::split::{self, Parts};
use super::stays::{length, side_by_side, stays};
use super::translate::{Translate, side};
use crate::gpu::aligned::rows_aligned;
use crate::gpu::branches::try_either;
use crate::gpu::map::band::band_of;
use crate::loops::build::index::{ceiling, constant, rem};
use crate::loops::distribute_nest::distribute_nest;
use crate::loops::mapper::TILE;
use crate::tile::parts::all_parts;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::attributes::{ACC_LOOP, GPU_BLOCK, GPU_MAPPER};
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// Lengths of rows that have a version where the length is not known.
const LENGTHS: [i64; 5] = [64, 256, 1024, 4096, 8192];
/// Rows from which on there is a block for each multiprocessor and more.
const ROWS_IN_CACHE: i64 = 256;
/// Blocks that fill a machine: with fewer, the iterations that one combines are shared by several.
const MIN_BLOCKS: i64 = 512;

/// Puts blocks on tiles in the place of the nest; `None`, and nothing changed, where it cannot.
///
/// `ahead`: the mapper of reductions would take the nest, which is faster with some sizes. Gives
/// the nests that parts of it are now, for which somebody else has to find blocks.
pub(super) fn emit(
    ctx: &mut Context,
    nest: &Nest,
    plan: &Plan,
    ahead: bool,
) -> Option<Vec<ParallelOp>> {
    let root = nest.root.op();
    let versions = versions(nest, plan);
    let b = &mut Builder::before(ctx, root);
    // A holder that goes away whole if a body cannot be written.
    let yes = arith::constant_bool(b, true);
    let (trial, then, _) = scf::IfOp::build(b, yes, &[], false);
    let mut left = Vec::new();
    let made = b.with_point(InsertPoint::End(then), |b| {
        let stays = stays(b, nest, plan, ahead)?;
        let made = match stays {
            None => by_length(b, nest, plan, &versions, &mut left).map(|()| None),
            Some(stays) => {
                let (_, as_is, tiles) = scf::IfOp::build(b, stays, &[], true);
                b.with_point(InsertPoint::End(tiles?), |b| {
                    by_length(b, nest, plan, &versions, &mut left)?;
                    scf::YieldOp::build(b, &[]);
                    Some(Some(as_is))
                })
            }
        };
        scf::YieldOp::build(b, &[]);
        made
    });
    match made {
        Some(None) => root.erase(b.ctx),
        Some(Some(block)) => {
            root.unlink(b.ctx);
            block.push_back(b.ctx, root);
            b.with_point(InsertPoint::End(block), |b| {
                scf::YieldOp::build(b, &[]);
            });
        }
        None => trial.op().erase(b.ctx),
    }
    made.map(|_| left)
}

/// A version, and the length of rows up to which it is right; any where there is none.
type Version = (Option<i64>, How);

/// What a version does with the nest.
enum How {
    Tiles(Tiling),
    /// Rows are too long for a block's registers. Where they are few, each of the loops inside has
    /// blocks of its own; else a block goes through a row piece by piece, as the tiling says, and finds
    /// it in the cache in all loops but the first.
    Distributed(Tiling),
}

fn versions(nest: &Nest, plan: &Plan) -> Vec<Version> {
    match plan {
        Plan::Turn(t) => {
            let tiling = t.tiling(nest).ok();
            tiling.map(|t| (None, How::Tiles(t))).into_iter().collect()
        }
        Plan::Rows(rows) => rows_of(rows, nest),
        Plan::Fold(fold) => folds_of(fold, nest),
    }
}

fn folds_of(fold: &Fold, nest: &Nest) -> Vec<Version> {
    let Some(l) = nest.inner.first() else {
        return Vec::new();
    };
    let tiling = |most: Option<i64>, width: i64| {
        let mut tiling = fold.tiling(nest, l, width)?;
        tiling.single = fold.level.is_none() && most.is_some_and(|n| n <= width);
        Some((most, How::Tiles(tiling)))
    };
    if fold.ragged {
        return tiling(None, i64::MAX).into_iter().collect();
    }
    let adjacent = match fold.level {
        Some(u) => &nest.levels[u],
        None => l.level(),
    };
    match adjacent.upper.as_constant() {
        Some(n) => tiling(None, fold.width(n)).into_iter().collect(),
        None => (fold.widths().into_iter())
            .filter_map(|(most, n)| tiling(most, n))
            .collect(),
    }
}

fn rows_of(rows: &Rows, nest: &Nest) -> Vec<Version> {
    let levels = nest.levels.len();
    let long = rows.streamed(levels).map(|t| match nest.inner.len() {
        1 => (None, How::Tiles(t)),
        _ => (None, How::Distributed(t)),
    });
    if let Some(n) = rows.level.upper.as_constant() {
        let whole = rows.resident(levels, n - rows.first);
        let whole = whole.map(|t| (None, How::Tiles(t)));
        return whole.or(long).into_iter().collect();
    }
    let resident = LENGTHS.into_iter().filter_map(|n| {
        let tiling = rows.resident(levels, n)?;
        Some((Some(n), How::Tiles(tiling)))
    });
    resident.chain(long).collect()
}

/// The block's code, by `write`: with wide accesses where the kernel sees that rows are aligned.
fn body(
    b: &mut Builder,
    nest: &Nest,
    plan: &Plan,
    tiling: &Tiling,
    mut write: impl FnMut(&mut Builder, &Tiling) -> Option<()>,
) -> Option<()> {
    let plain = tiling.with_vector(1)?;
    let condition = match tiling.vector {
        1 => None,
        vector => is_aligned(b, nest, plan, vector),
    };
    let Some(condition) = condition else {
        return write(b, &plain);
    };
    let (_, then, otherwise) = scf::IfOp::build(b, condition, &[], true);
    for (block, tiling) in [(then, tiling), (otherwise?, &plain)] {
        b.with_point(InsertPoint::End(block), |b| {
            write(b, tiling)?;
            scf::YieldOp::build(b, &[]);
            Some(())
        })?;
    }
    Some(())
}

/// The loop along which memory is adjacent.
fn adjacent<'n>(nest: &'n Nest, plan: &'n Plan) -> Option<&'n Level> {
    match plan {
        Plan::Rows(r) => Some(&r.level),
        Plan::Turn(_) => None,
        Plan::Fold(f) => match f.level {
            Some(u) => nest.levels.get(u),
            None => nest.inner.first().map(|l| l.level()),
        },
    }
}

/// Whether all rows begin at multiples of an access, and end at some; `None` where they surely do not.
fn is_aligned(b: &mut Builder, nest: &Nest, plan: &Plan, vector: i64) -> Option<Value> {
    let mut all: Vec<Value> = Vec::new();
    let mut ends: Vec<&Side> = Vec::new();
    match plan {
        Plan::Turn(t) => {
            ends.extend([t.store, t.load].map(|l| &nest.levels[l].upper));
        }
        _ => ends.extend(adjacent(nest, plan).map(|l| &l.upper)),
    }
    for s in ends {
        match s.as_constant() {
            Some(n) if n % vector == 0 => {}
            Some(_) => return None,
            None => {
                let n = side(b, s)?;
                let by = constant(b, vector);
                let left = rem(b, n, by);
                let zero = constant(b, 0);
                all.push(CmpIOp::build(b, CmpIPredicate::Eq, left, zero));
            }
        }
    }
    let mut asked: Vec<Value> = Vec::new();
    for a in &nest.accesses {
        if asked.contains(&a.memref) || a.memref.ty(b.ctx).rank(b.ctx) == Some(0) {
            continue;
        }
        asked.push(a.memref);
        let bytes = element_bytes(b.ctx, a);
        all.push(rows_aligned(b, a.memref, vector, bytes, false));
    }
    let i1 = b.ctx.i1();
    let all = all.into_iter();
    all.reduce(|x, y| b.value::<arith::AndIOp>(&[x, y], i1, &[]))
}

fn by_length(
    b: &mut Builder,
    nest: &Nest,
    plan: &Plan,
    versions: &[Version],
    left: &mut Vec<ParallelOp>,
) -> Option<()> {
    if let Plan::Fold(_) = plan {
        let tiled = versions.iter().filter_map(|(most, how)| match how {
            How::Tiles(t) => Some((*most, t)),
            How::Distributed(_) => None,
        });
        return shared(b, nest, plan, &tiled.collect::<Vec<_>>());
    }
    let versions: Vec<(Option<i64>, &How)> = versions.iter().map(|(n, how)| (*n, how)).collect();
    choose(b, nest, plan, &versions, &mut |b, most, how| {
        version(b, nest, plan, (most, how), left)
    })
}

/// What `make` writes for the first of the versions that is right for the length of rows.
fn choose<T: Copy>(
    b: &mut Builder,
    nest: &Nest,
    plan: &Plan,
    versions: &[(Option<i64>, T)],
    make: &mut dyn FnMut(&mut Builder, Option<i64>, T) -> Option<()>,
) -> Option<()> {
    let ((most, how), rest) = versions.split_first()?;
    if rest.is_empty() {
        return make(b, *most, *how);
    }
    let Some(fits) = fits(b, nest, plan, *most)? else {
        return make(b, *most, *how);
    };
    let (_, then, otherwise) = scf::IfOp::build(b, fits, &[], true);
    b.with_point(InsertPoint::End(then), |b| {
        make(b, *most, *how)?;
        scf::YieldOp::build(b, &[]);
        Some(())
    })?;
    b.with_point(InsertPoint::End(otherwise?), |b| {
        choose(b, nest, plan, rest, make)?;
        scf::YieldOp::build(b, &[]);
        Some(())
    })
}

/// Whether rows are no longer than that; `None` within where there is no such limit.
fn fits(b: &mut Builder, nest: &Nest, plan: &Plan, most: Option<i64>) -> Option<Option<Value>> {
    let (Some(level), Some(most)) = (adjacent(nest, plan), most) else {
        return Some(None);
    };
    let end = side(b, &level.upper)?;
    let first = match plan {
        Plan::Rows(r) => r.first,
        _ => 0,
    };
    let limit = constant(b, most + first);
    Some(Some(CmpIOp::build(b, CmpIPredicate::Sle, end, limit)))
}

fn version(
    b: &mut Builder,
    nest: &Nest,
    plan: &Plan,
    (most, how): (Option<i64>, &How),
    left: &mut Vec<ParallelOp>,
) -> Option<()> {
    match how {
        How::Tiles(t) => shared(b, nest, plan, &[(most, t)]),
        How::Distributed(t) => match nest.iterations() {
            Some(n) if n >= ROWS_IN_CACHE => shared(b, nest, plan, &[(most, t)]),
            Some(_) => apart(b, nest, plan, t, left),
            None => {
                let rows = side_by_side(b, nest)?;
                let many = constant(b, ROWS_IN_CACHE);
                let is_many = CmpIOp::build(b, CmpIPredicate::Sge, rows, many);
                try_either(
                    b,
                    is_many,
                    |b| shared(b, nest, plan, &[(most, t)]),
                    |b| apart(b, nest, plan, t, left),
                )
            }
        },
    }
}

/// The nest as several, or on tiles where it cannot be taken apart.
fn apart(
    b: &mut Builder,
    nest: &Nest,
    plan: &Plan,
    tiling: &Tiling,
    left: &mut Vec<ParallelOp>,
) -> Option<()> {
    match distributed(b, nest) {
        Some(nests) => left.extend(nests),
        None => shared(b, nest, plan, &[(None, tiling)])?,
    }
    Some(())
}

/// The nest as several, each with one of the loops inside; `None`, and nothing made, where it cannot
/// be taken apart.
fn distributed(b: &mut Builder, nest: &Nest) -> Option<Vec<ParallelOp>> {
    let copy = clone_op(b.ctx, nest.root.op(), &mut IrMapping::new());
    b.insert(copy);
    let band = band_of(b.ctx, copy.cast::<ParallelOp>(b.ctx)?);
    let parts = all_parts(b.ctx, &band);
    let made = distribute_nest(b.ctx, &band, &parts);
    if made.is_none() {
        copy.erase(b.ctx);
    }
    made
}

/// Blocks that each do all of their iterations, or, where these blocks are few, blocks that do
/// parts of them, with one of these tilings, by the length of rows.
fn shared(
    b: &mut Builder,
    nest: &Nest,
    plan: &Plan,
    tilings: &[(Option<i64>, &Tiling)],
) -> Option<()> {
    let whole = |b: &mut Builder| {
        choose(b, nest, plan, tilings, &mut |b, _, t| {
            blocks(b, nest, plan, t)
        })
    };
    let mut divided = tilings.to_vec();
    divided.retain(|(most, t)| can_be_shared(b.ctx, nest, t) && !split::is_one(nest, t, *most));
    if divided.is_empty() {
        return whole(b);
    }
    let parts = parts(b, nest, plan, tilings, &divided)?;
    match b.ctx.constant_int(parts) {
        Some(n) if n <= 1 => return whole(b),
        _ => {}
    }
    let one = constant(b, 1);
    let several = CmpIOp::build(b, CmpIPredicate::Sgt, parts, one);
    try_either(
        b,
        several,
        |b| {
            let all = Parts::alloc(b, nest, parts)?;
            choose(b, nest, plan, &divided, &mut |b, _, tiling| {
                let part = |b: &mut Builder, ivs: &[Value], write: split::Write| {
                    body(b, nest, plan, tiling, |b, tiling| write(b, tiling, ivs))
                };
                all.write(b, nest, tiling, part)
            })?;
            all.combine(b, nest)
        },
        whole,
    )
}

/// Whether several blocks could do parts of the iterations of one.
fn can_be_shared(ctx: &Context, nest: &Nest, tiling: &Tiling) -> bool {
    match &nest.inner[..] {
        // What is stored in front of the loop the second nest stores, and parts may not read it.
        [l] => {
            let alike = !nest.is_ragged(ctx, l);
            alike && tiling.row.is_none() && !l.carried.is_empty() && !nest.stores_before(ctx, l)
        }
        _ => false,
    }
}

/// The number of parts with the tiling that is right for the length of rows.
fn parts(
    b: &mut Builder,
    nest: &Nest,
    plan: &Plan,
    tilings: &[(Option<i64>, &Tiling)],
    divided: &[(Option<i64>, &Tiling)],
) -> Option<Value> {
    let mut parts = None;
    for (i, (most, tiling)) in tilings.iter().enumerate().rev() {
        let own = match divided.iter().any(|(n, _)| n == most) {
            true => {
                let counts = grid(b, nest, tiling)?;
                split::parts(b, nest, tiling, &counts, MIN_BLOCKS)?
            }
            false => constant(b, 1),
        };
        parts = Some(match (parts, fits(b, nest, plan, *most)?) {
            (Some(behind), Some(fits)) if i + 1 < tilings.len() => {
                arith::SelectOp::build(b, fits, own, behind)
            }
            _ => own,
        });
    }
    parts
}

/// The number of blocks along each level.
fn grid(b: &mut Builder, nest: &Nest, tiling: &Tiling) -> Option<Vec<Value>> {
    let mut all = Vec::new();
    for (l, size) in nest.levels.iter().zip(&tiling.sizes) {
        let n = length(b, l)?;
        let size = constant(b, *size);
        all.push(ceiling(b, n, size));
    }
    Some(all)
}

/// The parallel loop over blocks.
pub(super) fn blocks(b: &mut Builder, nest: &Nest, plan: &Plan, tiling: &Tiling) -> Option<()> {
    parallel(b, nest, tiling, None, |b, ivs| {
        body(b, nest, plan, tiling, |b, tiling| {
            Translate::new(b, nest, tiling, ivs)?.all(b)
        })
    })
}

/// A parallel loop over the blocks of a nest, and over `parts` of each, the last counter.
pub(super) fn parallel(
    b: &mut Builder,
    nest: &Nest,
    tiling: &Tiling,
    parts: Option<Value>,
    write: impl FnOnce(&mut Builder, &[Value]) -> Option<()>,
) -> Option<()> {
    let (mut lower, mut upper, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for (l, size) in nest.levels.iter().zip(&tiling.sizes) {
        lower.push(side(b, &l.lower)?);
        upper.push(side(b, &l.upper)?);
        steps.push(constant(b, *size));
    }
    if let Some(n) = parts {
        lower.push(constant(b, 0));
        upper.push(n);
        steps.push(constant(b, 1));
    }
    let (p, entry) = scf::ParallelOp::build(b, &lower, &upper, &steps, &[]);
    let ivs = p.induction_vars(b.ctx);
    b.with_point(InsertPoint::End(entry), |b| {
        write(b, &ivs)?;
        scf::ReduceOp::build(b, &[]);
        Some(())
    })?;
    let root = nest.root.op();
    let mapper = b.ctx.string_attr(TILE);
    p.op().set_attr(b.ctx, GPU_MAPPER, mapper);
    let block = b.ctx.i64_array(&[tiling.threads, 1, 1]);
    p.op().set_attr(b.ctx, GPU_BLOCK, block);
    if let Some(clauses) = root.attr(b.ctx, ACC_LOOP) {
        p.op().set_attr(b.ctx, ACC_LOOP, clauses);
    }
    Some(())
}
