//! Reductions through memory: `A[s] = A[s] op e` with an associative and commutative
//! `op`, whose iterations may run in any order as far as they alone are concerned.
//!
//! Such an update is a reduction of a loop that carries its dependence on itself where
//! nothing else in the loop touches the elements: another access in the same iteration
//! of the loop, or in another, would see which updates have been made so far. Several
//! updates with the same `op` do not disturb one another (W. Pottenger, R. Eigenmann,
//! "Idiom recognition in the Polaris parallelizing compiler", 1995: histograms too).

use terrace_dialects::arith::AtomicRmwKind;
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_dialects::{affine, arith, math};
use terrace_ir::{Context, Op, Value};

use super::same::same_element;
use super::{AccessSite, Carrier, Dependence, LoopDim, Program};
use crate::analysis::reduction::kind_of;

/// An update `A[s] = A[s] op e`.
#[derive(Debug, Clone)]
pub struct MemoryReduction {
    pub(crate) kind: AtomicRmwKind,
    pub(crate) memref: Value,
    /// Numbers of [`Program::sites`].
    pub load: usize,
    pub(crate) store: usize,
    /// The ops from the load to the store, the first uses the value loaded.
    pub combiners: Vec<Op>,
    /// The loops that carry the update's dependence on itself and in which nothing
    /// else touches the elements, the outermost first.
    pub loops: Vec<LoopDim>,
    /// The loops that carry it too, but in which this access sees or changes the
    /// elements (a number of [`Program::sites`]).
    pub disturbed: Vec<(LoopDim, usize)>,
}

/// The updates of a program, and the loops that they are reductions of. Dependences
/// of an update on itself or on one of the same kind that such a loop carries get
/// their [`Dependence::reduction`].
pub(super) fn find(
    ctx: &Context,
    program: &Program,
    all: &mut [Dependence],
) -> Vec<MemoryReduction> {
    let mut found: Vec<MemoryReduction> = program
        .sites
        .iter()
        .filter_map(|s| update(ctx, program, s))
        .collect();
    let mut of_site = vec![None; program.sites.len()];
    for (i, r) in found.iter().enumerate() {
        of_site[r.load] = Some(i);
        of_site[r.store] = Some(i);
    }
    let kinds: Vec<_> = found.iter().map(|r| (r.kind, r.memref)).collect();
    // Whether two accesses are parts of updates that may change places.
    let commute = |a: usize, b: usize| match (of_site[a], of_site[b]) {
        (Some(x), Some(y)) => kinds[x] == kinds[y],
        _ => false,
    };
    for (i, r) in found.iter_mut().enumerate() {
        let (mut loops, mut disturbed) = (Vec::new(), Vec::new());
        for d in all.iter() {
            let Carrier::Loop(level) = d.carrier else {
                continue;
            };
            let own = of_site[d.source] == Some(i) && of_site[d.sink] == Some(i);
            let l = d.loops[level];
            if !own || loops.contains(&l) || disturbed.iter().any(|(x, _)| *x == l) {
                continue;
            }
            match intruder(all, &of_site, i, l, &commute) {
                None => loops.push(l),
                Some(site) => disturbed.push((l, site)),
            }
        }
        loops.sort_by_key(|l| depth(program, r, l));
        r.loops = loops;
        r.disturbed = disturbed;
    }
    for d in all.iter_mut() {
        let Carrier::Loop(level) = d.carrier else {
            continue;
        };
        if let (Some(x), true) = (of_site[d.source], commute(d.source, d.sink))
            && found[x].loops.contains(&d.loops[level])
        {
            d.reduction = Some(found[x].kind);
        }
    }
    found
}

fn depth(program: &Program, r: &MemoryReduction, l: &LoopDim) -> usize {
    let loops = &program.sites[r.store].domain.loops;
    loops.iter().position(|x| x == l).unwrap_or(usize::MAX)
}

