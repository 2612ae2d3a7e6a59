//! The versions of a nest: which sizes and alignments have tiles of their own, and how the
//! program chooses between them when it runs.

use super::find::{Nest, Side};
use super::policy::{Plan, Rows, Tiling, element_bytes};
use super::translate::{Translate, side};
use crate::gpu::aligned::rows_aligned;
use crate::loops::build::index::{constant, rem};
use crate::loops::mapper::TILE;
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::attributes::{ACC_LOOP, GPU_BLOCK, GPU_MAPPER};
use terrace_dialects::scf;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// Lengths of rows that have a version where the length is not known.
const LENGTHS: [i64; 2] = [256, 4096];

/// Puts blocks on tiles in the place of the nest; `None`, and nothing changed, where it cannot.
pub(super) fn emit(ctx: &mut Context, nest: &Nest, plan: &Plan) -> Option<()> {
    let root = nest.root.op();
    let versions = versions(nest, plan);
    let b = &mut Builder::before(ctx, root);
    // A holder that goes away whole if a body cannot be written.
    let yes = arith::constant_bool(b, true);
    let (trial, then, _) = scf::IfOp::build(b, yes, &[], false);
    let made = b.with_point(InsertPoint::End(then), |b| {
        let made = by_length(b, nest, plan, &versions);
        scf::YieldOp::build(b, &[]);
        made
    });
    match made {
        Some(()) => erase(b.ctx, root),
        None => erase(b.ctx, trial.op()),
    }
    made
}

/// A version, and the length of rows up to which it is right; any where there is none.
type Version = (Option<i64>, Tiling);

fn versions(nest: &Nest, plan: &Plan) -> Vec<Version> {
    match plan {
        Plan::Turn(t) => {
            let tiling = t.tiling(nest).ok();
            tiling.map(|t| (None, t)).into_iter().collect()
        }
        Plan::Rows(rows) => rows_of(rows, nest.levels.len()),
    }
}

fn rows_of(rows: &Rows, levels: usize) -> Vec<Version> {
    let streamed = rows.streamed(levels).map(|t| (None, t));
    if let Some(n) = rows.level.upper.as_constant() {
        let whole = rows.resident(levels, n - rows.first);
        let whole = whole.map(|t| (None, t));
        return whole.or(streamed).into_iter().collect();
    }
    let resident = LENGTHS.into_iter().filter_map(|n| {
        let tiling = rows.resident(levels, n)?;
        Some((Some(n), tiling))
    });
    resident.chain(streamed).collect()
}

/// The block's code: with wide accesses where the kernel sees that rows are aligned.
fn body(b: &mut Builder, nest: &Nest, plan: &Plan, tiling: &Tiling, ivs: &[Value]) -> Option<()> {
    let plain = tiling.with_vector(1)?;
    let vector = tiling.vector;
    let condition = match vector {
        1 => None,
        _ => is_aligned(b, nest, plan, vector),
    };
    let Some(condition) = condition else {
        return Translate::new(b, nest, &plain, ivs).all(b);
    };
    let (_, then, otherwise) = scf::IfOp::build(b, condition, &[], true);
    for (block, tiling) in [(then, tiling), (otherwise?, &plain)] {
        b.with_point(InsertPoint::End(block), |b| {
            Translate::new(b, nest, tiling, ivs).all(b)?;
            scf::YieldOp::build(b, &[]);
            Some(())
        })?;
    }
    Some(())
}

/// Whether all rows begin at multiples of an access; `None` where they surely do not.
fn is_aligned(b: &mut Builder, nest: &Nest, plan: &Plan, vector: i64) -> Option<Value> {
    let mut all: Vec<Value> = Vec::new();
    let mut ends: Vec<&Side> = Vec::new();
    match plan {
        Plan::Rows(r) => ends.push(&r.level.upper),
        Plan::Turn(t) => {
            ends.extend([t.store, t.load].map(|l| &nest.levels[l].upper));
        }
    }
    for s in ends {
        match s.as_constant() {
            Some(n) if n % vector == 0 => {}
            Some(_) => return None,
            None => {
                let n = side(b, s);
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

fn by_length(b: &mut Builder, nest: &Nest, plan: &Plan, versions: &[Version]) -> Option<()> {
    let ((most, tiling), rest) = versions.split_first()?;
    let (Some(most), Plan::Rows(rows)) = (most.filter(|_| !rest.is_empty()), plan) else {
        return blocks(b, nest, plan, tiling);
    };
    let end = side(b, &rows.level.upper);
    let most = constant(b, most + rows.first);
    let fits = CmpIOp::build(b, CmpIPredicate::Sle, end, most);
    let (_, then, otherwise) = scf::IfOp::build(b, fits, &[], true);
    b.with_point(InsertPoint::End(then), |b| {
        blocks(b, nest, plan, tiling)?;
        scf::YieldOp::build(b, &[]);
        Some(())
    })?;
    b.with_point(InsertPoint::End(otherwise?), |b| {
        by_length(b, nest, plan, rest)?;
        scf::YieldOp::build(b, &[]);
        Some(())
    })
}

/// The parallel loop over blocks.
fn blocks(b: &mut Builder, nest: &Nest, plan: &Plan, tiling: &Tiling) -> Option<()> {
    let bounds = |b: &mut Builder, of: fn(&super::find::Level) -> &Side| {
        let mut operands = Vec::new();
        let exprs: Vec<AffineExpr> = (nest.levels.iter())
            .map(|l| {
                let s = of(l);
                match s.as_constant() {
                    Some(n) => AffineExpr::constant(n),
                    None => {
                        operands.push(side(b, s));
                        AffineExpr::dim(operands.len() as u32 - 1)
                    }
                }
            })
            .collect();
        let n = operands.len() as u32;
        let maps: Vec<AffineMap> = (exprs.into_iter())
            .map(|e| AffineMap::new(n, 0, vec![e]))
            .collect();
        (maps, operands)
    };
    let lower = bounds(b, |l| &l.lower);
    let upper = bounds(b, |l| &l.upper);
    let mut done = None;
    let p = ParallelOp::build(
        b,
        (&lower.0, &lower.1),
        (&upper.0, &upper.1),
        &tiling.sizes,
        &[],
        &[],
        |b, ivs| {
            done = body(b, nest, plan, tiling, ivs);
            Vec::new()
        },
    );
    done?;
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

/// Takes an op away with all in it.
fn erase(ctx: &mut Context, op: Op) {
    op.drop_all_references(ctx);
    op.erase(ctx);
}
