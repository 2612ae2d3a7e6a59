//! Folds: within a thread, then a warp by shuffles, then the block by a buffer.

use super::Unable;
use super::body::Body;
use super::limits::Limits;
use super::place::{LANES, ThreadDigit, thread_digits};
use super::registers::{Registers, coordinates};
use crate::gpu::combine::{shuffle, travels};
use crate::loops::build::index;
use crate::loops::build::index::{add, add_constant, constant, rem, split, sub, times};
use terrace_dialects::arith::{self, AtomicRmwKind};
use terrace_dialects::tile::ReduceOp;
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};
use terrace_layout::{Layout, Resource};

/// A fold of the block's tile, as far as it is known before code is made.
pub(super) struct Fold {
    /// Digits of threads along the axes.
    along: Vec<ThreadDigit>,
    /// Whether lanes of a warp hold parts of different results.
    others: bool,
    warps: i64,
}

impl Fold {
    fn new(layout: &Layout, axes: &[usize], threads: i64) -> Option<Fold> {
        let on = |d: &ThreadDigit| {
            d.step
                .iter()
                .enumerate()
                .any(|(i, s)| *s != 0 && axes.contains(&i))
        };
        let off = |d: &ThreadDigit| {
            d.step
                .iter()
                .enumerate()
                .any(|(i, s)| *s != 0 && !axes.contains(&i))
        };
        let digits = thread_digits(layout);
        if digits.iter().any(|d| on(d) && off(d)) {
            return None;
        }
        let powers = |d: &ThreadDigit| d.radix.count_ones() == 1 && d.stride.count_ones() == 1;
        let along: Vec<ThreadDigit> = digits.iter().filter(|d| on(d)).cloned().collect();
        let others = digits.iter().any(|d| off(d) && d.stride < LANES);
        along.iter().all(powers).then_some(Fold {
            along,
            others,
            warps: threads / LANES,
        })
    }

    /// Distances between lanes that hold parts of one result.
    fn lanes(&self) -> Vec<i64> {
        let mut all = Vec::new();
        for d in &self.along {
            let mut n = d.stride;
            while n < d.stride * d.radix && n < LANES {
                all.push(n);
                n *= 2;
            }
        }
        all
    }

    /// The same between warps.
    fn warps(&self) -> Vec<i64> {
        let mut all = Vec::new();
        for d in &self.along {
            let mut n = d.stride;
            while n < d.stride * d.radix {
                if n >= LANES {
                    all.push(n / LANES);
                }
                n *= 2;
            }
        }
        all
    }

    /// Elements of the buffer for each register of the result: none within a warp.
    fn buffer(&self) -> i64 {
        match (self.warps().is_empty(), self.others) {
            (true, _) => 0,
            (_, true) => self.warps * LANES,
            (_, false) => self.warps,
        }
    }
}

/// The type of the buffer that a fold needs.
///
/// # Errors
///
/// What in it threads cannot do.
pub(super) fn buffer(
    ctx: &Context,
    op: Op,
    layout: &Layout,
    threads: i64,
) -> Result<Option<Type>, Unable> {
    let r = ReduceOp::wrap(op);
    let axes = r.axes(ctx);
    let fold = Fold::new(layout, &axes, threads).ok_or_else(|| {
        Unable::new(
            op,
            "folds along dimensions that its layout mixes with others",
        )
    })?;
    let spread = !fold.along.is_empty();
    if spread && r.is_ordered(ctx) {
        return Err(Unable::new(
            op,
            "sums floats in order, but several threads hold them",
        ));
    }
    let elem = r.value(ctx).ty(ctx).element_or_self(ctx);
    if spread && !travels(ctx, elem) {
        return Err(Unable::new(
            op,
            "folds elements of a type that does not go from lane to lane",
        ));
    }
    let n = fold.buffer();
    Ok((n > 0)
        .then(|| gpu::workgroup_memref(ctx, &[n * results(layout, &axes).len() as i64], elem)))
}

fn combined(b: &mut Builder, kind: AtomicRmwKind, x: Value, y: Value) -> Value {
    let ty = x.ty(b.ctx);
    kind.combine(b, x, y, ty)
}

