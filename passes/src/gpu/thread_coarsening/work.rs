//! The bytes that the loop must at least move, for profiles: each array that it reads once and
//! each that it writes once, as far as subscripts run with the loop's counter or with those of
//! loops in it. The kernel's own subscripts do not tell: threads have several iterations, and
//! bring rows together.

use super::policy::Coarsening;
use crate::analysis::captured::is_inside;
use crate::analysis::linear::coefficient;
use crate::analysis::memory::base;
use crate::analysis::memref_region::element_bytes;
use crate::analysis::source;
use crate::loops::build::float::{F, Numbers};
use crate::loops::build::index::*;
use rustc_hash::FxHashMap;
use terrace_dialects::arith::{IndexCastOp, SIToFPOp};
use terrace_dialects::attributes::GPU_BYTES;
use terrace_dialects::memref::StoreOp;
use terrace_dialects::{gpu, scf};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// A counter with its first number and its end, which are known in front of the parallel loop.
type Range = (Value, [Value; 2]);

/// Leaves a note in the launch.
pub(super) fn note(b: &mut Builder, plan: &Coarsening) {
    let root = plan.root.op();
    let mut known: Vec<(Value, F)> = Vec::new();
    // Of each array the most elements of an access, for each way.
    let mut most: Vec<(Value, bool, F)> = Vec::new();
    for op in root.pre_order(b.ctx) {
        let Some((memref, at)) = source::indices(b.ctx, op) else {
            continue;
        };
        let array = base(b.ctx, memref);
        if is_inside(b.ctx, root, array) {
            continue;
        }
        let ranges = ranges(b.ctx, plan, op);
        let mut elements = F::Known(1.0);
        let mut used: Vec<Value> = Vec::new();
        for v in at {
            let runs = |r: &&Range| {
                !used.contains(&r.0) && coefficient(b.ctx, v, r.0).is_some_and(|c| c != 0)
            };
            let Some((counter, ends)) = ranges.iter().find(runs).copied() else {
                continue;
            };
            used.push(counter);
            let length = match known.iter().find(|k| k.0 == counter) {
                Some((_, length)) => *length,
                None => {
                    let length = length(b, ends);
                    known.push((counter, length));
                    length
                }
            };
            elements = numbers(b).mul(elements, length);
        }
        let writes = op.name(b.ctx) == StoreOp::NAME;
        match most.iter_mut().find(|m| (m.0, m.1) == (array, writes)) {
            Some(m) => m.2 = numbers(b).max(m.2, elements),
            None => most.push((array, writes, elements)),
        }
    }
    let mut sum = F::Known(0.0);
    for (array, _, elements) in most {
        let element = array.ty(b.ctx).element(b.ctx);
        let size = element.and_then(|t| element_bytes(b.ctx, t)).unwrap_or(1) as f64;
        let mut n = numbers(b);
        let bytes = n.mul(elements, F::Known(size));
        sum = n.add(sum, bytes);
    }
    let mut n = numbers(b);
    let numbers = [F::Known(f64::NAN), F::Known(f64::NAN), sum].map(|x| n.value(x));
    let note = gpu::NoteWorkOp::build(&mut n.b, numbers);
    let mark = b.ctx.unit();
    note.set_attr(b.ctx, GPU_BYTES, mark);
}

fn numbers<'b>(b: &'b mut Builder) -> Numbers<'b> {
    Numbers::new(Builder::new(b.ctx, b.at, b.loc), FxHashMap::default(), None)
}

/// The counters around an access, the innermost first, that go by ones between bounds which do
/// not change in the parallel loop.
fn ranges(ctx: &Context, plan: &Coarsening, op: Op) -> Vec<Range> {
    let root = plan.root.op();
    let mut out = Vec::new();
    let mut at = op;
    while let Some(parent) = at.parent(ctx).filter(|p| *p != root) {
        at = parent;
        let Some(l) = at.cast::<scf::ForOp>(ctx) else {
            continue;
        };
        let ends = [l.lower_bound(ctx), l.upper_bound(ctx)];
        let fixed = ends.iter().all(|v| !is_inside(ctx, root, *v));
        if fixed && ctx.constant_int(l.step(ctx)) == Some(1) {
            out.push((l.induction_var(ctx), ends));
        }
    }
    out.push((plan.iv, [plan.lower, plan.upper]));
    out
}

/// How many numbers there are.
fn length(b: &mut Builder, [first, end]: [Value; 2]) -> F {
    let zero = constant(b, 0);
    let length = sub(b, end, first);
    let length = max(b, length, zero);
    if let Some(c) = b.ctx.constant_int(length) {
        return F::Known(c as f64);
    }
    let (wide, float) = (b.ctx.i64(), b.ctx.f64());
    let int = b.value::<IndexCastOp>(&[length], wide, &[]);
    F::At(b.value::<SIToFPOp>(&[int], float, &[]))
}
