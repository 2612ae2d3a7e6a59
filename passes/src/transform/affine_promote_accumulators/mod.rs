//! `affine-promote-accumulators`: an element of an array that a nest of loops only accumulates
//! into becomes a value that the loops carry.
//!
//! Only such a value can be a reduction of parallel loops. Legal where nothing else in the nest
//! may touch the element, and it is surely there. The order of the operations stays, but a sum or product of floats is
//! left alone unless its order may change: carried, it would keep its loops together.
//!
//! ```text
//!                                            %0 = affine.load %s[0]
//!                                            %r = affine.for %i iter_args(%b = %0) {
//! affine.for %i {                              %q = affine.for %j iter_args(%c = %b) {
//!   affine.for %j {
//!     %1 = affine.load %s[0]            =>
//!     %2 = arith.addi %1, %v                     %2 = arith.addi %c, %v
//!     affine.store %2, %s[0]                     affine.yield %2
//!   }                                          }
//!                                              affine.yield %q
//! }                                          }
//!                                            affine.store %r, %s[0]
//! ```

mod through;

use crate::analysis::accumulate::accumulation;
use crate::analysis::captured::is_inside;
use crate::analysis::directive::{LoopClauses, Region};
use crate::analysis::in_bounds::is_stored_before;
use crate::analysis::loop_like::Loop;
use crate::analysis::memory::{base, may_be_same};
use crate::analysis::parallel::accesses;
use crate::analysis::source;
use crate::loops::carry::{carry, set_yielded};
use crate::loops::promote::runs::{Runs, is_within};
use terrace_dialects::affine::scope::is_induction_var;
use terrace_dialects::affine::{self, Access, AccessKind, ForOp, LoadOp, ParallelOp, StoreOp};
use terrace_dialects::{arith, func, memref, scf};
use terrace_ir::affine::ValueMap;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value};

/// `affine-promote-accumulators`.
pub static INFO: PassInfo = PassInfo {
    name: "affine-promote-accumulators",
    title: "AffinePromoteAccumulators",
    summary: "Let nests of affine loops carry the elements that they accumulate into",
    description: "An element with the same subscripts in all iterations of a nest, which the nest only accumulates into, is loaded before the nest and stored behind it.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::flag(
            "reassociate",
            "Sums and products of floats may be computed in any order, also where their ops do not say so",
        ),
        OptionInfo::flag(
            "threads",
            "In parallel loops alone, where iterations each have their own elements: nests of several loops that accumulate into one",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-promoted",
        "Number of elements that loops carry",
    )],
    make: |o| {
        Ok(Box::new(PromoteAccumulators {
            reassociate: o.bool("reassociate"),
            threads: o.bool("threads"),
        }))
    },
};

struct PromoteAccumulators {
    reassociate: bool,
    threads: bool,
}

impl Pass for PromoteAccumulators {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        // The loops of a thread stay as they are, and so does the order of their sums.
        let reassociate =
            self.reassociate || self.threads || Region::of(ctx, function).reassociates;
        let mut promoted = 0;
        let mut loops = function.find_all::<ForOp>(ctx);
        loops.retain(|l| !self.threads || l.op().parent_of::<ParallelOp>(ctx).is_some());
        for l in loops {
            let mut l = l;
            // An element that turned out to be no sum is not looked at again.
            let mut refused = 0;
            while let Some(a) = candidates(ctx, l, self.threads).into_iter().nth(refused) {
                match promote(ctx, &a, reassociate) {
                    Some(new) => {
                        l = new;
                        promoted += 1;
                    }
                    None => refused += 1,
                }
            }
        }
        ctx.count("num-promoted", promoted);
        Ok(())
    }
}

/// An element that a nest reads and writes.
struct Element {
    /// The loops of the nest, the outermost first.
    nest: Vec<ForOp>,
    /// What touches it, all in the innermost loop, in the order of the text.
    members: Vec<Access>,
    /// The subscripts, over values from outside the nest.
    subscripts: ValueMap<Value>,
    /// The element may only be touched where these numbers of iterations are positive.
    where_runs: Vec<Runs>,
}

/// The elements that `l`, which has no loop in it, reads and writes, each the same in all
/// iterations of its nest. `threads`: of a nest in a parallel loop.
fn candidates(ctx: &Context, l: ForOp, threads: bool) -> Vec<Element> {
    if l.op().find_all::<ForOp>(ctx).len() != 1 {
        return Vec::new();
    }
    let all = Access::all(ctx, l.op());
    let mut found: Vec<Element> = Vec::new();
    for store in all.iter().filter(|a| a.op.isa::<StoreOp>(ctx)) {
        if found
            .iter()
            .any(|e| e.members.iter().any(|a| a.op == store.op))
        {
            continue;
        }
        found.extend(element(ctx, l, store, &all, threads));
    }
    found
}

