//! The launch, and what the program chooses between.

use super::find::{Nest, Target};
use super::kernel::{Kernel, Launched, shifted};
use super::policy::{
    COPIES_BYTES, LEAST_OF_BLOCK, LEAST_OF_ELEMENT, MAX_REGISTERS, MAX_SHIFT, Room, THREADS, steps,
};
use super::share::Iterations;
use super::wide::group;
use crate::analysis::source;
use crate::gpu::branches::either;
use crate::gpu::map_parallel::{band_along_x, sequentialize_inside};
use crate::loops::build::index::*;
use terrace_dialects::arith::{self, AtomicRmwKind as K, CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::attributes::{GPU_NEST, GPU_NOTE, NVVM_MAXNREG};
use terrace_dialects::gpu;
use terrace_dialects::memref::{DimOp, LoadOp};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

/// The sizes of an array that has copies.
pub(super) struct Sizes {
    pub dims: Vec<Value>,
    pub elements: Value,
}

/// Puts the launch in the place of the nest, or beside it where only the program knows that it
/// pays. False where it never does.
pub(super) fn launch(
    ctx: &mut Context,
    function: Op,
    nest: &Nest,
    (room, least): (Room, i64),
) -> bool {
    let root = nest.root.op();
    let (band, x) = band_along_x(ctx, function, nest.root);
    let b = &mut Builder::before(ctx, root);
    let each = match group(b.ctx, nest, &band, x) {
        Some(group) => (1, group),
        None => (steps(loaded_bytes(b.ctx, band.body), nest.updates), 1),
    };
    let iterations = Iterations::new(b, &band, x, each);
    let sizes: Vec<Sizes> = (nest.targets.iter()).map(|t| sizes(b, t, room)).collect();
    let elements = sum(b, sizes.iter().map(|s| s.elements));
    let each = (sizes.iter().zip(&nest.targets)).map(|(s, t)| (s.elements, t.bytes));
    let each: Vec<Value> = each.map(|(n, bytes)| times(b, n, bytes)).collect();
    let bytes = sum(b, each);
    let shift = shift(b, bytes);
    let needed = {
        let of_elements = times(b, elements, LEAST_OF_ELEMENT);
        let least = constant(b, least);
        max(b, of_elements, least)
    };
    let updates = times(b, iterations.count, nest.updates);
    let most = constant(b, room.of_block);
    let tests = [(bytes, most), (needed, updates)];
    let pays = match pays(b, tests) {
        Pays::Never => return false,
        Pays::Always => None,
        Pays::If(holds) => Some(holds),
    };
    let with_copies = |b: &mut Builder| {
        let blocks = blocks(b, room, (&iterations, updates, elements), (bytes, shift));
        let launched = Launched {
            band: &band,
            iterations: &iterations,
            sizes: &sizes,
            shift,
        };
        let words = words(b.ctx, nest, shift, pays.is_some());
        build(b, nest, &launched, (blocks, bytes), &words);
    };
    match pays {
        None => with_copies(b),
        Some(pays) => {
            let mut place = None;
            either(b, pays, with_copies, |b| place = b.block());
            if let Some(place) = place.and_then(|p| p.first_op(b.ctx)) {
                root.move_before(b.ctx, place);
                return true;
            }
        }
    }
    root.erase(b.ctx);
    true
}

/// When there are copies.
enum Pays {
    Never,
    Always,
    /// Where this is true on the host.
    If(Value),
}

/// Where of all pairs the first is no more than the second.
fn pays(b: &mut Builder, tests: [(Value, Value); 2]) -> Pays {
    let mut all = Pays::Always;
    for (x, y) in tests {
        let holds = match (known(b.ctx, x), known(b.ctx, y)) {
            (Some(x), Some(y)) if x <= y => continue,
            (Some(_), Some(_)) => return Pays::Never,
            _ => CmpIOp::build(b, CmpIPredicate::Sle, x, y),
        };
        all = Pays::If(match all {
            Pays::If(others) => and(b, others, holds),
            _ => holds,
        });
    }
    all
}

/// Bytes of the widest elements that an iteration loads in straight code.
pub(super) fn loaded_bytes(ctx: &Context, body: Block) -> Option<i64> {
    let loads = body.ops(ctx).into_iter().filter(|o| o.isa::<LoadOp>(ctx));
    let bits = loads.filter_map(|o| o.result(ctx, 0).ty(ctx).bit_width(ctx));
    bits.max().map(|n| i64::from(n.div_ceil(8)))
}

/// A value that is computed of constants.
fn known(ctx: &Context, v: Value) -> Option<i64> {
    if let Some(n) = ctx.constant_int(v) {
        return Some(n);
    }
    let op = v.def_op()?;
    let of = |i| known(ctx, op.operand(ctx, i));
    match op.name(ctx) {
        arith::AddIOp::NAME => of(0)?.checked_add(of(1)?),
        arith::MulIOp::NAME => of(0)?.checked_mul(of(1)?),
        arith::MaxSIOp::NAME => Some(of(0)?.max(of(1)?)),
        _ => None,
    }
}

fn sum(b: &mut Builder, values: impl IntoIterator<Item = Value>) -> Value {
    let zero = constant(b, 0);
    values.into_iter().fold(zero, |x, y| add(b, x, y))
}

/// The sizes of an array. What is more than fits is one more than fits, so that products of
/// sizes are numbers: arrays of which nobody knows the size are said to be very large.
fn sizes(b: &mut Builder, t: &Target, room: Room) -> Sizes {
    let shape = t.memref.ty(b.ctx).shape(b.ctx).unwrap_or_default().to_vec();
    let mut dims = Vec::new();
    for (d, n) in shape.into_iter().enumerate() {
        dims.push(if n == DYNAMIC {
            let d = constant(b, d as i64);
            let n = DimOp::build(b, t.memref, d);
            let most = constant(b, room.of_block + 1);
            min(b, n, most)
        } else {
            constant(b, n)
        });
    }
    let all = dims.iter().copied();
    let one = constant(b, 1);
    let elements = all.reduce(|x, y| mul(b, x, y)).unwrap_or(one);
    Sizes { dims, elements }
}

/// How many copies there are, as a power of two, where one has so many bytes.
fn shift(b: &mut Builder, bytes: Value) -> Value {
    let mut shift = constant(b, 0);
    for s in 1..=MAX_SHIFT {
        let more = constant(b, s);
        let most = COPIES_BYTES >> s;
        if let Some(n) = known(b.ctx, bytes) {
            if n <= most {
                shift = more;
            }
            continue;
        }
        let most = constant(b, most);
        let fits = CmpIOp::build(b, CmpIPredicate::Sle, bytes, most);
        shift = SelectOp::build(b, fits, more, shift);
    }
    shift
}

/// As many blocks as run at once, or fewer where each would do little between setting its
/// copies and adding them up.
fn blocks(
    b: &mut Builder,
    room: Room,
    (iterations, updates, elements): (&Iterations, Value, Value),
    (bytes, shift): (Value, Value),
) -> Value {
    let mut most = constant(b, room.blocks());
    let bytes = shifted(b, bytes, shift);
    for (fits, blocks) in room.fewer() {
        if fits >= COPIES_BYTES && fits < room.of_block {
            let fits = constant(b, fits);
            let more = CmpIOp::build(b, CmpIPredicate::Sgt, bytes, fits);
            let fewer = constant(b, room.sms * blocks);
            most = SelectOp::build(b, more, fewer, most);
        }
    }
    let of_elements = times(b, elements, LEAST_OF_BLOCK);
    let one = constant(b, 1);
    let least = max(b, of_elements, one);
    let wanted = ceiling(b, updates, least);
    let wanted = min(b, wanted, iterations.pieces);
    min(b, wanted, most)
}

fn build(
    b: &mut Builder,
    nest: &Nest,
    launched: &Launched,
    (blocks, bytes): (Value, Value),
    words: &str,
) {
    let (one, threads) = (constant(b, 1), constant(b, THREADS));
    let bytes = shifted(b, bytes, launched.shift);
    let i32 = b.ctx.i32();
    let bytes = b.value::<arith::IndexCastOp>(&[bytes], i32, &[]);
    let (launch, entry) =
        gpu::LaunchOp::build_dynamic(b, [blocks, one, one], [threads, one, one], bytes);
    if let Some(number) = nest.root.op().attr(b.ctx, GPU_NEST) {
        launch.op().set_attr(b.ctx, GPU_NEST, number);
    }
    let words = b.ctx.string_attr(words);
    launch.op().set_attr(b.ctx, GPU_NOTE, words);
    if launched.iterations.group > 1 {
        let i32 = b.ctx.i32();
        let most = b.ctx.int_attr(i32, MAX_REGISTERS);
        launch.op().set_attr(b.ctx, NVVM_MAXNREG, most);
    }
    let (block, thread) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
    let all = launch.grid_size_args(b.ctx)[0];
    b.with_point(InsertPoint::End(entry), |b| {
        Kernel::new(b, nest, launched, thread).all(b, block, all);
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
    });
    sequentialize_inside(b.ctx, launch.op());
}

/// What is combined how, as a clause.
fn words(ctx: &Context, nest: &Nest, shift: Value, sometimes: bool) -> String {
    let copies = match ctx.constant_int(shift) {
        Some(0) => "a copy".to_string(),
        Some(s) => format!("{} copies", 1 << s),
        None => format!("up to {} copies", 1 << MAX_SHIFT),
    };
    let mut parts: Vec<String> = Vec::new();
    for t in &nest.targets {
        let what = match t.kind {
            K::AddF | K::AddI => "sums",
            K::MulF | K::MulI => "products",
            K::MaximumF | K::MaxNumF | K::MaxS | K::MaxU => "greatest values",
            K::MinimumF | K::MinNumF | K::MinS | K::MinU => "least values",
            K::AndI | K::OrI | K::XOrI => "combined bits",
            K::Assign => "values",
        };
        let array = source::array(ctx, t.memref);
        let array = if array.is_empty() { "an array" } else { &array };
        parts.push(format!("{what} into {array}"));
    }
    let mut text = format!(
        "{} in {copies} a block, in shared memory; each block then changes an element once",
        parts.join(" and ")
    );
    if sometimes {
        text += "; runs where the program finds that it pays, else the next kernel does";
    }
    text
}
