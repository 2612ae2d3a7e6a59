//! Steps that run the same iterations in another order, or count them otherwise.

use super::{at_least, changes, list, list_of, loops, target};
use crate::schedule::types::{LOOP, loop_type};
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{DENSE_I64, I64_ATTR, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value, op};

op! {
    /// Cuts the band of perfectly nested loops that begins with this one into tiles,
    /// one size for each loop of the band. Gives the loops over the tiles, then the
    /// loops within a tile, both from the outside in. With `separate`, tiles that are
    /// cut off at the edge get loops of their own, which have no handles, and the
    /// loops given are those of whole tiles.
    TileOp = "schedule.tile" {
        operands: [target: LOOP],
        results: [loops: LOOP.variadic()],
        attrs: [sizes: DENSE_I64, separate: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `sizes` $sizes (`separate` $separate^)? attr-dict",
        infer: infer_tile,
        verify: verify_tile,
        effects: changes,
    }

    /// Cuts one loop into pieces of so many iterations. Gives the loop over the pieces
    /// and the one within a piece.
    StripMineOp = "schedule.strip_mine" {
        operands: [target: LOOP],
        results: [pieces: LOOP, within: LOOP],
        attrs: [size: I64_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `by` $size attr-dict",
        verify: |c, o| at_least(c, o, "size", "size", 1),
        effects: changes,
    }

    /// Makes the loop count from 0 by 1. Gives that loop.
    NormalizeOp = "schedule.normalize" {
        operands: [target: LOOP],
        results: [normalized: LOOP],
        attrs: [force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target attr-dict",
        effects: changes,
    }
}

target!(TileOp StripMineOp NormalizeOp);

impl TileOp {
    /// The size of the tile along each loop of the band.
    pub fn sizes(self, ctx: &Context) -> Vec<i64> {
        list_of(ctx, self.op(), "sizes")
    }

    /// Whether whole tiles get loops of their own.
    pub fn separate(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "separate").is_some()
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

impl StripMineOp {
    /// Iterations in a piece.
    pub fn size(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "size").unwrap_or(0)
    }
}

fn infer_tile(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    Ok(loops(ctx, 2 * list(ctx, s, "sizes").len()))
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
