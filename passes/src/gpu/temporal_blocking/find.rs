//! Which loops over time steps can be tiled along time.
//!
//! A step is two sweeps over the same box: the first writes one array from another, the
//! second goes back. Each reads elements at constant distances of the one it writes, and
//! nothing else that the loop changes.
//!
//! Legal to compute several sweeps of a part of the box at once: the value that a sweep
//! gives an element is a function of elements of the sweep before alone, and of the rim
//! around the box, which nothing writes. Both arrays are different memory, every element
//! of the box is written once a sweep, and the arithmetic is pure, so there are no other
//! dependences than those.

use crate::analysis::captured::is_inside;
use crate::analysis::directive::divided;
use crate::analysis::linear::Linear;
use crate::analysis::memory::{base, may_be_same};
use crate::gpu::match_failure::{MatchFailure, no_match, no_match_at_all};
use rustc_hash::FxHashSet;
use terrace_dialects::affine;
use terrace_dialects::affine::compose::compose;
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_ir::effects::is_pure;
use terrace_ir::num::FloatKind;
use terrace_ir::{Context, Op, OpKind, Type, TypeData, Value};

/// An element that a sweep reads, by its distance from the one that it writes.
#[derive(Debug, Clone)]
pub struct Read {
    pub loaded: Value,
    pub offset: Vec<i64>,
}

/// A nest that writes the box of one array from another.
#[derive(Debug, Clone)]
pub struct Sweep {
    pub nest: Op,
    pub store: Op,
    pub source: Value,
    pub target: Value,
    pub stored: Value,
    pub reads: Vec<Read>,
    /// Operations for an element.
    pub work: usize,
    /// The box, in subscripts of the target: from, and to below.
    lo: Vec<Linear>,
    hi: Vec<Linear>,
}

impl Sweep {
    /// The least offset of what is read along a dimension; at most 0.
    pub fn least(&self, d: usize) -> i64 {
        let all = self.reads.iter().map(|r| r.offset[d]);
        all.min().unwrap_or(0).min(0)
    }

    /// The greatest; at least 0.
    pub fn most(&self, d: usize) -> i64 {
        let all = self.reads.iter().map(|r| r.offset[d]);
        all.max().unwrap_or(0).max(0)
    }
}

/// A loop over time steps of two sweeps.
#[derive(Debug, Clone)]
pub struct Stencil {
    pub time: ForOp,
    pub start: Linear,
    pub end: Linear,
    pub sweeps: [Sweep; 2],
    /// The box, in subscripts of both arrays.
    pub lo: Vec<Linear>,
    pub hi: Vec<Linear>,
    pub element: Type,
    /// Bytes of an element.
    pub bytes: i64,
}

impl Stencil {
    pub fn rank(&self) -> usize {
        self.lo.len()
    }

    /// The least offset of what any sweep reads along a dimension.
    pub fn least(&self, d: usize) -> i64 {
        self.sweeps[0].least(d).min(self.sweeps[1].least(d))
    }

    /// The greatest.
    pub fn most(&self, d: usize) -> i64 {
        self.sweeps[0].most(d).max(self.sweeps[1].most(d))
    }

    /// How far along a dimension an element depends on another of the sweep before.
    pub fn radius(&self, d: usize) -> i64 {
        self.most(d).max(-self.least(d))
    }
}

/// Offsets further than this are not looked at.
const MAX_RADIUS: i64 = 4;
/// Operations of a body that is looked at.
const MAX_OPS: usize = 200;

