//! Loops that a block goes through piece by piece, and what their iterations combine.

use super::find::{Combines, Inner, LONGEST, Selection, statements};
use super::subscripts::{Base, Counter};
use super::translate::{Axis, Held, Translate, flags, union};
use crate::loops::build::index::{add, add_constant, constant, max, mul, rem, sub};
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{self, AtomicRmwKind, CmpFOp, CmpFPredicate, CmpIOp, CmpIPredicate};
use terrace_dialects::scf;
use terrace_dialects::tile::{self, Bound};
use terrace_ir::builder::OpState;
use terrace_ir::num::Int;
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};

/// The iterations of the outermost loop that a block goes through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub first: Value,
    pub end: Value,
}

/// Iterations of a loop from a number up to, but without, another.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: Value,
    end: Value,
    /// The first iteration that does not exist, where a piece may reach that far.
    limit: Option<Value>,
}

impl Span {
    fn with_limit(start: Value, end: Value) -> Span {
        let limit = Some(end);
        Span { start, end, limit }
    }
}

impl Translate<'_> {
    /// What the iterations of a loop combine, without what it begins with: a value for each
    /// result. `part` says which iterations of the outermost loop; all where there is none.
    pub fn stream(&mut self, b: &mut Builder, l: &Inner, part: Option<Part>) -> Option<Vec<Held>> {
        self.memory.forget();
        let tiled = self.axes.len();
        let mut axes: Vec<usize> = (0..tiled).collect();
        let pieces = self.pieces_of(l);
        axes.extend((0..pieces.iter().filter(|n| **n > 1).count()).map(|i| tiled + i));
        let mut shape: Vec<i64> = self.axes.iter().map(|a| a.size).collect();
        shape.extend(pieces.iter().filter(|n| **n > 1));
        let mut inits = Vec::new();
        for (i, v) in l.carried.iter().enumerate() {
            let ty = b.ctx.vector(&shape, v.ty(b.ctx));
            inits.push(neutral(b, l, i, ty)?);
        }
        if let Combines::Chosen(s) = &l.combines {
            // The place of what was chosen, among all iterations: not an index, whose greatest number
            // depends on the target.
            let i64 = b.ctx.int(64);
            let ty = b.ctx.vector(&shape, i64);
            let none = arith::splat_int(b.ctx, ty, &nowhere(s));
            inits.push(b.value::<arith::ConstantOp>(&[], ty, &[("value", none)]));
        }
        let done = self.nested(b, l, 0, part, &inits, &axes)?;
        self.axes.truncate(tiled);
        self.memory.forget();
        // Dimensions of the accumulators: all of their elements take part.
        for n in pieces.iter().filter(|n| **n > 1) {
            self.axes.push(Axis {
                size: *n,
                bound: Bound::default(),
                from: 0,
                least: 0,
            });
        }
        let along: Vec<usize> = (tiled..self.axes.len()).collect();
        let out = match &l.combines {
            Combines::Each(all) => {
                let pairs = all.iter().zip(&done);
                pairs
                    .map(|(r, v)| self.folded(b, r.kind, *v, &axes, &along))
                    .collect()
            }
            Combines::Chosen(s) => self.first_of(b, l, s, &done, &axes, &along),
        };
        self.axes.truncate(tiled);
        out
    }

    /// Loop `k`, of which `part` says which iterations, and those in it; gives what they carry out.
    fn nested(
        &mut self,
        b: &mut Builder,
        l: &Inner,
        k: usize,
        part: Option<Part>,
        carried: &[Value],
        axes: &[usize],
    ) -> Option<Vec<Value>> {
        let Some(level) = l.levels.get(k) else {
            return self.step(b, l, carried, axes);
        };
        let size = self.pieces_of(l)[k];
        let lower = level.lower.as_constant()?;
        // Where memory is adjacent along the loop, pieces begin at multiples of an access.
        let granule = if k + 1 == l.levels.len() { LONGEST } else { 1 };
        let first = lower - lower % granule;
        let (start, end) = match part {
            Some(p) => (p.first, p.end),
            None => (constant(b, first), self.end_of(b, &level.upper)?),
        };
        if k + 1 == l.levels.len() && size % granule == 0 && size > 1 && !self.tiling.single {
            return self.pieces(b, l, (start, end), carried, axes);
        }
        let span = Span::with_limit(start, end);
        self.looped(b, l, k, span, carried, axes)
    }

    /// The innermost loop: whole pieces, of which all elements exist, and what is left.
    fn pieces(
        &mut self,
        b: &mut Builder,
        l: &Inner,
        (start, end): (Value, Value),
        carried: &[Value],
        axes: &[usize],
    ) -> Option<Vec<Value>> {
        let k = l.levels.len() - 1;
        let size = self.pieces_of(l)[k];
        let known = (b.ctx.constant_int(end)).and_then(|e| Some(e - b.ctx.constant_int(start)?));
        let (middle, has_whole, has_rest) = match known {
            Some(n) => {
                let whole = n.max(0) / size * size;
                (add_constant(b, start, whole), whole > 0, n > whole)
            }
            None => {
                let (size, zero) = (constant(b, size), constant(b, 0));
                let length = sub(b, end, start);
                let length = max(b, length, zero);
                let rest = rem(b, length, size);
                let whole = sub(b, length, rest);
                (add(b, start, whole), true, true)
            }
        };
        let mut carried = carried.to_vec();
        if has_whole {
            let span = Span {
                start,
                end: middle,
                limit: None,
            };
            carried = self.looped(b, l, k, span, &carried, axes)?;
        }
        if has_rest {
            let span = Span::with_limit(middle, end);
            carried = self.looped(b, l, k, span, &carried, axes)?;
        }
        Some(carried)
    }

    /// Loop `k` over some of its iterations, in pieces.
    fn looped(
        &mut self,
        b: &mut Builder,
        l: &Inner,
        k: usize,
        span: Span,
        carried: &[Value],
        axes: &[usize],
    ) -> Option<Vec<Value>> {
        let level = &l.levels[k];
        let size = self.pieces_of(l)[k];
        let lower = level.lower.as_constant()?;
        let granule = if k + 1 == l.levels.len() { LONGEST } else { 1 };
        let first = lower - lower % granule;
        self.memory.forget();
        let step = constant(b, size);
        let (op, body) = scf::ForOp::build(b, span.start, span.end, step, carried);
        let counter = body.arg(b.ctx, 0);
        let given: Vec<Value> = (1..=carried.len()).map(|i| body.arg(b.ctx, i)).collect();
        b.with_point(InsertPoint::End(body), |b| {
            let before = self.axes.len();
            if k + 1 == l.levels.len() && size % granule == 0 {
                self.multiples.push(counter);
            }
            if size == 1 {
                self.counters.insert(level.iv, Counter::Scalar(counter));
            } else {
                let upper = span.limit.map(|end| sub(b, end, counter));
                let lower = (first < lower).then(|| {
                    // Only the first piece has elements in front of the first.
                    let (lower, zero) = (constant(b, lower), constant(b, 0));
                    let less = sub(b, lower, counter);
                    max(b, less, zero)
                });
                let axis = before;
                let base = Base::Value(counter);
                self.axes.push(Axis {
                    size,
                    bound: Bound { lower, upper },
                    from: 0,
                    least: first,
                });
                self.counters.insert(level.iv, Counter::Axis { axis, base });
            }
            let next = self.nested(b, l, k + 1, None, &given, axes)?;
            self.axes.truncate(before);
            scf::YieldOp::build(b, &next);
            Some(())
        })?;
        let results = op.op().results(b.ctx);
        // It may be that all that is combined is the same for all elements.
        if let Some(first) = results.first() {
            self.mark(b, *first, axes);
        }
        Some(results)
    }

    /// One step of all loops: an iteration for each element of the accumulators.
    fn step(
        &mut self,
        b: &mut Builder,
        l: &Inner,
        carried: &[Value],
        axes: &[usize],
    ) -> Option<Vec<Value>> {
        for (v, c) in l.carried.iter().zip(carried) {
            let axes = axes.to_vec();
            self.values.insert(*v, Held { value: *c, axes });
        }
        let innermost = self.axes.len().saturating_sub(1);
        self.open(b, l, innermost)?;
        for op in statements(b.ctx, l.body) {
            self.op(b, op)?;
        }
        self.row_open = None;
        // Rows and columns that do not exist may combine anything: nobody stores it.
        let tiled = axes.len() - self.pieces_of(l).iter().filter(|n| **n > 1).count();
        let mut bounds = self.bounds(axes);
        bounds[..tiled].fill(Bound::default());
        let exists = bounds.iter().any(|x| !x.is_none()).then(|| {
            let shape = self.shape(axes);
            let v = tile::MaskOp::build(b, &shape, &bounds);
            self.mark(b, v, axes);
            v
        });
        let mut next = Vec::new();
        for (v, old) in l.yielded.iter().zip(carried) {
            let new = self.data(b, *v)?;
            let new = self.spread(b, &new, axes)?;
            next.push(kept(b, exists, new, *old));
        }
        if let Combines::Chosen(s) = &l.combines {
            let place = self.place_of(b, l)?;
            let place = self.spread(b, &place, axes)?;
            let ty = carried[l.carried.len()].ty(b.ctx);
            let place = b.value::<arith::IndexCastOp>(&[place], ty, &[]);
            let chosen = self.data(b, s.compare.result(b.ctx, 0))?;
            let chosen = self.spread(b, &chosen, axes)?;
            let old = carried[l.carried.len()];
            let new = kept(b, Some(chosen), place, old);
            next.push(kept(b, exists, new, old));
        }
        Some(next)
    }

    /// The number of an iteration among all.
    fn place_of(&mut self, b: &mut Builder, l: &Inner) -> Option<Held> {
        let mut sum: Option<Held> = None;
        for level in &l.levels {
            let own = self.data(b, level.iv)?;
            sum = Some(match sum {
                None => own,
                Some(s) => {
                    let n = self.end_of(b, &level.upper)?;
                    let axes = union(&s.axes, &own.axes);
                    let by = Held {
                        value: n,
                        axes: Vec::new(),
                    };
                    let (s, by) = (self.spread(b, &s, &axes)?, self.spread(b, &by, &axes)?);
                    let own = self.spread(b, &own, &axes)?;
                    let value = mul_add(b, s, by, own);
                    Held { value, axes }
                }
            });
        }
        sum
    }

    /// A tile folded along the axes that go.
    fn folded(
        &mut self,
        b: &mut Builder,
        kind: AtomicRmwKind,
        tile: Value,
        axes: &[usize],
        along: &[usize],
    ) -> Option<Held> {
        let kept: Vec<usize> = axes
            .iter()
            .copied()
            .filter(|a| !along.contains(a))
            .collect();
        if along.is_empty() {
            let axes = kept;
            return Some(Held { value: tile, axes });
        }
        let elem = tile.ty(b.ctx).element(b.ctx)?;
        let shape = self.shape(&kept);
        let ty = match kept.is_empty() {
            true => elem,
            false => b.ctx.vector(&shape, elem),
        };
        let identity = kind.identity(b.ctx, ty)?;
        let init = b.value::<arith::ConstantOp>(&[], ty, &[("value", identity)]);
        let at: Vec<i64> = (axes.iter().enumerate())
            .filter(|(_, a)| along.contains(a))
            .map(|(i, _)| i as i64)
            .collect();
        let value = tile::ReduceOp::build(b, kind, tile, init, &at, &[], true);
        self.mark(b, value, axes);
        Some(Held { value, axes: kept })
    }

    /// What comes with the first of the chosen iterations of all elements.
    fn first_of(
        &mut self,
        b: &mut Builder,
        l: &Inner,
        s: &Selection,
        done: &[Value],
        axes: &[usize],
        along: &[usize],
    ) -> Option<Vec<Held>> {
        if along.is_empty() {
            let all = done[..l.carried.len()].iter();
            let held = |v: &Value| Held {
                value: *v,
                axes: axes.to_vec(),
            };
            return Some(all.map(held).collect());
        }
        let values = done[s.value];
        let elem = values.ty(b.ctx).element(b.ctx)?;
        let best = self.folded(b, extremum(b.ctx, s, elem), values, axes, along)?;
        let spread = self.spread(b, &best, axes)?;
        let equal = equals(b, values, spread);
        let places = done[l.carried.len()];
        let ty = places.ty(b.ctx);
        let none = arith::splat_int(b.ctx, ty, &nowhere(s));
        let none = b.value::<arith::ConstantOp>(&[], ty, &[("value", none)]);
        let places = b.value::<arith::SelectOp>(&[equal, places, none], ty, &[]);
        let kind = match s.first {
            true => AtomicRmwKind::MinS,
            false => AtomicRmwKind::MaxS,
        };
        let first = self.folded(b, kind, places, axes, along)?;
        let first = self.spread(b, &first, axes)?;
        let wins = CmpIOp::build(b, CmpIPredicate::Eq, places, first);
        let mut out = Vec::new();
        for v in &done[..l.carried.len()] {
            // One element wins, so the sum with zeros is that element: to the bit, as -0.0 + x
            // is x. Where nothing was chosen the sum is compared with nothing.
            let ty = v.ty(b.ctx);
            let elem = ty.element(b.ctx)?;
            let kind = match elem.is_float(b.ctx) {
                true => AtomicRmwKind::AddF,
                false => AtomicRmwKind::AddI,
            };
            let none = kind.identity(b.ctx, ty)?;
            let none = b.value::<arith::ConstantOp>(&[], ty, &[("value", none)]);
            let own = b.value::<arith::SelectOp>(&[wins, *v, none], ty, &[]);
            out.push(self.folded(b, kind, own, axes, along)?);
        }
        // Where no iteration was chosen, all elements win. A sum of infinities is still never chosen,
        // but one of integers may be anything.
        if !elem.is_float(b.ctx) {
            out[s.value] = best;
        }
        Some(out)
    }

    /// The results of a loop from what it begins with and what its iterations combine.
    pub fn finish(
        &mut self,
        b: &mut Builder,
        l: &Inner,
        inits: &[Value],
        parts: &[Held],
    ) -> Option<Vec<Held>> {
        let mut out = Vec::new();
        match &l.combines {
            Combines::Each(all) => {
                for ((r, init), part) in all.iter().zip(inits).zip(parts) {
                    let init = self.data(b, *init)?;
                    let axes = union(&init.axes, &part.axes);
                    let (x, y) = (self.spread(b, &init, &axes)?, self.spread(b, part, &axes)?);
                    let ty = x.ty(b.ctx);
                    let value = r.kind.combine(b, x, y, ty);
                    flags(b, value, r.combiner);
                    out.push(Held { value, axes });
                }
            }
            Combines::Chosen(s) => {
                let mut held = Vec::new();
                for v in inits {
                    held.push(self.data(b, *v)?);
                }
                let axes = held
                    .iter()
                    .chain(parts)
                    .fold(Vec::new(), |all, h| union(&all, &h.axes));
                let mut wide = |b: &mut Builder, h: &[Held]| -> Option<Vec<Value>> {
                    h.iter().map(|h| self.spread(b, h, &axes)).collect()
                };
                let (old, new) = (wide(b, &held)?, wide(b, parts)?);
                for value in chosen(b, s, &old, &new) {
                    let axes = axes.clone();
                    out.push(Held { value, axes });
                }
            }
        }
        Some(out)
    }
}

