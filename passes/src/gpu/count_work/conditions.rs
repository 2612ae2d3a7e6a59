//! Conditions of a kernel: for which numbers of a counter they hold.

use rustc_hash::FxHashMap;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::attributes::{GPU_EITHER, GPU_ROWS};
use terrace_dialects::scf;
use terrace_ir::{Block, Op, OpKind, Value};

use super::count::{Around, Counter, ONE, Range, ZERO};
use super::form::{Axis, Form};
use crate::analysis::work::flops;
use crate::loops::build::float::F;

impl Counter<'_, '_, '_> {
    pub(super) fn condition(&mut self, op: scf::IfOp, around: &Around, depth: u32) {
        let ctx = self.f.ctx();
        if op.op().attr(ctx, GPU_ROWS).is_some()
            && let Some((body, inside)) = self.in_rows(op, around)
        {
            self.block(body, &inside, depth);
            return;
        }
        let ctx = self.f.ctx();
        let then = op.then_block(ctx);
        let other = op.op().region(ctx, 1).entry(ctx);
        if op.op().attr(ctx, GPU_EITHER).is_some() {
            self.block(then, around, depth);
            return;
        }
        let Some(inside) = self.where_true(op.condition(ctx), around) else {
            self.not_known(op.op());
            return;
        };
        self.block(then, &inside, depth);
        let Some(other) = other else { return };
        // The rest of the executions, whose counters have no range of their own.
        let ctx = self.f.ctx();
        let ops = other.ops(ctx);
        if ops.iter().all(|o| o.num_regions(ctx) == 0) {
            let (all, some) = (self.executions(around), self.executions(&inside));
            let rest = self.f.n.sub(all, some);
            let outside = Around {
                ranges: FxHashMap::default(),
                threads: [ONE; 3],
                times: rest,
                used: Vec::new(),
            };
            for o in ops {
                self.leaf(o, &outside);
            }
        } else {
            let holder = op.op();
            let inside: Vec<Op> = ops.iter().flat_map(|o| o.pre_order(ctx)).collect();
            if inside.iter().any(|o| flops(ctx, *o) != [0.0; 2]) {
                self.not_known(holder);
            }
        }
    }

    /// Iterations that a thread runs at once or one by one: the body of the latter, with all
    /// iterations of all threads.
    fn in_rows(&mut self, op: scf::IfOp, around: &Around) -> Option<(Block, Around)> {
        let ctx = self.f.ctx();
        let other = op.op().region(ctx, 1).entry(ctx)?;
        let each = (other.ops(ctx).into_iter()).find_map(|o| o.cast::<scf::ForOp>(ctx))?;
        let stop = each.upper_bound(ctx);
        let ends = match stop.def_op().filter(|o| o.isa::<arith::MinSIOp>(ctx)) {
            Some(o) => o.operands(ctx),
            None => vec![stop],
        };
        let (iv, body) = (each.induction_var(ctx), each.body(ctx));
        let low = self.f.form(each.lower_bound(ctx))?;
        let end = ends.into_iter().find_map(|v| self.f.on_host(v))?;
        let end = self.f.float(end)?;
        let axis = match low.terms[..] {
            [(axis, _)] => axis,
            // The number of the thread, times the iterations of each.
            [(Axis::Block(d), _), (Axis::Thread(t), _)]
            | [(Axis::Thread(t), _), (Axis::Block(d), _)]
                if d == t =>
            {
                Axis::Global(d)
            }
            _ => return None,
        };
        let chunks = around.ranges.get(&axis)?.count;
        let n = &mut *self.f.n;
        let room = n.sub(end, low.rest);
        let count = n.max(room, ZERO);
        let of = n.max(chunks, ONE);
        let each = n.div(count, of);
        let mut inside = around.clone();
        inside.times = n.mul(inside.times, each);
        let range = Range {
            first: low.rest,
            step: ONE,
            count,
            varies: false,
        };
        inside.ranges.insert(Axis::Loop(iv), range);
        Some((body, inside))
    }

    /// What is so where a condition holds.
    fn where_true(&mut self, condition: Value, around: &Around) -> Option<Around> {
        if let Some(truth) = self.f.truth(condition) {
            let mut inside = around.clone();
            inside.times = self.f.n.mul(inside.times, truth);
            return Some(inside);
        }
        let ctx = self.f.ctx();
        let op = condition.def_op()?;
        if op.isa::<arith::AndIOp>(ctx) {
            let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
            let both = self.where_true(a, around)?;
            return self.where_true(b, &both);
        }
        let predicate = op.cast::<arith::CmpIOp>(ctx)?.predicate(ctx)?;
        let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
        let (a, b) = (self.f.form(a)?, self.f.form(b)?);
        use CmpIPredicate as P;
        match predicate {
            P::Slt | P::Ult => self.where_negative(a, b, 0.0, around),
            P::Sle | P::Ule => self.where_negative(a, b, -1.0, around),
            P::Sgt | P::Ugt => self.where_negative(b, a, 0.0, around),
            P::Sge | P::Uge => self.where_negative(b, a, -1.0, around),
            _ => None,
        }
    }

    /// What is so where `a - b + more < 0`: one counter has fewer numbers.
    fn where_negative(&mut self, a: Form, b: Form, more: f64, around: &Around) -> Option<Around> {
        let mut form = self.f.sum(a, b, -1.0);
        form.rest = self.f.n.add(form.rest, F::Known(more));
        let unit = |t: &(Axis, F)| matches!(t.1, F::Known(c) if c.abs() == 1.0);
        // One that runs through its numbers one by one, and is as others need it.
        let at = form.terms.iter().position(|t| {
            let range = around.ranges.get(&t.0);
            let free = range.is_some_and(|r| !r.varies && r.step == ONE);
            unit(t) && free && !around.used.contains(&t.0) && !matches!(t.0, Axis::Block(_))
        })?;
        let (axis, sign) = form.terms.remove(at);
        let mut inside = around.clone();
        let rest = self.mean(&form, &mut inside)?;
        let range = *around.ranges.get(&axis)?;
        let n = &mut *self.f.n;
        let end = n.add(range.first, range.count);
        let (first, end) = match sign == ONE {
            // Below `-rest`.
            true => {
                let bound = n.sub(ZERO, rest);
                (range.first, n.min(end, bound))
            }
            // Above `rest`.
            false => {
                let bound = n.add(rest, ONE);
                (n.max(range.first, bound), end)
            }
        };
        let room = n.sub(end, first);
        let count = n.max(room, ZERO);
        let new = Range {
            first,
            count,
            varies: !form.terms.is_empty(),
            ..range
        };
        inside.ranges.insert(axis, new);
        match axis {
            Axis::Loop(_) => {
                // Of the iterations so many; of none, none.
                let of = n.max(range.count, ONE);
                let share = n.div(count, of);
                inside.times = n.mul(inside.times, share);
            }
            Axis::Global(d) => {
                inside.threads[d] = count;
                inside.ranges.remove(&Axis::Thread(d));
                inside.ranges.remove(&Axis::Block(d));
            }
            Axis::Thread(d) => {
                let blocks = around.ranges.get(&Axis::Block(d))?.count;
                inside.threads[d] = n.mul(blocks, count);
                inside.ranges.remove(&Axis::Global(d));
            }
            Axis::Block(_) => return None,
        }
        Some(inside)
    }
}