/// For each register of the result, those that are folded into it.
fn results(layout: &Layout, axes: &[usize]) -> Vec<(Vec<i64>, Vec<usize>)> {
    let mut all: Vec<(Vec<i64>, Vec<usize>)> = Vec::new();
    for i in 0..layout.size(Resource::Reg) {
        let at = coordinates(layout, i);
        let kept: Vec<i64> = (at.iter().enumerate())
            .filter(|(d, _)| !axes.contains(d))
            .map(|(_, c)| *c)
            .collect();
        match all.iter_mut().find(|(k, _)| *k == kept) {
            Some((_, own)) => own.push(i),
            None => all.push((kept, vec![i])),
        }
    }
    all
}

impl Body<'_> {
    pub(super) fn reduce(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let r = ReduceOp::wrap(op);
        let kind = r
            .kind(b.ctx)
            .ok_or_else(|| Unable::new(op, "has no kind"))?;
        let axes = r.axes(b.ctx);
        let value = self.registers(b, op, r.value(b.ctx))?;
        let layout = self.layouts.said(b.ctx, op)?;
        if value.layout().is_some_and(|l| !l.is_same_as(&layout)) {
            return Err(Unable::new(
                op,
                "folds a tile of another layout than it says",
            ));
        }
        let bounds: Vec<_> = r.bounds(b.ctx).into_iter().map(|x| self.bound(x)).collect();
        let elem = r.value(b.ctx).ty(b.ctx).element_or_self(b.ctx);
        let identity = kind
            .identity(b.ctx, elem)
            .ok_or_else(|| Unable::new(op, "has no identity"))?;
        let place = self.place(b, &layout);
        let fold = Fold::new(&layout, &axes, self.threads)
            .ok_or_else(|| Unable::new(op, "folds along mixed dimensions"))?;
        let limits = Limits::new(b, &place, &bounds, &layout);
        let groups = results(&layout, &axes);
        let mut out: Vec<(Vec<i64>, Value)> = Vec::new();
        for (kept, own) in groups {
            let mut parts = Vec::new();
            for i in own {
                let v = value
                    .at(i)
                    .ok_or_else(|| Unable::new(op, "has too few registers"))?;
                let at = coordinates(&layout, i);
                parts.push(match limits.hold(b, &at) {
                    None => v,
                    Some(inside) => {
                        let none = b.value::<arith::ConstantOp>(&[], elem, &[("value", identity)]);
                        b.value::<arith::SelectOp>(&[inside, v, none], elem, &[])
                    }
                });
            }
            out.push((kept, self.within_thread(b, op, kind, parts)));
        }
        for (_, v) in &mut out {
            for distance in fold.lanes() {
                let other = shuffle(b, "xor", *v, distance);
                *v = combined(b, kind, *v, other);
            }
        }
        if fold.buffer() > 0 {
            let values: Vec<Value> = out.iter().map(|(_, v)| *v).collect();
            let all = self.in_block(b, op, kind, &fold, &values)?;
            for ((_, v), new) in out.iter_mut().zip(all) {
                *v = new;
            }
        }
        self.with_init(b, op, kind, out)
    }

    /// Pairs first, so that the chain of ops that wait for each other is short; in order where
    /// the order counts.
    fn within_thread(
        &self,
        b: &mut Builder,
        op: Op,
        kind: AtomicRmwKind,
        mut parts: Vec<Value>,
    ) -> Value {
        if ReduceOp::wrap(op).is_ordered(b.ctx) {
            let mut all = parts.into_iter();
            let first = all.next().unwrap_or(self.thread);
            return all.fold(first, |x, y| combined(b, kind, x, y));
        }
        while parts.len() > 1 {
            parts = (parts.chunks(2))
                .map(|pair| match pair {
                    [x, y] => combined(b, kind, *x, *y),
                    _ => pair[0],
                })
                .collect();
        }
        parts[0]
    }

    /// What the warps have, by a buffer.
    fn in_block(
        &mut self,
        b: &mut Builder,
        op: Op,
        kind: AtomicRmwKind,
        fold: &Fold,
        values: &[Value],
    ) -> Result<Vec<Value>, Unable> {
        let buffer = self.buffer_of(op)?;
        if self.in_loop {
            // Others may still read what the iteration before has left.
            gpu::BarrierOp::build(b);
        }
        let (warp, lane) = split(b, self.thread, LANES);
        let zero = constant(b, 0);
        let write = |b: &mut Builder, at: Value| {
            for (i, v) in values.iter().enumerate() {
                let at = add_constant(b, at, i as i64 * fold.buffer());
                memref::StoreOp::build(b, *v, buffer, &[at]);
            }
        };
        if fold.others {
            write(b, self.thread);
        } else {
            let first = arith::CmpIOp::build(b, arith::CmpIPredicate::Eq, lane, zero);
            let (_, then, _) = scf::IfOp::build(b, first, &[], false);
            b.with_point(InsertPoint::End(then), |b| {
                write(b, warp);
                scf::YieldOp::build(b, &[]);
            });
        }
        gpu::BarrierOp::build(b);
        self.hazards.clear();
        let distances = fold.warps();
        let count: i64 = 1 << distances.len();
        let mut out = Vec::new();
        for (i, own) in values.iter().enumerate() {
            let from = i as i64 * fold.buffer();
            if !fold.others && count == fold.warps {
                // Each lane reads what one warp has.
                let n = constant(b, count);
                let at = rem(b, lane, n);
                let at = add_constant(b, at, from);
                let mut v = memref::LoadOp::build(b, buffer, &[at]);
                for d in &distances {
                    let other = shuffle(b, "xor", v, *d);
                    v = combined(b, kind, v, other);
                }
                out.push(v);
                continue;
            }
            let mut first = warp;
            for d in &distances {
                let by = constant(b, *d);
                let high = index::div(b, warp, by);
                let two = constant(b, 2);
                let bit = rem(b, high, two);
                let part = times(b, bit, *d);
                first = sub(b, first, part);
            }
            let mut sum: Option<Value> = None;
            for k in 0..count {
                let by: i64 = (distances.iter().enumerate())
                    .map(|(bit, d)| ((k >> bit) & 1) * d)
                    .sum();
                let w = add_constant(b, first, by);
                let at = match fold.others {
                    true => {
                        let row = times(b, w, LANES);
                        add(b, row, lane)
                    }
                    false => w,
                };
                let at = add_constant(b, at, from);
                let v = memref::LoadOp::build(b, buffer, &[at]);
                sum = Some(match sum {
                    Some(s) => combined(b, kind, s, v),
                    None => v,
                });
            }
            out.push(sum.unwrap_or(*own));
        }
        Ok(out)
    }

    fn with_init(
        &mut self,
        b: &mut Builder,
        op: Op,
        kind: AtomicRmwKind,
        out: Vec<(Vec<i64>, Value)>,
    ) -> Result<(), Unable> {
        let r = ReduceOp::wrap(op);
        let (init, result) = (r.init(b.ctx), op.result(b.ctx, 0));
        if !init.ty(b.ctx).is_vector(b.ctx) {
            let init = self.scalar(init);
            let v = combined(b, kind, init, out[0].1);
            self.map.map(result, v);
            return Ok(());
        }
        let init = self.registers(b, op, init)?;
        let layout = self.layouts.of(b.ctx, op)?;
        let mut all = Vec::new();
        for i in 0..layout.size(Resource::Reg) {
            let at = coordinates(&layout, i);
            let found = out.iter().find(|(kept, _)| *kept == at);
            let (_, v) = found
                .ok_or_else(|| Unable::new(op, "has a result that its threads do not hold"))?;
            let first = match &init {
                Registers::All(x) => *x,
                Registers::Each(own, held) => {
                    let place = (0..own.len()).find(|k| coordinates(held, *k) == at);
                    own[place.ok_or_else(|| {
                        Unable::new(op, "begins with a tile that its threads do not hold")
                    })?]
                }
            };
            all.push(combined(b, kind, first, *v));
        }
        self.tiles.insert(result, Registers::Each(all, layout));
        Ok(())
    }
}