/// The carried values after one more iteration, whose values are `new`.
pub(super) fn chosen(b: &mut Builder, s: &Selection, old: &[Value], new: &[Value]) -> Vec<Value> {
    let pair = match s.carried_first {
        true => [old[s.value], new[s.value]],
        false => [new[s.value], old[s.value]],
    };
    let mut state = OpState::like(b.ctx, s.compare);
    state.operands.extend(pair);
    let i1 = b.ctx.i1();
    let ty = match pair[0].ty(b.ctx).shape(b.ctx) {
        Some(shape) => b.ctx.vector(shape, i1),
        None => i1,
    };
    state.result_types = vec![ty];
    let condition = b.create(state).result(b.ctx, 0);
    (old.iter().zip(new))
        .map(|(o, n)| {
            let ty = o.ty(b.ctx);
            b.value::<arith::SelectOp>(&[condition, *n, *o], ty, &[])
        })
        .collect()
}

/// What an accumulator begins with: what changes nothing, or is never chosen.
pub(super) fn neutral(b: &mut Builder, l: &Inner, i: usize, ty: Type) -> Option<Value> {
    let kind = match &l.combines {
        Combines::Each(all) => all[i].kind,
        Combines::Chosen(s) if s.value == i => extremum(b.ctx, s, ty.element_or_self(b.ctx)),
        Combines::Chosen(_) => match ty.element_or_self(b.ctx).is_float(b.ctx) {
            true => AtomicRmwKind::AddF,
            false => AtomicRmwKind::AddI,
        },
    };
    let identity = kind.identity(b.ctx, ty)?;
    Some(b.value::<arith::ConstantOp>(&[], ty, &[("value", identity)]))
}

