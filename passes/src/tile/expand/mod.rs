//! `tile-expand`: tiles become loops over local buffers.
//!
//! Always legal: the loops do, in the order of the ops, what the ops mean. Each tile has a buffer
//! of its own, written where the tile was computed, and each op a loop nest over its elements.
//!
//! ```text
//! %v = tile.load %A[%i, d0] : memref<?x?xf32>, vector<8xf32>
//! %w = arith.addf %v, %v : vector<8xf32>
//! tile.store %w, %B[d0] : vector<8xf32>, memref<?xf32>
//!
//!     =>
//!
//! %v = memref.alloca() : memref<8xf32>
//! affine.for %d0 = 0 to 8 {
//!   %x = affine.load %A[%i, %d0] : memref<?x?xf32>
//!   affine.store %x, %v[%d0] : memref<8xf32>
//! }
//! %w = memref.alloca() : memref<8xf32>
//! affine.for %d0 = 0 to 8 {
//!   %x = affine.load %v[%d0] : memref<8xf32>
//!   %y = arith.addf %x, %x : f32
//!   affine.store %y, %w[%d0] : memref<8xf32>
//! }
//! affine.for %d0 = 0 to 8 {
//!   %x = affine.load %w[%d0] : memref<8xf32>
//!   affine.store %x, %B[%d0] : memref<?xf32>
//! }
//! ```
//!
//! Vectors that have nothing to do with a tile stay as they are. Where a tile goes into an op
//! that has no loops here, such as a call, it is loaded whole from its buffer.
//!
//! - [`values`] finds the vectors that are tiles;
//! - [`nest`] makes loops over boxes, and accesses in them;
//! - [`memory`], [`fold`], [`elements`] and [`moves`] hold the loops of each op;
//! - [`carry`] hands tiles through loops and conditions.

mod carry;
mod elements;
mod fold;
mod memory;
mod moves;
mod nest;
mod values;

use carry::Carrier;
use nest::{Loops, Place, load, store};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::{arith, func, memref, tile, vector};
use terrace_ir::opdef::traits;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, Type, Value};

pub static INFO: PassInfo = PassInfo {
    name: "tile-expand",
    title: "TileExpand",
    summary: "Turn tiles into loops over local buffers",
    description: "Each tile becomes a buffer on the stack, and each op on tiles a loop nest over its elements: ops of the tile dialect, and those of arith, math and vector that work on what comes from them or goes to them. Loops and conditions hand buffers on by copies.",
    statistics: &[StatisticInfo::new(
        "num-expanded",
        "Number of ops on tiles that became loops",
    )],
    anchor: Some(func::FuncOp::NAME),
    make: |_| Ok(Box::new(TileExpand)),
    ..PassInfo::EMPTY
};

struct TileExpand;

impl Pass for TileExpand {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        match expand(ctx, function) {
            Ok(n) => {
                ctx.count("num-expanded", n);
                Ok(())
            }
            Err((op, message)) => ctx.fail(op, message),
        }
    }
}

/// Makes the loops of an op before it.
type Expand = fn(&mut Tiles, &mut Builder, Op) -> Result<(), String>;

/// How an op on tiles becomes loops; none for an op that does not.
fn expansion(ctx: &Context, op: Op) -> Option<Expand> {
    Some(match op.name(ctx) {
        tile::LoadOp::NAME => memory::load,
        tile::StoreOp::NAME => memory::store,
        tile::ReduceOp::NAME => fold::reduce,
        tile::MaskOp::NAME | vector::CreateMaskOp::NAME | vector::ConstantMaskOp::NAME => {
            memory::mask
        }
        arith::ConstantOp::NAME => elements::constant,
        vector::StepOp::NAME => elements::step,
        vector::FMAOp::NAME => elements::fma,
        tile::ConvertOp::NAME
        | vector::BroadcastOp::NAME
        | vector::ShapeCastOp::NAME
        | vector::TransposeOp::NAME
        | vector::ExtractOp::NAME
        | vector::ExtractStridedSliceOp::NAME => moves::moved,
        vector::InsertOp::NAME | vector::InsertStridedSliceOp::NAME => moves::inserted,
        _ if op.def(ctx)?.has(traits::ELEMENTWISE) && op.dialect(ctx) != "vector" => elements::each,
        _ => return None,
    })
}

/// The buffers of tiles.
#[derive(Default)]
struct Tiles {
    buffers: FxHashMap<Value, Value>,
}

impl Tiles {
    /// The buffer of `v`.
    fn of(&self, v: Value) -> Result<Value, String> {
        let found = self.buffers.get(&v).copied();
        found.ok_or_else(|| "works on a tile that is computed behind it".to_string())
    }

