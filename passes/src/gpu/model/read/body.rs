//! What stands in the loops: accesses and arithmetic.

use super::{MAX_DEPTH, Read, Reader, Refusal};
use crate::gpu::model::nest::{Affine, Work};
use terrace_dialects::affine::{self, Access, AccessKind};
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_dialects::{arith, math, scf};
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Op};

impl Reader<'_> {
    /// The work of the place that is read.
    pub(super) fn work(&mut self) -> &mut Work {
        let found = self.nest.work.iter().position(|w| w.loops == self.loops);
        let i = found.unwrap_or_else(|| {
            self.nest.work.push(Work {
                loops: self.loops.clone(),
                ..Work::default()
            });
            self.nest.work.len() - 1
        });
        &mut self.nest.work[i]
    }

    pub(super) fn block(&mut self, block: Block, depth: usize) -> Read<()> {
        for op in block.ops(self.ctx) {
            self.op(op, depth)?;
        }
        Ok(())
    }

    /// What stands in some loops more than here.
    fn inside(&mut self, body: Block, loops: usize, guards: usize, depth: usize) -> Read<()> {
        // Counting, comparing and going round, for several iterations at once.
        self.work().i32 += 0.75;
        self.block(body, depth + 1)?;
        self.loops.truncate(loops);
        self.guards.truncate(guards);
        Ok(())
    }

    pub(super) fn op(&mut self, op: Op, depth: usize) -> Read<()> {
        let ctx = self.ctx;
        let not = |message: &str| Refusal {
            op,
            message: message.to_string(),
        };
        if depth > MAX_DEPTH {
            return Err(not("loops and conditions are nested too deeply"));
        }
        let (loops, guards) = (self.loops.len(), self.guards.len());
        if let Some(a) = Access::of(ctx, op) {
            if a.kind == AccessKind::Prefetch {
                return Ok(());
            }
            let subscripts = self.results(op, &a.map, &a.operands)?;
            let elements = a.vector.and_then(|t| t.num_elements(ctx)).unwrap_or(1);
            return self.access(
                op,
                a.memref,
                subscripts,
                a.kind == AccessKind::Write,
                elements,
            );
        }
        if let Some(l) = op.cast::<affine::ForOp>(ctx) {
            let lower = self.results(op, l.lower_map(ctx), &l.lower_operands(ctx))?;
            let upper = self.results(op, l.upper_map(ctx), &l.upper_operands(ctx))?;
            self.open(op, l.iv(ctx), l.step(ctx), &lower, &upper)?;
            if op.num_results(ctx) > 0 {
                self.work().chain += 1.0;
            }
            return self.inside(l.body(ctx), loops, guards, depth);
        }
        if let Some(p) = op.cast::<affine::ParallelOp>(ctx) {
            self.parallel_loops(p)?;
            return self.inside(p.body(ctx), loops, guards, depth);
        }
        if let Some(c) = op.cast::<affine::IfOp>(ctx) {
            return self.condition(c, depth);
        }
        if let Some(c) = op.cast::<scf::IfOp>(ctx) {
            return self.choice(c, depth);
        }
        let v = op.operands(ctx);
        let element = match (op.name(ctx), &v[..]) {
            (LoadOp::NAME, [m, at @ ..]) => Some((*m, at, false)),
            (StoreOp::NAME, [_, m, at @ ..]) => Some((*m, at, true)),
            _ => None,
        };
        if let Some((memref, at, writes)) = element {
            let subscripts: Vec<Affine> = (at.iter())
                .map(|v| self.value(op, *v, 0))
                .collect::<Read<_>>()?;
            return self.access(op, memref, subscripts, writes, 1);
        }
        if op.num_regions(ctx) > 0 {
            return Err(not(
                "this is no affine loop or condition, and has no known cost",
            ));
        }
        self.operation(op);
        let yields = [affine::YieldOp::NAME, scf::YieldOp::NAME].contains(&op.name(ctx));
        match is_pure(ctx, op) || yields || op.dialect(ctx) == "memref" {
            true => Ok(()),
            false => Err(not("what this does to memory is not known")),
        }
    }

    fn operation(&mut self, op: Op) {
        let ctx = self.ctx;
        let name = op.name(ctx);
        let free = [
            arith::ConstantOp::NAME,
            arith::IndexCastOp::NAME,
            affine::ApplyOp::NAME,
            affine::YieldOp::NAME,
        ];
        if free.contains(&name) || op.num_results(ctx) == 0 || op.dialect(ctx) == "memref" {
            return;
        }
        let ty = op.result(ctx, 0).ty(ctx).element_or_self(ctx);
        let bits = ty.bit_width(ctx).unwrap_or(64);
        let (float, wide) = (ty.is_float(ctx), bits > 32);
        // Arithmetic that stands for one operation of the program.
        let (plain, special) = match name {
            arith::DivFOp::NAME | math::SqrtOp::NAME | math::RsqrtOp::NAME => {
                (if wide { 9.0 } else { 6.0 }, 1.0)
            }
            n if n.starts_with("math.") && n != math::FmaOp::NAME && n != math::AbsFOp::NAME => {
                (if wide { 20.0 } else { 8.0 }, 1.0)
            }
            _ => (1.0, 0.0),
        };
        let w = self.work();
        w.special += special;
        match (float, wide) {
            (true, true) => w.f64 += plain,
            (true, false) => w.f32 += plain,
            (false, true) => w.i32 += 2.0 * plain,
            (false, false) => w.i32 += plain,
        }
    }
}
