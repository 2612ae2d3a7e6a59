//! The steps: what is done to a loop.

use super::types::{LOOP, loop_type};
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{AttrConstraint, DENSE_I64, I64_ATTR, UNIT_ATTR};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value, op};

const FACTOR: AttrConstraint = I64_ATTR.optional();

/// A step changes the program, whether its handles are used or not.
fn changes(_: &Context, _: Op) -> Vec<Effect> {
    vec![Effect {
        kind: EffectKind::Write,
        on: None,
    }]
}

op! {
    /// Cuts the band of perfectly nested loops that begins with this one into tiles,
    /// one size for each loop of the band. Gives the loops over the tiles, then the
    /// loops within a tile, both from the outside in.
    TileOp = "schedule.tile" {
        operands: [target: LOOP],
        results: [loops: LOOP.variadic()],
        attrs: [sizes: DENSE_I64],
        parents: ["schedule.sequence"],
        format: "$target `sizes` $sizes attr-dict",
        infer: infer_tile,
        verify: verify_tile,
        effects: changes,
    }

    /// Repeats the loop's body: `by` a number of times, where the loop that is left
    /// is given, or in `full`, where none is left.
    UnrollOp = "schedule.unroll" {
        operands: [target: LOOP],
        results: [unrolled: LOOP.optional()],
        attrs: [factor: FACTOR, full: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target (`by` $factor^)? (`full` $full^)? attr-dict",
        infer: infer_unroll,
        verify: verify_unroll,
        effects: changes,
    }

    /// Makes the loop count from 0 by 1. Gives that loop.
    NormalizeOp = "schedule.normalize" {
        operands: [target: LOOP],
        results: [normalized: LOOP],
        parents: ["schedule.sequence"],
        format: "$target attr-dict",
        effects: changes,
    }

    /// Lets the iterations of the loop run at once. Gives the parallel loop.
    ParallelOp = "schedule.parallel" {
        operands: [target: LOOP],
        results: [parallel: LOOP],
        parents: ["schedule.sequence"],
        format: "$target attr-dict",
        effects: changes,
    }
}

impl TileOp {
    /// The size of the tile along each loop of the band.
    pub fn sizes(self, ctx: &Context) -> Vec<i64> {
        self.op()
            .attr(ctx, "sizes")
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default()
    }

    /// The outermost loop of the band.
    pub fn target(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// The loops over tiles, and the loops within a tile.
    pub fn loops(self, ctx: &Context) -> (Vec<Value>, Vec<Value>) {
        let mut tiles = self.op().results(ctx);
        let points = tiles.split_off(tiles.len() / 2);
        (tiles, points)
    }

    pub fn build(b: &mut Builder, target: Value, sizes: &[i64]) -> TileOp {
        let handles = vec![loop_type(b.ctx); 2 * sizes.len()];
        let sizes = b.ctx.i64_array(sizes);
        TileOp::wrap(b.op::<TileOp>(&[target], &handles, &[("sizes", sizes)]))
    }
}

impl UnrollOp {
    /// How many copies of the body; `None` for all iterations.
    pub fn factor(self, ctx: &Context) -> Option<i64> {
        self.op().int_attr(ctx, "factor")
    }

    pub fn target(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }
}

impl NormalizeOp {
    pub fn target(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }
}

impl ParallelOp {
    pub fn target(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }
}

fn infer_tile(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    let sizes = s
        .get_attr(ctx, "sizes")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    Ok(vec![loop_type(ctx); 2 * sizes.len()])
}

fn verify_tile(ctx: &Context, op: Op) -> Verified {
    let sizes = TileOp::wrap(op).sizes(ctx);
    if sizes.is_empty() {
        return Err("needs at least one size".into());
    }
    if let Some(s) = sizes.iter().find(|s| **s < 1) {
        return Err(format!("has a tile size {s}, but sizes must be 1 or more").into());
    }
    let (have, want) = (op.num_results(ctx), 2 * sizes.len());
    if have != want {
        return Err(format!("gives {have} loops, but {} sizes make {want}: a loop over the tiles and one within for each", sizes.len()).into());
    }
    Ok(())
}

fn infer_unroll(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    let left = usize::from(s.get_attr(ctx, "full").is_none());
    Ok(vec![loop_type(ctx); left])
}

fn verify_unroll(ctx: &Context, op: Op) -> Verified {
    let full = op.attr(ctx, "full").is_some();
    let Some(factor) = UnrollOp::wrap(op).factor(ctx) else {
        if !full {
            return Err("needs 'by' a factor, or 'full'".into());
        }
        if op.num_results(ctx) != 0 {
            return Err("gives a loop, but unrolled in full none is left".into());
        }
        return Ok(());
    };
    if full {
        return Err("cannot unroll both by a factor and in full".into());
    }
    if factor < 1 {
        return Err(format!("has the factor {factor}, but it must be 1 or more").into());
    }
    if op.num_results(ctx) != 1 {
        return Err("must give the loop that is left".into());
    }
    Ok(())
}
