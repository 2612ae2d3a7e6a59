//! Loops: those around the nest, those that are mapped, and those in it.

use super::{Read, Reader, Refusal, names, overflow};
use crate::gpu::model::nest::{Affine, Guard, Loop, Upper};
use terrace_dialects::affine::{self, scope};
use terrace_ir::effects::is_pure;
use terrace_ir::{Op, OpKind, Value};

impl Reader<'_> {
    /// The loops around the nest: their counters in the middle, and how many launches.
    pub(super) fn around(&mut self, root: Op) -> Read<()> {
        let mut outer = Vec::new();
        let mut next = root.parent(self.ctx);
        while let Some(op) = next {
            if let Some(l) = op.cast::<affine::ForOp>(self.ctx) {
                outer.push(l);
            }
            next = op.parent(self.ctx);
        }
        for l in outer.into_iter().rev() {
            let lower = self.results(l.op(), l.lower_map(self.ctx), &l.lower_operands(self.ctx))?;
            let upper = self.results(l.op(), l.upper_map(self.ctx), &l.upper_operands(self.ctx))?;
            let lower = lower.iter().map(|a| a.constant).max().unwrap_or(0);
            let upper = upper.iter().map(|a| a.constant).min().unwrap_or(lower);
            let span = upper.saturating_sub(lower).max(0);
            let step = l.step(self.ctx).max(1);
            let trips = span / step + i64::from(span % step > 0);
            let middle = lower.saturating_add((trips / 2).saturating_mul(step));
            self.nest.launches *= trips as f64;
            self.counters
                .insert(l.iv(self.ctx), Affine::constant(middle));
        }
        Ok(())
    }

    /// The parallel loops that are mapped, and what stands in them.
    pub(super) fn band(&mut self, root: affine::ParallelOp) -> Read<()> {
        let mut p = root;
        loop {
            if p.op().num_results(self.ctx) > 0 {
                return Err(Refusal {
                    op: p.op(),
                    message: "a parallel loop with results is a reduction across threads, which \
                              has no mapping here"
                        .into(),
                });
            }
            self.parallel_loops(p)?;
            let opened = self.nest.loops.len();
            self.nest.parallel = (0..opened).collect();
            let mut ops = p.body(self.ctx).ops(self.ctx);
            ops.pop();
            let inner = ops
                .pop()
                .and_then(|o| o.cast::<affine::ParallelOp>(self.ctx));
            match inner {
                Some(q) if ops.iter().all(|o| is_pure(self.ctx, *o)) && self.is_rectangular(q) => {
                    for o in ops {
                        self.op(o, 0)?;
                    }
                    p = q;
                }
                _ => break,
            }
        }
        self.block(p.body(self.ctx), 0)
    }

    /// Whether the bounds of loops are the same for all iterations of those around them.
    fn is_rectangular(&self, p: affine::ParallelOp) -> bool {
        let operands = p.op().operands(self.ctx);
        operands.iter().all(|v| match self.counters.get(v) {
            Some(a) => a.is_constant(),
            None => !scope::is_induction_var(self.ctx, *v),
        })
    }

    pub(super) fn parallel_loops(&mut self, p: affine::ParallelOp) -> Read<()> {
        let ctx = self.ctx;
        let (ivs, steps) = (p.ivs(ctx), p.steps(ctx));
        let mut new = Vec::new();
        // Bounds do not depend on one another's counters.
        for (i, (iv, step)) in ivs.into_iter().zip(steps).enumerate() {
            let lower = self.results(p.op(), &p.lower_map_of(ctx, i), &p.lower_operands(ctx))?;
            let upper = self.results(p.op(), &p.upper_map_of(ctx, i), &p.upper_operands(ctx))?;
            new.push((iv, step, lower, upper));
        }
        for (iv, step, lower, upper) in new {
            self.open(p.op(), iv, step, &lower, &upper)?;
        }
        Ok(())
    }

    /// Enters a loop: from the greatest of the lower bounds to the least upper one.
    pub(super) fn open(
        &mut self,
        op: Op,
        iv: Value,
        step: i64,
        lower: &[Affine],
        upper: &[Affine],
    ) -> Read<()> {
        let step = step.max(1);
        let constants = lower.iter().all(Affine::is_constant);
        let first = match constants {
            true => lower.iter().max_by_key(|a| a.constant),
            false => lower.iter().find(|a| !a.is_constant()),
        };
        let first = first.cloned().unwrap_or_default();
        let spans: Option<Vec<Upper>> = (upper.iter())
            .map(|u| {
                Some(Upper {
                    span: u.plus(&first, -1)?,
                    step,
                })
            })
            .collect();
        let l = self.nest.loops.len();
        let names = names(self.ctx, iv);
        self.nest.loops.push(Loop {
            name: names
                .first()
                .cloned()
                .unwrap_or_else(|| format!("loop {}", l + 1)),
            uppers: spans.ok_or_else(|| overflow(op))?,
        });
        let counter = first.plus(&Affine::of_loop(l, 1), step);
        let counter = counter.ok_or_else(|| overflow(op))?;
        if !constants {
            for other in lower.iter().filter(|a| **a != first) {
                let value = counter.plus(other, -1).ok_or_else(|| overflow(op))?;
                self.guards.push(Guard {
                    value,
                    equal: false,
                });
            }
            if lower.len() > 1 {
                self.note("loops with several lower bounds start at one of them");
            }
        }
        self.counters.insert(iv, counter);
        self.loops.push(l);
        Ok(())
    }
}