/// The extremum that a choice looks for. Its identity is never chosen, and no NaN is among what
/// is compared.
pub(super) fn extremum(ctx: &Context, s: &Selection, elem: Type) -> AtomicRmwKind {
    match (elem.is_float(ctx), s.greatest) {
        (true, true) => AtomicRmwKind::MaximumF,
        (true, false) => AtomicRmwKind::MinimumF,
        (false, true) => AtomicRmwKind::MaxS,
        (false, false) => AtomicRmwKind::MinS,
    }
}

/// The place of what was not chosen yet: behind all others where the first is looked for, else in
/// front of them.
fn nowhere(s: &Selection) -> Int {
    Int::from_i64(64, if s.first { i64::MAX } else { i64::MIN })
}

fn equals(b: &mut Builder, x: Value, y: Value) -> Value {
    match x.ty(b.ctx).element_or_self(b.ctx).is_float(b.ctx) {
        true => CmpFOp::build(b, CmpFPredicate::Oeq, x, y),
        false => CmpIOp::build(b, CmpIPredicate::Eq, x, y),
    }
}

/// `new` where the element exists, else what was there.
fn kept(b: &mut Builder, exists: Option<Value>, new: Value, old: Value) -> Value {
    match exists {
        None => new,
        Some(e) => {
            let ty = new.ty(b.ctx);
            b.value::<arith::SelectOp>(&[e, new, old], ty, &[])
        }
    }
}

fn mul_add(b: &mut Builder, x: Value, by: Value, y: Value) -> Value {
    if !x.ty(b.ctx).is_vector(b.ctx) {
        let p = mul(b, x, by);
        return add(b, p, y);
    }
    let ty = x.ty(b.ctx);
    let p = b.value::<arith::MulIOp>(&[x, by], ty, &[]);
    b.value::<arith::AddIOp>(&[p, y], ty, &[])
}

/// Initial values and results of a loop's carried values.
pub(super) fn ends(ctx: &Context, op: Op) -> (Vec<Value>, Vec<Value>) {
    match op.cast::<ForOp>(ctx) {
        Some(l) => (l.inits(ctx), op.results(ctx)),
        None => (Vec::new(), Vec::new()),
    }
}
