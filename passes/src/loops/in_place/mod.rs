//! A scalar in which an iteration computes what it stores to an element in the end becomes
//! that element.
//!
//! All iterations use the one scalar, so that no other order of the loops is legal; the
//! elements are different ones. Nothing is computed otherwise.
//!
//! ```text
//! affine.for %j {                              affine.for %j {
//!   store (load %A[%i, %j]), %w[]
//!   affine.for %k {                      =>      affine.for %k {
//!     store (load %w[]) - ..., %w[]                store (load %A[%i, %j]) - ..., %A[%i, %j]
//!   }                                            }
//!   store (load %w[]) / ..., %A[%i, %j]          store (load %A[%i, %j]) / ..., %A[%i, %j]
//! }                                            }
//! ```
//!
//! A value that a loop carries and that is stored to an element in the end is such a scalar too
//! ([`values`]).
//!
//! Legal where each iteration writes the scalar before it reads it, nothing reads it
//! afterwards, the store to the element comes after all that, and from the first write of
//! the scalar to that store the iteration does not touch the element otherwise.

mod values;

use crate::analysis::captured::is_inside;
use rustc_hash::FxHashSet;
use terrace_dialects::affine::{Access, LoadOp, StoreOp, compose::compose};
use terrace_ir::affine::AffineMap;
use terrace_ir::effects::is_pure;
use terrace_ir::fingerprint::Fingerprint;
use terrace_ir::{Context, Op, Value};

use crate::analysis::dependence::{Carrier, Dependences, Options, Private, dependences};
use crate::analysis::memory::is_root;

/// One scalar in one loop.
struct Scalar {
    /// Its accesses.
    users: Vec<Op>,
    /// The store to the element.
    store: Op,
    /// The element.
    array: Value,
    map: AffineMap,
    operands: Vec<Value>,
}

/// Does so of values that loops carry, wherever it can be done in `function`; how many.
pub fn values(ctx: &mut Context, function: Op) -> usize {
    let carried = values::to_memory(ctx, function);
    if carried.is_empty() {
        return 0;
    }
    run(ctx, function);
    values::back(ctx, carried)
}

/// A function in which there is none.
#[derive(PartialEq, Eq, Hash)]
struct Nothing(Fingerprint);

/// Does so wherever it can be done in `function`; the number of scalars and loops.
pub fn run(ctx: &mut Context, function: Op) -> usize {
    let known = Fingerprint::of(ctx, function).map(Nothing);
    if (known.as_ref()).is_some_and(|f| ctx.recalled::<Nothing, ()>(f).is_some()) {
        return 0;
    }
    let done = run_anew(ctx, function);
    if let (0, Some(nothing)) = (done, known) {
        ctx.remember(nothing, ());
    }
    done
}

fn run_anew(ctx: &mut Context, function: Op) -> usize {
    let all = dependences(ctx, function, &Options::of_regions());
    let mut taken: FxHashSet<Op> = FxHashSet::default();
    let mut plans = Vec::new();
    for p in all.privatizable(ctx) {
        if let Some(plan) = plan(ctx, &all, &p)
            && !plan.users.iter().any(|u| taken.contains(u))
        {
            taken.extend(plan.users.iter().copied());
            plans.push(plan);
        }
    }
    let mut loaded: FxHashSet<Op> = FxHashSet::default();
    for p in &plans {
        for op in &p.users {
            let Some(a) = Access::of(ctx, *op) else {
                continue;
            };
            op.set_operand(ctx, a.memref_index, p.array);
            Access::set_subscripts(ctx, *op, p.map.clone(), &p.operands);
        }
        for store in p.users.iter().chain([&p.store]) {
            if stores_what_is_there(ctx, *store) {
                loaded.extend(store.operand(ctx, 0).def_op());
                store.erase(ctx);
            }
        }
    }
    // Only now, since another scalar's accesses may be among them.
    for load in loaded {
        if !load.has_uses(ctx) {
            load.erase(ctx);
        }
    }
    plans.len()
}

