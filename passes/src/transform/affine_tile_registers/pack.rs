//! What all rows of a tile's columns use is computed once, and kept in an array of its own.
//!
//! ```text
//! affine.for %j ... step 24 {               affine.for %j ... step 24 {
//!   affine.for %i ... step 8 {                affine.for %k {
//!     affine.for %k {                           kept[%k] = b[%k, %j ..]
//!       use(b[%k, %j ..], %i)         =>      }
//!                                             affine.for %i ... step 8 {
//!                                               affine.for %k {
//!                                                 use(kept[%k], %i)
//! ```
//!
//! Legal as nothing in the loops stores to what is loaded: `roles` has seen to it.

use crate::transform::cse;
use rustc_hash::FxHashSet;
use terrace_dialects::affine::{self, ApplyOp, ForOp};
use terrace_dialects::attributes::TERRACE_IN_BOUNDS;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::memref::{AllocOp, DeallocOp};
use terrace_dialects::{arith, vector};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{AttrData, Builder, Context, InsertPoint, Op, OpKind, Value};

/// Rows that are multiples of so many bytes apart share few places in caches.
const NEAR: i64 = 2048;

/// Keeps what the rows in `tiles`, a loop over columns, share along a sum of up to `depth`
/// iterations. `around`: the outermost loop of the nest.
pub(super) fn pack(ctx: &mut Context, around: Op, tiles: ForOp, depth: u64) {
    cse::merge_in(ctx, tiles.op());
    let body = tiles.body(ctx).ops(ctx);
    let Some(rows) = body.into_iter().find_map(|o| o.cast::<ForOp>(ctx)) else {
        return;
    };
    let sums = rows.body(ctx).ops(ctx).into_iter();
    let Some(sum) = sums.filter_map(|o| o.cast::<ForOp>(ctx)).next() else {
        return;
    };
    let ops = sum.body(ctx).ops(ctx);
    let shared = shared(ctx, rows, sum, &ops);
    let roots: Vec<Value> = roots(ctx, &ops, &shared);
    let Ok(depth) = i64::try_from(depth) else {
        return;
    };
    for root in roots {
        if is_read_fast(ctx, root) {
            continue;
        }
        keep(ctx, (around, rows, sum), &ops, root, depth);
    }
}

/// Whether a vector is read from neighbours in memory, whose rows do not fall on one another in caches:
/// to put it together would cost what reading it does.
fn is_read_fast(ctx: &Context, root: Value) -> bool {
    let read = root
        .def_op()
        .and_then(|o| o.cast::<vector::TransferReadOp>(ctx));
    let Some(memref) = read.and_then(|r| r.base(ctx)) else {
        return false;
    };
    let ty = memref.ty(ctx);
    let layout = strides_and_offset(ctx, ty);
    let bits = ty.element(ctx).and_then(|t| t.bit_width(ctx));
    let (Some(layout), Some(bits)) = (layout, bits) else {
        return false;
    };
    let rows = layout
        .strides
        .split_last()
        .map_or(&[][..], |(_, rows)| rows);
    let apart = |stride: &i64| *stride != DYNAMIC && stride * i64::from(bits) / 8 % NEAR != 0;
    rows.iter().all(apart)
}

/// The ops of a sum that are the same for all rows.
fn shared(ctx: &Context, rows: ForOp, sum: ForOp, ops: &[Op]) -> FxHashSet<Op> {
    let mut shared: FxHashSet<Op> = FxHashSet::default();
    let outside = |v: Value| {
        let own = match v.def_op() {
            Some(o) => rows.op().is_ancestor_of(ctx, o),
            None => v
                .arg_block()
                .and_then(|b| b.parent_op(ctx))
                .is_some_and(|o| o == rows.op() || rows.op().is_ancestor_of(ctx, o)),
        };
        !own
    };
    for op in ops {
        let computes = is_pure(ctx, *op) && op.num_regions(ctx) == 0;
        let known = |v: &Value| {
            let made = v.def_op();
            *v == sum.iv(ctx)
                || outside(*v)
                || made.is_some_and(|d| shared.contains(&d) || d.isa::<arith::ConstantOp>(ctx))
        };
        if (computes || is_load(ctx, *op)) && op.operands(ctx).iter().all(known) {
            shared.insert(*op);
        }
    }
    shared
}

fn is_load(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        affine::LoadOp::NAME | vector::TransferReadOp::NAME
    )
}