    /// A fresh buffer for `v`.
    fn make(&mut self, b: &mut Builder, v: Value) -> Value {
        let buffer = buffer_like(b, v.ty(b.ctx));
        self.buffers.insert(v, buffer);
        buffer
    }
}

/// A buffer with the elements of a vector type.
fn buffer_like(b: &mut Builder, tile: Type) -> Value {
    let shape = tile.shape(b.ctx).unwrap_or(&[]).to_vec();
    let elem = tile.element_or_self(b.ctx);
    let ty = b.ctx.memref(&shape, elem);
    memref::AllocaOp::build(b, ty, &[])
}

/// All of one buffer to another one.
fn copy(b: &mut Builder, from: Value, to: Value) -> Result<(), String> {
    let shape = to.ty(b.ctx).shape(b.ctx).unwrap_or(&[]).to_vec();
    let loops = Loops::all(b, &shape);
    let x = load(b, &Place::whole(from, shape.len()), &loops.counters)?;
    store(b, x, &Place::whole(to, shape.len()), &loops.counters)?;
    loops.close(b);
    Ok(())
}

/// `value` everywhere in a buffer.
fn fill(b: &mut Builder, buffer: Value, value: Value) -> Result<(), String> {
    let shape = buffer.ty(b.ctx).shape(b.ctx).unwrap_or(&[]).to_vec();
    let loops = Loops::all(b, &shape);
    store(
        b,
        value,
        &Place::whole(buffer, shape.len()),
        &loops.counters,
    )?;
    loops.close(b);
    Ok(())
}

/// Expands the tiles of a function. How many ops became loops.
fn expand(ctx: &mut Context, function: Op) -> Result<u64, (Op, String)> {
    let set = values::tiles(ctx, function);
    let mut tiles = Tiles::default();
    let (mut dead, mut carriers) = (Vec::new(), Vec::new());
    // An op comes before what is in it, and what it computes before its uses.
    for op in function.pre_order(ctx) {
        let done = if values::is_expanded(ctx, op, &set) {
            dead.push(op);
            expand_op(ctx, &mut tiles, op)
        } else if let Some(carrier) = Carrier::of(ctx, op, &set) {
            let done = carrier.enter(ctx, &mut tiles);
            carriers.push(carrier);
            done
        } else if let Some(parent) = carry::yielded_to(ctx, op, &carriers) {
            parent.leave(ctx, &mut tiles, op)
        } else {
            bridge(ctx, &mut tiles, &set, op)
        };
        done.map_err(|m| (op, m))?;
    }
    for carrier in &carriers {
        carrier.forget_operands(ctx);
    }
    // Those that use a tile come behind the one that computes it.
    for op in dead.iter().rev() {
        op.erase(ctx);
    }
    for carrier in carriers.iter().rev() {
        carrier.rebuild(ctx);
    }
    Ok(dead.len() as u64)
}

fn expand_op(ctx: &mut Context, tiles: &mut Tiles, op: Op) -> Result<(), String> {
    match expansion(ctx, op) {
        Some(expand) => expand(tiles, &mut Builder::before(ctx, op), op),
        None => Ok(()),
    }
}

/// Tiles that go into an op that has no loops here are loaded whole, and what comes out of it is
/// stored whole.
fn bridge(
    ctx: &mut Context,
    tiles: &mut Tiles,
    set: &FxHashSet<Value>,
    op: Op,
) -> Result<(), String> {
    for (i, v) in op.operands(ctx).into_iter().enumerate() {
        if set.contains(&v) {
            let buffer = tiles.of(v)?;
            let b = &mut Builder::before(ctx, op);
            let first = origin(b, v.ty(b.ctx));
            let whole = vector::LoadOp::build(b, v.ty(b.ctx), buffer, &first);
            op.set_operand(ctx, i, whole);
        }
    }
    let keep = |tiles: &mut Tiles, b: &mut Builder, v: Value| {
        let buffer = tiles.make(b, v);
        let first = origin(b, v.ty(b.ctx));
        vector::StoreOp::build(b, v, buffer, &first);
    };
    for v in op.results(ctx) {
        if set.contains(&v) {
            keep(tiles, &mut Builder::after(ctx, op), v);
        }
    }
    let blocks = op.blocks(ctx);
    for block in blocks {
        for v in block.args(ctx) {
            if set.contains(&v) {
                let loc = op.loc(ctx);
                keep(tiles, &mut Builder::at_start(ctx, block, loc), v);
            }
        }
    }
    Ok(())
}

/// The subscripts of the first element of a vector's buffer.
fn origin(b: &mut Builder, tile: Type) -> Vec<Value> {
    let rank = tile.rank(b.ctx).unwrap_or(0);
    (0..rank).map(|_| arith::constant_index(b, 0)).collect()
}