fn element(
    ctx: &Context,
    l: ForOp,
    store: &Access,
    all: &[Access],
    threads: bool,
) -> Option<Element> {
    let at = store.composed(ctx);
    // An element for each iteration of a loop around is no sum of everything: that loop may
    // be parallel, and wants its statements in memory to be taken apart.
    if !threads && at.operands.iter().any(|v| is_induction_var(ctx, *v)) {
        return None;
    }
    let same = |a: &&Access| {
        let c = a.composed(ctx);
        a.memref == store.memref && c.map == at.map && c.operands == at.operands
    };
    let members: Vec<Access> = all.iter().filter(same).cloned().collect();
    let plain = |a: &Access| a.op.isa::<StoreOp>(ctx) || a.op.isa::<LoadOp>(ctx);
    let mut loads = members.iter().filter(|a| a.kind == AccessKind::Read);
    if loads.next().is_none()
        || !members
            .iter()
            .all(|a| plain(a) && in_branches(ctx, l, a.op))
    {
        return None;
    }
    let nest = nest(ctx, l, store, &at);
    let root = *nest.first()?;
    if threads && nest.len() < 2 {
        return None;
    }
    // A scalar of the function's own in a loop is what an iteration computes something in: it
    // may be had by each, or be the element that is stored in the end.
    let own = store
        .memref
        .def_op()
        .is_some_and(|o| o.isa::<memref::AllocaOp>(ctx));
    if own && root.op().parent_of::<ForOp>(ctx).is_some() {
        return None;
    }
    let directed = nest.iter().any(|l| LoopClauses::of(ctx, l.op()).is_some());
    if directed || !is_alone(ctx, root, &members, &at) {
        return None;
    }
    // Under a condition it may be that the element is touched in no iteration.
    let certain = |a: &Access| a.op.block(ctx) == Some(l.body(ctx));
    let there = is_within(ctx, store, &at) || is_stored_before(ctx, store, root.op());
    let where_runs = match there {
        true => Vec::new(),
        false if members.iter().any(certain) => all_run(ctx, root, &nest)?,
        false => return None,
    };
    Some(Element {
        nest,
        members,
        subscripts: at,
        where_runs,
    })
}

/// Whether `op` stands in the body of `l` or in branches of conditions there.
fn in_branches(ctx: &Context, l: ForOp, op: Op) -> bool {
    let mut at = op.parent(ctx);
    while let Some(o) = at.filter(|o| *o != l.op()) {
        if !(o.isa::<scf::IfOp>(ctx) || o.isa::<affine::IfOp>(ctx)) {
            return false;
        }
        at = o.parent(ctx);
    }
    at.is_some()
}

/// The loops around `l`, as far as each holds nothing but the next and what may stand beside
/// it, and the subscripts of `a` do not change; the outermost first.
fn nest(ctx: &Context, l: ForOp, a: &Access, at: &ValueMap<Value>) -> Vec<ForOp> {
    let fixed = |l: ForOp| {
        let inside = |v: Value| is_inside(ctx, l.op(), v);
        !inside(a.memref) && !at.operands.iter().any(|v| inside(*v))
    };
    let mut all = Vec::new();
    let mut at = Some(l).filter(|l| fixed(*l));
    while let Some(l) = at {
        all.insert(0, l);
        let parent = l.op().parent(ctx).and_then(|o| o.cast::<ForOp>(ctx));
        at = parent.filter(|p| {
            let ops = p.body(ctx).ops(ctx);
            let (_, ops) = ops.split_last().unwrap_or((&l.op(), &[]));
            let beside = |o: &Op| *o == l.op() || is_pure(ctx, *o) || o.isa::<LoadOp>(ctx);
            fixed(*p) && ops.iter().all(beside)
        });
    }
    all
}

/// Whether nothing in the nest of `root` but `members` may touch the element `at`.
fn is_alone(ctx: &Context, root: ForOp, members: &[Access], at: &ValueMap<Value>) -> bool {
    let Ok(all) = accesses(ctx, root, |_, _| false) else {
        return false;
    };
    let memref = members[0].memref;
    let mut others = (all.iter()).filter(|a| members.iter().all(|m| m.op != a.op));
    others.all(|a| {
        let elsewhere = || {
            let x = a.composed(ctx).map.constant_results();
            let differ = x
                .zip(at.map.constant_results())
                .is_some_and(|(x, y)| x != y);
            a.vector.is_none() && a.memref == memref && differ
        };
        a.kind == AccessKind::Prefetch
            || !may_be_same(ctx, base(ctx, a.memref), base(ctx, memref))
            || elsewhere()
    })
}

/// When all loops of a nest run; `None` where that cannot be told in front of it.
fn all_run(ctx: &Context, root: ForOp, nest: &[ForOp]) -> Option<Vec<Runs>> {
    let mut all = Vec::new();
    for l in nest {
        let runs = Runs::of(ctx, *l, 1)?;
        if let Runs::If(count) = &runs {
            if count.operands.iter().any(|v| is_inside(ctx, root.op(), *v)) {
                return None;
            }
            all.push(runs);
        }
    }
    Some(all)
}

