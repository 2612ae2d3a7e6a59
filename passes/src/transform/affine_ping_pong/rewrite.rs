//! Two steps at a time, between two arrays.

use super::find::Step;
use terrace_dialects::affine::{ApplyOp, ForOp, IfOp, LoadOp, StoreOp, YieldOp};
use terrace_dialects::{arith, memref, xfer};
use terrace_ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// A bound of a loop: a map and what it is of.
type Bound = (AffineMap, Vec<Value>);

/// Put pairs of steps in the place of the loop, then the last of an odd number, and make
/// `next` what it would be behind it.
pub(super) fn rewrite(ctx: &mut Context, step: &Step) {
    let seen = is_seen(ctx, step);
    let mut b = Builder::before(ctx, step.time.op());
    let ty = step.state.ty(b.ctx);
    let sizes = sizes(&mut b, step.state);
    let dynamic: Vec<Value> = sizes.iter().flat_map(|s| s.1.iter().copied()).collect();
    let other = memref::AllocOp::build(&mut b, ty, &dynamic);
    xfer::DiscardOp::build(&mut b, other);
    copy_rest(&mut b, step, other, &sizes);
    pairs(&mut b, step, other);
    last_step(&mut b, step);
    if seen {
        give_next(&mut b, step);
    }
    memref::DeallocOp::build(&mut b, other);
    step.time.op().erase(b.ctx);
}

/// The sizes of an array as upper bounds of loops.
fn sizes(b: &mut Builder, array: Value) -> Vec<Bound> {
    let shape = array.ty(b.ctx).shape(b.ctx).unwrap_or(&[]).to_vec();
    let mut out = Vec::new();
    for (d, n) in shape.into_iter().enumerate() {
        out.push(match n {
            DYNAMIC => {
                let d = arith::constant_index(b, d as i64);
                let n = memref::DimOp::build(b, array, d);
                (AffineMap::symbol_identity(), vec![n])
            }
            n => (AffineMap::constant(n), Vec::new()),
        });
    }
    out
}

/// Copy what lies outside of the box: below and above it in each dimension.
fn copy_rest(b: &mut Builder, step: &Step, other: Value, sizes: &[Bound]) {
    let zero = (AffineMap::constant(0), Vec::new());
    let whole: Vec<(Bound, Bound)> = sizes.iter().map(|n| (zero.clone(), n.clone())).collect();
    for (d, l) in step.copy.iter().enumerate() {
        let lower = (l.lower_map(b.ctx).clone(), l.lower_operands(b.ctx));
        let upper = (l.upper_map(b.ctx).clone(), l.upper_operands(b.ctx));
        if l.constant_lower(b.ctx) != Some(0) {
            // The greatest of the bounds is where the box begins, but not beyond the end of
            // an array that is smaller than that.
            for begin in each_result(&lower) {
                let mut box_ = whole.clone();
                box_[d].1 = both(&sizes[d], &begin);
                copy_box(b, &box_, step.state, other);
            }
        }
        if upper != sizes[d] {
            // The least of the bounds is where the box ends.
            for end in each_result(&upper) {
                let mut box_ = whole.clone();
                box_[d].0 = both(&zero, &end);
                copy_box(b, &box_, step.state, other);
            }
        }
    }
}

/// A bound for each result of a bound.
fn each_result(bound: &Bound) -> Vec<Bound> {
    let (map, operands) = bound;
    (0..map.num_results())
        .map(|i| (map.sub_map(&[i]), operands.clone()))
        .collect()
}

/// The results of both bounds.
fn both(a: &Bound, b: &Bound) -> Bound {
    let (dims, symbols) = (a.0.num_dims(), a.0.num_symbols());
    let (a_dims, a_symbols) = a.1.split_at(dims as usize);
    let (b_dims, b_symbols) = b.1.split_at(b.0.num_dims() as usize);
    let shifted = b.0.shift_dims(dims).shift_symbols(symbols);
    let results = [a.0.results(), shifted.results()].concat();
    let map = AffineMap::new(dims + b.0.num_dims(), symbols + b.0.num_symbols(), results);
    (map, [a_dims, b_dims, a_symbols, b_symbols].concat())
}

