//! `affine-scalrep`: values go from store to load directly.
//!
//! - A load of what a store before it has certainly stored becomes that value.
//! - A load of what a load before it has certainly loaded becomes that value.
//! - A store of what a store behind it certainly overwrites, unread in between, goes.
//! - A store of what a load before it has loaded from there, unchanged in between, goes.
//! - A local memref that, after a load was replaced, is only stored to, goes.
//!
//! Legal where both accesses are of the same element, the one always comes before
//! (behind) the other, and nothing that may run in between writes (reads) it; see
//! [`crate::analysis::intervening`].
//!
//! ```text
//! affine.store %v, %m[%i]                affine.store %v, %m[%i]
//! %0 = affine.load %m[%i]          =>    use(%v)
//! use(%0)
//! ```

use crate::analysis::intervening::{
    Effect, dominates, is_same_element, may_intervene, post_dominates,
};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::affine::{Access, AccessKind, ParallelOp};
use terrace_dialects::arith::{ExtSIOp, ExtUIOp, TruncIOp};
use terrace_dialects::func;
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-scalrep",
    title: "AffineScalarReplacement",
    summary: "Replace affine memref accesses by scalars by forwarding stores to loads and eliminating redundant loads",
    description: "Forwards stored values to loads, merges loads of the same element, and removes stores and memrefs that nothing reads then.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::flag(
        "threads",
        "In parallel loops alone: what goes from one nest to another stays in memory",
    )],
    statistics: &[
        StatisticInfo::new("num-loads", "Number of loads replaced"),
        StatisticInfo::new(
            "num-stores",
            "Number of stores removed as overwritten, or of what is there",
        ),
        StatisticInfo::new("num-memrefs", "Number of memrefs removed"),
    ],
    make: |o| Ok(Box::new(ScalarReplacement(o.bool("threads")))),
};

struct ScalarReplacement(bool);

impl Pass for ScalarReplacement {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut roots = vec![function];
        if self.0 {
            roots = (function.find_all::<ParallelOp>(ctx).into_iter())
                .map(|p| p.op())
                .filter(|o| o.parent_of::<ParallelOp>(ctx).is_none())
                .collect();
        }
        for root in roots {
            self.within(ctx, root);
        }
        Ok(())
    }
}

impl ScalarReplacement {
    /// Replaces what is within an op.
    fn within(&self, ctx: &mut PassContext, op: Op) {
        let (forwarded, memrefs) = forward_stores(ctx, op);
        let stores = remove_overwritten_stores(ctx, op);
        let gone = memrefs
            .into_iter()
            .filter(|m| remove_unread(ctx, *m))
            .count();
        let merged = merge_loads(ctx, op);
        let back = remove_stores_back(ctx, op);
        ctx.count("num-loads", forwarded + merged);
        ctx.count("num-stores", stores + back);
        ctx.count("num-memrefs", gone as u64);
    }
}

/// The accesses inside `root` of each memref, in the order of the text.
fn by_memref(ctx: &Context, root: Op) -> Vec<Vec<Access>> {
    let mut place: FxHashMap<Value, usize> = FxHashMap::default();
    let mut all: Vec<Vec<Access>> = Vec::new();
    for a in Access::all(ctx, root) {
        let i = *place.entry(a.memref).or_insert_with(|| {
            all.push(Vec::new());
            all.len() - 1
        });
        all[i].push(a);
    }
    all
}

/// Replace each load inside `root` of what a store has certainly stored by that value.
/// Returns how many were, and from which memrefs.
pub fn forward_stores(ctx: &mut Context, root: Op) -> (u64, Vec<Value>) {
    let (mut done, mut memrefs) = (0, Vec::new());
    for accesses in by_memref(ctx, root) {
        for (i, load) in accesses.iter().enumerate() {
            if load.kind != AccessKind::Read {
                continue;
            }
            // The last one first: it is what hides the others.
            let found = accesses[..i].iter().rev().find_map(|store| {
                let value = store.stored(ctx)?;
                let fits = is_same_element(ctx, store, load)
                    && value.ty(ctx) == load.op.result(ctx, 0).ty(ctx)
                    && dominates(ctx, store.op, load.op)
                    && !may_intervene(ctx, store.op, load.op, load, Effect::Writes);
                fits.then_some(value)
            });
            if let Some(value) = found {
                load.op.replace(ctx, &[value]);
                memrefs.push(load.memref);
                done += 1;
            }
        }
    }
    let mut seen = FxHashSet::default();
    memrefs.retain(|m| seen.insert(*m));
    (done, memrefs)
}