/// The time steps of two sweeps that a loop is.
///
/// # Errors
///
/// Why it is none.
pub fn find(ctx: &Context, time: ForOp) -> Result<Stencil, MatchFailure> {
    let mut nests = Vec::new();
    for op in time.body(ctx).ops(ctx) {
        match op.name(ctx) {
            ForOp::NAME => nests.push(ForOp::wrap(op)),
            affine::YieldOp::NAME => {}
            _ if is_pure(ctx, op) && op.num_regions(ctx) == 0 => {}
            _ => return no_match_at_all(op, "is neither a loop nor arithmetic"),
        }
    }
    let perfect = |l: &ForOp| innermost(ctx, *l).is_some();
    if nests.is_empty() || !nests.iter().all(perfect) {
        return no_match_at_all(time.op(), "has no nests of loops alone");
    }
    if let Some(l) = nests.iter().find_map(|n| divided(ctx, n.op())) {
        return no_match(
            l,
            "is divided among blocks or threads by numbers of a directive, or is 'seq'",
        );
    }
    if !time.inits(ctx).is_empty() || time.step(ctx) != 1 {
        return no_match_at_all(time.op(), "carries values or counts in other steps than 1");
    }
    let [first, second] = nests[..] else {
        if nests.len() == 1 {
            return no_match_at_all(time.op(), "has one nest");
        }
        return no_match(
            time.op(),
            format!(
                "has {} nests; steps of two are tiled along time",
                nests.len()
            ),
        );
    };
    let finder = Finder { ctx, time };
    let sweeps = [finder.sweep(first)?, finder.sweep(second)?];
    let [a, b] = &sweeps;
    if a.source != b.target || a.target != b.source {
        return no_match(
            b.store,
            "does not go back to the array that the first nest reads",
        );
    }
    if may_be_same(ctx, base(ctx, a.source), base(ctx, a.target)) {
        return no_match(a.store, "may store to the array that the nest reads");
    }
    let same = |x: &[Linear], y: &[Linear]| {
        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.equals(y))
    };
    if !same(&a.lo, &b.lo) || !same(&a.hi, &b.hi) {
        return no_match(b.nest, "is over another box than the first nest");
    }
    let Some([start, end]) = finder.bounds(time) else {
        return no_match(time.op(), "has bounds that are not one linear form each");
    };
    let element = a.stored.ty(ctx);
    let bytes = match element.float_kind(ctx) {
        Some(FloatKind::F32) => 4,
        Some(FloatKind::F64) => 8,
        _ => return no_match(a.store, "stores elements of a type other than f32 and f64"),
    };
    if b.stored.ty(ctx) != element {
        return no_match(
            b.store,
            "stores elements of another type than the first nest",
        );
    }
    if !matches!(a.lo.len(), 2 | 3) {
        return no_match(
            a.nest,
            format!(
                "has {} dimensions; 2 and 3 are tiled along time",
                a.lo.len()
            ),
        );
    }
    Ok(Stencil {
        time,
        start,
        end,
        lo: a.lo.clone(),
        hi: a.hi.clone(),
        sweeps,
        element,
        bytes,
    })
}

/// The loops of a perfect nest, the outermost first.
fn innermost(ctx: &Context, root: ForOp) -> Option<Vec<ForOp>> {
    let mut loops = vec![root];
    loop {
        let ops = loops.last()?.body(ctx).ops(ctx);
        let mut inner = ops.iter().filter_map(|o| o.cast::<ForOp>(ctx));
        match (inner.next(), inner.next()) {
            (None, _) => return Some(loops),
            (Some(l), None) if loops.len() < 4 => loops.push(l),
            _ => return None,
        }
    }
}

struct Finder<'c> {
    ctx: &'c Context,
    time: ForOp,
}

