//! How far apart the elements are that neighbouring iterations touch.

use super::band::Band;
use crate::analysis::linear::coefficient;
use crate::analysis::memory::base;
use crate::gpu::sectors::WARP;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::memref::{AtomicRmwOp, GenericAtomicRmwOp, LoadOp, StoreOp};
use terrace_dialects::scf;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, Value};

/// An access in the body of a band.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub op: Op,
    /// The memory, through all views.
    pub array: Value,
    /// The view of it that is accessed.
    pub memref: Value,
    pub writes: bool,
    pub element_bytes: i64,
    pub subscripts: Vec<Value>,
    /// Elements from one iteration of each level to the next; `None` where that is
    /// not one number.
    pub strides: Vec<Option<i64>>,
    /// Neighbouring elements that a thread touches one after another in straight code, which
    /// becomes one access.
    pub joined: i64,
    /// How often it is made compared to others: more in loops.
    weight: i64,
}

/// The accesses of a band that is still a nest of parallel loops.
pub(super) fn strides(ctx: &Context, band: &Band) -> Vec<Access> {
    let mut out = Vec::new();
    for op in band.root.pre_order(ctx) {
        let v = op.operands(ctx);
        let (memref, subscripts, writes) = match (op.name(ctx), &v[..]) {
            (LoadOp::NAME, [m, at @ ..]) => (*m, at, false),
            (StoreOp::NAME | AtomicRmwOp::NAME, [_, m, at @ ..]) => (*m, at, true),
            (GenericAtomicRmwOp::NAME, [m, at @ ..]) => {
                let update = op.cast::<GenericAtomicRmwOp>(ctx);
                (*m, at, !update.is_some_and(|o| o.only_reads(ctx)))
            }
            _ => continue,
        };
        let ty = memref.ty(ctx);
        let bits = ty.element(ctx).and_then(|e| e.bit_width(ctx)).unwrap_or(64);
        let element_bytes = i64::from(bits.div_ceil(8)).max(1);
        let (mut depth, mut joined) = (0u32, 1);
        let mut p = op.parent(ctx);
        while let Some(o) = p.filter(|o| *o != band.root) {
            if depth == 0
                && let Some(l) = o.cast::<scf::ForOp>(ctx)
                && stride_along(ctx, memref, subscripts, l.induction_var(ctx)) == Some(1)
            {
                joined = few_iterations(ctx, l, MAX_JOINED / element_bytes).unwrap_or(1);
            }
            depth += u32::from(matches!(o.name(ctx), scf::ForOp::NAME | scf::WhileOp::NAME));
            p = o.parent(ctx);
        }
        let strides = band
            .levels
            .iter()
            .map(|l| {
                let step = ctx.constant_int(l.step)?;
                stride_along(ctx, memref, subscripts, l.iv)?.checked_mul(step)
            })
            .collect();
        out.push(Access {
            op,
            array: base(ctx, memref),
            memref,
            writes,
            element_bytes,
            joined,
            subscripts: subscripts.to_vec(),
            strides,
            weight: 1 << (2 * depth.min(4)),
        });
    }
    out
}

/// The widest access, in bytes.
const MAX_JOINED: i64 = 16;

/// How often a loop goes round that becomes straight code: a known number of times, at most
/// `most`, by ones.
fn few_iterations(ctx: &Context, l: scf::ForOp, most: i64) -> Option<i64> {
    let bounds = [l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx)];
    let [lower, upper, step] = bounds.map(|v| ctx.constant_int(v));
    let trips = upper?.checked_sub(lower?)?;
    (step == Some(1) && (1..=most).contains(&trips)).then_some(trips)
}

/// Elements between the accesses for a counter and for that plus one.
fn stride_along(ctx: &Context, memref: Value, subscripts: &[Value], iv: Value) -> Option<i64> {
    let layout = strides_and_offset(ctx, memref.ty(ctx))?;
    let mut sum: i64 = 0;
    for (s, stride) in subscripts.iter().zip(&layout.strides) {
        let c = coefficient(ctx, *s, iv)?;
        if c == 0 {
            continue;
        }
        if *stride == DYNAMIC {
            return None;
        }
        sum = sum.checked_add(c.checked_mul(*stride)?)?;
    }
    Some(sum)
}

/// The level that is best run along x: along which most accesses are to the next
/// element or to the same one; of equal ones the innermost. Loops with few iterations
/// fill no warp.
pub(super) fn best_x(accesses: &[Access], trips: &[Option<i64>]) -> usize {
    let last = trips.len().saturating_sub(1);
    let score = |level: usize| -> i64 {
        accesses
            .iter()
            .map(|a| {
                a.weight
                    * match a.strides.get(level).copied().flatten() {
                        Some(1 | -1) => 4,
                        Some(0) => 2,
                        Some(_) | None => 0,
                    }
            })
            .fold(0i64, i64::saturating_add)
    };
    let mut best = last;
    for level in (0..last).rev() {
        let long = trips[level].is_none_or(|n| n >= WARP / 2);
        let short = trips[best].is_some_and(|n| n < 4);
        let (new, old) = (score(level), score(best));
        if long && (new > old || (short && new >= old)) {
            best = level;
        }
    }
    best
}
