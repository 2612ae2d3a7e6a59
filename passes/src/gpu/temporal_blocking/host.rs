//! What runs on the host: the launches, and what is left of the steps.

use super::find::Stencil;
use super::kernel::{Frame, launch};
use super::plan::TimeTiling;
use crate::analysis::linear::Linear;
use crate::loops::build::index::*;
use terrace_dialects::affine;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// Warps that a large machine runs at a time, and how many times as many there should be.
const WARPS: i64 = 132 * 16;
const WAVES: i64 = 8;

/// Replaces the loop over time.
pub fn tile(ctx: &mut Context, s: &Stencil, plan: &TimeTiling) {
    let mut b = Builder::before(ctx, s.time.op());
    b.loc = s.time.op().loc(b.ctx);
    let b = &mut b;
    let ends = |b: &mut Builder, l: &Linear| linear(b, l, &[]);
    let zero = constant(b, 0);
    let (start, end) = (ends(b, &s.start), ends(b, &s.end));
    let trips = sub(b, end, start);
    let trips = max(b, trips, zero);
    let lo: Vec<Value> = s.lo.iter().map(|l| ends(b, l)).collect();
    let hi: Vec<Value> = s.hi.iter().map(|l| ends(b, l)).collect();
    let lengths: Vec<Value> = (lo.iter().zip(&hi))
        .map(|(l, h)| {
            let n = sub(b, *h, *l);
            max(b, n, zero)
        })
        .collect();
    let cells = product(b, &lengths);
    let least = constant(b, plan.least_box.max(1));
    let large = CmpIOp::build(b, CmpIPredicate::Sge, cells, least);

    // Of 2 T sweeps the last is one of its own; others go S at a time.
    let tiled = times(b, trips, 2);
    let tiled = add_constant(b, tiled, -1);
    let steps = constant(b, plan.steps);
    let enough = CmpIOp::build(b, CmpIPredicate::Sge, tiled, steps);
    let tiled_at_all = and(b, large, enough);
    // S iterations are 2 S sweeps, which are two launches.
    let of_pairs = max(b, tiled, zero);
    let both = constant(b, 2 * plan.steps);
    let pairs = div(b, of_pairs, both);
    let pairs = SelectOp::build(b, tiled_at_all, pairs, zero);
    let done = mul(b, pairs, steps);
    let rest = sub(b, trips, done);
    // One more launch, and the sweep back, are half as many iterations, rounded up.
    let half = (plan.steps + 1) / 2;
    let least_rest = constant(b, half);
    let more = CmpIOp::build(b, CmpIPredicate::Sge, rest, least_rest);
    let more = and(b, more, tiled_at_all);
    let fewer = add_constant(b, rest, -half);
    let rest = SelectOp::build(b, more, fewer, rest);

    let one = constant(b, 1);
    let frame = Frame {
        s,
        plan,
        march: march(b, plan, s, &lengths),
        lo,
        hi,
        lengths,
    };
    // Each launch stands in the text once, since kernels are large.
    let launches = times(b, pairs, 2);
    let another = add_constant(b, launches, 1);
    let launches = SelectOp::build(b, more, another, launches);
    scf::ForOp::build_with(b, (zero, launches, one), &[], |b, n, _| {
        let (_, odd) = split(b, n, 2);
        let even = CmpIOp::build(b, CmpIPredicate::Eq, odd, zero);
        let (_, then, other) = scf::IfOp::build(b, even, &[], true);
        for (block, first) in [(Some(then), 0), (other, 1)] {
            let Some(block) = block else { continue };
            b.with_point(InsertPoint::End(block), |b| {
                launch(b, &frame, first);
                scf::YieldOp::build(b, &[]);
            });
        }
        Vec::new()
    });
    let (_, then, _) = scf::IfOp::build(b, more, &[], false);
    b.with_point(InsertPoint::End(then), |b| {
        copy(b, s, &[s.sweeps[1].nest]);
        scf::YieldOp::build(b, &[]);
    });
    scf::ForOp::build_with(b, (zero, rest, one), &[], |b, _, _| {
        copy(b, s, &[s.sweeps[0].nest, s.sweeps[1].nest]);
        Vec::new()
    });
    s.time.op().erase(b.ctx);
}

fn product(b: &mut Builder, factors: &[Value]) -> Value {
    let one = constant(b, 1);
    factors.iter().fold(one, |p, f| mul(b, p, *f))
}

/// Planes that a block marches over: so many that what is computed again at both ends
/// is little, and so few that every multiprocessor gets blocks.
fn march(b: &mut Builder, plan: &TimeTiling, s: &Stencil, lengths: &[Value]) -> Value {
    let useful = plan.useful();
    let last = s.rank() - 1;
    let mut tiles = tiles(b, lengths[last], useful[1]);
    if s.rank() == 3 {
        let rows = self::tiles(b, lengths[1], useful[0]);
        tiles = mul(b, tiles, rows);
    }
    let wanted = (WAVES * WARPS / plan.row_warps()).max(1);
    let all = mul(b, tiles, lengths[0]);
    let share = self::tiles(b, all, wanted);
    let least = constant(b, plan.least_march);
    max(b, share, least)
}

/// `length` in parts of `n`, rounded up.
pub fn tiles(b: &mut Builder, length: Value, n: i64) -> Value {
    let more = add_constant(b, length, n - 1);
    let n = constant(b, n);
    div(b, more, n)
}

/// Copies of nests of the time loop, with what they use of its body.
fn copy(b: &mut Builder, s: &Stencil, nests: &[Op]) {
    let mut map = IrMapping::new();
    for op in s.time.body(b.ctx).ops(b.ctx) {
        let wanted = match op.name(b.ctx) {
            affine::YieldOp::NAME => false,
            affine::ForOp::NAME => nests.contains(&op),
            _ => !uses(b.ctx, op, s.time.iv(b.ctx), &map),
        };
        if wanted {
            let copy = clone_op(b.ctx, op, &mut map);
            b.insert(copy);
        }
    }
}

/// Whether an op computes with the counter of time, which nothing that is copied needs.
fn uses(ctx: &Context, op: Op, counter: Value, map: &IrMapping) -> bool {
    op.operands(ctx).into_iter().any(|v| {
        let inside = v.def_op().is_some_and(|d| d.block(ctx) == op.block(ctx));
        v == counter || inside && map.get(v).is_none()
    })
}