fn copy_box(b: &mut Builder, bounds: &[(Bound, Bound)], from: Value, to: Value) {
    let back = b.at;
    let mut counters = Vec::new();
    for (lower, upper) in bounds {
        let (lower, upper) = (
            (lower.0.clone(), &lower.1[..]),
            (upper.0.clone(), &upper.1[..]),
        );
        let l = ForOp::build_open(b, lower, upper, 1, &[]);
        let body = l.body(b.ctx);
        counters.push(l.iv(b.ctx));
        b.at = InsertPoint::End(body);
        let end = b.op::<YieldOp>(&[], &[], &[]);
        b.at = InsertPoint::Before(end);
    }
    let v = LoadOp::build_at(b, from, &counters);
    StoreOp::build_at(b, v, to, &counters);
    b.at = back;
}

/// The loop of pairs of steps, the first of which stores to `other` what the second reads.
fn pairs(b: &mut Builder, step: &Step, other: Value) {
    let (map, operands) = end(b.ctx, step);
    let last = AffineMap::new(
        map.num_dims(),
        map.num_symbols(),
        map.results().iter().map(|e| e.clone() - 1).collect(),
    );
    let first = (AffineMap::constant(step.first), &[][..]);
    ForOp::build(b, first, (last, &operands), 2, &[], |b, t, _| {
        let mut map = IrMapping::new();
        map.map(step.time.iv(b.ctx), t);
        map.map(step.next, other);
        clone_all(b, &step.ops, map);
        let later = AffineMap::new(1, 0, vec![AffineExpr::dim(0) + 1]);
        let t = ApplyOp::build(b, later, &[t]);
        let mut map = IrMapping::new();
        map.map(step.time.iv(b.ctx), t);
        map.map(step.state, other);
        map.map(step.next, step.state);
        clone_all(b, &step.ops, map);
        Vec::new()
    });
}

fn clone_all(b: &mut Builder, ops: &[Op], mut map: IrMapping) {
    for op in ops {
        let copy = clone_op(b.ctx, *op, &mut map);
        b.insert(copy);
    }
}

/// Where the time loop ends.
fn end(ctx: &Context, step: &Step) -> Bound {
    let map = step.time.upper_map(ctx).clone();
    (map, step.time.upper_operands(ctx))
}

/// Whether `next` may be looked at behind the loop.
fn is_seen(ctx: &Context, step: &Step) -> bool {
    let made_here = step
        .next
        .def_op()
        .is_some_and(|o| matches!(o.name(ctx), memref::AllocOp::NAME | memref::AllocaOp::NAME));
    let harmless = |o: &Op| {
        step.time.op().is_ancestor_of(ctx, *o)
            || matches!(o.name(ctx), memref::DeallocOp::NAME | memref::DimOp::NAME)
    };
    !made_here || !step.next.users(ctx).iter().all(harmless)
}

/// The last of an odd number of steps, as written. It is under a condition: of a loop that
/// runs once at most, kernels would be launched for none.
fn last_step(b: &mut Builder, step: &Step) {
    let (map, operands) = end(b.ctx, step);
    let last = AffineMap::new(
        map.num_dims(),
        map.num_symbols(),
        map.results().iter().map(|e| e.clone() - 1).collect(),
    );
    when(b, step, 1, |b| {
        let t = ApplyOp::build(b, last, &operands);
        let mut map = IrMapping::new();
        map.map(step.time.iv(b.ctx), t);
        let copy = step.copy.first().map(|l| l.op());
        let ops: Vec<Op> = step.ops.iter().copied().chain(copy).collect();
        clone_all(b, &ops, map);
    });
}

/// What the copy would have left in `next`: where the last step was the second of a pair,
/// that is in `state`.
fn give_next(b: &mut Builder, step: &Step) {
    when(b, step, 0, |b| {
        let mut map = IrMapping::new();
        map.map(step.state, step.next);
        map.map(step.next, step.state);
        if let Some(root) = step.copy.first() {
            clone_all(b, &[root.op()], map);
        }
    });
}

/// What is done where there are steps, and `rest` of them is left after pairs.
fn when(b: &mut Builder, step: &Step, rest: i64, fill: impl FnOnce(&mut Builder)) {
    let (map, operands) = end(b.ctx, step);
    let mut constraints = Vec::new();
    for e in map.results() {
        let steps = e.clone() - step.first;
        constraints.push(Constraint {
            expr: steps.clone() - 1,
            is_eq: false,
        });
        constraints.push(Constraint {
            expr: steps.modulo(2) - rest,
            is_eq: true,
        });
    }
    let set = IntegerSet::new(map.num_dims(), map.num_symbols(), constraints);
    let then = |b: &mut Builder| {
        fill(b);
        Vec::new()
    };
    IfOp::build(b, set, &operands, &[], then, None);
}
