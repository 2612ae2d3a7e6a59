//! What a launch of several sweeps does as the program has it written, for profiles: each
//! sweep's arithmetic once for each cell of the box, and one array read and one written. What
//! overlapping tiles compute again is not counted.

use super::kernel::{Frame, Kernel};
use crate::analysis::work::flops;
use crate::loops::build::float::{F, Numbers};
use crate::loops::build::index::*;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::arith::{IndexCastOp, SIToFPOp};
use terrace_dialects::gpu;
use terrace_ir::{Builder, Context, Op, Value};

/// Leaves a note in the launch.
pub fn note(b: &mut Builder, k: &Kernel) {
    let f: &Frame = k.f;
    let mut each = [0.0; 2];
    for version in 1..=f.plan.steps {
        let sweep = k.sweep(version);
        let once = of_cell(b.ctx, sweep.nest, sweep.stored);
        (0..2).for_each(|i| each[i] += once[i]);
    }
    let zero = constant(b, 0);
    let (wide, float) = (b.ctx.i64(), b.ctx.f64());
    let lengths: Vec<Value> = (f.lo.iter().zip(&f.hi))
        .map(|(lo, hi)| {
            let length = sub(b, *hi, *lo);
            let length = max(b, length, zero);
            let int = b.value::<IndexCastOp>(&[length], wide, &[]);
            b.value::<SIToFPOp>(&[int], float, &[])
        })
        .collect();
    let mut n = Numbers::new(Builder::new(b.ctx, b.at, b.loc), FxHashMap::default(), None);
    let mut cells = F::Known(1.0);
    for l in lengths {
        cells = n.mul(cells, F::At(l));
    }
    let bytes = 2.0 * f.s.bytes as f64;
    let numbers = [each[0], each[1], bytes].map(|times| {
        let all = n.mul(cells, F::Known(times));
        n.value(all)
    });
    gpu::NoteWorkOp::build(&mut n.b, numbers);
}

/// The flops that a stored value takes.
fn of_cell(ctx: &Context, nest: Op, stored: Value) -> [f64; 2] {
    let mut seen: FxHashSet<Op> = FxHashSet::default();
    let mut work = vec![stored];
    let mut sum = [0.0; 2];
    while let Some(v) = work.pop() {
        let inside = |o: &Op| nest.is_ancestor_of(ctx, *o);
        let Some(op) = v.def_op().filter(inside).filter(|o| seen.insert(*o)) else {
            continue;
        };
        let once = flops(ctx, op);
        (0..2).for_each(|i| sum[i] += once[i]);
        work.extend(op.operands(ctx));
    }
    sum
}