/// Vectors that are the same for all rows, are loaded, and are used by what is not the same.
fn roots(ctx: &Context, ops: &[Op], shared: &FxHashSet<Op>) -> Vec<Value> {
    let is_root = |op: &&Op| {
        let result = op.result(ctx, 0);
        let used = result.users(ctx).iter().any(|u| !shared.contains(u));
        let one_for_all = op.isa::<vector::BroadcastOp>(ctx) || op.isa::<arith::ConstantOp>(ctx);
        result.ty(ctx).is_vector(ctx) && used && !one_for_all
    };
    let all = ops.iter().filter(|o| shared.contains(o));
    let with_result = all.filter(|o| o.num_results(ctx) == 1);
    let roots = with_result.filter(is_root);
    let loaded = |op: &&Op| slice(ctx, ops, **op).iter().any(|o| is_load(ctx, *o));
    roots.filter(loaded).map(|o| o.result(ctx, 0)).collect()
}

/// The ops among these that one needs, and itself, in their order.
fn slice(ctx: &Context, ops: &[Op], op: Op) -> Vec<Op> {
    let mut needed: FxHashSet<Op> = FxHashSet::from_iter([op]);
    for o in ops.iter().rev() {
        if needed.contains(o) {
            needed.extend(o.operands(ctx).iter().filter_map(|v| v.def_op()));
        }
    }
    (ops.iter().copied())
        .filter(|o| needed.contains(o))
        .collect()
}

/// Computes a vector in front of the rows, and has these load it.
fn keep(
    ctx: &mut Context,
    (around, rows, sum): (Op, ForOp, ForOp),
    ops: &[Op],
    root: Value,
    depth: i64,
) {
    let Some(op) = root.def_op() else { return };
    let lower = sum.lower_map(ctx).clone();
    let ty = root.ty(ctx);
    let (Some(lanes), Some(element)) = (ty.num_elements(ctx), ty.element(ctx)) else {
        return;
    };
    if lower.num_results() != 1 {
        return;
    }
    let needed = slice(ctx, ops, op);
    let array = ctx.memref(&[depth, lanes], element);
    let mut b = Builder::before(ctx, around);
    b.loc = root.loc(b.ctx);
    let kept = AllocOp::build(&mut b, array, &[]);
    b.at = InsertPoint::After(around);
    DeallocOp::build(&mut b, kept);
    // The same numbers as the sum has.
    b.at = InsertPoint::Before(rows.op());
    let upper = sum.upper_map(b.ctx).clone();
    let (lower_operands, upper_operands) = (sum.lower_operands(b.ctx), sum.upper_operands(b.ctx));
    let step = sum.step(b.ctx);
    let fill = ForOp::build_open(
        &mut b,
        (lower.clone(), &lower_operands),
        (upper, &upper_operands),
        step,
        &[],
    );
    b.at = InsertPoint::End(fill.body(b.ctx));
    let mut map = IrMapping::new();
    map.map(sum.iv(b.ctx), fill.iv(b.ctx));
    for o in needed {
        for v in o.operands(b.ctx) {
            let constant = v.def_op().filter(|d| d.isa::<arith::ConstantOp>(b.ctx));
            if let Some(constant) = constant.filter(|_| map.value(v) == v) {
                let copy = clone_op(b.ctx, constant, &mut map);
                b.insert(copy);
            }
        }
        let copy = clone_op(b.ctx, o, &mut map);
        b.insert(copy);
    }
    let value = map.value(root);
    let begins = (&lower, &lower_operands[..]);
    let number = fill.iv(b.ctx);
    let at = place(&mut b, begins, number);
    let store = vector::StoreOp::build(&mut b, value, kept, &at);
    in_bounds(b.ctx, store);
    b.op::<affine::YieldOp>(&[], &[], &[]);
    b.at = InsertPoint::Before(op);
    let number = sum.iv(b.ctx);
    let at = place(&mut b, begins, number);
    let loaded = vector::LoadOp::build(&mut b, ty, kept, &at);
    if let Some(load) = loaded.def_op() {
        in_bounds(b.ctx, load);
    }
    root.replace_all_uses(b.ctx, loaded);
}

/// Subscripts of what is kept for an iteration of a sum.
fn place(b: &mut Builder, (lower, operands): (&AffineMap, &[Value]), number: Value) -> [Value; 2] {
    let dims = lower.num_dims();
    let first = lower.results()[0].clone();
    let map = AffineMap::new(
        dims + 1,
        lower.num_symbols(),
        vec![AffineExpr::dim(dims) - first],
    );
    let (own, symbols) = operands.split_at((dims as usize).min(operands.len()));
    let at = ApplyOp::build(b, map, &[own, &[number], symbols].concat());
    [at, arith::constant_index(b, 0)]
}

fn in_bounds(ctx: &mut Context, op: Op) {
    let mark = ctx.attr(AttrData::Unit);
    op.set_attr(ctx, TERRACE_IN_BOUNDS, mark);
}