/// Lets the nest carry the element where it is accumulated into; gives the innermost loop as
/// it is then. Else nothing changes.
fn promote(ctx: &mut Context, e: &Element, reassociate: bool) -> Option<ForOp> {
    let first = &e.members[0];
    let ty = first.memref.ty(ctx).element(ctx)?;
    let zero = ctx.zero_attr(ty)?;
    // A trial tells what the value is: its nest starts from zero, and nothing uses it.
    let root = e.nest.first()?.op();
    let mut map = IrMapping::new();
    let copy = clone_op(ctx, root, &mut map);
    copy.insert_before(ctx, root);
    let mut b = Builder::before(ctx, copy);
    let start = arith::constant(&mut b, zero);
    let trial = carried_by(ctx, &copied(ctx, e, copy)?, start)?;
    let last = trial.outer.iter_args(ctx).len() - 1;
    let found = accumulation(ctx, Loop::Affine(trial.outer), last);
    trial.outer.op().erase(ctx);
    start.def_op()?.erase(ctx);
    found.filter(|a| !a.rounds() || a.reassociates || reassociate)?;

    let loc = e.members.last()?.op.loc(ctx);
    let mut b = Builder::before(ctx, root);
    b.loc = first.op.loc(b.ctx);
    let start = load_where(&mut b, e, &e.where_runs, ty)?;
    let new = carried_by(b.ctx, e, start)?;
    let last = *new.outer.op().results(ctx).last()?;
    let mut b = Builder::after(ctx, new.outer.op());
    b.loc = loc;
    store_where(&mut b, e, &e.where_runs, last);
    Some(new.inner)
}

/// The same element in `copy`, a copy of the nest.
fn copied(ctx: &Context, e: &Element, copy: Op) -> Option<Element> {
    let root = e.nest.first()?.op();
    let (old, new) = (root.pre_order(ctx), copy.pre_order(ctx));
    let of = |op: Op| Some(new[old.iter().position(|o| *o == op)?]);
    let nest = e.nest.iter().map(|l| of(l.op())?.cast::<ForOp>(ctx));
    let members = e.members.iter().map(|a| Access::of(ctx, of(a.op)?));
    Some(Element {
        nest: nest.collect::<Option<_>>()?,
        members: members.collect::<Option<_>>()?,
        subscripts: e.subscripts.clone(),
        where_runs: Vec::new(),
    })
}

/// Loops that carry an element.
struct Carried {
    outer: ForOp,
    inner: ForOp,
}

/// Lets the nest carry the element, which is `start` in front of it.
fn carried_by(ctx: &mut Context, e: &Element, start: Value) -> Option<Carried> {
    let loc = e.members.last()?.op.loc(ctx);
    let name = source::element(ctx, e.members[0].op).unwrap_or_default();
    let named = loc.named(ctx, &name);
    let mut carried = start;
    let mut loops: Vec<ForOp> = Vec::new();
    for l in &e.nest {
        let new = carry(ctx, *l, &[carried]);
        if let Some(outer) = loops.last() {
            let mut yielded = outer.yielded(ctx);
            *yielded.last_mut()? = *new.op().results(ctx).last()?;
            set_yielded(ctx, *outer, &yielded);
        }
        carried = *new.iter_args(ctx).last()?;
        (new.body(ctx)).set_arg_loc(ctx, new.body(ctx).num_args(ctx) - 1, named);
        loops.push(new);
    }
    let (outer, inner) = (*loops.first()?, *loops.last()?);
    let body = inner.body(ctx);
    let last = through::through(ctx, body, &e.members, carried)?;
    let mut yielded = inner.yielded(ctx);
    *yielded.last_mut()? = last;
    set_yielded(ctx, inner, &yielded);
    Some(Carried { outer, inner })
}

fn load_where(b: &mut Builder, e: &Element, runs: &[Runs], ty: Type) -> Option<Value> {
    let (map, operands) = (&e.subscripts.map, &e.subscripts.operands);
    match runs {
        [] => Some(LoadOp::build(b, e.members[0].memref, map.clone(), operands)),
        [first, rest @ ..] => {
            let zero = b.ctx.zero_attr(ty)?;
            let inner = |b: &mut Builder| {
                load_where(b, e, rest, ty).unwrap_or_else(|| arith::constant(b, zero))
            };
            first.value(b, inner, ty)
        }
    }
}

fn store_where(b: &mut Builder, e: &Element, runs: &[Runs], v: Value) {
    let (map, operands) = (&e.subscripts.map, &e.subscripts.operands);
    match runs {
        [] => {
            StoreOp::build(b, v, e.members[0].memref, map.clone(), operands);
        }
        [first, rest @ ..] => first.effect(b, |b| store_where(b, e, rest, v)),
    }
}
