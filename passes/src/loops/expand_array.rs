//! An array that every iteration of a nest fills and uses anew becomes one with a part for
//! each iteration.
//!
//! All iterations use the one array, so that they have to run one after another; with
//! parts of their own they need not (P. Feautrier, "Array expansion", 1988).
//!
//! ```text
//!                                          %e = memref.alloc : memref<?x?x160xf64>
//! affine.for %r {                          affine.for %r {
//!   affine.for %q {                          affine.for %q {
//!     affine.for %p {                          affine.for %p {
//!       store ..., %sum[%p]           =>         store ..., %e[%r, %q, %p]
//!     }                                        }
//!     affine.for %p {                          affine.for %p {
//!       store (load %sum[%p]),                   store (load %e[%r, %q, %p]),
//!             %A[%r, %q, %p]                           %A[%r, %q, %p]
//! ```
//!
//! Legal where each iteration writes an element before it reads it. Where the array may be
//! read behind the nest it gets what the last iteration wrote. Done where another array that
//! the nest uses has an element for each iteration and each element of this one, so that
//! memory at most doubles.

use crate::analysis::captured::is_inside;
use terrace_dialects::affine::compose::compose;
use terrace_dialects::affine::{Access, ApplyOp, ForOp, IfOp, LoadOp, MaxOp, StoreOp};
use terrace_dialects::arith::constant_index;
use terrace_dialects::memref::layout::memory_space;
use terrace_dialects::memref::{AllocOp, DeallocOp, DimOp};
use terrace_ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::fingerprint::Fingerprint;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

use super::redirect::redirect;
use crate::analysis::dependence::{Options, dependences};
use crate::analysis::memory::is_root;

/// The most loops that one array is expanded along.
const MAX_LOOPS: usize = 4;

/// One array and the loops that it is expanded along.
struct Expansion {
    array: Value,
    /// From the outside in, each all that uses the array in the one before.
    loops: Vec<ForOp>,
    users: Vec<Op>,
    /// Whether the array has to have its values behind the loops.
    live_out: bool,
}

/// A function in which there is none.
#[derive(PartialEq, Eq, Hash)]
struct Nothing(Fingerprint);

/// Does so wherever it can be done in `function`; the number of arrays.
pub fn run(ctx: &mut Context, function: Op) -> usize {
    let known = Fingerprint::of(ctx, function).map(Nothing);
    if (known.as_ref()).is_some_and(|f| ctx.recalled::<Nothing, ()>(f).is_some()) {
        return 0;
    }
    let done = run_in(ctx, function, function);
    if let (0, Some(nothing)) = (done, known) {
        ctx.remember(nothing, ());
    }
    done
}

/// As [`run`] in a part of `function`: a nest of loops.
pub fn run_in(ctx: &mut Context, function: Op, part: Op) -> usize {
    let private = dependences(ctx, function, &Options::of_regions()).privatizable(ctx);
    let mut arrays: Vec<Value> = Vec::new();
    let mut plans = Vec::new();
    for p in &private {
        if arrays.contains(&p.memref) {
            continue;
        }
        arrays.push(p.memref);
        let loops: Vec<Op> = private
            .iter()
            .filter(|o| o.memref == p.memref)
            .map(|o| o.of.op)
            .collect();
        let inside = |p: &Expansion| {
            let outer = p.loops.first().map(|l| l.op());
            outer.is_some_and(|l| l == part || part.is_ancestor_of(ctx, l))
        };
        plans.extend(plan(ctx, p.memref, &loops, p.live_out).filter(inside));
    }
    for p in &plans {
        expand(ctx, p);
    }
    plans.len()
}

