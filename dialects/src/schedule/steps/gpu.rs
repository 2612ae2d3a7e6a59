//! Steps that say which kernel a nest becomes, and how its iterations go to threads.
//!
//! They use the handle of the nest's outermost loop up. Those that map it give none: what comes
//! after is no matter of loops.

use super::{changes, list_of, target};
use crate::schedule::types::{LOOP, loop_type};
use terrace_ir::constraint::{DENSE_I64, I64_ATTR, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Builder, Context, Op, OpKind, Value, op};

op! {
    /// Maps the nest of parallel loops that begins with this one to threads. Place `k` of
    /// `order` says which of them, counted from the outside in from 0, comes to stand at
    /// place `k`: the last runs along x, the one before it along y, the third along z.
    /// `block` is the number of threads of a block along x, y and z. `tile` is how many
    /// iterations of each loop, as they were counted before, a thread does: next to each
    /// other, with `cyclic` as far apart as there are threads, with `inside` next to each
    /// other within the sequential loops of the nest, so that they share what those read.
    /// With `fit` the block is that of long loops, and the host shares its threads out in another
    /// way where the extents that it finds are short.
    MapToGpuOp = "schedule.map_to_gpu" {
        operands: [target: LOOP],
        attrs: [
            order: DENSE_I64.optional(),
            tile: DENSE_I64.optional(),
            cyclic: UNIT_ATTR,
            inside: UNIT_ATTR,
            block: DENSE_I64,
            fit: UNIT_ATTR,
            force: UNIT_ATTR,
        ],
        parents: ["schedule.sequence"],
        format: "$target (`order` $order^)? (`tile` $tile^)? (`cyclic` $cyclic^)? (`inside` $inside^)? `block` $block (`fit` $fit^)? attr-dict",
        verify: verify_map,
        effects: changes,
    }

    /// Makes one nest of two nests of parallel loops, of which no iteration needs what an
    /// iteration of other counters of the other does. Iterations that only one of them has
    /// stay in nests without handles in front and behind. Values go from store to load in the
    /// nest, and an array that only it used goes. Gives the nest of the common iterations.
    FuseNestsOp = "schedule.fuse_nests" {
        operands: [first: LOOP, second: LOOP],
        results: [fused: LOOP],
        parents: ["schedule.sequence"],
        format: "$first `,` $second attr-dict",
        effects: changes,
    }

    /// Makes the kernel for matrix products of the nest: blocks of `block` rows and
    /// columns, `depth` of the sum in workgroup memory at a time, in `stages` buffers.
    /// What is not said the mapper chooses.
    MapContractionOp = "schedule.map_contraction" {
        operands: [target: LOOP],
        attrs: [block: DENSE_I64.optional(), depth: I64_ATTR.optional(), stages: I64_ATTR.optional()],
        parents: ["schedule.sequence"],
        format: "$target (`block` $block^)? (`depth` $depth^)? (`stages` $stages^)? attr-dict",
        verify: verify_contraction,
        effects: changes,
    }

    /// Makes the kernel of the parallel loop that copies rows and columns of matrices ahead
    /// of the iterations that use them.
    MapReductionOp = "schedule.map_reduction" {
        operands: [target: LOOP],
        parents: ["schedule.sequence"],
        format: "$target attr-dict",
        effects: changes,
    }

    /// Gives each thread `rows` neighbouring iterations of the loop next to the innermost,
    /// jammed, in blocks of that shape, with `fit` as in `schedule.map_to_gpu`. What is not said
    /// the mapper chooses.
    MapStencilOp = "schedule.map_stencil" {
        operands: [target: LOOP],
        attrs: [rows: I64_ATTR.optional(), block: DENSE_I64.optional(), fit: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target (`rows` $rows^)? (`block` $block^)? (`fit` $fit^)? attr-dict",
        verify: verify_stencil,
        effects: changes,
    }
}

target!(MapToGpuOp MapContractionOp MapReductionOp MapStencilOp);

/// Threads that a block may have.
const MAX_THREADS: i64 = 1024;
/// Threads that a block may have along z.
const MAX_ALONG_Z: i64 = 64;

impl FuseNestsOp {
    /// Make one nest of those that begin with `first` and `second`.
    pub fn build(b: &mut Builder, first: Value, second: Value) {
        let ty = loop_type(b.ctx);
        b.op::<FuseNestsOp>(&[first, second], &[ty], &[]);
    }
}

impl MapToGpuOp {
    /// Which loop stands at each place; empty where they stay as they are.
    pub fn order(self, ctx: &Context) -> Vec<i64> {
        list_of(ctx, self.op(), "order")
    }

    /// Iterations of each loop that a thread does; empty for one of each.
    pub fn tile(self, ctx: &Context) -> Vec<i64> {
        list_of(ctx, self.op(), "tile")
    }

    /// Threads of a block along x, y and z.
    pub fn block(self, ctx: &Context) -> [i64; 3] {
        threads(&list_of(ctx, self.op(), "block"))
    }

    /// Whether the iterations of a thread are as far apart as there are threads.
    pub fn is_cyclic(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "cyclic").is_some()
    }

    /// Whether the iterations of a thread run within the sequential loops of the nest.
    pub fn is_inside(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "inside").is_some()
    }

    /// Whether the block is fitted to the extents when the program runs.
    pub fn is_fitted(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "fit").is_some()
    }

    /// The step; an `order` or `tile` that is empty is not written, `kind` is `cyclic` or
    /// `inside` where it is one of these.
    pub fn build(
        b: &mut Builder,
        target: Value,
        order: &[i64],
        tile: (&[i64], Option<&str>),
        (block, fit): (&[i64], bool),
    ) -> MapToGpuOp {
        let mut attrs = vec![("block", b.ctx.i64_array(block))];
        if fit {
            attrs.push(("fit", b.ctx.unit()));
        }
        if !order.is_empty() {
            attrs.push(("order", b.ctx.i64_array(order)));
        }
        if !tile.0.is_empty() {
            attrs.push(("tile", b.ctx.i64_array(tile.0)));
            attrs.extend(tile.1.map(|kind| (kind, b.ctx.unit())));
        }
        MapToGpuOp::wrap(b.op::<MapToGpuOp>(&[target], &[], &attrs))
    }
}

