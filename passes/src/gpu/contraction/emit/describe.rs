//! What the launch of a product says of itself, for the cost model.

use super::frame::Frame;
use crate::analysis::linear::Linear;
use crate::analysis::source;
use crate::gpu::contraction::instead::Cost;
use crate::gpu::contraction::plan::{HALVES, Tiling, Unit};
use crate::gpu::contraction::shape::{Contraction, Range, Sum};
use crate::gpu::model::product::{self as model, Compared, Form, Note, NoteFactor};
use terrace_dialects::affine;
use terrace_ir::{Attr, Context, Op, Value};

/// The kernels of which one is run, with what they cost, and which of them it is.
pub type Choice<'x> = ([(&'x Tiling, &'x Cost); 2], usize);

/// The note of a launch, of kernels with so many bytes of workgroup memory.
pub fn describe(ctx: &Context, f: &Frame, shared_bytes: i64, choice: Option<Choice>) -> Attr {
    let (x, plan) = (f.x, f.plan);
    let form = |l: &Linear| Form::of(ctx, l, x.row, x.col);
    let ends = |r: &Range| [form(&r.lo), form(&r.hi)];
    let bytes = |ty: terrace_ir::Type| {
        let kind = ty.float_kind(ctx);
        kind.map_or(8, |k| i64::from(k.width()) / 8)
    };
    let factors = f.slabs.iter().flatten().map(|s| {
        let side = usize::from(s.side == 1);
        let (counter, range) = match (s.factor.along_k, side) {
            (true, _) => (x.k, &x.depth),
            (false, 0) => (x.row, &x.rows),
            (false, _) => (x.col, &x.cols),
        };
        // Vectors whose first element is known not to be aligned are none.
        let first = s
            .factor
            .element
            .at
            .last()
            .and_then(|l| l.with(counter, &range.lo));
        let first = first.and_then(|l| l.as_constant()).unwrap_or(0);
        let vector = s.vector.filter(|n| first % n == 0).unwrap_or(1);
        let name = source::array(ctx, s.factor.element.memref);
        NoteFactor {
            factor: model::Factor {
                text: text(ctx, s.factor.loaded.def_op(), &name),
                array: name,
                side,
                bytes: s.element_bytes,
                along_k: s.factor.along_k,
                k_last: s.k_last,
                pitch: s.pitch,
                vector,
            },
            end: form(&range.hi),
        }
    });
    let array = source::array(ctx, x.c.memref);
    let (read_before, read_behind) = reads(ctx, x);
    let note = Note {
        unit: match plan.unit {
            Unit::Matrix(s) if s == HALVES => model::Unit::Halves(s),
            Unit::Matrix(s) if plan.tf32 => model::Unit::Rounded(s),
            Unit::Matrix(s) => model::Unit::Doubles(s),
            Unit::Registers(t) => model::Unit::Registers(t),
        },
        tile: plan.block,
        warps: plan.warps,
        depth: plan.depth,
        stages: plan.stages,
        group: plan.group,
        shared_bytes,
        last_first: f.grows(),
        names: [x.row, x.col, x.k].map(|v| {
            let key = model::key_of(ctx, v);
            key.split(' ').next().unwrap_or_default().to_string()
        }),
        ranges: [ends(&x.rows), ends(&x.cols), ends(&x.depth)],
        outer: x.outer.as_ref().map(|o| ends(&o.range)),
        inside: x.inside.iter().map(form).collect(),
        factors: factors.collect(),
        result: model::Stored {
            text: text(ctx, Some(x.store), &array),
            array,
            bytes: x.c.memref.ty(ctx).element(ctx).map_or(8, bytes),
            sum_bytes: bytes(x.element),
            read_before,
            read_behind,
            stores: 1 + i64::from(x.mirror.is_some()),
        },
        choice: choice.map(|(two, which)| (two.map(|(p, c)| compared(p, c)), which)),
    };
    note.attr(ctx)
}

fn compared(plan: &Tiling, cost: &Cost) -> Compared {
    Compared {
        multiprocessors: cost.multiprocessors,
        tile: plan.block,
        least: cost.least,
        more: cost.more,
        time: cost.time,
    }
}

fn text(ctx: &Context, op: Option<Op>, array: &str) -> String {
    let found = op.and_then(|o| source::element(ctx, o));
    found.unwrap_or_else(|| array.to_string())
}

/// Whether an element of the result is read before the slabs, and behind them.
pub fn reads(ctx: &Context, x: &Contraction) -> (bool, bool) {
    let reads = |v: &Value| reads_result(ctx, x, *v);
    match x.sum {
        Sum::Memory => (x.before.is_empty() || x.before.iter().any(reads), false),
        Sum::Carried { init, stored, .. } => {
            let behind = x.before.iter().chain([&stored]).chain(&x.behind).any(reads);
            (reads(&init), behind)
        }
    }
}

/// Whether a value of the nest is computed from an element of the result.
fn reads_result(ctx: &Context, x: &Contraction, v: Value) -> bool {
    let mut seen: Vec<Op> = Vec::new();
    let mut work = vec![v];
    while let Some(v) = work.pop() {
        let inside = |o: &Op| x.root.is_ancestor_of(ctx, *o) && o.num_regions(ctx) == 0;
        let Some(op) = v.def_op().filter(inside) else {
            continue;
        };
        if seen.contains(&op) {
            continue;
        }
        seen.push(op);
        if op.name(ctx) == affine::LoadOp::NAME {
            if op.operand(ctx, 0) == x.c.memref {
                return true;
            }
            continue;
        }
        work.extend(op.operands(ctx));
    }
    false
}
