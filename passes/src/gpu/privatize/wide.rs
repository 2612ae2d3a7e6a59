//! Loads of several neighbouring elements at once, where each has less than 32 bits.
//!
//! A warp that loads a byte a lane has 32 bytes under way for each instruction, and an eighth of what
//! the memory needs to be busy for the block's threads.

use super::find::Nest;
use super::host::loaded_bytes;
use super::kernel::{Kernel, is_straight};
use super::policy::{MAX_GROUPED, is_tried};
use crate::gpu::aligned::{promise, rows_aligned};
use crate::gpu::map_parallel::Band;
use crate::loops::build::index::and;
use terrace_dialects::arith;
use terrace_dialects::memref::LoadOp;
use terrace_dialects::vector;
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, Context, Op, Value};

/// Bytes of an access.
const WIDEST: i64 = 16;

/// Neighbouring iterations of level `x` that a thread does side by side, for what they load to be one
/// access; `None` where nothing is narrow, or an iteration is more than a few ops of straight code.
pub(super) fn group(ctx: &Context, nest: &Nest, band: &Band, x: usize) -> Option<i64> {
    let bytes = loaded_bytes(ctx, band.body).filter(|n| *n < 4)?;
    let mut body = band.body.ops(ctx);
    body.retain(|o| Some(*o) != band.reduce);
    let few = body.len() <= MAX_GROUPED && is_straight(ctx, band, &body);
    // Lanes whose updates are tried again and again take turns together.
    let at_once = nest.targets.iter().all(|t| !is_tried(ctx, t.kind, t.elem));
    let adjacent = body.iter().any(|o| is_along(ctx, band, x, *o));
    (few && at_once && adjacent).then(|| WIDEST / bytes)
}

/// Whether an op loads neighbouring elements in neighbouring iterations, beginning at a multiple of
/// any access.
fn is_along(ctx: &Context, band: &Band, x: usize, op: Op) -> bool {
    let (Some(level), true) = (band.levels.get(x), op.isa::<LoadOp>(ctx)) else {
        return false;
    };
    let from_zero = ctx.constant_int(level.lower) == Some(0);
    let by_one = ctx.constant_int(level.step) == Some(1);
    let operands = op.operands(ctx);
    let Some((last, others)) = operands.split_last() else {
        return false;
    };
    // What is computed in the body may move with the counter.
    let fixed =
        |v: &Value| *v != level.iv && v.def_op().is_none_or(|o| !band.body.ops(ctx).contains(&o));
    from_zero && by_one && *last == level.iv && others.iter().all(fixed)
}

impl Kernel<'_> {
    /// Whether an op's loads of a group are one access where rows are aligned.
    pub fn is_wide(&self, ctx: &Context, op: Op) -> bool {
        let (band, all) = (self.launched.band, self.launched.iterations);
        let ty = op.isa::<LoadOp>(ctx).then(|| op.result(ctx, 0).ty(ctx));
        let bytes = ty.and_then(|t| t.bit_width(ctx)).map(|n| i64::from(n) / 8);
        bytes.is_some_and(|n| n > 0 && n * all.group <= WIDEST) && is_along(ctx, band, all.x, op)
    }

    /// Whether all that is loaded so has rows that begin at multiples of the access.
    pub fn is_aligned(&self, b: &mut Builder) -> Value {
        let group = self.launched.iterations.group;
        let mut all: Vec<Value> = Vec::new();
        let mut asked: Vec<Value> = Vec::new();
        for op in &self.body {
            let Some(load) = op
                .cast::<LoadOp>(b.ctx)
                .filter(|_| self.is_wide(b.ctx, *op))
            else {
                continue;
            };
            let array = load.memref(b.ctx);
            let bits = op.result(b.ctx, 0).ty(b.ctx).bit_width(b.ctx);
            if let Some(bits) = bits.filter(|_| !asked.contains(&array)) {
                asked.push(array);
                all.push(rows_aligned(b, array, group, i64::from(bits / 8), false));
            }
        }
        let yes = arith::constant_bool(b, true);
        all.into_iter().fold(yes, |x, y| and(b, x, y))
    }

    /// Loads what all iterations of a group load.
    pub fn load_at_once(&self, b: &mut Builder, op: Op, maps: &mut [IrMapping]) {
        let (operands, result) = (op.operands(b.ctx), op.result(b.ctx, 0));
        let Some(first) = maps.first() else { return };
        let now: Vec<Value> = operands.iter().map(|v| first.value(*v)).collect();
        let elem = result.ty(b.ctx);
        let ty = b.ctx.vector(&[maps.len() as i64], elem);
        let all = vector::LoadOp::build(b, ty, now[0], &now[1..]);
        let bytes = elem.bit_width(b.ctx).map_or(1, |n| i64::from(n) / 8);
        if let Some(load) = all.def_op() {
            promise(b, load, bytes * maps.len() as i64);
        }
        for (i, map) in maps.iter_mut().enumerate() {
            let own = vector::ExtractOp::build(b, all, &[i as i64]);
            map.map(result, own);
        }
    }
}