fn plan(ctx: &Context, array: Value, candidates: &[Op], live_out: bool) -> Option<Expansion> {
    let shape = array.ty(ctx).shape(ctx)?.to_vec();
    // Of scalars the sum that a loop carries is better.
    if shape.is_empty() || !is_root(ctx, array) {
        return None;
    }
    let users = array.users(ctx);
    let plain = |u: &Op| u.isa::<LoadOp>(ctx) || u.isa::<StoreOp>(ctx);
    if !users.iter().all(plain) {
        return None;
    }
    let holds_all = |l: &Op| users.iter().all(|u| l.is_ancestor_of(ctx, *u));
    let mut loops: Vec<ForOp> = Vec::new();
    for op in candidates.iter().filter(|l| holds_all(l)).take(MAX_LOOPS) {
        let l = op.cast::<ForOp>(ctx)?;
        // One directly in the other, so that their iterations can be counted.
        let follows = loops
            .last()
            .is_none_or(|o| op.block(ctx) == Some(o.body(ctx)));
        if !follows || !counts(ctx, l, loops.first().copied().unwrap_or(l)) {
            break;
        }
        loops.push(l);
    }
    let inner = loops.last()?.op();
    let ivs: Vec<Value> = loops.iter().map(|l| l.iv(ctx)).collect();
    let moves = |u: &Op| {
        Access::of(ctx, *u).is_none_or(|a| {
            let c = compose(ctx, &a.map, &a.operands);
            c.operands.iter().any(|v| ivs.contains(v))
        })
    };
    if users.iter().any(moves) || !has_as_many(ctx, inner, array, &ivs, shape.len()) {
        return None;
    }
    let again = |u: &Op| !u.isa::<StoreOp>(ctx) || nest(ctx, *u, &loops).is_some();
    if live_out && !users.iter().all(again) {
        return None;
    }
    Some(Expansion {
        array,
        loops,
        users,
        live_out,
    })
}

/// Whether a loop goes through all numbers from a constant that is not negative to one
/// bound that is known in front of `outer`.
fn counts(ctx: &Context, l: ForOp, outer: ForOp) -> bool {
    let known = |v: &Value| !is_inside(ctx, outer.op(), *v);
    l.op().num_results(ctx) == 0
        && l.step(ctx) == 1
        && l.constant_lower(ctx).is_some_and(|n| n >= 0)
        && l.upper_map(ctx).num_results() == 1
        && l.upper_operands(ctx).iter().all(known)
}

/// Whether another array is used in the nest that has an element for each iteration and
/// each element of `array`.
fn has_as_many(ctx: &Context, nest: Op, array: Value, ivs: &[Value], rank: usize) -> bool {
    nest.pre_order(ctx).into_iter().any(|op| {
        let Some(a) = Access::of(ctx, op).filter(|a| a.memref != array) else {
            return false;
        };
        let c = compose(ctx, &a.map, &a.operands);
        let is = |e: &AffineExpr, v: &Value| match e {
            AffineExpr::Dim(d) => c.operands.get(*d as usize) == Some(v),
            _ => false,
        };
        let results = c.map.results();
        results.len() >= ivs.len() + rank && ivs.iter().all(|v| results.iter().any(|e| is(e, v)))
    })
}

/// The loops around `op` inside the loops of a plan, from the outside in, if nothing else
/// is around it there and they are the same in every iteration of those.
fn nest(ctx: &Context, op: Op, around: &[ForOp]) -> Option<Vec<ForOp>> {
    let (outer, inner) = (around.first()?.op(), around.last()?.op());
    let mut loops = Vec::new();
    let mut at = op.parent(ctx)?;
    while at != inner {
        let l = at
            .cast::<ForOp>(ctx)
            .filter(|l| l.op().num_results(ctx) == 0)?;
        loops.push(l);
        at = at.parent(ctx)?;
    }
    loops.reverse();
    let own: Vec<Value> = loops.iter().map(|l| l.iv(ctx)).collect();
    let same = |v: &Value| own.contains(v) || !is_inside(ctx, outer, *v);
    let bounds = loops
        .iter()
        .flat_map(|l| [l.lower_operands(ctx), l.upper_operands(ctx)].concat());
    let subscripts = Access::of(ctx, op)?.operands;
    bounds.chain(subscripts).all(|v| same(&v)).then_some(loops)
}

