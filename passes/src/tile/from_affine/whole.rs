//! What all iterations of a nest combine: a row of the only iteration of a parallel loop, which
//! blocks share.
//!
//! ```text
//!                                               %w = memref.alloc() : memref<1xi32>
//! %s = affine.parallel (%i) reduce ("addi") {   affine.parallel (%u) = (0) to (1) {
//!   %x = affine.load %A[%i]                       %t = affine.parallel (%i) reduce ("addi") {
//!   affine.yield %x                        =>       %x = affine.load %A[%i]
//! }                                                 affine.yield %x
//!                                                 }
//!                                                 affine.store %t, %w[%u]
//!                                               }
//!                                               %s = affine.load %w[0]
//! ```

use super::find::statements;
use crate::analysis::loop_like::is_in_loop;
use terrace_dialects::affine::{LoadOp, ParallelOp, StoreOp};
use terrace_dialects::attributes::ACC_LOOP;
use terrace_dialects::memref::{AllocOp, DeallocOp};
use terrace_ir::affine::AffineMap;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// The nest of one iteration, in front of the one whose place it is to take.
pub(super) struct Whole {
    pub root: ParallelOp,
    /// Arrays of one element, one for each result.
    results: Vec<Value>,
}

impl Whole {
    /// Whether it can be written and is worth it: iterations load and compute; of one loop alone the
    /// sums have a good mapper; and what a nest that runs again and again leaves in an array would
    /// come back to the host each time.
    pub fn is_worth_it(ctx: &Context, p: ParallelOp) -> bool {
        let loops = p.op().find_all::<ParallelOp>(ctx);
        let several = loops.iter().map(|l| l.num_loops(ctx)).sum::<usize>() > 1;
        let results = p.op().num_results(ctx) > 0;
        results && several && !is_in_loop(ctx, p.op()) && only_combines(ctx, p)
    }

    /// Writes it.
    pub fn write(ctx: &mut Context, p: ParallelOp) -> Whole {
        let b = &mut Builder::before(ctx, p.op());
        b.loc = p.op().loc(b.ctx);
        let types = p.op().result_types(b.ctx).into_iter();
        let results: Vec<Value> = types
            .map(|ty| {
                let ty = b.ctx.memref(&[1], ty);
                AllocOp::build(b, ty, &[])
            })
            .collect();
        let (begin, end) = ([AffineMap::constant(0)], [AffineMap::constant(1)]);
        let root = ParallelOp::build(b, (&begin, &[]), (&end, &[]), &[1], &[], &[], |b, ivs| {
            let copy = clone_op(b.ctx, p.op(), &mut IrMapping::new());
            b.insert(copy);
            for (v, to) in copy.results(b.ctx).iter().zip(&results) {
                StoreOp::build_at(b, *v, *to, ivs);
            }
            Vec::new()
        });
        if let Some(clauses) = p.op().attr(b.ctx, ACC_LOOP) {
            root.op().set_attr(b.ctx, ACC_LOOP, clauses);
        }
        Whole { root, results }
    }

    /// Puts what it leaves in the place of the results of `p`.
    pub fn replace(self, ctx: &mut Context, p: ParallelOp) {
        let b = &mut Builder::before(ctx, p.op());
        b.loc = p.op().loc(b.ctx);
        let load = |m: &Value| LoadOp::build(b, *m, AffineMap::constant(0), &[]);
        let values: Vec<Value> = self.results.iter().map(load).collect();
        for m in self.results {
            DeallocOp::build(b, m);
        }
        p.op().replace(b.ctx, &values);
    }

    /// Takes back what was written, but for the nest.
    pub fn erase(self, ctx: &mut Context) {
        for op in self.results.iter().filter_map(|m| m.def_op()) {
            op.erase(ctx);
        }
    }
}

/// Whether iterations load and compute, perhaps choose what they have loaded, and hold nests that do so,
/// too, and combine something. What is loaded under conditions is seldom adjacent.
fn only_combines(ctx: &Context, p: ParallelOp) -> bool {
    let plain = |o: &Op| match o.cast::<ParallelOp>(ctx) {
        Some(inner) => inner.op().num_results(ctx) > 0 && only_combines(ctx, inner),
        None => is_pure(ctx, *o) || o.isa::<LoadOp>(ctx),
    };
    statements(ctx, p.body(ctx)).iter().all(plain)
}
