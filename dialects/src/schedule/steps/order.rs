//! Steps that run the same iterations in another order, or count them otherwise.

use super::{at_least, changes, list, list_of, loops, target};
use crate::schedule::types::LOOP;
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{DENSE_I64, I64_ATTR, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, OpKind, Type, Value, op};

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

op! {
    /// Puts the loops of the band that begins with this one into another order: place
    /// `k` of the list says which of them, counted from the outside in from 0, comes
    /// to stand at place `k`. Gives the loops from the outside in.
    PermuteOp = "schedule.permute" {
        operands: [target: LOOP],
        results: [loops: LOOP.variadic()],
        attrs: [order: DENSE_I64, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `order` $order attr-dict",
        infer: |c, s| Ok(loops(c, list(c, s, "order").len())),
        verify: verify_permute,
        effects: changes,
    }

    /// Adds a multiple of the variable of one loop to that of a loop in it. Gives both
    /// loops.
    SkewOp = "schedule.skew" {
        operands: [outer: LOOP, inner: LOOP],
        results: [outside: LOOP, skewed: LOOP],
        attrs: [factor: I64_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$outer `,` $inner `by` $factor attr-dict",
        effects: changes,
    }

    /// Runs the iterations of the loop from the last to the first. Gives that loop.
    ReverseOp = "schedule.reverse" {
        operands: [target: LOOP],
        results: [reversed: LOOP],
        attrs: [force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target attr-dict",
        effects: changes,
    }

    /// Adds a constant to the variable of the loop: the same iterations, counted from
    /// elsewhere. Gives that loop.
    ShiftOp = "schedule.shift" {
        operands: [target: LOOP],
        results: [shifted: LOOP],
        attrs: [amount: I64_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `by` $amount attr-dict",
        effects: changes,
    }

    /// Makes one loop of so many perfectly nested ones. Gives that loop.
    CoalesceOp = "schedule.coalesce" {
        operands: [target: LOOP],
        results: [coalesced: LOOP],
        attrs: [depth: I64_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `depth` $depth attr-dict",
        verify: |c, o| at_least(c, o, "depth", "depth", 2),
        effects: changes,
    }
}

target!(TileOp StripMineOp NormalizeOp PermuteOp ReverseOp ShiftOp CoalesceOp);

impl PermuteOp {
    /// Which loop stands at each place.
    pub fn order(self, ctx: &Context) -> Vec<i64> {
        list_of(ctx, self.op(), "order")
    }
}

impl SkewOp {
    /// What the outer variable is multiplied by.
    pub fn factor(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "factor").unwrap_or(0)
    }
}

impl ShiftOp {
    /// What is added to the variable.
    pub fn amount(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "amount").unwrap_or(0)
    }
}

impl CoalesceOp {
    /// How many loops become one.
    pub fn depth(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "depth").unwrap_or(0)
    }
}

fn verify_permute(ctx: &Context, op: Op) -> Verified {
    let order = PermuteOp::wrap(op).order(ctx);
    if order.is_empty() {
        return Err("needs at least one place".into());
    }
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !(0..).zip(&sorted).all(|(i, n): (i64, _)| i == *n) {
        return Err(format!(
            "has the order {order:?}, but it must name each of 0 to {} once",
            order.len() - 1
        )
        .into());
    }
    let have = op.num_results(ctx);
    if have != order.len() {
        return Err(format!("gives {have} loops, but orders {}", order.len()).into());
    }
    Ok(())
}

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