impl Finder<'_> {
    fn is_outside(&self, v: Value) -> bool {
        !is_inside(self.ctx, self.time.op(), v)
    }

    /// First and end of a loop with step 1, in values from outside the time loop.
    fn bounds(&self, l: ForOp) -> Option<[Linear; 2]> {
        let ctx = self.ctx;
        let composed = |map, operands: &[Value]| {
            let m = compose(ctx, map, operands);
            let found = Linear::of_map(&m.map, &m.operands)?;
            let [form] = <[Linear; 1]>::try_from(found).ok()?;
            let fixed = form.terms.iter().all(|t| self.is_outside(t.0));
            fixed.then_some(form)
        };
        let lo = composed(l.lower_map(ctx), &l.lower_operands(ctx))?;
        let hi = composed(l.upper_map(ctx), &l.upper_operands(ctx))?;
        (l.step(ctx) == 1 && l.inits(ctx).is_empty()).then_some([lo, hi])
    }

    fn sweep(&self, nest: ForOp) -> Result<Sweep, MatchFailure> {
        let ctx = self.ctx;
        let loops = innermost(ctx, nest).unwrap_or_default();
        let mut stores = Vec::new();
        for l in &loops {
            for op in l.body(ctx).ops(ctx) {
                match op.name(ctx) {
                    affine::StoreOp::NAME => stores.push(op),
                    ForOp::NAME
                    | affine::LoadOp::NAME
                    | affine::YieldOp::NAME
                    | affine::ApplyOp::NAME => {}
                    _ if is_pure(ctx, op) && op.num_regions(ctx) == 0 => {}
                    _ => return no_match_at_all(op, "is neither arithmetic nor an access"),
                }
            }
        }
        let [store] = stores[..] else {
            return no_match(
                nest.op(),
                format!(
                    "has {} stores; sweeps of one are tiled along time",
                    stores.len()
                ),
            );
        };
        let Some((target, at)) = self.element(store) else {
            return no_match(store, "has subscripts that are not linear");
        };
        // The loop of each dimension of the arrays, and what is added to its counter.
        let mut axes: Vec<(ForOp, i64)> = Vec::new();
        for form in &at {
            let counter = |l: &&ForOp| form.coefficient(l.iv(ctx)) == 1;
            let found = loops.iter().find(counter).filter(|_| form.terms.len() == 1);
            match found {
                Some(l) if !axes.iter().any(|a| a.0 == *l) => axes.push((*l, form.constant)),
                _ => return no_match(store, "has a subscript that is not a counter of its own"),
            }
        }
        if axes.len() != loops.len() {
            return no_match(store, "stores to an element more than once a sweep");
        }
        let (mut lo, mut hi) = (Vec::new(), Vec::new());
        for (l, shift) in &axes {
            let ends = self
                .bounds(*l)
                .map(|[a, b]| [a.plus(*shift), b.plus(*shift)]);
            let Some([Some(a), Some(b)]) = ends else {
                return no_match(l.op(), "has bounds that are not one linear form each");
            };
            lo.push(a);
            hi.push(b);
        }
        let mut sweep = Sweep {
            nest: nest.op(),
            store,
            source: target,
            target,
            stored: store.operand(ctx, 0),
            reads: Vec::new(),
            work: 0,
            lo,
            hi,
        };
        self.reads(&mut sweep, &axes)?;
        for array in [sweep.source, sweep.target] {
            if !is_plain(ctx, array, loops.len()) || !self.is_outside(array) {
                return no_match(
                    store,
                    "is in a nest on arrays that are not whole rows in memory",
                );
            }
        }
        Ok(sweep)
    }

    /// Everything that the stored value is computed from.
    fn reads(&self, sweep: &mut Sweep, axes: &[(ForOp, i64)]) -> Result<(), MatchFailure> {
        let ctx = self.ctx;
        let mut seen = FxHashSet::default();
        let mut work = vec![sweep.stored];
        while let Some(v) = work.pop() {
            if self.is_outside(v) || !seen.insert(v) {
                continue;
            }
            let Some(op) = v.def_op() else {
                return no_match(sweep.store, "stores what is computed from a counter");
            };
            if op.name(ctx) != affine::LoadOp::NAME {
                if op.dialect(ctx) == "affine" || op.num_regions(ctx) > 0 || !is_pure(ctx, op) {
                    return no_match(op, "is no arithmetic");
                }
                sweep.work += usize::from(op.num_operands(ctx) > 0);
                if seen.len() > MAX_OPS {
                    return no_match(sweep.store, "stores what takes too many operations");
                }
                work.extend(op.operands(ctx));
                continue;
            }
            let Some((memref, at)) = self.element(op) else {
                return no_match(op, "has subscripts that are not linear");
            };
            if memref == sweep.target || sweep.reads.iter().any(|_| memref != sweep.source) {
                return no_match(
                    op,
                    "reads another array than one that the nest does not write",
                );
            }
            sweep.source = memref;
            let mut offset = Vec::new();
            for ((l, shift), form) in axes.iter().zip(&at) {
                let apart = form.minus(&Linear::value(l.iv(ctx)));
                let apart = apart.and_then(|f| f.as_constant()?.checked_sub(*shift));
                match apart.filter(|d| d.abs() <= MAX_RADIUS) {
                    Some(d) => offset.push(d),
                    None => {
                        return no_match(op, "is not a constant distance from the element stored");
                    }
                }
            }
            if at.len() != axes.len() {
                return no_match(op, "reads an array of another rank");
            }
            sweep.reads.push(Read { loaded: v, offset });
        }
        match sweep.reads.is_empty() {
            true => no_match(sweep.store, "stores what is computed from no array"),
            false => Ok(()),
        }
    }

    fn element(&self, op: Op) -> Option<(Value, Vec<Linear>)> {
        let a = Access::of(self.ctx, op)?;
        if a.vector.is_some() || a.kind == AccessKind::Prefetch {
            return None;
        }
        let m = a.composed(self.ctx);
        Some((a.memref, Linear::of_map(&m.map, &m.operands)?))
    }
}

/// Whether an array of that rank lies row after row in ordinary memory.
fn is_plain(ctx: &Context, array: Value, rank: usize) -> bool {
    let ty = array.ty(ctx);
    match ty.data(ctx) {
        TypeData::MemRef {
            shape,
            layout,
            space,
            ..
        } => shape.len() == rank && layout.is_none() && space.is_none(),
        _ => false,
    }
}
