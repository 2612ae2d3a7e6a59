//! How far apart the elements are that neighbouring iterations touch.

use super::band::Band;
use super::extremes::Linear;
use crate::analysis::memory::base;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::scf;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, Value};

/// An access in the body of a band.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub op: Op,
    /// The memory, through all views.
    pub array: Value,
    pub writes: bool,
    pub element_bytes: i64,
    pub subscripts: Vec<Value>,
    /// Elements from one iteration of each level to the next; `None` where that is
    /// not one number.
    pub strides: Vec<Option<i64>>,
    /// How often it is made compared to others: more in loops.
    weight: i64,
}

/// Bytes that the memory of a GPU moves at once.
pub(super) const SECTOR: i64 = 32;

/// Threads of a warp.
const WARP: i64 = 32;

/// The accesses of a band that is still a nest of parallel loops.
pub(super) fn strides(ctx: &Context, band: &Band) -> Vec<Access> {
    let mut out = Vec::new();
    for op in band.root.pre_order(ctx) {
        let v = op.operands(ctx);
        let (memref, subscripts, writes) = match (op.name(ctx), &v[..]) {
            ("memref.load", [m, at @ ..]) => (*m, at, false),
            ("memref.store" | "memref.atomic_rmw", [_, m, at @ ..]) => (*m, at, true),
            ("memref.generic_atomic_rmw", [m, at @ ..]) => (*m, at, true),
            _ => continue,
        };
        let ty = memref.ty(ctx);
        let bits = ty.element(ctx).and_then(|e| e.bit_width(ctx)).unwrap_or(64);
        let mut depth = 0u32;
        let mut p = op.parent(ctx);
        while let Some(o) = p.filter(|o| *o != band.root) {
            depth += u32::from(matches!(o.name(ctx), "scf.for" | "scf.while"));
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
            writes,
            element_bytes: i64::from(bits.div_ceil(8)).max(1),
            subscripts: subscripts.to_vec(),
            strides,
            weight: 1 << (2 * depth.min(4)),
        });
    }
    out
}

/// Elements between the accesses for a counter and for that plus one.
fn stride_along(ctx: &Context, memref: Value, subscripts: &[Value], iv: Value) -> Option<i64> {
    let layout = strides_and_offset(ctx, memref.ty(ctx))?;
    let mut sum: i64 = 0;
    for (s, stride) in subscripts.iter().zip(&layout.strides) {
        let c = coefficient(ctx, *s, iv, 0)?;
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

/// By how much `v` grows with `iv`; `None` where it does not grow evenly.
fn coefficient(ctx: &Context, v: Value, iv: Value, depth: usize) -> Option<i64> {
    if depth > 8 {
        return None;
    }
    let mut sum: i64 = 0;
    for (t, f) in Linear::of(ctx, v)?.terms {
        if t == iv {
            sum = sum.checked_add(f)?;
            continue;
        }
        let c = match (t.def_op(), t.arg_block().and_then(|b| b.parent_op(ctx))) {
            // The counter of a loop in the thread starts where its lower bound is.
            (None, Some(l)) => match l.cast::<scf::ForOp>(ctx) {
                Some(l) if l.induction_var(ctx) == t => {
                    coefficient(ctx, l.lower_bound(ctx), iv, depth + 1)?
                }
                Some(_) => return None,
                None if l.dialect(ctx) == "scf" && l.name(ctx) != "scf.parallel" => return None,
                None => 0,
            },
            (Some(op), _) => {
                let of = |i: usize| coefficient(ctx, op.operand(ctx, i), iv, depth + 1);
                match op.name(ctx) {
                    "arith.index_cast" | "arith.extsi" | "arith.extui" | "arith.trunci" => of(0)?,
                    _ => {
                        let mut all = 0..op.num_operands(ctx);
                        match all.all(|i| of(i) == Some(0)) && op.num_regions(ctx) == 0 {
                            true => 0,
                            false => return None,
                        }
                    }
                }
            }
            (None, None) => return None,
        };
        sum = sum.checked_add(c.checked_mul(f)?)?;
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

/// Sectors that a warp asks for at once, and the least in which its elements fit, with
/// `lanes_x` of its threads in a row along x.
pub(in crate::offload) fn sectors(stride: i64, element_bytes: i64, lanes_x: i64) -> (u32, u32) {
    let lanes = lanes_x.clamp(1, WARP);
    let rows = (WARP / lanes).max(1);
    let mut touched: Vec<i64> = Vec::new();
    for lane in 0..lanes {
        let at = lane
            .saturating_mul(stride.saturating_abs())
            .saturating_mul(element_bytes);
        touched.push(at / SECTOR);
        touched.push(at.saturating_add(element_bytes - 1) / SECTOR);
    }
    touched.sort_unstable();
    touched.dedup();
    let elements = if stride == 0 { 1 } else { lanes };
    let ideal = (elements * element_bytes + SECTOR - 1) / SECTOR;
    (
        u32::try_from(touched.len() as i64 * rows).unwrap_or(u32::MAX),
        u32::try_from(ideal * rows).unwrap_or(u32::MAX),
    )
}

#[cfg(test)]
mod tests {
    use super::sectors;

    #[test]
    fn sectors_of_a_warp() {
        // Neighbours: 32 doubles are 256 bytes.
        assert_eq!(sectors(1, 8, 32), (8, 8));
        assert_eq!(sectors(-1, 4, 256), (4, 4));
        // Everybody the same element.
        assert_eq!(sectors(0, 8, 32), (1, 1));
        // A column: a sector each.
        assert_eq!(sectors(1000, 8, 32), (32, 8));
        assert_eq!(sectors(2, 8, 32), (16, 8));
        // Four rows of eight threads.
        assert_eq!(sectors(1, 4, 8), (4, 4));
    }
}