/// Those of some stores in loops that are not inside loops like those of another, with the
/// same subscripts.
fn without_repeats(ctx: &Context, all: Vec<(Op, Vec<ForOp>)>) -> Vec<(Op, Vec<ForOp>)> {
    // Counters by the number of their loop, so that those of two nests are the same.
    let numbered = |loops: &[ForOp], v: Value| {
        let own = loops.iter().position(|l| l.iv(ctx) == v);
        (own, own.is_none().then_some(v))
    };
    let bounds = |loops: &[ForOp], i: usize| {
        let l = loops[i];
        let operands = [l.lower_operands(ctx), l.upper_operands(ctx)].concat();
        let operands: Vec<_> = operands.iter().map(|v| numbered(loops, *v)).collect();
        let maps = (l.lower_map(ctx).clone(), l.upper_map(ctx).clone());
        (maps, l.step(ctx), operands)
    };
    let subscripts = |(store, loops): &(Op, Vec<ForOp>)| {
        let a = Access::of(ctx, *store)?;
        let c = compose(ctx, &a.map, &a.operands);
        let operands: Vec<_> = c.operands.iter().map(|v| numbered(loops, *v)).collect();
        Some((c.map, operands))
    };
    let repeats = |a: &(Op, Vec<ForOp>), b: &(Op, Vec<ForOp>)| {
        a.1.len() > b.1.len()
            && (0..b.1.len()).all(|i| bounds(&a.1, i) == bounds(&b.1, i))
            && subscripts(a) == subscripts(b)
    };
    let kept = |a: &&(Op, Vec<ForOp>)| !all.iter().any(|b| repeats(a, b));
    all.iter().filter(kept).cloned().collect()
}

fn expand(ctx: &mut Context, p: &Expansion) {
    let Some(outer) = p.loops.first() else {
        return;
    };
    let ty = p.array.ty(ctx);
    let (Some(shape), Some(elem)) = (ty.shape(ctx).map(<[i64]>::to_vec), ty.element(ctx)) else {
        return;
    };
    let ivs: Vec<Value> = p.loops.iter().map(|l| l.iv(ctx)).collect();
    // What the last iteration wrote is written again by the same loops.
    let again: Vec<(Op, Vec<ForOp>)> = p
        .users
        .iter()
        .filter(|u| p.live_out && u.isa::<StoreOp>(ctx))
        .filter_map(|u| Some((*u, nest(ctx, *u, &p.loops)?)))
        .collect();
    let again = without_repeats(ctx, again);
    let space = memory_space(ctx, ty);
    let whole = [vec![DYNAMIC; ivs.len()], shape.clone()].concat();
    let ty = ctx.memref_in(&whole, elem, space);
    let mut b = Builder::before(ctx, outer.op());
    b.loc = p.array.loc(b.ctx);
    let sizes: Vec<Value> = p
        .loops
        .iter()
        .map(|l| {
            let map = l.upper_map(b.ctx).clone();
            let results = [map.results(), &[AffineExpr::constant(0)]].concat();
            let map = AffineMap::new(map.num_dims(), map.num_symbols(), results);
            let operands = l.upper_operands(b.ctx);
            MaxOp::build(&mut b, map, &operands)
        })
        .collect();
    let own_sizes = dynamic_sizes(&mut b, p.array, &shape);
    let own = AllocOp::build(&mut b, ty, &[sizes, own_sizes].concat());
    let dims = u32::try_from(ivs.len() + shape.len()).unwrap_or(u32::MAX);
    let remap = AffineMap::new(dims, 0, (0..dims).map(AffineExpr::dim).collect());

    let mut b = Builder::after(ctx, outer.op());
    b.loc = p.array.loc(b.ctx);
    if !again.is_empty() {
        let last: Vec<Value> = p
            .loops
            .iter()
            .map(|l| {
                let map = l.upper_map(b.ctx);
                let results = map
                    .results()
                    .iter()
                    .map(|e| e.clone() + AffineExpr::constant(-1));
                let map = AffineMap::new(map.num_dims(), map.num_symbols(), results.collect());
                let operands = l.upper_operands(b.ctx);
                ApplyOp::build_composed(&mut b, &map, &operands)
            })
            .collect();
        // Without iterations nothing was written.
        let n = u32::try_from(last.len()).unwrap_or(u32::MAX);
        let first = p.loops.iter().map(|l| l.constant_lower(b.ctx).unwrap_or(0));
        let some = (0..n).zip(first).map(|(d, first)| Constraint {
            expr: AffineExpr::dim(d) + AffineExpr::constant(-first),
            is_eq: false,
        });
        let set = IntegerSet::new(n, 0, some.collect());
        let operands = last.clone();
        IfOp::build(
            &mut b,
            set,
            &operands,
            &[],
            |b| {
                for (store, loops) in &again {
                    let mut map = IrMapping::new();
                    map.map_all(&ivs, &last);
                    write_again(b, *store, loops, own, &last, &mut map);
                }
                Vec::new()
            },
            None,
        );
    }
    DeallocOp::build(&mut b, own);
    let ctx = b.ctx;
    for op in &p.users {
        redirect(ctx, *op, own, &remap, &ivs);
    }
}