/// Remove each store inside `root` that another one certainly overwrites unread. Returns
/// how many there were.
pub fn remove_overwritten_stores(ctx: &mut Context, root: Op) -> u64 {
    let mut done = 0;
    for accesses in by_memref(ctx, root) {
        for (i, first) in accesses.iter().enumerate() {
            let Some(value) = first.stored(ctx) else {
                continue;
            };
            let is_overwritten = accesses[i + 1..].iter().any(|second| {
                second
                    .stored(ctx)
                    .is_some_and(|v| v.ty(ctx) == value.ty(ctx))
                    && is_same_element(ctx, first, second)
                    && post_dominates(ctx, second.op, first.op)
                    && !may_intervene(ctx, first.op, second.op, first, Effect::Reads)
            });
            if is_overwritten {
                first.op.erase(ctx);
                done += 1;
            }
        }
    }
    done
}

/// Remove each store inside `root` of what was loaded from the same element and is certainly there
/// still. Returns how many there were.
fn remove_stores_back(ctx: &mut Context, root: Op) -> u64 {
    let mut done = 0;
    for accesses in by_memref(ctx, root) {
        for store in &accesses {
            let Some(load) = store.stored(ctx).and_then(|v| unchanged(ctx, v).def_op()) else {
                continue;
            };
            let is_there = accesses.iter().any(|a| {
                a.op == load
                    && a.kind == AccessKind::Read
                    && is_same_element(ctx, a, store)
                    && dominates(ctx, load, store.op)
                    && !may_intervene(ctx, load, store.op, store, Effect::Writes)
            });
            if is_there {
                store.op.erase(ctx);
                done += 1;
            }
        }
    }
    done
}

/// The number that `v` is, without a way to more bits and back.
fn unchanged(ctx: &Context, v: Value) -> Value {
    let narrowed = v.def_op().filter(|op| op.isa::<TruncIOp>(ctx));
    let wide = narrowed.and_then(|op| op.operand(ctx, 0).def_op());
    let widens = |op: &Op| op.isa::<ExtSIOp>(ctx) || op.isa::<ExtUIOp>(ctx);
    match wide.filter(widens).map(|op| op.operand(ctx, 0)) {
        Some(before) if before.ty(ctx) == v.ty(ctx) => before,
        _ => v,
    }
}

/// Replace each load inside `root` of what another load has certainly loaded before.
/// Returns how many were.
pub fn merge_loads(ctx: &mut Context, root: Op) -> u64 {
    let mut done = 0;
    for accesses in by_memref(ctx, root) {
        let mut kept: Vec<&Access> = Vec::new();
        for load in accesses.iter().filter(|a| a.kind == AccessKind::Read) {
            let ty = load.op.result(ctx, 0).ty(ctx);
            let before = kept.iter().find(|before| {
                before.op.result(ctx, 0).ty(ctx) == ty
                    && is_same_element(ctx, before, load)
                    && dominates(ctx, before.op, load.op)
                    && !may_intervene(ctx, before.op, load.op, load, Effect::Writes)
            });
            match before.map(|b| b.op.result(ctx, 0)) {
                Some(value) => {
                    load.op.replace(ctx, &[value]);
                    done += 1;
                }
                None => kept.push(load),
            }
        }
    }
    done
}

/// Remove a memref that is allocated here and only stored to and freed, with all that
/// uses it. Returns whether it was one.
pub fn remove_unread(ctx: &mut Context, memref: Value) -> bool {
    let only = |op: Op, kind: EffectKind| {
        matches!(own_effects(ctx, op).as_deref(), Some([e]) if e.kind == kind && e.on == Some(memref))
            && op.num_regions(ctx) == 0
    };
    let Some(def) = memref.def_op() else {
        return false;
    };
    if def.num_results(ctx) != 1 || !only(def, EffectKind::Alloc) {
        return false;
    }
    let users = memref.users(ctx);
    let unread = users.iter().all(|op| {
        let stores =
            Access::of(ctx, *op).is_some_and(|a| a.stored(ctx).is_some_and(|v| v != memref));
        stores || op.num_results(ctx) == 0 && only(*op, EffectKind::Free)
    });
    if !unread {
        return false;
    }
    let mut seen = FxHashSet::default();
    for op in users.into_iter().filter(|op| seen.insert(*op)) {
        op.erase(ctx);
    }
    def.erase(ctx);
    true
}