/// Whether a store puts into an element what was loaded from it with nothing written
/// between.
fn stores_what_is_there(ctx: &Context, store: Op) -> bool {
    let same = |a: &Access, b: &Access| {
        let (x, y) = (
            compose(ctx, &a.map, &a.operands),
            compose(ctx, &b.map, &b.operands),
        );
        a.memref == b.memref && x.map == y.map && x.operands == y.operands
    };
    let (Some(s), true) = (Access::of(ctx, store), store.isa::<StoreOp>(ctx)) else {
        return false;
    };
    let load = store.operand(ctx, 0).def_op();
    let load = load.filter(|o| o.isa::<LoadOp>(ctx) && o.block(ctx) == store.block(ctx));
    let Some(load) = load else { return false };
    let mut at = load.next(ctx);
    while let Some(op) = at.filter(|o| *o != store) {
        let writes = op.num_regions(ctx) > 0 || !(is_pure(ctx, op) || op.isa::<LoadOp>(ctx));
        if writes {
            return false;
        }
        at = op.next(ctx);
    }
    Access::of(ctx, load).is_some_and(|l| same(&l, &s))
}

fn plan(ctx: &Context, all: &Dependences, p: &Private) -> Option<Scalar> {
    let (l, scalar) = (p.of.op, p.memref);
    let is_scalar = scalar.ty(ctx).shape(ctx).is_some_and(|s| s.is_empty());
    if p.live_out || !is_scalar || !is_root(ctx, scalar) {
        return None;
    }
    let body = l.body(ctx, 0);
    let users: Vec<Op> = scalar
        .users(ctx)
        .into_iter()
        .filter(|u| l.is_ancestor_of(ctx, *u))
        .collect();
    let plain = |u: &Op| u.isa::<LoadOp>(ctx) || u.isa::<StoreOp>(ctx);
    if !users.iter().all(plain) {
        return None;
    }
    // The statements of the body that use it, in their order.
    let uses = |o: &Op| users.iter().any(|u| o.is_ancestor_of(ctx, *u) || o == u);
    let statements: Vec<Op> = body.ops(ctx).into_iter().filter(uses).collect();
    let (first, last) = (*statements.first()?, *statements.last()?);
    if !last.isa::<LoadOp>(ctx) {
        return None;
    }
    let store = stored_from(ctx, last)?;
    let a = Access::of(ctx, store)?;
    let element = |v: Value| v.ty(ctx).element(ctx);
    if a.memref == scalar || !is_root(ctx, a.memref) || element(a.memref) != element(scalar) {
        return None;
    }
    let c = compose(ctx, &a.map, &a.operands);
    // The same in all of the iteration.
    let known = |v: &Value| *v == p.of.iv || !is_inside(ctx, l, *v);
    if !c.operands.iter().all(known) {
        return None;
    }
    let sites = &all.program.sites;
    for d in &all.all {
        let (from, to) = (sites[d.source].op, sites[d.sink].op);
        let other = match (from == store, to == store) {
            (true, false) => to,
            (false, true) => from,
            _ => continue,
        };
        if !l.is_ancestor_of(ctx, other) || matches!(d.carrier, Carrier::Loop(_)) {
            continue;
        }
        let before = other
            .ancestor_in(ctx, body)
            .is_some_and(|o| o.is_before(ctx, first));
        if d.carrier != Carrier::Independent || !before {
            return None;
        }
    }
    Some(Scalar {
        users,
        store,
        array: a.memref,
        map: c.map,
        operands: c.operands,
    })
}

/// The most ops from the load of the scalar to the store.
const MAX_OPS: usize = 32;

/// The store, behind `load` in its block, of what comes of it.
fn stored_from(ctx: &Context, load: Op) -> Option<Op> {
    stored(ctx, *load.results(ctx).first()?)
}

/// The store of what comes of `v`, in the block that computes it.
fn stored(ctx: &Context, v: Value) -> Option<Op> {
    let (mut v, block) = (v, v.block(ctx));
    for _ in 0..MAX_OPS {
        let [user] = v.users(ctx)[..] else {
            return None;
        };
        if user.block(ctx) != block {
            return None;
        }
        if user.isa::<StoreOp>(ctx) {
            return (user.operand(ctx, 0) == v).then_some(user);
        }
        if user.num_regions(ctx) > 0 || user.num_results(ctx) != 1 {
            return None;
        }
        v = *user.results(ctx).first()?;
    }
    None
}
