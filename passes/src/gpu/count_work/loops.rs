//! Loops of a kernel: which numbers their counters run through, and how often they go round.

use terrace_dialects::{arith, scf};
use terrace_ir::Value;

use super::count::{Around, Counter, ONE, Range, ZERO};
use super::form::{Axis, Form};
use crate::loops::build::float::F;

impl Counter<'_, '_, '_> {
    /// What is so in a loop.
    pub(super) fn in_loop(&mut self, l: scf::ForOp, around: &Around) -> Option<Around> {
        let ctx = self.f.ctx();
        let (iv, lower, upper, step) = (
            l.induction_var(ctx),
            l.lower_bound(ctx),
            l.upper_bound(ctx),
            l.step(ctx),
        );
        let mut inside = around.clone();
        if let Some(trips) = self.f.trips(lower, upper, step) {
            let (first, step) = (self.f.on_host(lower)?, self.f.on_host(step)?);
            let range = Range {
                first: self.f.float(first)?,
                step: self.f.float(step)?,
                count: trips,
                varies: false,
            };
            inside.ranges.insert(Axis::Loop(iv), range);
            inside.times = self.f.n.mul(inside.times, trips);
            return Some(inside);
        }
        if let Some(inside) = self.in_part(l, around) {
            return Some(inside);
        }
        let (low, high) = (self.f.form(lower)?, self.f.form(upper)?);
        // A loop that goes round with the threads does the iterations of all of them.
        if let [(axis @ (Axis::Global(d) | Axis::Thread(d)), F::Known(1.0))] = low.terms[..]
            && self.f.goes_round(step, d, axis)
            && !around.ranges.get(&axis)?.varies
        {
            let bound = self.mean(&high, &mut inside)?;
            let room = self.f.n.sub(bound, low.rest);
            let count = self.f.n.max(room, ZERO);
            let range = Range {
                first: low.rest,
                step: ONE,
                count,
                varies: !high.terms.is_empty(),
            };
            inside.ranges.insert(Axis::Loop(iv), range);
            inside.threads[d] = match axis {
                Axis::Thread(_) => around.ranges.get(&Axis::Block(d))?.count,
                _ => ONE,
            };
            // Threads that were left out before would be met again.
            for gone in [Axis::Global(d), Axis::Thread(d)] {
                inside.ranges.remove(&gone);
            }
            inside.times = self.f.n.mul(inside.times, count);
            return Some(inside);
        }
        let step = self.f.on_host(step)?;
        if self.f.ctx().constant_int(step) != Some(1) {
            return None;
        }
        let length = self.f.sum(high, low.clone(), -1.0);
        let mean = self.mean(&length, &mut inside)?;
        let count = self.f.n.max(mean, ZERO);
        let mut middle = inside.clone();
        middle.used.clear();
        let range = Range {
            first: self.mean(&low, &mut middle)?,
            step: ONE,
            count,
            varies: !length.terms.is_empty(),
        };
        inside.ranges.insert(Axis::Loop(iv), range);
        inside.times = self.f.n.mul(inside.times, count);
        Some(inside)
    }

    /// A loop over a part of the loop around it, which goes by parts: from 0 to the length of a
    /// part, of the last part to what is left. All of them together go over the whole.
    fn in_part(&mut self, l: scf::ForOp, around: &Around) -> Option<Around> {
        let ctx = self.f.ctx();
        let (iv, step) = (l.induction_var(ctx), l.step(ctx));
        let least = l.upper_bound(ctx).def_op();
        let least = least.filter(|o| o.isa::<arith::MinSIOp>(ctx))?;
        let is_left = |v: &Value| v.def_op().is_some_and(|o| o.isa::<arith::SubIOp>(ctx));
        let (left, part) = match (least.operand(ctx, 0), least.operand(ctx, 1)) {
            (a, b) if is_left(&a) => (a.def_op()?, b),
            (a, b) if is_left(&b) => (b.def_op()?, a),
            _ => return None,
        };
        let (end, begin) = (left.operand(ctx, 0), left.operand(ctx, 1));
        let outer = begin.arg_block()?.parent_op(ctx)?.cast::<scf::ForOp>(ctx)?;
        let (by, part) = (ctx.constant_int(step)?, ctx.constant_int(part)?);
        let fits = ctx.constant_int(l.lower_bound(ctx)) == Some(0)
            && outer.induction_var(ctx) == begin
            && outer.upper_bound(ctx) == end
            && ctx.constant_int(outer.step(ctx)) == Some(part)
            && by > 0
            && part % by == 0;
        let parts = around
            .ranges
            .get(&Axis::Loop(begin))
            .filter(|_| fits)?
            .count;
        let first = outer.lower_bound(ctx);
        let all = self.f.trips(first, end, step)?;
        let parts = self.f.n.max(parts, ONE);
        let count = self.f.n.div(all, parts);
        let mut inside = around.clone();
        inside.times = self.f.n.mul(inside.times, count);
        let range = Range {
            first: ZERO,
            step: F::Known(by as f64),
            count,
            varies: false,
        };
        inside.ranges.insert(Axis::Loop(iv), range);
        Some(inside)
    }

    /// A sum of counters in the middle of what they run through, for how many of another there
    /// are. None where that is not linear.
    pub(super) fn mean(&mut self, form: &Form, around: &mut Around) -> Option<F> {
        let mut sum = form.rest;
        for (axis, c) in &form.terms {
            let range = *around.ranges.get(axis)?;
            if range.varies || around.used.contains(axis) {
                return None;
            }
            around.used.push(*axis);
            let last = self.f.n.sub(range.count, ONE);
            let half = self.f.n.mul(last, F::Known(0.5));
            let way = self.f.n.mul(half, range.step);
            let middle = self.f.n.add(range.first, way);
            let part = self.f.n.mul(middle, *c);
            sum = self.f.n.add(sum, part);
        }
        Some(sum)
    }
}