/// An access inside `l`, none of an update that commutes with update `i`, that may
/// touch an element of it in the same iteration of the loops around `l`.
fn intruder(
    all: &[Dependence],
    of_site: &[Option<usize>],
    i: usize,
    l: LoopDim,
    commute: &dyn Fn(usize, usize) -> bool,
) -> Option<usize> {
    all.iter().find_map(|d| {
        let mine = |s: usize| of_site[s] == Some(i);
        let other = match (mine(d.source), mine(d.sink)) {
            (true, false) => d.sink,
            (false, true) => d.source,
            _ => return None,
        };
        let at = d.loops.iter().position(|x| *x == l)?;
        let inside = match d.carrier {
            Carrier::Loop(level) => level >= at,
            Carrier::Independent | Carrier::Opaque(_) => true,
        };
        (inside && !commute(d.source, d.sink)).then_some(other)
    })
}

/// The update that a store ends, if it is one.
fn update(ctx: &Context, program: &Program, store: &AccessSite) -> Option<MemoryReduction> {
    let name = store.op.name(ctx);
    if store.memref.is_none() || !matches!(name, affine::StoreOp::NAME | StoreOp::NAME) {
        return None;
    }
    let mut value = store.op.operand(ctx, 0);
    let mut combiners = Vec::new();
    let mut kind = None;
    // The value stored is followed backwards through ops of one kind.
    for _ in 0..64 {
        let op = value.def_op()?;
        if op.block(ctx) != store.op.block(ctx) || !value.has_one_use(ctx) {
            return None;
        }
        if let Some(load) = load_of(ctx, program, store, op) {
            combiners.reverse();
            return Some(MemoryReduction {
                kind: kind?,
                memref: store.memref?,
                load,
                store: store.position,
                combiners,
                loops: Vec::new(),
                disturbed: Vec::new(),
            });
        }
        let (this, operands) = combiner(ctx, op)?;
        if kind.is_some_and(|k| k != this) {
            return None;
        }
        kind = Some(this);
        combiners.push(op);
        value = *operands
            .iter()
            .find(|v| leads_to_load(ctx, program, store, **v, this, 64))?;
    }
    None
}

/// The kind of an op that combines values, and the operands that an accumulated value
/// may come in by.
fn combiner(ctx: &Context, op: Op) -> Option<(AtomicRmwKind, Vec<Value>)> {
    let operands = op.operands(ctx);
    match op.name(ctx) {
        // a - b adds -b.
        arith::SubFOp::NAME => Some((AtomicRmwKind::AddF, vec![*operands.first()?])),
        arith::SubIOp::NAME => Some((AtomicRmwKind::AddI, vec![*operands.first()?])),
        math::FmaOp::NAME => Some((AtomicRmwKind::AddF, vec![*operands.get(2)?])),
        name => Some((kind_of(name)?, operands)),
    }
}

/// Whether `v` is the element that `store` overwrites, as it was, or that combined by
/// ops of one kind.
fn leads_to_load(
    ctx: &Context,
    program: &Program,
    store: &AccessSite,
    v: Value,
    kind: AtomicRmwKind,
    depth: u32,
) -> bool {
    let Some(op) = v.def_op() else { return false };
    if depth == 0 || !v.has_one_use(ctx) || op.block(ctx) != store.op.block(ctx) {
        return false;
    }
    load_of(ctx, program, store, op).is_some()
        || combiner(ctx, op).is_some_and(|(k, operands)| {
            k == kind
                && operands
                    .iter()
                    .any(|v| leads_to_load(ctx, program, store, *v, kind, depth - 1))
        })
}

/// The read that `op` makes of exactly the element that `store` writes. Which one that is
/// need not be known: updates of one kind may change places wherever they are.
fn load_of(ctx: &Context, program: &Program, store: &AccessSite, op: Op) -> Option<usize> {
    if !matches!(op.name(ctx), affine::LoadOp::NAME | LoadOp::NAME) {
        return None;
    }
    let load = program.sites.iter().find(|s| s.op == op)?;
    same_element(ctx, program, op, store.op).then_some(load.position)
}