impl MapContractionOp {
    /// Rows and columns of a block, where they are said.
    pub fn block(self, ctx: &Context) -> Option<[i64; 2]> {
        list_of(ctx, self.op(), "block").try_into().ok()
    }

    /// Terms of the sum in workgroup memory at a time; `None` lets the mapper choose.
    pub fn depth(self, ctx: &Context) -> Option<i64> {
        self.op().int_attr(ctx, "depth")
    }

    /// Buffers in workgroup memory; `None` lets the mapper choose.
    pub fn stages(self, ctx: &Context) -> Option<i64> {
        self.op().int_attr(ctx, "stages")
    }

    /// Make `target` the kernel of a product with blocks of `block` rows and columns.
    pub fn build(b: &mut Builder, target: Value, block: [i64; 2], depth: i64, stages: i64) {
        let attrs = [
            ("block", b.ctx.i64_array(&block)),
            ("depth", b.ctx.i64_attr(depth)),
            ("stages", b.ctx.i64_attr(stages)),
        ];
        b.op::<MapContractionOp>(&[target], &[], &attrs);
    }
}

impl MapReductionOp {
    /// Make `target` the kernel that copies ahead.
    pub fn build(b: &mut Builder, target: Value) {
        b.op::<MapReductionOp>(&[target], &[], &[]);
    }
}

impl MapStencilOp {
    /// Iterations that a thread does; `None` lets the mapper choose.
    pub fn rows(self, ctx: &Context) -> Option<i64> {
        self.op().int_attr(ctx, "rows")
    }

    /// Threads of a block along x, y and z, where they are said.
    pub fn block(self, ctx: &Context) -> Option<[i64; 3]> {
        let block = list_of(ctx, self.op(), "block");
        (!block.is_empty()).then(|| threads(&block))
    }

    /// Whether the block is fitted to the extents when the program runs.
    pub fn is_fitted(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "fit").is_some()
    }

    /// Give each thread `rows` iterations of `target`, in blocks of shape `block`.
    /// With `fit` that is the shape for long loops.
    pub fn build(b: &mut Builder, target: Value, rows: i64, (block, fit): (&[i64], bool)) {
        let mut attrs = vec![
            ("rows", b.ctx.i64_attr(rows)),
            ("block", b.ctx.i64_array(block)),
        ];
        if fit {
            attrs.push(("fit", b.ctx.unit()));
        }
        b.op::<MapStencilOp>(&[target], &[], &attrs);
    }
}

/// Along x, y and z; one thread where nothing is said.
fn threads(block: &[i64]) -> [i64; 3] {
    std::array::from_fn(|d| block.get(d).copied().unwrap_or(1))
}

fn check_block(block: &[i64]) -> Verified {
    if block.is_empty() || block.len() > 3 {
        let n = block.len();
        return Err(format!(
            "has a block of {n} sizes, but one to three are the threads along x, y and z"
        )
        .into());
    }
    if let Some(n) = block.iter().find(|n| !(1..=MAX_THREADS).contains(*n)) {
        return Err(
            format!("has {n} threads along an axis, but 1 to {MAX_THREADS} are possible").into(),
        );
    }
    if let Some(n) = block.get(2).filter(|n| **n > MAX_ALONG_Z) {
        return Err(
            format!("has {n} threads along z, but at most {MAX_ALONG_Z} are possible").into(),
        );
    }
    let all: i64 = block.iter().product();
    match all > MAX_THREADS {
        true => Err(
            format!("has blocks of {all} threads, but at most {MAX_THREADS} are possible").into(),
        ),
        false => Ok(()),
    }
}

fn verify_map(ctx: &Context, op: Op) -> Verified {
    let m = MapToGpuOp::wrap(op);
    let mut sorted = m.order(ctx);
    sorted.sort_unstable();
    if !(0..).zip(&sorted).all(|(i, n): (i64, _)| i == *n) {
        let order = m.order(ctx);
        let last = order.len() - 1;
        return Err(
            format!("has the order {order:?}, but it must name each of 0 to {last} once").into(),
        );
    }
    if let Some(n) = m.tile(ctx).iter().find(|n| **n < 1) {
        return Err(format!("has a tile of {n}, but sizes must be 1 or more").into());
    }
    if m.is_cyclic(ctx) && m.is_inside(ctx) {
        return Err("has tiles that are both 'cyclic' and 'inside'".into());
    }
    check_block(&list_of(ctx, op, "block"))
}

fn verify_contraction(ctx: &Context, op: Op) -> Verified {
    let block = list_of(ctx, op, "block");
    if op.attr(ctx, "block").is_some() && block.len() != 2 {
        let n = block.len();
        return Err(format!("has a block of {n} sizes, but two are its rows and columns").into());
    }
    super::at_least(ctx, op, "depth", "depth", 1)?;
    super::at_least(ctx, op, "stages", "number of stages", 2)
}

fn verify_stencil(ctx: &Context, op: Op) -> Verified {
    if let Some(n) = op.int_attr(ctx, "rows").filter(|n| !(1..=8).contains(n)) {
        return Err(format!("has {n} rows a thread, but 1 to 8 are possible").into());
    }
    match op.attr(ctx, "block") {
        Some(_) => check_block(&list_of(ctx, op, "block")),
        None => Ok(()),
    }
}