/// The sizes of an array that its type does not say.
fn dynamic_sizes(b: &mut Builder, array: Value, shape: &[i64]) -> Vec<Value> {
    let unknown = (0_i64..).zip(shape).filter(|(_, n)| **n == DYNAMIC);
    let sizes = unknown.map(|(d, _)| {
        let d = constant_index(b, d);
        DimOp::build(b, array, d)
    });
    sizes.collect()
}

/// The loops around a store with a store in them of what is in the last iteration's part.
fn write_again(
    b: &mut Builder,
    store: Op,
    loops: &[ForOp],
    own: Value,
    last: &[Value],
    map: &mut IrMapping,
) {
    let Some((l, rest)) = loops.split_first() else {
        let Some(a) = Access::of(b.ctx, store) else {
            return;
        };
        let operands: Vec<Value> = a.operands.iter().map(|v| map.value(*v)).collect();
        let n = u32::try_from(last.len()).unwrap_or(u32::MAX);
        let mut results: Vec<AffineExpr> = (0..n).map(AffineExpr::dim).collect();
        results.extend(a.map.results().iter().map(|e| e.shift_dims(n, 0)));
        let at = AffineMap::new(a.map.num_dims() + n, a.map.num_symbols(), results);
        let at = compose(b.ctx, &at, &[last, &operands[..]].concat());
        let value = LoadOp::build(b, own, at.map, &at.operands);
        map.map(store.operand(b.ctx, 0), value);
        let copy = clone_op(b.ctx, store, map);
        copy.set_loc(b.ctx, b.loc);
        b.insert(copy);
        return;
    };
    let now = |all: Vec<Value>| -> Vec<Value> { all.iter().map(|v| map.value(*v)).collect() };
    let (lower, upper) = (now(l.lower_operands(b.ctx)), now(l.upper_operands(b.ctx)));
    let maps = (l.lower_map(b.ctx).clone(), l.upper_map(b.ctx).clone());
    let (step, iv) = (l.step(b.ctx), l.iv(b.ctx));
    let name = l.body(b.ctx).arg_loc(b.ctx, 0);
    let new = ForOp::build(
        b,
        (maps.0, &lower),
        (maps.1, &upper),
        step,
        &[],
        |b, new, _| {
            map.map(iv, new);
            write_again(b, store, rest, own, last, map);
            Vec::new()
        },
    );
    new.body(b.ctx).set_arg_loc(b.ctx, 0, name);
}
